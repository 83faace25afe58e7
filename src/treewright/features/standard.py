"""The templates of the parser, chosen on development data; templates.py defines their syntax."""

from __future__ import annotations

from treewright.features.standard_factors import FACTORS
from treewright.features.templates import Templates, lines

# Few, since they are evaluated for every arc of a sentence.
PRUNER = lines(
    """
    h.upos m.upos | h.xpos m.xpos | h.upos m.xpos | h.xpos m.upos | h.word m.word | h.word m.upos
    h.upos m.word | h.lemma m.xpos | h.xpos m.lemma
    h.upos m.upos h+1.upos m-1.upos | h.upos m.upos h-1.upos m+1.upos | h.upos m.upos h-1.upos m-1.upos
    h.upos m.upos h+1.upos m+1.upos
    h.upos m.upos h+1.upos | h.upos m.upos m-1.upos | h.upos m.upos m+1.upos | h.upos m.upos h-1.upos
    h.upos m.upos b.upos
    """
)

# For the candidate arcs that remain after pruning.
ARC = lines(
    """
    h.upos | h.fine | h.lemma | h.form | h.word | m.upos | m.fine | m.lemma | m.form | m.word
    h.upos m.upos | h.fine m.fine | h.upos m.fine | h.fine m.upos | h.word m.word | h.word m.upos
    h.upos m.word | h.lemma m.lemma | h.lemma m.fine | h.fine m.lemma | h.lemma m.upos | h.upos m.lemma
    h.form m.form | h.form m.fine | h.fine m.form | h.form m.upos | h.upos m.form
    h.word m.word h.fine m.fine
    h.lemma m.upos h.fine | h.upos m.lemma m.fine
    h.feats m.feats
    h.upos h.feats m.upos m.feats
    h.feats m.upos | h.upos m.feats | h.suffix3 m.upos | h.upos m.suffix3 | h.suffix3 m.suffix3
    h.upos m.upos m.suffix3 | h.upos h.suffix3 m.upos
    h.upos m.upos h+1.upos m-1.upos | h.upos m.upos h-1.upos m+1.upos | h.upos m.upos h-1.upos m-1.upos
    h.upos m.upos h+1.upos m+1.upos
    h.upos m.upos h+1.upos | h.upos m.upos m-1.upos | h.upos m.upos m+1.upos | h.upos m.upos h-1.upos
    h.upos m.upos h-1.upos h+1.upos m-1.upos m+1.upos
    h.fine m.fine h+1.fine m-1.fine | h.fine m.fine h-1.fine m+1.fine | h.fine m.fine h-1.fine m-1.fine
    h.fine m.fine h+1.fine m+1.fine
    h.fine m.fine h+1.fine | h.fine m.fine m-1.fine | h.fine m.fine m+1.fine | h.fine m.fine h-1.fine
    h.upos m.upos m-1.upos m-2.upos | h.upos m.upos m+1.upos m+2.upos | h.upos m.upos h-1.upos h-2.upos
    h.upos m.upos h+1.upos h+2.upos
    h.upos m.upos m-1.lemma | h.upos m.upos m+1.lemma | h.upos m.upos h-1.lemma | h.upos m.upos h+1.lemma
    h.lemma m.upos m-1.lemma | h.lemma m.upos m-1.upos | h.lemma m.upos h+1.lemma | h.upos m.lemma m-1.lemma
    h.upos m.lemma h+1.lemma | h.upos m.common m-1.common | h.upos m.common m+1.common
    h.common m.common h+1.common | h.common m.common m-1.common | h.common m.common m+1.common
    h.common m.common h-1.common
    h.common m.common
    h.upos m.upos b.upos | h.fine m.fine b.upos | h.upos m.upos b.common | h.upos m.fine b.common
    h.word m.upos b.common | h.upos m.word b.common
    h.upos m.upos h.each m.each
    h.upos m.upos h.each | h.upos m.upos m.each | h.upos m.lemma h.each
    h.lemma m.each
    """
)

SIBLING = lines(
    """
    s.upos m.upos | s.fine m.fine | s.lemma m.lemma | s.lemma m.upos | s.upos m.lemma | s.form m.upos
    s.upos m.form | s.common m.common
    h.upos s.upos m.upos | h.fine s.fine m.fine | h.lemma s.upos m.upos | h.upos s.lemma m.upos
    h.upos s.upos m.lemma | h.lemma s.lemma m.upos | h.lemma s.upos m.lemma | h.upos s.lemma m.lemma
    h.common s.common m.common | h.upos s.common m.common | h.lemma s.common m.common
    h.upos m.upos | h.lemma m.upos | h.upos m.lemma | h.lemma m.lemma
    h.upos s.upos | h.lemma s.upos | h.upos s.lemma | h.lemma s.lemma
    h.feats s.feats m.feats
    h.upos s.upos m.upos h+1.upos | h.upos s.upos m.upos h-1.upos | h.upos s.upos m.upos s+1.upos
    h.upos s.upos m.upos s-1.upos | h.upos s.upos m.upos m+1.upos | h.upos s.upos m.upos m-1.upos
    h.upos s.upos m.upos m-1.upos s+1.upos
    h.upos s.fine m.fine | h.lemma s.fine m.fine
    h.fine m.fine | h.lemma m.fine
    """
)

GRANDPARENT = lines(
    """
    g.upos m.upos | g.fine m.fine | g.lemma m.lemma | g.lemma m.upos | g.upos m.lemma | g.common m.common
    g.form m.upos | g.upos m.form
    g.upos h.upos m.upos | g.fine h.fine m.fine | g.lemma h.upos m.upos | g.upos h.lemma m.upos
    g.upos h.upos m.lemma | g.lemma h.lemma m.upos | g.lemma h.upos m.lemma | g.upos h.lemma m.lemma
    g.lemma h.lemma m.lemma | g.common h.common m.common | g.upos h.common m.common | g.common h.upos m.common
    g.common h.common m.upos | g.feats h.feats m.feats
    g.upos h.upos m.upos g+1.upos | g.upos h.upos m.upos g-1.upos | g.upos h.upos m.upos h+1.upos
    g.upos h.upos m.upos h-1.upos | g.upos h.upos m.upos m+1.upos | g.upos h.upos m.upos m-1.upos
    g.upos h.lemma m.fine | g.lemma h.upos m.fine
    """
)

BEYOND = lines(
    """
    h.upos m.upos | h.fine m.fine | h.lemma m.upos | h.upos m.lemma
    g.upos h.upos m.upos | g.fine h.fine m.fine | g.lemma h.upos m.upos | g.upos h.lemma m.upos
    g.upos h.upos m.lemma | g.common h.common m.common
    """
)

# `distance`: a second weight for each distance between word and head.
LABEL = lines(
    """
    h.upos m.upos distance | h.fine m.fine distance | h.lemma m.upos distance | h.upos m.lemma distance
    h.word m.word distance
    h.fine m.fine h.feats m.feats distance
    m.fine | m.lemma | m.word | m.form | m.feats | m.suffix3 | h.fine | h.word
    h.common m.common | h.upos m.form | h.upos m.suffix3 | h.upos m.feats | h.feats m.upos
    h.upos m.upos m-1.upos | h.upos m.upos m+1.upos | h.upos m.upos h-1.upos | h.upos m.upos h+1.upos
    h.upos m.upos m-1.upos m+1.upos
    h.common m.common m-1.common | h.common m.common m+1.common | h.upos m.upos m-1.lemma
    h.upos m.upos m+1.lemma | m.upos m-1.upos m+1.upos
    m.common m-1.common | m.common m+1.common
    m.upos m-1.upos m-2.upos | m.upos m+1.upos m+2.upos
    h.upos m.upos g.upos | h.common m.common g.common | h.lemma m.upos g.upos | h.upos m.upos g.lemma
    h.upos m.lemma g.upos | h.upos m.upos l.upos | h.upos m.upos r.upos
    h.upos m.upos l.upos r.upos
    h.common m.common l.common | h.common m.common r.common | h.lemma m.upos l.upos | h.lemma m.upos r.upos
    h.upos m.upos l.lemma | h.upos m.upos r.lemma | h.upos m.upos a.upos | h.upos m.upos z.upos
    h.upos m.upos a.common | h.upos m.upos z.common
    h.lemma m.upos a.lemma | h.lemma m.upos a.common | h.lemma m.lemma a.lemma | h.upos m.lemma a.lemma
    h.fine m.fine a.common z.common
    m.upos a.common | m.lemma a.common | m.fine a.lemma | m.upos z.lemma
    h.upos m.upos c.common | h.fine m.fine c.fine | h.lemma m.upos c.common
    m.upos c.lemma | m.lemma c.common
    h.upos m.upos s.upos | h.upos m.upos s.common | h.fine m.fine s.fine | h.lemma m.upos s.upos
    h.lemma m.upos s.common
    h.lemma m.fine | h.fine m.lemma | h.fine m.suffix3
    h.upos m.fine l.fine | h.upos m.fine r.fine | h.fine m.fine g.fine | h.fine m.fine a.common
    h.upos m.fine s.fine | h.lemma m.fine s.fine
    m.fine c.fine
    """
)

# Those of Lei et al. (2014); the fine tag stands for theirs.
TENSOR = lines(
    """
    w.form | w-1.form | w+1.form | w.lemma | w-1.lemma | w+1.lemma | w.upos | w.fine | w-1.fine | w+1.fine
    w-1.fine w.fine | w.fine w+1.fine
    w-1.fine w.fine w+1.fine
    w.each
    w.lemma w.each | w.lemma w.fine
    w.suffix3 | w.suffix2 | w.prefix3 | w.shape | w.common | w-1.common | w+1.common
    """
)

STANDARD = Templates(PRUNER, ARC, SIBLING, GRANDPARENT, LABEL, BEYOND, FACTORS, TENSOR)

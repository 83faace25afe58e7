"""The templates of the parser, as it was tuned on development data; templates.py says how to read them."""

from __future__ import annotations

from treewright.features.templates import Templates, lines

# Few and cheap, for every arc of a sentence.
PRUNER = lines(
    """
    h.upos m.upos
    h.xpos m.xpos
    h.upos m.xpos
    h.xpos m.upos
    h.word m.word
    h.word m.upos
    h.upos m.word
    h.lemma m.xpos
    h.xpos m.lemma
    h.upos m.upos h+1.upos m-1.upos
    h.upos m.upos h-1.upos m+1.upos
    h.upos m.upos h-1.upos m-1.upos
    h.upos m.upos h+1.upos m+1.upos
    h.upos m.upos h+1.upos
    h.upos m.upos m-1.upos
    h.upos m.upos m+1.upos
    h.upos m.upos h-1.upos
    h.upos m.upos b.upos
    """
)

# For the arcs that pruning leaves.
ARC = lines(
    """
    h.upos
    h.xpos
    h.lemma
    h.form
    h.word
    m.upos
    m.xpos
    m.lemma
    m.form
    m.word
    h.upos m.upos
    h.xpos m.xpos
    h.upos m.xpos
    h.xpos m.upos
    h.word m.word
    h.word m.upos
    h.upos m.word
    h.lemma m.lemma
    h.lemma m.xpos
    h.xpos m.lemma
    h.lemma m.upos
    h.upos m.lemma
    h.form m.form
    h.form m.xpos
    h.xpos m.form
    h.form m.upos
    h.upos m.form
    h.word m.word h.xpos m.xpos
    h.lemma m.upos h.xpos
    h.upos m.lemma m.xpos
    h.feats m.feats
    h.upos h.feats m.upos m.feats
    h.feats m.upos
    h.upos m.feats
    h.suffix3 m.upos
    h.upos m.suffix3
    h.suffix3 m.suffix3
    h.upos m.upos m.suffix3
    h.upos h.suffix3 m.upos
    h.upos m.upos h+1.upos m-1.upos
    h.upos m.upos h-1.upos m+1.upos
    h.upos m.upos h-1.upos m-1.upos
    h.upos m.upos h+1.upos m+1.upos
    h.upos m.upos h+1.upos
    h.upos m.upos m-1.upos
    h.upos m.upos m+1.upos
    h.upos m.upos h-1.upos
    h.upos m.upos h-1.upos h+1.upos m-1.upos m+1.upos
    h.xpos m.xpos h+1.xpos m-1.xpos
    h.xpos m.xpos h-1.xpos m+1.xpos
    h.xpos m.xpos h-1.xpos m-1.xpos
    h.xpos m.xpos h+1.xpos m+1.xpos
    h.xpos m.xpos h+1.xpos
    h.xpos m.xpos m-1.xpos
    h.xpos m.xpos m+1.xpos
    h.xpos m.xpos h-1.xpos
    h.upos m.upos m-1.upos m-2.upos
    h.upos m.upos m+1.upos m+2.upos
    h.upos m.upos h-1.upos h-2.upos
    h.upos m.upos h+1.upos h+2.upos
    h.upos m.upos m-1.lemma
    h.upos m.upos m+1.lemma
    h.upos m.upos h-1.lemma
    h.upos m.upos h+1.lemma
    h.lemma m.upos m-1.lemma
    h.lemma m.upos m-1.upos
    h.lemma m.upos h+1.lemma
    h.upos m.lemma m-1.lemma
    h.upos m.lemma h+1.lemma
    h.upos m.common m-1.common
    h.upos m.common m+1.common
    h.common m.common h+1.common
    h.common m.common m-1.common
    h.common m.common m+1.common
    h.common m.common h-1.common
    h.common m.common
    h.upos m.upos b.upos
    h.xpos m.xpos b.upos
    h.upos m.upos b.common
    h.upos m.xpos b.common
    h.word m.upos b.common
    h.upos m.word b.common
    """
)

SIBLING = lines(
    """
    s.upos m.upos
    s.xpos m.xpos
    s.lemma m.lemma
    s.lemma m.upos
    s.upos m.lemma
    s.form m.upos
    s.upos m.form
    s.common m.common
    h.upos s.upos m.upos
    h.xpos s.xpos m.xpos
    h.lemma s.upos m.upos
    h.upos s.lemma m.upos
    h.upos s.upos m.lemma
    h.lemma s.lemma m.upos
    h.lemma s.upos m.lemma
    h.upos s.lemma m.lemma
    h.common s.common m.common
    h.upos s.common m.common
    h.lemma s.common m.common
    h.upos m.upos
    h.lemma m.upos
    h.upos m.lemma
    h.lemma m.lemma
    h.upos s.upos
    h.lemma s.upos
    h.upos s.lemma
    h.lemma s.lemma
    h.feats s.feats m.feats
    h.upos s.upos m.upos h+1.upos
    h.upos s.upos m.upos h-1.upos
    h.upos s.upos m.upos s+1.upos
    h.upos s.upos m.upos s-1.upos
    h.upos s.upos m.upos m+1.upos
    h.upos s.upos m.upos m-1.upos
    h.upos s.upos m.upos m-1.upos s+1.upos
    """
)

GRANDPARENT = lines(
    """
    g.upos m.upos
    g.xpos m.xpos
    g.lemma m.lemma
    g.lemma m.upos
    g.upos m.lemma
    g.common m.common
    g.form m.upos
    g.upos m.form
    g.upos h.upos m.upos
    g.xpos h.xpos m.xpos
    g.lemma h.upos m.upos
    g.upos h.lemma m.upos
    g.upos h.upos m.lemma
    g.lemma h.lemma m.upos
    g.lemma h.upos m.lemma
    g.upos h.lemma m.lemma
    g.lemma h.lemma m.lemma
    g.common h.common m.common
    g.upos h.common m.common
    g.common h.upos m.common
    g.common h.common m.upos
    g.feats h.feats m.feats
    g.upos h.upos m.upos g+1.upos
    g.upos h.upos m.upos g-1.upos
    g.upos h.upos m.upos h+1.upos
    g.upos h.upos m.upos h-1.upos
    g.upos h.upos m.upos m+1.upos
    g.upos h.upos m.upos m-1.upos
    """
)

# The first six also come with the distance between word and head.
LABEL = lines(
    """
    h.upos m.upos
    h.xpos m.xpos
    h.lemma m.upos
    h.upos m.lemma
    h.word m.word
    h.xpos m.xpos h.feats m.feats
    m.xpos
    m.lemma
    m.word
    m.form
    m.feats
    m.suffix3
    h.xpos
    h.word
    h.common m.common
    h.upos m.form
    h.upos m.suffix3
    h.upos m.feats
    h.feats m.upos
    h.upos m.upos m-1.upos
    h.upos m.upos m+1.upos
    h.upos m.upos h-1.upos
    h.upos m.upos h+1.upos
    h.upos m.upos m-1.upos m+1.upos
    h.common m.common m-1.common
    h.common m.common m+1.common
    h.upos m.upos m-1.lemma
    h.upos m.upos m+1.lemma
    m.upos m-1.upos m+1.upos
    m.common m-1.common
    m.common m+1.common
    m.upos m-1.upos m-2.upos
    m.upos m+1.upos m+2.upos
    h.upos m.upos g.upos
    h.common m.common g.common
    h.lemma m.upos g.upos
    h.upos m.upos g.lemma
    h.upos m.lemma g.upos
    h.upos m.upos l.upos
    h.upos m.upos r.upos
    h.upos m.upos l.upos r.upos
    h.common m.common l.common
    h.common m.common r.common
    h.lemma m.upos l.upos
    h.lemma m.upos r.upos
    h.upos m.upos l.lemma
    h.upos m.upos r.lemma
    h.upos m.upos a.upos
    h.upos m.upos z.upos
    h.upos m.upos a.common
    h.upos m.upos z.common
    h.lemma m.upos a.lemma
    h.lemma m.upos a.common
    h.lemma m.lemma a.lemma
    h.upos m.lemma a.lemma
    h.xpos m.xpos a.common z.common
    m.upos a.common
    m.lemma a.common
    m.xpos a.lemma
    m.upos z.lemma
    h.upos m.upos c.common
    h.xpos m.xpos c.xpos
    h.lemma m.upos c.common
    m.upos c.lemma
    m.lemma c.common
    h.upos m.upos s.upos
    h.upos m.upos s.common
    h.xpos m.xpos s.xpos
    h.lemma m.upos s.upos
    h.lemma m.upos s.common
    """
)

STANDARD = Templates(PRUNER, ARC, SIBLING, GRANDPARENT, LABEL)

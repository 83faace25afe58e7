"""The templates of third-order parts and global features; factors.py defines their syntax.

Those of Zhang et al. (2014) and Martins et al. (2013), with the atoms of this parser.
"""

from __future__ import annotations

from treewright.features.templates import lines

FACTORS = lines(
    """
    grand-siblings: g.upos h.upos s.upos m.upos | g.fine h.fine s.fine m.fine | g.lemma h.upos s.upos m.upos
    grand-siblings: g.upos h.lemma s.upos m.upos | g.upos h.upos s.lemma m.upos | g.upos h.upos s.upos m.lemma
    grand-siblings: g.common h.common s.common m.common | g.upos h.upos s.common m.common
    grand-siblings: g.common h.upos s.upos m.common
    grand-siblings: g.upos s.upos m.upos | g.common s.common m.common
    tri-siblings: h.upos p.upos q.upos r.upos | h.fine p.fine q.fine r.fine | h.lemma p.upos q.upos r.upos
    tri-siblings: h.upos p.lemma q.upos r.upos | h.upos p.upos q.lemma r.upos | h.upos p.upos q.upos r.lemma
    tri-siblings: h.common p.common q.common r.common
    tri-siblings: h.upos p.upos r.upos | h.lemma p.upos r.upos | h.upos p.common r.common
    tri-siblings: p.upos q.upos r.upos | p.common q.common r.common
    tri-siblings: p.upos r.upos | p.lemma r.upos | p.upos r.lemma
    great-grandparents: f.upos g.upos h.upos m.upos | f.fine g.fine h.fine m.fine | f.lemma g.upos h.upos m.upos
    great-grandparents: f.upos g.lemma h.upos m.upos | f.upos g.upos h.lemma m.upos | f.upos g.upos h.upos m.lemma
    great-grandparents: f.common g.common h.common m.common
    great-grandparents: f.upos h.upos m.upos | f.common h.common m.common
    great-grandparents: f.upos g.upos m.upos | f.common g.common m.common
    great-grandparents: f.upos m.upos | f.lemma m.upos | f.upos m.lemma | f.lemma m.lemma
    head-bigrams: i.upos l.upos h.upos m.upos | i.fine l.fine h.fine m.fine | i.lemma l.upos h.upos m.upos
    head-bigrams: i.upos l.lemma h.upos m.upos | i.upos l.upos h.lemma m.upos | i.upos l.upos h.upos m.lemma
    head-bigrams: i.common l.common h.common m.common
    head-bigrams: l.upos m.upos | l.common m.common
    head-bigrams: i.upos h.upos m.upos | i.upos l.upos h.upos
    parent-sibling-child: h.upos m.upos c.upos s.upos | h.lemma m.upos c.upos s.upos | h.upos m.lemma c.upos s.upos
    parent-sibling-child: h.upos m.upos c.lemma s.upos | h.upos m.upos c.upos s.lemma
    parent-sibling-child: h.common m.common c.common s.common
    parent-sibling-child: h.upos c.upos s.upos | h.lemma c.upos s.upos | h.upos c.lemma s.upos
    parent-sibling-child: h.upos c.upos s.lemma
    parent-sibling-child: c.upos s.upos | c.common s.common
    all-siblings: h.upos m.upos s.upos | h.fine m.fine s.fine | h.lemma m.upos s.upos | h.upos m.lemma s.upos
    all-siblings: h.upos m.upos s.lemma | h.common m.common s.common
    all-siblings: m.upos s.upos | m.common s.common | m.lemma s.upos | m.upos s.lemma
    right-branching: h.upos
    pp-attachment: g.upos c.upos | g.lemma c.upos | g.upos c.lemma | g.lemma c.lemma
    pp-attachment: p.lemma g.upos c.upos | p.lemma g.lemma c.upos | p.lemma g.upos c.lemma
    pp-attachment: p.lemma g.lemma
    coordination: k.xpos l.xpos r.xpos | k.xpos l.upos r.upos | k.lemma l.xpos r.xpos | k.lemma l.upos r.upos
    coordination: l.fine r.fine | l.feats r.feats
    coordination: l.upos l.feats r.upos r.feats
    coordination: l.lemma r.lemma | l.suffix3 r.suffix3 | l.common r.common | l.shape r.shape
    coordination: l-1.upos l.upos r-1.upos r.upos | l.upos l+1.upos r.upos r+1.upos
    coordination-agreement: l.upos r.upos
    coordination-head: k.xpos h.upos a.upos | k.xpos h.lemma a.lemma | k.lemma h.upos a.upos
    coordination-head: h.lemma a.upos | h.upos a.lemma | h.fine a.fine
    punctuation-pairs: i.form
    punctuation-pairs: i.form h.xpos
    span-length: m.xpos | m.upos | m.lemma
    span-neighbours: m.xpos l.upos r.upos | m.upos l.upos r.upos | m.lemma l.upos r.upos
    span-neighbours: h.upos m.upos l.upos r.upos | h.upos m.lemma l.upos r.upos | h.lemma m.upos l.upos r.upos
    span-neighbours: h.upos m.upos l.common | h.upos m.upos r.common
    valency: h.xpos | h.lemma
    valency-sides: h.xpos | h.upos | h.lemma
    child-tags: h.xpos a.xpos b.xpos c.xpos d.xpos | h.upos a.upos b.upos c.upos d.upos
    nonprojective: h.upos m.upos | h.upos m.upos distance
    nonprojective: m.upos | h.upos | m.lemma | h.lemma
    nonprojective: h.lemma m.upos | h.upos m.lemma | h.lemma m.lemma
    """
)

"""The templates of third-order parts and global features; factors.py defines their syntax.

Those of Zhang et al. (2014) and Martins et al. (2013), with the atoms of this parser.
"""

from __future__ import annotations

from treewright.features.templates import lines

GRAND_SIBLINGS = lines(
    """
    grand-siblings: g.upos h.upos s.upos m.upos
    grand-siblings: g.fine h.fine s.fine m.fine
    grand-siblings: g.lemma h.upos s.upos m.upos
    grand-siblings: g.upos h.lemma s.upos m.upos
    grand-siblings: g.upos h.upos s.lemma m.upos
    grand-siblings: g.upos h.upos s.upos m.lemma
    grand-siblings: g.common h.common s.common m.common
    grand-siblings: g.upos h.upos s.common m.common
    grand-siblings: g.common h.upos s.upos m.common
    grand-siblings: g.upos s.upos m.upos
    grand-siblings: g.common s.common m.common
    """
)
TRI_SIBLINGS = lines(
    """
    tri-siblings: h.upos p.upos q.upos r.upos
    tri-siblings: h.fine p.fine q.fine r.fine
    tri-siblings: h.lemma p.upos q.upos r.upos
    tri-siblings: h.upos p.lemma q.upos r.upos
    tri-siblings: h.upos p.upos q.lemma r.upos
    tri-siblings: h.upos p.upos q.upos r.lemma
    tri-siblings: h.common p.common q.common r.common
    tri-siblings: h.upos p.upos r.upos
    tri-siblings: h.lemma p.upos r.upos
    tri-siblings: h.upos p.common r.common
    tri-siblings: p.upos q.upos r.upos
    tri-siblings: p.common q.common r.common
    tri-siblings: p.upos r.upos
    tri-siblings: p.lemma r.upos
    tri-siblings: p.upos r.lemma
    """
)
GREAT_GRANDPARENTS = lines(
    """
    great-grandparents: f.upos g.upos h.upos m.upos
    great-grandparents: f.fine g.fine h.fine m.fine
    great-grandparents: f.lemma g.upos h.upos m.upos
    great-grandparents: f.upos g.lemma h.upos m.upos
    great-grandparents: f.upos g.upos h.lemma m.upos
    great-grandparents: f.upos g.upos h.upos m.lemma
    great-grandparents: f.common g.common h.common m.common
    great-grandparents: f.upos h.upos m.upos
    great-grandparents: f.common h.common m.common
    great-grandparents: f.upos g.upos m.upos
    great-grandparents: f.common g.common m.common
    great-grandparents: f.upos m.upos
    great-grandparents: f.lemma m.upos
    great-grandparents: f.upos m.lemma
    great-grandparents: f.lemma m.lemma
    """
)
HEAD_BIGRAMS = lines(
    """
    head-bigrams: i.upos l.upos h.upos m.upos
    head-bigrams: i.fine l.fine h.fine m.fine
    head-bigrams: i.lemma l.upos h.upos m.upos
    head-bigrams: i.upos l.lemma h.upos m.upos
    head-bigrams: i.upos l.upos h.lemma m.upos
    head-bigrams: i.upos l.upos h.upos m.lemma
    head-bigrams: i.common l.common h.common m.common
    head-bigrams: l.upos m.upos
    head-bigrams: l.common m.common
    head-bigrams: i.upos h.upos m.upos
    head-bigrams: i.upos l.upos h.upos
    """
)
PARENT_SIBLING_CHILD = lines(
    """
    parent-sibling-child: h.upos m.upos c.upos s.upos
    parent-sibling-child: h.lemma m.upos c.upos s.upos
    parent-sibling-child: h.upos m.lemma c.upos s.upos
    parent-sibling-child: h.upos m.upos c.lemma s.upos
    parent-sibling-child: h.upos m.upos c.upos s.lemma
    parent-sibling-child: h.common m.common c.common s.common
    parent-sibling-child: h.upos c.upos s.upos
    parent-sibling-child: h.lemma c.upos s.upos
    parent-sibling-child: h.upos c.lemma s.upos
    parent-sibling-child: h.upos c.upos s.lemma
    parent-sibling-child: c.upos s.upos
    parent-sibling-child: c.common s.common
    """
)
ALL_SIBLINGS = lines(
    """
    all-siblings: h.upos m.upos s.upos
    all-siblings: h.fine m.fine s.fine
    all-siblings: h.lemma m.upos s.upos
    all-siblings: h.upos m.lemma s.upos
    all-siblings: h.upos m.upos s.lemma
    all-siblings: h.common m.common s.common
    all-siblings: m.upos s.upos
    all-siblings: m.common s.common
    all-siblings: m.lemma s.upos
    all-siblings: m.upos s.lemma
    """
)
RIGHT_BRANCHING = lines("right-branching: h.upos")
PP_ATTACHMENT = lines(
    """
    pp-attachment: g.upos c.upos
    pp-attachment: g.lemma c.upos
    pp-attachment: g.upos c.lemma
    pp-attachment: g.lemma c.lemma
    pp-attachment: p.lemma g.upos c.upos
    pp-attachment: p.lemma g.lemma c.upos
    pp-attachment: p.lemma g.upos c.lemma
    pp-attachment: p.lemma g.lemma
    """
)
COORDINATION = lines(
    """
    coordination: k.xpos l.xpos r.xpos
    coordination: k.xpos l.upos r.upos
    coordination: k.lemma l.xpos r.xpos
    coordination: k.lemma l.upos r.upos
    coordination: l.fine r.fine
    coordination: l.feats r.feats
    coordination: l.upos l.feats r.upos r.feats
    coordination: l.lemma r.lemma
    coordination: l.suffix3 r.suffix3
    coordination: l.common r.common
    coordination: l.shape r.shape
    coordination: l-1.upos l.upos r-1.upos r.upos
    coordination: l.upos l+1.upos r.upos r+1.upos
    coordination-agreement: l.upos r.upos
    coordination-head: k.xpos h.upos a.upos
    coordination-head: k.xpos h.lemma a.lemma
    coordination-head: k.lemma h.upos a.upos
    coordination-head: h.lemma a.upos
    coordination-head: h.upos a.lemma
    coordination-head: h.fine a.fine
    """
)
PUNCTUATION_PAIRS = lines(
    """
    punctuation-pairs: i.form
    punctuation-pairs: i.form h.xpos
    """
)
SPAN_LENGTH = lines(
    """
    span-length: m.xpos
    span-length: m.upos
    span-length: m.lemma
    """
)
SPAN_NEIGHBOURS = lines(
    """
    span-neighbours: m.xpos l.upos r.upos
    span-neighbours: m.upos l.upos r.upos
    span-neighbours: m.lemma l.upos r.upos
    span-neighbours: h.upos m.upos l.upos r.upos
    span-neighbours: h.upos m.lemma l.upos r.upos
    span-neighbours: h.lemma m.upos l.upos r.upos
    span-neighbours: h.upos m.upos l.common
    span-neighbours: h.upos m.upos r.common
    """
)
VALENCY = lines(
    """
    valency: h.xpos
    valency: h.lemma
    valency-sides: h.xpos
    valency-sides: h.upos
    valency-sides: h.lemma
    child-tags: h.xpos a.xpos b.xpos c.xpos d.xpos
    child-tags: h.upos a.upos b.upos c.upos d.upos
    """
)
NONPROJECTIVE = lines(
    """
    nonprojective: h.upos m.upos
    nonprojective: h.upos m.upos distance
    nonprojective: m.upos
    nonprojective: h.upos
    nonprojective: m.lemma
    nonprojective: h.lemma
    nonprojective: h.lemma m.upos
    nonprojective: h.upos m.lemma
    nonprojective: h.lemma m.lemma
    """
)

THIRD_ORDER = GRAND_SIBLINGS + TRI_SIBLINGS + GREAT_GRANDPARENTS + HEAD_BIGRAMS + PARENT_SIBLING_CHILD + ALL_SIBLINGS
GLOBAL = (
    *RIGHT_BRANCHING,
    *PP_ATTACHMENT,
    *COORDINATION,
    *PUNCTUATION_PAIRS,
    *SPAN_LENGTH,
    *SPAN_NEIGHBOURS,
    *VALENCY,
    *NONPROJECTIVE,
)
FACTORS = THIRD_ORDER + GLOBAL

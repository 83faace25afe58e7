"""Third-order parts and global features of trees: kinds of factors, their templates, the kernel that scores them.

A factor is a kind, its nodes by role, and a state (core/factors/factors.hpp; docs/learning.md). A template names the
kind and the atoms of its roles, `grand-siblings: g.upos h.upos s.upos m.upos`; at its end the word `distance` adds
that between the first two roles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from zlib import crc32

from treewright._core import TreeScorer
from treewright.errors import InputError
from treewright.features.atoms import atom_number
from treewright.features.templates import Item, Table, items_of, split_distance, table_of

# The kinds in the order of core/factors/factors.hpp, with the letters of their roles.
ROLES: Mapping[str, str] = {
    "grand-siblings": "ghsm",
    "tri-siblings": "hpqr",
    "great-grandparents": "fghm",
    "head-bigrams": "ilhm",
    "parent-sibling-child": "hmcs",
    "all-siblings": "hms",
    "right-branching": "h",
    "pp-attachment": "pgc",
    "coordination": "klr",
    "coordination-agreement": "lr",
    "coordination-head": "kha",
    "punctuation-pairs": "ih",
    "span-length": "m",
    "span-neighbours": "mhlr",
    "valency": "h",
    "valency-sides": "h",
    "child-tags": "habcd",
    "nonprojective": "hm",
}
KINDS = tuple(ROLES)

THIRD_ORDER = KINDS[: KINDS.index("right-branching")]  # the others are global features

# Tags by which tokens are recognised: those of Universal Dependencies, and of treebanks with other tags.
PUNCTUATION = ("PUNCT", "XP")
CONJUNCTIONS = ("CCONJ", "CONJ", "CC")
ADPOSITIONS = ("ADP", "SP")
# Marks that come in pairs, in the canonical spelling of forms.
MARKS = (("(", ")"), ("[", "]"), ("{", "}"), ('"', '"'), ("'", "'"), ("``", "''"), ("«", "»"), ("»", "«"), ("„", '"'))
STYLES = 6  # ways to attach conjunctions and conjuncts (core/factors/token_classes.hpp)


def kind_of(template: str) -> str:
    """Return the kind that a template names.

    >>> kind_of("valency: h.upos")
    'valency'
    """
    kind, colon, _ = template.partition(":")
    if not colon or kind not in ROLES:
        raise InputError(f"template {template!r}: expected a kind and a colon before it, as in 'valency: h.upos'")
    return kind


def keep_kinds(templates: Iterable[str], kinds: Collection[str]) -> tuple[str, ...]:
    """Return the templates of some kinds.

    >>> keep_kinds(["valency: h.upos", "span-length: m.upos"], ["valency"])
    ('valency: h.upos',)
    """
    return tuple(template for template in templates if kind_of(template) in kinds)


def factor_tables(templates: Iterable[str]) -> list[Table]:
    """Return the tables of templates of factors, one for each kind.

    >>> [(table.kind, table.templates) for table in factor_tables(["valency: h.upos", "valency: h.lemma"])]
    [(14, 2)]
    """
    groups: dict[str, list[list[Item]]] = {}
    marked: dict[str, list[int]] = {}
    for template in templates:
        kind = kind_of(template)
        atoms, has_distance = split_distance(template.partition(":")[2].strip())
        items = items_of(atoms, ROLES[kind])
        if any(item.atom == "each" for item in items):
            raise InputError(f"template {template!r}: .each is for templates of arcs")
        group = groups.setdefault(kind, [])
        if has_distance:
            marked.setdefault(kind, []).append(len(group))
        group.append(items)
    return [table_of(KINDS.index(kind), "", group, ROLES[kind], marked.get(kind)) for kind, group in groups.items()]


def tree_scorer(templates: Iterable[str], bits: int, *, style: int) -> TreeScorer:
    """Make the kernel that scores the factors of trees. style: how the treebank attaches conjunctions and conjuncts."""
    return TreeScorer(
        factor_tables(templates),
        bits,
        tag_atoms=[atom_number("upos"), atom_number("xpos")],
        form_atom=atom_number("form"),
        punctuation=[crc32(tag.encode()) for tag in PUNCTUATION],
        conjunction=[crc32(tag.encode()) for tag in CONJUNCTIONS],
        adposition=[crc32(tag.encode()) for tag in ADPOSITIONS],
        marks=[(crc32(opening.encode()), crc32(closing.encode())) for opening, closing in MARKS],
        style=style,
    )

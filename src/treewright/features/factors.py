"""Third-order parts and global features of trees: kinds of factors, their templates, the kernel that scores them.

A factor is a kind, its nodes by role, and a state (core/factors/factors.hpp; docs/learning.md). A template names the
kind and the atoms of its roles, `grand-siblings: g.upos h.upos s.upos m.upos`; at its end the word `distance` adds
that between the first two roles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

from treewright.errors import InputError
from treewright.features.atoms import atom_number
from treewright.features.scoring import TreeScorer
from treewright.features.templates import DISTANCE, Item, Table, items_of, table_of

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

# What can be switched off, and the kinds that it consists of.
THIRD_ORDER = {name: (name,) for name in KINDS[: KINDS.index("right-branching")]}
GLOBAL = {
    "right-branching": ("right-branching",),
    "pp-attachment": ("pp-attachment",),
    "coordination": ("coordination", "coordination-agreement", "coordination-head"),
    "punctuation-pairs": ("punctuation-pairs",),
    "span-length": ("span-length",),
    "span-neighbours": ("span-neighbours",),
    "valency": ("valency", "valency-sides", "child-tags"),
    "nonprojective": ("nonprojective",),
}
TENSOR = "tensor"  # scores arcs (core/learning/arc_tensor.hpp); it can be switched off as well
GROUPS = THIRD_ORDER | GLOBAL | {TENSOR: ()}

# Tags by which tokens are recognised: those of Universal Dependencies, and of treebanks with other tags.
PUNCTUATION = ("PUNCT", "XP")
CONJUNCTIONS = ("CCONJ", "CONJ", "CC")
ADPOSITIONS = ("ADP", "SP")
# Marks that come in pairs, in the canonical spelling of forms.
MARKS = (("(", ")"), ("[", "]"), ("{", "}"), ('"', '"'), ("'", "'"), ("``", "''"), ("«", "»"), ("»", "«"), ("„", '"'))
STYLES = 6  # ways to attach conjunctions and conjuncts (core/factors/token_classes.hpp)


def kind_of(template: str) -> str:
    """The kind that a template names.

    >>> kind_of("valency: h.upos")
    'valency'
    """
    kind, colon, _ = template.partition(":")
    if not colon or kind not in ROLES:
        raise InputError(f"template {template!r}: expected a kind and a colon before it, as in 'valency: h.upos'")
    return kind


def factor_tables(templates: Iterable[str]) -> list[Table]:
    """The tables of templates of factors, one for each kind.

    >>> [(table.kind, table.templates) for table in factor_tables(["valency: h.upos", "valency: h.lemma"])]
    [(14, 2)]
    """
    groups: dict[str, list[list[Item]]] = {}
    marked: dict[str, list[int]] = {}
    for template in templates:
        kind = kind_of(template)
        text = template.partition(":")[2].strip()
        atoms = text.removesuffix(f" {DISTANCE}")
        group = groups.setdefault(kind, [])
        if atoms != text:
            marked.setdefault(kind, []).append(len(group))
        items = items_of(atoms, ROLES[kind])
        if any(item.atom == "each" for item in items):
            raise InputError(f"template {template!r}: .each is for templates of arcs")
        group.append(items)
    return [table_of(KINDS.index(kind), "", group, ROLES[kind], marked.get(kind)) for kind, group in groups.items()]


def without_groups(templates: Sequence[str], groups: Iterable[str]) -> tuple[str, ...]:
    """The templates but for those of the kinds in some groups.

    >>> without_groups(["valency: h.upos", "span-length: m.upos"], ["valency"])
    ('span-length: m.upos',)
    """
    dropped = {kind for group in groups for kind in GROUPS.get(group, ())}
    return tuple(template for template in templates if kind_of(template) not in dropped)


def tree_scorer(templates: Iterable[str], bits: int, *, style: int) -> TreeScorer:
    """The kernel that scores the factors of trees. style: how the treebank attaches conjunctions and conjuncts."""
    return TreeScorer(
        factor_tables(templates),
        bits,
        tag_atoms=[atom_number("upos"), atom_number("xpos")],
        form_atom=atom_number("form"),
        punctuation=hashed(PUNCTUATION),
        conjunction=hashed(CONJUNCTIONS),
        adposition=hashed(ADPOSITIONS),
        marks=[(crc32(opening.encode()), crc32(closing.encode())) for opening, closing in MARKS],
        style=style,
    )


def hashed(names: Iterable[str]) -> list[int]:
    """Tags as the atoms of a word have them."""
    return [crc32(name.encode()) for name in names]

"""Templates as data: a line of text each, compiled to the table of small integers that the core reads.

A template lists atoms of the tokens that take part in a part, `role.atom` or `role+offset.atom`. The roles:

    arc           h head, m modifier; b each token between them; `each` is each morphological feature in turn
    sibling       h head, s inner sibling or none, m modifier or none (the end of a side)
    grandparent   g grandparent, h head, m modifier
    beyond        the same, where g is between h and m, which is never the case in a projective tree
    label         m the word, h its head, g its grandparent, l and r its nearest siblings, a and z its first and last
                  modifier; c each of its modifiers; s each of its siblings
    tensor        w the word, which is the head or the modifier of an arc; `each` is each of its morphological features

Templates of arcs, siblings and grandparents have a second weight that depends on the distance as well. A label template
has one only if it ends with the word `distance`; those with c or s cannot have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.features.atoms import ATOMS, REACH, atom_number

ITEM = re.compile(r"([a-z])([+-]\d)?\.([a-z]+\d?)")

# The kinds of core/learning/features.hpp and core/learning/labeller.hpp, by the sets that a template contains.
ARC_KINDS = {"": 0, "b": 1, "hm": 2, "h": 3, "m": 4}
LABEL_KINDS = {"": 0, "c": 1, "s": 2}
SIBLING, GRANDPARENT, BEYOND = 5, 6, 7
TENSOR_KINDS = {"": 0, "w": 1}  # of core/learning/arc_tensor.hpp, by the word whose morphological features are used

DISTANCE = "distance"  # marks a label template that has a second weight for each distance

Items = NDArray[np.int32]


class Table(NamedTuple):
    """Templates of one kind as the core reads them."""

    kind: int
    atom: int  # of the set, if the kind has one
    templates: int  # how many
    items: Items  # rows of role, template, atom, offset
    with_distance: list[int]  # numbers of the templates that DISTANCE marks


class Templates(NamedTuple):
    """All templates of a parser; saved with the model."""

    pruner: tuple[str, ...] = ()
    arc: tuple[str, ...] = ()
    sibling: tuple[str, ...] = ()
    grandparent: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    factors: tuple[str, ...] = ()  # third-order parts and global features (factors.py)
    tensor: tuple[str, ...] = ()  # features of one word, for the tensor that scores arcs


def lines(text: str) -> tuple[str, ...]:
    """Read templates from lines; `|` separates those of one line, and a kind with a colon before them holds for all.

    >>> lines("h.upos | m.upos"), lines("valency: h.upos | h.lemma")
    (('h.upos', 'm.upos'), ('valency: h.upos', 'valency: h.lemma'))
    """
    templates = []
    for line in text.strip().splitlines():
        kind, colon, rest = line.rpartition(":")
        templates += [
            f"{kind.strip()}: {template.strip()}" if colon else template.strip() for template in rest.split("|")
        ]
    return tuple(templates)


class Item(NamedTuple):
    """One atom of a template."""

    role: str
    offset: int
    atom: str


def arc_tables(templates: Iterable[str]) -> list[Table]:
    """Return the tables of arc templates, one for each kind of set.

    >>> tables = arc_tables(["h.upos m.upos", "h.upos b.upos", "h.each m.each"])
    >>> [(table.kind, table.templates) for table in tables]
    [(0, 1), (1, 1), (2, 1)]
    """
    groups: dict[tuple[int, str], list[list[Item]]] = {}
    for template in templates:
        items = items_of(template, "hmb")
        sets = "".join(sorted({item.role for item in items if item.atom == "each"}))
        between = [item.atom for item in items if item.role == "b"]
        if len(between) > 1 or (between and sets):
            raise InputError(f"template {template!r}: one set a template, b. or .each")
        key = (ARC_KINDS["b" if between else sets], between[0] if between else "")
        groups.setdefault(key, []).append([item for item in items if item.role != "b" and item.atom != "each"])
    return [table_of(kind, atom, group, "hm") for (kind, atom), group in sorted(groups.items())]


def second_order_table(kind: int, templates: Iterable[str]) -> Table:
    """Return the table of templates of siblings, of grandparents, or of grandparents between head and modifier."""
    roles = "hsm" if kind == SIBLING else "ghm"
    return table_of(kind, "", [items_of(template, roles) for template in templates], roles)


def part_tables(templates: Templates, *, siblings: bool = False, grandparents: bool = False) -> list[Table]:
    """Return the tables of the arcs, and of the second-order parts that a model scores."""
    tables = arc_tables(templates.arc)
    if siblings:
        tables.append(second_order_table(SIBLING, templates.sibling))
    if grandparents:
        tables.append(second_order_table(GRANDPARENT, templates.grandparent))
        tables.append(second_order_table(BEYOND, templates.beyond))
    return tables


def label_tables(templates: Iterable[str]) -> list[Table]:
    """Return the tables of label templates, one for each kind of set.

    >>> [table.with_distance for table in label_tables(["m.upos", "h.upos m.upos distance", "m.upos c.upos"])]
    [[1], []]
    """
    groups: dict[int, list[list[Item]]] = {}
    marked: dict[int, list[int]] = {}
    for template in templates:
        atoms, has_distance = split_distance(template)
        items = items_of(atoms, "hmglrazcs")
        roles = {item.role for item in items}
        sets = "".join(sorted(roles & {"c", "s"}))
        if sets not in LABEL_KINDS or (sets and roles - set("hmcs")):
            raise InputError(f"template {template!r}: c. or s. goes with h. and m. alone")
        if sets and has_distance:
            raise InputError(f"template {template!r}: c. or s. does not go with {DISTANCE}")
        group = groups.setdefault(LABEL_KINDS[sets], [])
        if has_distance:
            marked.setdefault(LABEL_KINDS[sets], []).append(len(group))
        group.append(items)
    roles_of_kind = {0: "hmglraz", 1: "hmc", 2: "hms"}
    return [table_of(kind, "", group, roles_of_kind[kind], marked.get(kind)) for kind, group in sorted(groups.items())]


def tensor_tables(templates: Iterable[str]) -> list[Table]:
    """Return the tables of templates of one word, without and with each morphological feature.

    >>> [(table.kind, table.templates) for table in tensor_tables(["w.lemma", "w-1.upos w.upos", "w.lemma w.each"])]
    [(0, 2), (1, 1)]
    """
    groups: dict[int, list[list[Item]]] = {}
    for template in templates:
        items = items_of(template, "w")
        others = [item for item in items if item.atom != "each"]
        groups.setdefault(TENSOR_KINDS["w" if len(others) < len(items) else ""], []).append(others)
    return [table_of(kind, "", group, "w") for kind, group in sorted(groups.items())]


def split_distance(template: str) -> tuple[str, bool]:
    """Return a template without the mark of the distance, and whether it had one."""
    atoms = template.removesuffix(f" {DISTANCE}")
    return atoms, atoms != template


def items_of(template: str, roles: str) -> list[Item]:
    """Parse the atoms of a template; roles are the letters that it may name."""
    items = []
    for word in template.split():
        match = ITEM.fullmatch(word)
        if not match:
            raise InputError(f"template {template!r}: {word!r} is not role.atom or role+offset.atom, as in h-1.upos")
        role, offset, atom = match[1], int(match[2] or 0), match[3]
        if role not in roles:
            raise InputError(f"template {template!r}: there is no role {role!r}; there are {', '.join(roles)}")
        if atom not in ATOMS and not (atom == "each" and role in "hmw" and not offset):
            raise InputError(f"template {template!r}: there is no atom {atom!r}; there are {', '.join(ATOMS)}, each")
        if abs(offset) > REACH:
            raise InputError(f"template {template!r}: {word!r} looks further than {REACH} words")
        items.append(Item(role, offset, atom))
    if not items:
        raise InputError("an empty template")
    return items


def table_of(
    kind: int, set_atom: str, templates: list[list[Item]], roles: str, with_distance: list[int] | None = None
) -> Table:
    """Return templates of one kind as the core reads them; roles in the order of its numbers."""
    rows = [
        (roles.index(item.role), number, atom_number(item.atom), item.offset)
        for number, items in enumerate(templates)
        for item in items
    ]
    items = np.array(rows, dtype=np.int32).reshape(-1, 4)
    return Table(kind, atom_number(set_atom) if set_atom else 0, len(templates), items, with_distance or [])

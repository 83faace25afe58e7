"""Templates as data: a line of text each, compiled to the table of small integers that the core reads.

A template lists atoms of the tokens that take part in a part, `role.atom` or `role+offset.atom`. The roles:

    arc           h head, m modifier; b each token between them; `each` is each morphological feature in turn
    sibling       h head, s inner sibling or none, m modifier or none (the end of a side)
    grandparent   g grandparent, h head, m modifier
    beyond        the same, asked where g stands between h and m, which no projective tree has
    label         m the word, h its head, g its grandparent, l and r its nearest siblings, a and z its first and last
                  modifier; c each of its modifiers; s each of its siblings
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

# The kinds of core/learning/features.hpp and core/learning/labeller.hpp, by the sets that a template asks for.
ARC_KINDS = {"": 0, "b": 1, "hm": 2, "h": 3, "m": 4}
LABEL_KINDS = {"": 0, "c": 1, "s": 2}
SIBLING, GRANDPARENT, BEYOND = 5, 6, 7

Items = NDArray[np.int32]
Table = tuple[int, int, int, Items]  # kind, atom of the set, how many templates, rows of role, template, atom, offset


class Templates(NamedTuple):
    """All that a parser asks about a sentence; saved with the model, for later versions may ask otherwise."""

    pruner: tuple[str, ...] = ()
    arc: tuple[str, ...] = ()
    sibling: tuple[str, ...] = ()
    grandparent: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()


def lines(text: str) -> tuple[str, ...]:
    """One template a line."""
    return tuple(line.strip() for line in text.strip().splitlines())


class Item(NamedTuple):
    role: str
    offset: int
    atom: str


def arc_tables(templates: Iterable[str]) -> list[Table]:
    """The tables of arc templates, one for each kind of set.

    >>> [(kind, count) for kind, _, count, _ in arc_tables(["h.upos m.upos", "h.upos b.upos", "h.each m.each"])]
    [(0, 1), (1, 1), (2, 1)]
    """
    groups: dict[tuple[int, str], list[list[Item]]] = {}
    for template in templates:
        items = _items(template, "hmb")
        sets = "".join(sorted({item.role for item in items if item.atom == "each"}))
        between = [item.atom for item in items if item.role == "b"]
        if len(between) > 1 or (between and sets):
            raise InputError(f"template {template!r}: one set a template, b. or .each")
        key = (ARC_KINDS["b" if between else sets], between[0] if between else "")
        groups.setdefault(key, []).append([item for item in items if item.role != "b" and item.atom != "each"])
    return [_table(kind, atom, group, "hm") for (kind, atom), group in sorted(groups.items())]


def sibling_tables(templates: Iterable[str]) -> list[Table]:
    """The table of sibling templates."""
    return [_table(SIBLING, "", [_items(template, "hsm") for template in templates], "hsm")]


def grandparent_tables(templates: Iterable[str]) -> list[Table]:
    """The table of grandparent templates."""
    return [_table(GRANDPARENT, "", [_items(template, "ghm") for template in templates], "ghm")]


def beyond_tables(templates: Iterable[str]) -> list[Table]:
    """The table of templates for grandparents that stand between head and modifier."""
    return [_table(BEYOND, "", [_items(template, "ghm") for template in templates], "ghm")]


def label_tables(templates: Iterable[str]) -> list[Table]:
    """The tables of label templates, one for each kind of set."""
    groups: dict[int, list[list[Item]]] = {}
    for template in templates:
        items = _items(template, "hmglrazcs")
        sets = "".join(sorted({item.role for item in items} & {"c", "s"}))
        if sets not in LABEL_KINDS or (sets and {item.role for item in items} - set("hmcs")):
            raise InputError(f"template {template!r}: c. or s. goes with h. and m. alone")
        groups.setdefault(LABEL_KINDS[sets], []).append(items)
    roles = {0: ["h", "m", "g", "l", "r", "a", "z"], 1: ["h", "m", "c"], 2: ["h", "m", "s"]}
    return [_table(kind, "", group, "".join(roles[kind])) for kind, group in sorted(groups.items())]


def _items(template: str, roles: str) -> list[Item]:
    items = []
    for word in template.split():
        match = ITEM.fullmatch(word)
        if not match:
            raise InputError(f"template {template!r}: {word!r} is not role.atom or role+offset.atom, as in h-1.upos")
        role, offset, atom = match[1], int(match[2] or 0), match[3]
        if role not in roles:
            raise InputError(f"template {template!r}: there is no role {role!r}; there are {', '.join(roles)}")
        if atom not in ATOMS and not (atom == "each" and role in "hm" and not offset):
            raise InputError(f"template {template!r}: there is no atom {atom!r}; there are {', '.join(ATOMS)}, each")
        if abs(offset) > REACH:
            raise InputError(f"template {template!r}: {word!r} looks further than {REACH} words")
        items.append(Item(role, offset, atom))
    if not items:
        raise InputError("an empty template")
    return items


def _table(kind: int, set_atom: str, templates: list[list[Item]], roles: str) -> Table:
    rows = [
        (roles.index(item.role), number, atom_number(item.atom), item.offset)
        for number, items in enumerate(templates)
        for item in items
    ]
    items = np.array(rows, dtype=np.int32).reshape(-1, 4)
    return kind, atom_number(set_atom) if set_atom else 0, len(templates), items

"""Features of possible edges: templates over the words of the edge, of its path and of their modifiers.

A template lists items `role.atom`. All sentences of a batch are computed together with NumPy, one hash for each edge
and template.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.features import ATOMS, Encoder, atom_number
from treewright.graphs.paths import Pair
from treewright.graphs.view import TreeView

Hashes = NDArray[np.uint32]
Indices = NDArray[np.int64]

ROLES = {
    "m": "the modifier",
    "h": "the head",
    "t": "the lowest common ancestor of both in the tree",
    "u": "the highest word on the way up from the modifier",
    "n": "the neighbour of the modifier on the path",
    "g": "the head of the edge's head in the tree",
    "f": "the first modifier of h",
    "l": "the last modifier of h",
    "d": "the first modifier of t",
    "e": "the first modifier of m",
}
TREE_ATOMS = {
    "rel": "the relation in the tree",
    "base": "the relation without its subtype",
    "kids": "the relations of all modifiers, without order",
    "left": "the relations of the modifiers before the word",
    "right": "the relations of the modifiers after the word",
    "words": "the relations and lemmas of all modifiers",
}
EDGE_ATOMS = {
    "path": "the path of the edge",
    "order": "the order of modifier, head and common ancestor in the sentence",
    "distance": "the number of words between modifier and head, in powers of two",
}
SETS = ("h", "t", "m")  # roles whose modifiers are taken one by one: `h.each`
SET_SIZE = 6  # modifiers that are taken one by one; not tuned

# Without any one group of them ELAS changes by at most 0.03 on the development sets of
# Lithuanian-ALKSNIS and Danish-DDT (benchmarks/graphs.py --templates).
TEMPLATES = (
    *("path", "path m.upos", "path h.upos", "path t.upos", "path m.upos h.upos", "path m.xpos h.xpos order"),
    *("path m.lemma", "path h.lemma", "path t.lemma", "path n.lemma", "path u.lemma", "path g.lemma", "path m.form"),
    *("path m.feats", "path h.feats", "path t.feats", "path h.xpos t.xpos", "path m.feats h.feats"),
    *("path order", "path order distance", "path order m.upos h.upos t.upos", "path g.base h.upos"),
    *("path m.rel", "path h.rel", "path u.rel", "path h.rel t.rel m.rel", "path g.rel m.upos"),
    *("path h.kids", "path t.kids", "path m.kids", "path h.left", "path h.right", "path h.words", "path m.words"),
    *("path u.kids", "path u.words", "path t.left order", "path h.left t.left", "path h.kids h.feats"),
    *("path f.lemma f.rel", "path f.rel f.upos", "path f.feats", "path d.rel d.lemma", "path l.rel l.upos"),
    *("path e.lemma e.rel", "path f.rel h.kids", "path t.lemma h.feats", "path t.lemma t.kids", "path h.lemma h.kids"),
    *("path t.lemma h.lemma", "path m.lemma t.lemma", "path h.lemma f.lemma", "path n.lemma h.left"),
    *("h.kids m.upos", "h.left m.upos h.upos", "m.upos h.upos t.upos", "m.base h.kids", "h.lemma m.upos"),
    *("path h.each", "path t.each", "path m.each", "path h.each h.feats", "path h.each m.upos"),
)

_MULTIPLIER, _SHIFT = np.uint32(0x9E3779B1), np.uint32(15)
_NOTHING = np.uint32(crc32(b"no such word"))


class Item(NamedTuple):
    """One atom of a template."""

    role: str
    atom: str


def parse_templates(templates: Sequence[str]) -> list[list[Item]]:
    """Return templates as items; an InputError names a role or an atom that does not exist."""
    return [[_item(word, template) for word in template.split()] for template in templates]


def _item(word: str, template: str) -> Item:
    role, _, atom = word.rpartition(".")
    if not role and atom in EDGE_ATOMS:
        return Item(role, atom)
    if role in ROLES and (atom in ATOMS or atom in TREE_ATOMS or (atom == "each" and role in SETS)):
        return Item(role, atom)
    raise InputError(f"template {template!r}: there is no {word!r}; there are {', '.join(EDGE_ATOMS)} and role.atom")


def mix(first: Hashes, second: Hashes) -> Hashes:
    """Return a hash of two hashes; the order matters."""
    hashed = (first ^ (second + (first << np.uint32(6)))) * _MULTIPLIER
    return np.asarray(hashed ^ (hashed >> _SHIFT))


class EdgeFeatures:
    """Computes the features of edges. It caches words, so each thread needs its own."""

    def __init__(self, templates: Sequence[str] = TEMPLATES) -> None:
        self.templates = parse_templates(templates)
        has_set = [any(item.atom == "each" for item in template) for template in self.templates]
        self.width = sum(SET_SIZE if several else 1 for several in has_set)
        self._encoder = Encoder((), lower_lemmas=True)
        self._hashes: dict[str, int] = {}

    def of(self, views: Sequence[TreeView], pairs: Sequence[Sequence[Pair]]) -> Hashes:
        """Return a row for each pair of each sentence: a hash for each template, several for those with a set."""
        nodes = self._nodes(views)
        sizes = [view.nodes for view in views]
        first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        rows = np.array([pair for row in pairs for pair in row], dtype=np.int64).reshape(-1, len(Pair._fields))
        offset = np.repeat(first, [len(row) for row in pairs])
        return self._rows(nodes, rows, offset)

    def _rows(self, nodes: _Nodes, rows: Indices, offset: Indices) -> Hashes:
        path, m, h, t, u, n = rows.T
        order = (h > m).astype(np.uint32) + 2 * (t > m) + 4 * (t > h)
        distance = np.log2(np.abs(h - m) + 1).astype(np.uint32)
        edge = {"path": path, "order": order, "distance": distance}
        of_edge = {
            name: mix(np.full(len(rows), crc32(name.encode()), np.uint32), value.astype(np.uint32))
            for name, value in edge.items()
        }
        roles = {role: at + offset for role, at in zip("mhtun", (m, h, t, u, n), strict=True)}
        roles["g"] = nodes.head[roles["h"]]
        roles |= {"f": nodes.first[roles["h"]], "l": nodes.last[roles["h"]]}
        roles |= {"d": nodes.first[roles["t"]], "e": nodes.first[roles["m"]]}
        known: dict[Item, Hashes] = {}
        features = np.empty((len(rows), self.width), np.uint32)
        column = 0
        for number, template in enumerate(self.templates):
            hashed = np.full(len(rows), (number + 1) * 0x85EBCA6B & 0xFFFFFFFF, np.uint32)
            each: str | None = None
            for item in template:
                if item.atom == "each":
                    each = item.role
                    continue
                if item not in known:
                    known[item] = nodes.atom(item.atom)[roles[item.role]] if item.role else of_edge[item.atom]
                hashed = mix(hashed, known[item])
            if each is None:
                features[:, column] = hashed
                column += 1
            else:
                features[:, column : column + SET_SIZE] = mix(hashed[:, None], nodes.slots[roles[each]])
                column += SET_SIZE
        return features

    def _nodes(self, views: Sequence[TreeView]) -> _Nodes:
        atoms = self._encoder.atoms([view.sentence for view in views])
        head: list[int] = []
        for view in views:
            offset = len(head)
            head += [offset, *(offset + above for above in view.heads[1:])]
        relation = np.array([self._hash(name) for view in views for name in view.relations], np.uint32)
        base = np.array([self._hash(name) for view in views for name in view.bases], np.uint32)
        return _Nodes(atoms, np.array(head), relation, base)

    def _hash(self, text: str) -> int:
        hashed = self._hashes.get(text)
        if hashed is None:
            hashed = self._hashes[text] = crc32(text.encode())
        return hashed


class _Nodes:
    """The nodes of all sentences of a batch in a row; the head of a root is itself."""

    def __init__(self, atoms: Hashes, head: Indices, relation: Hashes, base: Hashes) -> None:
        self.head = head
        number = np.arange(len(head))
        words = np.flatnonzero(head != number)
        above = head[words]
        self._atoms = np.vstack([atoms, np.full((1, atoms.shape[1]), _NOTHING)])  # the last row stands for no word
        self.first, self.last = (np.full(len(head), len(head)) for _ in range(2))
        self.first[above[::-1]] = words[::-1]
        self.last[above] = words
        is_left = words < above
        mixed_base = mix(np.full(len(words), _NOTHING), base[words])
        self._columns = {
            "rel": relation,
            "base": base,
            "kids": _sums(len(head), above, mixed_base),
            "left": _sums(len(head), above[is_left], mixed_base[is_left]),
            "right": _sums(len(head), above[~is_left], mixed_base[~is_left]),
            "words": _sums(len(head), above, mix(mixed_base, atoms[words, atom_number("lemma")])),
        }
        self.slots = _slots(len(head), above, mixed_base)

    def atom(self, name: str) -> Hashes:
        """The hashes of all nodes, and of no word at the end."""
        if name in self._columns:
            return np.append(self._columns[name], _NOTHING)
        return self._atoms[:, atom_number(name)]


def _sums(size: int, at: Indices, values: Hashes) -> Hashes:
    sums = np.zeros(size, np.uint32)
    np.add.at(sums, at, values)
    return sums


def _slots(size: int, above: Indices, values: Hashes) -> Hashes:
    """The first SET_SIZE modifiers of each node."""
    order = np.argsort(above, kind="stable")
    heads = above[order]
    is_first = np.append(True, heads[1:] != heads[:-1]) if len(heads) else np.zeros(0, bool)
    begin = np.maximum.accumulate(np.where(is_first, np.arange(len(heads)), 0)) if len(heads) else heads
    rank = np.arange(len(heads)) - begin
    kept = rank < SET_SIZE
    slots = np.full((size, SET_SIZE), _NOTHING, np.uint32)
    slots[heads[kept], rank[kept]] = values[order[kept]]
    return slots

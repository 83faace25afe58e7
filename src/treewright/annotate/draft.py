"""The annotation of one sentence in one layer, as a value: what people decided, over the lines of a file.

A cell is decided by a person for one word, accepted with the whole sentence, or as the file has it; the first of these
holds. A head that the file has, or that was accepted, is kept until a decision contradicts it (`kept_heads`): then it
is released, and the model attaches the word again. All of this follows from the set of decisions, not from their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.corpus import Sentence
from treewright.corpus.checks import circles
from treewright.corpus.graph import cells_of_edges, edges_in

OPEN = "_"
COLUMNS = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
STATUSES = ("new", "started", "accepted")

Arc = tuple[int, int]  # head, word
Cells = Mapping[int, Mapping[str, str]]  # word -> column -> value
Note = tuple[int, str, str, str]  # word (0 for the sentence), author, time, text


@dataclass(frozen=True)
class Draft:
    """The annotation of a sentence in a layer.

    text: the lines that the cells refer to, as imported or as the last change of words left them. accepted cells with
    the value "_" open a word that the file has a head for. keeps_tree: whether heads and relations of the text hold
    until a decision contradicts them; otherwise they are only the text to be changed.
    """

    text: str
    decided: Cells = field(default_factory=dict)
    accepted: Cells = field(default_factory=dict)
    rejected: frozenset[Arc] = frozenset()
    unsure: frozenset[int] = frozenset()
    notes: tuple[Note, ...] = ()
    labels: frozenset[str] = frozenset()
    status: str = "new"
    keeps_tree: bool = True

    def original(self) -> Sentence:
        """Read the lines that the cells refer to."""
        return Sentence(self.text, source="project")

    def with_cells(self, kind: str, word: int, **cells: str) -> Draft:
        """Return a copy in which cells of a word are "decided" or "accepted"."""
        old: Cells = getattr(self, kind)
        return self._replace_cells(kind, {**old, word: {**old.get(word, {}), **cells}})

    def without_cells(self, kind: str, word: int, *columns: str) -> Draft:
        """Return a copy in which these columns of a word, or all if none is named, are not decided or accepted."""
        old: Cells = getattr(self, kind)
        kept = {name: value for name, value in old.get(word, {}).items() if columns and name not in columns}
        rest = {number: cells for number, cells in old.items() if number != word}
        return self._replace_cells(kind, {**rest, word: kept} if kept else rest)

    def _replace_cells(self, kind: str, cells: Cells) -> Draft:
        return replace(self, decided=cells) if kind == "decided" else replace(self, accepted=cells)

    def decided_heads(self, words: int) -> list[int]:
        """Return the decided head of each word, -1 where there is none."""
        return [int(self.decided.get(word, {}).get("HEAD", -1)) for word in range(1, words + 1)]

    def annotation(self) -> Annotation:
        """Apply all cells to the text; heads that gave way are open."""
        sentence = self.original()
        size = len(sentence)
        before = arcs_of(sentence)
        kept = [head for head, _ in before] if self.keeps_tree else [-1] * size
        kept_labels = list(sentence.deprels) if self.keeps_tree else [OPEN] * size
        for word, cells in self.accepted.items():
            if "HEAD" in cells:
                kept[word - 1] = -1 if cells["HEAD"] == OPEN else int(cells["HEAD"])
            kept_labels[word - 1] = cells.get("DEPREL", kept_labels[word - 1])
        decided = self.decided_heads(size)
        remaining = kept_heads(decided, kept, self.rejected)
        heads, labels = [], []
        for word in range(1, size + 1):
            head = decided[word - 1] if decided[word - 1] >= 0 else remaining[word - 1]
            is_kept = head == kept[word - 1] and head >= 0
            heads.append(head)
            labels.append(self.decided.get(word, {}).get("DEPREL", kept_labels[word - 1] if is_kept else OPEN))
        sentence.heads, sentence.deprels = heads, labels
        for cells_by_word in (self.accepted, self.decided):
            for word, cells in cells_by_word.items():
                for name, value in cells.items():
                    if name not in ("HEAD", "DEPREL"):
                        sentence[word - 1].set_cell(name, value)
        released = [
            word
            for word, (old, new, own) in enumerate(zip(kept, remaining, decided, strict=True), 1)
            if old >= 0 and new < 0 and own < 0
        ]
        return Annotation(sentence, before, released)

    def to_json(self) -> dict[str, Any]:
        """Return plain values; the inverse of `from_json`."""
        return {
            "text": self.text,
            "decided": cells_to_json(self.decided),
            "accepted": cells_to_json(self.accepted),
            "rejected": sorted(map(list, self.rejected)),
            "unsure": sorted(self.unsure),
            "notes": [list(note) for note in self.notes],
            "labels": sorted(self.labels),
            "status": self.status,
            "keeps_tree": self.keeps_tree,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Draft:
        """Make a draft of what `to_json` returned."""
        return cls(
            value["text"],
            cells_from_json(value["decided"]),
            cells_from_json(value["accepted"]),
            frozenset((head, word) for head, word in value["rejected"]),
            frozenset(value["unsure"]),
            tuple((word, author, at, text) for word, author, at, text in value["notes"]),
            frozenset(value["labels"]),
            value["status"],
            value["keeps_tree"],
        )


@dataclass(frozen=True, eq=False)
class Annotation:
    """A draft as a sentence: open heads and relations are to be filled in.

    original_arcs: the arcs of the text, to which its DEPS refer. released: words whose kept head gave way.
    """

    sentence: Sentence
    original_arcs: list[tuple[int, str]]
    released: list[int]

    def filled(self, heads: Sequence[int], deprels: Sequence[str]) -> Sentence:
        """Return the sentence with a tree; edges of DEPS that were arcs of the old tree follow it."""
        sentence = self.sentence.copy()
        sentence.heads, sentence.deprels = list(heads), list(deprels)
        for word, (old, new) in enumerate(zip(self.original_arcs, arcs_of(sentence), strict=True), 1):
            cell = sentence.deps[word - 1]
            if old != new and cell != OPEN:
                sentence.deps[word - 1] = replace_edge(cell, word, old, new)
        return sentence


def replace_edge(cell: str, word: int, old: tuple[int, str], new: tuple[int, str]) -> str:
    """Return a DEPS cell in which the edge `old` (head, relation) is `new`.

    A cell without the old edge stays, and so does one that has the new edge already.

    >>> replace_edge("2:nsubj|5:obj", 3, (2, "nsubj"), (4, "nsubj"))
    '4:nsubj|5:obj'
    >>> replace_edge("2:nsubj", 3, (4, "obj"), (5, "obj"))
    '2:nsubj'
    >>> replace_edge("2:nsubj|5:obj", 3, (2, "nsubj"), (5, "obj"))
    '2:nsubj|5:obj'
    """
    parts = cell.split("|")
    if f"{old[0]}:{old[1]}" not in parts or f"{new[0]}:{new[1]}" in parts or new[0] < 0 or new[1] == OPEN:
        return cell
    edges = [edge for part in parts for edge in edges_in(part, word, AnyNode())]
    kept = [(edge.head, word, edge.label) for edge in edges if (edge.head, edge.label) != old]
    return cells_of_edges([*kept, (new[0], word, new[1])])[word]


class AnyNode(frozenset[Any]):
    """A collection that has every node."""

    def __contains__(self, node: object) -> bool:
        return True


def kept_heads(decided: Sequence[int], kept: Sequence[int], rejected: Iterable[Arc] = ()) -> list[int]:
    """Return which heads of `kept` hold beside the decided ones: for each word its kept head, or -1.

    A head is given up if the word has a decided one, if the arc is rejected, if another word is decided to be the root,
    or if it closes a circle at a word with a decided head. -1 in either list: no head.

    >>> kept_heads([2, -1, -1], [0, 1, 2])
    [-1, -1, 2]
    """
    excluded = set(rejected)
    heads = [
        -1 if own >= 0 or (head, word) in excluded else head
        for word, (own, head) in enumerate(zip(decided, kept, strict=True), 1)
    ]
    is_root_free = 0 not in decided
    for place, head in enumerate(heads):
        if head == 0:
            heads[place] = 0 if is_root_free else -1
            is_root_free = False
    for circle in list(circles([own if own >= 0 else head for own, head in zip(decided, heads, strict=True)])):
        for word in circle:
            head = heads[word - 1]
            if head > 0 and decided[head - 1] >= 0:
                heads[word - 1] = -1
    return heads


def conflict_of(draft: Draft, size: int) -> list[Arc]:
    """Return a smallest set of decided and rejected arcs that no tree agrees with; empty if some tree may."""
    decided = draft.decided_heads(size)
    for circle in circles(decided):
        return [(decided[word - 1], word) for word in circle]
    roots = [(0, word) for word, head in enumerate(decided, 1) if head == 0]
    if len(roots) > 1:
        return roots[:2]
    for word in range(1, size + 1):
        excluded = [(head, word) for head in range(size + 1) if (head, word) in draft.rejected]
        if len(excluded) == size:
            return excluded
        if (decided[word - 1], word) in draft.rejected:
            return [(decided[word - 1], word)]
    return []


def arcs_of(sentence: Sentence) -> list[tuple[int, str]]:
    """Return head and relation of each word; -1 for an open head."""
    return list(zip(sentence.heads.tolist(), sentence.deprels, strict=True))


def cells_to_json(cells: Cells) -> dict[str, dict[str, str]]:
    """Return cells with strings as keys, in the order of words and columns."""
    return {str(word): dict(sorted(cells[word].items())) for word in sorted(cells) if cells[word]}


def cells_from_json(value: Mapping[str, Mapping[str, str]]) -> dict[int, dict[str, str]]:
    """Return the cells of `cells_to_json`."""
    return {int(word): dict(cells) for word, cells in value.items()}

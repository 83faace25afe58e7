"""One sentence with its candidate arcs and scored parts, from which questions about it are answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode import ArrayResult, Candidates, Parse, Parts
from treewright.errors import InfeasibleError, InputError
from treewright.features import Encoded
from treewright.parser.model import BELIEF_ROUNDS, Worker, with_scope

Arc = tuple[int, int]  # head, modifier


@dataclass(frozen=True)
class Question:
    """A sentence as one worker sees it: its candidate arcs and their parts."""

    worker: Worker
    sentence: Sentence
    encoded: Encoded
    projective: bool
    arcs: Candidates
    parts: Parts
    max_seconds: float | None = None

    @classmethod
    def of(
        cls,
        worker: Worker,
        sentence: Sentence,
        projective: bool,
        max_seconds: float | None = None,
        all_arcs: bool = False,
    ) -> Question:
        encoded = worker.encode(sentence)
        arcs = worker.prune_or_keep(encoded, projective, all_arcs)
        return cls(worker, sentence, encoded, projective, arcs, worker.score(encoded, arcs), max_seconds)

    @property
    def search(self) -> dict[str, Any]:
        """The options of functions of treewright.decode."""
        return {"projective": self.projective, "root": self.worker.model.root, "max_seconds": self.max_seconds}

    @property
    def temperature(self) -> float:
        """By which values are divided before trees have probabilities."""
        return self.worker.model.calibrations.head.temperature

    def best(self) -> Parse:
        return decode.tree(self.parts, **self.search)

    def labelled(self, parse: Parse) -> Sentence:
        """A copy of the sentence with a tree and its labels."""
        labels = self.worker.label(self.encoded, parse.heads)
        return self.sentence.with_tree(parse.heads[1:].copy(), labels, with_scope(parse, self.arcs))

    def marginals(self, parts: Parts) -> ArrayResult:
        """At the temperature of the model, without the rest of its calibration: columns sum to one."""
        flat = parts.scaled(1 / self.temperature)
        root = self.worker.model.root
        return decode.marginals(flat, projective=self.projective, root=root, rounds=BELIEF_ROUNDS)

    def with_arc(self, arc: Arc) -> tuple[Parse, Parts, tuple[Arc, ...]]:
        """The best tree with an arc, the parts that it was found over, and the arcs that were added to them."""
        if arc in self.candidates:
            try:
                return decode.tree(self.parts, require=[arc], **self.search), self.parts, ()
            except InfeasibleError:
                pass  # every tree with this arc has one that pruning removed
        needed = self.worker.prune(self.encoded, self.projective, require=[arc])
        added = sorted(set(zip(needed.head.tolist(), needed.modifier.tolist(), strict=True)) - self.candidates)
        parts = self.worker.score(self.encoded, union(self.arcs, added))
        return decode.tree(parts, require=[arc], **self.search), parts, tuple(added)

    @property
    def candidates(self) -> set[Arc]:
        return set(zip(self.arcs.head.tolist(), self.arcs.modifier.tolist(), strict=True))


def union(arcs: Candidates, added: Sequence[Arc]) -> Candidates:
    """The candidate arcs with others added."""
    heads, modifiers = (np.array(column, dtype=np.int32) for column in zip(*added, strict=True))
    return Candidates(np.concatenate([arcs.head, heads]), np.concatenate([arcs.modifier, modifiers]), arcs.marginal)


def checked_arc(arc: Arc, words: int) -> Arc:
    """An arc of a sentence of so many words."""
    modifier = checked_word(arc[1], words)
    head = whole_number(arc[0], "head")
    if not 0 <= head <= words:
        raise InputError(f"head is {head}; the sentence has the words 1..{words}, and 0 is the root")
    if head == modifier:
        raise InputError(f"head and modifier are both {head}; no word is its own head")
    return head, modifier


def checked_word(modifier: int, words: int) -> int:
    """A word of a sentence of so many words."""
    found = whole_number(modifier, "modifier")
    if not 1 <= found <= words:
        raise InputError(f"modifier is {found}; the sentence has the words 1..{words}")
    return found


def whole_number(value: int, name: str) -> int:
    try:
        return index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}; expected the number of a word") from None

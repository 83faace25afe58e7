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
from treewright.parser.worker import BELIEF_ROUNDS, Inputs, Worker, check_length, every_arc, with_scope

Arc = tuple[int, int]  # head, modifier


@dataclass(frozen=True)
class Question:
    """A sentence as one worker sees it: its candidate arcs and their parts."""

    worker: Worker
    sentence: Sentence
    inputs: Inputs
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
        """Prune and score a sentence."""
        check_length(sentence)
        inputs = worker.encode([sentence])
        [arcs] = worker.prune(inputs, projective)
        if all_arcs:
            arcs = every_arc(arcs)
        [parts] = worker.score(inputs, [arcs])
        return cls(worker, sentence, inputs, projective, arcs, parts, max_seconds)

    @property
    def search(self) -> dict[str, Any]:
        """The options of functions of treewright.decode."""
        return {"projective": self.projective, "root": self.worker.model.root, "max_seconds": self.max_seconds}

    @property
    def temperature(self) -> float:
        """By which values are divided before trees have probabilities."""
        return self.worker.model.calibrations.head.temperature

    def best(self) -> Parse:
        """Return the best tree."""
        return decode.tree(self.parts, **self.search)

    def labelled(self, parse: Parse) -> Sentence:
        """Return a copy of the sentence with a tree and its labels."""
        [labels], _ = self.worker.label([self.sentence], self.inputs, [parse.heads])
        return self.sentence.with_tree(parse.heads[1:].copy(), labels, with_scope(parse, self.arcs))

    def marginals(self, parts: Parts) -> ArrayResult:
        """Return marginals at the temperature of the model, without the rest of its calibration: columns sum to one."""
        flat = parts.scaled(1 / self.temperature)
        root = self.worker.model.root
        return decode.marginals(flat, projective=self.projective, root=root, rounds=BELIEF_ROUNDS)

    def with_arc(self, arc: Arc) -> tuple[Parse, Parts, tuple[Arc, ...]]:
        """Return the best tree with an arc, the parts that it was found over, and the arcs that were added to them."""
        if arc in self.candidates:
            try:
                return decode.tree(self.parts, require=[arc], **self.search), self.parts, ()
            except InfeasibleError:
                pass  # every tree with this arc has one that pruning removed
        needed = self.worker.prune_under(self.inputs, self.projective, require=[arc])
        added = sorted(set(zip(needed.head.tolist(), needed.modifier.tolist(), strict=True)) - self.candidates)
        [parts] = self.worker.score(self.inputs, [union(self.arcs, added)])
        return decode.tree(parts, require=[arc], **self.search), parts, tuple(added)

    @property
    def candidates(self) -> set[Arc]:
        """The candidate arcs as pairs."""
        return set(zip(self.arcs.head.tolist(), self.arcs.modifier.tolist(), strict=True))


def union(arcs: Candidates, added: Sequence[Arc]) -> Candidates:
    """Return the candidate arcs with others added."""
    heads, modifiers = (np.array(column, dtype=np.int32) for column in zip(*added, strict=True))
    return Candidates(np.concatenate([arcs.head, heads]), np.concatenate([arcs.modifier, modifiers]), arcs.marginal)


def check_arc(arc: Arc, words: int) -> Arc:
    """Refuse an arc that a sentence of so many words does not have."""
    modifier = check_word(arc[1], words)
    head = whole_number(arc[0], "head")
    if not 0 <= head <= words:
        raise InputError(f"head is {head}; the sentence has the words 1..{words}, and 0 is the root")
    if head == modifier:
        raise InputError(f"head and modifier are both {head}; no word is its own head")
    return head, modifier


def check_word(modifier: int, words: int) -> int:
    """Refuse a word that a sentence of so many words does not have."""
    word = whole_number(modifier, "modifier")
    if not 1 <= word <= words:
        raise InputError(f"modifier is {word}; the sentence has the words 1..{words}")
    return word


def whole_number(value: int, name: str) -> int:
    """Return an int; an error names the argument."""
    try:
        return index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}; expected the number of a word") from None

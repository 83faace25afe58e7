"""One sentence with its candidate arcs and scored parts, from which questions about it are answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.caching import cached_property
from treewright.corpus import Sentence
from treewright.decode import ArrayResult, Candidates, Parse, Parts
from treewright.decode.constraints import is_feasible
from treewright.decode.options import ArcConstraints
from treewright.decode.problem import Problem
from treewright.errors import InputError
from treewright.parser.decisions import OPEN, Arc, Decisions, is_projective_possible
from treewright.parser.long_sentences import MAX_ASKED, add_candidates, check_length, is_long
from treewright.parser.punctuation import MovedParse
from treewright.parser.worker import (
    BELIEF_ROUNDS,
    Inputs,
    Worker,
    arcs_of,
    best_found,
    every_arc,
    with_scope,
)

if TYPE_CHECKING:
    from treewright.decode.options import ChosenMethod
    from treewright.parser.model import Confidence


@dataclass(frozen=True)
class Question:
    """A sentence as one worker sees it: what is decided, its candidate arcs under the decisions, and their parts.

    is_crossing: the model is projective, but no projective tree has all decisions, so that any tree may be the answer.
    Scores of outermost grandchildren (model outer), which only projective trees have, are then left out.
    """

    worker: Worker
    sentence: Sentence
    inputs: Inputs
    decided: Decisions
    projective: bool
    root: str
    arcs: Candidates
    parts: Parts
    max_seconds: float | None = None
    is_crossing: bool = False
    best_of_all: Parse | None = None  # the best tree over all arcs, where it was sought; its arcs are candidates

    @classmethod
    def of(
        cls,
        worker: Worker,
        sentence: Sentence,
        projective: bool,
        max_seconds: float | None = None,
        *,
        decided: Decisions = Decisions(),  # noqa: B008 - immutable
        root: str | None = None,
        all_arcs: bool = False,
        inputs: Inputs | None = None,
    ) -> Question:
        """Prune and score a sentence; inputs are those of the worker for it. An InfeasibleError names a conflict."""
        check_length(sentence, MAX_ASKED)
        inputs = inputs or worker.encode([sentence])
        constraints = constraints_of(decided, root or worker.model.root)
        is_decided = bool(decided.require or decided.forbid)
        is_crossing = projective and is_decided and not is_projective_possible(len(sentence), constraints)
        projective = projective and not is_crossing
        arcs = worker.prune_under(inputs, projective, **constraints)
        if all_arcs:
            arcs = every_arc(arcs)
        parts = scored_parts(worker, inputs, arcs, is_crossing)
        root = constraints["root"]
        return cls(worker, sentence, inputs, decided, projective, root, arcs, parts, max_seconds, is_crossing)

    @property
    def shape(self) -> dict[str, Any]:
        """The options of functions of treewright.decode about the trees that are possible."""
        return {"projective": self.projective, **constraints_of(self.decided, self.root)}

    @property
    def search(self) -> dict[str, Any]:
        """The options of functions of treewright.decode that search."""
        return {**self.shape, "max_seconds": self.max_seconds}

    @property
    def temperature(self) -> float:
        """By which values are divided before trees have probabilities."""
        return self.worker.model.calibrations.head.temperature

    def best(self, method: ChosenMethod | None = None) -> Parse:
        """Return the best tree, by a method if one is given; punctuation makes no gaps in it."""
        if self.best_of_all is not None and method is None:
            return self._without_gaps(self.best_of_all)
        options: Any = {"max_seconds": self.max_seconds} if method is None else method
        return with_scope(self._without_gaps(self._climb(self._searched(options), self.parts, options)), self.arcs)

    def _searched(self, options: Any) -> Parse:
        """Return the best tree by the parts alone."""
        parse = decode.tree(self.parts, **self.shape, **options)
        return best_found(parse, self.parts, **constraints_of(self.decided, self.root))

    def _without_gaps(self, parse: Parse) -> Parse:
        """Return the parse with punctuation moved where it makes gaps; its arcs may be no candidates."""
        heads = self.worker.without_gaps(self.sentence, parse.heads, self.decided.require, self.decided.forbid)
        if heads is parse.heads:
            return parse
        wider, _ = self.with_candidates(arcs_of(heads))
        return MovedParse.of(parse, heads, self.worker.value(self.inputs, wider.parts, heads))

    def _climb(self, start: Parse, parts: Parts, options: Any) -> Parse:
        """Return the tree that the models "third" and "full" find over these parts from a tree; for others the tree."""
        [parse] = self.worker.climb(self.inputs, [parts], [start], self.projective, self.root, options)
        return parse

    def labels(self, parse: Parse, decided: Sequence[str] | None = None) -> tuple[list[str], Confidence]:
        """Return the labels of a tree and the confidence of each; labels that are decided, or given here, are kept."""
        decided = decided or self.decided.labels
        rows = None if decided is None else [decided]
        [labels], [confidence] = self.worker.label([self.sentence], self.inputs, [parse.heads], rows)
        if decided is not None:  # the model may not have a label that is decided
            labels = [best if own == OPEN else own for own, best in zip(decided, labels, strict=True)]
        return labels, confidence

    def label_beside(self, best: Sentence, parse: Parse, word: int) -> str:
        """Return the label of a word in a tree, beside the labels of a sentence where the tree has the same heads."""
        same = (parse.heads[1:] == best.heads).tolist()
        same[word - 1] = False
        decided_labels = self.decided.labels or [OPEN] * len(same)
        kept = [
            label if is_same else old for is_same, label, old in zip(same, best.deprels, decided_labels, strict=True)
        ]
        return self.labels(parse, kept)[0][word - 1]

    def labelled(self, parse: Parse) -> Sentence:
        """Return a copy of the sentence with a tree and its labels."""
        return self.sentence.copy().set_tree(
            parse.heads[1:].copy(), self.labels(parse)[0], with_scope(parse, self.arcs)
        )

    @property
    def flat(self) -> Parts:
        """The parts with their scores divided by the temperature."""
        return self.parts.scaled(1 / self.temperature)

    @cached_property
    def marginals(self) -> ArrayResult:
        """Marginals at the temperature of the model, without the rest of its calibration: columns sum to one.

        Those of a long sentence are the ones by which its candidate arcs were chosen: belief propagation would take
        as long as a search, without a limit.
        """
        if is_long(self.sentence):
            return ArrayResult(self.arcs.marginal, exact=False)
        return decode.marginals(self.flat, rounds=BELIEF_ROUNDS, **self.shape)

    def head_probabilities(self, head: int, word: int, wider: Question) -> NDArray[np.float64]:
        """Return the probability of each head of a word over the arcs of `wider`; they sum to one at most.

        head: the one that the word has. Its probability is the calibrated confidence of the parser, over the arcs of
        this question where it is one of them. The others have their marginals, reduced in proportion where these would
        exceed the rest. They are not increased: most of what the calibration takes from the head belongs to arcs that
        the model rules out.
        """
        marginal = (self if (head, word) in self.candidates else wider).marginals[head, word]
        [confidence] = self.worker.model.calibrations.head.apply([marginal])
        probability = np.array(wider.marginals[:, word])
        probability[head] = 0
        probability *= min(1.0, (1 - confidence) / max(probability.sum(), np.finfo(float).tiny))
        probability[head] = confidence
        return probability

    def with_arc(self, arc: Arc) -> tuple[Parse, Question, tuple[Arc, ...]]:
        """Return the best tree with an arc, the question that it answers, and the arcs that were added to it.

        Where no projective tree has the arc and the decisions, the best of all trees is sought, if the model has scores
        for these.
        """
        required = replace(self, decided=self.decided.extended(require=[arc]))
        if arc in self.candidates and is_feasible(Problem.of(self.parts, **required.shape)):
            return required._best_with(arc), self, ()
        constraints = constraints_of(required.decided, self.root)
        may_cross = self.projective and self.is_decided and not self.parts.outermost
        if may_cross and not is_projective_possible(len(self.sentence), constraints):
            return replace(self, projective=False, is_crossing=True).with_arc(arc)
        # Every tree with this arc has one that pruning removed.
        needed = self.worker.prune_under(self.inputs, self.projective, **constraints)
        wider, added = self.with_candidates(zip(needed.head.tolist(), needed.modifier.tolist(), strict=True))
        return replace(wider, decided=required.decided)._best_with(arc), wider, added

    def _best_with(self, arc: Arc) -> Parse:
        """Return the best tree of a question that requires one of its candidate arcs."""
        parse = self._searched({"max_seconds": self.max_seconds})
        if self.worker.tree_scorer is not None:  # climbs move along all arcs of their parts
            head, modifier, _ = self.parts.arcs
            only = self.parts.prune((modifier != arc[1]) | (head == arc[0]))
            parse = self._climb(parse, only, {"max_seconds": self.max_seconds})
        return self._without_gaps(parse)

    def with_candidates(self, arcs: Iterable[Arc]) -> tuple[Question, tuple[Arc, ...]]:
        """Return the question with these arcs among its candidates, and those that were not."""
        added = tuple(sorted(set(arcs) - self.candidates))
        if not added:
            return self, ()
        candidates = add_candidates(self.arcs, added)
        parts = scored_parts(self.worker, self.inputs, candidates, self.is_crossing)
        return replace(self, arcs=candidates, parts=parts), added

    def over_all_arcs(self, parts: Parts, max_seconds: float) -> Question:
        """Return the question whose answer is the best tree over all arcs, if that is certified within this time.

        parts: those of all arcs.
        """
        best = decode.tree(parts, **self.shape, max_seconds=max_seconds)
        if not best.certified:
            return self
        wider, _ = self.with_candidates(arcs_of(best.heads))
        return replace(wider, best_of_all=best)

    @property
    def is_decided(self) -> bool:
        """Whether some arc is required or forbidden."""
        return bool(self.decided.require or self.decided.forbid)

    @property
    def candidates(self) -> set[Arc]:
        """The candidate arcs as pairs."""
        return set(zip(self.arcs.head.tolist(), self.arcs.modifier.tolist(), strict=True))


def scored_parts(worker: Worker, inputs: Inputs, arcs: Candidates, is_crossing: bool) -> Parts:
    """Score the parts of a sentence; those of trees that may cross have no outermost grandchildren."""
    [parts] = worker.score(inputs, [arcs])
    if is_crossing and parts.outermost:
        return Parts(parts.nodes, parts.arcs, parts.siblings, None, parts.stops)
    return parts


def constraints_of(decided: Decisions, root: str) -> ArcConstraints:
    """Return the keywords of treewright.decode for decisions."""
    return {"require": decided.require, "forbid": decided.forbid, "root": root}


def check_arc(arc: Arc, words: int, name: str = "modifier") -> Arc:
    """Refuse an arc that a sentence of so many words does not have; name is the argument with its modifier."""
    modifier = check_word(arc[1], words, name)
    head = whole_number(arc[0], "head")
    if not 0 <= head <= words:
        raise InputError(f"head is {head}; the sentence has the words 1..{words}, and 0 is the root")
    if head == modifier:
        raise InputError(f"head and {name} are both {head}; no word is its own head")
    return head, modifier


def check_word(number: int, words: int, name: str = "modifier") -> int:
    """Refuse a word that a sentence of so many words does not have; name is the argument with its number."""
    word = whole_number(number, name)
    if not 1 <= word <= words:
        raise InputError(f"{name} is {word}; the sentence has the words 1..{words}")
    return word


def whole_number(value: int, name: str) -> int:
    """Return an int; an error names the argument."""
    try:
        return index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}; expected the number of a word") from None

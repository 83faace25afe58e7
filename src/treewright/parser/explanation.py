"""Why a word is not attached to another head: the cost of an arc, and the best alternatives of a word."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, overload

import numpy as np

from treewright.corpus import Sentence
from treewright.errors import InfeasibleError
from treewright.parser.decisions import Arc
from treewright.parser.question import Question
from treewright.parser.tree_parts import Part, named, parts_of_tree
from treewright.parser.worker import arcs_of

SHOWN = 8  # parts that the text of an explanation lists; not tuned
ALTERNATIVES = 5  # heads that are listed by default; not tuned


@dataclass(frozen=True, eq=False)
class Explanation:
    """The tree of the parser against its rival, the best tree with a given arc.

    best and rival are the sentence with either tree and its labels; probability and rival_probability are those of the
    word's head in each (exact, or approximate where is_probability_exact is False). only_best and only_rival are the
    parts that one tree has and the other has not: the sums of their scores differ by the loss, but for what models of
    third order add to the values of trees (these are found by climbing, and not certified). added: arcs that pruning
    had removed and that were added back for the rival; among them may be the arc itself.
    """

    arc: Arc
    best: Sentence
    rival: Sentence
    probability: float
    rival_probability: float
    only_best: tuple[Part, ...]
    only_rival: tuple[Part, ...]
    added: tuple[Arc, ...] = ()
    is_probability_exact: bool = True

    @property
    def loss(self) -> float:
        """The value of the parser's tree less that of the rival.

        It is below 0 if pruning removed an arc of a better tree, or if the word's head is a decision against the model.
        """
        return float(self.best.parse.score - self.rival.parse.score)

    @property
    def was_pruned(self) -> bool:
        """Whether pruning had removed the arc."""
        return self.arc in self.added

    @property
    def certified(self) -> bool:
        """Whether the loss is exact: both trees are certified."""
        return bool(self.best.parse.certified and self.rival.parse.certified)

    @property
    def moves(self) -> list[tuple[int, int, int]]:
        """(m, h, h'): the words m with head h in the parser's tree and head h' in the rival."""
        before, after = self.best.heads.tolist(), self.rival.heads.tolist()
        return [(m, h, other) for m, (h, other) in enumerate(zip(before, after, strict=True), 1) if h != other]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: both trees, the loss, and the parts that differ."""
        forms = self.best.forms
        parts = {"only_best": self.only_best, "only_rival": self.only_rival}
        return {
            "head": self.arc[0],
            "word": self.arc[1],
            "loss": self.loss,
            "certified": self.certified,
            "was_pruned": self.was_pruned,
            "added_arcs": [list(arc) for arc in self.added],
            "probability": self.probability,
            "rival_probability": self.rival_probability,
            "probability_is_exact": self.is_probability_exact,
            "moves": [{"word": m, "head": h, "rival_head": other} for m, h, other in self.moves],
            "best": self.best.to_dict(),
            "rival": self.rival.to_dict(),
        } | {name: [{**part._asdict(), "text": part.described(forms)} for part in rows] for name, rows in parts.items()}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        forms = self.best.forms
        head, word = (named(node, forms) for node in self.arc)
        if not self.moves:
            yield f"{word} is attached to {head} in the parser's tree, probability {self._about(self.probability)}."
            return
        best_head = named(int(self.best.heads[self.arc[1] - 1]), forms)
        ours = f"value {self.best.parse.score:.3f}, probability {self._about(self.probability)}"
        theirs = f"value {self.rival.parse.score:.3f}, probability {self._about(self.rival_probability)}"
        yield f"The parser attaches {word} to {best_head}: {ours}."
        yield f"The best tree with {head} -> {word}: {theirs}."
        exactly = "" if self.certified else ", not certified: the trees are the best that were found"
        yield f"Difference: the tree with {head} -> {word} {costs(self.loss)}{exactly}."
        if self.was_pruned:
            others = len(self.added) - 1
            more = f", with {counted(others)} that trees with it may need" if others else ""
            yield f"Pruning had removed {head} -> {word}: it was added back{more}."
        elif self.added:
            back = f"{counted(len(self.added))} added back"
            yield f"No tree over the arcs that pruning left has {head} -> {word}: {back}."
        yield "Words that change their heads:"
        for m, h, new in self.moves:
            yield f"  {named(m, forms)}: from {named(h, forms)} to {named(new, forms)}"
        for title, rows in (("Only in the parser's tree:", self.only_best), ("Only in the other:", self.only_rival)):
            yield title
            for part in rows[:SHOWN]:
                yield f"  {part.score:+8.3f}  {part.described(forms)}"
            if len(rows) > SHOWN:
                rest = sum(part.score for part in rows[SHOWN:])
                yield f"  {rest:+8.3f}  {len(rows) - SHOWN} further parts"

    def _about(self, probability: float) -> str:
        return f"{'' if self.is_probability_exact else 'about '}{probability:.3f}"


@dataclass(frozen=True)
class Alternative:
    """A head that a word could have: what the best tree with this arc loses, and the probability of the arc.

    is_candidate: whether pruning left this arc. loss is negative where pruning removed an arc of a better tree, or
    where the head that the word has is a decision against the model.
    """

    head: int
    loss: float
    probability: float
    label: str
    is_candidate: bool
    certified: bool


@dataclass(frozen=True, eq=False)
class Alternatives(Sequence[Alternative]):
    """The best alternative heads of a word, and the tree of the parser.

    is_complete: False if the limit of time ended the search, so that other heads may be better.
    """

    best: Sentence
    modifier: int
    probability: float  # of the head that it has
    heads: tuple[Alternative, ...]
    is_probability_exact: bool = True
    is_complete: bool = True

    @overload
    def __getitem__(self, place: int) -> Alternative: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Alternative]: ...
    def __getitem__(self, place: int | slice) -> Alternative | Sequence[Alternative]:
        return self.heads[place]

    def __len__(self) -> int:
        return len(self.heads)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        head = int(self.best.heads[self.modifier - 1])
        return {
            "text": self.best.text,
            "word": self.modifier,
            "form": self.best.forms[self.modifier - 1],
            "head": head,
            "head_form": named(head, self.best.forms),
            "deprel": self.best.deprels[self.modifier - 1],
            "probability": self.probability,
            "probability_is_exact": self.is_probability_exact,
            "is_complete": self.is_complete,
            "alternatives": [
                {
                    "head": rival.head,
                    "head_form": named(rival.head, self.best.forms),
                    "deprel": rival.label,
                    "loss": rival.loss,
                    "probability": rival.probability,
                    "is_candidate": rival.is_candidate,
                    "certified": rival.certified,
                }
                for rival in self.heads
            ],
        }

    def __str__(self) -> str:
        forms = self.best.forms
        word, head = named(self.modifier, forms), named(int(self.best.heads[self.modifier - 1]), forms)
        about = "" if self.is_probability_exact else "about "
        label = self.best.deprels[self.modifier - 1]
        lines = [f"{word} is attached to {head} ({label}), probability {about}{self.probability:.3f}."]
        if not self.heads and self.is_complete:
            lines.append("There is no other head.")
        for rival in self.heads:
            note = "" if rival.is_candidate else " (removed by pruning)"
            figures = f"the best tree with it {costs(rival.loss)}, probability {about}{rival.probability:.3f}"
            lines.append(f"  {named(rival.head, forms)} ({rival.label}): {figures}{note}")
        if not self.is_complete:
            lines.append("Out of time: heads that are not listed may be better.")
        return "\n".join(lines)


def counted(arcs: int) -> str:
    """
    >>> counted(1), counted(2)
    ('1 other arc', '2 other arcs')
    """
    return f"{arcs} other arc{'s' * (arcs != 1)}"


def costs(loss: float) -> str:
    """Say what a tree loses.

    >>> costs(0.25), costs(-0.25)
    ('scores 0.250 less', 'scores 0.250 more')
    """
    return f"scores {abs(loss):.3f} {'more' if loss < 0 else 'less'}"


def explain(best: Sentence, without_word: Question, arc: Arc) -> Explanation:
    """Compare a sentence with its best tree to the best tree with an arc.

    without_word: the question for the latter, without decisions on the word.
    """
    rival, wider, added = without_word.with_arc(arc)
    nodes = np.concatenate([np.array([-1], np.int32), best.heads])
    wider, _ = wider.with_candidates([*arcs_of(nodes), *arcs_of(rival.heads)])
    ours, theirs = parts_of_tree(wider.parts, nodes), parts_of_tree(wider.parts, rival.heads)
    head, modifier = arc
    probability = without_word.head_probabilities(int(nodes[modifier]), modifier, wider)
    return Explanation(
        arc,
        best,
        wider.labelled(rival),
        float(probability[nodes[modifier]]),
        float(probability[head]),
        only_in(ours, theirs),
        only_in(theirs, ours),
        added,
        wider.marginals.exact,
    )


def only_in(parts: Iterable[Part], others: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts that the others do not have, those with the largest scores first."""
    excluded = set(others)
    return tuple(sorted((part for part in parts if part not in excluded), key=lambda part: -abs(part.score)))


def alternatives(
    best: Sentence,
    without_word: Question,
    modifier: int,
    heads: Iterable[int],
    wider: Question,
    max_seconds: float | None,
) -> Alternatives:
    """Return what the best tree with each of the heads of a word loses against the best tree, in the order of heads.

    Heads that no tree gives the word, and the one that it has, are left out. best: the sentence with its best tree.
    without_word: the question for the other trees, without decisions on the word. wider: the same question, perhaps
    with further arcs, among them the one to the head that the word has. max_seconds limits all searches together; heads
    that are left when it has passed are not tried.
    """
    deadline = math.inf if max_seconds is None else monotonic() + max_seconds
    own, parse = int(best.heads[modifier - 1]), best.parse
    probability = without_word.head_probabilities(own, modifier, wider)
    rivals, is_complete = [], True
    for head in heads:
        if head in (modifier, own):
            continue
        rest = deadline - monotonic()
        if rest <= 0:
            is_complete = False
            break
        try:
            rival, asked, added = replace(wider, max_seconds=None if max_seconds is None else rest).with_arc(
                (head, modifier)
            )
        except InfeasibleError:  # the root of a sentence of one word, for example
            continue
        is_candidate = (head, modifier) not in added
        loss, is_certified = parse.score - rival.score, parse.certified and rival.certified
        of_arc = float(probability[head]), asked.label_beside(best, rival, modifier)
        rivals.append(Alternative(head, loss, *of_arc, is_candidate, is_certified))
    own_probability, is_exact = float(probability[own]), wider.marginals.exact
    return Alternatives(best, modifier, own_probability, tuple(rivals), is_exact, is_complete)

"""Decisions about a sentence: the arcs that its tree must have or must not have, and the labels that are kept.

A word whose HEAD is "_" is open, and so is a relation that is "_". A head that is given is a required arc. Where a
sentence is completed, everything that is given is a decision. A question about a sentence (its k best trees, other
heads of a word) takes the heads of a partly annotated sentence, one with an open head, as decisions; a whole tree, as
parsers and treebanks have it, is what the question is about and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.corpus.sentence import line_of
from treewright.decode.constraints import ensure_feasible, is_feasible
from treewright.decode.options import ArcConstraints
from treewright.decode.problem import Problem, pairs_of
from treewright.errors import FormatError
from treewright.parser.label_rules import ROOT

OPEN = "_"

Arc = tuple[int, int]  # head, modifier


class Decisions(NamedTuple):
    """Required and forbidden arcs, and the relation of each word, "_" where it is open; None: all are open."""

    require: tuple[Arc, ...] = ()
    forbid: tuple[Arc, ...] = ()
    labels: tuple[str, ...] | None = None

    @classmethod
    def given(cls, sentence: Sentence, labels: Sequence[str]) -> Decisions:
        """Read the decisions off the heads and relations of a sentence; labels are those of the model.

        In a model with the relation `root`, it implies the head 0, and any other relation excludes it.

        >>> sentence = Sentence.from_words(["It", "rains"], heads=[2, -1], deprels=["_", "root"])
        >>> Decisions.given(sentence, ["root", "nsubj"]).require
        ((2, 1), (0, 2))
        """
        require: list[Arc] = []
        forbid: list[Arc] = []
        for word, (head, label) in enumerate(zip(sentence.heads.tolist(), sentence.deprels, strict=True), 1):
            if head >= 0:
                require.append((head, word))
            elif ROOT in labels and label == ROOT:
                require.append((0, word))
            elif ROOT in labels and label != OPEN:
                forbid.append((0, word))
        return cls(tuple(require), tuple(forbid), tuple(sentence.deprels))

    @classmethod
    def asked(
        cls, sentence: Sentence, labels: Sequence[str], require: Iterable[Arc] = (), forbid: Iterable[Arc] = ()
    ) -> Decisions:
        """Return the decisions under which a question about a sentence is answered: its own, and these arcs."""
        is_partial = bool((sentence.heads < 0).any())
        decisions = cls.given(sentence, labels) if is_partial else cls()
        return decisions.extended(require, forbid)

    @classmethod
    def of_arcs(cls, require: Iterable[Arc], forbid: Iterable[Arc]) -> Decisions:
        """Return the decisions of these arguments, which are pairs (head, modifier)."""
        return cls(pairs_of(require, "require"), pairs_of(forbid, "forbid"))

    def within(self, begin: int, end: int) -> Decisions:
        """Return the required arcs and the relations of words begin + 1 .. end, renumbered, as a sentence of their own.

        Heads outside of these words are left open, and forbidden arcs are left out.
        """
        require = tuple(
            (max(head - begin, 0), word - begin)
            for head, word in self.require
            if begin < word <= end and (head == 0 or begin < head <= end)
        )
        return Decisions(require, (), None if self.labels is None else self.labels[begin:end])

    def holds(self, heads: NDArray[np.int32]) -> bool:
        """Whether the tree with these heads has all required arcs and no forbidden one."""
        return all(heads[m] == h for h, m in self.require) and all(heads[m] != h for h, m in self.forbid)

    def extended(self, require: Iterable[Arc] = (), forbid: Iterable[Arc] = ()) -> Decisions:
        """Return the decisions with further required and forbidden arcs."""
        return self._replace(require=(*self.require, *require), forbid=(*self.forbid, *forbid))


def check_single_root(sentence: Sentence, decided: Decisions) -> None:
    """Refuse annotation that attaches several words to the root."""
    top = [word for head, word in decided.require if head == 0]
    if len(top) > 1:
        problem = (
            f"words {', '.join(map(str, top))} are attached to the root; expected one, or root='multi' (--root multi)"
        )
        raise FormatError(sentence.source, line_of(sentence, top[1]), problem, [(0, word) for word in top])


def refuse_decisions(sentence: Sentence, decided: Decisions) -> None:
    """Refuse required and forbidden arcs in a list of the trees of a sentence that is parsed in parts."""
    if decided.require or decided.forbid:
        problem = (
            f"a sentence of {len(sentence):,} words is parsed in parts, and lists of such trees keep no given arcs"
        )
        raise FormatError(sentence.source, sentence.line, f"{problem}: complete it, or cut it into sentences")


def opened(sentence: Sentence, word: int) -> Sentence:
    """Return a copy in which head and relation of a word are open."""
    copy = sentence.copy()
    heads, deprels = copy.heads.copy(), list(copy.deprels)
    heads[word - 1], deprels[word - 1] = -1, OPEN
    copy.heads, copy.deprels = heads, deprels
    return copy


def ensure_possible(words: int, constraints: ArcConstraints) -> None:
    """Raise an InfeasibleError that names a conflict if no tree of so many words meets the constraints."""
    ensure_feasible(Problem.of(np.zeros((words + 1, words + 1)), **constraints))


def is_projective_possible(words: int, constraints: ArcConstraints) -> bool:
    """Whether a projective tree of so many words meets the constraints.

    Arcs that do not cross may be impossible too: with word 1 under 4 and 4 under 2, word 2 has no head left.

    >>> decided = [(4, 1), (2, 3)], [(3, 1), (2, 4)], [(4, 1), (2, 4)]
    >>> [is_projective_possible(4, {"require": arcs}) for arcs in decided]
    [True, False, False]
    """
    scores = np.zeros((words + 1, words + 1))
    return is_feasible(Problem.of(scores, projective=True, **constraints))

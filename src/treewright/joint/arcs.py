"""Model 1 and a dependency parser that agree on arcs, by dual decomposition (Rush et al. 2010, section 4.2).

    maximise  log P(tree) + weight * score(dependencies)   such that both have the same arcs

The trees are those of the forest of `treewright.grammar.Collins`, all or those within its beam; the dependency parser
scores the arcs of this forest. Both leave out the words that the grammar drops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.caching import cached_property
from treewright.decode import Candidates, Parts
from treewright.errors import InfeasibleError
from treewright.grammar.collins_forest import ParseForest
from treewright.joint.agreement import AgreementOptions, JointParse, SharedOracle, Vector, agree, certificate
from treewright.relax import Answer, Oracle

Indices = NDArray[np.int32]


@dataclass(frozen=True)
class ArcVariables:
    """The shared variables: the arcs (h, m) of a forest, over its words."""

    words: int
    head: Indices
    modifier: Indices

    @classmethod
    def of(cls, forest: ParseForest) -> ArcVariables:
        """Return the arcs of a forest."""
        words = len(forest.sentence.kept)
        assert forest.forest is not None
        codes = np.unique(forest.forest.arrays()[0][:, 3])
        codes = codes[codes >= 0]
        return cls(words, codes // (words + 1), codes % (words + 1))

    @property
    def count(self) -> int:
        """The number of arcs."""
        return len(self.head)

    @property
    def group(self) -> Indices:
        """A word has one head."""
        return self.modifier

    def matrix(self, values: Vector, other: float) -> Vector:
        """Return [h, m] with these values, and another value where there is no arc."""
        full = np.full((self.words + 1, self.words + 1), other)
        full[self.head, self.modifier] = values
        return full

    def assignment(self, heads: Indices) -> Vector:
        """Return 1.0 for each arc of a tree."""
        chosen: Vector = (heads[self.modifier] == self.head).astype(np.float64)
        return chosen

    def heads(self, assignment: Vector) -> Indices | None:
        """Return the tree with these arcs; None if a word has no head, or several."""
        on = assignment > 0.5
        if sorted(self.modifier[on].tolist()) != list(range(1, self.words + 1)):
            return None
        heads = np.full(self.words + 1, -1, dtype=np.int32)
        heads[self.modifier[on]] = self.head[on]
        return heads


@dataclass(frozen=True, eq=False)
class PhraseOracle(SharedOracle[ArcVariables]):
    """The best tree of a forest."""

    forest: ParseForest

    def solve(self, multipliers: Vector) -> Answer:
        """Find the tree that maximises log P plus the multipliers of its arcs."""
        assert self.forest.forest is not None
        adjustment = self.variables.matrix(np.where(self.mask, multipliers, -np.inf), 0.0)
        value, rows, heads = self.forest.forest.best(adjustment)
        if value == -math.inf:
            return self.none()
        return Answer(value, self.variables.assignment(heads), (rows, heads))

    def score(self, assignment: Vector) -> float:
        """Return log P of the best tree with these arcs."""
        assert self.forest.forest is not None
        chosen = np.where(self.mask & (assignment > 0.5), 0.0, -np.inf)
        value, _, _ = self.forest.forest.best(self.variables.matrix(chosen, -np.inf))
        return value


@dataclass(frozen=True, eq=False)
class DependencyOracle(SharedOracle[ArcVariables]):
    """The best projective tree of a dependency parser over the same arcs."""

    parts: Parts

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """The variable of each arc of the parts."""
        head, modifier, _ = self.parts.arcs
        variable_at = self.variables.matrix(np.arange(self.variables.count, dtype=np.float64), -1.0)
        return variable_at[head, modifier].astype(np.intp)

    @cached_property
    def _allowed(self) -> Parts:
        return self.parts if self.mask.all() else self.parts.prune(self.mask[self._order])

    def solve(self, multipliers: Vector) -> Answer:
        """Find the tree that maximises its value plus the multipliers of its arcs."""
        order = self._order[self.mask[self._order]]
        try:
            parse = decode.tree(self._allowed.adjusted(multipliers[order]), projective=True, root="single")
        except InfeasibleError:
            return self.none()
        return Answer(parse.score, self.variables.assignment(parse.heads), parse.heads)

    def score(self, assignment: Vector) -> float:
        """Return the value of the tree with these arcs."""
        heads = self.variables.heads(assignment)
        return -math.inf if heads is None else self._allowed.value(heads)


def agree_on_arcs(
    forest: ParseForest, parts: Parts, *, weight: float = 1.0, **search: Unpack[AgreementOptions]
) -> JointParse:
    """Find the tree of a forest and the dependency tree over its arcs that agree and have the best sum of scores.

    forest is that of `Collins.forest`; parts are the scores of the dependency tree, which weight multiplies. search are
    the keywords of `AgreementOptions`. Where there is no agreement after split_after iterations (None: after
    max_iterations), the problem is split by branch and bound; max_iterations are those of all parts together, and exact
    continues without this limit. step is the rule for step sizes.

    >>> from treewright.corpus import Tree
    >>> from treewright.grammar import Collins
    >>> grammar = Collins.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> parts = Parts(3, arcs=([0, 2], [2, 1], [1.0, 1.0]))
    >>> joint = agree_on_arcs(grammar.forest(["it", "rains"]), parts)
    >>> print(joint.tree, joint.score, joint.certified)
    (S (NP (PRP it)) (VP (VBZ rains))) 2.0 True
    """
    arcs = ArcVariables.of(forest)
    every = np.ones(arcs.count, dtype=bool)
    oracles: list[Oracle] = [PhraseOracle(arcs, every, forest), DependencyOracle(arcs, every, parts)]
    relaxation = agree(oracles, weight, **search)
    if relaxation.answer is None:
        raise InfeasibleError("no tree of the forest has arcs that the dependency parser allows")
    chosen = np.where(np.asarray(relaxation.answer) > 0.5, 0.0, -np.inf)
    best = forest.best_of_kept(arcs.matrix(chosen, -np.inf))
    return JointParse(
        best.tree, given_up=forest.given_up, heads=best.heads, beam=forest.beam, **certificate(relaxation, weight)
    )


def candidate_arcs(arcs: ArcVariables) -> Candidates:
    """Return the arcs as the dependency parser takes them."""
    order = np.lexsort((arcs.head, arcs.modifier))
    marginal = np.zeros((arcs.words + 1, arcs.words + 1))
    return Candidates(
        np.ascontiguousarray(arcs.head[order], dtype=np.int32),
        np.ascontiguousarray(arcs.modifier[order], dtype=np.int32),
        marginal,
    )

"""Second-order trees that may cross, drawn exactly by rejection from first-order proposals.

A proposal t is drawn with probability exp(w(t)) / Z_w by Wilson's algorithm, where w(t) is a sum of arc scores w. With
an upper bound B on value(t) - w(t) over all trees, it is accepted with probability exp(value(t) - w(t) - B). Accepted
trees are independent and have the probabilities exp(value) / Z. The share accepted is exp(log Z - B - log Z_w), so w
is chosen to make B + log Z_w small, a convex function of w. Its subgradient is the marginals of w less the arcs
of the tree that maximises value(t) - w(t); the bound comes from the decoder.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.errors import BudgetError, InputError

DESCENT_STEPS = 40  # not tuned; the time of each is that of a decoding
FIRST_STEP = 1.0  # not tuned: a head that the best tree has and proposals lack gains one unit of score
BATCH = 1000  # proposals drawn at once; not tuned
MAX_NODES = 1000  # of a search whose first node has no tree; not tuned
MAX_ROUNDING = 1e-6  # of the logarithm of a probability
MAX_PROPOSALS = 20_000  # for one tree; not tuned: more would take about a tenth of a second


@dataclass(frozen=True, eq=False)
class _Proposal:
    """First-order scores w, an upper bound on value(t) - w(t) for all trees t, and a tree near it."""

    scores: NDArray[np.float64]
    bound: float
    heads: NDArray[np.int32]
    log_partition: float

    @property
    def log_rejection(self) -> float:
        """-log of the share accepted, up to a constant."""
        return self.bound + self.log_partition


def draw(problem: Problem, size: int, seed: int) -> NDArray[np.int32]:
    """[size, nodes]: heads of independent trees, for a problem with at least one tree of finite value."""
    proposal = _fit_proposal(problem)
    seeds = np.random.SeedSequence(seed)
    accepted: list[NDArray[np.int32]] = []
    drawn = 0
    while len(accepted) < size:
        accepted += _accept(problem, proposal, seeds)
        drawn += BATCH
        if drawn > MAX_PROPOSALS * (len(accepted) + 1):
            raise InputError(
                f"sample has accepted {len(accepted)} of {drawn} first-order proposals, too few to draw second-order "
                "trees that may cross: give projective=True, smaller second-order scores, or -inf instead of masks"
            )
    return np.array(accepted[:size], dtype=np.int32).reshape(size, problem.nodes)


def _accept(problem: Problem, proposal: _Proposal, seeds: np.random.SeedSequence) -> list[NDArray[np.int32]]:
    """Draw one batch of proposals and return those that are accepted."""
    for_trees, for_acceptance = seeds.spawn(2)
    scores, parts = proposal.scores, problem.parts
    trees = _core.sample(scores, False, problem.single_root, BATCH, int(for_trees.generate_state(1, np.uint64)[0]))
    values = np.array([parts.value(heads) for heads in trees])
    proposed = scores[trees[:, 1:], np.arange(1, problem.nodes)].sum(axis=1)
    uniform = np.random.Generator(np.random.PCG64(for_acceptance)).random(BATCH)
    accepted = uniform < np.exp(values - proposed - proposal.bound)
    _check_rounding(np.abs(values[accepted]) + np.abs(proposed[accepted]) + abs(proposal.bound))
    return list(trees[accepted])


def _check_rounding(sizes: NDArray[np.float64]) -> None:
    """Refuse trees if differences of numbers of these sizes round probabilities."""
    if (sizes * np.finfo(np.float64).eps > MAX_ROUNDING).any():
        raise InputError(
            "sample cannot draw second-order trees that may cross where every tree has a large penalty, which leaves "
            "no digits for the other scores: give projective=True, or -inf for what is forbidden"
        )


def _fit_proposal(problem: Problem) -> _Proposal:
    """Return the best of the proposals that subgradient descent finds, from the arc scores on."""
    allowed = problem.matrix > -np.inf
    words = np.arange(1, problem.nodes)
    scores = problem.matrix
    best = current = _proposal(problem, scores)
    for step in range(DESCENT_STEPS):
        marginal, _ = _core.marginals(scores, False, problem.single_root)
        direction = -marginal
        direction[current.heads[1:], words] += 1
        scores = np.where(allowed, scores + FIRST_STEP / (1 + step / 5) * direction, -np.inf)
        current = _proposal(problem, scores)
        if current.log_rejection < best.log_rejection:
            best = current
    return best


def _proposal(problem: Problem, scores: NDArray[np.float64]) -> _Proposal:
    parts = Parts.of(problem.parts)
    head, modifier, score = parts.arcs
    rest = Parts(
        parts.nodes,
        (head, modifier, score - scores[head, modifier]),
        parts.siblings,
        parts.grandparents,
        parts.stops,
    )
    try:
        parse = tree(rest, root=problem.root, max_nodes=1)  # a bound that need not be tight, in little time
    except BudgetError:  # the differences of nearly equal scores are of very different sizes: one node has no tree yet
        parse = tree(rest, root=problem.root, max_nodes=MAX_NODES)
    return _Proposal(scores, parse.bound, parse.heads, _core.log_partition(scores, False, problem.single_root))

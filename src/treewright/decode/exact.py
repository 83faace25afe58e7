"""Exact decoding: which algorithm is exact for which parts, and which charts are too large.

The choice is made here only, for one sentence and for batches. Chu-Liu-Edmonds takes O(n²), Eisner and its extension to
siblings O(n³), the one to grandparents O(n⁴); crossing second-order trees need a search, branch and bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.budget import Budget
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Parse, check_tolerance
from treewright.decode.search.automata import HeadAutomata
from treewright.decode.search.recorded import proof_of_tree
from treewright.decode.structure import TreeConstraint, check_constraints
from treewright.errors import InputError
from treewright.proofs.proof import Proof

Direct = Literal["eisner", "chu-liu-edmonds", "sibling-eisner", "grand-eisner"]
Algorithm = Direct | Literal["branch and bound"]  # the `method` of a Parse

# The heads of all trees one after the other; where those of each tree end, its value, bound, gap and spread.
_Trees = tuple[bytearray, list[int], list[float], list[float], list[float], list[float]]

LARGEST_CHART = 2 * 2**30  # bytes; not tuned: about 400 words when every arc is a candidate

_KERNELS: dict[Direct, _core.DirectAlgorithm] = {
    "eisner": _core.DirectAlgorithm.eisner,
    "chu-liu-edmonds": _core.DirectAlgorithm.chu_liu_edmonds,
    "sibling-eisner": _core.DirectAlgorithm.sibling_eisner,
    "grand-eisner": _core.DirectAlgorithm.grand_eisner,
}


def algorithm(*, projective: bool, siblings: bool, grandparents: bool) -> Algorithm:
    """The cheapest exact algorithm for trees and parts of that kind; stops count as siblings.

    >>> algorithm(projective=True, siblings=True, grandparents=False)
    'sibling-eisner'
    """
    if not siblings and not grandparents:
        return first_order(projective)
    if not projective:
        return "branch and bound"
    return "grand-eisner" if grandparents else "sibling-eisner"


def first_order(projective: bool) -> Direct:
    """The exact algorithm where arcs alone are scored."""
    return "eisner" if projective else "chu-liu-edmonds"


def solve(
    problem: Problem,
    *,
    max_seconds: float | None = None,
    max_nodes: int | None = None,
    trace: bool = False,
    proof: bool = False,
    constraints: Iterable[TreeConstraint] = (),
    tolerance: float = TOLERANCE,
    automata: HeadAutomata | None = None,
) -> Parse:
    """Find the best tree by the cheapest exact algorithm; budget and trace apply where it is a search.

    proof=True keeps what `treewright.decode.verify` needs to check that no tree is better. constraints limit the shape
    of the tree and need a search, which keeps no proof. automata score the modifiers of each head by states; they need
    a search too.

    The tree is certified if no other can be better by more than tolerance times the spread of the scores. The bound is
    -inf when there is no tree.
    """
    check_tolerance(tolerance)
    budget = Budget.of(max_seconds, max_nodes)
    limits = check_constraints(constraints, problem.nodes)
    if limits or proof:
        refuse_outermost(problem)
    if proof:
        problem.refuse_grandsib("proof=True")
    if automata is not None:
        from treewright.decode.search import states  # imported on first use

        if limits or proof:
            raise InputError("automata have no form for proof=True and for constraints on the tree; leave these out")
        return states.exact(problem, automata, budget, tolerance, trace)
    if limits and proof:
        raise InputError("proof=True has no form for constraints on the shape of the tree; leave out one of them")
    if limits:
        return _solve_constrained(problem, limits, budget, trace, tolerance)
    chosen = algorithm(projective=problem.projective, siblings=problem.has_siblings, grandparents=problem.has_grand)
    if chosen != "branch and bound":
        parse = solve_directly(problem, chosen, tolerance)
        if proof:
            parse.proof = _direct_proof(problem, chosen)
        return parse
    from treewright.decode.search import branch  # imported on first use: most problems need no search

    return branch.solve(problem, budget, tolerance=tolerance, trace=trace, proof=proof)


def _solve_constrained(
    problem: Problem, constraints: tuple[TreeConstraint, ...], budget: Budget, trace: bool, tolerance: float
) -> Parse:
    from treewright.decode.constraints import infeasible
    from treewright.decode.search import constrained  # imported on first use, as is the module above

    parse = constrained.search(problem, constraints, budget, trace=trace, tolerance=tolerance)
    if parse is None:
        raise infeasible(problem, constraints)
    return parse


def _direct_proof(problem: Problem, chosen: Direct) -> Proof:
    """The dual solution of a first-order tree that may cross; a chart is filled again by the checker."""
    if chosen != "chu-liu-edmonds":
        return Proof("chart")
    return proof_of_tree(problem.parts, problem.single_root)


def solve_directly(problem: Problem, chosen: Direct, tolerance: float = TOLERANCE) -> Parse:
    """Find the best tree under the scores that the algorithm reads; the bound is -inf when there is no tree."""
    is_first_order = chosen in ("eisner", "chu-liu-edmonds")
    if is_first_order and not isinstance(problem.given, Parts):
        return solve_matrix(problem.kernel_matrix, chosen == "eisner", problem.single_root, tolerance)
    if chosen == "grand-eisner":
        check_chart(problem.parts)
    [parse] = solve_parts([problem.parts], chosen, problem.single_root, tolerance)
    return parse


def solve_matrix(arc: NDArray[np.float64], projective: bool, single_root: bool, tolerance: float = TOLERANCE) -> Parse:
    """Find the best first-order tree: `solve_matrices` for a batch of one."""
    heads, _, [score], [bound], [gap], [spread] = _core.best_trees([arc], np.ndarray, projective, single_root, 1)
    return Parse(np.frombuffer(heads, np.int32), score, bound, first_order(projective), gap, spread, tolerance)


def solve_matrices(arcs: list[Any], projective: bool, single_root: bool, threads: int = 1) -> TreeBatch:
    """Find the best first-order tree of each float64 array arc[h, m]; the diagonal and column 0 are not read.

    The score is -inf for items of another type, for malformed scores, and for sentences without a tree.
    """
    trees = _core.best_trees(arcs, np.ndarray, projective, single_root, threads)
    return TreeBatch(trees, first_order(projective), TOLERANCE)


def solve_parts(
    batch: Sequence[_core.Parts],
    chosen: Direct,
    single_root: bool,
    tolerance: float = TOLERANCE,
    threads: int = 1,
) -> TreeBatch:
    """Find the best tree of each sentence by one direct algorithm; the score is -inf where there is none."""
    trees = _core.best_trees_of_parts(list(batch), _KERNELS[chosen], single_root, tolerance, threads)
    return TreeBatch(trees, chosen, tolerance)


class TreeBatch(Sequence[Parse]):
    """The trees of a batch, in the columns of the core; a Parse is made when a tree is read, and each time anew."""

    __slots__ = ("_bounds", "_ends", "_gaps", "_heads", "_method", "_spreads", "_tolerance", "scores")

    def __init__(self, trees: _Trees, method: Direct, tolerance: float) -> None:
        heads, self._ends, self.scores, self._bounds, self._gaps, self._spreads = trees
        self._heads = np.frombuffer(heads, np.int32)
        self._method, self._tolerance = method, tolerance

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> Parse: ...
    @overload
    def __getitem__(self, place: slice) -> list[Parse]: ...
    def __getitem__(self, place: int | slice) -> Parse | list[Parse]:
        if isinstance(place, slice):
            return [self[item] for item in range(*place.indices(len(self)))]
        item = range(len(self))[place]
        heads = self._heads[self._ends[item - 1] if item else 0 : self._ends[item]]
        numbers = self._gaps[item], self._spreads[item], self._tolerance
        return Parse(heads, self.scores[item], self._bounds[item], self._method, *numbers)

    def __iter__(self) -> Iterator[Parse]:
        each = map(self._heads.__getitem__, map(slice, [0, *self._ends], self._ends))
        numbers = self._gaps, self._spreads, repeat(self._tolerance)
        return map(Parse, each, self.scores, self._bounds, repeat(self._method), *numbers)

    def __repr__(self) -> str:
        return repr(list(self))


def refuse_outermost(problem: Problem) -> None:
    """Refuse parts with outermost=True where only the chart of the best tree has them."""
    if isinstance(problem.given, Parts) and problem.given.outermost:
        raise InputError("parts with outermost=True have no proofs, constraints on the tree, or methods beside 'exact'")


def is_chart_too_large(parts: _core.Parts) -> bool:
    """Whether the grandparent chart of the parts would take more memory than allowed."""
    return _core.grand_eisner_bytes(parts) > LARGEST_CHART


def check_chart(parts: _core.Parts) -> None:
    """Refuse parts whose grandparent chart would take too much memory."""
    if is_chart_too_large(parts):
        raise InputError(
            f"the chart of {parts.nodes - 1} words with {parts.arcs} candidate arcs would take "
            f"{_core.grand_eisner_bytes(parts) / 2**20:.1f} MiB, more than the {LARGEST_CHART / 2**20:.1f} MiB allowed "
            "(treewright.decode.exact.LARGEST_CHART): keep fewer candidate heads a word, or use method='dd'"
        )

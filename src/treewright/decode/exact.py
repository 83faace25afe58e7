"""Exact decoding: which algorithm is exact for which parts, and which charts are too large.

The choice is made here only, for one sentence and for batches. Chu-Liu-Edmonds takes O(n²), Eisner and its extension to
siblings O(n³), the one to grandparents O(n⁴); crossing second-order trees need a search, branch and bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.padded import Padded
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem, is_single
from treewright.decode.result import TOLERANCE, Parse, check_tolerance
from treewright.decode.structure import TreeConstraint, check_constraints
from treewright.errors import InputError
from treewright.proofs.proof import Proof
from treewright.streams import check_seconds

Direct = Literal["eisner", "chu-liu-edmonds", "sibling-eisner", "grand-eisner"]
Algorithm = Direct | Literal["branch and bound"]  # the `method` of a Parse

LARGEST_CHART = 2 * 2**30  # bytes, by convention: about 400 words when every arc is a candidate

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
) -> Parse:
    """The best tree by the cheapest exact algorithm; budget and trace apply where it is a search.

    proof=True keeps what `treewright.decode.verify` needs to check that no tree is better. constraints limit the shape
    of the tree and need a search, which keeps no proof.

    The tree is certified if no other can be better by more than tolerance times the spread of the scores. The bound is
    -inf when there is no tree.
    """
    check_tolerance(tolerance)
    limits = check_constraints(constraints, problem.nodes)
    if limits or proof:
        refuse_outermost([problem.parts] if isinstance(problem.given, Parts) else [])
    if limits and proof:
        raise InputError("proof=True has no form for constraints on the shape of the tree; leave out one of them")
    if limits:
        return _solve_constrained(problem, limits, max_seconds, max_nodes, trace, tolerance)
    chosen = algorithm(projective=problem.projective, siblings=problem.has_siblings, grandparents=problem.has_grand)
    if chosen == "chu-liu-edmonds" and proof:
        return _proved_tree(problem, tolerance)
    if chosen != "branch and bound":
        parse = solve_directly(problem, chosen, tolerance)
        return with_proof(parse, Proof("chart")) if proof else parse
    from treewright.decode.search import branch  # imported on first use: most problems need no search

    return branch.solve(
        problem, tolerance=tolerance, max_seconds=max_seconds, max_nodes=max_nodes, trace=trace, proof=proof
    )


def _solve_constrained(
    problem: Problem,
    constraints: tuple[TreeConstraint, ...],
    max_seconds: float | None,
    max_nodes: int | None,
    trace: bool,
    tolerance: float,
) -> Parse:
    from treewright.decode.constraints import infeasible
    from treewright.decode.search import constrained  # imported on first use, as are the modules below
    from treewright.decode.search.branch import check_nodes

    check_seconds(max_seconds)
    check_nodes(max_nodes)
    found = constrained.search(
        problem, constraints, max_seconds=max_seconds, max_nodes=max_nodes, trace=trace, tolerance=tolerance
    )
    if found is None:
        raise infeasible(problem, constraints)
    return found


def solve_batch(batch: Sequence[Parts], projective: bool, root: str, options: Mapping[str, Any]) -> list[Parse]:
    """`solve` for each Parts, in order; one call to the core decodes all that have the same direct algorithm."""
    if options.get("proof") or options.get("constraints"):
        refuse_outermost([parts.core for parts in batch])
    groups: dict[Algorithm, list[int]] = {}
    for place, parts in enumerate(batch):
        siblings, grandparents = parts.core.has_transitions, parts.core.has_grand
        chosen = algorithm(projective=projective, siblings=siblings, grandparents=grandparents)
        groups.setdefault(chosen, []).append(place)
    parses: dict[int, Parse] = {}
    for chosen, places in groups.items():
        if chosen == "branch and bound" or (chosen == "chu-liu-edmonds" and options.get("proof")):
            problems = [Problem.of(batch[place], projective=projective, root=root) for place in places]
            found = [solve(problem, **options) for problem in problems]
        else:
            tolerance = options.get("tolerance", TOLERANCE)
            check_tolerance(tolerance)
            found = decode_parts([batch[place].core for place in places], chosen, is_single(root), tolerance)
            found = [with_proof(parse, Proof("chart")) for parse in found] if options.get("proof") else found
        parses.update(zip(places, found, strict=True))
    return [parses[place] for place in range(len(batch))]


def solve_arcs(arc: NDArray[np.float64], projective: bool, single_root: bool, tolerance: float = TOLERANCE) -> Parse:
    """The best first-order tree of a checked matrix; its diagonal and column 0 are not read."""
    kernel = _core.bounded_eisner if projective else _core.bounded_chu_liu_edmonds
    return Parse.exact(*kernel(arc, single_root), first_order(projective), tolerance)


def solve_arrays(arcs: list[Any], projective: bool, root: str, threads: int) -> tuple[list[Parse | None], list[int]]:
    """The best first-order tree of each float64 array, and the places that have None.

    These are the places of other items, of malformed scores, and of sentences without a tree.
    """
    decode = _core.projective_parse_arrays if projective else _core.parse_arrays
    return decode(arcs, is_single(root), threads, Parse, first_order(projective))


def solve_padded(padded: Padded, projective: bool, root: str, threads: int) -> tuple[list[Parse | None], list[int]]:
    """The same for each item of a padded batch with arc scores only."""
    decode = _core.projective_parse_padded if projective else _core.parse_padded
    batch = (padded.scores, padded.lengths, padded.head_first)
    return decode(*batch, is_single(root), threads, Parse, first_order(projective))


def with_proof(parse: Parse, proof: Proof) -> Parse:
    """The parse itself, which no one else has, with its proof."""
    object.__setattr__(parse, "proof", proof)
    return parse


def _proved_tree(problem: Problem, tolerance: float) -> Parse:
    """The best first-order tree that may cross, with the solution of its dual program."""
    scores = problem.parts if isinstance(problem.given, Parts) else problem.matrix
    _, _, dual = _core.tree_dual(scores, problem.single_root)
    return with_proof(solve_directly(problem, "chu-liu-edmonds", tolerance), Proof.of_tree(dual))


def _read_matrix(problem: Problem) -> NDArray[np.float64]:
    """The kernels do not read the diagonal and column 0: without constraints the array needs no copy."""
    return problem.matrix if problem.is_constrained or isinstance(problem.given, Parts) else problem.given


def solve_directly(problem: Problem, chosen: Direct, tolerance: float = TOLERANCE) -> Parse:
    """The best tree under the scores that the algorithm reads; the bound is -inf when there is no tree."""
    if isinstance(problem.given, Parts) or chosen == "grand-eisner":
        return decode_one(problem.parts, chosen, problem.single_root, tolerance)
    arc = _read_matrix(problem)
    if chosen != "sibling-eisner":
        return solve_arcs(arc, chosen == "eisner", problem.single_root, tolerance)
    found = _core.sibling_eisner(arc, problem.sib, problem.stop, problem.single_root)
    parse = Parse.exact(*found, chosen, tolerance)
    if parse.certified or problem.has_grand:
        return parse
    # Scores of very different sizes: the decoder over parts has a way to avoid rounding.
    return decode_one(problem.parts, chosen, problem.single_root, tolerance)


def decode_one(parts: _core.Parts, chosen: Direct, single_root: bool, tolerance: float = TOLERANCE) -> Parse:
    """`decode_parts` for one sentence."""
    if chosen == "grand-eisner":
        check_chart(parts)
    heads, bounds = _core.decode_parts([parts], _KERNELS[chosen], single_root, tolerance)
    score, bound, gap, spread = bounds[0].tolist()
    return Parse.exact(heads, score, bound, gap, spread, chosen, tolerance)


def decode_parts(
    batch: Sequence[_core.Parts], chosen: Direct, single_root: bool, tolerance: float = TOLERANCE
) -> list[Parse]:
    """The best tree of each sentence by one direct algorithm."""
    if chosen == "grand-eisner":
        for parts in batch:
            check_chart(parts)
    heads, bounds = _core.decode_parts(list(batch), _KERNELS[chosen], single_root, tolerance)
    ends = accumulate((parts.nodes for parts in batch), initial=0)
    return [
        Parse.exact(heads[begin:end], score, bound, gap, spread, chosen, tolerance)
        for (begin, end), (score, bound, gap, spread) in zip(pairwise(ends), bounds.tolist(), strict=True)
    ]


def refuse_outermost(batch: Iterable[_core.Parts]) -> None:
    """Refuse parts with outermost=True where only the chart of the best tree has them."""
    if any(parts.outermost for parts in batch):
        raise InputError("parts with outermost=True have no proofs, constraints on the tree, or methods beside 'exact'")


def check_chart(parts: _core.Parts) -> None:
    """Refuse parts whose grandparent chart would take too much memory."""
    needed = _core.grand_eisner_bytes(parts)
    if needed > LARGEST_CHART:
        raise InputError(
            f"the chart of {parts.nodes - 1} words with {parts.arcs} candidate arcs would take "
            f"{needed / 2**20:.1f} MiB, more than the {LARGEST_CHART / 2**20:.1f} MiB allowed "
            "(treewright.decode.exact.LARGEST_CHART): keep fewer candidate heads a word, or use method='dd'"
        )

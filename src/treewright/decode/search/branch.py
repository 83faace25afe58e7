"""The best second-order tree where arcs may cross: dual decomposition finished by branch and bound."""

from __future__ import annotations

import math
from dataclasses import replace

from treewright import _core
from treewright.decode.budget import UNLIMITED, Budget
from treewright.decode.constraints import infeasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Parse, check_tolerance
from treewright.decode.search.dual import columns
from treewright.decode.search.recorded import proof_of_search
from treewright.errors import BudgetError, InputError
from treewright.proofs import verify


def solve(
    problem: Problem,
    budget: Budget = UNLIMITED,
    *,
    tolerance: float = TOLERANCE,
    trace: bool = False,
    proof: bool = False,
) -> Parse:
    """Find the best tree, certified; on a budget the best found, with the bound that was reached.

    A tree is certified if no other can be better by more than tolerance times the spread of the scores.
    A result within a limit of nodes is reproducible. trace has one entry an iteration: "dual" (of the node worked on),
    "best", "bound" (on all trees), "disagreements", "recomputed", "node".

    >>> import numpy as np
    >>> import treewright as tw
    >>> random = np.random.default_rng(7)
    >>> arc, sib, grand = random.normal(size=(8, 8)), random.normal(size=(8, 8, 8)), random.normal(size=(8, 8, 8))
    >>> parse = tw.decode.tree(arc, sib=sib, grand=grand)
    >>> parse.certified, round(parse.gap, 6)
    (True, 0.0)
    """
    if problem.projective:
        raise InputError("branch and bound is for trees that may cross; projective ones have a dynamic program")
    check_tolerance(tolerance)
    solution = _core.branch_and_bound(
        problem.parts,
        problem.single_root,
        float(budget.seconds),
        int(budget.nodes),
        float(tolerance),
        bool(trace),
        bool(proof),
    )
    if solution.bound == -math.inf:
        raise infeasible(problem)
    if solution.value == -math.inf:
        raise BudgetError(f"no tree without a part of the score -inf was found within {budget}; raise the limit")
    parse = Parse(
        solution.heads,
        solution.value,
        solution.bound,
        "branch and bound",
        solution.gap,
        solution.spread,
        tolerance,
        "agreement" if solution.certificate == "agreement" else "bound",
        solution.iterations,
        solution.nodes,
        columns(solution.trace, problem.nodes) if trace else None,
        proof=proof_of_search(solution.proof, problem.parts.head, problem.parts.modifier) if proof else None,
    )
    is_rounding = not parse.certified and parse.gap <= tolerance * abs(parse.score)
    return with_proved_gap(problem, parse) if proof and is_rounding else parse


def with_proved_gap(problem: Problem, parse: Parse) -> Parse:
    """Return the parse with the gap that its proof shows in exact arithmetic.

    The gap of a recorded search includes the rounding of the whole search. In sentences of a few words, whose trees
    hardly differ, this rounding alone can exceed the tolerance.
    """
    verified = verify(Parts.of(problem.parts), parse, root=problem.root)
    bound = max(parse.score, verified.bound)  # the score may be rounded upwards
    return replace(parse, gap=min(parse.gap, verified.gap), bound=min(parse.bound, bound))

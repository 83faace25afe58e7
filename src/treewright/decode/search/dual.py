"""Dual decomposition (Koo et al. 2010): a spanning tree and head automata, made to agree by prices on the arcs."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.arrays import LARGEST
from treewright.decode.constraints import infeasible
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Multipliers, Parse, check_tolerance
from treewright.decode.search.automata import HeadAutomata
from treewright.errors import BudgetError, InputError
from treewright.streams import check_seconds

Steps = Literal["koo", "polyak"]
BETA = 0.001  # the paper's share of the arc scores in the tree's subproblem


def solve(
    problem: Problem,
    *,
    max_iterations: int = 5000,
    steps: Steps = "koo",
    beta: float = BETA,
    tolerance: float = TOLERANCE,
    max_seconds: float | None = None,
    warm_start: Multipliers | None = None,
    tighten: bool = True,
    published: bool = False,
    trace: bool = False,
    automata: HeadAutomata | None = None,
) -> Parse:
    """Drive tree and automata to agree; return the best tree seen, certified when they do or the bound is met.

    steps is the rule of the paper ("koo") or Polyak's, which aims at the best value known. beta is the share of the
    arc scores that the tree's subproblem has. warm_start takes the multipliers of an earlier result.
    tighten spends the iterations left, once the bound comes down no more, on fixing arcs by the bound and by probing.
    published is the algorithm of the paper: multipliers begin at 0 instead of the second best head of each word (so
    that constants added to all heads of a word change its course), the automata do not know that the root has a child
    and that no word's head is one of its modifiers, and nothing is tightened. automata: head automata of the
    caller (states.py) in place of siblings and grandparents; multipliers begin at 0 then, and nothing is tightened.

    trace has one entry an iteration: "dual" (an upper bound on every tree; while tightening, on those of the piece that
    is worked on), "best", "bound" (on every tree), "disagreements" (arcs on which tree and automata differ) and
    "recomputed" (the share of automata decoded again). `arcs` of the result are the averaged trees before
    tightening, which approach the solution of the linear program whose dual this is.

    >>> import numpy as np
    >>> import treewright as tw
    >>> random = np.random.default_rng(7)
    >>> arc, sib = 3 * random.normal(size=(8, 8)), random.normal(size=(8, 8, 8))
    >>> parse = tw.decode.tree(arc, sib=sib, method="dd", trace=True)
    >>> parse.certificate, bool((parse.trace["dual"] >= parse.score - 1e-9).all())
    ('agreement', True)
    """
    _check(max_iterations, steps, beta)
    check_seconds(max_seconds)
    check_tolerance(tolerance)
    if automata is not None:
        from treewright.decode.search import states  # imported on first use: it imports this module

        if beta != BETA or warm_start is not None or not tighten or published:
            raise InputError("automata come without beta, warm_start, tighten and published; leave these out")
        return states.dd(problem, automata, max_iterations, steps, tolerance, max_seconds, trace)
    parts = problem.parts
    u = v = np.zeros(parts.arcs) if published else None
    if warm_start is not None:
        u, v = _align(warm_start, parts)
    seconds = math.inf if max_seconds is None else float(max_seconds)
    solution = _core.dual_decomposition(
        parts,
        projective=problem.projective,
        single_root=problem.single_root,
        beta=float(beta),
        polyak=steps == "polyak",
        max_iterations=int(max_iterations),
        max_seconds=seconds,
        tolerance=float(tolerance),
        trace=bool(trace),
        tighten=tighten and not published,
        facts=not published,
        u=u,
        v=v,
    )
    if solution.bound == -math.inf:
        raise infeasible(problem)
    if solution.value == -math.inf:
        raise BudgetError(
            f"no tree without a part of the score -inf was found in {solution.iterations} iterations; raise "
            "max_iterations or max_seconds, or use method='exact', which decides whether there is one"
        )
    head, modifier = parts.head, parts.modifier
    arcs = np.zeros((problem.nodes, problem.nodes))
    arcs[head, modifier] = solution.average
    return Parse(
        solution.heads,
        solution.value,
        solution.bound,
        "dd",
        solution.gap,
        solution.spread,
        tolerance,
        "agreement" if solution.certificate == "agreement" else "bound",
        solution.iterations,
        trace=columns(solution.trace, problem.nodes) if trace else None,
        arcs=arcs,
        multipliers=Multipliers(head, modifier, solution.u, solution.v),
    )


def columns(trace: dict[str, Any], nodes: int) -> dict[str, NDArray[Any]]:
    """Return the columns of a trace, with the automata as a share of them all, one a node."""
    return trace | {"recomputed": trace["recomputed"] / nodes}


def _check(max_iterations: int, steps: str, beta: float) -> None:
    if max_iterations < 1:
        raise InputError(f"max_iterations is {max_iterations}; at least one is needed for a tree and a bound")
    if steps not in ("koo", "polyak"):
        raise InputError(f"steps is {steps!r}; the rules are 'koo' and 'polyak'")
    if not 0 <= beta <= 1:
        raise InputError(f"beta is {beta}; it is a share of the arc scores, between 0 and 1")


def _align(given: Multipliers, parts: _core.Parts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """u and v in the order of the parts' arcs; arcs that were not there before start at zero."""
    h, m = np.asarray(given.h, dtype=np.int64), np.asarray(given.m, dtype=np.int64)
    given_keys = h * parts.nodes + m
    order = np.argsort(given_keys)
    keys = parts.head.astype(np.int64) * parts.nodes + parts.modifier
    row = np.minimum(np.searchsorted(given_keys[order], keys), max(len(order) - 1, 0))
    is_given = given_keys[order][row] == keys if len(order) else np.zeros(len(keys), dtype=bool)
    aligned = []
    for name in ("u", "v"):
        column = np.asarray(getattr(given, name), dtype=np.float64)
        if column.shape != h.shape or not (np.abs(column) <= LARGEST).all():
            raise InputError(
                f"warm_start.{name} must hold one number an arc, within {LARGEST:g} of zero, as parse.multipliers does"
            )
        aligned.append(np.where(is_given, column[order][row], 0.0) if len(order) else np.zeros(len(keys)))
    return aligned[0], aligned[1]

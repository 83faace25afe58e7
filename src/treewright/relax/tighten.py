"""Closing a gap: share products of disputed variables, or branch on them.

Where oracles agree on every variable's average and still not on a structure, they disagree on combinations. `tighten`
makes products of disputed variables shared, so that combinations must agree, too (Rush et al. 2010 name the problem in
their appendix A). `branch` splits on a disputed variable, off or on, and bounds both halves: always exact.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.relax.engine import Certificate, Relaxation, relax
from treewright.relax.oracle import Oracle, Refinable, Restrictable


def tighten(oracles: Sequence[Oracle], *, rounds: int = 5, variables: int = 6, **options: Any) -> Relaxation:
    """Relax; while that leaves a gap, make the products of the most disputed variables shared, and go on.

    variables is how many join in a round. options are those of `relax`. The oracles that decide both variables of a
    pair must be `Refinable`. The answer and the averages are over the variables the caller knows; iterations, disputes
    and the trace are those of all rounds.

    >>> from treewright.relax import Table
    >>> equal, different = Table([0, 1], [[0, 0], [1, 1]]), Table([0, 1], [[0, 1], [1, 0], [0, 0]], [0, 0, -1])
    >>> relax([equal, different]).certified, tighten([equal, different]).certified
    (False, True)
    """
    oracles = list(oracles)
    result = relax(oracles, **options)
    known, count = set[tuple[int, int]](), len(result.averages)
    total = count
    for _ in range(rounds):
        if result.certificate is not None:
            break
        pairs = _open_pairs(oracles, result, count, known, variables)
        if not pairs:
            break
        known.update(pairs)
        oracles = [_with_products(oracle, pairs, total) for oracle in oracles]
        total += len(pairs)
        start = [
            np.pad(old, (0, len(oracle.keys) - len(old)))
            for old, oracle in zip(result.multipliers, oracles, strict=True)
        ]
        result = _joined(result, relax(oracles, **(options | {"start": start})), count)
    return result


def _open_pairs(
    oracles: Sequence[Oracle], result: Relaxation, count: int, known: set[tuple[int, int]], variables: int
) -> list[tuple[int, int]]:
    """Pairs of the least settled variables that two oracles could share, those shared already left out."""
    settled = [(-result.disputes[s], abs(result.averages[s] - 0.5), s) for s in range(count)]
    unsettled = [s for disputes, distance, s in sorted(settled) if disputes < 0 or distance < 0.45]
    refinable = [set(oracle.keys.tolist()) for oracle in oracles if isinstance(oracle, Refinable)]
    pairs = []
    for place, a in enumerate(unsettled):  # a pair as soon as the more settled of the two comes up
        for b in unsettled[:place]:
            pair = (min(a, b), max(a, b))
            if pair not in known and sum(set(pair) <= keys for keys in refinable) >= 2:
                pairs.append(pair)
    return pairs[: variables * (variables - 1) // 2]


def _with_products(oracle: Oracle, pairs: Sequence[tuple[int, int]], first: int) -> Oracle:
    keys = set(oracle.keys.tolist())
    mine = [i for i, pair in enumerate(pairs) if set(pair) <= keys]
    if not mine or not isinstance(oracle, Refinable):
        return oracle
    return oracle.with_products([pairs[i] for i in mine], [first + i for i in mine])


def _joined(before: Relaxation, after: Relaxation, count: int) -> Relaxation:
    """The second run with the first one's part in it. Every bound is valid for the same problem."""
    kept = after if after.value >= before.value else before
    answer = kept.answer[:count] if isinstance(kept.answer, np.ndarray) else kept.answer
    bound = max(min(before.bound, after.bound), kept.value)
    disputes = after.disputes[:count] + before.disputes[:count]
    return replace(
        after,
        value=kept.value,
        answer=answer,
        structures=kept.structures,
        bound=bound,
        iterations=before.iterations + after.iterations,
        averages=after.averages[:count],
        disputes=disputes,
        trace=before.trace + after.trace,
    )


def branch(oracles: Sequence[Oracle], *, max_nodes: int = 1000, **options: Any) -> Relaxation:
    """Relax; while that leaves a gap, fix the variable in dispute to off and to on, the most promising part first.

    options are those of `relax`, for each part. Every oracle must be `Restrictable`. With nodes to spare the answer is
    certified by its bound; otherwise bound and gap are valid all the same.

    >>> from treewright.relax import Table
    >>> equal, different = Table([0, 1], [[0, 0], [1, 1]]), Table([0, 1], [[0, 1], [1, 0], [0, 0]], [0, 0, -1])
    >>> found = branch([equal, different])
    >>> found.value, found.answer.tolist(), found.certified
    (-1.0, [0.0, 0.0], True)
    """
    tolerance = float(options.get("tolerance", 1e-9))
    best = relax(oracles, **options)
    bound = best.bound
    open_: list[tuple[float, int, dict[int, bool], Relaxation]] = [(-best.bound, 0, {}, best)]
    nodes, iterations = 1, best.iterations
    while open_ and best.certificate != "infeasible":
        bound = -open_[0][0]
        if _reached(best.value, bound, tolerance) or nodes >= max_nodes:
            break
        _, _, fixed, parent = heapq.heappop(open_)
        variable = _branching_variable(parent, fixed)
        if variable is None:
            raise ValueError(
                "branch found nothing left to fix in a part that has a gap; an oracle's ties must be stable"
            )
        for on in (True, False):
            child = relax(
                [_restricted(oracle, i, fixed | {variable: on}) for i, oracle in enumerate(oracles)],
                **(options | {"start": parent.multipliers}),
            )
            nodes, iterations = nodes + 1, iterations + child.iterations
            if child.value > best.value:
                best = child
            if child.certificate is None:
                heapq.heappush(open_, (-min(child.bound, parent.bound), nodes, fixed | {variable: on}, child))
        bound = max(best.value, -open_[0][0]) if open_ else best.value
    if best.certificate == "infeasible" or bound == -math.inf:
        return replace(best, certificate="infeasible", bound=-math.inf, iterations=iterations)
    proved: Certificate | None = "bound" if _reached(best.value, bound, tolerance) else None
    return replace(best, certificate=proved, bound=max(bound, best.value), iterations=iterations)


def _reached(value: float, bound: float, tolerance: float) -> bool:
    return value >= bound - tolerance * max(1.0, abs(bound))


def _restricted(oracle: Oracle, i: int, fixed: dict[int, bool]) -> Oracle:
    if not isinstance(oracle, Restrictable):
        raise ValueError(f"oracles[{i}] has no restrict(fixed); branch needs it to fix variables")
    return oracle.restrict(fixed)


def _branching_variable(node: Relaxation, fixed: dict[int, bool]) -> int | None:
    """The free variable most often in dispute, then the one nearest one half, then the first."""
    disputes = [math.inf if s in fixed else -count for s, count in enumerate(node.disputes)]
    order = sorted(range(len(disputes)), key=lambda s: (disputes[s], abs(node.averages[s] - 0.5), s))
    return order[0] if order and order[0] not in fixed else None

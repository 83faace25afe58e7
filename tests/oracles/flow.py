"""The best spanning tree as a linear program: multi-commodity flow, whose optimum over trees is integral; by HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np


def best_value(arc: Any, *, root: str = "single") -> float:
    """One unit flows from the root to each word k over arcs that are in use: flow_k(a) <= used(a) <= 1.

    -inf when no tree is allowed. n words take n (n² + 1) variables: meant for n up to 12.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    arc = np.asarray(arc, dtype=float)
    n = len(arc) - 1
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m and arc[h, m] > -np.inf]
    count = len(arcs)
    equal: list[tuple[int, int, float]] = []  # row, column, coefficient
    at_most: list[tuple[int, int, float]] = []
    right: list[float] = []
    for word in range(1, n + 1):  # one arc enters each word
        equal += [(len(right), a, 1.0) for a, (_, m) in enumerate(arcs) if m == word]
        right.append(1.0)
    if root == "single":
        equal += [(len(right), a, 1.0) for a, (h, _) in enumerate(arcs) if h == 0]
        right.append(1.0)
    for k in range(1, n + 1):
        flow = count * k
        for node in range(n + 1):  # out - in = 1 at the root, -1 at word k, 0 elsewhere
            for a, (h, m) in enumerate(arcs):
                if node in (h, m):
                    equal.append((len(right), flow + a, 1.0 if node == h else -1.0))
            right.append(1.0 if node == 0 else -1.0 if node == k else 0.0)
        for a in range(count):
            at_most += [((k - 1) * count + a, flow + a, 1.0), ((k - 1) * count + a, a, -1.0)]

    def matrix(entries: list[tuple[int, int, float]], rows: int) -> Any:
        row, column, coefficient = zip(*entries, strict=True)
        return coo_matrix((coefficient, (row, column)), shape=(rows, count * (n + 1))).tocsr()

    costs = np.concatenate([[-arc[h, m] for h, m in arcs], np.zeros(count * n)])
    found = linprog(
        costs,
        A_ub=matrix(at_most, n * count),
        b_ub=np.zeros(n * count),
        A_eq=matrix(equal, len(right)),
        b_eq=right,
        bounds=(0, 1),
        method="highs",
    )
    return -float(found.fun) if found.success else -np.inf

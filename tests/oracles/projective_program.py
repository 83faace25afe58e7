"""The best projective tree as an integer program: an oracle where there are too many trees to list.

Arcs are binary; flow from the root makes them a tree; no two arcs may cross (node 0 stands left of all words, so a
tree without crossings is projective). A side's siblings are a path through its candidates, a grandparent part is a
share of its lower arc, and no more than its upper one.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix


class Program:
    """Variables with scores and rows of constraints, handed to HiGHS."""

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.rows: list[tuple[dict[int, float], float, float]] = []

    def variable(self, score: float = 0.0) -> int:
        self.scores.append(score)
        return len(self.scores) - 1

    def row(self, terms: dict[int, float], low: float, high: float) -> None:
        self.rows.append((terms, low, high))

    def solve(self, binary: list[int], upper: dict[int, float]) -> float:
        entries = [(r, v, c) for r, (terms, _, _) in enumerate(self.rows) for v, c in terms.items()]
        r, v, c = zip(*entries, strict=True)
        matrix = coo_matrix((c, (r, v)), shape=(len(self.rows), len(self.scores))).tocsr()
        limits = np.ones(len(self.scores))
        for variable, limit in upper.items():
            limits[variable] = limit
        integrality = np.zeros(len(self.scores))
        integrality[binary] = 1
        found = milp(
            -np.array(self.scores),
            integrality=integrality,
            bounds=Bounds(0, limits),
            constraints=LinearConstraint(matrix, [low for _, low, _ in self.rows], [high for _, _, high in self.rows]),
            options={"mip_rel_gap": 0.0},
        )
        assert found.status == 0, found.message
        return -float(found.fun)


def best_value(n: int, root: str, arc: Any, sib: Any = None, grand: Any = None, stop: Any = None) -> float:
    """The value of the best projective tree over finite scores."""
    program = Program()
    words = range(1, n + 1)
    z = {(h, m): program.variable(arc[h, m]) for h in range(n + 1) for m in words if h != m}
    for m in words:
        program.row({z[h, m]: 1 for h in range(n + 1) if h != m}, 1, 1)
    if root == "single":
        program.row({z[0, m]: 1 for m in words}, 1, 1)
    flow = {a: program.variable() for a in z}
    for m in words:
        terms = {flow[h, m]: 1.0 for h in range(n + 1) if h != m}
        terms |= {flow[m, k]: -1.0 for k in words if k != m}
        program.row(terms, 1, 1)
    for a in z:
        program.row({flow[a]: 1, z[a]: -n}, -np.inf, 0)
    for a, b in combinations(z, 2):
        (i, j), (k, end) = sorted(a), sorted(b)
        if i < k < j < end or k < i < end < j:
            program.row({z[a]: 1, z[b]: 1}, -np.inf, 1)
    if sib is not None or stop is not None:
        for h in range(n + 1):
            for side in (0, 1):
                if (h, side) != (0, 0):
                    add_side(program, z, h, side, n, sib, stop)
    if grand is not None:
        for h, m in z:
            if h != 0:  # h has exactly one head, so its grandparent parts to m share out the arc (h, m)
                shares = {g: program.variable(grand[g, h, m]) for g in range(n + 1) if g not in (h, m)}
                program.row(dict.fromkeys(shares.values(), 1.0) | {z[h, m]: -1.0}, 0, 0)
                for g, x in shares.items():
                    program.row({x: 1, z[g, h]: -1}, -np.inf, 0)
    return program.solve(list(z.values()), {v: float(n) for v in flow.values()})


def add_side(program: Program, z: dict[tuple[int, int], int], h: int, side: int, n: int, sib: Any, stop: Any) -> None:
    """One unit of flow from the head through its modifiers on that side to the stop."""
    outwards = list(range(h + 1, n + 1)) if side else list(range(h - 1, 0, -1))
    steps: dict[tuple[int, int | None], int] = {}
    for place, s in enumerate([h, *outwards]):
        for m in outwards[place:]:
            steps[s, m] = program.variable(0.0 if sib is None else sib[h, m, s])
        steps[s, None] = program.variable(0.0 if stop is None else stop[h, s, side])
    program.row({v: 1 for (s, _), v in steps.items() if s == h}, 1, 1)
    for m in outwards:
        program.row({v: 1.0 for (_, q), v in steps.items() if q == m} | {z[h, m]: -1.0}, 0, 0)
        program.row({v: 1.0 for (s, _), v in steps.items() if s == m} | {z[h, m]: -1.0}, 0, 0)

"""Lagrangian relaxation for any number of oracles that must agree on shared variables (Rush et al., Koo et al. 2010).

    maximise   sum over oracles o of  weight_o * score_o(y_o)     such that they agree on every shared variable

Each oracle o has a multiplier u[o, s] for each variable s that it shares. The multipliers of s sum to zero, so that

    dual(u) = sum over o of  max over y_o of  weight_o * score_o(y_o) + u[o] . y_o

is an upper bound on every answer on which all agree, for every u. One iteration solves the oracles whose multipliers
changed and updates

    u[o, s] -= step * (y_o(s) - the mean of y(s) over the other oracles of s)

which for two oracles is the update of both papers. An answer is certified as optimal when its gap is at most the
tolerance times the spread: the sum of the oracles' own best values, dual(0), less the value of the answer. Where all
oracles agree, the gap is that of rounding. Averages of the later assignments, weighted
by the steps, approach a solution of the linear relaxation (Nedic and Ozdaglar 2009); variables that are fractional
there are those on which the oracles continue to disagree.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypedDict

import numpy as np

from treewright.relax.oracle import Answer, Oracle, Scoring, Vector
from treewright.relax.steps import Descent, PolyakStep, Step

MAX_ITERATIONS = 250  # default of `relax`; not tuned
TOLERANCE = 1e-9  # default of `relax` and `branch`: above the rounding of sums, below differences that matter
# Of the values of oracles and the multipliers they add: 16 units in the last place, for oracles that sum tens of terms.
ROUNDING = 2.0**-48

Evidence = Literal["agreement", "bound"]
Certificate = Literal["agreement", "bound", "infeasible"]


@dataclass(frozen=True)
class Iteration:
    """One iteration in the trace."""

    dual: float
    bound: float
    value: float
    disagreements: int  # shared variables on which the oracles disagree
    solved: int  # oracles that were solved, because their multipliers had changed
    step: float


@dataclass(frozen=True)
class Relaxation:
    """The result of `relax`: the best answer, its value, a bound and the certificate."""

    value: float  # of the best answer found, -inf when none was
    bound: float  # upper bound on the value of every answer, rounding included; -inf: there is none
    gap: float  # no answer is better by more than this; 0 when it is proved that there is none
    rounding: float  # an upper bound on the rounding of the value, which the gap includes
    ceiling: float  # the sum of the oracles' own best values
    tolerance: float  # of the gap, relative to the spread
    evidence: Evidence  # what the bound rests on: all oracles agree on the answer, or the least dual value
    iterations: int
    answer: Vector | None  # the best assignment of the shared variables; None when none was found
    structures: tuple[Any, ...]  # those of the oracles in the same iteration, or in the last when no answer was found
    averages: Vector  # mean of each shared variable over oracles and the later iterations
    disputes: Vector  # number of iterations in which the oracles disagreed on each shared variable
    multipliers: tuple[Vector, ...]  # of each oracle; another run can start from them
    trace: tuple[Iteration, ...]  # empty without trace=True
    nodes: int = 1  # problems that were solved: 1, or the nodes of `branch`

    @property
    def spread(self) -> float:
        """The scale of the differences between answers: what the answer loses against the oracles' own best values."""
        return max(0.0, self.ceiling - self.value) if self.value > -math.inf else 0.0

    @property
    def target(self) -> float:
        """An answer is proved to be optimal when no other can be above this."""
        if self.value == -math.inf:
            return self.value
        return self.value + self.tolerance * self.spread - self.rounding

    @property
    def certified(self) -> bool:
        """Whether the answer is proved to be optimal: gap <= tolerance * spread."""
        return self.value > -math.inf and self.gap <= self.tolerance * self.spread

    @property
    def is_decided(self) -> bool:
        """Whether the problem need not be split: the answer is certified, or all oracles agree but for rounding."""
        return self.certificate is not None or self.evidence == "agreement"

    @property
    def certificate(self) -> Certificate | None:
        """The kind of proof; "infeasible": there is no answer; None when the gap is larger than the tolerance."""
        if self.bound == -math.inf:
            return "infeasible"
        return self.evidence if self.certified else None


class RelaxOptions(TypedDict, total=False):
    """The keywords of `relax`, for functions that pass them on."""

    weights: Sequence[float] | None
    step: Step | None
    max_iterations: int
    max_seconds: float
    tolerance: float
    start: Sequence[Vector] | None
    known: Relaxation | None
    trace: bool


def relax(
    oracles: Sequence[Oracle],
    *,
    weights: Sequence[float] | None = None,
    step: Step | None = None,
    max_iterations: int = MAX_ITERATIONS,
    max_seconds: float = math.inf,
    tolerance: float = TOLERANCE,
    start: Sequence[Vector] | None = None,
    known: Relaxation | None = None,
    trace: bool = False,
) -> Relaxation:
    """Find the best structures of several oracles that agree on the variables they share.

    weights multiply the oracles' scores. step is a rule of treewright.relax, PolyakStep() by default. tolerance is
    the largest gap of a certified answer, relative to the spread. start has the multipliers of another run. Oracles
    that decide all shared variables propose their assignments as answers, if the other oracles can score them.
    max_iterations and max_seconds limit the run. known is the best result so far of a problem of which this is a part,
    such as a node of `branch`: the run ends when it can have no better answer. trace keeps an Iteration for each
    iteration.

    >>> from treewright.relax import Table, relax
    >>> both_or_none = Table([0, 1], [[0, 0], [1, 1]], [0, 2])
    >>> rather_none = Table([0, 1], [[0, 0], [0, 1], [1, 1]], [1, 0, 0])
    >>> result = relax([both_or_none, rather_none])
    >>> result.value, result.answer.tolist(), result.certified
    (2.0, [1.0, 1.0], True)
    """
    if not 0 <= tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}; it is relative to the spread of the scores: 1e-9, or 0")
    weight = _check_weights(weights, len(oracles))
    run = _Run(oracles, weight, PolyakStep() if step is None else step, tolerance, trace)
    if known is not None and known.value > -math.inf:
        run.ceiling, run.target = known.ceiling, known.target
    if start is not None:
        run.warm_start(start)
    deadline = time.monotonic() + max_seconds
    while run.iterations < max_iterations and not run.finished and (not run.iterations or time.monotonic() < deadline):
        run.solve()
        run.evaluate()
        run.update()
    return run.result()


class _Shared:
    """The variables of all oracles, concatenated so that one update is a few array operations."""

    def __init__(self, oracles: Sequence[Oracle]) -> None:
        columns = [_check_keys(oracle, i) for i, oracle in enumerate(oracles)]
        ends = np.cumsum([0] + [len(column) for column in columns])
        self.slices = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self.keys = np.concatenate(columns)
        self.count = int(self.keys.max(initial=-1)) + 1
        self.owners = np.bincount(self.keys, minlength=self.count).astype(np.float64)
        self._owners = self.owners[self.keys]
        self._scale = np.where(self._owners > 1, 1 / np.maximum(self._owners - 1, 1), 0.0)

    def direction(self, assigned: Vector) -> Vector:
        """Each oracle's assignment minus the mean of the others; exactly zero where they agree."""
        total = np.bincount(self.keys, assigned, self.count)
        direction: Vector = (self._owners * assigned - total[self.keys]) * self._scale
        return direction

    def disputed(self, direction: Vector) -> Vector:
        """1.0 for each variable on which the oracles disagree."""
        disputed: Vector = (np.bincount(self.keys, direction != 0, self.count) > 0).astype(np.float64)
        return disputed

    def mean(self, assigned: Vector) -> Vector:
        mean: Vector = np.bincount(self.keys, assigned, self.count) / np.maximum(self.owners, 1)
        return mean


class _Run:
    """The state of one run: the multipliers, the last answers, the best answer and the bound."""

    def __init__(self, oracles: Sequence[Oracle], weight: Vector, step: Step, tolerance: float, trace: bool) -> None:
        self.oracles, self.weight, self.tolerance, self.trace = oracles, weight, tolerance, trace
        self.shared = _Shared(oracles)
        self.proposals = _Proposals(oracles, weight, self.shared)
        self.multipliers = np.zeros(len(self.shared.keys))
        self.assigned = np.zeros(len(self.shared.keys))
        self.direction = np.zeros(len(self.shared.keys))
        self.answers = [Answer(0.0, self.assigned[part]) for part in self.shared.slices]
        self.changed = [True] * len(oracles)
        self.descent = Descent(step)
        self.iterations = 0
        self.ceiling = math.inf
        self.target = -math.inf
        self.value, self.value_rounding = -math.inf, 0.0
        self.answer: Vector | None = None
        self.structures: tuple[Any, ...] = ()
        self.evidence: Evidence = "bound"
        self.is_infeasible = False
        self.finished = False
        self.disputes = np.zeros(self.shared.count)
        self.mean = _Mean(self.shared.count)
        self.lines: list[Iteration] = []

    def warm_start(self, start: Sequence[Vector]) -> None:
        """Begin with the multipliers of another run."""
        if self.ceiling == math.inf:
            zero = [np.zeros(part.stop - part.start) for part in self.shared.slices]
            self._take_own_values([self._solve(i, multipliers) for i, multipliers in enumerate(zero)])
        shapes = [len(part) for part in start]
        expected = [part.stop - part.start for part in self.shared.slices]
        if shapes != expected:
            raise ValueError(f"start has {shapes} multipliers by oracle, but the oracles have {expected} keys")
        self.multipliers = np.concatenate([np.asarray(part, dtype=np.float64) for part in start])
        # The dual is a bound only if the multipliers of each variable sum to zero over its oracles.
        excess = np.bincount(self.shared.keys, self.multipliers, self.shared.count) / np.maximum(self.shared.owners, 1)
        self.multipliers -= excess[self.shared.keys]

    def solve(self) -> None:
        """Solve the oracles whose multipliers changed."""
        self.iterations += 1
        for i, part in enumerate(self.shared.slices):
            if self.changed[i]:
                self.answers[i] = self._solve(i, self.multipliers[part])
                self.assigned[part] = self.answers[i].assignment

    def _solve(self, i: int, multipliers: Vector) -> Answer:
        answer = self.oracles[i].solve(multipliers / self.weight[i])
        if np.shape(answer.assignment) != np.shape(multipliers):
            shape = np.shape(answer.assignment)
            raise ValueError(f"oracles[{i}] returned an assignment of shape {shape} for {len(multipliers)} keys")
        if math.isnan(answer.value) or answer.value == math.inf:
            raise ValueError(
                f"oracles[{i}] returned the value {answer.value}; values are finite, or -inf when there is no structure"
            )
        assignment = np.asarray(answer.assignment)
        if not ((assignment == 0) | (assignment == 1)).all():
            fraction = next(x for x in np.ravel(assignment).tolist() if x not in (0, 1))
            raise ValueError(f"oracles[{i}] returned {fraction} in its assignment; a variable is 0 or 1")
        return answer

    def _take_own_values(self, answers: Sequence[Answer]) -> None:
        """Set the ceiling, and a scale of the scores: how far the values lie apart, if they do."""
        self.ceiling = self._total(answers)
        values = self.weight * np.array([answer.value for answer in answers])
        values = values[np.isfinite(values)]
        if len(values):
            scale = float(np.ptp(values)) or float(np.abs(values).max()) or 1.0
            self.descent.scale = 2.0 ** max(math.frexp(scale)[1], -1000)  # the same steps for equivalent problems

    def _total(self, answers: Sequence[Answer]) -> float:
        return math.fsum(weight * answer.value for weight, answer in zip(self.weight, answers, strict=True))

    def _rounding(self) -> float:
        """An upper bound on the rounding of the dual value; without multipliers nothing has been added."""
        if not self.multipliers.any():
            return 0.0
        values = np.abs(self.weight * np.array([answer.value for answer in self.answers])).sum()
        return ROUNDING * float(values + np.abs(self.multipliers) @ np.abs(self.assigned))

    @property
    def bound(self) -> float:
        return self.descent.bound

    @property
    def gap(self) -> float:
        if self.is_infeasible or (self.evidence == "agreement" and self.bound == self.ceiling):
            return 0.0  # each oracle has its own best structure: nothing was added
        return max(0.0, self.bound - self.value) + self.value_rounding

    def evaluate(self) -> None:
        """Compute the dual value, update the best answer, and decide whether it is proved to be optimal."""
        dual = self._total(self.answers)
        if dual == -math.inf:
            self.is_infeasible = self.finished = True
            return
        if self.iterations == 1 and self.ceiling == math.inf:
            self._take_own_values(self.answers)
        self.descent.record(dual, dual + self._rounding())
        self.direction = self.shared.direction(self.assigned)
        value, answer = self.proposals.best(self.answers, self._own())
        if self.iterations == 1 and value > -math.inf:
            self.descent.first_gap = dual - value
        self._certify(value, answer)

    def _certify(self, value: float, answer: Vector | None) -> None:
        """Keep an answer that is better than the best so far; end when all agree, or when the gap is small enough."""
        if not self.direction.any():
            self._keep(self._agreed_value(), self.shared.mean(self.assigned) if answer is None else answer)
            self.evidence, self.finished = "agreement", True
            return
        if value > self.value:
            self._keep(value, answer)
        is_optimal = self.gap <= self.tolerance * max(0.0, self.ceiling - self.value) < math.inf
        self.finished = is_optimal or self.bound <= self.target

    def _agreed_value(self) -> float:
        """The value of the assignment on which all agree, without the rounding of multipliers where oracles score."""
        scores = [
            oracle.score(self.assigned[part]) if isinstance(oracle, Scoring) else math.nan
            for oracle, part in zip(self.oracles, self.shared.slices, strict=True)
        ]
        value = math.fsum(self.weight * np.array(scores))
        return value if math.isfinite(value) else self.descent.dual

    def _own(self) -> Vector:
        """Each oracle's score without the multipliers, times its weight."""
        values = np.array([answer.value for answer in self.answers]) * self.weight
        paid = [self.multipliers[part] @ self.assigned[part] for part in self.shared.slices]
        own: Vector = values - np.array(paid)
        return own

    def _keep(self, value: float, answer: Vector | None) -> None:
        self.value, self.answer, self.value_rounding = value, answer, self._rounding()
        self.structures = tuple(answer.structure for answer in self.answers)

    def update(self) -> None:
        """Add the iteration to the trace and the averages, and take a subgradient step."""
        if self.is_infeasible:
            return
        disputed = self.shared.disputed(self.direction)
        self.disputes += disputed
        slope = float(self.assigned @ self.direction)
        size = 0.0 if self.finished else self.descent.step(max(self.value, self.target), slope)
        if self.trace:
            counts = int(disputed.sum()), sum(self.changed)
            self.lines.append(Iteration(self.descent.dual, self.bound, self.value, *counts, size))
        if self.evidence == "agreement":  # the averages are then this solution alone
            self.mean = _Mean(self.shared.count)
        self.mean.add(self.iterations, size, self.shared.mean(self.assigned))
        self.multipliers -= size * self.direction
        self.changed = [bool(self.direction[part].any()) for part in self.shared.slices]
        self.finished = self.finished or size == 0

    def result(self) -> Relaxation:
        """Return the state of the run as its result."""
        bound = max(min(self.bound, self.ceiling), self.value)
        values = [float(weight * answer.value) for weight, answer in zip(self.weight, self.answers, strict=True)]
        if not all(value.is_integer() and abs(value) < 2.0**40 for value in values):  # sums of integers are exact
            bound = math.nextafter(bound, math.inf)
        return Relaxation(
            value=self.value,
            bound=-math.inf if self.is_infeasible else bound,
            gap=self.gap,
            rounding=self.value_rounding,
            ceiling=self.ceiling,
            tolerance=self.tolerance,
            evidence=self.evidence,
            iterations=self.iterations,
            answer=self.answer,
            structures=self.structures or tuple(answer.structure for answer in self.answers),
            averages=self.mean.result(),
            disputes=self.disputes,
            multipliers=tuple(self.multipliers[part].copy() for part in self.shared.slices),
            trace=tuple(self.lines),
        )


class _Mean:
    """Means weighted by the steps, over the last half of the iterations or more, without the early ones.

    The sums are kept in two windows: the current one, which began at the last power of two, and the previous one.
    """

    def __init__(self, count: int) -> None:
        self.before = self.now = np.zeros(count + 1)  # the variables, the sum of the weights

    def add(self, iteration: int, step: float, assigned: Vector) -> None:
        """Add the assignments of an iteration."""
        if iteration & (iteration - 1) == 0:
            self.before, self.now = self.now, np.zeros_like(self.now)
        weight = step or 1e-300  # an iteration without a step counts only if there is no other
        self.now += weight * np.append(assigned, 1.0)

    def result(self) -> Vector:
        """Return the mean of each variable."""
        total = self.before + self.now
        mean: Vector = total[:-1] / (total[-1] or 1.0)
        return mean


class _Proposals:
    """Primal answers: the best assignment proposed by an oracle that decides every shared variable."""

    def __init__(self, oracles: Sequence[Oracle], weight: Vector, shared: _Shared) -> None:
        self.oracles, self.weight, self.slices, self.keys = oracles, weight, shared.slices, shared.keys
        scoring = [isinstance(oracle, Scoring) for oracle in oracles]
        self.proposers = [
            i
            for i, part in enumerate(shared.slices)
            if part.stop - part.start == shared.count and all(scoring[:i] + scoring[i + 1 :])
        ]
        self.scores: dict[tuple[int, bytes], float] = {}

    def best(self, answers: Sequence[Answer], own: Vector) -> tuple[float, Vector | None]:
        best: tuple[float, Vector | None] = (-math.inf, None)
        for i in self.proposers:
            assignment = np.empty(len(answers[i].assignment))
            assignment[self.keys[self.slices[i]]] = answers[i].assignment
            value = float(own[i]) + self._others(i, assignment)
            if value > best[0]:
                best = (value, assignment)
        return best

    def _others(self, proposer: int, assignment: Vector) -> float:
        """The weighted sum of the other oracles' scores of an assignment; computed once."""
        key = (proposer, assignment.tobytes())
        if key not in self.scores:
            self.scores[key] = math.fsum(
                self.weight[i] * oracle.score(assignment[self.keys[part]])
                for i, (oracle, part) in enumerate(zip(self.oracles, self.slices, strict=True))
                if i != proposer and isinstance(oracle, Scoring)
            )
        return self.scores[key]


def _check_keys(oracle: Oracle, i: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    keys = np.asarray(oracle.keys)
    if keys.ndim != 1 or (len(keys) and keys.dtype.kind not in "iu"):
        raise ValueError(
            f"oracles[{i}].keys must be a list of variable numbers; it has shape {keys.shape}, {keys.dtype}"
        )
    if len(keys) and keys.min() < 0:
        raise ValueError(f"oracles[{i}].keys holds {keys.min()}; shared variables are numbered from 0")
    if len(np.unique(keys)) != len(keys):
        raise ValueError(f"oracles[{i}].keys names a variable twice")
    return keys.astype(np.intp)


def _check_weights(weights: Sequence[float] | None, count: int) -> Vector:
    if not count:
        raise ValueError("oracles is empty; give at least one oracle")
    weight = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != (count,):
        raise ValueError(f"weights has shape {weight.shape} for {count} oracles; give one weight an oracle")
    if not (np.isfinite(weight).all() and (weight > 0).all()):
        raise ValueError(f"weights must be positive and finite, not {weight.tolist()}; leave out an oracle of weight 0")
    return weight

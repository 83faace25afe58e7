"""The relaxation engine against enumeration, against HiGHS, and on the published fractional example."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.parse_and_tag import Parser, Tagger, fractional_example
from scipy.optimize import linprog

from treewright.relax import (
    Answer,
    HalvingStep,
    PolyakStep,
    Step,
    Table,
    branch,
    relax,
)

STEPS: list[Step] = [HalvingStep(), PolyakStep()]


def harmonic(start: float) -> Step:
    """The rule of Koo et al. (2010), with a start of its own."""
    return lambda progress: start / (1 + progress.increases)


def diminishing(start: float, power: float) -> Step:
    """With 1/2 < power <= 1, the bound and the averages converge."""
    return lambda progress: start / math.pow(progress.iteration, power)


def random_table(random: np.random.Generator, keys: list[int], rows: int) -> Table:
    return Table(keys, random.integers(0, 2, (rows, len(keys))), random.normal(size=rows))


def best_agreeing(tables: list[Table], weights: Any = None) -> float:
    """By definition: every way to take a row of each table, those that agree."""
    weights = np.ones(len(tables)) if weights is None else weights
    best = -math.inf
    for choice in product(*(range(len(table.rows)) for table in tables)):
        seen: dict[int, float] = {}
        agree = all(
            seen.setdefault(int(key), on) == on
            for table, row in zip(tables, choice, strict=True)
            for key, on in zip(table.keys, table.rows[row], strict=True)
        )
        if agree:
            value = sum(w * table.scores[row] for w, table, row in zip(weights, tables, choice, strict=True))
            best = max(best, value)
    return best


def linear_value(tables: list[Table]) -> tuple[float, Any]:
    """Value and shared variables of the linear relaxation: agreeing mixtures of each table's rows, by HiGHS."""
    count = max(int(table.keys.max()) for table in tables) + 1
    sizes = [len(table.rows) for table in tables]
    begin = np.cumsum([0, *sizes])
    equal = [[float(begin[i] <= c < begin[i + 1]) for c in range(begin[-1])] for i in range(len(tables))]
    right = [1.0] * len(tables)
    first: dict[int, tuple[int, int]] = {}
    for i, table in enumerate(tables):
        for column, key in enumerate(table.keys.tolist()):
            if key not in first:
                first[key] = (i, column)
                continue
            j, other = first[key]
            line = np.zeros(begin[-1])
            line[begin[i] : begin[i + 1]] += table.rows[:, column]
            line[begin[j] : begin[j + 1]] -= tables[j].rows[:, other]
            equal.append(line.tolist())
            right.append(0.0)
    solved = linprog(-np.concatenate([table.scores for table in tables]), A_eq=equal, b_eq=right)
    assert solved.status == 0
    marginals = np.zeros(count)
    for key, (i, column) in first.items():
        marginals[key] = solved.x[begin[i] : begin[i + 1]] @ tables[i].rows[:, column]
    return -solved.fun, marginals


def random_instance(seed: int) -> list[Table]:
    random = np.random.default_rng(seed)
    layouts = [
        [[0, 1, 2, 3], [0, 1, 2, 3]],
        [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 1, 3]],
        [[0, 1, 2], [2, 3, 4], [4, 0]],
        [[0, 1, 2, 3, 4], [0, 1], [2, 3], [3, 4]],
    ]
    keys = layouts[seed % len(layouts)]
    common = random.integers(0, 2, 5)  # one row that all have, so that there is an answer
    tables = [random_table(random, list(some), int(random.integers(3, 8))) for some in keys]
    return [
        Table(table.keys, np.vstack([table.rows, common[table.keys]]), np.append(table.scores, random.normal()))
        for table in tables
    ]


@pytest.mark.parametrize("step", [*STEPS, harmonic(1.0)], ids=["halving", "polyak", "harmonic"])
def test_certified_means_best_and_every_dual_is_a_bound(step: Any) -> None:
    certified = 0
    for seed in range(40):
        tables = random_instance(seed)
        best = best_agreeing(tables)
        relaxed = relax(tables, step=step, trace=True)
        assert all(line.dual >= best - 1e-9 for line in relaxed.trace)
        assert relaxed.value <= best + 1e-9
        assert relaxed.bound == pytest.approx(min(line.dual for line in relaxed.trace), rel=1e-9, abs=1e-9)
        assert relaxed.gap >= 0
        if relaxed.certified:
            certified += 1
            assert relaxed.value == pytest.approx(best, rel=1e-8, abs=1e-8)
    assert certified >= 12


def test_the_bound_and_the_averages_approach_the_linear_relaxation() -> None:
    left = 0
    for seed in range(16):
        tables = random_instance(seed)
        value, _ = linear_value(tables)
        relaxed = relax(tables, step=diminishing(1.0, power=0.6), max_iterations=1000)
        assert value - 1e-9 <= relaxed.bound <= value + 0.03
        left += not relaxed.certified
    assert left >= 3


def test_fractional_example_of_the_paper_is_never_certified() -> None:
    parser, tagger = fractional_example()
    for step in [*STEPS, harmonic(0.5)]:
        relaxed = relax([parser, tagger], step=step, max_iterations=400, trace=True)
        assert relaxed.certificate is None
        assert relaxed.value == pytest.approx(-1)
        assert relaxed.bound == pytest.approx(0, abs=1e-6)
        assert relaxed.gap == pytest.approx(1, abs=1e-6)
    first = relax([parser, tagger], max_iterations=1)
    assert first.structures[0] != first.structures[1]


def test_averages_of_the_fractional_example_approach_what_highs_finds() -> None:
    parser, tagger = fractional_example()
    value, marginals = linear_value([parser.table(), tagger.table()])
    assert value == pytest.approx(0, abs=1e-9)
    assert marginals == pytest.approx([1, 0, 0.5, 0.5, 0.5, 0.5], abs=1e-9)
    errors = []
    for iterations in (30, 300, 3000):
        relaxed = relax([parser, tagger], step=diminishing(0.5, power=0.5), max_iterations=iterations)
        errors.append(float(np.abs(relaxed.averages - marginals).max()))
    assert errors[2] < errors[0]
    assert errors[2] < 0.02


def test_tables_of_the_example_are_its_dynamic_programs() -> None:
    random = np.random.default_rng(3)
    for oracle in fractional_example():
        for _ in range(30):
            multipliers = random.normal(size=6)
            assert oracle.solve(multipliers).value == pytest.approx(oracle.table().solve(multipliers).value)


def test_branching_closes_the_fractional_example() -> None:
    tables = [oracle.table() for oracle in fractional_example()]
    assert relax(tables).certificate is None
    solution = branch(tables)
    assert solution.certified
    assert solution.value == pytest.approx(-1)
    assert solution.answer is not None
    assert len(solution.answer) == 6


def test_branching_closes_every_gap() -> None:
    closed = 0
    for seed in range(24):
        tables = random_instance(seed)
        plain, searched = relax(tables, max_iterations=60), branch(tables, max_iterations=60)
        closed += not plain.certified
        assert searched.certified
        assert searched.value == pytest.approx(best_agreeing(tables), rel=1e-8, abs=1e-8)
    assert closed > 0


def test_branching_to_a_budget_keeps_a_valid_bound() -> None:
    tables = [oracle.table() for oracle in fractional_example()]
    solution = branch(tables, max_nodes=1)
    assert not solution.certified
    assert solution.bound >= -1 - 1e-9


@pytest.mark.parametrize("limit", [3, 5, 8, 20])
def test_the_iterations_of_all_nodes_of_branching_are_limited(limit: int) -> None:
    for seed in range(24):
        tables = random_instance(seed)
        solution = branch(tables, max_iterations=3, node_iterations=2, total_iterations=limit, trace=True)
        assert len(solution.trace) <= solution.iterations <= limit  # iterations without any structure have no trace
        assert solution.bound >= best_agreeing(tables) - 1e-9
        if solution.certified:
            assert solution.value == pytest.approx(best_agreeing(tables), rel=1e-8, abs=1e-8)


def test_a_run_ends_when_it_can_have_no_better_answer_than_is_known() -> None:
    ended = 0
    for seed in range(24):
        tables = random_instance(seed)
        known = branch(tables, max_iterations=60)
        assert known.answer is not None
        for variable, value in enumerate(known.answer):
            part = [table.restrict({variable: not value}) for table in tables]
            relaxed = relax(part, start=known.multipliers, known=known)
            alone = relax(part, start=known.multipliers)
            ended += relaxed.iterations < alone.iterations
            assert relaxed.bound >= alone.value - 1e-9
            assert relaxed.bound <= known.target or relaxed.value <= known.value + 1e-9
    assert ended > 0


def test_weights_scale_the_scores() -> None:
    """Powers of two round nothing: the runs are the same. Other weights may break ties in another way on the way."""
    for seed in range(40):
        tables, random = random_instance(seed), np.random.default_rng(seed)
        for weights in (2.0 ** random.integers(-3, 4, len(tables)), random.uniform(0.2, 3, len(tables))):
            scaled = [Table(t.keys, t.rows, w * t.scores) for t, w in zip(tables, weights, strict=True)]
            relaxed = relax(tables, weights=weights.tolist(), max_iterations=2000)
            same = relax(scaled, max_iterations=2000)
            rounding = 1e-12 if (np.frexp(weights)[0] == 0.5).all() else 1e-6
            assert relaxed.bound == pytest.approx(same.bound, rel=rounding, abs=rounding)
            if relaxed.certified and same.certified:
                assert relaxed.value == pytest.approx(same.value, rel=1e-12)
            assert relaxed.bound >= best_agreeing(tables, weights) - 1e-9


@pytest.mark.parametrize("find", [relax, branch])
def test_units_change_nothing_and_constants_no_answer(find: Any) -> None:
    """Scores are multiples of 2^-20, so that neither rounds them. Integers count as exact: units are below 1."""
    certified = 0
    for seed in range(25):
        tables, random = random_instance(seed), np.random.default_rng(seed)
        tables = [Table(t.keys, t.rows, np.round(t.scores * 2**20) / 2**20) for t in tables]
        found = find(tables, max_iterations=80, trace=True)
        unit = 2.0 ** random.integers(-60, 1)
        scaled = find([Table(t.keys, t.rows, t.scores * unit) for t in tables], max_iterations=80, trace=True)
        assert (scaled.certificate, scaled.iterations) == (found.certificate, found.iterations)
        assert (scaled.gap, scaled.rounding, scaled.value) == (
            found.gap * unit,
            found.rounding * unit,
            found.value * unit,
        )
        assert np.array_equal(scaled.answer, found.answer)
        assert scaled.trace[-1].dual == found.trace[-1].dual * unit
        for size in (1e3, 1e6, 1e9):
            constants = np.round(size * random.normal(size=len(tables)))
            moved = [Table(t.keys, t.rows, t.scores + c) for t, c in zip(tables, constants, strict=True)]
            same, best = find(moved, max_iterations=80), Fraction(best_agreeing(tables)) + Fraction(constants.sum())
            certified += same.certified
            assert Fraction(same.bound) >= best
            assert not same.certified or same.value == float(best)
    assert certified > 15


def test_an_oracle_with_nothing_to_say_agrees_at_once() -> None:
    parser, _ = fractional_example()
    silent = Tagger(3, lambda *_: 0.0)
    relaxed = relax([parser, silent], max_iterations=50)
    assert relaxed.certified
    assert relaxed.value == pytest.approx(parser.solve(np.zeros(6)).value)
    assert relax([parser]).iterations == 1


def test_an_update_takes_from_the_winner() -> None:
    seen: list[Any] = []

    class Watched(Table):
        def solve(self, multipliers: Any) -> Answer:
            seen.append(multipliers.copy())
            return super().solve(multipliers)

    on, off = Watched([0], [[0], [1]], [0, 1]), Table([0], [[0], [1]], [2, 0])
    relax([on, off], step=HalvingStep(0.5), max_iterations=2)
    assert [m.tolist() for m in seen] == [[0.0], [-0.5]]


def test_only_oracles_whose_multipliers_changed_are_solved() -> None:
    calls = [0, 0, 0]

    class Counted(Table):
        def __init__(self, i: int, *rest: Any) -> None:
            super().__init__(*rest)
            self.i = i

        def solve(self, multipliers: Any) -> Answer:
            calls[self.i] += 1
            return super().solve(multipliers)

    likes, hates = Counted(0, [0], [[0], [1]], [0, 3]), Counted(1, [0], [[0], [1]], [1, 0])
    apart = Counted(2, [1], [[0], [1]], [0, 1])
    relaxed = relax([likes, hates, apart], step=HalvingStep(), trace=True)
    assert relaxed.value == pytest.approx(4)
    assert calls[2] == 1
    assert [line.solved for line in relaxed.trace] == [3] + [2] * (relaxed.iterations - 1)


def test_a_run_can_go_on_where_another_stopped() -> None:
    every = {seed: random_instance(seed) for seed in range(20)}
    begun_runs = {
        seed: relax(tables, step=harmonic(1.0), max_iterations=20, trace=True) for seed, tables in every.items()
    }
    unfinished = {seed: begun for seed, begun in begun_runs.items() if not begun.certified}
    assert len(unfinished) >= 10
    for seed, begun in unfinished.items():
        tables = every[seed]
        resumed = relax(tables, step=harmonic(0.01), start=begun.multipliers, max_iterations=1)
        once_more = relax(tables, step=harmonic(1.0), max_iterations=21, trace=True)
        assert resumed.bound == pytest.approx(once_more.trace[-1].dual)


def test_any_start_gives_a_bound() -> None:
    for seed in range(20):
        tables = random_instance(seed)
        lopsided = [np.random.default_rng(i).normal(5, 1, len(table.keys)) for i, table in enumerate(tables)]
        assert relax(tables, start=lopsided, max_iterations=1).bound >= best_agreeing(tables) - 1e-9


def test_two_runs_are_the_same_to_the_bit() -> None:
    for seed in range(10):
        a, b = (relax(random_instance(seed), trace=True) for _ in range(2))
        assert a.trace == b.trace
        assert a.averages.tobytes() == b.averages.tobytes()


def test_no_answer_at_all() -> None:
    on, off = Table([0], [[1]]), Table([0], [[0]])
    assert relax([on, Table([0], np.empty((0, 1)))]).certificate == "infeasible"
    relaxed = relax([on, off], max_iterations=20)
    assert relaxed.value == -math.inf
    assert not relaxed.certified
    searched = branch([on, off], max_iterations=20)
    assert (searched.certificate, searched.certified, searched.gap) == ("infeasible", False, 0.0)


def test_time_is_honoured() -> None:
    parser, tagger = fractional_example()
    for find in (relax, branch):  # the time of all nodes together
        found = find([parser, tagger], max_seconds=0)
        assert (found.iterations, found.certified) == (1, False)
        assert found.bound >= found.value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: relax([]), "at least one oracle"),
        (lambda: relax([Table([0, 0], [[0, 1]])]), r"oracles\[0\].keys names a variable twice"),
        (lambda: relax([Table([-1], [[0]])]), r"oracles\[0\].keys holds -1"),
        (lambda: relax([Table([0], [[0]])], weights=[1, 2]), r"weights has shape \(2,\) for 1 oracles"),
        (lambda: relax([Table([0], [[0]])], weights=[0]), "leave out an oracle of weight 0"),
        (lambda: relax([Table([0], [[0]])], start=[np.zeros(2)]), "start has"),
        (lambda: Table([0], [[2]]), "0 for off and 1 for on"),
        (lambda: Table([0], [[1]], [1, 2]), "1 rows, 2 scores"),
        (lambda: branch([Parser(3, lambda *_: 0.0), *fractional_example()]), "has no restrict"),
    ],
)
def test_errors_name_the_place_and_the_remedy(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_an_oracle_that_answers_nonsense_is_named() -> None:
    class Wrong:
        keys = np.array([0])

        def __init__(self, answer: Answer) -> None:
            self.answer = answer

        def solve(self, multipliers: Any) -> Answer:
            return self.answer

    with pytest.raises(ValueError, match=r"oracles\[1\] returned an assignment of shape \(2,\) for 1 keys"):
        relax([Table([0], [[0]]), Wrong(Answer(0.0, np.zeros(2)))])
    with pytest.raises(ValueError, match=r"oracles\[0\] returned 0\.5 in its assignment; a variable is 0 or 1"):
        relax([Wrong(Answer(0.0, np.array([0.5])))])
    with pytest.raises(ValueError, match=r"oracles\[0\] returned the value nan"):
        relax([Wrong(Answer(math.nan, np.zeros(1)))])


def test_the_bound_is_above_sums_that_were_rounded() -> None:
    """0.3 + 0.7 is 1.0 in doubles, and the sum of these two numbers is above it or below."""
    for scores in ([0.3, 0.7], [0.1, 0.2, 0.7], [2.0**53, 1.0], [1e300, 1e-300]):
        found = relax([Table([0], [[0], [1]], [score, score - 1]) for score in scores])
        assert Fraction(found.bound) >= sum(map(Fraction, scores))
        assert found.certified
    assert relax([Table([0], [[1]], [2.0]), Table([0], [[1]], [3.0])]).bound == 5.0

"""Integer and linear programs against enumeration, against each other and against the relaxation engine."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from oracles.instances import random_instance

import treewright as tw
from treewright.decode import Problem
from treewright.decode.search import programs
from treewright.errors import InfeasibleError
from treewright.relax import Answer, Oracle, relax

FORMS = [
    ("", {}),
    ("sib", {}),
    ("sib stop", {"siblings": "product"}),
    ("grand", {}),
    ("sib grand", {"grandparents": "product"}),
    ("sib stop grand", {"grandparents": "automaton"}),
    ("grand stop", {"siblings": "product", "grandparents": "product"}),
    ("sib stop grand", {}),
]


def solved(method: str, instance: Any, **options: Any) -> Any:
    problem = Problem.of(instance.arc, **instance.arguments)
    return getattr(programs, method)(problem, **options)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("flow", ["single", "multi"])
def test_integer_program_finds_the_best_of_all_trees(flow: str, root: str, projective: bool) -> None:
    feasible = 0
    for seed, (parts, options) in enumerate(FORMS):
        for words in (1, 2, 3, 4):
            instance = random_instance(
                10 * seed + words,
                words,
                parts=parts,
                root=root,
                projective=projective,
                constrained=seed % 2 == 1,
                sparse=0.1 * (seed % 3),
                ties=seed % 4 == 3,
            )
            best = instance.best()
            if best == -np.inf:
                with pytest.raises(InfeasibleError):
                    solved("ilp", instance, flow=flow, **options)
                continue
            feasible += 1
            parse = solved("ilp", instance, flow=flow, **options)
            assert parse.score == pytest.approx(best, rel=1e-6, abs=1e-6)
            assert parse.certified
            assert tuple(parse.heads) in instance.trees()
            assert instance.value(parse.heads) == pytest.approx(parse.score, rel=1e-9, abs=1e-9)
    assert feasible >= 23


@pytest.mark.parametrize("method", ["ilp", "lp"])
def test_programs_are_certified_at_the_tolerance_of_the_other_methods(method: str) -> None:
    certified = 0
    for seed in range(30):
        instance = random_instance(seed, 2 + seed % 3, parts=("", "sib", "sib grand")[seed % 3], ties=seed % 5 == 0)
        parse = tw.decode.tree(instance.arc, **instance.arguments, method=method)
        assert parse.tolerance == tw.decode.tree(instance.arc, **instance.arguments).tolerance
        if parse.certified:
            certified += 1
            assert instance.best() - parse.score <= 1e-9 * parse.spread
    assert certified >= (29 if method == "ilp" else 24)


def test_five_words() -> None:
    for seed in range(4):
        instance = random_instance(seed, 5, root=("single", "multi")[seed % 2], projective=seed >= 2)
        parse = solved("ilp", instance)
        assert parse.score == pytest.approx(instance.best(), rel=1e-6, abs=1e-6)


def test_relaxations_bound_every_tree_and_tighter_forms_bound_it_better() -> None:
    every = [
        random_instance(seed, 4, root=("single", "multi")[seed % 2], sparse=0.05 * (seed % 2)) for seed in range(12)
    ]
    feasible = [instance for instance in every if instance.best() > -np.inf]
    assert len(feasible) >= 12
    for instance in feasible:
        best = instance.best()
        bound = {
            (flow, siblings, grandparents): solved(
                "lp", instance, flow=flow, siblings=siblings, grandparents=grandparents
            ).bound
            for flow in ("multi", "single")
            for siblings, grandparents in (
                ("automaton", "tight"),
                ("automaton", "product"),
                ("product", "tight"),
                ("automaton", "automaton"),
            )
        }
        assert all(value >= best - 1e-6 for value in bound.values())
        for (_, *form), value in bound.items():
            assert bound["multi", form[0], form[1]] <= value + 1e-6
        for flow in ("multi", "single"):
            assert bound[flow, "automaton", "tight"] <= bound[flow, "automaton", "product"] + 1e-6
            assert bound[flow, "automaton", "tight"] <= bound[flow, "product", "tight"] + 1e-6
            assert bound[flow, "automaton", "automaton"] <= bound[flow, "automaton", "tight"] + 1e-6


def test_first_order_relaxation_with_many_commodities_is_a_tree() -> None:
    for seed, words in enumerate((1, 3, 6, 9)):
        instance = random_instance(seed, words, parts="", root="multi")
        parse = tw.decode.tree(instance.arc, root="multi", method="lp")
        assert programs.fractional_arcs(parse) == []
        assert parse.certified
        assert parse.score == pytest.approx(tw.decode.tree(instance.arc, root="multi").score, abs=1e-6)


def test_rounded_trees_obey_what_was_asked() -> None:
    fractional = 0
    for seed in range(30):
        instance = random_instance(
            seed, 7, parts="sib", root=("single", "multi")[seed % 2], projective=seed % 3 == 0, constrained=True
        )
        parse = solved("lp", instance, flow="single", siblings="product")
        fractional += len(programs.fractional_arcs(parse)) > 0
        heads = parse.heads.tolist()
        assert tw.trees.is_tree(heads, root=instance.shape["root"])
        assert all(heads[m] == h for h, m in instance.shape["require"])
        assert all(heads[m] != h for h, m in instance.shape["forbid"])
        assert tw.trees.is_projective(heads) or not instance.shape["projective"]
        assert parse.score <= parse.bound + 1e-6
        assert parse.score == pytest.approx(instance.value(heads), rel=1e-9)
    assert fractional >= 10


def test_no_time_still_gives_a_tree_and_a_bound() -> None:
    instance = random_instance(0, 14)
    best = solved("ilp", random_instance(0, 4), max_seconds=60)
    assert best.certified
    for method in ("ilp", "lp"):
        parse = solved(method, instance, flow="multi", max_seconds=0.01)
        assert tw.trees.is_tree(parse.heads, root="single")
        assert parse.bound >= parse.score


@pytest.mark.parametrize("method", ["ilp", "lp"])
def test_a_solver_that_ignores_its_limit_of_time_is_ended(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MIN_SEPARATE", 1)
    monkeypatch.setattr(programs, "HIGHS_SCRIPT", "import time; time.sleep(60)")
    begin = time.monotonic()
    parse = solved(method, random_instance(0, 14), max_seconds=0.5)
    assert time.monotonic() - begin < 10
    assert tw.trees.is_tree(parse.heads, root="single")
    assert not parse.certified


@pytest.mark.parametrize("method", ["ilp", "lp"])
def test_a_solver_in_its_own_process_has_the_same_answer(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_instance(0, 6, parts="sib grand")
    parse = solved(method, instance)
    monkeypatch.setattr(programs, "MIN_SEPARATE", 1)
    separate = solved(method, instance, max_seconds=60)
    assert (separate.heads.tolist(), separate.score, separate.bound) == (parse.heads.tolist(), parse.score, parse.bound)


def test_nothing_is_allowed() -> None:
    stop = np.full((4, 4, 2), -np.inf)
    for method in ("ilp", "lp"):
        with pytest.raises(InfeasibleError, match="cannot hold together"):
            tw.decode.tree(np.zeros((4, 4)), require=[(1, 2), (2, 3), (3, 1)], method=method)
        with pytest.raises(InfeasibleError, match="make one of those parts finite"):
            tw.decode.tree(np.zeros((4, 4)), stop=stop, method=method)


def test_programs_that_would_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"300 words with 90000 candidate arcs would have 27\d{6} variables"):
        tw.decode.tree(np.zeros((301, 301)), method="lp")
    with pytest.raises(ValueError, match="or use another method"):
        tw.decode.tree(np.zeros((251, 251)), sib=np.zeros((251, 251, 251)), method="ilp")


def test_sizes_are_counted_before_anything_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "LARGEST_PROGRAM", 0)
    for parts, options in FORMS:
        for flow in ("single", "multi"):
            instance = random_instance(1, 5, parts=parts)
            with pytest.raises(ValueError, match="would have") as refused:
                solved("lp", instance, flow=flow, **options)
            size = int(str(refused.value).split("would have ")[1].split()[0])
            monkeypatch.setattr(programs, "LARGEST_PROGRAM", size)
            forms = {"siblings": "automaton", "grandparents": "tight"} | options
            model, _ = programs._tree_model(Problem.of(instance.arc, **instance.arguments), flow, **forms)
            assert 0.8 * size <= model.count <= size
            monkeypatch.setattr(programs, "LARGEST_PROGRAM", 0)


def test_unknown_forms_answer_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="flow is 'none'; it is one of 'multi', 'single'"):
        tw.decode.tree(np.zeros((3, 3)), method="lp", flow="none")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="siblings is 'H'; it is one of 'automaton', 'product'"):
        tw.decode.tree(np.zeros((3, 3)), method="ilp", siblings="H")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="only method 'lp' has a fractional solution"):
        programs.fractional_arcs(tw.decode.tree(np.zeros((3, 3))))


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("parts", ["sib", "sib stop", "sib stop grand"])
def test_dual_decomposition_comes_down_to_its_linear_program(parts: str, root: str) -> None:
    for seed in range(6):
        instance = random_instance(seed, 6, parts=parts, root=root)
        linear = solved("lp", instance, grandparents="automaton")
        options: dict[str, Any] = {"steps": "polyak", "max_iterations": 3000, "tighten": False}
        dual = tw.decode.tree(instance.arc, **instance.arguments, method="dd", **options)
        assert linear.bound - 1e-6 <= dual.bound <= linear.bound + 0.1
        assert linear.certified or not dual.certified


class TreeOracle:
    """The spanning tree by a share of the arc scores; variable (h, m) is h * nodes + m."""

    def __init__(self, arc: Any, share: float) -> None:
        nodes = len(arc)
        self.arc, self.nodes = share * arc, nodes
        self.keys = np.array([h * nodes + m for h in range(nodes) for m in range(1, nodes) if h != m])

    def solve(self, multipliers: Any) -> Answer:
        weight = self.arc.copy()
        weight.flat[self.keys] += multipliers
        parse = tw.decode.tree(weight, root="multi")
        on = np.zeros(self.nodes**2)
        on[parse.heads[1:] * self.nodes + np.arange(1, self.nodes)] = 1
        return Answer(parse.score, on[self.keys], parse.heads)


class SideOracle:
    """One side of one head: the best sequence of modifiers, outwards (Koo et al. 2010, section 3)."""

    def __init__(self, arc: Any, sib: Any, h: int, side: int, share: float) -> None:
        nodes = len(arc)
        self.words = list(range(h + 1, nodes)) if side else list(range(h - 1, 0, -1))
        self.arc, self.sib, self.h = share * arc, sib, h
        self.keys = np.array([h * nodes + m for m in self.words], dtype=int)

    def solve(self, multipliers: Any) -> Answer:
        best: dict[int, tuple[float, tuple[int, ...]]] = {self.h: (0.0, ())}
        for place, m in enumerate(self.words):
            own = self.arc[self.h, m] + multipliers[place]
            best[m] = max((value + self.sib[self.h, m, s] + own, (*taken, place)) for s, (value, taken) in best.items())
        if self.h == 0:
            del best[0]  # the root has a modifier
        value, taken = max(best.values())
        on = np.zeros(len(self.words))
        on[list(taken)] = 1
        return Answer(value, on, taken)


def test_relaxed_head_automata_reach_the_value_of_their_linear_program() -> None:
    for seed in range(4):
        instance = random_instance(seed, 4, parts="sib", root="multi")
        arc, sib = instance.arc, instance.scores["sib"]
        linear = solved("lp", instance).bound
        sides = [SideOracle(arc, sib, h, side, 0.9) for h in range(5) for side in (0, 1)]
        oracles: list[Oracle] = [TreeOracle(arc, 0.1), *(side for side in sides if side.words)]
        relaxed = relax(oracles, step=lambda progress: progress.iteration**-0.6, max_iterations=500)
        assert linear - 1e-6 <= relaxed.bound <= linear + 0.05
        if relaxed.certified:
            assert relaxed.value == pytest.approx(instance.best())

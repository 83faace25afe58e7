"""Dual decomposition: every dual value against every tree, then HiGHS; certificates, steps, warm starts, averages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, random_instance, varied_instance
from oracles.processes import interrupted_after, needs_timer
from oracles.programs import agreement_bound

import treewright as tw
from treewright.errors import BudgetError, InfeasibleError, InputError

PARTS = ("sib stop", "sib grand stop", "grand", "stop")
ROOTS = ("single", "multi")
TOLERANCE = 1e-8


def decode(instance: Instance, **options: Any) -> tw.decode.Parse:
    return tw.decode.tree(instance.arc, **instance.arguments, method="dd", **options)


def check_against_every_tree(instance: Instance, **options: Any) -> bool:
    """Whether the answer was certified; bounds and values hold in any case."""
    best = instance.best()
    try:
        parse = decode(instance, trace=True, **options)
    except InfeasibleError:
        assert best == -np.inf
        return True
    except BudgetError:  # dual values alone do not prove that there is no tree
        assert best == -np.inf
        return False
    assert parse.trace is not None
    if not options.get("tighten"):
        assert (parse.trace["dual"] >= best - TOLERANCE).all()
    assert (parse.trace["bound"] >= best - TOLERANCE).all()
    assert (np.diff(parse.trace["bound"]) <= TOLERANCE).all()
    assert parse.iterations <= options["max_iterations"]
    assert parse.bound >= best - TOLERANCE
    assert parse.score == pytest.approx(instance.value(parse.heads), rel=1e-9, abs=1e-9)
    assert tw.trees.is_tree(parse.heads, root=instance.shape["root"])
    for h, m in instance.shape.get("require", ()):
        assert parse.heads[m] == h
    if parse.certified:
        assert parse.score == pytest.approx(best, rel=1e-9, abs=TOLERANCE)
    return parse.certified


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize(
    ("projective", "tighten", "at_least"),
    [(False, False, 15), (True, False, 15), (False, True, 29), (True, True, 28)],
)
def test_every_dual_value_bounds_every_tree_and_certified_means_equal(
    parts: str, root: str, projective: bool, tighten: bool, at_least: int
) -> None:
    certified = []
    for seed in range(30):
        instance = varied_instance(seed, parts=parts, root=root, projective=projective)
        steps = ("koo", "polyak")[seed // 2 % 2]
        certified.append(check_against_every_tree(instance, max_iterations=600, steps=steps, tighten=tighten))
    assert sum(certified) >= at_least


@pytest.mark.parametrize("parts", ["sib stop", "sib grand stop"])
def test_bounds_and_certificates_hold_where_highs_decides(parts: str) -> None:
    for seed, words in enumerate((7, 8, 10, 12) if parts == "sib stop" else (6, 8)):
        instance = random_instance(seed, words, parts=parts, root=ROOTS[seed % 2])
        best = tw.decode.tree(instance.arc, **instance.arguments, method="ilp")
        assert best.certified
        for tighten, bound in ((False, "dual"), (True, "bound")):
            parse = decode(instance, trace=True, max_iterations=800, steps="polyak", tighten=tighten)
            assert parse.trace is not None
            assert (parse.trace[bound] >= best.score - 1e-5).all()
            if parse.certified:
                assert parse.score == pytest.approx(best.score, abs=1e-5)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", ["sib stop", "sib grand stop"])
def test_the_bound_comes_down_to_the_linear_program_and_no_further(parts: str, root: str) -> None:
    for seed in range(8):
        instance = random_instance(seed, 6, parts=parts, root=root)
        relaxed = tw.decode.tree(instance.arc, **instance.arguments, method="lp", grandparents="automaton")
        parse = decode(instance, steps="polyak", max_iterations=3000, tighten=False)
        assert relaxed.bound - 1e-5 <= parse.bound <= relaxed.bound + 0.02


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", ["sib stop", "grand", "sib grand stop"])
def test_the_published_bound_is_the_value_of_the_linear_program_without_extra_facts(parts: str, root: str) -> None:
    weaker = 0
    for seed in range(6):
        instance = random_instance(seed, 4, parts=parts, root=root)
        relaxed = agreement_bound({"arc": instance.arc, **instance.scores}, root)
        published = decode(instance, steps="polyak", max_iterations=3000, published=True)
        assert relaxed - 1e-6 <= published.bound <= relaxed + 0.02 * max(1.0, relaxed - instance.best())
        weaker += published.bound > decode(instance, steps="polyak", max_iterations=3000, tighten=False).bound + 0.03
    assert weaker > 0  # the facts matter on some of them


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", PARTS)
def test_the_published_algorithm_bounds_every_tree(parts: str, root: str) -> None:
    certified = [
        check_against_every_tree(varied_instance(seed, parts=parts, root=root), max_iterations=600, published=True)
        for seed in range(30)
    ]
    assert sum(certified) >= 15


def test_the_published_multipliers_begin_at_zero() -> None:
    instance = random_instance(3, 6, parts="sib grand stop")
    assert instance.scores
    lifted = instance.arc + np.arange(7.0)  # a constant for each word, which no tree can avoid
    published = [decode(replace(instance, arc=arc), published=True, trace=True) for arc in (instance.arc, lifted)]
    assert published[0].trace is not None
    assert published[1].trace is not None
    assert not np.allclose(np.diff(published[0].trace["dual"])[:3], np.diff(published[1].trace["dual"])[:3])


def test_any_beta_and_any_start_certify_the_same_value() -> None:
    for seed in range(12):
        instance = random_instance(seed, 8, parts=("sib stop", "sib grand")[seed % 2])
        plain = decode(instance, steps="polyak")
        values = {round(plain.score, 6)} if plain.certified else set()
        random = np.random.default_rng(seed)
        assert plain.multipliers is not None
        for beta in (0.0, 0.3, 1.0):
            shaken = plain.multipliers._replace(u=plain.multipliers.u + random.normal(size=plain.multipliers.u.shape))
            for start in (None, plain.multipliers, shaken):
                parse = decode(instance, steps="polyak", beta=beta, warm_start=start)
                if parse.certified:
                    values.add(round(parse.score, 6))
        assert len(values) <= 1


def test_a_start_where_another_run_agreed_agrees_at_once() -> None:
    found = 0
    for seed in range(20):
        instance = random_instance(seed, 7, parts="sib")
        parse = decode(instance)
        if parse.certificate != "agreement":
            continue
        found += 1
        again = decode(instance, warm_start=parse.multipliers)
        assert again.iterations == 1
        assert again.certificate == "agreement"
        assert again.score == pytest.approx(parse.score, rel=1e-9)
    assert found >= 5


def test_a_start_is_taken_over_to_other_constraints() -> None:
    instance = random_instance(3, 7, parts="sib")
    parse = decode(instance, max_iterations=50)
    h, m = int(parse.heads[3]), 3
    forbidden = tw.decode.tree(
        instance.arc, **instance.arguments, forbid=[(h, m)], method="dd", warm_start=parse.multipliers
    )
    assert forbidden.heads[m] != h
    best = tw.decode.tree(instance.arc, **instance.arguments, forbid=[(h, m)])
    assert forbidden.bound >= best.score - TOLERANCE


def start_of(arc: np.ndarray[Any, Any], multipliers: tw.decode.Multipliers, beta: float = 0.001) -> list[float]:
    """u before the first step: the automata's share of the second best arc into each word."""
    heads = range(len(arc))
    second = {m: sorted(arc[h, m] for h in heads if h != m)[-2] for m in heads[1:]}
    return [(1 - beta) * second[m] for m in multipliers.m.tolist()]


def test_steps_are_those_of_the_paper() -> None:
    instance = random_instance(1, 9, parts="sib stop", root="multi")
    first = decode(instance, max_iterations=1, trace=True)
    assert first.trace is not None
    assert first.multipliers is not None
    delta = first.trace["dual"][0] - first.trace["best"][0]
    moves = first.multipliers.u - start_of(instance.arc, first.multipliers)
    moved = moves[np.abs(moves) > 1e-12]
    assert len(moved) == first.trace["disagreements"][0] > 0
    np.testing.assert_allclose(np.abs(moved), delta, rtol=1e-9)
    for limit in range(2, 12):  # from then on: delta over one more than the number of rises
        before, after = decode(instance, max_iterations=limit - 1), decode(instance, max_iterations=limit, trace=True)
        assert before.multipliers is not None
        assert after.multipliers is not None
        assert after.trace is not None
        rises = int((np.diff(after.trace["dual"]) > 1e-9).sum())
        change = np.abs(after.multipliers.u - before.multipliers.u)
        np.testing.assert_allclose(change[change > 1e-12], delta / (1 + rises), rtol=1e-6)


def test_a_trace_has_one_entry_an_iteration() -> None:
    for tighten in (False, True):
        parse = decode(random_instance(4, 8, parts="sib grand"), max_iterations=120, trace=True, tighten=tighten)
        assert parse.trace is not None
        assert {name: len(column) for name, column in parse.trace.items()} == dict.fromkeys(
            ("dual", "best", "bound", "disagreements", "recomputed"), parse.iterations
        )
        assert (np.diff(parse.trace["best"]) >= 0).all()
        assert parse.trace["best"][-1] == pytest.approx(parse.score, rel=1e-9)
        assert (np.diff(parse.trace["bound"]) <= 0).all()
        assert parse.trace["bound"][-1] == pytest.approx(parse.bound, rel=1e-9)
        assert tighten or parse.trace["dual"].min() == pytest.approx(parse.bound, rel=1e-9)
        assert parse.trace["recomputed"][0] == 1
        assert ((parse.trace["recomputed"] >= 0) & (parse.trace["recomputed"] <= 1)).all()
    assert decode(random_instance(4, 8, parts="sib grand"), max_iterations=120).trace is None


def test_agreement_and_bound_are_told_apart() -> None:
    kinds = set()
    for seed in range(60):
        instance = random_instance(seed, 5, parts="sib stop", ties=True)
        steps = ("koo", "polyak")[seed % 2]
        parse = decode(instance, trace=True, max_iterations=300, tighten=False, steps=steps)
        kinds.add(parse.certificate)
        assert parse.trace is not None
        assert (parse.trace["disagreements"][-1] == 0) == (parse.certificate == "agreement")
        if parse.certificate == "bound":
            assert parse.gap <= 1e-9 * parse.spread
    assert kinds >= {"agreement", "bound"}


def test_a_gap_is_told_when_the_relaxation_is_not_tight() -> None:
    instance = random_instance(0, 9, parts="sib grand stop")
    parse = decode(instance, max_iterations=200, tighten=False)
    exact = tw.decode.tree(instance.arc, **instance.arguments)
    assert not parse.certified
    assert parse.certificate is None
    assert parse.score <= exact.score + TOLERANCE <= parse.bound + 2 * TOLERANCE
    assert 0 < parse.gap == pytest.approx(parse.bound - parse.score, rel=1e-12)


def test_the_averaged_trees_approach_the_linear_program() -> None:
    checked = 0
    for seed in range(40):
        instance = random_instance(seed, 6, parts="sib stop", root="multi")
        relaxed = tw.decode.tree(instance.arc, **instance.arguments, method="lp")
        parse = decode(instance, steps="koo", tighten=False)
        assert parse.arcs is not None
        np.testing.assert_allclose(parse.arcs[:, 1:].sum(axis=0), 1, rtol=1e-9)
        if relaxed.certified:
            continue
        checked += 1
        assert relaxed.arcs is not None
        assert np.abs(parse.arcs - relaxed.arcs).max() < 0.2
    assert checked >= 3


def test_a_certified_tree_is_its_own_average() -> None:
    parse = next(p for p in (decode(random_instance(s, 6, parts="sib")) for s in range(20)) if p.certified)
    assert parse.arcs is not None
    assert parse.arcs[parse.heads[1:], np.arange(1, 7)].tolist() == [1] * 6
    assert parse.arcs.sum() == 6


@pytest.mark.parametrize("parts", ["sib stop", "sib grand stop"])
def test_projective_trees_are_those_of_the_dynamic_program(parts: str) -> None:
    certified = 0
    for seed in range(15):
        instance = random_instance(seed, 9, parts=parts, projective=True, root=ROOTS[seed % 2])
        instance.arc[:] *= 10  # so that some relaxations are tight
        exact = tw.decode.tree(instance.arc, **instance.arguments)
        parse = decode(instance, steps="polyak", max_iterations=400)
        assert tw.trees.is_projective(parse.heads)
        assert parse.score <= exact.score + TOLERANCE <= parse.bound + 2 * TOLERANCE
        certified += parse.certified
        if parse.certified:
            assert parse.score == pytest.approx(exact.score, rel=1e-9)
    assert certified >= 5


def test_the_same_every_time_and_from_every_thread() -> None:
    instances = [random_instance(seed, 8, parts=("sib stop", "sib grand")[seed % 2]) for seed in range(8)]

    def answers() -> list[tuple[Any, ...]]:
        parses = [decode(instance, max_iterations=200) for instance in instances]
        found = []
        for p in parses:
            assert p.multipliers is not None
            found.append((p.heads.tolist(), p.score, p.bound, p.iterations, p.multipliers.u.tolist()))
        return found

    expected = answers()
    with ThreadPoolExecutor(4) as pool:
        for found in [pool.submit(answers) for _ in range(4)]:
            assert found.result() == expected


def test_arcs_alone_need_no_automata_to_agree() -> None:
    arc = np.random.default_rng(0).normal(size=(9, 9))
    parse = tw.decode.tree(arc, method="dd", beta=1)
    assert parse.certified
    assert parse.score == pytest.approx(tw.decode.tree(arc).score, rel=1e-9)


def test_tightening_certifies_what_no_multipliers_can() -> None:
    for parts, plain_most, tight_least in (("sib stop", 20, 30), ("sib grand stop", 8, 20)):
        plain = tight = 0
        for seed in range(30):
            instance = random_instance(seed, 9, parts=parts, root=ROOTS[seed % 2])
            best = tw.decode.tree(instance.arc, **instance.arguments).score
            published, tightened = decode(instance, tighten=False), decode(instance)
            plain, tight = plain + published.certified, tight + tightened.certified
            assert tightened.score <= best + TOLERANCE <= tightened.bound + 2 * TOLERANCE
            assert tightened.certified >= published.certified
            assert tightened.bound <= published.bound + 0.01 or tightened.certified
            if tightened.certified:
                assert tightened.score == pytest.approx(best, rel=1e-9)
        assert plain <= plain_most
        assert tight >= tight_least


def test_tightening_begins_where_the_published_algorithm_stalls() -> None:
    begun = 0
    for seed in range(20):
        instance = random_instance(seed, 9, parts="sib grand stop")
        published = decode(instance, tighten=False, trace=True)
        tightened = decode(instance, trace=True)
        assert published.trace is not None
        assert tightened.trace is not None
        shared = min(published.iterations, tightened.iterations)
        same = published.trace["dual"][:shared] == tightened.trace["dual"][:shared]
        first = shared if same.all() else int(same.argmin())
        assert first % 20 == 0 or first == published.iterations
        assert first >= min(40, published.iterations)
        begun += first < shared
    assert begun >= 10


@pytest.mark.parametrize("steps", ["koo", "polyak"])
def test_iterations_of_tightening_count(steps: str) -> None:
    for seed in range(6):
        instance = random_instance(seed, 9, parts="sib grand stop")
        best = tw.decode.tree(instance.arc, **instance.arguments).score
        bounds = []
        for limit in (1, 19, 40, 41, 60, 61, 75, 100, 133, 200, 399):
            parse = decode(instance, steps=steps, max_iterations=limit)
            assert parse.iterations <= limit
            assert parse.certified or parse.iterations == limit
            assert parse.score <= best + TOLERANCE <= parse.bound + 2 * TOLERANCE
            bounds.append(parse.bound)
        assert (np.diff(bounds) <= TOLERANCE).all()


def test_multipliers_of_a_tightened_answer_are_those_of_all_arcs() -> None:
    for seed in range(6):
        instance = random_instance(seed, 9, parts="sib grand stop")
        parse = decode(instance, trace=True)
        assert parse.multipliers is not None
        arcs = set(zip(parse.multipliers.h.tolist(), parse.multipliers.m.tolist(), strict=True))
        assert arcs == {(h, m) for h in range(10) for m in range(1, 10) if h != m}
        again = decode(instance, warm_start=parse.multipliers, tighten=False, max_iterations=1)
        first = decode(instance, tighten=False, max_iterations=1)
        assert again.bound < first.bound  # they are a better start than none
        if parse.certified:
            assert again.bound >= parse.score - TOLERANCE


def test_projective_trees_are_tightened_too() -> None:
    plain = tight = 0
    for seed in range(20):
        instance = random_instance(seed, 9, parts="sib grand stop", projective=True, root=ROOTS[seed % 2])
        best = tw.decode.tree(instance.arc, **instance.arguments).score
        published, tightened = decode(instance, tighten=False), decode(instance)
        plain, tight = plain + published.certified, tight + tightened.certified
        assert tw.trees.is_projective(tightened.heads)
        assert tightened.score <= best + TOLERANCE <= tightened.bound + 2 * TOLERANCE
        if tightened.certified:
            assert tightened.score == pytest.approx(best, rel=1e-9)
    assert plain <= 2
    assert tight >= 10


def test_time_is_a_limit() -> None:
    parse = decode(random_instance(0, 30, parts="sib grand stop"), max_seconds=0)
    assert parse.iterations == 1
    assert parse.gap > 0


@needs_timer
@pytest.mark.parametrize("tighten", [False, True])
def test_it_can_be_interrupted(tighten: bool) -> None:
    with interrupted_after(0.3):
        decode(random_instance(0, 40, parts="sib grand stop"), tighten=tighten, max_iterations=10**6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iterations": 0}, "max_iterations is 0; at least one"),
        ({"steps": "newton"}, "steps is 'newton'; the rules are 'koo' and 'polyak'"),
        ({"beta": 1.5}, "beta is 1.5; it is a share of the arc scores, between 0 and 1"),
        ({"tolerance": -1}, "tolerance is -1; it is the largest gap of a certified result, relative to the spread"),
        ({"max_seconds": -2}, "max_seconds is -2; give seconds"),
        ({"speed": 1}, "method 'dd' has no option 'speed'; it has max_iterations, steps, beta"),
    ],
)
def test_bad_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode(random_instance(0, 3), **options)


def test_a_bad_start_is_named() -> None:
    parse = decode(random_instance(0, 3))
    assert parse.multipliers is not None
    with pytest.raises(InputError, match=r"warm_start\.u must hold one number an arc, within 1e\+300 of zero"):
        decode(random_instance(0, 3), warm_start=parse.multipliers._replace(u=parse.multipliers.u * np.nan))
    with pytest.raises(InputError, match=r"warm_start\.v must hold one number an arc"):
        decode(random_instance(0, 3), warm_start=parse.multipliers._replace(v=parse.multipliers.v[:2]))
    huge = np.full_like(parse.multipliers.u, 1e306)
    with pytest.raises(InputError, match=r"warm_start\.u must hold one number an arc, within 1e\+300 of zero"):
        decode(random_instance(0, 3), warm_start=parse.multipliers._replace(u=huge))

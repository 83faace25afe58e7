"""Grand-sibling scores: every exact method against every tree, then HiGHS; the automaton alone; what refuses them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, neighbours, random_instance, solvable, varied_instance

import treewright as tw
from treewright.decode import Parts, Problem
from treewright.errors import BudgetError, InfeasibleError, InputError

ROOTS = ("single", "multi")
KINDS = ("grandsib", "sib grandsib", "grand grandsib", "sib grand stop grandsib")
ALL = KINDS[-1]


def decode(instance: Instance, **options: Any) -> tw.decode.Parse:
    return tw.decode.tree(instance.arc, **instance.arguments, **options)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", KINDS)
def test_exact_is_the_best_of_all_trees(parts: str, root: str, projective: bool) -> None:
    instances = (varied_instance(seed, parts=parts, root=root, projective=projective) for seed in range(40))
    for instance, best in solvable(instances, decode, at_least=30):
        parse = decode(instance)
        assert parse.certified
        assert parse.method == ("grand-eisner" if projective else "branch and bound")
        assert parse.score == pytest.approx(best, rel=1e-9, abs=1e-8)
        assert instance.value(parse.heads) == pytest.approx(best, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("projective", [False, True])
def test_the_integer_program_finds_nothing_better(projective: bool) -> None:
    for seed, words in enumerate((6, 7, 8)):
        instance = random_instance(seed, words, parts=ALL, root=ROOTS[seed % 2], projective=projective)
        parse, program = decode(instance), decode(instance, method="ilp", grandparents="automaton")
        assert parse.certified
        assert program.certified
        assert parse.score == pytest.approx(program.score, abs=1e-5)


def test_the_bound_of_dual_decomposition_is_the_value_of_the_linear_program() -> None:
    for seed in range(4):
        instance = random_instance(seed, 5, parts=ALL)
        relaxed = decode(instance, method="lp", grandparents="automaton")
        parse = decode(instance, method="dd", steps="polyak", max_iterations=3000, tighten=False)
        assert relaxed.bound - 1e-5 <= parse.bound <= relaxed.bound + 0.02


@pytest.mark.parametrize("options", [{}, {"tighten": False}, {"published": True}])
def test_every_bound_of_dual_decomposition_holds_for_every_tree(options: dict[str, bool]) -> None:
    certified = 0
    for seed in range(24):
        instance = varied_instance(seed, parts=ALL, root=ROOTS[seed % 2], projective=seed % 3 == 0)
        best = instance.best()
        if best == -np.inf:
            with pytest.raises((InfeasibleError, BudgetError)):
                decode(instance, method="dd", max_iterations=300, **options)
            continue
        parse = decode(instance, method="dd", max_iterations=300, steps="polyak", trace=True, **options)
        assert parse.trace is not None
        assert (parse.trace["bound"] >= best - 1e-8).all()
        assert parse.score == pytest.approx(instance.value(parse.heads), rel=1e-9, abs=1e-9)
        if parse.certified:
            assert parse.score == pytest.approx(best, rel=1e-9, abs=1e-8)
        certified += parse.certified
    assert certified >= 8


def test_dual_decomposition_certifies_by_agreement() -> None:
    parses = []
    for seed in range(20):
        instance = random_instance(seed, 8, parts=ALL)
        weak = Instance(10 * instance.arc, instance.scores, instance.shape)
        parse = decode(weak, method="dd", tighten=False)
        parses.append(parse)
        if parse.certified:
            assert parse.score == pytest.approx(decode(weak).score, rel=1e-9)
    assert sum(parse.certificate == "agreement" for parse in parses) >= 10


def test_a_grand_sibling_score_is_a_grandparent_score_where_it_ignores_the_sibling() -> None:
    for seed in range(10):
        instance = random_instance(seed, 7, parts="sib grand stop")
        scores = dict(instance.scores)
        nodes = len(instance.arc)
        scores["grandsib"] = np.broadcast_to(scores.pop("grand")[..., None], (nodes,) * 4)
        assert decode(instance).score == pytest.approx(tw.decode.tree(instance.arc, **scores).score, rel=1e-9)


def test_a_climb_ends_where_no_change_is_better() -> None:
    for seed in range(10):
        instance = random_instance(seed, 6, parts=ALL, root=ROOTS[seed % 2])
        parse = decode(instance, method="climb", seed=seed)
        assert parse.score == pytest.approx(instance.value(parse.heads), rel=1e-9)
        best = max(instance.value(tree) for tree in neighbours(instance, parse.heads))
        assert parse.score >= best - 1e-9
        assert decode(instance, method="rearrange").score <= decode(instance).score + 1e-9


def test_lists_of_parts_hold_the_same_scores() -> None:
    instance = random_instance(5, 5, parts=ALL)
    parts = Parts.from_arrays(instance.arc, **instance.scores)
    again = Parts(6, parts.arcs, parts.siblings, parts.grandparents, parts.stops, grandsiblings=parts.grandsiblings)
    for each in (again, pickle.loads(pickle.dumps(again)), again.scaled(2).scaled(0.5)):
        assert "grandsiblings" in repr(each)
        assert tw.decode.tree(each).score == pytest.approx(decode(instance).score, rel=1e-9)
    keep = parts.arcs.h != 3
    forbidden = [(3, m) for m in range(1, 6) if m != 3]
    assert tw.decode.tree(parts.prune(keep)).score == pytest.approx(decode(instance, forbid=forbidden).score, rel=1e-9)


def test_masks_of_a_million_leave_the_best_tree_certified() -> None:
    for seed in range(10):
        instance = random_instance(seed, 5, parts=ALL)
        masked = np.where(np.random.default_rng(seed).random(instance.scores["grandsib"].shape) < 0.3, -1e6, 0.0)
        heavy = Instance(instance.arc, instance.scores | {"grandsib": instance.scores["grandsib"] + masked}, {})
        parse = decode(heavy)
        assert parse.certified
        assert parse.score == pytest.approx(heavy.best(), rel=1e-9)


def test_a_padded_batch_answers_as_one_by_one() -> None:
    instances = [random_instance(seed, words, parts="sib grandsib") for seed, words in enumerate((3, 5))]
    arc, sib, grandsib = np.zeros((2, 6, 6)), np.zeros((2, 6, 6, 6)), np.zeros((2, 6, 6, 6, 6))
    for row, instance in enumerate(instances):
        n = slice(len(instance.arc))
        arc[row, n, n] = instance.arc
        sib[row, n, n, n], grandsib[row, n, n, n, n] = instance.scores["sib"], instance.scores["grandsib"]
    parses = tw.decode.trees(arc, sib=sib, grandsib=grandsib, lengths=[3, 5])
    assert [parse.score for parse in parses] == pytest.approx([decode(each).score for each in instances], rel=1e-9)


def test_bad_scores_are_named() -> None:
    scores = np.zeros((3, 3, 3, 3))
    with pytest.raises(InputError, match=r"grandsib has shape \(3, 3\), expected \(4, 4, 4, 4\)"):
        tw.decode.tree(np.zeros((4, 4)), grandsib=np.zeros((3, 3)))
    scores[0, 1, 2, 1] = np.nan
    with pytest.raises(InputError, match=r"grandsib\[0, 1, 2, 1\] is NaN"):
        tw.decode.tree(np.zeros((3, 3)), grandsib=scores)
    with pytest.raises(InputError, match=r"grandsibling 0 has s outside h \.\. m"):
        Parts(4, ([0, 1, 1], [1, 2, 3], [0.0] * 3), grandsiblings=([0], [1], [2], [3], [1.0]))
    with pytest.raises(InputError, match="grandsibling 1 comes twice"):
        Parts(3, ([0, 1], [1, 2], [0.0] * 2), grandsiblings=([0, 0], [1, 1], [2, 2], [1, 1], [1.0, 2.0]))
    with pytest.raises(InputError, match="outermost=True has no grandsiblings"):
        Parts(3, ([0, 1], [1, 2], [0.0] * 2), grandsiblings=([0], [1], [2], [1], [1.0]), outermost=True)


@pytest.mark.parametrize("name", ["marginals", "log_partition", "entropy", "kbest", "sample", "mbr"])
def test_sums_over_trees_refuse_them(name: str) -> None:
    problem = Problem.of(np.zeros((3, 3)), grandsib=np.zeros((3,) * 4))
    arguments = {"kbest": (2,), "sample": (2,)}.get(name, ())
    with pytest.raises(InputError, match=f"{name} has no form for grandsib scores"):
        getattr(tw.decode, name)(problem, *arguments)


def test_proofs_graphs_and_loose_programs_refuse_them() -> None:
    arc, grandsib = np.zeros((3, 3)), np.zeros((3,) * 4)
    with pytest.raises(InputError, match="proof=True has no form for grandsib scores"):
        tw.decode.tree(arc, grandsib=grandsib, proof=True)
    with pytest.raises(InputError, match="verify has no form for grandsib scores"):
        tw.decode.verify(arc, tw.decode.tree(arc, proof=True), grandsib=grandsib)
    with pytest.raises(InputError, match="verify has no form for grandsib scores"):
        tw.decode.verify(Parts.from_arrays(arc, grandsib=grandsib), tw.decode.tree(arc, proof=True))
    with pytest.raises(InputError, match="graph has no form for grandsib scores"):
        tw.decode.graph(arc, grandsib=grandsib)
    with pytest.raises(InputError, match="give grandparents='automaton'"):
        tw.decode.tree(arc, grandsib=grandsib, method="ilp")

"""Proofs: every proof that a decoder gives is accepted, and whatever is accepted is true by enumeration."""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.util
import json
import math
import pickle
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, random_instance, varied_instance
from oracles.pages import REPO
from oracles.processes import run_process
from oracles.trees import all_trees, parts_of

import treewright as tw
from treewright import proofs
from treewright.decode import Parse, Parts, Proof, Verified
from treewright.errors import InfeasibleError, InputError, ProofError
from treewright.proofs.chart import Chart
from treewright.proofs.losses import Losses
from treewright.proofs.proof import Node, Point
from treewright.proofs.scores import Scores

FAILURES = ("false", "costly", "bad gap", "bad value", "errors")  # columns of the benchmark of certificates
ROOTS = ("single", "multi")
SUM_ERROR = 1e-9  # of sums of a few doubles of this size; far above their rounding
ONE_POINT = Proof("search", [Node(-1, None, False, (), 0)], [Point((), 0.0, ())])  # without multipliers
PARTS = ["", "sib", "stop", "grand", "sib grand", "sib grand stop"]


def prove(instance: Instance, **options: Any) -> Parse:
    return tw.decode.tree(instance.arc, **instance.arguments, proof=True, **options)


def verify(instance: Instance, parse: Parse) -> Verified:
    return tw.decode.verify(instance.arc, parse, **instance.arguments)


def proof_of(parse: Parse) -> Proof:
    assert parse.proof is not None
    return parse.proof


def is_true(instance: Instance, parse: Parse) -> bool:
    """Whether heads are a tree of that value, and none is above the bound, or better than a certified tree."""
    heads = tuple(int(h) for h in parse.heads)
    if not np.isfinite([parse.score, parse.bound]).all():
        return False
    if heads not in instance.trees() or abs(instance.value(heads) - parse.score) > SUM_ERROR:
        return False
    allowed = parse.score if parse.certified else max(parse.bound, parse.score)
    return instance.best() <= allowed + 1e-7


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("parts", PARTS)
def test_proofs_of_decoders_are_accepted_and_bound_every_tree(parts: str, projective: bool, root: str) -> None:
    accepted = 0
    for seed in range(24):
        instance = varied_instance(seed, parts=parts, root=root, projective=projective)
        try:
            parse = prove(instance)
        except InfeasibleError:
            continue
        verified = verify(instance, parse)
        best = instance.best()
        assert verified.bound >= best - SUM_ERROR
        assert verified.value == pytest.approx(best, abs=1e-7)
        assert 0 <= verified.gap < 1e-7
        accepted += 1
    assert accepted >= 15


@pytest.mark.parametrize("root", ROOTS)
def test_sentences_longer_than_enumeration_are_accepted(root: str) -> None:
    for seed in range(4):
        for projective in (False, True):
            for parts in ("", "sib stop", "sib grand stop"):
                words = 12 if projective or not parts else 8
                instance = random_instance(seed, words, parts=parts, root=root, projective=projective)
                assert verify(instance, prove(instance)).gap < 1e-7


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", PARTS)
def test_the_chart_finds_the_smallest_loss(parts: str, root: str, is_exact: bool) -> None:
    """Of arrays and of lists of parts, in rounded and in exact integers."""
    for seed in range(12):
        instance = random_instance(seed, 2 + seed % 4, parts=parts, root=root, projective=True, sparse=0.1 * (seed % 2))
        allowed = [tree for tree in instance.trees() if instance.value(tree) > -np.inf]
        if not allowed:
            continue
        worst, best = (choose(allowed, key=instance.value) for choose in (min, max))
        for arc, second in (
            (instance.arc, instance.scores),
            (Parts.from_arrays(instance.arc, **instance.scores), {}),
        ):
            arrays = {name: second.get(name) for name in ("sib", "grand", "stop")}
            scores = Scores(arc, **arrays, require=(), forbid=())
            losses = Losses(scores, root == "single")
            of_worst, of_best = (losses.of_tree(scores.parts_of(tree)) for tree in (worst, best))
            integers = losses.exact(of_worst) if is_exact else losses.rounded(of_worst or Fraction(1), 60)
            found = integers.exact(Chart(scores, integers).smallest_loss())
            assert found == of_best if is_exact else 0 <= of_best - found < 1e-12


@pytest.mark.parametrize("masks", [False, True])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("parts", PARTS)
def test_the_spread_is_that_of_the_decoder(parts: str, projective: bool, masks: bool) -> None:
    """The checker computes it again, from the same definition."""
    compared = 0
    for seed in range(24):
        instance = random_instance(
            seed,
            2 + seed % 5,
            parts=parts,
            root=ROOTS[seed % 2],
            projective=projective,
            sparse=0.1 * (seed % 3 == 0),
            ties=seed % 5 == 4,
        )
        random = np.random.default_rng(seed)
        for array in [instance.arc, *instance.scores.values()] if masks else []:
            array[random.random(array.shape) < 0.4] = -(10.0 ** random.integers(3, 30))
        try:
            parse = tw.decode.tree(instance.arc, **instance.arguments)
        except InfeasibleError:
            continue
        arrays = {name: instance.scores.get(name) for name in ("sib", "grand", "stop")}
        scores = Scores(instance.arc, **arrays, require=(), forbid=())
        losses = Losses(scores, instance.shape["root"] == "single")
        spread = losses.spread(parse.heads.tolist())
        if parse.spread or not parse.certified:
            compared += 1
            assert spread == pytest.approx(parse.spread, rel=1e-12)
    assert compared > 10


@pytest.mark.parametrize("root", ROOTS)
def test_grandparent_scores_of_zero_have_a_proof(root: str) -> None:
    """The automata of the search choose heads although no grandparent part has a score."""
    for seed in range(60):
        instance = random_instance(seed, 2 + seed % 4, parts="sib stop", root=root, ties=seed % 2 == 0)
        grand = np.zeros((len(instance.arc),) * 3)
        scores = Parts.from_arrays(instance.arc, **instance.scores, grand=grand)
        parse = tw.decode.tree(scores, root=root, proof=True)
        assert tw.decode.verify(scores, parse, root=root).value == pytest.approx(instance.best(), abs=SUM_ERROR)


def test_trees_that_all_have_a_mask_have_a_proof() -> None:
    """Arcs that no good tree has follow from each other, beside masks and forbidden grandparents."""
    certified = 0
    for seed in range(200):
        random, nodes = np.random.default_rng(seed), 3 + seed % 3
        arc, grand = random.normal(size=(nodes,) * 2), random.normal(size=(nodes,) * 3)
        arc[random.random(arc.shape) < 0.4] = -1e7
        grand[random.random(grand.shape) < 0.4] = -np.inf
        scores = Parts.from_arrays(arc, grand=grand)
        try:
            parse = tw.decode.tree(scores, proof=True)
        except InfeasibleError:
            continue
        certified += parse.certified and parse.score < -1e6
        assert tw.decode.verify(scores, parse).value == pytest.approx(parse.score)
    assert certified > 30


@pytest.mark.parametrize("root", ROOTS)
def test_parts_with_masks_and_shifts_are_accepted_only_if_the_claim_is_true(root: str) -> None:
    """Against all trees in exact arithmetic."""
    accepted = refused = 0
    for seed in range(40):
        instance = random_instance(seed, 2 + seed % 3, parts="sib grand stop", root=root, projective=True)
        random = np.random.default_rng(seed)
        for scores in instance.scores.values():
            scores[random.random(scores.shape) < 0.3] = -(10.0 ** random.integers(3, 39))
        arc = instance.arc + 1e9 * (random.random(len(instance.arc)) < 0.3)
        parts = Parts.from_arrays(arc, **instance.scores)
        values = {heads: sum(map(Fraction, parts_of(heads, arc, **instance.scores))) for heads in instance.trees()}
        best = tw.decode.tree(parts, projective=True, root=root, proof=True)
        heads = list(values)[int(random.integers(len(values)))]
        other = replace(best, heads=np.array(heads), score=float(values[heads]), bound=float(values[heads]), gap=0.0)
        for parse in (best, other):
            try:
                verified = tw.decode.verify(parts, parse, projective=True, root=root)
            except ProofError:
                refused += 1
                continue
            accepted += 1
            loss = max(values.values()) - values[tuple(parse.heads.tolist())]
            assert loss <= Fraction(verified.gap)
            assert not parse.certified or loss <= Fraction(parse.tolerance * parse.spread)
    assert accepted >= 30
    assert refused >= 10


@pytest.mark.parametrize("projective", [False, True])
def test_parts_and_arrays_have_the_same_proofs(projective: bool) -> None:
    for seed in range(8):
        instance = random_instance(seed, 5, projective=projective)
        parts = Parts.from_arrays(instance.arc, **instance.scores)
        parse = tw.decode.tree(parts, projective=projective, proof=True)
        found, whole = tw.decode.verify(parts, parse, projective=projective), verify(instance, prove(instance))
        assert found.value == whole.value
        assert found.bound == pytest.approx(whole.bound, abs=SUM_ERROR)


@pytest.mark.parametrize("scale", [1e9, 1e200])
def test_scores_of_any_scale(scale: float) -> None:
    for parts in ("", "sib grand"):
        for projective in (False, True):
            instance = random_instance(3, 5, parts=parts, projective=projective)
            scores = {name: scale * array for name, array in instance.scores.items()}
            scaled = Instance(scale * instance.arc, scores, instance.shape)
            assert verify(scaled, prove(scaled)).gap <= 1e-8 * scale * 5


@pytest.mark.parametrize(("scale", "shift"), [(2.0**-40, 0.0), (1e-10, 0.0), (1.0, 2.0**40), (2.0**-40, 1.0)])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("parts", ["", "sib", "sib grand stop"])
def test_what_is_accepted_does_not_depend_on_units(parts: str, projective: bool, scale: float, shift: float) -> None:
    """The tree of the decoder is accepted, and the second best one with the same claim is refused, at any scale."""
    for seed in range(4):
        instance = random_instance(seed, 4, parts=parts, projective=projective)
        moved = np.array([0, 0, shift, 0, -shift])
        scores = {name: scale * array for name, array in instance.scores.items()}
        scaled = Instance(scale * instance.arc + moved, scores, instance.shape)
        parse = prove(scaled)
        assert parse.certified
        assert verify(scaled, parse).gap <= parse.tolerance * parse.spread
        second = sorted(instance.trees(), key=instance.value)[-2]
        best_loss = instance.best() - instance.value(second)
        worse = replace(parse, heads=np.array(second, np.int32), score=scaled.value(second))
        assert best_loss * scale > 10 * worse.tolerance * worse.spread
        with pytest.raises(ProofError):
            verify(scaled, worse)


def exact_bound(arc: np.ndarray, point: dict[str, Any]) -> Fraction:
    """The bound of docs/proofs.md on first-order trees, in rational numbers."""
    sets = [(Fraction(slack), set(words)) for slack, words in point["sets"]]
    penalty = Fraction(point["penalty"])
    total = penalty - sum(slack for slack, _ in sets)
    for m in range(1, len(arc)):
        entered = [sum(slack for slack, words in sets if m in words and h not in words) for h in range(len(arc))]
        weights = [Fraction(arc[h, m]) + entered[h] - penalty * (h == 0) for h in range(len(arc)) if h != m]
        total += max(weights)
    return total


@pytest.mark.parametrize("root", ROOTS)
def test_a_bound_is_that_of_its_multipliers(root: str) -> None:
    random = np.random.default_rng(3)
    checked = 0
    for seed in range(40):
        instance = random_instance(seed, 6, parts="", root=root)
        arc = instance.arc + 1e6 * random.normal(size=7)
        parse = tw.decode.tree(arc, root=root, proof=True)
        data = proof_of(parse).to_dict()
        for point in data["points"]:
            point["penalty"] = float(random.normal()) if root == "single" else 0.0
            words = random.permutation(6)[: random.integers(1, 7)] + 1
            point["sets"] = [[float(random.random()), words.tolist()], *point["sets"]]
        loose = replace(parse, proof=Proof.from_dict(data), gap=50.0, bound=parse.score + 50)
        verified = tw.decode.verify(arc, loose, root=root)
        if verified.gap > 0:
            checked += 1
            assert abs(Fraction(verified.bound) - exact_bound(arc, data["points"][0])) < 1e-5
    assert checked > 10


def test_masks_and_shifts_are_checked_without_rounding() -> None:
    """Large numbers beside small ones leave no room for rounding: the check repeats itself with exact integers."""
    for projective in (False, True):
        instance = random_instance(5, 5, parts="", projective=projective)
        arc = instance.arc + 2.0**30 * np.arange(6)
        parse = tw.decode.tree(arc, projective=projective, proof=True)
        verified = tw.decode.verify(arc, parse, projective=projective)
        assert verified.gap <= 1e-9 * abs(parse.score)
        masked = np.where(np.random.default_rng(1).random(arc.shape) < 0.3, -1e30, instance.arc)
        parse = tw.decode.tree(masked, projective=projective, proof=True)
        assert tw.decode.verify(masked, parse, projective=projective).gap < 1e-6


def test_a_search_that_ended_early_proves_its_gap() -> None:
    for seed in range(6):
        instance = random_instance(seed, 7, parts="sib grand")
        parse = prove(instance, max_nodes=1)
        assert verify(instance, parse).bound <= parse.bound + 1e-7
        if not parse.certified:
            assert verify(instance, parse).gap > 1e-7
            lower = replace(parse, bound=(parse.bound + parse.score) / 2)
            with pytest.raises(ProofError):
                verify(instance, lower)


def test_parts_of_a_proof_cannot_be_left_out() -> None:
    """Without a node, or without the bound of a leaf, some trees are not bounded."""
    instance = next(
        instance
        for instance in (random_instance(seed, 8, parts="sib grand") for seed in range(20))
        if len(proof_of(prove(instance)).nodes) >= 3
    )
    parse = prove(instance)
    data = proof_of(parse).to_dict()
    for place, node in enumerate(data["nodes"]):
        if node["point"] is not None:
            broken = copy.deepcopy(data)
            broken["nodes"][place]["point"] = None
            with pytest.raises(ProofError, match="neither two children nor a bound"):
                verify(instance, replace(parse, proof=Proof.from_dict(broken)))
    broken = copy.deepcopy(data)
    del broken["nodes"][-1]
    with pytest.raises(ProofError):
        verify(instance, replace(parse, proof=Proof.from_dict(broken)))


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("parts", ["", "sib", "sib grand stop"])
def test_another_tree_score_or_bound_is_refused_unless_true(parts: str, projective: bool) -> None:
    random = np.random.default_rng(2)
    for seed in range(10):
        instance = random_instance(seed, 4, parts=parts, projective=projective, root=ROOTS[seed % 2])
        parse = prove(instance)
        heads = parse.heads.copy()
        heads[random.integers(0, 5)] = random.integers(-2, 7)
        changes: list[dict[str, Any]] = [
            {"heads": heads},
            {"heads": heads, "score": parse.score + 1.0},
            {"score": parse.score + 1e-3},
            {"score": parse.score - 1e-3},
            {"score": float("nan")},
            {"bound": float("nan")},
            {"heads": parse.heads[:-1]},
        ]
        other = instance.trees()[int(random.integers(len(instance.trees())))]
        changes.append({"heads": np.array(other, np.int32), "score": instance.value(other)})
        changes.append({"heads": np.array(other, np.int32), "score": instance.value(other), "bound": parse.bound})
        for change in changes:
            claim = replace(parse, **change)
            try:
                verify(instance, claim)
            except ProofError:
                assert not is_true(instance, claim)
            else:
                assert is_true(instance, claim)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("parts", ["", "sib", "sib grand stop"])
def test_other_scores_are_refused_unless_the_claim_holds_for_them(parts: str, projective: bool) -> None:
    random = np.random.default_rng(4)
    refused = 0
    for seed in range(15):
        instance = random_instance(seed, 4, parts=parts, projective=projective)
        parse = prove(instance)
        arrays = {"arc": instance.arc.copy(), **{name: array.copy() for name, array in instance.scores.items()}}
        array = arrays[list(arrays)[seed % len(arrays)]]
        array[tuple(random.integers(0, size) for size in array.shape)] += random.choice([-3.0, 0.01, 3.0])
        other = Instance(arrays.pop("arc"), arrays, instance.shape)
        try:
            verify(other, parse)
        except ProofError:
            refused += 1
        else:
            assert is_true(other, parse)
    assert refused > 0


def test_what_is_refused_is_named() -> None:
    scores = np.array([[0.0, 9, 2], [0, 0, 7], [0, 3, 0]])
    parse = tw.decode.tree(scores, proof=True)
    assert tw.decode.verify(scores, parse) == Verified(16.0, 16.0, 0.0)
    with pytest.raises(ProofError, match=r"no proof: decode with tree\(..., proof=True\)"):
        tw.decode.verify(scores, tw.decode.tree(scores))
    with pytest.raises(ProofError, match=r"the arc \(1, 2\) is not allowed"):
        tw.decode.verify(scores, parse, forbid=[(1, 2)])
    with pytest.raises(ProofError, match=r"the arc \(0, 1\) is not allowed"):
        tw.decode.verify(scores, parse, require=[(2, 1)])
    with pytest.raises(ProofError, match="form a cycle"):
        tw.decode.verify(scores, replace(parse, heads=np.array([-1, 2, 1], np.int32)), root="multi")
    with pytest.raises(ProofError, match="node 0 has 2 children"):
        tw.decode.verify(scores, replace(parse, heads=np.array([-1, 0, 0], np.int32)))
    with pytest.raises(ProofError, match=r"the tree has the value 16.0, not 17.0"):
        tw.decode.verify(scores, replace(parse, score=17.0))
    with pytest.raises(InputError, match="root is 'both'"):
        tw.decode.verify(scores, parse, root="both")
    with pytest.raises(InputError, match=r"sib has shape \(2,\), expected \(3, 3, 3\)"):
        tw.decode.verify(scores, parse, sib=[1, 2])
    crossing = np.full((5, 5), -1.0)
    crossing[0, 3] = crossing[3, 1] = crossing[1, 4] = crossing[4, 2] = 0.0
    proved = tw.decode.tree(crossing, proof=True)
    assert proved.heads.tolist() == [-1, 3, 4, 0, 1]
    with pytest.raises(ProofError, match="arcs of the tree cross"):
        tw.decode.verify(crossing, proved, projective=True)
    with pytest.raises(InputError, match=r"arc\[0, 1\] is NaN"):
        tw.decode.verify([[0.0, np.nan, 1.0], [0.0, 0.0, 7.0], [0.0, 3.0, 0.0]], parse)


def test_parts_of_outermost_modifiers_are_refused() -> None:
    """Their grandparent scores count for outermost modifiers only, which the check does not know."""
    arcs, grandparents = ([0, 1, 0, 2], [1, 2, 2, 1], [1.0, 1.0, 0.5, 0.2]), ([0], [1], [2], [1.0])
    parse = tw.decode.tree(Parts(3, arcs, grandparents=grandparents), projective=True, proof=True)
    outermost = Parts(3, arcs, grandparents=grandparents, outermost=True)
    with pytest.raises(InputError, match="outermost=True have no proofs"):
        tw.decode.verify(outermost, parse, projective=True)


def test_a_proof_about_projective_trees_proves_nothing_about_crossing_ones() -> None:
    instance = random_instance(1, 5, parts="sib", projective=True)
    parse = prove(instance)
    with pytest.raises(ProofError, match="a proof by a chart is one about projective trees"):
        tw.decode.verify(instance.arc, parse, **instance.scores)


def test_a_proof_about_crossing_trees_holds_for_projective_ones() -> None:
    arc = np.array([[0.0, 9, 2], [0, 0, 7], [0, 3, 0]])
    assert tw.decode.verify(arc, tw.decode.tree(arc, proof=True), projective=True).gap == 0


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", ["", "sib grand stop"])
def test_a_proof_survives_json_and_pickle(parts: str, root: str) -> None:
    instance = random_instance(3, 7, parts=parts, root=root)
    parse = prove(instance)
    verified = verify(instance, parse)
    for proof in (
        Proof.from_dict(json.loads(json.dumps(proof_of(parse).to_dict()))),
        pickle.loads(pickle.dumps(parse.proof)),
    ):
        assert verify(instance, replace(parse, proof=proof)) == verified


@pytest.mark.parametrize(
    "data",
    [{}, {"kind": "faith"}, {"kind": "search", "nodes": 3}, {"kind": "search", "nodes": [{"arc": [1]}]}, [], None],
)
def test_what_is_no_proof_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match="proof"):
        Proof.from_dict(data)


def test_without_asking_there_is_no_proof() -> None:
    instance = random_instance(3, 5)
    assert tw.decode.tree(instance.arc, **instance.arguments).proof is None
    assert tw.decode.tree(instance.arc).proof is None


def test_other_methods_have_no_proofs() -> None:
    with pytest.raises(InputError, match="method 'dd' has no option 'proof'"):
        tw.decode.tree(np.ones((3, 3)), method="dd", proof=True)


def test_a_batch_has_the_proofs_of_single_sentences() -> None:
    batch = [Parts.from_arrays(i.arc, **i.scores) for i in (random_instance(s, 4) for s in range(3))]
    for projective in (False, True):
        for parts, parse in zip(batch, tw.decode.trees(batch, projective=projective, proof=True), strict=True):
            assert tw.decode.verify(parts, parse, projective=projective).value == pytest.approx(parse.score)


def imports_of(file: Path) -> set[str]:
    """The modules of the package that a file imports."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {module.removeprefix("treewright.") for module in modules if module.startswith("treewright")}


def test_the_check_imports_no_decoder() -> None:
    """Only errors, checks of arguments and its own modules: nothing of the core, no solver."""
    for file in Path(proofs.__file__).parent.glob("*.py"):
        assert {name.partition(".")[0] for name in imports_of(file)} <= {"errors", "checks", "proofs"}, file.name
    code = "import sys, treewright.proofs; print(*[name for name in sys.modules if name.startswith('treewright.')])"
    loaded = run_process([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "treewright.proofs.verify" in loaded
    assert not [name for name in loaded if name.startswith(("treewright.decode", "treewright._core"))]


@pytest.mark.parametrize("words", [1, 2, 3])
def test_trees_that_differ_by_next_to_nothing_are_certified_with_a_proof_as_without(words: int) -> None:
    """The gap of a recorded search has the rounding of the search in it; the proof shows a smaller one."""
    random = np.random.default_rng(words)
    for spread in (0.0, 1e-3, 0.1):
        arc = 30 + spread * random.random((words + 1, words + 1))
        sib = spread * random.normal(size=(words + 1,) * 3)
        plain, proved = (tw.decode.tree(arc, sib=sib, proof=proof) for proof in (False, True))
        assert plain.certified
        assert proved.certified
        assert proved.bound >= proved.score
        assert tw.decode.verify(arc, proved, sib=sib).gap <= proved.gap


def benchmark(name: str) -> Any:
    """Load a benchmark of accuracy."""
    spec = importlib.util.spec_from_file_location(name, REPO / "benchmarks" / "accuracy" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_a_certified_tree_loses_little_of_the_difference_to_typical_trees() -> None:
    """Sizes of 1 to 1e16 in one sentence; `benchmarks/accuracy/certificates.py --kind mixed` has 100,000 decodings."""
    certificates = benchmark("certificates")
    enumeration = certificates.enumeration
    rows = enumeration.run(certificates.decode_instance, 5000, seed=1, kinds=enumeration.MIXED).rows
    assert rows["tree, second order exact"]["certified"] > 500
    for row, counts in rows.items():
        assert not [name for name in FAILURES if counts[name]], (row, counts)


def test_no_forged_claim_is_accepted() -> None:
    """Whatever numbers and heads are written: what is accepted is true by enumeration in exact arithmetic."""
    forged_proofs = benchmark("forged_proofs")
    rows = forged_proofs.enumeration.run(forged_proofs.judge_forgeries, 4500, seed=1).rows
    assert rows.keys() == {"forged, chart", "forged, search", "forged, no tree"}
    for row, counts in rows.items():
        assert counts["refused"] > (150 if row == "forged, no tree" else 500)
        assert (counts["certified"] > 50) == (row != "forged, no tree")
        assert not [name for name in FAILURES if counts[name]], counts


@pytest.mark.parametrize(
    ("best", "parts", "median", "expected"),
    [
        ([0.1, 0.2], [0.3], [0.3], False),  # these tie as decimals: what is lost is the rounding of the scores
        ([0.5], [0.25], [0.5], True),  # the median tree is as good as the best one
        ([0.1, 0.2, -1e16], [0.3, -1e16], [0.3, -1e16], False),
        ([0.9, -1e16], [0.09, -1e16], [0.09, -1e16], True),  # a mask that all trees have excuses no loss
        ([1e-16, 1.0], [-1.0, 1.0, 1.0], [-1.0, 1.0 - 2**-53, 1.0], False),  # less than half a unit of 1.0 is lost
        ([3e-16, 1.0], [-1.0, 1.0, 1.0], [-1.0, 1.0 - 2**-53, 1.0], True),
        ([1.0], [1.0 - 1e-9], [0.0], False),
        ([1.0], [1.0 - 1e-5], [0.0], True),
    ],
)
def test_a_loss_is_one_beyond_the_rounding_of_the_scores(
    best: list[float], parts: list[float], median: list[float], expected: bool
) -> None:
    enumeration = benchmark("certificates").enumeration
    assert enumeration.is_costly(best, parts, median, 1e-9) == expected


def test_scores_of_very_different_sizes_prove_nothing_false() -> None:
    """Large parts that cancel hide small ones from doubles."""
    for large, small in ((1e20, 5000.0), (1e9, 4e-8), (1e300, 1.0), (2.0**60, 2.0**-60)):
        arcs = ([0, 1, 0], [1, 2, 2], [0.0, -large, small / 500])
        parts = Parts(3, arcs, siblings=([1], [2], [1], [small]), grandparents=([0], [1], [2], [large]))
        for projective in (True, False):
            proof = (
                Proof("chart") if projective else Proof("search", [Node(-1, None, False, (), 0)], [Point((), 0.0, ())])
            )
            wrong = Parse(np.array([-1, 0, 0]), small / 500, small / 500, "forged", 0.0, 0.0, proof=proof)
            with pytest.raises(ProofError, match="refused: "):
                tw.decode.verify(parts, wrong, projective=projective, root="multi")
        right = replace(wrong, heads=np.array([-1, 0, 1]), score=small, bound=small, proof=Proof("chart"))
        assert tw.decode.verify(parts, right, projective=True, root="multi") == Verified(small, small, 0.0)


def test_lies_about_spread_and_tolerance_are_refused() -> None:
    instance = random_instance(4, 5, parts="sib", projective=True)
    parse = prove(instance)
    second = sorted(instance.trees(), key=instance.value)[-2]
    worse = replace(parse, heads=np.array(second), score=instance.value(second))
    for claim, reason in (
        (replace(parse, spread=1e12), "the spread of the scores is"),
        (replace(worse, gap=0.0, spread=1e12), "the spread of the scores is"),
        (replace(worse, gap=0.0, spread=0.0), "a gap of .* is proved, not of"),
        (replace(worse, gap=0.0, tolerance=1e6), "the tolerance is 1000000.0; it is at least 0 and below 1"),
        (replace(worse, gap=0.0, tolerance=-1.0, spread=-1000.0), "the tolerance is -1.0"),
        (replace(worse, gap=-1.0), "the gap or the spread is negative"),
        (replace(worse, gap=math.inf), "the gap is not finite"),
        (replace(parse, bound=parse.score - 1.0), "the bound .* is below the value of the tree"),
    ):
        with pytest.raises(ProofError, match=f"refused: {reason}"):
            verify(instance, claim)


def test_a_claimed_gap_must_be_proved() -> None:
    """Multipliers show the gap of a certified tree, and none of 0, although no tree is better."""
    refused = 0
    for seed in range(30):
        instance = random_instance(seed, 6, parts="sib grand")
        parse = prove(instance)
        assert verify(instance, parse).gap <= parse.gap
        try:
            verify(instance, replace(parse, gap=0.0))
        except ProofError:
            refused += 1
    assert refused > 10


def test_children_of_a_node_must_divide_its_trees() -> None:
    """Two truth values that differ as numbers only, or two arcs, leave trees without a bound."""
    instance = next(
        instance
        for instance in (random_instance(seed, 8, parts="sib grand") for seed in range(20))
        if len(proof_of(prove(instance)).nodes) == 3
    )
    parse = prove(instance)
    root, one, other = proof_of(parse).nodes
    points = proof_of(parse).points
    numbers: Any = (1, 2)
    for children in (
        [one._replace(has_arc=flag) for flag in numbers],
        [one, one],
        [one, other._replace(arc=(0, 1) if other.arc != (0, 1) else (0, 2))],
        [one],
    ):
        with pytest.raises(ProofError, match="node 0 has neither two children nor a bound"):
            verify(instance, replace(parse, proof=Proof("search", [root, *children], points)))


def test_multipliers_cannot_overflow() -> None:
    """Whatever their size and number: a worse tree stays refused, by a search over second-order scores."""
    instance = random_instance(4, 3, parts="sib grand")
    best, second = sorted(instance.trees(), key=instance.value)[:-3:-1]
    for size in (1e300, 2.0**62, 2.0**53, 1.0):
        for sign in (1.0, -1.0):
            rows = [(h, m, sign * size, -sign * size) for h in range(4) for m in range(1, 4) if h != m] * 50
            point = Point(rows, sign * size, [(size, [1, 2])] * 50)
            proof = Proof("search", [Node(-1, None, False, (), 0)], [point])
            for tree, gap in ((second, 0.0), (best, 1e3)):
                value = instance.value(tree)
                claim = Parse(np.array(tree), value, value + gap, "forged", gap, 0.0, proof=proof)
                if tree == second or size > 1:
                    with pytest.raises(ProofError):
                        verify(instance, claim)


@pytest.mark.parametrize("option", ["require", "forbid"])
@pytest.mark.parametrize("arcs", [[(0, 99)], [(99, 1)], [(0, 0)], [(-1, 1)], [3], "ab", [(0, "x")]])
def test_constraints_that_are_no_arcs_are_named(option: str, arcs: Any) -> None:
    scores = np.array([[0.0, 9, 2], [0, 0, 7], [0, 3, 0]])
    with pytest.raises(InputError, match=rf"^{option}\[0\] is (the arc \(.*\); heads are 0\.\.2|.*; give pairs)"):
        tw.decode.verify(scores, tw.decode.tree(scores, proof=True), **{option: arcs})


@pytest.mark.parametrize("projective", [False, True])
def test_sums_beyond_the_range_of_doubles_are_decided_exactly(projective: bool) -> None:
    """Integers have no range: worse trees are refused, and nothing overflows."""
    arc = np.round(random_instance(1, 3, parts="").arc, 1) * 1e307
    accepted = 0
    values = {
        tree: sum(Fraction(arc[h, m]) for m, h in enumerate(tree) if m)
        for tree in all_trees(3, projective=projective, root="multi")
    }
    proof = Proof("chart") if projective else ONE_POINT
    for tree, value in values.items():
        bound = math.nextafter(float(value), math.inf)
        claim = Parse(np.array(tree), float(value), bound, "forged", 1e292, 0.0, proof=proof)
        with contextlib.suppress(ProofError):
            proofs.verify(arc * 8, replace(claim, score=8 * claim.score), projective=projective, root="multi")
        try:
            proofs.verify(arc, claim, projective=projective, root="multi")
        except ProofError:
            assert value < max(values.values()) or not projective
        else:
            accepted += 1
            assert value == max(values.values())
    assert accepted

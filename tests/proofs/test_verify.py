"""Proofs: every proof that a decoder gives is accepted, and whatever is accepted is true by enumeration."""

from __future__ import annotations

import ast
import copy
import importlib
import json
import pickle
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, random_instance
from oracles.trees import parts_of

import treewright as tw
from treewright.decode import Parse, Parts, Proof, Verified
from treewright.errors import InfeasibleError, InputError, ProofError
from treewright.proofs import array_batches
from treewright.proofs.float_bound import upper_bound
from treewright.proofs.integer_charts import best_projective
from treewright.proofs.integer_scores import Given, Rounding, Scores
from treewright.proofs.single_sentence import certified_tree
from treewright.proofs.sparse_charts import SparseChart, useful_arcs

ROOTS = ("single", "multi")
SUM_ERROR = 1e-9  # of sums of a few doubles of this size; far above their rounding
PARTS = ["", "sib", "stop", "grand", "sib grand", "sib grand stop"]


@pytest.fixture(autouse=True)
def arrays_of_few_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short batches are checked as long ones are: all sentences of one length at once."""
    monkeypatch.setattr(array_batches, "MIN_SENTENCES", 1)


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
        instance = random_instance(
            seed,
            1 + seed % 5,
            parts=parts,
            root=root,
            projective=projective,
            constrained=seed % 3 == 2,
            sparse=0.12 * (seed % 4 == 1),
            ties=seed % 2 == 1,
        )
        try:
            parse = prove(instance)
        except InfeasibleError:
            continue
        found = verify(instance, parse)
        best = instance.best()
        assert found.bound >= best - SUM_ERROR
        assert found.value == pytest.approx(best, abs=1e-7)
        assert 0 <= found.gap < 1e-7
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


@pytest.mark.parametrize("rounding", list(Rounding))
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", ["sib", "stop", "grand", "sib stop", "sib grand stop"])
def test_both_charts_find_the_best_value(parts: str, root: str, rounding: Rounding) -> None:
    """The one of whole arrays and the one over candidate arcs."""
    for seed in range(12):
        instance = random_instance(seed, 2 + seed % 4, parts=parts, root=root, projective=True, sparse=0.1 * (seed % 2))
        if instance.best() == -np.inf:
            continue
        whole = Given(instance.arc, **instance.scores)
        listed = Given(Parts.from_arrays(instance.arc, **instance.scores))
        for given in (whole, listed):
            scores = Scores(given, instance.best(), rounding)
            found = scores.exact(best_projective(scores, root == "single"))
            assert float(found) == pytest.approx(instance.best(), abs=SUM_ERROR)


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
@pytest.mark.parametrize("parts", PARTS[1:])
def test_a_sparse_chart_finds_the_best_value_over_the_arcs_of_better_trees(parts: str, root: str) -> None:
    found = left_out = 0
    for seed in range(40):
        sparse = 0.1 * (seed % 4)
        instance = random_instance(seed, 1 + seed % 5, parts=parts, root=root, projective=True, sparse=sparse)
        words = np.arange(1, 2 + seed % 5)
        instance.arc[words - 1, words] += 20 * (
            seed % 8 == 0
        )  # beside a tree that is much better, some can be left out
        given = Given(Parts.from_arrays(instance.arc, **instance.scores))
        values = sorted(map(instance.value, instance.trees())) or [0.0]
        for value in values[:: 1 + len(values) // 5] + values[-3:]:
            arcs = useful_arcs(given, value)
            best = SparseChart(given, arcs, root == "single").best()
            assert best == pytest.approx(instance.best(), abs=SUM_ERROR)
            found += best > -np.inf
            left_out += len(arcs) < given.candidates
    assert found > 60
    assert left_out >= 5


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("projective", [False, True])
def test_a_batch_is_checked_as_its_sentences_are(projective: bool, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong claims are refused in their places, whatever the sentences that share a chart."""
    monkeypatch.setattr(importlib.import_module("treewright.proofs.verify"), "CHART_SENTENCES", 7)
    batch, parses = [], []
    singles: list[Verified | ProofError] = []
    for seed in range(40):
        parts = PARTS[seed % len(PARTS)]
        instance = random_instance(seed, 1 + seed % 7, parts=parts, root=root, projective=projective)
        scores = Parts.from_arrays(instance.arc, **instance.scores) if seed % 4 else instance.arc
        parse = tw.decode.tree(scores, projective=projective, root=root, proof=True)
        other = random_instance(seed + 1, 1 + seed % 7, parts=parts, root=root, projective=projective)
        if seed % 5 == 0:  # the tree of other scores
            parse = replace(parse, heads=prove(other).heads)
        batch.append(scores)
        parses.append(parse)
        try:
            singles.append(tw.decode.verify(scores, parse, projective=projective, root=root))
        except ProofError as error:
            singles.append(error)
    found = tw.decode.verify_batch(batch, parses, projective=projective, root=root, errors="return")
    refused = [place for place, single in enumerate(singles) if isinstance(single, ProofError)]
    assert 3 <= len(refused) <= 8
    for place, (one, single) in enumerate(zip(found, singles, strict=True)):
        assert isinstance(one, ProofError) == (place in refused)
        if isinstance(one, Verified):
            assert one == pytest.approx(single, abs=SUM_ERROR)
        else:
            assert str(one) == str(single)
    with pytest.raises(ProofError, match=rf"^batch\[{refused[0]}\]: refused"):
        tw.decode.verify_batch(batch, parses, projective=projective, root=root)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("min_sentences", [1, 16, 1000])
def test_arrays_of_a_batch_are_refused_as_single_ones(
    min_sentences: int, projective: bool, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is wrong with one sentence: the others, of the same length, are proved, at once or one by one."""
    monkeypatch.setattr(array_batches, "MIN_SENTENCES", min_sentences)
    scores = [random_instance(seed, 4, parts="", sparse=0.2 * (seed % 2)).arc for seed in range(10)]
    outcomes = tw.decode.trees(scores, projective=projective, root=root, proof=True, errors="return")
    batch, parses = [], []
    for arc, parse in zip(scores, outcomes, strict=True):
        if isinstance(parse, InputError):
            continue
        cycle = np.array([-1, 2, 1, 0, 3], dtype=np.int32)
        strange = [replace(parse, heads=heads) for heads in (cycle, cycle + 3, cycle * 0, parse.heads[:3])]
        strange += [replace(parse, score=parse.score + 1e-6), replace(parse, spread=np.nan), replace(parse, proof=None)]
        strange += [replace(parse, bound=bound) for bound in (np.nan, np.inf)]
        wrong = [np.full((5, 5), fill) for fill in (np.nan, np.inf, -np.inf)]
        batch += [arc, arc - 3.5, *[arc] * len(strange), *wrong, arc[:, :3], arc]
        parses += [parse, parse, *strange, *[parse] * len(wrong), parse, parse]
    found = tw.decode.verify_batch(batch, parses, projective=projective, root=root, errors="return")
    for arc, parse, one in zip(batch, parses, found, strict=True):
        if isinstance(one, InputError):
            with pytest.raises(type(one), match=re.escape(str(one))):
                tw.decode.verify(arc, parse, projective=projective, root=root)
        else:
            single = tw.decode.verify(arc, parse, projective=projective, root=root)
            assert one == pytest.approx(single, abs=SUM_ERROR)
    assert sum(isinstance(one, Verified) for one in found) == 2 * sum(isinstance(one, Parse) for one in outcomes)


@pytest.mark.parametrize("root", ROOTS)
def test_parts_with_masks_and_shifts_are_accepted_only_if_the_claim_is_true(root: str) -> None:
    """The chart over candidate arcs, in doubles or integers, against all trees in exact arithmetic."""
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
                found = tw.decode.verify(parts, parse, projective=True, root=root)
            except ProofError:
                refused += 1
                continue
            accepted += 1
            loss = max(values.values()) - values[tuple(parse.heads.tolist())]
            assert loss <= Fraction(found.gap)
            assert not parse.certified or loss <= Fraction(parse.tolerance * parse.spread)
    assert accepted >= 30
    assert refused >= 10


def test_what_is_wrong_with_a_batch_is_named() -> None:
    scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    parse = tw.decode.tree(scores, proof=True)
    assert tw.decode.verify_batch([], []) == []
    with pytest.raises(InputError, match="parses has 0 items and batch 1"):
        tw.decode.verify_batch([scores], [])
    with pytest.raises(InputError, match="errors is 'keep'"):
        tw.decode.verify_batch([scores], [parse], errors="keep")  # type: ignore[call-overload]
    with pytest.raises(InputError, match="root is 'one'"):
        tw.decode.verify_batch([scores], [parse], root="one")
    with pytest.raises(InputError, match=r"batch\[1\]: arc has the shape \(2, 3\)"):
        tw.decode.verify_batch([scores, scores[:2]], [parse, parse])


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
def test_a_bound_in_doubles_is_not_below_the_exact_one(root: str) -> None:
    random = np.random.default_rng(3)
    checked = 0
    for seed in range(20):
        instance = random_instance(seed, 6, parts="", root=root)
        arc = instance.arc + 1e6 * random.normal(size=7)
        parse = tw.decode.tree(arc, root=root, proof=True)
        data = proof_of(parse).to_dict()
        for point in data["points"]:
            point["penalty"] = float(random.normal()) if root == "single" else 0.0
            words = random.permutation(6)[: random.integers(1, 7)] + 1
            point["sets"] = [[float(random.random()), words.tolist()], *point["sets"]]
        loose = replace(parse, proof=Proof.from_dict(data), gap=50.0, bound=parse.score + 50)
        found = tw.decode.verify(arc, loose, root=root)
        if found.gap > 0:
            checked += 1
            assert 0 <= Fraction(found.bound) - exact_bound(arc, data["points"][0]) < 1e-5
    assert checked > 10


@pytest.mark.parametrize("words", [5, 14])
def test_small_multipliers_beside_large_scores_are_not_lost(words: int) -> None:
    """Each is less than the rounding of a score; their sum is not."""
    arc = np.random.default_rng(words).normal(size=(words + 1, words + 1)) + 1e6
    data = proof_of(tw.decode.tree(arc, proof=True)).to_dict()
    for count in (1, 10, 3000):
        data["points"][0]["sets"] = [[1e-11, [1 + k % words, 1 + (k + 1) % words]] for k in range(count)]
        bound = upper_bound(arc, Proof.from_dict(data).points[0], single_root=True)
        assert Fraction(bound) >= exact_bound(arc, data["points"][0])


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("words", [3, 5, 13])
def test_what_is_not_finite_proves_nothing(words: int, projective: bool) -> None:
    """NaN in any place, and infinities that would matter, of scores and proofs."""
    arc = np.random.default_rng(words).normal(size=(words + 1, words + 1))
    parse = tw.decode.tree(arc, projective=projective, proof=True)
    chain = np.arange(-1, words, dtype=np.int32)  # another tree
    value = float(arc[chain[1:], np.arange(1, words + 1)].sum())
    wrong = replace(parse, heads=chain, score=value, gap=0.0, spread=1.0)
    assert not np.array_equal(chain, parse.heads)
    assert certified_tree(arc, wrong, projective, True) is None
    cells = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    for number in (np.nan, np.inf):
        for h, m in cells:
            changed = arc.copy()
            changed[h, m] = number
            assert certified_tree(changed, parse, projective, True) is None
            assert certified_tree(changed, wrong, projective, True) is None
    halves = proof_of(parse).halves
    for cell in [] if halves is None else range(halves.size):
        for number in (np.nan, np.inf, -np.inf):
            items = np.array(halves)
            items.flat[cell] = number
            changed_proof = replace(wrong, proof=Proof("chart", halves=items))
            assert certified_tree(arc, changed_proof, projective, True) is None
            for found in tw.decode.verify_batch([arc] * 2, [changed_proof] * 2, projective=True, errors="return"):
                assert isinstance(found, ProofError)


@pytest.mark.parametrize("projective", [False, True])
def test_sums_beyond_the_range_of_doubles_are_refused(projective: bool) -> None:
    arc = random_instance(1, 4, parts="").arc
    parse = tw.decode.tree(arc, projective=projective, proof=True)
    for scores in (np.clip(arc, -0.5, 0.5) * 3e308, np.full((5, 5), 1.7e308), np.full((5, 5), -1.7e308)):
        for claim in (parse, replace(parse, score=1e308, spread=1e300), replace(parse, score=1e308, bound=1.7e308)):
            for given in (scores, scores.tolist()):
                with pytest.raises(InputError, match=r"beyond the range|\+inf"):
                    tw.decode.verify(given, claim, projective=projective)
            found = tw.decode.verify_batch([scores, arc], [claim, parse], projective=projective, errors="return")
            assert isinstance(found[1], Verified)
            assert isinstance(found[0], InputError)


def test_masks_and_shifts_are_checked_without_rounding() -> None:
    """Large numbers beside small ones leave no room for rounding: the check repeats itself with exact integers."""
    for projective in (False, True):
        instance = random_instance(5, 5, parts="", projective=projective)
        arc = instance.arc + 2.0**30 * np.arange(6)
        parse = tw.decode.tree(arc, projective=projective, proof=True)
        found = tw.decode.verify(arc, parse, projective=projective)
        assert found.gap <= 1e-9 * abs(parse.score)
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


def numbers_of(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all numbers and truth values of nested lists and dictionaries."""
    if isinstance(data, dict):
        return [place for key in sorted(data) for place in numbers_of(data[key], (*path, key))]
    if isinstance(data, list):
        return [place for key, value in enumerate(data) for place in numbers_of(value, (*path, key))]
    return [path] if isinstance(data, int | float) else []


def changed(data: Any, path: tuple[Any, ...], random: np.random.Generator) -> Any:
    """A copy in which the number at a place is another one."""
    found = copy.deepcopy(data)
    *outer, last = path
    place = found
    for key in outer:
        place = place[key]
    old = place[last]
    if isinstance(old, bool):
        place[last] = not old
    elif isinstance(old, int):
        place[last] = old + int(random.choice([-2, -1, 1, 2]))
    else:
        place[last] = float(
            random.choice([-old, old / 2, 2 * old, old + 1, old - 1, 0.0, 1e300, -1e300, np.inf, np.nan])
        )
    return found


@pytest.mark.parametrize("parts", ["", "sib", "sib grand stop"])
def test_a_modified_proof_is_refused_or_still_true(parts: str) -> None:
    random = np.random.default_rng(8)
    refused = accepted = 0
    for seed in range(8):
        instance = random_instance(seed, 4 + seed % 2, parts=parts, root=ROOTS[seed % 2])
        parse = prove(instance)
        data = json.loads(json.dumps(proof_of(parse).to_dict()))
        places = numbers_of(data)
        for pick in random.permutation(len(places))[:12]:
            try:
                proof = Proof.from_dict(changed(data, places[pick], random))
                verify(instance, replace(parse, proof=proof))
            except InputError:
                refused += 1
            else:
                accepted += 1  # multipliers that are worse, but good enough: the claim is the same as before
                assert is_true(instance, parse)
    assert refused > 10
    assert accepted > 0


def is_charted(parse: Parse) -> bool:
    return proof_of(parse).halves is not None


@pytest.mark.parametrize("parts", ["", "sib", "sib stop"])
def test_a_modified_chart_is_refused_or_still_true(parts: str) -> None:
    """The check in doubles accepts no chart with a wrong number that matters; integers then decide without it."""
    random = np.random.default_rng(9)
    for seed in range(8):
        instance = random_instance(seed, 4, parts=parts, root=ROOTS[seed % 2], projective=True)
        parse = prove(instance)
        other = instance.trees()[int(random.integers(len(instance.trees())))]
        claims = [parse, replace(parse, heads=np.array(other, np.int32), score=instance.value(other))]
        data = json.loads(json.dumps(proof_of(parse).to_dict()))
        for place in [numbers_of(data)[k] for k in random.permutation(len(numbers_of(data)))[:6]]:
            for claim in claims:
                try:
                    verify(instance, replace(claim, proof=Proof.from_dict(changed(data, place, random))))
                except ProofError:
                    assert not is_true(instance, claim)
                else:
                    assert is_true(instance, claim)


def test_items_of_another_shape_are_not_read() -> None:
    instance = random_instance(1, 4, parts="", projective=True)
    parse = prove(instance)
    for halves in (np.zeros((2, 2)), np.zeros(3), np.full((5, 6), np.nan)):
        assert verify(instance, replace(parse, proof=Proof("chart", halves=halves))).gap < 1e-7


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
        if "point" in node:
            broken = copy.deepcopy(data)
            del broken["nodes"][place]["point"]
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
        changes = [
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
    with pytest.raises(InputError, match=r"sib has the shape \(2,\); it must be \(3, 3, 3\)"):
        tw.decode.verify(scores, parse, sib=[1, 2])
    crossing = np.full((5, 5), -1.0)
    crossing[0, 3] = crossing[3, 1] = crossing[1, 4] = crossing[4, 2] = 0.0
    proved = tw.decode.tree(crossing, proof=True)
    assert proved.heads.tolist() == [-1, 3, 4, 0, 1]
    with pytest.raises(ProofError, match="arcs of the tree cross"):
        tw.decode.verify(crossing, proved, projective=True)
    with pytest.raises(InputError, match="arc, sib, grand or stop has NaN"):
        tw.decode.verify(np.array([[0, np.nan, 1], [0, 0, 7], [0, 3, 0]]), parse)


def test_parts_of_outermost_modifiers_are_refused() -> None:
    """Their grandparent scores count for outermost modifiers only, which the check does not know."""
    arcs, grandparents = ([0, 1, 0, 2], [1, 2, 2, 1], [1.0, 1.0, 0.5, 0.2]), ([0], [1], [2], [1.0])
    parse = tw.decode.tree(Parts(3, arcs, grandparents=grandparents), projective=True, proof=True)
    outermost = Parts(3, arcs, grandparents=grandparents, outermost=True)
    with pytest.raises(InputError, match="outermost=True have no proofs"):
        tw.decode.verify(outermost, parse, projective=True)
    assert isinstance(tw.decode.verify_batch([outermost], [parse], projective=True, errors="return")[0], InputError)


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
    found = verify(instance, parse)
    for proof in (
        Proof.from_dict(json.loads(json.dumps(proof_of(parse).to_dict()))),
        pickle.loads(pickle.dumps(parse.proof)),
    ):
        assert verify(instance, replace(parse, proof=proof)) == found


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


def imports_of(file: Path) -> list[str]:
    """The modules of the package that a file imports."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return [module for module in modules if module.startswith("treewright")]


def test_the_check_imports_no_decoder() -> None:
    """Only data, errors, checks of arguments, cached properties and its own modules: nothing of the core, no solver."""
    folder = Path(tw.__file__).parent / "proofs"
    own = {"verify", "claim", "single_sentence", "array_batches", "float_bound", "float_charts", "candidate_charts"}
    own |= {"proof", "sparse_charts"}
    own |= {f"integer_{name}" for name in ("bound", "charts", "scores", "search")}
    arguments = {"errors", "calls", "checks", "caching"}
    known = {f"treewright.proofs.{name}" for name in own} | {f"treewright.{name}" for name in arguments}
    known |= {"treewright.decode.result"}
    for file in [folder / f"{name}.py" for name in own] + [folder.parent / f"{name}.py" for name in arguments]:
        assert set(imports_of(file)) <= known, file.name

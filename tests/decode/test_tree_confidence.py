"""The probabilities of the arcs of trees at a temperature against enumeration of all trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, distribution, random_instance

import treewright as tw
from treewright import trees
from treewright.decode import Parts, tree_confidence
from treewright.errors import InputError

PARTS = ["", "sib", "grand", "stop", "sib grand stop"]
EXACT = 1e-7  # the kernel leaves out terms below 1e-9


def flattened(instance: Instance, temperature: float) -> Instance:
    scores = {name: array / temperature for name, array in instance.scores.items()}
    return Instance(instance.arc / temperature, scores, instance.shape)


def cases(parts: str, root: str, scale: float = 1.0) -> Iterator[tuple[Instance, Parts, list[Any]]]:
    """Sentences of one to five words with some of their projective trees: good and bad ones."""
    for words in range(1, 6):
        instance = flattened(random_instance(words, words, parts=parts, root=root, projective=True), 1 / scale)
        heads = sorted(instance.trees(), key=instance.value)
        chosen = [np.array(heads[place], dtype=np.int32) for place in (0, len(heads) // 2, -1)]
        yield instance, Parts.from_arrays(instance.arc, **instance.scores), chosen


def arcs_of(marginals: Any, heads: Any) -> Any:
    return marginals[heads[1:], np.arange(1, len(heads))]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("parts", PARTS)
def test_projective_probabilities_are_those_over_all_trees(parts: str, root: str, temperature: float) -> None:
    for instance, scored, chosen in cases(parts, root):
        truth = distribution(flattened(instance, temperature))
        assert truth is not None
        for heads in chosen:
            confidence = tree_confidence([scored], [heads], temperature=temperature, projective=True, root=root)
            np.testing.assert_allclose(confidence, arcs_of(truth.marginals, heads), atol=EXACT)


@pytest.mark.parametrize("root", ["single", "multi"])
def test_probabilities_do_not_depend_on_the_range_of_scores(root: str) -> None:
    for instance, scored, chosen in cases("sib grand stop", root, scale=1000.0):
        truth = distribution(flattened(instance, 1000.0))
        assert truth is not None
        for heads in chosen:
            confidence = tree_confidence([scored], [heads], temperature=1000.0, projective=True, root=root)
            np.testing.assert_allclose(confidence, arcs_of(truth.marginals, heads), atol=EXACT)
            extreme = tree_confidence([scored], [heads], projective=True, root=root)  # out of the range of doubles
            best = distribution(instance)
            assert best is not None
            np.testing.assert_allclose(extreme, arcs_of(best.marginals, heads), atol=EXACT)


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("parts", PARTS)
def test_a_batch_has_the_marginals_of_its_sentences(parts: str, projective: bool) -> None:
    batch, chosen, expected = [], [], []
    for _, scored, found in cases(parts, "single"):
        marginals = tw.decode.marginals(scored.scaled(0.5), projective=projective)
        for heads in found:
            batch.append(scored)
            chosen.append(heads)
            expected.append(arcs_of(np.asarray(marginals), heads))
    together = tree_confidence(batch, chosen, temperature=2.0, projective=projective)
    np.testing.assert_allclose(together, np.concatenate(expected), atol=EXACT)


def test_long_sentences_have_probabilities() -> None:
    random = np.random.default_rng(1)
    arc = random.normal(size=(121, 121))
    scored = Parts.from_arrays(arc)
    heads = tw.decode.tree(arc, projective=True).heads
    expected = arcs_of(np.asarray(tw.decode.marginals(arc, projective=True)), heads)
    np.testing.assert_allclose(tree_confidence([scored], [heads], projective=True), expected, atol=EXACT)


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan, np.inf])
def test_a_temperature_is_positive(temperature: float) -> None:
    parts = Parts.from_arrays(np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"temperature is .*; expected a positive number"):
        tree_confidence([parts], [trees.from_conll([0])], temperature=temperature)
    with pytest.raises(InputError, match=r"factor is .*; expected a positive number"):
        parts.scaled(temperature)


def test_an_arc_that_is_no_candidate_is_named() -> None:
    arc = np.array([[0, 1, -np.inf], [0, 0, 1], [0, 1, 0]])
    with pytest.raises(ValueError, match="the head of word 2 is no candidate"):
        tree_confidence([Parts.from_arrays(arc)], [np.array([-1, 0, 0], dtype=np.int32)])

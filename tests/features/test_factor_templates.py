"""Templates of third-order parts and global features; the kernel that scores them."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.errors import InputError
from treewright.features import Encoder
from treewright.features.factors import KINDS, THIRD_ORDER, factor_tables, keep_kinds, kind_of, tree_scorer
from treewright.features.standard_factors import FACTORS
from treewright.parser.coordination import coordination_style

BITS = 12
SENTENCE = tw.Sentence.from_words(["Cats", "and", "dogs", "bark", "."], upos=["NOUN", "CCONJ", "NOUN", "VERB", "PUNCT"])
HEADS = np.array([-1, 4, 3, 1, 0, 4], dtype=np.int32)


BATCH = Encoder([]).encode([SENTENCE])


def test_every_kind_has_templates() -> None:
    assert {kind_of(template) for template in FACTORS} == set(KINDS)
    assert {kind_of(template) for template in keep_kinds(FACTORS, THIRD_ORDER)} == set(THIRD_ORDER)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("h.upos m.upos", "expected a kind and a colon before it"),
        ("valence: h.upos", "expected a kind and a colon before it"),
        ("valency: m.upos", "there is no role 'm'; there are h"),
        ("nonprojective: h.each", ".each is for templates of arcs"),
        ("valency: h.tag", "there is no atom 'tag'"),
    ],
)
def test_bad_templates_are_named(template: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        factor_tables([template])


def test_a_coordination_has_its_conjuncts_and_its_head() -> None:
    kinds, nodes, _ = tree_scorer(FACTORS, BITS, style=4).factors(BATCH, HEADS)
    found = {KINDS[kind]: row.tolist() for kind, row in zip(kinds.tolist(), nodes, strict=True)}
    assert found["coordination"][:3] == [2, 1, 3]
    assert found["coordination-head"][:3] == [2, 4, 3]


def test_gradients_of_choices_raise_the_value_of_the_tree() -> None:
    scorer = tree_scorer(FACTORS, BITS, style=4)
    parts = tw.decode.Parts.from_arrays(np.zeros((6, 6)))
    learner, losses = tw.learn.Averaged(BITS, 1.0), []
    for _ in range(3):
        losses.append(scorer.add_choices(learner.learner, BATCH, parts.core, HEADS, True, False, 1.0))
        learner.step(0.01)
    [value] = scorer.values(BATCH, HEADS[None], learner.weights, 1.0)
    assert value > 0
    assert losses[2] < losses[1] < losses[0]


def test_the_kernel_refuses_what_does_not_fit() -> None:
    scorer = tree_scorer(FACTORS, BITS, style=4)
    with pytest.raises(ValueError, match="it must be a tree"):
        scorer.factors(BATCH, np.array([-1, 2, 1, 0, 0, 0], dtype=np.int32))
    with pytest.raises(ValueError, match="one entry a node"):
        scorer.factors(BATCH, HEADS[:-1].copy())
    with pytest.raises(ValueError, match="there must be one sentence"):
        scorer.factors(Encoder([]).encode([SENTENCE, SENTENCE]), HEADS)
    with pytest.raises(ValueError, match="no such style"):
        tree_scorer(FACTORS, BITS, style=9)


@pytest.mark.parametrize(
    ("heads", "style"),
    [([2, 0, 2], 0), ([0, 1, 1], 1), ([0, 1, 2], 2), ([3, 3, 0], 3), ([0, 3, 1], 4), ([2, 3, 0], 5)],
)
def test_the_style_of_coordination_is_counted(heads: list[int], style: int) -> None:
    words = tw.Sentence.from_words(["cats", "and", "dogs"], upos=["NOUN", "CCONJ", "NOUN"], heads=heads)
    other = tw.Sentence.from_words(["No", "coordination"], upos=["DET", "NOUN"], heads=[2, 0])
    assert coordination_style([other, words]) == style

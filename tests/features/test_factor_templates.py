"""Templates of third-order parts and global features; the kernel that scores them."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.errors import InputError
from treewright.features import Encoder, tree_scorer
from treewright.features.factors import GROUPS, KINDS, ROLES, factor_tables, kind_of, without_groups
from treewright.features.standard_factors import FACTORS
from treewright.parser.coordination import coordination_style

BITS = 12
SENTENCE = tw.Sentence.from_words(["Cats", "and", "dogs", "bark", "."], upos=["NOUN", "CCONJ", "NOUN", "VERB", "PUNCT"])
HEADS = np.array([-1, 4, 3, 1, 0, 4], dtype=np.int32)


def opened(templates: tuple[str, ...] = FACTORS, style: int = 4) -> tw.features.TreeScorer:
    scorer = tree_scorer(templates, BITS, style=style)
    encoded = Encoder([]).encode(SENTENCE)
    scorer.open(encoded.atoms, encoded.each)
    return scorer


def test_every_kind_has_templates_and_a_group() -> None:
    assert {kind_of(template) for template in FACTORS} == set(KINDS)
    assert {kind for kinds in GROUPS.values() for kind in kinds} == set(ROLES)


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
    kinds, nodes, _ = opened().factors(HEADS)
    found = {KINDS[kind]: row.tolist() for kind, row in zip(kinds.tolist(), nodes, strict=True)}
    assert found["coordination"][:3] == [2, 1, 3]
    assert found["coordination-head"][:3] == [2, 4, 3]


def test_the_value_is_the_sum_of_the_scores_and_gradients_raise_it() -> None:
    scorer = opened()
    learner = tw.learn.Averaged(BITS, 1.0)
    scorer.add_trees(learner.learner, HEADS[None], np.ones(1))
    learner.move(0.5)
    [value] = scorer.values(HEADS[None], learner.weights, 1.0)
    assert value == pytest.approx(scorer.scores(*scorer.factors(HEADS), learner.weights, 1.0).sum(), rel=1e-9)
    assert value > 0


def test_a_group_that_is_left_out_has_no_factors() -> None:
    kept = without_groups(FACTORS, ["coordination", "valency"])
    kinds = {KINDS[kind] for kind in opened(kept).factors(HEADS)[0].tolist()}
    assert not kinds & {*GROUPS["coordination"], *GROUPS["valency"]}
    assert "span-length" in kinds


def test_the_kernel_refuses_what_does_not_fit() -> None:
    scorer = opened()
    with pytest.raises(ValueError, match="it must be a tree"):
        scorer.factors(np.array([-1, 2, 1, 0, 0, 0], dtype=np.int32))
    with pytest.raises(ValueError, match="one entry a node"):
        scorer.factors(HEADS[:-1].copy())
    kind, nodes, state = scorer.factors(HEADS)
    nodes[0, 0] = 99
    with pytest.raises(ValueError, match="a node that the sentence does not have"):
        scorer.scores(kind, nodes, state, np.zeros(1 << BITS, np.float32), 1.0)
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

"""Third-order parts and global features: the core against an oracle that reads every factor off the whole tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from oracles.factors import GLOBAL, PARTS, Factor, Words, factors_of
from oracles.instances import neighbours, random_instance
from oracles.trees import Tree, all_trees

import treewright as tw
from treewright import _core
from treewright.features import Encoder
from treewright.features.factors import KINDS, ROLES, STYLES, tree_scorer

BITS = 12
ROUNDING = 1e-6  # the scores of features are float32
TAGS = ("NOUN", "VERB", "ADP", "CCONJ", "PUNCT", "PUNCT")
FORMS = {"PUNCT": ('"', '"', "(", ")", ","), "CCONJ": ("and",), "ADP": ("of", "in")}
VALUES = ("Case=Nom", "Number=Plur", "Gender=Fem")
# One template for each kind, with all of its nodes; weights are random, so that scores of factors differ.
TEMPLATES = [f"{kind}: " + " ".join(f"{role}.form" for role in roles) for kind, roles in ROLES.items()]


def random_words(random: np.random.Generator, count: int) -> Words:
    """Words with few different tags, so that each kind of factor occurs."""
    tags = [TAGS[i] for i in random.integers(len(TAGS), size=count)]
    forms = [str(random.choice(FORMS[tag])) if tag in FORMS else f"w{node}" for node, tag in enumerate(tags, 1)]
    feats = [[value for value in sorted(VALUES) if random.random() < 0.5] for _ in tags]
    return Words(forms, tags, feats)


class Scorer:
    """The kernel for one sentence, with random weights, and the oracle beside it."""

    def __init__(self, words: Words, style: int, seed: int) -> None:
        self.words, self.style = words, style
        self.weights = np.random.default_rng(seed).normal(size=1 << BITS).astype(np.float32)
        sentence = tw.Sentence.from_words(
            list(words.forms), upos=list(words.tags), feats=["|".join(own) or "_" for own in words.feats]
        )
        self.batch = Encoder(()).encode([sentence])
        self.kernel = tree_scorer(TEMPLATES, BITS, style=style)

    def factors(self, heads: Sequence[int]) -> list[Factor]:
        """Those of the core."""
        kinds, nodes, states = self.kernel.factors(self.batch, np.array(heads, dtype=np.int32))
        rows = zip(kinds.tolist(), nodes.tolist(), states.tolist(), strict=True)
        return [(KINDS[kind], tuple(node for node in row if node >= 0), state) for kind, row, state in rows]

    def score(self, heads: Tree) -> float:
        """The sum of the scores of the factors of a whole tree, which are those that the oracle lists."""
        assert sorted(self.factors(heads)) == sorted(factors_of(heads, self.words, self.style))
        return float(self.kernel.values(self.batch, np.array([heads], dtype=np.int32), self.weights, 1.0)[0])


def test_the_oracle_has_every_kind() -> None:
    assert (*PARTS, *GLOBAL) == KINDS


def compare(words: Words, style: int, trees: Sequence[Tree]) -> Counter[str]:
    """Compare the factors of trees, and count their kinds."""
    scorer, seen = Scorer(words, style, seed=0), Counter[str]()
    for heads in trees:
        expected = factors_of(heads, words, style)
        assert sorted(scorer.factors(heads)) == sorted(expected)
        seen.update(kind for kind, _, _ in expected)
    return seen


def some_trees(random: np.random.Generator, count: int, size: int) -> list[Tree]:
    trees = all_trees(count, root="multi")
    return [trees[place] for place in random.permutation(len(trees))[:size]]


COORDINATION = Words(
    ["(", "dogs", "and", "cats", ")"],
    ["PUNCT", "NOUN", "CCONJ", "NOUN", "PUNCT"],
    [[], ["Case=Nom", "Number=Plur"], [], ["Gender=Fem", "Number=Plur"], []],
)
ATTACHMENT = Words(["saw", "dogs", "of", "dogs", ","], ["VERB", "NOUN", "ADP", "NOUN", "PUNCT"], [[]] * 5)


def test_factors_of_every_tree_of_five_words_are_those_of_the_definition() -> None:
    seen = compare(COORDINATION, 4, all_trees(5, root="multi")) + compare(ATTACHMENT, 4, all_trees(5, root="single"))
    assert set(seen) == set(KINDS)


@pytest.mark.parametrize("style", range(STYLES))
def test_factors_of_random_sentences_are_those_of_the_definition(style: int) -> None:
    for seed in range(10):
        random = np.random.default_rng([style, seed])
        words = random_words(random, 1 + seed % 5)
        compare(words, style, some_trees(random, words.count, 15))
    seen = compare(COORDINATION, style, some_trees(np.random.default_rng(style), 5, 150))
    assert {"coordination", "coordination-agreement", "coordination-head"} <= set(seen)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("style", range(STYLES))
def test_every_change_of_a_climb_is_worth_what_the_oracle_says(root: str, projective: bool, style: int) -> None:
    changes = 0
    for seed in range(6):
        random = np.random.default_rng([style, seed])
        words = random_words(random, 3 + seed % 3)
        scorer, instance = Scorer(words, style, seed), random_instance(seed, words.count, root=root)
        parts = tw.decode.Parts.from_arrays(instance.arc, **instance.scores)
        trees = all_trees(words.count, root=root, projective=projective)
        for place in random.permutation(len(trees))[:4]:
            start = np.array(trees[place], dtype=np.int32)
            path, values = scorer.kernel.climb_path(
                scorer.batch, parts.core, start, root == "single", projective, scorer.weights, 1.0
            )
            for heads, found in zip(path.tolist(), values.tolist(), strict=True):
                value = instance.value(heads) + scorer.score(tuple(heads))
                assert found == pytest.approx(value, rel=ROUNDING, abs=ROUNDING)
                assert tuple(heads) in trees
            changes += len(values) - 1
    assert changes > 10


@pytest.mark.parametrize("root", ["single", "multi"])
def test_climbs_end_where_no_change_improves_and_the_best_is_that_of_all_trees(root: str) -> None:
    for seed in range(10):
        random = np.random.default_rng(seed)
        words = random_words(random, 2 + seed % 3)
        scorer = Scorer(words, 4, seed)
        instance = random_instance(seed, words.count, root=root)
        parts = tw.decode.Parts.from_arrays(instance.arc, **instance.scores)
        value: dict[Any, float] = {
            heads: instance.value(heads) + scorer.score(heads) for heads in all_trees(words.count, root=root)
        }
        options = _core.ClimbOptions(
            single_root=root == "single", projective=False, by_score=False, patience=60, max_restarts=0, seed=seed
        )
        [(heads, found, ends)] = scorer.kernel.climb(
            scorer.batch, [parts.core], options, None, scorer.weights, 1.0, np.inf
        )
        assert found == pytest.approx(max(value.values()), rel=ROUNDING, abs=ROUNDING)
        assert value[tuple(heads.tolist())] == pytest.approx(found, rel=ROUNDING, abs=ROUNDING)
        assert max(ends) == pytest.approx(found, rel=ROUNDING, abs=ROUNDING)
        for start in some_trees(random, words.count, 5) if root == "multi" else ():
            path, _ = scorer.kernel.climb_path(
                scorer.batch, parts.core, np.array(start, dtype=np.int32), False, False, scorer.weights, 1.0
            )
            end = tuple(path[-1].tolist()) if len(path) else tuple(start)
            assert all(value[tuple(other)] <= value[end] + ROUNDING for other in neighbours(instance, end))

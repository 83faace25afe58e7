"""Classes of words: the objective by its definition, moves that never lose, words never seen."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import treewright as tw
from treewright.errors import InputError
from treewright.induce import InducedParser, InductionOptions, preferences
from treewright.induce.clusters import Bigrams, Exchange, cluster, is_punctuation, units_of

TEXTS = [
    text.split()
    for text in (
        "the dog sees a cat .",
        "a cat sees the dog .",
        "the man eats a fish .",
        "a man sees the cat !",
        "the cat eats the fish .",
        "a dog eats a fish , a big fish .",
        "the big man sees a big dog .",
        "Fido sees Tom .",
        "Tom eats 12 fish .",
    )
]
SENTENCES = [tw.Sentence.from_words(text) for text in TEXTS]


def exchange(classes: int) -> tuple[Exchange, list[np.ndarray]]:
    units, numbered = units_of([[form for form in text if not is_punctuation(form)] for text in TEXTS])
    return Exchange(Bigrams.of(numbered, len(units)), classes), numbered


def by_definition(class_of: np.ndarray, numbered: list[np.ndarray]) -> float:
    """Log likelihood of the words: P(class | class before) P(word | class), the edges of sentences included."""
    edge = len(class_of) - 1
    words = [edge, *(int(word) for text in numbered for word in [*text, edge])]
    pairs = Counter(pairwise(class_of[words].tolist()))
    before, after = Counter(class_of[words[:-1]].tolist()), Counter(class_of[words[1:]].tolist())
    counts = Counter(words[1:])
    steps = sum(n * np.log(n / before[first]) for (first, _), n in pairs.items())
    return float(steps + sum(n * np.log(n / after[class_of[word]]) for word, n in counts.items()))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_value_is_the_likelihood_and_never_falls(classes: int) -> None:
    found, numbered = exchange(classes)
    values = [found.value()]
    for unit in [*range(len(found.class_of) - 1)] * 3:
        found.move(unit)
        values.append(found.value())
        assert values[-1] == pytest.approx(by_definition(found.class_of, numbered), rel=1e-9)
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(values))


def test_in_the_end_no_single_move_gains() -> None:
    found, numbered = exchange(4)
    while found.sweep():
        pass
    best = found.value()
    for unit in range(len(found.class_of) - 1):
        for place in range(4):
            moved = found.class_of.copy()
            moved[unit] = place
            assert by_definition(moved, numbered) <= best + 1e-9


def test_words_of_one_use_share_a_class() -> None:
    found = cluster(TEXTS, 4)
    of = {word: found.number(word) for word in ("dog", "cat", "man", "the", "a", "sees", "eats")}
    assert of["dog"] == of["cat"] == of["man"]
    assert of["the"] == of["a"]
    assert of["sees"] == of["eats"]
    assert len({of["dog"], of["the"], of["sees"]}) == 3


def test_words_never_seen_are_classed_by_their_shape() -> None:
    found = cluster(TEXTS, 4)
    assert found.number("DOG") == found.number("dog")
    assert found.number("2026") == found.number("12")  # digits
    assert found.number("Bello") == found.number("Fido")  # a capital letter
    assert found.tags_of(tw.Sentence.from_words(["wug", "..."]))[1] == "PUNCT"


def test_a_model_of_classes_parses_untagged_text(tmp_path: object) -> None:
    parser = InducedParser.train(SENTENCES, options=InductionOptions(method="lc-dmv", clusters=4))
    parser.save(f"{tmp_path}/model.tw")
    loaded = InducedParser.load(f"{tmp_path}/model.tw")
    assert loaded.clusters == parser.clusters
    unseen = tw.Sentence.from_words(["Bello", "bites", "a", "wug", "!"])
    for one, other in zip(parser.parse([*SENTENCES, unseen]), loaded.parse([*SENTENCES, unseen]), strict=True):
        tw.trees.check_tree(tw.trees.from_conll(one.heads))
        np.testing.assert_array_equal(one.heads, other.heads)
    assert one.deprels[-1] == "punct"
    found = preferences(loaded)
    assert {row["tag"] for row in found["classes"]} == set(loaded.kinds)


def test_numbers_of_classes_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="40 word classes are too many for 12 different words"):
        cluster(TEXTS, 40)
    with pytest.raises(InputError, match="1 word classes are too few"):
        cluster(TEXTS, 1)
    with pytest.raises(InputError, match="joint needs rules, and rules need tags: with clusters"):
        InducedParser.train(SENTENCES, options=InductionOptions(clusters=4))

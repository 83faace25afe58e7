"""Word classes in place of tags: words of one use, words never seen, models that parse untagged text."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.errors import InputError
from treewright.induce import InducedParser, InductionOptions, preferences
from treewright.induce.clusters import cluster

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


def test_words_of_one_use_share_a_class() -> None:
    classes = cluster(TEXTS, 4)
    of = {word: classes.number(word) for word in ("dog", "cat", "man", "the", "a", "sees", "eats")}
    assert of["dog"] == of["cat"] == of["man"]
    assert of["the"] == of["a"]
    assert of["sees"] == of["eats"]
    assert len({of["dog"], of["the"], of["sees"]}) == 3


def test_words_never_seen_are_classed_by_their_shape() -> None:
    classes = cluster(TEXTS, 4)
    assert classes.number("DOG") == classes.number("dog")
    assert classes.number("2026") == classes.number("12")  # digits
    assert classes.number("Bello") == classes.number("Fido")  # a capital letter
    assert classes.tags_of(tw.Sentence.from_words(["wug", "..."]))[1] == "PUNCT"


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
    learned = preferences(loaded)
    assert {row["tag"] for row in learned["classes"]} == set(loaded.kinds)


def test_numbers_of_classes_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="40 word classes are too many for 12 different words"):
        cluster(TEXTS, 40)
    with pytest.raises(InputError, match="1 word classes are too few"):
        cluster(TEXTS, 1)
    with pytest.raises(InputError, match="joint needs rules, and rules need tags: with clusters"):
        InducedParser.train(SENTENCES, options=InductionOptions(clusters=4))

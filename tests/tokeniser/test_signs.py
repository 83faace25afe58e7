"""Signs between letters that a treebank cuts off on both sides or on neither."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import treewright as tw
from treewright.learn import Learning
from treewright.tokeniser import Tokeniser, TokeniserOptions

SMALL = TokeniserOptions(learning=Learning(bits=12, epochs=2), boundaries=Learning(bits=12, epochs=2))
FIRST, SECOND = ("coca", "north", "vice", "e", "semi", "x"), ("cola", "west", "chief", "mail", "final", "ray")


def with_hyphens(count: int, seed: int) -> list[tw.Sentence]:
    """Sentences with compounds, of which at random some are three tokens and some one."""
    chosen = random.Random(seed)
    found = []
    for _ in range(count):
        first, second = chosen.choice(FIRST), chosen.choice(SECOND)
        is_cut = chosen.random() < 0.5
        words = ["the", *([first, "-", second] if is_cut else [f"{first}-{second}"]), "barks", "."]
        joined = {1, 2, 4} if is_cut else {2}  # places of words without a blank after them
        found.append(spaced(words, joined))
    return found


def spaced(words: list[str], joined: set[int]) -> tw.Sentence:
    misc = ["SpaceAfter=No" if place in joined else "_" for place in range(len(words))]
    return tw.Sentence.from_words(words, upos=["X"] * len(words), misc=misc)


@pytest.fixture(scope="module")
def learned() -> Tokeniser:
    return Tokeniser.train(with_hyphens(80, 1), options=SMALL)


def test_a_sign_is_cut_off_on_both_sides_or_on_neither(learned: Tokeniser) -> None:
    assert learned.model is not None
    assert learned.model.corrections.signs.names == ("-",)
    pairs = [f"{first}-{second}" for first in (*FIRST, "counter", "16") for second in (*SECOND, "attack", "7")]
    cut = 0
    for pair in pairs:
        [sentence] = learned(f"the {pair} barks.")
        left, right = pair.split("-")
        assert sentence.forms[1:-2] in ([pair], [left, "-", right])
        cut += len(sentence.forms) > 4
    assert 0 < cut < len(pairs)  # the model decides


def test_a_sign_that_ends_tokens_is_not_kept() -> None:
    sentence = spaced(["semi-", "final"], {0})
    tokeniser = Tokeniser.train([*with_hyphens(40, 2), sentence], options=SMALL)
    assert tokeniser.model is not None
    assert tokeniser.model.corrections.signs.names == ()


def test_signs_are_stored(learned: Tokeniser, tmp_path: Path) -> None:
    learned.save(tmp_path / "tokeniser")
    loaded = Tokeniser.load(tmp_path / "tokeniser")
    assert loaded.model is not None
    assert loaded.model.corrections.signs.names == ("-",)
    header, arrays = learned.to_arrays()
    with pytest.raises(ValueError, match="'ab' is no sign"):
        Tokeniser.from_arrays("file", {**header, "signs": ["ab"], "format": 4}, arrays)

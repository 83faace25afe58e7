"""The paired bootstrap: what it counts, that it is paired, and that its p-values are not too small."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from oracles.conllu import damage, generate, to_conllu

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.evaluate import compare, evaluate

TREEBANK = generate(40, 21)
GOLD = to_conllu(TREEBANK)


def system(seed: int, words: float, tokens: float = 0.0) -> io.StringIO:
    return io.StringIO(to_conllu(damage(TREEBANK, seed, words=words, tokens=tokens)))


# A word that hangs from the tenth is right, one that hangs from the root word, the eleventh, is wrong.
WITH_ERRORS = [
    Sentence.from_words([*"abcdefghijk"], heads=[11] * number + [10] * (9 - number) + [11, 0]) for number in range(10)
]


def with_errors(wrong: np.ndarray) -> list[Sentence]:
    """Sentences of ten words; the first words of each have a wrong head."""
    return [WITH_ERRORS[number] for number in wrong.tolist()]


def test_a_clear_difference_is_significant_and_its_sign_is_b_minus_a() -> None:
    comparison = compare(io.StringIO(GOLD), system(1, 0.5), system(2, 0.05), samples=500)
    assert comparison["LAS"].difference > 0.2
    assert comparison["LAS"].p_value == 1 / 501
    assert comparison["LAS"].low > 0
    swapped = compare(io.StringIO(GOLD), system(2, 0.05), system(1, 0.5), samples=500)
    assert swapped["LAS"].difference == -comparison["LAS"].difference
    assert swapped["LAS"].p_value == comparison["LAS"].p_value


def test_no_difference_is_not() -> None:
    comparison = compare(io.StringIO(GOLD), system(1, 0.2), system(1, 0.2), samples=100)
    assert {row.p_value for row in comparison.differences.values()} == {1.0}
    assert (comparison["LAS"].low, comparison["LAS"].high) == (0, 0)


def test_scores_are_those_of_evaluate_however_tokens_differ() -> None:
    comparison = compare(
        io.StringIO(GOLD), system(3, 0.1, 0.2), system(4, 0.1, 0.3), samples=10, metrics=["MLAS", "ELAS"]
    )
    for name in ("MLAS", "ELAS"):
        assert comparison[name].a == evaluate(io.StringIO(GOLD), system(3, 0.1, 0.2))[name]
        assert comparison[name].b == comparison.b[name]
        assert comparison[name].low <= comparison[name].difference <= comparison[name].high


def test_the_same_seed_gives_the_same() -> None:
    runs = [
        compare(io.StringIO(GOLD), system(5, 0.2), system(6, 0.2), samples=200, seed=seed).as_dict()
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert json.loads(json.dumps(runs[0]))["samples"] == 200


def test_it_is_paired() -> None:
    """One wrong word less in each sentence: a small difference, but always the same one."""
    rng = np.random.default_rng(0)
    wrong = rng.integers(1, 9, size=50)
    gold = with_errors(np.zeros(50, int))
    comparison = compare(gold, with_errors(wrong), with_errors(wrong - 1), samples=300, metrics=["UAS"])
    assert comparison["UAS"].p_value == 1 / 301
    assert comparison["UAS"].high - comparison["UAS"].low < 1e-9


def test_p_values_are_uniform_when_there_is_no_difference() -> None:
    rng = np.random.default_rng(7)
    gold = with_errors(np.zeros(40, int))
    p_values = []
    for trial in range(40):
        a, b = with_errors(rng.integers(0, 9, size=40)), with_errors(rng.integers(0, 9, size=40))
        p_values.append(compare(gold, a, b, samples=200, metrics=["UAS"], seed=trial)["UAS"].p_value)
    assert np.mean(np.array(p_values) < 0.1) < 0.25
    assert 0.35 < np.mean(p_values) < 0.65


def test_bad_arguments_are_named() -> None:
    gold = with_errors(np.zeros(2, int))
    with pytest.raises(InputError, match="metrics has 'Tokens', which is no score; there are Words, UPOS"):
        compare(gold, gold, gold, metrics=["Tokens"])
    with pytest.raises(InputError, match="samples is 0; expected at least 1"):
        compare(gold, gold, gold, samples=0)
    with pytest.raises(KeyError, match="'XPOS'; there are UPOS"):
        compare(gold, gold, gold, samples=1)["XPOS"]

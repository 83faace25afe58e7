"""The Universal Dependencies figures against the official script, to the last digit."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from oracles.conllu import damage, generate, parse_conllu, to_conllu
from udtools import udeval

from treewright.corpus import read
from treewright.evaluate import Evaluation, evaluate


def official(gold: str, system: str) -> dict[str, tuple[object, ...]]:
    loaded = [udeval.load_conllu(io.StringIO(text), "", {"multiple_roots_okay": True}) for text in (gold, system)]
    return {
        name: (
            *(score.correct, score.gold_total, score.system_total, score.aligned_total),
            *(score.precision, score.recall, score.f1, score.aligned_accuracy),
        )
        for name, score in udeval.evaluate(*loaded).items()
    }


def ours(result: Evaluation) -> dict[str, tuple[object, ...]]:
    return {
        name: (
            *(score.correct, score.gold, score.system, score.aligned),
            *(score.precision, score.recall, score.f1, score.accuracy),
        )
        for name, score in result.scores.items()
    }


def assert_agrees(gold: str, system: str) -> None:
    expected = official(gold, system)
    found = ours(evaluate(io.StringIO(gold), io.StringIO(system)))
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("multiword", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("tokens", [0.0, 0.03, 0.2, 0.7])
@pytest.mark.parametrize("words", [0.0, 0.1, 0.6])
def test_damaged_copies(multiword: float, tokens: float, words: float) -> None:
    for seed in range(2):
        treebank = generate(15, seed, multiword=multiword)
        gold, system = to_conllu(treebank), to_conllu(damage(treebank, seed, words=words, tokens=tokens))
        assert_agrees(gold, system)
        assert_agrees(system, gold)


@pytest.mark.parametrize("seed", range(30))
def test_short_texts_of_few_letters(seed: int) -> None:
    """Words that repeat make the alignment of multiword tokens ambiguous: it must be the official one."""
    treebank = generate(6, seed, longest=8, multiword=0.5, letters="aB")
    for share in (0.3, 0.8):
        assert_agrees(to_conllu(treebank), to_conllu(damage(treebank, seed, tokens=share, letters="aB")))


def written(tokens: list[str]) -> str:
    """A sentence of tokens; "zum zu dem" is a multiword token and its words. Each lemma is its word's place."""
    rows = []
    number = 0
    for token in tokens:
        form, *words = token.split(" ")
        if words:
            rows.append(f"{number + 1}-{number + len(words)}\t{form}" + "\t_" * 8)
        for word in words or [form]:
            number += 1
            rows.append(f"{number}\t{word}\t{number}\t_\t_\t_\t{number - 1}\t_\t_\t_")
    return "\n".join([*rows, "", ""])


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        (["ac", "cd c d"], ["a", "c", "cd c d"]),  # the word before the multiword token joins in
        (["a", "c", "cd c d"], ["ac", "cd c d"]),
        (["ac", "cd c d", "e"], ["a", "c", "cd c d", "e"]),
        (["a", "bc b c", "d"], ["a", "b", "c", "d"]),
        (["abcd a b c d"], ["ab a b", "cd c d"]),
        (["abc a b c", "de d e"], ["a", "bcd b c d", "e"]),
        (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"]),
        (["ab A B", "ab a b"], ["ab a b", "ab A b"]),
        (["aa a a", "aa a a"], ["a", "a", "aa a a"]),
        (["aaa a a", "a"], ["a", "aaa a a a"]),
        (["a\u00a0b", "c"], ["a", "b", "c"]),
        (["ab x"], ["ab x y z"]),
    ],
)
def test_hard_alignments(gold: list[str], system: list[str]) -> None:
    assert_agrees(written(gold), written(system))
    assert_agrees(written(system), written(gold))


def test_sentences_as_objects_give_the_same() -> None:
    treebank = generate(20, 5)
    gold, system = to_conllu(treebank), to_conllu(damage(treebank, 6))
    objects = evaluate(list(read(io.StringIO(gold))), list(read(io.StringIO(system))))
    assert ours(objects) == ours(evaluate(io.StringIO(gold), io.StringIO(system)))


def test_odd_files_give_the_same() -> None:
    """No line break at the end, further blank lines, a byte order mark, CRLF, comments between words."""
    treebank = generate(20, 7)
    gold, system = to_conllu(treebank), to_conllu(damage(treebank, 8))
    expected = ours(evaluate(io.StringIO(gold), io.StringIO(system)))
    odd = {
        "no end of line": system.rstrip("\n"),
        "blank lines": system.replace("\n\n", "\n \n\n"),
        "byte order mark": "\ufeff" + system,
        "CRLF": system.replace("\n", "\r\n"),
        "comment inside": system.replace("\n2\t", "\n# here\n2\t"),
    }
    for name, text in odd.items():
        assert ours(evaluate(io.StringIO(gold), io.BytesIO(text.encode()))) == expected, name


@pytest.mark.slow
def test_real_treebanks(data: Path) -> None:
    paths = sorted(data.glob("ud*/*/dev.conllu")) + sorted(data.glob("graphs/*/dev.conllu"))
    assert paths
    for number, path in enumerate(paths):
        gold = path.read_text(encoding="utf-8")
        assert_agrees(gold, gold)
        for tokens in (0.0, 0.02, 0.3):
            system = to_conllu(damage(parse_conllu(gold), number, tokens=tokens))
            assert_agrees(gold, system)

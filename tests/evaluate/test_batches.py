"""Evaluation in batches: the same figures as of whole files, whatever the size of a batch."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from treewright.corpus import Sentence, read
from treewright.errors import InputError
from treewright.evaluate import batches, calibration, compare, evaluate

FORMS = ("dogs", "bark", "at", "the", "cat", "s", "...")
RELATIONS = ("nsubj", "obj", "punct", "nmod:poss")


def random_sentences(random: np.random.Generator, forms: list[str]) -> list[Sentence]:
    """Cut words into sentences with random trees; some words are in a multiword token, some are split."""
    sentences = []
    while forms:
        size = int(random.integers(1, 6))
        words, forms = forms[:size], forms[size:]
        if random.random() < 0.2 and len(words[0]) > 1:
            words = [words[0][0], words[0][1:], *words[1:]]
        root = int(random.integers(1, len(words) + 1))
        rows = []
        for number, word in enumerate(words, 1):
            if number % 2 and number < len(words) and random.random() < 0.3:
                rows.append(f"{number}-{number + 1}\t{word}{words[number]}" + "\t_" * 8)
            head = 0 if number == root else root
            relation = "root" if number == root else str(random.choice(RELATIONS))
            rows.append(f"{number}\t{word}\t_\tNOUN\t_\t_\t{head}\t{relation}\t_\t_")
        sentences.append("\n".join(rows))
    return list(read(io.StringIO("\n\n".join(sentences) + "\n\n")))


@pytest.mark.parametrize("by", ["relation", "arc-length", "sentence-length", "projectivity"])
def test_batches_of_any_size_have_the_figures_of_whole_files(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(12):
        random = np.random.default_rng(seed)
        words = random.choice(FORMS, 80).tolist()
        gold, system = random_sentences(random, words), random_sentences(random, words)
        monkeypatch.setattr(batches, "BATCH", 1000)
        whole = evaluate(gold, system, by=by)
        for size in (1, 2, 7):
            monkeypatch.setattr(batches, "BATCH", size)
            assert evaluate(gold, system, by=by) == whole


def test_small_batches_are_made() -> None:
    """Otherwise the test above would compare whole files with themselves."""
    sentences = random_sentences(np.random.default_rng(0), ["dogs", "bark"] * 3000)
    assert len(list(batches.Batches([sentences * 3] * 2, ["gold", "system"]))) > 2


def test_a_difference_after_many_sentences_is_placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 2)
    row = "1\t{}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(row.format("dogs") * 9 + row.format("bark"))
    system.write_text(row.format("dogs") * 9 + row.format("meow"))
    with pytest.raises(InputError, match=r"gold.conllu:19 and .*system.conllu:19: .* continues with 'bark'"):
        evaluate(str(gold), str(system))
    system.write_text(row.format("dogs") * 9)
    with pytest.raises(InputError, match=r"system.conllu \(at its end\)"):
        evaluate(str(gold), str(system))


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns of 30,000 sentences would take more than 30 MB."""
    monkeypatch.setattr(batches, "BATCH", 50)
    path = tmp_path / "many.conllu"
    path.write_text("1\tdogs\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 30_000)
    tracemalloc.start()
    try:
        assert evaluate(str(path), str(path))["LAS"].correct == 60_000
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


def test_comparison_calibration_and_bad_sentences_in_batches_have_the_figures_of_whole_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in range(6):
        random = np.random.default_rng(seed)
        words = random.choice(FORMS, 60).tolist()
        gold = random_sentences(random, words)
        a, b = (random_sentences(random, words) for _ in range(2))
        for sentence in a:
            sentence.head_confidence = random.random(len(sentence))
        same = [sentence.copy() for sentence in gold]
        for number in random.choice(len(gold), 3, replace=False).tolist():
            same[number].heads = [-1] * len(gold[number])  # no tree
        results = []
        for size in (1000, 1, 3):
            monkeypatch.setattr(batches, "BATCH", size)
            results.append(
                (
                    compare(gold, a, b, samples=50).as_dict(),
                    calibration(gold, a)["heads"].as_dict(),
                    evaluate(gold, same, skip_bad=True).as_dict(),
                    compare(gold, same, gold, samples=50, skip_bad=True).as_dict(),
                )
            )
        assert results[0][2]["scores"] != evaluate(gold, gold).as_dict()["scores"]
        assert results[1] == results[0]
        assert results[2] == results[0]


@pytest.mark.parametrize("function", ["skip_bad", "compare", "calibration"])
def test_memory_does_not_grow_with_the_files(tmp_path: Path, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 200)
    row = "1\tdogs\t_\tNOUN\t_\t_\t0\troot\t_\tConfidence=0.9\n\n"
    peaks = []
    for sentences in (1000, 6000):
        file = tmp_path / f"{sentences}.conllu"
        file.write_text(row * sentences)
        tracemalloc.start()
        if function == "skip_bad":
            evaluate(str(file), str(file), skip_bad=True)
        elif function == "compare":
            compare(str(file), str(file), str(file), metrics=["LAS"], samples=2)
        else:
            calibration(str(file), str(file))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 3 * peaks[0]  # six times the sentences; what is garbage until the next collection counts too

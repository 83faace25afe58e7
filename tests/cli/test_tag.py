"""`treewright train --only tagger` or tokeniser, and `treewright tag`: what they write and what they refuse."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.treebank import tagged_treebank

import treewright as tw
from treewright.cli import main
from treewright.model import checkpoint

Run = Callable[..., tuple[int, str, str]]

TRAIN = ("train", "--only", "tagger", "train.conllu")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """run(*arguments) is `treewright arguments` in a folder with a treebank: status, output, errors."""
    monkeypatch.chdir(tmp_path)
    tw.write(tagged_treebank(80), "train.conllu")
    tw.write(tagged_treebank(10, seed=2), "dev.conllu")

    def call(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["treewright", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin.encode()))))
        with pytest.raises(SystemExit) as ended:
            main()
        sys.stdout.flush()
        output, errors = capfdbinary.readouterr()
        return int(ended.value.code or 0), output.decode(), errors.decode()

    return call


@pytest.mark.parametrize(
    ("part", "stop"),
    [(part, stop) for part, epochs in (("tagger", 9), ("tokeniser", 4)) for stop in range(1, epochs + 1, 2)],
)
def test_interrupted_after_any_epoch_it_resumes_to_the_same_bytes(
    run: Run, monkeypatch: pytest.MonkeyPatch, part: str, stop: int
) -> None:
    arguments = ["train", "--only", part, "train.conllu", "-q"]
    arguments += ["--dev", "dev.conllu", "--epochs", "3"] if part == "tagger" else []
    assert run(*arguments, "-o", "whole.tw")[0] == 0
    monkeypatch.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", math.inf)
    save, calls = checkpoint.save, []

    def save_and_stop(*given: object) -> None:
        save(*given)  # type: ignore[arg-type]
        calls.append(given)
        if len(calls) == stop:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "save", save_and_stop)
    status, _, errors = run(*arguments, "-o", "model.tw")
    assert status != 0
    assert "the same command with --resume continues from model.tw.checkpoint" in errors
    assert not Path("model.tw").exists()
    _, _, errors = run(*arguments, "-o", "model.tw")
    assert "model.tw.checkpoint: a training was interrupted here; continue it with resume" in errors
    monkeypatch.setattr(checkpoint, "save", save)
    assert run(*arguments, "-o", "model.tw", "--resume")[0] == 0
    assert Path("model.tw").read_bytes() == Path("whole.tw").read_bytes()
    assert not Path("model.tw.checkpoint").exists()


def test_trained_and_run_as_a_filter(run: Run) -> None:
    status, output, errors = run(*TRAIN, "--dev", "dev.conllu", "-o", "my.tagger", "--epochs", "3")
    assert (status, output) == (0, "")
    assert "tags      epoch 3/3" in errors
    assert "tag accuracy 100.00" in errors
    assert "trained on 80 sentences" in errors
    gold = Path("dev.conllu").read_text()
    empty = [
        sentence.with_columns(upos=["_"] * len(sentence), lemmas=["?"] * len(sentence))
        for sentence in tw.read("dev.conllu")
    ]
    tw.write(empty, "empty.conllu")
    status, output, errors = run("tag", "run", "my.tagger", stdin=Path("empty.conllu").read_text())
    assert (status, output) == (0, gold)
    assert "10 sentences" in errors
    status, output, errors = run("tag", "run", "my.tagger", "empty.conllu", "-o", "out.conllu", "--confidence", "-q")
    assert (status, output, errors) == (0, "", "")
    assert "TagConfidence=" in Path("out.conllu").read_text()


def test_only_the_chosen_columns(run: Run) -> None:
    assert run(*TRAIN, "-o", "m", "--columns", "upos", "--epochs", "2", "-q") == (0, "", "")
    line = "1\tthe\tLEMMA\t?\tXPOS\tFEATS\t0\troot\t_\tKeep=1\n\n"
    assert run("tag", "run", "m", "-q", stdin=line) == (0, line.replace("?", "DET"), "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*TRAIN, "-o", "m", "--columns", "stem"], "there is no column 'stem'"),
        (["train", "--only", "tagger", "missing.conllu", "-o", "m"], "missing.conllu"),
        ([*TRAIN, "-o", "no/folder/m"], "no/folder/m: there is no folder no/folder; make it first"),
        (["tag", "run", "missing.tagger"], "missing.tagger: there is no such file"),
        (["tag", "run", "train.conllu"], "not a model file"),
    ],
)
def test_what_is_refused_by_a_sentence(run: Run, arguments: list[str], message: str) -> None:
    status, output, errors = run(*arguments)
    assert (status, output) == (1, "")
    assert message in errors
    assert "Traceback" not in errors
    assert not Path("m").exists()


def test_text_is_tokenised(run: Run) -> None:
    status, output, errors = run("tag", "tokenise", stdin="It rains. Stay!\n")
    assert status == 0
    assert output.count("# text = ") == 2
    assert "2 sentences, 5 words" in errors
    assert run("train", "--only", "tokeniser", "train.conllu", "-o", "m", "-q") == (0, "", "")
    Path("a.txt").write_text("The dogs walked. The cat jumps!")
    assert run("tag", "tokenise", "m", "a.txt", "-o", "a.conllu", "-q") == (0, "", "")
    assert [sentence.forms for sentence in tw.read("a.conllu")][1] == ["The", "cat", "jumps", "!"]


def test_text_in_another_encoding_is_named(run: Run) -> None:
    Path("latin.txt").write_bytes(b"one\ncaf\xe9")
    status, _, errors = run("tag", "tokenise", "latin.txt")
    assert status == 1
    assert "latin.txt:2: byte 0xE9 at character 4 is not UTF-8" in errors


def test_sentences_are_not_tokenised_again(run: Run) -> None:
    status, _, errors = run("tag", "tokenise", "dev.conllu")
    assert status == 1
    assert errors == "treewright: dev.conllu: CoNLL-U; expected raw text (`treewright tag run` reads CoNLL-U)\n"

"""`treewright words`: text in any form, imports, what is printed, errors by file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import treewright as tw
from treewright.cli.app import app

LINES = ["The dog sees a cat.", "A cat sees the dog!", "The man eats a fish.", "", "A dog eats the fish 😀."] * 12


def run(*arguments: str | Path, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["words", *map(str, arguments)], input=text, prog_name="treewright")


def learned(tmp_path: Path, *arguments: str | Path, text: str | bytes | None = None) -> tw.Words:
    output = tmp_path / "my.words"
    ended = run(*arguments, "--classes-count", "4", "--size", "3", "-q", "-o", output, text=text)
    assert ended.exit_code == 0, (ended.output, ended.exception)
    return tw.Words.load(output)


def test_text_however_it_is_written_gives_the_same_words(tmp_path: Path) -> None:
    text = "\n".join(LINES)
    ways = {
        "plain.txt": text.encode(),
        "windows.txt": b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        "packed.txt.gz": gzip.compress(text.encode()),
    }
    found = []
    for name, data in ways.items():
        (tmp_path / name).write_bytes(data)
        found.append(learned(tmp_path, tmp_path / name).to_arrays())
    found.append(learned(tmp_path, "-", text=text).to_arrays())
    for header, arrays in found[1:]:
        assert header == found[0][0]
        assert all(arrays[name].tobytes() == found[0][1][name].tobytes() for name in arrays)


def test_tokens_by_white_space_keep_marks(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "it rains .\r\n\r\nit pours .\nit-rains again .\n" * 9, encoding="utf-8", newline=""
    )
    words = learned(tmp_path, tmp_path / "a.txt", "--tokeniser", "whitespace")
    assert set(words.vocabulary) == {"it", "rains", ".", "pours", "it-rains", "again"}


def test_a_treebank_is_a_text_too(tmp_path: Path) -> None:
    tw.write([tw.Sentence.from_words(line.split()) for line in LINES if line], tmp_path / "a.conllu")
    assert learned(tmp_path, tmp_path / "a.conllu").row("dog") >= 0


def test_a_line_without_end_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the dog sees a cat and " * 20_000, encoding="utf-8")
    words = learned(tmp_path, tmp_path / "a.txt", "--tokeniser", "whitespace")
    assert words.metadata["tokens"] == 120_000


def test_training_prints_its_steps_and_a_summary(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(LINES), encoding="utf-8")
    ended = run(tmp_path / "a.txt", "--classes-count", "4", "-o", tmp_path / "my.words")
    assert ended.exit_code == 0
    assert "word classes  epoch 1/20  log likelihood a word -" in ended.stderr
    assert "my.words: Words(11 vectors of 2 numbers; 11 words in 4 classes); learned from 300 words" in ended.stderr
    report = json.loads(run(tmp_path / "a.txt", "--json", "-q", "-o", tmp_path / "my.words").stdout)
    assert report["tokens"] == 300
    assert report["epochs"][0]["stage"] == "word classes"


def test_vectors_and_classes_are_imported_together(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("the 1 2\ndog 1 1\nThe 1 1\n", encoding="utf-8")
    (tmp_path / "paths").write_text("00\tthe\t9\n01\tdog\t3\n", encoding="utf-8")
    output = tmp_path / "my.words"
    ended = run("--vectors", tmp_path / "v.txt", "--classes", tmp_path / "paths", "-o", output)
    assert ended.exit_code == 0
    assert "v.txt:3: the word 'The' has a vector already; 1 such words are left out" in ended.stderr
    assert "my.words: Words(2 vectors of 2 numbers; 2 words in 2 classes)" in ended.stderr
    np.testing.assert_allclose(tw.Words.load(output).vectors[1], [1, 1], atol=1e-2)
    words = learned_classes(tmp_path)
    assert (words.size, len(words.paths)) == (2, 3)


def learned_classes(tmp_path: Path) -> tw.Words:
    """Vectors of a file, classes of a text."""
    (tmp_path / "a.txt").write_text("\n".join(LINES), encoding="utf-8")
    given = ("--vectors", tmp_path / "v.txt", "--classes-count", "3", "-q", "-o", tmp_path / "both.words")
    assert run(tmp_path / "a.txt", *given).exit_code == 0
    return tw.Words.load(tmp_path / "both.words")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to learn from: give a TEXT, or --vectors or --classes to import"),
        (("{folder}",), "a folder; give its files, as in"),
        (("{folder}/missing.txt",), "No such file or directory"),
        (("{folder}/empty.txt",), "empty.txt: the text has no words"),
        (("{folder}/bad.txt",), "bad.txt:2: byte"),
        (("{folder}/few.txt", "--classes-count", "99"), "99 word classes are too many for 1 different words"),
        (("{folder}/few.txt", "--vectors", "{folder}/v.txt", "--size", "9"), "--size is for what is learned from text"),
        (("--vectors", "{folder}/v.txt", "--classes-count", "9"), "--classes-count is for what is learned from text"),
        (("--vectors", "{folder}/few.txt"), "few.txt:1: 'it rains .' has no numbers after a word"),
        (("{folder}/few.txt", "--tokeniser", "xx"), "there is no model xx, and no file of this name"),
    ],
)
def test_what_cannot_be_used_is_refused(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"\n \n")
    (tmp_path / "bad.txt").write_bytes(b"It rains.\n\xff\xfe\n")
    (tmp_path / "few.txt").write_text("it rains .\n", encoding="utf-8")
    (tmp_path / "v.txt").write_text("dog 1 0\n", encoding="utf-8")
    ended = run(*(argument.format(folder=tmp_path) for argument in arguments), "-q", "-o", tmp_path / "my.words")
    assert ended.exit_code == 1
    assert message in str(ended.exception), ended.exception
    assert not (tmp_path / "my.words").exists()

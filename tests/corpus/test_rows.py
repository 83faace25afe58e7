"""Rows of a whole file: found in its bytes and taken from its sentences, they are the same."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from oracles.treebanks import generate, to_conllu

from treewright.corpus import CONLLU, Sentence, read
from treewright.corpus.rows import Rows, read_rows, rows_of_bytes, rows_of_sentences
from treewright.errors import FormatError

EMPTY = "\te" + "\t_" * 8 + "\n"
ROW = "1\tRun\trun\tVERB\tVB\t_\t0\troot\t_\t_\n"


def contents(rows: Rows) -> dict[str, object]:
    columns = {name: rows.column(name) for name in CONLLU.columns}
    return {
        **{name: [cells.text(row) for row in range(len(cells))] for name, cells in columns.items()},
        "is_multiword": rows.is_multiword.tolist(),
        "lengths": rows.lengths.tolist(),
        "heads": rows.heads.tolist(),
        "lines": rows.lines.tolist(),
        "multiwords": rows.multiwords,
    }


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_bytes_are_those_of_the_sentences(seed: int) -> None:
    text = to_conllu(generate(12, seed, multiword=0.3 * (seed % 3)))
    if seed % 2:
        text = "# newdoc\n# a tab\tin a comment\n" + text
    found = rows_of_bytes(text.encode())
    assert found is not None
    assert contents(found) == contents(rows_of_sentences(read(io.StringIO(text))))


def test_rows_of_changed_sentences_are_those_that_would_be_written() -> None:
    sentences = list(read(io.StringIO(to_conllu(generate(12, 3, multiword=0.3)))))
    for sentence in sentences:
        sentence.upos = ["X"] * len(sentence)
        sentence.heads = range(len(sentence))
    found = rows_of_bytes("".join(map(Sentence.written, sentences)).encode())
    assert found is not None
    assert contents(found) | {"lines": None} == contents(rows_of_sentences(sentences)) | {"lines": None}


@pytest.mark.parametrize(
    "text",
    [
        ROW,  # no blank line at the end
        "\ufeff" + ROW + "\n",
        ROW + "\n\n",
        ROW + "# late\n" + ROW.replace("1\t", "2\t", 1) + "\n",
        ROW.replace("\n", "\r\n") + "\r\n" + ROW + "\n\n",
    ],
)
def test_unusual_files_are_read_by_the_other_way(text: str, tmp_path: Path) -> None:
    assert rows_of_bytes(text.encode()) is None
    (tmp_path / "file.conllu").write_bytes(text.encode())
    rows, name = read_rows(tmp_path / "file.conllu")
    assert name == str(tmp_path / "file.conllu")
    assert contents(rows) == contents(rows_of_sentences(read(io.BytesIO(text.encode()))))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROW.replace("\t_\t_\n", "\t_\n") + "\n", "file.conllu:1: 9 columns"),
        (ROW.replace("\t0\t", "\t2\t") + "\n", "file.conllu:1: HEAD of word 1 is '2'"),
        (ROW + "\n" + ROW.replace("1\t", "2\t", 1) + "\n", "file.conllu:3: ID '2' comes first; expected 1"),
        (ROW.replace("1\t", "x\t", 1) + "\n", "file.conllu:1: ID 'x' comes first; expected 1"),
        ("1-2\tRun" + "\t_" * 8 + "\n" + ROW + "\n", "file.conllu:2: the last multiword token continues to word 2"),
        ("2-1\tRun" + "\t_" * 8 + "\n" + ROW + "\n", "file.conllu:1: ID '2-1' comes first"),
        (
            ROW + "1.1\te" + "\t_" * 8 + "\n1.1\te" + "\t_" * 8 + "\n\n",
            ":3: ID '1.1' follows word 1; expected empty nodes",
        ),
        (
            ROW + "0.1\te" + "\t_" * 8 + "\n\n",
            ":2: ID '0.1' follows word 1; expected empty nodes",
        ),
        ("0.1\tRun" + "\t_" * 8 + "\n\n", "file.conllu:1: no words"),
        ("# a comment alone\n\n", "file.conllu: only blank lines and comments; expected at least one sentence"),
        (ROW.replace("Run", "Zo\xeb") + "\n", "file.conllu:1: byte 0xEB at character 5 is not UTF-8"),
    ],
)
def test_a_bad_file_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    data = text.encode("latin-1")
    assert rows_of_bytes(data) is None
    (tmp_path / "file.conllu").write_bytes(data)
    with pytest.raises(FormatError) as error:
        read_rows(tmp_path / "file.conllu")
    assert message in str(error.value)


def test_lines_are_those_of_the_file() -> None:
    text = "# one\n" + ROW + "# between\n" + ROW.replace("1\t", "2\t", 1) + "\n\n\n" + ROW
    assert rows_of_sentences(read(io.StringIO(text))).lines.tolist() == [2, 4, 8]

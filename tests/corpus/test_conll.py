"""Reading and writing CoNLL files: byte for byte, cell by cell."""

from __future__ import annotations

import io
from pathlib import Path

import treewright as tw

CATS = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def written(sentences: object) -> bytes:
    file = io.BytesIO()
    tw.write(sentences, file)
    return file.getvalue()


def test_untouched_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "cats.conllu"
    path.write_bytes(CATS.encode() * 3)
    assert written(tw.read(path)) == path.read_bytes()


def test_a_changed_head_rewrites_one_cell(tmp_path: Path) -> None:
    path = tmp_path / "cats.conllu"
    path.write_bytes(CATS.encode())
    (sentence,) = tw.read(path)
    sentence.heads[0] = 0
    assert written([sentence]).decode() == CATS.replace("_\t2\tnsubj", "_\t0\tnsubj")

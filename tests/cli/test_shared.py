"""What commands share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from treewright.cli.parse import choose_form
from treewright.cli.shared import write_sentences
from treewright.errors import InputError

HEADS = np.array([-1, 0], dtype=np.int32)


@pytest.mark.parametrize("name", ["trees.html", "trees.pdf", "trees.DOCX", "trees.png.gz"])
def test_sentences_are_not_written_under_the_extension_of_another_format(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a format of this command; supported are \.conllu, "):
        write_sentences([], str(tmp_path / name))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["trees.conllu", "trees.CONLLU", "trees.conllu.gz", "trees", "trees.v2.15", "trees.txt"]
)
def test_sentences_are_written_under_any_other_name(name: str, tmp_path: Path) -> None:
    write_sentences([], str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_parse_refuses_an_output_that_it_cannot_write() -> None:
    with pytest.raises(InputError, match=r"trees\.pdf: \.pdf is not a format of this command; supported are .*\.svg"):
        choose_form(None, "trees.pdf", None)
    assert choose_form(None, "trees.html", None) == "html"

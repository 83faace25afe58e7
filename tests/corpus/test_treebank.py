"""Sentences in memory."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

import treewright as tw
from treewright.errors import FormatError


def bank_of(*forms: str) -> tw.Treebank:
    return tw.Treebank(tw.Sentence.from_words(form.split()) for form in forms)


def test_a_treebank_is_a_sequence() -> None:
    bank = bank_of("a b", "c", "d e f")
    assert (len(bank), bank.words, bank[-1].forms, bank[1:].words) == (3, 6, ["d", "e", "f"], 4)
    assert isinstance(bank[1:], tw.Treebank)
    assert repr(bank) == "<Treebank: 3 sentences, 6 words>"
    assert bank == bank_of("a b", "c", "d e f")
    assert bank != bank[:2]
    assert pickle.loads(pickle.dumps(bank)) == bank


def test_a_treebank_reads_and_writes_files(tmp_path: Path) -> None:
    path = tmp_path / "bank.conllu"
    assert bank_of("a b", "c").write(path) == 2
    bank = tw.Treebank.read(path)
    assert (bank.words, bank.skipped, bank[0].source, bank[1].line) == (3, 0, str(path), 4)
    bank.write(tmp_path / "copy.conllu")
    assert (tmp_path / "copy.conllu").read_bytes() == path.read_bytes()


def test_equal_cells_are_one_string() -> None:
    bank = tw.Treebank.read(io.BytesIO(str(tw.Sentence.from_words(["same", "same"])).encode()))
    assert bank[0].forms[0] is bank[0].forms[1]


def test_what_was_skipped_is_known() -> None:
    good = tw.Sentence.from_words(["a"], heads=[0]).written()
    bank = tw.Treebank.read(io.StringIO(good + "x\n\n" + good), on_error="skip")
    assert (len(bank), bank.skipped, bank.errors[0].line) == (2, 1, 3)
    with pytest.raises(FormatError, match="<file>:3: 1 column in 'x'"):
        tw.Treebank.read(io.StringIO(good + "x\n\n"))
    with pytest.raises(FormatError, match="the file is empty"):
        tw.Treebank.read(io.StringIO(""))


def test_values_are_counted() -> None:
    assert bank_of("a b a", "a").counts("FORM") == {"a": 3, "b": 1}

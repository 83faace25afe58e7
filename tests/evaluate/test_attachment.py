"""Scores beyond the official ones, what may be given, and what is said when it is wrong."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treewright.corpus import Sentence, Treebank, read
from treewright.errors import InputError
from treewright.evaluate import evaluate


def sentence(forms: str, heads: list[int], deprels: str = "", **columns: Any) -> Sentence:
    words = forms.split()
    relations = deprels.split() or ["root" if head == 0 else "dep" for head in heads]
    return Sentence.from_words(words, heads=heads, deprels=relations, **columns)


GOLD = [
    sentence("the dog barks .", [2, 3, 0, 3], "det nsubj root punct"),
    sentence("it was seen", [3, 3, 0], "nsubj:pass aux:pass root"),
]


def test_subtypes_count_in_las_plus_alone() -> None:
    system = [GOLD[0], sentence("it was seen", [3, 3, 0], "nsubj aux:pass root")]
    result = evaluate(GOLD, system)
    assert result["LAS"].correct == 7
    assert result["LAS+"].correct == 6
    assert result["LEM"].correct == 2


def test_exact_match_and_roots() -> None:
    system = [sentence("the dog barks .", [2, 0, 2, 2], "det root dep punct"), GOLD[1]]
    result = evaluate(GOLD, system)
    assert (result["UEM"].correct, result["UEM"].gold, result["UEM"].system) == (1, 2, 2)
    assert (result["Roots"].correct, result["Roots"].gold, result["Roots"].system) == (1, 2, 2)


def test_several_roots_are_counted_and_noted() -> None:
    system = [sentence("the dog barks .", [0, 0, 0, 0]), sentence("it was seen", [3, 0, 0])]
    result = evaluate(GOLD, system)
    score = result["Roots"]
    assert (score.correct, score.gold, score.system) == (2, 2, 6)
    assert result.notes == (
        "2 sentences with several roots, the first at system, sentence 1: the official script stops there",
    )
    assert evaluate(GOLD, GOLD).notes == ()


def test_punctuation_is_what_has_no_other_character() -> None:
    gold = [sentence("a -- b $ c. «»", [0, 1, 1, 1, 1, 1])]
    system = [sentence("a -- b $ c. «»", [0, 3, 1, 1, 1, 3])]
    assert (evaluate(gold, system)["UAS"].correct, evaluate(gold, system)["UAS"].gold) == (4, 6)
    without = evaluate(gold, system, punct=False)
    assert (without["UAS"].correct, without["UAS"].gold, without["UAS"].system, without["UAS"].aligned) == (4, 4, 4, 4)
    assert evaluate(gold, system)["UEM"].correct == 0
    assert without["UEM"].correct == 1
    assert without["UPOS"].gold == 6


def test_a_sentence_that_is_split_is_no_exact_match() -> None:
    gold = [sentence("a b", [2, 0])]
    system = [sentence("a", [0]), sentence("b", [0])]
    result = evaluate(gold, system)
    assert (result["UEM"].correct, result["UEM"].gold, result["UEM"].system) == (0, 1, 2)
    assert result["Sentences"].correct == 0
    assert result["UAS"].correct == 1


def test_whatever_holds_sentences_can_be_given(tmp_path: Path) -> None:
    text = "".join(str(one) + "\n" for one in GOLD)
    plain, packed, other = tmp_path / "g.conllu", tmp_path / "g.conllu.gz", tmp_path / "g.conllx"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    other.write_text(text, encoding="utf-8")
    for source in (
        *(str(plain), plain, packed, other, io.StringIO(text), io.BytesIO(text.encode())),
        *(GOLD, Treebank(GOLD), read(plain), iter(GOLD)),
    ):
        assert evaluate(GOLD, source)["LAS"].f1 == 1.0


def test_a_file_is_read_the_same_however_it_is_laid_out(tmp_path: Path) -> None:
    rows = [str(one).replace("\n", "\r\n") for one in GOLD]
    (tmp_path / "crlf.conllu").write_bytes("\r\n".join(rows).encode())
    assert evaluate(GOLD, tmp_path / "crlf.conllu")["LAS"].f1 == 1.0


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = "".join(str(one) + "\n" for one in GOLD).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)), encoding="utf-8"))
    assert evaluate(GOLD, "-")["LAS"].f1 == 1.0


def test_results_are_read_by_name_and_as_json() -> None:
    result = evaluate(GOLD, GOLD)
    assert list(result)[:3] == ["Tokens", "Sentences", "Words"]
    assert len(result) == len(result.scores) == 21
    with pytest.raises(KeyError, match="'las'; there are Tokens, Sentences"):
        result["las"]
    plain = json.loads(json.dumps(result.as_dict()))
    counts = {"correct": 7, "gold": 7, "system": 7, "aligned": 7}
    assert plain["scores"]["UAS"] == counts | {"precision": 1.0, "recall": 1.0, "f1": 1.0, "accuracy": 1.0}


def test_a_word_of_one_letter_alone() -> None:
    one = [sentence("I", [0])]
    assert {name: score.f1 for name, score in evaluate(one, one).scores.items() if score.gold} == dict.fromkeys(
        [name for name in evaluate(one, one) if name not in ("ELAS", "EULAS", "Edges", "Extra")], 1.0
    )


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def conllu(*rows: str) -> str:
    return "".join(row.replace(" ", "\t") + "\n" for row in rows) + "\n"


def test_texts_that_differ_are_shown_where_they_part(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conllu", conllu("1 the _ _ _ _ 2 _ _ _", "2 cat _ _ _ _ 0 _ _ _"))
    system = write(tmp_path / "sys.conllu", "# note\n" + conllu("1 th _ _ _ _ 2 _ _ _", "2 ecow _ _ _ _ 0 _ _ _"))
    with pytest.raises(InputError) as error:
        evaluate(gold, system)
    assert str(error.value) == (
        f"{gold}:2 and {system}:3: the texts part after 'the': the gold file continues with 'cat', the system file "
        "with 'ecow'; the forms of both files, joined without spaces, must be the same characters (tokens and "
        "sentences may differ): is the system file a parse of this very gold file?"
    )


def test_a_text_that_ends_early(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conllu", conllu("1 a _ _ _ _ 0 _ _ _") + conllu("1 b _ _ _ _ 0 _ _ _"))
    system = write(tmp_path / "sys.conllu", conllu("1 a _ _ _ _ 0 _ _ _"))
    with pytest.raises(InputError, match=r"gold\.conllu:3 and .*sys\.conllu \(at its end\): the texts part after 'a'"):
        evaluate(gold, system)
    with pytest.raises(InputError, match="with nothing, the system file with 'b'"):
        evaluate(system, gold)


def test_texts_that_differ_in_memory() -> None:
    with pytest.raises(InputError, match="gold, sentence 1 and system, sentence 1: the texts part at the very begin"):
        evaluate([sentence("a", [0])], [sentence("b", [0])])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"s\.conllu: the file is empty; expected at least one sentence"),
        (conllu("1 a _ _ _ _ _ _ _ _"), r"s\.conllu:1: word 1 has no head \(_\); expected a complete tree"),
        (conllu("1 a _ _ _ _ 2 _ _ _"), r"s\.conllu:1: HEAD of word 1 is '2'; expected 0 \(the root\)"),
        (conllu("1 a _ _ _ _ 2 _ _ _", "2 b _ _ _ _ 1 _ _ _"), r"s\.conllu:1: the heads run in a circle: 1 <- 2"),
        (conllu("1 a _ _ _ _ 0 _ _"), r"s\.conllu:1: 9 columns"),
        (conllu("1 a _ _ _ _ 0 _ 1 _"), r"s\.conllu:1: DEPS has '1'; an edge is head:relation, edges are joined by"),
        (conllu("1 a _ _ _ _ 0 _ 0:root|2:x _"), r"s\.conllu:1: DEPS has '2:x'; .* between 0 \(the root\) and 1, the"),
        ("1\t\u00a0\t_\t_\t_\t_\t0\t_\t_\t_\n\n", r"s\.conllu:1: FORM is '\\xa0'; expected a form that is not white"),
    ],
)
def test_a_bad_file_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conllu", conllu("1 a _ _ _ _ 0 _ _ _"))
    with pytest.raises(InputError, match=message):
        evaluate(gold, write(tmp_path / "s.conllu", text))
    with pytest.raises(InputError, match=message):
        evaluate(write(tmp_path / "s.conllu", text), gold)


def test_standard_input_can_be_read_once() -> None:
    with pytest.raises(InputError, match=r"standard input \(-\) is given twice; it can be read once"):
        evaluate("-", "-")


def test_places_in_memory_are_sentences() -> None:
    bad = sentence("x", [0], deps=["7:dep"])
    with pytest.raises(InputError, match="gold, sentence 3: DEPS has '7:dep'"):
        evaluate([*GOLD, bad], [*GOLD, bad])
    with pytest.raises(InputError, match="system, sentence 2: the heads run in a circle: 1 <- 2 <- 1; expected a tree"):
        evaluate(GOLD, [GOLD[0], sentence("it was seen", [2, 1, 0])])


def test_what_is_no_sentence_is_named() -> None:
    with pytest.raises(TypeError, match=r"^gold\[0\] is 1, of type int; expected a Sentence$"):
        evaluate([1], GOLD)  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^system\[1\] is 'x', of type str; expected a Sentence$"):
        evaluate(GOLD, iter([GOLD[0], "x"]))  # type: ignore[arg-type]


def test_an_unknown_breakdown_names_those_there_are() -> None:
    with pytest.raises(
        InputError, match="no breakdown by 'length'; there are relation, arc-length, sentence-length, pr"
    ):
        evaluate(GOLD, GOLD, by="length")


def test_bad_sentences_are_left_out_of_both() -> None:
    good, bad = conllu("1 a _ _ _ _ 0 _ _ _"), conllu("1 a _ _ _ _ 1 _ _ _")
    broken, partial = "1\ta\n\n", conllu("1 a _ _ _ _ _ _ _ _")
    gold = io.StringIO(good + broken + good.replace("a", "b") + good + good)
    system = io.StringIO(good + good + good.replace("a", "b") + bad + partial)
    result = evaluate(gold, system, skip_bad=True)
    assert result["UAS"].gold == 2
    assert result["UAS"].f1 == 1.0
    assert result.notes == ("3 bad sentences left out of both files",)


def test_a_bad_end_is_counted() -> None:
    good, broken = conllu("1 a _ _ _ _ 0 _ _ _"), "1\ta\n\n"
    result = evaluate(io.StringIO(good + broken), io.StringIO(good + good), skip_bad=True)
    assert result["UAS"].gold == 1


def test_bad_sentences_are_left_out_of_sentences_in_memory() -> None:
    cycle = Sentence.from_words(["a", "b"], heads=[2, 1])
    result = evaluate([GOLD[0], GOLD[1]], [cycle, GOLD[1]], skip_bad=True)
    assert result["UAS"].gold == 3


def test_bad_sentences_cannot_be_left_out_of_files_of_different_length() -> None:
    with pytest.raises(
        InputError, match="cannot tell which sentences are the same: gold has 2, system has 1; to leave"
    ):
        evaluate(GOLD, GOLD[:1], skip_bad=True)


def test_every_score_of_a_perfect_copy_is_perfect() -> None:
    rng = np.random.default_rng(0)
    gold = [sentence(" ".join("xyz"[int(i)] for i in rng.integers(3, size=9)), list(range(9))) for _ in range(20)]
    assert all(score.f1 == 1 for score in evaluate(gold, gold).scores.values() if score.gold)

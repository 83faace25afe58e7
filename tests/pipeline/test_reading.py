"""Text, lines, CoNLL-U and JSON: what is read, how it is told apart, what is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from oracles.pipelines import pipeline

import treewright as tw
from treewright import trees
from treewright.corpus import Token
from treewright.corpus.reader import check_utf8
from treewright.errors import FormatError, InputError
from treewright.pipeline import guess_input, read_input
from treewright.pipeline.reading import BLOCK, text_passages

CONLLU = "# sent_id = a\n1\tRun\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (CONLLU, "-", "conllu"),
        ("\ufeff" + CONLLU, "-", "conllu"),
        (CONLLU, "letter.txt", "text"),
        ("It rains.", "-", "text"),
        ("1\tfish", "-", "text"),
        ("# A heading\n\nIt rains.", "-", "text"),
        ('{"text": "It rains."}\n', "-", "json"),
        ('"It rains."', "-", "json"),
        ('"It rains," she said.', "-", "text"),
        ('{"a', "-", "text"),
        ("", "-", "text"),
        ("anything", "a.jsonl.gz", "json"),
        ("anything", "a.conllu", "conllu"),
    ],
)
def test_guesses(data: str, name: str, kind: str) -> None:
    named = io.BytesIO(data.encode())
    named.name = name
    file = io.BufferedReader(named)
    assert guess_input(file) == kind
    assert file.read().decode() == data


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_a_file_is_guessed_and_read(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"letter{packing}"
    tw.write(tw.Sentence(CONLLU), path)
    assert [sentence.sent_id for sentence in read_input(str(path))] == ["a"]


def test_a_sentence_a_line() -> None:
    text = "It rains. It pours.\r\n\r\n  I stay\n"
    found = list(read_input(io.BytesIO(text.encode()), "lines"))
    assert [sentence.forms for sentence in found] == [["It", "rains", ".", "It", "pours", "."], ["I", "stay"]]
    assert [sentence.sent_id for sentence in found] == ["1", "2"]
    assert text[int(found[1].misc[1].rpartition("=")[2].split(":")[0]) :] == "stay\n"


def test_a_line_too_long_for_a_sentence_is_parsed_in_parts() -> None:
    file = io.StringIO("It rains.\n\n" + "the dog sees a house , " * 401 + "\nIt rains.\n")
    found = list(pipeline().parse(read_input(file, "lines")))
    assert [sentence.parse.parts for sentence in found] == [1, 17, 1]
    assert found[1].comment("treewright") == "joined from 17 parts, not certified"
    assert trees.is_tree(found[1].parse.heads, root="single")


def passages(pieces: Iterable[str]) -> list[str]:
    """The texts of passages, each of which begins where the one before ends."""
    texts: list[str] = []
    for passage in text_passages(pieces):
        if passage is not None:
            assert passage.begin == sum(map(len, texts))
            texts.append(passage.text)
    return texts


@pytest.mark.parametrize("line_break", ["\r\n", "\r"])
def test_passages_do_not_depend_on_the_line_breaks(line_break: str) -> None:
    text = "\n\n".join("\n".join(["word " * 14] * lines) for lines in range(1, 40))
    found = [block.replace(line_break, "\n") for block in passages([text.replace("\n", line_break)])]
    assert "".join(found) == text
    assert all(block.endswith("\n\n") for block in found[:-1])


def test_passages_do_not_depend_on_how_text_comes() -> None:
    text = "".join("word " * (number % 200) + "\n\n" for number in range(200))
    whole = passages([text])
    assert "".join(whole) == text
    assert min(map(len, whole[:-1])) > BLOCK
    for size in (1, 7, 1000):
        assert passages(text[place : place + size] for place in range(0, len(text), size)) == whole


def test_json_comes_back() -> None:
    [sentence] = pipeline()("The dog sees a house.")
    value = json.loads(json.dumps(sentence.to_dict()))
    assert value["certified"] is True
    assert value["gap"] == 0.0
    confidence = dict.fromkeys(("confidence", "label_confidence", "tag_confidence"), 1)
    assert set(confidence) < set(value["words"][1])
    assert value["words"][1] | confidence == {
        "id": 2,
        "form": "dog",
        "upos": "NOUN",
        "head": 3,
        "deprel": "nsubj",
        "misc": "TokenRange=4:7",
        "begin": 4,
        "end": 7,
        **confidence,
    }
    again = tw.Sentence.from_dict(value)
    assert again.heads.tolist() == sentence.heads.tolist()
    assert [str(again).splitlines()[row] for row in (0, 1)] == [
        f"# sent_id = {sentence.sent_id}",
        f"# text = {sentence.text}",
    ]
    assert str(again).splitlines()[2:] == str(sentence).splitlines()[5:]


def test_multiword_tokens_go_through_json() -> None:
    sentence = tw.Sentence.from_words(["do", "n't"], tokens=[Token(1, 2, "don't", "TokenRange=0:5")], text="don't")
    value = sentence.to_dict()
    assert value["tokens"] == [{"first": 1, "last": 2, "form": "don't", "misc": "TokenRange=0:5", "begin": 0, "end": 5}]
    assert str(tw.Sentence.from_dict(value)) == str(sentence)


def test_json_lines() -> None:
    lines = ['"It rains. It pours."', '{"text": "I stay.", "id": "x"}', "", '{"words": ["You", {"form": "go"}]}']
    found = list(read_input(io.StringIO("\n".join(lines)), "json"))
    assert [sentence.forms for sentence in found] == [
        *(["It", "rains", "."], ["It", "pours", "."], ["I", "stay", "."], ["You", "go"]),
    ]
    assert [sentence.sent_id for sentence in found] == ["1", "2", "x-1", None]


def test_a_long_json_text_has_one_numbering() -> None:
    paragraph = "It rains. " * 100 + "\n\n"
    text = json.dumps({"text": paragraph * 20, "id": "x"})
    sentences = list(read_input(io.StringIO(f'"One."\n{text}\n"Two."'), "json"))
    names = [sentence.sent_id for sentence in sentences]
    assert names == ["1", *(f"x-{number}" for number in range(1, 2001)), "2002"]
    assert {sentence.line for sentence in sentences} == {1, 2, 3}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"<file>:2: '\{' is no JSON \(.*\); expected a text in quotes"),
        ("7", "<file>:2: '7' has neither text nor words; expected a text in quotes"),
        ('{"text": 7}', "<file>:2: .* has neither text nor words"),
        ('{"words": []}', "<file>:2: words is empty; expected words as `--to json` writes them"),
        ('{"words": [{"lemma": "go"}]}', "<file>:2: word 1 has no form"),
        ('{"words": ["a"], "tokens": [3]}', "<file>:2: .*expected words as"),
        ('{"words": [{"form": "a", "head": 9}]}', "<file>:2: .*expected words as"),
    ],
)
def test_bad_json_is_named(line: str, message: str) -> None:
    text = f'"fine"\n{line}\n"fine too"'
    with pytest.raises(FormatError, match=message):
        list(read_input(io.StringIO(text), "json"))
    reader = read_input(io.StringIO(text), "json", on_error="skip")
    assert [sentence.forms for sentence in reader] == [["fine"], ["fine", "too"]]
    assert reader.skipped == 1


@pytest.mark.parametrize("kind", ["text", "lines", "json"])
def test_bytes_that_are_not_utf8_are_named(kind: str) -> None:
    with pytest.raises(
        FormatError, match=r"<file>:2: byte 0xE9 at character 4 is not UTF-8; .*Latin-1 it would be 'é'"
    ):
        list(read_input(io.BytesIO('"It"\n"ol\xe9"'.encode("latin-1")), kind))


def test_lone_surrogates_are_named() -> None:
    with pytest.raises(
        FormatError, match=r"^--text:2: character 4 is the lone surrogate U\+D800, which no file can hold"
    ):
        check_utf8("One.\nIt \ud800", "--text", 1)
    with pytest.raises(FormatError, match=r"^--text:1: byte 0xFF at character 3 is not UTF-8"):
        check_utf8("It\udcff", "--text", 1)


def test_unknown_kind() -> None:
    message = "there is no kind of input 'pdf'; there are text, paragraphs, lines, html, markdown, conllu, json"
    with pytest.raises(InputError, match=message):
        read_input("x", "pdf")


def divisions(text: str, kind: str) -> list[list[str]]:
    """Return the comments about documents and paragraphs of each sentence."""
    sentences = read_input(io.StringIO(text), kind)
    return [[line for line in sentence.comments if line.startswith("# new")] for sentence in sentences]


def test_documents_and_paragraphs_are_marked() -> None:
    start = ["# newdoc", "# newpar"]
    assert divisions("It rains. Stay.\n\nGo.\nNow. ", "text") == [start, [], ["# newpar"], []]
    assert divisions("It rains. Stay.\nGo.\n", "paragraphs") == [start, [], ["# newpar"]]
    assert divisions("It rains.\nGo.\n", "lines") == [start, []]
    texts = '{"text": "It rains. Go.", "id": "a"}\n"Stay."\n'
    assert divisions(texts, "json") == [["# newdoc id = a", "# newpar"], [], start]
    paragraphs = "It rains.\n\n" * 1000  # several passages
    assert divisions(paragraphs, "text") == [start, *[["# newpar"]] * 999]

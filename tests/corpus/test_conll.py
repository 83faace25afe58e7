"""Reading and writing CoNLL files: byte for byte, cell by cell, and every mistake by its message."""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.conllu import some_cell, some_file

import treewright as tw
from treewright.corpus import conll, reader
from treewright.corpus.layout import CONLLX
from treewright.corpus.sentence import to_layout
from treewright.errors import FormatError, InputError

CATS = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
ROW = "\tx\t_\t_\t_\t_\t0\t_\t_\t_\n"


def written(sentences: Iterable[tw.Sentence]) -> bytes:
    file = io.BytesIO()
    tw.write(sentences, file)
    return file.getvalue()


def read_text(text: str | bytes, **options: Any) -> list[tw.Sentence]:
    content = text.encode() if isinstance(text, str) else text
    return list(tw.read(io.BytesIO(content), **options))


def look_at_everything(sentence: tw.Sentence) -> tw.Sentence:
    list(sentence)
    _ = (sentence.comments, sentence.heads, sentence.tokens, sentence.empty_nodes, sentence.graph)
    return sentence


NASTY = {
    "plain": CATS * 2,
    "CRLF": (CATS * 2).replace("\n", "\r\n"),
    "mixed line ends": CATS.replace("\n", "\r\n", 1) + CATS,
    "no final blank line": CATS + CATS[:-1],
    "no final line break": CATS + CATS[:-2],
    "CRLF, no final line break": (CATS * 2)[:-2].replace("\n", "\r\n"),
    "several blank lines": "\n\n" + CATS + "\n\n\n" + CATS + "\n\n",
    "blank lines that are not empty": " \n" + CATS + "\t \n" + CATS,
    "byte order mark": "\ufeff" + CATS,
    "byte order mark and comment": "\ufeff# sent_id = 1\n" + CATS,
    "byte order mark alone on its line": "\ufeff\n" + CATS,
    "empty node before the first word": "0.1\tpro\t_\t_\t_\t_\t_\t_\t1:nsubj\t_\n" + CATS,
    "empty nodes after the last word": CATS[:-1] + "2.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n2.2\t_\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
    "double edges": "1\ta\t_\t_\t_\t_\t0\troot\t0:root|0:root|1:dep|1:dep:x\tA=1|A=1||\n\n",
    "odd MISC": "1\ta\t_\t_\t_\t_\t0\troot\t_\t |=| \\t=\\n |SpaceAfter=No|\n\n",
    "empty cells": "1\ta\t\t\t\t\t0\t\t\t\n\n",
    "a multiword token of one word": "1-1\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n1" + ROW + "\n",
    "an empty node inside a multiword token": "1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n1"
    + ROW
    + "1.1"
    + ROW
    + "2"
    + ROW
    + "\n",
    "comments of all kinds": "#\n##\n# x\n#y = \n# text = a = b\n" + CATS,
    "a comment between words": CATS.replace("2\tsleep", "# here\n2\tsleep"),
    "a comment after the words": CATS[:-1] + "# there\n\n" + CATS,
    "comments that belong to no sentence": "# a header\n\n" + CATS + "# lost\n\n" + CATS + "# the end\n",
    "line separators that are not ours": "1\ta\u2028b\x85c\x0bd\x0ce\x1cf\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
    "blanks that are not ours": "1\t\u00a0\u3000\t_\t_\t_\t_\t0\t_\t_\t \n\n",
    "beyond the basic plane": "1\t𝔘𝔫𝔦\t_\t_\t_\t_\t0\t_\t_\t👩‍👩‍👧\n\n",
    "heads with leading zeros": "1\ta\t_\t_\t_\t_\t00\t_\t_\t_\n2\tb\t_\t_\t_\t_\t01\t_\t_\t_\n\n",
    "form # and form with spaces": "1\t#\t_\t_\t_\t_\t0\t_\t_\t_\n2\t10 000\t_\t_\t_\t_\t1\t_\t_\t_\n\n",
}


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("chunk", [1, 7, 1 << 18])
def test_what_was_read_is_written(name: str, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "CHUNK", chunk)
    path = tmp_path / "nasty.conllu"
    path.write_bytes(NASTY[name].encode())
    assert written(tw.read(path)) == path.read_bytes()
    assert written(map(look_at_everything, tw.read(path))) == path.read_bytes()
    assert written(sentence.copy() for sentence in tw.read(path)) == path.read_bytes()


@given(st.integers(0, 1 << 32), st.sampled_from([1, 5, 64, 1 << 18]))
@example(67293, 5)  # a byte order mark before a comment with a zero byte
@settings(max_examples=300, deadline=None)
def test_files_come_back_and_say_what_their_lines_say(seed: int, chunk: int) -> None:
    file = some_file(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "CHUNK", chunk)
        sentences = read_text(file.content)
        assert written(sentences) == file.content
        assert len(sentences) == len(file.sentences)
    for sentence, rows, comments in zip(sentences, file.sentences, file.comments, strict=True):
        words = [row for row in rows if row[0].isdigit()]
        assert len(sentence) == len(words)
        assert sentence.comments == comments
        assert sentence.heads.tolist() == [-1 if row[6] == "_" else int(row[6]) for row in words]
        before_heads = [sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats]
        assert before_heads == [[row[column] for row in words] for column in range(1, 6)]
        after_heads = [sentence.deprels, sentence.deps, sentence.misc]
        assert after_heads == [[row[column] for row in words] for column in range(7, 10)]
        tokens = [row for row in rows if "-" in row[0]]
        assert [(f"{token.first}-{token.last}", token.form, token.misc) for token in sentence.tokens] == [
            (row[0], row[1], row[9]) for row in tokens
        ]
        assert [node.id for node in sentence.empty_nodes] == [row[0] for row in rows if "." in row[0]]
        edges = [(*edge.split(":", 1), row[0]) for row in rows if row[8] != "_" for edge in row[8].split("|")]
        assert [(str(head), label, str(modifier)) for head, modifier, label in sentence.graph] == edges
    assert written(map(look_at_everything, sentences)) == file.content


@given(st.integers(0, 1 << 32))
@settings(max_examples=300, deadline=None)
def test_only_the_changed_cell_is_rewritten(seed: int) -> None:
    file = some_file(seed)
    random = Random(seed)
    sentences = read_text(file.content)
    number = random.randrange(len(sentences))
    word = random.randrange(len(sentences[number]))
    column = random.randint(1, 9)
    row = [row for row in file.sentences[number] if row[0].isdigit()][word]
    changed = list(row)
    if column == 6:
        head = random.randint(-1, len(sentences[number]))
        sentences[number].heads[word] = head
        changed[6] = "_" if head < 0 else str(head)
    else:
        changed[column] = some_cell(random)
        name = ("", "forms", "lemmas", "upos", "xpos", "feats", "", "deprels", "deps", "misc")[column]
        getattr(sentences[number], name)[word] = changed[column]
    old, new = "\t".join(row).encode(), "\t".join(changed).encode()
    # The same line may stand in several places: find ours by the sentences before it.
    start = len(written(sentences[:number]).rstrip(b" \t\r\n")) if number else 0
    before, line, after = file.content[start:].partition(old)
    assert line == old
    assert written(sentences) == file.content[:start] + before + new + after


def test_sentences_of_several_files_are_kept_apart() -> None:
    first, second = read_text("\ufeff" + CATS[:-2]), read_text("\ufeff" + CATS[:-1])
    assert written(first + second + first) == ("\ufeff" + CATS + CATS + CATS[:-2]).encode()
    assert len(read_text(written(first + second + first))) == 3


def test_a_pipe_is_answered_before_it_sends_more(tmp_path: Path) -> None:
    receive, send = os.pipe()
    with open(receive, "rb") as inward, open(send, "wb", buffering=0) as outward:
        sentences = tw.read(inward)
        for _ in range(3):
            outward.write(CATS.encode())
            waiting = threading.Timer(20, outward.close)  # rather than wait for ever
            waiting.start()
            assert next(sentences).forms == ["Cats", "sleep"]
            waiting.cancel()


def test_sentences_before_a_mistake_are_read() -> None:
    sentences = tw.read(io.BytesIO(CATS.encode() * 2 + b"rubbish\n\n" + CATS.encode()))
    assert next(sentences).forms == next(sentences).forms
    with pytest.raises(FormatError, match="<file>:7: 1 column in 'rubbish'"):
        next(sentences)


TEN = "expected the 10 of conllu, separated by tabs"
MISTAKES = {
    "1\ta\tb\n\n": f"bad.conllu:1: 3 columns in '1\\ta\\tb'; {TEN}",
    "# c\n1"
    + ROW[:-1]
    + "\tmore\n\n": f"bad.conllu:2: 11 columns in '1\\tx\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_\\tmore'; {TEN}",
    # Ten columns on the average, and every cell where an ID should be is the right number.
    "1\ta\t_\t_\t_\t_\t0\t_\t_\n2\t2\t_\t_\t_\t_\t0\t_\t_\t_\t_\n\n": "bad.conllu:1: 9 columns in ",
    "1  dog  NOUN\n\n": f"bad.conllu:1: 1 column in '1  dog  NOUN'; {TEN}; there are spaces where tabs should be",
    "1\ta\t_\t_\t_\t_\t3\t_\t_\t_\n\n": (
        "bad.conllu:1: HEAD of word 1 is '3'; expected 0 (the root), a word from 1 to 1, or _"
    ),
    "1" + ROW + "2\ta\t_\t_\t_\t_\t-1\t_\t_\t_\n\n": "bad.conllu:2: HEAD of word 2 is '-1'; expected 0",
    "1\ta\t_\t_\t_\t_\tx\t_\t_\t_\n\n": "bad.conllu:1: HEAD of word 1 is 'x'; expected 0",
    "1\ta\t_\t_\t_\t_\t1_0\t_\t_\t_\n\n": "bad.conllu:1: HEAD of word 1 is '1_0'; expected 0",
    "1\ta\t_\t_\t_\t_\t٣\t_\t_\t_\n\n": "bad.conllu:1: HEAD of word 1 is '٣'; expected 0",
    "1\ta\t_\t_\t_\t_\t\t_\t_\t_\n\n": "bad.conllu:1: HEAD of word 1 is ''; expected 0",
    "1\ta\t_\t_\t_\t_\t" + "9" * 5000 + "\t_\t_\t_\n\n": "bad.conllu:1: HEAD of word 1 is '999",
    "1" + ROW + "# c\n1" + ROW + "\n": "bad.conllu:3: ID '1' follows word 1; expected 2",
    "1" + ROW + "3" + ROW + "\n": "bad.conllu:2: ID '3' follows word 1; expected 2",
    "2" + ROW + "\n": "bad.conllu:1: ID '2' comes first; expected 1",
    "0" + ROW + "\n": "bad.conllu:1: ID '0' comes first; expected 1",
    "01" + ROW + "\n": "bad.conllu:1: ID '01' comes first; expected 1",
    "one" + ROW + "\n": "bad.conllu:1: ID 'one' comes first; expected 1",
    "0.1" + ROW + "\n": "bad.conllu:1: no words, only '0.1'; expected a line whose ID is 1",
    "1"
    + ROW
    + "1-2"
    + ROW
    + "2"
    + ROW
    + "\n": "bad.conllu:2: ID '1-2' follows word 1; expected a multiword token here to begin with 2",
    "1-2" + ROW + "1" + ROW + "2-3" + ROW + "2" + ROW + "3" + ROW + "\n": (
        "bad.conllu:3: ID '2-3' follows word 1; expected no token within the multiword token that ends with word 2"
    ),
    "1-3" + ROW + "1" + ROW + "2" + ROW + "\n": (
        "bad.conllu:3: the last multiword token continues to word 3; the sentence ends with word 2"
    ),
    "2-1"
    + ROW
    + "1"
    + ROW
    + "\n": "bad.conllu:1: ID '2-1' comes first; expected a multiword token here to begin with 1",
    "1"
    + ROW
    + "2.1"
    + ROW
    + "2"
    + ROW
    + "\n": "bad.conllu:2: ID '2.1' follows word 1; expected empty nodes here to be 1.1, 1.2 and so on",
    "1" + ROW + "1.2" + ROW + "1.1" + ROW + "\n": "bad.conllu:3: ID '1.1' follows word 1; expected empty nodes here",
    "1-2-3" + ROW + "\n": "bad.conllu:1: ID '1-2-3' comes first; expected 1",
    "(S (NN dogs))\n": "bad.conllu:1: a bracketed tree; expected columns (treewright.read_trees reads brackets)",
    "": "bad.conllu: the file is empty; expected at least one sentence",
    " \n\n": "bad.conllu: only blank lines and comments; expected at least one sentence",
    "# only a comm": "bad.conllu: only blank lines and comments; expected at least one sentence",
    "1" + ROW + "2\tcut sh": "bad.conllu:2: 2 columns in '2\\tcut sh'; "
    + TEN
    + " (the file ends here without a line break: cut short?)",
}


@pytest.mark.parametrize("content", MISTAKES)
def test_a_mistake_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(content.encode())
    with pytest.raises(FormatError, match=re.escape(MISTAKES[content])) as raised:
        list(tw.read(path))
    assert str(raised.value).startswith(str(tmp_path))


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.conllu"
    path.write_bytes(CATS.encode() + b"# a\n" + CATS.replace("Cats", "Chatières").encode("latin-1"))
    message = r"latin.conllu:5: byte 0xE8 at character 8 is not UTF-8; expected UTF-8 \(in Latin-1 it would be 'è'"
    with pytest.raises(FormatError, match=message):
        list(tw.read(path))
    kept = tw.read(path, on_error="skip")
    assert [sentence.forms[0] for sentence in kept] == ["Cats"]
    assert kept.skipped == 1


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cats.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 20)
    with pytest.raises(FormatError, match=r"cats.png:1: a PNG image; expected text in UTF-8"):
        list(tw.read(path))


def test_what_has_no_lines_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LONGEST_LINE", 1 << 20)
    with pytest.raises(FormatError, match="<file>: no line break in 1 MB; expected lines of text"):
        read_text(b"x" * (1 << 22))


def test_what_never_ends_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conll, "LONGEST_ITEM", 1 << 20)
    with pytest.raises(FormatError, match="<file>: no blank line in 1 MB; expected one after every sentence"):
        read_text(b"numbers\n" * (1 << 20))


def test_utf16_is_guessed() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        with pytest.raises(FormatError, match=r"<file>:1: text in UTF-16; expected UTF-8 \(iconv -f UTF-16 -t UTF-8"):
            read_text(CATS.encode(encoding))


@pytest.mark.parametrize(
    ("opening", "kind"),
    [
        (b"%PDF-1.7\n", "a PDF document"),
        (b"PK\x03\x04\x14\0", "a ZIP archive or an office document"),
        (b"\xff\xd8\xff\xe0\0", "a JPEG image"),
        (b'\x00\x10\x00\x00\x00\x00\x00\x00{"__metadata__"', "a model file"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "a program"),
        (b"\xca\xfe\xba\xbe\0\0\0\x02\t\n", "a binary file, with zero bytes"),
        (b"RIFF\0\0\0\x02WAVE", "a binary file, with zero bytes"),
    ],
)
def test_binary_files_are_named_by_their_kind(opening: bytes, kind: str) -> None:
    for on_error in ("raise", "skip"):
        with pytest.raises(FormatError, match=f"<file>:1: {kind}; expected text in UTF-8"):
            list(tw.read(io.BytesIO(opening), on_error=on_error))


@pytest.mark.parametrize("text", ["It rains.\nI stay.\n", "Regen.\n", "我喜欢茶。\n", "# A title\n\nThe old bridge\n"])
def test_plain_text_is_recognised(text: str) -> None:
    with pytest.raises(
        FormatError, match=r"<file>:\d: plain text, without tabs; expected CoNLL-U \(`treewright parse en FILE`"
    ):
        read_text(text.encode())


def test_mixed_up_arguments_are_told() -> None:
    with pytest.raises(ValueError, match=r"is text; expected a path \(read\(io.StringIO\(text\)\) reads text\)"):
        tw.read(CATS)
    message = r"items is 'out.conllu'; the sentences are the first argument, the file is the second"
    with pytest.raises(ValueError, match=message):
        tw.write("out.conllu", [])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="item 0 is 3; expected a Sentence or a Tree"):
        tw.write([3], io.BytesIO())  # type: ignore[list-item]


def test_one_sentence_and_a_text_file_will_do() -> None:
    file = io.StringIO()
    assert tw.write(tw.Sentence(CATS), file) == 1
    assert file.getvalue() == CATS


def test_a_directory_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as raised:
        tw.read(tmp_path)
    assert Path(raised.value.filename) == tmp_path
    with pytest.raises(FileNotFoundError) as missing:
        tw.read(tmp_path / "none.conllu")
    assert Path(missing.value.filename) == tmp_path / "none.conllu"


def test_bad_sentences_can_be_skipped_and_counted() -> None:
    bad = "1\tx\n\n"
    sentences = tw.read(io.StringIO(CATS + bad + CATS + bad * 2), on_error="skip")
    assert len(list(sentences)) == 2
    assert sentences.skipped == 3
    assert [error.line for error in sentences.errors] == [4, 9, 11]
    assert len(list(tw.read(io.StringIO(""), on_error="skip"))) == 0


def test_errors_that_are_kept_are_bounded() -> None:
    sentences = tw.read(io.StringIO("x\n\n" * 1000), on_error="skip")
    assert list(sentences) == []
    assert (sentences.skipped, len(sentences.errors)) == (1000, 100)


@pytest.mark.parametrize(
    ("heads", "check", "message"),
    [
        ([2, 1, 0], "tree", "<file>:1: the heads run in a circle: 1 <- 2 <- 1; expected a tree"),
        ([1, 0], "partial", "<file>:1: the heads run in a circle: 1 <- 1; expected a tree"),
        ([0, 0, 0], "single-root", "<file>:2: 3 words are attached to the root: 1, 2, 3; expected one"),
        ([0, -1], "tree", r"<file>:2: word 2 has no head \(_\); expected a complete tree"),
    ],
)
def test_trees_can_be_asked_for(heads: list[int], check: str, message: str) -> None:
    text = str(tw.Sentence.from_words(["x"] * len(heads), heads=heads)) + "\n"
    assert read_text(text)[0].heads.tolist() == heads  # lossless by default
    with pytest.raises(FormatError, match=message):
        read_text(text, check=check)
    good = tw.read(io.StringIO(text + CATS), check=check, on_error="skip")
    assert [len(sentence) for sentence in good] == [2]


def test_what_is_allowed_passes_the_check() -> None:
    assert read_text(str(tw.Sentence.from_words(["x", "y"], heads=[0, 0])) + "\n", check="tree")
    assert read_text(str(tw.Sentence.from_words(["x", "y"], heads=[-1, 1])) + "\n", check="partial")


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ValueError, match="format 'conl': expected one of conllu, conllup, conllx"):
        tw.read("-", "conl")
    with pytest.raises(
        ValueError,
        match="check 'trees': expected one of format, partial, partial-single-root, tree, single-root, graph",
    ):
        tw.read("-", check="trees")
    with pytest.raises(ValueError, match="on_error is 'ignore'; expected 'raise' or 'skip'"):
        tw.read("-", on_error="ignore")
    with pytest.raises(ValueError, match="format 'text': expected one of conllu, conllx"):
        tw.write([], io.BytesIO(), "text")


PLUS = (
    "# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE\n# sent_id = 1\n"
    "1\tgave\tVERB\t0\troot\t1:VPC\n2\tup\tADP\t1\tcompound\t1\n\n"
)


def test_conllu_plus_says_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "mwe.cupt"
    path.write_text(PLUS + "1\tRun\tVERB\t0\troot\t*\n\n", encoding="utf-8")
    first, second = tw.read(path)
    assert (first.upos, first.heads.tolist(), first.column("PARSEME:MWE")) == (["VERB", "ADP"], [0, 1], ["1:VPC", "1"])
    assert first.xpos == ["_", "_"]
    first.column("PARSEME:MWE")[1] = "*"
    assert written([first, second]).decode() == path.read_text(encoding="utf-8").replace(
        "compound\t1\n", "compound\t*\n"
    )
    # Whatever comes first carries the declaration, and nothing else does.
    swapped = written([second, first]).decode()
    assert swapped.startswith("# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE\n1\tRun")
    assert swapped.count("global.columns") == 1
    assert [sentence.forms[0] for sentence in read_text(swapped)] == ["Run", "gave"]


def test_conllu_plus_needs_neither_id_nor_head() -> None:
    (sentence,) = read_text("# global.columns = FORM TAG\nDogs\tN\nbark\tV\n\n")
    assert (sentence.forms, sentence.column("TAG"), sentence.heads.tolist()) == (["Dogs", "bark"], ["N", "V"], [-1, -1])
    sentence.heads[0] = 2
    with pytest.raises(InputError, match=r"<file>:1: no column HEAD to write to, only FORM TAG; treewright.write\("):
        str(sentence)
    with pytest.raises(InputError, match="no column UPOS to write to"):
        sentence.upos = ["X", "X"]
    (second,) = read_text("# global.columns = FORM ID\nDogs\t1\nbarks\t2-2\nbark\t2\n\n")
    assert (second.forms, second.tokens[0].form) == (["Dogs", "bark"], "barks")


def test_conllu_plus_must_declare_its_columns() -> None:
    with pytest.raises(
        FormatError, match=r"<file>:1: .*; expected the first line to be '# global.columns = ID FORM ...'"
    ):
        read_text(CATS, format="conllup")
    with pytest.raises(FormatError, match=r"<file>:1: '# global.columns = ID ID'; expected each column once"):
        read_text("# global.columns = ID ID\n1\t1\n\n")


def test_conllx_by_extension(tmp_path: Path) -> None:
    path = tmp_path / "danish.conll"
    path.write_text(
        "1\tDer\t_\tU\tU=\t_\t2\texpl\t_\t_\n2\tvar\t_\tV\tVA\ttense=past\t0\tROOT\t_\t_\n\n", encoding="utf-8"
    )
    (sentence,) = tw.read(path)
    assert (sentence.layout, sentence.upos, sentence.xpos) == (CONLLX, ["U", "V"], ["U=", "VA"])
    assert sentence.column("PHEAD") == sentence.deps == ["_", "_"]
    with pytest.raises(InputError, match="no column DEPS to write to"):
        sentence.deps = ["_", "_"]
    path.write_text("# sent_id = 1\n" + CATS, encoding="utf-8")  # comments are CoNLL-U's
    assert next(tw.read(path)).layout.format == "conllu"


def test_blind_conllx_has_fewer_columns() -> None:
    (sentence,) = read_text("1\tDer\t_\tU\tU=\t_\n2\tvar\t_\tV\tVA\t_\n\n", format="conllx")
    assert sentence.heads.tolist() == [-1, -1]
    with pytest.raises(InputError, match="no column HEAD to write to, only ID FORM LEMMA CPOSTAG POSTAG FEATS"):
        sentence.heads = [2, 0]
    full = to_layout(sentence, CONLLX)
    full.heads = [2, 0]
    assert written([full]) == b"1\tDer\t_\tU\tU=\t_\t2\t_\t_\t_\n2\tvar\t_\tV\tVA\t_\t0\t_\t_\t_\n\n"


def test_formats_convert() -> None:
    text = (
        "# sent_id = 1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tde\tde\tADP\tP\t_\t2\tcase\t2:case\tX=1\n2\tle\t_\tDET\t_\t_\t0\troot\t_\t_\n\n"
    )
    (sentence,) = read_text(text)
    sentence.upos[1] = "PRON"
    file = io.BytesIO()
    tw.write([sentence], file, "conllx")
    assert file.getvalue() == b"1\tde\tde\tADP\tP\t_\t2\tcase\t_\t_\n2\tle\t_\tPRON\t_\t_\t0\troot\t_\t_\n\n"
    (old,) = read_text(file.getvalue(), format="conllx")
    with pytest.raises(
        InputError, match=r"<file>:1: its columns are ID FORM .* PHEAD PDEPREL; those before it have ID"
    ):
        written([sentence, old])
    back = io.BytesIO()
    tw.write([sentence, old], back, "conllu")
    assert back.getvalue().decode() == text.replace("DET", "PRON") + file.getvalue().decode()
    (plus,) = read_text("# global.columns = FORM HEAD\n# c\ndogs\t2\nbark\t0\n\n")
    back = io.BytesIO()
    tw.write([plus], back, "conllu")
    assert back.getvalue() == b"# c\n1\tdogs\t_\t_\t_\t_\t2\t_\t_\t_\n2\tbark\t_\t_\t_\t_\t0\t_\t_\t_\n\n"


def test_a_long_sentence_is_no_trouble() -> None:
    words = 20_000
    text = "".join(f"{word}\tw\t_\t_\t_\t_\t{word - 1}\t_\t_\t_\n" for word in range(1, words + 1)) + "\n"
    (sentence,) = read_text(text, check="single-root")
    assert len(sentence) == words
    sentence.heads[-1] = 0
    assert written([sentence]).decode() == text.replace(f"\t{words - 1}\t_\t_\t_\n\n", "\t0\t_\t_\t_\n\n")


@pytest.mark.slow
def test_real_files_come_back(data: Path) -> None:
    paths = sorted(path for path in data.rglob("*") if path.suffix in (".conllu", ".conll", ".conllx"))
    assert paths
    for path in paths:
        assert written(tw.read(path)) == path.read_bytes(), path
        assert written(map(look_at_everything, tw.read(path))) == path.read_bytes(), path

"""The inputs of a pipeline as a stream of sentences: raw text, one sentence a line, CoNLL-U, JSON lines.

Raw text of every kind becomes a stream of passages, and `tokenise` splits those that arrive together at once.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, pairwise
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from treewright.checks import describe_value
from treewright.corpus import Reader, Sentence, open_input, read
from treewright.corpus.files import extension_of, name_of
from treewright.corpus.reader import Lines, Problems, check_utf8, shown
from treewright.errors import FormatError, InputError
from treewright.tokeniser import Tokeniser

if TYPE_CHECKING:
    from treewright.tokeniser.markup import PlainText

MARKUP = ("html", "markdown")  # treewright.tokeniser.markup reads them
INPUTS = ("text", "paragraphs", "lines", *MARKUP, "conllu", "json")
BY_EXTENSION = {
    **dict.fromkeys([".txt", ".text"], "text"),
    **dict.fromkeys([".md", ".markdown"], "markdown"),
    **dict.fromkeys([".html", ".htm", ".xhtml"], "html"),
    **dict.fromkeys([".conllu", ".conllup", ".conll", ".conllx"], "conllu"),
    **dict.fromkeys([".json", ".jsonl", ".ndjson"], "json"),
}
NEWDOC = "# newdoc"  # the comment of the first sentence of a text
BLOCK = 1 << 12  # minimum of characters of a passage of running text, up to the next blank line; not tuned
MAX_BLOCK = 1 << 20  # characters without a blank line that are one passage; not tuned, it bounds memory
# Limits of passages that are tokenised together. 64 texts at a time take up to 1.6 times as long as one long text, with
# these up to 1.1 times (benchmarks/speed/short_texts.py).
MAX_TEXTS, MAX_TEXT_SIZE = 512, 1 << 15
# Each form of a blank line, however lines end.
_BREAK = "(?:\r\n|\r(?!\n)|[\n\x85\u2028])"  # CR and LF in a row are one line break, not two
BLANK = re.compile(f"{_BREAK}[^\\S\n\r\x85\u2028\u2029]*{_BREAK}|\u2029")
LINE_END = re.compile("\r\n|[\n\r]")
JSON_LINE_END = re.compile("\n")
WORD_LINE = re.compile(r"(?:#[^\n]*\n|[ \t\r]*\n)*\d+(?:-\d+)?\t[^\t\n]+\t")
EXPECTED = 'expected a text in quotes, {"text": "..."} or {"words": [...]}'


def guess_input(source: str | IO[Any]) -> str:
    """Guess the kind of an input by its extension or else by its first bytes. An open file keeps its position.

    >>> import io
    >>> guess_input(io.BufferedReader(io.BytesIO(b"# sent_id = 1\\n1\\tRun\\trun\\tVERB")))
    'conllu'
    >>> guess_input(io.BufferedReader(io.BytesIO(b"1. Run!"))), guess_input("letter.txt.gz")
    ('text', 'text')
    """
    known = BY_EXTENSION.get(extension_of(name_of(source)))
    if known:
        return known
    if isinstance(source, str):
        with open_input(source) as file:
            return guess_input(file)
    return guess_content(source.peek(1 << 16))  # type: ignore[attr-defined]


def guess_content(data: bytes) -> str:
    """Guess the kind of an input by its first bytes."""
    opening = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if WORD_LINE.match(opening):
        return "conllu"
    first = opening.lstrip().partition("\n")[0]
    if re.match(r'\{\s*"|"', first):
        with suppress(ValueError, RecursionError):
            json.loads(first)
            return "json"
    return "text"


def read_input(
    source: str | IO[Any], kind: str | None = None, tokeniser: Tokeniser | None = None, *, on_error: str = "raise"
) -> Reader[Sentence]:
    """Stream the sentences of a file: a path, an open file, or "-" for standard input.

    kind: "text" (blank lines separate paragraphs), "paragraphs" (each line is one), "lines" (each line is a sentence;
    blank lines are skipped), "html" or "markdown" (blocks are paragraphs, code and scripts are left out, and the places
    of words are those in the document), "conllu" (and its relatives) or "json" (a line each: a text,
    {"text": ..., "id": ...}, or what `Sentence.to_dict` returns); detected if None. tokeniser splits raw text, by rules
    if None. on_error is that of `treewright.read`.

    >>> import io
    >>> [sentence.forms for sentence in read_input(io.StringIO("It rains. It pours.\\nI stay."), "lines")]
    [['It', 'rains', '.', 'It', 'pours', '.'], ['I', 'stay', '.']]
    """
    if kind is not None and kind not in INPUTS:
        raise InputError(f"there is no kind of input {kind!r}; there are {', '.join(INPUTS)}")
    if tokeniser is not None and not isinstance(tokeniser, Tokeniser):
        raise TypeError(f"tokeniser is {describe_value(tokeniser)}; expected a Tokeniser (nlp.tokeniser of a pipeline)")
    if kind is None:
        source = open_input("-") if source == "-" else source
        source = io.BufferedReader(source) if isinstance(source, io.BytesIO) else source
        kind = guess_input(source)
    if kind == "conllu":
        return read(source, on_error=on_error)
    problems, lines = Problems(on_error), Lines(source)
    items: Iterator[Item]
    markup = None
    if kind in MARKUP:
        from treewright.tokeniser.markup import READERS  # imported on use: most input is plain text

        markup = READERS[kind]("".join(check_encoding(lines)))
        items = text_passages([markup.text])
    elif kind == "text":
        items = text_passages(check_encoding(lines))
    elif kind == "json":
        items = json_items(rows_of(lines, JSON_LINE_END), lines.name)
    else:
        items = rows_of(lines, LINE_END)
    sentences = tokenise(
        items, tokeniser or Tokeniser(), problems, source=lines.name, whole=kind == "lines", markup=markup
    )
    return Reader(lines, sentences, problems)


class Passage(NamedTuple):
    """A part of an input that is tokenised as if it were alone."""

    text: str
    begin: int = 0  # the place of its first character in its text
    line: int = 0  # of the file; 0 in running text
    name: Any = None  # the id of its text


# What a file holds, in order: passages, sentences that are split into words, and errors. None: the next item may have
# to be waited for, so that those before it are worked on.
Item = Passage | Sentence | FormatError | None


def tokenise(
    items: Iterable[Item],
    tokeniser: Tokeniser,
    problems: Problems,
    *,
    source: str = "<text>",
    whole: bool = False,
    markup: PlainText | None = None,
) -> Iterator[Sentence]:
    """Split passages into sentences, numbered in order; errors are reported after the sentences before them.

    whole: a passage is one sentence. markup: the document that the passages are the text of. Up to MAX_TEXTS passages
    or MAX_TEXT_SIZE characters are split at once.
    """
    number = first = 1
    passages: list[Passage] = []
    size = 0
    for item in chain(items, [None]):
        if isinstance(item, Passage):
            passages.append(item)
            size += len(item.text)
            if len(passages) < MAX_TEXTS and size < MAX_TEXT_SIZE:
                continue
        texts, begins = [passage.text for passage in passages], [passage.begin for passage in passages]
        batch = tokeniser.batch(texts, begins=begins, number=number, whole=whole, source=markup) if texts else []
        for passage, sentences in zip(passages, batch, strict=True):
            first = number if passage.begin == 0 else first  # of its text
            for sentence in sentences:
                if passage.line:
                    sentence.source, sentence.line = source, passage.line
                if passage.name is not None:
                    sentence.sent_id = f"{passage.name}-{number - first + 1}"
                    sentence.comments = [
                        f"{NEWDOC} id = {passage.name}" if line == NEWDOC else line for line in sentence.comments
                    ]
                number += 1
                yield sentence
        passages, size = [], 0
        if isinstance(item, Sentence):
            number += 1
            yield item
        elif isinstance(item, FormatError):
            problems.report(item)


def tokenise_text(text: str, tokeniser: Tokeniser) -> Iterator[Sentence]:
    """Split a text into sentences."""
    return tokenise(text_passages([text]), tokeniser, Problems("raise"))


# -- running text


def check_encoding(lines: Lines) -> Iterator[str]:
    """Read pieces of text that end with line breaks; the first byte that is not UTF-8 is an error."""
    line = 1
    for piece in lines:
        if lines.suspect:
            check_utf8(piece, lines.name, line)
        yield piece.removeprefix("\ufeff") if line == 1 else piece
        line += piece.count("\n")


def text_passages(pieces: Iterable[str]) -> Iterator[Passage | None]:
    """Divide a text into passages that end at blank lines and are long enough, however it came."""
    held, begin = "", 0
    for piece in pieces:
        place = max(BLOCK, len(held.rstrip()))  # there is no blank line before it
        held += piece
        first = 0
        while end := passage_end(held, first, place):
            yield Passage(held[first:end], begin + first)
            first, place = end, end + BLOCK
        held, begin = held[first:], begin + first
        yield None
    if held:
        yield Passage(held, begin)


def passage_end(text: str, begin: int, place: int) -> int:
    """Find the end of the first blank line from `place` on, or of the line after MAX_BLOCK characters; 0 for none.

    >>> passage_end("One.\\n\\nTwo", 0, 0), passage_end("a" * MAX_BLOCK + "\\nb", 0, BLOCK) - MAX_BLOCK
    (6, 1)
    """
    limit = begin + MAX_BLOCK
    blank = BLANK.search(text, place)
    is_whole = blank and not (blank[0].endswith("\r") and blank.end() == len(text))  # LF may follow
    if blank and is_whole and blank.start() <= limit:
        return blank.end()
    return text.find("\n", limit) + 1


# -- lines


def rows_of(lines: Lines, ends: re.Pattern[str]) -> Iterator[Passage | FormatError | None]:
    """Read a file as passages of one line each, with its line break; a line that is not UTF-8 is an error."""
    number, begin = 1, 0
    for piece in lines:
        text = piece if begin else piece.removeprefix("\ufeff")
        bounds = [0, *(match.end() for match in ends.finditer(text))]
        for first, last in pairwise([*bounds, len(text)] if bounds[-1] < len(text) else bounds):
            row = Passage(text[first:last], begin + first, number)
            yield encoding_error(row, lines) or row
            number += 1
        begin += len(text)
        yield None


def encoding_error(row: Passage, lines: Lines) -> FormatError | None:
    """Return the error for a line that is not UTF-8."""
    try:
        if lines.suspect:
            check_utf8(row.text, lines.name, row.line)
    except FormatError as error:
        return error
    return None


def text_lines(source: str | IO[Any]) -> Iterator[str]:
    """Read the lines of a text; the first byte that is not UTF-8 is an error."""
    for row in rows_of(Lines(source), LINE_END):
        if isinstance(row, FormatError):
            raise row
        if row is not None:
            yield row.text


# -- JSON


def json_items(rows: Iterable[Passage | FormatError | None], source: str) -> Iterator[Item]:
    """Read the JSON value of each row: a text or a sentence. Blank rows are skipped."""
    for row in rows:
        if not isinstance(row, Passage):
            yield row
        elif row.text.strip():
            try:
                yield from json_value(row, source)
            except FormatError as error:
                yield error


def json_value(row: Passage, source: str) -> Iterator[Passage | Sentence]:
    """Read one JSON value."""
    try:
        value = json.loads(row.text)
    except (ValueError, RecursionError) as error:
        problem = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise FormatError(source, row.line, f"{shown(row.text.strip())} is no JSON ({problem}); {EXPECTED}") from None
    value = {"text": value} if isinstance(value, str) else value
    if isinstance(value, dict) and "words" in value:
        try:
            sentence = Sentence.from_dict(value)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FormatError(source, row.line, f"{error}; expected words as `--to json` writes them") from None
        sentence.source, sentence.line = source, row.line
        yield sentence
    elif isinstance(value, dict) and isinstance(value.get("text"), str):
        for passage in text_passages([value["text"]]):
            if passage is not None:
                yield passage._replace(line=row.line, name=value.get("id"))
    else:
        raise FormatError(source, row.line, f"{shown(row.text.strip())} has neither text nor words; {EXPECTED}")

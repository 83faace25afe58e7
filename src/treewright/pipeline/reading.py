"""The inputs of a pipeline as a stream of sentences: raw text, one sentence a line, CoNLL-U, JSON lines."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, NamedTuple

from treewright.calls import explained
from treewright.checks import check
from treewright.corpus import Reader, Sentence, open_input, read
from treewright.corpus.files import extension_of, name_of
from treewright.corpus.reader import Lines, Problems, check_utf8, shown
from treewright.errors import FormatError, InputError
from treewright.tokeniser import Tokeniser

INPUTS = ("text", "paragraphs", "lines", "conllu", "json")
BY_EXTENSION = {
    **dict.fromkeys([".txt", ".text", ".md"], "text"),
    **dict.fromkeys([".conllu", ".conllup", ".conll", ".conllx"], "conllu"),
    **dict.fromkeys([".json", ".jsonl", ".ndjson"], "json"),
}
BLOCK = 1 << 12  # minimum of characters that are tokenised together, up to the next blank line; by convention
# Limits of short texts or lines that are tokenised together. 64 texts at a time take up to 1.6 times as long as one
# long text, with these up to 1.1 times (benchmarks/short_texts.py).
MAX_TEXTS, MAX_TEXT_SIZE = 512, 1 << 14
MAX_BLOCK = 1 << 20  # characters without a blank line that are tokenised together; by convention, it bounds memory
# Each form of a blank line, however lines end.
_BREAK = "(?:\r\n|\r(?!\n)|[\n\x85\u2028])"  # CR and LF in a row are one line break, not two
BLANK = re.compile(f"{_BREAK}[^\\S\n\r\x85\u2028\u2029]*{_BREAK}|\u2029")
LINE_END = re.compile("\r\n|[\n\r]")
JSON_LINE_END = re.compile("\n")
WORD_LINE = re.compile(r"(?:#[^\n]*\n|[ \t\r]*\n)*\d+(?:-\d+)?\t[^\t\n]+\t")
EXPECTED = 'expected a text in quotes, {"text": "..."} or {"words": [...]}'


@explained
def guess_input(source: str | IO[Any]) -> str:
    """The kind of an input, by its extension or else by its first bytes. An open file keeps its position.

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
    data: bytes = source.peek(1 << 16)  # type: ignore[attr-defined]
    opening = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if WORD_LINE.match(opening):
        return "conllu"
    first = opening.lstrip().partition("\n")[0]
    return "json" if re.match(r'\{\s*"|"', first) and _is_json(first) else "text"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@explained
def read_input(
    source: str | IO[Any], kind: str | None = None, tokeniser: Tokeniser | None = None, *, on_error: str = "raise"
) -> Reader[Sentence]:
    """Stream the sentences of a file: a path, an open file, or "-" for standard input.

    kind: "text" (blank lines separate paragraphs), "paragraphs" (each line is one), "lines" (each line is a sentence;
    blank lines are skipped), "conllu" (and its relatives) or "json" (a line each: a text, {"text": ..., "id": ...}, or
    what `Sentence.to_dict` returns); detected if None. tokeniser splits raw text, by rules if None. on_error is that of
    `treewright.read`.

    >>> import io
    >>> [sentence.forms for sentence in read_input(io.StringIO("It rains. It pours.\\nI stay."), "lines")]
    [['It', 'rains', '.', 'It', 'pours', '.'], ['I', 'stay', '.']]
    """
    check(tokeniser, Tokeniser | None, "tokeniser")
    if kind is not None and kind not in INPUTS:
        raise InputError(f"there is no kind of input {kind!r}; there are {', '.join(INPUTS)}")
    if kind is None:
        source = open_input("-") if source == "-" else source
        source = io.BufferedReader(source) if isinstance(source, io.BytesIO) else source
        kind = guess_input(source)
    if kind == "conllu":
        return read(source, on_error=on_error)
    problems, lines = Problems(on_error), Lines(source)
    cut = tokeniser or Tokeniser()
    if kind == "text":
        return Reader(lines, text_sentences(checked(lines), cut), problems)
    if kind == "json":
        return Reader(lines, json_sentences(lines, cut, problems), problems)
    return Reader(lines, line_sentences(lines, cut, problems, whole=kind == "lines"), problems)


def checked(lines: Lines) -> Iterator[str]:
    """Pieces of text that end with line breaks; the first byte that is not UTF-8 is named."""
    line = 1
    for piece in lines:
        if lines.suspect:
            check_utf8(piece, lines.name, line)
        yield piece.removeprefix("\ufeff") if line == 1 else piece
        line += piece.count("\n")


class Row(NamedTuple):
    """A line of a file."""

    number: int
    begin: int  # the place of its first character in the file
    text: str  # with its line break


def row_batches(lines: Lines, ends: re.Pattern[str], problems: Problems) -> Iterator[list[Row]]:
    """The lines of a file that have been read together, in lists of MAX_TEXTS lines or MAX_TEXT_SIZE characters.

    A line that is not UTF-8 is a problem, which is reported after the lines before it.
    """
    number, begin = 1, 0
    for piece in lines:
        batch: list[Row] = []
        size = 0
        for line in lines_of(piece if begin else piece.removeprefix("\ufeff"), ends):
            row = Row(number, begin, line)
            number, begin, size = number + 1, begin + len(line), size + len(line)
            error = encoding_error(row, lines)
            if error is None:
                batch.append(row)
            if batch and (error is not None or len(batch) == MAX_TEXTS or size >= MAX_TEXT_SIZE):
                yield batch
                batch, size = [], 0
            if error is not None:
                problems.report(error)
        if batch:
            yield batch


def encoding_error(row: Row, lines: Lines) -> FormatError | None:
    """The error for a line that is not UTF-8."""
    try:
        if lines.suspect:
            check_utf8(row.text, lines.name, row.number)
    except FormatError as error:
        return error
    return None


def lines_of(piece: str, ends: re.Pattern[str]) -> Iterator[str]:
    """The lines of a text with their line breaks."""
    begin = 0
    for match in ends.finditer(piece):
        yield piece[begin : match.end()]
        begin = match.end()
    if begin < len(piece):
        yield piece[begin:]


def text_lines(source: str | IO[Any]) -> Iterator[str]:
    """The lines of a text; the first byte that is not UTF-8 is named."""
    return (row.text for rows in row_batches(Lines(source), LINE_END, Problems("raise")) for row in rows)


def blocks(pieces: Iterable[str]) -> Iterator[str]:
    """The same text in pieces that end at blank lines and are long enough, however it came."""
    held = ""
    for piece in pieces:
        place = max(BLOCK, len(held.rstrip()))  # there is no blank line before it
        held += piece
        begin = 0
        while end := block_end(held, begin, place):
            yield held[begin:end]
            begin, place = end, end + BLOCK
        held = held[begin:]
    if held:
        yield held


def block_end(text: str, begin: int, place: int) -> int:
    """The end of the first blank line from `place` on, or of the line after MAX_BLOCK characters; 0 if there is none.

    >>> block_end("a" * BLOCK + "\\n\\nb", 0, BLOCK) - BLOCK, block_end("a" * MAX_BLOCK + "\\nb", 0, BLOCK) - MAX_BLOCK
    (2, 1)
    """
    limit = begin + MAX_BLOCK
    found = BLANK.search(text, place)
    is_whole = found and not (found[0].endswith("\r") and found.end() == len(text))  # LF may follow
    if found and is_whole and found.start() <= limit:
        return found.end()
    return text.find("\n", limit) + 1


def text_sentences(pieces: Iterable[str], tokeniser: Tokeniser, number: int = 1) -> Iterator[Sentence]:
    """The sentences of raw text, numbered from `number`, with their places in all of it."""
    begin = 0
    for block in blocks(pieces):
        found = tokeniser(block, begin=begin, number=number)
        yield from found
        begin += len(block)
        number += len(found)


def line_sentences(lines: Lines, tokeniser: Tokeniser, problems: Problems, whole: bool) -> Iterator[Sentence]:
    """The sentences of each line, with the number of that line; whole: a line is one sentence."""
    number = 1
    for rows in row_batches(lines, LINE_END, problems):
        texts, begins = [row.text for row in rows], [row.begin for row in rows]
        found = tokeniser.batch(texts, begins=begins, number=number, whole=whole)
        for row, sentences in zip(rows, found, strict=True):
            for sentence in sentences:
                sentence.source, sentence.line = lines.name, row.number
                yield sentence
                number += 1


def json_sentences(lines: Lines, tokeniser: Tokeniser, problems: Problems) -> Iterator[Sentence]:
    """The sentences of each JSON value, one value a line."""
    number = 1
    for group in json_groups(lines, problems):
        for sentence in sentences_of_group(group, tokeniser, number):
            yield sentence
            number += 1


class GivenText(NamedTuple):
    """A text of a JSON file, and its id."""

    text: str
    name: Any

    def is_block(self) -> bool:
        """Whether the text is tokenised in one piece."""
        return len(self.text) <= BLOCK


def json_groups(lines: Lines, problems: Problems) -> Iterator[list[GivenText | Sentence]]:
    """The values of a JSON file: short texts together, others one by one. An error comes after the values before it."""
    for rows in row_batches(lines, JSON_LINE_END, problems):
        group: list[GivenText | Sentence] = []
        for row in (row for row in rows if row.text.strip()):
            try:
                value = json_value(row.text, lines.name, row.number)
            except FormatError as error:
                if group:
                    yield group
                    group = []
                problems.report(error)
                continue
            if group and not (is_short(value) and is_short(group[-1])):
                yield group
                group = []
            group.append(value)
        if group:
            yield group


def is_short(value: GivenText | Sentence) -> bool:
    return isinstance(value, GivenText) and value.is_block()


def json_value(line: str, source: str, row: int) -> GivenText | Sentence:
    """The text or the sentence of one JSON value."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        problem = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise FormatError(source, row, f"{shown(line.strip())} is no JSON ({problem}); {EXPECTED}") from None
    given = {"text": value} if isinstance(value, str) else value
    if isinstance(given, dict) and "words" in given:
        try:
            sentence = Sentence.from_dict(given)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FormatError(source, row, f"{error}; expected words as `--to json` writes them") from None
        sentence.source, sentence.line = source, row
        return sentence
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise FormatError(source, row, f"{shown(line.strip())} has neither text nor words; {EXPECTED}")
    return GivenText(given["text"], given.get("id"))


def sentences_of_group(group: Sequence[GivenText | Sentence], tokeniser: Tokeniser, number: int) -> Iterable[Sentence]:
    """The sentences of the values of a group, numbered from `number`."""
    first = group[0]
    if isinstance(first, Sentence):
        return [first]
    if not first.is_block():
        return named(first.name, text_sentences([first.text], tokeniser, number))
    texts = [value for value in group if isinstance(value, GivenText)]
    found = tokeniser.batch([given.text for given in texts], begins=[0] * len(texts), number=number)
    return (
        sentence for given, sentences in zip(texts, found, strict=True) for sentence in named(given.name, sentences)
    )


def named(name: Any, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Sentences with the id of their text in their sent_id, if it has one."""
    for place, sentence in enumerate(sentences, start=1):
        if name is not None:
            sentence.sent_id = f"{name}-{place}"
        yield sentence

"""A text as it is written and as the models see it: canonical white space and spelling, with a map between the two.

White space is one blank, one line break, or two line breaks where a blank line is. A line break that wraps a
paragraph is a blank: the next word would not have fitted into the width of the paragraph. The others are kept, as
evidence for the end of a sentence, and end one between the items of a list without marks. The marks of quoted lines
in e-mails are left out, and the hyphens of words that are divided at the ends of lines. Invisible characters are left
out; letters are composed and marks are ASCII (treewright.corpus.typography). Each paragraph is followed by two line
breaks, the last one too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.corpus.typography import INVISIBLE, TABLE
from treewright.errors import InputError
from treewright.tokeniser.characters import SPACE, classes_of, codes_of

INSIDE, TOKEN, SENTENCE = 0, 1, 2  # labels: the character ends nothing, a token, or a token and a sentence
PARAGRAPH = "\n\n"  # after each paragraph of a canonical text
MIN_WIDTH = 40  # columns, not tuned: a paragraph whose lines are all shorter is a list or a verse, and not wrapped
MIN_ITEMS = 2  # lines that begin with the mark of an item, and half of the lines: such a paragraph is a list
MIN_QUOTED = 2  # lines of a text that begin with ">": such a text is an e-mail, and the marks are no words
MIN_PLAIN_ITEMS = 3  # lines of a list whose items have no marks; not tuned
MIN_SHORT_SHARE = 2 / 3  # of the lines of such a list: "most"; not tuned
BATCH_SIZE = 1 << 15  # minimum of characters that are decoded together, not tuned: it bounds memory

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_NOT_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_SPACES = re.compile(r" ?[^\S ]\s*|  \s*")  # white space other than one blank
_BREAK = re.compile("\r\n|[\n\r\x85\u2028]")
_QUOTED = re.compile(r"^(?:>[ \t]?)+", re.MULTILINE)
_QUOTED_NEXT = re.compile(r"^>.*\n(?=[^\n])|[^\n]\n>", re.MULTILINE)
_LINE_FEED = re.compile("\n")
# At most five words and forty characters without punctuation at the end or the mark of an item at the start.
_SHORT_LINE = re.compile(r"(?=.{1,40}$)(?![-*+•‣◦▪·(\[]|\w{1,3}[.)] )\S+(?: \S+){0,4}(?<![.!?,;:…])")
_DIVIDED = re.compile(r"(?<![^\W\d_])([^\W\d_]+)-\n(?=([^\W\d_]+))")  # from the first letter on: time is linear
_WHOLE = re.compile(r"(?<!-\n)\b[^\W\d_]+\b(?!-\n)")
_SINGLE = {code: mark for code, mark in TABLE.items() if len(mark) == 1}
_LONG = {chr(code): mark for code, mark in TABLE.items() if len(mark) > 1}
_LONG_MARK = re.compile(f"[{''.join(_LONG)}]")
_ITEM_MARK = r"(?:[-*+•‣◦▪·]|\d{1,3}[.)]|[a-z]\)|\((?:\d{1,3}|[a-z])\)|\[\d[\d:. -]*\])"
ITEM = re.compile(rf"^{_ITEM_MARK}(?= \S)", re.MULTILINE)  # the mark of a list item at the start of a line

Labels = NDArray[np.int32]
Places = NDArray[np.int64]
Edit = tuple[int, int, str]  # begin and end of a part of the text, and what replaces it


@dataclass(frozen=True)
class Text:
    """A text, or several texts one after another, as written and in canonical form.

    `ends` has for each canonical character the end of the part of the written text that it stands for.

    >>> text = Text.of("He’s  here…\\r\\n\\r\\nBye")
    >>> text.canonical, text.ends.tolist()[-5:]
    ("He's here...\\n\\nBye\\n\\n", [16, 17, 18, 18, 18])
    """

    written: str
    canonical: str
    ends: Places
    part_begins: Places  # where each of the texts begins and ends in `written`
    part_ends: Places
    has_divisions: bool = False  # whether words are divided at the ends of lines

    @classmethod
    def of(cls, *parts: str, is_word: Callable[[str], bool] = lambda form: False) -> Text:
        """Join texts by blank lines, and bring them into canonical form.

        is_word: whether a form in lower case is a word; it decides which hyphens at the ends of lines are left out.
        """
        for part in parts:
            check_characters(part)
        written = PARAGRAPH.join(parts)
        lengths = np.array([len(part) for part in parts], dtype=np.int64)
        part_ends = np.cumsum(lengths + len(PARAGRAPH)) - len(PARAGRAPH)
        text = cls(written, written, np.arange(1, len(written) + 1), part_ends - lengths, part_ends)
        text = text._edit(iter(text.quotation()))
        if not written.isascii():
            text = text._edit((*match.span(), "") for match in _INVISIBLE.finditer(text.canonical))
            if not unicodedata.is_normalized("NFC", text.canonical):
                text = text._edit(compositions(text.canonical))
            text = replace(text, canonical=text.canonical.translate(_SINGLE))
        text = text._edit(spaces(text.canonical))
        divisions = list(line_divisions(text.canonical, is_word))
        text = replace(text, canonical=PARAGRAPH.join(map(unwrap, text.canonical.split(PARAGRAPH))))
        text = replace(text._edit(iter(divisions)), has_divisions=bool(divisions))
        text = text._edit(item_breaks(text.canonical))
        if not written.isascii():
            marks = _LONG_MARK.finditer(text.canonical)
            text = text._edit((*match.span(), _LONG[match[0]]) for match in marks)
        return text

    def quotation(self) -> list[Edit]:
        """Find the marks of quoted lines in e-mails, to leave them out; a change of their depth ends a paragraph."""
        if ">" not in self.written:
            return []
        parts = zip(self.part_begins.tolist(), self.part_ends.tolist(), strict=True)
        return [edit for begin, end in parts for edit in quotation_marks(self.written, begin, end)]

    def _edit(self, edits: Iterator[Edit]) -> Text:
        """Replace some parts of the canonical text."""
        pieces: list[str] = []
        ends: list[Places] = []
        at = 0
        for begin, end, new in edits:
            pieces += [self.canonical[at:begin], new]
            ends += [self.ends[at:begin], np.full(len(new), self.ends[end - 1])]
            at = end
        if at == 0:
            return self
        canonical = "".join([*pieces, self.canonical[at:]])
        return replace(self, canonical=canonical, ends=np.concatenate([*ends, self.ends[at:]]))

    def canonical_labels(self, labels: Labels) -> Labels:
        """Map labels of written characters to canonical ones: the last one before the label has it.

        >>> Text.of("a\u00ad b…").canonical_labels(np.array([0, 1, 0, 1, 2], dtype=np.int32)).tolist()
        [1, 0, 1, 0, 0, 2, 0, 0]
        """
        mapped = np.zeros(len(self.canonical), dtype=np.int32)
        labelled = np.flatnonzero(labels)
        places = np.searchsorted(self.ends[: -len(PARAGRAPH)], labelled + 1, side="right") - 1
        is_kept = np.array([at >= 0 and not self.canonical[at].isspace() for at in places.tolist()], dtype=np.bool_)
        np.maximum.at(mapped, places[is_kept], labels[labelled[is_kept]])
        return mapped

    def written_labels(self, labels: Labels) -> Labels:
        """Map labels of canonical characters to written ones."""
        mapped = np.zeros(len(self.written), dtype=np.int32)
        labelled = np.flatnonzero(labels)
        np.maximum.at(mapped, self.ends[labelled] - 1, labels[labelled])
        return mapped

    def token_begins(self, ends: Places) -> Places:
        """Find where the tokens of the written text begin that end before `ends`."""
        solid = classes_of(self.written) != SPACE
        if not self.written.isascii():
            solid &= ~np.isin(codes_of(self.written), [ord(character) for character in INVISIBLE])
        for begin, end, _ in self.quotation():
            solid[begin:end] = False
        return token_begins(np.flatnonzero(solid), ends)


def token_begins(solid: Places, ends: Places) -> Places:
    """Find where tokens begin: at the first place of `solid`, which are no white space, after the previous end."""
    return solid[np.searchsorted(solid, np.append(0, ends[:-1]))] if len(ends) else ends


def batches_of(canonical: str) -> Iterator[list[str]]:
    """Divide a canonical text into batches of pieces, each of at least BATCH_SIZE characters but for the last one.

    >>> list(batches_of("One.\\n\\nTwo three.\\n\\n"))
    [['One.\\n\\n', 'Two three.\\n\\n']]
    """
    batch: list[str] = []
    size = 0
    for piece in pieces_of(canonical):
        batch.append(piece)
        size += len(piece.removesuffix(PARAGRAPH))
        if size >= BATCH_SIZE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def pieces_of(canonical: str) -> Iterator[str]:
    """Divide a canonical text into paragraphs, and cut long ones after line breaks or blanks."""
    for paragraph in canonical.split(PARAGRAPH)[:-1]:
        begin = 0
        while len(paragraph) - begin > BATCH_SIZE:
            limits = begin + BATCH_SIZE, begin + 2 * BATCH_SIZE
            places = (paragraph.find(mark, *limits) for mark in "\n ")
            end = next((place for place in places if place >= 0), limits[1]) + 1
            if end >= len(paragraph):
                break
            yield paragraph[begin:end]
            begin = end
        yield paragraph[begin:] + PARAGRAPH


def check_characters(text: str) -> None:
    """Refuse lone surrogates, which are no characters."""
    bad = None if text.isascii() else _SURROGATE.search(text)
    if bad:
        raise InputError(
            f"character {bad.start() + 1} of the text is the lone surrogate U+{ord(bad[0]):04X}, which no file can "
            'hold; decode the text again, or replace it: text.encode("utf-8", "replace").decode()'
        )


def compositions(text: str) -> Iterator[Edit]:
    """Find letters with combining marks to compose.

    >>> list(compositions("cafe\\u0301s")) == [(3, 5, "é")]
    True
    """
    for run in _NOT_ASCII.finditer(text):
        if unicodedata.is_normalized("NFC", run[0]):
            continue
        begin = run.start()
        for place in range(begin + 1, run.end() + 1):
            if place < run.end() and unicodedata.combining(text[place]):
                continue
            composed = unicodedata.normalize("NFC", text[begin:place])
            following = text[place : min(place + 1, run.end())]
            if following and unicodedata.normalize("NFC", composed + following) != composed + following:
                continue  # such as the parts of a Korean syllable
            if composed != text[begin:place]:
                yield begin, place, composed
            begin = place


def quotation_marks(text: str, begin: int, end: int) -> list[Edit]:
    """Find the marks of quoted lines in text[begin:end], if there are several and one of them is next to another line.

    >>> quotation_marks("> a\\n> b\\nc", 0, 9)
    [(0, 2, ''), (4, 6, ''), (8, 8, '\\n')]
    """
    marks = {match.start(): match.end() for match in _QUOTED.finditer(text, begin, end)}
    if len(marks) < MIN_QUOTED or not _QUOTED_NEXT.search(text, begin, end):
        return []
    edits: list[Edit] = []
    last_depth = None
    for start in [begin, *(match.end() for match in _LINE_FEED.finditer(text, begin, end))]:
        stop = marks.get(start, start)
        depth = text.count(">", start, stop)
        is_changed = last_depth not in (None, depth)
        if stop > start or is_changed:
            edits.append((start, stop, "\n" * is_changed))
        last_depth = depth
    return edits


def line_divisions(canonical: str, is_word: Callable[[str], bool]) -> Iterator[Edit]:
    """Find hyphens with line breaks that divide a word, to leave them out; not those of compounds: well-known.

    A word is divided if the text has it elsewhere, or if what follows the line break is no word of its own.

    >>> list(line_divisions("a develop-\\nment of a well-\\nknown kind", {"known"}.__contains__))
    [(9, 11, '')]
    """
    elsewhere: set[str] = set()
    for match in _DIVIDED.finditer(canonical):
        elsewhere = elsewhere or set(_WHOLE.findall(canonical.lower()))
        first, second = match[1].lower(), match[2]
        whole = first + second
        is_divided = whole in elsewhere or is_word(whole) or not (second in elsewhere or is_word(second))
        if second.islower() and is_divided:
            yield match.end(1), match.end(), ""


def item_breaks(canonical: str) -> Iterator[Edit]:
    """Find line breaks between items of lists without marks, to end paragraphs there.

    Such a list is a paragraph of several lines, of which most are short and do not end with punctuation; a line that
    ends with a colon may precede them.

    >>> list(item_breaks("milk\\neggs\\nbrown bread\\n\\n"))
    [(4, 5, '\\n\\n'), (9, 10, '\\n\\n')]
    """
    begin = 0
    for paragraph in canonical.split(PARAGRAPH):
        lines = paragraph.split("\n")
        short = [_SHORT_LINE.fullmatch(line) is not None for line in lines]
        at = begin
        if len(lines) >= MIN_PLAIN_ITEMS and sum(short) >= MIN_SHORT_SHARE * len(lines):
            for line, (is_short, is_next_short) in zip(lines, pairwise(short), strict=False):
                at += len(line)
                if is_next_short and (is_short or line.endswith(":")):
                    yield at, at + 1, PARAGRAPH
                at += 1
        begin += len(paragraph) + len(PARAGRAPH)


def spaces(text: str) -> Iterator[Edit]:
    """Find runs of white space; there is none at the start of the text, and PARAGRAPH at its end."""
    inner = slice(len(text) - len(text.lstrip()), len(text.rstrip()))
    if inner.start:
        yield 0, inner.start, ""
    for match in _SPACES.finditer(text, inner.start, inner.stop):
        yield *match.span(), "\n" * min(line_breaks(match[0]), 2) or " "
    if inner.start < inner.stop:
        yield inner.stop, len(text), PARAGRAPH


def line_breaks(spaces: str) -> int:
    """Count the line breaks in white space; a paragraph separator counts as two.

    >>> line_breaks(" \\r\\n\\n"), line_breaks("\\u2029")
    (2, 2)
    """
    return len(_BREAK.findall(spaces)) + 2 * spaces.count("\u2029")


def unwrap(paragraph: str) -> str:
    """Replace the line breaks that wrap a paragraph by blanks.

    >>> unwrap("a b" * 20 + "\\n" + "c d" * 20 + "\\nend").count("\\n"), unwrap("one\\ntwo")
    (0, 'one\\ntwo')
    """
    if "\n" not in paragraph:
        return paragraph
    lines = paragraph.split("\n")
    width = max(MIN_WIDTH, *(len(line) if " " in line else 0 for line in lines))  # a long word exceeds the width
    is_list = sum(map(is_item, lines)) >= max(MIN_ITEMS, len(lines) / 2)
    pieces = lines[:1]
    for line, following in pairwise(lines):
        word = following.partition(" ")[0]
        is_wrapped = len(line) + 1 + len(word) > width and not (is_list and is_item(following))
        pieces += [" " if is_wrapped else "\n", following]
    return "".join(pieces)


def is_item(line: str) -> bool:
    """Whether a line begins with the mark of a list item.

    >>> is_item("- milk"), is_item("-5 degrees")
    (True, False)
    """
    return ITEM.match(line) is not None

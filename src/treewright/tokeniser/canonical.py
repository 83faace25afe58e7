"""The text that a tokeniser sees: canonical white space and spelling, with a map back to the text as it is written.

White space is one blank, one line break, or two line breaks where a blank line is. A line break that wraps a
paragraph is a blank: the next word would not have fitted into the width of the paragraph. The others are kept, as
evidence for the end of a sentence. Invisible characters are left out; letters are composed and marks are ASCII
(treewright.corpus.typography), except for models of earlier versions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.corpus.typography import INVISIBLE, TABLE
from treewright.errors import InputError
from treewright.tokeniser.lists import is_item

PARAGRAPH = "\n\n"  # the canonical separator of two paragraphs
MIN_WIDTH = 40  # columns, by convention: a paragraph whose lines are all shorter is a list or a verse, and not wrapped
MIN_ITEMS = 2  # lines that begin with the mark of an item, and half of the lines: such a paragraph is a list

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_NOT_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_SPACES = re.compile(r" ?[^\S ]\s*|  \s*")  # white space other than one blank
_BREAK = re.compile("\r\n|[\n\r\x85\u2028]")
_SINGLE = {code: mark for code, mark in TABLE.items() if len(mark) == 1}
_LONG = {chr(code): mark for code, mark in TABLE.items() if len(mark) > 1}
_LONG_MARK = re.compile(f"[{''.join(_LONG)}]")

Ends = NDArray[np.int64]
Edit = tuple[int, int, str]  # begin and end of a part of the text, and what replaces it


@dataclass(frozen=True)
class CanonicalText:
    """A canonical text; `ends` has for each of its characters the end of the part of the text that it stands for.

    >>> found = CanonicalText.of("He’s  here…\\r\\n\\r\\nBye")
    >>> found.text, found.ends.tolist()[-3:]
    ("He's here...\\n\\nBye", [16, 17, 18])
    """

    text: str
    ends: Ends

    @classmethod
    def of(cls, text: str, *, spelling: bool = True) -> CanonicalText:
        """The canonical text of a text; spelling: marks and letters are canonical too."""
        if not text.isascii():
            check_characters(text)
        found = cls(text, np.arange(1, len(text) + 1))
        if not text.isascii():
            found = found.edited((*match.span(), "") for match in _INVISIBLE.finditer(found.text))
        if spelling and not text.isascii():
            if not unicodedata.is_normalized("NFC", found.text):
                found = found.edited(compositions(found.text))
            found = cls(found.text.translate(_SINGLE), found.ends)
        found = found.edited(spaces(found.text))
        found = cls(without_wrapping(found.text), found.ends)
        if spelling and not text.isascii():
            long = _LONG_MARK.finditer(found.text)
            found = found.edited((*match.span(), _LONG[match[0]]) for match in long)
        return found

    def edited(self, edits: Iterator[Edit]) -> CanonicalText:
        """The text with some parts replaced."""
        pieces: list[str] = []
        ends: list[Ends] = []
        at = 0
        for begin, end, new in edits:
            pieces += [self.text[at:begin], new]
            ends += [self.ends[at:begin], np.full(len(new), self.ends[end - 1])]
            at = end
        if at == 0:
            return self
        return CanonicalText("".join([*pieces, self.text[at:]]), np.concatenate([*ends, self.ends[at:]]))

    def canonical(self, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The labels of the original text as those of canonical characters: the last one before the label has it.

        >>> CanonicalText.of("a\u00ad b…").canonical(np.array([0, 1, 0, 1, 2], dtype=np.int32)).tolist()
        [1, 0, 1, 0, 0, 2]
        """
        found = np.zeros(len(self.text), dtype=np.int32)
        labelled = np.flatnonzero(labels)
        places = np.searchsorted(self.ends, labelled + 1, side="right") - 1
        is_kept = np.array([place >= 0 and not self.text[place].isspace() for place in places.tolist()], dtype=np.bool_)
        np.maximum.at(found, places[is_kept], labels[labelled[is_kept]])
        return found

    def original(self, labels: NDArray[np.int32], length: int) -> NDArray[np.int32]:
        """The labels of canonical characters as those of the original text, which has this length."""
        found = np.zeros(length, dtype=np.int32)
        np.maximum.at(found, self.ends - 1, labels)
        return found


def check_characters(text: str) -> None:
    """Refuse lone surrogates, which are no characters."""
    bad = _SURROGATE.search(text)
    if bad:
        raise InputError(
            f"character {bad.start() + 1} of the text is the lone surrogate U+{ord(bad[0]):04X}, which no file can "
            'hold; decode the text again, or replace it: text.encode("utf-8", "replace").decode()'
        )


def compositions(text: str) -> Iterator[Edit]:
    """Letters with combining marks, composed.

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


def spaces(text: str) -> Iterator[Edit]:
    """Runs of white space; those at the start and the end of the text are left out."""
    inner = slice(len(text) - len(text.lstrip()), len(text.rstrip()))
    if inner.start:
        yield 0, inner.start, ""
    for match in _SPACES.finditer(text, inner.start, inner.stop):
        breaks = len(_BREAK.findall(match[0])) + 2 * match[0].count("\u2029")
        yield *match.span(), "\n" * min(breaks, 2) or " "
    if inner.start < inner.stop < len(text):
        yield inner.stop, len(text), ""


def without_wrapping(text: str) -> str:
    """A text in which the line breaks that wrap paragraphs are blanks.

    >>> without_wrapping("a" * 50 + "\\n" + "b" * 50 + "\\nend\\n\\none\\ntwo").split("\\n")[1:]
    ['', 'one', 'two']
    """
    if "\n" not in text:
        return text
    return PARAGRAPH.join(unwrapped(paragraph) for paragraph in text.split(PARAGRAPH))


def unwrapped(paragraph: str) -> str:
    """The same for one paragraph."""
    lines = paragraph.split("\n")
    width = max(MIN_WIDTH, *(len(line) if " " in line else 0 for line in lines))  # a long word exceeds the width
    is_list = sum(map(is_item, lines)) >= max(MIN_ITEMS, len(lines) / 2)
    pieces = lines[:1]
    for line, following in pairwise(lines):
        word = following.partition(" ")[0]
        is_wrapped = len(line) + 1 + len(word) > width and not (is_list and is_item(following))
        pieces += [" " if is_wrapped else "\n", following]
    return "".join(pieces)

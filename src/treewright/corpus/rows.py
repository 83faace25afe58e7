"""All words and multiword tokens of a CoNLL-U file as one buffer of bytes, for programs that compare whole columns.

`read_rows` finds lines, cells, ids and heads of a well-formed file with NumPy, without a Python object for each cell.
It only accepts: a file in which anything is unusual (comments between words, a missing line break at the end, another
format) or wrong is read by `treewright.corpus.read`, which names what is wrong, and gives the same rows.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from treewright.corpus.access import read
from treewright.corpus.bytecells import ByteCells, Bytes, Flags, Indices, buffer_of, spread
from treewright.corpus.conll import DECLARATION
from treewright.corpus.files import Source, extension_of, name_of, open_input
from treewright.corpus.layout import CONLLU, CONLLX_EXTENSIONS
from treewright.corpus.sentence import Sentence

ID = re.compile(r"([0-9]{1,9})([.-])([0-9]{1,9})")  # of an empty node or a multiword token


@dataclass(frozen=True)
class Rows:
    """The rows of words and multiword tokens, in order; cell c of row r is buffer[cuts[c, r] + 1 : cuts[c + 1, r]]."""

    buffer: Bytes
    cuts: Indices
    is_multiword: Flags  # of each row
    lengths: Indices  # the number of words of each sentence
    heads: Indices  # of each word, the number in its sentence; 0 for the root, -1 for none
    lines: Indices  # of each word in its file
    multiwords: list[tuple[int, int]]  # the first word of each multiword token, counted from 0, and its number of words

    def column(self, name: str) -> ByteCells:
        number = CONLLU.index[name]
        return ByteCells(self.buffer, self.cuts[number] + 1, self.cuts[number + 1])


def read_rows(source: Source) -> tuple[Rows, str]:
    """The rows of a file, and the name that messages give it; a file that cannot be read is a FormatError."""
    file = NamedBytes(_bytes_of(source), name_of(source))
    rows = None
    if extension_of(file.name) not in CONLLX_EXTENSIONS and not file.getvalue().startswith(DECLARATION.encode()):
        rows = rows_of_bytes(file.getvalue())
    return rows_of_sentences(read(file)) if rows is None else rows, file.name


class NamedBytes(io.BytesIO):
    """The bytes of a file under the file's name."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _bytes_of(source: Source) -> bytes:
    if not isinstance(source, (str, os.PathLike)):
        data: bytes | str = source.read()
        return data.encode() if isinstance(data, str) else data
    if source == "-":
        return open_input(source).read()
    with open_input(source) as file:
        return file.read()


def rows_of_sentences(sentences: Iterable[Sentence]) -> Rows:
    """The rows of sentences that were read, or made, elsewhere."""
    texts: list[str] = []
    lengths: list[int] = []
    heads: list[int] = []
    lines: list[int] = []
    multiwords: list[tuple[int, int]] = []
    for sentence in sentences:
        multiwords += [(len(heads) + first - 1, last - first + 1) for first, last, _, _ in sentence.tokens]
        texts.append(sentence.token_lines())
        lengths.append(len(sentence))
        heads += sentence.head_numbers()
        lines += sentence.lines()
    data = "\n".join(texts).encode()
    buffer = buffer_of(data)
    tabs = np.flatnonzero(buffer == ord("\t")).reshape(-1, CONLLU.width - 1).T
    breaks = np.flatnonzero(buffer == ord("\n"))
    cuts = np.vstack([np.append(-1, breaks), tabs, np.append(breaks, len(data))]) if texts else np.zeros((11, 0), int)
    is_multiword = np.zeros(len(heads) + len(multiwords), bool)
    is_multiword[[word + number for number, (word, _) in enumerate(multiwords)]] = True
    return Rows(buffer, cuts, is_multiword, np.array(lengths), np.array(heads), np.array(lines), multiwords)


def rows_of_bytes(data: bytes) -> Rows | None:
    """The rows of a well-formed CoNLL-U file; None if something in it is unusual."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\r" in data or data.startswith(b"\xef\xbb\xbf") or not data.endswith(b"\n\n") or not _is_utf8(data):
        return None
    buffer = buffer_of(data)
    line_ends = np.flatnonzero(buffer == ord("\n"))
    line_begins = np.concatenate([[0], line_ends + 1])[: len(line_ends)]
    is_blank = line_begins == line_ends
    is_comment = buffer[line_begins] == ord("#")
    is_row = ~is_blank & ~is_comment
    # Comments come before a sentence's first row, blank lines after its last.
    after_row = np.concatenate([[False], is_row])[: len(is_row)]
    if (is_comment & after_row).any() or (is_blank & ~after_row).any():
        return None
    begins, ends = line_begins[is_row], line_ends[is_row]
    all_tabs = _without_ranges(np.flatnonzero(buffer == ord("\t")), line_begins[is_comment], line_ends[is_comment])
    tabs = _tabs_of_rows(all_tabs, begins, ends)
    if tabs is None:
        return None
    sentence_of_row = (np.cumsum(is_blank) - is_blank)[is_row]
    ids = _read_ids(ByteCells(buffer, begins, tabs[:, 0]), sentence_of_row)
    if ids is None:
        return None
    is_word, is_multiword, multiwords = ids
    cuts = np.vstack([begins - 1, tabs.T, ends])[:, is_word | is_multiword]
    lengths = np.bincount(sentence_of_row[is_word], minlength=int(is_blank.sum()))
    is_multiword_row = is_multiword[is_word | is_multiword]
    head = CONLLU.index["HEAD"]
    heads = ByteCells(buffer, cuts[head, ~is_multiword_row] + 1, cuts[head + 1, ~is_multiword_row]).numbers()
    if ((heads < 0) | (heads > np.repeat(lengths, lengths))).any():
        return None
    lines = np.flatnonzero(is_row)[is_word] + 1
    return Rows(buffer, cuts, is_multiword_row, lengths, heads, lines, multiwords)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _tabs_of_rows(tabs: Indices, begins: Indices, ends: Indices) -> Indices | None:
    """The positions of the tabs, one row a line; None unless every row has nine."""
    if len(tabs) != (CONLLU.width - 1) * len(begins):
        return None
    by_row: Indices = tabs.reshape(-1, CONLLU.width - 1)
    return by_row if ((by_row[:, 0] > begins) & (by_row[:, -1] < ends)).all() else None


def _without_ranges(positions: Indices, begins: Indices, ends: Indices) -> Indices:
    """The positions that are in none of these ranges."""
    low, high = np.searchsorted(positions, begins), np.searchsorted(positions, ends)
    return np.delete(positions, spread(low, high - low)) if (low < high).any() else positions


def _read_ids(ids: ByteCells, sentence_of_row: Indices) -> tuple[Flags, Flags, list[tuple[int, int]]] | None:
    """Which rows are words and which multiword tokens, and the words of these; None if an id is not as expected."""
    numbers = ids.numbers()
    is_word = numbers >= 0
    words_before: Indices = np.cumsum(is_word) - is_word
    rows_of_sentence = np.bincount(sentence_of_row)
    first_row = np.cumsum(rows_of_sentence) - rows_of_sentence
    place: Indices = words_before - np.repeat(words_before[first_row], rows_of_sentence)
    words_of_sentence = np.bincount(sentence_of_row[is_word], minlength=int(sentence_of_row.max(initial=-1)) + 1)
    if (numbers[is_word] != place[is_word] + 1).any() or not words_of_sentence.all():
        return None
    is_multiword = np.zeros(len(ids), bool)
    multiwords: list[tuple[int, int]] = []
    word_rows = np.flatnonzero(is_word)
    free = 0  # the first word that belongs to no multiword token so far
    last_empty = (-1, 0)  # the number of words before the last empty node, and its second number
    for row in np.flatnonzero(~is_word):
        found = ID.fullmatch(ids.text(row))
        if found is None:
            return None
        begin, number, second = int(words_before[row]), int(found[1]), int(found[3])
        if found[2] == ".":
            after = last_empty[1] if last_empty[0] == begin and place[row] > 0 else 0
            if number != place[row] or second <= after:
                return None
            last_empty = (begin, second)
            continue
        size = second - number + 1
        inside = word_rows[begin : begin + max(size, 0)]
        if size < 1 or len(inside) < size or number != place[row] + 1 or begin < free:
            return None
        if sentence_of_row[inside[-1]] != sentence_of_row[row]:
            return None
        free = begin + size
        is_multiword[row] = True
        multiwords.append((begin, size))
    return is_word, is_multiword, multiwords

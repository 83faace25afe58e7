"""A whole file as columns: what evaluation compares, one entry a word from the first sentence to the last.

`from_conllu` finds lines, cells and numbers in the bytes of a well-formed file, with NumPy and without a Python loop
over words. Where it meets anything else it answers None; `treewright.corpus` knows every case and names what is wrong,
and `from_sentences` writes the well-formed file for what it read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treewright.corpus import Sentence
from treewright.errors import FormatError, InputError
from treewright.evaluate.cells import Cells, Flags, Indices, buffer_of, spread

# Unicode category Zs: white space in a form is no part of the text.
SPACE = [character.encode() for character in " \xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))]
SPACES = re.compile(b"|".join(SPACE))
RANGE = re.compile(r"([0-9]+)-([0-9]+)")
EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
WIDTH = 10
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(WIDTH)


@dataclass(frozen=True)
class Columns:
    """name is what messages call the file. Heads are positions in these columns, -1 for the root."""

    name: str
    forms: Cells
    lemmas: Cells
    upos: Cells
    xpos: Cells
    feats: Cells
    heads: Indices
    deprels: Cells
    deps: Cells
    lines: Indices  # of each word
    first: Indices  # the first word of each sentence, and the number of words at the end
    text: bytes  # of all tokens, without spaces
    token_ends: Indices  # in text
    token_lines: Indices
    token_of: Indices  # of each word
    is_multiword_token: Flags
    in_memory: bool = False  # then lines are not lines of a file but numbers of sentences

    def place(self, line: int) -> str:
        """Where that is, for messages."""
        return f"{self.name}, sentence {line}" if self.in_memory else f"{self.name}:{line}"

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def sentences(self) -> int:
        return len(self.first) - 1

    @cached_property
    def lengths(self) -> Indices:
        """The number of words of each sentence."""
        return np.diff(self.first)

    @cached_property
    def sentence_of(self) -> Indices:
        """The sentence of each word."""
        return np.repeat(np.arange(self.sentences), self.lengths)

    @cached_property
    def sentence_ends(self) -> Indices:
        """Where sentences end in the text."""
        return self.token_ends[self.token_of[self.first[1:] - 1]]

    @cached_property
    def first_word(self) -> Indices:
        """The first word of each token, and the number of words at the end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.token_of, minlength=len(self.token_ends)))])

    def form(self, word: int) -> str:
        """A word's form as words are compared: in lower case, and without spaces if it is a token."""
        form = self.forms.text(word)
        if not self.is_multiword_token[self.token_of[word]]:
            form = SPACES.sub(b"", form.encode()).decode()
        return form.lower()

    def forms_of_token(self, token: int) -> list[str]:
        return [self.form(word) for word in range(self.first_word[token], self.first_word[token + 1])]


def from_conllu(data: bytes, name: str) -> Columns | None:
    """The columns of a well-formed CoNLL-U file; None when something in it wants a closer look."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\r" in data or data.startswith(b"\xef\xbb\xbf") or not data.endswith(b"\n\n") or not is_utf8(data):
        return None
    return columns_of(data, name)


def from_sentences(sentences: Iterable[Sentence], name: str, *, in_memory: bool) -> Columns:
    """The columns of sentences; one that is no tree is an error that names its place."""
    texts: list[str] = []
    places: list[int] = []  # of each line of these texts
    for number, sentence in enumerate(sentences, 1):
        sentence.check("tree")
        lines = word_lines(sentence)
        tokens = {token.first: token for token in sentence.tokens}
        for word, line in zip(sentence, lines, strict=True):
            if word.id in tokens:
                token = tokens[word.id]
                texts.append(f"{token.first}-{token.last}\t{checked_form(token.form, sentence, line)}" + "\t_" * 8)
                places.append(number if in_memory else line - 1)
            texts.append("\t".join(map(str, word)))
            places.append(number if in_memory else line)
        for word, line in zip(sentence, lines, strict=True):
            checked_form(word.form, sentence, line)
        texts.append("")
        places.append(0)
    if not texts:
        raise InputError(f"{name}: there is no sentence; expected at least one")
    found = columns_of("".join(text + "\n" for text in texts).encode(), name)
    if found is None:
        raise RuntimeError(f"{name}: sentences were written that are not read")
    lines_of = np.array(places)
    return replace(
        found,
        lines=lines_of[found.lines - 1],
        token_lines=lines_of[found.token_lines - 1],
        in_memory=in_memory,
    )


def by_sentence(columns: Columns) -> Columns:
    """The columns of sentences in memory: places are told by the number of the sentence."""
    numbers = columns.sentence_of + 1
    return replace(columns, lines=numbers, token_lines=numbers[columns.first_word[:-1]], in_memory=True)


def word_lines(sentence: Sentence) -> list[int]:
    """The line of each word in its file."""
    words = len(sentence)
    first = sentence.line_of(0)
    if sentence.line_of(words - 1) == first + words - 1:  # nothing stands between the words
        return list(range(first, first + words))
    return [sentence.line_of(word) for word in range(words)]


def checked_form(form: str, sentence: Sentence, line: int) -> str:
    if not SPACES.sub(b"", form.encode()):
        raise FormatError(sentence.source, line, f"FORM is {form!r}; expected a form that is not white space alone")
    return form


def columns_of(data: bytes, name: str) -> Columns | None:
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
    all_tabs = without_ranges(np.flatnonzero(buffer == ord("\t")), line_begins[is_comment], line_ends[is_comment])
    tabs = tabs_of_rows(all_tabs, begins, ends)
    if tabs is None:
        return None
    sentence_of_row = (np.cumsum(is_blank) - is_blank)[is_row]
    marked = mark_tokens(Cells(buffer, begins, tabs[:, 0]), sentence_of_row)
    if marked is None:
        return None
    is_word, is_token, is_range = marked
    cuts = np.vstack([begins - 1, tabs.T, ends])  # cell c of a row lies between cuts c and c + 1
    of_words = cuts[:, is_word]

    def column(which: int) -> Cells:
        return Cells(buffer, of_words[which] + 1, of_words[which + 1])

    lengths = np.bincount(sentence_of_row[is_word], minlength=int(is_blank.sum()))
    heads = heads_of(column(HEAD).numbers(), lengths)
    if heads is None:
        return None
    text, widths = text_of(Cells(buffer, cuts[FORM, is_token] + 1, cuts[FORM + 1, is_token]))
    if not widths.all():
        return None
    lines = np.flatnonzero(is_row) + 1
    return Columns(
        name=name,
        forms=column(FORM),
        lemmas=column(LEMMA),
        upos=column(UPOS),
        xpos=column(XPOS),
        feats=column(FEATS),
        heads=heads,
        deprels=column(DEPREL),
        deps=column(DEPS),
        lines=lines[is_word],
        first=np.concatenate([[0], np.cumsum(lengths)]),
        text=text,
        token_ends=np.cumsum(widths),
        token_lines=lines[is_token],
        token_of=(np.cumsum(is_token) - 1)[is_word],
        is_multiword_token=is_range[is_token],
    )


def is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def tabs_of_rows(tabs: Indices, begins: Indices, ends: Indices) -> Indices | None:
    """The positions of the tabs, a row a line; None unless every row has as many as it should."""
    if len(tabs) != (WIDTH - 1) * len(begins):
        return None
    by_row: Indices = tabs.reshape(-1, WIDTH - 1)
    return by_row if ((by_row[:, 0] > begins) & (by_row[:, -1] < ends)).all() else None


def without_ranges(positions: Indices, begins: Indices, ends: Indices) -> Indices:
    """The positions that are in none of these ranges."""
    low, high = np.searchsorted(positions, begins), np.searchsorted(positions, ends)
    return np.delete(positions, spread(low, high - low)) if (low < high).any() else positions


def mark_tokens(ids: Cells, sentence_of_row: Indices) -> tuple[Flags, Flags, Flags] | None:
    """Which rows are words, which are tokens, which multiword tokens; None when the ids are not as they should be."""
    numbers = ids.numbers()
    is_word = numbers >= 0
    words_before: Indices = np.cumsum(is_word) - is_word
    rows_of_sentence = np.bincount(sentence_of_row)
    first_row = np.cumsum(rows_of_sentence) - rows_of_sentence
    place: Indices = words_before - np.repeat(words_before[first_row], rows_of_sentence)
    words_of_sentence = np.bincount(sentence_of_row[is_word], minlength=int(sentence_of_row.max(initial=-1)) + 1)
    if (numbers[is_word] != place[is_word] + 1).any() or not words_of_sentence.all():
        return None
    is_token, is_range = is_word.copy(), np.zeros(len(ids), bool)
    word_rows = np.flatnonzero(is_word)
    free = 0  # the first word that no multiword token before has taken
    for row in np.flatnonzero(~is_word):
        if EMPTY_NODE.fullmatch(ids.text(row)):
            continue
        found = RANGE.fullmatch(ids.text(row))
        if found is None:
            return None
        size = int(found[2]) - int(found[1]) + 1
        inside = word_rows[words_before[row] : words_before[row] + max(size, 0)]
        fine = size >= 1 and len(inside) == size and int(found[1]) == place[row] + 1 and words_before[row] >= free
        if not fine or sentence_of_row[inside[-1]] != sentence_of_row[row]:
            return None
        free = words_before[row] + size
        is_range[row] = is_token[row] = True
        is_token[inside] = False
    return is_word, is_token, is_range


def heads_of(numbers: Indices, lengths: Indices) -> Indices | None:
    """CoNLL numbers of all sentences as positions in the column; None unless every sentence is a tree."""
    if ((numbers < 0) | (numbers > np.repeat(lengths, lengths))).any():
        return None
    heads = np.where(numbers == 0, -1, numbers - 1 + np.repeat(np.cumsum(lengths) - lengths, lengths))
    up = np.append(heads, -1)  # -1, the root, leads to itself
    for _ in range(int(lengths.max(initial=0)).bit_length()):  # each time twice as many steps upwards
        up = up[up]
    return heads if (up < 0).all() else None


def text_of(tokens: Cells) -> tuple[bytes, Indices]:
    """The tokens joined, without spaces, and the number of bytes of each."""
    joined, widths = tokens.joined(), tokens.widths
    text = joined.tobytes()
    if not any(space in text for space in SPACE):
        return text, widths
    kept = np.ones(len(joined), bool)
    for space in SPACES.finditer(text):
        kept[space.start() : space.end()] = False
    token = np.repeat(np.arange(len(tokens)), widths)
    return joined[kept].tobytes(), np.bincount(token[kept], minlength=len(tokens))

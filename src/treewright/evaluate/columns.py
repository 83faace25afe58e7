"""All sentences of a source as long columns: one entry a word, from the first sentence to the last.

A cell is the number of its text in a vocabulary, which the sources of an evaluation share: equal cells have equal
numbers, so that columns are compared at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright import trees
from treewright.caching import cached_property
from treewright.corpus import Sentence
from treewright.corpus.checks import problem_of_heads
from treewright.corpus.offsets import surface_tokens
from treewright.corpus.sentence import line_of
from treewright.errors import InputError

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

NAMES = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL", "DEPS")
# The characters of Unicode category Zs: white space in a form is not part of the text that is aligned.
SPACES = re.compile("[ \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")


class Vocabulary(dict[str, int]):
    """The number of each different text, in the order of their first occurrence.

    >>> vocabulary = Vocabulary()
    >>> cells = np.array([vocabulary[text] for text in ("nsubj:pass", "det", "nsubj")])
    >>> cells.tolist(), vocabulary.replace(lambda text: text.partition(":")[0], cells).tolist()
    ([0, 1, 2], [2, 1, 2])
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        self.texts.append(text)
        return number

    def replace(self, function: Callable[[str], str], cells: Indices) -> Indices:
        """Return the number of function(text) for each cell; it is called once for each different text."""
        used = np.flatnonzero(np.bincount(cells))
        numbers = np.zeros(len(self), np.int64)
        numbers[used] = [self[function(self.texts[number])] for number in used.tolist()]
        return numbers[cells]

    def test(self, test: Callable[[str], bool], cells: Indices) -> Flags:
        """Return test(text) for each cell; it is called once for each different text."""
        used = np.flatnonzero(np.bincount(cells))
        flags = np.zeros(len(self), bool)
        flags[used] = [test(self.texts[number]) for number in used.tolist()]
        return flags[cells]


@dataclass(frozen=True)
class Columns:
    """The words of a source and the tokens they belong to; heads are positions in these columns, -1 for the root."""

    name: str  # of the source, in messages
    vocabulary: Vocabulary
    cells: dict[str, Indices]  # by the name of their column
    heads: Indices
    lines: Indices  # of each word in its file; for sentences in memory, the number of the sentence
    first: Indices  # the first word of each sentence, and the number of words at the end
    text: str  # all tokens without spaces
    token_ends: Indices  # positions in text
    token_lines: Indices
    token_of: Indices  # of each word
    is_multiword_token: Flags
    in_memory: bool
    begin: int = 0  # the number of sentences before these

    def place(self, line: int) -> str:
        """Return file and line, or the number of a sentence in memory, for messages."""
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
        """Return a word's form as alignment compares it: in lower case, and without spaces if the word is a token."""
        form = self.vocabulary.texts[self.cells["FORM"][word]]
        return (form if self.is_multiword_token[self.token_of[word]] else SPACES.sub("", form)).lower()

    def forms_of_token(self, token: int) -> list[str]:
        return [self.form(word) for word in range(self.first_word[token], self.first_word[token + 1])]


def columns_of(
    sentences: Iterable[Sentence], name: str, vocabulary: Vocabulary, *, in_memory: bool = False, begin: int = 0
) -> Columns:
    """Collect the columns of sentences, which must be trees.

    name is what messages call their source; vocabulary numbers their texts. Those in_memory have no lines but numbers;
    begin is the number of sentences before them.
    """
    cells: dict[str, list[int]] = {column: [] for column in NAMES}
    heads: list[int] = []
    lines: list[int] = []
    lengths: list[int] = []
    tokens: list[str] = []
    sizes: list[int] = []  # the number of words of each token
    multiwords: list[int] = []  # which tokens are multiword tokens
    for number, sentence in enumerate(sentences, begin + 1):
        for column, texts in zip(NAMES, zip(*sentence.cells(*NAMES), strict=True), strict=True):
            cells[column] += map(vocabulary.__getitem__, texts)
        heads += sentence.head_numbers()
        lines += [number] * len(sentence) if in_memory else lines_of(sentence)
        lengths.append(len(sentence))
        first_words = {token.first for token in sentence.tokens}
        if not first_words:
            tokens += [form for (form,) in sentence.cells("FORM")]
            sizes += [1] * len(sentence)
            continue
        for token in surface_tokens(sentence):
            if token.first in first_words:
                multiwords.append(len(tokens))
            tokens.append(token.form)
            sizes.append(token.last - token.first + 1)
    if not lengths:
        raise InputError(f"{name}: there is no sentence; expected at least one")
    first = np.concatenate([[0], np.cumsum(lengths)])
    numbers = np.array(heads)
    token_of = np.repeat(np.arange(len(tokens)), sizes)
    token_lines = np.array(lines)[np.cumsum(sizes) - sizes]
    is_multiword = np.zeros(len(tokens), bool)
    is_multiword[multiwords] = True
    if not in_memory:
        token_lines[is_multiword] -= 1  # the line of a multiword token is the one before its first word
    spaceless = [SPACES.sub("", token) for token in tokens] if SPACES.search("".join(tokens)) else tokens
    columns = Columns(
        name=name,
        vocabulary=vocabulary,
        cells={column: np.array(values) for column, values in cells.items()},
        heads=np.where(numbers == 0, -1, numbers - 1 + np.repeat(first[:-1], lengths)),
        lines=np.array(lines),
        first=first,
        text="".join(spaceless),
        token_ends=np.cumsum([len(token) for token in spaceless]),
        token_lines=token_lines,
        token_of=token_of,
        is_multiword_token=is_multiword,
        in_memory=in_memory,
        begin=begin,
    )
    check_trees(columns, numbers)
    if "" in spaceless:
        empty = spaceless.index("")
        place = columns.place(token_lines[empty])
        raise InputError(f"{place}: FORM is {tokens[empty]!r}; expected a form that is not white space alone")
    return columns


def lines_of(sentence: Sentence) -> Iterable[int]:
    """Return the line of each word in its file."""
    words = len(sentence)
    first, last = line_of(sentence, 1), line_of(sentence, words)
    return (
        range(first, last + 1)
        if last - first == words - 1
        else [line_of(sentence, word) for word in range(1, words + 1)]
    )


def check_trees(columns: Columns, numbers: Indices) -> None:
    """Raise an InputError that names the place, unless the heads of every sentence are a tree."""
    # All sentences under one root are one tree, so that one search for a cycle serves them all.
    if (numbers >= 0).all() and not trees.find_cycle(trees.from_conll(columns.heads + 1)):
        return
    for begin, end in pairwise(columns.first.tolist()):
        if problem := problem_of_heads(numbers[begin:end].tolist(), "tree"):
            raise InputError(f"{columns.place(columns.lines[begin + problem.word])}: {problem.reason}")


def spread(begins: Indices, sizes: Indices) -> Indices:
    """Return begins[0], begins[0] + 1, ... (sizes[0] of them), begins[1], ...

    >>> spread(np.array([5, 9]), np.array([2, 3])).tolist()
    [5, 6, 9, 10, 11]
    """
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes))

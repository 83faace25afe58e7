"""A sentence as its lines: the rows of words, multiword tokens and empty nodes with their cells and line numbers."""

from __future__ import annotations

from typing import NamedTuple

from treewright.caching import cached_property
from treewright.corpus import Sentence
from treewright.corpus.layout import CONLLU


class Row(NamedTuple):
    """The cells of a line, and its number in the file."""

    line: int
    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str


class Block:
    """A sentence with its lines; words are counted from 1, as in `heads` with its leading entry for the root."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        texts = sentence.written().split("\n")
        self.lines = list(enumerate(texts, start=sentence.line))
        self.rows: list[Row] = []
        for number, text in self.lines:
            cells = text.removesuffix("\r").split("\t")
            if not text.startswith("#") and len(cells) == CONLLU.width:
                self.rows.append(Row(number, *cells))
        self.words = [row for row in self.rows if "-" not in row.id and "." not in row.id]
        self.tokens = [row for row in self.rows if "-" in row.id]
        self.empty_nodes = [row for row in self.rows if "." in row.id]

    @property
    def first_line(self) -> int:
        """The line of the first row."""
        return self.rows[0].line

    @cached_property
    def heads(self) -> list[int]:
        """The head of each word, with -1 for the root at place 0, and for words without a head."""
        return [-1, *self.sentence.head_numbers()]

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of each node."""
        children: list[list[int]] = [[] for _ in self.heads]
        for word, head in enumerate(self.heads):
            if word and head >= 0:
                children[head].append(word)
        return children

    def row(self, word: int) -> Row:
        """Return the row of a word, counted from 1."""
        return self.words[word - 1]

"""All sentences of a source as long columns: one entry a word, from the first sentence to the last.

`treewright.corpus` reads the rows; here they become words, the tokens they belong to, and the text that is aligned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treewright import trees
from treewright.caching import cached_property
from treewright.corpus.bytecells import ByteCells, Flags, Indices
from treewright.corpus.checks import problem_of_heads
from treewright.corpus.rows import Rows
from treewright.errors import InputError

# The characters of Unicode category Zs: white space in a form is not part of the text that is aligned.
SPACE = [character.encode() for character in " \xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))]
SPACES = re.compile(b"|".join(SPACE))


@dataclass(frozen=True)
class Columns:
    """The words of a source and the tokens they belong to; heads are positions in these columns, -1 for the root."""

    name: str  # of the source, in messages
    forms: ByteCells
    lemmas: ByteCells
    upos: ByteCells
    xpos: ByteCells
    feats: ByteCells
    deprels: ByteCells
    deps: ByteCells
    heads: Indices
    lines: Indices  # of each word in its file; for sentences in memory, the number of the sentence
    first: Indices  # the first word of each sentence, and the number of words at the end
    text: bytes  # all tokens without spaces
    token_ends: Indices  # positions in text
    token_lines: Indices
    token_of: Indices  # of each word
    is_multiword_token: Flags
    in_memory: bool

    def place(self, line: int) -> str:
        """File and line, or the number of a sentence in memory, for messages."""
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
        """A word's form as alignment compares it: in lower case, and without spaces if the word is a token."""
        form = self.forms.text(word)
        if not self.is_multiword_token[self.token_of[word]]:
            form = SPACES.sub(b"", form.encode()).decode()
        return form.lower()

    def forms_of_token(self, token: int) -> list[str]:
        return [self.form(word) for word in range(self.first_word[token], self.first_word[token + 1])]


def columns_of(rows: Rows, name: str, *, in_memory: bool = False) -> Columns:
    """The columns of sentences, which must be trees; `name` is what messages call their source."""
    if not len(rows.lengths):
        raise InputError(f"{name}: there is no sentence; expected at least one")
    first = np.concatenate([[0], np.cumsum(rows.lengths)])
    lines = np.repeat(np.arange(1, len(first)), rows.lengths) if in_memory else rows.lines

    begins_token = np.ones(len(rows.heads), bool)  # of each word
    for begin, size in rows.multiwords:
        begins_token[begin + 1 : begin + size] = False
    token_of = np.cumsum(begins_token) - 1
    is_multiword_token = np.zeros(int(begins_token.sum()), bool)
    is_multiword_token[token_of[[begin for begin, _ in rows.multiwords]]] = True
    is_token = rows.is_multiword.copy()  # of each row
    is_token[~rows.is_multiword] = ~is_multiword_token[token_of]
    token_lines = lines[begins_token]
    if not in_memory:
        token_lines[is_multiword_token] -= 1  # the line of a multiword token is the one before its first word

    def column(of: str) -> ByteCells:
        return rows.column(of).take(~rows.is_multiword)

    tokens = rows.column("FORM").take(is_token)
    text, widths = text_of(tokens)
    columns = Columns(
        name=name,
        forms=column("FORM"),
        lemmas=column("LEMMA"),
        upos=column("UPOS"),
        xpos=column("XPOS"),
        feats=column("FEATS"),
        deprels=column("DEPREL"),
        deps=column("DEPS"),
        heads=np.where(rows.heads == 0, -1, rows.heads - 1 + np.repeat(first[:-1], rows.lengths)),
        lines=lines,
        first=first,
        text=text,
        token_ends=np.cumsum(widths),
        token_lines=token_lines,
        token_of=token_of,
        is_multiword_token=is_multiword_token,
        in_memory=in_memory,
    )
    check_trees(columns, rows.heads)
    if not widths.all():
        empty = int(widths.argmin())
        place = columns.place(token_lines[empty])
        raise InputError(f"{place}: FORM is {tokens.text(empty)!r}; expected a form that is not white space alone")
    return columns


def check_trees(columns: Columns, numbers: Indices) -> None:
    """Raise an InputError that names the place, unless the heads of every sentence are a tree."""
    # All sentences under one root are one tree, so that one search for a cycle serves them all.
    if (numbers >= 0).all() and not trees.find_cycle(trees.from_conll(columns.heads + 1)):
        return
    for begin, end in pairwise(columns.first.tolist()):
        if problem := problem_of_heads(numbers[begin:end].tolist(), "tree"):
            word, what = problem
            raise InputError(f"{columns.place(columns.lines[begin + word])}: {what}")


def text_of(tokens: ByteCells) -> tuple[bytes, Indices]:
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

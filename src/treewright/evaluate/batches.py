"""Two sources cut into batches that can be evaluated one by one, so that files of any length need little memory.

A batch ends where both sources end a sentence after the same number of characters, with a token of one word that both
have: there the alignment of words is at the same place in both files (alignment.py), and no arc goes beyond.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from treewright.corpus import Reader, Sentence, read
from treewright.corpus.offsets import surface_tokens
from treewright.evaluate.columns import SPACES, Columns, Vocabulary, columns_of
from treewright.evaluate.sources import Source, check_standard_input, checked_sentences, is_file

BATCH = 2000  # gold sentences; larger ones are not faster


class _Side:
    """One source, read as far as needed: sentences that are in no batch yet, and where they end."""

    def __init__(self, source: Source, label: str) -> None:
        self.reader: Reader[Sentence] | None = read(source) if is_file(source) else None
        self.name = label if self.reader is None else self.reader.name
        self.rest: Iterator[Sentence] = self.reader or iter(checked_sentences(source, label))
        self.sentences: list[Sentence] = []
        self.ends: list[tuple[int, int]] = []  # characters up to the end, and those of the last token; 0: several words
        self.taken = 0  # sentences in batches
        self.is_over = False

    @property
    def position(self) -> int:
        """The number of characters read."""
        return self.ends[-1][0] if self.ends else 0

    def read(self, sentences: int = 1) -> None:
        """Read this number of sentences, or all that are left."""
        for _ in range(sentences):
            sentence = next(self.rest, None)
            if sentence is None:
                self.is_over = True
                return
            characters, last = sizes_of(sentence)
            self.sentences.append(sentence)
            self.ends.append((self.position + characters, last))

    @property
    def share(self) -> float:
        """The share that was read; 0 if it is not known."""
        return 1.0 if self.is_over else self.reader.share if self.reader else 0.0

    def close(self) -> None:
        """Close the file, if there is one."""
        if self.reader:
            self.reader.close()

    def take(self, count: int, vocabulary: Vocabulary) -> Columns:
        """Return the columns of the first sentences, and forget them."""
        taken, self.sentences, self.ends = self.sentences[:count], self.sentences[count:], self.ends[count:]
        begin, self.taken = self.taken, self.taken + count
        return columns_of(taken, self.name, vocabulary, in_memory=self.reader is None, begin=begin)


def batches_of(gold: Source, system: Source) -> Iterator[tuple[Columns, Columns, float]]:
    """Yield the columns of both sources in batches, with the share of the gold file that was read."""
    check_standard_input([gold, system])
    with closing(_Side(gold, "gold")) as left, closing(_Side(system, "system")) as right:
        while not (left.is_over and right.is_over):
            left.read(BATCH)
            while not right.is_over and (left.is_over or right.position <= left.position):
                right.read()
            counts = _common_end(left, right)
            if counts:
                vocabulary = Vocabulary()
                yield left.take(counts[0], vocabulary), right.take(counts[1], vocabulary), left.share


def _common_end(left: _Side, right: _Side) -> tuple[int, int] | None:
    """Return how many sentences of both sides make up the largest batch; None if more must be read."""
    if left.is_over and right.is_over:
        return len(left.sentences), len(right.sentences)
    # The last sentences stay: what is left of a side has a sentence unless the other side is over too.
    place = {end: number for number, end in enumerate(left.ends[:-1], 1) if end[1]}
    common = [(place[end], number) for number, end in enumerate(right.ends[:-1], 1) if end in place]
    return common[-1] if common else None


def sizes_of(sentence: Sentence) -> tuple[int, int]:
    """Return the number of characters of a sentence, and of its last token; 0 if that has several words."""
    if not sentence.tokens:
        forms = [form for (form,) in sentence.cells("FORM")]
        return len(SPACES.sub("", "".join(forms))), len(SPACES.sub("", forms[-1])) if forms else 0
    tokens = list(surface_tokens(sentence))
    last = tokens[-1]
    is_single = all(token.first != last.first for token in sentence.tokens)
    characters = len(SPACES.sub("", "".join(token.form for token in tokens)))
    return characters, len(SPACES.sub("", last.form)) * is_single

"""Sources cut into batches that can be evaluated one by one, so that files of any length need little memory.

A batch ends where all sources end a sentence after the same number of characters, with a token of one word that all
have: there the alignment of words is at the same place in all files (alignment.py), and no arc goes beyond.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import repeat, zip_longest
from typing import NamedTuple

from treewright.corpus import Reader, Sentence, read
from treewright.corpus.offsets import surface_tokens
from treewright.errors import InputError
from treewright.evaluate.columns import SPACES, Columns, Vocabulary, columns_of
from treewright.evaluate.sources import Source, checked_sentences, is_file, is_good

BATCH = 2000  # gold sentences; larger ones are not faster


class Batch(NamedTuple):
    """Sentences of all sources that have the same text."""

    columns: list[Columns]
    sentences: list[list[Sentence]]
    share: float  # of the first source, up to here; 0 if it is not known


class _Side:
    """One source, read as far as needed: sentences that are in no batch yet, and where they end."""

    def __init__(self, source: Source, label: str, skip_bad: bool) -> None:
        on_error = "skip" if skip_bad else "raise"
        self.reader: Reader[Sentence] | None = read(source, on_error=on_error) if is_file(source) else None
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

    def take(self, count: int, vocabulary: Vocabulary) -> tuple[Columns, list[Sentence]]:
        """Return the first sentences and their columns, and forget them."""
        taken, self.sentences, self.ends = self.sentences[:count], self.sentences[count:], self.ends[count:]
        begin, self.taken = self.taken, self.taken + count
        return columns_of(taken, self.name, vocabulary, in_memory=self.reader is None, begin=begin), taken


class Batches:
    """The batches of several sources, the gold one first; labels are the names of those in memory.

    With skip_bad a sentence that is bad in one source is left out of all, by its number; all must then have equally
    many, which is checked at the end. `skipped` counts those left out so far.
    """

    def __init__(self, sources: Sequence[Source], labels: Sequence[str], *, skip_bad: bool = False) -> None:
        if sum(isinstance(source, str) and source == "-" for source in sources) > 1:
            raise InputError("standard input (-) is given twice; it can be read once")
        self.sources, self.labels, self.skip_bad = sources, labels, skip_bad
        self.skipped = 0

    def __iter__(self) -> Iterator[Batch]:
        with ExitStack() as stack:
            sides = [
                stack.enter_context(closing(_Side(source, label, self.skip_bad)))
                for source, label in zip(self.sources, self.labels, strict=True)
            ]
            if self.skip_bad:
                self._leave_out_bad(sides)
            yield from _common_batches(sides)

    def _leave_out_bad(self, sides: list[_Side]) -> None:
        """Let each side read only the sentences that are good in all."""
        queues: list[deque[Sentence]] = [deque() for _ in sides]
        common = self._common_sentences(
            [side.name for side in sides], [_with_gaps(side.rest, side.reader) for side in sides]
        )

        def sentences_of(queue: deque[Sentence]) -> Iterator[Sentence]:
            while True:
                if not queue:
                    sentences = next(common, None)
                    if sentences is None:
                        return
                    for other, sentence in zip(queues, sentences, strict=True):
                        other.append(sentence)
                yield queue.popleft()

        for side, queue in zip(sides, queues, strict=True):
            side.rest = sentences_of(queue)

    def _common_sentences(self, names: list[str], sources: list[Iterator[Sentence | None]]) -> Iterator[list[Sentence]]:
        """Yield the sentences with the same number, if they are good in all sources."""
        counts = [0] * len(sources)
        for row in zip_longest(*sources, fillvalue=_END):
            counts = [count + (item is not _END) for count, item in zip(counts, row, strict=True)]
            sentences = [item for item in row if isinstance(item, Sentence)]
            if len(sentences) == len(row):
                yield sentences
            else:
                self.skipped += 1
        if len(set(counts)) > 1:
            numbers = ", ".join(f"{name} has {count}" for name, count in zip(names, counts, strict=True))
            raise InputError(
                f"cannot tell which sentences are the same: {numbers}; to leave out bad sentences, "
                "all files must have equally many, the bad ones counted"
            )


_END = object()


def _with_gaps(sentences: Iterator[Sentence], reader: Reader[Sentence] | None) -> Iterator[Sentence | None]:
    """Yield every sentence of a source, None in the place of a bad one."""
    left_out = 0
    for sentence in sentences:
        skipped = reader.skipped if reader else 0
        yield from repeat(None, skipped - left_out)
        left_out = skipped
        yield sentence if is_good(sentence) else None
    yield from repeat(None, reader.skipped - left_out if reader else 0)


def _common_batches(sides: list[_Side]) -> Iterator[Batch]:
    first, *others = sides
    while not all(side.is_over for side in sides):
        first.read(BATCH)
        for side in others:
            while not side.is_over and (first.is_over or side.position <= first.position):
                side.read()
        counts = _common_end(sides)
        if counts:
            vocabulary = Vocabulary()
            taken = [side.take(count, vocabulary) for side, count in zip(sides, counts, strict=True)]
            yield Batch([columns for columns, _ in taken], [sentences for _, sentences in taken], first.share)


def _common_end(sides: list[_Side]) -> list[int] | None:
    """Return how many sentences of each side make up the largest batch; None if more must be read."""
    if all(side.is_over for side in sides):
        return [len(side.sentences) for side in sides]
    # The last sentences stay: what is left of a side has a sentence unless the other sides are over too.
    places = [{end: number for number, end in enumerate(side.ends[:-1], 1) if end[1]} for side in sides]
    common = set.intersection(*map(set, places))
    return [place[max(common)] for place in places] if common else None


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

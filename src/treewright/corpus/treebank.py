"""A treebank: sentences that are all in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from treewright.corpus.access import read, write
from treewright.corpus.files import Source
from treewright.corpus.sentence import Sentence


class Treebank(Sequence[Sentence]):
    """Sentences in memory, in order.

    >>> bank = Treebank([Sentence.from_words(["Dogs", "bark"]), Sentence.from_words(["Run"])])
    >>> len(bank), bank.words
    (2, 3)
    """

    def __init__(self, sentences: Iterable[Sentence] = ()) -> None:
        self._sentences = list(sentences)

    @classmethod
    def read(
        cls, source: Source, format: str | None = None, *, check: str = "format", on_error: str = "raise"
    ) -> Treebank:
        """All sentences of a file; the options are those of treewright.read."""
        return cls(read(source, format, check=check, on_error=on_error))

    def write(self, target: str | os.PathLike[str]) -> int:
        """Write them to a file; see treewright.write."""
        return write(self, target)

    @property
    def words(self) -> int:
        """How many words the sentences have together."""
        return sum(map(len, self))

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Treebank: ...
    def __getitem__(self, index: int | slice) -> Sentence | Treebank:
        found = self._sentences[index]
        return Treebank(found) if isinstance(found, list) else found

    def __len__(self) -> int:
        return len(self._sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self._sentences)

    def __repr__(self) -> str:
        return f"<Treebank: {len(self)} sentences, {self.words} words>"

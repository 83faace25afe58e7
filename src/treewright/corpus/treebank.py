"""A treebank: sentences that are all in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, overload

from treewright.corpus.access import read, write
from treewright.corpus.files import Source
from treewright.corpus.sentence import Sentence, share_cells
from treewright.errors import FormatError


class Treebank(Sequence[Sentence]):
    """Sentences in memory, in order: a sequence that can be cut, counted and written.

    >>> bank = Treebank([Sentence.from_words(["Dogs", "bark"]), Sentence.from_words(["Run"])])
    >>> bank, bank[1].forms, len(bank[:1])
    (<Treebank: 2 sentences, 3 words>, ['Run'], 1)
    """

    def __init__(self, sentences: Iterable[Sentence] = ()) -> None:
        self._sentences = list(sentences)
        self.skipped = 0  # how many sentences could not be read
        self.errors: list[FormatError] = []  # the first hundred errors

    @classmethod
    def read(
        cls, source: Source, format: str | None = None, *, check: str = "format", on_error: str = "raise"
    ) -> Treebank:
        """Read all sentences of a source; source, format, check and on_error as in `read`."""
        reader = read(source, format, check=check, on_error=on_error)
        seen: dict[str, str] = {}
        bank = cls(share_cells(sentence, seen) for sentence in reader)
        bank.skipped, bank.errors = reader.skipped, reader.errors
        return bank

    def write(self, target: str | os.PathLike[str] | IO[bytes] | IO[str], format: str | None = None) -> int:
        """Write the sentences to a target, in a format if given; return how many."""
        return write(self, target, format)

    @property
    def words(self) -> int:
        """How many words the sentences have together."""
        return sum(map(len, self))

    def counts(self, column: str) -> Counter[str]:
        """Count how often each value occurs in a column.

        >>> Treebank([Sentence.from_words(["a", "b", "a"])]).counts("FORM").most_common(1)
        [('a', 2)]
        """
        return Counter(value for sentence in self for value in sentence.column(column))

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Treebank: ...
    def __getitem__(self, index: int | slice) -> Sentence | Treebank:
        chosen = self._sentences[index]
        return Treebank(chosen) if isinstance(chosen, list) else chosen

    def __len__(self) -> int:
        return len(self._sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self._sentences)

    def __eq__(self, other: object) -> bool:
        return self._sentences == other._sentences if isinstance(other, Treebank) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # its sentences can change

    def __repr__(self) -> str:
        return f"<Treebank: {len(self)} sentences, {self.words} words>"

"""A treebank: sentences that are all in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, overload

from treewright.calls import explained_methods
from treewright.corpus.access import read, write
from treewright.corpus.files import Source
from treewright.corpus.sentence import Sentence
from treewright.errors import FormatError


@explained_methods
class Treebank(Sequence[Sentence]):
    """Sentences in memory, in order: a sequence that can be cut, shuffled, counted and written.

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
        """All sentences of a source; source, format, check and on_error are those of `read`."""
        reader = read(source, format, check=check, on_error=on_error)
        seen: dict[str, str] = {}
        bank = cls(sentence.sharing(seen) for sentence in reader)
        bank.skipped, bank.errors = reader.skipped, reader.errors
        return bank

    def write(self, target: str | os.PathLike[str] | IO[bytes] | IO[str], format: str | None = None) -> int:
        """Write the sentences to a target; format and result are those of `write`."""
        return write(self, target, format)

    @property
    def words(self) -> int:
        """How many words the sentences have together."""
        return sum(map(len, self))

    def counts(self, column: str) -> Counter[str]:
        """How often each value occurs in a column.

        >>> Treebank([Sentence.from_words(["a", "b", "a"])]).counts("FORM").most_common(1)
        [('a', 2)]
        """
        return Counter(value for sentence in self for value in sentence.column(column))

    def shuffled(self, seed: int) -> Treebank:
        """The same sentences in an order that depends on the seed alone."""
        import random

        sentences = list(self)
        random.Random(seed).shuffle(sentences)
        return Treebank(sentences)

    def fingerprint(self) -> str:
        """A hash (SHA-256) of the text that would be written: equal for equal data, independent of the file name.

        >>> Treebank([Sentence.from_words(["Run"])]).fingerprint()[:8]
        '686165f2'
        """
        import hashlib

        digest = hashlib.sha256()
        for sentence in self:
            digest.update(str(sentence).encode())
            digest.update(b"\n")
        return digest.hexdigest()

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

    def __eq__(self, other: object) -> bool:
        return self._sentences == other._sentences if isinstance(other, Treebank) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # its sentences can change

    def __repr__(self) -> str:
        return f"<Treebank: {len(self)} sentences, {self.words} words>"

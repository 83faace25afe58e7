"""The classes of words as a model file has them, looked up without a table until many words are.

A table of the 190,128 words of the English model takes 46 ms to make, a search 0.05 to 0.92 ms; a short text has few
words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property

MAX_SEARCHES = 64  # of words in the text of all words, before the table is made; not tuned


class WordClasses(Mapping[str, str]):
    """Maps a word to the bit path of its class.

    words: the words in UTF-8, each with a line break after it; paths[numbers[i]] is the class of the i-th.

    >>> classes = WordClasses("a\\nbc\\n".encode(), ("00", "01"), np.array([1, 0], dtype=np.int32))
    >>> classes["bc"], classes.get("c"), dict(classes)
    ('00', None, {'a': '01', 'bc': '00'})
    """

    def __init__(self, words: bytes, paths: tuple[str, ...], numbers: NDArray[np.int32]) -> None:
        words.decode("utf-8", "surrogatepass")  # a damaged file is refused here, not at the first look-up
        count = words.count(b"\n")
        if count != len(numbers):
            raise ValueError(f"{count} words have {len(numbers)} classes")
        if not words.endswith(b"\n") and words:
            raise ValueError("a list of words does not end with a line break")
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(paths):
            raise ValueError("a word has a class that is not among the classes")
        self._words, self._paths, self._numbers = b"\n" + words, paths, numbers
        self._searches = 0

    @cached_property
    def _table(self) -> dict[str, str]:
        words = self._words[1:].decode("utf-8", "surrogatepass").split("\n")[:-1]
        return dict(zip(words, map(self._paths.__getitem__, self._numbers.tolist()), strict=True))

    def __getitem__(self, word: str) -> str:
        if self._searches >= MAX_SEARCHES:
            return self._table[word]
        self._searches += 1
        place = self._words.find(b"\n" + word.encode("utf-8", "surrogatepass") + b"\n")
        if place < 0 or "\n" in word:
            raise KeyError(word)
        return self._paths[int(self._numbers[self._words.count(b"\n", 0, place)])]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._numbers)

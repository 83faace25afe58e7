"""Signs between two letters or digits (infixes) that are cut off on both sides or on neither.

English-EWT cuts `Coca-Cola` into three tokens and leaves `e-mail` whole; it has no token that ends or begins with such
a hyphen. A tokeniser decides about each side alone; where it decides for one side only, the surer decision counts for
both. Training finds the signs of its treebank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

MIN_COUNT = 20  # of a sign in the training text; by convention
MAX_SHARE = 0.01  # of its occurrences that are cut off on one side only; by convention
_SIGN = re.compile(r"(?<=[^\W_])[^\w\s](?=[^\W_])")


class Signs:
    """Some signs.

    >>> list(Signs("-/").places("Coca-Cola/Pepsi - and so on, e.g. e-mails"))
    [4, 9, 35]
    """

    def __init__(self, signs: Iterable[str]) -> None:
        self.names = tuple(signs)
        if wrong := [name for name in self.names if len(name) != 1 or name.isalnum() or name.isspace()]:
            raise ValueError(f"{wrong[0]!r} is no sign")
        self._kept = frozenset(self.names)

    def places(self, text: str) -> Iterator[int]:
        """Where a canonical text has them between letters or digits."""
        return (match.start() for match in _SIGN.finditer(text) if match[0] in self._kept)

    def apply(self, text: str, ends: NDArray[np.bool_], confidence: NDArray[np.float64]) -> None:
        """Cut on both sides or on neither; `ends` says which characters end a token, and how sure this is.

        >>> ends = np.array([True, False, True])
        >>> Signs("-").apply("a-b", ends, np.array([0.6, 0.9, 1.0]))
        >>> ends.tolist()
        [False, False, True]
        """
        for place in self.places(text):
            sides = slice(place - 1, place + 1)
            if ends[place - 1] != ends[place]:
                ends[sides] = ends[place - 1 + int(confidence[sides].argmax())]


def agreeing_signs(text: str, ends: NDArray[np.bool_]) -> tuple[str, ...]:
    """The signs that a treebank cuts off on both sides or on neither.

    >>> text = "Coca-Cola e-mail 3/4 " * 20
    >>> "".join(agreeing_signs(text, np.array([character in "a/-3 " for character in text])))
    '/'
    """
    counts, one_sided = Counter[str](), Counter[str]()
    for match in _SIGN.finditer(text):
        place = match.start()
        counts[match[0]] += 1
        one_sided[match[0]] += bool(ends[place - 1] != ends[place])
    frequent = sorted(sign for sign, count in counts.items() if count >= MIN_COUNT)
    return tuple(sign for sign in frequent if one_sided[sign] <= MAX_SHARE * counts[sign])

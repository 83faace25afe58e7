"""Abbreviations that a name or an example follows: each is one token, and a sentence does not end after it.

Many of them are too rare in treebanks to be learned: UD English-EWT 2.16 has `Mrs.` once. Training drops those that its
treebank cuts in another way or ends sentences with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.tokeniser.rules import INSIDE, SENTENCE

ABBREVIATIONS = (
    *("Mr", "Mrs", "Ms", "Mx", "Messrs", "Dr", "Prof", "Rev", "Gov", "Sen", "Pres", "Capt", "Cpt"),
    *("Cmdr", "Col", "Gen", "Lt", "Maj", "Sgt", "Adm", "e.g", "i.e", "cf", "viz", "vs", "a.m", "p.m"),
)
HOURS = ("a.m", "p.m")  # these end sentences, unless a word in lower case follows
MIN_SHARE = 0.5  # of the occurrences in the training text that must be tokens inside sentences; by convention
_BEFORE_TOKEN, _BEFORE_LOWER = r"\.(?= \S)", r"\.(?= (?-i:[a-z]))"


class Abbreviations:
    """Some of the abbreviations as one pattern; their full stops are not part of the names.

    >>> list(Abbreviations(["Mrs", "vs"]).spans("Ask Mrs. Hall vs. Mr. Hall"))
    [(4, 8), (14, 17)]
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        parts = (re.escape(name) + (_BEFORE_LOWER if name in HOURS else _BEFORE_TOKEN) for name in self.names)
        self._matcher = re.compile(rf"(?<![\w.])(?:{'|'.join(parts) or '(?!)'})", re.IGNORECASE)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The places of the abbreviations in a canonical text that another token follows in the same line."""
        return (match.span() for match in self._matcher.finditer(text))

    def matches(self, text: str) -> Iterator[tuple[str, int, int]]:
        """The names of the abbreviations, and their places."""
        return ((text[begin : end - 1].lower(), begin, end) for begin, end in self.spans(text))


def agreeing_abbreviations(text: str, labels: NDArray[np.int32]) -> tuple[str, ...]:
    """The abbreviations that a treebank agrees with, and those that it has no example of.

    >>> labels = np.array([0, 0, 1, 0, 1], dtype=np.int32)
    >>> "Dr" in agreeing_abbreviations("Dr. X", labels), "Dr" in agreeing_abbreviations("Dr. X", 2 * labels)
    (True, False)
    """
    found: dict[str, list[bool]] = {name.lower(): [] for name in ABBREVIATIONS}
    for name, begin, end in Abbreviations(ABBREVIATIONS).matches(text):
        is_token = labels[end - 1] not in (INSIDE, SENTENCE) and not labels[begin : end - 1].any()
        found[name].append(bool(is_token))
    kept = {name for name, tokens in found.items() if sum(tokens) >= MIN_SHARE * len(tokens)}
    return tuple(name for name in ABBREVIATIONS if name.lower() in kept)

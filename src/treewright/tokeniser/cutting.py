"""Where a sentence that is too long is cut: after punctuation, if there is some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MARKS = (".!?…。！？؟۔।։።។။", ";:؛；：", ",–—-،，、")  # after which a sentence is cut, the best first; not tuned


def cuts(forms: Sequence[str], most: int) -> Iterator[int]:
    """Find where parts of at most `most` words begin, and the end: after the best mark in the second half of a part.

    >>> list(cuts(["a", "b", ",", "c", "d", "e", "f"], 4))
    [0, 3, 7]
    """
    begin = 0
    yield begin
    while begin + most < len(forms):
        places = range(begin + most, begin + most // 2, -1)
        begin = min(places, key=lambda place: rank(forms[place - 1]))
        yield begin
    yield len(forms)


def rank(form: str) -> int:
    """Return how good a place is after this word; the smaller, the better.

    >>> rank("..."), rank(";"), rank("word")
    (0, 1, 3)
    """
    return next((place for place, marks in enumerate(MARKS) if form and set(form) <= set(marks)), len(MARKS))

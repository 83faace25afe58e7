"""Checks of arguments, cells, heads and trees; messages name the place, the wrong value and what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.checks import describe_value
from treewright.corpus.reader import shown
from treewright.trees import find_cycle, from_conll

CHECKS = ("format", "partial", "partial-single-root", "tree", "single-root", "graph")

T = TypeVar("T")


def check_iterable(items: Any, expected: str, name: str) -> None:
    """Raise a TypeError for what is not iterable, and for what is one thing although Python iterates over it."""
    if isinstance(items, (list, tuple)):
        return
    is_one = isinstance(items, (str, bytes, bytearray, Mapping)) or hasattr(items, "forms")  # the last is a Sentence
    if is_one or not hasattr(items, "__iter__"):
        raise TypeError(f"{name} is {describe_value(items)}; expected {expected}")


def checked_items(items: Iterable[T], kind: type[T], name: str, remedy: str, item_remedy: str) -> Iterable[T]:
    """Return the items of an argument called `name`, which must be of type `kind`; a TypeError names a wrong one.

    Lists and tuples are checked at once, other iterables item by item as they are read.

    >>> checked_items(["a", 2], str, "texts", "", "str(number) makes a text")
    Traceback (most recent call last):
    ...
    TypeError: texts[1] is 2, of type int; expected a str (str(number) makes a text)
    """
    check_iterable(items, f"an iterable of {kind.__name__} ({remedy})", name)

    def check_each() -> Iterator[T]:
        for number, item in enumerate(items):
            if not isinstance(item, kind):
                raise TypeError(
                    f"{name}[{number}] is {describe_value(item)}; expected a {kind.__name__} ({item_remedy})"
                )
            yield item

    return list(check_each()) if isinstance(items, (list, tuple)) else check_each()


def check_cells(values: Sequence[str], name: str) -> None:
    """Raise a ValueError for the first value of a column that cannot be written as a cell."""
    if not are_cells(values):
        for word, value in enumerate(values):
            check_cell(value, f"{name}[{word}]")


def check_changed(values: Sequence[str], cells: Sequence[str], name: str) -> None:
    """Raise a ValueError for the first value that cannot be written as a cell, unless the file has it in `cells`."""
    if not are_cells(values):
        for word, (value, cell) in enumerate(zip(values, cells, strict=True)):
            if value != cell:
                check_cell(value, f"{name}[{word}]")


def are_cells(values: Sequence[str]) -> bool:
    """Whether all values can be written as cells."""
    try:
        joined = "".join(values)
    except TypeError:  # one is not a string
        return False
    return all(values) and "\t" not in joined and "\n" not in joined and "\r" not in joined


def check_cell(value: object, place: str) -> None:
    """Raise a ValueError if a value cannot be written as a cell."""
    if not isinstance(value, str):
        raise ValueError(f"{place} is {value!r}; expected a string")
    if not value or "\t" in value or "\n" in value or "\r" in value:
        raise ValueError(f"{place} is {shown(value)}; expected '_' or a text without tab and line break")


def checked_heads(values: ArrayLike, words: int) -> NDArray[np.int32]:
    """Return the heads as a new array, one entry a word."""
    heads = np.asarray(values)
    if heads.shape != (words,):
        raise ValueError(f"heads has shape {heads.shape}; expected ({words},): one entry a word, the root has none")
    if heads.dtype.kind not in "iu":
        raise ValueError(f"heads is of type {heads.dtype}; expected integers")
    wrong = (heads < -1) | (heads > words)
    if wrong.any():
        word = int(wrong.argmax())
        raise ValueError(f"heads[{word}] is {heads[word]}; expected 0 (the root), 1 to {words}, or -1 for none")
    return heads.astype(np.int32)


class HeadProblem(NamedTuple):
    """A word, counted from 0, what is wrong with its head, and the arcs that contradict each other."""

    word: int
    reason: str
    conflict: list[tuple[int, int]]


def problem_of_heads(heads: list[int], level: str) -> HeadProblem | None:
    """Return the first problem if the heads (-1 for none) are not what `level` requires."""
    if not level.startswith("partial") and -1 in heads:
        word = heads.index(-1)
        return HeadProblem(word, f"word {word + 1} has no head (_); expected a complete tree", [])
    if not is_acyclic(heads):
        cycle = find_cycle(from_conll(np.array(heads, dtype=np.int32).clip(min=0)))
        circle = " <- ".join(map(str, cycle + cycle[:1]))
        arcs = [(heads[word - 1], word) for word in cycle]
        return HeadProblem(cycle[0] - 1, f"the heads run in a circle: {circle}; expected a tree", arcs)
    if level.endswith("single-root") and heads.count(0) > 1:
        roots = [word for word, head in enumerate(heads, 1) if head == 0]
        numbers = ", ".join(map(str, roots))
        reason = f"{len(roots)} words are attached to the root: {numbers}; expected one"
        return HeadProblem(roots[1] - 1, reason, [(0, word) for word in roots])
    return None


def is_acyclic(heads: list[int]) -> bool:
    """Whether no word is its own ancestor. (As trees.find_cycle, but faster for a single sentence.)"""
    return next(circles(heads), None) is None


def circles(heads: Sequence[int]) -> Iterator[list[int]]:
    """Yield the circles in the heads of words, each as its words.

    >>> list(circles([2, 3, 1, 1])), list(circles([0, 1]))
    ([[1, 2, 3]], [])
    """
    walk = [0] * (len(heads) + 1)  # the first walk upwards that reached each word
    for start in range(1, len(heads) + 1):
        word = start
        while word > 0 and not walk[word]:
            walk[word] = start
            word = heads[word - 1]
        if word > 0 and walk[word] == start:
            circle = [word]
            while (word := heads[word - 1]) != circle[0]:
                circle.append(word)
            yield circle

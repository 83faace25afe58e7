"""Checks of arguments that are many things: one thing in their place is refused when the function is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

LONGEST = 60  # characters of a value in a message; by convention

T = TypeVar("T")


def checked_items(items: Iterable[T], kind: type[T], name: str, remedy: str, item_remedy: str) -> Iterable[T]:
    """The items of an argument called `name`, which must be of type `kind`. A TypeError names what was given instead.

    Lists and tuples are checked at once, other iterables item by item as they are read.

    >>> checked_items(["a", 2], str, "texts", "", "str(number) makes a text")
    Traceback (most recent call last):
    ...
    TypeError: texts[1] is 2, of type int; expected a str (str(number) makes a text)
    """
    check_iterable(items, f"an iterable of {kind.__name__} ({remedy})", name)
    found = _checked(items, kind, name, item_remedy)
    return list(found) if isinstance(items, (list, tuple)) else found


def _checked(items: Iterable[T], kind: type[T], name: str, remedy: str) -> Iterator[T]:
    for place, item in enumerate(items):
        if not isinstance(item, kind):
            raise TypeError(f"{name}[{place}] is {_described(item)}; expected a {kind.__name__} ({remedy})")
        yield item


def check_iterable(items: Any, expected: str, name: str) -> None:
    """Raise a TypeError for what is not iterable, and for what is one thing although Python iterates over it."""
    is_one = isinstance(items, (str, bytes, bytearray, Mapping)) or hasattr(items, "forms")  # the last is a Sentence
    if is_one or not hasattr(items, "__iter__"):
        raise TypeError(f"{name} is {_described(items)}; expected {expected}")


def cell_list(values: Iterable[str], name: str) -> list[str]:
    """The cells of a column."""
    check_iterable(values, "a list of strings, one a word", name)
    return list(values)


def _described(value: object) -> str:
    """The value, cut if it is long, and its type."""
    text = repr(value)
    return f"{text if len(text) <= LONGEST else text[:LONGEST] + '...'}, of type {type(value).__name__}"

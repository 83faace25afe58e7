"""Values checked against type annotations: options, arguments and the plain values in the header of a model file.

A message names the value and says what is expected. Types are written as annotations; `Annotated` adds limits:

    bits: Annotated[int, Range(8, 28)] = 21
"""

from __future__ import annotations

import collections.abc
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    IO,
    Annotated,
    Any,
    BinaryIO,
    Literal,
    TextIO,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

LONGEST = 60  # characters of a value in a message; by convention
MAX_BITS = 28  # of a table of weights: 2^28 weights, as in the bindings
NAMES: dict[Any, str] = {
    bool: "True or False",
    int: "an int",
    float: "a finite number",
    str: "a str",
    Any: "a value",
    NoneType: "None",
    os.PathLike: "a path",
    np.ndarray: "an array of numbers",
    collections.abc.Callable: "a function",
    **dict.fromkeys((IO, BinaryIO, TextIO), "an open file"),
}
CONTAINERS = {
    list: "a list",
    collections.abc.Sequence: "a list",
    collections.abc.Collection: "a collection",
    collections.abc.Iterable: "an iterable",
}

T = TypeVar("T")


@dataclass(frozen=True)
class Range:
    """Limits of a number, both included."""

    low: float = -math.inf
    high: float = math.inf

    def accepts(self, value: float) -> bool:
        """Whether a number is within the limits."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"at least {self.low:g}"
        return f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class OneOf:
    """The names that a string may be."""

    names: tuple[str, ...]

    def accepts(self, value: str) -> bool:
        """Whether it is one of the names."""
        return value in self.names

    def __str__(self) -> str:
        return f"one of {', '.join(self.names)}"


# Types of options.
Count = Annotated[int, Range(0)]
Positive = Annotated[int, Range(1)]
Bits = Annotated[int, Range(8, MAX_BITS)]
NotNegative = Annotated[float, Range(0)]
Rate = Annotated[float, Range(0, 1e6)]  # of learning; the limit is far above any use, by convention
Share = Annotated[float, Range(0, 1)]
Scale = Annotated[float, Range(0, 1e30)]  # of eight-bit weights: far above any use, by convention; no sum overflows


def described(value: object) -> str:
    """The value, cut if it is long, and its type.

    >>> described("two")
    "'two', of type str"
    """
    return f"{shortened(value)}, of type {type(value).__name__}"


def shortened(value: object) -> str:
    """The value as Python writes it, cut if it is long."""
    try:
        text = repr(value)
    except Exception:  # a __repr__ of the user's may fail; the type is still known
        text = "a value"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def expected(kind: Any) -> str:
    """What a type accepts, in words.

    >>> expected(Bits | None), expected(Literal["single", "multi"])
    ('an int, 8 to 28, or None', "'single' or 'multi'")
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return ", ".join([expected(arguments[0]), *map(str, arguments[1:])])
    if origin in (Union, UnionType):
        parts = [expected(part) for part in arguments]
        has_comma = any("," in part for part in parts)
        return (", or " if has_comma else " or ").join(parts)
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin is tuple and arguments[1:] == (...,):
        return f"a list, each entry {expected(arguments[0])}"
    if origin is tuple:
        return f"a tuple ({', '.join(map(expected, arguments))})"
    if origin is not None and issubclass(origin, Mapping):
        return f"a mapping, each value {expected(arguments[1])}"
    if origin is np.ndarray:
        return f"an array of {getattr(get_args(arguments[1])[0], '__name__', 'numbers')}"
    if origin in CONTAINERS and arguments:
        return f"{CONTAINERS[origin]}, each entry {expected(arguments[0])}"
    return NAMES.get(kind) or NAMES.get(origin) or with_article(getattr(origin or kind, "__name__", str(kind)))


def with_article(name: str) -> str:
    """A noun with "a" or "an".

    >>> with_article("Sentence"), with_article("array")
    ('a Sentence', 'an array')
    """
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def wrong(value: object, kind: Any, name: str) -> TypeError | ValueError:
    """The error for a value of another type, or outside the limits of its type."""
    message = f"{name} is {described(value)}; expected {expected(kind)}"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return ValueError(message) if is_number or get_origin(kind) is Literal else TypeError(message)


def read_plain(value: Any, kind: type[T], name: str) -> T:
    """A plain value, as JSON has them, as a value of a type: lists become tuples, objects become dataclasses.

    Keys that a dataclass does not have are ignored, as are its fields that are None: those have their defaults.

    >>> read_plain(["a", "b"], tuple[str, ...], "labels")
    ('a', 'b')
    >>> read_plain({"bits": 40}, dict[str, Bits], "options")
    Traceback (most recent call last):
    ...
    ValueError: options.bits is 40, of type int; expected an int, 8 to 28
    """
    found: T = _converted(value, kind, name)
    return found


def _converted(value: Any, kind: Any, name: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is Annotated:
        found = _converted(value, arguments[0], name)
        if not all(limit.accepts(found) for limit in arguments[1:]):
            raise wrong(value, kind, name)
        return found
    if origin in (Union, UnionType):
        return _converted_to_any(value, kind, name)
    if origin is Literal:
        if not any(value == one and type(value) is type(one) for one in arguments):
            raise wrong(value, kind, name)
        return value
    if origin is tuple:
        return _converted_items(value, kind, name)
    if origin is not None and issubclass(origin, Mapping):
        _check_mapping(value, kind, name)
        return {key: _converted(item, arguments[1], f"{name}.{key}") for key, item in value.items()}
    if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "_fields"):
        return _converted_record(value, kind, name)
    return _converted_plain(value, kind, name)


def _converted_to_any(value: Any, kind: Any, name: str) -> Any:
    for one in get_args(kind):
        try:
            return _converted(value, one, name)
        except (TypeError, ValueError):
            continue
    raise wrong(value, kind, name)


def _converted_items(value: Any, kind: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise wrong(value, kind, name)
    item = get_args(kind)[0]
    if item is str and all(type(one) is str for one in value):  # the long lists of a header
        return tuple(value)
    return tuple(_converted(one, item, f"{name}[{place}]") for place, one in enumerate(value))


def _check_mapping(value: Any, kind: Any, name: str) -> None:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise wrong(value, kind, name)


def _converted_record(value: Any, kind: Any, name: str) -> Any:
    if isinstance(value, (list, tuple)) and hasattr(kind, "_fields") and len(value) == len(kind._fields):
        value = dict(zip(kind._fields, value, strict=True))
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {described(value)}; expected a mapping of the fields of {kind.__name__}")
    types = _field_types(kind)
    given = {key: value[key] for key in types if value.get(key) is not None}
    if missing := [key for key in _required(kind) if key not in given]:
        raise ValueError(f"{name} lacks {', '.join(missing)}")
    return kind(**{key: _converted(item, types[key], f"{name}.{key}") for key, item in given.items()})


def _converted_plain(value: Any, kind: Any, name: str) -> Any:
    if kind is float and type(value) in (int, float):
        if abs(value) <= sys.float_info.max:  # false for NaN, and for an int that is too large
            return float(value)
    elif type(value) is kind:
        return value
    raise wrong(value, kind, name)


@cache
def _field_types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _required(kind: Any) -> list[str]:
    if is_dataclass(kind):
        return [one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING]
    return [name for name in kind._fields if name not in kind._field_defaults]


def check_fields(record: Any) -> None:
    """Check the fields of a dataclass against their types; for `__post_init__`."""
    kind: Any = type(record)
    types = _field_types(kind)
    for entry in fields(record):
        check(getattr(record, entry.name), types[entry.name], entry.name)


def check(value: Any, kind: Any, name: str) -> None:
    """Refuse a value that is not of a type. A NumPy number is a number.

    >>> check(0, Positive, "threads")
    Traceback (most recent call last):
    ...
    ValueError: threads is 0, of type int; expected an int, at least 1
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        check(value, arguments[0], name)
        if not all(limit.accepts(value) for limit in arguments[1:]):
            raise wrong(value, kind, name)
    elif origin in (Union, UnionType):
        if not any(_is_of(value, one, name) for one in arguments):
            raise wrong(value, kind, name)
    elif not _is_plain_of(value, kind, origin, arguments):
        raise wrong(value, kind, name)


def check_flags(**flags: object) -> None:
    """Refuse arguments that are neither True nor False; for calls whose work begins later.

    >>> check_flags(confidence="no")
    Traceback (most recent call last):
    ...
    TypeError: confidence is 'no', of type str; expected True or False
    """
    for name, value in flags.items():
        if not isinstance(value, (bool, np.bool_)):
            raise wrong(value, bool, name)


def _is_of(value: Any, kind: Any, name: str) -> bool:
    try:
        check(value, kind, name)
    except (TypeError, ValueError):
        return False
    return True


def _is_plain_of(value: Any, kind: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if kind is Any:
        return True
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and all(_is_of(one, arguments[0], "") for one in value)
    if origin is not None:
        return isinstance(value, origin)
    if kind is bool:
        return isinstance(value, bool)
    if kind is int:
        return _is_int(value)
    if kind is float:
        return _is_int(value) or (_is_float(value) and math.isfinite(value))
    return isinstance(value, kind)


def _is_int(value: Any) -> bool:
    """Whether it is an int or a NumPy integer; numbers of 64 bits, so that none overflows in the core."""
    is_whole = isinstance(value, int) or (type(value).__module__ == "numpy" and hasattr(value, "__index__"))
    return is_whole and not isinstance(value, bool) and getattr(value, "ndim", 0) == 0 and -(2**63) <= value < 2**63


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or (type(value).__module__ == "numpy" and type(value).__name__.startswith("float"))

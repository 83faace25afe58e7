"""Values checked against type annotations: options, and the plain values in the header of a model file.

A message names the value and says what is expected. Types are written as annotations; `Annotated` adds limits:

    bits: Annotated[int, Range(8, 28)] = 21
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

LONGEST = 60  # characters of a value in a message; not tuned
MAX_BITS = 28  # of a table of weights: 2^28 weights, as in the bindings
NAMES: dict[Any, str] = {
    bool: "True or False",
    int: "an int",
    float: "a finite number",
    str: "a str",
    Any: "a value",
    NoneType: "None",
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
Rate = Annotated[float, Range(0, 1e6)]  # of learning; the limit is far above any use
Share = Annotated[float, Range(0, 1)]
Scale = Annotated[float, Range(0, 1e30)]  # of eight-bit weights; the limit is far above any use, and no sum overflows


def describe_value(value: object) -> str:
    """Return the value, cut if it is long, and its type.

    >>> describe_value("two")
    "'two', of type str"
    """
    try:
        text = repr(value)
    except Exception:  # a __repr__ of the user's may fail; the type is still known
        text = "a value"
    return f"{text if len(text) <= LONGEST else f'{text[:LONGEST]}...'}, of type {type(value).__name__}"


def describe_kind(kind: Any) -> str:
    """Return in words what a type accepts.

    >>> describe_kind(Bits | None), describe_kind(Literal["single", "multi"])
    ('an int, 8 to 28, or None', "'single' or 'multi'")
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return ", ".join([describe_kind(arguments[0]), *map(str, arguments[1:])])
    if origin in (Union, UnionType):
        parts = [describe_kind(part) for part in arguments]
        return (", or " if any("," in part for part in parts) else " or ").join(parts)
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin is tuple:
        return f"a list, each entry {describe_kind(arguments[0])}"
    if origin is not None and issubclass(origin, Mapping):
        return f"a mapping, each value {describe_kind(arguments[1])}"
    name = getattr(origin or kind, "__name__", str(kind))
    return NAMES.get(kind) or f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def wrong(value: object, kind: Any, name: str) -> TypeError | ValueError:
    """Return the error for a value of another type, or outside the limits of its type."""
    message = f"{name} is {describe_value(value)}; expected {describe_kind(kind)}"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return ValueError(message) if is_number or get_origin(kind) is Literal else TypeError(message)


def check(value: Any, kind: Any, name: str) -> None:
    """Refuse a value that is not of a type. A NumPy number is a number.

    >>> check(0, Positive, "threads")
    Traceback (most recent call last):
    ...
    ValueError: threads is 0, of type int; expected an int, at least 1
    """
    _read(value, kind, name, is_plain=False)


def check_fields(record: Any) -> None:
    """Check the fields of a dataclass against their types; for `__post_init__`."""
    kind: Any = type(record)
    types = _field_types(kind)
    for entry in fields(record):
        check(getattr(record, entry.name), types[entry.name], entry.name)


class Checked:
    """A base of dataclasses: their fields are checked against their types when one is made."""

    def __post_init__(self) -> None:
        check_fields(self)


def read_plain(value: Any, kind: type[T], name: str) -> T:
    """Return a plain value, as JSON has them, as a value of a type: lists become tuples, objects become dataclasses.

    Keys that a dataclass does not have are ignored, as are its fields that are None: those have their defaults.

    >>> read_plain(["a", "b"], tuple[str, ...], "labels")
    ('a', 'b')
    >>> read_plain({"bits": 40}, dict[str, Bits], "options")
    Traceback (most recent call last):
    ...
    ValueError: options.bits is 40, of type int; expected an int, 8 to 28
    """
    result: T = _read(value, kind, name, is_plain=True)
    return result


def _read(value: Any, kind: Any, name: str, is_plain: bool) -> Any:
    """Return the value, converted if it is plain, or raise an error if it is not of a type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        result = _read(value, arguments[0], name, is_plain)
        if not all(limit.accepts(result) for limit in arguments[1:]):
            raise wrong(value, kind, name)
        return result
    if origin in (Union, UnionType):
        for option in arguments:
            try:
                return _read(value, option, name, is_plain)
            except (TypeError, ValueError):
                continue
    elif origin is tuple:
        if isinstance(value, (list, tuple) if is_plain else tuple):
            return _read_items(value, arguments[0], name, is_plain)
    elif is_plain and isinstance(origin, type) and issubclass(origin, Mapping):
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return {key: _read(item, arguments[1], f"{name}.{key}", is_plain) for key, item in value.items()}
    elif is_plain and (is_dataclass(kind) or hasattr(kind, "_fields")):
        return _read_record(value, kind, name)
    elif _is_of(value, kind, origin, arguments):
        return float(value) if is_plain and kind is float else value
    raise wrong(value, kind, name)


def _read_items(values: Any, kind: Any, name: str, is_plain: bool) -> tuple[Any, ...]:
    if kind is str and all(type(value) is str for value in values):  # the long lists of a header
        return tuple(values)
    return tuple(_read(value, kind, f"{name}[{place}]", is_plain) for place, value in enumerate(values))


def _read_record(value: Any, kind: Any, name: str) -> Any:
    if isinstance(value, (list, tuple)) and hasattr(kind, "_fields") and len(value) == len(kind._fields):
        value = dict(zip(kind._fields, value, strict=True))
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {describe_value(value)}; expected a mapping of the fields of {kind.__name__}")
    types = _field_types(kind)
    present = {key: value[key] for key in types if value.get(key) is not None}
    if missing := [key for key in _required_fields(kind) if key not in present]:
        raise ValueError(f"{name} lacks {', '.join(missing)}")
    return kind(**{key: _read(item, types[key], f"{name}.{key}", is_plain=True) for key, item in present.items()})


@cache
def _field_types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _required_fields(kind: Any) -> list[str]:
    if is_dataclass(kind):
        return [entry.name for entry in fields(kind) if entry.default is entry.default_factory is MISSING]
    return [name for name in kind._fields if name not in kind._field_defaults]


def _is_of(value: Any, kind: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if origin is Literal:
        return any(type(value) is type(option) and value == option for option in arguments)
    if kind is int:
        return _is_int(value)
    if kind is float:
        is_float = isinstance(value, (float, np.floating)) and math.isfinite(value)
        return is_float or _is_int(value)
    return kind is Any or isinstance(value, origin or kind)


def _is_int(value: Any) -> bool:
    """Whether it is an int or a NumPy integer of 64 bits, so that none overflows in the core."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return is_whole and -(2**63) <= value < 2**63


def check_forbidding(name: str, array: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    """Return scores, of which -inf forbids a tag or an arc; refuse NaN and +inf.

    >>> check_forbidding("adjust", np.array([[0.0, np.inf]]), "a tag")
    Traceback (most recent call last):
    treewright.errors.InputError: adjust[0, 1] is inf; write -inf to forbid a tag
    """
    is_bad = np.isnan(array) | (array == np.inf)
    if is_bad.any():
        cell = tuple(int(index) for index in np.argwhere(is_bad)[0])
        raise InputError(f"{name}{list(cell)} is {array[cell]}; write -inf to forbid {what}")
    return array

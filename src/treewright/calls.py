"""Errors of public calls name the argument that is wrong and say what is expected.

`explained` decorates a function, `explained_methods` a class. If a call fails, its arguments are compared with their
annotations, and an argument that does not fit is the error. A valid call costs nothing but one more call.
"""

from __future__ import annotations

import builtins
import collections.abc
import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from types import NoneType, UnionType
from typing import (
    IO,
    Annotated,
    Any,
    BinaryIO,
    Literal,
    NamedTuple,
    ParamSpec,
    TextIO,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)
from weakref import WeakKeyDictionary

import numpy as np

from treewright.checks import LONGEST, described

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

# What Python, NumPy and the native module raise for values that code does not expect.
CALL_ERRORS = (TypeError, ValueError, AttributeError, LookupError, OverflowError, RecursionError)
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
UNPACK = re.compile(r"Unpack\[(\w+)\]")  # the annotation of keyword arguments by a TypedDict


def shortened(value: object) -> str:
    """The value as Python writes it, cut if it is long."""
    try:
        text = repr(value)
    except Exception:  # a __repr__ of the user's may fail; the type is still known
        text = "a value"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def expected(kind: Any) -> str:
    """What a type accepts, in words.

    >>> expected(int | None), expected(Literal["single", "multi"])
    ('an int or None', "'single' or 'multi'")
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
    """A noun with "a" or "an"."""
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


class Numbers:
    """Stands for ArrayLike in annotations: an array, or lists, of numbers."""


NAMES[Numbers] = NAMES[np.ndarray]


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: if a call fails because an argument is of another type than annotated, the error names the argument.

    The arguments are looked at only after a failure, so that a valid call is as fast as before.

    >>> @explained
    ... def double(number: int) -> int:
    ...     return number + number.bit_length()
    >>> double("x")
    Traceback (most recent call last):
    ...
    TypeError: number is 'x', of type str; expected an int
    """
    if inspect.isgeneratorfunction(function):
        return cast("Callable[P, R]", _explained_generator(function))

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except CALL_ERRORS as error:
            raise_explained(function, arguments, options, error)
            raise

    return call


def _explained_generator(function: Callable[P, Iterator[R]]) -> Callable[P, Iterator[R]]:
    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> Iterator[R]:
        try:
            yield from function(*arguments, **options)
        except CALL_ERRORS as error:
            raise_explained(function, arguments, options, error)
            raise

    return call


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: the arguments are compared with their annotations before the call.

    For calls that take long or that change something, such as training and writing files.
    """

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> R:
        for wrong_argument in _misfits(function, arguments, options):
            raise wrong_argument.error()
        return function(*arguments, **options)

    return call


def explained_methods(kind: C) -> C:
    """A decorator of classes: `explained` for the public methods, the constructor and calls of an object."""
    for name, value in list(vars(kind).items()):
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        if isinstance(value, classmethod | staticmethod):
            setattr(kind, name, type(value)(explained(value.__func__)))
        elif inspect.isfunction(value):
            setattr(kind, name, explained(value))
    return kind


def raise_explained(
    function: Callable[..., Any], arguments: Iterable[Any], options: Mapping[str, Any], error: Exception
) -> None:
    """Raise the error for the first argument that does not fit, unless the given error is about this argument."""
    wrong_argument = next(_misfits(function, arguments, options), None)
    if wrong_argument is not None and not is_about(error, wrong_argument, inspect.signature(function).parameters):
        raise wrong_argument.error() from error


def is_about(error: Exception, argument: Misfit, names: Iterable[str]) -> bool:
    """Whether an error explains what is wrong with an argument.

    It starts with its name or has it in quotes; or it starts with the name of no argument, but it has the name (in the
    singular or plural) or the value and, after a semicolon, the remedy. The error for an argument of an inner call is
    about that one.
    """
    message = str(error)
    name = argument.name.split("[")[0]
    start = re.match(r"\w+", message)
    if start and start.group() in names:
        return start.group() == name or repr(name) in message
    is_named = shortened(argument.value) in message or re.search(rf"\b{name.removesuffix('s')}s?\b", message)
    return not hasattr(error, "is_misfit") and "; " in message and bool(is_named)


class Misfit(NamedTuple):
    """An argument that is not of its annotated type."""

    name: str
    value: Any
    kind: Any

    def error(self) -> TypeError:
        """What is wrong with it. Where the call is part of another one, that one finds its own argument."""
        error = TypeError(f"{self.name} is {described(self.value)}; expected {expected(self.kind)}")
        error.is_misfit = True  # type: ignore[attr-defined]
        return error


def _misfits(function: Callable[..., Any], arguments: Iterable[Any], options: Mapping[str, Any]) -> Iterator[Misfit]:
    try:
        bound = inspect.signature(function).bind(*arguments, **options)
    except TypeError:
        return  # Python's own message names the argument
    for name, value, kind in _annotated(function, bound):
        if not fits(value, kind):
            yield _narrowed(Misfit(name, value, kind))


def _narrowed(found: Misfit) -> Misfit:
    """The first wrong entry of a list, if a list is what is expected."""
    for kind in get_args(found.kind) if get_origin(found.kind) in (Union, UnionType) else (found.kind,):
        origin, arguments = get_origin(kind), get_args(kind)
        is_list = isinstance(found.value, (list, tuple)) and origin in CONTAINERS
        for place, entry in enumerate(found.value if is_list else ()):
            if not fits(entry, arguments[0]):
                return _narrowed(Misfit(f"{found.name}[{place}]", entry, arguments[0]))
    return found


def _annotated(function: Callable[..., Any], bound: inspect.BoundArguments) -> Iterator[tuple[str, Any, Any]]:
    """Name, value and type of each argument; those of `*names` and `**options` one by one."""
    for name, value in bound.arguments.items():
        annotation = str(function.__annotations__.get(name, "Any"))
        form = bound.signature.parameters[name].kind
        if name in ("self", "cls"):
            continue
        if form is inspect.Parameter.VAR_POSITIONAL:
            yield from ((f"{name}[{place}]", one, resolved(annotation, function)) for place, one in enumerate(value))
        elif form is inspect.Parameter.VAR_KEYWORD:
            unpacked = UNPACK.fullmatch(annotation)
            types = _all_annotations(resolved(unpacked[1], function)) if unpacked else {}
            yield from ((key, one, resolved(types.get(key, "Any"), function)) for key, one in value.items())
        else:
            yield name, value, resolved(annotation, function)


def _all_annotations(kind: Any) -> dict[str, str]:
    """Of a TypedDict and those it extends, as text."""
    found = getattr(kind, "__annotations__", {})
    return {name: getattr(one, "__forward_arg__", one) for name, one in found.items()}


class Names(dict[str, Any]):
    """The names in annotations: those of the function's module, and those that a module imports for type checkers."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function.__globals__, ArrayLike=Numbers)

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            return getattr(builtins, name)
        for place, module in list(sys.modules.items()):
            if f"{place}.".startswith("treewright.") and name in vars(module):
                return vars(module)[name]
        raise KeyError(name)


_TYPES: WeakKeyDictionary[Callable[..., Any], dict[str, Any]] = WeakKeyDictionary()  # of functions, by annotation


def resolved(annotation: Any, function: Callable[..., Any]) -> Any:
    """The type of an annotation of our source; Any if a name in it belongs to a package that is not imported."""
    if not isinstance(annotation, str):
        return annotation
    types = _TYPES.setdefault(function, {})
    if annotation not in types:
        try:
            types[annotation] = eval(annotation, {}, Names(inspect.unwrap(function)))
        except (NameError, AttributeError, TypeError):
            return Any  # not kept: the package may be imported later
    return types[annotation]


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, as far as that can be seen from outside; unknown types fit.

    >>> fits([1, 2], list[int]), fits("ab", collections.abc.Iterable[str]), fits([[1, 2], [3]], Numbers)
    (True, False, False)
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any or isinstance(kind, TypeVar):
        return True
    if kind is Numbers:
        return is_numeric(value)
    if origin is np.ndarray:
        return is_array(value, arguments)
    if origin is Annotated:
        limits = arguments[1:]
        return fits(value, arguments[0]) and all(limit.accepts(value) for limit in limits)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if kind in PLAIN:
        return PLAIN[kind](value)
    if origin is not None:
        return _fits_generic(value, origin, arguments)
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in _members(kind))
    return not isinstance(kind, type) or isinstance(value, kind)


def is_numeric(value: Any) -> bool:
    """Whether NumPy makes an array of numbers of it, without NaN."""
    try:
        found = np.asarray(value)
        return found.ndim > 0 and found.dtype.kind in "biuf" and not np.isnan(found.astype(np.float64)).any()
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last by tensors of PyTorch with gradients
        return False


def is_array(value: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether it is an array of the type of numbers of an NDArray."""
    number = get_args(arguments[1])[0]
    return isinstance(value, np.ndarray) and (number is Any or np.issubdtype(value.dtype, number))


def _is_bool(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_int(value: Any) -> bool:
    """Whether it is an int that the core can hold."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return is_whole and -(2**31) <= value < 2**31


def _is_float(value: Any) -> bool:
    return _is_int(value) or (isinstance(value, (float, np.floating)) and not math.isnan(value))


def _is_file(value: Any) -> bool:
    return hasattr(value, "read") or hasattr(value, "write")


PLAIN: dict[Any, Callable[[Any], bool]] = {
    bool: _is_bool,
    int: _is_int,
    float: _is_float,
    None: lambda value: value is None,
    NoneType: lambda value: value is None,
    **dict.fromkeys((IO, BinaryIO, TextIO), _is_file),
}


def _fits_generic(value: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if origin is collections.abc.Callable:
        return callable(value)
    if origin in PLAIN:
        return PLAIN[origin](value)
    if not isinstance(origin, type):
        return True
    if isinstance(value, np.ndarray) and value.ndim and origin is not list and issubclass(list, origin):
        value = value.tolist()
    if isinstance(value, (str, bytes)) or not _is_of_class(value, origin):
        return False
    if isinstance(value, Mapping) and issubclass(origin, Mapping):
        return all(fits(key, arguments[0]) and fits(one, arguments[1]) for key, one in value.items())
    if origin is tuple and ... not in arguments:
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    is_container = isinstance(value, collections.abc.Collection) and len(set(arguments) - {...}) == 1
    return not is_container or all(fits(one, arguments[0]) for one in value)


def _is_of_class(value: Any, kind: type) -> bool:
    return isinstance(value, kind)  # without telling type checkers, for which it would no longer be Any


def _members(protocol: Any) -> set[str]:
    """What an object of a protocol has."""
    names = {*vars(protocol), *getattr(protocol, "__annotations__", {})}
    return {name for name in names if not name.startswith("_")}

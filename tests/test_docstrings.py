"""The docstrings of the public interface, which the pages of docs/api show: arguments, and examples that run."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from oracles.pages import API

from treewright.errors import MissingExtra

EXTENSIONS = {"features", "learn"}  # the interfaces for those who train models of their own


def is_installed(module: str) -> bool:
    """Whether the packages that a module needs are there."""
    try:
        importlib.import_module(f"treewright.{module}")
    except MissingExtra:
        return False
    return True


MODULES = [page.stem for page in API if page.stem not in {"treewright", *EXTENSIONS} and is_installed(page.stem)]
DIRECTIVE = re.compile(r"^\.\. auto(?:function|class|exception):: ([\w.]+)$", re.M)


def documented(module: str) -> Iterator[tuple[str, Any]]:
    """Name and object of what the page of a module documents."""
    [page] = [page for page in API if page.stem == module]
    for name in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
        place, _, last = name.rpartition(".")
        yield name, getattr(importlib.import_module(place or f"treewright.{module}"), last)


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class defines."""
    for name, value in vars(thing).items():
        inner = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and (inspect.isfunction(inner) or isinstance(inner, property)):
            yield name, inner


def everything(module: str) -> Iterator[tuple[str, Any]]:
    """Functions, classes, methods and properties of a module, with their names."""
    for name, thing in documented(module):
        yield name, thing
        if inspect.isclass(thing):
            yield from ((f"{name}.{inner}", value) for inner, value in members(thing))


def functions(module: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield from ((name, thing) for name, thing in everything(module) if inspect.isfunction(thing))


ALL = [(name.rpartition(".")[2], thing) for module in MODULES for name, thing in functions(module)]


def arguments(function: Callable[..., Any]) -> list[str]:
    names = inspect.signature(function).parameters
    return [name for name in names if name not in {"self", "cls"}]


def text_of(function: Callable[..., Any]) -> str:
    """The docstring of a function and those of the functions that it names between backquotes."""
    own = inspect.getdoc(function) or ""
    named = {name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", own)}
    return "\n".join([own, *(inspect.getdoc(other) or "" for name, other in ALL if name in named)])


@pytest.mark.parametrize("module", MODULES)
def test_everything_public_has_a_docstring(module: str) -> None:
    assert [name for name, thing in everything(module) if not inspect.getdoc(thing)] == []


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_has_an_example(module: str) -> None:
    found = [(name, thing) for name, thing in documented(module) if inspect.isfunction(thing)]
    assert [name for name, thing in found if ">>> " not in (inspect.getdoc(thing) or "")] == []


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_name_every_argument(module: str) -> None:
    """Or name a function that does: "scores are those of `tree`". A single argument is described by the first line."""
    for name, function in functions(module):
        names = arguments(function)
        if len(names) > 1:
            text = text_of(function)
            assert [word for word in names if not re.search(rf"\b{word}\b", text)] == [], f"{module}: {name}"

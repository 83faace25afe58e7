"""Messages about bad usage in our own words, whichever versions of Typer, Click and Pydantic raise them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import typer

UsageError: type[Any] = typer.BadParameter.__mro__[
    1
]  # the base of Click's errors of usage; Typer may have its own Click
LIMITS = {"min": "at least", "max": "at most"}


def usage_message(error: Any) -> str:
    """Write an error of usage in one sentence, and how the command is used in a second line."""
    if type(error).__name__ == "NoArgsIsHelpError":  # a group of commands without a command: its message is the help
        return str(error.message)
    usage = f"\n{error.ctx.get_usage()} (--help says more)" if error.ctx is not None else ""
    return f"treewright: {sentence_of(error)}{usage}"


def sentence_of(error: Any) -> str:
    """Write what was found and what is expected."""
    kind, parameter = type(error).__name__, getattr(error, "param", None)
    if kind == "NoSuchOption":
        return f"there is no option {error.option_name}{suggestion(error.option_name, error.possibilities or ())}"
    if kind == "MissingParameter":
        return f"{error.ctx.command_path.removeprefix('treewright ')} needs {name_of(parameter)}"
    if kind == "BadOptionUsage":
        return f"{error.option_name} needs a value"
    if match := re.match(r"No such command '(.*?)'", error.message):
        return f"there is no command {match[1]}{suggestion(match[1], error.ctx.command.list_commands(error.ctx))}"
    if parameter is not None and (value := refused_value(error)) is not None:
        return f"{name_of(parameter)} is {value}; expected {expected_value(error)}"
    hint = getattr(error, "param_hint", None)
    is_named = hint is None or hint in error.message
    return str(error.message if is_named else f"{hint}: {error.message}")


def refused_value(error: Any) -> str | None:
    """Return the value that a parameter does not accept: from the error of Pydantic, or else of Click."""
    if hasattr(error.__cause__, "errors"):
        return str(error.__cause__.errors()[0]["input"])
    match = re.match(r"'?(.*?)'? is not (?:one of|in the range|a valid)", error.message)
    return match and match[1]


def expected_value(error: Any) -> str:
    """Return what a parameter accepts: one of several words, or a number within limits."""
    if choices := re.search(r"is not one of (.*?)\.?$", error.message):
        return f"one of {choices[1].replace(chr(39), '')}"
    kind = getattr(error.param, "type", None)  # of Click, which has the limits that Typer has in the parameter itself
    limits = {text: getattr(kind, name, getattr(error.param, name, None)) for name, text in LIMITS.items()}
    given = {text: limit for text, limit in limits.items() if limit is not None}
    is_whole = "integer" in error.message or any(isinstance(limit, int) for limit in given.values())
    number = "a whole number" if is_whole else "a number"
    return ", ".join([number, *(f"{text} {limit:g}" for text, limit in given.items())])


def name_of(parameter: Any) -> str:
    """Return the name of a parameter as the help writes it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


def suggestion(name: str, names: Iterable[str]) -> str:
    """Write the most similar of the names as a question, or all of them if none is similar."""
    known = list(names)
    if similar := get_close_matches(name, known, 1):
        return f"; did you mean {similar[0]}?"
    return f"; there are {', '.join(known)}" if known else ""

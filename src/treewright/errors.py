"""Errors that a user can correct. The message names the place, what was found there and the remedy.

The command line prints the message and ends with status 1; everything else is a bug and shows its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class InputError(ValueError):
    """Something that was given cannot be used.

    For a batch, `failed` has the error of each item that has one, by its place, and `results` what the others gave.
    """

    failed: Mapping[int, InputError] = {}
    results: Any = None


class MissingPackage(InputError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, purpose: str, install: str | None = None) -> None:
        super().__init__(f"{purpose} needs the package {package}: pip install {install or package}")


class MissingExtra(MissingPackage):
    """A package of an extra of Treewright is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(package, purpose, f"'treewright[{extra}]'")


class InfeasibleError(InputError):
    """No structure meets the constraints.

    constraints: the names of a smallest set of them that cannot hold together. conflict: the arcs (head, modifier) that
    this set requires or forbids; constraints of other kinds (a single root, projectivity, scores) have none.
    """

    def __init__(
        self, message: str, constraints: tuple[str, ...] = (), conflict: Iterable[tuple[int, int]] = ()
    ) -> None:
        super().__init__(message)
        self.constraints = constraints
        self.conflict = list(dict.fromkeys(conflict))


class MissingComponentError(InputError):
    """A model lacks the component that is needed; `kinds` are the kinds of models that have it."""

    def __init__(self, message: str, *kinds: str) -> None:
        super().__init__(message)
        self.kinds = kinds


class ProofError(InputError):
    """A proof does not show what it claims; the message names the step that fails."""


class BudgetError(InputError):
    """The limits that were given ended a search before it found anything."""


class FormatError(InputError):
    """A file breaks the rules of its format. `source` and `line` are the place; the message names both.

    conflict: the arcs (head, modifier) that contradict each other, where that is the problem.
    """

    def __init__(self, source: str, line: int, problem: str, conflict: Iterable[tuple[int, int]] = ()) -> None:
        super().__init__(f"{source}:{line}: {problem}" if line else f"{source}: {problem}")
        self.source = source
        self.line = line
        self.problem = problem
        self.conflict = list(conflict)

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, int, str, list[tuple[int, int]]]]:
        return FormatError, (self.source, self.line, self.problem, self.conflict)


class RequestError(InputError):
    """A request or a rule cannot be understood. `line` and `column` are the place, counted from 1.

    The message shows the line with a caret below the place.
    """

    def __init__(self, source: str, text: str, offset: int, problem: str) -> None:
        begin = text.rfind("\n", 0, offset) + 1
        self.source, self.text, self.offset, self.problem = source, text, offset, problem
        self.line, self.column = text.count("\n", 0, offset) + 1, offset - begin + 1
        shown = text[begin:].split("\n")[0].rstrip("\r")
        blanks = "".join("\t" if letter == "\t" else " " for letter in shown[: offset - begin])
        super().__init__(f"{source}:{self.line}:{self.column}: {problem}\n  {shown}\n  {blanks}^")

    def __reduce__(self) -> tuple[type[RequestError], tuple[str, str, int, str]]:
        return RequestError, (self.source, self.text, self.offset, self.problem)


class NameWarning(UserWarning):
    """The name of a model is also that of a file in the working directory."""

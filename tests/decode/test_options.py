"""The options of decoders are typed, and which method takes which option is decided in one place."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import treewright as tw
from treewright.decode import METHODS, HeadAutomata, options_of
from treewright.decode.methods import solver
from treewright.decode.options import MethodOptions, ProblemOptions, TreeOptions
from treewright.decode.problem import Arc, _check_problem
from treewright.decode.result import Multipliers
from treewright.decode.search import climb, dual, programs, rearrange
from treewright.decode.structure import TreeConstraint
from treewright.errors import InputError
from treewright.relax import relax
from treewright.relax.engine import RelaxOptions

SCORES = np.zeros((3, 3))
NAMES = {
    "HeadAutomata": HeadAutomata,
    "climb": climb,
    "dual": dual,
    "programs": programs,
    "rearrange": rearrange,
    "Arc": Arc,
    "Multipliers": Multipliers,
    "TreeConstraint": TreeConstraint,
}


def keywords(function: Any) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}


def members(hint: Any) -> set[Any]:
    """The types of a union, or the one type."""
    return set(get_args(hint)) if isinstance(hint, UnionType) or get_origin(hint) is Union else {hint}


def test_no_public_function_takes_options_of_any_type() -> None:
    package = Path(tw.__file__).parent
    untyped = [
        f"{path.relative_to(package)}:{node.lineno} {node.name}"
        for path in package.rglob("*.py")
        if path.parent.name != "cli"  # commands are no functions for programs
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if node.args.kwarg and node.args.kwarg.arg == "options" and ast.unparse(node.args.kwarg.annotation) == "Any"  # type: ignore[arg-type]
    ]
    assert not untyped


def test_the_typed_options_are_those_of_the_methods() -> None:
    options = get_type_hints(MethodOptions, localns=NAMES)
    assert set(options) == {name for method in METHODS for name in options_of(method)}
    for method in METHODS:
        hints = get_type_hints(solver(method))
        for name in options_of(method):
            assert members(hints[name]) <= members(options[name]), f"{method}: {name}"


def test_the_typed_keywords_of_a_tree_are_all_its_keywords() -> None:
    of_problem = keywords(_check_problem)
    assert set(get_type_hints(ProblemOptions, localns=NAMES)) == of_problem
    assert set(get_type_hints(TreeOptions, localns=NAMES)) == of_problem | set(
        get_type_hints(MethodOptions, localns=NAMES)
    )
    assert set(RelaxOptions.__annotations__) == keywords(relax)


@pytest.mark.parametrize("method", METHODS)
def test_an_option_of_another_method_is_refused_with_the_methods_that_have_it(method: str) -> None:
    for name in {name for other in METHODS for name in options_of(other)} - set(options_of(method)):
        owners = ", ".join(repr(other) for other in METHODS if name in options_of(other))
        options: dict[str, Any] = {name: None}
        with pytest.raises(InputError) as refused:
            tw.decode.tree(SCORES, method=method, **options)
        own = ", ".join(options_of(method))
        expected = f"method {method!r} has no option {name!r}; it has {own}; {name!r} is an option of {owners}"
        assert str(refused.value) == expected


def test_an_option_of_no_method_is_refused_in_batches_too() -> None:
    message = "method 'exact' has no option 'speed'; it has max_seconds, max_nodes, trace"
    speed: dict[str, Any] = {"speed": 3}
    with pytest.raises(InputError, match=f"^{message}"):
        tw.decode.tree(SCORES, **speed)
    for lengths in (None, [2]):
        with pytest.raises(InputError, match=message):
            tw.decode.trees(SCORES[None], lengths=lengths, **speed)


def test_an_unknown_method_is_answered_with_those_there_are() -> None:
    for call in (lambda: options_of("x"), lambda: tw.decode.tree(SCORES, method="x")):
        with pytest.raises(InputError, match=r"^there is no method 'x'; there are exact, dd, climb, "):
            call()

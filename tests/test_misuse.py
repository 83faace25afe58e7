"""A wrong argument of a public call ends in an error that names it and says what is expected.

Every argument of a valid call is replaced by each of many wrong values. A wrong value may be accepted (True is a
number); what is raised must not be an error of the code below that happens to notice.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.public_calls import WRONG, Call, calls, calls_without_values, sentence

import treewright as tw
from treewright import corpus
from treewright.errors import MissingPackage

# Errors of Python, NumPy and nanobind that a message must not consist of, even if it has the name of an argument.
INNER = re.compile(
    r"has no attribute|truth value|incompatible function|unsupported operand|not subscriptable|object is not"
    r"|could not be broadcast|has no len|to unpack|not supported between|cannot be interpreted|indices must"
    r"|sequence item|argument of type|must be real|bad operand|unhashable|invalid literal|missing \d+ required"
)
# What messages call an argument where they do not use its name: they are those of the command line too.
SYNONYMS = {
    "a": ("first system",),
    "b": ("second system",),
    "columns": ("column",),
    "deprels": ("DEPREL",),
    "deps": ("DEPS",),
    "dev": ("development data", "trees"),
    "feats": ("FEATS",),
    "gold": ("item",),
    "items": ("item",),
    "system": ("item",),
    "forms": ("words", "FORM"),
    "labelled": ("trees",),
    "lemmas": ("LEMMA",),
    "max_length": ("longer than",),
    "misc": ("MISC",),
    "metadata": ("paths",),  # without any paths, which are positional
    "name": ("column",),
    "paths": ("path", "among"),
    "saved": ("clusters",),
    "arc": ("value",),  # a proof is about other scores
    "batch": ("tree a sentence", "arc"),
    "raw": ("words",),
    "rules": ("head_rules",),
    "source": ("trees",),
    "trees": ("tree a sentence", "tree"),
    "scores": ("trigram",),
    "sentences": ("sentence", "words"),
    "text": ("sentences",),
    "tokens": ("token",),
    "train": ("training data", "sentence", "trees"),
    "upos": ("UPOS",),
    "value": ("UPOS",),
    "values": ("UPOS", "options"),
    "words": ("no tree",),  # a sentence that a grammar does not have
    "xpos": ("XPOS",),
}
SAMPLE = 4  # wrong values for each argument in the fast test; all of them take a minute


def wrong_calls(folder: Path, share: int) -> Iterator[tuple[Call, str, Any]]:
    """Every share-th of the wrong calls."""
    everything = (
        (call, name, value)
        for call in calls(folder)
        for name, parameter in call.parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        for value in WRONG
    )
    return itertools.islice(everything, 0, None, share)


def complaint(call: Call, name: str, value: Any) -> str:
    """What is wrong with the error of a call; empty if nothing is."""
    is_variable = call.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
    positional = [value] if is_variable else []
    arguments = call.arguments() | ({} if is_variable else {name: value})
    try:
        found = call.make()(*positional, **arguments)
        if hasattr(found, "__next__"):
            next(found, None)
        if hasattr(found, "__enter__") and not hasattr(found, "close"):
            with found:
                pass
    except MissingPackage:
        return ""
    except (TypeError, ValueError) as error:
        return "" if identifies(str(error), name, value) else f"{type(error).__name__}: {error}"
    except OSError as error:
        return "" if error.filename is not None else f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def identifies(message: str, name: str, value: Any) -> bool:
    """Whether a message names the argument, or begins with or quotes the text that was given."""
    if INNER.search(message):
        return False
    is_quoted = isinstance(value, str) and (repr(value) in message or re.match(rf"{value}(:| is)", message))
    return bool(is_quoted) or any(re.search(rf"\b{one}\b", message) for one in (name, *SYNONYMS.get(name, ())))


def problems(folder: Path, monkeypatch: pytest.MonkeyPatch, share: int) -> list[str]:
    monkeypatch.chdir(folder)
    found = []
    for call, name, value in wrong_calls(folder, share):
        if problem := complaint(call, name, value):
            found.append(f"{call.name}({name}={value!r:.40}): {problem:.160}")
    return found


@pytest.mark.filterwarnings("ignore")
def test_a_wrong_argument_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = problems(tmp_path, monkeypatch, len(WRONG) // SAMPLE)
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_every_public_call_is_among_the_wrong_ones() -> None:
    assert not calls_without_values(), "add a valid value to OWN in oracles/public_calls.py"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_wrong_argument_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = problems(tmp_path, monkeypatch, 1)
    assert not found, "\n".join(found)


def test_the_message_says_what_is_expected() -> None:
    with pytest.raises(TypeError, match=r"^tree is 3, of type int; expected a Tree$"):
        corpus.binarise(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^source is None, of type NoneType; expected a path, '-' or an open file$"):
        corpus.read(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^projective is 'x', of type str; expected True or False or None$"):
        list(tw.load("en").parser.parse([sentence()], projective="x"))  # type: ignore[arg-type]


def test_an_error_of_an_inner_call_names_the_argument_of_the_outer_one() -> None:
    with pytest.raises(TypeError, match=r"^against is 3, of type int; expected a str, or a path, or an open file"):
        tw.check([sentence()], against=3)  # type: ignore[arg-type]


def test_a_wrong_argument_of_a_training_is_found_before_it_starts() -> None:
    def report(_: object) -> None:
        raise AssertionError("the training has started")

    with pytest.raises(TypeError, match=r"^progress is 3, of type int; expected a function or None$"):
        tw.Parser.train([sentence()], report=report, progress=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [True, 1, 2])
def test_a_number_is_no_path(number: Any) -> None:
    for call in (corpus.open_input, corpus.format_of, corpus.read, tw.load, tw.Parser.load):
        with pytest.raises(TypeError, match=f"is {number}, of type"):
            call(number)
    os.fstat(number)  # the file of this number is still open


def test_options_by_keyword_are_named() -> None:
    with pytest.raises(TypeError, match=r"^max_moves is 'x', of type str; expected an int or None$"):
        tw.decode.tree(np.zeros((3, 3)), method="rearrange", max_moves="x")  # type: ignore[arg-type]

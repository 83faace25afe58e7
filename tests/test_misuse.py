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
# What messages call an argument where they do not use its name: they are those of the command line too. An argument
# that is a column of CoNLL-U has the name of the column in messages.
COLUMNS = {"deprels": "DEPREL", "deps": "DEPS", "feats": "FEATS", "forms": "FORM", "lemmas": "LEMMA", "misc": "MISC"}
COLUMNS |= {"upos": "UPOS", "xpos": "XPOS"}
# By call and argument: how the message names it.
SYNONYMS = {
    "corpus.Sentence.check_has_column name": "no column",
    "corpus.Sentence.from_words tokens": "the token",
    "corpus.Sentence.set_column name": "no column",
    "corpus.Sentence.set_column values": "UPOS",  # the column that is set
    "corpus.Word.set_cell value": "UPOS",
    "corpus.write items": "item 0",
    "decode.tree_confidence batch": "one tree a sentence",  # two arguments of different length
    "decode.tree_confidence trees": "one tree a sentence",
    "decode.trees batch": "arc has|arc cannot",
    "decode.verify arc": "the tree has the value",  # valid scores: the proof is about others
    "draw.html sentences": "sentence 1: there is nothing to draw",
    "draw.latex forms": "heads has 2 entries for [01] words",
    "draw.svg forms": "heads has 2 entries for [01] words",
    "draw.text forms": "heads has 2 entries for [01] words",
    "grammar.Collins.counted trees": "no tree to train on",
    "grammar.Collins.train train": r"trees\[0\]",
    "grammar.HeadRules.load rules": "head_rules",
    "grammar.LatentOptions.from_json values": "options",
    "grammar.TreebankGrammar.train train": r"trees\[0\]",
    "grammar.TreebankOptions.from_json values": "options",
    "grammar.selftrain dev": r"trees\[0\]",
    "grammar.selftrain labelled": r"trees\[0\]",
    "grammar.selftrain raw": r"words\[0\]",
    "grammar.trees_of source": r"trees\[0\]",
    "graphs.GraphParser.train train": "training data",
    "induce.Clusters.from_json saved": "clusters",
    "induce.InducedParser.train train": "no sentence to learn from",
    "induce.InductionSettings.from_json values": "options",
    "induce.cluster sentences": "for 0 different words",
    "induce.read_tagged max_length": "longer than",
    "induce.read_tagged sentences": "no sentence to learn from",
    "joint.GrammarWithTagger.parse words": "no tree",  # a sentence that the grammar does not have
    "joint.agree_on_tags words": "no tree",
    "parser.Parser.calibrate dev": "development data",
    "parser.Parser.train train": "training data",
    "parser.ParserSettings.from_json values": "options",
    "pipeline.Pipeline.calibrate dev": "development data",
    "pipeline.Pipeline.join metadata": "paths",  # without any paths, which are positional
    "pipeline.Pipeline.join paths": "path is empty|no tagger among x",
    "pipeline.Pipeline.train train": "training data",
    "tagger.Tagger.train columns": "column",
    "tagger.Tagger.train train": "training data",
    "tagger.TaggerOptions columns": "column",
    "tagger.TaggerOptions.from_json values": "options",
    "tagger.Tokeniser.train train": "training data",
    "tagger.marginals scores": "trigram",
    "tagger.viterbi scores": "trigram",
    "words.Words.train train": "training data",
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
        return "" if identifies(str(error), call.name, name, value) else f"{type(error).__name__}: {error}"
    except OSError as error:
        return "" if error.filename is not None else f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def identifies(message: str, call: str, name: str, value: Any) -> bool:
    """Whether a message names the argument of a call, or begins with or quotes the text that was given."""
    if INNER.search(message):
        return False
    is_quoted = isinstance(value, str) and (repr(value) in message or re.match(rf"{value}(:| is)", message))
    names = [rf"\b{name}\b", rf"\b{COLUMNS.get(name, name)}\b", *SYNONYMS.get(f"{call} {name}", "").split("|")]
    return bool(is_quoted) or any(one and re.search(one, message) for one in names)


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

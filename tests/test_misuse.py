"""A wrong argument of a public function ends in a TypeError or ValueError that names it and what is expected.

Every argument of a valid call is replaced by each of many wrong values. A wrong value may be accepted (True is a
number); what is raised must not be an error of the code below that happens to notice.
"""

from __future__ import annotations

import inspect
import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import corpus, decode, draw, evaluate, induce, pipeline, tagger

ARC = np.array([[0.0, 1, 2], [0, 0, 1], [0, 2, 0]])
SENTENCE = tw.Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
TREE = tw.Tree.parse("(S (NP (NN dogs)) (VP (VB bark)))")
TAGS = {"scores": np.zeros((2, 2)), "trigram": np.zeros((3, 3, 2))}
TRANSFORMS = ("add_root", "binarise", "debinarise", "collapse_unaries", "expand_unaries", "drop_root")

CALLS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (decode.graph, {"arc": ARC}),
    (decode.kbest, {"arc": ARC, "k": 2}),
    (decode.marginals, {"arc": ARC}),
    (decode.log_partition, {"arc": ARC}),
    (decode.entropy, {"arc": ARC}),
    (decode.mbr, {"arc": ARC}),
    (decode.sample, {"arc": ARC, "size": 2}),
    (decode.why_not, {"arc": ARC, "h": 1, "m": 2}),
    (decode.count_optima, {"arc": ARC}),
    (decode.sibling_automaton, {"arc": ARC, "h": 1, "side": 1}),
    (decode.grandparent_automaton, {"arc": ARC, "h": 1}),
    (decode.state_automaton, {"moves": np.zeros((2, 2, 2))}),
    (corpus.read, {"source": io.BytesIO(b"")}),
    (corpus.read_trees, {"source": io.BytesIO(b"")}),
    (corpus.bracket_word, {"word": "a"}),
    (corpus.plain_word, {"word": "a"}),
    *((getattr(corpus, name), {"tree": TREE}) for name in (*TRANSFORMS, "strip_functions", "strip_traces")),
    (evaluate.evaluate, {"gold": [SENTENCE], "system": [SENTENCE]}),
    (evaluate.brackets, {"gold": [TREE], "system": [TREE]}),
    (draw.text, {"sentence": SENTENCE}),
    (draw.svg, {"sentence": SENTENCE}),
    (draw.latex, {"sentence": SENTENCE}),
    (tagger.viterbi, TAGS),
    (tagger.marginals, TAGS),
    (pipeline.from_json, {"value": {"words": [{"form": "a"}]}}),
    (pipeline.to_json, {"sentence": SENTENCE}),
    (pipeline.guess_output, {"name": "a.txt"}),
    (pipeline.read_input, {"source": io.BytesIO(b"a"), "kind": "text"}),
    (induce.load_rules, {"name_or_path": "ud"}),
    (tw.Tree.parse, {"text": "(S (NN a))"}),
    (tagger.Tokeniser(), {"text": "a"}),
    (tw.Parser.load, {"path": "no.tw"}),
]
WRONG: tuple[Any, ...] = (
    *(None, True, -1, 10**30, 1.5, float("nan"), float("inf"), "x", "", b"x", [], [1], ["a"], [None], [[1, 2], [3]]),
    *({}, {"a": 1}, object(), np.zeros(0), np.zeros((2, 3)), np.full((3, 3), np.nan), np.array(["a"])),
    *(np.zeros((3, 3), complex), np.zeros((3, 3), object), TREE, int, slice(1), range(3)),
)
# Errors of Python, NumPy and nanobind that do not say which argument is wrong.
UNNAMED = re.compile(
    r"has no attribute|truth value|incompatible function|unsupported operand|not subscriptable|is not callable"
    r"|could not be broadcast|expected str, bytes or|has no len|unpack|not supported between|cannot be interpreted"
    r"|indices must|sequence item|argument of type|must be real|bad operand|inhomogeneous|unhashable|invalid literal"
)
UNNAMED_ITERATION = re.compile(r"^'\w+' object is not iterable")
# Arguments of drawings whose types are protocols or nested, which cannot be seen from outside.
PROTOCOLS = {"sentence", "gold", "given", "graph", "features"}


def wrong_calls() -> Iterator[tuple[Callable[..., Any], str, dict[str, Any]]]:
    for function, valid in CALLS:
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            if function in (draw.text, draw.svg, draw.latex) and name in PROTOCOLS:
                continue
            for value in WRONG:
                yield function, name, {**valid, name: value}


def complaint(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """What is wrong with the error of a call; empty if nothing is."""
    try:
        found = function(**arguments)
        if hasattr(found, "__next__"):
            next(found, None)
    except (TypeError, ValueError) as error:
        message = str(error)
        is_named = message.split(" ", 1)[0].split("[", 1)[0] in inspect.signature(function).parameters
        is_unnamed = not is_named and (UNNAMED.search(message) or UNNAMED_ITERATION.search(message))
        return f"{type(error).__name__}: {message}" if is_unnamed else ""
    except OSError:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.filterwarnings("ignore")
def test_a_wrong_argument_is_named() -> None:
    problems = []
    for function, name, arguments in wrong_calls():
        if found := complaint(function, arguments):
            problems.append(f"{getattr(function, '__name__', function)}({name}={arguments[name]!r:.40}): {found:.120}")
    assert not problems, "\n".join(problems)


def test_the_message_says_what_is_expected() -> None:
    with pytest.raises(TypeError, match=r"^tree is 3, of type int; expected Tree$"):
        corpus.binarise(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^source is None, of type NoneType; expected a path, '-' or an open file$"):
        corpus.read(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^projective is 'x', of type str; expected True or False or None$"):
        list(tw.load("en").parser.parse([SENTENCE], projective="x"))  # type: ignore[arg-type]

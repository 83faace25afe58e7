"""One name, one meaning: the arguments that the public classes have in common, compared by introspection."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from inspect import Parameter
from typing import Any, Unpack

import pytest
from oracles.pipelines import pipeline
from oracles.treebank import treebank

import treewright as tw
from treewright.errors import InputError
from treewright.grammar import TreebankGrammar
from treewright.grammar.trees import TreeSource
from treewright.induce import InducedParser, InductionOptions
from treewright.model.registry import REGISTRY, component_class
from treewright.model.run import RunOptions
from treewright.parser import Parser

CLASSES = [component_class(kind) for kind in REGISTRY]
SENTENCE = tw.Sentence.from_words(["the", "dog", "sees"], upos=["DET", "NOUN", "VERB"])
METHODS = ("parse", "complete", "kbest", "tag", "pipe", "why_not", "alternatives", "__call__")


@pytest.fixture(scope="module")
def induced() -> InducedParser:
    return InducedParser.train(treebank(20), options=InductionOptions(method="dmv", iterations=2))


def named(kind: type[Any]) -> str:
    return kind.__name__


def training_keywords(kind: type[Any]) -> dict[str, Any]:
    """Return the types of the keywords of a training, with those of its TypedDict."""
    hints = typing.get_type_hints(kind.train, localns={"Unpack": Unpack})
    [bundle] = typing.get_args(hints.pop("how"))
    return {**hints, **typing.get_type_hints(bundle)}


@pytest.mark.parametrize("kind", CLASSES, ids=named)
def test_training_has_the_same_arguments_everywhere(kind: type[Any]) -> None:
    parameters = inspect.signature(kind.train).parameters
    assert list(parameters)[:2] == ["train", "dev"]
    assert (parameters["dev"].default, parameters["options"].default) == (None, None)
    keywords = Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD
    assert all(parameter.kind in keywords for name, parameter in parameters.items() if name not in ("train", "dev"))
    with pytest.raises(TypeError, match="epoch_count"):
        kind.train([SENTENCE], epoch_count=3)


@pytest.mark.parametrize("kind", CLASSES, ids=named)
def test_an_argument_of_training_has_one_type(kind: type[Any]) -> None:
    """Components learn from sentences, grammars from phrase-structure trees."""
    keywords = training_keywords(kind)
    like = training_keywords(TreebankGrammar if keywords["train"] == TreeSource else Parser)
    names = "train", "dev", *typing.get_type_hints(RunOptions)
    assert {name: keywords[name] for name in names} == {name: like[name] for name in names}


def methods(kind: type[Any]) -> Iterator[Callable[..., Any]]:
    return (getattr(kind, name) for name in METHODS if name in vars(kind))


@pytest.mark.parametrize("kind", CLASSES, ids=named)
def test_threads_and_seconds_have_one_default_and_are_keywords(kind: type[Any]) -> None:
    from treewright.parser.worker import MAX_SECONDS

    for method in methods(kind):
        for name, default in (("threads", 1), ("max_seconds", MAX_SECONDS)):
            parameter = inspect.signature(method).parameters.get(name)
            assert parameter is None or (parameter.kind, parameter.default) == (Parameter.KEYWORD_ONLY, default)


@pytest.mark.parametrize("kind", CLASSES, ids=named)
def test_no_public_method_takes_keywords_without_types(kind: type[Any]) -> None:
    for name, method in inspect.getmembers(kind, callable):
        if name.startswith("_") and name != "__call__":
            continue
        for parameter in inspect.signature(method).parameters.values():
            assert parameter.kind is not Parameter.VAR_KEYWORD or "Unpack" in str(parameter.annotation), name


CALLS: dict[str, Callable[[Any, dict[str, Any]], object]] = {
    "parse": lambda model, limits: model.parse([SENTENCE], **limits),
    "complete": lambda model, limits: model.complete([SENTENCE], **limits),
    "kbest": lambda model, limits: model.kbest([SENTENCE], 2, **limits),
    "tag": lambda model, limits: model.tag([SENTENCE], **limits),
    "pipe": lambda model, limits: model.pipe(["It rains."], **limits),
    "call": lambda model, limits: model("It rains.", **limits),
    "why_not": lambda model, limits: model.why_not(SENTENCE, head=0, modifier=1, **limits),
    "alternatives": lambda model, limits: model.alternatives(SENTENCE, 1, **limits),
}
WITH_THREADS = {"pipeline": ("parse", "complete", "kbest", "pipe", "call"), "parser": ("parse", "complete", "kbest")}
WITH_THREADS |= {"tagger": ("tag",), "induced": ("parse",)}
WITH_SECONDS = {
    "pipeline": ("parse", "complete", "kbest", "pipe", "call", "why_not", "alternatives"),
    "parser": ("parse", "complete", "kbest", "why_not", "alternatives"),
    "induced": ("parse",),
}


def model_of(name: str, induced: InducedParser) -> Any:
    nlp = pipeline()
    return {"pipeline": nlp, "parser": nlp.parser, "tagger": nlp.tagger, "induced": induced}[name]


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in WITH_THREADS.items() for call in calls])
@pytest.mark.parametrize(
    ("threads", "message"),
    [(0, "^threads is 0; give at least 1$"), (1.5, r"^threads is 1\.5; give a whole number, at least 1$")],
)
def test_threads_are_checked_at_once_everywhere(
    name: str, call: str, threads: float, message: str, induced: InducedParser
) -> None:
    with pytest.raises(InputError, match=message):
        CALLS[call](model_of(name, induced), {"threads": threads})


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in WITH_SECONDS.items() for call in calls])
@pytest.mark.parametrize("seconds", [-3, float("nan"), "3"])
def test_seconds_are_checked_at_once_everywhere(name: str, call: str, seconds: object, induced: InducedParser) -> None:
    with pytest.raises(InputError, match=f"^max_seconds is {seconds!r}; give seconds, or None for no limit$"):
        CALLS[call](model_of(name, induced), {"max_seconds": seconds})


NO_ARCS = [4, None, "x", [4], [None], [(1,)], [(1, 2, 3)], [("a", "b")], [(1.5, 2)], {1: 2}]
QUESTIONS: dict[str, Callable[..., object]] = {
    "alternatives": lambda model, **arcs: model.alternatives(SENTENCE, 2, **arcs),
    "why_not": lambda model, **arcs: model.why_not(SENTENCE, head=1, modifier=2, **arcs),
    "kbest": lambda model, **arcs: list(model.kbest([SENTENCE], 2, **arcs)),
    "complete": lambda model, **arcs: list(model.complete([SENTENCE], **arcs)),
}


@pytest.mark.parametrize("arcs", NO_ARCS, ids=repr)
@pytest.mark.parametrize("name", ["require", "forbid"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_arcs_that_are_none_are_named_by_every_method(question: str, name: str, arcs: Any) -> None:
    for model in (pipeline(), pipeline().trained_parser):
        with pytest.raises(InputError, match=rf"{name}(\[0\])? is .+; give pairs \(head, modifier\)"):
            QUESTIONS[question](model, **{name: arcs})


def test_what_is_no_sentence_and_no_number_is_named() -> None:
    request, session = tw.query.compile("V -> O"), pipeline().open(SENTENCE)
    calls: list[tuple[Callable[[Any], object], str]] = [
        (lambda value: tw.query.compile(value), "text is"),
        (lambda value: list(request.search(value)), "sentences is"),
        (lambda value: request.count([value]), r"sentences\[0\] is"),
        (session.pin, "words is"),
    ]
    for call, message in calls:
        for value in (None, 3):
            with pytest.raises(TypeError, match=f"{message} .*{value}"):
                call(value)
    with pytest.raises(InputError, match="states: 2 is no arc"):
        tw.draw.svg(SENTENCE, states={2: "decided"})  # type: ignore[dict-item]

"""Valid calls of every public function and method, and the wrong values that replace their arguments one by one.

The functions and methods are those that the pages of docs/api show. A valid call has the required arguments only, by
the names of the parameters, which have one meaning everywhere; OWN has the exceptions.
"""

from __future__ import annotations

import importlib
import inspect
import io
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from oracles.networks import random_network
from oracles.pages import API
from oracles.pipelines import pipeline

import treewright as tw
from treewright import (
    checking,
    corpus,
    decode,
    draw,
    evaluate,
    grammar,
    induce,
    joint,
    network,
    parser,
    relax,
    tagger,
    words,
)
from treewright.graphs import GraphOptions, GraphParser
from treewright.induce import InducedParser, InductionOptions
from treewright.induce.convex_mst import ConvexMstOptions
from treewright.induce.joint import JointOptions
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring
from treewright.parser.label_rules import Forbidden
from treewright.tagger import Learning, TaggerOptions, TokeniserOptions

ARC = np.array([[0.0, 1, 2], [0, 0, 1], [0, 2, 0]])
HEADS = np.array([-1, 2, 0], np.int32)
TREE = tw.Tree.parse("(S (NP (NN dogs)) (VP (VB bark)))")
# The pages of `features` and `learn` are for those who build models of their own.
LEFT_OUT = ("treewright", "errors", "features", "learn")
MODULES = [page.stem for page in API if page.stem not in LEFT_OUT]
DIRECTIVE = re.compile(r"^\.\. auto(?:function|class):: ([\w.]+)$", re.M)
# What the documentation shows for those who write components or decoders of their own; their arguments are made by
# other functions of Treewright.
INTERNAL = {
    "from_arrays",
    "of_block",
    "of_search",
    "of_tree",
    "exact",
    "ranked",
    "learned",
    "result",
    "of",
    "sharing",
} | {"best_labels", "is_surprising"}
# Every call trains a tagger and a parser with the default settings, which takes seconds.
INTERNAL |= {"GrammarWithDependencies.train", "GrammarWithTagger.train"}
INTERNAL |= {"Parser.bounded_tree"}  # it needs a model with third-order parts, and says so first
INTERNAL |= {"Network.train"}  # it needs PyTorch, which need not be installed, and says so first
METHOD_TYPES = (FunctionType, classmethod, staticmethod)
# Constructors that users call; the others make results.
CONSTRUCTORS: tuple[Any, ...] = (
    *(corpus.Sentence, corpus.Document, corpus.Treebank, corpus.Tree, corpus.Layout),
    *(decode.RootChildren, decode.Valency, decode.Span, decode.Below, decode.Depth, decode.Parts),
    *(induce.InductionOptions, induce.Limits, ConvexMstOptions, JointOptions, tagger.Tokeniser, evaluate.Parameters),
    *(parser.ParserOptions, parser.Pruning, parser.Scoring, parser.Labelling, tagger.TaggerOptions, tagger.Learning),
    *(
        words.WordsOptions,
        tagger.TokeniserOptions,
        relax.Table,
        relax.Cardinality,
        relax.PolyakStep,
        relax.HarmonicStep,
    ),
    *(relax.HalvingStep, relax.DiminishingStep),
)

WRONG: tuple[Any, ...] = (
    *(None, True, -1, 0, 3, 10**30, 1.5, float("nan"), float("inf"), "x", "", b"x", [], [1], ["a"], [None]),
    *([[1, 2], [3]], {}, {"a": 1}, object(), np.zeros(0), np.zeros((2, 3)), np.full((3, 3), np.nan), np.array(["a"])),
    *(np.zeros((3, 3), complex), np.zeros((3, 3), object), TREE, np, slice(1), range(3), {1, 2}, 1j, Ellipsis),
)


class Call(NamedTuple):
    """A callable with valid arguments."""

    name: str
    make: Callable[[], Callable[..., Any]]  # a method of a new object where calls may change it
    arguments: Callable[[], dict[str, Any]]
    parameters: Mapping[str, inspect.Parameter]


def sentence() -> tw.Sentence:
    words = ["Dogs", "bark"]
    return tw.Sentence.from_words(words, upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"], sent_id="a")


def with_graph() -> tw.Sentence:
    return sentence().with_columns(deps=["2:nsubj", "0:root"])


@cache
def induced() -> InducedParser:
    return InducedParser.train([sentence()], options=InductionOptions(method="dmv", iterations=1))


@cache
def graph_parser() -> GraphParser:
    return GraphParser.train([with_graph()], options=GraphOptions(bits=8, epochs=1))


WORDS = ["dogs", "bark"]
LATENT = grammar.LatentOptions(rounds=1, split_iterations=2, merge_iterations=1, smooth_iterations=1)
LEXICAL = grammar.CollinsOptions(min_count=1)


@cache
def treebank_grammar() -> grammar.TreebankGrammar:
    return grammar.TreebankGrammar.train([TREE])


@cache
def latent_grammar() -> grammar.LatentGrammar:
    return grammar.LatentGrammar.train([TREE], options=LATENT)


@cache
def lexical_grammar() -> grammar.Collins:
    return grammar.Collins.train([TREE], options=LEXICAL)


@cache
def tree_tagger() -> tagger.Tagger:
    sentences = [sentence().with_columns(forms=WORDS, xpos=["NN", "VB"])]
    return tagger.Tagger.train(sentences, options=TaggerOptions(("xpos",), tags=SMALL, lemmas=SMALL))


@cache
def with_dependencies() -> joint.GrammarWithDependencies:
    sentences = [sentence().with_columns(forms=WORDS, xpos=["NN", "VB"])]
    dependencies = parser.Parser.train(sentences, options=SMALL_PARSER)
    return joint.GrammarWithDependencies(lexical_grammar(), tree_tagger(), dependencies, 0.5)


@cache
def with_tagger() -> joint.GrammarWithTagger:
    return joint.GrammarWithTagger(treebank_grammar(), tree_tagger(), 0.5)


def trigrams() -> joint.Trigrams:
    return joint.Trigrams(["NN", "VB"], np.zeros((2, 2)), np.zeros((3, 3, 2)))


@cache
def tagged() -> induce.TaggedCorpus:
    return induce.read_tagged([sentence()])


@cache
def clusters() -> induce.Clusters:
    return induce.cluster([["a", "b", "c"], ["b", "a", "d"]], 2)


@cache
def some_network() -> network.Network:
    return network.Network(random_network())


def some_words() -> words.Words:
    repeated = tw.Sentence.from_words(["a", "b", "a", "c", "b", "c", "d", "d"])
    return words.Words.train([repeated], options=words.WordsOptions(classes=2, size=2))


@cache
def proof() -> dict[str, Any]:
    found = decode.tree(ARC, proof=True).proof
    assert found is not None
    return found.to_dict()


@cache
def relaxed_table() -> relax.Table:
    return relax.Table([0, 1], [[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0])


SMALL = Learning(bits=8, epochs=1)
SMALL_PARSER = ParserOptions(
    model="arc",
    pruning=Pruning(bits=8, epochs=1),
    scoring=Scoring(bits=9, epochs=1),
    labelling=Labelling(bits=8, epochs=1),
)


@cache
def tokeniser() -> tagger.Tokeniser:
    return tagger.Tokeniser.train([sentence()], options=TokeniserOptions(learning=SMALL))


def values() -> dict[str, Callable[[], Any]]:
    """A valid value of each required parameter, by its name."""
    return {
        "arc": lambda: ARC,
        "arcs": lambda: [ARC],
        "batch": lambda: [decode.Parts.from_arrays(ARC)],
        "classes": lambda: 2,
        "column": lambda: "upos",
        "completions": lambda: list(pipeline().complete([sentence()])),
        "confidence": lambda: np.array([0.5, 1.0]),
        "corpus": tagged,
        "dev": lambda: [sentence()],
        "edge": lambda: np.zeros((3, 3)),
        "fixed": lambda: {0: True},
        "form": lambda: "a",
        "forms": lambda: ["Dogs", "bark"],
        "gold": lambda: [sentence()],
        "grammar": treebank_grammar,
        "grammars": lambda: [latent_grammar()],
        "graphs": graph_parser,
        "h": lambda: 1,
        "head": lambda: 2,
        "heads": lambda: HEADS,
        "is_first": lambda: True,
        "items": lambda: [sentence()],
        "k": lambda: 2,
        "keep": lambda: np.ones((3, 3), bool),
        "kinds": lambda: ("NOUN", "VERB"),
        "layout": lambda: corpus.CONLLU,
        "level": lambda: "tree",
        "m": lambda: 2,
        "max_heads": lambda: 2,
        "model": induced,
        "modifier": lambda: 1,
        "multipliers": lambda: np.zeros(2),
        "assignment": lambda: np.array([0.0, 1.0]),
        "moves": lambda: np.zeros((2, 2, 2)),
        "name": lambda: "a.conllu",
        "name_or_path": lambda: "ud",
        "numbers": lambda: [2, 0],
        "oracles": lambda: [relaxed_table(), relaxed_table()],
        "other": sentence,
        "parser": lambda: pipeline().parser,
        "parse": lambda: decode.tree(ARC, proof=True),
        "path": lambda: "no.tw",
        "pipeline": pipeline,
        "right": lambda: np.array([True, False]),
        "scores": lambda: np.zeros((2, 2)),
        "seed": lambda: 1,
        "sentence": sentence,
        "sentences": lambda: [sentence()],
        "side": lambda: 1,
        "size": lambda: 2,
        "source": lambda: io.BufferedReader(io.BytesIO(str(sentence()).encode())),
        "system": lambda: [sentence()],
        "tables": lambda: {"heads": ()},
        "target": io.BytesIO,
        "text": lambda: "Dogs bark.",
        "texts": lambda: ["Dogs bark."],
        "threshold": lambda: 0.1,
        "train": lambda: [sentence()],
        "tree": lambda: TREE,
        "parses": lambda: [decode.tree(ARC, proof=True)],
        "trees": lambda: [HEADS],
        "trigram": lambda: np.zeros((3, 3, 2)),
        "value": lambda: "x",
        "values": lambda: ["a", "b"],
        "word": lambda: "a",
        "words": lambda: WORDS,
    }


# Valid values of parameters that have another meaning, or of more parameters than the required ones.
OWN: dict[str, Callable[[], dict[str, Any]]] = {
    "Counts.is_surprising": lambda: {
        "pair": ("a", "b"),
        "found": checking.Counts().upos,
        "tags": checking.Counts().upos,
    },
    "TreebankGrammar.train": lambda: {"train": [TREE]},
    "TreebankGrammar.counted": lambda: {"trees": [TREE], "options": grammar.TreebankOptions()},
    "BracketMarginals.bracket": lambda: {"label": "NP", "first": 0, "last": 1},
    "BracketMarginals.tag": lambda: {"place": 0, "tag": "NN"},
    "LatentGrammar.train": lambda: {"train": [TREE], "options": LATENT},
    "selftrain": lambda: {"labelled": [TREE], "raw": [WORDS], "options": LATENT, "teachers": 1},
    "Collins.train": lambda: {"train": [TREE], "options": LEXICAL},
    "Collins.counted": lambda: {"trees": [TREE], "rules": grammar.HeadRules.load("english"), "options": LEXICAL},
    "ParseForest.best": lambda: {"adjust": np.zeros((3, 3))},
    "ParseForest.best_of_kept": lambda: {"adjust": np.zeros((3, 3))},
    "HeadRules.head_child": lambda: {"label": "S", "children": ["NP", "VP"]},
    "HeadRules.is_punctuation": lambda: {"label": "NP"},
    "HeadRules.load": lambda: {"rules": "english"},
    "binarised": lambda: {"markov": grammar.Markov()},
    "trees_of": lambda: {"source": [TREE]},
    "JointProblem.parse": lambda: {"weight": 0.5},
    "agree_on_arcs": lambda: {
        "forest": lexical_grammar().forest(WORDS),
        "parts": decode.Parts.from_arrays(ARC),
    },
    "agree_on_tags": lambda: {"tagger": tree_tagger()},
    "TreebankOptions.from_json": lambda: {"values": grammar.TreebankOptions().to_json()},
    "LatentOptions.from_json": lambda: {"values": LATENT.to_json()},
    "GrammarWithDependencies.tuned": lambda: {"trees": [TREE]},
    "GrammarWithTagger.tuned": lambda: {"trees": [TREE]},
    "GrammarWithTagger.accuracy": lambda: {"gold": [TREE], "system": [TREE]},
    "Trigrams.best": lambda: {"adjust": np.zeros((2, 2))},
    "ThirdOrderParts.value": lambda: {"heads": [-1, 2, 0]},
    "third_order_tree": lambda: {"parts": decode.Parts.from_arrays(ARC), "third": decode.ThirdOrderParts()},
    "NetworkOptions.epochs_for": lambda: {"words": 1000},
    "Parts.adjusted": lambda: {"adjustment": np.zeros(4)},
    "Problem.with_parts": lambda: {"core": decode.Parts.from_arrays(ARC).core},
    "Sentence": lambda: {"text": str(sentence())},
    "Sentence.line_of": lambda: {"word": 1},
    "Sentence.column": lambda: {"name": "FORM"},
    "Sentence.set_column": lambda: {"name": "UPOS"},
    "Sentence.check_has_column": lambda: {"name": "UPOS"},
    "Sentence.with_tree": lambda: {"heads": np.array([2, 0], np.int32), "deprels": ["nsubj", "root"], "parse": None},
    "Sentence.from_dict": lambda: {"value": sentence().to_dict()},
    "Word.set_cell": lambda: {"column": "UPOS"},
    "Tree": lambda: {"label": "S", "children": ["a"]},
    "Tree.parse": lambda: {"text": "(S (NN a))"},
    "Layout": lambda: {"format": "conllu", "columns": corpus.CONLLU.columns},
    "read_trees": lambda: {"source": io.BytesIO(b"(S (NN a))")},
    "RootChildren": lambda: {"at_most": 2},
    "Valency": lambda: {"at_most": 2},
    "text": lambda: {"sentence": sentence()},
    "svg": lambda: {"sentence": sentence()},
    "latex": lambda: {"sentence": sentence()},
    "calibration": lambda: {"system": list(pipeline().parse([sentence()]))},
    "Proof.from_dict": lambda: {"data": proof()},
    "trees": lambda: {"batch": np.stack([ARC, ARC]), "lengths": [2, 2]},
    "Parts": lambda: {"nodes": 3, "arcs": ([0, 2], [2, 1], [1.0, 1.0])},
    "Parts.prune": lambda: {"keep": np.ones(4, bool)},
    "Parts.scaled": lambda: {"factor": 2.0},
    "Depth": lambda: {"at_most": 2},
    "Problem.restricted": lambda: {"keep": np.ones((3, 3), bool)},
    "Span": lambda: {"first": 1, "last": 2},
    "Drawing.save": lambda: {"path": "a.svg"},
    "compare": lambda: {"a": [sentence()], "b": [sentence()], "samples": 10},
    "brackets": lambda: {"gold": [TREE], "system": [TREE]},
    "Parameters.same_label": lambda: {"a": "x", "b": "y"},
    "Parameters.same_word": lambda: {"a": "x", "b": "y"},
    "Parameters.is_deleted": lambda: {"label": "x"},
    "InducedParser.train": lambda: {"options": InductionOptions(method="dmv", iterations=1)},
    "InductionSettings.from_json": lambda: {"values": induced().options.to_json()},
    "induce.resolve": lambda: {"options": InductionOptions()},
    "Steps.get": lambda: {"name": "a", "compute": lambda: 1},
    "Steps.keep": lambda: {"name": "a", "result": 1},
    "TaggedCorpus.sentence": lambda: {"span": slice(0, 2)},
    "TaggedCorpus.shorter_than": lambda: {"limit": 3},
    "Clusters.from_json": lambda: {"saved": clusters().to_json()},
    "cluster": lambda: {"sentences": [["a", "b", "c"], ["b", "a", "d"]]},
    "accuracy": lambda: {"heads": np.zeros(2, np.int32)},
    "Parser.train": lambda: {"options": SMALL_PARSER},
    "GraphParser.train": lambda: {"train": [with_graph()]},
    "Parser.each": lambda: {"answer": lambda worker, one: one},
    "changed": lambda: {"options": ParserOptions()},
    "Part.described": lambda: {"forms": ["Dogs", "bark"]},
    "Forbidden.permits": lambda: {"label": "obj", "tag": "NOUN", "head_tag": "VERB"},
    "ParserSettings.from_json": lambda: {"values": pipeline().parser.options.to_json()},
    "parser.resolve": lambda: {"options": ParserOptions()},
    "Pipeline.train": lambda: {
        "options": SMALL_PARSER,
        "tagger_options": TaggerOptions(tags=SMALL, lemmas=SMALL),
        "tokeniser_options": TokeniserOptions(learning=SMALL),
        "folds": 2,
    },
    "Tagger.train": lambda: {"options": TaggerOptions(tags=SMALL, lemmas=SMALL)},
    "TaggerOptions.from_json": lambda: {"values": TaggerOptions().to_json()},
    "Pipeline.join": lambda: {"metadata": {}},
    "Words.train": lambda: {
        "train": [tw.Sentence.from_words(["a", "b", "a", "c", "b", "c"])],
        "options": words.WordsOptions(classes=2, size=2),
    },
    "Parser.with_network": lambda: {"network": some_network()},
    "Network.read": lambda: {"sentences": [WORDS]},
    "Reading.labels": lambda: {"heads": [-1, 2, 0]},
    "Words.from_classes": lambda: {"path": "no.classes"},
    "Words.from_vectors": lambda: {"path": "no.vectors"},
    "Words.joined": lambda: {"other": some_words()},
    "Words.keep": lambda: {"rows": 1},
    "Tokeniser.train": lambda: {"options": TokeniserOptions(learning=SMALL)},
    "read_input": lambda: {"source": io.BytesIO(b"a"), "kind": "text"},
    "from_json": lambda: {"value": {"words": [{"form": "a"}]}},
    "Table": lambda: {"keys": [0, 1], "rows": [[0.0, 1.0], [1.0, 0.0]], "scores": [0.0, 1.0]},
    "Table.with_products": lambda: {"pairs": [(0, 1)], "keys": [2]},
    "Cardinality": lambda: {"keys": [0, 1], "low": 0, "high": 1},
}


def instances() -> dict[type, Callable[[], Any]]:
    """An object of each class whose methods are called, a new one where a call may change it."""
    nlp = pipeline()
    return {
        tw.Pipeline: pipeline,
        tw.Parser: lambda: nlp.parser,
        tagger.Tagger: lambda: nlp.tagger,
        tagger.Tokeniser: tokeniser,
        words.Words: some_words,
        network.Network: some_network,
        network.NetworkOptions: network.NetworkOptions,
        network.Reading: lambda: some_network().read([WORDS])[0],
        words.WordsOptions: words.WordsOptions,
        InducedParser: induced,
        GraphParser: graph_parser,
        grammar.TreebankGrammar: treebank_grammar,
        grammar.LatentGrammar: latent_grammar,
        grammar.Collins: lexical_grammar,
        grammar.ParseForest: lambda: lexical_grammar().forest(WORDS),
        grammar.BracketMarginals: lambda: treebank_grammar().marginals(WORDS),
        grammar.HeadRules: lambda: grammar.HeadRules.load("english"),
        grammar.Vocabulary: lambda: grammar.Vocabulary.of([WORDS], min_count=1),
        joint.GrammarWithDependencies: with_dependencies,
        joint.GrammarWithTagger: with_tagger,
        joint.JointProblem: lambda: with_dependencies().problem(WORDS),
        joint.Trigrams: trigrams,
        corpus.Sentence: sentence,
        corpus.Word: lambda: sentence()[0],
        corpus.Tree: lambda: TREE,
        corpus.Treebank: lambda: tw.Treebank([sentence()]),
        corpus.Document: lambda: tw.corpus.Document([sentence()]),
        corpus.Layout: lambda: corpus.CONLLU,
        corpus.Reader: lambda: tw.read(io.BytesIO(b"")),
        checking.Counts: checking.Counts,
        decode.Parts: lambda: decode.Parts.from_arrays(ARC),
        decode.ThirdOrderParts: decode.ThirdOrderParts,
        decode.Problem: lambda: decode.Problem.of(ARC),
        decode.Parse: lambda: decode.tree(ARC),
        draw.Drawing: lambda: draw.svg(sentence()),
        evaluate.Parameters: evaluate.Parameters,
        induce.Limits: lambda: InductionOptions().limits,
        induce.Rules: lambda: induce.load_rules("ud"),
        induce.Clusters: clusters,
        induce.TaggedCorpus: tagged,
        induce.Steps: induce.Steps,
        parser.LabelRules: lambda: parser.LabelRules.read([sentence()]),
        parser.Part: lambda: nlp.why_not(sentence(), head=0, modifier=1).only_best[0],
        Forbidden: lambda: parser.LabelRules.read([sentence()]).forbidden(),
        relax.Table: relaxed_table,
        relax.Cardinality: lambda: relax.Cardinality([0, 1], 0, 1),
    }


def documented() -> Iterator[tuple[str, str, Any]]:
    """Module, name and object of what the pages of docs/api show."""
    for page in API:
        if page.stem in MODULES:
            for name in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
                place, _, last = name.rpartition(".")
                yield page.stem, last, getattr(importlib.import_module(place or f"treewright.{page.stem}"), last)


def callables() -> Iterator[tuple[str, str, Callable[[], Callable[..., Any]]]]:
    """Module, name and object of functions, methods and constructors."""
    objects = instances()
    for module, name, thing in documented():
        if inspect.isfunction(thing) or thing in CONSTRUCTORS:
            yield module, name, partial(itself, thing)
        for inner in methods(thing):
            yield module, f"{name}.{inner}", partial(method_of, objects.get(thing, partial(itself, thing)), inner)


def itself(thing: Any) -> Any:
    return thing


def method_of(owner: Callable[[], Any], name: str) -> Any:
    return getattr(owner(), name)


def methods(thing: Any) -> list[str]:
    """The names of the public methods that a class defines."""
    if not inspect.isclass(thing) or getattr(thing, "_is_protocol", False):
        return []
    callables = {name for name, value in vars(thing).items() if isinstance(value, METHOD_TYPES)}
    internal = {name for name in callables if name in INTERNAL or f"{thing.__name__}.{name}" in INTERNAL}
    return sorted(name for name in callables - internal if not name.startswith("_"))


def calls(folder: Path) -> Iterator[Call]:
    """Valid calls of everything that has arguments; files are in the folder."""
    for module, name, make in callables():
        parameters = inspect.signature(make()).parameters
        own = OWN.get(name) or OWN.get(f"{module}.{name}") or dict
        if list(parameters) not in ([], ["self"]) and not unknown(parameters, own):
            yield Call(f"{module}.{name}", make, partial(valid_arguments, parameters, own, folder), parameters)


def unknown(parameters: Mapping[str, inspect.Parameter], own: Callable[[], dict[str, Any]]) -> set[str]:
    """The required parameters without a valid value in OWN or `values`."""
    return set(required(parameters)) - values().keys() - own().keys() - {"self"}


def calls_without_values() -> list[str]:
    """The public calls that are not in the sweep, with the parameters that need a valid value."""
    found = []
    for module, name, make in callables():
        missing = unknown(inspect.signature(make()).parameters, OWN.get(name) or OWN.get(f"{module}.{name}") or dict)
        found += [f"{module}.{name}: {', '.join(sorted(missing))}"] if missing else []
    return found


def valid_arguments(
    parameters: Mapping[str, inspect.Parameter], own: Callable[[], dict[str, Any]], folder: Path
) -> dict[str, Any]:
    """Those without default, and those of OWN."""
    known = values()
    arguments = own()
    arguments |= {one: known[one]() for one in required(parameters) if one in known and one not in arguments}
    if isinstance(arguments.get("path"), str):
        arguments["path"] = folder / str(arguments["path"])
    return arguments


def required(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    """The names of the parameters without default."""
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [name for name, one in parameters.items() if one.default is one.empty and one.kind not in variable]

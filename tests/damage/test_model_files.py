"""A damaged model file is refused with a sentence that names it, or it works: nothing else happens.

With a checksum every change of a byte is found. Where the checksum is valid, as in a file that somebody edited, or
where there is none, as in files of version 0.1, the file may load; then it parses without a crash, and whatever it
raises is an error of a known kind.
"""

from __future__ import annotations

import json
import math
import pickle
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.model_files import MUTATIONS, Parsed
from oracles.networks import random_network
from oracles.pipelines import written

import treewright as tw
from treewright.errors import InfeasibleError, InputError
from treewright.induce import InducedParser
from treewright.induce.options import InductionOptions
from treewright.joint.taggers import tagged_sentences
from treewright.learn import Learning
from treewright.model import component, modelfile
from treewright.model import registry as models
from treewright.network import Network
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring
from treewright.tagger import Tagger, TaggerOptions
from treewright.tokeniser import TokeniserOptions
from treewright.words import WordsOptions

RAW = {"bit_flip", "bit_flip_in_the_index", "cut", "extended", "removed_bytes", "overwritten_bytes"}
TEXT = "The old dog sees a house."
SENTENCES = [tw.Sentence.from_words(["The", "dog", "barks"], upos=["DET", "NOUN", "VERB"])]
TREES = [
    "(S (NP (DET The) (ADJ old) (NOUN dog)) (VP (VERB sees) (NP (DET a) (NOUN house))) (PUNCT .))",
    "(S (NP (DET The) (NOUN dog)) (VP (VERB barks)) (PUNCT .))",
]
NAMES = [
    *("packed", "tokeniser", "tagger", "parser", "induced", "words"),
    *("grammar", "collins", "with tagger", "with dependencies", "network"),
]
KEPT = Path(__file__).parent.parent / "data"


@cache
def files() -> dict[str, bytes]:
    """Small models of every kind, as bytes."""
    small = Learning(bits=8, epochs=1)
    nlp = tw.Pipeline.train(
        written(20, 0),
        options=ParserOptions(
            pruning=Pruning(bits=8, epochs=1), scoring=Scoring(bits=9, epochs=1), labelling=Labelling(bits=8, epochs=1)
        ),
        tagger_options=TaggerOptions(tags=small, lemmas=small),
        tokeniser_options=TokeniserOptions(learning=small),
        folds=2,
    )
    induced = InducedParser.train(written(20, 0), options=InductionOptions(method="best", iterations=2))
    trees = [tw.Tree.parse(text) for text in TREES]
    grammar, collins = tw.grammar.TreebankGrammar.train(trees), tw.grammar.Collins.train(trees)
    tagger = Tagger.train(tagged_sentences(trees), options=TaggerOptions(("xpos",), tags=small))
    found: dict[str, component.Component] = {
        "packed": nlp,
        "tokeniser": nlp.tokeniser,
        "tagger": nlp.tagger,
        "parser": nlp.parser,
        "induced": induced,
        "words": tw.Words.train(written(20, 0), options=WordsOptions(classes=4, size=4)),
        "grammar": grammar,
        "collins": collins,
        "with tagger": tw.joint.GrammarWithTagger(grammar, tagger, 1.0),
        "with dependencies": tw.joint.GrammarWithDependencies(collins, nlp.tagger, trained_parser(nlp), 1.0),
        "network": Network(random_network()),
    }
    return {name: saved(model) for name, model in found.items()}


def trained_parser(nlp: tw.Pipeline) -> tw.Parser:
    assert isinstance(nlp.parser, tw.Parser)
    return nlp.parser


def saved(model: component.Component) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.tw")
        model.save(path)
        return path.read_bytes()


def use(path: Path) -> None:
    """Load the model and run it."""
    found: Any = models.load_component(path)
    if found.KIND in ("pipeline", "tokeniser"):
        list(found(TEXT))
    elif found.KIND == "words":
        for form in SENTENCES[0].forms:
            found.neighbours(form)
            found.members(form)
    elif found.KIND == "tagger":
        list(found.tag(SENTENCES))
    elif found.KIND == "network":
        check_no_nan(found)
    elif found.KIND in (*models.GRAMMARS, *models.JOINT_MODELS):
        parse_phrases(found)
    else:
        list(found.parse(SENTENCES, max_seconds=1.0))


def parse_phrases(grammar: Any) -> None:
    """A damaged grammar may have no tree for a sentence, or lack the tags of the tagger."""
    with suppress(InfeasibleError, InputError):
        grammar.parse(SENTENCES[0].forms, partial=True)


def check_no_nan(network: Network) -> None:
    [reading] = network.read([SENTENCES[0].forms])
    for array in (reading.arcs, reading.tags, reading.labels([-1, 0, 1, 1])):
        assert not np.isnan(array).any()


def outcome(path: Path) -> str:
    """ "works", or the message of an InputError, which must name the file in one line."""
    try:
        use(path)
    except InputError as error:
        message = str(error)
        assert path.name in message, message
        assert "\n" not in message
        assert len(message) < 500, message
        return message
    return "works"


def check_damage(name: str, file: bytes, seed: int, path: Path) -> None:
    random = np.random.default_rng(seed)
    kind = list(MUTATIONS)[seed % len(MUTATIONS)]
    damaged = MUTATIONS[kind](file, random)
    path.write_bytes(damaged)
    found = outcome(path)
    if kind in RAW and damaged != file and b"checksum" in file:
        assert "not a model file, or a damaged one" in found, (name, kind, seed, found)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("has_checksum", [True, False])
@pytest.mark.parametrize(
    "seeds",
    [range(4 * len(MUTATIONS)), pytest.param(range(1000, 1900), marks=pytest.mark.slow)],
    ids=["some", "ten thousand in all"],
)
def test_a_damaged_file_is_refused_by_name_or_works(
    name: str, has_checksum: bool, seeds: range, tmp_path: Path
) -> None:
    file = files()[name]
    if not has_checksum:
        file = Parsed.of(file).without_checksum().bytes()
    for seed in seeds:
        check_damage(name, file, seed, tmp_path / "damaged.tw")


def test_every_bit_flip_in_the_index_is_found(tmp_path: Path) -> None:
    file = bytearray(files()["induced"])
    path = tmp_path / "flipped.tw"
    for place in range(0, 8 + int.from_bytes(file[:8], "little"), 3):
        file[place] ^= 1 << place % 8
        path.write_bytes(file)
        with pytest.raises(InputError, match=r"flipped.tw: not a model file, or a damaged one"):
            modelfile.open_model(path)
        file[place] ^= 1 << place % 8


def test_a_file_without_a_checksum_is_refused(tmp_path: Path) -> None:
    file = files()["induced"]
    (tmp_path / "bare.tw").write_bytes(file.replace(b'"checksum"', b'"checkers"', 1))
    assert "its metadata are not those that Treewright writes" in outcome(tmp_path / "bare.tw")


@pytest.mark.parametrize("name", ["grammar", "collins", "with tagger", "with dependencies"])
def test_undamaged_grammars_parse(name: str, tmp_path: Path) -> None:
    (tmp_path / "model.tw").write_bytes(files()[name])
    found: Any = models.load_component(tmp_path / "model.tw")
    assert found.parse(["The", "dog", "barks", "."]).certified


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf, "1", None])
@pytest.mark.parametrize("name", ["with tagger", "with dependencies"])
def test_a_weight_of_the_other_model_that_is_no_weight_is_refused(name: str, weight: Any, tmp_path: Path) -> None:
    parsed = Parsed.of(files()[name])
    (tmp_path / "weight.tw").write_bytes(replace(parsed, header={**parsed.header, "weight": weight}).bytes())
    assert "not a model file, or a damaged one" in outcome(tmp_path / "weight.tw")


@pytest.mark.parametrize("scale", [math.nan, math.inf, -math.inf, 1e308, -1.0, "1", None, 1e31])
def test_a_scale_that_is_no_scale_is_refused(scale: Any, tmp_path: Path) -> None:
    parsed = Parsed.of(files()["parser"])
    for name in ("pruner", "scorer", "labeller"):
        header = {**parsed.header, "scales": {**parsed.header["scales"], name: scale}}
        (tmp_path / "scale.tw").write_bytes(replace(parsed, header=header).bytes())
        assert outcome(tmp_path / "scale.tw").startswith(f"{tmp_path / 'scale.tw'}: not a model file, or a damaged one")


@pytest.mark.parametrize(
    ("name", "seed", "problem"),
    [("tagger", 1097, "max_guesses")],
)
def test_headers_with_impossible_values_are_refused_on_load(name: str, seed: int, problem: str, tmp_path: Path) -> None:
    kind = list(MUTATIONS)[seed % len(MUTATIONS)]
    path = tmp_path / "edited.tw"
    path.write_bytes(MUTATIONS[kind](files()[name], np.random.default_rng(seed)))
    with pytest.raises(InputError, match=f"edited.tw: not a model file, or a damaged one .*{problem}"):
        models.load_component(path)


def test_an_induced_parser_without_a_weight_is_refused(tmp_path: Path) -> None:
    parsed = Parsed.of(files()["induced"])
    header = json.loads(json.dumps(parsed.header))
    header["options"]["joint"]["weight"] = "heavy"
    (tmp_path / "weight.tw").write_bytes(replace(parsed, header=header).bytes())
    assert "header.options.joint.weight is 'heavy'" in outcome(tmp_path / "weight.tw")


def test_a_size_that_the_file_cannot_have_reserves_no_memory(tmp_path: Path) -> None:
    parsed = Parsed.of(files()["packed"])
    header = json.loads(json.dumps(parsed.header))
    header["packed"]["parser.scorer"]["shape"] = [1 << 45]
    (tmp_path / "bomb.tw").write_bytes(replace(parsed, header=header).bytes())
    assert "packed bytes cannot have 35184372088832 numbers" in outcome(tmp_path / "bomb.tw")


def test_a_file_of_another_format_is_refused_with_the_remedy(tmp_path: Path) -> None:
    for name in ("tokeniser", "tagger", "parser", "induced", "packed"):
        parsed = Parsed.of(files()[name])
        (tmp_path / "new.tw").write_bytes(replace(parsed, header={**parsed.header, "format": 99}).bytes())
        assert "has format 99, but this Treewright reads format" in outcome(tmp_path / "new.tw")


def test_a_pickle_with_other_arrays_is_refused(tmp_path: Path) -> None:
    parser = tw.Parser.load(KEPT / "sample.tw")
    function, (kind, header, arrays) = parser.__reduce__()
    for bad in ({**arrays, "pruner": arrays["pruner"][:-1]}, {**arrays, "labels.label": arrays["labels.label"] + 99}):
        with pytest.raises(InputError, match=r"^pickle: not a model file, or a damaged one"):
            function(kind, header, bad)
    assert pickle.loads(pickle.dumps(parser)).options == parser.options


def test_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    import os

    with pytest.raises(InputError, match="it is a folder"):
        modelfile.open_model(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="it is not a regular file"):
        modelfile.open_model(tmp_path / "pipe")

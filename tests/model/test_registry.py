"""Models are found by file or by name; every command takes every model that has the component it needs."""

from __future__ import annotations

import multiprocessing
import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracles.pipelines import pipeline, text_of, written
from oracles.processes import LIMIT, Run, runner

import treewright as tw
from treewright.errors import InputError, NameWarning
from treewright.induce import InducedParser
from treewright.induce.options import InductionOptions
from treewright.languages.installed import EMBEDDED
from treewright.learn import Learning
from treewright.model.component import Component
from treewright.model.modelfile import ModelFile
from treewright.model.registry import load_parser
from treewright.pipeline import Pipeline
from treewright.tagger import Tagger
from treewright.tokeniser import Tokeniser, TokeniserOptions

TEXT = "The old dog sees a house. Every teacher hears this song."


@cache
def induced() -> InducedParser:
    return InducedParser.train(written(20, 0), options=InductionOptions(method="dmv", iterations=2))


@cache
def tokeniser() -> Tokeniser:
    return Tokeniser.train(written(20, 0), options=TokeniserOptions(learning=Learning(bits=10, epochs=1)))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright arguments` in a folder with a text, sentences, and models of every kind."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(TEXT)
    tw.write(written(3, 5), "a.conllu")
    nlp = replace(pipeline(), tokeniser=tokeniser())
    nlp.save("my.tw")
    nlp.trained_parser.save("my.parser")
    nlp.tagger.save("my.tagger")
    tokeniser().save("my.tokeniser")
    induced().save("my.induced")
    pipeline().save("rules.tw")
    return runner(monkeypatch, capsys)


# -- commands


@pytest.mark.parametrize(
    ("arguments", "models"),
    [
        (["complete", "MODEL", "a.conllu"], ["en", "my.tw", "my.parser"]),
        (["tag", "run", "MODEL", "a.conllu"], ["en", "my.tw", "my.tagger"]),
        (["tag", "tokenise", "MODEL", "a.txt"], ["en", "my.tw", "my.tokeniser"]),
        (["parse", "MODEL", "a.conllu"], ["en", "my.tw", "my.parser", "my.induced"]),
        (["parse", "MODEL", "a.txt"], ["en", "my.tw"]),
    ],
)
def test_a_command_takes_every_model_with_the_component(run: Run, arguments: list[str], models: list[str]) -> None:
    for model in models:
        ended = run(*(model if word == "MODEL" else word for word in arguments), "-q")
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.count("\n\n") == (3 if "a.conllu" in arguments else 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["complete", "my.tagger", "a.conllu"],
            "my.tagger is a tagger, but a pipeline, a parser or an induced parser is needed; `treewright",
        ),
        (
            ["complete", "my.induced", "a.conllu", "--rank", "list.tsv"],
            "my.induced: its parser is induced, but trees are completed by one trained on a treebank",
        ),
        (
            ["parse", "my.induced", "a.conllu", "--kbest", "2"],
            "an induced model has no list of the best trees; leave out --kbest",
        ),
        (
            ["why", "my.induced", "a.conllu", "--word", "1"],
            "my.induced: its parser is induced and has no scores of single parts; `treewright train",
        ),
        (["tag", "run", "my.parser", "a.conllu"], "my.parser is a parser, but a tagger is needed; `treewright"),
        (["tag", "tokenise", "rules.tw", "a.txt"], "rules.tw is a pipeline without a tokeniser; `treewright"),
        (["parse", "my.tagger", "a.conllu"], "my.tagger is a tagger, but a pipeline, a parser or an induced parser"),
        (
            ["parse", "unknown", "a.conllu"],
            "there is no model unknown, and no file of this name; installed: en, en_phrases; `treewright",
        ),
        (["pack", "my.parser", "-o", "x.tw"], "no tagger among my.parser; `treewright"),
    ],
)
def test_a_model_without_the_component_is_named_with_the_way_to_get_it(
    run: Run, arguments: list[str], message: str
) -> None:
    ended = run(*arguments)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"treewright: {message}")


def test_a_pipeline_tags_what_it_completes_if_it_has_no_tags(run: Run) -> None:
    gold = written(3, 5)
    bare = [one.with_columns(upos=["_"] * len(one), heads=[-1] * len(one)) for one in gold]
    tw.write(bare, "bare.conllu")
    ended = run("complete", "my.tw", "bare.conllu", "-o", "out.conllu", "-q")
    assert (ended.returncode, ended.stderr) == (0, "")
    for one, other in zip(tw.read("out.conllu"), gold, strict=True):
        assert (one.upos, one.heads.tolist()) == (other.upos, other.heads.tolist())


def test_a_component_of_a_packed_model_is_replaced(run: Run) -> None:
    ended = run("pack", "my.tw", "my.induced", "-o", "new.tw")
    assert ended.returncode == 0
    new, old = Pipeline.load("new.tw"), Pipeline.load("my.tw")
    assert isinstance(new.parser, InducedParser)
    assert new.tagger.to_arrays()[0] == old.tagger.to_arrays()[0]
    again = run("pack", "my.parser", "new.tw", "-o", "again.tw", "-q")
    assert (again.returncode, again.stderr) == (0, "")
    assert Pipeline.load("again.tw").trained_parser.to_arrays()[0] == old.trained_parser.to_arrays()[0]


@pytest.mark.slow
def test_a_part_of_the_embedded_model_is_replaced_and_its_licence_stays(run: Run) -> None:
    assert run("pack", "en", "my.tagger", "-o", "new.tw", "-q").returncode == 0
    new = Pipeline.load("new.tw")
    assert (new.metadata["name"], new.metadata["licence"]) == ("new", tw.load("en").metadata["licence"])
    assert new.tagger.tags == pipeline().tagger.tags


# -- induced parsers in pipelines


def test_an_induced_parser_is_packed_with_a_tokeniser_and_a_tagger(tmp_path: Path) -> None:
    nlp = replace(pipeline(), parser=induced())
    [first, _] = nlp(TEXT)
    [alone] = induced().parse([first])
    assert first.heads.tolist() == alone.heads.tolist()
    nlp.save(tmp_path / "nlp.tw")
    again = tw.load(tmp_path / "nlp.tw")
    assert isinstance(again, Pipeline)
    assert [sentence.heads.tolist() for sentence in again(TEXT)] == [one.heads.tolist() for one in nlp(TEXT)]
    assert InducedParser.load(tmp_path / "nlp.tw").options == induced().options
    with pytest.raises(InputError, match="pipeline without a parser"):
        tw.Parser.load(tmp_path / "nlp.tw")
    with pytest.raises(InputError, match="its parser is induced"):
        _ = nlp.trained_parser


# -- names


def test_an_unknown_name_is_answered_with_the_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for load in (tw.load, tw.Parser.load, Tagger.load, Tokeniser.load, Pipeline.load):
        with pytest.raises(
            InputError, match=r"^there is no model unknown, and no file of this name; installed: en, en_phrases$"
        ):
            load("unknown")
    with pytest.raises(InputError, match=r"^folder/de\.tw: there is no such file$"):
        tw.load("folder/de.tw")


def test_the_name_wins_over_a_file_and_a_warning_says_so(run: Run) -> None:
    pipeline().save("en")
    with pytest.warns(NameWarning, match=r"en is the model that comes with Treewright; write \./en for the file"):
        named = tw.load("en")
    assert named.metadata["name"] == "en"
    for path in ("./en", Path("en")):
        model = tw.load(path)
        assert isinstance(model, Pipeline)
        assert model.metadata == {}
    tagged = run("tag", "run", "en", "a.conllu", "-q")
    assert tagged.returncode == 0
    assert tagged.stderr.startswith("treewright: en is the model that comes with Treewright; write ./en for the file")
    assert run("tag", "run", "./en", "a.conllu", "-q").stderr == ""


def test_a_folder_with_the_name_of_a_model_is_no_reason_to_warn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("en").mkdir()
    assert Tagger.load("en").tags == Tagger.load(str(EMBEDDED["en"])).tags


# -- processes


def answer(model: Any, text: str) -> list[str]:
    """What a model makes of a text, or of its sentences."""
    if isinstance(model, (Pipeline, Tokeniser)):
        return [str(sentence) for sentence in model(text)]
    sentences = pipeline()(text)
    work = model.tag if isinstance(model, Tagger) else model.parse
    return [str(sentence) for sentence in work(sentences)]


def test_models_work_in_other_processes() -> None:
    models = [pipeline().parser, pipeline().tagger, Tokeniser(), tokeniser(), induced(), pipeline(), tw.load("en")]
    text = text_of(3, seed=4)
    mine = [answer(model, text) for model in models]  # kernels and caches exist when the models are pickled
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        theirs = pool.starmap_async(answer, [(model, text) for model in models]).get(timeout=LIMIT)
    assert theirs == mine


def test_a_pickled_model_has_the_same_file(tmp_path: Path) -> None:
    models: list[Component] = [pipeline().parser, pipeline().tagger, tokeniser(), induced(), pipeline()]
    for number, model in enumerate(models):
        model.save(tmp_path / f"{number}.tw")
        pickle.loads(pickle.dumps(model)).save(tmp_path / f"{number}-again.tw")
        assert (tmp_path / f"{number}.tw").read_bytes() == (tmp_path / f"{number}-again.tw").read_bytes()


def test_a_model_without_its_network_does_not_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    array = ModelFile.array

    def recorded(file: ModelFile, name: str) -> Any:
        names.append(name)
        return array(file, name)

    monkeypatch.setattr(ModelFile, "array", recorded)
    fast = load_parser("en", network=False)
    assert names
    assert not [name for name in names if "network" in name]
    slow = load_parser("en")
    assert [name for name in names if "network" in name]
    assert isinstance(fast, Pipeline)
    assert isinstance(slow, Pipeline)
    text = "The old bridge creaked when a cart rolled over it."
    assert fast(text).to_conllu() == slow.without_network()(text).to_conllu()
    assert fast(text).to_dict() == slow.without_network()(text).to_dict()


def test_trees_without_the_network_are_projective_in_python_and_in_the_command_line() -> None:
    text = "A hearing is scheduled on the issue today. Which bridge did she say that he wanted to mend?"
    nlp, fast = load_parser("en"), load_parser("en", network=False)
    assert isinstance(nlp, Pipeline)
    assert isinstance(fast, Pipeline)
    linear = nlp.without_network()
    assert not nlp.trained_parser.model.projective
    assert linear.trained_parser.model.projective
    assert fast.trained_parser.model.projective
    assert linear(text).to_conllu() == nlp.without_network()(text, projective=True).to_conllu()
    again = pickle.loads(pickle.dumps(linear))
    assert again.trained_parser.model.projective
    assert again(text, projective=False).to_conllu() == fast(text, projective=False).to_conllu()

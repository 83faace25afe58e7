"""Components follow one protocol; their files are read once, and files of other formats are refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.model_files import with_checksum
from oracles.pipelines import pipeline, written

import treewright as tw
from treewright.errors import InputError
from treewright.model import component, modelfile
from treewright.model.modelfile import open_model
from treewright.model.registry import REGISTRY, component_class
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring
from treewright.tagger import Tagger


@pytest.mark.parametrize("kind", REGISTRY)
def test_every_component_has_the_members_of_the_protocol(kind: str) -> None:
    component_type = component_class(kind)
    assert kind == component_type.KIND
    assert component_type.FORMAT >= 1
    for name in ("to_arrays", "from_arrays", "train", "load", "save"):
        assert callable(getattr(component_type, name))


def components() -> Iterator[component.Component]:
    nlp = pipeline()
    yield from (nlp.tagger, nlp.parser, nlp)


def test_arrays_of_a_component_give_the_same_component() -> None:
    for one in components():
        header, arrays = one.to_arrays()
        again = type(one).from_arrays("memory", json.loads(json.dumps(header)), arrays)
        other, others = again.to_arrays()
        assert json.dumps(other, sort_keys=True) == json.dumps(header, sort_keys=True)
        assert {name: array.tobytes() for name, array in others.items()} == {
            name: array.tobytes() for name, array in arrays.items()
        }


def test_a_part_of_a_pipeline_loads_by_itself(tmp_path: Path) -> None:
    nlp = pipeline()
    nlp.save(tmp_path / "nlp.tw")
    for part in (nlp.tagger, nlp.parser):
        found = type(part).load(tmp_path / "nlp.tw")
        assert found.to_arrays()[0] == part.to_arrays()[0]
    with pytest.raises(InputError, match=r"nlp\.tw is a pipeline without a tokeniser$"):
        tw.tokeniser.Tokeniser.load(tmp_path / "nlp.tw")
    assert tw.Parser.load("en").options == tw.load("en").parser.options


def test_the_index_of_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline().save(tmp_path / "nlp.tw")
    calls: list[Any] = []

    def counted(path: modelfile.Path) -> modelfile.ModelFile:
        calls.append(path)
        return open_model(path)

    monkeypatch.setattr(modelfile, "open_model", counted)
    tw.load(tmp_path / "nlp.tw")
    assert calls == [tmp_path / "nlp.tw"]


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    header, arrays = pipeline().tagger.to_arrays()
    for format in (Tagger.FORMAT - 1, Tagger.FORMAT + 1):
        modelfile.save(tmp_path / "t.tw", "tagger", format, header, arrays)
        with pytest.raises(InputError, match=rf"t\.tw: the tagger has format {format}, but .*; train it again"):
            Tagger.load(tmp_path / "t.tw")


def test_a_pipeline_is_trained_on_jackknifed_tags() -> None:
    bank = written(40, 0)
    options = ParserOptions("arc", pruning=Pruning(bits=10), scoring=Scoring(bits=12), labelling=Labelling(bits=10))
    stages: list[str] = []
    nlp = tw.Pipeline.train(bank, options=options, seed=3, folds=2, report=lambda report: stages.append(report.stage))
    [sentence] = nlp("The dog sees a house.")
    assert sentence.upos == ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    assert sentence.heads.tolist() == [2, 3, 0, 5, 3, 3]
    for tags in ("tags", "tagger 1 tags", "tagger 2 tags"):
        assert stages.count(tags) == nlp.tagger.model.options.tags.epochs
    assert (nlp.trained_parser.options.seed, nlp.tagger.model.options.seed) == (3, 3)


def test_a_missing_array_is_named(tmp_path: Path) -> None:
    header, arrays = pipeline().tagger.to_arrays()
    del arrays["weights"]
    modelfile.save(tmp_path / "t.tw", "tagger", Tagger.FORMAT, header, arrays)
    with pytest.raises(InputError, match=r"t\.tw: .*the tagger lacks the arrays weights.*; get the file again"):
        tw.tagger.Tagger.load(tmp_path / "t.tw")


def test_an_array_that_is_not_complete_is_named(tmp_path: Path) -> None:
    modelfile.save(tmp_path / "m", "tagger", 3, {}, {"weights": np.zeros(8, dtype=np.float32)})
    (tmp_path / "m").write_bytes(with_checksum((tmp_path / "m").read_bytes().replace(b"[8]", b"[9]")))
    with pytest.raises(InputError, match=r"m: not a model file, or a damaged one .the array weights is not complete"):
        open_model(tmp_path / "m")

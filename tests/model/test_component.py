"""Components follow one protocol; their files are read once, and older files load through the table of renamed keys."""

from __future__ import annotations

import inspect
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
from treewright.model.component import REGISTRY, component_class
from treewright.model.modelfile import OLD_KEYS, open_model
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring

KEPT = Path(__file__).parents[1] / "data" / "sample-format-1.tw"
KEPT_HEADER = KEPT.with_name("pipeline-header-format-1.json")  # lists cut after their first entry


@pytest.mark.parametrize("kind", REGISTRY)
def test_every_component_has_the_members_of_the_protocol(kind: str) -> None:
    found = component_class(kind)
    assert kind == found.KIND
    assert found.FORMAT >= 1
    for name in ("to_arrays", "from_arrays", "train", "load", "save"):
        assert callable(getattr(found, name))
    arguments = inspect.signature(found.train).parameters
    assert list(arguments)[:2] == ["train", "dev"]
    assert {"options", "seed", "report"} <= set(arguments)


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
    with pytest.raises(InputError, match=r"nlp\.tw is a pipeline without a tokeniser; `treewright"):
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


def keys_of(values: Any, prefix: str = "") -> Iterator[str]:
    """The paths of all keys of nested dictionaries."""
    if isinstance(values, dict):
        for name, value in values.items():
            yield prefix + name
            yield from keys_of(value, f"{prefix}{name}.")


def old_files() -> list[tuple[str, dict[str, Any]]]:
    pipeline = json.loads(KEPT_HEADER.read_text(encoding="utf-8"))
    parts = [(kind, pipeline[kind]) for kind in ("tokeniser", "tagger", "parser")]
    return [("parser", dict(open_model(KEPT).header)), *parts, ("pipeline", pipeline)]


def test_old_keys_are_found_in_the_kept_files_and_replaced() -> None:
    used = set()
    for kind, header in old_files():
        before, after = set(keys_of(header)), set(keys_of(modelfile.with_new_keys(kind, header)))
        for path, new in OLD_KEYS[kind].items():
            *parents, _ = path.split(".")
            assert path not in after
            if path in before or path.replace("settings.", "rules.") in before:
                used.add((kind, path))
                assert ".".join([*parents, new]) in after
    assert used == {(kind, path) for kind, paths in OLD_KEYS.items() for path in paths}


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
    assert (nlp.parser.options.seed, nlp.tagger.model.options.seed) == (3, 3)


def test_a_missing_array_is_named(tmp_path: Path) -> None:
    header, arrays = pipeline().tagger.to_arrays()
    del arrays["weights"]
    modelfile.save(tmp_path / "t.tw", "tagger", 3, header, arrays)
    with pytest.raises(InputError, match=r"t\.tw: .*the tagger lacks the arrays weights.*; get the file again"):
        tw.tagger.Tagger.load(tmp_path / "t.tw")


def test_an_array_that_is_not_complete_is_named(tmp_path: Path) -> None:
    modelfile.save(tmp_path / "m", "tagger", 3, {}, {"weights": np.zeros(8, dtype=np.float32)})
    (tmp_path / "m").write_bytes(with_checksum((tmp_path / "m").read_bytes().replace(b"[8]", b"[9]")))
    with pytest.raises(InputError, match=r"m: not a model file, or a damaged one .the array weights is not complete"):
        open_model(tmp_path / "m")

"""`treewright train` and `Pipeline.train`: every part from one treebank, resumable, without what the treebank lacks."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import PARSER, written
from oracles.processes import Run, runner

import treewright as tw
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.learn import Learning
from treewright.model import checkpoint as checkpoints
from treewright.network import NetworkOptions
from treewright.parser import ParserOptions
from treewright.pipeline import Pipeline
from treewright.tagger import Tagger, TaggerOptions
from treewright.tokeniser import Tokeniser, TokeniserOptions

TAGGER = TaggerOptions(tags=Learning(bits=12, epochs=2), lemmas=Learning(bits=10, epochs=1))
TOKENISER = TokeniserOptions(learning=Learning(bits=12, epochs=2, rate=0.2, adagrad_epsilon=0.1))
SMALL: dict[str, Any] = {
    "options": replace(PARSER, model="arc"),
    "tagger_options": TAGGER,
    "tokeniser_options": TOKENISER,
    "folds": 2,
}


def bank(count: int, seed: int) -> list[Sentence]:
    """Sentences with lemmas and text, without XPOS and FEATS."""
    return [one.with_columns(lemmas=[form.lower() for form in one.forms]) for one in written(count, seed)]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright train arguments` in a folder with two small treebanks and with small tables."""
    monkeypatch.chdir(tmp_path)
    tw.write(bank(30, 0), "train.conllu")
    tw.write(bank(6, 1), "dev.conllu")

    def parsing(model: str, projective: bool | None, root: str | None, seed: int, learner: str) -> ParserOptions:
        return replace(PARSER, model=model, projective=projective, root=root, seed=seed, learner=learner)

    monkeypatch.setattr("treewright.cli.train.ParserOptions", parsing)

    def tagging(columns: tuple[str, ...], seed: int) -> TaggerOptions:
        return replace(TAGGER, columns=columns, seed=seed)

    def tokenising(seed: int, case_noise: float) -> TokeniserOptions:
        return replace(TOKENISER, seed=seed, case_noise=case_noise)

    monkeypatch.setattr("treewright.cli.train.TaggerOptions", tagging)
    monkeypatch.setattr("treewright.cli.train.TokeniserOptions", tokenising)
    return runner(monkeypatch, capsys, "train")


def test_one_command_makes_a_model_that_parses_raw_text(run: Run) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "my.tw", "--model", "arc")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "treewright: XPOS and FEATS empty in the training data: the tagger will not fill them\n" in ended.stderr
    lines = ended.stderr.splitlines()
    for stage in ("tokens", "tags", "lemmas", "tagger 1 tags", "tagger 4 lemmas", "fold 1", "scorer", "labeller"):
        assert any(line.startswith(f"{stage:8}  epoch 1/") for line in lines)
    assert lines[-2].startswith("my.tw: ")
    assert "trained on 30 sentences" in lines[-2]
    assert lines[-1].startswith("from the raw text of 6 development sentences (F1): Tokens ")
    assert sorted(path.name for path in Path().iterdir()) == ["dev.conllu", "my.tw", "train.conllu"]
    nlp = Pipeline.load("my.tw")
    assert (nlp.tagger.columns, nlp.metadata["name"]) == (("upos", "lemma"), "my")
    [sentence] = nlp("The dog sees a house.")
    assert sentence.forms == ["The", "dog", "sees", "a", "house", "."]
    assert sentence.heads.tolist() == [2, 3, 0, 5, 3, 3]
    assert sentence.lemmas[0] == "the"


def test_a_light_model_is_chosen_on_development_data(run: Run) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "my.tw", "--model", "arc", "--light")
    assert ended.returncode == 0
    assert any(line.startswith("light     epoch 0/10  LAS ") for line in ended.stderr.splitlines())
    assert Pipeline.load("my.tw")("The dog sees a house.")[0].upos[:3] == ["DET", "NOUN", "VERB"]
    refused = run("train.conllu", "-o", "x.tw", "--only", "parser", "--light")
    assert refused.returncode == 2
    assert "--only parser has no such option" in refused.stderr


def test_figures_stand_beside_those_that_were_published_for_the_treebank(run: Run) -> None:
    Path("train.conllu").rename("ga_idt-ud-train.conllu")
    ended = run("ga_idt-ud-train.conllu", "--dev", "dev.conllu", "-o", "my.tw", "--model", "arc")
    assert ended.stderr.splitlines()[-1].endswith("UD 2.5 Irish-IDT: Words 99.7, UPOS 90.0, UAS 76.8, LAS 66.4")


def test_the_command_and_the_function_make_the_same_model(run: Run) -> None:
    run("train.conllu", "--dev", "dev.conllu", "-o", "my.tw", "--model", "arc", "--seed", "3", "--projective", "-q")
    small = {**SMALL, "folds": 4}
    nlp = Pipeline.train("train.conllu", "dev.conllu", seed=3, metadata={"name": "my"}, **small)
    nlp.save("same.tw")
    assert Path("my.tw").read_bytes() == Path("same.tw").read_bytes()


def test_json_has_the_figures_from_raw_text(run: Run) -> None:
    ended = run("train.conllu", "-o", "my.tw", "--model", "arc", "--json", "-q")
    assert (ended.returncode, ended.stderr) == (0, "")
    summary = json.loads(ended.stdout)
    assert (summary["sentences"], summary["development"]["sentences"]) == (27, 3)
    assert set(summary["development"]["f1"]) >= {"Tokens", "UPOS", "Lemmas", "LAS"}
    assert 0 <= summary["development"]["f1"]["LAS"] <= summary["development"]["f1"]["UAS"] <= 100
    assert summary["epochs"][0]["stage"] == "tokens"


@pytest.mark.parametrize("kind", [Tagger, Tokeniser])
def test_only_one_component(run: Run, kind: type[Any]) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "my.part", "--only", kind.KIND, "--epochs", "1", "-q")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert isinstance(kind.load("my.part"), kind)


def test_a_treebank_without_text_gets_a_tokeniser_by_rules(run: Run) -> None:
    tw.write([one.with_columns(misc=["_"] * len(one)) for one in bank(30, 0)], "words.conllu")
    ended = run("words.conllu", "--dev", "dev.conllu", "-o", "my.tw", "--model", "arc")
    assert "neither # text nor SpaceAfter in the training data: raw text will be split by Unicode rules" in ended.stderr
    assert Pipeline.load("my.tw").tokeniser.model is None


def test_a_treebank_without_tags_and_lemmas_is_refused_with_the_remedy() -> None:
    bare = [one.with_columns(upos=["_"] * len(one)) for one in written(20, 0)]
    with pytest.raises(InputError, match=r"neither tags nor lemmas.*`treewright train --only parser`"):
        Pipeline.train(bare, **SMALL)


def train_and_stop(path: Path, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    """Train with checkpoints, and interrupt it after so many have been written."""
    save, calls = checkpoints.save, 0

    def counted(*given: Any) -> None:
        nonlocal calls
        save(*given)
        calls += 1
        if calls == stop:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", math.inf)
        patched.setattr(checkpoints, "save", counted)
        nlp = Pipeline.train(
            bank(20, 0), bank(5, 1), checkpoint=checkpoints.checkpoint_path(path), resume=True, **SMALL
        )
        nlp.save(path)


def test_interrupted_at_any_stage_it_resumes_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Pipeline.train(bank(20, 0), bank(5, 1), **SMALL).save(tmp_path / "whole.tw")
    path = tmp_path / "my.tw"
    interruptions = 0
    while not path.exists():
        assert interruptions < 100, "each run finishes one epoch more, at least"
        try:
            train_and_stop(path, monkeypatch, 3)
        except KeyboardInterrupt:
            interruptions += 1
    assert interruptions > 8
    assert path.read_bytes() == (tmp_path / "whole.tw").read_bytes()
    checkpoints.remove_checkpoint(path)
    assert not list(tmp_path.glob("my.tw.checkpoint*"))


def test_the_checkpoint_of_another_pipeline_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "my.tw"
    with pytest.raises(KeyboardInterrupt):
        train_and_stop(path, monkeypatch, 2)
    checkpoint = checkpoints.checkpoint_path(path)
    with pytest.raises(InputError, match="a training was interrupted here; continue it with resume"):
        Pipeline.train(bank(20, 0), bank(5, 1), checkpoint=checkpoint, **SMALL)
    with pytest.raises(InputError, match="another training: other training data"):
        Pipeline.train(bank(19, 0), bank(5, 1), checkpoint=checkpoint, resume=True, **SMALL)
    with pytest.raises(InputError, match=r"another training: parser seed 1 \(now 2\), tagger seed 1"):
        Pipeline.train(bank(20, 0), bank(5, 1), seed=2, checkpoint=checkpoint, resume=True, **SMALL)


def test_tagger_and_parser_learn_from_parsed_sentences(run: Run) -> None:
    ended = run("train.conllu", "-o", "a.tw", "--only", "parser", "--parsed", "train.conllu")
    assert ended.returncode == 2
    assert "with --only parser it needs --neural; or join the files" in ended.stderr
    treebank, parsed = bank(20, 0), bank(10, 7)
    taught = Pipeline.train(treebank, bank(5, 1), parsed=parsed, **SMALL)
    plain, joined = (Pipeline.train(some, bank(5, 1), **SMALL) for some in (treebank, [*treebank, *parsed]))
    assert same_arrays(taught.tokeniser, plain.tokeniser)  # the text of parsed sentences is not known
    assert same_arrays(taught.tagger, joined.tagger)
    assert not same_arrays(taught.tagger, plain.tagger)
    assert not same_arrays(taught.trained_parser, plain.trained_parser)


def same_arrays(one: Any, other: Any) -> bool:
    both = one.to_arrays()[1], other.to_arrays()[1]
    return both[0].keys() == both[1].keys() and all(np.array_equal(both[0][key], both[1][key]) for key in both[0])


def test_words_without_a_network_and_a_network_without_torch(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = run("train.conllu", "-o", "a.tw", "--words", "my.words")
    assert ended.returncode == 2
    assert "only a network uses words: add --neural" in ended.stderr
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "treewright.network.training", raising=False)
    monkeypatch.delitem(sys.modules, "treewright.network.encoder", raising=False)
    ended = run("train.conllu", "-o", "a.tw", "--neural")
    assert ended.returncode == 1
    assert 'training a network needs PyTorch: pip install "treewright[neural]"' in ended.stderr


@pytest.mark.parametrize(("given", "tagger", "network"), [((), 0.2, 0.1), (("--case-noise", "0.35"), 0.35, 0.35)])
def test_case_noise_is_that_of_the_tagger_and_of_the_network(
    run: Run, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], tagger: float, network: float
) -> None:
    shares: list[float] = []

    def plan_pipeline(*banks: object, tagger_options: TaggerOptions, network: NetworkOptions, **others: object) -> None:
        shares.extend((tagger_options.case_noise, network.case_noise))
        raise InputError("nothing is trained")

    def plan_parser(*banks: object, network: NetworkOptions, **others: object) -> None:
        shares.append(network.case_noise)
        raise InputError("nothing is trained")

    monkeypatch.setattr("treewright.cli.train.import_training", lambda encoder: None)
    monkeypatch.setattr(Pipeline, "plan", plan_pipeline)
    monkeypatch.setattr("treewright.cli.train.plan_parser", plan_parser)
    run("train.conllu", "-o", "a.tw", "--neural", *given)
    run("train.conllu", "-o", "a.tw", "--neural", "--only", "parser", *given)
    assert shares == [tagger, network, network]

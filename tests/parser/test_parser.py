"""The parser from end to end, on treebanks made by a grammar."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.treebank import treebank

import treewright as tw
from treewright import trees
from treewright.corpus import Sentence
from treewright.decode import exact
from treewright.errors import FormatError, InputError
from treewright.features.standard import STANDARD
from treewright.learn import Report
from treewright.model import modelfile
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring
from treewright.parser.tree_parts import parts_of_tree
from treewright.parser.worker import Parsed, Worker

SMALL = ParserOptions(
    pruning=Pruning(bits=12, epochs=3), scoring=Scoring(bits=14, epochs=3), labelling=Labelling(bits=12, epochs=3)
)


def small(model: str, **changes: Any) -> ParserOptions:
    return replace(SMALL, model=model, **changes)


def accuracy(parser: Parser, gold: list[Sentence], **options: Any) -> tuple[float, float]:
    heads = labels = words = 0
    for found, sentence in zip(parser.parse(gold, **options), gold, strict=True):
        right = found.heads == sentence.heads
        heads += int(right.sum())
        labels += sum(a == b for a, b, same in zip(found.deprels, sentence.deprels, right, strict=True) if same)
        words += len(sentence)
    return heads / words, labels / words


@pytest.fixture(scope="module")
def trained() -> Parser:
    return Parser.train(treebank(150), options=small("grand"))


def test_outermost_grandchildren_are_projective_and_are_read_back(tmp_path: Path) -> None:
    gold = treebank(60)
    parser = Parser.train(gold, options=small("outer"))
    assert parser.model.options.projective
    worker = Worker(parser.model)
    inputs = worker.encode(gold[:1])
    [parts] = worker.score(inputs, worker.prune(inputs, True))
    assert parts.outermost
    [found] = parser.parse(gold[:1])
    assert found.parse is not None
    assert found.parse.score == pytest.approx(parts.value(found.parse.heads))
    in_tree = parts_of_tree(parser.parts(gold[0]), found.parse.heads)
    assert sum(part.score for part in in_tree) == pytest.approx(found.parse.score)
    parser.save(tmp_path / "outer.tw")
    assert next(iter(Parser.load(tmp_path / "outer.tw").parse(gold[:1]))).heads.tolist() == found.heads.tolist()
    with pytest.raises(InputError, match="parts with outermost=True are for projective trees"):
        list(parser.parse(gold[:1], projective=False))
    with pytest.raises(InputError, match="model 'outer' is projective; leave out projective=False"):
        small("outer", projective=False)
    with pytest.raises(InputError, match="model 'outer' has the learners crf, mira, pa"):
        small("outer", learner="perceptron")


@pytest.mark.parametrize("model", ["arc", "sib", "grand", "outer"])
def test_learns_a_grammar(model: str) -> None:
    parser = Parser.train(treebank(200), options=small(model))
    uas, las = accuracy(parser, treebank(60, seed=1))
    assert uas > 0.97
    assert las > 0.95


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("learner", ["crf", "perceptron", "mira", "pa"])
def test_every_learner_learns_a_grammar(learner: str, projective: bool) -> None:
    parser = Parser.train(treebank(150), options=small("grand", learner=learner, projective=projective))
    assert accuracy(parser, treebank(60, seed=1))[0] > 0.95


@pytest.mark.parametrize("learner", ["perceptron", "mira", "pa"])
def test_learners_tell_separable_trees_apart(learner: str) -> None:
    corpus = treebank(30)
    parser = Parser.train(corpus, options=small("sib", learner=learner, scoring=Scoring(bits=16, epochs=6)))
    assert accuracy(parser, corpus)[0] == 1.0


def test_unknown_learner() -> None:
    learners = "crf, perceptron, mira, pa"
    with pytest.raises(InputError, match=f"there is no learner 'best'; there are {learners}"):
        ParserOptions(learner="best")


def test_confidence_and_certificate_come_with_each_sentence(trained: Parser) -> None:
    for sentence in trained.parse(treebank(10, seed=2)):
        assert sentence.parse.certified
        assert sentence.parse.heads.tolist() == [-1, *sentence.heads.tolist()]
        assert sentence.head_confidence is not None
        assert sentence.head_confidence.shape == (len(sentence),)
        assert (sentence.head_confidence > 0).all()
        assert (sentence.head_confidence <= 1 + 1e-9).all()
        assert trees.is_tree(sentence.parse.heads, root="single")


def test_parsing_leaves_the_sentences_given_alone(trained: Parser) -> None:
    blank = Sentence.from_words(["the", "dog", "sees", "a", "house"], upos=["DET", "NOUN", "VERB", "DET", "NOUN"])
    before = str(blank)
    [parsed] = trained.parse([blank])
    assert str(blank) == before
    assert parsed.heads.tolist() == [2, 3, 0, 5, 3]


def test_any_number_of_threads_answers_alike(trained: Parser) -> None:
    sentences = treebank(200, seed=3)
    alone, together = (list(trained.parse(sentences, threads=threads)) for threads in (1, 3))
    assert [str(sentence) for sentence in alone] == [str(sentence) for sentence in together]
    for a, b in zip(alone, together, strict=True):
        assert a.head_confidence is not None
        np.testing.assert_array_equal(a.head_confidence, b.head_confidence)


def test_one_seed_gives_one_file(tmp_path: Path) -> None:
    for name in ("first", "second"):
        Parser.train(treebank(40), treebank(10, seed=1), options=small("sib")).save(tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_another_seed_gives_other_weights() -> None:
    one, other = (Parser.train(treebank(40), options=small("arc", seed=seed)).model.scorer.values for seed in (1, 2))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("learner", ["crf", "pa"])
@pytest.mark.parametrize("crossing", [0.0, 0.5])
def test_a_training_resumes_after_any_epoch_with_the_same_weights(
    learner: str, crossing: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", math.inf)
    options = small("sib", learner=learner, scoring=Scoring(bits=14, epochs=4, restarts=2))
    corpus, dev = treebank(40, crossing=crossing), treebank(10, seed=1, crossing=crossing)

    class Stop(Exception):
        pass

    def stop_after(count: int) -> Callable[[Report], None]:
        reports: list[Report] = []

        def report(report: Report) -> None:
            reports.append(report)
            if len(reports) == count:
                raise Stop

        return report

    whole = Parser.train(corpus, dev, options=options).model
    for count in (2, 8, 11, 12, 14):
        checkpoint = tmp_path / str(count)
        with pytest.raises(Stop):
            Parser.train(corpus, dev, options=options, checkpoint=checkpoint, report=stop_after(count))
        resumed = Parser.train(corpus, dev, options=options, checkpoint=checkpoint, resume=True).model
        assert resumed.options == whole.options
        for name in ("pruner", "scorer", "labeller"):
            one, other = getattr(whole, name), getattr(resumed, name)
            assert np.array_equal(one.values, other.values), (name, count)
            assert one.scale == other.scale


def test_the_development_set_is_parsed_at_the_ends_of_restarts() -> None:
    reports: list[Report] = []
    options = small("arc", scoring=Scoring(bits=14, epochs=5, restarts=2))
    Parser.train(treebank(30), treebank(10, seed=1), options=options, report=reports.append)
    judged = ["uas" in report.figures for report in reports if report.stage == "scorer"]
    assert judged == [False, True, False, False, True]


def test_saved_and_loaded_it_parses_alike(trained: Parser, tmp_path: Path) -> None:
    trained.save(tmp_path / "model.tw")
    loaded = Parser.load(tmp_path / "model.tw")
    assert loaded.options == trained.options
    assert loaded.model.metadata["sentences"] == 150
    sentences = treebank(20, seed=4)
    assert [str(s) for s in loaded.parse(sentences)] == [str(s) for s in trained.parse(sentences)]


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("model", ["arc", "sib", "grand"])
def test_a_batch_and_one_by_one_give_the_same_answers(model: str, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = Parser.train(treebank(60), options=replace(small(model), root=root))
    worker, sentences = Worker(parser.model), treebank(30, seed=5)
    for projective in (True, False):
        for search in ({}, {"max_seconds": 30.0, "max_nodes": 50}, {"method": "rearrange"}):
            batch = worker.parse(sentences, projective, **search)
            with monkeypatch.context() as patch:
                patch.setattr("treewright.parser.worker.MAX_CELLS", 1)  # each sentence is a group
                alone = worker.parse(sentences, projective, **search)
            assert all(same(*both) for both in zip(batch, alone, strict=True))


def same(one: Parsed, other: Parsed) -> bool:
    plain = [
        (
            {name: getattr(each.parse, name) for name in each.parse.__slots__} | {"heads": each.parse.heads.tolist()},
            each.labels,
            *(None if values is None else values.tolist() for values in each[2:]),
        )
        for each in (one, other)
    ]
    return plain[0] == plain[1]


def test_the_parser_decodes_through_decode(trained: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def choice(**kind: bool) -> str:
        calls.append(kind)
        return chosen(**kind)

    chosen = exact.algorithm
    monkeypatch.setattr(exact, "algorithm", choice)
    sentences = treebank(4, seed=5)
    for projective in (True, False):
        calls.clear()
        methods = {sentence.parse.method for sentence in trained.parse(sentences, projective=projective)}
        kind = {"projective": projective, "siblings": True, "grandparents": True}
        assert calls[: len(sentences)] == [kind] * len(sentences)
        assert methods == {chosen(**kind)}


def test_a_chart_too_large_is_refused_with_a_remedy(trained: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.decode.exact.LARGEST_CHART", 100)
    with pytest.raises(InputError, match="keep fewer candidate heads a word, or use method='dd'"):
        list(trained.parse(treebank(3, seed=5), projective=True))


def test_dual_decomposition_finds_the_exact_trees_and_takes_its_options(trained: Parser) -> None:
    bank = treebank(20, seed=8)
    exact = [sentence.parse.score for sentence in trained.parse(bank, projective=False)]
    for options in ({}, {"tighten": False}, {"max_iterations": 30, "tighten": True}):
        found = [sentence.parse for sentence in trained.parse(bank, projective=False, method="dd", **options)]
        assert all(parse.iterations <= options.get("max_iterations", 5000) for parse in found)
        for parse, best in zip(found, exact, strict=True):
            assert parse.score <= best + 1e-9 <= parse.bound + 2e-9
            assert not parse.certified or parse.score == pytest.approx(best, rel=1e-9)
        if not options:
            assert all(parse.certified for parse in found)


def long_sentence(words: int) -> Sentence:
    cells = [cells for sentence in treebank(words // 5, seed=6) for cells in sentence.cells("FORM", "UPOS")][:words]
    forms, tags = (list(column) for column in zip(*cells, strict=True))
    return Sentence.from_words(forms, upos=tags)


@pytest.mark.slow
def test_a_sentence_of_a_thousand_words_is_parsed_within_limits(trained: Parser) -> None:
    for options in ({"projective": True}, {"projective": False, "max_seconds": 0.5}):
        [found] = trained.parse([long_sentence(1000)], **options)
        assert trees.is_tree(found.parse.heads, root="single")
        assert found.parse.bound >= found.parse.score


def test_more_words_than_anybody_writes_are_refused_where_they_are_not_parsed_in_parts(trained: Parser) -> None:
    sentence = long_sentence(2001)
    for ask in (partial(trained.why_not, head=1, modifier=2), partial(trained.alternatives, modifier=1)):
        for projective in (True, False):
            with pytest.raises(
                FormatError, match=r"^<words>:1: a sentence of 2,001 words; the parser takes up to 1,000: "
            ):
                ask(sentence, projective=projective)


def test_a_search_that_runs_out_of_time_ends_with_a_gap(trained: Parser) -> None:
    functions: list[tuple[Callable[..., Iterator[Any]], Callable[..., Any]]] = [
        (trained.parse, trained.tree_setter),
        (trained.complete, trained.complete),
    ]
    for parse, with_default in functions:
        assert inspect.signature(with_default).parameters["max_seconds"].default == 30
        [found] = parse([long_sentence(200)], projective=False, max_seconds=0)
        assert found.parse.certificate is None
        assert found.parse.gap > 0
        [short] = parse(treebank(1), projective=False, max_seconds=None)
        assert short.parse.certified


def test_where_nothing_is_searched_no_time_is_too_short(trained: Parser) -> None:
    sentences = treebank(5, seed=2)
    for options in ({"projective": True}, {"projective": False, "method": "rearrange"}):
        hurried = [sentence.heads.tolist() for sentence in trained.parse(sentences, max_seconds=0, **options)]
        assert hurried == [sentence.heads.tolist() for sentence in trained.parse(sentences, **options)]


def test_only_crossing_models_ask_who_stands_between() -> None:
    corpus = treebank(6)
    projective, crossing = (Parser.train(corpus, projective=kind, options=small("grand")) for kind in (True, False))
    assert not projective.model.templates.beyond
    assert crossing.model.templates == STANDARD._replace(factors=(), tensor=())


def test_a_model_keeps_its_templates(trained: Parser, tmp_path: Path) -> None:
    fewer = trained.model.templates._replace(arc=("h.upos m.upos", "h.lemma b.upos"), label=("m.lemma",))
    parser = Parser(replace(trained.model, templates=fewer))
    parser.save(tmp_path / "model.tw")
    loaded = Parser.load(tmp_path / "model.tw")
    assert loaded.model.templates == fewer
    sentences = treebank(20, seed=4)
    found = [sentence.parse.score for sentence in loaded.parse(sentences)]
    assert found == [sentence.parse.score for sentence in parser.parse(sentences)]
    assert found != [sentence.parse.score for sentence in trained.parse(sentences)]


def test_reports_each_epoch_with_development_scores() -> None:
    reports: list[Report] = []
    Parser.train(treebank(40), treebank(10, seed=1), options=small("arc"), report=reports.append)
    names = [report.stage for report in reports]
    stages = ["fold 1"] * 3 + ["fold 2"] * 3 + ["pruner"] * 3 + ["scorer"] * 3 + ["labeller"] * 3
    assert names == [*stages, "confidence"]
    assert all({"uas", "oracle"} == set(report.figures) for report in reports if report.stage == "scorer")
    assert set(reports[-2].figures) == {"uas", "las"}
    losses = [report.loss for report in reports if report.stage == "pruner" and report.loss is not None]
    assert losses[-1] < losses[0]


def test_several_roots_where_the_treebank_has_them() -> None:
    corpus = [
        Sentence.from_words(["yes", "no"], upos=["A", "B"], heads=[0, 0], deprels=["root", "root"]) for _ in range(8)
    ]
    parser = Parser.train(corpus, options=small("grand"))
    assert parser.options.root == "multi"
    [parsed] = parser.parse([corpus[0]])
    assert parsed.heads.tolist() == [0, 0]


def test_one_word() -> None:
    corpus = [Sentence.from_words(["Stop"], upos=["VERB"], heads=[0], deprels=["root"])]
    parser = Parser.train(corpus, options=small("grand"))
    [parsed] = parser.parse([Sentence.from_words(["Go"])])
    assert parsed.heads.tolist() == [0]


@pytest.mark.parametrize("kept", [(), ("upos",), ("lemmas",), ("xpos", "feats")])
def test_columns_may_be_missing(kept: tuple[str, ...]) -> None:
    def bare(sentence: Sentence) -> Sentence:
        columns: dict[str, Any] = {
            "upos": sentence.upos,
            "lemmas": sentence.forms,
            "xpos": sentence.upos,
            "feats": ["A=1"] * len(sentence),
        }
        return Sentence.from_words(
            sentence.forms, heads=sentence.heads, deprels=sentence.deprels, **{name: columns[name] for name in kept}
        )

    parser = Parser.train([bare(s) for s in treebank(120)], options=small("sib"))
    assert accuracy(parser, [bare(s) for s in treebank(40, seed=5)])[0] > 0.9


def test_crossing_arcs_are_learned_where_the_treebank_has_them() -> None:
    corpus, held_out = treebank(200, crossing=0.4), treebank(60, seed=6, crossing=0.4)
    parser = Parser.train(corpus, options=small("arc"))
    assert not parser.options.projective
    free, projective = (accuracy(parser, held_out, projective=value)[0] for value in (False, True))
    assert free > 0.95
    assert free > projective


def test_the_development_set_decides_whether_arcs_may_cross(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", math.inf)
    corpus, held_out = treebank(150, crossing=0.4), treebank(40, seed=6, crossing=0.4)
    rules = small("sib", scoring=Scoring(bits=14, epochs=1))
    free = Parser.train(corpus, held_out, options=rules)
    assert not free.options.projective
    flat = list(free.parse(held_out, projective=True))

    def stop(report: Report) -> None:
        if report.stage == "labeller":
            raise KeyboardInterrupt

    chosen = Parser.train(corpus, flat, options=rules)
    assert chosen.options.projective
    assert np.array_equal(chosen.model.scorer.values, free.model.scorer.values)
    with pytest.raises(KeyboardInterrupt):
        Parser.train(corpus, flat, options=rules, checkpoint=tmp_path / "c", report=stop)
    resumed = Parser.train(corpus, flat, options=rules, checkpoint=tmp_path / "c", resume=True)
    assert resumed.options == chosen.options
    assert np.array_equal(resumed.model.labeller.values, chosen.model.labeller.values)
    assert not Parser.train(corpus, flat, options=replace(rules, projective=False)).options.projective


def test_no_sentences() -> None:
    with pytest.raises(InputError, match="the training data has no sentences"):
        Parser.train([])


def test_a_sentence_without_heads_cannot_be_learned_from() -> None:
    with pytest.raises(InputError, match="the training data has only _ in HEAD; `treewright induce` learns a parser"):
        Parser.train([Sentence.from_words(["a", "b"])], options=SMALL)


def test_unknown_model() -> None:
    with pytest.raises(InputError, match="there is no model 'best'; there are arc, sib, grand"):
        Parser.train(treebank(2), model="best")


def test_a_text_file_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.tw").write_text("weights")
    with pytest.raises(InputError, match=r"model.tw: not a model file, or a damaged one"):
        Parser.load(tmp_path / "model.tw")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        Parser.load(tmp_path / "absent.tw")


def test_a_cut_model_is_refused(trained: Parser, tmp_path: Path) -> None:
    trained.save(tmp_path / "whole.tw")
    (tmp_path / "cut.tw").write_bytes((tmp_path / "whole.tw").read_bytes()[:-100])
    with pytest.raises(InputError, match=r"cut.tw: not a model file, or a damaged one"):
        Parser.load(tmp_path / "cut.tw")


def test_a_newer_model_is_refused(tmp_path: Path) -> None:
    modelfile.save(tmp_path / "new.tw", "parser", Parser.FORMAT + 1, {}, {"x": np.zeros(1, dtype=np.float32)})
    expected = f"the parser has format {Parser.FORMAT + 1}, but this Treewright reads format {Parser.FORMAT}"
    with pytest.raises(InputError, match=expected):
        Parser.load(tmp_path / "new.tw")


def test_somebody_elses_tensors_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(1, dtype=np.float32)}, tmp_path / "other.tw")
    with pytest.raises(InputError, match="but not one of Treewright's"):
        Parser.load(tmp_path / "other.tw")


def test_the_parser_is_a_public_name() -> None:
    assert tw.Parser is Parser

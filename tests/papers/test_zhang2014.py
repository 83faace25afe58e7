"""Tables and figures of Zhang et al. 2014 on a treebank of a few sentences: their figures are those counted here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.treebank import treebank
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.reproduce import app
from treewright.papers import zhang2014_tables as zhang2014
from treewright.papers.climbing import Climbing
from treewright.papers.zhang2014_tables import Row4, Study, System, climb, gains, right_heads
from treewright.parser import FactorOptions, Labelling, ParserOptions, Pruning, Scoring, TensorOptions
from treewright.parser.options import LEARNERS
from treewright.parser.worker import Worker

SYSTEMS = [System("arc"), System("full"), System("grand"), System("third"), System("full", has_tensor=False)]


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of a second instead of a minute."""

    def options(system: System) -> ParserOptions:
        return ParserOptions(
            model=system.model,
            learner=system.learner if system.learner in LEARNERS else "crf",
            projective=False,
            pruning=Pruning(bits=10, epochs=1),
            scoring=Scoring(bits=12, epochs=1),
            labelling=Labelling(bits=8, epochs=1),
            factors=FactorOptions(bits=12, epochs=1),
            tensor=TensorOptions() if system.has_tensor else None,
        )

    monkeypatch.setattr(System, "options", options)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "toy").mkdir()
    for seed, split in enumerate(("train", "dev", "test")):
        tw.write(treebank(15, seed=seed), folder / "toy" / f"{split}.conllu")
    return folder


@pytest.fixture
def study(data: Path) -> Study:
    """Models are kept for the other tests of this file."""
    return Study(data, sentences=12, test_sentences=4, keep=data / "models", climbing=Climbing(epochs=1, patience=2))


def test_a_model_is_kept_and_trained_again_for_other_sentences(data: Path) -> None:
    trained: list[str] = []
    for sentences in (12, 12, 6):
        Study(data, sentences, keep=data / "kept", report=trained.append).parser("toy", System("arc"))
    assert trained == ["toy: training arc-crf on 12 sentences", "toy: training arc-crf on 6 sentences"]


def test_shared_stages_do_not_change_a_model(data: Path) -> None:
    shared = Study(data, 12)
    models = [shared.parser("toy", system).model for system in SYSTEMS]
    for system, model in zip(SYSTEMS, models, strict=True):
        alone = Study(data, 12).parser("toy", system).model
        for name in ("pruner", "scorer", "labeller", "tensor", "factors"):
            own, other = getattr(model, name), getattr(alone, name)
            assert (own is None) == (other is None), name
            if own is not None:
                assert own.scale == other.scale, name
                assert np.array_equal(own.values, other.values), name


def test_right_heads_leave_punctuation_out() -> None:
    gold = [tw.Sentence.from_words(["a", ",", "b", "c"], heads=[3, 1, 0, 3])]
    assert right_heads(gold, [[3, 4, 0, 1]]) == pytest.approx(200 / 3)


def test_heads_one_by_one_beside_trees(study: Study) -> None:
    [row] = zhang2014.table1(study, ["toy"])
    classifier = study.parser("toy", System("arc", "independent"))
    heads = []
    for sentence in study.test("toy"):
        h, m, score = classifier.parts(sentence).arcs
        best = [
            max((score[m == word][i], -i) for i in range((m == word).sum())) for word in range(1, len(sentence) + 1)
        ]
        heads.append([int(h[m == word][-place]) for word, (_, place) in enumerate(best, 1)])
    assert row.independent == pytest.approx(right_heads(study.test("toy"), heads))
    trees = zhang2014.parses(study.parser("toy", System("arc")), study.test("toy"))
    assert row.tree == pytest.approx(zhang2014.uas(study.test("toy"), trees))


def test_climbing_against_exact_search_and_dual_decomposition(study: Study) -> None:
    [optima] = zhang2014.table2(study, ["toy"])
    assert 1 <= optima.optima[0] <= optima.optima[2]
    rows = list(zhang2014.table3(study, ["toy"], patience=20))
    assert [row.learner for row in rows] == ["climbing", "dd"]
    for row in rows:
        assert row.dual_better + row.equal + row.climb_better == pytest.approx(100)
        assert row.exact_certified == 100


@pytest.mark.parametrize("model", ["grand", "full"])
def test_climbs_of_every_order_are_worth_what_the_model_says(study: Study, model: str) -> None:
    worker = Worker(study.parser("toy", System(model)).model)
    for sentence in study.test("toy")[:2]:
        found = climb(worker, sentence, "first-order", patience=5)
        inputs = worker.encode([sentence])
        [parts] = worker.score(inputs, worker.prune(inputs, False))
        heads = np.array([[-1, *found.heads]], dtype=np.int32)
        value = parts.value(heads[0])
        if worker.tree_scorer is not None and worker.model.factors is not None:
            value += float(worker.tree_scorer.values(inputs.batch, heads, *worker.model.factors)[0])
        assert found.values[-1] == pytest.approx(value, rel=1e-6)
        assert (np.diff(found.values) >= 0).all()
        assert len(climb(worker, sentence, "map", patience=5).values) == 1


def test_starts_and_restarts(study: Study) -> None:
    [row] = zhang2014.table5(study, ["toy"], model="grand", patience=5)
    assert set(row.uas) == set(row.start) == set(zhang2014.STARTS)
    [curves] = zhang2014.table6(study, ["toy"], model="grand", restarts=30, within=30)
    assert {100.0} >= {share for share in (curves.short, curves.long) if not np.isnan(share)}
    for curve in (curves.short_curve, curves.long_curve):
        assert not curve or (len(curve) == 30 and curve[-1] == 1 and (np.diff(curve) >= -1e-12).all())
    points = list(zhang2014.figure6(study, ["toy"], model="grand", restarts=(1, 4)))
    assert [point.restarts for point in points] == [1, 4]
    assert all(point.seconds > 0 for point in points)


def test_the_published_learner_trains_and_parses_every_order_by_climbing(study: Study) -> None:
    [row] = zhang2014.table4(study, ["toy"], ("1st", "3rd", "full", "exact 1st"), patience=3)
    [ours] = zhang2014.table4(study, ["toy"], ("1st", "exact 1st"), learner="crf")
    assert row.uas["exact 1st"] == ours.uas["exact 1st"]  # by the likelihood in both
    climbed = zhang2014.parses(study.parser("toy", System("full", "climbing")), study.test("toy"), "climb", patience=3)
    assert row.uas["full"] == zhang2014.uas(study.test("toy"), climbed)
    assert all(sentence.parse.method == "climb" for sentence in climbed)


def test_gains_by_length() -> None:
    rows = [Row4("a", {}, {"1st": 80.0, "full": 82.0}, {"1st": 70.0, "full": 75.0})]
    assert gains(rows) == {"a": zhang2014.Gain(2.0, 5.0)}


def test_commands_print_both_and_draw(study: Study, tmp_path: Path) -> None:
    shared = [str(study.data), "--treebanks", "toy", "--max-sentences", "12", "--test-sentences", "4", "--quiet"]
    shared += ["--keep", str(study.keep), "--epochs", "1", "--train-patience", "2"]

    def output(*given: str) -> str:
        result = CliRunner().invoke(app, ["zhang2014", given[0], *shared, *given[1:]])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert "the paper's Slovene" in output("table2")
    assert "> 10000" in output("table2")
    assert json.loads(output("table4", "--systems", "1st,exact 2nd", "--json"))[0]["uas"].keys() == {"1st", "exact 2nd"}
    assert "the paper's Average" in output("table4", "--systems", "1st")
    assert "found within 300 of 10, grand" in output("table6", "--model", "grand", "--climbs", "10")
    svg = tmp_path / "figure.svg"
    assert "value after restarts" in output("figure5", "--model", "grand", "--climbs", "10", "-o", str(svg))
    assert "restarts" in svg.read_text()
    assert "CPU us a word" in output("figure6", "--model", "grand", "-o", str(svg))
    assert "microseconds" in svg.read_text()
    assert "over 1st" in output("figure4", "--system", "exact 2nd", "-o", str(svg))
    assert "over the first order" in svg.read_text()


def test_the_gradient_of_independent_heads_is_the_derivative_of_their_log_probability() -> None:
    random = np.random.default_rng(0)
    heads = np.array([-1, 0, 1, -1], dtype=np.int32)  # the head of word 3 is open
    head, modifier = (np.array(column, dtype=np.int32) for column in ([0, 2, 3, 0, 1, 0, 1], [1, 1, 1, 2, 2, 3, 3]))
    score = random.normal(size=len(head))

    def loss(given: Any) -> float:
        return zhang2014.head_gradient(tw.decode.Parts(4, (head, modifier, given)), heads)[0]

    of_words = [score[modifier == word] for word in (1, 2)]
    gold = score[(head == 0) & (modifier == 1)][0] + score[(head == 1) & (modifier == 2)][0]
    assert loss(score) == pytest.approx(sum(np.log(np.exp(some).sum()) for some in of_words) - gold)
    parts = tw.decode.Parts(4, (head, modifier, score))
    for h, m, slope in zip(*zhang2014.head_gradient(parts, heads)[1].arcs, strict=True):
        step = 1e-6 * ((head == h) & (modifier == m))
        assert slope == pytest.approx((loss(score - step) - loss(score + step)) / 2e-6, abs=1e-6)

"""The learners of McDonald and Pereira (2006): the update on sentences small enough to enumerate."""

from __future__ import annotations

from typing import Any

import pytest
from oracles.instances import random_instance
from oracles.programs import head_value
from oracles.treebank import enhanced_treebank

import treewright as tw
from treewright.papers.mcdonald2006 import (
    graph_difference,
    graph_mira_step,
    graph_value,
    parse_graph,
    rearranging_mira,
    train_by_rearranging,
    train_on_graphs,
)
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring, resolve
from treewright.parser.partial import decided_heads

SMALL = ParserOptions(
    learner="mira", pruning=Pruning(bits=10), scoring=Scoring(bits=14, epochs=4), labelling=Labelling(bits=10)
)
GOLD = [(0, 2), (2, 1), (2, 3), (3, 4), (2, 4)]  # word 4 has two heads
OTHER = [(0, 3), (3, 2), (2, 1), (3, 4)]


def instance_of(seed: int) -> tuple[dict[str, Any], tw.decode.Parts]:
    instance = random_instance(seed, 4, parts="sib stop")
    scores = {"arc": instance.arc, **instance.scores}
    return scores, tw.decode.Parts.from_arrays(instance.arc, **instance.scores)


def value_by_definition(scores: dict[str, Any], arcs: list[tuple[int, int]]) -> float:
    return sum(head_value(scores, h, [m for head, m in arcs if head == h]) for h in range(5))


def test_the_value_of_a_graph_is_the_sum_over_its_heads() -> None:
    for seed in range(10):
        scores, parts = instance_of(seed)
        for arcs in (GOLD, OTHER):
            assert graph_value(parts, arcs) == pytest.approx(value_by_definition(scores, arcs))


def test_the_difference_of_two_graphs_has_the_difference_of_their_values() -> None:
    for seed in range(10):
        scores, parts = instance_of(seed)
        step = graph_difference(parts, GOLD, OTHER)
        product = float(step.arcs.score @ [scores["arc"][h, m] for h, m in zip(*step.arcs[:2], strict=True)])
        for (*indices, counts), name in ((step.siblings, "sib"), (step.stops, "stop")):
            product += float(counts @ scores[name][tuple(indices)])
        assert product == pytest.approx(value_by_definition(scores, GOLD) - value_by_definition(scores, OTHER))


class RecordingScorer:
    """Stands in for a scorer and its learner: each part is a feature of its own."""

    def __init__(self) -> None:
        self.step: tw.decode.Parts | None = None
        self.size = 0.0
        self.learner = self

    def add_parts(self, learner: object, step: Any) -> None:
        self.step = tw.decode.Parts.of(step)

    def squared_length(self) -> float:
        assert self.step is not None
        return sum(float(rows.score @ rows.score) for rows in (self.step.arcs, self.step.siblings, self.step.stops))

    def move(self, size: float) -> None:
        self.size = size


def test_after_a_step_the_graph_found_is_worse_by_its_wrong_and_missing_arcs() -> None:
    moved = 0
    for seed in range(20):
        scores, parts = instance_of(seed)
        recorder: Any = RecordingScorer()
        system = [(h, m) for h, m in tw.decode.graph(parts, root="multi").arcs.tolist()]
        errors = graph_mira_step(recorder, recorder, parts, GOLD)
        assert errors == len(set(system) - set(GOLD)) + len(set(GOLD) - set(system))
        if recorder.size == 0:
            continue
        moved += 1
        gap = value_by_definition(scores, GOLD) - value_by_definition(scores, system)
        assert gap + recorder.size * recorder.squared_length() == pytest.approx(errors)
    assert moved > 10


def test_a_parser_trained_on_graphs_finds_words_with_several_heads() -> None:
    train, test = list(enhanced_treebank(40)), list(enhanced_treebank(6, seed=1))
    parser = train_on_graphs(train, SMALL)
    parsed = [parse_graph(parser, sentence) for sentence in test]
    for sentence, gold in zip(parsed, test, strict=True):
        assert {(h, m) for h, m, _ in sentence.graph} == {(h, m) for h, m, _ in gold.graph}
        assert all((h, m) in {arc[:2] for arc in sentence.graph} for m, h in enumerate(sentence.heads.tolist(), 1))
    assert any(len(sentence.graph) > len(sentence) for sentence in parsed)


def test_a_parser_trained_by_rearranging_finds_the_trees_it_was_trained_on() -> None:
    train = list(enhanced_treebank(20))
    parser = train_by_rearranging(train, [], SMALL)
    parsed = parser.parse(train, method="rearrange", confidence=False)
    right = sum(int((p.heads == s.heads).sum()) for p, s in zip(parsed, train, strict=True))
    assert right == sum(map(len, train))


def test_the_step_is_against_the_tree_that_rearranging_finds() -> None:
    sentence = next(iter(enhanced_treebank(1)))
    settings = resolve(ParserOptions(model="sib", learner="mira", projective=False, root="multi"), [sentence])
    heads = decided_heads(sentence, ("x",), "multi")
    for seed in range(10):
        instance = random_instance(seed, len(sentence), parts="sib")
        parts = tw.decode.Parts.from_arrays(instance.arc, **instance.scores)
        example: Any = type("Example", (), {"heads": heads, "is_complete": True})
        recorder: Any = RecordingScorer()
        missed = rearranging_mira(settings, recorder, recorder, parts, example)
        best = tw.decode.tree(parts, root="multi", method="rearrange").heads
        assert missed == int((best != heads).sum())
        short = missed - parts.value(heads) + parts.value(best)
        assert recorder.size * recorder.squared_length() == pytest.approx(max(short, 0.0))

"""The low-rank tensor that scores arcs: its scores by the definition, its gradient by finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.treebank import treebank

from treewright.corpus import Sentence
from treewright.decode import Parts
from treewright.features import Encoder
from treewright.features.kernels import TensorScorer
from treewright.features.templates import tensor_tables
from treewright.learn import Averaged, Weights
from treewright.parser.stages.tensor import DISTANCES

RTOL = 1e-5  # scores are sums of floats
BITS, RANK = 12, 3
TEMPLATES = ("w.form", "w-1.upos w.upos", "w+1.lemma", "w.each", "w.lemma w.each")
ENCODER = Encoder(common=())
SENTENCES = [sentence for sentence in treebank(12) if len(sentence) > 2]

Numbers = NDArray[np.float32]


def all_arcs(nodes: int, scores: NDArray[np.float64] | None = None) -> Parts:
    """Every arc, with the score [h, m] or none."""
    arcs = [(h, m) for m in range(1, nodes) for h in range(nodes) if h != m]
    head, modifier = np.array(arcs, dtype=np.int32).T
    return Parts(nodes, (head, modifier, np.zeros(len(arcs)) if scores is None else scores[head, modifier]))


def scorer(tensors: int = 1) -> TensorScorer:
    return TensorScorer(tensor_tables(TEMPLATES), BITS, RANK, tensors)


def random_weights(seed: int = 1) -> Numbers:
    return np.random.default_rng(seed).normal(0, 0.3, 1 << BITS).astype(np.float32)


def scores_of(
    kernel: TensorScorer, sentence: Sentence, weights: Numbers, tensor: int | None = None
) -> NDArray[np.float64]:
    """The score of every arc, in the order of `all_arcs`."""
    parts = all_arcs(len(sentence) + 1)
    kernel.add_scores(ENCODER.encode([sentence]), [parts.core], weights, 1.0, tensor)
    return np.asarray(Parts.of(parts.core).arcs.score)


def distance_row(h: int, m: int) -> int:
    """1 to 5 words, 6 to 10, more; to the left first."""
    steps = abs(h - m)
    return min(steps, 5) + (steps > 5) + (steps > 10) + (7 if h < m else 0)


def used_rows(kernel: TensorScorer, nodes: int, arc: tuple[int, int]) -> list[int]:
    """The rows of the table that have a gradient by the score of one arc."""
    learner = Averaged(BITS, 1.0)
    learner.weights[:] = 1
    one = np.zeros((nodes, nodes))
    one[arc] = 1
    kernel.add_gradient(learner.learner, 0, all_arcs(nodes, one).core)
    learner.move(1.0)
    changed = np.flatnonzero(learner.weights != 1)
    return sorted(set((changed // RANK).tolist()))


@pytest.mark.parametrize("sentence", SENTENCES[:3], ids=range(3))
def test_scores_are_those_of_the_definition(sentence: Sentence) -> None:
    kernel, parts = scorer(), all_arcs(len(sentence) + 1)
    found = scores_of(kernel, sentence, random_weights())
    table = random_weights()[: (1 << BITS) // RANK * RANK].reshape(-1, RANK)
    border = DISTANCES + (len(table) - DISTANCES) // 2
    features = [3, *(3 + 2 * (0 if cell == "_" else cell.count("|") + 1) for cell in sentence.feats)]
    for h, m, score in zip(parts.arcs.h.tolist(), parts.arcs.m.tolist(), found, strict=True):
        rows = used_rows(kernel, parts.nodes, (h, m))
        heads = [row for row in rows if DISTANCES <= row < border]
        modifiers = [row for row in rows if row >= border]
        assert [row for row in rows if row < DISTANCES] == [0, distance_row(h, m)]
        assert (len(heads), len(modifiers)) == (features[h], features[m])
        u, v = table[heads].sum(axis=0), table[modifiers].sum(axis=0)
        assert score == pytest.approx((u * v * (table[0] + table[distance_row(h, m)])).sum(), rel=1e-4, abs=RTOL)


def test_the_gradient_is_that_of_finite_differences() -> None:
    sentence, random, kernel = SENTENCES[0], np.random.default_rng(3), scorer()
    nodes = len(sentence) + 1
    coefficients = random.normal(size=(nodes, nodes))
    learner = Averaged(BITS, 1.0)
    learner.weights[:] = random_weights()
    scores_of(kernel, sentence, random_weights())
    kernel.add_gradient(learner.learner, 0, all_arcs(nodes, coefficients).core)
    learner.move(1.0)
    gradient, step = learner.weights - random_weights(), 1e-2
    changed = np.flatnonzero(gradient)
    assert len(changed) > 20 * RANK
    arcs = all_arcs(nodes).arcs
    for place in random.choice(changed, 60, replace=False):
        values = []
        for sign in (1, -1):
            weights = random_weights()
            weights[place] += np.float32(sign * step)
            values.append(coefficients[arcs.h, arcs.m] @ scores_of(kernel, sentence, weights))
        assert gradient[place] == pytest.approx((values[0] - values[1]) / (2 * step), rel=2e-2, abs=2e-3)


def test_a_batch_has_the_scores_of_its_sentences_and_eight_bit_weights_those_of_their_products() -> None:
    batch, weights = ENCODER.encode(SENTENCES), Weights.of(random_weights())
    together = [all_arcs(len(sentence) + 1) for sentence in SENTENCES]
    scorer().add_scores(batch, [parts.core for parts in together], *weights)
    numbers = weights.values.astype(np.float32) * np.float32(weights.scale)
    for sentence, parts in zip(SENTENCES, together, strict=True):
        alone = all_arcs(parts.nodes)
        scorer().add_scores(ENCODER.encode([sentence]), [alone.core], *weights)
        found = Parts.of(parts.core).arcs.score
        assert found.tolist() == Parts.of(alone.core).arcs.score.tolist()
        assert found == pytest.approx(scores_of(scorer(), sentence, numbers), rel=1e-3, abs=1e-4)


def test_several_tensors_learn_each_for_itself_and_score_together_as_their_mean() -> None:
    sentence, count = SENTENCES[0], 3
    kernel, nodes = scorer(count), len(sentence) + 1
    together, alone = scores_of(kernel, sentence, random_weights()), []
    for number in range(count):
        alone.append(scores_of(kernel, sentence, random_weights(), number))
        learner = Averaged(BITS, 1.0)
        learner.weights[:] = random_weights()
        kernel.add_gradient(learner.learner, number, all_arcs(nodes, np.ones((nodes, nodes))).core)
        learner.move(1.0)
        columns = np.flatnonzero(learner.weights != random_weights()) % (RANK * count)
        assert set(columns.tolist()) == set(range(number * RANK, (number + 1) * RANK))
    assert not np.allclose(alone[0], alone[1])
    assert together == pytest.approx(np.mean(alone, axis=0), rel=1e-4, abs=RTOL)


def test_what_does_not_fit_is_refused() -> None:
    kernel, batch, parts = scorer(), ENCODER.encode(SENTENCES[:1]), all_arcs(len(SENTENCES[0]) + 1)
    with pytest.raises(ValueError, match="score a sentence first"):
        kernel.add_gradient(Averaged(BITS, 1.0).learner, 0, parts.core)
    with pytest.raises(ValueError, match="the parts do not fit the sentence"):
        kernel.add_scores(batch, [all_arcs(parts.nodes + 1).core], random_weights(), 1.0)
    with pytest.raises(ValueError, match=r"2\^bits weights"):
        kernel.add_scores(batch, [parts.core], random_weights()[:-1], 1.0)
    with pytest.raises(ValueError, match="no such tensor"):
        kernel.add_scores(batch, [parts.core], random_weights(), 1.0, 1)
    with pytest.raises(ValueError, match="room for the rows"):
        TensorScorer([], 8, 32, 1)
    with pytest.raises(ValueError, match="about one word"):
        TensorScorer([(0, 0, 1, np.array([[1, 0, 0, 0]], dtype=np.int32), [])], BITS, RANK, 1)

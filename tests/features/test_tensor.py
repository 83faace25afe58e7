"""The low-rank tensor that scores arcs: its scores by the definition, its gradient by finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.treebank import treebank

from treewright.decode import Parts
from treewright.features import Encoded, Encoder, TensorScorer, tensor_tables
from treewright.features.scoring import TENSOR_DISTANCES, TENSOR_SIDES
from treewright.learn import Averaged, Weights

RTOL = 1e-5  # scores are sums of floats
BITS, RANK, SIZE = 12, 3, 4
TEMPLATES = ("w.form", "w-1.upos w.upos", "w+1.lemma", "w.each", "w.lemma w.each")
ENCODER = Encoder(common=())
SENTENCES = [sentence for sentence in treebank(12) if len(sentence) > 2]
ENCODED = [ENCODER.encode(sentence) for sentence in SENTENCES]

Numbers = NDArray[np.float32]


def all_arcs(nodes: int, scores: NDArray[np.float64] | None = None) -> Parts:
    """Every arc, with the score [h, m] or none."""
    arcs = [(h, m) for m in range(1, nodes) for h in range(nodes) if h != m]
    head, modifier = np.array(arcs, dtype=np.int32).T
    return Parts(nodes, (head, modifier, np.zeros(len(arcs)) if scores is None else scores[head, modifier]))


def scorer(vector_size: int = 0, templates: tuple[str, ...] = TEMPLATES) -> TensorScorer:
    return TensorScorer(tensor_tables(templates), BITS, RANK, 1, vector_size)


def random_weights(seed: int = 1) -> Numbers:
    return np.random.default_rng(seed).normal(0, 0.3, 1 << BITS).astype(np.float32)


def scores_of(kernel: TensorScorer, parts: Parts, weights: Numbers) -> NDArray[np.float64]:
    kernel.add_scores(parts.core, weights, 1.0)
    return np.asarray(Parts.of(parts.core).arcs.score)


def distance_row(h: int, m: int) -> int:
    """1 to 5 words, 6 to 10, more; to the left first."""
    steps = abs(h - m)
    return min(steps, 5) + (steps > 5) + (steps > 10) + (7 if h < m else 0)


def test_scores_with_word_vectors_are_those_of_the_definition() -> None:
    table = random_weights()[: (1 << BITS) // RANK * RANK].reshape(-1, RANK).astype(np.float64)
    for nodes in (2, 3, 14):
        vectors = np.random.default_rng(nodes).normal(size=(nodes, SIZE)).astype(np.float32)
        words = [f"w{number}" for number in range(nodes - 1)]
        encoded = ENCODER.encode(type(SENTENCES[0]).from_words(words))
        kernel, parts = scorer(SIZE, templates=()), all_arcs(nodes)
        kernel.open(encoded.atoms, encoded.each, vectors)
        u = vectors @ table[TENSOR_DISTANCES : TENSOR_DISTANCES + SIZE]
        v = vectors @ table[TENSOR_DISTANCES + SIZE : TENSOR_DISTANCES + 2 * SIZE]
        expected = [
            (u[h] * v[m] * (table[0] + table[distance_row(h, m)])).sum()
            for h, m in zip(parts.arcs.h, parts.arcs.m, strict=True)
        ]
        assert scores_of(kernel, parts, random_weights()) == pytest.approx(np.array(expected), rel=1e-4, abs=RTOL)


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


@pytest.mark.parametrize("encoded", ENCODED[:3], ids=range(3))
def test_scores_with_templates_are_those_of_the_definition(encoded: Encoded) -> None:
    kernel, parts = scorer(), all_arcs(encoded.nodes)
    kernel.open(encoded.atoms, encoded.each)
    found = scores_of(kernel, parts, random_weights())
    table = random_weights()[: (1 << BITS) // RANK * RANK].reshape(-1, RANK)
    border = TENSOR_DISTANCES + (len(table) - TENSOR_DISTANCES) // 2
    features = 3 + 2 * (encoded.each != 0).sum(axis=1)
    for h, m, score in zip(parts.arcs.h.tolist(), parts.arcs.m.tolist(), found, strict=True):
        rows = used_rows(kernel, encoded.nodes, (h, m))
        heads = [row for row in rows if TENSOR_DISTANCES <= row < border]
        modifiers = [row for row in rows if row >= border]
        assert [row for row in rows if row < TENSOR_DISTANCES] == [0, distance_row(h, m)]
        assert (len(heads), len(modifiers)) == (features[h], features[m])
        u, v = table[heads].sum(axis=0), table[modifiers].sum(axis=0)
        assert score == pytest.approx((u * v * (table[0] + table[distance_row(h, m)])).sum(), rel=1e-4, abs=RTOL)


def test_the_gradient_is_that_of_finite_differences() -> None:
    encoded, random = ENCODED[0], np.random.default_rng(3)
    vectors = random.normal(size=(encoded.nodes, SIZE)).astype(np.float32)
    kernel = scorer(SIZE)
    kernel.open(encoded.atoms, encoded.each, vectors)
    coefficients = random.normal(size=(encoded.nodes, encoded.nodes))
    learner = Averaged(BITS, 1.0)
    learner.weights[:] = random_weights()
    kernel.add_gradient(learner.learner, 0, all_arcs(encoded.nodes, coefficients).core)
    learner.move(1.0)
    gradient, step = learner.weights - random_weights(), 1e-2
    changed = np.flatnonzero(gradient)
    assert len(changed) > 20 * RANK
    for place in random.choice(changed, 60, replace=False):
        values = []
        for sign in (1, -1):
            weights = random_weights()
            weights[place] += np.float32(sign * step)
            parts = all_arcs(encoded.nodes)
            values.append(coefficients[parts.arcs.h, parts.arcs.m] @ scores_of(kernel, parts, weights))
        assert gradient[place] == pytest.approx((values[0] - values[1]) / (2 * step), rel=2e-2, abs=2e-3)


def test_a_batch_has_the_scores_of_its_sentences_and_eight_bit_weights_those_of_their_products() -> None:
    batch, weights = ENCODER.encode_batch(SENTENCES), Weights.of(random_weights())
    together = [all_arcs(encoded.nodes) for encoded in ENCODED]
    scorer().batch_add_scores(batch, [parts.core for parts in together], None, *weights)
    for encoded, parts in zip(ENCODED, together, strict=True):
        kernel, alone, exact = scorer(), all_arcs(encoded.nodes), all_arcs(encoded.nodes)
        kernel.open(encoded.atoms, encoded.each)
        kernel.add_scores(alone.core, *weights)
        found = Parts.of(parts.core).arcs.score
        assert found.tolist() == Parts.of(alone.core).arcs.score.tolist()
        numbers = weights.values.astype(np.float32) * np.float32(weights.scale)
        assert found == pytest.approx(scores_of(kernel, exact, numbers), rel=1e-3, abs=1e-4)


def test_several_tensors_learn_each_for_itself_and_score_together_as_their_mean() -> None:
    encoded, count = ENCODED[0], 3
    kernel = TensorScorer(tensor_tables(TEMPLATES), BITS, RANK, count)
    kernel.open(encoded.atoms, encoded.each)
    together, alone = all_arcs(encoded.nodes), []
    kernel.add_scores(together.core, random_weights(), 1.0)
    for number in range(count):
        parts = all_arcs(encoded.nodes)
        kernel.add_scores_of(number, parts.core, random_weights(), 1.0)
        alone.append(Parts.of(parts.core).arcs.score)
        learner = Averaged(BITS, 1.0)
        learner.weights[:] = random_weights()
        kernel.add_gradient(learner.learner, number, all_arcs(encoded.nodes, np.ones((encoded.nodes,) * 2)).core)
        learner.move(1.0)
        columns = np.flatnonzero(learner.weights != random_weights()) % (RANK * count)
        assert set(columns.tolist()) == set(range(number * RANK, (number + 1) * RANK))
    assert not np.allclose(alone[0], alone[1])
    assert Parts.of(together.core).arcs.score == pytest.approx(np.mean(alone, axis=0), rel=1e-4, abs=RTOL)


def test_what_does_not_fit_is_refused() -> None:
    kernel, encoded = scorer(SIZE), ENCODED[0]
    with pytest.raises(ValueError, match="open a sentence first"):
        kernel.add_scores(all_arcs(3).core, random_weights(), 1.0)
    with pytest.raises(ValueError, match="a vector of the tensor's size a node"):
        kernel.open(encoded.atoms, encoded.each, np.zeros((encoded.nodes, SIZE + 1), np.float32))
    kernel.open(encoded.atoms, encoded.each)
    with pytest.raises(ValueError, match="the parts do not fit the sentence"):
        kernel.add_scores(all_arcs(encoded.nodes + 1).core, random_weights(), 1.0)
    with pytest.raises(ValueError, match=r"2\^bits weights"):
        kernel.add_scores(all_arcs(encoded.nodes).core, random_weights()[:-1], 1.0)
    with pytest.raises(ValueError, match="no such tensor"):
        kernel.add_scores_of(1, all_arcs(encoded.nodes).core, random_weights(), 1.0)
    with pytest.raises(ValueError, match="room for the rows"):
        TensorScorer([], 8, 32, 1)
    with pytest.raises(ValueError, match="about one word"):
        TensorScorer([(0, 0, 1, np.array([[1, 0, 0, 0]], dtype=np.int32), [])], BITS, RANK, 1)


def test_the_gradient_of_one_side_changes_its_rows_alone_and_the_three_make_up_the_whole() -> None:
    encoded = ENCODED[0]
    kernel = scorer()
    kernel.open(encoded.atoms, encoded.each)
    parts = all_arcs(encoded.nodes, np.random.default_rng(5).normal(size=(encoded.nodes, encoded.nodes)))

    def gradient(side: int) -> Numbers:
        learner = Averaged(BITS, 1.0)
        learner.weights[:] = random_weights()
        kernel.add_gradient(learner.learner, 0, parts.core, side)
        learner.move(1.0)
        return learner.weights - random_weights()

    sides = [gradient(side) for side in TENSOR_SIDES]
    rows = [set((np.flatnonzero(side) // RANK).tolist()) for side in sides]
    assert rows[0] == set(kernel.rows(False))
    assert rows[1] == set(kernel.rows(True)[kernel.begin()[1] :])  # the root has no head
    assert rows[2] == {0} | {
        kernel.distance(h, m) for h, m in zip(*map(np.ndarray.tolist, parts.arcs[:2]), strict=True)
    }
    assert kernel.begin()[-1] == len(kernel.rows(False))
    assert sum(sides) == pytest.approx(gradient(0), rel=RTOL, abs=RTOL)
    with pytest.raises(ValueError, match="no such side"):
        gradient(4)


def test_rows_of_distances_are_those_of_the_definition() -> None:
    kernel = scorer()
    for h in range(15):
        for m in range(15):
            if h != m:
                assert kernel.distance(h, m) == distance_row(h, m)

"""The DMV with featurised parameters (Berg-Kirkpatrick et al. 2010), fitted by L-BFGS.

Each multinomial is a softmax over indicator features of the tag and of its classes (noun, verb), so that nouns, proper
nouns and pronouns share weights. The gradient of the log likelihood is the expected counts minus the totals of each
multinomial times its probabilities; the expected counts come from the same kernel as those of EM.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.induce.dmv import DmvParameters, Limits, expectations
from treewright.induce.tagged import TaggedCorpus

Array = NDArray[np.float64]
CLASSES = {
    "noun": ("NOUN", "PROPN", "PRON"),
    "verb": ("VERB",),
    "noun or verb": ("NOUN", "PROPN", "PRON", "VERB"),
}


def names_of(kind: str) -> list[str]:
    """A tag and the classes it belongs to."""
    return [kind, *(name for name, members in CLASSES.items() if kind in members)]


class Features:
    """The feature matrix: one sparse row for each outcome of root, stop, go and attach, in this order."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        from scipy.sparse import csr_array

        self.kinds = len(kinds)
        numbers: dict[tuple[object, ...], int] = {}
        rows: list[list[int]] = []

        def outcome(*features: tuple[object, ...]) -> None:
            rows.append([numbers.setdefault(feature, len(numbers)) for feature in features])

        for a in kinds:
            outcome(*(("root", name) for name in names_of(a)))
        for decision in ("stop", "go"):
            for h in kinds:
                for side in (0, 1):
                    for v in (0, 1):
                        outcome(
                            *(
                                (decision, name, *context)
                                for name in names_of(h)
                                for context in (("side", side, v), ("side", side), ("v", v), ())
                            )
                        )
        for h in kinds:
            for side in (0, 1):
                for a in kinds:
                    pairs = [(x, y) for x in names_of(h) for y in names_of(a)]
                    outcome(*(("attach", *pair, *s) for pair in pairs for s in ((side,), ())))
        ends = np.cumsum([0, *(len(row) for row in rows)])
        columns = np.array([number for row in rows for number in row], dtype=np.int32)
        self.matrix: Any = csr_array((np.ones(len(columns)), columns, ends), shape=(len(rows), len(numbers)))

    def split(self, outcomes: Array) -> DmvParameters:
        k = self.kinds
        root, stop, go, attach = np.split(outcomes, np.cumsum([k, 4 * k, 4 * k]))
        return DmvParameters(root, stop.reshape(k, 2, 2), go.reshape(k, 2, 2), attach.reshape(k, 2, k))

    def parameters(self, weights: Array) -> DmvParameters:
        """The softmax of every multinomial."""
        from scipy.special import softmax

        scores = self.split(self.matrix @ weights)
        stop, go = softmax([scores.stop, scores.go], axis=0)
        return DmvParameters(softmax(scores.root), stop, go, softmax(scores.attach, axis=2))

    def gradient(self, counts: DmvParameters, model: DmvParameters) -> Array:
        """The gradient of the log likelihood with respect to the weights."""
        decisions = counts.stop + counts.go
        differences = (
            counts.root - counts.root.sum() * model.root,
            counts.stop - decisions * model.stop,
            counts.go - decisions * model.go,
            counts.attach - counts.attach.sum(axis=2, keepdims=True) * model.attach,
        )
        gradient: Array = self.matrix.T @ np.concatenate([table.ravel() for table in differences])
        return gradient


def fit_featurised(
    corpus: TaggedCorpus,
    limits: Limits,
    *,
    penalty: float = 10.0,
    iterations: int = 100,
    report: Callable[[int, float], None] = lambda iteration, value: None,
) -> DmvParameters:
    """Maximise log likelihood - penalty/2 |w|^2 from w = 0."""
    from scipy.optimize import minimize

    features = Features(corpus.kinds)
    steps = 0

    def objective(weights: Array) -> tuple[float, Array]:
        model = features.parameters(weights)
        value, counts = expectations(corpus, model, limits)
        gradient = features.gradient(counts, model) - penalty * weights
        return -(value - 0.5 * penalty * float(weights @ weights)), -gradient

    def count_and_report(intermediate_result: Any) -> None:
        nonlocal steps
        steps += 1
        report(steps, -float(intermediate_result.fun))

    found = minimize(
        objective,
        np.zeros(features.matrix.shape[1]),
        jac=True,
        method="L-BFGS-B",
        callback=count_and_report,
        options={"maxiter": iterations, "maxfun": 3 * iterations},
    )
    return features.parameters(found.x)

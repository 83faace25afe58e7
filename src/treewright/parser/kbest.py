"""The k best trees of a sentence with their probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from treewright import decode
from treewright.corpus import Sentence
from treewright.parser.question import Question


@dataclass(frozen=True, eq=False)
class KBest(Sequence[Sentence]):
    """The k best trees of a sentence, best first: copies of the sentence, each with its labels and its `parse`.

    The gap of a `parse` is the distance of its value from that of the best tree. probabilities[i] is the probability of
    tree i among all trees over the same arcs, where a tree has the weight exp(value / T) with the temperature T of the
    model's calibration; is_probability_exact is False for models whose arcs may cross, with siblings or grandparents,
    because their sum over trees is approximate. exact: whether it is proved that no better tree is missing.
    """

    trees: tuple[Sentence, ...]
    probabilities: tuple[float, ...]
    is_probability_exact: bool = True
    exact: bool = True

    @overload
    def __getitem__(self, place: int) -> Sentence: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Sentence]: ...
    def __getitem__(self, place: int | slice) -> Sentence | Sequence[Sentence]:
        return self.trees[place]

    def __len__(self) -> int:
        return len(self.trees)

    def with_comments(self) -> Iterator[Sentence]:
        """Copies with the comments `# rank`, `# value` and `# probability`, for files."""
        for rank, (tree, probability) in enumerate(zip(self.trees, self.probabilities, strict=True), start=1):
            copy = tree.copy()
            comments = {"rank": str(rank), "value": f"{tree.parse.score:.4f}"}
            comments["probability" if self.is_probability_exact else "approximate_probability"] = f"{probability:.4g}"
            for name, value in comments.items():
                copy.set_comment(name, value)
            yield copy


def kbest(question: Question, k: int) -> KBest:
    """Return the k best trees of one sentence over the arcs of a question."""
    parses = decode.kbest(question.parts, k, **question.search)
    log_sum = decode.log_partition(question.flat, **question.shape)
    temperature = question.temperature
    probabilities = tuple(min(1.0, float(np.exp(parse.score / temperature - log_sum))) for parse in parses)
    trees = tuple(question.labelled(parse) for parse in parses)
    return KBest(trees, probabilities, log_sum.exact, parses.exact)

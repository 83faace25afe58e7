"""The k best trees of a sentence with their probabilities."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, overload

import numpy as np

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode import Parse
from treewright.parser.long_sentences import cut_sentence, is_long, join_parts, share_of_part
from treewright.parser.question import Question
from treewright.parser.worker import Parsed

Ask = Callable[[Sentence, float | None, bool], Question]  # about a sentence: max_seconds, whether over all arcs


@dataclass(frozen=True, eq=False)
class KBest(Sequence[Sentence]):
    """The k best trees of a sentence, best first: copies of the sentence, each with its labels and its `parse`.

    The gap of a `parse` is the distance of its value from that of the best tree. probabilities[i] is the probability of
    tree i among all trees over the same arcs, where a tree has the weight exp(value / T) with the temperature T of the
    model's calibration; is_probability_exact is False for models whose arcs may cross, with siblings or grandparents,
    because their sum over trees is approximate. exact: whether it is proved that no better tree is missing.

    The trees of a long sentence are joined from those of its parts: no bound on other trees is known (the gap is
    infinite, and exact is False), and the probability is the product of those of the parts.
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


class JoinedTree(NamedTuple):
    """One tree for each of some parts of a sentence, with the sum of their values and the product of probabilities."""

    value: float
    probability: float
    trees: tuple[Sentence, ...]


def join_lists(sentence: Sentence, parts: Sequence[KBest], k: int, labels: Sequence[str]) -> KBest:
    """Join the lists of the parts of a long sentence to its k best trees; labels are those of the model."""
    best = [JoinedTree(0.0, 1.0, ())]
    for part in parts:
        longer = [
            JoinedTree(value + tree.parse.score, product * probability, (*trees, tree))
            for value, product, trees in best
            for tree, probability in zip(part, part.probabilities, strict=True)
        ]
        best = heapq.nlargest(k, longer, key=attrgetter("value"))
    joined = [join_parts([parsed_of(tree) for tree in row.trees], labels, sentence.upos) for row in best]
    return KBest(
        tuple(sentence.copy().set_tree(tree.parse.heads[1:].copy(), tree.labels, tree.parse) for tree in joined),
        tuple(row.probability for row in best),
        is_probability_exact=all(part.is_probability_exact for part in parts),
        exact=False,
    )


def parsed_of(tree: Sentence) -> Parsed:
    """Return the tree of a sentence with its labels, as a worker does."""
    assert isinstance(tree.parse, Parse)
    return Parsed(tree.parse, tree.deprels, None, None)


def best_trees(
    ask: Ask, sentence: Sentence, k: int, max_seconds: float | None, all_arcs: bool, labels: Sequence[str]
) -> KBest:
    """Return the k best trees of one sentence; a long one in parts, which share max_seconds.

    labels are those of the model. Where the candidate arcs have fewer than k trees, all arcs are used.
    """
    if is_long(sentence):
        parts = cut_sentence(sentence)
        share = share_of_part(max_seconds, len(parts))
        lists = [best_trees(ask, part, k, share, all_arcs, labels) for part in parts]
        return join_lists(sentence, lists, k, labels)
    trees = kbest(ask(sentence, max_seconds, all_arcs), k)
    if len(trees) < k and trees.exact and not all_arcs:
        return kbest(ask(sentence, max_seconds, True), k)
    return trees


def kbest(question: Question, k: int) -> KBest:
    """Return the k best trees of one sentence over the arcs of a question."""
    parses = decode.kbest(question.parts, k, **question.search)
    log_sum = decode.log_partition(question.flat, **question.shape)
    temperature = question.temperature
    probabilities = tuple(min(1.0, float(np.exp(parse.score / temperature - log_sum))) for parse in parses)
    trees = tuple(question.labelled(parse) for parse in parses)
    return KBest(trees, probabilities, log_sum.exact, parses.exact)

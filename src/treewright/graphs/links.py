"""Second-order parts of graphs: pairs of possible edges that share a word, their features, and the search over them.

Two possible edges with the same head, or with the same modifier, are linked: if both are in the graph, the score of the
link counts (McDonald and Pereira 2006, whose pairs are adjacent modifiers on one side of a head). Arcs of the tree that
every graph has are not linked: the features of an edge see them already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.graphs.features import Hashes, Indices, mixed
from treewright.graphs.paths import Pair

SAME_HEAD, SAME_MODIFIER = 1, 2  # kinds of links

# An edge is linked to so many edges after it with the same head, and with the same modifier; by convention above what
# occurs in most sentences, so that memory grows with the number of edges alone.
MAX_LINKS = 4
MIN_GAIN = 1e-9  # of a change: above rounding, so that a search ends; by convention
MAX_ENUMERATED = 12  # edges that are linked with one another, up to which all sets are compared for a bound

# A template of edges is applied to both edges of a link, and the two hashes are joined. By convention: not compared.
LINK_TEMPLATES = (
    *("path", "path m.upos h.upos", "path order", "path m.lemma", "path h.lemma", "path n.lemma"),
    *("path m.rel", "path h.kids", "path t.upos order", "path m.feats", "path h.feats", "m.upos h.upos t.upos"),
)

Link = tuple[int, int, float]  # numbers of two edges of a sentence, and the score if both are in the graph


class Links(NamedTuple):
    """The links between the possible edges of sentences."""

    first: Indices  # the numbers of their edges, over all sentences
    second: Indices
    kind: Hashes
    begin: Indices  # the first link of each sentence, and the number of links

    @classmethod
    def of(cls, pairs: Sequence[Sequence[Pair]], is_optional: Sequence[bool]) -> Links:
        """The links of sentences; is_optional says of each path whether its edges may be absent."""
        found: list[tuple[int, int, int]] = []
        begin = [0]
        offset = 0
        for some in pairs:
            found += [(first + offset, second + offset, kind) for first, second, kind in linked(some, is_optional)]
            begin.append(len(found))
            offset += len(some)
        columns = np.array(found, dtype=np.int64).reshape(-1, 3).T
        return cls(columns[0], columns[1], columns[2].astype(np.uint32), np.array(begin))

    def cells(self, features: Hashes, bits: int) -> NDArray[np.int32]:
        """The weights of each link; `features` are the hashes of LINK_TEMPLATES of all edges."""
        both = mixed(features[self.first], features[self.second])
        return np.asarray(mixed(both, self.kind[:, None]) >> np.uint32(32 - bits), dtype=np.int32)

    def scored(self, scores: NDArray[np.float32], first_edge: Sequence[int]) -> list[list[Link]]:
        """The links of each sentence with their scores; edges are numbered from `first_edge` of the sentence on."""
        rows = list(zip(self.first.tolist(), self.second.tolist(), scores.tolist(), strict=True))
        spans = zip(self.begin[:-1].tolist(), self.begin[1:].tolist(), first_edge, strict=True)
        return [[(a - offset, b - offset, score) for a, b, score in rows[low:high]] for low, high, offset in spans]


def linked(pairs: Sequence[Pair], is_optional: Sequence[bool]) -> Iterator[tuple[int, int, int]]:
    """The links of one sentence: the numbers of two edges and the kind of the link."""
    groups: dict[tuple[int, int], list[int]] = {}
    for number, pair in enumerate(pairs):
        if is_optional[pair.path]:
            groups.setdefault((SAME_HEAD, pair.head), []).append(number)
            groups.setdefault((SAME_MODIFIER, pair.modifier), []).append(number)
    for (kind, _), numbers in groups.items():
        for place, first in enumerate(numbers):
            for second in numbers[place + 1 : place + 1 + MAX_LINKS]:
                yield first, second, kind


def climb(
    scores: Sequence[float],
    links: Iterable[Link],
    modifiers: Sequence[int],
    start: Iterable[int],
    admits: Callable[[set[int], int | None, int | None], bool],
) -> tuple[set[int], int]:
    """Edges by their numbers: from `start` on, the best single change as long as one raises the value.

    A change adds an edge, removes one, or replaces one by another of the same modifier. admits(edges, added, removed)
    says whether the set after a change is a graph of the model. Returns the set and the number of changes.
    """
    near = neighbours(len(scores), links)
    chosen = set(start)
    gain = list(scores)  # of each edge beside the chosen ones
    for number in chosen:
        for other, score in near[number].items():
            gain[other] += score
    changes = 0
    while True:
        for _, added, removed in sorted(improvements(gain, near, modifiers, chosen), reverse=True):
            after = (chosen - {removed}) | ({added} - {-1})
            if admits(after, None if added < 0 else added, None if removed < 0 else removed):
                break
        else:
            return chosen, changes
        for number in chosen ^ after:
            sign = 1 if number in after else -1
            for other, score in near[number].items():
                gain[other] += sign * score
        chosen = after
        changes += 1


def improvements(
    gain: Sequence[float], near: Sequence[dict[int, float]], modifiers: Sequence[int], chosen: set[int]
) -> Iterator[tuple[float, int, int]]:
    """The changes that raise the value: by how much, the edge that is added, and the one that is removed; or -1."""
    for number in chosen:
        if gain[number] < -MIN_GAIN:
            yield -gain[number], -1, number
    for number, value in enumerate(gain):
        if number in chosen:
            continue
        if value > MIN_GAIN:
            yield value, number, -1
        for other in chosen:
            if modifiers[other] == modifiers[number]:
                by = value - near[number].get(other, 0.0) - gain[other]
                if by > MIN_GAIN:
                    yield by, number, other


def neighbours(size: int, links: Iterable[Link]) -> list[dict[int, float]]:
    """For each edge the edges that it is linked to, with their scores; two links of the same edges are added."""
    near: list[dict[int, float]] = [{} for _ in range(size)]
    for first, second, score in links:
        near[first][second] = near[second][first] = near[first].get(second, 0.0) + score
    return near


def value_of(scores: Sequence[float], links: Iterable[Link], chosen: set[int]) -> float:
    """The value of a set of edges."""
    together = sum(score for first, second, score in links if first in chosen and second in chosen)
    return sum(scores[number] for number in chosen) + together


def upper_bound(scores: Sequence[float], links: Iterable[Link], one_of: Sequence[Sequence[int]] = ()) -> float:
    """A bound on the value of every set of edges that has at least one edge of each list in one_of.

    Groups of edges that no chain of links or lists joins are independent. Of up to MAX_ENUMERATED edges in a group, all
    sets are compared; of more, each edge gets half of the positive scores of its links, and the others are left out.
    """
    near = neighbours(len(scores), links)
    for some in one_of:
        for other in some[1:]:
            near[some[0]].setdefault(other, 0.0)
            near[other].setdefault(some[0], 0.0)
    list_of = {number: some for some in one_of for number in some}
    total = 0.0
    for group in joined(near):
        lists = {tuple(list_of[number]) for number in group if number in list_of}
        total += _group_bound(scores, near, group, lists)
    return total


def joined(near: Sequence[dict[int, float]]) -> Iterator[list[int]]:
    """The groups of edges that chains of links join."""
    seen: set[int] = set()
    for first in range(len(near)):
        if first in seen:
            continue
        seen.add(first)
        group, waiting = [first], [first]
        while waiting:
            for other in near[waiting.pop()]:
                if other not in seen:
                    seen.add(other)
                    group.append(other)
                    waiting.append(other)
        yield group


def _group_bound(
    scores: Sequence[float], near: Sequence[dict[int, float]], group: list[int], lists: set[tuple[int, ...]]
) -> float:
    if len(group) > MAX_ENUMERATED:
        shares = {one: scores[one] + sum(max(score, 0.0) for score in near[one].values()) / 2 for one in group}
        forced = sum(min(max(shares[one] for one in some), 0.0) for some in lists)
        return sum(max(value, 0.0) for value in shares.values()) + forced
    sets = (np.arange(1 << len(group))[:, None] >> np.arange(len(group))) & 1
    values = sets @ np.array([scores[one] for one in group])
    place = {one: i for i, one in enumerate(group)}
    for one, other in combinations(group, 2):
        if score := near[one].get(other):
            values += score * (sets[:, place[one]] & sets[:, place[other]])
    for some in lists:
        values[~sets[:, [place[one] for one in some]].any(axis=1)] = -np.inf
    return float(values.max())

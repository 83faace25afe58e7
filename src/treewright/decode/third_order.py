"""Third-order trees with a bound, by dual decomposition (Martins et al. 2013).

    maximise  the value of the second-order parts and of the third-order parts of a tree

The subproblems share the arcs: a spanning tree; for each node h an automaton over its modifiers that knows the last two
on each side, the head of h and, where parts need them, the head of that head and the neighbours of h among its
siblings; a chain over the words that scores the heads of two neighbouring words; and a factor for each two modifiers of
a node that have a score together. Paths (f, g, h) and adjacent siblings (h, s, m) that two automata know are shared as
further variables (treewright.relax). Where all subproblems
agree, the tree is optimal; otherwise the least dual value is a bound on all trees, and branch and bound closes the gap.

Cost of an iteration: the sum over heads and sides of O(C L^3) for L candidate modifiers and C contexts, those of head,
head of the head and neighbours; plus a spanning tree and O(n k^2) for the chain with k candidate heads a word.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import trees
from treewright.calls import explained, explained_methods
from treewright.checks import check
from treewright.decode import arrays
from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import Parse
from treewright.errors import InfeasibleError, InputError
from treewright.relax import Answer, Oracle, PolyakStep, Table, branch
from treewright.relax.engine import TOLERANCE
from treewright.streams import check_count, check_seconds

Vector = NDArray[np.float64]
Heads = Sequence[int]
Key = tuple[int, ...]
# Of Polyak's step: 8 of 8 development sentences of Hungarian-Szeged are certified within 150 iterations with 2, 6 with
# 1 or with steps of 1 / sqrt(iteration), 1 with the rule of Koo et al. (parts of Martins et al.; one run by hand).
STEP_SCALE = 2.0
BOTH_OR_NOT = ((0, 0), (0, 1), (1, 0), (1, 1))  # the values of two arcs


@explained_methods
@dataclass(frozen=True)
class ThirdOrderParts:
    """Scores of third-order parts; a part that is not listed counts as zero.

    Modifiers of one side are read outwards. h itself stands for the start of its side in the place of a modifier before
    the first one, and for its end after the last one.
    """

    grand_siblings: Mapping[Key, float] = field(default_factory=dict)  # (g, h, s, m, side): s, m adjacent, h under g
    tri_siblings: Mapping[Key, float] = field(default_factory=dict)  # (h, p, q, r): three adjacent modifiers
    head_bigrams: Mapping[Key, float] = field(default_factory=dict)  # (i, h, m): the heads of the words m - 1 and m
    great_grandparents: Mapping[Key, float] = field(default_factory=dict)  # (f, g, h, m): a path of four nodes
    sibling_children: Mapping[Key, float] = field(default_factory=dict)  # (h, m, c, s): m, s adjacent, c under m
    all_siblings: Mapping[Key, float] = field(default_factory=dict)  # (h, m, s): m < s under h, on any sides

    def value(self, heads: ArrayLike) -> float:
        """The sum of the scores of the third-order parts of a tree.

        >>> ThirdOrderParts(tri_siblings={(2, 2, 1, 2): 0.5}).value([-1, 2, 0])
        0.5
        """
        try:
            found = arrays.index_column(heads, "heads")
            trees.check_tree(heads)
        except ValueError as error:
            raise InputError(str(error)) from None
        return math.fsum(table.get(key, 0.0) for table, key in self._parts_of(found.tolist()))

    def _parts_of(self, heads: Heads) -> Iterator[tuple[Mapping[Key, float], Key]]:
        below: list[list[int]] = [[] for _ in heads]
        for m, h in enumerate(heads):
            if m:
                below[h].append(m)
        for h, own in enumerate(below):
            yield from ((self.all_siblings, (h, *pair)) for pair in combinations(own, 2))
            for side, modifiers in enumerate(([m for m in reversed(own) if m < h], [m for m in own if m > h])):
                row = [h, *modifiers, h]
                if h:
                    yield from ((self.grand_siblings, (heads[h], h, s, m, side)) for s, m in pairwise(row))
                yield from ((self.tri_siblings, (h, *three)) for three in zip(row, row[1:], row[2:], strict=False))
                for a, b in pairwise(modifiers):
                    yield from ((self.sibling_children, (h, a, c, b)) for c in below[a])
                    yield from ((self.sibling_children, (h, b, c, a)) for c in below[b])
        for m in range(1, len(heads)):
            h = heads[m]
            if m > 1:
                yield self.head_bigrams, (heads[m - 1], h, m)
            if h and heads[h]:
                yield self.great_grandparents, (heads[heads[h]], heads[h], h, m)


def _checked_start(start: ArrayLike, nodes: int) -> NDArray[np.int32]:
    heads = arrays.index_column(start, "start")
    if len(heads) != nodes:
        raise InputError(f"start has {len(heads)} entries; -1 and one head a word are {nodes}")
    try:
        trees.check_tree(heads)
    except ValueError as error:
        raise InputError(f"start is no tree: {error}") from None
    return heads


@explained
def third_order_tree(
    parts: Parts,
    third: ThirdOrderParts,
    *,
    projective: bool = False,
    root: str = "single",
    start: ArrayLike | None = None,
    max_iterations: int = 200,
    max_nodes: int = 1,
    max_seconds: float | None = None,
    tolerance: float = TOLERANCE,
) -> Parse:
    """The best tree found by second-order and third-order parts, with a bound on all trees over the candidate arcs.

    projective and root are those of `tree`. start is a tree that is known, for example that of hill climbing: the
    result is at least as good. The search ends after max_iterations or max_seconds, for each of max_nodes nodes of
    branch and bound. It is certified if the gap is at most tolerance times the spread.

    >>> parts = Parts.from_arrays([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    >>> found = third_order_tree(parts, ThirdOrderParts(grand_siblings={(0, 2, 2, 1, 0): 12.0}))
    >>> found.heads.tolist(), found.score, found.certified
    ([-1, 2, 0], 17.0, True)
    """
    check(parts, Parts, "parts")
    problem = Problem.of(parts, projective=projective, root=root)
    if parts.outermost:
        raise InputError("parts with outermost=True have no third-order parts; give those of all grandchildren")
    check_seconds(max_seconds)
    check_count(max_iterations, "max_iterations")
    check_count(max_nodes, "max_nodes")
    search = _Search(problem, parts, third)
    if start is not None:
        search.propose(_checked_start(start, problem.nodes))
    seconds = math.inf if max_seconds is None else float(max_seconds)
    found = branch(
        search.oracles(),
        max_nodes=max_nodes,
        primal=search.answer,
        max_iterations=max_iterations,
        max_seconds=seconds,
        tolerance=tolerance,
        step=PolyakStep(STEP_SCALE),
    )
    if search.known is None:
        raise InfeasibleError("no tree over the candidate arcs has a finite value; allow further arcs")
    bound = max(found.bound, search.best)
    gap = 0.0 if found.gap == 0 else bound - search.best + found.rounding
    spread = max(0.0, found.ceiling - search.best)
    return Parse(
        *(search.known, search.best, bound, "third-order dd", gap, spread, tolerance, found.evidence),
        iterations=found.iterations,
    )


class _Search:
    """The scores by key, the shared variables, and the best tree."""

    def __init__(self, problem: Problem, parts: Parts, third: ThirdOrderParts) -> None:
        self.problem, self.parts, self.third = problem, parts, third
        self.head, self.modifier, score = parts.arcs
        self.arcs: list[Key] = list(zip(self.head.tolist(), self.modifier.tolist(), strict=True))
        self.heads: list[list[int]] = [[] for _ in range(parts.nodes)]  # candidate heads of each word
        self.sides: list[tuple[list[int], list[int]]] = [([], []) for _ in range(parts.nodes)]  # outwards
        for h, m in sorted(self.arcs, key=lambda arc: abs(arc[0] - arc[1])):
            self.sides[h][m > h].append(m)
            self.heads[m].append(h)
        self.siblings, self.grandparents, self.stops = (
            {tuple(key): score for *key, score in zip(*(column.tolist() for column in rows), strict=True)}
            for rows in (parts.siblings, parts.grandparents, parts.stops)
        )
        # Shared variables: arcs (h, m), paths (f, g, h), adjacent siblings (h, s, m, -1).
        self.names: list[Key] = list(self.arcs)
        if third.great_grandparents:
            self.names += [(f, g, h) for g, h in self.arcs for f in self.heads[g]]
        if third.sibling_children:
            of_sides = [(h, side) for h, both in enumerate(self.sides) for side in both]
            self.names += [(h, s, m, -1) for h, side in of_sides for i, m in enumerate(side) for s in side[:i]]
        self.number = {name: place for place, name in enumerate(self.names)}
        owners = 3 + bool(third.head_bigrams)  # of an arc: the tree, the automata of both nodes, the chain
        self.arc_share = np.asarray(score) / owners
        self.best: float = -math.inf
        self.known: NDArray[np.int32] | None = None

    def oracles(self) -> list[Oracle]:
        """A tree, an automaton a node, a chain if there are head bigrams, a factor for each two siblings."""
        found: list[Oracle] = [_Trees(self), *(_Automaton(self, h) for h in range(self.parts.nodes))]
        if self.third.head_bigrams:
            found.append(_Chain(self))
        for (h, m, s), score in self.third.all_siblings.items():
            if (h, m) in self.number and (h, s) in self.number and score:
                found.append(Table([self.number[h, m], self.number[h, s]], BOTH_OR_NOT, [0.0, 0.0, 0.0, score]))
        return found

    def propose(self, heads: NDArray[np.int32]) -> None:
        """Keep a tree if it is the best so far."""
        value = self.problem.value(heads) + self.third.value(heads)
        if value > self.best:
            self.best, self.known = value, heads

    def answer(self, answers: Sequence[Answer]) -> tuple[float, NDArray[np.int32] | None]:
        """The best of the trees that were seen, with that of the first subproblem."""
        if answers[0].structure is not None:
            self.propose(answers[0].structure)
        return self.best, self.known

    def fixed_arcs(self, fixed: Mapping[int, bool]) -> tuple[set[Key], set[Key]]:
        """The arcs that are on, and all variables that are off, if some variables are fixed."""
        on, off = set[Key](), set[Key]()
        for number, is_on in fixed.items():
            name = self.names[number]
            if not is_on:
                off.add(name)
            elif len(name) == 4:
                h, s, m, _ = name
                on |= {(h, s), (h, m)}
                off |= {(h, k) for k in range(min(s, m) + 1, max(s, m)) if (h, k) in self.number}
            else:
                on |= set(pairwise(name))
        off |= {(other, m) for h, m in on for other in self.heads[m] if other != h}
        return on, off


class _Trees:
    """The best tree by a share of the arc scores."""

    def __init__(self, search: _Search, off: Set[Key] = frozenset()) -> None:
        self.search = search
        self.keys = np.arange(len(search.arcs))
        self.arc_scores = search.arc_share + penalties(search.arcs, off)

    def solve(self, multipliers: Vector) -> Answer:
        """The best tree with multipliers on its arcs."""
        search, problem = self.search, self.search.problem
        arc = np.full((problem.nodes, problem.nodes), -np.inf)
        arc[search.head, search.modifier] = self.arc_scores + multipliers
        try:
            found = tree(arc, projective=problem.projective, root=problem.root)
        except InfeasibleError:
            return Answer(-math.inf, np.zeros(len(self.keys)))
        chosen = (found.heads[search.modifier] == search.head).astype(np.float64)
        return Answer(found.score, chosen, found.heads)

    def restrict(self, fixed: Mapping[int, bool]) -> _Trees:
        """Without the arcs that are off."""
        return _Trees(self.search, self.search.fixed_arcs(fixed)[1])


def penalties(keys: Sequence[Key], off: Set[Key]) -> Vector:
    """-inf for the keys that are off, 0 for the others."""
    return np.array([-math.inf if key in off else 0.0 for key in keys])


class _Chain:
    """The best heads of the words in a row, one each, by the parts of neighbouring words."""

    def __init__(self, search: _Search, off: Set[Key] = frozenset()) -> None:
        self.search = search
        self.keys = np.arange(len(search.arcs))
        self.arc_scores = search.arc_share + penalties(search.arcs, off)
        bigrams, heads, words = search.third.head_bigrams, search.heads, range(1, search.parts.nodes)
        self.places = [np.array([search.number[h, m] for h in heads[m]], dtype=np.intp) for m in words]
        self.moves = [
            np.array([[bigrams.get((i, h, m), 0.0) for i in heads[m - 1]] for h in heads[m]]) for m in words[1:]
        ]

    def solve(self, multipliers: Vector) -> Answer:
        """Viterbi's algorithm over the candidate heads."""
        score, back = self.arc_scores + multipliers, []
        best = score[self.places[0]]
        for places, moves in zip(self.places[1:], self.moves, strict=True):
            sums = moves + best
            back.append(sums.argmax(axis=1))
            best = sums.max(axis=1) + score[places]
        assignment, state = np.zeros(len(self.keys)), int(best.argmax())
        value = float(best[state])
        for word in range(len(self.places) - 1, -1, -1):
            assignment[self.places[word][state]] = 1
            state = int(back[word - 1][state]) if word else 0
        return Answer(value, assignment)

    def restrict(self, fixed: Mapping[int, bool]) -> _Chain:
        """Without the arcs that are off."""
        return _Chain(self.search, self.search.fixed_arcs(fixed)[1])


@dataclass(frozen=True)
class _Context:
    """What an automaton knows of the nodes above and beside its node h; -1 where it does not know.

    h itself stands for the start and the end of its side in the place of a neighbour that does not exist.
    """

    head: int = -1  # of h
    above: int = -1  # the head of that
    inner: int = -1  # the neighbours of h on its side of its head
    outer: int = -1

    def keys(self, h: int) -> list[Key]:
        """The variables that are on."""
        found: list[Key] = [(self.head, h)] if self.head >= 0 else []
        if self.above >= 0:
            found.append((self.above, self.head, h))
        if self.inner not in (-1, h):
            found.append((self.head, self.inner, h, -1))
        if self.outer not in (-1, h):
            found.append((self.head, h, self.outer, -1))
        return found


def contexts_of(search: _Search, h: int) -> Iterator[_Context]:
    """All contexts of a node; what no part of the node's modifiers depends on is not distinguished."""
    if h == 0:
        yield _Context()
        return
    has_modifiers = any(search.sides[h])
    for g in search.heads[h]:
        above, inner, outer = [-1], [-1], [-1]
        if has_modifiers and search.third.great_grandparents and g:
            above = search.heads[g]
        if has_modifiers and search.third.sibling_children:
            side = search.sides[g][h > g]
            place = side.index(h)
            inner, outer = [h, *side[:place]], [h, *side[place + 1 :]]
        yield from (_Context(g, *rest) for rest in product(above, inner, outer))


class _Automaton:
    """The best modifiers of h on both sides, and the best context."""

    def __init__(self, search: _Search, h: int, on: Set[Key] = frozenset(), off: Set[Key] = frozenset()) -> None:
        self.search, self.h = search, h
        contexts = list(contexts_of(search, h))
        self.sides = [_Side(search, h, side, contexts, on) for side in (0, 1) if h or side]
        names = {key for context in contexts for key in context.keys(h)}.union(*(side.names for side in self.sides))
        known = sorted(search.number[name] for name in names if name in search.number)
        self.keys = np.array(known, dtype=np.intp)
        place = {search.names[number]: i for i, number in enumerate(known)}
        self.penalty = penalties(list(place), off)
        self.own = np.array([search.arc_share[search.number[one.head, h]] if h else 0.0 for one in contexts])
        # The places of the variables of each context; one after the last place is 0 for all of them.
        rows = [[place.get(key, len(known)) for key in context.keys(h)] for context in contexts]
        width = max(map(len, rows))
        self.of_context = np.array([row + [len(known)] * (width - len(row)) for row in rows], dtype=np.intp)
        for one in self.sides:
            one.locate(place)

    def solve(self, multipliers: Vector) -> Answer:
        """The best context with the best modifiers of both sides."""
        added = np.append(multipliers + self.penalty, 0.0)
        total = self.own + added[self.of_context].sum(axis=1)
        charts = [side.chart(added) for side in self.sides]
        for chart in charts:
            total = total + chart.best
        context = int(total.argmax())
        assignment = np.zeros(len(self.keys) + 1)
        if total[context] > -math.inf:
            assignment[self.of_context[context]] = 1
            for side, chart in zip(self.sides, charts, strict=True):
                assignment[side.chosen(chart, context)] = 1
        return Answer(float(total[context]), assignment[:-1])

    def restrict(self, fixed: Mapping[int, bool]) -> _Automaton:
        """Without the variables that are off, and with the modifiers that are on."""
        return _Automaton(self.search, self.h, *self.search.fixed_arcs(fixed))


@dataclass(frozen=True)
class _Chart:
    """The best values of a side: for each context, and for each pair of modifiers that are the last two."""

    pairs: Vector  # [context, j, i]: up to modifier i after j; 0 is the start
    best: Vector  # [context]
    step: Vector  # [context, j, i]: of the move from j to i


class _Side:
    """The modifiers of h on one side, read outwards: moves from j to i, 0 the start, L + 1 the end."""

    def __init__(self, search: _Search, h: int, side: int, contexts: Sequence[_Context], on: Set[Key]) -> None:
        self.h, self.modifiers, self.contexts = h, search.sides[h][side], contexts
        self.row = [h, *self.modifiers, h]
        self.length = len(self.modifiers)
        self.names: set[Key] = {(h, m) for m in self.modifiers}
        self.names |= {(one.head, h, m) for one in contexts if one.head >= 0 for m in self.modifiers}
        self.names |= {(h, s, m, -1) for i, m in enumerate(self.modifiers) for s in self.modifiers[:i]}
        moves = [(j, i) for i in range(1, self.length + 2) for j in range(i)]
        self.score = np.full((len(contexts), self.length + 1, self.length + 2), -np.inf)
        for j, i in moves:
            if not any((h, m) in on for m in self.modifiers[j : i - 1]):  # nothing that is on is passed over
                self.score[:, j, i] = self._move(search, side, j, i)
        self.triples = np.zeros((self.length + 1, self.length + 1, self.length + 2))
        tri = search.third.tri_siblings
        for p, q, r in combinations(range(self.length + 2), 3):
            self.triples[p, q, r] = tri.get((h, self.row[p], self.row[q], self.row[r]), 0.0)

    def _move(self, search: _Search, side: int, j: int, i: int) -> Vector:
        """The scores of the parts of a move in each context."""
        third, h, s, m = search.third, self.h, self.row[j], self.row[i]
        is_end = i > self.length
        if is_end:
            common = search.stops.get((h, s, side), 0.0)
        else:
            common = search.siblings.get((h, m, s), 0.0) + search.arc_share[search.number[h, m]]
        found = np.full(len(self.contexts), common)
        for place, one in enumerate(self.contexts if h else ()):
            found[place] += third.grand_siblings.get((one.head, h, s, m, side), 0.0)
            if not is_end:
                found[place] += search.grandparents.get((one.head, h, m), 0.0)
                found[place] += third.great_grandparents.get((one.above, one.head, h, m), 0.0)
                for sibling in (one.inner, one.outer):
                    found[place] += third.sibling_children.get((one.head, h, m, sibling), 0.0)
        return found

    def locate(self, place: Mapping[Key, int]) -> None:
        """Find the variables of each move among those of the automaton; absent ones are after the last."""
        absent, h = len(place), self.h
        self.arcs = np.array([place[h, m] for m in self.modifiers], dtype=np.intp)
        heads = [one.head for one in self.contexts]
        self.paths = np.array([[place.get((g, h, m), absent) for m in self.modifiers] for g in heads], dtype=np.intp)
        pairs = [[place.get((h, s, m, -1), absent) for m in self.modifiers] for s in [h, *self.modifiers]]
        self.pairs = np.array(pairs, dtype=np.intp).reshape(self.length + 1, self.length)

    def chart(self, added: Vector) -> _Chart:
        """The best way to each pair of last modifiers."""
        last, step = self.length, self.score.copy()
        if last:
            step[:, :, 1:-1] += added[self.arcs] + added[self.pairs] + added[self.paths][:, None, :]
        pairs = np.full(step.shape, -np.inf)
        pairs[:, 0, 1:] = step[:, 0, 1:]
        for j in range(1, last + 1):
            before = pairs[:, :j, j, None] + self.triples[:j, j, j + 1 :]
            pairs[:, j, j + 1 :] = before.max(axis=1) + step[:, j, j + 1 :]
        return _Chart(pairs, pairs[:, :, last + 1].max(axis=1), step)

    def chosen(self, chart: _Chart, context: int) -> list[int]:
        """The places of the variables that are on in the best way of a context."""
        pairs, found = chart.pairs[context], []
        i = self.length + 1
        j = int(pairs[:, i].argmax())
        while j:
            found += [self.arcs[j - 1], self.paths[context, j - 1]]
            k = int((pairs[:j, j] + self.triples[:j, j, i]).argmax())
            found.append(self.pairs[k, j - 1])
            i, j = j, k
        return [int(place) for place in found]

"""Collins' model 1 by definition: counts in dictionaries, and all lexicalised trees of a short sentence one by one."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from pathlib import Path

from treewright.corpus import Tree
from treewright.grammar import HeadRules

Event = tuple[
    tuple[object, ...], tuple[tuple[object, ...], ...], object
]  # outcome after histories, most specific first

# For the tests; the last one ends with a mark that head rules may drop.
RULES = Path(__file__).parents[1] / "data" / "small.heads"  # head rules of the trees below
TREES = [
    "(S (NP (N a)) (VP (V b)))",
    "(S (NP (N a) (N b)) (VP (V b) (NP (N a))))",
    "(S (NP (NP (N b)) (C c) (NP (N a))) (VP (V a)))",
    "(S (S (VP (V b))) (, ,) (VP (VP (V a)) (C c) (VP (V b) (NP (N c)))))",
    "(NP (NP (N b) (S (VP (V b)))) (, ,) (NP (N a)))",
    "(VP (V a) (S (NP (N c)) (VP (V b))) (. .))",
]


@dataclass(frozen=True)
class Node:
    """A node of a lexicalised tree: a tag over a word, or a phrase with the place of its head child."""

    label: str
    word: str
    tag: str
    place: int  # of the head word, from 1
    children: tuple[Node, ...] = ()
    head: int = 0

    def tags(self) -> list[str]:
        return [self.tag] if not self.children else [tag for child in self.children for tag in child.tags()]

    def tree(self) -> Tree:
        return Tree(self.label, [child.tree() for child in self.children] or [self.word])

    def arcs(self) -> list[tuple[int, int]]:
        """(h, m) of all words but the head of the node."""
        own = [(self.place, child.place) for child in self.children if child.place != self.place]
        return own + [arc for child in self.children for arc in child.arcs()]

    def heads(self) -> list[int]:
        found = {m: h for h, m in self.arcs()} | {self.place: 0}
        return [-1] + [found[m] for m in sorted(found)]


class Definition:
    """The probabilities of model 1, estimated from prepared trees."""

    def __init__(self, trees: Iterable[Tree], rules: HeadRules, names: dict[str, str]) -> None:
        self.rules, self.names = rules, names
        self.counts: dict[object, Counter[object]] = defaultdict(Counter)
        self.tags: dict[str, set[str]] = defaultdict(set)
        self.labels: set[str] = set()
        for tree in trees:
            root = self.lexicalised(tree)
            for event in [*self.events_below(root), *self.top_events(root)]:
                for history in event[1]:
                    self.counts[history][event[2]] += 1

    def lexicalised(self, tree: Tree) -> Node:
        """The lexicalised tree by the head rules."""
        place = 0

        def make(node: Tree) -> Node:
            nonlocal place
            if node.is_preterminal():
                place += 1
                word = self.names.get(str(node.children[0]), str(node.children[0]))
                self.tags[word].add(node.label)
                return Node(node.label, word, node.label, place)
            children = tuple(make(child) for child in node.children if isinstance(child, Tree))
            self.labels.add(node.label)
            return self.phrase(node.label, children, self.rules.head_child(node.label, [c.label for c in children]))

        return make(tree)

    @staticmethod
    def phrase(label: str, children: tuple[Node, ...], head: int) -> Node:
        child = children[head]
        return Node(label, child.word, child.tag, child.place, children, head)

    def events_below(self, node: Node) -> Iterator[Event]:
        if node.children:
            yield from self.events(node)
            for child in node.children:
                yield from self.events_below(child)

    def top_events(self, root: Node) -> list[Event]:
        word = (("topword", root.tag, root.label), ("word", root.tag))
        return [
            (("top",), (("top",),), (root.label, root.tag)),
            (("topword",), word, root.word),
        ]

    def events(self, node: Node) -> Iterator[Event]:
        """Those of a phrase: its head child, its modifiers on both sides and their words."""
        head = node.children[node.head]
        w, t, p = node.word, node.tag, node.label
        yield ("head",), (("H", p, w, t), ("H", p, t), ("H", p)), head.label
        for side in ("left", "right"):
            modifiers = node.children[: node.head][::-1] if side == "left" else node.children[node.head + 1 :]
            between = self.between(head, side)
            previous, before = "START", head
            for modifier in (*modifiers, None):
                if p == self.rules.base_mark:
                    shared: tuple[object, ...] = (p, before.label, side)
                    history = (*shared, before.tag, before.word), (*shared, before.tag), shared
                    middle = shared
                else:
                    shared = (p, head.label, any(tag in self.rules.verbs for tag in between), previous, side)
                    history = (*shared, t, w), (*shared, t), shared
                    middle = (*shared, t)
                outcome = (modifier.label, modifier.tag) if modifier else "STOP"
                yield ("M",), tuple(("M", level, *h) for level, h in enumerate(history)), outcome
                if modifier is None:
                    break
                words = (
                    ("W", 0, *outcome, *history[0]),
                    ("W", 1, *outcome, *middle),
                    ("word", modifier.tag),
                )
                yield ("W",), words, modifier.word
                between = between + modifier.tags()
                previous, before = self.previous_class(modifier.label), modifier

    def between(self, head: Node, side: str) -> list[str]:
        """The tags of the words of a head child on one side of its head word."""
        tags: list[str] = []
        while head.children:
            inner = head.children[: head.head] if side == "left" else head.children[head.head + 1 :]
            tags += [tag for child in inner for tag in child.tags()]
            head = head.children[head.head]
        return tags

    def previous_class(self, label: str) -> str:
        if label in self.rules.conjunctions:
            return "CC"
        return "PUNC" if self.rules.is_punctuation(label) else "other"

    def log_probability(self, events: Iterable[Event]) -> float:
        total = 0.0
        for _, histories, outcome in events:
            p = self.probability(histories, outcome)
            if p == 0:
                return -math.inf
            total += math.log(p)
        return total

    def probability(self, histories: Sequence[tuple[object, ...]], outcome: object) -> float:
        counts = self.counts[histories[0]]
        total = sum(counts.values())
        if len(histories) == 1:
            return counts[outcome] / total if total else 0.0
        general = self.probability(histories[1:], outcome)
        if not total:
            return general
        weight = total / (total + 5 * len(counts))
        return weight * counts[outcome] / total + (1 - weight) * general

    def score(self, root: Node) -> float:
        """The logarithm of the probability of a lexicalised tree."""
        return self.log_probability([*self.events_below(root), *self.top_events(root)])

    def all_trees(self, words: Sequence[str], max_unary: int) -> list[Node]:
        """Every lexicalised tree with a probability above 0 and at most max_unary unary productions in a row."""
        spans: dict[tuple[int, int], list[Node]] = {}
        for length in range(1, len(words) + 1):
            for i in range(len(words) - length + 1):
                j = i + length
                found = self._words(words[i], i) if length == 1 else list(self._branching(spans, i, j))
                layer = found
                for _ in range(max_unary):
                    layer = [phrase for node in layer for phrase in self._phrases((node,))]
                    found = found + layer
                spans[i, j] = found
        return [root for root in spans[0, len(words)] if self.score(root) > -math.inf]

    def _words(self, word: str, place: int) -> list[Node]:
        name = self.names.get(word, word)
        return [Node(tag, name, tag, place + 1) for tag in sorted(self.tags[name])]

    def _branching(self, spans: dict[tuple[int, int], list[Node]], i: int, j: int) -> Iterator[Node]:
        for count in range(1, j - i):
            for cuts in combinations(range(i + 1, j), count):
                ends = (i, *cuts, j)
                for children in product(*(spans[a, b] for a, b in pairwise(ends))):
                    yield from self._phrases(children)

    def _phrases(self, children: tuple[Node, ...]) -> Iterator[Node]:
        for label in sorted(self.labels):
            for head in range(len(children)):
                phrase = self.phrase(label, children, head)
                if self.log_probability(self.events(phrase)) > -math.inf:
                    yield phrase

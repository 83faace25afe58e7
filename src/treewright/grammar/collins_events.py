"""The events of prepared trees that Collins' model 1 counts, and the numbers of its symbols and words.

Symbol 0 is STOP, the tags follow, then the labels of phrases; a label that is also a tag has two numbers. An event is
one row of numbers with its count in the last column:

    heads       phrase, head child, head word, tag of the head word
    modifiers   side (1: right), phrase, head child, tag and word of the head, verb, class of the modifier before,
                modifier, tag and word of its head; modifier, tag and word are 0 for STOP
    tops        root phrase, tag and word of its head

In base phrases head child, tag and word are those of the modifier before, verb and class are 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.corpus import Tree
from treewright.corpus.brackets import walk
from treewright.grammar.head_rules import HeadRules
from treewright.grammar.words import Vocabulary

STOP = 0
FIRST, CONJUNCTION, PUNCTUATION, OTHER = range(4)  # classes of modifiers, as in core/grammar/collins_model.hpp
LEFT, RIGHT = 0, 1

Row = tuple[int, ...]
Events = NDArray[np.int32]


@dataclass(frozen=True)
class Symbols:
    """The numbers of tags, of labels of phrases and of words."""

    tags: tuple[str, ...]
    labels: tuple[str, ...]
    words: tuple[str, ...]

    @cached_property
    def tag_number(self) -> dict[str, int]:
        """The number of each tag."""
        return {tag: 1 + k for k, tag in enumerate(self.tags)}

    @cached_property
    def label_number(self) -> dict[str, int]:
        """The number of each label of phrases."""
        return {label: 1 + len(self.tags) + k for k, label in enumerate(self.labels)}

    @cached_property
    def word_number(self) -> dict[str, int]:
        """The number of each word."""
        return {word: k for k, word in enumerate(self.words)}

    @classmethod
    def of(cls, trees: Iterable[Tree], vocabulary: Vocabulary) -> Symbols:
        """Number the symbols of prepared trees."""
        tags: set[str] = set()
        labels: set[str] = set()
        words: set[str] = set()
        for tree in trees:
            for node in tree.subtrees():
                (tags if node.is_preterminal() else labels).add(node.label)
            words.update(vocabulary.names(tree.leaves()))
        return cls(tuple(sorted(tags)), tuple(sorted(labels)), tuple(sorted(words)))

    def name(self, number: int) -> str:
        """Return the tag or label of a number."""
        return self.tags[number - 1] if number <= len(self.tags) else self.labels[number - 1 - len(self.tags)]

    def classes(self, rules: HeadRules) -> list[int]:
        """Return the class of each symbol as a modifier, by its number."""
        names = [*self.tags, *self.labels]
        return [FIRST, *(modifier_class(name, rules) for name in names)]

    def verbs(self, rules: HeadRules) -> NDArray[np.bool_]:
        """Return whether each symbol is the tag of a verb, by its number."""
        count = 1 + len(self.tags) + len(self.labels)
        return np.array([0 < number <= len(self.tags) and self.name(number) in rules.verbs for number in range(count)])


def modifier_class(label: str, rules: HeadRules) -> int:
    """Return the class of a modifier, on which the next one depends."""
    if label in rules.conjunctions:
        return CONJUNCTION
    return PUNCTUATION if rules.is_punctuation(label) else OTHER


@dataclass(frozen=True)
class Constituent:
    """A finished node: its symbol, the number and tag of its head word, and the verbs before and after that word."""

    symbol: int
    tag: int
    word: int
    verb_left: bool
    verb_right: bool
    verb: bool


class EventCounter:
    """Counts the events of prepared trees."""

    def __init__(self, symbols: Symbols, rules: HeadRules, vocabulary: Vocabulary) -> None:
        self.symbols, self.rules, self.vocabulary = symbols, rules, vocabulary
        self.heads: Counter[Row] = Counter()
        self.modifiers: Counter[Row] = Counter()
        self.tops: Counter[Row] = Counter()
        self._classes = symbols.classes(rules)
        self._verbs = symbols.verbs(rules).tolist()

    def add(self, tree: Tree) -> None:
        """Count the events of a prepared tree."""
        names = self.vocabulary.names(tree.leaves())
        stack: list[tuple[Tree, list[Constituent]]] = []
        leaf = 0
        for event in walk(tree):
            if isinstance(event, Tree):
                stack.append((event, []))
            elif event is None:
                node, children = stack.pop()
                done = self._phrase(node, children) if children else self._word(node, names[leaf])
                leaf += not children
                if stack:
                    stack[-1][1].append(done)
                else:
                    self.tops[done.symbol, done.tag, done.word] += 1

    def _word(self, node: Tree, name: str) -> Constituent:
        tag = self.symbols.tag_number[node.label]
        return Constituent(tag, tag, self.symbols.word_number[name], False, False, self._verbs[tag])

    def _phrase(self, node: Tree, children: Sequence[Constituent]) -> Constituent:
        symbol = self.symbols.label_number[node.label]
        head_index = self.rules.head_child(node.label, [self.symbols.name(child.symbol) for child in children])
        head = children[head_index]
        self.heads[symbol, head.symbol, head.word, head.tag] += 1
        is_base = bool(self.rules.base) and node.label == self.rules.base_mark
        verb_right = self._count_side(RIGHT, symbol, head, children[head_index + 1 :], is_base)
        verb_left = self._count_side(LEFT, symbol, head, children[:head_index][::-1], is_base)
        verb = verb_left or verb_right or self._verbs[head.tag]
        return Constituent(symbol, head.tag, head.word, verb_left, verb_right, verb)

    def _count_side(
        self, side: int, symbol: int, head: Constituent, modifiers: Sequence[Constituent], is_base: bool
    ) -> bool:
        """Count the modifiers of a head on one side, from the inside out; return whether there is a verb on this side.

        In a base phrase a modifier depends on the one before in place of the head, verb and previous class.
        """
        verb, previous, before = head.verb_right if side == RIGHT else head.verb_left, FIRST, head
        for modifier in (*modifiers, None):
            history = (0, FIRST) if is_base else (int(verb), previous)
            outcome = (STOP, 0, 0) if modifier is None else (modifier.symbol, modifier.tag, modifier.word)
            self.modifiers[(side, symbol, before.symbol, before.tag, before.word, *history, *outcome)] += 1
            if modifier is not None:
                verb, previous = verb or modifier.verb, self._classes[modifier.symbol]
                before = modifier if is_base else head
        return verb


def table(counts: Counter[Row], columns: int) -> Events:
    """Return events and their counts as rows, in the order of the events."""
    rows = [(*event, count) for event, count in sorted(counts.items())]
    return np.array(rows, dtype=np.int32).reshape(len(rows), columns)

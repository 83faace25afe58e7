"""Head rules: which child of a phrase has the head word of the phrase, and the dependencies that follow from that.

The rules are data. A file of head rules has one line for each label, for example

    PP    right IN; TO; VBG
    NP    last POS; right NN NNS; left NP; right CD
    *     left

A rule is a list of searches, separated by semicolons, which are tried in order. A search names a direction and labels:
`left` takes the first child from the left that has one of the labels, `right` the first from the right, `last` the last
child if it has one of them. A search without a direction has that of the search before. If no search succeeds, the
rule takes the first child from the direction of its last search (`FRAG right` alone: the last child). `*` is the rule
of all labels that are not listed; in the labels of a search, `N*` is any label that begins with N. A line that begins
with `#` is a comment.

Lines that begin with `@` name the labels that the preparation of trees needs (grammar/preparation.py):

| line | labels |
|---|---|
| `@conjunctions` | coordinating conjunctions, tags and phrases |
| `@dropped` | tags of the punctuation that is removed before parsing: quotation marks and full stops |
| `@raised` | tags of the punctuation that is attached as high as possible: commas and colons |
| `@brackets` | tags of brackets |
| `@verbs` | tags of verbs, for the distance of model 1 |
| `@base` | the label whose lowest nodes are base phrases (NP); none without this line |
| `@possessive` | tags of possessive markers, which make a noun phrase a modifier |
| `@clauses` | labels of clauses, which are no part of a base phrase |

Punctuation and brackets are heads only of phrases that have no other child. In a coordination (the child before the
head is a conjunction) the head is the child before the conjunction (Collins 1999, appendix A).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.corpus import Tree
from treewright.corpus.brackets import walk
from treewright.errors import FormatError, InputError

TABLES = {path.stem: path for path in sorted((Path(__file__).parent / "rules").glob("*.heads"))}
DIRECTIONS = ("left", "right", "last")
CLASSES = ("conjunctions", "dropped", "raised", "brackets", "verbs", "base", "possessive", "clauses")
BASE_MARK = "B"  # the base phrase of NP is NPB (Collins 1999)
MIN_COORDINATED = 2  # children before the head of a coordination: a conjunct and the conjunction (Collins 1999)

Direction = Literal["left", "right", "last"]


class Labels:
    """A set of labels, some of which end in a star."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.listed = tuple(labels)
        self._exact = frozenset(labels)
        self._prefixes = tuple(label[:-1] for label in labels if label.endswith("*"))

    def __contains__(self, label: str) -> bool:
        return label in self._exact or (bool(self._prefixes) and label.startswith(self._prefixes))


@dataclass(frozen=True)
class Search:
    """One search of a rule."""

    direction: Direction
    labels: Labels


class HeadRules:
    """A table of head rules; `text` is the file that it was read from.

    >>> rules = HeadRules.load("english")
    >>> rules.head_child("PP", ["IN", "NP"]), rules.head_child("NP", ["NP", "CC", "NP"])
    (0, 0)
    """

    def __init__(self, text: str, source: str = "<text>") -> None:
        self.text, self.source = text, source
        self._rules: dict[str, tuple[Search, ...]] = {"*": (Search("left", Labels(())),)}
        classes: dict[str, list[str]] = {name: [] for name in CLASSES}
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split()
            if not words or line.startswith("#"):  # elsewhere # is a label: the tag of the pound sign
                continue
            if words[0].startswith("@"):
                classes[self._class_name(words[0], number)] += words[1:]
            else:
                self._add_rule(words, number)
        self.conjunctions, self.dropped = Labels(classes["conjunctions"]), Labels(classes["dropped"])
        self.raised, self.brackets = Labels(classes["raised"]), Labels(classes["brackets"])
        self.verbs, self.possessive = Labels(classes["verbs"]), Labels(classes["possessive"])
        self.clauses = Labels(classes["clauses"])
        if len(classes["base"]) > 1:
            raise FormatError(source, 1, f"@base has {len(classes['base'])} labels; expected one, such as @base NP")
        self.base = classes["base"][0] if classes["base"] else None

    @classmethod
    def load(cls, rules: str | os.PathLike[str] | HeadRules) -> HeadRules:
        """Return the table of a name (english, general), of a file, or the rules themselves."""
        if isinstance(rules, HeadRules):
            return rules
        path = TABLES.get(rules) if isinstance(rules, str) else None
        if path is None and not os.path.exists(rules):
            names = ", ".join(TABLES)
            raise InputError(f"head_rules: {os.fspath(rules)} is neither a table ({names}) nor a file")
        name = os.fspath(rules)
        try:
            return cls(Path(path or rules).read_text(encoding="utf-8"), name)
        except UnicodeDecodeError:
            raise InputError(f"{name}: not UTF-8; head rules are a text file in UTF-8") from None
        except OSError as error:
            raise InputError(f"{name}: {error.strerror}") from None

    def _class_name(self, word: str, number: int) -> str:
        name = word[1:]
        if name not in CLASSES:
            listed = ", ".join(f"@{known}" for known in CLASSES)
            raise FormatError(self.source, number, f"{word} is not known; expected one of {listed}")
        return name

    def _add_rule(self, words: list[str], number: int) -> None:
        label, rest = words[0], " ".join(words[1:])
        if label in self._rules and label != "*":
            raise FormatError(self.source, number, f"{label} has a rule above; expected one line for each label")
        searches: list[Search] = []
        direction: str | None = None
        for part in rest.split(";"):
            labels = part.split()
            if labels and labels[0] in DIRECTIONS:
                direction = labels.pop(0)
            if direction is None:
                word = repr(labels[0]) if labels else "nothing"
                raise FormatError(self.source, number, f"{word} after {label}; expected left, right or last")
            if not labels and len(rest.split(";")) > 1:
                raise FormatError(
                    self.source, number, f"a search of {label} has no labels; expected some before each ;"
                )
            searches.append(Search(direction, Labels(labels)))  # type: ignore[arg-type]
        self._rules[label] = tuple(searches)

    def is_punctuation(self, label: str) -> bool:
        """Return whether a label is a tag of punctuation or of a bracket."""
        return label in self._punctuation

    @cached_property
    def _punctuation(self) -> Labels:
        return Labels(self.dropped.listed + self.raised.listed + self.brackets.listed)

    @cached_property
    def base_mark(self) -> str:
        """The label of base phrases in prepared trees, such as NPB; "" if there are none."""
        return f"{self.base}{BASE_MARK}" if self.base else ""

    def head_child(self, label: str, children: Sequence[str]) -> int:
        """Return the place of the head among the children of a phrase with this label; children are their labels."""
        if not len(children):
            raise InputError("children is empty; a phrase has at least one")
        indices = [index for index, child in enumerate(children) if not self.is_punctuation(child)]
        if not indices:
            indices = list(range(len(children)))
        labels = [children[index] for index in indices]
        head = self._search(label, labels)
        if self._is_base(label, labels):
            return indices[head]
        if head >= MIN_COORDINATED and labels[head - 1] in self.conjunctions:
            before = [index for index in range(head - 1) if labels[index] not in self.conjunctions]
            head = before[-1] if before else head
        return indices[head]

    def _is_base(self, label: str, children: Sequence[str]) -> bool:
        """Whether a phrase is a base phrase, marked or not; the rule of coordination does not hold in these."""
        if label == self.base:
            return self.base not in children and self.base_mark not in children
        return bool(self.base) and label == self.base_mark

    def _unmarked(self, label: str) -> str:
        return self.base if self.base and label == self.base_mark else label

    def _search(self, label: str, labels: Sequence[str]) -> int:
        searches = self._rules.get(self._unmarked(label), self._rules["*"])
        from_left = range(len(labels))
        for search in searches:
            order = from_left if search.direction == "left" else from_left[::-1]
            for index in order[:1] if search.direction == "last" else order:
                child = labels[index]
                if self._unmarked(child) in search.labels:
                    return index
        return 0 if searches[-1].direction == "left" else len(labels) - 1


def dependencies(tree: Tree, head_rules: str | os.PathLike[str] | HeadRules = "english") -> NDArray[np.int32]:
    """Return the heads of the words of a tree by head_rules: heads[m] for words 1..n, 0 for the root, heads[0] = -1.

    >>> tree = Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))")
    >>> dependencies(tree).tolist()
    [-1, 2, 3, 0]
    """
    rules = HeadRules.load(head_rules)
    heads = np.zeros(len(tree.leaves()) + 1, dtype=np.int32)
    heads[0] = -1
    open_: list[tuple[Tree, list[tuple[str, int]]]] = []  # nodes with the label and the head word of each child
    words = 0
    for event in walk(tree):
        if isinstance(event, Tree):
            open_.append((event, []))
        elif event is not None:
            words += 1
            open_[-1][1].append(("", words))
        else:
            node, children = open_.pop()
            index = 0 if node.is_preterminal() else rules.head_child(node.label, [label for label, _ in children])
            head = children[index][1]
            heads[[word for _, word in children if word != head]] = head
            if open_:
                open_[-1][1].append((node.label, head))
    return heads

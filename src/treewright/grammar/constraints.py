"""Constraints on phrase-structure trees, in the form that the chart takes them.

A constraint is (first, last), some phrase over the words first to last - 1; (label, first, last), a phrase with a
label; or (place, tag), the tag of a word. Words are counted from 0. Nodes that binarisation inserted are no phrases.

A required span closes all spans that cross it. Every binary tree then has a node over it: the smallest node that
contains the span cannot be divided within the span without a part that crosses it, unless it is the span itself. What
remains is to allow only chains with a phrase, or with the label, over the span.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.checks import check_forbidding
from treewright.errors import InfeasibleError, InputError
from treewright.grammar.result import number_of

Constraint = tuple[int, int] | tuple[str, int, int] | tuple[int, str]
Flags = NDArray[np.bool_]


class Limits(TypedDict, total=False):
    """What limits and weighs the trees of a sentence; `TreebankGrammar.parse` explains it."""

    tags: Sequence[str | None] | None
    adjust: ArrayLike | None
    require: Iterable[Constraint]
    forbid: Iterable[Constraint]


@dataclass
class ChartConstraints:
    """Closed spans, and for some spans the chains that are allowed; the tags that are allowed for each word."""

    closed: Flags | None
    masks: dict[tuple[int, int], Flags] = field(default_factory=dict)
    tags: Flags | None = None

    def arguments(self) -> tuple[Flags | None, NDArray[np.int32] | None, Flags | None]:
        """Return the arguments of the kernel."""
        if not self.masks:
            return self.closed, None, None
        spans = np.array(list(self.masks), dtype=np.int32)
        return self.closed, spans, np.ascontiguousarray(np.array(list(self.masks.values())))


@dataclass(frozen=True)
class Names:
    """The labels and tags of a grammar, and the labels of each chain."""

    labels: tuple[str, ...]
    tags: tuple[str, ...]
    chain_labels: tuple[frozenset[str], ...]

    def chains_with(self, label: str | None) -> Flags:
        """Return whether each chain has a label, or any phrase."""
        if label is not None:
            number_of(label, self.labels, "label")
        return np.array([label in labels if label is not None else bool(labels) for labels in self.chain_labels])

    def chain_table(self, labels: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return where the labels of each chain begin, and the numbers of all of them among `labels`."""
        number = {label: place for place, label in enumerate(labels)}
        chains = [sorted(number[label] for label in chain) for chain in self.chain_labels]
        begins = np.cumsum([0, *map(len, chains)]).astype(np.int32)
        return begins, np.array([label for chain in chains for label in chain], dtype=np.int32)


def chart_constraints(
    words: int, names: Names, require: Iterable[Constraint], forbid: Iterable[Constraint]
) -> ChartConstraints:
    """Check the constraints of a sentence and return them as the chart takes them."""
    limits = ChartConstraints(None)
    required: list[tuple[int, int]] = []
    for argument, constraints in (("require", require), ("forbid", forbid)):
        for number, constraint in enumerate(constraints):
            name, is_required = f"{argument}[{number}]", argument == "require"
            if len(constraint) == 2 and isinstance(constraint[1], str):
                limit_tags(limits, words, names, name, constraint[0], constraint[1], is_required)
                continue
            label, first, last = span_of(name, constraint, words)
            mask = limits.masks.setdefault((first, last), np.ones(len(names.chain_labels), dtype=bool))
            with_label = names.chains_with(label)
            mask &= with_label if is_required else ~with_label
            if is_required:
                required.append((first, last))
    limits.closed = closed_by(required, words)
    return limits


def span_of(name: str, constraint: Sequence[object], words: int) -> tuple[str | None, int, int]:
    """Return label and ends of a constraint on a span."""
    label, first, last = constraint if len(constraint) == 3 else (None, *constraint)
    is_span = isinstance(first, int) and isinstance(last, int) and isinstance(label, (str, type(None)))
    if not is_span or not 0 <= first < last <= words:  # type: ignore[operator]
        expected = "(first, last), (label, first, last) or (word, tag)"
        raise InputError(f"{name} is {constraint!r}; expected {expected} over words 0 to {words - 1}, last excluded")
    return label, first, last  # type: ignore[return-value]


def limit_tags(
    limits: ChartConstraints, words: int, names: Names, name: str, word: object, tag: str, is_required: bool
) -> None:
    """Allow one tag of a word only, or forbid it."""
    if not isinstance(word, int) or not 0 <= word < words:
        raise InputError(f"{name} is {(word, tag)!r}; the sentence has the words 0 to {words - 1}")
    number = number_of(tag, names.tags, "tag")
    if limits.tags is None:
        limits.tags = np.ones((words, len(names.tags)), dtype=bool)
    chosen = np.arange(len(names.tags)) == number
    limits.tags[word] &= chosen if is_required else ~chosen


def checked_tags(tags: Sequence[str | None] | None, words: int) -> list[str | None]:
    """Return the tag that is given for each word, None where it is free."""
    if tags is None:
        return [None] * words
    if isinstance(tags, str) or len(tags) != words:
        raise InputError(f"tags has {len(tags)} entries for {words} words; give one a word, None where it is free")
    for place, tag in enumerate(tags):
        if not (tag is None or isinstance(tag, str)):
            raise InputError(f"tags[{place}] is {tag!r}; expected a tag, or None where it is free")
    return list(tags)


def closed_by(required: Sequence[tuple[int, int]], words: int) -> Flags | None:
    """Return the spans that cross a required one."""
    if not required:
        return None
    for number, (first, last) in enumerate(required):
        for begin, end in required[:number]:
            if begin < first < end < last or first < begin < last < end:
                pair = (f"({begin}, {end})", f"({first}, {last})")
                raise InfeasibleError(f"the required spans {pair[0]} and {pair[1]} cross; no tree has both", pair)
    i, j = np.indices((words + 1, words + 1))
    closed = np.zeros((words + 1, words + 1), dtype=bool)
    for first, last in required:
        closed |= ((i < first) & (first < j) & (j < last)) | ((first < i) & (i < last) & (last < j))
    return closed


def checked_adjustment(
    adjust: ArrayLike, shape: tuple[int, int], what: Literal["a tag", "an arc"] = "a tag"
) -> NDArray[np.float64]:
    """Return adjustments of tags or arcs as an array of this shape; NaN and +inf are refused."""
    array = np.asarray(adjust, dtype=np.float64)
    if array.shape != shape:
        axes = "a row a word, a column a tag" if what == "a tag" else "[h, m] over root and words"
        raise InputError(f"adjust has shape {array.shape}; expected {shape}: {axes}")
    return check_forbidding("adjust", array, what)

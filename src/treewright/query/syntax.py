"""The syntax tree of requests and rules: what the parser makes and the matcher reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

ENHANCED = "E:"  # before the label of an edge of the enhanced graph
MAX_MEMO = 1 << 16  # values whose result is kept, per test; not tuned

Operator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Values:
    """Alternatives: texts, and regular expressions that must match a whole value; `*` accepts every value."""

    texts: frozenset[str] = frozenset()
    patterns: tuple[re.Pattern[str], ...] = ()
    is_any: bool = False

    def accept(self, value: str) -> bool:
        """Return whether a value is one of the alternatives."""
        return self.is_any or value in self.texts or any(pattern.fullmatch(value) for pattern in self.patterns)


class Memo(dict[str | None, bool]):
    """The results of a test by value, computed once per value; None stands for a missing value."""

    def __init__(self, test: Callable[[str], bool], *, if_missing: bool = False) -> None:
        super().__init__()
        self._test, self._if_missing = test, if_missing

    def __missing__(self, value: str | None) -> bool:
        if len(self) >= MAX_MEMO:
            self.clear()
        result = self[value] = self._if_missing if value is None else self._test(value)
        return result


@dataclass(frozen=True)
class FeatureTest:
    """A condition on one feature: it is missing (`!F`), present (`F`, `F = *`), or its value is (not) in `values`."""

    name: str
    values: Values = field(default_factory=lambda: Values(is_any=True))
    is_negated: bool = False  # F <> a: present, with another value
    is_missing: bool = False  # !F

    def memo(self) -> Memo:
        """Return the test as a mapping from value to result."""
        return Memo(self.accept, if_missing=self.is_missing)

    def accept(self, value: str) -> bool:
        """Return whether the condition holds of a value that is present."""
        return not self.is_missing and self.values.accept(value) != self.is_negated


@dataclass(frozen=True)
class LabelTest:
    """A condition on the label of an edge.

    features: conditions on the parts of the label, all of which must hold; else `values`, negated by `^`. An edge of
    the enhanced graph is accepted only by a test that names such edges (E:nsubj, enhanced=yes).
    """

    values: Values = field(default_factory=lambda: Values(is_any=True))
    is_negated: bool = False
    features: tuple[FeatureTest, ...] = ()
    on_basic: bool = True
    on_enhanced: bool = False

    def accept(self, label: str) -> bool:
        """Return whether the test accepts a label, which begins with E: if the edge is of the enhanced graph."""
        if not (self.on_enhanced if label.startswith(ENHANCED) else self.on_basic):
            return False
        if self.features:
            parts = label_parts(label)
            return all(
                test.accept(parts[test.name]) if test.name in parts else test.is_missing for test in self.features
            )
        return self.values.accept(label) != self.is_negated

    @property
    def is_open(self) -> bool:
        """Whether every basic edge is accepted."""
        return self.values.is_any and not self.features and not self.is_negated and self.on_basic


def label_parts(label: str) -> dict[str, str]:
    """Return the parts of a label by name: 1, 2, deep, enhanced.

    >>> label_parts("nsubj:pass"), label_parts("E:obl:in")
    ({'1': 'nsubj', '2': 'pass'}, {'1': 'obl', '2': 'in', 'enhanced': 'yes'})
    """
    plain, _, deep = label.removeprefix(ENHANCED).partition("@")
    first, _, second = plain.partition(":")
    parts = {"1": first, "2": second, "deep": deep}
    parts["enhanced"] = "yes" if label.startswith(ENHANCED) else ""
    return {name: value for name, value in parts.items() if value}


def join_label(parts: dict[str, str]) -> str:
    """Return the label of parts as `label_parts` returns them."""
    label = parts["1"] + (f":{parts['2']}" if "2" in parts else "") + (f"@{parts['deep']}" if "deep" in parts else "")
    return ENHANCED + label if "enhanced" in parts else label


# -- clauses


@dataclass(frozen=True)
class NodeClause:
    """`X [upos=VERB, !Tense] | [upos=AUX]`: one of the alternatives holds, each a list of conditions."""

    name: str
    alternatives: tuple[tuple[FeatureTest, ...], ...]
    at: int


@dataclass(frozen=True)
class EdgeClause:
    """`e: X -[nsubj]-> Y`; the name may be missing, and an end may be `*` (None)."""

    edge: str | None
    head: str | None
    modifier: str | None
    label: LabelTest
    at: int


@dataclass(frozen=True)
class Relation:
    """`X < Y` (immediately before), `X << Y`, `e1 >< e2` (the edges cross), `X ->> Y` (by a path of basic edges).

    `<<` between edges and nodes means covered by.
    """

    left: str
    sign: Literal["<", "<<", "><", "->>"]
    right: str
    at: int


@dataclass(frozen=True)
class Attribute:
    """`X.lemma`, `e.label`."""

    owner: str
    name: str
    at: int


@dataclass(frozen=True)
class Distance:
    """`delta(X, Y)`: position of Y minus position of X; `length(X, Y)`: the same without its sign."""

    left: str
    right: str
    is_signed: bool
    at: int


@dataclass(frozen=True)
class Comparison:
    """`X.lemma = Y.lemma`, `X.upos <> VERB|AUX`, `X.conf < 0.5`, `length(X, Y) > 3`."""

    left: Attribute | Distance
    operator: Operator
    right: Attribute | Values | float


@dataclass(frozen=True)
class Condition:
    """`X.Case`, `!X.Case`: whether the feature is present."""

    left: Attribute
    is_missing: bool


Clause = NodeClause | EdgeClause | Relation | Comparison | Condition


@dataclass(frozen=True)
class Filter:
    """A `with` or `without` block."""

    clauses: tuple[Clause, ...]
    is_negative: bool


@dataclass(frozen=True)
class GlobalFlag:
    """`is_projective`, `is_not_tree`, ..."""

    name: str
    is_negated: bool


@dataclass(frozen=True)
class RequestTree:
    """A request: the union of its patterns, its filters, its conditions on the whole sentence."""

    pattern: tuple[Clause, ...]
    filters: tuple[Filter, ...] = ()
    flags: tuple[GlobalFlag, ...] = ()
    metadata: tuple[FeatureTest, ...] = ()


# -- commands


@dataclass(frozen=True)
class AddEdge:
    """`add_edge X -[obj]-> Y`, `add_edge f: X -> Y`."""

    edge: str | None
    head: str
    modifier: str
    label: str | None  # None until a later command sets it
    at: int


@dataclass(frozen=True)
class DeleteEdge:
    """`del_edge e`, or `del_edge X -[obj]-> Y`."""

    edge: str | None
    head: str | None
    modifier: str | None
    label: str | None
    at: int


@dataclass(frozen=True)
class SetValue:
    """`X.upos = VERB`, `e.label = obj`, `X.lemma = Y.lemma + "s"`: the parts are joined."""

    target: Attribute
    parts: tuple[Attribute | str, ...]


@dataclass(frozen=True)
class DeleteFeature:
    """`del_feat X.Case`, `del_feat e.2`."""

    target: Attribute


@dataclass(frozen=True)
class Shift:
    """`shift X ==> Y`: move the edges of X, except those to nodes of the pattern, to Y."""

    source: str
    target: str
    label: LabelTest
    moves_in: bool
    moves_out: bool
    at: int


Command = AddEdge | DeleteEdge | SetValue | DeleteFeature | Shift


@dataclass(frozen=True)
class RuleTree:
    """A rule: a request and what is done for a matching of it."""

    name: str
    request: RequestTree
    commands: tuple[Command, ...]

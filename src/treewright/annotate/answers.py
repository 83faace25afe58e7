"""Answers of a project: plain records. Words are numbered from 1, head 0 is the root."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from treewright.corpus import Sentence
from treewright.decode import Parse
from treewright.errors import InputError
from treewright.pipeline.session import Session

Arc = tuple[int, int]  # head, word
Op = dict[str, Any]  # an operation as JSON: {"kind": "head", "word": 5, "head": 3}


class ProjectError(InputError):
    """A project cannot do what was asked of it; nothing was changed."""


class UnknownItemError(ProjectError):
    """There is no such sentence, layer, person, job or model (HTTP 404)."""


class AccessError(ProjectError):
    """The role of a person does not allow what was asked (HTTP 403)."""


class StoreError(ProjectError):
    """The project cannot be opened or written: it is in use, read-only, damaged, or the disk is full."""


class ConflictError(ProjectError):
    """An operation contradicts other decisions, or cells that have changed since (HTTP 409).

    arcs: a smallest set of decided and rejected arcs that no tree agrees with. cells: the cells that another operation
    has changed since the revision that the operation refers to, each with word, column, the present value and author.
    """

    def __init__(self, message: str, arcs: list[Arc] | None = None, cells: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.arcs = arcs or []
        self.cells = cells or []

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"message": str(self), "conflict": [list(arc) for arc in self.arcs], "cells": self.cells}


@dataclass(frozen=True)
class Person:
    """A person of a project. role: reader, annotator, adjudicator or manager."""

    name: str
    role: str

    @property
    def layer(self) -> str:
        """The layer that the person writes: the own one."""
        return self.name


@dataclass(frozen=True)
class Summary:
    """A line of the list of sentences. status: new, started or accepted.

    doubtful: how many open words are right with a probability below 0.9; None before the model has parsed it.
    """

    id: int
    sent_id: str
    text: str
    document: str
    status: str
    words: int
    decided: int  # words with a decision
    doubtful: int | None
    notes: int
    hit: list[int] = field(default_factory=list)  # words of a search


@dataclass(frozen=True)
class WordState:
    """A word as it is shown.

    cells: the value of every column from FORM to MISC, HEAD as a string ("_" if it is open). states: for the columns
    that are not "_", who chose the value: "decided" by a person for this word, "accepted" with the sentence or
    imported, "suggested" by the model. confidence: the probability that head and relation are right; None without a
    model. rejected: heads that a person excluded. guideline: address of the guideline of the relation, "" if unknown.
    """

    number: int
    cells: dict[str, str]
    states: dict[str, str]
    confidence: float | None
    rejected: list[int]
    is_unsure: bool
    notes: list[dict[str, Any]]  # author, at, text
    guideline: str


@dataclass(frozen=True, eq=False)
class State:
    """A sentence in a layer.

    sentence has the tree shown: decisions, accepted cells, and the best tree of the model under them. required and
    forbidden are the arcs under which that tree is the best. released: words whose imported or accepted head gave way
    to a decision. tree: the parse of the model, with bound, gap and certificate; None without a model.
    """

    id: int
    layer: str
    document: str
    status: str
    revision: int
    seq: int  # of the last operation on this sentence in this layer; 0 if there is none
    sentence: Sentence
    words: list[WordState]
    required: list[Arc]
    forbidden: list[Arc]
    released: list[int]
    changed: list[int]  # words whose head or relation the last operation moved
    lint: list[dict[str, Any]]  # rule, level, word, reason, guideline (address or ""), mend (operations or None)
    expected_errors: float | None  # expected number of wrong arcs among the open words; None without a model
    doubtful: list[int]  # open words whose arc is right with a probability below 0.9, the lowest first
    can_undo: bool
    can_redo: bool
    tree: Parse | None = None
    proof: str = ""  # what is proven of the tree shown, in words
    note: str = ""  # which limit of the model was lifted
    notes: list[dict[str, Any]] = field(default_factory=list)  # about the sentence: author, at, text
    labels: list[str] = field(default_factory=list)  # of the sentence, chosen freely by people
    arc_states: dict[Arc, str] = field(default_factory=dict)  # for `draw.svg(states=...)`
    session: Session | None = None

    @property
    def heads(self) -> list[int]:
        """The head of each word; -1 where it is open."""
        return [int(head) for head in self.sentence.heads]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        left_out = ("sentence", "tree", "session", "arc_states")
        plain = {name: value for name, value in vars(self).items() if name not in left_out}
        return plain | {
            "sent_id": self.sentence.sent_id,
            "text": self.sentence.text,
            "comments": self.sentence.comments,
            "words": [asdict(word) for word in self.words],
            "heads": self.heads,
            "tokens": [token._asdict() for token in self.sentence.tokens],
            "empty_nodes": [node._asdict() for node in self.sentence.empty_nodes],
            "score": None if self.tree is None else self.tree.score,
            "bound": None if self.tree is None else self.tree.bound,
            "gap": None if self.tree is None else self.tree.gap,
            "certified": self.tree is not None and self.tree.certified,
        }


@dataclass(frozen=True, eq=False)
class Answer:
    """What became of an operation that is stored: the number of its event, and the state after it.

    sentence_id: the sentence to show next, another one than before if sentences were joined. A repeated op_id returns
    the first `seq` and `revision` with is_repeated, and the present state.
    """

    seq: int
    revision: int
    changed: list[int]
    proof: str
    state: State
    sentence_id: int
    is_repeated: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {name: value for name, value in vars(self).items() if name != "state"} | {"state": self.state.as_dict()}


@dataclass(frozen=True)
class Choice:
    """A head that a word may have: its relation, its probability, and what the best tree with it loses."""

    head: int
    deprel: str
    probability: float
    cost: float


@dataclass(frozen=True)
class Hit:
    """A match of a request: the sentence, and the words by the names of the request."""

    sentence_id: int
    sent_id: str
    text: str
    nodes: dict[str, int]


@dataclass(frozen=True)
class Difference:
    """A word about which layers differ: the answer of each layer, as cells and as the operations that take it."""

    sentence_id: int
    sent_id: str
    text: str
    word: int
    form: str
    answers: dict[str, dict[str, str]]  # layer -> HEAD, DEPREL, UPOS, ... where some layers differ
    ops: dict[str, list[Op]]  # layer -> what `apply` needs to take its answer
    is_decided: bool


@dataclass(frozen=True)
class Job:
    """Work in the background. state: running, done or failed. progress: the share that is done.

    model: the id of the model that was trained. metrics: held-out accuracy (las, low and high of its 95 % range, uas,
    words, sentences, seconds).
    """

    id: str
    kind: str
    state: str
    progress: float
    message: str
    model: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)

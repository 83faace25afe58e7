"""Completion: fills in what annotators left open, and keeps what they decided.

A word whose HEAD is "_" is open, and so is a relation that is "_". The heads given are required arcs: the
candidate arcs are chosen by the probabilities of the trees that have them, and the best tree is decoded among those.
Confidence and entropy of what was filled in are those of the scorer given the decisions, calibrated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.corpus import Sentence
from treewright.corpus.confidence import clear_derived
from treewright.corpus.graph import copy_graph
from treewright.decode import Parse, Parts
from treewright.decode.constraints import is_feasible
from treewright.decode.options import ArcConstraints, ChosenMethod
from treewright.decode.problem import Problem
from treewright.errors import FormatError, InfeasibleError, InputError
from treewright.graphs.checks import check_decided, heads_given
from treewright.graphs.options import GraphOptions
from treewright.parser.worker import BELIEF_ROUNDS, Worker, check_length, with_scope

if TYPE_CHECKING:
    from treewright.parser.parser import Parser

OPEN = "_"
WITHOUT_GRANDCHILDREN = "; scores of grandchildren, which model outer has for projective trees only, were left out"
NO_PROJECTIVE_TREE = "no projective tree has all the heads given; completed with crossing arcs"
ROOT = "root"  # the relation that Universal Dependencies keep for the word below the root

Arc = tuple[int, int]
Indices = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Completion:
    """A sentence filled in, and what is known about it: one entry a word.

    open_heads and open_labels mark what was filled in. confidence is the calibrated probability of each head, given
    what was decided (1 for the decisions), and entropy, in nats, the uncertainty that was left. crossing: no projective
    tree has all decisions, so that the tree was sought among all trees although the model is projective. note: which
    limits of the model were lifted to keep the decisions; empty if none were. problem: the annotation contradicts
    itself; the sentence is as it was.
    """

    sentence: Sentence
    open_heads: NDArray[np.bool_]
    open_labels: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    entropy: NDArray[np.float64]
    parse: Parse | None = None
    crossing: bool = False
    note: str = ""
    problem: FormatError | None = None

    @property
    def arc_confidence(self) -> NDArray[np.float64]:
        """The calibrated probability that head and relation of each word are both right, given what was decided."""
        labels = self.sentence.label_confidence
        return self.confidence if labels is None else self.confidence * labels

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Which words had an open head or an open relation."""
        return self.open_heads | self.open_labels


def completer(
    parser: Parser, projective: bool, root: str, on_error: str, search: ChosenMethod
) -> Callable[[Worker, Sentence], Completion]:
    """Return the function that completes a sentence, as `Parser.complete` describes."""
    check_on_error(on_error)

    def complete(worker: Worker, sentence: Sentence) -> Completion:
        try:
            return with_graph(parser, sentence, complete_sentence(worker, sentence, projective, root, search))
        except FormatError as error:
            if on_error == "raise":
                raise
            return untouched(sentence, error)

    return complete


def with_graph(parser: Parser, sentence: Sentence, completion: Completion) -> Completion:
    """Fill in the open cells of DEPS, if the parser finds graphs; the others are kept."""
    if parser.graphs is not None:
        copy_graph(completion.sentence, sentence)
        parser.graphs.add([completion.sentence], keep=True)
    return completion


def check_on_error(on_error: str) -> None:
    """Refuse what is neither "raise" nor "skip"."""
    if on_error not in ("raise", "skip"):
        raise InputError(f"on_error is {on_error!r}; expected 'raise' or 'skip'")


def fill_in(sentence: Sentence, heads: Indices, deprels: list[str]) -> tuple[Sentence, Flags, Flags]:
    """Return a copy with this tree, without what described another one, and which heads and relations were open."""
    open_heads = sentence.heads < 0
    open_labels = np.array([label == OPEN for label in sentence.deprels])
    copy = sentence.copy()
    if open_heads.any() or open_labels.any():
        clear_derived(copy)
    copy.heads, copy.deprels = heads, deprels
    return copy, open_heads, open_labels


def complete_sentence(
    worker: Worker, sentence: Sentence, projective: bool, root: str, options: ChosenMethod
) -> Completion:
    """Complete one sentence by one worker."""
    sentence.check("partial")
    check_length(sentence)
    require, forbid = decisions(sentence, root, worker.model.labels)
    if worker.model.graphs is not None:
        forbid += excluded_by_graph(sentence, worker.model.graphs.options)
    constraints: ArcConstraints = {"require": require, "forbid": forbid, "root": root}
    inputs = worker.encode([sentence])
    crossing = projective and not is_projective_possible(len(sentence), constraints)
    projective = projective and not crossing
    try:
        arcs = worker.prune_under(inputs, projective, **constraints)
    except InfeasibleError as error:
        raise impossible(sentence, error) from None
    [parts] = worker.score(inputs, [arcs])
    note = NO_PROJECTIVE_TREE if crossing else ""
    if crossing and parts.outermost:
        parts, note = Parts(parts.nodes, parts.arcs, parts.siblings, None, parts.stops), note + WITHOUT_GRANDCHILDREN
    start = decode.tree(parts, projective=projective, **constraints, **options)
    [best] = worker.climb(inputs, [parts], [start], projective, root, options)
    parse = with_scope(best, arcs)
    calibration = worker.model.calibrations.head
    flat = parts.scaled(1 / calibration.temperature)
    marginal = decode.marginals(flat, projective=projective, rounds=BELIEF_ROUNDS, **constraints)
    confidence = calibration.apply(marginal[parse.heads[1:], np.arange(1, len(sentence) + 1)])
    decided = sentence.deprels
    [best_labels], [label_confidence] = worker.label([sentence], inputs, [parse.heads], [decided])
    labels = [new if old == OPEN else old for old, new in zip(decided, best_labels, strict=True)]
    copy, open_heads, open_labels = fill_in(sentence, parse.heads[1:], labels)
    copy.parse = parse
    copy.head_confidence = np.where(open_heads, confidence, 1.0)
    copy.label_confidence = np.where(open_labels, label_confidence, 1.0)
    entropy = entropies(marginal[:, 1:])
    return Completion(copy, open_heads, open_labels, copy.head_confidence, entropy, parse, crossing, note)


def decisions(sentence: Sentence, root: str, labels: tuple[str, ...]) -> tuple[list[Arc], list[Arc]]:
    """Return the arcs that the annotation requires and forbids: its heads, and what the relation `root` implies."""
    require: list[Arc] = []
    forbid: list[Arc] = []
    for word, (head, label) in enumerate(zip(sentence.heads.tolist(), sentence.deprels, strict=True), 1):
        if head >= 0:
            require.append((head, word))
        elif ROOT in labels and label == ROOT:
            require.append((0, word))
        elif ROOT in labels and label != OPEN:
            forbid.append((0, word))
    top = [word for head, word in require if head == 0]
    if root == "single" and len(top) > 1:
        problem = (
            f"words {', '.join(map(str, top))} are attached to the root; expected one, or root='multi' (--root multi)"
        )
        raise FormatError(sentence.source, sentence.line_of(top[1]), problem)
    return require, forbid


def excluded_by_graph(sentence: Sentence, options: GraphOptions) -> list[Arc]:
    """Return the arcs that the given edges of DEPS exclude, if every arc of the tree is an edge of the graph."""
    acyclic, keep_tree = bool(options.acyclic), bool(options.keep_tree)
    check_decided(sentence, acyclic=acyclic, keep_tree=keep_tree)
    if not keep_tree:
        return []
    nodes = range(len(sentence) + 1)
    decided = heads_given(sentence).items()
    return [(head, word) for word, heads in decided for head in nodes if head != word and head not in heads]


def is_projective_possible(words: int, constraints: ArcConstraints) -> bool:
    """Whether a projective tree of so many words meets the constraints.

    Arcs that do not cross may be impossible too: with word 1 under 4 and 4 under 2, word 2 has no head left.

    >>> decided = [(4, 1), (2, 3)], [(3, 1), (2, 4)], [(4, 1), (2, 4)]
    >>> [is_projective_possible(4, {"require": arcs}) for arcs in decided]
    [True, False, False]
    """
    scores = np.zeros((words + 1, words + 1))
    return is_feasible(Problem.of(scores, projective=True, **constraints))


def impossible(sentence: Sentence, reason: InfeasibleError) -> FormatError:
    """Return the error for decisions that no tree has."""
    return FormatError(sentence.source, sentence.line, f"no tree has all that was decided: {reason}")


def entropies(marginal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each column, in nats."""
    safe = np.clip(marginal, 1e-300, None)
    return np.asarray(np.maximum(-(marginal * np.log(safe)).sum(axis=0), 0.0))


def untouched(sentence: Sentence, problem: FormatError) -> Completion:
    """Return a sentence that could not be completed."""
    nothing = np.zeros(len(sentence), dtype=np.bool_)
    return Completion(sentence, nothing, nothing, np.ones(len(sentence)), np.zeros(len(sentence)), problem=problem)

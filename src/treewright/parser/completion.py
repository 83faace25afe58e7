"""Completion: fills in what annotators left open, and keeps what they decided.

The heads given are required arcs (decisions.py): the candidate arcs are chosen by the probabilities of the trees that
have them, and the best tree is decoded among those. Confidence and entropy of what was filled in are those of the
scorer given the decisions, calibrated.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.corpus.confidence import clear_derived
from treewright.corpus.graph import copy_graph
from treewright.decode import Parse
from treewright.decode.options import ChosenMethod
from treewright.errors import FormatError, InfeasibleError, InputError
from treewright.graphs.checks import check_decided, heads_given
from treewright.graphs.options import GraphOptions
from treewright.parser.decisions import OPEN, Arc, Decisions, check_single_root, ensure_possible
from treewright.parser.long_sentences import (
    check_length,
    cut_sentence,
    is_long,
    join_parts,
    nearest_decided,
    options_of_part,
    with_other_heads,
)
from treewright.parser.question import Question, constraints_of
from treewright.parser.worker import Parsed, Worker, arcs_of
from treewright.trees import is_projective

if TYPE_CHECKING:
    from treewright.parser.parser import Parser

NO_PROJECTIVE_TREE = "no projective tree has all the heads given; completed with crossing arcs"
CROSSING_PARTS = "completed in parts, with crossing arcs to keep all the heads given"
WITHOUT_GRANDCHILDREN = "; scores of grandchildren, which model outer has for projective trees only, were left out"

Indices = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Completion:
    """A sentence filled in, and what is known about it: one entry a word.

    open_heads and open_labels mark what was filled in. confidence is the calibrated probability of each head, given
    what was decided (1 for the decisions), and entropy, in nats, the uncertainty that was left. crossing: no projective
    tree has all decisions, or none was found in parts, so that arcs cross although the model is projective. note:
    which limits of the model were lifted to keep the decisions; empty if none were. problem: the annotation
    contradicts itself; the sentence is as it was.
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
    parser: Parser,
    projective: bool,
    root: str,
    on_error: str,
    method: ChosenMethod,
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> Callable[[Worker, Sentence], Completion]:
    """Return the function that completes a sentence, as `Parser.complete` describes."""
    check_on_error(on_error)

    def complete(worker: Worker, sentence: Sentence) -> Completion:
        try:
            completion = complete_sentence(worker, sentence, projective, root, method, require, forbid)
            return with_graph(parser, sentence, completion)
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
    worker: Worker,
    sentence: Sentence,
    projective: bool,
    root: str,
    method: ChosenMethod,
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> Completion:
    """Complete one sentence by one worker."""
    sentence.check("partial")
    decided = Decisions.given(sentence, worker.model.labels)
    if root == "single":
        check_single_root(sentence, decided)
    if worker.model.graphs is not None:
        decided = decided.extended(forbid=excluded_by_graph(sentence, worker.model.graphs.options))
    decided = decided.extended(require, forbid)
    try:
        if is_long(sentence):
            if require or forbid:  # the heads of the sentence itself are checked above
                check_length(sentence)
                ensure_possible(len(sentence), constraints_of(decided, root))
            return complete_in_parts(worker, sentence, decided, projective, root, method)
        return answer(Question.of(worker, sentence, projective, decided=decided, root=root), method)
    except InfeasibleError as error:
        raise impossible(sentence, error) from None


def answer(question: Question, method: ChosenMethod | None = None) -> Completion:
    """Complete the sentence of a question, whose heads and relations are decisions, by its best tree."""
    tree, entropy = best_tree(question, method)
    note = NO_PROJECTIVE_TREE if question.is_crossing else ""
    if question.is_crossing and question.worker.model.options.outermost:
        note += WITHOUT_GRANDCHILDREN
    return completion_of(question.sentence, tree, entropy, question.is_crossing, note)


def best_tree(question: Question, method: ChosenMethod | None) -> tuple[Parsed, NDArray[np.float64]]:
    """Return the best tree of a question with its labels and confidence, and the entropy of each word's head."""
    parse = question.best(method)
    marginal = question.with_candidates(arcs_of(parse.heads))[0].marginals
    calibration = question.worker.model.calibrations.head
    confidence = calibration.apply(marginal[parse.heads[1:], np.arange(1, len(parse.heads))])
    labels, label_confidence = question.labels(parse)
    return Parsed(parse, labels, confidence, label_confidence), entropies(marginal[:, 1:])


def completion_of(
    sentence: Sentence, tree: Parsed, entropy: NDArray[np.float64], is_crossing: bool, note: str
) -> Completion:
    """Fill in what is open in a sentence by a tree; what was given has the confidence 1."""
    assert tree.head_confidence is not None
    assert tree.label_confidence is not None
    copy, open_heads, open_labels = fill_in(sentence, tree.parse.heads[1:], tree.labels)
    copy.parse = tree.parse
    copy.head_confidence = np.where(open_heads, tree.head_confidence, 1.0)
    copy.label_confidence = np.where(open_labels, tree.label_confidence, 1.0)
    return Completion(copy, open_heads, open_labels, copy.head_confidence, entropy, tree.parse, is_crossing, note)


def complete_in_parts(
    worker: Worker, sentence: Sentence, decided: Decisions, projective: bool, root: str, method: ChosenMethod
) -> Completion:
    """Complete a long sentence in parts, each under the arcs given inside it; the joined tree has all decisions."""
    parts = cut_sentence(sentence)
    options = options_of_part(method, len(parts))
    ends = list(accumulate(map(len, parts)))
    answers = []
    for part, end in zip(parts, ends, strict=True):
        inside = decided.within(end - len(part), end)
        answers.append(best_tree(Question.of(worker, part, projective, decided=inside, root=root), options))
    given_root = next((word for head, word in decided.require if head == 0), 1)
    top = bisect_left(ends, given_root)
    tree = join_parts([tree for tree, _ in answers], worker.model.labels, sentence.upos, top)
    if not decided.holds(tree.parse.heads):
        check_length(sentence)
        heads = nearest_decided(tree.parse.heads, decided, root)
        heads = worker.without_gaps(sentence, heads, decided.require, decided.forbid)
        tree = with_other_heads(tree, heads, worker.model.labels, sentence.upos)
    labels = [own if own != OPEN else label for own, label in zip(sentence.deprels, tree.labels, strict=True)]
    entropy = np.concatenate([entropy for _, entropy in answers])
    is_crossing = projective and not is_projective(tree.parse.heads)
    note = CROSSING_PARTS if is_crossing else ""
    return completion_of(sentence, tree._replace(labels=labels), entropy, is_crossing, note)


def excluded_by_graph(sentence: Sentence, options: GraphOptions) -> list[Arc]:
    """Return the arcs that the given edges of DEPS exclude, if every arc of the tree is an edge of the graph."""
    acyclic, keep_tree = bool(options.acyclic), bool(options.keep_tree)
    check_decided(sentence, acyclic=acyclic, keep_tree=keep_tree)
    if not keep_tree:
        return []
    nodes = range(len(sentence) + 1)
    decided = heads_given(sentence).items()
    return [(head, word) for word, heads in decided for head in nodes if head != word and head not in heads]


def impossible(sentence: Sentence, reason: InfeasibleError) -> FormatError:
    """Return the error for decisions that no tree has."""
    problem = f"no tree has all that was decided: {reason}"
    return FormatError(sentence.source, sentence.line, problem, reason.conflict)


def entropies(marginal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each column, in nats."""
    safe = np.clip(marginal, 1e-300, None)
    return np.asarray(np.maximum(-(marginal * np.log(safe)).sum(axis=0), 0.0))


def untouched(sentence: Sentence, problem: FormatError) -> Completion:
    """Return a sentence that could not be completed."""
    nothing = np.zeros(len(sentence), dtype=np.bool_)
    return Completion(sentence, nothing, nothing, np.ones(len(sentence)), np.zeros(len(sentence)), problem=problem)

"""Completion: fills in what annotators left open, keeps what they decided, and ranks what to check first.

A word whose HEAD is "_" is open, and so is a relation that is "_". The heads given are required arcs: the
candidate arcs are chosen by the probabilities of the trees that have them, and the best tree is decoded among those.
Confidence and entropy of what was filled in are those of the scorer given the decisions, calibrated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.calls import explained
from treewright.checks import check
from treewright.corpus import Sentence
from treewright.decode import ArcConstraints, ChosenMethod, Parse, SearchOptions
from treewright.errors import FormatError, InfeasibleError, InputError
from treewright.graphs.checks import check_decided, heads_given
from treewright.graphs.options import GraphOptions
from treewright.parser.model import BELIEF_ROUNDS, MAX_SECONDS, Worker, search_options, with_scope
from treewright.streams import check_seconds

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treewright.parser.parser import Parser

OPEN = "_"
ROOT = "root"  # the relation that Universal Dependencies keep for the word below the root

Arc = tuple[int, int]
Indices = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Completion:
    """A sentence filled in, and what is known about it: one entry a word.

    open_heads and open_labels mark what was filled in. confidence is the calibrated probability of each head, given
    what was decided (1 for the decisions), and entropy, in nats, the uncertainty that was left. crossing: the decisions
    cross, so that the tree was sought among all trees although the model is projective. problem: the annotation
    contradicts itself; the sentence is as it was.
    """

    sentence: Sentence
    open_heads: NDArray[np.bool_]
    open_labels: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    entropy: NDArray[np.float64]
    parse: Parse | None = None
    crossing: bool = False
    problem: FormatError | None = None


class Ranked(NamedTuple):
    """A line of the list of what to check first; `word` is 0 for a whole sentence."""

    kind: Literal["sentence", "arc"]
    sentence: str  # sent_id, or the file and line
    word: int
    form: str
    head: int
    relation: str
    confidence: float
    entropy: float


@explained
def complete(
    parser: Parser,
    sentences: Iterable[Sentence],
    *,
    threads: int = 1,
    projective: bool | None = None,
    root: str | None = None,
    on_error: str = "raise",
    method: str = "exact",
    max_seconds: float | None = MAX_SECONDS,
    **options: Unpack[SearchOptions],
) -> Iterator[Completion]:
    """Fill in the heads and relations of sentences that are "_"; what is given stays as it is.

    threads: how many sentences are completed at a time. projective and root are those of the model if None; where the
    given arcs cross, the others may cross too.
    on_error: "raise" a FormatError for annotation that contradicts itself, or "skip" and leave the sentence as it is.
    method, max_seconds and options are those of `Parser.parse`.

    >>> from treewright.parser import Parser
    >>> corpus = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> parser = Parser.train(corpus, model="arc")
    >>> [found] = complete(parser, [Sentence.from_words(["Cats", "meow"], upos=["NOUN", "VERB"], heads=[2, -1])])
    >>> found.sentence.heads.tolist(), found.sentence.deprels, found.open_heads.tolist()
    ([2, 0], ['nsubj', 'root'], [False, True])
    """
    checked_on_error(on_error)
    check_seconds(max_seconds)
    check(projective, bool | None, "projective")
    is_projective = parser.model.projective if projective is None else projective
    roots = root or parser.model.root
    search = search_options(method, max_seconds, options)

    def complete_one(worker: Worker, sentence: Sentence) -> Completion:
        try:
            return with_graph(parser, sentence, completed(worker, sentence, is_projective, roots, search))
        except FormatError as error:
            if on_error == "raise":
                raise
            return untouched(sentence, error)

    return parser.each(complete_one, sentences, threads=threads)


def with_graph(parser: Parser, sentence: Sentence, found: Completion) -> Completion:
    """A completion whose open cells of DEPS are filled in, if the parser finds graphs; the others are kept."""
    if parser.graphs is not None:
        found.sentence.copy_graph(sentence)
        parser.graphs.add([found.sentence], keep=True)
    return found


def checked_on_error(on_error: str) -> str:
    """What happens to contradictory annotation: "raise" or "skip"."""
    if on_error not in ("raise", "skip"):
        raise InputError(f"on_error is {on_error!r}; expected 'raise' or 'skip'")
    return on_error


def filled_in(sentence: Sentence, heads: Indices, deprels: list[str]) -> tuple[Sentence, Flags, Flags]:
    """A copy with this tree, and which heads and relations were open; what described an earlier tree is removed."""
    open_heads = sentence.heads < 0
    open_labels = np.array([label == OPEN for label in sentence.deprels])
    copy = sentence.copy()
    if open_heads.any() or open_labels.any():
        copy.clear_derived()
    copy.heads, copy.deprels = heads, deprels
    return copy, open_heads, open_labels


def completed(worker: Worker, sentence: Sentence, projective: bool, root: str, options: ChosenMethod) -> Completion:
    """One sentence, by one worker."""
    sentence.check("partial")
    require, forbid = decisions(sentence, root, worker.model.labels)
    if worker.model.graphs is not None:
        forbid += excluded_by_graph(sentence, worker.model.graphs.options)
    crossing = projective and have_crossing(require)
    constraints: ArcConstraints = {"require": require, "forbid": forbid, "root": root}
    encoded = worker.encode(sentence)
    try:
        arcs = worker.prune(encoded, projective and not crossing, **constraints)
    except InfeasibleError as error:
        raise FormatError(sentence.source, sentence.line, f"no tree has all that was decided: {error}") from None
    parts = worker.score(encoded, arcs)
    parse = with_scope(decode.tree(parts, projective=projective and not crossing, **constraints, **options), arcs)
    calibration = worker.model.calibrations.head
    flat = parts.scaled(1 / calibration.temperature)
    marginal = decode.marginals(flat, projective=projective and not crossing, rounds=BELIEF_ROUNDS, **constraints)
    confidence = calibration.apply(marginal[parse.heads[1:], np.arange(1, encoded.nodes)])
    given = sentence.deprels
    found, of_labels = worker.labels_with_confidence(encoded, parse.heads, given)
    labels = [new if old == OPEN else old for old, new in zip(given, found, strict=True)]
    copy, open_heads, open_labels = filled_in(sentence, parse.heads[1:], labels)
    copy.parse = parse
    copy.head_confidence = np.where(open_heads, confidence, 1.0)
    copy.label_confidence = np.where(open_labels, of_labels, 1.0)
    entropy = entropies(marginal[:, 1:])
    return Completion(copy, open_heads, open_labels, copy.head_confidence, entropy, parse, crossing)


def decisions(sentence: Sentence, root: str, labels: tuple[str, ...]) -> tuple[list[Arc], list[Arc]]:
    """The arcs that the annotation requires and forbids: its heads, and what the relation `root` implies."""
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
    """The arcs that the given edges of DEPS exclude, if every arc of the tree is an edge of the graph."""
    acyclic, keep_tree = bool(options.acyclic), bool(options.keep_tree)
    check_decided(sentence, acyclic=acyclic, keep_tree=keep_tree)
    if not keep_tree:
        return []
    nodes = range(len(sentence) + 1)
    given = heads_given(sentence).items()
    return [(head, word) for word, heads in given for head in nodes if head != word and head not in heads]


def have_crossing(arcs: list[Arc]) -> bool:
    """Whether two arcs cross; a word below the root is reached from the left of the sentence.

    >>> have_crossing([(1, 3), (2, 4)]), have_crossing([(1, 4), (2, 3), (4, 5)]), have_crossing([(1, 3), (0, 2)])
    (True, False, True)
    """
    ends = np.sort(np.array(arcs, dtype=np.int64).reshape(-1, 2), axis=1)
    left, right = ends[:, 0], ends[:, 1]
    begins_inside = (left[:, None] < left) & (left < right[:, None])
    return bool((begins_inside & (right > right[:, None])).any())


def entropies(marginal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each column, in nats."""
    safe = np.clip(marginal, 1e-300, None)
    return np.asarray(np.maximum(-(marginal * np.log(safe)).sum(axis=0), 0.0))


def untouched(sentence: Sentence, problem: FormatError) -> Completion:
    """A sentence that could not be completed."""
    nothing = np.zeros(len(sentence), dtype=np.bool_)
    return Completion(sentence, nothing, nothing, np.ones(len(sentence)), np.zeros(len(sentence)), problem=problem)


@explained
def rank(completions: Iterable[Completion]) -> list[Ranked]:
    """What to check first in completions: sentences by falling entropy, then new arcs by rising probability.

    A sentence has the lowest probability among its new arcs and the sum of their entropies. Ties keep their order.

    >>> import treewright as tw
    >>> open_word = tw.Sentence.from_words(["It", "rains"], heads=[-1, 0])
    >>> [(line.kind, line.word) for line in rank(tw.load("en").complete([open_word]))]
    [('sentence', 0), ('arc', 1)]
    """
    whole: list[Ranked] = []
    arcs: list[Ranked] = []
    for found in completions:
        if np.isnan(found.confidence).any():
            raise InputError("an induced model has no probabilities of heads, by which the list is sorted")
        sentence = found.sentence
        name = sentence.sent_id or sentence.place
        places = np.flatnonzero(found.open_heads).tolist()
        for place in places:
            figures = float(found.confidence[place]), float(found.entropy[place])
            head, relation = int(sentence.heads[place]), sentence.deprels[place]
            arcs.append(Ranked("arc", name, place + 1, sentence.forms[place], head, relation, *figures))
        if places:
            lowest, total = float(found.confidence[places].min()), float(found.entropy[places].sum())
            whole.append(Ranked("sentence", name, 0, OPEN, 0, OPEN, lowest, total))
    whole.sort(key=lambda line: (-line.entropy, line.confidence))
    arcs.sort(key=lambda line: (line.confidence, -line.entropy))
    return whole + arcs

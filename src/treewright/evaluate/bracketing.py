"""Phrase-structure trees: labelled brackets in common (PARSEVAL; Black et al. 1991), with the conventions of EVALB.

A bracket is a label over a stretch of words. Words whose tag is to be deleted (punctuation, traces) are taken out
first; brackets over nothing and brackets whose label is to be deleted do not count; a label ends at its first "-" or
"=". Each gold bracket is matched with one system bracket at most. A system bracket is a crossing one when it overlaps
some gold bracket and neither holds the other.

Two departures: the bracket that files wrap around each tree, unlabelled or ROOT, S1 or TOP, does not count, whether
the parameters name it or not. Where the system's tags would delete other words than the gold tags (a colon tagged as a
noun), EVALB reports an error; here the gold tags decide for both trees.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import IO, Any, cast

from treewright.caching import cached_property
from treewright.corpus import Reader, Tree, read_trees
from treewright.corpus.brackets import walk
from treewright.corpus.transforms import TRACES, WRAPPERS
from treewright.errors import InputError
from treewright.evaluate.scores import Score, ratio
from treewright.evaluate.sources import is_file

TreeSource = str | os.PathLike[str] | IO[Any] | Iterable[Tree]


@dataclass(frozen=True)
class Parameters:
    """EVALB's parameters; the defaults are those of its file COLLINS.prm.

    >>> parameters = Parameters(equal_labels=(("NP", "NX"),))
    >>> parameters.same_label("NX", "NP"), parameters.same_label("NX", "VP")
    (True, False)
    """

    delete_labels: tuple[str, ...] = ("TOP", "-NONE-", ",", ":", "``", "''", ".")
    delete_for_length: tuple[str, ...] = ("-NONE-",)
    equal_labels: tuple[tuple[str, str], ...] = (("ADVP", "PRT"),)
    equal_words: tuple[tuple[str, str], ...] = ()
    labelled: bool = True
    cutoff: int = 40

    @cached_property
    def deleted_brackets(self) -> frozenset[str]:
        """The labels whose brackets are not counted, with those that count as the same."""
        deleted = {*WRAPPERS, *self.delete_labels}
        equivalent = {a for pair in self.equal_labels for a, b in (pair, pair[::-1]) if b in deleted}
        return frozenset(deleted | equivalent)

    def same_label(self, a: str, b: str) -> bool:
        """Whether the labels a and b count as the same."""
        return a == b or (a, b) in self.equal_labels or (b, a) in self.equal_labels

    def same_word(self, a: str, b: str) -> bool:
        """Whether the words a and b count as the same."""
        return a == b or (a, b) in self.equal_words or (b, a) in self.equal_words


@dataclass(frozen=True)
class BracketScores:
    """Sums over sentences, and EVALB's figures."""

    sentences: int
    brackets: Score
    complete: int  # sentences with all brackets right and none too many
    crossing: int  # system brackets that cross a gold one
    without_crossing: int  # sentences with no crossing bracket
    with_two_crossing: int  # sentences with at most two
    words: int
    tags: int  # words with the right tag
    complete_match: float  # share of the sentences with all brackets right and none too many
    average_crossing: float  # crossing brackets a sentence
    no_crossing: float  # share of the sentences
    two_or_less_crossing: float  # share of the sentences
    tagging_accuracy: float  # share of the words

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain numbers."""
        return asdict(self) | {"brackets": self.brackets.as_dict()}


@dataclass(frozen=True)
class BracketEvaluation:
    """The scores over all sentences, over sentences of at most `cutoff` words, and of the brackets by label."""

    all: BracketScores
    short: BracketScores
    labels: dict[str, Score]
    cutoff: int
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain numbers."""
        return {
            "all": self.all.as_dict(),
            "short": self.short.as_dict(),
            "labels": {label: score.as_dict() for label, score in self.labels.items()},
            "cutoff": self.cutoff,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Bracketing:
    """What EVALB counts of a tree: words and tags, brackets (label, first word, after the last), its length."""

    words: list[str]
    tags: list[str]
    brackets: list[tuple[str, int, int]]
    length: int


@dataclass(frozen=True)
class Judged:
    """One sentence."""

    length: int
    gold: list[str]  # the labels of its gold brackets
    system: list[str]
    matched: list[str]  # gold labels
    crossing: int
    words: int
    tags: int


def brackets(
    gold: TreeSource, system: TreeSource, *, parameters: Parameters | None = None, skip_bad: bool = False
) -> BracketEvaluation:
    """Count how many brackets of the gold trees the system's have, as EVALB does.

    gold, system: a path, an open file, or trees, in the same order. parameters: the rules; COLLINS.prm's if None.
    skip_bad leaves out, of both, trees that cannot be read and pairs of trees over different words.

    >>> gold = [Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))")]
    >>> system = [Tree.parse("(S (NP (DT the) (NN dog)) (VBZ barks))")]
    >>> score = brackets(gold, system).all.brackets
    >>> score.precision, score.recall, score.f1
    (1.0, 0.6666666666666666, 0.8)
    """
    parameters = parameters or Parameters()
    judged, skipped = [], 0
    for gold_tree, system_tree in pair_trees(gold, system, skip_bad):
        sentence = judge(gold_tree, system_tree, parameters, skip_bad) if gold_tree and system_tree else None
        if sentence is None:
            skipped += 1
        else:
            judged.append(sentence)
    notes = (f"{skipped} tree{'s' * (skipped > 1)} left out of both files",) if skipped else ()
    short = [sentence for sentence in judged if sentence.length <= parameters.cutoff]
    return BracketEvaluation(total(judged), total(short), label_scores(judged), parameters.cutoff, notes)


def pair_trees(gold: TreeSource, system: TreeSource, skip_bad: bool) -> Iterator[tuple[Tree | None, Tree | None]]:
    """Pair the trees with the same number; None for one that cannot be read."""
    gold_trees, gold_name = read_in_order(gold, "gold", skip_bad)
    system_trees, system_name = read_in_order(system, "system", skip_bad)
    if len(gold_trees) != len(system_trees):
        raise InputError(
            f"{gold_name} has {len(gold_trees)} trees, {system_name} has {len(system_trees)}; expected one system tree "
            "for each gold tree, in the same order (for a sentence without a parse write (()) and leave out bad trees)"
        )
    return zip(gold_trees, system_trees, strict=True)


def read_in_order(source: TreeSource, label: str, skip_bad: bool) -> tuple[list[Tree | None], str]:
    """Return the trees of a source in order, None for one that cannot be read, and the name of the source."""
    if is_file(source):
        reader = read_trees(source, on_error="skip" if skip_bad else "raise")
        return list(with_gaps(reader)), reader.name
    trees: list[Tree | None] = []
    for number, tree in enumerate(cast(Iterable[Tree], source)):
        if not isinstance(tree, Tree):
            raise InputError(f"{label}[{number}] is {type(tree).__name__}; expected a treewright Tree, or a path")
        trees.append(tree)
    return trees, label


def with_gaps(reader: Reader[Tree]) -> Iterator[Tree | None]:
    """Yield the trees of a reader, and None in the place of each that it leaves out."""
    skipped = 0
    for tree in reader:
        yield from [None] * (reader.skipped - skipped)
        skipped = reader.skipped
        yield tree
    yield from [None] * (reader.skipped - skipped)


def judge(gold_tree: Tree, system_tree: Tree, parameters: Parameters, skip_bad: bool) -> Judged | None:
    gold, system = bracketing(gold_tree, parameters), bracketing(system_tree, parameters)
    if gold.words != system.words and without_traces(gold_tree, 0) == without_traces(system_tree, 0):
        tags = iter(without_traces(gold_tree, 1))
        deciding = [tag if tag in TRACES else next(tags) for tag in system_tree.tags()]
        system = bracketing(system_tree, parameters, deciding)
    if problem := difference_of_words(gold.words, system.words, parameters):
        if skip_bad:
            return None
        places = " and ".join(f"{tree.source}:{tree.line}" for tree in (gold_tree, system_tree))
        raise InputError(f"{places}: {problem}; expected trees over the same words")
    return Judged(
        length=gold.length,
        gold=[label for label, _, _ in gold.brackets],
        system=[label for label, _, _ in system.brackets],
        matched=matching_labels(gold, system, parameters),
        crossing=crossing(gold, system),
        words=len(gold.words),
        tags=sum(map(parameters.same_label, gold.tags, system.tags)),
    )


def without_traces(tree: Tree, column: int) -> list[str]:
    """Return the words (column 0) or tags (1) of a tree, traces left out."""
    return [pair[column] for pair in zip(tree.leaves(), tree.tags(), strict=True) if pair[1] not in TRACES]


def bracketing(tree: Tree, parameters: Parameters, deciding: Sequence[str] | None = None) -> Bracketing:
    """Return what counts of a tree; `deciding` has the tags that decide which words do, its own if None."""
    deciding = tree.tags() if deciding is None else deciding
    seen = 0
    words: list[str] = []
    tags: list[str] = []
    spans: list[tuple[str, int, int]] = []
    above: list[tuple[str, int]] = []  # label, and where in `spans` its bracket is, -1 for a tag
    length = 0
    for event in walk(tree):
        if isinstance(event, str):
            decides = deciding[seen]
            seen += 1
            length += decides not in parameters.delete_for_length
            if decides not in parameters.delete_labels:
                words.append(event)
                tags.append(above[-1][0])
        elif event is None:
            label, number = above.pop()
            if number >= 0:
                spans[number] = (label, spans[number][1], len(words))
        elif event.is_preterminal():
            above.append((event.label, -1))
        else:
            above.append((event.label, len(spans)))
            spans.append((event.label, len(words), len(words)))
    counted = [(trim(label), first, last) for label, first, last in spans if first < last]
    return Bracketing(words, tags, [span for span in counted if span[0] not in parameters.deleted_brackets], length)


def trim(label: str) -> str:
    """Return a label without functions and indices.

    >>> trim("NP-SBJ=2")
    'NP'
    """
    return label.partition("-")[0].partition("=")[0]


def difference_of_words(gold: list[str], system: list[str], parameters: Parameters) -> str | None:
    if len(gold) != len(system):
        return f"{len(gold)} and {len(system)} words, without punctuation and traces"
    for number, (gold_word, system_word) in enumerate(zip(gold, system, strict=True), 1):
        if not parameters.same_word(gold_word, system_word):
            return f"word {number}, without punctuation and traces, is {gold_word!r} and {system_word!r}"
    return None


def matching_labels(gold: Bracketing, system: Bracketing, parameters: Parameters) -> list[str]:
    """Return the labels of the gold brackets that have a system bracket; each takes the first that is left."""
    free: dict[tuple[int, int], list[str]] = {}
    for label, first, last in system.brackets:
        free.setdefault((first, last), []).append(label)
    labels = []
    for label, first, last in gold.brackets:
        candidates = free.get((first, last), [])
        for i, candidate in enumerate(candidates):
            if not parameters.labelled or parameters.same_label(label, candidate):
                labels.append(label)
                del candidates[i]
                break
    return labels


def crossing(gold: Bracketing, system: Bracketing) -> int:
    """Count the system brackets that cross some gold bracket."""
    spans = {(first, last) for _, first, last in gold.brackets}
    count = 0
    for _, first, last in system.brackets:
        if (first, last) not in spans:  # what is a gold bracket too crosses none
            count += any(i < first < j < last or first < i < last < j for i, j in spans)
    return count


def total(judged: list[Judged]) -> BracketScores:
    def count(name: str) -> int:
        return sum(len(getattr(sentence, name)) for sentence in judged)

    complete = sum(len(sentence.matched) == len(sentence.gold) == len(sentence.system) for sentence in judged)
    crossing = [sentence.crossing for sentence in judged]
    at_most_two = sum(number <= 2 for number in crossing)
    words, tags = (sum(getattr(sentence, name) for sentence in judged) for name in ("words", "tags"))
    return BracketScores(
        sentences=len(judged),
        brackets=Score(count("matched"), count("gold"), count("system")),
        complete=complete,
        crossing=sum(crossing),
        without_crossing=crossing.count(0),
        with_two_crossing=at_most_two,
        words=words,
        tags=tags,
        complete_match=ratio(complete, len(judged)),
        average_crossing=ratio(sum(crossing), len(judged)),
        no_crossing=ratio(crossing.count(0), len(judged)),
        two_or_less_crossing=ratio(at_most_two, len(judged)),
        tagging_accuracy=ratio(tags, words),
    )


def label_scores(judged: list[Judged]) -> dict[str, Score]:
    """Return the scores by label, the most frequent gold labels first."""
    gold, system, right = (
        Counter(label for sentence in judged for label in getattr(sentence, name))
        for name in ("gold", "system", "matched")
    )
    labels = sorted(gold | system, key=lambda label: (-gold[label], label))
    return {label: Score(right[label], gold[label], system[label]) for label in labels}

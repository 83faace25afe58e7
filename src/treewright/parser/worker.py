"""Parses sentences with a model: prune, score, decode, label, weigh; one worker per thread.

Every step takes a batch, and one sentence is a batch of one. A batch goes through each step as a whole, so that the
weights of one step stay in the cache.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.caching import cached_property
from treewright.corpus import Sentence
from treewright.decode import Candidates, Parse, Parts
from treewright.decode.candidates import candidates_of_batch
from treewright.decode.constraints import is_feasible
from treewright.decode.exact import is_chart_too_large
from treewright.decode.options import ArcConstraints, ChosenMethod, SearchOptions
from treewright.decode.problem import Problem
from treewright.decode.search.climb import ClimbOptions, restart_options
from treewright.errors import InfeasibleError, InputError
from treewright.features import Encoder
from treewright.features.kernels import AtomBatch, Labeller
from treewright.network import Reading
from treewright.parser.label_rules import ROOT_TAG, TagRules, tags_of
from treewright.parser.long_sentences import (
    MAX_SUMMED,
    MAX_WHOLE,
    add_candidates,
    choose_candidates,
    cut_sentence,
    is_long,
    join_parts,
    options_of_part,
)
from treewright.parser.model import (
    Confidence,
    Indices,
    ParserModel,
    new_labeller,
    new_pruner,
    new_scorer,
    new_tensor,
    new_tree_scorer,
)
from treewright.parser.network_scores import MIN_HEADS, NetworkScores
from treewright.parser.options import ParserSettings
from treewright.parser.punctuation import Arc, MovedParse, attach_marks, movable_marks
from treewright.streams import groups_of
from treewright.trees import has_crossing_arcs

MAX_SECONDS = 30.0  # of the search for one sentence by default; not tuned
MAX_WORDS_ALL_ARCS = 200  # with more words only candidate arcs are scored; not tuned: memory grows with the cube
# Of belief propagation for the confidence of heads in trees that may cross; not tuned, but few, because more rounds
# count the same evidence repeatedly.
BELIEF_ROUNDS = 2
# Words of a sentence whose tree is searched for until it is certified. In longer ones the search ends after
# MAX_NODES_LONG nodes: EWT dev joined to 180 words has 85.1 % right heads so and 84.9 % otherwise; of 160 words, one
# costs 2.4 and 4.6 times as much as one of 20.
MAX_WORDS_SEARCHED = 100
MAX_NODES_LONG = 10
MAX_CLIMBS = 100  # of a sentence with third-order parts; not tuned
MAX_CELLS = 1 << 20  # arc scores of the sentences that are parsed together: 8 MB; not tuned


class TreeOptions(ChosenMethod, total=False):
    """The keywords of `Parser.parse` that choose the tree."""

    projective: bool | None
    all_arcs: bool


class ParseOptions(TreeOptions, total=False):
    """The keywords of `Parser.parse`, for functions that pass them on."""

    confidence: bool


class Parsed(NamedTuple):
    """The tree of one sentence, the label of each word, the confidence of heads, and of labels given the heads."""

    parse: Parse
    labels: list[str]
    head_confidence: Confidence | None
    label_confidence: Confidence | None


class Inputs(NamedTuple):
    """Sentences as the kernels read them."""

    batch: AtomBatch
    readings: list[Reading]  # of the network; empty without one
    marks: list[Indices]  # punctuation of each sentence that no word may depend on


class Decoded(NamedTuple):
    """Sentences with their trees and scored parts."""

    inputs: Inputs
    parts: list[Parts]
    parses: list[Parse]
    projective: bool

    @property
    def heads(self) -> list[Indices]:
        """The heads of each tree."""
        return [parse.heads for parse in self.parses]


class Worker:
    """Parses sentences with a model. It holds kernels and a cache of words: each thread needs its own."""

    def __init__(self, model: ParserModel) -> None:
        self.model = model
        self.encoder = Encoder(model.common)
        self.pruner = new_pruner(model.options, model.templates)
        self.scorer = new_scorer(model.options, model.templates)
        self.labeller = new_labeller(model.options, len(model.labels), model.templates)
        self.labeller.set_candidates(*model.label_sets)
        self.labeller.set_exclusions(*exclusions(model))
        self.tree_scorer = new_tree_scorer(model.options, model.templates)
        self.tensor = new_tensor(model.options, model.templates)
        self.network: NetworkScores | None = None
        if model.network is not None and model.options.network is not None:
            self.network = NetworkScores(model.network, model.labels, model.options.network)
        self._numbers = {label: number for number, label in enumerate(model.labels)}
        self.tag_rules = TagRules(model.label_rules, model.labels, model.label_sets, model.options.label_rules)

    def parse(
        self,
        sentences: Sequence[Sentence],
        projective: bool,
        all_arcs: bool = False,
        *,
        confidence: bool = True,
        **options: Unpack[ChosenMethod],
    ) -> list[Parsed]:
        """Return the best tree of each sentence with its labels; options are those of `treewright.decode.tree`.

        A long sentence is parsed in parts, which share max_seconds; its tree has no proof.
        """
        if options.get("proof"):
            check_second_order(self.model.options, "a proof")
        whole = [sentence for sentence in sentences if not is_long(sentence)]
        trees = self._parse_whole(whole, projective, all_arcs, confidence, options)
        return [
            self._parse_in_parts(sentence, projective, confidence, options) if is_long(sentence) else next(trees)
            for sentence in sentences
        ]

    def _parse_whole(
        self,
        sentences: Sequence[Sentence],
        projective: bool,
        all_arcs: bool,
        confidence: bool,
        options: ChosenMethod,
    ) -> Iterator[Parsed]:
        """Yield the tree of each sentence; sentences are decoded in batches."""
        batches = ([sentence] for sentence in sentences) if all_arcs else groups(sentences)  # all arcs take much memory
        for batch in batches:
            yield from self._label(batch, self.decode(batch, projective, all_arcs, **options), confidence)

    def _parse_in_parts(self, sentence: Sentence, projective: bool, confidence: bool, options: ChosenMethod) -> Parsed:
        """Return the tree that joins those of the parts of a long sentence, over the candidate arcs of each part."""
        parts = cut_sentence(sentence)
        options = options_of_part(options, len(parts))
        trees = list(self._parse_whole(parts, projective, False, confidence, options))
        return join_parts(trees, self.model.labels, sentence.upos)

    def decode(
        self, sentences: Sequence[Sentence], projective: bool, all_arcs: bool = False, **options: Unpack[ChosenMethod]
    ) -> Decoded:
        """Return the best trees over the candidate arcs, or over all arcs."""
        inputs = self.encode(sentences)
        pruned = self.prune(inputs, projective)
        considered = [every_arc(arcs) for arcs in pruned] if all_arcs else pruned
        parts, parses = self.trees(inputs, considered, projective, **options)
        if all_arcs and not all(parse.certified for parse in parses):
            others = self.decode(sentences, projective, **options).parses
            parses = [at_least(parse, other) for parse, other in zip(parses, others, strict=True)]
        may_cross = () if projective else enumerate(zip(sentences, parses, strict=True))
        for number, (sentence, parse) in may_cross:
            heads = self.without_gaps(sentence, parse.heads)
            if heads is not parse.heads:
                alone, arcs = self.encode([sentence]), add_candidates(considered[number], arcs_of(heads))
                [parts[number]] = self.score(alone, [arcs])
                parses[number] = MovedParse.of(parse, heads, self.value(alone, parts[number], heads))
        return Decoded(inputs, parts, parses, projective)

    def without_gaps(
        self, sentence: Sentence, heads: Indices, require: Collection[Arc] = (), forbid: Collection[Arc] = ()
    ) -> Indices:
        """Return a tree in which punctuation makes no gaps, `heads` itself if there are none.

        Marks that make gaps are moved to the highest head where they make none, along an arc that may be no candidate.
        Required arcs stay, and forbidden ones are not made.
        """
        if not has_crossing_arcs(heads.tolist()):
            return heads
        marks = self.tag_rules.punctuation(sentence)
        moved = movable_marks(heads, marks, require)
        return attach_marks(heads, marks, moved, forbid) if moved else heads

    def value(self, inputs: Inputs, parts: Parts, heads: Indices) -> float:
        """Return the value of a tree of one sentence, by its scored parts and, in models with them, its factors."""
        value = parts.value(heads)
        if self.tree_scorer is None or self.model.factors is None:
            return value
        return value + float(self.tree_scorer.values(inputs.batch, heads[None], *self.model.factors)[0])

    def encode(self, sentences: Sequence[Sentence]) -> Inputs:
        """Return the hashed atoms of sentences, and their readings by the network."""
        readings = self.network.readings(sentences) if self.network else []
        return Inputs(self.encoder.encode(sentences), readings, list(map(self.tag_rules.marks, sentences)))

    def arcs(self, inputs: Inputs) -> list[NDArray[np.float64]]:
        """Return the scores arc[h, m] by which candidate arcs are chosen: the pruner's, or those of the network."""
        if self.network:
            return [np.asarray(reading.arcs) for reading in inputs.readings]
        return list(self.pruner.arcs(inputs.batch, *self.model.pruner))

    def prune(self, inputs: Inputs, projective: bool) -> list[Candidates]:
        """Return the candidate arcs of each sentence, and the marginal of each arc."""
        rules, arcs = pruning(self.model.options, projective), self.arcs(inputs)
        if not projective or max(map(len, arcs), default=0) <= MAX_SUMMED:
            return candidates_of_batch(arcs, inputs.marks, **rules)
        return [choose_candidates(arc, rules, marks) for arc, marks in zip(arcs, inputs.marks, strict=True)]

    def prune_under(self, inputs: Inputs, projective: bool, **constraints: Unpack[ArcConstraints]) -> Candidates:
        """Return the candidate arcs of one sentence under constraints, which are those of `decode.candidates`.

        What is decided has precedence over the rule that punctuation has no dependents.
        """
        [arc], [marks] = self.arcs(inputs), inputs.marks
        rules = {**pruning(self.model.options, projective), **constraints}
        required = constraints.get("require", ())
        decided = [head or modifier for head, modifier in required]  # heads, and the words below the root
        free = np.setdiff1d(marks, decided)
        try:
            return choose_candidates(arc, rules, free)
        except InfeasibleError:
            if not len(free):
                raise
            return choose_candidates(arc, rules, free[:0])

    def score(self, inputs: Inputs, candidates: Sequence[Candidates]) -> list[Parts]:
        """Score the parts of each sentence over its candidate arcs."""
        options, columns = self.model.options, [(arcs.head, arcs.modifier) for arcs in candidates]
        kinds = options.siblings, options.grandparents
        scored = self.scorer.parts(inputs.batch, columns, *kinds, *self.model.scorer, options.outermost)
        if self.tensor is not None and self.model.tensor is not None:
            self.tensor.add_scores(inputs.batch, scored, *self.model.tensor)
        parts = [Parts.of(core) for core in scored]
        if self.network is not None:
            self.network.add_arcs(parts, inputs.readings)
        return parts

    def trees(
        self, inputs: Inputs, candidates: Sequence[Candidates], projective: bool, **options: Unpack[ChosenMethod]
    ) -> tuple[list[Parts], list[Parse]]:
        """Return the scored parts and the best tree of each sentence over its candidate arcs."""
        parts = self.score(inputs, candidates)
        return parts, self.best_trees(inputs, parts, candidates, projective, options)

    def best_trees(
        self,
        inputs: Inputs,
        parts: Sequence[Parts],
        candidates: Sequence[Candidates],
        projective: bool,
        options: ChosenMethod,
    ) -> list[Parse]:
        """Return the best tree of each sentence by its scored parts over its candidate arcs."""
        root = self.model.root
        limited = [limit_search(scored, projective, options) for scored in parts]
        parses = decode.trees(limited, projective=projective, root=root, threads=1, **options)
        parses = [best_found(parse, scored, root) for parse, scored in zip(parses, parts, strict=True)]
        best = self.climb(inputs, parts, parses, projective, root, options)
        for parse, arcs in zip(best, candidates, strict=True):
            parse.pruned = is_pruned(arcs)
        return best

    def climb(
        self,
        inputs: Inputs,
        parts: Sequence[Parts],
        starts: Sequence[Parse],
        projective: bool,
        root: str,
        search: ChosenMethod,
    ) -> list[Parse]:
        """Return the best trees of climbs with third-order parts and global features, the first from `starts`.

        Models without these return `starts`. search: the limits, and those of restarts, by which these were found.
        """
        if self.tree_scorer is None or self.model.factors is None:
            return list(starts)
        options = climb_options(self.model.options, projective, root, search)
        cores, first = [scored.core for scored in parts], [parse.heads for parse in starts]
        limit = search.get("max_seconds")
        seconds = math.inf if limit is None else float(limit)
        best = self.tree_scorer.climb(inputs.batch, cores, options, first, *self.model.factors, seconds)
        return [climbed_parse(*each) for each in zip(starts, parts, best, strict=True)]

    def head_probabilities(self, decoded: Decoded, temperature: float) -> Confidence:
        """Return the probability of each word's head under the scorer, of all sentences one after the other."""
        return decode.tree_confidence(
            decoded.parts,
            decoded.heads,
            temperature=temperature,
            projective=decoded.projective,
            root=self.model.root,
            rounds=BELIEF_ROUNDS,
        )

    def label(
        self,
        sentences: Sequence[Sentence],
        inputs: Inputs,
        heads: Sequence[Indices],
        decided: Sequence[Sequence[str]] | None = None,
    ) -> tuple[list[list[str]], list[Confidence]]:
        """Return the best labels of trees that the rules about tags permit, and the confidence of each given its head.

        The labels in `decided`, one a word, are kept where the model has them.
        """
        calibration = self.model.calibrations.label
        labels, probability = self.label_probabilities(inputs, heads, calibration.temperature, decided)
        confidence = by_sentence(heads, calibration.apply(probability))
        for number, sentence in enumerate(sentences) if self.tag_rules else ():
            tags = [ROOT_TAG, *tags_of(sentence)]
            if self.tag_rules.is_broken(tags, heads[number], labels[number]):
                kept = None if decided is None else [decided[number]]
                labels[number], probability = self._permitted_labels(sentence, heads[number], tags, kept)
                confidence[number] = calibration.apply(probability)
        return labels, confidence

    def label_probabilities(
        self,
        inputs: Inputs,
        heads: Sequence[Indices],
        temperature: float,
        decided: Sequence[Sequence[str]] | None = None,
        labeller: Labeller | None = None,
    ) -> tuple[list[list[str]], Confidence]:
        """Return the best labels of trees, and the probability of each, of all sentences one after the other."""
        weights, added, fixed = self.model.labeller, None, None
        if self.network is not None:
            added = self.network.labels(inputs.readings, heads, weights.scale)
        if decided is not None:  # -1 for the root and for labels that the model does not have
            numbers = (
                number for labels in decided for number in (-1, *(self._numbers.get(label, -1) for label in labels))
            )
            fixed = np.fromiter(numbers, dtype=np.int32)
        scale = weights.scale / temperature
        kernel = labeller or self.labeller
        labels, probability = kernel.best(inputs.batch, heads, weights.values, scale, added, fixed)
        names = [self.model.labels[label] for label in labels.tolist()]  # that of a root is not used
        ends = accumulate(map(len, heads), initial=0)
        return [names[begin + 1 : end] for begin, end in pairwise(ends)], probability[labels >= 0]

    def label_distribution(
        self, sentence: Sentence, inputs: Inputs, heads: Indices, word: int
    ) -> list[tuple[str, float]]:
        """Return the labels that a word of a tree may have with their probabilities, the most probable first.

        These are the labels that the rules about tags permit. The probabilities are at the temperature of the
        calibration and sum to one.
        """
        weights = self.model.labeller
        added = None if self.network is None else self.network.labels(inputs.readings, [heads], weights.scale)
        scale = weights.scale / self.model.calibrations.label.temperature
        labeller = self._labeller_under_rules(inputs, heads, [ROOT_TAG, *tags_of(sentence)])
        probability = labeller.probabilities(inputs.batch, heads, word, weights.values, scale, added).tolist()
        rows = [(label, p) for label, p in zip(self.model.labels, probability, strict=True) if p > 0]
        return sorted(rows, key=lambda row: -row[1])

    def _permitted_labels(
        self, sentence: Sentence, heads: Indices, tags: Sequence[str], decided: Sequence[Sequence[str]] | None
    ) -> tuple[list[str], Confidence]:
        """Return the best labels of one tree that the rules permit, with their probabilities."""
        inputs = self.encode([sentence])
        temperature = self.model.calibrations.label.temperature
        for is_strict in (False, True):
            labeller = self._labeller_under_rules(inputs, heads, tags, is_strict)
            [labels], probability = self.label_probabilities(inputs, [heads], temperature, decided, labeller)
            if not self.tag_rules.is_broken(tags, heads, labels):
                break
        return labels, probability

    def _labeller_under_rules(
        self, inputs: Inputs, heads: Indices, tags: Sequence[str], is_strict: bool = False
    ) -> Labeller:
        """Return the labeller whose candidates in one tree are those that the rules about tags permit."""
        labeller = self._strict_labeller
        keys = labeller.keys(inputs.batch, [heads])
        labeller.set_candidates(*self.tag_rules.candidates(keys, tags, heads, is_strict))
        return labeller

    @cached_property
    def _strict_labeller(self) -> Labeller:
        """For sentences whose labels the rules about tags restrict."""
        labeller = new_labeller(self.model.options, len(self.model.labels), self.model.templates)
        labeller.set_exclusions(*exclusions(self.model))
        return labeller

    def _label(self, sentences: Sequence[Sentence], decoded: Decoded, confidence: bool) -> list[Parsed]:
        """Return trees with their labels and, with `confidence`, that of both."""
        labels, of_labels = self.label(sentences, decoded.inputs, decoded.heads)
        if not confidence:
            return [Parsed(*both, None, None) for both in zip(decoded.parses, labels, strict=True)]
        calibration = self.model.calibrations.head
        probability = self.head_probabilities(decoded, calibration.temperature)
        of_heads = by_sentence(decoded.heads, calibration.apply(probability))
        return list(map(Parsed, decoded.parses, labels, of_heads, of_labels))


def exclusions(model: ParserModel) -> tuple[Indices, Indices]:
    """Return the labels that exclude each other, as numbers."""
    numbers = {label: number for number, label in enumerate(model.labels)}
    excluding = model.label_rules.excluding(model.labels) if model.options.label_rules else []
    pairs = np.array([(numbers[a], numbers[b]) for a, b in excluding], dtype=np.int32)
    first, second = pairs.reshape(-1, 2).T
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


def pruning(options: ParserSettings, projective: bool) -> dict[str, Any]:
    """Return the options of `decode.candidates`."""
    rules, network = options.pruning, options.network
    threshold, min_heads = (rules.threshold, 1) if network is None else (network.threshold, MIN_HEADS)
    return {
        "threshold": threshold,
        "min_heads": min(min_heads, rules.max_heads),
        "max_heads": rules.max_heads,
        "projective": projective,
        "root": options.root,
    }


def climb_options(
    options: ParserSettings, projective: bool, root: str, search: ChosenMethod | None = None
) -> ClimbOptions:
    """Return the options of a search with third-order parts; its result depends on neither time nor threads.

    Restarts are those of the model, unless `search` is the method "climb" with other ones.
    """
    chosen: ChosenMethod = search if search is not None and search.get("method") == "climb" else {}
    of_model = 0 if options.factors is None else options.factors.patience
    start = chosen.get("start", "first-order")
    return restart_options(
        projective=projective,
        root=root,
        patience=0 if start == "map" else chosen.get("patience", of_model),
        max_restarts=chosen.get("max_restarts") or (0 if "patience" in chosen else MAX_CLIMBS),
        by_score=start == "first-order",
        seed=chosen.get("seed", 0),
    )


def climbed_parse(start: Parse, parts: Parts, best: tuple[Indices, float, Sequence[float]]) -> Parse:
    """Return the result of climbs that began with `start`: heads, their value, and the value of each climb.

    There is no bound on the value of other trees, unless there is no other tree over the candidate arcs.
    """
    heads, value, climbs = best
    bound, gap = (value, 0.0) if parts.core.arcs == len(heads) - 1 else (math.inf, math.inf)
    return Parse(heads, value, bound, "climb", gap, tolerance=start.tolerance, iterations=len(climbs))


def check_second_order(options: ParserSettings, task: str) -> None:
    """Refuse a task that needs certified trees for models whose trees are found by hill climbing."""
    if options.factors is not None:
        raise InputError(
            f"{task} needs a model of second order, and the model {options.model!r} finds its trees by hill climbing: "
            "train with --model grand or tensor, or use parser.without_factors()"
        )


def every_arc(arcs: Candidates) -> Candidates:
    """Return all arcs of a sentence in place of its candidates; a sentence that is too long keeps these."""
    nodes = len(arcs.marginal)
    if nodes - 1 > MAX_WORDS_ALL_ARCS:
        return arcs
    is_arc = ~np.eye(nodes, dtype=np.bool_)
    modifier, head = np.nonzero(is_arc[1:])  # by modifier, as candidates are
    return Candidates(head.astype(np.int32), (modifier + 1).astype(np.int32), arcs.marginal)


def with_scope(parse: Parse, arcs: Candidates) -> Parse:
    """Return the parse with a note if its bound and its certificate are not about all arcs."""
    return replace(parse, pruned=True) if is_pruned(arcs) else parse


def limit_search(parts: Parts, projective: bool, options: ChosenMethod) -> Parts | dict[str, Any]:
    """Return the parts of a sentence, with a limit of the search if it is long and the caller has set none."""
    is_limited = projective or options.get("method", "exact") != "exact" or options.get("max_nodes") is not None
    return parts if is_limited or parts.nodes <= MAX_WORDS_SEARCHED else {"arc": parts, "max_nodes": MAX_NODES_LONG}


def best_found(parse: Parse, parts: Parts, root: str, require: Iterable[Arc] = (), forbid: Iterable[Arc] = ()) -> Parse:
    """Return the tree of a search, or where it ended early, the best projective tree if that has a higher score.

    The bound of the search, which holds for all trees, is kept.
    """
    if parse.certified or parse.method != "branch and bound" or parts.nodes - 1 > MAX_WHOLE:
        return parse
    problem = Problem.of(parts, projective=True, root=root, require=require, forbid=forbid)
    if not is_feasible(problem) or is_chart_too_large(parts.core):
        return parse
    return at_least(parse, decode.tree(problem))


def is_pruned(arcs: Candidates) -> bool:
    """Whether some arcs of a sentence are no candidates."""
    return len(arcs.head) < (len(arcs.marginal) - 1) ** 2


def at_least(parse: Parse, other: Parse) -> Parse:
    """Return the parse with the other's tree if its own search ended before it found one as good."""
    if parse.certified or parse.score >= other.score:
        return parse
    gap = min(parse.gap, max(0.0, parse.bound - other.score))
    spread = min(parse.spread, other.spread)  # it depends on the tree
    return replace(parse, heads=other.heads, score=other.score, gap=gap, spread=spread, evidence="bound")


def arcs_of(heads: Indices) -> Iterator[Arc]:
    """Yield the arcs of a tree."""
    return ((head, word) for word, head in enumerate(heads.tolist()) if word)


def groups(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    """Yield sentences in order, as many at a time as have MAX_CELLS arcs together; a longer one alone."""
    return groups_of(sentences, lambda sentence: (1 + len(sentence)) ** 2, MAX_CELLS)


def search_options(method: str, max_seconds: float | None, options: SearchOptions) -> ChosenMethod:
    """Return the options of a method of treewright.decode.tree, with a time limit if the method has one."""
    chosen: ChosenMethod = {**options, "method": method, "max_seconds": max_seconds}
    if method in decode.METHODS and "max_seconds" not in decode.options_of(method):
        del chosen["max_seconds"]
    return chosen


def by_sentence(heads: Sequence[Indices], values: Confidence) -> list[Confidence]:
    """Split values of words by sentence, copied."""
    ends = accumulate((len(tree) - 1 for tree in heads), initial=0)
    return [values[begin:end].copy() for begin, end in pairwise(ends)]

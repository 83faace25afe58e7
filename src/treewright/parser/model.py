"""A trained parser as data (options, labels, weights), and a worker that parses with it, one per thread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.caching import cached_property
from treewright.corpus import Sentence
from treewright.decode import (
    ArcConstraints,
    Candidates,
    ChosenMethod,
    DecodingOptions,
    Parse,
    Parts,
    SearchOptions,
)
from treewright.decode.search.climb import ClimbOptions, restart_options
from treewright.errors import FormatError, InputError
from treewright.features import (
    AtomBatch,
    Encoded,
    Encoder,
    Labeller,
    Scorer,
    Templates,
    TensorScorer,
    TreeScorer,
    WordVectors,
    arc_tables,
    atom_number,
    beyond_tables,
    grandparent_tables,
    label_tables,
    sibling_tables,
    tensor_tables,
    tree_scorer,
    without_groups,
)
from treewright.features.standard import STANDARD
from treewright.graphs.model import GraphModel
from treewright.learn import Calibration, Weights
from treewright.network import Network, Reading
from treewright.parser.label_rules import NO_RULES, ROOT_TAG, LabelRules, tags_of
from treewright.parser.long_sentences import joined, parts_of
from treewright.parser.network_scores import MIN_HEADS, NetworkScores
from treewright.parser.options import ParserSettings
from treewright.parser.tag_rules import LabelSets, TagRules
from treewright.streams import grouped
from treewright.words import Words

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAX_SECONDS = 30.0  # of the search for one sentence by default; by convention
MAX_WORDS = 2_000  # in a sentence that is parsed whole, by convention: time grows with the cube of their number
MAX_WORDS_ALL_ARCS = 200  # with more words only candidate arcs are scored; by convention: memory grows with the cube
# Of belief propagation for the confidence of heads in trees that may cross; by convention few, because more rounds
# count the same evidence repeatedly.
BELIEF_ROUNDS = 2
MAX_CLIMBS = 100  # of a sentence with third-order parts; by convention
MAX_CELLS = 1 << 20  # arc scores of the sentences that are parsed together: 8 MB, by convention

Indices = NDArray[np.int32]
Confidence = NDArray[np.float64]


class TreeOptions(ChosenMethod, total=False):
    """The keywords of `Parser.parse` that choose the tree."""

    projective: bool | None
    all_arcs: bool


class ParseOptions(TreeOptions, total=False):
    """The keywords of `Parser.parse`, for functions that pass them on."""

    confidence: bool


class Calibrations(NamedTuple):
    """How probabilities of heads, and of labels given right heads, become shares of right ones on held-out data."""

    head: Calibration
    label: Calibration


# Of models that were trained without development data, or before calibration was saved with them. The temperature of
# the heads is that of models of English-EWT (benchmarks/calibration.py).
UNCALIBRATED = Calibrations(Calibration(temperature=2.0), Calibration())


@dataclass(frozen=True, eq=False)
class ParserModel:
    """A trained parser as data; `metadata` describe its training data."""

    options: ParserSettings
    labels: tuple[str, ...]
    label_sets: LabelSets
    common: tuple[str, ...]
    pruner: Weights
    scorer: Weights
    labeller: Weights
    templates: Templates = STANDARD
    metadata: Mapping[str, Any] = field(default_factory=dict)
    label_rules: LabelRules = NO_RULES
    calibration: Calibrations | None = None  # None: not measured, UNCALIBRATED is used
    canonical_forms: bool = True  # whether words are in canonical spelling; False in files of earlier versions
    lower_lemmas: bool = False  # whether the case of lemmas is ignored; True in files of some earlier versions
    graphs: GraphModel | None = None  # finds the edges of graphs beside those of the tree
    network: Network | None = (
        None  # whose scores are added, with the factors `options.network`, to those of the weights
    )
    linear_calibration: Calibrations | None = None  # without the network, if there is one
    factors: Weights | None = None  # of third-order parts and global features
    tensor: Weights | None = None  # of the tensor that scores arcs
    words: Words | None = None  # whose vectors are features of the tensor

    @property
    def calibrations(self) -> Calibrations:
        """The calibration, or what stands in for it."""
        return UNCALIBRATED if self.calibration is None else self.calibration

    @cached_property
    def word_vectors(self) -> WordVectors | None:
        """The vectors of the words as the tensor reads them."""
        return None if self.words is None else tensor_vectors(self.words)

    @property
    def projective(self) -> bool:
        """Whether trees are projective by default."""
        return self.options.projective

    @property
    def root(self) -> str:
        """ "single" or "multi"."""
        return self.options.root


def label_width(labels: int) -> int:
    """The cells that a row of label weights takes: a power of two."""
    width = 4
    while width < labels:
        width *= 2
    return width


def new_pruner(options: ParserSettings, templates: Templates) -> Scorer:
    """The kernel that scores all arcs."""
    return Scorer(arc_tables(templates.pruner), options.pruning.bits)


def new_scorer(options: ParserSettings, templates: Templates) -> Scorer:
    """The kernel that scores the parts over candidate arcs."""
    tables = arc_tables(templates.arc)
    if options.siblings:
        tables += sibling_tables(templates.sibling)
    if options.grandparents:
        tables += grandparent_tables(templates.grandparent) + beyond_tables(templates.beyond)
    return Scorer(tables, options.scoring.bits)


def new_tree_scorer(options: ParserSettings, templates: Templates) -> TreeScorer | None:
    """The kernel that scores third-order parts and global features; None for models that have none."""
    if options.factors is None:
        return None
    chosen = without_groups(templates.factors, ["nonprojective"] if options.projective else [])
    return tree_scorer(chosen, options.factors.bits, style=options.factors.style)


def new_tensor(options: ParserSettings, templates: Templates, words: Words | None) -> TensorScorer | None:
    """The kernel of the tensor that scores arcs; None for models that have none."""
    settings = options.tensor
    if settings is None:
        return None
    vector_size = 0 if words is None else words.size
    sizes = settings.bits, settings.rank, settings.tensors
    return TensorScorer(tensor_tables(templates.tensor), *sizes, vector_size)


def tensor_vectors(words: Words) -> WordVectors:
    """Word vectors whose mean squared length is one, so that a vector counts as much as another feature."""
    numbers = words.vectors
    length = np.sqrt((numbers.astype(np.float64) ** 2).sum(axis=1).mean()) if numbers.size else 0.0
    scaled = numbers / np.float32(length or 1.0)
    rows = {word: row for row, word in enumerate(words.vocabulary, 1)}
    return WordVectors(rows, np.concatenate([np.zeros((1, words.size), np.float32), scaled]))


def new_labeller(options: ParserSettings, labels: int, templates: Templates) -> Labeller:
    """The kernel that scores labels."""
    tables = label_tables(templates.label)
    return Labeller(tables, options.labelling.bits, labels, label_width(labels), atom_number("upos"))


def exclusions(model: ParserModel) -> tuple[Indices, Indices]:
    """The labels that exclude each other, as numbers."""
    numbers = {label: number for number, label in enumerate(model.labels)}
    pairs = np.array([(numbers[a], numbers[b]) for a, b in model.label_rules.excluding()], dtype=np.int32)
    first, second = pairs.reshape(-1, 2).T
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


def pruning(options: ParserSettings, projective: bool) -> dict[str, Any]:
    """The options of `decode.candidates`."""
    rules, root = options.pruning, options.root
    network = options.network
    threshold, min_heads = (rules.threshold, 1) if network is None else (network.threshold, MIN_HEADS)
    return {
        "threshold": threshold,
        "min_heads": min(min_heads, rules.max_heads),
        "max_heads": rules.max_heads,
        "projective": projective,
        "root": root,
    }


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
    vectors: NDArray[np.float32] | None  # of all nodes; None without word vectors


class Decoded(NamedTuple):
    """Sentences with their trees and scored parts."""

    batch: AtomBatch
    readings: list[Reading]  # of the network; empty without one
    parts: list[Parts]
    parses: list[Parse]
    heads: list[Indices]
    projective: bool


class Worker:
    """Parses sentences with a model. It holds kernels and a cache of words: each thread needs its own."""

    def __init__(self, model: ParserModel) -> None:
        self.model = model
        self.encoder = Encoder(
            model.common,
            canonical_forms=model.canonical_forms,
            lower_lemmas=model.lower_lemmas,
            vectors=model.word_vectors,
        )
        self.pruner = new_pruner(model.options, model.templates)
        self.scorer = new_scorer(model.options, model.templates)
        self.labeller = new_labeller(model.options, len(model.labels), model.templates)
        self.labeller.set_candidates(*model.label_sets)
        self.labeller.set_exclusions(*exclusions(model))
        self.tree_scorer = new_tree_scorer(model.options, model.templates)
        self.tensor = new_tensor(model.options, model.templates, model.words)
        self.network: NetworkScores | None = None
        if model.network is not None and model.options.network is not None:
            self.network = NetworkScores(model.network, model.labels, model.options.network)
        self._numbers = {label: number for number, label in enumerate(model.labels)}
        self.tag_rules = TagRules(model.label_rules, model.labels, model.label_sets)

    def encode(self, sentence: Sentence) -> Encoded:
        """The hashed atoms of a sentence, and its reading."""
        ensure_length(sentence)
        reading = self.network.readings([sentence])[0] if self.network else None
        return self.encoder.encode(sentence)._replace(reading=reading)

    def arcs(self, encoded: Encoded) -> NDArray[np.float64]:
        """The score of every arc [h, m] by which candidate arcs are chosen: the pruner's, or that of the network."""
        if encoded.reading is not None:
            return np.asarray(encoded.reading.arcs)
        self.pruner.open(encoded.atoms, encoded.each, False)
        return self.pruner.arcs(*self.model.pruner)

    def prune(self, encoded: Encoded, projective: bool, **constraints: Unpack[ArcConstraints]) -> Candidates:
        """The candidate arcs of a sentence, and the marginal of each arc; constraints as for `decode.candidates`."""
        return decode.candidates(self.arcs(encoded), **{**pruning(self.model.options, projective), **constraints})

    def prune_or_keep(self, encoded: Encoded, projective: bool, all_arcs: bool) -> Candidates:
        """The candidate arcs of a sentence, or all its arcs."""
        found = self.prune(encoded, projective)
        return every_arc(found) if all_arcs else found

    def score(self, encoded: Encoded, arcs: Candidates) -> Parts:
        """The scored parts over candidate arcs."""
        options = self.model.options
        self.scorer.open(encoded.atoms, encoded.each, options.siblings)
        kinds = options.siblings, options.grandparents
        core = self.scorer.parts(arcs.head, arcs.modifier, *kinds, *self.model.scorer, options.outermost)
        if self.tensor is not None and self.model.tensor is not None:
            self.tensor.open(encoded.atoms, encoded.each, encoded.vectors)
            self.tensor.add_scores(core, *self.model.tensor)
        parts = Parts.of(core)
        if self.network is None or encoded.reading is None:
            return parts
        return self.network.add_arcs(parts, encoded.reading)

    def label(self, encoded: Encoded, heads: Indices, given: Sequence[str] | None = None) -> list[str]:
        """The label of each word of a tree; the labels of `given` that the model has are kept."""
        return self.labels_with_confidence(encoded, heads, given)[0]

    def labels_with_confidence(
        self, encoded: Encoded, heads: Indices, given: Sequence[str] | None = None
    ) -> tuple[list[str], Confidence]:
        """The same, and the confidence of each label if the head is right."""
        found = self._best_labels(self.labeller, encoded, heads, given)
        tags = self.tag_rules.tags_of(encoded)
        is_broken = self.tag_rules.is_broken(tags, heads, found[0])
        return self._permitted_labels(encoded, heads, tags, given) if is_broken else found

    def _best_labels(
        self, labeller: Labeller, encoded: Encoded, heads: Indices, given: Sequence[str] | None
    ) -> tuple[list[str], Confidence]:
        names, calibration = self.model.labels, self.model.calibrations.label
        labeller.open(encoded.atoms, encoded.each, heads, self._added_labels(encoded, heads))
        decided = None if given is None else self._numbers_of(given)
        labels, probability = labeller.best(*self._label_weights(calibration.temperature), decided)
        return [names[label] for label in labels[1:].tolist()], calibration.apply(probability[1:])

    def _added_labels(self, encoded: Encoded, heads: Indices) -> NDArray[np.float32] | None:
        if self.network is None or encoded.reading is None:
            return None
        return self.network.labels(encoded.reading, heads, self.model.labeller.scale)

    def _permitted_labels(
        self, encoded: Encoded, heads: Indices, tags: Sequence[str], given: Sequence[str] | None = None
    ) -> tuple[list[str], Confidence]:
        """The best labels that the rules about tags permit."""
        self._strict_labeller.open(encoded.atoms, encoded.each, heads)
        self.tag_rules.restrict(self._strict_labeller, tags, heads)
        return self._best_labels(self._strict_labeller, encoded, heads, given)

    @cached_property
    def _strict_labeller(self) -> Labeller:
        """For sentences whose labels the rules about tags restrict."""
        labeller = new_labeller(self.model.options, len(self.model.labels), self.model.templates)
        labeller.set_exclusions(*exclusions(self.model))
        return labeller

    def _numbers_of(self, labels: Sequence[str]) -> Indices:
        """-1 for the root and for labels that the model does not have."""
        return np.array([-1, *(self._numbers.get(label, -1) for label in labels)], dtype=np.int32)

    def _label_weights(self, temperature: float) -> tuple[NDArray[np.int8], float]:
        return self.model.labeller.values, self.model.labeller.scale / temperature

    def tree(self, encoded: Encoded, arcs: Candidates, projective: bool, **options: Unpack[DecodingOptions]) -> Parse:
        """The best tree over candidate arcs; options are those of treewright.decode.tree."""
        parts = self.score(encoded, arcs)
        options.setdefault("root", self.model.root)
        found = decode.tree(parts, projective=projective, **options)
        return with_scope(self.climb(encoded, parts, found, projective, options["root"], options), arcs)

    def climb(
        self, encoded: Encoded, parts: Parts, found: Parse, projective: bool, root: str, search: ChosenMethod
    ) -> Parse:
        """The best tree of climbs with third-order parts and global features, the first from the tree found.

        Itself if the model has none of these. search: the limits, and those of restarts, by which it was found.
        """
        if self.tree_scorer is None or self.model.factors is None:
            return found
        self.tree_scorer.open(encoded.atoms, encoded.each)
        options = climb_options(self.model.options, projective, root, search)
        heads, value, ends = self.tree_scorer.climb(
            parts.core, options, found.heads, *self.model.factors, seconds_of(search)
        )
        return climbed(found, parts, heads, value, len(ends))

    def parse(
        self,
        sentences: Sequence[Sentence],
        projective: bool,
        all_arcs: bool = False,
        *,
        confidence: bool = True,
        **options: Unpack[ChosenMethod],
    ) -> list[Parsed]:
        """The best tree of each sentence with its labels; options are those of `treewright.decode.tree`.

        A sentence beyond the length limit is parsed in parts, unless a proof is requested.
        """
        if options.get("proof"):
            check_second_order(self.model.options, "a proof")
            for sentence in sentences:
                ensure_length(sentence)
        cut = [parts_of(sentence) if len(sentence) > MAX_WORDS else [sentence] for sentence in sentences]
        found = iter(
            self._parse_parts([part for parts in cut for part in parts], projective, all_arcs, confidence, options)
        )
        answers = ([next(found) for _ in parts] for parts in cut)
        return [parts[0] if len(parts) == 1 else joined(parts, self.model.labels) for parts in answers]

    def _parse_parts(
        self,
        sentences: Sequence[Sentence],
        projective: bool,
        all_arcs: bool,
        confidence: bool,
        options: ChosenMethod,
    ) -> list[Parsed]:
        """The trees of sentences within the length limit."""
        batches = ([one] for one in sentences) if all_arcs else groups(sentences)  # all arcs take much memory
        trees = (self.decode_batch(batch, projective, all_arcs, **options) for batch in batches)
        found = [parsed for decoded in trees for parsed in self._label_and_weigh(decoded, confidence)]
        if not any(self.tag_rules.forbidden):
            return found
        return [self._obey_tags(*both) for both in zip(sentences, found, strict=True)]

    def _obey_tags(self, sentence: Sentence, parsed: Parsed) -> Parsed:
        """The same tree with labels that the rules about tags permit."""
        heads, tags = parsed.parse.heads, [ROOT_TAG, *tags_of(sentence)]
        if not self.tag_rules.is_broken(tags, heads, parsed.labels):
            return parsed
        labels, confidence = self._permitted_labels(self.encode(sentence), heads, tags)
        weighed = None if parsed.label_confidence is None else confidence
        return parsed._replace(labels=labels, label_confidence=weighed)

    def _label_and_weigh(self, decoded: Decoded, confidence: bool) -> list[Parsed]:
        """Trees with their labels and, with `confidence`, that of both."""
        calibration = self.model.calibrations
        labels, probability = self.label_batch(decoded, calibration.label.temperature)
        if not confidence:
            nothing = [None] * len(labels)
            return list(map(Parsed, decoded.parses, labels, nothing, nothing))
        of_heads = calibration.head.apply(self.head_probabilities(decoded, calibration.head.temperature))
        of_labels = calibration.label.apply(probability)
        each = words_of(decoded.heads, of_heads), words_of(decoded.heads, of_labels)
        return list(map(Parsed, decoded.parses, labels, *each))

    def decode_batch(
        self,
        sentences: Sequence[Sentence],
        projective: bool,
        all_arcs: bool = False,
        **options: Unpack[ChosenMethod],
    ) -> Decoded:
        """The best trees; stage after stage over all sentences, so that the weights of one stage stay in the cache."""
        batch = self.encoder.encode_batch(sentences)
        readings = self.network.readings(sentences) if self.network else []
        inputs = Inputs(batch, readings, self.encoder.vectors(sentences) if self.tensor else None)
        pruned = self._prune_batch(inputs, projective)
        considered = [every_arc(arcs) for arcs in pruned] if all_arcs else pruned
        parts, parses = self._tree_batch(inputs, considered, projective, options)
        if all_arcs and not all(parse.certified for parse in parses):
            _, others = self._tree_batch(inputs, pruned, projective, options)
            parses = [at_least(parse, other) for parse, other in zip(parses, others, strict=True)]
        return Decoded(batch, readings, parts, parses, [parse.heads for parse in parses], projective)

    def head_probabilities(self, decoded: Decoded, temperature: float) -> Confidence:
        """The probability of each word's head under the scorer, of all sentences one after the other."""
        parts, heads, projective = decoded.parts, decoded.heads, decoded.projective
        root, rounds = self.model.root, BELIEF_ROUNDS
        return decode.tree_confidence(
            parts, heads, temperature=temperature, projective=projective, root=root, rounds=rounds
        )

    def _tree_batch(
        self, inputs: Inputs, arcs: Sequence[Candidates], projective: bool, options: ChosenMethod
    ) -> tuple[list[Parts], list[Parse]]:
        parts = self._score_batch(inputs, arcs)
        if self.network:
            parts = [self.network.add_arcs(*each) for each in zip(parts, inputs.readings, strict=True)]
        found = decode.trees(parts, projective=projective, root=self.model.root, threads=1, **options)
        best = self._climb_batch(inputs.batch, parts, found, projective, options)
        return parts, [with_scope(parse, some) for parse, some in zip(best, arcs, strict=True)]

    def _climb_batch(
        self,
        batch: AtomBatch,
        parts: Sequence[Parts],
        found: Sequence[Parse],
        projective: bool,
        search: ChosenMethod,
    ) -> Sequence[Parse]:
        if self.tree_scorer is None or self.model.factors is None:
            return found
        options = climb_options(self.model.options, projective, self.model.root, search)
        cores, first = [some.core for some in parts], [parse.heads for parse in found]
        ends = self.tree_scorer.batch_climb(batch, cores, options, first, *self.model.factors, seconds_of(search))
        each = zip(found, parts, ends, strict=True)
        return [climbed(parse, some, *end) for parse, some, end in each]

    def _prune_batch(self, inputs: Inputs, projective: bool) -> list[Candidates]:
        if self.network:
            arcs = [reading.arcs for reading in inputs.readings]
        else:
            arcs = self.pruner.batch_arcs(inputs.batch, *self.model.pruner)
        rules = pruning(self.model.options, projective)
        return [decode.candidates(scores, **rules) for scores in arcs]

    def _score_batch(self, inputs: Inputs, pruned: Sequence[Candidates]) -> list[Parts]:
        options, arcs = self.model.options, [(found.head, found.modifier) for found in pruned]
        kinds = options.siblings, options.grandparents
        scored = self.scorer.batch_parts(inputs.batch, arcs, *kinds, *self.model.scorer, options.outermost)
        if self.tensor is not None and self.model.tensor is not None:
            self.tensor.batch_add_scores(inputs.batch, scored, inputs.vectors, *self.model.tensor)
        return [Parts.of(core) for core in scored]

    def label_batch(self, decoded: Decoded, temperature: float) -> tuple[list[list[str]], Confidence]:
        """The labels of each sentence, and the probability of each, of all sentences one after the other."""
        weights = self._label_weights(temperature)
        labels, probability = self.labeller.batch_best(
            decoded.batch, decoded.heads, *weights, self._added_batch(decoded)
        )
        names = [self.model.labels[label] for label in labels.tolist()]  # that of a root is not used
        ends = accumulate(map(len, decoded.heads), initial=0)
        return [names[begin + 1 : end] for begin, end in pairwise(ends)], probability[labels >= 0]

    def _added_batch(self, decoded: Decoded) -> NDArray[np.float32] | None:
        """The network's scores of the labels of all nodes, one sentence after the other."""
        if self.network is None or not decoded.readings:
            return None
        scale, each = self.model.labeller.scale, zip(decoded.readings, decoded.heads, strict=True)
        return np.concatenate([self.network.labels(*both, scale) for both in each])


def climb_options(
    options: ParserSettings, projective: bool, root: str, search: ChosenMethod | None = None
) -> ClimbOptions:
    """The options of a search with third-order parts; its result depends on neither time nor threads.

    Restarts are those of the model, unless `search` is the method "climb" with other ones.
    """
    given: ChosenMethod = search if search is not None and search.get("method") == "climb" else {}
    of_model = 0 if options.factors is None else options.factors.patience
    start = given.get("start", "first-order")
    return restart_options(
        projective=projective,
        root=root,
        patience=0 if start == "map" else given.get("patience", of_model),
        max_restarts=given.get("max_restarts") or (0 if "patience" in given else MAX_CLIMBS),
        by_score=start == "first-order",
        seed=given.get("seed", 0),
    )


def seconds_of(search: ChosenMethod) -> float:
    """The time limit of a search, in seconds."""
    limit = search.get("max_seconds")
    return math.inf if limit is None else float(limit)


def climbed(start: Parse, parts: Parts, heads: Indices, value: float, climbs: int) -> Parse:
    """The best tree of climbs that began with `start`.

    There is no bound on the value of other trees, unless there is no other tree over the candidate arcs.
    """
    bound, gap = (value, 0.0) if parts.core.arcs == len(heads) - 1 else (math.inf, math.inf)
    return Parse(heads, value, bound, "climb", gap, tolerance=start.tolerance, iterations=climbs)


def check_second_order(options: ParserSettings, task: str) -> None:
    """Refuse a task that needs certified trees for models whose trees are found by hill climbing."""
    if options.factors is not None:
        raise InputError(
            f"{task} needs a model of second order, and the model {options.model!r} finds its trees by hill climbing: "
            "train with --model grand or tensor, or use parser.without_factors()"
        )


def every_arc(arcs: Candidates) -> Candidates:
    """All arcs of a sentence in place of its candidates; a sentence that is too long keeps these."""
    nodes = len(arcs.marginal)
    if nodes - 1 > MAX_WORDS_ALL_ARCS:
        return arcs
    is_arc = ~np.eye(nodes, dtype=np.bool_)
    modifier, head = np.nonzero(is_arc[1:])  # by modifier, as candidates are
    return Candidates(head.astype(np.int32), (modifier + 1).astype(np.int32), arcs.marginal)


def with_scope(parse: Parse, arcs: Candidates) -> Parse:
    """The parse with a note if its bound and its certificate are not about all arcs."""
    words = len(arcs.marginal) - 1
    return replace(parse, pruned=True) if len(arcs.head) < words * words else parse


def at_least(parse: Parse, other: Parse) -> Parse:
    """The parse over more arcs, with the tree of the other where its own search ended too early to find one as good."""
    if parse.certified or parse.score >= other.score:
        return parse
    return replace(parse, heads=other.heads, score=other.score)


def groups(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences in order, as many at a time as have MAX_CELLS arcs together; a longer one alone."""
    return grouped(sentences, lambda sentence: (1 + len(sentence)) ** 2, MAX_CELLS)


def search_options(method: str, max_seconds: float | None, options: SearchOptions) -> ChosenMethod:
    """The options of a method of treewright.decode.tree, with a time limit if the method has one."""
    chosen: ChosenMethod = {**options, "method": method, "max_seconds": max_seconds}
    if method in decode.METHODS and "max_seconds" not in decode.options_of(method):
        del chosen["max_seconds"]
    return chosen


def ensure_length(sentence: Sentence) -> None:
    """Refuse sentences that would take minutes and gigabytes: most likely they are not single sentences."""
    if len(sentence) > MAX_WORDS:
        problem = f"a sentence of {len(sentence):,} words; the parser takes up to {MAX_WORDS:,}"
        raise FormatError(sentence.source, sentence.line, f"{problem}: cut it into sentences, as is done with raw text")


def words_of(heads: Sequence[Indices], values: Confidence) -> list[Confidence]:
    """The values of the words of each sentence, copied."""
    ends = accumulate((len(tree) - 1 for tree in heads), initial=0)
    return [values[begin:end].copy() for begin, end in pairwise(ends)]

"""A trained parser as data (options, labels, weights), and a worker that parses with it, one per thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import decode
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
from treewright.errors import FormatError
from treewright.features import (
    AtomBatch,
    Encoded,
    Encoder,
    Labeller,
    Scorer,
    Templates,
    arc_tables,
    atom_number,
    beyond_tables,
    grandparent_tables,
    label_tables,
    sibling_tables,
)
from treewright.features.standard import STANDARD
from treewright.learn import Weights
from treewright.parser.label_rules import NO_RULES, LabelRules
from treewright.parser.options import ParserSettings

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAX_SECONDS = 30.0  # of the search for one sentence by default; by convention
MAX_WORDS = 2_000  # in a sentence, by convention: time grows with the cube of their number, memory with its square
MAX_WORDS_ALL_ARCS = 200  # with more words only candidate arcs are scored; by convention: memory grows with the cube
MAX_CELLS = 1 << 20  # arc scores of the sentences that are parsed together: 8 MB, by convention

Indices = NDArray[np.int32]
Confidence = NDArray[np.float64]


class ParseOptions(ChosenMethod, total=False):
    """The keywords of `Parser.parse`, for functions that pass them on."""

    projective: bool | None
    all_arcs: bool


class LabelSets(NamedTuple):
    """The labels seen between two tags in one direction: label[begin[k] : begin[k + 1]] for the k-th sorted key."""

    key: NDArray[np.uint32]
    begin: Indices
    label: Indices


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


def candidates(
    pruner: Scorer,
    weights: Weights,
    encoded: Encoded,
    options: ParserSettings,
    projective: bool,
    gold: Indices | None = None,
) -> Candidates:
    """The candidate arcs of a sentence by the scores of the pruner; those of the gold tree are added."""
    pruner.open(encoded.atoms, encoded.each, False)
    return decode.candidates(pruner.arcs(*weights), gold=gold, **pruning(options, projective))


def pruning(options: ParserSettings, projective: bool) -> dict[str, Any]:
    """The options of `decode.candidates`."""
    rules, root = options.pruning, options.root
    return {"threshold": rules.threshold, "max_heads": rules.max_heads, "projective": projective, "root": root}


class Parsed(NamedTuple):
    """The tree of one sentence, the label of each word, the probability of each word's head."""

    parse: Parse
    labels: list[str]
    confidence: Confidence


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
        self._numbers = {label: number for number, label in enumerate(model.labels)}

    def encode(self, sentence: Sentence) -> Encoded:
        """The hashed atoms of a sentence."""
        ensure_length(sentence)
        return self.encoder.encode(sentence)

    def arcs(self, encoded: Encoded) -> NDArray[np.float64]:
        """The pruner's score of every arc [h, m]."""
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
        core = self.scorer.parts(arcs.head, arcs.modifier, options.siblings, options.grandparents, *self.model.scorer)
        return Parts.of(core)

    def label(self, encoded: Encoded, heads: Indices, given: Sequence[str] | None = None) -> list[str]:
        """The label of each word of a tree; the labels of `given` that the model has are kept."""
        names = self.model.labels
        self.labeller.open(encoded.atoms, encoded.each, heads)
        decided = None if given is None else np.array([-1, *map(self._number, given)], dtype=np.int32)
        return [names[label] for label in self.labeller.best(self.model.labeller.values, decided)[1:].tolist()]

    def _number(self, label: str) -> int:
        return self._numbers.get(label, -1)

    def tree(self, encoded: Encoded, arcs: Candidates, projective: bool, **options: Unpack[DecodingOptions]) -> Parse:
        """The best tree over candidate arcs; options are those of treewright.decode.tree."""
        parts = self.score(encoded, arcs)
        options.setdefault("root", self.model.root)
        return with_scope(decode.tree(parts, projective=projective, **options), arcs)

    def parse(
        self,
        sentences: Sequence[Sentence],
        projective: bool,
        all_arcs: bool = False,
        **options: Unpack[ChosenMethod],
    ) -> list[Parsed]:
        """The best tree of each sentence with its labels; options are those of `treewright.decode.tree`."""
        for sentence in sentences:
            ensure_length(sentence)
        batches = ([one] for one in sentences) if all_arcs else groups(sentences)  # all arcs take much memory
        return [parsed for batch in batches for parsed in self._parse_batch(batch, projective, all_arcs, options)]

    def _parse_batch(
        self, sentences: Sequence[Sentence], projective: bool, all_arcs: bool, options: ChosenMethod
    ) -> list[Parsed]:
        """Stage after stage over all sentences, so that the weights of one stage stay in the cache."""
        batch = self.encoder.encode_batch(sentences)
        pruned = self._prune_batch(batch, projective)
        considered = [every_arc(arcs) for arcs in pruned] if all_arcs else pruned
        parses = self._tree_batch(batch, considered, projective, options)
        if all_arcs and not all(parse.certified for parse in parses):
            others = self._tree_batch(batch, pruned, projective, options)
            parses = [at_least(parse, other) for parse, other in zip(parses, others, strict=True)]
        labels = self._label_batch(batch, parses)
        return [
            Parsed(parse, words, confidence(parse.heads, arcs.marginal))
            for parse, words, arcs in zip(parses, labels, pruned, strict=True)
        ]

    def _tree_batch(
        self, batch: AtomBatch, arcs: Sequence[Candidates], projective: bool, options: ChosenMethod
    ) -> list[Parse]:
        parts = self._score_batch(batch, arcs)
        found = decode.tree_batch(parts, projective=projective, root=self.model.root, **options)
        return [with_scope(parse, some) for parse, some in zip(found, arcs, strict=True)]

    def _prune_batch(self, batch: AtomBatch, projective: bool) -> list[Candidates]:
        arcs = self.pruner.batch_arcs(batch, *self.model.pruner)
        return decode.candidates_batch(arcs, **pruning(self.model.options, projective))

    def _score_batch(self, batch: AtomBatch, pruned: Sequence[Candidates]) -> list[Parts]:
        options, arcs = self.model.options, [(found.head, found.modifier) for found in pruned]
        scored = self.scorer.batch_parts(batch, arcs, options.siblings, options.grandparents, *self.model.scorer)
        return [Parts.of(core) for core in scored]

    def _label_batch(self, batch: AtomBatch, parses: Sequence[Parse]) -> list[list[str]]:
        heads = [parse.heads for parse in parses]
        labels = self.labeller.batch_best(batch, heads, self.model.labeller.values)
        names = [self.model.labels[label] for label in labels.tolist()]  # that of a root is not used
        ends = accumulate(map(len, heads), initial=0)
        return [names[begin + 1 : end] for begin, end in pairwise(ends)]


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
    return parse.after_pruning() if len(arcs.head) < words * words else parse


def at_least(parse: Parse, other: Parse) -> Parse:
    """The parse over more arcs, with the tree of the other where its own search ended too early to find one as good."""
    if parse.certified or parse.score >= other.score:
        return parse
    return replace(parse, heads=other.heads, score=other.score)


def groups(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences in order, as many at a time as have MAX_CELLS arcs together; a longer one alone."""
    group: list[Sentence] = []
    cells = 0
    for sentence in sentences:
        own = (1 + len(sentence)) ** 2
        if group and cells + own > MAX_CELLS:
            yield group
            group, cells = [], 0
        group.append(sentence)
        cells += own
    if group:
        yield group


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


def confidence(heads: Indices, marginal: Confidence) -> Confidence:
    """The probability of each word's head."""
    return np.asarray(marginal[heads[1:], np.arange(1, len(heads))])

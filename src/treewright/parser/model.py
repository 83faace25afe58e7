"""What training leaves and parsing needs: options, labels, weights; and a worker that uses them, one a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode import Parse, Parts
from treewright.decode.dynamic import LARGEST_CHART
from treewright.errors import FormatError
from treewright.features import (
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
    parse_sentences,
    sibling_tables,
)
from treewright.features.standard import STANDARD
from treewright.learn import Weights
from treewright.parser.options import ParserSettings

BUDGETS = {"max_seconds", "max_nodes"}  # of a search, which direct algorithms do without
MAX_SECONDS = 30.0  # of the search for one sentence, unless something else is asked for
MAX_WORDS = 2_000  # in a sentence; time grows with the cube of their number, memory with its square
UNLIMITED = {"rearrange"}  # methods that have no clock: they take what they take, which is little

Indices = NDArray[np.int32]
Confidence = NDArray[np.float64]


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

    @property
    def projective(self) -> bool:
        """Whether trees are projective unless something else is asked for."""
        return self.options.projective

    @property
    def root(self) -> str:
        """ "single" or "multi"."""
        return self.options.root


class Candidates(NamedTuple):
    """What pruning leaves of a sentence: arcs, and the marginal of every arc [h, m]."""

    head: Indices
    modifier: Indices
    marginal: NDArray[np.float64]


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


def candidates(
    pruner: Scorer,
    weights: Weights,
    encoded: Encoded,
    options: ParserSettings,
    projective: bool,
    gold: Indices | None = None,
) -> Candidates:
    """The arcs worth scoring; the pruner's own best tree is always among them, and the gold one if given."""
    rules, single = options.pruning, options.root != "multi"
    pruner.open(encoded.atoms, encoded.each, False)
    return Candidates(*pruner.prune(*weights, projective, single, rules.threshold, rules.max_heads, gold))


class Parsed(NamedTuple):
    """The answer for one sentence: the tree, the label of each word, the probability of each word's head."""

    parse: Parse
    labels: list[str]
    confidence: Confidence


class Worker:
    """Parses one sentence after another with a model. It keeps charts and remembers words: one a thread."""

    def __init__(self, model: ParserModel) -> None:
        self.model = model
        self.encoder = Encoder(model.common)
        self.pruner = new_pruner(model.options, model.templates)
        self.scorer = new_scorer(model.options, model.templates)
        self.labeller = new_labeller(model.options, len(model.labels), model.templates)
        self.labeller.set_candidates(*model.label_sets)

    def encode(self, sentence: Sentence) -> Encoded:
        """The hashed atoms of a sentence."""
        ensure_length(sentence)
        return self.encoder.encode(sentence)

    def arcs(self, encoded: Encoded) -> NDArray[np.float64]:
        """The pruner's score of every arc [h, m]."""
        self.pruner.open(encoded.atoms, encoded.each, False)
        return self.pruner.arcs(*self.model.pruner)

    def prune(self, encoded: Encoded, projective: bool) -> Candidates:
        """The arcs worth scoring, and what the pruner thinks of each arc."""
        return candidates(self.pruner, self.model.pruner, encoded, self.model.options, projective)

    def score(self, encoded: Encoded, arcs: Candidates) -> Parts:
        """The scored parts over candidate arcs."""
        options = self.model.options
        self.scorer.open(encoded.atoms, encoded.each, options.siblings)
        core = self.scorer.parts(arcs.head, arcs.modifier, options.siblings, options.grandparents, *self.model.scorer)
        return Parts.of(core)

    def label(self, encoded: Encoded, heads: Indices) -> list[str]:
        """The label of each word of a tree."""
        names = self.model.labels
        self.labeller.open(encoded.atoms, encoded.each, heads)
        return [names[label] for label in self.labeller.best(self.model.labeller.values)[1:].tolist()]

    def tree(self, encoded: Encoded, arcs: Candidates, projective: bool, **options: Any) -> Parse:
        """The best tree over candidate arcs; options are those of treewright.decode.tree."""
        parts = self.score(encoded, arcs)
        return decode.tree(parts, projective=projective, **{"root": self.model.root, **options})

    def parse(
        self, sentences: Sequence[Sentence], projective: bool, *, method: str = "exact", **options: Any
    ) -> list[Parsed]:
        """The best tree of each sentence."""
        if method == "exact" and BUDGETS.issuperset(options) and (projective or not self.model.options.siblings):
            return self._parse_together(sentences, projective)
        return [self._parse_one(sentence, projective, method=method, **options) for sentence in sentences]

    def _parse_one(self, sentence: Sentence, projective: bool, **options: Any) -> Parsed:
        atoms = self.encode(sentence)
        arcs = self.prune(atoms, projective)
        parse = self.tree(atoms, arcs, projective, **options)
        return Parsed(parse, self.label(atoms, parse.heads), confidence(parse.heads, arcs.marginal))

    def _parse_together(self, sentences: Sequence[Sentence], projective: bool) -> list[Parsed]:
        """Where a single dynamic program or spanning tree is exact: the same, all in the core."""
        model, options = self.model, self.model.options
        for sentence in sentences:
            ensure_length(sentence)
        encoded = self.encoder.encode_together(sentences)
        heads, labels, confidence, values = parse_sentences(
            *(self.pruner, self.scorer, self.labeller, model.pruner, model.scorer, model.labeller, *encoded),
            *(options.siblings, options.grandparents, projective, model.root == "single"),
            *(options.pruning.threshold, options.pruning.max_heads, LARGEST_CHART),
        )
        method = direct_method(options, projective)
        names = [model.labels[label] if label >= 0 else "" for label in labels.tolist()]
        parsed = []
        begin = 0
        for sentence, value in zip(sentences, values.tolist(), strict=True):
            end = begin + 1 + len(sentence)
            if value == value:
                parse = Parse.exact(heads[begin:end], value, method)
                parsed.append(Parsed(parse, names[begin + 1 : end], confidence[begin + 1 : end]))
            else:
                parsed.append(self._parse_one(sentence, projective))
            begin = end
        return parsed


def search_options(method: str, max_seconds: float | None, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a method of treewright.decode.tree, a limit of time among them where it knows one."""
    limit = {} if method in UNLIMITED else {"max_seconds": max_seconds}
    return {"method": method, **limit, **options}


def ensure_length(sentence: Sentence) -> None:
    """Refuse what would take minutes and gigabytes: it is hardly one sentence."""
    if len(sentence) > MAX_WORDS:
        problem = f"a sentence of {len(sentence):,} words; the parser takes up to {MAX_WORDS:,}"
        raise FormatError(sentence.source, sentence.line, f"{problem}: cut it into sentences, as is done with raw text")


def direct_method(options: ParserSettings, projective: bool) -> str:
    """What decode.tree calls the algorithm that is exact by itself."""
    if not projective:
        return "chu-liu-edmonds"
    return "grand-eisner" if options.grandparents else "sibling-eisner" if options.siblings else "eisner"


def confidence(heads: Indices, marginal: Confidence) -> Confidence:
    """The probability of each word's head."""
    return np.asarray(marginal[heads[1:], np.arange(1, len(heads))])

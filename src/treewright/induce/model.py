"""The induced parser: trained on tags without trees, it parses sentences of any length and shows its preferences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import streams
from treewright.checks import read_plain
from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentences
from treewright.decode import Parse
from treewright.errors import FormatError, InputError
from treewright.induce import convex_mst, dmv, joint
from treewright.induce.convex_mst import ArcModel
from treewright.induce.dmv import TABLES, DmvParameters
from treewright.induce.options import JOINT_METHODS, InductionOptions, resolve
from treewright.induce.rules import Rules, load_rules
from treewright.induce.tagged import TaggedCorpus, read_tagged, words_of
from treewright.induce.training import OnReport, train_on
from treewright.learn import Report
from treewright.model import modelfile
from treewright.model.checkpoint import Origin, StepResults
from treewright.model.component import Arrays, Component, Corpus, Stored, hash_of, sentences_of
from treewright.model.run import Run, RunOptions
from treewright.parser.punctuation import attach_marks
from treewright.parser.worker import MAX_SECONDS, ParseOptions
from treewright.streams import check_seconds

Heads = NDArray[np.int32]
Array = NDArray[np.float64]

# Words without punctuation of a sentence that is parsed. The chart of the DMV takes time of the third power of their
# number; for so many 6 CPU seconds, on the machine of docs/figures.md.
MAX_WORDS = 1000


@dataclass(frozen=True)
class Trees:
    """Trees of a corpus as flat CoNLL heads, the sum of their values, and an upper bound on this sum."""

    heads: Heads
    value: float
    bound: float
    is_best: bool = True  # proved to be optimal


@dataclass(frozen=True, repr=False)
class InducedParser(Component):
    """A parser that was learned without trees: DMV parameters, arc weights, or both.

    The method `best` parses with both, others with the DMV if there is one.

    >>> import treewright as tw
    >>> parser = InducedParser.train("sample.conllu", options=InductionOptions(method="lc-dmv"))
    >>> parser
    InducedParser(method='lc-dmv', 8 tags)
    >>> [parsed] = parser.parse([tw.Sentence.from_words(["The", "old", "cart"], upos=["DET", "ADJ", "NOUN"])])
    >>> parsed.heads.tolist()
    [2, 3, 0]
    """

    kinds: tuple[str, ...]
    options: InductionOptions
    rules: Rules
    dmv: DmvParameters | None = None
    arcs: ArcModel | None = None

    KIND: ClassVar[str] = "induced parser"
    FORMAT: ClassVar[int] = 1  # its arrays depend on the method

    @classmethod
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        options: InductionOptions | None = None,
        **how: Unpack[RunOptions],
    ) -> InducedParser:
        """Learn from the UPOS column of train; heads are not used.

        options say how it learns. how: the keywords of `RunOptions`: report is called after every iteration, and a
        checkpoint keeps the results of the steps. Induction is deterministic and has no use for dev, seed and progress.
        """
        run = Run(**how)
        options = resolve(InductionOptions() if options is None else options)
        sentences = sentences_of(train)

        def origin() -> Origin:
            columns = ("\t".join(sentence.upos) + "\n" for sentence in sentences)
            return Origin.now(hash_of(columns), "", asdict(options))

        corpus = read_tagged(sentences, max_length=options.max_length)
        return cls.learned(corpus, options, run.report, run.results(origin))

    @classmethod
    def learned(
        cls,
        corpus: TaggedCorpus,
        options: InductionOptions,
        report: OnReport | None = None,
        steps: StepResults | None = None,
    ) -> InducedParser:
        """Learn from a corpus of tags, as options say.

        report is called after every iteration; steps has the results of an interrupted run.
        """
        options = resolve(options)
        rules = load_rules(options.rules, corpus.kinds)
        learned = train_on(corpus, rules, options, report or ignore, steps or StepResults())
        return cls(corpus.kinds, learned.options, rules, learned.dmv, learned.arcs)

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        arrays: dict[str, NDArray[Any]] = {}
        if self.dmv is not None:
            arrays |= dict(zip(TABLES, self.dmv.tables(), strict=True))
        if self.arcs is not None:
            arrays |= {"codes": self.arcs.codes, "weights": self.arcs.weights}
        return {"kinds": self.kinds, "options": asdict(self.options), "rules": asdict(self.rules)}, arrays

    @classmethod
    def from_arrays(cls, source: modelfile.Path, header: Mapping[str, Any], arrays: Arrays) -> InducedParser:
        """Make the parser of a header and arrays; messages name their source."""
        values = read_plain(header, Header, "header")
        options = resolve(values.options)
        parameters = arcs = None
        if options.method != "convex-mst":
            parameters = DmvParameters(*(np.array(arrays[name]) for name in TABLES))
            parameters.check_probabilities(len(values.kinds))
        if options.method in {"convex-mst", *JOINT_METHODS}:
            arcs = ArcModel(np.array(arrays["codes"]), np.array(arrays["weights"]))
            arcs.check_weights()
        if options.method == "best":
            joint.weight_of(options.joint)
        return cls(values.kinds, options, values.rules, parameters, arcs)

    def heads(self, corpus: TaggedCorpus) -> Heads:
        """Return the best trees of a corpus, as flat CoNLL heads."""
        return self._best(corpus).heads

    def __repr__(self) -> str:
        return f"InducedParser(method={self.options.method!r}, {len(self.kinds)} tags)"

    def _best(self, corpus: TaggedCorpus, max_seconds: float = math.inf) -> Trees:
        """Return the best trees with their value and bound; max_seconds limits the method `best`, for each sentence."""
        limits = self.options.limits
        if self.dmv is not None and self.options.method != "best":
            heads, values = dmv.decode(corpus, self.dmv, limits)
            value = float(values.sum())
            return Trees(heads, value, value)
        if self.arcs is None:
            raise ValueError("a model without DMV parameters and arc weights")
        cells = convex_mst.cells_of(corpus, self.rules)
        scores = self.arcs.scores(cells)
        if self.dmv is not None:
            arc_scores = cells.matrices(scores + self.options.convex.rule_weight * cells.follows_rule)
            trees = joint.decode_jointly(corpus, self.dmv, limits, arc_scores, self.options.joint, max_seconds)
            return Trees(trees.generative, trees.value, trees.bound, trees.certified_share == 1)
        heads = convex_mst.best_trees(cells, scores, self.options.convex.projective)
        value = float(scores[convex_mst.indicator(cells, heads) > 0].sum())
        return Trees(heads, value, value)

    def parse(
        self, sentences: Iterable[Sentence], *, threads: int = 1, **options: Unpack[ParseOptions]
    ) -> Iterator[Sentence]:
        """Return copies of the sentences with HEAD and DEPREL set; punctuation is attached without crossing arcs.

        The keywords are those of a supervised parser. Trees are projective; threads, all_arcs (no arc is removed) and
        confidence (there is no gold data to calibrate it on) have no effect. Every method decodes exactly except
        `best`: its dual decomposition may leave a gap, and max_seconds limits it for each sentence. The options of
        other decoders are refused.
        """
        streams.check_threads(threads)
        set_trees = self.tree_setter(**options)
        return (tree for sentence in checked_sentences(sentences) for tree in set_trees([sentence]))

    def tree_setter(self, **options: Unpack[ParseOptions]) -> Callable[[list[Sentence]], list[Sentence]]:
        """Return a function that parses sentences; the arguments are those of `parse`."""
        method, max_seconds = options.get("method", "exact"), options.get("max_seconds", MAX_SECONDS)
        for name in options:
            if name not in ("projective", "all_arcs", "method", "max_seconds", "confidence"):
                raise InputError(f"an induced model has one decoder, which has no option {name!r}")
        check_seconds(max_seconds)
        if method != "exact" or options.get("projective") is False:
            raise InputError(
                "an induced model has one decoder, which is projective: leave out --method and --nonprojective"
            )
        limit = math.inf if max_seconds is None else max_seconds
        return lambda sentences: [self._parsed(sentence, limit) for sentence in sentences]

    def _parsed(self, sentence: Sentence, max_seconds: float) -> Sentence:
        tree, relations = self._tree(sentence, max_seconds)
        nodes = np.concatenate([np.array([-1], np.int32), tree.heads])
        gap = 0.0 if tree.is_best else tree.bound - tree.value
        parse = Parse(nodes, tree.value, tree.bound, self.options.method, gap)
        return sentence.copy().set_tree(tree.heads, relations, parse)

    def _tree(self, sentence: Sentence, max_seconds: float) -> tuple[Trees, list[str]]:
        """Return the best tree of a sentence and its relations; max_seconds limits joint decoding."""
        words = words_of(sentence)
        if len(words.tags) > MAX_WORDS:
            problem = f"{len(words.tags)} words without punctuation; an induced parser reads at most {MAX_WORDS}"
            raise FormatError(sentence.source, sentence.line, f"{problem}, split the sentence")
        nodes = np.full(len(sentence) + 1, -1, dtype=np.int32)
        is_mark = np.arange(len(nodes)) > 0
        is_mark[words.positions + 1] = False
        tree = Trees(nodes[1:], 0.0, 0.0)
        if words.tags:
            tree = self._best(read_tagged([sentence], kinds=self.kinds), max_seconds)
            conll_number = np.concatenate([[0], words.positions + 1])  # CoNLL numbers in the whole sentence
            nodes[words.positions + 1] = conll_number[tree.heads]
        elif len(sentence):
            nodes[1] = 0  # if all is punctuation, its first token is the root
        marks = np.flatnonzero(is_mark).astype(np.int32)
        heads = attach_marks(nodes, marks, [mark for mark in marks.tolist() if nodes[mark] < 0])[1:]
        relations = [
            "root" if head == 0 else "punct" if is_punctuation else "dep"
            for head, is_punctuation in zip(heads.tolist(), is_mark[1:].tolist(), strict=True)
        ]
        return replace(tree, heads=heads), relations


def ignore(report: Report) -> None:
    """The report function of a training without one."""


def preferences(model: InducedParser) -> dict[str, list[dict[str, Any]]]:
    """Return a model's DMV parameters by falling probability: roots, attachments by side, stops.

    >>> from treewright.induce import InducedParser, InductionOptions
    >>> parser = InducedParser.train("sample.conllu", options=InductionOptions(method="dmv"))
    >>> sorted(preferences(parser))
    ['attachments', 'roots', 'stops']
    """
    if model.dmv is None:
        raise InputError(
            f"a {model.options.method} model has no DMV, so it has no probabilities to show; use another method"
        )
    parameters, kinds = model.dmv, model.kinds
    order = np.argsort(-parameters.root, kind="stable")
    roots = [{"tag": kinds[t], "probability": float(parameters.root[t])} for t in order]
    attachments, stops = [], []
    for h, kind in enumerate(kinds):
        for side, name in enumerate(("left", "right")):
            order = np.argsort(-parameters.attach[h, side], kind="stable")[:5]
            attachments.append(
                {
                    "head": kind,
                    "side": name,
                    "modifiers": [(kinds[m], float(parameters.attach[h, side, m])) for m in order],
                }
            )
            stops.append(
                {
                    "head": kind,
                    "side": name,
                    "at once": float(parameters.stop[h, side, 0]),
                    "after a modifier": float(parameters.stop[h, side, 1]),
                }
            )
    return {"roots": roots, "attachments": attachments, "stops": stops}


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    kinds: tuple[str, ...]
    options: InductionOptions
    rules: Rules

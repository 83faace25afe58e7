"""A parser learned from tags alone: train by a named method, parse sentences of any length, tell what it learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import modelfile
from treewright.corpus import Sentence
from treewright.decode import Parse
from treewright.errors import InputError
from treewright.induce import convex_mst, dmv, featurised, joint
from treewright.induce.convex_mst import ArcModel
from treewright.induce.dmv import UNLIMITED, Limits, Valence
from treewright.induce.rules import Rules, load_rules
from treewright.induce.tagged import PUNCTUATION, TaggedCorpus, read_tagged, words_of

Heads = NDArray[np.int32]
METHODS = ("joint", "dmv", "lc-dmv", "convex-mst")


@dataclass(frozen=True)
class Options:
    """Of induction; saved with the model. The defaults were chosen on the English development set."""

    method: str = "joint"
    max_length: int = 15  # longer training sentences are left out
    rules: str = "ud"
    start: str = "klein-manning"
    iterations: int = 20  # of EM
    features: bool = False  # of the valence model: softmax parameters fitted by L-BFGS instead of EM
    hard: bool = False  # Viterbi EM
    seed: int = 1
    limits: Limits = field(default_factory=Limits)
    convex: convex_mst.Options = field(default_factory=convex_mst.Options)
    joint: joint.Options = field(default_factory=joint.Options)

    @property
    def limits_used(self) -> Limits:
        """Of the valence model by the method: none, its own, or those of joint training."""
        if self.method == "dmv":
            return UNLIMITED
        return replace(self.limits, length_bias=self.joint.length_bias) if self.method == "joint" else self.limits


@dataclass(frozen=True)
class Progress:
    """One line while training: what is under way, which iteration, and its figures by name."""

    stage: str
    iteration: int
    total: int
    figures: dict[str, float]


Report = Callable[[Progress], None]


@dataclass(frozen=True)
class InducedParser:
    """What induction learned: a valence model, arc weights, or both; the valence model parses where there is one."""

    kinds: tuple[str, ...]
    options: Options
    rules: Rules
    valence: Valence | None = None
    arcs: ArcModel | None = None

    @classmethod
    def train(
        cls, sentences: Iterable[Sentence], options: Options | None = None, *, report: Report = lambda progress: None
    ) -> InducedParser:
        """Learn from the UPOS column; heads are not looked at."""
        options = options or Options()
        if options.method not in METHODS:
            raise InputError(f"there is no method {options.method!r}; there are {', '.join(METHODS)}")
        corpus = read_tagged(sentences, max_length=options.max_length)
        return train_on(corpus, options, report)

    @classmethod
    def load(cls, path: modelfile.Path) -> InducedParser:
        """Read a model file."""
        return load_induced(path)

    def save(self, path: modelfile.Path) -> None:
        """Write a model file; `treewright parse` reads it like any other."""
        save_induced(self, path)

    def heads(self, corpus: TaggedCorpus) -> Heads:
        """The best trees, as flat CoNLL heads."""
        return self._best(corpus)[0]

    def _best(self, corpus: TaggedCorpus) -> tuple[Heads, float]:
        """The best trees and the sum of their values."""
        if self.valence is not None:
            heads, values = dmv.decode(corpus, self.valence, self.options.limits_used)
            return heads, float(values.sum())
        if self.arcs is None:
            raise ValueError("a model without valence and arcs")
        cells = convex_mst.cells_of(corpus, self.rules)
        scores = self.arcs.scores(cells)
        heads = convex_mst.best_trees(cells, scores, self.options.convex.projective)
        return heads, float(scores[convex_mst.indicator(cells, heads) > 0].sum())

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        projective: bool | None = None,
        method: str = "exact",
        max_seconds: float | None = None,
    ) -> Iterator[Sentence]:
        """Copies with HEAD and DEPREL set; punctuation is left out of the analysis and hung from the sentence's root.

        The options are those of a supervised parser: here one thread works, and trees are projective and found exactly.
        """
        if method != "exact" or projective is False:
            raise InputError("an induced model finds projective trees, exactly: leave out --method and --nonprojective")
        return map(self._parsed, sentences)

    def _parsed(self, sentence: Sentence) -> Sentence:
        parsed = sentence.copy()
        heads, relations, value = self._tree(sentence)
        parsed.heads, parsed.deprels = heads, relations
        parsed.parse = Parse.exact(np.concatenate([np.array([-1], np.int32), heads]), value, self.options.method)
        return parsed

    def _tree(self, sentence: Sentence) -> tuple[Heads, list[str], float]:
        words = words_of(sentence)
        heads = np.zeros(len(sentence), dtype=np.int32)
        root, value = 1, 0.0  # all punctuation: the first word carries the rest
        if words.tags:
            found, value = self._best(read_tagged([sentence], kinds=self.kinds))
            place = np.concatenate([[0], words.positions + 1])  # CoNLL numbers in the whole sentence
            heads[words.positions] = place[found]
            root = int(words.positions[found == 0][0]) + 1
        is_word = np.zeros(len(sentence), dtype=bool)
        is_word[words.positions] = True
        heads[~is_word] = root
        heads[root - 1] = 0
        relations = [
            "root" if head == 0 else "punct" if tag == PUNCTUATION else "dep"
            for head, tag in zip(heads.tolist(), sentence.upos, strict=True)
        ]
        return heads, relations, value


def train_on(corpus: TaggedCorpus, options: Options, report: Report = lambda progress: None) -> InducedParser:
    """Learn from a corpus of tags by the method of the options."""
    rules = load_rules(options.rules, corpus.kinds)
    empty = InducedParser(corpus.kinds, options, rules)
    if options.method in {"dmv", "lc-dmv"}:
        return replace(empty, valence=train_valence(corpus, options, report))
    space = ArcSpace.of(corpus, rules, options)
    state = space.train(options, report)
    if options.method == "convex-mst":
        return replace(empty, arcs=ArcModel(space.regression.codes, state.w))
    pair = joint.Pair(train_valence(corpus, options, report), state.w)
    pair = space.train_together(corpus, pair, options, report)
    return replace(empty, valence=pair.valence, arcs=ArcModel(space.regression.codes, pair.weights))


def train_valence(corpus: TaggedCorpus, options: Options, report: Report) -> Valence:
    """The valence model alone, under the limits of the method: EM, Viterbi EM, or features and L-BFGS."""

    def heard(iteration: int, value: float) -> None:
        report(Progress("valence model", iteration, options.iterations, {"log likelihood a word": value / words}))

    words, limits = len(corpus.tags), options.limits_used
    if options.features:
        return featurised.fit_featurised(corpus, limits, iterations=options.iterations, report=heard)
    start = dmv.initial(options.start, corpus)
    return dmv.fit(corpus, start, limits, iterations=options.iterations, hard=options.hard, report=heard)


@dataclass(frozen=True)
class ArcSpace:
    """The arcs of a corpus with their features: what Convex-MST and joint training work in."""

    cells: convex_mst.Cells
    regression: convex_mst.Regression

    @classmethod
    def of(cls, corpus: TaggedCorpus, rules: Rules, options: Options) -> ArcSpace:
        cells = convex_mst.cells_of(corpus, rules)
        return cls(cells, convex_mst.Regression(cells, options.convex.ridge))

    def train(self, options: Options, report: Report) -> convex_mst.State:
        """Convex-MST alone."""

        def heard(iteration: int, objective: float, gap: float) -> None:
            figures = {"objective": objective, "gap": gap}
            report(Progress("Convex-MST", iteration, options.convex.iterations, figures))

        start = convex_mst.start(self.cells, self.regression, options.convex)
        return convex_mst.frank_wolfe(self.cells, self.regression, start, options.convex, report=heard)

    def train_together(self, corpus: TaggedCorpus, pair: joint.Pair, options: Options, report: Report) -> joint.Pair:
        def heard(done: joint.Round) -> None:
            figures = {"agreement": done.share, "heads changed": done.changed}
            report(Progress("joint training", done.number, options.joint.rounds, figures))

        return joint.train_together(
            corpus, self.cells, self.regression, pair, options.limits_used, options.convex, options.joint, report=heard
        )


def preferences(model: InducedParser) -> dict[str, list[dict[str, Any]]]:
    """What the valence model prefers, most likely first: roots, attachments by direction, stops."""
    if model.valence is None:
        raise InputError(f"a {model.options.method} model has no probabilities to explain; joint, dmv and lc-dmv have")
    valence, kinds = model.valence, model.kinds
    roots = [{"tag": kinds[t], "probability": float(valence.root[t])} for t in np.argsort(-valence.root, kind="stable")]
    attachments, stops = [], []
    for h, kind in enumerate(kinds):
        for side, name in enumerate(("left", "right")):
            order = np.argsort(-valence.attach[h, side], kind="stable")[:5]
            attachments.append(
                {
                    "head": kind,
                    "side": name,
                    "modifiers": [(kinds[m], float(valence.attach[h, side, m])) for m in order],
                }
            )
            stops.append(
                {
                    "head": kind,
                    "side": name,
                    "at once": float(valence.stop[h, side, 0]),
                    "after a modifier": float(valence.stop[h, side, 1]),
                }
            )
    return {"roots": roots, "attachments": attachments, "stops": stops}


FORMAT = 1  # raised when a file can no longer be read by the versions before
KIND = "treewright induced parser"
TABLES = ("root", "stop", "go", "attach")


def save_induced(model: InducedParser, path: modelfile.Path) -> None:
    """Write the model beside the path and rename it on success."""
    arrays: dict[str, NDArray[Any]] = {}
    if model.valence is not None:
        arrays |= dict(zip(TABLES, model.valence.tables(), strict=True))
    if model.arcs is not None:
        arrays |= {"codes": model.arcs.codes, "weights": model.arcs.weights}
    header = {"kinds": model.kinds, "options": asdict(model.options), "rules": asdict(model.rules)}
    modelfile.save(path, KIND, FORMAT, header, arrays)


def load_induced(path: modelfile.Path) -> InducedParser:
    """Read a model file, or say what is wrong with it."""
    header = modelfile.read_header(path, KIND, FORMAT)
    try:
        options = options_of(header["options"])
        rules = Rules(header["rules"]["name"], {h: tuple(m) for h, m in header["rules"]["table"].items()})
        valence = arcs = None
        if options.method != "convex-mst":
            valence = Valence(*(np.array(modelfile.mapped(path, name)) for name in TABLES))
        if options.method in {"convex-mst", "joint"}:
            arcs = ArcModel(np.array(modelfile.mapped(path, "codes")), np.array(modelfile.mapped(path, "weights")))
        return InducedParser(tuple(header["kinds"]), options, rules, valence, arcs)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: its header lacks or misnames {error}; induce the model again") from None


def options_of(saved: dict[str, Any]) -> Options:
    """Options as `asdict` wrote them."""
    limits = Limits(**{**saved["limits"], "leaves": tuple(saved["limits"]["leaves"])})
    parts = {
        "limits": limits,
        "convex": convex_mst.Options(**saved["convex"]),
        "joint": joint.Options(**saved["joint"]),
    }
    return Options(**{**saved, **parts})

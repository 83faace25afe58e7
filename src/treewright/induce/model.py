"""A parser learned from tags alone: train by a named method, parse sentences of any length, tell what it learned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import modelfile
from treewright.corpus import Sentence
from treewright.decode import Parse
from treewright.decode.result import Certificate
from treewright.errors import InputError
from treewright.induce import convex_mst, dmv, joint
from treewright.induce.clusters import SWEEPS, Clusters, cluster
from treewright.induce.convex_mst import ArcModel
from treewright.induce.dmv import Valence
from treewright.induce.options import TOGETHER, Options, options_of
from treewright.induce.rules import Rules, load_rules
from treewright.induce.tagged import TaggedCorpus, Tags, read_tagged, upos_of, words_of
from treewright.induce.training import Progress, Report, Steps, train_on

Heads = NDArray[np.int32]


@dataclass(frozen=True)
class Found:
    """Trees of a corpus as flat CoNLL heads, the sum of their values, and what it can be at most."""

    heads: Heads
    value: float
    bound: float
    is_best: bool = True  # as is proved


@dataclass(frozen=True)
class InducedParser:
    """What induction learned: a valence model, arc weights, or both; the valence model parses where there is one."""

    kinds: tuple[str, ...]
    options: Options
    rules: Rules
    valence: Valence | None = None
    arcs: ArcModel | None = None
    clusters: Clusters | None = None  # in place of tags

    @classmethod
    def train(
        cls,
        sentences: Iterable[Sentence],
        options: Options | None = None,
        *,
        report: Report = lambda progress: None,
        steps: Steps | None = None,
    ) -> InducedParser:
        """Learn from the UPOS column, or with `options.clusters` from the words alone; heads are not looked at.

        `steps` holds what an interrupted training had reached, and keeps what this one reaches.
        """
        chosen, steps = options or Options(), steps or Steps()
        chosen.check()
        clusters: Clusters | None = None
        tags_of: Tags = upos_of
        if chosen.clusters:
            texts = sentences = list(sentences)
            clusters = Clusters.from_json(steps.of("clusters", lambda: clusters_of(texts, chosen, report)))
            chosen = replace(chosen, limits=replace(chosen.limits, leaves=clusters.function_classes()))
            tags_of = clusters.tags_of
        corpus = read_tagged(sentences, max_length=chosen.max_length, tags_of=tags_of)
        return cls.learned(corpus, chosen, report, steps, clusters)

    @classmethod
    def learned(
        cls,
        corpus: TaggedCorpus,
        options: Options,
        report: Report = lambda progress: None,
        steps: Steps | None = None,
        clusters: Clusters | None = None,
    ) -> InducedParser:
        """Learn from a corpus of tags, or of classes."""
        rules = load_rules(options.rules_used, corpus.kinds)
        found = train_on(corpus, rules, options, report, steps or Steps())
        options = replace(options, joint=replace(options.joint, weight=found.weight))
        return cls(corpus.kinds, options, rules, found.valence, found.arcs, clusters)

    @classmethod
    def load(cls, path: modelfile.Path) -> InducedParser:
        """Read a model file."""
        return load_induced(path)

    def save(self, path: modelfile.Path) -> None:
        """Write a model file; `treewright parse` reads it like any other."""
        save_induced(self, path)

    def heads(self, corpus: TaggedCorpus) -> Heads:
        """The best trees, as flat CoNLL heads."""
        return self._best(corpus).heads

    def _best(self, corpus: TaggedCorpus) -> Found:
        """The best trees, the sum of their values and a bound on it."""
        if self.valence is not None and self.options.method != "best":
            heads, values = dmv.decode(corpus, self.valence, self.options.limits_used)
            value = float(values.sum())
            return Found(heads, value, value)
        if self.arcs is None:
            raise ValueError("a model without valence and arcs")
        cells = convex_mst.cells_of(corpus, self.rules)
        scores = self.arcs.scores(cells)
        if self.valence is not None:
            squares = cells.squares(scores + self.options.convex.rule_weight * cells.follows_rule)
            found = joint.agree(corpus, self.valence, self.options.limits_used, squares, self.options.joint)
            return Found(found.generative, found.value, found.bound, found.share == 1)
        heads = convex_mst.best_trees(cells, scores, self.options.convex.projective)
        value = float(scores[convex_mst.indicator(cells, heads) > 0].sum())
        return Found(heads, value, value)

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

        The options are those of a supervised parser: here one thread works, and trees are projective. They are found
        exactly, but by `best`, whose dual decomposition may leave a gap.
        """
        if method != "exact" or projective is False:
            raise InputError(
                "an induced model finds projective trees by itself: leave out --method and --nonprojective"
            )
        return map(self._parsed, sentences)

    def _parsed(self, sentence: Sentence) -> Sentence:
        parsed = sentence.copy()
        found, relations = self._tree(sentence)
        parsed.heads, parsed.deprels = found.heads, relations
        nodes = np.concatenate([np.array([-1], np.int32), found.heads])
        certificate: Certificate | None = "exact" if found.is_best else None
        parsed.parse = Parse(nodes, found.value, found.bound, self.options.method, certificate)
        return parsed

    def _tree(self, sentence: Sentence) -> tuple[Found, list[str]]:
        tags_of: Tags = self.clusters.tags_of if self.clusters is not None else upos_of
        words = words_of(sentence, tags_of)
        heads = np.zeros(len(sentence), dtype=np.int32)
        found, root = Found(heads, 0.0, 0.0), 1  # all punctuation: the first word carries the rest
        if words.tags:
            found = self._best(read_tagged([sentence], kinds=self.kinds, tags_of=tags_of))
            place = np.concatenate([[0], words.positions + 1])  # CoNLL numbers in the whole sentence
            heads[words.positions] = place[found.heads]
            root = int(words.positions[found.heads == 0][0]) + 1
        is_word = np.zeros(len(sentence), dtype=bool)
        is_word[words.positions] = True
        heads[~is_word] = root
        heads[root - 1] = 0
        relations = [
            "root" if head == 0 else "dep" if kept else "punct"
            for head, kept in zip(heads.tolist(), is_word.tolist(), strict=True)
        ]
        return replace(found, heads=heads), relations


def clusters_of(sentences: Iterable[Sentence], options: Options, report: Report) -> dict[str, Any]:
    def heard(sweep: int, value: float) -> None:
        report(Progress("classes of words", sweep, SWEEPS, {"log likelihood a word": value}))

    return cluster((sentence.forms for sentence in sentences), options.clusters, report=heard).to_json()


def preferences(model: InducedParser) -> dict[str, list[dict[str, Any]]]:
    """What the valence model prefers, most likely first: roots, attachments by direction, stops; words of classes."""
    if model.valence is None:
        raise InputError(f"a {model.options.method} model has no probabilities to explain; those of other methods have")
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
    told = {"roots": roots, "attachments": attachments, "stops": stops}
    if model.clusters is not None:
        words = dict(zip(model.clusters.names, model.clusters.examples, strict=True))
        told["classes"] = [{"tag": kind, "words": list(words[kind])} for kind in kinds]
    return told


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
    if model.clusters is not None:
        header["clusters"] = model.clusters.to_json()
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
        if options.method in {"convex-mst", *TOGETHER}:
            arcs = ArcModel(np.array(modelfile.mapped(path, "codes")), np.array(modelfile.mapped(path, "weights")))
        clusters = Clusters.from_json(header["clusters"]) if options.clusters else None
        return InducedParser(tuple(header["kinds"]), options, rules, valence, arcs, clusters)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: its header lacks or misnames {error}; induce the model again") from None

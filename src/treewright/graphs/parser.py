"""The public class of the graph parser: train, save, load, and edges for sentences with trees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import local
from typing import Any, ClassVar

import numpy as np

from treewright import streams
from treewright.calls import checked, explained_methods
from treewright.checks import Scale, check_flags, read_plain
from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentence, checked_sentences
from treewright.decode import GraphParse
from treewright.errors import InputError
from treewright.graphs.checks import check_decided, has_graph
from treewright.graphs.features import TEMPLATES, compiled
from treewright.graphs.labels import is_template
from treewright.graphs.model import GraphModel, GraphWorker, Kept, LabelledEdge, PathLabels
from treewright.graphs.options import GraphOptions
from treewright.graphs.paths import is_path
from treewright.graphs.training import Trainer
from treewright.graphs.view import TreeView
from treewright.learn import Observer, Progress, Report, Weights
from treewright.model import checkpoint as checkpoints
from treewright.model.checkpoint import Origin
from treewright.model.component import (
    ArrayForm,
    Arrays,
    Component,
    Corpus,
    Stored,
    check_array,
    hash_of,
    metadata_of,
    sentences_of,
)


@explained_methods
class GraphParser(Component):
    """Finds the edges of a graph that are not in the tree of a sentence, and the labels of all edges.

    >>> columns = {"heads": [2, 0, 4, 2], "deprels": ["nsubj", "root", "cc", "conj"]}
    >>> graph = ["2:nsubj|4:nsubj", "0:root", "4:cc", "2:conj:and"]
    >>> words = ["It", "rains", "and", "snows"]
    >>> corpus = [Sentence.from_words(words, lemmas=["it", "rain", "and", "snow"], deps=graph, **columns)] * 4
    >>> parser = GraphParser.train(corpus)
    >>> other = Sentence.from_words(["We", "sing", "or", "dance"], lemmas=["we", "sing", "or", "dance"], **columns)
    >>> [found] = parser.parse([other])
    >>> found.deps
    ['2:nsubj|4:nsubj', '0:root', '4:cc', '2:conj:or']
    """

    KIND: ClassVar[str] = "graph parser"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {"weights": (np.int8, (None,))}

    def __init__(self, model: GraphModel) -> None:
        self.model = model
        self._workers = local()

    @classmethod
    @checked
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        seed: int | None = None,
        options: GraphOptions | None = None,
        report: Callable[[Report], None] | None = None,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> GraphParser:
        """Train on the graphs (DEPS) of the treebank train, a CoNLL-U file or sentences with trees and graphs.

        Sentences without a graph, or with empty nodes, are left out. The epoch with the best ELAS on `dev`, from gold
        trees, is kept. seed replaces that of the options. report, progress, checkpoint and resume are those of
        `Parser.train`.
        """
        chosen = options or GraphOptions()
        if seed is not None:
            chosen = replace(chosen, seed=seed)
        sentences, held_out = sentences_of(train, "tree"), sentences_of(dev, "tree")
        trainer = Trainer(sentences, held_out, chosen)

        def origin() -> Origin:
            training, development = (
                hash_of(str(sentence).encode() for sentence in some) for some in (sentences, held_out)
            )
            return Origin.now(training, development, dict(trainer.options.to_json()))

        state, save = checkpoints.open_training(checkpoint, resume, origin)
        trained = trainer.run(state, Observer(report, save, progress))
        return cls(replace(trained, metadata=metadata_of(sentences)))

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        model = self.model
        header = {
            "options": model.options.to_json(),
            "paths": [[one.path, list(one.labels), one.optional] for one in model.paths],
            "templates": list(model.templates),
            **({"link_templates": list(model.link_templates)} if model.link_templates else {}),
            "scale": model.weights.scale,
            "metadata": dict(model.metadata),
        }
        return header, {"weights": model.weights.values}

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> GraphParser:
        """The inverse of `to_arrays`; messages name the source of the arrays."""
        found = read_plain(header, Header, "header")
        check_array("weights", arrays["weights"], np.int8, (1 << found.options.bits,))
        compiled((*found.templates, *found.link_templates))
        for one in found.paths:
            if not is_path(one.path) or not one.labels or not all(map(is_template, one.labels)):
                raise ValueError(f"header.paths has {one.path!r} with labels {list(one.labels)!r}")
        weights = Weights(arrays["weights"], found.scale)
        templates = found.templates, found.link_templates
        return cls(GraphModel(found.options, found.paths, weights, *templates, found.metadata or {}))

    @property
    def options(self) -> GraphOptions:
        """The options of its training, with what was read off the training data."""
        return self.model.options

    def parse(
        self, sentences: Iterable[Sentence], *, threads: int = 1, keep: bool = False, chunk: int = streams.CHUNK
    ) -> Iterator[Sentence]:
        """Copies of sentences, which have trees, with their graphs in DEPS, in order; heads and labels are not changed.

        Every edge whose log odds are positive is in the graph, unless the graph would have a word that the root does
        not reach or, if the training data has none, a cycle: then the best such set of edges is searched.
        keep: words with edges in DEPS keep them, and the edges of the others are the best together with these. A cell
        that the model cannot have (a cycle, no edge from HEAD where the training data always has one) is a FormatError.
        Empty nodes keep their DEPS. threads and chunk are those of `Parser.parse`.
        """
        check_flags(keep=keep)

        acyclic, keep_tree = bool(self.options.acyclic), bool(self.options.keep_tree)

        def parse(some: list[Sentence]) -> list[Sentence]:
            for sentence in some:
                sentence.check("tree")
                sentence.check_has_column("DEPS")
                if keep:
                    check_decided(sentence, acyclic=acyclic, keep_tree=keep_tree)
            return self.add([sentence.copy() for sentence in some], keep=keep)

        return streams.map_items(parse, checked_sentences(sentences), threads=threads, chunk=chunk)

    def add(
        self, sentences: list[Sentence], *, keep: bool = False, given: Sequence[Sentence] | None = None
    ) -> list[Sentence]:
        """Set DEPS of sentences that have trees and this column, in place; `keep` as for `parse`. Returns all.

        given: the same sentences before their DEPS was emptied; empty nodes get back theirs.
        """
        earlier = [] if given is None else list(checked_sentences(given))
        if given is not None and len(earlier) != len(sentences):
            raise InputError(f"given has {len(earlier)} sentences; expected {len(sentences)}, as sentences has")
        for sentence, before in zip(sentences, earlier, strict=given is not None):
            if before.empty_nodes:
                sentence.copy_graph_of_empty_nodes(before)
        some = [sentence for sentence in sentences if "DEPS" in sentence.layout.index]
        views = [TreeView(sentence) for sentence in some]
        kept = [self._kept(sentence) if keep else {} for sentence in some]
        for sentence, edges, decided in zip(some, self._worker().graphs(views, kept), kept, strict=True):
            write(sentence, edges, decided)
        return sentences

    def _kept(self, sentence: Sentence) -> Kept:
        """The edges of the words whose DEPS is decided; edges from empty nodes are kept in their cells alone."""
        if not has_graph(sentence):
            return {}
        found: dict[int, list[tuple[int, str]]] = {}
        for edge in sentence.graph:
            if isinstance(edge.modifier, int):
                some = found.setdefault(edge.modifier, [])
                if isinstance(edge.head, int):
                    some.append((edge.head, edge.label))
        for word, some in found.items():
            if not some:  # all its edges come from empty nodes: its place in the tree stands for them
                some.append((int(sentence.heads[word - 1]), sentence.deprels[word - 1]))
        return found

    def decode(self, sentence: Sentence) -> GraphParse:
        """The best set of edges of a sentence with a tree, as treewright.decode.graph returns it.

        The score is the sum of the log odds of its edges, without those that are always there. It is certified: no
        other set of the possible edges has a higher score.
        """
        sentence = checked_sentence(sentence)
        sentence.check("tree")
        return self._worker().decode(TreeView(sentence))

    def _worker(self) -> GraphWorker:
        if not hasattr(self._workers, "worker"):
            self._workers.worker = GraphWorker(self.model)
        worker: GraphWorker = self._workers.worker
        return worker

    def __repr__(self) -> str:
        kind = "acyclic" if self.options.acyclic else "cycles allowed"
        return f"GraphParser({len(self.model.paths)} paths, {self.options.model} order, {kind})"


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    options: GraphOptions
    paths: tuple[PathLabels, ...]
    scale: Scale
    templates: tuple[str, ...] = TEMPLATES
    link_templates: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None


def write(sentence: Sentence, edges: list[LabelledEdge], kept: Kept) -> None:
    """Set DEPS; the cells of `kept` words stay as they are."""
    found: list[list[tuple[int, str]]] = [[] for _ in range(len(sentence) + 1)]
    for head, modifier, label in edges:
        found[modifier].append((head, label))
    old = sentence.deps
    cells = ["|".join([f"{head}:{label}" for head, label in sorted(some)]) for some in found]
    sentence.deps = [old[word - 1] if word in kept else cells[word] for word in range(1, len(sentence) + 1)]

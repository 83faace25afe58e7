"""The public class of the graph parser: train, save, load, and edges for sentences with trees."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np

from treewright import streams
from treewright.caching import Workers
from treewright.checks import Scale, read_plain
from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentence, checked_sentences
from treewright.decode import GraphParse
from treewright.errors import InputError
from treewright.graphs.checks import check_decided, has_graph
from treewright.graphs.features import TEMPLATES, parse_templates
from treewright.graphs.labels import is_template
from treewright.graphs.model import Decision, GraphModel, GraphWorker, Kept, PathLabels
from treewright.graphs.options import GraphOptions
from treewright.graphs.paths import is_path
from treewright.graphs.training import Trainer
from treewright.graphs.view import TreeView
from treewright.learn import Weights
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
from treewright.model.run import Run, RunOptions


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
        self._workers = Workers(lambda: GraphWorker(model))

    @classmethod
    def train(
        cls, train: Corpus, dev: Corpus | None = None, *, options: GraphOptions | None = None, **how: Unpack[RunOptions]
    ) -> GraphParser:
        """Train on the graphs (DEPS) of the treebank train, a CoNLL-U file or sentences with trees and graphs.

        Sentences without a graph, or with empty nodes, are left out. The epoch with the best ELAS on `dev`, from gold
        trees, is kept; options hold the settings. how: seed, report, progress, checkpoint and resume (`RunOptions`).
        """
        run = Run(**how)
        options = run.with_seed(options or GraphOptions())
        sentences, held_out = sentences_of(train, "tree"), sentences_of(dev, "tree")
        trainer = Trainer(sentences, held_out, options)

        def origin() -> Origin:
            return Origin.now(hash_of(sentences), hash_of(held_out), asdict(trainer.options))

        trained = trainer.run(*run.open(origin))
        return cls(replace(trained, metadata=metadata_of(sentences)))

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        model = self.model
        header = {
            "options": asdict(model.options),
            "paths": [[entry.path, list(entry.labels), entry.optional] for entry in model.paths],
            "templates": list(model.templates),
            "scale": model.weights.scale,
            "metadata": dict(model.metadata),
        }
        return header, {"weights": model.weights.values}

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> GraphParser:
        """Make the parser of a header and arrays; messages name their source."""
        values = read_plain(header, Header, "header")
        check_array("weights", arrays["weights"], np.int8, (1 << values.options.bits,))
        parse_templates(values.templates)
        for path, labels, _ in values.paths:
            if not is_path(path) or not labels or not all(map(is_template, labels)):
                raise ValueError(f"header.paths has {path!r} with labels {list(labels)!r}")
        weights = Weights(arrays["weights"], values.scale)
        return cls(GraphModel(values.options, values.paths, weights, values.templates, values.metadata or {}))

    @property
    def options(self) -> GraphOptions:
        """The options of its training, with what was read off the training data."""
        return self.model.options

    def parse(
        self, sentences: Iterable[Sentence], *, threads: int = 1, keep: bool = False, batch_size: int = streams.CHUNK
    ) -> Iterator[Sentence]:
        """Return copies of sentences with trees that have their graphs in DEPS; heads and labels are not changed.

        Every edge whose log odds are positive is in the graph, unless the graph would have a word that the root does
        not reach or, if the training data has none, a cycle: then the best such set of edges is searched.
        keep: words with edges in DEPS keep them, and the edges of the others are the best together with these. A cell
        that the model cannot have (a cycle, no edge from HEAD where the training data always has one) is a FormatError.
        Empty nodes keep their DEPS. threads and batch_size are those of `Parser.parse`.
        """
        acyclic, keep_tree = bool(self.options.acyclic), bool(self.options.keep_tree)

        def parse(batch: list[Sentence]) -> list[Sentence]:
            for sentence in batch:
                sentence.check("tree")
                sentence.layout.check_has("DEPS", sentence.place)
                if keep:
                    check_decided(sentence, acyclic=acyclic, keep_tree=keep_tree)
            return self.add([sentence.copy() for sentence in batch], keep=keep)

        return streams.map_items(parse, checked_sentences(sentences), threads=threads, chunk=batch_size)

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
                sentence.empty_nodes = before.empty_nodes
        with_column = [sentence for sentence in sentences if "DEPS" in sentence.layout.index]
        views = [TreeView(sentence) for sentence in with_column]
        kept = [kept_edges(sentence) if keep else {} for sentence in with_column]
        with self._workers.borrow() as worker:
            for sentence, decision in zip(with_column, worker.decisions(views, kept), strict=True):
                write_graph(sentence, decision)
        return sentences

    def decode(self, sentence: Sentence) -> GraphParse:
        """Return the best set of edges of a sentence with a tree, as treewright.decode.graph does.

        The score is the sum of the log odds of its edges, without those that are always there. It is certified: no
        other set of the possible edges has a higher score.
        """
        sentence = checked_sentence(sentence)
        sentence.check("tree")
        with self._workers.borrow() as worker:
            [decision] = worker.decisions([TreeView(sentence)], [{}])
        return decision.decode()

    def __repr__(self) -> str:
        kind = "acyclic" if self.options.acyclic else "cycles allowed"
        return f"GraphParser({len(self.model.paths)} paths, {kind})"


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    options: GraphOptions
    paths: tuple[PathLabels, ...]
    scale: Scale
    templates: tuple[str, ...] = TEMPLATES
    metadata: Mapping[str, Any] | None = None


def kept_edges(sentence: Sentence) -> Kept:
    """Return the edges of the words whose DEPS is decided; edges from empty nodes are kept in their cells alone."""
    if not has_graph(sentence):
        return {}
    kept: dict[int, list[tuple[int, str]]] = {}
    for edge in sentence.graph:
        if isinstance(edge.modifier, int):
            heads = kept.setdefault(edge.modifier, [])
            if isinstance(edge.head, int):
                heads.append((edge.head, edge.label))
    for word, heads in kept.items():
        if not heads:  # all its edges come from empty nodes: its place in the tree stands for them
            heads.append((int(sentence.heads[word - 1]), sentence.deprels[word - 1]))
    return kept


def write_graph(sentence: Sentence, decision: Decision) -> None:
    """Set DEPS; the cells of words whose edges were kept stay as they are."""
    heads: list[list[tuple[int, str]]] = [[] for _ in range(len(sentence) + 1)]
    for head, modifier, label in decision.edges():
        heads[modifier].append((head, label))
    cells = ["|".join([f"{head}:{label}" for head, label in sorted(row)]) for row in heads]
    old = sentence.deps
    sentence.deps = [old[word - 1] if word in decision.kept else cells[word] for word in range(1, len(sentence) + 1)]

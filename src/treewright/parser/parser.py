"""The public class of the parser: train, save, load, parse."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from threading import local
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from treewright import checkpoint as checkpoints
from treewright import component, streams
from treewright.checkpoint import Origin
from treewright.component import Arrays, Corpus, Stored, hash_of, metadata_of, sentences_of
from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentences
from treewright.decode import SearchOptions
from treewright.features import Templates
from treewright.features.standard import STANDARD
from treewright.learn import Observer, Progress, Report
from treewright.parser import file
from treewright.parser.model import MAX_SECONDS, Parsed, ParserModel, Worker, search_options
from treewright.parser.options import ParserOptions, ParserSettings, where_given
from treewright.parser.training import Trainer

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class Parser:
    """A trained dependency parser.

    >>> corpus = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> parser = Parser.train(corpus, model="arc")
    >>> [parsed] = parser.parse([Sentence.from_words(["Cats", "meow"], upos=["NOUN", "VERB"])])
    >>> parsed.heads.tolist(), parsed.deprels, parsed.parse.certified
    ([2, 0], ['nsubj', 'root'], True)
    """

    KIND: ClassVar[str] = "parser"
    FORMAT: ClassVar[int] = 2  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[tuple[str, ...]] = file.ARRAYS

    def __init__(self, model: ParserModel) -> None:
        self.model = model
        self._workers = local()

    @classmethod
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        model: str | None = None,
        projective: bool | None = None,
        root: str | None = None,
        seed: int | None = None,
        options: ParserOptions | ParserSettings | None = None,
        templates: Templates = STANDARD,
        report: Callable[[Report], None] | None = None,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> Parser:
        """Train on a treebank: a CoNLL-U file or sentences. The epoch with the best score on `dev` is kept.

        model: "arc", "sib" or "grand". projective, root ("single", "multi"): chosen from the training data if None.
        options hold everything else; model, projective, root and seed replace theirs where they are given. The values
        that are left open are resolved once; settings that `treewright.parser.resolve` returned are used as they are.
        templates: the features of parts (treewright.features.templates), saved with the model. report is called after
        each epoch, progress before each sentence. checkpoint: a file that keeps the state at the ends of epochs, from
        which a later call with `resume` continues; the caller removes it when the model is saved.
        """
        given = where_given({"model": model, "projective": projective, "root": root, "seed": seed})
        chosen = replace(options or ParserOptions(), **given)
        sentences, held_out = sentences_of(train, "tree"), sentences_of(dev, "tree")
        trainer = Trainer(sentences, held_out, chosen, templates=templates)
        settings = trainer.settings

        def origin() -> Origin:
            return Origin.now(fingerprint(sentences), fingerprint(held_out), settings.to_json())

        state, save = checkpoints.open_training(checkpoint, resume, origin)
        trained = trainer.run(state, Observer(report, save, progress))
        metadata = metadata_of(sentences) | {"training_sha256": fingerprint(sentences)}
        return cls(replace(trained, metadata=metadata))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Parser:
        """The parser of a model file, of a pipeline's file, or of a name ("en")."""
        return component.load_as(cls, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file: safetensors with a JSON header."""
        component.save(self, path)

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        return file.to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Parser:
        """The inverse of `to_arrays`."""
        return cls(file.from_arrays(source, header, arrays))

    @property
    def options(self) -> ParserSettings:
        """The settings of its training."""
        return self.model.options

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        projective: bool | None = None,
        method: str = "exact",
        max_seconds: float | None = MAX_SECONDS,
        chunk: int = streams.CHUNK,
        **options: Unpack[SearchOptions],
    ) -> Iterator[Sentence]:
        """Copies of the sentences with heads and labels set, in order; the same for any number of threads.

        Each has `parse` (value, bound, certificate; see treewright.decode) and `head_confidence`, the probability of
        each word's head under the pruner. projective: as the model was trained if None. chunk: how many sentences are
        taken together, which is faster; with 1 none waits for the next. method and options are those of
        treewright.decode.tree.

        max_seconds limits the search for one sentence, where one is needed: if arcs may cross in a model of siblings,
        or by a method that searches. The best tree by then has no certificate but a gap. None: no limit.
        """
        is_projective = self.model.projective if projective is None else projective
        search = search_options(method, max_seconds, options)

        def parse(some: list[Sentence]) -> list[Sentence]:
            answers = self._worker().parse(some, is_projective, **search)
            return [parsed(*both) for both in zip(some, answers, strict=True)]

        return streams.map_items(parse, checked_sentences(sentences), threads=threads, chunk=chunk)

    def each(
        self, answer: Callable[[Worker, Sentence], T], sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[T]:
        """answer(worker, sentence) for every sentence, in order; each thread has a worker of its own."""

        def answers(some: list[Sentence]) -> list[T]:
            worker = self._worker()
            return [answer(worker, sentence) for sentence in some]

        chunk = streams.CHUNK if threads > 1 else 1
        return streams.map_items(answers, checked_sentences(sentences), threads=threads, chunk=chunk)

    def _worker(self) -> Worker:
        if not hasattr(self._workers, "worker"):
            self._workers.worker = Worker(self.model)
        worker: Worker = self._workers.worker
        return worker

    def __reduce__(self) -> tuple[Any, ...]:
        return component.pickled(self)

    def __repr__(self) -> str:
        kind = "projective" if self.model.projective else "non-projective"
        return f"Parser(model={self.options.model!r}, {kind}, {len(self.model.labels)} labels)"


def parsed(sentence: Sentence, answer: Parsed) -> Sentence:
    """A copy of a sentence with its parse."""
    return sentence.with_tree(answer.parse.heads[1:].copy(), answer.labels, answer.parse, answer.confidence)


def fingerprint(sentences: Iterable[Sentence]) -> str:
    """A hash of what training reads of a treebank."""
    return hash_of(part for sentence in sentences for part in columns_of(sentence))


def columns_of(sentence: Sentence) -> Iterator[bytes]:
    """The columns of a sentence that training reads."""
    for column in (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.deprels):
        yield "\t".join(column).encode() + b"\n"
    yield np.ascontiguousarray(sentence.heads, dtype="<i4").tobytes()

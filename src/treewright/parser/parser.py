"""The parser as users meet it: train, save, load, parse."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from threading import local
from typing import Any, TypeVar

import numpy as np

from treewright.corpus import Sentence, read
from treewright.features import Templates
from treewright.features.standard import STANDARD
from treewright.parser.file import load_model, save_model
from treewright.parser.model import MAX_SECONDS, Model, Parsed, Worker, search_options
from treewright.parser.options import Options
from treewright.parser.training import Report, State, Trainer

Corpus = str | os.PathLike[str] | Iterable[Sentence]

CHUNK = 64  # sentences that a thread takes at a time

T = TypeVar("T")


class Parser:
    """A trained dependency parser.

    >>> corpus = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> parser = Parser.train(corpus, model="arc")
    >>> [parsed] = parser.parse([Sentence.from_words(["Cats", "meow"], upos=["NOUN", "VERB"])])
    >>> parsed.heads.tolist(), parsed.deprels, parsed.parse.certified
    ([2, 0], ['nsubj', 'root'], True)
    """

    def __init__(self, model: Model) -> None:
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
        options: Options | None = None,
        templates: Templates = STANDARD,
        report: Callable[[Report], None] | None = None,
        state: State | None = None,
        checkpoint: Callable[[State], None] | None = None,
        progress: Callable[[str, int, int, int], None] | None = None,
    ) -> Parser:
        """Train on a treebank: a CoNLL-U file or sentences. On `dev` epochs are compared and the best kept.

        model: "arc", "sib" or "grand". projective, root ("single", "multi"): read off the training data if None.
        options hold everything else; model, projective, root and seed, where given, replace theirs. templates: what is
        asked about a sentence (treewright.features.templates); they are saved with the model. report is called
        after each epoch, checkpoint with a State from which a later call, given it as `state`, goes on; progress
        before each sentence, with the stage, the epochs done, and how many sentences of this one are done, of how many.
        """
        given: dict[str, Any] = {"model": model, "projective": projective, "root": root, "seed": seed}
        chosen = replace(options or Options(), **{name: value for name, value in given.items() if value is not None})
        sentences = list(sentences_of(train))
        held_out = [] if dev is None else list(sentences_of(dev))
        trainer = Trainer(
            sentences,
            held_out,
            chosen,
            templates=templates,
            state=state,
            report=report,
            checkpoint=checkpoint,
            progress=progress,
        )
        trained = trainer.run()
        facts = {
            "sentences": len(sentences),
            "words": sum(map(len, sentences)),
            "training_sha256": fingerprint(sentences),
            "version": version("treewright"),
        }
        return cls(replace(trained, facts=facts))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Parser:
        """Read a model file."""
        return cls(load_model(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file: safetensors with a JSON header."""
        save_model(self.model, path)

    @property
    def options(self) -> Options:
        """How it was trained."""
        return self.model.options

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        projective: bool | None = None,
        method: str = "exact",
        max_seconds: float | None = MAX_SECONDS,
        chunk: int = CHUNK,
        **options: Any,
    ) -> Iterator[Sentence]:
        """Copies of the sentences with heads and labels set, in order; the same for any number of threads.

        Each has `parse` (value, bound, certificate; see treewright.decode) and `confidence`, the probability of each
        word's head under the pruner. projective: as the model was trained if None. chunk: how many sentences are
        taken together, which is faster; with 1 none waits for the next. method and options are those of
        treewright.decode.tree.

        max_seconds limits the search for one sentence, where one is needed: if arcs may cross in a model of siblings,
        or by a method that searches. The best tree by then has no certificate but a gap. None: no limit.
        """
        wanted = self.model.projective if projective is None else projective
        search = search_options(method, max_seconds, options)

        def parse(worker: Worker, sentences: list[Sentence]) -> list[Sentence]:
            answers = worker.parse(sentences, wanted, **search)
            return [parsed(*both) for both in zip(sentences, answers, strict=True)]

        return self._chunks(parse, sentences, threads, chunk)

    def each(
        self, answer: Callable[[Worker, Sentence], T], sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[T]:
        """answer(worker, sentence) for every sentence, in order; each thread has a worker of its own."""

        def answers(worker: Worker, sentences: list[Sentence]) -> list[T]:
            return [answer(worker, sentence) for sentence in sentences]

        return self._chunks(answers, sentences, threads, CHUNK if threads > 1 else 1)

    def _chunks(
        self,
        answer: Callable[[Worker, list[Sentence]], list[T]],
        sentences: Iterable[Sentence],
        threads: int,
        chunk: int,
    ) -> Iterator[T]:
        if threads < 1:
            raise ValueError(f"threads is {threads}; it is at least 1")
        if chunk < 1:
            raise ValueError(f"chunk is {chunk}; it is at least 1")
        chunks = in_chunks(sentences, chunk)
        if threads == 1:
            return (one for some in chunks for one in answer(self._worker(), some))
        return self._together(lambda some: answer(self._worker(), some), chunks, threads)

    def _together(
        self, work: Callable[[list[Sentence]], list[T]], chunks: Iterator[list[Sentence]], threads: int
    ) -> Iterator[T]:
        with ThreadPoolExecutor(threads) as pool:
            waiting = [pool.submit(work, chunk) for chunk in islice(chunks, 2 * threads)]
            while waiting:
                yield from waiting.pop(0).result()
                waiting += [pool.submit(work, chunk) for chunk in islice(chunks, 1)]

    def _worker(self) -> Worker:
        if not hasattr(self._workers, "worker"):
            self._workers.worker = Worker(self.model)
        worker: Worker = self._workers.worker
        return worker

    def __repr__(self) -> str:
        kind = "projective" if self.model.projective else "non-projective"
        return f"Parser(model={self.options.model!r}, {kind}, {len(self.model.labels)} labels)"


def parsed(sentence: Sentence, answer: Parsed) -> Sentence:
    """A copy of a sentence with its parse."""
    return sentence.with_tree(answer.parse.heads[1:].copy(), answer.labels, answer.parse, answer.confidence)


def in_chunks(sentences: Iterable[Sentence], size: int) -> Iterator[list[Sentence]]:
    """Lists of `size` sentences, the last perhaps shorter."""
    rest = iter(sentences)
    while chunk := list(islice(rest, size)):
        yield chunk


def sentences_of(corpus: Corpus) -> Iterable[Sentence]:
    """The sentences of a file, or those given."""
    if isinstance(corpus, (str, os.PathLike)):
        return read(corpus, check="tree")
    return corpus


def fingerprint(sentences: Iterable[Sentence]) -> str:
    """A hash of what training sees of a treebank."""
    digest = hashlib.sha256()
    for sentence in sentences:
        for column in (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.deprels):
            digest.update("\t".join(column).encode() + b"\n")
        digest.update(np.ascontiguousarray(sentence.heads, dtype="<i4").tobytes())
    return digest.hexdigest()

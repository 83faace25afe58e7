"""The tagger as users meet it: train, save, load, tag."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from threading import local

from numpy.typing import ArrayLike

from treewright.corpus import Sentence, read
from treewright.tagger.file import load_model, save_model
from treewright.tagger.model import Model, Tag, Tagged, Worker
from treewright.tagger.options import Options, checked_columns
from treewright.tagger.sequences import checked_adjustment
from treewright.tagger.training import Progress, Report, train

Corpus = str | os.PathLike[str] | Iterable[Sentence]

CHUNK = 64  # sentences that a thread takes at a time


class Tagger:
    """Fills UPOS, XPOS, FEATS and LEMMA.

    >>> corpus = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], lemmas=["dog", "bark"])]
    >>> tagger = Tagger.train(corpus, columns=["upos", "lemma"])
    >>> [tagged] = tagger.tag([Sentence.from_words(["Dogs", "bark"])])
    >>> tagged.upos, tagged.lemmas
    (['NOUN', 'VERB'], ['dog', 'bark'])
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._workers = local()

    @classmethod
    def train(
        cls,
        train_on: Corpus,
        dev: Corpus | None = None,
        *,
        columns: Iterable[str] | None = None,
        seed: int | None = None,
        options: Options | None = None,
        report: Callable[[Report], None] | None = None,
        progress: Progress | None = None,
    ) -> Tagger:
        """Train on a treebank: a CoNLL-U file or sentences. On `dev` epochs are compared and the best kept.

        columns: which to fill, from upos, xpos, feats, lemma (all). options hold everything else; columns and seed,
        where given, replace theirs. report is called after each epoch; progress before each sentence, with the stage,
        the epochs done, and how many sentences of this one are done, of how many.
        """
        chosen = options or Options()
        if columns is not None:
            chosen = replace(chosen, columns=checked_columns(columns))
        if seed is not None:
            chosen = replace(chosen, seed=seed)
        sentences = list(sentences_of(train_on))
        held_out = [] if dev is None else list(sentences_of(dev))
        model = train(sentences, held_out, chosen, report, progress)
        facts = {"sentences": len(sentences), "words": sum(map(len, sentences)), "version": version("treewright")}
        return cls(replace(model, facts=facts))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tagger:
        """Read a model file."""
        return cls(load_model(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file: safetensors with a JSON header."""
        save_model(self.model, path)

    @property
    def columns(self) -> tuple[str, ...]:
        """What it fills."""
        return self.model.options.columns

    @property
    def tags(self) -> tuple[Tag, ...]:
        """Every tag: its values in those of UPOS, XPOS, FEATS that the tagger fills, in that order."""
        return self.model.tags

    def tag(self, sentences: Iterable[Sentence], *, threads: int = 1, confidence: bool = True) -> Iterator[Sentence]:
        """Copies of the sentences with their columns filled, in order; the same for any number of threads.

        Each has `confidence`, the probability of each word's tag, unless it is not wanted.
        """
        if threads < 1:
            raise ValueError(f"threads is {threads}; it is at least 1")
        if threads == 1:  # no sentence waits for the next one
            return (self._worker().tag(sentence, confidence=confidence) for sentence in sentences)
        return self._together(iter(sentences), threads, confidence)

    def _together(self, sentences: Iterator[Sentence], threads: int, confidence: bool) -> Iterator[Sentence]:
        def work(chunk: list[Sentence]) -> list[Sentence]:
            worker = self._worker()
            return [worker.tag(sentence, confidence=confidence) for sentence in chunk]

        chunks = iter(lambda: list(islice(sentences, CHUNK)), [])
        with ThreadPoolExecutor(threads) as pool:
            waiting = [pool.submit(work, chunk) for chunk in islice(chunks, 2 * threads)]
            while waiting:
                yield from waiting.pop(0).result()
                waiting += [pool.submit(work, chunk) for chunk in islice(chunks, 1)]

    def decode(self, sentence: Sentence, adjust: ArrayLike | None = None) -> Tagged:
        """The best tag sequence as numbers of `tags`, its value, and the probability of each tag.

        adjust[i, c] is added to the score of tag c for word i, counted from 0. The tags that a word may have are
        chosen without it, so that a relaxation sees the same problem in every iteration. Of words with one candidate
        the value leaves out their own scores, which no sequence can change.
        """
        worker = self._worker()
        if worker.tags is None:
            raise ValueError("this tagger fills no tags, only lemmas")
        shape = (len(sentence), len(self.tags))
        return worker.tags.tag(sentence.forms, None if adjust is None else checked_adjustment(adjust, shape))

    def _worker(self) -> Worker:
        if not hasattr(self._workers, "worker"):
            self._workers.worker = Worker(self.model)
        worker: Worker = self._workers.worker
        return worker

    def __repr__(self) -> str:
        return f"Tagger({', '.join(self.columns)}; {len(self.tags)} tags, {len(self.model.scripts)} edit scripts)"


def sentences_of(corpus: Corpus) -> Iterable[Sentence]:
    """The sentences of a file, or those given."""
    return read(corpus) if isinstance(corpus, (str, os.PathLike)) else corpus

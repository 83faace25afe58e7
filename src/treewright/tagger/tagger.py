"""The public class of the tagger: train, save, load, tag."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar, Unpack

from numpy.typing import ArrayLike

from treewright import streams
from treewright.caching import Workers
from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentences
from treewright.errors import InputError
from treewright.model.checkpoint import Origin
from treewright.model.component import ArrayForm, Arrays, Component, Corpus, Stored, hash_of, metadata_of, sentences_of
from treewright.model.run import Run, RunOptions
from treewright.tagger import file
from treewright.tagger.full_forms import FullForms, read_lexicon
from treewright.tagger.model import Tag, Tagged, TaggerModel, Worker
from treewright.tagger.options import TaggerOptions, check_columns
from treewright.tagger.sequences import check_adjustment
from treewright.tagger.training import calibrate, retrain_lemmas
from treewright.tagger.training import train as train_model


class Tagger(Component):
    """Fills UPOS, XPOS, FEATS and LEMMA.

    >>> corpus = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], lemmas=["dog", "bark"])]
    >>> tagger = Tagger.train(corpus, columns=["upos", "lemma"])
    >>> [tagged] = tagger.tag([Sentence.from_words(["Dogs", "bark"])])
    >>> tagged.upos, tagged.lemmas
    (['NOUN', 'VERB'], ['dog', 'bark'])
    """

    KIND: ClassVar[str] = "tagger"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

    def __init__(self, model: TaggerModel) -> None:
        self.model = model
        self._workers = Workers(lambda: Worker(model))

    @classmethod
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        columns: Iterable[str] | None = None,
        options: TaggerOptions | None = None,
        lexicon: FullForms | None = None,
        **how: Unpack[RunOptions],
    ) -> Tagger:
        """Train on the treebank train, a CoNLL-U file or sentences. The epoch with the best score on `dev` is kept.

        columns: which to fill, from upos, xpos, feats, lemma (all). options hold everything else; columns replace
        theirs. lexicon: a full-form lexicon, a file or entries (treewright.tagger.full_forms); words that the
        treebank does not have get their lemmas from it, and its lemmas describe unknown words. how: seed, report,
        progress, checkpoint and resume (`RunOptions`).
        """
        run = Run(**how)
        chosen = run.with_seed(options or TaggerOptions())
        if columns is not None:
            chosen = replace(chosen, columns=check_columns(columns))
        sentences, held_out, entries = sentences_of(train), sentences_of(dev), read_lexicon(lexicon)

        def origin() -> Origin:
            return Origin.now(hash_of([fingerprint(sentences), *entries]), fingerprint(held_out), asdict(chosen))

        model = train_model(sentences, held_out, chosen, entries, *run.open(origin))
        return cls(replace(model, metadata=metadata_of(sentences)))

    def retrain_lemmas(
        self, train: Corpus, dev: Corpus | None = None, *, lexicon: FullForms | None = None, **how: Unpack[RunOptions]
    ) -> Tagger:
        """Return a copy whose lemmas are trained anew on train; its tags stay as they are.

        dev and lexicon are those of `Tagger.train`. how: report and progress (`RunOptions`).
        """
        run = Run(**how)
        sentences, held_out, entries = sentences_of(train), sentences_of(dev), read_lexicon(lexicon)

        def origin() -> Origin:
            settings = asdict(self.model.options)
            return Origin.now(hash_of([fingerprint(sentences), *entries]), fingerprint(held_out), settings)

        return Tagger(retrain_lemmas(self.model, sentences, held_out, entries, *run.open(origin)))

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        return file.to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Tagger:
        """Return the inverse of `to_arrays`; messages name the source of the header and the arrays."""
        tagger = cls(file.from_arrays(header, arrays))
        with tagger._workers.borrow():
            pass  # its kernels check the rest of the model
        return tagger

    def calibrate(self, dev: Corpus) -> Tagger:
        """Return a copy whose confidence is calibrated on sentences with gold tags that it was not trained on.

        Training does this with its own `dev`. A tagger that fills only lemmas has no confidence and stays as it is.
        """
        return Tagger(replace(self.model, calibration=calibrate(self.model, sentences_of(dev))))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it fills."""
        return self.model.options.columns

    @property
    def tags(self) -> tuple[Tag, ...]:
        """Every tag: its values in those of UPOS, XPOS, FEATS that the tagger fills, in that order."""
        return self.model.tags

    def tag(
        self, sentences: Iterable[Sentence], *, threads: int = 1, confidence: bool = True, keep: bool = False
    ) -> Iterator[Sentence]:
        """Yield copies of the sentences with their columns filled, in order; the same for any number of threads.

        Each has `tag_confidence`, the probability of each word's tag, unless confidence is False. keep: cells that are
        filled stay as they are, and the other words are tagged given these; only "_" is replaced.

        >>> corpus = [Sentence.from_words(["I", "saw", "saws"], upos=["PRON", "VERB", "NOUN"])] * 2
        >>> tagger = Tagger.train(corpus, columns=["upos"])
        >>> [tagged] = tagger.tag([Sentence.from_words(["I", "saws"], upos=["_", "VERB"])], keep=True)
        >>> tagged.upos
        ['PRON', 'VERB']
        """

        def work(chunk: list[Sentence]) -> list[Sentence]:
            with self._workers.borrow() as worker:
                return worker.tag(chunk, confidence, keep)

        # With one thread no sentence of a stream waits for the next one.
        is_stream = not isinstance(sentences, (list, tuple))
        size = 1 if is_stream and streams.check_threads(threads) == 1 else streams.CHUNK
        return streams.map_items(work, checked_sentences(sentences), threads=threads, chunk=size)

    def fill(self, sentences: Sequence[Sentence], *, confidence: bool = True, keep: bool = False) -> None:
        """Fill the columns of sentences in place; the arguments are those of `tag`."""
        with self._workers.borrow() as worker:
            worker.fill(sentences, confidence, keep)

    def decode(self, sentence: Sentence, adjust: ArrayLike | None = None, *, confidence: bool = True) -> Tagged:
        """Find the best tag sequence of a sentence as numbers of `tags`, its value, and the probability of each tag.

        Scores of the network that read the sentence are added as in `tag`. adjust[i, c] is added to the score of tag c
        for word i, counted from 0. The tags that a word may have are chosen without it, so that a relaxation solves the
        same problem in every iteration. Of words with one candidate the value leaves out their own scores, which no
        sequence can change. Without confidence there are no probabilities, which take longer than the best sequence.
        """
        if not self.tags:
            raise ValueError("this tagger fills no tags, only lemmas")
        shape = (len(sentence), len(self.tags))
        added = None if adjust is None else check_adjustment(adjust, shape)
        with self._workers.borrow() as worker:
            assert worker.tags is not None
            return worker.tags.tag([sentence], added, confidence)

    def upos_probabilities(self, sentence: Sentence, word: int) -> list[tuple[str, float]]:
        """Return the UPOS tags that a word may have with their probabilities, the most probable first.

        The probabilities are given the tags that the sentence has; of an open word ("_"), those of the model. word is
        counted from 1.
        """
        columns = self.model.options.tag_columns
        if not self.tags or "upos" not in columns:
            raise InputError("this tagger fills no UPOS")
        place, sums = columns.index("upos"), Counter[str]()
        with self._workers.borrow() as worker:
            assert worker.tags is not None
            probabilities = worker.tags.probabilities(sentence)[word - 1].tolist()
        for number, probability in enumerate(probabilities):
            sums[self.tags[number][place]] += probability
        return [(tag, min(1.0, probability)) for tag, probability in sums.most_common() if probability > 0]

    def __repr__(self) -> str:
        return f"Tagger({', '.join(self.columns)}; {len(self.tags)} tags, {len(self.model.scripts)} edit scripts)"


def fingerprint(sentences: Iterable[Sentence]) -> str:
    """Return a hash of what training reads of a treebank."""
    return hash_of(
        "\t".join(column).encode() + b"\n"
        for sentence in sentences
        for column in (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
    )

"""The public class of word vectors and word classes: train, import, save, load, look up."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.checks import Count, Positive, check
from treewright.corpus import read
from treewright.errors import InputError
from treewright.model.component import ArrayForm, Arrays, Component, Corpus, Stored, hash_of
from treewright.model.modelfile import package_version
from treewright.model.run import Run, RunOptions
from treewright.words import file
from treewright.words.classes import Classes
from treewright.words.importing import ShareDone, read_classes, read_vectors
from treewright.words.options import WordsOptions, resolve
from treewright.words.training import Training, canonical_forms, check_unicode, origin_of
from treewright.words.units import Units
from treewright.words.vectors import Vectors, key_of


def ignore(*arguments: object) -> None:
    """Do nothing: the callback of a caller that gives none."""


class Words(Component):
    """Word vectors and word classes, each for the words that have one.

    A form is looked up in canonical spelling and lower case; classes that were imported may distinguish capitals.
    """

    KIND: ClassVar[str] = "words"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

    def __init__(
        self, vectors: Vectors | None = None, classes: Classes | None = None, metadata: Mapping[str, Any] | None = None
    ) -> None:
        self._vectors = Vectors() if vectors is None else vectors
        self._classes = Classes() if classes is None else classes
        self.metadata: Mapping[str, Any] = dict(metadata or {})

    @classmethod
    def train(
        cls, train: Corpus, dev: Corpus | None = None, *, options: WordsOptions | None = None, **how: Unpack[RunOptions]
    ) -> Words:
        """Learn classes and vectors from the forms of sentences, which are read once; `dev` is not used.

        `treewright.pipeline.read_input` reads the sentences of raw text. report is called after each sweep and step,
        progress within them, with the step, the sweep, the words done and their number; a checkpoint keeps the results
        of the steps. how: seed, report, progress, checkpoint and resume (`RunOptions`).

        >>> from treewright.pipeline import read_input
        >>> words = Words.train(read_input("letter.txt"), options=WordsOptions(classes=4, size=4))
        >>> words
        Words(4 vectors of 4 numbers; 4 words in 4 classes)
        """
        run = Run(**how)
        check(options, WordsOptions | None, "options")
        chosen = run.with_seed(options or WordsOptions())
        sentences = read(train) if isinstance(train, (str, os.PathLike)) else train
        units = Units.of(canonical_forms(sentences), chosen.min_count)
        if not units.names:
            raise InputError("the training data has no words")
        check_unicode(units)
        chosen = resolve(chosen, len(units.names))
        saved = run.results(lambda: origin_of(units, chosen))
        training = Training(units, chosen, saved, run.report or ignore, run.progress or ignore)
        classes, vectors = training.classes(), training.vectors()
        metadata = {"tokens": int(units.counts[:-1].sum()), "options": asdict(chosen), "version": package_version()}
        return cls(vectors, classes, metadata)

    @classmethod
    def from_vectors(
        cls,
        path: str | os.PathLike[str],
        *,
        max_words: int | None = None,
        note: Callable[[str], None] = ignore,
        progress: ShareDone | None = None,
    ) -> Words:
        """Read the vectors of a file: word2vec (text), GloVe, fastText (.vec).

        path: the file, compressed or not. max_words: read the first ones only. note is called with remarks, such as the
        number of repeated words; progress with the share of the file that has been read.
        """
        check(max_words, Count | None, "max_words")
        vectors = read_vectors(path, note, max_words=max_words, progress=progress)
        return cls(vectors, Classes(), {"vectors": Path(path).name})

    @classmethod
    def from_classes(
        cls,
        path: str | os.PathLike[str],
        *,
        note: Callable[[str], None] = ignore,
        progress: ShareDone | None = None,
    ) -> Words:
        """Read the word classes of a file of Brown clusters: lines of path, word and count, or of word and path.

        path: the file, compressed or not; note and progress are those of `from_vectors`.
        """
        return cls(Vectors(), read_classes(path, note, progress=progress), {"classes": Path(path).name})

    def join(self, other: Words) -> Words:
        """Return these words with the vectors and the classes of others in place of their own, where those have any."""
        vectors = other._vectors if other.size else self._vectors
        classes = other._classes if other.paths else self._classes
        return Words(vectors, classes, {**self.metadata, **other.metadata})

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        return file.to_arrays(self._vectors, self._classes, self.metadata)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Words:
        """Make the words of a header and arrays; messages name their source."""
        return cls(*file.from_arrays(header, arrays))

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words that have a vector, in lower case, most frequent first."""
        return self._vectors.vocabulary

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors, [rows, size]."""
        return self._vectors.numbers

    @property
    def size(self) -> int:
        """The numbers of a vector; 0 if there are no vectors."""
        return int(self._vectors.codes.shape[1])

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """The bit path of the class of each word, most frequent words first."""
        paths = self._classes.paths
        return {word: paths[number] for word, number in self._classes.number_of.items()}

    @property
    def paths(self) -> tuple[str, ...]:
        """The bit paths of all classes."""
        return self._classes.paths

    def row(self, form: str) -> int:
        """Return the row of the vector of a form, looked up in canonical spelling and lower case; -1 if it has none."""
        return self._vectors.rows.get(key_of(form), -1)

    def class_of(self, form: str) -> str:
        """Return the bit path of the class of a form, "" if it has none.

        It is looked up in canonical spelling, then in lower case. Where classes were learned from text, a word that is
        not among them has the class of its shape: digits, a capital or none, and its ending.
        """
        return self._classes.path(form)

    def members(self, form: str, count: int = 20) -> list[str]:
        """Return the most frequent words of the class of a form, at most `count`."""
        check(count, Positive, "count")
        return list(self._classes.members(self.class_of(form))[:count])

    def neighbours(self, form: str, count: int = 10) -> list[tuple[str, float]]:
        """Return the `count` words whose vectors have the largest cosine with that of a form, and the cosines."""
        check(count, Positive, "count")
        row = self.row(form)
        if row < 0:
            return []
        cosines = self._vectors.directions @ self._vectors.directions[row]
        cosines[row] = -np.inf
        best = np.argsort(-cosines, kind="stable")[: min(count, len(cosines) - 1)]
        return [(self.vocabulary[index], float(cosines[index])) for index in best.tolist()]

    def keep(self, rows: int, *, classes: int | None = None) -> Words:
        """Return the part that a model stores: the vectors of the `rows` most frequent words, the classes of as many.

        classes: the number of words whose classes are kept, if it is another.
        """
        kept = self._classes.keep(rows if classes is None else classes)
        return Words(self._vectors.keep(rows), kept, self.metadata)

    def fingerprint(self) -> str:
        """Return a hash of vectors and classes."""
        classes = (f"{word} {path}\n".encode() for word, path in self.classes.items())
        return hash_of([*map(str.encode, self.vocabulary), self.vectors.tobytes(), *classes])

    def __repr__(self) -> str:
        vectors = f"{len(self.vocabulary)} vectors of {self.size} numbers"
        return f"Words({vectors}; {len(self._classes.words)} words in {len(self._classes.paths)} classes)"

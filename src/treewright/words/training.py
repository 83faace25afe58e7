"""Learning word classes and vectors from text, step by step, with checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.corpus.typography import canonical
from treewright.errors import InputError
from treewright.learn import Progress, Report
from treewright.model import checkpoint as checkpoints
from treewright.model import modelfile
from treewright.model.checkpoint import Origin
from treewright.model.component import hash_of
from treewright.words.classes import Classes
from treewright.words.exchange import Exchange, Ints, paths_of
from treewright.words.factorisation import factorised
from treewright.words.options import WordsOptions
from treewright.words.units import Units
from treewright.words.vectors import Vectors

CLASSES, TREE, VECTORS = "word classes", "class tree", "vectors"  # the steps


def forms_of(sentences: Iterable[Sentence]) -> Iterator[Sequence[str]]:
    """The forms of sentences in canonical spelling."""
    return ([canonical(form) for form in sentence.forms] for sentence in sentences)


def check_unicode(units: Units) -> None:
    """Refuse words that cannot be written as UTF-8, before a long training."""
    for name in units.names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"the training data has the word {name!r}, which has half of a surrogate pair") from None


@dataclass
class Checkpoints:
    """The results of a training that was interrupted, and the function that saves new ones."""

    results: dict[str, Any]
    save: Callable[[dict[str, Any]], None] = lambda results: None

    @classmethod
    def at(cls, path: modelfile.Path | None, resume: bool, units: Units, options: WordsOptions) -> Checkpoints:
        """Those of a checkpoint, after a check that it is of the same text and options."""
        if path is None:
            return cls({})
        text = hash_of([units.text.tobytes(), "\n".join(units.names).encode()])
        origin = Origin.now(text, "", asdict(options))
        results = checkpoints.load(path, origin) if checkpoints.can_resume(path, resume) else {}
        return cls(results, checkpoints.throttled(lambda reached: checkpoints.save(path, reached, origin)))

    def add(self, **results: Any) -> None:
        """Save new results beside those that are there."""
        self.results |= results
        self.save(self.results)


@dataclass(frozen=True)
class Training:
    """One training: the text, the options, and the callbacks."""

    units: Units
    options: WordsOptions
    saved: Checkpoints
    report: Callable[[Report], None]
    progress: Progress

    def classes(self) -> Classes:
        """Word classes with bit paths; none if the options ask for none."""
        number = self.options.classes
        if not number:
            return Classes()
        found = self._exchanged(number)
        merges = self.saved.results.get("merges")
        if merges is None:
            self.progress(TREE, 0, 0, 1)
            merges = np.array(found.merges(), np.int32).reshape(-1, 2)
            self.saved.add(merges=merges)
            self.report(Report(TREE, 1, 1))
        pairs: list[tuple[int, int]] = [(int(first), int(second)) for first, second in merges]
        return named(self.units, found.class_of[:-1], paths_of(pairs, number))

    def _exchanged(self, number: int) -> Exchange:
        saved = self.saved.results
        sweep = saved.get("sweep", 0)
        found = Exchange(self.units, number, saved.get("class_of"))
        is_done = saved.get("is_done", False)
        while sweep < self.options.sweeps and not is_done:
            moved = found.sweep(lambda done, of: self.progress(CLASSES, sweep, done, of))  # noqa: B023
            sweep += 1
            is_done = found.is_done(moved)
            self.saved.add(sweep=sweep, class_of=found.class_of, is_done=is_done)
            figures = {"log likelihood a word": found.value_a_word(), "words moved": moved}
            self.report(Report(CLASSES, sweep, self.options.sweeps, figures=figures))
        return found

    def vectors(self) -> Vectors:
        """Vectors of the words, not of shapes; none if the options ask for none."""
        if not self.options.size:
            return Vectors()
        numbers: NDArray[np.float32] | None = self.saved.results.get("vectors")
        if numbers is None:
            self.progress(VECTORS, 0, 0, 1)
            numbers = factorised(self.units, self.options.size, self.options.seed)
            self.saved.add(vectors=numbers)
            self.report(Report(VECTORS, 1, 1))
        rows = np.flatnonzero(~np.array(self.units.is_shape))
        return Vectors.of([self.units.names[row] for row in rows.tolist()], numbers[rows])


def named(units: Units, class_of: Ints, paths: Sequence[str]) -> Classes:
    """The classes of words and shapes."""
    is_shape = np.array(units.is_shape)
    rows = np.flatnonzero(~is_shape)
    shapes = {units.names[row]: int(class_of[row]) for row in np.flatnonzero(is_shape).tolist()}
    classes = Classes(tuple(units.names[row] for row in rows.tolist()), class_of[rows], tuple(paths), shapes)
    return classes.keep(len(rows))  # without empty classes

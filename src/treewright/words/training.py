"""Learning word classes and vectors from text, step by step, with checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.corpus.typography import canonical
from treewright.errors import InputError
from treewright.learn import Progress, Report, StageCost
from treewright.model.checkpoint import Origin, StepResults
from treewright.model.component import hash_of
from treewright.words.classes import Classes
from treewright.words.exchange import Exchange, Ints, paths_of
from treewright.words.factorisation import factorise
from treewright.words.options import WordsOptions
from treewright.words.units import Units
from treewright.words.vectors import Vectors

CLASSES, TREE, VECTORS = "word classes", "class tree", "vectors"  # the stages


def stage_costs(options: WordsOptions) -> list[StageCost]:
    """Return the stages of a training, with their costs on a text of 600,000 words (benchmarks/words.py)."""
    stages = []
    if options.classes != 0:
        stages += [StageCost(CLASSES, options.sweeps, 0.5), StageCost(TREE, 1, 1.0)]
    if options.size != 0:
        stages.append(StageCost(VECTORS, 1, 3.0))
    return stages


def canonical_forms(sentences: Iterable[Sentence]) -> Iterator[Sequence[str]]:
    """Yield the forms of each sentence in canonical spelling."""
    return ([canonical(form) for form in sentence.forms] for sentence in sentences)


def check_unicode(units: Units) -> None:
    """Refuse words that cannot be written as UTF-8, before a long training."""
    for name in units.names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"the training data has the word {name!r}, which has half of a surrogate pair") from None


def origin_of(units: Units, options: WordsOptions) -> Origin:
    """Return what a training depends on."""
    text = hash_of([units.text.tobytes(), "\n".join(units.names).encode()])
    return Origin.now(text, "", asdict(options))


@dataclass(frozen=True)
class Training:
    """One training: the text, the options, and the callbacks."""

    units: Units
    options: WordsOptions
    saved: StepResults
    report: Callable[[Report], None]
    progress: Progress

    def classes(self) -> Classes:
        """Learn word classes with bit paths; none if the options ask for none."""
        number = self.options.classes
        if not number:
            return Classes()
        exchange = self._exchange(number)
        merges = self.saved.done.get("merges")
        if merges is None:
            self.progress(TREE, 0, 0, 1)
            merges = np.array(exchange.merges(), np.int32).reshape(-1, 2)
            self.saved.add(merges=merges)
            self.report(Report(TREE, 1, 1))
        pairs: list[tuple[int, int]] = [(int(first), int(second)) for first, second in merges]
        return name_classes(self.units, exchange.class_of[:-1], paths_of(pairs, number))

    def _exchange(self, number: int) -> Exchange:
        saved = self.saved.done
        sweep = saved.get("sweep", 0)
        exchange = Exchange(self.units, number, saved.get("class_of"))
        is_done = saved.get("is_done", False)
        while sweep < self.options.sweeps and not is_done:
            moved = exchange.sweep(lambda done, of: self.progress(CLASSES, sweep, done, of))  # noqa: B023
            sweep += 1
            is_done = exchange.is_done(moved)
            self.saved.add(sweep=sweep, class_of=exchange.class_of, is_done=is_done)
            figures = {"log likelihood a word": exchange.value_a_word(), "words moved": moved}
            self.report(Report(CLASSES, sweep, self.options.sweeps, figures=figures))
        return exchange

    def vectors(self) -> Vectors:
        """Compute vectors of the words, not of shapes; none if the options ask for none."""
        if not self.options.size:
            return Vectors()
        numbers: NDArray[np.float32] | None = self.saved.done.get("vectors")
        if numbers is None:
            self.progress(VECTORS, 0, 0, 1)
            numbers = factorise(self.units, self.options.size, self.options.seed)
            self.saved.add(vectors=numbers)
            self.report(Report(VECTORS, 1, 1))
        rows = np.flatnonzero(~np.array(self.units.is_shape))
        return Vectors.of([self.units.names[row] for row in rows.tolist()], numbers[rows])


def name_classes(units: Units, class_of: Ints, paths: Sequence[str]) -> Classes:
    """Return the classes of words and shapes by their names."""
    is_shape = np.array(units.is_shape)
    rows = np.flatnonzero(~is_shape)
    shapes = {units.names[row]: int(class_of[row]) for row in np.flatnonzero(is_shape).tolist()}
    classes = Classes(tuple(units.names[row] for row in rows.tolist()), class_of[rows], tuple(paths), shapes)
    return classes.keep(len(rows))  # without empty classes

"""From paths, open files or sentences to columns. Files are read by `treewright.corpus`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any, TypeGuard

from treewright.checks import describe_value
from treewright.corpus import Sentence, read
from treewright.corpus.checks import check_iterable
from treewright.errors import InputError
from treewright.evaluate.columns import Columns, Vocabulary, columns_of

READING_SHARE = 0.6  # of the time of an evaluation is spent on reading; approximate

Source = str | os.PathLike[str] | IO[Any] | Iterable[Sentence]
Progress = Callable[[float], None]  # called with the share of the work that is done


def load(
    sources: Sequence[Source], labels: Sequence[str], *, skip_bad: bool, progress: Progress | None = None
) -> tuple[list[Columns], int]:
    """Return the columns of each source, and how many sentences were left out.

    labels are the names of sources in memory. With skip_bad a sentence that is bad in one source is left out of all,
    by its number; all must then have equally many. progress is called after each source.
    """
    report = progress or (lambda share: None)
    check_standard_input(sources)
    if skip_bad:
        return load_good(sources, labels, report)
    vocabulary = Vocabulary()
    columns = []
    for source, label in zip(sources, labels, strict=True):
        columns.append(load_one(source, label, vocabulary))
        report(READING_SHARE * len(columns) / len(sources))
    return columns, 0


def check_standard_input(sources: Sequence[Source]) -> None:
    """Refuse standard input as more than one source."""
    if sum(isinstance(source, str) and source == "-" for source in sources) > 1:
        raise InputError("standard input (-) is given twice; it can be read once")


def load_one(source: Source, label: str, vocabulary: Vocabulary) -> Columns:
    if is_file(source):
        reader = read(source)
        return columns_of(reader, reader.name, vocabulary)
    return columns_of(checked_sentences(source, label), label, vocabulary, in_memory=True)


def load_good(sources: Sequence[Source], labels: Sequence[str], report: Progress) -> tuple[list[Columns], int]:
    names, good, totals = [], [], []
    for source, label in zip(sources, labels, strict=True):
        reader = read(source, on_error="skip") if is_file(source) else None
        sentences, total = good_sentences(checked_sentences(source, label) if reader is None else reader)
        names.append(label if reader is None else reader.name)
        good.append(sentences)
        totals.append(total)
        report(READING_SHARE * len(totals) / len(sources))
    if len(set(totals)) > 1:
        counts = ", ".join(f"{name} has {total}" for name, total in zip(names, totals, strict=True))
        raise InputError(
            f"cannot tell which sentences are the same: {counts}; to leave out bad sentences, "
            "all files must have equally many, the bad ones counted"
        )
    numbers = sorted(set.intersection(*map(set, good)))
    vocabulary = Vocabulary()
    columns = [
        columns_of((sentences[number] for number in numbers), name, vocabulary, in_memory=not is_file(source))
        for sentences, name, source in zip(good, names, sources, strict=True)
    ]
    return columns, totals[0] - len(numbers)


def good_sentences(sentences: Iterable[Sentence]) -> tuple[dict[int, Sentence], int]:
    """Return the sentences that can be evaluated, by their number, and the number of all."""
    good = {}
    total = 0
    for seen, sentence in enumerate(sentences, 1):
        total = seen + getattr(sentences, "skipped", 0)  # a reader counts the sentences that it leaves out
        if is_good(sentence):
            good[total] = sentence
    return good, max(total, len(good) + getattr(sentences, "skipped", 0))


def is_good(sentence: Sentence) -> bool:
    try:
        sentence.check("tree")
        sentence.check("graph")
    except InputError:
        return False
    return True


def is_file(source: object) -> TypeGuard[str | os.PathLike[str] | IO[Any]]:
    """Whether it is a path or an open file, not items in memory."""
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "readline")


def checked_sentences(source: Any, name: str) -> list[Sentence]:
    """Return the sentences of an argument of that name."""
    check_iterable(source, "a path, an open file, or sentences", name)
    sentences = list(source)
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, Sentence):
            raise TypeError(f"{name}[{number}] is {describe_value(sentence)}; expected a Sentence")
    return sentences

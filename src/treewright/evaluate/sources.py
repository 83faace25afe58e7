"""From what users give (files, open files, sentences) to columns."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from typing import IO, Any, cast

from treewright.corpus import CONLLU, Sentence, open_input, read
from treewright.corpus.files import extension_of, name_of
from treewright.errors import InputError
from treewright.evaluate.columns import Columns, by_sentence, from_conllu, from_sentences

Source = str | os.PathLike[str] | IO[Any] | Iterable[Sentence]


class NamedBytes(io.BytesIO):
    """A file's bytes that know the file's name."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def load(sources: Sequence[Source], labels: Sequence[str], *, skip_bad: bool) -> tuple[list[Columns], int]:
    """The columns of each source, and how many sentences were left out.

    labels name what comes from memory. With skip_bad a sentence that one source has wrong is left out of all, by its
    number; they must then have equally many.
    """
    if sum(isinstance(source, str) and source == "-" for source in sources) > 1:
        raise InputError("standard input (-) is given twice; it can be read once")
    if skip_bad:
        return load_good(sources, labels)
    return [load_one(source, label) for source, label in zip(sources, labels, strict=True)], 0


def load_one(source: Source, label: str) -> Columns:
    file = as_file(source)
    if file is None:
        return from_memory(as_sentences(source), label)
    columns = from_conllu(file.getvalue(), file.name) if is_conllu(file) else None
    return from_sentences(read(file), file.name, in_memory=False) if columns is None else columns


def from_memory(sentences: list[Sentence], label: str) -> Columns:
    """Most sentences know their text; then it is read again, which is faster than asking for every cell."""
    if all(sentence.layout == CONLLU for sentence in sentences):
        text = "".join(f"{sentence}\n" for sentence in sentences)
        columns = from_conllu(text.encode(), label)
        if columns is not None:
            return by_sentence(columns)
    return from_sentences(sentences, label, in_memory=True)


def load_good(sources: Sequence[Source], labels: Sequence[str]) -> tuple[list[Columns], int]:
    files = [as_file(source) for source in sources]
    good = []
    totals = []
    for source, file in zip(sources, files, strict=True):
        found, total = good_sentences(as_sentences(source) if file is None else read(file, on_error="skip"))
        good.append(found)
        totals.append(total)
    names = [file.name if file else label for file, label in zip(files, labels, strict=True)]
    if len(set(totals)) > 1:
        counts = ", ".join(f"{name} has {total}" for name, total in zip(names, totals, strict=True))
        raise InputError(
            f"cannot tell which sentences are the same: {counts}; to leave out bad sentences, "
            "all files must have equally many, the bad ones counted"
        )
    numbers = sorted(set.intersection(*map(set, good)))
    columns = [
        from_sentences((found[number] for number in numbers), name, in_memory=file is None)
        for found, name, file in zip(good, names, files, strict=True)
    ]
    return columns, totals[0] - len(numbers)


def good_sentences(sentences: Iterable[Sentence]) -> tuple[dict[int, Sentence], int]:
    """The sentences that can be evaluated, by their number, and the number of all."""
    good = {}
    total = 0
    for seen, sentence in enumerate(sentences, 1):
        total = seen + getattr(sentences, "skipped", 0)  # a reader passes over what it cannot read
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


def as_file(source: Source) -> NamedBytes | None:
    """All bytes of a file, unpacked; None for sentences."""
    if isinstance(source, (str, os.PathLike)):
        file = open_input(source)
        try:
            return NamedBytes(file.read(), name_of(source))
        finally:
            if source != "-":
                file.close()
    if hasattr(source, "readline"):
        opened = cast(IO[Any], source)
        data = opened.read()
        return NamedBytes(data.encode() if isinstance(data, str) else data, name_of(opened))
    return None


def as_sentences(source: Any) -> list[Sentence]:
    return [as_sentence(sentence, number) for number, sentence in enumerate(source)]


def as_sentence(sentence: Any, number: int) -> Sentence:
    if not isinstance(sentence, Sentence):
        raise InputError(f"item {number} is {type(sentence).__name__}; expected a treewright Sentence, or a path")
    return sentence


def is_conllu(file: NamedBytes) -> bool:
    """Is it for the fast reader to try? CoNLL-X is told by its extension, CoNLL-U Plus by its first line."""
    declared = file.getvalue().startswith(b"# global.columns")
    return not declared and extension_of(file.name) not in (".conll", ".conllx", ".conll06", ".conll07")

"""What is evaluated: paths, open files or sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import IO, Any, TypeGuard

from treewright.checks import describe_value
from treewright.corpus import Sentence
from treewright.corpus.checks import check_iterable
from treewright.errors import InputError

Source = str | os.PathLike[str] | IO[Any] | Iterable[Sentence]
Progress = Callable[[float], None]  # called with the share of the work that is done


def is_good(sentence: Sentence) -> bool:
    """Return whether a sentence can be evaluated."""
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

"""The words of a sentence as leaves of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from treewright.corpus import bracket_word
from treewright.corpus.brackets import UNWRITABLE
from treewright.errors import InputError


def check_words(words: Sequence[str]) -> None:
    """Refuse a sentence without words, and words that are none."""
    if isinstance(words, str):
        raise InputError(f"words is the text {words[:30]!r}; expected a list of words, as in {words.split()[:3]!r}")
    if not len(words):
        raise InputError("the sentence has no words")
    for place, word in enumerate(words):
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"words[{place}] is {word!r}; expected a word")


def penn_quotes(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """The words, with straight quotation marks as Penn treebanks write them if the tags are of such a treebank.

    >>> penn_quotes(['"', "Yes", '"'], ["NN", "``", "''"])
    ['``', 'Yes', "''"]
    """
    marks = cycle(["``", "''"])
    return [next(marks) if word == '"' and "``" in tags and "''" in tags else word for word in words]


def leaf_of(word: str) -> str:
    """A word as a leaf: as it is if it can be written in brackets.

    >>> leaf_of("["), leaf_of("(")
    ('[', '-LRB-')
    """
    return bracket_word(word) if UNWRITABLE.search(word) else word

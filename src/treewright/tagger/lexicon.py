"""Which labels a word may have: those it was seen with, or those of rare words that end alike.

A label is a number: a tag, or the edit script of a lemma. A word is listed under its key with the labels it was seen
with, most frequent first. Endings are those of rare words only, by group (capitalised or not, the tag of a lemma), so
that closed classes are not proposed for words never seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Labels = tuple[int, ...]

LONGEST = 6  # characters of an ending
RARE = 6  # occurrences up to which a word's endings say something about words never seen
MOST = 40  # labels of an ending that are kept


class Seen(NamedTuple):
    """The labels of a word, and how often it occurred."""

    labels: Labels
    times: int


class Observation(NamedTuple):
    """A word of the training data: under which key it is listed, in which group its endings are, its label."""

    key: str
    group: str
    form: str
    label: int


@dataclass(frozen=True)
class Lexicon:
    """Words and endings with their labels.

    >>> words = [Observation(form, "", form, label) for form, label in [("dogs", 1), ("cats", 1), ("run", 0)]]
    >>> lexicon = Lexicon.of(words)
    >>> lexicon.words["dogs"], lexicon.guess("", "bats", enough=1, most=5), lexicon.guess("?", "bats", 1, 5)
    (Seen(labels=(1,), times=1), (1,), (1, 0))
    """

    words: Mapping[str, Seen]
    endings: Mapping[str, Labels]

    @classmethod
    def of(cls, observations: Iterable[Observation]) -> Lexicon:
        """Count the words of a treebank."""
        counts: dict[str, Counter[int]] = {}
        shapes: dict[str, tuple[str, str]] = {}
        for key, group, form, label in observations:
            counts.setdefault(key, Counter())[label] += 1
            shapes[key] = group, form
        endings: dict[str, Counter[int]] = {}
        for key, seen in counts.items():
            if seen.total() <= RARE:
                group, form = shapes[key]
                for ending in endings_of(group, form):
                    endings.setdefault(ending, Counter()).update(seen.keys())
        if "" not in endings:  # no word is rare: then the labels of all
            endings[""] = Counter(label for seen in counts.values() for label in seen)
        words = {key: Seen(by_count(seen), seen.total()) for key, seen in counts.items()}
        useful = {
            ending: by_count(seen)[:MOST]
            for ending, seen in endings.items()
            if seen.total() > 1 or len(ending.partition("\t")[2]) <= 2
        }
        return cls(words, useful)

    def guess(self, group: str, form: str, enough: int, most: int) -> Labels:
        """Labels for a word that is not listed: of the longest ending, then of shorter ones, until there are enough."""
        found: dict[int, None] = {}
        for ending in endings_of(group, form):
            found.update(dict.fromkeys(self.endings.get(ending, ())))
            if len(found) >= enough:
                break
        return tuple(found)[:most]

    def ending(self, group: str, form: str) -> str:
        """The longest ending of a word that others have too."""
        return next((ending for ending in endings_of(group, form) if ending in self.endings), "")

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """As arrays for a model file, their names beginning with `name`."""
        return {
            **_listed(f"{name}.words", {key: seen.labels for key, seen in self.words.items()}),
            f"{name}.counts": np.array([seen.times for seen in self.words.values()], dtype=np.int32),
            **_listed(f"{name}.endings", self.endings),
        }

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
        """From what `to_arrays` gave."""
        words = _unlisted(f"{name}.words", arrays)
        counts = arrays[f"{name}.counts"].tolist()
        seen = {key: Seen(labels, count) for (key, labels), count in zip(words.items(), counts, strict=True)}
        return cls(seen, _unlisted(f"{name}.endings", arrays))


def array_names(name: str) -> list[str]:
    """The names of the arrays of `to_arrays`."""
    lists = [f"{name}.{which}.{part}" for which in ("words", "endings") for part in ("keys", "begin", "labels")]
    return [*lists, f"{name}.counts"]


def endings_of(group: str, form: str) -> Iterable[str]:
    """The keys of a word's endings, the longest first; at last those of its group and of all words."""
    for length in range(min(len(form), LONGEST), -1, -1):
        yield f"{group}\t{form[len(form) - length :]}"
    yield ""


def by_count(seen: Counter[int]) -> Labels:
    """The most frequent first, ties by number."""
    return tuple(sorted(seen, key=lambda label: (-seen[label], label)))


def _listed(name: str, lists: Mapping[str, Sequence[int]]) -> dict[str, NDArray[Any]]:
    lengths = [len(labels) for labels in lists.values()]
    return {
        f"{name}.keys": np.frombuffer("\n".join(lists).encode("utf-8", "surrogatepass"), dtype=np.uint8),
        f"{name}.begin": np.cumsum([0, *lengths], dtype=np.int32),
        f"{name}.labels": np.array([label for labels in lists.values() for label in labels], dtype=np.int32),
    }


def _unlisted(name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Labels]:
    keys = arrays[f"{name}.keys"].tobytes().decode("utf-8", "surrogatepass").split("\n")
    begin, labels = arrays[f"{name}.begin"].tolist(), arrays[f"{name}.labels"].tolist()
    spans = list(pairwise(begin))  # none at all where nothing is listed; no text has one empty line
    return {key: tuple(labels[i:j]) for key, (i, j) in zip(keys if spans else [], spans, strict=True)}

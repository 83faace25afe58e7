"""The words of a grammar: those that it was trained on often enough, and classes by spelling for all others.

The classes ("signatures") are those of the Berkeley parser for English: capitals, digits, hyphens and some suffixes.
For other languages the classes without English suffixes still apply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from treewright.corpus import bracket_word
from treewright.corpus.brackets import UNWRITABLE
from treewright.errors import InputError

SUFFIXES = ("ed", "ing", "ion", "er", "est", "ly", "ity", "y", "al")  # the first that fits; as published
MIN_SUFFIXED = 5  # characters of a word with such a suffix; as published
MIN_PLURAL = 3  # characters of a word with the suffix s; as published


def signature(word: str, *, is_first: bool = False, is_known_in_lower_case: bool = False) -> str:
    """Return the class of an unknown word. The first word of a sentence (is_first) may have its capital from there;
    is_known_in_lower_case says that the grammar has it in lower case.

    >>> signature("Kinases"), signature("re-tested"), signature("p53"), signature("Boldly", is_first=True)
    ('UNK-CAPS-s', 'UNK-LC-DASH', 'UNK-LC-NUM', 'UNK-INITC-ly')
    """
    pieces = ["UNK", case_of(word, is_first, is_known_in_lower_case)]
    pieces += ["NUM"] if any(map(str.isdigit, word)) else []
    pieces += ["DASH"] if "-" in word else []
    pieces.append(suffix_of(word))
    return "-".join(piece for piece in pieces if piece)


def case_of(word: str, is_first: bool, is_known_in_lower_case: bool) -> str:
    """Return the part of a signature about capitals; empty for a word without letters."""
    capitals = sum(map(str.isupper, word))
    if word[:1].isupper():
        if is_first and capitals == 1:
            return "INITC-KNOWNLC" if is_known_in_lower_case else "INITC"
        return "CAPS"
    if capitals and not word[:1].isalpha():
        return "CAPS"
    return "LC" if any(map(str.islower, word)) else ""


def suffix_of(word: str) -> str:
    """Return the part of a signature about the end of the word; empty if no suffix of the list fits."""
    lower = word.lower()
    if lower.endswith("s") and len(lower) >= MIN_PLURAL and lower[-2] not in "siu":
        return "s"
    has_digit, has_capital = any(map(str.isdigit, word)), any(map(str.isupper, word))
    if len(lower) < MIN_SUFFIXED or "-" in lower or (has_digit and has_capital):
        return ""
    return next((suffix for suffix in SUFFIXES if lower.endswith(suffix)), "")


@dataclass(frozen=True)
class Vocabulary:
    """Words with their numbers of occurrences; those seen less than min_count times are known by their class only.

    >>> words = Vocabulary.of([["The", "dog", "barked"], ["The", "dog", "ran"]], min_count=2)
    >>> words.names(["The", "dog", "walked"])
    ['The', 'dog', 'UNK-LC-ed']
    """

    counts: Mapping[str, float]  # weighted, if the sentences have weights
    min_count: int

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], min_count: int) -> Vocabulary:
        """Count the words of sentences; those below min_count are left out."""
        counts = Counter(word for words in sentences for word in words)
        return cls({word: count for word, count in sorted(counts.items()) if count >= min_count}, min_count)

    def is_known(self, word: str) -> bool:
        """Return whether a word occurs often enough."""
        return self.counts.get(word, 0) >= self.min_count

    def name(self, word: str, is_first: bool) -> str:
        """Return the word if it is known, otherwise its class; is_first says that it begins a sentence."""
        return word if self.is_known(word) else self.class_of(word, is_first)

    def class_of(self, word: str, is_first: bool) -> str:
        """Return the class of a word, known or not; is_first says that it begins a sentence."""
        return signature(word, is_first=is_first, is_known_in_lower_case=self.is_known(word.lower()))

    def names(self, words: Sequence[str]) -> list[str]:
        """Return the words of a sentence, unknown ones as their classes."""
        return [self.name(word, place == 0) for place, word in enumerate(words)]


def check_words(words: Sequence[str]) -> None:
    """Refuse a sentence without words, and words that are none."""
    if isinstance(words, str):
        raise InputError(f"words is the text {words[:30]!r}; expected a list of words, as in {words.split()[:3]!r}")
    if not len(words):
        raise InputError("the sentence has no words")
    for place, word in enumerate(words):
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"words[{place}] is {word!r}; expected a word")


def penn_quotes(words: Sequence[str]) -> list[str]:
    """Write straight quotation marks as most Penn treebanks do.

    >>> penn_quotes(['"', "Yes", '"'])
    ['``', 'Yes', "''"]
    """
    marks = cycle(["``", "''"])
    return [next(marks) if word == '"' else word for word in words]


def leaf_of(word: str) -> str:
    """Return a word as a leaf of a tree: as it is if it can be written in brackets.

    >>> leaf_of("["), leaf_of("(")
    ('[', '-LRB-')
    """
    return bracket_word(word) if UNWRITABLE.search(word) else word

"""Corrections of what the models decide, where they cannot know better; `Corrections` has their order and reasons.

A correction changes the labels of the characters of a canonical text. Most come from tables of what treebanks have too
few examples of: UD English-EWT 2.16 has `Mrs.` once. Training drops the entries that its treebank disagrees with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tokeniser.characters import MARK, SPACE, classes_of, codes_of
from treewright.tokeniser.patterns import PATTERNS, Patterns
from treewright.tokeniser.text import INSIDE, ITEM, PARAGRAPH, SENTENCE, TOKEN, Labels

# Abbreviations, without their last full stop, that end no sentence before any token: a name or an example follows.
BEFORE_TOKEN = (
    *("Mr", "Mrs", "Ms", "Mx", "Messrs", "Dr", "Prof", "Rev", "Gov", "Sen", "Pres", "Capt", "Cpt"),
    *("Cmdr", "Col", "Gen", "Lt", "Maj", "Sgt", "Adm", "e.g", "i.e", "cf", "viz", "vs", "approx", "incl", "esp"),
)
BEFORE_NAME = ("v",)  # Roe v. Wade
# Those that end no sentence before a number.
BEFORE_NUMBER = ("No", "Nos", "p", "pp", "Fig", "Figs", "Sec", "Vol", "Ch", "Eq")
# Those that end no sentence before a word in lower case or a bracket, but one before a word that has its capital only
# at the start of sentences (Kiss and Strunk 2006).
BEFORE_LOWER = (
    *("a.m", "p.m", "Dept", "Ave", "Blvd", "Rd", "Inc", "Corp", "Co", "Ltd", "Bros", "Jr", "Sr", "Ph.D", "M.D", "etc"),
    *("al", "max", "min", "Jan", "Feb", "Aug", "Sept", "Oct", "Nov", "Dec"),
)
ABBREVIATIONS = (*BEFORE_TOKEN, *BEFORE_NAME, *BEFORE_NUMBER, *BEFORE_LOWER)
WORDS = ("max", "min")  # abbreviations that are words without a full stop, where a paragraph ends
# How often the training text must agree with an entry; not tuned.
MIN_PATTERN_SHARE = 0.9  # of the matches of a pattern that are tokens
MIN_ABBREVIATION_SHARE = 0.5  # of the occurrences of an abbreviation that are tokens inside sentences
MIN_SIGN_COUNT = 20  # occurrences of a sign
MAX_ONE_SIDED_SHARE = 0.01  # of the occurrences of a sign that are cut off on one side only

_FOLLOWING = {
    **dict.fromkeys(BEFORE_TOKEN, r"\.(?= \S)"),
    **dict.fromkeys(BEFORE_NAME, r"\.(?= (?-i:[A-Z]))"),
    **dict.fromkeys(BEFORE_NUMBER, r"\.(?= \d)"),
    **dict.fromkeys(BEFORE_LOWER, r"\.(?= (?-i:[a-z(]|Ltd\b|Inc\b))"),
}
_STOP = re.compile(r"\.(?=[ \n])")
_INITIAL = re.compile(r"(?<![\w.])[A-Z]\.(?= [A-Z]\. ?[A-Z])|(?<= [A-Z]\. )[A-Z]\.(?= [A-Z][a-z])")  # J. K. Rowling
_JOINED = re.compile(r"(?<=[a-z])[!?]+(?=[A-Z][a-z'])")  # It was great!We loved it.
# Words in lower case and no full stop follow in the line: a headline, neither a greeting nor the end of a letter.
_COMMA = re.compile(r",(?= [^\n.!?]*\b[a-z]+\b[^\n.!?]*\n)")
_FIRST_WORD = re.compile(r"^[A-Z]{2,}(?= \w)", re.MULTILINE)  # FYI we won
_SIGN = re.compile(r"(?<=[^\W_])[^\w\s](?=[^\W_])")
_QUOTATION = re.compile(r'"(\w)[^"\n]*[.!?]"(?= (\w))')


@dataclass(frozen=True)
class Corrections:
    """The corrections of a model: the order in which they apply, and why.

    | when | correction | reason |
    |---|---|---|
    | tokens are found | signs | the character model decides about each side of a sign alone |
    | | patterns | addresses, emoji, names of files are one token, whatever characters they have |
    | | abbreviations | the full stop belongs to the token |
    | | joined sentences | no blank after the mark: It was great!We loved it. |
    | sentences are found | abbreviations | a name or an example follows in the same sentence |
    | | initials | a name follows |
    | | headlines | a comma before words in lower case, or FYI at the start, ends no sentence |
    | | quotations | a sentence goes on after them: "Why?" he asked. |
    | | items of lists | each is a sentence, and its mark is none |
    """

    patterns: Patterns
    abbreviations: Abbreviations
    signs: Signs

    @classmethod
    def of(cls, text: str, labels: Labels) -> Corrections:
        """Choose the entries that a treebank agrees with, and those that it has no example of."""
        return cls(
            Patterns(agreeing_patterns(text, labels)),
            Abbreviations(agreeing_abbreviations(text, labels)),
            Signs(agreeing_signs(text, labels)),
        )

    def correct_tokens(self, text: str, labels: Labels, confidence: NDArray[np.float64]) -> None:
        """Correct where tokens end; confidence: the probability of each label."""
        self.signs.apply(text, labels, confidence)
        apply_patterns(text, labels, self.patterns)
        self.abbreviations.apply(text, labels)
        for match in _JOINED.finditer(text):
            labels[match.start() - 1] = labels[match.end() - 1] = TOKEN

    def correct_sentences(self, text: str, labels: Labels, is_lower: Callable[[str], bool]) -> None:
        """Correct which tokens end sentences; is_lower: whether a word has a capital only where sentences begin."""
        self.abbreviations.end_sentences(text, labels, is_lower)
        self.abbreviations.apply(text, labels)
        for match in _JOINED.finditer(text):
            labels[match.end() - 1] = SENTENCE
        for pattern in (_INITIAL, _COMMA, _FIRST_WORD):
            last = [match.end() - 1 for match in pattern.finditer(text)]
            labels[last] = np.minimum(labels[last], TOKEN)
        continue_after_quotations(text, labels)
        separate_items(text, labels)


class Signs:
    """Signs between two letters or digits (infixes) that are cut off on both sides or on neither.

    English-EWT cuts `Coca-Cola` into three tokens and leaves `e-mail` whole; it has no token that ends or begins with
    such a hyphen.

    >>> labels = np.array([1, 0, 2], dtype=np.int32)
    >>> Signs("-").apply("a-b", labels, np.array([0.6, 0.9, 1.0]))
    >>> labels.tolist()
    [0, 0, 2]
    """

    def __init__(self, signs: Iterable[str]) -> None:
        self.names = tuple(signs)
        if wrong := [name for name in self.names if len(name) != 1 or name.isalnum() or name.isspace()]:
            raise ValueError(f"{wrong[0]!r} is no sign")

    def apply(self, text: str, labels: Labels, confidence: NDArray[np.float64]) -> None:
        """Let the surer decision count for both sides of a sign, where only one side is cut off."""
        for match in _SIGN.finditer(text):
            if match[0] not in self.names:
                continue
            sides = slice(match.start() - 1, match.start() + 1)
            left, right = labels[sides] != INSIDE
            if left != right:
                is_cut = (left, right)[int(confidence[sides].argmax())]
                labels[sides] = np.maximum(labels[sides], TOKEN) if is_cut else INSIDE


def agreeing_signs(text: str, labels: Labels) -> tuple[str, ...]:
    """Return the signs that a treebank cuts off on both sides or on neither.

    >>> text = "Coca-Cola e-mail 3/4 " * 20
    >>> "".join(agreeing_signs(text, np.array([character in "a/-3 " for character in text], dtype=np.int32)))
    '/'
    """
    counts, one_sided = Counter[str](), Counter[str]()
    for match in _SIGN.finditer(text):
        left, right = labels[match.start() - 1 : match.start() + 1] != INSIDE
        counts[match[0]] += 1
        one_sided[match[0]] += bool(left != right)
    frequent = sorted(sign for sign, count in counts.items() if count >= MIN_SIGN_COUNT)
    return tuple(sign for sign in frequent if one_sided[sign] <= MAX_ONE_SIDED_SHARE * counts[sign])


class Abbreviations:
    """Abbreviations, without their last full stop; each is one token, and a sentence does not end after it.

    >>> list(Abbreviations(["Mrs", "vs"]).spans("Ask Mrs. Hall vs. Mr. Hall"))
    [(4, 8), (14, 17)]
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        parts = (
            (f"(?-i:{name})" if len(name) == 1 else re.escape(name)) + _FOLLOWING.get(name, _FOLLOWING["Mr"])
            for name in self.names
        )
        self._matcher = re.compile(rf"(?<![\w.])(?:{'|'.join(parts) or '(?!)'})", re.IGNORECASE)
        self._by_ending: dict[str, set[int]] = {}  # the last two letters of names, or " " and one -> lengths
        for name in self.names:
            self._by_ending.setdefault(f" {name.lower()}"[-2:], set()).add(len(name))
        ending = [re.escape(name) for name in self.names if name in BEFORE_LOWER]
        self._ending = re.compile(rf"(?<![\w.])(?i:{'|'.join(ending) or '(?!)'})\.(?= ([A-Z][a-z]*)\b)")
        last = (name for name in ending if name not in WORDS)
        self._last = re.compile(rf"(?<![\w.])(?i:{'|'.join(last) or '(?!)'})\.(?=\n\n)")

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Find the abbreviations that another token follows in the same line."""
        return (match.span() for match in self._find(self._matcher, text, self._endings(text)))

    def _endings(self, text: str) -> list[tuple[int, set[int]]]:
        """Find the full stops that names may end with, and the lengths of these names."""
        endings = []
        for stop in _STOP.finditer(text):
            end = stop.start()
            ending = text[max(0, end - 2) : end].lower().rjust(2)[:2]
            if not ending[0].isalnum() and ending[0] != ".":
                ending = f" {ending[1]}"
            if ending in self._by_ending:
                endings.append((end, self._by_ending[ending]))
        return endings

    def _find(
        self, matcher: re.Pattern[str], text: str, endings: Iterable[tuple[int, set[int]]]
    ) -> Iterator[re.Match[str]]:
        """Match names at full stops; a search of the whole text for the names takes ten times as long."""
        for end, lengths in endings:
            for length in lengths:
                match = matcher.match(text, end - length) if length <= end else None
                if match and match.end() == end + 1:
                    yield match
                    break

    def apply(self, text: str, labels: Labels) -> None:
        """Make each abbreviation one token that ends no sentence."""
        endings = self._endings(text)
        for match in self._find(self._matcher, text, endings):
            begin, end = match.span()
            labels[begin : end - 1], labels[end - 1] = INSIDE, TOKEN
        for match in self._find(self._last, text, endings):  # at 5 p.m.
            labels[match.start() : match.end() - 1] = INSIDE

    def end_sentences(self, text: str, labels: Labels, is_lower: Callable[[str], bool]) -> None:
        """End a sentence before a word that has a capital, but no capital inside sentences."""
        for match in self._find(self._ending, text, self._endings(text)):
            if is_lower(match[1].lower()):
                labels[match.end() - 1] = SENTENCE


def agreeing_abbreviations(text: str, labels: Labels) -> tuple[str, ...]:
    """Return the abbreviations that are tokens inside sentences of a treebank, and those that it has no example of.

    >>> labels = np.array([0, 0, 1, 0, 1], dtype=np.int32)
    >>> "Dr" in agreeing_abbreviations("Dr. X", labels), "Dr" in agreeing_abbreviations("Dr. X", 2 * labels)
    (True, False)
    """
    agreed: dict[str, list[bool]] = {name.lower(): [] for name in ABBREVIATIONS}
    for begin, end in Abbreviations(ABBREVIATIONS).spans(text):
        is_token = labels[end - 1] == TOKEN and not labels[begin : end - 1].any()
        agreed[text[begin : end - 1].lower()].append(bool(is_token))
    return tuple(name for name in ABBREVIATIONS if has_share(agreed[name.lower()], MIN_ABBREVIATION_SHARE))


def apply_patterns(text: str, labels: Labels, patterns: Patterns) -> None:
    """Make each match one token; a sentence may end at its end."""
    for _, begin, end in patterns.matches(text):
        labels[begin : end - 1], labels[end - 1] = INSIDE, max(labels[end - 1], TOKEN)
        if begin and not text[begin - 1].isspace():
            labels[begin - 1] = max(labels[begin - 1], TOKEN)


def agreeing_patterns(text: str, labels: Labels) -> tuple[str, ...]:
    """Return the patterns whose matches are tokens of a treebank, and those that it has no example of.

    >>> text = "to @ann and #x at 10:30"
    >>> labels = np.isin(np.arange(len(text)), [1, 3, 6, 10, 13, 16, 22]).astype(np.int32)
    >>> sorted(set(PATTERNS) - set(agreeing_patterns(text, labels)))
    ['account']
    """
    agreed: dict[str, list[bool]] = {name: [] for name in PATTERNS}
    for name, begin, end in Patterns(PATTERNS).matches(text):
        has_begin = begin == 0 or text[begin - 1].isspace() or labels[begin - 1] != INSIDE
        is_token = has_begin and labels[end - 1] != INSIDE and not labels[begin : end - 1].any()
        agreed[name].append(bool(is_token))
    return tuple(name for name in PATTERNS if has_share(agreed[name], MIN_PATTERN_SHARE))


def has_share(agreed: list[bool], share: float) -> bool:
    """Whether at least this share is true, or there is nothing to count."""
    return sum(agreed) >= share * len(agreed)


def continue_after_quotations(text: str, labels: Labels) -> None:
    """Remove the sentence end after a quotation that a word in lower case follows: "Why?" he asked.

    A quotation that begins in lower case says nothing: the text may have no capitals.
    """
    for match in _QUOTATION.finditer(text):
        if match[1].isupper() and match[2].islower():
            last = match.end() - 1
            labels[last] = min(labels[last], TOKEN)


def separate_items(text: str, labels: Labels) -> None:
    """End a sentence before each item of a list, and none in or after its mark."""
    for match in ITEM.finditer(text):
        begin, end = match.span()
        if begin > 1 and not text[begin - 2].isspace():  # the last character of the line before
            labels[begin - 2] = SENTENCE
        labels[begin : end - 1] = np.minimum(labels[begin : end - 1], TOKEN)
        labels[end - 1] = TOKEN


def close(text: str, labels: Labels, *, keeps_blanks: bool = False) -> None:
    """End a token before white space and a sentence before a blank line; keep combining marks with their letters.

    keeps_blanks: a token may have blanks inside, but no other white space.
    """
    classes = classes_of(text)
    is_limit = codes_of(text) == ord("\n") if keeps_blanks else classes == SPACE
    before_space = np.append(is_limit[1:], True)[: len(text)]
    labels[before_space & (labels == INSIDE)] = TOKEN
    labels[[match.start() - 1 for match in re.finditer(PARAGRAPH, text)]] = SENTENCE
    labels[classes == SPACE] = INSIDE
    for place in np.flatnonzero(classes == MARK).tolist():
        if place and classes[place - 1] != SPACE:
            labels[place - 1 : place + 1] = INSIDE, max(labels[place - 1 : place + 1])

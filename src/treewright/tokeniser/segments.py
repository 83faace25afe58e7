"""From the labels of characters to sentences, and from sentences back to their text.

The place of each token in the text is written as TokenRange=begin:end into MISC, the white space around it as
SpaceAfter=No, SpacesBefore and SpacesAfter, the conventions of UDPipe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.calls import explained
from treewright.corpus import Sentence, Token
from treewright.corpus.typography import INVISIBLE, canonical
from treewright.tokeniser.characters import SPACE, classes_of, codes_of
from treewright.tokeniser.cutting import cuts
from treewright.tokeniser.multiwords import Multiwords
from treewright.tokeniser.rules import SENTENCE

MAX_TOKENS = 500  # of a sentence of running text, by convention: longer ones are lists or tables, not sentences
ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}

Indices = NDArray[np.int32]
Span = tuple[int, int, int]  # begin and end of a token, and where the next one begins


def cut_long_sentences(text: str, labels: Indices) -> None:
    """End a sentence of more than MAX_TOKENS tokens earlier, after punctuation if there is some."""
    ends = np.flatnonzero(labels)
    closing = np.flatnonzero(labels[ends] == SENTENCE)
    begins = np.concatenate([[0], closing[:-1] + 1]) if len(closing) else closing
    for begin, last in zip(begins.tolist(), closing.tolist(), strict=True):
        if last - begin >= MAX_TOKENS:
            limits = [ends[begin - 1] if begin else -1, *ends[begin : last + 1]]
            forms = [text[before + 1 : end + 1].strip() for before, end in pairwise(limits)]
            inner = [place - 1 for place in cuts(forms, MAX_TOKENS)][1:-1]
            labels[ends[begin : last + 1][inner]] = SENTENCE


@dataclass(frozen=True)
class WordRules:
    """Multiword tokens, and whether they are in canonical spelling. It caches words."""

    multiwords: Multiwords = field(default_factory=Multiwords)
    canonical_forms: bool = True
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def words(self, form: str) -> tuple[str, ...]:
        """The words of a token."""
        found = self._known.get(form)
        if found is None:
            spelled = canonical(form) if self.canonical_forms else form
            found = self._known[form] = self.multiwords.words(form, spelled)
        return found


def is_solid(text: str) -> NDArray[np.bool_]:
    """Whether each character is part of a token: neither white space nor invisible.

    >>> is_solid("a \u200bb").tolist()
    [True, False, False, True]
    """
    solid = classes_of(text) != SPACE
    if not text.isascii():
        solid &= ~np.isin(codes_of(text), [ord(character) for character in INVISIBLE])
    return np.asarray(solid)


class Series(NamedTuple):
    """Texts that are joined by white space: where they are, and the places and numbers of their sentences."""

    ends: NDArray[np.int64]
    begins: list[int]
    shifts: list[int]  # added to places
    number: int  # of the first sentence
    is_one: bool  # whether sentences are numbered on from text to text


def sentences_from(text: str, labels: Indices, rules: WordRules, series: Series) -> Iterator[tuple[int, Sentence]]:
    """The sentences that the labels divide joined texts into, each with the place of its text in the series."""
    ends = np.flatnonzero(labels) + 1
    solid = np.flatnonzero(is_solid(text))
    begins = solid[np.searchsorted(solid, np.append(0, ends[:-1]))] if len(ends) else ends
    of_text = np.searchsorted(series.ends, begins, side="right")
    following = np.minimum(np.append(begins[1:], len(text))[: len(ends)], series.ends[of_text])
    spans = list(zip(begins.tolist(), ends.tolist(), following.tolist(), strict=True))
    closing = [0, *(np.flatnonzero(labels[ends - 1] == SENTENCE) + 1).tolist()]
    last_place, number = -1, series.number
    for first, last in pairwise(closing):
        place = int(of_text[first])
        is_first = place != last_place
        if is_first and not series.is_one:
            number = series.number
        before = text[series.begins[place] : spans[first][0]] if is_first else ""
        bounds = int(series.ends[place]), series.shifts[place]
        yield place, sentence_of(text, spans[first:last], rules, number, before, bounds)
        last_place, number = place, number + 1


def sentence_of(
    text: str, spans: list[Span], rules: WordRules, number: int, before: str, bounds: tuple[int, int]
) -> Sentence:
    """The sentence of some tokens of a text after the white space `before`.

    bounds: the end of the text, and what is added to places.
    """
    forms: list[str] = []
    misc: list[str] = []
    tokens: list[Token] = []
    shown: list[str] = []
    stop, shift = bounds
    for begin, end, after in spans:
        form = text[begin:end]
        shown += [form, " " if is_spaced(text[end:after]) else ""]
        cell = "|".join([*spacing(text[end:after], before, after == stop), f"TokenRange={shift + begin}:{shift + end}"])
        before = ""
        words = rules.words(form)
        if len(words) > 1:
            tokens.append(Token(len(forms) + 1, len(forms) + len(words), form, cell))
            cell = "_"
        forms += words
        misc += [cell] * len(words)
    joined = "".join(shown).rstrip()
    return Sentence.from_words(forms, misc=misc, tokens=tokens, sent_id=str(number), text=joined, source="<text>")


def is_spaced(after: str) -> bool:
    """Whether what follows a token has white space in it."""
    return after == " " or (bool(after) and any(map(str.isspace, after)))


def spacing(after: str, before: str, at_end: bool) -> list[str]:
    """The parts of MISC for the white space before and after a token."""
    found = [f"SpacesBefore={escaped(before)}"] if before else []
    if not is_spaced(after) and not at_end:
        found.append("SpaceAfter=No")
    is_plain = after == ("" if at_end or not is_spaced(after) else " ")
    return found if is_plain else [*found, f"SpacesAfter={escaped(after)}"]


def escaped(spaces: str) -> str:
    """White space as MISC can hold it."""
    return "".join(ESCAPES.get(letter, letter) for letter in spaces)


def tokens_of(sentence: Sentence) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The tokens of a sentence, and the words of each."""
    forms = sentence.forms
    word = 0
    tokens = {token.first: token for token in sentence.tokens}
    while word < len(forms):
        token = tokens.get(word + 1)
        last = token.last if token else word + 1
        yield (token.form if token else forms[word]), tuple(forms[word:last])
        word = last


@explained
def rebuilt(sentences: Iterable[Sentence]) -> str:
    """The text that a tokeniser made these sentences from.

    >>> text = "  One.\\n\\nTwo  three "
    >>> from treewright.tokeniser import Tokeniser
    >>> rebuilt(Tokeniser()(text)) == text
    True
    """
    pieces: list[str] = []
    last = " "
    for sentence in sentences:
        misc = {token.last: token.misc for token in sentence.tokens}
        word = 0
        for form, words in tokens_of(sentence):
            word += len(words)
            cells = dict(cell.partition("=")[::2] for cell in misc.get(word, sentence.misc[word - 1]).split("|"))
            after = "" if cells.get("SpaceAfter") == "No" else " "
            last = unescaped(cells["SpacesAfter"]) if "SpacesAfter" in cells else after
            explicit = "SpacesAfter" in cells
            pieces += [unescaped(cells.get("SpacesBefore", "")), form, last]
    if pieces and not explicit and last == " ":
        pieces.pop()  # MISC says nothing about the end of a text without white space there
    return "".join(pieces)


def unescaped(cell: str) -> str:
    """White space from MISC."""
    for letter, written in ESCAPES.items():
        if letter != "\\":
            cell = cell.replace(written, letter)
    return cell

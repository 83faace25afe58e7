"""Atoms: the properties of a word that templates join, hashed once for each word that occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from treewright._core import AtomBatch
from treewright.caching import MAX_CACHED
from treewright.corpus import Sentence
from treewright.corpus.typography import canonical

Hashes = NDArray[np.uint32]

# A column that a treebank leaves empty ("_") is replaced: the lemma by the form, each tag by the other.
ATOMS = {
    "form": "the form in lower case",
    "lemma": "the lemma",
    "upos": "the universal tag",
    "xpos": "the treebank's own tag",
    "feats": "all morphological features together",
    "suffix3": "the form's last three letters",
    "suffix2": "the form's last two letters",
    "prefix3": "the form's first three letters",
    "shape": "which kinds of characters the form is made of, runs as one",
    "word": "lemma and universal tag",
    "common": "lemma and universal tag of a frequent word, the treebank's own tag of any other",
    "fine": "the treebank's own tag with the values of the features in FINE_FEATURES",
}
FINE_FEATURES = ("Case=", "VerbForm=", "Definite=", "Person[psor]=")  # the features whose values `fine` adds to a tag
EACH = 12  # morphological features of a word that are used (not tuned); further ones are ignored
REACH = 2  # the largest offset of a template from its word

_FIRST = 2 * REACH + 1  # the padding and the root come first in the table


class Encoder:
    """Turns sentences into hashed atoms. It caches words, so each thread needs its own.

    Forms and lemmas are hashed in canonical spelling (`treewright.corpus.typography`). lower_lemmas: the case of lemmas
    is ignored, as the graph parser does.

    >>> encoder = Encoder(common=["the/DET"])
    >>> encoder.atoms([Sentence.from_words(["The", "dog"], upos=["DET", "NOUN"])]).shape
    (3, 12)
    """

    def __init__(self, common: Iterable[str], *, lower_lemmas: bool = False) -> None:
        self.common = frozenset(common)
        self.lower_lemmas = lower_lemmas
        self._clear()

    def _clear(self) -> None:
        self._row_of: dict[tuple[str, ...], int] = {}
        self._atoms = np.zeros((1024, len(ATOMS)), dtype=np.uint32)
        self._each = np.zeros((1024, EACH), dtype=np.uint32)
        for row in range(_FIRST):
            self._atoms[row] = [crc32(f"{atom} <{row}>".encode()) for atom in ATOMS]

    def encode(self, sentences: Iterable[Sentence]) -> AtomBatch:
        """Return the atoms of the words of sentences and of what surrounds them, as the kernels take them."""
        if len(self._row_of) > MAX_CACHED:
            self._clear()
        rows: list[int] = []
        begin = [0]
        for sentence in sentences:
            rows += self._rows(sentence)
            begin.append(len(rows))
        return AtomBatch(self._atoms, self._each, np.array(rows, dtype=np.int32), np.array(begin, dtype=np.int32))

    def atoms(self, sentences: Iterable[Sentence]) -> Hashes:
        """Return a row of atoms for each node of the sentences, one sentence after the other."""
        if len(self._row_of) > MAX_CACHED:
            self._clear()
        rows = [row for sentence in sentences for row in self._rows(sentence)[REACH:-REACH]]
        return self._atoms[rows]

    def _rows(self, sentence: Sentence) -> list[int]:
        row_of = self._row_of
        words = sentence.cells("FORM", "LEMMA", "UPOS", "XPOS", "FEATS")
        return [0, 1, 2, *[row_of.get(word) or self._add(word) for word in words], 3, 4]

    def _add(self, word: tuple[str, ...]) -> int:
        row = _FIRST + len(self._row_of)
        if row == len(self._atoms):
            self._atoms = np.concatenate([self._atoms, np.zeros_like(self._atoms)])
            self._each = np.concatenate([self._each, np.zeros_like(self._each)])
        self._atoms[row] = [crc32(atom.encode()) for atom in self._atoms_of(*word)]
        features = [] if word[4] == "_" else word[4].split("|")[:EACH]
        self._each[row, : len(features)] = [crc32(feature.encode()) | 1 for feature in features]
        self._row_of[word] = row
        return row

    def _atoms_of(self, form: str, lemma: str, upos: str, xpos: str, feats: str) -> tuple[str, ...]:
        form, lemma = canonical(form), canonical(lemma)
        if self.lower_lemmas:
            lemma = lemma.lower()
        lower = form.lower()
        word = common_key(form, lemma, upos, xpos)
        upos, xpos = (xpos if upos == "_" else upos), (upos if xpos == "_" else xpos)
        lemma = lower if lemma == "_" else lemma
        common = word if word in self.common else f"/{xpos}"
        fine = "|".join([xpos, *(feature for feature in feats.split("|") if feature.startswith(FINE_FEATURES))])
        return lower, lemma, upos, xpos, feats, lower[-3:], lower[-2:], lower[:3], shape(form), word, common, fine


def common_key(form: str, lemma: str, upos: str, xpos: str) -> str:
    """Return the name of a word in `common`: lemma and tag."""
    return f"{form.lower() if lemma == '_' else lemma}/{xpos if upos == '_' else upos}"


def common_words(sentences: Iterable[Sentence], count: int) -> list[str]:
    """Return the most frequent words, ties in alphabetical order.

    >>> common_words([Sentence.from_words(["a", "b", "a"], upos=["X", "X", "X"])], 1)
    ['a/X']
    """
    counts = Counter(
        common_key(canonical(form), canonical(lemma), upos, xpos)
        for sentence in sentences
        for form, lemma, upos, xpos in zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, strict=True)
    )
    return sorted(sorted(counts), key=lambda word: -counts[word])[:count]


def shape(form: str) -> str:
    """Return the kinds of characters that a form is made of, at most five runs.

    >>> shape("McDonald's"), shape("1,000")
    ("XxXx'", 'd,d')
    """
    runs: list[str] = []
    for letter in form:
        if letter.isupper():
            kind = "X"
        elif letter.isalpha():
            kind = "x"
        else:
            kind = "d" if letter.isdigit() else letter
        if not runs or runs[-1] != kind:
            runs.append(kind)
            if len(runs) == 5:
                break
    return "".join(runs)


def atom_number(name: str) -> int:
    """Return the column of an atom in the rows of `Encoder.atoms`."""
    return _NUMBERS[name]


_NUMBERS = {name: number for number, name in enumerate(ATOMS)}

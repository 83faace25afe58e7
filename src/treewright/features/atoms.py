"""Atoms: the properties of a word that templates join, hashed once for each word that occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from treewright._core import AtomBatch
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
EACH = 12  # morphological features of a word that are used, by convention; further ones are ignored
REACH = 2  # the largest offset of a template from its word

_MAX_CACHED = 1 << 18  # words, about 25 MB, by convention
_FIRST = 2 * REACH + 1  # the padding and the root come first in the table


class Encoded(NamedTuple):
    """The atoms of one sentence: those of padding, root, words, padding; and the feature sets of root and words.

    reading: what a network says of the sentence (treewright.network), for a parser that has one. vectors: those of the
    nodes, for an encoder that has word vectors.
    """

    atoms: Hashes
    each: Hashes
    reading: Any = None
    vectors: NDArray[np.float32] | None = None

    @property
    def nodes(self) -> int:
        """The words and the root."""
        return len(self.each)


class WordVectors(NamedTuple):
    """Word vectors: the row of each word, in canonical spelling and lower case, and the numbers of the rows.

    Row 0 is zero: that of the root and of words without a vector.
    """

    rows: Mapping[str, int]
    numbers: NDArray[np.float32]


class Encoder:
    """Turns sentences into hashed atoms. It caches words, so each thread needs its own.

    canonical_forms: forms and lemmas are hashed in canonical spelling (`treewright.corpus.typography`), lemmas in lower
    case. vectors: word vectors that are looked up as well.

    >>> encoder = Encoder(common=["the/DET"])
    >>> encoder.encode(Sentence.from_words(["The", "dog"], upos=["DET", "NOUN"])).atoms.shape
    (7, 12)
    """

    def __init__(
        self,
        common: Iterable[str],
        *,
        canonical_forms: bool = True,
        lower_lemmas: bool = False,
        vectors: WordVectors | None = None,
    ) -> None:
        self.common = frozenset(common)
        self.canonical_forms, self.lower_lemmas = canonical_forms, lower_lemmas
        self.word_vectors = vectors
        self._clear()

    def _clear(self) -> None:
        self._places: dict[tuple[str, ...], int] = {}
        self._atoms = np.zeros((1024, len(ATOMS)), dtype=np.uint32)
        self._each = np.zeros((1024, EACH), dtype=np.uint32)
        for row in range(_FIRST):
            self._atoms[row] = [crc32(f"{atom} <{row}>".encode()) for atom in ATOMS]

    def encode(self, sentence: Sentence) -> Encoded:
        """The atoms of a sentence's words and what surrounds them."""
        self._limit_cache()
        padded = np.array(self._rows(sentence))
        return Encoded(self._atoms[padded], self._each[padded[REACH:-REACH]], vectors=self.vectors([sentence]))

    def vectors(self, sentences: Iterable[Sentence]) -> NDArray[np.float32] | None:
        """The vectors of the nodes of sentences, one sentence after the other; None without word vectors."""
        if self.word_vectors is None:
            return None
        rows, numbers = self.word_vectors
        found: list[int] = []
        for sentence in sentences:
            found += [0, *(rows.get(canonical(form).lower(), 0) for form in sentence.forms)]
        return numbers[found]

    def encode_batch(self, sentences: Iterable[Sentence]) -> AtomBatch:
        """The same of several sentences, as the batch methods of `Scorer` and `Labeller` take them."""
        self._limit_cache()
        rows: list[int] = []
        begin = [0]
        for sentence in sentences:
            rows += self._rows(sentence)
            begin.append(len(rows))
        return AtomBatch(self._atoms, self._each, np.array(rows, dtype=np.int32), np.array(begin, dtype=np.int32))

    def _limit_cache(self) -> None:
        if len(self._places) > _MAX_CACHED:
            self._clear()

    def _rows(self, sentence: Sentence) -> list[int]:
        places = self._places
        words = sentence.cells("FORM", "LEMMA", "UPOS", "XPOS", "FEATS")
        return [0, 1, 2, *[places.get(word) or self._add(word) for word in words], 3, 4]

    def _add(self, word: tuple[str, ...]) -> int:
        row = _FIRST + len(self._places)
        if row == len(self._atoms):
            self._atoms = np.concatenate([self._atoms, np.zeros_like(self._atoms)])
            self._each = np.concatenate([self._each, np.zeros_like(self._each)])
        self._atoms[row] = [crc32(atom.encode()) for atom in self._atoms_of(*word)]
        features = [] if word[4] == "_" else word[4].split("|")[:EACH]
        self._each[row, : len(features)] = [crc32(feature.encode()) | 1 for feature in features]
        self._places[word] = row
        return row

    def _atoms_of(self, form: str, lemma: str, upos: str, xpos: str, feats: str) -> tuple[str, ...]:
        if self.canonical_forms:
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
    """How `common` names a word: lemma and tag."""
    return f"{form.lower() if lemma == '_' else lemma}/{xpos if upos == '_' else upos}"


def common_words(sentences: Iterable[Sentence], count: int) -> list[str]:
    """The most frequent words, ties in alphabetical order.

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
    """Which kinds of characters a form is made of, at most five runs.

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
    """The place of an atom in the rows of `Encoded.atoms`."""
    return _NUMBERS[name]


_NAMES: Sequence[str] = tuple(ATOMS)
_NUMBERS = {name: number for number, name in enumerate(_NAMES)}

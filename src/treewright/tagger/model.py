"""A trained tagger: its tags, its words, its weights; and a worker that tags with it, one a thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel
from treewright.corpus import Sentence
from treewright.features.atoms import shape
from treewright.tagger.lexicon import Labels, Lexicon
from treewright.tagger.options import COLUMNS, Learning, Options
from treewright.tagger.scripts import apply_script
from treewright.tagger.words import ATOMS, TEMPLATES, Description, WordTable, compiled, hashed, kind, word_atoms

Weights = NDArray[np.float32]
Tag = tuple[str, ...]

FEATURES = 8  # morphological features that are looked at one by one, the most common ones

LEMMA_ATOMS = (
    *("end1", "end2", "end3", "end4", "end5", "end6", "start1", "start2", "start3"),
    *("shape", "kind", "upos", "feats", "whole"),
)
LEMMA_TEMPLATES = (
    *(f"0.end{length} 0.{tag}" for length in range(1, 7) for tag in ("upos", "feats")),
    *(f"0.start{length} 0.{tag}" for length in range(1, 4) for tag in ("upos", "feats")),
    *("0.shape 0.upos", "0.kind 0.upos", "0.kind 0.feats", "0.upos 0.feats", "0.whole", "0.end2 0.start1 0.upos"),
)


@dataclass(frozen=True)
class Model:
    """Everything that tagging needs."""

    options: Options
    tags: tuple[Tag, ...]  # a value for each of options.tag_columns
    lexicon: Lexicon  # labels are numbers of tags
    weights: Weights
    scripts: tuple[str, ...]
    lemmas: Lexicon  # labels are numbers of scripts
    lemma_weights: Weights
    facts: Mapping[str, Any] = field(default_factory=dict)  # about the training data, for the model file


class Tagged(NamedTuple):
    """The tags of a sentence as numbers, the value of the sequence, the probability of each tag."""

    tags: NDArray[np.int32]
    value: float
    confidence: NDArray[np.float64] | None


class TagWorker:
    """Tags sentences with a model. It remembers words, so each thread has its own."""

    def __init__(self, model: Model, *, learns: bool = False) -> None:
        self.model = model
        self.sure = model.options.rare if learns else model.options.sure
        self.words = WordTable(len(ATOMS), self._describe)
        self.kernel = tag_kernel(model.tags, model.options.tag_columns, model.options)

    def _describe(self, form: str) -> Description:
        lexicon, options = self.model.lexicon, self.model.options
        seen, lower = lexicon.words.get(form), lexicon.words.get(form.lower())
        candidates = candidates_of(lexicon, form, options, self.sure)
        klass = "?"  # the classes of rare words would tell training what is to be learned
        if seen and seen.times >= options.rare:
            klass = " ".join(sorted({self.model.tags[number][0] for number in seen.labels}))
        is_known = seen is not None and seen.times > 1
        is_known_lower = (lower.times if lower else 0) + (seen.times if seen else 0) > 1
        return word_atoms(form, is_known, is_known_lower, klass, lexicon.ending(kind(form), form.lower())), candidates

    def tag(self, forms: Sequence[str], adjust: NDArray[np.float64] | None = None, confidence: bool = True) -> Tagged:
        """The best tags."""
        rows = self.words.rows(forms)
        words = self.words
        return Tagged(
            *self.kernel.decode(words.atoms, words.begin, words.pool, rows, self.model.weights, adjust, confidence)
        )


def candidates_of(lexicon: Lexicon, form: str, options: Options, sure: int) -> Labels:
    """The tags a word may have, those it was seen with first."""
    seen = lexicon.words.get(form)
    if seen and seen.times >= sure:
        return seen.labels
    found = dict.fromkeys(seen.labels if seen else ())
    lower = lexicon.words.get(form.lower())
    found.update(dict.fromkeys(lower.labels if lower else ()))
    found.update(dict.fromkeys(lexicon.guess(kind(form), form.lower(), options.enough, options.most)))
    return tuple(found)[: max(options.most, len(seen.labels) if seen else 0)]


def tag_kernel(tags: Sequence[Tag], columns: Sequence[str], options: Options) -> TagModel:
    """The kernel for these tags."""
    table = np.array([[hashed(part) for part in parts] for parts in tag_parts(tags, columns)], dtype=np.uint32)
    items = compiled(TEMPLATES, ATOMS)
    word = ATOMS.index("lower")
    return TagModel(items, len(TEMPLATES), table, options.tags.bits, options.keep, word, True)


def tag_parts(tags: Sequence[Tag], columns: Sequence[str]) -> list[list[str]]:
    """What tags share with each other: the value in each column, and that of each morphological feature.

    The last row is that of "before the sentence". Where all tags agree, nothing is said.

    >>> tag_parts([("NOUN", "Case=Nom"), ("NOUN", "Case=Acc")], ["upos", "feats"])
    [['feats=Case=Nom', 'Case=Nom'], ['feats=Case=Acc', 'Case=Acc'], ['feats', 'Case']]
    """
    rows: list[list[str]] = [[f"{name}={value}" for name, value in zip(columns, tag, strict=True)] for tag in tags]
    names = list(columns)
    if "feats" in columns:
        place = columns.index("feats")
        sets = [dict(pair.partition("=")[::2] for pair in tag[place].split("|")) for tag in tags]
        counts = Counter(name for values in sets for name in values if name != "_")
        chosen = sorted(counts, key=lambda name: (-counts[name], name))[:FEATURES]
        names += chosen
        for row, values in zip(rows, sets, strict=True):
            row += [f"{name}={values.get(name, '')}" for name in chosen]
    told = [place for place in range(len(names)) if len({row[place] for row in rows}) > 1] or [0]
    return [[row[place] for place in told] for row in [*rows, names]]


class LemmaWorker:
    """Chooses lemmas for words and their tags, each once."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.words = WordTable(len(LEMMA_ATOMS), self._describe)
        self.kernel = lemma_kernel(model.scripts, model.options.lemmas)
        self.known: dict[tuple[str, str, str], str] = {}

    def _describe(self, key: str) -> Description:
        form, upos, feats = key.split("\t")
        return lemma_atoms(form, upos, feats), lemma_candidates(self.model.lemmas, self.model.scripts, form, upos)

    def lemmas(self, sentence: Sentence) -> list[str]:
        """The lemma of each word."""
        known = self.known
        if len(known) > 1 << 17:
            known.clear()
        return [
            known.get(word) or self._choose(word)
            for word in zip(sentence.forms, sentence.upos, sentence.feats, strict=True)
        ]

    def _choose(self, word: tuple[str, str, str]) -> str:
        form = word[0]
        seen = self.model.lemmas.words.get("\t".join(word))
        number = seen.labels[0] if seen else self._classify(word)
        lemma = form if number is None else apply_script(self.model.scripts[number], form) or form
        self.known[word] = lemma
        return lemma

    def _classify(self, word: tuple[str, str, str]) -> int | None:
        if not lemma_candidates(self.model.lemmas, self.model.scripts, word[0], word[1]):
            return None
        rows = self.words.rows(["\t".join(word)])
        table, weights = self.words, self.model.lemma_weights
        tags, _, _ = self.kernel.decode(table.atoms, table.begin, table.pool, rows, weights, None, False)
        return int(tags[0])


def lemma_candidates(lexicon: Lexicon, scripts: Sequence[str], form: str, upos: str) -> Labels:
    """The scripts of words that end alike and have the same tag, where they fit the form."""
    found = lexicon.guess(lemma_group(upos), form.lower(), enough=6, most=20)
    return tuple(number for number in found if apply_script(scripts[number], form) is not None)


def lemma_group(upos: str) -> str:
    """Words whose endings are kept together."""
    return upos


def lemma_atoms(form: str, upos: str, feats: str) -> Iterable[str]:
    """The atoms of a word and its tag."""
    lower = form.lower()
    ends = (lower[-length:] if length <= len(lower) else f"<{lower}" for length in range(1, 7))
    starts = (lower[:length] if length <= len(lower) else f"{lower}>" for length in range(1, 4))
    return [*ends, *starts, shape(form), kind(form), upos, feats, lower]


def lemma_kernel(scripts: Sequence[str], rules: Learning) -> TagModel:
    """The kernel that chooses scripts, each word's alone."""
    table = np.array([[hashed(script)] for script in [*scripts, "<before>"]], dtype=np.uint32)
    items = compiled(LEMMA_TEMPLATES, LEMMA_ATOMS)
    return TagModel(items, len(LEMMA_TEMPLATES), table, rules.bits, 1 << 20, 0, False)


class Worker:
    """Fills the columns of sentences, for one thread."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tags = TagWorker(model) if model.tags else None
        self.lemmas = LemmaWorker(model) if model.options.has_lemmas else None
        self._values = [[tag[place] for tag in model.tags] for place in range(len(model.options.tag_columns))]

    def tag(self, sentence: Sentence, adjust: NDArray[np.float64] | None = None, confidence: bool = True) -> Sentence:
        """A copy with its columns filled."""
        copy = sentence.copy()
        if self.tags:
            found = self.tags.tag(sentence.forms, adjust, confidence)
            numbers = found.tags.tolist()
            for column, values in zip(self.model.options.tag_columns, self._values, strict=True):
                copy.set_column(COLUMNS[column], [values[number] for number in numbers])
            copy.confidence = found.confidence
        if self.lemmas:
            copy.lemmas = self.lemmas.lemmas(copy)
        return copy

"""The public class of the tokeniser: train, save, load, tokenise."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel
from treewright.calls import checked, explained_methods
from treewright.checks import Scale, read_plain
from treewright.corpus import Sentence
from treewright.corpus.typography import canonical
from treewright.errors import InputError
from treewright.learn import AveragedCells, Judgement, Learning, Observer, Progress, Report, Stage, Weights, run
from treewright.learn.hashing import REACH, hashed
from treewright.model import checkpoint as checkpoints
from treewright.model.checkpoint import Origin
from treewright.model.component import ArrayForm, Arrays, Component, Corpus, Stored, check_array, hash_of, sentences_of
from treewright.model.modelfile import Path
from treewright.tokeniser import TokeniserOptions
from treewright.tokeniser.abbreviations import Abbreviations, agreeing_abbreviations
from treewright.tokeniser.boundaries import (
    WORD_COLUMNS,
    BoundaryModel,
    Tokens,
    WordTable,
    boundary_stage,
    combined,
    log_odds,
    token_tags,
    training_data,
)
from treewright.tokeniser.canonical import PARAGRAPH, CanonicalText
from treewright.tokeniser.casing import with_noisy_paragraphs
from treewright.tokeniser.characters import MARK, SPACE, classes_of, features_of
from treewright.tokeniser.lists import items_of
from treewright.tokeniser.multiwords import Multiwords
from treewright.tokeniser.patterns import PATTERNS, Patterns, agreeing
from treewright.tokeniser.rules import INSIDE, SENTENCE, TOKEN, labels_by_rule, paragraph_ends
from treewright.tokeniser.segments import Series, WordRules, cut_long_sentences, sentences_from, tokens_of
from treewright.tokeniser.signs import Signs, agreeing_signs

LABELS = ("inside", "token", "sentence")
DECISIONS_PER_STEP = 16  # characters of one update; by convention
ALL_PATTERNS = Patterns(PATTERNS)
CHUNK = 1 << 15  # minimum of characters that are decoded together; by convention, it bounds memory

_QUOTATION = re.compile(r'"(\w)[^"\n]*[.!?]"(?= (\w))')  # of canonical text

Indices = NDArray[np.int32]


@dataclass(frozen=True)
class TokeniserModel:
    """Weights, which kinds of neighbours may be parted, and multiword tokens.

    In files of earlier versions, spelling is not canonical, there are no patterns and signs, and characters alone
    decide where sentences end.
    """

    settings: Learning
    weights: NDArray[np.float32]
    parted: frozenset[int]  # 64 * class + class of the next character
    multiwords: Multiwords
    canonical_forms: bool = True
    patterns: Patterns = field(default_factory=lambda: Patterns(()))
    boundaries: BoundaryModel | None = None
    abbreviations: Abbreviations = field(default_factory=lambda: Abbreviations(()))
    signs: Signs = field(default_factory=lambda: Signs(()))


@explained_methods
class Tokeniser(Component):
    """Splits a text into sentences and words.

    >>> tokeniser = Tokeniser()  # by rules, for any language
    >>> [sentence.forms for sentence in tokeniser("It rains. Stay here!")]
    [['It', 'rains', '.'], ['Stay', 'here', '!']]
    """

    KIND: ClassVar[str] = "tokeniser"
    FORMAT: ClassVar[int] = 4  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {"weights": (np.float32, (None,))}

    def __init__(self, model: TokeniserModel | None = None) -> None:
        self.model = model

    @classmethod
    @checked
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        seed: int | None = None,
        options: TokeniserOptions | None = None,
        report: Callable[[Report], None] | None = None,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> Tokeniser:
        """Learn from a treebank where tokens and sentences end, and which tokens are several words.

        The text is that of the tokens with their SpaceAfter; a blank line precedes `# newdoc` and `# newpar`. The
        epoch with the best score on `dev` is kept, or the last one by `options.choose_epoch`. The other arguments are
        those of `Tagger.train`.
        """
        chosen = options or TokeniserOptions()
        if seed is not None:
            chosen = replace(chosen, seed=seed)
        sentences, held_out = sentences_of(train), sentences_of(dev) if chosen.choose_epoch else []
        if not sentences:
            raise InputError("the training data has no sentences")
        plain, labels = canonical_training(sentences)
        text = with_noisy_paragraphs(plain, chosen.case_noise, chosen.seed)
        if not text:
            raise InputError("the training data has no text: its forms are white space")
        untrained = TokeniserModel(
            chosen.learning,
            np.zeros(1, dtype=np.float32),
            parted_classes(text, labels),
            multiwords_of(sentences),
            patterns=Patterns(agreeing(plain, labels != INSIDE)),
            abbreviations=Abbreviations(agreeing_abbreviations(plain, labels)),
            signs=Signs(agreeing_signs(plain, labels != INSIDE)),
        )
        data = training_data(plain, labels, token_tags(sentences), chosen.case_noise, chosen.seed)

        def origin() -> Origin:
            training = hash_of([text.encode(), labels.tobytes(), repr(untrained.multiwords).encode()])
            return Origin.now(training, hash_of(str(sentence).encode() for sentence in held_out), asdict(chosen))

        state, save = checkpoints.open_training(checkpoint, resume, origin)
        stage = token_stage(untrained, text, labels)
        if held_out:
            stage = replace(stage, judge=lambda average: judge_ends(replace(untrained, weights=average), held_out))
        stages = [stage, boundary_stage(data, chosen.boundaries)]
        weights = run(stages, seed=chosen.seed, state=state, observer=Observer(report, save, progress))
        boundaries = BoundaryModel(chosen.boundaries, Weights.of(weights["boundaries"]), data.words)
        return cls(replace(untrained, weights=weights[stage.name], boundaries=boundaries))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Tokeniser, ()) if self.model is None else super().__reduce__()

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        if self.model is None:
            raise ValueError("a tokeniser by rules has no weights to save: Tokeniser() makes another")
        return to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Tokeniser:
        """The inverse of `to_arrays`; messages name the source of the arrays."""
        return cls(from_arrays(source, header, arrays))

    def __call__(self, text: str, *, begin: int = 0, number: int = 1, whole: bool = False) -> list[Sentence]:
        """The sentences of a text. Each word or multiword token has its place in it as TokenRange=begin:end in MISC.

        SpaceAfter=No says that no white space follows, SpacesAfter which, where it is not one space: what stands in the
        text can be rebuilt exactly with `rebuilt`. begin and number are those of the first character and sentence, for
        texts that come in pieces; whole: the text is one sentence. Otherwise none has more than 500 tokens.
        """
        [found] = self.batch([text], begins=[begin], number=number, whole=whole)
        return found

    def batch(
        self, texts: Sequence[str], *, begins: Sequence[int] | None = None, number: int = 1, whole: bool = False
    ) -> list[list[Sentence]]:
        """The sentences of each text, the same as from a call with this text alone, but faster for short texts.

        begins: the places of their first characters, for parts of one text; sentences are then numbered on from text to
        text. number and whole are those of a call.

        >>> [[sentence.text for sentence in found] for found in Tokeniser().batch(["It rains. Stay!", "", "Go!"])]
        [['It rains.', 'Stay!'], [], ['Go!']]
        """
        if begins is not None and len(begins) != len(texts):
            raise InputError(f"begins has {len(begins)} entries; expected one for each of the {len(texts)} texts")
        if not len(texts):
            return []
        joined = PARAGRAPH.join(texts)
        ends = np.cumsum([len(text) + len(PARAGRAPH) for text in texts]) - len(PARAGRAPH)
        gap = np.zeros(len(PARAGRAPH), dtype=np.int32)
        labels = np.concatenate([part for some in self._labels(texts) for part in (some, gap)])[: len(joined)]
        if whole:
            closing = np.flatnonzero(labels == SENTENCE)
            of_text = np.searchsorted(ends, closing)
            labels[closing[:-1][of_text[:-1] == of_text[1:]]] = TOKEN
        else:
            cut_long_sentences(joined, labels)
        rules = WordRules(self.model.multiwords, self.model.canonical_forms) if self.model else WordRules()
        found: list[list[Sentence]] = [[] for _ in texts]
        starts = ends - [len(text) for text in texts]
        shifts = -starts if begins is None else np.array(begins) - starts
        series = Series(ends, starts.tolist(), shifts.tolist(), number, is_one=begins is not None)
        for place, sentence in sentences_from(joined, labels, rules, series):
            found[place].append(sentence)
        return found

    def labels(self, text: str) -> Indices:
        """For each character of text whether it ends nothing (0), a token (1) or a sentence (2)."""
        [found] = self._labels([text])
        return found

    def _labels(self, texts: Sequence[str]) -> list[Indices]:
        """The labels of the characters of each text."""
        spelling = self.model is None or self.model.canonical_forms
        seen = [CanonicalText.of(text, spelling=spelling) for text in texts]
        canonical_texts = [one.text for one in seen]
        if self.model is None:
            found = [with_patterns(text, labels_by_rule(text), ALL_PATTERNS) for text in canonical_texts]
        else:
            found = labels_by_model(self.model, canonical_texts)
        closed = closed_labels(canonical_texts, found)
        return [one.original(labels, len(text)) for one, labels, text in zip(seen, closed, texts, strict=True)]

    def __repr__(self) -> str:
        if self.model is None:
            return "Tokeniser(by rules)"
        return f"Tokeniser(learned; {len(self.model.multiwords.whole)} multiword tokens)"


# -- the model file


def to_arrays(model: TokeniserModel) -> Stored:
    """The header and the arrays of a model file."""
    header: dict[str, Any] = {
        "settings": asdict(model.settings),
        "parted": sorted(model.parted),
        "multiwords": asdict(model.multiwords),
        "canonical_forms": model.canonical_forms,
        "patterns": model.patterns.names,
        "abbreviations": model.abbreviations.names,
        "signs": model.signs.names,
    }
    arrays: dict[str, NDArray[Any]] = {"weights": model.weights}
    if model.boundaries is not None:
        weights, words = model.boundaries.weights, model.boundaries.words
        header["boundaries"] = {"settings": asdict(model.boundaries.settings), "scale": weights.scale}
        arrays |= {"boundaries.weights": weights.values, "boundaries.keys": words.keys, "boundaries.words": words.rows}
    return header, arrays


@dataclass(frozen=True)
class BoundaryHeader:
    """The header of the boundary model."""

    settings: Learning
    scale: Scale


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    settings: Learning
    parted: tuple[int, ...]
    multiwords: Multiwords
    canonical_forms: bool = False
    patterns: tuple[str, ...] = ()
    boundaries: BoundaryHeader | None = None
    abbreviations: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


def from_arrays(path: Path, header: Mapping[str, Any], arrays: Arrays) -> TokeniserModel:
    """The model of a header and arrays that were read from `path`."""
    found = read_plain(header, Header, "header")
    check_array("weights", arrays["weights"], np.float32, (1 << found.settings.bits,))
    found.multiwords.check_words()
    return TokeniserModel(
        *(found.settings, arrays["weights"], frozenset(found.parted), found.multiwords),
        canonical_forms=found.canonical_forms,
        patterns=Patterns(found.patterns),
        boundaries=boundaries_from(found.boundaries, arrays) if found.boundaries else None,
        abbreviations=Abbreviations(found.abbreviations),
        signs=Signs(found.signs),
    )


def boundaries_from(header: BoundaryHeader, arrays: Arrays) -> BoundaryModel:
    """The boundary model of a header and arrays."""
    names = ("boundaries.weights", "boundaries.keys", "boundaries.words")
    if missing := sorted(set(names) - set(arrays)):
        raise ValueError(f"the tokeniser lacks the arrays {', '.join(missing)}")
    weights, keys, rows = (arrays[name] for name in names)
    check_array(names[0], weights, np.int8, (1 << header.settings.bits,))
    check_array(names[1], keys, np.uint32, (None,))
    check_array(names[2], rows, np.uint16, (len(keys), len(WORD_COLUMNS)))
    if (keys[1:] <= keys[:-1]).any():
        raise ValueError("the array boundaries.keys is not sorted")
    return BoundaryModel(header.settings, Weights(weights, header.scale), WordTable(keys, rows))


# -- from a treebank


def text_and_ends(sentences: Sequence[Sentence]) -> tuple[str, tuple[list[int], list[int]]]:
    """The text of a treebank, and the last characters of tokens and of sentences in it."""
    pieces: list[str] = []
    tokens: list[int] = []
    ends: list[int] = []
    at = 0
    for number, sentence in enumerate(sentences):
        is_new = any(line.startswith(("# newdoc", "# newpar")) for line in sentence.comments)
        if number and is_new:
            pieces.append(PARAGRAPH)
            at += len(PARAGRAPH)
        misc = {token.last: token.misc for token in sentence.tokens}
        word = 0
        for form, words in tokens_of(sentence):
            word += len(words)
            form = form.strip()  # white space around a form is white space between tokens
            space = "" if "SpaceAfter=No" in misc.get(word, sentence.misc[word - 1]).split("|") else " "
            pieces += [form, space]
            at += len(form)
            if form:
                tokens.append(at - 1)
            at += len(space)
        if tokens:
            ends.append(tokens[-1])
    return "".join(pieces), (tokens, ends)


def canonical_training(sentences: Sequence[Sentence]) -> tuple[str, Indices]:
    """The canonical text of a treebank, and the label of each of its characters."""
    text, (tokens, ends) = text_and_ends(sentences)
    labels = np.zeros(len(text), dtype=np.int32)
    labels[tokens], labels[ends] = TOKEN, SENTENCE
    seen = CanonicalText.of(text)
    return seen.text, seen.canonical(labels)


def multiwords_of(sentences: Sequence[Sentence]) -> Multiwords:
    """The multiword tokens of a treebank, in canonical spelling."""
    tokens = (token for sentence in sentences for token in tokens_of(sentence))
    return Multiwords.of((canonical(form), tuple(map(canonical, words))) for form, words in tokens)


def parted_classes(text: str, labels: Indices) -> frozenset[int]:
    """The kinds of neighbouring characters that tokens end between."""
    return frozenset(np.unique(neighbours(classes_of(text))[labels != INSIDE]).tolist())


def neighbours(classes: NDArray[np.uint64], last: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The classes of each character and the next as one number; nothing follows the last characters of texts."""
    following = np.append(classes[1:], np.uint64(0))[: len(classes)]
    if last is not None:
        following[last] = 0
    return np.asarray(np.uint64(64) * classes + following, dtype=np.int64)


# -- the model


def kernel_of(settings: Learning, features: int) -> TagModel:
    """The kernel that decides for each character alone; every feature is a template of its own."""
    items = np.array([(place, place, 0) for place in range(features)], dtype=np.int32)
    table = np.array([[hashed(label)] for label in (*LABELS, "<before>")], dtype=np.uint32)
    return TagModel(items, features, table, settings.bits, len(LABELS), 0, False)


@dataclass(frozen=True)
class Characters:
    """The characters of a text with a decision to make, for the kernel, and the labels of all others."""

    places: NDArray[np.int64]
    labels: Indices  # of all characters; INSIDE where there is a decision
    atoms: NDArray[np.uint32]
    begin: Indices
    pool: Indices
    rows: Indices

    @classmethod
    def of(cls, model: TokeniserModel, texts: Sequence[str], rule: Indices, gold: Indices | None = None) -> Characters:
        """Every character of the texts: it ends nothing, a token or a sentence; before a space one of the latter two.

        A text is seen as if it were alone.
        """
        text = "".join(texts)
        lengths = [len(one) for one in texts if one]
        final = np.cumsum(lengths, dtype=np.int64) - 1  # the last characters of the texts
        classes = classes_of(text)
        n = len(text)
        first, last = np.zeros(n, dtype=np.int32), np.full(n, 3, dtype=np.int32)
        before_space = np.append(classes[1:] == SPACE, True)[:n]
        before_space[final] = True
        first[before_space] = TOKEN
        may_part = np.isin(neighbours(classes, final), list(model.parted)) | before_space
        if gold is not None:
            may_part |= gold != INSIDE
        last[~may_part | (classes == SPACE)] = 1
        first[classes == SPACE] = 0
        if gold is not None:
            first[before_space & (gold == INSIDE)] = 0  # a token with a space in it
        places = np.flatnonzero(last - first > 1)
        features = features_of(text, rule, lengths, places)
        atoms = np.concatenate([np.zeros((2 * REACH, features.shape[1]), dtype=np.uint32), features])
        # The candidates of a character are pool[begin : next begin]; there are few kinds, listed once for each.
        sizes = (last - first)[places]
        begin = np.zeros(2 * REACH + len(places) + 1, dtype=np.int32)
        begin[2 * REACH + 1 :] = np.cumsum(sizes)
        offsets = np.arange(begin[-1]) - np.repeat(begin[2 * REACH : -1], sizes)
        pool = (np.repeat(first[places], sizes) + offsets).astype(np.int32)
        labels = first.copy()
        labels[places] = INSIDE
        return cls(places, labels, atoms, begin, pool, np.arange(2 * REACH, len(atoms), dtype=np.int32))


def chunks_of(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a paragraph that are decoded together: they end at line breaks, or at spaces."""
    begin = 0
    while begin < len(text):
        end = begin + CHUNK
        if end < len(text):
            end = next((place for mark in "\n " if (place := text.find(mark, end, end + CHUNK)) >= 0), end + CHUNK) + 1
        yield begin, min(end, len(text))
        begin = end


def labels_by_model(model: TokeniserModel, texts: Sequence[str]) -> list[Indices]:
    """For each character of each text whether it ends a token (1) or a sentence (2)."""
    found = [np.zeros(len(text), dtype=np.int32) for text in texts]
    # Models of earlier versions were trained on text whose paragraphs follow each other.
    for pieces in batches_of(texts, PARAGRAPH if model.boundaries else None):
        labels = decoded(model, [piece.shown for piece in pieces])
        at = 0
        for piece in pieces:
            found[piece.place][piece.span] = labels[at : at + len(piece.text)]
            at += len(piece.shown)
    return found


def decoded(model: TokeniserModel, texts: Sequence[str]) -> Indices:
    """The labels of the characters of canonical texts, one text after another."""
    rule = np.concatenate([np.zeros(0, dtype=np.int32), *map(labels_by_rule, texts)])
    seen = Characters.of(model, texts, rule)
    kernel = kernel_of(model.settings, seen.atoms.shape[1])
    has_boundaries = model.boundaries is not None
    candidates = seen.atoms, seen.begin, seen.pool, seen.rows
    found, _, confidence = kernel.decode(*candidates, model.weights, None, has_boundaries)
    labels = seen.labels.copy()
    labels[seen.places] = found
    text = "".join(texts)
    if confidence is not None:
        sure = np.ones(len(labels))
        sure[seen.places] = confidence
        labels = with_signs(text, labels, model.signs, sure)
    labels = with_abbreviations(text, with_patterns(text, labels, model.patterns), model.abbreviations)
    if model.boundaries is None or confidence is None:
        return labels
    odds = np.full(len(labels), -np.inf)
    odds[seen.places] = log_odds(np.where(found == SENTENCE, confidence, 1 - confidence))
    last = np.flatnonzero(labels)
    if len(last):
        ends = combined(odds[last], model.boundaries.odds(Tokens.of(text, last), rule))
        labels[last] = np.where(ends, SENTENCE, TOKEN)
    return with_items(text, with_quotations(text, with_abbreviations(text, labels, model.abbreviations)))


def with_abbreviations(text: str, labels: Indices, abbreviations: Abbreviations) -> Indices:
    """The labels with one token for each abbreviation, after which no sentence ends."""
    found: Indices = labels.copy()
    for begin, end in abbreviations.spans(text):
        found[begin : end - 1], found[end - 1] = INSIDE, TOKEN
    return found


def with_quotations(text: str, labels: Indices) -> Indices:
    """The labels without a sentence end after a quotation that a word in lower case follows: "Why?" he asked.

    A quotation that begins in lower case says nothing: the text may have no capitals.
    """
    found: Indices = labels.copy()
    for match in _QUOTATION.finditer(text):
        if match[1].isupper() and match[2].islower():
            found[match.start(2) - 2] = min(found[match.start(2) - 2], TOKEN)
    return found


def with_items(text: str, labels: Indices) -> Indices:
    """The labels with a sentence end before each item of a list, and none in or after its mark."""
    found: Indices = labels.copy()
    for begin, end in items_of(text):
        if begin > 1 and not text[begin - 2].isspace():  # the last character of the line before
            found[begin - 2] = SENTENCE
        found[begin : end - 1] = np.minimum(found[begin : end - 1], TOKEN)
        found[end - 1] = TOKEN
    return found


def with_patterns(text: str, labels: Indices, patterns: Patterns) -> Indices:
    """The labels with a token for each match; a sentence end stays one at the end of a match only."""
    ends = labels != INSIDE
    patterns.apply(text, ends)
    return with_ends(labels, ends)


def with_signs(text: str, labels: Indices, signs: Signs, confidence: NDArray[np.float64]) -> Indices:
    """The labels with an end on both sides of each sign or on neither."""
    ends = labels != INSIDE
    signs.apply(text, ends, confidence)
    return with_ends(labels, ends)


def with_ends(labels: Indices, ends: NDArray[np.bool_]) -> Indices:
    """The labels, where these characters end tokens; sentences end where they did."""
    return np.where(ends, np.maximum(labels, TOKEN), INSIDE).astype(np.int32)


def closed_labels(texts: Sequence[str], found: Sequence[Indices]) -> list[Indices]:
    """The labels with a token end before each space, and a sentence end before each blank line and at the end."""
    joined = PARAGRAPH.join(texts)
    gap = np.zeros(len(PARAGRAPH), dtype=np.int32)
    labels = np.concatenate([part for some in found for part in (some, gap)])[: len(joined)]
    classes = classes_of(joined)
    before_space = np.append(classes[1:] == SPACE, True)[: len(joined)]
    labels[before_space & (labels == INSIDE)] = TOKEN
    labels[paragraph_ends(joined)] = SENTENCE
    labels[classes == SPACE] = INSIDE
    for place in np.flatnonzero(classes == MARK).tolist():
        if place and classes[place - 1] != SPACE:  # a combining mark belongs to the character before it
            labels[place - 1 : place + 1] = INSIDE, max(labels[place - 1 : place + 1])
    begins = np.cumsum([0] + [len(text) + len(PARAGRAPH) for text in texts])
    return [labels[begin : begin + len(text)] for begin, text in zip(begins.tolist(), texts, strict=False)]


class Piece(NamedTuple):
    """A part of a text that is decoded at once."""

    place: int  # of the text
    begin: int
    text: str
    is_last: bool  # of its paragraph

    @property
    def span(self) -> slice:
        """Where it is in its text."""
        return slice(self.begin, self.begin + len(self.text))

    @property
    def shown(self) -> str:
        """What the model sees: the end of a paragraph is a blank line, as in the treebank."""
        return f"{self.text}{PARAGRAPH if self.is_last else ''}"


def batches_of(texts: Sequence[str], separator: str | None = PARAGRAPH) -> Iterator[list[Piece]]:
    """The pieces of texts, as many together as have CHUNK characters. A piece is seen as if it were alone."""
    batch: list[Piece] = []
    size = 0
    for piece in pieces_of(texts, separator):
        batch.append(piece)
        size += len(piece.text)
        if size >= CHUNK:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def pieces_of(texts: Sequence[str], separator: str | None) -> Iterator[Piece]:
    """The paragraphs of canonical texts, or whole texts without a separator; long ones in several pieces."""
    for place, text in enumerate(texts):
        at = 0
        for paragraph in text.split(separator) if separator else [text]:
            for begin, end in chunks_of(paragraph):
                yield Piece(place, at + begin, paragraph[begin:end], end == len(paragraph))
            at += len(paragraph) + len(PARAGRAPH)


def judge_ends(model: TokeniserModel, dev: Sequence[Sentence]) -> Judgement:
    """F1 of the ends of tokens and of sentences in the development text, in per cent; their mean is the score."""
    text, (tokens, sentences) = text_and_ends(dev)
    labels = Tokeniser(model).labels(text)
    token_f1 = f1(set(np.flatnonzero(labels != INSIDE).tolist()), set(tokens))
    sentence_f1 = f1(set(np.flatnonzero(labels == SENTENCE).tolist()), set(sentences))
    return Judgement((token_f1 + sentence_f1) / 2, {"tokens": token_f1, "sentences": sentence_f1})


def f1(found: set[int], gold: set[int]) -> float:
    """In per cent.

    >>> f1({1, 2}, {2, 3}), f1(set(), set())
    (50.0, 100.0)
    """
    return 200 * len(found & gold) / (len(found) + len(gold)) if found or gold else 100.0


def gold_labels(labels: Indices, piece: Piece) -> Indices:
    """The labels of what the model sees of a piece."""
    return np.append(labels[piece.span], np.zeros(len(piece.shown) - len(piece.text), dtype=np.int32))


def token_stage(model: TokeniserModel, text: str, labels: Indices) -> Stage[AveragedCells]:
    """The weights of a tokeniser, trained on a few characters at a time."""
    settings = model.settings
    parts = []
    for batch in batches_of([text]):
        shown = [piece.shown for piece in batch]
        rule = np.concatenate(list(map(labels_by_rule, shown)))
        gold = np.concatenate([gold_labels(labels, piece) for piece in batch])
        characters = Characters.of(model, shown, rule, gold)
        parts.append((characters, gold[characters.places]))
    kernel = kernel_of(settings, parts[0][0].atoms.shape[1])
    pieces = [
        (part, slice(first, first + DECISIONS_PER_STEP))
        for part, (_, gold) in enumerate(parts)
        for first in range(0, len(gold), DECISIONS_PER_STEP)
    ]

    def learn(learner: AveragedCells, number: int) -> float:
        part, piece = pieces[number]
        seen, gold = parts[part]
        return kernel.learn(
            *(seen.atoms, seen.begin, seen.pool, seen.rows[piece], gold[piece]),
            *(learner.cells, learner.next_step(), settings.rate, settings.adagrad_epsilon, settings.margin),
        )

    return Stage(
        "tokens",
        learner=lambda: AveragedCells(settings.bits),
        learn=learn,
        examples=range(len(pieces)),
        size=len(text),
        epochs=settings.epochs,
        shuffle_key="",
    )

"""The public class of the tokeniser: train, save, load, tokenise."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.checks import Scale, described, read_plain
from treewright.corpus import Sentence
from treewright.corpus.offsets import has_space_after, surface_tokens
from treewright.errors import InputError
from treewright.learn import Judgement, Learning, Weights
from treewright.learn import run as run_stages
from treewright.model.checkpoint import Origin
from treewright.model.component import ArrayForm, Arrays, Component, Corpus, Stored, check_array, hash_of, sentences_of
from treewright.model.run import Run, RunOptions
from treewright.tokeniser import TokeniserOptions, segments
from treewright.tokeniser.boundaries import (
    WORD_COLUMNS,
    BoundaryModel,
    Tokens,
    WordTable,
    boundary_stage,
    combine_odds,
    log_odds,
    token_tags,
    training_data,
)
from treewright.tokeniser.casing import with_noisy_paragraphs
from treewright.tokeniser.character_model import LABELS, Batch, Characters, parted_classes, read_batches, token_stage
from treewright.tokeniser.corrections import Abbreviations, Corrections, Signs, apply_patterns, close
from treewright.tokeniser.multiwords import Multiwords, Words
from treewright.tokeniser.patterns import PATTERNS, Patterns
from treewright.tokeniser.rules import labels_by_rule
from treewright.tokeniser.segments import cut_long_sentences, join_sentences
from treewright.tokeniser.text import PARAGRAPH, SENTENCE, TOKEN, Labels, Text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treewright.tokeniser.markup import PlainText

ALL_PATTERNS = Patterns(PATTERNS)
TYPO = "Typo=Yes"  # the feature of misspelt words in Universal Dependencies


@dataclass(frozen=True)
class TokeniserModel:
    """Everything that a learned tokeniser needs."""

    settings: Learning
    weights: NDArray[np.float32]  # of the character model
    parted: frozenset[int]  # kinds of neighbours that tokens end between: 64 * class + class of the next character
    multiwords: Multiwords
    corrections: Corrections
    boundaries: BoundaryModel


class Tokeniser(Component):
    """Splits a text into sentences and words.

    >>> tokeniser = Tokeniser()  # by rules, for any language
    >>> [sentence.forms for sentence in tokeniser("It rains. Stay here!")]
    [['It', 'rains', '.'], ['Stay', 'here', '!']]
    """

    KIND: ClassVar[str] = "tokeniser"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {
        "weights": (np.float32, (None,)),
        "boundaries.weights": (np.int8, (None,)),
        "boundaries.keys": (np.uint32, (None,)),
        "boundaries.words": (np.uint16, (None, len(WORD_COLUMNS))),
    }

    def __init__(self, model: TokeniserModel | None = None) -> None:
        self.model = model

    @classmethod
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        options: TokeniserOptions | None = None,
        **how: Unpack[RunOptions],
    ) -> Tokeniser:
        """Learn from the treebank train where tokens and sentences end, and which tokens are several words.

        The text is that of the tokens with their SpaceAfter; a blank line precedes `# newdoc` and `# newpar`. The
        epoch with the best score on `dev` is kept, or the last one by `options.choose_epoch`.
        how: seed, report, progress, checkpoint and resume (`RunOptions`).
        """
        run = Run(**how)
        chosen = run.with_seed(options or TokeniserOptions())
        sentences, held_out = sentences_of(train), sentences_of(dev) if chosen.choose_epoch else []
        if not sentences:
            raise InputError("the training data has no sentences")
        plain, labels = treebank_labels(sentences)
        if not plain:
            raise InputError("the training data has no text: its forms are white space")
        text = with_noisy_paragraphs(plain, chosen.case_noise, chosen.seed)
        data = training_data(plain, labels, token_tags(sentences), chosen.case_noise, chosen.seed)
        no_weights = np.zeros(1, dtype=np.float32)
        untrained = TokeniserModel(
            chosen.learning,
            no_weights,
            parted_classes(text, labels),
            Multiwords.of(words_of_tokens(sentences)),
            Corrections.of(plain, labels),
            BoundaryModel(chosen.boundaries, Weights.of(no_weights), data.words),
        )

        def origin() -> Origin:
            training = hash_of([text.encode(), labels.tobytes(), repr(untrained.multiwords).encode()])
            return Origin.now(training, hash_of(str(sentence).encode() for sentence in held_out), asdict(chosen))

        state, observer = run.open(origin)
        stage = token_stage(text, labels, untrained.parted, chosen.learning)
        if held_out:
            stage = replace(stage, judge=lambda average: judge_ends(replace(untrained, weights=average), held_out))
        stages = [stage, boundary_stage(data, chosen.boundaries)]
        weights = run_stages(stages, seed=chosen.seed, state=state, observer=observer)
        boundaries = replace(untrained.boundaries, weights=Weights.of(weights["boundaries"]))
        return cls(replace(untrained, weights=weights["tokens"], boundaries=boundaries))

    def with_tables(self, train: Corpus) -> Tokeniser:
        """Return a copy whose multiword tokens and corrections are those of the treebank train; weights stay."""
        if self.model is None:
            raise InputError("a tokeniser by rules has no tables; train one with Tokeniser.train")
        sentences = sentences_of(train)
        tables = Multiwords.of(words_of_tokens(sentences)), Corrections.of(*treebank_labels(sentences))
        return Tokeniser(replace(self.model, multiwords=tables[0], corrections=tables[1]))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Tokeniser, ()) if self.model is None else super().__reduce__()

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        if self.model is None:
            raise ValueError("a tokeniser by rules has no weights to save: Tokeniser() makes another")
        weights, words = self.model.boundaries.weights, self.model.boundaries.words
        header = {
            "settings": asdict(self.model.settings),
            "parted": sorted(self.model.parted),
            "multiwords": asdict(self.model.multiwords),
            "patterns": self.model.corrections.patterns.names,
            "abbreviations": self.model.corrections.abbreviations.names,
            "signs": self.model.corrections.signs.names,
            "boundaries": {"settings": asdict(self.model.boundaries.settings), "scale": weights.scale},
        }
        arrays = (self.model.weights, weights.values, words.keys, words.rows)
        return header, dict(zip(self.ARRAYS, arrays, strict=True))

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Tokeniser:
        """Return the inverse of `to_arrays`; messages name the source of the header and the arrays."""
        checked = read_plain(header, Header, "header")
        settings = checked.boundaries.settings
        character_weights, weights, keys, rows = (arrays[name] for name in cls.ARRAYS)
        check_array("weights", character_weights, np.float32, (1 << checked.settings.bits,))
        check_array("boundaries.weights", weights, np.int8, (1 << settings.bits,))
        check_array("boundaries.words", rows, np.uint16, (len(keys), len(WORD_COLUMNS)))
        if (keys[1:] <= keys[:-1]).any():
            raise ValueError("the array boundaries.keys is not sorted")
        checked.multiwords.check_words()
        model = TokeniserModel(
            checked.settings,
            character_weights,
            frozenset(checked.parted),
            checked.multiwords,
            Corrections(Patterns(checked.patterns), Abbreviations(checked.abbreviations), Signs(checked.signs)),
            BoundaryModel(settings, Weights(weights, checked.boundaries.scale), WordTable(keys, rows)),
        )
        return cls(model)

    def __call__(self, text: str, *, whole: bool = False) -> list[Sentence]:
        """Split a text into sentences. Each token has its place in the text as TokenRange=begin:end in MISC.

        SpaceAfter=No says that no white space follows, SpacesAfter which, where it is not one space, so that
        `rebuild_text` rebuilds the text exactly. whole: the text is one sentence; otherwise none has more than 500
        tokens. The first sentence has the comment `# newdoc`, that of each paragraph `# newpar`.
        """
        if not isinstance(text, str):
            raise TypeError(f"text is {described(text)}; expected a str (Tokeniser.batch takes several texts)")
        [sentences] = self.batch([text], whole=whole)
        return sentences

    def batch(
        self,
        texts: Sequence[str],
        *,
        begins: Sequence[int] | None = None,
        number: int = 1,
        whole: bool = False,
        source: PlainText | None = None,
    ) -> list[list[Sentence]]:
        """Split several texts: the result is that of a call for each, but faster for short texts.

        begins: the places of their first characters, for parts of one text; sentences are then numbered on from text to
        text. number: of the first sentence. whole: each text is one sentence. source: the document in
        markup that the texts are parts of; TokenRange then refers to it.

        >>> [[sentence.text for sentence in split] for split in Tokeniser().batch(["It rains. Stay!", "", "Go!"])]
        [['It rains.', 'Stay!'], [], ['Go!']]
        """
        if isinstance(texts, str):
            raise TypeError(f"texts is {described(texts)}; expected a list of texts")
        if begins is not None and len(begins) != len(texts):
            raise InputError(f"begins has {len(begins)} entries; expected one for each of the {len(texts)} texts")
        text = Text.of(*texts)
        labels = text.written_labels(self._label(text.canonical))
        if whole:
            join_sentences(text, labels)
        else:
            cut_long_sentences(text.written, labels)
        multiwords = self.model.multiwords if self.model else Multiwords()
        return segments.sentences_of(text, labels, multiwords, begins, number, whole, source)

    def _label(self, canonical: str) -> Labels:
        """Label the characters of a canonical text."""
        if self.model is None:
            labels = label_by_rule(canonical)
        else:
            labels = np.zeros(len(canonical), dtype=np.int32)
            for batch in read_batches(canonical):
                labels[batch.span] = find_sentences(self.model, batch)
        close(canonical, labels)
        return labels

    def __repr__(self) -> str:
        if self.model is None:
            return "Tokeniser(by rules)"
        return f"Tokeniser(learned; {len(self.model.multiwords.whole)} multiword tokens)"


# -- labels of the characters of canonical text


def label_by_rule(canonical: str) -> Labels:
    """Label by the rules, each paragraph alone, and by all patterns."""
    paragraphs = (f"{paragraph}{PARAGRAPH}" for paragraph in canonical.split(PARAGRAPH)[:-1])
    labels = np.concatenate([np.zeros(0, dtype=np.int32), *map(labels_by_rule, paragraphs)])
    apply_patterns(canonical, labels, ALL_PATTERNS)
    return labels


def find_tokens(model: TokeniserModel, batch: Batch) -> tuple[Labels, NDArray[np.float64]]:
    """Label by the character model; return the labels, and the log odds that sentences end."""
    characters = Characters.of(batch, model.parted)
    chosen, confidence = characters.decisions.classify(LABELS, model.settings, model.weights)
    labels, certainty, odds = characters.labels, np.ones(len(batch.text)), np.full(len(batch.text), -np.inf)
    labels[characters.places], certainty[characters.places] = chosen, confidence
    odds[characters.places] = log_odds(np.where(chosen == SENTENCE, confidence, 1 - confidence))
    model.corrections.correct_tokens(batch.text, labels, certainty)
    return labels, odds


def find_sentences(model: TokeniserModel, batch: Batch) -> Labels:
    """Label by both models: the first finds the tokens, both together decide which of them end sentences."""
    labels, odds = find_tokens(model, batch)
    last = np.flatnonzero(labels)
    ends = combine_odds(odds[last], model.boundaries.odds(Tokens.of(batch.text, last), batch.rule))
    labels[last] = np.where(ends, SENTENCE, TOKEN)
    model.corrections.correct_sentences(batch.text, labels, model.boundaries.words.is_lower)
    return labels


# -- the model file


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
    patterns: tuple[str, ...]
    abbreviations: tuple[str, ...]
    signs: tuple[str, ...]
    boundaries: BoundaryHeader


# -- from a treebank


def text_and_ends(sentences: Sequence[Sentence]) -> tuple[str, tuple[list[int], list[int]]]:
    """Return the text of a treebank, and the last characters of tokens and of sentences in it."""
    pieces: list[str] = []
    tokens: list[int] = []
    ends: list[int] = []
    at = 0
    for number, sentence in enumerate(sentences):
        is_new = any(line.startswith(("# newdoc", "# newpar")) for line in sentence.comments)
        if number and is_new:
            pieces.append(PARAGRAPH)
            at += len(PARAGRAPH)
        for token in surface_tokens(sentence):
            form = token.form.strip()  # white space around a form is white space between tokens
            space = " " if has_space_after(token) else ""
            pieces += [form, space]
            at += len(form)
            if form:
                tokens.append(at - 1)
            at += len(space)
        if tokens:
            ends.append(tokens[-1])
    return "".join(pieces), (tokens, ends)


def words_of_tokens(sentences: Iterable[Sentence]) -> Iterator[tuple[str, Words]]:
    """Yield each token of a treebank with its words.

    A token of letters that is several words because a mark was forgotten (`plumbers` for `plumber's`, marked by
    Typo=Yes) is left out: in other texts it is the plural of a noun or the form of a verb.
    """
    for sentence in sentences:
        for token in surface_tokens(sentence):
            words = slice(token.first - 1, token.last)
            is_split = token.last > token.first and token.form.isalpha()
            if not is_split or not any(TYPO in feats.split("|") for feats in sentence.feats[words]):
                yield token.form, tuple(sentence.forms[words])


def treebank_labels(sentences: Sequence[Sentence]) -> tuple[str, Labels]:
    """Return the canonical text of a treebank, and the label of each of its characters."""
    text, (tokens, ends) = text_and_ends(sentences)
    labels = np.zeros(len(text), dtype=np.int32)
    labels[tokens], labels[ends] = TOKEN, SENTENCE
    seen = Text.of(text)
    return seen.canonical, seen.canonical_labels(labels)


def judge_ends(model: TokeniserModel, dev: Sequence[Sentence]) -> Judgement:
    """Compute F1 of the ends that the character model finds in the development text, in per cent.

    The mean of those of tokens and of sentences is the score.
    """
    written, gold = text_and_ends(dev)
    text = Text.of(written)
    batches = [find_tokens(model, batch)[0] for batch in read_batches(text.canonical)]
    canonical_labels = np.concatenate([np.zeros(0, dtype=np.int32), *batches])
    close(text.canonical, canonical_labels)
    labels = text.written_labels(canonical_labels)
    token_f1, sentence_f1 = (
        f1(np.flatnonzero(labels >= label).tolist(), ends) for label, ends in zip((TOKEN, SENTENCE), gold, strict=True)
    )
    return Judgement((token_f1 + sentence_f1) / 2, {"tokens": token_f1, "sentences": sentence_f1})


def f1(predicted: Iterable[int], gold: Iterable[int]) -> float:
    """Return F1 in per cent.

    >>> f1([1, 2], [2, 3]), f1([], [])
    (50.0, 100.0)
    """
    predicted, gold = set(predicted), set(gold)
    return 200 * len(predicted & gold) / (len(predicted) + len(gold)) if predicted or gold else 100.0

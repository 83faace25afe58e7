"""The public class of the tokeniser: train, save, load, tokenise."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright.checks import describe_value
from treewright.corpus import Sentence, open_input
from treewright.corpus.offsets import has_space_after, surface_tokens
from treewright.corpus.typography import canonical
from treewright.errors import InputError
from treewright.learn import AveragedCells, Judgement, Stage, StageCost, Weights
from treewright.learn import run as run_stages
from treewright.model.checkpoint import Origin
from treewright.model.component import ArrayForm, Arrays, Component, Corpus, Stored, hash_of, sentences_of
from treewright.model.run import Run, RunOptions
from treewright.tokeniser import TokeniserOptions, file, segments
from treewright.tokeniser.affixes import affix_stage, needs_affixes
from treewright.tokeniser.boundaries import (
    BoundaryModel,
    Tokens,
    boundary_stage,
    combine_odds,
    log_odds,
    token_tags,
    training_data,
)
from treewright.tokeniser.casing import with_noisy_paragraphs
from treewright.tokeniser.character_model import LABELS, Batch, Characters, parted_classes, read_batches, token_stage
from treewright.tokeniser.corrections import Corrections, apply_patterns, close
from treewright.tokeniser.file import TokeniserModel
from treewright.tokeniser.multiwords import Multiwords, Words, cased_words, count_forms, most_frequent_words
from treewright.tokeniser.patterns import PATTERNS, Patterns
from treewright.tokeniser.rules import labels_by_rule
from treewright.tokeniser.segmenter import Segmenter, cut_at_spaces, has_spaced_tokens, is_unspaced, segment_stage
from treewright.tokeniser.segments import cut_at_wide_spaces, cut_long_sentences, join_sentences
from treewright.tokeniser.spacing import attach_marks
from treewright.tokeniser.text import PARAGRAPH, SENTENCE, TOKEN, Labels, Text

if TYPE_CHECKING:
    from treewright.tokeniser.markup import PlainText

ALL_PATTERNS = Patterns(PATTERNS)
TYPO = "Typo=Yes"  # the feature of misspelt words in Universal Dependencies


class Tokeniser(Component):
    """Splits a text into sentences and words.

    >>> tokeniser = Tokeniser()  # by rules, for any language
    >>> [sentence.forms for sentence in tokeniser("It rains. Stay here!")]
    [['It', 'rains', '.'], ['Stay', 'here', '!']]
    """

    KIND: ClassVar[str] = "tokeniser"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

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
        plain, labels = attach_marks(plain, labels, chosen.seed)
        text = with_noisy_paragraphs(plain, chosen.case_noise, chosen.seed)
        data = training_data(plain, labels, token_tags(sentences), chosen.case_noise, chosen.seed)
        no_weights = np.zeros(1, dtype=np.float32)
        tokens = list(words_of_tokens(sentences))
        untrained = TokeniserModel(
            chosen.learning,
            no_weights,
            parted_classes(text, labels),
            Multiwords.of(tokens),
            Corrections.of(plain, labels),
            BoundaryModel(chosen.boundaries, Weights.of(no_weights), data.words),
        )

        def origin() -> Origin:
            training = hash_of([text.encode(), labels.tobytes(), repr(untrained.multiwords).encode()])
            return Origin.now(training, hash_of(str(sentence).encode() for sentence in held_out), asdict(chosen))

        state, observer = run.open(origin)
        parts_of_tokens = cut_at_spaces(text, labels) if has_spaced_tokens(plain, labels) else labels
        stage = token_stage(text, parts_of_tokens, untrained.parted, chosen.learning)
        if held_out:
            stage = replace(stage, judge=lambda average: judge_ends(replace(untrained, weights=average), held_out))
        parts = part_stages(plain, labels, tokens, chosen, held_out)
        stages = [stage, boundary_stage(data, chosen.boundaries), *(part.stage for part in parts)]
        weights = run_stages(stages, seed=chosen.seed, state=state, observer=observer)
        boundaries = replace(untrained.boundaries, weights=Weights.of(weights["boundaries"]))
        model = replace(untrained, weights=weights["tokens"], boundaries=boundaries)
        for part in parts:
            model = part.join(model, Weights.of(weights[part.stage.name]))
        return cls(model)

    def with_raw_text(self, path: str | os.PathLike[str]) -> Tokeniser:
        """Return a copy that does not split forms which the raw text of a file shows to be words of their own.

        A treebank may have `wits` for a forgotten apostrophe, and split it; in other texts it is a word.
        """
        if self.model is None:
            return self
        with open_input(path) as file:
            counts = count_forms(line.decode(errors="replace") for line in file)
        return Tokeniser(replace(self.model, multiwords=self.model.multiwords.confirm(counts)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Tokeniser, ()) if self.model is None else super().__reduce__()

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        if self.model is None:
            raise ValueError("a tokeniser by rules has no weights to save: Tokeniser() makes another")
        return file.to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Tokeniser:
        """Return the inverse of `to_arrays`; messages name the source of the header and the arrays."""
        return cls(file.from_arrays(header, arrays))

    def __call__(self, text: str, *, whole: bool = False) -> list[Sentence]:
        """Split a text into sentences. Each token has its place in the text as TokenRange=begin:end in MISC.

        SpaceAfter=No says that no white space follows, SpacesAfter which, where it is not one space, SpacesInToken how
        a word is written that is divided at the end of a line, so that `rebuild_text` rebuilds the text exactly.
        whole: the text is one sentence; otherwise none has more than 500 tokens. The first sentence has the comment
        `# newdoc`, that of each paragraph `# newpar`.
        """
        if not isinstance(text, str):
            raise TypeError(f"text is {describe_value(text)}; expected a str (Tokeniser.batch takes several texts)")
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
            raise TypeError(f"texts is {describe_value(texts)}; expected a list of texts")
        if begins is not None and len(begins) != len(texts):
            raise InputError(f"begins has {len(begins)} entries; expected one for each of the {len(texts)} texts")
        text = Text.of(*texts, is_word=self._is_word)
        labels = text.written_labels(self._label(text.canonical))
        if self._keeps_blanks:
            cut_at_wide_spaces(text, labels)
        if whole:
            join_sentences(text, labels)
        else:
            cut_long_sentences(text.written, labels)
        return segments.sentences_of(text, labels, self.split_tokens, begins, number, whole, source)

    def split_tokens(self, forms: Iterable[str]) -> dict[str, Words]:
        """Split tokens into words; most are one word.

        >>> Tokeniser().split_tokens(["rain"])
        {'rain': ('rain',)}
        """
        if self.model is None:
            return {form: (form,) for form in forms}
        multiwords, affixes = self.model.multiwords, self.model.affixes
        if affixes is None:
            return {form: multiwords.words_of(form) for form in forms}
        lower = {form: canonical(form).lower() for form in forms}
        unlisted = sorted(set(lower.values()) - set(multiwords.whole))
        words_of = {**multiwords.whole, **dict(zip(unlisted, affixes.split(unlisted), strict=True))}
        return {form: cased_words(form, words_of[lower[form]]) for form in lower}

    def _label(self, canonical: str) -> Labels:
        """Label the characters of a canonical text."""
        if self.model is None:
            labels = label_by_rule(canonical)
        else:
            labels = np.zeros(len(canonical), dtype=np.int32)
            for batch in read_batches(canonical):
                labels[batch.span] = find_sentences(self.model, batch)
        close(canonical, labels, keeps_blanks=self._keeps_blanks)
        return labels

    def _is_word(self, form: str) -> bool:
        """Whether a form in lower case is a word of the training data."""
        return self.model is not None and self.model.boundaries.words.row_of(form) is not None

    @property
    def _keeps_blanks(self) -> bool:
        """Whether tokens may have blanks inside."""
        return self.model is not None and self.model.segmenter is not None and self.model.segmenter.joins

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
    if model.segmenter and not model.segmenter.joins:
        model.segmenter.set_token_ends(batch, labels)
    model.corrections.correct_tokens(batch.text, labels, certainty)
    if model.segmenter and model.segmenter.joins:
        model.segmenter.set_token_ends(batch, labels)
    return labels, odds


def find_sentences(model: TokeniserModel, batch: Batch) -> Labels:
    """Label by both models: the first finds the tokens, both together decide which of them end sentences."""
    labels, odds = find_tokens(model, batch)
    last = np.flatnonzero(labels)
    ends = combine_odds(odds[last], model.boundaries.odds(Tokens.of(batch.text, last), batch.rule))
    labels[last] = np.where(ends, SENTENCE, TOKEN)
    model.corrections.correct_sentences(batch.text, labels, model.boundaries.words.is_lower)
    return labels


# -- from a treebank


class PartStage(NamedTuple):
    """The training of a part that not every treebank needs, and how it joins the model."""

    stage: Stage[AveragedCells]
    join: Callable[[TokeniserModel, Weights], TokeniserModel]


def stage_costs(options: TokeniserOptions, sentences: Sequence[Sentence]) -> list[StageCost]:
    """Return the stages of the training of a tokeniser on a treebank."""
    text, labels = treebank_labels(sentences)
    parts = {
        "segments": StageCost("segments", options.segments.epochs, 0.5),
        "multiwords": StageCost("multiwords", options.affixes.epochs, 0.05),
    }
    needed = needed_parts(text, labels, list(words_of_tokens(sentences)))
    return [
        StageCost("tokens", options.learning.epochs, 1.0),
        StageCost("boundaries", options.boundaries.epochs, 1.0),
        *(parts[name] for name in needed),
    ]


def needed_parts(text: str, labels: Labels, tokens: Sequence[tuple[str, Words]]) -> list[str]:
    """Return the parts that a treebank needs: segments where spaces do not separate tokens, multiwords for affixes."""
    needs_segments = has_spaced_tokens(text, labels) or is_unspaced(text, labels)
    needs_multiwords = needs_affixes(most_frequent_words(tokens), Multiwords.of(tokens))
    return ["segments"] * needs_segments + ["multiwords"] * needs_multiwords


def part_stages(
    text: str, labels: Labels, tokens: Sequence[tuple[str, Words]], options: TokeniserOptions, dev: Sequence[Sentence]
) -> list[PartStage]:
    """Return the training of the parts that a treebank needs."""
    parts = []
    needed = needed_parts(text, labels, tokens)
    if "segments" in needed:
        segmenter, stage = segment_stage(text, labels, options.segments, joins=has_spaced_tokens(text, labels))
        if dev:
            judge = lambda weights: judge_segments(replace(segmenter, weights=Weights.of(weights)), dev)  # noqa: E731
            stage = replace(stage, judge=judge)
        parts.append(
            PartStage(stage, lambda model, weights: replace(model, segmenter=replace(segmenter, weights=weights)))
        )
    if "multiwords" in needed:
        affixes, stage = affix_stage(most_frequent_words(tokens), options.affixes)
        parts.append(
            PartStage(
                stage,
                lambda model, weights: replace(
                    model, affixes=replace(affixes, weights=weights), multiwords=replace(model.multiwords, suffixes={})
                ),
            )
        )
    return parts


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
    """Compute F1 of the tokens and the sentence ends that the character model finds in the development text.

    In per cent; their mean is the score.
    """
    text, (tokens, ends) = text_and_ends(dev)
    labels = label_text(text, lambda batch: find_tokens(model, batch)[0])
    token_f1 = f1(spans(np.flatnonzero(labels)), spans(tokens))
    sentence_f1 = f1(np.flatnonzero(labels == SENTENCE).tolist(), ends)
    return Judgement((token_f1 + sentence_f1) / 2, {"tokens": token_f1, "sentences": sentence_f1})


def judge_segments(segmenter: Segmenter, dev: Sequence[Sentence]) -> Judgement:
    """Compute F1 of the tokens that the segmenter finds in the development text, in per cent; gold parts are joined."""
    text, labels = treebank_labels(dev)
    parts = cut_at_spaces(text, labels)
    ends = [batch.span.start + segmenter.token_ends(batch, parts[batch.span]) for batch in read_batches(text)]
    token_f1 = f1(spans(np.concatenate([np.zeros(0, dtype=np.int64), *ends])), spans(np.flatnonzero(labels)))
    return Judgement(token_f1, {"tokens": token_f1})


def label_text(written: str, label: Callable[[Batch], Labels]) -> Labels:
    """Label the characters of a text, batch by batch."""
    text = Text.of(written)
    canonical_labels = np.concatenate([np.zeros(0, dtype=np.int32), *map(label, read_batches(text.canonical))])
    close(text.canonical, canonical_labels)
    return text.written_labels(canonical_labels)


def spans(ends: Sequence[int] | NDArray[np.int64]) -> set[tuple[int, int]]:
    """Return each token as the last characters of the previous token and of its own.

    >>> sorted(spans([2, 5]))
    [(-1, 2), (2, 5)]
    """
    return set(pairwise([-1, *map(int, ends)]))


def f1(predicted: Iterable[object], gold: Iterable[object]) -> float:
    """Return F1 in per cent.

    >>> f1([1, 2], [2, 3]), f1([], [])
    (50.0, 100.0)
    """
    predicted, gold = set(predicted), set(gold)
    return 200 * len(predicted & gold) / (len(predicted) + len(gold)) if predicted or gold else 100.0

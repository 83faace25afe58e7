"""A trained tagger: its tags, its words, its weights; and a worker that tags with it, one a thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import AddedTagScores, LemmaWords, TagModel, TagWords, text_hash
from treewright.caching import MAX_CACHED, cached_property
from treewright.corpus import Sentence
from treewright.corpus.sentence import is_open, set_cells
from treewright.corpus.typography import canonical
from treewright.learn import Calibration, Learning, Weights
from treewright.learn.hashing import hashed
from treewright.tagger.full_forms import ANY_FEATS
from treewright.tagger.lexicon import Lexicon, Listing
from treewright.tagger.network_tags import NetworkTags
from treewright.tagger.options import COLUMNS, Candidates, TaggerOptions
from treewright.tagger.scripts import apply_script, cells_of
from treewright.tagger.words import ATOMS, LEMMA_ATOMS, LEMMA_TEMPLATES, SHAPE, TEMPLATES, Indices
from treewright.tokeniser.casing import without_capitals
from treewright.tokeniser.characters import compile_templates
from treewright.tokeniser.representatives import NAME_TAG, NAMES, kind_of, representative

Tag = tuple[str, ...]
Stems = NDArray[np.uint32]  # rows of a lemma and the number of its tag

MAX_FEATURE_NAMES = 8  # morphological features with parts of their own, the most frequent ones; not tuned
NON_PROPN_PENALTY = -1e3  # added to every tag but PROPN for names of files and code; below any sum of weights
NO_STEMS: Stems = np.zeros((0, 2), dtype=np.uint32)


@dataclass(frozen=True)
class TaggerModel:
    """Everything that tagging needs."""

    options: TaggerOptions
    tags: tuple[Tag, ...]  # a value for each of options.tag_columns
    lexicon: Lexicon  # labels are numbers of tags
    weights: Weights
    scripts: tuple[str, ...]
    lemmas: Lexicon  # labels are numbers of scripts
    lemma_weights: Weights
    stems: Listing  # labels are numbers of stem_tags
    stem_tags: tuple[str, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)  # about the training data, for the model file
    calibration: Calibration | None = None  # of the probability of whole tags; None: not measured
    network_weight: float = 0.0  # of the log-probabilities of tags that a network gives the words of a sentence
    network_candidates: Candidates | None = None  # of words with such probabilities; None: those of the options
    linear_calibration: Calibration | None = None  # of words without such probabilities, if there is a weight

    def fold_capitals(self, forms: Sequence[str]) -> Sequence[str]:
        """Bring the forms of a sentence into the casing in which words are looked up and described."""
        return without_capitals(forms) if self.options.folds_capitals else forms

    def without_network(self) -> TaggerModel:
        """Return the model for words without the scores of a network."""
        if not self.network_weight:
            return self
        linear = self.linear_calibration
        return replace(self, network_weight=0.0, network_candidates=None, calibration=linear, linear_calibration=None)


class Tagged(NamedTuple):
    """The tags of sentences as numbers, one sentence after the other, their value, the probability of each tag."""

    tags: NDArray[np.int32]
    value: float
    confidence: NDArray[np.float64] | None


class Spelling(NamedTuple):
    """The forms of a sentence as models see them: canonical, and in the casing in which words are looked up."""

    canonical: Sequence[str]
    folded: Sequence[str]

    @classmethod
    def of(cls, sentence: Sentence, model: TaggerModel) -> Spelling:
        """Spell the forms of a sentence for a model."""
        forms: Sequence[str] = sentence.forms
        if not "".join(forms).isascii():
            forms = [canonical(form) for form in forms]
        return cls(forms, model.fold_capitals(forms))


class DescribedWords:
    """Words with their candidate tags, and the kernel that decodes over them."""

    def __init__(self, model: TaggerModel) -> None:
        self.model = model
        self.words = tag_words(model)
        self.kernel = tag_kernel(model.tags, model.options.tag_columns, model.options)
        self.kernel.keep_scores(self.words, model.weights.values)
        self._rows: dict[str, int] = {}

    def rows(self, spellings: Iterable[Spelling]) -> Indices:
        """Find the row of each word."""
        if len(self._rows) > MAX_CACHED:
            self._rows.clear()
            self.words.clear()
        rows = self._rows
        words = chain.from_iterable(spelling.folded for spelling in spellings)
        return np.array([rows.get(form) or self._describe(form) for form in words], dtype=np.int32)

    def _describe(self, form: str) -> int:
        word = representative(form)
        row = self._rows[form] = self.words.add(word, word.lower(), word.translate(SHAPE), -1, NO_STEMS)
        return row


class TagWorker:
    """Tags sentences with a model. It caches descriptions of words, so each thread has a worker of its own."""

    def __init__(self, model: TaggerModel) -> None:
        self.model = model
        self.network = NetworkTags(model.tags, model.options.tag_columns)
        columns = model.options.tag_columns
        upos = [tag[columns.index("upos")] for tag in model.tags] if "upos" in columns else []
        self._columns = columns
        self._permitted: dict[Tag, list[int]] = {}
        is_name_tag = np.array([value == NAME_TAG for value in upos], dtype=np.bool_)
        # What keeps names of files and of parts of programs from other tags than PROPN, if the model has it.
        self._name_scores = (
            np.where(is_name_tag, 0.0, NON_PROPN_PENALTY) if is_name_tag.any() else np.zeros(len(model.tags))
        )

    @cached_property
    def described(self) -> DescribedWords:
        """The words of sentences without a reading."""
        return DescribedWords(self.model)

    @cached_property
    def described_with_network(self) -> DescribedWords:
        """The words of sentences with a reading; they may have other numbers of candidates."""
        if self.model.network_candidates is None:
            return self.described
        options = replace(self.model.options, **vars(self.model.network_candidates))
        return DescribedWords(replace(self.model, options=options))

    def tag(
        self,
        sentences: Sequence[Sentence],
        adjust: NDArray[np.float64] | None = None,
        confidence: bool = True,
        keep: Sequence[bool] = (),
    ) -> Tagged:
        """Find the best tags of sentences that all have readings or all have none, with calibrated probabilities.

        adjust is added to the scores of tags. keep: for each sentence, whether words have tags with the values that it
        gives them (`permitted_tags`); empty for none.
        """
        calibration = self._calibration(sentences)
        tagged = self.decode(sentences, confidence, calibration.temperature, adjust, keep)
        return tagged if tagged.confidence is None else tagged._replace(confidence=calibration.apply(tagged.confidence))

    def decode(
        self,
        sentences: Sequence[Sentence],
        confidence: bool,
        temperature: float,
        adjust: NDArray[np.float64] | None = None,
        keep: Sequence[bool] = (),
    ) -> Tagged:
        """Find the best tags like `tag`; their probabilities are those of the model at a temperature."""
        spellings = [Spelling.of(sentence, self.model) for sentence in sentences]
        described = self._described(sentences)
        permitted: list[list[int]] = []
        if any(keep):
            both = zip(sentences, keep, strict=True)
            permitted = [tags for sentence, kept in both for tags in self.permitted_tags(sentence, kept)]
        tags, value, probability = described.kernel.decode_words(
            *(described.words, described.rows(spellings), *self.model.weights, adjust, confidence, temperature),
            permitted,
            [len(sentence) for sentence in sentences],
            self._added(sentences, spellings),
        )
        return Tagged(tags, value, probability)

    def probabilities(self, sentence: Sentence) -> NDArray[np.float64]:
        """[word, tag]: the probability of each tag given the values that the sentence has."""
        spellings, described = [Spelling.of(sentence, self.model)], self._described([sentence])
        return described.kernel.probabilities_words(
            *(described.words, described.rows(spellings), *self.model.weights, None),
            self._calibration([sentence]).temperature,
            self.permitted_tags(sentence),
            self._added([sentence], spellings),
        )

    def is_read(self, sentence: Sentence) -> bool:
        """Whether the reading of a sentence by a network counts for its tags."""
        return self.model.network_weight > 0 and sentence.reading is not None

    def _described(self, sentences: Sequence[Sentence]) -> DescribedWords:
        is_read = bool(sentences) and self.is_read(sentences[0])
        return self.described_with_network if is_read else self.described

    def _calibration(self, sentences: Sequence[Sentence]) -> Calibration:
        is_linear = self.model.network_weight > 0 and not (sentences and self.is_read(sentences[0]))
        return (self.model.linear_calibration if is_linear else self.model.calibration) or Calibration()

    def _added(self, sentences: Sequence[Sentence], spellings: Sequence[Spelling]) -> AddedTagScores | None:
        """Return what is added to the scores of tags: by readings, and for names of files and of parts of programs.

        Readings say nothing of such names, which are unknown (representatives.py).
        """
        readings: list[Any] = [sentence.reading for sentence in sentences if self.is_read(sentence)]
        forms = chain.from_iterable(spelling.canonical for spelling in spellings)
        is_name = [not form.isalpha() and kind_of(form) in NAMES for form in forms]
        if not readings and True not in is_name:
            return None
        places = self.network.places(readings[0].model if readings else None)
        tags, mask = [reading.tags for reading in readings], np.array(is_name, dtype=np.bool_)
        return AddedTagScores(tags, places, self.model.network_weight, mask, self._name_scores)

    def permitted_tags(self, sentence: Sentence, keep: bool = True) -> list[list[int]]:
        """Return the tags that have the values given in the columns of a sentence, for each word; none: any tag.

        "_" is an open value. If no tag has all values of a word, its UPOS alone counts; if none has that, any tag.
        Unless the values are to keep, every word may have any tag.
        """
        if not keep:
            return [[]] * len(sentence)
        columns = [COLUMNS[name] for name in self.model.options.tag_columns]
        return [self._tags_with(cells) for cells in sentence.cells(*columns)]

    def _tags_with(self, cells: Tag) -> list[int]:
        if cells not in self._permitted:
            if len(self._permitted) >= MAX_CACHED:
                self._permitted.clear()
            upos = [cell if column == "upos" else "_" for column, cell in zip(self._columns, cells, strict=True)]
            self._permitted[cells] = tags_like(self.model.tags, cells) or tags_like(self.model.tags, upos)
        return self._permitted[cells]


def tags_like(tags: Sequence[Tag], cells: Sequence[str]) -> list[int]:
    """Return the numbers of the tags that have these cells; "_" stands for any, and only "_" for no number.

    >>> tags_like([("NOUN", "_"), ("VERB", "VB"), ("VERB", "VBD")], ["VERB", "_"])
    [1, 2]
    """
    given = [(place, cell) for place, cell in enumerate(cells) if cell != "_"]
    if not given:
        return []
    return [number for number, tag in enumerate(tags) if all(tag[place] == cell for place, cell in given)]


def is_code_name(form: str) -> bool:
    """Whether a form in canonical spelling is the name of a file or of a part of a program."""
    return not form.isalpha() and kind_of(form) in NAMES


def tag_words(model: TaggerModel) -> TagWords:
    """Make the table of words and their tags, none described yet."""
    values = {value: number for number, value in enumerate(dict.fromkeys(tag[0] for tag in model.tags))}
    first_of = [values[tag[0]] for tag in model.tags]
    lexicon, options = model.lexicon, model.options
    lists = lexicon.words.core, lexicon.suffixes.core, model.stems.core
    return TagWords(*lists, first_of, options.min_known_count, options.max_guesses)


def tag_kernel(tags: Sequence[Tag], columns: Sequence[str], options: TaggerOptions) -> TagModel:
    """Return the kernel for these tags."""
    rows = tag_parts(tags, columns)
    hash_of = {part: hashed(part) for part in set(chain.from_iterable(rows))}
    table = np.array([[hash_of[part] for part in row] for row in rows], dtype=np.uint32)
    items = compile_templates(TEMPLATES, ATOMS)
    word = ATOMS.index("lower")
    return TagModel(items, len(TEMPLATES), table, options.tags.bits, options.max_candidates, word, True)


def tag_parts(tags: Sequence[Tag], columns: Sequence[str]) -> list[list[str]]:
    """Return the parts that tags share: the value in each column, and that of each morphological feature.

    The last row is for positions before the sentence. A part that is the same for all tags is left out.

    >>> tag_parts([("NOUN", "Case=Nom"), ("NOUN", "Case=Acc")], ["upos", "feats"])
    [['feats=Case=Nom', 'Case=Nom'], ['feats=Case=Acc', 'Case=Acc'], ['feats', 'Case']]
    """
    rows: list[list[str]] = [[f"{name}={value}" for name, value in zip(columns, tag, strict=True)] for tag in tags]
    names = list(columns)
    if "feats" in columns:
        place = columns.index("feats")
        sets = [dict(pair.partition("=")[::2] for pair in tag[place].split("|")) for tag in tags]
        counts = Counter(name for values in sets for name in values if name != "_")
        chosen = sorted(counts, key=lambda name: (-counts[name], name))[:MAX_FEATURE_NAMES]
        names += chosen
        for row, values in zip(rows, sets, strict=True):
            row += [f"{name}={values.get(name, '')}" for name in chosen]
    varying = [place for place in range(len(names)) if len({row[place] for row in rows}) > 1] or [0]
    return [[row[place] for place in varying] for row in [*rows, names]]


class LemmaWorker:
    """Chooses lemmas for words and their tags; results are cached."""

    def __init__(self, model: TaggerModel) -> None:
        self.model = model
        self.words = lemma_words(model)
        self.kernel = lemma_kernel(model.scripts, model.options.lemmas)
        self.known: dict[tuple[str, str, str, str], str] = {}

    def lemmas(self, sentence: Sentence) -> list[str]:
        """Choose the lemma of each word."""
        known = self.known
        if len(known) > MAX_CACHED:
            known.clear()
        words = zip(*Spelling.of(sentence, self.model), sentence.upos, sentence.feats, strict=True)
        return [known.get(word) or self._choose(word) for word in words]

    def _choose(self, word: tuple[str, str, str, str]) -> str:
        spelled, form, upos, feats = word
        lemma = spelled
        if not kind_of(spelled):  # addresses, emoji and the like are their own lemmas
            number = self._look_up(form, upos, feats)
            if number < 0:
                number = self._classify(form, upos, feats)
            lemma = (None if number < 0 else apply_script(self.model.scripts[number], spelled)) or spelled
            if "\r" in lemma:  # a carriage return within a form cannot be written in another cell
                lemma = "_"
        self.known[word] = lemma
        return lemma

    def _look_up(self, form: str, upos: str, feats: str) -> int:
        """Return the script of a word with this tag, else that of a lexicon for any features and casing; -1: none."""
        keys = ((form, feats), (form, ANY_FEATS), (form.lower(), ANY_FEATS))
        tag = text_hash(upos)
        numbers = (self.words.seen(spelled, tag, text_hash(value)) for spelled, value in keys)
        return next((number for number in numbers if number >= 0), -1)

    def _classify(self, form: str, upos: str, feats: str) -> int:
        row = add_lemma_word(self.words, self.model, (form, upos, feats), -1, NO_STEMS)
        if row < 0:
            return -1
        rows = np.array([row], dtype=np.int32)
        tags, _, _ = self.kernel.decode_words(self.words, rows, *self.model.lemma_weights, None, False)
        self.words.clear()
        return int(tags[0])


def lemma_words(model: TaggerModel) -> LemmaWords:
    """Make the table of words and their edit scripts, none described yet."""
    lists = model.lemmas.words.core, model.lemmas.suffixes.core, model.stems.core
    return LemmaWords(*lists, [cells_of(script) for script in model.scripts])


def add_lemma_word(
    words: LemmaWords, model: TaggerModel, word: tuple[str, str, str], script: int, excluded: Stems
) -> int:
    """Add a form with its UPOS and FEATS and return its row, -1 if no script fits; script: -1 outside training."""
    form, upos, feats = word
    stem_tag = model.stem_tags.index(upos) if upos in model.stem_tags else -1
    tag = text_hash(upos), text_hash(feats), stem_tag
    return words.add(form, form.lower(), form.translate(SHAPE), *tag, script, excluded)


def lemma_kernel(scripts: Sequence[str], settings: Learning) -> TagModel:
    """Return the kernel that chooses the script of each word independently."""
    table = np.array([[hashed(script)] for script in [*scripts, "<before>"]], dtype=np.uint32)
    items = compile_templates(LEMMA_TEMPLATES, LEMMA_ATOMS)
    return TagModel(items, len(LEMMA_TEMPLATES), table, settings.bits, 1 << 20, 0, False)


class Worker:
    """Fills the columns of sentences, for one thread."""

    def __init__(self, model: TaggerModel) -> None:
        self.model = model
        self.tags = TagWorker(model) if model.tags else None
        self.lemmas = LemmaWorker(model) if model.options.has_lemmas else None
        self._columns = [COLUMNS[column] for column in model.options.tag_columns]

    def tag(self, sentences: Sequence[Sentence], confidence: bool = True, keep: bool = False) -> list[Sentence]:
        """Return copies with their columns filled; keep: only cells that are "_"."""
        copies = [sentence.copy() for sentence in sentences]
        self.fill(copies, confidence, keep)
        return copies

    def fill(self, copies: Sequence[Sentence], confidence: bool = True, keep: bool = False) -> None:
        """Fill the columns of sentences in place."""
        columns = [COLUMNS[column] for column in self.model.options.columns]
        kept = [keep and not is_open(sentence, *columns) for sentence in copies]
        if self.tags is not None:
            worker = self.tags
            for _, group in groupby(zip(copies, kept, strict=True), lambda pair: worker.is_read(pair[0])):
                self._fill_tags(worker, list(group), confidence)
        if self.lemmas is not None:
            for copy, is_kept in zip(copies, kept, strict=True):
                fill_columns(copy, {COLUMNS["lemma"]: self.lemmas.lemmas(copy)}, is_kept)

    def _fill_tags(self, worker: TagWorker, pairs: Sequence[tuple[Sentence, bool]], confidence: bool) -> None:
        """Tag sentences that all have readings or all have none, each with whether its filled cells are kept."""
        sentences, kept = [sentence for sentence, _ in pairs], [is_kept for _, is_kept in pairs]
        tagged = worker.tag(sentences, None, confidence, kept)
        tags = [self.model.tags[number] for number in tagged.tags.tolist()]
        ends = accumulate(map(len, sentences), initial=0)
        for (sentence, is_kept), (begin, end) in zip(pairs, pairwise(ends), strict=True):
            probability = None if tagged.confidence is None else tagged.confidence[begin:end].copy()
            if is_kept and probability is not None:
                probability[[tag != "_" for tag in sentence.upos]] = 1.0
            sentence.tag_confidence = probability
            columns = map(list, zip(*tags[begin:end], strict=True))
            fill_columns(sentence, dict(zip(self._columns, columns, strict=True)), is_kept)


def fill_columns(sentence: Sentence, columns: Mapping[str, list[str]], keep: bool) -> None:
    """Set columns to cells of a model; keep: only their cells that are "_"."""
    if keep:
        columns = {
            name: [new if cell == "_" else cell for cell, new in zip(sentence.column(name), cells, strict=True)]
            for name, cells in columns.items()
        }
    set_cells(sentence, columns)

"""The kernels refuse arrays that would make them read or write outside of their memory, and say why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright._core import AddedTagScores, LabelLists, LemmaWords, TagModel, TagWords, template_features

BITS = 8
NO_STEMS = np.zeros((0, 2), dtype=np.uint32)


def ints(*values: int) -> NDArray[np.int32]:
    return np.array(values, dtype=np.int32)


def lists(keys: list[int], begin: list[int], labels: list[int], counts: list[int]) -> LabelLists:
    return LabelLists(
        np.array(keys, dtype=np.uint32), ints(*begin), np.array(labels, dtype=np.uint16), np.array(counts, np.uint16)
    )


def model(
    items: tuple[tuple[int, int, int], ...] = ((0, 0, 0),), bits: int = BITS, most: int = 4, atom: int = 0
) -> TagModel:
    parts = np.array([[1], [2], [3]], dtype=np.uint32)  # two tags, and "before the sentence"
    return TagModel(np.array(items, dtype=np.int32), 1, parts, bits, most, atom, True)


@dataclass(frozen=True)
class Call:
    """Arguments of TagModel.decode and learn: one word with two candidates, after four rows of padding."""

    atoms: NDArray[np.uint32] = field(default_factory=lambda: np.zeros((5, 1), dtype=np.uint32))
    begin: NDArray[np.int32] = field(default_factory=lambda: ints(0, 0, 0, 0, 0, 2))
    pool: NDArray[np.int32] = field(default_factory=lambda: ints(0, 1))
    rows: NDArray[np.int32] = field(default_factory=lambda: ints(4))
    gold: NDArray[np.int32] = field(default_factory=lambda: ints(1))
    weights: NDArray[np.float32] = field(default_factory=lambda: np.zeros(1 << BITS, dtype=np.float32))
    cells: NDArray[np.float32] = field(default_factory=lambda: np.zeros((1 << BITS, 4), dtype=np.float32))
    adjust: NDArray[np.float64] | None = None

    def decode(self) -> list[int]:
        words = self.atoms, self.begin, self.pool, self.rows
        tags, _, _ = model().decode(*words, self.weights, self.adjust, True)
        return list(tags.tolist())

    def learn(self) -> float:
        words = self.atoms, self.begin, self.pool, self.rows
        return model().learn(*words, self.gold, self.cells, 1.0, 0.1, 0.1, 0.0)


GOOD = Call()


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([[0], [1]], "candidates must have a list a word, or be empty"),
        ([[2]], "a candidate is not the number of a tag"),
        ([[-1]], "a candidate is not the number of a tag"),
    ],
)
def test_candidates_must_be_tags_of_the_words(candidates: list[list[int]], message: str) -> None:
    empty = lists([], [0], [], [])
    words = TagWords(empty, empty, empty, [0, 1], 1, 5)
    words.add("a", "a", "a", 1, NO_STEMS)
    rounded = np.zeros(1 << BITS, dtype=np.int8)
    with pytest.raises(ValueError, match=message):
        model().decode_words(words, ints(4), rounded, 1.0, None, True, 1.0, candidates)
    with pytest.raises(ValueError, match=message):
        model().probabilities_words(words, ints(4), rounded, 1.0, None, 1.0, candidates)


def test_the_call_that_the_others_damage_is_good() -> None:
    assert GOOD.decode() == [0]
    assert GOOD.learn() == pytest.approx(np.log(2))
    assert GOOD.cells.any()


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (replace(GOOD, rows=ints(5)), "rows names a row that is missing"),
        (replace(GOOD, rows=ints(-1)), "rows names a row that is missing"),
        (replace(GOOD, rows=ints(0)), "a word has no candidates"),
        (replace(GOOD, begin=ints(0, 0, 0, 0, 0, 3)), "a word has no candidates in pool"),
        (replace(GOOD, begin=ints(0, 0, 0, 0, -1, 2)), "a word has no candidates in pool"),
        (replace(GOOD, begin=ints(0, 0, 0, 0, 0)), "begin must have one entry more"),
        (replace(GOOD, pool=ints(0, 2)), "a candidate is not the number of a tag"),
        (replace(GOOD, pool=ints(-1, 0)), "a candidate is not the number of a tag"),
        (replace(GOOD, atoms=np.zeros((5, 0), dtype=np.uint32)), "atoms lacks columns"),
        (replace(GOOD, atoms=np.zeros((3, 1), dtype=np.uint32)), "atoms lacks the rows of the padding"),
    ],
)
def test_damaged_words_are_refused(damaged: Call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        damaged.decode()
    with pytest.raises(ValueError, match=message):
        damaged.learn()


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (replace(GOOD, weights=np.zeros(255, dtype=np.float32)), r"weights must have 2\^bits entries"),
        (replace(GOOD, weights=np.full(256, np.nan, dtype=np.float32)), "weights contain NaN or infinite numbers"),
        (replace(GOOD, weights=np.full(256, np.inf, dtype=np.float32)), "weights contain NaN or infinite numbers"),
        (replace(GOOD, adjust=np.zeros((1, 3))), "adjust must have a row a word and a column a tag"),
        (replace(GOOD, adjust=np.zeros((2, 2))), "adjust must have a row a word and a column a tag"),
        (replace(GOOD, adjust=np.array([[0, np.nan]])), "adjust must be finite, or -inf"),
        (replace(GOOD, adjust=np.array([[np.inf, 0]])), "adjust must be finite, or -inf"),
    ],
)
def test_damaged_weights_and_adjustments_are_refused(damaged: Call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        damaged.decode()


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (replace(GOOD, gold=ints(2)), "a gold tag is not a candidate"),
        (replace(GOOD, gold=ints(-2)), "a gold tag is not a candidate"),
        (replace(GOOD, gold=ints(0, 0)), "gold must have an entry a word"),
        (replace(GOOD, cells=np.zeros((256, 3), dtype=np.float32)), r"cells must have 2\^bits rows and 4 columns"),
        (replace(GOOD, cells=np.full((256, 4), np.nan, dtype=np.float32)), "the loss is not finite"),
    ],
)
def test_damaged_training_data_are_refused(damaged: Call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        damaged.learn()


def test_an_open_tag_teaches_nothing_by_itself() -> None:
    cells = np.zeros((256, 4), dtype=np.float32)
    assert replace(GOOD, gold=ints(-1), cells=cells).learn() == pytest.approx(0, abs=1e-12)
    assert not cells[:, 0].any()


def test_an_open_tag_stands_for_all_sequences_with_the_others() -> None:
    trained = np.zeros((256, 4), dtype=np.float32)
    replace(GOOD, cells=trained).learn()
    rows = np.concatenate([GOOD.rows, GOOD.rows])
    whole, open_first, open_second = (
        replace(GOOD, rows=rows, gold=ints(*gold), cells=trained.copy()).learn() for gold in ((0, 0), (-1, 0), (0, -1))
    )
    other = replace(GOOD, rows=rows, gold=ints(1, 0), cells=trained.copy()).learn()
    assert open_first == pytest.approx(-np.log(np.exp(-whole) + np.exp(-other)))
    last = replace(GOOD, rows=rows, gold=ints(0, 1), cells=trained.copy()).learn()
    assert open_second == pytest.approx(-np.log(np.exp(-whole) + np.exp(-last)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_forty_candidates_with_weights_that_are_not_finite_stay_candidates(bad: float) -> None:
    """Sorting them needs a total order, which NaN does not have."""
    tags = 40
    parts = np.arange(1, tags + 2, dtype=np.uint32).reshape(-1, 1)
    kernel = TagModel(np.array([[0, 0, 0]], dtype=np.int32), 1, parts, BITS, 4, 0, True)
    random = np.random.default_rng(3)
    for _ in range(50):
        weights = random.normal(size=1 << BITS).astype(np.float32)
        weights[random.random(weights.shape) < 0.3] = bad
        call = replace(GOOD, begin=ints(0, 0, 0, 0, 0, tags), pool=np.arange(tags, dtype=np.int32))
        free = np.zeros((1, tags))
        found, _, _ = kernel.decode(call.atoms, call.begin, call.pool, call.rows, weights, free, True)
        assert found[0] in range(tags)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ((1, 0, 0), "an item is of no template"),
        ((-1, 0, 0), "an item is of no template"),
        ((0, -1, 0), "an item is of no atom"),
        ((0, 2**31 - 1, 0), "an item is of no atom"),
        ((0, 0, 3), "the offset of an item must be -2 to 2"),
        ((0, 0, -3), "the offset of an item must be -2 to 2"),
    ],
)
def test_templates_outside_of_the_atoms_are_refused(item: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model((item,))


def test_settings_of_a_model_are_checked() -> None:
    for bits in (7, 29):
        with pytest.raises(ValueError, match="bits must be 8 to 28"):
            model(bits=bits)
    with pytest.raises(ValueError, match="max_candidates must be positive"):
        model(most=0)
    for atom in (-1, 2**31 - 1):
        with pytest.raises(ValueError, match="word_atom is not the number of an atom"):
            model(atom=atom)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([1], [0], [0], [1]), "begin must have one entry more than keys"),
        (([], [], [], []), "begin must have one entry more than keys"),
        (([1], [0, 1], [0], [1, 1]), "labels and counts must be of one length"),
        (([1], [0, 2], [0], [1]), "begin must start with 0 and end with the number of labels"),
        (([1], [0, -1], [], []), "begin must start with 0 and end with the number of labels"),
        (([1], [1, 1], [0], [1]), "begin must start with 0 and end with the number of labels"),
        (([1, 2], [0, 2, 1], [0], [1]), "begin must not descend"),
        (([2, 1], [0, 0, 1], [0], [1]), "keys must be sorted"),
        (([1, 1], [0, 0, 1], [0], [1]), "keys must be sorted"),
        (([1], [0, 1], [0], [0]), "counts must be positive"),
        (([1], [0, 2**15 + 1], [0] * (2**15 + 1), [2**16 - 1] * (2**15 + 1)), "the counts of a key are too large"),
    ],
)
def test_damaged_lists_are_refused(arrays: tuple[list[int], list[int], list[int], list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lists(*arrays)


EMPTY = lists([], [0], [], [])
TWO_LABELS = lists([0], [0, 2], [0, 1], [3, 1])  # key 0: the labels of all rare words


def test_labels_are_numbers_of_tags_or_scripts() -> None:
    for words, suffixes in ((TWO_LABELS, EMPTY), (EMPTY, TWO_LABELS)):
        with pytest.raises(ValueError, match="a label is not the number of a tag"):
            TagWords(words, suffixes, EMPTY, [0], 1, 5)
        with pytest.raises(ValueError, match="a label is not the number of a script"):
            LemmaWords(words, suffixes, EMPTY, [(False, 0, "", 0, "")])
    with pytest.raises(ValueError, match="max_guesses must not be negative"):
        TagWords(EMPTY, TWO_LABELS, EMPTY, [0, 1], 1, -1)


def test_gold_labels_and_excluded_lemmas_are_checked() -> None:
    words = TagWords(EMPTY, TWO_LABELS, EMPTY, [0, 1], 1, 5)
    with pytest.raises(ValueError, match="gold is not the number of a tag"):
        words.add("a", "a", "a", 2, NO_STEMS)
    with pytest.raises(ValueError, match="excluded must have columns lemma and tag"):
        words.add("a", "a", "a", -1, np.zeros((1, 1), dtype=np.uint32))
    scripts = LemmaWords(EMPTY, TWO_LABELS, EMPTY, [(False, 0, "", 2**64 - 1, ""), (False, 1, "", 2**64 - 1, "")])
    with pytest.raises(ValueError, match="gold is not the number of a script"):
        scripts.add("a", "a", "a", 1, 1, 0, 2, NO_STEMS)
    assert scripts.add("a", "a", "a", 1, 1, 0, -1, NO_STEMS) == -1  # both scripts drop more than there is


def test_words_with_more_labels_than_the_model_has_tags_are_refused() -> None:
    three = TagWords(EMPTY, TWO_LABELS, EMPTY, [0, 1, 2], 1, 5)
    row = three.add("a", "a", "a", -1, NO_STEMS)
    weights = np.zeros(1 << BITS, dtype=np.int8)
    with pytest.raises(ValueError, match="the words have more labels than the model has tags"):
        model().decode_words(three, ints(row), weights, 1.0, None, False)
    two = TagWords(EMPTY, TWO_LABELS, EMPTY, [0, 1], 1, 5)
    two.add("a", "a", "a", -1, NO_STEMS)
    assert model().decode_words(two, ints(row), weights, 1.0, None, False)[0].tolist() == [0]
    for scale in (np.nan, np.inf):
        with pytest.raises(ValueError, match="the scale of the weights must be finite"):
            model().decode_words(two, ints(row), weights, scale, None, False)
    for missing in (-1, row + 1):
        with pytest.raises(ValueError, match="rows names a row that is missing"):
            model().decode_words(two, ints(missing), weights, 1.0, None, False)
    two.clear()
    with pytest.raises(ValueError, match="rows names a row that is missing"):
        model().decode_words(two, ints(row), weights, 1.0, None, False)


def test_sentences_and_scores_that_do_not_fit_the_words_are_refused() -> None:
    words = TagWords(EMPTY, TWO_LABELS, EMPTY, [0, 1], 1, 5)
    rows = ints(words.add("a", "a", "a", -1, NO_STEMS))
    weights = np.zeros(1 << BITS, dtype=np.int8)
    reading, places = np.array([[-4.0, -1.0]], dtype=np.float32), ints(0, 1).reshape(2, 1)
    no_name, of_name = np.zeros(1, dtype=np.bool_), np.zeros(2)

    def decode(lengths: list[int], added: AddedTagScores) -> list[int]:
        return list(model().decode_words(words, rows, weights, 1.0, None, False, 1.0, [], lengths, added)[0].tolist())

    good = AddedTagScores([reading], places, 1.0, no_name, of_name)
    assert decode([1], good) == [1]
    assert decode([1], AddedTagScores([], places, 0.0, ~no_name, np.array([0.0, -1e3]))) == [0]
    for lengths, message in (
        ([2], "lengths must add up to the number of rows"),
        ([2, -1], "lengths must not be negative"),
        ([0, 1], "readings must have an array a sentence"),
    ):
        with pytest.raises(ValueError, match=message):
            decode(lengths, good)
    with pytest.raises(ValueError, match="is_name must have an entry a word"):
        decode([1], AddedTagScores([], places, 1.0, np.zeros(2, dtype=np.bool_), of_name))
    with pytest.raises(ValueError, match="a place is no column"):
        AddedTagScores([reading], places + np.int32(1), 1.0, no_name, of_name)
    with pytest.raises(ValueError, match="places and of_name must have a row a tag"):
        AddedTagScores([reading], places, 1.0, no_name, np.zeros(3))


def test_a_tag_that_only_the_network_prefers_is_kept_as_a_candidate() -> None:
    """One candidate is kept: without the reading it is the first tag, since the weights are all zero."""
    words = TagWords(EMPTY, TWO_LABELS, EMPTY, [0, 1], 1, 5)
    rows, weights = ints(words.add("a", "a", "a", -1, NO_STEMS)), np.zeros(1 << BITS, dtype=np.int8)
    reading, places = np.array([[-4.0, -1.0]], dtype=np.float32), ints(0, 1).reshape(2, 1)
    added = AddedTagScores([reading], places, 1.0, np.zeros(1, dtype=np.bool_), np.zeros(2))
    narrow = model(most=1)
    assert narrow.decode_words(words, rows, weights, 1.0, None, False)[0].tolist() == [0]
    assert narrow.decode_words(words, rows, weights, 1.0, None, False, 1.0, [], [1], added)[0].tolist() == [1]


def hash_by_definition(*values: int) -> int:
    """The hash of core/text/template_hashes.hpp, in Python's whole numbers."""
    state = values[0] + 0x632BE59BD9B4E019
    for value in values[1:]:
        state %= 1 << 64
        state = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9 + value
    state %= 1 << 64
    return (state ^ (state >> 32)) * 0x94D049BB133111EB % (1 << 64)


def test_templates_are_hashed_as_defined_and_stay_within_the_table() -> None:
    atoms = np.random.default_rng(1).integers(0, 1 << 63, size=(2, 5), dtype=np.uint64)
    items = np.array([(0, 1, 0), (1, 0, -1), (1, 1, 2)], dtype=np.int32)
    places = np.array([1, 2], dtype=np.int64)
    expected = [
        [
            hash_by_definition(int(atoms[1, place]), 0) >> 32,
            hash_by_definition(hash_by_definition(int(atoms[0, place - 1]), int(atoms[1, place + 2])), 1) >> 32,
        ]
        for place in places.tolist()
    ]
    assert template_features(atoms, items, places).tolist() == expected
    for place in (0, 3):
        with pytest.raises(ValueError, match="a place is too near to the edge"):
            template_features(atoms, items, np.array([place], dtype=np.int64))
    with pytest.raises(ValueError, match="an item is of no atom"):
        template_features(atoms, items + np.int32(1) * np.array([0, 1, 0], dtype=np.int32), places)
    with pytest.raises(ValueError, match="items must be in the order of templates"):
        template_features(atoms, items[1:], places)

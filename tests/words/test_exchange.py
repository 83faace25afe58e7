"""Word classes: the likelihood by its definition, over all partitions of a small text; exchange and merging."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.words.exchange import Exchange, paths_of
from treewright.words.units import Units

TEXTS = [
    text.split()
    for text in (
        "the dog sees a cat",
        "a cat sees the dog",
        "the man eats a fish",
        "a man sees the cat",
        "the cat eats the fish",
        "a dog eats a fish a big fish",
        "the big big man sees a big dog",
        "Fido sees Tom",
        "Tom eats 12 fish",
    )
]
TOLERANCE = 1e-9


def likelihood(class_of: Sequence[int], text: Sequence[int]) -> float:
    """Log likelihood of a text, a boundary first: P(class | class before) P(word | class)."""
    classes = [class_of[unit] for unit in text]
    pairs, before, after = Counter(pairwise(classes)), Counter(classes[:-1]), Counter(classes[1:])
    steps = sum(n * np.log(n / before[first]) for (first, _), n in pairs.items())
    return float(steps + sum(n * np.log(n / after[class_of[unit]]) for unit, n in Counter(text[1:]).items()))


def partitions(units: int, classes: int) -> Iterator[list[int]]:
    """Every partition of units into at most so many classes, as class numbers in the order of first use."""

    def extended(start: list[int]) -> Iterator[list[int]]:
        if len(start) == units:
            yield start
            return
        for number in range(min(max(start, default=-1) + 2, classes)):
            yield from extended([*start, number])

    return extended([])


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_value_is_the_likelihood_and_never_falls(classes: int) -> None:
    units = Units.of(TEXTS, 1)
    exchange = Exchange(units, classes)
    values = [exchange.value()]
    for unit in [*range(units.edge)] * 3:
        exchange._kernel.sweep(unit, unit + 1)
        values.append(exchange.value())
        assert values[-1] == pytest.approx(likelihood(exchange.class_of.tolist(), units.text.tolist()), rel=TOLERANCE)
    assert all(later >= earlier - TOLERANCE for earlier, later in pairwise(values))


def random_text(seed: int) -> list[list[str]]:
    """Sentences of two alternating kinds of words, with noise, over seven words."""
    random = np.random.default_rng(seed)
    kinds = ["abcd", "xyz"]
    return [
        [str(random.choice(list(kinds[(place + int(random.random() < 0.1)) % 2]))) for place in range(6)]
        for _ in range(30)
    ]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_exchange_against_all_partitions(seed: int, classes: int) -> None:
    """The value from many starts is that of the best of all partitions, and no start is above it."""
    units = Units.of(random_text(seed), 1)
    assert units.edge == 7
    text = units.text.tolist()
    best = max(likelihood([*partition, classes], text) for partition in partitions(7, classes))
    random = np.random.default_rng(seed)
    reached = []
    for _ in range(10):
        start = np.array([*random.integers(classes, size=7), classes], np.int32)
        exchange = Exchange(units, classes, start)
        while exchange.sweep():
            pass
        reached.append(exchange.value())
    assert max(reached) == pytest.approx(best, rel=TOLERANCE)


def test_in_the_end_no_single_move_gains() -> None:
    units = Units.of(TEXTS, 1)
    exchange = Exchange(units, 4)
    while exchange.sweep():
        pass
    for unit in range(units.edge):
        for place in range(4):
            moved = exchange.class_of
            moved[unit] = place
            assert likelihood(moved.tolist(), units.text.tolist()) <= exchange.value() + TOLERANCE


@pytest.mark.parametrize("seed", range(3))
def test_each_merge_loses_least(seed: int) -> None:
    units = Units.of([*TEXTS, *random_text(seed)], 1)
    classes = 8
    exchange = Exchange(units, classes)
    exchange.sweep()
    class_of, text = exchange.class_of.tolist(), units.text.tolist()

    def merged(pair: tuple[int, int]) -> list[int]:
        return [pair[0] if number == pair[1] else number for number in class_of]

    merges = exchange.merges()
    assert len(merges) == classes - 1
    left = set(range(classes))
    for pair in merges:
        best = max(likelihood(merged(other), text) for other in combinations(sorted(left), 2))
        class_of = merged(pair)
        left.remove(pair[1])
        assert likelihood(class_of, text) == pytest.approx(best, rel=TOLERANCE)


def test_paths_are_a_binary_tree() -> None:
    units = Units.of([*TEXTS, *random_text(1)], 1)
    exchange = Exchange(units, 8)
    paths = paths_of(exchange.merges(), 8)
    assert sum(2.0 ** -len(path) for path in paths) == 1.0
    assert not any(other.startswith(path) for path in paths for other in paths if other != path)
    assert paths_of([], 1) == [""]


def test_a_search_continues_from_its_classes() -> None:
    units = Units.of(TEXTS, 1)
    exchange = Exchange(units, 4)
    exchange.sweep()
    again = Exchange(units, 4, exchange.class_of)
    assert again.value() == pytest.approx(exchange.value(), rel=TOLERANCE)
    assert (exchange.sweep(), exchange.class_of.tolist()) == (again.sweep(), again.class_of.tolist())


def test_numbers_of_classes_that_cannot_be_are_refused() -> None:
    units = Units.of(TEXTS, 1)
    with pytest.raises(InputError, match="40 word classes are too many for 12 different words"):
        Exchange(units, 40)
    with pytest.raises(InputError, match="1 word classes are too few; give 2 or more"):
        Exchange(units, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"first": np.array([0, 9], np.int32)}, "first and second must be units"),
        ({"counts": np.array([0, 1], np.int32)}, "counts must be positive"),
        ({"counts": np.array([2**31 - 1, 1], np.int32)}, "the sum of the counts must be below"),
        ({"counts": np.array([1], np.int32)}, "must be of one length"),
        ({"classes": 5000}, "classes must be 1 to 4096"),
        ({"class_of": np.array([0, 7, 2], np.int32)}, "class_of must have classes"),
        ({"class_of": np.array([0, 1], np.int32)}, "class_of must have one entry a unit"),
    ],
)
def test_the_kernel_refuses_what_does_not_fit(changed: dict[str, object], message: str) -> None:
    from treewright._core import WordClasses

    column = np.array([0, 1], np.int32)
    valid = {"units": 3, "classes": 2, "first": column, "second": column, "counts": column + 1}
    with pytest.raises(ValueError, match=message):
        WordClasses(**{**valid, "class_of": np.zeros(0, np.int32), **changed})  # type: ignore[arg-type]

"""Levels, distances and rows: what must never touch does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treewright.draw.layout import spread, stack

spans = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: (min(ends), max(ends))), max_size=12
)


@given(spans)
def test_spans_on_a_level_do_not_touch_and_containers_stand_higher(spans: list[tuple[int, int]]) -> None:
    levels = stack(spans)
    for i, (a, b) in enumerate(spans):
        for k, (c, d) in enumerate(spans):
            if i != k and a <= d and c <= b:
                assert levels[i] != levels[k]
            if (a, b) != (c, d) and a <= c and d <= b:
                assert levels[i] > levels[k]


def test_nested_spans_take_as_many_levels_as_they_nest() -> None:
    assert stack([(k, 20 - k) for k in range(10)]) == list(range(10, 0, -1))
    assert stack([(3 * k, 3 * k + 2) for k in range(10)]) == [1] * 10


@given(st.lists(st.integers(1, 9), min_size=2, max_size=8), st.data())
def test_words_are_as_far_apart_as_demanded(widths: list[int], data: st.DataObject) -> None:
    pairs = st.tuples(st.integers(0, len(widths) - 2), st.integers(1, 7), st.integers(0, 60))
    demands = [(a, min(a + step, len(widths) - 1), far) for a, step, far in data.draw(st.lists(pairs, max_size=6))]
    middles = spread(widths, 2, demands)
    for a, b, far in demands:
        assert middles[b] - middles[a] >= far
    for k in range(len(widths) - 1):
        assert middles[k + 1] - middles[k] >= (widths[k] + widths[k + 1]) // 2 + 2

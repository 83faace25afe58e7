"""Levels, distances and rows: what must never touch does not."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import draw
from treewright.draw.canvas import Canvas
from treewright.draw.layout import Medium, Piece, Row, Stroke, largest_over, lay_out, place_label, spread, stack
from treewright.draw.scene import Arc, Scene, Word

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


def some_scene(seed: int, n: int) -> Scene:
    """Random arcs: heads anywhere (cycles, loops, none), more of them below, labels long and short."""
    dice = random.Random(seed)
    words = [Word("w" * dice.randint(1, 9), (), str(m)) for m in range(1, n + 1)]
    arcs = [Arc(dice.randint(-1, n), m, "l" * dice.randint(0, 9)) for m in range(1, n + 1)]
    arcs += [Arc(dice.randint(0, n), dice.randint(1, n), "extra", below=True) for _ in range(dice.randint(0, n))]
    return Scene(tuple(words), tuple(arcs))


def medium(shared_ports: bool) -> Medium:
    return Medium(
        gap=2,
        port_gap=1 if shared_ports else 6,
        shoulder=1,
        tag_gap=1,
        shared_ports=shared_ports,
        word_width=lambda word: len(word.form),
        label_width=lambda arc: len(arc.label),
        tag_width=lambda word: len(word.form),
        token_width=lambda token: len(token.form),
    )


def all_rows(seed: int, n: int, shared_ports: bool, width: int) -> list[Row]:
    return lay_out(some_scene(seed, n), medium(shared_ports), width)


rows_of_scenes = st.builds(all_rows, st.integers(0, 10**6), st.integers(1, 24), st.booleans(), st.integers(50, 400))


def pairs_on_one_level(rows: list[Row]) -> list[tuple[Stroke, Stroke]]:
    sides = [side for row in rows for side in (row.above, row.below)]
    return [(one, other) for side in sides for one, other in combinations(side, 2) if one.level == other.level]


def lines_of(rows: list[Row]) -> list[Stroke]:
    return [stroke for row in rows for stroke in row.above + row.below if not stroke.arc.is_stub]


def test_random_scenes_have_lines_cut_lines_and_pairs_on_one_level() -> None:
    rows = [row for seed in range(50) for row in all_rows(seed, 20, seed % 2 == 0, 120)]
    lines = lines_of(rows)
    assert len(lines) > 1000
    assert sum(line.cut != "" for line in lines) > 500
    assert len(pairs_on_one_level(rows)) > 500


@given(rows_of_scenes)
def test_lines_and_labels_on_one_level_keep_clear_of_each_other(rows: list[Row]) -> None:
    for one, other in pairs_on_one_level(rows):
        assert one.right < other.left or other.right < one.left
        ends = sorted((stroke.label, stroke.label + len(stroke.arc.label)) for stroke in (one, other))
        assert ends[0][1] <= ends[1][0]


@given(rows_of_scenes)
def test_labels_stay_on_their_lines(rows: list[Row]) -> None:
    for line in lines_of(rows):
        assert line.left < line.label
        assert line.label + len(line.arc.label) <= line.right


@given(st.integers(0, 10**6), st.integers(1, 24), st.booleans(), st.integers(60, 400))
def test_rows_hold_every_word_once_and_no_row_of_several_words_is_too_wide(
    seed: int, n: int, shared_ports: bool, width: int
) -> None:
    rows = all_rows(seed, n, shared_ports, width)
    assert [word for row in rows for word in range(row.first, row.last + 1)] == list(range(1, n + 1))
    for row in rows:
        assert row.width <= width or row.first == row.last
        assert all(0 <= begin < end <= row.width for begin, end in row.extents)
        assert all(0 <= stroke.left <= stroke.right < row.width for stroke in row.above + row.below)


@given(st.integers(0, 10**6), st.integers(2, 24), st.integers(60, 200))
def test_an_arc_that_is_cut_leaves_a_piece_at_both_its_words(seed: int, n: int, width: int) -> None:
    scene = some_scene(seed, n)
    rows = lay_out(scene, medium(True), width)
    strokes = [stroke for row in rows for stroke in row.above + row.below]
    for arc in scene.arcs:
        pieces = [stroke for stroke in strokes if stroke.arc is arc]
        assert sorted(piece.cut for piece in pieces) in ([""], ["left", "right"])
        if len(pieces) == 2:
            assert {piece.other for piece in pieces} == {arc.head, arc.modifier}
            assert sum(piece.arrow is not None for piece in pieces) == 1


def test_rows_break_where_few_arcs_pass() -> None:
    """Two clauses of six words; the only arc between them is the one that joins them."""
    heads = [3, 3, 0, 3, 6, 4, 9, 9, 3, 9, 12, 10]
    scene = Scene(
        tuple(Word("words", (), str(m)) for m in range(1, 13)), tuple(Arc(h, m, "dep") for m, h in enumerate(heads, 1))
    )
    rows = lay_out(scene, medium(True), 70)
    assert [(row.first, row.last) for row in rows] == [(1, 6), (7, 12)]


@given(st.lists(st.integers(1, 39), max_size=8), st.integers(1, 6))
def test_a_label_moves_aside_for_lines_if_there_is_room(in_the_way: list[int], width: int) -> None:
    start = place_label(Piece(0, (0, 40), (0, 40)), width, 1, in_the_way)
    assert 2 <= start <= 39 - width
    bars = [0, *sorted(in_the_way), 40]
    if any(b - a >= width + 3 for a, b in pairwise(bars)):
        assert not set(range(start - 1, start + width + 1)) & set(bars)
    else:
        assert start == (41 - width) // 2


def drawn_crossings(seed: int, n: int, shared_ports: bool) -> list[tuple[Stroke, Stroke]]:
    """Lines of a random tree of which the first has a leg that passes through the second."""
    dice = random.Random(seed)
    order = [0, *dice.sample(range(1, n + 1), n)]
    arcs = tuple(Arc(dice.choice(order[:k]), order[k]) for k in range(1, n + 1))
    (row,) = lay_out(Scene(tuple(Word("w") for _ in arcs), arcs), medium(shared_ports), None)
    return [
        (one, other)
        for one, other in permutations(lines_of([row]), 2)
        if one.level > other.level and any(other.left < leg < other.right for leg in (one.left, one.right))
    ]


def test_drawings_of_random_trees_have_crossings() -> None:
    assert sum(bool(drawn_crossings(seed, 12, seed % 2 == 0)) for seed in range(50)) > 40


@given(st.integers(0, 10**6), st.integers(2, 12), st.booleans())
def test_arcs_of_a_tree_cross_in_the_drawing_only_where_they_cross(seed: int, n: int, shared_ports: bool) -> None:
    for one, other in drawn_crossings(seed, n, shared_ports):
        a, b = sorted((one.arc.head, one.arc.modifier))
        c, d = sorted((other.arc.head, other.arc.modifier))
        assert a < c < b < d or c < a < d < b


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(-5, 5)), max_size=8))
def test_the_largest_value_over_each_place(spans: list[tuple[int, int, int]]) -> None:
    values = [[value for a, b, value in spans if a <= place < b] for place in range(10)]
    assert largest_over(9, spans) == [max(here, default=None) for here in values]


@pytest.mark.parametrize("head", [1, 0], ids=["flat", "chain"])
def test_the_cells_that_are_drawn_grow_with_the_words(head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn_cells(words: int) -> int:
        calls = Counter[str]()
        line = Canvas.line

        def counted_line(*args: Any) -> None:
            calls["line"] += 1
            line(*args)

        with monkeypatch.context() as patch:
            patch.setattr(Canvas, "line", counted_line)
            heads = [0, *(head or word for word in range(1, words))]
            draw.text(forms=["word"] * words, heads=heads, deprels=["dep"] * words, width=80)
        return calls.total()

    assert drawn_cells(600) < 2.2 * drawn_cells(300)

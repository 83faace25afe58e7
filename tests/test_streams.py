"""The thread map: results in order, bounded look-ahead, exceptions at their place, for any number of threads."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from treewright.streams import LOOK_AHEAD, QUICK, Pace, arriving, map_chunks, map_items

THREADS = [1, 2, 5]


def squares(some: list[int]) -> list[int]:
    time.sleep(0.001 * (some[0] % 3))  # so that chunks finish in another order
    return [number * number for number in some]


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_results_come_in_the_order_of_the_items(threads: int, chunk: int) -> None:
    found = list(map_items(squares, range(50), threads=threads, chunk=chunk))
    assert found == [number * number for number in range(50)]


@pytest.mark.parametrize("threads", THREADS)
def test_no_more_is_read_than_the_threads_need_soon(threads: int) -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            read.append(number)
            yield number

    found = map_items(squares, items(), threads=threads, chunk=2)
    assert read == []
    for place, _ in zip(range(20), found, strict=False):
        ahead = 2 * (LOOK_AHEAD * threads if threads > 1 else 1)
        assert len(read) <= place + 1 + ahead
    found.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("threads", THREADS)
def test_an_exception_comes_after_the_results_before_it(threads: int) -> None:
    def fail(some: list[int]) -> list[int]:
        if 7 in some:
            raise ZeroDivisionError
        return some

    def broken() -> Iterator[int]:
        yield from range(7)
        raise ZeroDivisionError

    for found in (
        map_items(fail, range(50), threads=threads, chunk=1),
        map_items(squares, broken(), threads=threads, chunk=1),
    ):
        seen: list[int] = []
        with pytest.raises(ZeroDivisionError):
            seen.extend(iter(found))
        assert len(seen) == 7


def test_a_list_ends_where_the_next_item_is_not_ready() -> None:
    def broken() -> Iterator[int]:
        yield from range(5)
        raise ZeroDivisionError

    assert list(arriving(range(5), lambda batch: batch[-1] not in (0, 2))) == [[0], [1, 2], [3, 4]]
    found = arriving(broken(), lambda batch: batch[-1] != 2)
    assert [next(found), next(found)] == [[0, 1, 2], [3, 4]]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_lists_grow_while_items_come_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0  # of a clock that a busy machine does not disturb
    monkeypatch.setattr("treewright.streams.time.perf_counter", lambda: now)

    def items() -> Iterator[int]:
        nonlocal now
        for number in range(20):
            now += 2 * QUICK if number in (8, 9) else 0
            yield number

    pace = Pace(items(), 4, is_full=lambda batch: 12 in batch)
    found = list(arriving(pace, pace.is_ready))
    assert found == [[0], [1, 2], [3, 4, 5, 6], [7, 8], [9], [10], [11, 12], [13, 14, 15, 16], [17, 18, 19]]


def test_threads_and_chunks_are_checked_before_anything_is_read() -> None:
    with pytest.raises(ValueError, match="threads is 0; give at least 1"):
        map_chunks(squares, iter([]), threads=0)
    with pytest.raises(ValueError, match="chunk is 0; give at least 1"):
        map_items(squares, iter([]), chunk=0)

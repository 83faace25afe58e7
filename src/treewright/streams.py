"""A function mapped over a stream with several threads: results in order, bounded look-ahead.

The checks of the limits that such functions have in common, threads and seconds, are here too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from numbers import Real
from operator import index
from typing import TypeVar

from treewright.errors import InputError

CHUNK = 64  # items that a thread takes at a time, unless the caller says otherwise; by convention
LOOK_AHEAD = 2  # chunks a thread that are read before their turn, so that no thread waits; by convention

T = TypeVar("T")
U = TypeVar("U")


def map_chunks(work: Callable[[list[T]], list[U]], chunks: Iterable[list[T]], threads: int = 1) -> Iterator[U]:
    """The results for the items of all chunks, in their order; the same for any number of threads.

    Not more than two chunks a thread are read before their turn. An exception of `work` or `chunks` is raised at the
    place of the chunk, after the results before it.

    >>> list(map_chunks(lambda words: [word.upper() for word in words], [["a", "b"], ["c"]], threads=2))
    ['A', 'B', 'C']
    """
    check_threads(threads)
    if threads == 1:
        return (result for chunk in chunks for result in work(chunk))
    return _map_in_threads(work, iter(chunks), threads)


def map_items(
    work: Callable[[list[T]], list[U]], items: Iterable[T], *, threads: int = 1, chunk: int = CHUNK
) -> Iterator[U]:
    """`map_chunks` over lists of `chunk` items; with one thread and a chunk of 1 no item waits for the next."""
    check_count(chunk, "chunk")
    return map_chunks(work, chunked(items, chunk), threads)


def check_threads(threads: int) -> int:
    """The number of threads, which must be at least one."""
    return check_count(threads, "threads")


def check_count(number: int, name: str) -> int:
    """A whole number that is at least one; `name` is that of the argument."""
    try:
        count = index(number)
        if isinstance(number, bool):
            raise TypeError
    except TypeError:
        raise InputError(f"{name} is {number!r}; give a whole number, at least 1") from None
    if count < 1:
        raise InputError(f"{name} is {count}; give at least 1")
    return count


def check_seconds(max_seconds: float | None) -> float | None:
    """The time limit of the search for one sentence: seconds, or None for no limit."""
    if max_seconds is None:
        return None
    if not isinstance(max_seconds, Real) or isinstance(max_seconds, bool) or not max_seconds >= 0:
        raise InputError(f"max_seconds is {max_seconds!r}; give seconds, or None for no limit")
    return max_seconds


def chunked(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last one perhaps shorter.

    >>> list(chunked("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def _map_in_threads(work: Callable[[list[T]], list[U]], chunks: Iterator[list[T]], threads: int) -> Iterator[U]:
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[list[U]]] = deque()

        def submit(count: int) -> BaseException | None:
            """Start the next chunks; returns what the reading of them raised."""
            try:
                waiting.extend(pool.submit(work, chunk) for chunk in islice(chunks, count))
            except Exception as error:  # raised again below, when the results before it are out
                return error
            return None

        failed = submit(LOOK_AHEAD * threads)
        while waiting:
            yield from waiting.popleft().result()
            failed = failed or submit(1)
        if failed:
            raise failed

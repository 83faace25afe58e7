"""Map a function over a stream: results in order, bounded look-ahead, items that arrive together taken together.

The checks of the limits that such functions have in common, threads and seconds, are here too.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from treewright.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

CHUNK = 64  # items that a thread takes at a time, unless the caller says otherwise; not tuned
# Sentences that a parser takes together: the weights of each step are read into the cache once a batch. `--fast` takes
# 1.06 to 1.14 times as long with 64, on a loaded machine, and 0.98 times with 512, which hold more memory.
BATCH = 256
LOOK_AHEAD = 2  # chunks a thread that are read before their turn, so that no thread waits; not tuned
QUICK = 0.01  # seconds of reading after which the items read so far are worked on; not tuned: hardly noticed

T = TypeVar("T")
U = TypeVar("U")


def map_chunks(
    work: Callable[[list[T]], list[U]], chunks: Iterable[list[T]], threads: int = 1, processes: int = 1
) -> Iterator[U]:
    """The results for the items of all chunks, in their order; the same for any number of threads or processes.

    Not more than two chunks a thread are read before their turn. With several processes, `work` is sent to each of
    them once, pickled. An exception of `work` or `chunks` is raised at the
    place of the chunk, after the results before it.

    >>> list(map_chunks(lambda words: [word.upper() for word in words], [["a", "b"], ["c"]], threads=2))
    ['A', 'B', 'C']
    """
    check_threads(threads)
    if threads > 1 and processes > 1:
        raise InputError(f"threads is {threads} and there are {processes} processes; give one of the two")
    if processes > 1:
        return _map_in_processes(work, iter(chunks), processes)
    if threads == 1:
        return (result for chunk in chunks for result in work(chunk))
    return _map_in_threads(work, iter(chunks), threads)


def map_items(
    work: Callable[[list[T]], list[U]], items: Iterable[T], *, threads: int = 1, chunk: int = CHUNK
) -> Iterator[U]:
    """Apply `map_chunks` to lists of `chunk` items; with one thread and a chunk of 1 no item waits for the next."""
    check_count(chunk, "chunk")
    return map_chunks(work, chunks_of(items, chunk), threads)


def check_threads(threads: int) -> int:
    """Return the number of threads, which must be at least one."""
    return check_count(threads, "threads")


def check_processes(n_process: int) -> int:
    """The number of worker processes; -1 is one for each core."""
    return os.cpu_count() or 1 if n_process == -1 else check_count(n_process, "n_process")


def check_count(number: int, name: str) -> int:
    """Return a whole number that is at least one; messages call it `name`."""
    try:
        count = index(number)
        if isinstance(number, bool):
            raise TypeError
    except TypeError:
        raise InputError(f"{name} is {number!r}; give a whole number, at least 1") from None
    if not 1 <= count <= sys.maxsize:
        raise InputError(f"{name} is {count}; give at least 1{'' if count < 1 else f' and at most {sys.maxsize}'}")
    return count


def check_seconds(max_seconds: float | None) -> float | None:
    """Return the time limit of the search for one sentence: seconds, or None for no limit."""
    if max_seconds is None:
        return None
    if not isinstance(max_seconds, Real) or isinstance(max_seconds, bool) or not max_seconds >= 0:
        raise InputError(f"max_seconds is {max_seconds!r}; give seconds, or None for no limit")
    return max_seconds


def chunks_of(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items, the last one perhaps shorter.

    >>> list(chunks_of("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def groups_of(items: Iterable[T], size: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Yield lists of items in order, whose sizes add up to `limit` at the most; a larger item alone.

    >>> list(groups_of(["a", "bcd", "e", "fg"], len, 3))
    [['a'], ['bcd'], ['e', 'fg']]
    """
    group: list[T] = []
    total = 0
    for item in items:
        added = size(item)
        if group and total + added > limit:
            yield group
            group, total = [], 0
        group.append(item)
        total += added
    if group:
        yield group


def arriving(items: Iterable[T], is_ready: Callable[[list[T]], bool]) -> Iterator[list[T]]:
    """Yield lists of items: a list ends where is_ready(list) is False, because the next item may be long in coming.

    An exception of items is raised after the list of those before it.

    >>> list(arriving("abcde", lambda batch: len(batch) < 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    batch: list[T] = []
    rest = iter(items)
    while True:
        try:
            item = next(rest)
        except StopIteration:
            break
        except Exception:
            if batch:
                yield batch
            raise
        batch.append(item)
        if not is_ready(batch):
            yield batch
            batch = []
    if batch:
        yield batch


class Pace(Generic[T]):
    """An iterator that measures how long its items take, to decide how many of them are taken together.

    The first list has one item, each may be twice as long as the one before, and none is longer than `most` or when it
    is full. A list ends when its items have taken QUICK seconds together, and the next one has one item again: the
    items of a slow iterator do not wait for each other.
    """

    def __init__(
        self, items: Iterable[T], most: int, *, is_full: Callable[[list[T]], bool] = lambda batch: False
    ) -> None:
        self._items = iter(items)
        self._most = most
        self._is_full = is_full
        self._limit = 1
        self._seconds = 0.0

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        begin = time.perf_counter()
        item = next(self._items)
        self._seconds += time.perf_counter() - begin
        return item

    def is_ready(self, batch: list[T]) -> bool:
        """Whether to add another item to the list."""
        is_slow = self._seconds > QUICK
        if len(batch) < self._limit and not is_slow and not self._is_full(batch):
            return True
        self._limit = 1 if is_slow else min(2 * self._limit, self._most)
        self._seconds = 0.0
        return False


def _map_in_threads(work: Callable[[list[T]], list[U]], chunks: Iterator[list[T]], threads: int) -> Iterator[U]:
    from concurrent.futures import ThreadPoolExecutor  # imported on use: with one thread it is not needed

    with ThreadPoolExecutor(threads) as pool:
        yield from _map_in_pool(pool, work, chunks, threads)


def _map_in_processes(work: Callable[[list[T]], list[U]], chunks: Iterator[list[T]], processes: int) -> Iterator[U]:
    import pickle  # these are imported on use: few programs start processes
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context
    from tempfile import mkstemp

    # Spawned, not forked: a copy of a process that has threads may never come to run. The work, which holds a model,
    # goes through a file: written to a process that dies while it starts, it would block this one for ever.
    descriptor, path = mkstemp()
    try:
        with open(descriptor, "wb") as file:
            pickle.dump(work, file)
        with ProcessPoolExecutor(processes, get_context("spawn"), _set_work, (path,)) as pool:
            try:
                yield from _map_in_pool(pool, _work_in_process, chunks, processes)
            except BrokenProcessPool:
                message = "a worker process ended; a program that starts them begins with `if __name__ == '__main__':`"
                raise InputError(message) from None
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        os.unlink(path)


_process_work: Callable[[list[Any]], list[Any]]  # of a worker process


def _set_work(path: str) -> None:
    import pickle

    global _process_work
    with open(path, "rb") as file:
        _process_work = pickle.load(file)


def _work_in_process(chunk: list[Any]) -> list[Any]:
    return _process_work(chunk)


def _map_in_pool(
    pool: Executor, work: Callable[[list[T]], list[U]], chunks: Iterator[list[T]], workers: int
) -> Iterator[U]:
    """A chunk is read while others are in work; results that are there are given out before the next chunk is read."""
    waiting: deque[Future[list[U]]] = deque()
    failed: Exception | None = None
    is_open = True
    while is_open or waiting:
        while is_open and len(waiting) < LOOK_AHEAD * workers and not (waiting and waiting[0].done()):
            try:
                waiting.append(pool.submit(work, next(chunks)))
            except StopIteration:
                is_open = False
            except Exception as error:  # raised again below, when the results before it are out
                failed, is_open = error, False
        if waiting:
            yield from waiting.popleft().result()
    if failed:
        raise failed

"""A queue in front of the threads that work with a model: items of several requests are worked on together.

A request is a job: its items in order, and the work, a function from a list of items to a list of as many results. A
thread takes the job that has waited longest and others with the same work, a few items of each, and puts those that
have more items at the end of the queue: short requests do not wait for the end of a long one. Work that gains nothing
from several items is done for one item at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sized
from concurrent.futures import Future
from itertools import islice
from threading import Condition, Thread
from typing import Any, Generic, TypeVar

# Limits of a turn, not tuned; more would let short requests wait longer. The size of a sentence is its words.
MAX_ITEMS = 32  # of one job
MAX_JOB_SIZE = 1_000  # sum of the sizes of the items of one job, after which no item is added
MAX_SIZE = 4_000  # the same of all jobs

T = TypeVar("T", bound=Sized)
U = TypeVar("U")
Work = Callable[[list[T]], list[U]]


class Job(Generic[T, U]):
    """The items of a request and the results so far; `future` has all results at the end, or is cancelled."""

    def __init__(self, items: Iterable[T], work: Work[T, U], together: bool = True) -> None:
        self.work = work
        self.together = together  # with items of other jobs
        self.future: Future[list[U]] = Future()
        self._items = iter(items)
        self._ahead: list[T] = []  # the next item, if it is read already
        self._results: list[U] = []

    def take(self) -> list[T]:
        """Return the next items; none if the job was cancelled or if reading them failed, which ends it."""
        try:
            items = [] if self.future.cancelled() else self._read()
        except Exception as error:
            self.fail(error)
            return []
        if not items:
            self.add([])
        return items

    def _read(self) -> list[T]:
        """Read the items of a turn, and one more, to know whether there is one."""
        items = self._ahead
        while len(items) < (MAX_ITEMS if self.together else 1) and sum(map(len, items)) < MAX_JOB_SIZE:
            following = list(islice(self._items, 1))
            if not following:
                break
            items += following
        self._ahead = list(islice(self._items, 1))
        return items

    def add(self, results: list[U]) -> None:
        """Add the results of the items taken last; the last results end the job."""
        self._results += results
        if not self._ahead and self.future.set_running_or_notify_cancel():
            self.future.set_result(self._results)

    def fail(self, error: Exception) -> None:
        """End the job with an error."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


class Batcher:
    """Threads that work on the jobs of one model."""

    def __init__(self, threads: int = 1) -> None:
        self._waiting: deque[Job[Any, Any]] = deque()
        self._changed = Condition()
        self._is_closed = False
        self._threads = [Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    async def map(self, work: Work[T, U], items: Iterable[T], *, together: bool = True) -> list[U]:
        """Return the results of the items; work and items are called in a thread. Cancelling ends the job.

        together: work on several items at a time, also on items of other jobs with equal work.
        """
        job = Job(items, work, together)
        self._put(job)
        return await asyncio.wrap_future(job.future)

    @property
    def waiting(self) -> int:
        """How many jobs wait for a thread."""
        return len(self._waiting)

    def close(self) -> None:
        """End the threads when the jobs that wait are done."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _put(self, *jobs: Job[Any, Any]) -> None:
        with self._changed:
            self._waiting.extend(jobs)
            self._changed.notify(len(jobs))

    def _run(self) -> None:
        while jobs := self._take():
            self._put(*work_on(jobs))

    def _take(self) -> list[Job[Any, Any]]:
        """Wait for jobs; return the first one and those that are worked on with it, none if the batcher is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if not self._waiting:
                return []
            first = self._waiting.popleft()
            if not first.together:
                return [first]
            jobs = [first, *(job for job in self._waiting if job.together and job.work == first.work)]
            self._waiting = deque(job for job in self._waiting if job not in jobs)
            return jobs


def work_on(jobs: Iterable[Job[T, U]]) -> list[Job[T, U]]:
    """Work on the next items of jobs together; return the jobs that have more.

    If that fails, each job is worked on alone, so that only those end which the error belongs to.
    """
    waiting = deque(jobs)
    turn: list[tuple[Job[T, U], list[T]]] = []
    size = 0
    while waiting and size < MAX_SIZE:
        job = waiting.popleft()
        if items := job.take():
            turn.append((job, items))
            size += sum(map(len, items))
    try:
        if turn:
            results = iter(turn[0][0].work([item for _, items in turn for item in items]))
            for job, items in turn:
                job.add(list(islice(results, len(items))))
    except Exception:
        for job, items in turn:
            work_alone(job, items)
    return [*waiting, *(job for job, _ in turn if not job.future.done())]


def work_alone(job: Job[T, U], items: list[T]) -> None:
    """Work on items of one job; an error ends it."""
    try:
        job.add(job.work(items))
    except Exception as error:
        job.fail(error)

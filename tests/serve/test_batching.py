"""Items of several jobs are worked on together; an error and a cancelled job concern nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from threading import Event

import pytest

from treewright.serve.batching import MAX_ITEMS, Batcher


class Doubling:
    """Doubles numbers, and records which were worked on together; -1 is refused."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def __call__(self, numbers: list[int]) -> list[int]:
        self.batches.append(numbers)
        if -1 in numbers:
            raise ValueError("-1")
        return [2 * number for number in numbers]


@pytest.fixture
def batcher() -> Iterator[Batcher]:
    batcher = Batcher()
    yield batcher
    batcher.close()


def while_blocked(batcher: Batcher, *calls: tuple[Doubling, list[int]]) -> list[list[int] | BaseException]:
    """The results of calls that come while the thread is busy with another one."""

    async def run() -> list[list[int] | BaseException]:
        is_free, has_begun = Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def block(numbers: list[int]) -> list[int]:
            loop.call_soon_threadsafe(has_begun.set)
            is_free.wait(10)
            return numbers

        first = asyncio.ensure_future(batcher.map(block, [0]))
        await has_begun.wait()
        others = [asyncio.ensure_future(batcher.map(*call)) for call in calls]
        await asyncio.sleep(0)
        is_free.set()
        await first
        return await asyncio.gather(*others, return_exceptions=True)

    return asyncio.run(run())


def test_jobs_that_wait_are_worked_on_together(batcher: Batcher) -> None:
    work = Doubling()
    assert while_blocked(batcher, (work, [1, 2]), (work, []), (work, [3])) == [[2, 4], [], [6]]
    assert work.batches == [[1, 2, 3]]


def test_other_work_is_done_apart(batcher: Batcher) -> None:
    first, second = Doubling(), Doubling()
    assert while_blocked(batcher, (first, [1]), (second, [2]), (first, [3])) == [[2], [4], [6]]
    assert first.batches == [[1, 3]]
    assert second.batches == [[2]]


def test_an_error_ends_only_its_own_job(batcher: Batcher) -> None:
    work = Doubling()
    first, second, third = while_blocked(batcher, (work, [1]), (work, [-1]), (work, [3]))
    assert first == [2]
    assert isinstance(second, ValueError)
    assert third == [6]


def test_a_short_job_does_not_wait_for_the_end_of_a_long_one(batcher: Batcher) -> None:
    work = Doubling()
    long = list(range(3 * MAX_ITEMS))
    assert while_blocked(batcher, (work, long), (work, [7])) == [[2 * number for number in long], [14]]
    assert [len(batch) for batch in work.batches] == [MAX_ITEMS + 1, MAX_ITEMS, MAX_ITEMS]


def test_items_that_cannot_be_read_end_their_job(batcher: Batcher) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("no second item")

    with pytest.raises(ValueError, match="no second item"):
        asyncio.run(batcher.map(Doubling(), items()))
    assert asyncio.run(batcher.map(Doubling(), [1])) == [2]


def test_a_cancelled_job_is_not_continued(batcher: Batcher) -> None:
    read: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            read.append(0)
            yield 0

    async def run() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(batcher.map(Doubling(), endless()), 0.05)

    asyncio.run(run())
    batcher.close()  # the thread has ended, although the items have not
    assert read


def test_closing_finishes_the_jobs_that_wait() -> None:
    batcher = Batcher(threads=2)

    async def run() -> list[list[int]]:
        work = Doubling()
        futures = [asyncio.ensure_future(batcher.map(work, [number] * 100)) for number in range(5)]
        await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, batcher.close)
        return list(await asyncio.gather(*futures))

    assert asyncio.run(run()) == [[2 * number] * 100 for number in range(5)]

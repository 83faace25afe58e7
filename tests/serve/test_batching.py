"""Items of several jobs are worked on together; an error and a cancelled job concern nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from threading import Event

import pytest

from treewright.serve.batching import MAX_ITEMS, MAX_JOB_SIZE, MAX_SIZE, Batcher


class Doubling:
    """Doubles texts, and records which were worked on together; a question mark is refused."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, texts: list[str]) -> list[str]:
        self.batches.append(texts)
        if "?" in texts:
            raise ValueError("?")
        return [2 * text for text in texts]


@pytest.fixture
def batcher() -> Iterator[Batcher]:
    batcher = Batcher()
    yield batcher
    batcher.close()


def while_blocked(
    batcher: Batcher, *calls: tuple[Doubling, list[str]], together: bool = True
) -> list[list[str] | BaseException]:
    """The results of calls that come while the thread is busy with another one."""

    async def run() -> list[list[str] | BaseException]:
        is_free, has_begun = Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def block(texts: list[str]) -> list[str]:
            loop.call_soon_threadsafe(has_begun.set)
            is_free.wait(10)
            return texts

        first = asyncio.ensure_future(batcher.map(block, ["first"]))
        await has_begun.wait()
        others = [asyncio.ensure_future(batcher.map(*call, together=together)) for call in calls]
        await asyncio.sleep(0)
        is_free.set()
        await first
        return await asyncio.gather(*others, return_exceptions=True)

    return asyncio.run(run())


def test_jobs_that_wait_are_worked_on_together(batcher: Batcher) -> None:
    work = Doubling()
    assert while_blocked(batcher, (work, ["a", "b"]), (work, []), (work, ["c"])) == [["aa", "bb"], [], ["cc"]]
    assert work.batches == [["a", "b", "c"]]


def test_other_work_is_done_apart(batcher: Batcher) -> None:
    first, second = Doubling(), Doubling()
    assert while_blocked(batcher, (first, ["a"]), (second, ["b"]), (first, ["c"])) == [["aa"], ["bb"], ["cc"]]
    assert first.batches == [["a", "c"]]
    assert second.batches == [["b"]]


def test_work_that_gains_nothing_takes_one_item_at_a_time_in_turns(batcher: Batcher) -> None:
    work = Doubling()
    results = while_blocked(batcher, (work, ["a", "b"]), (work, ["c", "d"]), together=False)
    assert results == [["aa", "bb"], ["cc", "dd"]]
    assert work.batches == [["a"], ["c"], ["b"], ["d"]]


def test_an_error_ends_only_its_own_job(batcher: Batcher) -> None:
    work = Doubling()
    first, second, third = while_blocked(batcher, (work, ["a"]), (work, ["?"]), (work, ["c"]))
    assert first == ["aa"]
    assert isinstance(second, ValueError)
    assert third == ["cc"]


def test_a_short_job_does_not_wait_for_the_end_of_a_long_one(batcher: Batcher) -> None:
    work = Doubling()
    long = list("x" * 3 * MAX_ITEMS)
    assert while_blocked(batcher, (work, long), (work, ["y"])) == [["xx"] * 3 * MAX_ITEMS, ["yy"]]
    assert [len(batch) for batch in work.batches] == [MAX_ITEMS + 1, MAX_ITEMS, MAX_ITEMS]


def test_a_turn_is_limited_by_the_size_of_items(batcher: Batcher) -> None:
    work = Doubling()
    half = "x" * (MAX_JOB_SIZE // 2 + 1)
    jobs = 2 * MAX_SIZE // MAX_JOB_SIZE
    results = while_blocked(batcher, *[(work, [half] * 4)] * jobs)
    assert results == [[2 * half] * 4] * jobs
    assert {len(batch) for batch in work.batches} == {jobs}  # two items of half of the jobs
    assert len(work.batches) == 4


def test_items_that_cannot_be_read_end_their_job(batcher: Batcher) -> None:
    def items() -> Iterator[str]:
        yield "a"
        raise ValueError("no second item")

    with pytest.raises(ValueError, match="no second item"):
        asyncio.run(batcher.map(Doubling(), items()))
    assert asyncio.run(batcher.map(Doubling(), ["a"])) == ["aa"]


def test_a_cancelled_job_is_not_continued(batcher: Batcher) -> None:
    read: list[int] = []

    def endless() -> Iterator[str]:
        while True:
            read.append(0)
            yield "a"

    async def run() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(batcher.map(Doubling(), endless()), 0.05)

    asyncio.run(run())
    batcher.close()  # the thread has ended, although the items have not
    assert read


def test_closing_finishes_the_jobs_that_wait() -> None:
    batcher = Batcher(threads=2)

    async def run() -> list[list[str]]:
        work = Doubling()
        futures = [asyncio.ensure_future(batcher.map(work, [str(number)] * 100)) for number in range(5)]
        await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, batcher.close)
        return list(await asyncio.gather(*futures))

    assert asyncio.run(run()) == [[2 * str(number)] * 100 for number in range(5)]

"""Cached properties: computed once, and without locks that threads could wait for."""

from __future__ import annotations

from threading import Barrier, Thread

import numpy as np

import treewright as tw
from treewright.caching import cached_property
from treewright.decode import Depth, RootChildren


class Pair:
    """Each property uses the other one of another object, after a meeting with another thread."""

    def __init__(self, meeting: Barrier | None = None, other: Pair | None = None) -> None:
        self.meeting, self.other = meeting, other
        self.computed = 0

    @cached_property
    def first(self) -> int:
        self.computed += 1
        if self.meeting is None or self.other is None:
            return 1
        self.meeting.wait(20)
        return self.other.second

    @cached_property
    def second(self) -> int:
        if self.meeting is None or self.other is None:
            return 2
        self.meeting.wait(20)
        return self.other.first


def test_a_property_is_computed_once() -> None:
    pair = Pair()
    assert (pair.first, pair.first, pair.computed) == (1, 1, 1)
    assert isinstance(Pair.first, cached_property)
    del pair.first
    assert (pair.first, pair.computed) == (1, 2)


def test_threads_do_not_wait_for_each_other() -> None:
    """With one lock a property, as in Python before 3.12, the two threads would wait for ever."""
    meeting = Barrier(2)
    pairs = [Pair(meeting, Pair()), Pair(meeting, Pair())]
    found: dict[str, int] = {}
    threads = [
        Thread(target=lambda: found.update(first=pairs[0].first), daemon=True),
        Thread(target=lambda: found.update(second=pairs[1].second), daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == {"first": 2, "second": 1}


def test_constrained_batches_in_threads_end() -> None:
    random = np.random.default_rng(5)
    batch = list(random.normal(size=(64, 5, 5)))
    constraints = [Depth(2), RootChildren(at_most=2)]
    one = tw.decode.trees(batch, root="multi", constraints=constraints, threads=1)
    several = tw.decode.trees(batch, root="multi", constraints=constraints, threads=4)
    assert [parse.heads.tolist() for parse in one] == [parse.heads.tolist() for parse in several]

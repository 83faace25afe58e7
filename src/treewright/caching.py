"""Values that are computed once: properties of objects, and workers of models."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

# Words that one cache keeps, which bounds memory: 161 MB of `parse --fast` over 2 million words with many types, 294 MB
# with 2^16 to 2^18. Not tuned for speed.
MAX_CACHED = 1 << 15


class cached_property(functools.cached_property[T]):
    """`functools.cached_property` without its lock, which Python has removed in version 3.12.

    The lock is one for all objects of a class. Two threads that work on different objects wait for each other for ever
    if one property uses another, and in the other thread the other way round. Without it, two threads may both compute
    the value of one object; they get the same.

    >>> class Circle:
    ...     def __init__(self, radius: float) -> None:
    ...         self.radius = radius
    ...     @cached_property
    ...     def area(self) -> float:
    ...         return 3 * self.radius**2
    >>> Circle(2).area
    12
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> cached_property[T] | T:
        """The value, which is kept in the object under the name of the property."""
        if instance is None:
            return self
        assert self.attrname is not None
        value: T = vars(instance).setdefault(self.attrname, self.func(instance))
        return value


class Workers(Generic[T]):
    """The workers of a model. Each serves one call at a time; calls of later threads find its cached words.

    >>> workers = Workers(list)
    >>> with workers.borrow() as first, workers.borrow() as second:
    ...     first is second
    False
    >>> with workers.borrow() as again:
    ...     again is first
    True
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._free: list[T] = []

    @contextmanager
    def borrow(self) -> Iterator[T]:
        """Lend a worker that no other call has."""
        try:
            worker = self._free.pop()  # atomic
        except IndexError:
            worker = self._make()
        try:
            yield worker
        finally:
            self._free.append(worker)


def worker_of_thread(workers: local, make: Callable[[], T]) -> T:
    """Return the worker of the current thread, which is made when the thread first asks for it."""
    if not hasattr(workers, "worker"):
        workers.worker = make()
    worker: T = workers.worker
    return worker

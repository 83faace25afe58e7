"""A keyboard interrupt after a time, for searches that must stop at once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer signal")


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Expect that the body is ended by the KeyboardInterrupt that a timer raises.

    The timer repeats: Python drops an exception that is raised in a finaliser, and the search would go on.
    """
    is_over = False

    def stop(*_: object) -> None:
        if not is_over:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

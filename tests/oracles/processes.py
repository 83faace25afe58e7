"""Processes that tests start, with a time limit: one that hangs fails its test instead of the whole run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

LIMIT = 120  # seconds; the slowest of these processes takes 10 on a busy machine


def run_process(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[Any]:
    """subprocess.run that raises TimeoutExpired after LIMIT seconds."""
    return subprocess.run(command, timeout=LIMIT, **options)


@contextmanager
def started_process(command: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process that a test writes to and reads from. The test fails if it has not ended after LIMIT seconds.

    It is killed then, so that a read from its pipes ends; and if the test fails, so that the test does not wait for it.
    """
    process = subprocess.Popen(command, **options)
    limit = Timer(LIMIT, process.kill)
    limit.start()
    try:
        with process:
            try:
                yield process
            except BaseException:
                process.kill()
                raise
    finally:
        is_late = limit.finished.is_set()
        limit.cancel()
        if is_late:
            pytest.fail(f"{command} did not end within {LIMIT} seconds and was killed")

"""Processes that tests start, the command line called in this process, and interrupts after a time."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

import pytest

from treewright.cli import main

# Processes that tests start, with a time limit: one that hangs fails its test instead of the whole run.

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


# The command line, called in this process.


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ended]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: str) -> Run:
    """run(*arguments, stdin=...) is `treewright command arguments`, and what came of it."""

    def run(*arguments: str, stdin: str | bytes = "") -> Ended:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", ["treewright", *command, *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(given))))
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return run


# A keyboard interrupt after a time, for searches that must stop at once.

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


# A disk that is full.

FULL = 100  # bytes that every file may have


@contextmanager
def full_disk() -> Iterator[None]:
    """Let every file end after FULL bytes: a command then fails when its output is half written."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

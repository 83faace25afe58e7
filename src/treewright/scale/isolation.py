"""Units parsed one by one in another process, so that the one that ends it is known."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from signal import SIG_IGN, SIGINT, Signals, signal

from treewright.errors import InputError
from treewright.scale.documents import Unit
from treewright.scale.shards import Job, Parsed, Worker

LOADING_SECONDS = 600.0  # until the process has loaded the model; not tuned
MAX_DEATHS = 2  # of a process with one unit, after which the unit is rejected: the first may have had another cause


@contextmanager
def isolation(job: Job, limit: Callable[[Sequence[Unit]], float]) -> Iterator[Callable[[Unit], Parsed]]:
    """Open a process that parses units; it is replaced if it ends, or does not answer within limit([unit]) seconds."""
    child = Child(job)

    def parse_unit(unit: Unit) -> Parsed:
        nonlocal child
        reason = ""
        for _ in range(MAX_DEATHS):
            try:
                return child.parse(unit, limit([unit]))
            except EOFError:
                reason = f"it ended its process ({child.end()})"
            except TimeoutError:
                child.end()
                child = Child(job)
                return f"it took more than {limit([unit]):g} seconds"
            child = Child(job)
        return reason

    try:
        yield parse_unit
    finally:
        child.end()


class Child:
    """A process that parses units."""

    def __init__(self, job: Job) -> None:
        spawn = get_context("spawn")
        self._connection, theirs = spawn.Pipe()
        self._process = spawn.Process(target=answer_units, args=(theirs, job))
        self._process.start()
        theirs.close()
        try:
            if not self._connection.poll(LOADING_SECONDS):
                raise EOFError
            self._connection.recv()
        except EOFError:
            raise InputError(f"a process that loads the model of {job.folder} ended early ({self.end()})") from None

    def parse(self, unit: Unit, seconds: float) -> Parsed:
        """Parse a unit; an EOFError says that the process has ended, a TimeoutError that it takes too long."""
        try:
            self._connection.send(unit)
        except OSError:
            raise EOFError from None
        if not self._connection.poll(seconds):
            raise TimeoutError
        result: Parsed = self._connection.recv()
        return result

    def end(self) -> str:
        """End the process; return how it ended."""
        self._process.join(0.2)
        self._process.kill()
        self._process.join()
        self._connection.close()
        code = self._process.exitcode or 0
        return f"signal {Signals(-code).name}" if code < 0 else f"status {code}"


def answer_units(pipe: connection.Connection, job: Job) -> None:
    """Parse units from a pipe until it is closed; the main function of a process."""
    follow_parent()
    worker = Worker(job, is_limited=False)  # the process that waits for the answer has a limit
    worker.model  # noqa: B018  # loaded before the first unit
    pipe.send("ready")
    while True:
        try:
            unit = pipe.recv()
        except EOFError:
            return
        pipe.send(worker.parse([unit])[0])


def follow_parent() -> None:
    """End this process when the one that started it ends, however it ends; Ctrl-C is left to that one."""
    signal(SIGINT, SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()

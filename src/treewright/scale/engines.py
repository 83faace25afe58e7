"""What runs shards: processes of this machine, or Ray (`treewright.scale.ray_engine`). The driver is the same."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, Protocol

from treewright.errors import InputError
from treewright.scale.isolation import follow_parent
from treewright.scale.shards import Done, Job, Worker


class Task(NamedTuple):
    """A shard that is to run."""

    number: int
    isolated: bool = False


@dataclass(frozen=True)
class Report:
    """What became of a task: it is done, it failed with an error of the user's, or its worker died."""

    task: Task
    done: Done | None = None
    error: str | None = None
    is_bug: bool = False  # the error is a traceback
    cpu_seconds: float = 0.0
    peak_megabytes: float = 0.0  # of the worker so far


class Engine(Protocol):
    """Workers that run shards."""

    def has_room(self) -> bool:
        """Return whether a worker is idle."""

    def start(self, task: Task) -> None:
        """Start a task on an idle worker."""

    def wait(self, seconds: float) -> Sequence[Report]:
        """Return what has become of tasks; wait for the first, but not longer than some seconds."""

    def stop(self) -> None:
        """End the workers, whatever they do."""


def run_task(worker: Worker, task: Task) -> Report:
    """Run a task; errors are reported, not raised."""
    begin = time.process_time()
    try:
        done = worker.run(*task)
    except (InputError, OSError) as error:
        place = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
        return Report(task, error=place + str(getattr(error, "strerror", None) or error))
    except Exception:
        return Report(task, error=traceback.format_exc(), is_bug=True)
    return Report(task, done, cpu_seconds=time.process_time() - begin, peak_megabytes=peak_megabytes())


def peak_megabytes() -> float:
    """Return the most memory that this process has had."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1e3
    except (OSError, IndexError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1e6 if sys.platform == "darwin" else 1e3)


class LocalEngine:
    """Spawned processes of this machine; one that dies is replaced."""

    def __init__(self, job: Job, jobs: int) -> None:
        self._job, self._jobs = job, jobs
        self._idle: list[LocalWorker] = []
        self._busy: dict[connection.Connection, LocalWorker] = {}

    def has_room(self) -> bool:
        return len(self._busy) < self._jobs

    def start(self, task: Task) -> None:
        worker = self._idle.pop() if self._idle else LocalWorker(self._job)
        worker.start(task)
        self._busy[worker.pipe] = worker

    def wait(self, seconds: float) -> list[Report]:
        reports = []
        for pipe in connection.wait(list(self._busy), seconds):
            worker = self._busy.pop(pipe)  # type: ignore[arg-type]
            try:
                reports.append(worker.pipe.recv())
                self._idle.append(worker)
            except (EOFError, OSError):
                worker.end()
                reports.append(Report(worker.task))
        return reports

    def stop(self) -> None:
        for worker in [*self._idle, *self._busy.values()]:
            worker.end()
        self._idle, self._busy = [], {}


class LocalWorker:
    """A process that runs tasks."""

    task: Task

    def __init__(self, job: Job) -> None:
        spawn = get_context("spawn")  # not forked: a copy of a process that has threads may never come to run
        self.pipe, theirs = spawn.Pipe()
        self._process: BaseProcess = spawn.Process(target=run_tasks, args=(theirs, job))
        self._process.start()
        theirs.close()

    def start(self, task: Task) -> None:
        self.task = task
        try:
            self.pipe.send(task)
        except OSError:  # it has died while it was idle: `wait` will report it
            return

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def run_tasks(pipe: connection.Connection, job: Job) -> None:
    """Run tasks from a pipe until it is closed; the main function of a process."""
    follow_parent()
    worker = Worker(job)
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(run_task(worker, task))

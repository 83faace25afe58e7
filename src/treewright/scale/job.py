"""The driver of a job: makes or reads the plan, has the missing shards run, and counts what the ledger says.

The ledger is the only state. A driver that was killed is replaced by the same command, and several drivers may work in
one folder, each on its share of the shards.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

import treewright
from treewright.errors import InputError
from treewright.integrate.arrow import load_pyarrow
from treewright.languages.installed import find_model
from treewright.model.registry import open_named
from treewright.scale import files
from treewright.scale.engines import Engine, LocalEngine, Task
from treewright.scale.files import JOB, Folder, digest_of, open_folder
from treewright.scale.parts import EXTENSIONS
from treewright.scale.plan import PLAN, Plan, Settings, check_same, largest_first, read_plan, shards_of, source_of
from treewright.scale.shards import Done, Job, Worker, read_ledger, rejected_name
from treewright.streams import check_count

ENGINES = ("local", "ray")
MAX_DEATHS = 2  # of workers with a shard, after which it runs in isolation
MAX_ISOLATED_DEATHS = 10  # of workers with a shard, after which it is given up; not tuned
STRAGGLER = 3.0  # times the median: a shard that runs longer gets a second worker, if one is idle
MIN_FINISHED = 3  # shards of which the median is taken
POLL_SECONDS = 2.0  # between looks for stragglers; not tuned


@dataclass(frozen=True)
class Progress:
    """How far a job is; size is in bytes of text."""

    shards: int
    done_shards: int
    size: int
    done_size: int
    words: int  # parsed in this run
    seconds: float  # of this run
    seconds_left: float | None  # None until a shard is done


@dataclass(frozen=True)
class Result:
    """What the ledger says of the shards of a run; CPU time and memory are summed over its workers."""

    shards: int = 0
    documents: int = 0
    sentences: int = 0
    words: int = 0
    certified: int = 0
    rejected: int = 0
    rejected_files: Sequence[str] = ()
    unfinished: Sequence[int] = ()  # shards that ended too many workers
    seconds: float = 0.0
    parsed_words: int = 0  # in this run, without what was done before
    cpu_seconds: float = 0.0
    peak_megabytes: float = 0.0  # of the largest worker


def parse_corpus(
    model: str,
    inputs: Sequence[str],
    output: str,
    *,
    jobs: int | None = None,
    engine: str = "local",
    shards: str = "1/1",
    ray_address: str | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
    **settings: Any,
) -> Result:
    """Parse a corpus into a folder of files, a shard each; run it again to continue after any interruption.

    model: a name or a file. inputs: paths, patterns or URLs of text, JSON lines, CoNLL-U and Parquet. output: a folder,
    or a URL of one. jobs: worker processes, as many as cores if not given. engine: "local" or "ray", at ray_address if
    there is a cluster. shards: "2/8" runs the second of eight shares of the shards. report is called as shards finish.
    settings: the fields of `treewright.scale.Settings`. A program that calls it starts under
    `if __name__ == "__main__":`.

    >>> _ = [run_shard("parsed", shard) for shard in plan_corpus("en", ["sample.conllu"], "parsed", to="conllu")]
    >>> result = parse_corpus("en", ["sample.conllu"], "parsed", to="conllu")  # everything is done already
    >>> result.shards, result.sentences, result.rejected
    (1, 3, 0)
    """
    if engine not in ENGINES:
        raise InputError(f"engine is {engine!r}; expected {' or '.join(ENGINES)}")
    index, count = share_of(shards)
    chosen = checked_settings(settings)
    folder = open_folder(output)
    plan = planned(folder, model, inputs, chosen)
    numbers = range(index - 1, len(plan.shards), count)
    folder.sweep(prefixes(numbers))
    driver = Driver(plan, folder, numbers, report)
    if driver.waiting:
        job = Job(folder.name, os.getcwd())
        try:
            driver.run(new_engine(engine, job, jobs, ray_address))
        finally:
            folder.sweep(prefixes(numbers))
    return driver.result()


def plan_corpus(model: str, inputs: Sequence[str], output: str, **settings: Any) -> list[int]:
    """Make the plan of an output folder, or check that it has one of this job; return the shards that are missing.

    The arguments: as in `parse_corpus`. The largest shard is the first. Other engines call `run_shard` for each.

    >>> plan_corpus("en", ["sample.conllu"], "planned", to="conllu")
    [0]
    """
    chosen = checked_settings(settings)
    folder = open_folder(output)
    plan = planned(folder, model, inputs, chosen)
    ledger = read_ledger(folder, plan, range(len(plan.shards)))
    return largest_first(plan, (number for number in range(len(plan.shards)) if number not in ledger))


def run_shard(output: str, number: int) -> Done:
    """Parse the shard of this number in the plan of an output folder, and publish its files.

    The process keeps the model for the next shard. Relative names of inputs are paths in the working directory.

    >>> [shard] = plan_corpus("en", ["sample.conllu"], "folder", to="conllu", fast=True)
    >>> run_shard("folder", shard).part
    'part-00000.conllu.gz'
    """
    return worker_of(output, os.getcwd()).run(number)


@lru_cache(maxsize=1)
def worker_of(output: str, directory: str) -> Worker:
    return Worker(Job(output, directory))


def checked_settings(settings: Mapping[str, Any]) -> Settings:
    """Return the settings of keywords."""
    names = [field.name for field in fields(Settings)]
    if unknown := next((name for name in settings if name not in names), None):
        raise TypeError(f"there is no setting {unknown!r}; there are {', '.join(names)}")
    chosen = Settings(**settings)
    if chosen.to not in EXTENSIONS:
        raise InputError(f"to is {chosen.to!r}; expected {' or '.join(EXTENSIONS)}")
    if chosen.to == "parquet":
        load_pyarrow("--to parquet")
    return chosen


def new_engine(name: str, job: Job, jobs: int | None, ray_address: str | None) -> Engine:
    """Make an engine by its name."""
    if jobs is not None:
        check_count(jobs, "jobs")
    if name == "ray":
        from treewright.scale.ray_engine import RayEngine

        return RayEngine(job, jobs, ray_address)
    return LocalEngine(job, jobs or available_cores())


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_of(shards: str) -> tuple[int, int]:
    """Read a share of the shards.

    >>> share_of("2/8")
    (2, 8)
    """
    match = re.fullmatch(r"(\d+)/(\d+)", shards)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise InputError(f"--shards {shards}: expected i/n, the i-th of n shares, as in 1/8 to 8/8")
    return int(match[1]), int(match[2])


def prefixes(numbers: Iterable[int]) -> set[str]:
    """Return the beginnings of the names of temporary files of shards and of the plan."""
    return {Path(PLAN).stem, *(f"{name}-{number:05d}" for number in numbers for name in ("part", "rejected"))}


def planned(folder: Folder, model: str, inputs: Sequence[str], settings: Settings) -> Plan:
    """Return the plan of a folder, which must be of the same job, or make it."""
    file = open_named(model)
    path = model if find_model(model) else os.path.abspath(model)
    with open(file.path, "rb") as content:
        sha256 = digest_of(content)
    licence = str((file.header.get("metadata") or {}).get("licence", ""))
    sources = [source_of(name, settings.input) for name in files.expand(inputs)]
    plan = Plan(treewright.__version__, path, sha256, licence, settings, sources, ())
    begun = read_plan(folder)
    if begun is None:
        cut = replace(plan, shards=shards_of(sources, settings))
        if folder.create(PLAN, cut.to_json()):
            return cut
        begun = read_plan(folder)
        assert begun is not None
    check_same(folder, begun, plan)
    return begun


@dataclass
class Driver:
    """Has shards run until all are done. Shards whose workers die run again, at last in isolation."""

    plan: Plan
    folder: Folder
    numbers: Sequence[int]
    report: Callable[[Progress], None]
    begin: float = field(default_factory=time.monotonic)
    running: dict[int, list[float]] = field(default_factory=dict)  # when the copies of a shard were started
    deaths: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # that finished shards took
    unfinished: list[int] = field(default_factory=list)
    parsed_words: int = 0
    cpu_seconds: float = 0.0
    peak_megabytes: float = 0.0

    def __post_init__(self) -> None:
        self.ledger: dict[int, Done] = read_ledger(self.folder, self.plan, self.numbers)
        self.done_before = self.done_size()
        self.waiting = largest_first(self.plan, (number for number in self.numbers if number not in self.ledger))

    def run(self, engine: Engine) -> None:
        """Run the waiting shards on an engine, and stop it."""
        try:
            self.report(self.progress())
            while self.waiting or self.running:
                while engine.has_room() and (self.waiting or (straggler := self.straggler()) is not None):
                    number = self.waiting.pop(0) if self.waiting else straggler
                    assert number is not None
                    engine.start(Task(number, self.deaths[number] >= MAX_DEATHS))
                    self.running.setdefault(number, []).append(time.monotonic())
                for report in engine.wait(POLL_SECONDS):
                    if report.error is not None:
                        raise (RuntimeError if report.is_bug else InputError)(report.error)
                    self.cpu_seconds += report.cpu_seconds
                    self.peak_megabytes = max(self.peak_megabytes, report.peak_megabytes)
                    self.finish(report.task.number, report.done)
        except KeyboardInterrupt:
            done = f"{len(self.ledger)} of {len(self.numbers)} shards are done"
            raise KeyboardInterrupt(f"{done}; the same command continues") from None
        finally:
            engine.stop()

    def finish(self, number: int, done: Done | None) -> None:
        """Note that a copy of a shard is done, or that its worker has died."""
        copies = self.running.get(number, [])
        if done is None:
            self.deaths[number] += 1
            if copies:
                copies.pop()
            if not copies and self.running.pop(number, None) is not None:
                is_hopeless = self.deaths[number] >= MAX_ISOLATED_DEATHS
                (self.unfinished if is_hopeless else self.waiting).append(number)
        elif number not in self.ledger:
            self.seconds.append(time.monotonic() - copies[0])
            self.running.pop(number)
            self.ledger[number] = done
            self.parsed_words += done.words
            self.report(self.progress())

    def straggler(self) -> int | None:
        """Return a shard that has run much longer than others, and has one copy."""
        if len(self.seconds) < MIN_FINISHED:
            return None
        limit = STRAGGLER * median(self.seconds)
        now = time.monotonic()
        slow = (n for n, copies in self.running.items() if len(copies) == 1 and now - copies[0] > limit)
        return next(slow, None)

    def done_size(self) -> int:
        return sum(self.plan.size(number) for number in self.ledger)

    def progress(self) -> Progress:
        seconds = time.monotonic() - self.begin
        size, done = sum(map(self.plan.size, self.numbers)), self.done_size()
        speed = (done - self.done_before) / seconds if seconds else 0.0
        left = (size - done) / speed if speed else None
        return Progress(len(self.numbers), len(self.ledger), size, done, self.parsed_words, seconds, left)

    def result(self) -> Result:
        """Return the counts of all shards that are done."""
        names = ("documents", "sentences", "words", "certified", "rejected")
        counts = {name: sum(getattr(done, name) for done in self.ledger.values()) for name in names}
        rejected = sorted(number for number, done in self.ledger.items() if done.rejected)
        return Result(
            shards=len(self.ledger),
            rejected_files=[f"{self.folder.name}/{JOB}/{rejected_name(number)}" for number in rejected],
            unfinished=sorted(self.unfinished),
            seconds=time.monotonic() - self.begin,
            parsed_words=self.parsed_words,
            cpu_seconds=self.cpu_seconds,
            peak_megabytes=self.peak_megabytes,
            **counts,
        )

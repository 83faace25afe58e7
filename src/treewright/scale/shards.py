"""The shard function: parse a shard and publish its part, its rejected documents and its record in the ledger.

A shard is a function of plan and inputs, so that it may run any number of times, anywhere: its files have the same
bytes, and each appears whole. Documents are parsed in batches. A shard that has ended its process is run in isolation:
another process parses one unit at a time, and a unit that ends it or takes too long is rejected.
"""

from __future__ import annotations

import faulthandler
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.integrate.arrow import MAX_WORDS
from treewright.model.registry import load_parser, open_named
from treewright.pipeline import Pipeline
from treewright.pipeline.reading import MAX_TEXT_SIZE, MAX_TEXTS
from treewright.scale.documents import Rejection, Unit, read_piece, reject
from treewright.scale.files import JOB, Folder, digest_of, open_folder
from treewright.scale.parts import EXTENSIONS, open_part
from treewright.scale.plan import Plan, read_plan

if TYPE_CHECKING:
    from treewright.induce import InducedParser
    from treewright.parser import Parser

SECONDS_PER_CHARACTER = 1e-3  # added to the time limit of a unit: 5 ms a word, twenty times the mean; not tuned

Parsed = list[Sentence] | str  # the sentences of a unit, or the reason why it has none


class Job(NamedTuple):
    """Where workers find the plan and the files that it names."""

    folder: str
    directory: str  # of the driver, in which relative names are paths


@dataclass(frozen=True)
class Done:
    """The record of a finished shard in the ledger. It has no times: a shard that runs again writes the same bytes."""

    part: str
    size: int
    sha256: str
    documents: int
    sentences: int
    words: int
    certified: int
    rejected: int


def part_name(plan: Plan, number: int) -> str:
    return f"part-{number:05d}{EXTENSIONS[plan.settings.to]}"


def record_name(number: int) -> str:
    return f"part-{number:05d}.done.json"


def rejected_name(number: int) -> str:
    return f"rejected-{number:05d}.jsonl"


def read_ledger(folder: Folder, plan: Plan, numbers: Iterable[int]) -> dict[int, Done]:
    """Return the records of those shards that are done: the record exists and the part has the size that it names."""
    records, parts = folder.sizes(JOB), folder.sizes()
    ledger = {}
    for number in numbers:
        data = folder.read(f"{JOB}/{record_name(number)}") if record_name(number) in records else None
        if data is not None:
            done = Done(**json.loads(data))
            if parts.get(done.part) == done.size:
                ledger[number] = done
    return ledger


class Worker:
    """Runs shards of a job; the model is loaded once."""

    def __init__(self, job: Job, is_limited: bool = True) -> None:
        self.job = job
        self._is_limited = is_limited  # the process ends if units take too long
        os.chdir(job.directory)
        self._folder = open_folder(job.folder)
        plan = read_plan(self._folder)
        if plan is None:
            raise InputError(f"{job.folder}: no plan; was the folder emptied while the job runs?")
        self.plan = plan

    @cached_property
    def model(self) -> Pipeline | Parser | InducedParser:
        with open(open_named(self.plan.model).path, "rb") as file:
            if digest_of(file) != self.plan.model_sha256:
                raise InputError(f"{self.plan.model} is not the model that the job was begun with, on this machine")
        return load_parser(self.plan.model, network=not self.plan.settings.fast)

    def run(self, number: int, isolated: bool = False) -> Done:
        """Parse a shard and publish its files; isolated: each unit in another process."""
        if isolated:
            from treewright.scale.isolation import isolation

            with isolation(self.job, self.limit) as parse_unit:
                return self._publish(number, lambda units: map(parse_unit, units))
        return self._publish(number, self.parse)

    def limit(self, units: Sequence[Unit]) -> float:
        """Return the time limit of some units together, in seconds."""
        return self.plan.settings.document_seconds + SECONDS_PER_CHARACTER * sum(len(unit.text) for unit in units)

    def parse(self, units: list[Unit]) -> list[Parsed]:
        """Parse units together; if there is an error, each by itself."""
        try:
            with ending_process_after(self.limit(units)) if self._is_limited else nullcontext():
                return list(self._parse_together(units))
        except Exception as error:
            if len(units) == 1:
                return [f"{type(error).__name__}: {error}"]
            return [result for unit in units for result in self.parse([unit])]

    def _parse_together(self, units: list[Unit]) -> Iterator[list[Sentence]]:
        settings = self.plan.settings
        texts = [unit for unit in units if isinstance(unit.content, str)]
        split: Iterator[list[Sentence]] = iter(())
        if texts:
            if not isinstance(self.model, Pipeline):
                raise InputError(f"{self.plan.model}: a parser alone, which needs sentences with tags, not raw text")
            begins, whole = [unit.begin for unit in texts], settings.input == "lines"
            split = iter(self.model.tokeniser.batch([unit.text for unit in texts], begins=begins, whole=whole))
        sentences = [next(split) if isinstance(unit.content, str) else [unit.content] for unit in units]
        longest = max(map(len, chain.from_iterable(sentences)), default=0)
        if settings.to == "parquet" and longest > MAX_WORDS:
            raise InputError(f"a sentence of {longest} words; a row of Parquet holds up to {MAX_WORDS}")
        options: dict[str, Any] = {name: getattr(settings, name) for name in ("method", "projective", "all_arcs")}
        options |= {"confidence": settings.confidence or settings.to == "parquet", "max_seconds": settings.max_seconds}
        options |= {"comment": False} if isinstance(self.model, Pipeline) else {}
        parsed = iter(self.model.parse(chain.from_iterable(sentences), **options))
        return (list(islice(parsed, len(group))) for group in sentences)

    def units(self, number: int) -> Iterator[Unit | Rejection]:
        """Yield the units of a shard in order."""
        for piece in self.plan.shards[number]:
            yield from read_piece(piece, self.plan.sources[piece.source], self.plan.settings)

    def _publish(self, number: int, parse: Callable[[list[Unit]], Iterable[Parsed]]) -> Done:
        """Write the part of a shard, then its rejected documents, then its record; each appears whole."""
        counts = dict.fromkeys(("documents", "sentences", "words", "certified", "rejected"), 0)
        rejected: list[Rejection] = []
        place = self.plan.shards[number][0].sentence - 1  # of the last sentence in its document
        name = part_name(self.plan, number)
        with self._folder.writing(name) as file:
            part = open_part(file, self.plan)
            for unit, result in parse_each(self.units(number), parse):
                if unit.is_first:
                    counts["documents"] += 1
                    place = -1
                if isinstance(result, str):
                    rejected.append(unit if isinstance(unit, Rejection) else reject(unit, result))
                    place += unit.is_sentence
                    continue
                for sentence in result:
                    place += 1
                    part.write(sentence, unit.document, place)
                    counts["sentences"] += 1
                    counts["words"] += len(sentence)
                    counts["certified"] += sentence.parse.certified
            part.close()
            file.flush()
            done = Done(name, file.seek(0, os.SEEK_END), digest_of(file), **(counts | {"rejected": len(rejected)}))
        if rejected:
            with self._folder.writing(f"{JOB}/{rejected_name(number)}") as file:
                file.writelines(rejection.to_json() for rejection in rejected)
        with self._folder.writing(f"{JOB}/{record_name(number)}") as file:
            file.write(json.dumps(asdict(done)).encode() + b"\n")
        return done


def parse_each(
    units: Iterable[Unit | Rejection], parse: Callable[[list[Unit]], Iterable[Parsed]]
) -> Iterator[tuple[Unit | Rejection, Parsed]]:
    """Yield each unit with its sentences, or with the reason for its rejection; parse is called with batches."""
    for is_rejected, group in groupby(units, lambda unit: isinstance(unit, Rejection)):
        if is_rejected:
            yield from ((unit, unit.reason) for unit in group if isinstance(unit, Rejection))
        else:
            for batch in batches_of(unit for unit in group if isinstance(unit, Unit)):
                yield from zip(batch, parse(batch), strict=True)


def batches_of(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Yield lists of up to MAX_TEXTS units or MAX_TEXT_SIZE characters; a longer unit alone."""
    batch: list[Unit] = []
    size = 0
    for unit in units:
        if batch and (size + len(unit.text) > MAX_TEXT_SIZE or len(batch) == MAX_TEXTS):
            yield batch
            batch, size = [], 0
        batch.append(unit)
        size += len(unit.text)
    if batch:
        yield batch


@contextmanager
def ending_process_after(seconds: float) -> Iterator[None]:
    """End this process if the `with` takes longer, also in native code that does not return to Python."""
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

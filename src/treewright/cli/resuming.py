"""An interrupted `treewright parse -o FILE`: finished sentences are kept in FILE.part, and --resume continues there.

Each sentence is parsed by itself, so that the resumed output has the bytes of one that was not interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.cli.inputs import Job
    from treewright.corpus import Sentence


def part_of(output: str) -> str:
    """Return the file that keeps the finished sentences of an output."""
    return f"{output}.part"


def check_resumable(form: str, output: str, kbest: int | None, proofs: str | None) -> None:
    """Refuse --resume where finished sentences cannot be told from others."""
    reason = None
    if output == "-":
        reason = "it needs a file (-o FILE), whose finished sentences are in FILE.part"
    elif form != "conllu":
        reason = "only CoNLL-U is continued; use -o FILE.conllu"
    elif kbest is not None or proofs is not None:
        reason = f"{'--kbest' if proofs is None else '--proofs'} cannot be continued; leave out --resume"
    if reason is not None:
        raise typer.BadParameter(reason, param_hint="--resume")


def is_finished(job: Job, jobs: int) -> bool:
    """Return whether the output of one of several jobs is complete."""
    return jobs > 1 and os.path.exists(job.output) and not os.path.exists(part_of(job.output))


def finished_sentences(job: Job, inputs: Iterator[Sentence]) -> Iterator[Sentence]:
    """Yield the finished sentences of a job, if there are any, and take as many of its inputs."""
    from treewright.corpus import read

    part = part_of(job.output)
    if not os.path.exists(part):
        return
    for number, sentence in enumerate(read(part, "conllu"), start=1):
        taken = next(inputs, None)
        if taken is None or taken.forms != sentence.forms:
            problem = f"sentence {number} is not that of {job.source}"
            raise InputError(f"{part}: {problem}; delete the file, or leave out --resume")
        yield sentence


class Tally:
    """Counts sentences on their way into an output."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            yield sentence
            self.count += 1


@contextmanager
def reporting_interrupt(output: str, tally: Tally) -> Iterator[None]:
    """Say what an interrupted command keeps and how to go on; a complete one removes what an earlier one kept."""
    part = part_of(output)
    try:
        yield
    except KeyboardInterrupt:
        if tally.count and os.path.exists(part):
            kept = f"{tally.count} finished sentence{'s' * (tally.count != 1)} in {part}"
            raise KeyboardInterrupt(f"kept {kept}; add --resume to the command to continue") from None
        raise
    if os.path.exists(part):
        os.unlink(part)

"""Checkpoints of a parser's training: its state at the ends of epochs (see treewright.checkpoint)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from treewright import checkpoint
from treewright.checkpoint import Origin, now_and_then
from treewright.corpus import Sentence
from treewright.parser import training
from treewright.parser.options import Options
from treewright.parser.parser import Parser, fingerprint
from treewright.parser.training import Report, State

TUPLES = {  # the named tuples that a state may hold
    name: kind
    for name, kind in vars(training).items()
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
}


def origin_of(train: Sequence[Sentence], dev: Sequence[Sentence], options: Options) -> Origin:
    """What a training about to begin depends on."""
    return Origin.now(fingerprint(train), fingerprint(dev), options.to_json())


def save_checkpoint(path: str | os.PathLike[str], state: State, origin: Origin) -> None:
    """Write a checkpoint, in the place of the one before."""
    checkpoint.save(path, vars(state), origin)


def load_checkpoint(path: str | os.PathLike[str], origin: Origin) -> State:
    """The state to go on from, if it is one of this training."""
    return State(**checkpoint.load(path, origin, TUPLES))


def train_with_checkpoints(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: Options,
    *,
    path: str | os.PathLike[str],
    resume: bool = False,
    report: Callable[[Report], None] | None = None,
    progress: Callable[[str, int, int, int], None] | None = None,
) -> Parser:
    """Train as Parser.train does, with checkpoints at `path` at the ends of epochs; the caller removes the last one.

    resume: go on from the checkpoint, if there is one. Without it a checkpoint that is there is not overwritten.
    """
    origin = origin_of(train, dev, options)
    state = load_checkpoint(path, origin) if checkpoint.begun(path, resume) else None
    return Parser.train(
        train,
        dev,
        options=options,
        state=state,
        report=report,
        progress=progress,
        checkpoint=now_and_then(lambda reached: save_checkpoint(path, reached, origin)),
    )

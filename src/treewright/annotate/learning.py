"""Training on what a project has: a process of its own, at lower priority, on a copy of the sentences.

`python -m treewright.annotate.learning FOLDER` trains on FOLDER/train.conllu, measures on FOLDER/held-out.conllu, and
writes FOLDER/model.tw; FOLDER/progress.json says how far it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treewright.annotate.answers import Job, ProjectError
from treewright.corpus import Sentence, read, replacing, write
from treewright.errors import InputError
from treewright.learn import Observer
from treewright.learn.engine import Report
from treewright.parser.partial import attachment, is_labelled
from treewright.pipeline import Pipeline

HELD_OUT = 10  # one of so many sentences is held out, by the hash of its text: always the same ones
MIN_SENTENCES = 10  # fewer annotated sentences teach nothing; not tuned
SAMPLES = 1000  # bootstrap draws for the range of the accuracy
NICENESS = 10  # of the process that trains: the server answers first; not tuned


@dataclass
class TrainingProcess:
    """A training that runs, or has ended."""

    id: str
    folder: Path
    process: subprocess.Popen[bytes]
    result: Job | None = field(default=None)

    @classmethod
    def start(cls, models: Path, sentences: Sequence[Sentence]) -> TrainingProcess:
        """Write the annotated ones of these sentences below the folder `models`, and start the training."""
        annotated = [sentence for sentence in sentences if (sentence.heads >= 0).any()]
        if len(annotated) < MIN_SENTENCES:
            raise ProjectError(f"{len(annotated)} sentences are annotated; training needs at least {MIN_SENTENCES}")
        train, held_out = divide(annotated)
        job = secrets.token_hex(6)
        folder = models / job
        folder.mkdir(parents=True)
        write(train, folder / "train.conllu")
        write(held_out, folder / "held-out.conllu")
        with open(folder / "errors.txt", "wb") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "treewright.annotate.learning", os.fspath(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        return cls(job, folder, process)

    def stop(self) -> None:
        """End the process, if it still runs."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    def job(self) -> Job:
        """Return how far the training is; when it is done, its model is in the folder of models under its id."""
        if self.result is not None:
            return self.result
        code = self.process.poll()
        progress: dict[str, Any] = {}
        with suppress(OSError, ValueError):
            progress = json.loads((self.folder / "progress.json").read_text(encoding="utf-8"))
        if code is None:
            share = progress.get("share", 0.0)
            return Job(self.id, "train", "running", share, progress.get("message", "starting"))
        if code != 0 or "metrics" not in progress:
            errors = (self.folder / "errors.txt").read_text(encoding="utf-8", errors="replace").strip()
            reason = progress.get("error") or (errors.splitlines() or [f"the process ended with status {code}"])[-1]
            self.result = Job(self.id, "train", "failed", progress.get("share", 0.0), reason)
            return self.result
        path = self.folder / "model.tw"
        model = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        os.replace(path, self.folder.parent / f"{model}.tw")
        metrics = progress["metrics"]
        text = (
            f"LAS {metrics['las']:.1f} ({metrics['low']:.1f} to {metrics['high']:.1f}) on {metrics['words']:.0f} words"
        )
        self.result = Job(self.id, "train", "done", 1.0, text, model, metrics)
        return self.result


def divide(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Divide sentences into those to train on and those held out: the same ones whenever they are annotated."""
    held_out = [sentence for sentence in sentences if is_held_out(sentence)] or [sentences[-1]]
    chosen = set(map(id, held_out))
    return [sentence for sentence in sentences if id(sentence) not in chosen], held_out


def is_held_out(sentence: Sentence) -> bool:
    """Return whether a sentence is one of those that are never trained on."""
    digest = hashlib.sha256(f"{sentence.sent_id} {sentence.text}".encode()).digest()
    return digest[0] * 256 + digest[1] < 65536 // HELD_OUT


def train(folder: Path) -> None:
    """Train in a folder, with progress."""
    begin = time.monotonic()
    sentences, held_out = (list(read(folder / name)) for name in ("train.conllu", "held-out.conllu"))
    last = 0.0

    def report(share: float, message: str, **further: Any) -> None:
        nonlocal last
        if further or time.monotonic() - last > 0.2:
            last = time.monotonic()
            with replacing(folder / "progress.json") as path:
                path.write_text(json.dumps({"share": share, "message": message, **further}), encoding="utf-8")

    try:
        plan = Pipeline.plan(sentences)
        total = sum(stage.cost * stage.epochs for stage in plan.stages) or 1.0
        cost = {stage.name: stage.cost for stage in plan.stages}
        done = 0.0

        def count(epoch: Report) -> None:
            nonlocal done
            done += cost.get(epoch.stage, 0.0)
            report(min(done / total, 0.99), f"training: {epoch.stage}")

        pipeline = plan.run(Observer(report=count))
        pipeline.save(folder / "model.tw")
        metrics = measure(pipeline, held_out) | {
            "sentences": float(len(sentences)),
            "seconds": round(time.monotonic() - begin, 1),
        }
        report(1.0, "done", metrics=metrics)
    except InputError as error:
        report(0.0, "failed", error=str(error))
        sys.exit(1)


def measure(pipeline: Pipeline, held_out: Sequence[Sentence]) -> dict[str, float]:
    """Return LAS, its 95 % range by the bootstrap over sentences, UAS, and the number of words."""
    parsed = list(pipeline.parse(pipeline.retag(held_out, confidence=False), confidence=False))
    right, total = [], []
    for gold, tree in zip(held_out, parsed, strict=True):
        labelled = is_labelled(gold)
        same = (gold.heads == tree.heads) & np.array([a == b for a, b in zip(gold.deprels, tree.deprels, strict=True)])
        right.append(int((same & labelled).sum()))
        total.append(int(labelled.sum()))
    scores = attachment(held_out, parsed)
    draws = np.random.default_rng(0).integers(len(right), size=(SAMPLES, len(right)))
    sums = np.array(right)[draws].sum(axis=1) / np.maximum(np.array(total)[draws].sum(axis=1), 1)
    low, high = np.percentile(100 * sums, [2.5, 97.5])
    return {"las": scores.las, "low": float(low), "high": float(high), "uas": scores.uas, "words": float(sum(total))}


if __name__ == "__main__":
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    train(Path(sys.argv[1]))

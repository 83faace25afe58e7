"""The models of a project: the one that suggests trees, those trained on what is annotated, and trainings that run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from treewright.annotate.answers import ConflictError, Job, ProjectError, UnknownItemError
from treewright.annotate.assistant import Assistant
from treewright.annotate.layers import Layers
from treewright.annotate.learning import TrainingProcess
from treewright.annotate.records import Records, now
from treewright.annotate.store import Store, dump, exclusive
from treewright.model.registry import load
from treewright.pipeline import Pipeline


class Models:
    """The models of the project in a folder.

    given: name or file of a model that is used in place of the project's own. name: name or file of the one in use;
    empty without one. assistant: shows its trees.
    """

    def __init__(self, folder: Path, store: Store, given: str | None) -> None:
        self._folder, self._store, self._given = folder, store, given
        self._jobs: dict[str, TrainingProcess] = {}
        self.assistant, self.name = Assistant(), ""

    def load(self) -> None:
        """Load the model that suggests trees: the one given, else the one adopted, else the project's first."""
        adopted = self._store.setting("adopted")
        name = self._given or adopted or self._store.setting("model") or ""
        if adopted and not self._given:
            name = os.fspath(self._folder / f"{adopted}.tw")
        model = load(name) if name else None
        if model is not None and not isinstance(model, Pipeline):
            raise ProjectError(
                f"{name} is no pipeline; a project needs a tokeniser, a tagger and a parser in one model, as "
                "`treewright train` makes it and `treewright pack` joins it"
            )
        self.assistant, self.name = Assistant(model), name

    @property
    def given(self) -> str:
        """Name or file of the model that the project was made or opened with; empty without one."""
        return self._given or self._store.setting("model") or ""

    @exclusive
    def train(self, layer: str | None = None) -> str:
        """Train a model on what is annotated in a layer, in a process of its own; return the id of the job.

        layer: None for the one that is exported by default. Accepted sentences are taken whole, of the others what is
        decided; every tenth sentence is held out.
        """
        if any(job.job().state == "running" for job in self._jobs.values()):
            raise ConflictError("a training is running; wait for it")
        versions = Records(self._store).versions("partial", layer or Layers(self._store).default())
        job = TrainingProcess.start(self._folder, [sentence for _, sentence in versions])
        self._jobs[job.id] = job
        return job.id

    @exclusive
    def job(self, job_id: str) -> Job:
        """Return the state of the job with the id `job_id`."""
        if job_id not in self._jobs:
            raise UnknownItemError(f"there is no job {job_id!r}")
        job = self._jobs[job_id].job()
        if job.state == "done" and not self._store.one("SELECT 1 FROM model WHERE id = ?", job.model):
            with self._store.transaction():
                row = job.model, f"{job.model}.tw", now(), dump(job.metrics)
                self._store.run("INSERT INTO model VALUES (?, ?, ?, ?)", *row)
        return job

    @exclusive
    def all(self) -> list[dict[str, Any]]:
        """List the models that were trained, with held-out accuracy; `is_used` marks the one in use."""
        used = self._store.setting("adopted")
        rows = self._store.rows("SELECT id, at, metrics FROM model ORDER BY at")
        return [{"id": id_, "at": at, "is_used": id_ == used, **json.loads(metrics)} for id_, at, metrics in rows]

    @exclusive
    def adopt(self, model_id: str | None) -> None:
        """Use a model for suggestions: one of `all`, or None for the one that the project was made with.

        Sentences that are on screen keep their trees until something is decided about them.
        """
        if model_id is not None and not self._store.one("SELECT 1 FROM model WHERE id = ?", model_id):
            raise UnknownItemError(f"there is no model {model_id!r}")
        if self._given is None and (self._store.setting("adopted") or "") == (model_id or ""):
            return
        with self._store.transaction():
            self._store.set("adopted", model_id or "")
            self._store.run("DELETE FROM suggestion")
        self._given = None
        self.load()

    def stop(self) -> None:
        """End the trainings that run."""
        for job in self._jobs.values():
            job.stop()

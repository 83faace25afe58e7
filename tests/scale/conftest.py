"""A small model and a corpus of short documents, and the command line in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="needs treewright[arrow]")

from oracles.pipelines import pipeline_file, written

from treewright.scale.engines import Report, Task, run_task
from treewright.scale.shards import Job, Worker

DOCUMENTS = 200
# Imported when Python starts, in drivers and workers: words in a text kill the process that tokenises it, or stop it.
HAZARDS = """
import os, signal, sys, time

if any("treewright" in argument or "spawn" in argument for argument in sys.argv + sys.orig_argv):
    from treewright.tokeniser import Tokeniser

    batch = Tokeniser.batch

    def hazardous(self, texts, **options):
        if any("KILL" in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        if any("HANG" in text for text in texts):
            time.sleep(1000)
        if any("RAISE" in text for text in texts):
            raise ValueError("nothing good")
        time.sleep(float(os.environ.get("SECONDS_A_BATCH", 0)))
        return batch(self, texts, **options)

    Tokeniser.batch = hazardous
"""

# Ray gives its workers the niceness 15: beside other programs on the machine they would wait for most of the time.
RAY_SETTINGS = {"RAY_worker_niceness": "0"}

Command = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a small pipeline."""
    return pipeline_file(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of JSON lines: 200 documents of three sentences, with ids."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    sentences = [sentence.text for sentence in written(3 * DOCUMENTS, 5)]
    documents = (" ".join(sentences[3 * place : 3 * place + 3]) for place in range(DOCUMENTS))
    lines = (json.dumps({"id": f"d{place}", "text": text}) for place, text in enumerate(documents))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def start(tmp_path: Path) -> Command:
    """start(*arguments) starts `treewright parse arguments`, with hazards; SECONDS_A_BATCH slows its workers down."""
    (tmp_path / "hazards").mkdir()
    (tmp_path / "hazards" / "sitecustomize.py").write_text(HAZARDS)

    def begin(*arguments: str | Path, seconds_a_batch: float = 0) -> subprocess.Popen[str]:
        environment = os.environ | {
            "PYTHONPATH": str(tmp_path / "hazards"),
            "SECONDS_A_BATCH": str(seconds_a_batch),
            "HOME": str(tmp_path),  # Ray writes there
            **RAY_SETTINGS,
        }
        command = [sys.executable, "-m", "treewright", "parse", *map(str, arguments)]
        return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)

    return begin


def content_of(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder, by their names."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class InlineEngine:
    """Runs shards in this process, which is faster than to start others."""

    def __init__(self, job: Job, jobs: int) -> None:
        self._worker = Worker(job)
        self._reports: list[Report] = []

    def has_room(self) -> bool:
        return not self._reports

    def start(self, task: Task) -> None:
        self._reports.append(run_task(self._worker, task))

    def wait(self, seconds: float) -> list[Report]:
        reports, self._reports = self._reports, []
        return reports

    def stop(self) -> None:
        pass


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the local engine run shards in this process."""
    monkeypatch.setattr("treewright.scale.job.LocalEngine", InlineEngine)

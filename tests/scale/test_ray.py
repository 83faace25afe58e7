"""Shards on Ray have the bytes of shards in local processes, also when its workers are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from oracles.processes import LIMIT
from scale.conftest import Command, content_of

from treewright.scale import parse_corpus

pytest.importorskip("ray", reason="needs treewright[ray]")
psutil = pytest.importorskip("psutil")

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kills", [0, 3])
def test_ray_writes_the_bytes_of_local_processes(
    model: str, corpus: Path, tmp_path: Path, start: Command, kills: int
) -> None:
    parse_corpus(model, [str(corpus)], str(tmp_path / "local"), shard_size=0.003, jobs=2)
    command = (model, corpus, "-o", tmp_path / "ray", "--to", "parquet", "--shard-size", "0.003", "--jobs", "2")
    job = start(*command, "--engine", "ray", seconds_a_batch=0.5 if kills else 0)
    for number in range(1, kills + 1):
        wait_for_parts(job, tmp_path / "ray", number)
        actors = [child for child in psutil.Process(job.pid).children(recursive=True) if is_actor(child)]
        os.kill(actors[0].pid, signal.SIGKILL)
    _, message = job.communicate(timeout=LIMIT)
    assert job.returncode == 0, message
    assert content_of(tmp_path / "ray") == content_of(tmp_path / "local")


def test_the_same_command_continues_after_a_killed_driver(
    model: str, corpus: Path, tmp_path: Path, start: Command
) -> None:
    parse_corpus(model, [str(corpus)], str(tmp_path / "local"), shard_size=0.003, jobs=2)
    command = (model, corpus, "-o", tmp_path / "ray", "--to", "parquet", "--shard-size", "0.003", "--jobs", "2")
    killed = start(*command, "--engine", "ray", seconds_a_batch=0.5)
    wait_for_parts(killed, tmp_path / "ray", 1)
    killed.kill()
    killed.wait(LIMIT)
    job = start(*command, "--engine", "ray", seconds_a_batch=0)
    _, message = job.communicate(timeout=LIMIT)
    assert job.returncode == 0, message
    assert content_of(tmp_path / "ray") == content_of(tmp_path / "local")


def wait_for_parts(job: subprocess.Popen[str], output: Path, count: int) -> None:
    """Wait until a job that goes on has written so many parts."""
    while len(list(output.glob("part-*"))) < count:
        time.sleep(0.1)
        assert job.poll() is None


def is_actor(process: Any) -> bool:
    """Return whether a process of Ray is one of our workers."""
    try:
        return "ray::Actor" in " ".join(process.cmdline())
    except psutil.Error:
        return False


def test_a_cluster_that_does_not_answer_is_named(model: str, corpus: Path, tmp_path: Path, start: Command) -> None:
    job = start(model, corpus, "-o", tmp_path / "out", "--engine", "ray", "--ray-address", "127.0.0.1:1")
    _, message = job.communicate(timeout=LIMIT)
    assert job.returncode == 1
    assert "treewright: --ray-address 127.0.0.1:1: no cluster answers there" in message

"""Workers and drivers that are killed: the same command completes the job, with the bytes of an undisturbed one."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from oracles.processes import LIMIT
from scale.conftest import DOCUMENTS, Command, content_of

from treewright.scale import parse_corpus

parquet = pytest.importorskip("pyarrow.parquet")
psutil = pytest.importorskip("psutil")

SHARDS = ("--to", "parquet", "--shard-size", "0.0008", "--jobs", "2")  # about 40


def workers_of(driver: int) -> list[int]:
    """Return the processes of the workers of a driver; none if it has ended."""
    try:
        children = psutil.Process(driver).children()
        return [child.pid for child in children if "spawn_main" in " ".join(child.cmdline())]
    except psutil.NoSuchProcess:
        return []


def kill_workers(driver: int, seconds: float, every: float) -> int:
    """Kill a worker with SIGKILL again and again for some seconds after the first; return how many were killed."""
    kills = 0
    limit = time.monotonic() + LIMIT
    while not workers_of(driver) and psutil.pid_exists(driver) and time.monotonic() < limit:
        time.sleep(0.1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(every)
        if workers := workers_of(driver):
            os.kill(random.Random(kills).choice(workers), signal.SIGKILL)
            kills += 1
    return kills


@pytest.mark.parametrize(("every", "seconds_a_batch"), [(0.7, 0.2), pytest.param(5.0, 1.5, marks=pytest.mark.slow)])
def test_killed_workers_and_drivers_change_no_byte(
    model: str, corpus: Path, tmp_path: Path, start: Command, every: float, seconds_a_batch: float
) -> None:
    undisturbed = tmp_path / "undisturbed"
    result = parse_corpus(model, [str(corpus)], str(undisturbed), shard_size=0.0008, jobs=1)
    assert result.documents == DOCUMENTS
    assert 35 <= result.shards <= 45

    disturbed = tmp_path / "disturbed"
    command = (model, corpus, "-o", disturbed, *SHARDS)
    for _ in range(2):
        driver = start(*command, seconds_a_batch=seconds_a_batch)
        assert kill_workers(driver.pid, 5 * every, every)
        driver.kill()
        driver.communicate(timeout=LIMIT)
    driver = start(*command, seconds_a_batch=seconds_a_batch)
    kill_workers(driver.pid, 10 * every, every)
    _, message = driver.communicate(timeout=5 * LIMIT)
    assert driver.returncode == 0, message

    assert content_of(disturbed) == content_of(undisturbed)  # so that there is no temporary file either
    ids = Counter(parquet.read_table(disturbed, filters=[("sentence", "==", 0)])["doc_id"].to_pylist())
    assert ids == Counter({f"d{place}": 1 for place in range(DOCUMENTS)})


def test_a_document_that_kills_hangs_or_fails_is_rejected(model: str, tmp_path: Path, start: Command) -> None:
    texts = ["A dog sleeps.", "A KILL sleeps.", "The song sees a dog.", "HANG.", "RAISE it.", "A house sleeps."]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps({"id": place, "text": text}) + "\n" for place, text in enumerate(texts)))
    source.write_text(source.read_text() + '{"id": 6}\n{"id": 7, "tex\n')
    command = (model, source, "-o", tmp_path / "out", "--to", "conllu", "--jobs", "1", "--document-seconds", "2")
    job = start(*command)
    _, message = job.communicate(timeout=LIMIT)
    assert job.returncode == 1
    assert "rejected 5 passages" in message
    assert "rejected-00000.jsonl" in message
    assert "Traceback" not in message
    [path] = (tmp_path / "out" / "_job").glob("rejected-*.jsonl")
    rejected = {line["document"]: line["reason"] for line in map(json.loads, path.read_text().splitlines())}
    assert rejected["1"] == "it ended its process (signal SIGKILL)"
    assert rejected["3"] == "it took more than 2.005 seconds"
    assert rejected["4"] == "ValueError: nothing good"
    assert rejected["6"].startswith("no text in 'text'")
    assert any("no JSON" in reason for reason in rejected.values())

    whole = tmp_path / "whole.jsonl"  # the others are parsed as if those had not been there
    whole.write_text("".join(line + "\n" for line in source.read_text().splitlines() if line[7] in "025"))
    parse_corpus(model, [str(whole)], str(tmp_path / "whole"), to="conllu", jobs=1)
    name = "part-00000.conllu.gz"
    assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()

    again = start(*command)
    _, message = again.communicate(timeout=LIMIT)
    assert again.returncode == 1
    assert "rejected 5 passages" in message


def test_an_interrupt_leaves_what_is_done_and_says_so(model: str, corpus: Path, tmp_path: Path, start: Command) -> None:
    job = start(model, corpus, "-o", tmp_path / "out", *SHARDS, seconds_a_batch=0.5)
    while not list((tmp_path / "out").glob("part-*")):
        time.sleep(0.1)
        assert job.poll() is None
    job.send_signal(signal.SIGINT)
    _, message = job.communicate(timeout=LIMIT)
    assert job.returncode == 130
    assert "shards are done; the same command continues" in message
    assert not list(tmp_path.glob("out/_job/*.tmp"))

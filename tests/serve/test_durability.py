"""A server that is killed loses nothing that it acknowledged; a disk that refuses is answered by one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from oracles.projects import TREEBANK

COMMAND = [sys.executable, "-m", "treewright"]
Operation = tuple[int, dict[str, Any]]  # sentence, body of the request


class Server:
    """`treewright annotate` on a path, as a process of its own."""

    def __init__(self, path: Path) -> None:
        command = [*COMMAND, "annotate", str(path), "--model", "none", "--no-browser", "--quiet"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line, self.process.communicate()[1]
        self._origin, _, self._token = line.partition("/#token=")

    def call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{self._origin}/api/v1/{path}", data, headers), timeout=60) as answer:
            return json.load(answer)

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def serve(path: Path) -> Iterator[Server]:
    server = Server(path)
    try:
        yield server
    finally:
        server.stop()


def write_treebank(folder: Path) -> Path:
    path = folder / "trees.conllu"
    path.write_bytes(TREEBANK.encode())
    return path


def operation(server: Server, number: int) -> Operation:
    """Return the body of operation `number`, for a sentence as it is now."""
    rng = Random(number)
    sentence = rng.randint(1, 3)
    state = server.call(f"sentences/{sentence}")
    size = len(state["words"])
    ops: list[dict[str, Any]] = [
        {"kind": "upos", "word": rng.randint(1, size), "upos": rng.choice(["X", "NOUN", "VERB"])},
        {"kind": "deprel", "word": rng.randint(1, size), "deprel": rng.choice(["dep", "obj"])},
    ]
    if sentence == 2 and rng.random() < 0.1 and size < 40:
        ops.append({"kind": "insert_word", "word": size, "form": "w"})
    return sentence, {"op_id": f"op-{number}", "base": state["revision"], "ops": ops}


def send_until_killed(server: Server, seconds: float, sent: list[Operation], acknowledged: dict[str, int]) -> None:
    """Send operations one after the other until the server, killed after this time, does not answer."""
    server.call("health")
    killer = threading.Timer(seconds, server.process.kill)
    killer.start()
    with suppress(OSError, HTTPException, ValueError):  # the connection was cut, before or in the middle of an answer
        while True:
            sent.append(operation(server, 1 + len(sent)))
            sentence, body = sent[-1]
            acknowledged[body["op_id"]] = server.call(f"sentences/{sentence}/ops", body)["seq"]
    killer.join()
    server.stop()


@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_kills(tmp_path: Path, kills: int) -> None:
    path, project = write_treebank(tmp_path), tmp_path / "trees.project"
    rng, sent, acknowledged = Random(1), list[Operation](), dict[str, int]()
    for _ in range(kills):
        send_until_killed(Server(path), rng.uniform(0.05, 0.5), sent, acknowledged)
    assert acknowledged
    assert subprocess.run([*COMMAND, "project", "check", str(project)], check=False).returncode == 0
    export = subprocess.run([*COMMAND, "project", "export", str(project), "--mode", "journal"], stdout=subprocess.PIPE)
    events = [json.loads(line) for line in export.stdout.splitlines()]
    stored = {event["op_id"]: event["seq"] for event in events}
    assert len(stored) == len(events), "every operation is stored once"
    assert acknowledged.items() <= stored.items()
    assert len(stored) - len(acknowledged) <= kills, "at most the operation in work was not acknowledged"
    with serve(path) as server:
        for sentence, body in sent:
            if body["op_id"] in acknowledged:
                again = server.call(f"sentences/{sentence}/ops", body)
                assert (again["seq"], again["is_repeated"]) == (acknowledged[body["op_id"]], True)
        undone = 0
        for sentence in (1, 2, 3):
            while server.call(f"sentences/{sentence}")["can_undo"]:
                undone += 1
                server.call(f"sentences/{sentence}/undo", {"op_id": f"undo-{undone}"})
        assert undone == len(stored)
    assert subprocess.run([*COMMAND, "project", "check", str(project)], check=False).returncode == 0
    export = subprocess.run([*COMMAND, "project", "export", str(project)], stdout=subprocess.PIPE)
    assert export.stdout == TREEBANK.encode()
    print(f"{kills} kills, {len(acknowledged)} operations acknowledged, {len(stored)} stored, 0 lost")


def refusal(*arguments: str) -> str:
    """Return the one line with which a command ends."""
    result = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == 1, result.stdout
    [line] = result.stderr.splitlines()
    return line


def test_a_second_server(tmp_path: Path) -> None:
    path = write_treebank(tmp_path)
    with serve(path) as server:
        line = refusal("annotate", str(path), "--no-browser")
        assert "the project is open in another program; close that one first" in line
        assert server.call("sentences/1")["seq"] == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own of 1 MB, which a test can fill or make read-only."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_read_only_folder(disk: Path) -> None:
    path = write_treebank(disk)
    with serve(path) as server:
        server.call("sentences/1/ops", {"op_id": "a", "base": 0, "ops": [{"kind": "upos", "word": 1, "upos": "X"}]})
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    line = refusal("annotate", str(path), "--no-browser")
    assert "the folder is read-only; nothing can be stored there" in line
    assert (
        "1\tDo\tdo\tX\t"
        in subprocess.run(
            [*COMMAND, "project", "export", str(disk / "trees.project")], capture_output=True, text=True, check=True
        ).stdout
    )
    other = disk.parent / "new.conllu"
    other.write_text(TREEBANK)
    assert "read-only" in refusal("project", "new", str(disk / "new.project"), str(other)).lower()


def test_a_full_disk(disk: Path) -> None:
    path = write_treebank(disk)
    with serve(path) as server:
        filler = disk / "filler"
        with suppress(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1024))
        acknowledged, status, refused = [], 0, ""
        for number in range(200):
            text = Random(number).choices("abcdefgh", k=5000)
            op = {"kind": "note", "word": 1, "text": "".join(text)}
            base = server.call("sentences/1")["revision"]
            try:
                server.call("sentences/1/ops", {"op_id": f"op-{number}", "base": base, "ops": [op]})
                acknowledged.append(f"op-{number}")
            except HTTPError as error:
                status, refused = error.code, json.load(error)["error"]["message"]
                break
        assert status == 503
        assert "the disk is full; nothing of the last operation was stored, free some space and repeat it" in refused
        os.unlink(filler)
        answer = server.call("sentences/1/ops", {"op_id": "later", "base": base, "ops": [op]})
        assert not answer["is_repeated"]
    project = str(disk / "trees.project")
    assert subprocess.run([*COMMAND, "project", "check", project], check=False).returncode == 0
    journal = subprocess.run([*COMMAND, "project", "export", project, "--mode", "journal"], stdout=subprocess.PIPE)
    assert [json.loads(line)["op_id"] for line in journal.stdout.splitlines()] == [*acknowledged, "later"]

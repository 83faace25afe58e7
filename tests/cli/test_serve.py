"""`treewright serve`: starts, answers, stops when the requests in work are answered; refuses what it cannot serve."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from oracles.pages import REPO
from oracles.pipelines import pipeline_file, text_of
from oracles.processes import run_process, runner, started_process

COMMAND = [sys.executable, "-m", "treewright", "serve"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return pipeline_file(tmp_path_factory.mktemp("model"))


@pytest.fixture
def server(model: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and its address."""
    command = [*COMMAND, model, "--port", "0"]
    with started_process(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("treewright: serving tiny at http://127.0.0.1:"), line
        yield process, line.split()[4]
        if process.poll() is None:
            process.kill()


def parse(url: str, text: str) -> int:
    """The number of sentences in the answer."""
    body = json.dumps({"text": text}).encode()
    request = Request(f"{url}api/v1/parse", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        return len(json.load(answer)["sentences"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_server_answers_the_requests_in_work(
    server: tuple[subprocess.Popen[str], str], number: signal.Signals
) -> None:
    process, url = server
    assert parse(url, "It rains. It pours.") == 2
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(parse, url, text_of(200, seed)) for seed in range(4)]
        time.sleep(0.2)
        process.send_signal(number)
        assert [answer.result() for answer in answers] == [200] * 4
    assert process.wait(30) == 0
    log = process.stderr.read() if process.stderr else ""
    assert log.count("POST /api/v1/parse 200") == 5
    assert "rains" not in log


def test_an_answer_does_not_wait_for_an_acknowledgement(server: tuple[subprocess.Popen[str], str]) -> None:
    """On a connection that stays open, the kernel would wait 40 ms between the headers and the body."""
    process, url = server
    connection = HTTPConnection(urlsplit(url).netloc)
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        connection.request("GET", "/api/v1/health")
        connection.getresponse().read()
        times.append(time.perf_counter() - begin)
    connection.close()
    assert min(times[1:]) < 0.03
    process.terminate()


def test_a_port_in_use_is_named(model: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = run_process([*COMMAND, model, "--port", str(port)], capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in ended.stderr
    assert "choose another port with --port" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0 opens the server to other machines; give the names"),
        (["missing.tw"], "missing.tw: there is no such file"),
        (["en", "./en"], "./en"),
        (["--token-file", "missing"], "missing: No such file or directory"),
        (["--token-file", "pyproject.toml"], "pyproject.toml: expected one token of at least 16 characters"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPO)
    ended = runner(monkeypatch, capsys, "serve")(*arguments)
    assert ended.returncode == 1
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_two_models_of_one_name_are_refused(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = runner(monkeypatch, capsys, "serve")(model, model)
    assert ended.returncode == 1
    assert "there are two models tiny; rename one of the files" in ended.stderr


def test_a_missing_package_is_answered_by_the_install_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("treewright.serve")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    ended = runner(monkeypatch, capsys, "serve")()
    assert ended.returncode == 1
    assert "treewright serve needs the package fastapi: pip install 'treewright[serve]'" in ended.stderr

"""Hosts, origins, limits of size, time and number, headers and the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from oracles.pipelines import pipeline
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from treewright.serve.application import application
from treewright.serve.guard import DISCARDED, Guard
from treewright.serve.limits import Limits

SMALL = Limits(body=2000, body_seconds=0.2, seconds=0.2, requests=2)


@pytest.mark.parametrize("path", ["/", "/models", "/api/v1/models"])
def test_a_foreign_host_or_origin_is_refused(client: TestClient, path: str) -> None:
    for headers in (
        {"host": "evil.example"},
        {"host": "localhost.evil.example"},
        {"host": "evil@localhost"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "http://localhost:3000"},
        {"origin": "null"},
        {"origin": "http://["},
    ):
        assert client.get(path, headers=headers).status_code == 403, headers
    for headers in ({"host": "127.0.0.1:8001"}, {"host": "[::1]:8001"}, {"origin": "http://localhost"}):
        assert client.get(path, headers=headers).status_code == 200, headers


def test_nothing_is_done_for_a_foreign_origin() -> None:
    calls: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        calls.append(scope)

    client = TestClient(Guard(app, Limits()), base_url="http://localhost")
    assert client.post("/process", content=b"data=x", headers={"origin": "http://evil.example"}).status_code == 403
    assert calls == []


def test_allowed_hosts_are_hosts_and_origins() -> None:
    guard = Guard(PlainTextResponse("ok"), Limits(), ["Parser.example"])
    client = TestClient(guard, base_url="http://parser.example")
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"host": "localhost", "origin": "https://parser.example"}).status_code == 200
    assert client.get("/", headers={"host": "other.example"}).status_code == 403


def test_a_token_is_needed_where_the_server_has_one() -> None:
    with TestClient(application({"tiny": pipeline()}, token="right"), base_url="http://localhost") as client:
        for authorization in ("", "Bearer wrong", "right", "Basic right"):
            for path in ("/models", "/process", "/api/v1/parse", "/api/v1/openapi.json", "/nothing"):
                assert client.get(path, headers={"authorization": authorization}).status_code == 403, path
        assert client.get("/models", headers={"authorization": "Bearer right"}).status_code == 200
        assert [client.get(path).status_code for path in ("/", "/demo.js", "/api/v1/health")] == [200] * 3


def test_every_answer_has_the_headers_of_a_safe_page(client: TestClient) -> None:
    for path in ("/", "/demo.js", "/nothing", "/api/v1/health"):
        headers = client.get(path).headers
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the length of the body."""
    message = await receive()
    await PlainTextResponse(str(len(message["body"])))(scope, receive, send)


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_of_the_limit_is_taken_and_one_byte_more_is_not(is_chunked: bool) -> None:
    def body(size: int) -> bytes | Iterator[bytes]:
        return iter([b"x"] * size) if is_chunked else b"x" * size

    client = TestClient(Guard(echo, SMALL), base_url="http://localhost")
    accepted = client.post("/process", content=body(SMALL.body))
    assert (accepted.status_code, accepted.text) == (200, str(SMALL.body))
    refused = client.post("/process", content=body(SMALL.body + 1))
    assert refused.status_code == 413
    assert refused.text == "the body is larger than 2000 bytes; send the text in parts\n"
    assert refused.headers["content-type"].startswith("text/plain")


def test_a_compressed_body_is_refused() -> None:
    client = TestClient(Guard(echo, SMALL), base_url="http://localhost")
    assert client.post("/process", content=b"x", headers={"content-encoding": "gzip"}).status_code == 415


async def call(guard: Guard, path: str, receive: Receive) -> int:
    """The status of a request."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "headers": [(b"host", b"localhost")]}
    await guard(scope, receive, send)
    return int(sent[0]["status"]) if sent else 0


def bodies(*parts: Message) -> Receive:
    """Messages of a client that then waits for the answer."""
    messages = list(parts)

    async def receive() -> Message:
        if not messages:
            await asyncio.get_running_loop().create_future()
        return messages.pop(0)

    return receive


WHOLE: Message = {"type": "http.request", "body": b"", "more_body": False}
PART: Message = {"type": "http.request", "body": b"x", "more_body": True}
GONE: Message = {"type": "http.disconnect"}


class Waiting:
    """An application that does not answer; it counts the calls that were cancelled."""

    def __init__(self) -> None:
        self.cancelled = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


def test_a_request_without_answer_ends_with_504_and_is_cancelled() -> None:
    app = Waiting()
    assert asyncio.run(call(Guard(app, SMALL), "/process", bodies(WHOLE))) == 504
    assert app.cancelled == 1


def test_a_request_that_a_stopping_server_cannot_finish_ends_with_503() -> None:
    app = Waiting()

    async def run() -> int:
        task = asyncio.ensure_future(call(Guard(app, Limits()), "/process", bodies(WHOLE)))
        await asyncio.sleep(0.05)
        task.cancel()
        return await task

    assert asyncio.run(run()) == 503
    assert app.cancelled == 1


def test_a_body_that_does_not_arrive_ends_with_408() -> None:
    assert asyncio.run(call(Guard(Waiting(), SMALL), "/process", bodies(PART))) == 408


@pytest.mark.parametrize(("parts", "unread"), [(10, 0), (100, 100 - DISCARDED)])
def test_a_client_that_sends_too_much_may_finish_before_the_refusal(parts: int, unread: int) -> None:
    messages = [{**PART, "body": b"x" * SMALL.body} for _ in range(parts)]

    async def receive() -> Message:
        return messages.pop() if messages else WHOLE

    messages.append({**PART, "body": b"x" * (SMALL.body + 1)})
    assert asyncio.run(call(Guard(Waiting(), SMALL), "/process", receive)) == 413
    assert len(messages) == unread


def test_the_work_of_a_client_that_has_gone_is_cancelled() -> None:
    app = Waiting()
    guard = Guard(app, Limits())
    assert asyncio.run(asyncio.wait_for(call(guard, "/process", bodies(WHOLE, GONE)), 10)) == 0
    assert app.cancelled == 1
    assert guard.active == 0


def test_more_requests_than_the_limit_are_asked_to_try_again() -> None:
    async def run() -> list[int]:
        guard = Guard(Waiting(), SMALL)
        return await asyncio.gather(*(call(guard, "/process", bodies(WHOLE)) for _ in range(4)))

    assert asyncio.run(run()) == [504, 504, 503, 503]


def test_a_busy_server_says_when_to_try_again() -> None:
    guard = Guard(PlainTextResponse("ok"), Limits(requests=0))
    answer = TestClient(guard, base_url="http://localhost").get("/api/v1/models")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["error"]["code"] == "busy"
    assert TestClient(guard, base_url="http://localhost").get("/api/v1/health").status_code == 200


def test_the_log_has_no_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "treewright.serve")
    with TestClient(application({"tiny": pipeline()}), base_url="http://localhost") as client:
        client.get("/process", params={"data": "Secret words.", "tokenizer": ""})
        client.post("/api/v1/parse", json={"text": "Secret words."})
        client.get("/Secret%20words")
    lines = [record.getMessage() for record in caplog.records if record.name == "treewright.serve"]
    assert len(lines) == 3
    assert not [line for line in lines if "words" in line]
    assert "GET /process 200" in lines[0]


def test_an_error_of_the_server_is_answered_by_its_id_and_logged_without_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError(scope["path"] + " words")

    answer = TestClient(Guard(app, Limits()), base_url="http://localhost").get("/api/v1/models")
    assert answer.status_code == 500
    error = answer.json()["error"]
    [logged] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert error["id"] in logged
    assert "RuntimeError" in logged
    assert "models words" not in logged + answer.text


def test_an_error_of_the_application_is_answered_by_its_id(caplog: pytest.LogCaptureFixture) -> None:
    broken: Any = object()
    with TestClient(application({"broken": broken}), base_url="http://localhost") as client:
        answer = client.post("/api/v1/parse", json={"sentences": [{"words": ["Secret"]}]})
        assert client.post("/process", data={"data": "1\tx" + "\t_" * 8 + "\n", "parser": ""}).status_code == 500
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal_error"
    logged = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(logged) == 2
    assert answer.json()["error"]["id"] in logged[0]
    assert "AttributeError" in logged[0]
    assert "Secret" not in logged[0]

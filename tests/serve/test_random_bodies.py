"""Random bodies, made from the OpenAPI schema by a seeded generator, are answered by documented status codes only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from oracles.bodies import Generator
from oracles.pipelines import text_of
from starlette.testclient import TestClient

POST_PATHS = ("/api/v1/parse", "/api/v1/complete", "/api/v1/why-not", "/api/v1/verify", "/process")
GET_PATHS = ("/api/v1/models", "/api/v1/health", "/models", "/process")
JSON = {"content-type": "application/json"}
TEXT = {"type": "string"}


def check(client: TestClient, path: str, count: int) -> None:
    schema = client.get("/api/v1/openapi.json").json()
    operation = schema["paths"][path]["post"]
    generator = Generator(schema["components"]["schemas"], seed=36)
    statuses = set()
    for number in range(count):
        body, kind = generator.body(operation)
        answer = client.post(path, content=body, headers={"content-type": kind})
        statuses.add(answer.status_code)
        assert str(answer.status_code) in operation["responses"], (number, answer.status_code, answer.text, body)
    assert len(statuses) > 1, "the generator makes good and bad requests"


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to the values in a JSON value that hold no others."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield from leaves(inner, (*path, key))
    if not entries:
        yield path


@pytest.mark.parametrize("path", ["/api/v1/parse", "/api/v1/complete", "/api/v1/verify"])
def test_answers_sent_back_with_one_value_changed(client: TestClient, path: str) -> None:
    sentences = client.post("/api/v1/parse", json={"text": text_of(2, 5), "proofs": True}).json()["sentences"]
    responses = client.get("/api/v1/openapi.json").json()["paths"][path]["post"]["responses"]
    generator, random = Generator({}, seed=5), Random(6)
    places = list(leaves(sentences))
    for _ in range(100):
        changed = deepcopy(sentences)
        *way, last = random.choice(places)
        place: Any = changed
        for key in way:
            place = place[key]
        place[last] = generator.value({})
        answer = client.post(path, content=json.dumps({"sentences": changed}), headers=JSON)
        assert str(answer.status_code) in responses, (answer.status_code, answer.text, way, place)


@pytest.mark.parametrize("path", POST_PATHS)
def test_a_hundred_bodies(client: TestClient, path: str) -> None:
    check(client, path, 100)


@pytest.mark.slow
@pytest.mark.parametrize("path", POST_PATHS)
def test_a_thousand_bodies(client: TestClient, path: str) -> None:
    check(client, path, 1000)


@pytest.mark.parametrize("path", GET_PATHS)
def test_random_queries(client: TestClient, path: str) -> None:
    schema = client.get("/api/v1/openapi.json").json()
    documented = schema["paths"][path]["get"]["responses"]
    generator = Generator({}, seed=36)
    for _ in range(100):
        fields = [(str(generator.value(TEXT)), str(generator.value({}))) for _ in range(3)]
        query = urlencode([*fields, ("data", generator.value(TEXT))], errors="replace")
        answer = client.get(f"{path}?{query}")
        assert str(answer.status_code) in documented, (answer.status_code, answer.text, query)

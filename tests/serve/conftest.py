"""A server of a small pipeline, called in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from oracles.pipelines import pipeline
from starlette.testclient import TestClient

from treewright.serve.application import application
from treewright.serve.limits import Limits

LIMITS = Limits(sentence_words=60, asked_words=40)


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """Calls a server whose models are tiny-en, a pipeline, and bare, its parser alone."""
    nlp = pipeline()
    with TestClient(
        application({"tiny-en": nlp, "bare": nlp.trained_parser}, LIMITS), base_url="http://localhost"
    ) as c:
        yield c

"""The curl commands of docs/serving.md give the answers that it shows; the limits it states are the parser's."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from oracles.pages import DOCS, REPO
from starlette.testclient import TestClient

import treewright as tw
from treewright.parser.long_sentences import MAX_ASKED, MAX_WHOLE
from treewright.serve.application import application
from treewright.serve.limits import Limits

PAGE = (DOCS / "serving.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ curl (.+)\n(.+)$", PAGE, re.M)


@pytest.fixture(scope="module")
def english() -> Iterator[TestClient]:
    with TestClient(application({"en": tw.load("en")}), base_url="http://localhost:8001") as client:
        yield client


def curl(client: TestClient, arguments: str) -> str:
    """What curl would print: -F (a field, or a file after @), -d (a form, or JSON with -H) and an address."""
    words = iter(shlex.split(arguments))
    files: dict[str, Any] = {}
    data: list[str] = []
    headers: dict[str, str] = {}
    address = ""
    for word in words:
        if word == "-F":
            name, _, value = next(words).partition("=")
            files[name] = (
                (value[1:], (REPO / "examples" / value[1:]).read_bytes()) if value[:1] == "@" else (None, value)
            )
        elif word == "-d":
            data.append(next(words))
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        else:
            address = word
    path = address.removeprefix("localhost:8001")
    if files:
        return client.post(path, files=files).text
    if data:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return client.post(path, content="&".join(data), headers=form | headers).text
    return client.get(path).text


@pytest.mark.parametrize(("arguments", "answer"), COMMANDS)
def test_a_command_prints_what_the_page_shows(english: TestClient, arguments: str, answer: str) -> None:
    printed = curl(english, arguments).strip()
    assert doctest.OutputChecker().check_output(answer, printed, doctest.ELLIPSIS), printed


def test_the_page_has_commands_for_every_kind_of_request() -> None:
    assert len(COMMANDS) == PAGE.count("$ curl ") == 8


def test_the_pages_and_the_service_have_the_limits_of_the_parser() -> None:
    limits = Limits()
    assert limits.asked_words == MAX_ASKED
    for name, stated in {
        "parser.md": [f"more than {MAX_WHOLE} words", f"more than {MAX_ASKED:,} words"],
        "serving.md": [f"{limits.sentence_words:,} words", f"more than {MAX_WHOLE} words", f"at most {MAX_ASKED:,}."],
    }.items():
        page = (DOCS / name).read_text(encoding="utf-8")
        assert [text for text in stated if text not in page] == [], name

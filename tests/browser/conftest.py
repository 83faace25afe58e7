"""A browser and a server of a project; `make test-browser` runs these tests, others skip them with a reason."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from oracles.workbench import Start, Workbench

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
IS_ASKED_FOR = os.environ.get("TREEWRIGHT_BROWSER") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents and not IS_ASKED_FOR:
            item.add_marker(pytest.mark.skip(reason="needs a browser: make test-browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    if not Path(CHROMIUM).is_file():
        pytest.skip(f"needs Chromium at {CHROMIUM}; the variable CHROMIUM names another place")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def note(notes: list[str], text: str, is_worth_it: bool) -> None:
    if is_worth_it:
        notes.append(text)


@pytest.fixture
def start(browser: Browser, tmp_path: Path) -> Iterator[Start]:
    """Starts `treewright annotate` with files or options, and opens the page."""
    processes: list[subprocess.Popen[str]] = []
    contexts: list[Any] = []

    def call(*arguments: str, **view: Any) -> Workbench:
        command = [sys.executable, "-m", "treewright", "annotate", *arguments, "--no-browser", "--quiet"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
        processes.append(process)
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        context = browser.new_context(**view)
        contexts.append(context)
        page = context.new_page()
        origin = url.partition("/#")[0]
        bench = Workbench(page, url, [], [])
        page.on("request", lambda request: note(bench.foreign, request.url, not request.url.startswith(origin)))
        page.on("console", lambda line: note(bench.problems, line.text, line.type == "error"))
        page.on("pageerror", lambda error: note(bench.problems, str(error), True))
        page.goto(url)
        page.wait_for_selector("svg.treewright")
        page.wait_for_selector("body[data-sentence]")
        return bench

    yield call
    for context in contexts:
        context.close()
    for process in processes:
        process.terminate()
        process.communicate(timeout=30)

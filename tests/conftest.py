"""Options every test may use: --slow, --data FOLDER, --update-golden."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("treewright", deadline=None)  # a busy machine is no failure
settings.load_profile("treewright")

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too")
    parser.addoption("--data", type=Path, default=None, help="a folder with treebanks (ud/English-EWT/dev.conllu, ...)")
    parser.addoption("--update-golden", action="store_true", help="write golden files anew; review them as a diff")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> None:
    """An empty folder for installed models, so that no test finds those of the user."""
    os.environ["TREEWRIGHT_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def data(request: pytest.FixtureRequest) -> Path:
    """The folder given with --data; a test that asks for it is skipped without one."""
    folder = request.config.getoption("--data")
    if folder is None:
        pytest.skip("needs real treebanks: --data FOLDER")
    return Path(folder)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text) compares text with tests/golden/name, or writes it with --update-golden."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        with path.open(encoding="utf-8", newline="") as file:
            assert text == file.read(), f"differs from {path.name}; if it should, run pytest --update-golden"

    return check

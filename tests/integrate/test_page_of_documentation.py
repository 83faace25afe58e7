"""The Python of docs/integrations.md runs, section by section, where the packages of the section are installed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from oracles.pages import DOCS

PACKAGES = {"Tables": ("pyarrow", "pandas"), "spaCy": ("spacy",), "PyTorch": ("torch",)}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def sections() -> dict[str, str]:
    """The Python of each section of the page."""
    page = (DOCS / "integrations.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^## ", page, flags=re.M)
    return {
        part.partition("\n")[0]: "\n".join(re.findall(r"^```python\n(.*?)^```$", part, re.M | re.S)) for part in parts
    }


@pytest.mark.parametrize("section", sections())
def test_the_python_of_the_page_runs(section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in PACKAGES[section]:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(sections()[section], {}, section, "integrations.md", 0)
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert result.attempted > 3
    assert result.failed == 0

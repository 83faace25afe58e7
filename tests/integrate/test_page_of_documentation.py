"""The Python of docs/integrations.md runs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from oracles.pages import DOCS


def test_the_python_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pyarrow", "pandas"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "integrations.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S))
    test = doctest.DocTestParser().get_doctest(code, {}, "integrations.md", "integrations.md", 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(test)
    assert result.attempted > 8
    assert result.failed == 0

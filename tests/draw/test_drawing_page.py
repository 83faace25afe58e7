"""The pictures in docs/drawing.md are what its code draws."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

REPO = Path(__file__).parent.parent.parent
IMAGES = REPO / "docs" / "images"


def test_pictures_of_the_page_are_drawn_by_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    page = (REPO / "docs" / "drawing.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\(images/([\w-]+\.svg)\)", page)
    shutil.copytree(REPO / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S):
        if ">>>" not in code:
            exec(code, names)
    assert len(shown) >= 7
    for name in shown:
        drawn = (tmp_path / name).read_text(encoding="utf-8")
        if request.config.getoption("--update-golden"):
            (IMAGES / name).write_text(drawn, encoding="utf-8", newline="\n")
        assert drawn == (IMAGES / name).read_text(encoding="utf-8"), "run pytest --update-golden and look at it"

"""The tables and links of the documentation pages, for the tests that compare them with the repository."""

from __future__ import annotations

import re
from pathlib import Path

REPO = Path(__file__).parent.parent.parent
DOCS = REPO / "docs"
PAGES = [REPO / "README.md", REPO / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]


def table_of(page: Path, first_column: str) -> list[list[str]]:
    """The rows of the page's table whose header starts with this column; each row is a list of cells."""
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_column} |")) + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return rows


def names_in(text: str) -> set[str]:
    """The names between backticks."""
    return set(re.findall(r"`([^`]+)`", text))

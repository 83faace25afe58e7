"""The tables and links of the documentation pages, for the tests that compare them with the repository."""

from __future__ import annotations

import re
from pathlib import Path

REPO = Path(__file__).parent.parent.parent
DOCS = REPO / "docs"
API = sorted(DOCS.glob("api/*.md"))
PAGES = [REPO / "README.md", REPO / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")), *API]


def tables_of(page: Path) -> list[list[list[str]]]:
    """Every table of the page: rows of cells, the header first."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", page.read_text(encoding="utf-8"), re.M):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        found.append([rows[0], *rows[2:]])
    return found


def table_of(page: Path, first_column: str) -> list[list[str]]:
    """The rows of the page's table whose header starts with this column."""
    [rows] = [rows for (header, *rows) in tables_of(page) if header[0] == first_column]
    return rows


def names_in(text: str) -> set[str]:
    """The names between backticks."""
    return set(re.findall(r"`([^`]+)`", text))

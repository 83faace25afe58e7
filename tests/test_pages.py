"""Links, paths and citations in the documentation lead to something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles.pages import DOCS, PAGES, REPO, names_in, tables_of

FOLDERS = ("benchmarks", "bindings", "core", "docs", "examples", "scripts", "src", "tests")
BIBLIOGRAPHY = DOCS / "references.bib"
KEY = re.compile(r"\b[a-z]+(?:19|20)\d\d[a-z]*\b")  # author and year


def entries() -> dict[str, str]:
    """Key -> fields of every entry of the bibliography."""
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    return dict(re.findall(r"^@\w+\{(\w+),\n(.*?)^\}$", text, re.M | re.S))


def anchors_of(page: Path) -> set[str]:
    """The names that a heading of the page can be linked by."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(page: Path) -> Iterator[tuple[Path, str]]:
    """(file, anchor) of every relative link."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            name, _, anchor = target.partition("#")
            yield (page.parent / name if name else page), anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for file, anchor in links_of(page):
        assert file.exists(), f"{page.name} links {file}"
        assert not anchor or anchor in anchors_of(file), f"{page.name} links {file.name}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_between_backticks_exist(page: Path) -> None:
    for name in names_in(page.read_text(encoding="utf-8")):
        if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./-]+\.\w+", name):
            assert (REPO / name).exists(), f"{page.name} names {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_cited_keys_are_in_the_bibliography(page: Path) -> None:
    cited = {
        name for name in names_in(page.read_text(encoding="utf-8")) if re.fullmatch(r"[a-z]+(19|20)\d\d[a-z]*", name)
    }
    assert cited <= entries().keys()


def test_every_entry_of_the_bibliography_is_read() -> None:
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    assert len(entries()) == text.count("\n@") + text.startswith("@")
    for key, fields in entries().items():
        assert "@" not in fields, f"{key} is not closed"
        assert {"author", "title", "year"} <= set(re.findall(r"^  (\w+) *=", fields, re.M)), key


def test_every_term_of_the_glossary_has_a_meaning_and_a_reference() -> None:
    tables = tables_of(DOCS / "glossary.md")
    assert {tuple(header) for header, *_ in tables} == {("term", "meaning", "reference")}
    rows = [row for _, *rows in tables for row in rows]
    terms = [term for term, _, _ in rows]
    assert len(terms) == len(set(terms))
    for term, meaning, reference in rows:
        assert meaning, f"{term} has no meaning"
        assert KEY.search(reference) or "](" in reference, f"{term} has no reference"


def test_the_pages_of_the_documentation_are_listed_once() -> None:
    listed = [file.name for file, _ in links_of(DOCS / "README.md") if file.suffix == ".md"]
    pages = sorted(page.name for page in DOCS.glob("*.md") if page.name != "README.md")
    assert sorted(listed) == pages

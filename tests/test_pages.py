"""Links, paths and citations in the documentation lead to something."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from oracles.pages import API, DOCS, PAGES, REPO, names_in, tables_of

import treewright as tw

FOLDERS = ("benchmarks", "bindings", "core", "docs", "examples", "scripts", "src", "tests")
BIBLIOGRAPHY = DOCS / "references.bib"
NEED_EXTRAS = {"torch"}  # public modules that the package does not import by itself
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


def test_links_lead_to_files_and_headings() -> None:
    links = [(page, file, anchor) for page in PAGES for file, anchor in links_of(page)]
    assert [f"{page.name}: {file}" for page, file, _ in links if not file.exists()] == []
    with_anchor = [link for link in links if link[2]]
    assert with_anchor
    assert [
        f"{page.name}: {file.name}#{name}" for page, file, name in with_anchor if name not in anchors_of(file)
    ] == []


def test_paths_between_backticks_exist() -> None:
    path = re.compile(rf"({'|'.join(FOLDERS)})/[\w./-]+\.\w+")
    named = {(page.name, name) for page in PAGES for name in names_in(page.read_text(encoding="utf-8"))}
    paths = {(page, name) for page, name in named if path.fullmatch(name)}
    assert paths
    assert {(page, name) for page, name in paths if not (REPO / name).exists()} == set()


def test_the_keys_that_pages_cite_are_those_of_the_bibliography() -> None:
    cited = {key for page in PAGES for key in KEY.findall(page.read_text(encoding="utf-8"))}
    assert cited == entries().keys()


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


def glossary_terms() -> dict[str, str]:
    """Term, in lower case -> the anchor of its section of the glossary."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", text, flags=re.M)
    found: dict[str, str] = {}
    for section in sections:
        heading, _, rest = section.partition("\n")
        for terms in re.findall(r"^\| ([^|]+) \|", rest, re.M):
            found |= {term.strip().lower(): heading.lower().replace(" ", "-") for term in terms.split(",")}
    return found


@pytest.mark.parametrize(
    "page", [page for page in DOCS.glob("*.md") if page.name != "glossary.md"], ids=lambda p: p.name
)
def test_every_page_links_terms_to_their_section_of_the_glossary(page: Path) -> None:
    links = re.findall(r"\[([^]]+)\]\(glossary\.md(?:#([\w-]+))?\)", page.read_text(encoding="utf-8"))
    assert links
    terms = glossary_terms()
    plurals = {f"{term}s": anchor for term, anchor in terms.items()} | terms
    assert [
        (text, anchor) for text, anchor in links if anchor and plurals.get(" ".join(text.lower().split())) != anchor
    ] == []


def test_every_page_is_in_the_navigation_once() -> None:
    """The sections of docs/README.md are the navigation of the site."""
    listed = [file.resolve() for file, _ in links_of(DOCS / "README.md") if file.suffix == ".md"]
    pages = [page for page in [*DOCS.glob("*.md"), *API] if page != DOCS / "README.md"]
    assert sorted(listed) == sorted(page.resolve() for page in pages)


def documented_names(page: Path) -> list[str]:
    """What the directives of a page of the API document."""
    return re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)$", page.read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("page", [page for page in API if page.stem != "treewright"], ids=lambda page: page.stem)
def test_every_public_name_is_on_the_page_of_its_module(page: Path) -> None:
    if page.stem in NEED_EXTRAS:
        pytest.importorskip(page.stem)
    module = importlib.import_module(f"treewright.{page.stem}")
    names = documented_names(page)
    assert len(names) == len(set(names))
    classes = [
        name for name, value in inspect.getmembers(module, inspect.isclass) if value.__module__ == module.__name__
    ]
    assert set(getattr(module, "__all__", classes)) <= set(names), f"add the missing names to docs/api/{page.name}"


def test_every_public_module_has_a_page() -> None:
    modules = {name for name in tw.__all__ if isinstance(getattr(tw, name), ModuleType)}
    assert modules | NEED_EXTRAS == {page.stem for page in API} - {"treewright"}
    named = names_in((DOCS / "api" / "treewright.md").read_text(encoding="utf-8"))
    assert {f"tw.{name}" for name in tw.__all__} <= named


def test_the_files_that_the_readme_reads_are_in_the_examples() -> None:
    text = (REPO / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (treewright .+?)(?: +#.*)?$", text, re.M)
    written = {name for command in commands for name in re.findall(r"(?:-o|--rank) (\S+)", command)}
    used = {name for command in commands for name in re.findall(r"\S+\.(?:conllu|txt|tw)\b", command)}
    used |= set(re.findall(r'tw\.read\("(\S+?)"', text))
    assert used - written
    assert [name for name in used - written if not (REPO / "examples" / name).exists()] == []


MEASURED = re.compile(r"\b(UAS|LAS|words a second|words/s|CPU s|seconds|training s|ms|µs)\b")


def test_measured_tables_are_on_the_pages_of_figures_only() -> None:
    headers = {page.name: [header for header, *_ in tables_of(page)] for page in DOCS.glob("*.md")}
    measured = {name for name, found in headers.items() if any(MEASURED.search(" ".join(header)) for header in found)}
    assert measured == {"figures.md", "papers.md"}


def test_every_figure_names_its_command_its_date_and_its_version() -> None:
    text = (DOCS / "figures.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", text, flags=re.M)
    assert sections
    for section in sections:
        question = section.partition("\n")[0]
        assert question.endswith("?")
        assert re.search(r"`(python (benchmarks/\w+|scripts)/\w+\.py|treewright \w+)", section), question
        assert re.search(r"\d{4}-\d\d-\d\d,\s+version\s+\d+\.\d+\.\d+", section), question


def test_the_commands_of_the_figures_exist() -> None:
    text = (DOCS / "figures.md").read_text(encoding="utf-8")
    scripts = set(re.findall(r"(?:benchmarks/\w+|scripts)/\w+\.py", text))
    assert scripts
    assert [script for script in scripts if not (REPO / script).exists()] == []


MAX_COLUMNS = 120


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_lines_of_prose_are_short(page: Path) -> None:
    prose = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    lines = [
        line
        for line in prose.splitlines()
        if not re.match(r"\||!\[|\s*\[[^]]*\]\(\S*\)$|- \[.*\]\(#|\[[\w-]+\]: ", line)
    ]
    assert [line for line in lines if len(line) > MAX_COLUMNS] == []

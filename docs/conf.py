"""Configuration of the documentation site (`make docs`): Sphinx with MyST, which reads Markdown as GitHub does.

The pages and the docstrings are plain Markdown. Three steps at build time adapt them to the site: the sections of
README.md become the navigation, links to files outside this folder lead to the repository, and the examples of
docstrings become code blocks.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.util.docutils import SphinxDirective

import treewright

project = "Treewright"
copyright = "the Treewright authors"
release = version = treewright.__version__
root_doc = "README"
html_title = f"Treewright {version}"
html_theme = "furo"
html_theme_options = {"source_repository": "https://github.com/treewright/treewright/", "source_directory": "docs/"}
html_copy_source = False

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
exclude_patterns = ["references.bib"]

smartquotes = False
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_mock_imports = ["torch"]  # of an extra that the site is built without
python_use_unqualified_type_names = True
maximum_signature_line_length = 88

# References to names of this package that do not exist are errors; other packages are not looked up.
nitpicky = True
suppress_warnings = ["ref.python"]  # a name that several modules have, such as Span, in an annotation
nitpick_ignore_regex = [("py:.*", r"(?!treewright).*")]

REPOSITORY = "https://github.com/treewright/treewright/blob/main/"
FILE_NAME = re.compile(r"\[(?:\w+/|\.\./)*([\w-]+\.md)\](?=\()")
OUTSIDE = re.compile(r"\]\(\.\./(?=(?:src|core|examples|benchmarks|scripts|tests)/)")


def navigation(index: str) -> str:
    """A hidden table of contents for each section of the index."""
    _, *sections = re.split(r"^## ", index, flags=re.M)
    found = []
    for section in sections:
        caption = section.partition("\n")[0]
        pages = [entry(page) for page in re.findall(r"\]\(([\w/-]+)\.md\)", section)]
        found.append("\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```"]))
    return "\n\n".join(found)


def entry(page: str) -> str:
    """A line of the navigation: the title of the page up to a colon."""
    return f"{title(f'{page}.md').partition(':')[0].strip('`')} <{page}>"


def title(name: str) -> str:
    """The first heading of a page."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("# ")


def adapt(app: Any, page: str, source: list[str]) -> None:
    """Change the source of a page before it is parsed; a link whose text is a file name shows the title of the page."""
    source[0] = FILE_NAME.sub(lambda link: f"[{title(link[1])}]", source[0])
    source[0] = OUTSIDE.sub(f"]({REPOSITORY}", source[0])
    if page == root_doc:
        source[0] += "\n" + navigation(source[0])


def copy_start_page(app: Any, error: Exception | None) -> None:
    """The start page is README.html; web servers look for index.html."""
    if error is None and app.builder.name == "html":
        shutil.copy(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


class Markdown(SphinxDirective):
    """A directive whose content is Markdown."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        document = new_document(self.get_location(), self.state.document.settings)
        MystParser().parse("\n".join(self.content), document)
        return document.children


def fence_examples(lines: list[str]) -> list[str]:
    """The lines with a code fence around every paragraph that begins with `>>>`."""
    found, inside = [], False
    for line in [*lines, ""]:
        if not inside and line.startswith(">>> "):
            found.append("```python")
            inside = True
        elif inside and not line.strip():
            found.append("```")
            inside = False
        found.append(line)
    return found


def as_markdown(app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Render a docstring as Markdown."""
    lines[:] = [".. markdown::", "", *(f"   {line}" for line in fence_examples(lines)), ""]


ARRAY = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]")


OBJECT = re.compile(r"(?<==) ?<[^<>]+>")  # a default without a value that can be written, as of a dataclass's factory
LONG = re.compile(r"(?<==) ?(\w+)\((?:[^()]|\([^()]*\)){60,}\)")  # a default such as Templates(...)


def short_types(app: Any, kind: str, name: str, thing: Any, options: Any, given: str, result: str) -> tuple[Any, ...]:
    """Write array types in signatures as the source does, NDArray[float64], and leave out the content of defaults."""

    def short(text: str) -> str:
        return text and LONG.sub(r" \1(...)", OBJECT.sub(" ...", ARRAY.sub(r"NDArray[\1]", text)))

    return short(given), short(result)


def internal(app: Any, env: Any, node: Any, shown: nodes.Node) -> nodes.Node | None:
    """A type in a signature that exists but has no page is shown without a link; other missing names are errors."""
    try:
        resolve_name(node["reftarget"])
    except (ValueError, ImportError, AttributeError):
        return None
    return shown


def setup(app: Any) -> None:
    app.connect("autodoc-process-signature", short_types)
    app.connect("missing-reference", internal)
    app.add_directive("markdown", Markdown)
    app.connect("autodoc-process-docstring", as_markdown)
    app.connect("source-read", adapt)
    app.connect("build-finished", copy_start_page)

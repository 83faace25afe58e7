"""The text of a document in HTML or Markdown, with the places of its characters in the document.

Blocks (paragraphs, headings, items of lists, cells of tables) become paragraphs. Code blocks, scripts, style sheets,
images and comments are left out, entities are resolved.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from treewright.tokeniser.text import PARAGRAPH

Places = NDArray[np.int64]

# Elements of HTML that are not part of a line of text.
BLOCKS = frozenset(
    ["address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "fieldset"]
    + ["figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html"]
    + ["legend", "li", "main", "nav", "ol", "option", "p", "section", "summary", "table", "tbody", "td", "tfoot", "th"]
    + ["thead", "title", "tr", "ul"]
)
LEFT_OUT = frozenset(["math", "pre", "script", "select", "style", "svg", "template", "textarea"])


@dataclass(frozen=True)
class PlainText:
    """The text of a document, and for each of its characters the place in the document, and the place after it."""

    text: str
    begins: Places
    ends: Places


class Builder:
    """Collects parts of a document into a text."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._begins: list[Places] = []
        self._ends: list[Places] = []
        self._is_open = False  # a block has text
        self._last = 0  # the place after the last part

    def add(self, text: str, begin: int, end: int) -> None:
        """Add the text of document[begin:end]; white space becomes blanks."""
        if not text or (not self._is_open and text.isspace()):
            return
        same = len(text) == end - begin
        self._append(
            re.sub(r"\s", " ", text),
            np.arange(begin, end) if same else np.full(len(text), begin),
            np.arange(begin + 1, end + 1) if same else np.full(len(text), end),
        )
        self._is_open, self._last = True, end

    def end_block(self) -> None:
        """End a paragraph, if one has begun."""
        if self._is_open:
            self._append(PARAGRAPH, *[np.full(len(PARAGRAPH), self._last)] * 2)
            self._is_open = False

    def _append(self, text: str, begins: Places, ends: Places) -> None:
        self._pieces.append(text)
        self._begins.append(begins)
        self._ends.append(ends)

    def result(self) -> PlainText:
        empty = np.zeros(0, dtype=np.int64)
        begins, ends = (np.concatenate([empty, *places]) for places in (self._begins, self._ends))
        return PlainText("".join(self._pieces), begins, ends)


# -- HTML


class _Reader(HTMLParser):
    """Collects the text of an HTML document."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=False)
        self.builder = Builder()
        self._document = document
        self._lines = [0, *(match.end() for match in re.finditer("\n", document))]
        self._skipped: str | None = None  # the element that is left out
        self._depth = 0  # of elements of its name
        self.feed(document)
        self.close()

    @property
    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if self._skipped is not None:
            self._depth += tag == self._skipped
        elif tag in LEFT_OUT:
            self._skipped, self._depth = tag, 1
        elif tag == "br":
            self.builder.add(" ", self._place, self._place + 1)
        if tag in BLOCKS or tag in LEFT_OUT:
            self.builder.end_block()

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        if tag not in LEFT_OUT:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipped:
            self._depth -= 1
            if self._depth == 0:
                self._skipped = None
        elif tag in BLOCKS:
            self.builder.end_block()

    def handle_data(self, data: str) -> None:
        if self._skipped is None:
            self.builder.add(data, self._place, self._place + len(data))

    def handle_entityref(self, name: str) -> None:
        self._add_reference(f"&{name}")

    def handle_charref(self, name: str) -> None:
        self._add_reference(f"&#{name}")

    def _add_reference(self, written: str) -> None:
        begin = self._place
        end = begin + len(written)
        end += self._document.startswith(";", end)
        if self._skipped is None:
            self.builder.add(unescape(self._document[begin:end]), begin, end)


def html_text(document: str) -> PlainText:
    """Return the text of an HTML document.

    >>> plain = html_text("<h1>Tea</h1><p>Milk &amp; <b>hon</b>ey.<script>x()</script></p>")
    >>> plain.text, plain.begins[5:11].tolist()
    ('Tea\\n\\nMilk & honey.\\n\\n', [15, 16, 17, 18, 19, 20])
    """
    builder = _Reader(document).builder
    builder.end_block()
    return builder.result()


# -- Markdown

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
QUOTE = re.compile(r"(?: {0,3}> ?)+")
HEADING = re.compile(r" {0,3}#{1,6}(?:\s+|$)")
CLOSING = re.compile(r"\s+#+\s*$")
RULE = re.compile(r" {0,3}(?:=+|-+|(?:[-*_] *){3,})\s*$")  # a line across, or the underline of a heading
ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:\s+\S+")
INDENTED = re.compile(r"(?: {4}|\t)")
INLINE = re.compile(
    r"""\\(?P<escaped>[!-/:-@\[-`{-~])
    |(?P<tick>`+)(?P<code>.+?)(?P=tick)(?!`)
    |(?P<image>!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\]))
    |\[(?P<link>(?:\\.|[^\]\\])*)\](?:\((?:[^()]|\([^)]*\))*\)|\[[^\]]*\])
    |<(?P<address>https?://[^>\s]+|[^@\s<>]+@[^>\s]+)>
    |(?P<tag><!--.*?-->|</?[A-Za-z][^>]*>)
    |(?P<entity>&(?:\#\d+|\#[xX][\da-fA-F]+|\w+);)
    |(?P<mark>(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~)""",
    re.VERBOSE,
)


def markdown_text(document: str) -> PlainText:
    """Return the text of a Markdown document.

    >>> markdown_text("# Tea\\n\\nMilk and *hon*ey from\\n[here](a.html).\\n\\n```\\nx = 1\\n```\\n- one\\n- two").text
    'Tea\\n\\nMilk and honey from here.\\n\\none\\n\\ntwo\\n\\n'
    """
    builder = Builder()
    fence = ""
    is_after_blank, in_list = True, False
    lines = document.splitlines(keepends=True)
    if lines and lines[0].rstrip() == "---" and (end := end_of_front_matter(lines)):
        lines[:end] = [" " * len("".join(lines[:end]))]
    for begin, line in zip(accumulate(map(len, lines), initial=0), lines, strict=False):
        quote = QUOTE.match(line)
        begin, line = (begin + quote.end(), line[quote.end() :]) if quote else (begin, line)
        opening = FENCE.match(line)
        if fence:
            fence = "" if opening and opening[1].startswith(fence) else fence
        elif opening:
            fence = opening[1]
            builder.end_block()
        elif not line.strip():
            builder.end_block()
        elif not ((INDENTED.match(line) and is_after_blank and not in_list) or DEFINITION.match(line)):
            in_list = ITEM.match(line) is not None or (in_list and line[:1].isspace())
            add_line(builder, line, begin)
        is_after_blank = not line.strip()
    builder.end_block()
    return builder.result()


def end_of_front_matter(lines: list[str]) -> int:
    """Return the number of lines of the metadata at the beginning of a document; 0 if they do not end."""
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)


def add_line(builder: Builder, line: str, begin: int) -> None:
    """Add a line of Markdown that is not code."""
    text = line.rstrip("\r\n")
    if RULE.match(text) or ("|" in text and TABLE_RULE.match(text)):
        builder.end_block()
    elif text.lstrip().startswith("|"):
        for cell in re.finditer(r"(?:\\.|[^|\\])+", text):
            builder.end_block()
            add_inline(builder, cell[0], begin + cell.start())
        builder.end_block()
    elif start := HEADING.match(text):
        builder.end_block()
        add_inline(builder, CLOSING.sub("", text[start.end() :]), begin + start.end())
        builder.end_block()
    else:
        item = ITEM.match(text)
        if item:
            builder.end_block()
        first = item.end() if item else 0
        builder.add(" ", begin - 1, begin)  # the line break before it, if it continues a paragraph
        add_inline(builder, text[first:], begin + first)


def add_inline(builder: Builder, text: str, begin: int) -> None:
    """Add the text of a part of a line without its marks."""
    at = 0
    for match in INLINE.finditer(text):
        builder.add(text[at : match.start()], begin + at, begin + match.start())
        at = match.end()
        if match["entity"]:
            builder.add(unescape(match[0]), begin + match.start(), begin + match.end())
        elif match["link"]:
            add_inline(builder, match["link"], begin + match.start("link"))
        else:
            for name in ("escaped", "code", "address"):
                if match[name]:
                    builder.add(match[name], begin + match.start(name), begin + match.end(name))
    builder.add(text[at:], begin + at, begin + len(text))


READERS: dict[str, Callable[[str], PlainText]] = {"html": html_text, "markdown": markdown_text}

"""Text in HTML and Markdown: blocks, what is left out, and places in the original."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.processes import runner

from treewright.pipeline import guess_input, read_input
from treewright.tokeniser.markup import READERS, html_text, markdown_text

HTML = """<!DOCTYPE html><html><head><title>Tea</title><style>p { color: red }</style></head><body>
<h1>How to <em>make</em> tea</h1>
<p>Boil the
   water &amp; wait.</p><!-- a comment -->
<pre>x = 1</pre><ul><li>Milk<li>Sug<b>ar</b></ul>
<script>if (a < b) { go(); }</script>That&#39;s all.
</body></html>"""

MARKDOWN = """---
title: Tea
---
How to *make* tea
=================

Boil the **water** &amp; wait,
see [the manual](http://example.org/(1)) or `kettle`. ![a cup](cup.png)

    indented code

```python
x = 1
```

> It is hot.
> Take care.

1. Milk
2. Sugar, 2 * 3 spoons of snake_case
   and more

| A | B |
|---|---|
| one | two |

[1]: http://example.org
Not a \\*star\\*.
"""


def paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def test_blocks_of_html_are_paragraphs() -> None:
    expected = ["Tea", "How to make tea", "Boil the water & wait.", "Milk", "Sugar", "That's all."]
    assert paragraphs(html_text(HTML).text) == expected


def test_blocks_of_markdown_are_paragraphs() -> None:
    assert paragraphs(markdown_text(MARKDOWN).text) == [
        "How to make tea",
        "Boil the water & wait, see the manual or kettle.",
        "It is hot. Take care.",
        "Milk",
        "Sugar, 2 * 3 spoons of snake_case and more",
        *("A", "B", "one", "two"),
        "Not a *star*.",
    ]


@pytest.mark.parametrize(("kind", "document"), [("html", HTML), ("markdown", MARKDOWN)])
def test_offsets_point_into_the_original(kind: str, document: str) -> None:
    words = [word for sentence in read_input(io.StringIO(document), kind) for word in sentence]
    assert len(words) > 15
    written = {word.form: document[word.begin : word.end] for word in words}
    entities = {"&": "&amp;", "Sugar": "Sug<b>ar" if kind == "html" else "Sugar"}
    others = {form: text for form, text in written.items() if form not in (*entities, "'s", "That's")}
    assert all(form == text for form, text in others.items())
    assert all(written[form] == text for form, text in entities.items())


@given(
    st.text(alphabet=st.sampled_from("ab \n<>/&;#p!-[]()*_`|~\\1.=:'\""), max_size=60), st.sampled_from(sorted(READERS))
)
def test_any_document_has_a_text_with_places_in_order(document: str, kind: str) -> None:
    plain = READERS[kind](document)
    assert len(plain.text) == len(plain.begins) == len(plain.ends)
    assert (np.diff(plain.begins) >= 0).all()
    assert (plain.begins <= plain.ends).all()
    assert not len(plain.ends) or 0 <= plain.begins[0] <= plain.ends[-1] <= len(document)


def test_the_kind_is_known_by_the_extension() -> None:
    assert [guess_input(name) for name in ("a.md", "a.html", "a.htm.gz", "a.txt")] == [
        "markdown",
        "html",
        "html",
        "text",
    ]


def test_parse_reads_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("<p>It <b>rains</b>.</p><p>Stay &amp; sing.</p>")
    run = runner(monkeypatch, capsys)
    lines = run("parse", "page.html", "-q").stdout.splitlines()
    assert [line for line in lines if line.startswith("# text")] == ["# text = It rains.", "# text = Stay & sing."]
    assert [line.rpartition("=")[2] for line in lines if line[:1].isdecimal()][:4] == ["3:5", "9:14", "18:19", "26:30"]
    assert run("parse", "--input", "markdown", "-q", stdin="It *rains*.").stdout.count("\n") == 9

"""Drawings as commands write them: text for a terminal, SVG and PNG files, LaTeX, a web page."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from treewright.cli.inputs import is_folder
from treewright.errors import InputError

SVG_WIDTH = 960  # pixels; not tuned
MAX_STACKED = 200  # drawings in one image, about 40,000 pixels high; not tuned
TERMINAL = (100, 24)  # columns and lines, where the terminal does not report its size; not tuned
MIN_COLUMNS = 20  # of a drawing as text

Pair = tuple[Any, Mapping[str, Any]]  # a sentence or tree, and those to compare it with: gold, given
Color = Literal["auto", "always", "never"]


def terminal_options(output: str = "-", ascii: bool = False, color: Color = "auto") -> dict[str, Any]:
    """Return the width, and whether to use colour and box-drawing characters: where they can be shown, or as given."""
    on_terminal = output == "-" and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    colored = on_terminal and not os.environ.get("NO_COLOR") if color == "auto" else color == "always"
    plain = output == "-" and not (sys.stdout.encoding or "").lower().startswith("utf")
    columns = shutil.get_terminal_size(fallback=TERMINAL).columns
    return {"ascii": ascii or plain, "color": colored, "width": max(columns, MIN_COLUMNS)}


def write_drawings(
    form: str,
    numbered: Iterable[tuple[int, Pair]],
    output: str,
    source: str,
    width: int | None = None,
    title: str | None = None,
    **options: Any,
) -> None:
    """Write drawings in a form other than text; the source is named in errors and is the title of a web page."""
    if form == "latex":
        write_texts(latex_texts(numbered, options), output)
    elif form == "html":
        from treewright.draw.pictures import html_parts

        if title is None:
            title = "Standard input" if source == "-" else Path(source).name
        write_texts(html_parts((pair for _, pair in numbered), title=title, width=width, **options), output)
    else:
        write_pictures(numbered, options | {"width": width or SVG_WIDTH}, output, source, form)


def write_pictures(
    numbered: Iterable[tuple[int, Pair]], options: dict[str, Any], output: str, source: str, form: str
) -> None:
    """Write SVG or PNG: one file with all drawings below each other, or a folder with a numbered file for each."""
    from treewright import draw
    from treewright.draw.vector import stack_drawings

    drawings = ((number, draw.svg(sentence, **others, **options)) for number, (sentence, others) in numbered)
    if is_folder(output):
        Path(output).mkdir(parents=True, exist_ok=True)
        for number, drawing in drawings:
            drawing.save(Path(output) / f"{number}.{form}")
        return
    name = "<stdin>" if source == "-" else source
    stacked = [drawing for _, drawing in islice(drawings, MAX_STACKED + 1)]
    if not stacked:
        raise InputError(f"{name}: no sentence to draw")
    if len(stacked) > MAX_STACKED:
        remedy = "give a folder (-o drawings/) or write a web page (-o drawings.html)"
        raise InputError(f"{name}: more than {MAX_STACKED} sentences for one image; {remedy}")
    image = draw.Drawing(stack_drawings(stacked), "svg")
    write_bytes([image.png() if form == "png" else image.encode()], output)


def write_bytes(pieces: Iterable[bytes], output: str) -> None:
    """Write bytes to a file that appears when it is complete, or to standard output."""
    from treewright.corpus import open_output

    with open_output(output) as target:
        for piece in pieces:
            target.write(piece)


def latex_texts(numbered: Iterable[tuple[int, Pair]], options: dict[str, Any]) -> Iterator[str]:
    """Yield LaTeX of each sentence, after a comment with its number and text."""
    from treewright import draw
    from treewright.draw.measure import clean

    for number, (sentence, others) in numbered:
        heading = f"% {number} {clean(getattr(sentence, 'text', None) or '')}".rstrip()
        yield f"{heading}\n{draw.latex(sentence, **others, **options)}\n"


def write_texts(texts: Iterable[str], output: str) -> None:
    """Write texts to a file that appears when it is complete, or to standard output."""
    if output != "-":
        write_bytes((text.encode() for text in texts), output)
        return
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a character that the terminal cannot show is no error
    for text in texts:
        sys.stdout.write(text)

"""Drawings as commands write them: text for a terminal, SVG files, a web page."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from treewright.errors import InputError

SVG_WIDTH = 960  # pixels; not tuned
MOST_STACKED = 200  # drawings in one image, about 40,000 pixels high; not tuned
TERMINAL = (100, 24)  # columns and lines, where the terminal does not report its size; not tuned

Pair = tuple[Any, Mapping[str, Any]]  # a sentence or tree, and those to compare it with: gold, given
Color = Literal["auto", "always", "never"]


def terminal_options(output: str | None, ascii: bool = False, color: Color = "auto") -> dict[str, bool]:
    """Whether to use colour and box-drawing characters: where they can be shown, unless the options decide."""
    on_terminal = output is None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    colored = on_terminal and not os.environ.get("NO_COLOR") if color == "auto" else color == "always"
    plain = output is None and not (sys.stdout.encoding or "").lower().startswith("utf")
    return {"ascii": ascii or plain, "color": colored}


def terminal_columns() -> int:
    return shutil.get_terminal_size(fallback=TERMINAL).columns


def write_page(pairs: Iterable[Pair], options: dict[str, Any], output: str | None, source: str) -> None:
    """One web page with all sentences, written one by one; its title is the name of the source."""
    from treewright.draw.pictures import html_parts

    title = "Standard input" if source == "-" else Path(source).name
    write_texts(html_parts(pairs, **{"title": title} | options), output)


def write_pictures(
    numbered: Iterable[tuple[int, Pair]], options: dict[str, Any], output: str | None, source: str, form: str
) -> None:
    """SVG or PNG: one file with all drawings below each other, or a folder with a file for each, by its number.

    source is named in errors.
    """
    from treewright import draw
    from treewright.draw.vector import stack_drawings

    folder = Path(output) if output and (output.endswith(os.sep) or Path(output).is_dir()) else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for number, (sentence, others) in numbered:
            draw.svg(sentence, **others, **options).save(folder / f"{number}.{form}")
        return
    drawings = [draw.svg(sentence, **others, **options) for _, (sentence, others) in islice(numbered, MOST_STACKED + 1)]
    if not drawings:
        raise InputError(f"{source}: no sentence to draw")
    if len(drawings) > MOST_STACKED:
        remedy = "give a folder (-o drawings/) or write a web page (-o drawings.html)"
        raise InputError(f"{source}: more than {MOST_STACKED} sentences for one image; {remedy}")
    drawing = draw.Drawing(stack_drawings(drawings), "svg")
    write_bytes([drawing.png() if form == "png" else drawing.encode()], output)


def write_bytes(pieces: Iterable[bytes], output: str | None) -> None:
    """Write bytes to a file that appears when it is complete, or to standard output."""
    from treewright.corpus import open_output

    with open_output("-" if output is None else output) as target:
        for piece in pieces:
            target.write(piece)


def latex_texts(numbered: Iterable[tuple[int, Pair]], options: dict[str, Any]) -> Iterator[str]:
    """LaTeX of each sentence, after a comment with its number and text."""
    from treewright import draw

    for number, (sentence, others) in numbered:
        heading = f"% {number} {draw.clean(getattr(sentence, 'text', None) or '')}".rstrip()
        yield f"{heading}\n{draw.latex(sentence, **others, **options)}\n"


def write_texts(texts: Iterable[str], output: str | None) -> None:
    """Write texts to a file that appears when it is complete, or to standard output."""
    if output is not None:
        write_bytes((text.encode() for text in texts), output)
        return
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a character that the terminal cannot show is no error
    for text in texts:
        sys.stdout.write(text)

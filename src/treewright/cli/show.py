"""`treewright show`: draw what a file holds."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from io import TextIOWrapper
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.draw import Drawing

app = typer.Typer(add_completion=False)


class Color(str, Enum):
    auto = "auto"
    always = "always"
    never = "never"


@app.command()
def show(
    file: Annotated[str, typer.Argument(help='CoNLL-U, CoNLL-X or Penn brackets; "-" is standard input.')],
    as_text: Annotated[bool, typer.Option("--text", help="Text for a terminal (the default).")] = False,
    as_svg: Annotated[bool, typer.Option("--svg", help="SVG: one sentence, or one file each in a folder.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="One web page with every sentence.")] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write; .svg and .html choose the format.")
    ] = None,
    sentences: Annotated[str | None, typer.Option(help="Which sentences: 3, 1-5,9 or 100-.")] = None,
    ids: Annotated[
        list[str] | None, typer.Option("--id", help="The sentence of this sent_id; repeat for more.")
    ] = None,
    gold: Annotated[
        str | None, typer.Option(help="Compare with this file: mark what is wrong, add what is missing.")
    ] = None,
    enhanced: Annotated[bool, typer.Option("--enhanced", help="Draw the enhanced graph (DEPS) too.")] = False,
    features: Annotated[
        str | None,
        typer.Option(help="Columns to write under the words: id, upos, xpos, lemma, feats, misc; upos if not given."),
    ] = None,
    width: Annotated[
        int | None, typer.Option(min=20, help="Columns (text) or pixels (SVG, HTML); the terminal's, or 960.")
    ] = None,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")] = False,
    color: Annotated[Color, typer.Option(help="Colour in text: auto is yes on a terminal.")] = Color.auto,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
) -> None:
    """Draw trees and graphs: dependencies or phrase structure, as text, SVG or a web page.

    Examples:

      treewright show dev.conllu --sentences 1-5

      treewright show parsed.conllu --gold dev.conllu --html -o differences.html

      treewright show trees.mrg --sentences 3 -o tree.svg
    """
    kind = kind_of(as_text, as_svg, as_html, output)
    if gold is not None and skip_bad:
        raise typer.BadParameter("--skip-bad would pair the wrong sentences with those of --gold; leave one out")
    options: dict[str, Any] = {"enhanced": enhanced or None, "features": features and features.split(",")}
    chosen = choose(read_pairs(file, gold, skip_bad), Selection(ranges_of(sentences), tuple(ids or ())), file)
    if kind == "text":
        columns = width or shutil.get_terminal_size(fallback=(100, 24)).columns
        write(as_texts(chosen, options | pen_options(output, ascii, color) | {"width": columns}), output)
    elif kind == "html":
        write([as_page(chosen, options | {"width": width or 960, "title": Path(file).name})], output)
    else:
        write_svgs(chosen, options | {"width": width or 960}, output, file)


Pair = tuple[Any, Any]  # a sentence or tree, and that of gold, if any


def kind_of(as_text: bool, as_svg: bool, as_html: bool, output: str | None) -> str:
    asked = [kind for kind, wanted in (("text", as_text), ("svg", as_svg), ("html", as_html)) if wanted]
    if len(asked) > 1:
        raise typer.BadParameter(f"--{asked[0]} and --{asked[1]} exclude each other")
    by_extension = {".svg": "svg", ".html": "html", ".htm": "html"}
    return asked[0] if asked else by_extension.get(Path(output or "").suffix, "text")


@dataclass(frozen=True)
class Selection:
    """Which sentences are wanted: ranges of numbers from 1, and names. Nothing given is everything."""

    ranges: tuple[tuple[int, float], ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def last(self) -> float:
        """The last number that may be wanted."""
        return max((last for _, last in self.ranges), default=inf) if not self.ids else inf

    def has(self, number: int, name: str | None) -> bool:
        if not self.ranges and not self.ids:
            return True
        return name in self.ids or any(first <= number <= last for first, last in self.ranges)


def ranges_of(text: str | None) -> tuple[tuple[int, float], ...]:
    """1-5,9,20- as pairs of numbers."""
    found: list[tuple[int, float]] = []
    for part in text.split(",") if text is not None else ():
        match = re.fullmatch(r"\s*([1-9]\d*)(?:(-)(\d*))?\s*", part)
        if match is None:
            raise typer.BadParameter(f"--sentences has {part!r}; write numbers and ranges, from 1: 3 or 1-5,9 or 100-")
        first = int(match[1])
        found.append((first, float(match[3] or inf) if match[2] else first))
    return tuple(found)


def read_pairs(file: str, gold: str | None, skip_bad: bool) -> Iterator[Pair]:
    from treewright.draw.pictures import beside_gold

    yield from beside_gold(read_any(file, skip_bad), None if gold is None else read_any(gold, skip_bad))


def read_any(file: str, skip_bad: bool) -> Iterator[Any]:
    """The sentences or trees of a file; those left out are counted on standard error."""
    from treewright.cli.shared import read_confidence
    from treewright.corpus import Sentence, format_of, open_input, read, read_trees

    source = open_input("-") if file == "-" else file  # standard input can be looked into once only
    reader = (read_trees if format_of(source) == "brackets" else read)(source, on_error="skip" if skip_bad else "raise")
    for item in reader:
        if isinstance(item, Sentence):
            read_confidence(item)
        yield item
    if reader.skipped:
        print(f"treewright: {file}: left out {reader.skipped} that could not be read", file=sys.stderr)


def choose(pairs: Iterable[Pair], selection: Selection, file: str) -> Iterator[tuple[int, Pair]]:
    """The pairs that are wanted, with their numbers; an error if something that was named is not there."""
    number, names = 0, set()
    for number, pair in enumerate(pairs, start=1):
        name = getattr(pair[0], "sent_id", None)
        names.add(name)
        if selection.has(number, name):
            yield number, pair
        if number >= selection.last:
            return
    beyond = [first for first, _ in selection.ranges if first > number]
    if beyond:
        raise InputError(f"{file} has {number} sentences; --sentences asks for {beyond[0]}")
    unknown = [name for name in selection.ids if name not in names]
    if unknown:
        raise InputError(f"{file} has no sentence with sent_id {unknown[0]!r}")


def pen_options(output: str | None, ascii: bool, color: Color) -> dict[str, bool]:
    """Colour and box-drawing characters, where they can be shown."""
    on_terminal = output is None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    wanted = on_terminal and not os.environ.get("NO_COLOR") if color == Color.auto else color == Color.always
    plain = output is None and not (sys.stdout.encoding or "").lower().startswith("utf")
    return {"ascii": ascii or plain, "color": wanted}


def as_texts(chosen: Iterable[tuple[int, Pair]], options: dict[str, Any]) -> Iterator[str]:
    from treewright import draw

    between = ""
    for number, (sentence, gold) in chosen:
        name, text = getattr(sentence, "sent_id", None), getattr(sentence, "text", None)
        heading = "  ".join(str(part) for part in (f"# {number}", name, text) if part)
        yield f"{between}{draw.clean(heading)}\n{draw.text(sentence, gold=gold, **options)}\n"
        between = "\n"


def as_page(chosen: Iterable[tuple[int, Pair]], options: dict[str, Any]) -> Drawing:
    from treewright import draw

    pairs = [pair for _, pair in chosen]
    gold = [right for _, right in pairs]
    return draw.html([sentence for sentence, _ in pairs], gold=None if None in gold else gold, **options)


def write_svgs(chosen: Iterable[tuple[int, Pair]], options: dict[str, Any], output: str | None, file: str) -> None:
    """One drawing to its file; several into a folder."""
    from treewright import draw

    folder = Path(output) if output and (output.endswith(os.sep) or Path(output).is_dir()) else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for number, (sentence, gold) in chosen:
            draw.svg(sentence, gold=gold, **options).save(folder / f"{number}.svg")
        return
    first = list(islice(chosen, 2))
    if len(first) != 1:
        found = "more than one sentence" if first else "no sentence"
        raise InputError(
            f"{file}: {found} for one SVG; choose one with --sentences or --id, give a folder, or use --html"
        )
    sentence, gold = first[0][1]
    write([draw.svg(sentence, gold=gold, **options)], output)


def write(texts: Iterable[str], output: str | None) -> None:
    if output is not None:
        from treewright.corpus import open_output

        with open_output(output) as target:
            for text in texts:
                target.write(text.encode())
        return
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a word that the terminal cannot show must not stop the others
    for text in texts:
        sys.stdout.write(text)

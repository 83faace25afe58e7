"""`treewright show`: draw the sentences of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, Literal

import typer

from treewright import draw
from treewright.cli import options as opt
from treewright.cli.drawing import Color, Pair, terminal_options, write_drawings, write_texts
from treewright.cli.inputs import is_folder, is_stream
from treewright.cli.shared import PICTURES, check_extension, form_of, note
from treewright.corpus import Sentence, Tree, format_of, open_input, read, read_trees, strip_functions
from treewright.corpus.confidence import read_confidence
from treewright.draw.measure import clean
from treewright.draw.pictures import beside
from treewright.errors import InputError

app, command = opt.new_command(
    "show",
    "",
    "treewright show dev.conllu --sentences 1-5",
    "treewright show parsed.conllu --gold dev.conllu -o differences.html",
    "treewright show dev.conllu -o drawings/",
    "treewright show trees.mrg --sentences 3 -o tree.svg",
    "treewright show trees.mrg --sentences 3 --head-rules english -o both.svg",
)
EXTENSIONS = {".txt": "text", **PICTURES, ".tex": "latex"}
Form = Literal["text", "svg", "png", "html", "latex"]


@command
def show(
    file: Annotated[str, opt.argument("INPUT", 'CoNLL-U, CoNLL-X or Penn brackets; "-" is standard input.')],
    to: Annotated[Form | None, opt.to_option("by default that of FILE's extension, else text")] = None,
    output: Annotated[
        str | None,
        opt.output_option(".svg, .png, .html, .tex and .txt choose the format. A folder takes one image a sentence."),
    ] = None,
    sentences: Annotated[
        str | None, opt.option("Numbers of the sentences: 3, 1-5,9 or 100-.", metavar="NUMBERS")
    ] = None,
    ids: Annotated[
        list[str] | None, opt.option("The sentence of this sent_id; repeat for more.", "--id", metavar="SENT_ID")
    ] = None,
    gold: Annotated[
        str | None, opt.file_option("Compare with this file: mark what is wrong, add what is missing.")
    ] = None,
    given: Annotated[
        str | None, opt.file_option("The partial file that was completed: mark the arcs whose heads it has.")
    ] = None,
    head_rules: Annotated[
        str | None, opt.head_rules_option("draws the dependencies of phrase-structure trees too")
    ] = None,
    enhanced: Annotated[bool, opt.option("Draw the enhanced graph (DEPS) too.", "--enhanced")] = False,
    columns: Annotated[
        str | None, opt.columns_option("written under the words: id, upos, xpos, lemma, feats, misc. upos if not given")
    ] = None,
    width: Annotated[
        int | None,
        opt.number_option("Columns (text) or pixels (SVG, HTML); that of the terminal, 960, or of the window.", min=20),
    ] = None,
    title: Annotated[
        str | None, opt.option("Title of the web page; the name of the file if not given.", metavar="TEXT")
    ] = None,
    ascii: Annotated[bool, opt.option("Draw with ASCII characters only.", "--ascii")] = False,
    color: Annotated[Color, opt.option("Colour in text: auto is yes on a terminal.")] = "auto",
    skip_bad: opt.SkipBad = False,
) -> None:
    target = output or "-"
    check_extension(target, tuple(EXTENSIONS))
    form = form_of(to, target, EXTENSIONS, "svg" if is_folder(target) else "text")
    if is_folder(target) and form not in ("svg", "png"):
        raise InputError(f"{target}: a folder, which takes an image for each sentence; give a file, or --to svg or png")
    for name, other in (("--gold", gold), ("--given", given)):
        if other is not None and skip_bad:
            raise typer.BadParameter(f"--skip-bad would pair the wrong sentences with those of {name}; leave one out")
    options: dict[str, Any] = {"enhanced": enhanced or None, "features": columns and columns.split(",")}
    pairs = read_pairs(file, skip_bad, gold=gold, given=given)
    if head_rules is not None:
        pairs = with_dependencies(pairs, head_rules)
    chosen = choose(pairs, Selection(ranges_of(sentences), tuple(ids or ())), file)
    if form == "text":
        options |= terminal_options(target, ascii, color) | ({"width": width} if width else {})
        write_texts(as_texts(chosen, options), target)
    else:
        write_drawings(form, chosen, target, file, width, title, **options)


@dataclass(frozen=True)
class Selection:
    """Selected sentences: ranges of numbers from 1, and ids. An empty selection is everything."""

    ranges: tuple[tuple[int, float], ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def last(self) -> float:
        """Return the last number that may be selected."""
        return max((last for _, last in self.ranges), default=inf) if not self.ids else inf

    def has(self, number: int, name: str | None) -> bool:
        if not self.ranges and not self.ids:
            return True
        return name in self.ids or any(first <= number <= last for first, last in self.ranges)


def ranges_of(text: str | None) -> tuple[tuple[int, float], ...]:
    """Read 1-5,9,20- as pairs of numbers."""
    ranges: list[tuple[int, float]] = []
    for part in text.split(",") if text is not None else ():
        match = re.fullmatch(r"\s*([1-9]\d*)(?:(-)(\d*))?\s*", part)
        if match is None:
            raise typer.BadParameter(f"--sentences has {part!r}; write numbers and ranges, from 1: 3 or 1-5,9 or 100-")
        first = int(match[1])
        ranges.append((first, float(match[3] or inf) if match[2] else first))
    return tuple(ranges)


def read_pairs(file: str, skip_bad: bool, **others: str | None) -> Iterator[Pair]:
    readers = {name: None if other is None else read_any(other, skip_bad) for name, other in others.items()}
    yield from beside(read_any(file, skip_bad), **readers)


def with_dependencies(pairs: Iterable[Pair], head_rules: str) -> Iterator[Pair]:
    """Yield phrase-structure trees with the heads that rules give; sentences have their own."""

    from treewright.grammar import HeadRules, dependencies  # 150 ms of CPU time, for few drawings

    rules = HeadRules.load(head_rules)
    for tree, others in pairs:
        if not isinstance(tree, Tree):
            raise InputError("--head-rules is for phrase-structure trees; these sentences have dependencies")
        yield tree, {**others, "heads": dependencies(strip_functions(tree), rules)[1:].tolist()}


def read_any(file: str, skip_bad: bool) -> Iterator[Any]:
    """Yield the sentences or trees of a file; those left out are counted on standard error."""

    source = open_input(file) if is_stream(file) else file  # to detect its format, a stream is opened once
    reader = (read_trees if format_of(source) == "brackets" else read)(source, on_error="skip" if skip_bad else "raise")
    for item in reader:
        if isinstance(item, Sentence):
            read_confidence(item)
        yield item
    if reader.skipped:
        note(f"{file}: left out {reader.skipped} that could not be read")


def choose(pairs: Iterable[Pair], selection: Selection, file: str) -> Iterator[tuple[int, Pair]]:
    """Yield the selected pairs with their numbers; an error if a selected number or id does not exist."""
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
        raise InputError(f"{file} has {number} sentences; --sentences has number {beyond[0]}")
    unknown = [name for name in selection.ids if name not in names]
    if unknown:
        raise InputError(f"{file} has no sentence with sent_id {unknown[0]!r}")


def as_texts(chosen: Iterable[tuple[int, Pair]], options: dict[str, Any]) -> Iterator[str]:
    between = ""
    for number, (sentence, others) in chosen:
        name, text = getattr(sentence, "sent_id", None), getattr(sentence, "text", None)
        heading = "  ".join(str(part) for part in (f"# {number}", name, text) if part)
        yield f"{between}{clean(heading)}\n{draw.text(sentence, **others, **options)}\n"
        between = "\n"

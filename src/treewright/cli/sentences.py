"""The sentences that a command is to parse: of raw text, CoNLL-U or JSON, in a file or given as an option."""

from __future__ import annotations

import select
import sys
from collections.abc import Sequence
from io import BufferedReader, StringIO
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from treewright.cli import options as opt
from treewright.cli.inputs import TEXT_KINDS, is_stream
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Reader, Sentence
    from treewright.induce import InducedParser
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline

MODEL_HELP = "A model file, or en: the English model that comes with Treewright, which is used if none is given."
Input = Literal["text", "paragraphs", "lines", "markdown", "html", "conllu", "json"]
Kind = Annotated[
    Input | None,
    opt.option(
        "Input format; raw text (a blank line ends a paragraph), text with a paragraph a line, one sentence a "
        "line, Markdown, HTML, CoNLL-U or JSON lines; detected if not given.",
        "--input",
    ),
]
Text = Annotated[str | None, opt.option("The text to parse, instead of INPUT.", "--text", "-t", metavar="TEXT")]


def check_text(text: str | None, sources: Sequence[str]) -> None:
    if text is not None and sources != ["-"]:
        raise typer.BadParameter(f"--text and {sources[0]} exclude each other: one text at a time", param_hint="--text")


class ParserInput(NamedTuple):
    """What is to be parsed: a file, whose name is in messages, or a text."""

    file: str | BufferedReader
    name: str
    text: str | None
    kind: Input | None
    skip_bad: bool


def open_sentences(parser: Pipeline | Parser | InducedParser, name: str, source: ParserInput) -> Reader[Sentence]:
    """Open the text or file as sentences, not parsed yet."""
    from treewright.corpus import open_input
    from treewright.corpus.reader import check_utf8
    from treewright.pipeline import Pipeline, guess_input, read_input

    tokeniser = parser.tokeniser if isinstance(parser, Pipeline) else None
    kind = source.kind
    if source.text is not None:
        check_utf8(source.text, "--text", 1)
        file: Any = StringIO(source.text)
        format: str = "text" if kind is None else kind
    else:
        file = open_input(source.file) if isinstance(source.file, str) and is_stream(source.file) else source.file
        format = kind or guess_input(file)
        file = source.name if file is getattr(sys.stdin, "buffer", None) else file  # which messages call <stdin>
        if format in TEXT_KINDS and tokeniser is None and kind is None:
            format = "conllu"  # a parser alone reads sentences
    if format in TEXT_KINDS and tokeniser is None:
        remedy = "leave the model out, or join it with a tokeniser and a tagger by `treewright pack`"
        raise InputError(f"{name}: a parser alone, which needs sentences with tags; for raw text {remedy}")
    return read_input(file, format, tokeniser, on_error="skip" if source.skip_bad else "raise")


def is_induced(model: Pipeline | Parser | InducedParser) -> bool:
    """Return whether the parser of a model was learned without trees."""
    from treewright.induce import InducedParser

    return isinstance(getattr(model, "parser", model), InducedParser)


def kind_of(source: str, kind: Input | None) -> str | None:
    """Return the kind of a source: the one given, or what a file looks like; None for a stream, which is read once."""
    from treewright.pipeline import guess_input

    if kind is not None:
        return kind
    return None if is_stream(source) else guess_input(source)


def may_wait(source: str) -> bool:
    """Return whether the sender of the sentences may wait for results before it sends more; a file does not."""
    return source == "-" and not (sys.stdin.buffer.seekable() and not sys.stdin.isatty())


def is_arriving() -> bool:
    """Return whether standard input has more to read now, or has ended; False where that cannot be known."""
    try:
        return bool(select.select([sys.stdin.buffer], [], [], 0)[0])
    except (OSError, ValueError):
        return False

"""`treewright parse`: trees for raw text, or for sentences."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.drawing import SVG_WIDTH, Pair, terminal_columns, terminal_options, write_page, write_svgs
from treewright.cli.shared import (
    SECONDS_HELP,
    SENTENCE_EXTENSIONS,
    Method,
    Summary,
    add_confidence,
    check_extension,
    counting,
    note_skipped,
    write_lines,
    write_sentences,
)
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Reader, Sentence
    from treewright.induce import InducedParser
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline

app = typer.Typer(add_completion=False)

HELP = (
    "Parse raw text, or sentences that are divided into words already.\n\n"
    "Without MODEL, the English model that comes with Treewright is used; `treewright train`, `induce` and `pack` make "
    "others. Raw text is divided into sentences and words, tagged and parsed. CoNLL-U sentences without tags are "
    "tagged first; HEAD and DEPREL are set, and everything else is written as it was read, byte for byte.\n\n"
    "A comment gives the certificate of each tree: '# treewright = certified' (of all trees over the arcs that "
    "pruning left, none scores higher) or '# treewright = gap 0.12' (none scores higher by more than that). Each "
    "sentence is written as soon as it is parsed, so that the command works as a filter.\n\n"
    '  treewright parse --text "The bridge creaked when a cart rolled over it."\n\n'
    "  treewright parse letter.txt -o letter.conllu\n\n"
    "  treewright parse letter.txt --to html -o letter.html\n\n"
    "  cat tagged.conllu | treewright parse en.tw | treewright show -\n\n"
    "  treewright parse en.tw tagged.conllu --threads 4 --confidence -o parsed.conllu\n\n"
)


class Input(str, Enum):
    text = "text"
    lines = "lines"
    conllu = "conllu"
    json = "json"


class Output(str, Enum):
    conllu = "conllu"
    json = "json"
    text = "text"
    svg = "svg"
    html = "html"


MODEL_HELP = "A model file, or en: the English model that comes with Treewright, which is used if none is given."


@app.command(help=HELP)
def parse(
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]", help=MODEL_HELP, show_default=False)] = None,
    input: Annotated[
        str | None,
        typer.Argument(
            metavar="[INPUT]", help='What to parse; standard input if "-" or not given.', show_default=False
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", "-t", help="The text to parse, instead of INPUT.")] = None,
    kind: Annotated[
        Input | None,
        typer.Option("--input", help="Raw text, one sentence a line, CoNLL-U or JSON lines; detected if not given."),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help='Where to write; "-" is standard output.')] = "-",
    to: Annotated[
        Output | None,
        typer.Option(
            "--to",
            help="Output format; by default that of OUTPUT's extension, else CoNLL-U; on a terminal, --text is drawn.",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Number of threads; it does not change the trees.")] = 1,
    method: Annotated[Method, typer.Option(help="Decoding method; see docs/decoding.md.")] = Method.exact,
    max_seconds: Annotated[float | None, typer.Option(min=0.0, help=SECONDS_HELP, show_default=False)] = None,
    projective: Annotated[
        bool | None,
        typer.Option("--projective/--nonprojective", help="Forbid or allow crossing arcs; by default as trained."),
    ] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write the probability of every head into MISC: Confidence=0.98.")
    ] = False,
    comment: Annotated[
        bool, typer.Option("--comment/--no-comment", help="Write the certificate of each tree into a comment.")
    ] = True,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the summary as JSON: on standard output if -o is given, else on standard error."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.models import load
    from treewright.pipeline import Pipeline
    from treewright.pipeline.certificate import drop_certificate, set_certificate

    named, source = model_and_input(model, input, text)
    parser = load(named)
    reader = open_sentences(parser, named, source, text, kind, skip_bad)
    options: dict[str, Any] = {"threads": threads, "projective": projective, "method": method.value}
    options |= {} if max_seconds is None else {"max_seconds": max_seconds}
    options |= (
        {"comment": False} if isinstance(parser, Pipeline) else {}
    )  # `finished` writes it, for every kind of model
    summary = Summary()

    def finished(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        summary.start()
        for sentence in sentences:
            summary.count(sentence, sentence.parse.certified)
            if comment:
                set_certificate(sentence, sentence.parse)
            else:
                drop_certificate(sentence)
            if confidence:
                if sentence.head_confidence is None:
                    raise InputError(f"{named}: an induced model has no probabilities of heads; leave out --confidence")
                add_confidence(sentence, sentence.head_confidence)
            yield sentence

    with counting(reader, quiet=quiet, output=output) as sentences:
        if threads == 1 and text is None and may_wait(source):
            found: Iterator[Sentence] = (tree for one in sentences for tree in parser.parse([one], **options))
        else:
            found = parser.parse(sentences, **options)
        write_as(form_of(to, output, text), finished(found), output, source)
    note_skipped(reader.skipped, reader.errors)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def model_and_input(model: str | None, input: str | None, text: str | None) -> tuple[str, str]:
    """The model and the input. A single argument is the model if its name or its first bytes are those of one."""
    if input is None and model is not None and not looks_like_model(model):
        model, input = None, model
    if text is not None and input is not None:
        raise typer.BadParameter(f"--text and {input} exclude each other: one text at a time", param_hint="--text")
    return model or "en", input or "-"


def looks_like_model(name: str) -> bool:
    """Whether a name is that of a model that comes with Treewright, or of a file that begins as model files do."""
    from treewright.models import EMBEDDED

    path = Path(name)
    if name in EMBEDDED or path.suffix == ".tw":
        return True
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(9)[8:] == b"{"  # eight bytes of length before a JSON index


def open_sentences(
    parser: Pipeline | Parser | InducedParser, name: str, source: str, text: str | None, kind: Input | None, skip: bool
) -> Reader[Sentence]:
    """The sentences of the text or file, not parsed yet."""
    from treewright.corpus import open_input
    from treewright.corpus.reader import check_utf8
    from treewright.pipeline import Pipeline, guess_input, read_input

    on_error = "skip" if skip else "raise"
    tokeniser = parser.tokeniser if isinstance(parser, Pipeline) else None
    if text is not None:
        check_utf8(text, "--text", 1)
        file: Any = BytesIO(text.encode())
        found = "text" if kind is None else kind.value
    else:
        file = open_input("-") if source == "-" else source
        found = kind.value if kind else guess_input(file)
        file = source if file is getattr(sys.stdin, "buffer", None) else file  # which messages call <stdin>
    if found in ("text", "lines") and tokeniser is None and kind is None and text is None:
        found = "conllu"  # a parser alone reads sentences
    if found in ("text", "lines") and tokeniser is None:
        remedy = "leave the model out, or join it with a tokeniser and a tagger by `treewright pack`"
        raise InputError(f"{name}: a parser alone, which needs sentences with tags; for raw text {remedy}")
    return read_input(file, found, tokeniser, on_error=on_error)


def form_of(to: Output | None, output: str, text: str | None) -> str:
    """The output format: the one given, or that of the output's extension, or a drawing for --text on a terminal."""
    from treewright.pipeline import guess_output
    from treewright.pipeline.writing import BY_EXTENSION

    if to is not None:
        return to.value
    if text is not None and output == "-" and sys.stdout.isatty():
        return "text"
    check_extension(output, (*SENTENCE_EXTENSIONS, *BY_EXTENSION))
    return guess_output(output)


def write_as(form: str, sentences: Iterator[Sentence], output: str, source: str) -> None:
    """Write the sentences in one of the forms, one by one where the form allows it."""
    from treewright.pipeline import to_json

    target = None if output == "-" else output
    pairs: Iterator[Pair] = ((sentence, {}) for sentence in sentences)
    if form == "conllu":
        write_sentences(sentences, output)
    elif form == "json":
        write_lines((json.dumps(to_json(sentence), ensure_ascii=False) for sentence in sentences), output)
    elif form == "html":
        write_page(pairs, {}, target, source)
    elif form == "svg":
        write_svgs(enumerate(pairs, start=1), {"width": SVG_WIDTH}, target, "the text")
    else:
        write_lines(drawings(sentences, terminal_options(target) | {"width": max(terminal_columns(), 20)}), output)


def drawings(sentences: Iterable[Sentence], options: dict[str, Any]) -> Iterator[str]:
    """The text of each sentence, its drawing and its certificate."""
    from treewright import draw
    from treewright.pipeline.certificate import certificate_line

    for sentence in sentences:
        yield f"{draw.clean(sentence.text)}\n\n{draw.text(sentence, **options)}\n{certificate_line(sentence)}\n"


def may_wait(source: str) -> bool:
    """Whether the sender of the sentences may wait for results before it sends more; a file does not."""
    return source == "-" and not (sys.stdin.buffer.seekable() and not sys.stdin.isatty())

"""`treewright parse`: trees for raw text, or for sentences."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from treewright.cli.drawing import SVG_WIDTH, Pair, terminal_columns, terminal_options, write_page, write_svgs
from treewright.cli.inputs import each_job, is_folder, jobs_of, metered, model_and_inputs
from treewright.cli.options import (
    Comment,
    Decoding,
    HeadConfidence,
    JsonReport,
    MaxSeconds,
    Method,
    Output,
    PlainCommand,
    Projective,
    Quiet,
    SkipBad,
    Threads,
    examples,
    new_app,
    to_option,
)
from treewright.cli.shared import (
    SENTENCE_EXTENSIONS,
    Summary,
    add_confidence,
    check_extension,
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

app = new_app()

HELP = (
    "Parse raw text, or sentences that are divided into words already.\n\n"
    "Several inputs are written into a folder (-o FOLDER/), each under its own name. "
    "Without MODEL, the English model that comes with Treewright is used; `treewright train`, `induce` and `pack` make "
    "others. Raw text is divided into sentences and words, tagged and parsed. CoNLL-U sentences without tags are "
    "tagged first; HEAD and DEPREL are set, and everything else is written as it was read, byte for byte.\n\n"
    "A comment gives the certificate of each tree: '# treewright = certified' (of all trees over the arcs that "
    "pruning left, none scores higher) or '# treewright = gap 0.12' (none scores higher by more than that). Each "
    "sentence is written as soon as it is parsed, so that the command works as a filter."
) + examples(
    'treewright parse --text "The bridge creaked when a cart rolled over it."',
    "treewright parse letter.txt -o letter.conllu",
    "treewright parse letter.txt -o letter.html",
    "treewright parse a.txt b.txt -o parsed/",
    "cat tagged.conllu | treewright parse my.tw | treewright show -",
    "treewright parse my.tw tagged.conllu --threads 4 -o parsed.conllu",
)


class Input(str, Enum):
    text = "text"
    lines = "lines"
    conllu = "conllu"
    json = "json"


class Form(str, Enum):
    conllu = "conllu"
    json = "json"
    text = "text"
    svg = "svg"
    html = "html"


MODEL_HELP = "A model file, or en: the English model that comes with Treewright, which is used if none is given."


@app.command(help=HELP, cls=PlainCommand)
def parse(
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help=MODEL_HELP, show_default=False)] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="INPUT", help='What to parse; standard input if "-" or not given.', show_default=False),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", "-t", metavar="TEXT", help="The text to parse, instead of INPUT.")
    ] = None,
    kind: Annotated[
        Input | None,
        typer.Option("--input", help="Raw text, one sentence a line, CoNLL-U or JSON lines; detected if not given."),
    ] = None,
    output: Output = "-",
    to: Annotated[
        Form | None, to_option("by default that of FILE's extension, else CoNLL-U. On a terminal, --text is drawn")
    ] = None,
    threads: Threads = 1,
    method: Decoding = Method.exact,
    max_seconds: MaxSeconds = None,
    projective: Projective = None,
    confidence: HeadConfidence = False,
    comment: Comment = True,
    skip_bad: SkipBad = False,
    as_json: JsonReport = False,
    quiet: Quiet = False,
) -> None:
    from treewright.models import load
    from treewright.pipeline import Pipeline
    from treewright.pipeline.certificate import drop_certificate, set_certificate

    named, sources = model_and_inputs(model, inputs)
    check_text(text, sources)
    form = form_of(to, output, text)
    jobs = jobs_of(sources, output, form)
    parser = load(named or "en")
    options: dict[str, Any] = {"threads": threads, "projective": projective, "method": method.value}
    options |= {} if max_seconds is None else {"max_seconds": max_seconds}
    options |= (
        {"comment": False} if isinstance(parser, Pipeline) else {}
    )  # `finished` writes it, for every kind of model
    summary = Summary()

    def finished(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
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

    with metered([] if text is not None else sources, quiet=quiet, output=output, start=summary.start) as meter:
        for source, target in each_job(jobs):
            given = Given(meter.source(source), source, text, kind, skip_bad)
            with open_sentences(parser, named or "en", given) as reader:
                sentences = meter.track(reader)
                if threads == 1 and text is None and may_wait(source):
                    found: Iterator[Sentence] = (tree for one in sentences for tree in parser.parse([one], **options))
                else:
                    found = parser.parse(sentences, **options)
                write_as(form, finished(found), target, source)
            note_skipped(reader.skipped, reader.errors)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def check_text(text: str | None, sources: Sequence[str]) -> None:
    if text is not None and sources != ["-"]:
        raise typer.BadParameter(f"--text and {sources[0]} exclude each other: one text at a time", param_hint="--text")


class Given(NamedTuple):
    """What is to be parsed: a file under the name of its source, or a text."""

    file: str | BufferedReader
    source: str
    text: str | None
    kind: Input | None
    skip_bad: bool


def open_sentences(parser: Pipeline | Parser | InducedParser, name: str, given: Given) -> Reader[Sentence]:
    """The sentences of the text or file, not parsed yet."""
    from treewright.corpus import open_input
    from treewright.corpus.reader import check_utf8
    from treewright.pipeline import Pipeline, guess_input, read_input

    tokeniser = parser.tokeniser if isinstance(parser, Pipeline) else None
    kind = given.kind
    if given.text is not None:
        check_utf8(given.text, "--text", 1)
        file: Any = BytesIO(given.text.encode())
        found = "text" if kind is None else kind.value
    else:
        file = open_input("-") if given.file == "-" else given.file
        found = kind.value if kind else guess_input(file)
        file = given.source if file is getattr(sys.stdin, "buffer", None) else file  # which messages call <stdin>
    if found in ("text", "lines") and tokeniser is None and kind is None and given.text is None:
        found = "conllu"  # a parser alone reads sentences
    if found in ("text", "lines") and tokeniser is None:
        remedy = "leave the model out, or join it with a tokeniser and a tagger by `treewright pack`"
        raise InputError(f"{name}: a parser alone, which needs sentences with tags; for raw text {remedy}")
    return read_input(file, found, tokeniser, on_error="skip" if given.skip_bad else "raise")


def form_of(to: Form | None, output: str, text: str | None) -> str:
    """The output format: the one given, or that of the output's extension, or a drawing for --text on a terminal."""
    from treewright.pipeline import guess_output
    from treewright.pipeline.writing import BY_EXTENSION

    if to is not None:
        return to.value
    if text is not None and output == "-" and sys.stdout.isatty():
        return "text"
    if is_folder(output):
        return "conllu"
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

"""`treewright parse`: trees for sentences."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.shared import (
    Summary,
    add_comment,
    add_confidence,
    counting,
    note_skipped,
    worth,
    write_sentences,
)

if TYPE_CHECKING:
    from treewright.corpus import Sentence

app = typer.Typer(add_completion=False)

HELP = (
    "Parse the sentences of INPUT with a model that `treewright train` or `treewright induce` made.\n\n"
    "CoNLL-U in, CoNLL-U out: HEAD and DEPREL are set anew, everything else goes through byte for byte, but for a "
    "comment that says what the tree is worth: '# treewright = certified' (no tree has a higher score under the model) "
    "or '# treewright = gap 0.12' (none is better by more). Sentences are parsed as they come and written at once, "
    "so that it works as a filter.\n\n"
    "  treewright parse en.tw tagged.conllu -o parsed.conllu\n\n"
    "  cat tagged.conllu | treewright parse en.tw | treewright show -\n\n"
    "  treewright parse en.tw tagged.conllu --threads 4 --confidence -o parsed.conllu\n\n"
)


class Method(str, Enum):
    exact = "exact"
    dd = "dd"
    climb = "climb"
    rearrange = "rearrange"
    ilp = "ilp"


UNLIMITED = {Method.rearrange}  # these have no clock: they take what they take, which is little


@app.command(help=HELP)
def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that `train` or `induce` wrote.")],
    input: Annotated[
        str, typer.Argument(metavar="INPUT", help='Sentences: CoNLL-U or CoNLL-X; "-" is standard input.')
    ] = "-",
    output: Annotated[str, typer.Option("--output", "-o", help='Where to write; "-" is standard output.')] = "-",
    threads: Annotated[int, typer.Option(min=1, help="How many sentences at a time; the trees are the same.")] = 1,
    method: Annotated[Method, typer.Option(help="How trees are found; see docs/decoding.md.")] = Method.exact,
    max_seconds: Annotated[
        float, typer.Option(min=0.0, help="The limit for one sentence; what is best by then has a gap.")
    ] = 30.0,
    projective: Annotated[
        bool | None,
        typer.Option("--projective/--nonprojective", help="No crossing arcs, or any; as trained if not given."),
    ] = None,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write the probability of every head into MISC: Confidence=0.98.")
    ] = False,
    comment: Annotated[
        bool, typer.Option("--comment/--no-comment", help="Say in a comment what a tree is worth.")
    ] = True,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="The summary as JSON: on standard output if -o is given, else on the error one."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.corpus import read
    from treewright.errors import InputError
    from treewright.models import load

    parser = load(model)
    reader = read(input, on_error="skip" if skip_bad else "raise")
    options: dict[str, Any] = {"threads": threads, "projective": projective, "method": method.value}
    options |= {} if method in UNLIMITED else {"max_seconds": max_seconds}
    summary = Summary()

    def finished(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            summary.count(sentence, sentence.parse.certified)
            if comment:
                add_comment(sentence, worth(sentence.parse))
            if confidence and sentence.confidence is None:
                raise InputError(f"{model}: an induced model has no probabilities of heads; leave out --confidence")
            if confidence:
                add_confidence(sentence, sentence.confidence)
            yield sentence

    with counting(reader, quiet=quiet, output=output) as sentences:
        if threads == 1 and may_wait(input):
            parsed: Iterator[Sentence] = (
                tree for sentence in sentences for tree in parser.parse([sentence], **options)
            )
        else:
            parsed = parser.parse(sentences, **options)
        write_sentences(finished(parsed), output)
    note_skipped(reader.skipped, reader.errors)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def may_wait(input: str) -> bool:
    """Whether who sends the sentences may wait for an answer before sending more: not if they are in a file."""
    return input == "-" and not (sys.stdin.buffer.seekable() and not sys.stdin.isatty())

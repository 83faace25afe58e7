"""`treewright verify`: checks the proofs that `treewright parse --proofs` wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from treewright.cli.inputs import metered
from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app
from treewright.cli.shared import counted
from treewright.errors import InputError, ProofError

if TYPE_CHECKING:
    from treewright.parser import Parser

app = new_app()

HELP = (
    "Check the proofs of parsed sentences.\n\n"
    "`treewright parse --proofs FILE` writes a line for each sentence: what is claimed about its tree, and the proof. "
    "This command scores the sentences of PARSED again with MODEL, and checks with none of the code that found the "
    "trees, in exact arithmetic or with the rounding added to bounds, that each tree has its value and that no tree "
    "of the model is better by more than the gap claimed, over the arcs that pruning left (all arcs, if parsed with "
    "--all-arcs). A tree, a proof or a model that was changed is refused. The proof is about the scores of the model: "
    "the best tree may still be wrong. "
    "docs/proofs.md explains it.\n\n"
    "Exit status: 0 if all proofs hold, 1 if one is refused."
) + examples(
    "treewright parse en letter.txt -o letter.conllu --proofs letter.proofs.jsonl",
    "treewright verify en letter.conllu letter.proofs.jsonl",
)


SENTENCES_AT_ONCE = 64  # the number that shares a chart, treewright.decode.verify.CHART_SENTENCES


class Refused(NamedTuple):
    """A sentence whose proof does not hold."""

    sentence: int
    place: str
    reason: str


@app.command(help=HELP, cls=PlainCommand)
def verify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model that parsed: a file, or en.")],
    parsed: Annotated[str, typer.Argument(metavar="PARSED", help="The parsed sentences, CoNLL-U.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="The proofs that `treewright parse --proofs` wrote.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    from treewright.parser import Parser

    parser = Parser.load(model)
    refused: list[Refused] = []
    certified = sentences = 0
    largest_gap = 0.0
    with metered([parsed], quiet=quiet, output="-") as meter:
        for number, outcome in enumerate(outcomes(parser, meter, parsed, file), start=1):
            sentences = number
            if isinstance(outcome, Refused):
                refused.append(outcome)
                if not as_json:
                    typer.echo(f"{outcome.place}: sentence {outcome.sentence}: {outcome.reason}")
                continue
            claimed, gap = outcome
            certified += claimed
            largest_gap = max(largest_gap, gap)
    report = {
        "sentences": sentences,
        "verified": sentences - len(refused),
        "certified": certified,
        "largest_gap": largest_gap,
        "refused": [one._asdict() for one in refused],
    }
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
    elif not quiet:
        typer.echo(in_words(report), err=True)
    if refused:
        raise typer.Exit(1)


def outcomes(parser: Parser, meter: Any, parsed: str, file: str) -> Iterator[Refused | tuple[bool, float]]:
    """For each sentence whether it was claimed to be certified and the gap that is proved, or why it is refused."""
    from treewright.corpus import read
    from treewright.decode import Verified
    from treewright.parser.proofs import check_records
    from treewright.streams import chunked

    number = 0
    for chunk in chunked(zip_longest(meter.track(read(meter.source(parsed))), lines_of(file)), SENTENCES_AT_ONCE):
        sentences = [sentence for sentence, _ in chunk]
        if None in sentences:
            number += 1 + sentences.index(None)
            raise InputError(f"{file}:{number}: there is no sentence {number} in {parsed}; the files do not match")
        records = [record_of(line, file) for _, line in chunk]
        for sentence, record, found in zip(sentences, records, check_records(parser, sentences, records), strict=True):
            number += 1
            if isinstance(found, Verified) and isinstance(record, dict):
                yield record["certified"] is True, found.gap
            else:
                yield Refused(number, f"{parsed}:{sentence.line}", str(found))


def lines_of(file: str) -> Iterator[bytes]:
    """The lines of a file, compressed or not."""
    from treewright.corpus import open_input

    with open_input(file) as opened:
        yield from opened


def record_of(line: bytes | None, file: str) -> dict[str, Any] | ProofError:
    """The record of one line, or why there is none; line None is one that the file does not have."""
    if line is None:
        return ProofError(f"refused: {file} has no line for it")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    return record if isinstance(record, dict) else ProofError("refused: its line is not a JSON object")


def in_words(report: dict[str, Any]) -> str:
    """The summary of the check."""
    verified = f"{report['verified']} of {counted(report['sentences'], 'proof')} verified"
    return f"treewright: {verified}, {report['certified']} of them certified; largest gap {report['largest_gap']:.3g}"

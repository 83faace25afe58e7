"""`treewright verify`: checks the proofs that `treewright parse --proofs` wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Annotated, Any, NamedTuple

import typer

from treewright.cli import options as opt
from treewright.cli.inputs import open_meter
from treewright.cli.shared import quantity
from treewright.corpus import Sentence, open_input, read
from treewright.errors import InputError, ProofError
from treewright.parser import Parser
from treewright.pipeline.certificate import check_proof

app, command = opt.new_command(
    "verify",
    "`treewright parse --proofs FILE` writes a line for each sentence: what is claimed about its tree, and the proof. "
    "This command scores the sentences of PARSED again with MODEL, and checks in integers, with none of the code that "
    "found the trees, that each tree has its value and that no tree of the model is better by more than the gap "
    "claimed, over the arcs that pruning left (all arcs, if parsed with --all-arcs). The comment `# treewright` of a "
    "sentence must say the same as its proof. A sentence that was parsed in parts has no certificate and no proof, and "
    "is counted. A tree, a proof, a comment or a model that was changed is refused. "
    "The proof is about the scores of the model: the best tree may still be wrong. "
    "docs/proofs.md explains it.\n\n"
    "Exit status: 0 if all proofs hold, 1 if one is refused.",
    "treewright parse en letter.txt -o letter.conllu --proofs letter.proofs.jsonl",
    "treewright verify en letter.conllu letter.proofs.jsonl",
)


class Refused(NamedTuple):
    """A sentence whose proof does not hold."""

    sentence: int
    place: str
    reason: str


@command
def verify(
    model: Annotated[str, opt.argument("MODEL", "The model that parsed: a file, or en.")],
    parsed: Annotated[str, opt.argument("PARSED", "The parsed sentences, CoNLL-U.")],
    file: Annotated[str, opt.argument("FILE", "The proofs that `treewright parse --proofs` wrote.")],
    fast: Annotated[
        bool, opt.option("Use the linear models alone, without the network of the model; as when parsing.", "--fast")
    ] = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    parser = Parser.load(model)
    parser = parser.without_network() if fast else parser
    refused: list[Refused] = []
    certified = sentences = joined = 0
    largest_gap = 0.0
    with open_meter([parsed], quiet=quiet, output="-") as meter:
        for number, outcome in enumerate(outcomes(parser, meter, parsed, file), start=1):
            sentences = number
            if isinstance(outcome, Refused):
                refused.append(outcome)
                if not as_json:
                    typer.echo(f"{outcome.place}: sentence {outcome.sentence}: {outcome.reason}")
                continue
            if outcome is None:
                joined += 1
                continue
            is_certified, gap = outcome
            certified += is_certified
            largest_gap = max(largest_gap, gap)
    report = {
        "sentences": sentences,
        "verified": sentences - len(refused) - joined,
        "joined_from_parts": joined,
        "certified": certified,
        "largest_gap": largest_gap,
        "refused": [sentence._asdict() for sentence in refused],
    }
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
    elif not quiet:
        typer.echo(in_words(report), err=True)
    if refused:
        raise typer.Exit(1)


def outcomes(parser: Parser, meter: Any, parsed: str, file: str) -> Iterator[Refused | tuple[bool, float] | None]:
    """Yield for each sentence the result of `check_line`, or why it is refused."""

    pairs = zip_longest(meter.track(read(meter.source(parsed))), lines_of(file))
    for number, (sentence, line) in enumerate(pairs, start=1):
        if sentence is None:
            raise InputError(f"{file}:{number}: there is no sentence {number} in {parsed}; the files do not match")
        try:
            if line is None:
                raise ProofError(f"refused: {file} has no line for it")
            yield check_line(parser, sentence, line)
        except ProofError as error:
            yield Refused(number, f"{parsed}:{sentence.line}", str(error))


def lines_of(file: str) -> Iterator[bytes]:
    """Yield the lines of a file, compressed or not."""

    with open_input(file) as opened:
        yield from opened


def check_line(parser: Parser, sentence: Sentence, line: bytes) -> tuple[bool, float] | None:
    """Check the proof of a sentence; return whether it is certified, and the gap that is proved; None: joined."""

    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise ProofError("refused: its line is not a JSON object")
    return check_proof(parser, sentence, data)


def in_words(report: dict[str, Any]) -> str:
    """Write the summary of the check."""
    joined = report["joined_from_parts"]
    verified = f"{report['verified']} of {quantity(report['sentences'] - joined, 'proof')} verified"
    parts = f"; {quantity(joined, 'sentence')} parsed in parts, without proof" if joined else ""
    gap = f"largest gap {report['largest_gap']:.3g}"
    return f"treewright: {verified}, {report['certified']} of them certified; {gap}{parts}"

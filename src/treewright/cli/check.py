"""`treewright check`: what is invalid, or almost never occurs, in a treebank."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer

from treewright.checking import RULES, Finding, findings
from treewright.checking.counts import Counts
from treewright.cli import options as opt
from treewright.cli.inputs import open_meter
from treewright.cli.shared import quantity
from treewright.corpus import read

app, command = opt.new_command(
    "check",
    "Each finding is a line with the file and line, the name of the rule, the word and the reason. Level 1 checks the "
    "text of the file, level 2 also cells, trees and enhanced graphs by the rules of Universal Dependencies, level 3 "
    "also analyses that the guidelines exclude (two subjects, a noun with an object, punctuation with dependents or "
    "with crossing arcs, DEPS that contradicts HEAD), level 4 also what never or hardly ever occurs in TRAIN, with the "
    "counts. docs/checking.md lists all rules.\n\n"
    "Exit status: 0 if there are no findings, 1 if there are, so that the command can be a test.",
    "treewright check dev.conllu",
    "treewright check parsed.conllu --against train.conllu",
    "treewright check *.conllu --level 2 --ignore sent-id --ignore text",
    "treewright check dev.conllu --max 0 --json",
)


@command
def check(
    inputs: Annotated[list[str], opt.argument("INPUT", 'CoNLL-U; "-" is standard input.')],
    against: Annotated[
        str | None,
        opt.option("Another treebank, in which what is reported occurs never or hardly ever.", metavar="TRAIN"),
    ] = None,
    level: Annotated[int, opt.number_option("Check the rules up to this level.", max=4)] = 4,
    ignore: Annotated[list[str] | None, opt.option("Leave out this rule; repeat for more.", metavar="RULE")] = None,
    max_findings: Annotated[int | None, opt.max_option("all findings are counted", min=0)] = None,
    as_json: Annotated[bool, opt.json_option("; with all findings that --max leaves")] = False,
    quiet: opt.Quiet = False,
) -> None:
    unknown = [name for name in ignore or () if name not in RULES]
    if unknown:
        raise typer.BadParameter(f"no rule {unknown[0]}; there are {', '.join(RULES)}", param_hint="--ignore")
    counts = None if against is None or level < 4 else Counts.of(read(against))
    count_by_rule: Counter[str] = Counter()
    kept: list[Finding] = []
    with open_meter(inputs, quiet=quiet, output="-") as meter:
        for source in inputs:
            for finding in findings(meter.source(source), against=counts, level=level, ignore=ignore or ()):
                count_by_rule[finding.rule] += 1
                if max_findings is None or count_by_rule.total() <= max_findings:
                    if as_json:
                        kept.append(finding)
                    else:
                        typer.echo(str(finding))
    if as_json:
        listed = [finding.as_dict() for finding in kept]
        report = {"findings": listed, "counts": dict(count_by_rule), "total": count_by_rule.total()}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
    elif not quiet:
        typer.echo(in_words(count_by_rule), err=True)
    if count_by_rule:
        raise typer.Exit(1)


def in_words(count_by_rule: Counter[str]) -> str:
    """Write the number of findings by rule."""
    if not count_by_rule:
        return "treewright: nothing found"
    rules = ", ".join(f"{count} {rule}" for rule, count in count_by_rule.most_common())
    return f"treewright: {quantity(count_by_rule.total(), 'finding')}: {rules}"

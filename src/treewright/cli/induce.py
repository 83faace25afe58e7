"""`treewright induce`: a parser learned from tagged text without trees."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from treewright.cli import options as opt
from treewright.cli.shared import check_output, wide_console
from treewright.cli.training import settings_block, train_and_save
from treewright.corpus import read
from treewright.errors import InputError
from treewright.induce import InducedParser, InductionOptions, preferences, resolve
from treewright.induce.joint import JointOptions

app, command = opt.new_command(
    "induce",
    "Two models are trained alone and then jointly: the DMV (dependency model with valence) gives the probability of a "
    "tree, Convex-MST a regression score for each arc. `treewright parse` reads the model file. An interrupted "
    "training continues with --resume and ends with the same file.",
    "treewright induce tagged.conllu -o model.tw",
    "treewright induce tagged.conllu --algorithm lc-dmv --explain",
    "treewright induce tagged.conllu --rules my-rules.toml -o model.tw",
)
Algorithm = Literal["best", "joint", "dmv", "lc-dmv", "convex-mst"]


@command
def induce(
    train: Annotated[str, opt.argument("TRAIN", 'Sentences with UPOS: CoNLL-U; "-" is standard input.')],
    output: Annotated[Path | None, opt.output_option("the model file.", "MODEL")] = None,
    algorithm: Annotated[
        Algorithm,
        opt.option(
            "Joint training of both models (joint: as published; best: more rules, and both models parse), or one "
            "model alone."
        ),
    ] = "joint",
    rules: Annotated[
        str,
        opt.option(
            "Pairs of head tag and modifier tag that Convex-MST prefers: ud, content, or a TOML "
            "file. The default is ud, for best content.",
            metavar="RULES",
        ),
    ] = "",
    max_length: Annotated[int, opt.number_option("Leave out longer sentences (punctuation not counted).")] = 15,
    start: Annotated[
        str,
        opt.option(
            "Initial parameters of EM: klein-manning or uniform. The default is klein-manning, for best uniform.",
            metavar="NAME",
        ),
    ] = "",
    iterations: Annotated[int, opt.number_option("Maximum number of iterations of EM.")] = 20,
    rounds: Annotated[int, opt.number_option("Number of rounds; at most so many of joint training.")] = 3,
    weight: Annotated[
        float | None,
        opt.option("Weight of Convex-MST's scores beside log probabilities; balanced by default.", metavar="WEIGHT"),
    ] = None,
    explain: Annotated[bool, opt.option("Print the most probable roots, attachments and stops.", "--explain")] = False,
    as_json: Annotated[bool, opt.json_option("; what --explain prints")] = False,
    resume: opt.Resume = False,
    quiet: opt.Quiet = False,
    skip_bad: opt.SkipBad = False,
) -> None:
    if output is None and not (explain or as_json):
        raise InputError("the model has no use: give -o MODEL to save it, or --explain to print its parameters")
    if output is not None:
        check_output(output)
    joint = JointOptions(rounds=rounds, weight="balanced" if weight is None else weight)
    settings = resolve(InductionOptions(algorithm, max_length, rules, start, iterations, joint=joint))
    if not quiet:
        typer.echo(settings_block(asdict(settings)), err=True)
    sentences = list(read(train, on_error="skip" if skip_bad else "raise"))
    parser = train_and_save(
        *(output, [], quiet),
        lambda run: InducedParser.train(
            sentences, options=settings, report=run.report, checkpoint=run.checkpoint, resume=resume
        ),
    ).model
    if as_json:
        typer.echo(json.dumps(preferences(parser), ensure_ascii=False))
    elif explain:
        show_preferences(parser)


def show_preferences(parser: InducedParser) -> None:
    from rich.table import Table

    learned = preferences(parser)
    console = wide_console()
    roots = Table("root", "probability", title="Roots of sentences")
    for row in learned["roots"][:8]:
        roots.add_row(row["tag"], f"{row['probability']:.3f}")
    console.print(roots)
    table = Table("head", "side", "stops at once", "stops later", "modifiers", title="Modifiers of heads")
    for attachment, stop in zip(learned["attachments"], learned["stops"], strict=True):
        takes_none = stop["at once"] > 0.995
        modifiers = "  ".join(f"{tag} {share:.2f}" for tag, share in attachment["modifiers"] if share >= 0.01)
        table.add_row(
            attachment["head"] if attachment["side"] == "left" else "",
            attachment["side"],
            f"{stop['at once']:.2f}",
            "" if takes_none else f"{stop['after a modifier']:.2f}",
            "" if takes_none else modifiers,
            end_section=attachment["side"] == "right",
        )
    console.print(table)

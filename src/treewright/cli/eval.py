"""`treewright eval`: how well a system's trees agree with the gold ones, or which of two systems is better."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treewright import evaluate
from treewright.cli import options as opt
from treewright.cli.inputs import is_stream, show_share
from treewright.cli.shared import wide_console
from treewright.corpus import format_of
from treewright.evaluate import BracketEvaluation, Comparison, Evaluation, Reliability

if TYPE_CHECKING:
    from rich.table import Table


app, command = opt.new_command(
    "eval",
    "Prints the scores of the Universal Dependencies evaluation, identical to those of the official script. "
    "Tokens, sentences and words are aligned first: the files need to have the same characters only. "
    "LAS+ counts relations with their subtypes, Roots the words attached to the root, "
    "UEM and LEM the sentences without a wrong head, and without a wrong head or relation. "
    "With SYSTEM2, the paired bootstrap tests whether the two systems differ significantly. "
    "Files in Penn brackets are scored as EVALB does.\n\n"
    "--calibration shows how far the confidence that `treewright parse --confidence` wrote can be trusted: words in "
    "bins by their confidence, and the share of right ones in each; the expected calibration error (ECE, the mean "
    "difference of both, in points); AUC, the probability that a right one has a higher confidence than a wrong one; "
    "and how many of the wrong ones are among the tenth with the lowest confidence.",
    "treewright eval dev.conllu parsed.conllu",
    "treewright eval dev.conllu parsed.conllu --by relation",
    "treewright eval dev.conllu first.conllu second.conllu",
    "treewright eval dev.conllu parsed.conllu --calibration",
    "treewright eval gold.mrg parsed.mrg --json",
)
Breakdown = Literal["relation", "arc-length", "sentence-length", "projectivity", "label"]
SECTIONS = (
    ("Tokens", "Sentences", "Words"),
    ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    ("UAS", "LAS", "LAS+", "CLAS", "MLAS", "BLEX"),
    ("ELAS", "EULAS", "Edges", "Extra"),
    ("Roots", "UEM", "LEM"),
)
GRAPHS = ("ELAS", "EULAS", "Edges", "Extra")  # shown if one of the files has graphs


@command
def eval(
    gold: Annotated[str, opt.argument("GOLD", "Gold file: CoNLL-U, CoNLL-X or Penn brackets, compressed or not.")],
    system: Annotated[str, opt.argument("SYSTEM", 'File to evaluate; "-" is standard input.')],
    system2: Annotated[str | None, opt.argument("SYSTEM2", "Another system's output, to compare with.")] = None,
    by: Annotated[
        Breakdown | None,
        opt.option("By what; the scores are broken down: label for brackets, the others for dependencies."),
    ] = None,
    punct: Annotated[
        bool,
        opt.option("Count punctuation in UAS, LAS, LAS+, UEM, LEM and the breakdown, or do not.", "--punct/--no-punct"),
    ] = True,
    skip_bad: Annotated[bool, opt.skip_bad_option("; in one file, of all files")] = False,
    calibration: Annotated[
        bool, opt.option("Compare the confidence in SYSTEM's MISC with what is right.", "--calibration")
    ] = False,
    samples: Annotated[int, opt.number_option("Number of draws of the bootstrap.")] = 10_000,
    seed: Annotated[int, opt.seed_option("of the bootstrap's draws")] = 0,
    as_json: Annotated[bool, opt.json_option("; with all counts")] = False,
) -> None:
    if calibration:
        refuse(system2 is not None, "SYSTEM2", "the confidence of one system is shown at a time")
        for option, is_given in (("--by", by is not None), ("GOLD", is_brackets(gold))):
            refuse(is_given, option, "confidence is that of heads, labels and tags, over all words")
        show_calibration(gold, system, as_json)
        return
    caption = ""
    result: BracketEvaluation | Comparison | Evaluation
    if is_brackets(gold):
        refuse(system2 is not None, "SYSTEM2", "the brackets of one system are scored at a time")
        refuse(by not in (None, "label"), "--by", "brackets can be broken down by label")
        result = evaluate.brackets(gold, system, skip_bad=skip_bad)
        tables = [bracket_table(result), *([label_table(result)] if by else [])]
    elif system2 is not None:
        refuse(by is not None, "--by", "one system is broken down at a time")
        with show_share() as progress:
            result = evaluate.compare(
                *(gold, system, system2), samples=samples, seed=seed, punct=punct, skip_bad=skip_bad, progress=progress
            )
        tables = [comparison_table(result)]
        caption = f"A is {system}, B is {system2}; paired bootstrap over sentences, {samples} draws"
    else:
        refuse(by == "label", "--by", "labels are for brackets; dependencies have relations")
        with show_share() as progress:
            result = evaluate.evaluate(*(gold, system), by=by, punct=punct, skip_bad=skip_bad, progress=progress)
        tables = [score_table(result), *([group_table(result)] if by else [])]
    if as_json:
        typer.echo(json.dumps(result.as_dict(), indent=2, ensure_ascii=False))
        return
    for table in tables:
        show(table)
    if caption:
        typer.echo(caption)
    for note in result.notes:
        typer.echo(f"treewright: {note}", err=True)


KINDS = {"heads": "heads", "labels": "labels, where the head is right", "arcs": "heads with labels", "tags": "tags"}


def show_calibration(gold: str, system: str, as_json: bool) -> None:
    """Print the reliability of a system's confidence."""

    by_kind = evaluate.calibration(gold, system)
    if as_json:
        typer.echo(json.dumps({kind: reliability.as_dict() for kind, reliability in by_kind.items()}, indent=2))
    else:
        show(reliability_table(by_kind))
        for kind, reliability in by_kind.items():
            show(bin_table(KINDS[kind], reliability))


def reliability_table(by_kind: dict[str, Reliability]) -> Table:
    table = new_table("confidence of", "words", "right %", "ECE", "AUC", "wrong ones in the most doubtful tenth, %")
    for kind, result in by_kind.items():
        figures = (percent(result.accuracy), percent(result.ece), decimals(result.auc, 4), percent(result.found_wrong))
        table.add_row(KINDS[kind], str(result.count), *figures)
    return table


def bin_table(name: str, reliability: Reliability) -> Table:
    table = new_table(name, "words", "confidence %", "right %")
    for group in reliability.bins:
        edges = f"{group.low:.0%} to {group.high:.0%}"
        table.add_row(edges, str(group.count), percent(group.confidence), percent(group.accuracy))
    return table


def decimals(figure: float | None, digits: int) -> str:
    return "" if figure is None else f"{figure:.{digits}f}"


def refuse(condition: bool, option: str, message: str) -> None:
    if condition:
        raise typer.BadParameter(message, param_hint=option)


def is_brackets(path: str) -> bool:
    return not is_stream(path) and format_of(path) == "brackets"


def show(table: Table) -> None:
    wide_console().print(table)


def new_table(*columns: str) -> Table:
    """Make a table whose first column holds names, the others numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f}"


def score_table(result: Evaluation) -> Table:
    table = new_table("score", "precision", "recall", "F1", "of aligned", "right", "gold", "system")
    for section in SECTIONS:
        names = [name for name in section if name not in GRAPHS or result[name].gold + result[name].system]
        for name in names:
            score = result[name]
            table.add_row(
                name,
                *map(percent, (score.precision, score.recall, score.f1, score.accuracy)),
                *map(str, (score.correct, score.gold, score.system)),
                end_section=name == names[-1],
            )
    return table


def group_table(result: Evaluation) -> Table:
    table = new_table(str(result.by), "UAS", "LAS", "LAS P", "LAS F1", "gold", "system")
    for group in result.groups:
        of_gold = (group.uas, group.las) if group.gold else (None, None)
        of_both = (group.precision if group.system else None, group.f1 if group.gold and group.system else None)
        table.add_row(group.key, *map(percent, of_gold + of_both), str(group.gold), str(group.system))
    return table


def comparison_table(result: Comparison) -> Table:
    table = new_table("F1", "A", "B", "B - A", "95 % interval", "p")
    for name, row in result.differences.items():
        interval = f"{100 * row.low:+.2f} to {100 * row.high:+.2f}"
        figures = (percent(row.a.f1), percent(row.b.f1), f"{100 * row.difference:+.2f}", interval)
        table.add_row(name, *figures, f"{row.p_value:.4f}")
    return table


def bracket_table(result: BracketEvaluation) -> Table:
    table = new_table("", "all", f"at most {result.cutoff} words")
    columns = (result.all, result.short)
    table.add_row("sentences", *(str(scores.sentences) for scores in columns))
    for name in ("precision", "recall", "f1"):
        heading = "bracketing " + name.replace("f1", "F1")
        table.add_row(heading, *(percent(getattr(scores.brackets, name)) for scores in columns))
    table.add_row("complete match", *(percent(scores.complete_match) for scores in columns))
    table.add_row("average crossing", *(f"{scores.average_crossing:.2f}" for scores in columns))
    table.add_row("no crossing", *(percent(scores.no_crossing) for scores in columns))
    table.add_row("two or less crossing", *(percent(scores.two_or_less_crossing) for scores in columns))
    table.add_row("tagging accuracy", *(percent(scores.tagging_accuracy) for scores in columns))
    return table


def label_table(result: BracketEvaluation) -> Table:
    table = new_table("label", "precision", "recall", "F1", "right", "gold", "system")
    for label, score in result.labels.items():
        counts = map(str, (score.correct, score.gold, score.system))
        precision, recall = score.precision if score.system else None, score.recall if score.gold else None
        table.add_row(label, *map(percent, (precision, recall, score.f1)), *counts)
    return table

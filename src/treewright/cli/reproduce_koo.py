"""`treewright reproduce koo2010`: head automata."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from treewright.cli.options import (
    Json,
    Quiet,
    examples,
    new_app,
    output_option,
    seconds_option,
    seed_option,
    with_old_spellings,
)
from treewright.cli.reproduce_options import (
    MaxSentences,
    Treebank,
    Treebanks,
    data_argument,
    echo_json,
    names_of,
    progress,
    steps,
    with_option_groups,
)
from treewright.cli.tables import show_lines

if TYPE_CHECKING:
    from treewright.reproduce.koo2010 import Row
    from treewright.reproduce.koo2010_parsers import Row1

T = TypeVar("T")
TABLE2_HELP = (
    "How often are relaxations exact when scores are random (Table 2, last column)?\n\n"
    "Linear programs with single (S) and multi-commodity (M) flow, the integer program, dual decomposition as "
    "published and the exact search, all on the same random sentences, for models with siblings (Sib) and with "
    "grandparents and siblings (G+S). The encoding of each program is printed; the paper does not name its own."
) + examples(
    "treewright reproduce koo2010 table2 --instances 20",
    "treewright reproduce koo2010 table2 --scores uniform --seed 7 --json",
)


TABLE1_HELP = (
    "What do siblings and grandparents gain, and how often does dual decomposition certify its trees (Table 1)?\n\n"
    "The models arc, sib and grand are trained on each treebank under DATA and decode its test set, crossing arcs "
    "allowed: by dual decomposition with 5,000 iterations, as published and tightened, and exactly. Times are CPU "
    "seconds each."
) + examples(
    "treewright reproduce koo2010 table1 data --treebanks ud/Hungarian-Szeged",
)
TABLE3_HELP = (
    "What does it cost to forbid crossing arcs (Table 3)?\n\n"
    "Sibling and grandparent models are trained and decoded with crossing arcs and without (P-), and scored on the "
    "development set."
) + examples(
    "treewright reproduce koo2010 table3 data --treebanks ud/Gothic-PROIEL",
)
FIGURES_HELP = (
    "How much work is an iteration, and what does a limit on them cost (Figures 3 and 4)?\n\n"
    "The sibling and the grandparent model are trained on a treebank under DATA and decode its development set by dual "
    "decomposition; the pictures are drawn as SVG (pip install 'treewright[plots]')."
) + examples(
    "treewright reproduce koo2010 figures data -o pictures",
)
DataFolder = Annotated[Path, data_argument(", such as ud/English-EWT")]
OldSpellings = with_old_spellings({"--sentences": ("--max-sentences",)})
koo2010 = new_app("Koo, Rush, Collins, Jaakkola & Sontag (2010): head automata.")


class Draw(str, Enum):
    normal = "normal"
    uniform = "uniform"


@koo2010.command(help=TABLE2_HELP, cls=with_old_spellings({"--words": ("--length",)}))
def table2(
    instances: Annotated[int, typer.Option(min=1, metavar="N", help="Random sentences for each model.")] = 100,
    length: Annotated[int, typer.Option(min=1, metavar="N", help="Number of words of a sentence.")] = 10,
    scores: Annotated[Draw, typer.Option(help="How the scores of transitions are drawn.")] = Draw.normal,
    seed: Annotated[int, seed_option("of the scores")] = 0,
    max_seconds: Annotated[float, seconds_option("of the integer program, 60 if not given")] = 60.0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.koo2010 import table2 as run

    with progress("random sentences, every method", quiet) as report:
        rows = run(
            instances=instances, words=length, scores=scores.value, seed=seed, max_seconds=max_seconds, report=report
        )
    if as_json:
        settings = {"instances": instances, "words": length, "scores": scores.value, "seed": seed}
        typer.echo(json.dumps({**settings, "rows": [asdict(row) for row in rows]}, indent=2))
        return
    show(rows)
    typer.echo(f"{instances} sentences of {length} words a model, {scores.value} scores, seed {seed}; root: multi.")
    typer.echo("exact: integral (LP), solved (ILP), certified; agree: of which z = y; best: trees of the best value.")
    typer.echo("The paper's exact is for random sentences of 10 words, its seconds are for a treebank and Gurobi.")


@dataclass(frozen=True)
class Options:
    """The options of Tables 1 and 3."""

    data: DataFolder
    treebanks: Treebanks = None
    sentences: MaxSentences = None
    quiet: Quiet = False
    as_json: Json = False

    def rows(self, table: Callable[..., Iterator[T]], names: Iterable[str], report: Callable[..., None]) -> Iterator[T]:
        """The rows of a table, one for each treebank; `names` are the treebanks if none are given."""
        return table(self.data, names_of(self.treebanks, names), sentences=self.sentences, report=report)


@koo2010.command(help=TABLE1_HELP, cls=OldSpellings)
@with_option_groups
def table1(options: Options) -> None:
    from treewright.reproduce.koo2010_parsers import TREEBANKS
    from treewright.reproduce.koo2010_parsers import table1 as run

    rows = []
    with steps(options.quiet) as report:
        for row in options.rows(run, TREEBANKS, report):
            rows.append(row)
            if options.as_json:
                typer.echo(json.dumps(asdict(row)))
    if options.as_json:
        return
    lines = [line for row in rows for line in table1_lines(row)]
    if len(rows) > 1:
        means = [sum(row.exact[model].uas for row in rows) / len(rows) for model in ("arc", "sib", "grand")]
        lines.append(["average", "exact", *(f"{mean:.2f}" for mean in means), *[""] * 4])
    show_lines(("treebank", "decoder", "arc", "sib", "grand", "cert S", "cert G", "s S", "s G"), lines)
    typer.echo(
        "arc, sib, grand: UAS in per cent; S: sib, G: grand; cert: per cent certified, s: seconds of CPU a sentence. "
        "dd: dual decomposition as published."
    )
    typer.echo("The paper's treebanks are those of CoNLL-X, its times those of 2010: compare the gaps, not the levels.")


def table1_lines(row: Row1) -> list[list[str]]:
    """A line for each decoder, and one for the paper's figures."""
    lines = []
    for decoder, by_model in (("exact", row.exact), ("dd", row.dual), ("dd, tightened", row.tightened)):
        cells = [f"{by_model[model].uas:.2f}" if model in by_model else "" for model in ("arc", "sib", "grand")]
        cells += [f"{by_model[model].certified:.2f}" for model in ("sib", "grand")]
        cells += [f"{by_model[model].seconds:.4f}" for model in ("sib", "grand")]
        lines.append([row.treebank if decoder == "exact" else "", decoder, *cells])
    if row.published:
        lines.append(["", "the paper's", *(f"{figure:g}" for figure in row.published)])
    return lines


@koo2010.command(help=TABLE3_HELP, cls=OldSpellings)
@with_option_groups
def table3(options: Options) -> None:
    from treewright.reproduce.koo2010_parsers import PROJECTIVE, TABLE3
    from treewright.reproduce.koo2010_parsers import table3 as run

    with steps(options.quiet) as report:
        rows = list(options.rows(run, PROJECTIVE, report))
    if options.as_json:
        echo_json(rows)
        return
    lines = [[row.treebank, *(f"{uas:.2f}" for uas in row.uas.values())] for row in rows]
    lines += [[f"  the paper's {name}", *(f"{uas:.2f}" for uas in figures)] for name, figures in TABLE3.items()]
    show_lines(("treebank", "sib", "P-sib", "grand", "P-grand"), lines)


@koo2010.command(help=FIGURES_HELP, cls=OldSpellings)
def figures(
    data: DataFolder,
    output: Annotated[Path, output_option("the folder for figure3.svg and figure4.svg.", "FOLDER")],
    treebank: Treebank = "ud/English-EWT",
    sentences: MaxSentences = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.koo2010_figures import draw
    from treewright.reproduce.koo2010_parsers import figures as run
    from treewright.reproduce.plots import ensure_matplotlib

    ensure_matplotlib()
    with steps(quiet) as report:
        curves = run(data, treebank, sentences=sentences, report=report)
    draw(curves, output)
    recomputed = {model: [float(share) for share in column] for model, column in curves.recomputed.items()}
    if as_json:
        limited = {name: getattr(curves, name).tolist() for name in ("iterations", "uas", "certified", "matches")}
        typer.echo(json.dumps({**limited, "recomputed": recomputed}))
        return
    rows = zip(
        curves.iterations.tolist(), *(c.tolist() for c in (curves.uas, curves.certified, curves.matches)), strict=True
    )
    show_lines(
        ("limit on iterations", "UAS", "certified %", "as without limit %", "sib: recomputed %", "grand: recomputed %"),
        [
            [str(limit), *(f"{figure:.2f}" for figure in row), *(share_at(recomputed[m], limit) for m in recomputed)]
            for limit, *row in rows
        ],
    )


def share_at(recomputed: list[float], iteration: int) -> str:
    """Per cent of automata recomputed at an iteration by the sentences that reach it; empty if none does."""
    return f"{100 * recomputed[iteration - 1]:.1f}" if iteration <= len(recomputed) else ""


def show(rows: list[Row]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    names = ("model", "method", "encoding", "exact %", "agree %", "best %", "CPU s", "paper: exact %", "seconds")
    for number, name in enumerate(names):
        table.add_column(name, justify="left" if number < 3 else "right", no_wrap=True)
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        table.add_row(
            row.model,
            row.method,
            row.encoding,
            *(f"{share:.1f}" if share is not None else "" for share in (row.exact, row.agreed, row.best)),
            f"{row.seconds:.4f}",
            "" if row.published_exact is None else f"{row.published_exact:.1f}",
            "" if row.published_seconds is None else f"{row.published_seconds:.2f}",
            end_section=following is not None and following.model != row.model,
        )
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)

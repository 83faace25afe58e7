"""`treewright reproduce PAPER TABLE`: runs an experiment of a paper and prints the published figures beside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.options import (
    Json,
    Learner,
    LearnerOption,
    PlainCommand,
    Quiet,
    examples,
    head_rules_option,
    new_app,
    output_option,
    seconds_option,
    seed_option,
    with_old_spellings,
)
from treewright.cli.reproduce_huang import huang2010
from treewright.cli.tables import show_lines, stage_printer

if TYPE_CHECKING:
    from treewright.learn import Report
    from treewright.reproduce.koo2010 import Row
    from treewright.reproduce.koo2010_parsers import Row1
    from treewright.reproduce.mcdonald2006 import TreeRow
    from treewright.reproduce.rush2010 import Outcome

HELP = ("Run an experiment of a paper and print its published figures beside.") + examples(
    "treewright reproduce koo2010 table2",
    "treewright reproduce jiang2017 table1 data/ud-1.4",
)
app = new_app(HELP)
koo2010 = new_app("Koo, Rush, Collins, Jaakkola & Sontag (2010): head automata.")
app.add_typer(koo2010, name="koo2010")
jiang2017 = new_app("Jiang, Han & Tu (2017): parsing with no treebank.")
app.add_typer(jiang2017, name="jiang2017")

mcdonald2006 = new_app("McDonald & Pereira (2006): second-order trees, and graphs with several heads a word.")
app.add_typer(mcdonald2006, name="mcdonald2006")

rush2010 = new_app("Rush, Sontag, Collins & Jaakkola (2010): dual decomposition for grammars.")
app.add_typer(rush2010, name="rush2010")
app.add_typer(huang2010, name="huang2010")

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
JIANG_HELP = (
    "How accurate are six systems that are trained on tags without trees (Table 1)?\n\n"
    "DATA has a folder for each treebank of UD 1.4. Trained on sentences of at most 15 words, tested on at most 40; "
    "directed accuracy without punctuation. The paper's figures are in brackets."
) + examples(
    "treewright reproduce jiang2017 table1 data/ud-1.4 --treebanks English,Gothic",
)
JIANG_TABLE2_HELP = (
    "Does Convex-MST learn from the DMV to prefer short arcs (Table 2)?\n\n"
    "The mean length of the arcs of its parses of the test sentences (at most 40 words, and 15), trained alone (M) and "
    "together (M-J), beside the gold trees'; the root's arc is not counted."
) + examples(
    "treewright reproduce jiang2017 table2 data/ud-1.4",
)
JIANG_FIGURE1_HELP = (
    "Does the DMV learn rules from Convex-MST (Figure 1)?\n\n"
    "How many arcs in a hundred of its parses of the test sentences follow each rule, trained alone (D) and together "
    "(D-J), beside the gold trees'; -o draws it."
) + examples(
    "treewright reproduce jiang2017 figure1 data/ud-1.4 -o rules.svg",
)


RUSH_DATA = "DATA is a folder with treebanks in Penn brackets (train.mrg, dev.mrg, test.mrg), such as trees/CRAFT. "
RUSH_TABLE1_HELP = (
    "After how many iterations does a grammar agree with another model (Table 1)?\n\n" + RUSH_DATA + "Per cent of the "
    "sentences that are certified at each iteration; the certificate is about the trees within the beam of model 1, or "
    "with tags that the tagger considers."
) + examples(
    "treewright reproduce rush2010 table1 data --test-sentences 200",
    "treewright reproduce rush2010 table1 data --with tags --joint-model tags.tw",
)
RUSH_TABLE2_HELP = (
    "What does agreement with a dependency parser gain (Table 2)?\n\n"
    + RUSH_DATA
    + "Collins' model 1 alone, restricted to the "
    "arcs of the dependency parser, and jointly with it; p is that of the difference to the row above. The line of "
    "Table 1 for the same sentences follows."
) + examples(
    "treewright reproduce rush2010 table2 data --test-sentences 200",
    "treewright reproduce rush2010 table2 data --joint-model joint.tw",
    "treewright reproduce rush2010 table2 data --head-rules general",
)
RUSH_TABLE3_HELP = (
    "What does agreement with a tagger gain (Table 3)?\n\n"
    + RUSH_DATA
    + "Collins' model 1 with the tags of a trigram tagger, and jointly with it; p is that of the difference to the "
    "row above. The line of Table 1 for the same sentences follows."
) + examples(
    "treewright reproduce rush2010 table3 data --test-sentences 200",
    "treewright reproduce rush2010 table3 data --joint-model tags.tw",
)
RUSH_FIGURE5_HELP = (
    "What does a limit on the iterations cost (Figure 5)?\n\n"
    + RUSH_DATA
    + "F1, certified sentences and trees as with 50 "
    "iterations, by the limit."
) + examples("treewright reproduce rush2010 figure5 data --joint-model joint.tw")


MCDONALD_TABLE1_HELP = (
    "What does the second order gain in projective trees (Table 1)?\n\n"
    "A first-order and a second-order parser are trained on a treebank under DATA. Heads and complete trees of its "
    "test set, without punctuation, in per cent; the paper's figures are those of the Wall Street Journal."
) + examples("treewright reproduce mcdonald2006 table1 data --max-sentences 4000")
MCDONALD_TABLE2_HELP = (
    "What do crossing arcs gain, and what does the approximate search for them cost (Table 2)?\n\n"
    "Parsers of both orders with projective trees and with any; second-order trees by rearranging, as published, and "
    "exactly. The paper's figures are those of Czech."
) + examples("treewright reproduce mcdonald2006 table2 data")
MCDONALD_TABLE3_HELP = (
    "What do several heads a word gain (Table 3)?\n\n"
    "Precision, recall and F1 of all edges of the Danish graphs (DEPS), for trees and for a graph parser on top of "
    "them; extra P and R are those of the edges outside the tree."
) + examples("treewright reproduce mcdonald2006 table3 data")


SENTENCES = Annotated[
    int | None,
    typer.Option("--max-sentences", min=1, metavar="N", help="Train on the first N sentences of each treebank."),
]
TREEBANKS = Annotated[
    str | None, typer.Option("--treebanks", metavar="NAMES", help="Folders under DATA, separated by commas.")
]
TREEBANK = Annotated[str, typer.Option("--treebank", metavar="NAME", help="A folder under DATA.")]


OLD_SPELLINGS = {"--sentences": ("--max-sentences",)}


TREEBANK_FOLDER = Annotated[
    Path, typer.Argument(metavar="DATA", help="A folder with treebanks, such as graphs/Danish-DDT.")
]


class Draw(str, Enum):
    normal = "normal"
    uniform = "uniform"


@koo2010.callback()
def papers_tables() -> None:
    """A callback makes the name of the table part of the command even if a paper has one table only."""


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


@koo2010.command(help=TABLE1_HELP, cls=with_old_spellings(OLD_SPELLINGS))
def table1(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks, such as ud/English-EWT.")],
    treebanks: TREEBANKS = None,
    sentences: SENTENCES = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.koo2010_parsers import TREEBANKS
    from treewright.reproduce.koo2010_parsers import table1 as run

    rows = []
    with steps(quiet) as report:
        for row in run(data, names_of(treebanks, TREEBANKS), sentences=sentences, report=report):
            rows.append(row)
            if as_json:
                typer.echo(json.dumps(asdict(row)))
    if as_json:
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


@koo2010.command(help=TABLE3_HELP, cls=with_old_spellings(OLD_SPELLINGS))
def table3(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks, such as ud/English-EWT.")],
    treebanks: TREEBANKS = None,
    sentences: SENTENCES = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.koo2010_parsers import PROJECTIVE, TABLE3
    from treewright.reproduce.koo2010_parsers import table3 as run

    with steps(quiet) as report:
        rows = list(run(data, names_of(treebanks, PROJECTIVE), sentences=sentences, report=report))
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows]))
        return
    lines = [[row.treebank, *(f"{uas:.2f}" for uas in row.uas.values())] for row in rows]
    lines += [[f"  the paper's {name}", *(f"{uas:.2f}" for uas in figures)] for name, figures in TABLE3.items()]
    show_lines(("treebank", "sib", "P-sib", "grand", "P-grand"), lines)


@koo2010.command(help=FIGURES_HELP, cls=with_old_spellings(OLD_SPELLINGS))
def figures(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks, such as ud/English-EWT.")],
    output: Annotated[Path, output_option("the folder for figure3.svg and figure4.svg.", "FOLDER")],
    treebank: TREEBANK = "ud/English-EWT",
    sentences: SENTENCES = None,
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


@jiang2017.callback()
def papers_tables_too() -> None:
    """A callback makes the name of the table part of the command even if a paper has one table only."""


@jiang2017.command("table1", help=JIANG_HELP, cls=PlainCommand)
def jiang_table1(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks of UD 1.4, such as English.")],
    treebanks: TREEBANKS = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.jiang2017 import PUBLISHED, SYSTEMS, WHAT, average
    from treewright.reproduce.jiang2017 import table1 as run

    show_stage = stage_printer(quiet)
    rows = []
    for row in run(data, names_of(treebanks, PUBLISHED), report=lambda name, done: show_stage(f"{name}: {done.stage}")):
        rows.append(row)
        if as_json:
            typer.echo(json.dumps(asdict(row)))
    if as_json:
        return
    lines = []
    for row in [*rows, average(rows)] if len(rows) > 1 else rows:
        beside = {system: f" ({row.published[system]:.1f})" if system in row.published else "" for system in SYSTEMS}
        lines.append([row.treebank, *(f"{row.at_most_40[system]:.1f}{beside[system]}" for system in SYSTEMS)])
        lines.append(["  at most 15 words", *(f"{row.at_most_15[system]:.1f}" for system in SYSTEMS)])
    show_lines(("treebank", *SYSTEMS), lines)
    typer.echo("; ".join(f"{system}: {what}" for system, what in WHAT.items()) + ".")


@jiang2017.command("table2", help=JIANG_TABLE2_HELP, cls=PlainCommand)
def jiang_table2(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks of UD 1.4, such as English.")],
    treebank: TREEBANK = "English",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.jiang2017_trees import table2 as run

    show_stage = stage_printer(quiet)
    rows = run(data, treebank, report=lambda done: show_stage(f"{treebank}: {done.stage}"))
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows]))
        return
    lines = [[row.system, f"{row.at_most_40:.3f}", f"{row.at_most_15:.3f}"] for row in rows]
    show_lines(("mean length of arcs", "at most 40 words", "at most 15"), lines)


@jiang2017.command("figure1", help=JIANG_FIGURE1_HELP, cls=PlainCommand)
def jiang_figure1(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks of UD 1.4, such as English.")],
    treebank: TREEBANK = "English",
    output: Annotated[Path | None, output_option("an SVG file with the figure.")] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.jiang2017_trees import draw_shares
    from treewright.reproduce.jiang2017_trees import figure1 as run
    from treewright.reproduce.plots import ensure_matplotlib

    if output is not None:
        ensure_matplotlib()
    show_stage = stage_printer(quiet)
    rows = run(data, treebank, report=lambda done: show_stage(f"{treebank}: {done.stage}"))
    if output is not None:
        draw_shares(rows, output)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows]))
        return
    systems = list(rows[0].percent)
    lines = [[f"{row.head} -> {row.modifier}", *(f"{row.percent[system]:.2f}" for system in systems)] for row in rows]
    lines.append(["all rules", *(f"{sum(row.percent[system] for row in rows):.2f}" for system in systems)])
    show_lines(("% of all arcs", *systems), lines)


RUSH_FOLDER = Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks, such as trees/CRAFT.")]
RUSH_MODEL = Annotated[
    str | None, typer.Option("--joint-model", metavar="FILE", help="A model of `treewright joint train`; no training.")
]
RUSH_COUNT = Annotated[
    int | None, typer.Option("--test-sentences", min=1, metavar="N", help="Parse the first N sentences only.")
]


class RushPart(str, Enum):
    dev = "dev"
    test = "test"


class RushOther(str, Enum):
    dependencies = "dependencies"
    tags = "tags"


RUSH_PART = Annotated[RushPart, typer.Option("--part", help="What is parsed.")]
RUSH_OTHER = Annotated[RushOther, typer.Option("--with", help="The model that the grammar agrees with.")]
RUSH_RULES = Annotated[str, head_rules_option("for model 1 and its dependencies")]


@dataclass(frozen=True)
class RushRun:
    """What the commands of rush2010 are given."""

    data: Path
    treebank: str
    model: str | None
    sentences: int | None
    count: int | None
    part: RushPart
    quiet: bool

    def with_dependencies(self, head_rules: str, limits: Sequence[int] = ()) -> list[Outcome]:
        """What model 1 and a dependency parser do, trained or loaded, also under limits of iterations."""
        from treewright.joint import GrammarWithDependencies
        from treewright.reproduce import rush2010

        trees = rush2010.first_trees(self.data, self.treebank, self.part.value, self.count)
        if self.model is None:
            model = rush2010.dependency_model(self.data, self.treebank, self.sentences, head_rules, self._on_report())
        else:
            model = GrammarWithDependencies.load(self.model)
        outcome = partial(rush2010.dependency_outcome, limits=limits)
        with progress("sentences", self.quiet) as report:
            return rush2010.outcomes(model, trees, outcome, report)

    def with_tags(self, head_rules: str) -> list[Outcome]:
        """What a grammar and a tagger do, trained or loaded."""
        from treewright.joint import GrammarWithTagger
        from treewright.reproduce import rush2010

        trees = rush2010.first_trees(self.data, self.treebank, self.part.value, self.count)
        if self.model is None:
            model = rush2010.tag_model(self.data, self.treebank, self.sentences, head_rules, self._on_report())
        else:
            model = GrammarWithTagger.load(self.model)
        with progress("sentences", self.quiet) as report:
            return rush2010.outcomes(model, trees, rush2010.tag_outcome, report)

    def _on_report(self) -> Callable[[Report], None]:
        show_stage = stage_printer(self.quiet)
        return lambda done: show_stage(f"{self.treebank}: {done.stage}")


@rush2010.command("table1", help=RUSH_TABLE1_HELP, cls=PlainCommand)
def rush_table1(
    data: RUSH_FOLDER,
    treebank: TREEBANK = "trees/CRAFT",
    other: RUSH_OTHER = RushOther.dependencies,
    model: RUSH_MODEL = None,
    head_rules: RUSH_RULES = "english",
    sentences: SENTENCES = None,
    count: RUSH_COUNT = None,
    part: RUSH_PART = RushPart.test,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    run = RushRun(data, treebank, model, sentences, count, part, quiet)
    found = run.with_tags(head_rules) if other is RushOther.tags else run.with_dependencies(head_rules)
    show_iterations(found, other.value, treebank, as_json)


def show_iterations(found: list[Outcome], other: str, treebank: str, as_json: bool) -> None:
    """Table 1, ours beside theirs."""
    from treewright.reproduce.rush2010 import BUCKETS, PUBLISHED_ITERATIONS, table1

    shares, published = table1(found), PUBLISHED_ITERATIONS[other]
    names = [f"{low}-{high}" if high > low else str(low) for low, high in BUCKETS] + ["not certified"]
    if as_json:
        typer.echo(json.dumps({"ours": dict(zip(names, shares, strict=True)), "published": published}))
        return
    lines = [
        [f"{treebank}, {len(found)} sentences", *(f"{share:.1f}" for share in shares)],
        ["published (WSJ)", *(f"{share:.1f}" for share in published)],
    ]
    show_lines(("% certified at iteration", *names), lines)


@rush2010.command("table2", help=RUSH_TABLE2_HELP, cls=PlainCommand)
def rush_table2(
    data: RUSH_FOLDER,
    treebank: TREEBANK = "trees/CRAFT",
    model: RUSH_MODEL = None,
    head_rules: RUSH_RULES = "english",
    sentences: SENTENCES = None,
    count: RUSH_COUNT = None,
    part: RUSH_PART = RushPart.test,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.rush2010 import PUBLISHED, WHAT

    run = RushRun(data, treebank, model, sentences, count, part, quiet)
    show_accuracy(run.with_dependencies(head_rules), PUBLISHED, "dependencies", WHAT, treebank, as_json)


@rush2010.command("table3", help=RUSH_TABLE3_HELP, cls=PlainCommand)
def rush_table3(
    data: RUSH_FOLDER,
    treebank: TREEBANK = "trees/CRAFT",
    model: RUSH_MODEL = None,
    head_rules: RUSH_RULES = "english",
    sentences: SENTENCES = None,
    count: RUSH_COUNT = None,
    part: RUSH_PART = RushPart.test,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.rush2010 import PUBLISHED_TAGS, WHAT_OF_TAGS

    run = RushRun(data, treebank, model, sentences, count, part, quiet)
    show_accuracy(run.with_tags(head_rules), PUBLISHED_TAGS, "tags", WHAT_OF_TAGS, treebank, as_json)


def show_accuracy(
    found: list[Outcome],
    published: Mapping[str, tuple[float, ...]],
    what: str,
    systems: dict[str, str],
    treebank: str,
    as_json: bool,
) -> None:
    """Table 2 or 3, ours beside theirs."""
    from treewright.reproduce.rush2010 import accuracy_table

    rows = accuracy_table(found, published)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows]))
        return
    lines = []
    for row in rows:
        figures = (row.precision, row.recall, row.f1, row.accuracy)
        beside = [f"{ours:.1f} ({theirs:.1f})" for ours, theirs in zip(figures, row.published, strict=True)]
        p_values = ["" if p is None else f"{p:.4f}" for p in (row.p_f1, row.p_accuracy)]
        lines.append([row.system, *beside, *p_values])
    columns = ("precision", "recall", "F1", what, "p (F1)", f"p ({what})")
    show_lines((f"{treebank}, {len(found)} sentences", *columns), lines)
    meanings = "; ".join(f"{system}: {meaning}" for system, meaning in systems.items())
    typer.echo(f"In brackets: published, on the Wall Street Journal. {meanings}.")
    show_iterations(found, what, treebank, as_json)


@rush2010.command("figure5", help=RUSH_FIGURE5_HELP, cls=PlainCommand)
def rush_figure5(
    data: RUSH_FOLDER,
    treebank: TREEBANK = "trees/CRAFT",
    model: RUSH_MODEL = None,
    head_rules: RUSH_RULES = "english",
    sentences: SENTENCES = None,
    count: RUSH_COUNT = None,
    part: RUSH_PART = RushPart.test,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.rush2010 import LIMITS, figure5

    run = RushRun(data, treebank, model, sentences, count, part, quiet)
    rows = list(figure5(run.with_dependencies(head_rules, LIMITS)))
    if as_json:
        names = ("limit", "f1", "certified", "same")
        typer.echo(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
        return
    show_lines(
        ("limit on iterations", "F1", "certified %", "tree of limit 50 %"),
        [[str(limit), *(f"{figure:.2f}" for figure in figures)] for limit, *figures in rows],
    )
    typer.echo(
        "Published (WSJ): F1 90.63 with 5, 90.69 with 10, 90.7 with 50; over 80 % certified with 5, 90 % with 10."
    )


@mcdonald2006.command("table1", help=MCDONALD_TABLE1_HELP, cls=PlainCommand)
def mcdonald_table1(
    data: TREEBANK_FOLDER,
    treebank: TREEBANK = "ud/English-EWT",
    sentences: SENTENCES = None,
    learner: LearnerOption = Learner.mira,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.mcdonald2006 import table1 as run

    show_trees(run, "published: WSJ", data, treebank, sentences, learner, quiet, as_json)


@mcdonald2006.command("table2", help=MCDONALD_TABLE2_HELP, cls=PlainCommand)
def mcdonald_table2(
    data: TREEBANK_FOLDER,
    treebank: TREEBANK = "graphs/Danish-DDT",
    sentences: SENTENCES = None,
    learner: LearnerOption = Learner.mira,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.mcdonald2006 import table2 as run

    show_trees(run, "published: Czech", data, treebank, sentences, learner, quiet, as_json)


@mcdonald2006.command("table3", help=MCDONALD_TABLE3_HELP, cls=PlainCommand)
def mcdonald_table3(
    data: TREEBANK_FOLDER,
    treebank: TREEBANK = "graphs/Danish-DDT",
    sentences: SENTENCES = None,
    learner: LearnerOption = Learner.mira,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.parser import ParserOptions
    from treewright.reproduce.mcdonald2006 import table3 as run

    options = ParserOptions(learner=learner.value)
    with steps(quiet) as report:
        rows = list(run(data, treebank, options=options, sentences=sentences, report=report))
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows]))
        return
    lines = []
    for row in rows:
        ours = zip((row.precision, row.recall, row.f1), row.published, strict=True)
        extra = [f"{row.extra_precision:.1f}", f"{row.extra_recall:.1f}"]
        lines.append([row.system, *(f"{a:.1f} ({b:.1f})" for a, b in ours), *extra, f"{row.seconds:.1f}"])
    columns = ("precision", "recall", "F1", "extra P", "extra R", "CPU s")
    show_lines((f"{treebank} (published: Danish)", *columns), lines)


def show_trees(
    run: Callable[..., Iterator[TreeRow]],
    published: str,
    data: Path,
    treebank: str,
    sentences: int | None,
    learner: Learner,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run Table 1 or 2 and print it."""
    from treewright.parser import ParserOptions

    options = ParserOptions(learner=learner.value)
    with steps(quiet) as report:
        rows = list(run(data, treebank, options=options, sentences=sentences, report=report))
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows]))
        return
    lines = []
    for row in rows:
        theirs = [f" ({figure:.1f})" for figure in row.published] or ["", ""]
        ours = [f"{figure:.1f}" for figure in (row.uas, row.complete)]
        cells = [a + b for a, b in zip(ours, theirs, strict=True)]
        lines.append([row.system, *cells, f"{row.seconds:.1f}"])
    show_lines((f"{treebank} ({published})", "right heads", "complete", "CPU s"), lines)


def names_of(given: str | None, otherwise: Iterable[str]) -> list[str]:
    return [name.strip() for name in given.split(",")] if given else list(otherwise)


@contextmanager
def steps(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """The current step with a bar and an estimate of the time left, on a terminal's standard error."""
    with progress("reading", quiet) as report:
        yield lambda what, done, of: report(done, of, what)


@contextmanager
def progress(what: str, quiet: bool) -> Iterator[Callable[..., None]]:
    """A bar with an estimate of the time left, on a terminal's standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, now=what: bar.update(task, completed=done, total=total, description=now)


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

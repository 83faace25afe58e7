"""Huang, Harper & Petrov (2010): self-training of latent-variable grammars, single and as products.

The paper trains on the Wall Street Journal and on broadcast news; here it is a part of a treebank in Penn brackets,
whose other training trees serve as raw text. Rounds are chosen on development trees.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, islice
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from treewright.cli import options as opt
from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app, output_option
from treewright.cli.phrases import SourceKind, read_items
from treewright.cli.training import Run, Task, train_and_save
from treewright.corpus import Tree, read_trees
from treewright.corpus.files import open_output
from treewright.errors import InputError
from treewright.grammar import LatentGrammar, LatentOptions, product
from treewright.grammar.kinds import scores_of
from treewright.grammar.latent import Training
from treewright.grammar.trees import metadata_of, prepare_trees
from treewright.learn import StageCost
from treewright.papers.common import (
    Treebank,
    axes,
    bracket_part,
    data_argument,
    ensure_matplotlib,
    p_value_of,
    show_lines,
    stage_printer,
)
from treewright.papers.selftraining import SelfTrained, Teacher, automatic_trees, balanced_weight, selftrain

CONDITIONS = ("Regular", "ST-Reg", "ST-Prod", "ST-Prod-Mult")
PUBLISHED = {"single": 91.6, "product": 92.5}  # F1 on the test set of the WSJ, self-trained
MAX_WORDS = 40  # of sentences of the development and test parts, as in the paper

SAMPLES = 10_000  # of the bootstrap; not tuned

Report = Callable[[str], None]
# [system, sentence, 2]: 2 x right brackets, and gold + system brackets; systems are the grammars, their product, and
# last all pairs of grammars, each the gold standard of the other.
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Sizes:
    """How much of the treebank is used, and how many grammars are trained; None: all that is left."""

    gold: int = 1000
    raw: int | None = 2000
    dev: int | None = 200
    test: int | None = 400
    grammars: int = 4
    rounds: int = 4


SIZES = {"ours": Sizes(), "published": Sizes(1000, None, None, None, grammars=10, rounds=5)}


@dataclass(frozen=True)
class Data:
    """The parts of a treebank."""

    gold: list[Tree]
    raw: list[Tree]  # of the words only
    dev: list[Tree]
    test: list[Tree]


@dataclass(frozen=True)
class Curve:
    """F1 on the development trees after each round: of every grammar, and of their product."""

    condition: str
    singles: list[list[float]]  # [grammar][round]
    products: list[float]  # [round]


@dataclass(frozen=True)
class Row:
    """A condition, in per cent: F1 on the test trees at the round with the highest F1 of the product on dev."""

    condition: str
    round: int
    best: float  # the grammar that is best on dev
    lowest: float
    highest: float
    mean: float
    product: float
    agreement: float | None  # F1 between two grammars, of all pairs together: the lower, the more diverse they are
    raw_f1: float | None  # of the automatic trees of the raw text
    # p-values of differences by the paired bootstrap over sentences: the sum of all grammars, and the product
    p_above: float | None = None  # grammars, against the condition in the row above
    p_regular: float | None = None  # grammars, against Regular
    p_product: float | None = None  # product, against that of Regular


def data_of(folder: Path, sizes: Sizes) -> Data:
    """Return the parts of a treebank with train.mrg, dev.mrg and perhaps test.mrg."""
    train = first_trees(folder, "train", None if sizes.raw is None else sizes.gold + sizes.raw)
    dev = first_trees(folder, "dev", sizes.dev, MAX_WORDS)
    test = first_trees(folder, "test", sizes.test, MAX_WORDS)
    return Data(train[: sizes.gold], train[sizes.gold :], dev, test)


def first_trees(folder: Path, part: str, count: int | None, max_words: int | None = None) -> list[Tree]:
    """Return the first trees of a part that can be prepared, of at most max_words words; all if count is None."""
    path, own = bracket_part(folder, part)
    kept: list[Tree] = []
    with read_trees(path, on_error="skip") as reader:
        for tree in islice(reader, own.start, own.stop, own.step):
            trees, _ = prepare_trees([tree], True)
            kept += [tree for tree in trees if max_words is None or len(tree.leaves()) <= max_words]
            if count is not None and len(kept) >= count:
                break
    return kept


@dataclass(frozen=True)
class Store:
    """Finished steps of a grid in a folder, which a later run does not repeat; nothing is kept without a folder."""

    folder: Path | None

    @classmethod
    def at(cls, folder: Path | None, treebank: Path, sizes: Sizes) -> Store:
        """Return the results in the folder, after a check that they belong to this grid."""
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            mine = {"treebank": treebank.name, **asdict(sizes)}
            path = folder / "grid.json"
            theirs = json.loads(path.read_text(encoding="utf-8")) if path.exists() else mine
            if theirs != mine:
                different = [
                    f"{name} {theirs.get(name)} (now {mine[name]})" for name in mine if theirs.get(name) != mine[name]
                ]
                raise InputError(f"{path}: the results of another grid: {', '.join(different)}; give another folder")
            save_text(path, json.dumps(mine))
        return cls(folder)

    def grammars(self, name: str, make: Callable[[], list[LatentGrammar]], rounds: int) -> list[LatentGrammar]:
        """Return the grammars of all rounds of one training."""
        if self.folder is None:
            return make()
        paths = [self.folder / f"{name}-round-{number}.tw" for number in range(rounds + 1)]
        if not all(path.exists() for path in paths):
            for grammar, path in zip(make(), paths, strict=True):
                grammar.save(path)
        return [LatentGrammar.load(path) for path in paths]

    def trees(self, name: str, make: Callable[[], list[Tree]]) -> list[Tree]:
        """Return automatic trees, parsed now or in an earlier run."""
        if self.folder is None:
            return make()
        path = self.folder / f"{name}.mrg"
        if not path.exists():
            save_text(path, "".join(f"{tree}\n" for tree in make()))
        return [Tree.parse(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def counts(self, name: str, make: Callable[[], Counts]) -> Counts:
        """Return the brackets of sentences, counted now or in an earlier run."""
        if self.folder is None:
            return make()
        path = self.folder / f"{name}.json"
        if not path.exists():
            save_text(path, json.dumps(make().tolist()))
        return np.array(json.loads(path.read_text(encoding="utf-8")), dtype=np.int64)


def grid(
    folder: Path, sizes: Sizes, report: Report, conditions: Sequence[str] = CONDITIONS, keep: Path | None = None
) -> tuple[list[Row], list[Curve]]:
    """Return the rows of the grid and the curves over rounds; with keep, finished steps are kept in that folder."""
    for condition in conditions:
        if condition not in CONDITIONS:
            raise InputError(f"there is no condition {condition!r}; there are {', '.join(CONDITIONS)}")
    work = Grid(data_of(folder, sizes), sizes, Store.at(keep, folder, sizes), report)
    for condition in CONDITIONS:
        if condition in conditions or condition == "Regular":
            work.run(condition)
    return work.rows, work.curves


class Grid:
    """The conditions of a grid, one after the other; Regular comes first and its grammars are the teachers."""

    def __init__(self, data: Data, sizes: Sizes, store: Store, report: Report) -> None:
        self.data, self.sizes, self.store, self.report = data, sizes, store, report
        self.rows: list[Row] = []
        self.curves: list[Curve] = []
        self._teachers: list[list[LatentGrammar]] = []
        self._round = self._best = 0  # of the teachers: the round, and the grammar that is best on dev there
        self._test: dict[str, Counts] = {}  # on the test trees, by condition

    def run(self, condition: str) -> None:
        """Train the grammars of a condition and score them."""
        raw = None if condition == "Regular" else self._labelled("single" if condition == "ST-Reg" else "product")
        grammars = [self._grammars(condition, seed, raw) for seed in range(1, self.sizes.grammars + 1)]
        curve = self._curve(condition, grammars)
        at = max(range(self.sizes.rounds + 1), key=lambda number: curve.products[number])
        best = max(range(self.sizes.grammars), key=lambda number: curve.singles[number][at])
        if condition == "Regular":
            self._teachers, self._round, self._best = grammars, at, best
        self._test[condition] = self._counts(condition, "test", at, grammars, self.data.test)
        self.rows.append(self._row(condition, at, best, None if raw is None else raw_f1(raw, self.data.raw)))
        self.curves.append(curve)

    def _labelled(self, by: str) -> list[Tree]:
        """Return the raw text with the trees of the best teacher, or of the product of all."""
        members = [self._teachers[self._best]] if by == "single" else self._teachers
        teacher = product([one[self._round] for one in members])
        self.report(f"raw text, by {by}")
        sentences = [tree.leaves() for tree in self.data.raw]
        return self.store.trees(f"raw-by-{by}", lambda: automatic_trees(teacher, sentences))

    def _grammars(self, condition: str, seed: int, raw: Sequence[Tree] | None) -> list[LatentGrammar]:
        """Train the grammars of all rounds; with ST-Prod-Mult each seed has raw sentences of its own."""
        self.report(f"{condition}, grammar {seed}")
        gold, own = self.data.gold, raw or ()
        if condition == "ST-Prod-Mult":
            own = own[seed - 1 :: self.sizes.grammars]
        weights = [balanced_weight(gold, own)] * len(gold) + [1.0] * len(own)
        options = LatentOptions(rounds=self.sizes.rounds, seed=seed)
        return self.store.grammars(
            f"{condition}-{seed}",
            lambda: list(Training([*gold, *own], None, weights, options, 1).grammars()),
            self.sizes.rounds,
        )

    def _curve(self, condition: str, grammars: Sequence[Sequence[LatentGrammar]]) -> Curve:
        """Return F1 on development trees after each round."""
        by_round = [
            list(map(f1_of, self._counts(condition, "dev", number, grammars, self.data.dev)[:-1]))
            for number in range(self.sizes.rounds + 1)
        ]
        singles = [[scores[place] for scores in by_round] for place in range(len(grammars))]
        return Curve(condition, singles, [scores[-1] for scores in by_round])

    def _counts(
        self, condition: str, part: str, at: int, grammars: Sequence[Sequence[LatentGrammar]], trees: Sequence[Tree]
    ) -> Counts:
        self.report(f"{condition}, {part}, round {at}")
        name = f"{condition}-{part}-brackets-round-{at}"
        return self.store.counts(name, lambda: member_counts([one[at] for one in grammars], trees))

    def _row(self, condition: str, at: int, best: int, of_raw: float | None) -> Row:
        """Return the figures of a condition on the test trees at a round."""
        counts = self._test[condition]
        *singles, joined, agreement = map(f1_of, counts)
        mean = sum(singles) / len(singles)
        between = agreement if len(singles) > 1 else None
        row = Row(condition, at, singles[best], min(singles), max(singles), mean, joined, between, of_raw)
        if condition == "Regular":
            return row
        above, regular = self._test[self.rows[-1].condition], self._test["Regular"]
        p_above, p_regular = (p_value_of(one[:-2].sum(0), counts[:-2].sum(0), SAMPLES) for one in (above, regular))
        return replace(
            row, p_above=p_above, p_regular=p_regular, p_product=p_value_of(regular[-2], counts[-2], SAMPLES)
        )


def save_text(path: Path, text: str) -> None:
    """Write a file beside and rename it, so that a killed run leaves none that is incomplete."""
    with open_output(path) as file:
        file.write(text.encode())


def raw_f1(automatic: Sequence[Tree], trees: Sequence[Tree]) -> float:
    """Return F1 of the automatic trees against those that the treebank has."""
    by_words = {tuple(tree.leaves()): tree for tree in trees}
    pairs = [(by_words[tuple(tree.leaves())], tree) for tree in automatic if tuple(tree.leaves()) in by_words]
    return 100 * scores_of([gold for gold, _ in pairs], [tree for _, tree in pairs]).brackets.f1


def member_counts(members: Sequence[LatentGrammar], trees: Sequence[Tree]) -> Counts:
    """Return the brackets of each grammar, of their product, and of all pairs of grammars, by sentence."""
    joined = product(members)
    by_sentence = []
    for tree in trees:
        by_member = joined.trees_by_member(tree.leaves())
        own = [brackets_of(tree, parsed) for parsed in by_member]
        pairs = [brackets_of(one, other) for one, other in combinations(by_member[: len(members)], 2)]
        by_sentence.append([*own, (sum(right for right, _ in pairs), sum(total for _, total in pairs))])
    counts: Counts = np.array(by_sentence, dtype=np.int64).transpose(1, 0, 2)
    return counts


def brackets_of(gold: Tree, system: Tree) -> tuple[int, int]:
    """Return 2 x right brackets, and gold + system brackets."""
    score = scores_of([gold], [system]).brackets
    return 2 * score.correct, score.gold + score.system


def member_f1(members: Sequence[LatentGrammar], trees: Sequence[Tree]) -> list[float]:
    """Return F1 in per cent of each grammar, and last of their product."""
    return list(map(f1_of, member_counts(members, trees)[:-1]))


def f1_of(counts: Counts) -> float:
    """Return F1 in per cent of the counts of sentences."""
    right, total = map(int, counts.sum(0))
    return 100 * right / max(total, 1)


def draw_curves(curves: Sequence[Curve], path: Path) -> None:
    """Draw F1 on the development trees against rounds: the mean of the grammars, and their product."""
    with axes(path) as axis:
        for number, curve in enumerate(curves):
            rounds = range(len(curve.products))
            means = [sum(one[place] for one in curve.singles) / len(curve.singles) for place in rounds]
            axis.plot(rounds, means, "--", color=f"C{number}", marker="o", label=f"{curve.condition}, single (mean)")
            axis.plot(rounds, curve.products, color=f"C{number}", marker="o", label=f"{curve.condition}, product")
        axis.set_xlabel("rounds of splitting and merging")
        axis.set_ylabel("F1 on development trees")
        axis.set_xticks(list(range(max(len(curve.products) for curve in curves))))
        axis.legend(frameon=False, fontsize=7, handlelength=5)


# -- commands

HUANG = "Huang, Harper & Petrov (2010): self-training with products of latent-variable grammars."
GRID_HELP = (
    "What do products and self-training gain (the grid of conditions)?\n\n"
    "Latent-variable grammars with different seeds are trained on the first trees of a treebank under DATA (Regular), "
    "and on these and other sentences that the best of them (ST-Reg) or their product parses (ST-Prod; ST-Prod-Mult: "
    "each grammar has sentences of its own). Rounds are chosen on development trees. -o draws F1 against rounds "
    "(pip install 'treewright[plots]'). Agreement is the F1 between two grammars of a condition: the lower, the more "
    "diverse they are. --grid published has ten grammars, five rounds and all other training sentences as raw text. "
    "With --keep a killed run continues where it was; without, it begins again."
) + examples(
    "treewright reproduce huang2010 grid data -o rounds.svg --keep grid",
    "treewright reproduce huang2010 grid data --grid published --treebank trees/English-GUM --keep gum",
    "treewright reproduce huang2010 grid data --gold-trees 300 --rounds 2",
)
COLUMNS = (
    *("F1 on test", "round", "best on dev", "mean (range)", "p, above", "p, Regular"),
    *("product", "p, Regular", "agreement", "raw text"),
)
app = new_app(HUANG)


def count_option(name: str, what: str) -> object:
    return typer.Option(name, min=1, metavar="N", help=what)


@app.command("grid", help=GRID_HELP, cls=PlainCommand)
def grid_command(
    data: Annotated[Path, data_argument(", such as trees/CRAFT")],
    output: Annotated[Path | None, output_option("F1 against rounds as SVG.", "FILE")] = None,
    treebank: Treebank = "trees/CRAFT",
    size: Annotated[
        Literal["ours", "published"], typer.Option("--grid", help="Sizes where the following options do not give them.")
    ] = "ours",
    gold: Annotated[int | None, count_option("--gold-trees", "Trees that are used as trees.")] = None,
    raw: Annotated[int | None, count_option("--raw-sentences", "Further sentences that are used as raw text.")] = None,
    dev: Annotated[int | None, count_option("--dev-sentences", "Development sentences.")] = None,
    test: Annotated[int | None, count_option("--test-sentences", "Parse N sentences only.")] = None,
    grammars: Annotated[int | None, count_option("--grammars", "Grammars of each condition.")] = None,
    rounds: Annotated[int | None, count_option("--rounds", "Number of rounds; of splitting and merging.")] = None,
    conditions: Annotated[
        str | None,
        typer.Option(
            "--conditions",
            metavar="NAMES",
            help="Conditions, separated by commas; Regular always runs. All if not given.",
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="FOLDER", help="Keep finished steps in a folder; a later run continues there."),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    if output is not None:
        ensure_matplotlib()
    given = {"gold": gold, "raw": raw, "dev": dev, "test": test, "grammars": grammars, "rounds": rounds}
    sizes = replace(SIZES[size], **{name: count for name, count in given.items() if count is not None})
    chosen = CONDITIONS if conditions is None else conditions.split(",")
    rows, curves = grid(data / treebank, sizes, stage_printer(quiet), chosen, keep)
    if output is not None:
        draw_curves(curves, output)
    if as_json:
        figures = {"rows": [asdict(row) for row in rows], "curves": [asdict(curve) for curve in curves]}
        typer.echo(json.dumps(figures))
        return
    show_lines(COLUMNS, [line_of(row) for row in rows])
    typer.echo(
        "p-values: paired bootstrap over sentences; the brackets of all grammars of a condition together, against the "
        "row above and against Regular, and the product against that of Regular."
    )
    for curve in curves:
        means = [sum(one[place] for one in curve.singles) / len(curve.singles) for place in range(sizes.rounds + 1)]
        typer.echo(
            f"{curve.condition}, dev by round: single {' '.join(f'{value:.1f}' for value in means)}; "
            f"product {' '.join(f'{value:.1f}' for value in curve.products)}"
        )
    typer.echo(f"Published (WSJ, self-trained): single {PUBLISHED['single']}, product {PUBLISHED['product']}.")


def line_of(row: Row) -> list[str]:
    """Return a row of the table as text."""
    f1 = [f"{row.best:.2f}", f"{row.mean:.2f} ({row.lowest:.2f}-{row.highest:.2f})"]
    p_values = [in_digits(value, 4) for value in (row.p_above, row.p_regular, row.p_product)]
    of_product = [f"{row.product:.2f}", p_values[2], in_digits(row.agreement)]
    return [row.condition, str(row.round), *f1, *p_values[:2], *of_product, in_digits(row.raw_f1)]


def in_digits(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


@opt.subcommand(
    app,
    "Train latent-variable grammars on a treebank and on raw text that other grammars have parsed.\n\n"
    "Teachers are trained on TREES; the best of them (--by single) or their product (--by product) parses TEXT; the "
    "grammar is trained on TREES and on the trees of TEXT, which have the same weight together. --students trains "
    "several and multiplies them, and --disjoint gives each a part of TEXT of its own. --resume continues an "
    "interrupted run. docs/grammar.md explains the method.",
    "treewright reproduce huang2010 selftrain --labelled a.mrg --raw b.txt -o self.tw",
    "treewright reproduce huang2010 selftrain --labelled a.mrg --raw b.txt --by single -o c",
    name="selftrain",
)
def selftrain_command(
    labelled: Annotated[str, opt.option("A treebank in Penn brackets.", metavar="TREES")],
    raw: Annotated[
        str, opt.option("Raw text, compressed or not; sentences without trees, see --input.", metavar="TEXT")
    ],
    output: opt.ModelOutput,
    dev: Annotated[
        str | None, opt.option("Another treebank; it chooses rounds and the teacher.", metavar="DEV")
    ] = None,
    kind: SourceKind = None,
    by: Annotated[Teacher, opt.option("By what; TEXT is parsed by the best teacher or by all.")] = "product",
    teachers: Annotated[int, opt.number_option("Grammars that are trained on TREES.")] = 4,
    students: Annotated[int, opt.number_option("Grammars that are multiplied in the end.")] = 1,
    disjoint: Annotated[bool, opt.option("Divide TEXT among the students.", "--disjoint")] = False,
    rounds: Annotated[int, opt.number_option("Number of rounds; of splitting and merging.", min=0, max=8)] = 4,
    seed: opt.ModelSeed = 1,
    threads: opt.Threads = 1,
    resume: opt.Resume = False,
    skip_bad: opt.SkipBadTrees = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    task = Task(labelled, dev, output, resume, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    gold, held_out = task.trees()
    items = read_items(raw, kind, metadata_of(gold), keep_tags=False, skip_bad=skip_bad)
    sentences = [item.words for item in items]
    if not sentences:
        raise InputError(f"{raw}: there is no sentence")
    steps = [*(f"teacher {number + 1}" for number in range(teachers)), "raw text"]
    steps += [f"student {number + 1}" for number in range(students)]
    outcome: list[SelfTrained] = []

    def train(run: Run) -> LatentGrammar:
        options = LatentOptions(rounds=rounds, seed=seed)
        how: Any = {"by": by, "teachers": teachers, "students": students, "disjoint": disjoint, "options": options}
        outcome.append(selftrain(gold, sentences, held_out, threads=threads, resume=resume, **how, **run._asdict()))
        return outcome[0].grammar

    trained = train_and_save(output, [StageCost(step, max(rounds, 1), 1.0) for step in steps], quiet, train)
    [result] = outcome
    further = f" and {result.parsed} sentences of raw text ({result.left_out} left out)"
    counts = {"raw_sentences": result.parsed, "raw_sentences_left_out": result.left_out}
    task.report_grammar(trained, gold, further, "", **counts)

"""`treewright reproduce rush2010`: dual decomposition for grammars."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.options import Json, PlainCommand, Quiet, SkipBadTrees, examples, head_rules_option, new_app
from treewright.cli.reproduce_options import (
    MaxSentences,
    Treebank,
    data_argument,
    echo_json,
    progress,
    with_option_groups,
)
from treewright.cli.shared import note_skipped
from treewright.cli.tables import show_lines, stage_printer

if TYPE_CHECKING:
    from treewright.learn import Report
    from treewright.reproduce.rush2010 import Gold, Outcome, TreebankFolder

DATA = (
    "DATA is a folder with treebanks in Penn brackets (train.mrg, dev.mrg, test.mrg), such as trees/CRAFT. "
    "--test-sentences are taken at equal distances from the file. "
)
TABLE1_HELP = (
    "After how many iterations does a grammar agree with another model (Table 1)?\n\n" + DATA + "Per cent of the "
    "sentences that are certified at each iteration; the certificate is about the trees within the beam of model 1, or "
    "with tags that the tagger considers."
) + examples(
    "treewright reproduce rush2010 table1 data --test-sentences 200",
    "treewright reproduce rush2010 table1 data --with tags --joint-model tags.tw",
)
TABLE2_HELP = (
    "What does agreement with a dependency parser gain (Table 2)?\n\n"
    + DATA
    + "Collins' model 1 alone, restricted to the "
    "arcs of the dependency parser, and jointly with it; p is that of the difference to the row above. The line of "
    "Table 1 for the same sentences follows."
) + examples(
    "treewright reproduce rush2010 table2 data --test-sentences 200",
    "treewright reproduce rush2010 table2 data --joint-model joint.tw",
    "treewright reproduce rush2010 table2 data --head-rules general",
)
TABLE3_HELP = (
    "What does agreement with a tagger gain (Table 3)?\n\n"
    + DATA
    + "Collins' model 1 with the tags of a trigram tagger, and jointly with it; p is that of the difference to the "
    "row above. The line of Table 1 for the same sentences follows."
) + examples(
    "treewright reproduce rush2010 table3 data --test-sentences 200",
    "treewright reproduce rush2010 table3 data --joint-model tags.tw",
)
FIGURE5_HELP = (
    "What does a limit on the iterations cost (Figure 5)?\n\n" + DATA + "F1, certified sentences and trees as with 50 "
    "iterations, by the limit. Tables 1 and 2 for the same sentences come before."
) + examples("treewright reproduce rush2010 figure5 data --joint-model joint.tw")
rush2010 = new_app("Rush, Sontag, Collins & Jaakkola (2010): dual decomposition for grammars.")


class Part(str, Enum):
    dev = "dev"
    test = "test"


class Other(str, Enum):
    dependencies = "dependencies"
    tags = "tags"


@dataclass(frozen=True)
class Options:
    """The options of all tables and figures, and the experiments that they describe."""

    data: Annotated[Path, data_argument(", such as trees/CRAFT")]
    treebank: Treebank = "trees/CRAFT"
    model: Annotated[
        str | None,
        typer.Option("--joint-model", metavar="FILE", help="A model of `treewright joint train`; no training."),
    ] = None
    head_rules: Annotated[str, head_rules_option("for model 1 and its dependencies")] = "english"
    sentences: MaxSentences = None
    count: Annotated[
        int | None, typer.Option("--test-sentences", min=1, metavar="N", help="Parse N sentences only.")
    ] = None
    longest: Annotated[
        int | None, typer.Option("--longest", min=1, metavar="N", help="Parse sentences of at most N words only.")
    ] = None
    part: Annotated[Part, typer.Option("--part", help="What is parsed.")] = Part.test
    skip_bad: SkipBadTrees = False
    quiet: Quiet = False
    as_json: Json = False

    def with_dependencies(self, limits: Sequence[int] = ()) -> list[Outcome]:
        """What model 1 and a dependency parser do, trained or loaded, also under limits of iterations."""
        from treewright.joint import GrammarWithDependencies
        from treewright.reproduce import rush2010

        folder, trees = self._trees()
        if self.model is None:
            model = rush2010.dependency_model(folder, *self._training())
        else:
            model = GrammarWithDependencies.load(self.model)
        note_skipped(len(folder.left_out), folder.left_out)
        outcome = partial(rush2010.dependency_outcome, limits=limits)
        with progress("sentences", self.quiet) as report:
            return rush2010.outcomes(model, trees, outcome, report)

    def with_tags(self) -> list[Outcome]:
        """What a grammar and a tagger do, trained or loaded."""
        from treewright.joint import GrammarWithTagger
        from treewright.reproduce import rush2010

        folder, trees = self._trees()
        if self.model is None:
            model = rush2010.tag_model(folder, *self._training())
        else:
            model = GrammarWithTagger.load(self.model)
        note_skipped(len(folder.left_out), folder.left_out)
        with progress("sentences", self.quiet) as report:
            return rush2010.outcomes(model, trees, rush2010.tag_outcome, report)

    def _trees(self) -> tuple[TreebankFolder, Sequence[Gold]]:
        """The treebank, and its trees whose words are parsed."""
        from treewright.reproduce.rush2010 import TreebankFolder

        folder = TreebankFolder(self.data / self.treebank, self.skip_bad)
        return folder, folder.to_parse(self.part.value, self.count, self.longest)

    def _training(self) -> tuple[int | None, str, Callable[[Report], None]]:
        """What the training of a model is given beside the treebank."""
        show_stage = stage_printer(self.quiet)

        def report(done: Report) -> None:
            show_stage(f"{self.treebank}: {done.stage}")

        return self.sentences, self.head_rules, report


@rush2010.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1(
    *,
    other: Annotated[
        Other, typer.Option("--with", help="The model that the grammar agrees with.")
    ] = Other.dependencies,
    options: Options,
) -> None:
    found = options.with_tags() if other is Other.tags else options.with_dependencies()
    show_iterations(found, other.value, options)


def show_iterations(found: list[Outcome], other: str, options: Options) -> None:
    """Table 1, ours beside theirs."""
    from treewright.reproduce.rush2010 import BUCKETS, PUBLISHED_ITERATIONS
    from treewright.reproduce.rush2010 import table1 as shares_by_iteration

    shares, published = shares_by_iteration([one.joint for one in found]), PUBLISHED_ITERATIONS[other]
    without_split = shares_by_iteration([one.without_split for one in found])
    names = [f"{low}-{high}" if high > low else str(low) for low, high in BUCKETS] + ["not certified"]
    if options.as_json:
        ours = {"ours": shares, "without_split": without_split}
        rows = {name: dict(zip(names, row, strict=True)) for name, row in ours.items()}
        typer.echo(json.dumps({**rows, "published": published}))
        return
    lines = [
        [f"{options.treebank}, {len(found)} sentences", *(f"{share:.1f}" for share in shares)],
        ["the same without splits", *(f"{share:.1f}" for share in without_split)],
        ["published (WSJ)", *(f"{share:.1f}" for share in published)],
    ]
    show_lines(("% certified at iteration", *names), lines)


@rush2010.command("table2", help=TABLE2_HELP, cls=PlainCommand)
@with_option_groups
def table2(options: Options) -> None:
    from treewright.reproduce.rush2010 import PUBLISHED, WHAT

    show_accuracy(options.with_dependencies(), PUBLISHED, "dependencies", WHAT, options)


@rush2010.command("table3", help=TABLE3_HELP, cls=PlainCommand)
@with_option_groups
def table3(options: Options) -> None:
    from treewright.reproduce.rush2010 import PUBLISHED_TAGS, WHAT_OF_TAGS

    show_accuracy(options.with_tags(), PUBLISHED_TAGS, "tags", WHAT_OF_TAGS, options)


def show_accuracy(
    found: list[Outcome],
    published: Mapping[str, tuple[float, ...]],
    what: str,
    systems: dict[str, str],
    options: Options,
) -> None:
    """Table 2 or 3, ours beside theirs."""
    from treewright.reproduce.rush2010 import accuracy_table

    rows = accuracy_table(found, published)
    if options.as_json:
        echo_json(rows)
        return
    lines = []
    for row in rows:
        figures = (row.precision, row.recall, row.f1, row.accuracy)
        beside = [f"{ours:.1f} ({theirs:.1f})" for ours, theirs in zip(figures, row.published, strict=True)]
        p_values = ["" if p is None else f"{p:.4f}" for p in (row.p_f1, row.p_accuracy)]
        lines.append([row.system, *beside, *p_values])
    columns = ("precision", "recall", "F1", what, "p (F1)", f"p ({what})")
    show_lines((f"{options.treebank}, {len(found)} sentences", *columns), lines)
    meanings = "; ".join(f"{system}: {meaning}" for system, meaning in systems.items())
    typer.echo(f"In brackets: published, on the Wall Street Journal. {meanings}.")
    show_iterations(found, what, options)


@rush2010.command("figure5", help=FIGURE5_HELP, cls=PlainCommand)
@with_option_groups
def figure5(options: Options) -> None:
    from treewright.reproduce.rush2010 import LIMITS, PUBLISHED, WHAT
    from treewright.reproduce.rush2010 import figure5 as by_limit

    found = options.with_dependencies(LIMITS)
    rows = list(by_limit(found))
    if options.as_json:
        names = ("limit", "f1", "certified", "same")
        typer.echo(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
        return
    show_accuracy(found, PUBLISHED, "dependencies", WHAT, options)
    show_lines(
        ("limit on iterations", "F1", "certified %", "tree of limit 50 %"),
        [[str(limit), *(f"{figure:.2f}" for figure in figures)] for limit, *figures in rows],
    )
    typer.echo(
        "Published (WSJ): F1 90.63 with 5, 90.69 with 10, 90.7 with 50; over 80 % certified with 5, 90 % with 10."
    )

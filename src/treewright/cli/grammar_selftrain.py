"""`treewright grammar selftrain`: grammars that learn from their own trees of raw text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treewright.cli import options as opt
from treewright.cli.components import Run, Task, train_and_save
from treewright.cli.phrases import SourceKind, read_items, training_trees, tree_report
from treewright.cli.shared import check_output
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.grammar import LatentGrammar
    from treewright.grammar.selftraining import SelfTrained

SELFTRAIN = (
    "Train latent-variable grammars on a treebank and on raw text that other grammars have parsed.\n\n"
    "Teachers are trained on TREES; the best of them (--by single) or their product (--by product) parses TEXT; the "
    "grammar is trained on TREES and on the trees of TEXT, which have the same weight together. --students trains "
    "several and multiplies them, and --disjoint gives each a part of TEXT of its own. --resume continues an "
    "interrupted run. docs/latent.md explains the method (Huang, Harper & Petrov 2010)."
) + opt.examples(
    "treewright grammar selftrain --labelled a.mrg --raw b.txt -o self.tw",
    "treewright grammar selftrain --labelled a.mrg --raw b.txt --by single -o c",
)
Teacher = Literal["single", "product"]


def selftrain(
    labelled: Annotated[str, typer.Option("--labelled", metavar="TREES", help="A treebank in Penn brackets.")],
    raw: Annotated[str, typer.Option("--raw", metavar="TEXT", help="Sentences without trees; see --input.")],
    output: opt.ModelOutput,
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="DEV", help="Another treebank; it chooses rounds and the teacher.")
    ] = None,
    kind: SourceKind = None,
    by: Annotated[
        Teacher, typer.Option("--by", help="By what; TEXT is parsed by the best teacher or by all.")
    ] = "product",
    teachers: Annotated[int, typer.Option(min=1, metavar="N", help="Grammars that are trained on TREES.")] = 4,
    students: Annotated[int, typer.Option(min=1, metavar="N", help="Grammars that are multiplied in the end.")] = 1,
    disjoint: Annotated[bool, typer.Option("--disjoint", help="Divide TEXT among the students.")] = False,
    rounds: Annotated[
        int, typer.Option(min=0, max=8, metavar="N", help="Number of rounds; of splitting and merging.")
    ] = 4,
    seed: opt.ModelSeed = 1,
    threads: opt.Threads = 1,
    resume: opt.Resume = False,
    skip_bad: opt.SkipBadTrees = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    from treewright.grammar import LatentOptions
    from treewright.grammar.selftraining import selftrain as run_selftraining
    from treewright.learn import StageCost

    check_output(output)
    task = Task(labelled, dev, output, resume, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    gold, held_out = training_trees(labelled, skip_bad), None if dev is None else training_trees(dev, skip_bad)
    tags = sorted({tag for tree in gold for tag in tree.tags()})
    sentences = [item.words for item in read_items(raw, kind, tags, keep_tags=False, skip_bad=skip_bad)]
    if not sentences:
        raise InputError(f"{raw}: there is no sentence")
    steps = [*(f"teacher {number + 1}" for number in range(teachers)), "raw text"]
    steps += [f"student {number + 1}" for number in range(students)]
    outcome: list[SelfTrained] = []

    def train(run: Run) -> LatentGrammar:
        options = LatentOptions(rounds=rounds, seed=seed)
        trained = run_selftraining(
            *(gold, sentences, held_out),
            by=by,
            teachers=teachers,
            students=students,
            disjoint=disjoint,
            options=options,
            threads=threads,
            resume=resume,
            **run._asdict(),
        )
        outcome.append(trained)
        return trained.grammar

    trained = train_and_save(output, [StageCost(step, max(rounds, 1), 1.0) for step in steps], quiet, train)
    [result] = outcome
    report = tree_report(output, gold, trained.seconds)
    report |= {"raw_sentences": result.parsed, "raw_sentences_left_out": result.left_out}
    in_words = (
        f"treewright: {output}: {result.grammar}; {len(gold)} trees and {result.parsed} sentences of raw text "
        f"({result.left_out} left out) in {trained.seconds:.1f} s"
    )
    task.report(report, trained.epochs, in_words)

"""`treewright joint`: train a grammar that agrees with another model, and parse with it."""

from __future__ import annotations

import time
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.components import Task
from treewright.cli.options import (
    Json,
    JsonReport,
    ModelOutput,
    Output,
    PlainCommand,
    Quiet,
    SkipBad,
    Threads,
    examples,
    new_app,
    to_option,
)
from treewright.cli.phrases import (
    Form,
    Item,
    KeepTags,
    MaxWords,
    Outcome,
    Partial,
    SourceKind,
    form_of,
    read_items,
    with_place,
    write_outcomes,
)
from treewright.cli.shared import Summary, check_output, note_skipped
from treewright.errors import InfeasibleError, InputError

if TYPE_CHECKING:
    from treewright.corpus import Tree
    from treewright.joint import GrammarWithDependencies

HELP = (
    "Train a grammar that agrees with another model, and parse with both (dual decomposition).\n\n"
    "docs/collins.md explains the models. `treewright eval GOLD SYSTEM` scores trees, `treewright show` draws them."
) + examples(
    "treewright joint train train.mrg --dev dev.mrg -o joint.tw",
    "treewright joint parse joint.tw test.mrg -o parsed.mrg",
    "treewright eval test.mrg parsed.mrg",
)
TRAIN = (
    "Train a grammar and another model on the trees of TRAIN, and choose the weight of the other model on DEV.\n\n"
    "dependencies: Collins' model 1 and a projective dependency parser with siblings and grandparents, trained "
    "on the dependencies that the head rules give, on tags of a tagger that is trained as well. They agree on arcs."
) + examples(
    "treewright joint train train.mrg --dev dev.mrg -o joint.tw",
    "treewright joint train train.mrg --head-rules general -o joint.tw",
)
PARSE = (
    "Write the tree of each sentence of INPUT on which the models agree.\n\n"
    "The summary has the share of certified sentences, about the trees within the beam of the grammar, and the "
    "iterations. A sentence without a tree is named on standard error, and (()) is written in its place."
) + examples(
    "treewright joint parse joint.tw test.mrg -o parsed.mrg",
    "treewright joint parse joint.tw test.mrg --exact -o parsed.mrg",
    'echo "The dog barks ." | treewright joint parse joint.tw --to json',
)
app = new_app(HELP)


class Other(str, Enum):
    dependencies = "dependencies"


@app.command(help=TRAIN, cls=PlainCommand)
def train(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Trees in Penn brackets, compressed or not.")],
    output: ModelOutput,
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="DEV", help="Another treebank; the weight is chosen on it.")
    ] = None,
    other: Annotated[
        Other, typer.Option("--with", help="The model that the grammar agrees with.")
    ] = Other.dependencies,
    head_rules: Annotated[
        str, typer.Option(metavar="RULES", help="Head rules of collins: english, general, or a file.")
    ] = "english",
    skip_bad: SkipBad = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    from treewright.joint import GrammarWithDependencies

    check_output(output)
    task = Task(train, dev, output, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    trees, held_out = trees_of(train, skip_bad), None if dev is None else trees_of(dev, skip_bad)
    begin = time.monotonic()
    joint = GrammarWithDependencies.train(trees, held_out, head_rules=head_rules)
    joint.save(output)
    found: dict[str, Any] = {
        "file": str(output),
        "bytes": output.stat().st_size,
        "trees": len(trees),
        "words": sum(len(tree.leaves()) for tree in trees),
        "with": other.value,
        "weight": joint.weight,
        "seconds": round(time.monotonic() - begin, 3),
    }
    task.report(found, [], f"treewright: {output}: {joint}; {found['trees']} trees in {found['seconds']:.1f} s")


def trees_of(source: str, skip_bad: bool) -> list[Tree]:
    """The prepared trees of a file, with a note on those left out."""
    from treewright.grammar import trees_of

    trees, errors = trees_of(source, skip_bad=skip_bad)
    note_skipped(len(errors), errors)
    if not trees:
        raise InputError(f"{source}: no tree is left to train with")
    return trees


@app.command(help=PARSE, cls=PlainCommand)
def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file made by `treewright joint train`.")],
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help='What to parse; standard input if "-" or not given.')
    ] = "-",
    kind: SourceKind = None,
    output: Output = "-",
    to: Annotated[Form | None, to_option("by default that of FILE's extension, else brackets")] = None,
    tags: KeepTags = False,
    partial: Partial = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Branch and bound where the models do not agree within the iterations.")
    ] = False,
    iterations: Annotated[
        int,
        typer.Option("--max-iterations", min=1, metavar="N", help="The limit of dual decomposition for a sentence."),
    ] = 50,
    max_words: MaxWords = 150,
    threads: Threads = 1,
    skip_bad: SkipBad = False,
    as_json: JsonReport = False,
    quiet: Quiet = False,
) -> None:
    from treewright import streams
    from treewright.joint import GrammarWithDependencies

    form = form_of(to, output)
    joint = GrammarWithDependencies.load(model)
    search: dict[str, Any] = {"partial": partial, "exact": exact, "max_iterations": iterations, "max_words": max_words}
    summary = Summary()

    def work(items: list[Item]) -> list[Outcome]:
        return [parsed(joint, item, search) for item in items]

    def counted(outcome: Outcome) -> Outcome:
        summary.count(
            outcome.item.words,
            bool(outcome.parse and outcome.parse.certified),
            iterations=outcome.parse.iterations if outcome.parse else 0,
            without_tree=int(outcome.parse is None),
        )
        return outcome

    summary.start()
    items = read_items(source, kind, tags, skip_bad)
    chunk = streams.CHUNK if threads > 1 else 1
    outcomes = map(counted, streams.map_items(work, items, threads=threads, chunk=chunk))
    write_outcomes(outcomes, form, output, "<stdin>" if source == "-" else source)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def parsed(joint: GrammarWithDependencies, item: Item, search: dict[str, Any]) -> Outcome:
    """The tree of a sentence; an error of the input has its place."""
    try:
        return Outcome(item, joint.parse(item.words, tags=item.tags, **search), "")
    except InfeasibleError:
        return Outcome(item, None, "the models have no tree for this sentence; --partial writes a cover")
    except InputError as error:
        raise with_place(item, error) from None

"""`treewright grammar`: train a phrase-structure grammar, and parse with it."""

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
    head_rules_option,
    new_app,
    to_option,
)
from treewright.cli.phrases import (
    Form,
    KeepTags,
    MaxWords,
    Partial,
    SourceKind,
    counted,
    form_of,
    parse_items,
    read_items,
    training_trees,
    write_outcomes,
)
from treewright.cli.shared import Summary, check_output

if TYPE_CHECKING:
    from treewright.corpus import Tree
    from treewright.grammar.kinds import Grammar

HELP = (
    "Train a phrase-structure grammar on a treebank in Penn brackets, and parse with it.\n\n"
    "docs/grammar.md explains the grammars. `treewright eval GOLD SYSTEM` scores trees, `treewright show` draws them."
) + examples(
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright eval test.mrg parsed.mrg",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to text',
)
TRAIN = (
    "Train a grammar on the trees of TRAIN and score it on those of DEV.\n\n"
    "treebank: the rules of the trees with their relative frequencies. Traces, function labels and phrases over a "
    "single phrase of the same label are removed first. --vertical 2 gives each phrase the label of its parent, which "
    "is more accurate and about three times slower. collins: Collins' model 1, in which each phrase has a head word."
) + examples(
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar train train.mrg --vertical 2 -o grammar.tw",
    "treewright grammar train train.mrg --kind collins -o collins.tw",
)
PARSE = (
    "Write the best tree of each sentence of INPUT.\n\n"
    "The search of a treebank grammar is exact: none of its trees has a higher probability; the tree may still be "
    "wrong. That of collins has a beam. "
    "A sentence without a tree is named on standard error, and (()) is written in its place."
) + examples(
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright grammar parse grammar.tw test.mrg --tags -o parsed.mrg",
    "treewright grammar parse grammar.tw letter.txt --input text -o letter.html",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to json',
)
app = new_app(HELP)


class Kind(str, Enum):
    treebank = "treebank"
    collins = "collins"


@app.command(help=TRAIN, cls=PlainCommand)
def train(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Trees in Penn brackets, compressed or not.")],
    output: ModelOutput,
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="DEV", help="Another treebank; the grammar is scored on it.")
    ] = None,
    kind: Annotated[Kind, typer.Option("--kind", help="The kind of grammar.")] = Kind.treebank,
    vertical: Annotated[
        int,
        typer.Option(
            min=1, max=3, metavar="N", help="Labels that a phrase has: its own, that of its parent, and so on."
        ),
    ] = 1,
    horizontal: Annotated[
        int, typer.Option(min=0, metavar="N", help="Children that an inserted node of a long rule remembers.")
    ] = 1,
    head_rules: Annotated[str, head_rules_option("for collins")] = "english",
    skip_bad: SkipBad = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    from treewright.grammar import kinds

    check_output(output)
    task = Task(train, dev, output, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    trees, held_out = training_trees(train, skip_bad), None if dev is None else training_trees(dev, skip_bad)
    begin = time.monotonic()
    grammar = kinds.train(kind.value, trees, held_out, options_of(kind, vertical, horizontal, head_rules))
    grammar.save(output)
    found: dict[str, Any] = {
        "file": str(output),
        "bytes": output.stat().st_size,
        "trees": len(trees),
        "words": sum(len(tree.leaves()) for tree in trees),
        "seconds": round(time.monotonic() - begin, 3),
    }
    in_words = f"treewright: {output}: {grammar}; {found['trees']} trees in {found['seconds']:.1f} s"
    if held_out:
        found["dev"] = scores = dev_scores(grammar, held_out)
        in_words += f"; on {dev}: F1 {100 * scores['f1']:.2f}, tags {100 * scores['tags']:.2f} %"
    task.report(found, [], in_words)


def options_of(kind: Kind, vertical: int, horizontal: int, head_rules: str) -> dict[str, Any]:
    """The keywords for the training of a kind of grammar."""
    from treewright.grammar import Markov, TreebankOptions

    if kind is Kind.collins:
        return {"head_rules": head_rules}
    return {"options": TreebankOptions(Markov(vertical, horizontal))}


def dev_scores(grammar: Grammar, trees: list[Tree]) -> dict[str, float]:
    """F1 of the brackets and accuracy of the tags of a grammar's trees."""
    from treewright.evaluate import brackets

    scores = brackets(trees, [rooted(grammar.parse(tree.leaves(), partial=True).tree) for tree in trees]).all
    return {"f1": scores.brackets.f1, "tags": scores.tagging_accuracy}


def rooted(tree: Tree) -> Tree:
    """The tree below the root that prepared trees have."""
    from treewright.corpus import add_root
    from treewright.grammar.trees import ROOT

    return add_root(tree, ROOT)


@app.command(help=PARSE, cls=PlainCommand)
def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file made by `treewright grammar train`.")],
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help='What to parse; standard input if "-" or not given.')
    ] = "-",
    kind: SourceKind = None,
    output: Output = "-",
    to: Annotated[Form | None, to_option("by default that of FILE's extension, else brackets")] = None,
    tags: KeepTags = False,
    partial: Partial = False,
    max_words: MaxWords = 150,
    threads: Threads = 1,
    skip_bad: SkipBad = False,
    as_json: JsonReport = False,
    quiet: Quiet = False,
) -> None:
    from treewright.grammar import TreebankGrammar
    from treewright.models import load_grammar

    form = form_of(to, output)
    grammar = load_grammar(model)
    limits: dict[str, Any] = (
        {"max_words": max_words} if isinstance(grammar, TreebankGrammar) else {}
    )  # collins limits its own chart
    summary = Summary()
    outcomes = parse_items(
        read_items(source, kind, tags, skip_bad),
        lambda item: grammar.parse(item.words, tags=item.tags, partial=partial, **limits),
        "the grammar has no tree for this sentence; --partial writes a cover",
        threads,
    )
    summary.start()
    write_outcomes(counted(outcomes, summary, False), form, output, "<stdin>" if source == "-" else source)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")

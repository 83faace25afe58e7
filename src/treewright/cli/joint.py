"""`treewright joint`: train a grammar that agrees with another model, and parse with it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from treewright.cli import options as opt
from treewright.cli import phrases
from treewright.cli.training import Task, train_and_save

app = opt.new_group(
    "joint",
    "docs/joint.md explains the models. `treewright eval GOLD SYSTEM` scores trees, `treewright show` draws them.",
    "treewright joint train train.mrg --dev dev.mrg -o joint.tw",
    "treewright joint parse joint.tw test.mrg -o parsed.mrg",
    "treewright eval test.mrg parsed.mrg",
)
Kind = Literal["collins", "treebank"]
Other = Literal["dependencies", "tags"]


@opt.subcommand(
    app,
    "Train a grammar and another model on the trees of TRAIN, and choose the weight of the other model on DEV.\n\n"
    "dependencies: Collins' model 1 and a projective dependency parser with siblings and outermost grandchildren, "
    "trained on the dependencies that the head rules give, on tags of a tagger that is trained as well. They agree on "
    "arcs. tags: Collins' model 1, or a treebank grammar, and a trigram tagger. They agree on tags.",
    "treewright joint train train.mrg --dev dev.mrg -o joint.tw",
    "treewright joint train train.mrg --dev dev.mrg --with tags -o tags.tw",
    "treewright joint train train.mrg --with tags --kind treebank -o tags.tw",
    "treewright joint train train.mrg --head-rules general -o joint.tw",
)
def train(
    train: opt.TrainTrees,
    output: opt.ModelOutput,
    dev: Annotated[str | None, opt.option("Another treebank; the weight is chosen on it.", metavar="DEV")] = None,
    other: Annotated[Other, opt.option("The model that the grammar agrees with.", "--with")] = "dependencies",
    kind: Annotated[Kind, opt.option("The kind of grammar; with dependencies it is collins.")] = "collins",
    head_rules: Annotated[str, opt.head_rules_option("for collins")] = "english",
    skip_bad: opt.SkipBadTrees = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    from treewright.joint import GrammarWithDependencies, GrammarWithTagger

    keywords = options_of(other, kind, head_rules)
    task = Task(train, dev, output, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    trees, held_out = task.trees()
    model: Any = GrammarWithDependencies if other == "dependencies" else GrammarWithTagger
    trained = train_and_save(output, [], quiet, lambda run: model.train(trees, held_out, report=run.report, **keywords))
    task.report_grammar(trained, trees, **{"with": other, "weight": trained.model.weight})


def options_of(other: Other, kind: Kind, head_rules: str) -> dict[str, Any]:
    """Return the keywords for the training with another model."""
    from treewright.grammar import CollinsOptions
    from treewright.joint.tagging import TREEBANK

    if kind == "collins":
        return {"grammar_options": CollinsOptions(head_rules)}
    if other == "dependencies":
        raise typer.BadParameter("a treebank grammar has no arcs; use it with --with tags", param_hint="--kind")
    return {"grammar_options": TREEBANK}


opt.subcommand(
    app,
    "Write the tree of each sentence of INPUT on which the models agree.\n\n"
    "The summary has the share of certified sentences and the iterations; a certificate is about the trees within the "
    "beam of model 1, or with tags that the tagger considers. A sentence without a tree is named on "
    "standard error, and (()) is written in its place.",
    "treewright joint parse joint.tw test.mrg -o parsed.mrg",
    "treewright joint parse joint.tw test.mrg --exact -o parsed.mrg",
    'echo "The dog barks ." | treewright joint parse joint.tw --to json',
)(phrases.parse)

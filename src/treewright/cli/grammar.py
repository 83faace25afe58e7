"""`treewright grammar`: train a phrase-structure grammar, and parse with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli import options as opt
from treewright.cli.components import Task, Trained, train_and_save
from treewright.cli.grammar_selftrain import SELFTRAIN, selftrain
from treewright.cli.phrases import (
    Form,
    KeepTags,
    MaxWords,
    Partial,
    SourceKind,
    Work,
    form_of,
    parse_and_write,
    training_trees,
    tree_report,
)
from treewright.cli.shared import check_output

if TYPE_CHECKING:
    from treewright.corpus import Tree

HELP = (
    "Train a phrase-structure grammar on a treebank in Penn brackets, and parse with it.\n\n"
    "docs/grammar.md explains the grammars. `treewright eval GOLD SYSTEM` scores trees, `treewright show` draws them."
) + opt.examples(
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright eval test.mrg parsed.mrg",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to text',
)
TRAIN = (
    "Train a grammar on the trees of TRAIN and score it on those of DEV.\n\n"
    "treebank: the rules of the trees with their relative frequencies. Traces, function labels and phrases over a "
    "single phrase of the same label are removed first. --vertical 2 gives each phrase the label of its parent, which "
    "is more accurate and about three times slower. collins: Collins' model 1, in which each phrase has a head word. "
    "latent: labels have substates that are learned in rounds of splitting and merging, the most accurate; --product "
    "trains several from different seeds and multiplies them (docs/latent.md)."
) + opt.examples(
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar train train.mrg --vertical 2 -o grammar.tw",
    "treewright grammar train train.mrg --kind collins -o collins.tw",
    "treewright grammar train train.mrg --kind latent --rounds 4 -o latent.tw",
)
PARSE = (
    "Write the best tree of each sentence of INPUT.\n\n"
    "The search of a treebank grammar is exact: none of its trees has a higher probability; the tree may still be "
    "wrong. That of collins has a beam, and that of latent leaves out what coarse grammars find improbable. "
    "A sentence without a tree is named on standard error, and (()) is written in its place."
) + opt.examples(
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright grammar parse grammar.tw test.mrg --tags -o parsed.mrg",
    "treewright grammar parse grammar.tw letter.txt --input text -o letter.html",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to json',
)
app = opt.new_app(HELP)
app.command(help=SELFTRAIN, cls=opt.PlainCommand)(selftrain)
Kind = Literal["treebank", "collins", "latent"]


@app.command(help=TRAIN, cls=opt.PlainCommand)
def train(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Trees in Penn brackets, compressed or not.")],
    output: opt.ModelOutput,
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="DEV", help="Another treebank; the grammar is scored on it.")
    ] = None,
    kind: Annotated[Kind, typer.Option("--kind", help="The kind of grammar.")] = "treebank",
    vertical: Annotated[
        int,
        typer.Option(
            min=1, max=3, metavar="N", help="Labels that a phrase has: its own, that of its parent, and so on."
        ),
    ] = 1,
    horizontal: Annotated[
        int, typer.Option(min=0, metavar="N", help="Children that an inserted node of a long rule remembers.")
    ] = 1,
    head_rules: Annotated[str, opt.head_rules_option("for collins")] = "english",
    rounds: Annotated[
        int, typer.Option(min=0, max=8, metavar="N", help="Number of rounds; of splitting and merging, for latent.")
    ] = 4,
    product: Annotated[
        int, typer.Option(min=1, metavar="N", help="Grammars of latent that are multiplied, with seeds in a row.")
    ] = 1,
    seed: opt.ModelSeed = 1,
    threads: opt.Threads = 1,
    resume: opt.Resume = False,
    skip_bad: opt.SkipBadTrees = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    from treewright.grammar.kinds import bracket_scores

    check_output(output)
    task = Task(train, dev, output, resume, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    trees, held_out = training_trees(train, skip_bad), None if dev is None else training_trees(dev, skip_bad)
    if kind == "latent":
        trained = train_latent(task, trees, held_out, {"rounds": rounds, "product": product}, seed, threads)
    else:
        trained = train_and_save(
            output, [], True, lambda run: count_rules(kind, trees, vertical, horizontal, head_rules)
        )
    grammar, seconds, epochs = trained
    report = tree_report(output, trees, seconds)
    in_words = f"treewright: {output}: {grammar}; {len(trees)} trees in {seconds:.1f} s"
    if held_out:
        report["dev"] = scores = bracket_scores(grammar, held_out)
        in_words += f"; on {dev}: F1 {100 * scores['f1']:.2f}, tags {100 * scores['tags']:.2f} %"
    task.report(report, epochs, in_words)


def count_rules(kind: Kind, trees: list[Tree], vertical: int, horizontal: int, head_rules: str) -> Any:
    """Train a grammar by one pass over the trees."""
    from treewright.grammar import Collins, Markov, TreebankGrammar, TreebankOptions

    if kind == "collins":
        return Collins.train(trees, head_rules=head_rules)
    return TreebankGrammar.train(trees, options=TreebankOptions(Markov(vertical, horizontal)))


def train_latent(
    task: Task, trees: list[Tree], dev: list[Tree] | None, options: dict[str, Any], seed: int, threads: int
) -> Trained[Any]:
    """Train a latent-variable grammar, with progress and checkpoints."""
    from treewright.grammar import LatentGrammar
    from treewright.grammar.latent import member_options
    from treewright.grammar.options import LatentOptions
    from treewright.learn import StageCost

    task.show_settings({**options, "seed": seed})
    members = member_options(LatentOptions(rounds=options["rounds"]), options["product"])
    return train_and_save(
        task.output,
        [StageCost(stage, max(options["rounds"], 1), 1.0) for stage, _ in members],
        task.quiet,
        lambda run: LatentGrammar.train(
            trees, dev, **options, seed=seed, threads=threads, resume=task.resume, **run._asdict()
        ),
    )


@app.command(help=PARSE, cls=opt.PlainCommand)
def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file made by `treewright grammar train`.")],
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help='What to parse; standard input if "-" or not given.')
    ] = "-",
    kind: SourceKind = None,
    output: opt.Output = "-",
    to: Annotated[Form | None, opt.to_option("by default that of FILE's extension, else brackets")] = None,
    tags: KeepTags = False,
    partial: Partial = False,
    max_words: MaxWords = 150,
    threads: opt.Threads = 1,
    skip_bad: opt.SkipBad = False,
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
) -> None:
    from treewright.grammar import LatentGrammar
    from treewright.model.registry import load_grammar

    work = Work(source, kind, output, form_of(to, output), tags, threads, skip_bad, as_json, quiet)
    grammar = load_grammar(model)
    parse_and_write(
        work,
        lambda item: grammar.parse(item.words, tags=item.tags, partial=partial, max_words=max_words),
        "the grammar has",
        grammar.tags,
        max_words,
        with_certificates=not isinstance(grammar, LatentGrammar),  # there is no proof for max-rule trees
    )

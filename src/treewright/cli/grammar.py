"""`treewright grammar`: train a phrase-structure grammar, and parse with it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from treewright.cli import options as opt
from treewright.cli import phrases
from treewright.cli.inputs import check_not_lost
from treewright.cli.shared import Summary, form_of
from treewright.cli.training import Task, Trained, train_and_save
from treewright.corpus import Tree
from treewright.grammar import Collins, CollinsOptions, LatentGrammar, Markov, TreebankGrammar, TreebankOptions
from treewright.grammar.kinds import bracket_scores
from treewright.grammar.latent import member_options
from treewright.grammar.options import LatentOptions
from treewright.joint import GrammarWithDependencies, GrammarWithTagger
from treewright.joint.model import JointModel
from treewright.joint.tagging import TREEBANK
from treewright.learn import StageCost
from treewright.model.registry import load_phrase_parser

app = opt.new_group(
    "grammar",
    "docs/grammar.md explains the grammars, docs/joint.md those that agree with another model. `treewright eval GOLD "
    "SYSTEM` scores trees, `treewright show` draws them.",
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright eval test.mrg parsed.mrg",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to text',
)
Kind = Literal["treebank", "collins", "latent"]
Other = Literal["dependencies", "tags"]


@opt.subcommand(
    app,
    "Train a grammar on the trees of TRAIN and score it on the trees of DEV.\n\n"
    "treebank: the rules of the trees with their relative frequencies. Traces, function labels and phrases over a "
    "single phrase of the same label are removed first. --vertical 2 gives each phrase the label of its parent, which "
    "is more accurate and about three times slower. collins: Collins' model 1, in which each phrase has a head word. "
    "latent: labels have substates that are learned in rounds of splitting and merging, the most accurate; --product "
    "trains several from different seeds and multiplies them (docs/grammar.md).\n\n"
    "--with trains another model, with which the grammar agrees by dual decomposition, and chooses its weight on DEV "
    "(docs/joint.md). dependencies: a projective dependency parser with siblings and outermost "
    "grandchildren, on the dependencies that the head rules give and on tags of a tagger that is trained as well; they "
    "agree on arcs. tags: a trigram tagger; they agree on tags.",
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar train train.mrg --vertical 2 -o grammar.tw",
    "treewright grammar train train.mrg --kind collins -o collins.tw",
    "treewright grammar train train.mrg --kind latent --rounds 4 -o latent.tw",
    "treewright grammar train train.mrg --with dependencies -o joint.tw",
    "treewright grammar train train.mrg --with tags --kind treebank -o tags.tw",
)
def train(
    train: opt.TrainTrees,
    output: opt.ModelOutput,
    dev: Annotated[str | None, opt.option("Another treebank; the grammar is scored on it.", metavar="DEV")] = None,
    kind: Annotated[
        Kind | None, opt.option("The kind of grammar; treebank if not given, collins with another model.")
    ] = None,
    other: Annotated[Other | None, opt.option("Another model, which the grammar agrees with.", "--with")] = None,
    vertical: Annotated[
        int, opt.number_option("Labels that a phrase has: its own, that of its parent, and so on.", max=3)
    ] = 1,
    horizontal: Annotated[
        int, opt.number_option("Children that an inserted node of a long rule remembers.", min=0)
    ] = 1,
    head_rules: Annotated[str, opt.head_rules_option("for collins")] = "english",
    rounds: Annotated[
        int, opt.number_option("Number of rounds; of splitting and merging, for latent.", min=0, max=8)
    ] = 4,
    product: Annotated[int, opt.number_option("Grammars of latent that are multiplied, with seeds in a row.")] = 1,
    seed: opt.ModelSeed = 1,
    threads: opt.Threads = 1,
    resume: opt.Resume = False,
    skip_bad: opt.SkipBadTrees = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    task = Task(train, dev, output, resume, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    if other is not None:
        train_with(other, kind or "collins", head_rules, task)
        return
    trees, held_out = task.trees()
    if kind == "latent":
        trained = train_latent(task, trees, held_out, {"rounds": rounds, "product": product}, seed, threads)
    else:
        trained = train_and_save(
            output, [], True, lambda run: count_rules(kind or "treebank", trees, vertical, horizontal, head_rules)
        )
    if held_out is None:
        task.report_grammar(trained, trees)
        return
    scores = bracket_scores(trained.model, held_out)
    in_words = f"; on {dev}: F1 {100 * scores['f1']:.2f}, tags {100 * scores['tags']:.2f} %"
    task.report_grammar(trained, trees, scores=in_words, dev=scores)


def count_rules(kind: Kind, trees: list[Tree], vertical: int, horizontal: int, head_rules: str) -> Any:
    """Train a grammar by one pass over the trees."""

    if kind == "collins":
        return Collins.train(trees, options=CollinsOptions(head_rules))
    return TreebankGrammar.train(trees, options=TreebankOptions(Markov(vertical, horizontal)))


def train_with(other: Other, kind: Kind, head_rules: str, task: Task) -> None:
    """Train a grammar and the model with which it agrees, and report the weight of the other."""

    if kind == "latent" or (other, kind) == ("dependencies", "treebank"):
        raise typer.BadParameter("with dependencies it is collins, with tags collins or treebank", param_hint="--kind")
    trees, held_out = task.trees()
    options: Any = CollinsOptions(head_rules) if kind == "collins" else TREEBANK
    model: Any = GrammarWithDependencies if other == "dependencies" else GrammarWithTagger
    trained = train_and_save(
        *(task.output, [], task.quiet),
        lambda run: model.train(trees, held_out, report=run.report, grammar_options=options),
    )
    task.report_grammar(trained, trees, **{"with": other, "weight": trained.model.weight})


def train_latent(
    task: Task, trees: list[Tree], dev: list[Tree] | None, options: dict[str, Any], seed: int, threads: int
) -> Trained[Any]:
    """Train a latent-variable grammar, with progress and checkpoints."""

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


@opt.subcommand(
    app,
    "Write the best tree of each sentence of INPUT.\n\n"
    "The search of a treebank grammar is exact: none of its trees has a higher probability; the tree may still be "
    "wrong. That of collins has a beam, and that of latent leaves out what coarse grammars find improbable. "
    "A certificate of a grammar with another model is about the trees within the beam of collins, or with tags that "
    "the tagger considers; the summary has the iterations. "
    "A sentence without a tree is named on standard error, and (()) is written in its place.",
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright grammar parse joint.tw test.mrg --exact -o parsed.mrg",
    "treewright grammar parse grammar.tw test.mrg --tags -o parsed.mrg",
    "treewright grammar parse grammar.tw letter.txt --input text -o letter.html",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to json',
)
def parse(
    model: Annotated[str, opt.argument("MODEL", "A file made by `treewright grammar train`.")],
    source: Annotated[str, opt.argument("INPUT", 'What to parse; standard input if "-" or not given.')] = "-",
    kind: phrases.SourceKind = None,
    output: opt.Output = "-",
    to: Annotated[phrases.Form | None, opt.to_option("by default that of FILE's extension, else brackets")] = None,
    tags: Annotated[
        bool, opt.option("Keep the tags of INPUT: those of its trees, or XPOS, and UPOS where there is none.", "--tags")
    ] = False,
    partial: Annotated[
        bool,
        opt.option("For a sentence without a tree, write the fewest phrases that cover it; else (()).", "--partial"),
    ] = False,
    exact: Annotated[
        bool,
        opt.option(
            "No limit on the iterations: search until the tree is certified. For models trained --with another.",
            "--exact",
        ),
    ] = False,
    max_words: Annotated[
        int,
        opt.number_option(
            "Divide longer sentences, or with collins narrow the beam for them, which bounds time and memory."
        ),
    ] = 150,
    threads: opt.Threads = 1,
    skip_bad: opt.SkipBad = False,
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
) -> None:
    form = form_of(to, output, phrases.EXTENSIONS, "brackets")
    check_not_lost(source, output, form)
    parser: Any = load_phrase_parser(model)
    is_joint = isinstance(parser, JointModel)
    search: dict[str, Any] = {"partial": partial, "max_words": max_words}
    if exact:
        if not is_joint:
            raise typer.BadParameter(f"{model} is one grammar, searched without iterations", param_hint="--exact")
        search["exact"] = True
    without_tree = f"the {'models have' if is_joint else 'grammar has'} no tree for this sentence"
    items = phrases.read_items(source, kind, parser.metadata, tags, skip_bad)
    parsed = phrases.parse_items(
        items, lambda item: parser.parse(item.words, tags=item.tags, **search), without_tree, max_words, threads
    )
    summary = Summary()
    has_proof = not isinstance(parser, LatentGrammar)  # there is none for max-rule trees
    phrases.write_outcomes(
        phrases.count_and_note(parsed, summary, is_joint, has_proof),
        form,
        output,
        source,
        parser.metadata.get("wrapper"),
    )
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")

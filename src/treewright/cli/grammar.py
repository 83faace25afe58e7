"""`treewright grammar`: train a phrase-structure grammar, and parse with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from treewright.cli import options as opt
from treewright.cli import phrases
from treewright.cli.training import Run, Task, Trained, train_and_save
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Tree
    from treewright.grammar import LatentGrammar
    from treewright.papers.selftraining import SelfTrained

app = opt.new_group(
    "grammar",
    "docs/grammar.md explains the grammars. `treewright eval GOLD SYSTEM` scores trees, `treewright show` draws them.",
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright eval test.mrg parsed.mrg",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to text',
)
Teacher = Literal["single", "product"]
Kind = Literal["treebank", "collins", "latent"]


@opt.subcommand(
    app,
    "Train a grammar on the trees of TRAIN and score it on the trees of DEV.\n\n"
    "treebank: the rules of the trees with their relative frequencies. Traces, function labels and phrases over a "
    "single phrase of the same label are removed first. --vertical 2 gives each phrase the label of its parent, which "
    "is more accurate and about three times slower. collins: Collins' model 1, in which each phrase has a head word. "
    "latent: labels have substates that are learned in rounds of splitting and merging, the most accurate; --product "
    "trains several from different seeds and multiplies them (docs/grammar.md).",
    "treewright grammar train train.mrg --dev dev.mrg -o grammar.tw",
    "treewright grammar train train.mrg --vertical 2 -o grammar.tw",
    "treewright grammar train train.mrg --kind collins -o collins.tw",
    "treewright grammar train train.mrg --kind latent --rounds 4 -o latent.tw",
)
def train(
    train: opt.TrainTrees,
    output: opt.ModelOutput,
    dev: Annotated[str | None, opt.option("Another treebank; the grammar is scored on it.", metavar="DEV")] = None,
    kind: Annotated[Kind, opt.option("The kind of grammar.")] = "treebank",
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
    from treewright.grammar.kinds import bracket_scores

    task = Task(train, dev, output, resume, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    trees, held_out = task.trees()
    if kind == "latent":
        trained = train_latent(task, trees, held_out, {"rounds": rounds, "product": product}, seed, threads)
    else:
        trained = train_and_save(
            output, [], True, lambda run: count_rules(kind, trees, vertical, horizontal, head_rules)
        )
    if held_out is None:
        task.report_grammar(trained, trees)
        return
    scores = bracket_scores(trained.model, held_out)
    in_words = f"; on {dev}: F1 {100 * scores['f1']:.2f}, tags {100 * scores['tags']:.2f} %"
    task.report_grammar(trained, trees, scores=in_words, dev=scores)


def count_rules(kind: Kind, trees: list[Tree], vertical: int, horizontal: int, head_rules: str) -> Any:
    """Train a grammar by one pass over the trees."""
    from treewright.grammar import Collins, CollinsOptions, Markov, TreebankGrammar, TreebankOptions

    if kind == "collins":
        return Collins.train(trees, options=CollinsOptions(head_rules))
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


@opt.subcommand(
    app,
    "Train latent-variable grammars on a treebank and on raw text that other grammars have parsed.\n\n"
    "Teachers are trained on TREES; the best of them (--by single) or their product (--by product) parses TEXT; the "
    "grammar is trained on TREES and on the trees of TEXT, which have the same weight together. --students trains "
    "several and multiplies them, and --disjoint gives each a part of TEXT of its own. --resume continues an "
    "interrupted run. docs/grammar.md explains the method (Huang, Harper & Petrov 2010).",
    "treewright grammar selftrain --labelled a.mrg --raw b.txt -o self.tw",
    "treewright grammar selftrain --labelled a.mrg --raw b.txt --by single -o c",
)
def selftrain(
    labelled: Annotated[str, opt.option("A treebank in Penn brackets.", metavar="TREES")],
    raw: Annotated[
        str, opt.option("Raw text, compressed or not; sentences without trees, see --input.", metavar="TEXT")
    ],
    output: opt.ModelOutput,
    dev: Annotated[
        str | None, opt.option("Another treebank; it chooses rounds and the teacher.", metavar="DEV")
    ] = None,
    kind: phrases.SourceKind = None,
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
    from treewright.grammar import LatentOptions
    from treewright.grammar.trees import metadata_of
    from treewright.learn import StageCost
    from treewright.papers.selftraining import selftrain as run_selftraining

    task = Task(labelled, dev, output, resume, skip_bad=skip_bad, quiet=quiet, as_json=as_json)
    gold, held_out = task.trees()
    items = phrases.read_items(raw, kind, metadata_of(gold), keep_tags=False, skip_bad=skip_bad)
    sentences = [item.words for item in items]
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
    task.report_grammar(
        trained,
        gold,
        f" and {result.parsed} sentences of raw text ({result.left_out} left out)",
        raw_sentences=result.parsed,
        raw_sentences_left_out=result.left_out,
    )


opt.subcommand(
    app,
    "Write the best tree of each sentence of INPUT.\n\n"
    "The search of a treebank grammar is exact: none of its trees has a higher probability; the tree may still be "
    "wrong. That of collins has a beam, and that of latent leaves out what coarse grammars find improbable. "
    "A sentence without a tree is named on standard error, and (()) is written in its place.",
    "treewright grammar parse grammar.tw test.mrg -o parsed.mrg",
    "treewright grammar parse grammar.tw test.mrg --tags -o parsed.mrg",
    "treewright grammar parse grammar.tw letter.txt --input text -o letter.html",
    'echo "The dog barks ." | treewright grammar parse grammar.tw --to json',
)(phrases.parse)

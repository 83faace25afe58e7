"""`treewright train`: train a pipeline, or one component of it, on a treebank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from treewright.cli.components import (
    Run,
    Task,
    size_of,
    tokeniser_costs,
    train_and_save,
    train_tagger,
    train_tokeniser,
    trained_on,
)
from treewright.cli.options import (
    Dev,
    Learner,
    LearnerOption,
    ModelOutput,
    ModelSeed,
    PlainCommand,
    Quiet,
    Resume,
    Root,
    RootChildren,
    columns_option,
    examples,
    json_option,
    new_app,
    projective_option,
    skip_bad_option,
)
from treewright.cli.shared import note
from treewright.cli.training import StageCost
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence
    from treewright.graphs import GraphOptions
    from treewright.learn import Learning
    from treewright.network import NetworkOptions
    from treewright.parser import FactorOptions, Parser, ParserOptions, ParserSettings
    from treewright.pipeline import Pipeline
    from treewright.pipeline.training import Recipe
    from treewright.tagger import TaggerOptions
    from treewright.words import Words

app = new_app()

HELP = (
    "Train a model on a treebank: a tokeniser, a tagger with lemmas, and a parser.\n\n"
    "The files contain trees (CoNLL-U or CoNLL-X, compressed or not). Trees may be partial: a head or relation that is "
    "'_' is open, and the model learns from the others. The epochs with the best scores on DEV are kept, and the "
    "figures at the end are measured from the raw text of DEV; without --dev the last tenth of TRAIN is held out. The "
    "parser is trained on predicted tags: a tagger that was trained on three quarters of TRAIN tags the fourth. "
    "Columns that are empty in TRAIN are not learned.\n\n"
    "--only trains one component. A parser alone is trained on the columns as they are in TRAIN. Settings that are not "
    "given are chosen from TRAIN and printed before the training starts; where TRAIN has crossing arcs, DEV decides "
    "between projective and non-projective parsing.\n\n"
    "--graphs learns the graphs in DEPS as well, in which words have several heads, without those that have empty "
    "nodes. --only graphs trains that component alone, in seconds, and `treewright pack` adds it to a model.\n\n"
    "--neural trains a small network too, whose scores are added to those of tagger and parser: more accurate, slower "
    "to train. It needs PyTorch (pip install 'treewright[neural]'); parsing does not. --words gives it, and the models "
    "tensor and full, word vectors and word classes (`treewright words`), of which the model keeps what it needs. "
    "--parsed is a file of sentences that a more accurate model parsed, with the tags and relations of TRAIN: tagger, "
    "parser and network learn from them too.\n\n"
    "--model full is the most accurate: third-order parts, global features and a tensor, by hill climbing, so that its "
    "trees have no certificate. --model tensor comes close to it with certified trees. grand is the default: it trains "
    "in less than half of the time, and k best trees, explanations and proofs need certified trees. --learner pa "
    "trains all parts of tensor, third and full as they were published.\n\n"
    "Checkpoints are written beside the model at the ends of epochs. An interrupted or killed training continues with "
    "--resume and ends with the same file, byte for byte."
) + examples(
    "treewright train train.conllu --dev dev.conllu -o my.tw",
    "treewright train train.conllu -o my.tw --resume",
    "treewright train train.conllu -o my.parser --only parser --model arc",
    "treewright train train.conllu -o my.tagger --only tagger --columns upos",
    "treewright train train.conllu --dev dev.conllu -o my.tw --graphs",
    "treewright train train.conllu -o my.tw --neural --words my.words",
)

# The time of a training sentence relative to the pruner, for the estimate of the time left; approximate, by convention.
SCORER_COSTS = {"arc": 6.0, "sib": 9.0, "grand": 13.0, "tensor": 13.0, "outer": 13.0, "third": 13.0, "full": 13.0}
TENSOR_COST = 14.0
FACTOR_COSTS = {"third": 16.0, "full": 24.0}
LABELLER_COST = 3.0
GRAPHS_COST = 0.5
NETWORK_COST = 60.0
WORD_COST = 1.0  # of tokeniser and tagger
GRAPH_FIGURES = ("ELAS", "EULAS", "Extra")
TREE_FIGURES = ("UAS", "LAS")
FIGURES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", *TREE_FIGURES)  # from raw text
OF_THE_PARSER = (
    "model",
    "without",
    "projective",
    "root",
    "learner",
    "restarts",
    "max_heads",
    "threshold",
    "label_rules",
    "graphs",
    "neural",
    "words",
    "parsed",
    "verbose",
)  # options


CasedOptions = TypeVar("CasedOptions", "TaggerOptions", "NetworkOptions")


class Order(str, Enum):
    arc = "arc"
    sib = "sib"
    grand = "grand"
    tensor = "tensor"
    outer = "outer"
    third = "third"
    full = "full"


class Only(str, Enum):
    parser = "parser"
    graphs = "graphs"
    tagger = "tagger"
    tokeniser = "tokeniser"


@app.command(help=HELP, cls=PlainCommand)
def train(
    context: typer.Context,
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to train on; "-" is standard input.')],
    output: ModelOutput,
    dev: Dev = None,
    only: Annotated[Only | None, typer.Option(help="Train one component, not the whole pipeline.")] = None,
    model: Annotated[
        Order,
        typer.Option(
            help="Model order: arc (first order), sib (adds adjacent siblings), grand (adds siblings and grandparents; "
            "certified trees), tensor (grand with a low-rank tensor; more accurate, certified trees), outer (siblings "
            "and outermost grandchildren; projective), third (grand with third-order parts, by hill climbing), full "
            "(third with global features and the tensor)."
        ),
    ] = Order.grand,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP", help="Leave out a group of features of third and full, such as valency, or the tensor."
        ),
    ] = None,
    projective: Annotated[bool | None, projective_option("as in TRAIN")] = None,
    root: RootChildren = Root.auto,
    graphs: Annotated[
        bool,
        typer.Option(
            "--graphs",
            help="Learn the graphs in DEPS too (secondary parents, enhanced dependencies): `parse` then fills DEPS.",
        ),
    ] = False,
    neural: Annotated[
        bool,
        typer.Option("--neural", help="Train a network beside the linear models; it needs PyTorch, parsing does not."),
    ] = False,
    words: Annotated[
        str | None,
        typer.Option(
            "--words",
            metavar="FILE",
            help="Word vectors and classes for --neural, and for the tensor, made by `treewright words`.",
        ),
    ] = None,
    parsed: Annotated[
        str | None,
        typer.Option(
            "--parsed",
            metavar="FILE",
            help="Sentences with the tags and trees of a more accurate model (CoNLL-U), to learn from beside TRAIN; "
            "with --only parser it needs --neural.",
        ),
    ] = None,
    seed: ModelSeed = 1,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of epochs; of the scorer. With --only, of the tags or the tokeniser."
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Trainings of the scorer from zero, each with another order of the sentences and two epochs (--epochs "
            "are shared), whose weights are averaged; 3, or 1 if TRAIN has more than 75,000 words, if not given.",
        ),
    ] = None,
    columns: Annotated[str, columns_option("filled by the tagger: upos, xpos, feats, lemma")] = "upos,xpos,feats,lemma",
    learner: LearnerOption = Learner.crf,
    max_heads: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Largest number of candidate heads a word after pruning; 10 if not given."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Prune heads below this share of the best head's marginal; 0.001 if not given.",
        ),
    ] = None,
    label_rules: Annotated[
        bool,
        typer.Option(
            "--label-rules/--no-label-rules",
            help="Do not use labels together, or with tags, that never go together in TRAIN.",
        ),
    ] = True,
    case_noise: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Share of the training sentences that are put in lower case, so that text without capitals is parsed "
            "well; 0.2, and 0.1 for the network of --neural, if not given. The tokeniser also sees capitals.",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the rules about labels with their counts.")
    ] = False,
    resume: Resume = False,
    skip_bad: Annotated[bool, skip_bad_option("; or have no valid tree")] = False,
    as_json: Annotated[bool, json_option("; with settings and epochs")] = False,
    quiet: Quiet = False,
) -> None:
    from treewright.graphs import GraphOptions
    from treewright.parser import ParserOptions, changed
    from treewright.parser.options import PUBLISHED_TENSOR, has_tensor
    from treewright.tagger import TaggerOptions
    from treewright.tokeniser import TokeniserOptions

    task = Task(train, dev, output, resume, skip_bad, quiet, as_json)
    check_options(context, only)
    tagging = with_noise(TaggerOptions(tuple(columns.split(",")), seed), case_noise)
    if only is Only.tagger:
        train_tagger(task, replace(tagging, tags=with_epochs(tagging.tags, epochs)))
        return
    if only is Only.tokeniser:
        options = TokeniserOptions(seed, case_noise=tagging.case_noise)
        train_tokeniser(task, replace(options, learning=with_epochs(options.learning, epochs)))
        return
    if only is Only.graphs:
        chosen = GraphOptions(seed)
        train_graphs(task, chosen if epochs is None else replace(chosen, epochs=epochs))
        return
    parsing = ParserOptions(model.value, projective, None if root is Root.auto else root.value, seed, learner.value)
    parsing = replace(
        parsing,
        pruning=changed(parsing.pruning, max_heads=max_heads, threshold=threshold),
        scoring=changed(parsing.scoring, epochs=epochs, restarts=restarts),
        factors=factor_options(model, without or [], learner),
        tensor=PUBLISHED_TENSOR if learner is Learner.pa else parsing.tensor,
        label_rules=label_rules,
        graphs=GraphOptions(seed) if graphs else None,
    )
    check = "partial-single-root" if root is Root.single else "partial"
    networks = Networks.of(neural, words, parsed, seed, case_noise, has_tensor(parsing))
    if only is Only.parser:
        train_parser(task, check, parsing, networks, verbose)
    else:
        train_pipeline(task, check, parsing, tagging, networks, verbose)


def factor_options(model: Order, without: Sequence[str], learner: Learner) -> FactorOptions:
    """The options of third-order parts and global features."""
    from treewright.parser import FactorOptions
    from treewright.parser.options import PUBLISHED_FACTORS

    if without and model not in (Order.third, Order.full):
        raise typer.BadParameter("it needs --model third or --model full", param_hint="--without")
    return replace(PUBLISHED_FACTORS if learner is Learner.pa else FactorOptions(), without=tuple(without))


class Networks(NamedTuple):
    """How a network is trained, without options there is none; the words for it and for a tensor; parsed sentences."""

    options: NetworkOptions | None
    words: Words | None
    parsed: Sequence[Sentence] = ()

    @classmethod
    def of(
        cls,
        neural: bool,
        words: str | None,
        parsed: str | None,
        seed: int,
        case_noise: float | None,
        has_tensor: bool = False,
    ) -> Networks:
        from treewright.corpus import Treebank
        from treewright.network import NetworkOptions
        from treewright.network.network import import_training
        from treewright.words import Words

        if words is not None and not (neural or has_tensor):
            problem = "only a network and a tensor use words: add --neural or --model tensor"
            raise typer.BadParameter(problem, param_hint="--words")
        given = None if words is None else Words.load(words)
        if neural:
            import_training()  # before a long training: it says what to install if PyTorch is missing
        others = [] if parsed is None else Treebank.read(parsed, check="partial")
        return cls(with_noise(NetworkOptions(seed=seed), case_noise) if neural else None, given, others)

    def costs(self, words: int) -> list[StageCost]:
        """The stages of its training on so many words."""
        return [] if self.options is None else [StageCost("network", self.options.epochs_for(words), NETWORK_COST)]

    def settings(self) -> dict[str, Any]:
        """The settings that are shown before a training."""
        return {} if self.options is None else {"network": self.options.to_json()}


def with_noise(options: CasedOptions, case_noise: float | None) -> CasedOptions:
    """Another share of sentences in lower case, where it is given."""
    return options if case_noise is None else replace(options, case_noise=case_noise)


def with_epochs(learning: Learning, epochs: int | None) -> Learning:
    """Other epochs, where they are given."""
    return learning if epochs is None else replace(learning, epochs=epochs)


def check_options(context: typer.Context, only: Only | None) -> None:
    """Refuse options that the chosen component does not have."""
    refused = {
        Only.tagger: OF_THE_PARSER,
        Only.tokeniser: (*OF_THE_PARSER, "columns"),
        Only.parser: ("columns",) if context.params["neural"] else ("columns", "case_noise"),
        Only.graphs: (*OF_THE_PARSER, "columns", "case_noise"),
    }
    for name in refused[only] if only else ():
        if only and is_given(context, name):
            raise typer.BadParameter(
                f"--only {only.value} has no such option", param_hint=f"--{name.replace('_', '-')}"
            )
    if only is Only.parser and context.params["parsed"] and not context.params["neural"]:
        raise typer.BadParameter("with --only parser it needs --neural; or join the files", param_hint="--parsed")


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def train_parser(task: Task, check: str, options: ParserOptions, networks: Networks, verbose: bool) -> None:
    """Train a parser alone on the columns as they are."""
    from treewright.parser import LabelRules, Parser, resolve
    from treewright.pipeline.networks import train_parser_with_network

    banks = task.banks(check)
    check_graphs(task, banks[0], options)
    task.show_open_cells(banks)
    settings = resolve(options, banks[0])
    task.show_settings(settings.to_json() | networks.settings())
    if verbose and settings.label_rules:
        task.show_lines(LabelRules.read(banks[0]).describe())

    def new_parser(run: Run) -> Parser:
        given = {"options": settings, "resume": task.resume, **run._asdict()}
        if networks.options is None:
            return Parser.train(*banks, words=networks.words, **given)
        return train_parser_with_network(
            *banks,
            network=networks.options,
            words=networks.words,
            parsed=networks.parsed,
            note=None if task.quiet else note,
            **given,
        )

    stages = networks.costs(sum(map(len, banks[0]))) + stage_costs(settings, len(banks[0]))
    trained = train_and_save(task.output, stages, task.quiet, new_parser)
    if task.has_report:
        found = parser_summary(trained.model, banks, task.output, trained.seconds)
        task.report(found, trained.epochs, parser_in_words(found))


def check_graphs(task: Task, sentences: Sequence[Sentence], options: ParserOptions) -> None:
    """Refuse training data without graphs, or with bad ones, before anything is shown."""
    if options.graphs is not None:
        check_has_graphs(task, sentences)


def check_has_graphs(task: Task, sentences: Sequence[Sentence]) -> None:
    from treewright.graphs.training import examples_of

    if not examples_of(sentences):
        raise InputError(
            f"{task.train}: there is no graph to learn from: DEPS is empty, or every graph has empty nodes"
        )


def train_graphs(task: Task, options: GraphOptions) -> None:
    """Train a graph parser alone, for trees that another model finds."""
    from treewright.graphs import GraphParser

    banks = task.banks("tree")
    check_has_graphs(task, banks[0])
    task.show_settings(dict(options.to_json()))
    trained = train_and_save(
        task.output,
        [StageCost("graphs", options.epochs, 1.0)],
        task.quiet,
        lambda run: GraphParser.train(*banks, options=options, resume=task.resume, **run._asdict()),
    )
    figures = graph_figures(banks[1], list(trained.model.parse(banks[1])))
    found = {**size_of(task.output, banks[0], trained.seconds), "options": options.to_json(), "development": figures}
    task.report(
        found,
        trained.epochs,
        f"{task.output}: {trained.model}; {trained_on(found)}; from the gold trees of the development sentences "
        + figures_in_words(figures),
    )


def graph_figures(gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
    """F1 of the edges of graphs."""
    from treewright.evaluate import evaluate

    scores = evaluate(gold, found).scores
    return {name: 100 * scores[name].f1 for name in GRAPH_FIGURES}


def figures_in_words(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {figure:.2f}" for name, figure in figures.items())


def train_pipeline(
    task: Task, check: str, parsing: ParserOptions, tagging: TaggerOptions, networks: Networks, verbose: bool
) -> None:
    """Train tokeniser, tagger and parser, and measure them together from raw text."""
    from treewright.parser import LabelRules, resolve
    from treewright.pipeline import Pipeline
    from treewright.pipeline.training import Recipe
    from treewright.tokeniser import TokeniserOptions

    sentences, dev = task.banks(check)
    check_graphs(task, sentences, parsing)
    task.show_open_cells((sentences, dev))
    settings = resolve(parsing, sentences)
    tokenising = TokeniserOptions(tagging.seed, case_noise=tagging.case_noise)
    notes = (lambda line: None) if task.quiet else note
    recipe = Recipe(tokenising, tagging, settings).for_treebank(sentences, notes)
    task.show_settings(settings.to_json() | networks.settings())
    if verbose and settings.label_rules:
        task.show_lines(LabelRules.for_predicted_tags(sentences).describe())
    trained = train_and_save(
        task.output,
        networks.costs(sum(map(len, sentences))) + pipeline_costs(recipe, settings, len(sentences)),
        task.quiet,
        lambda run: Pipeline.train(
            *(sentences, dev),
            options=settings,
            tagger_options=tagging,
            tokeniser_options=tokenising,
            network=networks.options,
            words=networks.words,
            parsed=networks.parsed,
            metadata={"name": task.output.stem},
            resume=task.resume,
            **run._asdict(),
        ),
    )
    if task.has_report:
        found = pipeline_summary(trained.model, sentences, dev, task.output, trained.seconds)
        task.report(found, trained.epochs, pipeline_in_words(found))


def stage_costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """The stages of the training of a parser."""
    folds = min(settings.pruning.folds, sentences)
    pruners = [f"fold {fold + 1}" for fold in range(folds if folds > 1 else 0)] + ["pruner"]
    return [
        *(StageCost(name, settings.pruning.epochs, 1.0) for name in pruners),
        StageCost("scorer", settings.scoring.epochs, SCORER_COSTS[settings.model]),
        *factor_costs(settings, sentences),
        StageCost("labeller", settings.labelling.epochs, LABELLER_COST),
        *([StageCost("graphs", settings.graphs.epochs, GRAPHS_COST)] if settings.graphs else []),
    ]


def factor_costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """The stages of a tensor and of factors, with those of the scorers that they learn beside."""
    from treewright.parser.training import FOLD_EPOCHS, fold_names

    def of_folds(stage: str, cost: float) -> list[StageCost]:
        names = fold_names(stage, sentences)
        return [StageCost(name, FOLD_EPOCHS, cost * (len(names) - 1) / len(names)) for name in names]

    tensor, factors = settings.tensor, settings.factors
    stages = [] if tensor is None and factors is None else of_folds("scorer", SCORER_COSTS[settings.model])
    if tensor is not None:
        jackknifed = [] if factors is None else of_folds("tensor", TENSOR_COST)
        stages += [*jackknifed, StageCost("tensor", tensor.epochs, TENSOR_COST)]
    if factors is not None:
        stages.append(StageCost("factors", factors.epochs, FACTOR_COSTS[settings.model]))
    return stages


def pipeline_costs(recipe: Recipe, settings: ParserSettings, sentences: int) -> list[StageCost]:
    """The stages of the training of a pipeline."""
    from treewright.pipeline.training import fold_name

    stages = []
    if recipe.tokeniser is not None:
        stages += tokeniser_costs(recipe.tokeniser, WORD_COST)
    for name in ("", *map(fold_name, range(recipe.folds))):
        stages.append(StageCost(f"{name}tags", recipe.tagger.tags.epochs, WORD_COST))
        stages.append(StageCost(f"{name}lemmas", recipe.tagger.lemmas.epochs, WORD_COST))
    return stages + stage_costs(settings, sentences)


def parser_summary(
    parser: Parser, banks: tuple[Sequence[Sentence], Sequence[Sentence]], output: Path, seconds: float
) -> dict[str, Any]:
    """Settings, sizes, and the scores on the development data."""
    from treewright.parser.partial import attachment

    bank, dev = banks
    parsed = list(parser.parse(dev))
    scores = attachment(dev, parsed)
    development: dict[str, Any] = {
        "sentences": len(dev),
        "words": sum(map(len, dev)),
        "uas": scores.uas,
        "las": scores.las,
        "certified": sum(found.parse.certified for found in parsed) / len(dev),
        "pruned": any(found.parse.pruned for found in parsed),
    }
    if parser.graphs:
        development["f1"] = graph_figures(dev, parsed)
    return {
        **size_of(output, bank, seconds),
        "labels": len(parser.model.labels),
        "options": parser.options.to_json(),
        "development": development,
    }


def parser_in_words(found: dict[str, Any]) -> str:
    options, dev = found["options"], found["development"]
    kind = "projective" if options["projective"] else "non-projective"
    roots = "one root" if options["root"] == "single" else "several roots"
    return (
        f"{found['file']}: {options['model']}, {kind}, {roots}, {found['labels']} relations; {trained_on(found)}; "
        f"on {dev['sentences']} development sentences UAS {dev['uas']:.2f}, LAS {dev['las']:.2f}, "
        f"{certificates_in_words(options, dev)}"
        + (f"; graphs (F1): {figures_in_words(dev['f1'])}" if "f1" in dev else "")
    )


def certificates_in_words(options: dict[str, Any], dev: dict[str, Any]) -> str:
    if options.get("factors"):
        return "trees found by hill climbing"
    scope = " over candidate arcs" if dev["pruned"] else ""
    return f"{100 * dev['certified']:.1f} % of the trees certified as the model's best{scope}"


def pipeline_summary(
    pipeline: Pipeline, sentences: Sequence[Sentence], dev: Sequence[Sentence], output: Path, seconds: float
) -> dict[str, Any]:
    """Sizes, options, and the figures from the raw text of the development data."""
    from treewright.evaluate import evaluate
    from treewright.tokeniser.tokeniser import text_and_ends

    gold, figures = judged(dev)
    if pipeline.trained_parser.graphs and figures == FIGURES:
        figures = (*FIGURES, *GRAPH_FIGURES)
    found = pipeline(text_and_ends(gold)[0])
    scores = evaluate(gold, found).scores
    return {
        **size_of(output, sentences, seconds),
        "columns": pipeline.tagger.columns,
        "options": pipeline.trained_parser.options.to_json(),
        "development": {
            "sentences": len(gold),
            "words": sum(map(len, gold)),
            "certified": sum(one.parse.certified for one in found) / len(found),
            "pruned": any(one.parse.pruned for one in found),
            "f1": {name: 100 * scores[name].f1 for name in figures},
        },
    }


def judged(dev: Sequence[Sentence]) -> tuple[Sequence[Sentence], Sequence[str]]:
    """The development sentences with complete trees, and the figures that they give; all of them if none is complete.

    Figures of trees are then left out, and open heads are set to the root, so that the sentences can be compared.
    """
    complete = [sentence for sentence in dev if -1 not in sentence.head_numbers()]
    if complete:
        return complete, FIGURES
    filled = [sentence.with_columns(heads=sentence.heads.clip(min=0)) for sentence in dev]
    return filled, [name for name in FIGURES if name not in TREE_FIGURES]


def pipeline_in_words(found: dict[str, Any]) -> str:
    dev = found["development"]
    figures = figures_in_words(dev["f1"])
    return (
        f"{found['file']}: {found['bytes'] / 1e6:.1f} MB; {trained_on(found)}\n"
        f"from the raw text of {dev['sentences']} development sentences (F1): {figures}; "
        f"{certificates_in_words(found['options'], dev)}"
    )

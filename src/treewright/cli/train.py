"""`treewright train`: train a pipeline, or one component of it, on a treebank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from treewright.cli import options as opt
from treewright.cli.figures import FIGURES, GRAPH_FIGURES, f1_figures, sentences_to_judge
from treewright.cli.shared import quantity
from treewright.cli.training import Task, Trained, figures_in_words, size_of, training_size
from treewright.corpus import Sentence, Treebank
from treewright.graphs import GraphOptions, GraphParser
from treewright.languages.catalogue import published_in_words, treebank_of_file
from treewright.learn import Plan, StageCost
from treewright.network import NetworkOptions
from treewright.network.network import import_training
from treewright.parser import Parser, ParserOptions
from treewright.parser.partial import attachment
from treewright.pipeline import Pipeline
from treewright.pipeline.training import plan_parser
from treewright.tagger import Tagger, TaggerOptions
from treewright.tagger import options as tagger_options
from treewright.tagger.full_forms import read_lexicon
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.tokeniser import stage_costs, text_and_ends
from treewright.words import Words

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


app, command = opt.new_command(
    "train",
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
    "to train. It needs PyTorch (pip install 'treewright[neural]'); parsing does not. --words gives it word vectors "
    "and word classes (`treewright words`), of which the model keeps what it needs. "
    "--parsed is a file of sentences that a more accurate model parsed, with the tags and relations of TRAIN: tagger, "
    "parser and network learn from them too.\n\n"
    "--encoder trains a larger network, over a pretrained transformer: the most accurate model, and the slowest; it "
    "needs PyTorch and transformers for parsing too (--fast does not). `treewright distil` parses text with it, from "
    "which --parsed makes a small model; see docs/network.md.\n\n"
    "--lexicon is a full-form lexicon, such as one made of UniMorph: what it says about words that TRAIN does not have "
    "is used for lemmas and tags.\n\n"
    "--model full is the most accurate: third-order parts, global features and a tensor, by hill climbing, so that its "
    "trees have no certificate. --model tensor comes close to it with certified trees. grand is the default: it trains "
    "in less than half of the time, and k best trees, explanations and proofs need certified trees.\n\n"
    "Checkpoints are written beside the model at the ends of epochs. An interrupted or killed training continues with "
    "--resume and ends with the same file, byte for byte.",
    "treewright train train.conllu --dev dev.conllu -o my.tw",
    "treewright train train.conllu -o my.tw --resume",
    "treewright train train.conllu -o my.parser --only parser --model arc",
    "treewright train train.conllu -o my.tagger --only tagger --columns upos",
    "treewright train train.conllu -o my.tw --lexicon words.tsv",
    "treewright train train.conllu --dev dev.conllu -o my.tw --graphs",
    "treewright train train.conllu -o my.tw --neural --words my.words",
    "treewright train train.conllu --dev dev.conllu -o a.tw --encoder FOLDER",
)

Options = TypeVar("Options", bound="DataclassInstance")
Planned = TypeVar("Planned", "Parser", "Pipeline")
Order = Literal["arc", "sib", "grand", "tensor", "outer", "third", "full"]
Only = Literal["parser", "graphs", "tagger", "tokeniser"]


# The options of every component, and those that a component has beside them; a parser has all but the columns.
COMMON = ("train", "output", "dev", "only", "seed", "epochs", "resume", "skip_bad", "as_json", "quiet")
FURTHER = {"tagger": ("columns", "case_noise", "lexicon"), "tokeniser": ("case_noise",), "graphs": ()}


@command
def train(
    context: typer.Context,
    train: Annotated[str, opt.argument("TRAIN", 'The treebank to train on; "-" is standard input.')],
    output: opt.ModelOutput,
    dev: opt.Dev = None,
    only: Annotated[Only | None, opt.option("Train one component, not the whole pipeline.")] = None,
    model: Annotated[
        Order,
        opt.option(
            "Model order: arc (first order), sib (adds adjacent siblings), grand (adds siblings and grandparents; "
            "certified trees), tensor (grand with a low-rank tensor; more accurate, certified trees), outer (siblings "
            "and outermost grandchildren; projective), third (grand with third-order parts, by hill climbing), full "
            "(third with global features and the tensor)."
        ),
    ] = "grand",
    projective: Annotated[bool | None, opt.projective_option("as in TRAIN")] = None,
    root: opt.RootChildren = "auto",
    graphs: Annotated[
        bool,
        opt.option(
            "Learn the graphs in DEPS too (secondary parents, enhanced dependencies): `parse` then fills DEPS.",
            "--graphs",
        ),
    ] = False,
    neural: opt.Neural = False,
    encoder: Annotated[
        str | None,
        opt.option(
            "Train a network that also reads the states of a pretrained transformer, which is trained too: a "
            "folder or a name that `transformers` loads (BERT, RoBERTa, XLM-R, DeBERTa, MPNet).",
            metavar="NAME",
        ),
    ] = None,
    encoder_layers: Annotated[
        int | None, opt.number_option("Use the lowest N layers of --encoder alone: faster; all if not given.")
    ] = None,
    frozen_layers: Annotated[
        int,
        opt.number_option(
            "Do not train the lowest N layers of --encoder, whose states are then computed once: less time, but "
            "memory (2 MB for 1,000 words with 768 units).",
            min=0,
        ),
    ] = 0,
    words: Annotated[
        str | None, opt.file_option("Word vectors and classes for --neural, made by `treewright words`.")
    ] = None,
    parsed: Annotated[
        str | None,
        opt.file_option(
            "Sentences with the tags and trees of a more accurate model (CoNLL-U), to learn from beside TRAIN; "
            "with --only parser it needs --neural."
        ),
    ] = None,
    lexicon: Annotated[
        str | None,
        opt.file_option(
            "Words with their lemmas (four columns with tabs: form, UPOS, FEATS or _, lemma), for the lemmas of words "
            "that TRAIN does not have and for the tags of unknown words."
        ),
    ] = None,
    raw: Annotated[
        str | None,
        opt.file_option(
            "Raw text, compressed or not: words that look like contractions without an apostrophe and are frequent in "
            "it are not split."
        ),
    ] = None,
    light: Annotated[
        bool,
        opt.option(
            "Set small weights to zero at the end, as many as cost at most 0.1 LAS on DEV: a smaller file.", "--light"
        ),
    ] = False,
    seed: opt.ModelSeed = 1,
    epochs: Annotated[
        int | None, opt.number_option("Number of epochs; of the scorer. With --only, of the tags or the tokeniser.")
    ] = None,
    restarts: Annotated[
        int | None,
        opt.number_option(
            "Trainings of the scorer from zero, each with another order of the sentences and two epochs (--epochs "
            "are shared), whose weights are averaged; 3, or 1 if TRAIN has more than 75,000 words, if not given."
        ),
    ] = None,
    columns: Annotated[
        str, opt.columns_option("filled by the tagger: upos, xpos, feats, lemma")
    ] = "upos,xpos,feats,lemma",
    learner: opt.LearnerOption = "crf",
    case_noise: Annotated[
        float | None,
        opt.share_option(
            "Share of the training sentences that are put in lower case, so that text without capitals is parsed "
            "well; 0.2, and 0.1 for the network of --neural, if not given. The tokeniser also sees capitals."
        ),
    ] = None,
    resume: opt.Resume = False,
    skip_bad: Annotated[bool, opt.skip_bad_option("; or have no valid tree")] = False,
    as_json: Annotated[bool, opt.json_option("; with settings and epochs")] = False,
    quiet: opt.Quiet = False,
) -> None:
    task = Task(train, dev, output, resume, skip_bad, quiet, as_json)
    check_options(context, only)
    tagging = override(TaggerOptions(tuple(columns.split(",")), seed), case_noise=case_noise)
    tokenising = TokeniserOptions(seed, case_noise=tagging.case_noise)
    if only == "tagger":
        tagging = replace(tagging, tags=override(tagging.tags, epochs=epochs))
        entries = read_lexicon(lexicon)
        task.run_component(Tagger, tagging, lambda _: tagger_options.stage_costs(tagging), lexicon=entries)
        return
    if only == "tokeniser":
        tokenising = replace(tokenising, learning=override(tokenising.learning, epochs=epochs))
        task.run_component(Tokeniser, tokenising, partial(stage_costs, tokenising))
        return
    if only == "graphs":
        graph_options = override(GraphOptions(seed), epochs=epochs)
        task.run_component(
            GraphParser, graph_options, lambda _: [StageCost("graphs", graph_options.epochs, 1.0)], "tree", judge_graphs
        )
        return
    parsing = ParserOptions(model, projective, None if root == "auto" else root, seed, learner)
    parsing = replace(
        parsing,
        scoring=override(parsing.scoring, epochs=epochs, restarts=restarts),
        graphs=GraphOptions(seed) if graphs else None,
    )
    network = None
    if encoder is not None:
        network = NetworkOptions.with_encoder(encoder, layers=encoder_layers, frozen=frozen_layers)
    elif neural:
        network = NetworkOptions()
    if network is not None:
        network = override(network, seed=seed, case_noise=case_noise)
    beside: dict[str, Any] = {"network": network, **network_data(network, words, parsed)}
    banks = task.banks("partial-single-root" if root == "single" else "partial")
    if only == "parser":
        parser_plan = plan_parser(*banks, parsing, **beside)
        report_parser(task, parser_plan, task.run(parser_plan))
        return
    plan = Pipeline.plan(
        *banks,
        options=parsing,
        tagger_options=tagging,
        tokeniser_options=tokenising,
        lexicon=lexicon,
        raw=raw,
        metadata={"name": output.stem},
        light=light,
        **beside,
    )
    report_pipeline(task, plan, task.run(plan))


def override(options: Options, **values: Any) -> Options:
    """Return a copy of the options with the values that were given."""
    return replace(options, **{name: value for name, value in values.items() if value is not None})


def network_data(network: NetworkOptions | None, words: str | None, parsed: str | None) -> dict[str, Any]:
    """Read what a network learns from beside the treebank, after a check that one can be trained."""

    if words is not None and network is None:
        raise typer.BadParameter("only a network uses words: add --neural", param_hint="--words")
    if network is not None:
        import_training(encoder=network.encoder is not None)  # says what to install, before a long training
    return {
        "words": None if words is None else Words.load(words),
        "parsed": [] if parsed is None else Treebank.read(parsed, check="partial"),
    }


def check_options(context: typer.Context, only: Only | None) -> None:
    """Refuse options that the chosen component does not have."""
    neural = context.params["neural"] or context.params["encoder"]
    for name in ("encoder_layers", "frozen_layers"):
        if context.params["encoder"] is None and is_given(context, name):
            raise typer.BadParameter("there is no encoder: add --encoder", param_hint=f"--{name.replace('_', '-')}")
    for name in context.params if only else ():
        if only == "parser":
            is_refused = name in ("columns", "lexicon", "raw", "light") or (name == "case_noise" and not neural)
        else:
            is_refused = only is not None and name not in (*COMMON, *FURTHER[only])
        if only and is_refused and is_given(context, name):
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"--only {only} has no such option", param_hint=option)
    if only == "parser" and context.params["parsed"] and not neural:
        raise typer.BadParameter("with --only parser it needs --neural; or join the files", param_hint="--parsed")


def is_given(context: typer.Context, name: str) -> bool:
    """Return whether an option was given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def judge_graphs(parser: Any, dev: Sequence[Sentence]) -> dict[str, float]:
    """Return F1 of the edges of graphs over gold trees."""
    return f1_figures(dev, list(parser.parse(dev)), GRAPH_FIGURES)


def describe_development(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> dict[str, Any]:
    """Return the size of the development data, and the certificates of their trees."""
    return {
        "sentences": len(gold),
        "words": sum(map(len, gold)),
        "certified": sum(sentence.parse.certified for sentence in parsed) / len(parsed),
        "pruned": any(sentence.parse.pruned for sentence in parsed),
    }


def certificates_in_words(options: Mapping[str, Any], parsed: Sequence[Sentence]) -> str:
    """Say how many trees are not certified, after a semicolon; nothing if all are."""
    if options.get("factors"):
        return "; trees found by hill climbing"
    without = sum(not sentence.parse.certified for sentence in parsed)
    return f"; {quantity(without, 'tree')} not certified" if without else ""


def report_parser(task: Task, plan: Plan[Sentence, Parser], trained: Trained[Parser]) -> None:
    """Print settings, sizes, and the scores of a parser on the development data."""

    if not task.has_report:
        return
    parser, dev = trained.model, plan.dev
    parsed = list(parser.parse(dev))
    scores = attachment(dev, parsed)
    development = {**describe_development(dev, parsed), "uas": scores.uas, "las": scores.las}
    if parser.graphs:
        development["f1"] = f1_figures(dev, parsed, GRAPH_FIGURES)
    options = parser.options.to_json()
    summary = {
        **size_of(task.output, plan.train, trained.seconds),
        "labels": len(parser.model.labels),
        "options": options,
        "development": development,
    }
    kind = "projective" if options["projective"] else "non-projective"
    roots = "one root" if options["root"] == "single" else "several roots"
    in_words = (
        f"{task.output}: {options['model']}, {kind}, {roots}, {summary['labels']} relations; {training_size(summary)}; "
        f"on {len(dev)} development sentences UAS {scores.uas:.2f}, LAS {scores.las:.2f}"
        f"{certificates_in_words(options, parsed)}"
    )
    if "f1" in development:
        in_words += f"; graphs (F1): {figures_in_words(development['f1'])}"
    task.report(summary, trained.epochs, in_words)


def report_pipeline(task: Task, plan: Plan[Sentence, Pipeline], trained: Trained[Pipeline]) -> None:
    """Print sizes, options, and the figures of a pipeline from the raw text of the development data."""

    if not task.has_report:
        return
    pipeline = trained.model
    entry = treebank_of_file(task.train)
    gold, names = sentences_to_judge(plan.dev)
    if pipeline.trained_parser.graphs and names == FIGURES:
        names = (*FIGURES, *GRAPH_FIGURES)
    parsed = pipeline(text_and_ends(gold)[0])
    figures = f1_figures(gold, parsed, names)
    summary = {
        **size_of(task.output, plan.train, trained.seconds),
        "columns": pipeline.tagger.columns,
        "options": pipeline.trained_parser.options.to_json(),
        "development": {**describe_development(gold, parsed), "f1": figures},
    }
    if entry and entry.published:
        summary["published"] = {"treebank": entry.treebank, "f1": dict(entry.published)}
    published = published_in_words(entry)
    task.report(
        summary,
        trained.epochs,
        f"{task.output}: {summary['bytes'] / 1e6:.1f} MB; {training_size(summary)}\n"
        f"from the raw text of {len(gold)} development sentences (F1): {figures_in_words(figures)}"
        f"{certificates_in_words(summary['options'], parsed)}" + (f"\n{published}" if published else ""),
    )

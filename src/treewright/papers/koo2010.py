"""Koo, Rush, Collins, Jaakkola & Sontag (2010): dual decomposition for non-projective head automata.

Tables 1 and 3, Figures 3 and 4 and Section 7.6: the gain by siblings and grandparents, the share of trees that dual
decomposition certifies, the loss by projective decoding, the accuracy of automata without the tree. Parsers learn as in
the paper, by the averaged perceptron over the automata without the tree constraint, or by our likelihood (`learner`
"crf"). Features are ours, or published ones (feature_sets.py). The paper's treebanks are those of CoNLL-X: compare the
gaps between columns, not their levels; `treewright reproduce danish` has the one treebank on which levels compare.

Table 2 is in koo2010_programs.py.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import typer
from numpy.typing import NDArray

from treewright import decode
from treewright.cli.options import (
    Json,
    PlainCommand,
    Quiet,
    examples,
    new_app,
    output_option,
    seconds_option,
    seed_option,
)
from treewright.corpus import Sentence
from treewright.papers.common import (
    COLOURS,
    MaxSentences,
    Report,
    Steps,
    Treebank,
    Treebanks,
    axes,
    corpus,
    data_argument,
    ensure_matplotlib,
    names_of,
    progress,
    show_lines,
    show_rows,
    silence,
    steps,
    training,
    with_option_groups,
)
from treewright.papers.feature_sets import FeaturesOption, templates_of
from treewright.papers.koo2010_programs import LEARNER, MODELS, Row, table2, table2_trained, trained
from treewright.parser import Parser

FREE = (91.11, 88.95)  # Section 7.6, Penn Treebank: precision and recall
# Folder under the data folder -> MST, Sib, G+S, CertS, CertG, TimeS, TimeG as the paper's Table 1 prints them.
TREEBANKS: dict[str, tuple[float, ...]] = {
    "native/Danish-DDT": (89.74, 91.08, 91.78, 99.07, 98.45, 0.053, 0.169),
    "ud/Portuguese-Bosque": (90.68, 92.57, 93.03, 99.65, 99.31, 0.047, 0.257),
    "ud/Turkish-IMST": (75.66, 77.14, 77.55, 98.72, 99.04, 0.021, 0.047),
    "ud/Gothic-PROIEL": (),
    "ud/Hungarian-Szeged": (),
    "ud/English-EWT": (90.29, 92.03, 92.57, 98.96, 99.12, 0.081, 0.168),
}
PROJECTIVE = ("ud/Gothic-PROIEL", "ud/Hungarian-Szeged", "ud/English-EWT")
LIMITS = (10, 25, 50, 100, 250, 500, 1000, 5000)  # on iterations
# Table 3, development UAS: Sib, P-Sib, G+S, P-G+S.
TABLE3 = {"Penn Treebank": (92.19, 92.34, 92.71, 92.70), "Prague Treebank": (86.41, 85.67, 87.40, 86.43)}


@dataclass(frozen=True)
class Decoding:
    """The result of decoding a test set by one method; seconds are CPU seconds for each sentence."""

    uas: float
    certified: float  # percent
    agreed: float  # percent certified by agreement, the paper's criterion
    seconds: float


@dataclass(frozen=True)
class Row1:
    """A treebank of Table 1: by model, decoded exactly; siblings and grandparents by dual decomposition too."""

    treebank: str
    exact: dict[str, Decoding]
    dual: dict[str, Decoding]  # as published
    tightened: dict[str, Decoding]
    training: dict[str, float]  # CPU seconds for each training sentence
    published: tuple[float, ...]


@dataclass(frozen=True)
class Row3:
    """A treebank of Table 3: UAS of a model of siblings and one of grandparents, decoded with crossing arcs or not."""

    treebank: str
    uas: dict[str, float]  # sib, P-sib, grand, P-grand


def table1(
    data: Path,
    treebanks: Sequence[str] = tuple(TREEBANKS),
    *,
    learner: str = LEARNER,
    features: str = "standard",
    max_iterations: int = 5000,
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[Row1]:
    """Train the three models on each treebank by `learner`, decode its test set without the projective constraint.

    sentences limits the number of training sentences.
    """
    templates_of(features, "grand")  # refused before anything is trained
    parts = {treebank: (training(data, treebank, sentences), corpus(data, treebank, "test")) for treebank in treebanks}
    step = Steps(report, 10 * len(parts))
    for treebank, (train, test) in parts.items():
        exact, dual, tightened, seconds = {}, {}, {}, {}
        for model in MODELS:
            step(f"{treebank}: training {model}")
            start = time.process_time()
            parser = trained(train, model, learner, features)
            seconds[model] = (time.process_time() - start) / len(train)
            step(f"{treebank}: decoding {model} exactly")
            exact[model] = decoded(parser, test, method="exact")
            if model != "arc":
                step(f"{treebank}: dual decomposition of {model}")
                dual[model] = decoded(parser, test, method="dd", published=True, max_iterations=max_iterations)
                step(f"{treebank}: dual decomposition of {model}, tightened")
                tightened[model] = decoded(parser, test, method="dd", max_iterations=max_iterations)
        yield Row1(treebank, exact, dual, tightened, seconds, TREEBANKS.get(treebank, ()))


def table3(
    data: Path,
    treebanks: Sequence[str] = PROJECTIVE,
    *,
    learner: str = LEARNER,
    features: str = "standard",
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[Row3]:
    """Train a sibling and a grandparent model, decode the development set with crossing arcs and without.

    As in the paper, one model has both decoders: the perceptron over the automata knows nothing of either.
    """
    templates_of(features, "grand")  # refused before anything is trained
    parts = {treebank: (training(data, treebank, sentences), corpus(data, treebank, "dev")) for treebank in treebanks}
    step = Steps(report, 2 * len(parts))
    for treebank, (train, dev) in parts.items():
        uas = {}
        for model in MODELS[1:]:
            step(f"{treebank}: {model}")
            parser = trained(train, model, learner, features)
            uas[model] = decoded(parser, dev, method="exact").uas
            uas[f"P-{model}"] = decoded(parser, dev, method="exact", projective=True).uas
        yield Row3(treebank, uas)


@dataclass(frozen=True)
class Free:
    """A treebank of Section 7.6: what the automata choose without the tree constraint, beside the tree."""

    treebank: str
    precision: float
    recall: float
    uas: float  # of the best trees


def free_automata(
    data: Path,
    treebanks: Sequence[str] = tuple(TREEBANKS),
    *,
    learner: str = LEARNER,
    features: str = "standard",
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[Free]:
    """Train the sibling model and compare the arcs that its automata choose by themselves with development trees."""
    parts = {treebank: (training(data, treebank, sentences), corpus(data, treebank, "dev")) for treebank in treebanks}
    step = Steps(report, len(parts))
    for treebank, (train, dev) in parts.items():
        step(f"{treebank}: sib")
        parser = trained(train, "sib", learner, features)
        right = chosen = 0
        for sentence in dev:
            arcs = free_arcs(parser.parts(sentence))
            chosen += len(arcs)
            right += sum(int(sentence.heads[m - 1]) == h for h, m in arcs)
        words = sum(map(len, dev))
        uas = decoded(parser, dev, method="exact").uas
        yield Free(treebank, 100 * right / max(chosen, 1), 100 * right / words, uas)


def free_arcs(parts: decode.Parts) -> list[tuple[int, int]]:
    """Return the arcs (h, m) that the sibling automata choose when nothing makes them agree on a tree."""
    sides = [(h, side) for h in range(parts.nodes) for side in (0, 1) if (h, side) != (0, 0)]
    return [(h, int(m)) for h, side in sides for m in decode.sibling_automaton(parts, h, side, root="multi").modifiers]


def decoded(parser: Parser, gold: Sequence[Sentence], **how: object) -> Decoding:
    """Decode a test set and evaluate it."""
    start = time.process_time()
    parsed = list(parser.parse(gold, max_seconds=None, **how))  # type: ignore[arg-type]
    return evaluate(parsed, gold, time.process_time() - start)


def evaluate(found: Sequence[Sentence], gold: Sequence[Sentence], seconds: float) -> Decoding:
    """Count the correct heads and the certificates."""
    right = sum(int((one.heads == other.heads).sum()) for one, other in zip(found, gold, strict=True))
    certificates = [sentence.parse.certificate for sentence in found]
    return Decoding(
        uas=100 * right / sum(map(len, gold)),
        certified=100 * sum(c is not None for c in certificates) / len(found),
        agreed=100 * sum(c == "agreement" for c in certificates) / len(found),
        seconds=seconds / len(found),
    )


@dataclass(frozen=True)
class Curves:
    """The data of Figures 3 and 4: automata recomputed by iteration, and the effect of a limit on iterations."""

    iterations: NDArray[np.int64]
    recomputed: dict[str, NDArray[np.float64]]  # by model, of the sentences still running
    uas: NDArray[np.float64]  # of the sibling model with each limit
    certified: NDArray[np.float64]
    matches: NDArray[np.float64]  # sentences whose tree is that of the last iteration


def figures(
    data: Path,
    treebank: str = "ud/English-EWT",
    *,
    learner: str = LEARNER,
    features: str = "standard",
    limits: Sequence[int] = LIMITS,
    sentences: int | None = None,
    report: Report = silence,
) -> Curves:
    """Decode a development set by dual decomposition with every limit on its iterations; models are by `learner`."""
    templates_of(features, "grand")  # refused before anything is trained
    train, dev = training(data, treebank, sentences), corpus(data, treebank, "dev")
    step = Steps(report, 4 + len(limits))
    recomputed: dict[str, NDArray[np.float64]] = {}
    steps: list[Decoding] = []
    trees: list[list[bytes]] = []
    for model in MODELS[1:]:
        step(f"{treebank}: training {model}")
        parser = trained(train, model, learner, features)
        step(f"{treebank}: dual decomposition of {model}")
        traces = [
            sentence.parse.trace or {}
            for sentence in parser.parse(dev, method="dd", published=True, max_seconds=None, trace=True)
        ]
        recomputed[model] = mean_while_running([np.asarray(trace["recomputed"]) for trace in traces])
        for limit in limits if model == "sib" else ():
            step(f"{treebank}: {limit} iterations")
            parsed = list(parser.parse(dev, method="dd", published=True, max_seconds=None, max_iterations=limit))
            steps.append(evaluate(parsed, dev, 0.0))
            trees.append([sentence.heads.tobytes() for sentence in parsed])
    matches = [100 * float(np.mean([one == last for one, last in zip(t, trees[-1], strict=True)])) for t in trees]
    return Curves(
        np.array(limits),
        recomputed,
        np.array([step.uas for step in steps]),
        np.array([step.certified for step in steps]),
        np.array(matches),
    )


def mean_while_running(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the mean at each iteration over the sentences that reach it."""
    longest = max((len(column) for column in columns), default=0)
    total, count = np.zeros(longest), np.zeros(longest)
    for column in columns:
        total[: len(column)] += column
        count[: len(column)] += 1
    mean: NDArray[np.float64] = total / np.maximum(count, 1)
    return mean


NAMES = {"sib": "siblings", "grand": "siblings and grandparents"}


def draw(curves: Curves, folder: Path) -> None:
    """Write figure3.svg and figure4.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (("figure3", recomputed), ("figure4", limited)):
        with axes(folder / f"{name}.svg") as axis:
            picture(axis, curves)
            axis.legend(frameon=False)


def recomputed(axis: Any, curves: Curves) -> None:
    """Figure 3: the share of head automata that an iteration decodes again, of the sentences still running."""
    for (model, share), colour in zip(curves.recomputed.items(), COLOURS, strict=False):
        rounds = np.arange(1, len(share) + 1)
        axis.plot(*smoothed(rounds, 100 * share), color=colour, label=NAMES[model])
    axis.set(xlabel="iteration", ylabel="automata recomputed, %", ylim=(0, None))


def limited(axis: Any, curves: Curves) -> None:
    """Figure 4: accuracy, certificates and trees as without a limit, by the limit on iterations."""
    lines = {
        "UAS": curves.uas,
        "certified": curves.certified,
        "trees as with the highest limit": curves.matches,
    }
    for (name, column), colour in zip(lines.items(), COLOURS, strict=True):
        axis.plot(curves.iterations, column, "o-", color=colour, markersize=3, label=name)
    axis.set(xscale="log", xlabel="limit on iterations", ylabel="%")


def smoothed(rounds: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means over stretches of iterations, at most a hundred."""
    stretch = (rounds - 1) * 100 // max(100, len(rounds))
    count = np.bincount(stretch)
    return np.bincount(stretch, rounds) / count, np.bincount(stretch, column) / count


# -- commands

T = TypeVar("T")
TABLE2_HELP = (
    "How often are relaxations exact when scores are random (Table 2, last column)?\n\n"
    "Linear programs with single (S) and multi-commodity (M) flow, the integer program, dual decomposition as "
    "published and the exact search, all on the same random sentences, for models with siblings (Sib) and with "
    "grandparents and siblings (G+S). The encoding of each program is printed; the paper does not name its own."
) + examples(
    "treewright reproduce koo2010 table2 --instances 20",
    "treewright reproduce koo2010 table2 --scores uniform --seed 7 --json",
)


LEARNING = (
    " --learner perceptron (the default) trains as the paper does, by the averaged perceptron over the automata "
    "without the tree; crf by our likelihood of trees."
)
TABLE1_HELP = (
    "What do siblings and grandparents gain, and how often does dual decomposition certify its trees (Table 1)?\n\n"
    "The models arc, sib and grand are trained on each treebank under DATA and decode its test set, crossing arcs "
    "allowed: by dual decomposition with 5,000 iterations, as published and tightened, and exactly. Certificates by "
    "agreement, which are the paper's, and by the bound as well are counted apart. Times are CPU seconds a sentence."
    + LEARNING
) + examples(
    "treewright reproduce koo2010 table1 data --treebanks ud/Hungarian-Szeged",
)
TABLE3_HELP = (
    "What does it cost to forbid crossing arcs (Table 3)?\n\n"
    "A sibling and a grandparent model are trained, decoded with crossing arcs and without (P-), and scored on the "
    "development set." + LEARNING
) + examples(
    "treewright reproduce koo2010 table3 data --treebanks ud/Gothic-PROIEL",
)
FIGURES_HELP = (
    "How much work is an iteration, and what does a limit on them cost (Figures 3 and 4)?\n\n"
    "The sibling and the grandparent model are trained on a treebank under DATA and decode its development set by dual "
    "decomposition; -o draws the pictures (pip install 'treewright[plots]')." + LEARNING
) + examples(
    "treewright reproduce koo2010 figures data -o pictures",
)
TRAINED_HELP = (
    "How often are relaxations exact for trained models (Table 2)?\n\n"
    "The methods of table2 on development sentences of at most 20 words, which HiGHS can solve: accuracy, share of "
    "integral or certified solutions, CPU seconds." + LEARNING
) + examples("treewright reproduce koo2010 table2-trained data --treebank ud/Gothic-PROIEL --max-sentences 1000")
FREE_HELP = (
    "How good are automata without the tree (Section 7.6)?\n\n"
    "Precision and recall of the arcs that the sibling automata of a model choose by themselves, on the development "
    "set, beside the accuracy of its best trees." + LEARNING
) + examples("treewright reproduce koo2010 free data --treebanks ud/Gothic-PROIEL")
DataFolder = Annotated[Path, data_argument(", such as ud/English-EWT")]
app = new_app("Koo, Rush, Collins, Jaakkola & Sontag (2010): head automata.")


LearnerOption = Annotated[Literal["perceptron", "crf"], typer.Option("--learner", help="Of the paper, or ours.")]


@app.command("table2", help=TABLE2_HELP, cls=PlainCommand)
def table2_command(
    instances: Annotated[int, typer.Option(min=1, metavar="N", help="Random sentences for each model.")] = 100,
    length: Annotated[int, typer.Option(min=1, metavar="N", help="Number of words of a sentence.")] = 10,
    scores: Annotated[
        Literal["normal", "uniform"], typer.Option(help="How the scores of transitions are drawn.")
    ] = "normal",
    seed: Annotated[int, seed_option("of the scores")] = 0,
    max_seconds: Annotated[float, seconds_option("of the integer program, 60 if not given")] = 60.0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    with progress("random sentences, every method", quiet) as report:
        rows = table2(
            instances=instances, words=length, scores=scores, seed=seed, max_seconds=max_seconds, report=report
        )
    if as_json:
        settings = {"instances": instances, "words": length, "scores": scores, "seed": seed}
        typer.echo(json.dumps({**settings, "rows": [asdict(row) for row in rows]}, indent=2))
        return
    columns = ("model", "method", "encoding", "exact %", "agree %", "best %", "CPU s", "paper: exact %", "seconds")
    show_lines(columns, [table2_line(row) for row in rows])
    typer.echo(f"{instances} sentences of {length} words a model, {scores} scores, seed {seed}; root: multi.")
    typer.echo("exact: integral (LP), solved (ILP), certified; agree: of which z = y; best: trees of the best value.")
    typer.echo("The paper's exact is for random sentences of 10 words, its seconds are for a treebank and Gurobi.")


def table2_line(row: Row) -> list[str]:
    """Return a line of the table; a figure that there is not is left out."""
    figures: list[tuple[float | None, int]] = [(row.exact, 1), (row.agreed, 1), (row.best, 1), (row.seconds, 4)]
    figures += [(row.published_exact, 1), (row.published_seconds, 2)]
    cells = ["" if figure is None else f"{figure:.{digits}f}" for figure, digits in figures]
    return [row.model, row.method, row.encoding, *cells]


@dataclass(frozen=True)
class Options:
    """The options of Tables 1 and 3."""

    data: DataFolder
    treebanks: Treebanks = None
    sentences: MaxSentences = None
    learner: LearnerOption = "perceptron"
    features: FeaturesOption = "standard"
    quiet: Quiet = False
    as_json: Json = False

    def rows(self, table: Callable[..., Iterator[T]], names: Iterable[str], report: Callable[..., None]) -> Iterator[T]:
        """Return the rows of a table, one for each treebank; `names` are the treebanks if none are given."""
        treebanks = names_of(self.treebanks, names)
        how = {"learner": self.learner, "features": self.features, "sentences": self.sentences}
        return table(self.data, treebanks, **how, report=report)


@app.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1_command(options: Options) -> None:
    rows = []
    with steps(options.quiet) as report:
        for row in options.rows(table1, TREEBANKS, report):
            rows.append(row)
            if options.as_json:
                typer.echo(json.dumps(asdict(row)))
    if options.as_json:
        return
    lines = [line for row in rows for line in table1_lines(row)]
    if len(rows) > 1:
        means = [sum(row.exact[model].uas for row in rows) / len(rows) for model in ("arc", "sib", "grand")]
        lines.append(["average", "exact", *(f"{mean:.2f}" for mean in means), *[""] * 6])
    columns = ("treebank", "decoder", "arc", "sib", "grand", "agree S", "agree G", "cert S", "cert G", "s S", "s G")
    show_lines(columns, lines)
    typer.echo(
        "arc, sib, grand: UAS in per cent; S: sib, G: grand; agree: per cent certified because tree and automata "
        "agree, cert: also by the bound; s: seconds of CPU a sentence. dd: dual decomposition as published."
    )
    typer.echo("The paper's treebanks are those of CoNLL-X, its times those of 2010: compare the gaps, not the levels.")


def table1_lines(row: Row1) -> list[list[str]]:
    """Return a line for each decoder, and one for the paper's figures."""
    lines = []
    for decoder, by_model in (("exact", row.exact), ("dd", row.dual), ("dd, tightened", row.tightened)):
        cells = [f"{by_model[model].uas:.2f}" if model in by_model else "" for model in ("arc", "sib", "grand")]
        cells += ["" if decoder == "exact" else f"{by_model[model].agreed:.2f}" for model in ("sib", "grand")]
        cells += [f"{by_model[model].certified:.2f}" for model in ("sib", "grand")]
        cells += [f"{by_model[model].seconds:.4f}" for model in ("sib", "grand")]
        lines.append([row.treebank if decoder == "exact" else "", decoder, *cells])
    if row.published:
        cells = [f"{figure:g}" for figure in row.published]
        lines.append(["", "the paper's", *cells[:5], "", "", *cells[5:]])
    lines.append(["", "training", *[""] * 7, *(f"{row.training[model]:.4f}" for model in ("sib", "grand"))])
    return lines


@app.command("table3", help=TABLE3_HELP, cls=PlainCommand)
@with_option_groups
def table3_command(options: Options) -> None:
    with steps(options.quiet) as report:
        rows = list(options.rows(table3, PROJECTIVE, report))
    lines = [[row.treebank, *(f"{uas:.2f}" for uas in row.uas.values())] for row in rows]
    lines += [[f"  the paper's {name}", *(f"{uas:.2f}" for uas in figures)] for name, figures in TABLE3.items()]
    show_rows(rows, options.as_json, ("treebank", "sib", "P-sib", "grand", "P-grand"), lines)


@app.command("free", help=FREE_HELP, cls=PlainCommand)
@with_option_groups
def free_command(options: Options) -> None:
    with steps(options.quiet) as report:
        rows = list(options.rows(free_automata, TREEBANKS, report))
    lines = [[row.treebank, f"{row.precision:.2f}", f"{row.recall:.2f}", f"{row.uas:.2f}"] for row in rows]
    lines.append(["  the paper's Penn Treebank", *(f"{figure:.2f}" for figure in FREE), ""])
    show_rows(rows, options.as_json, ("treebank", "precision", "recall", "UAS of trees"), lines)


@app.command("table2-trained", help=TRAINED_HELP, cls=PlainCommand)
def table2_trained_command(
    data: DataFolder,
    treebank: Treebank = "ud/English-EWT",
    sentences: MaxSentences = None,
    instances: Annotated[int, typer.Option(min=1, metavar="N", help="Development sentences.")] = 100,
    length: Annotated[int, typer.Option(min=1, metavar="N", help="Largest number of words of a sentence.")] = 20,
    max_seconds: Annotated[float, seconds_option("of the integer program, 60 if not given")] = 60.0,
    learner: LearnerOption = "perceptron",
    features: FeaturesOption = "standard",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    with steps(quiet) as report:
        rows = list(
            table2_trained(
                data,
                treebank,
                learner=learner,
                features=features,
                words=length,
                instances=instances,
                sentences=sentences,
                max_seconds=max_seconds,
                report=report,
            )
        )
    lines = [
        [
            row.model,
            row.method,
            row.encoding,
            f"{row.uas:.2f}",
            f"{row.integral:.1f}",
            f"{row.seconds:.4f}",
            *(f"{figure:g}" for figure in row.published or ()),
        ]
        for row in rows
    ]
    columns = ("model", "method", "encoding", "UAS", "integral %", "CPU s", "paper: UAS", "integral %", "seconds")
    show_rows(rows, as_json, columns, [[*line, *[""] * (len(columns) - len(line))] for line in lines])


@app.command("figures", help=FIGURES_HELP, cls=PlainCommand)
def figures_command(
    data: DataFolder,
    output: Annotated[Path | None, output_option("the folder for figure3.svg and figure4.svg.", "FOLDER")] = None,
    treebank: Treebank = "ud/English-EWT",
    sentences: MaxSentences = None,
    learner: LearnerOption = "perceptron",
    features: FeaturesOption = "standard",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    if output is not None:
        ensure_matplotlib()
    with steps(quiet) as report:
        curves = figures(data, treebank, learner=learner, features=features, sentences=sentences, report=report)
    if output is not None:
        draw(curves, output)
    recomputed = {model: [float(share) for share in column] for model, column in curves.recomputed.items()}
    if as_json:
        limited = {name: getattr(curves, name).tolist() for name in ("iterations", "uas", "certified", "matches")}
        typer.echo(json.dumps({**limited, "recomputed": recomputed}))
        return
    rows = zip(
        curves.iterations.tolist(), *(c.tolist() for c in (curves.uas, curves.certified, curves.matches)), strict=True
    )
    show_lines(
        ("limit on iterations", "UAS", "certified %", "as without limit %", "sib: recomputed %", "grand: recomputed %"),
        [
            [str(limit), *(f"{figure:.2f}" for figure in row), *(share_at(recomputed[m], limit) for m in recomputed)]
            for limit, *row in rows
        ],
    )


def share_at(recomputed: list[float], iteration: int) -> str:
    """Per cent of automata recomputed at an iteration by the sentences that reach it; empty if none does."""
    return f"{100 * recomputed[iteration - 1]:.1f}" if iteration <= len(recomputed) else ""

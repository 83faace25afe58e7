"""Koo, Rush, Collins, Jaakkola & Sontag (2010): dual decomposition for non-projective head automata.

Tables 1 and 3, Figures 3 and 4 and Section 7.6: the gain by siblings and grandparents, the share of trees that dual
decomposition certifies, the loss by projective decoding, the accuracy of automata without the tree. Parsers learn as in
the paper, by the averaged perceptron over the automata without the tree constraint, or by our likelihood (`learner`
"crf"). Features are ours, or published ones (feature_sets.py). The paper's treebanks are those of CoNLL-X: compare the
gaps between columns, not their levels; `treewright reproduce danish` has the one treebank on which levels compare.

Table 2 with trained models, and its last column: how often are relaxations exact when scores are random? Protocol:
sentences of 10 words, random scores on the transitions of the head automata, none on arcs, several root modifiers
allowed. The paper does not say how scores were drawn, nor how siblings and grandparents were encoded for its linear
programs; here scores are normal or uniform, G+S adds grandparent to sibling scores, and both encodings of the programs
are run (docs/search.md): "automaton" describes each head automaton exactly, so that LP(M) is the relaxation that dual
decomposition solves; "product" describes each pair of arcs by itself. The integer program has siblings as automata and
"tight" grandparents, which HiGHS solves fastest. The paper's figures are beside each row of the same name; its times
are for trained models on section 22 of the Penn Treebank, so they compare with each other only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
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
from treewright.decode.result import Parse
from treewright.decode.search.programs import fractional_arcs
from treewright.errors import InputError
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
from treewright.papers.feature_sets import Features, FeaturesOption, templates_of
from treewright.parser import Parser, ParserOptions

Draw = Literal["normal", "uniform"]
Arrays = dict[str, NDArray[np.float64]]  # by the names of decode.tree

AUTOMATA = ("Sib", "G+S")
_AUTOMATON = {"siblings": "automaton", "grandparents": "automaton"}
_PRODUCT = {"siblings": "product", "grandparents": "product"}
# (name, encoding) -> options of decode.tree; the encoding is that of the linear program.
METHODS: dict[tuple[str, str], dict[str, Any]] = {
    ("LP(S)", "automaton"): {"method": "lp", "flow": "single", **_AUTOMATON},
    ("LP(S)", "product"): {"method": "lp", "flow": "single", **_PRODUCT},
    ("LP(M)", "automaton"): {"method": "lp", "flow": "multi", **_AUTOMATON},
    ("LP(M)", "product"): {"method": "lp", "flow": "multi", **_PRODUCT},
    ("ILP", "tight"): {"method": "ilp", "siblings": "automaton", "grandparents": "tight"},
    ("DD-5000", ""): {"method": "dd", "published": True, "max_iterations": 5000},
    ("DD-250", ""): {"method": "dd", "published": True, "max_iterations": 250},
    ("DD-250, Polyak", ""): {"method": "dd", "published": True, "max_iterations": 250, "steps": "polyak"},
    ("exact", ""): {"method": "exact"},
}
# (percent exact on random sentences, seconds a sentence of the treebank)
PUBLISHED = {
    "Sib": {
        "LP(S)": (11.7, 0.14),
        "LP(M)": (30.6, 0.58),
        "ILP": (100.0, 1.44),
        "DD-5000": (35.6, 0.08),
        "DD-250": (10.2, 0.03),
    },
    "G+S": {
        "LP(S)": (0.0, 0.23),
        "LP(M)": (0.0, 0.75),
        "ILP": (100.0, 1.79),
        "DD-5000": (6.8, 0.23),
        "DD-250": (0.0, 0.12),
    },
}


# Table 2 on section 22 of the Penn Treebank: UAS, per cent integral, seconds a sentence.
TRAINED = {
    ("Sib", "LP(S)"): (92.14, 88.29, 0.14),
    ("Sib", "LP(M)"): (92.17, 93.18, 0.58),
    ("Sib", "ILP"): (92.19, 100.0, 1.44),
    ("Sib", "DD-5000"): (92.19, 98.82, 0.08),
    ("Sib", "DD-250"): (92.23, 89.29, 0.03),
    ("G+S", "LP(S)"): (92.60, 91.64, 0.23),
    ("G+S", "LP(M)"): (92.58, 94.41, 0.75),
    ("G+S", "ILP"): (92.70, 100.0, 1.79),
    ("G+S", "DD-5000"): (92.71, 98.76, 0.23),
    ("G+S", "DD-250"): (92.66, 85.47, 0.12),
}
FREE = (91.11, 88.95)  # Section 7.6, Penn Treebank: precision and recall


@dataclass(frozen=True)
class Row:
    """One method on one model; shares are percentages of the sentences."""

    model: str
    method: str
    encoding: str
    exact: float  # integral (LP), solved in time (ILP), certified (the others)
    agreed: float | None  # of which by agreement, the certificate of the paper
    best: float  # whose tree has the best value that any method found
    seconds: float  # CPU, a sentence
    published_exact: float | None
    published_seconds: float | None


def sentences(model: str, words: int, count: int, *, scores: Draw = "normal", seed: int = 0) -> Iterator[Arrays]:
    """Random transition scores; with grandparents for "G+S".

    >>> [sorted(arrays) for arrays in sentences("G+S", 10, 1)]
    [['arc', 'grand', 'sib', 'stop']]
    """
    random = np.random.default_rng([seed, AUTOMATA.index(model)])
    nodes = words + 1

    def drawn(*shape: int) -> NDArray[np.float64]:
        return random.normal(size=shape) if scores == "normal" else random.random(shape)

    for _ in range(count):
        arrays = {"sib": drawn(nodes, nodes, nodes), "stop": drawn(nodes, nodes, 2)}
        if model == "G+S":
            arrays["grand"] = drawn(nodes, nodes, nodes)
        yield {"arc": np.zeros((nodes, nodes)), **arrays}


def table2(
    *,
    instances: int = 100,
    words: int = 10,
    scores: Draw = "normal",
    seed: int = 0,
    max_seconds: float = 60.0,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Every method on the same random sentences; max_seconds limits the integer program on each of them.

    report(done, total) is called after every decoding.
    """
    for name, number in (("instances", instances), ("words", words)):
        if number < 1:
            raise InputError(f"{name} is {number}; give at least 1")
    total, done = len(AUTOMATA) * instances * len(METHODS), 0
    decode.tree(np.zeros((2, 2)), method="lp")  # imports SciPy before anything is timed
    rows = []
    for model in AUTOMATA:
        answers: dict[tuple[str, str], list[Parse]] = {method: [] for method in METHODS}
        seconds = dict.fromkeys(METHODS, 0.0)
        for arrays in sentences(model, words, instances, scores=scores, seed=seed):
            for method, options in METHODS.items():
                limit = {"max_seconds": max_seconds} if method[0] == "ILP" else {}
                start = time.process_time()
                answers[method].append(decode.tree(**arrays, root="multi", **options, **limit))  # type: ignore[arg-type]
                seconds[method] += time.process_time() - start
                done += 1
                report(done, total)
        best = np.max([[parse.score for parse in parses] for parses in answers.values()], axis=0)
        for method, parses in answers.items():
            rows.append(_row(model, *method, parses, best, seconds[method] / instances))
    return rows


def _row(
    model: str,
    method: str,
    encoding: str,
    parses: list[Parse],
    best: NDArray[np.float64],
    seconds: float,
) -> Row:
    def share(flags: list[bool]) -> float:
        return 100 * sum(flags) / len(flags)

    is_lp = method.startswith("LP")
    return Row(
        model,
        method,
        encoding,
        share([not fractional_arcs(parse) if is_lp else parse.certified for parse in parses]),
        share([parse.certificate == "agreement" for parse in parses]) if method.startswith("DD") else None,
        share([bool(parse.score > top - 1e-6) for parse, top in zip(parses, best, strict=True)]),
        seconds,
        *PUBLISHED[model].get(method, (None, None)),
    )


MODELS = ("arc", "sib", "grand")
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


LEARNER = "perceptron"  # of the paper: over the automata, without the tree constraint


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


def trained(train: Sequence[Sentence], model: str, learner: str, features: str = "standard") -> Parser:
    """Train a parser whose arcs may cross, with a feature set of `feature_sets`."""
    options = ParserOptions(model=model, learner=learner, projective=False)
    return Parser.train(train, options=options, templates=templates_of(features, model))


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


@dataclass(frozen=True)
class TrainedRow:
    """One method of Table 2 on sentences of a treebank, scored by a trained model; shares are percentages."""

    model: str
    method: str
    encoding: str
    uas: float
    integral: float  # integral (LP), solved in time (ILP), certified (the others)
    seconds: float  # CPU, a sentence
    published: tuple[float, ...]  # accuracy, integral, seconds


def table2_trained(
    data: Path,
    treebank: str = "ud/English-EWT",
    *,
    learner: str = LEARNER,
    features: str = "standard",
    words: int = 20,
    instances: int = 100,
    sentences: int | None = None,
    max_seconds: float = 60.0,
    report: Report = silence,
) -> Iterator[TrainedRow]:
    """Decode the first development sentences of at most `words` words by every method, with trained models.

    instances is the number of these sentences, `sentences` limits the training; max_seconds limits the integer program.
    """
    templates_of(features, "grand")  # refused before anything is trained
    train = training(data, treebank, sentences)
    dev = [sentence for sentence in corpus(data, treebank, "dev") if len(sentence) <= words][:instances]
    if not dev:
        raise InputError(f"{treebank}: no development sentence has at most {words} words")
    step = Steps(report, 2 * (1 + len(METHODS)))
    decode.tree(np.zeros((2, 2)), method="lp")  # imports SciPy before anything is timed
    for name, model in zip(AUTOMATA, MODELS[1:], strict=True):
        step(f"training {model}")
        parser = trained(train, model, learner, features)
        root, problems = parser.model.root, [parser.parts(sentence) for sentence in dev]
        for (method, encoding), options in METHODS.items():
            step(f"{name}: {method} {encoding}".rstrip())
            options = {**options, "max_seconds": max_seconds} if method == "ILP" else options
            start = time.process_time()
            parses = [decode.tree(parts, root=root, **options) for parts in problems]
            seconds = (time.process_time() - start) / len(dev)
            right = sum(int((p.heads[1:] == s.heads).sum()) for p, s in zip(parses, dev, strict=True))
            solved = [not fractional_arcs(p) if method.startswith("LP") else p.certified for p in parses]
            yield TrainedRow(
                name,
                method,
                encoding,
                100 * right / sum(map(len, dev)),
                100 * sum(solved) / len(dev),
                seconds,
                TRAINED.get((name, method), ()),
            )


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
    "decomposition; the pictures are drawn as SVG (pip install 'treewright[plots]')." + LEARNING
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


class Scores(str, Enum):
    normal = "normal"
    uniform = "uniform"


class Learner(str, Enum):
    perceptron = "perceptron"
    crf = "crf"


LearnerOption = Annotated[Learner, typer.Option("--learner", help="Of the paper, or ours.")]


@app.command("table2", help=TABLE2_HELP, cls=PlainCommand)
def table2_command(
    instances: Annotated[int, typer.Option(min=1, metavar="N", help="Random sentences for each model.")] = 100,
    length: Annotated[int, typer.Option(min=1, metavar="N", help="Number of words of a sentence.")] = 10,
    scores: Annotated[Scores, typer.Option(help="How the scores of transitions are drawn.")] = Scores.normal,
    seed: Annotated[int, seed_option("of the scores")] = 0,
    max_seconds: Annotated[float, seconds_option("of the integer program, 60 if not given")] = 60.0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    with progress("random sentences, every method", quiet) as report:
        rows = table2(
            instances=instances, words=length, scores=scores.value, seed=seed, max_seconds=max_seconds, report=report
        )
    if as_json:
        settings = {"instances": instances, "words": length, "scores": scores.value, "seed": seed}
        typer.echo(json.dumps({**settings, "rows": [asdict(row) for row in rows]}, indent=2))
        return
    columns = ("model", "method", "encoding", "exact %", "agree %", "best %", "CPU s", "paper: exact %", "seconds")
    show_lines(columns, [table2_line(row) for row in rows])
    typer.echo(f"{instances} sentences of {length} words a model, {scores.value} scores, seed {seed}; root: multi.")
    typer.echo("exact: integral (LP), solved (ILP), certified; agree: of which z = y; best: trees of the best value.")
    typer.echo("The paper's exact is for random sentences of 10 words, its seconds are for a treebank and Gurobi.")


def table2_line(row: Row) -> list[str]:
    """Return a line of the table; a figure that there is not is left out."""
    figures = ((row.exact, 1), (row.agreed, 1), (row.best, 1), (row.seconds, 4))
    figures += ((row.published_exact, 1), (row.published_seconds, 2))
    cells = ["" if figure is None else f"{figure:.{digits}f}" for figure, digits in figures]
    return [row.model, row.method, row.encoding, *cells]


@dataclass(frozen=True)
class Options:
    """The options of Tables 1 and 3."""

    data: DataFolder
    treebanks: Treebanks = None
    sentences: MaxSentences = None
    learner: LearnerOption = Learner.perceptron
    features: FeaturesOption = Features.standard
    quiet: Quiet = False
    as_json: Json = False

    def rows(self, table: Callable[..., Iterator[T]], names: Iterable[str], report: Callable[..., None]) -> Iterator[T]:
        """Return the rows of a table, one for each treebank; `names` are the treebanks if none are given."""
        treebanks = names_of(self.treebanks, names)
        how = {"learner": self.learner.value, "features": self.features.value, "sentences": self.sentences}
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
    learner: LearnerOption = Learner.perceptron,
    features: FeaturesOption = Features.standard,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    with steps(quiet) as report:
        rows = list(
            table2_trained(
                data,
                treebank,
                learner=learner.value,
                features=features.value,
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
    output: Annotated[Path, output_option("the folder for figure3.svg and figure4.svg.", "FOLDER")],
    treebank: Treebank = "ud/English-EWT",
    sentences: MaxSentences = None,
    learner: LearnerOption = Learner.perceptron,
    features: FeaturesOption = Features.standard,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    ensure_matplotlib()
    with steps(quiet) as report:
        curves = figures(
            data, treebank, learner=learner.value, features=features.value, sentences=sentences, report=report
        )
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

"""Tables 1 and 3 and Figures 3 and 4 of Koo et al. (2010) with our parsers.

The gain by siblings and grandparents, the share of trees that dual decomposition certifies, the loss by projective
decoding. The paper's figures are printed beside where it has the language; its treebanks are the CoNLL-X ones, so
compare the gaps between columns, not their levels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence, read
from treewright.errors import InputError
from treewright.parser import Parser, ParserOptions

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

Report = Callable[[str, int, int], None]  # name of the step, steps done, total


class Steps:
    """Counts the steps and reports each one before it begins."""

    def __init__(self, report: Report, of: int) -> None:
        self.report, self.done, self.of = report, 0, of

    def __call__(self, what: str) -> None:
        self.report(what, self.done, self.of)
        self.done += 1


def silence(what: str, done: int, of: int) -> None:
    """The default: no report."""


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
    published: tuple[float, ...]


@dataclass(frozen=True)
class Row3:
    """A treebank of Table 3: UAS with crossing arcs and without, models of siblings and of grandparents too."""

    treebank: str
    uas: dict[str, float]  # sib, P-sib, grand, P-grand


def table1(
    data: Path,
    treebanks: Sequence[str] = tuple(TREEBANKS),
    *,
    options: ParserOptions | None = None,
    max_iterations: int = 5000,
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[Row1]:
    """Train the three models on each treebank, decode its test set without the projective constraint.

    sentences limits the number of training sentences.
    """
    parts = {treebank: (training(data, treebank, sentences), corpus(data, treebank, "test")) for treebank in treebanks}
    step = Steps(report, 10 * len(parts))
    for treebank, (train, test) in parts.items():
        exact, dual, tightened = {}, {}, {}
        for model in MODELS:
            step(f"{treebank}: training {model}")
            parser = Parser.train(train, model=model, projective=False, options=options)
            step(f"{treebank}: decoding {model} exactly")
            exact[model] = decoded(parser, test, method="exact")
            if model != "arc":
                step(f"{treebank}: dual decomposition of {model}")
                dual[model] = decoded(parser, test, method="dd", tighten=False, max_iterations=max_iterations)
                step(f"{treebank}: dual decomposition of {model}, tightened")
                tightened[model] = decoded(parser, test, method="dd", max_iterations=max_iterations)
        yield Row1(treebank, exact, dual, tightened, TREEBANKS.get(treebank, ()))


def table3(
    data: Path,
    treebanks: Sequence[str] = PROJECTIVE,
    *,
    options: ParserOptions | None = None,
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[Row3]:
    """Sibling and grandparent models, trained and decoded with crossing arcs allowed and not, on development sets."""
    parts = {treebank: (training(data, treebank, sentences), corpus(data, treebank, "dev")) for treebank in treebanks}
    step = Steps(report, 4 * len(parts))
    for treebank, (train, dev) in parts.items():
        uas = {}
        for model in MODELS[1:]:
            for projective in (False, True):
                name = f"P-{model}" if projective else model
                step(f"{treebank}: {name}")
                parser = Parser.train(train, model=model, projective=projective, options=options)
                uas[name] = decoded(parser, dev, method="exact").uas
        yield Row3(treebank, uas)


def decoded(parser: Parser, gold: Sequence[Sentence], **how: object) -> Decoding:
    """Decode a test set and evaluate it."""
    start = time.process_time()
    found = list(parser.parse(gold, max_seconds=None, **how))  # type: ignore[arg-type]
    return evaluate(found, gold, time.process_time() - start)


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
    options: ParserOptions | None = None,
    limits: Sequence[int] = LIMITS,
    sentences: int | None = None,
    report: Report = silence,
) -> Curves:
    """Decode a development set by dual decomposition with every limit on its iterations."""
    train, dev = training(data, treebank, sentences), corpus(data, treebank, "dev")
    step = Steps(report, 4 + len(limits))
    recomputed: dict[str, NDArray[np.float64]] = {}
    steps: list[Decoding] = []
    trees: list[list[bytes]] = []
    for model in MODELS[1:]:
        step(f"{treebank}: training {model}")
        parser = Parser.train(train, model=model, projective=False, options=options)
        step(f"{treebank}: dual decomposition of {model}")
        traces = [
            sentence.parse.trace
            for sentence in parser.parse(dev, method="dd", tighten=False, max_seconds=None, trace=True)
        ]
        recomputed[model] = mean_while_running([np.asarray(trace["recomputed"]) for trace in traces])
        for limit in limits if model == "sib" else ():
            step(f"{treebank}: {limit} iterations")
            found = list(parser.parse(dev, method="dd", tighten=False, max_seconds=None, max_iterations=limit))
            steps.append(evaluate(found, dev, 0.0))
            trees.append([sentence.heads.tobytes() for sentence in found])
    matches = [100 * float(np.mean([one == last for one, last in zip(t, trees[-1], strict=True)])) for t in trees]
    return Curves(
        np.array(limits),
        recomputed,
        np.array([step.uas for step in steps]),
        np.array([step.certified for step in steps]),
        np.array(matches),
    )


def mean_while_running(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The mean at each iteration over the sentences that reach it."""
    longest = max((len(column) for column in columns), default=0)
    total, count = np.zeros(longest), np.zeros(longest)
    for column in columns:
        total[: len(column)] += column
        count[: len(column)] += 1
    mean: NDArray[np.float64] = total / np.maximum(count, 1)
    return mean


def training(data: Path, treebank: str, sentences: int | None) -> list[Sentence]:
    """The first `sentences` training sentences, or all."""
    return list(islice(read(part(data, treebank, "train"), check="tree"), sentences))


def corpus(data: Path, treebank: str, split: str) -> list[Sentence]:
    """The sentences to parse."""
    return list(read(part(data, treebank, split), check="tree"))


def part(data: Path, treebank: str, split: str) -> Path:
    """The file of a split: CoNLL-U, or CoNLL-X."""
    for ending in ("conllu", "conll"):
        path = data / treebank / f"{split}.{ending}"
        if path.exists():
            return path
    raise InputError(f"{data / treebank}: no {split}.conllu or {split}.conll there")

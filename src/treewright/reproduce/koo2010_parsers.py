"""Tables 1 and 3 and Figures 3 and 4 of Koo et al. (2010) with parsers of ours.

What siblings and grandparents gain, how often dual decomposition proves its trees, what projective decoding costs. The
paper's figures stand beside where it has the language; its treebanks are the CoNLL-X ones, so compare the gaps between
columns, not their levels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence, read
from treewright.errors import InputError
from treewright.parser import Options, Parser

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
# Table 3, development UAS: Sib, P-Sib, G+S, P-G+S.
TABLE3 = {"Penn Treebank": (92.19, 92.34, 92.71, 92.70), "Prague Treebank": (86.41, 85.67, 87.40, 86.43)}

Report = Callable[[str], None]


@dataclass(frozen=True)
class Decoding:
    """One way to decode a test set: how many trees were proved to be the best, and CPU seconds a sentence."""

    uas: float
    certified: float  # percent
    agreed: float  # percent certified by agreement, the paper's criterion
    seconds: float


@dataclass(frozen=True)
class Row1:
    """A treebank of Table 1: by model, decoded exactly; siblings and grandparents by dual decomposition too."""

    treebank: str
    exact: dict[str, Decoding]
    dual: dict[str, Decoding]
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
    options: Options | None = None,
    max_iterations: int = 5000,
    report: Report = lambda line: None,
) -> Iterator[Row1]:
    """Train the three models on each treebank, decode its test set without the projective constraint."""
    for treebank in treebanks:
        train, test = part(data, treebank, "train"), list(read(part(data, treebank, "test")))
        exact, dual = {}, {}
        for model in MODELS:
            report(f"{treebank}: training {model}")
            parser = Parser.train(train, model=model, projective=False, options=options)
            report(f"{treebank}: decoding {model}")
            exact[model] = decoded(parser, test, method="exact")
            if model != "arc":
                dual[model] = decoded(parser, test, method="dd", max_iterations=max_iterations)
        yield Row1(treebank, exact, dual, TREEBANKS.get(treebank, ()))


def table3(
    data: Path,
    treebanks: Sequence[str] = PROJECTIVE,
    *,
    options: Options | None = None,
    report: Report = lambda line: None,
) -> Iterator[Row3]:
    """Sibling and grandparent models, trained and decoded with crossing arcs allowed and not, on development sets."""
    for treebank in treebanks:
        train, dev = part(data, treebank, "train"), list(read(part(data, treebank, "dev")))
        uas = {}
        for model in MODELS[1:]:
            for projective in (False, True):
                name = f"P-{model}" if projective else model
                report(f"{treebank}: {name}")
                parser = Parser.train(train, model=model, projective=projective, options=options)
                uas[name] = decoded(parser, dev, method="exact").uas
        yield Row3(treebank, uas)


def decoded(parser: Parser, gold: Sequence[Sentence], **how: object) -> Decoding:
    """Decode a test set and count."""
    start = time.process_time()
    found = list(parser.parse(gold, **how))  # type: ignore[arg-type]
    seconds = time.process_time() - start
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
    """What Figures 3 and 4 draw: by iteration the share of automata recomputed, and what limits on iterations cost."""

    iterations: NDArray[np.int64]
    recomputed: dict[str, NDArray[np.float64]]  # by model, of the sentences still running
    uas: NDArray[np.float64]  # of the sibling model, were it stopped there
    certified: NDArray[np.float64]
    matches: NDArray[np.float64]  # sentences whose tree is that of the last iteration


def figures(
    data: Path,
    treebank: str = "ud/English-EWT",
    *,
    options: Options | None = None,
    limits: Sequence[int] = (10, 25, 50, 100, 250, 500, 1000, 5000),
    report: Report = lambda line: None,
) -> Curves:
    """Decode a development set by dual decomposition with every limit on its iterations."""
    train, dev = part(data, treebank, "train"), list(read(part(data, treebank, "dev")))
    recomputed: dict[str, NDArray[np.float64]] = {}
    steps: list[Decoding] = []
    trees: list[list[bytes]] = []
    for model in MODELS[1:]:
        report(f"{treebank}: training {model}")
        parser = Parser.train(train, model=model, projective=False, options=options)
        traces = [sentence.parse.trace for sentence in parser.parse(dev, method="dd", trace=True)]
        recomputed[model] = mean_while_running([np.asarray(trace["recomputed"]) for trace in traces])
        for limit in limits if model == "sib" else ():
            report(f"{treebank}: {limit} iterations")
            steps.append(decoded(parser, dev, method="dd", max_iterations=limit))
            trees.append([s.heads.tobytes() for s in parser.parse(dev, method="dd", max_iterations=limit)])
    matches = [100 * float(np.mean([one == last for one, last in zip(t, trees[-1], strict=True)])) for t in trees]
    return Curves(
        np.array(limits),
        recomputed,
        np.array([step.uas for step in steps]),
        np.array([step.certified for step in steps]),
        np.array(matches),
    )


def mean_while_running(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The mean at each iteration over the sentences that got that far."""
    longest = max((len(column) for column in columns), default=0)
    total, count = np.zeros(longest), np.zeros(longest)
    for column in columns:
        total[: len(column)] += column
        count[: len(column)] += 1
    mean: NDArray[np.float64] = total / np.maximum(count, 1)
    return mean


def part(data: Path, treebank: str, split: str) -> Path:
    """The file of a split: CoNLL-U, or CoNLL-X."""
    for ending in ("conllu", "conll"):
        path = data / treebank / f"{split}.{ending}"
        if path.exists():
            return path
    raise InputError(f"{data / treebank}: no {split}.conllu or {split}.conll there")

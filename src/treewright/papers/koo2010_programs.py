"""Table 2 of Koo et al. (2010): how often are relaxations exact, with trained models and with random scores?

The last column of the table has random scores: sentences of 10 words, random scores on the transitions of the head
automata, none on arcs, several root modifiers allowed. The paper does not say how scores were drawn, nor how siblings
and grandparents were encoded for its linear programs; here scores are normal or uniform, G+S adds grandparent to
sibling scores, and both encodings of the programs are run (docs/search.md): "automaton" describes each head automaton
exactly, so that LP(M) is the relaxation that dual decomposition solves; "product" describes each pair of arcs by
itself. The integer program has siblings as automata and "tight" grandparents, which HiGHS solves fastest. The paper's
figures are beside each row of the same name; its times are for trained models on section 22 of the Penn Treebank, so
they compare with each other only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode.result import Parse
from treewright.decode.search.programs import fractional_arcs
from treewright.errors import InputError
from treewright.papers.common import (
    Report,
    Steps,
    corpus,
    silence,
    training,
)
from treewright.papers.feature_sets import templates_of
from treewright.parser import Parser, ParserOptions

MODELS = ("arc", "sib", "grand")
LEARNER = "perceptron"  # of the paper: over the automata, without the tree constraint
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


def trained(train: Sequence[Sentence], model: str, learner: str, features: str = "standard") -> Parser:
    """Train a parser whose arcs may cross, with a feature set of `feature_sets`."""
    options = ParserOptions(model=model, learner=learner, projective=False)
    return Parser.train(train, options=options, templates=templates_of(features, model))


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

"""Table 2 of Koo et al. (2010), its last column: how often are relaxations exact when scores are random?

Protocol: sentences of 10 words, random scores on the transitions of the head automata, none on arcs, several root
modifiers allowed. The paper does not say how scores were drawn, nor how siblings and grandparents were encoded for its
linear programs; here scores are normal or uniform, G+S adds grandparent to sibling scores, and both encodings of the
programs are run (docs/programs.md): "automaton" describes each head automaton exactly, so that LP(M) is the relaxation
that dual decomposition solves; "product" describes each pair of arcs by itself. The integer program has siblings as
automata and "tight" grandparents, which HiGHS solves fastest. The paper's figures are beside each row of the same
name; its times are for trained models on section 22 of the Penn Treebank, so they compare with each other only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.decode.result import Parse
from treewright.decode.search.programs import fractional_arcs
from treewright.errors import InputError

Draw = Literal["normal", "uniform"]
Arrays = dict[str, NDArray[np.float64]]  # by the names of decode.tree

MODELS = ("Sib", "G+S")
_AUTOMATON = {"siblings": "automaton", "grandparents": "automaton"}
_PRODUCT = {"siblings": "product", "grandparents": "product"}
# (name, encoding) -> options of decode.tree; the encoding is that of the linear program.
METHODS: dict[tuple[str, str], dict[str, Any]] = {
    ("LP(S)", "automaton"): {"method": "lp", "flow": "single", **_AUTOMATON},
    ("LP(S)", "product"): {"method": "lp", "flow": "single", **_PRODUCT},
    ("LP(M)", "automaton"): {"method": "lp", "flow": "multi", **_AUTOMATON},
    ("LP(M)", "product"): {"method": "lp", "flow": "multi", **_PRODUCT},
    ("ILP", "tight"): {"method": "ilp", "siblings": "automaton", "grandparents": "tight"},
    ("DD-5000", ""): {"method": "dd", "tighten": False, "max_iterations": 5000},
    ("DD-250", ""): {"method": "dd", "tighten": False, "max_iterations": 250},
    ("DD-250, Polyak", ""): {"method": "dd", "tighten": False, "max_iterations": 250, "steps": "polyak"},
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
    random = np.random.default_rng([seed, MODELS.index(model)])
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
    total, done = len(MODELS) * instances * len(METHODS), 0
    decode.tree(np.zeros((2, 2)), method="lp")  # imports SciPy before anything is timed
    rows = []
    for model in MODELS:
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

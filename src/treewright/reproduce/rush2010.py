"""Tables 1 and 2 and Figure 5 of Rush, Sontag, Collins & Jaakkola (2010): model 1 and dependencies that agree on arcs.

The paper trains on the Wall Street Journal; here it is any treebank in Penn brackets with train.mrg, dev.mrg and
test.mrg, for example CRAFT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Tree
from treewright.errors import InputError
from treewright.evaluate import Score, brackets
from treewright.evaluate.significance import bootstrap
from treewright.grammar import dependencies, trees_of
from treewright.joint import GrammarWithDependencies
from treewright.learn import Report

SYSTEMS = ("model 1", "restricted", "joint")
WHAT = {
    "model 1": "Collins' model 1 alone",
    "restricted": "model 1 with the arcs of the dependency parser only",
    "joint": "model 1 and the dependency parser agree on arcs",
}
PUBLISHED = {  # precision, recall, F1, dependency accuracy (Table 2)
    "model 1": (88.4, 87.8, 88.1, 91.4),
    "restricted": (89.9, 89.6, 89.7, 93.3),
    "joint": (91.0, 90.4, 90.7, 93.8),
}
BUCKETS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 10), (11, 20), (21, 50))  # iterations of Table 1
PUBLISHED_ITERATIONS = (43.5, 20.1, 10.2, 4.9, 14.0, 5.7, 1.4, 0.4)  # per cent; the last: not certified
LIMITS = (1, 2, 3, 5, 10, 20, 50)  # of iterations, for Figure 5
SAMPLES = 10_000  # of the bootstrap; by convention

OnReport = Callable[[str, int, int], None]  # stage, done, of


@dataclass(frozen=True)
class Counts:
    """Of one sentence and system: brackets and arcs."""

    brackets: Score
    right_arcs: int
    arcs: int


@dataclass(frozen=True)
class Outcome:
    """One sentence: the counts of the systems, and what dual decomposition did under each limit of iterations."""

    systems: dict[str, Counts]
    iterations: int
    certified: bool
    limited: tuple[Counts, ...]  # by LIMITS
    certified_by: tuple[bool, ...]
    same: tuple[bool, ...]  # the tree is that of the highest limit


@dataclass(frozen=True)
class Row:
    """A row of Table 2, in per cent; p_value is that of the difference in F1 to the row above."""

    system: str
    precision: float
    recall: float
    f1: float
    dependencies: float
    p_value: float | None
    published: tuple[float, ...]


def model_of(
    data: Path, treebank: str, max_sentences: int | None, report: Callable[[Report], None]
) -> GrammarWithDependencies:
    """The joint model of the training trees of a treebank, its weight chosen on the development trees."""
    folder = checked_folder(data, treebank)
    trees, _ = trees_of(folder / "train.mrg")
    return GrammarWithDependencies.train(trees[:max_sentences], folder / "dev.mrg", report=report)


def checked_folder(data: Path, treebank: str) -> Path:
    """The folder of a treebank, after a check that it has the three files."""
    folder = data / treebank
    for part in ("train", "dev", "test"):
        if not (folder / f"{part}.mrg").is_file():
            raise InputError(f"{folder}: there is no {part}.mrg; DATA is a folder with treebanks such as trees/CRAFT")
    return folder


def outcomes(
    model: GrammarWithDependencies, data: Path, treebank: str, part: str, count: int | None, report: OnReport
) -> list[Outcome]:
    """The outcomes of the first sentences of a part of a treebank."""
    trees, _ = trees_of(checked_folder(data, treebank) / f"{part}.mrg")
    trees = trees[:count]
    found: list[Outcome] = []
    for number, tree in enumerate(trees):
        report("parsing", number, len(trees))
        found.append(outcome(model, tree))
    return found


def outcome(model: GrammarWithDependencies, tree: Tree) -> Outcome:
    """What the systems do with the words of a gold tree."""
    problem = model.problem(tree.leaves())
    joint = problem.parse(model.weight)
    limited = [problem.parse(model.weight, limit) for limit in LIMITS]
    parses = {"model 1": problem.grammar_parse(), "restricted": problem.restricted_parse(), "joint": joint}
    systems = {name: counts_of(model, tree, parse.tree, parse.heads) for name, parse in parses.items()}
    return Outcome(
        systems,
        joint.iterations,
        joint.certified,
        tuple(counts_of(model, tree, parse.tree, parse.heads) for parse in limited),
        tuple(parse.certified for parse in limited),
        tuple(parse.tree == limited[-1].tree for parse in limited),
    )


def counts_of(model: GrammarWithDependencies, gold: Tree, system: Tree, heads: NDArray[np.int32]) -> Counts:
    """Brackets as EVALB counts them; arcs of words that are no punctuation, against those of the gold tree."""
    rules = model.grammar.rules
    scored = np.array([not rules.is_punctuation(tag) for tag in gold.tags()])
    right = (dependencies(gold, rules)[1:] == heads[1:]) & scored
    return Counts(brackets([gold], [system]).all.brackets, int(right.sum()), int(scored.sum()))


def table1(found: Sequence[Outcome]) -> list[float]:
    """Per cent of the sentences that are certified at the iterations of each bucket; the last: not certified."""
    shares = [
        sum(one.certified and low <= one.iterations <= high for one in found) / len(found) for low, high in BUCKETS
    ]
    return [100 * share for share in [*shares, sum(not one.certified for one in found) / len(found)]]


def table2(found: Sequence[Outcome]) -> list[Row]:
    """The accuracy of the three systems."""
    rows: list[Row] = []
    for number, system in enumerate(SYSTEMS):
        counts = [one.systems[system] for one in found]
        score = summed(counts)
        arcs = sum(one.right_arcs for one in counts) / max(sum(one.arcs for one in counts), 1)
        above = [one.systems[SYSTEMS[number - 1]] for one in found] if number else None
        p_value = None if above is None else significance(above, counts)
        f1, precision, recall = 100 * score.f1, 100 * score.precision, 100 * score.recall
        rows.append(Row(system, precision, recall, f1, 100 * arcs, p_value, PUBLISHED[system]))
    return rows


def summed(counts: Sequence[Counts]) -> Score:
    """The brackets of several sentences."""
    return Score(
        sum(one.brackets.correct for one in counts),
        sum(one.brackets.gold for one in counts),
        sum(one.brackets.system for one in counts),
        None,
    )


def significance(a: Sequence[Counts], b: Sequence[Counts]) -> float:
    """The p-value of the difference in F1 by a paired bootstrap over sentences."""
    columns = [
        [2 * one.brackets.correct for one in a],
        [one.brackets.gold + one.brackets.system for one in a],
        [2 * one.brackets.correct for one in b],
        [one.brackets.gold + one.brackets.system for one in b],
    ]
    drawn = bootstrap(np.array(columns, dtype=np.float64).T, SAMPLES, 0)
    shifts = drawn[:, 2] / np.maximum(drawn[:, 3], 1) - drawn[:, 0] / np.maximum(drawn[:, 1], 1)
    observed = summed(b).f1 - summed(a).f1
    extreme = int((np.abs(shifts - observed) >= abs(observed) - 1e-12).sum())
    return (extreme + 1) / (SAMPLES + 1)


def figure5(found: Sequence[Outcome]) -> Iterator[tuple[int, float, float, float]]:
    """For each limit of iterations: F1, per cent certified, per cent with the tree of the highest limit."""
    for place, limit in enumerate(LIMITS):
        score = summed([one.limited[place] for one in found])
        certified = sum(one.certified_by[place] for one in found) / len(found)
        same = sum(one.same[place] for one in found) / len(found)
        yield limit, 100 * score.f1, 100 * certified, 100 * same

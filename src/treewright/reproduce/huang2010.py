"""The grid of Huang, Harper & Petrov (2010): self-training of latent-variable grammars, single and as products.

The paper trains on the Wall Street Journal and on broadcast news; here it is a part of a treebank in Penn brackets,
whose other training trees serve as raw text. Rounds are chosen on development trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from treewright.corpus import Tree, add_root, read_trees
from treewright.errors import InputError
from treewright.evaluate import brackets
from treewright.grammar import LatentGrammar, LatentOptions, product
from treewright.grammar.kinds import DELETED_ROOT
from treewright.grammar.latent import Training
from treewright.grammar.selftraining import balanced_weight
from treewright.grammar.trees import prepared_trees
from treewright.reproduce.plots import axes

CONDITIONS = ("Regular", "ST-Reg", "ST-Prod", "ST-Prod-Mult")
PUBLISHED = {"single": 91.6, "product": 92.5}  # F1 on the test set of the WSJ, self-trained
MAX_WORDS = 40  # of sentences of the development and test parts; by convention in the field

Report = Callable[[str], None]


@dataclass(frozen=True)
class Sizes:
    """How much of the treebank is used, and how many grammars are trained."""

    gold: int = 1000
    raw: int = 2000
    dev: int = 200
    test: int = 400
    grammars: int = 4
    rounds: int = 4


@dataclass(frozen=True)
class Data:
    """The parts of a treebank."""

    gold: list[Tree]
    raw: list[Tree]  # of the words only
    dev: list[Tree]
    test: list[Tree]


@dataclass(frozen=True)
class Curve:
    """F1 on the development trees after each round: of every grammar, and of their product."""

    condition: str
    singles: list[list[float]]  # [grammar][round]
    products: list[float]  # [round]


@dataclass(frozen=True)
class Row:
    """A condition, in per cent: F1 on the test trees at the round with the highest F1 of the product on dev."""

    condition: str
    round: int
    best: float  # the grammar that is best on dev
    lowest: float
    highest: float
    mean: float
    product: float
    raw_f1: float | None  # of the automatic trees of the raw text


def data_of(folder: Path, sizes: Sizes) -> Data:
    """The parts of a treebank with train.mrg, dev.mrg and test.mrg."""
    train = first_trees(folder / "train.mrg", sizes.gold + sizes.raw, None)
    dev = first_trees(folder / "dev.mrg", sizes.dev, MAX_WORDS)
    test = first_trees(folder / "test.mrg", sizes.test, MAX_WORDS)
    return Data(train[: sizes.gold], train[sizes.gold :], dev, test)


def first_trees(path: Path, count: int, max_words: int | None) -> list[Tree]:
    """The first trees of a file that can be prepared, of at most max_words words."""
    if not path.is_file():
        raise InputError(f"{path.parent}: there is no {path.name}; DATA is a folder with treebanks such as trees/CRAFT")
    found: list[Tree] = []
    with read_trees(path, on_error="skip") as reader:
        for tree in reader:
            trees, _ = prepared_trees([tree], True)
            found += [one for one in trees if max_words is None or len(one.leaves()) <= max_words]
            if len(found) >= count:
                break
    return found


def grid(
    folder: Path, sizes: Sizes, report: Report, conditions: Sequence[str] = CONDITIONS
) -> tuple[list[Row], list[Curve]]:
    """The rows of the grid and the curves over rounds."""
    data = data_of(folder, sizes)
    teachers = [grammars_of(data.gold, [1.0] * len(data.gold), sizes, seed, report, "Regular") for seed in seeds(sizes)]
    rows, curves = [], []
    chosen, best = 0, 0
    labelled: dict[str, list[Tree]] = {}
    for condition in CONDITIONS:
        if condition not in conditions and condition != "Regular":
            continue
        raw: list[Tree] | None = None
        grammars = teachers
        if condition != "Regular":
            by = "single" if condition == "ST-Reg" else "product"
            teacher = teachers[best][chosen] if by == "single" else product([one[chosen] for one in teachers])
            if by not in labelled:
                report(f"raw text, by {by}")
                labelled[by] = automatic_trees(teacher, [tree.leaves() for tree in data.raw])
            raw = labelled[by]
            grammars = students(condition, raw, data, sizes, report)
        curve = curve_of(condition, grammars, data.dev, report)
        at = max(range(sizes.rounds + 1), key=lambda number: curve.products[number])
        own = max(range(sizes.grammars), key=lambda number: curve.singles[number][at])
        if condition == "Regular":
            chosen, best = at, own
        rows.append(row_of(condition, grammars, at, own, data.test, None if raw is None else raw_f1(raw, data.raw)))
        curves.append(curve)
        report(f"{rows[-1]}")
    return rows, curves


def seeds(sizes: Sizes) -> range:
    return range(1, sizes.grammars + 1)


def grammars_of(
    trees: Sequence[Tree], weights: Sequence[float], sizes: Sizes, seed: int, report: Report, condition: str
) -> list[LatentGrammar]:
    """The grammars of all rounds of one training."""
    report(f"{condition}, grammar {seed}")
    options = LatentOptions(rounds=sizes.rounds, seed=seed)
    return list(Training(trees, None, weights, options, 1).grammars())


def students(
    condition: str, raw: Sequence[Tree], data: Data, sizes: Sizes, report: Report
) -> list[list[LatentGrammar]]:
    """The grammars that learn from automatic trees; with ST-Prod-Mult each from others."""
    found = []
    for seed in seeds(sizes):
        own = raw[seed - 1 :: sizes.grammars] if condition == "ST-Prod-Mult" else raw
        weights = [balanced_weight(data.gold, own)] * len(data.gold) + [1.0] * len(own)
        found.append(grammars_of([*data.gold, *own], weights, sizes, seed, report, condition))
    return found


def automatic_trees(teacher: LatentGrammar, sentences: Sequence[Sequence[str]]) -> list[Tree]:
    """The trees of a teacher; sentences without one are left out."""
    parses = (teacher.parse(words, partial=True) for words in sentences)
    return prepared_trees((parse.tree for parse in parses if not parse.given_up), True)[0]


def raw_f1(automatic: Sequence[Tree], trees: Sequence[Tree]) -> float:
    """F1 of the automatic trees against those that the treebank has."""
    by_words = {tuple(tree.leaves()): tree for tree in trees}
    pairs = [(by_words[tuple(tree.leaves())], tree) for tree in automatic if tuple(tree.leaves()) in by_words]
    return f1([gold for gold, _ in pairs], [tree for _, tree in pairs])


def f1(gold: Sequence[Tree], found: Sequence[Tree]) -> float:
    """F1 of brackets without the root, in per cent; both have a root."""
    sides = [[Tree(DELETED_ROOT, tree.children) for tree in trees] for trees in (gold, found)]
    return 100 * brackets(*sides).all.brackets.f1


def member_f1(members: Sequence[LatentGrammar], trees: Sequence[Tree]) -> list[float]:
    """F1 of each grammar, and last that of their product."""
    joined = product(members)
    columns = zip(*(joined.trees_by_member(tree.leaves()) for tree in trees), strict=True)
    return [f1(trees, [add_root(tree, DELETED_ROOT) for tree in column]) for column in columns]


def curve_of(condition: str, grammars: Sequence[Sequence[LatentGrammar]], dev: Sequence[Tree], report: Report) -> Curve:
    """F1 on development trees after each round."""
    by_round = []
    for number in range(len(grammars[0])):
        report(f"{condition}, dev, round {number}")
        by_round.append(member_f1([one[number] for one in grammars], dev))
    singles = [[scores[place] for scores in by_round] for place in range(len(grammars))]
    return Curve(condition, singles, [scores[-1] for scores in by_round])


def row_of(
    condition: str,
    grammars: Sequence[Sequence[LatentGrammar]],
    at: int,
    best: int,
    test: Sequence[Tree],
    of_raw: float | None,
) -> Row:
    """The figures of a condition on the test trees at a round."""
    *singles, joined = member_f1([one[at] for one in grammars], test)
    mean = sum(singles) / len(singles)
    return Row(condition, at, singles[best], min(singles), max(singles), mean, joined, of_raw)


def draw_curves(curves: Sequence[Curve], path: Path) -> None:
    """F1 on the development trees against rounds: the mean of the grammars, and their product."""
    with axes(path) as axis:
        for number, curve in enumerate(curves):
            rounds = range(len(curve.products))
            means = [sum(one[place] for one in curve.singles) / len(curve.singles) for place in rounds]
            axis.plot(rounds, means, "--", color=f"C{number}", marker="o", label=f"{curve.condition}, single (mean)")
            axis.plot(rounds, curve.products, color=f"C{number}", marker="o", label=f"{curve.condition}, product")
        axis.set_xlabel("rounds of splitting and merging")
        axis.set_ylabel("F1 on development trees")
        axis.set_xticks(list(range(max(len(curve.products) for curve in curves))))
        axis.legend(frameon=False, fontsize=7)

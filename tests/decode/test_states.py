"""Head automata with states of the user's: against every tree and every path; sibling automata as a special case."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees, sides, value

import treewright as tw
from treewright.decode import HeadAutomata
from treewright.errors import BudgetError, InfeasibleError, InputError

ROOTS = ("single", "multi")


def random_automata(seed: int, words: int, states: int, forbidden: float = 0.0, scale: float = 1.0) -> HeadAutomata:
    random = np.random.default_rng(seed)
    nodes = words + 1
    arrays = [
        scale * random.normal(size=shape) for shape in [(nodes, nodes, states, states), *[(nodes, 2, states)] * 2]
    ]
    for array in arrays:
        array[random.random(array.shape) < forbidden] = -np.inf
    return HeadAutomata(*arrays)


def best_path(automata: HeadAutomata, h: int, side: int, modifiers: list[int]) -> float:
    """The best of all sequences of states that take these modifiers."""
    states = range(automata.moves.shape[-1])
    values = []
    for path in product(states, repeat=len(modifiers) + 1):
        moves = [automata.moves[h, m, s, t] for m, (s, t) in zip(modifiers, pairwise(path), strict=True)]
        values.append(sum(moves) + automata.start[h, side, path[0]] + automata.stop[h, side, path[-1]])
    return float(max(values))


def value_under(heads: Any, arc: Any, automata: HeadAutomata) -> float:
    total = value(heads, arc)
    for h in range(len(heads)):
        for side, modifiers in enumerate(sides(tuple(heads), h)):
            if (h, side) != (0, 0):
                total += best_path(automata, h, side, modifiers)
    return total


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("root", ROOTS)
def test_exact_is_the_best_of_all_trees_and_every_dual_value_bounds_it(root: str, projective: bool) -> None:
    agreed = 0
    for seed in range(16):
        words = 2 + seed % 3
        arc = np.random.default_rng(seed).normal(size=(words + 1, words + 1))
        automata = random_automata(seed, words, 1 + seed % 3, forbidden=0.1 * (seed % 2))
        trees = all_trees(words, projective=projective, root=root)
        best = max(value_under(heads, arc, automata) for heads in trees)
        shape: dict[str, Any] = {"automata": automata, "root": root, "projective": projective}
        if best == -np.inf:
            with pytest.raises(InfeasibleError, match="no tree has a path through every automaton"):
                tw.decode.tree(arc, **shape)
            continue
        parse = tw.decode.tree(arc, **shape)
        assert parse.certified
        assert parse.score == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert value_under(parse.heads.tolist(), arc, automata) == pytest.approx(best, rel=1e-9, abs=1e-9)
        dual = tw.decode.tree(
            arc, **shape, method="dd", trace=True, max_iterations=300, steps=("koo", "polyak")[seed % 2]
        )
        assert dual.trace is not None
        assert (dual.trace["dual"] >= best - 1e-8).all()
        assert dual.bound >= best - 1e-8
        assert value_under(dual.heads.tolist(), arc, automata) == pytest.approx(dual.score, rel=1e-9, abs=1e-9)
        if dual.certified:
            assert dual.score == pytest.approx(best, rel=1e-9, abs=1e-8)
        agreed += dual.certificate == "agreement"
    assert agreed >= 5


def test_one_state_a_word_makes_the_sibling_automaton() -> None:
    for seed in range(4):
        random = np.random.default_rng(seed)
        nodes = 7
        arc, sib, stop = (
            2 * random.normal(size=(nodes,) * 2),
            random.normal(size=(nodes,) * 3),
            np.zeros((nodes, nodes, 2)),
        )
        stop[...] = random.normal(size=stop.shape)
        moves = np.full((nodes,) * 4, -np.inf)  # the state is the last modifier; at the start the head itself
        start = np.full((nodes, 2, nodes), -np.inf)
        for h, m in product(range(nodes), range(1, nodes)):
            if h != m:
                moves[h, m, :, m] = sib[h, m]
        start[np.arange(nodes), :, np.arange(nodes)] = 0.0
        automata = HeadAutomata(moves, start, stop.swapaxes(1, 2))
        parse = tw.decode.tree(arc, automata=automata)
        assert parse.certified
        assert parse.score == pytest.approx(tw.decode.tree(arc, sib=sib, stop=stop).score, rel=1e-9)


def test_agreement_certifies_where_arcs_dominate() -> None:
    certificates = []
    for seed in range(8):
        arc = 5 * np.random.default_rng(seed).normal(size=(11, 11))
        parse = tw.decode.tree(arc, automata=random_automata(seed, 10, 3, scale=0.5), method="dd")
        certificates.append(parse.certificate)
        assert parse.method == "dd"
    assert certificates.count("agreement") >= 4


def test_constraints_hold() -> None:
    arc = np.random.default_rng(1).normal(size=(5, 5))
    automata = random_automata(1, 4, 2)
    required = [heads for heads in all_trees(4) if heads[1] == 4]
    allowed = [heads for heads in all_trees(4) if heads[3] != 0 and heads[2] != 1]
    for parse, trees in (
        (tw.decode.tree(arc, automata=automata, require=[(4, 1)]), required),
        (tw.decode.tree(arc, automata=automata, forbid=[(0, 3), (1, 2)]), allowed),
    ):
        assert parse.score == pytest.approx(max(value_under(heads, arc, automata) for heads in trees), rel=1e-9)
        assert tuple(parse.heads.tolist()) in trees


def test_budgets_leave_a_valid_bound() -> None:
    arc = np.zeros((9, 9))
    automata = random_automata(4, 8, 3)
    best = tw.decode.tree(arc, automata=automata)
    short = tw.decode.tree(arc, automata=automata, max_nodes=1)
    assert best.certified
    assert short.score <= best.score + 1e-9
    assert short.bound >= best.score - 1e-9
    assert tw.decode.tree(arc, automata=automata, method="dd", max_iterations=2).bound >= best.score - 1e-9


def test_what_is_wrong_is_named() -> None:
    arc, moves = np.zeros((3, 3)), np.zeros((3, 3, 2, 2))
    with pytest.raises(InputError, match=r"moves has shape \(3, 2, 2\); expected moves\[h, m, s, t\]"):
        HeadAutomata(np.zeros((3, 2, 2)))
    with pytest.raises(InputError, match=r"start has shape \(2,\), expected \(3, 2, 2\): start\[h, side, s\]"):
        HeadAutomata(moves, start=[0, 1])
    bad = moves.copy()
    bad[1, 2, 0, 1] = np.nan
    with pytest.raises(InputError, match=r"moves\[1, 2, 0, 1\] is NaN"):
        HeadAutomata(bad)
    with pytest.raises(InputError, match="leave out sib, grand, stop and grandsib"):
        tw.decode.tree(arc, sib=np.zeros((3, 3, 3)), automata=HeadAutomata(moves))
    with pytest.raises(InputError, match="the automata are those of 3 nodes, but arc has 4"):
        tw.decode.tree(np.zeros((4, 4)), automata=HeadAutomata(moves))
    with pytest.raises(InputError, match="'automata' is an option of 'exact', 'dd'"):
        tw.decode.tree(arc, automata=HeadAutomata(moves), method="climb")
    with pytest.raises(InputError, match="automata come without beta, warm_start, tighten and published"):
        tw.decode.tree(arc, automata=HeadAutomata(moves), method="dd", beta=0.5)
    with pytest.raises(InputError, match="automata have no form for proof=True"):
        tw.decode.tree(arc, automata=HeadAutomata(moves), proof=True)
    none = np.full((4, 4, 2, 2), -np.inf)  # no head may have a modifier
    with pytest.raises((InfeasibleError, BudgetError)):
        tw.decode.tree(np.zeros((4, 4)), automata=HeadAutomata(none), method="dd", max_iterations=5)

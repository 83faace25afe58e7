"""Head automata against every subset of modifiers."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from oracles.instances import Scores, random_scores

import treewright as tw
from treewright.errors import InfeasibleError, InputError


def outwards(n: int, h: int, side: int) -> list[int]:
    return list(range(h + 1, n + 1)) if side else list(range(h - 1, 0, -1))


def subsets(candidates: list[int]) -> Any:
    return (chosen for size in range(len(candidates) + 1) for chosen in combinations(candidates, size))


def side_value(scores: Scores, h: int, side: int, chosen: tuple[int, ...]) -> float:
    """The value of a list of modifiers by the definition of the parts."""
    total, inner = 0.0, h
    for m in chosen:
        total += scores["arc"][h, m]
        total += scores["sib"][h, m, inner] if "sib" in scores else 0.0
        inner = m
    return total + (scores["stop"][h, inner, side] if "stop" in scores else 0.0)


@pytest.mark.parametrize("names", ["arc", "arc sib", "arc stop", "arc sib stop"])
@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_siblings_are_the_best_of_all_subsets(names: str, holes: float) -> None:
    rng = np.random.default_rng(len(names))
    feasible = 0
    for n in (1, 2, 4, 7):
        scores = random_scores(rng, n, names, holes=holes)
        for h, side in [(0, 1), *product(range(1, n + 1), (0, 1))]:
            candidates = [m for m in outwards(n, h, side) if scores["arc"][h, m] > -np.inf]
            values = {chosen: side_value(scores, h, side, chosen) for chosen in subsets(candidates)}
            best = max(values.values())
            if best == -np.inf:
                with pytest.raises(InfeasibleError, match=f"every choice of modifiers for node {h}"):
                    tw.decode.sibling_automaton(**scores, h=h, side=side)
                continue
            feasible += 1
            automaton = tw.decode.sibling_automaton(**scores, h=h, side=side)
            assert automaton.score == pytest.approx(best, rel=1e-9, abs=1e-12)
            assert values[tuple(automaton.modifiers.tolist())] == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert feasible >= 30


def test_ten_candidates() -> None:
    scores = random_scores(np.random.default_rng(10), 10, "arc sib stop")
    best = max(side_value(scores, 0, 1, chosen) for chosen in subsets(outwards(10, 0, 1)))
    assert tw.decode.sibling_automaton(**scores, h=0, side=1).score == pytest.approx(best, rel=1e-12)


def test_constraints_hold_within_an_automaton() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        scores = random_scores(rng, 6, "arc sib stop")
        must, never = (int(m) for m in rng.choice([2, 3, 4, 5, 6], 2, replace=False))
        automaton = tw.decode.sibling_automaton(**scores, h=1, side=1, require=[(1, must)], forbid=[(1, never)])
        values = (
            side_value(scores, 1, 1, chosen)
            for chosen in subsets(outwards(6, 1, 1))
            if must in chosen and never not in chosen
        )
        assert automaton.score == pytest.approx(max(values), rel=1e-9)
        assert must in automaton.modifiers
        assert never not in automaton.modifiers


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InputError, match="side is 2"):
        tw.decode.sibling_automaton(np.zeros((3, 3)), 1, 2)
    with pytest.raises(InputError, match=r"h is 7; nodes are 0\.\.2"):
        tw.decode.sibling_automaton(np.zeros((3, 3)), 7, 1)

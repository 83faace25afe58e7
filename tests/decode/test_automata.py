"""Head automata against every subset of modifiers, with their max-marginals."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from oracles.instances import Scores, random_scores

import treewright as tw
from treewright.decode import Parts
from treewright.errors import InfeasibleError, InputError


def outwards(n: int, h: int, side: int) -> list[int]:
    return list(range(h + 1, n + 1)) if side else list(range(h - 1, 0, -1))


def subsets(candidates: list[int]) -> Any:
    return (chosen for size in range(len(candidates) + 1) for chosen in combinations(candidates, size))


def side_value(scores: Scores, h: int, side: int, chosen: tuple[int, ...], g: int | None = None) -> float:
    """The value of a list of modifiers by the definition of the parts."""
    total, inner = 0.0, h
    for m in chosen:
        total += scores["arc"][h, m]
        total += scores["sib"][h, m, inner] if "sib" in scores else 0.0
        total += scores["grand"][g, h, m] if g not in (None, m) else 0.0  # (g, h, g) is no part
        inner = m
    return total + (scores["stop"][h, inner, side] if "stop" in scores else 0.0)


def best_values(values: dict[tuple[int, ...], float], candidates: list[int]) -> tuple[float, list[float], list[float]]:
    best = max(values.values())
    best_with = [max((v for chosen, v in values.items() if m in chosen), default=-np.inf) for m in candidates]
    best_without = [max((v for chosen, v in values.items() if m not in chosen), default=-np.inf) for m in candidates]
    return best, best_with, best_without


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
            best, best_with, best_without = best_values(values, candidates)
            if best == -np.inf:
                with pytest.raises(InfeasibleError, match=f"every choice of modifiers for node {h}"):
                    tw.decode.sibling_automaton(**scores, h=h, side=side)
                continue
            feasible += 1
            automaton = tw.decode.sibling_automaton(**scores, h=h, side=side)
            assert automaton.score == pytest.approx(best, rel=1e-9, abs=1e-12)
            assert values[tuple(automaton.modifiers.tolist())] == pytest.approx(best, rel=1e-9, abs=1e-12)
            assert automaton.candidates.tolist() == candidates
            assert automaton.best_with == pytest.approx(best_with, rel=1e-9, abs=1e-12)
            assert automaton.best_without == pytest.approx(best_without, rel=1e-9, abs=1e-12)
    assert feasible >= 30


def test_ten_candidates() -> None:
    scores = random_scores(np.random.default_rng(10), 10, "arc sib stop")
    values = {chosen: side_value(scores, 0, 1, chosen) for chosen in subsets(outwards(10, 0, 1))}
    automaton = tw.decode.sibling_automaton(**scores, h=0, side=1)
    best, best_with, best_without = best_values(values, outwards(10, 0, 1))
    assert automaton.score == pytest.approx(best, rel=1e-12)
    assert automaton.best_with == pytest.approx(best_with, rel=1e-12)
    assert automaton.best_without == pytest.approx(best_without, rel=1e-12)


@pytest.mark.parametrize("names", ["arc grand", "arc grand sib", "arc grand sib stop"])
def test_grandparents_are_the_best_of_all_heads_and_subsets(names: str) -> None:
    rng = np.random.default_rng(len(names))
    for n in (1, 2, 4, 5):
        scores = random_scores(rng, n, names)
        of_head = rng.normal(size=n + 1)
        for h in range(n + 1):
            heads: list[int | None] = [g for g in range(n + 1) if g != h] if h else [None]
            left, right = outwards(n, h, 0) if h else [], outwards(n, h, 1)
            values: dict[tuple[Any, ...], float] = {}
            for g, a, b in product(heads, subsets(left), subsets(right)):
                added = 0.0 if g is None else of_head[g]
                sides = side_value(scores, h, 1, b, g) + (side_value(scores, h, 0, a, g) if h else 0.0)
                values[(("g", g), *a, *b)] = added + sides
            automaton = tw.decode.grandparent_automaton(**scores, h=h, of_head=of_head)
            best, best_with, best_without = best_values(values, [*left, *right])
            assert automaton.score == pytest.approx(best, rel=1e-9)
            assert values[(("g", automaton.head), *automaton.modifiers.tolist())] == pytest.approx(best, rel=1e-9)
            assert automaton.candidates.tolist() == [*left, *right]
            assert automaton.best_with == pytest.approx(best_with, rel=1e-9)
            assert automaton.best_without == pytest.approx(best_without, rel=1e-9)
            if h == 0:
                assert automaton.head is None
            else:
                assert automaton.heads is not None
                assert automaton.best_by_head is not None
                assert automaton.head == automaton.heads[automaton.best_by_head.argmax()]
                for g, best_of_g in zip(heads, automaton.best_by_head, strict=True):
                    of_g = max(v for chosen, v in values.items() if chosen[0] == ("g", g))
                    assert best_of_g == pytest.approx(of_g, rel=1e-9)


def test_constraints_hold_within_an_automaton() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        scores = random_scores(rng, 6, "arc sib stop")
        must, never = (int(m) for m in rng.choice([2, 3, 4, 5, 6], 2, replace=False))
        automaton = tw.decode.sibling_automaton(**scores, h=1, side=1, require=[(1, must)], forbid=[(1, never)])
        values = {
            chosen: side_value(scores, 1, 1, chosen)
            for chosen in subsets(outwards(6, 1, 1))
            if must in chosen and never not in chosen
        }
        assert automaton.score == pytest.approx(max(values.values()), rel=1e-9)
        assert must in automaton.modifiers
        assert automaton.best_without[automaton.candidates.tolist().index(must)] == -np.inf
        assert never not in automaton.candidates


def test_parts_and_arrays_agree() -> None:
    scores = random_scores(np.random.default_rng(4), 7, "arc sib stop grand", holes=0.2)
    scores["grand"][np.isinf(scores["grand"])] = 0
    scores["stop"][np.isinf(scores["stop"])] = 0
    parts = Parts.from_arrays(**scores)
    for h in range(8):
        whole, pruned = tw.decode.grandparent_automaton(**scores, h=h), tw.decode.grandparent_automaton(parts, h)
        assert whole.score == pruned.score
        assert whole.best_with.tolist() == pruned.best_with.tolist()


def all_paths(moves: Any, start: Any, stop: Any) -> dict[tuple[int, ...], float]:
    """The best value of every set of accepted candidates, over all state sequences."""
    count, states, _ = moves.shape
    found: dict[tuple[int, ...], float] = {}
    for accepted in subsets(list(range(count))):
        for path in product(range(states), repeat=len(accepted) + 1):
            total = start[path[0]] + stop[path[-1]]
            total += sum(moves[i, s, t] for i, s, t in zip(accepted, path[:-1], path[1:], strict=True))
            found[accepted] = max(found.get(accepted, -np.inf), float(total))
    return found


@pytest.mark.parametrize("holes", [0.0, 0.4])
def test_states_are_the_best_of_all_paths(holes: float) -> None:
    rng = np.random.default_rng(6)
    for count, states in ((0, 1), (1, 2), (3, 3), (5, 2), (4, 3)):
        for _ in range(5):
            moves, start, stop = (rng.normal(size=shape) for shape in ((count, states, states), states, states))
            moves[rng.random(moves.shape) < holes] = -np.inf
            values = all_paths(moves, start, stop)
            best, best_with, best_without = best_values(values, list(range(count)))
            found = tw.decode.state_automaton(moves, start=start, stop=stop)
            assert found.score == pytest.approx(best, rel=1e-9)
            assert found.best_with == pytest.approx(best_with, rel=1e-9)
            assert found.best_without == pytest.approx(best_without, rel=1e-9)
            taken = start[found.states[0]] + stop[found.states[-1]]
            for i, s, t in zip(found.accepted, found.states[:-1], found.states[1:], strict=True):
                taken += moves[i, s, t]
            assert taken == pytest.approx(best, rel=1e-9)


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InputError, match="side is 2; it is 0"):
        tw.decode.sibling_automaton(np.zeros((3, 3)), 1, 2)
    with pytest.raises(InputError, match=r"h is 7; nodes are 0\.\.2"):
        tw.decode.sibling_automaton(np.zeros((3, 3)), 7, 1)
    with pytest.raises(InputError, match=r"of_head has shape \(2,\), expected \(3,\)"):
        tw.decode.grandparent_automaton(np.zeros((3, 3)), 1, of_head=[0, 0])
    with pytest.raises(InputError, match=r"of_head\[2\] is NaN"):
        tw.decode.grandparent_automaton(np.zeros((3, 3)), 1, of_head=[0, 0, np.nan])
    with pytest.raises(InputError, match=r"moves has shape \(2, 2\)"):
        tw.decode.state_automaton(np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"start has shape \(3,\), expected \(2,\)"):
        tw.decode.state_automaton(np.zeros((1, 2, 2)), start=[0, 0, 0])
    with pytest.raises(InputError, match=r"moves\[0, 1, 0\] is \+inf"):
        tw.decode.state_automaton(np.array([[[0, 0], [np.inf, 0]]]))
    with pytest.raises(InfeasibleError, match="no path leads from start to stop"):
        tw.decode.state_automaton(np.zeros((1, 2, 2)), start=[-np.inf, -np.inf])

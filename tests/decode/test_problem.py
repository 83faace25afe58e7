"""Which arguments are accepted, and the messages for the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.decode import Parts, Problem
from treewright.errors import InfeasibleError, InputError

SCORES = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
BEST = [-1, 0, 1]


def refused(message: str) -> Any:
    return pytest.raises(InputError, match=f"^{re.escape(message)}$")


class ArrayInterface:
    """As a tensor library hands over its memory: through __array__."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(SCORES, dtype=np.float32 if dtype is None else dtype)


class OnlyDlpack:
    """As a tensor library hands over its memory: through DLPack and nothing else."""

    array = np.array(SCORES, dtype=np.float32)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class OnAnotherDevice:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


def frozen(array: Any) -> Any:
    array.setflags(write=False)
    return array


def unaligned() -> Any:
    memory = np.zeros(9 * 8 + 1, dtype=np.uint8)
    array = memory[1:].view(np.float64).reshape(3, 3)
    array[:] = SCORES
    return array


@pytest.mark.parametrize(
    "arc",
    [
        SCORES,
        tuple(map(tuple, SCORES)),
        np.array(SCORES, dtype=np.float64),
        np.array(SCORES, dtype=np.float32),
        np.array(SCORES, dtype=np.float16),
        np.array(SCORES, dtype=np.int8),
        np.array(SCORES, dtype=np.uint64),
        np.array(SCORES, dtype=">f8"),
        np.asfortranarray(np.array(SCORES, dtype=np.float64)),
        np.repeat(np.repeat(np.array(SCORES, dtype=np.float64), 2, axis=0), 2, axis=1)[::2, ::2],
        frozen(np.array(SCORES, dtype=np.float64)),
        unaligned(),
        memoryview(np.array(SCORES, dtype=np.float32).data),
        ArrayInterface(),
        OnlyDlpack(),
    ],
    ids=lambda arc: type(arc).__name__,
)
@pytest.mark.parametrize("projective", [False, True])
def test_anything_numpy_can_view(arc: Any, projective: bool) -> None:
    parse = tw.decode.tree(arc, projective=projective)
    assert parse.heads.tolist() == BEST
    assert parse.score == 16


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    for dtype in (torch.float64, torch.float32, torch.float16, torch.int64):
        assert tw.decode.tree(torch.tensor(SCORES, dtype=dtype)).heads.tolist() == BEST
    with pytest.raises(InputError, match=r"arc cannot be read as an array: .*detach"):
        tw.decode.tree(torch.tensor(SCORES, dtype=torch.float32, requires_grad=True))


def test_float32_scores_are_decoded_as_they_are() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        arc = rng.normal(size=(15, 15)).astype(np.float32)
        single, double = tw.decode.tree(arc), tw.decode.tree(arc.astype(np.float64))
        assert single.heads.tolist() == double.heads.tolist()
        assert single.score == double.score


def test_arguments_are_left_as_they_were() -> None:
    arc = np.array(SCORES, dtype=np.float64)
    sib = np.ones((3, 3, 3))
    before = arc.copy()
    Problem.of(arc, sib=sib, require=[(0, 2)], forbid=[(2, 1)]).parts.value(np.array(BEST, dtype=np.int32))
    tw.decode.tree(arc, require=[(0, 2)])
    np.testing.assert_array_equal(arc, before)
    assert (sib == 1).all()


def test_the_diagonal_and_column_zero_mean_nothing() -> None:
    arc = np.array(SCORES, dtype=np.float64)
    for nothing in (np.nan, np.inf, -np.inf, 100):
        arc[:, 0] = nothing
        np.fill_diagonal(arc, nothing)
        for projective in (False, True):
            assert tw.decode.tree(arc, projective=projective).score == 16
        problem = Problem.of(arc, require=[(0, 1)])
        assert problem.arc is not None
        assert (problem.arc[:, 0] == -np.inf).all()
        assert (np.diag(problem.arc) == -np.inf).all()
        assert problem.parts.arcs == 3


def test_cells_of_no_part_are_not_looked_at() -> None:
    """NaN wherever no tree can read it."""
    nodes = range(5)
    sib, grand, stop = np.full((5, 5, 5), np.nan), np.full((5, 5, 5), np.nan), np.full((5, 5, 2), np.nan)
    for h in nodes:
        for m in nodes[1:]:
            for s in nodes:
                if m != h and (s == h or h < s < m or m < s < h):
                    sib[h, m, s] = 1
                if h > 0 and len({s, h, m}) == 3:  # s is the grandparent here
                    grand[s, h, m] = 1
        stop[h, h, :] = 1
        stop[h, 1:h, 0] = stop[h, h + 1 :, 1] = 1
    stop[0, 0, 0] = np.nan
    problem = Problem.of(np.ones((5, 5)), sib=sib, grand=grand, stop=stop)
    # Four arcs, four siblings, three grandparents, two stops a word and one of the root.
    assert problem.value(np.array([-1, 0, 1, 1, 3], dtype=np.int32)) == 4 + 4 + 3 + 9
    for array, name in ((sib, "sib"), (grand, "grand"), (stop, "stop")):
        for index in np.argwhere(~np.isnan(array)).tolist():
            arrays: dict[str, Any] = {name: array.copy()}
            arrays[name][tuple(index)] = np.inf
            with pytest.raises(InputError, match=re.escape(f"{name}[{', '.join(map(str, index))}] is +inf")):
                Problem.of(np.ones((5, 5)), **arrays)


def with_cell(h: int, m: int, score: float) -> Any:
    arc = np.array(SCORES, dtype=np.float64)
    arc[h, m] = score
    return arc


@pytest.mark.parametrize(
    ("arc", "message"),
    [
        (with_cell(2, 1, np.nan), "arc[2, 1] is NaN; write -inf to forbid a part, 0 to leave it unscored"),
        (with_cell(0, 2, np.inf), "arc[0, 2] is +inf; a part is required by `require`, not by its score"),
        (
            with_cell(1, 2, -1.7e308),
            "arc[1, 2] is -1.7e+308; scores lie within 1e+300 of zero, write -inf to forbid a part",
        ),
        (np.zeros((2, 3)), "arc has shape (2, 3), expected a square arc[h, m] over the root and the words"),
        (np.zeros(4), "arc has shape (4,), expected a square arc[h, m] over the root and the words"),
        ([], "arc has shape (0,), expected a square arc[h, m] over the root and the words"),
        (np.zeros((0, 0)), "arc has shape (0, 0): there is no word in it; node 0 is the root, words are 1..n"),
        ([[0]], "arc has shape (1, 1): there is no word in it; node 0 is the root, words are 1..n"),
        (
            np.zeros((3, 3), dtype=complex),
            "arc has dtype complex128; give real numbers (float64 is read without a copy)",
        ),
        ([["a", "b"], ["c", "d"]], "arc has dtype <U1; give real numbers (float64 is read without a copy)"),
        (None, "arc has dtype object; give real numbers (float64 is read without a copy)"),
        (
            OnAnotherDevice(),
            "arc cannot be read as an array: can't convert cuda:0 device type tensor to numpy",
        ),
        (
            np.ma.masked_array(SCORES, mask=np.eye(3, dtype=bool)),
            "arc is a masked array; give arc.filled(-np.inf) to forbid what is masked",
        ),
    ],
)
def test_bad_arcs_are_refused(arc: Any, message: str) -> None:
    with refused(message):
        tw.decode.tree(arc)


def test_ragged_lists_are_refused() -> None:
    with pytest.raises(InputError, match=r"^arc cannot be read as an array: .*inhomogeneous"):
        tw.decode.tree([[0, 1], [0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"sib": np.zeros((3, 3))},
            "sib has shape (3, 3), expected (3, 3, 3): sib[h, m, s], over as many nodes as arc",
        ),
        (
            {"grand": np.zeros((4, 4, 4))},
            "grand has shape (4, 4, 4), expected (3, 3, 3): grand[g, h, m], over as many nodes as arc",
        ),
        (
            {"stop": np.zeros((3, 3, 3))},
            "stop has shape (3, 3, 3), expected (3, 3, 2): stop[h, s, side], sides 0 left and 1 right, "
            "over as many nodes as arc",
        ),
        (
            {"sib": np.full((3, 3, 3), np.nan)},
            "sib[0, 1, 0] is NaN; write -inf to forbid a part, 0 to leave it unscored",
        ),
        ({"root": "two"}, "root is 'two'; it is 'single' (one child of node 0) or 'multi'"),
        ({"require": [(1, 0)]}, "require[0] is the arc (1, 0); heads are 0..2, modifiers 1..2, and differ"),
        ({"forbid": [(0, 1), (2, 2)]}, "forbid[1] is the arc (2, 2); heads are 0..2, modifiers 1..2, and differ"),
        ({"forbid": [(3, 1)]}, "forbid[0] is the arc (3, 1); heads are 0..2, modifiers 1..2, and differ"),
        ({"require": [3]}, "require[0] is 3; give pairs (head, modifier)"),
        ({"require": [(1, 2, 0)]}, "require[0] is (1, 2, 0); give pairs (head, modifier)"),
        ({"require": [(1.5, 2)]}, "require[0] is (1.5, 2); give pairs (head, modifier)"),
        ({"require": 3}, "require is 3; give pairs (head, modifier)"),
        ({"method": "magic"}, "there is no method 'magic'; there are exact, dd, climb, rearrange, ilp, lp"),
        ({"speed": 3}, f"method 'exact' has no option 'speed'; it has {', '.join(tw.decode.options_of('exact'))}"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with refused(message):
        tw.decode.tree(SCORES, **arguments)


def test_parts_bring_their_own_second_order_scores() -> None:
    with refused("sib, grand, stop and grandsib come with an array arc; a Parts holds its own second-order parts"):
        tw.decode.tree(Parts.from_arrays(SCORES), sib=np.zeros((3, 3, 3)))


def test_constraints_may_be_any_iterable_of_any_whole_numbers() -> None:
    same: list[Any] = [((0, 2),), np.array([[0, 2]]), iter([(np.int64(0), np.int32(2))]), {0: 2}.items(), {(0, 2)}]
    for require in same:
        assert tw.decode.tree(SCORES, require=require).heads.tolist() == [-1, 2, 0]


def test_a_problem_tells_its_order() -> None:
    cube = np.zeros((3, 3, 3))
    assert Problem.of(SCORES).order == 1
    for arrays in ({"sib": cube}, {"grand": cube}, {"stop": cube[:, :, :2]}):
        problem = Problem.of(SCORES, **arrays)
        assert problem.order == 2
        assert problem.has_grand == ("grand" in arrays)
        assert problem.has_siblings == ("grand" not in arrays)
        of_parts = Problem.of(Parts.from_arrays(SCORES, **arrays))
        assert (of_parts.order, of_parts.has_grand) == (2, problem.has_grand)


def test_a_problem_of_parts_has_its_constraints_applied() -> None:
    rng = np.random.default_rng(2)
    arc, sib = rng.normal(size=(6, 6)), rng.normal(size=(6, 6, 6))
    require, forbid = [(2, 3)], [(0, 1), (5, 4)]
    dense = Problem.of(arc, sib=sib, require=require, forbid=forbid)
    sparse = Problem.of(Parts.from_arrays(arc, sib), require=require, forbid=forbid)
    assert sparse.arc is None
    np.testing.assert_array_equal(sparse.matrix, dense.arc)
    for name in ("head", "modifier", "arc"):
        np.testing.assert_array_equal(getattr(sparse.parts, name), getattr(dense.parts, name))
    for found, expected in zip(sparse.parts.siblings, dense.parts.siblings, strict=True):
        np.testing.assert_array_equal(found, expected)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tree": lambda arc, **options: tw.decode.tree(arc, **options).heads,
    "kbest": lambda arc, **options: [parse.score for parse in tw.decode.kbest(arc, 3, **options)],
    "marginals": tw.decode.marginals,
    "log_partition": tw.decode.log_partition,
    "entropy": tw.decode.entropy,
    "mbr": lambda arc, **options: tw.decode.mbr(arc, **options).heads,
    "sample": lambda arc, **options: tw.decode.sample(arc, 5, **options),
    "why_not": lambda arc, **options: tw.decode.why_not(arc, 1, 2, **options).rival.heads,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_a_problem(name: str) -> None:
    function, random = FUNCTIONS[name], np.random.default_rng(1)
    arc, sib = random.normal(size=(5, 5)), random.normal(size=(5, 5, 5))
    for options in ({"root": "multi", "require": [(3, 4)]}, {"sib": sib, "projective": True}, {"head_first": False}):
        keywords: dict[str, Any] = options
        np.testing.assert_array_equal(function(Problem.of(arc, **keywords)), function(arc, **keywords))
    with pytest.raises(InputError, match=r"^projective, root: a Problem has its own; give the keywords to Problem.of$"):
        function(Problem.of(arc), projective=True, root="multi")


@pytest.mark.parametrize("name", [*FUNCTIONS, "candidates", "reduced_costs"])
def test_cells_that_are_not_read_do_not_hide_what_is_wrong(name: str) -> None:
    functions = FUNCTIONS | {
        "candidates": lambda arc: tw.decode.candidates(arc, threshold=0.1, max_heads=2),
        "reduced_costs": tw.decode.reduced_costs,
    }
    arc = np.zeros((4, 4))
    np.fill_diagonal(arc, np.nan)
    arc[:, 0] = np.nan
    functions[name](arc)
    arc[:, 3] = -np.inf
    with pytest.raises(InfeasibleError, match=r"^there is no such tree: arc\[:, 3\] is -inf for every head"):
        functions[name](arc)


@pytest.mark.parametrize("function", [tw.decode.mbr, tw.decode.entropy, tw.decode.reduced_costs, tw.decode.graph])
def test_labelled_scores_are_refused_where_they_have_no_meaning(function: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"^arc has shape \(3, 3, 2\), .*; labelled arc\[h, m, l\] is for tree, trees"):
        function(np.zeros((3, 3, 2)))

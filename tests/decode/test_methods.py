"""Names and options of the methods, and what a result tells."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.decode import METHODS, Parse
from treewright.decode.methods import EXACT, solver
from treewright.errors import InputError

HEADS = np.array([-1, 0, 1], dtype=np.int32)


def test_every_method_is_a_place() -> None:
    for place in [*METHODS.values(), *EXACT.values()]:
        module, _, name = place.partition(":")
        assert module.startswith("treewright.decode.")
        assert name.isidentifier()


def test_a_solver_is_found_once() -> None:
    assert solver("exact", {}) is solver("exact", {"max_nodes": 3})


def test_a_misspelt_option_answers_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"^method 'exact' has no option 'max_second'; it has max_seconds, max_nodes"):
        tw.decode.tree(np.zeros((3, 3)), max_second=1)


def test_budgets_are_fine_where_none_is_needed() -> None:
    assert tw.decode.tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]], max_seconds=0.001, max_nodes=1).certified


def test_a_parse_tells_what_it_is_worth() -> None:
    certain = Parse.exact(HEADS, 16.0, "eisner")
    assert (certain.bound, certain.gap, certain.certified, certain.certificate) == (16.0, 0.0, True, "exact")
    assert (certain.iterations, certain.nodes, certain.trace, certain.arcs) == (0, 0, None, None)
    assert repr(certain) == "Parse(heads=[-1, 0, 1], score=16, certified, method='eisner')"
    doubtful = Parse(HEADS, 16.0, 16.5, "dd", certificate=None, iterations=5000)
    assert (doubtful.gap, doubtful.certified) == (0.5, False)
    assert repr(doubtful) == "Parse(heads=[-1, 0, 1], score=16, gap <= 0.5, method='dd')"
    with pytest.raises(AttributeError):
        certain.score = 3.0  # type: ignore[misc]

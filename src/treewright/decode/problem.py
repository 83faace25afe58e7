"""The checked question: scores, shape of the tree, constraints. Checked here once; solvers rely on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode import arrays
from treewright.decode.parts import Parts
from treewright.errors import InputError

Arc = tuple[int, int]  # head, modifier


@dataclass(frozen=True, eq=False)
class Problem:
    """One sentence to decode, with its constraints already applied to `arc` and `parts`.

    arc is whole (C-contiguous float64, -inf on the diagonal, into 0 and wherever a constraint forbids), or None when
    only Parts were given; `matrix` is it in both cases. sib, grand and stop are as given, checked, or None. Arrays are
    shared with the caller: read them only.
    """

    nodes: int
    arc: NDArray[np.float64] | None
    sib: NDArray[np.float64] | None = None
    grand: NDArray[np.float64] | None = None
    stop: NDArray[np.float64] | None = None
    projective: bool = False
    single_root: bool = True
    require: tuple[Arc, ...] = ()
    forbid: tuple[Arc, ...] = ()
    given: Parts | None = field(default=None, repr=False)  # what came in as Parts, before the constraints

    @classmethod
    def of(
        cls,
        arc: ArrayLike | Parts,
        sib: ArrayLike | None = None,
        grand: ArrayLike | None = None,
        stop: ArrayLike | None = None,
        *,
        projective: bool = False,
        root: str = "single",
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
    ) -> Problem:
        """Check everything and say what is wrong by place and remedy."""
        if root not in ("single", "multi"):
            raise InputError(f"root is {root!r}; it is 'single' (one child of node 0) or 'multi'")
        given, matrix = (arc, None) if isinstance(arc, Parts) else (None, arrays.arc_matrix(arc))
        if given is not None and not (sib is None and grand is None and stop is None):
            raise InputError(
                "sib, grand and stop come with arrays; a Parts holds its own siblings, grandparents, stops"
            )
        nodes = len(matrix) if matrix is not None else given.nodes  # type: ignore[union-attr]
        required, forbidden = _arcs(require, "require", nodes), _arcs(forbid, "forbid", nodes)
        if matrix is not None and (required or forbidden):
            matrix[~_allowed(nodes, required, forbidden)] = -np.inf
        return cls(
            nodes,
            matrix,
            arrays.part_array(sib, "sib", nodes),
            arrays.part_array(grand, "grand", nodes),
            arrays.part_array(stop, "stop", nodes),
            bool(projective),
            root == "single",
            required,
            forbidden,
            given,
        )

    @cached_property
    def parts(self) -> _core.Parts:
        """The parts over the arcs that scores and constraints allow."""
        if self.given is None:
            return _core.Parts.from_arrays(self.matrix, self.sib, self.grand, self.stop)
        core = self.given.core
        if not (self.require or self.forbid):
            return core
        return core.restricted(_allowed(self.nodes, self.require, self.forbid)[core.head, core.modifier])

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """arc[h, m], from the parts when only those were given."""
        return self.arc if self.arc is not None else self.parts.dense_arc()

    @property
    def has_siblings(self) -> bool:
        """Whether sibling or stop parts were given."""
        return self.given.core.has_transitions if self.given else self.sib is not None or self.stop is not None

    @property
    def has_grand(self) -> bool:
        """Whether grandparent parts were given."""
        return self.given.core.has_grand if self.given else self.grand is not None

    @property
    def order(self) -> int:
        """1: arcs alone decide; 2: siblings, stops or grandparents too."""
        return 2 if self.has_siblings or self.has_grand else 1

    def value(self, heads: NDArray[np.int32]) -> float:
        """The value of a tree by the definition of the parts; -inf when it uses an arc that is not allowed."""
        return self.parts.value(heads)


def _allowed(nodes: int, require: tuple[Arc, ...], forbid: tuple[Arc, ...]) -> NDArray[np.bool_]:
    allowed = np.ones((nodes, nodes), dtype=np.bool_)
    for h, m in require:
        others = np.arange(nodes) != h
        allowed[others, m] = False
    for h, m in forbid:
        allowed[h, m] = False
    return allowed


def _arcs(given: Iterable[Arc], name: str, nodes: int) -> tuple[Arc, ...]:
    if given == ():
        return ()
    pairs = []
    for place, pair in enumerate(given):
        try:
            h, m = (int(node) for node in pair)
        except (TypeError, ValueError):
            raise InputError(f"{name}[{place}] is {pair!r}; give pairs (head, modifier)") from None
        if not (0 <= h < nodes and 1 <= m < nodes and h != m):
            raise InputError(
                f"{name}[{place}] is the arc ({h}, {m}); heads are 0..{nodes - 1}, modifiers 1..{nodes - 1}, and differ"
            )
        pairs.append((h, m))
    return tuple(pairs)

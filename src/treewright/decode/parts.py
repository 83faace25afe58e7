"""Scored parts over candidate arcs, as pruning leaves them: the form in which the core reads scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core, trees
from treewright.decode import arrays
from treewright.errors import InputError

Indices = NDArray[np.int32]
Scores = NDArray[np.float64]


class Arcs(NamedTuple):
    """Candidate arcs from head h to modifier m."""

    h: Indices
    m: Indices
    score: Scores


class Siblings(NamedTuple):
    """m of h with s its inner neighbour on the same side; s == h when m is the first."""

    h: Indices
    m: Indices
    s: Indices
    score: Scores


class Grandparents(NamedTuple):
    """An arc (h, m) under an arc (g, h); in parts with `outermost` only if m is the outermost modifier on its side."""

    g: Indices
    h: Indices
    m: Indices
    score: Scores


class Stops(NamedTuple):
    """No further modifier of h after s on that side (0 left, 1 right); s == h when there is none at all."""

    h: Indices
    s: Indices
    side: Indices
    score: Scores


class Grandsiblings(NamedTuple):
    """m of h with s its inner neighbour on the same side (s == h when m is the first), and h under g."""

    g: Indices
    h: Indices
    m: Indices
    s: Indices
    score: Scores


_NAMES: dict[str, Any] = {
    "arcs": Arcs,
    "siblings": Siblings,
    "grandparents": Grandparents,
    "stops": Stops,
    "grandsiblings": Grandsiblings,
}


class Parts:
    """The parts of one sentence over its candidate arcs; a part that is not listed counts as zero.

    Each list is index columns and a score column, in any order; parts over arcs that are no candidates are left out,
    because no tree can have them. Grand-siblings are for `tree`. With outermost=True a grandparent part counts only if
    m is the outermost modifier of h on its side (Carreras 2007); such parts are for projective trees.

    >>> parts = Parts(3, arcs=([0, 1, 2], [1, 2, 1], [9.0, 7.0, 3.0]), siblings=([0], [1], [0], [0.5]))
    >>> parts
    Parts(2 words, 3 arcs, 1 sibling)
    >>> parts.value([-1, 0, 1])
    16.5
    """

    __slots__ = ("core",)

    core: _core.Parts

    def __init__(
        self,
        nodes: int,
        arcs: Sequence[ArrayLike],
        siblings: Sequence[ArrayLike] | None = None,
        grandparents: Sequence[ArrayLike] | None = None,
        stops: Sequence[ArrayLike] | None = None,
        grandsiblings: Sequence[ArrayLike] | None = None,
        *,
        outermost: bool = False,
    ) -> None:
        head, modifier, score = _columns(arcs, "arcs")
        sib, grand, stop, grandsib = (
            None if columns is None else _columns(columns, name)
            for columns, name in (
                (siblings, "siblings"),
                (grandparents, "grandparents"),
                (stops, "stops"),
                (grandsiblings, "grandsiblings"),
            )
        )
        try:
            self.core = _core.Parts(
                int(nodes), head, modifier, score, sib, grand, stop, outermost=bool(outermost), grandsiblings=grandsib
            )
        except ValueError as error:
            raise InputError(f"Parts: {error}") from None

    @classmethod
    def from_arrays(
        cls,
        arc: ArrayLike,
        sib: ArrayLike | None = None,
        grand: ArrayLike | None = None,
        stop: ArrayLike | None = None,
        grandsib: ArrayLike | None = None,
        *,
        head_first: bool = True,
    ) -> Parts:
        """Return the parts of whole matrices, those of `tree`; the candidates are the arcs above -inf.

        >>> Parts.from_arrays([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
        Parts(2 words, 4 arcs)
        """
        clean = arrays.arc_matrix(arc, head_first)
        nodes = len(clean)
        return cls.of(
            _core.Parts.from_arrays(
                clean,
                arrays.part_array(sib, "sib", nodes),
                arrays.part_array(grand, "grand", nodes),
                arrays.part_array(stop, "stop", nodes),
                arrays.part_array(grandsib, "grandsib", nodes),
            )
        )

    @classmethod
    def of(cls, core: _core.Parts) -> Parts:
        """Wrap parts that the core has built."""
        self = cls.__new__(cls)
        self.core = core
        return self

    @property
    def nodes(self) -> int:
        """The words and the root."""
        return self.core.nodes

    @property
    def arcs(self) -> Arcs:
        """The candidate arcs: by head, then left before right, then outwards."""
        return Arcs(self.core.head, self.core.modifier, self.core.arc)

    @property
    def siblings(self) -> Siblings:
        """The sibling parts that are not zero."""
        return Siblings(*self.core.siblings)

    @property
    def grandparents(self) -> Grandparents:
        """The grandparent parts that are not zero."""
        return Grandparents(*self.core.grandparents)

    @property
    def stops(self) -> Stops:
        """The stop parts that are not zero."""
        return Stops(*self.core.stops)

    @property
    def grandsiblings(self) -> Grandsiblings:
        """The grand-sibling parts that are not zero."""
        return Grandsiblings(*self.core.grandsiblings)

    @property
    def outermost(self) -> bool:
        """Whether grandparent parts count for the outermost modifiers only."""
        return self.core.outermost

    def prune(self, keep: ArrayLike) -> Parts:
        """Return the parts over the arcs with keep[arc] true, in the order of `arcs`."""
        mask = np.ascontiguousarray(keep, dtype=np.bool_)
        if mask.shape != (self.core.arcs,):
            raise arrays.bad_shape(
                "keep", mask.shape, (self.core.arcs,), "one entry an arc, in the order of parts.arcs"
            )
        return Parts.of(self.core.restricted(mask))

    def scaled(self, factor: float) -> Parts:
        """Return the parts with scores multiplied by a positive factor; 1 / T gives trees the weight exp(value / T).

        >>> Parts(2, arcs=([0], [1], [3.0])).scaled(0.5).value([-1, 0])
        1.5
        """
        if not (factor > 0 and np.isfinite(factor)):
            raise InputError(f"factor is {factor}; expected a positive number")
        return Parts.of(self.core.scaled(factor))

    def adjusted(self, adjustment: ArrayLike) -> Parts:
        """Return the parts with a number added to the score of each arc, in the order of `arcs`.

        >>> Parts(2, arcs=([0], [1], [3.0])).adjusted([0.5]).value([-1, 0])
        3.5
        """
        column = np.ascontiguousarray(adjustment, dtype=np.float64)
        if column.shape != (self.core.arcs,):
            raise arrays.bad_shape(
                "adjustment", column.shape, (self.core.arcs,), "one entry an arc, in the order of parts.arcs"
            )
        return Parts.of(self.core.adjusted(column))

    @staticmethod
    def add_arc_scores(batch: Sequence[Parts], scores: Sequence[NDArray[np.float64]], weight: float) -> None:
        """Add weight * scores[s][h, m] to the scores of the arcs of each Parts of a batch, in place."""
        _core.add_arc_scores([parts.core for parts in batch], scores, weight)

    def unscored(self) -> Parts:
        """Return the candidates with scores of zero; second-order parts with the score -inf stay forbidden."""
        head, modifier, score = self.arcs
        kinds = (self.siblings, self.grandparents, self.stops, self.grandsiblings)
        second_order = [_forbidden(rows) for rows in kinds]
        return Parts(
            self.nodes,
            (head, modifier, np.where(score > -np.inf, 0.0, -np.inf)),
            *second_order,
            outermost=self.outermost,
        )

    def value(self, heads: ArrayLike) -> float:
        """The value of the tree heads (heads[0] is -1) by the definition of the parts.

        It is -inf when the tree has an arc that is no candidate. Heads with a cycle are refused: they are no tree.
        """
        try:
            value = self.core.value(arrays.index_column(heads, "heads"))
            trees.check_tree(heads)
        except ValueError as error:
            raise InputError(str(error)) from None
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        has_transitions, has_grand = self.core.has_transitions, self.core.has_grand
        second = (self.siblings if has_transitions else None, self.grandparents if has_grand else None)
        stops = self.stops if has_transitions else None
        grandsiblings = self.grandsiblings if self.core.has_grandsib else None
        columns = self.nodes, self.arcs, *second, stops, grandsiblings
        return partial(Parts, outermost=self.outermost), columns

    def __repr__(self) -> str:
        counts = [_count(self.nodes - 1, "word"), _count(self.core.arcs, "arc")]
        for name in ("sibling", "grandparent", "stop", "grandsibling"):
            scores = getattr(self, f"{name}s").score
            if len(scores):
                counts.append(_count(len(scores), name))
        return f"Parts({', '.join(counts)})"


def arc_matrix(core: _core.Parts) -> NDArray[np.float64]:
    """Return the arcs as arc[h, m], -inf where there is no candidate."""
    arc = np.full((core.nodes, core.nodes), -np.inf)
    arc[core.head, core.modifier] = core.arc
    return arc


def _count(number: int, name: str) -> str:
    return f"{number} {name}" + "s" * (number != 1)


def _forbidden(rows: Siblings | Grandparents | Stops | Grandsiblings) -> tuple[ArrayLike, ...] | None:
    """The rows with the score -inf; None when there is none."""
    is_forbidden = rows.score == -np.inf
    return tuple(column[is_forbidden] for column in rows) if is_forbidden.any() else None


def _columns(given: Sequence[ArrayLike], name: str) -> tuple[Any, ...]:
    expected = _NAMES[name]._fields
    if len(given) != len(expected):
        raise InputError(f"{name} has {len(given)} columns; give {', '.join(expected)}")
    return (*(arrays.index_column(column, name) for column in given[:-1]), arrays.score_column(given[-1], name))

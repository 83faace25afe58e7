"""One checked decoding problem: scores, shape of the tree, constraints. Solvers rely on the checks made here."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.caching import cached_property
from treewright.decode import arrays
from treewright.decode.parts import Parts, arc_matrix
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions

Arc = tuple[int, int]  # head, modifier
ArcScores = NDArray[np.float64] | Parts  # a matrix arc[h, m], or lists of parts over candidate arcs
Scores: TypeAlias = "ArrayLike | Parts | Problem"  # what the functions of inference take


@dataclass(frozen=True, eq=False)
class Problem:
    """The scores and constraints of one sentence, checked: what every function of inference takes.

    `arc`, `matrix` and `parts` are the scores under the constraints; sib, grand, stop and grandsib are as given, or
    None. Arrays may be the caller's own: read them only.

    >>> problem = Problem.of([[0, 9, 2], [0, 0, 7], [0, 3, 0]], projective=True)
    >>> problem.nodes, problem.order, problem.projective
    (3, 1, True)
    """

    nodes: int
    given: ArcScores  # as they came, checked, before the constraints
    sib: NDArray[np.float64] | None = None
    grand: NDArray[np.float64] | None = None
    stop: NDArray[np.float64] | None = None
    projective: bool = False
    single_root: bool = True
    require: tuple[Arc, ...] = ()
    forbid: tuple[Arc, ...] = ()
    label_scores: NDArray[np.float64] | None = None  # [h, m, l], checked; `given` is then their maximum or their sum
    head_first: bool = True  # the layout of results [h, m]; the arrays here are head first
    grandsib: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, arc: Scores, **options: Unpack[ProblemOptions]) -> Problem:
        """Check scores and keywords of `tree` and return their problem; an InputError names array, index and remedy.

        A problem itself is returned as it is; it has its keywords already.
        """
        if not isinstance(arc, Problem):
            return _check_problem(arc, **options)
        if options:
            raise InputError(f"{', '.join(options)}: a Problem has its own; give the keywords to Problem.of")
        return arc

    def refuse_labels(self) -> Problem:
        """Return the problem itself, for functions that have no answer for labelled scores."""
        if self.label_scores is not None:
            raise arrays.unexpected_labels(self.label_scores.shape)
        return self

    def refuse_grandsib(self, function: str) -> Problem:
        """Return the problem itself, for functions that have no answer for grand-sibling scores; function names it."""
        if self.has_grandsib:
            raise InputError(
                f"{function} has no form for grandsib scores, which are scores of the best tree; leave them out"
            )
        return self

    def sum_labels(self) -> Problem:
        """Return the problem of sums over labelled trees: an arc has the log of the sum over its labels."""
        if self.label_scores is None:
            return self
        return replace(self, given=np.logaddexp.reduce(self.label_scores, axis=2))

    def label_probabilities(self) -> NDArray[np.float64]:
        """[h, m, l]: the probability of each label of an arc; 0 where no label is allowed."""
        assert self.label_scores is not None
        total = np.logaddexp.reduce(self.label_scores, axis=2, keepdims=True)
        return np.asarray(np.exp(self.label_scores - np.where(total > -np.inf, total, 0.0)))

    def best_labels(self, heads: NDArray[np.int32]) -> NDArray[np.int32]:
        """The best label of each word of a tree; that of node 0 is -1."""
        assert self.label_scores is not None
        labels = np.full(self.nodes, -1, dtype=np.int32)
        labels[1:] = self.label_scores[heads[1:], np.arange(1, self.nodes)].argmax(axis=1)
        return labels

    @cached_property
    def arc(self) -> NDArray[np.float64] | None:
        """arc[h, m] with -inf on the diagonal, into 0 and where a constraint forbids; None when Parts were given."""
        if isinstance(self.given, Parts):
            return None
        arc = np.where(self.allowed, self.given, -np.inf)
        arc[:, 0] = -np.inf
        np.fill_diagonal(arc, -np.inf)
        return arc

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """arc[h, m] as in `arc`, from the parts when only those were given."""
        return self.arc if self.arc is not None else arc_matrix(self.parts)

    @property
    def kernel_matrix(self) -> NDArray[np.float64]:
        """arc[h, m] for kernels that read neither the diagonal nor column 0: without constraints no copy is needed."""
        return self.matrix if isinstance(self.given, Parts) or self.is_constrained else self.given

    @cached_property
    def parts(self) -> _core.Parts:
        """The parts over the arcs that scores and constraints allow."""
        if not isinstance(self.given, Parts):
            return _core.Parts.from_arrays(self.matrix, self.sib, self.grand, self.stop, self.grandsib)
        core = self.given.core
        return core.restricted(self.allowed[core.head, core.modifier]) if self.is_constrained else core

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """[h, m]: whether require and forbid allow the arc."""
        allowed = np.ones((self.nodes, self.nodes), dtype=np.bool_)
        for h, m in self.require:
            allowed[:h, m] = allowed[h + 1 :, m] = False
        for h, m in self.forbid:
            allowed[h, m] = False
        return allowed

    @property
    def root(self) -> str:
        """The keyword of `tree`: "single" or "multi"."""
        return "single" if self.single_root else "multi"

    @property
    def is_constrained(self) -> bool:
        """Whether any arc is required or forbidden."""
        return bool(self.require or self.forbid)

    @property
    def has_siblings(self) -> bool:
        """Whether sibling or stop parts were given."""
        if isinstance(self.given, Parts):
            return self.given.core.has_transitions
        return self.sib is not None or self.stop is not None or self.has_grandsib

    @property
    def has_grand(self) -> bool:
        """Whether grandparent parts were given, or grand-siblings, which depend on the grandparent too."""
        if isinstance(self.given, Parts):
            return self.given.core.has_grand
        return self.grand is not None or self.has_grandsib

    @property
    def has_grandsib(self) -> bool:
        """Whether grand-sibling parts were given."""
        return self.given.core.has_grandsib if isinstance(self.given, Parts) else self.grandsib is not None

    @property
    def order(self) -> int:
        """1: only arcs have scores; 2: siblings, stops, grandparents or grand-siblings too."""
        return 2 if self.has_siblings or self.has_grand else 1

    def restrict(self, keep: NDArray[np.bool_]) -> Problem:
        """Return the problem over the arcs with keep[arc] true, in the order of the arcs of `parts`."""
        return self.with_parts(self.parts if keep.all() else self.parts.restricted(keep))

    def with_parts(self, core: _core.Parts) -> Problem:
        """Return the problem over other parts, which comply with its constraints."""
        return Problem(self.nodes, Parts.of(core), projective=self.projective, single_root=self.single_root)

    def subtract_best(self) -> tuple[Problem, float]:
        """Return the problem with arcs relative to the best one into their word, and what every tree loses by that.

        Sums of exponentials are then as exact for scores that have a large number in common as for others.
        """
        parts = self.parts
        best = np.full(self.nodes, -np.inf)
        np.maximum.at(best, parts.modifier, parts.arc)
        best[best == -np.inf] = 0.0  # no arc is allowed
        shifted = self.with_parts(parts.adjusted(-best[parts.modifier]))
        return replace(shifted, require=self.require, forbid=self.forbid), math.fsum(best.tolist())

    def subtract_best_for_sums(self) -> tuple[Problem, float]:
        """Subtract the best arcs, unless differences are so large that they are rounded and sums have the digits."""
        shifted, lost = self.subtract_best()
        return (self, 0.0) if self.projective and _core.is_wide(shifted.parts) else (shifted, lost)

    def without_scores(self) -> Problem:
        """Return the problem with scores of zero; what scores or constraints forbid stays forbidden."""
        return self.with_parts(Parts.of(self.parts).unscored().core)

    def value(self, heads: NDArray[np.int32]) -> float:
        """The value of a tree by the definition of the parts; -inf when it uses an arc that is not allowed."""
        return self.parts.value(heads)


def _check_problem(
    scores: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    grandsib: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
) -> Problem:
    single_root = is_single(root)
    labels = None
    if isinstance(scores, Parts):
        if not (sib is None and grand is None and stop is None and grandsib is None):
            raise InputError(
                "sib, grand, stop and grandsib come with an array arc; a Parts holds its own second-order parts"
            )
        if not head_first:
            raise InputError("head_first=False is for an array arc; a Parts names the head of each arc")
        if scores.outermost and not projective:
            raise InputError("parts with outermost=True are for projective trees; give projective=True")
        given: ArcScores = scores
        nodes = scores.nodes
    else:
        array = arrays.float_array(scores, "arc")
        labels = arrays.label_scores(array, head_first) if array.ndim == 3 else None
        given = arrays.arc_matrix(array, head_first) if labels is None else labels.max(axis=2)
        nodes = len(given)
    return Problem(
        nodes,
        given,
        arrays.part_array(sib, "sib", nodes),
        arrays.part_array(grand, "grand", nodes),
        arrays.part_array(stop, "stop", nodes),
        bool(projective),
        single_root,
        _arcs(require, "require", nodes),
        _arcs(forbid, "forbid", nodes),
        labels,
        bool(head_first),
        arrays.part_array(grandsib, "grandsib", nodes),
    )


def is_single(root: str) -> bool:
    """Whether exactly one arc may leave node 0."""
    if root == "single" or root == "multi":
        return root == "single"
    raise InputError(f"root is {root!r}; it is 'single' (one child of node 0) or 'multi'")


def pairs_of(given: Iterable[Arc], name: str) -> tuple[Arc, ...]:
    """Return arcs as pairs of integers; messages call the argument `name`."""
    if not isinstance(given, Iterable):
        raise InputError(f"{name} is {given!r}; give pairs (head, modifier)")
    pairs = []
    for number, pair in enumerate(given):
        try:
            h, m = (index(node) for node in pair)
        except (TypeError, ValueError):
            raise InputError(f"{name}[{number}] is {pair!r}; give pairs (head, modifier)") from None
        pairs.append((h, m))
    return tuple(pairs)


def _arcs(given: Iterable[Arc], name: str, nodes: int) -> tuple[Arc, ...]:
    pairs = pairs_of(given, name)
    for number, (h, m) in enumerate(pairs):
        if not (0 <= h < nodes and 1 <= m < nodes and h != m):
            last = nodes - 1
            raise InputError(
                f"{name}[{number}] is the arc ({h}, {m}); heads are 0..{last}, modifiers 1..{last}, and differ"
            )
    return pairs

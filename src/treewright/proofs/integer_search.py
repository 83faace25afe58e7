"""The check of a proof of the kind "search" over integer scores, written for `verify` only.

The nodes of the proof divide the trees into pieces; each piece is bounded at a point (integer_bound.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright.errors import ProofError
from treewright.proofs.integer_bound import Bound, Multipliers, State
from treewright.proofs.integer_scores import Arc, Scores, rounded_up
from treewright.proofs.proof import Fixing, Node, Proof


class Search:
    """The check of a search tree over integer scores; `top` is the bound to prove."""

    def __init__(self, scores: Scores, single_root: bool, top: int) -> None:
        self.scores = scores
        self.single_root = single_root
        self.top = top
        self.highest = scores.never  # bound of anything so far
        self.points: dict[int, Multipliers] = {}

    def check(self, proof: Proof) -> int:
        """The highest bound of a piece; a ProofError when pieces are missing or a bound is above the top."""
        nodes = proof.nodes
        if not nodes or nodes[0].arc is not None:
            raise ProofError("refused: the first node of the proof is not the root of a search")
        children: list[list[Node]] = [[] for _ in nodes]
        for place, node in enumerate(nodes[1:], start=1):
            if node.arc is None or not 0 <= node.parent < place:
                raise ProofError(f"refused: node {place} has no parent before it")
            children[node.parent].append(node)
        if len(nodes) == 1 and not nodes[0].fixings and nodes[0].point is not None and self._is_first_order():
            self._bound(Bound(self.scores, self._multipliers(proof, nodes[0].point), None).value, "the tree")
            return self.highest
        states: list[State | None] = []
        for place, node in enumerate(nodes):
            state = self._state(node, states, proof)
            states.append(state)
            if state is None or self._is_divided(children[place]):
                continue
            if node.point is None:
                raise ProofError(f"refused: node {place} has neither two children nor a bound")
            self._bound(Bound(self.scores, self._multipliers(proof, node.point), state).value, f"node {place}")
        return self.highest

    def _is_first_order(self) -> bool:
        return not (self.scores.has_tables or self.scores.has_grand)

    def _is_divided(self, children: Sequence[Node]) -> bool:
        return len(children) == 2 and children[0].arc == children[1].arc and children[0].has_arc != children[1].has_arc

    def _bound(self, bound: int, place: str) -> None:
        self.highest = max(self.highest, bound)
        if bound > self.top:
            found = rounded_up(self.scores.exact(bound))
            raise ProofError(f"refused: the bound of {place} is {found!r}, above the one claimed")

    def _multipliers(self, proof: Proof, number: int) -> Multipliers:
        if number not in self.points:
            if not 0 <= number < len(proof.points):
                raise ProofError(f"refused: there is no point {number}")
            self.points[number] = Multipliers(self.scores, self.single_root, proof.points[number])
        return self.points[number]

    def _state(self, node: Node, states: Sequence[State | None], proof: Proof) -> State | None:
        """The piece of a node: that of its parent, divided, with what follows and what bounds decide; None: no tree."""
        if node.arc is None:
            state = [set(heads) for heads in self.scores.heads_of]
        else:
            parent = states[node.parent]
            if parent is None:
                return None
            state = [set(heads) for heads in parent]
            self._decide(state, node.arc, node.has_arc)
        if not _propagate(state, self.single_root):
            return None
        if all(self._fix(fixing, state, self._multipliers(proof, fixing.point)) for fixing in node.fixings):
            return state
        return None

    def _check_arc(self, arc: Arc) -> None:
        if arc not in self.scores.rank:
            raise ProofError(f"refused: the arc {arc} of the proof is not allowed")

    def _decide(self, state: State, arc: Arc, has_arc: bool) -> None:
        self._check_arc(arc)
        h, m = arc
        state[m] = state[m] & {h} if has_arc else state[m] - {h}

    def _fix(self, fixing: Fixing, state: State, point: Multipliers) -> bool:
        """Decide the arcs whose other side is bounded, and with the smaller piece the rest; False when no tree is left.

        Otherwise the trees without a required arc, or those with an excluded one, have no bound.
        """
        rest = [(arc, True) for arc in fixing.required] + [(arc, False) for arc in fixing.excluded]
        while rest:
            bound = Bound(self.scores, point, state)
            found = [self._other_side(bound, arc, is_in) for arc, is_in in rest]
            if min(found) > self.top:
                arc, is_in = rest[0]
                self._bound(found[0], f"the trees {'without' if is_in else 'with'} the arc {arc}")
            self.highest = max(self.highest, *(value for value in found if value <= self.top))
            for (arc, is_in), value in zip(rest, found, strict=True):
                if value <= self.top:
                    self._decide(state, arc, is_in)
            if not _propagate(state, self.single_root):
                return False
            rest = [one for one, value in zip(rest, found, strict=True) if value > self.top]
        return True

    def _other_side(self, bound: Bound, arc: Arc, is_in: bool) -> int:
        """The bound of the trees that a decision about an arc leaves out."""
        self._check_arc(arc)
        return bound.with_arc(arc, not is_in, self.top)


def _propagate(state: State, single_root: bool) -> bool:
    """Remove the arcs that no tree of the piece has; False when a word has none left.

    Words with one head form a forest: an arc from below to the top of a path in it would close a cycle. When the
    root has its only modifier, no other word has the root as its head.
    """
    before = -1
    while before != (before := sum(map(len, state))):
        only = [next(iter(heads)) if len(heads) == 1 else -1 for heads in state]
        if single_root and only.count(0):
            child = only.index(0)
            for m in range(1, len(state)):
                if m != child:
                    state[m].discard(0)
        for h in range(1, len(state)):
            up, steps = only[h], 0
            while up > 0:
                if up == h or steps == len(state):
                    return False
                state[up].discard(h)
                up, steps = only[up], steps + 1
        if not all(state[1:]):
            return False
    return True

"""The check of a proof of the kind "search": its nodes divide the trees into pieces, each bounded at a point."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.errors import ProofError
from treewright.proofs.bound import Bound, Multipliers, Piece
from treewright.proofs.losses import IntegerLosses
from treewright.proofs.proof import Arc, Fixing, Node, Proof
from treewright.proofs.scores import Scores


class Search:
    """The check that the trees of every piece lose at least `needed`."""

    def __init__(self, scores: Scores, losses: IntegerLosses, single_root: bool, proof: Proof, needed: int) -> None:
        self.scores, self.losses, self.single_root = scores, losses, single_root
        self.proof, self.needed = proof, needed
        self.smallest = losses.cap  # bound so far
        self.points: dict[int, Multipliers] = {}

    def smallest_loss(self) -> int:
        """The smallest bound of a piece; a ProofError when pieces are missing or a bound is too small."""
        nodes = self.proof.nodes
        if not nodes or nodes[0].arc is not None:
            raise ProofError("refused: the first node of the proof is not the root of a search")
        children: list[list[Node]] = [[] for _ in nodes]
        for number, node in enumerate(nodes[1:], start=1):
            if node.arc is None or not 0 <= node.parent < number:
                raise ProofError(f"refused: node {number} has no parent before it")
            children[node.parent].append(node)
        pieces: list[Piece | None] = []
        for number, node in enumerate(nodes):
            piece = self._piece(node, pieces)
            pieces.append(piece)
            if piece is None or _is_divided(children[number]):
                continue
            if node.point is None:
                raise ProofError(f"refused: node {number} has neither two children nor a bound")
            loss = self._bound(node.point, piece).loss
            if loss < self.needed:
                shown = float(self.losses.exact(loss))
                raise ProofError(f"refused: node {number} bounds the loss by {shown!r}, less than the claim needs")
            self.smallest = min(self.smallest, loss)
        return self.smallest

    def _bound(self, point: int, piece: Piece) -> Bound:
        points = self.proof.points
        if point not in self.points:
            if not 0 <= point < len(points):
                raise ProofError(f"refused: there is no point {point}")
            self.points[point] = Multipliers(self.scores, self.losses, self.single_root, points[point])
        return Bound(self.scores, self.losses, self.points[point], piece)

    def _piece(self, node: Node, pieces: Sequence[Piece | None]) -> Piece | None:
        """The trees of the parent, divided, with what follows and what bounds decide; None: there is no tree."""
        piece: Piece | None
        if node.arc is None:
            piece = [set() for _ in range(self.scores.nodes)]
            for h, m in zip(self.scores.head.tolist(), self.scores.modifier.tolist(), strict=True):
                piece[m].add(h)
        else:
            parent = pieces[node.parent]
            if parent is None:
                return None
            piece = self._divide(parent, node.arc, bool(node.has_arc))
        piece = _propagate(piece, self.single_root)
        for fixing in node.fixings:
            piece = piece and self._fix(fixing, piece)
        return piece

    def _divide(self, piece: Piece, arc: Arc, has_arc: bool) -> Piece:
        """The trees with the arc, or those without it."""
        h, m = arc
        if not (0 <= h < self.scores.nodes and 0 < m < self.scores.nodes and self.scores.number[h, m] >= 0):
            raise ProofError(f"refused: the arc {arc} of the proof is not allowed")
        divided = list(piece)
        divided[m] = piece[m] & {h} if has_arc else piece[m] - {h}
        return divided

    def _fix(self, fixing: Fixing, piece: Piece) -> Piece | None:
        """Decide the arcs whose other side is bounded, and with the smaller piece the rest; None when no tree is left.

        Otherwise the trees without a required arc, or those with an excluded one, have no bound.
        """
        rest = [(arc, True) for arc in fixing.required] + [(arc, False) for arc in fixing.excluded]
        remaining: Piece | None = piece
        while rest and remaining is not None:
            piece, undecided = remaining, []
            with_arcs = self._bound(fixing.point, piece).with_arcs()
            for arc, is_required in rest:
                other = self._divide(piece, arc, not is_required)
                bound = self.losses.cap
                if not is_required:
                    bound = int(with_arcs[self.scores.number[arc]])
                elif other[arc[1]]:
                    bound = self._bound(fixing.point, other).loss
                if bound < self.needed:
                    undecided.append((arc, is_required))
                    continue
                self.smallest = min(self.smallest, bound)
                remaining = self._divide(remaining, arc, is_required)
            if undecided == rest:
                raise ProofError(f"refused: point {fixing.point} decides none of {len(rest)} arcs, as {rest[0][0]}")
            rest, remaining = undecided, _propagate(remaining, self.single_root)
        return remaining


def _is_divided(children: Sequence[Node]) -> bool:
    """Whether the children are the trees with an arc and those without it."""
    arcs, sides = {child.arc for child in children}, sorted(bool(child.has_arc) for child in children)
    return len(arcs) == 1 and sides == [False, True]


def _propagate(given: Piece, single_root: bool) -> Piece | None:
    """Remove the arcs that no tree of the piece has; None when a word has none left.

    Words with one head form a forest: an arc from below to the top of a path in it would close a cycle. When the
    root has its only modifier, no other word has the root as its head.
    """
    piece = [set(heads) for heads in given]
    before = -1
    while before != (before := sum(map(len, piece))):
        only = [next(iter(heads)) if len(heads) == 1 else -1 for heads in piece]
        if single_root and only.count(0):
            child = only.index(0)
            for m in range(1, len(piece)):
                if m != child:
                    piece[m].discard(0)
        for h in range(1, len(piece)):
            up, steps = only[h], 0
            while up > 0:
                if up == h or steps == len(piece):
                    return None
                piece[up].discard(h)
                up, steps = only[up], steps + 1
        if not all(piece[1:]):
            return None
    return piece

"""The joint problem of a forest and a dependency model as an integer linear program, solved by HiGHS.

The trees of the forest are the 0/1 solutions of flow constraints: the goal has one edge, and a node has an edge if and
only if it is below one (Martin et al. 1990); this polytope is integral. The dependency trees are listed one by one.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_array

from treewright.decode import Parts
from treewright.grammar.collins_forest import ParseForest
from treewright.trees import is_projective, is_tree


def best_joint_value(forest: ParseForest, parts: Parts, weight: float, *, integral: bool = True) -> float:
    """The largest sum of scores of a tree and a dependency tree with the same arcs."""
    assert forest.forest is not None
    words = len(forest.sentence.kept)
    edges, scores = forest.forest.arrays()
    trees = dependency_trees(words, parts)
    goal = int(edges[:, 0].max())
    arcs = sorted(set(edges[:, 3].tolist()) - {-1})
    columns, rows = len(edges) + len(trees), goal + 1 + 1 + len(arcs)
    matrix = lil_array((rows, columns))
    for e, (node, first, second, arc) in enumerate(edges.tolist()):
        matrix[node, e] += 1
        for below in (first, second):
            if below >= 0:
                matrix[below, e] -= 1
        if arc >= 0:
            matrix[goal + 2 + arcs.index(arc), e] += 1
    for t, tree in enumerate(trees):
        matrix[goal + 1, len(edges) + t] = 1
        for m, h in enumerate(tree):
            if m:
                matrix[goal + 2 + arcs.index(h * (words + 1) + m), len(edges) + t] -= 1
    right = np.zeros(rows)
    right[[goal, goal + 1]] = 1
    value = np.concatenate([scores, [weight * parts.value(tree) for tree in trees]])
    found = milp(
        -value,
        constraints=LinearConstraint(matrix.tocsr(), right, right),
        bounds=Bounds(0, 1),
        integrality=np.full(columns, int(integral)),
        options={"mip_rel_gap": 0},
    )
    assert found.success, found.message
    return float(-found.fun)


def dependency_trees(words: int, parts: Parts) -> list[tuple[int, ...]]:
    """Every projective tree with one root over the arcs of the parts."""
    head, modifier, _ = parts.arcs
    heads = [sorted(head[modifier == m].tolist()) for m in range(1, words + 1)]
    found = [(-1, *tree) for tree in product(*heads) if tree.count(0) == 1]
    return [tree for tree in found if is_tree(tree) and is_projective(tree)]

"""Decode your own arc scores: best trees, constraints, explanations and certificates.

Any model that scores arcs can decode with Treewright: a biaffine layer's output, log-probabilities, counts. Here the
scores are those of one gold tree plus noise, for a sentence whose arcs cross. Run it with
`python examples/own_scores.py`.
"""

from __future__ import annotations

import numpy as np

import treewright as tw

WORDS = ["<root>", "A", "hearing", "is", "scheduled", "on", "the", "issue", "today"]
GOLD = [-1, 2, 4, 4, 0, 2, 7, 5, 4]  # "on" belongs to "hearing", across "is scheduled"


def noisy_scores() -> np.ndarray:
    """arc[h, m], head first; node 0 is the root. The diagonal and column 0 are ignored."""
    arc = np.random.default_rng(5).normal(size=(len(WORDS), len(WORDS)))
    arc[GOLD[1:], np.arange(1, len(WORDS))] += 3
    arc[4, 5] = arc[2, 5] - 0.6  # "scheduled on" is nearly as good
    return arc


def show(parse: tw.decode.Parse) -> None:
    arcs = ", ".join(f"{WORDS[m]} < {WORDS[parse.heads[m]]}" for m in range(1, len(WORDS)))
    print(f"  {arcs}\n  value {parse.score:.2f}, {parse.method}, {'certified' if parse.certified else 'not certified'}")


def main() -> None:
    arc = noisy_scores()

    print("The best tree:")
    show(tw.decode.tree(arc))

    print("The best tree without crossing arcs:")
    show(tw.decode.tree(arc, projective=True))

    print("The best tree in which `on` is attached to `issue`:")
    show(tw.decode.tree(arc, require=[(7, 5)]))

    print("Why not `scheduled on`?")
    answer = tw.decode.why_not(arc, 4, 5)
    print(f"  It would cost {answer.loss:.2f}: {answer}")

    print("Infeasible constraints are explained:")
    try:
        tw.decode.tree(arc, projective=True, require=[(2, 5), (0, 4)])
    except tw.errors.InfeasibleError as error:
        print(f"  {error}")

    print("Arcs that occur in no tree within 3 of the best are pruned:")
    parts = tw.decode.Parts.from_arrays(arc)
    costs = tw.decode.reduced_costs(arc)
    pruned = parts.prune(costs[parts.arcs.h, parts.arcs.m] <= 3)
    print(f"  {parts} -> {pruned}")
    show(tw.decode.tree(pruned))

    print("A batch of 1000 sentences, with the same results as one by one:")
    rng = np.random.default_rng(0)
    batch = [arc + rng.normal(scale=0.5, size=arc.shape) for _ in range(1000)]
    parses = tw.decode.trees(batch, threads=2)
    crossing = sum(not tw.trees.is_projective(parse.heads) for parse in parses)
    print(f"  {crossing} of {len(parses)} trees have crossing arcs")


if __name__ == "__main__":
    main()

"""Draw what dual decomposition and branch and bound did, iteration by iteration; the figures of their pages in docs/.

pip install 'treewright[plots]'
python examples/dual_figures.py docs/images
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.decode.search.dual import Steps

INK, BLUE, ORANGE, GREEN = (
    "#333333",
    "#0072b2",
    "#d55e00",
    "#009e73",
)  # palette of Okabe and Ito


def sentence(words: int, seed: int, noise: float) -> dict[str, Any]:
    """Scores of a random tree raised by 4, with random siblings and grandparents."""
    random = np.random.default_rng(seed)
    nodes = words + 1
    arc = random.normal(size=(nodes, nodes))
    heads, order = np.zeros(nodes, dtype=int), 1 + random.permutation(words)
    for place in range(1, words):
        heads[order[place]] = order[random.integers(place)]
    arc[heads[1:], np.arange(1, nodes)] += 4
    cube = (nodes, nodes, nodes)
    return {"arc": arc, "sib": noise * random.normal(size=cube), "grand": noise * random.normal(size=cube)}


def dual_decomposition(axes: Any) -> None:
    scores = sentence(20, seed=3, noise=0.8)
    value, share = axes
    rules: tuple[tuple[Steps, str, str], ...] = (("koo", BLUE, "the paper's steps"), ("polyak", ORANGE, "Polyak steps"))
    for steps, colour, name in rules:
        parse = tw.decode.tree(**scores, method="dd", steps=steps, tighten=False, trace=True)
        assert parse.trace is not None
        rounds = np.arange(1, parse.iterations + 1)
        value.plot(
            rounds, np.minimum.accumulate(parse.trace["dual"]), color=colour, label=f"smallest dual value, {name}"
        )
        value.plot(rounds, parse.trace["best"], color=colour, linestyle=":", label=f"best tree, {name}")
        value.plot(rounds[-1], parse.score, "o", color=colour)
        share.plot(*smoothed(rounds, 100 * parse.trace["recomputed"]), color=colour)
    value.set(xscale="log", ylabel="value")
    value.legend(frameon=False, loc=(0.36, 0.32))
    share.set(xscale="log", xlabel="iteration", ylabel="automata decoded, %", ylim=(0, 100))


def smoothed(rounds: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means over stretches of the iterations that look equally long on a logarithmic axis."""
    stretch = np.unique(np.floor(20 * np.log10(rounds)), return_inverse=True)[1]
    count = np.bincount(stretch)
    return np.bincount(stretch, rounds) / count, np.bincount(stretch, column) / count


def branch_and_bound(axes: Any) -> None:
    parse = tw.decode.tree(**sentence(14, seed=3, noise=1.5), trace=True)
    assert parse.trace is not None
    value, node = axes
    rounds = np.arange(1, parse.iterations + 1)
    value.plot(rounds, parse.trace["dual"], color=INK, linewidth=0.4, alpha=0.5, label="dual value of the node")
    value.plot(rounds, parse.trace["bound"], color=BLUE, label="bound on every tree")
    value.plot(rounds, parse.trace["best"], color=GREEN, label="best tree")
    low, high = parse.trace["best"][-1] - 6, parse.trace["bound"][0]
    value.set(ylabel="value", ylim=(low, min(high, parse.score + 12)))
    value.legend(frameon=False)
    node.plot(rounds, parse.trace["node"], color=INK)
    node.set(xlabel="iteration", ylabel="node")


def draw(figure: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    canvas, axes = plt.subplots(2, 1, figsize=(7, 4.6), height_ratios=(3, 1), sharex=True, layout="constrained")
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure(axes)
    canvas.savefig(path, metadata={"Date": None})
    plt.close(canvas)


def main(folder: str) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "treewright", "svg.fonttype": "none", "font.size": 9})
    draw(dual_decomposition, Path(folder, "dual-decomposition.svg"))
    draw(branch_and_bound, Path(folder, "branch-and-bound.svg"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")

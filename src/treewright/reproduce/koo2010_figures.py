"""Figures 3 and 4 of Koo et al. (2010)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from treewright.reproduce.koo2010_parsers import Curves
from treewright.reproduce.plots import axes

COLOURS = ("#0072b2", "#d55e00", "#009e73")  # safe for colour-blind readers (Okabe and Ito)
NAMES = {"sib": "siblings", "grand": "siblings and grandparents"}


def draw(curves: Curves, folder: Path) -> None:
    """Write figure3.svg and figure4.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (("figure3", recomputed), ("figure4", limited)):
        with axes(folder / f"{name}.svg") as axis:
            picture(axis, curves)
            axis.legend(frameon=False)


def recomputed(axis: Any, curves: Curves) -> None:
    """Figure 3: the share of head automata that an iteration decodes again, of the sentences still running."""
    for (model, share), colour in zip(curves.recomputed.items(), COLOURS, strict=False):
        rounds = np.arange(1, len(share) + 1)
        axis.plot(*smoothed(rounds, 100 * share), color=colour, label=NAMES[model])
    axis.set(xlabel="iteration", ylabel="automata recomputed, %", ylim=(0, None))


def limited(axis: Any, curves: Curves) -> None:
    """Figure 4: accuracy, certificates and trees as without a limit, by the limit on iterations."""
    lines = {
        "UAS": curves.uas,
        "certified": curves.certified,
        "trees as with the highest limit": curves.matches,
    }
    for (name, column), colour in zip(lines.items(), COLOURS, strict=True):
        axis.plot(curves.iterations, column, "o-", color=colour, markersize=3, label=name)
    axis.set(xscale="log", xlabel="limit on iterations", ylabel="%")


def smoothed(rounds: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means over stretches of iterations, at most a hundred."""
    stretch = (rounds - 1) * 100 // max(100, len(rounds))
    count = np.bincount(stretch)
    return np.bincount(stretch, rounds) / count, np.bincount(stretch, column) / count

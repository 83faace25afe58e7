"""Figures 4 to 6 of Zhang et al. (2014)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from treewright.reproduce.plots import axes
from treewright.reproduce.zhang2014 import SHORT, Gain, Point, Row6

# Safe for colour-blind readers (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
GROUPS = {"short": f"up to {SHORT} words", "long": f"more than {SHORT} words"}


def draw_gains(gains: Mapping[str, Gain], system: str, path: Path) -> None:
    """Figure 4: two bars a treebank."""
    places = np.arange(len(gains))
    with axes(path) as axis:
        for shift, (group, label) in zip((-0.2, 0.2), GROUPS.items(), strict=True):
            heights = [getattr(gain, group) for gain in gains.values()]
            axis.bar(places + shift, heights, width=0.4, label=label, color=COLOURS[shift > 0])
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_xticks(places, [short_name(name) for name in gains])
        axis.set(ylabel=f"gain of {system} over the first order, UAS")
        axis.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)  # bars leave no space inside


def draw_restarts(rows: Sequence[Row6], path: Path) -> None:
    """Figure 5: the value of the best tree by the number of restarts; dashed: short sentences."""
    with axes(path) as axis:
        for row, colour in zip(rows, COLOURS, strict=False):
            label: str | None = short_name(row.treebank)
            for curve, style in ((row.long_curve, "-"), (row.short_curve, "--")):
                if curve:
                    axis.plot(np.arange(1, len(curve) + 1), curve, style, color=colour, linewidth=1.2, label=label)
                    label = None  # one entry of the legend for both curves
        axis.set(xscale="log", xlabel="restarts", ylabel="value, relative to the best of all restarts")
        axis.legend(frameon=False, title=f"dashed: {GROUPS['short']}")


def draw_speed(points: Sequence[Point], path: Path) -> None:
    """Figure 6: accuracy by the CPU time of a word."""
    with axes(path) as axis:
        names = list(dict.fromkeys(point.treebank for point in points))
        for name, colour in zip(names, COLOURS, strict=False):
            own = [point for point in points if point.treebank == name]
            seconds, uas = [1e6 * point.seconds for point in own], [point.uas for point in own]
            axis.plot(seconds, uas, "o-", color=colour, markersize=3, label=short_name(name))
        axis.set(xlabel="CPU time a word, microseconds", ylabel="UAS", xlim=(0, None))
        axis.legend(frameon=False)


def short_name(treebank: str) -> str:
    """The language of a treebank."""
    return treebank.rpartition("/")[2].partition("-")[0]

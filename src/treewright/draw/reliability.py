"""Reliability diagrams as SVG: for each bin of predictions, the share of right ones over their mean confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Protocol

from treewright.draw.drawing import Drawing
from treewright.draw.style import COLOURS, FONT

# Sizes in pixels, not tuned.
SIDE, LEFT, TOP, RIGHT, BOTTOM = 220, 52, 44, 18, 48  # of the square of a panel, and the space around it
MAX_RADIUS, MIN_RADIUS = 13.0, 2.0  # of the dot of a bin; its area grows with the number of predictions
TICKS = (0.0, 0.5, 1.0)

SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" class="reliability" role="img" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}">
<title>Reliability diagram</title>
<desc>{description}</desc>
<style>
{rules}</style>
<rect class="paper" width="{width}" height="{height}" rx="8"/>
{panels}
</svg>
"""
RULES = """\
.reliability text{{font-family:{font};font-size:12px;fill:{ink};text-anchor:middle}}
.reliability .name{{font-size:14px;font-weight:bold}}
.reliability .faint{{fill:{faint}}}
.reliability .paper{{fill:{paper}}}
.reliability .frame{{fill:none;stroke:{faint}}}
.reliability .ideal{{stroke:{faint};stroke-dasharray:4 4}}
.reliability .curve{{fill:none;stroke:{line};stroke-width:1.5}}
.reliability .bin{{fill:{line};fill-opacity:.6;stroke:{line}}}
"""
DARK = "@media (prefers-color-scheme:dark){{\n{rules}}}\n"


class Bin(Protocol):
    """Predictions of similar confidence: their number, the mean of their confidence, the share of right ones."""

    @property
    def count(self) -> int: ...
    @property
    def confidence(self) -> float: ...
    @property
    def accuracy(self) -> float: ...


def reliability(tables: Mapping[str, Sequence[Bin]], notes: Mapping[str, str] | None = None) -> Drawing:
    """Draw a panel for each of the tables, by name; notes are written below the names.

    Dots on the diagonal are calibrated; below it, predictions are wrong more often than their confidence says. The area
    of a dot grows with the number of predictions.

    >>> from types import SimpleNamespace
    >>> drawn = reliability({"heads": [SimpleNamespace(count=9, confidence=0.5, accuracy=0.4)]}, {"heads": "ECE 10"})
    >>> drawn.count("<circle"), "ECE 10" in drawn
    (1, True)
    """
    panels = [
        panel(name, bins, (notes or {}).get(name, ""), LEFT + number * (LEFT + SIDE + RIGHT))
        for number, (name, bins) in enumerate(tables.items())
    ]
    size = {"width": len(tables) * (LEFT + SIDE + RIGHT) or LEFT, "height": TOP + SIDE + BOTTOM}
    description = "; ".join(f"{name}: {describe(bins)}" for name, bins in tables.items())
    rules = style(0) + DARK.format(rules=style(1))
    return Drawing(SVG.format(**size, description=escape(description), rules=rules, panels="\n".join(panels)), "svg")


def style(ground: int) -> str:
    """Return the rules on light (0) or dark (1) ground."""
    colours = {name: COLOURS[name][ground] for name in ("ink", "faint", "paper")}
    return RULES.format(font=FONT, line=COLOURS["sure-4"][ground], **colours)


def describe(bins: Sequence[Bin]) -> str:
    """Return the dots in words."""
    return ", ".join(
        f"{group.count} predictions at {group.confidence:.0%} are {group.accuracy:.0%} right" for group in bins
    )


def panel(name: str, bins: Sequence[Bin], note: str, left: float) -> str:
    """Draw one square with its axes, the diagonal and the dots."""

    def at(x: float, y: float) -> tuple[str, str]:
        return f"{left + SIDE * x:.1f}", f"{TOP + SIDE * (1 - y):.1f}"

    (x0, y0), (x1, y1), (middle, _) = at(0, 0), at(1, 1), at(0.5, 0)
    dots = [(group, at(group.confidence, group.accuracy)) for group in bins]
    most = max((group.count for group in bins), default=1)
    lines = [
        f'<text class="name" x="{middle}" y="18">{escape(name)}</text>',
        f'<text class="faint" x="{middle}" y="35">{escape(note)}</text>',
        f'<rect class="frame" x="{x0}" y="{y1}" width="{SIDE}" height="{SIDE}"/>',
        f'<line class="ideal" x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}"/>',
        f'<polyline class="curve" points="{" ".join(",".join(position) for _, position in dots)}"/>',
        *(dot(*position, group, most) for group, position in dots),
        *(tick(*at(share, 0), *at(0, share), share) for share in TICKS),
        f'<text x="{middle}" y="{TOP + SIDE + 38}">confidence</text>',
        f'<text transform="translate({left - 38:.1f} {TOP + SIDE / 2}) rotate(-90)">right</text>',
    ]
    return "\n".join(lines)


def dot(x: str, y: str, group: Bin, most: int) -> str:
    """Draw a bin."""
    radius = max(MIN_RADIUS, MAX_RADIUS * math.sqrt(group.count / most))
    title = f"{group.count} predictions, confidence {group.confidence:.1%}, right {group.accuracy:.1%}"
    return f'<circle class="bin" cx="{x}" cy="{y}" r="{radius:.1f}"><title>{title}</title></circle>'


def tick(x: str, bottom: str, left: str, y: str, share: float) -> str:
    """Write the number on both axes."""
    below = f'<text x="{x}" y="{float(bottom) + 17:.1f}">{share:.0%}</text>'
    beside = f'<text x="{float(left) - 19:.1f}" y="{float(y) + 4:.1f}">{share:.0%}</text>'
    return below + beside

"""Colours of confidence, from orange (low) to blue (high), and of comparisons; safe for colour-blind readers.

Colour is never the only sign: arcs of low confidence have their probability written on them, wrong ones have a mark,
missed ones are dashed and below the words.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Set

from treewright.draw.scene import Arc, Scene

MARKED = "marked"  # the class of marked words and arcs in SVG
CONFIDENCE_STEPS = (0.5, 0.75, 0.9, 0.99)  # where one colour ends and the next begins; not tuned
CONFIDENCE_NAMES = ("< 50%", "< 75%", "< 90%", "< 99%", "≥ 99% confidence")

MEANING = {
    "correct": "correct",
    "wrong-head": "× wrong head",
    "wrong-span": "× not in gold",
    "wrong-label": "→ label in gold",
    "missed": "missed, in gold only",
    "given": "• given",
    "extra": "in the graph only",
    "basic": "in the tree only",
    "suggested": "suggested",
    "decided": "• decided",
    "pinned": "pinned",
    "changed": "changed by the last decision",
    "doubtful": "doubtful",
    "rejected": "× rejected",
}


def confidence_step(confidence: float) -> int:
    """Return 0 for the arcs of lowest confidence, up to 4 for the highest.

    >>> confidence_step(0.3), confidence_step(0.995)
    (0, 4)
    """
    return bisect_right(CONFIDENCE_STEPS, confidence)


def style_of(arc: Arc) -> str:
    """Return the name of an arc's style: its kind, or its confidence if the kind is a plain tree arc."""
    if arc.kind == "tree" and arc.confidence is not None:
        return f"sure-{confidence_step(arc.confidence)}"
    return arc.kind


def classes_of(arc: Arc) -> str:
    """Return the classes of an arc in SVG: its style, and whether it is marked."""
    return f"{style_of(arc)} {MARKED}" if arc.is_marked else style_of(arc)


def legend(scene: Scene) -> list[tuple[str, str]]:
    """Return the styles of a scene that need an explanation, each with its meaning."""
    return legend_of({style_of(arc) for arc in scene.arcs})


def legend_of(styles: Set[str]) -> list[tuple[str, str]]:
    if styles <= {"correct", "tree"} and "correct" in styles:
        return [("correct", "all correct")]
    keys = [(style, meaning) for style, meaning in MEANING.items() if style in styles]
    if any(style.startswith("sure-") for style in styles):
        keys += [(f"sure-{step}", name) for step, name in enumerate(CONFIDENCE_NAMES)]
    return keys

"""Phrase-structure trees as text."""

from __future__ import annotations

from treewright.draw.canvas import DOWN, LEFT, RIGHT, UP, Canvas, Pen, colour_cells
from treewright.draw.colour import MEANING
from treewright.draw.measure import columns
from treewright.draw.phrase import Node, Phrases, Sideways, Steps, Upright, sideways, upright

LONGEST_WORD = 40  # columns, not tuned; longer words are shortened
STEPS = Steps(word=1, child=3, indent=2)


def phrase_text(scene: Phrases, *, width: int | None = None, pen: Pen) -> str:
    """Draw the tree from the top down if that fits into width, else on its side."""

    def width_of(node: Node) -> int:
        return columns(node_text(node, pen))

    placed = upright(scene.nodes, width_of, gap=2, snap=1)
    if width is None or placed.width <= width:
        lines = draw_upright(scene, placed, pen)
    else:
        lines = draw_sideways(scene, sideways(scene.nodes, width_of, STEPS, width), pen)
    if legend := legend_lines(scene, pen):
        lines += ["", *legend]
    return "\n".join(lines)


def node_text(node: Node, pen: Pen) -> str:
    return pen.clip(node.text + pen.spell(node.note), LONGEST_WORD)


def style_of(node: Node) -> str:
    return "form" if node.is_word else node.kind


def draw_upright(scene: Phrases, placed: Upright, pen: Pen) -> list[str]:
    top = scene.nodes[0].height
    canvas = Canvas(placed.width, 2 * top + 1, scene.rtl)
    for node, x in zip(scene.nodes, placed.middles, strict=True):
        y = 2 * (top - node.height)
        below = [placed.middles[k] for k in node.children]
        if below:
            for bar in range(min(below), max(below)):
                canvas.line(y + 1, bar, RIGHT, "line")
                canvas.line(y + 1, bar + 1, LEFT, "line")
            canvas.line(y + 1, x, UP, "line")
        for k, child in zip(node.children, below, strict=True):
            canvas.line(y + 1, child, DOWN, "line")
            for between in range(y + 2, 2 * (top - scene.nodes[k].height)):
                canvas.line(between, child, UP | DOWN, "line")
        text = node_text(node, pen)
        canvas.write(y, x - (columns(text) - 1) // 2, text, style_of(node))
    return canvas.render(pen)


def draw_sideways(scene: Phrases, placed: Sideways, pen: Pen) -> list[str]:
    canvas = Canvas(placed.width, 1 + placed.rows[-1], scene.rtl)
    for i, node in enumerate(scene.nodes):
        y, joint, text = placed.rows[i], placed.joints[i], node_text(node, pen)
        canvas.write(y, placed.starts[i], text, style_of(node))
        if joint is None:
            continue
        for x in range(placed.starts[i] + columns(text), joint):  # nothing if the children are indented
            canvas.line(y, x, LEFT | RIGHT, "line")
            canvas.line(y, joint, LEFT, "line")
        for k in node.children:
            draw_branch(canvas, joint, y, placed.starts[k], placed.rows[k])
    return canvas.render(pen)


def draw_branch(canvas: Canvas, x: int, y: int, end: int, row: int) -> None:
    """Draw from a joint down to the row of a child, and along to where it starts."""
    for between in range(y, row):
        canvas.line(between, x, DOWN, "line")
        canvas.line(between + 1, x, UP, "line")
    canvas.line(row, x, RIGHT, "line")
    for along in range(x + 1, end):
        canvas.line(row, along, LEFT | RIGHT, "line")


def legend_lines(scene: Phrases, pen: Pen) -> list[str]:
    """Return what the marks mean, and one line for each phrase of gold that is missing."""
    kinds = {node.kind for node in scene.nodes if not node.is_word}
    shown = [kind for kind in ("wrong-span", "wrong-label") if kind in kinds]
    if "correct" in kinds and not shown and not scene.missed:
        return ["all correct"]
    entries = [(kind, MEANING[kind]) for kind in shown] + [("missed", f"missed: {phrase}") for phrase in scene.missed]
    return [colour_cells([(text, kind)]) if pen.color else pen.spell(text) for kind, text in entries]

"""Phrase-structure trees as SVG."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from treewright.draw.colour import MEANING
from treewright.draw.layout import Line, demands, find_ports, row_of
from treewright.draw.measure import clip, pixels
from treewright.draw.phrase import Below, Node, Phrases, Sideways, Steps, Upright, sideways, upright
from treewright.draw.scene import Scene
from treewright.draw.vector import (
    MARGIN,
    MEDIUM,
    MORE,
    Frame,
    dependency_svg,
    description,
    draw_legend,
    draw_stroke,
    height_of,
    legend_width,
    split_note,
    stack_drawings,
    svg_element,
)

WORD_SIZE, LABEL_SIZE = 16, 13
LONGEST_WORD = 260  # pixels, not tuned; longer words are shortened
LEVEL, LINE = 40, 26  # from height to height of an upright tree, from line to line of one on its side
CORNER = 7
STEPS = Steps(word=9, child=30, indent=26)

Point = tuple[int, int]

NODE = '<text class="{style}" x="{x}" y="{y}" text-anchor="{anchor}"{direction}>{text}{title}</text>'
BRANCH = '<path class="branch" d="{path}"/>'


def phrase_svg(scene: Phrases, *, width: int | None = None, style: bool = True, with_legend: bool = True) -> str:
    """Draw the tree from the top down if that fits into width, else on its side.

    Dependencies are arcs below the words; where the tree is on its side, they are a drawing of their own below it.
    """
    tree = fitting_layout(scene, width)
    if scene.dependencies and not isinstance(tree, Upright):
        alone = phrase_svg(replace(scene, dependencies=None), width=width, style=style, with_legend=with_legend)
        below = dependency_svg(scene.dependencies, width=width, style=style, with_legend=with_legend)
        return stack_drawings([alone, below])
    keys = legend(scene) if with_legend else []
    inner, height = max(tree.width, legend_width(keys, width)), layout_height(scene, tree)
    if isinstance(tree, Upright):
        arcs, depth = draw_dependencies(scene, tree, inner, MARGIN + height)
        body, height = draw_upright(scene, tree, inner) + arcs, height + depth
    else:
        body = draw_sideways(scene, tree, inner)
    drawn, more = draw_legend(keys, MARGIN + height + 12, inner)
    in_words = brackets(scene) + (f"; {description(scene.dependencies)}" if scene.dependencies else "")
    return svg_element(inner, height + more + (12 if keys else 0), scene.title, in_words, body + drawn, style)


def draw_dependencies(scene: Phrases, placed: Upright, inner: int, edge: int) -> tuple[list[str], int]:
    """Draw the arcs below the words of an upright tree; return also how far they reach below the edge of the words."""
    if scene.dependencies is None:
        return [], 0
    arcs = below_words(scene.dependencies)
    middles = [middle for node, middle in zip(scene.nodes, placed.middles, strict=True) if node.is_word]
    ports = find_ports(arcs, MEDIUM)
    row = row_of(Line(arcs, MEDIUM, ports, [0] * len(middles), middles), 1, len(middles))
    shift = middles[0] - row.middles[0]
    frame = Frame(arcs, inner)
    strokes = [
        replace(stroke, left=stroke.left + shift, right=stroke.right + shift, label=stroke.label + shift)
        for stroke in row.below
    ]
    return [draw_stroke(frame, stroke, edge, 1) for stroke in strokes], height_of(row.levels("below"))


def below_words(scene: Scene) -> Scene:
    """Return the scene with all arcs below the words."""
    return replace(scene, arcs=tuple(replace(arc, below=True) for arc in scene.arcs))


def room_below(scene: Phrases) -> Below | None:
    """Return the room that the dependencies need."""
    if scene.dependencies is None:
        return None
    arcs = below_words(scene.dependencies)
    ports = find_ports(arcs, MEDIUM)
    return Below(ports.width, demands(arcs, MEDIUM, ports))


def fitting_layout(scene: Phrases, width: int | None) -> Upright | Sideways:
    tall = upright(scene.nodes, width_of, gap=18, snap=9, below=room_below(scene))
    if width is None or tall.width <= width - 2 * MARGIN:
        return tall
    return sideways(scene.nodes, width_of, STEPS, width - 2 * MARGIN)


def layout_height(scene: Phrases, tree: Upright | Sideways) -> int:
    if isinstance(tree, Upright):
        return scene.nodes[0].height * LEVEL + WORD_SIZE + 6
    return (1 + tree.rows[-1]) * LINE


def width_of(node: Node) -> int:
    size = WORD_SIZE if node.is_word else LABEL_SIZE
    return pixels(node_text(node), size)


def node_text(node: Node) -> str:
    return clip(node.text + node.note, LONGEST_WORD, lambda text: pixels(text, WORD_SIZE))


def brackets(scene: Phrases) -> str:
    """Return the tree in brackets, for screen readers."""
    pieces: list[str] = []
    closing = [0] * len(scene.words)
    for node in scene.nodes:
        if node.is_word:
            pieces.append(node.text + ")" * closing[node.first])
        else:
            pieces.append(f"({node.text}")
            closing[node.last] += 1
    return " ".join(pieces)


def draw_upright(scene: Phrases, placed: Upright, inner: int) -> list[str]:
    """Draw nodes and branches."""

    def x_of(i: int) -> int:
        return MARGIN + (inner - placed.middles[i] if scene.rtl else placed.middles[i])

    def baseline(node: Node) -> int:
        return MARGIN + WORD_SIZE + (scene.nodes[0].height - node.height) * LEVEL

    drawn = []
    for i, node in enumerate(scene.nodes):
        x, y = x_of(i), baseline(node)
        for k in node.children:
            outer = k in (node.children[0], node.children[-1])
            end = x_of(k), baseline(scene.nodes[k]) - WORD_SIZE
            drawn.append(BRANCH.format(path=drop(x, y + 5, y + 15, end) if outer else f"M{end[0]} {y + 15}V{end[1]}"))
        drawn.append(node_element(scene, node, x, y, "middle"))
    return drawn


def drop(x: int, y: int, bar: int, end: Point) -> str:
    """Return the path down to the bar, along it, and down to the child; inner children need no bar."""
    end_x, end_y = end
    corner = min(CORNER, abs(end_x - x))
    along = end_x - corner if end_x > x else end_x + corner
    return f"M{x} {y}V{bar}H{along}Q{end_x} {bar} {end_x} {bar + corner}V{end_y}" if corner else f"M{x} {y}V{end_y}"


def draw_sideways(scene: Phrases, placed: Sideways, inner: int) -> list[str]:
    def x_of(along: int) -> int:
        return MARGIN + (inner - along if scene.rtl else along)

    def baseline(i: int) -> int:
        return MARGIN + WORD_SIZE + placed.rows[i] * LINE

    drawn = []
    forward = -1 if scene.rtl else 1
    for i, node in enumerate(scene.nodes):
        joint, y = placed.joints[i], baseline(i) - 5
        if joint is not None:
            ends = [(x_of(placed.starts[k]) - forward * 5, baseline(k) - 5) for k in node.children]
            inline = ends[0][1] == y
            if inline:
                drawn.append(BRANCH.format(path=f"M{x_of(placed.starts[i] + width_of(node) + 5)} {y}H{ends[0][0]}"))
            top = y if inline else y + 10
            paths = (twig(x_of(joint), top if end is ends[-1] else None, end, forward) for end in ends if end[1] > y)
            drawn += [BRANCH.format(path=path) for path in paths]
        drawn.append(node_element(scene, node, x_of(placed.starts[i]), baseline(i), "start"))
    return drawn


def twig(joint: int, top: int | None, end: Point, forward: int) -> str:
    """Return the path from the trunk to a child; that of the last child includes the trunk, from its top."""
    x, y = end
    start = f"M{joint} {y - CORNER}" if top is None else f"M{joint} {top}V{y - CORNER}"
    return f"{start}Q{joint} {y} {joint + forward * CORNER} {y}H{x}"


def node_element(scene: Phrases, node: Node, x: int, y: int, anchor: str) -> str:
    """direction reverses the meaning of start and end, as right-to-left text needs it."""
    text, note = split_note(node_text(node), node.note)
    hidden = hidden_text(node)
    return NODE.format(
        style="form" if node.is_word else f"phrase {node.kind}",
        x=x,
        y=y,
        anchor=anchor,
        direction=' direction="rtl"' if scene.rtl else "",
        text=escape(text) + (MORE.format(text=escape(note)) if note else ""),
        title=f"<title>{escape(hidden)}</title>" if hidden else "",
    )


def hidden_text(node: Node) -> str:
    """Return the full text of a node that was clipped."""
    return "" if node_text(node) == node.text + node.note else node.text


def legend(scene: Phrases) -> list[tuple[str, str]]:
    kinds = {node.kind for node in scene.nodes if not node.is_word}
    keys = [(kind, MEANING[kind]) for kind in ("correct", "wrong-span", "wrong-label") if kind in kinds]
    return keys + [("missed", f"missed: {phrase}") for phrase in scene.missed]

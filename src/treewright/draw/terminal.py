"""Dependency trees and graphs as text: box-drawing characters, or ASCII, with colour if it is wanted.

Arcs from a word to its modifiers on one side share a trunk beside the word; the arrow to the word stands on its middle.
Where two arcs cross, the lines cross; where an arc joins its trunk, the line ends there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from treewright.draw.colour import legend, style_of
from treewright.draw.layout import Medium, Row, Stroke, ahead, lay_out
from treewright.draw.measure import clip, clusters, columns, columns_of_cluster, is_right_to_left
from treewright.draw.scene import ROOT, UNKNOWN, Arc, Scene, Word

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
MIRRORED = {LEFT: RIGHT, RIGHT: LEFT}

# A character for each set of directions that lines leave a cell in.
UNICODE_LINES = dict(zip(range(1, 16), "╵╷│╴╯╮┤╶╰╭├─┴┬┼", strict=True))
ASCII_LINES = dict(zip(range(1, 16), "'.|-'.+-'.+-++|", strict=True))
UNICODE_SIGNS = {"down": "▼", "up": "▲", "left": "◂", "right": "▸"}
ASCII_SIGNS = {"down": "v", "up": "^", "left": "<", "right": ">"}
IN_ASCII = str.maketrans({"≠": "!=", "✗": "x", "…": "~", "·": ".", "↻": "o"})

LONGEST_WORD = 40
LONGEST_TAG = 14

LEFT_TO_RIGHT_MARK = "\u200e"

# Select Graphic Rendition codes; the colours of the 256-colour cube are legible on light and dark ground.
ANSI = {
    "form": "1",
    "feature": "38;5;245",
    "tag": "38;5;245",
    "tree": "38;5;67",
    "extra": "38;5;133",
    "basic": "38;5;245",
    "correct": "38;5;245",
    "wrong-head": "1;38;5;166",
    "wrong-label": "1;38;5;170",
    "missed": "38;5;36",
    "sure-0": "1;38;5;166",
    "sure-1": "38;5;172",
    "sure-2": "38;5;143",
    "sure-3": "38;5;74",
    "sure-4": "38;5;32",
}


@dataclass(frozen=True)
class Pen:
    """How text is drawn: which characters, and whether in colour."""

    ascii: bool = False
    color: bool = False

    def spell(self, text: str) -> str:
        return text.translate(IN_ASCII) if self.ascii else text

    def sign(self, name: str) -> str:
        return (ASCII_SIGNS if self.ascii else UNICODE_SIGNS)[name]


@dataclass(frozen=True)
class Canvas:
    """Cells of a terminal. Reading order is from 0 upwards; mirrored, 0 is at the right."""

    width: int
    height: int
    mirrored: bool = False
    lines: dict[tuple[int, int], int] = field(default_factory=dict)  # (y, x) -> directions
    cells: dict[tuple[int, int], str] = field(default_factory=dict)  # (y, x) -> text; "" behind a wide character
    styles: dict[tuple[int, int], str] = field(default_factory=dict)

    def line(self, y: int, x: int, directions: int, style: str) -> None:
        if self.mirrored:
            x = self.width - 1 - x
            sideways = directions & (LEFT | RIGHT)
            directions = directions & ~(LEFT | RIGHT) | MIRRORED.get(sideways, sideways)
        self.lines[y, x] = self.lines.get((y, x), 0) | directions
        self.styles[y, x] = style

    def write(self, y: int, x: int, text: str, style: str) -> None:
        """Writes text over what is there, from x on; mirrored, so that it ends at x."""
        if self.mirrored:
            x = self.width - x - columns(text)
        start = x
        for cluster in clusters(text):
            taken = columns_of_cluster(cluster)
            if taken == 0:
                self.cells[y, start] = self.cells.get((y, start), "") + cluster
            for k in range(taken):
                self.cells[y, x + k] = "" if k else cluster
                self.styles[y, x + k] = style
            x += taken
        if x > start and is_right_to_left([text]):  # a terminal that reorders letters must not reorder words
            self.cells[y, start] = LEFT_TO_RIGHT_MARK + self.cells[y, start]
            self.cells[y, x - 1] += LEFT_TO_RIGHT_MARK

    def render(self, pen: Pen) -> list[str]:
        characters = ASCII_LINES if pen.ascii else UNICODE_LINES
        drawn = []
        for y in range(self.height):
            cells = []
            for x in range(self.width):
                cell = self.cells.get((y, x))
                cells.append(cell if cell is not None else characters.get(self.lines.get((y, x), 0), " "))
            filled = max((x + 1 for x, cell in enumerate(cells) if cell != " "), default=0)
            if pen.color:
                drawn.append(coloured([(cells[x], self.styles.get((y, x), "")) for x in range(filled)]))
            else:
                drawn.append("".join(cells[:filled]).rstrip())
        return drawn


def coloured(cells: list[tuple[str, str]]) -> str:
    """Cells in their colours, the codes written only where the style changes."""
    text, before = "", ""
    for cell, style in cells:
        code = ANSI.get(style, "") if cell != " " else before
        if code != before:
            text += f"\x1b[0;{code}m" if code else "\x1b[0m"
            before = code
        text += cell
    return text + ("\x1b[0m" if before else "")


def dependency_text(scene: Scene, *, width: int | None = None, pen: Pen) -> str:
    """The scene as lines of text, none longer than width unless a single word is."""
    if not scene.words:
        return "(no words)"
    room = LONGEST_WORD if width is None else max(4, min(LONGEST_WORD, width - 2 * LONGEST_TAG))
    medium = Medium(
        gap=2,
        port_gap=1,
        shoulder=1,
        tag_gap=1,
        shared_ports=True,
        word_width=partial(word_columns, room=room),
        label_width=lambda arc: columns(label_text(arc, pen)),
        tag_width=lambda word: columns(tag_text(word, pen)),
    )
    rows = lay_out(scene, medium, width)
    numbered = len(rows) > 1
    blocks = [draw_row(scene, row, pen, room, numbered) for row in rows]
    if explained := legend_text(scene, pen):
        blocks.append([explained])
    return "\n\n".join("\n".join(block) for block in blocks)


def word_columns(word: Word, room: int) -> int:
    return max(columns(text) for text in word_lines(word, room, numbered=True))


def word_lines(word: Word, room: int, numbered: bool) -> list[str]:
    lines = [word.form, *word.notes] + ([word.number] if numbered else [])
    return [clip(line, room) for line in lines]


def label_text(arc: Arc, pen: Pen) -> str:
    sign = {ROOT: "", arc.modifier: "↻ ", UNKNOWN: "? "}.get(arc.head, "")
    return pen.spell(f"{sign}{arc.label}{arc.note}".strip())


def tag_text(word: Word, pen: Pen) -> str:
    return pen.spell(clip(f"{word.number} {word.form}", LONGEST_TAG))


def draw_row(scene: Scene, row: Row, pen: Pen, room: int, numbered: bool) -> list[str]:
    words = scene.words[row.first - 1 : row.last]
    lines = [word_lines(word, room, numbered) for word in words]
    top, depth = row.levels("above"), max(map(len, lines))
    bottom = row.levels("below")
    arrows, feet = (1 if top else 0), (1 if bottom else 0)
    canvas = Canvas(row.width, top + arrows + depth + feet + bottom, scene.rtl)
    for stroke in sorted(row.above, key=importance):
        draw_stroke(canvas, scene, stroke, top, -1, pen)
    for stroke in sorted(row.below, key=importance):
        draw_stroke(canvas, scene, stroke, top + arrows + depth, 1, pen)
    for texts, middle in zip(lines, row.middles, strict=True):
        for k, text in enumerate(texts):
            canvas.write(top + arrows + k, middle - ahead(columns(text)), text, "feature" if k else "form")
    return canvas.render(pen)


def importance(stroke: Stroke) -> int:
    """What must be seen is drawn last."""
    return ["correct", "tree", "basic", "extra", "missed", "wrong-label", "wrong-head"].index(stroke.arc.kind)


def draw_stroke(canvas: Canvas, scene: Scene, stroke: Stroke, foot: int, step: int, pen: Pen) -> None:
    """foot is the line next to the words; levels go away from them by step."""
    style = style_of(stroke.arc)
    y = foot + step * stroke.level
    to_words = DOWN if step < 0 else UP
    label = label_text(stroke.arc, pen)
    if stroke.arc.is_stub:
        draw_leg(canvas, stroke.left, foot, y, style)
        if not label:
            canvas.line(y, stroke.left, to_words, style)
    else:
        for x in range(stroke.left + 1, stroke.right):
            canvas.line(y, x, LEFT | RIGHT, style)
        for x, edge, inwards in ((stroke.left, "left", RIGHT), (stroke.right, "right", LEFT)):
            if stroke.cut == edge:
                draw_cut(canvas, scene, stroke, x, y, pen)
            else:
                canvas.line(y, x, to_words | inwards, style)
                draw_leg(canvas, x, foot, y, style)
    if stroke.arrow is not None:
        canvas.write(foot, stroke.arrow, pen.sign("down" if step < 0 else "up"), style)
    canvas.write(y, stroke.label, label, style)


def draw_leg(canvas: Canvas, x: int, foot: int, y: int, style: str) -> None:
    """From the words to the level at y, that line left out."""
    for between in range(y + 1, foot + 1) if y < foot else range(foot, y):
        canvas.line(between, x, UP | DOWN, style)


def draw_cut(canvas: Canvas, scene: Scene, stroke: Stroke, x: int, y: int, pen: Pen) -> None:
    """The end of an arc at the edge of its row, and the word that it goes on to."""
    style = style_of(stroke.arc)
    tag = tag_text(scene.words[stroke.other - 1], pen)
    canvas.line(y, x, LEFT | RIGHT, style)
    if stroke.other == stroke.arc.modifier:
        leftwards = (stroke.cut == "left") != canvas.mirrored
        canvas.write(y, x, pen.sign("left" if leftwards else "right"), style)
    canvas.write(y, x + 2 if stroke.cut == "right" else x - 1 - columns(tag), tag, "tag")


def legend_text(scene: Scene, pen: Pen) -> str:
    entries = legend(scene)
    if not pen.color:  # without colour the words and signs on the arcs say it all
        entries = [(style, meaning) for style, meaning in entries if not style.startswith("sure-")]
    return "   ".join(
        coloured([(pen.spell(meaning), style)]) if pen.color else pen.spell(meaning) for style, meaning in entries
    )

"""Dependency trees and graphs as text: box-drawing characters, or ASCII, optionally with colour.

Arcs from a word to its modifiers on one side share a trunk beside the word; the arrow to the word is at its middle.
Where two arcs cross, the lines cross; where an arc joins its trunk, the line ends there.
"""

from __future__ import annotations

from treewright.draw.canvas import DOWN, LEFT, RIGHT, UP, Canvas, Pen, colour_cells
from treewright.draw.colour import legend, style_of
from treewright.draw.layout import Medium, Row, Stroke, ahead, lay_out, tokens_in
from treewright.draw.measure import columns
from treewright.draw.scene import Arc, Scene, Token, Word

LONGEST_WORD = 40  # columns, this and the next two not tuned; longer texts are shortened
LONGEST_TAG = 14
LONGEST_LABEL = 24
# Kinds of arcs: the more important are drawn later, over the others.
DRAWING_ORDER = (
    *("correct", "tree", "suggested", "given", "pinned", "decided", "basic", "extra", "missed"),
    *("wrong-label", "wrong-head", "rejected", "doubtful", "changed"),
)


def dependency_text(scene: Scene, *, width: int | None = None, pen: Pen) -> str:
    """Draw the scene as lines of text, none longer than width unless a single word is."""
    if not scene.words:
        return "(no words)"
    limit = LONGEST_WORD if width is None else max(4, min(LONGEST_WORD, width - 2 * LONGEST_TAG))
    medium = Medium(
        gap=2,
        port_gap=1,
        shoulder=1,
        tag_gap=1,
        shared_ports=True,
        word_width=lambda word: max(map(columns, word_lines(word, pen, limit, numbered=True))),
        label_width=lambda arc: columns(label_text(arc, pen)),
        tag_width=lambda word: columns(tag_text(word, pen)),
        token_width=lambda token: columns(pen.clip(token.form, limit)) + 4,
    )
    rows = lay_out(scene, medium, width)
    numbered = len(rows) > 1
    blocks = [draw_row(scene, row, pen, limit, numbered) for row in rows]
    if explained := legend_text(scene, pen):
        blocks.append([explained])
    return "\n\n".join("\n".join(block) for block in blocks)


def word_lines(word: Word, pen: Pen, limit: int, numbered: bool) -> list[str]:
    form = f"[{word.form}]" if word.is_marked else word.form
    lines = [form, *word.notes] + ([word.number] if numbered else [])
    return [pen.clip(line, limit) for line in lines]


def label_text(arc: Arc, pen: Pen) -> str:
    return pen.clip(pen.spell(arc.text), LONGEST_LABEL)


def tag_text(word: Word, pen: Pen) -> str:
    return pen.clip(f"{word.number} {word.form}", LONGEST_TAG)


def draw_row(scene: Scene, row: Row, pen: Pen, limit: int, numbered: bool) -> list[str]:
    words = scene.words[row.first - 1 : row.last]
    lines = [word_lines(word, pen, limit, numbered) for word in words]
    tokens = tokens_in(scene, row)
    top, depth = row.levels("above"), max(map(len, lines)) + bool(tokens)
    bottom = row.levels("below")
    arrows, feet = (1 if top else 0), (1 if bottom else 0)
    canvas = Canvas(row.width, top + arrows + depth + feet + bottom, scene.rtl)
    for strokes, foot, step in ((row.above, top, -1), (row.below, top + arrows + depth, 1)):
        trunks: Trunks = {}
        for stroke in sorted(strokes, key=lambda stroke: DRAWING_ORDER.index(stroke.arc.kind)):
            draw_stroke(canvas, scene, stroke, foot, step, pen, trunks)
    for texts, middle in zip(lines, row.middles, strict=True):
        for k, text in enumerate(texts):
            canvas.write(top + arrows + k, middle - ahead(columns(text)), text, "feature" if k else "form")
    for token in tokens:
        draw_token(canvas, row, token, top + arrows + depth - 1, pen)
    return canvas.render(pen)


def draw_token(canvas: Canvas, row: Row, token: Token, y: int, pen: Pen) -> None:
    """Draw a bracket under the words of a token; open where the token continues in another row."""
    begin, end = row.extent(token)
    for x in range(begin, end):
        canvas.line(y, x, LEFT | RIGHT, "feature")
    if token.first >= row.first:
        canvas.corner(y, begin, UP | RIGHT, "feature")
    if token.last <= row.last:
        canvas.corner(y, end - 1, UP | LEFT, "feature")
    form = pen.clip(token.form, max(1, end - begin - 2))
    canvas.write(y, begin + (end - begin - columns(form)) // 2, form, "feature")


Trunks = dict[int, tuple[str, int]]  # the style of the leg drawn last in a column, and the level it reaches


def draw_stroke(canvas: Canvas, scene: Scene, stroke: Stroke, foot: int, step: int, pen: Pen, trunks: Trunks) -> None:
    """Draw an arc. foot is the line next to the words; levels go away from them by step."""
    style = style_of(stroke.arc)
    y = foot + step * stroke.level
    to_words = DOWN if step < 0 else UP
    label = label_text(stroke.arc, pen)
    if stroke.arc.is_stub:
        draw_leg(canvas, stroke.left, foot, y, style, trunks)
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
                draw_leg(canvas, x, foot, y, style, trunks)
    if stroke.arrow is not None:
        canvas.write(foot, stroke.arrow, pen.sign("down" if step < 0 else "up"), style)
    canvas.write(y, stroke.label, label, style)


def draw_leg(canvas: Canvas, x: int, foot: int, y: int, style: str, trunks: Trunks) -> None:
    """Draw a leg from the words to the level at y, that line left out; of a trunk of its style only what is missing."""
    drawn_style, drawn = trunks.get(x, (style, foot))
    begin = drawn if drawn_style == style else foot
    if abs(y - foot) < abs(begin - foot):
        return
    for between in range(y + 1, begin + 1) if y < foot else range(begin, y):
        canvas.line(between, x, UP | DOWN, style)
    trunks[x] = style, y


def draw_cut(canvas: Canvas, scene: Scene, stroke: Stroke, x: int, y: int, pen: Pen) -> None:
    """Draw the end of an arc at the edge of its row, and the word that it continues to."""
    style = style_of(stroke.arc)
    tag = tag_text(scene.words[stroke.other - 1], pen)
    canvas.line(y, x, LEFT | RIGHT, style)
    if stroke.other == stroke.arc.modifier:
        leftwards = (stroke.cut == "left") != canvas.mirrored
        canvas.write(y, x, pen.sign("left" if leftwards else "right"), style)
    canvas.write(y, x + 2 if stroke.cut == "right" else x - 1 - columns(tag), tag, "tag")


def legend_text(scene: Scene, pen: Pen) -> str:
    """Return the legend of the styles; without colour, of those that can be recognised without it."""
    sign = pen.sign("dash")
    signs = {
        "missed": f"{sign} ",
        "basic": f"{sign} ",
        "extra": "below: ",
        "given": "",
        "wrong-head": "",
        "wrong-label": "",
    }
    entries = legend(scene)
    if pen.color:
        texts = [colour_cells([(pen.spell(meaning), style)]) for style, meaning in entries]
    else:
        texts = [pen.spell(signs[style] + meaning) for style, meaning in entries if style in signs]
    return "   ".join(texts)

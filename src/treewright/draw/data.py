"""Drawings as compact data, from which the script of a web page (drawing.js) makes the SVG.

The layout is computed here; the script only inserts numbers into elements. Positions along the line do not depend on
the width of the window except for the shift of a row, so a sentence has them once, and a further width costs only the
levels and label positions of its arcs.
"""

from __future__ import annotations

import json
from typing import Any

from treewright.draw import phrase_vector, vector
from treewright.draw.colour import MARKED, MEANING, style_of
from treewright.draw.layout import Line, Row, Stroke, break_rows, line_of, row_of
from treewright.draw.measure import per_cent, pixels
from treewright.draw.phrase import Phrases, Sideways
from treewright.draw.scene import Scene, Word
from treewright.draw.style import ARC_KINDS, mark_style, style_sheet
from treewright.draw.vector import LABEL_SIZE, MARGIN, MEDIUM

Data = dict[str, Any]

# What drawing.js needs besides the data of a sentence; each constant is defined in the module that draws the SVG.
CONSTANTS: Data = {
    name: getattr(vector, name)
    for name in (
        *("FORM_SIZE", "LABEL_SIZE", "FORM_LINE", "NOTE_LINE", "TOKEN_LINE", "LEVEL", "FOOT", "TIP", "CORNER"),
        *("MARGIN", "SVG", "ARC", "TIP_PATH", "LABEL", "MORE", "TAG", "WORD", "TOKEN"),
    )
} | {
    "STYLES": ARC_KINDS,
    "JUDGED": list(MEANING),
    "MARKED": MARKED,
    "NODE_LEVEL": phrase_vector.LEVEL,
    "NODE_LINE": phrase_vector.LINE,
    "NODE_CORNER": phrase_vector.CORNER,
    "WORD_SIZE": phrase_vector.WORD_SIZE,
    "NODE": phrase_vector.NODE,
    "BRANCH": phrase_vector.BRANCH,
    "STACK": vector.STACK,
    "STYLE_SHEET": vector.STYLE.format(rules=style_sheet()),
    "MARK_STYLE": vector.STYLE.format(rules=mark_style()),
}


def in_script(data: Any) -> str:
    """Return data as JSON for a script element, which must not contain the characters of an end tag or a comment."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def data_of(scene: Scene | Phrases, widths: tuple[int, ...]) -> Data:
    """Return the content of a drawing, and a layout for each width; layouts that are equal are written once."""
    data = phrase_data(scene, widths) if isinstance(scene, Phrases) else dependency_data(scene, widths)
    if scene.rtl:
        data["rtl"] = 1
    if isinstance(scene, Phrases) and scene.dependencies is not None:
        data["below"] = data_of(scene.dependencies, widths)
    return data


def dependency_data(scene: Scene, widths: tuple[int, ...]) -> Data:
    line = line_of(scene, MEDIUM)
    breaks = dict.fromkeys(tuple(break_rows(line, width - 2 * MARGIN)) for width in sorted(widths, reverse=True))
    layouts = [[row_of(line, first, last) for first, last in rows] for rows in breaks]
    data: Data = {
        "words": [word_data(word, number) for number, word in enumerate(scene.words, start=1)],
        "middles": line.middles,
        "arcs": [arc_data(line, i) for i in range(len(scene.arcs))],
        "layouts": [layout_data(line, rows) for rows in layouts],
    }
    if marked := [place for place, word in enumerate(scene.words, start=1) if word.is_marked]:
        data["markedWords"] = marked
    if marked := [i for i, arc in enumerate(scene.arcs) if arc.is_marked]:
        data["markedArcs"] = marked
    if scene.tokens:
        data["tokens"] = [(token.first, token.last, vector.clip_note(token.form)) for token in scene.tokens]
        data["extents"] = [(line.begin(word), line.end(word)) for word in range(1, 1 + len(scene.words))]
    clipped = clipped_tags(scene, layouts)
    return data | {"tags": clipped} if clipped else data


def word_data(word: Word, number: int) -> list[str]:
    """Return form, lines below it, lines on hover, number, clipped form; empty parts at the end are omitted."""
    shown = vector.clip_form(word.form)
    notes, details = "\n".join(map(vector.clip_note, word.notes)), "\n".join(word.details)
    return without_empty_end(
        [
            word.form,
            notes,
            details,
            "" if word.number == str(number) else word.number,
            "" if shown == word.form else shown,
        ]
    )


def arc_data(line: Line, i: int) -> list[Any]:
    """Return ends, style, label and its width, ports at both ends; note, confidence and full label if any."""
    arc = line.scene.arcs[i]
    ends = sorted((arc.modifier if arc.is_stub else arc.head, arc.modifier))
    ports = [line.ports.offset[i, end] for end in ends]
    text, note = vector.split_note(vector.label_text(arc), arc.note.rstrip())
    sure = "" if arc.confidence is None else per_cent(arc.confidence)
    full = "" if text == arc.label else arc.label or vector.NO_LABEL
    style = ARC_KINDS.index(style_of(arc))
    width = pixels(vector.label_text(arc), LABEL_SIZE)
    return without_empty_end([arc.head, arc.modifier, style, text, width, *ports, note, sure, full])


def without_empty_end(values: list[Any]) -> list[Any]:
    kept = list(values)
    while kept and kept[-1] == "":
        kept.pop()
    return kept


def layout_data(line: Line, rows: list[Row]) -> list[Any]:
    """Return width, height and rows."""
    placed, y = vector.place_rows(line.scene, rows)
    index = {id(arc): i for i, arc in enumerate(line.scene.arcs)}
    height = vector.inner_height(y - vector.ROW_GAP)
    parts = [
        [
            *(row.row.first, row.row.last),
            row.row.middles[0] - line.middles[row.row.first - 1],
            *cut_ends(row.row),
            *(row.baseline, row.depth),
            stroke_data(row.row.above, index),
            stroke_data(row.row.below, index),
        ]
        for row in placed
    ]
    return [vector.inner_width(rows), height, parts]


def cut_ends(row: Row) -> tuple[int, int]:
    """Return where arcs that are cut end, at the left and right edge of the row; 0 if none is cut."""
    strokes = row.above + row.below
    left = next((stroke.left for stroke in strokes if stroke.cut == "left"), 0)
    return left, next((stroke.right for stroke in strokes if stroke.cut == "right"), 0)


def stroke_data(strokes: tuple[Stroke, ...], index: dict[int, int]) -> list[int]:
    """Return the arc, the level and the start of the label of each stroke, one after the other."""
    return [value for stroke in strokes for value in (index[id(stroke.arc)], stroke.level, stroke.label)]


def clipped_tags(scene: Scene, layouts: list[list[Row]]) -> dict[int, str]:
    """Return the texts at the ends of cut arcs that differ from the number and form of their word."""
    strokes = (stroke for rows in layouts for row in rows for stroke in row.above + row.below)
    tags = {stroke.other: vector.tag_text(scene.words[stroke.other - 1]) for stroke in strokes if stroke.cut}
    full = {other: f"{scene.words[other - 1].number} {scene.words[other - 1].form}" for other in tags}
    return {other: tag for other, tag in tags.items() if tag != full[other]}


def phrase_data(scene: Phrases, widths: tuple[int, ...]) -> Data:
    parents = {child: i for i, node in enumerate(scene.nodes) for child in node.children}
    nodes = []
    for i, node in enumerate(scene.nodes):
        text, note = vector.split_note(phrase_vector.node_text(node), node.note)
        title = phrase_vector.hidden_text(node)
        style = ARC_KINDS.index(node.kind)
        width = phrase_vector.width_of(node)
        nodes.append(without_empty_end([parents.get(i, -1), text, style, width, note, title]))
    layouts = {in_script(layout): layout for layout in (phrase_layout(scene, width) for width in sorted(widths)[::-1])}
    return {"nodes": nodes, "layouts": list(layouts.values())}


def phrase_layout(scene: Phrases, width: int) -> list[Any]:
    """Return width, height and the middles of an upright tree, or starts, lines and joints of one on its side."""
    tree = phrase_vector.fitting_layout(scene, width)
    height = phrase_vector.layout_height(scene, tree)
    if isinstance(tree, Sideways):
        return [tree.width, height, tree.starts, tree.rows, tree.joints]
    return [tree.width, height, tree.middles]

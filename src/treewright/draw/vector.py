"""Dependency trees and graphs as SVG: string templates, one path an arc, classes for everything.

The drawing is plain XML with no scripts, identifiers or outside resources, so any number of them can share a page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from treewright.draw.colour import MARKED, classes_of, legend
from treewright.draw.layout import Medium, Row, Stroke, lay_out, tokens_in
from treewright.draw.measure import RIGHT_TO_LEFT_MARK, clip, is_right_to_left, per_cent, pixels
from treewright.draw.scene import ROOT, UNKNOWN, Arc, Scene, Token, Word
from treewright.draw.style import mark_style, style_sheet

# Sizes in pixels, not tuned.
FORM_SIZE, NOTE_SIZE, LABEL_SIZE, TAG_SIZE, NUMBER_SIZE = 16, 12, 12, 11, 10
FORM_LINE, NOTE_LINE, TOKEN_LINE = 22, 16, 24
LEVEL, FOOT, TIP = 24, 10, 8  # between levels, from the words to the arcs, the height of an arrowhead
CORNER = 8
CURSOR_MARGIN = 4
MARGIN, ROW_GAP = 14, 26
LEGEND_WIDTH, LEGEND_LINE = 480, 20
LONGEST_WORD, LONGEST_TAG, LONGEST_LABEL = 260, 84, 180
NARROWEST = 40
NO_LABEL = "no label"

SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" class="treewright" role="img" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}" text-anchor="middle">
<title>{title}</title>
<desc>{description}</desc>
{style}<rect class="paper" width="{width}" height="{height}" rx="8"/>
{body}
</svg>
"""
STYLE = "<style>\n{rules}</style>\n"
ARC = '<g class="arc {style}"{data}><title>{title}</title><path d="{path}"/>{tip}{label}{tag}</g>'
TIP_PATH = '<path class="tip" d="M{x} {y}{shape}Z"/>'
LABEL = '<text x="{x}" y="{y}">{text}</text>'
MORE = '<tspan class="more">{text}</tspan>'
TAG = '<text class="tag" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>'
WORD = '<text class="{style}" x="{x}" y="{y}"{direction}{data}>{text}{title}</text>'
CURSOR = '<rect class="cursor" x="{x}" y="{y}" width="{width}" height="{height}" rx="5"/>'
TOKEN = '<g class="token"><path d="{path}"/><text x="{x}" y="{y}">{text}</text></g>'
KEY = (
    '<g class="arc key {style}"><path d="M{x} {y}h22"/></g>'
    '<text class="legend" x="{text_x}" y="{text_y}" text-anchor="start">{text}</text>'
)

SIZE_OF_SVG = re.compile(r'<svg [^>]*? width="(\d+)" height="(\d+)"')
STYLE_ELEMENT = re.compile(r"<style>.*?</style>\n", re.S)
STACK = """\
<svg xmlns="http://www.w3.org/2000/svg" class="treewright" role="group" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}">
{style}<rect class="paper" width="{width}" height="{height}" rx="8"/>
{drawings}</svg>
"""


def dependency_svg(
    scene: Scene,
    *,
    width: int | None = None,
    style: bool = True,
    with_legend: bool = True,
    data: bool = False,
) -> str:
    """Draw the scene as an SVG element, no wider than width unless a single word is.

    data: words and arcs have the attributes data-word, data-head and data-state.
    """
    rows = lay_out(scene, MEDIUM, None if width is None else width - 2 * MARGIN)
    keys = legend(scene) if with_legend else []
    inner = max(inner_width(rows), legend_width(keys, width))
    placed, y = place_rows(scene, rows)
    frame = Frame(scene, inner, data)
    body = [part for row in placed for part in draw_row(frame, row, numbered=len(rows) > 1)]
    drawn, height = draw_legend(keys, y - ROW_GAP // 2, inner)
    bottom = y - ROW_GAP // 2 + height if keys else y - ROW_GAP
    has_marks = any(word.is_marked for word in scene.words) or any(arc.is_marked for arc in scene.arcs)
    return svg_element(inner, inner_height(bottom), scene.title, description(scene), body + drawn, style, has_marks)


def inner_width(rows: list[Row]) -> int:
    """Return the width within the margins."""
    return max([row.width for row in rows] + [NARROWEST])


def inner_height(bottom: int) -> int:
    """Return the height within the margins of a drawing that ends at bottom."""
    return max(bottom - MARGIN, FORM_LINE)


@dataclass(frozen=True)
class PlacedRow:
    """A row and its vertical position: the baseline of the words, and the distance from there to the arcs below."""

    row: Row
    baseline: int
    depth: int


def place_rows(scene: Scene, rows: list[Row]) -> tuple[list[PlacedRow], int]:
    """Return the rows one below the other, and the upper edge of a further row."""
    placed, y = [], MARGIN
    for row in rows:
        lines = note_lines(scene, row) + (len(rows) > 1)
        depth = (FORM_LINE - FORM_SIZE) + lines * NOTE_LINE + (TOKEN_LINE if tokens_in(scene, row) else 0)
        baseline = y + height_of(row.levels("above")) + FORM_SIZE
        placed.append(PlacedRow(row, baseline, depth))
        y = baseline + depth + height_of(row.levels("below")) + ROW_GAP
    return placed, y


def note_lines(scene: Scene, row: Row) -> int:
    return max(len(word.notes) for word in scene.words[row.first - 1 : row.last])


def svg_element(
    inner: int,
    inner_height: int,
    title: str,
    description: str,
    body: list[str],
    style: bool,
    has_marks: bool = False,
) -> str:
    """Return the drawing around its parts, which are within the margins."""
    return SVG.format(
        width=inner + 2 * MARGIN,
        height=inner_height + 2 * MARGIN,
        title=escape(title),
        description=escape(description),
        style=STYLE.format(rules=style_sheet() + mark_style() * has_marks) if style else "",
        body="\n".join(body),
    )


def description(scene: Scene) -> str:
    """Return the drawing as text, for screen readers."""
    return "; ".join(arc_in_words(scene, arc) for arc in scene.arcs) or "no arcs"


def arc_in_words(scene: Scene, arc: Arc) -> str:
    modifier = scene.words[arc.modifier - 1].form
    head = {ROOT: "root", UNKNOWN: "head not known"}.get(arc.head) or scene.words[arc.head - 1].form
    sure = "" if arc.confidence is None else f", confidence {per_cent(arc.confidence)}"
    judged = "" if arc.kind == "tree" else f", {arc.kind.replace('-', ' ')}"
    return f"{head} → {modifier}: {arc.label or NO_LABEL}{judged}{sure}"


def word_pixels(word: Word) -> int:
    notes = [pixels(clip_note(note), NOTE_SIZE) for note in word.notes]
    return max([pixels(clip_form(word.form), FORM_SIZE), pixels(word.number, NUMBER_SIZE), *notes])


clip_form = partial(clip, limit=LONGEST_WORD, measure=partial(pixels, size=FORM_SIZE))
clip_note = partial(clip, limit=LONGEST_WORD, measure=partial(pixels, size=NOTE_SIZE))
clip_label = partial(clip, limit=LONGEST_LABEL, measure=partial(pixels, size=LABEL_SIZE))
clip_tag = partial(clip, limit=LONGEST_TAG, measure=partial(pixels, size=TAG_SIZE))


def label_text(arc: Arc) -> str:
    return clip_label(arc.text)


def split_note(text: str, note: str) -> tuple[str, str]:
    """Return the parts of a label as it is drawn: its text, and its note unless it was clipped."""
    return (text.removesuffix(note), note) if note and text.endswith(note) else (text, "")


def tag_text(word: Word) -> str:
    """Return number and form of the word on the other side of a cut arc; the number is first in reading direction."""
    mark = RIGHT_TO_LEFT_MARK if is_right_to_left([word.form]) else ""
    return clip_tag(f"{mark}{word.number} {word.form}")


MEDIUM = Medium(
    gap=16,
    port_gap=9,
    shoulder=11,
    tag_gap=6,
    shared_ports=False,
    word_width=word_pixels,
    label_width=lambda arc: pixels(label_text(arc), LABEL_SIZE),
    tag_width=lambda word: pixels(tag_text(word), TAG_SIZE),
    token_width=lambda token: pixels(token.form, NOTE_SIZE) + 2 * CORNER,
)


def draw_row(frame: Frame, placed: PlacedRow, numbered: bool) -> list[str]:
    """Draw the elements of a row."""
    row, baseline, depth, scene = placed.row, placed.baseline, placed.depth, frame.scene
    words = scene.words[row.first - 1 : row.last]
    drawn = [draw_stroke(frame, stroke, baseline - FORM_SIZE, -1) for stroke in row.above]
    drawn += [draw_stroke(frame, stroke, baseline + depth, 1) for stroke in row.below]
    for word, middle in zip(words, row.middles, strict=True):
        drawn += draw_word(frame, word, middle, baseline, note_lines(scene, row), numbered)
    drawn += [draw_token(frame, row, token, baseline + depth - TOKEN_LINE) for token in tokens_in(scene, row)]
    return drawn


def height_of(levels: int) -> int:
    return FOOT + levels * LEVEL + LABEL_SIZE // 2 if levels else 0


@dataclass(frozen=True)
class Frame:
    """From places along the line to places in the drawing; right-to-left text is mirrored."""

    scene: Scene
    inner: int
    with_data: bool = False

    def x(self, along: int) -> int:
        return MARGIN + (self.inner - along if self.scene.rtl else along)

    def word_data(self, word: Word) -> str:
        """Return the data attribute of a word, as CoNLL-U numbers it; nothing without data."""
        return f' data-word="{escape(word.number)}"' if self.with_data else ""

    def arc_data(self, arc: Arc) -> str:
        """Return the data attributes of an arc; the head is 0 for the root, -1 if it is not known."""
        if not self.with_data:
            return ""
        head = str(arc.head) if arc.head in (ROOT, UNKNOWN) else self.scene.words[arc.head - 1].number
        return f'{self.word_data(self.scene.words[arc.modifier - 1])} data-head="{head}" data-state="{arc.kind}"'


def draw_word(frame: Frame, word: Word, middle: int, baseline: int, notes: int, numbered: bool) -> list[str]:
    x, y = frame.x(middle), baseline
    form = clip_form(word.form)
    title = f"<title>{escape(word.form)}</title>" if form != word.form else ""
    direction = ' direction="rtl"' if frame.scene.rtl else ""
    style = ("form empty" if word.empty else "form") + f" {MARKED}" * word.is_marked
    data = frame.word_data(word)
    drawn = [WORD.format(style=style, x=x, y=y, direction=direction, data=data, text=escape(form), title=title)]
    if word.is_cursor:
        drawn.insert(0, draw_cursor(x, baseline, pixels(form, FORM_SIZE)))
    y += FORM_LINE - FORM_SIZE
    plain = {"x": x, "direction": "", "data": data, "title": ""}
    for k, note in enumerate(map(clip_note, word.notes), start=1):
        if note:
            line, style = y + k * NOTE_LINE - 4, "hint" if word.has_hint and k == 1 else "note"
            drawn.append(WORD.format(style=style, y=line, text=escape(note), **plain))
    if numbered:
        line = y + (notes + 1) * NOTE_LINE - 5
        drawn.append(WORD.format(style="number", y=line, text=escape(word.number), **plain))
    return drawn


def draw_cursor(middle: int, baseline: int, width: int) -> str:
    """Draw a frame around the form of a word."""
    left, top = middle - width // 2 - CURSOR_MARGIN, baseline - FORM_SIZE + 1
    return CURSOR.format(x=left, y=top, width=width + 2 * CURSOR_MARGIN, height=FORM_SIZE + 5)


def draw_token(frame: Frame, row: Row, token: Token, top: int) -> str:
    """Draw a bracket under the words of a token; open where the token continues in another row."""
    begin, end = row.extent(token)
    x1, x2 = frame.x(begin), frame.x(end)
    first = f"M{x1} {top + 2}V{top + 7}" if token.first >= row.first else f"M{x1} {top + 7}"
    last = f"H{x2}V{top + 2}" if token.last <= row.last else f"H{x2}"
    return TOKEN.format(path=first + last, x=(x1 + x2) // 2, y=top + 20, text=escape(clip_note(token.form)))


def draw_stroke(frame: Frame, stroke: Stroke, edge: int, step: int) -> str:
    """Draw an arc; edge is where the words end; levels go away from them by step."""
    arc, text = stroke.arc, label_text(stroke.arc)
    y = edge + step * (FOOT + stroke.level * LEVEL - LABEL_SIZE // 2)
    label = label_element(arc, frame.x(stroke.label + pixels(text, LABEL_SIZE) // 2), y) if text else ""
    return ARC.format(
        style=classes_of(arc),
        data=frame.arc_data(arc),
        title=escape(arc_in_words(frame.scene, arc)),
        path=stub_path(frame, stroke, edge, y, step) if arc.is_stub else arc_path(frame, stroke, edge, y, step),
        tip=tip_path(frame, stroke, edge, y, step),
        label=label,
        tag=tag_element(frame, stroke, y) if stroke.cut else "",
    )


def stub_path(frame: Frame, stroke: Stroke, edge: int, y: int, step: int) -> str:
    return f"M{frame.x(stroke.left)} {y - step * (LABEL_SIZE - 4)}V{edge + step * TIP}"


def arc_path(frame: Frame, stroke: Stroke, edge: int, y: int, step: int) -> str:
    """Return the path up from one word, along, and down to the other, interrupted by the label."""
    x1, x2 = frame.x(stroke.left), frame.x(stroke.right)
    forward = 1 if x1 < x2 else -1
    corner = min(CORNER, abs(x2 - x1) // 2)
    if stroke.cut == "left":
        start = f"M{x1} {y}"
    else:
        start = (
            f"M{x1} {leg_end(stroke, stroke.left, edge, step)}V{y - step * corner}Q{x1} {y} {x1 + forward * corner} {y}"
        )
    if stroke.cut == "right":
        end = f"H{x2}"
    else:
        end = f"H{x2 - forward * corner}Q{x2} {y} {x2} {y - step * corner}V{leg_end(stroke, stroke.right, edge, step)}"
    text = label_text(stroke.arc)
    if not text:
        return start + end
    before = frame.x(stroke.label) - forward * 3
    after = frame.x(stroke.label + pixels(text, LABEL_SIZE)) + forward * 3
    return f"{start}H{before}M{after} {y}{end}"


def tip_path(frame: Frame, stroke: Stroke, edge: int, y: int, step: int) -> str:
    """Return the arrowhead: at the modifier, or at the edge of the row that it is beyond."""
    if stroke.arrow is not None:
        return TIP_PATH.format(x=frame.x(stroke.arrow), y=edge + step * 3, shape=f"l-4 {step * TIP}h8")
    if stroke.other == stroke.arc.modifier:
        forward = 1 if (stroke.cut == "right") != frame.scene.rtl else -1
        x = frame.x(stroke.right if stroke.cut == "right" else stroke.left)
        return TIP_PATH.format(x=x + forward * 2, y=y, shape=f"l{-forward * TIP} -4v8")
    return ""


def leg_end(stroke: Stroke, port: int, edge: int, step: int) -> int:
    """A leg ends at the back of its arrowhead, or just off the word."""
    return edge + step * (TIP if stroke.arrow == port else 2)


def label_element(arc: Arc, x: int, y: int) -> str:
    text, note = split_note(label_text(arc), arc.note.rstrip())
    more = MORE.format(text=escape(note)) if note else ""
    return LABEL.format(x=x, y=y + 4, text=escape(text) + more)


def tag_element(frame: Frame, stroke: Stroke, y: int) -> str:
    at_left = stroke.cut == "left"
    x = frame.x(stroke.left - 6 if at_left else stroke.right + 6)
    anchor = "end" if at_left != frame.scene.rtl else "start"
    return TAG.format(x=x, y=y + 4, anchor=anchor, text=escape(tag_text(frame.scene.words[stroke.other - 1])))


def key_width(key: tuple[str, str]) -> int:
    return 28 + pixels(key[1], NOTE_SIZE) + 18


def legend_width(keys: list[tuple[str, str]], width: int | None) -> int:
    """Return the width of the legend of a drawing, of a width if one is given: at least as wide as the widest key."""
    limit = LEGEND_WIDTH if width is None else min(LEGEND_WIDTH, width - 2 * MARGIN)
    return max([min(sum(map(key_width, keys)), limit), *map(key_width, keys)], default=0)


def draw_legend(keys: list[tuple[str, str]], top: int, inner: int) -> tuple[list[str], int]:
    """Draw the keys in as many lines as they need; return also the height."""
    drawn: list[str] = []
    x = y = 0
    for key in keys:
        style, text = key
        if x and x + key_width(key) > inner:
            x, y = 0, y + LEGEND_LINE
        left, line = MARGIN + x, top + y + LEGEND_LINE // 2
        drawn.append(KEY.format(style=style, x=left, y=line, text_x=left + 28, text_y=line + 4, text=escape(text)))
        x += key_width(key)
    return drawn, y + LEGEND_LINE if keys else 0


def stack_drawings(drawings: Sequence[str]) -> str:
    """Return one SVG element with all drawings below each other; a single one as it is.

    The style sheet, which all have, is kept once; drawings with marks have the longer one.
    """
    if len(drawings) == 1:
        return drawings[0]
    style = max((match[0] for drawing in drawings if (match := STYLE_ELEMENT.search(drawing))), key=len, default="")
    placed: list[str] = []
    y = widest = 0
    for drawing in drawings:
        size = SIZE_OF_SVG.match(drawing)
        if size is None:
            raise ValueError("a drawing is not an SVG element with width and height")
        width, height = int(size[1]), int(size[2])
        placed.append(STYLE_ELEMENT.sub("", drawing).replace("<svg ", f'<svg y="{y}" ', 1))
        y, widest = y + height, max(widest, width)
    return STACK.format(width=widest, height=y, style=style, drawings="".join(placed))

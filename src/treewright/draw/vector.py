"""Dependency trees and graphs as SVG: string templates, one path an arc, classes for everything.

The drawing is plain XML with no scripts, identifiers or outside resources, so any number of them can share a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from html import escape

from treewright.draw.colour import legend, style_of
from treewright.draw.layout import Medium, Row, Stroke, lay_out
from treewright.draw.measure import clip, pixels
from treewright.draw.scene import ROOT, UNKNOWN, Arc, Scene, Word
from treewright.draw.style import style_sheet

FORM_SIZE, NOTE_SIZE, LABEL_SIZE, TAG_SIZE, NUMBER_SIZE = 16, 12, 12, 11, 10
FORM_LINE, NOTE_LINE = 22, 16
LEVEL, FOOT, TIP = 24, 10, 8  # between levels, from the words to the arcs, the height of an arrowhead
CORNER = 9
MARGIN, ROW_GAP = 14, 26
LONGEST_WORD, LONGEST_TAG = 260, 84

SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" class="treewright" role="img" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}">
<title>{title}</title>
<desc>{description}</desc>
{style}<rect class="paper" width="{width}" height="{height}" rx="8"/>
{body}
</svg>
"""
STYLE = "<style>\n{rules}</style>\n"
ARC = '<g class="arc {style}"><title>{title}</title><path d="{path}"/>{tip}{label}{tag}</g>'
TIP_PATH = '<path class="tip" d="M{left} {back}L{x} {y}L{right} {back}Z"/>'
LABEL = '<text x="{x}" y="{y}">{text}</text>'
TAG = '<text class="tag" x="{x}" y="{y}" style="text-anchor:{anchor}">{text}</text>'
WORD = '<text class="{style}" x="{x}" y="{y}"{direction}>{text}{title}</text>'
KEY = (
    '<g class="arc {style}"><path d="M{x} {y}h22"/></g>'
    '<text class="legend" x="{text_x}" y="{text_y}" style="text-anchor:start">{text}</text>'
)


def dependency_svg(scene: Scene, *, width: int | None = None, style: bool = True) -> str:
    """The scene as an SVG element, no wider than width unless a single word is."""
    medium = Medium(
        gap=16,
        port_gap=9,
        shoulder=8,
        tag_gap=5,
        shared_ports=False,
        word_width=word_pixels,
        label_width=lambda arc: pixels(label_text(arc), LABEL_SIZE),
        tag_width=lambda word: pixels(tag_text(word), TAG_SIZE),
    )
    rows = lay_out(scene, medium, None if width is None else width - 2 * MARGIN)
    keys = legend(scene)
    inner = max([row.width for row in rows] + [legend_width(keys), 40])
    body, y = [], MARGIN
    for row in rows:
        drawn, height = draw_row(scene, row, inner, y, numbered=len(rows) > 1)
        body += drawn
        y += height + ROW_GAP
    y += 0 if rows else ROW_GAP
    if keys:
        body += draw_legend(keys, y)
        y += ROW_GAP
    return SVG.format(
        width=inner + 2 * MARGIN,
        height=y - ROW_GAP + MARGIN,
        title=escape(scene.title),
        description=escape(description(scene)),
        style=STYLE.format(rules=style_sheet()) if style else "",
        body="\n".join(body),
    )


def description(scene: Scene) -> str:
    """The drawing in words, for those who cannot see it."""
    return "; ".join(arc_in_words(scene, arc) for arc in scene.arcs) or "no arcs"


def arc_in_words(scene: Scene, arc: Arc) -> str:
    modifier = scene.words[arc.modifier - 1].form
    head = {ROOT: "root", UNKNOWN: "head not known"}.get(arc.head) or scene.words[arc.head - 1].form
    sure = "" if arc.confidence is None else f", {arc.confidence:.1%} sure"
    judged = "" if arc.kind == "tree" else f", {arc.kind.replace('-', ' ')}"
    return f"{head} → {modifier}: {arc.label or 'no label'}{judged}{sure}"


def word_pixels(word: Word) -> int:
    notes = [pixels(clip_note(note), NOTE_SIZE) for note in word.notes]
    return max([pixels(clip_form(word.form), FORM_SIZE), pixels(word.number, NUMBER_SIZE), *notes])


clip_form = partial(clip, limit=LONGEST_WORD, measure=partial(pixels, size=FORM_SIZE))
clip_note = partial(clip, limit=LONGEST_WORD, measure=partial(pixels, size=NOTE_SIZE))
clip_tag = partial(clip, limit=LONGEST_TAG, measure=partial(pixels, size=TAG_SIZE))


def label_text(arc: Arc) -> str:
    sign = {ROOT: "", arc.modifier: "↻ ", UNKNOWN: "? "}.get(arc.head, "")
    return f"{sign}{arc.label}{arc.note}".strip()


def tag_text(word: Word) -> str:
    return clip_tag(f"{word.number} {word.form}")


def draw_row(scene: Scene, row: Row, inner: int, top: int, numbered: bool) -> tuple[list[str], int]:
    """The elements of a row whose upper edge is at top, and its height."""
    words = scene.words[row.first - 1 : row.last]
    notes = max(len(word.notes) for word in words)
    baseline = top + height_of(row.levels("above")) + FORM_SIZE
    depth = (FORM_LINE - FORM_SIZE) + notes * NOTE_LINE + (NOTE_LINE if numbered else 0)
    frame = Frame(scene, inner)
    drawn = [draw_stroke(frame, stroke, baseline - FORM_SIZE, -1) for stroke in row.above]
    drawn += [draw_stroke(frame, stroke, baseline + depth, 1) for stroke in row.below]
    for word, middle in zip(words, row.middles, strict=True):
        drawn += draw_word(frame, word, middle, baseline, notes, numbered)
    return drawn, baseline + depth + height_of(row.levels("below")) - top


def height_of(levels: int) -> int:
    return FOOT + levels * LEVEL + LABEL_SIZE // 2 if levels else 0


@dataclass(frozen=True)
class Frame:
    """From places along the line to places in the drawing; right-to-left text is mirrored."""

    scene: Scene
    inner: int

    def x(self, along: int) -> int:
        return MARGIN + (self.inner - along if self.scene.rtl else along)


def draw_word(frame: Frame, word: Word, middle: int, baseline: int, notes: int, numbered: bool) -> list[str]:
    x, y = frame.x(middle), baseline
    form = clip_form(word.form)
    title = f"<title>{escape(word.form)}</title>" if form != word.form else ""
    direction = ' direction="rtl"' if frame.scene.rtl else ""
    style = "form empty" if word.empty else "form"
    drawn = [WORD.format(style=style, x=x, y=y, direction=direction, text=escape(form), title=title)]
    y += FORM_LINE - FORM_SIZE
    for k, note in enumerate(map(clip_note, word.notes), start=1):
        if note:
            line = y + k * NOTE_LINE - 4
            drawn.append(WORD.format(style="note", x=x, y=line, direction="", text=escape(note), title=""))
    if numbered:
        line = y + (notes + 1) * NOTE_LINE - 5
        drawn.append(WORD.format(style="number", x=x, y=line, direction="", text=escape(word.number), title=""))
    return drawn


def draw_stroke(frame: Frame, stroke: Stroke, edge: int, step: int) -> str:
    """edge is where the words end; levels go away from them by step."""
    arc, text = stroke.arc, label_text(stroke.arc)
    y = edge + step * (FOOT + stroke.level * LEVEL - LABEL_SIZE // 2)
    tip = ""
    if stroke.arrow is not None:
        x, end = frame.x(stroke.arrow), edge + step * 3
        tip = TIP_PATH.format(left=x - 4, right=x + 4, x=x, y=end, back=end + step * TIP)
    label = label_element(arc, frame.x(stroke.label + pixels(text, LABEL_SIZE) // 2), y) if text else ""
    return ARC.format(
        style=style_of(arc),
        title=escape(arc_in_words(frame.scene, arc)),
        path=stub_path(frame, stroke, edge, y, step) if arc.is_stub else arc_path(frame, stroke, edge, y, step),
        tip=tip,
        label=label,
        tag=tag_element(frame, stroke, y) if stroke.cut else "",
    )


def stub_path(frame: Frame, stroke: Stroke, edge: int, y: int, step: int) -> str:
    return f"M{frame.x(stroke.left)} {y - step * (LABEL_SIZE - 4)}V{edge + step * TIP}"


def arc_path(frame: Frame, stroke: Stroke, edge: int, y: int, step: int) -> str:
    """Up from one word, round a corner, along, round a corner, down to the other; interrupted by the label."""
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


def leg_end(stroke: Stroke, port: int, edge: int, step: int) -> int:
    """A leg ends at the back of its arrowhead, or just off the word."""
    return edge + step * (TIP if stroke.arrow == port else 2)


def label_element(arc: Arc, x: int, y: int) -> str:
    return LABEL.format(x=x, y=y + 4, text=escape(label_text(arc)))


def tag_element(frame: Frame, stroke: Stroke, y: int) -> str:
    at_left = stroke.cut == "left"
    x = frame.x(stroke.left - 5 if at_left else stroke.right + 5)
    anchor = "end" if at_left != frame.scene.rtl else "start"
    return TAG.format(x=x, y=y + 4, anchor=anchor, text=escape(tag_text(frame.scene.words[stroke.other - 1])))


def legend_width(keys: list[tuple[str, str]]) -> int:
    return sum(28 + pixels(text, NOTE_SIZE) + 18 for _, text in keys)


def draw_legend(keys: list[tuple[str, str]], top: int) -> list[str]:
    drawn, x = [], MARGIN
    for style, text in keys:
        drawn.append(KEY.format(style=style, x=x, y=top, text_x=x + 28, text_y=top + 4, text=escape(text)))
        x += 28 + pixels(text, NOTE_SIZE) + 18
    return drawn

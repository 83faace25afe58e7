"""Many sentences on one page that needs nothing else: styles, script and data inside, no outside resource.

The script draws a sentence when it comes near the window, in the layout that fits, from the data of data.py. Without
the script each sentence is shown as a table of its words. The parts of the page are made one by one, so that a large
treebank is never in memory as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from treewright.draw.colour import MEANING, legend_of, style_of
from treewright.draw.data import CONSTANTS, data_of, in_script
from treewright.draw.phrase import Phrases
from treewright.draw.phrase_vector import brackets
from treewright.draw.scene import UNKNOWN, Kind, Scene
from treewright.draw.style import page_style

ARTICLE = """\
<article id="s{number}" tabindex="-1"{flags}>
<h2><a href="#s{number}">{number}</a>{name}{certificate}{score}</h2>
<p class="text"{direction}>{text}</p>
{missed}<pre>{table}</pre>
<script type="application/json">{data}</script>
</article>
"""
NAME = '<span class="name">{name}</span>'
CERTIFICATE = '<abbr title="{meaning}">{text}</abbr>'
SCORE = '<span class="score{style}">{text}</span>'
MAY_BE_WRONG = "it may still be wrong"
MISSED = '<p class="missed">{text}</p>\n'
LEGEND = '<ul class="legend">\n{keys}</ul>\n'
KEY = (
    '<li><svg class="treewright" width="26" height="8" aria-hidden="true"><g class="arc key {style}">'
    '<path d="M2 4h22"/></g></svg>{text}</li>\n'
)

JUDGED: tuple[Kind, ...] = ("correct", "wrong-label", "wrong-head", "wrong-span")

# Drawings are laid out for windows of these widths, not tuned: a window shows the widest layout that fits.
WIDTHS = (320, 540, 820, 1280, 1840)


@dataclass(frozen=True)
class Tally:
    """The comparison of a scene with gold, and the confidence of its least certain arc."""

    right: int = 0
    judged: int = 0
    missed: int = 0
    least_sure: float = 1.0

    @property
    def wrong(self) -> int:
        return self.judged - self.right + self.missed


def page_parts(scenes: Iterable[Scene | Phrases], *, title: str, widths: tuple[int, ...]) -> Iterator[str]:
    """Yield the page in parts: its beginning, each sentence, its end."""
    source = files("treewright.draw")
    begin, end = (source / "page.html").read_text("utf-8").split("{articles}")
    scripts = [(source / name).read_text("utf-8") for name in ("drawing.js", "filter.js", "page.js")]
    yield begin.format(
        title=escape(title),
        style=page_style() + (source / "page.css").read_text("utf-8"),
        script=f'"use strict";\nconst C = {in_script(CONSTANTS)};\n' + "".join(scripts),
    )
    totals: Counter[str] = Counter()
    styles: set[str] = set()
    for number, scene in enumerate(scenes, start=1):
        tally = tally_of(scene)
        doubted = tally.least_sure < 1
        totals.update(sentences=1, words=len(scene.words), right=tally.right, judged=tally.judged, doubted=doubted)
        styles |= styles_of(scene)
        yield article(number, scene, tally, widths)
    flags = "".join(f" data-{name}" for name in ("judged", "doubted") if totals[name])
    yield end.format(flags=flags, summary=summary_of(totals), legend=legend_list(styles))


def summary_of(totals: Counter[str]) -> str:
    sentences, judged = totals["sentences"], totals["judged"]
    text = f"{sentences:,} {'sentence' if sentences == 1 else 'sentences'}, {totals['words']:,} words"
    return f"{text}, {totals['right'] / judged:.1%} as in gold" if judged else text


def layout_widths(widest: int | None) -> tuple[int, ...]:
    """Return the widths to lay out for, up to the widest.

    >>> layout_widths(None), layout_widths(900)
    ((320, 540, 820, 1280, 1840), (320, 540, 820, 900))
    """
    last = WIDTHS[-1] if widest is None else widest
    return (*(width for width in WIDTHS if width < last), last)


def styles_of(scene: Scene | Phrases) -> set[str]:
    if isinstance(scene, Phrases):
        below = styles_of(scene.dependencies) if scene.dependencies else set()
        return below | {node.kind for node in scene.nodes if not node.is_word}
    return {style_of(arc) for arc in scene.arcs}


def legend_list(styles: set[str]) -> str:
    keys = [KEY.format(style=style, text=escape(meaning)) for style, meaning in legend_of(styles)]
    return LEGEND.format(keys="".join(keys)) if keys else ""


def tally_of(scene: Scene | Phrases) -> Tally:
    if isinstance(scene, Phrases):
        kinds, missed = [node.kind for node in scene.nodes if not node.is_word], len(scene.missed)
        sure: list[float] = []
    else:
        kinds, missed = [arc.kind for arc in scene.arcs], sum(arc.kind == "missed" for arc in scene.arcs)
        sure = [arc.confidence for arc in scene.arcs if arc.confidence is not None]
    judged = sum(kind in JUDGED for kind in kinds)
    return Tally(kinds.count("correct"), judged, missed, min(sure, default=1.0))


def article(number: int, scene: Scene | Phrases, tally: Tally, widths: tuple[int, ...]) -> str:
    flags = f' data-wrong="{tally.wrong}"' if tally.wrong else ""
    flags += f' data-doubt="{tally.least_sure:.4f}"' if tally.least_sure < 1 else ""
    has_name = scene.name not in ("", str(number))
    return ARTICLE.format(
        number=number,
        flags=flags,
        name=NAME.format(name=escape(scene.name)) if has_name else "",
        certificate=certificate(scene),
        score=score(tally),
        direction=' dir="rtl"' if scene.rtl else "",
        text=escape(scene.title),
        missed=missed_phrases(scene),
        table=escape(as_text(scene)),
        data=in_script(data_of(scene, widths)),
    )


def as_text(scene: Scene | Phrases) -> str:
    """Return what is shown without the script."""
    if isinstance(scene, Scene):
        return table(scene)
    return "\n".join([brackets(scene), *([as_text(scene.dependencies)] if scene.dependencies else [])])


def certificate(scene: Scene | Phrases) -> str:
    if isinstance(scene, Phrases) or not scene.certificate:
        return ""
    status, _, scope = scene.certificate.partition(" over ")
    arcs = scope or "the arcs that it considered"
    if status == "certified":
        return CERTIFICATE.format(
            text="✓", meaning=f"certified: the model's best tree over {escape(arcs)}; {MAY_BE_WRONG}"
        )
    meaning = f"not certified: under the model another tree over {escape(arcs)} may score higher"
    return CERTIFICATE.format(text=escape(status), meaning=meaning)


def score(tally: Tally) -> str:
    if tally.judged:
        text = f"{tally.right} of {tally.judged} as in gold" if tally.wrong else "as in gold"
        return SCORE.format(style=" wrong" if tally.wrong else "", text=text)
    return SCORE.format(style="", text=f"lowest confidence: {tally.least_sure:.0%}") if tally.least_sure < 1 else ""


def missed_phrases(scene: Scene | Phrases) -> str:
    if not isinstance(scene, Phrases) or not scene.missed:
        return ""
    return MISSED.format(text=escape(f"{MEANING['missed']}: {'; '.join(scene.missed)}"))


def table(scene: Scene) -> str:
    """Return the words with their heads and labels, one a line, for browsers without scripts."""
    arcs: dict[int, list[tuple[str, str]]] = {}
    for arc in scene.arcs:
        head = {UNKNOWN: "?", 0: "0"}.get(arc.head) or scene.words[arc.head - 1].number
        arcs.setdefault(arc.modifier, []).append((head, f"{arc.label}{arc.note}"))
    lines = []
    for node, word in enumerate(scene.words, start=1):
        heads, labels = (",".join(parts) for parts in zip(*arcs.get(node, [("", "")]), strict=True))
        lines.append("\t".join([word.number, word.form, heads, labels]))
    return "\n".join(lines)

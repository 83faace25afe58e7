"""Many drawings on one page that needs nothing else: styles and script inside, SVG inline, no outside resource.

Without its script the page still shows everything; with it, sentences can be filtered, walked through by keyboard
and, where confidence is known, put in the order of doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from treewright.draw.phrase import Phrases
from treewright.draw.phrase_vector import phrase_svg
from treewright.draw.scene import Kind, Scene
from treewright.draw.style import page_style
from treewright.draw.vector import dependency_svg

ARTICLE = """\
<article id="s{number}" tabindex="-1" data-number="{number}" data-wrong="{wrong}" data-doubt="{doubt}">
<h2><a href="#s{number}">{number}</a>{name}{score}</h2>
<p class="text" dir="{direction}">{text}</p>
{drawings}</article>"""
NAME = "<span>{name}</span>"
SCORE = '<span class="score{style}">{text}</span>'
DRAWING = '<div class="drawing {style}">{svg}</div>\n'
ONLY_WRONG = '<label><input type="checkbox" id="wrong"> only with differences</label>\n'
ORDER = (
    '<select id="order" aria-label="Order"><option value="">in order</option>'
    '<option value="doubt">most doubtful first</option></select>\n'
)

JUDGED: tuple[Kind, ...] = ("correct", "wrong-label", "wrong-head", "wrong-span")


@dataclass(frozen=True)
class Tally:
    """How a scene compares with gold, and how doubtful its most doubtful arc is."""

    right: int = 0
    judged: int = 0
    missed: int = 0
    least_sure: float = 1.0

    @property
    def wrong(self) -> int:
        return self.judged - self.right + self.missed


def page(scenes: Iterable[Scene | Phrases], *, title: str, width: int, narrow: int | None) -> str:
    """The whole page. Each drawing is laid out twice if it is too wide for a narrow window."""
    articles, total = [], Counter[str]()
    for number, scene in enumerate(scenes, start=1):
        tally = tally_of(scene)
        articles.append(article(number, scene, tally, width, narrow))
        words = len(scene.words)
        total.update(sentences=1, words=words, right=tally.right, judged=tally.judged, doubted=tally.least_sure < 1)
    source = files("treewright.draw")
    return (
        (source / "page.html")
        .read_text("utf-8")
        .format(
            title=escape(title),
            summary=summary(total),
            style=page_style() + (source / "page.css").read_text("utf-8"),
            controls=(ONLY_WRONG if total["judged"] else "") + (ORDER if total["doubted"] else ""),
            articles="\n".join(articles),
            script=(source / "page.js").read_text("utf-8"),
        )
    )


def summary(total: Counter[str]) -> str:
    text = f"{total['sentences']:,} {'sentence' if total['sentences'] == 1 else 'sentences'}, {total['words']:,} words"
    if total["judged"]:
        text += f", {total['right'] / total['judged']:.1%} as in gold"
    return text


def tally_of(scene: Scene | Phrases) -> Tally:
    if isinstance(scene, Phrases):
        kinds, missed = [node.kind for node in scene.nodes if not node.is_word], len(scene.missed)
        sure: list[float] = []
    else:
        kinds, missed = [arc.kind for arc in scene.arcs], sum(arc.kind == "missed" for arc in scene.arcs)
        sure = [arc.confidence for arc in scene.arcs if arc.confidence is not None]
    judged = sum(kind in JUDGED for kind in kinds)
    return Tally(kinds.count("correct"), judged, missed, min(sure, default=1.0))


def article(number: int, scene: Scene | Phrases, tally: Tally, width: int, narrow: int | None) -> str:
    score = ""
    if tally.judged:
        text = "as in gold" if not tally.wrong else f"{tally.right} of {tally.judged} as in gold"
        score = SCORE.format(style=" wrong" if tally.wrong else "", text=text)
    elif tally.least_sure < 1:
        score = SCORE.format(style="", text=f"least sure: {tally.least_sure:.0%}")
    return ARTICLE.format(
        number=number,
        name=NAME.format(name=escape(scene.name)) if scene.name else "",
        score=score,
        direction="rtl" if scene.rtl else "ltr",
        text=escape(scene.title),
        wrong=tally.wrong,
        doubt=f"{tally.least_sure:.4f}",
        drawings="".join(drawings(scene, width, narrow)),
    )


def drawings(scene: Scene | Phrases, width: int, narrow: int | None) -> list[str]:
    wide = draw(scene, width)
    small = wide if narrow is None else draw(scene, narrow)
    found = [DRAWING.format(style="wide", svg=wide)]
    return found if small == wide else [*found, DRAWING.format(style="narrow", svg=small)]


def draw(scene: Scene | Phrases, width: int) -> str:
    if isinstance(scene, Phrases):
        return phrase_svg(scene, width=width, style=False)
    return dependency_svg(scene, width=width, style=False)

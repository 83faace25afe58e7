"""The web page: one file, harmless, small, and readable without its script."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from oracles.processes import run_process

import treewright as tw
from treewright.draw.data import CONSTANTS, data_of, in_script
from treewright.draw.measure import clean
from treewright.draw.page import WIDTHS
from treewright.draw.phrase import Phrases, phrases_of
from treewright.draw.phrase_vector import phrase_svg
from treewright.draw.pictures import html_parts
from treewright.draw.scene import Direction, Scene, scene_of
from treewright.draw.vector import MARGIN, dependency_svg
from treewright.errors import InputError

DOGS = SimpleNamespace(
    forms=["Dogs", "bark"],
    heads=[2, 0],
    deprels=["nsubj", "root"],
    upos=["NOUN", "VERB"],
    lemmas=["dog", "bark"],
    feats=["Number=Plur", "_"],
    sent_id="dogs-1",
    text="Dogs bark",
)
CATS = SimpleNamespace(
    forms=["Cats", "sleep"], heads=[0, 1], deprels=["root", "dep"], sent_id="cats-1", text="Cats sleep"
)
CATS_GOLD = SimpleNamespace(forms=["Cats", "sleep"], heads=[2, 0], deprels=["nsubj", "root"])
EVIL = SimpleNamespace(
    forms=["</script><script>alert(1)</script>", '"onload="x', "<!--<script>", "\u202ea\x00\x1b", "&lt;"],
    heads=[2, 0, 2, 2, 2],
    deprels=["<img src=x onerror=alert(1)>", "root", "]]>", "'", "{title}"],
    lemmas=["</pre>", "_", "_", "_", "_"],
    sent_id="<b>",
    text="</svg></p><script>alert(1)</script>",
)
TREE = ("S", ("NP", ("DT", "The"), ("NN", "dog")), ("VP", ("VBZ", "barks"), ("ADVP", ("RB", "<loudly>" * 9))))
TREE_GOLD = ("S", ("NP", ("DT", "The"), ("NN", "dog")), ("X", ("VBZ", "barks"), ("RB", "<loudly>" * 9)))


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.in_script = tag == "script"
        self.scripts += [""] * self.in_script

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts[-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]

    def drawings(self) -> list[dict[str, Any]]:
        return [json.loads(script) for script in self.scripts[1:]]


def random_scene(dice: random.Random) -> Scene:
    n = dice.randint(1, 25)
    forms = ["w" * dice.randint(1, 12) for _ in range(n)]
    heads = [dice.randint(-1, n) for _ in range(n)]
    labels = [dice.choice(["nsubj", "_", "acl:relcl", "x" * 40, "<&>"]) for _ in range(n)]
    graph = [(dice.randint(0, n), f"{dice.randint(1, n)}.{dice.randint(0, 1)}", "extra") for _ in range(n // 4)]
    first = dice.randint(1, n)
    tokens = [SimpleNamespace(first=first, last=min(n, first + 2), form="token")]
    sentence = SimpleNamespace(forms=forms, heads=heads, deprels=labels, upos=forms, graph=graph, tokens=tokens)
    confidence = dice.choice([None, [dice.random() for _ in range(n)]])
    direction: Any = dice.choice(["ltr", "rtl"])
    marks = dice.choice([None, [dice.randint(0, n), (heads[0], 1), (heads[-1], n)]])
    return scene_of(sentence, enhanced=dice.random() < 0.5, confidence=confidence, direction=direction, marks=marks)


def test_each_sentence_has_its_place_name_and_drawing() -> None:
    page = tw.draw.html([DOGS, CATS], title="pets.conllu")
    elements = Elements(page)
    assert [article["id"] for article in elements.all("article")] == ["s1", "s2"]
    assert [link["href"] for link in elements.all("a")] == ["#s1", "#s2"]
    assert [[word[0] for word in drawing["words"]] for drawing in elements.drawings()] == [DOGS.forms, CATS.forms]
    assert '<span class="name">dogs-1</span>' in page
    assert "2 sentences, 4 words" in page


def test_articles_are_written_as_they_were(golden: Callable[[str, str], None]) -> None:
    gold = SimpleNamespace(forms=DOGS.forms, heads=[0, 1], deprels=["root", "nsubj"])
    pairs = [(DOGS, {"gold": gold}), (EVIL, {}), (TREE, {})]
    _, *parts = html_parts(pairs, title="Pets", width=500)
    golden("draw/page-articles.html", "".join(parts))


def test_the_number_is_not_repeated_by_a_name_that_equals_it() -> None:
    names = ["1", "7"]
    page = tw.draw.html([SimpleNamespace(forms=["Run"], heads=[0], sent_id=name) for name in names])
    assert re.findall(r'<span class="name">(.*?)</span>', page) == ["7"]


def test_nothing_comes_from_outside_and_nothing_that_is_drawn_can_run() -> None:
    page = tw.draw.html([EVIL], title="<script>")
    elements = Elements(page)
    assert [script.get("type") for script in elements.all("script")] == [None, "application/json"]
    assert [word[0] for word in elements.drawings()[0]["words"]] == [clean(form) for form in EVIL.forms]
    assert not elements.all("img")
    assert not elements.all("b")
    attributes = {name for _, found in elements.found for name in found}
    assert not {name for name in attributes if name.startswith("on")}
    assert not attributes & {"src", "srcset", "action"}
    assert not elements.all("link")
    outside = set(re.findall(r"(?:https?:)?//[\w.]+[^\s\"\\<]*", page)) - {"http://www.w3.org/2000/svg"}
    assert not {address for address in outside if address.startswith("http")}
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest", page)


def test_differences_are_counted() -> None:
    page = tw.draw.html([DOGS, CATS], gold=[DOGS, CATS_GOLD])
    elements = Elements(page)
    assert [article.get("data-wrong") for article in elements.all("article")] == [None, "4"]
    assert "50.0% as in gold" in page
    assert "0 of 2 as in gold" in page
    assert "data-judged" in elements.all("footer")[0]
    assert "data-judged" not in Elements(tw.draw.html([DOGS])).all("footer")[0]


def test_doubt_can_be_sorted_by() -> None:
    elements = Elements(tw.draw.html([SimpleNamespace(**vars(DOGS), head_confidence=[0.5, 0.9])]))
    assert elements.all("article")[0]["data-doubt"] == "0.5000"
    assert "data-doubted" in elements.all("footer")[0]
    assert "data-doubted" not in Elements(tw.draw.html([DOGS])).all("footer")[0]


def test_the_legend_is_on_the_page_once() -> None:
    page = tw.draw.html([CATS, CATS, CATS], gold=[CATS_GOLD] * 3)
    assert page.count("× wrong head") == page.count("missed, in gold only") == page.count('<ul class="legend">') == 1
    assert '<ul class="legend">' not in tw.draw.html([DOGS])


def test_lemma_tags_and_features_are_shown_on_hover() -> None:
    dogs, bark = Elements(tw.draw.html(DOGS)).drawings()[0]["words"]
    assert dogs == ["Dogs", "NOUN", "dog\nNOUN\nNumber=Plur"]
    assert bark == ["bark", "VERB", "bark\nVERB\n"]


@pytest.mark.parametrize(
    ("comment", "meaning", "sign"),
    [
        ("certified over all arcs", "certified: the model's best tree over all arcs; it may still be wrong", "✓"),
        ("certified", "certified: the model's best tree over the arcs that it considered; it may still be wrong", "✓"),
        (
            "gap 0.25 over candidate arcs",
            "not certified: under the model another tree over candidate arcs may score higher",
            "gap 0.25",
        ),
    ],
)
def test_the_certificate_of_a_parse_is_shown(comment: str, meaning: str, sign: str) -> None:
    shown = f'<abbr title="{meaning}">{sign}</abbr>'
    parsed = SimpleNamespace(**vars(DOGS), parse=SimpleNamespace(status=comment))
    read = SimpleNamespace(**vars(DOGS), comment={"treewright": comment}.get)
    assert shown in tw.draw.html(parsed)
    assert shown in tw.draw.html(read)
    assert "<abbr" not in tw.draw.html(DOGS)


def test_without_the_script_words_heads_and_labels_can_be_read() -> None:
    page = tw.draw.html([DOGS, TREE])
    assert "<pre>1\tDogs\t2\tnsubj\n2\tbark\t0\troot</pre>" in page
    assert "<pre>(S (NP (DT The) (NN dog))" in page


def test_sentences_are_written_before_the_next_is_read() -> None:
    read = []

    def sentences() -> Iterator[tuple[Any, dict[str, Any]]]:
        for sentence in (DOGS, CATS):
            read.append(sentence)
            yield sentence, {}

    parts = html_parts(sentences())
    assert "<!doctype html>" in next(parts)
    assert 'id="s1"' in next(parts)
    assert read == [DOGS]


def test_every_arc_is_in_every_layout() -> None:
    dice = random.Random(1)
    for _ in range(60):
        data = data_of(random_scene(dice), WIDTHS)
        for _, _, rows in data["layouts"]:
            drawn = Counter(i for row in rows for strokes in row[7:] for i in strokes[::3])
            row_of = {word: k for k, row in enumerate(rows) for word in range(row[0], row[1] + 1)}
            assert len(row_of) == len(data["words"])
            for i, (head, modifier, *_) in enumerate(data["arcs"]):
                assert drawn[i] == 1 + (head > 0 and row_of[head] != row_of[modifier])


def test_layouts_fit_their_widths_and_the_widest_is_first() -> None:
    words: dict[str, Any] = {"forms": ["word"] * 40, "heads": [0, *range(1, 40)], "deprels": ["label"] * 40}
    layouts = data_of(scene_of(**words), WIDTHS)["layouts"]
    assert len(layouts) == len(WIDTHS)
    for (inner, _, _), width in zip(layouts, WIDTHS[::-1], strict=True):
        assert 0.7 * width < inner + 2 * MARGIN <= width


def test_a_layout_for_several_widths_is_written_once() -> None:
    assert len(data_of(scene_of(DOGS), WIDTHS)["layouts"]) == 1
    assert len(data_of(phrases_of(TREE), (2000, 1300))["layouts"]) == 1
    assert len(data_of(phrases_of(TREE), (2000, 260))["layouts"]) == 2


def test_a_sentence_takes_less_than_3_kb_on_average() -> None:
    sample = list(tw.read(Path(__file__).parents[2] / "examples" / "sample.conllu"))
    _, *articles, _ = html_parts((sentence, {}) for sentence in sample)
    assert sum(len(sentence.forms) for sentence in sample) / len(sample) >= 9  # English-EWT, test, has 12
    assert sum(len(article.encode()) for article in articles) / len(sample) < 3000 * 9 / 12


def test_the_style_sheet_and_the_scripts_are_on_the_page_once() -> None:
    begin, first, *_ = html_parts([(DOGS, {}), (CATS, {})])
    assert len(begin) < 40_000
    assert ".treewright .arc" in begin
    assert ".treewright" not in first


def test_given_arcs_are_marked_and_completed_ones_are_not() -> None:
    partial = SimpleNamespace(forms=DOGS.forms, heads=[2, -1])
    page = tw.draw.html(DOGS, given=partial)
    arcs = Elements(page).drawings()[0]["arcs"]
    assert [CONSTANTS["STYLES"][arc[2]] for arc in arcs] == ["given", "tree"]
    assert [arc[7:8] for arc in arcs] == [[" •"], []]
    assert "• given" in page


def test_trees_and_sentences_share_a_page() -> None:
    sentence, tree = Elements(tw.draw.html([DOGS, TREE])).drawings()
    assert "words" in sentence
    assert [node[1] for node in tree["nodes"]][:4] == ["S", "NP", "DT", "The"]


def test_right_to_left_text_is_marked_so() -> None:
    elements = Elements(tw.draw.html([SimpleNamespace(forms=["שלום", "עולם"], heads=[0, 1]), DOGS]))
    texts = [paragraph for paragraph in elements.all("p") if paragraph.get("class") == "text"]
    assert [text.get("dir") for text in texts] == ["rtl", None]
    assert [drawing.get("rtl") for drawing in elements.drawings()] == [1, None]


def test_what_cannot_be_drawn_is_named_by_its_number() -> None:
    with pytest.raises(InputError, match=r"^sentence 2: heads: word 1 has head 5"):
        tw.draw.html([DOGS, SimpleNamespace(forms=["x"], heads=[5])])
    with pytest.raises(InputError, match="gold has only 1 sentences; each needs one of gold to compare with"):
        tw.draw.html([DOGS, CATS], gold=[DOGS])
    with pytest.raises(InputError, match="there are only 1 sentences"):
        tw.draw.html([DOGS], gold=[DOGS, CATS])


def run_script(names: tuple[str, ...], expression: str, given: Any) -> Any:
    """The value of an expression over `given`, with scripts of the page loaded; needs Node.js."""
    node = shutil.which("node")
    assert node, "this test runs the script of the page: install Node.js"
    loaded = "\n".join((files("treewright.draw") / name).read_text("utf-8") for name in names)
    script = f"const C = {in_script(CONSTANTS)};\n{loaded}\nconst given = JSON.parse(require('fs').readFileSync(0));"
    script += f"console.log(JSON.stringify({expression}))"
    result = run_process(
        [node, "-e", script], input=json.dumps(given), capture_output=True, check=True, encoding="utf-8"
    )
    return json.loads(result.stdout)


def drawn_by_script(scenes: list[tuple[Scene | Phrases, int]]) -> list[str]:
    """The SVG that the script of the page makes for each scene at its width."""
    given = [(data_of(scene, (width,)), scene.title) for scene, width in scenes]
    expression = "given.map(([data, title]) => drawing(data, title, data.layouts[0]))"
    return list(run_script(("drawing.js",), expression, given))


@pytest.mark.slow
def test_the_script_draws_what_draw_svg_draws() -> None:
    dice = random.Random(2)
    scenes: list[tuple[Scene | Phrases, int]] = [
        (random_scene(dice), width) for _ in range(150) for width in (300, 600, 2000)
    ]
    scenes += [(scene_of(EVIL), 300), (scene_of(EVIL), 2000)]
    directions: tuple[Direction, ...] = ("ltr", "rtl")
    for direction in directions:
        tree = phrases_of(TREE, gold=TREE_GOLD, direction=direction)
        scenes += [(tree, 300), (tree, 2000)]
    for (scene, width), drawn in zip(scenes, drawn_by_script(scenes), strict=True):
        draw: Any = phrase_svg if isinstance(scene, Phrases) else dependency_svg
        assert drawn == draw(scene, width=width, style=False, with_legend=False)


def test_marked_words_and_arcs_are_drawn_so() -> None:
    drawing = tw.draw.svg(DOGS, marks=[2, (2, 1)])
    assert re.findall(r'class="(form[^"]*)"', drawing) == ["form", "form marked"]
    assert re.findall(r'class="(arc [^"]*)"', drawing) == ["arc tree marked", "arc tree"]
    assert ".form.marked" in drawing
    assert ".form.marked" not in tw.draw.svg(DOGS)
    assert "[bark]" in tw.draw.text(DOGS, marks=[2, (2, 1)])


def test_marks_are_in_the_data_of_a_page() -> None:
    (dogs, cats) = Elements(tw.draw.html([DOGS, CATS], marks=[[2, (2, 1)], []])).drawings()
    assert dogs["markedWords"] == [2]
    assert dogs["markedArcs"] == [0]
    assert "markedWords" not in cats


@pytest.mark.parametrize(
    ("query", "words", "arcs"),
    [("bark", [2], []), ("nsubj", [], [0]), ("VERB -> nsubj", [2, 1], [0]), ("", [], []), ("-> dog", [2, 1], [0])],
)
def test_the_filter_of_a_page_marks_what_it_finds(query: str, words: list[int], arcs: list[int]) -> None:
    data = data_of(scene_of(DOGS, with_details=True), (300,))
    expression = "(({ terms, arcs }) => [mark(given[0], terms, arcs), given[0].markedWords, given[0].markedArcs])"
    changed, *marks = run_script(("drawing.js", "filter.js"), f"{expression}(parsed(given[1]))", [data, query])
    assert changed
    assert marks == [words, arcs]


def test_the_filter_keeps_the_marks_that_a_page_was_made_with() -> None:
    data = data_of(scene_of(DOGS, marks=[1]), (300,))
    expression = "[mark(given, ['bark'], []), given.markedWords, mark(given, [], []), given.markedWords]"
    assert run_script(("filter.js",), expression, data) == [True, [1, 2], True, [1]]

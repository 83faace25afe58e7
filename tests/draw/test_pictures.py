"""What people see: drawings as golden files, and laws that hold for any sentence."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.dom import minidom

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.draw.measure import columns
from treewright.errors import InputError

LONG = (
    "When the committee that had been appointed in March finally published its report on the flood , nobody who had "
    "read the earlier drafts was surprised that the recommendations , which the mayor had opposed from the start , "
    "were left out ."
)
LONG_HEADS = [11, 3, 11, 7, 7, 7, 3, 9, 7, 11, 26, 13, 11, 16, 16, 13, 11, 26, 21, 21, 18, 24, 24, 21, 26, 0, 41, 29]
LONG_HEADS += [41, 35, 35, 33, 35, 35, 29, 38, 38, 35, 35, 41, 26, 41, 26]
LONG_LABELS = (
    "mark det nsubj nsubj:pass aux aux:pass acl:relcl case obl advmod advcl nmod:poss obj case det nmod punct nsubj "
    "nsubj aux acl:relcl det amod obj cop root mark det nsubj:pass punct obj det nsubj aux acl:relcl case det obl "
    "punct aux:pass ccomp compound:prt punct"
)

PROJECTIVE = {
    "forms": ["The", "old", "gardener", "has", "planted", "a", "pear", "tree", "behind", "the", "wall", "."],
    "upos": ["DET", "ADJ", "NOUN", "AUX", "VERB", "DET", "NOUN", "NOUN", "ADP", "DET", "NOUN", "PUNCT"],
    "heads": [3, 3, 5, 5, 0, 8, 8, 5, 11, 11, 5, 5],
    "deprels": ["det", "amod", "nsubj", "aux", "root", "det", "compound", "obj", "case", "det", "obl", "punct"],
}
SAW: dict[str, Any] = {
    "forms": ["The", "dog", "saw", "a", "cat"],
    "heads": [2, 3, 0, 5, 3],
    "deprels": ["det", "nsubj", "root", "det", "obj"],
}

SENTENCES: dict[str, dict[str, Any]] = {
    "projective": PROJECTIVE,
    "nonprojective": {
        "forms": ["A", "meeting", "is", "planned", "about", "the", "bridge", "tomorrow", "."],
        "heads": [2, 4, 4, 0, 7, 7, 2, 4, 4],
        "deprels": ["det", "nsubj:pass", "aux:pass", "root", "case", "det", "nmod", "obl", "punct"],
    },
    "graph": {
        "forms": ["She", "wants", "to", "bake", "and", "eat", "bread"],
        "heads": [2, 0, 4, 2, 6, 4, 4],
        "deprels": ["nsubj", "root", "mark", "xcomp", "cc", "conj", "obj"],
        "graph": [(2, 1, "nsubj"), (4, 1, "nsubj:xsubj"), (6, 1, "nsubj:xsubj"), (0, 2, "root"), (4, 3, "mark")]
        + [(2, 4, "xcomp"), (6, 5, "cc"), (4, 6, "conj:and"), (4, 7, "obj"), (6, 7, "obj")],
    },
    "gapping": {
        "forms": ["Sue", "likes", "coffee", "and", "Bill", "tea"],
        "heads": [2, 0, 2, 5, 2, 5],
        "deprels": ["nsubj", "root", "obj", "cc", "conj", "orphan"],
        "graph": [(2, 1, "nsubj"), (0, 2, "root"), (2, 3, "obj"), ("5.1", 4, "cc"), ("5.1", 5, "nsubj")]
        + [(2, "5.1", "conj:and"), ("5.1", 6, "obj")],
    },
    "arabic": {
        "forms": ["كتب", "الولد", "رسالة", "طويلة", "إلى", "صديقه", "."],
        "upos": ["VERB", "NOUN", "NOUN", "ADJ", "ADP", "NOUN", "PUNCT"],
        "heads": [0, 1, 1, 3, 6, 1, 1],
        "deprels": ["root", "nsubj", "obj", "amod", "case", "obl", "punct"],
    },
    "hebrew-wrapped": {
        "forms": ["הילדה", "הקטנה", "קראה", "ספר", "ישן", "ליד", "החלון", "הגדול", "."],
        "heads": [3, 1, 0, 3, 4, 7, 3, 7, 3],
        "deprels": ["nsubj", "amod", "root", "obj", "amod", "case", "obl", "amod", "punct"],
    },
    "japanese": {
        "forms": ["花子", "は", "古い", "本", "を", "読ん", "だ", "。"],
        "heads": [6, 1, 4, 6, 4, 0, 6, 6],
        "deprels": ["nsubj", "case", "acl", "obj", "case", "root", "aux", "punct"],
    },
    "long": {"forms": LONG.split(), "heads": LONG_HEADS, "deprels": LONG_LABELS.split()},
    "difference": {
        **SAW,
        "heads": [2, 3, 0, 3, 2],
        "deprels": ["det", "obl", "root", "case", "iobj"],
        "gold": SimpleNamespace(**SAW),
    },
    "confidence": {**SAW, "confidence": [0.998, 0.97, 0.8, 0.31, 0.6]},
    "partial": {**SAW, "heads": [2, -1, 4, 3, 5], "deprels": ["det", "nsubj", "_", "_", "obj"]},
    "tokens": {
        "sentence": SimpleNamespace(
            forms=["Vamos", "nos", "a", "el", "mar", "."],
            heads=[0, 1, 5, 5, 1, 1],
            deprels=["root", "obj", "case", "det", "obl", "punct"],
            tokens=[SimpleNamespace(first=1, last=2, form="Vámonos"), SimpleNamespace(first=3, last=4, form="al")],
            text="Vámonos al mar.",
            sent_id="mar-1",
        ),
        "features": ["id"],
    },
    "rubbish": {
        "forms": [
            "\x1b[31mred",
            "<script>alert('&')</script>",
            "a\nb",
            "👩‍👩‍👧",
            "e\u0301te\u0301",
            "\u202eabc",
            "x" * 90,
        ],
        "heads": [2, 0, 2, 2, 4, 4, 2],
        "deprels": ["a&b", "<root>", "\x00", '"', "_", "", "long" * 20],
    },
}
TREE = (
    "S",
    ("NP", ("DT", "The"), ("JJ", "old"), ("NN", "gardener")),
    (
        "VP",
        ("VBD", "saw"),
        ("NP", ("NP", ("DT", "a"), ("NN", "bird")), ("PP", ("IN", "in"), ("NP", ("DT", "the"), ("NN", "tree")))),
    ),
    (".", "."),
)
TREE_GOLD = (
    "S",
    ("NP", ("DT", "The"), ("JJ", "old"), ("NN", "gardener")),
    (
        "VP",
        ("VBD", "saw"),
        ("NP", ("DT", "a"), ("NN", "bird")),
        ("PRT", ("IN", "in"), ("NX", ("DT", "the"), ("NN", "tree"))),
    ),
    (".", "."),
)
PHRASES: dict[str, dict[str, Any]] = {
    "phrases": {"sentence": TREE},
    "phrases-difference": {"sentence": TREE, "gold": TREE_GOLD},
    "phrases-arabic": {
        "sentence": ("S", ("VP", ("V", "كتب"), ("NP", ("N", "الولد")), ("NP", ("N", "رسالة"), ("A", "طويلة"))))
    },
}
EVERYTHING = SENTENCES | PHRASES
NARROW = {"hebrew-wrapped": (48, 380), "long": (100, 900), "rubbish": (80, 400)}


@pytest.mark.parametrize("name", EVERYTHING)
def test_text_is_drawn_as_it_was(name: str, golden: Callable[[str, str], None]) -> None:
    width = NARROW.get(name, (100, 0))[0]
    drawing = tw.draw.text(**EVERYTHING[name], width=width)
    assert max(map(columns, drawing.splitlines())) <= width
    golden(f"draw/{name}.txt", drawing + "\n")


@pytest.mark.parametrize("name", EVERYTHING)
def test_svg_is_drawn_as_it_was(name: str, golden: Callable[[str, str], None]) -> None:
    drawing = tw.draw.svg(**EVERYTHING[name], width=NARROW.get(name, (0, 960))[1])
    minidom.parseString(drawing)
    golden(f"draw/{name}.svg", drawing)


@pytest.mark.parametrize("name", ["projective", "graph", "difference", "phrases"])
def test_ascii_drawings_are_ascii(name: str, golden: Callable[[str, str], None]) -> None:
    drawing = tw.draw.text(**EVERYTHING[name], ascii=True)
    assert drawing.isascii()
    golden(f"draw/{name}-ascii.txt", drawing + "\n")


@pytest.mark.parametrize("name", ["difference", "confidence", "phrases-difference"])
def test_colour_changes_nothing_but_colour(name: str, golden: Callable[[str, str], None]) -> None:
    drawing = tw.draw.text(**EVERYTHING[name], color=True)
    golden(f"draw/{name}-colour.txt", drawing + "\n")
    without = re.sub(r"\x1b\[[\d;]*m", "", drawing).split("\n\n")[0]
    assert without == tw.draw.text(**EVERYTHING[name]).split("\n\n")[0]


@pytest.mark.parametrize("width", [45, 24])
def test_a_tree_too_wide_lies_on_its_side(width: int, golden: Callable[[str, str], None]) -> None:
    drawing = tw.draw.text(TREE, width=width)
    assert max(map(columns, drawing.splitlines())) <= width
    golden(f"draw/phrases-{width}.txt", drawing + "\n")
    golden(f"draw/phrases-{width}.svg", tw.draw.svg(TREE, width=10 * width))


def test_a_phrase_tree_may_be_any_object_with_label_and_children() -> None:
    tree = tw.Tree.parse("( (S (NP (DT The) (NN dog)) (VP (VBZ barks))))")
    assert tw.draw.text(tree) == tw.draw.text(("S", ("NP", ("DT", "The"), ("NN", "dog")), ("VP", ("VBZ", "barks"))))


def test_a_deep_tree_needs_no_stack() -> None:
    tree: Any = "word"
    for _ in range(3000):
        tree = ("X", tree)
    assert tw.draw.text(tree, width=None).count("X") == tw.draw.svg(tree, width=None).count(">X<") == 3000


@pytest.mark.parametrize(
    ("tree", "gold", "message"),
    [
        (("NP", ("DT",)), None, "the node 'DT' has no children"),
        (("NP", "dog"), ("NP", "cat"), "gold has other words than the tree"),
    ],
)
def test_trees_that_cannot_be_drawn_are_refused(tree: Any, gold: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.draw.svg(tree, gold=gold)


@settings(max_examples=60)
@given(st.lists(st.text(max_size=12), max_size=9), st.integers(0, 10**6), st.booleans())
def test_any_sentence_is_drawn(forms: list[str], seed: int, ascii: bool) -> None:
    dice = random.Random(seed)
    heads = [dice.randint(-1, len(forms)) for _ in forms]
    labels = [dice.choice(["", "x", "<&>", "\x00\ud800", "long:label"]) for _ in forms]
    columns_: dict[str, Any] = {
        "forms": forms,
        "heads": heads,
        "deprels": labels,
        "confidence": [dice.random() for _ in forms],
    }
    drawing = tw.draw.svg(**columns_, width=200)
    assert len(minidom.parseString(drawing).getElementsByTagName("text")) >= sum(map(bool, forms))
    assert drawing == tw.draw.svg(**columns_, width=200)
    for line in tw.draw.text(**columns_, width=100, ascii=ascii).splitlines():  # room for any one word and its arcs
        assert columns(line) <= 100


def test_a_thousand_words_are_drawn() -> None:
    words = [f"w{m}" for m in range(1, 1001)]
    drawing = tw.draw.text(forms=words, heads=[0, *range(1, 1000)], width=80)
    assert all(word in drawing for word in words)
    assert tw.draw.svg(forms=words, heads=[0, *range(1, 1000)]).count('class="form"') == 1000


def test_no_words_are_no_trouble() -> None:
    assert tw.draw.text(forms=[]) == "(no words)"
    minidom.parseString(tw.draw.svg(forms=[]))
    assert "0 sentences" in tw.draw.html([])


def test_a_decoded_tree_is_drawn() -> None:
    parse = tw.decode.tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    assert "│" in tw.draw.text(parse)
    assert "cats" in tw.draw.text(parse, forms=["chase", "cats"])


def test_a_decoded_graph_is_drawn_with_further_heads_below() -> None:
    graph = tw.decode.graph([[0, 9, 2, 1], [0, 0, 7, 6], [0, -3, 0, 8], [0, -3, -3, 0]])
    assert [sorted(heads) for heads in graph.heads] == [[], [0], [1], [1, 2]]
    drawing = tw.draw.text(graph, forms=["wants", "to", "win"])
    above, below = drawing.split("wants")
    assert (above.count("▼"), below.count("▲")) == (3, 1)


def test_svg_is_one_element_with_a_name_and_nothing_from_outside() -> None:
    drawing = tw.draw.svg(**SENTENCES["rubbish"])
    root = minidom.parseString(drawing).documentElement
    assert root is not None
    assert root.getAttribute("role") == "img"
    title = root.getElementsByTagName("title")[0].firstChild
    assert isinstance(title, minidom.Text)
    assert title.data.startswith("␛[31mred <script>")
    assert not re.search(r"<script|href|url\(|@import|\bid=", drawing)


def test_widths_too_small_to_draw_in_are_refused() -> None:
    with pytest.raises(InputError, match="width is 10; a drawing needs at least 20 columns"):
        tw.draw.text(**SAW, width=10)
    with pytest.raises(InputError, match="width is 10; a drawing needs at least 160 pixels"):
        tw.draw.svg(**SAW, width=10)


@pytest.mark.slow
def test_real_treebanks_are_drawn_within_their_width(data: Path) -> None:
    files = [*data.glob("ud/*/dev.conllu"), *data.glob("graphs/*/dev.conllu"), *data.glob("trees/*/dev.mrg")]
    assert files
    for file in files:
        for item in islice(tw.read_trees(file) if file.suffix == ".mrg" else tw.read(file), 100):
            options: dict[str, Any] = {} if file.suffix == ".mrg" else {"enhanced": True}
            assert max(map(columns, tw.draw.text(item, width=120, **options).splitlines())) <= 120
            minidom.parseString(tw.draw.svg(item, **options))


WITH_HEADS = ("S", ("NP", ("DT", "the"), ("NN", "dog")), ("VP", ("VBZ", "sees"), ("NP", ("PRP", "it"))))
HEADS = (2, 3, 0, 3)


def test_an_svg_has_the_branches_and_the_arcs_below_the_words() -> None:
    alone, both = tw.draw.svg(WITH_HEADS), tw.draw.svg(WITH_HEADS, heads=HEADS)
    assert both.count('class="branch"') == alone.count('class="branch"')
    assert (alone.count('<g class="arc'), both.count('<g class="arc')) == (0, 4)
    assert "sees → dog: no label" in both
    words = [float(y) for y in re.findall(r'<text class="form" x="\d+" y="(\d+)"', both)]
    tips = [float(y) for y in re.findall(r'<path class="tip" d="M\d+ (\d+)', both)]
    assert len(set(words)) == 1
    assert all(tip > words[0] for tip in tips)


def test_words_and_arrowheads_are_in_the_same_places() -> None:
    both = tw.draw.svg(WITH_HEADS, heads=HEADS)
    words = [int(x) for x in re.findall(r'<text class="form" x="(\d+)"', both)]
    tips = sorted(int(x) for x in re.findall(r'<path class="tip" d="M(\d+)', both))
    assert all(abs(word - tip) <= 20 for word, tip in zip(words, tips, strict=True))


def test_a_tree_on_its_side_has_its_dependencies_below() -> None:
    both = tw.draw.svg(WITH_HEADS, heads=HEADS, width=160)
    assert both.count("<svg ") == 3
    assert "sees → dog" in both


def test_text_latex_and_a_page_have_both() -> None:
    drawn = str(tw.draw.text(WITH_HEADS, heads=HEADS))
    assert drawn.count("dog") == 2
    assert r"\begin{forest}" in tw.draw.latex(WITH_HEADS, heads=HEADS)
    assert r"\begin{dependency}" in tw.draw.latex(WITH_HEADS, heads=HEADS)


def test_other_heads_than_words_are_an_error() -> None:
    with pytest.raises(ValueError, match="heads"):
        tw.draw.svg(WITH_HEADS, heads=[0])

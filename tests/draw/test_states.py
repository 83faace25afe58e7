"""Drawings for annotation: states of arcs, a cursor, hints, keys of MISC, and attributes for scripts."""

from __future__ import annotations

import re
from typing import Any
from xml.dom import minidom

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.corpus import Sentence
from treewright.draw.scene import STATES
from treewright.draw.style import SHAPES
from treewright.errors import InputError

HOSTILE = ["<script>", "a&b", "]]>", '"x', "\u202eabc"]
SAW: dict[str, Any] = {
    "forms": ["I", "saw", "her", "duck"],
    "upos": ["PRON", "VERB", "PRON", "NOUN"],
    "heads": [2, 0, 4, 2],
    "deprels": ["nsubj", "root", "nmod:poss", "obj"],
}
ALL = {(2, 1): "pinned", (0, 2): "suggested", (4, 3): "changed", (2, 4): "decided", (2, 3): "rejected"}


def arcs_of(drawing: str) -> list[dict[str, str]]:
    groups = minidom.parseString(drawing).getElementsByTagName("g")
    return [dict(group.attributes.items()) for group in groups if "data-head" in dict(group.attributes.items())]


def test_arcs_carry_their_word_their_head_and_their_state() -> None:
    drawing = tw.draw.svg(**SAW, states=ALL, data=True)
    found = {(int(arc["data-head"]), int(arc["data-word"])): arc["data-state"] for arc in arcs_of(drawing)}
    assert found == ALL
    assert all(arc["class"] == f"arc {arc['data-state']}" for arc in arcs_of(drawing))
    words = [
        text for text in minidom.parseString(drawing).getElementsByTagName("text") if text.hasAttribute("data-word")
    ]
    assert [text.getAttribute("data-word") for text in words if text.getAttribute("class") == "form"] == list("1234")
    assert "data-" not in tw.draw.svg(**SAW, states=ALL)


def test_an_arc_without_a_state_is_a_tree_arc_and_one_without_a_head_has_minus_one() -> None:
    drawing = tw.draw.svg(**{**SAW, "heads": [2, 0, -1, 2]}, data=True)
    found = sorted((arc["data-word"], arc["data-head"], arc["data-state"]) for arc in arcs_of(drawing))
    assert found == [("1", "2", "tree"), ("2", "0", "tree"), ("3", "-1", "tree"), ("4", "2", "tree")]


def test_empty_nodes_do_not_change_the_numbers_of_words() -> None:
    drawing = tw.draw.svg(
        forms=["Sue", "likes", "tea"],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "obj"],
        graph=[(2, 1, "nsubj"), (0, 2, "root"), (2, "2.1", "conj"), ("2.1", 3, "obj")],
        states={(2, 3): "decided"},
        data=True,
    )
    found = {(arc["data-head"], arc["data-word"]): arc["data-state"] for arc in arcs_of(drawing)}
    assert found["2", "3"] == "decided"
    assert found["2.1", "3"] == "extra"


@given(st.lists(st.sampled_from(HOSTILE), min_size=4, max_size=4), st.integers(1, 4))
def test_without_style_there_is_none_and_text_is_escaped(forms: list[str], cursor: int) -> None:
    hints = dict(enumerate(forms, 1))
    content = {**SAW, "forms": forms, "deprels": forms, "upos": forms}
    drawing = tw.draw.svg(**content, states=ALL, data=True, style=False, cursor=cursor, hints=hints)
    minidom.parseString(drawing)
    assert "<style" not in drawing
    assert " style=" not in drawing
    assert "<script" not in drawing
    assert drawing.count('class="cursor"') == 1


def test_drawings_of_phrases_have_no_style_either() -> None:
    drawing = tw.draw.svg(("S", ("NP", "dogs"), ("VP", "bark")), style=False)
    assert "style" not in drawing


def test_states_differ_in_their_lines_or_have_a_sign() -> None:
    lines = {state: tuple(re.findall(rf"\.{state} path[^{{]*{{([^}}]*)}}", SHAPES)) for state in STATES}
    assert len(set(lines.values())) == len(STATES)
    drawing = tw.draw.svg(**SAW, states=ALL)
    assert "obj<tspan" in drawing.replace("> <", "><")
    assert "•" in drawing
    assert "×" in drawing


def test_the_legend_explains_the_states_that_are_there() -> None:
    drawing = tw.draw.svg(**SAW, states=ALL)
    keys = re.findall(r'class="legend"[^>]*>([^<]*)<', drawing)
    assert keys == ["suggested", "• decided", "pinned", "changed by the last decision", "× rejected"]
    assert 'class="legend"' not in tw.draw.svg(**SAW, states=ALL, style=False)


def test_keys_of_misc_are_written_below_the_words() -> None:
    sentence = Sentence.from_words(
        ["Hunde", "bellen"], heads=[2, 0], upos=["NOUN", "VERB"], misc=["Gloss=dogs|SpaceAfter=No", "_"]
    )
    drawing = tw.draw.text(sentence, features=["upos", "misc:Gloss", "misc:Absent"])
    assert "dogs" in drawing
    assert "SpaceAfter" not in drawing


def test_hints_are_the_first_line_below_the_words() -> None:
    drawing = tw.draw.svg(**SAW, hints={1: "a", 4: "df"})
    assert re.findall(r'class="hint"[^>]*>([^<]*)<', drawing) == ["a", "df"]
    assert tw.draw.text(**SAW, hints={1: "a"}).splitlines()[-2].split() == ["a"]


def test_text_and_latex_show_states_too() -> None:
    assert "obj •" in tw.draw.text(**SAW, states=ALL)
    assert "dashed" in tw.draw.latex(**SAW, states=ALL)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"states": {(2, 1): "sure"}}, r"^states: arc \(2, 1\) is 'sure'; expected one of suggested, decided, pinned"),
        ({"states": {(9, 1): "decided"}}, r"^states: the sentence has no arc \(9, 1\)$"),
        ({"states": {(4, 1): "decided"}}, r"^states: arc \(4, 1\) is decided, but the tree does not have it$"),
        ({"cursor": 5}, r"^cursor: there is no word 5; words are 1\.\.4$"),
        ({"hints": {0: "a"}}, r"^hints: there is no word 0; words are 1\.\.4$"),
    ],
)
def test_what_does_not_fit_the_sentence_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tw.draw.svg(**SAW, **options)

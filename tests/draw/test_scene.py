"""From sentences and columns to scenes: what is drawn above and below, how it is marked, what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from treewright.draw.scene import Arc, scene_of
from treewright.errors import InputError

WORDS: dict[str, Any] = {"forms": ["Sue", "likes", "tea"], "heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}


def arcs(**options: Any) -> list[tuple[int, int, str, str, bool]]:
    return [(arc.head, arc.modifier, arc.label + arc.note, arc.kind, arc.below) for arc in scene_of(**options).arcs]


def test_columns_a_sentence_and_a_head_vector_say_the_same() -> None:
    sentence = SimpleNamespace(**WORDS)
    vector = np.array([-1, 2, 0, 2], np.int32)
    assert scene_of(sentence) == scene_of(**WORDS) == scene_of(**{**WORDS, "heads": vector})


def test_a_column_that_is_given_wins_over_the_sentence() -> None:
    scene = scene_of(SimpleNamespace(**WORDS), heads=[0, 1, 2])
    assert [arc.head for arc in scene.arcs] == [0, 1, 2]


def test_heads_alone_are_drawn_over_numbers() -> None:
    scene = scene_of(SimpleNamespace(heads=np.array([-1, 2, 0])))
    assert [word.form for word in scene.words] == ["1", "2"]
    assert [(arc.head, arc.modifier) for arc in scene.arcs] == [(2, 1), (0, 2)]


def test_words_without_a_head_have_no_arc_unless_their_label_is_known() -> None:
    found = arcs(forms=["a", "b", "c"], heads=[-1, None, 1], deprels=["_", "obj", "_"])
    assert found == [(-1, 2, "obj", "tree", False), (1, 3, "", "tree", False)]


def test_cycles_and_loops_are_drawn_as_they_are() -> None:
    assert [(arc.head, arc.is_stub) for arc in scene_of(forms="abc", heads=[2, 1, 3]).arcs] == [
        (2, False),
        (1, False),
        (3, True),
    ]


def test_arcs_are_judged_by_gold() -> None:
    gold = SimpleNamespace(forms=["Sue", "likes", "tea"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"])
    found = arcs(forms=gold.forms, heads=[2, 0, 1], deprels=["obl", "root", "obj"], gold=gold)
    assert found == [
        (2, 1, "obl → nsubj", "wrong-label", False),
        (0, 2, "root", "correct", False),
        (1, 3, "obj ×", "wrong-head", False),
        (2, 3, "obj", "missed", True),
    ]


def test_gold_may_be_heads_alone_or_leave_words_open() -> None:
    assert arcs(**WORDS, gold=SimpleNamespace(heads=[-1, 2, 0, 2])) == arcs(**WORDS, gold=[2, 0, 2])
    assert [kind for *_, kind, _ in arcs(**WORDS, gold=[2, 0, -1])] == ["correct", "correct", "tree"]


def test_a_word_that_was_left_open_misses_its_gold_arc() -> None:
    assert arcs(forms=["a"], heads=[-1], gold=[0]) == [(0, 1, "", "missed", True)]


def test_the_graph_goes_below_and_longer_labels_say_what_they_add() -> None:
    graph = [(2, 1, "nsubj"), (0, 2, "root"), (2, 3, "obj:of"), (3, 1, "ref"), (3, 2, "acl")]
    assert arcs(**WORDS, graph=graph) == [
        (2, 1, "nsubj", "tree", False),
        (0, 2, "root", "tree", False),
        (2, 3, "obj:of", "tree", False),
        (3, 1, "ref", "extra", True),
        (3, 2, "acl", "extra", True),
    ]


def test_an_arc_of_the_tree_that_the_graph_has_not_is_marked() -> None:
    found = arcs(**WORDS, graph=[(0, 2, "root"), (2, 3, "obj"), (3, 1, "nsubj")])
    assert found[0] == (2, 1, "nsubj", "basic", False)


def test_without_a_tree_the_first_parent_stands_above() -> None:
    found = arcs(forms=["a", "b", "c"], graph=[(0, 1, "x"), (1, 2, "y"), (3, 2, "z"), (2, 3, "u"), (1, 3, "v")])
    assert [(head, modifier) for head, modifier, *_, below in found if not below] == [(0, 1), (1, 2), (2, 3)]
    assert [(head, modifier) for head, modifier, *_, below in found if below] == [(3, 2), (1, 3)]


def test_the_graph_is_judged_too() -> None:
    gold = SimpleNamespace(**WORDS, graph=[(2, 1, "nsubj"), (0, 2, "root"), (2, 3, "obj"), (3, 1, "ref"), (1, 3, "x")])
    found = arcs(**WORDS, graph=[*gold.graph[:4], (3, 2, "y")], gold=gold)
    assert found[3:] == [(3, 1, "ref", "correct", True), (3, 2, "y ×", "wrong-head", True), (1, 3, "x", "missed", True)]


def test_a_sentence_keeps_its_graph_to_itself_until_asked() -> None:
    sentence = SimpleNamespace(**WORDS, graph=[(3, 1, "ref")])
    assert len(scene_of(sentence).arcs) == 3
    assert len(scene_of(sentence, enhanced=True).arcs) == 4


def test_empty_nodes_stand_between_words() -> None:
    node = SimpleNamespace(id="2.1", form="likes")
    scene = scene_of(
        SimpleNamespace(**WORDS, empty_nodes=[node], graph=[(0, "2.1", "root"), ("2.1", 3, "obj")]), enhanced=True
    )
    assert [(word.form, word.number, word.empty) for word in scene.words] == [
        ("Sue", "1", False),
        ("likes", "2", False),
        ("likes", "2.1", True),
        ("tea", "3", False),
    ]
    assert Arc(2, 4, "obj", "basic") in scene.arcs
    assert Arc(3, 4, "obj", "extra", below=True) in scene.arcs


def test_doubtful_arcs_say_how_doubtful_they_are() -> None:
    assert [label for _, _, label, *_ in arcs(**WORDS, confidence=[0.999, 0.42, None])] == ["nsubj", "root 42%", "obj"]


def test_features_are_lines_under_the_words() -> None:
    sentence = SimpleNamespace(
        **WORDS, upos=["PROPN", "VERB", "_"], lemmas=["Sue", "like", "tea"], feats=["A=1|B=2", "_", "_"]
    )
    notes = [word.notes for word in scene_of(sentence, features=["id", "lemma", "feats"]).words]
    assert notes == [("1", "Sue", "A=1", "B=2"), ("2", "like", ""), ("3", "tea", "")]
    assert [word.notes for word in scene_of(sentence).words] == [("PROPN",), ("VERB",), ("",)]
    assert [word.notes for word in scene_of(sentence, features={"gloss": ["x", "y", "z"]}).words] == [
        ("x",),
        ("y",),
        ("z",),
    ]
    assert [word.notes for word in scene_of(**WORDS).words] == [(), (), ()]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"nothing to draw: give a sentence, or forms and heads \(got NoneType\)"),
        ({"sentence": "the dog"}, r"nothing to draw.*got str"),
        ({"forms": "ab", "heads": [0]}, "heads has 1 entries for 2 words; give one a word"),
        ({"forms": "ab", "heads": [0, 3]}, "heads: word 2 has head 3; a head is between 0 .the root. and 2"),
        ({"forms": "ab", "heads": [0, -2]}, "heads: word 2 has head -2"),
        ({"forms": "ab", "deprels": ["x"]}, "deprels has 1 entries for 2 words"),
        ({"forms": "ab", "graph": [(3, 1, "x")]}, "graph has an arc with node 3; nodes are between 0 .the root. and 2"),
        ({"forms": "ab", "graph": [("x", 1, "x")]}, "graph has an arc with node x; a node is a number"),
        ({"forms": "ab", "gold": [0]}, "gold heads has 1 entries for 2 words"),
        ({"forms": "ab", "gold": SimpleNamespace(forms="abc", heads=None)}, "gold has 3 words, the sentence 2"),
        (
            {"forms": "ab", "gold": SimpleNamespace(forms="ax", heads=None)},
            "word 2 is 'x' in gold, 'b' in the sentence",
        ),
        ({"forms": "ab", "heads": [2, 0, 2]}, "heads has 3 entries for 2 words"),
        ({"forms": "ab", "features": ["colour"]}, "no column 'colour' to write under the words; known: id, upos"),
        ({"forms": "ab", "direction": "up"}, "direction is 'up'; it can be 'auto', 'ltr' or 'rtl'"),
        ({"forms": "ab", "confidence": [0.5, 2]}, "confidence of word 2 is 2; a probability is between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scene_of(**options)

"""A drawing is its text, shows itself, and saves itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import treewright as tw


def test_each_kind_shows_itself_in_a_notebook() -> None:
    svg = tw.draw.svg(forms=["Run"], heads=[0])
    assert svg._repr_svg_() == str(svg)
    assert svg._repr_html_() is None
    assert repr(svg).startswith("<Drawing: svg, ")
    html = tw.draw.html([])
    assert html._repr_svg_() is None
    assert str(html._repr_html_()).startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    text = tw.draw.text(forms=["Run"], heads=[0])
    assert repr(text) == str(text)
    assert text._repr_html_() is None


def test_sentences_and_trees_show_themselves_in_a_notebook() -> None:
    sentence = tw.Sentence.from_words(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
    assert sentence._repr_svg_() == str(tw.draw.svg(sentence))
    tree = tw.Tree.parse("(S (NP (NNS Dogs)) (VP (VBP bark)))")
    assert tree._repr_svg_() == str(tw.draw.svg(tree))


def test_save_writes_the_drawing_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tw.draw.svg(forms=["été"], heads=[0]).save(tmp_path / "word.svg")
    assert path.read_text(encoding="utf-8").startswith("<svg")
    assert [file.name for file in tmp_path.iterdir()] == ["word.svg"]


def test_a_failed_save_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        tw.draw.svg(forms=["x"], heads=[0]).save(tmp_path / "folder")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]

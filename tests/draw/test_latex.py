"""LaTeX of drawings: the environments, and text that LaTeX must not interpret."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

import treewright as tw

SAW = SimpleNamespace(
    forms=["She", "saw", "it"], upos=["PRON", "VERB", "PRON"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"]
)


def test_words_tags_and_arcs_are_written() -> None:
    assert tw.draw.latex(SAW).splitlines() == [
        r"\begin{dependency}",
        r"\begin{deptext}[column sep=1em]",
        r"She \& saw \& it \\",
        r"PRON \& VERB \& PRON \\",
        r"\end{deptext}",
        r"\depedge{2}{1}{nsubj}",
        r"\deproot{2}{root}",
        r"\depedge{2}{3}{obj}",
        r"\end{dependency}",
    ]


@pytest.mark.parametrize("sign", list("\\{}$&#%_~^[]"))
def test_no_character_of_a_word_or_label_is_interpreted(sign: str) -> None:
    """Without escaped characters and commands without arguments, none of the special ones is left."""
    drawing = tw.draw.latex(forms=[f"a{sign}b"], heads=[0], deprels=[f"c{sign}d"])
    cell, root = drawing.splitlines()[2], drawing.splitlines()[4]
    for text in (cell.removesuffix(r" \\"), root.removeprefix(r"\deproot{1}{").removesuffix("}")):
        plain = re.sub(r"\\text[a-z]+\{\}|\\[{}$&#%_]|\{[\[\]]\}", "", text)
        assert plain in ("ab", "cd")


def test_differences_and_extra_arcs_have_styles_of_their_own() -> None:
    found = SimpleNamespace(**{**vars(SAW), "heads": [3, 0, 2]})
    drawing = tw.draw.latex(found, gold=SAW)
    assert r"\depedge[edge style={very thick}]{3}{1}{nsubj $\times$}" in drawing
    assert r"\depedge[edge style={dashed}, edge below]{2}{1}{nsubj}" in drawing


def test_phrases_are_nested_as_in_the_tree() -> None:
    tree = ("S", ("NP", ("DT", "The"), ("NN", "dog")), ("VP", ("VBZ", "barks, [loudly]")))
    assert tw.draw.latex(tree).splitlines() == [
        r"\begin{forest}",
        "[{S} [{NP} [{DT} [{The}]] [{NN} [{dog}]]] [{VP} [{VBZ} [{barks, {[}loudly{]}}]]]]",
        r"\end{forest}",
    ]

"""Completion of partial trees."""

from __future__ import annotations

import pytest
from oracles.phrases import SEEING_TREES

from treewright.corpus import Tree
from treewright.errors import InputError
from treewright.grammar import LatentGrammar, complete
from treewright.grammar.completion import ConstrainedGrammar


def trees() -> list[Tree]:
    return [Tree.parse(text) for text in SEEING_TREES]


@pytest.fixture(scope="module")
def grammar() -> ConstrainedGrammar:
    return LatentGrammar.train(trees(), rounds=1)


@pytest.mark.parametrize("text", SEEING_TREES)
def test_a_full_tree_is_its_own_completion(grammar: ConstrainedGrammar, text: str) -> None:
    completed = complete(grammar, Tree.parse(text))
    assert f"( {completed.tree})" == text
    assert (completed.phrases_filled_in, completed.tags_filled_in) == (0, 0)


@pytest.mark.parametrize("text", SEEING_TREES)
def test_every_part_of_a_tree_that_is_given_stays(grammar: ConstrainedGrammar, text: str) -> None:
    """Each phrase alone, and each tag alone, over words that are otherwise open."""
    [whole] = Tree.parse(text).children
    assert isinstance(whole, Tree)
    words = whole.leaves()
    for label, first, last in whole.spans():
        partial = Tree("", [*words[:first], Tree(label, words[first:last]), *words[last:]])
        assert (label, first, last) in complete(grammar, partial).tree.spans()
    for place, tag in enumerate(whole.tags()):
        partial = Tree("", [*words[:place], Tree(tag, [words[place]]), *words[place + 1 :]])
        assert complete(grammar, partial).tree.tags()[place] == tag


def test_an_open_label_is_a_phrase_over_its_words(grammar: ConstrainedGrammar) -> None:
    completed = complete(grammar, Tree.parse("(S she saw (_ the dog with the glass) .)"))
    assert ("NP", 2, 7) in completed.tree.spans()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP (-NONE- *)) it)", "has a trace"),
        ("(S (XP it rains) .)", "no label 'XP'"),
        ("(S (NP the dog) saw (NP cat .))", "no tree with these constraints"),
    ],
)
def test_what_cannot_be_completed_is_named(grammar: ConstrainedGrammar, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        complete(grammar, Tree.parse(text))

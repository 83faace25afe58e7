"""Trees as model 1 generates them: base phrases, punctuation, and back."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.phrases import random_penn_tree

from treewright.corpus import Tree
from treewright.grammar import HeadRules, dependencies
from treewright.grammar.preparation import prepare, restore

RULES = HeadRules.load("english")


def prepared(text: str) -> str:
    tree = prepare(Tree.parse(text), RULES)
    assert tree is not None
    return str(tree)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(S (NP (NN a)) (VP (VB b)) (. .))", "(S (NP (NPB (NN a))) (VP (VB b)))"),
        ("(NP (NP (NN a)) (PP (IN b) (NP (NN c))))", "(NP (NPB (NN a)) (PP (IN b) (NP (NPB (NN c)))))"),
        ("(NP (NP (NNP a) (POS 's)) (NN b))", "(NP (NPB (NP (NPB (NNP a) (POS 's))) (NN b)))"),
        ("(NP (NN a) (S (VP (TO to) (VP (VB b)))))", "(NP (NPB (NN a)) (S (VP (TO to) (VP (VB b)))))"),
        ("(S (PP (IN a) (NP (NN b) (, ,))) (VP (VB c)))", "(S (PP (IN a) (NP (NPB (NN b)))) (, ,) (VP (VB c)))"),
        ("(S (`` ``) (NP (NN a)) ('' '') (VP (VB b)))", "(S (NP (NPB (NN a))) (VP (VB b)))"),
    ],
)
def test_preparation_follows_the_published_steps(text: str, expected: str) -> None:
    assert prepared(text) == expected


def test_a_tree_of_dropped_words_is_none() -> None:
    assert prepare(Tree.parse("(S (. .))"), RULES) is None


def without_raised(tree: Tree) -> bool:
    """Whether no comma or colon is at an edge of a phrase below the root."""
    phrases = [node for node in tree.subtrees() if node is not tree and not node.is_preterminal()]
    edges = [child for node in phrases for child in (node.children[0], node.children[-1])]
    return not any(isinstance(child, Tree) and child.label in RULES.raised for child in edges)


@pytest.mark.parametrize("seed", range(20))
def test_preparation_keeps_words_and_dependencies_and_can_be_undone(seed: int) -> None:
    tree = random_penn_tree(np.random.default_rng(seed), RULES)
    found = prepare(tree, RULES)
    assert found is not None
    dropped = [tag if tag in RULES.dropped else None for tag in tree.tags()]
    kept = [place + 1 for place, tag in enumerate(dropped) if tag is None]
    assert found.leaves() == [tree.leaves()[place - 1] for place in kept]
    again = restore(found, RULES, tree.leaves(), dropped)
    assert again.leaves() == tree.leaves()
    assert without_raised(again)
    before, after = dependencies(tree, RULES), dependencies(found, RULES)
    for new, old in enumerate(kept, 1):
        if tree.tags()[old - 1] not in RULES.raised:
            head = int(after[new])
            assert before[old] == (kept[head - 1] if head else 0)


def test_restoring_a_prepared_tree_without_punctuation_gives_the_tree() -> None:
    text = "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NNP Ann)))) (VP (VBZ sleeps)) (. .))"
    tree = Tree.parse(text)
    found = prepare(tree, RULES)
    assert found is not None
    assert restore(found, RULES, tree.leaves(), [None] * 5 + ["."]) == tree

"""Trees into other trees: what each change does, and that its inverse undoes it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.phrases import some_nested, spelled

import treewright as tw
from treewright.corpus import binarise, bracket_word, debinarise, drop_root, strip_functions, strip_traces
from treewright.errors import FormatError

SEEDS = st.integers(0, 1 << 32)


def some_tree(seed: int) -> tw.Tree:
    return tw.Tree.parse(spelled(some_nested(Random(seed)), Random(seed)))


@given(SEEDS)
@settings(max_examples=200, deadline=None)
def test_debinarise_undoes_binarise(seed: int) -> None:
    tree = some_tree(seed)
    binary = binarise(tree)
    assert all(len(node.children) <= 2 for node in binary.subtrees())
    assert binary.leaves() == tree.leaves()
    back = debinarise(binary)
    assert back == tree
    assert str(back) == str(tree)


def words_without_traces(tree: tw.Tree) -> list[str]:
    if tree.is_preterminal() and tree.label == "-NONE-":
        return []
    words = ([child] if isinstance(child, str) else words_without_traces(child) for child in tree.children)
    return [word for some in words for word in some]


@given(SEEDS)
@settings(max_examples=200, deadline=None)
def test_without_traces_no_node_is_empty(seed: int) -> None:
    tree = some_tree(seed)
    stripped = strip_traces(tree)
    nodes = [] if stripped is None else list(stripped.subtrees())
    assert all(node.children for node in nodes)
    assert [word for node in nodes[:1] for word in node.leaves()] == words_without_traces(tree)


def test_binary_trees_branch_to_the_left() -> None:
    tree = tw.Tree.parse("(X (A a) (B b) (C c) (D d))")
    assert str(binarise(tree)) == "(X (@X (@X (A a) (B b)) (C c)) (D d))"
    with pytest.raises(
        FormatError, match="<tree>:1: the label '@X' begins with @; only nodes that binarise puts in may"
    ):
        binarise(binarise(tree))
    with pytest.raises(FormatError, match="<text>:1: the root is @X, a node that binarise puts in below another"):
        debinarise(tw.Tree.parse("(@X (A a) (B b))"))


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("ADVP|PRT", "ADVP"),
        ("S^X", "S"),
        ("-LRB-", "-LRB-"),
        ("NP", "NP"),
        ("", ""),
    ],
)
def test_functions_are_cut_off(label: str, category: str) -> None:
    tree = tw.Tree(label, [tw.Tree("N-D", ["dogs"])])
    assert strip_functions(tree).label == category
    assert strip_functions(tree).tags() == ["N-D"]


def test_of_a_tree_of_traces_nothing_is_left() -> None:
    assert strip_traces(tw.Tree.parse("(S (NP (-NONE- *)))")) is None


def test_an_untouched_tree_is_the_tree_itself() -> None:
    tree = tw.Tree.parse("(S\n  (NP (NN dogs))\n  (VP (VBP bark)))\n")
    assert strip_functions(tree) is strip_traces(tree) is binarise(tree) is tree
    assert debinarise(tree) is tree
    assert binarise(tree).written() == "(S\n  (NP (NN dogs))\n  (VP (VBP bark)))\n"


@pytest.mark.parametrize("wrapper", ["", "ROOT", "S1", "TOP"])
def test_a_wrapper_with_one_child_is_dropped(wrapper: str) -> None:
    tree = tw.Tree.parse("(S (VB go))")
    assert drop_root(tw.Tree(wrapper, [tree])) == tree == drop_root(tree)
    two = tw.Tree.parse("( (S (VB go)) (. .))")
    assert drop_root(two) is two


@given(st.text(st.sampled_from("ab()[]{}*/é"), min_size=1))
def test_words_survive_brackets(word: str) -> None:
    leaf = bracket_word(word)
    assert tw.Tree.parse(f"(N {leaf})").leaves() == [leaf]


def test_deep_trees_change_without_recursion() -> None:
    depth = 10_000
    tree = tw.Tree.parse("(A-B " * depth + "(-NONE- *) (C c) (D d) (E e)" + ")" * depth)
    assert strip_functions(tree).label == "A"
    stripped = strip_traces(tree)
    assert stripped is not None
    assert len(stripped.leaves()) == 3
    assert debinarise(binarise(tree)) == tree


@given(SEEDS, st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_inserted_nodes_remember_the_children_nearest_to_the_outside(seed: int, siblings: int) -> None:
    tree = some_tree(seed)
    binary = binarise(tree, siblings=siblings)
    assert debinarise(binary) == tree
    for node in binary.subtrees():
        if node.label.startswith("@") and siblings:
            outer = node.children[-1]
            assert node.label.endswith("|" + (outer if isinstance(outer, str) else outer.label))


def test_siblings_must_be_a_number_of_children() -> None:
    with pytest.raises(ValueError, match="siblings is -1; expected a number of children, 0 or more"):
        binarise(tw.Tree.parse("(S (A a))"), siblings=-1)

"""Trees as grammars are trained on them: what is removed, what is refused, and that binarisation can be undone."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.phrases import some_nested, spelled

import treewright as tw
from treewright.corpus import debinarise
from treewright.corpus.transforms import rebuild
from treewright.errors import FormatError, InputError
from treewright.grammar import Markov, trees_of
from treewright.grammar.trees import binarise_tree, plain_label, prepare_tree
from treewright.grammar.words import Vocabulary, signature

SEEDS = st.integers(0, 1 << 32)
MARKOVS = st.builds(Markov, st.integers(1, 3), st.integers(0, 2), st.booleans())


def some_tree(seed: int) -> tw.Tree:
    return tw.Tree.parse(spelled(some_nested(Random(seed)), Random(seed)))


def some_prepared(seed: int) -> tw.Tree | None:
    """A random tree prepared; None if it is one of those that are refused."""
    try:
        return prepare_tree(some_tree(seed))
    except FormatError:
        return None


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_a_prepared_tree_has_one_word_a_tag_no_functions_and_no_repetition(seed: int) -> None:
    tree = some_prepared(seed)
    if tree is None:
        return
    assert tree.label == "ROOT"
    bare = tw.corpus.strip_traces(some_tree(seed))
    assert bare is not None
    assert tree.leaves() == bare.leaves()
    for node in tree.subtrees():
        if node.is_preterminal():
            assert len(node.children) == 1
            continue
        assert node.label[0] in "-=|" or not set("-=|") & set(node.label)
        assert all(isinstance(child, tw.Tree) for child in node.children)
        only = node.children[0]
        if len(node.children) == 1 and isinstance(only, tw.Tree) and not only.is_preterminal():
            assert only.label != node.label
    assert prepare_tree(tree) == tree


@given(SEEDS, MARKOVS)
@settings(max_examples=150, deadline=None)
def test_restoring_undoes_binarisation(seed: int, markov: Markov) -> None:
    tree = some_prepared(seed)
    if tree is None:
        return
    binary = binarise_tree(tree, markov)
    assert all(len(node.children) <= 2 for node in binary.subtrees())
    restored = rebuild(debinarise(binary), lambda node, children: [tw.Tree(plain_label(node.label), children)])
    assert restored == [tree]


def test_labels_name_as_much_context_as_they_are_asked_to() -> None:
    tree = prepare_tree(tw.Tree.parse("(S (NP (DT a) (JJ b) (JJ c) (NN d)) (VP (VB e)))"))
    found = str(binarise_tree(tree, Markov(vertical=3, horizontal=2, tags=True)))
    assert found == (
        "(ROOT (S^ROOT (NP^S^ROOT (@NP^S^ROOT|JJ^NP|JJ^NP (@NP^S^ROOT|DT^NP|JJ^NP (DT^NP a) (JJ^NP b)) (JJ^NP c)) "
        "(NN^NP d)) (VP^S^ROOT (VB^VP e))))"
    )


def test_several_words_below_a_tag_have_the_tag_each() -> None:
    assert str(prepare_tree(tw.Tree.parse("(NP (NN ice cream))"))) == "(ROOT (NP (NN ice) (NN cream)))"
    assert str(prepare_tree(tw.Tree.parse("(NN ice cream)"))) == "(ROOT (NN ice) (NN cream))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP (-NONE- *)))", "the tree has no words, only traces; remove it"),
        ("(S (NP (S (VB go))))", "unary cycle: ROOT over S over NP over S, all over the same words; keep one S or"),
        ("(S the (NN dog))", "the word 'the' stands beside phrases below S; give it a tag of its own"),
        ("(S (@NP (NN dog)))", "the label '@NP' has a sign of the grammar's own labels (@ in front, or ^); rename it"),
        ("(S (N^P dog))", "the label 'N^P' has a sign of the grammar's own labels"),
        ("(S (-NONE- (NN dog)))", "-NONE-, the tag of traces, stands over other nodes; give it only one word"),
        ("(S ( (NN dog)))", "a node below the root has no label; give it one"),
    ],
)
def test_trees_that_no_grammar_is_trained_on_are_named_by_file_and_line(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "some.mrg"
    path.write_text(f"(S (VB go))\n{text}\n")
    with pytest.raises(FormatError) as caught:
        trees_of(path)
    assert str(caught.value).startswith(f"{path}:2: {message}")
    found, errors = trees_of(path, skip_bad=True)
    assert [str(tree) for tree in found] == ["(ROOT (S (VB go)))"]
    assert [error.line for error in errors] == [2]


def test_unbalanced_brackets_are_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "some.mrg"
    path.write_text("(S (VB go))\n(S (VB go)\n")
    with pytest.raises(FormatError, match=rf"{path}:2: the tree that begins here is not complete"):
        trees_of(path)


def test_what_is_no_tree_is_named() -> None:
    with pytest.raises(InputError, match=r"trees\[0\] is str; expected a treewright Tree"):
        trees_of(iter(["(S (VB go))"]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "first", "known", "expected"),
    [
        ("Kinase", False, False, "UNK-CAPS"),
        ("Kinase", True, False, "UNK-INITC"),
        ("Kinase", True, True, "UNK-INITC-KNOWNLC"),
        ("mRNA", False, False, "UNK-LC"),
        ("2A", False, False, "UNK-CAPS-NUM"),
        ("3.5", False, False, "UNK-NUM"),
        ("cats", False, False, "UNK-LC-s"),
        ("basis", False, False, "UNK-LC"),
        ("is", False, False, "UNK-LC"),
        ("walking", False, False, "UNK-LC-ing"),
        ("fly", False, False, "UNK-LC"),
        ("early", False, False, "UNK-LC-ly"),
        ("over-easy", False, False, "UNK-LC-DASH"),
    ],
)
def test_signatures_are_those_of_the_table(word: str, first: bool, known: bool, expected: str) -> None:
    assert signature(word, is_first=first, is_known_in_lower_case=known) == expected


def test_a_vocabulary_knows_words_from_its_minimum_on() -> None:
    words = Vocabulary.of([["a", "b"], ["a"]], min_count=2)
    assert words.names(["a", "b", "A", "Bars"]) == ["a", "UNK-LC", "UNK-CAPS", "UNK-CAPS-s"]
    assert words.names(["A"]) == ["UNK-INITC-KNOWNLC"]


@pytest.mark.parametrize("wrapper", ["", "ROOT", "S1", "TOP"])
def test_the_wrapper_of_a_file_becomes_the_root(wrapper: str) -> None:
    bare = "(S (NP (NNP Ann)) (VP (VBD left)))"
    assert str(prepare_tree(tw.Tree.parse(f"({wrapper} {bare})"))) == f"(ROOT {bare})"

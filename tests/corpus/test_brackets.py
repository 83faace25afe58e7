"""Phrase-structure trees: brackets byte for byte, and every mistake by its message."""

from __future__ import annotations

import copy
import io
import pickle
import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.phrases import Nested, some_nested, spelled

import treewright as tw
from treewright.corpus import brackets, reader
from treewright.errors import FormatError

DOG = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"


def written(trees: Iterable[tw.Tree]) -> bytes:
    file = io.BytesIO()
    tw.write(trees, file)
    return file.getvalue()


def read_text(text: str, **options: Any) -> list[tw.Tree]:
    return list(tw.read_trees(io.BytesIO(text.encode()), **options))


def nested(tree: tw.Tree | str) -> Nested:
    """A tree as the oracle has it. (Recursion is fine for the small trees of a test.)"""
    return tree if isinstance(tree, str) else (tree.label, [nested(child) for child in tree.children])


FILES = {
    "one a line": f"{DOG}\n{DOG}\n",
    "many a line": f"{DOG} {DOG}{DOG}\n  {DOG}",
    "unlabelled root": f"( {DOG})\n({DOG})\n(\n{DOG}\n)\n",
    "many lines": "\n( (S\n    (NP-SBJ (DT the)\n\t(NN dog) )\n    (VP (VBZ barks)) (. .)))\n\n\n" + DOG + "\n\n",
    "unindented lines": "(S\n(NP (DT the)\n(NN dog))\n(VP (VBZ barks))\n)\n" + DOG + "\n",
    "CRLF": f"( (S\r\n (NN a)))\r\n\r\n{DOG}\r\n",
    "no final line break": f"{DOG}\n{DOG}",
    "byte order mark": f"\ufeff{DOG}\n",
    "byte order mark on its own line": f"\ufeff\n{DOG}\n",
    "functions and traces": "( (S (NP-SBJ-1 (-NONE- *PRO*)) (VP (VB run) (NP=2 (-NONE- *T*-1))) (-LRB- -LRB-)))\n",
    "a label after a blank": "( S (NN a))\n",
    "several words under a tag": "(NP (NN Xpd TTD) a (B b))\n",
    "blanks that are not ours": "(NP (NN a\u00a0b\u2003c) (N\u3000N d\x85))\n",
    "white space at the end": f"{DOG}\n \t\n\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("chunk", [1, 9, 1 << 18])
def test_what_was_read_is_written(name: str, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "CHUNK", chunk)
    path = tmp_path / "trees.mrg"
    path.write_bytes(FILES[name].encode())
    trees = list(tw.read_trees(path))
    assert written(trees) == path.read_bytes()
    assert [tw.Tree.parse(str(tree)) for tree in trees] == trees


@given(st.integers(0, 1 << 32))
@settings(max_examples=200, deadline=None)
def test_trees_are_what_their_brackets_say(seed: int) -> None:
    random = Random(seed)
    forest = [some_nested(random) for _ in range(random.randint(1, 4))]
    gaps = ["\n", "\n\n", " ", "\r\n"]
    text = "".join(spelled(tree, random) + random.choice(gaps) for tree in forest)
    trees = read_text(text)
    assert [nested(tree) for tree in trees] == forest
    assert written(trees).decode() == text
    one_line = [str(tree) for tree in trees]
    assert [nested(tree) for tree in read_text("\n".join(one_line))] == forest
    assert [tree.line for tree in read_text("\n".join(one_line))] == list(range(1, len(forest) + 1))


@given(st.integers(0, 1 << 32))
@settings(max_examples=100, deadline=None)
def test_leaves_tags_and_spans_by_definition(seed: int) -> None:
    expected = some_nested(Random(seed))
    tree = tw.Tree.parse(spelled(expected, Random(seed)))

    def leaves(node: Nested, above: str) -> list[tuple[str, str]]:
        if isinstance(node, str):
            return [(above, node)]
        return [leaf for child in node[1] for leaf in leaves(child, node[0])]

    def spans(node: Nested, first: int) -> list[tuple[str, int, int]]:
        if isinstance(node, str):
            return []
        found = [(node[0], first, first + len(leaves(node, "")))]
        for child in node[1]:
            found += spans(child, first)
            first += len(leaves(child, ""))
        return found

    assert list(zip(tree.tags(), tree.leaves(), strict=True)) == leaves(expected, "")
    assert tree.spans(tags=True) == spans(expected, 0)
    phrases = [node for node in tree.subtrees() if not node.is_preterminal()]
    assert [span.label for span in tree.spans()] == [node.label for node in phrases]


def test_trees_of_several_files_are_kept_apart() -> None:
    trees = read_text(DOG) + [tw.Tree("S", ["go"]), *read_text(f" {DOG}"), *read_text(f"\n{DOG}\n"), *read_text(DOG)]
    assert written(trees).decode() == f"{DOG}\n(S go)\n {DOG}\n{DOG}\n{DOG}"


def test_a_tree_answers() -> None:
    tree = tw.Tree.parse(f"( {DOG})")
    assert (tree.label, len(tree.children)) == ("", 1)
    assert str(tree) == f"( {DOG})"
    assert repr(tree) == f"<Tree: ( {DOG})>"
    assert [tuple(span) for span in tree.spans()] == [("", 0, 3), ("S", 0, 3), ("NP", 0, 2), ("VP", 2, 3)]
    assert [node.label for node in tree.subtrees()] == ["", "S", "NP", "DT", "NN", "VP", "VBZ"]
    assert tree.is_preterminal() is False


def test_trees_compare_by_what_they_say() -> None:
    assert tw.Tree.parse(DOG) == tw.Tree.parse(DOG.replace(" (", "\n  ("))
    assert hash(tw.Tree.parse(DOG)) == hash(tw.Tree.parse(DOG.replace(" (", "\n  (")))
    assert tw.Tree.parse("(A b)") != tw.Tree.parse("(A (b c))")
    assert tw.Tree("A", ["b"]) != tw.Tree("A", [tw.Tree("b", ["c"])])
    assert tw.Tree("A", ["b"]) != "(A b)"


def test_a_tree_does_not_change() -> None:
    with pytest.raises(AttributeError, match="a tree does not change; make a new one with another label"):
        tw.Tree.parse(DOG).label = "T"
    with pytest.raises(ValueError, match=r"\(NP\) has no children; expected words or trees"):
        tw.Tree("NP", [])


def test_what_cannot_stand_in_brackets_is_refused() -> None:
    for label, word, message in [
        ("N N", "a", "the label 'N N'"),
        ("N", "(", "the word '\\('"),
        ("N", "", "the word ''"),
    ]:
        with pytest.raises(ValueError, match=f"{message} cannot stand in brackets; escape it: bracket_word"):
            str(tw.Tree(label, [word]))


def test_a_tree_as_deep_as_it_likes() -> None:
    depth = 20_000
    text = "(A " * depth + "(B b)" + ")" * depth
    (tree,) = read_text(text)
    assert str(tree) == text
    assert len(list(tree.subtrees())) == depth + 1
    assert tree.leaves() == ["b"]
    assert len(tree.spans()) == depth
    assert pickle.loads(pickle.dumps(tree)) == tree == copy.deepcopy(tree)
    assert hash(tree) == hash(tw.Tree.parse(text))
    assert repr(tree).endswith("...>")


def test_pickled_trees_keep_their_text() -> None:
    (tree,) = read_text("( (S\n  (NN a)))\n")
    again = pickle.loads(pickle.dumps(tree))
    assert (again.written(), again.source, again.line) == ("( (S\n  (NN a)))\n", "<file>", 1)


MISTAKES = {
    f"{DOG}\n{DOG})\n": "bad.mrg:2: a closing bracket too many; expected '(' or the end of the file",
    f"{DOG}\nwords (S (NN a))\n": "bad.mrg:2: 'words' outside any bracket; expected '(' or the end of the file",
    f"{DOG}\n(S\n (NP))\n": "bad.mrg:3: '(NP)' is empty; expected a word or a bracket in it",
    "()\n": "bad.mrg:1: '()' is empty; expected a word or a bracket in it",
    f"{DOG}\n\n(S (NP (NN a)\n  (NN b))\n{DOG}\n": (
        "bad.mrg:3: the tree that begins here is not complete: 1 closing bracket is missing after line 4"
    ),
    f"{DOG}\n(S (NP (NN": (
        "bad.mrg:2: the tree that begins here is not complete: 3 closing brackets are missing after line 2"
    ),
    "": "bad.mrg: the file is empty; expected at least one tree",
    " \n": "bad.mrg: only blank lines and comments; expected at least one tree",
}


@pytest.mark.parametrize("content", MISTAKES)
def test_a_mistake_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.mrg"
    path.write_bytes(content.encode())
    with pytest.raises(FormatError, match=re.escape(MISTAKES[content])):
        list(tw.read_trees(path))


def test_bad_trees_can_be_skipped_and_counted() -> None:
    text = f"{DOG}\n{DOG})\nrubbish\n{DOG}\n(S (NN a)\n{DOG}\n(S\n (NN b)\n{DOG}\n"
    trees = tw.read_trees(io.StringIO(text), on_error="skip")
    assert len(list(trees)) == 4
    assert [error.line for error in trees.errors] == [2, 3, 5, 7]


def test_a_tree_that_never_ends_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brackets, "LONGEST_ITEM", 1 << 20)
    with pytest.raises(FormatError, match="<file>:2: the tree that begins here does not end within 1 MB"):
        read_text(f"{DOG}\n(S\n" + f"{DOG}\n" * 50_000)


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.mrg"
    path.write_bytes(f"{DOG}\n(S\n (NN é))\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"latin.mrg:3: byte 0xE9 at character 6 is not UTF-8"):
        list(tw.read_trees(path))


@pytest.mark.slow
def test_real_files_come_back(data: Path) -> None:
    paths = sorted(data.rglob("*.mrg"))
    assert paths
    for path in paths:
        trees = list(tw.read_trees(path))
        assert written(trees) == path.read_bytes(), path
        assert all(tw.Tree.parse(str(tree)) == tree for tree in trees), path

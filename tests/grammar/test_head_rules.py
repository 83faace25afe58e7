"""Head rules: the tables choose the published heads, dependencies are projective trees, bad files are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from treewright.corpus import Tree
from treewright.errors import FormatError, InputError
from treewright.grammar import HeadRules, dependencies
from treewright.trees import is_projective

ENGLISH = HeadRules.load("english")


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", "DT JJ NN", 2),
        ("NP", "NP PP", 0),
        ("NP", "NNP POS", 1),
        ("NP", "CD", 0),
        ("NPB", "NN CC NN", 2),
        ("NP", "NN CC NN", 2),
        ("NP", "NP CC NP", 0),
        ("VP", "MD VP", 0),
        ("VP", "TO VP", 0),
        ("S", "NP VP", 1),
        ("S", "NP , VP", 2),
        ("S", "S CC S", 0),
        ("PP", "IN NP", 0),
        ("PP", "RB IN NP", 1),
        ("SBAR", "WHNP S", 0),
        ("SBAR", "IN S", 0),
        ("ADJP", "RB JJ", 1),
        ("ADJP", "JJ CC JJ", 0),
        ("VP", "VB , VB CC VB", 0),
        ("PRN", "-LRB- NP -RRB-", 1),
        ("FRAG", "NP : NP", 2),
        ("NP", ",", 0),
        ("X", "NN NN", 0),
    ],
)
def test_english_heads_are_those_of_collins_table(label: str, children: str, head: int) -> None:
    assert ENGLISH.head_child(label, children.split()) == head


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("IP", "NP-SBJ VBDI NP-OB1", 1),
        ("IP", "NP MDDI VB NP", 1),
        ("NP", "D-N ADJ-N N-N", 2),
        ("NP", "NP CONJP", 0),
        ("PP", "P NP", 0),
        ("CP", "WNP C IP", 0),
        ("CP", "C IP", 0),
        ("NOVEL", "NP VP", 1),
        ("NOVEL", "X NN Y", 1),
        ("NOVEL", "X Y", 0),
    ],
)
def test_the_general_table_has_heads_for_other_treebanks(label: str, children: str, head: int) -> None:
    assert HeadRules.load("general").head_child(label, children.split()) == head


def random_tree(rng: np.random.Generator, words: int) -> Tree:
    labels = ["S", "NP", "VP", "PP", "ADJP", "PRN", "X"]
    tags = ["NN", "VB", "IN", ",", "CC", "JJ", "DT", "."]

    def grown(count: int) -> Tree:
        if count == 1:
            return Tree(str(rng.choice(tags)), ["w"])
        cuts = sorted(rng.choice(np.arange(1, count), size=int(rng.integers(1, min(count, 4))), replace=False).tolist())
        sizes = np.diff([0, *cuts, count]).tolist()
        return Tree(str(rng.choice(labels)), [grown(size) for size in sizes])

    return grown(words)


@pytest.mark.parametrize("table", ["english", "general"])
def test_dependencies_of_any_tree_are_a_projective_tree_with_one_root(table: str) -> None:
    rng = np.random.default_rng(0)
    for words in range(1, 40):
        heads = dependencies(random_tree(rng, words), table)
        assert len(heads) == words + 1
        assert heads[0] == -1
        assert (heads[1:] == 0).sum() == 1
        assert is_projective(heads)


def test_every_phrase_has_one_word_with_its_head_outside() -> None:
    rng = np.random.default_rng(1)
    for words in range(2, 20):
        tree = random_tree(rng, words)
        heads = dependencies(tree)
        for _, first, last in tree.spans(tags=True):
            inside = set(range(first + 1, last + 1))
            assert sum(int(heads[m]) not in inside for m in inside) == 1


def test_a_users_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "own.heads"
    path.write_text("# mine\n@conjunctions AND\nXP right X; left Y Z*\n* right\n")
    rules = HeadRules.load(path)
    assert rules.head_child("XP", ["X", "Y"]) == 0
    assert rules.head_child("XP", ["W", "ZZ", "Y"]) == 1
    assert rules.head_child("XP", ["W", "W"]) == 0
    assert rules.head_child("QP", ["W", "W"]) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NP right NN\nVP VB\n", r"own.heads:2: 'VB' after VP; expected left, right or last"),
        ("NP\n", r"own.heads:1: nothing after NP; expected left, right or last"),
        ("@verb V\n", r"own.heads:1: @verb is not known; expected one of @conjunctions, .*@verbs"),
        ("NP left N\n\nNP left N\n", r"own.heads:3: NP has a rule above; expected one line for each label"),
        ("NP left N;;\n", r"own.heads:1: a search of NP has no labels"),
        ("@base NP QP\n", r"own.heads:1: @base has 2 labels; expected one"),
    ],
)
def test_a_bad_file_is_an_error_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.heads"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        HeadRules.load(path)


def test_a_name_that_is_no_table_and_no_file_is_an_error() -> None:
    with pytest.raises(InputError, match=r"head_rules: klingon is neither a table \(english, general\) nor a file"):
        HeadRules.load("klingon")


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "own.heads").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        HeadRules.load(tmp_path / "own.heads")

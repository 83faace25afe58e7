"""A sentence in Python: its columns, what else it holds, how it changes, copies and compares."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.corpus import Edge, Token
from treewright.corpus.sentence import line_of
from treewright.errors import FormatError

# A sentence of our own with everything in it: two tokens of two words, an elided verb, shared and repeated edges.
TEXT = """# newdoc id = kitchen
# sent_id = kitchen-1
# text = Don't cook it, and I won't either.
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VB	Mood=Imp	3	aux	3:aux	_
2	n't	not	PART	RB	_	3	advmod	3:advmod	_
3	cook	cook	VERB	VB	VerbForm=Inf	0	root	0:root	_
4	it	it	PRON	PRP	_	3	obj	3:obj|8.1:obj	SpaceAfter=No
5	,	,	PUNCT	,	_	7	punct	8.1:punct	_
6	and	and	CCONJ	CC	_	7	cc	8.1:cc	_
7	I	I	PRON	PRP	_	3	conj	8.1:nsubj	_
8-9	won't	_	_	_	_	_	_	_	_
8	wo	will	AUX	MD	_	7	orphan	8.1:aux	_
8.1	cook	cook	VERB	VB	_	_	_	3:conj:and|3:conj	CopyOf=3
9	n't	not	PART	RB	_	7	orphan	8.1:advmod	_
10	either	either	ADV	RB	_	7	orphan	8.1:advmod	SpaceAfter=No
11	.	.	PUNCT	.	_	3	punct	3:punct	_
"""


@pytest.fixture
def sentence() -> tw.Sentence:
    return tw.Sentence(TEXT)


def test_columns_have_one_entry_a_word(sentence: tw.Sentence) -> None:
    assert len(sentence) == 11
    assert sentence.forms[:4] == ["Do", "n't", "cook", "it"]
    assert sentence.heads.tolist() == [3, 3, 0, 3, 7, 7, 3, 7, 7, 7, 3]
    assert sentence.heads.dtype == np.int32
    assert sentence.parse is None
    assert sentence.head_confidence is None
    words = list(sentence)
    assert (words[7].id, words[7].form, words[7].head, words[7].deprel) == (8, "wo", 7, "orphan")


def test_what_is_no_word_is_kept_apart(sentence: tw.Sentence) -> None:
    assert sentence.tokens == [Token(1, 2, "Don't"), Token(8, 9, "won't")]
    (node,) = sentence.empty_nodes
    assert (node.id, node.lemma, node.deps, node.misc) == ("8.1", "cook", "3:conj:and|3:conj", "CopyOf=3")


def test_comments_are_lines_and_names(sentence: tw.Sentence) -> None:
    assert sentence.sent_id == "kitchen-1"
    assert sentence.text == "Don't cook it, and I won't either."
    assert sentence.comment("newdoc id") == "kitchen"
    assert sentence.comment("newpar id") is None
    sentence.sent_id = "kitchen-2"
    sentence.set_comment("newpar id", "p1")
    assert str(sentence) == TEXT.replace("kitchen-1", "kitchen-2").replace("either.\n", "either.\n# newpar id = p1\n")
    sentence.comments = []
    assert str(sentence) == TEXT[TEXT.index("1-2") :]
    sentence.comments.append("no comment")
    with pytest.raises(ValueError, match=r"comments\[0\] is 'no comment'; expected one line that begins with #"):
        str(sentence)


def test_text_is_joined_from_tokens_when_no_comment_says_it(sentence: tw.Sentence) -> None:
    text = sentence.text
    sentence.comments = []
    assert sentence.text == text
    assert tw.Sentence.from_words(["a"], misc=["SpaceAfter=No"]).text == "a"


def test_the_graph_has_every_edge_in_order(sentence: tw.Sentence) -> None:
    edges = sentence.graph
    assert edges[3:5] == [(3, 4, "obj"), ("8.1", 4, "obj")]
    assert [edge for edge in edges if edge.modifier == "8.1"] == [Edge(3, "8.1", "conj:and"), Edge(3, "8.1", "conj")]
    assert len(edges) == 14


def test_the_graph_can_be_assigned(sentence: tw.Sentence) -> None:
    edges = sentence.graph
    sentence.graph = edges
    assert str(sentence) == TEXT.replace("3:conj:and|3:conj", "3:conj|3:conj:and")  # by head, then by label
    sentence.graph = [edge for edge in edges if edge.label != "punct"] + [Edge("8.1", 11, "punct")]
    assert sentence.deps[10] == "8.1:punct"
    assert sentence.deps[4] == "_"
    sentence.graph = [(0, 3, "root"), (3, "8.1", "conj")]
    assert [tuple(edge) for edge in sentence.graph] == [(0, 3, "root"), (3, "8.1", "conj")]
    assert tw.Sentence(str(sentence)).graph == sentence.graph
    with pytest.raises(ValueError, match=r"edge \(12, 3, 'dep'\): the sentence has no node 12"):
        sentence.graph = [(12, 3, "dep")]
    with pytest.raises(ValueError, match=r"the sentence has no node '8.2'"):
        sentence.graph = [("8.2", 3, "dep")]


@pytest.mark.parametrize("deps", ["3", "4:dep", "1.1:dep", "x:dep", "0:root|", "-1:dep", "9" * 5000 + ":dep"])
def test_a_bad_graph_is_named(deps: str) -> None:
    sentence = tw.Sentence(f"# c\n1\ta\t_\t_\t_\t_\t0\troot\t{deps}\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n")
    with pytest.raises(
        FormatError, match=r"<text>:2: DEPS of 1 has .*; expected head:label with 0, a word up to 2 or an"
    ):
        sentence.check("graph")


@pytest.mark.parametrize("name", ["forms", "lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc"])
def test_a_column_can_be_assigned_and_changed_in_place(sentence: tw.Sentence, name: str) -> None:
    old = getattr(sentence, name)[3]
    column = [name] * 11
    setattr(sentence, name, column)
    assert getattr(tw.Sentence(str(sentence)), name) == column
    getattr(sentence, name)[3] = old
    assert getattr(tw.Sentence(str(sentence)), name) == column[:3] + [old] + column[4:]
    assert len(str(sentence).splitlines()) == len(TEXT.splitlines())


def test_heads_can_be_assigned_and_changed_in_place(sentence: tw.Sentence) -> None:
    heads = sentence.heads.copy()
    sentence.heads = heads  # the same
    assert str(sentence) == TEXT
    sentence.heads = np.where(heads == 7, -1, heads).astype(np.int64)
    assert str(sentence).count("\t_\torphan") == 3
    sentence.heads[0] = 11
    assert tw.Sentence(str(sentence)).heads.tolist() == [11, 3, 0, 3, -1, -1, 3, -1, -1, -1, 3]


def test_bad_values_are_refused(sentence: tw.Sentence) -> None:
    with pytest.raises(ValueError, match="UPOS has 2 entries; the sentence has 11 words"):
        sentence.upos = ["X", "Y"]
    with pytest.raises(ValueError, match=r"UPOS\[1\] is 'a\\tb'; expected '_' or a text without tab and line break"):
        sentence.upos = ["X", "a\tb"] + ["X"] * 9
    with pytest.raises(ValueError, match=r"UPOS\[0\] is None; expected a string"):
        sentence.upos = [None] * 11  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"heads has shape \(12,\); expected \(11,\): one entry a word"):
        sentence.heads = [-1] * 12
    with pytest.raises(ValueError, match=r"heads\[2\] is 12; expected 0 \(the root\), 1 to 11, or -1 for none"):
        sentence.heads = [0, 1, 12] + [0] * 8
    with pytest.raises(ValueError, match="heads is of type float64; expected integers"):
        sentence.heads = [0.0] * 11
    with pytest.raises(ValueError, match="column HEAD: words are numbered from 1, and their heads are in `heads`"):
        sentence.column("HEAD")
    assert str(sentence) == TEXT


def test_bad_values_put_in_place_are_refused_when_written(sentence: tw.Sentence) -> None:
    sentence.misc[0] = ""
    with pytest.raises(ValueError, match=r"MISC\[0\] is ''; expected '_' or"):
        str(sentence)
    sentence.misc.append("_")
    with pytest.raises(ValueError, match="MISC has 12 entries; the sentence has 11 words"):
        str(sentence)
    sentence = tw.Sentence(TEXT)
    sentence.heads[0] = 99
    with pytest.raises(ValueError, match=r"heads\[0\] is 99"):
        str(sentence)


def test_a_sentence_from_words() -> None:
    sentence = tw.Sentence.from_words(
        ["de", "le", "chat"],
        upos=["ADP", "DET", "NOUN"],
        heads=np.array([3, 3, -1]),
        tokens=[Token(1, 2, "du", "SpaceAfter=No")],
        comments=["# newpar"],
        sent_id="a",
        text="duchat",
    )
    assert str(sentence) == (
        "# newpar\n# sent_id = a\n# text = duchat\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "1\tde\t_\tADP\t_\t_\t3\t_\t_\t_\n2\tle\t_\tDET\t_\t_\t3\t_\t_\t_\n3\tchat\t_\tNOUN\t_\t_\t_\t_\t_\t_\n"
    )
    assert sentence.written().endswith("\n\n")
    with pytest.raises(ValueError, match="forms is empty; a sentence has at least one word"):
        tw.Sentence.from_words([])
    with pytest.raises(ValueError, match=r"FORM\[1\] is ''"):
        tw.Sentence.from_words(["a", ""])
    with pytest.raises(ValueError, match=r"Token\(first=1, last=3, .*\): expected words from 1 to 2"):
        tw.Sentence.from_words(["a", "b"], tokens=[Token(1, 3, "ab")])


def test_one_text_is_one_sentence() -> None:
    with pytest.raises(FormatError, match="<text>:18: a second sentence; expected one"):
        tw.Sentence(TEXT[: TEXT.index("11\t")] + "\n" + TEXT)
    with pytest.raises(FormatError, match="<text>:1: no words here; expected the lines of one sentence"):
        tw.Sentence("# nothing\n\n")


def test_copies_are_equal_and_independent(sentence: tw.Sentence) -> None:
    sentence.upos[0] = "X"
    parse: Any = "parsed"
    sentence.parse = parse
    copy = sentence.copy()
    assert copy == sentence
    assert copy.parse is parse
    copy.upos[0] = "Y"
    assert copy != sentence
    assert sentence.upos[0] == "X"
    other = sentence.with_columns(upos=["Z"] * 11, heads=[0] * 11)
    assert (other.upos[1], other.heads[1], sentence.upos[1]) == ("Z", 0, "PART")
    with pytest.raises(ValueError, match="there is no column 'colour'"):
        sentence.with_columns(colour=["red"] * 11)


def test_sentences_are_pickled_changes_and_all(sentence: tw.Sentence) -> None:
    sentence.heads[0] = 0
    sentence.head_confidence = np.ones(11)
    again = pickle.loads(pickle.dumps(sentence))
    assert again == sentence
    assert again.head_confidence.tolist() == [1.0] * 11
    assert again.place == sentence.place


def test_equality_does_not_see_blank_lines() -> None:
    assert tw.Sentence(TEXT) == tw.Sentence("\n" + TEXT + "\n\n")
    assert tw.Sentence(TEXT) != tw.Sentence(TEXT.replace("# newdoc", "# olddoc"))
    assert tw.Sentence(TEXT) != TEXT
    with pytest.raises(TypeError, match="unhashable"):
        hash(tw.Sentence(TEXT))


def test_a_sentence_shows_itself(sentence: tw.Sentence) -> None:
    assert repr(sentence) == "<Sentence kitchen-1: 11 words: Don't cook it, and I won't either.>"
    assert repr(tw.Sentence.from_words(["word"] * 30)).endswith("...>")


def test_lines_are_those_of_the_file() -> None:
    text = "\n# c\n" + TEXT.replace("3\tcook", "# here\n3\tcook")
    sentence = tw.Sentence(text, source="kitchen.conllu", line=100)
    assert sentence.place == "kitchen.conllu:100"
    assert [text.split("\n")[line_of(sentence, word) - 100].split("\t")[0] for word in (1, 2, 3, 9)] == [
        "1",
        "2",
        "3",
        "9",
    ]


def test_heads_put_in_place_are_checked(sentence: tw.Sentence) -> None:
    sentence.heads[0] = 99
    with pytest.raises(ValueError, match=r"heads\[0\] is 99; expected 0"):
        sentence.check()
    sentence.heads[0] = 1
    with pytest.raises(FormatError, match="<text>:5: the heads run in a circle: 1 <- 1; expected a tree"):
        sentence.check()


def test_an_unknown_check_is_refused(sentence: tw.Sentence) -> None:
    sentence.check()
    with pytest.raises(ValueError, match="check 'trees': expected one of format, partial, partial-single-root, tree"):
        sentence.check("trees")

"""A word is a view of its sentence: its cells, its place in the tree and in the text."""

from __future__ import annotations

import pickle

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.corpus import Token
from treewright.corpus.layout import CONLLX, Layout
from treewright.corpus.sentence import to_layout
from treewright.corpus.word import Word
from treewright.errors import InputError

TEXT = """# text = Don't go, cats!
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VB	Mood=Imp|VerbForm=Fin	3	aux	_	_
2	n't	not	PART	RB	_	3	advmod	_	_
3	go	go	VERB	VB	VerbForm=Inf	0	root	0:root	SpaceAfter=No|Gloss=walk
4	,	,	PUNCT	,	_	5	punct	_	_
4.1	you	_	_	_	_	_	_	3:nsubj	_
5	cats	cat	NOUN	NNS	Number=Plur	3	vocative	3:vocative	SpaceAfter=No
6	!	!	PUNCT	.	_	3	punct	_	_
"""


@pytest.fixture
def sentence() -> tw.Sentence:
    return tw.Sentence(TEXT)


def forms(words: list[Word]) -> list[str]:
    return [word.form for word in words]


def test_words_are_indexed_sliced_and_iterated_as_a_list_of_them(sentence: tw.Sentence) -> None:
    expected = ["Do", "n't", "go", ",", "cats", "!"]
    assert len(sentence) == 6
    assert [word.form for word in sentence] == expected
    assert [sentence[place].form for place in range(-6, 6)] == expected * 2
    for cut in (slice(1, 3), slice(None, None, -1), slice(-2, None), slice(4, 99)):
        assert forms(sentence[cut]) == expected[cut]
    assert sentence[np.int64(2)].form == "go"
    assert [word.id for word in reversed(sentence)] == [6, 5, 4, 3, 2, 1]
    for place in (6, -7):
        with pytest.raises(IndexError, match=rf"sentence\[{place}\]: the sentence has 6 words, counted from 0"):
            sentence[place]
    with pytest.raises(TypeError):
        sentence["go"]  # type: ignore[call-overload]


def test_a_word_has_the_cells_of_its_line(sentence: tw.Sentence) -> None:
    word = sentence[4]
    assert (word.id, word.form, word.lemma, word.upos, word.xpos) == (5, "cats", "cat", "NOUN", "NNS")
    assert (word.head, word.deprel, word.deps) == (3, "vocative", "3:vocative")
    assert type(word.head) is int
    assert word.feats == {"Number": "Plur"}
    assert word.misc == {"SpaceAfter": "No"}


def test_looking_at_words_changes_nothing(sentence: tw.Sentence) -> None:
    for word in sentence:
        _ = (word.form, word.head, dict(word.feats), dict(word.misc), word.children, word.subtree, word.begin)
    assert sentence.written() == TEXT


def test_assigning_to_a_word_changes_that_cell_only(sentence: tw.Sentence) -> None:
    sentence[4].upos = "PROPN"
    sentence[4].head = 4
    assert str(sentence) == TEXT.replace("NOUN\tNNS\tNumber=Plur\t3", "PROPN\tNNS\tNumber=Plur\t4")
    with pytest.raises(ValueError, match=r"UPOS\[4\] is 'a\\tb'; expected '_' or a text without tab"):
        sentence[4].upos = "a\tb"
    with pytest.raises(ValueError, match=r"LEMMA\[4\] is 3; expected a string"):
        sentence[4].lemma = 3  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"heads\[4\] is 7; expected 0 \(the root\), 1 to 6"):
        sentence[4].head = 7
    assert sentence[4].head == 4


def test_a_column_that_the_format_lacks_cannot_be_assigned() -> None:
    word = tw.Sentence("# global.columns = ID FORM\n1\ta\n", layout=Layout("conllup", ("ID", "FORM")))[0]
    assert (word.upos, dict(word.feats), word.head) == ("_", {}, -1)
    with pytest.raises(InputError, match="no column UPOS to write to, only ID FORM"):
        word.upos = "X"
    with pytest.raises(InputError, match="no column FEATS to write to, only ID FORM"):
        word.feats["Case"] = "Nom"
    with pytest.raises(InputError, match="no column HEAD to write to, only ID FORM"):
        word.head = 0


def test_views_of_one_word_are_equal(sentence: tw.Sentence) -> None:
    assert sentence[0] == sentence[0]
    assert hash(sentence[0]) == hash(sentence[0])
    assert sentence[0] != sentence[1]
    assert sentence[0] != sentence.copy()[0]
    assert sentence[0] != "Do"
    assert sentence[2] in sentence
    assert len({*sentence, *sentence}) == 6
    assert repr(sentence[2]) == "<Word 3: go>"
    again = pickle.loads(pickle.dumps(sentence[2]))
    assert (again.form, again.sentence) == ("go", sentence)


# -- the tree


def test_root_head_and_children(sentence: tw.Sentence) -> None:
    assert sentence.root == sentence[2]
    assert sentence.root.head_word is None
    assert sentence[3].head_word == sentence[4]
    assert forms(sentence.root.children) == ["Do", "n't", "cats", "!"]
    assert forms(sentence[4].subtree) == [",", "cats"]
    assert sentence.root.subtree == list(sentence)


def test_several_roots_none_and_heads_that_are_not_given() -> None:
    two = tw.Sentence.from_words(["a", "b", "c"], heads=[-1, 0, 0])
    assert (two.root.form, two[0].head, two[0].head_word) == ("b", -1, None)
    none = tw.Sentence.from_words(["a", "b"])
    with pytest.raises(InputError, match="<words>:1: no word is attached to the root"):
        _ = none.root
    none.heads[0] = 9
    with pytest.raises(InputError, match="the head of word 1 is 9; the sentence has 2 words"):
        _ = none[0].head_word


@given(st.lists(st.integers(-1, 12), min_size=1, max_size=12))
def test_children_and_subtrees_are_those_of_the_graph(numbers: list[int]) -> None:
    heads = [min(head, len(numbers)) for head in numbers]  # cycles are among them
    sentence = tw.Sentence.from_words(["x"] * len(heads), heads=heads)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(1, len(heads) + 1))
    graph.add_edges_from((head, word) for word, head in enumerate(heads, start=1) if head > 0)
    for word in sentence:
        assert [child.id for child in word.children] == sorted(graph.successors(word.id))
        assert [below.id for below in word.subtree] == sorted({word.id, *networkx.descendants(graph, word.id)})


def test_a_chain_of_ten_thousand_words_is_no_problem() -> None:
    chain = tw.Sentence.from_words(["x"] * 10_000, heads=range(10_000))
    assert len(chain.root.subtree) == 10_000


# -- the text


def test_offsets_are_found_in_the_text(sentence: tw.Sentence) -> None:
    found = [sentence.text[word.begin : word.end] for word in sentence]
    assert found == sentence.forms
    assert sentence.offsets() == [(0, 2), (2, 5), (6, 8), (8, 9), (10, 14), (14, 15)]


def test_words_of_a_contraction_have_the_offsets_of_their_token() -> None:
    sentence = tw.Sentence.from_words(["vis", "de", "le", "chat"], tokens=[Token(2, 3, "du")], text="vis  du chat")
    assert sentence.offsets() == [(0, 3), (5, 7), (5, 7), (8, 12)]
    assert (sentence[2].begin, sentence[2].end) == (5, 7)
    parts = tw.Sentence.from_words(["do", "n't"], tokens=[Token(1, 2, "don't", "TokenRange=19:24")])
    assert [(word.begin, word.end) for word in parts] == [(19, 21), (21, 24)] == parts.offsets()
    whole = tw.Sentence.from_words(["de", "le"], tokens=[Token(1, 2, "du", "TokenRange=19:21")])
    assert [(word.begin, word.end) for word in whole] == [(19, 21), (19, 21)] == whole.offsets()


def test_offsets_that_the_tokeniser_wrote_are_those_of_its_text() -> None:
    text = "Cats sleep.\n\n They don't run."
    for sentence in tw.tokeniser.Tokeniser()(text):
        found = [text[word.begin : word.end] for word in sentence]
        assert found == [word.form if word.token is None else word.token.form for word in sentence]


def test_a_text_without_the_words_is_an_error() -> None:
    with pytest.raises(InputError, match="<words>:1: word 2 is 'cat', but the text continues with 'dog' at 2"):
        tw.Sentence.from_words(["a", "cat"], text="a dog").offsets()
    sentence = tw.Sentence.from_words(["a", "b"], misc=["TokenRange=7:8", "_"], text="a b")
    with pytest.raises(InputError, match="<words>:1: word 2, 'b', has no TokenRange, but others have one"):
        _ = sentence[1].begin


def test_the_multiword_token_of_a_word(sentence: tw.Sentence) -> None:
    assert [word.token for word in sentence] == [Token(1, 2, "Don't")] * 2 + [None] * 4


# -- features


def test_features_are_read_in_their_order(sentence: tw.Sentence) -> None:
    feats = sentence[0].feats
    assert list(feats.items()) == [("Mood", "Imp"), ("VerbForm", "Fin")]
    assert (len(feats), "Mood" in feats, "Case" in feats, feats.get("Case")) == (2, True, False, None)
    assert repr(feats) == "{'Mood': 'Imp', 'VerbForm': 'Fin'}"
    assert dict(sentence[1].feats) == {}
    with pytest.raises(KeyError, match="Case"):
        _ = feats["Case"]


def test_new_features_are_put_in_order_and_new_entries_of_misc_come_last(sentence: tw.Sentence) -> None:
    feats, misc = sentence[0].feats, sentence[2].misc
    feats["Number"] = "Sing"
    feats["VerbForm"] = "Inf"
    feats["abbr"] = "Yes"
    misc["Entity"] = "1"
    misc["SpaceAfter"] = "Yes"
    assert sentence.feats[0] == "abbr=Yes|Mood=Imp|Number=Sing|VerbForm=Inf"
    assert sentence.misc[2] == "SpaceAfter=Yes|Gloss=walk|Entity=1"
    del feats["Mood"], feats["abbr"]
    feats.pop("Number")
    assert sentence.feats[0] == "VerbForm=Inf"
    assert feats == {"VerbForm": "Inf"} != sentence[1].feats
    feats.clear()
    assert sentence.feats[0] == "_"
    sentence[0].feats = {"Tense": "Past", "Mood": "Ind"}
    sentence[0].misc = {"B": "1", "A": ""}
    assert (sentence.feats[0], sentence.misc[0]) == ("Mood=Ind|Tense=Past", "B=1|A")
    sentence[0].misc = {}
    assert sentence.misc[0] == "_"


def test_unusual_entries_are_kept_as_they_are() -> None:
    [word] = tw.Sentence.from_words(["a"], misc=["Bare|A=1|=|B=x=y|A=2||C="])
    assert dict(word.misc) == {"Bare": "", "A": "1", "": "", "B": "x=y", "C": ""}
    for name in ("Bare", "C", "B"):
        word.misc[name] = word.misc[name]
    assert word.sentence.misc == ["Bare|A=1|=|B=x=y|A=2||C="]
    word.misc["B"] = "z"
    assert word.sentence.misc == ["Bare|A=1|=|B=z|A=2||C="]
    word.misc["A"] = "1"
    assert word.sentence.misc == ["Bare|A=1|=|B=z||C="]


@pytest.mark.parametrize(
    ("name", "value"), [("a|b", "c"), ("a", "b|c"), ("a", "b\tc"), ("a\n", "b"), ("", "a"), ("a=b", "c")]
)
def test_an_entry_that_cannot_be_read_again_is_refused(sentence: tw.Sentence, name: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"the (name|value) of an attribute is "):
        sentence[0].feats[name] = value
    with pytest.raises(ValueError, match="would be read as an empty cell"):
        sentence[0].feats["_"] = ""
    with pytest.raises(TypeError, match="the value of an attribute is 1; expected a str"):
        sentence[0].feats["A"] = 1  # type: ignore[assignment]
    assert str(sentence) == TEXT


names = st.text(st.characters(codec="utf-8", exclude_characters="|=\t\n\r"), min_size=1, max_size=3).filter(
    lambda name: name != "_"
)
values = st.text(st.characters(codec="utf-8", exclude_characters="|\t\n\r"), max_size=3)


@given(st.dictionaries(names, values, max_size=4), st.lists(st.tuples(names, values | st.none()), max_size=6))
def test_a_mapping_of_a_cell_changes_as_a_dictionary(
    start: dict[str, str], changes: list[tuple[str, str | None]]
) -> None:
    [word] = tw.Sentence.from_words(["a"])
    word.misc, expected = start, dict(start)
    for name, value in changes:
        if value is None:
            assert word.misc.pop(name, None) == expected.pop(name, None)
        else:
            word.misc[name] = expected[name] = value
        cell = "|".join(f"{name}={value}" if value else name for name, value in expected.items())
        assert word.sentence.misc == [cell or "_"]


# -- probabilities


def test_each_kind_of_probability_has_its_own_array(sentence: tw.Sentence) -> None:
    kinds = ("head_confidence", "label_confidence", "tag_confidence")
    assert [getattr(sentence, kind) for kind in kinds] == [None] * 3
    for number, kind in enumerate(kinds):
        setattr(sentence, kind, np.full(6, number / 4))
    for other in (sentence.copy(), pickle.loads(pickle.dumps(sentence)), to_layout(sentence, CONLLX)):
        assert [getattr(other, kind)[0] for kind in kinds] == [0, 0.25, 0.5]
    parsed = sentence.copy().set_tree(sentence.heads, sentence.deprels, sentence.parse, np.ones(6))
    assert parsed.head_confidence is not None
    assert parsed.head_confidence[0] == 1
    assert (parsed.label_confidence, parsed.tag_confidence) == (None, sentence.tag_confidence)


def test_text_is_the_form_and_ancestors_lead_to_the_root(sentence: tw.Sentence) -> None:
    assert [word.text for word in sentence] == sentence.forms
    assert forms(sentence[3].ancestors) == ["cats", "go"]
    assert sentence.root.ancestors == []
    circle = tw.Sentence.from_words(["a", "b", "c"], heads=[2, 1, 2])
    assert forms(circle[0].ancestors) == ["b"]
    assert forms(circle[2].ancestors) == ["b", "a"]
    chain = tw.Sentence.from_words(["a"] * 10_000, heads=range(10_000))
    assert len(chain[-1].ancestors) == 9_999

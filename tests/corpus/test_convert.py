"""Sentences as the data structures of other packages."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from oracles.conllu import DONT_GO
from oracles.treebank import treebank

import treewright as tw
from treewright.corpus import Document, Token
from treewright.corpus.convert import to_networkx, to_spacy
from treewright.corpus.layout import CONLLU, CONLLX
from treewright.errors import FormatError, InputError


@pytest.fixture
def sentence() -> tw.Sentence:
    return tw.Sentence(DONT_GO)


def two() -> Document:
    return Document(
        [tw.Sentence(DONT_GO), tw.Sentence.from_words(["Run", "!"], heads=[0, 1], deprels=["root", "punct"])]
    )


# -- plain values


def test_a_dictionary_survives_json(sentence: tw.Sentence) -> None:
    value = json.loads(json.dumps(sentence.to_dict()))
    assert value["words"][4] == {
        "id": 5,
        "form": "cats",
        "lemma": "cat",
        "upos": "NOUN",
        "xpos": "NNS",
        "feats": "Number=Plur",
        "head": 3,
        "deprel": "vocative",
        "misc": "SpaceAfter=No",
    }
    assert value["tokens"] == [{"first": 1, "last": 2, "form": "Don't", "misc": "_"}]
    assert tw.Sentence.from_dict(value) == sentence
    for one in treebank(20, seed=1):
        assert list(tw.Sentence.from_dict(one.to_dict()).cells(*CONLLU.columns)) == list(one.cells(*CONLLU.columns))


def test_probabilities_in_a_dictionary_are_rounded_and_null_where_they_are_not_known(sentence: tw.Sentence) -> None:
    sentence.head_confidence = np.array([0.123456, np.nan, 1, 1, 1, 1])
    sentence.tag_confidence = np.full(6, 0.5)
    words = sentence.to_dict()["words"]
    assert [word["confidence"] for word in words] == [0.1235, None, 1, 1, 1, 1]
    assert (words[0]["tag_confidence"], "label_confidence" in words[0]) == (0.5, False)


def test_a_document_is_its_text_and_its_sentences() -> None:
    value = two().to_dict()
    assert value["text"] == "Don't go, cats! Run !"
    assert [len(sentence["words"]) for sentence in value["sentences"]] == [6, 2]


# -- networkx


def test_a_networkx_graph_has_the_arcs_of_the_tree(sentence: tw.Sentence) -> None:
    graph = to_networkx(sentence)
    assert networkx.is_arborescence(graph)
    assert graph.graph == {"sent_id": "s1", "text": "Don't go, cats!"}
    assert sorted(graph.edges(data="deprel")) == sorted(
        (head, word, label) for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1)
    )
    assert graph.nodes[1] == {
        "form": "Do",
        "lemma": "do",
        "upos": "AUX",
        "xpos": "VB",
        "feats": {"Mood": "Imp", "VerbForm": "Fin"},
    }
    sentence.heads[4] = -1
    assert to_networkx(sentence).in_degree(5) == 0


# -- spaCy


def test_a_spacy_doc_has_the_tree_the_tags_and_the_text(sentence: tw.Sentence) -> None:
    pytest.importorskip("spacy")
    doc = to_spacy(sentence)
    assert doc.text == sentence.text
    assert [token.text for token in doc] == sentence.forms
    assert [(token.pos_, token.tag_, token.lemma_) for token in doc] == list(
        zip(sentence.upos, sentence.xpos, sentence.lemmas, strict=True)
    )
    assert [0 if token.head == token else token.head.i + 1 for token in doc] == sentence.heads.tolist()
    assert [token.dep_.replace("ROOT", "root") for token in doc] == sentence.deprels
    assert doc[0].morph.to_dict() == sentence[0].feats
    assert len(list(doc.sents)) == 1


def test_a_spacy_doc_of_a_document_has_its_sentences() -> None:
    spacy = pytest.importorskip("spacy")
    document, vocab = two(), spacy.vocab.Vocab()
    doc = to_spacy(document, vocab)
    assert doc.vocab is vocab
    assert [[token.text for token in span] for span in doc.sents] == [sentence.forms for sentence in document]
    assert [span.root.text for span in doc.sents] == ["go", "Run"]
    document[1].heads[1] = -1
    doc = to_spacy(document, vocab)
    assert not doc.has_annotation("DEP")
    assert [len(span) for span in doc.sents] == [6, 2]
    document[1].heads = [2, 1]
    with pytest.raises(FormatError, match="the heads run in a circle"):
        to_spacy(document, vocab)
    assert to_spacy(tw.Sentence.from_words(["a"], upos=["NN"]))[0].pos_ == ""


# -- packages that are not installed


@pytest.mark.parametrize(
    ("package", "module", "convert"),
    [
        ("networkx", "networkx", to_networkx),
        ("spacy", "spacy.tokens", to_spacy),
    ],
)
def test_a_package_that_is_not_installed_is_named(
    sentence: tw.Sentence,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    module: str,
    convert: Callable[[tw.Sentence], Any],
) -> None:
    for name in (package, module):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=rf"^{convert.__name__} needs the package {package}: pip install {package}$"):
        convert(sentence)
    with pytest.raises(ImportError):
        convert(sentence)


# -- documents


def test_a_document_is_a_list() -> None:
    document = two()
    assert document == list(document)
    assert isinstance(document, list)
    assert (document[0], document[-1].forms) == (tw.Sentence(DONT_GO), ["Run", "!"])
    text = Document(document, "the text")
    assert (text[1:], text[1:].text, type(text[1:])) == (document[1:], "the text", Document)
    assert text[::-1] == [document[1], document[0]]
    again = pickle.loads(pickle.dumps(text))
    assert (again, again.text, type(again)) == (text, "the text", Document)


def test_a_notebook_draws_the_first_sentences_of_a_document() -> None:
    html = two()._repr_html_()
    assert html is not None
    assert html.startswith("<iframe srcdoc=")
    assert html.count("&lt;article ") == 2
    many = Document(treebank(21, seed=3))._repr_html_()
    assert many is not None
    assert many.count("&lt;article ") == 20
    assert "The first 20 of 21 sentences" in many
    assert Document()._repr_html_() is None


# -- arguments of the wrong type


@pytest.mark.parametrize("forms", ["hello world", b"hello", None, 3, {"a": 1}, tw.Sentence(DONT_GO)])
def test_what_is_no_list_of_words_is_refused(forms: Any) -> None:
    kind = type(forms).__name__
    with pytest.raises(TypeError, match=rf"^forms is .*, of type {kind}; expected a list of words \(text.split\(\)"):
        tw.Sentence.from_words(forms)


@pytest.mark.parametrize("column", ["lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc"])
def test_a_column_is_no_string(column: str) -> None:
    values: dict[str, Any] = {column: "ab"}
    with pytest.raises(TypeError, match=r"is 'ab', of type str; expected a list of strings, one a word"):
        tw.Sentence.from_words(["a", "b"], **values)
    with pytest.raises(TypeError, match=r"is 'ab', of type str; expected a list of strings, one a word"):
        setattr(tw.Sentence.from_words(["a", "b"]), column, "ab")


def test_comments_are_no_string() -> None:
    with pytest.raises(TypeError, match=r"^comments is '# a', of type str; expected a list of lines$"):
        tw.Sentence.from_words(["a"], comments="# a")
    assert tw.Sentence.from_words(iter(["a"]), tokens=[Token(1, 1, "a")]).forms == ["a"]


def test_a_document_is_written_as_conllu(tmp_path: Path) -> None:
    document = two()
    tw.write(document, tmp_path / "two.conllu")
    written = (tmp_path / "two.conllu").read_text()
    assert document.to_conllu() == str(document) == written
    assert "".join(sentence.to_conllu() for sentence in document.sents) == written
    assert document.sents == [document[0], document[1]]
    older = tw.Sentence("1\tRun\trun\tV\tV\t_\t0\troot\t_\t_\n", layout=CONLLX)
    assert older.to_conllu() == "1\tRun\trun\tV\tV\t_\t0\troot\t_\t_\n\n"

"""Pipelines of spaCy with the component and the tokeniser; run where spaCy is installed."""

from __future__ import annotations

import json
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.corpus.convert import from_spacy, to_spacy

spacy = pytest.importorskip("spacy", reason="needs treewright[spacy]")

TEXT = "She told the committee a story. Nobody believed it."
TOKENIZER = {"nlp": {"tokenizer": {"@tokenizers": "treewright.Tokenizer.v1", "model": "en"}}}


@pytest.fixture(scope="module")
def nlp() -> Any:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("treewright", config={"model": "en"})
    return pipeline


def heads_of(doc: Any) -> list[int]:
    return [token.head.i for token in doc]


def test_the_component_has_the_annotation_of_the_model(nlp: Any) -> None:
    doc = nlp(TEXT)
    document = tw.load("en")(TEXT)
    assert [[token.text for token in span] for span in doc.sents] == [sentence.forms for sentence in document]
    for sentence, again in zip(document, from_spacy(doc), strict=True):
        assert (again.forms, again.upos, again.xpos) == (sentence.forms, sentence.upos, sentence.xpos)
        assert (again.feats, again.lemmas) == (sentence.feats, sentence.lemmas)
        assert (again.heads.tolist(), again.deprels) == (sentence.heads.tolist(), sentence.deprels)
        assert again.offsets() == sentence.offsets()
    for name in ("DEP", "HEAD", "POS", "TAG", "MORPH", "LEMMA", "SENT_START"):
        assert doc.has_annotation(name)


def test_confidence_and_certificates_are_extensions(nlp: Any) -> None:
    doc = nlp(TEXT)
    first, second = tw.load("en")(TEXT)
    assert first.head_confidence is not None
    assert second.label_confidence is not None
    assert doc[2]._.head_confidence == pytest.approx(first.head_confidence[2])
    assert doc[7]._.label_confidence == pytest.approx(second.label_confidence[0])
    assert doc._.treewright.certified
    assert [span._.treewright.score for span in doc.sents] == pytest.approx([first.parse.score, second.parse.score])
    assert doc._.treewright.score == pytest.approx(first.parse.score + second.parse.score)
    assert nlp.make_doc(TEXT)[0]._.head_confidence is None
    assert nlp.make_doc(TEXT)._.treewright is None


def test_starts_of_sentences_that_are_set_are_kept(nlp: Any) -> None:
    doc = nlp.make_doc(TEXT)
    doc[7].is_sent_start = False
    assert len(list(nlp.get_pipe("treewright")(doc).sents)) == 1
    doc = nlp.make_doc(TEXT)
    doc[3].is_sent_start = True  # in the middle of a sentence
    assert [span.start for span in nlp.get_pipe("treewright")(doc).sents] == [0, 3, 7]


def test_white_space_is_attached_to_the_word_before_it(nlp: Any) -> None:
    doc = nlp("\n It  rains.\n\nGo!  ")
    spaces = [token for token in doc if token.is_space]
    assert len(spaces) == 4
    assert [token.head.text for token in spaces] == ["It", "It", ".", "!"]
    assert {(token.pos_, token.dep_) for token in spaces} == {("SPACE", "dep")}
    assert all(math.isnan(token._.head_confidence) for token in spaces)
    assert [sentence.forms for sentence in from_spacy(doc)] == [["It", "rains", "."], ["Go", "!"]]
    assert len(nlp("")) == 0
    assert not nlp(" \n").has_annotation("DEP")


def test_batches_and_processes_give_the_same(nlp: Any) -> None:
    texts = ["It rains.", TEXT, "", "The old bridge creaks."]
    expected = [(heads_of(doc), doc._.treewright) for doc in map(nlp, texts)]
    assert [(heads_of(doc), doc._.treewright) for doc in nlp.pipe(texts, batch_size=3)] == expected
    assert [(heads_of(doc), doc._.treewright) for doc in nlp.pipe(texts, n_process=2)] == expected


def test_a_saved_pipeline_names_the_model_and_its_hash(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved")
    assert heads_of(again(TEXT)) == heads_of(nlp(TEXT))
    file = tmp_path / "saved" / "treewright"
    stored = json.loads(file.read_text())
    assert stored["model"] == "en"
    assert len(stored["sha256"]) == 64
    file.write_text(json.dumps(stored | {"sha256": "0" * 64}))
    with pytest.raises(tw.errors.InputError, match=r"another file of the model en \(SHA-256 000000000000, but en has"):
        spacy.load(tmp_path / "saved")
    assert heads_of(spacy.blank("en", config=nlp.config).from_bytes(nlp.to_bytes())(TEXT)) == heads_of(nlp(TEXT))


def test_a_model_without_a_tagger_is_refused() -> None:
    with pytest.raises(tw.errors.InputError, match="there is no model nowhere"):
        spacy.blank("en").add_pipe("treewright", config={"model": "nowhere"})


def test_the_tokeniser_splits_as_universal_dependencies_do(tmp_path: Path) -> None:
    nlp = spacy.blank("en", config=TOKENIZER)
    text = " I don't know.\n\nGo  home!"
    doc = nlp(text)
    assert doc.text == text
    assert [token.text for token in doc if not token.is_space] == ["I", "do", "n't", "know", ".", "Go", "home", "!"]
    assert [token.text for token in doc if token.is_sent_start] == ["I", "Go"]
    nlp.add_pipe("treewright")
    nlp.to_disk(tmp_path / "saved")
    assert heads_of(spacy.load(tmp_path / "saved")(text)) == heads_of(nlp(text))
    assert nlp("").text == ""


def test_a_multiword_token_without_parts_is_one_token_with_the_highest_word() -> None:
    module = import_module("treewright.integrate.spacy")
    module.set_extensions()
    sentence = tw.Sentence.from_words(
        ["Ela", "gosta", "de", "o", "rio"],
        tokens=[tw.corpus.Token(3, 4, "do", "TokenRange=10:12")],
        misc=["TokenRange=0:3", "TokenRange=4:9", "_", "_", "TokenRange=13:16"],
    )
    pieces = list(module.pieces_of(sentence))
    assert [(piece.begin, piece.end, piece.words) for piece in pieces][2:] == [(10, 12, ["de", "o"]), (13, 16, [])]
    doc = spacy.tokens.Doc(spacy.vocab.Vocab(), words=["Ela", "gosta", "do", "rio"])
    doc[2]._.words = ["de", "o"]
    [reading], places = module.read_doc(doc, np.array([True, False, False, False]))
    assert (reading.forms, places) == (sentence.forms, [[0, 1, 2, 2, 3]])
    reading.heads, reading.deprels = [2, 0, 2, 5, 3], ["nsubj", "root", "case", "det", "obl"]
    module.annotate(doc, places, [reading])
    assert heads_of(doc) == [1, 1, 1, 2]
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "case", "obl"]


def test_a_tree_with_crossing_arcs_survives() -> None:
    module = import_module("treewright.integrate.spacy")
    heads = [2, 0, 5, 2, 4, 1]
    sentence = tw.Sentence.from_words(
        ["a", "b", "c", "d", "e", "f"], heads=heads, deprels=["root" if not h else "dep" for h in heads]
    )
    assert not tw.trees.is_projective(tw.trees.from_conll(heads))
    assert from_spacy(to_spacy(sentence))[0].heads.tolist() == heads
    doc = spacy.tokens.Doc(spacy.vocab.Vocab(), words=sentence.forms + sentence.forms)
    module.annotate(doc, [list(range(6)), list(range(6, 12))], [sentence, sentence])
    assert [each.heads.tolist() for each in from_spacy(doc)] == [heads, heads]
    again = spacy.tokens.Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert heads_of(again) == heads_of(doc)
    assert [span.start for span in again.sents] == [0, 6]


def test_sentences_come_back_from_a_doc() -> None:
    document = tw.load("en")(TEXT)
    again = from_spacy(to_spacy(document))
    assert again.text == document.text
    for sentence, copy in zip(document, again, strict=True):
        assert copy.text == sentence.text
        for name in ("forms", "lemmas", "upos", "xpos", "feats", "deprels"):
            assert getattr(copy, name) == getattr(sentence, name)
        assert copy.heads.tolist() == sentence.heads.tolist()
    [words] = from_spacy(spacy.blank("en")("Go home!"))
    assert (words.forms, words.heads.tolist(), words.misc[1]) == (
        ["Go", "home", "!"],
        [-1] * 3,
        "SpaceAfter=No|TokenRange=3:7",
    )


def test_displacy_draws_the_tree(nlp: Any) -> None:
    drawn = spacy.displacy.render(nlp("The old bridge creaks."), style="dep", jupyter=False)
    assert drawn.count('class="displacy-arc"') == 3  # it joins punctuation to words
    assert all(f">{label}<" in drawn for label in ("det", "amod", "nsubj"))


def test_a_missing_spacy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "treewright.integrate.spacy", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "spacy"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tw.errors.MissingExtra, match=r"needs the package spacy: pip install 'treewright\[spacy\]'$"):
        import_module("treewright.integrate.spacy")

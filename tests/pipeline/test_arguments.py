"""What a pipeline returns, and what it refuses: one thing where many are expected, and things of another type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from oracles.pipelines import pipeline, text_of

import treewright as tw
from treewright.corpus import Document


def test_a_text_becomes_a_document_that_displays_itself() -> None:
    text = text_of(5, seed=1)
    document = pipeline()(text)
    assert isinstance(document, Document)
    assert document.text == text
    for word in (word for sentence in document for word in sentence):
        assert text[word.begin : word.end] == word.form
    html = document._repr_html_()
    assert html is not None
    assert html.count("&lt;article ") == len(document)


def test_each_of_several_texts_becomes_a_document() -> None:
    texts = [text_of(2, seed=seed) for seed in range(5)]
    assert [document.text for document in pipeline().pipe(texts, threads=2)] == texts


@pytest.mark.parametrize(
    "texts", ["It rains.", b"It rains.", None, 3, {"a": "It rains."}, tw.Sentence.from_words(["a"])]
)
def test_one_text_is_no_list_of_texts(texts: Any) -> None:
    expected = (
        rf"^texts is .*, of type {type(texts).__name__}; expected an iterable of str \(nlp\(text\) parses one text\)$"
    )
    with pytest.raises(TypeError, match=expected):
        pipeline().pipe(texts)


ENTRIES: dict[str, Callable[[Any], Iterator[Any]]] = {
    "Pipeline.parse": lambda sentences: pipeline().parse(sentences),
    "Pipeline.tag": lambda sentences: pipeline().tag(sentences),
    "Parser.parse": lambda sentences: pipeline().parser.parse(sentences),
    "Parser.complete": lambda sentences: pipeline().trained_parser.complete(sentences),
    "Tagger.tag": lambda sentences: pipeline().tagger.tag(sentences),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("sentences", ["a.conllu", b"It rains.", None, 3, {}, tw.Sentence.from_words(["a"])])
def test_one_sentence_is_no_list_of_sentences(entry: str, sentences: Any) -> None:
    kind = type(sentences).__name__
    with pytest.raises(
        TypeError, match=rf"^sentences is .*, of type {kind}; expected an iterable of Sentence \(a list"
    ):
        ENTRIES[entry](sentences)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("item", [["a", "b"], "It rains.", b"It rains.", None, 3])
def test_a_sentence_of_another_type_is_named_at_the_call(entry: str, item: Any) -> None:
    expected = rf"^sentences\[1\] is .*, of type {type(item).__name__}; expected a Sentence \(Sentence.from_words"
    with pytest.raises(TypeError, match=expected):
        ENTRIES[entry]([tw.Sentence.from_words(["a"]), item])


@pytest.mark.parametrize("item", [["a", "b"], b"It rains.", None, 3, tw.Sentence.from_words(["a"])])
def test_a_text_of_another_type_is_named_at_the_call(item: Any) -> None:
    kind = type(item).__name__
    with pytest.raises(TypeError, match=rf"^texts\[1\] is .*, of type {kind}; expected a str"):
        pipeline().pipe(("It rains.", item))
    with pytest.raises(TypeError, match=rf"^text is of type {kind}; expected a str \(.*(decode bytes|pipe|nlp.parse)"):
        pipeline()(item)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_item_of_another_type_is_named_in_a_stream(threads: int) -> None:
    def stream(good: Any, bad: Any) -> Iterator[Any]:
        yield from [good, good, bad]

    sentences = pipeline().parse(stream(tw.Sentence.from_words(["dog"]), ["a", "b"]), threads=threads, batch_size=1)
    assert [next(sentences).forms for _ in range(2)] == [["dog"]] * 2
    with pytest.raises(TypeError, match=r"^sentences\[2\] is \['a', 'b'\], of type list; expected a Sentence"):
        next(sentences)
    with pytest.raises(TypeError, match=r"^texts\[2\] is 3, of type int; expected a str"):
        list(pipeline().pipe(stream("The dog sees.", 3), threads=threads))

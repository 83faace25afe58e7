"""Noun chunks by their definition in docs/corpus.md."""

from __future__ import annotations

import pytest

import treewright as tw
from treewright.corpus import Document


def parsed(rows: str) -> tw.Sentence:
    """Return a sentence of words that are written as form/tag/head/relation."""
    words = [row.split("/") for row in rows.split()]
    columns = [list(column) for column in zip(*words, strict=True)]
    forms, upos, heads, deprels = columns
    return tw.Sentence.from_words(forms, upos=upos, heads=[int(head) for head in heads], deprels=deprels)


@pytest.mark.parametrize(
    ("rows", "chunks"),
    [
        ("She/PRON/2/nsubj sang/VERB/0/root ./PUNCT/2/punct", ["She"]),
        ("a/DET/4/det very/ADV/3/advmod old/ADJ/4/amod bridge/NOUN/0/root", ["a very old bridge"]),
        ("in/ADP/3/case the/DET/3/det house/NOUN/0/root", ["the house"]),
        ("cats/NOUN/0/root and/CCONJ/3/cc dogs/NOUN/1/conj", ["cats", "dogs"]),
        ("the/DET/2/det cat/NOUN/4/nmod:poss 's/PART/2/case tail/NOUN/0/root", ["the cat 's tail"]),
        ("la/DET/2/det maison/NOUN/0/root blanche/ADJ/2/amod", ["la maison blanche"]),
        ("men/NOUN/0/root proud/ADJ/1/amod of/ADP/4/case sons/NOUN/2/obl", ["men", "sons"]),
        ("Ada/PROPN/3/nsubj Lovelace/PROPN/1/flat wrote/VERB/0/root", ["Ada Lovelace"]),
        ("ran/VERB/0/root fast/ADV/1/advmod", []),
    ],
)
def test_chunks_are_nouns_with_describing_words(rows: str, chunks: list[str]) -> None:
    assert [chunk.text for chunk in parsed(rows).noun_chunks] == chunks


def test_a_chunk_has_its_noun_its_words_and_its_place() -> None:
    sentence = parsed("We/PRON/2/nsubj saw/VERB/0/root the/DET/4/det bridge/NOUN/2/obj")
    chunk = sentence.noun_chunks[1]
    assert (chunk.root, chunk.words, repr(chunk)) == (sentence[3], sentence[2:], "<NounChunk the bridge>")
    assert sentence.text[chunk.begin : chunk.end] == "the bridge"
    assert [chunk.text for chunk in Document([sentence, sentence]).noun_chunks] == ["We", "the bridge"] * 2


def test_multiword_tokens_are_written_as_in_the_text() -> None:
    rows = [
        "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_",
        "2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_",
        "3\tchat\tchat\tNOUN\t_\t_\t0\troot\t_\tSpaceAfter=No",
        "4\t!\t!\tPUNCT\t_\t_\t3\tpunct\t_\t_",
    ]
    [chunk] = tw.Sentence("\n".join(rows) + "\n").noun_chunks
    assert chunk.text == "le chat"  # a part of the token is outside

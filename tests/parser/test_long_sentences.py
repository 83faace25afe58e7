"""Sentences beyond the length limit: cut at punctuation, parsed in parts, joined to one tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.pipelines import pipeline

import treewright as tw
from treewright import trees
from treewright.parser import worker
from treewright.parser.long_sentences import MAX_PART, MAX_WHOLE, cut_sentence
from treewright.tokeniser.cutting import cuts


def many(count: int) -> tw.Sentence:
    words = ["the", "dog", "sees", "a", "house", ";", "this", "old", "teacher", "hears", "every", "song", ","]
    return tw.Sentence.from_words((words * (count // len(words) + 1))[:count], sent_id="long")


def test_cuts_are_after_the_best_mark_of_the_second_half() -> None:
    words = ["word"] * 1000
    words[MAX_PART - 2], words[MAX_PART - 10], words[MAX_PART - 20] = ",", ".", ";"
    assert list(cuts(words, MAX_PART))[:2] == [0, MAX_PART - 9]
    words[MAX_PART - 10] = "word"
    assert list(cuts(words, MAX_PART))[:2] == [0, MAX_PART - 19]


@pytest.mark.parametrize("count", [1, MAX_PART, MAX_PART + 1, 2 * MAX_PART, 3 * MAX_PART + 7, 2001])
def test_parts_are_the_sentence_and_not_too_long(count: int) -> None:
    parts = cut_sentence(many(count))
    assert [form for part in parts for form in part.forms] == many(count).forms
    assert all(1 <= len(part) <= MAX_PART for part in parts)


def test_the_tree_is_made_of_those_of_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp, sentence = pipeline(), many(3 * MAX_PART)
    [tagged] = nlp.tag([sentence])
    monkeypatch.setattr(worker, "MAX_WHOLE", MAX_PART)
    [found] = nlp.parse([sentence])
    assert trees.is_tree(found.parse.heads, root="single")
    assert trees.is_projective(found.parse.heads)
    assert found.head_confidence is not None
    assert found.label_confidence is not None
    begin, root = 0, None
    parts = cut_sentence(tagged)
    for part in nlp.parse(parts):
        for place, (head, relation) in enumerate(zip(part.heads, part.deprels, strict=True)):
            is_joined = head == 0 and begin > 0
            root = begin + place + 1 if root is None and head == 0 else root
            assert found.heads[begin + place] == (root if is_joined else head + begin * (head > 0))
            assert is_joined or found.deprels[begin + place] == relation
            if is_joined:
                assert found.head_confidence[begin + place] == found.label_confidence[begin + place] == 0
        begin += len(part)
    assert found.parse.parts == len(parts) > 2
    assert not found.parse.certified
    assert found.parse.score == pytest.approx(sum(part.parse.score for part in nlp.parse(parts)))


@pytest.mark.parametrize("count", [MAX_WHOLE, MAX_WHOLE + 1, 1000, 2000, 2001])
def test_sentences_beyond_the_limit_are_parsed_in_parts_and_say_so(count: int) -> None:
    [parsed] = pipeline().parse([many(count)])
    assert (parsed.parse.parts > 1) == (count > MAX_WHOLE)
    comment = parsed.comment("treewright")
    assert (comment == f"joined from {parsed.parse.parts} parts, not certified") == (count > MAX_WHOLE)


def test_a_sentence_with_a_proof_is_parsed_whole() -> None:
    [parsed] = pipeline().parse([many(MAX_WHOLE + 1)], proof=True)
    assert parsed.parse.parts == 1
    assert parsed.parse.certified


def test_the_parts_of_a_sentence_share_its_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[int, float] = {}  # by the number of sentences that are decoded together
    decode = worker.Worker.decode

    def recorded(self: worker.Worker, sentences: list[tw.Sentence], *args: bool, **options: Any) -> worker.Decoded:
        limits[len(sentences)] = options["max_seconds"]
        return decode(self, sentences, *args, **options)

    monkeypatch.setattr(worker.Worker, "decode", recorded)
    [first, long, last] = pipeline().parse([many(5), many(3 * MAX_WHOLE), many(5)], max_seconds=12.0)
    assert limits == {2: 12.0, long.parse.parts: 12.0 / long.parse.parts}
    assert first.parse.parts == last.parse.parts == 1


def test_other_sentences_of_the_chunk_are_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline()
    short = tw.Sentence.from_words(["the", "dog", "sees", "."])
    [alone] = nlp.parse([short])
    monkeypatch.setattr(worker, "MAX_WHOLE", MAX_PART)
    first, long, last = nlp.parse([short, many(MAX_PART + 1), short], confidence=False)
    assert str(first) == str(alone) == str(last)
    assert long.head_confidence is None
    assert long.sent_id == "long"
    assert np.array_equal(long.forms, many(MAX_PART + 1).forms)

"""Sentences beyond the length limit: cut at punctuation, parsed in parts, joined to one tree."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import pipeline

import treewright as tw
from treewright import trees
from treewright.parser import worker
from treewright.parser.long_sentences import MAX_PART, MAX_WHOLE, choose_candidates, cut_sentence
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


RULES = {"threshold": 0.01, "max_heads": 4, "projective": True, "root": "single"}


@pytest.mark.parametrize("constraints", [{}, {"require": [(7, 300), (0, 5)], "forbid": [(1, 2)]}])
def test_candidates_of_long_sentences_have_a_projective_tree_under_the_constraints(constraints: dict[str, Any]) -> None:
    arc = np.random.default_rng(1).normal(scale=5, size=(MAX_WHOLE + 2, MAX_WHOLE + 2))
    marks = np.array([1, 2, 100, MAX_WHOLE], dtype=np.int32)
    arcs = choose_candidates(arc, RULES | {"require": (), "forbid": ()} | constraints, marks)
    assert not set(marks.tolist()) & set(arcs.head.tolist())
    pruned = np.full_like(arc, -np.inf)
    pruned[arcs.head, arcs.modifier] = arc[arcs.head, arcs.modifier]
    tree = tw.decode.tree(pruned, projective=True, **constraints)
    assert all(tree.heads[m] == h for h, m in constraints.get("require", ()))
    assert len(arcs.head) <= 5 * (MAX_WHOLE + 1)
    assert (np.diff(arcs.modifier) >= 0).all()


def test_a_thousand_words_are_completed_whole_within_seconds() -> None:
    long = many(1000)
    long.heads = np.where(np.arange(1000) == 699, 700 - 1, -1)
    start = time.process_time()
    [completion] = pipeline().parser.complete([long], max_seconds=3.0)
    assert time.process_time() - start < 20
    assert completion.sentence.heads[699] == 699
    assert completion.parse is not None
    assert completion.parse.parts == 1


def test_parts_of_long_sentences_are_parsed_over_candidate_arcs() -> None:
    [parsed] = pipeline().parse([many(MAX_WHOLE + 1)], all_arcs=True)
    assert parsed.parse.scope == "candidate arcs"

"""Sentences beyond the length limit: cut at punctuation, parsed in parts, joined to one tree."""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import pipeline

import treewright as tw
from treewright import trees
from treewright.decode import Parse
from treewright.errors import FormatError
from treewright.parser import long_sentences, worker
from treewright.parser.long_sentences import MAX_ASKED, MAX_PART, MAX_SUMMED, MAX_WHOLE, choose_candidates, cut_sentence
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
    monkeypatch.setattr(long_sentences, "MAX_WHOLE", MAX_PART)
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


def test_a_proof_is_asked_for_and_the_tree_of_a_long_sentence_is_the_same_without_one() -> None:
    short, long = many(20), many(MAX_WHOLE + 1)
    proved = list(pipeline().parse([short, long], proof=True))
    assert [str(tree) for tree in proved] == [str(tree) for tree in pipeline().parse([short, long])]
    parses = [tree.parse for tree in proved]
    assert [isinstance(parse, Parse) and parse.proof is not None for parse in parses] == [True, False]
    assert not proved[1].parse.certified


def test_the_parts_of_a_sentence_share_its_limit_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[int, float] = {}  # by the number of sentences that are decoded together
    decode = worker.Worker.decode

    def recorded(self: worker.Worker, sentences: list[tw.Sentence], *args: bool, **options: Any) -> worker.Decoded:
        limits[len(sentences)] = options["max_seconds"]
        return decode(self, sentences, *args, **options)

    monkeypatch.setattr(worker.Worker, "decode", recorded)
    [first, long, last] = pipeline().parse([many(5), many(7 * MAX_WHOLE), many(5)], max_seconds=12.0)
    assert limits == {1: 12.0, long.parse.parts: 12.0 / long.parse.parts}
    assert first.parse.parts == last.parse.parts == 1


def test_other_sentences_of_the_chunk_are_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline()
    short = tw.Sentence.from_words(["the", "dog", "sees", "."])
    [alone] = nlp.parse([short])
    monkeypatch.setattr(long_sentences, "MAX_WHOLE", MAX_PART)
    first, long, last = nlp.parse([short, many(MAX_PART + 1), short], confidence=False)
    assert str(first) == str(alone) == str(last)
    assert long.head_confidence is None
    assert long.sent_id == "long"
    assert np.array_equal(long.forms, many(MAX_PART + 1).forms)


RULES = {"threshold": 0.01, "max_heads": 4, "projective": True, "root": "single"}


@pytest.mark.parametrize("constraints", [{}, {"require": [(7, 300), (0, 5)], "forbid": [(1, 2)]}])
def test_candidates_of_long_sentences_have_a_projective_tree_under_the_constraints(constraints: dict[str, Any]) -> None:
    arc = np.random.default_rng(1).normal(scale=5, size=(MAX_SUMMED + 2, MAX_SUMMED + 2))
    marks = np.array([1, 2, 100, MAX_SUMMED], dtype=np.int32)
    arcs = choose_candidates(arc, RULES | {"require": (), "forbid": ()} | constraints, marks)
    assert not set(marks.tolist()) & set(arcs.head.tolist())
    pruned = np.full_like(arc, -np.inf)
    pruned[arcs.head, arcs.modifier] = arc[arcs.head, arcs.modifier]
    tree = tw.decode.tree(pruned, projective=True, **constraints)
    assert all(tree.heads[m] == h for h, m in constraints.get("require", ()))
    assert len(arcs.head) <= 5 * (MAX_SUMMED + 1)
    assert (np.diff(arcs.modifier) >= 0).all()


def test_the_best_trees_of_a_long_sentence_are_the_best_combinations_of_those_of_its_parts() -> None:
    parser, long = pipeline().trained_parser, many(MAX_WHOLE + 1)
    parts = cut_sentence(long)
    lists = [next(parser.kbest([part], 3)) for part in parts]
    values = sorted((sum(tree.parse.score for tree in row) for row in product(*lists)), reverse=True)
    [trees] = parser.kbest([long], 3)
    assert [tree.parse.score for tree in trees] == pytest.approx(values[:3])
    assert len({tuple(tree.heads.tolist()) for tree in trees}) == 3
    [parsed] = parser.parse([long])
    assert trees[0].heads.tolist() == parsed.heads.tolist()
    assert trees[0].deprels == parsed.deprels
    assert all(tree.parse.parts == len(parts) and not tree.parse.certified for tree in trees)
    assert trees.probabilities[0] == pytest.approx(np.prod([row.probabilities[0] for row in lists]))
    assert not trees.exact


def test_lists_of_trees_of_a_long_sentence_refuse_given_arcs() -> None:
    with pytest.raises(FormatError, match=r"151 words is parsed in parts.*complete it"):
        list(pipeline().trained_parser.kbest([many(MAX_WHOLE + 1)], 2, require=[(1, 2)]))


def partial(count: int, given: dict[int, int]) -> tw.Sentence:
    """Return a long sentence in which the heads of some words are given: {word: head}."""
    sentence = many(count)
    heads = np.full(count, -1)
    for word, head in given.items():
        heads[word - 1] = head
    sentence.heads = heads
    return sentence


GIVEN: list[dict[int, int]] = [
    {},
    {7: 5, 200: 199, 390: 391},  # inside parts
    {300: 0},  # the root is in another part than the first
    {3: 320, 310: 2, 399: 1, 1: 160},  # between parts, some of them crossing
    {2: 390, 390: 0, 30: 2, 200: 30},
]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("root", ["single", "multi"])
def test_completion_in_parts_keeps_every_decision(given: dict[int, int], root: str) -> None:
    sentence = partial(400, given)
    if given:
        sentence.deprels = ["given" if given.get(word) else "_" for word in range(1, 401)]
    [completion] = pipeline().trained_parser.complete([sentence], root=root)
    tree, parse = completion.sentence, completion.parse
    assert parse is not None
    assert trees.is_tree(parse.heads, root=root)
    assert tree.heads.tolist() == parse.heads[1:].tolist()
    assert {word: tree.heads[word - 1] for word in given} == given
    assert all(tree.deprels[word - 1] == "given" for word, head in given.items() if head)
    assert completion.crossing == (not trees.is_projective(parse.heads)) == bool(completion.note)
    assert parse.parts > 1
    assert not parse.certified
    assert all(completion.confidence[word - 1] == 1 for word in given)
    assert completion.entropy.shape == (400,)


def test_completion_without_decisions_between_parts_is_the_parse() -> None:
    nlp, long = pipeline(), many(MAX_WHOLE + 1)
    [completion] = nlp.trained_parser.complete(nlp.tag([long]))
    [parsed] = nlp.parse([long])
    assert completion.sentence.heads.tolist() == parsed.heads.tolist()
    assert completion.sentence.deprels == parsed.deprels
    assert completion.confidence == pytest.approx(parsed.head_confidence)


def test_arcs_that_no_tree_has_are_named_by_the_numbers_of_the_whole_sentence() -> None:
    with pytest.raises(FormatError, match=r"require \(399, 398\) and require \(398, 399\)"):
        list(pipeline().trained_parser.complete([many(400)], require=[(399, 398), (398, 399)]))


def test_forbidden_arcs_are_kept_out_of_a_joined_tree() -> None:
    parser, long = pipeline().trained_parser, many(400)
    [parsed] = parser.parse([long])
    forbid = [(head, word) for word, head in enumerate(parsed.heads.tolist(), 1)][::5]
    [completion] = parser.complete([long], forbid=forbid)
    assert all(completion.sentence.heads[word - 1] != head for head, word in forbid)
    assert trees.is_tree(np.append(-1, completion.sentence.heads).astype(np.int32), root="single")


def test_a_sentence_too_long_for_decisions_between_its_parts_is_refused() -> None:
    with pytest.raises(FormatError, match="2,001 words; the parser takes up to 2,000"):
        list(pipeline().trained_parser.complete([partial(2001, {3: 1900})]))


@pytest.mark.parametrize("count", [MAX_WHOLE, 1000])
@pytest.mark.parametrize("projective", [True, False])
def test_lists_and_completions_stay_within_the_limit_of_time(count: int, projective: bool) -> None:
    parser, seconds = pipeline().trained_parser, 0.5
    start = time.process_time()
    [trees_of] = parser.kbest([many(count)], 3, max_seconds=seconds, projective=projective)
    [completion] = parser.complete([many(count)], max_seconds=seconds, projective=projective)
    assert time.process_time() - start < 2 * seconds + 5  # scores, labels and sums take time beside the searches
    assert trees_of[0].parse.parts == completion.sentence.parse.parts


@pytest.mark.parametrize("count", [MAX_WHOLE + 1, MAX_ASKED])
@pytest.mark.parametrize("projective", [False, True])
def test_questions_about_long_sentences_stay_within_the_limit_of_time(count: int, projective: bool) -> None:
    """What is not a search takes little: the limit is exceeded by a few seconds at most, also on slow machines."""
    nlp = pipeline()
    [sentence] = nlp.tag([many(count)])
    begin = time.process_time()
    parser = nlp.trained_parser
    answer = parser.alternatives(sentence, count // 2, count=count, projective=projective, max_seconds=0.2)
    assert not answer.is_complete
    assert "Out of time: heads that are not listed may be better." in str(answer)
    assert answer.to_dict()["is_complete"] is False
    parser.why_not(sentence, head=1, modifier=count // 2, projective=projective, max_seconds=0.2)
    session = nlp.open(sentence, max_seconds=0.2)
    session.decide(count // 2, head=count // 2 + 1)
    assert session.tree.heads[count // 2] == count // 2 + 1
    session.alternatives(3, k=count)
    session.why(count, 3)
    assert time.process_time() - begin < 20


def test_alternatives_without_a_limit_are_those_of_a_generous_one() -> None:
    nlp = pipeline()
    [sentence] = nlp.tag([many(9)])
    parser = nlp.trained_parser
    answers = [parser.alternatives(sentence, 2, max_seconds=limit) for limit in (None, 1e6)]
    assert answers[0].is_complete
    assert answers[0].to_dict() == answers[1].to_dict()
    losses = [rival.loss for rival in answers[0]]
    assert losses == sorted(losses)


def test_a_session_about_too_many_words_is_refused() -> None:
    with pytest.raises(FormatError, match=r"1,001 words; the parser takes up to 1,000: cut it into sentences"):
        _ = pipeline().open(many(MAX_ASKED + 1)).tree


def test_parts_of_long_sentences_are_parsed_over_candidate_arcs() -> None:
    [parsed] = pipeline().parse([many(MAX_WHOLE + 1)], all_arcs=True)
    assert parsed.parse.scope == "candidate arcs"

"""Parts, k best trees and the cost of an arc, decided by enumeration and by the definition of a value."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from oracles.pipelines import TINY, pipeline
from oracles.treebank import treebank
from oracles.trees import all_trees

import treewright as tw
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.learn import Calibration
from treewright.parser import Parser
from treewright.parser.model import Calibrations
from treewright.parser.tree_parts import parts_of_tree

WORDS = ["the", "dog", "sees", "a", "song"]
SENTENCE = Sentence.from_words(WORDS, upos=["DET", "NOUN", "VERB", "DET", "NOUN"])


@pytest.fixture(scope="module", params=["arc", "sib", "grand"])
def model(request: pytest.FixtureRequest) -> Parser:
    return Parser.train(treebank(60, crossing=0.3), options=replace(TINY, model=request.param))


@pytest.fixture(scope="module", params=[True, False], ids=["projective", "crossing"])
def parser(request: pytest.FixtureRequest, model: Parser) -> Parser:
    return Parser(replace(model.model, options=replace(model.options, projective=request.param)))


def all_arcs(parser: Parser) -> Parser:
    """The same parser, with every arc a candidate."""
    pruning = replace(parser.options.pruning, threshold=0.0, max_heads=1000)
    return Parser(replace(parser.model, options=replace(parser.options, pruning=pruning)))


def test_the_best_tree_of_the_parts_is_that_of_the_parser(parser: Parser) -> None:
    bank = treebank(8, seed=1, crossing=0.3)
    for sentence, parsed in zip(bank, parser.parse(bank), strict=True):
        parts = parser.parts(sentence)
        parse = tw.decode.tree(parts, projective=parser.model.projective, root=parser.model.root)
        assert parse.heads[1:].tolist() == parsed.heads.tolist()
        assert parse.score == pytest.approx(parsed.parse.score, rel=1e-12)


def test_the_scores_of_parts_do_not_depend_on_the_candidates(parser: Parser) -> None:
    for sentence in treebank(4, seed=2):
        some, every = parser.parts(sentence), all_arcs(parser).parts(sentence)
        for parsed in parser.parse([sentence]):
            assert every.value(parsed.parse.heads) == pytest.approx(some.value(parsed.parse.heads), rel=1e-9)


def test_the_parts_of_a_tree_sum_up_to_its_value(parser: Parser) -> None:
    parts = all_arcs(parser).parts(SENTENCE)
    for tree in all_trees(5, projective=parser.model.projective):
        heads = np.array(tree, dtype=np.int32)
        assert sum(part.score for part in parts_of_tree(parts, heads)) == pytest.approx(parts.value(heads), abs=1e-9)


def test_the_loss_is_that_of_the_best_of_all_trees_with_the_arc(parser: Parser) -> None:
    every = all_arcs(parser)
    parts = every.parts(SENTENCE)
    value = {tree: parts.value(tree) for tree in all_trees(5, projective=parser.model.projective)}
    best = max(value.values())
    for head in range(6):
        for modifier in range(1, 6):
            with_arc = [value[tree] for tree in value if tree[modifier] == head]
            if head == modifier:
                continue
            answer = every.why_not(SENTENCE, head=head, modifier=modifier)
            assert answer.loss == pytest.approx(best - max(with_arc), abs=1e-9)
            assert answer.rival.heads[modifier - 1] == head
            assert answer.certified
            assert not answer.was_pruned


def test_the_parts_that_differ_sum_up_to_the_loss(parser: Parser) -> None:
    for sentence in treebank(4, seed=3, crossing=0.3):
        answer = parser.why_not(sentence, head=len(sentence), modifier=1)
        difference = sum(part.score for part in answer.only_best) - sum(part.score for part in answer.only_rival)
        assert difference == pytest.approx(answer.loss, abs=1e-9)


def test_an_arc_that_pruning_removed_is_added_back(parser: Parser) -> None:
    pruning = replace(parser.options.pruning, threshold=0.9, max_heads=1)
    strict = Parser(replace(parser.model, options=replace(parser.options, pruning=pruning)))
    for sentence in treebank(4, seed=4):
        candidates = strict.parts(sentence).arcs
        kept = set(zip(candidates.h.tolist(), candidates.m.tolist(), strict=True))
        for head in range(len(sentence)):
            arc = (head, len(sentence))
            answer = strict.why_not(sentence, head=head, modifier=len(sentence))
            assert answer.was_pruned == (arc not in kept)
            assert answer.rival.heads[-1] == head
            assert ("Pruning had removed" in str(answer)) == answer.was_pruned
            every = parser.parts(sentence, all_arcs=True)
            value = every.value(answer.rival.parse.heads)
            assert answer.rival.parse.score == pytest.approx(value, rel=1e-9)


def test_the_k_best_trees_are_those_of_enumeration(parser: Parser) -> None:
    every = all_arcs(parser)
    parts = every.parts(SENTENCE)
    values = sorted((parts.value(tree) for tree in all_trees(5, projective=parser.model.projective)), reverse=True)
    [found] = every.kbest([SENTENCE], 7)
    assert [tree.parse.score for tree in found] == pytest.approx(values[:7], abs=1e-9)
    assert len({tuple(tree.heads.tolist()) for tree in found}) == 7
    assert found.exact
    [best] = every.parse([SENTENCE])
    assert (found[0].heads.tolist(), found[0].deprels) == (best.heads.tolist(), best.deprels)
    weights = np.array(values) / every.model.calibrations.head.temperature
    shares = np.exp(weights - np.logaddexp.reduce(weights))
    if found.is_probability_exact:
        assert found.probabilities == pytest.approx(shares[:7], abs=1e-6)
    else:
        assert found.probabilities == pytest.approx(shares[:7], abs=0.2)  # belief propagation


def test_where_pruning_left_fewer_trees_all_arcs_are_used(parser: Parser) -> None:
    pruning = replace(parser.options.pruning, threshold=1.0, max_heads=1)
    strict = Parser(replace(parser.model, options=replace(parser.options, pruning=pruning)))
    [few], [many] = strict.kbest([SENTENCE], 7), all_arcs(parser).kbest([SENTENCE], 7)
    assert [str(tree) for tree in few] == [str(tree) for tree in many]
    assert few[0].parse.scope == "all arcs"


def test_probabilities_are_approximate_only_for_crossing_trees_of_second_order(parser: Parser) -> None:
    [found] = parser.kbest([SENTENCE], 2)
    is_exact = parser.model.projective or parser.options.model == "arc"
    assert found.is_probability_exact == is_exact
    assert parser.alternatives(SENTENCE, 1).is_probability_exact == is_exact
    assert parser.why_not(SENTENCE, head=3, modifier=1).is_probability_exact == is_exact


def test_the_probability_of_a_head_is_its_confidence(parser: Parser) -> None:
    calibration = Calibrations(Calibration(2.0, 0.6, 0.8, -0.3), Calibration())
    calibrated = Parser(replace(parser.model, calibration=calibration))
    for sentence in treebank(3, seed=7, crossing=0.3):
        [parsed] = calibrated.parse([sentence])
        for word, head in enumerate(parsed.heads.tolist(), 1):
            assert parsed.head_confidence is not None
            confidence = parsed.head_confidence[word - 1]
            found = calibrated.alternatives(sentence, word, count=100)
            assert found.probability == pytest.approx(confidence, abs=1e-9)
            assert found.probability + sum(rival.probability for rival in found) <= 1 + 1e-9
            other = next(node for node in range(len(sentence) + 1) if node not in (word, head))
            answer = calibrated.why_not(sentence, head=other, modifier=word)
            assert answer.probability == pytest.approx(confidence, abs=1e-9)
            assert 0 <= answer.rival_probability <= 1 - confidence + 1e-9


def test_threads_do_not_change_the_k_best_trees(parser: Parser) -> None:
    bank = treebank(6, seed=5)
    one, two = (list(parser.kbest(bank, 3, threads=threads)) for threads in (1, 2))
    assert [[str(tree) for tree in found] for found in one] == [[str(tree) for tree in found] for found in two]


def test_alternatives_are_the_arcs_with_the_smallest_losses(parser: Parser) -> None:
    for sentence in [SENTENCE, *treebank(2, seed=6)]:
        for modifier in (1, len(sentence)):
            alternatives = parser.alternatives(sentence, modifier, count=3)
            own = int(alternatives.best.heads[modifier - 1])
            heads = [head for head in range(len(sentence) + 1) if head not in (own, modifier)]
            losses = [parser.why_not(sentence, head=head, modifier=modifier).loss for head in heads]
            assert [one.loss for one in alternatives] == pytest.approx(sorted(losses)[:3])


def test_explanations_are_plain_values(parser: Parser) -> None:
    answer = parser.why_not(SENTENCE, head=5, modifier=1)
    value = json.loads(json.dumps(answer.to_dict()))
    assert (value["head"], value["word"]) == (5, 1)
    assert value["rival"]["words"][0]["head"] == 5
    assert json.loads(json.dumps(parser.alternatives(SENTENCE, 1).to_dict()))["word"] == 1


def test_the_text_names_the_words_and_the_difference(parser: Parser) -> None:
    answer = parser.why_not(SENTENCE, head=5, modifier=1)
    text = str(answer)
    assert "The best tree with song -> the: value" in text
    assert f"scores {abs(answer.loss):.3f} {'more' if answer.loss < 0 else 'less'}" in text
    assert "  the: from dog to song" in text
    own = int(answer.best.heads[0])
    assert "is attached to" in str(parser.why_not(SENTENCE, head=own, modifier=1))


@pytest.mark.parametrize(
    ("head", "modifier", "message"),
    [
        (6, 1, r"^head is 6; the sentence has the words 1\.\.5, and 0 is the root$"),
        (1, 0, r"^modifier is 0; the sentence has the words 1\.\.5$"),
        (2, 2, r"^head and modifier are both 2; no word is its own head$"),
        ("dog", 1, r"^head is 'dog'; expected the number of a word$"),
    ],
)
def test_arcs_that_do_not_exist_are_refused(model: Parser, head: int, modifier: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.why_not(SENTENCE, head=head, modifier=modifier)


def test_wrong_arguments_are_refused_at_once(model: Parser) -> None:
    with pytest.raises(InputError, match=r"^k is 0; give at least 1$"):
        model.kbest([SENTENCE], 0)
    with pytest.raises(InputError, match=r"^k is 1\.5; give a whole number, at least 1$"):
        model.kbest([SENTENCE], 1.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^k is True; give a whole number, at least 1$"):
        model.kbest([SENTENCE], True)
    with pytest.raises(InputError, match=r"^count is 0; give at least 1$"):
        model.alternatives(SENTENCE, 1, count=0)
    with pytest.raises(TypeError, match=r"^sentence is of type str; expected a Sentence"):
        model.parts("the dog")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^max_seconds is -1; give seconds, or None for no limit$"):
        model.why_not(SENTENCE, head=0, modifier=1, max_seconds=-1)


def test_a_sentence_of_one_word_has_no_alternatives(parser: Parser) -> None:
    word = Sentence.from_words(["dog"], upos=["NOUN"])
    assert str(parser.alternatives(word, 1)).endswith("There is no other head.")
    [found] = parser.kbest([word], 3)
    assert len(found) == 1
    assert found.probabilities == pytest.approx([1.0])


def test_a_pipeline_answers_for_text_and_for_sentences_without_tags() -> None:
    nlp = pipeline()
    [found] = nlp.kbest("The old dog sees a house.", 3)
    [parsed] = nlp("The old dog sees a house.")
    assert str(found[0].heads) == str(parsed.heads)
    assert len(found) == 3
    bare = Sentence.from_words(parsed.forms)
    assert tw.decode.tree(nlp.parts(bare), projective=True).heads[1:].tolist() == parsed.heads.tolist()
    assert nlp.why_not(bare, head=4, modifier=1).best.heads.tolist() == parsed.heads.tolist()
    assert nlp.alternatives(bare, 1).best.heads.tolist() == parsed.heads.tolist()
    [completed] = nlp.complete([bare.with_columns(heads=[4, *[-1] * (len(bare) - 1)])])
    assert completed.sentence.heads[0] == 4

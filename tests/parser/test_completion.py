"""Completion by its definition: the best of all trees that have what was decided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.pipelines import TINY
from oracles.treebank import treebank
from oracles.trees import all_trees

from treewright import trees
from treewright.corpus import Sentence
from treewright.decode.parts import arc_matrix
from treewright.errors import FormatError
from treewright.parser import Parser, rank
from treewright.parser.worker import Worker


@pytest.fixture(scope="module", params=["arc", "sib", "grand"])
def parser(request: pytest.FixtureRequest) -> Parser:
    return Parser.train(treebank(60, crossing=0.3), options=replace(TINY, model=request.param))


def partial(sentence: Sentence, heads: list[int]) -> Sentence:
    return sentence.with_columns(heads=heads, deprels=["_"] * len(sentence))


def test_nothing_open_changes_nothing(parser: Parser) -> None:
    bank = treebank(5, seed=1)
    for sentence, found in zip(bank, parser.complete(bank), strict=True):
        assert str(found.sentence) == str(sentence)
        assert not found.open_heads.any()
        assert found.confidence == pytest.approx(1)
        assert found.entropy == pytest.approx(0)


def test_everything_open_is_parsing(parser: Parser) -> None:
    bank = [partial(sentence, [-1] * len(sentence)) for sentence in treebank(8, seed=2)]
    for parsed, found in zip(parser.parse(bank), parser.complete(bank), strict=True):
        assert str(found.sentence) == str(parsed)
        assert parsed.head_confidence is not None
        assert np.allclose(found.confidence, parsed.head_confidence, rtol=1e-9)


def test_what_the_pruner_would_never_keep_is_kept(parser: Parser) -> None:
    for sentence in treebank(8, seed=3):
        wrong = [-1] * len(sentence)
        wrong[-2] = len(sentence)  # the full stop as a head
        [found] = parser.complete([partial(sentence, wrong)])
        heads = found.sentence.heads.tolist()
        assert heads[-2] == len(sentence)
        assert trees.is_tree(trees.from_conll(heads), root="single")
        assert found.sentence.parse.certified


@pytest.mark.parametrize("tighten", [False, True])
def test_dual_decomposition_completes_as_the_exact_method_does(parser: Parser, tighten: bool) -> None:
    bank = []
    for sentence in treebank(8, seed=4, crossing=0.3):
        heads = [-1] * len(sentence)
        heads[-2] = len(sentence)
        bank.append(partial(sentence, heads))
    duals = parser.complete(bank, projective=False, method="dd", tighten=tighten)
    for exact, found in zip(parser.complete(bank, projective=False), duals, strict=True):
        assert found.sentence.heads[-2] == len(found.sentence)
        assert found.sentence.parse.score <= exact.sentence.parse.score + 1e-9 <= found.sentence.parse.bound + 2e-9
        assert found.sentence.parse.certified or not tighten


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_trees_with_the_heads_given(seed: int) -> None:
    # With every arc kept, the trees that are left are all trees with the heads given: enumerate them.
    options = replace(TINY, model="arc", pruning=replace(TINY.pruning, threshold=0.0, max_heads=10))
    parser = Parser.train(treebank(30), options=options)
    worker = Worker(parser.model)
    sentence = Sentence.from_words(["the", "dog", "sees", "a", "song"], upos=["DET", "NOUN", "VERB", "DET", "NOUN"])
    rng = np.random.default_rng(seed)
    heads = [-1] * 5
    heads[rng.integers(5)] = 0
    word = int(rng.choice([place for place in range(5) if heads[place] < 0]))
    heads[word] = int(rng.choice([place for place in range(5) if place != word])) + 1
    inputs = worker.encode([sentence])
    [parts] = worker.score(inputs, worker.prune(inputs, False))
    arc = arc_matrix(parts.core)

    def value(tree: tuple[int, ...]) -> float:
        return float(sum(arc[head, modifier] for modifier, head in enumerate(tree) if modifier))

    matching = [
        tree for tree in all_trees(5) if all(given < 0 or tree[place + 1] == given for place, given in enumerate(heads))
    ]
    [found] = parser.complete([partial(sentence, heads)], projective=False)
    assert found.parse is not None
    assert value(tuple(found.parse.heads.tolist())) == pytest.approx(max(map(value, matching)), rel=1e-9)


def test_a_relation_of_the_root_tells_the_head(parser: Parser) -> None:
    words = Sentence.from_words(["the", "dog", "sees"], upos=["DET", "NOUN", "VERB"], deprels=["_", "root", "_"])
    [found] = parser.complete([words])
    assert found.sentence.heads.tolist()[1] == 0
    words = Sentence.from_words(["the", "dog", "sees"], upos=["DET", "NOUN", "VERB"], deprels=["_", "_", "nsubj"])
    [found] = parser.complete([words])
    assert found.sentence.heads.tolist()[2] != 0
    assert found.sentence.deprels[2] == "nsubj"


def test_relations_that_leave_no_root(parser: Parser) -> None:
    words = Sentence.from_words(["dogs", "bark"], deprels=["nsubj", "nsubj"])
    with pytest.raises(FormatError, match=r"<words>:1: no tree has all that was decided: .*forbid \(0, 1\)"):
        list(parser.complete([words]))


def test_skipping_what_contradicts_itself(parser: Parser) -> None:
    bad = Sentence.from_words(["a", "b"], heads=[2, 1])
    [found, other] = parser.complete([bad, treebank(1)[0]], on_error="skip")
    assert found.sentence is bad
    assert found.parse is None
    assert "circle" in str(found.problem)
    assert other.problem is None


def test_crossing_decisions_of_a_projective_model() -> None:
    parser = Parser.train(treebank(30), options=replace(TINY, model="grand", projective=True))
    words = Sentence.from_words(list("abcde"), upos=["NOUN"] * 5, heads=[3, -1, 4, 0, 2])
    [found] = parser.complete([words])
    assert found.crossing
    assert found.sentence.heads.tolist()[2:] == [4, 0, 2]
    [plain] = parser.complete(treebank(1))
    assert not plain.crossing


def test_crossing_decisions_of_a_model_of_outermost_grandchildren() -> None:
    """Its grandparent scores are for projective trees: the best tree without them is found, and a note says so."""
    parser = Parser.train(treebank(40), options=replace(TINY, model="outer"))
    sentence = next(sentence for sentence in treebank(20, seed=5) if len(sentence) >= 5)
    [found] = parser.complete([partial(sentence, [3, 4, *[-1] * (len(sentence) - 2)])])
    assert found.crossing
    assert found.sentence.heads[:2].tolist() == [3, 4]
    assert trees.is_tree(trees.from_conll(found.sentence.heads), root="single")
    assert found.sentence.parse.certified
    assert "scores of grandchildren" in found.note
    [plain] = parser.complete([partial(sentence, [-1] * len(sentence))])
    assert plain.note == ""


def ranked_bank() -> list[Sentence]:
    bank = [partial(sentence, [-1] * len(sentence)) for sentence in treebank(6, seed=7, crossing=0.5)]
    for number, sentence in enumerate(bank):
        sentence.sent_id = str(number)
    return bank


def test_the_rank_puts_the_least_probable_words_first(parser: Parser) -> None:
    bank = ranked_bank()
    lines = rank(parser.complete(bank))
    words = sum(map(len, bank))
    assert [line.kind for line in lines] == ["arc"] * words + ["sentence"] * len(bank)
    arcs = lines[:words]
    assert [line.confidence for line in arcs] == sorted(line.confidence for line in arcs)
    for parsed in parser.parse(bank):
        assert parsed.head_confidence is not None
        assert parsed.label_confidence is not None
        both = parsed.head_confidence * parsed.label_confidence
        own = {arc.word: arc.confidence for arc in arcs if arc.sentence == parsed.sent_id}
        assert [own[word] for word in range(1, len(parsed) + 1)] == pytest.approx(both.tolist(), rel=1e-9)


def test_the_rank_has_the_sentences_in_their_order(parser: Parser) -> None:
    lines = rank(parser.complete(ranked_bank()))
    arcs, sentences = ([line for line in lines if line.kind == kind] for kind in ("arc", "sentence"))
    assert [line.sentence for line in sentences] == [str(number) for number in range(6)]
    for line in sentences:
        own = [arc for arc in arcs if arc.sentence == line.sentence]
        assert line.entropy == pytest.approx(sum(arc.entropy for arc in own), rel=1e-9)
        assert line.confidence == pytest.approx(sum(arc.confidence for arc in own) / len(own), rel=1e-9)


def test_the_rank_has_words_whose_relation_alone_was_open(parser: Parser) -> None:
    words = treebank(1)[0]
    opened = words.with_columns(deprels=["_", *words.deprels[1:]])
    arc, sentence = rank(parser.complete([opened]))
    assert (arc.kind, arc.word, sentence.kind) == ("arc", 1, "sentence")
    assert 0 < arc.confidence <= 1
    assert rank(parser.complete([words])) == []


def test_on_error_is_checked(parser: Parser) -> None:
    with pytest.raises(ValueError, match="on_error is 'ignore'; expected 'raise' or 'skip'"):
        parser.complete([], on_error="ignore")

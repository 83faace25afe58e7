"""A parser with a network: scores of the sum, the same trees as by hand, one model file, readings that are not kept."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles.networks import random_network

import treewright as tw
from treewright.learn import Weights
from treewright.network import Network, Reading
from treewright.parser import ParserOptions
from treewright.parser.network_scores import ARC_WEIGHTS, UNKNOWN_LABEL, NetworkScores, NetworkWeights
from treewright.parser.networks import with_readings
from treewright.tagger.options import Candidates

SENTENCES = [
    tw.Sentence.from_words(
        ["The", "old", "bridge", "creaked", "."],
        upos=["DET", "ADJ", "NOUN", "VERB", "PUNCT"],
        heads=[3, 3, 4, 0, 4],
        deprels=["det", "amod", "nsubj", "root", "punct"],
    ),
    tw.Sentence.from_words(
        ["She", "mended", "the", "rail"],
        upos=["PRON", "VERB", "DET", "NOUN"],
        heads=[2, 0, 4, 2],
        deprels=["nsubj", "root", "det", "obj"],
    ),
]
LABELS = ("amod", "det", "nsubj", "obj", "root")  # without punct


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(random_network(3, labels=LABELS, columns={"upos": ("ADJ", "DET", "NOUN", "PRON", "VERB")}))


@pytest.fixture(scope="module")
def parser(network: Network) -> tw.Parser:
    model = tw.Parser.train(SENTENCES * 3, SENTENCES, options=ParserOptions("grand")).model
    return tw.Parser(replace(model, network=network, options=replace(model.options, network=NetworkWeights())))


def test_the_score_of_an_arc_is_the_sum_of_both_models(parser: tw.Parser, network: Network) -> None:
    for sentence in SENTENCES:
        [reading] = network.read([sentence.forms])
        found = parser.parts(sentence, all_arcs=True).arcs
        expected = parser.without_network().parts(sentence, all_arcs=True).arcs
        assert found.h.tolist() == expected.h.tolist()
        assert np.allclose(found.score, expected.score + reading.arcs[found.h, found.m])


def test_trees_are_certified_and_those_of_the_sum(parser: tw.Parser) -> None:
    for sentence, parsed in zip(SENTENCES, parser.parse(SENTENCES, all_arcs=True), strict=True):
        parts = parser.parts(sentence, all_arcs=True)
        best = tw.decode.tree(parts, projective=parser.model.projective)
        assert parsed.parse.certified
        assert parsed.parse.score == pytest.approx(best.score)
        assert parsed.parse.heads.tolist() == best.heads.tolist()


def test_labels_of_one_sentence_are_those_of_a_batch(parser: tw.Parser) -> None:
    together = [sentence.deprels for sentence in parser.parse(SENTENCES)]
    alone = [next(parser.parse([sentence])).deprels for sentence in SENTENCES]
    [completed] = parser.complete([SENTENCES[0].with_columns(deprels=["_"] * 5)])
    assert together == alone
    assert completed.sentence.deprels == next(parser.parse([SENTENCES[0]])).deprels


def test_scores_of_labels_are_in_the_unit_of_the_weights(network: Network) -> None:
    scores = NetworkScores(network, ("det", "punct"), NetworkWeights(label=2.0))
    [reading] = network.read([["the", "dog"]])
    heads = np.array([-1, 2, 0], dtype=np.int32)
    added = scores.labels([reading], [heads], 0.5)
    assert added[1:, 0] == pytest.approx(2.0 * reading.labels(heads)[:, LABELS.index("det")] / 0.5)
    assert added[1:, 1] == pytest.approx([2.0 * UNKNOWN_LABEL / 0.5] * 2)


def reading_of(sentence: tw.Sentence) -> Reading:
    assert isinstance(sentence.reading, Reading)
    return sentence.reading


def test_given_readings_are_used_and_results_have_none(parser: tw.Parser, network: Network) -> None:
    [read] = with_readings(network, SENTENCES[:1])
    other = with_readings(network, [SENTENCES[0].with_columns(forms=["x", "y", "z", "u", "v"])])[0].reading
    assert SENTENCES[0].reading is None
    assert read.reading is not None
    read.reading = other
    assert parser.parts(read).arcs.score.tolist() != parser.parts(SENTENCES[0]).arcs.score.tolist()
    assert next(parser.parse([read])).reading is None


def test_a_file_and_a_pickle_keep_the_network(parser: tw.Parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "a.parser")
    expected = [str(sentence) for sentence in parser.parse(SENTENCES)]
    for copy in (tw.Parser.load(tmp_path / "a.parser"), pickle.loads(pickle.dumps(parser))):
        assert copy.model.network is not None
        assert [str(sentence) for sentence in copy.parse(SENTENCES)] == expected


def test_a_pipeline_tags_and_parses_with_the_network_of_its_parser(parser: tw.Parser, tmp_path: Path) -> None:
    tagger = tw.tagger.Tagger.train(SENTENCES, columns=["upos"])
    weighted = tw.tagger.Tagger(replace(tagger.model, network_weight=1.0))
    tw.Pipeline(tw.tokeniser.Tokeniser(), weighted, parser).save(tmp_path / "a.tw")
    nlp = tw.Pipeline.load(tmp_path / "a.tw")
    assert nlp.network is not None
    assert nlp.tagger.model.network_weight == 1.0
    bare = [tw.Sentence.from_words(sentence.forms) for sentence in SENTENCES]
    alone = [str(next(nlp.parse([sentence]))) for sentence in bare]
    assert [str(sentence) for sentence in nlp.parse(bare, threads=2, batch_size=1)] == alone
    assert all(sentence.reading is None for sentence in nlp.parse(bare))
    [found] = nlp.kbest(bare[:1], 2)
    assert found[0].parse.certified


def test_a_large_weight_makes_the_tags_those_of_the_network(network: Network) -> None:
    tagger = tw.tagger.Tagger.train(SENTENCES, columns=["upos"])
    heavy = tw.tagger.Tagger(replace(tagger.model, network_weight=1e6))
    words = tw.Sentence.from_words(["zyx", "wvu", "tsr"])
    [read] = with_readings(network, [words])
    [plain], [tagged] = tagger.tag([words]), heavy.tag([read])
    values = network.model.columns["upos"]

    def scores(tags: list[str]) -> list[float]:
        return [float(row[values.index(tag)]) for row, tag in zip(reading_of(read).tags, tags, strict=True)]

    assert all(mine >= other for mine, other in zip(scores(tagged.upos), scores(plain.upos), strict=True))
    assert sum(scores(tagged.upos)) > sum(scores(plain.upos))


def test_frequent_words_have_more_candidate_tags_beside_a_network(network: Network, tmp_path: Path) -> None:
    """Words that were seen 30 times with one tag can only have another one by the candidates beside the network.

    Those are the candidates of sentences that were read; scores that a caller adds change no candidates.
    """
    sentences = [tw.Sentence.from_words(["qa", "qe"], upos=["NOUN", "VERB"])] * 30
    model = replace(tw.tagger.Tagger.train(sentences, columns=["upos"]).model, network_weight=1e6)
    wide = tw.tagger.Tagger(replace(model, network_candidates=Candidates(1000, 10)))
    wide.save(tmp_path / "wide")
    words = tw.Sentence.from_words(["qa", "qe"] * 20)
    [read] = with_readings(network, [words])
    seen = ["NOUN", "VERB"] * 20
    places = [network.model.columns["upos"].index(tag) for tag in ("NOUN", "VERB")]
    preferred = [("NOUN", "VERB")[int(row[places[1]] > row[places[0]])] for row in reading_of(read).tags]
    assert preferred != seen
    assert next(tw.tagger.Tagger(model).tag([read])).upos == seen
    for tagger in (wide, tw.tagger.Tagger.load(tmp_path / "wide")):
        assert next(tagger.tag([read])).upos == preferred
        assert next(tagger.tag([words])).upos == seen
        swap = np.array([[0.0, 1e9] if tagger.tags[0] == (tag,) else [1e9, 0.0] for tag in seen])
        assert [tagger.tags[tag] for tag in tagger.decode(words, swap).tags] == [(tag,) for tag in seen]
        assert [tagger.tags[tag] for tag in tagger.decode(read, swap).tags] != [(tag,) for tag in seen]
        assert [tagger.tags[tag] for tag in tagger.decode(read).tags] == [(tag,) for tag in preferred]


def test_a_very_long_sentence_is_read_in_parts(parser: tw.Parser) -> None:
    sentence = tw.Sentence.from_words(["the", "rail"] * 1100, upos=["DET", "NOUN"] * 1100)
    assert len(with_readings(parser.model.network, [sentence])) == 1
    [parsed] = parser.parse([sentence])
    assert len(parsed.heads) == 2200


def test_a_network_that_does_not_help_is_left_out(network: Network) -> None:
    parser = tw.Parser.train(SENTENCES * 3, SENTENCES, options=ParserOptions("arc"))
    assert parser.with_network(network, SENTENCES).model.network is None


def test_a_network_that_helps_is_kept_with_its_weights(parser: tw.Parser, network: Network) -> None:
    untrained = replace(parser.model, scorer=Weights.zeros(parser.options.scoring.bits))
    gold = list(tw.Parser(untrained).parse(SENTENCES))
    both = tw.Parser(untrained).without_network().with_network(network, gold)
    assert both.model.network is network
    assert both.options.network is not None
    assert both.options.network.arc in ARC_WEIGHTS
    assert [one.heads.tolist() for one in both.parse(SENTENCES)] == [one.heads.tolist() for one in gold]

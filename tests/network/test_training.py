"""Training of networks with PyTorch: the definition is that of the kernel, runs repeat and resume to the same bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.networks import Expected, expected

import treewright as tw
from treewright.errors import InputError
from treewright.learn import Report
from treewright.network import Network, NetworkOptions
from treewright.network.network import import_training
from treewright.network.options import Sizes
from treewright.parser import ParserOptions
from treewright.pipeline.networks import NO_GAIN
from treewright.pipeline.training import plan_parser
from treewright.words import Words

torch = pytest.importorskip("torch")

OPTIONS = NetworkOptions(Sizes(8, 4, 8, 12, 2, 10, 8), buckets=64, epochs=3, batch_words=12)
ROUNDING = 1e-4  # of logarithms of probabilities, computed with 32 bits


def treebank() -> list[tw.Sentence]:
    nouns, verbs = ["bridge", "rail", "lamp", "gate", "Ruth"], ["creaked", "fell", "shone", "opened", "sang"]
    return [
        tw.Sentence.from_words(
            ["the", noun, verb, "."],
            upos=["DET", "NOUN", "VERB", "PUNCT"],
            heads=[2, 3, 0, 3],
            deprels=["det", "nsubj", "root", "punct"],
        )
        for noun in nouns
        for verb in verbs
    ]


def test_a_network_learns_a_treebank() -> None:
    reports: list[Report] = []
    options = replace(OPTIONS, epochs=30, dropout=0.0, rate=0.01)
    network = Network.train(treebank(), treebank(), options=options, report=reports.append)
    assert reports[-1].figures["las"] == 100
    [reading] = network.read([["the", "tower", "fell", "."]])
    assert tw.decode.tree(reading.arcs).heads.tolist() == [-1, 2, 3, 0, 3]


def test_torch_and_the_kernel_compute_the_definition() -> None:
    """Torch multiplies floats of 32 bits, the kernel rounds factors to eight: each is compared to its definition."""
    training = import_training()
    trainer = training.Trainer(treebank(), [], replace(OPTIONS, dropout=0.0, word_dropout=0.0, case_noise=0.0))
    learner = trainer._learner()
    for number in range(trainer.batches):
        trainer._learn(learner, number)
    model = trainer.model(learner.average())
    network = Network(model)
    batch = trainer.batch(trainer.examples[:3])
    learner.encoder.eval()
    with torch.no_grad():
        states = learner.encoder.states(batch)
        exists = torch.ones(states.shape[:2], dtype=torch.bool)
        arcs = learner.encoder.arcs(states, exists).numpy()
        labels = learner.encoder.labels(states, batch.heads).numpy()
        tags = learner.encoder.tag_output(states).log_softmax(-1).numpy()
    for place, sentence in enumerate(treebank()[:3]):
        heads = [-1, *sentence.heads.tolist()]
        trained = expected(model, sentence.forms, rounded=False)
        compare(trained, heads, arcs[place], tags[place, 1:], labels[place, 1:])
        [reading] = network.read([sentence.forms])
        compare(expected(model, sentence.forms), heads, reading.arcs, reading.tags, reading.labels(heads))


def compare(wanted: Expected, heads: list[int], arcs: NDArray[Any], tags: NDArray[Any], labels: NDArray[Any]) -> None:
    known = np.isfinite(wanted.arcs)
    assert np.allclose(arcs[known], wanted.arcs[known], rtol=0, atol=ROUNDING)
    assert np.allclose(tags, wanted.tags, rtol=0, atol=ROUNDING)
    assert np.allclose(labels, wanted.labels(heads), rtol=0, atol=ROUNDING)


def test_a_training_is_not_resumed_with_other_parsed_sentences(tmp_path: Path) -> None:
    def stop(report: Report) -> None:
        raise KeyboardInterrupt

    sentences, checkpoint = treebank(), tmp_path / "state"
    with pytest.raises(KeyboardInterrupt):
        Network.train(sentences, options=OPTIONS, parsed=sentences[:2], checkpoint=checkpoint, report=stop)
    with pytest.raises(InputError, match="another training: other training data"):
        Network.train(sentences, options=OPTIONS, parsed=sentences[:3], checkpoint=checkpoint, resume=True)


def test_a_training_repeats_and_resumes_to_the_same_bits(tmp_path: Path) -> None:
    sentences, checkpoint = treebank(), tmp_path / "state"
    Network.train(sentences, options=OPTIONS).save(tmp_path / "whole")

    def stop(report: Report) -> None:
        if report.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Network.train(sentences, options=OPTIONS, checkpoint=checkpoint, report=stop)
    Network.train(sentences, options=OPTIONS, checkpoint=checkpoint, resume=True).save(tmp_path / "resumed")
    Network.train(sentences, options=OPTIONS).save(tmp_path / "again")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_epoch_reads_the_treebank_and_the_parsed_sentences_that_follow() -> None:
    gold, parsed = treebank()[:4], treebank()[4:]  # 16 words, and 21 sentences of 4
    trainer = import_training().Trainer(gold, [], replace(OPTIONS, parsed=2.0), parsed=parsed)
    read = [trainer._numbers_of(epoch).tolist() for epoch in range(3)]
    assert [numbers[:4] for numbers in read] == [[0, 1, 2, 3]] * 3
    assert [number for numbers in read for number in numbers[4:]] == [*range(4, 25), 4, 5, 6]
    assert trainer.words == 48
    batches = trainer._batches_of(1)
    assert sorted(number for batch in batches for number in batch) == sorted(read[1])
    few = import_training().Trainer(gold, [], replace(OPTIONS, parsed=2.0), parsed=parsed[:3])
    assert few._numbers_of(1).tolist() == [*range(7)]


def test_a_network_learns_from_parsed_sentences(tmp_path: Path) -> None:
    gold = [tw.Sentence.from_words(["it", "sang"], upos=["PRON", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])] * 5
    options = replace(OPTIONS, epochs=30, dropout=0.0, rate=0.01, parsed=10.0)
    path = tmp_path / "parsed.conllu"
    tw.write(treebank(), path)
    network = Network.train(gold, options=options, parsed=path)
    [reading] = network.read([["the", "tower", "fell", "."]])
    assert tw.decode.tree(reading.arcs).heads.tolist() == [-1, 2, 3, 0, 3]
    assert network.model.labels == ("nsubj", "root")


def test_the_network_keeps_the_words_that_it_needs(tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("bridge 1 2\nrail 2 1\nunheard 0 3\n", encoding="utf-8")
    network = Network.train(treebank(), options=replace(OPTIONS, vectors=2), words=Words.from_vectors(vectors))
    assert network.model.vector_vocabulary == ("bridge", "rail")
    assert network.model.sizes.vector == 2


def test_the_network_keeps_the_classes_of_frequent_words_and_of_the_treebank(tmp_path: Path) -> None:
    paths = tmp_path / "paths"
    paths.write_text("00\toften\t9\n01\tunheard\t8\n10\tbridge\t7\n", encoding="utf-8")
    network = Network.train(treebank(), options=replace(OPTIONS, classes=1), words=Words.from_classes(paths))
    assert dict(network.model.word_classes) == {"often": "00", "bridge": "10"}


def test_dropout_keeps_the_mean_and_drops_its_share() -> None:
    from treewright.network.encoder import Dropout

    torch.manual_seed(1)
    for share in (0.0, 0.25, 0.5):
        found = Dropout(share)(torch.ones(100, 1001))
        assert float(found.mean()) == pytest.approx(1, abs=0.01)
        assert float((found == 0).float().mean()) == pytest.approx(share, abs=0.01)
    assert torch.equal(Dropout(0.5).eval()(torch.ones(7)), torch.ones(7))


def test_sentences_without_words_and_open_cells() -> None:
    with pytest.raises(InputError, match="the training data has no sentences"):
        Network.train([], options=OPTIONS)
    half = [tw.Sentence.from_words(["a", "b"], upos=["X", "X"], heads=[2, -1], deprels=["dep", "_"])]
    assert Network.train(half, options=OPTIONS).read([["a"]])[0].arcs.shape == (2, 2)


def test_a_network_that_reads_tags_learns_from_them() -> None:
    """Forms and places say nothing here: the tag alone says which of two equal words is the root."""
    words = [("VERB", "NOUN", [0, 1]), ("NOUN", "VERB", [2, 0])]
    sentences = [
        tw.Sentence.from_words(["x", "x"], upos=[one, other], heads=heads, deprels=["dep", "dep"])
        for one, other, heads in words * 40
    ]
    network = Network.train(sentences, options=OPTIONS.reading_tags())
    assert not network.model.columns
    for sentence, reading in zip(sentences[:2], network.read(sentences[:2]), strict=True):
        assert tw.decode.tree(reading.arcs).heads[1:].tolist() == sentence.heads.tolist()


def test_a_parser_and_a_pipeline_are_trained_with_a_network(tmp_path: Path) -> None:
    sentences, notes = treebank(), list[str]()
    plan = plan_parser(sentences, sentences, ParserOptions(), network=OPTIONS)
    parser = plan.run(checkpoint=tmp_path / "c")
    assert [sentence.heads.tolist() for sentence in parser.parse(sentences[:2])] == [[2, 3, 0, 3]] * 2
    assert parser.model.network is None  # trees of the linear model are all right already
    nlp = tw.Pipeline.train(sentences, sentences, network=OPTIONS, note=notes.append)
    assert nlp.network is None
    assert NO_GAIN in notes


def test_training_that_starts_with_a_network_keeps_its_words_and_begins_with_its_weights() -> None:
    """A rate of almost zero changes almost nothing; labels and words that the network does not have are left out."""
    trained = Network.train(treebank(), treebank(), options=replace(OPTIONS, epochs=20, dropout=0.0, rate=0.01))
    other = [
        tw.Sentence.from_words(
            ["a", "kite", "fell", "."],
            upos=["DET", "NOUN", "VERB", "PUNCT"],
            heads=[2, 3, 0, 3],
            deprels=["det", "dislocated", "root", "punct"],
        )
    ]
    sentence = ["the", "lamp", "fell", "."]
    still = Network.train(other, options=replace(OPTIONS, epochs=1, rate=1e-9), start=trained)
    assert (still.model.vocabulary, still.model.labels) == (trained.model.vocabulary, trained.model.labels)
    [before], [after] = trained.read([sentence]), still.read([sentence])
    np.testing.assert_allclose(after.arcs, before.arcs, atol=ROUNDING)
    adapted = Network.train(other, options=replace(OPTIONS, epochs=150, dropout=0.0, rate=0.01), start=trained)
    [before], [after] = (network.read([["a", "kite", "fell", "."]]) for network in (trained, adapted))
    assert after.arcs[2, 1] > before.arcs[2, 1] + 0.1

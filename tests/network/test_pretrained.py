"""Networks over a pretrained encoder: any transformer that `transformers` loads, in a model file like any other."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import InputError
from treewright.learn import Report
from treewright.model.registry import load_parser
from treewright.network import Network, NetworkOptions
from treewright.network import options as network_options
from treewright.network.model import EncoderModel
from treewright.network.network import import_training
from treewright.network.options import EncoderOptions, Sizes
from treewright.parser.network_scores import NetworkWeights

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

NOUNS, VERBS = ["bridge", "rail", "lamp", "gate", "Ruth"], ["creaked", "fell", "shone", "opened", "sang"]
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", ".", "bri", "##dge", "rail", "lamp", "gate", "ruth"]
PIECES += ["creak", "##ed", "fell", "shone", "open", "sang", "tow", "##er"]
SIZE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
ROUNDING = 0.02  # of logarithms of probabilities: weights of 16 bits, and of eight in the matrices of the network


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Compute with one thread: the encoder is so small that others would only wait."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a BERT of two layers, whose weights are random."""
    folder = tmp_path_factory.mktemp("encoder")
    cutter = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({piece: number for number, piece in enumerate(PIECES)}, unk_token="[UNK]")
    )
    cutter.normalizer = tokenizers.normalizers.BertNormalizer()
    cutter.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    cutter.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    transformers.PreTrainedTokenizerFast(tokenizer_object=cutter, pad_token="[PAD]").save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.BertConfig(vocab_size=len(PIECES), max_position_embeddings=40, **SIZE)
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def options(encoder: Path, **settings: Any) -> NetworkOptions:
    sizes = Sizes(word=0, cls=0, subword=0, units=12, layers=1, arc=10, label=8)
    return NetworkOptions(
        sizes,
        buckets=64,
        epochs=15,
        batch_words=20,
        rate=0.01,
        dropout=0.0,
        case_noise=0.0,
        encoder=EncoderOptions(str(encoder), mixed=2, rate=0.002, **settings),
    )


def treebank() -> list[tw.Sentence]:
    """Two orders of words, which places do not tell apart."""
    upos, labels = ("DET", "NOUN", "VERB", "PUNCT"), ("det", "nsubj", "root", "punct")
    orders = (((0, 1, 2, 3), [2, 3, 0, 3]), ((2, 0, 1, 3), [0, 3, 1, 1]))
    return [
        tw.Sentence.from_words(
            [("the", noun, verb, ".")[place] for place in order],
            upos=[upos[place] for place in order],
            heads=heads,
            deprels=[labels[place] for place in order],
        )
        for noun in NOUNS
        for verb in VERBS
        for order, heads in orders
    ]


def test_training_keeps_one_encoder_however_many_epochs_there_are(encoder: Path) -> None:
    """The encoder that judges an epoch is freed after it; cycles of references would keep it for long."""
    pretrained = import_training(encoder=True).Pretrained
    made: list[weakref.ref[Any]] = []
    alive: list[int] = []
    gc.disable()  # as if the collector came too late
    try:
        with pytest.MonkeyPatch.context() as patch:
            of_model = pretrained.of_model

            def watched(stored: EncoderModel) -> Any:
                loaded = of_model(stored)
                made.append(weakref.ref(loaded))
                return loaded

            patch.setattr(pretrained, "of_model", watched)
            Network.train(
                treebank(),
                treebank()[:4],
                options=replace(options(encoder), epochs=4),
                report=lambda _: alive.append(sum(reference() is not None for reference in made)),
            )
    finally:
        gc.enable()
    assert len(made) >= 4
    assert alive == [0] * 4


@pytest.mark.parametrize("frozen", [0, 1])
def test_a_network_learns_from_the_states_alone(encoder: Path, frozen: int) -> None:
    """The network has no rows for words: all that it knows about them comes from the encoder."""
    network = Network.train(treebank(), options=options(encoder, frozen=frozen))
    for sentence, reading in zip(treebank(), network.read(treebank()), strict=True):
        heads = tw.decode.tree(reading.arcs).heads
        assert heads[1:].tolist() == sentence.heads.tolist()
        labels = [network.model.labels[number] for number in reading.labels(heads).argmax(axis=1).tolist()]
        assert labels == sentence.deprels


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "deberta-v2", "mpnet", "distilbert", "electra"])
def test_encoders_of_other_kinds_are_read(encoder: Path, tmp_path: Path, kind: str) -> None:
    """States of frozen layers are stored, and a model is restored, whatever the layers of a kind return."""
    from treewright.network.pretrained import Pretrained, piece_tensors

    places = {"max_position_embeddings": 44, "pad_token_id": 0, "vocab_size": len(PIECES)}
    config = transformers.AutoConfig.for_model(kind, **{**SIZE, "num_hidden_layers": 4}, **places)
    transformers.AutoTokenizer.from_pretrained(encoder).save_pretrained(tmp_path)
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    made = Pretrained.of_source(EncoderOptions(str(tmp_path), frozen=3))
    made.eval()
    assert len(made.mixture) == 2  # the last frozen layer and the one above it
    tensors = piece_tensors([made.pieces(["the", "bridge", "creaked"]), made.pieces(["Ruth"])], 9)
    numbers, counts = tensors["numbers"], tensors["counts"]
    stored = torch.nn.utils.rnn.pad_sequence(made.frozen_states(numbers, counts), batch_first=True).float()
    restored, fresh = Pretrained.of_model(made.stored()), Pretrained.of_source(EncoderOptions(str(tmp_path), frozen=3))
    restored.eval()
    fresh.eval()
    with torch.no_grad():
        whole = made(numbers, counts)
        others = made(numbers, counts, stored), fresh(numbers, counts, stored), restored(numbers, counts)
    assert whole.shape == (*numbers.shape, SIZE["hidden_size"])
    for other in others:
        for place, count in enumerate(counts.tolist()):
            torch.testing.assert_close(other[place, :count], whole[place, :count], rtol=0.05, atol=0.05)


def test_states_of_frozen_layers_are_those_of_the_batch(encoder: Path) -> None:
    """Examples whose case was changed live for one batch; the next ones may have their place in memory."""
    from treewright.network.pretrained import PretrainedTrainer

    trainer = PretrainedTrainer(treebank(), [], options(encoder, frozen=1))
    for count in range(1, 30):
        sentence = tw.Sentence.from_words(["the", "bridge"] * (count % 7 + 1), heads=[0] + [1] * (count % 7 * 2 + 1))
        batch = trainer.batch(trainer.encode([sentence]))
        [states] = trainer.pretrained.frozen_states(batch.numbers, batch.counts)
        assert batch.frozen_states is not None
        np.testing.assert_array_equal(batch.frozen_states[0].numpy(), states.float().numpy())


def test_pieces_know_their_words(encoder: Path) -> None:
    from treewright.network.pretrained import Pretrained

    made = Pretrained.of_source(EncoderOptions(str(encoder)))
    numbers, nodes = made.pieces(["the", "bridge", "creaked", "."])
    assert [PIECES[number] for number in numbers] == [*("[CLS]", "the", "bri", "##dge", "creak", "##ed", ".", "[SEP]")]
    assert nodes.tolist() == [0, 1, 2, 2, 3, 3, 4, -1]
    assert len(made.pieces(["the"] * 100)[0]) == made.max_pieces  # the encoder has no more places


def test_a_model_file_has_all_that_reading_needs(encoder: Path, tmp_path: Path) -> None:
    network = Network.train(treebank(), options=replace(options(encoder), epochs=2))
    network.save(tmp_path / "network.tw")
    loaded = Network.load(tmp_path / "network.tw")
    sentences = [["the", "lamp", "fell", "."], ["Ruth", "sang"], []]
    for before, after in zip(network.read(sentences), loaded.read(sentences), strict=True):
        known = np.isfinite(before.arcs)
        np.testing.assert_allclose(after.arcs[known], before.arcs[known], atol=ROUNDING)
        np.testing.assert_allclose(after.tags, before.tags, atol=ROUNDING)
    assert str(encoder).encode() not in (tmp_path / "network.tw").read_bytes()


def test_a_sentence_is_read_as_in_any_batch_but_for_rounding(encoder: Path) -> None:
    network = Network.train(treebank(), options=replace(options(encoder), epochs=2))
    sentences = [sentence.forms[:length] for sentence in treebank() for length in (1, 2, 3, 4)]
    for forms, together in zip(sentences, network.read(sentences), strict=True):
        [alone] = network.read([forms])
        known = np.isfinite(alone.arcs)
        np.testing.assert_allclose(together.arcs[known], alone.arcs[known], atol=ROUNDING)


def test_an_interrupted_training_continues(encoder: Path, tmp_path: Path) -> None:
    class Interrupted(Exception):
        pass

    def interrupt(report: Report) -> None:
        if report.epoch == 2:
            raise Interrupted

    settings = replace(options(encoder, frozen=1), epochs=3)
    whole = Network.train(treebank(), options=settings)
    with pytest.raises(Interrupted):
        Network.train(treebank(), options=settings, checkpoint=tmp_path / "c", report=interrupt)
    resumed = Network.train(treebank(), options=settings, checkpoint=tmp_path / "c", resume=True)
    for name, array in whole.model.arrays.items():
        np.testing.assert_allclose(resumed.model.arrays[name], array, atol=ROUNDING)


def test_an_epoch_of_many_words_is_read_in_parts(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from treewright.network.pretrained import PretrainedTrainer

    monkeypatch.setattr(network_options, "PART_WORDS", 50)
    sentences = treebank()
    trainer = PretrainedTrainer(sentences, [], replace(options(encoder), epochs=2))
    assert (trainer.parts, trainer.epochs) == (4, 8)
    assert network_options.stage_costs(trainer.options, 200)[0].epochs == 8
    for begin in (0, 4):
        parts = [trainer._numbers_of(epoch).tolist() for epoch in range(begin, begin + 4)]
        assert sorted(chain.from_iterable(parts)) == list(range(len(sentences)))
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert trainer._numbers_of(0).tolist() != trainer._numbers_of(4).tolist()


def test_fewer_layers_are_used(encoder: Path) -> None:
    network = Network.train(treebank(), options=replace(options(encoder, layers=1), epochs=1))
    assert network.model.encoder is not None
    assert not [name for name in network.model.encoder.arrays if "layer.1." in name]
    with pytest.raises(InputError, match="2 layers are frozen; the encoder has 2"):
        Network.train(treebank(), options=options(encoder, frozen=2))


def test_what_is_no_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="transformers loads no encoder from there"):
        Network.train(treebank(), options=options(tmp_path))


def test_a_pipeline_with_an_encoder_decodes_as_any_other(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = tw.Pipeline.train(treebank(), treebank())
    reports: list[Report] = []
    network = Network.train(treebank(), treebank()[:4], options=options(encoder), report=reports.append)
    assert reports[-1].figures["las"] == 100
    model = nlp.trained_parser.model
    parser = tw.Parser(replace(model, network=network, options=replace(model.options, network=NetworkWeights())))
    path = tmp_path / "both.tw"
    tw.Pipeline(nlp.tokeniser, nlp.tagger, parser, {}).save(path)
    words = [tw.Sentence.from_words(["fell", "the", "lamp", "."])]
    loaded = tw.Pipeline.load(path)
    [sentence] = loaded.parse(words)
    assert sentence.heads.tolist() == [0, 3, 1, 1]
    assert sentence.parse.certified
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.delitem(sys.modules, "treewright.network.pretrained")
    with pytest.raises(InputError, match=r"needs PyTorch and transformers: pip install"):
        tw.Pipeline.load(path)
    linear = load_parser(path, network=False)  # `treewright parse --fast` needs neither
    assert isinstance(linear, tw.Pipeline)
    assert linear.network is None

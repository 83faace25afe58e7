"""The network: its readings are probabilities, its file holds everything, and misfits are refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.networks import SMALL, random_network, random_sentences

from treewright import Sentence
from treewright.errors import InputError
from treewright.model import modelfile, registry
from treewright.network import Network, Reading
from treewright.network.model import NetworkModel, NetworkSizes, quantise_rows, restore_rows

PROBABILITY = 1e-5  # tolerance of sums of probabilities of 32 bits


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(random_network())


def same(one: Reading, other: Reading) -> bool:
    heads = np.r_[-1, np.zeros(len(one.tags), dtype=int)]
    pairs = (one.arcs, other.arcs), (one.tags, other.tags), (one.labels(heads), other.labels(heads))
    return all(np.array_equal(left, right) for left, right in pairs)


def test_readings_are_distributions(network: Network) -> None:
    for length, reading in zip([1, 4, 9], network.read(random_sentences(1, [1, 4, 9])), strict=True):
        assert reading.arcs.shape == (length + 1, length + 1)
        assert reading.arcs.dtype == np.float64
        assert np.isneginf(np.diag(reading.arcs)).all()
        assert np.isneginf(reading.arcs[:, 0]).all()
        assert np.allclose(np.exp(reading.arcs[:, 1:]).sum(axis=0), 1, atol=PROBABILITY)
        for begin, end in network.model.column_ranges().values():
            assert np.allclose(np.exp(reading.tags[:, begin:end]).sum(axis=1), 1, atol=PROBABILITY)
        labels = reading.labels([-1, *[0] * length])
        assert labels.shape == (length, 4)
        assert np.allclose(np.exp(labels).sum(axis=1), 1, atol=PROBABILITY)


def test_an_empty_list_and_an_empty_sentence_have_readings_of_their_size(network: Network) -> None:
    assert network.read([]) == []
    [reading] = network.read([[]])
    assert (reading.arcs.shape, reading.tags.shape, reading.labels([-1]).shape) == ((1, 1), (0, 9), (0, 4))


@pytest.mark.parametrize("heads", [[-1, 0], [0, 0, 0], [-1, 3, 0], [-1, -1, 0], [-1.0, 0.0, 0.0]])
def test_heads_that_are_no_nodes_are_refused(network: Network, heads: list[int]) -> None:
    [reading] = network.read([["the", "dog"]])
    with pytest.raises(ValueError, match=r"^heads is "):
        reading.labels(heads)


def test_a_text_is_no_list_of_sentences(network: Network) -> None:
    with pytest.raises(TypeError, match=r"^sentences\[1\] is 'the dog', of type str; expected a list of forms$"):
        network.read([["the"], "the dog"])
    with pytest.raises(TypeError, match=r"^sentences"):
        network.read("the dog")


def test_a_file_of_a_network_reads_as_the_network(network: Network, tmp_path: Path) -> None:
    network.save(tmp_path / "n.tw")
    sentences = random_sentences(2, [3, 8])
    for again in (Network.load(tmp_path / "n.tw"), pickle.loads(pickle.dumps(network))):
        assert all(map(same, network.read(sentences), again.read(sentences)))
        assert again.model.word_classes == network.model.word_classes
    with pytest.raises(InputError, match=r"n\.tw is a network, but a parser is needed"):
        registry.load_component(tmp_path / "n.tw", "parser")


def test_a_network_that_reads_tags_needs_them(tmp_path: Path) -> None:
    classes = ("0", "01", "upos=DET", "upos=NOUN")
    network = Network(replace(random_network(columns={}), classes=classes, word_classes={}, tag_inputs=("upos",)))
    network.save(tmp_path / "n.tw")
    loaded = Network.load(tmp_path / "n.tw")
    assert loaded.model.tag_inputs == ("upos",)

    def read(*upos: str) -> Reading:
        [reading] = loaded.read([Sentence.from_words(["the", "dog"], upos=upos)])
        return reading

    assert same(read("DET", "NOUN"), read("DET", "NOUN"))
    assert not same(read("DET", "NOUN"), read("DET", "DET"))
    assert same(read("_", "_"), read("X", "_"))  # a value that was not in the training data has no row
    with pytest.raises(TypeError, match=r"^sentences has forms alone; this network also reads UPOS: "):
        loaded.read([["the", "dog"]])
    with pytest.raises(ValueError, match="the network reads the column 'lemma'; expected one of upos, xpos, feats"):
        replace(network.model, tag_inputs=("lemma",))


def test_rounding_twice_is_rounding_once() -> None:
    numbers = np.random.default_rng(3).normal(size=(200, 17)).astype(np.float32) ** 3
    numbers[0], numbers[1] = 0, 1e-40
    values, scales = quantise_rows(numbers)
    assert (np.abs(restore_rows(values, scales) - numbers) <= 0.5001 * scales[:, None] + 1e-38).all()
    again, same_scales = quantise_rows(restore_rows(values, scales))
    assert np.array_equal(values, again)
    assert np.array_equal(scales, same_scales)


def changed(model: NetworkModel, name: str, change: Callable[[Any], Any]) -> NetworkModel:
    return replace(model, arrays={**model.arrays, name: change(model.arrays[name].copy())})


def set_to(number: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array.flat[-1] = number
        return array

    return change


@pytest.mark.parametrize("name", list(random_network().arrays))
def test_arrays_that_do_not_fit_are_refused_by_name(name: str) -> None:
    model = random_network()
    for number in (np.nan, np.inf, -np.inf, 2e6):
        with pytest.raises(ValueError, match=f"the array {name} has numbers"):
            changed(model, name, set_to(number))
    with pytest.raises(ValueError, match=f"the array {name} is float64"):
        changed(model, name, lambda array: array.astype(np.float64))
    with pytest.raises(ValueError, match=f"the array {name} is float32"):
        changed(model, name, lambda array: array[..., :-1])
    with pytest.raises(ValueError, match=f"not expected to have, {name}$"):
        replace(model, arrays={key: array for key, array in model.arrays.items() if key != name})


def test_strings_that_do_not_fit_are_refused() -> None:
    model = random_network()
    with pytest.raises(ValueError, match="vocabulary has a word twice"):
        replace(model, vocabulary=("the",) * 6)
    with pytest.raises(ValueError, match="needs at least one label"):
        replace(model, labels=())
    with pytest.raises(ValueError, match="the column upos has no values"):
        replace(model, columns={**model.columns, "upos": ()})
    with pytest.raises(ValueError, match="needs an input"):
        NetworkSizes(0, 0, 0, 0, 1, 1, 1, 1)
    with pytest.raises(ValueError, match="units is 0"):
        replace(SMALL, units=0)


BAD_FILES: dict[str, tuple[Callable[[dict[str, Any], dict[str, Any]], object], str]] = {
    "scales": (lambda header, arrays: arrays.pop("word.scales"), "word does not have a scale for each of its 8 rows"),
    "infinite": (lambda header, arrays: arrays["word.scales"].fill(np.inf), "word has scales that are not finite"),
    "large": (
        lambda header, arrays: arrays["arc.bilinear.scales"].fill(1e6),
        "bilinear has numbers that are not finite, or above",
    ),
    "type": (lambda header, arrays: arrays.update(word=arrays["word"].astype(np.uint8)), "word is uint8"),
    "class": (lambda header, arrays: arrays["class_numbers"].fill(9), "a class that is not among the classes"),
    "classes": (lambda header, arrays: arrays.update({"class_numbers": np.zeros(9, np.int32)}), "words have 9 classes"),
    "text": (lambda header, arrays: arrays.update({"text.vocabulary": arrays["text.vocabulary"][:-1]}), "line break"),
    "words": (lambda header, arrays: arrays.update({"text.vocabulary": np.zeros(0, np.uint8)}), "array word is"),
    "encoding": (lambda header, arrays: arrays["text.vocabulary"].fill(255), "codec can't decode"),
    "layers": (lambda header, arrays: header["sizes"].update(layers=1), "not expected to have, lstm.1.backward.bias"),
    "units": (lambda header, arrays: header["sizes"].update(units=-1), "header.sizes.units is -1"),
    "labels": (lambda header, arrays: header.update(labels=["a"]), "label.output is float32.5, 4."),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_files_whose_parts_do_not_fit_together_are_refused(network: Network, case: str, tmp_path: Path) -> None:
    header, arrays = network.to_arrays()
    change, message = BAD_FILES[case]
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    modelfile.save(tmp_path / "bad.tw", "network", 1, header, arrays)
    with pytest.raises(InputError, match=rf"bad\.tw: not a model file, or a damaged one .*{message}"):
        Network.load(tmp_path / "bad.tw")


def test_a_word_with_a_line_break_cannot_be_stored(network: Network) -> None:
    model = replace(network.model, vocabulary=("a\nb", *network.model.vocabulary[1:]))
    with pytest.raises(ValueError, match="vocabulary has a word with a line break"):
        Network(model).to_arrays()

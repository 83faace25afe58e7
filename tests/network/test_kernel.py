"""The kernel of the network: its values are those of the definition, and the same bits in any batch and thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.networks import SMALL, expected, random_network, random_sentences

from treewright._core import NetworkReader, NetworkWeights
from treewright.network import Network, Reading
from treewright.network import worker as workers
from treewright.network.inputs import Inputs
from treewright.network.model import NetworkModel, NetworkSizes
from treewright.network.worker import NetworkWorker, kernel_arrays, kernel_weights

ROUNDING = 1e-4  # of logarithms of probabilities, computed with 32 bits
EIGHT_BITS = 0.02  # of probabilities, when the factors of matrix products are rounded to integers of eight bits
SIZES = [
    SMALL,
    NetworkSizes(word=8, vector=0, cls=0, subword=0, units=8, layers=1, arc=16, label=8),
    NetworkSizes(word=1, vector=0, cls=3, subword=1, units=1, layers=3, arc=1, label=1),
    NetworkSizes(word=16, vector=20, cls=5, subword=9, units=33, layers=2, arc=40, label=17),
    NetworkSizes(word=5, vector=0, cls=3, subword=1, units=9, layers=3, arc=7, label=1),
]
LENGTHS = [1, 5, 0, 12, 3, 1, 30, 7, 7, 2]


def heads_of(reading: Reading, seed: int) -> list[int]:
    n = len(reading.tags)
    return [-1, *np.random.default_rng(seed).integers(n + 1, size=n).tolist()]


def bits_of(reading: Reading) -> list[bytes]:
    return [array.tobytes() for array in (reading.arcs, reading.tags, reading.labels(heads_of(reading, 0)))]


def check_reading(model: NetworkModel, forms: list[str], reading: Reading) -> None:
    wanted, heads = expected(model, forms), heads_of(reading, len(forms))
    assert np.isneginf(reading.arcs).tolist() == np.isneginf(wanted.arcs).tolist()
    known = np.isfinite(wanted.arcs)
    assert np.allclose(reading.arcs[known], wanted.arcs[known], rtol=0, atol=ROUNDING)
    assert np.allclose(reading.tags, wanted.tags, rtol=0, atol=ROUNDING)
    assert np.allclose(reading.labels(heads), wanted.labels(heads), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_readings_are_those_of_the_definition(sizes: NetworkSizes, portable: bool) -> None:
    model = random_network(1, sizes)
    reader = NetworkWorker(model, Inputs.of_model(model), kernel_weights(model), portable=portable)
    sentences = random_sentences(4, LENGTHS)
    for forms, reading in zip(sentences, reader.read(sentences), strict=True):
        check_reading(model, forms, reading)


def test_one_column_no_columns_and_many_tags() -> None:
    cases: list[dict[str, tuple[str, ...]]] = [{"upos": ("X",)}, {}, {"xpos": tuple(map(str, range(133)))}]
    for columns in cases:
        model = random_network(2, columns=columns)
        [forms] = random_sentences(5, [6])
        check_reading(model, forms, Network(model).read([forms])[0])


@pytest.mark.parametrize("portable", [False, True])
def test_a_reading_has_the_same_bits_in_any_batch(portable: bool) -> None:
    model = random_network(3, SIZES[4])
    sentences = random_sentences(6, LENGTHS * 3)
    weights = kernel_weights(model)
    together = NetworkWorker(model, Inputs.of_model(model), weights, portable=portable).read(sentences)
    alone = NetworkWorker(model, Inputs.of_model(model), weights, portable=portable)
    order = np.random.default_rng(7).permutation(len(sentences)).tolist()
    for number in order:
        [reading] = alone.read([sentences[number]])
        assert bits_of(reading) == bits_of(together[number])


def test_a_reading_has_the_same_bits_in_any_thread() -> None:
    network = Network(random_network(4, SIZES[3]))
    sentences = random_sentences(8, LENGTHS * 4)
    expected_bits = [bits_of(reading) for reading in network.read(sentences)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda forms: bits_of(network.read([forms])[0]), sentences))
    assert found == expected_bits


def test_a_full_cache_is_cleared_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model, sentences = random_network(5), random_sentences(9, [4] * 30)
    wanted = [bits_of(reading) for reading in Network(model).read(sentences)]
    monkeypatch.setattr(workers, "CACHE_SIZE", 3)
    monkeypatch.setattr(workers, "MAX_WORDS", 8)
    reader = NetworkWorker(model, Inputs.of_model(model), kernel_weights(model))
    assert [bits_of(reading) for reading in reader.read(sentences)] == wanted
    assert reader.kernel.types <= 1 + 3 + 8


def test_a_sentence_of_2000_words_is_read() -> None:
    model = random_network(6)
    [forms] = random_sentences(10, [2000])
    check_reading(model, forms, Network(model).read([forms, forms[:3]])[0])


def test_large_weights_give_no_nan() -> None:
    model = random_network(7)
    large = {name: np.where(array < 0, np.float32(-1e6), np.float32(1e6)) for name, array in model.arrays.items()}
    [reading] = Network(replace(model, arrays=large)).read([["the", "dog", "sees"]])
    for array in (reading.arcs, reading.tags, reading.labels([-1, 0, 1, 1])):
        assert not np.isnan(array).any()
        assert not np.isposinf(array).any()


def test_readings_are_those_of_torch_but_for_rounding_to_eight_bits() -> None:
    torch = pytest.importorskip("torch")
    model = random_network(8, SIZES[3])
    sizes, arrays = model.sizes, {name: torch.tensor(array) for name, array in model.arrays.items()}
    lstm = torch.nn.LSTM(sizes.input, sizes.units, sizes.layers, bidirectional=True)
    for layer in range(sizes.layers):
        for direction, ending in (("forward", ""), ("backward", "_reverse")):
            name = f"lstm.{layer}.{direction}"
            getattr(lstm, f"weight_ih_l{layer}{ending}").data = arrays[f"{name}.input"].T.contiguous()
            getattr(lstm, f"weight_hh_l{layer}{ending}").data = arrays[f"{name}.recurrent"].T.contiguous()
            getattr(lstm, f"bias_ih_l{layer}{ending}").data = arrays[f"{name}.bias"]
            getattr(lstm, f"bias_hh_l{layer}{ending}").data.zero_()
    [forms] = random_sentences(11, [9])
    inputs = Inputs.of_model(model)
    rows = [(1, 0, [], []), *map(inputs.of, forms)]
    with torch.no_grad():
        parts = [
            torch.cat(
                [
                    arrays["word"][word],
                    arrays["vector"][vector],
                    arrays["class"][classes].sum(0),
                    arrays["subword"][subwords].mean(0) if subwords else torch.zeros(sizes.subword),
                ]
            )
            for word, vector, classes, subwords in rows
        ]
        states = lstm(torch.stack(parts))[0]
        heads = torch.relu(states @ arrays["arc.head"] + arrays["arc.head_bias"])
        modifiers = torch.relu(states @ arrays["arc.modifier"] + arrays["arc.modifier_bias"])
        scores = heads @ arrays["arc.bilinear"] @ modifiers.T + (heads @ arrays["arc.linear"])[:, None]
        arcs = torch.log_softmax(scores.fill_diagonal_(-torch.inf), dim=0)[:, 1:].numpy()
    [reading] = Network(model).read([forms])
    assert np.allclose(np.exp(reading.arcs[:, 1:]), np.exp(arcs), rtol=0, atol=EIGHT_BITS)


def indices(numbers: list[int]) -> NDArray[np.int32]:
    return np.array(numbers, dtype=np.int32)


BAD_CALLS: dict[str, tuple[Any, str]] = {
    "word": (lambda reader: reader.add(8, 0, [], []), "word must be a row"),
    "vector": (lambda reader: reader.add(0, -1, [], []), "vector must be a row"),
    "class": (lambda reader: reader.add(0, 0, [4], []), "classes must be rows"),
    "subword": (lambda reader: reader.add(0, 0, [], [50]), "subwords must be rows"),
    "type": (lambda reader: reader.read(indices([1]), indices([1])), "types must have been added"),
    "negative": (lambda reader: reader.read(indices([]), indices([-1])), "lengths must not be negative"),
    "length": (lambda reader: reader.read(indices([0]), indices([2])), "types must have an entry a word"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_rows_that_do_not_exist_are_refused(case: str) -> None:
    call, message = BAD_CALLS[case]
    with pytest.raises(ValueError, match=message):
        call(NetworkReader(kernel_weights(random_network())))


def test_arrays_that_do_not_fit_are_refused_by_the_kernel_too() -> None:
    model = random_network()
    sizes = [size for name, size in asdict(model.sizes).items() if name != "encoder"]
    columns = [3, 2, 4]
    arrays: dict[str, Any] = kernel_arrays(model.arrays)
    for name, array in arrays.items():
        bad_arrays = [np.ascontiguousarray(array[..., :-1]), array.astype(np.float64)]
        if array.dtype == np.float32:
            bad_arrays.append(np.full_like(array, np.nan))
        for bad in bad_arrays:
            with pytest.raises(ValueError, match=f"^{name} "):
                NetworkWeights({**arrays, name: bad}, sizes, columns, 4)
    for bad_sizes in (
        sizes[:-1],
        [*sizes[:8], 2],
        [*sizes[:4], 0, *sizes[5:]],
        [-1, *sizes[1:]],
        [1 << 20, *sizes[1:]],
    ):
        with pytest.raises(ValueError, match="size"):
            NetworkWeights(arrays, bad_sizes, columns, 4)
    for bad_columns in ([], [3, 2, 0, 4], [-1], [1 << 30]):
        with pytest.raises(ValueError, match=r"columns|tag"):
            NetworkWeights(arrays, sizes, bad_columns, 4)
    with pytest.raises(ValueError, match="labels"):
        NetworkWeights(arrays, sizes, columns, 0)


def test_heads_that_do_not_fit_are_refused_by_the_kernel_too() -> None:
    weights = kernel_weights(random_network())
    sides = np.zeros((3, 32), dtype=np.float32)
    for heads in ([-1, 0], [-1, 0, 3], [-1, -1, 0]):
        with pytest.raises(ValueError, match="heads must"):
            weights.labels(sides, np.array(heads, dtype=np.int32))
    with pytest.raises(ValueError, match="sides must"):
        weights.labels(sides[:, :8].copy(), np.array([-1, 0, 1], dtype=np.int32))

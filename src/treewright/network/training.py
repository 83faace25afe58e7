"""Training of a network by PyTorch: words and tags of the treebank, batches, Adam steps (treewright.learn)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from treewright import decode
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.learn import Judgement, Numbers, Observer, Stage, State, run
from treewright.network.encoder import IGNORED, Batch, Encoder, padded, word_tensors
from treewright.network.inputs import Inputs, Rows, path_prefixes, represent, tag_strings
from treewright.network.model import NO_VECTOR_ROW, ROOT_ROW, Floats, NetworkModel, NetworkSizes
from treewright.network.network import Network
from treewright.network.options import STAGE, NetworkOptions, Sizes
from treewright.tokeniser.casing import with_case_noise, without_capitals
from treewright.words import Words

WARM_UP = 100  # steps in which the rate rises; not tuned
MAX_GRADIENT = 5.0  # the length to which longer gradients are cut; not tuned
BETAS = (0.9, 0.95)  # of Adam; the second is that of Dozat & Manning 2017
LENGTH_NOISE = 3.0  # words; sentences of about the same length are in one batch, others in each epoch
NO_WORDS: tuple[tuple[str, ...], Floats, Mapping[str, str]] = ((), np.zeros((1, 0), dtype=np.float32), {})


class Strings(NamedTuple):
    """The strings that rows of tables, tags and labels stand for."""

    vocabulary: tuple[str, ...]
    vector_vocabulary: tuple[str, ...]
    classes: tuple[str, ...]
    word_classes: Mapping[str, str]
    columns: Mapping[str, tuple[str, ...]]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Example:
    """A training sentence: the word type, the head, the label and the tags of each node."""

    types: NDArray[np.int64]
    heads: NDArray[np.int64]
    labels: NDArray[np.int64]
    tags: NDArray[np.int64]


class Trainer:
    """The training data as numbers, and the stage that learns from them.

    parsed: sentences with the trees of another model. An epoch reads all training sentences and `options.parsed` times
    as many words of these, the next epoch the following ones. With a pretrained encoder the epochs of the engine, which
    end with a checkpoint, are parts of an epoch.
    start: a model whose strings and weights training begins with.
    """

    encoder_size = 0  # of the states of a pretrained encoder

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence],
        options: NetworkOptions,
        words: Words | None = None,
        parsed: Sequence[Sentence] = (),
        start: NetworkModel | None = None,
    ) -> None:
        if not any(len(sentence) for sentence in sentences):
            raise InputError("the training data has no sentences")
        self.open_encoder(options, start)
        self.options = options if start is None else options_of_model(options, start)
        self.dev, self.start = dev, start
        both = [*sentences, *parsed]
        counts = Counter(represent(form).lower() for sentence in both for form in sentence.forms)
        self.strings, self.vectors = (
            strings_of(sentences, counts, options, words) if start is None else strings_of_model(start)
        )
        self.counts = np.array([np.inf, np.inf, *(counts[word] for word in self.strings.vocabulary)], dtype=np.float32)
        self.types: list[Rows] = [(ROOT_ROW, NO_VECTOR_ROW, [], [])]
        self.examples = self.encode(with_case_noise(both, options.case_noise, options.seed))
        words_of_treebank, words_of_parsed = sum(map(len, sentences)), sum(map(len, parsed))
        share = min(1.0, options.parsed * words_of_treebank / max(words_of_parsed, 1))  # of the parsed, in an epoch
        self.parts = options.parts_for(words_of_treebank)
        self.epochs = options.epochs_for(words_of_treebank) * self.parts
        self.words = round((words_of_treebank + share * words_of_parsed) / self.parts)  # of an epoch
        self.batches = max(1, round(self.words / options.batch_words))
        self._sentences, self._parsed = len(sentences), round(share * len(parsed) / self.parts)  # that an epoch reads
        self._lengths = np.array([len(example.types) for example in self.examples])
        self._epoch, self._numbers = -1, list[list[int]]()  # whose batches are kept, and these

    def open_encoder(self, options: NetworkOptions, start: NetworkModel | None) -> None:
        """Open a pretrained encoder, in a class that has one."""

    @property
    def sizes(self) -> NetworkSizes:
        """The sizes of the network."""
        return NetworkSizes(vector=self.vectors.shape[1], **vars(self.options.sizes), encoder=self.encoder_size)

    def run(self, state: State | None = None, observer: Observer | None = None) -> NetworkModel:
        """Train; return the model of the epoch with the best score on dev."""
        weights = run([self.stage()], seed=self.options.seed, state=state, observer=observer)
        return self.model(weights[STAGE])

    def stage(self) -> Stage[AdamLearner]:
        """Return the stage that trains the network."""
        return Stage(
            STAGE,
            learner=self._learner,
            learn=self._learn,
            examples=range(self.batches),
            size=self.words,
            epochs=self.epochs,
            judge=self.judge if any(len(sentence) for sentence in self.dev) else None,
        )

    def model(self, weights: Numbers) -> NetworkModel:
        """Return the model with these weights."""
        encoder, strings = self.new_encoder(), self.strings
        torch.nn.utils.vector_to_parameters(torch.from_numpy(weights), encoder.trained())
        return NetworkModel(
            self.sizes,
            strings.vocabulary,
            strings.vector_vocabulary,
            strings.classes,
            strings.columns,
            strings.labels,
            encoder.arrays(),
            strings.word_classes,
            settings=asdict(self.options),
            tag_inputs=self.options.tag_inputs,
            encoder=encoder.pretrained_model(),
        )

    def new_encoder(self) -> Encoder:
        """Make an encoder with initial weights: random ones, or those of the model that training begins with."""
        torch.manual_seed(self.options.seed)
        encoder = Encoder(self.sizes, self.vectors, **self.encoder_options())
        if self.start is not None:
            encoder.set_arrays(self.start.arrays)
        return encoder

    def encoder_options(self) -> dict[str, Any]:
        """Return the options of an encoder for these strings."""
        strings, options = self.strings, self.options
        return {
            "words": len(strings.vocabulary) + 2,
            "classes": len(strings.classes),
            "buckets": options.buckets,
            "columns": [len(values) for values in strings.columns.values()],
            "labels": len(strings.labels),
            "dropout": options.dropout,
        }

    def _learner(self) -> AdamLearner:
        return AdamLearner(self.new_encoder, self.options, self.batches * self.epochs)

    def _learn(self, learner: AdamLearner, number: int) -> float:
        self.set_threads()
        torch.set_flush_denormal(True)  # moments of rare rows decay to denormal numbers, which took 40 % of the time
        epoch = learner.steps // self.batches
        numbers = self._batches_of(epoch)[number]
        if not numbers:  # beside a sentence that is longer than a batch
            learner.steps += 1
            return 0.0
        torch.manual_seed(int(np.random.default_rng([self.options.seed, learner.steps]).integers(1 << 62)))
        batch = self.batch([self.examples[number] for number in numbers], self.options.word_dropout)
        return learner.step(batch, int((batch.lengths - 1).sum()))

    def set_threads(self) -> None:
        """Compute with one thread, so that sums, and the trained network, do not depend on the machine's cores."""
        torch.set_num_threads(1)

    def _batches_of(self, epoch: int) -> list[list[int]]:
        """Return the batches of an epoch, which are made once."""
        if self._epoch != epoch:
            self._epoch, self._numbers = epoch, self._new_batches(epoch)
        return self._numbers

    def _new_batches(self, epoch: int) -> list[list[int]]:
        """Make batches of sentences of about the same length, each with about the same number of words."""
        random = np.random.default_rng([self.options.seed, epoch])
        numbers = self._numbers_of(epoch)
        lengths = self._lengths[numbers]
        order = np.argsort(lengths + random.uniform(0, LENGTH_NOISE, len(lengths)), kind="stable")
        ends = np.cumsum(lengths[order]) - lengths[order] / 2
        batch_numbers = (ends * (self.batches / lengths.sum())).astype(int)
        batches: list[list[int]] = [[] for _ in range(self.batches)]
        for batch, sentence in zip(batch_numbers.tolist(), numbers[order].tolist(), strict=True):
            batches[batch].append(sentence)
        return batches

    def _numbers_of(self, epoch: int) -> NDArray[np.int64]:
        """Return the examples of an epoch: the treebank, and the parsed sentences after those of the last epoch."""
        parsed = np.arange(epoch * self._parsed, (epoch + 1) * self._parsed)
        others = max(1, len(self.examples) - self._sentences)
        whole, part = divmod(epoch, self.parts)
        order = np.arange(self._sentences)
        if self.parts > 1:
            order = np.random.default_rng([self.options.seed, whole]).permutation(order)[part :: self.parts]
        return np.concatenate([order, self._sentences + parsed % others])

    def batch(self, examples: Sequence[Example], word_dropout: float = 0.0) -> Batch:
        """Return the examples as tensors; a share of rare words is replaced by the unknown word."""
        nodes = [example.types for example in examples]
        types, inverse = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *nodes]), return_inverse=True)
        lengths = list(map(len, nodes))
        tensors = word_tensors(
            [self.types[number] for number in types.tolist()], np.split(inverse, np.cumsum(lengths)[:-1])
        )
        words = tensors[0]
        share = word_dropout / (word_dropout + torch.from_numpy(self.counts)[words])
        return Batch(
            torch.where(torch.rand(len(words)) < share, 0, words),
            *tensors[1:],
            padded([example.heads for example in examples], IGNORED),
            padded([example.labels for example in examples], IGNORED),
            padded([example.tags for example in examples], IGNORED),
        )

    def encode(self, sentences: Sequence[Sentence]) -> list[Example]:
        """Return the sentences as numbers, and add their word types to those that are known."""
        strings = self.strings
        inputs = Inputs(*strings[:4], buckets=self.options.buckets)
        types: dict[tuple[str, tuple[str, ...]], int] = {}
        labels = {label: number for number, label in enumerate(strings.labels)}
        columns = {
            name: {value: number for number, value in enumerate(values)} for name, values in strings.columns.items()
        }
        examples = []
        for sentence in sentences:
            forms = without_capitals(sentence.forms)
            words = list(zip(forms, tag_strings(sentence, self.options.tag_inputs), strict=True))
            for word in words:
                if word not in types:
                    types[word] = len(self.types)
                    self.types.append(inputs.of(*word))
            heads = [head if head >= 0 else IGNORED for head in sentence.heads.tolist()]
            tags = np.full((len(sentence) + 1, len(columns)), IGNORED, dtype=np.int64)
            for column, (name, values) in enumerate(columns.items()):
                tags[1:, column] = [values.get(tag, IGNORED) for tag in getattr(sentence, name)]
            examples.append(
                Example(
                    np.array([0, *(types[word] for word in words)], dtype=np.int64),
                    np.array([IGNORED, *heads], dtype=np.int64),
                    np.array([IGNORED, *(labels.get(label, IGNORED) for label in sentence.deprels)], dtype=np.int64),
                    tags,
                )
            )
        return examples

    def judge(self, weights: Numbers) -> Judgement:
        """Return the share of words of the development data with the right head and label, and of right tags."""
        network = Network(self.model(weights).quantise())
        words = heads = arcs = 0
        right_tags = dict.fromkeys(self.strings.columns, 0)
        ranges = network.model.column_ranges()
        for sentence, reading in zip(self.dev, network.read(self.dev), strict=True):
            tree = decode.tree(reading.arcs).heads
            same = tree[1:] == sentence.heads
            labels = [self.strings.labels[number] for number in reading.labels(tree).argmax(axis=1).tolist()]
            words += len(sentence)
            heads += int(same.sum())
            arcs += sum(map(all, zip(same.tolist(), map(str.__eq__, labels, sentence.deprels), strict=True)))
            for name, (begin, end) in ranges.items():
                values = self.strings.columns[name]
                numbers = reading.tags[:, begin:end].argmax(axis=1).tolist()
                both = zip(numbers, getattr(sentence, name), strict=True)
                right_tags[name] += sum(values[number] == tag for number, tag in both)
        figures = {"uas": heads, "las": arcs, **right_tags}
        return Judgement(100 * arcs / words, {name: 100 * count / words for name, count in figures.items()})


class AdamLearner:
    """The parameters of an encoder as one array, with Adam steps (Kingma & Ba 2015), for the training engine."""

    def __init__(self, new_encoder: Callable[[], Encoder], options: NetworkOptions, planned: int) -> None:
        self.new_encoder, self.rate, self.planned = new_encoder, options.rate, planned
        self.tag_weight = options.tag_weight
        self.steps = 0
        self.reset()

    def step(self, batch: Batch, words: int) -> float:
        """Take one step; return the sum of the losses of the words."""
        share = min(1.0, (self.steps + 1) / WARM_UP) * max(0.0, 1 - self.steps / self.planned)
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * share
        self.encoder.train()
        self.optimizer.zero_grad()
        loss = self.encoder.loss(batch, self.tag_weight)
        (loss / max(words, 1)).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.parameters, MAX_GRADIENT)
        self.optimizer.step()
        self.steps += 1
        return float(loss.detach())

    def arrays(self) -> dict[str, Numbers]:
        """Return the arrays of the state."""
        return {"weights": self.average(), **{name: self._moments(name) for name in ("exp_avg", "exp_avg_sq")}}

    def restore(self, arrays: Mapping[str, Numbers], steps: int) -> None:
        """Continue from a saved state."""
        self.steps = steps
        torch.nn.utils.vector_to_parameters(torch.from_numpy(np.array(arrays["weights"])), self.parameters)
        means, squares = (self._split(arrays[name]) for name in ("exp_avg", "exp_avg_sq"))
        for parameter, mean, square in zip(self.parameters, means, squares, strict=True):
            state = {"step": torch.tensor(float(steps)), "exp_avg": mean, "exp_avg_sq": square}
            self.optimizer.state[parameter] = state

    def reset(self) -> None:
        """Start again from the initial weights; the steps, by which the rate falls, are counted on."""
        self.encoder = self.new_encoder()
        self.parameters = self.encoder.trained()
        self.optimizer = torch.optim.Adam(self.encoder.rates(self.rate), lr=self.rate, betas=BETAS, fused=True)

    def average(self) -> Numbers:
        """Return the weights; the rate falls to zero, so that they need no average."""
        return np.array(torch.nn.utils.parameters_to_vector(self.parameters).detach().numpy())

    def _moments(self, name: str) -> Numbers:
        moments = [  # a table without rows has none
            self.optimizer.state.get(parameter, {}).get(name, torch.zeros_like(parameter)).reshape(-1)
            for parameter in self.parameters
        ]
        return np.array(torch.cat(moments).numpy())

    def _split(self, array: Numbers) -> list[torch.Tensor]:
        parts = torch.from_numpy(np.array(array)).split([parameter.numel() for parameter in self.parameters])
        return [part.reshape(parameter.shape) for part, parameter in zip(parts, self.parameters, strict=True)]


def strings_of(
    sentences: Sequence[Sentence],
    counts: Counter[str],
    options: NetworkOptions,
    words: Words | None,
) -> tuple[Strings, Floats]:
    """Return the strings of the model, and its vectors, of which the first is that of words without one."""
    vocabulary = tuple(sorted(word for word, count in counts.items() if count >= options.min_count))
    vector_words, vectors, word_classes = NO_WORDS if words is None else kept_words(words, options, counts)
    paths = sorted({prefix for path in word_classes.values() for prefix in path_prefixes(path)})
    read_tags = {tag for sentence in sentences for word in tag_strings(sentence, options.tag_inputs) for tag in word}
    predicted = [name for name in options.columns if name not in options.tag_inputs]
    tags = {name: {tag for sentence in sentences for tag in getattr(sentence, name)} for name in predicted}
    columns = {name: tuple(sorted(values)) for name, values in tags.items() if values - {"_"}}
    labels = tuple(sorted({label for sentence in sentences for label in sentence.deprels}))
    return Strings(vocabulary, vector_words, (*paths, *sorted(read_tags)), word_classes, columns, labels), vectors


def options_of_model(options: NetworkOptions, model: NetworkModel) -> NetworkOptions:
    """Return the options with the sizes and the inputs of a model."""
    sizes = Sizes(**{name: getattr(model.sizes, name) for name in vars(options.sizes)})
    return replace(options, sizes=sizes, buckets=len(model.arrays["subword"]), tag_inputs=model.tag_inputs)


def strings_of_model(model: NetworkModel) -> tuple[Strings, Floats]:
    """Return the strings of a model, and its vectors."""
    names = model.vocabulary, model.vector_vocabulary, model.classes, model.word_classes, model.columns, model.labels
    return Strings(*names), model.arrays["vector"]


def kept_words(
    words: Words, options: NetworkOptions, counts: Mapping[str, int]
) -> tuple[tuple[str, ...], Floats, dict[str, str]]:
    """Return the words and vectors that a model keeps, and the classes of frequent words and of the treebank's."""
    kept = words.keep(options.vectors, classes=options.classes)
    vectors = kept.vectors
    if vectors.size:
        vectors = vectors / np.sqrt((vectors.astype(np.float64) ** 2).mean()).astype(np.float32)
    none = np.zeros((1, vectors.shape[1]), dtype=np.float32)
    of_treebank = {word: path for word, path in words.classes.items() if word.lower() in counts}
    return kept.vocabulary, np.concatenate([none, vectors]).astype(np.float32), {**kept.classes, **of_treebank}

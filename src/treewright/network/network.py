"""The public class of the network: train, save, load, read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Unpack

from treewright.caching import Workers
from treewright.checks import check
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.model.checkpoint import Origin
from treewright.model.component import ArrayForm, Arrays, Component, Corpus, Stored, hash_of, metadata_of, sentences_of
from treewright.model.run import Run, RunOptions
from treewright.network import file
from treewright.network.inputs import Inputs
from treewright.network.model import NetworkModel
from treewright.network.options import NetworkOptions
from treewright.network.worker import NetworkWorker, Reading, kernel_weights
from treewright.words import Words

INSTALL = 'pip install "treewright[neural]"'
NEEDS = {  # what the modules need that not everyone has
    "training": f"training a network needs PyTorch: {INSTALL}",
    "pretrained": f"a network over a pretrained encoder needs PyTorch and transformers: {INSTALL}",
}


def import_training(encoder: bool = False) -> ModuleType:
    """Import the module that trains networks, or also reads with those that have a pretrained encoder."""
    name = "pretrained" if encoder else "training"
    try:
        return import_module(f"treewright.network.{name}")
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
        raise InputError(NEEDS[name]) from None


def origin_of(
    train: Sequence[Sentence], dev: Sequence[Sentence], options: Mapping[str, Any], words: Words | None
) -> Origin:
    """Return what a training on whole sentences and on words depends on."""
    training, development = (hash_of(str(sentence).encode() for sentence in corpus) for corpus in (train, dev))
    return Origin.now(training, development, {**options, "words": None if words is None else words.fingerprint()})


class Network(Component):
    """Gives the probabilities of heads, labels and tags of every word of a sentence."""

    KIND: ClassVar[str] = "network"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

    def __init__(self, model: NetworkModel) -> None:
        self.model = model
        self._inputs = Inputs.of_model(model)
        self._workers = Workers(self._new_worker)
        self._pretrained = (
            import_training(encoder=True).PretrainedWorker(model, self._inputs) if model.encoder else None
        )
        self._weights = None if model.encoder else kernel_weights(model)

    @classmethod
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        words: Words | None = None,
        options: NetworkOptions | None = None,
        parsed: Corpus | None = None,
        start: Network | None = None,
        **how: Unpack[RunOptions],
    ) -> Network:
        """Train on the treebank train with PyTorch (pip install "treewright[neural]").

        The epoch with the best score on `dev` is kept. words: vectors and classes of words, of which the network keeps
        those that it needs. parsed: sentences with the trees of another model, of which each epoch reads a part beside
        all of the training sentences (`NetworkOptions.parsed`). start: a network whose weights, words, tags and labels
        training begins with, in place of random weights: to adapt it to other text.
        options hold the settings. how: seed, report, progress, checkpoint and resume (`RunOptions`).
        """
        run = Run(**how)
        check(options, NetworkOptions | None, "options")
        chosen = run.with_seed(options or NetworkOptions())
        sentences, held_out, others = (sentences_of(corpus, "partial") for corpus in (train, dev, parsed))
        begin = None if start is None else start.model
        settings = asdict(chosen) | ({} if begin is None else {"start": hash_of(map(bytes, begin.arrays.values()))})
        state, observer = run.open(lambda: origin_of([*sentences, *others], held_out, settings, words))
        training = import_training(encoder=chosen.encoder is not None)
        made = training.Trainer if chosen.encoder is None else training.PretrainedTrainer
        trainer = made(sentences, held_out, chosen, words, others, begin)
        model: NetworkModel = trainer.run(state, observer)
        return cls(replace(model, metadata=metadata_of(sentences)).quantise())

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        return file.to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Network:
        """Make the network of a header and arrays; messages name their source."""
        return cls(file.from_arrays(header, arrays))

    def read(self, sentences: Sequence[Sequence[str] | Sentence]) -> list[Reading]:
        """Read each sentence; its reading does not depend on the other sentences.

        Sentences are given as their forms; a network that reads tags needs those of a `Sentence`.
        """
        if self._pretrained is not None:
            readings: list[Reading] = self._pretrained.read(sentences)
            return readings
        with self._workers.borrow() as worker:
            return worker.read(sentences)

    def _new_worker(self) -> NetworkWorker:
        assert self._weights is not None
        return NetworkWorker(self.model, self._inputs, self._weights)

    def __repr__(self) -> str:
        sizes, columns = self.model.sizes, ", ".join(self.model.columns)
        return f"Network({sizes.layers} x {sizes.units} units; {columns}; {len(self.model.labels)} labels)"

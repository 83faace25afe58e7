"""The public class of the network: train, save, load, read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from threading import local
from typing import Any, ClassVar

from treewright import component
from treewright.calls import checked, explained_methods
from treewright.component import ArrayForm, Arrays, Corpus, Stored
from treewright.learn import Report
from treewright.network import file
from treewright.network.inputs import Inputs
from treewright.network.model import NetworkModel
from treewright.network.worker import NetworkWorker, Reading, kernel_weights


@explained_methods
class Network:
    """Gives the probabilities of heads, labels and tags of every word of a sentence."""

    KIND: ClassVar[str] = "network"
    FORMAT: ClassVar[int] = 1  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

    def __init__(self, model: NetworkModel) -> None:
        self.model = model
        self._inputs = Inputs(model)
        self._weights = kernel_weights(model)
        self._workers = local()

    @classmethod
    @checked
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        seed: int | None = None,
        options: Any = None,
        report: Callable[[Report], None] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> Network:
        """Train on a treebank with PyTorch (pip install "treewright[neural]")."""
        training = import_module("treewright.network.training")  # it needs PyTorch, reading does not
        settings = {"seed": seed, "options": options, "report": report, "checkpoint": checkpoint, "resume": resume}
        model: NetworkModel = training.train_network(train, dev, **settings)
        return cls(model.rounded())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Network:
        """The network of a model file, or of a pipeline's file."""
        return component.load_as(cls, path)

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file: safetensors with a JSON header."""
        component.save(self, path)

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        return file.to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Network:
        """The inverse of `to_arrays`; messages name the source of the arrays."""
        return cls(file.from_arrays(header, arrays))

    def read(self, sentences: Sequence[Sequence[str]]) -> list[Reading]:
        """A reading of each sentence, given as its forms; it does not depend on the other sentences."""
        return self._worker().read(sentences)

    def _worker(self) -> NetworkWorker:
        if not hasattr(self._workers, "worker"):
            self._workers.worker = NetworkWorker(self._inputs, self._weights)
        worker: NetworkWorker = self._workers.worker
        return worker

    def __reduce__(self) -> tuple[Any, ...]:
        return component.pickled(self)

    def __repr__(self) -> str:
        sizes, columns = self.model.sizes, ", ".join(self.model.columns)
        return f"Network({sizes.layers} x {sizes.units} units; {columns}; {len(self.model.labels)} labels)"

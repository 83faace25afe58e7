"""The models that a server has, by name, each with the threads that work with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from treewright.errors import InputError
from treewright.induce import InducedParser
from treewright.model.registry import load_parser
from treewright.parser import Parser
from treewright.pipeline import Pipeline
from treewright.serve.batching import Batcher

Model: TypeAlias = Pipeline | Parser | InducedParser


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model under the name by which requests ask for it."""

    name: str
    model: Model
    batcher: Batcher

    @property
    def components(self) -> list[str]:
        """What the model does with a text: tokeniser, tagger, parser."""
        return list(self.model.components) if isinstance(self.model, Pipeline) else ["parser"]

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What is known about the model: language, licence, training data."""
        return self.model.metadata if isinstance(self.model, Pipeline) else {}


class Models:
    """The models of a server; the first one serves requests that name none."""

    def __init__(self, models: Mapping[str, Model], threads: int = 1) -> None:
        """Serve these models by name, each with so many threads."""
        self._served = {name: ServedModel(name, model, Batcher(threads)) for name, model in models.items()}

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(self._served.values())

    @property
    def default(self) -> ServedModel:
        """The model of requests that name none."""
        return next(iter(self))

    def find(self, name: str | None) -> ServedModel | None:
        """Return the model of a name, of a name's part before a hyphen, or of a language; None if there is none."""
        if not name:
            return self.default
        with suppress(KeyError):
            return self._served[name]
        for served in self:
            language = str(served.metadata.get("language", "")).lower()
            if served.name.startswith(f"{name}-") or language == name.lower():
                return served
        return None

    @property
    def names(self) -> str:
        """The names, for messages."""
        return ", ".join(self._served)

    def close(self) -> None:
        """End the threads when the requests that wait are done."""
        for served in self:
            served.batcher.close()


def load_models(paths: Sequence[str]) -> dict[str, Model]:
    """Load models by file or name; a file is served under its name without folder and extension."""
    models: dict[str, Model] = {}
    for path in paths:
        name = Path(path).stem
        if name in models:
            raise InputError(f"{path}: there are two models {name}; rename one of the files")
        models[name] = load_parser(path)
    return models

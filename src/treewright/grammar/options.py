"""How grammars are trained: frozen options, saved with the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from treewright.checks import Positive, check_fields, read_plain
from treewright.grammar.trees import Markov


@dataclass(frozen=True)
class TreebankOptions:
    """Everything that the training of a treebank grammar depends on beside the data."""

    markov: Markov = field(default_factory=Markov)
    rare_count: Positive = 5  # words seen at most so often are the examples of unknown words

    def __post_init__(self) -> None:
        check_fields(self)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> TreebankOptions:
        """The inverse of `to_json`."""
        return read_plain(values, cls, "options")

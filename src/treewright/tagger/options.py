"""How a tagger is built and trained: frozen options, saved with the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from treewright.errors import InputError

# The columns a tagger can fill, in the order in which they make up a tag; the lemma is chosen for form and tag.
TAG_COLUMNS = {"upos": "UPOS", "xpos": "XPOS", "feats": "FEATS"}
COLUMNS = {**TAG_COLUMNS, "lemma": "LEMMA"}


@dataclass(frozen=True)
class Learning:
    """How weights are learned."""

    bits: int = 21
    epochs: int = 8
    rate: float = 0.1
    floor: float = 1.0
    cost: float = 1.0  # margin of the gold tag


@dataclass(frozen=True)
class Options:
    """Everything that training depends on beside the data."""

    columns: tuple[str, ...] = tuple(COLUMNS)
    seed: int = 1
    rare: int = 8  # words seen less often are learned from as if they had been seen once less
    sure: int = 4  # words seen so often have no tags beside those they were seen with
    most: int = 12  # candidates that the endings of other words may give
    keep: int = 4  # candidates that trigrams choose from
    tags: Learning = field(default_factory=Learning)
    lemmas: Learning = field(default_factory=lambda: Learning(bits=18, epochs=6))

    def __post_init__(self) -> None:
        checked_columns(self.columns)

    @property
    def tag_columns(self) -> tuple[str, ...]:
        """The columns that make up a tag."""
        return tuple(name for name in TAG_COLUMNS if name in self.columns)

    @property
    def has_lemmas(self) -> bool:
        """Whether lemmas are wanted."""
        return "lemma" in self.columns

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Options:
        """From what `to_json` gave."""
        known = {entry.name for entry in fields(cls)}
        given = {name: value for name, value in values.items() if name in known}
        given |= {name: Learning(**given[name]) for name in ("tags", "lemmas") if name in given}
        return cls(**given | {"columns": tuple(values["columns"])})


def checked_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """Names of columns, in lower case as options write them.

    >>> checked_columns(["upos", "stem"])
    Traceback (most recent call last):
    ...
    treewright.errors.InputError: there is no column 'stem' to fill; there are upos, xpos, feats, lemma
    """
    names = tuple(columns)
    for name in names:
        if name not in COLUMNS:
            raise InputError(f"there is no column {name!r} to fill; there are {', '.join(COLUMNS)}")
    if not names:
        raise InputError(f"no column to fill; choose from {', '.join(COLUMNS)}")
    return names

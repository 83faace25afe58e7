"""How a tagger and a tokeniser are built and trained: frozen options, saved with the model."""

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
    """How a table of weights is trained."""

    bits: int = 21
    epochs: int = 8
    rate: float = 0.1
    adagrad_epsilon: float = 1.0
    margin: float = 1.0  # of the gold tag


@dataclass(frozen=True)
class TaggerOptions:
    """Everything that training depends on beside the data; no value is left open. Saved with the model."""

    columns: tuple[str, ...] = tuple(COLUMNS)
    seed: int = 1
    # The four numbers are by convention; docs/figures.md has the accuracy and the speed that they lead to.
    rare_count: int = 8  # training describes a form that occurs less often without the current occurrence
    min_known_count: int = 4  # a form that occurs so often has the tags it was seen with and no others
    max_guesses: int = 12  # tags that suffixes suggest for other forms
    max_candidates: int = 4  # tags of a word that the trigram model decodes over, the best by unary score
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
        """Whether the tagger fills lemmas."""
        return "lemma" in self.columns

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> TaggerOptions:
        """The inverse of `to_json`."""
        known = {entry.name for entry in fields(cls)}
        given = {name: value for name, value in values.items() if name in known}
        given |= {name: Learning(**given[name]) for name in ("tags", "lemmas") if name in given}
        return cls(**given | {"columns": tuple(values["columns"])})


@dataclass(frozen=True)
class TokeniserOptions:
    """Everything that the training of a tokeniser depends on beside the data; no value is left open."""

    seed: int = 1
    choose_epoch: bool = True  # keep the epoch with the best score on the development data, else the last one
    learning: Learning = field(
        default_factory=lambda: Learning(bits=20, epochs=4, rate=0.2, adagrad_epsilon=0.1, margin=1.0)
    )


def checked_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """Names of columns in lower case, after a check.

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

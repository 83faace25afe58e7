"""How a tagger is built and trained: frozen options, saved with the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

from treewright.checks import Checked, Count, Positive, Range, Share, check_fields
from treewright.errors import InputError
from treewright.learn import Learning, StageCost

# The columns a tagger can fill, in the order in which they make up a tag; the lemma is chosen for form and tag.
TAG_COLUMNS = {"upos": "UPOS", "xpos": "XPOS", "feats": "FEATS"}
COLUMNS = {**TAG_COLUMNS, "lemma": "LEMMA"}

SmallCount = Annotated[int, Range(0, 1_000_000)]  # the limit is far above any use, and kernels count in 32 bits


@dataclass(frozen=True)
class Candidates(Checked):
    """Which tags of a word are candidates beside the scores of a network; see `TaggerOptions`."""

    min_known_count: SmallCount
    max_candidates: Positive


@dataclass(frozen=True)
class TaggerOptions:
    """Everything that training depends on beside the data; no value is left open. Saved with the model."""

    columns: tuple[str, ...] = tuple(COLUMNS)
    seed: Count = 1
    # The four numbers are not tuned; docs/figures.md has the accuracy and the speed that they lead to.
    rare_count: Count = 8  # training describes a form that occurs less often without the current occurrence
    min_known_count: SmallCount = 4  # a form that occurs so often has the tags it was seen with and no others
    max_guesses: SmallCount = 12  # tags that suffixes suggest for other forms
    max_candidates: Positive = 4  # tags of a word that the trigram model decodes over, the best by unary score
    tags: Learning = field(default_factory=Learning)
    lemmas: Learning = field(default_factory=lambda: Learning(bits=18, epochs=6))
    # The share of the training sentences that are in lower case (tokeniser/casing.py); chosen on development data.
    # benchmarks/accuracy/real_text.py prints what lower case and capitals cost.
    case_noise: Share = 0.2

    def __post_init__(self) -> None:
        check_columns(self.columns)
        check_fields(self)

    @property
    def tag_columns(self) -> tuple[str, ...]:
        """The columns that make up a tag."""
        return tuple(name for name in TAG_COLUMNS if name in self.columns)

    @property
    def folds_capitals(self) -> bool:
        """Whether sentences in capitals are read in lower case: if training has case noise."""
        return self.case_noise > 0

    @property
    def has_lemmas(self) -> bool:
        """Whether the tagger fills lemmas."""
        return "lemma" in self.columns


def check_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns to fill, after a check.

    >>> check_columns(["upos", "stem"])
    Traceback (most recent call last):
    ...
    treewright.errors.InputError: there is no column 'stem' to fill; there are upos, xpos, feats, lemma
    """
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in names:
        if not isinstance(name, str) or name not in COLUMNS:
            raise InputError(f"there is no column {name!r} to fill; there are {', '.join(COLUMNS)}")
    if not names:
        raise InputError(f"no column to fill; choose from {', '.join(COLUMNS)}")
    return names


def stage_costs(options: TaggerOptions) -> list[StageCost]:
    """Return the stages of the training of a tagger."""
    return [StageCost("tags", options.tags.epochs, 1.0), StageCost("lemmas", options.lemmas.epochs, 1.0)]

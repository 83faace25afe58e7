"""How a network is built and trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from treewright.checks import Count, NotNegative, Positive, Range, Rate, Share, check_fields

Size = Annotated[int, Range(0, 4096)]


@dataclass(frozen=True)
class Sizes:
    """Sizes of the tables that training makes, of the states of a layer in each direction, and of the scorers.

    The size of vectors is that of the words that are given.
    """

    word: Size = 64
    cls: Size = 32
    subword: Size = 64
    units: Annotated[int, Range(1, 4096)] = 128
    layers: Annotated[int, Range(1, 16)] = 2
    arc: Annotated[int, Range(1, 4096)] = 128
    label: Annotated[int, Range(1, 4096)] = 96

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class NetworkOptions:
    """Everything that training depends on beside the data and the words."""

    sizes: Sizes = field(default_factory=Sizes)
    columns: tuple[str, ...] = ("upos", "xpos", "feats")
    buckets: Positive = 1 << 14  # rows of subwords; by convention
    vectors: Count = 40_000  # the most frequent words whose vectors are kept with the model; by convention
    min_count: Positive = 2  # of a word in the training data that has a row of its own
    # Epochs, dropout and weight of tags: the best of three settings on the development set of English-EWT, by less than
    # seeds may change (docs/figures.md, "What does a network add?"); the other numbers are by convention.
    epochs: Positive = 12
    batch_words: Positive = 300  # of one step
    rate: Rate = 0.003  # of Adam; it rises over WARM_UP steps and falls linearly to zero
    dropout: Share = 0.25
    word_dropout: NotNegative = 0.25  # a word seen c times is replaced by the unknown word with probability w / (w + c)
    tag_weight: NotNegative = 0.4  # of the loss of a column of tags, where those of heads and labels have 1
    case_noise: Share = 0.1  # share of the sentences that are put in lower case; the tagger has its own
    seed: Count = 1

    def __post_init__(self) -> None:
        check_fields(self)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

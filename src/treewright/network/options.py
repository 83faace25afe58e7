"""How a network is built and trained."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from treewright.checks import Checked, Count, NotNegative, Positive, Range, Rate, Share
from treewright.learn import StageCost

STAGE, COST = "network", 60.0  # of an epoch, relative to those of a tagger; not tuned
TAG_COLUMNS = ("upos", "xpos", "feats")
TAG_SIZE = 64  # of the rows of tags that a network reads, and of those of classes; not tuned
# Small treebanks need more epochs: LAS of the network alone on dev with 25 and 50 epochs, one seed, Hungarian-Szeged
# 61.6 and 69.1, Vietnamese-VTB 44.5 and 46.4 (20,000 words each; docs/figures.md, "What does a network add?").
MIN_EPOCHS, MAX_EPOCHS, WORDS_READ = 12, 60, 1_200_000
PART_WORDS = 60_000  # of an epoch with an encoder: about ten minutes on two cores with four layers that are trained
Size = Annotated[int, Range(0, 4096)]


@dataclass(frozen=True)
class Sizes(Checked):
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


@dataclass(frozen=True)
class EncoderOptions(Checked):
    """A pretrained encoder (a transformer) whose states a network reads, and how it is trained further."""

    source: str  # a folder or a name that `transformers.AutoModel` loads
    layers: Positive | None = None  # the lowest ones, which are used; None: all
    frozen: Count = 0  # of these, the lowest ones that are not trained; their states are computed once for a training
    mixed: Positive = 4  # the last ones, whose weighted mean is read
    rate: Rate = 6e-5  # of Adam, for its weights


@dataclass(frozen=True)
class NetworkOptions(Checked):
    """Everything that training depends on beside the data and the words."""

    sizes: Sizes = field(default_factory=Sizes)
    columns: tuple[str, ...] = TAG_COLUMNS  # whose values the network predicts
    tag_inputs: tuple[str, ...] = ()  # columns that it reads beside the forms, and does not predict
    buckets: Positive = 1 << 14  # rows of subwords; not tuned
    vectors: Count = 40_000  # the most frequent words whose vectors are kept with the model; not tuned
    classes: Count = 200_000  # the most frequent words whose classes are kept, beside those of the treebank; not tuned
    min_count: Positive = 2  # of a word in the training data that has a row of its own
    # Dropout and weight of tags: the best of three settings on the development set of English-EWT, by less than
    # seeds may change (docs/figures.md, "What does a network add?"); the other numbers are not tuned.
    epochs: Positive | None = None  # None: by the size of the treebank, see `epochs_for`
    batch_words: Positive = 300  # of one step
    rate: Rate = 0.003  # of Adam; it rises over WARM_UP steps and falls linearly to zero
    dropout: Share = 0.25
    word_dropout: NotNegative = 0.25  # a word seen c times is replaced by the unknown word with probability w / (w + c)
    tag_weight: NotNegative = 0.4  # of the loss of a column of tags, where those of heads and labels have 1
    parsed: NotNegative = 1.5  # words of parsed sentences that an epoch reads for each word of the treebank
    case_noise: Share = 0.1  # share of the sentences in lower case; `train --case-noise` sets this one and the tagger's
    seed: Count = 1
    encoder: EncoderOptions | None = None  # None: the network reads words alone

    @classmethod
    def with_encoder(cls, source: str, **settings: Any) -> NetworkOptions:
        """Return the options of a network that reads the states of an encoder.

        source and settings are those of `EncoderOptions`. The network has one layer of its own, few epochs and larger
        batches: the encoder has read far more text than the treebank.
        """
        return cls(
            Sizes(units=256, layers=1, arc=256, label=192),
            epochs=3,
            batch_words=500,
            rate=0.0015,
            dropout=0.28,
            encoder=EncoderOptions(source, **settings),
        )

    def epochs_for(self, words: int) -> int:
        """Return the number of epochs for a treebank of so many words.

        >>> [NetworkOptions().epochs_for(words) for words in (10_000, 40_000, 200_000)]
        [60, 30, 12]
        """
        if self.epochs is not None:
            return self.epochs
        return min(max(MIN_EPOCHS, round(WORDS_READ / max(words, 1))), MAX_EPOCHS)

    def parts_for(self, words: int) -> int:
        """Return in how many parts an epoch is read; there is a checkpoint after each."""
        return 1 if self.encoder is None else max(1, round(words / PART_WORDS))

    def reading_tags(self) -> NetworkOptions:
        """Return the options of a network that reads tags in place of predicting them."""
        return replace(self, tag_inputs=TAG_COLUMNS, sizes=replace(self.sizes, cls=max(self.sizes.cls, TAG_SIZE)))


def stage_costs(options: NetworkOptions, words: int) -> list[StageCost]:
    """Return the stages of the training of a network on a treebank of so many words."""
    return [StageCost(STAGE, options.epochs_for(words) * options.parts_for(words), COST)]

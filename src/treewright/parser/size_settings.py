"""Training settings of the scorer that depend on the size of the treebank: the one place for these numbers.

`benchmarks/settings.py` measures them on the development sets of treebanks of several sizes, with several seeds; its
table is in docs/learning.md.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_RESTARTS = 3  # of a small treebank: 0.0 to 0.3 UAS better than one on 5 of 6 treebanks, in less time
RESTART_WORDS = 125_000  # restarts times words stay below this number, so that a large treebank has one
RESTART_EPOCHS = 2  # epochs of each restart, where there are several

MIN_EPOCHS, MAX_EPOCHS = 5, 8  # without restarts
EPOCH_SENTENCES = 15_000  # epochs times sentences reach this number, within these limits


@dataclass(frozen=True)
class SizeSettings:
    """Restarts and epochs for a treebank of one size."""

    restarts: int
    epochs: int


def settings_for(sentences: int, words: int, restarts: int | None = None) -> SizeSettings:
    """The settings for a treebank of that size; a number of restarts that is given is kept.

    >>> settings_for(900, 20_000)
    SizeSettings(restarts=3, epochs=6)
    >>> settings_for(12_000, 200_000)
    SizeSettings(restarts=1, epochs=5)
    >>> [settings_for(sentences, 200_000).epochs for sentences in (900, 2500, 12_000)]
    [8, 6, 5]
    """
    if restarts is None:
        restarts = max(1, min(MAX_RESTARTS, RESTART_WORDS // max(1, words)))
    return SizeSettings(
        restarts=restarts,
        epochs=RESTART_EPOCHS * restarts if restarts > 1 else epochs_without_restarts(sentences),
    )


def epochs_without_restarts(sentences: int) -> int:
    """More epochs for fewer sentences."""
    return min(MAX_EPOCHS, max(MIN_EPOCHS, -(-EPOCH_SENTENCES // sentences)))

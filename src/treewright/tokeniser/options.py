"""How a tokeniser is built and trained: frozen options, saved with the model."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.checks import Checked, Count, Share
from treewright.learn import Learning


@dataclass(frozen=True)
class TokeniserOptions(Checked):
    """Everything that the training of a tokeniser depends on beside the data; no value is left open."""

    seed: Count = 1
    choose_epoch: bool = True  # keep the epoch with the best score on the development data, else the last one
    learning: Learning = field(
        default_factory=lambda: Learning(bits=20, epochs=4, rate=0.2, adagrad_epsilon=0.1, margin=1.0)
    )
    # Of the sentence ends between tokens; chosen by benchmarks/accuracy/sentence_splitting.py.
    boundaries: Learning = field(
        default_factory=lambda: Learning(bits=20, epochs=2, rate=0.2, adagrad_epsilon=5.0, margin=0.0)
    )
    # Of multiword tokens of unseen form (affixes.py); chosen on three folds of the documents of UD Hebrew-IAHLT.
    affixes: Learning = field(
        default_factory=lambda: Learning(bits=17, epochs=8, rate=0.1, adagrad_epsilon=1.0, margin=1.0)
    )
    # Of text without spaces (segmenter.py); chosen on the development data of Chinese-GSD and Thai-TUD.
    segments: Learning = field(
        default_factory=lambda: Learning(bits=20, epochs=4, rate=0.2, adagrad_epsilon=0.1, margin=1.0)
    )
    # The share of the paragraphs that are in lower case or in capitals (casing.py). Chosen on the development data of
    # UD English-EWT 2.16, 6,000 training sentences: F1 of sentence ends in capitals 92.8 (without noise 91.4), in lower
    # case 92.6 (92.2), plain 93.8 (94.0).
    case_noise: Share = 0.2

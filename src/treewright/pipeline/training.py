"""Training of a whole pipeline; the parser is trained on predicted tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from treewright.corpus import Sentence
from treewright.learn import Report
from treewright.parser import Parser, ParserOptions
from treewright.tagger import Tagger, TaggerOptions, Tokeniser, TokeniserOptions

OnReport = Callable[[Report], None]


def train_parts(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: ParserOptions,
    seed: int | None,
    folds: int,
    report: OnReport | None,
) -> tuple[Tokeniser, Tagger, Parser]:
    """A tokeniser, a tagger, and a parser that is trained on the tags of jackknifed taggers."""
    tokeniser_options, tagger_options = TokeniserOptions(), TaggerOptions()
    if seed is not None:
        options = replace(options, seed=seed)
        tokeniser_options = replace(tokeniser_options, seed=seed)
        tagger_options = replace(tagger_options, seed=seed)
    tokeniser = Tokeniser.train(train, options=tokeniser_options, report=report)
    tagger = Tagger.train(train, dev, options=tagger_options, report=report)
    jackknifed = jackknifed_tags(train, folds, tagger_options, report)
    parser = Parser.train(jackknifed, list(tagger.tag(dev)), options=options, report=report)
    return tokeniser, tagger, parser


def jackknifed_tags(
    train: Sequence[Sentence], folds: int, options: TaggerOptions, report: OnReport | None = None
) -> list[Sentence]:
    """The sentences with the tags of taggers that were trained on the other folds; sentence i is in fold i % folds."""
    found = list(train)
    for fold in range(folds):
        others = [sentence for place, sentence in enumerate(train) if place % folds != fold]
        tagger = Tagger.train(others, options=options, report=report)
        found[fold::folds] = tagger.tag(train[fold::folds], confidence=False)
    return found

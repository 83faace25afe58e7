"""Training of a network beside a tagger and a parser, and the choice of the weights of its scores.

The linear models are trained without the network, and the scores of all are added: a linear parser that learned beside
jackknifed readings of networks had a lower LAS on the development set of English-EWT (docs/network.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from treewright.corpus import Sentence
from treewright.learn import Progress
from treewright.model.checkpoint import Origin, Steps
from treewright.model.component import Corpus, hash_of, sentences_of
from treewright.network import Network, NetworkOptions
from treewright.parser import LabelRules, Parser, ParserOptions, ParserSettings
from treewright.parser.networks import with_readings
from treewright.pipeline.training import Callbacks, OnNote, OnReport, with_parsed
from treewright.tagger import Tagger
from treewright.tagger.options import Candidates
from treewright.tagger.training import judge_tags
from treewright.words import Words

TAG_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)  # of the network beside the tagger; the best on the development data is kept
# Candidate tags beside the network, of which the best on the development data are kept; None: those of the tagger,
# which were chosen for a tagger alone. On the development set of English-EWT the last gives UPOS 96.00 in place of
# 95.84, on small treebanks less than the others (docs/figures.md, "What does a network add?").
CANDIDATES = (None, Candidates(4, 12), Candidates(20, 12))
NO_GAIN = "the network does not improve the trees of the development data: the model is without it"


def trained_network(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: NetworkOptions,
    words: Words | None,
    parsed: Sequence[Sentence],
    steps: Steps,
    callbacks: Callbacks,
) -> Network:
    """The network of a treebank and, beside it, of sentences that another model parsed."""
    return steps.part(
        Network,
        "network",
        lambda checkpoint, resume: Network.train(
            *(train, dev),
            options=options,
            words=words,
            parsed=parsed,
            checkpoint=checkpoint,
            resume=resume,
            **callbacks.of(""),
        ),
    )


def with_network(
    tagger: Tagger, parser: Parser, network: Network, dev: Sequence[Sentence], note: OnNote
) -> tuple[Tagger, Parser]:
    """Tagger and parser with the network beside them, if that is better on the development data."""
    read = with_readings(network, dev)
    tagging = weighted(tagger, read)
    both = parser.with_network(network, list(tagging.tag(read)))
    if both.model.network is None:
        note(NO_GAIN)
        return tagger, parser
    return tagging, both


def weighted(tagger: Tagger, dev: Sequence[Sentence]) -> Tagger:
    """The tagger with the weight of the readings of `dev` and the candidates that give most tags right, calibrated."""
    if not tagger.tags or not any(len(sentence) for sentence in dev):
        return tagger
    linear = tagger.model.calibration
    models = [
        replace(tagger.model, network_weight=weight, network_candidates=candidates, linear_calibration=linear)
        for candidates in CANDIDATES
        for weight in TAG_WEIGHTS[1:]
    ]
    best = max([tagger.model, *models], key=lambda model: judge_tags(model, dev).score)  # the first of equals
    return Tagger(best).calibrate(dev)


def train_parser_with_network(
    train: Corpus,
    dev: Corpus,
    *,
    network: NetworkOptions,
    words: Words | None = None,
    parsed: Corpus | None = None,
    options: ParserOptions | ParserSettings | None = None,
    note: Callable[[str], None] | None = None,
    report: OnReport | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Parser:
    """A parser and a network beside it, trained on the columns of a treebank as they are; see `Parser.train`.

    The network reads the tags too, as the parser does. parsed: see `Pipeline.train`.
    """
    network = network.reading_tags()
    sentences, held_out, others = (sentences_of(corpus, "partial") for corpus in (train, dev, parsed))

    def origin() -> Origin:
        training, development = (
            hash_of(str(sentence).encode() for sentence in some) for some in ([*sentences, *others], held_out)
        )
        of_words = None if words is None else words.fingerprint()
        return Origin.now(training, development, {"network": network.to_json(), "words": of_words})

    steps, callbacks = Steps.at(checkpoint, resume, origin), Callbacks(report, progress)

    def new_parser(state: Path | None, resumed: bool) -> Parser:
        return Parser.train(
            *(with_parsed(sentences, others), held_out),
            options=options or ParserOptions(),
            label_rules=LabelRules.read(sentences),
            checkpoint=state,
            resume=resumed,
            **callbacks.of(""),
        )

    parser = steps.part(Parser, "parser", new_parser)
    reader = trained_network(sentences, held_out, network, words, others, steps, callbacks)
    found = parser.with_network(reader, held_out)
    if found.model.network is None and note:
        note(NO_GAIN)
    return found

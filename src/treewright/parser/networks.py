"""Training with a network: readings of the training sentences by networks that have not seen them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from treewright.checkpoint import Origin
from treewright.component import Corpus, hash_of, sentences_of
from treewright.corpus import Sentence
from treewright.learn import Progress
from treewright.network import Network, NetworkOptions
from treewright.parser.model import MAX_WORDS
from treewright.parser.options import ParserOptions, ParserSettings
from treewright.parser.parser import Parser
from treewright.steps import Callbacks, OnReport, Steps
from treewright.words import Words

FOLDS = 2  # of the training data; each is read by a network that was trained on the others


class NetworkTrainer:
    """The network of a treebank, and those of its folds, which read the sentences that they were not trained on.

    A linear model that learns beside the readings of a network must see readings as good as those of new sentences.
    """

    def __init__(
        self,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        options: NetworkOptions,
        words: Words | None,
        steps: Steps,
        callbacks: Callbacks,
    ) -> None:
        self.train, self.dev, self.options, self.words = train, dev, options, words
        self._steps, self._callbacks = steps, callbacks

    @cached_property
    def network(self) -> Network:
        """The network of all training sentences."""
        return self._steps.part(Network, "network", self._trainer(self.train, self.dev, ""))

    @property
    def held_out(self) -> list[Sentence]:
        """The development sentences with their readings."""
        return with_readings(self.network, self.dev)

    def jackknifed(self, prepared: Sequence[Sentence]) -> list[Sentence]:
        """The training sentences, in the spelling in which they are read, with readings by networks of other folds."""
        found = list(prepared)
        folds = min(FOLDS, len(found))
        if folds < 2:
            return with_readings(self.network, found)
        for fold in range(folds):
            others = [sentence for place, sentence in enumerate(self.train) if place % folds != fold]
            name = network_name(fold)
            network = self._steps.part(Network, name, self._trainer(others, (), f"{name} "))
            found[fold::folds] = with_readings(network, found[fold::folds])
        return found

    def _trainer(
        self, train: Sequence[Sentence], dev: Sequence[Sentence], name: str
    ) -> Callable[[Path | None, bool], Network]:
        return lambda checkpoint, resume: Network.train(
            train,
            dev,
            options=self.options,
            words=self.words,
            inventory=self.train,
            checkpoint=checkpoint,
            resume=resume,
            **self._callbacks.of(name),
        )


def network_name(fold: int) -> str:
    """The name of the network of a fold."""
    return f"network{fold + 1}"


def with_readings(network: Network | None, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Copies of the sentences with their readings; without a network, and beyond the length limit, as they are."""
    if network is None:
        return list(sentences)
    is_read = [len(sentence) <= MAX_WORDS for sentence in sentences]
    both = list(zip(sentences, is_read, strict=True))
    readings = iter(network.read([sentence.forms for sentence, read in both if read]))
    return [with_reading(sentence, next(readings)) if read else sentence for sentence, read in both]


def with_reading(sentence: Sentence, reading: object) -> Sentence:
    """A copy of a sentence with a reading."""
    copy = sentence.copy()
    copy.reading = reading
    return copy


def train_with_network(
    train: Corpus,
    dev: Corpus | None = None,
    *,
    network: NetworkOptions,
    words: Words | None = None,
    options: ParserOptions | ParserSettings | None = None,
    report: OnReport | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Parser:
    """A parser and its network, trained on the columns of a treebank as they are; see `Parser.train`."""
    sentences, held_out = sentences_of(train, "partial"), sentences_of(dev, "partial")
    parsing = options or ParserOptions()

    def origin() -> Origin:
        training, development = (
            hash_of(str(sentence).encode() for sentence in some) for some in (sentences, held_out)
        )
        of_words = None if words is None else fingerprint_of_words(words)
        return Origin.now(training, development, {"network": network.to_json(), "words": of_words})

    steps, callbacks = Steps.at(checkpoint, resume, origin), Callbacks(report, progress)
    trainer = NetworkTrainer(sentences, held_out, network, words, steps, callbacks)

    def new_parser(state: Path | None, resumed: bool) -> Parser:
        return Parser.train(
            trainer.jackknifed(sentences),
            trainer.held_out,
            options=parsing,
            network=trainer.network,
            checkpoint=state,
            resume=resumed,
            **callbacks.of(""),
        )

    return steps.part(Parser, "parser", new_parser)


def fingerprint_of_words(words: Words) -> str:
    """A hash of vectors and classes of words."""
    classes = (f"{word} {path}\n".encode() for word, path in words.classes.items())
    return hash_of([*map(str.encode, words.vocabulary), words.vectors.tobytes(), *classes])

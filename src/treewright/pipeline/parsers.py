"""Training of a parser alone with a network beside it, on the columns of a treebank as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from treewright.corpus import Sentence
from treewright.learn import Observer, Plan
from treewright.learn.plan import CheckpointPath
from treewright.model.checkpoint import Steps
from treewright.network import Network, NetworkOptions
from treewright.network.network import origin_of
from treewright.network.options import stage_costs
from treewright.parser import LabelRules, Parser, ParserOptions, ParserSettings, resolve
from treewright.pipeline.training import PartTrainer, with_parsed
from treewright.words import Words


def plan_parser(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: ParserOptions | ParserSettings,
    *,
    network: NetworkOptions | None = None,
    words: Words | None = None,
    parsed: Sequence[Sentence] = (),
) -> Plan[Sentence, Parser]:
    """Plan the training of a parser and, if there are options for one, of a network that reads the tags too.

    words and parsed are those of `Pipeline.plan`, for the network.
    """
    settings = resolve(options, train)
    alone = Parser.plan(train, dev, options=settings)
    if network is None:
        return alone
    reading = network.reading_tags()

    def fit(observer: Observer, checkpoint: CheckpointPath, resume: bool) -> Parser:
        steps = Steps.at(
            checkpoint, resume, lambda: origin_of([*train, *parsed], dev, {"network": asdict(reading)}, words)
        )
        parts = PartTrainer(steps, observer)
        rules = LabelRules.read(train)
        parser = parts.train(
            Parser, "parser", lambda: (with_parsed(train, parsed), dev), options=settings, label_rules=rules
        )
        trained = parts.train(Network, "network", lambda: (train, dev), options=reading, words=words, parsed=parsed)
        return parser.with_network(trained, dev)

    return replace(
        alone,
        settings={**alone.settings, "network": asdict(reading)},
        stages=[*alone.stages, *stage_costs(reading, sum(map(len, train)))],
        fit=fit,
    )

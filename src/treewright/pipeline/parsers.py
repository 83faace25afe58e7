"""Training of a parser alone, with a network beside it or without, on the columns of a treebank as they are."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.corpus import Sentence
from treewright.learn import Observer, Plan
from treewright.learn.plan import CheckpointPath
from treewright.model.checkpoint import Steps
from treewright.network import Network, NetworkOptions
from treewright.network import options as network_options
from treewright.network.network import origin_of
from treewright.parser import LabelRules, Parser, ParserOptions, ParserSettings, resolve
from treewright.parser import costs as parser_costs
from treewright.parser.training import check_graphs
from treewright.pipeline.training import PartTrainer, open_cell_notes, with_parsed
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

    words and parsed are those of `Pipeline.train`, for the network.
    """
    check_graphs(train, options)
    settings = resolve(options, train)
    notes, shown = list(open_cell_notes(train, dev)), settings.to_json()
    stages = parser_costs.stage_costs(settings, len(train))

    def fit(observer: Observer, checkpoint: CheckpointPath, resume: bool) -> Parser:
        return Parser.train(
            train,
            dev,
            options=settings,
            report=observer.report,
            progress=observer.progress,
            checkpoint=checkpoint,
            resume=resume,
        )

    if network is None:
        return Plan(train, dev, shown, stages, fit, notes)
    reading = network.reading_tags()

    def fit_both(observer: Observer, checkpoint: CheckpointPath, resume: bool) -> Parser:
        steps = Steps.at(
            checkpoint, resume, lambda: origin_of([*train, *parsed], dev, {"network": reading.to_json()}, words)
        )
        parts = PartTrainer(steps, observer)
        rules = LabelRules.read(train)
        parser = parts.train(
            Parser, "parser", lambda: (with_parsed(train, parsed), dev), options=settings, label_rules=rules
        )
        trained = parts.train(Network, "network", lambda: (train, dev), options=reading, words=words, parsed=parsed)
        return parser.with_network(trained, dev)

    stages += network_options.stage_costs(reading, sum(map(len, train)))
    return Plan(train, dev, shown | {"network": reading.to_json()}, stages, fit_both, notes)

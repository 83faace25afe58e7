"""The Danish treebank of CoNLL-X under the protocol that the papers share.

Koo et al. (2010) and Zhang et al. (2014) report the accuracy of Danish on the same 321 test sentences: parsers are
trained on the whole training set of CoNLL-X (`train` and `dev` of native/Danish-DDT), gold tags are given, crossing
arcs are allowed, punctuation is not counted. Only here do figures compare in level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.evaluate.attachment import is_punctuation
from treewright.evaluate.significance import bootstrap
from treewright.papers.common import (
    Report,
    Steps,
    corpus,
    data_argument,
    echo_json,
    names_of,
    show_lines,
    silence,
    steps,
)
from treewright.parser import Parser, ParserOptions

TREEBANK = "native/Danish-DDT"
MODELS = ("arc", "sib", "grand", "third", "full")
SAMPLES = 10_000  # of the bootstrap; not tuned
# UAS of Danish: Tables 1 of Koo et al. and 4 of Zhang et al., and the best of the other systems that these two cite.
PUBLISHED = {
    "arc": "89.74 (Koo et al.), 90.50 (Zhang et al.)",
    "sib": "91.08 (Koo et al.)",
    "grand": "91.78 (Koo et al.)",
    "third": "91.43 (Zhang et al.)",
    "full": "91.86 (Zhang et al.); best published 92.00",
}


@dataclass(frozen=True)
class Row:
    """UAS of a model with each seed; `low` and `high` bound 95 per cent of the bootstrap over sentences and seeds."""

    model: str
    learner: str
    uas: tuple[float, ...]
    low: float
    high: float
    published: str

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return sum(self.uas) / len(self.uas)


def accuracy(
    data: Path,
    models: Sequence[str] = ("arc", "sib", "grand", "full"),
    *,
    learner: str = "crf",
    seeds: Sequence[int] = (1, 2, 3),
    treebank: str = TREEBANK,
    report: Report = silence,
) -> Iterator[Row]:
    """Train each model with each seed by `learner` and count the right heads of the test set.

    `data` is the folder of treebanks, `treebank` a folder there with `train`, `dev` and `test`; `report` is called
    before each training.
    """
    for model in models:
        if model not in MODELS:
            raise InputError(f"no model {model!r}; there are {', '.join(MODELS)}")
    train = corpus(data, treebank, "train") + corpus(data, treebank, "dev")
    test = corpus(data, treebank, "test")
    step = Steps(report, len(models) * len(seeds))
    for model in models:
        options = ParserOptions(model=model, learner=learner, projective=False)
        counts = []
        for seed in seeds:
            step(f"{model}, seed {seed}")
            parser = Parser.train(train, options=replace(options, seed=seed))
            parsed = parser.parse(test, confidence=False, max_seconds=None)
            counts.append(count_right(test, [sentence.heads for sentence in parsed]))
        low, high = interval(counts)
        yield Row(model, learner, tuple(map(share, counts)), low, high, PUBLISHED[model])


def count_right(gold: Sequence[Sentence], heads: Sequence[NDArray[np.int32]]) -> NDArray[np.float64]:
    """Count the right heads and the words of each sentence, punctuation left out; `heads` are the system's."""
    rows = []
    for sentence, system in zip(gold, heads, strict=True):
        counted = np.array([not is_punctuation(form) for form in sentence.forms])
        rows.append([np.sum((sentence.heads == system)[counted]), counted.sum()])
    return np.array(rows, float)


def share(counts: NDArray[np.float64]) -> float:
    """Return the right heads of all sentences in per cent."""
    right, words = counts.sum(axis=0)
    return float(100 * right / words)


def interval(counts: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """Return the 95 per cent interval of the mean UAS, by drawing sentences with replacement."""
    drawn = bootstrap(np.mean(counts, axis=0), SAMPLES, seed=0)
    low, high = np.quantile(100 * drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    return float(low), float(high)


# -- command

HELP = (
    "Danish of CoNLL-X under the protocol that the papers share.\n\n"
    "Each model is trained on train and dev of DATA/native/Danish-DDT with each seed and parses the 321 test "
    "sentences, crossing arcs allowed: UAS without punctuation, mean, range over seeds, 95 % interval by the "
    "bootstrap, and the published figures."
) + examples("treewright reproduce danish accuracy data", "treewright reproduce danish accuracy data --models grand")
app = new_app("Danish of CoNLL-X, the treebank that several papers share.")


@app.callback()
def danish() -> None:
    pass


@app.command("accuracy", help=HELP, cls=PlainCommand)
def accuracy_command(
    data: Annotated[Path, data_argument(", with native/Danish-DDT")],
    models: Annotated[str | None, typer.Option(metavar="NAMES", help=f"Of {', '.join(MODELS)}.")] = None,
    learner: Annotated[str, typer.Option(help="crf, mira or perceptron.")] = "crf",
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Train with the seeds 1 to N.")] = 3,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    names = names_of(models, ("arc", "sib", "grand", "full"))
    with steps(quiet) as report:
        rows = list(accuracy(data, names, learner=learner, seeds=range(1, seeds + 1), report=report))
    if as_json:
        echo_json(rows)
        return
    lines = [
        [
            row.model,
            f"{row.mean:.2f}",
            f"{min(row.uas):.2f} to {max(row.uas):.2f}",
            f"{row.low:.2f} to {row.high:.2f}",
            row.published,
        ]
        for row in rows
    ]
    show_lines(("model", "UAS", f"{seeds} seeds", "95 % interval", "published"), lines)

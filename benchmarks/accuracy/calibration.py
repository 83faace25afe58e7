"""Calibration of the confidence of heads, labels and tags, over treebanks.

For each treebank (NAME is its path under DATA, such as ud/English-EWT; without --treebanks, all under ud, ud-1.4 and
native) a pipeline is trained on the first N sentences of `train` (0: on all) with default settings, its confidence is
calibrated on `dev`, and `test` is tagged and parsed with gold words. ECE: expected calibration error in points, over
ten bins. AUC: the probability that a right prediction has a higher confidence than a wrong one. wrong: how many of the
wrong ones are among the tenth with the lowest confidence, in per cent. Rows: heads; the same by two other measures of
confidence, the marginals of the pruner and those of the scorer with a temperature alone; labels of words with the right
head; heads with labels; tags. Without DATA, a small treebank shows that the benchmark runs. --keep stores the
pipelines in a folder and reuses them (NAME.tw).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.evaluate import Reliability, calibration, reliability
from treewright.parser import Parser
from treewright.parser.calibration import Held, parse_held_out
from treewright.parser.worker import Worker

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

GROUPS = ("native", "ud", "ud-1.4")
SAMPLE = Path(__file__).parents[2] / "examples" / "sample.conllu"
TEMPERATURES = tuple(2.0 ** (power / 4) for power in range(-8, 17))  # those among which the best one is sought


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--sentences", type=int, default=0)
    arguments.add_argument("--treebanks", nargs="*")
    arguments.add_argument("--keep", type=Path)
    given = common.parse(arguments)
    print(f"{'':22} {'confidence of':20} {'words':>6} {'right':>6} {'ECE':>6} {'AUC':>6} {'wrong':>6}")
    for name in treebanks_of(given.data, given.treebanks):
        train, dev, test = treebank(given.data, name, given.sentences)
        nlp = trained(name, train, dev, given.keep)
        parsed = list(nlp.parser.parse(nlp.retag(test)))
        rows = calibration(test, parsed)
        print_row(name, "heads", rows.pop("heads"))
        for kind, other in others(nlp.trained_parser, list(nlp.retag(dev)), list(nlp.retag(test))).items():
            print_row("", kind, other)
        for kind, row in rows.items():
            print_row("", kind, row)


def treebanks_of(folder: Path | None, chosen: Sequence[str] | None) -> list[str]:
    """The names of the treebanks."""
    if folder is None:
        return ["sample"]
    return list(chosen or sorted(f"{group}/{path.name}" for group in GROUPS for path in (folder / group).iterdir()))


def treebank(folder: Path | None, name: str, sentences: int) -> tuple[list[tw.Sentence], ...]:
    """The sentences of train, dev and test."""
    if folder is None:
        whole = list(tw.read(SAMPLE))
        return whole, whole, whole
    train, dev, test = (tw.read(next((folder / name).glob(f"{part}.conll*"))) for part in ("train", "dev", "test"))
    return list(islice(train, sentences or None)), list(dev), list(test)


def trained(name: str, train: list[tw.Sentence], dev: list[tw.Sentence], keep: Path | None) -> tw.Pipeline:
    """A calibrated pipeline, trained or from its file."""
    kept = keep and keep / f"{Path(name).name}.tw"
    if kept and kept.exists():
        return tw.Pipeline.load(kept).calibrate(dev)
    begin = time.process_time()
    nlp = tw.Pipeline.train(train, dev)
    print(f"{name}: trained on {len(train)} sentences in {time.process_time() - begin:.0f} CPU seconds", flush=True)
    if kept:
        nlp.save(kept)
    return nlp


def others(parser: Parser, dev: list[tw.Sentence], test: list[tw.Sentence]) -> dict[str, Reliability]:
    """The confidence of heads by other measures."""
    worker = Worker(parser.model)
    on_dev, on_test = parse_held_out(worker, dev), parse_held_out(worker, test)
    best = min(TEMPERATURES, key=lambda one: log_loss(probabilities(worker, on_dev, one), on_dev.right_heads))
    trees = [tree for one in on_test.decoded for tree in one.heads]
    of_pruner = []
    for sentence, heads in zip(test, trees, strict=True):
        [arcs] = worker.prune(worker.encode([sentence]), parser.model.projective)
        of_pruner.append(arcs.marginal[heads[1:], np.arange(1, len(heads))])
    return {
        "heads, pruner": reliability(np.concatenate(of_pruner), on_test.right_heads),
        f"heads, only T={best:.3g}": reliability(probabilities(worker, on_test, best), on_test.right_heads),
    }


def probabilities(worker: Worker, held: Held, temperature: float) -> np.ndarray:
    """Of the heads, by the scorer."""
    return np.concatenate([worker.head_probabilities(one, temperature) for one in held.decoded])


def log_loss(probability: np.ndarray, right: np.ndarray) -> float:
    """The mean negative log probability of what happened."""
    safe = np.clip(probability, 1e-4, 1 - 1e-4)
    return float(-np.log(np.where(right, safe, 1 - safe)).mean())


def print_row(name: str, kind: str, row: Reliability) -> None:
    """A line of the table."""
    auc = "" if row.auc is None else f"{row.auc:.3f}"
    wrong = "" if row.found_wrong is None else f"{100 * row.found_wrong:.1f}"
    figures = f"{row.count:6} {100 * row.accuracy:6.2f} {100 * row.ece:6.2f} {auc:>6} {wrong:>6}"
    print(f"{name:22} {kind:20} {figures}", flush=True)


if __name__ == "__main__":
    main()

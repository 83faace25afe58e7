"""Enhanced dependencies: how good are graphs on gold and on predicted trees, against copies of the tree and rules?

    python benchmarks/graphs.py DATA [--treebank NAME ...] [--part dev|test] [--parser FOLDER]
    python benchmarks/graphs.py DATA --settings          the options of training, on development sets

A graph parser is trained on the gold trees of each treebank. Rows: DEPS copied from the tree; the rules of pyBART
(`pip install pybart-nlp`, English alone; skipped where it is not installed); the graph parser. "predicted" are trees of
a parser that reads gold tokens: the embedded English model with its own tags, parsers with gold tags for the others,
trained on the fly or read from FOLDER/NAME.parser. Columns: ELAS, EULAS, F1 of heads and of those outside the tree,
LAS of the same trees, words a second (CPU) of the graphs alone and of parser and graphs together.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import treewright as tw
from treewright.corpus import read
from treewright.evaluate import evaluate
from treewright.graphs import GraphOptions, GraphParser
from treewright.parser import Parser
from treewright.reproduce.mcdonald2006 import with_tree_as_graph

TREEBANKS = ("ud/English-EWT", "ud/Lithuanian-ALKSNIS", "ud/Estonian-EWT")
DANISH = "graphs/Danish-DDT"
ENGLISH = "ud/English-EWT"  # the treebank that the embedded model was trained on
SETTINGS: dict[str, tuple[int | float, ...]] = {
    "bits": (16, 20),
    "epochs": (4, 16),
    "rate": (0.05, 0.2),
    "adagrad_epsilon": (0.01, 1.0),
    "margin": (0.0, 2.0),
    "min_paths": (1, 4),
    "min_labels": (1, 4),
}
Sentences = Sequence[tw.Sentence]


class Run(NamedTuple):
    """Graphs of a system and the CPU seconds they took."""

    system: str
    found: Sentences
    seconds: float


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--treebank", nargs="+", default=None)
    arguments.add_argument("--part", choices=("dev", "test"), default="dev")
    arguments.add_argument("--parser", type=Path, help="a folder with parsers that are trained already")
    arguments.add_argument("--settings", action="store_true")
    given = arguments.parse_args()
    if given.settings:
        compare_settings(given.data, given.treebank or (DANISH, *TREEBANKS))
        return
    names = ("ELAS", "EULAS", "edges", "extra", "LAS", "graphs w/s", "all w/s")
    print(f"{'treebank':22} {'trees':10} {'graphs':10}", *(f"{name:>10}" for name in names))
    for name in given.treebank or TREEBANKS:
        compare(given.data / name, name, given.part, given.parser)


def compare(folder: Path, name: str, part: str, parsers: Path | None) -> None:
    """One treebank: every system on gold and on predicted trees."""
    train, dev = (list(read(folder / f"{split}.conllu")) for split in ("train", "dev"))
    gold = dev if part == "dev" else list(read(folder / f"{part}.conllu"))
    graphs = GraphParser.train(train, dev)
    trees = [without_graph(sentence) for sentence in gold]
    for run in runs(name, graphs, trees):
        show(name, "gold", run, gold, 0.0)
    parse = parser_of(name, train, dev, parsers)
    parsed = timed("", lambda: parse(trees))
    for run in runs(name, graphs, parsed.found):
        show(name, "predicted", run, gold, parsed.seconds)


def runs(name: str, graphs: GraphParser, trees: Sentences) -> Iterable[Run]:
    """Every system on the same trees."""
    yield timed("copied", lambda: [with_tree_as_graph(sentence) for sentence in trees])
    if name == ENGLISH and (rules := pybart()):
        yield timed("pyBART", lambda: rules(trees))
    yield timed("learned", lambda: list(graphs.parse(trees)))


def timed(system: str, run: Callable[[], Sentences]) -> Run:
    start = time.process_time()
    found = run()
    return Run(system, found, time.process_time() - start)


def parser_of(name: str, train: Sentences, dev: Sentences, parsers: Path | None) -> Callable[[Sentences], Sentences]:
    """What predicts the trees of a treebank."""
    if name == ENGLISH:
        nlp = tw.load("en")
        return lambda trees: list(nlp.parse([without_tags(sentence) for sentence in trees], confidence=False))
    file = None if parsers is None else parsers / f"{Path(name).name}.parser"
    if file is not None and file.exists():
        parser = Parser.load(file)
    else:
        parser = Parser.train(train, dev)
        if file is not None:
            parser.save(file)
    return lambda trees: list(parser.parse(trees, confidence=False))


def without_graph(sentence: tw.Sentence) -> tw.Sentence:
    copy = sentence.copy()
    copy.clear_graph()
    return copy


def without_tags(sentence: tw.Sentence) -> tw.Sentence:
    copy = sentence.copy()
    copy.upos, copy.xpos, copy.feats, copy.lemmas = (["_"] * len(copy) for _ in range(4))
    return copy


def pybart() -> Callable[[Sentences], Sentences] | None:
    """The rules of pyBART for enhanced UD, without its own extensions; None if it is not installed."""
    try:
        from pybart.api import convert_bart_conllu
    except ImportError:
        return None

    def convert(trees: Sentences) -> Sentences:
        found = []
        for sentence in trees:
            plain = sentence.copy()
            plain.comments = []
            text = convert_bart_conllu(f"{words_of(plain)}\n\n", enhanced_extra=False, ud_version=2)
            cells = dict(line.split("\t")[0:9:8] for line in text.splitlines() if line and line[0].isdigit())
            copy = sentence.copy()
            copy.deps = [cells.get(str(word), "_") for word in range(1, len(copy) + 1)]
            found.append(copy)
        return found

    return convert


def words_of(sentence: tw.Sentence) -> str:
    """The lines of the words, without multiword tokens and empty nodes."""
    return "\n".join(line for line in str(sentence).splitlines() if line.split("\t")[0].isdigit())


def show(name: str, trees: str, run: Run, gold: Sentences, before: float) -> None:
    scores = evaluate(gold, run.found)
    figures = [100 * scores[one].f1 for one in ("ELAS", "EULAS", "Edges", "Extra", "LAS")]
    words = sum(map(len, gold))
    speeds = [words / max(seconds, 1e-9) for seconds in (run.seconds, run.seconds + before)]
    cells = [f"{figure:10.2f}" for figure in figures] + [f"{speed:10,.0f}" for speed in speeds]
    print(f"{name:22} {trees:10} {run.system:10}", *cells, flush=True)


def compare_settings(data: Path, treebanks: Sequence[str]) -> None:
    """ELAS and F1 of the edges outside the tree on development sets, gold trees, one option changed at a time."""
    print(f"{'option':24}", *(f"{Path(name).name:>20}" for name in treebanks))
    banks = [[list(read(data / name / f"{part}.conllu")) for part in ("train", "dev")] for name in treebanks]
    default = GraphOptions()
    changes = [(option, value) for option, values in SETTINGS.items() for value in values]
    for option, value in [("default", None), *changes]:
        change: dict[str, Any] = {} if value is None else {option: value}
        options = replace(default, **change)
        cells = []
        for train, dev in banks:
            scores = evaluate(dev, list(GraphParser.train(train, dev, options=options).parse(dev)))
            cells.append(f"{100 * scores['ELAS'].f1:12.2f} {100 * scores['Extra'].f1:7.2f}")
        print(f"{option if value is None else f'{option} {value}':24}", *cells, flush=True)


if __name__ == "__main__":
    main()

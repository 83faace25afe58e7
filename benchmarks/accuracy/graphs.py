"""Enhanced dependencies: how good are graphs on gold and on predicted trees, against copies of the tree and rules?

A graph parser is trained on the gold trees of each treebank. Rows: DEPS copied from the tree; the rules of pyBART
(`pip install pybart-nlp`, English alone; skipped where it is not installed); the graph parser. "predicted" are trees of
a parser that reads gold tokens: the embedded English model with its own tags, parsers with gold tags for the others,
trained on the fly or read from DATA/NAME.parser. Columns: ELAS, EULAS, F1 of heads and of those outside the tree,
LAS of the same trees, words a second (CPU) of the graphs alone and of parser and graphs together.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import treewright as tw
from treewright.corpus import read
from treewright.corpus.graph import clear_graph
from treewright.evaluate import evaluate
from treewright.graphs import GraphParser
from treewright.papers.mcdonald2006 import with_tree_as_graph
from treewright.parser import Parser

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

TREEBANKS = ("ud/English-EWT", "ud/Lithuanian-ALKSNIS", "ud/Estonian-EWT")
ENGLISH = "ud/English-EWT"  # the treebank that the embedded model was trained on
Sentences = Sequence[tw.Sentence]


class Run(NamedTuple):
    """Graphs of a system and the CPU seconds they took."""

    system: str
    found: Sentences
    seconds: float


def main() -> None:
    arguments = common.arguments(__doc__, treebanks=TREEBANKS)
    arguments.add_argument("--part", choices=("dev", "test"), default="dev")
    arguments.add_argument("--parser", type=Path, help="a folder with parsers that are trained already")
    given = common.parse(arguments, needs="ud/English-EWT and others with enhanced graphs")
    names = ("ELAS", "EULAS", "edges", "extra", "LAS", "graphs w/s", "all w/s")
    print(f"{'treebank':22} {'trees':10} {'graphs':10}", *(f"{name:>10}" for name in names))
    for name in given.treebanks:
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
    clear_graph(copy)
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


if __name__ == "__main__":
    main()

"""Enhanced dependencies: how good are graphs on gold and on predicted trees, against copies of the tree and rules?

A graph parser is trained on the gold trees of each treebank. Rows: DEPS copied from the tree; the rules of pyBART
(`pip install pybart-nlp`, English alone; skipped where it is not installed); the graph parser. "predicted" are trees of
a parser that reads gold tokens: the embedded English model with its own tags, parsers with gold tags for the others,
trained on the fly or read from DATA/NAME.parser. Columns: ELAS, EULAS, F1 of heads and of those outside the tree,
LAS of the same trees, words a second (CPU) of the graphs alone and of parser and graphs together.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import treewright as tw
from treewright.corpus import read
from treewright.corpus.graph import clear_graph
from treewright.evaluate import evaluate
from treewright.graphs import GraphParser
from treewright.graphs.paths import path_between
from treewright.graphs.view import TreeView
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
    arguments = common.arguments(__doc__)
    arguments.add_argument("--treebank", nargs="+", default=TREEBANKS)
    arguments.add_argument("--part", choices=("dev", "test"), default="dev")
    arguments.add_argument("--parser", type=Path, help="a folder with parsers that are trained already")
    arguments.add_argument("--errors", action="store_true", help="count the edges on predicted trees by what is wrong")
    given = common.parse(arguments, needs="ud/English-EWT and others with enhanced graphs")
    if given.errors:
        for name in given.treebank:
            count_errors(given.data, name, given.parser)
    else:
        compare_systems(given)


def compare_systems(given: argparse.Namespace) -> None:
    """Every system on gold and on predicted trees."""
    names = ("ELAS", "EULAS", "edges", "extra", "LAS", "graphs w/s", "all w/s")
    print(f"{'treebank':22} {'trees':10} {'graphs':10}", *(f"{name:>10}" for name in names))
    for name in given.treebank:
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


def both_parts(data: Path, name: str) -> tuple[Sentences, Sentences]:
    """The training and the development set of a treebank."""
    train, dev = (list(read(data / name / f"{part}.conllu")) for part in ("train", "dev"))
    return train, dev


def count_errors(data: Path, name: str, parsers: Path | None) -> None:
    """The edges of graphs on predicted trees by what is wrong, in per cent of the gold edges."""
    train, dev = both_parts(data, name)
    graphs = GraphParser.train(train, dev)
    trees = parser_of(name, train, dev, parsers)([without_graph(sentence) for sentence in dev])
    found = list(graphs.parse(trees))
    counts: Counter[str] = Counter()
    for gold, system in zip(dev, found, strict=True):
        counts.update(causes(gold, system))
    total = sum(len(labels_of(sentence)) for sentence in dev)
    scores = evaluate(dev, found)
    print(name, *(f"{figure} {100 * scores[figure].f1:.2f}" for figure in ("LAS", "ELAS", "EULAS")))
    for cause, count in sorted(counts.items()):
        print(f"    {cause:58} {count:6} {100 * count / total:7.2f}", flush=True)


def labels_of(sentence: tw.Sentence) -> dict[tuple[int, int], str]:
    """The edges between words with their labels."""
    edges = [edge for edge in sentence.graph if isinstance(edge.head, int) and isinstance(edge.modifier, int)]
    return {(int(edge.head), int(edge.modifier)): edge.label for edge in edges}


def causes(gold: tw.Sentence, system: tw.Sentence) -> Iterable[str]:
    """What each edge is: right, or why it is wrong or missed."""
    expected, found = labels_of(gold), labels_of(system)
    trees = TreeView(gold), TreeView(system)
    for edge, label in found.items():
        kind = "arc" if trees[1].heads[edge[1]] == edge[0] else "extra edge"
        if edge in expected:
            right = expected[edge]
            same_base = right.partition(":")[0] == label.partition(":")[0]
            yield f"{kind}: right" if right == label else f"{kind}: wrong {'subtype' if same_base else 'label'}"
        elif kind == "arc":
            yield "arc: wrong head"
        else:
            is_right = all(trees[0].heads[node] == trees[1].heads[node] for node in path_nodes(trees[1], *edge))
            yield f"extra edge: false, path of {'right' if is_right else 'wrong'} arcs"
    for head, modifier in expected.keys() - found.keys():
        if trees[0].heads[modifier] != head:
            paths = [path_between(tree, head=head, modifier=modifier) for tree in trees]
            yield f"extra edge: missed, {'same' if paths[0] == paths[1] else 'other'} path in the predicted tree"


def path_nodes(view: TreeView, head: int, modifier: int) -> Iterable[int]:
    """The words whose arcs are on the path between two words."""
    above = []
    for node in (head, modifier):
        nodes = [node]
        while nodes[-1] > 0:
            nodes.append(view.heads[nodes[-1]])
        above.append(nodes)
    return set(above[0]) ^ set(above[1])


if __name__ == "__main__":
    main()

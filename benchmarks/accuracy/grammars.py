"""Phrase-structure grammars: accuracy, speed by the length of sentences, training, and parsers of NLTK in the same run.

Trained on the first N trees of `train` (0: all) and applied to K of `dev` at equal distances: treebank grammars with
several contexts of labels, Collins' model 1, model 1 that agrees with a tagger, and model 1 that agrees with a
dependency parser. F1 of brackets, accuracy of tags, CPU seconds of training, and CPU milliseconds a sentence of about
10, 20 and 40 words on one thread (the mean over dev sentences of this length, at most two words shorter or longer).
--keep stores the models in a folder and reuses them; --systems names the ones that are compared, such as collins.tw.

--dependencies compares dependency models of the same trees and nothing else: siblings alone, with all grandchildren and
with outermost ones only; UAS on the first K trees of dev (--parsed) with gold tags, without punctuation.

The peers parse tags, not words, with the same rules as a treebank grammar: those of M trees without context, on the dev
sentences of up to W words. A sentence that takes NLTK more than LIMIT seconds is given up. Without DATA, generated
trees show that the benchmark runs.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

import treewright as tw
from treewright.corpus import Tree, debinarise
from treewright.corpus.transforms import rebuild
from treewright.grammar import (
    Collins,
    CollinsOptions,
    HeadRules,
    Markov,
    PhraseParse,
    TreebankGrammar,
    TreebankOptions,
    trees_of,
)
from treewright.grammar.kinds import scores_of
from treewright.grammar.trees import binarise_tree, plain_label
from treewright.joint import GrammarWithDependencies, GrammarWithTagger
from treewright.joint.dependencies import dependency_sentences
from treewright.joint.model import evenly_spaced
from treewright.parser import Parser, ParserOptions

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

nltk = common.peer("nltk")

LENGTHS = (10, 20, 40)
DEV = 400  # trees of dev that are used, at equal distances; sentences of each length are taken from these
NEAR = 2  # words that a sentence of a length may be shorter or longer
AT_LENGTH = 10  # sentences of a length that are timed, at most
LIMIT = 20.0  # seconds that a peer has for a sentence
CONTEXTS = (Markov(1, 1), Markov(2, 1), Markov(2, 1, tags=True))


class Parses(Protocol):
    def parse(self, words: Sequence[str], *, partial: bool = False) -> PhraseParse: ...


class System(NamedTuple):
    name: str
    file: str
    train: Callable[[], Any]
    load: Callable[[Path], Any]


def main() -> None:
    given = arguments()
    folder = given.data / given.treebank if given.data else None
    train, dev = read(folder, given.sentences) if folder else (generated(200, 1), generated(60, 2))
    if given.dependencies:
        compare_dependencies(train, dev, given.parsed, given.head_rules)
        return
    print(f"{len(train)} training trees; {min(given.parsed, len(dev))} trees of dev for F1 and tags")
    print(
        f"\n{'':28} {'training':>8} {'F1':>6} {'tags':>6} {'certified':>9}" + "".join(f"{n:>4} words" for n in LENGTHS)
    )
    for system in systems(train, dev, given.head_rules):
        if given.systems and system.file not in given.systems:
            continue
        model, seconds = trained(system, given.keep)
        print_row(system.name, model, seconds, dev, given.parsed)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB; milliseconds by length")
    compare_with_peers(train[: given.peer_trees], dev, given.peer_words)


def arguments() -> argparse.Namespace:
    parser = common.arguments(__doc__)
    parser.add_argument("--treebank", default="trees/CRAFT")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--parsed", type=int, default=60)
    parser.add_argument("--head-rules", default="english")
    parser.add_argument("--peer-trees", type=int, default=100)
    parser.add_argument("--peer-words", type=int, default=10)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--systems", nargs="*", metavar="FILE")
    parser.add_argument("--dependencies", action="store_true")
    return parser.parse_args()


def read(folder: Path, sentences: int) -> tuple[list[Tree], list[Tree]]:
    train = trees_of(islice(tw.read_trees(folder / "train.mrg"), sentences or None))[0]
    return train, list(evenly_spaced(trees_of(folder / "dev.mrg")[0], DEV))


def generated(count: int, seed: int) -> list[Tree]:
    """Trees of a small language, in which prepositional phrases may follow nouns and verbs."""
    random = Random(seed)

    def noun_phrase(depth: int) -> str:
        phrase = f"(NP (DT {random.choice(['the', 'a'])}) (NN {random.choice(['dog', 'cat', 'bird', 'man'])}))"
        return (
            phrase if depth == 0 or random.random() < 0.5 else f"(NP {phrase} (PP (IN with) {noun_phrase(depth - 1)}))"
        )

    def sentence() -> str:
        verb = f"(VBZ {random.choice(['sees', 'likes', 'hears'])})"
        return f"(S {noun_phrase(3)} (VP {verb} {noun_phrase(3)} (PP (IN near) {noun_phrase(2)})) (. .))"

    return trees_of([Tree.parse(sentence()) for _ in range(count)])[0]


def systems(train: list[Tree], dev: list[Tree], head_rules: str) -> Iterator[System]:
    for markov in CONTEXTS:
        options = TreebankOptions(markov)
        name = f"treebank, context {markov.vertical},{markov.horizontal}{',tags' * markov.tags}"
        yield System(name, f"treebank-{markov.vertical}-{markov.horizontal}{'-tags' * markov.tags}.tw",
                     lambda options=options: TreebankGrammar.train(train, options=options), TreebankGrammar.load)  # type: ignore[misc]  # fmt: skip
    yield System(
        "model 1", "collins.tw", lambda: Collins.train(train, options=CollinsOptions(head_rules)), Collins.load
    )
    yield System(
        "model 1 and tagger",
        "tags.tw",
        lambda: GrammarWithTagger.train(train, dev, grammar_options=CollinsOptions(head_rules)),
        GrammarWithTagger.load,
    )
    yield System(
        "model 1 and dependencies",
        "dependencies.tw",
        lambda: GrammarWithDependencies.train(train, dev, grammar_options=CollinsOptions(head_rules)),
        GrammarWithDependencies.load,
    )


def trained(system: System, keep: Path | None) -> tuple[Any, float | None]:
    """The model and the CPU seconds of its training, None if it was kept from an earlier run."""
    path = keep / system.file if keep else None
    if path and path.exists():
        return system.load(path), None
    start = time.process_time()
    model = system.train()
    seconds = time.process_time() - start
    if path:
        model.save(path)
    return model, seconds


def print_row(name: str, model: Parses, seconds: float | None, dev: list[Tree], count: int) -> None:
    some = evenly_spaced(dev, count)
    parses = [model.parse(tree.leaves(), partial=True) for tree in some]
    scores = scores_of(some, [parse.tree for parse in parses])
    certified = sum(parse.certified for parse in parses) / len(some)
    training = "kept" if seconds is None else f"{seconds:.1f} s"
    figures = (
        f"{training:>8} {100 * scores.brackets.f1:6.2f} {100 * scores.tagging_accuracy:6.2f} {100 * certified:9.1f}"
    )
    print(f"{name:28} {figures}" + "".join(f"{by_length(model, dev, length):>10}" for length in LENGTHS), flush=True)


def compare_dependencies(train: list[Tree], dev: list[Tree], count: int, head_rules: str) -> None:
    rules = HeadRules.load(head_rules)
    sentences, gold = dependency_sentences(train, rules), dependency_sentences(evenly_spaced(dev, count), rules)
    print(f"{len(sentences)} training trees, {len(gold)} trees of dev\n{'':28} {'UAS':>6} {'training':>9}")
    for model in ("sib", "grand", "outer"):
        start = time.process_time()
        options = ParserOptions(seed=1, label_rules=False)
        parser = Parser.train(sentences, model=model, projective=True, root="single", options=options)
        seconds = time.process_time() - start
        right = words = 0
        for found, sentence in zip(parser.parse(gold), gold, strict=True):
            scored = [not rules.is_punctuation(tag) for tag in sentence.xpos]
            right += int(((found.heads == sentence.heads) & scored).sum())
            words += sum(scored)
        print(f"{model:28} {100 * right / words:6.2f} {seconds:7.1f} s", flush=True)


def by_length(model: Parses, dev: list[Tree], length: int) -> str:
    """CPU milliseconds a sentence of about this many words."""
    some = [tree for tree in dev if abs(len(tree.leaves()) - length) <= NEAR][:AT_LENGTH]
    if not some:
        return "-"
    start = time.process_time()
    for tree in some:
        model.parse(tree.leaves(), partial=True)
    return f"{1000 * (time.process_time() - start) / len(some):.0f} ms"


def compare_with_peers(train: list[Tree], dev: list[Tree], most: int) -> None:
    """The same rules and sentences; the input of all is tags."""
    markov = Markov(1, 0)
    ours = TreebankGrammar.train(train, options=TreebankOptions(markov))
    over_tags = [str(with_words(binarise_tree(tree, markov), tree.tags())) for tree in train]
    productions = [rule for text in over_tags for rule in nltk.Tree.fromstring(text).productions()]
    theirs = nltk.induce_pcfg(nltk.Nonterminal("ROOT"), productions)
    some = [tree for tree in dev if len(tree.leaves()) <= most and set(tree.tags()) <= set(ours.tags)][:AT_LENGTH]
    rules = f"rules of {len(train)} trees ({len(theirs.productions())} of NLTK)"
    print(f"\n{rules}, {len(some)} sentences of up to {most} words")
    print(f"{'':28} {'F1':>6} {'ms a sentence':>14} {'given up':>9}")
    parsers: dict[str, Callable[[Tree], Tree | None]] = {
        "Treewright": lambda tree: ours.parse(tree.leaves(), tags=tree.tags(), partial=True).tree,
        "NLTK ViterbiParser": lambda tree: best_of(nltk.ViterbiParser(theirs), tree),
        "NLTK InsideChartParser": lambda tree: best_of(nltk.InsideChartParser(theirs), tree),
    }
    for name, parse in parsers.items():
        print_peer(name, parse, some)


def restore_tree(tree: Tree) -> Tree:
    """The prepared tree of a binarised one: inserted nodes removed, labels without those above them."""
    [restored] = rebuild(debinarise(tree), lambda node, children: [Tree(plain_label(node.label), children)])
    assert isinstance(restored, Tree)
    return restored


def best_of(parser: Any, tree: Tree) -> Tree | None:
    found = next(iter(parser.parse(tree.tags())), None)
    return None if found is None else restore_tree(Tree.parse(found.pformat(margin=10**6))).children[0]  # type: ignore[return-value]


def print_peer(name: str, parse: Callable[[Tree], Tree | None], some: list[Tree]) -> None:
    found: list[Tree] = []
    given_up = 0
    start = time.process_time()
    for tree in some:
        try:
            with limited(LIMIT):
                best = parse(tree)
        except TimeoutError:
            best, given_up = None, given_up + 1
        flat = Tree("ROOT", [Tree(tag, [word]) for word, tag in zip(tree.leaves(), tree.tags(), strict=True)])
        found.append(flat if best is None else with_words(best, tree.leaves()))
    seconds = (time.process_time() - start) / max(len(some), 1)
    f1 = scores_of(some, found).brackets.f1
    print(f"{name:28} {100 * f1:6.2f} {1000 * seconds:14.1f} {given_up:>9}", flush=True)


def with_words(tree: Tree, words: Sequence[str]) -> Tree:
    """The tree over other words."""
    rest = iter(words)
    [found] = rebuild(
        tree, lambda node, children: [Tree(node.label, [next(rest)] if node.is_preterminal() else children)]
    )
    assert isinstance(found, Tree)
    return found


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """A TimeoutError after so many seconds of CPU time."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


if __name__ == "__main__":
    main()

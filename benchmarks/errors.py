"""What remains wrong: the errors of a model by segmentation, tags, relations and lengths of arcs.

    python benchmarks/errors.py DATA [--model en ...] [--set English-EWT] [--part test]

The first table has UPOS, UAS and LAS from raw text, from gold sentences and words, and with gold tags besides: the
differences are what errors of segmentation and of tags cost. The others count words of the gold sentences whose head or
label is wrong, by gold relation, by gold tag and by the distance of the gold head: how many words, the share of them
that is wrong, and their share of all errors.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import treewright as tw
from treewright.evaluate import evaluate
from treewright.tagger.tokeniser import text_and_ends

ROWS = 14  # of a table


class Arc(NamedTuple):
    """A gold arc, and whether it was found with its label, as the official script counts it."""

    relation: str
    upos: str
    distance: int
    is_right: bool


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--model", nargs="+", default=["en"])
    arguments.add_argument("--set", default="English-EWT")
    arguments.add_argument("--part", default="test")
    given = arguments.parse_args()
    gold = list(tw.read(given.data / "ud" / given.set / f"{given.part}.conllu"))
    for name in given.model:
        nlp = tw.Pipeline.load(name)
        bare = [tw.Sentence.from_words(sentence.forms) for sentence in gold]
        found = list(nlp.parse(bare, confidence=False))
        print(f"{name}\n{'input':24} {'UPOS':>6} {'UAS':>6} {'LAS':>6}")
        show("raw text", gold, list(nlp(text_and_ends(gold)[0], confidence=False)))
        show("gold words", gold, found)
        show("gold words and tags", gold, list(nlp.parse(gold, confidence=False)))
        arcs = [arc for pair in zip(gold, found, strict=True) for arc in arcs_of(*pair)]
        table("relation", arcs, lambda arc: arc.relation)
        table("tag", arcs, lambda arc: arc.upos)
        table("distance of the head", arcs, lambda arc: distance_class(arc.distance))


def show(name: str, gold: Sequence[tw.Sentence], found: Sequence[tw.Sentence]) -> None:
    """One line of figures."""
    scores = evaluate(gold, found).scores
    print(f"{name:24} " + " ".join(f"{100 * scores[figure].f1:6.2f}" for figure in ("UPOS", "UAS", "LAS")), flush=True)


def arcs_of(gold: tw.Sentence, found: tw.Sentence) -> list[Arc]:
    """The arcs of a gold tree."""
    arcs = []
    for word, (head, other) in enumerate(zip(gold.heads.tolist(), found.heads.tolist(), strict=True)):
        relation, label = (one.deprels[word].partition(":")[0] for one in (gold, found))
        distance = abs(head - word - 1) if head else 0
        arcs.append(Arc(relation, gold.upos[word], distance, head == other and relation == label))
    return arcs


def distance_class(distance: int) -> str:
    """Distances with few words are counted together."""
    for limit, name in ((0, "root"), (1, "1"), (2, "2"), (4, "3 to 4"), (8, "5 to 8"), (16, "9 to 16")):
        if distance <= limit:
            return name
    return "17 and more"


def table(name: str, arcs: Sequence[Arc], key: Callable[[Arc], str]) -> None:
    """The classes with most errors."""
    words, wrong = Counter(map(key, arcs)), Counter(key(arc) for arc in arcs if not arc.is_right)
    errors = sum(wrong.values())
    print(f"\n{name:24} {'words':>6} {'wrong':>7} {'of all errors':>14}")
    for value, count in wrong.most_common(ROWS):
        print(
            f"{value:24} {words[value]:6} {100 * count / words[value]:6.1f}% {100 * count / errors:13.1f}%", flush=True
        )


if __name__ == "__main__":
    main()

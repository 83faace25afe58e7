"""What remains wrong: the errors of a model by segmentation, tags, relations and lengths of arcs.

The first table has UPOS, UAS and LAS from raw text, from gold sentences and words, and with gold tags besides: the
differences are what errors of segmentation and of tags cost. The others count words of the gold sentences whose head or
label is wrong, by gold relation, by gold tag and by the distance of the gold head: how many words, the share of them
that is wrong, and their share of all errors. --other: the same words parsed by another parser; each table then has the
share that is wrong there, and what part of the difference between both parsers the row is.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import treewright as tw
from treewright.evaluate import evaluate
from treewright.tokeniser.tokeniser import text_and_ends

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

ROWS = 14  # of a table


class Arc(NamedTuple):
    """A gold arc, and whether each parser found it with its label, as the official script counts it."""

    relation: str
    upos: str
    distance: int
    is_right: tuple[bool, ...]


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--model", nargs="+", default=["en"])
    arguments.add_argument("--treebank", default="ud/English-EWT")
    arguments.add_argument("--part", default="test")
    arguments.add_argument("--other", type=Path, help="the words of this part, parsed by another parser")
    given = common.parse(arguments, needs="ud/English-EWT")
    gold = list(tw.read(given.data / given.treebank / f"{given.part}.conllu"))
    for name in given.model:
        nlp = tw.Pipeline.load(name)
        bare = [tw.Sentence.from_words(sentence.forms) for sentence in gold]
        found = list(nlp.parse(bare, confidence=False))
        print(f"{name}\n{'input':24} {'UPOS':>6} {'UAS':>6} {'LAS':>6}")
        show("raw text", gold, list(nlp(text_and_ends(gold)[0], confidence=False)))
        show("gold words", gold, found)
        show("gold words and tags", gold, list(nlp.parse(gold, confidence=False)))
        parsers = [found]
        if given.other is not None:
            parsers.append(list(tw.read(given.other)))
            show("gold words, other", gold, parsers[1])
        arcs = [arc for trees in zip(gold, *parsers, strict=True) for arc in arcs_of(*trees)]
        table("relation", arcs, lambda arc: arc.relation)
        table("tag", arcs, lambda arc: arc.upos)
        table("distance of the head", arcs, lambda arc: distance_class(arc.distance))


def show(name: str, gold: Sequence[tw.Sentence], found: Sequence[tw.Sentence]) -> None:
    """One line of figures."""
    scores = evaluate(gold, found).scores
    print(f"{name:24} " + " ".join(f"{100 * scores[figure].f1:6.2f}" for figure in ("UPOS", "UAS", "LAS")), flush=True)


def arcs_of(gold: tw.Sentence, *found: tw.Sentence) -> list[Arc]:
    """The arcs of a gold tree."""
    rights = zip(*(right_arcs(gold, one) for one in found), strict=True)
    return [
        Arc(universal(relation), upos, abs(head - word) if head else 0, right)
        for word, (head, relation, upos, right) in enumerate(
            zip(gold.heads.tolist(), gold.deprels, gold.upos, rights, strict=True), 1
        )
    ]


def right_arcs(gold: tw.Sentence, found: tw.Sentence) -> list[bool]:
    """For each word whether its head and label are those of the gold tree."""
    labels = (map(universal, one.deprels) for one in (gold, found))
    heads = (one.heads.tolist() for one in (gold, found))
    return [head == other and label == own for head, other, label, own in zip(*heads, *labels, strict=True)]


def universal(relation: str) -> str:
    """A relation without its subtype."""
    return relation.partition(":")[0]


def distance_class(distance: int) -> str:
    """Distances with few words are counted together."""
    for limit, name in ((0, "root"), (1, "1"), (2, "2"), (4, "3 to 4"), (8, "5 to 8"), (16, "9 to 16")):
        if distance <= limit:
            return name
    return "17 and more"


def table(name: str, arcs: Sequence[Arc], key: Callable[[Arc], str]) -> None:
    """The classes with most errors."""
    words = Counter(map(key, arcs))
    wrong, *others = (
        Counter(key(arc) for arc in arcs if not arc.is_right[parser]) for parser in range(len(arcs[0].is_right))
    )
    more = [f"{'other wrong':>12} {'of the difference':>18}" for _ in others]
    print(" ".join([f"\n{name:24} {'words':>6} {'wrong':>7} {'of all errors':>14}", *more]))
    for value, count in wrong.most_common(ROWS):
        line = f"{value:24} {words[value]:6} {100 * count / words[value]:6.1f}% {100 * count / wrong.total():13.1f}%"
        for other in others:
            part = (count - other[value]) / ((wrong.total() - other.total()) or 1)
            line += f" {100 * other[value] / words[value]:11.1f}% {100 * part:17.1f}%"
        print(line, flush=True)


if __name__ == "__main__":
    main()

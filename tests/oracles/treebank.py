"""Small treebanks made by a grammar, so that tests need no data: who depends on whom follows from the tags alone."""

from __future__ import annotations

import random

from treewright.corpus import Sentence

WORDS = {
    "DET": ["the", "a", "this", "every"],
    "ADJ": ["old", "red", "quick", "small", "happy"],
    "NOUN": ["dog", "house", "river", "teacher", "song", "apple"],
    "VERB": ["sees", "likes", "builds", "hears", "buys"],
    "ADP": ["in", "with", "near"],
    "ADV": ["often", "never", "slowly"],
    "PUNCT": ["."],
}
Node = tuple[str, str, list["Node"], list["Node"]]  # tag, label, modifiers to the left and to the right


def treebank(count: int, seed: int = 0, *, crossing: float = 0.0) -> list[Sentence]:
    """`count` sentences; in about `crossing` of them an adverb stands inside the object phrase, away from its verb."""
    dice = random.Random(seed)
    return [sentence(dice, dice.random() < crossing) for _ in range(count)]


def sentence(dice: random.Random, crossing: bool) -> Sentence:
    right = [noun_phrase(dice, "obj", 2)]
    adverb: Node = ("ADV", "advmod", [], [])
    if crossing:  # between the object's determiner and its noun
        right[0] = ("NOUN", "obj", [("DET", "det", [], []), ("ADV", "moved", [], [])], right[0][3])
    elif dice.random() < 0.5:
        right.append(adverb)
    tree: Node = ("VERB", "root", [noun_phrase(dice, "nsubj", 1)], [*right, ("PUNCT", "punct", [], [])])
    rows: list[list[object]] = []
    lay_out(dice, tree, 0, rows)
    verb = next(number for number, row in enumerate(rows, 1) if row[3] == "root")
    for row in rows:
        if row[3] == "moved":
            row[2:] = [verb, "advmod"]
    forms, tags, heads, labels = zip(*rows, strict=True)
    return Sentence.from_words(list(forms), upos=list(tags), heads=list(heads), deprels=list(labels))


def noun_phrase(dice: random.Random, label: str, depth: int) -> Node:
    left: list[Node] = [("DET", "det", [], [])]
    if dice.random() < 0.4:
        left.append(("ADJ", "amod", [], []))
    right = []
    if depth and dice.random() < 0.3:
        tag, _, before, after = noun_phrase(dice, "nmod", depth - 1)
        right.append((tag, "nmod", [("ADP", "case", [], []), *before], after))
    return ("NOUN", label, left, right)


def lay_out(dice: random.Random, node: Node, head: int, rows: list[list[object]]) -> None:
    """Appends form, tag, head and label of each word in order; heads are set when their numbers are known."""
    tag, label, left, right = node
    children: list[int] = []
    for child in left:
        children.append(len(rows))
        lay_out(dice, child, -1, rows)
        children[-1] = last_open(rows, children[-1])
    here = len(rows)
    rows.append([dice.choice(WORDS[tag]), tag, head, label])
    for child in right:
        begin = len(rows)
        lay_out(dice, child, -1, rows)
        children.append(last_open(rows, begin))
    for child_row in children:
        rows[child_row][2] = here + 1


def last_open(rows: list[list[object]], begin: int) -> int:
    """The one row from `begin` on whose head is not set yet."""
    [row] = [number for number in range(begin, len(rows)) if rows[number][2] == -1]
    return row

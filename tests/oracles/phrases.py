"""Random phrase-structure trees, ways of writing them, and every tree that a small grammar has for a sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from treewright.corpus import Tree
from treewright.grammar import HeadRules, TreebankGrammar

# Random phrase-structure trees of the Penn style.

PENN_TREES = """\
( (S (NP-SBJ (DT The) (NN dog)) (VP (VBZ barks)) (. .)) )
( (S (NP-SBJ (PRP She)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT the) (NN glass)))) (. .)) )
( (S (NP-SBJ (NP (DT The) (NN man)) (PP (IN with) (NP (DT a) (NN dog)))) (VP (VBZ sleeps)) (. .)) )
"""
SEEING_TREES = [  # with two places for a phrase of "with"
    "( (S (NP-SBJ (DT the) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))) (. .)))",
    "( (S (NP-SBJ (PRP she)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT the) (NN glass)))) (. .)))",
    "( (S (NP-SBJ (PRP she)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN with) (NP (DT a) (NN cat))))) (. .)))",
]
PENN_TAGS = ("NN", "NNS", "VB", "IN", "JJ", "DT", ",", ":", "``")


def random_penn_tree(rng: np.random.Generator, rules: HeadRules) -> Tree:
    """A tree below S whose phrases have a word that is no punctuation; no clause is at the end of a noun phrase."""

    def grown(label: str, depth: int) -> Tree:
        children: list[Tree] = []
        for _ in range(int(rng.integers(1, 4))):
            if depth and rng.random() < 0.5:
                inner = str(rng.choice(["NP", "VP", "PP", "ADJP"]))
                children.append(grown(inner, depth - 1) if inner != label else grown("ADVP", depth - 1))
            else:
                children.append(Tree(str(rng.choice(PENN_TAGS)), [f"w{rng.integers(9)}"]))
        if all(child.is_preterminal() and rules.is_punctuation(child.label) for child in children):
            children.append(Tree("NN", ["w"]))
        return Tree(label, children)

    return Tree("S", [grown("NP", 3), grown("VP", 3), Tree(".", ["."])])


# Phrase-structure trees as nested tuples, one for every seed, and ways of writing them down.

Nested = str | tuple[str, list["Nested"]]

BRACKET_LABELS = ["S", "NP", "NP-SBJ", "VP", "ADVP-TMP=2", "-NONE-", "X|Y", "PP"]
BRACKET_WORDS = ["a", "dog", "-LRB-", "*T*-1", "1\\/2", "naïve", "語", "x\u00a0y"]


def some_nested(random: Random, depth: int = 0) -> tuple[str, list[Nested]]:
    """A tree up to six nodes deep; its root may have no label."""
    label = random.choice(["", "S", "ROOT"]) if depth == 0 else random.choice(BRACKET_LABELS)
    if depth == 5 or random.random() < 0.3:
        return label or "S", [random.choice(BRACKET_WORDS) for _ in range(random.choice([1, 1, 1, 2]))]
    children: list[Nested] = [some_nested(random, depth + 1) for _ in range(random.choice([1, 1, 2, 2, 3, 4]))]
    if label and random.random() < 0.1:
        children.append(random.choice(BRACKET_WORDS))
    return label, children


def spelled(node: Nested, random: Random) -> str:
    """One of the ways to write it in brackets."""
    if isinstance(node, str):
        return node
    label, children = node
    text = "(" + random.choice(["", "", "", " "]) + label
    for child in children:
        blank = random.choice([" ", " ", "\n  ", "\r\n\t"])
        tight = isinstance(child, tuple) and random.random() < 0.1
        text += ("" if tight else blank) + spelled(child, random)
    return text + random.choice(["", "", "", " ", "\n"]) + ")"


# Every tree that a small grammar has for a sentence, with its value: the rules applied one by one.

LABELS, TAGS, WORDS = ("S", "NP", "VP", "X"), ("A", "B", "C"), ("a", "b", "c", "d")


def some_phrase(random: Random, depth: int, above: str = "") -> tw.Tree:
    """A random tree without a label twice in a chain."""
    if depth == 0 or random.random() < 0.25:
        return tw.Tree(random.choice(TAGS), [random.choice(WORDS)])
    label = random.choice([name for name in LABELS if name not in above.split()])
    count = random.choice([1, 2, 2, 3]) if len(above.split()) < len(LABELS) - 1 else 2
    below = f"{above} {label}" if count == 1 else ""
    return tw.Tree(label, [some_phrase(random, depth - 1, below) for _ in range(count)])


def some_trees(seed: int, count: int = 6) -> list[tw.Tree]:
    random = Random(seed)
    return [some_phrase(random, 3) for _ in range(count)]


def all_trees(
    grammar: TreebankGrammar, words: Sequence[str], adjust: NDArray[np.float64] | None = None
) -> list[tuple[float, str]]:
    """(value, tree in brackets) of every tree, best first."""
    model = grammar.model
    lexical = model.lexicon.scores(words)
    if adjust is not None:
        lexical = lexical + adjust[:, model.tag_of_preterminal]
    place = {int(symbol): column for column, symbol in enumerate(model.preterminals)}
    chain_total: Counter[int] = Counter()
    for chain, count in zip(model.chains, model.chain_counts.tolist(), strict=True):
        chain_total[chain[0]] += count
    rule_total: Counter[int] = Counter()
    for (parent, _, _), count in zip(model.rules.tolist(), model.rule_counts.tolist(), strict=True):
        rule_total[parent] += count
    known: dict[tuple[int, int, int], list[tuple[float, list[str]]]] = {}

    def tops(i: int, j: int, symbol: int) -> list[tuple[float, list[str]]]:
        if (i, j, symbol) not in known:
            known[i, j, symbol] = list(found_tops(i, j, symbol))
        return known[i, j, symbol]

    def found_tops(i: int, j: int, symbol: int) -> Iterator[tuple[float, list[str]]]:
        for chain, count in zip(model.chains, model.chain_counts.tolist(), strict=True):
            if chain[0] != symbol:
                continue
            for value, nodes in bases(i, j, chain[-1]):
                for number in chain[-2::-1]:
                    nodes = [f"({model.symbols[number].label} {' '.join(nodes)})"]
                yield value + math.log(count / chain_total[symbol]), nodes

    def bases(i: int, j: int, symbol: int) -> Iterator[tuple[float, list[str]]]:
        name = model.symbols[symbol]
        if j - i == 1:
            if name.is_tag and lexical[i, place[symbol]] > -np.inf:
                yield float(lexical[i, place[symbol]]), [f"({name.label} {words[i]})"]
            return
        for (parent, left, right), count in zip(model.rules.tolist(), model.rule_counts.tolist(), strict=True):
            if parent != symbol:
                continue
            for k in range(i + 1, j):
                for first, some in tops(i, k, left):
                    for second, others in tops(k, j, right):
                        value = first + second + math.log(count / rule_total[symbol])
                        nodes = some + others
                        yield value, nodes if name.is_inserted else [f"({name.label} {' '.join(nodes)})"]

    found = [(value, nodes[0]) for value, nodes in tops(0, len(words), 0)]
    plain = [(value, text[len("(ROOT ") : -1]) for value, text in found]
    return sorted(((value, text if is_one_tree(text) else f"( {text})") for value, text in plain), reverse=True)


def is_one_tree(text: str) -> bool:
    """Whether the first bracket closes at the end."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place == len(text) - 1
    return False

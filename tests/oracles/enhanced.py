"""Sentences with enhanced graphs, made from a few words: shared subjects, open complements, relative clauses."""

from __future__ import annotations

import random

import treewright as tw
from treewright.corpus.graph import clear_graph

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
VERBS = ("sings", "runs", "sleeps", "writes", "laughs", "waits")
PLACES = ("garden", "house", "river", "school")
PREPOSITIONS = ("in", "near", "behind")

Row = tuple[str, str, int, str, str]  # form, tag, head, relation, graph


def conjoined(generator: random.Random) -> list[Row]:
    """Ada sings and runs: the subject has two heads."""
    name, first, second = generator.choice(NAMES), *generator.sample(VERBS, 2)
    word = generator.choice(("and", "or"))
    return [
        (name, "PROPN", 2, "nsubj", "2:nsubj|4:nsubj"),
        (first, "VERB", 0, "root", "0:root"),
        (word, "CCONJ", 4, "cc", "4:cc"),
        (second, "VERB", 2, "conj", f"2:conj:{word}"),
    ]


def placed(generator: random.Random) -> list[Row]:
    """Ada sings in school: the preposition is part of the label."""
    name, verb, place = generator.choice(NAMES), generator.choice(VERBS), generator.choice(PLACES)
    word = generator.choice(PREPOSITIONS)
    return [
        (name, "PROPN", 2, "nsubj", "2:nsubj"),
        (verb, "VERB", 0, "root", "0:root"),
        (word, "ADP", 4, "case", "4:case"),
        (place, "NOUN", 2, "obl", f"2:obl:{word}"),
    ]


def relative(generator: random.Random) -> list[Row]:
    """Ada who sings runs: a cycle between noun and clause, and a pronoun whose tree arc is no edge."""
    name, first, second = generator.choice(NAMES), *generator.sample(VERBS, 2)
    return [
        (name, "PROPN", 4, "nsubj", "3:nsubj|4:nsubj"),
        ("who", "PRON", 3, "nsubj", "1:ref"),
        (first, "VERB", 1, "acl:relcl", "1:acl:relcl"),
        (second, "VERB", 0, "root", "0:root"),
    ]


def sentence(rows: list[Row]) -> tw.Sentence:
    forms, tags, heads, relations, graph = map(list, zip(*rows, strict=True))
    return tw.Sentence.from_words(
        forms, lemmas=[form.lower() for form in forms], upos=tags, heads=heads, deprels=relations, deps=graph
    )


def treebank(count: int, seed: int = 0, *, relatives: bool = False) -> list[tw.Sentence]:
    """Sentences of all kinds in turn; without relative clauses graphs are acyclic and contain their trees."""
    generator = random.Random(seed)
    kinds = (conjoined, placed, relative) if relatives else (conjoined, placed)
    return [sentence(kinds[number % len(kinds)](generator)) for number in range(count)]


def without_graph(sentence: tw.Sentence) -> tw.Sentence:
    copy = sentence.copy()
    clear_graph(copy)
    return copy

"""Small treebanks made by grammars, so that tests need no data: trees, tags with features and lemmas, graphs."""

from __future__ import annotations

import random
from random import Random

import treewright as tw
from treewright.corpus import Sentence
from treewright.corpus.graph import clear_graph

# Small treebanks made by a grammar, so that tests need no data: who depends on whom follows from the tags alone.

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


# A small artificial language with tags, features and lemmas, to train taggers and tokenisers on.

STEMS = ["dog", "cat", "bird", "farmer", "teacher", "river", "lamp", "window"]
ACTS = ["walk", "jump", "paint", "answer", "open", "visit"]


def tagged_treebank(sentences: int, seed: int = 1) -> list[Sentence]:
    """Sentences such as "The dogs walked ." and "The walk opens the lamps !": `walk` is a noun after `the` only."""
    random = Random(seed)
    return [tagged_sentence(random) for _ in range(sentences)]


def tagged_phrase(random: Random) -> list[tuple[str, ...]]:
    stem = random.choice(STEMS + ACTS)
    noun = (stem + "s", "Number=Plur") if random.random() < 0.5 else (stem, "Number=Sing")
    return [("the", "the", "DET", "D", "_"), (noun[0], stem, "NOUN", "N", noun[1])]


def tagged_sentence(random: Random) -> Sentence:
    act = random.choice(ACTS)
    verb = (act + "ed", "Tense=Past") if random.random() < 0.5 else (act + "s", "Tense=Now")
    words = [*tagged_phrase(random), (verb[0], act, "VERB", "V", verb[1])]
    if random.random() < 0.6:
        words += tagged_phrase(random)
    words.append((random.choice(".!?"), "", "PUNCT", "P", "_"))
    forms = [word[0] for word in words]
    forms[0] = forms[0].capitalize()
    columns = list(zip(*(word[1:] for word in words), strict=True))
    lemmas = [lemma or form for lemma, form in zip(columns[0], forms, strict=True)]
    misc = ["_"] * len(words)
    misc[-2] = "SpaceAfter=No"
    return Sentence.from_words(forms, lemmas=lemmas, upos=columns[1], xpos=columns[2], feats=columns[3], misc=misc)


# Sentences with enhanced graphs, made from a few words: shared subjects, open complements, relative clauses.

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


def enhanced_sentence(rows: list[Row]) -> tw.Sentence:
    forms, tags, heads, relations, graph = map(list, zip(*rows, strict=True))
    return tw.Sentence.from_words(
        forms, lemmas=[form.lower() for form in forms], upos=tags, heads=heads, deprels=relations, deps=graph
    )


def enhanced_treebank(count: int, seed: int = 0, *, relatives: bool = False) -> list[tw.Sentence]:
    """Sentences of all kinds in turn; without relative clauses graphs are acyclic and contain their trees."""
    generator = random.Random(seed)
    kinds = (conjoined, placed, relative) if relatives else (conjoined, placed)
    return [enhanced_sentence(kinds[number % len(kinds)](generator)) for number in range(count)]


def without_graph(sentence: tw.Sentence) -> tw.Sentence:
    copy = sentence.copy()
    clear_graph(copy)
    return copy

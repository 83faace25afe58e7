"""Rules about labels: read off a treebank, obeyed by the parser."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.treebank import treebank

from treewright.checking import check
from treewright.corpus import Sentence
from treewright.parser import Labelling, LabelRules, Parser, ParserOptions, Pruning, Scoring
from treewright.parser.label_rules import MAX_EXCLUDING, ROOT_TAG, LabelSets, Rule, TagRules, limited

SMALL = ParserOptions(
    "arc",
    pruning=Pruning(bits=12, epochs=2),
    scoring=Scoring(bits=14, epochs=2),
    labelling=Labelling(bits=12, epochs=2),
)
RULES_OF_LABELS = {"two-subjects", "two-objects", "object-of-noun", "punct-tag", "direction"}
NOUNS = ["dog", "house", "river", "teacher", "song", "apple"]


def free_order(count: int, seed: int = 0) -> list[Sentence]:
    """Two nouns and a verb: the forms, their order and their places do not say which noun is the subject."""
    dice = random.Random(seed)
    return [ambiguous(dice) for _ in range(count)]


def ambiguous(dice: random.Random) -> Sentence:
    labels = ["nsubj", "obj"]
    dice.shuffle(labels)
    words = ["sees", *dice.choices(NOUNS, k=2)]
    return Sentence.from_words(words, upos=["VERB", "NOUN", "NOUN"], heads=[0, 1, 1], deprels=["root", *labels])


def repeated(sentences: list[Sentence]) -> int:
    """The sentences in which two words with one head have the same label."""
    return sum(
        max(Counter(zip(sentence.heads.tolist(), sentence.deprels, strict=True)).values()) > 1 for sentence in sentences
    )


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.train(free_order(60), options=SMALL)


def test_rules_are_what_never_occurs_though_chance_would_produce_it_often() -> None:
    sentences = treebank(300)
    rules = LabelRules.read(sentences, 10.0, 10.0)
    tags = sorted({tag for sentence in sentences for tag in sentence.upos})
    labels = sorted({label for sentence in sentences for label in sentence.deprels})
    rows = [
        (label, tag, [ROOT_TAG, *sentence.upos][head], (number, head))
        for number, sentence in enumerate(sentences)
        for label, tag, head in zip(sentence.deprels, sentence.upos, sentence.heads.tolist(), strict=True)
    ]
    never = {
        (label, tag)
        for label, tag in product(labels, tags)
        if not any(row[:2] == (label, tag) for row in rows)
        and sum(row[0] == label for row in rows) * sum(row[1] == tag for row in rows) / len(rows) >= 10
    }
    assert {rule[:2] for rule in rules.tags} == never
    assert never
    below: dict[tuple[int, int], list[str]] = {}
    for label, _, _, head in rows:
        below.setdefault(head, []).append(label)
    seen = {pair for (_, head), some in below.items() if head for pair in combinations(sorted(some), 2)}
    assert not seen & {rule[:2] for rule in rules.exclusions}
    assert {("nsubj", "nsubj"), ("obj", "obj"), ("det", "det")} <= {rule[:2] for rule in rules.exclusions}


def test_rare_labels_have_no_rules() -> None:
    assert LabelRules.read(treebank(3)).exclusions == ()


def test_labels_that_exclude_each_other_do_not_occur_below_one_head(parser: Parser) -> None:
    test = free_order(200, seed=1)
    free = Parser.train(free_order(60), options=replace(SMALL, label_rules=False))
    assert repeated(list(free.parse(test))) > 10
    assert repeated(list(parser.parse(test))) == 0


def test_rules_keep_the_labels_of_trees_that_obey_them_anyway(parser: Parser) -> None:
    options = replace(parser.options, label_rules=False)
    free = Parser(replace(parser.model, label_rules=LabelRules(), options=options))
    pairs = list(zip(free.parse(free_order(200, seed=1)), parser.parse(free_order(200, seed=1)), strict=True))
    valid = [(one.deprels, other.deprels) for one, other in pairs if not repeated([one])]
    assert len(valid) > 10
    assert all(before == after for before, after in valid)


@pytest.mark.parametrize("label", ["nsubj", "obj"])
def test_labels_that_people_decided_are_kept_and_restrict_the_others(parser: Parser, label: str) -> None:
    for sentence in free_order(20, seed=2):
        sentence.deprels = ["_", label, "_"]
        [found] = parser.complete([sentence])
        assert sorted(found.sentence.deprels) == ["nsubj", "obj", "root"]
        assert found.sentence.deprels[1] == label


def test_two_equal_labels_that_people_decided_stay(parser: Parser) -> None:
    [sentence] = free_order(1)
    sentence.deprels = ["_", "obj", "obj"]
    [found] = parser.complete([sentence])
    assert found.sentence.deprels == ["root", "obj", "obj"]


def test_labels_obey_the_guidelines_whatever_the_treebank() -> None:
    """The training data have what the guidelines exclude; the trees of the parser do not."""
    dice = random.Random(5)
    tags, labels = (
        ["NOUN", "PROPN", "VERB", "PUNCT", "AUX"],
        ["nsubj", "csubj:pass", "obj", "conj", "punct", "cop", "dep"],
    )
    train = []
    for _ in range(60):
        heads = [0, *(dice.choice([1, 1, 1, 5]) for _ in range(3)), 1]
        deprels = ["root", *dice.choices(labels, k=4)]
        train.append(Sentence.from_words(list("abcde"), upos=dice.choices(tags, k=5), heads=heads, deprels=deprels))
    bad = {finding.rule for finding in check(train, level=3)} & RULES_OF_LABELS
    assert bad == RULES_OF_LABELS
    parser = Parser.train(train, options=SMALL)
    parsed = list(parser.parse(train))
    assert {finding.rule for finding in check(parsed, level=3)} & RULES_OF_LABELS == set()
    for sentence in parsed:
        sentence.deprels = ["_"] * len(sentence)
    completed = [completion.sentence for completion in parser.complete(parsed)]
    assert {finding.rule for finding in check(completed, level=3)} & RULES_OF_LABELS == set()


def test_a_noun_with_a_copula_may_have_an_object() -> None:
    labels = ["cop", "dep", "nsubj", "obj", "root"]
    rules = TagRules(LabelRules(), labels, LabelSets.of({}))
    heads = np.array([-1, 2, 0, 2], dtype=np.int32)
    for tags, relations, is_broken in [
        (["AUX", "NOUN", "PRON"], ["cop", "root", "obj"], False),
        (["PRON", "NOUN", "PRON"], ["nsubj", "root", "obj"], True),
        (["PRON", "VERB", "PRON"], ["nsubj", "root", "obj"], False),
        (["PRON", "VERB", "PRON"], ["nsubj", "root", "nsubj"], True),
        (["PRON", "NN", "PRON"], ["nsubj", "root", "obj"], False),  # not a universal tag
    ]:
        assert rules.is_broken([ROOT_TAG, *tags], heads, relations) == is_broken


def test_a_label_is_not_used_with_a_tag_that_it_never_has() -> None:
    train = treebank(200)
    parser = Parser.train(train, options=SMALL)
    model = parser.model
    rules = TagRules(model.label_rules, model.labels, model.label_sets)
    tags = sorted({tag for sentence in train for tag in sentence.upos})
    dice = random.Random(4)
    sentences = [
        Sentence.from_words([dice.choice(NOUNS) for _ in range(6)], upos=dice.choices(tags, k=6)) for _ in range(200)
    ]
    checked = 0
    for sentence in parser.parse(sentences):
        pairs = [ROOT_TAG, *sentence.upos]
        for label, tag, head in zip(sentence.deprels, sentence.upos, sentence.heads.tolist(), strict=True):
            assert (label == "root") == (head == 0)
            others = [other for other in parser.model.labels if (other == "root") == (head == 0)]
            can = any(rules.permits(other, tag, pairs[head]) for other in others)
            assert rules.permits(label, tag, pairs[head]) or not can
            checked += can
    assert checked > 300


def test_rules_are_saved_with_the_model(parser: Parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "my.tw")
    loaded = Parser.load(tmp_path / "my.tw")
    assert loaded.model.label_rules == parser.model.label_rules
    test = free_order(50, seed=3)
    assert [one.deprels for one in loaded.parse(test)] == [one.deprels for one in parser.parse(test)]


def test_there_are_at_most_as_many_excluding_labels_as_the_kernel_takes() -> None:
    rules = [Rule(f"label{number}", f"label{number + 1}", 100.0 - number) for number in range(100)]
    kept = limited(rules)
    assert len({label for rule in kept for label in rule[:2]}) == MAX_EXCLUDING
    assert kept == tuple(rules[: MAX_EXCLUDING - 1])


def test_with_predicted_tags_punctuation_keeps_its_tag() -> None:
    columns: dict[str, Any] = {
        "upos": ["SYM", "VERB", "PUNCT"],
        "heads": [2, 0, 2],
        "deprels": ["discourse", "root", "punct"],
    }
    whole = [Sentence.from_words([":)", "Run", "!"], **columns)] * 40
    rules = LabelRules.for_predicted_tags(whole)
    assert ("punct", "SYM") in {(rule.label, rule.other) for rule in rules.tags}
    with_rare = [*whole, *[Sentence.from_words(["Go"], upos=["INTJ"], heads=[0], deprels=["root"])] * 4000]
    found = {(rule.label, rule.other) for rule in LabelRules.for_predicted_tags(with_rare).tags}
    assert ("punct", "INTJ") in found
    assert ("discourse", "PUNCT") not in found  # chance would produce less than one
    often = [*whole[:1] * 300, *with_rare[-4000:]]  # by chance 18 of each pair, below 1 % of the words
    found = {(rule.label, rule.other) for rule in LabelRules.for_predicted_tags(often).tags}
    assert ("discourse", "PUNCT") in found
    assert ("discourse", "VERB") not in found
    against = Sentence.from_words([":)"], upos=["SYM"], heads=[0], deprels=["punct"])
    broken = LabelRules.for_predicted_tags([*whole, against])
    assert ("punct", "SYM") not in {(rule.label, rule.other) for rule in broken.tags}

"""Rules about labels, read off a treebank: which labels exclude each other below a word, or never go with a tag.

A rule of a treebank holds if something never occurs in the treebank although chance would produce it often: two
modifiers of one word with these two labels, a label on a word of this tag, a label below a word of this tag. Chance
means that the labels of modifiers are independent given the tag of their head, and labels independent of tags.

Models with the relations of Universal Dependencies also obey what its guidelines exclude in any treebank: the rules
about labels of `treewright.checking` at level 3.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations, combinations_with_replacement
from operator import gt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.caching import MAX_CACHED
from treewright.corpus import Sentence
from treewright.guidelines import (
    LEFT_TO_RIGHT,
    NOUNS,
    OBJECT,
    OUTER,
    PREDICATE_MARKS,
    PUNCTUATION,
    PUNCTUATION_TAG,
    SUBJECTS,
    TAGS,
)

# On development sets, counts from 3 to 300 change LAS by -0.02 to +0.03 points.
MIN_EXPECTED_PAIR = MIN_EXPECTED_TAG = 10.0
# Share of the words. Where tags are predicted, a contradiction is about as often an error of the tagger. With 2,000
# training sentences, rules about tags from an expected count of 10 on lose 0.07 points of LAS on the development sets
# of EWT and Portuguese-Bosque, from 1,000 on none.
MIN_SHARE_PREDICTED = 0.01
MAX_EXCLUDING = 64  # labels that exclude another one: the limit of core/learning/label_exclusions.hpp
OPEN = "_"  # a label that is not given
ROOT = "root"  # the relation that Universal Dependencies keep for the word below the root
ROOT_TAG = "<root>"  # in place of the tag of node 0
AUXILIARY_TAG = "AUX"  # of copulas and auxiliaries

Indices = NDArray[np.int32]
Pair = tuple[str, str]
Case = tuple[str, str, str, bool]  # the label of a word, its tag, the tag of its head, whether it is left of its head


class Rule(NamedTuple):
    """What never occurs, and how often chance would produce it: two labels below one word, or a label with a tag."""

    label: str
    other: str
    expected: float


class LabelRules(NamedTuple):
    """The rules of a treebank, those with the highest expected counts first."""

    exclusions: tuple[Rule, ...] = ()  # two labels that no two modifiers of one word have
    tags: tuple[Rule, ...] = ()  # a label that no word of this tag has
    head_tags: tuple[Rule, ...] = ()  # a label that no modifier of a word of this tag has

    @classmethod
    def read(
        cls, sentences: Iterable[Sentence], min_pair: float = MIN_EXPECTED_PAIR, min_tag: float = MIN_EXPECTED_TAG
    ) -> LabelRules:
        """Read the rules that sentences obey; min_pair and min_tag are the smallest expected counts.

        >>> columns = {"upos": ["PRON", "VERB", "PRON"], "heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}
        >>> rules = LabelRules.read([Sentence.from_words(["We", "saw", "it"], **columns)] * 30)
        >>> [(rule.label, rule.other) for rule in rules.exclusions]
        [('nsubj', 'nsubj'), ('obj', 'obj')]
        """
        counts = Counts(sentences)
        return cls(
            limited(rules_of(counts.pairs, counts.expected_pairs(), min_pair)),
            rules_of(counts.tags, expected_together(counts.tags), min_tag),
            rules_of(counts.head_tags, expected_together(counts.head_tags), min_tag),
        )

    @classmethod
    def for_predicted_tags(cls, sentences: Sequence[Sentence]) -> LabelRules:
        """Return the rules for a parser that is used with the tags of a tagger, read off sentences with gold tags.

        Of those about tags, the ones with a high expected count, and all about the label and the tag of punctuation:
        taggers confuse it rarely.
        """
        words = sum(map(len, sentences))
        rules = cls.read(sentences)
        least = MIN_SHARE_PREDICTED * words
        tags = tuple(
            rule
            for rule in rules.tags
            if rule.expected >= least or rule.label == PUNCTUATION or rule.other == PUNCTUATION_TAG
        )
        return rules._replace(tags=tags, head_tags=tuple(rule for rule in rules.head_tags if rule.expected >= least))

    def excluding(self, labels: Sequence[str]) -> list[Pair]:
        """Return the pairs of labels that exclude each other in a model with these labels, by the guidelines first."""
        rules = [Rule(*pair, 0.0) for pair in excluded_by_guidelines(labels)]
        return [(rule.label, rule.other) for rule in limited([*rules, *self.exclusions])]

    def to_json(self) -> dict[str, Any]:
        """Return plain values; treewright.checks.read_plain is the inverse."""
        return {name: [[*rule] for rule in rules] for name, rules in self._asdict().items()}


NO_RULES = LabelRules()


class Counts:
    """What occurs in a treebank, and how often."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.words: Counter[str] = Counter()  # by tag
        self.modifiers: Counter[Pair] = Counter()  # by the tag of the head, and the label
        self.pairs: Counter[Pair] = Counter()  # two labels below one word, in alphabetical order
        self.tags: Counter[Pair] = Counter()  # a label and the tag of its word
        self.head_tags: Counter[Pair] = Counter()  # a label and the tag of its head
        for sentence in sentences:
            self._add(sentence)

    def _add(self, sentence: Sentence) -> None:
        """Count a sentence, without the words whose head or label is open."""
        tags = [ROOT_TAG, *tags_of(sentence)]
        below: dict[int, list[str]] = {}
        self.words.update(tags[1:])
        for m, (h, label) in enumerate(zip(sentence.heads.tolist(), sentence.deprels, strict=True), start=1):
            if h < 0 or label == OPEN:
                continue
            self.tags[label, tags[m]] += 1
            self.head_tags[label, tags[h]] += 1
            if h:
                self.modifiers[tags[h], label] += 1
                below.setdefault(h, []).append(label)
        for labels in below.values():
            self.pairs.update(combinations(sorted(labels), 2))

    def expected_pairs(self) -> dict[Pair, float]:
        """Return the expected number of pairs with two labels, if the labels depend on the tag of the head alone."""
        by_tag: dict[str, list[tuple[str, int]]] = {}
        for (tag, label), count in sorted(self.modifiers.items()):
            by_tag.setdefault(tag, []).append((label, count))
        expected: defaultdict[Pair, float] = defaultdict(float)
        for tag, counted in by_tag.items():
            for number, (a, count) in enumerate(counted):
                expected[a, a] += count * (count - 1) / 2 / self.words[tag]
                for b, other in counted[number + 1 :]:
                    expected[a, b] += count * other / self.words[tag]
        return dict(expected)


def tags_of(sentence: Sentence) -> list[str]:
    """Return the tag of each word by which candidate labels are chosen: UPOS, XPOS where it is empty."""
    tags = sentence.upos
    if "_" not in tags:
        return list(tags)
    return [xpos if upos == "_" else upos for upos, xpos in zip(tags, sentence.xpos, strict=True)]


def expected_together(counted: Counter[Pair]) -> dict[Pair, float]:
    """Return how often each first part goes with each second part if they are independent."""
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (a, b), count in counted.items():
        first[a] += count
        second[b] += count
    total = first.total()
    return {(a, b): first[a] * second[b] / total for a in first for b in second}


def rules_of(seen: Mapping[Pair, int], expected: Mapping[Pair, float], min_expected: float) -> tuple[Rule, ...]:
    """Return what never occurs although chance would produce it often enough."""
    rules = [Rule(*pair, count) for pair, count in expected.items() if count >= min_expected and pair not in seen]
    return tuple(sorted(rules, key=lambda rule: (-rule.expected, rule.label, rule.other)))


def limited(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules in order as long as they are about at most MAX_EXCLUDING labels."""
    labels: set[str] = set()
    kept = []
    for rule in rules:
        if len(labels | {rule.label, rule.other}) <= MAX_EXCLUDING:
            labels |= {rule.label, rule.other}
            kept.append(rule)
    return tuple(kept)


# -- labels under the rules about tags


class LabelSets(NamedTuple):
    """The labels seen between two tags in one direction: label[begin[k] : begin[k + 1]] for the k-th sorted key."""

    key: NDArray[np.uint32]
    begin: Indices
    label: Indices

    @classmethod
    def of(cls, labels_of: Mapping[int, Iterable[int]]) -> LabelSets:
        """Return labels by key as arrays."""
        rows = [sorted(labels_of[key]) for key in sorted(labels_of)]
        begin = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        label = np.array([label for row in rows for label in row], dtype=np.int32)
        return cls(np.array(sorted(labels_of), dtype=np.uint32), begin, label)

    def find(self, key: int) -> set[int] | None:
        """Return the labels of a key; None if it is unknown."""
        row = int(np.searchsorted(self.key, np.uint32(key)))
        if row == len(self.key) or self.key[row] != key:
            return None
        return set(self.label[self.begin[row] : self.begin[row + 1]].tolist())


def excluded_by_guidelines(labels: Sequence[str]) -> list[Pair]:
    """Return the pairs of labels of which the guidelines permit one below a word; none unless there is "root".

    >>> excluded_by_guidelines(["root", "nsubj", "nsubj:outer", "csubj"])
    [('nsubj', 'nsubj'), ('nsubj', 'csubj'), ('csubj', 'csubj')]
    """
    subjects = [label for label in labels if relation_of(label) in SUBJECTS and not label.endswith(OUTER)]
    objects = [label for label in labels if relation_of(label) == OBJECT]
    groups = (subjects, objects) if ROOT in labels else ()
    return [pair for group in groups for pair in combinations_with_replacement(group, 2)]


def relation_of(label: str) -> str:
    """Return a label without its subtype."""
    return label.partition(":")[0]


class TagRules:
    """The pairs of a label and a tag that the rules of a model forbid, and the labels that they permit.

    A model that has the label "root" gives it to the words below the root and to no others, as Universal Dependencies
    require, whatever the other rules say: a sentence may be one punctuation mark. It also obeys the guidelines in
    sentences with universal tags, unless has_guidelines is False.
    """

    def __init__(self, rules: LabelRules, labels: Sequence[str], seen: LabelSets, has_guidelines: bool = True) -> None:
        self.tags, self.head_tags = (
            {(rule.label, rule.other) for rule in about} for about in (rules.tags, rules.head_tags)
        )
        self.labels, self.seen = labels, seen
        self.root = labels.index(ROOT) if ROOT in labels else None
        self.has_guidelines = has_guidelines and self.root is not None
        self.relations = {label: relation_of(label) for label in labels}
        self.excluded = set(excluded_by_guidelines(labels))
        self._arguments = set(chain.from_iterable(self.excluded))
        self._plain: dict[Case, bool] = {}  # whether no rule forbids a case, whatever the other words are

    def __bool__(self) -> bool:
        return self.root is not None or bool(self.tags or self.head_tags)

    def permits(self, label: str, tag: str, head_tag: str) -> bool:
        """Whether a word of this tag may have this label below a word of the tag head_tag."""
        return (label, tag) not in self.tags and (label, head_tag) not in self.head_tags

    def is_broken(self, tags: Sequence[str], heads: Indices, labels: Sequence[str]) -> bool:
        """Whether a rule forbids one of the labels; tags are those of all nodes."""
        below = heads[1:].tolist()
        head_tags = [tags[head] for head in below]
        with_arguments = [head for head, label in zip(below, labels, strict=True) if label in self._arguments]
        is_leftward = map(gt, below, range(1, len(tags)))
        cases = set(zip(labels, tags[1:], head_tags, is_leftward, strict=True))
        if len(set(with_arguments)) == len(with_arguments) and self._are_plain(cases):
            return False
        if self.root is not None and any(
            (head == 0) != (label == ROOT) for head, label in zip(below, labels, strict=True)
        ):
            return True
        is_kept = self.tags.isdisjoint(zip(labels, tags[1:], strict=True)) and self.head_tags.isdisjoint(
            zip(labels, head_tags, strict=True)
        )
        return not is_kept or (self._guided(tags) and self._breaks_guidelines(tags, below, labels))

    def _are_plain(self, cases: set[Case]) -> bool:
        """Whether no rule about single words forbids one of these cases; those that are plain are cached."""
        if len(self._plain) > MAX_CACHED:
            self._plain.clear()
        known = self._plain
        for case in cases.difference(known):  # looks each up, which `-` with the keys does not
            known[case] = self._is_plain(*case)
        return all(map(known.__getitem__, cases))

    def _is_plain(self, label: str, tag: str, head_tag: str, is_leftward: bool) -> bool:
        """Whether no rule forbids the label of a word, also if it were the only word below its head."""
        if tag == ROOT_TAG or not self.permits(label, tag, head_tag):
            return False
        if self.root is not None and (head_tag == ROOT_TAG) != (label == ROOT):
            return False
        is_free = head_tag == ROOT_TAG or not self.has_guidelines
        relation = self.relations.get(label) or relation_of(label)
        return is_free or not is_excluded(relation, tag, head_tag not in NOUNS, is_leftward)

    def marks(self, sentence: Sentence) -> Indices:
        """Return the punctuation that the guidelines permit no dependents: none if the sentence has no other words."""
        marks = self.punctuation(sentence)
        return marks if len(marks) < len(sentence) else marks[:0]

    def punctuation(self, sentence: Sentence) -> Indices:
        """Return the words of a sentence that the rules of the guidelines about punctuation hold for."""
        marks: list[int] = []
        upos = sentence.upos
        if PUNCTUATION_TAG in upos and self.has_guidelines and TAGS.keys() >= set(upos):
            marks = [word for word, tag in enumerate(upos, 1) if tag == PUNCTUATION_TAG]
        return np.array(marks, dtype=np.int32)

    def _guided(self, tags: Sequence[str]) -> bool:
        """Whether the guidelines apply to a sentence: its tags are universal ones."""
        return self.has_guidelines and TAGS.keys() >= set(tags[1:])

    def _breaks_guidelines(self, tags: Sequence[str], heads: Sequence[int], labels: Sequence[str]) -> bool:
        """Whether the guidelines exclude one of the labels, or two below one word; heads are those of the words."""
        relations = [self.relations.get(label) or relation_of(label) for label in labels]
        predicates = {head for head, relation in zip(heads, relations, strict=True) if relation in PREDICATE_MARKS}
        arguments: dict[int, list[str]] = {}  # head -> labels of subjects and objects
        for word, (head, label, relation) in enumerate(zip(heads, labels, relations, strict=True), 1):
            if head == 0:
                continue
            may_have_object = tags[head] not in NOUNS or head in predicates
            if is_excluded(relation, tags[word], may_have_object, head > word):
                return True
            if relation == OBJECT or relation in SUBJECTS:
                arguments.setdefault(head, []).append(label)
        pairs = (pair for below in arguments.values() for pair in combinations(below, 2))
        return any(pair in self.excluded or pair[::-1] in self.excluded for pair in pairs)

    def candidates(
        self, keys: NDArray[np.uint32], tags: Sequence[str], heads: Indices, is_strict: bool = False
    ) -> LabelSets:
        """Return the labels that the rules permit for the keys of a tree; tags are those of all nodes.

        Where no permitted label was seen between two tags, every permitted label is a candidate. If the rules permit
        none at all, the candidates are the labels that were seen. is_strict: every permitted label is a candidate, and
        no noun may have an object; else a noun with an auxiliary may.
        """
        numbers, guided = heads.tolist(), self._guided(tags)
        with_auxiliary = {head for head, tag in zip(numbers[1:], tags[1:], strict=True) if tag == AUXILIARY_TAG}
        labels_of: dict[int, set[int]] = {}
        for word, (key, head) in enumerate(zip(keys[1:].tolist(), numbers[1:], strict=True), 1):
            excluded: set[int] = set()
            if guided:
                may_have_object = tags[head] not in NOUNS or (head in with_auxiliary and not is_strict)
                excluded = {
                    number
                    for number, label in enumerate(self.labels)
                    if is_excluded(self.relations[label], tags[word], may_have_object, head > word)
                }
            if key not in labels_of:
                seen = None if is_strict else self.seen.find(key)
                labels_of[key] = self._candidates(seen, tags[word], tags[head], excluded)
            elif head:  # another word with this key may have excluded fewer labels
                labels_of[key] = labels_of[key] - excluded or labels_of[key]
        return LabelSets.of(labels_of)

    def _candidates(self, seen: set[int] | None, tag: str, head_tag: str, excluded: set[int]) -> set[int]:
        if self.root is not None and head_tag == ROOT_TAG:
            return {self.root}
        every = set(range(len(self.labels))) - {self.root} - excluded
        permitted = {number for number in every if self.permits(self.labels[number], tag, head_tag)}
        return permitted & (seen or every) or permitted or (seen or every) & every or {0}


def is_excluded(relation: str, tag: str, may_have_object: bool, is_leftward: bool) -> bool:
    """Whether the guidelines exclude a relation of a word below another word.

    tag: the word's own. may_have_object: whether its head may. is_leftward: the word is on the left of its head.
    """
    return (
        (relation == PUNCTUATION) != (tag == PUNCTUATION_TAG)
        or (relation == OBJECT and not may_have_object)
        or (is_leftward and relation in LEFT_TO_RIGHT)
    )

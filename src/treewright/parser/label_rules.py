"""Rules about labels, read off a treebank: which labels exclude each other below a word, or never go with a tag.

A rule holds if something never occurs in the treebank although chance would produce it often: two
modifiers of one word with these two labels, a label on a word of this tag, a label below a word of this tag. Chance
means that the labels of modifiers are independent given the tag of their head, and labels independent of tags.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from treewright.corpus import Sentence

# On development sets, counts from 3 to 300 change LAS by -0.02 to +0.03 points.
MIN_EXPECTED_PAIR = MIN_EXPECTED_TAG = 10.0
# Share of the words. Where tags are predicted, a contradiction is about as often an error of the tagger. With 2,000
# training sentences, rules about tags from an expected count of 10 on lose 0.07 points of LAS on the development sets
# of EWT and Portuguese-Bosque, from 1,000 on none.
MIN_SHARE_PREDICTED = 0.01
# By the validation of Universal Dependencies this label has this tag alone, and this tag this label, as far as the
# treebank obeys.
PUNCTUATION, PUNCTUATION_TAG = "punct", "PUNCT"
MAX_EXCLUDING = 64  # labels that exclude another one: the limit of core/learning/label_exclusions.hpp
OPEN = "_"  # a label that is not given
ROOT = "root"  # the relation that Universal Dependencies keep for the word below the root
ROOT_TAG = "<root>"  # in place of the tag of node 0

Pair = tuple[str, str]


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

    def forbidden(self) -> Forbidden:
        """Return the rules about tags as sets."""
        tags, head_tags = ({(rule.label, rule.other) for rule in rules} for rules in (self.tags, self.head_tags))
        return Forbidden(tags, head_tags)

    def excluding(self) -> list[Pair]:
        """Return the pairs of labels that exclude each other."""
        return [(rule.label, rule.other) for rule in self.exclusions]

    def describe(self, most: int = 20) -> list[str]:
        """Lines for people: the rules with the highest expected counts.

        >>> print(*LabelRules((Rule("obj", "obj", 12.3), Rule("csubj", "nsubj", 10.2))).describe(), sep="\\n")
        rules about labels: 1 at most once below a word, 1 pair excluded there; ...
          obj at most once (by chance 12)
          not both csubj and nsubj (by chance 10)
        """
        once = sum(rule.label == rule.other for rule in self.exclusions)
        pairs = len(self.exclusions) - once
        summary = (
            f"rules about labels: {once} at most once below a word, {pairs} pair{'s' * (pairs != 1)} excluded there; "
            f"{len(self.tags)} never with a tag, {len(self.head_tags)} never below one"
        )
        lines = [
            *((_exclusion(rule), rule) for rule in self.exclusions[:most]),
            *((f"{rule.other} is never {rule.label}", rule) for rule in self.tags[:most]),
            *((f"{rule.other} never has {rule.label}", rule) for rule in self.head_tags[:most]),
        ]
        return [summary, *(f"  {line} (by chance {rule.expected:,.0f})" for line, rule in lines)]

    def to_json(self) -> dict[str, Any]:
        """Return plain values; treewright.checks.read_plain is the inverse."""
        return {name: [[*rule] for rule in rules] for name, rules in self._asdict().items()}


NO_RULES = LabelRules()


class Forbidden(NamedTuple):
    """Pairs of a label and a tag that do not go together."""

    tags: set[Pair]
    head_tags: set[Pair]

    def permits(self, label: str, tag: str, head_tag: str) -> bool:
        """Whether a word of this tag may have this label below a word of the tag head_tag."""
        return (label, tag) not in self.tags and (label, head_tag) not in self.head_tags


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


def limited(rules: Sequence[Rule], most: int = MAX_EXCLUDING) -> tuple[Rule, ...]:
    """Return the rules in order as long as they are about at most so many labels."""
    labels: set[str] = set()
    kept = []
    for rule in rules:
        if len(labels | {rule.label, rule.other}) <= most:
            labels |= {rule.label, rule.other}
            kept.append(rule)
    return tuple(kept)


def _exclusion(rule: Rule) -> str:
    return f"{rule.label} at most once" if rule.label == rule.other else f"not both {rule.label} and {rule.other}"

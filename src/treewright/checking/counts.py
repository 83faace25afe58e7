"""Level 4: what never or hardly ever occurs in another treebank, with its counts there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from treewright.checking.block import Block, Row
from treewright.checking.findings import Problem
from treewright.corpus import Sentence

RARE = 2  # occurrences in the other treebank up to which a combination is reported; not tuned
MIN_EXPECTED = 10.0  # occurrences expected by chance below which a missing combination says nothing; not tuned
MIN_HEADS = 1000  # heads with a relation below which it says nothing that none has it twice; not tuned
MAX_NEW_SHARE = 1e-4  # share of words with an XPOS not seen before, above which a new one says nothing; not tuned
ROOT = "ROOT"  # the tag of the root


@dataclass
class Counts:
    """How often tags, relations, features and their combinations occur in a treebank."""

    words: int = 0
    upos: Counter[str] = field(default_factory=Counter)
    xpos: Counter[str] = field(default_factory=Counter)
    relations: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    with_tag: Counter[tuple[str, str]] = field(default_factory=Counter)  # relation and tag of the modifier
    below_tag: Counter[tuple[str, str]] = field(default_factory=Counter)  # relation and tag of the head
    head_tags: Counter[str] = field(default_factory=Counter)  # tags of heads, one for each arc
    heads_with: Counter[str] = field(default_factory=Counter)  # heads that have a relation
    heads_with_two: Counter[str] = field(default_factory=Counter)  # heads that have it more than once

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Counts:
        """Count the sentences of a treebank."""
        counts = cls()
        for sentence in sentences:
            counts.add(sentence)
        return counts

    def add(self, sentence: Sentence) -> None:
        """Count a sentence."""
        upos, relations = sentence.upos, sentence.deprels
        heads = sentence.head_numbers()
        head_tags = [tag_of(upos, head) for head in heads]
        self.words += len(upos)
        self.upos.update(upos)
        self.xpos.update(sentence.xpos)
        self.relations.update(relations)
        self.features.update(item for cell in sentence.feats if cell != "_" for item in cell.split("|"))
        self.with_tag.update(zip(relations, upos, strict=True))
        self.below_tag.update(zip(relations, head_tags, strict=True))
        self.head_tags.update(head_tags)
        repeated = Counter(zip(heads, relations, strict=True))
        self.heads_with.update(relation for _, relation in repeated)
        self.heads_with_two.update(relation for (_, relation), count in repeated.items() if count > 1)

    @property
    def has_closed_xpos(self) -> bool:
        """Whether few words have an XPOS that was not seen before, by the estimate of Good and Turing."""
        once = sum(count == 1 for count in self.xpos.values())
        return once <= MAX_NEW_SHARE * self.words

    def is_surprising(self, pair: tuple[str, str], counted: Counter[tuple[str, str]], tags: Counter[str]) -> bool:
        """Whether a pair of a relation and a tag is rare in counted, though the relation and the tags are frequent."""
        relation, tag = pair
        expected = self.relations[relation] * tags[tag] / max(self.words, 1)
        return counted[pair] <= RARE and expected >= MIN_EXPECTED


def tag_of(upos: list[str], head: int) -> str:
    return upos[head - 1] if head > 0 else ROOT


def count_problems(block: Block, counts: Counts) -> Iterator[Problem]:
    upos = [row.upos for row in block.words]
    for row, head in zip(block.words, block.heads[1:], strict=True):
        yield from unknown_problems(row, counts)
        pairs = (
            ("rare-relation", (row.deprel, row.upos), counts.with_tag, counts.upos, "with the tag"),
            ("rare-head", (row.deprel, tag_of(upos, head)), counts.below_tag, counts.head_tags, "below the tag"),
        )
        for rule, pair, counted, tags, where in pairs:
            if counts.is_surprising(pair, counted, tags):
                relation, tag = pair
                often = f"{times(counted[pair])} in {counts.relations[relation]} {relation} and {tags[tag]} {tag}"
                yield Problem(rule, row.line, row.id, f"{relation} {where} {tag}: {often}", counted[pair])
    yield from repetition_problems(block, counts)


def unknown_problems(row: Row, counts: Counts) -> Iterator[Problem]:
    """Yield values that the other treebank does not have."""
    known = (
        ("upos", row.upos, counts.upos),
        ("xpos", row.xpos, counts.xpos),
        ("relation", row.deprel, counts.relations),
    )
    for name, value, values in known:
        if value != "_" and value not in values and (name != "xpos" or counts.has_closed_xpos):
            yield Problem(f"unknown-{name}", row.line, row.id, f"{value}: never in {counts.words} words", 0)
    for item in row.feats.split("|") if row.feats != "_" else ():
        if item not in counts.features:
            yield Problem("unknown-feature", row.line, row.id, f"{item}: never in {counts.words} words", 0)


def repetition_problems(block: Block, counts: Counts) -> Iterator[Problem]:
    """Yield relations that a head has twice here, and hardly ever there."""
    for head in range(1, len(block.heads)):
        repeated = Counter(block.row(word).deprel for word in block.children[head])
        for relation, count in repeated.items():
            often, twice = counts.heads_with[relation], counts.heads_with_two[relation]
            if count > 1 and often >= MIN_HEADS and twice <= RARE:
                row = block.row(head)
                reason = f"{count} modifiers with {relation}: {times(twice)} in {often} heads with {relation}"
                yield Problem("rare-repetition", row.line, row.id, reason, twice)


def times(count: int) -> str:
    """Return how often something occurs.

    >>> times(0), times(1), times(2)
    ('never', 'once', '2 times')
    """
    return {0: "never", 1: "once"}.get(count, f"{count} times")

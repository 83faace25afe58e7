"""How a treebank attaches conjunctions and conjuncts, found by counting (styles of core/factors/token_classes.hpp)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from treewright.corpus import Sentence
from treewright.features.factors import CONJUNCTIONS, PUNCTUATION

UNIVERSAL = 4  # the style of Universal Dependencies, if there is no coordination to count

Heads = Sequence[int]  # of the root and the words; -1 where there is none
Nearest = Callable[[int, int], int]  # nearest(head, side): the modifier of a head nearest to the conjunction; 0: none
LEFT, RIGHT = 0, 1


def coordination_style(sentences: Iterable[Sentence]) -> int:
    """Return the style by which most conjunctions stand between two conjuncts.

    0: the conjunction is the head of both conjuncts; 1: the left conjunct is the head of the conjunction and of the
    right one; 2: the left conjunct is the head of the conjunction, and that of the right one; 3, 5: the same from right
    to left; 4: the left conjunct is the head of the right one, and that of the conjunction.

    >>> words = ["cats", "and", "dogs"]
    >>> tags = ["NOUN", "CCONJ", "NOUN"]
    >>> [coordination_style([Sentence.from_words(words, upos=tags, heads=heads)]) for heads in ([0, 3, 1], [0, 1, 2])]
    [4, 2]
    """
    counts: Counter[int] = Counter()
    for sentence in sentences:
        counts.update(styles_of(sentence))
    return max(counts, key=lambda style: (counts[style], style == UNIVERSAL, -style)) if counts else UNIVERSAL


def styles_of(sentence: Sentence) -> Iterable[int]:
    """Return the styles that fit, for each conjunction of a tree."""
    tags = list(zip(sentence.upos, sentence.xpos, strict=True))
    words = range(1, len(tags) + 1)
    conjunctions = {word for word in words if {*tags[word - 1]} & {*CONJUNCTIONS}}
    if not conjunctions:
        return
    heads = [-1, *sentence.heads.tolist()]
    conjuncts = [word for word in words if word not in conjunctions and not {*tags[word - 1]} & {*PUNCTUATION}]
    for conjunction in sorted(conjunctions):

        def nearest(head: int, side: int, here: int = conjunction) -> int:
            mine = [word for word in conjuncts if heads[word] == head and (word > here) == (side == RIGHT)]
            return min(mine, key=lambda word: abs(word - here), default=0)

        for style, (left, right) in enumerate(pairs(heads, conjunction, nearest)):
            if 0 < left < conjunction < right:
                yield style


def pairs(heads: Heads, conjunction: int, nearest: Nearest) -> list[tuple[int, int]]:
    """Return the conjuncts of a conjunction by each style; 0 where there is none."""
    above = max(heads[conjunction], 0)
    return [
        (nearest(conjunction, LEFT), nearest(conjunction, RIGHT)),
        (above, nearest(above, RIGHT)),
        (above, nearest(conjunction, RIGHT)),
        (nearest(above, LEFT), above),
        (heads[above], above),
        (nearest(conjunction, LEFT), above),
    ]

"""The rules of `treewright check` by name, and what they report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

LEVELS = (1, 2, 3, 4)


class Rule(NamedTuple):
    """A rule: the level that it belongs to, and what it requires."""

    level: int
    requires: str


RULES = {
    # level 1: the text of the file
    "format": Rule(1, "lines have the columns of CoNLL-U, IDs count from 1, heads are words of the sentence"),
    "line-break": Rule(1, "lines end with LF, without CR"),
    "byte-order-mark": Rule(1, "the file begins without a byte order mark"),
    "blank-line": Rule(1, "one blank line follows each sentence, and there are no others"),
    "end-of-file": Rule(1, "a blank line follows the last sentence"),
    "comment-place": Rule(1, "comments stand before the first word of a sentence"),
    "white-space": Rule(1, "cells have single spaces, only inside, and only in FORM, LEMMA and MISC"),
    "unicode": Rule(1, "text is in Unicode normalisation form C"),
    # level 2: the cells, the tree and the enhanced graph by the rules of Universal Dependencies
    "sent-id": Rule(2, "each sentence has a sent_id of its own, without white space"),
    "text": Rule(2, "the comment text is that of the tokens with SpaceAfter"),
    "space-after": Rule(2, "SpaceAfter is No, and is not given inside multiword tokens"),
    "multiword-token": Rule(2, "a multiword token has FORM and MISC only"),
    "empty-node": Rule(2, "an empty node has neither HEAD nor DEPREL"),
    "upos": Rule(2, "UPOS is one of the 17 universal tags"),
    "feats": Rule(2, "FEATS is a sorted list of Name=Value, each name once"),
    "misc": Rule(2, "MISC is a list of items that are not empty"),
    "relation": Rule(2, "DEPREL is one of the 37 universal relations, perhaps with a subtype"),
    "head": Rule(2, "every word has a head"),
    "cycle": Rule(2, "no word is its own ancestor"),
    "roots": Rule(2, "one word is attached to the root"),
    "root-relation": Rule(2, "the relation is root if and only if the head is 0"),
    "deps-format": Rule(2, "DEPS is a list of head:relation, sorted, without repetition, with nodes that exist"),
    "deps-missing": Rule(2, "if one node of a sentence has DEPS, all have"),
    "deps-root": Rule(2, "in DEPS the relation is root if and only if the head is 0"),
    "deps-reach": Rule(2, "every node of the enhanced graph is reachable from the root"),
    # level 3: what is almost always an error, whatever the treebank
    "two-subjects": Rule(3, "a head has at most one subject (nsubj, csubj; subtype outer not counted)"),
    "two-objects": Rule(3, "a head has at most one obj"),
    "object-of-noun": Rule(3, "a noun (NOUN, PROPN) without a copula or auxiliary has no obj"),
    "punct-tag": Rule(3, "the relation is punct if and only if the tag is PUNCT"),
    "punct-dependents": Rule(3, "punctuation has no dependents other than punctuation"),
    "punct-crossing": Rule(3, "punctuation is attached without crossing arcs"),
    "direction": Rule(3, "conj, fixed, flat, goeswith and appos are attached to a word on their left"),
    "deps-head": Rule(3, "DEPS has the head of the tree"),
    # level 4: what a training treebank has never or hardly ever
    "unknown-upos": Rule(4, "UPOS occurs in the other treebank"),
    "unknown-xpos": Rule(4, "XPOS occurs in the other treebank, if hardly any occurs there only once"),
    "unknown-relation": Rule(4, "DEPREL occurs in the other treebank"),
    "unknown-feature": Rule(4, "each Name=Value of FEATS occurs in the other treebank"),
    "rare-relation": Rule(4, "the relation occurs with this UPOS in the other treebank"),
    "rare-head": Rule(4, "the relation occurs below this UPOS in the other treebank"),
    "rare-repetition": Rule(4, "the relation occurs more than once below one head in the other treebank"),
}


@dataclass(frozen=True)
class Problem:
    """What a rule reports of a sentence. word is an ID, or empty for the sentence itself."""

    rule: str
    line: int
    word: str
    reason: str
    count: int | None = None


@dataclass(frozen=True)
class Finding:
    """A place in a treebank that a rule reports.

    count: how often the same occurs in the other treebank, where the rule compares with one.
    """

    rule: str
    level: int
    source: str
    line: int  # 0 for the file
    sent_id: str | None
    word: str | None  # the ID of the word, token or empty node; None for the sentence
    form: str | None
    reason: str
    count: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Return one line: file and line, the rule, the word, the reason, and where it is.

        >>> str(Finding("two-subjects", 3, "a.conllu", 7, "s2", "3", "saw", "2 subjects: 1, 2; expected one"))
        'a.conllu:7: two-subjects: 3 saw: 2 subjects: 1, 2; expected one (sent_id s2)'
        """
        word = "" if self.word is None else f"{self.word} {self.form}: "
        name = f" (sent_id {self.sent_id})" if self.sent_id else ""
        place = f"{self.source}:{self.line}" if self.line else self.source
        return f"{place}: {self.rule}: {word}{self.reason}{name}"

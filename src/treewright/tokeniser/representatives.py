"""Words that are tagged by their kind, not by their letters: addresses, accounts, emoji, file names, identifiers.

Each is described by one word for all of its kind, so that every address has the tags of the addresses in the training
data. Emoji have those of emoticons, which are more frequent in treebanks: SYM in Universal Dependencies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from treewright.caching import MAX_CACHED
from treewright.corpus import Sentence
from treewright.tokeniser.patterns import PATTERNS, Patterns

EMOTICON = ":)"
ADDRESS = "http://www.example.com"
REPRESENTATIVES = {
    "address": ADDRESS,
    "e-mail": ADDRESS,
    "account": ADDRESS,
    "topic": ADDRESS,
    "flag": EMOTICON,
    "keycap": EMOTICON,
    "emoji": EMOTICON,
    "drive path": ADDRESS,
    "path": ADDRESS,
    "home path": ADDRESS,
    "version": "1.2.3",
    "time": "10:30",
}
# Names of files and of parts of programs are rare in treebanks and tagged in various ways there: NOUN, X and PROPN in
# UD English-EWT 2.16. They are described as an unknown name, and have the tags of names where there are some.
NAMES = ("file", "call", "call with arguments", "element", "identifier", "assignment")
UNKNOWN_NAME = "Identifier"
EMOTICON_TAG, NAME_TAG = "SYM", "PROPN"  # of Universal Dependencies

_PATTERNS = Patterns(PATTERNS)


def representative(form: str) -> str:
    """Return the word that describes the kind of a form; the form itself if it is of no such kind.

    >>> representative("😀"), representative("https://example.org/a"), representative("bridge")
    (':)', 'http://www.example.com', 'bridge')
    """
    kind = kind_of(form)
    return UNKNOWN_NAME if kind in NAMES else REPRESENTATIVES.get(kind, form)


@lru_cache(MAX_CACHED)
def kind_of(form: str) -> str:
    """Return the name of the pattern that a whole form matches; empty if there is none."""
    if form.isalpha():
        return ""
    name, begin, end = next(_PATTERNS.matches(form), ("", 0, 0))
    return name if (begin, end) == (0, len(form)) else ""


def with_representatives(sentence: Sentence) -> Sentence:
    """Return the training sentence with the forms that describe its words; those in NAMES describe themselves."""
    forms = [REPRESENTATIVES.get(kind_of(form), form) for form in sentence.forms]
    return sentence if forms == sentence.forms else sentence.with_columns(forms=forms)


def emoticon_tag(tags: Counter[tuple[str, ...]], columns: Sequence[str]) -> tuple[str, ...] | None:
    """Return the most frequent tag with the universal tag of symbols; None if there is none.

    >>> emoticon_tag(Counter({("NOUN",): 5, ("SYM",): 1}), ["upos"])
    ('SYM',)
    """
    if "upos" not in columns:
        return None
    place = list(columns).index("upos")
    symbols = [tag for tag in tags if tag[place] == EMOTICON_TAG]
    return max(symbols, key=lambda tag: (tags[tag], tag), default=None)

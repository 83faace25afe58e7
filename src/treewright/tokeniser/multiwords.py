"""Multiword tokens: which tokens are several words, learned from a treebank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from treewright.caching import MAX_CACHED, cached_property
from treewright.corpus.typography import canonical

Words = tuple[str, ...]

MAX_SUFFIX = 8  # characters; not tuned
# English contractions that are often written without their apostrophe and are no other words then. They are split where
# the treebank splits them with the apostrophe.
CONTRACTIONS = (
    *("ain't", "aren't", "can't", "couldn't", "didn't", "doesn't", "don't", "hadn't", "hasn't", "haven't", "isn't"),
    *("mustn't", "needn't", "shouldn't", "wasn't", "weren't", "won't", "wouldn't", "i'm", "i've", "you've", "we've"),
    *("they've", "you're", "they're", "you'll", "they'll", "it'll", "that's", "what's", "there's", "here's", "he's"),
    *("she's", "who's"),
)


# When a suffix of multiword tokens becomes a rule for unknown tokens; not tuned. On development data Portuguese-Bosque
# and, for shares up to 0.8, English-EWT are insensitive to these values; of 10,257 tokens of Turkish-IMST 198 are
# wrong, 185 with a share of 0.8.
MIN_SPLIT_SHARE = 0.7  # of the forms with the suffix that are multiword
MIN_FORMS = 3  # different multiword forms with the suffix, if it begins with a letter
MIN_CLITIC_TOKENS = 2  # tokens with the suffix, if it begins with an apostrophe or another mark
# A form without its apostrophe that raw text has more often, relative to the form with it, is a word of its own. In 6
# million words of English the share is at most 0.05 for each of CONTRACTIONS, 0.20 for `lets`, 0.12 for `id`.
MAX_OMISSIONS = 0.1

_FORM = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@dataclass(frozen=True)
class Multiwords:
    """Multiword tokens and suffixes of such tokens, in canonical spelling and lower case, with their words.

    >>> seen = [("don't", ("do", "n't")), ("can't", ("ca", "n't")), ("won't", ("wo", "n't")), ("du", ("de", "le"))]
    >>> rules = Multiwords.of(seen + [("tent", ("tent",))])
    >>> rules.words("Didn't"), rules.words("Du"), rules.words("tent")
    (('Did', "n't"), ('De', 'le'), ('tent',))

    Before a suffix that begins with an apostrophe or another mark, the rest of the token is split too:

    >>> Multiwords({}, {"n't": ("n't",), "'ve": ("'ve",)}).words("Shouldn't've")
    ('Should', "n't", "'ve")
    """

    whole: Mapping[str, Words] = field(default_factory=dict)
    suffixes: Mapping[str, Words] = field(default_factory=dict)  # the words of a suffix; a key of the model file

    @classmethod
    def of(cls, tokens: Iterable[tuple[str, Words]]) -> Multiwords:
        """Learn from all tokens of a treebank with their words, single words included."""
        seen = count_words(tokens)
        words_of = {form: _most_frequent(counts) for form, counts in seen.items()}
        whole = {form: words for form, words in words_of.items() if len(words) > 1}
        learned = cls(whole, suffix_rules(whole, seen))
        return cls({**learned.whole, **learned.contractions()}, learned.suffixes)

    def contractions(self) -> dict[str, Words]:
        """Return the words of contractions without their apostrophe.

        >>> Multiwords({}, {"n't": ("n't",)}).contractions()["hadnt"]
        ('had', 'nt')
        """
        split = {form.replace("'", ""): self._split(form) for form in CONTRACTIONS}
        return {form: tuple(word.replace("'", "") for word in words) for form, words in split.items() if len(words) > 1}

    def confirm(self, counts: Mapping[str, int]) -> Multiwords:
        """Leave out the forms without their apostrophe that are words of their own; counts: of the forms of raw text.

        >>> rules = Multiwords({"wits": ("wit", "s"), "isnt": ("is", "nt")}, {"'s": ("'s",), "n't": ("n't",)})
        >>> sorted(rules.confirm({"wits": 20, "isnt": 1, "isn't": 600}).whole)
        ['isnt']
        """

        def is_confirmed(form: str, words: Words) -> bool:
            places = range(1, len(form)) if form.isalpha() and "".join(words) == form else ()
            marked = (f"{form[:place]}'{form[place:]}" for place in places)
            same = [other for other in marked if tuple(word.replace("'", "") for word in self._split(other)) == words]
            return not same or counts.get(form, 0) <= MAX_OMISSIONS * sum(counts.get(other, 0) for other in same)

        whole = {form: words for form, words in self.whole.items() if is_confirmed(form, words)}
        return Multiwords(whole, self.suffixes)

    def check_words(self) -> None:
        """Refuse empty lists of words and empty words."""
        for table in (self.whole, self.suffixes):
            if not all(words and all(words) for words in table.values()):
                raise ValueError("header.multiwords has a token without words")

    @cached_property
    def words_of(self) -> Callable[[str], Words]:
        """The function `words`, which remembers the last MAX_CACHED tokens."""
        return lru_cache(MAX_CACHED)(self.words)

    def words(self, written: str) -> Words:
        """Split a token into words, in its casing.

        >>> Multiwords({"they're": ("they", "'re")}).words("They’re")
        ('They', '’re')
        """
        return cased_words(written, self._split(canonical(written).lower()))

    def _split(self, lower: str) -> Words:
        """Split a token in lower case."""
        after: Words = ()
        while lower not in self.whole:
            suffix = self._suffix(lower)
            if suffix is None:
                return (lower, *after)
            lower, after = lower[: -len(suffix)], (*self.suffixes[suffix], *after)
            if suffix[0].isalpha():
                return (lower, *after)
        return (*self.whole[lower], *after)

    def _suffix(self, lower: str) -> str | None:
        """Find the longest suffix of a token that is a rule."""
        longest = min(len(lower) - 1, MAX_SUFFIX) if self.suffixes else 0
        suffixes = (lower[-length:] for length in range(longest, 0, -1))
        return next((suffix for suffix in suffixes if suffix in self.suffixes), None)


def cased_words(written: str, words: Words) -> Words:
    """Return the words of a token, which are in lower case, in the casing of the token as it is written.

    >>> cased_words("Nesses", ("em", "esses")), cased_words("DU", ("de", "le"))
    (('Em', 'esses'), ('DE', 'LE'))
    """
    form = canonical(written)
    lower = form.lower()
    if len(words) == 1 or len(lower) != len(form):
        return (written,)
    if "".join(words) == lower:
        return _cut(written if len(written) == len(form) else form, words)
    if form.isupper() and len(form) > 1:
        return tuple(map(str.upper, words))
    first = words[0].capitalize() if form[0].isupper() else words[0]
    return (first, *words[1:])


def most_frequent_words(tokens: Iterable[tuple[str, Words]]) -> dict[str, Words]:
    """Return the most frequent words of each token form, in canonical spelling and lower case."""
    return {form: _most_frequent(counts) for form, counts in count_words(tokens).items()}


def count_words(tokens: Iterable[tuple[str, Words]]) -> dict[str, Counter[Words]]:
    """Count the words of each token form, in canonical spelling and lower case."""
    seen: dict[str, Counter[Words]] = {}
    for form, words in tokens:
        lower = tuple(canonical(word).lower() for word in words)
        seen.setdefault(canonical(form).lower(), Counter())[lower] += 1
    return seen


def count_forms(lines: Iterable[str]) -> Counter[str]:
    """Count the forms of raw text, in canonical spelling and lower case.

    >>> count_forms(["Isn’t it? It isn't."])["isn't"]
    2
    """
    return Counter(form for line in lines for form in _FORM.findall(canonical(line).lower()))


def suffix_rules(whole: Mapping[str, Words], seen: Mapping[str, Counter[Words]]) -> dict[str, Words]:
    """Find what follows the first word of multiword tokens often and unambiguously enough; `seen`: all tokens."""
    words_of: dict[str, Counter[Words]] = {}  # the words of each suffix, counted by form
    tokens: Counter[str] = Counter()
    for form, words in whole.items():
        if "".join(words) == form:
            suffix = form[len(words[0]) :]
            words_of.setdefault(suffix, Counter())[words[1:]] += 1
            tokens[suffix] += seen[form].total()
    lengths = {len(suffix) for suffix in words_of}
    forms_with = Counter(form[-length:] for form in seen for length in lengths if length < len(form))
    rules = {}
    for suffix, counts in words_of.items():
        is_clitic = not suffix[0].isalpha() and tokens[suffix] >= MIN_CLITIC_TOKENS
        is_frequent = counts.total() >= MIN_FORMS or is_clitic
        if is_frequent and counts.total() >= MIN_SPLIT_SHARE * forms_with[suffix]:
            rules[suffix] = _most_frequent(counts)
    return rules


def _most_frequent(counts: Counter[Words]) -> Words:
    return min(counts, key=lambda words: (-counts[words], words))


def _cut(form: str, words: Words) -> Words:
    pieces, at = [], 0
    for word in words:
        pieces.append(form[at : at + len(word)])
        at += len(word)
    return tuple(pieces)

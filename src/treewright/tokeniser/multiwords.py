"""Multiword tokens: which tokens are several words, learned from a treebank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from treewright.corpus.typography import canonical

Words = tuple[str, ...]

MAX_SUFFIX = 8  # characters; not tuned


@dataclass(frozen=True)
class Thresholds:
    """When a suffix of multiword tokens becomes a rule for unknown tokens.

    The values are not tuned. On development data (benchmarks/multiwords.py) Portuguese-Bosque and, for shares up to
    0.8, English-EWT are insensitive to them; of 10,257 tokens of Turkish-IMST 198 are wrong, 185 with a share of 0.8.
    """

    min_split_share: float = 0.7  # of the forms with the suffix that are multiword
    min_forms: int = 3  # different multiword forms with the suffix, if it begins with a letter
    min_clitic_tokens: int = 2  # tokens with the suffix, if it begins with an apostrophe or another mark


THRESHOLDS = Thresholds()


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
    endings: Mapping[str, Words] = field(default_factory=dict)  # the words of a suffix; a key of the model file

    @classmethod
    def of(cls, tokens: Iterable[tuple[str, Words]], thresholds: Thresholds = THRESHOLDS) -> Multiwords:
        """Learn from all tokens of a treebank with their words, single words included."""
        seen: dict[str, Counter[Words]] = {}
        for form, words in tokens:
            lower = tuple(canonical(word).lower() for word in words)
            seen.setdefault(canonical(form).lower(), Counter())[lower] += 1
        words_of = {form: _most_frequent(counts) for form, counts in seen.items()}
        whole = {form: words for form, words in words_of.items() if len(words) > 1}
        suffixes = _Suffixes()
        for form, words in whole.items():
            if "".join(words) == form:
                suffixes.add(form[len(words[0]) :], words[1:], seen[form].total())
        return cls(whole, suffixes.rules(words_of, thresholds))

    def check_words(self) -> None:
        """Refuse empty lists of words and empty words."""
        for table in (self.whole, self.endings):
            if not all(words and all(words) for words in table.values()):
                raise ValueError("header.multiwords has a token without words")

    def words(self, written: str) -> Words:
        """Split a token into words, in its casing.

        >>> Multiwords({"they're": ("they", "'re")}).words("They’re")
        ('They', '’re')
        """
        form = canonical(written)
        lower = form.lower()
        words = self._split(lower)
        if len(words) == 1 or len(lower) != len(form):
            return (written,)
        if "".join(words) == lower:
            return _cut(written if len(written) == len(form) else form, words)
        if form.isupper() and len(form) > 1:
            return tuple(map(str.upper, words))
        first = words[0].capitalize() if form[0].isupper() else words[0]
        return (first, *words[1:])

    def _split(self, lower: str) -> Words:
        """Split a token in lower case."""
        after: Words = ()
        while lower not in self.whole:
            suffix = self._suffix(lower)
            if suffix is None:
                return (lower, *after)
            lower, after = lower[: -len(suffix)], (*self.endings[suffix], *after)
            if suffix[0].isalpha():
                return (lower, *after)
        return (*self.whole[lower], *after)

    def _suffix(self, lower: str) -> str | None:
        """Find the longest suffix of a token that is a rule."""
        longest = min(len(lower) - 1, MAX_SUFFIX) if self.endings else 0
        suffixes = (lower[-length:] for length in range(longest, 0, -1))
        return next((suffix for suffix in suffixes if suffix in self.endings), None)


class _Suffixes:
    """Counts of what follows the first word of multiword tokens."""

    def __init__(self) -> None:
        self.words: dict[str, Counter[Words]] = {}  # the words of each suffix, counted by form
        self.tokens: Counter[str] = Counter()

    def add(self, suffix: str, words: Words, tokens: int) -> None:
        self.words.setdefault(suffix, Counter())[words] += 1
        self.tokens[suffix] += tokens

    def rules(self, forms: Iterable[str], thresholds: Thresholds) -> dict[str, Words]:
        """The words of each suffix that is frequent and unambiguous enough; `forms` are all of the treebank."""
        lengths = {len(suffix) for suffix in self.words}
        forms_with = Counter(form[-length:] for form in forms for length in lengths if length < len(form))
        return {
            suffix: _most_frequent(words)
            for suffix, words in self.words.items()
            if self._is_frequent(suffix, thresholds)
            and words.total() >= thresholds.min_split_share * forms_with[suffix]
        }

    def _is_frequent(self, suffix: str, thresholds: Thresholds) -> bool:
        if self.words[suffix].total() >= thresholds.min_forms:
            return True
        return not suffix[0].isalpha() and self.tokens[suffix] >= thresholds.min_clitic_tokens


def _most_frequent(counts: Counter[Words]) -> Words:
    return min(counts, key=lambda words: (-counts[words], words))


def _cut(form: str, words: Words) -> Words:
    pieces, at = [], 0
    for word in words:
        pieces.append(form[at : at + len(word)])
        at += len(word)
    return tuple(pieces)

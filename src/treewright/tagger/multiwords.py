"""Multiword tokens: which tokens are several words, learned from a treebank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Words = tuple[str, ...]

PURE = 0.7  # of the tokens that look alike must be several words
OFTEN = 3  # different tokens must have an ending before it is believed of others
TWICE = 2  # must one be seen that begins with an apostrophe


@dataclass(frozen=True)
class Multiwords:
    """Tokens and endings of tokens in lower case, with the words that they are.

    >>> seen = [("don't", ("do", "n't")), ("can't", ("ca", "n't")), ("won't", ("wo", "n't")), ("du", ("de", "le"))]
    >>> rules = Multiwords.of(seen + [("tent", ("tent",))])
    >>> rules.words("Didn't"), rules.words("Du"), rules.words("tent")
    (('Did', "n't"), ('De', 'le'), ('tent',))
    """

    whole: Mapping[str, Words] = field(default_factory=dict)
    endings: Mapping[str, Words] = field(default_factory=dict)

    @classmethod
    def of(cls, tokens: Iterable[tuple[str, Words]]) -> Multiwords:
        """From tokens and their words, those of one word too."""
        seen: dict[str, Counter[Words]] = {}
        for form, words in tokens:
            seen.setdefault(form.lower(), Counter())[tuple(word.lower() for word in words)] += 1
        split = {form: _most(found) for form, found in seen.items()}
        whole = {form: words for form, words in split.items() if len(words) > 1}
        found: dict[str, Counter[Words]] = {}
        times: Counter[str] = Counter()
        for form, words in whole.items():
            if "".join(words) == form:
                ending = form[len(words[0]) :]
                found.setdefault(ending, Counter())[words[1:]] += 1
                times[ending] += seen[form].total()
        of_all: Counter[str] = Counter(
            form[-length:] for form in split for length in {len(ending) for ending in found} if length < len(form)
        )
        endings = {
            ending: _most(words)
            for ending, words in found.items()
            if (words.total() >= OFTEN or (times[ending] >= TWICE and not ending[0].isalpha()))
            and words.total() >= PURE * of_all[ending]
        }
        return cls(whole, endings)

    def words(self, form: str) -> Words:
        """The words of a token, cased as it is."""
        lower = form.lower()
        known = self.whole.get(lower)
        if known is None:
            for length in range(min(len(lower) - 1, 8), 0, -1):
                rest = self.endings.get(lower[-length:])
                if rest is not None:
                    known = (lower[:-length], *rest)
                    break
        if known is None or len(lower) != len(form):
            return (form,)
        if "".join(known) == lower:
            return _cut(form, known)
        first = known[0].capitalize() if form[0].isupper() else known[0]
        return tuple(map(str.upper, known)) if form.isupper() and len(form) > 1 else (first, *known[1:])


def _most(found: Counter[Words]) -> Words:
    return min(found, key=lambda words: (-found[words], words))


def _cut(form: str, words: Words) -> Words:
    pieces, at = [], 0
    for word in words:
        pieces.append(form[at : at + len(word)])
        at += len(word)
    return tuple(pieces)

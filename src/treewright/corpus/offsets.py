"""Where the words of a sentence are in its text, in characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from treewright.corpus.nodes import Token
from treewright.corpus.reader import shown
from treewright.errors import InputError

Offsets = tuple[int, int]  # of the first character, and after the last one

TOKEN_RANGE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)")


def token_range(misc: str) -> Offsets | None:
    """The offsets that a tokeniser wrote into a MISC cell."""
    found = TOKEN_RANGE.search(misc)
    return (int(found[1]), int(found[2])) if found else None


def surface_tokens(forms: Sequence[str], misc: Sequence[str], tokens: Sequence[Token]) -> Iterator[Token]:
    """What the text consists of: multiword tokens, and the words that belong to none as tokens of one word."""
    by_first = {token.first: token for token in tokens}
    word = 0
    while word < len(forms):
        token = by_first.get(word + 1) or Token(word + 1, word + 1, forms[word], misc[word])
        yield token
        word = token.last


def offsets_of(tokens: Sequence[Token], forms: Sequence[str], text: str) -> list[Offsets]:
    """The offsets of each word: from TokenRange if the tokens have it, else from their place in `text`.

    The words of a multiword token have its parts if their forms make up its form, else all of it.
    """
    found: list[Offsets] = []
    for token, (begin, end) in zip(tokens, _token_offsets(tokens, text), strict=True):
        found += offsets_in_token(token, forms[token.first - 1 : token.last], begin, end)
    return found


def offsets_in_token(token: Token, forms: Sequence[str], begin: int, end: int) -> list[Offsets]:
    """The offsets of the words of a token, which have these forms."""
    if "".join(forms) != token.form or end - begin != len(token.form):
        return [(begin, end)] * len(forms)
    ends = list(accumulate(map(len, forms), initial=begin))
    return list(pairwise(ends))


def _token_offsets(tokens: Sequence[Token], text: str) -> list[Offsets]:
    written = [token_range(token.misc) for token in tokens]
    ranges = [offsets for offsets in written if offsets is not None]
    if len(ranges) == len(tokens):
        return ranges
    if ranges:
        token = tokens[written.index(None)]
        raise InputError(f"word {token.first}, {shown(token.form)}, has no TokenRange, but others have one")
    return _aligned(tokens, text)


def _aligned(tokens: Sequence[Token], text: str) -> list[Offsets]:
    found: list[Offsets] = []
    end = 0
    for token in tokens:
        begin = end
        while text[begin : begin + 1].isspace() and not text.startswith(token.form, begin):
            begin += 1
        if not text.startswith(token.form, begin):
            rest = shown(text[begin : begin + 20])
            raise InputError(
                f"word {token.first} is {shown(token.form)}, but the text continues with {rest} at {begin}"
            )
        end = begin + len(token.form)
        found.append((begin, end))
    return found

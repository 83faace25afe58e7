"""Where the words of a sentence are in its text, in characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from treewright.corpus.graph import Token
from treewright.corpus.reader import shown
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus.sentence import Sentence

Offsets = tuple[int, int]  # of the first character, and after the last one

TOKEN_RANGE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)")


def token_range(misc: str) -> Offsets | None:
    """Return the offsets that a tokeniser wrote into a MISC cell."""
    match = TOKEN_RANGE.search(misc)
    return (int(match[1]), int(match[2])) if match else None


def surface_tokens(sentence: Sentence) -> Iterator[Token]:
    """Yield what the text consists of: multiword tokens, and words that belong to none as tokens of one word."""
    forms, misc = sentence.forms, sentence.misc
    by_first = {token.first: token for token in sentence.tokens}
    word = 0
    while word < len(forms):
        token = by_first.get(word + 1) or Token(word + 1, word + 1, forms[word], misc[word])
        yield token
        word = token.last


def has_space_after(token: Token) -> bool:
    return "SpaceAfter=No" not in token.misc.split("|")


def join_tokens(tokens: Iterable[Token]) -> str:
    """Return the tokens as text, with a space after each that does not have SpaceAfter=No.

    >>> join_tokens([Token(1, 1, "Go", "SpaceAfter=No"), Token(2, 2, "!")])
    'Go!'
    """
    pieces: list[str] = []
    for token in tokens:
        pieces += [token.form, " " if has_space_after(token) else ""]
    return "".join(pieces[:-1])


def offsets_of(tokens: Sequence[Token], forms: Sequence[str], text: str) -> list[Offsets]:
    """Return the offsets of each word: from TokenRange if the tokens have it, else from their place in `text`.

    The words of a multiword token have its parts if their forms make up its form, else all of it.
    """
    offsets: list[Offsets] = []
    for token, (begin, end) in zip(tokens, _token_offsets(tokens, text), strict=True):
        offsets += offsets_in_token(token, forms[token.first - 1 : token.last], begin, end)
    return offsets


def offsets_in_token(token: Token, forms: Sequence[str], begin: int, end: int) -> list[Offsets]:
    """Return the offsets of the words of a token, which have these forms."""
    if "".join(forms) != token.form or end - begin != len(token.form):
        return [(begin, end)] * len(forms)
    return list(pairwise(accumulate(map(len, forms), initial=begin)))


def _token_offsets(tokens: Sequence[Token], text: str) -> list[Offsets]:
    written = [token_range(token.misc) for token in tokens]
    ranges = [offsets for offsets in written if offsets is not None]
    if len(ranges) == len(tokens):
        return ranges
    if ranges:
        token = tokens[written.index(None)]
        raise InputError(f"word {token.first}, {shown(token.form)}, has no TokenRange, but others have one")
    return _align(tokens, text)


def _align(tokens: Sequence[Token], text: str) -> list[Offsets]:
    offsets: list[Offsets] = []
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
        offsets.append((begin, end))
    return offsets

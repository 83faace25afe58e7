"""Tokenisation and sentence splitting by rule, from the Unicode properties of characters."""

from __future__ import annotations

import re

import numpy as np

from treewright.tokeniser.text import SENTENCE, TOKEN, Labels

_TOKEN = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]}'’]"  # addresses
    r"|[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+"
    r"|\d+(?:[.,:/]\d+)*"  # numbers, times, dates
    r"|(?:[^\W\d_]\.){2,}"  # U.S.
    r"|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # scripts without spaces: each character is a token
    r"|\w+(?:[-'’\u00b7\u200c\u200d\u0300-\u036f]\w+)*"
    r"|([^\w\s])(?:\ufe0f|\u200d[^\w\s]|[\U0001f3fb-\U0001f3ff]|\1)*",  # ... and -- and emoji are one token
)
_ENDS = ".!?…。！？؟۔।॥"
_CLOSING = "\"'”’»)]}›」』"
_FINAL = frozenset(_ENDS + _CLOSING)


def labels_by_rule(text: str) -> Labels:
    """Label each character; the end of the text is not labelled as the end of a sentence.

    >>> labels_by_rule("Hi. Bye!").tolist()
    [0, 1, 2, 0, 0, 0, 1, 1]
    """
    labels = bytearray(len(text))  # faster than an array, cell by cell
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    at = 0
    for begin, end in tokens:
        if begin > at and text[begin - 1 : begin].strip():
            labels[begin - 1] = TOKEN  # a character that no pattern matches
        labels[end - 1] = TOKEN
        at = end
    for place, (begin, end) in enumerate(tokens[:-1]):
        if text[begin] in _FINAL and _may_end(text, begin, end) and _may_begin(text, end, text[tokens[place + 1][0]]):
            labels[end - 1] = SENTENCE
    return np.frombuffer(labels, dtype=np.uint8).astype(np.int32)


def _may_end(text: str, begin: int, end: int) -> bool:
    """Whether a token is a sentence-final mark, or a closing mark after one; but not the full stop of an initial."""
    closed = begin
    while closed > max(0, begin - 4) and text[closed] in _CLOSING:
        closed -= 1
    if text[closed] not in _ENDS:
        return False
    before = re.search(r"(\w+)\W*$", text[max(0, begin - 20) : closed])
    return not (text[closed] == "." and before is not None and len(before[1]) == 1 and before[1].isupper())


def _may_begin(text: str, end: int, following: str) -> bool:
    """Whether a sentence may begin after white space or an ideographic mark: with neither lower case nor a comma."""
    spaced = text[end : end + 1].isspace()
    return (spaced or text[end - 1] in "。！？") and not following.islower() and following not in _CLOSING + ",;:"

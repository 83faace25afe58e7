"""Tokenisation and sentence splitting by rule, from the Unicode properties of characters."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from treewright.tokeniser.text import SENTENCE, TOKEN, Labels

# Vowel signs and other marks after letters, in Python not part of \w.
_COMBINING = "".join(chr(code) for code in range(0x300, 0x1E00) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
_TOKEN = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]}'’]"  # addresses
    r"|[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+"
    r"|\d+(?:[.,:/]\d+)*"  # numbers, times, dates
    r"|(?:[^\W\d_]\.){2,}"  # U.S.
    r"|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # scripts without spaces: each character is a token
    rf"|[\w{_COMBINING}]+(?:[-'’\u00b7\u200c\u200d][\w{_COMBINING}]+)*"
    r"|([^\w\s])(?:\ufe0f|\u200d[^\w\s]|[\U0001f3fb-\U0001f3ff]|\1)*",  # ... and -- and emoji are one token
)
# Full stops and question marks of Arabic and Urdu, Devanagari, Armenian, Ethiopic, Burmese, Khmer, Tibetan, Chinese and
# Japanese: no blank need follow, since they are used for nothing else.
_ENDS_ALONE = "؟۔।॥։።፧፨။។៕།༎。｡！？"
_ENDS = ".!?…" + _ENDS_ALONE
_CLOSING = "\"'”’»)]}›」』〉》】）"
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
    """Whether a sentence may begin after white space or an unambiguous mark: with neither lower case nor a comma."""
    last = text[max(0, end - 4) : end].rstrip(_CLOSING)[-1:]
    is_separate = text[end : end + 1].isspace() or (last != "" and last in _ENDS_ALONE)
    return is_separate and not following.islower() and following not in _CLOSING + ",;:،؛、，；："

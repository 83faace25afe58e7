"""Tokenisation and sentence splitting by rule, from the Unicode properties of characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import numpy as np

from treewright.caching import MAX_CACHED
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
_FINAL = re.compile(f"[{re.escape(_ENDS + _CLOSING)}]")
_SOLID = re.compile(r"\S")
_MAX_CACHED_LENGTH = 32  # characters of a chunk whose labels are cached, to bound memory


def labels_by_rule(text: str) -> Labels:
    """Label each character; the end of the text is not labelled as the end of a sentence.

    >>> labels_by_rule("Hi. Bye!").tolist()
    [0, 1, 2, 0, 0, 0, 1, 1]
    """
    chunks = text.replace("\n", " ").split(" ")  # no token has white space
    parts = [_known_ends(chunk) if len(chunk) <= _MAX_CACHED_LENGTH else _token_ends(chunk) for chunk in chunks]
    labels = bytearray(b"\0".join(parts))
    for mark in _FINAL.finditer(text):
        begin = mark.start()
        if begin and not labels[begin - 1] and not text[begin - 1].isspace():
            continue  # inside a token
        end = labels.find(TOKEN, begin) + 1
        following = _SOLID.search(text, end)
        if following and _may_end(text, begin, end) and _may_begin(text, end, following[0]):
            labels[end - 1] = SENTENCE
    return np.frombuffer(labels, dtype=np.uint8).astype(np.int32)


def _token_ends(chunk: str) -> bytes:
    """Label the last characters of tokens; each character other than white space is in one."""
    labels = bytearray(len(chunk))
    for match in _TOKEN.finditer(chunk):
        labels[match.end() - 1] = TOKEN
    return bytes(labels)


_known_ends = lru_cache(MAX_CACHED)(_token_ends)


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

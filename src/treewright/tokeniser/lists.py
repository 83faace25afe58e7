"""Items of lists: a mark at the start of a line, such as a hyphen, a bullet or a number.

A sentence ends before an item and not after its mark, and the line break before it does not wrap a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARK = r"(?:[-*+•‣◦▪·]|\d{1,3}[.)]|[a-z]\)|\((?:\d{1,3}|[a-z])\)|\[\d[\d:. -]*\])"
_ITEM = re.compile(rf"(?:^|(?<=\n)){_MARK}(?= \S)")


def items_of(text: str) -> Iterator[tuple[int, int]]:
    """The places of the marks at the starts of lines of a canonical text.

    >>> list(items_of("To buy:\\n- milk\\n2. eggs - ten"))
    [(8, 9), (15, 17)]
    """
    return (match.span() for match in _ITEM.finditer(text))


def is_item(line: str) -> bool:
    """Whether a line begins with the mark of an item.

    >>> is_item("- milk"), is_item("-5 degrees")
    (True, False)
    """
    return _ITEM.match(line) is not None

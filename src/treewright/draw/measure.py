"""The width of text in terminal columns and in pixels, and replacements for characters that would break a drawing.

Terminal columns are those of `rich.cells`. The font of a drawing is not known when it is laid out, so pixels are taken
from a table: for an ASCII character the wider of Noto Sans and Arial, for other scripts a width that suffices for four
letters of five in their Noto font. Text in the usual fonts is a little narrower, so that labels do not touch.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import cache, lru_cache

# Thousandths of the font size, from the space on.
ASCII_WIDTHS = (
    (278, 278, 408, 646, 572, 889, 732, 225, 333, 333, 551, 584, 278, 333, 278, 372)  #  !"#$%&'()*+,-./
    + (572, 572, 572, 572, 572, 572, 572, 572, 572, 572, 278, 278, 584, 584, 584, 556)  # 0123456789:;<=>?
    + (1015, 667, 667, 722, 730, 667, 611, 778, 741, 339, 500, 667, 556, 907, 760, 781)  # @ABCDEFGHIJKLMNO
    + (667, 781, 722, 667, 611, 731, 667, 944, 667, 667, 611, 329, 372, 329, 572, 556)  # PQRSTUVWXYZ[\]^_
    + (333, 561, 615, 500, 615, 564, 344, 615, 618, 258, 258, 534, 258, 935, 618, 605)  # `abcdefghijklmno
    + (615, 615, 413, 500, 361, 618, 508, 786, 529, 510, 500, 380, 551, 380, 584)  # pqrstuvwxyz{|}~
)

# From this character on, so many thousandths.
SCRIPT_WIDTHS = (
    (0x7F, 700),
    (0x370, 720),  # Greek
    (0x400, 800),  # Cyrillic
    (0x530, 770),  # Armenian
    (0x590, 640),  # Hebrew
    (0x600, 760),  # Arabic: the joined letters are narrower than the single ones
    (0x700, 900),  # Syriac
    (0x780, 720),
    (0x900, 780),  # Devanagari and its neighbours
    (0xB80, 1240),  # Tamil
    (0xC00, 870),  # Telugu, Kannada
    (0xD00, 1300),  # Malayalam, Sinhala
    (0xE00, 640),  # Thai, Lao
    (0xF00, 1100),  # Tibetan, Myanmar
    (0x10A0, 820),  # Georgian
    (0x1200, 850),  # Ethiopic, Cherokee
    (0x1780, 850),  # Khmer, Mongolian
    (0x1E00, 740),
    (0x1F00, 860),
    (0x2000, 660),
    (0x2100, 1000),
    (0x2C00, 850),
)
SCRIPT_STARTS = [start for start, _ in SCRIPT_WIDTHS]

WIDE_PIXELS = 1000  # thousandths of the font size, as above: a full-width character is a square
EMOJI_PIXELS = 1300  # not tuned, a little more than most fonts have

JOINER, EMOJI_STYLE = "\u200d", "\ufe0f"
SKIN_TONES = range(0x1F3FB, 0x1F400)
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
PICTOGRAPHS = range(0x1F000, 0x20000)
RIGHT_TO_LEFT_MARK = "\u200f"
BIDI_CONTROLS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}

Measure = Callable[[str], int]


def per_cent(share: float) -> str:
    """Return a share as people write it, with a decimal where it has one.

    >>> per_cent(0.998), per_cent(0.97), per_cent(1.0)
    ('99.8%', '97%', '100%')
    """
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def clean(text: str) -> str:
    """Return text with visible replacements for controls, line breaks, direction overrides and surrogates.

    >>> clean("a\\tb\\x1b[31m")
    'a␉b␛[31m'
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(map(visible, text))


def visible(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)  # the control pictures
    if code == 0x7F:
        return "␡"
    if code in BIDI_CONTROLS or code & 0xFFFE == 0xFFFE or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
        return "\ufffd"
    return char


def clusters(text: str) -> list[str]:
    """Cut text where a cursor may be placed: marks, joined emoji and the halves of a flag stay together.

    >>> [len(cluster) for cluster in clusters("e\\u0301a")]
    [2, 1]
    """
    pieces: list[str] = []
    for char in text:
        if pieces and belongs_to(pieces[-1], char):
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def belongs_to(cluster: str, char: str) -> bool:
    code = ord(char)
    if code < 0x300:
        return False
    half_flag = len(cluster) == 1 and ord(cluster) in FLAG_LETTERS
    return (
        is_zero_width(char)
        or code in SKIN_TONES
        or (half_flag and code in FLAG_LETTERS)
        or (cluster[-1] == JOINER and code in PICTOGRAPHS)
    )


def is_zero_width(char: str) -> bool:
    return ord(char) >= 0x300 and cells_of_character(char) == 0


@cache
def cells_of_character(char: str) -> int:
    from rich.cells import cell_len  # imported on use: programs that draw no text for terminals do without

    return cell_len(char)


def columns(text: str) -> int:
    """Return the columns that text takes in a terminal.

    >>> columns("naïve"), columns("日本語"), columns("e\\u0301"), columns("👩‍👩‍👧")
    (5, 6, 1, 2)
    """
    return len(text) if text.isascii() else sum(map(columns_of_cluster, clusters(text)))


def columns_of_cluster(cluster: str) -> int:
    first = cluster[0]
    if EMOJI_STYLE in cluster[1:] or (len(cluster) > 1 and ord(first) in FLAG_LETTERS):
        return 2
    return 1 if ord(first) < 0x300 else cells_of_character(first)


@lru_cache(maxsize=1 << 14)  # a page measures the same words and labels for each of its layouts
def pixels(text: str, size: int) -> int:
    """Return the pixels that text takes in a sans-serif font of this size, rounded up.

    >>> pixels("dog", 16), pixels("日本", 16)
    (30, 32)
    """
    return -(-size * sum(map(thousandths, clusters(text))) // 1000)


def thousandths(cluster: str) -> int:
    """Return the width of a character with its marks; in fonts, unlike in terminals, a spacing mark has a width."""
    marks = sum(script_width(char) for char in cluster[1:] if unicodedata.category(char) == "Mc")
    return marks + thousandths_of_first(cluster)


def script_width(char: str) -> int:
    return SCRIPT_WIDTHS[bisect_right(SCRIPT_STARTS, ord(char)) - 1][1]


def thousandths_of_first(cluster: str) -> int:
    first = cluster[0]
    code = ord(first)
    if 0x20 <= code < 0x7F and EMOJI_STYLE not in cluster:
        return ASCII_WIDTHS[code - 0x20]
    if is_zero_width(first):
        return 0
    if EMOJI_STYLE in cluster or code in PICTOGRAPHS:
        return EMOJI_PIXELS
    if cells_of_character(first) == 2:
        return WIDE_PIXELS
    base = unicodedata.normalize("NFD", first)[0]
    if base.isascii():
        return thousandths(base)
    return script_width(first)


def clip(text: str, limit: int, measure: Measure = columns, ellipsis: str = "…") -> str:
    """Return text, or as much of its beginning as fits with an ellipsis.

    >>> clip("antidisestablishmentarianism", 8)
    'antidis…'
    """
    if measure(text) <= limit:
        return text
    kept, rest = "", limit - measure(ellipsis)
    for cluster in clusters(text):
        if measure(kept + cluster) > rest:
            break
        kept += cluster
    mark = RIGHT_TO_LEFT_MARK if is_right_to_left([kept]) else ""  # puts the ellipsis at the end of the word, its left
    return kept + ellipsis + mark


def is_right_to_left(texts: list[str]) -> bool:
    """Whether more words run from right to left than from left to right.

    >>> is_right_to_left(["كتب", "الولد", "PDF"])
    True
    """
    balance = 0
    for text in texts:
        kinds = {unicodedata.bidirectional(char) for char in text[:40]}
        balance += 1 if kinds & {"R", "AL"} else -1 if "L" in kinds else 0
    return balance > 0

"""Training text with marks attached to their words, where a treebank writes blanks between them.

French treebanks have a blank before `?`, Vietnamese-VTB one before every mark; a text that users write may have none.
"""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import numpy as np

from treewright.tokeniser.text import INSIDE, Labels

ATTACHED_SHARE = 0.5  # of the blanks are removed, at marks that a treebank mostly writes apart; not tuned
_MARK = re.compile(r"(?<=\S )[.,;:!?)\]}\"](?=\s)|(?<=[^\s.,;:!?)\]}\"])[.,;:!?)\]}\"](?=\s)|(?<=\s)[(\[{\"](?=\S| \S)")


def attach_marks(text: str, labels: Labels, seed: int) -> tuple[str, Labels]:
    """Remove some of the blanks between words and marks that are mostly written apart from them.

    >>> text, labels = attach_marks("Why ? Why ? Why ? Why ?\\n\\n", np.tile([0, 0, 1, 0, 1, 0], 5)[:25], 1)
    >>> text, labels.tolist()[:5]
    ('Why? Why ? Why ? Why?\\n\\n', [0, 0, 1, 1, 0])
    """
    random = Random(seed)
    counts, apart = Counter[str](), list[tuple[str, int]]()  # the place of the blank
    is_open = False
    for match in _MARK.finditer(text):
        place, mark = match.start(), match[0]
        if labels[place] == INSIDE or not (text[place - 1].isspace() or labels[place - 1]):
            continue  # it is part of a token
        is_opening = mark in "([{" or (mark == '"' and not is_open)
        is_open = is_open != (mark == '"')
        kind = f"{mark}{is_opening}"
        blank = place + 1 if is_opening else place - 1
        counts[kind] += 1
        if text[blank] == " ":
            apart.append((kind, blank))
    shares = Counter(kind for kind, _ in apart)
    is_kept = np.ones(len(text), dtype=np.bool_)
    for kind, blank in apart:
        if 2 * shares[kind] > counts[kind] and random.random() < ATTACHED_SHARE:
            is_kept[blank] = False
    return "".join(np.array(list(text))[is_kept].tolist()), labels[is_kept]

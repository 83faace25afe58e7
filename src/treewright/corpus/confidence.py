"""What cells and comments say about a tree: its confidence, in MISC, and its certificate, a comment.

Confidence is of the head, LabelConfidence of the label given the head, TagConfidence of the tag. What describes a tree
no longer holds when the tree is replaced.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from treewright.corpus.graph import clear_graph

if TYPE_CHECKING:
    from treewright.corpus.sentence import Sentence

CERTIFICATE = "treewright"  # the name of the comment with the certificate of a tree
IN_MISC = {
    "head_confidence": "Confidence",
    "label_confidence": "LabelConfidence",
    "tag_confidence": "TagConfidence",
}


def set_misc(cell: str, name: str, value: str) -> str:
    """Return a MISC cell with name=value at its end, without the old value if it has one.

    >>> set_misc("_", "Confidence", "0.5"), set_misc("SpaceAfter=No|Confidence=0.9", "Confidence", "0.5")
    ('Confidence=0.5', 'SpaceAfter=No|Confidence=0.5')
    """
    kept = drop_misc(cell, name)
    return f"{name}={value}" if kept == "_" else f"{kept}|{name}={value}"


def drop_misc(cell: str, *names: str) -> str:
    """Return a MISC cell without the items of these names.

    >>> drop_misc("SpaceAfter=No|Gloss=a", "Gloss"), drop_misc("Gloss=a", "Gloss")
    ('SpaceAfter=No', '_')
    """
    return "|".join(item for item in cell.split("|") if item.partition("=")[0] not in names) or "_"


def write_confidence(sentence: Sentence, *kinds: str) -> None:
    """Write the confidences that a sentence has into its MISC; kinds: keys of IN_MISC, all if none is given.

    >>> from treewright.corpus import Sentence
    >>> sentence = Sentence.from_words(["Stop", "!"])
    >>> sentence.head_confidence = np.array([0.5, 0.99994])
    >>> write_confidence(sentence)
    >>> sentence.misc
    ['Confidence=0.5000', 'Confidence=0.9999']
    """
    for kind in kinds or IN_MISC:
        values = getattr(sentence, kind)
        if values is not None:
            cells = zip(sentence.misc, values.tolist(), strict=True)
            sentence.misc = [set_misc(cell, IN_MISC[kind], f"{value:.4f}") for cell, value in cells]


def clear_confidence(sentence: Sentence, *kinds: str) -> None:
    """Remove the confidences of these kinds from MISC."""
    if "MISC" in sentence.layout.index and "Confidence=" in "\t".join(chain.from_iterable(sentence.cells("MISC"))):
        names = [IN_MISC[kind] for kind in kinds]
        sentence.misc = [drop_misc(cell, *names) for cell in sentence.misc]


def read_confidence(sentence: Sentence) -> None:
    """Take the confidences from MISC, where they are written there; NaN for words without one."""
    for kind, name in IN_MISC.items():
        pattern = re.compile(rf"(?:^|\|){name}=(0(?:\.\d+)?|1(?:\.0+)?)(?:\||$)")
        matches = [pattern.search(cell) for cell in sentence.misc]
        if any(matches):
            setattr(sentence, kind, np.array([float(match[1]) if match else np.nan for match in matches]))


def without_certificate(comments: list[str]) -> list[str]:
    """Return the comments without the certificate of a tree."""
    return [line for line in comments if not line.startswith(f"# {CERTIFICATE} =")]


def clear_derived(sentence: Sentence) -> None:
    """Remove what describes a tree that is replaced: DEPS, the confidence of heads and labels, the certificate.

    >>> from treewright.corpus import Sentence
    >>> sentence = Sentence.from_words(["Run"], heads=[0], deps=["0:root"], misc=["Confidence=0.98"])
    >>> clear_derived(sentence)
    >>> sentence.deps, sentence.misc
    (['_'], ['_'])
    """
    clear_graph(sentence)
    clear_confidence(sentence, "head_confidence", "label_confidence")
    if CERTIFICATE in "\n".join(sentence.comments) and sentence.comment(CERTIFICATE) is not None:
        sentence.comments = without_certificate(sentence.comments)

"""Confidence in MISC: Confidence (of the head), LabelConfidence (of the label given the head), TagConfidence."""

from __future__ import annotations

import re

import numpy as np

from treewright.corpus.sentence import Sentence

IN_MISC = {
    "head_confidence": "Confidence",
    "label_confidence": "LabelConfidence",
    "tag_confidence": "TagConfidence",
}


def with_misc(cell: str, name: str, value: str) -> str:
    """A MISC cell with name=value, in the place of the old value if it has one.

    >>> with_misc("_", "Confidence", "0.5"), with_misc("SpaceAfter=No|Confidence=0.9", "Confidence", "0.5")
    ('Confidence=0.5', 'SpaceAfter=No|Confidence=0.5')
    """
    kept = without_misc(cell, name)
    return f"{name}={value}" if kept == "_" else f"{kept}|{name}={value}"


def without_misc(cell: str, name: str) -> str:
    """A MISC cell without the item of a name.

    >>> without_misc("SpaceAfter=No|Gloss=a", "Gloss"), without_misc("Gloss=a", "Gloss")
    ('SpaceAfter=No', '_')
    """
    return "|".join(part for part in cell.split("|") if part.partition("=")[0] != name) or "_"


def write_confidence(sentence: Sentence, *kinds: str) -> None:
    """Write the confidences that a sentence has into its MISC; kinds: those of IN_MISC, all if none is given.

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
            sentence.misc = [with_misc(cell, IN_MISC[kind], f"{value:.4f}") for cell, value in cells]


def clear_confidence(sentence: Sentence, kind: str) -> None:
    """Remove the confidences of a kind from MISC."""
    name = IN_MISC[kind]
    if any(name in cell for cell in sentence.misc):
        sentence.misc = [without_misc(cell, name) for cell in sentence.misc]


def read_confidence(sentence: Sentence) -> None:
    """Take the confidences from MISC, where they are written there; NaN for words without one."""
    for kind, name in IN_MISC.items():
        pattern = re.compile(rf"(?:^|\|){name}=(0(?:\.\d+)?|1(?:\.0+)?)(?:\||$)")
        found = [pattern.search(cell) for cell in sentence.misc]
        if any(found):
            setattr(sentence, kind, np.array([float(match[1]) if match else np.nan for match in found]))

"""Spellings that mean the same: typographic marks and their ASCII forms, composed and decomposed letters.

Models see the canonical spelling; the form of a word stays as it is written. The canonical marks are the ASCII ones,
which are the majority in the treebanks that have both (UD English-EWT 2.16: 2,558 of ' and 94 of ’).
"""

from __future__ import annotations

import unicodedata

from treewright.corpus.sentence import Sentence

MARKS = {
    "'": "‘’‚‛‹›′",
    '"': "“”„‟«»″",
    "-": "‐‑‒–−",
    "--": "—―",
    "...": "…",
}
INVISIBLE = "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width space, word joiner, byte order mark
TABLE = {ord(mark): ascii_form for ascii_form, marks in MARKS.items() for mark in marks} | {
    ord(character): "" for character in INVISIBLE
}


def canonical(form: str) -> str:
    """Return the spelling of a word that models see: composed (NFC), with ASCII marks, without invisible characters.

    >>> canonical("They’re"), canonical("“"), canonical("…"), canonical("cafe\\u0301") == "café"
    ("They're", '"', '...', True)
    """
    if form.isascii():
        return form
    return unicodedata.normalize("NFC", form.translate(TABLE)) or form


def with_canonical_forms(sentence: Sentence) -> Sentence:
    """Return the sentence with its forms in canonical spelling.

    >>> with_canonical_forms(Sentence.from_words(["I", "’m"])).forms
    ['I', "'m"]
    """
    forms = [canonical(form) for form in sentence.forms]
    return sentence if forms == sentence.forms else sentence.with_columns(forms=forms)

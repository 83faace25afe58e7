"""Full-form lexicons: word forms with their tags and lemmas, from any source, given to training beside a treebank.

A lexicon is a table with tabs and four columns: form, UPOS, FEATS and lemma. FEATS may be "_", or name some of the
features that the word must have (`Tense=Past`). A line that begins with # is a comment. Of several lemmas of the same
word the first one counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from treewright._core import lemma_key, text_hash
from treewright.corpus.reader import Lines, check_utf8
from treewright.corpus.typography import canonical
from treewright.errors import FormatError, InputError
from treewright.tagger.scripts import script_of

COLUMNS = ("form", "UPOS", "FEATS", "lemma")
ANY_FEATS = "*"  # in the key of an entry whose features are open; no value of FEATS


class Entry(NamedTuple):
    """A word of a lexicon; feats "_": any."""

    form: str
    upos: str
    feats: str
    lemma: str


FullForms = str | os.PathLike[str] | Iterable[Entry]


def read_lexicon(source: FullForms | None) -> list[Entry]:
    """Read the entries of a lexicon from the file source; entries are returned as they are, none for None."""
    if source is None:
        return []
    if not isinstance(source, (str, os.PathLike)):
        return list(source)
    lines = Lines(source)
    try:
        entries = list(entries_of(lines))
    finally:
        lines.close()
    if not entries:
        raise InputError(
            f"{lines.name} has no entries; expected lines of form, UPOS, FEATS and lemma with tabs between"
        )
    return entries


def entries_of(lines: Lines) -> Iterator[Entry]:
    """Yield the entries of a file."""
    number = 0
    for piece in lines:
        for row in piece.splitlines():
            number += 1
            if lines.suspect:
                check_utf8(row, lines.name, number)
            if not row or row.startswith("#"):
                continue
            cells = row.split("\t")
            if len(cells) != len(COLUMNS) or not all(cells):
                problem = f"{len(cells)} columns" if len(cells) != len(COLUMNS) else "an empty cell"
                raise FormatError(
                    lines.name, number, f"{problem}; expected form, UPOS, FEATS and lemma with tabs between"
                )
            form, upos, feats, lemma = cells
            yield Entry(canonical(form), upos, feats, lemma)


def lemma_scripts(
    entries: Iterable[Entry], feats_of: Mapping[str, Iterable[str]], scripts: dict[str, int]
) -> dict[int, int]:
    """Return the script of each entry by the keys of its word and tag; new scripts are numbered.

    feats_of: the values of FEATS that words with a universal tag have. An entry with features has a key for each value
    that has all of them.
    """
    script_by_key: dict[int, int] = {}
    for form, upos, feats, lemma in entries:
        number = scripts.setdefault(script_of(form, lemma), len(scripts))
        for value in [ANY_FEATS] if feats == "_" else values_with(feats, feats_of.get(upos, ())):
            script_by_key.setdefault(lemma_key(form, text_hash(upos), text_hash(value)), number)
    return script_by_key


def values_with(feats: str, values: Iterable[str]) -> list[str]:
    """Return the values of FEATS that have all features of `feats`.

    >>> values_with("Tense=Past", ["Tense=Past|VerbForm=Fin", "Tense=Pres|VerbForm=Fin"])
    ['Tense=Past|VerbForm=Fin']
    """
    wanted = set(feats.split("|"))
    return [value for value in values if wanted.issubset(value.split("|"))]

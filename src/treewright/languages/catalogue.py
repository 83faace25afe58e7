"""The table of treebanks: language, treebank, licence, size, and the figures that UDPipe 1 published.

`treebanks.tsv` has a row per treebank; the first row of a language is its default, a treebank that is free for any use
where there is one. Licences are from the licence list of the UD release. Words are those of all parts, in thousands:
counted in the files for Afrikaans-AfriBooms, English-EWT, French-Sequoia, Gothic-PROIEL, Hungarian-Szeged,
Portuguese-Bosque, Thai-TUD, Turkish-IMST, Uyghur-UDT, Vietnamese-VTB and Wolof-WTB, approximate for the others;
`treewright get` prints the words of the files that it downloaded. Figures are F1 from the raw text of `test`, in the
manual of UDPipe (models of UD 2.5).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from treewright.errors import InputError

TABLE = Path(__file__).with_name("treebanks.tsv")
PUBLISHED = {"Words": "udpipe_words", "UPOS": "udpipe_upos", "UAS": "udpipe_uas", "LAS": "udpipe_las"}
RESTRICTIONS = {"NC", "ND"}  # parts of the names of licences that do not allow every use


@dataclass(frozen=True)
class TreebankEntry:
    """A treebank of Universal Dependencies, as in the table."""

    code: str  # of the language, as in UD (ISO 639-1 or 639-3); Norwegian has one per standard
    language: str
    treebank: str  # language and name, as in the name of its repository without UD_
    files: str  # what the names of its files begin with
    release: str  # of UD
    licence: str
    words: int | None  # rounded to thousands, for most treebanks approximate; None: unknown
    published: Mapping[str, float]  # F1 of UDPipe 1 from raw text; empty if there is none

    @property
    def is_free(self) -> bool:
        """Whether the licence allows every use, commercial too.

        >>> find_treebank("de").is_free, find_treebank("hi").is_free
        (True, False)
        """
        return RESTRICTIONS.isdisjoint(self.licence.replace("-", " ").split())


@cache
def treebanks() -> tuple[TreebankEntry, ...]:
    """Read the table."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        return tuple(entry_of(row) for row in csv.DictReader(file, delimiter="\t"))


def entry_of(row: Mapping[str, str]) -> TreebankEntry:
    """Return a row of the table with its types."""
    return TreebankEntry(
        code=row["code"],
        language=row["language"],
        treebank=row["treebank"],
        files=row["files"],
        release=row["release"],
        licence=row["licence"],
        words=int(row["kilowords"]) * 1000 if row["kilowords"] else None,
        published={figure: float(row[column]) for figure, column in PUBLISHED.items() if row[column]},
    )


def find_treebank(name: str, treebank: str | None = None) -> TreebankEntry:
    """Return the entry of a language (code or English name) or of a treebank.

    treebank: another treebank of the language than its default, as in GSD or French-GSD.

    >>> find_treebank("fr").treebank, find_treebank("French", "GSD").treebank, find_treebank("German-GSD").code
    ('French-Sequoia', 'French-GSD', 'de')
    """
    entry = match_treebank(name)
    if entry is None:
        names = [known for entry in treebanks() for known in (entry.code, entry.language, entry.treebank)]
        close = get_close_matches(name, names, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise InputError(
            f"{name}: no language or treebank of the table has this name{hint}; `treewright models --available` lists "
            "them, and `treewright train` trains on any treebank"
        )
    if treebank is None:
        return entry
    return choose_treebank([other for other in treebanks() if other.code == entry.code], treebank)


def match_treebank(name: str) -> TreebankEntry | None:
    """Return the first entry whose language, treebank or files have this name, if there is one."""
    wanted = comparable(name)
    for entry in treebanks():
        if wanted in map(comparable, (entry.code, entry.language, entry.treebank, entry.files)):
            return entry
    return None


def choose_treebank(entries: Iterable[TreebankEntry], name: str) -> TreebankEntry:
    """Return the entry of a language with this treebank, given with or without the language."""
    of_language = {comparable(entry.treebank): entry for entry in entries}
    for key, entry in of_language.items():
        if comparable(name) in (key, key.partition("-")[2]):
            return entry
    known = ", ".join(entry.treebank for entry in of_language.values())
    raise InputError(f"--treebank {name}: the table has no such treebank of this language; there is {known}")


def comparable(name: str) -> str:
    """Return a name in lower case, with spaces for underscores, without the UD_ of repositories.

    >>> comparable("UD_Old_Church_Slavonic-PROIEL")
    'old church slavonic-proiel'
    """
    return name.casefold().replace("_", " ").removeprefix("ud ")


def treebank_of_file(path: str) -> TreebankEntry | None:
    """Return the entry of a file that is named as in a UD release, or whose folder is named after its treebank.

    >>> treebank_of_file("de_gsd-ud-train.conllu").treebank, treebank_of_file("ud/Irish-IDT/train.conllu").treebank
    ('German-GSD', 'Irish-IDT')
    >>> treebank_of_file("de/train.conllu") is None
    True
    """
    file = Path(path)
    names = {comparable(file.name.partition("-ud-")[0]), comparable(file.parent.name)}
    for entry in treebanks():
        if not names.isdisjoint({comparable(entry.files), comparable(entry.treebank)}):
            return entry
    return None


def published_in_words(entry: TreebankEntry | None) -> str:
    """Return a line with the published figures of UDPipe 1; empty if there are none.

    >>> published_in_words(find_treebank("German-GSD"))
    'UDPipe 1, published for the test part of UD 2.5 German-GSD: Words 99.6, UPOS 91.7, UAS 78.1, LAS 72.7'
    """
    if entry is None or not entry.published:
        return ""
    figures = ", ".join(f"{name} {figure}" for name, figure in entry.published.items())
    return f"UDPipe 1, published for the test part of UD 2.5 {entry.treebank}: {figures}"

"""Write the full-form lexicon that the lemmas of the English model are trained with (`treewright train --lexicon`).

    python scripts/english_lexicon.py -o english.tsv

Forms, tags and lemmas are those of the table in LemmInflect (MIT; `pip install lemminflect`), which was made of the
SPECIALIST Lexicon of the National Library of Medicine. Where a form is the past of one verb and the base form of
another (saw, found), there is an entry for each.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

UPOS = {"noun": "NOUN", "verb": "VERB", "adj": "ADJ", "adv": "ADV"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("-o", "--output", type=Path, required=True)
    given = arguments.parse_args()
    rows = sorted(set(entries()), key=lambda row: (row[0], row[1], row[2] == "_", row[2]))
    given.output.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    print(f"{given.output}: {len(rows)} entries")


def entries() -> Iterator[tuple[str, str, str, str]]:
    """Yield form, UPOS, FEATS and lemma."""
    past = {
        (form, lemma)
        for lemma, upos, *inflected in table("infl_lu")
        if upos == "verb"
        for cell in inflected[:2]  # past tense and participle
        for form in cell.split("/")
    }
    for form, upos, cell in table("lemma_lu"):
        if upos not in UPOS or not form.isalpha():
            continue
        lemmas = cell.split("/")
        if upos == "verb" and form in lemmas and len(lemmas) > 1:
            if verb := next((lemma for lemma in lemmas if (form, lemma) in past), None):
                yield form, UPOS[upos], "Tense=Past", verb
            yield form, UPOS[upos], "_", form
        else:
            yield form, UPOS[upos], "_", lemmas[0]


def table(name: str) -> Iterator[list[str]]:
    """Yield the rows of a table of LemmInflect."""
    with gzip.open(io.BytesIO((files("lemminflect") / "resources" / f"{name}.csv.gz").read_bytes()), "rt") as file:
        yield from csv.reader(file)


if __name__ == "__main__":
    main()

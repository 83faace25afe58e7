"""Model cards: what a model was trained on, its licence, and its figures, from the metadata of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.languages.catalogue import TreebankEntry


def metadata_of(name: str, entry: TreebankEntry, release: str, licence_text: str) -> dict[str, Any]:
    """Return the metadata of a model of this name that is trained on a treebank; figures are added after training.

    release: of the files; empty if it is unknown.
    """
    data = " ".join(["Universal Dependencies", entry.treebank, release]).rstrip()
    return {
        "name": name,
        "code": entry.code,
        "language": entry.language,
        "treebank": entry.treebank,
        "release": release,
        "training_data": f"{data}, train",
        "licence": entry.licence,
        "licence_text": licence_text,
    }


def card_of(metadata: Mapping[str, Any]) -> str:
    """Write the card of a model as Markdown.

    >>> print(card_of({"name": "de", "language": "German", "licence": "CC BY-SA 4.0", "figures": {"LAS": 80.123},
    ...     "figures_of": "test"}))
    # de: German
    <BLANKLINE>
    | | |
    |---|---|
    | language | German |
    | licence | CC BY-SA 4.0 |
    <BLANKLINE>
    From the raw text of `test`, F1 as the official script counts it:
    <BLANKLINE>
    | | |
    |---|---|
    | LAS | 80.12 |
    <BLANKLINE>
    """
    title = ": ".join(str(metadata[key]) for key in ("name", "language") if key in metadata) or "A model"
    facts = {key: metadata[key] for key in ("language", "training_data", "licence") if key in metadata}
    lines = [f"# {title}", "", *table_of({name.replace("_", " "): value for name, value in facts.items()})]
    if figures := metadata.get("figures"):
        lines += ["", f"From the raw text of `{metadata['figures_of']}`, F1 as the official script counts it:", ""]
        lines += table_of({name: f"{figure:.2f}" for name, figure in figures.items()})
    return "\n".join([*lines, ""])


def table_of(rows: Mapping[str, Any]) -> list[str]:
    """Write names and values as a table of Markdown."""
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]

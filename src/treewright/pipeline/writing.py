"""Sentences as JSON, for programs that do not read CoNLL-U."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treewright.calls import explained
from treewright.corpus import Sentence

OUTPUTS = ("conllu", "json", "text", "svg", "png", "html", "latex")
BY_EXTENSION = {
    **dict.fromkeys([".json", ".jsonl", ".ndjson"], "json"),
    **dict.fromkeys([".html", ".htm"], "html"),
    ".svg": "svg",
    ".png": "png",
    ".tex": "latex",
}


@explained
def guess_output(name: str) -> str:
    """The format of an output by the extension of its name; CoNLL-U if that is not a known one.

    >>> guess_output("trees.html"), guess_output("-")
    ('html', 'conllu')
    """
    return BY_EXTENSION.get(Path(name).suffix.lower(), "conllu")


@explained
def to_json(sentence: Sentence) -> dict[str, Any]:
    """The same as `sentence.to_dict()`.

    >>> from treewright.corpus import Sentence
    >>> to_json(Sentence.from_words(["Run"], upos=["VERB"]))["words"]
    [{'id': 1, 'form': 'Run', 'upos': 'VERB'}]
    """
    return sentence.to_dict()


@explained
def from_json(value: Mapping[str, Any]) -> Sentence:
    """The same as `Sentence.from_dict(value)`.

    >>> from_json({"words": ["It", "rains"]}).forms
    ['It', 'rains']
    """
    return Sentence.from_dict(value)

"""Sentences as JSON, for programs that do not read CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treewright.corpus import Sentence, Token

OUTPUTS = ("conllu", "json", "text", "svg", "html")
BY_EXTENSION = {".json": "json", ".jsonl": "json", ".ndjson": "json", ".svg": "svg", ".html": "html", ".htm": "html"}
COLUMNS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels", "misc": "misc"}
RANGE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)")


def guess_output(name: str) -> str:
    """The format of an output by its extension; CoNLL-U if that is not a known one.

    >>> guess_output("trees.html"), guess_output("-")
    ('html', 'conllu')
    """
    return BY_EXTENSION.get(Path(name).suffix.lower(), "conllu")


def to_json(sentence: Sentence) -> dict[str, Any]:
    """A sentence as plain values: words with their columns and their places in the text.

    >>> sentence = Sentence.from_words(["Go", "!"], upos=["VERB", "PUNCT"], heads=[0, 1], deprels=["root", "punct"])
    >>> to_json(sentence)["words"][1]
    {'id': 2, 'form': '!', 'upos': 'PUNCT', 'head': 1, 'deprel': 'punct'}
    """
    found: dict[str, Any] = {"sent_id": sentence.sent_id, "text": sentence.text}
    found = {name: value for name, value in found.items() if value is not None}
    if sentence.parse is not None:
        parse = sentence.parse
        found |= {"certified": parse.certified, "score": parse.score, "gap": parse.gap}
        if parse.gap == float("inf"):  # JSON has no infinity
            found["gap"] = None
    found["words"] = [_word(sentence, place) for place in range(len(sentence))]
    if sentence.confidence is not None:
        for word, sure in zip(found["words"], sentence.confidence, strict=True):
            word["confidence"] = None if sure is None else round(float(sure), 4)
    if sentence.tokens:
        found["tokens"] = [{**token._asdict(), **_range(token.misc)} for token in sentence.tokens]
    return found


def _word(sentence: Sentence, place: int) -> dict[str, Any]:
    word: dict[str, Any] = {"id": place + 1, "form": sentence.forms[place]}
    for name, column in COLUMNS.items():
        if name == "deprel" and sentence.heads[place] >= 0:
            word["head"] = int(sentence.heads[place])
        cell = getattr(sentence, column)[place]
        if cell != "_":
            word[name] = cell
    return word | _range(sentence.misc[place])


def _range(misc: str) -> dict[str, int]:
    found = RANGE.search(misc)
    return {"begin": int(found[1]), "end": int(found[2])} if found else {}


def from_json(value: Mapping[str, Any]) -> Sentence:
    """The sentence of what `to_json` gave, or of words alone.

    >>> from_json({"words": ["It", "rains"]}).forms
    ['It', 'rains']
    """
    words = [{"form": word} if isinstance(word, str) else word for word in value["words"]]
    if not words:
        raise ValueError("words is empty")
    for place, word in enumerate(words, start=1):
        if not isinstance(word, Mapping) or not isinstance(word.get("form"), str):
            raise ValueError(f"word {place} has no form")
    tokens = [Token(token["first"], token["last"], token["form"], token.get("misc", "_")) for token in
              value.get("tokens", ())]  # fmt: skip
    columns: dict[str, Any] = {
        column: [word.get(name, "_") for word in words]
        for name, column in COLUMNS.items()
        if any(name in word for word in words)
    }
    heads = [word.get("head", -1) for word in words] if any("head" in word for word in words) else None
    names = {name: value[name] for name in ("sent_id", "text") if value.get(name) is not None}
    return Sentence.from_words([word["form"] for word in words], heads=heads, tokens=tokens, **columns, **names)

"""Sentences as the data structures of other packages, which are imported when they are used."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.corpus.nodes import Token
from treewright.corpus.offsets import Offsets, surface_tokens, token_range
from treewright.errors import InputError, MissingPackage

if TYPE_CHECKING:
    import networkx
    import nltk
    import pandas
    import spacy

    from treewright.corpus.sentence import Sentence

COLUMNS = {
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "deprel": "deprels",
    "deps": "deps",
    "misc": "misc",
}
CONFIDENCE = {
    "confidence": "head_confidence",
    "label_confidence": "label_confidence",
    "tag_confidence": "tag_confidence",
}


def load_package(name: str, purpose: str) -> Any:
    """An optional package, or a module of one; a MissingPackage names what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackage(name.partition(".")[0], purpose) from error


# -- plain values


def to_dict(sentence: Sentence) -> dict[str, Any]:
    found: dict[str, Any] = {"sent_id": sentence.sent_id, "text": sentence.text}
    found = {name: value for name, value in found.items() if value is not None}
    if sentence.parse is not None:
        parse = sentence.parse
        gap = parse.gap if parse.gap < float("inf") else None  # JSON has no infinity
        found |= {"certified": parse.certified, "certified_over": parse.scope, "score": parse.score, "gap": gap}
    words = [_word(sentence, place) for place in range(len(sentence))]
    for name, column in CONFIDENCE.items():
        if (values := getattr(sentence, column)) is not None:
            for word, value in zip(words, values, strict=True):
                word[name] = _rounded(value)
    found["words"] = words
    if sentence.tokens:
        found["tokens"] = [{**token._asdict(), **_range(token.misc)} for token in sentence.tokens]
    return found


def _word(sentence: Sentence, place: int) -> dict[str, Any]:
    word: dict[str, Any] = {"id": place + 1, "form": sentence.forms[place]}
    for name, column in COLUMNS.items():
        if name == "deprel" and sentence.heads[place] >= 0:
            word["head"] = int(sentence.heads[place])
        cell = getattr(sentence, column)[place]
        if cell != "_" and not (name == "deps" and sentence.empty_nodes):  # there are no empty nodes in JSON
            word[name] = cell
    return word | _range(sentence.misc[place])


def _range(misc: str) -> dict[str, int]:
    offsets = token_range(misc)
    return {"begin": offsets[0], "end": offsets[1]} if offsets else {}


def _rounded(probability: np.float64) -> float | None:
    """A number for JSON, which has no NaN."""
    return None if np.isnan(probability) else round(float(probability), 4)


def confidence_from(value: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """The arrays of probabilities that the words of a value have; NaN where a word has none."""
    words = [word for word in value["words"] if isinstance(word, Mapping)]
    found = {}
    for name, attribute in CONFIDENCE.items():
        if len(words) == len(value["words"]) and any(name in word for word in words):
            given = [word.get(name) for word in words]
            found[attribute] = np.array([math.nan if one is None else one for one in given], dtype=np.float64)
    return found


def from_dict(value: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Sentence.from_words` for the values of `to_dict`."""
    words = [{"form": word} if isinstance(word, str) else word for word in value["words"]]
    if not words:
        raise ValueError("words is empty")
    for place, word in enumerate(words, start=1):
        if not isinstance(word, Mapping) or not isinstance(word.get("form"), str):
            raise ValueError(f"word {place} has no form")
    found: dict[str, Any] = {"forms": [word["form"] for word in words]}
    for name, column in COLUMNS.items():
        if any(name in word for word in words):
            found[column] = [word.get(name, "_") for word in words]
    if any("head" in word for word in words):
        found["heads"] = [word.get("head", -1) for word in words]
    found["tokens"] = [
        Token(token["first"], token["last"], token["form"], token.get("misc", "_")) for token in value.get("tokens", ())
    ]
    return found | {name: value[name] for name in ("sent_id", "text") if value.get(name) is not None}


# -- tables


def to_dataframe(sentences: Iterable[Sentence], *, numbered: bool) -> pandas.DataFrame:
    """One row a word; numbered: with the place of its sentence as the first column."""
    pandas = load_package("pandas", "to_dataframe")
    rows: dict[str, list[Any]] = {"sentence": []}
    for place, sentence in enumerate(sentences):
        rows["sentence"] += [place] * len(sentence)
        for name, values in _columns(sentence).items():
            rows.setdefault(name, []).extend(values)
    frame = pandas.DataFrame(rows)
    for name in ("begin", "end"):
        if name in frame:
            frame[name] = pandas.array(rows[name], dtype="Int64")  # integers, and <NA> where a place is not known
    return frame if numbered else frame.drop(columns="sentence")


def _columns(sentence: Sentence) -> dict[str, Sequence[Any]]:
    offsets = _known_offsets(sentence)
    return {
        "id": range(1, len(sentence) + 1),
        "form": sentence.forms,
        "lemma": sentence.lemmas,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "feats": sentence.feats,
        "head": sentence.heads.tolist(),
        "deprel": sentence.deprels,
        "deps": sentence.deps,
        "misc": sentence.misc,
        "begin": [begin for begin, _ in offsets],
        "end": [end for _, end in offsets],
        **{column: _probabilities(sentence, column) for column in CONFIDENCE.values()},
    }


def _known_offsets(sentence: Sentence) -> Sequence[Offsets | tuple[None, None]]:
    try:
        return sentence.offsets()
    except InputError:
        return [(None, None)] * len(sentence)


def _probabilities(sentence: Sentence, column: str) -> list[float]:
    values = getattr(sentence, column)
    return [float("nan")] * len(sentence) if values is None else values.tolist()


# -- graphs


def to_networkx(sentence: Sentence) -> networkx.DiGraph:
    networkx = load_package("networkx", "to_networkx")
    graph = networkx.DiGraph(sent_id=sentence.sent_id, text=sentence.text)
    graph.add_node(0, form="ROOT")
    for word in sentence:
        cells = {"lemma": word.lemma, "upos": word.upos, "xpos": word.xpos, "feats": dict(word.feats)}
        graph.add_node(word.id, form=word.form, **cells)
    graph.add_edges_from((word.head, word.id, {"deprel": word.deprel}) for word in sentence if word.head >= 0)
    return graph


def to_nltk(sentence: Sentence) -> nltk.DependencyGraph:
    module = load_package("nltk.parse.dependencygraph", "to_nltk")
    sentence.check("tree")
    lines = []
    for place, cells in enumerate(sentence.cells("FORM", "LEMMA", "UPOS", "XPOS", "FEATS")):
        head, label = str(sentence.heads[place]), sentence.deprels[place]
        lines.append("\t".join([str(place + 1), *cells, head, label, "_", "_"]))
    return module.DependencyGraph("\n".join(lines), cell_separator="\t", top_relation_label=sentence.root.deprel)


# -- spaCy


def to_spacy(sentences: Sequence[Sentence], vocab: spacy.Vocab | None) -> spacy.tokens.Doc:
    """One Doc of all sentences."""
    tokens = load_package("spacy.tokens", "to_spacy")
    known_tags = load_package("spacy.parts_of_speech", "to_spacy").IDS
    columns: dict[str, list[Any]] = {name: [] for name in ("words", "spaces", "tags", "pos", "morphs", "lemmas")}
    starts: list[bool] = []
    for sentence in sentences:
        columns["words"] += sentence.forms
        columns["spaces"] += _spaces(sentence)
        columns["tags"] += _without_blanks(sentence.xpos)
        columns["pos"] += [tag if tag in known_tags else "" for tag in sentence.upos]
        columns["morphs"] += _without_blanks(sentence.feats)
        columns["lemmas"] += _without_blanks(sentence.lemmas)
        starts += [place == 0 for place in range(len(sentence))]
    columns["spaces"][-1:] = [False]  # the text ends with the last word
    if all((sentence.heads >= 0).all() for sentence in sentences):
        columns |= _spacy_tree(sentences)
    if vocab is None:
        vocab = load_package("spacy.vocab", "to_spacy").Vocab()
    return tokens.Doc(vocab, sent_starts=None if "heads" in columns else starts, **columns)


def _spacy_tree(sentences: Sequence[Sentence]) -> dict[str, list[Any]]:
    """The heads as places in the Doc, where a root is its own head, and the labels; that of a root is ROOT."""
    heads: list[int] = []
    deps: list[str] = []
    for sentence in sentences:
        sentence.check("tree")
        first = len(heads)
        for place, head in enumerate(sentence.heads.tolist()):
            heads.append(first + (head - 1 if head else place))
        deps += ["ROOT" if label == "root" else label for label in _without_blanks(sentence.deprels)]
    return {"heads": heads, "deps": deps}


def _spaces(sentence: Sentence) -> list[bool]:
    """Whether a space follows each word."""
    found: list[bool] = []
    for token in surface_tokens(sentence.forms, sentence.misc, sentence.tokens):
        found += [False] * (token.last - token.first)
        found.append("SpaceAfter=No" not in token.misc.split("|"))
    return found


def _without_blanks(cells: Iterable[str]) -> list[str]:
    return ["" if cell == "_" else cell for cell in cells]

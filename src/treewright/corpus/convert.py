"""Sentences as the data structures of other packages, which are imported when they are used."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.corpus.graph import Token
from treewright.corpus.offsets import has_space_after, surface_tokens, token_range
from treewright.errors import MissingPackage

if TYPE_CHECKING:
    import networkx
    import spacy

    from treewright.corpus.document import Document
    from treewright.corpus.sentence import Sentence

# The name of a value in JSON and the attribute of a sentence.
COLUMNS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels"}
COLUMNS |= {"deps": "deps", "misc": "misc"}
CONFIDENCE = {"confidence": "head_confidence"} | {name: name for name in ("label_confidence", "tag_confidence")}


def load_package(name: str, purpose: str) -> Any:
    """Import an optional package, or a module of one; a MissingPackage names what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackage(name.partition(".")[0], purpose) from error


# -- plain values


def to_dict(sentence: Sentence) -> dict[str, Any]:
    """Return the values of `Sentence.to_dict`."""
    values: dict[str, Any] = {} if sentence.sent_id is None else {"sent_id": sentence.sent_id}
    values["text"] = sentence.text
    if (parse := sentence.parse) is not None:
        gap = parse.gap if parse.gap < float("inf") else None  # JSON has no infinity
        values |= {"certified": parse.certified, "certified_over": parse.scope, "score": parse.score, "gap": gap}
    words = [_word(sentence, index) for index in range(len(sentence))]
    for name, column in CONFIDENCE.items():
        if (probabilities := getattr(sentence, column)) is not None:
            for word, probability in zip(words, probabilities.tolist(), strict=True):
                word[name] = None if math.isnan(probability) else round(probability, 4)  # JSON has no NaN
    values["words"] = words
    if sentence.tokens:
        values["tokens"] = [{**token._asdict(), **_range(token.misc)} for token in sentence.tokens]
    return values


def _word(sentence: Sentence, index: int) -> dict[str, Any]:
    word: dict[str, Any] = {"id": index + 1, "form": sentence.forms[index]}
    for name, column in COLUMNS.items():
        if name == "deprel" and sentence.heads[index] >= 0:
            word["head"] = int(sentence.heads[index])
        cell = getattr(sentence, column)[index]
        if cell != "_" and not (name == "deps" and sentence.empty_nodes):  # there are no empty nodes in JSON
            word[name] = cell
    return word | _range(sentence.misc[index])


def _range(misc: str) -> dict[str, int]:
    offsets = token_range(misc)
    return {"begin": offsets[0], "end": offsets[1]} if offsets else {}


def confidence_from(value: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """Return the arrays of probabilities that the words of a value have; NaN where a word has none."""
    words = [word for word in value["words"] if isinstance(word, Mapping)]
    arrays = {}
    for name, attribute in CONFIDENCE.items():
        if len(words) == len(value["words"]) and any(name in word for word in words):
            arrays[attribute] = np.array([word.get(name) for word in words], dtype=np.float64)  # None becomes NaN
    return arrays


def from_dict(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `Sentence.from_words` for the values of `to_dict`."""
    words = [{"form": word} if isinstance(word, str) else word for word in value["words"]]
    if not words:
        raise ValueError("words is empty")
    for number, word in enumerate(words, start=1):
        if not isinstance(word, Mapping) or not isinstance(word.get("form"), str):
            raise ValueError(f"word {number} has no form")
    arguments: dict[str, Any] = {"forms": [word["form"] for word in words]}
    for name, column in COLUMNS.items():
        if any(name in word for word in words):
            arguments[column] = [word.get(name, "_") for word in words]
    if any("head" in word for word in words):
        arguments["heads"] = [word.get("head", -1) for word in words]
    arguments["tokens"] = [
        Token(token["first"], token["last"], token["form"], token.get("misc", "_")) for token in value.get("tokens", ())
    ]
    return arguments | {name: value[name] for name in ("sent_id", "text") if value.get(name) is not None}


# -- graphs


def to_networkx(sentence: Sentence) -> networkx.DiGraph:
    """Return the tree as a networkx graph with an edge from each head to its modifier; node 0 is the root.

    Nodes have the attributes form, lemma, upos, xpos and feats (a dictionary), edges have deprel.
    """
    networkx = load_package("networkx", "to_networkx")
    graph = networkx.DiGraph(sent_id=sentence.sent_id, text=sentence.text)
    graph.add_node(0, form="ROOT")
    for word in sentence:
        cells = {"lemma": word.lemma, "upos": word.upos, "xpos": word.xpos, "feats": dict(word.feats)}
        graph.add_node(word.id, form=word.form, **cells)
    graph.add_edges_from((word.head, word.id, {"deprel": word.deprel}) for word in sentence if word.head >= 0)
    return graph


# -- spaCy


def to_spacy(sentences: Sentence | Sequence[Sentence], vocab: spacy.Vocab | None = None) -> spacy.tokens.Doc:
    """Return a Doc of spaCy with a token for each word: tags, lemmas, morphology, spaces, heads and labels.

    vocab is the Vocab of the Doc; an empty one if None. Heads and labels are set if every word has a
    head; otherwise only the starts of sentences are. As in spaCy's own converter, the label "root" becomes "ROOT". A
    UPOS that spaCy does not have is left empty.
    """
    sentences = sentences if isinstance(sentences, Sequence) else [sentences]
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
        starts += [index == 0 for index in range(len(sentence))]
    columns["spaces"][-1:] = [False]  # the text ends with the last word
    if all((sentence.heads >= 0).all() for sentence in sentences):
        columns |= _spacy_tree(sentences)
    if vocab is None:
        vocab = load_package("spacy.vocab", "to_spacy").Vocab()
    return tokens.Doc(vocab, sent_starts=None if "heads" in columns else starts, **columns)


def _spacy_tree(sentences: Sequence[Sentence]) -> dict[str, list[Any]]:
    """Return the heads as places in the Doc, where a root is its own head, and the labels, ROOT for a root."""
    heads: list[int] = []
    deps: list[str] = []
    for sentence in sentences:
        sentence.check("tree")
        first = len(heads)
        for index, head in enumerate(sentence.heads.tolist()):
            heads.append(first + (head - 1 if head else index))
        deps += ["ROOT" if label == "root" else label for label in _without_blanks(sentence.deprels)]
    return {"heads": heads, "deps": deps}


def from_spacy(doc: spacy.tokens.Doc) -> Document:
    """Return the sentences of a Doc of spaCy with a word for each token: tags, lemmas, morphology, heads and labels.

    doc: if it has no sentence starts, it is one sentence. Tokens of white space are left out; MISC has SpaceAfter and
    the places of words in the text of the Doc (TokenRange). The label "ROOT" becomes "root".
    """
    from treewright.corpus.document import Document  # which imports this module

    spans = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    words = [[token for token in span if not token.is_space] for span in spans]
    return Document((_from_tokens(tokens, doc.has_annotation("DEP")) for tokens in words if tokens), doc.text)


def _from_tokens(tokens: Sequence[Any], has_tree: bool) -> Sentence:
    """Return the sentence of tokens of spaCy."""
    from treewright.corpus.sentence import Sentence  # which imports this module

    numbers = {token.i: number for number, token in enumerate(tokens, start=1)}
    columns: dict[str, Any] = {
        "lemmas": [token.lemma_ or "_" for token in tokens],
        "upos": [token.pos_ or "_" for token in tokens],
        "xpos": [token.tag_ or "_" for token in tokens],
        "feats": [str(token.morph) or "_" for token in tokens],
        "misc": [_misc_of(token, token is tokens[-1]) for token in tokens],
    }
    if has_tree:
        columns["heads"] = [_head_of(token, numbers) for token in tokens]
        columns["deprels"] = ["root" if token.dep_ == "ROOT" else token.dep_ or "_" for token in tokens]
    text = tokens[0].doc.text[tokens[0].idx : tokens[-1].idx + len(tokens[-1])]
    return Sentence.from_words([token.text for token in tokens], text=text, **columns)


def _head_of(token: Any, numbers: Mapping[int, int]) -> int:
    """Return the number of the head of a token of spaCy, above tokens of white space; 0 for a root."""
    while token.head.i != token.i:
        token = token.head
        if token.i in numbers:
            return numbers[token.i]
    return 0


def _misc_of(token: Any, is_last: bool) -> str:
    end = token.idx + len(token)
    is_followed = not is_last and not token.whitespace_ and not token.nbor().is_space
    return ("SpaceAfter=No|" if is_followed else "") + f"TokenRange={token.idx}:{end}"


def _spaces(sentence: Sentence) -> list[bool]:
    """Return whether a space follows each word."""
    spaces: list[bool] = []
    for token in surface_tokens(sentence):
        spaces += [*[False] * (token.last - token.first), has_space_after(token)]
    return spaces


def _without_blanks(cells: Iterable[str]) -> list[str]:
    return ["" if cell == "_" else cell for cell in cells]

"""Sentences beyond the length limit: cut into parts at punctuation, and the trees of the parts joined.

The time of parsing grows with the cube of the number of words. A text of hundreds of words without the end of a
sentence is a list, a table, speech or a damaged file: several sentences, whose trees are as good in parts. Every tree
of such a sentence is joined from those of its parts: the best one, the k best, and the completion of given heads. The
parts share the limit of time, and the tree has no certificate and no proof.

Questions about one word (`why_not`, sessions) need the whole sentence. Its candidate arcs are then chosen by cheaper
probabilities, because the sum over projective trees would take most of the time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode import Candidates, Parse
from treewright.errors import FormatError
from treewright.guidelines import PUNCTUATION, PUNCTUATION_TAG
from treewright.parser.label_rules import ROOT
from treewright.tokeniser.cutting import cuts

if TYPE_CHECKING:
    from treewright.decode.options import ChosenMethod
    from treewright.parser.decisions import Arc, Decisions
    from treewright.parser.worker import Parsed

# benchmarks/accuracy/long_sentences.py --words 300 --stretches 20, the model "en", EWT dev: of the heads inside the
# sentences 83.9 % are right when a stretch is parsed whole, and in parts of at most 150, 100, 60 words 85.1, 85.6,
# 85.7 %; without punctuation 80.7 %, and in parts 81.2, 81.0, 80.6 %. Of 180 words: 85.1 % whole, 85.5 % in parts of
# 150, without punctuation 82.8 and 82.5 %. The standard error is 0.7 to 1.2. Whole, a word of a sentence of 320 words
# costs 7 times as much as one of 20 words; in parts 2 to 3 times.
MAX_WHOLE = 150  # words of a sentence that is parsed whole
MAX_SUMMED = 350  # whose candidate arcs are chosen by sums over projective trees; 500 words take 2 s
MAX_PART = 150  # words of a part
MAX_WORDS = 2_000  # of a sentence that a network reads whole, and with decisions between parts; not tuned
# Of a sentence with questions about a word. Beside its searches, an answer about 1,000 words takes 1.5 s and 0.3 GB
# and about 2,000 words 8 s and 0.9 GB (model "en"), mostly for the probabilities of arcs, the cube of the length.
MAX_ASKED = 1_000
JOINING = ("parataxis", "dep")  # the relation of a part to the first one, the first of these that the model has


def choose_candidates(arc: NDArray[np.float64], rules: dict[str, Any], marks: NDArray[np.int32]) -> Candidates:
    """Choose the candidate arcs of a sentence by its arc scores; rules are the options of `decode.candidates`.

    The words in marks, which are not all words, have no dependents.
    In long sentences of a projective model, the probabilities are those of trees whose arcs may cross: with the model
    "en", 1,000 words take 0.2 s so, and 20 s by the sum over projective trees. Arcs of one projective tree are added:
    every word a modifier of the last one before it that may have dependents, or where arcs are decided, the best tree.
    """
    words = len(arc) - 1
    if len(marks):
        arc = arc.copy()
        arc[marks] = -np.inf
    if words <= MAX_SUMMED or not rules["projective"]:
        return decode.candidates(arc, **rules)
    arcs = decode.candidates(arc, **{**rules, "projective": False})
    tree = chain_of_words(words, marks)
    if rules.get("require") or rules.get("forbid"):
        shape = {name: rules[name] for name in ("projective", "root", "require", "forbid")}
        tree = decode.tree(arc, **shape).heads
    return add_candidates(arcs, zip(tree[1:].tolist(), range(1, words + 1), strict=True))


def chain_of_words(words: int, marks: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a projective tree in which every word modifies the last one before it, without dependents of the marks.

    >>> chain_of_words(5, np.array([1, 3], dtype=np.int32)).tolist()
    [-1, 2, 0, 2, 2, 4]
    """
    is_head = np.ones(words + 1, dtype=np.bool_)
    is_head[marks] = False
    first = int(np.flatnonzero(is_head)[1])
    last_head = np.maximum.accumulate(np.where(is_head, np.arange(words + 1), 0))
    tree = np.append(-1, last_head[:-1])
    tree[1:first] = first
    return tree.astype(np.int32)


def add_candidates(arcs: Candidates, added: Iterable[Arc]) -> Candidates:
    """Return the candidate arcs with others added, by modifier."""
    pairs = {*zip(arcs.head.tolist(), arcs.modifier.tolist(), strict=True), *added}
    columns = np.array(sorted(pairs, key=lambda pair: (pair[1], pair[0])), dtype=np.int32)
    return Candidates(columns[:, 0].copy(), columns[:, 1].copy(), arcs.marginal)


def is_long(sentence: Sentence) -> bool:
    """Whether the trees of a sentence are joined from those of its parts."""
    return len(sentence) > MAX_WHOLE


def check_length(sentence: Sentence, limit: int = MAX_WORDS) -> None:
    """Refuse sentences that would take minutes and gigabytes: most likely they are not single sentences."""
    if len(sentence) > limit:
        problem = f"a sentence of {len(sentence):,} words; the parser takes up to {limit:,}"
        raise FormatError(sentence.source, sentence.line, f"{problem}: cut it into sentences, as is done with raw text")


def share_of_part(max_seconds: float | None, parts: int) -> float | None:
    """Return the limit of time of each of so many parts; None: no limit."""
    return None if max_seconds is None else max_seconds / parts


def options_of_part(options: ChosenMethod, parts: int) -> ChosenMethod:
    """Return the options of the search for each of so many parts: a share of max_seconds, and no proof."""
    given = {name: value for name, value in options.items() if name != "proof"}
    if "max_seconds" in options:
        given["max_seconds"] = share_of_part(options["max_seconds"], parts)
    return cast("ChosenMethod", given)


def cut_sentence(sentence: Sentence) -> list[Sentence]:
    """Cut a sentence into parts, with the columns that a parser reads.

    >>> parts = cut_sentence(Sentence.from_words(["a", ","] * 200))
    >>> [len(part) for part in parts], parts[0].forms[-1]
    ([150, 150, 100], ',')
    """
    parts = []
    for begin, end in pairwise(cuts(sentence.forms, MAX_PART)):
        columns = {name: getattr(sentence, name)[begin:end] for name in ("lemmas", "upos", "xpos", "feats")}
        parts.append(Sentence.from_words(sentence.forms[begin:end], **columns, source=sentence.source))
    return parts


def join_parts(parts: Sequence[Parsed], labels: Sequence[str], tags: Sequence[str], top: int = 0) -> Parsed:
    """Join the trees of parts: the roots of the others are attached to the root of the part number `top`.

    `labels` are the relations of the model, tags the UPOS of the words. Nothing is known about such an arc: its
    confidence is 0, and the tree has no certificate.
    """
    trees = [part.parse.heads[1:] for part in parts]
    lengths = [len(tree) for tree in trees]
    begins = np.repeat([0, *np.cumsum(lengths[:-1])], lengths)
    heads = np.concatenate(trees)
    is_of_top = np.repeat(np.arange(len(parts)), lengths) == top
    root = int(np.flatnonzero((heads == 0) & is_of_top)[0]) + 1
    is_joined = (heads == 0) & ~is_of_top
    heads = np.where(heads > 0, heads + begins, 0)
    heads[is_joined] = root
    relations = list(chain.from_iterable(part.labels for part in parts))
    relation = joining_relation(labels) or relations[root - 1]
    for word in np.flatnonzero(is_joined).tolist():
        relations[word] = PUNCTUATION if tags[word] == PUNCTUATION_TAG and PUNCTUATION in labels else relation
    return parts[0]._replace(
        parse=join_parses([part.parse for part in parts], heads),
        labels=relations,
        head_confidence=join_confidence([part.head_confidence for part in parts], is_joined),
        label_confidence=join_confidence([part.label_confidence for part in parts], is_joined),
    )


def joining_relation(labels: Sequence[str]) -> str | None:
    """Return the relation of a part to another one, if it is among the labels of the model."""
    return next((label for label in JOINING if label in labels), None)


def nearest_decided(heads: NDArray[np.int32], decided: Decisions, root: str) -> NDArray[np.int32]:
    """Return the tree with everything that is decided that has most arcs of a joined tree; its arcs may cross.

    Required arcs may link words of different parts. As many as possible of the other words are attached to the joined
    tree's root. root is "single" or "multi".
    """
    top = int(np.flatnonzero(heads == 0)[0])
    arc = np.full((len(heads), len(heads)), -2.0)
    arc[top] = -1.0
    arc[heads[1:], np.arange(1, len(heads))] = 0.0
    return decode.tree(arc, root=root, require=decided.require, forbid=decided.forbid).heads


def with_other_heads(joined: Parsed, heads: NDArray[np.int32], labels: Sequence[str], tags: Sequence[str]) -> Parsed:
    """Return the joined tree with these heads; those that differ have the confidence 0.

    `labels` are the relations of the model, tags the UPOS of the words.
    """
    is_changed, relations = (heads != joined.parse.heads)[1:], list(joined.labels)
    for word in np.flatnonzero(is_changed).tolist():
        if heads[word + 1] == 0 and ROOT in labels:
            relations[word] = ROOT
        elif relations[word] != PUNCTUATION or tags[word] != PUNCTUATION_TAG:
            relations[word] = joining_relation(labels) or relations[word]
    return joined._replace(
        parse=replace(joined.parse, heads=heads),
        labels=relations,
        head_confidence=join_confidence([joined.head_confidence], is_changed),
        label_confidence=join_confidence([joined.label_confidence], is_changed),
    )


def join_parses(parts: Sequence[Parse], heads: NDArray[np.int32]) -> Parse:
    """Return the result for the tree of all parts; no bound on other trees is known."""
    tree = np.append(-1, heads).astype(np.int32)
    score = sum(part.score for part in parts)
    is_pruned = any(part.pruned for part in parts)
    method = parts[0].method
    return Parse(tree, score, math.inf, method, evidence="bound", pruned=is_pruned, parts=len(parts))


def join_confidence(
    parts: Sequence[NDArray[np.float64] | None], is_joined: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Return the confidence of all parts, 0 for what joins them."""
    known = [part for part in parts if part is not None]
    return np.where(is_joined, 0.0, np.concatenate(known)) if known else None

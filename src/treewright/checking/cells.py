"""Level 2: comments and cells by the rules of CoNLL-U and the inventories of Universal Dependencies."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from treewright.checking.block import Block, Row
from treewright.checking.findings import Problem
from treewright.corpus.offsets import join_tokens, surface_tokens
from treewright.guidelines import TAGS, UNIVERSAL_RELATIONS

# universaldependencies.org/format.html, version 2
RELATION = re.compile(r"([a-z]+)(?::[a-z]+)?")
FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")
TOKEN_CELLS = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps")  # empty in multiword tokens
TOKEN_FEATS = ("_", "Typo=Yes")  # a multiword token may be marked as misspelled


def cell_problems(block: Block) -> Iterator[Problem]:
    yield from text_problems(block)
    for row in block.tokens:
        yield from token_problems(row)
    for row in block.empty_nodes:
        if (row.head, row.deprel) != ("_", "_"):
            yield Problem("empty-node", row.line, row.id, "HEAD or DEPREL is filled; expected _")
    for row in block.words:
        if row.upos not in TAGS:
            yield Problem("upos", row.line, row.id, f"UPOS is {row.upos}; expected one of the 17 universal tags")
        yield from relation_problems(row)
    for row in block.rows:
        if row.feats != "_" and row not in block.tokens:
            yield from feature_problems(row)
        if row.misc != "_" and "" in row.misc.split("|"):
            yield Problem("misc", row.line, row.id, f"MISC {row.misc!r} has an empty item")


def sent_id_problems(block: Block, seen: dict[str, int]) -> Iterator[Problem]:
    """Report a sent_id that is missing, repeated or has white space; `seen` has the line of each."""
    sent_id = block.sentence.sent_id
    if sent_id is None:
        yield Problem("sent-id", block.first_line, "", "the sentence has no comment sent_id")
        return
    if re.search(r"\s", sent_id):
        yield Problem("sent-id", block.first_line, "", f"sent_id {sent_id!r} has white space")
    elif sent_id in seen:
        yield Problem("sent-id", block.first_line, "", f"sent_id is also that of the sentence at line {seen[sent_id]}")
    seen.setdefault(sent_id, block.sentence.line)


def text_problems(block: Block) -> Iterator[Problem]:
    """Check the comment text, and SpaceAfter."""
    sentence = block.sentence
    text = sentence.comment("text")
    if text is None:
        yield Problem("text", block.first_line, "", "the sentence has no comment text")
    elif text != (joined := join_tokens(surface_tokens(sentence))):
        place = len(os.path.commonprefix([text, joined]))
        given, made = text[place : place + 15], joined[place : place + 15]
        yield Problem(
            "text", block.first_line, "", f"text has {given!r} at character {place + 1}; the tokens have {made!r}"
        )
    inside = {word for token in sentence.tokens for word in range(token.first, token.last + 1)}
    for row in block.rows:
        for item in row.misc.split("|"):
            name, _, value = item.partition("=")
            if name == "SpaceAfter" and value != "No":
                yield Problem("space-after", row.line, row.id, f"{item}; expected SpaceAfter=No, or none")
            elif name == "SpaceAfter" and row.id.isdecimal() and int(row.id) in inside:
                yield Problem(
                    "space-after", row.line, row.id, "SpaceAfter inside a multiword token; expected on the token"
                )


def token_problems(row: Row) -> Iterator[Problem]:
    """Report cells of a multiword token that must be empty."""
    filled = [name.upper() for name in TOKEN_CELLS if getattr(row, name) != "_"]
    if row.feats in TOKEN_FEATS:
        filled = [name for name in filled if name != "FEATS"]
    if filled:
        yield Problem("multiword-token", row.line, row.id, f"{', '.join(filled)} filled; expected _")


def feature_problems(row: Row) -> Iterator[Problem]:
    """Check that FEATS is a list of Name=Value in order."""
    names: list[str] = []
    for item in row.feats.split("|"):
        match = FEATURE.fullmatch(item)
        if match is None:
            yield Problem("feats", row.line, row.id, f"FEATS has {item!r}; expected Name=Value")
            return
        values = match[2].split(",")
        if values != sorted(set(values), key=str.lower):
            yield Problem("feats", row.line, row.id, f"the values of {item!r} are not sorted, or repeated")
        names.append(match[1])
    if len(set(names)) < len(names):
        yield Problem("feats", row.line, row.id, f"FEATS {row.feats!r} has a name twice")
    elif names != sorted(names, key=str.lower):
        yield Problem("feats", row.line, row.id, f"FEATS {row.feats!r} is not sorted by name")


def relation_problems(row: Row) -> Iterator[Problem]:
    """Report an unknown relation, and root with another head than 0."""
    match = RELATION.fullmatch(row.deprel)
    if row.deprel == "_" and row.head == "_":
        return  # reported as a word without a head
    if match is None or match[1] not in UNIVERSAL_RELATIONS:
        yield Problem("relation", row.line, row.id, f"DEPREL is {row.deprel}; expected a universal relation")
    elif row.head != "_" and (match[1] == "root") != (row.head == "0"):
        yield Problem("root-relation", row.line, row.id, f"HEAD is {row.head} and DEPREL {row.deprel}")

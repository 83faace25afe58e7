"""Level 3: analyses that the guidelines of Universal Dependencies exclude, whatever the language.

These rules read a tree; sentences in which a head is missing, or whose heads run in a circle, are left to level 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from treewright.checking.block import Block
from treewright.checking.findings import Problem
from treewright.corpus.checks import is_acyclic
from treewright.guidelines import LEFT_TO_RIGHT, NOUNS, OBJECT, OUTER, PREDICATE_MARKS, SUBJECTS
from treewright.trees import gap_of


def content_problems(block: Block) -> Iterator[Problem]:
    heads = block.sentence.head_numbers()
    if -1 in heads or not is_acyclic(heads):
        return
    relations = ["", *(row.deprel.partition(":")[0] for row in block.words)]
    for head in range(1, len(block.heads)):
        yield from argument_problems(block, head, relations)
    yield from punctuation_problems(block, relations)
    for word, row in enumerate(block.words, start=1):
        if relations[word] in LEFT_TO_RIGHT and block.heads[word] > word:
            yield Problem("direction", row.line, row.id, f"{row.deprel} of {block.heads[word]}, which is on its right")
    yield from contradictions(block)


def argument_problems(block: Block, head: int, relations: list[str]) -> Iterator[Problem]:
    """Check subjects and objects of one head."""
    row = block.row(head)
    below = block.children[head]
    subjects = [word for word in below if relations[word] in SUBJECTS and not block.row(word).deprel.endswith(OUTER)]
    objects = [word for word in below if relations[word] == OBJECT]
    if len(subjects) > 1:
        yield Problem("two-subjects", row.line, row.id, f"{list_words(block, subjects)}; expected at most one subject")
    if len(objects) > 1:
        yield Problem("two-objects", row.line, row.id, f"{list_words(block, objects)}; expected at most one obj")
    is_predicate = any(relations[word] in PREDICATE_MARKS for word in below)
    if objects and row.upos in NOUNS and not is_predicate:
        yield Problem("object-of-noun", row.line, row.id, f"{row.upos} with {list_words(block, objects)}")


def list_words(block: Block, words: list[int]) -> str:
    """Return words as relation, number and form."""
    return ", ".join(f"{block.row(word).deprel} {word} {block.row(word).form}" for word in words)


def punctuation_problems(block: Block, relations: list[str]) -> Iterator[Problem]:
    """Check tag, dependents and attachment of punctuation."""
    for word, row in enumerate(block.words, start=1):
        is_punct = relations[word] == "punct"
        if is_punct != (row.upos == "PUNCT") and block.heads[word] != 0:
            yield Problem("punct-tag", row.line, row.id, f"{row.upos} with the relation {row.deprel}")
        if not is_punct:
            continue
        below = [child for child in block.children[word] if relations[child] != "punct"]
        if below:
            yield Problem("punct-dependents", row.line, row.id, f"punctuation with {list_words(block, below)}")
        gap = gap_of(block.heads, word)
        if gap:
            inner = f"{gap[0]} {block.row(gap[0]).form}"
            reason = f"the arc from {block.heads[word]} passes over {inner}, which is not below it"
            yield Problem("punct-crossing", row.line, row.id, reason)
    for word in range(1, len(block.heads)):
        gap = [] if relations[word] == "punct" else gap_of(block.heads, word)
        if gap and all(relations[inner] == "punct" for inner in gap):
            mark = block.row(gap[0])
            reason = f"it is inside the arc from {block.heads[word]} to {word}, but not below its head"
            yield Problem("punct-crossing", mark.line, mark.id, reason)


def contradictions(block: Block) -> Iterator[Problem]:
    """Report words whose head of the tree is missing in DEPS, where the guidelines give no reason for it.

    Reasons are relative clauses (ref), and empty nodes that take the place of the head or of an orphan.
    """
    if block.empty_nodes or any(":ref" in row.deps for row in block.words):
        return
    for row in block.words:
        if row.deps != "_" and row.head not in [edge.partition(":")[0] for edge in row.deps.split("|")]:
            yield Problem("deps-head", row.line, row.id, f"HEAD is {row.head}, but DEPS is {row.deps}")

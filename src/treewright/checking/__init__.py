"""What is invalid, or almost never occurs, in a treebank: rules with a name, a level and a place.

>>> from treewright.corpus import Sentence
>>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 1], deprels=["nsubj", "root"])
>>> [finding.rule for finding in check([sentence], ignore=["sent-id", "text"])]
['cycle', 'roots', 'root-relation']
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, pairwise
from typing import IO, Any

from treewright.checking.block import Block
from treewright.checking.cells import cell_problems, sent_id_problems
from treewright.checking.content import content_problems
from treewright.checking.counts import Counts, count_problems
from treewright.checking.findings import LEVELS, RULES, Finding, Problem
from treewright.checking.layout import layout_problems
from treewright.checking.structure import graph_problems, tree_problems
from treewright.corpus import Reader, Sentence, read
from treewright.corpus.checks import check_iterable
from treewright.errors import FormatError, InputError

__all__ = ["RULES", "Counts", "Finding", "check"]

Source = str | os.PathLike[str] | IO[Any] | Iterable[Sentence]


def check(
    sentences: Source, *, against: Source | Counts | None = None, level: int = 4, ignore: Collection[str] = ()
) -> list[Finding]:
    """List what is invalid or almost never occurs in a treebank, whose sentences are a CoNLL-U file or sentences.

    level: 1 checks the text of the file, 2 also cells, trees and graphs by the rules of Universal Dependencies, 3 also
    analyses that the guidelines exclude, 4 also what never or hardly ever occurs in `against`, another treebank, if it
    is given. ignore has names of rules (`RULES`) that are left out.

    >>> check("sample.conllu")
    []
    """
    return list(findings(sentences, against=against, level=level, ignore=ignore))


def findings(
    sentences: Source, *, against: Source | Counts | None = None, level: int = 4, ignore: Collection[str] = ()
) -> Iterator[Finding]:
    """Yield the findings of `check` one by one, as the sentences are read."""
    if level not in LEVELS:
        raise InputError(f"level is {level!r}; expected one of {', '.join(map(str, LEVELS))}")
    check_iterable(ignore, "a list of names of rules", "ignore")
    for name in ignore:
        if name not in RULES:
            raise InputError(f"ignore has {name!r}; the rules are {', '.join(RULES)}")
    counts = against if against is None or isinstance(against, Counts) else Counts.of(open_source(against, "against"))
    source = open_source(sentences, "sentences", on_error="skip")
    return _findings(source, counts if level >= 4 else None, level, frozenset(ignore))


def open_source(source: Source, name: str, on_error: str = "raise") -> Iterable[Sentence]:
    """Return a reader of a file, or the sentences."""
    if isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        return read(source, on_error=on_error)  # type: ignore[arg-type]
    if isinstance(source, Sentence):
        raise InputError(f"{name} is one sentence; expected a list of sentences")
    check_iterable(source, "a path, an open file, or sentences", name)
    return source


def _findings(
    source: Iterable[Sentence], counts: Counts | None, level: int, ignore: frozenset[str]
) -> Iterator[Finding]:
    reader = source if isinstance(source, Reader) else None
    seen: dict[str, int] = {}
    errors = 0  # of those that the reader has left out
    for number, (sentence, is_last) in enumerate(with_last(source)):
        if reader and "format" not in ignore:
            yield from map(finding_of_error, reader.errors[errors:])
            errors = len(reader.errors)
        if sentence is None:
            break
        if sentence.layout.format != "conllu":
            raise InputError(f"{sentence.place}: the format is {sentence.layout.format}; expected conllu")
        block = Block(sentence)
        ends = (number == 0, is_last) if reader else (False, False)
        problems = problems_of(block, seen, counts, level, *ends)
        for problem in sorted(problems, key=lambda problem: problem.line):
            if problem.rule not in ignore:
                yield finding_of(problem, block)
    if reader and "format" not in ignore and reader.skipped > errors:
        reason = f"{reader.skipped - errors} more sentences cannot be read"
        yield Finding("format", 1, reader.name, 0, None, None, None, reason)


def finding_of(problem: Problem, block: Block) -> Finding:
    """Return a problem with its place."""
    form = next((row.form for row in block.rows if row.id == problem.word), None)
    level = RULES[problem.rule].level
    sentence = block.sentence
    place = (sentence.source, problem.line, sentence.sent_id, problem.word or None)
    return Finding(problem.rule, level, *place, form, problem.reason, problem.count)


def finding_of_error(error: FormatError) -> Finding:
    """Return the finding for a sentence that cannot be read."""
    return Finding("format", RULES["format"].level, error.source, error.line, None, None, None, error.problem)


def with_last(sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence | None, bool]]:
    """Yield each sentence, and whether it is the last; at the end None."""
    for sentence, following in pairwise(chain(sentences, (None, None))):
        yield sentence, following is None


def problems_of(
    block: Block, seen: dict[str, int], counts: Counts | None, level: int, is_first: bool, is_last: bool
) -> Iterator[Problem]:
    """Yield the problems of a sentence, by levels."""
    yield from layout_problems(block, is_first, is_last)
    if level >= 2:
        yield from sent_id_problems(block, seen)
        yield from cell_problems(block)
        yield from tree_problems(block)
        yield from graph_problems(block)
    if level >= 3:
        yield from content_problems(block)
    if counts is not None:
        yield from count_problems(block, counts)

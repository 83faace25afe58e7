"""Level 2: the tree and the enhanced graph."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treewright.checking.block import Block, Row
from treewright.checking.findings import Problem
from treewright.corpus.checks import problem_of_heads
from treewright.guidelines import UNIVERSAL_RELATIONS

EDGE = re.compile(r"(0|[1-9][0-9]*(?:\.[1-9][0-9]*)?|0\.[1-9][0-9]*):([a-z]+)((?::[^\s:|A-Z0-9]+)*)")

Edge = tuple[str, str]  # the ID of the head, the relation


def tree_problems(block: Block) -> Iterator[Problem]:
    """Report words without a head, cycles, and several roots or none."""
    heads = block.sentence.head_numbers()
    for number, head in enumerate(heads, start=1):
        if head < 0:
            yield Problem("head", block.row(number).line, str(number), "HEAD is _; expected a number")
    if problem := problem_of_heads(heads, "partial"):
        row, reason = block.words[problem.word], problem.reason.partition(";")[0]
        yield Problem("cycle", row.line, str(problem.word + 1), reason)
    roots = [number for number, head in enumerate(heads, start=1) if head == 0]
    if len(roots) > 1:
        numbers = ", ".join(map(str, roots))
        yield Problem("roots", block.row(roots[1]).line, str(roots[1]), f"{len(roots)} roots: {numbers}; expected one")
    if not roots and -1 not in heads:
        yield Problem("roots", block.first_line, "", "no word is attached to the root")


def graph_problems(block: Block) -> Iterator[Problem]:
    """Check DEPS: its format, missing entries, roots, and nodes that cannot be reached."""
    nodes = [row for row in block.rows if "-" not in row.id]
    with_deps = [row for row in nodes if row.deps != "_"]
    if not with_deps:
        return
    for row in nodes:
        if row.deps == "_":
            yield Problem("deps-missing", row.line, row.id, "DEPS is _, but other nodes of the sentence have it")
    edges: dict[str, list[Edge]] = {}
    known = {"0", *(row.id for row in nodes)}
    bad = False
    for row in with_deps:
        edges[row.id], problems = edges_of(row, known)
        bad = bad or bool(problems)
        yield from problems
    if not bad and len(with_deps) == len(nodes):
        yield from unreachable(nodes, edges)


def edges_of(row: Row, known: set[str]) -> tuple[list[Edge], list[Problem]]:
    """Return the edges of a DEPS cell, and what is wrong with it."""
    edges: list[Edge] = []
    problems: list[Problem] = []

    def report(rule: str, reason: str) -> None:
        problems.append(Problem(rule, row.line, row.id, reason))

    for item in row.deps.split("|"):
        match = EDGE.fullmatch(item)
        if match is None or match[1] not in known or match[2] not in UNIVERSAL_RELATIONS | {"ref"}:
            report("deps-format", f"DEPS has {item!r}; expected a node and a relation: 4:nsubj")
            continue
        if match[1] == row.id:
            report("deps-format", f"DEPS has {item!r}, an edge from the node to itself")
        if (match[1] == "0") != (item.partition(":")[2] == "root"):
            report("deps-root", f"DEPS has {item!r}; expected root for 0 and for nothing else")
        edges.append((match[1], match[2] + match[3]))
    keys = [(node_number(head), relation) for head, relation in edges]
    if len(set(keys)) < len(keys):
        report("deps-format", f"DEPS {row.deps!r} has an edge twice")
    elif [head for head, _ in keys] != sorted(head for head, _ in keys):
        report("deps-format", f"DEPS {row.deps!r} is not sorted by head")
    return edges, problems


def node_number(id_: str) -> tuple[int, int]:
    """Return the ID of a node as numbers, to sort by."""
    word, _, part = id_.partition(".")
    return int(word), int(part or 0)


def unreachable(nodes: list[Row], edges: dict[str, list[Edge]]) -> Iterator[Problem]:
    """Report the nodes that no path from the root reaches."""
    below: dict[str, list[str]] = {}
    for row in nodes:
        for head, _ in edges[row.id]:
            below.setdefault(head, []).append(row.id)
    reached, waiting = {"0"}, ["0"]
    while waiting:
        for node in below.get(waiting.pop(), ()):
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    lost = [row for row in nodes if row.id not in reached]
    if lost:
        names = ", ".join(row.id for row in lost)
        yield Problem("deps-reach", lost[0].line, lost[0].id, f"not reachable from the root in DEPS: {names}")

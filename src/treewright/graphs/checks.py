"""Checks of the graphs that people wrote: errors name file and line."""

from __future__ import annotations

from collections.abc import Iterable

from treewright.corpus import Sentence
from treewright.corpus.sentence import line_of
from treewright.errors import FormatError

Edge = tuple[int, int]  # head, modifier


def has_graph(sentence: Sentence) -> bool:
    """Return whether DEPS of some word is not empty."""
    return any(cell not in ("_", "") for cell in sentence.deps)


def check_graph(sentence: Sentence) -> None:
    """Raise a FormatError unless DEPS is a graph: each word has an edge, no edge is there twice, the root reaches all.

    Two edges between the same words are allowed if their labels differ. Empty nodes count as nodes.
    """
    seen = set()
    for edge in sentence.graph:
        if edge in seen:
            raise error_at(sentence, edge.modifier, f"DEPS has {edge.head}:{edge.label} twice; expected it once")
        if edge.head == edge.modifier:
            raise error_at(sentence, edge.modifier, f"DEPS has {edge.head}:{edge.label}: a word is not its own head")
        seen.add(edge)
    with_edges = {edge.modifier for edge in seen}
    for word in range(1, len(sentence) + 1):
        if word not in with_edges:
            raise error_at(sentence, word, "DEPS is empty, but that of other words is not; expected an edge")
    reached = reached_from_root((edge.head, edge.modifier) for edge in seen)
    for word in range(1, len(sentence) + 1):
        if word not in reached:
            raise error_at(sentence, word, "no path of edges in DEPS leads from the root to the word")


def check_decided(sentence: Sentence, *, acyclic: bool, keep_tree: bool) -> None:
    """Raise a FormatError if the graph that people wrote, perhaps for a few words, is none that a model can have."""
    heads = sentence.heads.tolist()
    edges: list[Edge] = [(head, word) for word, head in enumerate(heads, 1) if head >= 0]
    seen = set()
    for edge in sentence.graph:
        if edge in seen or edge.head == edge.modifier:
            raise error_at(sentence, edge.modifier, f"DEPS has {edge.head}:{edge.label} twice, or below itself")
        seen.add(edge)
        if isinstance(edge.head, int) and isinstance(edge.modifier, int):
            edges.append((edge.head, edge.modifier))
    if keep_tree:
        for word, given in sorted(heads_given(sentence).items()):
            if heads[word - 1] >= 0 and heads[word - 1] not in given:
                raise missing_arc_error(sentence, word)
    if acyclic and (cycle := find_cycle(len(sentence) + 1, edges)):
        raise cycle_error(sentence, cycle)


def heads_given(sentence: Sentence) -> dict[int, set[int]]:
    """Return the heads in DEPS of each word that has edges there, but of none with an edge from an empty node."""
    heads_of: dict[int, set[int]] = {}
    below_empty = set()
    for edge in sentence.graph:
        if isinstance(edge.modifier, int) and isinstance(edge.head, int):
            heads_of.setdefault(edge.modifier, set()).add(edge.head)
        else:
            below_empty.add(edge.modifier)
    return {word: heads for word, heads in heads_of.items() if word not in below_empty}


def reached_from_root(edges: Iterable[tuple[int | str, int | str]]) -> set[int | str]:
    """Return the nodes that edges lead to from node 0."""
    below: dict[int | str, list[int | str]] = {}
    for head, modifier in edges:
        below.setdefault(head, []).append(modifier)
    reached: set[int | str] = {0}
    waiting: list[int | str] = [0]
    while waiting:
        for node in below.get(waiting.pop(), ()):
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    return reached


def find_cycle(nodes: int, edges: Iterable[Edge]) -> list[int]:
    """Return the words of a cycle from head to modifier, or none.

    >>> find_cycle(4, [(0, 1), (1, 2), (2, 3), (3, 2)]), find_cycle(3, [(0, 1), (1, 2)])
    ([2, 3], [])
    """
    above: list[list[int]] = [[] for _ in range(nodes)]
    below: list[list[int]] = [[] for _ in range(nodes)]
    for head, modifier in edges:
        above[modifier].append(head)
        below[head].append(modifier)
    waiting = [len(heads) for heads in above]
    free = [node for node in range(nodes) if not waiting[node]]
    left = set(range(nodes))
    while free:
        node = free.pop()
        left.discard(node)
        for modifier in below[node]:
            waiting[modifier] -= 1
            if not waiting[modifier]:
                free.append(modifier)
    if not left:
        return []
    node = min(left)
    walked: list[int] = []
    while node not in walked:
        walked.append(node)
        node = next(head for head in above[node] if head in left)
    cycle = walked[walked.index(node) :][::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def cycle_error(sentence: Sentence, cycle: list[int]) -> FormatError:
    """Return the error for edges that form a cycle."""
    path = " -> ".join(map(str, [*cycle, cycle[0]]))
    return error_at(sentence, cycle[0], f"the edges in DEPS form a cycle: {path}; expected a graph without cycles")


def missing_arc_error(sentence: Sentence, word: int) -> FormatError:
    """Return the error for a graph without an arc of the tree."""
    head = int(sentence.heads[word - 1])
    return error_at(sentence, word, f"HEAD is {head}, but DEPS has no edge from {head}; expected every arc of the tree")


def error_at(sentence: Sentence, node: int | str, problem: str) -> FormatError:
    """Return an error that names the line of a word, or of the sentence for an empty node."""
    line = line_of(sentence, node) if isinstance(node, int) else sentence.line
    return FormatError(sentence.source, line, problem)

"""Requests and matches: what users call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from treewright.checks import describe_value
from treewright.corpus import Edge, Sentence, Word
from treewright.corpus.document import checked_sentences
from treewright.corpus.graph import Id
from treewright.corpus.sentence import line_of
from treewright.errors import InputError
from treewright.query.graph import Graph, edge_value
from treewright.query.matching import MAX_STEPS, Assignment, CompiledRequest
from treewright.query.parser import EDGE_ATTRIBUTES, parse_request
from treewright.query.syntax import RequestTree


@dataclass(frozen=True)
class Match:
    """A matching: the nodes and edges of a sentence that the names of a request stand for.

    sentence: where it was found. nodes: the number of each node by name; 0 is the root, "8.1" an empty node. edges: the
    edges with a name. arcs: all edges that the pattern asks for, with a name or not. Labels of enhanced edges begin
    with E:.
    """

    sentence: Sentence
    nodes: dict[str, Id]
    edges: dict[str, Edge]
    arcs: tuple[Edge, ...]
    _graph: Graph = field(repr=False, compare=False)
    _indexes: dict[str, int] = field(repr=False, compare=False)

    @property
    def words(self) -> dict[str, Word]:
        """The words by name; names that stand for the root or an empty node are left out."""
        return {name: Word(self.sentence, id) for name, id in self.nodes.items() if isinstance(id, int) and id > 0}

    def value(self, attribute: str) -> str | None:
        """Return what an attribute such as `V.lemma` or `e.label` has here; None if the feature is missing.

        >>> sentence = Sentence.from_words(["It", "rains"], lemmas=["it", "rain"], heads=[2, 0])
        >>> [match.value("V.lemma") for match in compile("V -> S; S << V").search([sentence])]
        ['rain']
        """
        owner, _, name = attribute.partition(".")
        if owner in self.edges:
            return edge_value(self.edges[owner], name)
        if owner not in self._indexes:
            raise unknown_name(attribute, [*self._indexes, *self.edges])
        return self._graph.feature(name)[self._indexes[owner]]

    @property
    def line(self) -> int:
        """The line, in the file, of the first word of the matching, or of the sentence if there is none."""
        numbers = [word.id for word in self.words.values()]
        return line_of(self.sentence, min(numbers)) if numbers else self.sentence.line

    @property
    def marks(self) -> list[Id | tuple[Id, Id]]:
        """The nodes and the edges (head, modifier), as the option `marks` of `treewright.draw` takes them."""
        return [*self.nodes.values(), *((edge.head, edge.modifier) for edge in self.arcs)]


class Request:
    """A compiled request. `compile` makes one; it can be used for any number of sentences, by several threads."""

    def __init__(self, tree: RequestTree, text: str = "") -> None:
        self.text = text
        self._compiled = CompiledRequest(tree)

    def search(self, sentences: Iterable[Sentence] | Sentence, *, max_steps: int = MAX_STEPS) -> Iterator[Match]:
        """Yield the matches in sentences, in order.

        max_steps: nodes that may be tried in one sentence. A request that needs more raises a BudgetError that names
        the sentence.

        >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
        >>> for match in compile("pattern { V [upos=VERB]; V -> S }").search([sentence]):
        ...     print(match.words, match.nodes)
        {'V': <Word 2: bark>, 'S': <Word 1: Dogs>} {'V': 2, 'S': 1}
        """
        for sentence in [sentences] if isinstance(sentences, Sentence) else checked_sentences(sentences):
            for assignment in self._assignments(sentence, max_steps):
                yield self._match(assignment)

    def count(self, sentences: Iterable[Sentence] | Sentence, *, max_steps: int = MAX_STEPS) -> int:
        """Return the number of matches in sentences; max_steps as in `search`."""
        given = [sentences] if isinstance(sentences, Sentence) else checked_sentences(sentences)
        return sum(1 for sentence in given for _ in self._assignments(sentence, max_steps))

    def has_match(self, sentence: Sentence, *, max_steps: int = MAX_STEPS) -> bool:
        """Return whether a sentence has a match; max_steps as in `search`."""
        return any(True for _ in self._assignments(sentence, max_steps))

    def check_attribute(self, attribute: str) -> None:
        """Raise an InputError unless an attribute such as `V.lemma` belongs to a node or an edge of the pattern."""
        owner, dot, name = attribute.partition(".")
        names = [*self.names, *self.edge_names]
        if not dot or not name:
            raise InputError(
                f"{attribute!r}: expected the name of a node or edge, a dot and a feature: V.lemma, e.label"
            )
        if owner in self.edge_names and name not in EDGE_ATTRIBUTES:
            raise InputError(f"{attribute}: an edge has no {name}, only {', '.join(EDGE_ATTRIBUTES)}")
        if owner not in names:
            raise unknown_name(attribute, names)

    @property
    def names(self) -> list[str]:
        """The names of the nodes of the pattern, in the order of the request."""
        return list(self._compiled.pattern.node_names)

    @property
    def edge_names(self) -> list[str]:
        """The names of the edges of the pattern, in the order of the request."""
        return list(self._compiled.pattern.edge_names)

    @property
    def is_enhanced(self) -> bool:
        """Whether the request asks for edges of the enhanced graph."""
        return self._compiled.is_enhanced

    def _assignments(self, sentence: Sentence, max_steps: int) -> Iterator[Assignment]:
        return self._compiled.search(Graph(sentence, is_enhanced=self._compiled.is_enhanced), max_steps)

    def _match(self, state: Assignment) -> Match:
        graph, pattern = state.graph, self._compiled.pattern
        arcs = dict.fromkeys(
            graph.edge(*edge)
            for test in pattern.edge_tests
            for edge in ([state.edges[test.clause.edge]] if test.clause.edge else test.edges(state))
        )
        indexes = {name: state.nodes[name] for name in pattern.node_names}
        return Match(
            graph.sentence,
            {name: graph.id_of(node) for name, node in indexes.items()},
            {name: graph.edge(*state.edges[name]) for name in pattern.edge_names},
            tuple(arcs),
            graph,
            indexes,
        )

    def __repr__(self) -> str:
        return f"<Request: {' '.join(self.text.split())}>"


def unknown_name(attribute: str, names: list[str]) -> InputError:
    """Return the error for an attribute of a name that the pattern does not have."""
    owner = attribute.partition(".")[0]
    return InputError(f"{attribute}: the pattern has no {owner}, only {', '.join(names) or 'no names'}")


def compile(text: str, *, source: str = "request") -> Request:
    """Compile a request in the language of docs/searching.md; messages about its text call it `source`.

    >>> compile("pattern { V -[nsubj-> S }")
    Traceback (most recent call last):
    ...
    treewright.errors.RequestError: request:1:20: '->'; expected ']->' after the label
      pattern { V -[nsubj-> S }
                         ^
    """
    if not isinstance(text, str):
        raise TypeError(f"text is {describe_value(text)}; expected the text of a request")
    return Request(parse_request(text, source), text)

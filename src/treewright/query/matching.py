"""Find all assignments of nodes and edges to the names of a request: backtracking with indexes per sentence.

The conditions on single nodes, and the labels of the edges into them, give a list of candidates for each name; a
sentence in which one list is empty is left at once. The name with the fewest candidates comes first. Every further name
is reached through an edge from a name that has a node already, if there is such an edge, and a condition on several
names is checked as soon as all of them have nodes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from treewright.errors import BudgetError
from treewright.query.graph import Graph, Node, edge_value
from treewright.query.parser import edge_names, node_names
from treewright.query.syntax import (
    Attribute,
    Clause,
    Comparison,
    Condition,
    Distance,
    EdgeClause,
    Memo,
    NodeClause,
    Relation,
    RequestTree,
    Values,
)

MAX_STEPS = 1_000_000  # nodes tried in one sentence, about two seconds; not tuned

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

FoundEdge = tuple[Node, Node, str]  # head, modifier, label


class Assignment:
    """Nodes and edges by name, while a sentence is searched; `steps` counts down."""

    __slots__ = ("candidates", "edges", "graph", "max_steps", "nodes", "steps")

    def __init__(self, graph: Graph, max_steps: int) -> None:
        self.graph, self.steps, self.max_steps = graph, max_steps, max_steps
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, FoundEdge] = {}
        self.candidates: dict[tuple[Matcher, str], Sequence[Node]] = {}

    def step(self) -> None:
        """Count a node that is tried, and raise a BudgetError if there were too many."""
        self.steps -= 1
        if self.steps < 0:
            remedy = "link the nodes by edges or order (X -> Y, X < Y), or raise max_steps"
            raise BudgetError(
                f"{self.graph.sentence.place}: the request needs more than {self.max_steps} steps in this sentence "
                f"of {self.graph.words} words; {remedy}"
            )


Check = Callable[[Assignment], bool]


@dataclass(frozen=True)
class PendingCheck:
    """A check and the names that must have a node or an edge before it."""

    names: frozenset[str]
    check: Check


@dataclass(frozen=True)
class EdgeTest:
    """An edge clause with the results of its label test by label."""

    clause: EdgeClause
    memo: Memo

    def edges(self, state: Assignment) -> list[FoundEdge]:
        """Return the edges of the sentence that the clause accepts, its ends having nodes."""
        graph, memo = state.graph, self.memo
        head = None if self.clause.head is None else state.nodes[self.clause.head]
        if self.clause.modifier is not None:
            modifiers: Sequence[Node] = [state.nodes[self.clause.modifier]]
        elif head is not None:
            modifiers = graph.modifiers_of(head)
        else:
            modifiers = range(graph.size)
        return [
            (source, modifier, label)
            for modifier in modifiers
            for source, label in graph.incoming(modifier)
            if (head is None or source == head) and memo[label]
        ]

    def has_edge(self, state: Assignment) -> bool:
        """Return whether the sentence has an edge that the clause accepts."""
        clause, graph = self.clause, state.graph
        if clause.head is None or clause.modifier is None or graph.is_enhanced:
            return bool(self.edges(state))
        modifier = state.nodes[clause.modifier]
        return graph.heads[modifier] == state.nodes[clause.head] and self.memo[graph.labels[modifier]]


@dataclass(frozen=True)
class Link:
    """A way from a node that is known to the candidates for another name; links of lower rank have fewer of them."""

    rank: int
    source: str
    target: str
    reach: Callable[[Graph, Node], Sequence[Node]]


@dataclass(frozen=True)
class Step:
    """The next name to be given a node or an edge, how to find candidates, and what can be checked then."""

    name: str
    edge: EdgeTest | None  # for the name of an edge
    link: Link | None  # from a name that has a node already; else all candidates are tried
    checks: tuple[Check, ...]


class Matcher:
    """Compiled clauses. outer_nodes, outer_edges: names of the pattern, which a filter finds in the assignment."""

    def __init__(
        self, clauses: tuple[Clause, ...], outer_nodes: Sequence[str] = (), outer_edges: Sequence[str] = ()
    ) -> None:
        self.edge_names = edge_names(clauses)
        all_edges = {*outer_edges, *self.edge_names}
        self.node_names = [name for name in node_names(clauses, all_edges) if name not in outer_nodes]
        self._outer = frozenset((*outer_nodes, *outer_edges))
        self._node_tests: dict[str, list[list[list[tuple[str, Memo]]]]] = {}
        self._label_tests: dict[str, list[Memo]] = {}
        self.edge_tests: list[EdgeTest] = []
        self._conditions: list[PendingCheck] = []
        self._links: list[Link] = []
        for clause in clauses:
            self._add(clause, all_edges)
        self._plans: dict[str | None, tuple[Step, ...]] = {}
        self._first_checks = tuple(part.check for part in self._conditions if part.names <= self._outer)

    def _add(self, clause: Clause, edges: set[str]) -> None:
        match clause:
            case NodeClause(name=name, alternatives=alternatives):
                tests = [[(test.name, test.memo()) for test in tests] for tests in alternatives]
                self._node_tests.setdefault(name, []).append(tests)
            case EdgeClause(head=head, modifier=modifier, label=label):
                test = EdgeTest(clause, Memo(label.accept))
                self.edge_tests.append(test)
                if clause.edge is None:
                    self._check_when(ends_of(clause), test.has_edge)
                if modifier is not None and not label.on_enhanced:
                    self._label_tests.setdefault(modifier, []).append(test.memo)
                if head is not None and modifier is not None:
                    self._links += [
                        Link(0, modifier, head, Graph.heads_of),
                        Link(1, head, modifier, Graph.modifiers_of),
                    ]
            case Relation(left, "<" | "<<" as sign, right):
                self._check_when({left, right}, precedence(left, right, sign == "<", edges))
                if sign == "<":
                    self._links += [Link(0, left, right, word_after), Link(0, right, left, word_before)]
            case Relation(left, "><", right):
                self._check_when({left, right}, crossing(left, right))
            case Relation(head, "->>", modifier):
                self._check_when({head, modifier}, dominance(head, modifier))
                self._links.append(Link(2, head, modifier, Graph.descendants))
            case Comparison(left=left, right=right):
                self._check_when({*names_of(left), *names_of(right)}, comparison(clause, edges))
            case Condition(left=attribute, is_missing=is_missing):
                self._check_when({attribute.owner}, presence(attribute, is_missing, edges))

    def _check_when(self, names: set[str], check: Check) -> None:
        self._conditions.append(PendingCheck(frozenset(names), check))

    # -- one sentence

    def search(self, state: Assignment) -> Iterator[None]:
        """Yield once for every assignment that meets all clauses; the assignment is in `state` then."""
        if not all(check(state) for check in self._first_checks) or not self._outer_fits(state):
            return
        candidates: dict[str, Sequence[Node]] = {}
        for name in self.node_names:
            nodes = state.candidates.get((self, name))
            if nodes is None:
                nodes = state.candidates[self, name] = self._candidates(name, state.graph)
            if not nodes:
                return
            candidates[name] = nodes
        is_linked = any(link.source in self._outer and link.target in candidates for link in self._links)
        start = None if is_linked else min(candidates, key=lambda name: len(candidates[name]), default=None)
        yield from self._extend(state, self._plan(start), 0, candidates)

    def _extend(
        self, state: Assignment, steps: tuple[Step, ...], number: int, candidates: dict[str, Sequence[Node]]
    ) -> Iterator[None]:
        """Yield once for every way to take the steps from a number on."""
        if number == len(steps):
            yield
            return
        step = steps[number]
        choices = self._edges(state, step) if step.edge is not None else self._nodes(state, step, candidates[step.name])
        for _ in choices:
            for check in step.checks:
                if not check(state):
                    break
            else:
                if number + 1 == len(steps):
                    yield
                else:
                    yield from self._extend(state, steps, number + 1, candidates)

    def _edges(self, state: Assignment, step: Step) -> Iterator[None]:
        """Yield once for every edge that the name of a step can stand for."""
        assert step.edge is not None
        for edge in step.edge.edges(state):
            state.step()
            state.edges[step.name] = edge
            yield
        state.edges.pop(step.name, None)

    def _nodes(self, state: Assignment, step: Step, nodes: Sequence[Node]) -> Iterator[None]:
        """Yield once for every node that the name of a step can stand for; without `$`, nodes of others are taken."""
        name = step.name
        if step.link is not None:
            nodes = [node for node in step.link.reach(state.graph, state.nodes[step.link.source]) if node in nodes]
        taken = () if name[-1] == "$" else [node for other, node in state.nodes.items() if other[-1] != "$"]
        for node in nodes:
            state.step()
            if node not in taken:
                state.nodes[name] = node
                yield
        state.nodes.pop(name, None)

    def _candidates(self, name: str, graph: Graph) -> Sequence[Node]:
        """Return the nodes that meet the conditions on this name alone, and have an edge with a label that fits."""
        nodes: list[Node] | None = None
        for memo in self._label_tests.get(name, ()):
            nodes = choose(nodes, graph.labels, memo)
        for alternatives in self._node_tests.get(name, ()):
            nodes = one_of(alternatives, nodes, graph)
        return range(graph.size) if nodes is None else nodes

    def _outer_fits(self, state: Assignment) -> bool:
        """Check the conditions on single nodes that were given nodes before."""
        for name, clauses in self._node_tests.items():
            if name in self._outer:
                for alternatives in clauses:
                    if not one_of(alternatives, [state.nodes[name]], state.graph):
                        return False
        return True

    # -- the order of the names

    def _plan(self, start: str | None) -> tuple[Step, ...]:
        """Return the steps that begin with a name; None: with a name that is linked to an outer one."""
        if start not in self._plans:
            self._plans[start] = tuple(self._make_plan(start))
        return self._plans[start]

    def _make_plan(self, start: str | None) -> Iterator[Step]:
        known = set(self._outer)
        pending = list(self.node_names)
        edges = {test.clause.edge: test for test in self.edge_tests if test.clause.edge is not None}
        while pending or edges:
            edge = next((name for name, test in edges.items() if ends_of(test.clause) <= known), None)
            if edge is not None:
                yield self._step(edge, edges.pop(edge), None, known)
                continue
            links = [link for link in self._links if link.source in known and link.target in pending]
            link = min(links, key=lambda link: link.rank, default=None)
            name = start if start in pending else link.target if link else pending[0]
            pending.remove(name)
            yield self._step(name, None, None if name == start else link, known)

    def _step(self, name: str, edge: EdgeTest | None, link: Link | None, known: set[str]) -> Step:
        """Return the step for a name, with the checks that become possible; the name is known afterwards."""
        before = frozenset(known)
        known.add(name)
        checks = [part.check for part in self._conditions if part.names <= known and not part.names <= before]
        return Step(name, edge, link, tuple(checks))


class CompiledRequest:
    """A request ready to be matched: its pattern, its filters and its conditions on the sentence."""

    def __init__(self, tree: RequestTree) -> None:
        self.tree = tree
        self.pattern = Matcher(tree.pattern)
        nodes, edges = self.pattern.node_names, self.pattern.edge_names
        self._filters = [(Matcher(block.clauses, nodes, edges), block.is_negative) for block in tree.filters]
        self._metadata = [(test, test.memo()) for test in tree.metadata]
        self._has_crossing = has_basic_crossing(tree.pattern)
        clauses = [*tree.pattern, *(clause for block in tree.filters for clause in block.clauses)]
        self.is_enhanced = any(isinstance(clause, EdgeClause) and clause.label.on_enhanced for clause in clauses)

    def search(self, graph: Graph, max_steps: int) -> Iterator[Assignment]:
        """Yield the assignments of a sentence, always the same object, which changes."""
        if not self._fits(graph):
            return
        state = Assignment(graph, max_steps)
        for _ in self.pattern.search(state):
            if all(has_match(matcher, state) != is_negative for matcher, is_negative in self._filters):
                yield state

    def _fits(self, graph: Graph) -> bool:
        """Check the conditions on the whole sentence; edges can cross only where it is not projective."""
        if self._has_crossing and graph.has_flag("projective"):
            return False
        return all(memo[graph.sentence.comment(test.name)] for test, memo in self._metadata) and all(
            graph.has_flag(flag.name) != flag.is_negated for flag in self.tree.flags
        )


def has_basic_crossing(clauses: tuple[Clause, ...]) -> bool:
    """Return whether the clauses ask for two basic edges that cross."""
    basic = {
        clause.edge
        for clause in clauses
        if isinstance(clause, EdgeClause) and clause.edge and not clause.label.on_enhanced
    }
    return any(
        isinstance(clause, Relation) and clause.sign == "><" and {clause.left, clause.right} <= basic
        for clause in clauses
    )


def has_match(matcher: Matcher, state: Assignment) -> bool:
    """Return whether the clauses of a filter can be met with the nodes and edges of the pattern."""
    nodes, edges = dict(state.nodes), dict(state.edges)
    result = any(True for _ in matcher.search(state))
    state.nodes, state.edges = nodes, edges  # the search ends with its first assignment still in place
    return result


def choose(nodes: list[Node] | None, column: Sequence[str | None], memo: Memo) -> list[Node]:
    """Return the nodes whose value passes a test, of the nodes given or of all (None)."""
    if nodes is None:
        return [node for node, value in enumerate(column) if memo[value]]
    return [node for node in nodes if memo[column[node]]]


def one_of(alternatives: list[list[tuple[str, Memo]]], nodes: list[Node] | None, graph: Graph) -> list[Node] | None:
    """Return the nodes that meet one of several lists of tests, of the nodes given or of all (None)."""
    results: list[list[Node]] = []
    for tests in alternatives:
        chosen = nodes
        for name, memo in tests:
            chosen = choose(chosen, graph.feature(name), memo)
        if chosen is None:
            return None
        results.append(chosen)
    return results[0] if len(results) == 1 else sorted({node for chosen in results for node in chosen})


def ends_of(clause: EdgeClause) -> set[str]:
    return {name for name in (clause.head, clause.modifier) if name is not None}


def word_after(graph: Graph, node: Node) -> list[Node]:
    return [node + 1] if node < graph.words else []


def word_before(graph: Graph, node: Node) -> list[Node]:
    return [node - 1] if 0 < node <= graph.words else []


# -- checks


def precedence(left: str, right: str, is_immediate: bool, edges: set[str]) -> Check:
    if left in edges:
        return covered_edge(left, right)
    if right in edges:
        return covered_node(left, right)
    if is_immediate:
        return lambda state: state.nodes[right] in word_after(state.graph, state.nodes[left])
    return lambda state: state.graph.position(state.nodes[left]) < state.graph.position(state.nodes[right])


def covered_node(node: str, edge: str) -> Check:
    """Return the check of `X << e`: X is strictly between the ends of e."""

    def check(state: Assignment) -> bool:
        first, last = span_of(state, edge)
        return first < state.graph.position(state.nodes[node]) < last

    return check


def covered_edge(inner: str, outer: str) -> Check:
    """Return the check of `e1 << e2`: the ends of e1 are within those of e2, and the edges do not span the same."""

    def check(state: Assignment) -> bool:
        (a, b), (c, d) = span_of(state, inner), span_of(state, outer)
        return c <= a and b <= d and (a, b) != (c, d)

    return check


def crossing(left: str, right: str) -> Check:
    def check(state: Assignment) -> bool:
        (a, b), (c, d) = span_of(state, left), span_of(state, right)
        return a < c < b < d or c < a < d < b

    return check


def span_of(state: Assignment, edge: str) -> tuple[float, float]:
    """Return the positions of the left and the right end of an edge."""
    head, modifier, _ = state.edges[edge]
    first, last = sorted((state.graph.position(head), state.graph.position(modifier)))
    return first, last


def dominance(head: str, modifier: str) -> Check:
    return lambda state: state.graph.dominates(state.nodes[head], state.nodes[modifier])


def presence(attribute: Attribute, is_missing: bool, edges: set[str]) -> Check:
    value = value_getter(attribute, edges)
    return lambda state: (value(state) is None) == is_missing


def comparison(clause: Comparison, edges: set[str]) -> Check:
    """Return the check of a comparison. It does not hold where a value is missing, or is no number for < and >."""
    left, right, is_negated = value_getter(clause.left, edges), clause.right, clause.operator == "<>"
    if isinstance(right, Values):
        memo = Memo(lambda value: right.accept(value) != is_negated)
        return lambda state: memo[left(state)]
    compare = OPERATORS[clause.operator]
    if isinstance(right, float):
        return lambda state: (number := as_number(left(state))) is not None and compare(number, right)
    other = value_getter(right, edges)

    def check(state: Assignment) -> bool:
        first, second = left(state), other(state)
        if clause.operator in ("=", "<>"):
            return first is not None and second is not None and (first == second) != is_negated
        numbers = as_number(first), as_number(second)
        return numbers[0] is not None and numbers[1] is not None and compare(numbers[0], numbers[1])

    return check


def value_getter(item: Attribute | Distance, edges: set[str]) -> Callable[[Assignment], str | None]:
    """Return the function that reads a value from an assignment."""
    if isinstance(item, Distance):
        left, right, is_signed = item.left, item.right, item.is_signed

        def distance(state: Assignment) -> str:
            delta = state.graph.position(state.nodes[right]) - state.graph.position(state.nodes[left])
            return str(delta if is_signed else abs(delta))

        return distance
    owner, name = item.owner, item.name
    if owner in edges:
        return lambda state: edge_value(state.graph.edge(*state.edges[owner]), name)
    return lambda state: state.graph.feature(name)[state.nodes[owner]]


def as_number(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


def names_of(item: Attribute | Distance | Values | float) -> list[str]:
    """Return the names of nodes and edges in one side of a comparison."""
    if isinstance(item, Distance):
        return [item.left, item.right]
    return [item.owner] if isinstance(item, Attribute) else []

"""Rewrite sentences by rules.

The rules are tried in their order. A rule is applied to its first matching that changes the sentence, again and again
until none does; after the last rule the first is tried again, until no rule changes anything. A basic edge that is
added, deleted or relabelled changes its counterpart in DEPS too; everything else is written as it was read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from treewright import trees
from treewright.caching import cached_property
from treewright.corpus import Edge, Sentence, Word
from treewright.corpus.confidence import CERTIFICATE, IN_MISC, without_certificate
from treewright.corpus.graph import Id, cells_of_edges
from treewright.corpus.word import Attributes
from treewright.errors import BudgetError, InputError
from treewright.query.graph import COLUMNS, LAYER, Graph, edge_value
from treewright.query.matching import MAX_STEPS
from treewright.query.parser import parse_rules
from treewright.query.request import Match, Request
from treewright.query.syntax import (
    ENHANCED,
    AddEdge,
    Attribute,
    Command,
    DeleteEdge,
    DeleteFeature,
    RuleTree,
    SetValue,
    Shift,
    join_label,
    label_parts,
)

MAX_APPLICATIONS, MAX_PER_WORD = 1000, 10  # of rules in one sentence, and more for each word; not tuned

# Keys that belong to MISC when a rule adds them; other new keys are features. After the MISC page of UD.
MISC_KEYS = (
    *("SpaceAfter", "SpacesAfter", "SpacesBefore", "SpacesInToken", "TokenRange", "Gloss", "MGloss", "MSeg"),
    *("Translit", "LTranslit", "Ref", "Entity", "Lang", "LId", "CorrectForm", "CorrectSpaceAfter", "Cxn"),
)
# Relations whose enhanced labels have a further part: the case marker, the conjunction.
EXTENDED = ("acl", "advcl", "conj", "nmod", "obl")


@dataclass(frozen=True)
class Rewriting:
    """The result for one sentence: the new sentence (the one given if nothing changed), applications by rule."""

    sentence: Sentence
    applied: Counter[str] = field(default_factory=Counter)


class Rules:
    """Compiled rules, to be used for any number of sentences.

    text: the rules. source: how messages about the text call it.

    >>> rules = Rules("rule r { pattern { e: V -[dobj]-> O } commands { e.label = obj } }")
    >>> rules.names
    ['r']
    """

    def __init__(self, text: str, *, source: str = "rules") -> None:
        self._rules = [(tree, Request(tree.request)) for tree in parse_rules(text, source)]

    @property
    def names(self) -> list[str]:
        """The names of the rules, in order."""
        return [tree.name for tree, _ in self._rules]

    def apply(self, sentence: Sentence, *, max_applications: int | None = None) -> Rewriting:
        """Rewrite a sentence until no rule changes it; the sentence itself is not changed.

        max_applications: a sentence that needs more of them raises a BudgetError that names it and the last rule; by
        default 1,000, and ten more for each word.
        """
        limit = MAX_APPLICATIONS + MAX_PER_WORD * len(sentence) if max_applications is None else max_applications
        current, applied = sentence, Counter[str]()
        breaking: str | None = None  # the rule after which the sentence was no longer a tree
        has_changed = True
        while has_changed:
            has_changed = False
            for tree, request in self._rules:
                while (changed := self._apply_once(tree, request, current)) is not None:
                    current, has_changed = changed, True
                    applied[tree.name] += 1
                    if applied.total() > limit:
                        remedy = "add a `without` that ends the rule"
                        raise BudgetError(
                            f"{sentence.place}: rules were applied {limit} times, the last one is "
                            f"{tree.name}, and still change this sentence; {remedy}"
                        )
                    breaking = breaking or tree.name if problem_of_tree(sentence, current) else None
        if breaking is not None:
            problem = problem_of_tree(sentence, current)
            raise InputError(f"{sentence.place}: after rule {breaking} the sentence is not a tree: {problem}")
        return Rewriting(current, applied)

    def _apply_once(self, tree: RuleTree, request: Request, sentence: Sentence) -> Sentence | None:
        """Return the sentence after the first matching that changes it; None if there is none."""
        for match in request.search(sentence, max_steps=MAX_STEPS):
            change = Change(tree.name, match)
            for command in tree.commands:
                change.run(command)
            if (changed := change.result()) is not None:
                return changed
        return None


def rewrite(rules: Rules | str, sentence: Sentence, *, max_applications: int | None = None) -> Rewriting:
    """Rewrite a sentence by rules, given as compiled Rules or as text, until nothing changes.

    sentence: is not changed. max_applications: as in `Rules.apply`.

    >>> sentence = Sentence.from_words(["See", "it"], heads=[0, 1], deprels=["root", "dobj"])
    >>> result = rewrite("rule object { pattern { e: V -[dobj]-> O } commands { e.label = obj } }", sentence)
    >>> result.sentence.deprels, dict(result.applied)
    (['root', 'obj'], {'object': 1})
    """
    compiled = Rules(rules) if isinstance(rules, str) else rules
    return compiled.apply(sentence, max_applications=max_applications)


def problem_of_tree(before: Sentence, after: Sentence) -> str | None:
    """Return what keeps a sentence from being a tree; None if it is one, or if it was none before.

    A sentence that had one word attached to the root must still have one.
    """
    old, new = ([-1, *sentence.head_numbers()] for sentence in (before, after))
    if not trees.is_tree(old):
        return None
    return trees.what_is_wrong(new, "single" if trees.is_tree(old, root="single") else "multi")


class Change:
    """One application of a rule: the edges and cells that its commands change, written into a copy at the end."""

    def __init__(self, rule: str, match: Match) -> None:
        self._rule, self._match = rule, match
        self._sentence = match.sentence.copy()
        self._nodes = dict(match.nodes)
        self._names = dict(match.edges)  # edges by name, as commands leave them; a deleted one is left out
        heads = match.sentence.head_numbers()
        labels = match.sentence.deprels
        self._basic = [
            Edge(head, word, label)
            for word, (head, label) in enumerate(zip(heads, labels, strict=True), start=1)
            if head >= 0
        ]
        self._has_graph = any(cell != "_" for cell in match.sentence.deps)

    @cached_property
    def _graph(self) -> list[Edge]:
        """The enhanced edges as commands leave them; read when a command or a changed basic edge concerns them."""
        return list(self._match.sentence.graph) if self._has_graph else []

    # -- commands

    def run(self, command: Command) -> None:
        """Carry out a command."""
        match command:
            case AddEdge(edge=name, head=head, modifier=modifier, label=label):
                self._add(Edge(self._nodes[head], self._nodes[modifier], label or ""), name)
            case DeleteEdge():
                self._delete(self._named(command))
            case Shift():
                self._shift(command)
            case SetValue(target=target, parts=parts):
                value = "".join(part if isinstance(part, str) else self._value(part) for part in parts)
                self._set(target, value)
            case DeleteFeature(target=target):
                self._set(target, None)

    def _named(self, command: DeleteEdge) -> Edge:
        """Return the edge that a command names or describes."""
        if command.edge is not None:
            if command.edge not in self._names:
                raise self._error(f"the edge {command.edge} was deleted before")
            return self._names[command.edge]
        head, modifier = self._nodes[str(command.head)], self._nodes[str(command.modifier)]
        for edge in self._all_edges():
            if edge[:2] == (head, modifier) and command.label in (None, edge.label):
                return edge
        raise self._error(f"there is no edge {command.head} -[{command.label or ''}]-> {command.modifier} to delete")

    def _all_edges(self) -> list[Edge]:
        """Return the basic edges, then the enhanced ones with E: before their labels."""
        return self._basic + [edge._replace(label=ENHANCED + edge.label) for edge in self._graph]

    def _add(self, edge: Edge, name: str | None = None) -> None:
        if edge.modifier == 0:
            raise self._error("an edge to the root; the root has no head")
        if name is not None:
            self._names[name] = edge
        if edge.label.startswith(ENHANCED):
            self._has_graph = True
            plain = edge._replace(label=edge.label.removeprefix(ENHANCED))
            self._graph += [] if plain in self._graph else [plain]
            return
        if edge not in self._basic:
            self._basic.append(edge)

    def _delete(self, edge: Edge) -> None:
        self._names = {name: other for name, other in self._names.items() if other != edge}
        if edge.label.startswith(ENHANCED):
            self._graph.remove(edge._replace(label=edge.label.removeprefix(ENHANCED)))
            return
        self._basic.remove(edge)

    def _relabel(self, name: str, label: str) -> None:
        old = self._names[name]
        if label == old.label:
            return
        if not label.removeprefix(ENHANCED):
            raise self._error(f"the edge {name} would have no label")
        if label.startswith(ENHANCED) != old.label.startswith(ENHANCED):
            raise self._error(f"{name}.label = {label}: an edge is basic or enhanced; delete it and add another")
        new = old._replace(label=label)
        names = [other for other, edge in self._names.items() if edge == old]
        if label.startswith(ENHANCED):
            plain = [edge._replace(label=edge.label.removeprefix(ENHANCED)) for edge in (old, new)]
            self._graph = [plain[1] if edge == plain[0] else edge for edge in self._graph]
        else:
            self._basic = [new if edge == old else edge for edge in self._basic]
        self._names |= dict.fromkeys(names, new)

    def _shift(self, command: Shift) -> None:
        """Move edges between the source and nodes outside the pattern to the target."""
        source, target = self._nodes[command.source], self._nodes[command.target]
        inside = set(self._nodes.values())
        for edge in self._all_edges():
            moves_in = command.moves_in and edge.modifier == source and edge.head not in inside
            moves_out = command.moves_out and edge.head == source and edge.modifier not in inside
            if (moves_in or moves_out) and edge in self._all_edges() and command.label.accept(edge.label):
                self._delete(edge)
                self._add(edge._replace(modifier=target) if moves_in else edge._replace(head=target))

    # -- values

    def _value(self, attribute: Attribute) -> str:
        if attribute.owner in self._names:
            value = edge_value(self._names[attribute.owner], attribute.name)
        elif attribute.owner in self._nodes:
            graph = Graph(self._sentence, is_enhanced=True)
            node = [graph.id_of(node) for node in range(graph.size)].index(self._nodes[attribute.owner])
            value = graph.feature(attribute.name)[node]
        else:
            raise self._error(f"the edge {attribute.owner} was deleted before")
        if value is None:
            raise self._error(f"{attribute.owner} has no {attribute.name}")
        return value

    def _set(self, target: Attribute, value: str | None) -> None:
        """Set a feature or a label; None removes it."""
        owner, name = target.owner, target.name
        if owner not in self._nodes:
            if owner not in self._names:
                raise self._error(f"the edge {owner} was deleted before")
            self._relabel(owner, self._new_label(owner, name, value))
            return
        word = self._word(owner)
        if name in COLUMNS:
            word.set_cell(COLUMNS[name], value or "_")
            return
        layer = LAYER.fullmatch(name)
        key = f"{layer[1]}[{layer[2]}]" if layer else name
        attributes: Attributes = word.misc if is_in_misc(word, key) else word.feats
        if value is None:
            attributes.pop(key, None)
        else:
            attributes[key] = value

    def _new_label(self, edge: str, part: str, value: str | None) -> str:
        if part == "label":
            return value or ""
        parts = label_parts(self._names[edge].label) | ({part: value} if value else {})
        if value is None:
            parts.pop(part, None)
        if "1" not in parts:
            raise self._error(f"the label of {edge} would have no first part")
        return join_label(parts)

    def _word(self, name: str) -> Word:
        id_ = self._nodes[name]
        if not isinstance(id_, int) or id_ == 0:
            what = "the root" if id_ == 0 else f"the empty node {id_}"
            raise self._error(f"{name} is {what}; features of words can be changed only")
        return Word(self._sentence, id_)

    # -- the result

    def result(self) -> Sentence | None:
        """Return the changed sentence; None if nothing has changed."""
        sentence, before = self._sentence, self._match.sentence
        old = list(zip(before.head_numbers(), before.deprels, strict=True))
        new = [(-1, label if head < 0 else "_") for head, label in old]
        for head, modifier, label in self._basic:
            word = self._number(modifier)
            if new[word - 1][0] >= 0:
                raise self._error(f"word {word} has two heads, {new[word - 1][0]} and {head}; delete the old edge")
            if not label:
                raise self._error(f"the new edge to word {word} has no label")
            new[word - 1] = self._number(head), label
        changed = [word for word, pair in enumerate(new, start=1) if pair != old[word - 1]]
        if changed:
            sentence.heads, sentence.deprels = [head for head, _ in new], [label for _, label in new]
            self._clear_results(changed)
            if self._has_graph:
                self._follow_in_graph(
                    [Edge(old[word - 1][0], word, old[word - 1][1]) for word in changed if old[word - 1][0] >= 0],
                    [Edge(new[word - 1][0], word, new[word - 1][1]) for word in changed if new[word - 1][0] >= 0],
                )
        self._write_graph(before)
        return None if str(sentence) == str(before) else sentence

    def _follow_in_graph(self, old: list[Edge], new: list[Edge]) -> None:
        """Replace the counterparts of old basic edges in the enhanced graph by those of the new ones.

        A new edge takes the rest of the label (the case marker) from the old edge to the same word, or from an old edge
        with the same head and label that was moved to it.
        """
        counterparts = {edge: other for edge in old if (other := self._counterpart(edge)) is not None}
        self._graph = [edge for edge in self._graph if edge not in counterparts.values()]
        for edge in new:
            same_word = [other for other in counterparts if other.modifier == edge.modifier]
            moved = [other for other in counterparts if (other.head, other.label) == (edge.head, edge.label)]
            sources = sorted(same_word + moved, key=lambda other: other.label != edge.label)
            label = edge.label
            if sources:
                label = extended_label(counterparts[sources[0]].label, sources[0].label, edge.label)
            if self._counterpart(edge) is None:
                self._graph.append(edge._replace(label=label))

    def _counterpart(self, edge: Edge) -> Edge | None:
        """Return the enhanced edge that stands for a basic edge: with the same ends, and its label or a longer one."""
        for other in self._graph:
            if other[:2] == edge[:2] and (other.label == edge.label or other.label.startswith(f"{edge.label}:")):
                return other
        return None

    def _clear_results(self, changed: list[int]) -> None:
        """Remove what a parser said about the old tree: the certificate, and the confidence of changed words."""
        sentence = self._sentence
        sentence.parse = None  # type: ignore[assignment]
        sentence.head_confidence = sentence.label_confidence = None
        for word in changed:
            for kind in ("head_confidence", "label_confidence"):
                Word(sentence, word).misc.pop(IN_MISC[kind], None)
        if sentence.comment(CERTIFICATE) is not None:
            sentence.comments = without_certificate(sentence.comments)

    def _write_graph(self, before: Sentence) -> None:
        """Write the DEPS cells of nodes whose enhanced edges have changed; the others stay as they were written."""
        if "_graph" not in vars(self):
            return
        old = cells_of_edges(before.graph)
        new = cells_of_edges(dict.fromkeys(self._graph))
        if old == new:
            return

        def cell(node: Id, written: str) -> str:
            return written if old.get(node) == new.get(node) else new.get(node, "_")

        self._sentence.deps = [cell(word, written) for word, written in enumerate(before.deps, start=1)]
        self._sentence.empty_nodes = [node._replace(deps=cell(node.id, node.deps)) for node in before.empty_nodes]

    def _number(self, node: Id) -> int:
        if not isinstance(node, int):
            raise self._error(f"a basic edge at the empty node {node}; write E: before its label")
        return node

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self._match.sentence.source}:{self._match.line}: rule {self._rule}: {problem}")


def extended_label(enhanced: str, old: str, new: str) -> str:
    """Return the enhanced label after its basic label has changed; a case marker stays where the new label takes one.

    >>> extended_label("nmod:of", "nmod", "obl"), extended_label("obl:with", "obl", "obj")
    ('obl:of', 'obj')
    """
    more = enhanced.removeprefix(old)
    return new + more if new.partition(":")[0] in EXTENDED else new


def is_in_misc(word: Word, key: str) -> bool:
    """Return whether a key belongs to MISC: because it is there, or because new keys of that name do."""
    return key not in word.feats and (key in word.misc or key in MISC_KEYS)

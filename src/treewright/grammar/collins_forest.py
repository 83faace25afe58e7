"""The trees of a sentence of Collins' model 1: the sentence as the chart takes it, and the packed forest of trees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import PIECE_PENALTY, Forest
from treewright.calls import explained_methods
from treewright.corpus import Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar.constraints import checked_adjustment
from treewright.grammar.leaves import check_words, leaf_of
from treewright.grammar.preparation import restore
from treewright.grammar.result import PhraseParse
from treewright.grammar.trees import ROOT

if TYPE_CHECKING:
    from treewright.grammar.collins import Collins

MAX_UNARY = 4  # unary productions in a row; by convention
MAX_SIZE = 4_000_000  # nodes and edges of the forest of a sentence; beyond that the beam is narrowed. By convention
BEAM = 4 * math.log(10)  # nats; as published
WIDENING = math.log(10)  # of the beam when a sentence has no parse, as published
WIDENINGS = 2  # as published

Scores = NDArray[np.float64]
Arc = tuple[int, int]


class Search(NamedTuple):
    """How the forest of a sentence is searched, and what is given up by that."""

    beam: float | None  # nats; None: exact
    comma_rule: bool
    widens: bool  # the beam if there is no tree; not that of long sentences, which bounds time and memory
    given_up: str

    def attempts(self) -> list[tuple[float | None, bool]]:
        """Beams and comma rules, one after the other until there is a tree."""
        found = [(self.beam, self.comma_rule)]
        if self.beam is not None and self.widens:
            found += [(self.beam + WIDENING * k, self.comma_rule) for k in range(1, WIDENINGS + 1)]
        return [*found, (found[-1][0], False)] if self.comma_rule else found

    def notes(self, number: int) -> str:
        """What was done before an attempt had a tree."""
        width, comma_rule = self.attempts()[number]
        widened = "no tree within the beam; it was widened" if width != self.beam else ""
        dropped = "the comma rule was dropped" if comma_rule != self.comma_rule else ""
        return "; ".join(filter(None, [self.given_up, widened, dropped]))


@dataclass(frozen=True)
class LexicalParse(PhraseParse):
    """A phrase-structure tree with its dependencies.

    heads[m] is the head of word m, 0 for the root; heads[0] is -1. With a beam, bound and certificate are about the
    trees within the beam: `scope` says so.
    """

    heads: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    beam: float | None = None

    @property
    def scope(self) -> str:
        """The trees that bound and certificate are about."""
        return "all trees" if self.beam is None else f"the trees within a beam of {self.beam:.4g} nats"

    @property
    def status(self) -> str:
        """The certificate in words, or what is missing for it."""
        if self.certified and self.beam is not None:
            return "certified within the beam"
        return super().status

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**super().to_json(), "heads": self.heads[1:].tolist(), "scope": self.scope}

    def _repr_svg_(self) -> str:
        from treewright.draw import svg  # imported on use: few programs draw

        return str(svg(self.tree, heads=self.heads[1:].tolist()))


class Sentence:
    """A sentence as the chart takes it: without dropped words, words and tags as numbers."""

    def __init__(
        self,
        grammar: Collins,
        words: Sequence[str],
        tags: Sequence[str | None] | None,
        considered: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """considered: as in `Collins.forest`."""
        check_words(words)
        if tags is not None and (isinstance(tags, str) or len(tags) != len(words)):
            raise InputError(
                f"tags has {len(tags)} entries for {len(words)} words; give one a word, None where it is free"
            )
        self.grammar = grammar
        self.words = [leaf_of(word) for word in words]
        given = list(tags) if tags is not None else [None] * len(words)
        others: Sequence[Sequence[str]] = [()] * len(words) if considered is None else considered
        if len(others) != len(words):
            raise InputError(f"considered has {len(others)} entries; the sentence has {len(words)} words")
        self.dropped = [self._dropped_tag(*both) for both in zip(self.words, given, others, strict=True)]
        self.kept = [place for place, tag in enumerate(self.dropped) if tag is None]  # from 0
        names = grammar.vocabulary.names([self.words[place] for place in self.kept])
        found = [grammar.word_and_tags(name) for name in names]
        self.numbers = [number for number, _ in found]
        self.allowed = [
            self._allowed(place, given[place], others[place], seen)
            for place, (_, seen) in zip(self.kept, found, strict=True)
        ]

    def _dropped_tag(self, word: str, given: str | None, considered: Sequence[str]) -> str | None:
        """The tag of a word that is not parsed."""
        best = considered[0] if given is None and considered else given
        if best is not None:
            return best if best in self.grammar.rules.dropped else None
        return self.grammar.dropped.get(word)

    def _allowed(self, place: int, given: str | None, considered: Sequence[str], seen: list[int]) -> list[int]:
        if given is None:
            numbers = self.grammar.symbols.tag_number
            return sorted(numbers[tag] for tag in considered if tag in numbers) or seen
        number = self.grammar.symbols.tag_number.get(given)
        if number is None:
            listed = " ".join(self.grammar.tags)
            raise InputError(f"tags[{place}] is {given!r}, a tag that the grammar does not have; it has {listed}")
        return [number]

    def adjustment(self, adjust: ArrayLike | None, require: Iterable[Arc], forbid: Iterable[Arc]) -> Scores:
        """Adjustments [h, m] of the words of the sentence, -inf where an arc is forbidden."""
        nodes = len(self.words) + 1
        found = np.zeros((nodes, nodes)) if adjust is None else arc_adjustment(adjust, nodes).copy()
        for name, arcs in (("require", require), ("forbid", forbid)):
            for number, arc in enumerate(arcs):
                h, m = self._checked_arc(f"{name}[{number}]", arc)
                if name == "forbid":
                    found[h, m] = -np.inf
                else:
                    found[np.arange(nodes) != h, m] = -np.inf
        return found

    def tag_adjustment(self, adjust: ArrayLike | None) -> Scores | None:
        """Adjustments [word, tag] over the words that are parsed and the tags they may have."""
        if adjust is None:
            return None
        found = checked_adjustment(adjust, (len(self.words), len(self.grammar.tags)), "adjust_tags")
        return np.ascontiguousarray(found[self.kept, : len(self.grammar.symbols.tags)])

    def _checked_arc(self, name: str, arc: Arc) -> Arc:
        n = len(self.words)
        if not (isinstance(arc, Sequence) and len(arc) == 2) or not (0 <= arc[0] <= n and 1 <= arc[1] <= n):
            raise InputError(f"{name} is {arc!r}; expected an arc (h, m) with h from 0 to {n} and m from 1 to {n}")
        if self.dropped[arc[1] - 1] is not None or (arc[0] and self.dropped[arc[0] - 1] is not None):
            raise InputError(f"{name} is {arc!r}; it has a word that is not parsed (quotation marks, full stops)")
        return arc

    def of_kept(self, arcs: Scores) -> Scores:
        """[h, m] over the words that are parsed."""
        nodes = [0, *(place + 1 for place in self.kept)]
        return np.ascontiguousarray(arcs[np.ix_(nodes, nodes)])

    def forest(self, arcs: Scores, search: Search, partial: bool, tags: Scores | None = None) -> ParseForest:
        """The trees within the beam, after the beam was widened if there was none; adjustments guide the search."""
        if not self.kept:
            return ParseForest(self, None, search.beam, False, "")
        kept, attempts = self.of_kept(arcs), search.attempts()
        for number, (width, comma_rule) in enumerate(attempts):
            is_last = number == len(attempts) - 1
            found, width, is_partial, note = self._built(kept, tags, width, comma_rule, partial and is_last)
            if found.nodes:
                notes = [search.notes(number), note]
                if is_partial:
                    notes = [search.given_up, "no tree over the whole sentence; the fewest phrases cover it"]
                return ParseForest(self, found, width, is_partial, "; ".join(filter(None, notes)))
        within = "" if search.widens else f" within a beam of {search.beam:.3g} nats, not widened for so many words"
        raise InfeasibleError(
            f"the grammar has no tree for these words and constraints{within}; "
            "partial=True gives the fewest phrases that cover them"
        )

    def _built(
        self, kept: Scores, tags: Scores | None, beam: float | None, comma_rule: bool, partial: bool
    ) -> tuple[Forest, float | None, bool, str]:
        """The forest with this beam, or a narrower one if it were too large."""
        symbols, rules = self.grammar.symbols, self.grammar.rules
        words = [self.words[place] for place in self.kept]
        commas = [word == "," for word in words]
        conjunctions = [any(symbols.name(tag) in rules.conjunctions for tag in tags) for tags in self.allowed]
        outside = outside_brackets(words)
        is_comma = np.array(commas, dtype=bool) & outside
        width, note = -1.0 if beam is None else beam, ""
        while True:
            forest, is_full, is_partial = self.grammar.kernel.forest(
                *(self.numbers, self.allowed, is_comma, np.array(conjunctions, dtype=bool), kept),
                *(width, comma_rule, MAX_UNARY, partial, MAX_SIZE),
                tag_adjustment=tags,
            )
            if not is_full:
                return forest, None if width < 0 else width, is_partial, note
            width = (self.grammar.options.beam or BEAM) if width < 0 else width / 2
            note = f"the forest had more than {MAX_SIZE} nodes and edges; the beam was narrowed to {width:.3g} nats"


def outside_brackets(words: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each word is outside of round, square and curly brackets."""
    depth = 0
    found = []
    for word in words:
        depth = max(depth - (word in {"-RRB-", "-RSB-", "-RCB-", ")", "]", "}"}), 0)
        found.append(depth == 0)
        depth += word in {"-LRB-", "-LSB-", "-LCB-", "(", "[", "{"}
    return np.array(found, dtype=bool)


def arc_adjustment(adjust: ArrayLike, nodes: int) -> Scores:
    """Adjustments [h, m] over that many nodes, which are numbers, or -inf for what is forbidden."""
    return checked_adjustment(adjust, (nodes, nodes), what="an arc")


@explained_methods
class ParseForest:
    """The trees of a sentence, or those within a beam, as a packed forest; `best` decodes it under adjustments."""

    def __init__(
        self, sentence: Sentence, forest: Forest | None, beam: float | None, is_partial: bool, given_up: str
    ) -> None:
        self.sentence, self.forest, self.beam = sentence, forest, beam
        self.is_partial, self.given_up = is_partial, given_up

    def best(self, adjust: Scores) -> LexicalParse:
        """The best tree when adjust[h, m] is added to the score of each arc, over all words."""
        return self.best_of_kept(self.sentence.of_kept(arc_adjustment(adjust, len(self.sentence.words) + 1)))

    def best_of_kept(self, adjust: Scores, tags: Scores | None = None) -> LexicalParse:
        """The same over the words that are parsed: adjust[h, m] is added to arcs, tags[word, tag] to tags."""
        if self.forest is None:
            return self._only_punctuation()
        checked = arc_adjustment(adjust, len(self.sentence.kept) + 1)
        if isinstance(tags, np.ndarray) and tags.ndim != 2:
            raise InputError(f"tags has shape {tags.shape}; expected [word, tag]")
        try:
            value, rows, heads = self.forest.best(checked, tags)
        except ValueError as error:
            raise InputError(f"tags: {error}") from None
        if value == -math.inf:
            raise InfeasibleError("no tree of the forest has only arcs and tags that are allowed")
        pieces = int((heads == 0).sum())
        tree, all_heads = self._restored(rows, heads)
        method = "hooks"
        if self.is_partial:
            value, method = value + PIECE_PENALTY * pieces, "cover"
            return LexicalParse(tree, value, math.inf, method, given_up=self.given_up, heads=all_heads, beam=self.beam)
        return LexicalParse(tree, value, value, method, given_up=self.given_up, heads=all_heads, beam=self.beam)

    def log_sum(self, adjust: Scores | None = None) -> float:
        """The logarithm of the sum over all trees of exp(score)."""
        if self.forest is None:
            return 0.0
        nodes = len(self.sentence.kept) + 1
        if adjust is None:
            return self.forest.log_sum(np.zeros((nodes, nodes)))
        checked = arc_adjustment(adjust, len(self.sentence.words) + 1)
        return self.forest.log_sum(self.sentence.of_kept(checked))

    def _only_punctuation(self) -> LexicalParse:
        """The sentence has no word that the model generates."""
        sentence = self.sentence
        words = zip(sentence.words, sentence.dropped, strict=True)
        heads = np.array([-1, 0] + [1] * (len(sentence.words) - 1), dtype=np.int32)
        tree = Tree("", [Tree(str(tag), [word]) for word, tag in words])
        return LexicalParse(tree, 0.0, 0.0, "hooks", heads=heads)

    def _restored(self, rows: NDArray[np.int32], heads: NDArray[np.int32]) -> tuple[Tree, NDArray[np.int32]]:
        sentence = self.sentence
        order = sorted(range(len(rows)), key=lambda row: (int(rows[row, 1]), -int(rows[row, 2]), row))
        ordered = [tuple(rows[row].tolist()) for row in order]
        symbols = sentence.grammar.symbols
        words = [sentence.words[place] for place in sentence.kept]
        parts = nested([(symbols.name(row[0]), row[1], row[2]) for row in ordered], words)
        has_root = len(parts) == 1 and not parts[0].is_preterminal()
        top = parts[0] if has_root else Tree(ROOT, parts)
        tree = restore(top, sentence.grammar.rules, sentence.words, sentence.dropped)
        if not has_root or tree.label == ROOT:
            only = tree.children[0]
            is_only = len(tree.children) == 1 and isinstance(only, Tree)
            tree = only if is_only and isinstance(only, Tree) else Tree("", tree.children)
        return tree, self._all_heads(ordered, heads)

    def _all_heads(self, rows: Sequence[tuple[int, ...]], heads: NDArray[np.int32]) -> NDArray[np.int32]:
        """The heads of all words; a dropped word depends on the head of the phrase that it becomes a child of."""
        kept, dropped = self.sentence.kept, self.sentence.dropped
        root = int(np.flatnonzero(heads == 0)[0]) - 1
        found = np.full(len(dropped) + 1, -1, dtype=np.int32)
        node = [0, *(place + 1 for place in kept)]
        for m, h in enumerate(heads.tolist()):
            if m:
                found[node[m]] = node[h]
        before = 0  # words of the tree before this place
        for place, tag in enumerate(dropped):
            if tag is None:
                before += 1
                continue
            around = [row for row in rows if row[1] < before < row[2]]
            smallest = min(around, key=lambda row: row[2] - row[1], default=None)
            found[place + 1] = kept[smallest[3] if smallest else root] + 1
        return found


def nested(spans: Sequence[tuple[str, int, int]], words: Sequence[str]) -> list[Tree]:
    """The trees of labelled spans, parents before their children; a span that is not divided is a tag."""
    open_: list[tuple[str, int, list[Tree | str]]] = [("", len(words), [])]
    for number, (label, begin, end) in enumerate(spans):
        while open_[-1][1] <= begin and len(open_) > 1:
            _close(open_)
        following = spans[number + 1] if number + 1 < len(spans) else None
        is_tag = end - begin == 1 and (following is None or following[1] >= end)
        if is_tag:
            open_[-1][2].append(Tree(label, [words[begin]]))
        else:
            open_.append((label, end, []))
    while len(open_) > 1:
        _close(open_)
    return [child for child in open_[0][2] if isinstance(child, Tree)]


def _close(open_: list[tuple[str, int, list[Tree | str]]]) -> None:
    label, _, children = open_.pop()
    open_[-1][2].append(Tree(label, children))

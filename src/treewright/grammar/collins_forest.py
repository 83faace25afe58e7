"""The trees of a sentence of Collins' model 1: the sentence as the chart takes it, and the packed forest of trees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import PIECE_PENALTY, Forest
from treewright.corpus import Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar.constraints import checked_adjustment, checked_tags
from treewright.grammar.preparation import nest, restore
from treewright.grammar.result import PhraseParse
from treewright.grammar.trees import ROOT
from treewright.grammar.words import check_words, leaf_of

if TYPE_CHECKING:
    from treewright.grammar.collins import Collins

MAX_UNARY = 4  # unary productions in a row; not tuned
MAX_SIZE = 4_000_000  # nodes and edges of the forest of a sentence; beyond that the beam is narrowed; not tuned
BEAM = 4 * math.log(10)  # nats; as published
WIDENING = math.log(10)  # of the beam when a sentence has no parse, as published
WIDENINGS = 2  # as published

Scores = NDArray[np.float64]
Arc = tuple[int, int]


class Search(NamedTuple):
    """How the forest of a sentence is searched, and what is given up by that."""

    beam: float | None  # nats; None: exact
    widens: bool  # the beam if there is no tree; not that of long sentences, which bounds time and memory
    given_up: str

    def beams(self) -> list[float | None]:
        """Return the beams, one after the other until there is a tree."""
        if self.beam is None or not self.widens:
            return [self.beam]
        return [self.beam + WIDENING * k for k in range(WIDENINGS + 1)]


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
        """Return plain values."""
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
        self.grammar = grammar
        self.words = [leaf_of(word) for word in words]
        given = checked_tags(tags, len(words))
        others: Sequence[Sequence[str]] = [()] * len(words) if considered is None else considered
        if len(others) != len(words):
            raise InputError(f"considered has {len(others)} entries; the sentence has {len(words)} words")
        self.dropped = [self._dropped_tag(*both) for both in zip(self.words, given, others, strict=True)]
        self.kept = [position for position, tag in enumerate(self.dropped) if tag is None]  # from 0
        names = grammar.vocabulary.names([self.words[position] for position in self.kept])
        known = [grammar.word_and_tags(name) for name in names]
        self.numbers = [number for number, _ in known]
        self.allowed = [
            self._allowed(position, given[position], others[position], seen)
            for position, (_, seen) in zip(self.kept, known, strict=True)
        ]

    def _dropped_tag(self, word: str, given: str | None, considered: Sequence[str]) -> str | None:
        """The tag of a word that is not parsed."""
        best = considered[0] if given is None and considered else given
        if best is not None:
            return best if best in self.grammar.rules.dropped else None
        return self.grammar.dropped.get(word)

    def _allowed(self, position: int, given: str | None, considered: Sequence[str], seen: list[int]) -> list[int]:
        if given is None:
            numbers = self.grammar.symbols.tag_number
            return sorted(numbers[tag] for tag in considered if tag in numbers) or seen
        number = self.grammar.symbols.tag_number.get(given)
        if number is None:
            listed = " ".join(self.grammar.tags)
            raise InputError(f"tags[{position}] is {given!r}, a tag that the grammar does not have; it has {listed}")
        return [number]

    def adjustment(self, adjust: ArrayLike | None, require: Iterable[Arc], forbid: Iterable[Arc]) -> Scores:
        """Return adjustments [h, m] of the words of the sentence, -inf where an arc is forbidden."""
        nodes = len(self.words) + 1
        arcs = np.zeros((nodes, nodes)) if adjust is None else arc_adjustment(adjust, nodes).copy()
        for number, arc in enumerate(require):
            h, m = self._checked_arc(f"require[{number}]", arc)
            arcs[np.arange(nodes) != h, m] = -np.inf
        for number, arc in enumerate(forbid):
            arcs[self._checked_arc(f"forbid[{number}]", arc)] = -np.inf
        return arcs

    def _checked_arc(self, name: str, arc: Arc) -> Arc:
        n = len(self.words)
        if not (isinstance(arc, Sequence) and len(arc) == 2) or not (0 <= arc[0] <= n and 1 <= arc[1] <= n):
            raise InputError(f"{name} is {arc!r}; expected an arc (h, m) with h from 0 to {n} and m from 1 to {n}")
        if self.dropped[arc[1] - 1] is not None or (arc[0] and self.dropped[arc[0] - 1] is not None):
            raise InputError(f"{name} is {arc!r}; it has a word that is not parsed (quotation marks, full stops)")
        return arc

    def of_kept(self, arcs: Scores) -> Scores:
        """Return [h, m] over the words that are parsed."""
        nodes = [0, *(position + 1 for position in self.kept)]
        return np.ascontiguousarray(arcs[np.ix_(nodes, nodes)])

    def forest(self, arcs: Scores, search: Search, partial: bool) -> ParseForest:
        """Return the trees within the beam, widened if there are none; adjustments guide the search."""
        if not self.kept:
            return ParseForest(self, None, search.beam, False, "")
        kept, beams = self.of_kept(arcs), search.beams()
        for number, beam in enumerate(beams):
            forest, width, is_partial, note = self._build(kept, beam, partial and number == len(beams) - 1)
            if forest.nodes:
                notes = [search.given_up, "no tree within the beam; it was widened" if number else "", note]
                if is_partial:
                    notes = [search.given_up, "no tree over the whole sentence; the fewest phrases cover it"]
                return ParseForest(self, forest, width, is_partial, "; ".join(filter(None, notes)))
        within = "" if search.widens else f" within a beam of {search.beam:.3g} nats, not widened for so many words"
        raise InfeasibleError(
            f"the grammar has no tree for these words and constraints{within}; "
            "partial=True gives the fewest phrases that cover them"
        )

    def _build(self, kept: Scores, beam: float | None, partial: bool) -> tuple[Forest, float | None, bool, str]:
        """The forest with this beam, or a narrower one if it were too large."""
        width, note = -1.0 if beam is None else beam, ""
        while True:
            forest, is_full, is_partial = self.grammar.kernel.forest(
                self.numbers, self.allowed, kept, width, MAX_UNARY, partial, MAX_SIZE
            )
            if not is_full:
                return forest, None if width < 0 else width, is_partial, note
            width = (self.grammar.options.beam or BEAM) if width < 0 else width / 2
            note = f"the forest had more than {MAX_SIZE} nodes and edges; the beam was narrowed to {width:.3g} nats"


def arc_adjustment(adjust: ArrayLike, nodes: int) -> Scores:
    """Return adjustments [h, m] over that many nodes: numbers, or -inf for what is forbidden."""
    return checked_adjustment(adjust, (nodes, nodes), what="an arc")


class ParseForest:
    """The trees of a sentence, or those within a beam, as a packed forest; `best` decodes it under adjustments."""

    def __init__(
        self, sentence: Sentence, forest: Forest | None, beam: float | None, is_partial: bool, given_up: str
    ) -> None:
        self.sentence, self.forest, self.beam = sentence, forest, beam
        self.is_partial, self.given_up = is_partial, given_up

    def best(self, adjust: Scores) -> LexicalParse:
        """Find the best tree when adjust[h, m] is added to the score of each arc, over all words."""
        return self.best_of_kept(self.sentence.of_kept(arc_adjustment(adjust, len(self.sentence.words) + 1)))

    def best_of_kept(self, adjust: Scores, tags: Scores | None = None) -> LexicalParse:
        """Find the best tree when adjust[h, m] is added to arcs and tags[word, tag] to tags of the words parsed."""
        if self.forest is None:
            return self._only_punctuation()
        checked = arc_adjustment(adjust, len(self.sentence.kept) + 1)
        value, rows, heads = self.forest.best(checked, tags)
        if value == -math.inf:
            raise InfeasibleError("no tree of the forest has only arcs and tags that are allowed")
        pieces = int((heads == 0).sum())
        tree, all_heads = self._restore(rows, heads)
        bound, method = value, "hooks"
        if self.is_partial:
            value, bound, method = value + PIECE_PENALTY * pieces, math.inf, "cover"
        return LexicalParse(tree, value, bound, method, given_up=self.given_up, heads=all_heads, beam=self.beam)

    def log_sum(self) -> float:
        """Return the logarithm of the sum over all trees of exp(score)."""
        nodes = len(self.sentence.kept) + 1
        return 0.0 if self.forest is None else self.forest.log_sum(np.zeros((nodes, nodes)))

    def _only_punctuation(self) -> LexicalParse:
        """The sentence has no word that the model generates."""
        sentence = self.sentence
        words = zip(sentence.words, sentence.dropped, strict=True)
        heads = np.array([-1, 0] + [1] * (len(sentence.words) - 1), dtype=np.int32)
        tree = Tree("", [Tree(str(tag), [word]) for word, tag in words])
        return LexicalParse(tree, 0.0, 0.0, "hooks", heads=heads)

    def _restore(self, rows: NDArray[np.int32], heads: NDArray[np.int32]) -> tuple[Tree, NDArray[np.int32]]:
        sentence = self.sentence
        ordered: list[list[int]] = sorted(rows.tolist(), key=lambda row: (row[1], -row[2]))
        symbols = sentence.grammar.symbols
        words = [sentence.words[position] for position in sentence.kept]
        parts = nest([(symbols.name(row[0]), row[1], row[2]) for row in ordered], words)
        has_root = len(parts) == 1 and not parts[0].is_preterminal()
        top = parts[0] if has_root else Tree(ROOT, parts)
        tree = restore(top, sentence.grammar.rules, sentence.words, sentence.dropped)
        if not has_root or tree.label == ROOT:
            only = tree.children[0]
            tree = only if len(tree.children) == 1 and isinstance(only, Tree) else Tree("", tree.children)
        return tree, self._all_heads(ordered, heads)

    def _all_heads(self, rows: Sequence[Sequence[int]], heads: NDArray[np.int32]) -> NDArray[np.int32]:
        """The heads of all words; a dropped word depends on the head of the phrase that it becomes a child of."""
        kept, dropped = self.sentence.kept, self.sentence.dropped
        root = int(np.flatnonzero(heads == 0)[0]) - 1
        full = np.full(len(dropped) + 1, -1, dtype=np.int32)
        node = [0, *(position + 1 for position in kept)]
        for m, h in enumerate(heads.tolist()):
            if m:
                full[node[m]] = node[h]
        before = 0  # words of the tree before this place
        for position, tag in enumerate(dropped):
            if tag is None:
                before += 1
                continue
            around = [row for row in rows if row[1] < before < row[2]]
            smallest = min(around, key=lambda row: row[2] - row[1], default=None)
            full[position + 1] = kept[smallest[3] if smallest else root] + 1
        return full

"""Collins' model 1: a lexicalised grammar with head rules, distance and back-off, and its chart with hooks.

The probabilities are computed in core/grammar/collins_model.hpp from the counts of collins_events.py, the forest of all
derivations (or of those within a beam) in core/grammar/collins_chart.hpp.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import PIECE_PENALTY, CollinsModel, Forest
from treewright.caching import cached_property
from treewright.calls import explained, explained_methods
from treewright.checks import NotNegative, Positive, check_fields, read_plain
from treewright.component import ArrayForm, Arrays, Saved, Stored
from treewright.corpus import Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar.collins_events import EventCounter, Events, Symbols, table
from treewright.grammar.constraints import checked_adjustment
from treewright.grammar.head_rules import HeadRules
from treewright.grammar.leaves import check_words, leaf_of
from treewright.grammar.preparation import prepare, restore
from treewright.grammar.result import PhraseParse
from treewright.grammar.trees import ROOT, TreeSource, trees_of
from treewright.grammar.words import Vocabulary
from treewright.learn import Report

UNKNOWN = "UNK"  # the beginning of all classes of words; the class of a word whose own class was never seen
MAX_WORDS = 150  # of a sentence that is parsed with the whole beam; by convention, it bounds time and memory
LONG_BEAM = 2 * math.log(10)  # nats, of longer sentences; by convention
MAX_UNARY = 4  # unary productions in a row ; by convention
MAX_SIZE = 4_000_000  # nodes and edges of the forest of a sentence; beyond that the beam is narrowed. By convention
WIDENING = math.log(10)  # of the beam when a sentence has no parse, as published
WIDENINGS = 2  # as published

Scores = NDArray[np.float64]
Arc = tuple[int, int]


@dataclass(frozen=True)
class CollinsOptions:
    """How model 1 is trained, and the default of its search; saved with the model."""

    head_rules: str = "english"  # a table (english, general) or a file
    min_count: Positive = 5  # words seen less often are known by their class; by convention (published: 6)
    beam: NotNegative | None = 4 * math.log(10)  # nats; None: exact search. 4 powers of ten, as published
    comma_rule: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


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


@explained_methods
class Collins(Saved):
    """Collins' model 1.

    >>> grammar = Collins.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> parse = grammar.parse(["it", "rains"])
    >>> print(parse.tree, parse.heads.tolist(), parse.status)
    (S (NP (PRP it)) (VP (VBZ rains))) [-1, 2, 0] certified within the beam
    """

    KIND: ClassVar[str] = "lexicalised grammar"
    FORMAT: ClassVar[int] = 1  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {
        "heads": (np.int32, (None, 5)),
        "modifiers": (np.int32, (None, 11)),
        "tops": (np.int32, (None, 4)),
    }

    def __init__(
        self,
        options: CollinsOptions,
        rules: HeadRules,
        symbols: Symbols,
        vocabulary: Vocabulary,
        dropped: Mapping[str, str],
        events: tuple[Events, Events, Events],
        metadata: Mapping[str, Any],
    ) -> None:
        self.options, self.rules, self.symbols, self.vocabulary = options, rules, symbols, vocabulary
        self.dropped, self.events, self.metadata = dict(dropped), events, dict(metadata)

    @classmethod
    @explained
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        head_rules: str | os.PathLike[str] | HeadRules | None = None,
        seed: int | None = None,
        options: CollinsOptions | None = None,
        report: Callable[[Report], None] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> Collins:
        """Count the events of train, trees or a file of trees in brackets.

        head_rules is a table (english, general), a file, or a HeadRules; by default those of the options of model 1.
        dev, seed, report, checkpoint and resume are arguments of every component; training is one pass of counting,
        which has no use for them.
        """
        options = options or CollinsOptions()
        rules = HeadRules.load(options.head_rules if head_rules is None else head_rules)
        trees, _ = trees_of(train)
        return cls.counted(trees, rules, options)

    @classmethod
    def counted(cls, trees: Sequence[Tree], rules: HeadRules, options: CollinsOptions) -> Collins:
        """The model of trees that `trees_of` returned, with head rules and options."""
        kept = [tree for tree in (prepare(top_of(tree), rules) for tree in trees) if tree]
        if not kept:
            raise InputError("there is no tree to train on")
        vocabulary = Vocabulary.of((tree.leaves() for tree in kept), options.min_count)
        known = {word: count for word, count in vocabulary.counts.items() if count >= options.min_count}
        vocabulary = Vocabulary(known, options.min_count)
        symbols = Symbols.of(kept, vocabulary)
        counter = EventCounter(symbols, rules, vocabulary)
        for tree in kept:
            counter.add(tree)
        events = table(counter.heads, 5), table(counter.modifiers, 11), table(counter.tops, 4)
        words = sum(len(tree.leaves()) for tree in trees)
        metadata = {"trees": len(trees), "words": words, "version": version("treewright")}
        return cls(options, rules, symbols, vocabulary, dropped_words(trees, rules), events, metadata)

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        header = {
            "options": asdict(self.options),
            "head_rules": self.rules.text,
            "tags": list(self.symbols.tags),
            "labels": list(self.symbols.labels),
            "words": list(self.symbols.words),
            "counts": dict(self.vocabulary.counts),
            "dropped": dict(self.dropped),
            "metadata": dict(self.metadata),
        }
        heads, modifiers, tops = self.events
        return header, {"heads": heads, "modifiers": modifiers, "tops": tops}

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Collins:
        """The inverse of `to_arrays`; messages name the source of the arrays."""
        found = read_plain(header, _Header, "header")
        rules = HeadRules(found.head_rules, os.fspath(source))
        symbols = Symbols(found.tags, found.labels, found.words)
        vocabulary = Vocabulary(found.counts, found.options.min_count)
        events = tuple(np.ascontiguousarray(arrays[name]) for name in ("heads", "modifiers", "tops"))
        grammar = cls(found.options, rules, symbols, vocabulary, found.dropped, events, found.metadata)  # type: ignore[arg-type]
        _ = grammar.kernel  # it checks the events
        return grammar

    @cached_property
    def kernel(self) -> CollinsModel:
        """The probabilities and the chart."""
        symbols, rules = self.symbols, self.rules
        base = symbols.label_number.get(rules.base_mark, -1) if rules.base else -1
        words = len(symbols.words) + 1  # and one for the class of words that were never seen
        return CollinsModel(len(symbols.tags), words, base, symbols.classes(rules), symbols.verbs(rules), *self.events)

    @cached_property
    def _tags_of_word(self) -> dict[int, list[int]]:
        """The tags that were seen with each word or class of words, by numbers."""
        _, modifiers, tops = self.events
        rows = np.concatenate([modifiers[modifiers[:, 7] > 0][:, [9, 8]], tops[:, [2, 1]]])
        found: dict[int, list[int]] = {}
        for word, tag in np.unique(rows, axis=0).tolist():
            found.setdefault(word, []).append(tag)
        return found

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of phrases, without the mark of base phrases."""
        return tuple(label for label in self.symbols.labels if label != self.rules.base_mark)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words; those of dropped punctuation are at the end."""
        return (*self.symbols.tags, *sorted(set(self.dropped.values())))

    @explained
    def parse(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        adjust_tags: ArrayLike | None = None,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        partial: bool = False,
        beam: float | str | None = "default",
        comma_rule: bool | None = None,
        max_words: int | None = MAX_WORDS,
        considered: Sequence[Sequence[str]] | None = None,
    ) -> LexicalParse:
        """The best tree of a sentence and its dependencies.

        tags keeps the tag of each word that has one there (None: free). adjust[h, m] is added to the score of each
        arc, adjust_tags[i, t] to that of tag t of `tags` for word i from 0 (words that are not parsed have none);
        require and forbid have arcs (h, m), words counted from 1 and 0 for the root. beam is a number of nats, or
        None for exact search; comma_rule that of Collins; both are by default those of the options. If there is no
        tree, the beam is widened twice and the comma rule is dropped; if there is still none, it is an InfeasibleError,
        or with partial the fewest phrases that cover the sentence. A sentence of more than max_words has a narrower
        beam, which is not widened. `given_up` of the result says what was done. considered is that of `forest`.
        """
        sentence = Sentence(self, words, tags, considered)
        arcs, of_tags = sentence.adjustment(adjust, require, forbid), sentence.tag_adjustment(adjust_tags)
        found = sentence.forest(arcs, self._search(beam, comma_rule, len(words), max_words), partial, of_tags)
        return found.best_of_kept(sentence.of_kept(arcs), of_tags)

    def forest(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        beam: float | str | None = "default",
        comma_rule: bool | None = None,
        max_words: int | None = MAX_WORDS,
        partial: bool = False,
        considered: Sequence[Sequence[str]] | None = None,
    ) -> ParseForest:
        """All trees of a sentence, or those within the beam; the arguments are those of `Collins.parse`.

        considered has the tags that another model considers for each word, its best one first: a word whose best tag is
        one of dropped punctuation is not parsed, the others have these tags in the trees. An empty list leaves the tags
        of a word to the grammar.

        >>> grammar = Collins.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
        >>> round(grammar.forest(["it", "rains"]).log_sum(), 6)
        0.0
        """
        sentence = Sentence(self, words, tags, considered)
        arcs = sentence.adjustment(None, (), ())
        return sentence.forest(arcs, self._search(beam, comma_rule, len(words), max_words), partial)

    def _search(self, beam: float | str | None, comma_rule: bool | None, words: int, max_words: int | None) -> Search:
        if isinstance(beam, str):
            if beam != "default":
                raise InputError(f"beam is {beam!r}; expected a number of nats, None for exact search, or 'default'")
            beam = self.options.beam
        if beam is not None and not (math.isfinite(beam) and beam >= 0):
            raise InputError(f"beam is {beam}; expected a number of nats from 0 on, or None for exact search")
        comma_rule = self.options.comma_rule if comma_rule is None else comma_rule
        if max_words is None or words <= max_words:
            return Search(beam, comma_rule, True, "")
        if beam is not None and beam <= LONG_BEAM:
            return Search(beam, comma_rule, False, "")
        note = f"{words} words are more than {max_words}; the beam was narrowed to {LONG_BEAM:.3g} nats"
        return Search(LONG_BEAM, comma_rule, False, note)

    def sentence(self, words: Sequence[str], tags: Sequence[str | None] | None = None) -> Sentence:
        """A sentence as the chart takes it; tags are those of `parse`."""
        return Sentence(self, words, tags)

    def word_and_tags(self, name: str) -> tuple[int, list[int]]:
        """The number of a word or class, and the tags it may have; a class that was not seen is made more general."""
        pieces = name.split("-") if name.startswith(UNKNOWN) and name not in self.symbols.word_number else [name]
        while pieces:
            number = self.symbols.word_number.get("-".join(pieces))
            if number is not None and number in self._tags_of_word:
                return number, self._tags_of_word[number]
            pieces.pop()
        return len(self.symbols.words), list(range(1, len(self.symbols.tags) + 1))

    def __repr__(self) -> str:
        symbols = self.symbols
        return (
            f"Collins({len(self.labels)} labels, {len(symbols.tags)} tags, {len(self.vocabulary.counts)} words; "
            f"{len(self.events[1])} modifiers, head rules {self.rules.source})"
        )


@dataclass(frozen=True)
class _Header:
    """The header of a model file."""

    options: CollinsOptions
    head_rules: str
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    words: tuple[str, ...]
    counts: Mapping[str, int]
    dropped: Mapping[str, str]
    metadata: Mapping[str, Any]


def top_of(tree: Tree) -> Tree:
    """The only child of the root of a tree that `trees_of` returned, or the root if it has several."""
    only = tree.children[0]
    return only if len(tree.children) == 1 and isinstance(only, Tree) else tree


def dropped_words(trees: Iterable[Tree], rules: HeadRules) -> dict[str, str]:
    """The words whose most frequent tag is dropped, with this tag."""
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for word, tag in zip(tree.leaves(), tree.tags(), strict=True):
            counts.setdefault(word, Counter())[tag] += 1
    best = {word: tags.most_common(1)[0][0] for word, tags in sorted(counts.items())}
    return {word: tag for word, tag in best.items() if tag in rules.dropped}


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
        found = np.zeros((nodes, nodes)) if adjust is None else np.array(adjust, dtype=np.float64)
        if found.shape != (nodes, nodes):
            raise InputError(f"adjust has shape {found.shape}; expected {(nodes, nodes)}: [h, m] over root and words")
        bad = np.isnan(found) | (found == np.inf)
        if bad.any():
            h, m = np.argwhere(bad)[0].tolist()
            raise InputError(f"adjust[{h}, {m}] is {found[h, m]}; write -inf to forbid an arc")
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
            width = (self.grammar.options.beam or CollinsOptions.beam or 1.0) if width < 0 else width / 2
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


def _checked_adjustment(adjust: Scores, nodes: int) -> Scores:
    """Adjustments [h, m] over that many nodes, which are numbers, or -inf for what is forbidden."""
    if adjust.shape != (nodes, nodes):
        raise InputError(f"adjust has the shape {adjust.shape}; expected {(nodes, nodes)}: [h, m] over root and words")
    if not (adjust < math.inf).all():
        raise InputError("adjust has NaN or +inf; give numbers, or -inf to forbid an arc")
    return adjust


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
        return self.best_of_kept(self.sentence.of_kept(_checked_adjustment(adjust, len(self.sentence.words) + 1)))

    def best_of_kept(self, adjust: Scores, tags: Scores | None = None) -> LexicalParse:
        """The same over the words that are parsed: adjust[h, m] is added to arcs, tags[word, tag] to tags."""
        if self.forest is None:
            return self._only_punctuation()
        checked = _checked_adjustment(adjust, len(self.sentence.kept) + 1)
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
        checked = _checked_adjustment(adjust, len(self.sentence.words) + 1)
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

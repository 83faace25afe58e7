"""Collins' model 1: a lexicalised grammar with head rules, distance and back-off, and its chart with hooks.

The probabilities are computed in core/grammar/collins_model.hpp from the counts of collins_events.py, the forest of all
derivations (or of those within a beam), which is that of collins_forest.py, in core/grammar/collins_chart.hpp.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from treewright._core import CollinsModel
from treewright.caching import cached_property
from treewright.checks import Checked, NotNegative, Positive, read_plain
from treewright.corpus import Tree
from treewright.errors import InputError
from treewright.grammar.collins_events import EventCounter, Events, Symbols, table
from treewright.grammar.collins_forest import BEAM, Arc, LexicalParse, ParseForest, Search, Sentence
from treewright.grammar.head_rules import HeadRules
from treewright.grammar.preparation import prepare
from treewright.grammar.trees import TreeSource, metadata_of, trees_of
from treewright.grammar.words import Vocabulary
from treewright.model.component import ArrayForm, Arrays, Component, Stored
from treewright.model.run import Run, RunOptions

UNKNOWN = "UNK"  # the beginning of all classes of words; the class of a word whose own class was never seen
MAX_WORDS = 150  # of a sentence that is parsed with the whole beam; not tuned, it bounds time and memory
LONG_BEAM = 2 * math.log(10)  # nats, of longer sentences; not tuned


@dataclass(frozen=True)
class CollinsOptions(Checked):
    """How model 1 is trained, and the default of its search; saved with the model."""

    head_rules: str = "english"  # a table (english, general) or a file
    min_count: Positive = 5  # words seen less often are known by their class; not tuned (published: 6)
    beam: NotNegative | None = BEAM  # nats; None: exact search


class Collins(Component):
    """Collins' model 1.

    >>> grammar = Collins.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> parse = grammar.parse(["it", "rains"])
    >>> print(parse.tree, parse.heads.tolist(), parse.status)
    (S (NP (PRP it)) (VP (VBZ rains))) [-1, 2, 0] certified within the beam
    """

    KIND: ClassVar[str] = "lexicalised grammar"
    FORMAT: ClassVar[int] = 1
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
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        options: CollinsOptions | None = None,
        **how: Unpack[RunOptions],
    ) -> Collins:
        """Count the events of train, trees or a file of trees in brackets; options name the head rules.

        Training is one pass of counting, which has no use for dev and for how (the keywords of `RunOptions`).
        """
        Run(**how)  # refuses other keywords
        options = options or CollinsOptions()
        rules, trees = HeadRules.load(options.head_rules), trees_of(train)[0]
        kept = [tree for tree in (prepare(top_of(tree), rules) for tree in trees) if tree]
        if not kept:
            raise InputError("there is no tree to train on")
        vocabulary = Vocabulary.of((tree.leaves() for tree in kept), options.min_count)
        symbols = Symbols.of(kept, vocabulary)
        counter = EventCounter(symbols, rules, vocabulary)
        for tree in kept:
            counter.add(tree)
        events = table(counter.heads, 5), table(counter.modifiers, 11), table(counter.tops, 4)
        return cls(options, rules, symbols, vocabulary, dropped_words(trees, rules), events, metadata_of(trees))

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
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
        """Make the grammar of a header and arrays; messages name their source."""
        values = read_plain(header, _Header, "header")
        rules = HeadRules(values.head_rules, os.fspath(source))
        symbols = Symbols(values.tags, values.labels, values.words)
        vocabulary = Vocabulary(values.counts, values.options.min_count)
        heads, modifiers, tops = (np.ascontiguousarray(arrays[name]) for name in ("heads", "modifiers", "tops"))
        events = heads, modifiers, tops
        grammar = cls(values.options, rules, symbols, vocabulary, values.dropped, events, values.metadata)
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
        tags_of: dict[int, list[int]] = {}
        for word, tag in np.unique(rows, axis=0).tolist():
            tags_of.setdefault(word, []).append(tag)
        return tags_of

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of phrases, without the mark of base phrases."""
        return tuple(label for label in self.symbols.labels if label != self.rules.base_mark)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words; those of dropped punctuation are at the end."""
        return (*self.symbols.tags, *sorted(set(self.dropped.values())))

    def parse(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        partial: bool = False,
        beam: float | str | None = "default",
        max_words: int | None = MAX_WORDS,
        considered: Sequence[Sequence[str]] | None = None,
    ) -> LexicalParse:
        """Find the best tree of a sentence and its dependencies.

        tags keeps the tag of each word that has one there (None: free). adjust[h, m] is added to the score of each
        arc; require and forbid have arcs (h, m), words counted from 1 and 0 for the root. beam is a number of nats, or
        None for exact search; by default that of the options. If there is no tree, the beam is widened twice; if there
        is still none, it is an InfeasibleError, or with partial the fewest phrases that cover the sentence. A sentence
        of more than max_words has a narrower beam, which is not widened. `given_up` of the result says what was done.
        considered is that of `forest`.
        """
        sentence = Sentence(self, words, tags, considered)
        arcs = sentence.adjustment(adjust, require, forbid)
        forest = sentence.forest(arcs, self._search(beam, len(words), max_words), partial)
        return forest.best_of_kept(sentence.of_kept(arcs))

    def forest(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        beam: float | str | None = "default",
        max_words: int | None = MAX_WORDS,
        partial: bool = False,
        considered: Sequence[Sequence[str]] | None = None,
    ) -> ParseForest:
        """Return all trees of a sentence, or those within the beam; the arguments are those of `Collins.parse`.

        considered has the tags that another model considers for each word, its best one first: a word whose best tag is
        one of dropped punctuation is not parsed, the others have these tags in the trees. An empty list leaves the tags
        of a word to the grammar.

        >>> grammar = Collins.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
        >>> round(grammar.forest(["it", "rains"]).log_sum(), 6)
        0.0
        """
        sentence = Sentence(self, words, tags, considered)
        arcs = sentence.adjustment(None, (), ())
        return sentence.forest(arcs, self._search(beam, len(words), max_words), partial)

    def _search(self, beam: float | str | None, words: int, max_words: int | None) -> Search:
        if isinstance(beam, str):
            if beam != "default":
                raise InputError(f"beam is {beam!r}; expected a number of nats, None for exact search, or 'default'")
            beam = self.options.beam
        if beam is not None and not (math.isfinite(beam) and beam >= 0):
            raise InputError(f"beam is {beam}; expected a number of nats from 0 on, or None for exact search")
        if max_words is None or words <= max_words:
            return Search(beam, True, "")
        if beam is not None and beam <= LONG_BEAM:
            return Search(beam, False, "")
        note = f"{words} words are more than {max_words}; the beam was narrowed to {LONG_BEAM:.3g} nats"
        return Search(LONG_BEAM, False, note)

    def word_and_tags(self, name: str) -> tuple[int, list[int]]:
        """Return the number of a word or class, and the tags it may have; an unseen class is made more general."""
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
    """Return the only child of the root of a tree that `trees_of` returned, or the root if it has several."""
    only = tree.children[0]
    return only if len(tree.children) == 1 and isinstance(only, Tree) else tree


def dropped_words(trees: Iterable[Tree], rules: HeadRules) -> dict[str, str]:
    """Return the words whose most frequent tag is dropped, with this tag."""
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for word, tag in zip(tree.leaves(), tree.tags(), strict=True):
            counts.setdefault(word, Counter())[tag] += 1
    best = {word: tags.most_common(1)[0][0] for word, tags in sorted(counts.items())}
    return {word: tag for word, tag in best.items() if tag in rules.dropped}

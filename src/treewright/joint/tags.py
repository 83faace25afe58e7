"""A grammar and a trigram tagger that agree on tags, by dual decomposition (Rush et al. 2010, section 4.1).

    maximise  log P(tree) + weight * score(tags)   such that the tree has these tags

Both models choose among the same tags of each word: those that the tagger considers and the grammar has for the word.
A certificate is about the trees with such tags.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.calls import explained, explained_methods
from treewright.corpus import Sentence, Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import PhraseParse, TreebankGrammar
from treewright.grammar.leaves import check_words
from treewright.grammar.treebank import MAX_WORDS, Prepared
from treewright.joint.agreement import MAX_ITERATIONS, Flags, Vector, agreed, allowed
from treewright.relax import Answer, Relaxation, Step
from treewright.tagger import Tagger, viterbi

EXCLUDED = -1e6  # added to the score of a tag that is known already while others are listed; above any sum of scores


class TagScorer(Protocol):
    """A model of tag sequences of one sentence."""

    @property
    def tags(self) -> Sequence[str]:
        """The names of its tags."""

    def best(self, adjust: Vector) -> tuple[NDArray[np.int32], float]:
        """The best sequence with adjust[i, t] added to the score of tag t for word i, and its value, -inf for none."""


@explained_methods
@dataclass(frozen=True, eq=False)
class Trigrams:
    """Given scores: scores[i, t] of tag t for word i, trigram[a, b, c] as in `treewright.tagger.viterbi`."""

    tags: Sequence[str]
    scores: Vector
    trigram: Vector

    def best(self, adjust: Vector) -> tuple[NDArray[np.int32], float]:
        """The best sequence."""
        try:
            found = viterbi(self.scores, self.trigram, adjust)
        except InfeasibleError:
            return np.zeros(len(adjust), dtype=np.int32), -math.inf
        return found.tags, found.value


@dataclass(frozen=True, eq=False)
class SentenceTagger:
    """A trained tagger and the words of one sentence."""

    tagger: Tagger
    words: Sequence[str]

    @property
    def tags(self) -> Sequence[str]:
        """The tags in the one column that the tagger fills."""
        if any(len(tag) != 1 for tag in self.tagger.tags):
            raise InputError('the tagger fills several columns; train it with columns=["xpos"]: the tags of the trees')
        return [tag[0] for tag in self.tagger.tags]

    def best(self, adjust: Vector) -> tuple[NDArray[np.int32], float]:
        """The best sequence."""
        found = self.tagger.decode(Sentence.from_words(list(self.words)), adjust)
        return found.tags, found.value


@dataclass(frozen=True, eq=False)
class TagVariables:
    """The shared variables: a word (from 0) and one of its tags (a number of the grammar's tags)."""

    word: NDArray[np.intp]
    tag: NDArray[np.intp]
    shape: tuple[int, int]

    @property
    def count(self) -> int:
        """The number of variables."""
        return len(self.word)

    def matrix(self, values: Vector, other: float) -> Vector:
        """[word, tag] with these values, and another value where there is no variable."""
        full = np.full(self.shape, other)
        full[self.word, self.tag] = values
        return full

    def assignment(self, tags: Sequence[int] | NDArray[Any]) -> Vector:
        """1.0 for each variable of a tag sequence."""
        on: Vector = (np.asarray(tags)[self.word] == self.tag).astype(np.float64)
        return on


@dataclass(frozen=True, eq=False)
class GrammarOracle:
    """The best tree of a chart with tags among the shared variables."""

    sentence: Prepared
    variables: TagVariables
    mask: Flags

    @property
    def keys(self) -> NDArray[np.intp]:
        """All variables."""
        return np.arange(self.variables.count)

    def solve(self, multipliers: Vector) -> Answer:
        """The tree that maximises log P plus the multipliers of its tags."""
        model = self.sentence.model
        adjust = self.variables.matrix(np.where(self.mask, multipliers, -np.inf), -np.inf)
        lexical = np.ascontiguousarray(self.sentence.lexical + adjust[:, model.tag_of_preterminal])
        value, nodes = model.kernel.parse(lexical, *self.sentence.constraints)
        if value == -math.inf:
            return Answer(value, np.zeros(self.variables.count))
        return Answer(value, self.variables.assignment(tags_of(nodes, self.sentence)), nodes)

    def score(self, assignment: Vector) -> float:
        """log P of the best tree with these tags."""
        return self.solve(np.where(assignment > 0, 0.0, -np.inf)).value

    def restrict(self, fixed: Mapping[int, bool]) -> GrammarOracle:
        """The trees with these tags on or off."""
        return replace(self, mask=self.mask & allowed(self.variables.word, fixed))


def tags_of(nodes: NDArray[np.int32], sentence: Prepared) -> list[int]:
    """The number of the tag of each word in the nodes of a tree."""
    model = sentence.model
    tag = dict(zip(model.preterminals.tolist(), model.tag_of_preterminal.tolist(), strict=True))
    words = nodes[nodes[:, 2] - nodes[:, 1] == 1]
    return [tag[model.chains[chain][-1]] for chain, _, _ in words.tolist()]


@dataclass(frozen=True, eq=False)
class TagOracle:
    """The best tag sequence of a tagger with tags among the shared variables."""

    tagger: TagScorer
    variables: TagVariables
    columns: NDArray[np.intp]  # for each tag of the tagger its number among the grammar's, -1 for none
    mask: Flags

    @property
    def keys(self) -> NDArray[np.intp]:
        """All variables."""
        return np.arange(self.variables.count)

    def solve(self, multipliers: Vector) -> Answer:
        """The sequence that maximises its score plus the multipliers of its tags."""
        adjust = self.variables.matrix(np.where(self.mask, multipliers, -np.inf), -np.inf)
        padded = np.column_stack([adjust, np.full(len(adjust), -np.inf)])  # the last column is that of -1
        tags, value = self.tagger.best(np.ascontiguousarray(padded[:, self.columns]))
        if value == -math.inf:
            return Answer(value, np.zeros(self.variables.count))
        return Answer(value, self.variables.assignment(self.columns[tags]), tags)

    def score(self, assignment: Vector) -> float:
        """The score of the sequence with these tags."""
        return self.solve(np.where(assignment > 0, 0.0, -np.inf)).value

    def restrict(self, fixed: Mapping[int, bool]) -> TagOracle:
        """The sequences with these tags on or off."""
        return replace(self, mask=self.mask & allowed(self.variables.word, fixed))


def considered(tagger: TagScorer, words: int) -> Flags:
    """Whether the tagger considers a tag of a word: each decoding excludes what the earlier ones found."""
    found = np.zeros((words, len(tagger.tags)), dtype=bool)
    while True:
        tags, value = tagger.best(np.where(found, EXCLUDED, 0.0))
        fresh = ~found[np.arange(words), tags]
        if value == -math.inf or not fresh.any():
            return found
        found[np.arange(words), tags] = True


@dataclass(frozen=True)
class TagParse(PhraseParse):
    """A tree whose tags maximise the sum of the scores of grammar and tagger; score and bound are of this sum.

    A certificate is about the trees with tags that the tagger considers.
    """

    weight: float = 1.0
    disagreements: tuple[int, ...] = ()  # in each iteration, words and tags on which the models disagreed


@explained
def agree_on_tags(
    grammar: TreebankGrammar,
    tagger: Tagger | TagScorer,
    words: Sequence[str],
    *,
    tags: Sequence[str | None] | None = None,
    weight: float = 1.0,
    max_iterations: int = MAX_ITERATIONS,
    exact: bool = False,
    partial: bool = False,
    max_words: int | None = MAX_WORDS,
    step: Step | None = None,
) -> TagParse:
    """The tree of words whose tags grammar and tagger choose together.

    tagger is a Tagger of one column, whose tags are those of the trees, or a model with given scores (`Trigrams`);
    weight multiplies its scores. tags keeps the tag of each word that has one there (None: free). exact continues with
    branch and bound where the relaxation has no certificate after max_iterations. Without a tree it is an
    InfeasibleError, or with partial what the grammar alone finds. In a sentence of more than max_words the grammar,
    which divides it, has the tags of the tagger. `given_up` of the result says so. step is a rule of treewright.relax.

    >>> from treewright.corpus import Tree
    >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> tagger = Trigrams(["PRP", "VBZ"], np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros((3, 3, 2)))
    >>> found = agree_on_tags(grammar, tagger, ["it", "rains"])
    >>> print(found.tree, round(found.score, 3), found.certified, found.iterations)
    (S (NP (PRP it)) (VP (VBZ rains))) 1.907 True 1
    """
    check_words(words)
    scorer = SentenceTagger(tagger, words) if isinstance(tagger, Tagger) else tagger
    if max_words is not None and len(words) > max_words:
        return divided(grammar, scorer, words, tags, max_words, weight)
    try:
        oracles = oracles_of(grammar, scorer, words, tags)
        found = agreed(oracles, weight, max_iterations, exact, step)
        if found.answer is None:
            raise InfeasibleError("the grammar has no tree with tags that the tagger considers")
    except InfeasibleError:
        if not partial:
            raise
        note = "no tree with tags that the tagger considers; that of the grammar alone"
        return alone(grammar.parse(words, tags=tags, partial=True), note, weight)
    return result_of(oracles[0], found, weight)


def divided(
    grammar: TreebankGrammar,
    scorer: TagScorer,
    words: Sequence[str],
    tags: Sequence[str | None] | None,
    max_words: int,
    weight: float,
) -> TagParse:
    """A long sentence: the parts that the grammar divides it into, with given tags and those of the tagger."""
    names, known = list(scorer.tags), set(grammar.tags)
    best, value = scorer.best(np.zeros((len(words), len(names))))
    found = [names[tag] for tag in best] if value > -math.inf else [""] * len(words)
    chosen = [
        own if own is not None else tag if tag in known else None
        for own, tag in zip(tags or [None] * len(words), found, strict=True)
    ]
    parse = grammar.parse(words, tags=chosen, max_words=max_words)
    return alone(parse, "the tags are those of the tagger alone", weight)


def alone(parse: PhraseParse, note: str, weight: float) -> TagParse:
    """A tree of the grammar alone as the result of a joint search that found none, or was not done."""
    given_up = "; ".join(filter(None, [parse.given_up, note]))
    return TagParse(parse.tree, parse.score, math.inf, parse.method, given_up=given_up, weight=weight)


def oracles_of(
    grammar: TreebankGrammar, scorer: TagScorer, words: Sequence[str], given: Sequence[str | None] | None
) -> tuple[GrammarOracle, TagOracle]:
    """Both models over the tags that both have for each word, of words with a given tag only over this one."""
    names = grammar.tags
    place = {tag: number for number, tag in enumerate(names)}
    columns = np.array([place.get(tag, -1) for tag in scorer.tags], dtype=np.intp)
    by_tagger = np.zeros((len(words), len(names) + 1), dtype=bool)
    by_tagger[:, columns] |= considered(scorer, len(words))
    sentence = Prepared(grammar.model, words, given, None, (), (), by_tagger[:, :-1])
    word, tag = np.nonzero(sentence.possible_tags())
    variables = TagVariables(word, tag, (len(words), len(names)))
    every = np.ones(variables.count, dtype=bool)
    return GrammarOracle(sentence, variables, every), TagOracle(scorer, variables, columns, every)


def result_of(oracle: GrammarOracle, found: Relaxation, weight: float) -> TagParse:
    """The tree with the tags of the best answer."""
    nodes = oracle.solve(np.where(np.asarray(found.answer) > 0, 0.0, -np.inf)).structure
    return TagParse(
        oracle.sentence.tree(nodes),
        found.value,
        found.bound,
        "dual decomposition",
        gap=found.gap,
        spread=found.spread,
        tolerance=found.tolerance,
        evidence=found.evidence,
        iterations=found.iterations,
        weight=weight,
        disagreements=tuple(line.disagreements for line in found.trace),
    )


def tagged_sentences(trees: Iterable[Tree]) -> list[Sentence]:
    """The words of prepared trees with their tags as XPOS, for the training of a tagger."""
    return [Sentence.from_words(tree.leaves(), xpos=tree.tags()) for tree in trees]

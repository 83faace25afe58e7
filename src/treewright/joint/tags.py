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

from treewright.corpus import Sentence
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import PhraseParse, TreebankGrammar
from treewright.grammar.leaves import check_words
from treewright.grammar.treebank import Prepared
from treewright.relax import Answer, Oracle, Relaxation, branch, relax
from treewright.tagger import Tagger, viterbi

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]
MAX_ITERATIONS = 50  # as published
EXCLUDED = -1e6  # added to the score of a tag that is known already while others are listed; above any sum of scores


class TagScorer(Protocol):
    """A model of tag sequences of one sentence."""

    @property
    def tags(self) -> Sequence[str]:
        """The names of its tags."""

    def best(self, adjust: Vector) -> tuple[NDArray[np.int32], float]:
        """The best sequence with adjust[i, t] added to the score of tag t for word i, and its value, -inf for none."""


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

    def allowed(self, fixed: Mapping[int, bool]) -> Flags:
        """The variables that may be on when some are fixed: a tag that is on excludes the others of its word."""
        mask = np.ones(self.count, dtype=bool)
        for variable, on in fixed.items():
            if on:
                mask &= (self.word != self.word[variable]) | (np.arange(self.count) == variable)
            else:
                mask[variable] = False
        return mask


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
        return replace(self, mask=self.mask & self.variables.allowed(fixed))


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
        return replace(self, mask=self.mask & self.variables.allowed(fixed))


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


def agree_on_tags(
    grammar: TreebankGrammar,
    tagger: Tagger | TagScorer,
    words: Sequence[str],
    *,
    weight: float = 1.0,
    max_iterations: int = MAX_ITERATIONS,
    exact: bool = False,
    partial: bool = False,
) -> TagParse:
    """The tree whose tags grammar and tagger choose together.

    tagger is a Tagger of one column, whose tags are those of the trees, or a model with given scores (`Trigrams`);
    weight multiplies its scores. exact continues with branch and bound where the relaxation has no certificate after
    max_iterations. Without a tree it is an InfeasibleError, or with partial what the grammar alone finds.

    >>> from treewright.corpus import Tree
    >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> tagger = Trigrams(["PRP", "VBZ"], np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros((3, 3, 2)))
    >>> found = agree_on_tags(grammar, tagger, ["it", "rains"])
    >>> print(found.tree, found.score, found.certified, found.iterations)
    (S (NP (PRP it)) (VP (VBZ rains))) 2.0 True 1
    """
    check_words(words)
    scorer = SentenceTagger(tagger, words) if isinstance(tagger, Tagger) else tagger
    try:
        oracles = oracles_of(grammar, scorer, words)
        found = relaxed(oracles, weight, max_iterations, exact)
        if found.answer is None:
            raise InfeasibleError("the grammar has no tree with tags that the tagger considers")
    except InfeasibleError:
        if not partial:
            raise
        alone = grammar.parse(words, partial=True)
        given_up = alone.given_up or "no tree with tags that the tagger considers; that of the grammar alone"
        return TagParse(alone.tree, alone.score, math.inf, "dd", given_up=given_up, weight=weight)
    return result_of(oracles[0], found, weight)


def oracles_of(grammar: TreebankGrammar, scorer: TagScorer, words: Sequence[str]) -> tuple[GrammarOracle, TagOracle]:
    """Both models over the tags that both have for each word."""
    names = grammar.tags
    place = {tag: number for number, tag in enumerate(names)}
    columns = np.array([place.get(tag, -1) for tag in scorer.tags], dtype=np.intp)
    by_tagger = np.zeros((len(words), len(names) + 1), dtype=bool)
    by_tagger[:, columns] |= considered(scorer, len(words))
    sentence = Prepared(grammar.model, words, None, None, (), (), by_tagger[:, :-1])
    word, tag = np.nonzero(sentence.possible_tags())
    variables = TagVariables(word, tag, (len(words), len(names)))
    every = np.ones(variables.count, dtype=bool)
    return GrammarOracle(sentence, variables, every), TagOracle(scorer, variables, columns, every)


def relaxed(oracles: Sequence[Oracle], weight: float, max_iterations: int, exact: bool) -> Relaxation:
    """The relaxation, closed by branch and bound if asked for."""
    weights = [1.0, weight]
    found = relax(oracles, weights=weights, max_iterations=max_iterations, trace=True)
    if not exact or found.certificate is not None:
        return found
    closed = branch(oracles, weights=weights, max_iterations=max_iterations)
    return replace(closed, iterations=closed.iterations + found.iterations, trace=found.trace)


def result_of(oracle: GrammarOracle, found: Relaxation, weight: float) -> TagParse:
    """The tree with the tags of the best answer."""
    nodes = oracle.solve(np.where(np.asarray(found.answer) > 0, 0.0, -np.inf)).structure
    evidence: Any = found.certificate or "bound"
    return TagParse(
        oracle.sentence.tree(nodes),
        found.value,
        found.bound,
        "dd",
        gap=found.gap,
        spread=found.spread,
        tolerance=found.tolerance,
        evidence=evidence,
        iterations=found.iterations,
        weight=weight,
        disagreements=tuple(line.disagreements for line in found.trace),
    )


def tagged_sentences(trees: Iterable[Any]) -> list[Sentence]:
    """The words of prepared trees with their tags as XPOS, for the training of a tagger."""
    return [Sentence.from_words(tree.leaves(), xpos=tree.tags()) for tree in trees]

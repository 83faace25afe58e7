"""A grammar and a trigram tagger that agree on tags, by dual decomposition (Rush et al. 2010, sections 4.1 and 5).

    maximise  log P(tree) + weight * score(tags)   such that the tree has these tags

The grammar is model 1, as in the paper's experiments, or a treebank grammar. Both models choose among the same tags of
each word: those that the tagger considers and, with a treebank grammar, that the grammar has for the word. The words
that model 1 leaves out (quotation marks and full stops) are those to which the tagger gives their tags. A certificate
is about the trees with such tags.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.calls import explained
from treewright.errors import InfeasibleError
from treewright.grammar import Collins, LexicalParse, ParseForest, PhraseParse, TreebankGrammar
from treewright.grammar.leaves import check_words
from treewright.grammar.treebank import MAX_WORDS, Prepared
from treewright.joint.agreement import (
    MAX_ITERATIONS,
    SPLIT_AFTER,
    Flags,
    JointParse,
    SharedOracle,
    Vector,
    agreed,
    as_joint,
    certificate,
)
from treewright.joint.taggers import ConsideredTags, SentenceTagger, TagOracle, TagScorer, TagVariables
from treewright.relax import Answer, Relaxation, Step
from treewright.tagger import Tagger

CONDITION = "with tags that the tagger considers"


@dataclass(frozen=True)
class TagParse(PhraseParse):
    """A tree whose tags maximise the sum of the scores of grammar and tagger; score and bound are of this sum.

    A certificate is about the trees with tags that the tagger considers.
    """

    weight: float = 1.0
    disagreements: tuple[int, ...] = ()  # in each iteration, words and tags on which the models disagreed
    nodes: int = 1  # parts of the problem that were solved; 1: it was not split


@dataclass(frozen=True, eq=False)
class GrammarOracle(SharedOracle[TagVariables]):
    """The best tree of a treebank grammar with tags among the shared variables."""

    sentence: Prepared

    def solve(self, multipliers: Vector) -> Answer:
        """The tree that maximises log P plus the multipliers of its tags."""
        model = self.sentence.model
        adjust = self.variables.matrix(np.where(self.mask, multipliers, -np.inf))
        lexical = np.ascontiguousarray(self.sentence.lexical + adjust[:, model.tag_of_preterminal])
        value, nodes = model.kernel.parse(lexical, *self.sentence.constraints)
        if value == -math.inf:
            return self.none()
        return Answer(value, self.variables.assignment(tags_of(nodes, self.sentence)), nodes)

    def score(self, assignment: Vector) -> float:
        """log P of the best tree with these tags."""
        return self.solve(np.where(assignment > 0, 0.0, -np.inf)).value

    def result(self, found: Relaxation, weight: float) -> TagParse:
        """The tree with the tags of the best answer."""
        nodes = self.solve(np.where(np.asarray(found.answer) > 0, 0.0, -np.inf)).structure
        return TagParse(self.sentence.tree(nodes), **certificate(found, weight))


def tags_of(nodes: NDArray[np.int32], sentence: Prepared) -> list[int]:
    """The number of the tag of each word in the nodes of a tree."""
    model = sentence.model
    tag = dict(zip(model.preterminals.tolist(), model.tag_of_preterminal.tolist(), strict=True))
    words = nodes[nodes[:, 2] - nodes[:, 1] == 1]
    return [tag[model.chains[chain][-1]] for chain, _, _ in words.tolist()]


@dataclass(frozen=True, eq=False)
class ForestOracle(SharedOracle[TagVariables]):
    """The best tree of a forest of model 1 with tags among the shared variables."""

    forest: ParseForest

    def _adjustment(self, values: Vector) -> tuple[Vector, Vector]:
        """Adjustments of arcs, which are zero, and of the tags of the words that are parsed."""
        sentence = self.forest.sentence
        nodes, tags = len(sentence.kept) + 1, len(sentence.grammar.symbols.tags)
        of_tags = np.zeros((len(sentence.words), len(sentence.grammar.tags)))
        of_tags[self.variables.word, self.variables.tag] = np.where(self.mask, values, -np.inf)
        return np.zeros((nodes, nodes)), np.ascontiguousarray(of_tags[sentence.kept, :tags])

    def solve(self, multipliers: Vector) -> Answer:
        """The tree that maximises log P plus the multipliers of its tags."""
        assert self.forest.forest is not None
        value, rows, _ = self.forest.forest.best(*self._adjustment(multipliers))
        if value == -math.inf:
            return self.none()
        sentence = self.forest.sentence
        words = rows[rows[:, 0] <= len(sentence.grammar.symbols.tags)]
        tags = np.full(len(sentence.words), -1)
        tags[np.asarray(sentence.kept)[words[:, 1]]] = words[:, 0] - 1
        return Answer(value, self.variables.assignment(tags))

    def score(self, assignment: Vector) -> float:
        """log P of the best tree with these tags."""
        return self.solve(np.where(assignment > 0, 0.0, -np.inf)).value

    def result(self, found: Relaxation, weight: float) -> JointParse:
        """The tree with the tags of the best answer."""
        best = self.forest.best_of_kept(*self._adjustment(np.where(np.asarray(found.answer) > 0, 0.0, -np.inf)))
        forest, shared = self.forest, certificate(found, weight)
        return JointParse(
            best.tree, given_up=forest.given_up, heads=best.heads, beam=forest.beam, condition=CONDITION, **shared
        )


@dataclass(frozen=True, eq=False)
class TagProblem:
    """One sentence of a grammar and a tagger; the fields are the arguments of `agree_on_tags`."""

    grammar: TreebankGrammar | Collins
    tagger: Tagger | TagScorer
    words: Sequence[str]
    tags: Sequence[str | None] | None = None
    partial: bool = False
    max_words: int | None = MAX_WORDS

    @cached_property
    def scorer(self) -> TagScorer:
        """The tagger for this sentence."""
        return SentenceTagger(self.tagger, self.words) if isinstance(self.tagger, Tagger) else self.tagger

    @cached_property
    def oracles(self) -> tuple[GrammarOracle | ForestOracle, TagOracle]:
        """The best trees and the best tags."""
        return tag_oracles(self.grammar, self.scorer, self.words, self.tags, self.max_words)

    def parse(
        self,
        weight: float,
        max_iterations: int = MAX_ITERATIONS,
        exact: bool = False,
        step: Step | None = None,
        split_after: int | None = SPLIT_AFTER,
    ) -> TagParse | JointParse:
        """The tree whose tags both choose together; see `agree_on_tags`."""
        if (
            isinstance(self.grammar, TreebankGrammar)
            and self.max_words is not None
            and len(self.words) > self.max_words
        ):
            return divided(self.grammar, self.scorer, self.words, self.tags, self.max_words, weight)
        try:
            return self._agreed(weight, max_iterations, exact, step, split_after)
        except InfeasibleError:
            if not self.partial:
                raise
            note = "no tree with tags that the tagger considers; that of the grammar alone"
            best = self.grammar.parse(self.words, tags=self.tags, partial=True, max_words=self.max_words)
            return alone(best, note, weight)

    def _agreed(
        self, weight: float, max_iterations: int, exact: bool, step: Step | None, split_after: int | None
    ) -> TagParse | JointParse:
        grammar = self.oracles[0]
        if isinstance(grammar, ForestOracle) and grammar.forest.forest is None:
            return as_joint(grammar.forest.best_of_kept(np.zeros((1, 1))), weight)
        found = agreed(self.oracles, weight, max_iterations, exact, step, split_after)
        if found.answer is None:
            raise InfeasibleError("the grammar has no tree with tags that the tagger considers")
        return grammar.result(found, weight)


@explained
def agree_on_tags(
    grammar: TreebankGrammar | Collins,
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
    split_after: int | None = SPLIT_AFTER,
) -> TagParse | JointParse:
    """The tree of words whose tags grammar and tagger choose together; with model 1 (`Collins`) it has dependencies.

    tagger is a Tagger of one column, whose tags are those of the trees, or a model with given scores (`Trigrams`);
    weight multiplies its scores. tags keeps the tag of each word that has one there (None: free). Where
    there is no agreement after split_after iterations (None: after max_iterations), the problem is split by branch and
    bound; max_iterations are those of all parts together, and exact continues without this limit. Without a tree it is
    an InfeasibleError, or with partial what the grammar alone finds. In a sentence of more than max_words model 1 has a
    narrower beam, and a treebank grammar, which divides it, the tags of the tagger. `given_up` of the result says so.
    step is a rule of treewright.relax.

    >>> from treewright.corpus import Tree
    >>> from treewright.joint import Trigrams
    >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> tagger = Trigrams(["PRP", "VBZ"], np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros((3, 3, 2)))
    >>> found = agree_on_tags(grammar, tagger, ["it", "rains"])
    >>> print(found.tree, round(found.score, 3), found.certified, found.iterations)
    (S (NP (PRP it)) (VP (VBZ rains))) 1.907 True 1
    """
    check_words(words)
    problem = TagProblem(grammar, tagger, words, tags, partial, max_words)
    return problem.parse(weight, max_iterations, exact, step, split_after)


def tag_oracles(
    grammar: TreebankGrammar | Collins,
    scorer: TagScorer,
    words: Sequence[str],
    given: Sequence[str | None] | None,
    max_words: int | None,
) -> tuple[GrammarOracle | ForestOracle, TagOracle]:
    """Both models over the tags that both have for each word, of words with a given tag only over this one."""
    considered = ConsideredTags(scorer, len(words))
    place = {tag: number for number, tag in enumerate(grammar.tags)}
    columns = np.array([place.get(tag, -1) for tag in considered.names], dtype=np.intp)
    flags = np.zeros((len(words), len(place) + 1), dtype=bool)  # the last column is that of -1
    flags[:, columns] |= considered.flags
    flags = flags[:, :-1]
    of_grammar: GrammarOracle | ForestOracle
    if isinstance(grammar, Collins):
        forest = grammar.forest(words, tags=given, max_words=max_words, considered=considered.by_word())
        of_grammar = forest_oracle(forest, given or [None] * len(words), flags)
    else:
        sentence = Prepared(grammar.model, words, given, None, (), (), flags)
        word, tag = np.nonzero(sentence.possible_tags())
        of_grammar = GrammarOracle(
            TagVariables(word, tag, np.zeros_like(flags)), np.ones(len(word), np.bool_), sentence
        )
    return of_grammar, TagOracle(of_grammar.variables, of_grammar.mask, scorer, columns)


def forest_oracle(forest: ParseForest, given: Sequence[str | None], considered: Flags) -> ForestOracle:
    """The trees of model 1; variables are the tags in the forest of the words without a given tag.

    For the other words the tagger may choose the tag that is given, or with which a word is left out, if it considers
    this tag, and any tag otherwise.
    """
    sentence, place = forest.sentence, {tag: number for number, tag in enumerate(forest.sentence.grammar.tags)}
    shared, others = np.zeros_like(considered), considered.copy()
    if forest.forest is not None:
        kept, tags = forest.forest.words().T
        shared[np.asarray(sentence.kept)[kept], tags - 1] = considered[np.asarray(sentence.kept)[kept], tags - 1]
    for number, (own, left_out) in enumerate(zip(given, sentence.dropped, strict=True)):
        name = left_out if own is None else own
        if name is None:
            continue
        shared[number] = False
        if considered[number, place[name]]:
            others[number] = np.arange(len(place)) == place[name]
    others[shared.any(axis=1)] = False
    word, tag = np.nonzero(shared)
    return ForestOracle(TagVariables(word, tag, others), np.ones(len(word), dtype=np.bool_), forest)


def divided(
    grammar: TreebankGrammar,
    scorer: TagScorer,
    words: Sequence[str],
    tags: Sequence[str | None] | None,
    max_words: int,
    weight: float,
) -> TagParse | JointParse:
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


def alone(parse: PhraseParse, note: str, weight: float) -> TagParse | JointParse:
    """A tree of the grammar alone as the result of a joint search that found none, or was not done."""
    given_up = "; ".join(filter(None, [parse.given_up, note]))
    result = JointParse if isinstance(parse, LexicalParse) else TagParse
    values = {field.name: getattr(parse, field.name) for field in fields(parse)}
    unknown = {"bound": math.inf, "gap": math.inf, "given_up": given_up}
    return result(**{**values, **unknown}, weight=weight)

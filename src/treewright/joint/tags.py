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
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.errors import InfeasibleError
from treewright.grammar import Collins, TreebankGrammar
from treewright.grammar.collins_forest import ParseForest
from treewright.grammar.treebank import MAX_WORDS, ChartSentence
from treewright.grammar.words import check_words
from treewright.joint.agreement import (
    AgreementOptions,
    Flags,
    JointParse,
    SharedOracle,
    TagParse,
    Vector,
    agree,
    certificate,
    grammar_result,
)
from treewright.joint.taggers import ConsideredTags, SentenceTagger, TagOracle, TagScorer, TagVariables
from treewright.relax import Answer, Relaxation
from treewright.tagger import Tagger

CONDITION = "with tags that the tagger considers"


@dataclass(frozen=True, eq=False)
class GrammarOracle(SharedOracle[TagVariables]):
    """The best tree of a treebank grammar with tags among the shared variables."""

    sentence: ChartSentence

    def solve(self, multipliers: Vector) -> Answer:
        """Find the tree that maximises log P plus the multipliers of its tags."""
        model = self.sentence.model
        adjust = self.variables.matrix(np.where(self.mask, multipliers, -np.inf))
        lexical = np.ascontiguousarray(self.sentence.lexical + adjust[:, model.tag_of_preterminal])
        value, nodes = model.kernel.parse(lexical, self.sentence.constraints)
        if value == -math.inf:
            return self.none()
        return Answer(value, self.variables.assignment(tags_of(nodes, self.sentence)), nodes)

    def result(self, relaxation: Relaxation, weight: float) -> TagParse:
        """Return the tree with the tags of the best answer."""
        nodes = self.solve(np.where(np.asarray(relaxation.answer) > 0, 0.0, -np.inf)).structure
        return TagParse(self.sentence.tree(nodes), **certificate(relaxation, weight))


def tags_of(nodes: NDArray[np.int32], sentence: ChartSentence) -> list[int]:
    """Return the number of the tag of each word in the nodes of a tree."""
    model = sentence.model
    tag = dict(zip(model.preterminals.tolist(), model.tag_of_preterminal.tolist(), strict=True))
    words = nodes[nodes[:, 2] - nodes[:, 1] == 1]
    return [tag[model.chains[chain][-1]] for chain, _, _ in words.tolist()]


@dataclass(frozen=True, eq=False)
class ForestOracle(SharedOracle[TagVariables]):
    """The best tree of a forest of model 1 with tags among the shared variables."""

    forest: ParseForest

    def _adjustment(self, values: Vector) -> tuple[Vector, Vector]:
        """Return adjustments of arcs, which are zero, and of the tags of the words that are parsed."""
        sentence = self.forest.sentence
        nodes, tags = len(sentence.kept) + 1, len(sentence.grammar.symbols.tags)
        of_tags = np.zeros((len(sentence.words), len(sentence.grammar.tags)))
        of_tags[self.variables.word, self.variables.tag] = np.where(self.mask, values, -np.inf)
        return np.zeros((nodes, nodes)), np.ascontiguousarray(of_tags[sentence.kept, :tags])

    def solve(self, multipliers: Vector) -> Answer:
        """Find the tree that maximises log P plus the multipliers of its tags."""
        assert self.forest.forest is not None
        value, rows, _ = self.forest.forest.best(*self._adjustment(multipliers))
        if value == -math.inf:
            return self.none()
        sentence = self.forest.sentence
        words = rows[rows[:, 0] <= len(sentence.grammar.symbols.tags)]
        tags = np.full(len(sentence.words), -1)
        tags[np.asarray(sentence.kept)[words[:, 1]]] = words[:, 0] - 1
        return Answer(value, self.variables.assignment(tags))

    def result(self, relaxation: Relaxation, weight: float) -> JointParse:
        """Return the tree with the tags of the best answer."""
        best = self.forest.best_of_kept(*self._adjustment(np.where(np.asarray(relaxation.answer) > 0, 0.0, -np.inf)))
        forest, shared = self.forest, certificate(relaxation, weight)
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

    def __post_init__(self) -> None:
        check_words(self.words)

    @cached_property
    def scorer(self) -> TagScorer:
        """The tagger for this sentence."""
        return SentenceTagger(self.tagger, self.words) if isinstance(self.tagger, Tagger) else self.tagger

    @cached_property
    def oracles(self) -> tuple[GrammarOracle | ForestOracle, TagOracle]:
        """Both models over the tags that both have for each word, of words with a given tag only over this one."""
        words, grammar = self.words, self.grammar
        considered = ConsideredTags(self.scorer, len(words))
        number_of = {tag: number for number, tag in enumerate(grammar.tags)}
        columns = np.array([number_of.get(tag, -1) for tag in considered.names], dtype=np.intp)
        flags = np.zeros((len(words), len(number_of) + 1), dtype=bool)  # the last column is that of -1
        flags[:, columns] |= considered.flags
        flags = flags[:, :-1]
        oracle: GrammarOracle | ForestOracle
        if isinstance(grammar, Collins):
            forest = grammar.forest(words, tags=self.tags, max_words=self.max_words, considered=considered.by_word())
            oracle = forest_oracle(forest, self.tags or [None] * len(words), flags)
        else:
            sentence = ChartSentence(grammar.model, words, tags=self.tags, considered=flags)
            word, tag = np.nonzero(sentence.possible_tags())
            variables = TagVariables(word, tag, np.zeros_like(flags))
            oracle = GrammarOracle(variables, np.ones(len(word), dtype=np.bool_), sentence)
        return oracle, TagOracle(oracle.variables, oracle.mask, self.scorer, columns)

    def parse(self, weight: float, **search: Unpack[AgreementOptions]) -> TagParse | JointParse:
        """Find the tree whose tags both choose together; search is that of `agree_on_tags`."""
        grammar, limit = self.grammar, self.max_words
        if isinstance(grammar, TreebankGrammar) and limit is not None and len(self.words) > limit:
            parse = grammar.parse(self.words, tags=self.tags_of_tagger(), max_words=limit)
            return grammar_result(parse, weight, "the tags are those of the tagger alone")
        try:
            return self._agree(weight, **search)
        except InfeasibleError:
            if not self.partial:
                raise
            note = "no tree with tags that the tagger considers; that of the grammar alone"
            best = grammar.parse(self.words, tags=self.tags, partial=True, max_words=limit)
            return grammar_result(best, weight, note)

    def _agree(self, weight: float, **search: Unpack[AgreementOptions]) -> TagParse | JointParse:
        grammar = self.oracles[0]
        if isinstance(grammar, ForestOracle) and grammar.forest.forest is None:
            return grammar_result(grammar.forest.best_of_kept(np.zeros((1, 1))), weight)
        relaxation = agree(self.oracles, weight, **search)
        if relaxation.answer is None:
            raise InfeasibleError("the grammar has no tree with tags that the tagger considers")
        return grammar.result(relaxation, weight)

    def tags_of_tagger(self) -> list[str | None]:
        """Return the given tags, and for the other words the best of the tagger that the grammar has."""
        names, known = list(self.scorer.tags), set(self.grammar.tags)
        best, value = self.scorer.best(np.zeros((len(self.words), len(names))))
        best_tags = [names[tag] for tag in best] if value > -math.inf else [""] * len(self.words)
        return [
            given if given is not None else tag if tag in known else None
            for given, tag in zip(self.tags or [None] * len(self.words), best_tags, strict=True)
        ]


def agree_on_tags(
    grammar: TreebankGrammar | Collins,
    tagger: Tagger | TagScorer,
    words: Sequence[str],
    *,
    tags: Sequence[str | None] | None = None,
    weight: float = 1.0,
    partial: bool = False,
    max_words: int | None = MAX_WORDS,
    **search: Unpack[AgreementOptions],
) -> TagParse | JointParse:
    """Find the tree of words whose tags grammar and tagger choose together; with `Collins` it has dependencies.

    tagger is a Tagger of one column, whose tags are those of the trees, or a model with given scores (`Trigrams`);
    weight multiplies its scores. tags keeps the tag of each word that has one there (None: free). Without a tree it is
    an InfeasibleError, or with partial what the grammar alone finds. In a sentence of more than max_words model 1 has a
    narrower beam, and a treebank grammar, which divides it, the tags of the tagger. `given_up` of the result says so.
    search is that of `agree_on_arcs`.

    >>> from treewright.corpus import Tree
    >>> from treewright.joint import Trigrams
    >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> tagger = Trigrams(["PRP", "VBZ"], np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros((3, 3, 2)))
    >>> joint = agree_on_tags(grammar, tagger, ["it", "rains"])
    >>> print(joint.tree, round(joint.score, 3), joint.certified, joint.iterations)
    (S (NP (PRP it)) (VP (VBZ rains))) 1.907 True 1
    """
    return TagProblem(grammar, tagger, words, tags, partial, max_words).parse(weight, **search)


def forest_oracle(forest: ParseForest, given: Sequence[str | None], considered: Flags) -> ForestOracle:
    """Return the trees of model 1; variables are the tags in the forest of the words without a given tag.

    For the other words the tagger may choose the tag that is given, or with which a word is left out, if it considers
    this tag, and any tag otherwise.
    """
    sentence, number_of = forest.sentence, {tag: number for number, tag in enumerate(forest.sentence.grammar.tags)}
    shared, others = np.zeros_like(considered), considered.copy()
    if forest.forest is not None:
        kept, tags = forest.forest.words().T
        shared[np.asarray(sentence.kept)[kept], tags - 1] = considered[np.asarray(sentence.kept)[kept], tags - 1]
    for number, (tag_given, left_out) in enumerate(zip(given, sentence.dropped, strict=True)):
        name = left_out if tag_given is None else tag_given
        if name is None:
            continue
        shared[number] = False
        if considered[number, number_of[name]]:
            others[number] = np.arange(len(number_of)) == number_of[name]
    others[shared.any(axis=1)] = False
    word, tag = np.nonzero(shared)
    return ForestOracle(TagVariables(word, tag, others), np.ones(len(word), dtype=np.bool_), forest)

"""Treebank grammars: train, save, load, parse."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.checks import Positive, check
from treewright.corpus import Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import file
from treewright.grammar.constraints import (
    ChartConstraints,
    Constraint,
    Limits,
    chart_constraints,
    checked_adjustment,
    checked_tags,
)
from treewright.grammar.counts import Symbol
from treewright.grammar.model import TreebankModel, estimate
from treewright.grammar.options import TreebankOptions
from treewright.grammar.result import BracketMarginals, PhraseParse
from treewright.grammar.trees import ROOT, TreeSource, metadata_of, training_trees
from treewright.grammar.words import check_words, leaf_of
from treewright.model.component import ArrayForm, Arrays, Component, Stored
from treewright.model.run import Run, RunOptions
from treewright.streams import check_count

MAX_WORDS = 150  # of a sentence that is parsed in one piece; not tuned, it bounds time and memory

Scores = NDArray[np.float64]


class TreebankGrammar(Component):
    """A probabilistic context-free grammar read off a treebank, with exact charts (CKY).

    >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> parse = grammar.parse(["it", "rains"])
    >>> print(parse.tree)
    (S (NP (PRP it)) (VP (VBZ rains)))
    >>> round(parse.score, 3), parse.certified
    (-0.093, True)
    """

    KIND: ClassVar[str] = "treebank grammar"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

    def __init__(self, model: TreebankModel) -> None:
        self.model = model

    @classmethod
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        options: TreebankOptions | None = None,
        **how: Unpack[RunOptions],
    ) -> TreebankGrammar:
        """Count the rules of train, trees or a file of trees in brackets; they are prepared by `trees_of`.

        options say how much context labels have. Training is one pass of counting, which has no use for dev and the
        keywords of `RunOptions`.
        """
        Run(**how)  # refuses other keywords
        trees = training_trees(train)
        return cls(replace(estimate(trees, options or TreebankOptions()), metadata=metadata_of(trees)))

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        return file.to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> TreebankGrammar:
        """Make the grammar of a header and arrays; messages name their source."""
        grammar = cls(file.from_arrays(header, arrays))
        _ = grammar.model.kernel  # it checks the rest of the model
        return grammar

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of phrases."""
        return self.model.names.labels

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""
        return self.model.names.tags

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What is known about the training data: the numbers of trees and words, their wrapper and quotation marks."""
        return self.model.metadata

    def parse(
        self,
        words: Sequence[str],
        *,
        partial: bool = False,
        max_words: int | None = MAX_WORDS,
        **limits: Unpack[Limits],
    ) -> PhraseParse:
        """Find the best tree of a sentence of words.

        limits are the keywords tags, adjust, require and forbid. tags keeps the tag of each word that has one there
        (None: free). adjust[i, t] is added to the score of the tag self.tags[t] for word i. require and forbid have
        spans (first, last), labelled spans (label, first, last) and tags (word, tag), counted from 0, last excluded.
        Without a tree it is an InfeasibleError, or with partial the fewest phrases that cover the sentence, below a
        root without a label. A sentence of more than max_words is divided into parts that are covered one by one;
        `given_up` of the result says so.

        >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
        >>> print(grammar.parse(["it", "it", "rains"], partial=True).tree)
        ( (NP (PRP it)) (S (NP (PRP it)) (VP (VBZ rains))))
        """
        sentence = ChartSentence(self.model, words, **limits)
        if max_words is not None and len(words) > max_words:
            return sentence.divide(max_words)
        value, nodes = self.model.kernel.parse(sentence.lexical, sentence.constraints)
        if value > -np.inf:
            return PhraseParse(sentence.tree(nodes), value, value)
        if not partial:
            raise InfeasibleError(sentence.why_infeasible())
        return sentence.cover()

    def kbest(self, words: Sequence[str], k: int, **limits: Unpack[Limits]) -> list[PhraseParse]:
        """Find the k best trees, best first, or all if there are fewer; words and limits are those of `parse`.

        Only the first is certified as the best one, and those of the same value.
        """
        check(k, Positive, "k")
        sentence = ChartSentence(self.model, words, **limits)
        trees = self.model.kernel.kbest(sentence.lexical, k, sentence.constraints)
        best = trees[0][0] if trees else -np.inf
        return [PhraseParse(sentence.tree(nodes), value, best) for value, nodes in trees]

    def marginals(self, words: Sequence[str], **limits: Unpack[Limits]) -> BracketMarginals:
        """Compute the probability of each bracket and each tag over all trees; the arguments are those of `parse`."""
        sentence = ChartSentence(self.model, words, **limits)
        names = self.model.names
        begins, numbers = names.chain_table(names.labels)
        total, brackets, preterminals = self.model.kernel.sums(
            sentence.lexical, begins, numbers, len(names.labels), sentence.constraints
        )
        if total == -np.inf:
            raise InfeasibleError(sentence.why_infeasible())
        by_tag = np.zeros((len(words), len(names.tags)))
        np.add.at(by_tag.T, self.model.tag_of_preterminal, preterminals.T)
        return BracketMarginals(names.labels, brackets, names.tags, by_tag, total)

    def __repr__(self) -> str:
        model = self.model
        return (
            f"TreebankGrammar({len(self.labels)} labels, {len(self.tags)} tags; {len(model.symbols)} symbols, "
            f"{len(model.rules)} rules, {len(model.chains)} chains, {len(model.lexicon.words)} words)"
        )


class ChartSentence:
    """A sentence with its lexical scores and constraints, as the kernel takes them."""

    def __init__(
        self,
        model: TreebankModel,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        require: Iterable[Constraint] = (),
        forbid: Iterable[Constraint] = (),
        considered: NDArray[np.bool_] | None = None,
    ) -> None:
        """considered[i, t]: whether another model considers the tag t of word i; None if there is no other model."""
        check_words(words)
        self.model, self.words = model, list(words)
        given = enumerate(checked_tags(tags, len(words)))
        required = [*require, *((place, tag) for place, tag in given if tag is not None)]
        limits = chart_constraints(len(words), model.names, required, forbid)
        if considered is not None:
            limits.tags = considered if limits.tags is None else limits.tags & considered
        self.constraints = limits.arguments()
        self.has_constraints = limits.closed is not None or bool(limits.masks)
        self.lexical = self._scores(limits, adjust)

    def _scores(self, limits: ChartConstraints, adjust: ArrayLike | None) -> Scores:
        lexicon, tags = self.model.lexicon, self.model.tag_of_preterminal
        scores = limit_scores(lexicon.scores(self.words), tags, limits, lexicon.floors())
        return np.ascontiguousarray(self._adjusted(scores, tags, adjust))

    def _adjusted(self, scores: Scores, tags: NDArray[np.integer], adjust: ArrayLike | None) -> Scores:
        """Add the adjustment of the tag of each column."""
        if adjust is None:
            return scores
        return scores + checked_adjustment(adjust, (len(self.words), len(self.model.names.tags)))[:, tags]

    def possible_tags(self) -> NDArray[np.bool_]:
        """Return whether a word may have a tag."""
        possible = np.zeros((len(self.words), len(self.model.names.tags)), dtype=bool)
        np.logical_or.at(possible.T, self.model.tag_of_preterminal, (self.lexical > -np.inf).T)
        return possible

    def tree(self, nodes: NDArray[np.int32]) -> Tree:
        """Return the tree of nodes of the chart."""
        return tree_of(nodes, self.words, self.model.symbols, self.model.chains)

    def _parts(self, nodes: NDArray[np.int32], words: Sequence[str]) -> list[Tree | str]:
        """The parts of a cover, those of whole sentences without their root."""
        parts = parts_of(nodes, words, self.model.symbols, self.model.chains)
        return [child for tree in parts for child in (tree.children if tree.label == ROOT else [tree])]

    def cover(self) -> PhraseParse:
        """Find the fewest phrases that cover the sentence."""
        value, nodes = self.model.kernel.cover(self.lexical, self.constraints)
        if value == -np.inf:
            raise InfeasibleError(self.why_infeasible())
        count = len(parts_of(nodes, self.words, self.model.symbols, self.model.chains))
        phrases = "1 phrase covers" if count == 1 else f"{count} phrases cover"
        note = f"no tree over the whole sentence, which {phrases}"
        return PhraseParse(Tree("", self._parts(nodes, self.words)), value, np.inf, "cover", given_up=note)

    def divide(self, max_words: int) -> PhraseParse:
        """Divide the sentence into parts of at most max_words, each covered by the fewest trees."""
        if self.has_constraints:
            raise InputError(f"a sentence of {len(self.words)} words has constraints on spans; give max_words=None")
        trees: list[Tree | str] = []
        total, begins = 0.0, part_begins(self.words, max_words)
        for begin, end in zip(begins, [*begins[1:], len(self.words)], strict=True):
            value, nodes = self.model.kernel.cover(np.ascontiguousarray(self.lexical[begin:end]))
            trees += self._parts(nodes, self.words[begin:end])
            total += value
        return PhraseParse(Tree("", trees), total, np.inf, "cover", given_up=division_note(self.words, begins))

    def why_infeasible(self) -> str:
        """Say why there is no tree."""
        for place, row in enumerate(self.lexical):
            if not (row > -np.inf).any():
                word = self.words[place]
                return f"word {place} ({word!r}) has no tag that is allowed and that the grammar has for it"
        reason = "with these constraints" if self.has_constraints else "for these words"
        return f"the grammar has no tree {reason}; partial=True gives the fewest phrases that cover them"


def limit_scores(scores: Scores, tags: NDArray[np.integer], limits: ChartConstraints, floors: Scores) -> Scores:
    """Forbid tags that are not allowed; a word without any other tag has the scores of tags never seen with it.

    tags are those of the columns of scores and floors.
    """
    if limits.tags is None:
        return scores
    allowed = limits.tags[:, tags]
    limited: Scores = np.where(allowed, scores, -np.inf)
    impossible = np.isneginf(limited).all(axis=1)
    limited[impossible] = np.where(allowed[impossible], floors, -np.inf)
    return limited


def parts_of(
    nodes: NDArray[np.int32], words: Sequence[str], symbols: Sequence[Symbol], chains: Sequence[Sequence[int]]
) -> list[Tree]:
    """Return the trees of nodes (chain, first, last) of a chart, parents first, without inserted nodes."""
    stack: list[list[Tree]] = []
    for chain, first, last in nodes[::-1].tolist():
        *above, bottom = (symbols[number] for number in chains[chain])
        if last - first == 1:
            trees = [Tree(bottom.label, [leaf_of(words[first])])]
        else:
            children = stack.pop() + stack.pop()
            trees = children if bottom.is_inserted else [Tree(bottom.label, children)]
        for symbol in reversed(above):
            trees = [Tree(symbol.label, trees)]
        stack.append(trees)
    return [tree for trees in reversed(stack) for tree in trees]


def tree_of(
    nodes: NDArray[np.int32], words: Sequence[str], symbols: Sequence[Symbol], chains: Sequence[Sequence[int]]
) -> Tree:
    """Return the tree of a chart below the grammar's root; several trees stay below a root without a label."""
    [root] = parts_of(nodes, words, symbols, chains)
    only = root.children[0]
    return only if len(root.children) == 1 and isinstance(only, Tree) else Tree("", root.children)


def division_note(words: Sequence[str], begins: Sequence[int]) -> str:
    """Say that a long sentence was parsed in parts."""
    return (
        f"{len(words)} words were divided into {len(begins)} parts before word "
        f"{', '.join(map(str, begins[1:]))}; no phrase over several parts was considered"
    )


def part_begins(words: Sequence[str], max_words: int) -> list[int]:
    """Return where the parts of a long sentence begin: after the last punctuation in the second half of a full part.

    >>> part_begins(["a", "b", ",", "c", "d", "e", "f"], 4)
    [0, 3]
    """
    check_count(max_words, "max_words")
    begins = [0]
    while len(words) - begins[-1] > max_words:
        latest = begins[-1] + max_words
        places = range(latest, latest - max_words // 2, -1)
        begins.append(next((position for position in places if not any(map(str.isalnum, words[position - 1]))), latest))
    return begins

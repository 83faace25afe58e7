"""The public class of treebank grammars: train, save, load, parse."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.calls import explained, explained_methods
from treewright.checks import check
from treewright.corpus import Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import file
from treewright.grammar.constraints import ChartConstraints, Constraint, chart_constraints, checked_adjustment
from treewright.grammar.counts import Symbol
from treewright.grammar.leaves import check_words, leaf_of
from treewright.grammar.model import TreebankModel, estimated
from treewright.grammar.options import TreebankOptions
from treewright.grammar.result import BracketMarginals, PhraseParse, number_of
from treewright.grammar.trees import ROOT, TreeSource, trees_of
from treewright.learn import Report
from treewright.model.component import ArrayForm, Arrays, Component, Stored
from treewright.streams import check_count

MAX_WORDS = 150  # of a sentence that is parsed in one piece; by convention, it bounds time and memory

Scores = NDArray[np.float64]


@explained_methods
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
    FORMAT: ClassVar[int] = 1  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

    def __init__(self, model: TreebankModel) -> None:
        self.model = model

    @classmethod
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        seed: int | None = None,
        options: TreebankOptions | None = None,
        report: Callable[[Report], None] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> TreebankGrammar:
        """Count the rules of train, trees or a file of trees in brackets; they are prepared by `prepared`.

        options say how much context labels have. dev, seed, report, checkpoint and resume are arguments of every
        component; training is one pass of counting, which has no use for them.
        """
        trees, _ = trees_of(train)
        if not trees:
            raise InputError("there is no tree to train on")
        return cls.counted(trees, options or TreebankOptions())

    @classmethod
    def counted(cls, trees: Sequence[Tree], options: TreebankOptions) -> TreebankGrammar:
        """The grammar of prepared trees, by options."""
        words = sum(len(tree.leaves()) for tree in trees)
        metadata = {"trees": len(trees), "words": words, "version": version("treewright")}
        return cls(replace(estimated(trees, options), metadata=metadata))

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        return file.to_arrays(self.model)

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> TreebankGrammar:
        """The inverse of `to_arrays`; messages name the source of the arrays."""
        found = cls(file.from_arrays(header, arrays))
        _ = found.model.kernel  # it checks the rest of the model
        return found

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of phrases."""
        return self.model.names.labels

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""
        return self.model.names.tags

    @explained
    def parse(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        require: Iterable[Constraint] = (),
        forbid: Iterable[Constraint] = (),
        partial: bool = False,
        max_words: int | None = MAX_WORDS,
    ) -> PhraseParse:
        """The best tree of a sentence of words.

        tags keeps the tag of each word that has one there (None: free). adjust[i, t] is added to the score of the tag
        self.tags[t] for word i. require and forbid have spans (first, last), labelled spans (label, first, last) and
        tags (word, tag), counted from 0, last excluded. Without a tree it is an InfeasibleError, or with partial
        the fewest phrases that cover the sentence, below a root without a label. A sentence of more than max_words is
        divided into parts that are covered one by one; `given_up` of the result says so.

        >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
        >>> print(grammar.parse(["it", "it", "rains"], partial=True).tree)
        ( (NP (PRP it)) (S (NP (PRP it)) (VP (VBZ rains))))
        """
        sentence = Prepared(self.model, words, tags, adjust, require, forbid)
        if max_words is not None and len(words) > max_words:
            if sentence.has_constraints:
                raise InputError(f"a sentence of {len(words)} words has constraints on spans; give max_words=None")
            return sentence.divided(max_words)
        value, nodes = self.model.kernel.parse(sentence.lexical, *sentence.constraints)
        if value > -np.inf:
            return PhraseParse(sentence.tree(nodes), value, value)
        if not partial:
            raise InfeasibleError(sentence.why_infeasible())
        return sentence.covered()

    @explained
    def kbest(
        self,
        words: Sequence[str],
        k: int,
        *,
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        require: Iterable[Constraint] = (),
        forbid: Iterable[Constraint] = (),
    ) -> list[PhraseParse]:
        """The k best trees, best first, or all if there are fewer; words and the others are those of `parse`.

        Only the first is certified as the best one, and those of the same value.
        """
        check(k, int, "k")
        if k < 1:
            raise InputError(f"k is {k}; give at least 1")
        sentence = Prepared(self.model, words, tags, adjust, require, forbid)
        found = self.model.kernel.kbest(sentence.lexical, k, *sentence.constraints)
        best = found[0][0] if found else -np.inf
        return [PhraseParse(sentence.tree(nodes), value, best) for value, nodes in found]

    @explained
    def marginals(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        require: Iterable[Constraint] = (),
        forbid: Iterable[Constraint] = (),
    ) -> BracketMarginals:
        """The probability of each bracket and each tag over all trees; the arguments are those of `parse`."""
        sentence = Prepared(self.model, words, tags, adjust, require, forbid)
        names = self.model.names
        chains = [sorted(number_of(label, names.labels, "label") for label in one) for one in names.chain_labels]
        begins = np.cumsum([0, *map(len, chains)]).astype(np.int32)
        numbers = np.array([label for one in chains for label in one], dtype=np.int32)
        total, brackets, preterminals = self.model.kernel.sums(
            sentence.lexical, begins, numbers, len(names.labels), *sentence.constraints
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


class Prepared:
    """A sentence with its lexical scores and constraints, as the kernel takes them."""

    def __init__(
        self,
        model: TreebankModel,
        words: Sequence[str],
        tags: Sequence[str | None] | None,
        adjust: ArrayLike | None,
        require: Iterable[Constraint],
        forbid: Iterable[Constraint],
        considered: NDArray[np.bool_] | None = None,
    ) -> None:
        """considered[i, t]: whether another model considers the tag t of word i; None if there is no other model."""
        check_words(words)
        self.model, self.words = model, list(words)
        limits = chart_constraints(len(words), model.names, with_tags(words, tags, require), forbid)
        if considered is not None:
            limits.tags = considered if limits.tags is None else limits.tags & considered
        self.constraints = limits.arguments()
        self.has_constraints = limits.closed is not None or bool(limits.masks)
        self.lexical = self._scores(limits, adjust)

    def _scores(self, limits: ChartConstraints, adjust: ArrayLike | None) -> Scores:
        model = self.model
        scores = model.lexicon.scores(self.words)
        if limits.tags is not None:
            scores = with_required(scores, limits.tags[:, model.tag_of_preterminal], model.lexicon.floors())
        if adjust is not None:
            shape = (len(self.words), len(model.names.tags))
            scores = scores + checked_adjustment(adjust, shape)[:, model.tag_of_preterminal]
        return np.ascontiguousarray(scores)

    def possible_tags(self) -> NDArray[np.bool_]:
        """Whether a word may have a tag."""
        found = np.zeros((len(self.words), len(self.model.names.tags)), dtype=bool)
        np.logical_or.at(found.T, self.model.tag_of_preterminal, (self.lexical > -np.inf).T)
        return found

    def tree(self, nodes: NDArray[np.int32]) -> Tree:
        """The tree of nodes of the chart."""
        return joined(self.parts(nodes, self.words))

    def parts(self, nodes: NDArray[np.int32], words: Sequence[str]) -> list[Tree]:
        """The trees of nodes of the chart, parents first, without inserted nodes and labels above others."""
        return parts_of(nodes, words, self.model.symbols, self.model.chains)

    def covered(self) -> PhraseParse:
        """The fewest phrases that cover the sentence."""
        value, nodes = self.model.kernel.cover(self.lexical, *self.constraints)
        if value == -np.inf:
            raise InfeasibleError(self.why_infeasible())
        parts = self.parts(nodes, self.words)
        given_up = (
            f"no tree over the whole sentence, which {counted(len(parts), 'phrase')} cover{'s' * (len(parts) == 1)}"
        )
        return PhraseParse(Tree("", below_roots(parts)), value, np.inf, "cover", given_up=given_up)

    def divided(self, max_words: int) -> PhraseParse:
        """The sentence in parts of at most max_words, each covered by the fewest trees."""
        trees: list[Tree] = []
        total, begins = 0.0, part_begins(self.words, max_words)
        for begin, end in zip(begins, [*begins[1:], len(self.words)], strict=True):
            value, nodes = self.model.kernel.cover(np.ascontiguousarray(self.lexical[begin:end]))
            trees += self.parts(nodes, self.words[begin:end])
            total += value
        given_up = (
            f"{len(self.words)} words were divided into {len(begins)} parts before word "
            f"{', '.join(map(str, begins[1:]))}; no phrase over several parts was considered"
        )
        return PhraseParse(Tree("", below_roots(trees)), total, np.inf, "cover", given_up=given_up)

    def why_infeasible(self) -> str:
        """Why there is no tree, as a sentence."""
        for place, row in enumerate(self.lexical):
            if not (row > -np.inf).any():
                return (
                    f"word {place} ({self.words[place]!r}) has no tag that is allowed and that the grammar has for it"
                )
        reason = "with these constraints" if self.has_constraints else "for these words"
        return f"the grammar has no tree {reason}; partial=True gives the fewest phrases that cover them"


def parts_of(
    nodes: NDArray[np.int32], words: Sequence[str], symbols: Sequence[Symbol], chains: Sequence[Sequence[int]]
) -> list[Tree]:
    """The trees of nodes (chain, first, last) of a chart, parents first, without inserted nodes."""
    stack: list[list[Tree]] = []
    for chain, first, last in nodes[::-1].tolist():
        *above, bottom = (symbols[number] for number in chains[chain])
        if last - first == 1:
            found = [Tree(bottom.label, [leaf_of(words[first])])]
        else:
            children = stack.pop() + stack.pop()
            found = children if bottom.is_inserted else [Tree(bottom.label, children)]
        for symbol in reversed(above):
            found = [Tree(symbol.label, found)]
        stack.append(found)
    return [tree for trees in reversed(stack) for tree in trees]


def with_tags(
    words: Sequence[str], tags: Sequence[str | None] | None, require: Iterable[Constraint]
) -> list[Constraint]:
    """The required constraints and those of given tags."""
    if tags is None:
        return list(require)
    if isinstance(tags, str) or len(tags) != len(words):
        raise InputError(f"tags has {len(tags)} entries for {len(words)} words; give one a word, None where it is free")
    for place, tag in enumerate(tags):
        if not (tag is None or isinstance(tag, str)):
            raise InputError(f"tags[{place}] is {tag!r}; expected a tag, or None where it is free")
    return [*require, *((place, tag) for place, tag in enumerate(tags) if tag is not None)]


def with_required(scores: Scores, allowed: NDArray[np.bool_], floors: Scores) -> Scores:
    """Scores of allowed preterminals only; where none is left, those of tags never seen with the word."""
    limited: Scores = np.where(allowed, scores, -np.inf)
    impossible = np.isneginf(limited).all(axis=1)
    limited[impossible] = np.where(allowed[impossible], floors, -np.inf)
    return limited


def joined(parts: list[Tree]) -> Tree:
    """The tree below the root of the grammar; several trees stay below a root without a label."""
    [root] = parts
    only = root.children[0]
    return only if len(root.children) == 1 and isinstance(only, Tree) else Tree("", root.children)


def below_roots(parts: Iterable[Tree]) -> list[Tree | str]:
    """The parts of a cover, those of whole sentences without their root."""
    return [child for tree in parts for child in (tree.children if tree.label == ROOT else [tree])]


def part_begins(words: Sequence[str], max_words: int) -> list[int]:
    """Where the parts of a long sentence begin: after the last punctuation in the second half of what a part may have.

    >>> part_begins(["a", "b", ",", "c", "d", "e", "f"], 4)
    [0, 3]
    """
    check_count(max_words, "max_words")
    begins = [0]
    while len(words) - begins[-1] > max_words:
        latest = begins[-1] + max_words
        places = range(latest, latest - max_words // 2, -1)
        begins.append(next((place for place in places if is_punctuation(words[place - 1])), latest))
    return begins


def is_punctuation(word: str) -> bool:
    return not any(map(str.isalnum, word))


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"

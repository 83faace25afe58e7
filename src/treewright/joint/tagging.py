"""A grammar with a tagger: model 1 or a treebank grammar, and a trigram tagger in one model, which agree on tags."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

from treewright.corpus import Tree
from treewright.grammar import Collins, CollinsOptions, Markov, TreebankGrammar, TreebankOptions
from treewright.grammar.kinds import scores_of
from treewright.grammar.treebank import MAX_WORDS
from treewright.grammar.trees import TreeSource
from treewright.joint.agreement import AgreementOptions, JointParse, TagParse
from treewright.joint.model import JointModel, JointOptions, checked_weight, training_trees
from treewright.joint.taggers import tagged_sentences
from treewright.joint.tags import TagProblem
from treewright.model import component
from treewright.model.component import Arrays
from treewright.model.run import Run, RunOptions
from treewright.tagger import Tagger, TaggerOptions

# Of a treebank grammar that agrees with a tagger. On 70 dev sentences of CRAFT, 4,000 training trees and a weight of 2:
# with the labels of parents at tags F1 67.2 and tags 95.58 %, without 64.7 and 95.37 %.
TREEBANK = TreebankOptions(Markov(vertical=2, horizontal=1, tags=True))


class GrammarWithTagger(JointModel[Collins | TreebankGrammar]):
    """Model 1, or a treebank grammar, and a trigram tagger that agree on tags.

    >>> from treewright.corpus import Tree
    >>> trees = [Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")] * 4
    >>> model = GrammarWithTagger.train(trees, options=JointOptions(weight=1.0))
    >>> parse = model.parse(["it", "rains"])
    >>> print(parse.tree, parse.certified)
    (S (NP (PRP it)) (VP (VBZ rains))) True
    """

    KIND: ClassVar[str] = "grammar with tagger"

    def __init__(self, grammar: Collins | TreebankGrammar, tagger: Tagger, weight: float) -> None:
        super().__init__(grammar, weight, tagger)
        self.tagger = tagger

    @classmethod
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        grammar_options: CollinsOptions | TreebankOptions | None = None,
        options: JointOptions | None = None,
        **how: Unpack[RunOptions],
    ) -> GrammarWithTagger:
        """Train both models on train, trees or a file of trees, and choose the weight of the tagger on dev.

        Without dev the last tenth of the trees is held out. grammar_options are those of `Collins.train`, the default,
        or of `TreebankGrammar.train`, and say by this which grammar it is. how: the keywords of `RunOptions`: seed of
        the tagger, report (called after each of its epochs and each weight that is tried). There is no checkpoint.
        """
        run = Run(**how)
        options = run.with_seed(options or JointOptions())
        trees, held_out = training_trees(train, dev)
        grammar: Collins | TreebankGrammar
        if isinstance(grammar_options, TreebankOptions):
            grammar = TreebankGrammar.train(trees, options=grammar_options)
        else:
            grammar = Collins.train(trees, options=grammar_options)
        tagging = TaggerOptions(columns=("xpos",), seed=options.seed)
        tagger = Tagger.train(tagged_sentences(trees), tagged_sentences(held_out), options=tagging, report=run.report)
        return cls(grammar, tagger, 1.0).with_weight(options, held_out, run.report)

    @classmethod
    def from_arrays(
        cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays
    ) -> GrammarWithTagger:
        """Make the model of a header and arrays; messages name their source."""
        grammar: Collins | TreebankGrammar
        if TreebankGrammar.KIND in header:
            grammar = component.part_of(TreebankGrammar, source, header, arrays)
        else:
            grammar = component.part_of(Collins, source, header, arrays)
        return cls(grammar, component.part_of(Tagger, source, header, arrays), checked_weight(header))

    def problem(self, words: Sequence[str]) -> TagProblem:
        """Return a sentence as both models take it; its trees are covers where there is no other."""
        return TagProblem(self.grammar, self.tagger, words, partial=True)

    def accuracy(self, gold: Sequence[Tree], system: Sequence[Tree]) -> float:
        """Return the share of the tags of the trees `gold` that those of `system` have: the models agree on tags.

        On three sets of 200 to 300 dev sentences of CRAFT the best weight by tags is 1 to 1.5, with tags and F1 of
        brackets above those of fixed tags in each; by F1 it is 0.5, with fewer tags right than the tagger has alone.
        """
        return scores_of(gold, system).tagging_accuracy

    def parse(
        self,
        words: Sequence[str],
        *,
        weight: float | None = None,
        tags: Sequence[str | None] | None = None,
        partial: bool = False,
        max_words: int | None = MAX_WORDS,
        **search: Unpack[AgreementOptions],
    ) -> TagParse | JointParse:
        """Find the tree of a sentence whose sum of both models' scores is the highest, with its certificate.

        words, tags, partial, max_words and search are those of `agree_on_tags`; weight multiplies the scores of the
        tagger, None: by that of the model.
        """
        problem = TagProblem(self.grammar, self.tagger, words, tags, partial, max_words)
        return problem.parse(self.weight if weight is None else weight, **search)

"""A grammar with a tagger: a treebank grammar and a trigram tagger in one model, which agree on tags."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from treewright import component
from treewright.calls import explained, explained_methods
from treewright.component import ArrayForm, Arrays, Stored
from treewright.corpus import Sentence, Tree
from treewright.grammar import Markov, PhraseParse, TreebankGrammar, TreebankOptions
from treewright.grammar.leaves import check_words
from treewright.grammar.treebank import MAX_WORDS
from treewright.grammar.trees import TreeSource
from treewright.joint.agreement import (
    MAX_ITERATIONS,
    TUNING_TREES,
    JointOptions,
    best_weight,
    checked_weight,
    training_trees,
)
from treewright.joint.tags import TagParse, agree_on_tags, tagged_sentences
from treewright.learn import Report
from treewright.tagger import Tagger, TaggerOptions

# On 70 dev sentences of CRAFT, 4,000 training trees and a weight of 2: with the labels of parents at tags F1 67.2 and
# tags 95.58 %, without 64.7 and 95.37 %; benchmarks/grammars.py compares the grammars alone.
GRAMMAR = TreebankOptions(Markov(vertical=2, horizontal=1, tags=True))


@explained_methods
class GrammarWithTagger:
    """A treebank grammar and a trigram tagger that agree on tags.

    >>> trees = [Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")] * 4
    >>> model = GrammarWithTagger.train(trees, options=JointOptions(weight=1.0))
    >>> parse = model.parse(["it", "rains"])
    >>> print(parse.tree, parse.certified)
    (S (NP (PRP it)) (VP (VBZ rains))) True
    """

    KIND: ClassVar[str] = "grammar with tagger"
    FORMAT: ClassVar[int] = 1  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {}

    def __init__(self, grammar: TreebankGrammar, tagger: Tagger, weight: float) -> None:
        self.grammar, self.tagger, self.weight = grammar, tagger, weight

    @classmethod
    @explained
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        grammar_options: TreebankOptions | None = None,
        seed: int | None = None,
        options: JointOptions | None = None,
        report: Callable[[Report], None] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> GrammarWithTagger:
        """Train both models on train, trees or a file of trees, and choose the weight of the tagger on dev.

        Without dev the last tenth of the trees is held out. grammar_options are those of `TreebankGrammar.train`, by
        default phrases and tags with the label of their parent; seed is that of the tagger and replaces that of the
        options. report is called after each epoch of the tagger. There is no checkpoint, and resume has no effect.
        """
        options = options or JointOptions()
        trees, held_out = training_trees(train, dev)
        grammar = TreebankGrammar.counted(trees, grammar_options or GRAMMAR)
        tagging = TaggerOptions(columns=("xpos",), seed=options.seed if seed is None else seed)
        tagger = Tagger.train(tagged_sentences(trees), tagged_sentences(held_out), options=tagging, report=report)
        joint = cls(grammar, tagger, 1.0 if options.weight is None else options.weight)
        if options.weight is None:
            joint.weight = joint.tuned(held_out[:TUNING_TREES])
        return joint

    def tuned(self, trees: Sequence[Tree]) -> float:
        """The best weight on some trees."""
        sentences = [tree.leaves() for tree in trees]
        return best_weight(
            trees, lambda weight: [self.parse(words, weight=weight, partial=True).tree for words in sentences]
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GrammarWithTagger:
        """The models of a file."""
        return component.load_as(cls, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file: safetensors with a JSON header."""
        component.save(self, path)

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        headers, arrays = component.join_parts({part.KIND: part for part in (self.grammar, self.tagger)})
        return {"weight": self.weight, **headers}, arrays

    @classmethod
    def from_arrays(
        cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays
    ) -> GrammarWithTagger:
        """The inverse of `to_arrays`; messages name the source of the arrays."""
        return cls(
            component.part_of(TreebankGrammar, source, header, arrays),
            component.part_of(Tagger, source, header, arrays),
            checked_weight(header),
        )

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""
        return self.grammar.tags

    @explained
    def parse(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        weight: float | None = None,
        max_iterations: int = MAX_ITERATIONS,
        exact: bool = False,
        partial: bool = False,
        max_words: int | None = MAX_WORDS,
    ) -> TagParse:
        """The tree of a sentence whose sum of both models' scores is the highest, with its certificate.

        words, tags, max_iterations, exact, partial and max_words are those of `agree_on_tags`; weight is that of the
        tagger, that of the model if None.
        """
        return agree_on_tags(
            self.grammar,
            self.tagger,
            words,
            tags=tags,
            weight=self.weight if weight is None else weight,
            max_iterations=max_iterations,
            exact=exact,
            partial=partial,
            max_words=max_words,
        )

    def fixed_tags_parse(self, words: Sequence[str]) -> PhraseParse:
        """The best tree of the grammar with the tags of the tagger, or a cover."""
        check_words(words)
        [sentence] = self.tagger.tag([Sentence.from_words(list(words))], confidence=False)
        known = set(self.grammar.tags)
        tags = [tag if tag in known else None for tag in sentence.xpos]
        return self.grammar.parse(words, tags=tags, partial=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return component.pickled(self)

    def __repr__(self) -> str:
        return f"GrammarWithTagger({self.grammar!r}, {self.tagger!r}, weight {self.weight:g})"

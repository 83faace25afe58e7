"""A grammar with dependencies: Collins' model 1, a tagger and a dependency parser in one model, which agree on arcs.

Words that model 1 does not know have the tags that the tagger considers: the classes of unknown words have too many in
a treebank with hundreds of tags (Collins 1999 gives such words the one tag of a tagger). Where there is no tree with
these tags, they have those of their class.
The dependency parser is that of treewright.parser with siblings and outermost grandchildren (Carreras 2007), projective
and with a single root, trained on the dependencies that the same head rules give. With word classes, prefixes of the
bit path of a word's class are further features of it, in the place of morphological ones (after Koo et al. 2008).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack, cast

import numpy as np

from treewright.corpus import Sentence, Tree
from treewright.decode import Parts
from treewright.errors import InfeasibleError
from treewright.grammar import Collins, CollinsOptions, HeadRules, LexicalParse, dependencies
from treewright.grammar.collins import MAX_WORDS, top_of
from treewright.grammar.collins_forest import ParseForest
from treewright.grammar.collins_forest import Sentence as GrammarSentence
from treewright.grammar.preparation import prepare
from treewright.grammar.trees import TreeSource
from treewright.joint.agreement import AgreementOptions, JointParse, grammar_result
from treewright.joint.arcs import ArcVariables, agree_on_arcs, candidate_arcs
from treewright.joint.model import JointModel, JointOptions, checked_weight, training_trees
from treewright.joint.taggers import ConsideredTags, SentenceTagger
from treewright.model import component
from treewright.model.component import Arrays
from treewright.model.run import Run, RunOptions
from treewright.parser import Parser, ParserOptions
from treewright.parser.worker import Worker
from treewright.tagger import Tagger
from treewright.words import Words

MODEL = "outer"  # of dependencies: siblings and outermost grandchildren
CONDITION = "with tags that the tagger considers for unknown words"
LABEL = "dep"  # of all dependencies: phrase-structure trees have none
CLASS_PREFIXES = (4, 6, None)  # bits of the path of a word's class, as in Koo et al. (2008); None: the whole path


class GrammarWithDependencies(JointModel[Collins]):
    """Model 1 and a dependency parser that agree on arcs."""

    KIND: ClassVar[str] = "grammar with dependencies"

    def __init__(
        self, grammar: Collins, tagger: Tagger, parser: Parser, weight: float, words: Words | None = None
    ) -> None:
        super().__init__(grammar, weight, *([] if words is None else [words]), tagger, parser)
        self.tagger, self.parser, self.words = tagger, parser, words

    @classmethod
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        grammar_options: CollinsOptions | None = None,
        options: JointOptions | None = None,
        words: Words | None = None,
        **how: Unpack[RunOptions],
    ) -> GrammarWithDependencies:
        """Train the three models on train, trees or a file of trees, and choose the weight of dependencies on dev.

        Without dev the last tenth of the trees is held out. grammar_options are those of `Collins.train`. words have
        the word classes that are features of dependencies; without words there are none. how: the
        keywords of `RunOptions`: seed is that of the dependency parser, report is called after each epoch of the tagger
        and the parser, and after each weight that is tried; there is no checkpoint.
        """
        run = Run(**how)
        options = run.with_seed(options or JointOptions())
        trees, held_out = training_trees(train, dev)
        grammar = Collins.train(trees, options=grammar_options)
        sentences, dev_sentences = (dependency_sentences(part, grammar.rules) for part in (trees, held_out))
        tagger = Tagger.train(sentences, dev_sentences, columns=["xpos"], report=run.report)
        parsing = ParserOptions(seed=options.seed, label_rules=False)
        sentences, dev_sentences = (add_classes(part, words) for part in (sentences, dev_sentences))
        parser = Parser.train(
            sentences, dev_sentences, model=MODEL, projective=True, root="single", options=parsing, report=run.report
        )
        return cls(grammar, tagger, parser, 1.0, words).with_weight(options, held_out, run.report)

    @classmethod
    def from_arrays(
        cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays
    ) -> GrammarWithDependencies:
        """Make the model of a header and arrays; messages name their source."""
        return cls(
            component.part_of(Collins, source, header, arrays),
            component.part_of(Tagger, source, header, arrays),
            component.part_of(Parser, source, header, arrays),
            checked_weight(header),
            component.part_of(Words, source, header, arrays) if Words.KIND in header else None,
        )

    def parse(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        weight: float | None = None,
        partial: bool = False,
        beam: float | str | None = "default",
        max_words: int | None = MAX_WORDS,
        **search: Unpack[AgreementOptions],
    ) -> JointParse:
        """Find the tree of a sentence whose sum of both models' scores is the highest, with its certificate.

        words, tags, partial, beam and max_words are those of `Collins.parse`; weight is that of dependencies, that of
        the model if None. search is that of `agree_on_arcs`.
        """
        problem = self.problem(words, tags=tags, partial=partial, beam=beam, max_words=max_words)
        return problem.parse(self.weight if weight is None else weight, **search)

    def problem(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        partial: bool = True,
        beam: float | str | None = "default",
        max_words: int | None = MAX_WORDS,
    ) -> JointProblem:
        """Return the forest and the scored dependencies of a sentence; the arguments are those of `parse`."""
        sentence = GrammarSentence(self.grammar, words, tags)
        names = self._considered(sentence)
        is_known = self.grammar.vocabulary.is_known
        considered = [[] if is_known(word) else tags for word, tags in zip(sentence.words, names, strict=True)]
        search: dict[str, Any] = {"tags": tags, "beam": beam, "max_words": max_words}
        try:
            forest = self.grammar.forest(words, considered=considered, **search)
        except InfeasibleError:
            considered = [[] for _ in words]
            forest = self.grammar.forest(words, partial=partial, **search)
        [tagged] = add_classes([tagged_words(sentence, names, tags)], self.words)
        parts = None
        if forest.forest is not None and not forest.is_partial:
            worker = Worker(self.parser.model)
            [parts] = worker.score(worker.encode([tagged]), [candidate_arcs(ArcVariables.of(forest))])
        return JointProblem(self, forest, considered, tagged, parts)

    def _considered(self, sentence: GrammarSentence) -> list[list[str]]:
        """The tags that the tagger considers for each word that is parsed, its best one first; none for the others."""
        considered: list[list[str]] = [[] for _ in sentence.words]
        if sentence.kept:
            tagger = SentenceTagger(self.tagger, [sentence.words[position] for position in sentence.kept])
            names_by_word = ConsideredTags(tagger, len(sentence.kept)).by_word()
            for position, names in zip(sentence.kept, names_by_word, strict=True):
                considered[position] = names
        return considered


def tagged_words(
    sentence: GrammarSentence, considered: Sequence[Sequence[str]], tags: Sequence[str | None] | None
) -> Sentence:
    """Return the words that are parsed, with given tags or the best ones of the tagger."""
    if not sentence.kept:
        return Sentence.from_words(["."])
    given = [None] * len(considered) if tags is None else tags
    chosen = [given[position] or considered[position][0] for position in sentence.kept]
    return Sentence.from_words([sentence.words[position] for position in sentence.kept], upos=chosen, xpos=chosen)


@dataclass(frozen=True, eq=False)
class JointProblem:
    """One sentence: the forest of the grammar, and the parts of the dependency parser over its arcs.

    parts is None if there is nothing to agree on: the sentence has only dropped words, or no tree.
    """

    model: GrammarWithDependencies
    forest: ParseForest
    considered: Sequence[Sequence[str]]  # for each word the tags from which it has one; empty: those of the grammar
    sentence: Sentence  # the words that are parsed, with tags
    parts: Parts | None

    def parse(self, weight: float, **search: Unpack[AgreementOptions]) -> JointParse:
        """Find the parse on which both models agree; search is that of `agree_on_arcs`."""
        if self.parts is None:
            joint = cast(JointParse, grammar_result(self.grammar_parse(), weight))
        else:
            joint = agree_on_arcs(self.forest, self.parts, weight=weight, **search)
        return replace(joint, condition=CONDITION) if any(self.considered) else joint

    def grammar_parse(self) -> LexicalParse:
        """Find the best tree of the grammar alone."""
        nodes = len(self.forest.sentence.words) + 1
        return self.forest.best(np.zeros((nodes, nodes)))


def add_classes(sentences: Sequence[Sentence], words: Words | None) -> list[Sentence]:
    """Return sentences whose words have prefixes of the paths of their classes as features; as given without words."""
    if words is None:
        return list(sentences)
    copies = [sentence.copy() for sentence in sentences]
    for sentence in copies:
        paths = [words.class_of(form) for form in sentence.forms]
        sentence.feats = ["|".join(class_features(path)) or "_" for path in paths]
    return copies


def class_features(path: str) -> list[str]:
    """Return the features of a class with a bit path; none without a path.

    >>> class_features("0110101")
    ['Class4=0110', 'Class6=011010', 'Class=0110101']
    """
    return [f"Class{bits or ''}={path[:bits]}" for bits in CLASS_PREFIXES] if path else []


def dependency_sentences(trees: Iterable[Tree], rules: HeadRules) -> list[Sentence]:
    """Return the dependencies of prepared trees by head rules, with the tags as UPOS and XPOS."""
    sentences = []
    for tree in (prepare(top_of(tree), rules) for tree in trees):
        if tree is not None:
            heads, tags = dependencies(tree, rules)[1:], tree.tags()
            labels = ["root" if head == 0 else LABEL for head in heads.tolist()]
            sentences.append(Sentence.from_words(tree.leaves(), upos=tags, xpos=tags, heads=heads, deprels=labels))
    return sentences

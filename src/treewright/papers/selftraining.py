"""Self-training: grammars learn from the trees that other grammars give raw text (Huang, Harper and Petrov 2010).

Teachers are trained on a treebank; one of them, or their product, parses raw text; the students are trained from
scratch on the treebank and these trees. The treebank has a weight at which both parts count the same number of words.

| condition | teacher | raw text of each student |
|---|---|---|
| ST-Reg | one grammar | all |
| ST-Prod | a product | all |
| ST-Prod-Mult | a product | a part of its own |
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, Unpack

from treewright.checks import Positive, check
from treewright.corpus import Tree
from treewright.corpus.files import open_output
from treewright.errors import InputError
from treewright.grammar.kinds import bracket_scores
from treewright.grammar.latent import LatentGrammar, Training, calibrate, product
from treewright.grammar.options import LatentOptions
from treewright.grammar.trees import TreeSource, prepare_trees, trees_of
from treewright.model.checkpoint import Origin, Steps
from treewright.model.component import hash_of
from treewright.model.run import Run, RunOptions

Teacher = Literal["single", "product"]


@dataclass(frozen=True)
class SelfTrained:
    """The students as one grammar, and how many sentences of the raw text have a tree, and were left out."""

    grammar: LatentGrammar
    parsed: int
    left_out: int


def selftrain(
    labelled: TreeSource,
    raw: Iterable[Sequence[str]],
    dev: TreeSource | None = None,
    *,
    by: Teacher = "product",
    teachers: int = 4,
    students: int = 1,
    disjoint: bool = False,
    options: LatentOptions | None = None,
    threads: int = 1,
    **how: Unpack[RunOptions],
) -> SelfTrained:
    """Train grammars on labelled trees, and on raw sentences with the trees of a teacher.

    by says whether the teacher is the best of the teachers on dev (without dev: the first) or their product. students
    is the number of grammars whose product is returned; disjoint gives each a part of the raw text of its own. The
    other arguments are those of `LatentGrammar.train`. Every grammar and the trees of the raw text are kept beside the
    checkpoint.

    >>> trees = [Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")]
    >>> trained = selftrain(trees, [["it", "snows"]], teachers=1, options=LatentOptions(rounds=1))
    >>> trained.parsed, trained.grammar.parse(["it", "snows"]).tags
    (1, ['PRP', 'VBZ'])
    """
    run = Run(**how)
    if by not in ("single", "product"):
        raise InputError(f"by is {by!r}; expected single or product")
    check(teachers, Positive, "teachers")
    check(students, Positive, "students")
    gold, held_out = trees_of(labelled)[0], None if dev is None else trees_of(dev)[0]
    sentences = [list(words) for words in raw]
    if not gold:
        raise InputError("there is no labelled tree to train on")
    if not sentences:
        raise InputError("the raw text has no sentence")
    options = run.with_seed(options or LatentOptions())
    settings = {**asdict(options), "by": by, "teachers": teachers, "students": students, "disjoint": disjoint}

    def origin() -> Origin:
        return Origin.now(hash_of([*gold, *map("\n".join, sentences)]), hash_of(held_out or ()), settings)

    steps = Steps.at(run.checkpoint, run.resume, origin)
    work = SelfTraining(gold, held_out, options, threads, run, steps)
    automatic = work.parse_raw(work.teacher(by, teachers), sentences)
    grammars = [
        work.student(number, automatic[number::students] if disjoint else automatic) for number in range(students)
    ]
    grammar = grammars[0] if students == 1 else calibrate(product(grammars), held_out)
    return SelfTrained(grammar, len(automatic), len(sentences) - len(automatic))


@dataclass(frozen=True)
class SelfTraining:
    """The steps of self-training; the result of each is kept beside the checkpoint."""

    gold: Sequence[Tree]
    dev: Sequence[Tree] | None
    options: LatentOptions
    threads: int
    run: Run
    steps: Steps

    def teacher(self, by: Teacher, count: int) -> LatentGrammar:
        """Train the teachers; return their product, or the best of them."""
        weights = [1.0] * len(self.gold)
        teachers = [self._train(f"teacher {number + 1}", number, self.gold, weights) for number in range(count)]
        if by == "product":
            return product(teachers)
        dev = self.dev
        if not dev or count == 1:
            return teachers[0]
        return max(teachers, key=lambda grammar: bracket_scores(grammar, dev)["f1"])

    def parse_raw(self, teacher: LatentGrammar, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """Return the trees of a teacher; sentences without one are left out."""

        def words_with_progress() -> Iterator[Sequence[str]]:
            for number, words in enumerate(sentences):
                if self.run.progress:
                    self.run.progress("raw text", 0, number, len(sentences))
                yield words

        def parse(*_: object) -> KeptTrees:
            return KeptTrees(automatic_trees(teacher, words_with_progress()))

        return list(self.steps.part(KeptTrees, "raw", parse))

    def student(self, number: int, automatic: Sequence[Tree]) -> LatentGrammar:
        """Train a grammar of the treebank and of automatic trees, which count the same number of words together."""
        weight = balanced_weight(self.gold, automatic)
        weights = [weight] * len(self.gold) + [1.0] * len(automatic)
        return self._train(f"student {number + 1}", number, [*self.gold, *automatic], weights)

    def _train(self, name: str, number: int, trees: Sequence[Tree], weights: Sequence[float]) -> LatentGrammar:
        options = replace(self.options, seed=self.options.seed + number)

        def train(checkpoint: Path | None, resume: bool) -> LatentGrammar:
            training = Training(trees, self.dev, weights, options, self.threads, name)
            return training.run(replace(self.run, checkpoint=checkpoint, resume=resume))

        return self.steps.part(LatentGrammar, name.replace(" ", "-"), train)


class KeptTrees(list[Tree]):
    """Trees that are kept in a file, one a line."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> KeptTrees:
        """Read the file."""
        return cls(Tree.parse(line) for line in Path(path).read_text(encoding="utf-8").splitlines())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file."""
        with open_output(path) as file:
            file.writelines(f"{tree}\n".encode() for tree in self)


def automatic_trees(teacher: LatentGrammar, sentences: Iterable[Sequence[str]]) -> list[Tree]:
    """Return the trees of a teacher; sentences without one are left out."""
    parses = (teacher.parse(words, partial=True) for words in sentences)
    return prepare_trees((parse.tree for parse in parses if not parse.given_up), True)[0]


def balanced_weight(gold: Sequence[Tree], automatic: Sequence[Tree]) -> float:
    """Return the weight of gold trees at which both parts have the same number of words; at least 1.

    >>> one, two = Tree.parse("(NP (NN a))"), Tree.parse("(NP (NN a) (NN b))")
    >>> balanced_weight([one], [two, two]), balanced_weight([two], [one])
    (4.0, 1.0)
    """
    words = [sum(len(tree.leaves()) for tree in trees) for trees in (gold, automatic)]
    return max(words[1] / words[0], 1.0)

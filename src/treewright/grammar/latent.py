"""Latent-variable grammars: train, save, load, parse; products of several (Petrov et al. 2006; Petrov 2010)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import LatentSums, max_rule
from treewright.caching import cached_property
from treewright.calls import checked, explained, explained_methods
from treewright.checks import Positive, check
from treewright.corpus import Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import latent_file
from treewright.grammar.constraints import Constraint
from treewright.grammar.counts import Symbol
from treewright.grammar.kinds import bracket_scores
from treewright.grammar.latent_em import Learner, Substates
from treewright.grammar.latent_model import LatentModel, LatentSentence, finished
from treewright.grammar.latent_trees import Indices, table_of
from treewright.grammar.model import estimated
from treewright.grammar.options import LatentOptions, TreebankOptions
from treewright.grammar.result import BracketMarginals, PhraseParse, number_of
from treewright.grammar.treebank import MAX_WORDS, joined, parts_of
from treewright.grammar.trees import Markov, TreeSource, binarised, trees_of
from treewright.learn import Progress, Report
from treewright.learn.calibration import Calibration, fit_line
from treewright.model import checkpoint as checkpoints
from treewright.model import component
from treewright.model.component import ArrayForm, Arrays, Component, Stored

MARKOV = Markov(vertical=1, horizontal=0)  # of the trees; substates replace all context, as published
SMALLEST_EVENT = 1e-10  # probability of rules that max-rule considers; lower ones score the same there
STAGE = "rounds"  # the name of the stage of a training of one grammar
Method = Literal["max-rule", "viterbi"]


@dataclass(frozen=True)
class LatentParse(PhraseParse):
    """A phrase-structure tree with the confidence of each of its phrases.

    With the method max-rule the score is the sum of the log probabilities of the rules of the tree, of which the bound
    is 0; with viterbi it is the log probability of the best derivation. Both are about the spans that coarse grammars
    have left; exact=True searches all. confidence has, for each of `spans`, the probability that the phrase is right,
    calibrated if the grammar was trained with development data.
    """

    confidence: tuple[float, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**super().to_json(), "confidence": [round(value, 4) for value in self.confidence]}


@explained_methods
class LatentGrammar(Component):
    """A grammar whose labels have substates that were learned from the trees, or a product of such grammars.

    >>> grammar = LatentGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")], rounds=1)
    >>> print(grammar.parse(["it", "rains"]).tree)
    (S (NP (PRP it)) (VP (VBZ rains)))
    """

    KIND: ClassVar[str] = "latent-variable grammar"
    FORMAT: ClassVar[int] = 1  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = latent_file.ARRAYS

    def __init__(self, models: Sequence[LatentModel], calibration: Calibration | None = None) -> None:
        self.models, self.calibration = tuple(models), calibration or Calibration()

    @classmethod
    @checked
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        rounds: int | None = None,
        seed: int | None = None,
        product: int = 1,
        options: LatentOptions | None = None,
        weights: Sequence[float] | None = None,
        threads: int = 1,
        report: Callable[[Report], None] | None = None,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> LatentGrammar:
        """Learn substates on train, trees or a file of trees in brackets; they are prepared by `prepared`.

        Each of the rounds splits all substates, merges half of them again and smooths the rest. With dev the round
        with the highest F1 there is kept, otherwise the last, and confidence is calibrated. weights has a weight for
        each tree. product is the number of grammars whose product is returned; their seeds are seed, seed + 1, ...
        options are everything else that the grammar depends on. The same seed gives the same grammar, for any number
        of threads. report is called after each round, progress after each step of expectation maximisation.
        checkpoint: a file that keeps the state after each round, from which a training with resume continues.
        """
        chosen = replace(options or LatentOptions())
        chosen = replace(chosen, rounds=chosen.rounds if rounds is None else rounds)
        chosen = replace(chosen, seed=chosen.seed if seed is None else seed)
        check(threads, Positive, "threads")
        check(product, Positive, "product")
        trees, _ = trees_of(train)
        held_out = None if dev is None else trees_of(dev)[0]
        if not trees:
            raise InputError("there is no tree to train on")
        counted = checked_weights(weights, len(trees))
        run = Run(report or ignore, progress, checkpoint, resume)
        members = [
            Training(trees, held_out, counted, one, threads, stage).run(run.step(stage))
            for stage, one in member_options(chosen, product)
        ]
        return members[0] if product == 1 else calibrated(joined_product(members), held_out)

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        header, arrays = latent_file.to_arrays(self.models)
        return {**header, "calibration": self.calibration.to_json()}, arrays

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> LatentGrammar:
        """The inverse of `to_arrays`; messages name the source of the arrays."""
        return cls(latent_file.from_arrays(header, arrays), Calibration.from_json(header["calibration"]))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of phrases."""
        return tuple(sorted({label for model in self.models for label in model.plain.names.labels}))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""
        return tuple(sorted({tag for model in self.models for tag in model.plain.names.tags}))

    @property
    def rounds(self) -> tuple[int, ...]:
        """The round that was kept of each member."""
        return tuple(len(model.joined) for model in self.models)

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
        method: Method = "max-rule",
        exact: bool = False,
    ) -> LatentParse:
        """The best tree of a sentence; the other arguments are those of `TreebankGrammar.parse`.

        method max-rule takes the tree with the highest product of the probabilities of its rules; viterbi the best
        derivation, which is less accurate, and is for a single grammar only. exact=True searches all spans and
        substates, slowly; otherwise coarse grammars leave some out.
        """
        if method not in ("max-rule", "viterbi"):
            raise InputError(f"method is {method!r}; expected max-rule or viterbi")
        sentences = self._sentences(words, tags, adjust, require, forbid)
        first = sentences[0]
        if max_words is not None and len(words) > max_words:
            if first.has_constraints:
                raise InputError(f"a sentence of {len(words)} words has constraints on spans; give max_words=None")
            return as_latent(first.divided(max_words))
        sums = self._sums(sentences, exact)
        if not any(one.has_tree for one in sums):
            if not partial:
                raise InfeasibleError(first.why_infeasible())
            return as_latent(first.covered())
        if method == "viterbi":
            return self._best_derivation(sentences, sums, exact)
        score, nodes = self._max_rule(sums)
        if score == -np.inf:  # every tree has a rule that is less probable than those listed
            sums = self._sums(sentences, True)
            score, nodes = self._max_rule(sums)
        tree = self._union.tree(nodes, first)
        bound = score if exact else 0.0
        return LatentParse(
            tree,
            score,
            bound,
            "max-rule",
            evidence="exact" if exact else "bound",
            confidence=self._confidence(tree, sums),
        )

    @explained
    def marginals(
        self,
        words: Sequence[str],
        *,
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        require: Iterable[Constraint] = (),
        forbid: Iterable[Constraint] = (),
        exact: bool = False,
    ) -> BracketMarginals:
        """The probability of each bracket and each tag over all trees; the mean over the members of a product.

        The arguments are those of `parse`. Probabilities are those of the grammar, without calibration.
        """
        sentences = self._sentences(words, tags, adjust, require, forbid)
        sums = self._sums(sentences, exact)
        if not any(one.has_tree for one in sums):
            raise InfeasibleError(sentences[0].why_infeasible())
        total = sum(
            one.log_total + sentence.log_scale for one, sentence in zip(sums, sentences, strict=True) if one.has_tree
        )
        by_tag = np.zeros((len(words), len(self.tags)))
        found = self._members_with_trees(sums)
        for model, one in found:
            preterminals = one.tags()[:, model.plain.preterminals] / len(found)
            places = [self.tags.index(model.plain.names.tags[tag]) for tag in model.plain.tag_of_preterminal]
            np.add.at(by_tag.T, places, preterminals.T)
        return BracketMarginals(self.labels, self._brackets(sums), self.tags, by_tag, total / len(found))

    def __repr__(self) -> str:
        first = self.models[0]
        product = f"product of {len(self.models)}; " if len(self.models) > 1 else ""
        return (
            f"LatentGrammar({product}{len(self.labels)} labels, {len(self.tags)} tags; round {len(first.joined)}, "
            f"{int(first.states.sum())} substates, {np.count_nonzero(first.rules)} rules, "
            f"{len(first.lexicon.words)} words)"
        )

    def trees_by_member(self, words: Sequence[str]) -> list[Tree]:
        """The tree of each member of a product alone, and last that of the product; covers where there is no tree."""
        sentences = self._sentences(words, None, None, (), ())
        sums = self._sums(sentences, False)
        found: list[Tree] = []
        for members in (*([place] for place in range(len(sums))), range(len(sums))):
            score, nodes = self._max_rule(sums, members)
            has_tree = score > -np.inf
            found.append(self._union.tree(nodes, sentences[0]) if has_tree else sentences[0].covered().tree)
        return found

    # -- the steps of a search

    def _sentences(
        self,
        words: Sequence[str],
        tags: Sequence[str | None] | None,
        adjust: ArrayLike | None,
        require: Iterable[Constraint],
        forbid: Iterable[Constraint],
    ) -> list[LatentSentence]:
        required, forbidden = list(require), list(forbid)
        return [LatentSentence(model, words, tags, adjust, required, forbidden) for model in self.models]

    def _sums(self, sentences: Sequence[LatentSentence], exact: bool) -> list[LatentSums]:
        smallest = 0.0 if exact else SMALLEST_EVENT
        return [
            model.kernel.sums(sentence.weights, model.thresholds(exact), smallest, *sentence.constraints)
            for model, sentence in zip(self.models, sentences, strict=True)
        ]

    def _members_with_trees(self, sums: Sequence[LatentSums]) -> list[tuple[LatentModel, LatentSums]]:
        return [(model, one) for model, one in zip(self.models, sums, strict=True) if one.has_tree]

    def _max_rule(
        self, sums: Sequence[LatentSums], members: Iterable[int] | None = None
    ) -> tuple[float, NDArray[np.int32]]:
        """The score and the nodes of the tree of some members, or all, with chains of the union; -inf without one."""
        union = self._union
        kept = [place for place in (range(len(sums)) if members is None else members) if sums[place].has_tree]
        score, nodes = -np.inf, np.zeros((0, 3), dtype=np.int32)
        for some in ([kept] if kept else []) + [[place] for place in kept]:  # all, else the first that has a tree
            score, nodes = max_rule(
                *(union.rules, union.chain_rows, len(union.symbols)),
                *([sums[place] for place in some], [union.numbers[place] for place in some]),
            )
            if score > -np.inf:
                break
        return score, nodes

    def _best_derivation(
        self, sentences: Sequence[LatentSentence], sums: Sequence[LatentSums], exact: bool
    ) -> LatentParse:
        if len(self.models) > 1:
            raise InputError("method viterbi is for a single grammar; a product needs max-rule")
        [model], [sentence] = self.models, sentences
        score, nodes = model.kernel.viterbi(sentence.weights, model.thresholds(exact), *sentence.constraints)
        tree = self._union.tree(nodes, sentence)
        score += sentence.log_scale
        bound = score if exact else np.inf
        return LatentParse(tree, score, bound, "viterbi", confidence=self._confidence(tree, sums))

    def _brackets(self, sums: Sequence[LatentSums]) -> NDArray[np.float64]:
        """The mean probability of [label, first, last] over the members that have a tree."""
        found = self._members_with_trees(sums)
        total: NDArray[np.float64] | None = None
        for model, one in found:
            chains = [
                sorted(number_of(name, self.labels, "label") for name in names)
                for names in model.plain.names.chain_labels
            ]
            begins = np.cumsum([0, *map(len, chains)]).astype(np.int32)
            numbers = np.array([label for labels in chains for label in labels], dtype=np.int32)
            own = one.brackets(begins, numbers, len(self.labels))
            total = own if total is None else total + own
        assert total is not None
        return total / len(found)

    def _confidence(self, tree: Tree, sums: Sequence[LatentSums]) -> tuple[float, ...]:
        """The calibrated probability of each phrase of a tree."""
        number = {label: place for place, label in enumerate(self.labels)}
        probabilities = self._brackets(sums)
        raw = [float(probabilities[number[label], first, last]) for label, first, last in tree.spans() if label]
        return tuple(self.calibration.apply(raw).tolist()) if raw else ()

    @cached_property
    def _union(self) -> Union:
        return union_of(self.models)


@dataclass(frozen=True)
class Run:
    """The callbacks of a training and the place of its checkpoint."""

    report: Callable[[Report], None]
    progress: Progress | None = None
    checkpoint: str | os.PathLike[str] | None = None
    resume: bool = False

    def step(self, name: str) -> Run:
        """The same for one of several grammars: its checkpoint has a file of its own."""
        if self.checkpoint is None or name == STAGE:
            return self
        return replace(self, checkpoint=checkpoints.step_file(self.checkpoint, name.replace(" ", "-"), False))


def member_options(options: LatentOptions, count: int) -> list[tuple[str, LatentOptions]]:
    """The name and the options of each grammar of a product; the seeds follow one another."""
    if count == 1:
        return [(STAGE, options)]
    return [(f"grammar {number + 1}", replace(options, seed=options.seed + number)) for number in range(count)]


@explained
def product(grammars: Iterable[LatentGrammar]) -> LatentGrammar:
    """The product of grammars with the same labels: each rule scores the sum of its log probabilities (Petrov 2010).

    >>> tree = Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")
    >>> members = [LatentGrammar.train([tree], rounds=1, seed=seed) for seed in (1, 2)]
    >>> print(product(members).parse(["it", "rains"]).tree)
    (S (NP (PRP it)) (VP (VBZ rains)))
    """
    return joined_product(list(grammars))


def joined_product(members: Sequence[LatentGrammar]) -> LatentGrammar:
    """The same, for checked grammars."""
    if not members:
        raise InputError("grammars is empty; a product needs at least one grammar")
    for place, grammar in enumerate(members):
        if not isinstance(grammar, LatentGrammar):
            raise InputError(f"grammars[{place}] is {type(grammar).__name__}; expected a LatentGrammar")
    return LatentGrammar([model for grammar in members for model in grammar.models])


@dataclass(frozen=True, eq=False)
class Union:
    """Common numbers of the symbols, rules and chains of the members of a product."""

    symbols: tuple[Symbol, ...]
    rules: Indices
    chains: tuple[tuple[int, ...], ...]
    numbers: list[tuple[Indices, Indices, Indices]]  # of each member: rules, chains, symbols

    @cached_property
    def chain_rows(self) -> Indices:
        """[chain, 3]: the symbols at its ends, and whether it has a single symbol."""
        rows = [(chain[0], chain[-1], len(chain) == 1) for chain in self.chains]
        return np.array(rows, dtype=np.int32).reshape(-1, 3)

    def tree(self, nodes: NDArray[np.int32], sentence: LatentSentence) -> Tree:
        """The tree of nodes of a chart."""
        return joined(parts_of(nodes, sentence.words, self.symbols, self.chains))


def union_of(models: Sequence[LatentModel]) -> Union:
    """The symbols, rules and chains of all models; the goal is the first symbol of each."""
    goal = models[0].plain.symbols[0]
    symbols = (goal, *sorted({symbol for model in models for symbol in model.plain.symbols} - {goal}))
    number = {symbol: place for place, symbol in enumerate(symbols)}
    rules: dict[tuple[int, ...], int] = {}
    chains: dict[tuple[int, ...], int] = {}
    numbers: list[tuple[Indices, Indices, Indices]] = []
    for model in models:
        own = np.array([number[symbol] for symbol in model.plain.symbols], dtype=np.int32)
        of_rules = [rules.setdefault(tuple(own[rule].tolist()), len(rules)) for rule in model.plain.rules]
        of_chains = [chains.setdefault(tuple(own[list(chain)].tolist()), len(chains)) for chain in model.plain.chains]
        numbers.append((np.array(of_rules, dtype=np.int32), np.array(of_chains, dtype=np.int32), own))
    return Union(symbols, np.array(list(rules), dtype=np.int32).reshape(-1, 3), tuple(chains), numbers)


class Training:
    """The rounds of a training, with the choice on development data and checkpoints."""

    def __init__(
        self,
        trees: Sequence[Tree],
        dev: Sequence[Tree] | None,
        weights: Sequence[float],
        options: LatentOptions,
        threads: int,
        stage: str = STAGE,
    ) -> None:
        self.trees, self.dev, self.weights, self.options, self.stage = trees, dev, weights, options, stage
        plain = estimated(trees, TreebankOptions(MARKOV, options.rare_count))
        table = table_of((binarised(tree, MARKOV) for tree in trees), weights, plain, options.rare_count)
        self.learner = Learner(table, options, threads)
        words = sum(len(tree.leaves()) for tree in trees)
        self.metadata = {"trees": len(trees), "words": words, "version": version("treewright")}

    def run(self, run: Run) -> LatentGrammar:
        """The rounds that are left, and the grammar of the best."""
        state, save = self._opened(run.checkpoint, run.resume)
        if state is None:
            found = self.learner.start()
            score = self._report(found, 0, run.report)
            state = {"round": 0, "current": packed(found), "best": packed(found), "best_score": score}
            save(state)
        for number in range(state["round"] + 1, self.options.rounds + 1):
            found = self._round(unpacked(state["current"]), number, run.progress)
            score = self._report(found, number, run.report)
            better = score is None or score > state["best_score"]
            state = {
                "round": number,
                "current": packed(found),
                "best": packed(found) if better else state["best"],
                "best_score": score if better else state["best_score"],
            }
            save(state)
        return calibrated(self._grammar(unpacked(state["best"])), self.dev)

    def grammars(self) -> Iterator[LatentGrammar]:
        """The grammar after each round, from round 0, without a choice."""
        found = self.learner.start()
        yield self._grammar(found)
        for number in range(1, self.options.rounds + 1):
            found = self._round(found, number, None)
            yield self._grammar(found)

    def _opened(
        self, path: str | os.PathLike[str] | None, resume: bool
    ) -> tuple[dict[str, Any] | None, Callable[[Mapping[str, Any]], None]]:
        if path is None:
            return None, lambda state: None
        training = component.hash_of([*(str(tree).encode() for tree in self.trees), repr(self.weights).encode()])
        development = component.hash_of(str(tree).encode() for tree in self.dev or ())
        origin = checkpoints.Origin.now(training, development, self.options.to_json())
        state = checkpoints.load(path, origin) if checkpoints.can_resume(path, resume) else None
        return state, checkpoints.throttled(lambda reached: checkpoints.save(path, reached, origin))

    def _round(self, found: Substates, number: int, progress: Progress | None) -> Substates:
        options = self.options
        steps = options.split_iterations + options.merge_iterations + options.smooth_iterations
        done = 0

        def after(_: float) -> None:
            nonlocal done
            done += 1
            if progress:
                progress(self.stage, number - 1, done, steps)

        return self.learner.round(found, number, options.seed, after)

    def _grammar(self, found: Substates) -> LatentGrammar:
        counts = self.learner.expected(found, self.learner.word_weights(found, True))
        return LatentGrammar([finished(self.learner, found, counts, self.options, self.metadata)])

    def _report(self, found: Substates, number: int, report: Callable[[Report], None]) -> float | None:
        """Report a round; returns its F1 on the development data."""
        counts = self.learner.expected(found, self.learner.word_weights(found, True))
        figures = {
            "log likelihood a word": counts.log_likelihood / max(self.learner.table.word_count, 1e-300),
            "substates": float(found.begins[-1]),
        }
        score = None
        if self.dev is not None:
            scores = bracket_scores(self._grammar(found), self.dev)
            score = scores["f1"]
            figures |= {name: 100 * value for name, value in scores.items()}
        report(Report(self.stage, number, self.options.rounds, figures=figures))
        return score


def calibrated(grammar: LatentGrammar, dev: Sequence[Tree] | None) -> LatentGrammar:
    """The grammar with its confidence calibrated on development trees, if there are any."""
    return grammar if not dev else LatentGrammar(grammar.models, calibration_of(grammar, dev))


def calibration_of(grammar: LatentGrammar, trees: Sequence[Tree]) -> Calibration:
    """The calibration of the confidence of phrases on other trees."""
    probabilities: list[float] = []
    right: list[bool] = []
    raw = LatentGrammar(grammar.models)
    for tree in trees:
        parse = raw.parse(tree.leaves(), partial=True)
        spans = [span for span in parse.spans if span[0]]
        gold = set(tree.spans())
        probabilities += parse.confidence
        right += [span in gold for span in spans][: len(parse.confidence)]
    if not probabilities:
        return Calibration()
    return fit_line(np.array(probabilities), np.array(right), 1.0)[1]


def checked_weights(weights: Sequence[float] | None, count: int) -> list[float]:
    """A positive weight for each tree; 1 if none are given."""
    if weights is None:
        return [1.0] * count
    found = [float(weight) for weight in weights]
    if len(found) != count:
        raise InputError(f"weights has {len(found)} entries for {count} trees; give one a tree")
    for place, weight in enumerate(found):
        if not 0 < weight < 1e9:
            raise InputError(f"weights[{place}] is {weight}; expected a positive number")
    return found


def as_latent(parse: PhraseParse) -> LatentParse:
    """The same result, without confidence."""
    return LatentParse(parse.tree, parse.score, parse.bound, parse.method, given_up=parse.given_up)


def packed(found: Substates) -> dict[str, Any]:
    """Substates as arrays by name."""
    joined = {str(level): array for level, array in enumerate(found.joined)}
    arrays = {"states": found.states, "rules": found.rules, "chains": found.chains, "word_counts": found.word_counts}
    return {**arrays, "joined": joined}


def unpacked(arrays: Mapping[str, Any]) -> Substates:
    """The inverse of `packed`."""
    joined = tuple(arrays["joined"][str(level)] for level in range(len(arrays["joined"])))
    return Substates(arrays["states"], arrays["rules"], arrays["chains"], arrays["word_counts"], joined)


def ignore(report: Report) -> None:
    """No report."""

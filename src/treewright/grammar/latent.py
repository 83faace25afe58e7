"""Latent-variable grammars: train, save, load, parse; products of several (Petrov et al. 2006; Petrov 2010)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright._core import LatentSums, max_rule
from treewright.caching import cached_property
from treewright.checks import Positive, check
from treewright.corpus import Tree
from treewright.corpus.transforms import rebuild
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import latent_file
from treewright.grammar.constraints import Limits
from treewright.grammar.counts import Symbol
from treewright.grammar.kinds import bracket_scores
from treewright.grammar.latent_em import Learner, Substates
from treewright.grammar.latent_model import LatentModel, LatentSentence, finish, lighten
from treewright.grammar.latent_trees import Indices, chain_rows, table_of
from treewright.grammar.model import estimate
from treewright.grammar.options import LatentOptions, TreebankOptions
from treewright.grammar.result import BracketMarginals, PhraseParse
from treewright.grammar.treebank import MAX_WORDS, division_note, part_begins, tree_of
from treewright.grammar.trees import Markov, TreeSource, binarise_tree, metadata_of, training_trees, trees_of
from treewright.learn import Progress, Report
from treewright.learn.calibration import Calibration, fit_line
from treewright.model.checkpoint import Origin, open_checkpoint, step_file
from treewright.model.component import ArrayForm, Arrays, Component, Stored, hash_of
from treewright.model.run import Run, RunOptions

MARKOV = Markov(vertical=1, horizontal=0)  # of the trees; substates replace all context, as published
SMALLEST_EVENT = 1e-10  # probability of rules that max-rule considers; lower ones score the same there
SURE = 0.99  # confidence from which on drawings do not show it
STAGE = "rounds"  # the name of the stage of a training of one grammar
Path = str | os.PathLike[str]


@dataclass(frozen=True)
class LatentParse(PhraseParse):
    """A phrase-structure tree with the confidence of each of its phrases.

    The score is the sum of the log probabilities of the rules of the tree (max-rule), of which the bound is 0. It is
    about the spans that coarse grammars have left; exact=True searches all. confidence has, for each of `spans`, the
    probability that the phrase is right, calibrated if the grammar was trained with development data.
    """

    confidence: tuple[float, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {**super().to_json(), "confidence": [round(value, 4) for value in self.confidence]}

    @property
    def status(self) -> str:
        """What is known of the tree: what was not searched, or the lowest confidence of its phrases."""
        if self.certified or self.given_up or not self.confidence:
            return super().status
        return f"lowest confidence of a phrase: {min(self.confidence):.0%}"

    @property
    def drawn(self) -> Tree:
        """The tree for drawings: labels of phrases that are not quite sure have their confidence behind them."""
        sure = iter(self.confidence)
        labels: dict[int, str] = {}  # of the nodes, by identity
        for node in self.tree.subtrees():
            value = 1.0 if node.is_preterminal() or not node.label else next(sure, 1.0)
            labels[id(node)] = f"{node.label} {value:.0%}" if value < SURE else node.label
        [drawn] = rebuild(self.tree, lambda node, children: [Tree(labels[id(node)], children)])
        assert isinstance(drawn, Tree)
        return drawn

    def _repr_svg_(self) -> str:
        return self.drawn._repr_svg_()


class LatentGrammar(Component):
    """A grammar whose labels have substates that were learned from the trees, or a product of such grammars.

    >>> grammar = LatentGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")], rounds=1)
    >>> print(grammar.parse(["it", "rains"]).tree)
    (S (NP (PRP it)) (VP (VBZ rains)))
    """

    KIND: ClassVar[str] = "latent-variable grammar"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = latent_file.ARRAYS

    def __init__(self, models: Sequence[LatentModel], calibration: Calibration | None = None) -> None:
        self.models, self.calibration = tuple(models), calibration or Calibration()

    @classmethod
    def train(
        cls,
        train: TreeSource,
        dev: TreeSource | None = None,
        *,
        rounds: int | None = None,
        product: int = 1,
        options: LatentOptions | None = None,
        threads: int = 1,
        **how: Unpack[RunOptions],
    ) -> LatentGrammar:
        """Learn substates on train, trees or a file of trees in brackets; they are prepared by `trees_of`.

        Each of the rounds splits all substates, merges half of them again and smooths the rest. With dev the round
        with the highest F1 there is kept, otherwise the last, and confidence is calibrated. product is the number of
        grammars whose product is returned; their seeds are seed, seed + 1, ... options are everything else that the
        grammar depends on. The same seed gives the same grammar, for any number of threads. how: the keywords of
        `RunOptions`; report is called after each round, progress after each step of expectation maximisation.
        """
        run = Run(**how)
        options = run.with_seed(options or LatentOptions())
        if rounds is not None:
            options = replace(options, rounds=rounds)
        check(threads, Positive, "threads")
        check(product, Positive, "product")
        trees = training_trees(train)
        held_out = None if dev is None else trees_of(dev)[0]
        members = []
        for stage, member_settings in member_options(options, product):
            member_run = run
            if run.checkpoint is not None and product > 1:
                member_run = replace(run, checkpoint=step_file(run.checkpoint, stage.replace(" ", "-"), False))
            training = Training(trees, held_out, [1.0] * len(trees), member_settings, threads, stage)
            members.append(training.run(member_run))
        if product == 1:
            return members[0]
        return calibrate(cls([model for member in members for model in member.models]), held_out)

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        header, arrays = latent_file.to_arrays(self.models)
        return {**header, "calibration": vars(self.calibration)}, arrays

    @classmethod
    def from_arrays(cls, source: Path, header: Mapping[str, Any], arrays: Arrays) -> LatentGrammar:
        """Make the grammar of a header and arrays; messages name their source."""
        return cls(latent_file.from_arrays(header, arrays), Calibration(**header["calibration"]))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of phrases."""
        return tuple(sorted({label for model in self.models for label in model.plain.names.labels}))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""
        return tuple(sorted({tag for model in self.models for tag in model.plain.names.tags}))

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What is known about the training data: the numbers of trees and words, their wrapper and quotation marks."""
        return self.models[0].metadata

    def parse(
        self,
        words: Sequence[str],
        *,
        partial: bool = False,
        max_words: int | None = MAX_WORDS,
        exact: bool = False,
        **limits: Unpack[Limits],
    ) -> LatentParse:
        """Find the tree of a sentence with the highest product of the probabilities of its rules (max-rule).

        words, partial, max_words and limits are those of `TreebankGrammar.parse`. exact=True searches all spans and
        substates, slowly; otherwise coarse grammars leave some out.
        """
        if max_words is not None and len(words) > max_words:
            return self._in_parts(words, max_words, exact, **limits)
        sentences = [LatentSentence(model, words, **limits) for model in self.models]
        first = sentences[0]
        sums = self._sums(sentences, exact)
        if not any(member.has_tree for member in sums):
            if not partial:
                raise InfeasibleError(first.why_infeasible())
            return without_confidence(first.cover())
        score, nodes = self._max_rule(sums, range(len(sums)))
        if score == -np.inf:  # every tree has a rule that is less probable than those listed
            sums = self._sums(sentences, True)
            score, nodes = self._max_rule(sums, range(len(sums)))
        tree = self._union.tree(nodes, first.words)
        return LatentParse(
            tree,
            score,
            score if exact else 0.0,
            "max-rule",
            evidence="exact" if exact else "bound",
            confidence=self._confidence(tree, sums),
        )

    def marginals(self, words: Sequence[str], *, exact: bool = False, **limits: Unpack[Limits]) -> BracketMarginals:
        """Compute the probability of each bracket and each tag over all trees; the mean over the members of a product.

        The arguments are those of `parse`. Probabilities are those of the grammar, without calibration.
        """
        sentences = [LatentSentence(model, words, **limits) for model in self.models]
        sums = self._sums(sentences, exact)
        with_tree = self._members_with_trees(sums)
        if not with_tree:
            raise InfeasibleError(sentences[0].why_infeasible())
        both = zip(sums, sentences, strict=True)
        total = sum(member.log_total + sentence.log_scale for member, sentence in both if member.has_tree)
        by_tag = np.zeros((len(words), len(self.tags)))
        for model, member in with_tree:
            preterminals = member.tags()[:, model.plain.preterminals] / len(with_tree)
            places = [self.tags.index(model.plain.names.tags[tag]) for tag in model.plain.tag_of_preterminal]
            np.add.at(by_tag.T, places, preterminals.T)
        return BracketMarginals(self.labels, self._brackets(sums), self.tags, by_tag, total / len(with_tree))

    def __repr__(self) -> str:
        first = self.models[0]
        product = f"product of {len(self.models)}; " if len(self.models) > 1 else ""
        return (
            f"LatentGrammar({product}{len(self.labels)} labels, {len(self.tags)} tags; round {len(first.joined)}, "
            f"{int(first.states.sum())} substates, {np.count_nonzero(first.rules)} rules, "
            f"{len(first.lexicon.words)} words)"
        )

    def trees_by_member(self, words: Sequence[str]) -> list[Tree]:
        """Find the tree of each member of a product alone, and last that of the product; covers without a tree."""
        sentences = [LatentSentence(model, words) for model in self.models]
        sums = self._sums(sentences, False)
        trees: list[Tree] = []
        for members in (*([member] for member in range(len(sums))), range(len(sums))):
            score, nodes = self._max_rule(sums, members)
            has_tree = score > -np.inf
            trees.append(self._union.tree(nodes, words) if has_tree else sentences[0].cover().tree)
        return trees

    def _in_parts(self, words: Sequence[str], max_words: int, exact: bool, **limits: Unpack[Limits]) -> LatentParse:
        """Parse each part of a long sentence on its own, half of max_words at most; there is no phrase over several.

        The time is then linear in the length: a chart is cubic.
        """
        if limits.get("require") or limits.get("forbid"):
            raise InputError(f"a sentence of {len(words)} words has constraints on spans; give max_words=None")
        begins = part_begins(words, max(max_words // 2, 1))
        tags, adjust = limits.get("tags"), limits.get("adjust")
        parses = [
            self.parse(
                words[begin:end],
                partial=True,
                max_words=None,
                exact=exact,
                tags=None if tags is None else tags[begin:end],
                adjust=None if adjust is None else np.asarray(adjust)[begin:end],
            )
            for begin, end in zip(begins, [*begins[1:], len(words)], strict=True)
        ]
        trees = [part for parse in parses for part in (parse.tree.children if not parse.tree.label else [parse.tree])]
        return LatentParse(
            *(Tree("", trees), sum(parse.score for parse in parses), np.inf, "cover"),
            given_up=division_note(words, begins),
            confidence=tuple(value for parse in parses for value in parse.confidence),
        )

    def lighten(self) -> LatentGrammar:
        """Return a copy for a small file: weights have few different values, the smallest ones are left out."""
        return LatentGrammar([lighten(model) for model in self.models], self.calibration)

    # -- the steps of a search

    def _sums(self, sentences: Sequence[LatentSentence], exact: bool) -> list[LatentSums]:
        smallest = 0.0 if exact else SMALLEST_EVENT
        return [
            model.kernel.sums(sentence.weights, model.thresholds(exact), smallest, sentence.constraints)
            for model, sentence in zip(self.models, sentences, strict=True)
        ]

    def _members_with_trees(self, sums: Sequence[LatentSums]) -> list[tuple[LatentModel, LatentSums]]:
        return [(model, member) for model, member in zip(self.models, sums, strict=True) if member.has_tree]

    def _max_rule(self, sums: Sequence[LatentSums], members: Iterable[int]) -> tuple[float, NDArray[np.int32]]:
        """The score and the nodes of the tree of some members, with chains of the union; -inf without one."""
        union = self._union
        with_tree = [member for member in members if sums[member].has_tree]
        score, nodes = -np.inf, np.zeros((0, 3), dtype=np.int32)
        for group in ([with_tree] if with_tree else []) + [[member] for member in with_tree]:
            score, nodes = max_rule(
                *(union.rules, union.chain_rows, len(union.symbols)),
                *([sums[member] for member in group], [union.numbers[member] for member in group]),
            )
            if score > -np.inf:  # all together, else the first that has a tree
                break
        return score, nodes

    def _brackets(self, sums: Sequence[LatentSums]) -> NDArray[np.float64]:
        """The mean probability of [label, first, last] over the members that have a tree."""
        labels, members = self.labels, self._members_with_trees(sums)
        tables = [member.brackets(*model.plain.names.chain_table(labels), len(labels)) for model, member in members]
        return np.asarray(sum(tables[1:], tables[0]) / len(tables))

    def _confidence(self, tree: Tree, sums: Sequence[LatentSums]) -> tuple[float, ...]:
        """The calibrated probability of each phrase of a tree."""
        number = {label: place for place, label in enumerate(self.labels)}
        probabilities = self._brackets(sums)
        raw = [float(probabilities[number[label], first, last]) for label, first, last in tree.spans() if label]
        return tuple(self.calibration.apply(raw).tolist()) if raw else ()

    @cached_property
    def _union(self) -> Union:
        return Union.of(self.models)


def member_options(options: LatentOptions, count: int) -> list[tuple[str, LatentOptions]]:
    """Return the name and the options of each grammar of a product; the seeds follow one another."""
    if count == 1:
        return [(STAGE, options)]
    return [(f"grammar {number + 1}", replace(options, seed=options.seed + number)) for number in range(count)]


def product(grammars: Iterable[LatentGrammar]) -> LatentGrammar:
    """Return the product of grammars: each rule scores the sum of its log probabilities (Petrov 2010).

    >>> tree = Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")
    >>> members = [LatentGrammar.train([tree], rounds=1, seed=seed) for seed in (1, 2)]
    >>> print(product(members).parse(["it", "rains"]).tree)
    (S (NP (PRP it)) (VP (VBZ rains)))
    """
    models = [model for grammar in grammars for model in grammar.models]
    if not models:
        raise InputError("grammars is empty; a product needs at least one grammar")
    return LatentGrammar(models)


@dataclass(frozen=True, eq=False)
class Union:
    """Common numbers of the symbols, rules and chains of the members of a product."""

    symbols: tuple[Symbol, ...]
    rules: Indices
    chains: tuple[tuple[int, ...], ...]
    numbers: list[tuple[Indices, Indices, Indices]]  # of each member: rules, chains, symbols

    @classmethod
    def of(cls, models: Sequence[LatentModel]) -> Union:
        """Number the symbols, rules and chains of all models; the goal is the first symbol of each."""
        goal = models[0].plain.symbols[0]
        symbols = (goal, *sorted({symbol for model in models for symbol in model.plain.symbols} - {goal}))
        number = {symbol: index for index, symbol in enumerate(symbols)}
        rules: dict[tuple[int, ...], int] = {}
        chains: dict[tuple[int, ...], int] = {}
        numbers: list[tuple[Indices, Indices, Indices]] = []
        for model in models:
            ids = np.array([number[symbol] for symbol in model.plain.symbols], dtype=np.int32)
            of_rules = [rules.setdefault(tuple(ids[rule].tolist()), len(rules)) for rule in model.plain.rules]
            of_chains = [chains.setdefault(tuple(ids[[*chain]].tolist()), len(chains)) for chain in model.plain.chains]
            numbers.append((np.array(of_rules, dtype=np.int32), np.array(of_chains, dtype=np.int32), ids))
        return cls(symbols, np.array(list(rules), dtype=np.int32).reshape(-1, 3), tuple(chains), numbers)

    @cached_property
    def chain_rows(self) -> Indices:
        """[chain, 3]: the symbols at its ends, and whether it has a single symbol."""
        return chain_rows(self.chains)

    def tree(self, nodes: NDArray[np.int32], words: Sequence[str]) -> Tree:
        """Return the tree of nodes of a chart."""
        return tree_of(nodes, words, self.symbols, self.chains)


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
        plain = estimate(trees, TreebankOptions(MARKOV, options.rare_count))
        table = table_of((binarise_tree(tree, MARKOV) for tree in trees), weights, plain, options.rare_count)
        self.learner = Learner(table, options, threads)
        self.metadata = metadata_of(trees)

    def run(self, run: Run) -> LatentGrammar:
        """Train the rounds that are left, and return the grammar of the best."""
        state, save = open_checkpoint(run.checkpoint, run.resume, self._origin)
        if state is None:
            substates = self.learner.start()
            score = self._report(substates, 0, run)
            state = {"round": 0, "current": substates.to_state(), "best": substates.to_state(), "best_score": score}
            save(state)
        for number in range(state["round"] + 1, self.options.rounds + 1):
            substates = self._round(Substates.from_state(state["current"]), number, run.progress)
            score = self._report(substates, number, run)
            better = score is None or score > state["best_score"]
            state = {
                "round": number,
                "current": substates.to_state(),
                "best": substates.to_state() if better else state["best"],
                "best_score": score if better else state["best_score"],
            }
            save(state)
        return calibrate(self._grammar(Substates.from_state(state["best"])), self.dev)

    def grammars(self) -> Iterator[LatentGrammar]:
        """Yield the grammar after each round, from round 0, without a choice."""
        substates = self.learner.start()
        yield self._grammar(substates)
        for number in range(1, self.options.rounds + 1):
            substates = self._round(substates, number, None)
            yield self._grammar(substates)

    def _origin(self) -> Origin:
        return Origin.now(hash_of([*self.trees, repr(self.weights)]), hash_of(self.dev or ()), asdict(self.options))

    def _round(self, substates: Substates, number: int, progress: Progress | None) -> Substates:
        options = self.options
        steps = options.split_iterations + options.merge_iterations + options.smooth_iterations
        done = 0

        def after(_: float) -> None:
            nonlocal done
            done += 1
            if progress:
                progress(self.stage, number - 1, done, steps)

        return self.learner.round(substates, number, after)

    def _grammar(self, substates: Substates) -> LatentGrammar:
        counts = self.learner.expect(substates, self.learner.word_weights(substates, True))
        return LatentGrammar([finish(self.learner, substates, counts, self.options, self.metadata)])

    def _report(self, substates: Substates, number: int, run: Run) -> float | None:
        """Report a round; return its F1 on the development data."""
        counts = self.learner.expect(substates, self.learner.word_weights(substates, True))
        figures = {
            "log likelihood a word": counts.log_likelihood / max(self.learner.table.word_count, 1e-300),
            "substates": float(substates.begins[-1]),
        }
        score = None
        if self.dev is not None:
            scores = bracket_scores(self._grammar(substates), self.dev)
            score = scores["f1"]
            figures |= {name: 100 * value for name, value in scores.items()}
        if run.report:
            run.report(Report(self.stage, number, self.options.rounds, figures=figures))
        return score


def calibrate(grammar: LatentGrammar, dev: Sequence[Tree] | None) -> LatentGrammar:
    """Return the grammar with its confidence calibrated on development trees, if there are any."""
    raw = LatentGrammar(grammar.models)
    parses = (raw.parse(tree.leaves(), partial=True) for tree in dev or ())
    return grammar if not dev else LatentGrammar(grammar.models, calibration_of(dev, parses))


def calibration_of(trees: Sequence[Tree], parses: Iterable[LatentParse]) -> Calibration:
    """Fit the calibration of the confidence of phrases to trees that are right, and the parses of their words."""
    probabilities: list[float] = []
    right: list[bool] = []
    for tree, parse in zip(trees, parses, strict=True):
        spans = [span for span in parse.spans if span[0]]
        gold = set(tree.spans())
        probabilities += parse.confidence
        right += [span in gold for span in spans][: len(parse.confidence)]
    if not probabilities:
        return Calibration()
    return fit_line(np.array(probabilities), np.array(right), 1.0)[1]


def without_confidence(parse: PhraseParse) -> LatentParse:
    """Return a result of the treebank model as one of the grammar."""
    return LatentParse(parse.tree, parse.score, parse.bound, parse.method, given_up=parse.given_up)

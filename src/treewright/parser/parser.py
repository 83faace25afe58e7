"""The public class of the parser: train, save, load, parse."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from threading import local
from typing import Any, ClassVar, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from treewright import streams
from treewright.caching import Workers, worker_of_thread
from treewright.checks import check
from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentence, checked_sentences
from treewright.decode import Candidates, Parts
from treewright.decode.options import SearchOptions
from treewright.errors import InputError
from treewright.features import Templates
from treewright.features.standard import STANDARD
from treewright.graphs import GraphParser
from treewright.learn import Observer, Plan, Training
from treewright.model import checkpoint as checkpoints
from treewright.model import component
from treewright.model.checkpoint import Origin
from treewright.model.component import (
    ArrayForm,
    Arrays,
    Component,
    Corpus,
    Stored,
    hash_of,
    metadata_of,
    part_of,
    sentences_of,
)
from treewright.model.run import Run, RunOptions
from treewright.network import Network
from treewright.parser import explanation, file, kbest
from treewright.parser.calibration import calibrate
from treewright.parser.completion import Completion, completer
from treewright.parser.decisions import Arc, Decisions, opened, refuse_decisions
from treewright.parser.explanation import Alternatives, Explanation
from treewright.parser.kbest import KBest
from treewright.parser.label_rules import LabelRules
from treewright.parser.long_sentences import is_long, share_of_part
from treewright.parser.model import ParserModel
from treewright.parser.network_scores import ARC_WEIGHTS, LABEL_WEIGHTS, NetworkWeights
from treewright.parser.networks import with_readings
from treewright.parser.options import ParserOptions, ParserSettings, resolve, where_given
from treewright.parser.partial import attachment, check_treebanks, open_cell_notes
from treewright.parser.question import Question, check_arc, check_word
from treewright.parser.stages import check_graphs, stage_costs, train_model
from treewright.parser.worker import MAX_SECONDS, ParseOptions, Worker, check_second_order, search_options
from treewright.streams import check_count, check_seconds

T = TypeVar("T")


class Parser(Component):
    """A trained dependency parser.

    >>> corpus = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> parser = Parser.train(corpus, model="arc")
    >>> [parsed] = parser.parse([Sentence.from_words(["Cats", "meow"], upos=["NOUN", "VERB"])])
    >>> parsed.heads.tolist(), parsed.deprels, parsed.parse.certified
    ([2, 0], ['nsubj', 'root'], True)
    """

    KIND: ClassVar[str] = "parser"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = file.ARRAYS

    def __init__(self, model: ParserModel) -> None:
        self.model = model
        self.graphs = None if model.graphs is None else GraphParser(model.graphs)
        self._workers = Workers(lambda: Worker(model))
        self._workers_of_questions = local()  # a question keeps its worker

    @classmethod
    def plan(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        options: ParserOptions | ParserSettings | None = None,
        templates: Templates = STANDARD,
        label_rules: LabelRules | None = None,
    ) -> Plan[Sentence, Parser]:
        """Check the data and choose what the options leave open; `run` of the plan trains.

        options, templates and label_rules are those of `train`.

        >>> plan = Parser.plan("sample.conllu", options=ParserOptions(model="arc"))
        >>> plan.settings["root"], [stage.name for stage in plan.stages]
        ('single', ['fold 1', 'fold 2', 'pruner', 'scorer', 'labeller'])
        """
        sentences, held_out = sentences_of(train, "partial"), sentences_of(dev, "partial")
        check_treebanks(sentences, held_out)
        settings = resolve(options or ParserOptions(), sentences)
        check_graphs(sentences, settings)

        def fit(observer: Observer, checkpoint: str | os.PathLike[str] | None, resume: bool) -> Parser:
            def origin() -> Origin:
                graphs = settings.graphs is not None
                training, development = (fingerprint(part, graphs=graphs) for part in (sentences, held_out))
                return Origin.now(training, development, settings.to_json())

            state, save = checkpoints.open_training(checkpoint, resume, origin)
            training = Training(settings.seed, state, replace(observer, checkpoint=save))
            trained = train_model(sentences, held_out, settings, training, templates=templates, label_rules=label_rules)
            metadata = metadata_of(sentences) | {"training_sha256": fingerprint(sentences)}
            return cls(replace(trained, metadata=metadata))

        notes = open_cell_notes(sentences, held_out)
        return Plan(sentences, held_out, settings.to_json(), stage_costs(settings, len(sentences)), fit, notes)

    @classmethod
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        model: str | None = None,
        projective: bool | None = None,
        root: str | None = None,
        options: ParserOptions | ParserSettings | None = None,
        templates: Templates = STANDARD,
        label_rules: LabelRules | None = None,
        **how: Unpack[RunOptions],
    ) -> Parser:
        """Train on the treebank train, a CoNLL-U file or sentences. The epoch with the best score on `dev` is kept.

        Trees may be partial: heads and relations that are "_" are open, and training maximises the probability of all
        trees that have the others. Scores on dev are those of the heads and relations that are given.
        model: "arc", "sib", "grand", "tensor" (grand with a low-rank tensor), "outer" (outermost grandchildren,
        projective), "third" (grand with third-order parts) or "full" (third with global features and the tensor); the
        last two climb from a certified tree. projective, root ("single", "multi"): chosen from the training data if
        None.
        options hold everything else; model, projective and root replace theirs where they are given. The values
        that are left open are resolved once; settings that `treewright.parser.resolve` returned are used as they are.
        templates: the features of parts (treewright.features.templates), saved with the model.
        label_rules: read off the training data if None (options.label_rules=False: no rules).
        how: seed, report, progress, checkpoint and resume (`treewright.model.run.RunOptions`).
        """
        run = Run(**how)
        values = {"model": model, "projective": projective, "root": root, "seed": run.seed}
        chosen = replace(options or ParserOptions(), **where_given(values))
        return run.follow(cls.plan(train, dev, chosen, templates, label_rules))

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        stored = file.to_arrays(self.model)
        parts: dict[str, Component] = {}
        if self.graphs is not None:
            parts[self.graphs.KIND] = self.graphs
        if self.model.network is not None:
            parts[Network.KIND] = self.model.network
        headers, arrays = component.join_parts(parts)
        return {**stored[0], **headers}, {**stored[1], **arrays}

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Parser:
        """Return the inverse of `to_arrays`; messages name the source of the arrays."""
        model = file.from_arrays(header, arrays)
        if GraphParser.KIND in header:
            model = replace(model, graphs=part_of(GraphParser, source, header, arrays).model)
        if Network.KIND in header:
            model = replace(model, network=part_of(Network, source, header, arrays))
        parser = cls(model)
        with parser._workers.borrow():
            pass  # its kernels check the rest of the model
        return parser

    def with_graphs(self, graphs: GraphParser | None) -> Parser:
        """Return a copy that also sets DEPS by this graph parser; by none if it is None."""
        return Parser(replace(self.model, graphs=None if graphs is None else graphs.model))

    def with_network(self, network: Network, dev: Corpus) -> Parser:
        """Return a copy that adds the scores of a network to its own; itself if that is not better on `dev`.

        The weights of the network's scores with the highest LAS on dev are chosen, and confidence is calibrated there.
        dev should have the kind of tags, predicted or gold, that the parser will read.
        """
        linear = self._linear()
        held_out = with_readings(network, sentences_of(dev, "partial"))

        def weighted(arc: float, label: float) -> Parser:
            options = replace(linear.options, network=NetworkWeights(arc, label))
            return Parser(replace(linear.model, options=options, network=network))

        def las(parser: Parser) -> float:
            return attachment(held_out, list(parser.parse(held_out, confidence=False))).las

        arc = max(ARC_WEIGHTS, key=lambda weight: las(weighted(weight, 1.0)))
        label = max(LABEL_WEIGHTS, key=lambda weight: las(weighted(arc, weight)))
        best = weighted(arc, label)
        if not held_out or las(best) <= las(linear):
            return linear
        calibrated = best.calibrate(held_out).model
        return Parser(replace(calibrated, linear_calibration=linear.model.calibration))

    def without_network(self) -> Parser:
        """Return a copy with the scores of its own weights alone, which is faster and less accurate.

        Its trees are projective by default: "en" is then 2.1 times as fast on EWT test, LAS 83.65 in place of 83.70.
        """
        linear = self._linear()
        options = replace(linear.options, projective=True)
        return linear if linear.options.projective else Parser(replace(linear.model, options=options))

    def _linear(self) -> Parser:
        """Return a copy without the network, itself if it has none."""
        if self.options.network is None:
            return self
        options = replace(self.options, network=None)
        calibration = self.model.linear_calibration
        model = replace(self.model, options=options, network=None, calibration=calibration, linear_calibration=None)
        return Parser(model)

    def without_factors(self) -> Parser:
        """Return a copy that scores second-order parts alone, so that its trees can be certified.

        The models "third" and "full" find their trees by hill climbing from those of this copy, which keeps the tensor.
        Its confidence is calibrated for their trees.
        """
        if self.model.factors is None:
            return self
        options = replace(self.options, model="grand" if self.options.tensor is None else "tensor", factors=None)
        templates = self.model.templates._replace(factors=())
        return Parser(replace(self.model, options=options, factors=None, templates=templates))

    def calibrate(self, dev: Corpus) -> Parser:
        """Return a copy whose confidence is calibrated on sentences with gold trees that it was not trained on.

        Training does this with its own `dev`. Sentences should have the kind of tags, predicted or gold, that the
        parser will read.
        """
        calibration = calibrate(self.model, sentences_of(dev, "partial"))
        if calibration is None:
            raise InputError("the development data has no sentences with heads; calibration needs some")
        return Parser(replace(self.model, calibration=calibration))

    @property
    def options(self) -> ParserSettings:
        """The settings of its training."""
        return self.model.options

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        batch_size: int = streams.BATCH,
        **options: Unpack[ParseOptions],
    ) -> Iterator[Sentence]:
        """Parse sentences: copies with heads and labels set, in order; the same for any number of threads.

        Each has `parse` (value, bound, certificate; see treewright.decode) and, unless confidence=False, the calibrated
        probability of each word's head (`head_confidence`) and of its label given the head (`label_confidence`).
        projective: as the model was trained if None. batch_size: how many sentences are taken together, which is
        faster; with 1 none waits for the next. method and further options are those of treewright.decode.tree.

        A certified tree is the model's best tree over the candidate arcs, those that pruning left: of all trees over
        them, none has a higher value. It may still be wrong, and the model may have a better tree with an arc that was
        removed. all_arcs: prune nothing, so that the certificate is about all arcs (`parse.scope` says which);
        sentences of more than MAX_WORDS_ALL_ARCS words are pruned all the same.

        max_seconds (MAX_SECONDS by default) limits the search for one sentence, where one is needed: if arcs may cross
        in a model of siblings, or by a method that searches. The best tree by then has no certificate but a gap. None:
        no limit.
        """
        set_trees = self.tree_setter(**options)

        def parse(chunk: list[Sentence]) -> list[Sentence]:
            return set_trees([sentence.copy() for sentence in chunk])

        return streams.map_items(parse, checked_sentences(sentences), threads=threads, chunk=batch_size)

    def tree_setter(
        self,
        *,
        projective: bool | None = None,
        all_arcs: bool = False,
        method: str = "exact",
        max_seconds: float | None = MAX_SECONDS,
        confidence: bool = True,
        **options: Unpack[SearchOptions],
    ) -> Callable[[list[Sentence]], list[Sentence]]:
        """Return a function that parses sentences in place and returns them; the arguments are those of `parse`."""
        check_seconds(max_seconds)
        is_projective = self._is_projective(projective)
        search = search_options(method, max_seconds, options)

        def set_trees(sentences: list[Sentence]) -> list[Sentence]:
            given = [sentence.copy() for sentence in sentences] if self.graphs else []
            with self._workers.borrow() as worker:
                trees = worker.parse(sentences, is_projective, all_arcs, confidence=confidence, **search)
            for sentence, (parse, labels, *confidences) in zip(sentences, trees, strict=True):
                sentence.set_tree(parse.heads[1:].copy(), labels, parse, *confidences)
            return self.graphs.add(sentences, given=given) if self.graphs else sentences

        return set_trees

    def parts(self, sentence: Sentence, *, projective: bool | None = None, all_arcs: bool = False) -> Parts:
        """Return the scored parts over the candidate arcs of a sentence, or with all_arcs=True over all its arcs.

        projective: as the model was trained if None. The models "third" and "full" score further parts of trees beside
        these. The best tree of the parts is that of a parser of another model:
        `treewright.decode.tree(parser.parts(sentence), projective=parser.model.projective, root=parser.model.root)`.

        >>> import treewright as tw
        >>> nlp = tw.load("en")
        >>> [sentence] = nlp("It rains.")
        >>> parts = nlp.parser.parts(sentence)
        >>> tw.decode.tree(parts, projective=True).heads.tolist(), sentence.heads.tolist()
        ([-1, 2, 0, 2], [2, 0, 2])
        """
        return self._question(sentence, projective, all_arcs=all_arcs).parts

    def value(self, sentence: Sentence, heads: ArrayLike) -> float:
        """Return the value of a tree of a sentence, heads[0] being -1; its arcs may be any."""
        nodes = np.asarray(heads, dtype=np.int32)
        own = Candidates(nodes[1:], np.arange(1, len(nodes), dtype=np.int32), np.zeros((len(nodes), len(nodes))))
        with self._workers.borrow() as worker:
            inputs = worker.encode([checked_sentence(sentence)])
            [parts] = worker.score(inputs, [own])
            return worker.value(inputs, parts, nodes)

    def _question(
        self,
        sentence: Sentence,
        projective: bool | None,
        max_seconds: float | None = None,
        arcs: Decisions | None = None,
        all_arcs: bool = False,
    ) -> Question:
        """Return a question about a sentence under these arcs and what is decided in it; None: under nothing."""
        checked_sentence(sentence)
        decided = Decisions()
        if arcs is not None:
            decided = Decisions.asked(sentence, self.model.labels, arcs.require, arcs.forbid)
        is_projective = self._is_projective(projective)
        worker = worker_of_thread(self._workers_of_questions, lambda: Worker(self.model))
        return Question.of(worker, sentence, is_projective, max_seconds, decided=decided, all_arcs=all_arcs)

    def why_not(
        self,
        sentence: Sentence,
        *,
        head: int,
        modifier: int,
        projective: bool | None = None,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        max_seconds: float | None = MAX_SECONDS,
    ) -> Explanation:
        """Compare the best tree of a sentence with an arc to its best tree: the cost of another head of a word.

        head and modifier are numbers of words, and 0 is the root. projective: as the model was trained if None. An arc
        that pruning removed is added back, and the answer says so. max_seconds limits the two searches, which have half
        of it each.

        Both trees have the arcs in require, pairs (head, modifier), and none of those in forbid. If some heads of the
        sentence are open (-1), the others are decided, and both trees have them, but for the one of the word itself. A
        sentence without open heads decides nothing.

        >>> import treewright as tw
        >>> nlp = tw.load("en")
        >>> answer = nlp.parser.why_not(nlp("The dog barked.")[0], head=3, modifier=1)
        >>> answer.best.heads.tolist(), answer.rival.heads.tolist(), answer.loss > 0
        ([2, 3, 0, 3], [3, 3, 0, 3], True)
        """
        limit = check_seconds(max_seconds)
        arc = check_arc((head, modifier), len(checked_sentence(sentence)))
        arcs = Decisions.of_arcs(require, forbid)
        half = share_of_part(limit, 2)
        question, without_word = self._questions_about(sentence, arc[1], projective, half, arcs)
        return explanation.explain(question.labelled(question.best()), without_word, arc)

    def _questions_about(
        self,
        sentence: Sentence,
        word: int,
        projective: bool | None,
        max_seconds: float | None,
        arcs: Decisions,
    ) -> tuple[Question, Question]:
        """Return the question about a sentence under these arcs, and the same where the word's own head is open."""
        question = self._question(sentence, projective, max_seconds, arcs)
        if (sentence.heads >= 0).all() or sentence.heads[word - 1] < 0:
            return question, question
        return question, self._question(opened(sentence, word), projective, max_seconds, arcs)

    def alternatives(
        self,
        sentence: Sentence,
        modifier: int,
        *,
        count: int = explanation.ALTERNATIVES,
        projective: bool | None = None,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        max_seconds: float | None = MAX_SECONDS,
    ) -> Alternatives:
        """Return the heads that the word modifier of a sentence could have instead: the count with the smallest loss.

        Each has its probability and the loss of the best tree with it. projective, require and forbid are those of
        `why_not`. max_seconds limits the search for the best tree and the searches for all others, which have half of
        it each. Probable heads are tried first; if time ends before all are, `is_complete` is False.

        >>> import treewright as tw
        >>> nlp = tw.load("en")
        >>> heads = nlp.parser.alternatives(nlp("The dog barked.")[0], 1, count=2)
        >>> len(heads), heads[0].loss > 0
        (2, True)
        """
        heads = check_count(count, "count")
        limit = check_seconds(max_seconds)
        words = len(checked_sentence(sentence))
        word = check_word(modifier, words)
        arcs = Decisions.of_arcs(require, forbid)
        half = share_of_part(limit, 2)
        question, without_word = self._questions_about(sentence, word, projective, half, arcs)
        best = question.labelled(question.best())
        wider, _ = without_word.with_candidates([(int(best.heads[word - 1]), word)])
        probable_first = (-wider.marginals[:, word]).argsort(kind="stable").tolist()
        every = explanation.alternatives(best, without_word, word, probable_first, wider, half)
        return replace(every, heads=tuple(sorted(every.heads, key=lambda rival: rival.loss)[:heads]))

    def kbest(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        threads: int = 1,
        projective: bool | None = None,
        all_arcs: bool = False,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        max_seconds: float | None = MAX_SECONDS,
    ) -> Iterator[KBest]:
        """Return the k best trees of each of the sentences with their labels, values and probabilities, in order.

        threads, projective and all_arcs are those of `Parser.parse`. max_seconds limits the search for one sentence:
        the list may then be shorter than k, and its `exact` is False. Where the candidate arcs have fewer than k trees,
        all arcs are used. If the parser finds graphs, each tree has its own.

        Every tree has the arcs in require, and none of those in forbid, which are pairs (head, modifier) for each of
        the sentences; if some heads of a sentence are open (-1), every tree has the others. The trees of a sentence
        that is parsed in parts are joined from those of its parts; a decision about such a sentence is refused.

        >>> import treewright as tw
        >>> nlp = tw.load("en")
        >>> [trees] = nlp.parser.kbest(nlp("Time flies like an arrow."), 2)
        >>> len(trees), trees[0].parse.certified, trees[1].parse.gap > 0
        (2, True, True)
        """
        count = check_count(k, "k")
        limit = check_seconds(max_seconds)
        check_second_order(self.options, "kbest")
        self._is_projective(projective)
        arcs = Decisions.of_arcs(require, forbid)

        def ask(sentence: Sentence, seconds: float | None, every_arc: bool) -> Question:
            return self._question(sentence, projective, seconds, arcs, every_arc)

        def best(_: Worker, sentence: Sentence) -> KBest:
            if is_long(sentence):
                refuse_decisions(sentence, Decisions.asked(sentence, self.model.labels, arcs.require, arcs.forbid))
            trees = kbest.best_trees(ask, sentence, count, limit, all_arcs, self.model.labels)
            if self.graphs:
                self.graphs.add(list(trees), given=[sentence] * len(trees))
            return trees

        return self.each(best, sentences, threads=threads)

    def complete(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        projective: bool | None = None,
        root: str | None = None,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        on_error: str = "raise",
        method: str = "exact",
        max_seconds: float | None = MAX_SECONDS,
        **options: Unpack[SearchOptions],
    ) -> Iterator[Completion]:
        """Fill in the heads and relations of sentences that are "_"; what is given stays as it is.

        threads: how many sentences are completed at a time. projective and root are those of the model if None; where
        the given arcs fit no projective tree, the others may cross too. require and forbid: further arcs, pairs (head,
        modifier), that the tree of each sentence must have or must not have.
        on_error: "raise" a FormatError for annotation that contradicts itself, or "skip" and leave the sentence as it
        is. method, max_seconds and options are those of `parse`.

        >>> import treewright as tw
        >>> [completion] = tw.load("en").parser.complete([Sentence.from_words(["It", "rains"], heads=[2, -1])])
        >>> completion.sentence.heads.tolist(), completion.sentence.deprels, completion.open_heads.tolist()
        ([2, 0], ['nsubj', 'root'], [False, True])
        """
        check_seconds(max_seconds)
        search = search_options(method, max_seconds, options)
        is_projective, root = self._is_projective(projective), root or self.model.root
        arcs = Decisions.of_arcs(require, forbid)
        complete = completer(self, is_projective, root, on_error, search, arcs.require, arcs.forbid)
        return self.each(complete, sentences, threads=threads)

    def _is_projective(self, projective: bool | None) -> bool:
        check(projective, bool | None, "projective")
        return self.model.projective if projective is None else projective

    def each(
        self, answer: Callable[[Worker, Sentence], T], sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[T]:
        """Yield answer(worker, sentence) for each of the sentences, in order; each of the threads borrows a worker."""
        check(answer, Callable[..., Any], "answer")

        def answers(chunk: list[Sentence]) -> list[T]:
            with self._workers.borrow() as worker:
                return [answer(worker, sentence) for sentence in chunk]

        chunk = streams.CHUNK if streams.check_threads(threads) > 1 else 1
        return streams.map_items(answers, checked_sentences(sentences), threads=threads, chunk=chunk)

    def __repr__(self) -> str:
        kind = "projective" if self.model.projective else "non-projective"
        parts = (", graphs" if self.graphs else "") + (", network" if self.model.network else "")
        return f"Parser(model={self.options.model!r}, {kind}, {len(self.model.labels)} labels{parts})"


def fingerprint(sentences: Iterable[Sentence], *, graphs: bool = False) -> str:
    """Return a hash of what training reads of a treebank."""
    return hash_of(part for sentence in sentences for part in columns_of(sentence, graphs))


def columns_of(sentence: Sentence, graphs: bool) -> Iterator[bytes]:
    """Return the columns of a sentence that training reads."""
    if graphs:
        yield "\t".join(sentence.deps).encode() + b"\n"
    for column in (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.deprels):
        yield "\t".join(column).encode() + b"\n"
    yield np.ascontiguousarray(sentence.heads, dtype="<i4").tobytes()

"""A person and a model on one sentence: decide, reject, pin; after each of these the best tree of what is left.

    tree = argmax over trees y of score(y),   decided and pinned arcs in y, rejected arcs not in y

The tree is exact, with bound, gap and certificate; models of third order find it by hill climbing, without certificate.
Its labels are the best ones given the decided labels, and a decided tag first changes the tags of the words around it.
The sentence is encoded, and read by the network, once, and so are the scores of all its arcs, so that the tree is the
best one even where a decision needs arcs that pruning removes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, wraps
from threading import RLock
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.corpus import Sentence
from treewright.corpus.checks import check_iterable, checked_heads
from treewright.corpus.confidence import clear_derived
from treewright.corpus.document import checked_sentence
from treewright.decode import Parse, Parts
from treewright.errors import InfeasibleError, InputError
from treewright.parser import Alternatives, Completion, Explanation, explanation
from treewright.parser.completion import answer, with_graph
from treewright.parser.decisions import OPEN, Arc, Decisions
from treewright.parser.options import FACTOR_MODELS
from treewright.parser.question import Question, check_arc, check_word, scored_parts
from treewright.parser.worker import Inputs, Worker, every_arc
from treewright.streams import check_count, check_seconds

if TYPE_CHECKING:
    from treewright.pipeline.pipeline import Pipeline

TAG_COLUMNS = ("UPOS", "XPOS", "FEATS", "LEMMA")
MIN_SURE = 0.9  # arcs whose head and label are right with a lower probability are doubtful; not tuned
MAX_WORDS = 100  # longer sentences are decoded over the arcs that pruning keeps; scoring all takes 0.1 s at this length
MAX_SECONDS_ALL_ARCS = 0.04  # of decoding over all arcs; then the best tree over the kept arcs is the answer
KEPT_ANSWERS = 4  # states of a session whose trees are kept: the present one, the one before, and those of questions

P = ParamSpec("P")
T = TypeVar("T")


class Decision(NamedTuple):
    """What is decided about one word; None: open. pin: the head and the label that the word keeps."""

    head: int | None = None
    deprel: str | None = None
    upos: str | None = None
    rejected: frozenset[int] = frozenset()
    pin: tuple[int, str] | None = None


State = tuple[Decision, ...]  # one entry a word


@dataclass(frozen=True, eq=False)
class Answer:
    """The tree of a state and the question that it answers, or the error of decisions that no tree has."""

    question: Question | None = None
    completion: Completion | None = None
    error: InfeasibleError | None = None


def guarded(method: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Session, P], T]:
    """Let one thread at a time call the methods of a session."""

    @wraps(method)
    def call(self: Session, /, *args: P.args, **options: P.kwargs) -> T:
        with self._lock:
            return method(self, *args, **options)

    return call


class Session:
    """One sentence with decisions of a person, and the best tree under them; `nlp.open(sentence)` makes one.

    Words are numbered from 1, and head 0 is the root. The state of a session is the set of decisions: their order does
    not matter, and who replays all but the last one has undone it. Nothing is decoded before an answer is asked for.
    Threads that share a session wait for each other.

    >>> import treewright as tw
    >>> session = tw.load("en").open(["I", "saw", "the", "man", "with", "a", "telescope"])
    >>> session.sentence.heads.tolist(), session.tree.certified
    ([2, 0, 4, 2, 7, 7, 2], True)
    >>> session.decide(7, head=4)
    >>> session.sentence.heads.tolist(), session.sentence.deprels[6], session.changed
    ([2, 0, 4, 2, 7, 7, 4], 'nmod', [7])
    >>> session.reject(4, 7)
    >>> session.conflict
    [(4, 7)]
    """

    def __init__(self, pipeline: Pipeline, sentence: Sentence, max_seconds: float | None) -> None:
        """Open a sentence with the models of a pipeline; `Pipeline.open` describes sentence and max_seconds."""
        self._parser, self._tagger = pipeline.trained_parser, pipeline.tagger
        self.max_seconds = check_seconds(max_seconds)
        self._worker = Worker(self._parser.model)  # workers serve one thread at a time
        self._lock = RLock()
        self._state = self._before = decisions_in(checked_sentence(sentence))
        self._infeasible: State | None = None  # the last state that was found to have no tree
        [self._text] = pipeline.read([without_analysis(sentence)])
        # Each is a function of its arguments, so that trees of the last states are found without decoding them again.
        self._encode = lru_cache(KEPT_ANSWERS)(self._encode_tags)
        self._all_parts = lru_cache(KEPT_ANSWERS)(self._score_all_arcs)
        self._answer = lru_cache(KEPT_ANSWERS)(self._answer_state)

    # -- what a person decides

    @guarded
    def decide(self, word: int, *, head: int | None = None, deprel: str | None = None, upos: str | None = None) -> None:
        """Decide the head of a word, its relation (deprel) or its tag (upos); cells that are None stay as they are.

        A decision replaces an earlier one of the same cell, and a decided head the pin of the word. Whether it
        contradicts others is found when a tree is asked for; see `conflict`.
        """
        word = check_word(word, len(self._text), "word")
        if head is None and deprel is None and upos is None:
            raise InputError("nothing is decided; give head, deprel or upos")
        decision = self._state[word - 1]
        if head is not None:
            decision = decision._replace(head=check_arc((head, word), len(self._text), "word")[0], pin=None)
        if deprel is not None:
            decision = decision._replace(deprel=check_cell(deprel, "deprel"))
        if upos is not None:
            decision = decision._replace(upos=check_cell(upos, "upos"))
        self._change(word, decision)

    @guarded
    def reject(self, head: int, word: int) -> None:
        """Exclude the arc from head to word: the word gets another head, and loses a pin to this one."""
        head, word = check_arc((head, word), len(self._text), "word")
        old = self._state[word - 1]
        pin = None if old.pin is not None and old.pin[0] == head else old.pin
        self._change(word, old._replace(rejected=old.rejected | {head}, pin=pin))

    @guarded
    def pin(self, words: Iterable[int]) -> None:
        """Keep the present head and relation of these words, whatever is decided about others."""
        check_iterable(words, "the numbers of words", "words")
        numbers = [check_word(word, len(self._text), "words") for word in words]
        sentence, state = self._completion().sentence, list(self._state)
        for word in numbers:
            arc = int(sentence.heads[word - 1]), sentence.deprels[word - 1]
            state[word - 1] = state[word - 1]._replace(pin=arc)
        self._set(tuple(state))

    @guarded
    def release(self, word: int) -> None:
        """Forget everything about a word: its decisions, its pin, and the arcs to it that were rejected."""
        self._change(check_word(word, len(self._text), "word"), Decision())

    @guarded
    def assign(self, decisions: Iterable[Decision]) -> None:
        """Replace everything that is decided by these decisions, one a word."""
        state = tuple(decisions)
        if len(state) != len(self._text):
            raise InputError(f"{len(state)} decisions; the sentence has {len(self._text)} words")
        if state != self._state:
            self._set(state)

    # -- what follows

    @property
    @guarded
    def tree(self) -> Parse:
        """The best tree under all decisions, with bound, gap and certificate.

        The models "third" and "full" find it by hill climbing among the trees with all decisions, without certificate.
        An InfeasibleError says why there is none.
        """
        parse = self._completion().parse
        assert parse is not None
        return parse

    @property
    @guarded
    def sentence(self) -> Sentence:
        """A copy of the sentence with its present heads, relations, tags and their confidence (1 for decisions)."""
        return self._completion().sentence.copy()

    @property
    @guarded
    def note(self) -> str:
        """Which limit of the model was lifted to keep the decisions; empty if none was.

        A projective model that has no projective tree with all decisions finds the best of all trees.
        """
        return self._completion().note

    @property
    @guarded
    def changed(self) -> list[int]:
        """The words whose head or relation the last call moved."""
        before, now = self._answer(self._before).completion, self._answer(self._state).completion
        if before is None or now is None:
            return []
        pairs = zip(arcs_of(before.sentence), arcs_of(now.sentence), strict=True)
        return [word for word, (old, new) in enumerate(pairs, 1) if old != new]

    @property
    @guarded
    def conflict(self) -> list[Arc]:
        """A smallest set of decided, pinned and rejected arcs that no tree agrees with; empty if some tree does."""
        error = self._answer(self._state).error
        return [] if error is None else list(error.conflict)

    @property
    @guarded
    def constraints(self) -> Decisions:
        """The arcs that the tree must and must not have, with those that decided relations imply, and the relations.

        A word that is decided to be `root` hangs from the root; one with another relation does not.
        """
        return self._question().decided

    @property
    @guarded
    def states(self) -> dict[Arc, str]:
        """What is known of each arc (head, word) of the tree, and of the rejected ones, for `draw.svg(states=...)`.

        "decided", "pinned", "changed" by the last call, "doubtful" (head and relation are right with a probability
        below MIN_SURE), "suggested" or "rejected"; the first of these that holds.
        """
        completion, changed = self._completion(), set(self.changed)
        states: dict[Arc, str] = {}
        sure = completion.arc_confidence.tolist()
        for word, (decision, head) in enumerate(zip(self._state, completion.sentence.heads.tolist(), strict=True), 1):
            states.update({(rejected, word): "rejected" for rejected in decision.rejected})
            if decision.head is not None:
                state = "decided"
            elif decision.pin is not None:
                state = "pinned"
            elif word in changed:
                state = "changed"
            else:
                state = "doubtful" if sure[word - 1] < MIN_SURE else "suggested"
            states[head, word] = state
        return states

    # -- questions

    @guarded
    def alternatives(self, word: int, k: int = explanation.ALTERNATIVES) -> Alternatives:
        """Return the k most probable other heads of a word, given the decisions about other words.

        Each has its probability, the best label, and what the best tree with it loses against the present tree;
        rejected heads are left out. What is decided about the word itself is set aside. max_seconds limits the searches
        for all of these trees together; if it ends them, `is_complete` is False.
        """
        word = check_word(word, len(self._text), "word")
        count = check_count(k, "k")
        question, best = self._asked(word), self.sentence
        current = int(best.heads[word - 1])
        excluded = [word, current, *self._state[word - 1].rejected]
        by_pruner = question.arcs.marginal[:, word].copy()  # ranks the arcs that pruning removed, too
        by_pruner[excluded] = 0
        likely = [int(head) for head in (-by_pruner).argsort(kind="stable")[:count] if by_pruner[head] > 0]
        wider, _ = question.with_candidates((head, word) for head in [current, *likely])
        candidates = {head for head, modifier in wider.candidates if modifier == word}.difference(excluded)
        ranked = sorted(candidates, key=lambda head: (-wider.marginals[head, word], head))[:count]
        return explanation.alternatives(best, question, word, ranked, wider, self.max_seconds)

    @guarded
    def why(self, head: int, word: int) -> Explanation:
        """Compare the best tree in which word has this head to the present tree: loss, words that move, other parts.

        Decisions about other words hold; what is decided about the word itself, and a rejection of the arc, is set
        aside.
        """
        arc = check_arc((head, word), len(self._text), "word")
        return explanation.explain(self.sentence, self._asked(arc[1], arc[0]), arc)

    @guarded
    def head_probabilities(self, heads: ArrayLike) -> NDArray[np.float64]:
        """Return the calibrated probability of each of these heads, one a word, given the decisions."""
        marginal = self._ask(self._state).marginals
        nodes = checked_heads(heads, len(self._text))
        probability = np.asarray(marginal[nodes, np.arange(1, len(nodes) + 1)])
        return self._parser.model.calibrations.head.apply(probability)

    @guarded
    def labels(self, word: int) -> list[tuple[str, float]]:
        """Return the relations that a word may have to its present head with their probabilities, the best first."""
        word = check_word(word, len(self._text), "word")
        question = self._question()
        return self._worker.label_distribution(question.sentence, question.inputs, self.tree.heads, word)

    @guarded
    def tags(self, word: int) -> list[tuple[str, float]]:
        """Return the UPOS tags that a word may have with their probabilities, given the tags of the other words.

        Tags that are decided, or that the sentence came with, count as given; that of the word itself is set aside.
        """
        word = check_word(word, len(self._text), "word")
        sentence = self._text.copy()
        for number, decision in enumerate(self._state, 1):
            if decision.upos is not None:
                set_tag(sentence, number, decision.upos)
        set_tag(sentence, word, OPEN)
        return self._tagger.upos_probabilities(sentence, word)

    def __repr__(self) -> str:
        decided = sum(decision != Decision() for decision in self._state)
        return f"Session({self._text.text!r}, {decided} of {len(self._text)} words decided)"

    # -- states and their answers

    def _change(self, word: int, decision: Decision) -> None:
        self._set((*self._state[: word - 1], decision, *self._state[word:]))

    def _set(self, state: State) -> None:
        """Go on to another state; the words that it changes are counted from the last state that had a tree."""
        if self._state != self._infeasible:
            self._before = self._state
        self._state = state

    def _completion(self) -> Completion:
        answer = self._answer(self._state)
        if answer.error is not None:
            raise answer.error
        assert answer.completion is not None
        return answer.completion

    def _question(self) -> Question:
        self._completion()
        question = self._answer(self._state).question
        assert question is not None
        return question

    def _asked(self, word: int, *accepted: int) -> Question:
        """Return the question without decisions about a word; rejected heads stay so, except for accepted ones."""
        old = self._state[word - 1]
        decision = Decision(upos=old.upos, rejected=old.rejected.difference(accepted))
        if decision == old:
            return self._question()
        return self._ask((*self._state[: word - 1], decision, *self._state[word:]))

    def _answer_state(self, state: State) -> Answer:
        try:
            question = self._ask(state)
        except InfeasibleError as error:
            self._infeasible = state
            return Answer(error=error)
        if len(self._text) <= MAX_WORDS and self._parser.options.model not in FACTOR_MODELS:
            parts = self._all_parts(tags_of(state), question.is_crossing)
            question = question.over_all_arcs(parts, MAX_SECONDS_ALL_ARCS)
        completion = with_graph(self._parser, self._text, answer(question))
        return Answer(question, completion)

    def _ask(self, state: State) -> Question:
        sentence, inputs = self._encode(tags_of(state))
        decided = with_decisions(sentence, state)
        rejected = [(head, word) for word, decision in enumerate(state, 1) for head in sorted(decision.rejected)]
        return Question.of(
            *(self._worker, decided, self._parser.model.projective, self.max_seconds),
            decided=Decisions.given(decided, self._parser.model.labels).extended(forbid=rejected),
            inputs=inputs,
        )

    def _score_all_arcs(self, upos: tuple[str | None, ...], is_crossing: bool) -> Parts:
        """Score the parts of all arcs of the sentence with these tags decided."""
        _, inputs = self._encode(upos)
        arcs = self._worker.prune_under(inputs, self._parser.model.projective, root=self._parser.model.root)
        return scored_parts(self._worker, inputs, every_arc(arcs), is_crossing)

    def _encode_tags(self, upos: tuple[str | None, ...]) -> tuple[Sentence, Inputs]:
        """Return the sentence with these tags decided and open ones filled, and what the worker reads of it."""
        sentence = self._text.copy()
        for word, tag in enumerate(upos, 1):
            if tag is not None:
                set_tag(sentence, word, tag)
        is_open = [own == OPEN or tag is not None for own, tag in zip(self._text.upos, upos, strict=True)]
        if any(is_open):
            [tagged] = self._tagger.tag([sentence], keep=True)
            for name in TAG_COLUMNS:
                cells = zip(is_open, tagged.column(name), sentence.column(name), strict=True)
                sentence.set_column(name, [new if is_filled else old for is_filled, new, old in cells])
            sentence.tag_confidence = tagged.tag_confidence
        return sentence, self._worker.encode([sentence])


def tags_of(state: State) -> tuple[str | None, ...]:
    """Return the decided tag of each word."""
    return tuple(decision.upos for decision in state)


def decisions_in(sentence: Sentence) -> State:
    """Return the heads and relations that a partly annotated sentence has; a whole tree decides nothing."""
    if (sentence.heads >= 0).all():
        return (Decision(),) * len(sentence)
    return tuple(
        Decision(None if head < 0 else head, None if label == OPEN else label)
        for head, label in zip(sentence.heads.tolist(), sentence.deprels, strict=True)
    )


def without_analysis(sentence: Sentence) -> Sentence:
    """Return a copy without heads and relations, and without tags if a tagger chose them."""
    copy = sentence.copy()
    clear_derived(copy)
    copy.heads, copy.deprels = [-1] * len(sentence), [OPEN] * len(sentence)
    copy.head_confidence = copy.label_confidence = copy.tag_confidence = None
    if sentence.tag_confidence is not None:
        for name in TAG_COLUMNS:
            copy.set_column(name, [OPEN] * len(sentence))
    return copy


def with_decisions(sentence: Sentence, state: State) -> Sentence:
    """Return a copy with the heads and relations that are decided or pinned; the others are open."""
    copy = sentence.copy()
    pins = [(-1, OPEN) if decision.pin is None else decision.pin for decision in state]
    both = list(zip(state, pins, strict=True))
    copy.heads = [pin[0] if decision.head is None else decision.head for decision, pin in both]
    copy.deprels = [pin[1] if decision.deprel is None else decision.deprel for decision, pin in both]
    return copy


def set_tag(sentence: Sentence, word: int, upos: str) -> None:
    """Set the UPOS of a word; if it is another one, XPOS, FEATS and LEMMA of the old one are open."""
    if sentence.upos[word - 1] == upos:
        return
    for name in TAG_COLUMNS:
        cells = list(sentence.column(name))
        cells[word - 1] = upos if name == "UPOS" else OPEN
        sentence.set_column(name, cells)


def arcs_of(sentence: Sentence) -> list[tuple[int, str]]:
    """Return head and relation of each word."""
    return list(zip(sentence.heads.tolist(), sentence.deprels, strict=True))


def check_cell(value: str, name: str) -> str:
    """Refuse what cannot be decided about a word."""
    if not isinstance(value, str) or value in ("", OPEN) or any(letter.isspace() for letter in value):
        raise InputError(f"{name} is {value!r}; expected a word without spaces (release(word) opens it again)")
    return value

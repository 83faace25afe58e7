"""What the model shows for a draft: the best tree under its decisions, alternatives, and why.

    tree = argmax over trees y of score(y),   decided, kept and pinned arcs in y, rejected arcs not in y

Kept arcs are the ones of the file or of an earlier acceptance (draft.py); pinned ones were shown for words that the
reader has passed. Both give way to decisions. Questions about a word leave kept arcs of other words out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from treewright.annotate.answers import Arc, Choice, ConflictError, ProjectError
from treewright.annotate.draft import OPEN, Annotation, Draft, conflict_of, kept_heads
from treewright.corpus import Sentence
from treewright.decode import Parse
from treewright.errors import InfeasibleError
from treewright.parser import Explanation, Parser
from treewright.pipeline import Pipeline
from treewright.pipeline.session import Decision, Session

KEPT_SESSIONS = 32  # sentences that stay encoded; not tuned
KEPT_SHOWN = 256  # sentences whose last tree stays in memory; not tuned
MAX_SECONDS = 0.5  # of a search after a decision; not tuned
INDUCED = "what people decided, and heads that an induced model suggests: nothing is proven of them"
TAG_COLUMNS = ("UPOS", "XPOS", "FEATS", "LEMMA")

K = TypeVar("K")
V = TypeVar("V")
Limits = dict[str, Any]  # of a search, as keywords of Shown: required, forbidden, released
Pins = Mapping[int, tuple[int, str]]  # word -> head and relation that it keeps


@dataclass(frozen=True, eq=False)
class Shown:
    """A draft with its tree. confidence: of head and relation of each word, 1 for decisions; None without a model."""

    sentence: Sentence
    required: list[Arc]
    forbidden: list[Arc]
    released: list[int]
    parse: Parse | None = None
    confidence: list[float] | None = None
    note: str = ""
    session: Session | None = None
    decisions: tuple[Decision, ...] = ()
    unproven: str = "no model: the tree is what people decided"  # the proof, where there is no parse

    @property
    def proof(self) -> str:
        """What is proven of the tree, in words."""
        if self.parse is None:
            return self.unproven
        fixed = len(self.required)
        given = "" if fixed == 0 else " given 1 arc" if fixed == 1 else f" given {fixed} arcs"
        scope = "" if not self.parse.pruned else ", among the arcs that pruning kept"
        if self.parse.certified:
            return f"best tree of the model{given}{scope}: proven"
        return f"a good tree of the model{given}{scope}; another one may score up to {self.parse.gap:.2g} more"


class Recent(OrderedDict[K, V]):
    """A dictionary of the values that were set last, at most `size`."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > self._size:
            self.popitem(last=False)


@dataclass
class Assistant:
    """A model that fills in drafts; without a pipeline, words without a head stay open.

    shown_trees: for sentence and layer, the number of its last event and the tree that was shown last.
    """

    pipeline: Pipeline | None = None
    shown_trees: Recent[tuple[int, str], tuple[int, Shown]] = field(default_factory=lambda: Recent(KEPT_SHOWN))
    _sessions: Recent[tuple[int, str], Session] = field(default_factory=lambda: Recent(KEPT_SESSIONS))

    @property
    def has_sessions(self) -> bool:
        """Whether the model answers questions: one that was trained on trees, not an induced one."""
        return self.pipeline is not None and isinstance(self.pipeline.parser, Parser)

    def show(self, number: int, draft: Draft, pins: Pins | None = None) -> Shown:
        """Fill in the draft of sentence `number`; a ConflictError names decisions that no tree agrees with."""
        annotation = draft.annotation()
        size = len(annotation.sentence)
        if conflict := conflict_of(draft, size):
            raise conflict_error(conflict)
        if draft.status == "new" and annotation.released:  # a file with several roots is shown as it is
            original = draft.original()
            return Shown(original, arcs_in(original.heads.tolist()), sorted(draft.rejected), [])
        heads = annotation.sentence.heads.tolist()
        if pins:
            wanted = [pins.get(word, (-1, OPEN))[0] for word in range(1, size + 1)]
            kept = kept_heads(heads, wanted, draft.rejected)
            heads = [own if own >= 0 else pinned for own, pinned in zip(heads, kept, strict=True)]
        labels = [
            pins[word][1] if pins and label == OPEN and word in pins and heads[word - 1] == pins[word][0] else label
            for word, label in enumerate(annotation.sentence.deprels, 1)
        ]
        required, forbidden = arcs_in(heads), sorted(draft.rejected)
        limits = {"required": required, "forbidden": forbidden, "released": annotation.released}
        if not self.has_sessions:
            tree = self._suggest(annotation.sentence, heads, labels, draft.rejected)
            shown = without_model(annotation, *tree, limits)
            return shown if self.pipeline is None else replace(shown, unproven=INDUCED)
        return self._decode(number, draft, annotation, heads, labels, limits)

    def _suggest(
        self, sentence: Sentence, heads: list[int], labels: list[str], rejected: frozenset[Arc]
    ) -> tuple[list[int], list[str]]:
        """Return heads and labels with the arcs of an induced model that the given heads leave possible."""
        if self.pipeline is None:
            return heads, labels
        [parsed] = self.pipeline.parse([sentence])
        kept = kept_heads(heads, parsed.heads.tolist(), rejected)
        filled = [own if own >= 0 else suggested for own, suggested in zip(heads, kept, strict=True)]
        relations = [
            relation if label == OPEN and head == suggested else label
            for label, relation, head, suggested in zip(labels, parsed.deprels, filled, parsed.heads, strict=True)
        ]
        return filled, relations

    def _decode(
        self, number: int, draft: Draft, annotation: Annotation, heads: list[int], labels: list[str], limits: Limits
    ) -> Shown:
        session = self._session(number, draft, annotation.sentence)
        decided = draft.decided_heads(len(heads))
        while True:
            decisions = decisions_of(draft, heads, labels)
            session.assign(decisions)
            try:
                tree, filled, note = session.tree, session.sentence, session.note
                break
            except InfeasibleError as error:
                conflict = session.conflict
                freed = {word for head, word in conflict if heads[word - 1] == head and decided[word - 1] < 0}
                if not freed:
                    raise conflict_error(conflict or list(error.conflict), str(error)) from None
            heads = [-1 if word in freed else head for word, head in enumerate(heads, 1)]
            labels = [OPEN if word in freed else label for word, label in enumerate(labels, 1)]
            limits["released"] = sorted({*limits["released"], *freed})
        required, forbidden, _ = session.constraints
        limits |= {"required": sorted(required, key=lambda arc: arc[1]), "forbidden": sorted({*forbidden})}
        shown = fill_tags(annotation.filled(filled.heads.tolist(), filled.deprels), filled)
        sure = confidence_of(filled)
        if any(own < 0 <= head for own, head in zip(decided, heads, strict=True)):
            session.assign(decisions_of(draft, decided, labels_of(draft, len(heads))))
            free = session.head_probabilities(filled.heads).tolist()
            session.assign(decisions)
            sure = [old if own >= 0 else min(new, old) for own, old, new in zip(decided, sure, free, strict=True)]
        return Shown(shown, **limits, parse=tree, confidence=sure, note=note, session=session, decisions=decisions)

    def _session(self, number: int, draft: Draft, sentence: Sentence) -> Session:
        """Return the session of a sentence with these words and accepted tags; the last ones are kept."""
        assert self.pipeline is not None
        opened = draft.original()
        for word, cells in draft.accepted.items():
            for name in TAG_COLUMNS:
                if name in cells:
                    opened[word - 1].set_cell(name, cells[name])
        opened.heads, opened.deprels = [-1] * len(opened), [OPEN] * len(opened)
        key = number, str(opened)
        session = self._sessions.get(key) or self.pipeline.open(opened, max_seconds=MAX_SECONDS)
        self._sessions[key] = session
        return session

    # -- questions

    def alternatives(self, shown: Shown, draft: Draft, word: int, k: int) -> list[Choice]:
        """Return the most probable other heads of a word, given the decisions and the arcs of the words before it.

        Kept arcs of the words after it would give way to them. If there are fewer than k, heads follow that the model
        gives no probability beside the arcs before the word; if there is none, these arcs would give way, too.
        """
        if shown.session is None:
            return []
        choices = self._rivals(shown, draft, word, k, first=word)
        if len(choices) < k:
            known = {choice.head for choice in choices}
            others = [choice for choice in self._rivals(shown, draft, word, k, first=1) if choice.head not in known]
            heads = shown.sentence.heads.tolist()[: word - 1]
            is_rooted = 0 in heads
            fitting = [
                choice
                for choice in others
                if word not in ancestors(choice.head, heads) and not (is_rooted and choice.head == 0)
            ]
            choices += [replace(choice, probability=0.0) for choice in fitting[: k - len(choices)]]
            choices = choices or others
        return choices

    def _rivals(self, shown: Shown, draft: Draft, word: int, k: int, first: int) -> list[Choice]:
        assert shown.session is not None
        self._ask(shown, draft, word, first)
        try:
            rivals = shown.session.alternatives(word, k)
        finally:
            shown.session.assign(shown.decisions)
        return [Choice(rival.head, rival.label, rival.probability, rival.loss) for rival in rivals]

    def why(self, shown: Shown, draft: Draft, head: int, word: int) -> Explanation:
        """Compare the best tree with an arc to the tree shown."""
        if shown.session is None:
            raise ProjectError("only a model that was trained on trees explains them; train one, or give --model")
        self._ask(shown, draft, word, first=1)
        try:
            return shown.session.why(head, word)
        finally:
            shown.session.assign(shown.decisions)

    def _ask(self, shown: Shown, draft: Draft, word: int, first: int) -> None:
        """Let a session know the decisions, the present head of the word, and the arcs of words before `first`."""
        assert shown.session is not None
        heads, labels = draft.decided_heads(len(shown.sentence)), labels_of(draft, len(shown.sentence))
        for place in (*range(first - 1), word - 1):
            heads[place] = int(shown.sentence.heads[place])
            labels[place] = shown.sentence.deprels[place] if place < word - 1 else labels[place]
        shown.session.assign(decisions_of(draft, heads, labels))


def decisions_of(draft: Draft, heads: Sequence[int], labels: Sequence[str]) -> tuple[Decision, ...]:
    """Return the decisions of a session: these heads and relations, and what the draft says of tags and rejections."""
    rejected: dict[int, set[int]] = {}
    for head, word in draft.rejected:
        rejected.setdefault(word, set()).add(head)
    return tuple(
        Decision(
            None if head < 0 else head,
            None if label == OPEN else label,
            draft.decided.get(word, {}).get("UPOS"),
            frozenset(rejected.get(word, ())) - {head},
        )
        for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
    )


def labels_of(draft: Draft, size: int) -> list[str]:
    """Return the decided relation of each word, "_" where there is none."""
    return [draft.decided.get(word, {}).get("DEPREL", OPEN) for word in range(1, size + 1)]


def without_model(annotation: Annotation, heads: list[int], labels: list[str], limits: Limits) -> Shown:
    """Show what is decided and kept; a relation that is open is the one that the word had before, if that fits."""
    filled = []
    for head, label, (_, old) in zip(heads, labels, annotation.original_arcs, strict=True):
        fits = head >= 0 and label == OPEN and (old == "root") == (head == 0)
        filled.append(old if fits else "root" if head == 0 and label == OPEN else label)
    return Shown(annotation.filled(heads, filled), **limits)


def fill_tags(sentence: Sentence, filled: Sentence) -> Sentence:
    """Fill the open cells of words without a tag from another version of the sentence."""
    for number, tag in enumerate(list(sentence.upos)):
        if tag == OPEN:
            for name in TAG_COLUMNS:
                if sentence.column(name)[number] == OPEN:
                    sentence.column(name)[number] = filled.column(name)[number]
    return sentence


def confidence_of(sentence: Sentence) -> list[float]:
    """Return the probability that head and relation of each word are both right."""
    heads, labels = sentence.head_confidence, sentence.label_confidence
    if heads is None:
        return [1.0] * len(sentence)
    both = heads if labels is None else heads * labels
    return [float(value) for value in np.nan_to_num(both, nan=1.0)]


def ancestors(word: int, heads: Sequence[int]) -> set[int]:
    """Return a word and those above it; words beyond the heads given have no head.

    >>> sorted(ancestors(1, [3, 1, 2, 0])), ancestors(5, [2, 0])
    ([1, 2, 3], {5})
    """
    above: set[int] = set()
    while word > 0 and word not in above:
        above.add(word)
        word = heads[word - 1] if word <= len(heads) else 0
    return above


def arcs_in(heads: Sequence[int]) -> list[Arc]:
    """Return the arcs of the words that have a head."""
    return [(head, word) for word, head in enumerate(heads, 1) if head >= 0]


def conflict_error(arcs: list[Arc], reason: str = "") -> ConflictError:
    """Return the error for decisions that contradict each other."""
    listed = ", ".join(f"{word} under {head}" if head else f"{word} as the root" for head, word in arcs)
    text = f"no tree agrees with these decisions: {listed}; give up one of them" if arcs else reason
    return ConflictError(text, arcs)


def pins_of(shown: Shown | None, cursor: int | None) -> Pins:
    """Return the arcs of the words before the cursor."""
    if shown is None or cursor is None:
        return {}
    sentence = shown.sentence
    return {
        word: (int(sentence.heads[word - 1]), sentence.deprels[word - 1])
        for word in range(1, min(cursor, len(sentence) + 1))
        if sentence.heads[word - 1] >= 0
    }

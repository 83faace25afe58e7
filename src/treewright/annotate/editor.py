"""What people do to sentences: the state that is shown, operations on it, undo, and questions about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from treewright.annotate import view
from treewright.annotate.answers import Answer, Choice, ConflictError, Op, ProjectError, State
from treewright.annotate.assistant import Shown, arcs_in, pins_of
from treewright.annotate.draft import OPEN, Draft
from treewright.annotate.journal import effective, history, overlap
from treewright.annotate.layers import Layers
from treewright.annotate.models import Models
from treewright.annotate.operations import BOUNDARY_KINDS, apply_event, apply_op, check_ops, prepare, touched
from treewright.annotate.people import People, check_name
from treewright.annotate.records import Record, Records, now
from treewright.annotate.resegmenting import Change, Resegmenter
from treewright.annotate.store import Event, Store, exclusive
from treewright.checking import Counts
from treewright.corpus import Sentence
from treewright.parser import Explanation


class Editor:
    """The sentences of a project as people see and change them.

    Methods that take a person check what the role allows (AccessError); a sentence that does not exist is an
    UnknownItemError.
    """

    def __init__(self, store: Store, people: People, models: Models, linter: view.Linter) -> None:
        self._store, self._people, self._models, self._lint = store, people, models, linter
        self._records, self._layers = Records(store), Layers(store)
        self._resegmenter = Resegmenter(store, self._records, self._save_new)

    @exclusive
    def state(self, sentence_id: int, layer: str, cursor: int | None = None) -> State:
        """Return the sentence with the id `sentence_id` as a layer has it, with the best tree under its decisions.

        cursor: words before this one keep the heads and relations that were shown last.
        """
        check_name(layer, "the name of a layer")
        record = self._records.record(sentence_id)
        draft, seq = self._records.draft(record, layer)
        draft = self._layers.with_agreed(record, layer, draft, seq)
        return self._state(record, layer, draft, seq, self._show(record, layer, draft, seq, cursor), [])

    def _show(self, record: Record, layer: str, draft: Draft, seq: int, cursor: int | None = None) -> Shown:
        """Return the tree that was shown last if nothing has happened since, else the tree of the draft."""
        shown_trees = self._models.assistant.shown_trees
        known = shown_trees.get((record.id, layer))
        if known and known[0] == seq:
            return known[1]
        shown = self._models.assistant.show(record.id, draft, pins_of(known[1] if known else None, cursor))
        shown_trees[record.id, layer] = seq, shown
        return shown

    def _state(self, record: Record, layer: str, draft: Draft, seq: int, shown: Shown, changed: list[int]) -> State:
        undoable, undone = history(self._store.events("sentence = ? AND layer = ?", record.id, layer))
        return State(
            *(record.id, layer, record.document, draft.status, seq, seq, shown.sentence),
            view.word_states(draft, shown),
            *(shown.required, shown.forbidden, shown.released, changed),
            lint=self._lint(shown.sentence),
            expected_errors=view.expected_errors(draft, shown),
            doubtful=view.doubtful_words(draft, shown),
            can_undo=bool(undoable),
            can_redo=bool(undone),
            tree=shown.parse,
            proof=shown.proof,
            note=shown.note,
            notes=[view.note_dict(note) for note in draft.notes if note[0] == 0],
            labels=sorted(draft.labels),
            arc_states=view.arc_states(draft, shown, changed),
            session=shown.session,
        )

    @exclusive
    def apply(
        self,
        sentence_id: int,
        layer: str,
        person: str,
        op_id: str,
        base: int,
        ops: Sequence[Op],
        cursor: int | None = None,
    ) -> Answer:
        """Store the operations `ops` of a person on a sentence in a layer, all or none; they are on disk at the end.

        sentence_id: the sentence. op_id: chosen by the client; a repeated one returns the first answer. base: the
        revision that the person saw. cursor: words before this one keep what is shown. A ConflictError says which
        decisions contradict each other, or which cells another person has changed since.
        """
        if repeated := self._repeated(op_id, sentence_id, layer, person, ops=ops):
            return repeated
        record, draft, seq = self._write(sentence_id, layer, person)
        checked = check_ops(ops)
        agreed = self._layers.with_agreed(record, layer, draft, seq)
        before = self._show(record, layer, agreed, seq)
        change = Change(record, layer, person, op_id, now())
        if checked[0]["kind"] in BOUNDARY_KINDS:
            return self._change_boundary(change, checked[0], draft, before)
        new, prepared = agreed, []
        for op in checked:
            shown_now = before.sentence if new is agreed else self._models.assistant.show(record.id, new).sentence
            prepared.append(prepare(op, shown_now, person, change.at))
            new = apply_op(new, prepared[-1])
        payload = {"ops": prepared}
        self._check_base(record.id, layer, base, "ops", payload, before.sentence)
        shown = self._models.assistant.show(record.id, new, pins_of(before, cursor))
        return self._store_event(change, "ops", payload, (draft, agreed, new), before, shown)

    def _store_event(
        self,
        change: Change,
        kind: str,
        payload: dict[str, Any],
        drafts: tuple[Draft, Draft, Draft],
        before: Shown,
        shown: Shown,
    ) -> Answer:
        """Store an event and its state. drafts: the stored one, with what annotators agree on, after the event."""
        record, layer, person, op_id, at = change
        stored, agreed, new = drafts
        with self._store.transaction():
            if agreed is not stored:
                cells = {str(word): dict(values) for word, values in agreed.accepted.items()}
                self._store.add_event(at, person, f"{op_id}#agree", layer, record.id, "agree", {"cells": cells})
            seq = self._store.add_event(at, person, op_id, layer, record.id, kind, payload)
            self._save(record.id, layer, seq, new, shown)
        return self._answer(record, layer, seq, new, before, shown)

    def _write(self, sentence_id: int, layer: str, person: str) -> tuple[Record, Draft, int]:
        check_name(layer, "the name of a layer")
        self._people.check_access(person, layer, write=True)
        record = self._records.record(sentence_id)
        return record, *self._records.draft(record, layer)

    def _repeated(
        self, op_id: str, sentence_id: int, layer: str, person: str, ops: Sequence[Op] | None = None
    ) -> Answer | None:
        """Return the answer of an operation that is stored already."""
        check_name(op_id, "op_id")
        events = self._store.events("op_id = ?", op_id)
        if not events:
            return None
        [event] = events
        self._people.check_access(person, layer)
        if (event.sentence, event.layer, event.author) != (sentence_id, layer, person):
            raise ProjectError(f"op_id {op_id!r} belongs to another operation; choose a new one for each")
        record = self._records.record(sentence_id)
        draft, seq = self._records.draft(record, layer)
        state = self._state(record, layer, draft, seq, self._show(record, layer, draft, seq), [])
        return Answer(event.seq, event.seq, [], state.proof, state, sentence_id, is_repeated=True)

    def _check_base(
        self, number: int, layer: str, base: int, kind: str, payload: dict[str, Any], shown: Sentence
    ) -> None:
        """Refuse an operation on cells that have changed since the revision `base`."""
        touched_cells = touched(kind, payload)
        for event in self._store.events("sentence = ? AND layer = ? AND seq > ?", number, layer, base):
            other = touched(event.kind, event.payload)
            shared = None if touched_cells is None or other is None else touched_cells & other
            if shared is None or shared:
                cells = [
                    {"word": word, "column": name, "value": view.cells_of(shown, word)[name], "author": event.author}
                    for word, name in sorted(shared or ())
                ]
                raise ConflictError(
                    f"the sentence has changed since revision {base} (by {event.author}); nothing was stored", [], cells
                )

    def _save(self, number: int, layer: str, seq: int, draft: Draft, shown: Shown) -> None:
        self._records.save(number, layer, seq, draft, shown.sentence, len(self._lint(shown.sentence)))

    def _save_new(self, number: int, layer: str, seq: int, draft: Draft) -> None:
        self._save(number, layer, seq, draft, self._models.assistant.show(number, draft))

    def _answer(self, record: Record, layer: str, seq: int, draft: Draft, before: Shown, shown: Shown) -> Answer:
        self._models.assistant.shown_trees[record.id, layer] = seq, shown
        changed = view.moved(before.sentence, shown.sentence)
        state = self._state(record, layer, draft, seq, shown, changed)
        return Answer(seq, seq, changed, shown.proof, state, record.id)

    @exclusive
    def change(
        self,
        kind: Literal["accept", "reopen", "undo", "redo"],
        sentence_id: int,
        layer: str,
        person: str,
        op_id: str,
    ) -> Answer:
        """Change a sentence as a whole; the other arguments: as in `apply`.

        kind: "accept" it as it is shown (every suggested cell becomes an accepted one), "reopen" an accepted one (its
        cells stay until a decision contradicts them), "undo" the person's last operation on it, "redo" what the person
        took back last.
        """
        if repeated := self._repeated(op_id, sentence_id, layer, person):
            return repeated
        record, draft, seq = self._write(sentence_id, layer, person)
        change = Change(record, layer, person, op_id, now())
        if kind == "accept":
            agreed = self._layers.with_agreed(record, layer, draft, seq)
            before = self._show(record, layer, agreed, seq)
            cells = view.suggested_cells(agreed, before.sentence)
            new = apply_event(agreed, "accept", {"cells": cells})
            shown = replace(before, required=arcs_in(before.sentence.heads.tolist()))
            return self._store_event(change, "accept", {"cells": cells}, (draft, agreed, new), before, shown)
        before = self._show(record, layer, draft, seq)
        if kind == "reopen":
            if draft.status != "accepted":
                raise ConflictError("the sentence is not accepted")
            new = apply_event(draft, "reopen", {})
            shown = self._models.assistant.show(record.id, new)
            return self._store_event(change, "reopen", {}, (draft, draft, new), before, shown)
        return self._turn(change, kind, before)

    def _turn(self, change: Change, kind: Literal["undo", "redo"], before: Shown) -> Answer:
        """Store an undo or a redo of the last event of a person that can be undone or done again."""
        record, layer, person, op_id, at = change
        events = self._store.events("sentence = ? AND layer = ?", record.id, layer)
        done, undone = history(events, person)
        candidates, does = (done, "undo") if kind == "undo" else (undone, "do again")
        if not candidates:
            raise ConflictError(f"there is nothing of {person} to {does} in this sentence")
        event = candidates[-1]
        check_alone(event, events, person)
        with self._store.transaction():
            if event.kind in ("split", "join"):
                self._resegmenter.turn(event, kind)
            new_seq = self._store.add_event(at, person, op_id, layer, record.id, kind, {}, event.seq)
            new = self._records.replay(record, layer)
            shown = self._models.assistant.show(record.id, new)
            self._save(record.id, layer, new_seq, new, shown)
        return self._answer(record, layer, new_seq, new, before, shown)

    def _change_boundary(self, change: Change, op: Op, draft: Draft, before: Shown) -> Answer:
        """Split a sentence or join it with the next one, for all layers."""
        record, layer = change.record, change.layer
        with self._store.transaction():
            new, seq = self._resegmenter.apply(change, op, draft, before.sentence)
            after = self._models.assistant.show(record.id, new)
            self._save(record.id, layer, seq, new, after)
        return self._answer(record, layer, seq, new, before, after)

    # -- questions

    @exclusive
    def alternatives(self, sentence_id: int, layer: str, word: int, k: int = 5) -> list[Choice]:
        """Return the k most probable other heads of a word, given the decisions about other words; [] without a model.

        sentence_id, layer: as in `state`.
        """
        draft, shown = self._asked(sentence_id, layer, word)
        return self._models.assistant.alternatives(shown, draft, word, k)

    @exclusive
    def why(self, sentence_id: int, layer: str, head: int, word: int) -> Explanation:
        """Compare the best tree with an arc from head to word to the tree shown; sentence_id, layer: as in `state`."""
        draft, shown = self._asked(sentence_id, layer, word)
        if not 0 <= head <= len(shown.sentence) or head == word:
            raise ProjectError(f"head is {head}; expected another word, or 0 for the root")
        return self._models.assistant.why(shown, draft, head, word)

    @exclusive
    def labels(self, sentence_id: int, layer: str, word: int) -> list[tuple[str, float]]:
        """Return relations that a word may have, with probabilities by the model or shares in the project.

        sentence_id, layer: as in `state`.
        """
        session = self._asked(sentence_id, layer, word)[1].session
        return session.labels(word) if session else shares(Counts.of(self._records.sentences(layer)).relations)

    @exclusive
    def tags(self, sentence_id: int, layer: str, word: int) -> list[tuple[str, float]]:
        """Return UPOS tags that a word may have, with probabilities by the model or shares in the project.

        sentence_id, layer: as in `state`.
        """
        session = self._asked(sentence_id, layer, word)[1].session
        return session.tags(word) if session else shares(Counts.of(self._records.sentences(layer)).upos)

    def _asked(self, sentence_id: int, layer: str, word: int) -> tuple[Draft, Shown]:
        record = self._records.record(sentence_id)
        draft, seq = self._records.draft(record, layer)
        draft = self._layers.with_agreed(record, layer, draft, seq)
        shown = self._show(record, layer, draft, seq)
        if not 1 <= word <= len(shown.sentence):
            raise ProjectError(f"word is {word}; the sentence has the words 1 to {len(shown.sentence)}")
        return draft, shown


def check_alone(event: Event, events: Sequence[Event], person: str) -> None:
    """Refuse to undo or redo an event after another person has changed the same cells."""
    for other in effective(events):
        if other.seq > event.seq and other.author != person and overlap(event, other):
            raise ConflictError(f"{other.author} has changed the same words since; that cannot be undone for them")


def shares(counts: Counter[str]) -> list[tuple[str, float]]:
    """Return the values with their shares, the most frequent first, without "_"."""
    total = sum(count for value, count in counts.items() if value != OPEN)
    return [(value, count / total) for value, count in counts.most_common() if value != OPEN]

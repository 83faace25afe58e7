"""Splitting and joining sentences in a store, for all layers, and undoing that."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treewright.annotate.answers import ConflictError, Op, ProjectError
from treewright.annotate.boundaries import cuts_between_roots, join_sentences, split_sentence
from treewright.annotate.draft import Draft
from treewright.annotate.journal import effective
from treewright.annotate.records import Record, Records
from treewright.annotate.store import Event, Store
from treewright.corpus import Sentence

Save = Callable[[int, str, int, Draft], None]  # number, layer, event, draft: store a draft with its tree


class Change(NamedTuple):
    """Who changes the boundaries of a sentence, where and when."""

    record: Record
    layer: str
    person: str
    op_id: str
    at: str


class Resegmenter:
    """Changes boundaries of sentences; save stores the draft of a sentence that is new."""

    def __init__(self, store: Store, records: Records, save: Save) -> None:
        self._store, self._records, self._save = store, records, save

    def apply(self, change: Change, op: Op, draft: Draft, shown: Sentence) -> tuple[Draft, int]:
        """Carry out an operation; return the draft of the first sentence and the number of its event."""
        if op["kind"] == "join_sentences":
            draft = self._join(change, draft)
        else:
            cuts = [op["word"]] if op["kind"] == "split_sentence" else cuts_between_roots(shown)
            for number, word in enumerate(reversed(cuts)):
                own_id = change.op_id if number == len(cuts) - 1 else f"{change.op_id}#{number}"
                draft = self._split(change._replace(op_id=own_id), draft, word)
        (seq,) = self._store.one("SELECT seq FROM event WHERE op_id = ?", change.op_id)
        return draft, seq

    def _split(self, change: Change, draft: Draft, word: int) -> Draft:
        record, layer, person, op_id, at = change
        self._check_alone(record.id, layer)
        first, second = split_sentence(draft, word)
        document, position = self._store.one("SELECT document, position FROM sentence WHERE id = ?", record.id)
        (following,) = self._store.one(
            "SELECT MIN(position) FROM sentence WHERE document = ? AND position > ?", document, position
        )
        place = position + 1 if following is None else (position + following) / 2
        payload = {"word": word, "text": first.text}
        seq = self._store.add_event(at, person, op_id, layer, record.id, "split", payload)
        sentence = Sentence(second.text)
        new = self._store.run(
            "INSERT INTO sentence (document, position, sent_id, surface, words, text, created_by) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(document, place, sentence.sent_id or f"{record.sent_id}-2", sentence.text, len(sentence)),
            *(second.text, seq),
        )
        carried = self._store.add_event(at, person, f"{op_id}#carry", layer, new, "carry", {"draft": second.to_json()})
        self._save(new, layer, carried, second)
        return first

    def _join(self, change: Change, draft: Draft) -> Draft:
        record, layer, person, op_id, at = change
        row = self._store.one(
            "SELECT other.id FROM sentence AS own JOIN sentence AS other ON other.document = own.document "
            "AND other.position > own.position WHERE own.id = ? AND NOT other.is_gone ORDER BY other.position",
            record.id,
        )
        if not row:
            raise ProjectError("the sentence is the last of its document; there is none to join it with")
        other = self._records.record(row[0])
        for number in (record.id, other.id):
            self._check_alone(number, layer)
        second, _ = self._records.draft(other, layer)
        new = join_sentences(draft, second)
        payload = {"other": other.id, "draft": second.to_json(), "text": new.text}
        self._store.add_event(at, person, op_id, layer, record.id, "join", payload)
        self._store.run("UPDATE sentence SET is_gone = 1 WHERE id = ?", other.id)
        return new

    def _check_alone(self, number: int, layer: str) -> None:
        """Refuse to change boundaries of a sentence that other layers have worked on."""
        others = {event.layer for event in effective(self._store.events("sentence = ?", number))} - {layer}
        if others:
            raise ConflictError(
                f"{', '.join(sorted(others))} worked on this sentence; its boundaries can change only before that"
            )

    def turn(self, event: Event, kind: str) -> None:
        """Undo or redo (kind) what a split or a join did to other sentences."""
        if event.kind == "join":
            number, is_gone = event.payload["other"], kind == "redo"
        else:
            [(number,)] = self._store.rows("SELECT id FROM sentence WHERE created_by = ?", event.seq)
            is_gone = kind == "undo"
            if is_gone and [e for e in effective(self._store.events("sentence = ?", number)) if e.kind != "carry"]:
                raise ConflictError("the second sentence has been changed since; undo that first")
        self._store.run("UPDATE sentence SET is_gone = ? WHERE id = ?", int(is_gone), number)

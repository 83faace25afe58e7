"""A treebank project: a folder with a journal of decisions, from which every state of every sentence follows."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import wraps
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from treewright import query
from treewright.annotate import agreement, files, learning, view
from treewright.annotate.answers import (
    AccessError,
    Answer,
    Choice,
    ConflictError,
    Difference,
    Hit,
    Job,
    Op,
    Person,
    ProjectError,
    State,
    StoreError,
    Summary,
    UnknownItemError,
)
from treewright.annotate.assistant import Assistant, Pins, Shown, arcs_in
from treewright.annotate.boundaries import cuts_between_roots, join_sentences, split_sentence
from treewright.annotate.draft import OPEN, Draft
from treewright.annotate.operations import BOUNDARY_KINDS, apply_event, apply_op, check_ops, prepare, touched
from treewright.annotate.store import Event, Store, dump
from treewright.annotate.suggestions import Suggestions
from treewright.checking import Counts
from treewright.corpus import Sentence
from treewright.model.registry import load
from treewright.parser import Explanation
from treewright.pipeline import Pipeline

ROLES = ("reader", "annotator", "adjudicator", "manager")
GOLD = "gold"  # the layer of adjudication
UNDOABLE = ("ops", "accept", "reopen", "split", "join")
QUEUES = ("file", "open", "doubtful", "notes", "unsure")
SEARCH = "search:"  # before a request that is used as a queue
KEPT_SHOWN = 256  # sentences whose last tree stays in memory; not tuned
ACCEPTED_COLUMNS = ("LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
MAX_NAME = 100  # characters of the name of a person or layer; not tuned

P = ParamSpec("P")
T = TypeVar("T")


def guarded(method: Callable[Concatenate[Project, P], T]) -> Callable[Concatenate[Project, P], T]:
    """Let one thread at a time call the methods of a project."""

    @wraps(method)
    def call(self: Project, /, *args: P.args, **options: P.kwargs) -> T:
        self._suggestions.pause()
        with self._lock:
            return method(self, *args, **options)

    return call


class Record(NamedTuple):
    """A sentence as the store has it; text: its lines as imported."""

    id: int
    document: str
    sent_id: str
    text: str


class Project:
    """A treebank that people annotate: sentences, layers, decisions, models.

    One process at a time may write to a project. Threads that share one wait for each other. Methods that take a person
    check what the role allows (AccessError); a sentence, layer or job that does not exist is an UnknownItemError.

    >>> import tempfile
    >>> with Project.create(tempfile.mkdtemp() + "/work", ["sample.conllu"]) as project:
    ...     state = project.state(1, "me")
    ...     op = {"kind": "deprel", "word": 1, "deprel": "dep"}
    ...     answer = project.apply(1, "me", "me", "op-1", state.revision, [op])
    ...     answer.state.words[0].cells["DEPREL"], project.undo(1, "me", "me", "op-2").state.status
    ('dep', 'new')
    """

    def __init__(
        self, folder: str | os.PathLike[str], store: Store, model: str | None = None, read_only: bool = False
    ) -> None:
        """Use `create` or `open`."""
        self.folder = Path(folder)
        self._store, self._lock = store, RLock()
        self._given_model = model
        self._shown: OrderedDict[tuple[int, str], tuple[int, Shown]] = OrderedDict()
        self._counts: Counts | None = None
        self._jobs: dict[str, learning.TrainingProcess] = {}
        self._suggestions = Suggestions(self)
        self._assistant, self.model = Assistant(), ""
        if not read_only:
            self._load_model()

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        files: Sequence[str | os.PathLike[str]],
        model: str | None = None,
        author: str = "me",
        *,
        keep_trees: bool = True,
    ) -> Project:
        """Make a project of files (CoNLL-U, CoNLL-X, raw text, folders of them) in a new folder, and open it.

        model: name or file of the model that suggests trees; None: every word is open. author: the manager's name.
        keep_trees: trees that the files have are kept until a decision contradicts them; otherwise the model's trees
        are shown in their place.
        """
        path = Path(folder)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise StoreError(f"{path}: there is something already; give the name of a new folder")
        is_new = not path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}; nothing was made") from None
        try:
            store = Store(path, is_new=True)
            try:
                with store.transaction():
                    store.set("model", model or "")
                    store.set("keep_trees", "yes" if keep_trees else "no")
                project = cls(path, store)
                project.add_person(author, "manager")
                project.import_files(files)
            except BaseException:
                store.close()
                raise
        except BaseException:
            if is_new:
                shutil.rmtree(path, ignore_errors=True)
            else:
                for name in path.glob("project.*"):
                    name.unlink(missing_ok=True)
            raise
        return project

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, model: str | None = None, read_only: bool = False) -> Project:
        """Open the project in a folder; a StoreError says why it cannot be opened.

        model: use this model in place of the one of the project. read_only: no lock is taken and nothing can change.
        """
        path = Path(folder)
        store = Store(path, read_only=read_only)
        try:
            return cls(path, store, model, read_only)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """End the background work and give up the lock."""
        self._suggestions.stop()
        for job in self._jobs.values():
            job.stop()
        with self._lock:
            self._store.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- people

    @guarded
    def people(self) -> list[Person]:
        """List the people of the project; the first is the one who made it."""
        return [Person(*row) for row in self._store.rows("SELECT name, role FROM person ORDER BY rank")]

    @guarded
    def add_person(self, name: str, role: str = "annotator") -> str:
        """Add a person of this name, or change the role; return a new token, which is stored only as a hash.

        role: reader, annotator (writes the own layer and sees no other), adjudicator (sees all layers, writes gold),
        manager (everything).
        """
        if role not in ROLES:
            raise ProjectError(f"role is {role!r}; expected one of {', '.join(ROLES)}")
        check_name(name, "the name of a person")
        if name == GOLD:
            raise ProjectError(f"{GOLD} is the layer of adjudication; choose another name")
        token = secrets.token_urlsafe(16)
        with self._store.transaction():
            row = self._store.one("SELECT rank FROM person WHERE name = ?", name)
            (count,) = row or self._store.one("SELECT COUNT(*) FROM person")
            self._store.run("INSERT OR REPLACE INTO person VALUES (?, ?, ?, ?)", name, role, hash_of(token), count)
        return token

    @guarded
    def person_of(self, token: str) -> Person | None:
        """Return the person with this token; None if nobody has it."""
        row = self._store.one("SELECT name, role FROM person WHERE token_hash = ?", hash_of(token))
        return Person(*row) if row else None

    @guarded
    def layers(self, person: str) -> list[str]:
        """List the layers that a person may see; the own one comes first."""
        role = self._role(person)
        if role == "annotator":
            return [person]
        written = [row[0] for row in self._store.rows("SELECT DISTINCT layer FROM tree ORDER BY layer")]
        own = [] if role == "reader" else [person]
        others = [name for name, _ in self._store.rows("SELECT name, role FROM person ORDER BY rank")]
        return list(dict.fromkeys([*own, *others, *written, GOLD]))

    def check_access(self, person: str, layer: str, *, write: bool = False) -> None:
        """Raise an AccessError unless a person may see a layer, or write it."""
        role = self._role(person)
        own = layer == person and role != "reader"
        may_write = own or role == "manager" or (role == "adjudicator" and layer == GOLD)
        if not (may_write or (not write and role in ("reader", "adjudicator"))):
            does = "write" if write else "see"
            raise AccessError(f"{person} is {role} and may not {does} the layer {layer}")

    def _role(self, person: str) -> str:
        row = self._store.one("SELECT role FROM person WHERE name = ?", person)
        if not row:
            raise UnknownItemError(f"nobody is called {person!r} in this project")
        return str(row[0])

    @property
    def manager(self) -> str:
        """The name of the person who made the project, whose layer is exported by default."""
        return str(self._store.one("SELECT name FROM person ORDER BY rank")[0])

    # -- sentences

    @guarded
    def documents(self) -> list[str]:
        """List the names of the documents, in order."""
        return [row[0] for row in self._store.rows("SELECT name FROM document ORDER BY id")]

    @guarded
    def status(self) -> dict[str, Any]:
        """Return counts: documents, sentences, for each layer the sentences by status, and the models."""
        layers: dict[str, dict[str, int]] = {}
        for layer, status, count in self._store.rows(
            "SELECT layer, status, COUNT(*) FROM tree JOIN sentence ON sentence.id = tree.sentence WHERE NOT is_gone "
            "GROUP BY layer, status ORDER BY layer"
        ):
            layers.setdefault(layer, {"accepted": 0, "started": 0})[status] = count
        (sentences,) = self._store.one("SELECT COUNT(*) FROM sentence WHERE NOT is_gone")
        people = [person.as_dict() for person in self.people()]
        counts = {"documents": self.documents(), "sentences": sentences, "people": people}
        return counts | {"layers": layers, "models": self.models(), "model": self.model}

    @guarded
    def queues(self, layer: str) -> dict[str, int]:
        """Return the queues of a layer with the number of their sentences: file, open, doubtful, notes, unsure."""
        return {name: len(self._queue(layer, name)) for name in QUEUES}

    @guarded
    def summaries(
        self, layer: str, queue: str | None = None, after: int | None = None, limit: int = 50
    ) -> list[Summary]:
        """List sentences of a layer in the order of a queue: at most `limit`, after the one with the id `after`.

        queue: one of `queues`, or "search:REQUEST"; None: all sentences in the order of the files.
        """
        hits: dict[int, list[int]] = {}
        if queue is not None and queue.startswith(SEARCH):
            for hit in self._hits(queue.removeprefix(SEARCH), layer, None):
                hits.setdefault(hit.sentence_id, []).extend(hit.nodes.values())
            ids = list(hits)
        else:
            ids = self._queue(layer, queue or "file")
        if after is not None:
            if after not in ids:
                self._record(after)
                order = self._queue(layer, "file")
                ids = [number for number in ids if number in set(order[order.index(after) + 1 :])]
            else:
                ids = ids[ids.index(after) + 1 :]
        return [self._summary(number, layer, hits.get(number, [])) for number in ids[: max(limit, 0)]]

    def _queue(self, layer: str, name: str) -> list[int]:
        conditions = {
            "file": "1",
            "open": "COALESCE(tree.status, 'new') != 'accepted'",
            "doubtful": "COALESCE(tree.status, 'new') != 'accepted' AND suggestion.doubtful > 0",
            "notes": "tree.notes > 0",
            "unsure": "tree.unsure > 0",
        }
        if name not in conditions:
            expected = f"{', '.join(conditions)} or {SEARCH}REQUEST"
            raise UnknownItemError(f"there is no queue {name!r}; expected {expected}")
        rows = self._store.rows(
            "SELECT sentence.id FROM sentence LEFT JOIN tree ON tree.sentence = sentence.id AND tree.layer = ? "
            f"LEFT JOIN suggestion ON suggestion.sentence = sentence.id WHERE NOT is_gone AND {conditions[name]} "
            "ORDER BY document, position",
            layer,
        )
        return [row[0] for row in rows]

    def _summary(self, number: int, layer: str, hit: list[int]) -> Summary:
        sent_id, surface, words, document, *tree = self._store.one(
            "SELECT sent_id, surface, words, document.name, tree.shown, status, decided, notes, doubtful FROM sentence "
            "JOIN document ON document.id = sentence.document "
            "LEFT JOIN tree ON tree.sentence = sentence.id AND tree.layer = ? "
            "LEFT JOIN suggestion ON suggestion.sentence = sentence.id WHERE sentence.id = ?",
            *(layer, number),
        )
        shown, status, decided, notes, doubtful = tree
        if shown is not None:
            sentence = Sentence(shown)
            sent_id, surface, words = sentence.sent_id or sent_id, sentence.text, len(sentence)
        doubtful = 0 if status == "accepted" else doubtful
        return Summary(
            *(number, sent_id, surface, document, status or "new", words, decided or 0, doubtful, notes or 0),
            sorted(set(hit)),
        )

    def _record(self, number: int) -> Record:
        row = self._store.one(
            "SELECT sentence.id, document.name, sent_id, text FROM sentence "
            "JOIN document ON document.id = sentence.document WHERE sentence.id = ? AND NOT is_gone",
            number,
        )
        if not row:
            raise UnknownItemError(f"there is no sentence {number}")
        return Record(*row)

    def _draft(self, record: Record, layer: str) -> tuple[Draft, int]:
        """Return the draft of a sentence in a layer, and the number of its last event; 0 if there is none."""
        row = self._store.one("SELECT draft, seq FROM tree WHERE sentence = ? AND layer = ?", record.id, layer)
        if row:
            return Draft.from_json(json.loads(row[0])), row[1]
        (boundary,) = self._store.one(
            "SELECT COUNT(*) FROM event WHERE sentence = ? AND kind IN ('split', 'join')", record.id
        )
        if boundary:
            return self._replay(record, layer), 0
        return self._start(record, layer), 0

    def _start(self, record: Record, layer: str) -> Draft:
        return Draft(record.text, keeps_tree=self._store.setting("keep_trees") == "yes")

    def _replay(self, record: Record, layer: str, without: Iterable[int] = ()) -> Draft:
        """Return the draft that the journal gives, without some of its events."""
        draft = self._start(record, layer)
        for event in effective(self._store.events("sentence = ?", record.id)):
            is_own = event.layer == layer
            if event.seq not in without and (is_own or event.kind in ("split", "join")):
                draft = apply_event(draft, event.kind, event.payload, is_own)
        return draft

    @guarded
    def state(self, sentence_id: int, layer: str, cursor: int | None = None) -> State:
        """Return the sentence with the id `sentence_id` as a layer has it, with the best tree under its decisions.

        cursor: words before this one keep the heads and relations that were shown last.
        """
        check_name(layer, "the name of a layer")
        record = self._record(sentence_id)
        draft, seq = self._draft(record, layer)
        draft = self._with_agreed(record, layer, draft, seq)
        return self._state(record, layer, draft, seq, self._show(record, layer, draft, seq, cursor), [])

    def _show(self, record: Record, layer: str, draft: Draft, seq: int, cursor: int | None = None) -> Shown:
        """Return the tree that was shown last, if nothing has happened since; else that of the draft."""
        known = self._shown.get((record.id, layer))
        if known and known[0] == seq:
            return known[1]
        shown = self._assistant.show(record.id, draft, pins_of(known[1] if known else None, cursor))
        self._remember(record.id, layer, seq, shown)
        return shown

    def _remember(self, number: int, layer: str, seq: int, shown: Shown) -> None:
        self._shown.pop((number, layer), None)
        self._shown[number, layer] = seq, shown
        while len(self._shown) > KEPT_SHOWN:
            self._shown.popitem(last=False)

    def _state(self, record: Record, layer: str, draft: Draft, seq: int, shown: Shown, changed: list[int]) -> State:
        undoable, undone = self._history(record.id, layer)
        return State(
            *(record.id, layer, record.document, draft.status, seq, seq, shown.sentence),
            view.word_states(draft, shown),
            *(shown.required, shown.forbidden, shown.released, changed),
            lint=view.lint(shown.sentence, self._counts),
            expected_errors=view.expected_errors(draft, shown),
            doubtful=view.doubtful_words(draft, shown),
            can_undo=bool(undoable),
            can_redo=bool(undone),
            tree=shown.parse,
            proof=shown.proof,
            note=shown.note,
            notes=[view.note_dict(note) for note in draft.notes if note[0] == 0],
            arc_states=view.arc_states(draft, shown, changed),
            session=shown.session,
        )

    # -- operations

    @guarded
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
        agreed = self._with_agreed(record, layer, draft, seq)
        before = self._show(record, layer, agreed, seq)
        at = now()
        if checked[0]["kind"] in BOUNDARY_KINDS:
            return self._change_boundary(record, layer, person, op_id, at, checked[0], draft, before.sentence)
        new, prepared = agreed, []
        for op in checked:
            shown_now = before.sentence if new is agreed else self._assistant.show(record.id, new).sentence
            prepared.append(prepare(op, shown_now, person, at))
            new = apply_op(new, prepared[-1])
        payload = {"ops": prepared}
        self._check_base(record.id, layer, base, "ops", payload, before.sentence)
        shown = self._assistant.show(record.id, new, pins_of(before, cursor))
        with self._store.transaction():
            if agreed is not draft:
                self._journal_agreed(record, layer, person, op_id, at, draft, agreed)
            seq = self._store.add_event(at, person, op_id, layer, record.id, "ops", payload)
            self._save(record.id, layer, seq, new, shown)
        return self._answer(record, layer, seq, new, before, shown)

    def _write(self, sentence_id: int, layer: str, person: str) -> tuple[Record, Draft, int]:
        check_name(layer, "the name of a layer")
        self.check_access(person, layer, write=True)
        record = self._record(sentence_id)
        return record, *self._draft(record, layer)

    def _repeated(
        self, op_id: str, sentence_id: int, layer: str, person: str, ops: Sequence[Op] | None = None
    ) -> Answer | None:
        """Return the answer of an operation that is stored already."""
        check_name(op_id, "op_id")
        events = self._store.events("op_id = ?", op_id)
        if not events:
            return None
        [event] = events
        self.check_access(person, layer)
        if (event.sentence, event.layer, event.author) != (sentence_id, layer, person):
            raise ProjectError(f"op_id {op_id!r} belongs to another operation; choose a new one for each")
        record = self._record(sentence_id)
        draft, seq = self._draft(record, layer)
        state = self._state(record, layer, draft, seq, self._show(record, layer, draft, seq), [])
        return Answer(event.seq, event.seq, [], state.proof, state, sentence_id, is_repeated=True)

    def _check_base(
        self, number: int, layer: str, base: int, kind: str, payload: dict[str, Any], shown: Sentence
    ) -> None:
        """Refuse an operation on cells that have changed since the revision `base`."""
        own = touched(kind, payload)
        for event in self._store.events("sentence = ? AND layer = ? AND seq > ?", number, layer, base):
            other = touched(event.kind, event.payload)
            shared = None if own is None or other is None else own & other
            if shared is None or shared:
                cells = [
                    {"word": word, "column": name, "value": view.cells_of(shown, word)[name], "author": event.author}
                    for word, name in sorted(shared or ())
                ]
                raise ConflictError(
                    f"the sentence has changed since revision {base} (by {event.author}); look at it again", [], cells
                )

    def _save(self, number: int, layer: str, seq: int, draft: Draft, shown: Shown) -> None:
        """Write what follows from the journal."""
        decided = sum(1 for cells in draft.decided.values() if cells)
        counts = decided, len(draft.notes), len(draft.unsure)
        self._store.run(
            "INSERT OR REPLACE INTO tree VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(number, layer, seq, dump(draft.to_json()), shown.sentence.written(), draft.status, *counts),
        )

    def _answer(self, record: Record, layer: str, seq: int, draft: Draft, before: Shown, shown: Shown) -> Answer:
        self._remember(record.id, layer, seq, shown)
        changed = moved(before.sentence, shown.sentence)
        state = self._state(record, layer, draft, seq, shown, changed)
        return Answer(seq, seq, changed, shown.proof, state, record.id)

    @guarded
    def accept(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Accept the sentence as it is shown: every suggested cell becomes an accepted one.

        sentence_id, layer, person and op_id are those of `apply`.
        """
        if repeated := self._repeated(op_id, sentence_id, layer, person):
            return repeated
        record, draft, seq = self._write(sentence_id, layer, person)
        agreed = self._with_agreed(record, layer, draft, seq)
        before = self._show(record, layer, agreed, seq)
        cells = suggested_cells(agreed, before.sentence)
        new = apply_event(agreed, "accept", {"cells": cells})
        shown = replace(before, required=arcs_in(before.sentence.heads.tolist()))
        at = now()
        with self._store.transaction():
            if agreed is not draft:
                self._journal_agreed(record, layer, person, op_id, at, draft, agreed)
            seq = self._store.add_event(at, person, op_id, layer, record.id, "accept", {"cells": cells})
            self._save(record.id, layer, seq, new, shown)
        return self._answer(record, layer, seq, new, before, shown)

    @guarded
    def reopen(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Open an accepted sentence again; its cells stay until a decision contradicts them.

        sentence_id, layer, person and op_id are those of `apply`.
        """
        if repeated := self._repeated(op_id, sentence_id, layer, person):
            return repeated
        record, draft, seq = self._write(sentence_id, layer, person)
        if draft.status != "accepted":
            raise ConflictError("the sentence is not accepted")
        before = self._show(record, layer, draft, seq)
        new = apply_event(draft, "reopen", {})
        shown = self._assistant.show(record.id, new)
        with self._store.transaction():
            seq = self._store.add_event(now(), person, op_id, layer, record.id, "reopen", {})
            self._save(record.id, layer, seq, new, shown)
        return self._answer(record, layer, seq, new, before, shown)

    @guarded
    def undo(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Take back the last operation of a person on a sentence.

        sentence_id, layer, person and op_id are those of `apply`.
        """
        if repeated := self._repeated(op_id, sentence_id, layer, person):
            return repeated
        record, draft, seq = self._write(sentence_id, layer, person)
        done, _ = self._history(sentence_id, layer, person)
        if not done:
            raise ConflictError(f"there is nothing of {person} to undo in this sentence")
        return self._turn(record, layer, person, op_id, draft, seq, done[-1], "undo")

    @guarded
    def redo(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Do again what a person took back last.

        sentence_id, layer, person and op_id are those of `apply`.
        """
        if repeated := self._repeated(op_id, sentence_id, layer, person):
            return repeated
        record, draft, seq = self._write(sentence_id, layer, person)
        _, undone = self._history(sentence_id, layer, person)
        if not undone:
            raise ConflictError(f"there is nothing of {person} to do again in this sentence")
        return self._turn(record, layer, person, op_id, draft, seq, undone[-1], "redo")

    def _history(self, number: int, layer: str, person: str | None = None) -> tuple[list[Event], list[Event]]:
        """Return the operations in a layer that can be undone, and those that can be done again, the last one last."""
        done: list[Event] = []
        undone: list[Event] = []
        for event in self._store.events("sentence = ? AND layer = ?", number, layer):
            if person is not None and event.author != person:
                continue
            if event.kind == "undo":
                undone.append(done.pop())
            elif event.kind == "redo":
                done.append(undone.pop())
            elif event.kind in UNDOABLE:
                done.append(event)
                undone = []
        return done, undone

    def _turn(
        self, record: Record, layer: str, person: str, op_id: str, draft: Draft, seq: int, event: Event, kind: str
    ) -> Answer:
        """Store an undo or a redo of an event."""
        later = [
            other
            for other in effective(self._store.events("sentence = ? AND layer = ?", record.id, layer))
            if other.seq > event.seq and other.author != person and overlap(event, other)
        ]
        if later:
            raise ConflictError(f"{later[0].author} has changed the same words since; that cannot be undone for them")
        before = self._show(record, layer, draft, seq)
        with self._store.transaction():
            if event.kind in ("split", "join"):
                self._turn_boundary(event, kind)
            new_seq = self._store.add_event(now(), person, op_id, layer, record.id, kind, {}, event.seq)
            new = self._replay(record, layer)
            shown = self._assistant.show(record.id, new)
            self._save(record.id, layer, new_seq, new, shown)
        return self._answer(record, layer, new_seq, new, before, shown)

    # -- boundaries of sentences

    def _change_boundary(
        self, record: Record, layer: str, person: str, op_id: str, at: str, op: Op, draft: Draft, shown: Sentence
    ) -> Answer:
        """Split a sentence or join it with the next one, for all layers."""
        with self._store.transaction():
            if op["kind"] == "join_sentences":
                new = self._join(record, layer, person, op_id, at, draft)
            else:
                cuts = [op["word"]] if op["kind"] == "split_sentence" else cuts_between_roots(shown)
                for number, word in enumerate(reversed(cuts)):
                    own_id = op_id if number == len(cuts) - 1 else f"{op_id}#{number}"
                    draft = self._split(record, layer, person, own_id, at, draft, word)
                new = draft
            (seq,) = self._store.one("SELECT seq FROM event WHERE op_id = ?", op_id)
            after = self._assistant.show(record.id, new)
            self._save(record.id, layer, seq, new, after)
        self._remember(record.id, layer, seq, after)
        state = self._state(record, layer, new, seq, after, [])
        return Answer(seq, seq, list(range(1, len(after.sentence) + 1)), after.proof, state, record.id)

    def _split(self, record: Record, layer: str, person: str, op_id: str, at: str, draft: Draft, word: int) -> Draft:
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
        self._save(new, layer, carried, second, self._assistant.show(new, second))
        return first

    def _join(self, record: Record, layer: str, person: str, op_id: str, at: str, draft: Draft) -> Draft:
        row = self._store.one(
            "SELECT other.id FROM sentence AS own JOIN sentence AS other ON other.document = own.document "
            "AND other.position > own.position WHERE own.id = ? AND NOT other.is_gone ORDER BY other.position",
            record.id,
        )
        if not row:
            raise ProjectError("the sentence is the last of its document; there is none to join it with")
        other = self._record(row[0])
        for number in (record.id, other.id):
            self._check_alone(number, layer)
        second, _ = self._draft(other, layer)
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

    def _turn_boundary(self, event: Event, kind: str) -> None:
        """Undo or redo what a split or a join did to other sentences."""
        if event.kind == "join":
            number, is_gone = event.payload["other"], kind == "redo"
        else:
            [(number,)] = self._store.rows("SELECT id FROM sentence WHERE created_by = ?", event.seq)
            is_gone = kind == "undo"
            if is_gone and [e for e in effective(self._store.events("sentence = ?", number)) if e.kind != "carry"]:
                raise ConflictError("the second sentence has been changed since; undo that first")
        self._store.run("UPDATE sentence SET is_gone = ? WHERE id = ?", int(is_gone), number)

    # -- questions

    @guarded
    def alternatives(self, sentence_id: int, layer: str, word: int, k: int = 5) -> list[Choice]:
        """Return the k most probable other heads of a word, given the decisions about other words; [] without a model.

        sentence_id, layer: as in `state`.
        """
        draft, shown = self._asked(sentence_id, layer, word)
        return self._assistant.alternatives(shown, draft, word, k)

    @guarded
    def why(self, sentence_id: int, layer: str, head: int, word: int) -> Explanation:
        """Compare the best tree with an arc from head to word to the tree shown; sentence_id, layer: as in `state`."""
        draft, shown = self._asked(sentence_id, layer, word)
        if not 0 <= head <= len(shown.sentence) or head == word:
            raise ProjectError(f"head is {head}; expected another word, or 0 for the root")
        return self._assistant.why(shown, draft, head, word)

    @guarded
    def labels(self, sentence_id: int, layer: str, word: int) -> list[tuple[str, float]]:
        """Return relations that a word may have, with probabilities by the model or shares in the project.

        sentence_id, layer: as in `state`.
        """
        _, shown = self._asked(sentence_id, layer, word)
        if shown.session is not None:
            return shown.session.labels(word)
        return shares(self._counted(layer).relations)

    @guarded
    def tags(self, sentence_id: int, layer: str, word: int) -> list[tuple[str, float]]:
        """Return UPOS tags that a word may have, with probabilities by the model or shares in the project.

        sentence_id, layer: as in `state`.
        """
        _, shown = self._asked(sentence_id, layer, word)
        if shown.session is not None:
            return shown.session.tags(word)
        return shares(self._counted(layer).upos)

    @guarded
    def features(self, layer: str) -> dict[str, dict[str, list[str]]]:
        """Return the features that occur with each UPOS in a layer, with their values, the most frequent first."""
        counts: dict[str, dict[str, Counter[str]]] = {}
        for sentence in self.sentences(layer):
            for upos, cell in sentence.cells("UPOS", "FEATS"):
                for item in cell.split("|") if cell != OPEN else ():
                    name, _, value = item.partition("=")
                    counts.setdefault(upos, {}).setdefault(name, Counter())[value] += 1
        return {
            upos: {name: [value for value, _ in values.most_common()] for name, values in sorted(names.items())}
            for upos, names in sorted(counts.items())
        }

    def _asked(self, sentence_id: int, layer: str, word: int) -> tuple[Draft, Shown]:
        record = self._record(sentence_id)
        draft, seq = self._draft(record, layer)
        draft = self._with_agreed(record, layer, draft, seq)
        shown = self._show(record, layer, draft, seq)
        if not 1 <= word <= len(shown.sentence):
            raise ProjectError(f"word is {word}; the sentence has the words 1 to {len(shown.sentence)}")
        return draft, shown

    def _counted(self, layer: str) -> Counts:
        return Counts.of(self.sentences(layer))

    def sentences(self, layer: str) -> Iterator[Sentence]:
        """Yield the sentences of a layer as they were last shown; suggestions where nobody has touched them."""
        for (text,) in self._store.rows(
            "SELECT COALESCE(tree.shown, suggestion.shown, sentence.text) FROM sentence "
            "LEFT JOIN tree ON tree.sentence = sentence.id AND tree.layer = ? "
            "LEFT JOIN suggestion ON suggestion.sentence = sentence.id WHERE NOT is_gone ORDER BY document, position",
            layer,
        ):
            yield Sentence(text)

    @guarded
    def search(self, request: str, layer: str, limit: int = 100) -> list[Hit]:
        """List at most `limit` matches of a Grew request in a layer; other text is searched for in forms and lemmas."""
        return list(self._hits(request, layer, limit))

    def _hits(self, request: str, layer: str, limit: int | None) -> Iterator[Hit]:
        compiled = compile_request(request)
        ids = self._queue(layer, "file")
        count = 0
        for number, sentence in zip(ids, self.sentences(layer), strict=True):
            for match in compiled.search([sentence]):
                if count == limit:
                    return
                count += 1
                nodes = {name: id_ for name, id_ in match.nodes.items() if isinstance(id_, int) and id_ > 0}
                yield Hit(number, sentence.sent_id or str(number), sentence.text, nodes)

    # -- layers

    @guarded
    def agreement(self, layers: Sequence[str]) -> agreement.Report:
        """Compare layers pair by pair, on the sentences that each of a pair has accepted."""
        return agreement.report({layer: self._accepted(layer) for layer in layers})

    def _accepted(self, layer: str) -> dict[int, Sentence]:
        rows = self._store.rows(
            "SELECT tree.sentence, shown FROM tree JOIN sentence ON sentence.id = tree.sentence "
            "WHERE layer = ? AND status = 'accepted' AND NOT is_gone ORDER BY document, position",
            layer,
        )
        if not rows and not self._store.one("SELECT 1 FROM tree WHERE layer = ?", layer):
            raise UnknownItemError(f"nothing is annotated in the layer {layer}")
        return {number: Sentence(text) for number, text in rows}

    def annotators(self) -> list[str]:
        """List the layers with accepted sentences, without gold."""
        rows = self._store.rows(
            "SELECT DISTINCT layer FROM tree WHERE status = 'accepted' AND layer != ? ORDER BY layer", GOLD
        )
        return [row[0] for row in rows]

    @guarded
    def adjudication(self, layer: str = GOLD, layers: Sequence[str] | None = None) -> list[Difference]:
        """List the words about which layers differ, in sentences that all of them have accepted.

        layer: the one that is written; words about which all agree are accepted there when its first word is decided.
        layers: the ones compared; None: all with accepted sentences.
        """
        names = self.annotators() if layers is None else list(layers)
        if len(names) < 2:
            raise ProjectError(f"{len(names)} layers have accepted sentences; adjudication compares two or more")
        versions = {name: self._accepted(name) for name in names}
        differences = []
        for number in [n for n in versions[names[0]] if all(n in versions[name] for name in names)]:
            row = self._store.one("SELECT draft, status FROM tree WHERE sentence = ? AND layer = ?", number, layer)
            decided = set(Draft.from_json(json.loads(row[0])).decided) if row else set()
            is_done = bool(row) and row[1] == "accepted"
            for word, form, answers in agreement.differences({name: versions[name][number] for name in names}):
                ops = {name: agreement.ops_of(word, cells) for name, cells in answers.items()}
                differences.append(Difference(number, word, form, answers, ops, is_done or word in decided))
        return differences

    def _with_agreed(self, record: Record, layer: str, draft: Draft, seq: int) -> Draft:
        """Return a draft of the gold layer that is new with the cells about which the annotators agree as accepted."""
        if layer != GOLD or seq:
            return draft
        names = self.annotators()
        rows = self._store.rows(
            "SELECT layer, shown FROM tree WHERE sentence = ? AND status = 'accepted' AND layer != ?", record.id, GOLD
        )
        versions = {name: Sentence(text) for name, text in rows if name in names}
        if len(versions) < 2:
            return draft
        cells = agreement.agreed_cells(versions, Sentence(record.text))
        return draft if cells is None else apply_event(draft, "agree", {"cells": cells})

    def _journal_agreed(
        self, record: Record, layer: str, person: str, op_id: str, at: str, draft: Draft, agreed: Draft
    ) -> None:
        cells = {str(word): dict(values) for word, values in agreed.accepted.items()}
        self._store.add_event(at, person, f"{op_id}#agree", layer, record.id, "agree", {"cells": cells})

    # -- models

    def _load_model(self) -> None:
        name = self._given_model or self._store.setting("adopted") or self._store.setting("model") or None
        if name and self._store.setting("adopted") == name and not self._given_model:
            name = os.fspath(self.folder / "models" / f"{name}.tw")
        model = None if name is None else load(name)
        if model is not None and not isinstance(model, Pipeline):
            raise ProjectError(
                f"{name} is no pipeline; a project needs a tokeniser, a tagger and a parser in one model"
            )
        self._assistant = Assistant(model)
        self.model = name or ""

    @property
    def pipeline(self) -> Pipeline | None:
        """The model that suggests trees."""
        return self._assistant.pipeline

    @guarded
    def train(self, layer: str | None = None) -> str:
        """Train a model on what is annotated in a layer, in a process of its own; return the id of the job.

        layer: None for the one that is exported by default. Accepted sentences are taken whole, of the others what is
        decided; every tenth sentence is held out.
        """
        if any(job.job().state == "running" for job in self._jobs.values()):
            raise ConflictError("a training is running; wait for it")
        data = [sentence for _, sentence in self._versions("partial", layer or self.default_layer())]
        job = learning.TrainingProcess.start(self.folder / "models", data)
        self._jobs[job.id] = job
        return job.id

    @guarded
    def job(self, job_id: str) -> Job:
        """Return the state of the job with the id `job_id`."""
        if job_id not in self._jobs:
            raise UnknownItemError(f"there is no job {job_id!r}")
        job = self._jobs[job_id].job()
        if job.state == "done" and not self._store.one("SELECT 1 FROM model WHERE id = ?", job.model):
            with self._store.transaction():
                row = job.model, f"{job.model}.tw", now(), dump(job.metrics)
                self._store.run("INSERT INTO model VALUES (?, ?, ?, ?)", *row)
        return job

    @guarded
    def models(self) -> list[dict[str, Any]]:
        """List the models that were trained, with held-out accuracy; `is_used` marks the one in use."""
        used = self._store.setting("adopted")
        rows = self._store.rows("SELECT id, at, metrics FROM model ORDER BY at")
        return [{"id": id_, "at": at, "is_used": id_ == used, **json.loads(metrics)} for id_, at, metrics in rows]

    @guarded
    def adopt(self, model_id: str | None) -> None:
        """Use a model for suggestions: one of `models`, or None for the one that the project was made with.

        Sentences that are on screen keep their trees until something is decided about them.
        """
        if model_id is not None and not self._store.one("SELECT 1 FROM model WHERE id = ?", model_id):
            raise UnknownItemError(f"there is no model {model_id!r}")
        if self._given_model is None and (self._store.setting("adopted") or "") == (model_id or ""):
            return
        with self._store.transaction():
            self._store.set("adopted", model_id or "")
            self._store.run("DELETE FROM suggestion")
        self._given_model = None
        self._load_model()
        self._shown.clear()
        self._suggestions.restart()

    def start_suggestions(self) -> None:
        """Parse the sentences that nobody has touched in the background; a server calls this once."""
        self._suggestions.start()

    # -- files

    def default_layer(self) -> str:
        """Return the layer that is exported if none is named: gold if there is one, else the manager's."""
        return GOLD if self._store.one("SELECT 1 FROM tree WHERE layer = ?", GOLD) else self.manager

    def export(self, mode: str = "clean", layer: str | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the documents, each with its name.

        mode: "clean" for publishing (sentences that nobody has touched byte for byte as imported, the others as they
        were last shown), "marked" with comments that say who decided what, "partial" with "_" for what nobody decided
        or accepted, "journal" for the operations as JSON lines. layer: None for gold if there is one, else the
        manager's.
        """
        if mode not in files.MODES:
            raise ProjectError(f"mode is {mode!r}; expected one of {', '.join(files.MODES)}")
        with self._lock:
            name = layer or self.default_layer()
            if mode == "journal":
                lines = [dump(event._asdict()) for event in self._store.events()]
                yield "journal.jsonl", "".join(f"{line}\n" for line in lines).encode()
                return
            texts: dict[str, list[str]] = {document: [] for document in self.documents()}
            for document, sentence in self._versions(mode, name):
                texts[document].append(sentence.written())
        for document, parts in texts.items():
            yield files.exported_name(document), "".join(parts).encode()

    def _versions(self, mode: str, layer: str) -> Iterator[tuple[str, Sentence]]:
        """Yield the sentences for export, each with its document."""
        rows = self._store.rows(
            "SELECT document.name, sentence.text, tree.draft, tree.shown, event.author, event.at FROM sentence "
            "JOIN document ON document.id = sentence.document "
            "LEFT JOIN tree ON tree.sentence = sentence.id AND tree.layer = ? "
            "LEFT JOIN event ON event.seq = tree.seq WHERE NOT is_gone ORDER BY document, position",
            layer,
        )
        keeps_tree = self._store.setting("keep_trees") == "yes"
        for document, text, stored, shown, author, at in rows:
            draft = Draft(text, keeps_tree=keeps_tree) if stored is None else Draft.from_json(json.loads(stored))
            yield document, files.version(mode, draft, None if shown is None else Sentence(shown), author, at)

    @guarded
    def import_files(self, paths: Iterable[str | os.PathLike[str]], layer: str | None = None) -> list[str]:
        """Add the files at these paths; return what was done, a line for each.

        A document that the project has already must be unchanged. layer: the trees become the accepted ones of this
        layer, in sentences that the project has (by sent_id and text).
        """
        listed = files.listed(paths)
        if not listed:
            raise ProjectError("no files; give CoNLL-U files, raw text, or a folder of them")
        if layer is not None:
            check_name(layer, "the name of a layer")
        tokeniser = None if self.pipeline is None else self.pipeline.tokeniser
        read = [(name, path, files.read_document(path, tokeniser)) for name, path in listed]
        with self._store.transaction():
            return [self._import(name, path, sentences, layer) for name, path, sentences in read]

    def _import(self, name: str, path: Path, sentences: list[Sentence], layer: str | None) -> str:
        if layer is not None:
            return self._import_layer(name, sentences, layer)
        digest = hash_of("".join(sentence.written() for sentence in sentences))
        row = self._store.one("SELECT id, sha256 FROM document WHERE name = ?", name)
        if not row:
            document = self._store.run(
                "INSERT INTO document (name, path, sha256) VALUES (?, ?, ?)", name, os.fspath(path.resolve()), digest
            )
            for position, sentence in enumerate(sentences):
                self._add_sentence(document, position, sentence)
            return f"{name}: {len(sentences)} sentences added"
        if row[1] == digest:
            return f"{name}: unchanged"
        raise ProjectError(
            f"{name}: the project has another version of it; merge it with an export of the project and make "
            "a new project, or import it as a layer (--layer NAME) and adjudicate"
        )

    def _add_sentence(self, document: int, position: int, sentence: Sentence) -> None:
        text, marks = files.without_marks(sentence)
        own = Sentence(text)
        number = self._store.run(
            "INSERT INTO sentence (document, position, sent_id, surface, words, text) VALUES (?, ?, ?, ?, ?, ?)",
            *(document, position, own.sent_id or str(position + 1), own.text, len(own), text),
        )
        if marks is not None:
            keeps_tree = self._store.setting("keep_trees") == "yes"
            draft = files.draft_of_marks(sentence, text, marks, keeps_tree)
            author = files.author_of(marks) or self.manager
            payload = {"draft": draft.to_json()}
            seq = self._store.add_event(now(), author, f"import-{number}", self.manager, number, "carry", payload)
            shown = Shown(files.shown_of_marks(sentence), [], [], [])
            self._save(number, self.manager, seq, draft, shown)

    def _import_layer(self, name: str, sentences: list[Sentence], layer: str) -> str:
        by_id = {
            (sent_id, surface): number
            for number, sent_id, surface in self._store.rows(
                "SELECT id, sent_id, surface FROM sentence WHERE NOT is_gone"
            )
        }
        at = now()
        for place, sentence in enumerate(sentences):
            number = by_id.get((sentence.sent_id or str(place + 1), sentence.text))
            if number is None:
                sent_id = sentence.sent_id or place + 1
                raise ProjectError(f"{sentence.place}: the project has no sentence {sent_id} with this text")
            record = self._record(number)
            draft, _ = self._draft(record, layer)
            if len(draft.original()) != len(sentence):
                raise ProjectError(f"{sentence.place}: {len(sentence)} words; the project has {len(draft.original())}")
            sentence.check("single-root")
            cells = files.cells_of_tree(draft, sentence)
            new = apply_event(draft, "accept", {"cells": cells})
            op_id = f"import-{layer}-{number}-{secrets.token_hex(4)}"
            seq = self._store.add_event(at, layer, op_id, layer, number, "accept", {"cells": cells})
            annotation = new.annotation()
            filled = annotation.filled(sentence.heads.tolist(), sentence.deprels)
            self._save(number, layer, seq, new, Shown(filled, [], [], []))
        return f"{name}: {len(sentences)} sentences of the layer {layer}"

    @guarded
    def check(self) -> list[str]:
        """Return what is wrong with the project: damage of the store, states that the journal does not give."""
        problems = [row[0] for row in self._store.rows("PRAGMA integrity_check") if row[0] != "ok"]
        problems += [f"a reference is broken: {row}" for row in self._store.rows("PRAGMA foreign_key_check")]
        rows = self._store.rows("SELECT sentence, layer, seq, draft, shown FROM tree ORDER BY sentence")
        for number, layer, seq, stored, shown in rows:
            (text, document) = self._store.one(
                "SELECT text, name FROM sentence JOIN document ON document.id = document WHERE sentence.id = ?",
                number,
            )
            record = Record(number, document, "", text)
            draft = self._replay(record, layer)
            if dump(draft.to_json()) != stored:
                problems.append(
                    f"sentence {number}, layer {layer}: the journal gives another state than the stored one"
                )
            (last,) = self._store.one("SELECT MAX(seq) FROM event WHERE sentence = ? AND layer = ?", number, layer)
            if last != seq:
                problems.append(f"sentence {number}, layer {layer}: event {last} is missing in the stored state")
            tree = Sentence(shown)
            fixed = draft.annotation().sentence.heads.tolist()
            lost = [
                w for w, head in enumerate(draft.decided_heads(len(tree)), 1) if head >= 0 and head != tree.heads[w - 1]
            ]
            if len(tree) != len(fixed) or lost:
                problems.append(f"sentence {number}, layer {layer}: the stored tree lacks decisions")
        return problems


def effective(events: Iterable[Event]) -> list[Event]:
    """Return the events that count, in their order: those that were undone, and undo and redo themselves, do not."""
    known: dict[int, Event] = {}
    undone: set[int] = set()
    for event in events:
        if event.kind == "undo" and event.undoes is not None:
            undone.add(event.undoes)
        elif event.kind == "redo" and event.undoes is not None:
            undone.discard(event.undoes)
        else:
            known[event.seq] = event
    return [event for seq, event in sorted(known.items()) if seq not in undone]


def overlap(event: Event, other: Event) -> bool:
    """Return whether two events may change the same cells."""
    own, others = touched(event.kind, event.payload), touched(other.kind, other.payload)
    return own is None or others is None or bool(own & others)


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


def suggested_cells(draft: Draft, shown: Sentence) -> dict[str, dict[str, str]]:
    """Return the cells of a sentence that are not decided, accepted or in its file, as JSON; a head must be there."""
    annotated = draft.annotation().sentence
    cells: dict[str, dict[str, str]] = {}
    for number in range(1, len(shown) + 1):
        old, new = view.cells_of(annotated, number), view.cells_of(shown, number)
        if new["HEAD"] == OPEN:
            raise ConflictError(f"word {number}, {new['FORM']}, has no head; attach it before you accept the sentence")
        own = {name: new[name] for name in ACCEPTED_COLUMNS if old[name] != new[name]}
        if own:
            cells[str(number)] = own
    return cells


def moved(before: Sentence, after: Sentence) -> list[int]:
    """Return the words whose head or relation differs; all words if the sentences have other words."""
    if before.forms != after.forms:
        return list(range(1, len(after) + 1))
    arcs = [list(zip(sentence.heads.tolist(), sentence.deprels, strict=True)) for sentence in (before, after)]
    return [word for word, (old, new) in enumerate(zip(*arcs, strict=True), 1) if old != new]


def compile_request(text: str) -> query.Request:
    """Compile a request; a text without the signs of one is searched for in forms and lemmas."""
    if any(sign in text for sign in "[]{}<>-="):
        return query.compile(text)
    words = [word.replace('"', "") for word in text.split()]
    if not words:
        raise ProjectError("the request is empty")
    nodes = [f'W{place} [form="{word}"] | [lemma="{word}"]' for place, word in enumerate(words)]
    order = [f"W{place} < W{place + 1}" for place in range(len(words) - 1)]
    return query.compile(f"pattern {{ {'; '.join([*nodes, *order])} }}")


def shares(counts: Counter[str]) -> list[tuple[str, float]]:
    """Return the values with their shares, the most frequent first, without "_"."""
    total = sum(count for value, count in counts.items() if value != OPEN)
    return [(value, count / total) for value, count in counts.most_common() if value != OPEN]


def check_name(name: str, what: str) -> None:
    """Refuse a name that is empty, too long, or has control characters."""
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise ProjectError(f"{what} is {str(name)[:40]!r}; expected 1 to {MAX_NAME} printable characters")


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def now() -> str:
    """Return the time, in UTC."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")

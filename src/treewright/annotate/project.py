"""A treebank project: a folder with a journal of decisions, from which every state of every sentence follows."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import wraps
from pathlib import Path, PurePosixPath
from threading import RLock
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from treewright.annotate import agreement, files, learning, queues, view
from treewright.annotate.answers import (
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
from treewright.annotate.assistant import Assistant, Shown, arcs_in, pins_of
from treewright.annotate.draft import OPEN, Draft
from treewright.annotate.importing import Importer
from treewright.annotate.journal import effective, history, overlap
from treewright.annotate.operations import BOUNDARY_KINDS, apply_event, apply_op, check_ops, prepare, touched
from treewright.annotate.people import GOLD, People, check_name
from treewright.annotate.records import Record, Records, now
from treewright.annotate.resegmenting import Change, Resegmenter
from treewright.annotate.rules import read_rules
from treewright.annotate.store import Event, Store, dump
from treewright.annotate.suggestions import Suggestions
from treewright.checking import Counts
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.model.registry import load
from treewright.parser import Explanation
from treewright.pipeline import Pipeline
from treewright.tokeniser import Tokeniser

KEPT_SHOWN = 256  # sentences whose last tree stays in memory; not tuned

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
        self._people, self._records = People(store), Records(store)
        self._resegmenter = Resegmenter(store, self._records, self._save_new)
        self._rules = read_rules(self.folder)
        self._given_model = model
        self._shown: OrderedDict[tuple[int, str], tuple[int, Shown]] = OrderedDict()
        self._counts: Counts | None = None
        self._linted: tuple[Sentence | None, list[dict[str, Any]]] = (None, [])  # the last sentence checked
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
        return self._people.all()

    @guarded
    def add_person(self, name: str, role: str = "annotator") -> str:
        """Add a person of this name, or change the role; return a new token, which is stored only as a hash.

        role: reader, annotator (writes the own layer and sees no other), adjudicator (sees all layers, writes gold),
        manager (everything).
        """
        return self._people.add(name, role)

    @guarded
    def person_of(self, token: str) -> Person | None:
        """Return the person with this token; None if nobody has it."""
        return self._people.with_token(token)

    @guarded
    def layers(self, person: str) -> list[str]:
        """List the layers that a person may see; the own one comes first."""
        return self._people.layers(person)

    def check_access(self, person: str, layer: str, *, write: bool = False) -> None:
        """Raise an AccessError unless a person may see a layer, or write it."""
        self._people.check_access(person, layer, write=write)

    @property
    def manager(self) -> str:
        """The name of the person who made the project, whose layer is exported by default."""
        return self._people.manager

    # -- sentences

    @guarded
    def documents(self) -> list[str]:
        """List the names of the documents, in order."""
        return self._records.documents()

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
        people = [asdict(person) for person in self.people()]
        counts = {"documents": self.documents(), "sentences": sentences, "people": people}
        return counts | {"layers": layers, "models": self.models(), "model": self.model}

    @guarded
    def queues(self, layer: str) -> dict[str, int]:
        """Return the queues of a layer with the number of their sentences.

        file: all, open: not accepted, doubtful: with doubtful words, lint: with messages of the check, notes,
        unsure, and label:NAME for each label that sentences have.
        """
        return queues.counts(self._store, layer)

    @guarded
    def summaries(
        self, layer: str, queue: str | None = None, after: int | None = None, limit: int = 50
    ) -> list[Summary]:
        """List sentences of a layer in the order of a queue: at most `limit`, after the one with the id `after`.

        queue: one of `queues`, or "search:REQUEST"; None: all sentences in the order of the files.
        """
        return queues.summaries(self._store, self._records, layer, queue, after, limit)

    @guarded
    def state(self, sentence_id: int, layer: str, cursor: int | None = None) -> State:
        """Return the sentence with the id `sentence_id` as a layer has it, with the best tree under its decisions.

        cursor: words before this one keep the heads and relations that were shown last.
        """
        check_name(layer, "the name of a layer")
        record = self._records.record(sentence_id)
        draft, seq = self._records.draft(record, layer)
        draft = self._with_agreed(record, layer, draft, seq)
        return self._state(record, layer, draft, seq, self._show(record, layer, draft, seq, cursor), [])

    def _show(self, record: Record, layer: str, draft: Draft, seq: int, cursor: int | None = None) -> Shown:
        """Return the tree that was shown last if nothing has happened since, else the tree of the draft."""
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

    def _lint(self, sentence: Sentence) -> list[dict[str, Any]]:
        if self._linted[0] is not sentence:
            self._linted = sentence, view.lint(sentence, self._counts, self._rules)
        return self._linted[1]

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
        change = Change(record, layer, person, op_id, now())
        if checked[0]["kind"] in BOUNDARY_KINDS:
            return self._change_boundary(change, checked[0], draft, before)
        new, prepared = agreed, []
        for op in checked:
            shown_now = before.sentence if new is agreed else self._assistant.show(record.id, new).sentence
            prepared.append(prepare(op, shown_now, person, change.at))
            new = apply_op(new, prepared[-1])
        payload = {"ops": prepared}
        self._check_base(record.id, layer, base, "ops", payload, before.sentence)
        shown = self._assistant.show(record.id, new, pins_of(before, cursor))
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
        self.check_access(person, layer, write=True)
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
        self.check_access(person, layer)
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
                    f"the sentence has changed since revision {base} (by {event.author}); look at it again", [], cells
                )

    def _save(self, number: int, layer: str, seq: int, draft: Draft, shown: Shown) -> None:
        self._records.save(number, layer, seq, draft, shown.sentence, len(self._lint(shown.sentence)))

    def _save_new(self, number: int, layer: str, seq: int, draft: Draft) -> None:
        self._save(number, layer, seq, draft, self._assistant.show(number, draft))

    def _answer(self, record: Record, layer: str, seq: int, draft: Draft, before: Shown, shown: Shown) -> Answer:
        self._remember(record.id, layer, seq, shown)
        changed = view.moved(before.sentence, shown.sentence)
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
        cells = view.suggested_cells(agreed, before.sentence)
        new = apply_event(agreed, "accept", {"cells": cells})
        shown = replace(before, required=arcs_in(before.sentence.heads.tolist()))
        change = Change(record, layer, person, op_id, now())
        return self._store_event(change, "accept", {"cells": cells}, (draft, agreed, new), before, shown)

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
        change = Change(record, layer, person, op_id, now())
        return self._store_event(change, "reopen", {}, (draft, draft, new), before, shown)

    @guarded
    def undo(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Take back the last operation of a person on a sentence.

        sentence_id, layer, person and op_id are those of `apply`.
        """
        return self._turn(sentence_id, layer, person, op_id, "undo")

    @guarded
    def redo(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Do again what a person took back last.

        sentence_id, layer, person and op_id are those of `apply`.
        """
        return self._turn(sentence_id, layer, person, op_id, "redo")

    def _turn(self, sentence_id: int, layer: str, person: str, op_id: str, kind: str) -> Answer:
        """Store an undo or a redo of the last event of a person that can be undone or done again."""
        if repeated := self._repeated(op_id, sentence_id, layer, person):
            return repeated
        record, draft, seq = self._write(sentence_id, layer, person)
        events = self._store.events("sentence = ? AND layer = ?", sentence_id, layer)
        done, undone = history(events, person)
        candidates, does = (done, "undo") if kind == "undo" else (undone, "do again")
        if not candidates:
            raise ConflictError(f"there is nothing of {person} to {does} in this sentence")
        event = candidates[-1]
        self._check_alone(event, events, person)
        before = self._show(record, layer, draft, seq)
        with self._store.transaction():
            if event.kind in ("split", "join"):
                self._resegmenter.turn(event, kind)
            new_seq = self._store.add_event(now(), person, op_id, layer, record.id, kind, {}, event.seq)
            new = self._records.replay(record, layer)
            shown = self._assistant.show(record.id, new)
            self._save(record.id, layer, new_seq, new, shown)
        return self._answer(record, layer, new_seq, new, before, shown)

    def _check_alone(self, event: Event, events: Sequence[Event], person: str) -> None:
        """Refuse to undo or redo an event after another person has changed the same cells."""
        for other in effective(events):
            if other.seq > event.seq and other.author != person and overlap(event, other):
                raise ConflictError(f"{other.author} has changed the same words since; that cannot be undone for them")

    def _change_boundary(self, change: Change, op: Op, draft: Draft, before: Shown) -> Answer:
        """Split a sentence or join it with the next one, for all layers."""
        record, layer = change.record, change.layer
        with self._store.transaction():
            new, seq = self._resegmenter.apply(change, op, draft, before.sentence)
            after = self._assistant.show(record.id, new)
            self._save(record.id, layer, seq, new, after)
        return self._answer(record, layer, seq, new, before, after)

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
        session = self._asked(sentence_id, layer, word)[1].session
        return session.labels(word) if session else shares(Counts.of(self.sentences(layer)).relations)

    @guarded
    def tags(self, sentence_id: int, layer: str, word: int) -> list[tuple[str, float]]:
        """Return UPOS tags that a word may have, with probabilities by the model or shares in the project.

        sentence_id, layer: as in `state`.
        """
        session = self._asked(sentence_id, layer, word)[1].session
        return session.tags(word) if session else shares(Counts.of(self.sentences(layer)).upos)

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
        record = self._records.record(sentence_id)
        draft, seq = self._records.draft(record, layer)
        draft = self._with_agreed(record, layer, draft, seq)
        shown = self._show(record, layer, draft, seq)
        if not 1 <= word <= len(shown.sentence):
            raise ProjectError(f"word is {word}; the sentence has the words 1 to {len(shown.sentence)}")
        return draft, shown

    def sentences(self, layer: str) -> Iterator[Sentence]:
        """Return the sentences of a layer as they were last shown; suggestions where nobody has touched them."""
        return self._records.sentences(layer)

    @guarded
    def search(self, request: str, layer: str, limit: int = 100) -> list[Hit]:
        """List at most `limit` matches of a Grew request in a layer; other text is searched for in forms and lemmas."""
        return list(queues.search(self._store, self._records, request, layer, limit))

    # -- layers

    @guarded
    def agreement(self, layers: Sequence[str]) -> agreement.Report:
        """Compare layers pair by pair, on the sentences that each of a pair has accepted."""
        return agreement.report({layer: self._records.accepted(layer) for layer in layers})

    def annotators(self) -> list[str]:
        """List the layers with accepted sentences, without gold."""
        return self._records.annotators()

    @guarded
    def adjudication(self, layer: str = GOLD, layers: Sequence[str] | None = None) -> list[Difference]:
        """List the words about which layers differ, in sentences that all of them have accepted.

        layer: the one that is written; words about which all agree are accepted there when its first word is decided.
        layers: the ones compared; None: all with accepted sentences.
        """
        names = self.annotators() if layers is None else list(layers)
        if len(names) < 2:
            raise ProjectError(f"{len(names)} layers have accepted sentences; adjudication compares two or more")
        versions = {name: self._records.accepted(name) for name in names}
        differences = []
        for number in [n for n in versions[names[0]] if all(n in versions[name] for name in names)]:
            row = self._store.one("SELECT draft, status FROM tree WHERE sentence = ? AND layer = ?", number, layer)
            decided = set(Draft.from_json(json.loads(row[0])).decided) if row else set()
            is_done = bool(row) and row[1] == "accepted"
            first = versions[names[0]][number]
            sent_id, text = first.sent_id or str(number), first.text
            for word, form, answers in agreement.differences({name: versions[name][number] for name in names}):
                ops = {name: agreement.ops_of(word, cells) for name, cells in answers.items()}
                is_decided = is_done or word in decided
                differences.append(Difference(number, sent_id, text, word, form, answers, ops, is_decided))
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
    def given_model(self) -> str:
        """Name or file of the model that the project was made or opened with; empty without one."""
        return self._given_model or self._store.setting("model") or ""

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
        data = [sentence for _, sentence in self._records.versions("partial", layer or self.default_layer())]
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
            for document, sentence in self._records.versions(mode, name):
                texts[document].append(sentence.written())
        for document, parts in texts.items():
            yield files.exported_name(document), "".join(parts).encode()

    @guarded
    def import_files(self, paths: Iterable[str | os.PathLike[str]], layer: str | None = None) -> list[str]:
        """Add the files at these paths; return what was done, a line for each.

        A new version of a document is merged: sentences that only the file has changed are replaced, those that both
        have changed get the file's trees as the layer `file`. layer: the trees become the accepted ones of this layer,
        in sentences that the project has (by sent_id and text).
        """
        listed = files.listed(paths)
        if not listed:
            raise ProjectError("no files; give CoNLL-U files, raw text, or a folder of them")
        read = [(name, path, files.read_document(path, self._tokeniser)) for name, path in listed]
        importer = Importer(self._store)
        with self._store.transaction():
            if layer is None:
                done = [importer.add(*document) for document in read]
            else:
                done = [importer.add_layer(name, sentences, layer) for name, _, sentences in read]
        self._suggestions.restart()
        return done

    @guarded
    def import_document(self, name: str, content: bytes) -> str:
        """Add a document with this content that was uploaded, under the last part of its name; return what was done."""
        chosen = PurePosixPath(name.replace("\\", "/")).name
        check_name(chosen, "the name of a document")
        extension = files.known_extension(chosen)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"document{extension}")
            path.write_bytes(content)
            try:
                sentences = files.read_document(path, self._tokeniser)
            except InputError as error:
                raise ProjectError(str(error).replace(os.fspath(path), chosen)) from None
        with self._store.transaction():
            done = Importer(self._store).add(chosen, None, sentences)
        self._suggestions.restart()
        return done

    @property
    def _tokeniser(self) -> Tokeniser | None:
        return None if self.pipeline is None else self.pipeline.tokeniser

    @guarded
    def check(self) -> list[str]:
        """Return what is wrong with the project: damage of the store, states that the journal does not give."""
        return self._records.problems()


def shares(counts: Counter[str]) -> list[tuple[str, float]]:
    """Return the values with their shares, the most frequent first, without "_"."""
    total = sum(count for value, count in counts.items() if value != OPEN)
    return [(value, count / total) for value, count in counts.most_common() if value != OPEN]

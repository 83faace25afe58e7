"""Sentences and drafts as the store has them: what was imported, what the journal makes of it, what was last shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from treewright.annotate import files
from treewright.annotate.answers import UnknownItemError
from treewright.annotate.draft import OPEN, Draft
from treewright.annotate.journal import effective
from treewright.annotate.operations import apply_event
from treewright.annotate.store import Store, dump, exclusive
from treewright.corpus import Sentence


class Record(NamedTuple):
    """A sentence as the store has it; text: its lines as imported."""

    id: int
    document: str
    sent_id: str
    text: str


class Records:
    """The sentences in a store, by number and layer."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def keeps_trees(self) -> bool:
        """Whether trees that files have are kept until a decision contradicts them."""
        return self._store.setting("keep_trees") == "yes"

    @exclusive
    def documents(self) -> list[str]:
        """List the names of the documents, in order."""
        return [row[0] for row in self._store.rows("SELECT name FROM document ORDER BY id")]

    def record(self, number: int) -> Record:
        """Return the sentence with this number."""
        row = self._store.one(
            "SELECT sentence.id, document.name, sent_id, text FROM sentence "
            "JOIN document ON document.id = sentence.document WHERE sentence.id = ? AND NOT is_gone",
            number,
        )
        if not row:
            raise UnknownItemError(f"there is no sentence {number}")
        return Record(*row)

    def draft(self, record: Record, layer: str) -> tuple[Draft, int]:
        """Return the draft of a record in a layer, and the number of its last event; 0 if there is none."""
        row = self._store.one("SELECT draft, seq FROM tree WHERE sentence = ? AND layer = ?", record.id, layer)
        if row:
            return Draft.from_json(json.loads(row[0])), row[1]
        (boundary,) = self._store.one(
            "SELECT COUNT(*) FROM event WHERE sentence = ? AND kind IN ('split', 'join')", record.id
        )
        if boundary:
            return self.replay(record, layer), 0
        return Draft(record.text, keeps_tree=self.keeps_trees), 0

    def replay(self, record: Record, layer: str) -> Draft:
        """Return the draft of a record that the journal gives in a layer."""
        draft = Draft(record.text, keeps_tree=self.keeps_trees)
        for event in effective(self._store.events("sentence = ?", record.id)):
            is_own = event.layer == layer
            if is_own or event.kind in ("split", "join"):
                draft = apply_event(draft, event.kind, event.payload, is_own)
        return draft

    def save(self, number: int, layer: str, seq: int, draft: Draft, shown: Sentence, lint: int) -> None:
        """Write the draft of a sentence (by number) in a layer, which follows from the journal up to event `seq`.

        shown: the sentence with its tree. lint: the number of findings in it.
        """
        decided = sum(1 for cells in draft.decided.values() if cells)
        counts = decided, len(draft.notes), len(draft.unsure), lint, f" {' '.join(sorted(draft.labels))} "
        self._store.run(
            "INSERT OR REPLACE INTO tree VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(number, layer, seq, dump(draft.to_json()), shown.written(), draft.status, *counts),
        )

    @exclusive
    def sentences(self, layer: str) -> Iterator[Sentence]:
        """Return the sentences of a layer as they were last shown; suggestions where nobody has touched them."""
        rows = self._store.rows(
            "SELECT COALESCE(tree.shown, suggestion.shown, sentence.text) FROM sentence "
            "LEFT JOIN tree ON tree.sentence = sentence.id AND tree.layer = ? "
            "LEFT JOIN suggestion ON suggestion.sentence = sentence.id WHERE NOT is_gone ORDER BY document, position",
            layer,
        )
        return (Sentence(text) for (text,) in rows)

    def feature_values(self, layer: str) -> dict[str, dict[str, list[str]]]:
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

    def versions(self, mode: str, layer: str) -> Iterator[tuple[str, Sentence]]:
        """Yield the sentences of a layer for export, each with its document; mode: as in `Project.export`."""
        rows = self._store.rows(
            "SELECT document.name, sentence.text, tree.draft, tree.shown, event.author, event.at FROM sentence "
            "JOIN document ON document.id = sentence.document "
            "LEFT JOIN tree ON tree.sentence = sentence.id AND tree.layer = ? "
            "LEFT JOIN event ON event.seq = tree.seq WHERE NOT is_gone ORDER BY document, position",
            layer,
        )
        keeps_tree = self.keeps_trees
        for document, text, stored, shown, author, at in rows:
            draft = Draft(text, keeps_tree=keeps_tree) if stored is None else Draft.from_json(json.loads(stored))
            yield document, files.version(mode, draft, None if shown is None else Sentence(shown), author, at)

    def accepted(self, layer: str) -> dict[int, Sentence]:
        """Return the accepted sentences of a layer by number."""
        rows = self._store.rows(
            "SELECT tree.sentence, shown FROM tree JOIN sentence ON sentence.id = tree.sentence "
            "WHERE layer = ? AND status = 'accepted' AND NOT is_gone ORDER BY document, position",
            layer,
        )
        if not rows and not self._store.one("SELECT 1 FROM tree WHERE layer = ?", layer):
            raise UnknownItemError(f"nothing is annotated in the layer {layer}")
        return {number: Sentence(text) for number, text in rows}

    @exclusive
    def problems(self) -> list[str]:
        """Return what is wrong: damage of the store, states that the journal does not give."""
        problems = [row[0] for row in self._store.rows("PRAGMA integrity_check") if row[0] != "ok"]
        problems += [f"a reference is broken: {row}" for row in self._store.rows("PRAGMA foreign_key_check")]
        rows = self._store.rows(
            "SELECT tree.sentence, layer, seq, draft, shown, text, name FROM tree "
            "JOIN sentence ON sentence.id = tree.sentence JOIN document ON document.id = document "
            "ORDER BY tree.sentence"
        )
        for number, layer, seq, stored, shown, text, document in rows:
            place = f"sentence {number}, layer {layer}"
            draft = self.replay(Record(number, document, "", text), layer)
            if dump(draft.to_json()) != stored:
                problems.append(f"{place}: the journal gives another state than the stored one")
            (last,) = self._store.one("SELECT MAX(seq) FROM event WHERE sentence = ? AND layer = ?", number, layer)
            if last != seq:
                problems.append(f"{place}: event {last} is missing in the stored state")
            heads = Sentence(shown).heads.tolist()
            decided = draft.decided_heads(len(heads))
            is_lost = any(own not in (-1, head) for own, head in zip(decided, heads, strict=True))
            if len(heads) != len(draft.annotation().sentence) or is_lost:
                problems.append(f"{place}: the stored tree lacks decisions")
        return problems


def now() -> str:
    """Return the time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

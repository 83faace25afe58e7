"""Files become documents of a project: new ones, trees of a layer, and new versions, which are merged.

A file that has changed since it was imported is merged sentence by sentence, by sent_id: a sentence that only the file
has changed is replaced, one that only people have changed stays, and of one that both have changed the file's tree
becomes an answer of the layer `file`, for adjudication.
"""

from __future__ import annotations

import secrets
from collections import Counter
from pathlib import Path

from treewright.annotate import files, view
from treewright.annotate.answers import ProjectError
from treewright.annotate.journal import effective
from treewright.annotate.operations import apply_event
from treewright.annotate.people import GOLD, People, check_name, hash_of
from treewright.annotate.records import Records, now
from treewright.annotate.store import Store
from treewright.corpus import Sentence

FILE_LAYER = "file"  # the layer of trees that a file and people have changed differently


class Importer:
    """Adds sentences to a store."""

    def __init__(self, store: Store) -> None:
        self._store, self._records, self._people = store, Records(store), People(store)

    def add(self, name: str, path: Path | None, sentences: list[Sentence]) -> str:
        """Add a document, or merge a new version of it; return what was done. path: None if it has none."""
        digest = hash_of("".join(sentence.written() for sentence in sentences))
        row = self._store.one("SELECT id, sha256 FROM document WHERE name = ?", name)
        if row and row[1] == digest:
            return f"{name}: unchanged"
        if row:
            done = self._merge(row[0], name, sentences)
            self._store.run("UPDATE document SET sha256 = ? WHERE id = ?", digest, row[0])
            return done
        place = "" if path is None else str(path.resolve())
        document = self._store.run("INSERT INTO document (name, path, sha256) VALUES (?, ?, ?)", name, place, digest)
        for position, sentence in enumerate(sentences):
            self._add_sentence(document, position, sentence)
        return f"{name}: {len(sentences)} sentence{'s' * (len(sentences) != 1)} added"

    def add_layer(self, name: str, sentences: list[Sentence], layer: str) -> str:
        """Take the trees of these sentences as the accepted ones of a layer; return what was done."""
        check_name(layer, "the name of a layer")
        rows = self._store.rows("SELECT id, sent_id, surface FROM sentence WHERE NOT is_gone")
        by_id = {(sent_id, surface): number for number, sent_id, surface in rows}
        for place, sentence in enumerate(sentences, 1):
            sent_id = sentence.sent_id or str(place)
            number = by_id.get((sent_id, sentence.text))
            if number is None:
                raise ProjectError(f"{sentence.place}: the project has no sentence {sent_id} with this text")
            self._accept(number, sentence, layer)
        return f"{name}: {len(sentences)} sentences of the layer {layer}"

    def _add_sentence(self, document: int, position: float, sentence: Sentence, created_by: int | None = None) -> None:
        text, marks = files.without_marks(sentence)
        imported = Sentence(text)
        number = self._store.run(
            "INSERT INTO sentence (document, position, sent_id, surface, words, text, created_by) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(
                document,
                position,
                imported.sent_id or str(int(position) + 1),
                imported.text,
                len(imported),
                text,
                created_by,
            ),
        )
        if marks is not None:
            manager = self._people.manager
            draft = files.draft_of_marks(sentence, text, marks, self._records.keeps_trees)
            author = files.author_of(marks) or manager
            payload = {"draft": draft.to_json()}
            seq = self._store.add_event(now(), author, f"import-{number}", manager, number, "carry", payload)
            shown = files.shown_of_marks(sentence)
            self._records.save(number, manager, seq, draft, shown, len(view.lint(shown)))

    def _accept(self, number: int, sentence: Sentence, layer: str) -> None:
        draft, _ = self._records.draft(self._records.record(number), layer)
        if len(draft.original()) != len(sentence):
            raise ProjectError(f"{sentence.place}: {len(sentence)} words; the project has {len(draft.original())}")
        sentence.check("single-root")
        cells = files.cells_of_tree(draft, sentence)
        new = apply_event(draft, "accept", {"cells": cells})
        op_id = f"import-{layer}-{number}-{secrets.token_hex(4)}"
        seq = self._store.add_event(now(), layer, op_id, layer, number, "accept", {"cells": cells})
        filled = new.annotation().filled(sentence.heads.tolist(), sentence.deprels)
        self._records.save(number, layer, seq, new, filled, len(view.lint(filled)))

    # -- merging

    def _merge(self, document: int, name: str, sentences: list[Sentence]) -> str:
        rows = self._store.rows(
            "SELECT id, sent_id, text, position FROM sentence WHERE document = ? AND NOT is_gone ORDER BY position",
            document,
        )
        known = {sent_id: (number, text, position) for number, sent_id, text, position in rows}
        sent_ids = [sentence.sent_id for sentence in sentences]
        if None in sent_ids or len(set(sent_ids)) < len(sent_ids) or len(known) < len(rows):
            raise ProjectError(f"{name}: the file has changed; merging needs a sent_id of its own for every sentence")
        done: Counter[str] = Counter()
        last = -1.0
        for sent_id, sentence in zip(sent_ids, sentences, strict=True):
            if sent_id not in known:
                last = self._place_after(document, last)
                self._add_sentence(document, last, sentence)
                done["added"] += 1
                continue
            number, text, last = known[sent_id]
            if sentence.written() == text:
                continue
            if not self._is_touched(number):
                self._remove(number)
                self._add_sentence(document, last, sentence)
                done["changed"] += 1
            elif not self._has_tree(number, sentence):
                self._accept(number, sentence, FILE_LAYER)
                done[f"changed on both sides (layer {FILE_LAYER})"] += 1
        for sent_id, (number, _, _) in known.items():
            if sent_id not in sent_ids:
                is_kept = self._is_touched(number)
                done["kept that the file has no more" if is_kept else "removed"] += 1
                if not is_kept:
                    self._remove(number)
        counts = ", ".join(f"{count} {what}" for what, count in done.items()) or "no sentence differs"
        return f"{name}: merged; {counts}"

    def _place_after(self, document: int, position: float) -> float:
        (following,) = self._store.one(
            "SELECT MIN(position) FROM sentence WHERE document = ? AND position > ?", document, position
        )
        return position + 1 if following is None else float(position + following) / 2

    def _is_touched(self, number: int) -> bool:
        return bool(effective(self._store.events("sentence = ?", number)))

    def _has_tree(self, number: int, sentence: Sentence) -> bool:
        """Whether the gold or the manager's version of a sentence is this one, as after an export."""
        rows = self._store.rows(
            "SELECT shown FROM tree WHERE sentence = ? AND layer IN (?, ?)", number, GOLD, self._people.manager
        )
        return sentence.written() in [row[0] for row in rows]

    def _remove(self, number: int) -> None:
        manager, op_id = self._people.manager, f"import-{number}-{secrets.token_hex(4)}"
        self._store.add_event(now(), manager, op_id, manager, number, "replace", {})
        self._store.run("UPDATE sentence SET is_gone = 1 WHERE id = ?", number)

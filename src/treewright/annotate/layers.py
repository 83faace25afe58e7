"""Layers of a project: the versions of annotators, how far they agree, and what adjudication has to decide."""

from __future__ import annotations

import json
from collections.abc import Sequence

from treewright.annotate import agreement
from treewright.annotate.answers import Difference, ProjectError
from treewright.annotate.draft import Draft
from treewright.annotate.operations import apply_event
from treewright.annotate.people import GOLD, People
from treewright.annotate.records import Record, Records
from treewright.annotate.store import Store, exclusive
from treewright.corpus import Sentence


class Layers:
    """The layers in a store, by name."""

    def __init__(self, store: Store) -> None:
        self._store, self._records = store, Records(store)

    @exclusive
    def default(self) -> str:
        """Return the layer that is exported if none is named: gold if there is one, else the manager's."""
        has_gold = self._store.one("SELECT 1 FROM tree WHERE layer = ?", GOLD)
        return GOLD if has_gold else People(self._store).manager

    @exclusive
    def annotators(self) -> list[str]:
        """List the layers with accepted sentences, without gold."""
        rows = self._store.rows(
            "SELECT DISTINCT layer FROM tree WHERE status = 'accepted' AND layer != ? ORDER BY layer", GOLD
        )
        return [row[0] for row in rows]

    @exclusive
    def agreement(self, layers: Sequence[str]) -> agreement.Report:
        """Compare layers pair by pair, on the sentences that each of a pair has accepted."""
        return agreement.report({layer: self._records.accepted(layer) for layer in layers})

    @exclusive
    def adjudication(self, layer: str = GOLD, layers: Sequence[str] | None = None) -> list[Difference]:
        """List the words about which layers differ, in sentences that two or more of them have accepted.

        layer: the one that is written; words about which all agree are accepted there when its first word is decided.
        layers: the ones compared; None: all with accepted sentences.
        """
        names = self.annotators() if layers is None else list(layers)
        if len(names) < 2:
            raise ProjectError(f"{len(names)} layers have accepted sentences; adjudication compares two or more")
        versions = {name: self._records.accepted(name) for name in names}
        differences = []
        for (number,) in self._store.rows("SELECT id FROM sentence WHERE NOT is_gone ORDER BY document, position"):
            accepted = {name: sentences[number] for name, sentences in versions.items() if number in sentences}
            if len(accepted) < 2:
                continue
            row = self._store.one("SELECT draft, status FROM tree WHERE sentence = ? AND layer = ?", number, layer)
            decided = set(Draft.from_json(json.loads(row[0])).decided) if row else set()
            is_done = bool(row) and row[1] == "accepted"
            first = next(iter(accepted.values()))
            sent_id, text = first.sent_id or str(number), first.text
            for word, form, answers in agreement.differences(accepted):
                ops = {name: agreement.ops_of(word, cells) for name, cells in answers.items()}
                is_decided = is_done or word in decided
                differences.append(Difference(number, sent_id, text, word, form, answers, ops, is_decided))
        return differences

    def with_agreed(self, record: Record, layer: str, draft: Draft, seq: int) -> Draft:
        """Return the draft of a record; a new one of the gold layer accepts the cells about which the annotators agree.

        seq: the last event of the record in this layer; 0: the draft is new.
        """
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

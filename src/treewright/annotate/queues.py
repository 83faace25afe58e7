"""Queues: the sentences of a layer in the order of the files, those that need work, the hits of a request."""

from __future__ import annotations

from collections import Counter

from treewright import query
from treewright.annotate.answers import Hit, ProjectError, Summary, UnknownItemError
from treewright.annotate.records import Records
from treewright.annotate.store import Store, exclusive
from treewright.corpus import Sentence

SEARCH = "search:"  # before a request that is used as a queue
LABEL = "label:"  # before a label of sentences that is used as a queue
NOT_ACCEPTED = "COALESCE(tree.status, 'new') != 'accepted'"
CONDITIONS = {  # SQL over sentence, tree and suggestion
    "file": "1",
    "open": NOT_ACCEPTED,
    "doubtful": f"{NOT_ACCEPTED} AND suggestion.doubtful > 0",
    "lint": "COALESCE(tree.lint, suggestion.lint) > 0",
    "notes": "tree.notes > 0",
    "unsure": "tree.unsure > 0",
}


class Queues:
    """The queues in a store, by layer and name."""

    def __init__(self, store: Store) -> None:
        self._store, self._records = store, Records(store)

    def _ids_of(self, layer: str, name: str) -> list[int]:
        """Return the numbers of the sentences of a queue, in the order of the files."""
        values = [layer]
        if name.startswith(LABEL):
            condition = "INSTR(tree.labels, ?) > 0"
            values.append(f" {name.removeprefix(LABEL)} ")
        elif name in CONDITIONS:
            condition = CONDITIONS[name]
        else:
            expected = f"{', '.join(CONDITIONS)}, {LABEL}NAME or {SEARCH}REQUEST"
            raise UnknownItemError(f"there is no queue {name!r}; expected {expected}")
        rows = self._store.rows(
            "SELECT sentence.id FROM sentence LEFT JOIN tree ON tree.sentence = sentence.id AND tree.layer = ? "
            f"LEFT JOIN suggestion ON suggestion.sentence = sentence.id WHERE NOT is_gone AND {condition} "
            "ORDER BY document, position",
            *values,
        )
        return [row[0] for row in rows]

    @exclusive
    def counts(self, layer: str) -> dict[str, int]:
        """Return the queues of a layer with the number of their sentences.

        file: all, open: not accepted, doubtful: with doubtful words, lint: with messages of the check, notes,
        unsure, and label:NAME for each label that sentences have.
        """
        rows = self._store.rows(
            "SELECT labels FROM tree JOIN sentence ON sentence.id = tree.sentence WHERE layer = ? AND NOT is_gone",
            layer,
        )
        labels = Counter(label for (cell,) in rows for label in cell.split())
        numbers = {name: len(self._ids_of(layer, name)) for name in CONDITIONS}
        return numbers | {f"{LABEL}{label}": labels[label] for label in sorted(labels)}

    @exclusive
    def summaries(
        self, layer: str, queue: str | None = None, after: int | None = None, limit: int = 50
    ) -> list[Summary]:
        """List sentences of a layer in the order of a queue: at most `limit`, after the one with the id `after`.

        queue: one of `counts`, or "search:REQUEST"; None: all sentences in the order of the files.
        """
        hits: dict[int, list[int]] = {}
        if queue is not None and queue.startswith(SEARCH):
            for hit in self.search(queue.removeprefix(SEARCH), layer, limit=None):
                hits.setdefault(hit.sentence_id, []).extend(hit.nodes.values())
            ids = list(hits)
        else:
            ids = self._ids_of(layer, queue or "file")
        if after is not None:
            if after not in ids:  # it has left the queue: go on with those that follow it in the files
                self._records.record(after)
                order = self._ids_of(layer, "file")
                following = set(order[order.index(after) + 1 :])
                ids = [number for number in ids if number in following]
            else:
                ids = ids[ids.index(after) + 1 :]
        return [self._summary(number, layer, hits.get(number, [])) for number in ids[: max(limit, 0)]]

    def _summary(self, number: int, layer: str, hit: list[int]) -> Summary:
        """Return the line of a sentence in a list; hit: the words of a search."""
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

    @exclusive
    def search(self, request: str, layer: str, limit: int | None = 100) -> list[Hit]:
        """List at most `limit` matches of a Grew request in a layer; other text is searched for in forms and lemmas."""
        compiled = compile_request(request)
        hits: list[Hit] = []
        for number, sentence in zip(self._ids_of(layer, "file"), self._records.sentences(layer), strict=True):
            for match in compiled.search([sentence]):
                if len(hits) == limit:
                    return hits
                nodes = {name: id_ for name, id_ in match.nodes.items() if isinstance(id_, int) and id_ > 0}
                hits.append(Hit(number, sentence.sent_id or str(number), sentence.text, nodes))
        return hits


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

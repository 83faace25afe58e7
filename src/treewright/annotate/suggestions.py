"""Suggestions in the background: the sentences that nobody has touched are parsed and checked, a few at a time.

What people do comes first: the thread waits while the project has been used in the last moments.
"""

from __future__ import annotations

import time
from threading import Event, Thread

from treewright.annotate.assistant import confidence_of
from treewright.annotate.draft import OPEN
from treewright.annotate.models import Models
from treewright.annotate.people import People
from treewright.annotate.records import Records
from treewright.annotate.store import Store
from treewright.annotate.view import MIN_SURE, Linter, lint
from treewright.checking import Counts
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.pipeline import Pipeline
from treewright.pipeline.session import without_analysis

BATCH = 16  # sentences that are parsed and stored together; not tuned
PAUSE = 0.2  # seconds without a request before the work goes on; not tuned
MIN_COUNTED = 2000  # words of a project below which it says nothing that a value does not occur in it; not tuned


class Suggestions:
    """The thread that parses; it ends when every sentence has a suggestion of the model in use."""

    def __init__(self, store: Store, models: Models, linter: Linter) -> None:
        self._store, self._models, self._linter = store, models, linter
        self._thread: Thread | None = None
        self._stop = Event()

    def start(self) -> None:
        """Begin to parse what has no suggestion."""
        if self._thread is None or not self._thread.is_alive():
            self._stop = Event()
            self._thread = Thread(target=self._run, args=(self._stop,), name="suggestions", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread after the sentences in work."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def restart(self) -> None:
        """Begin again with another model, if the thread was ever started."""
        if self._thread is not None:
            self._stop.set()  # not joined: the thread may wait for the lock that the caller holds
            self._thread = None
            self.start()

    def _run(self, stop: Event) -> None:
        store, pipeline, model = self._store, self._models.assistant.pipeline, self._models.name
        while not stop.is_set():
            while time.monotonic() - store.last_use < PAUSE and not stop.wait(PAUSE / 4):
                pass
            with store.lock:
                if stop.is_set():
                    return
                rows = store.rows(
                    "SELECT id, text FROM sentence WHERE NOT is_gone AND id NOT IN (SELECT sentence FROM suggestion) "
                    "ORDER BY document, position LIMIT ?",
                    BATCH,
                )
            if not rows:
                break
            suggested = [(number, model, *suggest(pipeline, Sentence(text))) for number, text in rows]
            linter = self._linter
            parsed = [(*row, len(lint(Sentence(row[2]), linter.counts))) for row in suggested]
            with store.lock:
                if stop.is_set():
                    return
                with store.transaction():
                    for row in parsed:
                        store.run("INSERT OR REPLACE INTO suggestion VALUES (?, ?, ?, ?, ?, ?)", *row)
        if not stop.is_set():
            with store.lock:
                counts = Counts.of(Records(store).sentences(People(store).manager))
                self._linter.counts = counts if counts.words >= MIN_COUNTED else None


def suggest(pipeline: Pipeline | None, sentence: Sentence) -> tuple[str, int, float]:
    """Return a sentence with open heads filled in, how many of its arcs are doubtful, and the expected errors.

    Without a pipeline the sentence stays as it is.

    An arc that the file has counts as right with the probability of the model's own arc if that is the same one, and
    otherwise with the probability that the model is wrong.
    """
    if pipeline is None:
        return sentence.written(), 0, 0.0
    try:
        [parsed] = pipeline.parse([without_analysis(sentence)], comment=False)
    except InputError:
        return sentence.written(), 0, 0.0
    heads, labels = sentence.heads.tolist(), list(sentence.deprels)
    sure = confidence_of(parsed)
    for place, (head, label) in enumerate(zip(parsed.heads.tolist(), parsed.deprels, strict=True)):
        if heads[place] < 0:
            heads[place] = head
            labels[place] = label if labels[place] == OPEN else labels[place]
        elif heads[place] != head:
            sure[place] = 1 - sure[place]
    filled = sentence.with_columns(heads=heads, deprels=labels)
    if OPEN in sentence.upos:
        for name in ("UPOS", "XPOS", "FEATS", "LEMMA"):
            pairs = zip(sentence.column(name), parsed.column(name), strict=True)
            filled.set_column(name, [new if old == OPEN else old for old, new in pairs])
    return filled.written(), sum(value < MIN_SURE for value in sure), float(sum(1 - value for value in sure))

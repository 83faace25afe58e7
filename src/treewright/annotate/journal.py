"""What counts of a journal: events that were not undone, what a person can undo, whether two events clash."""

from __future__ import annotations

from collections.abc import Iterable

from treewright.annotate.operations import touched
from treewright.annotate.store import Event

UNDOABLE = ("ops", "accept", "reopen", "split", "join")


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


def history(events: Iterable[Event], person: str | None = None) -> tuple[list[Event], list[Event]]:
    """Return the events that can be undone, and those that can be done again, the last one last.

    person: only this person's events.
    """
    done: list[Event] = []
    undone: list[Event] = []
    for event in events:
        if person is not None and event.author != person:
            continue
        if event.kind in ("undo", "redo"):
            source, target = (done, undone) if event.kind == "undo" else (undone, done)
            target.extend(other for other in source if other.seq == event.undoes)
            source[:] = [other for other in source if other.seq != event.undoes]
        elif event.kind in UNDOABLE:
            done.append(event)
            undone = []
    return done, undone


def overlap(event: Event, other: Event) -> bool:
    """Return whether two events may change the same cells."""
    cells, others = touched(event.kind, event.payload), touched(other.kind, other.payload)
    return cells is None or others is None or bool(cells & others)

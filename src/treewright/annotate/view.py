"""A sentence as it is shown to a person: cells with their states, doubtful words, findings with mends."""

from __future__ import annotations

import os
from typing import Any

from treewright.annotate.answers import ConflictError, Op, WordState
from treewright.annotate.assistant import Shown
from treewright.annotate.draft import COLUMNS, OPEN, Arc, Draft
from treewright.checking import Counts, Finding, check
from treewright.corpus import Sentence
from treewright.guidelines import guideline_address

MIN_SURE = 0.9  # open arcs that are right with a lower probability are doubtful; not tuned
ACCEPTED_COLUMNS = ("LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
IGNORED = ("sent-id", "head", "line-break", "byte-order-mark", "blank-line", "end-of-file")  # no fault of a word


def word_states(draft: Draft, shown: Shown) -> list[WordState]:
    """Return every word with its cells, and who chose them."""
    original, annotated = draft.original(), draft.annotation().sentence
    rejected: dict[int, list[int]] = {}
    for head, word in sorted(draft.rejected):
        rejected.setdefault(word, []).append(head)
    words = []
    for number in range(1, len(shown.sentence) + 1):
        cells = cells_of(shown.sentence, number)
        fixed, before = cells_of(annotated, number), cells_of(original, number)
        states = {}
        for name, value in cells.items():
            if value == OPEN:
                continue
            if name in draft.decided.get(number, {}):
                states[name] = "decided"
            else:
                is_kept = fixed[name] == value if name in ("HEAD", "DEPREL") else before[name] == value
                is_kept = is_kept or draft.accepted.get(number, {}).get(name) == value
                states[name] = "accepted" if is_kept or name == "DEPS" else "suggested"  # DEPS follow the tree
        confidence = None if shown.confidence is None else shown.confidence[number - 1]
        notes = [note_dict(note) for note in draft.notes if note[0] == number]
        is_unsure = number in draft.unsure
        address = guideline(number, shown.sentence)
        words.append(WordState(number, cells, states, confidence, rejected.get(number, []), is_unsure, notes, address))
    return words


def cells_of(sentence: Sentence, number: int) -> dict[str, str]:
    """Return the cells of a word by column."""
    word = sentence[number - 1]
    head = OPEN if word.head < 0 else str(word.head)
    return {name: head if name == "HEAD" else word.cell(name) for name in COLUMNS}


def note_dict(note: tuple[int, str, str, str]) -> dict[str, Any]:
    """Return a note as plain values."""
    return dict(zip(("author", "at", "text"), note[1:], strict=True))


def doubtful_words(draft: Draft, shown: Shown) -> list[int]:
    """Return the words without a decided head whose arc may be wrong, the least probable first."""
    if shown.confidence is None or draft.status == "accepted":
        return []
    decided = draft.decided_heads(len(shown.sentence))
    pairs = [(sure, word) for word, sure in enumerate(shown.confidence, 1) if decided[word - 1] < 0]
    return [word for sure, word in sorted(pairs) if sure < MIN_SURE]


def expected_errors(draft: Draft, shown: Shown) -> float | None:
    """Return the expected number of wrong arcs among the words without a decided head; None without a model."""
    if shown.confidence is None:
        return None
    if draft.status == "accepted":
        return 0.0
    decided = draft.decided_heads(len(shown.sentence))
    return sum(1 - sure for own, sure in zip(decided, shown.confidence, strict=True) if own < 0)


def arc_states(draft: Draft, shown: Shown, changed: list[int]) -> dict[Arc, str]:
    """Return what is known of each arc, for `draw.svg(states=...)`; kept arcs are "pinned"."""
    states: dict[Arc, str] = dict.fromkeys(draft.rejected, "rejected")
    decided = draft.decided_heads(len(shown.sentence))
    required, doubtful = set(shown.required), set(doubtful_words(draft, shown))
    for word, head in enumerate(shown.sentence.heads.tolist(), 1):
        if head < 0:
            continue
        if decided[word - 1] >= 0:
            state = "decided"
        elif word in changed:
            state = "changed"
        elif word in doubtful:
            state = "doubtful"
        else:
            state = "pinned" if (head, word) in required else "suggested"
        states[head, word] = state
    return states


def lint(sentence: Sentence, counts: Counts | None = None) -> list[dict[str, Any]]:
    """Return what `treewright check` finds in a sentence.

    Each has the address of a guideline and the operations that mend it, if there are some.
    """
    findings = check([Sentence(sentence.written())], against=counts, ignore=IGNORED)
    words = [int(finding.word) if finding.word and finding.word.isdigit() else None for finding in findings]
    return [
        {
            "rule": finding.rule,
            "level": finding.level,
            "word": word,
            "reason": finding.reason,
            "mend": mend(finding, sentence),
            "guideline": guideline(word, sentence),
        }
        for finding, word in zip(findings, words, strict=True)
    ]


class Linter:
    """Checks sentences; the findings of the last one are kept.

    counts: of the project; values that never occur in it are findings, too. None: they are not.
    """

    def __init__(self) -> None:
        self.counts: Counts | None = None
        self._last: tuple[Sentence | None, list[dict[str, Any]]] = (None, [])

    def __call__(self, sentence: Sentence) -> list[dict[str, Any]]:
        if self._last[0] is not sentence:
            self._last = sentence, lint(sentence, self.counts)
        return self._last[1]


def guideline(word: int | None, sentence: Sentence) -> str:
    """Return the address of the guideline about the relation of a word; empty if there is none."""
    return "" if word is None else guideline_address(sentence.deprels[word - 1])


def mend(finding: Finding, sentence: Sentence) -> list[Op] | None:
    """Return the operations that repair what a finding reports; None where a person has to choose."""
    if not finding.word or not finding.word.isdigit():
        return None
    word = sentence[int(finding.word) - 1]
    match finding.rule:
        case "root-relation" if word.head == 0:
            return [{"kind": "deprel", "word": word.id, "deprel": "root"}]
        case "punct-tag" if word.upos == "PUNCT" and word.head > 0:
            return [{"kind": "deprel", "word": word.id, "deprel": "punct"}]
        case "feats":
            ordered = sorted(set(word.cell("FEATS").split("|")), key=str.lower)
            if "|".join(ordered) != word.cell("FEATS"):
                return [{"kind": "feats", "word": word.id, "feats": "|".join(ordered)}]
    return None


def suggested_cells(draft: Draft, shown: Sentence) -> dict[str, dict[str, str]]:
    """Return the cells of a sentence that are not decided, accepted or in its file, as JSON; a head must be there."""
    for word in shown:
        if word.head < 0:
            raise ConflictError(f"word {word.id}, {word.form}, has no head; attach it before you accept the sentence")
    return changed_cells(draft, shown)


def changed_cells(draft: Draft, sentence: Sentence) -> dict[str, dict[str, str]]:
    """Return the cells in which a sentence differs from a draft, as JSON."""
    annotated = draft.annotation().sentence
    cells: dict[str, dict[str, str]] = {}
    for number in range(1, len(sentence) + 1):
        old, new = cells_of(annotated, number), cells_of(sentence, number)
        if changes := {name: new[name] for name in ACCEPTED_COLUMNS if old[name] != new[name]}:
            cells[str(number)] = changes
    return cells


def moved(before: Sentence, after: Sentence) -> list[int]:
    """Return the words whose head or relation differs, and the new words between those that both sentences have."""
    first = len(os.path.commonprefix([before.forms, after.forms]))
    shorter, shift = min(len(before), len(after)), len(after) - len(before)
    last = len(os.path.commonprefix([before.forms[::-1], after.forms[::-1]])[: shorter - first])
    new_number = {number: number for number in range(first + 1)}
    new_number |= {number: number + shift for number in range(len(before) - last + 1, len(before) + 1)}
    arcs = zip(before.heads.tolist(), before.deprels, strict=True)
    kept = {
        (new_number[word], new_number.get(head, -1 if head < 0 else None), deprel)
        for word, (head, deprel) in enumerate(arcs, 1)
        if word in new_number
    }
    shown = zip(after.heads.tolist(), after.deprels, strict=True)
    return [word for word, arc in enumerate(shown, 1) if (word, *arc) not in kept]

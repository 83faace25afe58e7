"""Edit scripts: how a lemma is made from a form, in a way that applies to other forms too.

A script has five cells: the casing that is applied first ("l" lower, "k" unchanged, "u" upper), the number of
characters to drop at the start, the characters to add there, and the same two for the end. If form and lemma share no
character, the script is "=" and the lemma.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher

MAX_DROP_DIGITS = 6  # of the number of characters that a script drops; far above any word
CASES: dict[str, Callable[[str], str]] = {"l": str.lower, "k": str, "u": str.upper}


def script_of(form: str, lemma: str) -> str:
    """Find the shortest script that makes the lemma of the form.

    >>> script_of("Dogs", "dog"), script_of("went", "go"), script_of("ging", "gehen")
    ('l\\t0\\t\\t1\\t', '=go', 'l\\t0\\t\\t3\\tehen')
    >>> script_of("gegangen", "gehen")
    'l\\t0\\t\\t6\\then'
    """
    best = "=" + lemma
    cost = 2 * len(lemma) + 1
    for case, change in CASES.items():
        base = change(form)
        if base == lemma:
            return "\t".join((case, "0", "", "0", ""))
        match = SequenceMatcher(None, base, lemma, autojunk=False).find_longest_match()
        if match.size == 0:
            continue
        after = len(base) - match.a - match.size
        start, end = lemma[: match.b], lemma[match.b + match.size :]
        edits = match.a + len(start) + after + len(end)
        if edits < cost:
            best, cost = "\t".join((case, str(match.a), start, str(after), end)), edits
    return best


def check_script(script: str) -> None:
    """Refuse a text that is not a script.

    >>> check_script("l\\t0\\t\\tone\\t")
    Traceback (most recent call last):
    ...
    ValueError: 'l\\t0\\t\\tone\\t' is not an edit script
    """
    cells = script.split("\t")
    has_form = len(cells) == 5 and cells[0] in CASES and all(is_drop(cell) for cell in (cells[1], cells[3]))
    if not script.startswith("=") and not has_form:
        raise ValueError(f"{script!r} is not an edit script")


def is_drop(cell: str) -> bool:
    """Whether a cell is a number of characters, in the digits that training writes."""
    return cell.isascii() and cell.isdigit() and len(cell) <= MAX_DROP_DIGITS


def apply_script(script: str, form: str) -> str | None:
    """Make the lemma of a form by a script; None if the form is too short.

    >>> apply_script("l\\t0\\t\\t1\\t", "Cats"), apply_script("l\\t0\\t\\t3\\ty", "s")
    ('cat', None)
    """
    if script.startswith("="):
        return script[1:] or None
    case, drop_start, start, drop_end, end = script.split("\t")
    base = CASES[case](form)
    first, last = int(drop_start), len(base) - int(drop_end)
    return (start + base[first:last] + end or None) if first <= last else None


def dropped_at_end(script: str) -> int | None:
    """Return how many characters a script drops at the end; None for a whole lemma, which fits no other form.

    >>> dropped_at_end("l\\t0\\t\\t3\\ty"), dropped_at_end("=go")
    (3, None)
    """
    return None if script.startswith("=") else int(script.split("\t")[3])


def changes_start(script: str) -> bool:
    """Whether a script changes the start of a form.

    >>> changes_start("l\\t2\\tri\\t0\\t"), changes_start("l\\t0\\t\\t1\\t")
    (True, False)
    """
    return not script.startswith("=") and script.split("\t")[1:3] != ["0", ""]


def cells_of(script: str) -> tuple[bool, int, str, int, str]:
    """Return a script for the core, in lower case: whether it is a whole lemma, then what to drop and add at both ends.

    >>> cells_of("l\\t0\\t\\t3\\tehen"), cells_of("=Go")
    ((False, 0, '', 3, 'ehen'), (True, 0, 'go', 0, ''))
    """
    if script.startswith("="):
        return True, 0, script[1:].lower(), 0, ""
    _, drop_start, start, drop_end, end = script.split("\t")
    return False, int(drop_start), start.lower(), int(drop_end), end.lower()

"""Operations: what a person can do to a sentence, as JSON objects, checked once and applied to a draft.

`prepare` turns what a client sent into what the journal stores: complete, so that applying it needs no model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from treewright.annotate import words
from treewright.annotate.answers import Op, ProjectError
from treewright.annotate.boundaries import join_sentences, split_sentence
from treewright.annotate.draft import OPEN, Draft
from treewright.corpus import Sentence

MAX_OPS = 100  # operations of one request; not tuned
MAX_TEXT = 10_000  # characters of a cell or a note; not tuned
CELL_KINDS = {name.lower(): name for name in ("DEPREL", "UPOS", "XPOS", "LEMMA", "FEATS", "MISC")}
WORD_KINDS = ("split_word", "join_words", "make_token", "dissolve_token", "insert_word", "delete_word")
BOUNDARY_KINDS = ("split_sentence", "join_sentences", "split_at_roots")
KINDS = (
    *("head", *CELL_KINDS, "reject", "confirm", "release", "unsure", "note", "label"),
    *WORD_KINDS,
    *BOUNDARY_KINDS,
)

Field = tuple[type | tuple[type, ...], bool]  # type of a value, and whether it is needed
FIELDS: dict[str, dict[str, Field]] = {
    "head": {"word": (int, True), "head": (int, True), "deprel": (str, False)},
    **{kind: {"word": (int, True), kind: (str, True)} for kind in CELL_KINDS},
    "reject": {"word": (int, True), "head": (int, True)},
    "confirm": {"word": (int, True)},
    "release": {"word": (int, True)},
    "unsure": {"word": (int, True), "value": (bool, False)},
    "note": {"word": (int, False), "text": (str, True)},
    "label": {"label": (str, True), "value": (bool, False)},
    "split_word": {"word": (int, True), "at": (list, False), "forms": (list, False), "as_token": (bool, False)},
    "join_words": {"word": (int, True), "last": (int, False)},
    "make_token": {"word": (int, True), "last": (int, True)},
    "dissolve_token": {"word": (int, True)},
    "insert_word": {"word": (int, True), "form": (str, True)},
    "delete_word": {"word": (int, True)},
    "split_sentence": {"word": (int, True)},
    "join_sentences": {},
    "split_at_roots": {},
}


def check_ops(ops: Sequence[Op]) -> list[Op]:
    """Return copies of operations whose kinds, names and types are right; a ProjectError says what is wrong."""
    if not isinstance(ops, (list, tuple)) or not 1 <= len(ops) <= MAX_OPS:
        raise ProjectError(
            f"ops has {len(ops) if isinstance(ops, (list, tuple)) else 'no list of'} operations; "
            f"expected 1 to {MAX_OPS}"
        )
    checked = [check_op(op) for op in ops]
    if len(checked) > 1 and any(op["kind"] in BOUNDARY_KINDS for op in checked):
        raise ProjectError("an operation that splits or joins sentences stands alone")
    return checked


def check_op(op: Op) -> Op:
    """Return a copy of an operation with the fields of its kind."""
    kind = op.get("kind") if isinstance(op, dict) else None
    if kind not in FIELDS:
        raise ProjectError(f"the kind of an operation is {kind!r}; expected one of {', '.join(KINDS)}")
    fields = FIELDS[kind]
    unknown = [name for name in op if name not in ("kind", *fields)]
    if unknown:
        raise ProjectError(f"{kind} has no field {unknown[0]!r}; it has {', '.join(fields) or 'none'}")
    for name, (expected, is_needed) in fields.items():
        value = op.get(name)
        if value is None:
            if is_needed:
                raise ProjectError(f"{kind} needs the field {name!r}")
        elif not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            raise ProjectError(f"{name} of {kind} is {value!r}; expected {expected.__name__}")  # type: ignore[union-attr]
        elif isinstance(value, str) and len(value) > MAX_TEXT:
            raise ProjectError(f"the {name} has {len(value):,} characters; at most {MAX_TEXT:,} are kept")
    for name, item in (("at", int), ("forms", str)):
        if any(not isinstance(value, item) for value in op.get(name) or ()):
            raise ProjectError(f"{name} of {kind} is {op[name]!r}; expected a list of {item.__name__}")
    texts = [value for value in (*op.values(), *(op.get("forms") or ())) if isinstance(value, str)]
    if any("\ud800" <= letter <= "\udfff" for text in texts for letter in text):
        raise ProjectError(f"{kind} has half of a character (U+D800 to U+DFFF), which cannot be written into a file")
    if any("\0" in text for text in texts):
        raise ProjectError(f"{kind} has the character U+0000, with which a file is not read as text")
    return {"kind": kind} | {name: op[name] for name in fields if op.get(name) is not None}


def prepare(op: Op, shown: Sentence, author: str, at: str) -> Op:
    """Return an operation with what it takes from the sentence shown, from its author and from the clock."""
    size = len(shown)
    if "word" in op:
        least = 0 if op["kind"] in ("note", "insert_word") else 1
        if not least <= op["word"] <= size:
            raise ProjectError(f"word is {op['word']}; the sentence has the words {least} to {size}")
    if "head" in op and not (0 <= op["head"] <= size and op["head"] != op["word"]):
        raise ProjectError(f"the head of word {op['word']} is {op['head']}; expected another word, or 0 for the root")
    for kind in ("deprel", *CELL_KINDS):
        if kind in op:
            check_value(CELL_KINDS[kind], op[kind])
    match op["kind"]:
        case "confirm":
            word = shown[op["word"] - 1]
            if word.head < 0:
                raise ProjectError(f"word {word.id}, {word.form}, has no head to confirm; choose one")
            deprel = {} if word.deprel == OPEN else {"deprel": word.deprel}
            tag = {} if word.upos == OPEN else {"upos": word.upos}
            return op | {"head": word.head} | deprel | tag
        case "unsure":
            return {"value": True} | op
        case "label":
            if not op["label"] or not op["label"].isprintable() or " " in op["label"]:
                raise ProjectError(f"label is {op['label']!r}; expected a word without spaces")
            return {"value": True} | op
        case "note":
            return {"word": 0} | op | {"author": author, "at": at}
        case "join_words":
            return {"last": op["word"] + 1} | op
    return op


def check_value(column: str, value: str) -> None:
    """Refuse what cannot be written into a cell."""
    has_space = any(letter.isspace() for letter in value)
    if not value or any(sign in value for sign in "\t\n\r"):
        raise ProjectError(f"{column} is {value!r}; expected a text without tab and line break")
    if has_space and (column not in ("LEMMA", "MISC") or value != " ".join(value.split())):
        raise ProjectError(f"{column} is {value!r}; expected a value without spaces")
    if column == "DEPREL" and value == OPEN:
        raise ProjectError("DEPREL is '_'; `release` opens a word")


def apply_op(draft: Draft, op: Op) -> Draft:
    """Return a draft after a prepared operation on one sentence."""
    return replace(APPLIED[op["kind"]](draft, op), status="started")


def decide_head(draft: Draft, op: Op) -> Draft:
    cells = {"HEAD": str(op["head"])}
    cells |= {CELL_KINDS[kind]: op[kind] for kind in ("deprel", "upos") if kind in op}
    draft = replace(draft, rejected=draft.rejected - {(op["head"], op["word"])})
    return draft.with_cells("decided", op["word"], **cells)


def decide_cell(draft: Draft, op: Op) -> Draft:
    return draft.with_cells("decided", op["word"], **{CELL_KINDS[op["kind"]]: op[op["kind"]]})


def reject(draft: Draft, op: Op) -> Draft:
    arc = op["head"], op["word"]
    if draft.decided.get(op["word"], {}).get("HEAD") == str(op["head"]):
        draft = draft.without_cells("decided", op["word"], "HEAD", "DEPREL")
    return replace(draft, rejected=draft.rejected | {arc})


def release(draft: Draft, op: Op) -> Draft:
    word = op["word"]
    kept = frozenset(arc for arc in draft.rejected if arc[1] != word)
    draft = replace(draft, rejected=kept).without_cells("decided", word)
    return draft.with_cells("accepted", word, HEAD=OPEN, DEPREL=OPEN)


def mark_unsure(draft: Draft, op: Op) -> Draft:
    words_ = draft.unsure | {op["word"]} if op["value"] else draft.unsure - {op["word"]}
    return replace(draft, unsure=words_)


def set_label(draft: Draft, op: Op) -> Draft:
    return replace(draft, labels=draft.labels | {op["label"]} if op["value"] else draft.labels - {op["label"]})


def add_note(draft: Draft, op: Op) -> Draft:
    return replace(draft, notes=(*draft.notes, (op["word"], op["author"], op["at"], op["text"])))


APPLIED: dict[str, Callable[[Draft, Op], Draft]] = {
    "head": decide_head,
    "confirm": decide_head,
    **dict.fromkeys(CELL_KINDS, decide_cell),
    "reject": reject,
    "release": release,
    "unsure": mark_unsure,
    "note": add_note,
    "label": set_label,
    "split_word": lambda draft, op: words.split_word(
        draft, op["word"], op.get("at", ()), op.get("forms", ()), op.get("as_token", False)
    ),
    "join_words": lambda draft, op: words.join_words(draft, op["word"], op["last"]),
    "make_token": lambda draft, op: words.make_token(draft, op["word"], op["last"]),
    "dissolve_token": lambda draft, op: words.dissolve_token(draft, op["word"]),
    "insert_word": lambda draft, op: words.insert_word(draft, op["word"], op["form"]),
    "delete_word": lambda draft, op: words.delete_word(draft, op["word"]),
}


def apply_event(draft: Draft, kind: str, payload: dict[str, Any], is_own: bool = True) -> Draft:
    """Return a draft after an event of the journal.

    is_own: whether the event is of this layer; of the others only the boundaries of sentences count, without decisions.
    """
    match kind:
        case "ops":
            for op in payload["ops"]:
                draft = apply_op(draft, op)
            return draft
        case "accept":
            for word, cells in payload["cells"].items():
                draft = draft.with_cells("accepted", int(word), **cells)
            return replace(draft, status="accepted")
        case "reopen":
            return replace(draft, status="started")
        case "agree":
            return replace(apply_event(draft, "accept", payload), status="started")
        case "carry":
            return Draft.from_json(payload["draft"])
        case "split":
            return split_sentence(draft, payload["word"])[0] if is_own else replace(draft, text=payload["text"])
        case "join":
            if not is_own:
                return replace(draft, text=payload["text"])
            return join_sentences(draft, Draft.from_json(payload["draft"]))
    raise AssertionError(kind)


def touched(kind: str, payload: dict[str, Any]) -> set[tuple[int, str]] | None:
    """Return the cells (word, column) that an event changes; None for all."""
    if kind != "ops":
        return None
    cells: set[tuple[int, str]] = set()
    for op in payload["ops"]:
        if op["kind"] in WORD_KINDS:
            return None
        if op["kind"] in ("head", "confirm", "reject", "release"):
            cells |= {(op["word"], "HEAD"), (op["word"], "DEPREL")}
        elif op["kind"] in CELL_KINDS:
            cells.add((op["word"], CELL_KINDS[op["kind"]]))
    return cells

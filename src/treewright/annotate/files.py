"""Files of a project: what is imported, and the versions that are exported, with or without marks.

Marks are comments that say who decided what, so that importing them gives the same state again:

    # treewright.decided = 3:HEAD,DEPREL 5:UPOS
    # treewright.accepted = all
    # treewright.rejected = 3<2
    # treewright.unsure = 4
    # treewright.by = ana 2026-11-16T10:12:00.000+00:00
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from treewright.annotate.answers import ProjectError
from treewright.annotate.draft import OPEN, Draft
from treewright.annotate.view import cells_of, changed_cells
from treewright.corpus import Sentence, open_input, read
from treewright.corpus.block import name_and_value
from treewright.corpus.files import extension_of
from treewright.corpus.layout import CONLLU
from treewright.corpus.reader import check_utf8
from treewright.corpus.sentence import to_layout
from treewright.pipeline.reading import tokenise_text
from treewright.tokeniser import Tokeniser

Mode = Literal["clean", "marked", "partial", "journal"]
MODES: tuple[Mode, ...] = get_args(Mode)
TABLES = (".conllu", ".conllup", ".conll", ".conllx")
TEXTS = (".txt",)
MARK = "treewright."

Marks = dict[str, str]


def listed(paths: Iterable[str | os.PathLike[str]]) -> list[tuple[str, Path]]:
    """Return the files at these paths and in folders among them, each with the name that the project gives it."""
    chosen: list[tuple[str, Path]] = []
    for given in map(Path, paths):
        if given.is_dir():
            inside = sorted(path for path in given.rglob("*") if extension_of(path.name) in TABLES and path.is_file())
            if not inside:
                raise ProjectError(f"{given}: no CoNLL-U file in this folder")
            chosen += [(path.relative_to(given).as_posix(), path) for path in inside]
        else:
            chosen.append((given.name, given))
    names = [name for name, _ in chosen]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ProjectError(f"two files are called {repeated}; put them into one folder and give the folder")
    return chosen


def known_extension(name: str) -> str:
    """Return the extension of a file that a project can read; a ProjectError for others."""
    extension = extension_of(name)
    if extension not in (*TABLES, *TEXTS):
        raise ProjectError(f"{name}: expected a file whose name ends in {', '.join((*TABLES, *TEXTS))}")
    return extension


def read_document(path: Path, tokeniser: Tokeniser | None) -> list[Sentence]:
    """Read a file of sentences, or split raw text into sentences and words."""
    if extension_of(path.name) in TEXTS:
        with open_input(path) as file:
            text = file.read().decode("utf-8", "surrogateescape")
        check_utf8(text, os.fspath(path), 1)
        sentences = list(tokenise_text(text.removeprefix("\ufeff"), tokeniser or Tokeniser()))
        if not sentences:
            raise ProjectError(f"{path}: no words in this text")
        for number, sentence in enumerate(sentences, 1):
            if sentence.sent_id is None:
                sentence.comments = [f"# sent_id = {number}", *sentence.comments]
        return sentences
    return [to_layout(sentence, CONLLU) for sentence in read(path)]


def exported_name(document: str) -> str:
    """Return the name of the file to which a document is exported.

    >>> exported_name("a/dev.conllu"), exported_name("notes.txt"), exported_name("b.conll.gz")
    ('a/dev.conllu', 'notes.conllu', 'b.conllu')
    """
    extension = extension_of(document)
    stem = document[: document.rfind(extension)] if extension else document
    return f"{stem}.conllu"


def version(mode: str, draft: Draft, shown: Sentence | None, author: str | None, at: str | None) -> Sentence:
    """Return a sentence as it is exported; shown: as it was last shown, None if nobody has touched it."""
    if draft.status == "new" or shown is None:
        return partial_version(draft) if mode == "partial" else draft.original()
    if mode == "clean":
        return shown
    if mode == "partial":
        return partial_version(draft, shown)
    sentence = shown if draft.status == "accepted" else annotated(draft)
    sentence.comments = [*sentence.comments, *marks_of(draft, author, at)]
    return sentence


def annotated(draft: Draft) -> Sentence:
    """Return a sentence with what is decided, accepted or kept; its DEPS follow."""
    annotation = draft.annotation()
    return annotation.filled(annotation.sentence.heads.tolist(), annotation.sentence.deprels)


def partial_version(draft: Draft, shown: Sentence | None = None) -> Sentence:
    """Return a sentence with "_" for heads and relations that nobody decided or accepted, or is unsure about."""
    accepted = draft.status == "accepted" and shown is not None
    sentence = shown.copy() if accepted and shown is not None else annotated(draft)
    for word in draft.unsure:
        sentence[word - 1].head, sentence[word - 1].deprel = -1, OPEN
    return sentence


def marks_of(draft: Draft, author: str | None, at: str | None) -> list[str]:
    """Return the comments that say what is decided."""
    lines = []
    for kind, cells in (("decided", draft.decided), ("accepted", draft.accepted)):
        if kind == "accepted" and draft.status == "accepted":
            lines.append(f"# {MARK}accepted = all")
        elif places := [f"{word}:{','.join(sorted(cells[word]))}" for word in sorted(cells) if cells[word]]:
            lines.append(f"# {MARK}{kind} = {' '.join(places)}")
    if draft.rejected:
        lines.append(f"# {MARK}rejected = {' '.join(f'{word}<{head}' for head, word in sorted(draft.rejected))}")
    if draft.unsure:
        lines.append(f"# {MARK}unsure = {' '.join(map(str, sorted(draft.unsure)))}")
    if draft.labels:
        lines.append(f"# {MARK}labels = {' '.join(sorted(draft.labels))}")
    return [*lines, f"# {MARK}by = {author} {at}"]


def without_marks(sentence: Sentence) -> tuple[str, Marks | None]:
    """Return the lines of a sentence without marks, and the marks; None if there are none."""
    marks: Marks = {}
    for line in sentence.comments:
        name, value = name_and_value(line)
        if name.startswith(MARK) and value is not None:
            marks[name.removeprefix(MARK)] = value
    if "by" not in marks:
        return sentence.written(), None
    return shown_of_marks(sentence).written(), marks


def shown_of_marks(sentence: Sentence) -> Sentence:
    """Return a sentence without the comments that are marks."""
    copy = sentence.copy()
    copy.comments = [line for line in sentence.comments if not name_and_value(line)[0].startswith(MARK)]
    return copy


def author_of(marks: Marks) -> str | None:
    """Return who made the marks."""
    return marks["by"].rpartition(" ")[0] or None


def draft_of_marks(sentence: Sentence, text: str, marks: Marks, keeps_tree: bool) -> Draft:
    """Return the draft that a marked sentence was exported from."""
    draft = Draft(text, keeps_tree=keeps_tree, status="started")
    try:
        for kind in ("decided", "accepted"):
            for place in marks.get(kind, "").split():
                if place == "all":
                    continue
                word, _, names = place.partition(":")
                cells = cells_of(sentence, int(word))
                draft = draft.with_cells(kind, int(word), **{name: cells[name] for name in names.split(",")})
        if marks.get("accepted") == "all":
            if not keeps_tree:
                for number in range(1, len(sentence) + 1):
                    cells = cells_of(sentence, number)
                    draft = draft.with_cells("accepted", number, HEAD=cells["HEAD"], DEPREL=cells["DEPREL"])
            draft = replace(draft, status="accepted")
        pairs = [pair.split("<") for pair in marks.get("rejected", "").split()]
        rejected = frozenset((int(head), int(word)) for word, head in pairs)
        unsure = frozenset(int(word) for word in marks.get("unsure", "").split())
    except (ValueError, KeyError, IndexError):
        raise ProjectError(f"{sentence.place}: the comments # {MARK}* cannot be read; remove them") from None
    return replace(draft, rejected=rejected, unsure=unsure, labels=frozenset(marks.get("labels", "").split()))


def cells_of_tree(draft: Draft, sentence: Sentence) -> dict[str, dict[str, str]]:
    """Return the cells in which a sentence differs from a draft, as JSON; a new head comes with its relation."""
    cells = changed_cells(draft, sentence)
    for word, changes in cells.items():
        if "HEAD" in changes:
            changes["DEPREL"] = sentence[int(word) - 1].deprel
    return cells

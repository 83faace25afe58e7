"""The lines of a sentence as records that can be inserted, deleted and renumbered: words, tokens, empty nodes.

`change_words` replaces a range of words by new ones and moves everything that refers to words: heads, DEPS, CopyOf,
ranges of multiword tokens, and the decisions of a draft.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from treewright.annotate.draft import COLUMNS, OPEN, Draft
from treewright.corpus import Sentence, Token
from treewright.corpus.block import newline_of, set_comment
from treewright.corpus.graph import EmptyNode, is_number
from treewright.corpus.offsets import join_tokens, surface_tokens

Word = dict[str, str]  # the cells of a word from FORM to MISC
Numbers = Mapping[int, int | None]  # old number -> new number, None for a word that is gone


@dataclass(frozen=True)
class Rows:
    """A sentence in parts, with the text around its own lines."""

    before: str
    comments: list[str]
    words: list[Word]
    tokens: list[Token]
    empty_nodes: list[EmptyNode]
    after: str
    newline: str

    @classmethod
    def of(cls, text: str) -> Rows:
        """Take the lines of a sentence apart."""
        sentence = Sentence(text)
        lines = str(sentence).removesuffix("\n")
        before, _, after = text.partition(lines)
        columns = [sentence.column(name) if name != "HEAD" else head_cells(sentence) for name in COLUMNS]
        words = [dict(zip(COLUMNS, cells, strict=True)) for cells in zip(*columns, strict=True)]
        tokens, empty_nodes = sentence.tokens, sentence.empty_nodes
        return cls(before, list(sentence.comments), words, tokens, empty_nodes, after, newline_of(text))

    def text(self) -> str:
        """Write the lines."""
        lines = list(self.comments)
        first_of = {token.first: token for token in self.tokens}
        for number in range(len(self.words) + 1):
            if number:
                if token := first_of.get(number):
                    lines.append("\t".join([f"{token.first}-{token.last}", token.form, *[OPEN] * 7, token.misc]))
                lines.append("\t".join([str(number), *(self.words[number - 1][name] for name in COLUMNS)]))
            for node in self.empty_nodes:
                if major_of(node.id) == number:
                    cells = [node.form, node.lemma, node.upos, node.xpos, node.feats, OPEN, OPEN, node.deps, node.misc]
                    lines.append("\t".join([node.id, *cells]))
        return self.before + self.newline.join(lines) + self.after

    def surface(self) -> str:
        """Return the text that the tokens spell."""
        return join_tokens(surface_tokens(Sentence(self.text())))

    def with_text(self) -> Rows:
        """Return a copy whose comment "# text", if there is one, is what the tokens spell."""
        if not any(comment.replace(" ", "").startswith("#text=") for comment in self.comments):
            return self
        comments = list(self.comments)
        set_comment(comments, "text", self.surface())
        return replace(self, comments=comments)

    def token_at(self, word: int) -> Token | None:
        """Return the multiword token that a word belongs to."""
        return next((token for token in self.tokens if token.first <= word <= token.last), None)


def head_cells(sentence: Sentence) -> list[str]:
    """Return the column HEAD as cells."""
    return [OPEN if head < 0 else str(head) for head in sentence.heads.tolist()]


def major_of(id_: str) -> int:
    """Return the number of the word before an empty node.

    >>> major_of("8.1")
    8
    """
    return int(id_.partition(".")[0])


def change_words(rows: Rows, first: int, last: int, new: Sequence[Word], numbers: Numbers) -> Rows:
    """Replace the words from first to last by new ones; numbers says where each old word went.

    Heads and edges to a word that is gone are open. Multiword tokens follow their words; one that has fewer than
    two words left goes.
    """
    words = [*rows.words[: first - 1], *new, *rows.words[last:]]
    moved = [renumber_cells(word, numbers, own) for own, word in enumerate(words, 1)]
    tokens = []
    for token in rows.tokens:
        places = [place for word in range(token.first, token.last + 1) if (place := numbers[word]) is not None]
        if places and max(places) > min(places):
            tokens.append(token._replace(first=min(places), last=max(places)))
    counts: dict[int, int] = {}
    nodes, ids = [], {}
    for node in rows.empty_nodes:
        place = major_of(node.id)
        while place and numbers[place] is None:
            place -= 1
        major = numbers[place] or 0 if place else 0
        counts[major] = counts.get(major, 0) + 1
        ids[node.id] = f"{major}.{counts[major]}"
        nodes.append(node)
    renamed = [
        node._replace(
            id=ids[node.id],
            deps=renumber_deps(node.deps, numbers, ids),
            misc=renumber_copy(node.misc, numbers),
        )
        for node in nodes
    ]
    moved = [{**word, "DEPS": renumber_deps(word["DEPS"], {}, ids)} for word in moved] if ids else moved
    return replace(rows, words=moved, tokens=tokens, empty_nodes=renamed)


def renumber_cells(word: Word, numbers: Numbers, own: int) -> Word:
    """Return the cells of a word with the new numbers of other words; a word is never its own head."""
    head = word["HEAD"]
    if head not in (OPEN, "0"):
        place = numbers.get(int(head))
        head = OPEN if place is None or place == own else str(place)
    deprel = OPEN if head == OPEN and word["HEAD"] != OPEN else word["DEPREL"]
    deps = renumber_deps(word["DEPS"], numbers, {}, own)
    return {**word, "HEAD": head, "DEPREL": deprel, "DEPS": deps, "MISC": renumber_copy(word["MISC"], numbers)}


def renumber_deps(cell: str, numbers: Numbers, ids: Mapping[str, str], own: int | None = None) -> str:
    """Return a DEPS cell with the new numbers of words and the new ids of empty nodes, without edges to what is gone.

    >>> renumber_deps("1:nsubj|3:obj|3.1:conj", {1: 1, 2: 2, 3: 4}, {"3.1": "4.1"})
    '1:nsubj|4:obj|4.1:conj'
    """
    if cell == OPEN:
        return cell
    edges = []
    for part in cell.split("|"):
        head, _, label = part.partition(":")
        if is_number(head) and int(head) > 0 and numbers:
            place = numbers.get(int(head))
            if place is None or place == own:
                continue
            head = str(place)
        edges.append(f"{ids.get(head, head)}:{label}")
    return "|".join(dict.fromkeys(sorted(edges, key=edge_order))) or OPEN


def edge_order(edge: str) -> tuple[int, int, str]:
    """Return the place of an edge in a DEPS cell: by head, then by label."""
    head, _, label = edge.partition(":")
    major, _, minor = head.partition(".")
    return (int(major), int(minor or 0), label) if is_number(major) else (0, 0, edge)


def renumber_copy(misc: str, numbers: Numbers) -> str:
    """Return a MISC cell in which CopyOf has the new number."""
    entries = []
    for entry in misc.split("|"):
        name, _, value = entry.partition("=")
        if name == "CopyOf" and is_number(value) and numbers.get(int(value)):
            entry = f"CopyOf={numbers[int(value)]}"
        entries.append(entry)
    return "|".join(entries)


def move_decisions(draft: Draft, text: str, numbers: Numbers) -> Draft:
    """Return a draft over a new text, with the decisions of the words that are still there under their new numbers."""

    def place_of(head: str) -> str | None:
        if head in (OPEN, "0"):
            return head
        place = numbers.get(int(head))
        return None if place is None else str(place)

    def move(cells: Mapping[int, Mapping[str, str]]) -> dict[int, dict[str, str]]:
        moved: dict[int, dict[str, str]] = {}
        for word, values in cells.items():
            place = numbers.get(word)
            if place is None or place in moved:
                continue
            kept = dict(values)
            if "HEAD" in kept:
                head = place_of(kept["HEAD"])
                if head is None or head == str(place):
                    kept = {name: value for name, value in kept.items() if name not in ("HEAD", "DEPREL")}
                else:
                    kept["HEAD"] = head
            if kept:
                moved[place] = kept
        return moved

    arcs = {(0 if head == 0 else numbers.get(head), numbers.get(word)) for head, word in draft.rejected}
    return replace(
        draft,
        text=text,
        decided=move(draft.decided),
        accepted=move(draft.accepted),
        rejected=frozenset(
            (head, word) for head, word in arcs if head is not None and word is not None and head != word
        ),
        unsure=frozenset(place for word in draft.unsure if (place := numbers.get(word)) is not None),
        notes=tuple(
            (numbers.get(word) or 0 if word else 0, author, at, note) for word, author, at, note in draft.notes
        ),
    )


def with_misc(cell: str, *entries: str) -> str:
    """Return a MISC cell with further entries at its end."""
    return "|".join([*([] if cell == OPEN else [cell]), *entries]) or OPEN


def spacing_of(misc: str) -> list[str]:
    """Return the entries of a MISC cell that say what follows the token in the text."""
    return [entry for entry in misc.split("|") if entry.partition("=")[0] in ("SpaceAfter", "SpacesAfter")]


def range_entry(begin: int, end: int) -> str:
    """Return the entry of MISC for a place in the text."""
    return f"TokenRange={begin}:{end}"


def empty_word(form: str) -> Word:
    """Return the cells of a new word."""
    return dict.fromkeys(COLUMNS, OPEN) | {"FORM": form}

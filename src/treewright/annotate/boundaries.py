"""Operations on the boundaries of sentences: split one before a word, join two, find the cuts between its roots."""

from __future__ import annotations

import itertools
from dataclasses import replace

from treewright.annotate.answers import ProjectError
from treewright.annotate.draft import OPEN, Draft
from treewright.annotate.rows import Rows, change_words, empty_word, move_decisions
from treewright.corpus import Sentence
from treewright.corpus.block import name_and_value, set_comment

OWN_COMMENTS = ("sent_id", "text")


def split_sentence(draft: Draft, word: int) -> tuple[Draft, Draft]:
    """Split a sentence before a word. Arcs and edges across the cut are open; comments stay with the first part.

    A sent_id a becomes a-1 and a-2, and the comment "# text" is divided.
    """
    rows = Rows.of(draft.text)
    size = len(rows.words)
    if not 1 < word <= size:
        raise ProjectError(f"the sentence cannot be split before word {word}; expected a word from 2 to {size}")
    token = rows.token_at(word)
    if token is not None and token.first < word:
        raise ProjectError(f"word {word} is inside a multiword token; dissolve it first")
    names = {name_and_value(comment)[0]: name_and_value(comment)[1] for comment in rows.comments}
    comments: list[list[str]] = [list(rows.comments), []]
    if sent_id := names.get("sent_id"):
        for number, lines in enumerate(comments, 1):
            set_comment(lines, "sent_id", f"{sent_id}-{number}")
    if "text" in names:
        set_comment(comments[1], "text", "")
    end = rows.newline * 2
    first = replace(rows, comments=comments[0], after=end)
    second = replace(rows, comments=comments[1], before="")
    to_first = {number: number if number < word else None for number in range(1, size + 1)}
    to_second = {number: None if number < word else number - word + 1 for number in range(1, size + 1)}
    nodes = [node for node in rows.empty_nodes if int(node.id.partition(".")[0]) < word]
    first = change_words(replace(first, empty_nodes=nodes), word, size, [], to_first).with_text()
    others = [node for node in rows.empty_nodes if node not in nodes]
    second = change_words(replace(second, empty_nodes=others), 1, word - 1, [], to_second).with_text()
    return tuple(  # type: ignore[return-value]
        move_decisions(replace(draft, status="started"), part.text(), numbers)
        for part, numbers in ((first, to_first), (second, to_second))
    )


def join_sentences(first: Draft, second: Draft) -> Draft:
    """Join two sentences; the root of the second is open, all other decisions hold."""
    one, two = Rows.of(first.text), Rows.of(second.text)
    size, added = len(one.words), len(two.words)
    if any(node.id.startswith("0.") for node in two.empty_nodes):
        raise ProjectError("the second sentence begins with an empty node; it cannot be joined to another one")
    shift = {number: number + size for number in range(1, added + 1)}
    unrooted = [cells | {"HEAD": OPEN, "DEPREL": OPEN} if cells["HEAD"] == "0" else cells for cells in two.words]
    moved = change_words(replace(two, words=unrooted), 1, 0, [empty_word("x")] * size, shift)
    comments = list(one.comments)
    comments += [line for line in two.comments if name_and_value(line)[0] not in OWN_COMMENTS and line not in comments]
    joined = replace(
        one,
        comments=comments,
        words=[*one.words, *moved.words[size:]],
        tokens=[*one.tokens, *moved.tokens],
        empty_nodes=[*one.empty_nodes, *moved.empty_nodes],
        after=two.after,
    ).with_text()
    moved_draft = move_decisions(second, moved.text(), shift)
    for kind, cells_by_word in (("decided", moved_draft.decided), ("accepted", moved_draft.accepted)):
        for word, cells in cells_by_word.items():
            if cells.get("HEAD") == "0":
                moved_draft = moved_draft.without_cells(kind, word, "HEAD", "DEPREL")
    return replace(
        first,
        text=joined.text(),
        decided={**first.decided, **moved_draft.decided},
        accepted={**first.accepted, **moved_draft.accepted},
        rejected=first.rejected | moved_draft.rejected,
        unsure=first.unsure | moved_draft.unsure,
        notes=(*first.notes, *moved_draft.notes),
        status="started",
    )


def cuts_between_roots(sentence: Sentence) -> list[int]:
    """Return the words before which a sentence with several roots is split: where the next root's words begin.

    >>> cuts_between_roots(Sentence.from_words(["Go", "!", "Stop", "!"], heads=[0, 1, 0, 3]))
    [3]
    """
    roots = [word for word in sentence if word.head == 0]
    spans = [[word.id for word in root.subtree] for root in roots]
    if len(roots) < 2:
        raise ProjectError("the sentence has one root; a sentence is split at its roots if it has several")
    for span, following in itertools.pairwise(spans):
        if span[-1] > following[0]:
            raise ProjectError("the words of one root stand among those of another; split the sentence before a word")
    return [span[0] for span in spans[1:]]

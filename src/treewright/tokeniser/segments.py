"""From the labels of characters to sentences, and from sentences back to their text.

The place of each token in the text is written as TokenRange=begin:end into MISC, the white space around it as
SpaceAfter=No, SpacesBefore and SpacesAfter, a word that is divided at the end of a line as it is written as
SpacesInToken: the conventions of UDPipe.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from treewright.corpus import Sentence, Token
from treewright.corpus.offsets import surface_tokens
from treewright.corpus.sentence import sentence_of_cells
from treewright.corpus.typography import INVISIBLE
from treewright.tokeniser.characters import codes_of
from treewright.tokeniser.cutting import cuts
from treewright.tokeniser.multiwords import Words
from treewright.tokeniser.text import SENTENCE, TOKEN, Labels, Text, line_breaks

if TYPE_CHECKING:
    from treewright.tokeniser.markup import PlainText

MAX_TOKENS = 500  # of a sentence of running text, not tuned: longer ones are lists or tables, not sentences
_WIDE_SPACE = re.compile(rf"(?<=[^\s{INVISIBLE}])[{INVISIBLE}]*(?:[^\S ]| \s)")  # white space other than one blank
_DIVISION = re.compile(r"[^\w\s]\s*[\n\r\x85\u2028]\s*")  # a hyphen at the end of a line
ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
_UNESCAPED = {written: letter for letter, written in ESCAPES.items()}
_ESCAPE = re.compile(r"\\.")


def cut_long_sentences(text: str, labels: Labels) -> None:
    """End a sentence of more than MAX_TOKENS tokens earlier, after punctuation if there is some."""
    ends = np.flatnonzero(labels)
    closing = np.flatnonzero(labels[ends] == SENTENCE)
    begins = np.concatenate([[0], closing[:-1] + 1]) if len(closing) else closing
    for begin, last in zip(begins.tolist(), closing.tolist(), strict=True):
        if last - begin >= MAX_TOKENS:
            limits = [ends[begin - 1] if begin else -1, *ends[begin : last + 1]]
            forms = [text[before + 1 : end + 1].strip() for before, end in pairwise(limits)]
            inner = [place - 1 for place in cuts(forms, MAX_TOKENS)][1:-1]
            labels[ends[begin : last + 1][inner]] = SENTENCE


def cut_at_wide_spaces(text: Text, labels: Labels) -> None:
    """End a token before white space inside it that is more than one blank, which no form can have.

    Not where a word is divided at the end of a line.

    >>> labels = np.array([0, 0, 0, 0, 0, 1], dtype=np.int32)
    >>> cut_at_wide_spaces(Text.of("a b  c"), labels)
    >>> labels.tolist()
    [0, 0, 1, 0, 0, 1]
    """
    places = np.array([match.start() for match in _WIDE_SPACE.finditer(text.written)], dtype=np.int64)
    seen = np.searchsorted(text.ends, places, side="right").tolist()  # the canonical character there
    last = places[[text.canonical[number].isspace() for number in seen]] - 1
    labels[last] = np.maximum(labels[last], TOKEN)


def join_sentences(text: Text, labels: Labels) -> None:
    """Make each part of the written text one sentence."""
    closing = np.flatnonzero(labels == SENTENCE)
    part = np.searchsorted(text.part_ends, closing)
    labels[closing[:-1][part[:-1] == part[1:]]] = TOKEN


def sentences_of(
    text: Text,
    labels: Labels,
    split_tokens: Callable[[Iterable[str]], dict[str, Words]],
    begins: Sequence[int] | None,
    number: int,
    whole: bool,
    source: PlainText | None,
) -> list[list[Sentence]]:
    """Make the sentences of each part of a text from the labels of its written characters.

    split_tokens: returns the words of each token. begins: where each part begins, for parts of one text, whose
    sentences are numbered on from part to part. The first sentence of a text has the comments `# newdoc` and
    `# newpar`, that of a paragraph `# newpar`; whole: parts are sentences, not paragraphs. source: the document that
    the parts are the text of; TokenRange then refers to it.
    """
    written = text.written
    ends = np.flatnonzero(labels) + 1
    starts = text.token_begins(ends)
    part_of = np.searchsorted(text.part_ends, starts, side="right")
    part_ends = text.part_ends[part_of]
    following = np.minimum(np.append(starts[1:], len(written))[: len(ends)], part_ends)
    shifts = ((np.array(begins) if begins is not None else 0) - text.part_begins)[part_of]
    begin_at, end_at = starts.tolist(), ends.tolist()
    forms = [written[begin:end] for begin, end in zip(begin_at, end_at, strict=True)]
    places = starts + shifts, ends + shifts
    if source is not None:
        places = source.begins[places[0]], source.ends[places[1] - 1]
    misc = [f"TokenRange={begin}:{end}" for begin, end in zip(*(place.tolist() for place in places), strict=True)]
    is_last, is_joined = following == part_ends, following == ends
    is_plain = ~is_last & (following == ends + 1) & (np.append(codes_of(written), 0)[ends] == ord(" "))
    spaces = [" " if plain else "" for plain in is_plain.tolist()]  # after each token
    for token in np.flatnonzero(~is_plain).tolist():
        after = written[end_at[token] : following[token]]
        spaces[token], misc[token] = describe_space(after, bool(is_last[token]), misc[token])
    for token, form in enumerate(forms) if text.has_divisions else ():
        forms[token] = undivided(form)
        if forms[token] != form:
            misc[token] = f"SpacesInToken={escaped(form)}|{misc[token]}"
    words_of = split_tokens(set(forms))
    split = {form for form, words in words_of.items() if words != (form,)}
    changes = np.append(0, np.cumsum(~(is_plain | is_joined))).tolist()  # white space that is not shown as it is
    sentences: list[list[Sentence]] = [[] for _ in text.part_ends]
    no_tokens: list[Token] = []
    closing = [0, *(np.flatnonzero(labels[ends - 1] == SENTENCE) + 1).tolist()]
    for count, (first, last) in enumerate(pairwise(closing)):
        part = int(part_of[first])
        if not sentences[part] and starts[first] > text.part_begins[part]:
            before = written[text.part_begins[part] : starts[first]]
            misc[first] = f"SpacesBefore={escaped(before)}|{misc[first]}"
        index = len(sentences[part]) if begins is None else count
        comments = []
        if not sentences[part]:
            is_start = begins is None or begins[part] == 0
            comments = ["# newdoc", "# newpar"] if is_start else ["# newpar"] * (not whole)
        elif line_breaks(written[end_at[first - 1] : begin_at[first]]) > 1:
            comments = ["# newpar"]
        if changes[first] == changes[last - 1] and not text.has_divisions:
            shown = written[begin_at[first] : end_at[last - 1]]
        else:
            shown = "".join(map(str.__add__, forms[first:last], spaces[first:last])).rstrip()
        comments += [f"# sent_id = {number + index}", f"# text = {shown}"]
        words, cells, tokens = forms[first:last], misc[first:last], no_tokens
        if not split.isdisjoint(words):
            words, cells, tokens = split_words(words, cells, words_of)
        sentences[part].append(sentence_of_cells({"FORM": words, "MISC": cells}, tokens, comments))
    return sentences


def describe_space(after: str, is_last: bool, misc: str) -> tuple[str, str]:
    """Describe what follows a token up to the next one: the blank after it, if any, and its cell of MISC.

    is_last: of its text. misc: its place.
    """
    is_spaced = after == " " or (after != "" and any(map(str.isspace, after)))
    if after != (" " if is_spaced and not is_last else ""):
        misc = f"SpacesAfter={escaped(after)}|{misc}"
    if not is_spaced and not is_last:
        misc = f"SpaceAfter=No|{misc}"
    return " " * is_spaced, misc


def undivided(form: str) -> str:
    """Leave out the hyphen and the line break of a word that is divided at the end of a line.

    >>> undivided("develop-\\nment")
    'development'
    """
    return _DIVISION.sub("", form)


def split_words(
    forms: Sequence[str], cells: Sequence[str], words_of: Mapping[str, Words]
) -> tuple[list[str], list[str], list[Token]]:
    """Split the tokens of a sentence with their cells of MISC into words; return both columns, and multiword tokens."""
    words: list[str] = []
    misc: list[str] = []
    tokens: list[Token] = []
    for form, cell in zip(forms, cells, strict=True):
        parts = words_of[form]
        if len(parts) == 1:
            misc.append(cell)
        else:
            tokens.append(Token(len(words) + 1, len(words) + len(parts), form, cell))
            misc += ["_"] * len(parts)
        words += parts
    return words, misc, tokens


def escaped(spaces: str) -> str:
    """Write white space as MISC can hold it."""
    return "".join(ESCAPES.get(letter, letter) for letter in spaces)


def unescaped(cell: str) -> str:
    """Read white space from MISC."""
    return _ESCAPE.sub(lambda match: _UNESCAPED.get(match[0], match[0]), cell)


def rebuild_text(sentences: Iterable[Sentence]) -> str:
    """Rebuild the text that a tokeniser made these sentences from.

    >>> text = "  One.\\n\\nTwo  three "
    >>> from treewright.tokeniser import Tokeniser
    >>> rebuild_text(Tokeniser()(text)) == text
    True
    """
    pieces: list[str] = []
    has_implicit_space = False
    for sentence in sentences:
        for token in surface_tokens(sentence):
            cells = dict(cell.partition("=")[::2] for cell in token.misc.split("|"))
            has_implicit_space = "SpacesAfter" not in cells and cells.get("SpaceAfter") != "No"
            after = " " if has_implicit_space else unescaped(cells.get("SpacesAfter", ""))
            form = unescaped(cells["SpacesInToken"]) if "SpacesInToken" in cells else token.form
            pieces += [unescaped(cells.get("SpacesBefore", "")), form, after]
    if has_implicit_space:
        pieces.pop()  # MISC says nothing about the end of a text without white space there
    return "".join(pieces)

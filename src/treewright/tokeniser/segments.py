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
from treewright.corpus.typography import INVISIBLE
from treewright.tokeniser.cutting import cuts
from treewright.tokeniser.multiwords import Words
from treewright.tokeniser.text import SENTENCE, TOKEN, Labels, Text, line_breaks

if TYPE_CHECKING:
    from treewright.tokeniser.markup import PlainText

MAX_TOKENS = 500  # of a sentence of running text, not tuned: longer ones are lists or tables, not sentences
WrittenToken = tuple[str, bool, str]  # its form, whether white space follows, its cell of MISC
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
    shifts = (np.array(begins) if begins is not None else 0) - text.part_begins
    columns = starts, ends, following, following == part_ends, shifts[part_of]
    rows = [written_token(written, source, *row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    if text.has_divisions:
        rows = [undivided(row) for row in rows]
    words_of = split_tokens({form for form, _, _ in rows})
    sentences: list[list[Sentence]] = [[] for _ in text.part_ends]
    closing = [0, *(np.flatnonzero(labels[ends - 1] == SENTENCE) + 1).tolist()]
    for count, (first, last) in enumerate(pairwise(closing)):
        part = int(part_of[first])
        if not sentences[part] and starts[first] > text.part_begins[part]:
            before = written[text.part_begins[part] : starts[first]]
            form, is_spaced, misc = rows[first]
            rows[first] = form, is_spaced, f"SpacesBefore={escaped(before)}|{misc}"
        index = len(sentences[part]) if begins is None else count
        comments = []
        if not sentences[part]:
            is_start = begins is None or begins[part] == 0
            comments = ["# newdoc", "# newpar"] if is_start else ["# newpar"] * (not whole)
        elif line_breaks(written[ends[first - 1] : starts[first]]) > 1:
            comments = ["# newpar"]
        sentences[part].append(sentence_of(rows[first:last], words_of, number + index, comments))
    return sentences


def written_token(
    text: str, source: PlainText | None, begin: int, end: int, following: int, is_last: bool, shift: int
) -> WrittenToken:
    """Describe a token of a text and what follows up to the next one; is_last: of its text; shift: of its place."""
    after = text[end:following]
    if after == " " and source is None and not is_last:  # most tokens
        return text[begin:end], True, f"TokenRange={shift + begin}:{shift + end}"
    is_spaced = after == " " or (after != "" and any(map(str.isspace, after)))
    place = shift + begin, shift + end
    if source is not None:
        place = int(source.begins[place[0]]), int(source.ends[place[1] - 1])
    misc = f"TokenRange={place[0]}:{place[1]}"
    if after != (" " if is_spaced and not is_last else ""):
        misc = f"SpacesAfter={escaped(after)}|{misc}"
    if not is_spaced and not is_last:
        misc = f"SpaceAfter=No|{misc}"
    return text[begin:end], is_spaced, misc


def undivided(token: WrittenToken) -> WrittenToken:
    """Leave out the hyphen and the line break of a word that is divided at the end of a line.

    >>> undivided(("develop-\\nment", True, "TokenRange=0:12"))
    ('development', True, 'SpacesInToken=develop-\\\\nment|TokenRange=0:12')
    """
    form, is_spaced, misc = token
    whole = _DIVISION.sub("", form)
    return token if whole == form else (whole, is_spaced, f"SpacesInToken={escaped(form)}|{misc}")


def sentence_of(
    rows: Sequence[WrittenToken], words_of: Mapping[str, Words], number: int, comments: Sequence[str]
) -> Sentence:
    """Make a sentence of some tokens."""
    forms: list[str] = []
    misc: list[str] = []
    tokens: list[Token] = []
    for form, _, cell in rows:
        words = words_of[form]
        if len(words) == 1:
            misc.append(cell)
        else:
            tokens.append(Token(len(forms) + 1, len(forms) + len(words), form, cell))
            misc += ["_"] * len(words)
        forms += words
    shown = "".join([f"{form} " if is_spaced else form for form, is_spaced, _ in rows]).rstrip()
    lines = [*comments, f"# sent_id = {number}", f"# text = {shown}"]
    return Sentence.from_words(forms, misc=misc, tokens=tokens, comments=lines, source="<text>")


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

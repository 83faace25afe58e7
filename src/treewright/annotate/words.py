"""Operations on the words of a sentence: split and join words, multiword tokens, insert and delete.

Laws: the characters of the text stay (inserting and deleting a word apart), the lines are valid CoNLL-U, and decisions
about words that are still there hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from treewright.annotate.answers import ProjectError
from treewright.annotate.draft import OPEN, Draft
from treewright.annotate.rows import (
    Rows,
    Word,
    change_words,
    empty_word,
    move_decisions,
    range_entry,
    spacing_of,
    with_misc,
)
from treewright.corpus import Token
from treewright.corpus.confidence import drop_misc
from treewright.corpus.offsets import has_space_after, token_range

PLACES = ("SpaceAfter", "SpacesAfter", "TokenRange")  # entries of MISC that belong to a token of the text


def split_word(draft: Draft, word: int, at: Sequence[int], forms: Sequence[str] = (), as_token: bool = False) -> Draft:
    """Split a word before the characters `at`, counted from 0; the first part keeps head, relation and decisions.

    as_token: the parts are the words of a multiword token that is written as the word was, and may have other `forms`.
    The other parts have the tags of the word, and no head.
    """
    rows = Rows.of(draft.text)
    old = rows.words[word - 1]
    form, token = old["FORM"], rows.token_at(word)
    if forms:
        if not as_token and token is None and "".join(forms) != form:
            raise ProjectError(f"the forms {' '.join(forms)} do not spell {form}; make them a multiword token")
    else:
        if not at or sorted(set(at)) != list(at) or not 0 < at[0] <= at[-1] < len(form):
            raise ProjectError(f"{form} cannot be split at {list(at)}; expected places from 1 to {len(form) - 1}")
        forms = [form[begin:end] for begin, end in pairwise([0, *at, len(form)])]
    if len(forms) < 2 or not all(forms) or any(part != part.strip() for part in forms):
        raise ProjectError(f"{form} cannot be split into {list(forms)}; expected two parts or more, without spaces")
    copied = {name: old[name] for name in ("LEMMA", "UPOS", "XPOS", "FEATS")}
    parts: list[Word] = [old | {"FORM": forms[0]}, *(empty_word(part) | copied for part in forms[1:])]
    extra = len(forms) - 1
    numbers = {number: number + (extra if number > word else 0) for number in range(1, len(rows.words) + 1)}
    if token is not None:
        pass  # the token is written as it was
    elif as_token:
        kept = drop_misc(old["MISC"], *PLACES)
        parts[0] = parts[0] | {"MISC": kept}
    else:
        parts = place_parts(parts, old["MISC"])
    changed = change_words(rows, word, word, parts, numbers)
    if token is not None:
        grown = [
            other._replace(last=other.last + (extra if other.last == word else 0))
            if other.first <= word <= other.last
            else other
            for other in changed.tokens
        ]
        changed = replace(changed, tokens=grown)
    elif as_token:
        placed = [entry for entry in old["MISC"].split("|") if entry.partition("=")[0] in PLACES]
        new = Token(word, word + extra, form, with_misc(OPEN, *placed))
        changed = replace(changed, tokens=sorted([*changed.tokens, new]))
    return move_decisions(without_form(draft, word), changed.text(), numbers)


def place_parts(parts: list[Word], misc: str) -> list[Word]:
    """Set SpaceAfter and TokenRange of the parts of a word that had this MISC."""
    written, following = token_range(misc), spacing_of(misc)
    begin = written[0] if written else 0
    placed = []
    for number, part in enumerate(parts):
        end = begin + len(part["FORM"])
        is_last = number == len(parts) - 1
        if is_last and written:
            end = written[1]
        kept = drop_misc(misc, *PLACES) if number == 0 else OPEN
        entries = [*(following if is_last else ["SpaceAfter=No"]), *([range_entry(begin, end)] if written else [])]
        placed.append(part | {"MISC": with_misc(kept, *entries)})
        begin = end
    return placed


def join_words(draft: Draft, word: int, last: int) -> Draft:
    """Join the words from `word` to `last` into one; the one that the others hang from keeps its decisions.

    Dependents of all of them hang from the new word.
    """
    rows = Rows.of(draft.text)
    size = len(rows.words)
    if not 1 <= word < last <= size:
        raise ProjectError(f"words {word} to {last} cannot be joined; expected two words or more of 1 to {size}")
    span = range(word, last + 1)
    inside = {token for number in span if (token := rows.token_at(number)) is not None}
    whole = [token for token in inside if token.first >= word and token.last <= last]
    around = [token for token in inside if token not in whole]
    if any(not (token.first <= word and token.last >= last) for token in around):
        raise ProjectError(f"words {word} to {last} are partly in a multiword token; dissolve it first")
    heads = draft.annotation().sentence.heads.tolist()
    top = next((number for number in span if heads[number - 1] not in span), word)
    form, misc = surface_of(rows, word, last)
    kept = drop_misc(rows.words[top - 1]["MISC"], *PLACES)
    numbers = {
        number: number if number < word else word if number <= last else number - (last - word)
        for number in range(1, size + 1)
    }
    if around:  # inside a larger multiword token nothing is written but the forms
        form, placed = "".join(rows.words[number - 1]["FORM"] for number in span), []
    else:
        placed = misc
    joined = rows.words[top - 1] | {"FORM": form, "MISC": with_misc(kept, *placed)}
    for number in set(span) - {top}:
        draft = draft.without_cells("decided", number).without_cells("accepted", number)
    others = [token for token in rows.tokens if token not in whole]
    changed = change_words(replace(rows, tokens=others), word, last, [joined], numbers)
    return move_decisions(without_form(draft, top), changed.text(), numbers)


def surface_of(rows: Rows, first: int, last: int) -> tuple[str, list[str]]:
    """Return how words are written in the text, and the entries of MISC for that place."""
    pieces: list[str] = []
    tokens: list[Token] = []
    number = first
    while number <= last:
        token = rows.token_at(number) or Token(
            number, number, *(rows.words[number - 1][name] for name in ("FORM", "MISC"))
        )
        tokens.append(token)
        pieces += [token.form, " " if has_space_after(token) else ""]
        number = token.last + 1
    ranges = [token_range(token.misc) for token in tokens]
    entries = spacing_of(tokens[-1].misc)
    if ranges[0] and ranges[-1]:
        entries.append(range_entry(ranges[0][0], ranges[-1][1]))
    return "".join(pieces[:-1]), entries


def make_token(draft: Draft, word: int, last: int) -> Draft:
    """Make a multiword token of the words from `word` to `last`, which are written without spaces."""
    rows = Rows.of(draft.text)
    if not 1 <= word < last <= len(rows.words):
        raise ProjectError(f"words {word} to {last} are no multiword token; expected two words or more")
    if any(rows.token_at(number) for number in range(word, last + 1)):
        raise ProjectError(f"words {word} to {last} are in a multiword token already; dissolve it first")
    form, entries = surface_of(rows, word, last)
    if " " in form:
        raise ProjectError(f"there is a space in {form}; a multiword token is written without one")
    words = [
        cells | {"MISC": drop_misc(cells["MISC"], *PLACES)} if word <= number <= last else cells
        for number, cells in enumerate(rows.words, 1)
    ]
    tokens = sorted([*rows.tokens, Token(word, last, form, with_misc(OPEN, *entries))])
    return replace(draft, text=replace(rows, words=words, tokens=tokens).text())


def dissolve_token(draft: Draft, word: int) -> Draft:
    """Write the words of the multiword token that a word belongs to as tokens of their own."""
    rows = Rows.of(draft.text)
    token = rows.token_at(word)
    if token is None:
        raise ProjectError(f"word {word} is in no multiword token")
    parts = rows.words[token.first - 1 : token.last]
    spelled = "".join(part["FORM"] for part in parts)
    if spelled != token.form:
        forms = " ".join(part["FORM"] for part in parts)
        raise ProjectError(f"the words {forms} do not spell {token.form}; join them in place of dissolving the token")
    words = list(rows.words)
    misc_cells = [part["MISC"] for part in parts]
    placed = place_parts(parts, token.misc)
    for number, (part, misc) in enumerate(zip(placed, misc_cells, strict=True), token.first - 1):
        entries = [entry for entry in part["MISC"].split("|") if entry != OPEN]
        words[number] = part | {"MISC": with_misc(drop_misc(misc, *PLACES), *entries)}
    tokens = [other for other in rows.tokens if other != token]
    return replace(draft, text=replace(rows, words=words, tokens=tokens).text())


def insert_word(draft: Draft, word: int, form: str) -> Draft:
    """Insert a word after `word` (0: before the first); the comment "# text" gets it, too."""
    rows = Rows.of(draft.text)
    size = len(rows.words)
    if not 0 <= word <= size or not form or form != form.strip() or any(sign in form for sign in "\t\n\r"):
        raise ProjectError(
            f"{form!r} cannot be inserted after word {word}; expected a form, and a place from 0 to {size}"
        )
    token = rows.token_at(word) if word else None
    if token is not None and token.last > word:
        raise ProjectError(f"after word {word} is the inside of a multiword token; dissolve it first")
    numbers = {number: number + (number > word) for number in range(1, size + 1)}
    rows, following = take_spacing(without_ranges(rows), word)
    inserted = empty_word(form) | {"MISC": with_misc(OPEN, *following)}
    changed = change_words(rows, word + 1, word, [inserted], numbers)
    return move_decisions(draft, changed.with_text().text(), numbers)


def delete_word(draft: Draft, word: int) -> Draft:
    """Delete a word; its dependents hang from its head, and the comment "# text" loses it."""
    rows = without_ranges(Rows.of(draft.text))
    size = len(rows.words)
    if size == 1:
        raise ProjectError("a sentence has at least one word")
    if rows.token_at(word):
        raise ProjectError(f"word {word} is in a multiword token; dissolve it first")
    if has_space_after(Token(word, word, "", rows.words[word - 1]["MISC"])):
        rows, _ = take_spacing(rows, word - 1)
    head = rows.words[word - 1]["HEAD"]
    words = [cells | {"HEAD": head} if cells["HEAD"] == str(word) else cells for cells in rows.words]
    numbers = {number: None if number == word else number - (number > word) for number in range(1, size + 1)}
    changed = change_words(replace(rows, words=words), word, word, [], numbers)
    return move_decisions(draft, changed.with_text().text(), numbers)


def take_spacing(rows: Rows, word: int) -> tuple[Rows, list[str]]:
    """Let a space follow a word (0: none) in the text; return the entries of MISC that said what followed it."""
    if not word:
        return rows, []
    token = rows.token_at(word)
    misc = rows.words[word - 1]["MISC"] if token is None else token.misc
    spaced = drop_misc(misc, "SpaceAfter", "SpacesAfter")
    if token is not None:
        tokens = [other._replace(misc=spaced) if other == token else other for other in rows.tokens]
        return replace(rows, tokens=tokens), spacing_of(misc)
    words = [cells | {"MISC": spaced} if number == word else cells for number, cells in enumerate(rows.words, 1)]
    return replace(rows, words=words), spacing_of(misc)


def without_ranges(rows: Rows) -> Rows:
    """Return a copy without TokenRange, which refers to a text that has other characters."""
    words = [cells | {"MISC": drop_misc(cells["MISC"], "TokenRange")} for cells in rows.words]
    tokens = [token._replace(misc=drop_misc(token.misc, "TokenRange")) for token in rows.tokens]
    return replace(rows, words=words, tokens=tokens)


def without_form(draft: Draft, word: int) -> Draft:
    """Forget a decided MISC of a word whose place in the text changes."""
    return draft.without_cells("decided", word, "FORM", "MISC").without_cells("accepted", word, "FORM", "MISC")

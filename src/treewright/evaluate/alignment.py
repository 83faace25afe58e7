"""Which words of two files are the same words (Zeman et al. 2018, section 6).

Both files hold the same characters, white space apart; a token is a range of them. Words that are tokens are the
same when their ranges are. Where either side has a multiword token, the smallest stretch that no multiword
token sticks out of is aligned as a whole, by the longest common subsequence of its words' forms in lower case.

Most tokens are the same on both sides and need no such search. Call a token safe when both files have it, with
the same words in it, and, if it is a multiword token, the token before it is safe too. The step-by-step alignment
is at the same place in both files at every safe token, so it has to run between them only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from treewright.caching import cached_property
from treewright.errors import InputError
from treewright.evaluate.columns import Columns, Flags, Indices, spread

CONTEXT = 10  # tokens shown on each side of a difference; not tuned


@dataclass(frozen=True)
class Alignment:
    """The words that both files have: gold_words[i] is the word system_words[i]; both increase."""

    gold: Columns
    system: Columns
    gold_words: Indices
    system_words: Indices

    @cached_property
    def gold_of(self) -> Indices:
        """The gold word of each system word; -2 where there is none. The last entry is for the root: -1."""
        gold_of = np.full(len(self.system) + 1, -2)
        gold_of[self.system_words] = self.gold_words
        gold_of[-1] = -1
        return gold_of

    @cached_property
    def parallel(self) -> Flags:
        """For each pair of words: do their two sentences have the same words throughout?"""
        in_gold = self.gold.sentence_of[self.gold_words]
        in_system = self.system.sentence_of[self.system_words]
        changes = (np.diff(in_gold, prepend=-1) != 0) | (np.diff(in_system, prepend=-1) != 0)
        run = np.cumsum(changes) - 1  # pairs of the same two sentences are adjacent
        together = np.bincount(run)[run] if len(run) else run
        return np.asarray((together == self.gold.lengths[in_gold]) & (together == self.system.lengths[in_system]))


def align(gold: Columns, system: Columns) -> Alignment:
    if gold.text != system.text:
        raise InputError(difference(gold, system))
    safe_gold, safe_system = safe_tokens(gold, system)
    gold_words = np.flatnonzero(safe_gold[gold.token_of])
    system_words = np.flatnonzero(safe_system[system.token_of])
    if len(gold_words) < len(gold) and len(system_words) < len(system):
        pairs = np.array(between_safe_tokens(gold, system, safe_gold, safe_system), np.int64).reshape(-1, 2)
        gold_words = np.sort(np.concatenate([gold_words, pairs[:, 0]]))
        system_words = np.sort(np.concatenate([system_words, pairs[:, 1]]))
    return Alignment(gold, system, gold_words, system_words)


def common_spans(gold_ends: Indices, system_ends: Indices) -> tuple[Indices, Indices]:
    """Return the positions of the spans that both have, where spans are adjacent and given by their ends."""
    if np.array_equal(gold_ends, system_ends):
        return np.arange(len(gold_ends)), np.arange(len(gold_ends))
    _, in_gold, in_system = np.intersect1d(gold_ends, system_ends, assume_unique=True, return_indices=True)
    gold_begins = np.concatenate([[0], gold_ends])[in_gold]
    system_begins = np.concatenate([[0], system_ends])[in_system]
    same = gold_begins == system_begins
    return in_gold[same], in_system[same]


def safe_tokens(gold: Columns, system: Columns) -> tuple[Flags, Flags]:
    in_gold, in_system = common_spans(gold.token_ends, system.token_ends)
    gold_many, system_many = gold.is_multiword_token[in_gold], system.is_multiword_token[in_system]
    single = ~gold_many & ~system_many
    many = gold_many & system_many
    many[many] = have_same_words(gold, system, in_gold[many], in_system[many])

    other, alone, multiword = 0, 1, 2
    kind = np.full(len(gold.token_ends), other)
    kind[in_gold[single]] = alone
    kind[in_gold[many]] = multiword
    # A multiword token is safe when the run of multiword tokens around it follows a safe token or begins the file.
    before = np.maximum.accumulate(np.where(kind == multiword, -1, np.arange(len(kind))))
    safe_gold = (kind == alone) | ((kind == multiword) & ((before < 0) | (kind[before] == alone)))
    safe_system = np.zeros(len(system.token_ends), bool)
    safe_system[in_system[safe_gold[in_gold]]] = True
    return safe_gold, safe_system


def have_same_words(gold: Columns, system: Columns, in_gold: Indices, in_system: Indices) -> Flags:
    """Return, for each pair of multiword tokens, whether their words have the same forms, but for case."""
    sizes = np.diff(gold.first_word)[in_gold]
    same: Flags = np.asarray(sizes == np.diff(system.first_word)[in_system])
    gold_words = spread(gold.first_word[in_gold[same]], sizes[same])
    system_words = spread(system.first_word[in_system[same]], sizes[same])
    different = gold.cells["FORM"][gold_words] != system.cells["FORM"][system_words]
    token = np.repeat(np.flatnonzero(same), sizes[same])
    for i in set(token[different].tolist()):
        same[i] = gold.forms_of_token(in_gold[i]) == system.forms_of_token(in_system[i])
    return same


def between_safe_tokens(gold: Columns, system: Columns, safe_gold: Flags, safe_system: Flags) -> list[tuple[int, int]]:
    """Return pairs of words in the stretches between safe tokens; a stretch is known by the safe tokens before it."""
    gold_left = np.flatnonzero(~safe_gold[gold.token_of])
    system_left = np.flatnonzero(~safe_system[system.token_of])
    gold_stretch = np.cumsum(safe_gold)[gold.token_of[gold_left]]
    system_stretch = np.cumsum(safe_system)[system.token_of[system_left]]
    both = np.intersect1d(gold_stretch, system_stretch)
    gold_begins, system_begins = np.searchsorted(gold_stretch, both), np.searchsorted(system_stretch, both)
    gold_ends = np.searchsorted(gold_stretch, both, "right")
    system_ends = np.searchsorted(system_stretch, both, "right")
    gold_words, system_words = Stretch.of(gold, gold_left), Stretch.of(system, system_left)
    pairs: list[tuple[int, int]] = []
    bounds = np.column_stack([gold_begins, gold_ends, system_begins, system_ends]).tolist()
    for g_begin, g_end, s_begin, s_end in bounds:
        stretch = align_stretch(gold_words.part(g_begin, g_end), system_words.part(s_begin, s_end))
        pairs.extend((gold_left[g_begin + g], system_left[s_begin + s]) for g, s in stretch)
    return pairs


@dataclass(frozen=True)
class Stretch:
    """Some words as plain lists; a word in a multiword token has the token's range."""

    begin: list[int]
    end: list[int]
    many: list[bool]
    forms: list[str]

    @staticmethod
    def of(columns: Columns, words: Indices) -> Stretch:
        tokens = columns.token_of[words]
        ends = columns.token_ends
        begins = np.where(tokens > 0, ends[tokens - 1], 0)
        forms = [columns.form(word) for word in words]
        return Stretch(begins.tolist(), ends[tokens].tolist(), columns.is_multiword_token[tokens].tolist(), forms)

    def part(self, begin: int, end: int) -> Stretch:
        """Return the words from begin to end - 1."""
        here = slice(begin, end)
        return Stretch(self.begin[here], self.end[here], self.many[here], self.forms[here])

    def __len__(self) -> int:
        return len(self.forms)

    def is_within(self, i: int, end: int) -> bool:
        """Whether word i belongs to a multiword stretch that ends there."""
        return i < len(self) and (self.begin[i] < end if self.many[i] else self.end[i] <= end)


def align_stretch(gold: Stretch, system: Stretch) -> list[tuple[int, int]]:
    pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold.many[g] or system.many[s]:
            g_begin, s_begin, g, s = multiword_stretch(gold, system, g, s)
            pairs.extend(longest_common(gold.forms, system.forms, range(g_begin, g), range(s_begin, s)))
        elif (gold.begin[g], gold.end[g]) == (system.begin[s], system.end[s]):
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.begin[g] <= system.begin[s]:
            g += 1
        else:
            s += 1
    return pairs


def multiword_stretch(gold: Stretch, system: Stretch, g: int, s: int) -> tuple[int, int, int, int]:
    """Return where the smallest stretch with the multiword token at g or s begins and ends on both sides.

    When the other side is behind, one word of it is left out, as the official script does; more than one can be behind
    only where tokens differ just before.
    """
    if gold.many[g]:
        end = gold.end[g]
        if not system.many[s] and system.begin[s] < gold.begin[g]:
            s += 1
    else:
        end = system.end[s]
        if gold.begin[g] < system.begin[s]:
            g += 1
    g_begin, s_begin = g, s
    while gold.is_within(g, end) or system.is_within(s, end):
        if g < len(gold) and (s >= len(system) or gold.begin[g] <= system.begin[s]):
            if gold.many[g]:
                end = max(end, gold.end[g])
            g += 1
        else:
            if system.many[s]:
                end = max(end, system.end[s])
            s += 1
    return g_begin, s_begin, g, s


def longest_common(a: list[str], b: list[str], in_a: range, in_b: range) -> list[tuple[int, int]]:
    """Return the positions of a longest common subsequence of a[in_a] and b[in_b]; equal words are taken at sight."""
    length = [[0] * (len(in_b) + 1) for _ in range(len(in_a) + 1)]
    for i in reversed(range(len(in_a))):
        for j in reversed(range(len(in_b))):
            taken = length[i + 1][j + 1] + 1 if a[in_a[i]] == b[in_b[j]] else 0
            length[i][j] = max(taken, length[i + 1][j], length[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(in_a) and j < len(in_b):
        if a[in_a[i]] == b[in_b[j]]:
            pairs.append((in_a[i], in_b[j]))
            i, j = i + 1, j + 1
        elif length[i][j] == length[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def difference(gold: Columns, system: Columns) -> str:
    """Return a message on the first place at which the two texts part."""
    same = len(os.path.commonprefix([gold.text, system.text]))
    gold_place, gold_before, gold_after = surroundings(gold, same)
    system_place, _, system_after = surroundings(system, same)
    beginning = "at the beginning of these sentences" if gold.begin else "at the very beginning"
    where = f"after {gold_before!r}" if gold_before else beginning
    return (
        f"{gold_place} and {system_place}: the texts part {where}: the gold file continues with {gold_after}, "
        f"the system file with {system_after}; the forms of both files, joined without spaces, must be the same "
        "characters (tokens and sentences may differ): is the system file a parse of this very gold file?"
    )


def surroundings(columns: Columns, index: int) -> tuple[str, str, str]:
    """Return file:line of the token with that character of the text, the tokens before it, and those from it on."""
    ends = columns.token_ends
    token = int(np.searchsorted(ends, index, "right"))
    begins = np.concatenate([[0], ends])

    def tokens(first: int, last: int) -> str:
        return " ".join(columns.text[begins[t] : ends[t]] for t in range(first, last))

    before = tokens(max(0, token - CONTEXT), token)
    if token == len(ends):
        return f"{columns.name} (at its end)", before, "nothing"
    return columns.place(columns.token_lines[token]), before, repr(tokens(token, min(len(ends), token + CONTEXT)))

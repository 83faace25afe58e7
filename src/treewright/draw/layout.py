"""The positions of words, arcs and labels: the part that text and SVG share.

All lengths are integers in units of the medium: columns of a terminal, pixels of an SVG. The line runs from 0 upwards
in reading order; a medium that draws right-to-left text mirrors it.

1. Each arc leaves its words at ports. At a word, arcs to the left are left of arcs to the right, and on each
   side the longer arc is nearer the middle, so that nested arcs never touch.
2. `spread`: words are as far apart as their text, their ports and the labels of the arcs between them need.
3. `break_rows`: a line that is too long is cut into rows, preferably where few arcs are cut. An arc cut in two
   runs to the edge of both rows, where a tag names the word it goes to; it is not drawn in rows between the two.
4. `stack`: in each row an arc is one level above all that it contains, and no two that touch share a level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import accumulate, chain, pairwise
from typing import Literal

import numpy as np

from treewright.caching import cached_property
from treewright.draw.scene import Arc, Scene, Token, Word

Span = tuple[int, int]
Cut = Literal["", "left", "right"]


@dataclass(frozen=True)
class Medium:
    """The sizes that the layout needs from the medium, text or SVG."""

    gap: int  # between two words
    port_gap: int  # between two ports of a word
    shoulder: int  # from a port to the label of its arc, at least
    tag_gap: int  # between the end of an arc that is cut and its tag
    shared_ports: bool  # whether the arcs from a word to one side leave it together
    word_width: Callable[[Word], int]
    label_width: Callable[[Arc], int]
    tag_width: Callable[[Word], int]
    token_width: Callable[[Token], int]


@dataclass(frozen=True)
class Stroke:
    """An arc, or one of the two pieces of an arc that is cut, in a row. A stub has left == right."""

    arc: Arc
    left: int
    right: int
    level: int
    label: int  # where the label starts
    cut: Cut = ""  # the edge of the row at which it is cut
    other: int = 0  # the word on its other side of the cut

    @property
    def arrow(self) -> int | None:
        """The position of the arrowhead: at the modifier, if it is in this row."""
        if self.arc.is_stub:
            return self.left
        backwards = self.arc.modifier < self.arc.head
        if self.cut == ("left" if backwards else "right"):
            return None
        return self.left if backwards else self.right


@dataclass(frozen=True)
class Row:
    """Some words in a line: first..last, the middle and the ends of each, and the arcs above and below them."""

    first: int
    last: int
    middles: tuple[int, ...]
    extents: tuple[Span, ...]
    above: tuple[Stroke, ...]
    below: tuple[Stroke, ...]
    width: int

    def levels(self, side: Literal["above", "below"]) -> int:
        return max((stroke.level for stroke in getattr(self, side)), default=0)

    def extent(self, token: Token) -> Span:
        """Return where the words of a token begin and end, as far as they are in this row."""
        first, last = max(token.first, self.first), min(token.last, self.last)
        return self.extents[first - self.first][0], self.extents[last - self.first][1]


def tokens_in(scene: Scene, row: Row) -> list[Token]:
    return [token for token in scene.tokens if token.first <= row.last and row.first <= token.last]


def lay_out(scene: Scene, medium: Medium, width: int | None) -> list[Row]:
    """Return the rows of a scene, none wider than width unless a single word is."""
    line = line_of(scene, medium)
    return [row_of(line, first, last) for first, last in break_rows(line, width)]


def line_of(scene: Scene, medium: Medium) -> Line:
    """Return the scene in one line, from which the rows of any width are cut."""
    ports = find_ports(scene, medium)
    widths = [max(medium.word_width(word), width) for word, width in zip(scene.words, ports.width, strict=True)]
    required = demands(scene, medium, ports) + token_demands(scene, medium, widths)
    return Line(scene, medium, ports, widths, spread(widths, medium.gap, required))


@dataclass(frozen=True)
class Ports:
    """Where arcs meet words: an offset from the middle of the word, a rank along the whole line."""

    offset: dict[tuple[int, int], int]  # (arc, word) -> offset
    rank: dict[tuple[int, int], int]  # (arc, word) -> rank
    width: list[int]  # the width of a word that its ports and the label of a stub on it require


def find_ports(scene: Scene, medium: Medium) -> Ports:
    ports = Ports({}, {}, [0] * len(scene.words))
    for below in (False, True):
        ends: list[list[tuple[int, int]]] = [[] for _ in range(len(scene.words) + 1)]
        for i, arc in enumerate(scene.arcs):
            if arc.below == below:
                ends[arc.modifier].append((i, 0 if arc.is_stub else arc.head - arc.modifier))
                if not arc.is_stub:
                    ends[arc.head].append((i, arc.modifier - arc.head))
        for word, here in enumerate(ends):
            slots = shared_slots(scene, word, here) if medium.shared_ports else single_slots(here)
            for i, slot in slots.items():
                ports.offset[i, word] = slot * medium.port_gap // 2
                ports.rank[i, word] = word * RANKS + slot
                label = medium.label_width(scene.arcs[i]) if scene.arcs[i].is_stub else 1
                ports.width[word - 1] = max(ports.width[word - 1], abs(slot) * medium.port_gap + label)
    return ports


RANKS = 1 << 20  # from word to word; more than twice the arcs any word has


def single_slots(ends: list[tuple[int, int]]) -> dict[int, int]:
    """Return the slot of each arc at a word, in half gaps from its middle; long arcs are inside."""
    left = sorted((-to, i) for i, to in ends if to < 0)
    right = sorted((-to, -i) for i, to in ends if to > 0)
    order = [i for _, i in left] + [i for i, to in ends if to == 0] + [-i for _, i in right]
    return {i: 2 * k - (len(order) - 1) for k, i in enumerate(order)}


def shared_slots(scene: Scene, word: int, ends: list[tuple[int, int]]) -> dict[int, int]:
    """Put arcs from heads in the middle, arcs to modifiers on either side of it, those to one side together.

    An arc to a modifier beyond the head is put on the other side of the middle: the two would cross otherwise.
    """
    incoming = [to for i, to in ends if scene.arcs[i].modifier == word]
    head = incoming[0] if len(incoming) == 1 else 0
    slots = {}
    for i, to in ends:
        beyond = head * to > 0 and abs(to) > abs(head)
        if scene.arcs[i].modifier == word:
            slots[i] = 0
        elif to < 0:
            slots[i] = 2 if beyond else -2
        else:
            slots[i] = -2 if beyond else 2
    crowded = {slot for slot in (-2, 2) if len({to > 0 for i, to in ends if slots[i] == slot}) > 1}
    for i, to in ends:  # on a side that both directions share, the side's own arcs are outside
        if slots[i] in crowded and (to > 0) == (slots[i] > 0):
            slots[i] *= 2
    return slots


def demands(scene: Scene, medium: Medium, ports: Ports) -> list[tuple[int, int, int]]:
    """Return (a, b, distance): the middles of words a < b must be that far apart for the label between them to fit."""
    distances = []
    for i, arc in enumerate(scene.arcs):
        if not arc.is_stub:
            a, b = sorted((arc.head, arc.modifier))
            needed = medium.label_width(arc) + 2 * medium.shoulder + 1
            distances.append((a - 1, b - 1, needed + ports.offset[i, a] - ports.offset[i, b]))
    return distances


def token_demands(scene: Scene, medium: Medium, widths: list[int]) -> list[tuple[int, int, int]]:
    return [
        (a - 1, b - 1, medium.token_width(token) - ahead(widths[a - 1]) - behind(widths[b - 1]))
        for token in scene.tokens
        for a, b in [(token.first, token.last)]
    ]


def spread(widths: Sequence[int], gap: int, demands: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the middles of words of these widths, a gap between any two, and what is demanded between some.

    Short distances are served first, and what one lacks is shared out evenly over the gaps that it spans.

    >>> spread([3, 3, 3], 1, []), spread([3, 3, 3], 1, [(0, 2, 11)])
    ([1, 5, 9], [1, 7, 12])
    """
    if not widths:
        return []
    steps = [behind(a) + gap + ahead(b) + 1 for a, b in pairwise(widths)]
    for a, b, distance in sorted(demands, key=lambda demand: (demand[1] - demand[0], demand)):
        lack = distance - sum(steps[a:b])
        for k in range(a, b):
            if lack <= 0:
                break
            share = -(-lack // (b - k))
            steps[k] += share
            lack -= share
    return list(accumulate(steps, initial=ahead(widths[0])))


def ahead(width: int) -> int:
    """Return how far a word of this width reaches before its middle."""
    return (width - 1) // 2


def behind(width: int) -> int:
    return width - 1 - ahead(width)


@dataclass(frozen=True)
class Line:
    """The whole sentence in one line, from which rows are cut."""

    scene: Scene
    medium: Medium
    ports: Ports
    widths: list[int]
    middles: list[int]

    def port(self, i: int, word: int) -> int:
        return self.middles[word - 1] + self.ports.offset[i, word]

    def begin(self, word: int) -> int:
        return self.middles[word - 1] - ahead(self.widths[word - 1])

    def end(self, word: int) -> int:
        return self.middles[word - 1] + behind(self.widths[word - 1]) + 1

    def reach(self, i: int) -> int:
        """Return the distance from the port to the edge of the row, when the arc is cut."""
        return self.medium.label_width(self.scene.arcs[i]) + 2 * self.medium.shoulder + 1

    def tag(self, word: int) -> int:
        return self.medium.tag_gap + self.medium.tag_width(self.scene.words[word - 1])

    @cached_property
    def edges(self) -> tuple[list[int], list[int], list[int]]:
        """Where a row begins that begins before a word, where one ends that ends after it, and the arcs cut there."""
        n = len(self.widths)
        crossing = []  # for each arc: its words, where a row that cuts it ends and begins, the tags of its words
        change = [0] * (n + 2)
        for i, arc in enumerate(self.scene.arcs):
            if arc.is_stub:
                continue
            a, b = sorted((arc.head, arc.modifier))
            reach = self.reach(i)
            crossing.append((a, b, self.port(i, a) + reach + 1, reach - self.port(i, b), self.tag(a), self.tag(b)))
            change[a] += 1
            change[b] -= 1
        rightmost = largest_over(n, [(a, b, right) for a, b, right, _, _, _ in crossing])
        leftmost = largest_over(n, [(a, b, left) for a, b, _, left, _, _ in crossing])
        left_tags = largest_over(n, [(a, b, tag) for a, b, _, _, tag, _ in crossing])
        right_tags = largest_over(n, [(a, b, tag) for a, b, _, _, _, tag in crossing])
        before, after = [0] * (n + 1), [0] * (n + 1)
        for word in range(1, n + 1):
            before[word], after[word] = self.begin(word), self.end(word)
            if (right := rightmost[word]) is not None:
                after[word] = max(after[word], right) + (right_tags[word] or 0)
            if (left := leftmost[word - 1]) is not None:
                before[word] = min(before[word], -left) - (left_tags[word - 1] or 0)
        return before, after, list(accumulate(change[: n + 1]))

    @cached_property
    def arcs_at(self) -> list[list[int]]:
        """The numbers of the arcs that begin or end at each word; those at the root are empty."""
        numbers: list[list[int]] = [[] for _ in range(len(self.widths) + 1)]
        for i, arc in enumerate(self.scene.arcs):
            for word in {arc.modifier} if arc.is_stub else {arc.head, arc.modifier}:
                numbers[word].append(i)
        return numbers


def largest_over(n: int, spans: Sequence[tuple[int, int, int]]) -> list[int | None]:
    """The largest value of the spans (a, b, value) with a <= place < b, for each place from 0 to n; None without one.

    >>> largest_over(4, [(1, 4, 5), (2, 3, 7)])
    [None, 5, 7, 5, None]
    """
    waiting = sorted(spans, reverse=True)
    largest: list[int | None] = []
    heap: list[tuple[int, int]] = []  # (-value, end) of the spans that have begun
    for place in range(n + 1):
        while waiting and waiting[-1][0] == place:
            _, end, value = waiting.pop()
            heappush(heap, (-value, end))
        while heap and heap[0][1] <= place:
            heappop(heap)
        largest.append(-heap[0][0] if heap else None)
    return largest


CUT_COST = 0.08  # of an arc that is cut, in rows; not tuned
LONE_COST = 0.5  # of a last row of one word, nearly always a mark, in rows; not tuned


def break_rows(line: Line, width: int | None) -> list[Span]:
    """Return first and last word of each row: few rows, evenly filled, few arcs cut. O(words times words in a row)."""
    n = len(line.widths)
    if n == 0:
        return []
    if width is None or line.end(n) <= width:
        return [(1, n)]
    before, after, cut = line.edges
    best: list[tuple[float, int]] = [(0.0, 0)] + [(float("inf"), 0)] * n  # best[j]: rows that end with word j
    for first in range(1, n + 1):
        for last in range(first, n + 1):
            if last > first and line.end(last) - line.begin(first) > width:
                break
            extent = after[last] - before[first]
            if extent > width and last > first:
                continue
            slack = max(0.0, 1 - extent / width) * (0.5 if last == n else 1)
            cost = best[first - 1][0] + 1 + slack**2 + CUT_COST * cut[last]
            cost += LONE_COST if first == last == n else 0
            best[last] = min(best[last], (cost, first))
    rows = []
    last = n
    while last:
        first = best[last][1]
        rows.append((first, last))
        last = first - 1
    return rows[::-1]


@dataclass(frozen=True)
class Piece:
    """What of an arc lies in a row, before it has a level: ends along the line and as ranks."""

    i: int
    ends: Span
    ranks: Span
    cut: Cut = ""
    other: int = 0


def row_of(line: Line, first: int, last: int) -> Row:
    pieces = pieces_of(line, first, last)
    begin = min([line.begin(first), *(piece.ends[0] for piece in pieces)])
    end = max([line.end(last), *(piece.ends[1] + 1 for piece in pieces)])
    tags = {side: max((line.tag(p.other) for p in pieces if p.cut == side), default=0) for side in ("left", "right")}
    shift = tags["left"] - begin
    moved = [to_edge(piece, begin, end - 1, shift) for piece in pieces]
    above = [piece for piece in moved if not line.scene.arcs[piece.i].below]
    below = [piece for piece in moved if line.scene.arcs[piece.i].below]
    return Row(
        first,
        last,
        tuple(middle + shift for middle in line.middles[first - 1 : last]),
        tuple((line.begin(word) + shift, line.end(word) + shift) for word in range(first, last + 1)),
        strokes_of(line, above),
        strokes_of(line, below),
        end - begin + tags["left"] + tags["right"],
    )


def pieces_of(line: Line, first: int, last: int) -> list[Piece]:
    pieces = []
    for i in sorted(set(chain.from_iterable(line.arcs_at[first : last + 1]))):
        arc = line.scene.arcs[i]
        a, b = sorted((arc.modifier if arc.is_stub else arc.head, arc.modifier))
        if arc.is_stub or (first <= a and b <= last):
            ends, ranks = (line.port(i, a), line.port(i, b)), (line.ports.rank[i, a], line.ports.rank[i, b])
            pieces.append(Piece(i, ends, ranks))
        elif first <= a:
            port = line.port(i, a)
            pieces.append(Piece(i, (port, port + line.reach(i)), (line.ports.rank[i, a], FAR), "right", b))
        else:
            port = line.port(i, b)
            pieces.append(Piece(i, (port - line.reach(i), port), (-FAR, line.ports.rank[i, b]), "left", a))
    return pieces


FAR = 1 << 60


def to_edge(piece: Piece, begin: int, end: int, shift: int) -> Piece:
    left, right = piece.ends
    left, right = begin if piece.cut == "left" else left, end if piece.cut == "right" else right
    return replace(piece, ends=(left + shift, right + shift))


def strokes_of(line: Line, pieces: list[Piece]) -> tuple[Stroke, ...]:
    """Return the pieces on one side of the words, with levels and with labels where no other arc runs through them."""
    arcs = line.scene.arcs
    levels = stack([piece.ranks for piece in pieces if not arcs[piece.i].is_stub])
    spans = [piece for piece in pieces if not arcs[piece.i].is_stub]
    stubs = [piece for piece in pieces if arcs[piece.i].is_stub]
    for stub in stubs:
        word = arcs[stub.i].modifier
        low, high = word * RANKS - RANKS // 2, word * RANKS + RANKS // 2
        touching = [levels[k] for k, piece in enumerate(spans) if piece.ranks[0] <= high and low <= piece.ranks[1]]
        spans.append(replace(stub, ranks=(low, high)))
        levels.append(1 + max(touching, default=0))
    highest: dict[int, int] = {}  # the level of the highest leg at each place
    for piece, level in zip(spans, levels, strict=True):
        for x in legs(piece):
            highest[x] = max(highest.get(x, 0), level)
    uprights = sorted(highest.items())
    strokes = []
    for piece, level in zip(spans, levels, strict=True):
        arc = arcs[piece.i]
        width = line.medium.label_width(arc)
        in_the_way = [x for x, top in uprights if top > level and piece.ends[0] < x < piece.ends[1]]
        label = place_label(piece, width, line.medium.shoulder, in_the_way)
        strokes.append(Stroke(arc, *piece.ends, level, label, piece.cut, piece.other))
    return tuple(strokes)


def legs(piece: Piece) -> list[int]:
    return [x for x, edge in zip(piece.ends, ("left", "right"), strict=True) if piece.cut != edge]


def stack(spans: Sequence[Span]) -> list[int]:
    """Return the level of each span, from 1: the lowest above all spans in it and free of spans that touch it.

    >>> stack([(0, 1), (1, 2), (3, 4), (0, 4)])
    [1, 2, 1, 3]
    """
    lows, highs = np.array(spans, np.int64).reshape(-1, 2).T
    levels = np.zeros(len(spans), np.int64)  # 0 until a span has its level
    for i in sorted(range(len(spans)), key=lambda i: (spans[i][1] - spans[i][0], spans[i], i)):
        low, high = spans[i]
        is_taken = np.zeros(len(spans) + 2, np.bool_)
        is_taken[levels[(lows <= high) & (low <= highs)]] = True
        above = 1 + int(levels[(low <= lows) & (highs <= high)].max())
        levels[i] = above + int(is_taken[above:].argmin())
    return [int(level) for level in levels]


def place_label(piece: Piece, width: int, shoulder: int, in_the_way: Sequence[int]) -> int:
    """Return where the label starts: in the middle, or at the cut; moved aside to keep clear of other arcs."""
    left, right = piece.ends
    if left == right:
        return left - ahead(width)
    first, last = left + 1 + shoulder, right - shoulder - width
    preferred = first if piece.cut == "left" else last if piece.cut == "right" else (left + right - width + 1) // 2
    bars = [left, *sorted(in_the_way), right]
    free = [(a + 1 + shoulder, b - shoulder - width) for a, b in pairwise(bars)]
    starts = [min(max(preferred, a), b) for a, b in free if a <= b]
    return min(starts, key=lambda start: (abs(start - preferred), start), default=preferred)

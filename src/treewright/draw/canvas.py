"""A sheet of terminal cells: lines that join where they meet, text over them, optionally colour."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.draw.measure import clip, clusters, columns, columns_of_cluster, is_right_to_left

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
MIRRORED = {LEFT: RIGHT, RIGHT: LEFT}

# A character for each set of directions that lines leave a cell in.
UNICODE_LINES = dict(zip(range(1, 16), "╵╷│╴╯╮┤╶╰╭├─┴┬┼", strict=True))
ASCII_LINES = dict(zip(range(1, 16), "'.|-'.+-'.+-+++", strict=True))
UNICODE_DASHES = {LEFT | RIGHT: "╌", UP | DOWN: "╎"}
ASCII_DASHES = {LEFT | RIGHT: ".", UP | DOWN: ":"}
UNICODE_SIGNS = {"down": "▼", "up": "▲", "left": "◂", "right": "▸", "dash": "╌"}
ASCII_SIGNS = {"down": "v", "up": "^", "left": "<", "right": ">", "dash": "."}
IN_ASCII = str.maketrans({"→": "->", "×": "x", "…": "~", "·": ".", "↻": "o", "≥": ">=", "•": "*"})

DASHED = {
    "basic",
    "missed",
    "suggested",
    "changed",
    "doubtful",
    "rejected",
}  # styles whose lines are dashed, so that they can be recognised without colour

LEFT_TO_RIGHT_MARK = "\u200e"

# Select Graphic Rendition codes; the colours of the 256-colour cube are legible on light and dark ground.
ANSI = {
    "form": "1",
    "feature": "38;5;245",
    "tag": "38;5;245",
    "line": "38;5;245",
    "tree": "38;5;67",
    "given": "1",
    "extra": "38;5;133",
    "basic": "38;5;245",
    "correct": "38;5;245",
    "wrong-head": "1;38;5;166",
    "wrong-label": "1;38;5;170",
    "wrong-span": "1;38;5;166",
    "missed": "38;5;36",
    "suggested": "38;5;67",
    "decided": "1",
    "pinned": "38;5;36",
    "changed": "1;38;5;133",
    "doubtful": "38;5;172",
    "rejected": "38;5;166",
    "sure-0": "1;38;5;166",
    "sure-1": "38;5;172",
    "sure-2": "38;5;143",
    "sure-3": "38;5;74",
    "sure-4": "38;5;32",
}


@dataclass(frozen=True)
class Pen:
    """The means of drawing text: a set of characters, with or without colour."""

    ascii: bool = False
    color: bool = False

    def spell(self, text: str) -> str:
        return text.translate(IN_ASCII) if self.ascii else text

    def clip(self, text: str, limit: int) -> str:
        return clip(text, limit, ellipsis=self.spell("…"))

    def line(self, directions: int, dashed: bool) -> str:
        lines, dashes = (ASCII_LINES, ASCII_DASHES) if self.ascii else (UNICODE_LINES, UNICODE_DASHES)
        return (dashed and dashes.get(directions)) or lines.get(directions, " ")

    def sign(self, name: str) -> str:
        return (ASCII_SIGNS if self.ascii else UNICODE_SIGNS)[name]


@dataclass(frozen=True)
class Canvas:
    """Cells of a terminal. Reading order is from 0 upwards; mirrored, 0 is at the right."""

    width: int
    height: int
    mirrored: bool = False
    lines: dict[tuple[int, int], int] = field(default_factory=dict)  # (y, x) -> directions
    cells: dict[tuple[int, int], str] = field(default_factory=dict)  # (y, x) -> text; "" behind a wide character
    styles: dict[tuple[int, int], str] = field(default_factory=dict)

    def line(self, y: int, x: int, directions: int, style: str) -> None:
        if self.mirrored:
            x = self.width - 1 - x
            sideways = directions & (LEFT | RIGHT)
            directions = directions & ~(LEFT | RIGHT) | MIRRORED.get(sideways, sideways)
        self.lines[y, x] = self.lines.get((y, x), 0) | directions
        self.styles[y, x] = style

    def corner(self, y: int, x: int, directions: int, style: str) -> None:
        self.lines.pop((y, self.width - 1 - x if self.mirrored else x), None)
        self.line(y, x, directions, style)

    def write(self, y: int, x: int, text: str, style: str) -> None:
        """Write text over what is there, from x on; mirrored, so that it ends at x."""
        if self.mirrored:
            x = self.width - x - columns(text)
        start = x
        for cluster in clusters(text):
            taken = columns_of_cluster(cluster)
            if taken == 0:
                self.cells[y, start] = self.cells.get((y, start), "") + cluster
            for k in range(taken):
                self.cells[y, x + k] = "" if k else cluster
                self.styles[y, x + k] = style
            x += taken
        if x > start and is_right_to_left([text]):  # a terminal that reorders letters must not reorder words
            self.cells[y, start] = LEFT_TO_RIGHT_MARK + self.cells[y, start]
            self.cells[y, x - 1] += LEFT_TO_RIGHT_MARK

    def cell(self, y: int, x: int, pen: Pen) -> str:
        if (y, x) in self.cells:
            return self.cells[y, x]
        return pen.line(self.lines.get((y, x), 0), dashed=self.styles.get((y, x)) in DASHED)

    def render(self, pen: Pen) -> list[str]:
        drawn = []
        for y in range(self.height):
            cells = [self.cell(y, x, pen) for x in range(self.width)]
            filled = max((x + 1 for x, cell in enumerate(cells) if cell != " "), default=0)
            if pen.color:
                drawn.append(colour_cells([(cells[x], self.styles.get((y, x), "")) for x in range(filled)]))
            else:
                drawn.append("".join(cells[:filled]).rstrip())
        return drawn


def colour_cells(cells: list[tuple[str, str]]) -> str:
    """Return cells in their colours, the codes written only where the style changes."""
    text, before = "", ""
    for cell, style in cells:
        code = ANSI.get(style, "") if cell != " " else before
        if code != before:
            text += f"\x1b[0;{code}m" if code else "\x1b[0m"
            before = code
        text += cell
    return text + ("\x1b[0m" if before else "")

"""The text of one sentence in a file: what comes before it, its comments, the lines of its words, blank lines."""

from __future__ import annotations

import re

from treewright.corpus.reader import shown

BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n|[ \t\r]+\Z)+")
# What may stand before the first word: a byte order mark, blank lines, comments.
OPENING = re.compile(r"\ufeff?(?:[ \t\r]*\n|[ \t\r]+\Z|#[^\n]*(?:\n|\Z))*")


def end_of_opening(text: str, position: int = 0) -> int:
    """Where the line of the first word begins, or the end of the text."""
    match = OPENING.match(text, position)
    return match.end() if match else position


def comment_start(text: str, start: int) -> int:
    """Where the comments of a sentence begin, whose words begin at `start`; comments before a blank line are the
    file's."""
    while start > 0:
        line = text.rfind("\n", 0, start - 1) + 1
        line += text.startswith("\ufeff", line)
        if line == start or text[line] != "#":
            break
        start = line
    return start


def name_and_value(comment: str) -> tuple[str, str | None]:
    """The parts of "# name = value"; no value without an equals sign."""
    name, sign, value = comment[1:].partition("=")
    return name.strip(), value.strip() if sign else None


def set_comment(comments: list[str], name: str, value: str) -> None:
    """Put "# name = value" in the place of the comment of that name, or after the other comments."""
    line = f"# {name} = {value}"
    names = [name_and_value(comment)[0] for comment in comments]
    if name in names:
        comments[names.index(name)] = line
    else:
        comments.append(line)


def comment_block(comments: list[str], newline: str = "\n") -> str:
    """The comments as lines of a file."""
    for number, line in enumerate(comments):
        if not line.startswith("#") or "\n" in line:
            raise ValueError(f"comments[{number}] is {shown(line)}; expected one line that begins with #")
    return "".join(line + newline for line in comments)


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def edited(body: str, edits: dict[int, dict[int, str]]) -> str:
    """The lines of the words with some cells replaced: row -> column -> new cell. Comments are not rows."""
    lines = body.split("\n")
    row = 0
    for number, line in enumerate(lines):
        if line.startswith("#"):
            continue
        if row in edits:
            ending = "\r" * line.endswith("\r")
            cells = line.removesuffix("\r").split("\t")
            for column, value in edits[row].items():
                cells[column] = value
            lines[number] = "\t".join(cells) + ending
        row += 1
    return "\n".join(lines)

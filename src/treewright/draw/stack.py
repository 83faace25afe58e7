"""Several SVG drawings in one, below each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

SIZE = re.compile(r'<svg [^>]*? width="(\d+)" height="(\d+)"')
RULES = re.compile(r"<style>.*?</style>\n", re.S)
STACK = """\
<svg xmlns="http://www.w3.org/2000/svg" class="treewright" role="group" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}">
{style}<rect class="paper" width="{width}" height="{height}" rx="8"/>
{drawings}</svg>
"""


def stacked(drawings: Sequence[str]) -> str:
    """One SVG element with all drawings; a single one is returned as it is.

    The style sheet, which all have, is kept once.
    """
    if len(drawings) == 1:
        return drawings[0]
    style = RULES.search(drawings[0])
    placed: list[str] = []
    y = widest = 0
    for drawing in drawings:
        size = SIZE.match(drawing)
        if size is None:
            raise ValueError("a drawing is not an SVG element with width and height")
        width, height = int(size[1]), int(size[2])
        placed.append(RULES.sub("", drawing).replace("<svg ", f'<svg y="{y}" ', 1))
        y, widest = y + height, max(widest, width)
    return STACK.format(width=widest, height=y, style=style[0] if style else "", drawings="".join(placed))

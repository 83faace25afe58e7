"""Trees and graphs as text, SVG and HTML."""

from __future__ import annotations

from typing import Any

from treewright.draw.drawing import Drawing
from treewright.draw.scene import scene_of
from treewright.draw.terminal import Pen, dependency_text
from treewright.draw.vector import dependency_svg


def text(
    sentence: Any = None, *, width: int | None = 80, ascii: bool = False, color: bool = False, **what: Any
) -> Drawing:
    return Drawing(dependency_text(scene_of(sentence, **what), width=width, pen=Pen(ascii, color)), "text")


def svg(sentence: Any = None, *, width: int | None = 960, **what: Any) -> Drawing:
    return Drawing(dependency_svg(scene_of(sentence, **what), width=width), "svg")

"""What the drawing functions return: a string that a notebook displays."""

from __future__ import annotations

import math
import os
from html import escape
from pathlib import Path
from typing import Literal

from treewright.draw.raster import SCALE, png_of
from treewright.errors import InputError

Kind = Literal["text", "svg", "html", "latex"]


class Drawing(str):
    """A drawing: a string (`print(drawing)`, `file.write(drawing)`) that a notebook displays."""

    kind: Kind

    def __new__(cls, content: str, kind: Kind) -> Drawing:
        drawing = super().__new__(cls, content)
        drawing.kind = kind
        return drawing

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the drawing to path in UTF-8 and return the path; the file appears when it is complete.

        An SVG drawing is written as a PNG image if the path ends with .png.
        """
        path = Path(path)
        if not path.name:
            raise InputError(f"path is {str(path)!r}; expected the name of a file")
        content = self.png() if path.suffix.lower() == ".png" else self.encode()
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_bytes(content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        return path

    def png(self, scale: float = SCALE) -> bytes:
        """Return an SVG drawing as a PNG image, with `scale` pixels for each of the drawing; needs the extra png."""
        if self.kind != "svg":
            raise InputError(f"a PNG image is made of an SVG drawing (draw.svg), not of {self.kind}")
        if not 0 < scale < math.inf:
            raise InputError(f"scale is {scale}; expected a positive number")
        return png_of(self, scale)

    def _repr_svg_(self) -> str | None:
        return str(self) if self.kind == "svg" else None

    def _repr_html_(self) -> str | None:
        """A page keeps its own styles inside a frame; other drawings need no HTML."""
        if self.kind != "html":
            return None
        return f'<iframe srcdoc="{escape(self)}" style="width:100%;height:36em;border:0"></iframe>'

    def __repr__(self) -> str:
        return str(self) if self.kind in ("text", "latex") else f"<Drawing: {self.kind}, {len(self)} characters>"

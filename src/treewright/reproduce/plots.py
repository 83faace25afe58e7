"""Matplotlib axes for the figures of the papers: SVG files with reproducible bytes, PNG or PDF files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from treewright.corpus import replacing
from treewright.errors import InputError

STYLE: Any = {"svg.hashsalt": "treewright", "svg.fonttype": "none", "font.size": 9}
FORMATS = ("svg", "png", "pdf")


def ensure_matplotlib() -> None:
    """Raise an error with the remedy if Matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise InputError("figures are drawn with Matplotlib: pip install 'treewright[plots]'")


@contextmanager
def axes(path: Path, width: float = 6.0, height: float = 3.6) -> Iterator[Any]:
    """Axes to draw on, in inches; the file is written when the block ends, and only if nothing went wrong."""
    ensure_matplotlib()
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(f"{path}: a figure is written as {', '.join(FORMATS)}; end the name with one of these")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE), replacing(path) as beside:
        figure = Figure(figsize=(width, height), layout="constrained")
        axis = figure.subplots()
        axis.spines[["top", "right"]].set_visible(False)
        yield axis
        figure.savefig(beside, format=kind, metadata={"Date": None} if kind == "svg" else {})

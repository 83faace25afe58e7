"""The style sheet of SVG and HTML drawings: one table of colours, light and dark, and the rules that use them.

Every part of a drawing has a class, so a page can restyle it: `.treewright .arc`, `.treewright .form`, ...
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# name: on light ground, on dark ground
COLOURS = {
    "paper": ("#ffffff", "#14181f"),
    "ground": ("#f1f3f7", "#0d1015"),  # of a page, behind its drawings
    "edge": ("#d9dee7", "#2a313c"),
    "ink": ("#1b2230", "#e9edf4"),
    "faint": ("#667085", "#98a3b5"),
    "tree": ("#4a6388", "#9db4d6"),
    "extra": ("#7a3e9d", "#cba3e6"),
    "given": ("#1b2230", "#e9edf4"),
    "basic": ("#6e7685", "#8b95a6"),
    "correct": ("#687386", "#8b97aa"),
    "wrong-head": ("#c2410c", "#ff8f54"),
    "wrong-span": ("#c2410c", "#ff8f54"),
    "wrong-label": ("#9d2b9d", "#ec93ec"),
    "missed": ("#007a4d", "#3fd0a8"),
    "suggested": ("#4a6388", "#9db4d6"),
    "decided": ("#1b2230", "#e9edf4"),
    "pinned": ("#17705a", "#6fd3b4"),
    "changed": ("#8a2aa8", "#dc9df2"),
    "doubtful": ("#ad6500", "#f5b955"),
    "rejected": ("#b3123f", "#ff8299"),
    "marked": ("#b3005e", "#ff8ac4"),
    "sure-0": ("#a82c06", "#f4693a"),
    "sure-1": ("#ad6500", "#f5b955"),
    "sure-2": ("#76703f", "#d6cf9f"),
    "sure-3": ("#3d78a9", "#8cc0ea"),
    "sure-4": ("#1b4588", "#5f95dd"),
}

ARC_KINDS = [name for name in COLOURS if name not in ("paper", "ground", "edge", "ink", "faint", "marked")]

SHAPES, MARK_SHAPES = (Path(__file__).with_name(name).read_text("utf-8") for name in ("shapes.css", "marks.css"))


def colour_rules(colour: Mapping[str, str]) -> str:
    """Return the colours as rules; shapes are the same on every ground."""
    rules = [
        f".treewright .paper{{fill:{colour['paper']}}}",
        f".treewright .arc text{{stroke:{colour['paper']}}}",
        f".treewright .form{{fill:{colour['ink']}}}",
        f".treewright .note,.treewright .number,.treewright .empty,.treewright .legend,.treewright .arc .tag,"
        f".treewright .token text{{fill:{colour['faint']}}}",
        f".treewright .token path,.treewright .branch{{stroke:{colour['faint']}}}",
        f".treewright .hint{{fill:{colour['sure-4']}}}",
        f".treewright .cursor{{stroke:{colour['sure-4']}}}",
        *(f".treewright .{kind}{{color:{colour[kind]}}}" for kind in ARC_KINDS),
        f".treewright .tree .more{{fill:{colour['extra']}}}",
        f".treewright .wrong-label .more{{fill:{colour['missed']}}}",
    ]
    return "\n".join(rules) + "\n"


def mark_rules(colour: Mapping[str, str]) -> str:
    """Return the colours of marked words and arcs as rules."""
    return f".treewright .arc.marked{{color:{colour['marked']}}}\n.treewright .form.marked{{fill:{colour['marked']}}}\n"


LIGHT, DARK = ({name: pair[ground] for name, pair in COLOURS.items()} for ground in (0, 1))


def style_sheet() -> str:
    """Return the rules of drawings, light, or dark where the reader prefers it: for pages with `svg(style=False)`.

    >>> ".treewright .arc path" in style_sheet()
    True
    """
    return f"{SHAPES}{colour_rules(LIGHT)}@media(prefers-color-scheme:dark){{\n{colour_rules(DARK)}}}\n"


def mark_style() -> str:
    """Return the rules that an SVG file with marks has besides."""
    return f"{MARK_SHAPES}{mark_rules(LIGHT)}@media(prefers-color-scheme:dark){{\n{mark_rules(DARK)}}}\n"


def page_style() -> str:
    """Return the rules for a page with many drawings: colours as variables, which the reader can switch."""
    light_names, dark_names = variables(LIGHT), variables(DARK)
    colours = {name: f"var(--{name})" for name in COLOURS}
    return (
        f":root{{{light_names}}}\n"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark_names}}}}}\n"
        f":root[data-theme=dark]{{{dark_names}}}\n"
        f"{SHAPES}{colour_rules(colours)}{MARK_SHAPES}{mark_rules(colours)}"
    )


def variables(colours: Mapping[str, str]) -> str:
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())

"""Trees and graphs as LaTeX: the dependency environment of tikz-dependency, the forest environment of forest."""

from __future__ import annotations

from treewright.draw.phrase import Phrases
from treewright.draw.scene import ROOT, UNKNOWN, Arc, Scene, Word

ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "[": "{[}",  # at the beginning of a cell a bracket would begin an option
        "]": "{]}",
        "•": r"$\bullet$",
        "→": r"$\rightarrow$",
        "×": r"$\times$",
        **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    }
)

# Options of \depedge for kinds of arcs, so that no kind differs by its colour alone.
EDGE_OPTIONS = {
    "given": ["edge style={very thick}"],
    "extra": ["edge style={dashed}"],
    "missed": ["edge style={dashed}"],
    "basic": ["edge style={dotted}"],
    "suggested": ["edge style={dashed}"],
    "decided": ["edge style={very thick}"],
    "changed": ["edge style={dash dot, very thick}"],
    "doubtful": ["edge style={densely dotted, very thick}"],
    "rejected": ["edge style={dotted}"],
    "wrong-head": ["edge style={very thick}"],
    "wrong-label": ["edge style={very thick}"],
}


def escaped(text: str) -> str:
    """Return text for LaTeX.

    >>> print(escaped("50% of $x_1"))
    50\\% of \\$x\\_1
    """
    return text.translate(ESCAPES)


def dependency_latex(scene: Scene) -> str:
    """Draw a dependency environment; needs \\usepackage{tikz-dependency}."""
    lines = [r"\begin{dependency}", r"\begin{deptext}[column sep=1em]", *table_rows(scene.words), r"\end{deptext}"]
    return "\n".join([*lines, *map(edge, scene.arcs), r"\end{dependency}", ""])


def table_rows(words: tuple[Word, ...]) -> list[str]:
    """Return the forms, and the lines below them."""
    depth = max((len(word.notes) for word in words), default=0)
    columns = [[word.form, *word.notes, *[""] * (depth - len(word.notes))] for word in words]
    return [r" \& ".join(map(escaped, row)) + r" \\" for row in zip(*columns, strict=True)]


def edge(arc: Arc) -> str:
    label = escaped(f"{arc.label}{arc.note}".strip())
    options = EDGE_OPTIONS.get(arc.kind, []) + (["edge below"] if arc.below else [])
    in_brackets = f"[{', '.join(options)}]" if options else ""
    if arc.head in (ROOT, UNKNOWN, arc.modifier):
        sign = {ROOT: "", UNKNOWN: "? "}.get(arc.head, r"$\circ$ ")
        return rf"\deproot{in_brackets}{{{arc.modifier}}}{{{sign}{label}}}"
    return rf"\depedge{in_brackets}{{{arc.head}}}{{{arc.modifier}}}{{{label}}}"


def phrase_latex(scene: Phrases) -> str:
    """Draw a forest environment; needs \\usepackage{forest}. Braces protect brackets, commas and signs."""
    closing = [0] * len(scene.words)
    for node in scene.nodes:
        closing[node.last] += not node.is_word
    parts = []
    for node in scene.nodes:
        text = f"[{{{escaped(node.text + node.note)}}}"
        parts.append(text if node.children else text + "]" + "]" * closing[node.first])
    return "\n".join([r"\begin{forest}", " ".join(parts), r"\end{forest}", ""])

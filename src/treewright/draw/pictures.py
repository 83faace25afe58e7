"""The public functions `text`, `svg`, `latex` and `html`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from treewright.calls import explained
from treewright.checks import described
from treewright.draw.canvas import Pen
from treewright.draw.drawing import Drawing
from treewright.draw.latex import dependency_latex, phrase_latex
from treewright.draw.page import layout_widths, page_parts
from treewright.draw.phrase import Phrases, is_phrase_tree, phrases_of
from treewright.draw.phrase_terminal import phrase_text
from treewright.draw.phrase_vector import phrase_svg
from treewright.draw.scene import Direction, Features, Scene, SentenceLike, scene_of
from treewright.draw.terminal import dependency_text
from treewright.draw.vector import dependency_svg
from treewright.errors import FormatError, InputError

NARROWEST_TEXT, NARROWEST_SVG = 20, 160

Pair = tuple[Any, Mapping[str, Any]]  # a sentence or tree, and those to compare it with: gold, given


@explained
def text(
    sentence: SentenceLike | Any = None,
    *,
    forms: Sequence[str] | None = None,
    heads: Sequence[int] | None = None,
    deprels: Sequence[str] | None = None,
    upos: Sequence[str] | None = None,
    graph: Iterable[tuple[Any, Any, str]] | None = None,
    confidence: Sequence[float] | None = None,
    gold: Any = None,
    given: Any = None,
    enhanced: bool | None = None,
    features: Features = None,
    direction: Direction = "auto",
    width: int | None = 100,
    ascii: bool = False,
    color: bool = False,
) -> Drawing:
    """A sentence as text for a terminal: box-drawing characters or ASCII, optionally ANSI colours, rows up to width.

    sentence: anything with forms and heads (a Sentence), with heads alone (a result of decode), or a
    phrase-structure tree (anything with label and children, or nested tuples), with heads together with its
    dependencies. Columns can be given by name instead:
    heads as CoNLL numbers, -1 where not known; deprels, upos, graph (edges head, modifier, label) and confidence
    (probabilities of the heads) replace those of the sentence. gold: the sentence, the heads or the tree to compare
    with. given: the partial annotation that was completed; arcs whose heads it has are marked.
    enhanced: draw the graph too; arcs that only the graph has are below the words. features: columns to write under
    the words, names or a mapping of names to columns. direction: "ltr", "rtl" or "auto", that of most words. width: the
    most columns of a row, None for one row. ascii: no box-drawing characters. color: ANSI colours.

    >>> print(text(forms=["Dogs", "chase", "cats"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"]))
             root
     ╭─nsubj─╮│╭─obj─╮
     ▼       │▼│     ▼
    Dogs    chase   cats
    """
    check_width(width, NARROWEST_TEXT, "columns")
    columns = {
        "forms": forms,
        "heads": heads,
        "deprels": deprels,
        "upos": upos,
        "graph": graph,
        "confidence": confidence,
    }
    scene = scene_or_phrases(sentence, {"gold": gold, "given": given}, enhanced, features, direction, columns)
    pen = Pen(ascii, color)
    drawn = [
        phrase_text(one, width=width, pen=pen)
        if isinstance(one, Phrases)
        else dependency_text(one, width=width, pen=pen)
        for one in apart(scene)
    ]
    return Drawing("\n\n".join(drawn), "text")


@explained
def svg(
    sentence: SentenceLike | Any = None,
    *,
    forms: Sequence[str] | None = None,
    heads: Sequence[int] | None = None,
    deprels: Sequence[str] | None = None,
    upos: Sequence[str] | None = None,
    graph: Iterable[tuple[Any, Any, str]] | None = None,
    confidence: Sequence[float] | None = None,
    gold: Any = None,
    given: Any = None,
    enhanced: bool | None = None,
    features: Features = None,
    direction: Direction = "auto",
    width: int | None = 960,
    title: str | None = None,
) -> Drawing:
    """A sentence as an SVG element, which a notebook displays; `.save(path)` writes it to a file.

    What can be drawn, and the options, are those of `text`; width is in pixels. title replaces the sentence's own
    text as what the drawing is called.

    >>> drawing = svg(forms=["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> drawing.startswith("<svg"), drawing.kind
    (True, 'svg')
    """
    check_width(width, NARROWEST_SVG, "pixels")
    columns = {
        "forms": forms,
        "heads": heads,
        "deprels": deprels,
        "upos": upos,
        "graph": graph,
        "confidence": confidence,
    }
    scene = scene_or_phrases(sentence, {"gold": gold, "given": given}, enhanced, features, direction, columns, title)
    if isinstance(scene, Phrases):
        return Drawing(phrase_svg(scene, width=width), "svg")
    return Drawing(dependency_svg(scene, width=width), "svg")


@explained
def latex(
    sentence: SentenceLike | Any = None,
    *,
    forms: Sequence[str] | None = None,
    heads: Sequence[int] | None = None,
    deprels: Sequence[str] | None = None,
    upos: Sequence[str] | None = None,
    graph: Iterable[tuple[Any, Any, str]] | None = None,
    confidence: Sequence[float] | None = None,
    gold: Any = None,
    given: Any = None,
    enhanced: bool | None = None,
    features: Features = None,
) -> Drawing:
    """A sentence as LaTeX for papers: tikz-dependency, or forest for phrase-structure trees.

    What can be drawn, and the options, are those of `text`.

    >>> print(latex(forms=["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"]))
    \\begin{dependency}
    \\begin{deptext}[column sep=1em]
    Dogs \\& bark \\\\
    \\end{deptext}
    \\depedge{2}{1}{nsubj}
    \\deproot{2}{root}
    \\end{dependency}
    <BLANKLINE>
    """
    columns = {
        "forms": forms,
        "heads": heads,
        "deprels": deprels,
        "upos": upos,
        "graph": graph,
        "confidence": confidence,
    }
    scene = scene_or_phrases(sentence, {"gold": gold, "given": given}, enhanced, features, "auto", columns)
    drawn = [phrase_latex(one) if isinstance(one, Phrases) else dependency_latex(one) for one in apart(scene)]
    return Drawing("".join(drawn), "latex")


@explained
def html(
    sentences: Any,
    *,
    gold: Any = None,
    given: Any = None,
    enhanced: bool = False,
    features: Features = None,
    direction: Direction = "auto",
    width: int | None = None,
    narrow: int | None = 320,
    title: str = "Treewright",
) -> Drawing:
    """One page with a drawing of each sentence, or of the one sentence given; it needs no other file.

    gold, given: as many sentences or trees. Drawings follow the width of the window; width and narrow limit them to
    at most and at least so many pixels, and narrow=None lays them out for the greatest width only. The other options
    are those of `text`.

    >>> from types import SimpleNamespace
    >>> page = html([SimpleNamespace(forms=["Run"], heads=[0])], title="One word")
    >>> "<title>One word</title>" in page, page.count("<article")
    (True, 1)
    """
    if is_drawable(sentences):
        sentences, gold, given = [sentences], None if gold is None else [gold], None if given is None else [given]
    pairs = beside(sentences, gold=gold, given=given)
    options: dict[str, Any] = {"enhanced": enhanced, "features": features, "direction": direction}
    return Drawing("".join(html_parts(pairs, width=width, narrow=narrow, title=title, **options)), "html")


def html_parts(
    pairs: Iterable[Pair],
    *,
    enhanced: bool | None = None,
    features: Features = None,
    direction: Direction = "auto",
    width: int | None = None,
    narrow: int | None = 320,
    title: str = "Treewright",
) -> Iterator[str]:
    """The page of `html` in parts, of sentences with their gold and given ones; only one sentence is in memory."""
    check_width(width, NARROWEST_SVG, "pixels")
    check_width(narrow, NARROWEST_SVG, "pixels", "narrow")
    scenes = scenes_of(pairs, enhanced, features, direction)
    return page_parts(scenes, title=title, widths=layout_widths(width, narrow))


def check_width(width: int | None, least: int, unit: str, name: str = "width") -> None:
    if width is not None and width < least:
        raise InputError(f"{name} is {width}; a drawing needs at least {least} {unit} (None: no limit)")


def is_drawable(thing: Any) -> bool:
    return hasattr(thing, "heads") or is_phrase_tree(thing)


def scene_or_phrases(
    sentence: Any,
    others: Mapping[str, Any],
    enhanced: bool | None,
    features: Features,
    direction: Direction,
    columns: dict[str, Any],
    title: str | None = None,
    with_details: bool = False,
) -> Scene | Phrases:
    """The content of a drawing; an error names the place where a sentence or tree was read."""
    try:
        columns = columns | {"heads": others["heads"]} if "heads" in others else columns
        others = {name: other for name, other in others.items() if name != "heads"}
        for name, other in others.items():
            if other is not None and is_phrase_tree(sentence) != is_phrase_tree(other):
                raise InputError(f"{name} is of another kind: a phrase-structure tree compares with a tree only")
        if is_phrase_tree(sentence):
            if others.get("given") is not None:
                raise InputError("given marks arcs of dependency trees; a phrase-structure tree has none")
            found = phrases_of(sentence, gold=others.get("gold"), direction=direction, title=title)
            return with_dependencies(found, columns, direction)
        options: dict[str, Any] = {"enhanced": enhanced, "features": features, "direction": direction, "title": title}
        return scene_of(sentence, with_details=with_details, **options, **others, **columns)
    except InputError as error:
        place = getattr(sentence, "place", None)
        if place is None or isinstance(error, FormatError):
            raise
        raise InputError(f"{place}: {error}") from error


def with_dependencies(scene: Phrases, columns: Mapping[str, Any], direction: Direction) -> Phrases:
    """The tree with the dependencies of its words, if heads are given."""
    if columns.get("heads") is None:
        return scene
    given = {"forms": scene.words, "heads": columns["heads"], "deprels": columns.get("deprels")}
    return replace(scene, dependencies=scene_of(None, direction=direction, title="dependencies", **given))


def apart(scene: Scene | Phrases) -> list[Scene | Phrases]:
    """A tree and its dependencies as two drawings, in media that have no common one."""
    if isinstance(scene, Phrases) and scene.dependencies is not None:
        return [replace(scene, dependencies=None), scene.dependencies]
    return [scene]


def scenes_of(
    pairs: Iterable[Pair], enhanced: bool | None, features: Features, direction: Direction
) -> Iterator[Scene | Phrases]:
    for number, (sentence, others) in enumerate(pairs, start=1):
        try:
            yield scene_or_phrases(sentence, others, enhanced, features, direction, {}, with_details=True)
        except InputError as error:
            if hasattr(sentence, "place"):
                raise
            raise InputError(f"sentence {number}: {error}") from error


def beside(sentences: Iterable[Any], **others: Iterable[Any] | None) -> Iterator[Pair]:
    """Each sentence, and by name the sentences of the same number to compare it with."""
    for name, value in {"sentences": sentences, **others}.items():
        is_missing = value is None and name != "sentences"
        if not is_missing and not isinstance(value, Iterable):
            raise TypeError(f"{name} is {described(value)}; expected an iterable of sentences or trees")
    columns = {name: other for name, other in others.items() if other is not None}
    names = list(columns)
    for number, (sentence, *found) in enumerate(zip_longest(sentences, *columns.values()), start=1):
        for name, other in zip(names, found, strict=True):
            if sentence is None or other is None:
                shorter = "there are" if sentence is None else f"{name} has"
                raise InputError(f"{shorter} only {number - 1} sentences; each needs one of {name} to compare with")
        yield sentence, dict(zip(names, found, strict=True))

"""Draw sentences and trees: as text, SVG, LaTeX and web pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypedDict, Unpack

from treewright.checks import describe_value
from treewright.draw.canvas import Pen
from treewright.draw.drawing import Drawing
from treewright.draw.latex import dependency_latex, phrase_latex
from treewright.draw.page import layout_widths, page_parts
from treewright.draw.phrase import Phrases, is_phrase_tree, phrases_of
from treewright.draw.phrase_terminal import phrase_text
from treewright.draw.phrase_vector import phrase_svg
from treewright.draw.scene import Direction, Features, Marks, Scene, States, scene_of
from treewright.draw.terminal import dependency_text
from treewright.draw.vector import dependency_svg
from treewright.errors import FormatError, InputError

NARROWEST_TEXT, NARROWEST_SVG = 20, 160

Pair = tuple[Any, Mapping[str, Any]]  # a sentence or tree, and those to compare it with: gold, given


class View(TypedDict, total=False):
    """What to show of a sentence."""

    enhanced: bool | None
    features: Features
    direction: Direction


class Content(View, total=False):
    """What to draw: columns that replace the sentence's own, and what to compare with."""

    forms: Sequence[str] | None
    heads: Sequence[int] | None  # CoNLL numbers, -1 where not known
    deprels: Sequence[str] | None
    upos: Sequence[str] | None
    graph: Iterable[tuple[Any, Any, str]] | None  # edges: head, modifier, label
    confidence: Sequence[float] | None  # probabilities of the heads
    gold: Any
    given: Any
    states: States | None  # of arcs (head, modifier)
    cursor: int | None
    hints: Mapping[int, str] | None
    marks: Marks


def text(
    sentence: Any = None,
    *,
    width: int | None = 100,
    ascii: bool = False,
    color: bool = False,
    **content: Unpack[Content],
) -> Drawing:
    """Draw a sentence as text for a terminal: box-drawing characters or ASCII, optionally ANSI colours.

    sentence: anything with forms and heads (a Sentence), of which other columns, graph, head_confidence, sent_id and
    text are read if there; with heads alone (a result of decode); or a phrase-structure tree (anything with label and
    children, or nested tuples), with heads together with its dependencies. width: the most columns of a row, None for
    one row. ascii: no box-drawing characters. color: ANSI colours. content: columns by name, which replace those of the
    sentence: forms; heads as CoNLL numbers, -1 where not known; deprels, upos, graph (edges head, modifier, label) and
    confidence (probabilities of the heads); and these options:

    gold: the sentence, the heads or the tree to compare with. given: the partial annotation that was completed; arcs
    whose heads it has are marked. enhanced: draw the graph too; arcs that only the graph has are below the words.
    features: columns to write under the words, names or a mapping of names to columns; "misc:KEY" is a key of MISC.
    direction: "ltr", "rtl" or "auto", that of most words. marks: what to emphasise, words by number and arcs as (head,
    modifier); text has brackets around such words, SVG and pages another colour. states: what is known of arcs (head,
    modifier): "suggested", "decided", "pinned", "changed", "doubtful" or "rejected"
    (`treewright.pipeline.Session.states`); rejected arcs that the tree does not have are below the words. hints:
    letters to write under words, by number. cursor: the number of the word that is framed, in SVG.

    >>> print(text(forms=["Dogs", "chase", "cats"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"]))
             root
     ╭─nsubj─╮│╭─obj─╮
     ▼       │▼│     ▼
    Dogs    chase   cats
    """
    check_width(width, NARROWEST_TEXT, "columns")
    pen = Pen(ascii, color)
    drawn = [
        phrase_text(part, width=width, pen=pen)
        if isinstance(part, Phrases)
        else dependency_text(part, width=width, pen=pen)
        for part in separate_drawings(scene_or_phrases(sentence, content))
    ]
    return Drawing("\n\n".join(drawn), "text")


def svg(
    sentence: Any = None,
    *,
    width: int | None = 960,
    title: str | None = None,
    style: bool = True,
    data: bool = False,
    **content: Unpack[Content],
) -> Drawing:
    """Draw a sentence as an SVG element, which a notebook displays; `.save(path)` writes it to a file.

    sentence and content as in `text`; width is in pixels. title replaces the sentence's own text as what the drawing
    is called. style=False: neither a style sheet nor a legend, for a page that has `style_sheet()` among its own. data:
    words have the attribute data-word, arcs data-word, data-head and data-state, for scripts.

    >>> drawing = svg(forms=["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> drawing.startswith("<svg"), drawing.kind
    (True, 'svg')
    """
    check_width(width, NARROWEST_SVG, "pixels")
    scene = scene_or_phrases(sentence, content, title)
    if isinstance(scene, Phrases):
        return Drawing(phrase_svg(scene, width=width, style=style, with_legend=style), "svg")
    return Drawing(dependency_svg(scene, width=width, style=style, with_legend=style, data=data), "svg")


def latex(sentence: Any = None, **content: Unpack[Content]) -> Drawing:
    """Draw a sentence as LaTeX for papers: tikz-dependency, or forest for phrase-structure trees.

    sentence and content as in `text`.

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
    parts = separate_drawings(scene_or_phrases(sentence, content))
    drawn = [phrase_latex(part) if isinstance(part, Phrases) else dependency_latex(part) for part in parts]
    return Drawing("".join(drawn), "latex")


def html(
    sentences: Any,
    *,
    gold: Any = None,
    given: Any = None,
    marks: Any = None,
    width: int | None = None,
    title: str = "Treewright",
    **view: Unpack[View],
) -> Drawing:
    """Draw each sentence, or the one sentence given, on one web page that needs no other file.

    gold, given: as many sentences or trees. marks: as many lists of words and arcs, as in `text`. Drawings follow the
    width of the window; width limits them to at most so many pixels. view: enhanced, features and direction as in
    `text`. title: of the page.

    >>> from types import SimpleNamespace
    >>> page = html([SimpleNamespace(forms=["Run"], heads=[0])], title="One word")
    >>> "<title>One word</title>" in page, page.count("<article")
    (True, 1)
    """
    if hasattr(sentences, "heads") or is_phrase_tree(sentences):
        sentences = [sentences]
        gold, given, marks = (None if other is None else [other] for other in (gold, given, marks))
    pairs = beside(sentences, gold=gold, given=given, marks=marks)
    return Drawing("".join(html_parts(pairs, width=width, title=title, **view)), "html")


def html_parts(
    pairs: Iterable[Pair], *, width: int | None = None, title: str = "Treewright", **view: Unpack[View]
) -> Iterator[str]:
    """Yield the page of `html` in parts, of sentences with gold and given ones; one sentence is in memory."""
    check_width(width, NARROWEST_SVG, "pixels")
    return page_parts(scenes_of(pairs, view), title=title, widths=layout_widths(width))


def check_width(width: int | None, least: int, unit: str) -> None:
    if width is not None and width < least:
        raise InputError(f"width is {width}; a drawing needs at least {least} {unit} (None: no limit)")


def check_list(value: Any, expected: str, name: str) -> None:
    """Refuse one string where several values are meant."""
    if isinstance(value, str):
        raise TypeError(f"{name} is {describe_value(value)}; expected {expected}")


def scene_or_phrases(
    sentence: Any, content: Mapping[str, Any], title: str | None = None, with_details: bool = False
) -> Scene | Phrases:
    """Return the content of a drawing; an error names the place where a sentence or tree was read."""
    if unknown := content.keys() - Content.__annotations__.keys():
        raise TypeError(f"there is no option {min(unknown)!r}; expected {', '.join(Content.__annotations__)}")
    for name in ("forms", "heads", "deprels", "upos", "confidence"):
        check_list(content.get(name), "a list, one entry a word", name)
    check_list(content.get("features"), "a list of names of columns", "features")
    try:
        for name in ("gold", "given"):
            if (other := content.get(name)) is not None and is_phrase_tree(sentence) != is_phrase_tree(other):
                raise InputError(f"{name} is of another kind: a phrase-structure tree compares with a tree only")
        if not is_phrase_tree(sentence):
            return scene_of(sentence, title=title, with_details=with_details, **content)
        if content.get("given") is not None:
            raise InputError("given marks arcs of dependency trees; a phrase-structure tree has none")
        return phrases_with_dependencies(sentence, content, title)
    except InputError as error:
        place = getattr(sentence, "place", None)
        if place is None or isinstance(error, FormatError):
            raise
        raise InputError(f"{place}: {error}") from error


def phrases_with_dependencies(tree: Any, content: Mapping[str, Any], title: str | None) -> Phrases:
    """Return the phrases of a tree, and the dependencies of its words if heads are given."""
    direction = content.get("direction", "auto")
    scene = phrases_of(tree, gold=content.get("gold"), direction=direction, title=title)
    if content.get("heads") is None:
        return scene
    columns = {"forms": scene.words, "heads": content["heads"], "deprels": content.get("deprels")}
    return replace(scene, dependencies=scene_of(None, direction=direction, title="dependencies", **columns))


def separate_drawings(scene: Scene | Phrases) -> list[Scene | Phrases]:
    """Return a tree and its dependencies as two drawings, for media that have no common one."""
    if isinstance(scene, Phrases) and scene.dependencies is not None:
        return [replace(scene, dependencies=None), scene.dependencies]
    return [scene]


def scenes_of(pairs: Iterable[Pair], view: View) -> Iterator[Scene | Phrases]:
    for number, (sentence, others) in enumerate(pairs, start=1):
        try:
            yield scene_or_phrases(sentence, {**others, **view}, with_details=True)
        except InputError as error:
            if hasattr(sentence, "place"):
                raise
            raise InputError(f"sentence {number}: {error}") from error


def beside(sentences: Iterable[Any], **others: Iterable[Any] | None) -> Iterator[Pair]:
    """Yield each sentence, and by name the sentences of the same number to compare it with."""
    for name, value in {"sentences": sentences, **others}.items():
        is_missing = value is None and name != "sentences"
        if not is_missing and not isinstance(value, Iterable):
            raise TypeError(f"{name} is {describe_value(value)}; expected an iterable of sentences or trees")
    present = {name: other for name, other in others.items() if other is not None}
    for number, (sentence, *row) in enumerate(zip_longest(sentences, *present.values()), start=1):
        compared = dict(zip(present, row, strict=True))
        for name, other in compared.items():
            if sentence is None or other is None:
                shorter = "there are" if sentence is None else f"{name} has"
                raise InputError(f"{shorter} only {number - 1} sentences; each needs one of {name} to compare with")
        yield sentence, compared

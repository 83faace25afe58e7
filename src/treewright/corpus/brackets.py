"""Phrase-structure trees, and Penn brackets: (S (NP (DT the) (NN dog)) (VP (VBZ barks))).

A tree is immutable; functions that alter trees return new ones. A tree that was read keeps the text it was read from
and is written byte for byte, with its line breaks and indentation; any other tree is written on one line. No function
here is recursive, so the depth of a tree is not limited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from sys import intern
from typing import Any, NamedTuple

from treewright.corpus.reader import LONGEST_ITEM, Lines, Problems, check_utf8, nothing_in, shown
from treewright.errors import FormatError

SPACE = " \t\r\n\f\v"  # and nothing else: a no-break space belongs to its word
TOKEN = re.compile(rf"\([{SPACE}]*[^{SPACE}()]*|\)|[^{SPACE}()]+")
LINE = re.compile(r"[^\n]*\n|[^\n]+")
UNWRITABLE = re.compile(rf"[{SPACE}()]")


class Span(NamedTuple):
    """A node of a tree: its label over the words first to last - 1, counted from 0."""

    label: str
    first: int
    last: int


class Tree:
    """A labelled node over its children: trees, and words (strings).

    >>> tree = Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))")
    >>> tree.label, tree.leaves(), tree.tags()
    ('S', ['the', 'dog', 'barks'], ['DT', 'NN', 'VBZ'])
    >>> print(Tree("NP", [Tree("NN", ["dogs"])]))
    (NP (NN dogs))
    """

    __slots__ = ("__weakref__", "_origin", "children", "label")

    label: str  # "" for the unlabelled root that Penn files wrap around each tree
    children: tuple[Tree | str, ...]
    _origin: tuple[str, str, int] | None  # the text it was read from, file, line

    def __init__(self, label: str, children: Iterable[Tree | str]) -> None:
        children = tuple(children)
        if not children:
            raise ValueError(f"({label}) has no children; expected words or trees")
        _fill(self, label, children, None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a tree does not change; make a new one with another {name}")

    @classmethod
    def parse(cls, text: str) -> Tree:
        """Read the one tree that `text` holds; files are read with treewright.read_trees."""
        trees = parse(text, "<text>", 1)
        if len(trees) != 1:
            raise FormatError("<text>", 1, f"{len(trees)} trees; expected one")
        return trees[0]

    @property
    def source(self) -> str:
        """The file it was read from."""
        return self._origin[1] if self._origin else "<tree>"

    @property
    def line(self) -> int:
        """Where it begins there."""
        return self._origin[2] if self._origin else 1

    def is_preterminal(self) -> bool:
        """Whether all children are words."""
        return all(isinstance(child, str) for child in self.children)

    def subtrees(self) -> Iterator[Tree]:
        """Yield every node, parents before children, from left to right, itself first."""
        return (event for event in walk(self) if isinstance(event, Tree))

    def leaves(self) -> list[str]:
        """Return the words as they are written, with escapes: -LRB- for (."""
        return [event for event in walk(self) if isinstance(event, str)]

    def tags(self) -> list[str]:
        """Return, for each word, the label right above it."""
        tags: list[str] = []
        above: list[str] = []
        for event in walk(self):
            if isinstance(event, Tree):
                above.append(event.label)
            elif event is None:
                above.pop()
            else:
                tags.append(above[-1])
        return tags

    def spans(self, *, tags: bool = False) -> list[Span]:
        """Return label and ends of every node, parents first; of those over words only (the tags) with tags=True.

        >>> [tuple(span) for span in Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))").spans()]
        [('S', 0, 3), ('NP', 0, 2), ('VP', 2, 3)]
        """
        spans: list[Span] = []
        above: list[int] = []  # the number of the span, -1 for none
        words = 0
        for event in walk(self):
            if isinstance(event, str):
                words += 1
            elif event is None:
                number = above.pop()
                if number >= 0:
                    spans[number] = spans[number]._replace(last=words)
            elif tags or not event.is_preterminal():
                above.append(len(spans))
                spans.append(Span(event.label, words, words))
            else:
                above.append(-1)
        return spans

    def __eq__(self, other: object) -> bool:
        """Same labels, same words, same shape; line breaks and indentation do not count."""
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or list(_flat(self)) == list(_flat(other))

    def __hash__(self) -> int:
        return hash(tuple(_flat(self)))

    def __str__(self) -> str:
        """Return the tree on one line: (S (NP (DT the) ...)), an unlabelled root as ( (S ...))."""
        pieces = list(_flat(self))
        for piece in pieces:
            if (UNWRITABLE.search(piece, 1) and piece != ")") or piece == " ":
                what = "label" if piece[0] == "(" else "word"
                raise ValueError(f"the {what} {piece[1:]!r} cannot stand in brackets; escape it: bracket_word")
        return _join(pieces)

    def __repr__(self) -> str:
        text = _join(_flat(self))
        return f"<Tree: {text if len(text) <= 60 else text[:57] + '...'}>"

    def _repr_svg_(self) -> str:
        """Return the picture in a notebook."""
        from treewright.draw import svg  # imported on use: few programs draw

        return str(svg(self))

    def __reduce__(self) -> tuple[Callable[..., Tree], tuple[Any, ...]]:
        return _restore, (list(_flat(self)), self._origin)

    def written(self) -> str:
        """Return the tree as it was read; if it was not read, on one line."""
        return self._origin[0] if self._origin else f"{self}\n"


_set_label = Tree.__dict__["label"].__set__
_set_children = Tree.__dict__["children"].__set__
_set_origin = Tree.__dict__["_origin"].__set__


def _fill(tree: Tree, label: str, children: tuple[Tree | str, ...], origin: tuple[str, str, int] | None) -> None:
    _set_label(tree, label)
    _set_children(tree, children)
    _set_origin(tree, origin)


def walk(tree: Tree) -> Iterator[Tree | str | None]:
    """Yield all of a tree in order: a node when it begins, its words and nodes, None when it ends."""
    stack: list[Iterator[Tree | str]] = [iter((tree,))]
    while stack:
        for child in stack[-1]:
            yield child
            if not isinstance(child, str):
                stack.append(iter(child.children))
                break
        else:
            stack.pop()
            if stack:
                yield None


def _flat(tree: Tree) -> Iterator[str]:
    """Yield a tree as a row of strings: "(label", " word", ")"."""
    for event in walk(tree):
        if event is None:
            yield ")"
        else:
            yield " " + event if isinstance(event, str) else "(" + event.label


def _join(pieces: Iterable[str]) -> str:
    return "".join(" " + piece if piece[0] == "(" else piece for piece in pieces)[1:]


def _restore(pieces: list[str], origin: tuple[str, str, int] | None) -> Tree:
    """Return the tree that _flat made flat."""
    stack: list[tuple[str, list[Tree | str]]] = [("", [])]
    for piece in pieces:
        if piece[0] == "(":
            stack.append((piece[1:], []))
        elif piece == ")":
            label, children = stack.pop()
            stack[-1][1].append(Tree(label, children))
        else:
            stack[-1][1].append(piece[1:])
    (tree,) = stack[0][1]
    if not isinstance(tree, Tree):
        raise TypeError("not a tree made flat")
    _set_origin(tree, origin)
    return tree


# -- reading


def trees(lines: Lines, problems: Problems) -> Iterator[Tree]:
    """Yield the trees of a file; report what cannot be read to `problems`."""
    waiting: Tree | None = None
    lead = ""  # white space that belongs to the next tree, or to the last one of a file
    count = 0
    for text, line in _groups(lines):
        if not text.strip(SPACE + "\ufeff"):
            lead += text
            continue
        try:
            if lines.suspect:
                check_utf8(text, lines.name, line)
            group = parse(text, lines.name, line, lead)
        except FormatError as error:
            problems.report(error)
            group = []
        lead = ""
        count += 1
        for tree in group:
            if waiting:
                yield waiting
            waiting = tree
        if waiting and not lines.is_file:
            yield waiting
            waiting = None
    if waiting:
        if lead and waiting._origin:
            text, source, line = waiting._origin
            _set_origin(waiting, (text + lead, source, line))
        yield waiting
    if not count:
        problems.report(nothing_in(lines, "tree"))


def _groups(lines: Lines) -> Iterator[tuple[str, int]]:
    """Yield runs of whole lines in which the brackets balance, each with the number of its first line."""
    group: list[str] = []
    number, depth, length = 1, 0, 0
    for piece in lines:
        length += len(piece)
        if length > LONGEST_ITEM:
            raise FormatError(lines.name, number, f"the tree that begins here does not end within {length >> 20} MB")
        for line in LINE.findall(piece):
            group.append(line)
            depth += line.count("(") - line.count(")")
            if depth <= 0:
                yield "".join(group), number
                number, depth, length = number + len(group), 0, 0
                group = []
    # The last run does not balance; a line that begins with a bracket is most likely a tree.
    starts = [0] + [start for start in range(1, len(group)) if group[start].startswith("(")]
    for start, end in zip(starts, starts[1:] + [len(group)], strict=True):
        if group:
            yield "".join(group[start:end]), number + start


def parse(text: str, source: str, line: int, lead: str = "") -> list[Tree]:
    """Read the trees of a text. `lead` is what stood before it and goes with the first of them."""
    if text.startswith("\ufeff"):
        lead, text = lead + "\ufeff", text[1:]
    trees_read: list[Tree] = []
    ends: list[int] = []  # the number of each tree's last token
    stack: list[tuple[str, list[Tree | str]]] = []
    for number, token in enumerate(TOKEN.findall(text)):
        if token[0] == "(":
            stack.append((intern(token[1:].lstrip(SPACE)), []))
        elif not stack:
            break
        elif token != ")":
            stack[-1][1].append(token)
        else:
            label, children = stack.pop()
            if not children:
                break
            tree = Tree.__new__(Tree)
            _fill(tree, label, tuple(children), None)
            if stack:
                stack[-1][1].append(tree)
            else:
                trees_read.append(tree)
                ends.append(number)
    else:
        if not stack:
            if trees_read:
                _set_origins(trees_read, ends, text, source, line, lead)
            return trees_read
    raise _what_is_wrong(text, source, line)


def _set_origins(found: list[Tree], ends: list[int], text: str, source: str, line: int, lead: str) -> None:
    """Assign to each tree its part of the text, up to its end; the last tree has all the rest."""
    cuts = [len(text)]
    if len(found) > 1:
        places = [match.end() for match in TOKEN.finditer(text)]
        cuts = [places[end] for end in ends[:-1]] + cuts
    begin = counted = 0
    for tree, cut in zip(found, cuts, strict=True):
        start = text.index("(", begin)
        line, counted = line + text.count("\n", counted, start), start
        _set_origin(tree, (lead + text[begin:cut], source, line))
        begin, lead = cut, ""


def _what_is_wrong(text: str, source: str, line: int) -> FormatError:
    open_: list[tuple[int, int]] = []  # where a node begins, how many children it has
    number, counted = line, 0
    for match in TOKEN.finditer(text):
        token, start = match[0], match.start()
        number, counted = number + text.count("\n", counted, start), start
        if token[0] == "(":
            open_.append((start, 0))
            continue
        if not open_:
            problem = "a closing bracket too many" if token == ")" else f"{shown(token)} outside any bracket"
            return FormatError(source, number, f"{problem}; expected '(' or the end of the file")
        if token == ")":
            begin, children = open_.pop()
            if not children:
                empty = shown(text[begin : match.end()])
                return FormatError(source, number, f"{empty} is empty; expected a word or a bracket in it")
        if open_:
            open_[-1] = (open_[-1][0], open_[-1][1] + 1)
    number = line + text.count("\n", 0, open_[0][0])
    missing = f"{len(open_)} closing bracket{'s are' if len(open_) > 1 else ' is'} missing"
    end = line + text.rstrip(SPACE).count("\n")
    return FormatError(source, number, f"the tree that begins here is not complete: {missing} after line {end}")

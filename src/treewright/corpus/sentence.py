"""A sentence as its file has it, and as columns.

A sentence keeps the very text it was read from. Columns are cut out of it when they are asked for, and writing
compares them with the text: a cell that was changed is rewritten, everything else goes out byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.corpus.cells import BadRow, Cells, cut, is_number
from treewright.corpus.layout import CONLLU, OLDER_NAMES, Layout
from treewright.corpus.reader import shown
from treewright.errors import FormatError, InputError
from treewright.trees import find_cycle, from_conll

Id = int | str  # a word's number, or "8.1" for an empty node

BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n|[ \t\r]+\Z)+")
# What may stand before the first word: a byte order mark, blank lines, comments.
OPENING = re.compile(r"\ufeff?(?:[ \t\r]*\n|[ \t\r]+\Z|#[^\n]*(?:\n|\Z))*")
CHECKS = ("format", "partial", "tree", "single-root", "graph")


class Token(NamedTuple):
    """A multiword token: the words from `first` to `last` are written together as `form`."""

    first: int
    last: int
    form: str
    misc: str = "_"


class Edge(NamedTuple):
    """An edge of the enhanced graph (DEPS). Word ids are numbers, 0 the root; empty nodes are strings: "8.1"."""

    head: Id
    modifier: Id
    label: str


class EmptyNode(NamedTuple):
    """A node of the enhanced graph that is no word."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deps: str
    misc: str


class Word(NamedTuple):
    """One word's line, to read; to change a cell, assign to the sentence's column."""

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    deps: str
    misc: str


class Column:
    """A column of a sentence: a list with one entry a word, to read, to assign, and to change in place."""

    def __init__(self, column: str) -> None:
        self.column = column

    def __set_name__(self, owner: type, name: str) -> None:
        self.__doc__ = f"The column {self.column}, one entry a word."

    @overload
    def __get__(self, sentence: None, owner: type) -> Column: ...
    @overload
    def __get__(self, sentence: Sentence, owner: type) -> list[str]: ...
    def __get__(self, sentence: Sentence | None, owner: type) -> Column | list[str]:
        return self if sentence is None else sentence.column(self.column)

    def __set__(self, sentence: Sentence, values: Iterable[str]) -> None:
        sentence.set_column(self.column, values)


class Sentence:
    """A sentence: one entry a word in each column, and everything else its file says about it.

    >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
    >>> sentence.forms, sentence.heads.tolist(), len(sentence)
    (['Dogs', 'bark'], [2, 0], 2)
    >>> sentence.deprels[0] = "nsubj"
    >>> str(sentence).splitlines()[0]
    '1\\tDogs\\t_\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_'
    """

    __slots__ = (
        *("layout", "source", "line", "parse", "confidence"),
        *("_text", "_start", "_end", "_cells"),  # what was read: the words' lines are _text[_start:_end]
        *("_columns", "_heads", "_comments", "_empty_deps"),  # what it may have become
    )

    forms = Column("FORM")
    lemmas = Column("LEMMA")
    upos = Column("UPOS")
    xpos = Column("XPOS")
    feats = Column("FEATS")
    deprels = Column("DEPREL")
    deps = Column("DEPS")
    misc = Column("MISC")

    layout: Layout
    source: str  # the file it came from
    line: int  # where its text begins there
    parse: Any  # what the parser that set the heads has to say about them
    confidence: Any

    def __init__(self, text: str, *, layout: Layout = CONLLU, source: str = "<text>", line: int = 1) -> None:
        """The one sentence that `text` holds; files are read with treewright.read."""
        start = end_of_opening(text)
        if start == len(text):
            raise FormatError(source, line, "no words here; expected the lines of one sentence")
        blank = BLANK_LINES.search(text, start)
        end = blank.start() if blank else len(text) - text.endswith("\n")
        if blank and end_of_opening(text, blank.end()) < len(text):
            further = line + text.count("\n", 0, blank.end())
            raise FormatError(source, further, "a second sentence; expected one (treewright.read streams many)")
        self._set(text, start, end, layout, source, line)

    @classmethod
    def of_block(cls, text: str, start: int, end: int, layout: Layout, source: str, line: int) -> Sentence:
        """For readers, who know already that the words' lines are text[start:end]."""
        sentence = cls.__new__(cls)
        sentence._set(text, start, end, layout, source, line)
        return sentence

    def sharing(self, seen: dict[str, str]) -> Sentence:
        """Itself, equal cells being one string with those in `seen`: what saves memory when many are kept."""
        fields = self._cells.fields
        fields[:] = map(seen.setdefault, fields, fields)
        return self

    def _set(self, text: str, start: int, end: int, layout: Layout, source: str, line: int) -> None:
        self._text, self._start, self._end = text, start, end
        self.layout, self.source, self.line = layout, source, line
        self.parse = self.confidence = None
        self._columns: dict[str, list[str]] = {}
        self._heads: NDArray[np.int32] | None = None
        self._comments: list[str] | None = None
        self._empty_deps: dict[int, str] = {}
        try:
            self._cells: Cells = cut(text[start:end], layout)
        except BadRow as error:
            raise self._error(error.row, error.problem) from None

    def _error(self, row: int, problem: str) -> FormatError:
        return FormatError(self.source, self._line_of_row(row), problem)

    def _line_of_row(self, row: int) -> int:
        lines = self._text[self._start : self._end].split("\n")
        numbers = [number for number, line in enumerate(lines) if not line.startswith("#")]
        return self.line + self._text.count("\n", 0, self._start) + numbers[row]

    def line_of(self, word: int) -> int:
        """The line, in the file, of a word, counted from 1 as its ID is."""
        return self._line_of_row(self._cells.row(word - 1))

    # -- columns

    def __len__(self) -> int:
        return self._cells.words()

    def __iter__(self) -> Iterator[Word]:
        columns = (self.forms, self.lemmas, self.upos, self.xpos, self.feats, self.heads.tolist(), self.deprels)
        return map(Word, range(1, len(self) + 1), *columns, self.deps, self.misc)

    def column(self, name: str) -> list[str]:
        """The column that the file calls so, one entry a word; "_" throughout if there is none."""
        if name in ("ID", "HEAD"):
            raise ValueError(f"column {name}: words are numbered from 1, and their heads are in `heads`")
        if name not in self._columns:
            self._columns[name] = self._cells.column(name)
        return self._columns[name]

    def cells(self, *names: str) -> Iterator[tuple[str, ...]]:
        """The words, each as its cells of these columns.

        >>> list(Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"]).cells("UPOS", "FORM"))
        [('NOUN', 'Dogs'), ('VERB', 'bark')]
        """
        changed, read = self._columns, self._cells
        return zip(*[changed[name] if name in changed else read.column(name) for name in names], strict=True)

    def set_column(self, name: str, values: Iterable[str]) -> None:
        """Replace a column. Writing rewrites the cells that differ."""
        values = list(values)
        if len(values) != len(self.column(name)):
            raise ValueError(f"{name} has {len(values)} entries; the sentence has {len(self)} words")
        if name not in self.layout.index:
            raise self._no_column(name)
        for word, value in enumerate(values):
            _check_cell(value, name, word)
        self._columns[name] = values

    def _no_column(self, name: str) -> InputError:
        columns = " ".join(self.layout.columns)
        remedy = "converted(CONLLU) gives the sentence all ten of CoNLL-U"
        return InputError(f"{self.place}: no column {name} to write to, only {columns}; {remedy}")

    @property
    def heads(self) -> NDArray[np.int32]:
        """The head of each word: 0 the root, 1 the first word, -1 where none is given ("_")."""
        if self._heads is None:
            self._heads = np.array(self._cells.heads, dtype=np.int32)
        return self._heads

    @heads.setter
    def heads(self, values: ArrayLike) -> None:
        if "HEAD" not in self.layout.index:
            raise self._no_column("HEAD")
        self._heads = _checked_heads(values, len(self))

    # -- what else the text says

    @property
    def place(self) -> str:
        """Where the sentence is: file and line."""
        return f"{self.source}:{self.line}"

    @property
    def comments(self) -> list[str]:
        """The lines before the first word that begin with "#", whole; to read, to assign, and to change in place."""
        if self._comments is None:
            self._comments = self._read_comments()
        return self._comments

    @comments.setter
    def comments(self, lines: Iterable[str]) -> None:
        self._comments = list(lines)

    def _read_comments(self) -> list[str]:
        return [line.removesuffix("\r") for line in self._text[self._comment_start() : self._start].split("\n")[:-1]]

    def _comment_start(self) -> int:
        """Where this sentence's comments begin; those before a blank line belong to the file."""
        start = self._start
        while start > 0:
            line = self._text.rfind("\n", 0, start - 1) + 1
            line += self._text.startswith("\ufeff", line)
            if line == start or self._text[line] != "#":
                break
            start = line
        return start

    def comment(self, name: str) -> str | None:
        """The value of the comment "# name = value".

        >>> Sentence("# newdoc id = fables\\n1\\tWolves\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\n").comment("newdoc id")
        'fables'
        """
        for line in self.comments:
            found, value = _name_and_value(line)
            if found == name:
                return value
        return None

    def set_comment(self, name: str, value: str) -> None:
        """Put "# name = value" in the place of the comment of that name, or after the other comments."""
        line = f"# {name} = {value}"
        names = [_name_and_value(comment)[0] for comment in self.comments]
        if name in names:
            self.comments[names.index(name)] = line
        else:
            self.comments.append(line)

    @property
    def sent_id(self) -> str | None:
        """The comment "# sent_id"."""
        return self.comment("sent_id")

    @sent_id.setter
    def sent_id(self, value: str) -> None:
        self.set_comment("sent_id", value)

    @property
    def text(self) -> str:
        """The comment "# text"; without one, the tokens joined as their SpaceAfter says."""
        text = self.comment("text")
        return self.joined() if text is None else text

    @text.setter
    def text(self, value: str) -> None:
        self.set_comment("text", value)

    def joined(self) -> str:
        """The tokens, with a space after each but those that say SpaceAfter=No.

        >>> Sentence.from_words(["Go", "!"], misc=["SpaceAfter=No", "_"]).joined()
        'Go!'
        """
        forms, misc = self.forms, self.misc
        pieces: list[str] = []
        word = 0
        tokens = {token.first: token for token in self.tokens}
        while word < len(self):
            token = tokens.get(word + 1) or Token(word + 1, word + 1, forms[word], misc[word])
            pieces += [token.form, "" if "SpaceAfter=No" in token.misc.split("|") else " "]
            word = token.last
        return "".join(pieces[:-1])

    @property
    def tokens(self) -> list[Token]:
        """The multiword tokens, in order."""
        found = []
        for row, id_ in self._cells.other_rows("-"):
            first, _, last = id_.partition("-")
            found.append(Token(int(first), int(last), self._cells.cell(row, "FORM"), self._cells.cell(row, "MISC")))
        return found

    @property
    def empty_nodes(self) -> list[EmptyNode]:
        """The nodes of the enhanced graph that are no words, in order."""
        columns = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "DEPS", "MISC")
        found = []
        for row, id_ in self._cells.other_rows("."):
            cells = [self._cells.cell(row, column) for column in columns]
            cells[5] = self._empty_deps.get(row, cells[5])
            found.append(EmptyNode(id_, *cells))
        return found

    @property
    def graph(self) -> list[Edge]:
        """The enhanced graph: one edge for every head:label in DEPS, in their order, empty nodes included.

        >>> sentence = Sentence.from_words(["cats", "and", "dogs"], deps=["0:root", "3:cc", "0:root|1:conj"])
        >>> [tuple(edge) for edge in sentence.graph]
        [(0, 1, 'root'), (3, 2, 'cc'), (0, 3, 'root'), (1, 3, 'conj')]
        """
        nodes: list[tuple[int, Id, str]] = [
            (self._cells.row(word), word + 1, cell) for word, cell in enumerate(self.deps)
        ]
        rows = [row for row, _ in self._cells.other_rows(".")]
        nodes += [(row, node.id, node.deps) for row, node in zip(rows, self.empty_nodes, strict=True)]
        known = {0, *(id_ for _, id_, _ in nodes)}
        edges = []
        for row, modifier, cell in sorted(nodes):
            for part in cell.split("|") if cell not in ("_", "") else ():
                head, colon, label = part.partition(":")
                head_id = int(head) if is_number(head) else head
                if not colon or head_id not in known:
                    expected = f"head:label with 0, a word up to {len(self)} or an empty node as head"
                    raise self._error(row, f"DEPS of {modifier} has {shown(part)}; expected {expected}")
                edges.append(Edge(head_id, modifier, label))
        return edges

    @graph.setter
    def graph(self, edges: Iterable[tuple[Id, Id, str]]) -> None:
        rows = {id_: row for row, id_ in self._cells.other_rows(".")}
        by_modifier: dict[Id, list[tuple[Id, str]]] = {}
        for head, modifier, label in edges:
            for id_ in (head, modifier):
                if id_ not in rows and not (isinstance(id_, int) and 0 <= id_ <= len(self)):
                    raise ValueError(f"edge {(head, modifier, label)}: the sentence has no node {id_!r}")
            by_modifier.setdefault(modifier, []).append((head, label))
        cells = {
            modifier: "|".join(f"{head}:{label}" for head, label in sorted(heads, key=_by_head))
            for modifier, heads in by_modifier.items()
        }
        self.deps = [cells.get(word, "_") for word in range(1, len(self) + 1)]
        self._empty_deps = {row: cells.get(id_, "_") for id_, row in rows.items()}

    # -- checks

    def check(self, level: str = "tree") -> None:
        """Raise a FormatError unless the heads are what `level` asks for.

        "partial": no cycle among the heads that are given. "tree": also, every word has a head. "single-root":
        also, exactly one word hangs from the root. "graph": DEPS can be read.

        >>> Sentence.from_words(["a", "b"], heads=[2, 1]).check()
        Traceback (most recent call last):
        ...
        treewright.errors.FormatError: <words>:1: the heads run in a circle: 1 <- 2 <- 1; expected a tree
        """
        if level not in CHECKS:
            raise ValueError(f"check {level!r}: expected one of {', '.join(CHECKS)}")
        if level == "graph":
            _ = self.graph
        if level in ("format", "graph"):
            return
        heads = self._cells.heads if self._heads is None else _checked_heads(self._heads, len(self)).tolist()
        if level != "partial" and -1 in heads:
            word = heads.index(-1)
            raise self._error(self._cells.row(word), f"word {word + 1} has no head (_); expected a complete tree")
        if not _is_acyclic(heads):
            cycle = find_cycle(from_conll(self.heads.clip(min=0)))
            circle = " <- ".join(map(str, cycle + cycle[:1]))
            row = self._cells.row(cycle[0] - 1)
            raise self._error(row, f"the heads run in a circle: {circle}; expected a tree")
        if level == "single-root" and heads.count(0) > 1:
            roots = [word for word, head in enumerate(heads, 1) if head == 0]
            problem = f"{len(roots)} words hang from the root: {', '.join(map(str, roots))}; expected one"
            raise self._error(self._cells.row(roots[1] - 1), problem)

    # -- writing

    def __str__(self) -> str:
        """The sentence's own lines as they would be written, without the blank line after them."""
        _, lines, _ = self._pieces()
        return lines + "\n"

    def written(self) -> str:
        """The text with the changed cells and comments in it, and all that stands around it."""
        if not self._columns and self._heads is None and self._comments is None:
            return self._text  # nobody has looked
        return "".join(self._pieces())

    def _pieces(self) -> tuple[str, str, str]:
        """What belongs to the file, the sentence's own lines, what follows them."""
        start = self._comment_start()
        comments = self._text[start : self._start]
        if self._comments is not None and self._comments != self._read_comments():
            comments = self._comment_block(self._comments)
        body = self._text[self._start : self._end]
        if edits := self._edits():
            body = _edited(body, edits)
        return self._text[:start], comments + body, self._text[self._end :]

    def _comment_block(self, comments: list[str]) -> str:
        for number, line in enumerate(comments):
            if not line.startswith("#") or "\n" in line:
                raise ValueError(f"comments[{number}] is {shown(line)}; expected one line that begins with #")
        newline = "\r\n" if "\r\n" in self._text else "\n"
        return "".join(line + newline for line in comments)

    def _edits(self) -> dict[int, dict[int, str]]:
        """Row -> column -> what must stand there, for the cells that differ from the text."""
        edits: dict[int, dict[int, str]] = {}
        for name, values in self._columns.items():
            cells = self._cells.column(name)
            if values == cells:
                continue
            if len(values) != len(cells):
                raise ValueError(f"{name} has {len(values)} entries; the sentence has {len(cells)} words")
            if name not in self.layout.index:
                raise self._no_column(name)
            for word, (value, cell) in enumerate(zip(values, cells, strict=True)):
                if value != cell:
                    _check_cell(value, name, word)
                    edits.setdefault(self._cells.row(word), {})[self.layout.index[name]] = value
        if self._heads is not None and self._heads.tolist() != self._cells.heads:
            if "HEAD" not in self.layout.index:
                raise self._no_column("HEAD")
            for word, head in enumerate(_checked_heads(self._heads, len(self)).tolist()):
                if head != self._cells.heads[word]:
                    value = "_" if head < 0 else str(head)
                    edits.setdefault(self._cells.row(word), {})[self.layout.index["HEAD"]] = value
        for row, value in self._empty_deps.items():
            if value != self._cells.cell(row, "DEPS"):
                edits.setdefault(row, {})[self.layout.index["DEPS"]] = value
        return edits

    # -- new sentences

    @classmethod
    def from_words(
        cls,
        forms: Iterable[str],
        *,
        lemmas: Iterable[str] | None = None,
        upos: Iterable[str] | None = None,
        xpos: Iterable[str] | None = None,
        feats: Iterable[str] | None = None,
        heads: ArrayLike | None = None,
        deprels: Iterable[str] | None = None,
        deps: Iterable[str] | None = None,
        misc: Iterable[str] | None = None,
        tokens: Iterable[Token] = (),
        comments: Iterable[str] = (),
        sent_id: str | None = None,
        text: str | None = None,
    ) -> Sentence:
        """A sentence that comes from no file; a column that is not given holds "_"."""
        forms = list(forms)
        if not forms:
            raise ValueError("forms is empty; a sentence has at least one word")
        lines = [f"{number}\t_\t_\t_\t_\t_\t_\t_\t_\t_\n" for number in range(1, len(forms) + 1)]
        for token in sorted(tokens, reverse=True):
            token = Token(*token)
            _check_cell(token.form, f"the token {token.first}-{token.last}")
            if not 1 <= token.first <= token.last <= len(forms):
                raise ValueError(f"{token}: expected words from 1 to {len(forms)}")
            cells = [f"{token.first}-{token.last}", token.form, *["_"] * 7, token.misc]
            lines.insert(token.first - 1, "\t".join(cells) + "\n")
        sentence = cls("".join(lines) + "\n", source="<words>")
        given = {"lemmas": lemmas, "upos": upos, "xpos": xpos, "feats": feats, "deprels": deprels, "deps": deps}
        for name, values in {"forms": forms, "misc": misc, **given}.items():
            if values is not None:
                setattr(sentence, name, values)
        if heads is not None:
            sentence.heads = heads
        sentence.comments = comments
        if sent_id is not None:
            sentence.sent_id = sent_id
        if text is not None:
            sentence.text = text
        return _restored(*sentence._state())  # as if it had been read

    def copy(self) -> Sentence:
        """An independent copy, changes included."""
        copy = Sentence.__new__(Sentence)
        copy._text, copy._start, copy._end, copy._cells = self._text, self._start, self._end, self._cells
        copy.layout, copy.source, copy.line = self.layout, self.source, self.line
        copy.parse, copy.confidence = self.parse, self.confidence
        copy._columns = {name: cells.copy() for name, cells in self._columns.items()}
        copy._heads = None if self._heads is None else self._heads.copy()
        copy._comments = None if self._comments is None else self._comments.copy()
        copy._empty_deps = self._empty_deps.copy()
        return copy

    def with_tree(self, heads: NDArray[np.int32], deprels: list[str], parse: Any, confidence: Any) -> Sentence:
        """A copy with the tree that a parser found, which is known to be one and becomes the copy's own."""
        for name in ("HEAD", "DEPREL"):
            if name not in self.layout.index:
                raise self._no_column(name)
        copy = self.copy()
        copy._heads, copy._columns["DEPREL"] = heads, deprels
        copy.parse, copy.confidence = parse, confidence
        return copy

    def _state(self) -> tuple[Any, ...]:
        return self.written(), self.layout, self.source, self.line, self.parse, self.confidence

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._state()

    def converted(self, layout: Layout) -> Sentence:
        """The same sentence in other columns, those of the same name kept; itself if it has those already.

        CoNLL-X has neither comments, nor multiword tokens, nor empty nodes: they are left out.

        >>> from treewright.corpus import CONLLX
        >>> str(Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"]).converted(CONLLX)).split("\\n")[0]
        '1\\tDogs\\t_\\tNOUN\\t_\\t_\\t_\\t_\\t_\\t_'
        """
        if layout == self.layout:
            return self
        old = _restored(*self._state())  # cells are read from what would be written
        only_words = layout.format == "conllx"
        rows = old._cells.rows if only_words else None
        names = [OLDER_NAMES.get(name, name) for name in layout.columns]
        lines = []
        for row in range(len(old._cells.fields) // old.layout.width) if rows is None else rows:
            cells = [old._cells.cell(row, name) for name in names]
            if "ID" not in old.layout.index:
                cells[layout.index["ID"]] = str(row + 1)
            lines.append("\t".join(cells))
        comments = [] if only_words else [line for line in old.comments if not line.startswith("# global.columns")]
        newline = "\r\n" if "\r\n" in old._text else "\n"
        new = Sentence(newline.join(comments + lines + ["", ""]), layout=layout, source=self.source, line=self.line)
        new.parse, new.confidence = self.parse, self.confidence
        return new

    def with_columns(self, **columns: Any) -> Sentence:
        """A copy with some columns replaced.

        >>> Sentence.from_words(["Run"]).with_columns(heads=[0], deprels=["root"]).deprels
        ['root']
        """
        copy = self.copy()
        for name, values in columns.items():
            if name != "heads" and not isinstance(getattr(Sentence, name, None), Column):
                raise ValueError(f"there is no column {name!r}")
            setattr(copy, name, values)
        return copy

    def __eq__(self, other: object) -> bool:
        """Whether both would be written alike, but for blank lines around them."""
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.layout == other.layout and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __repr__(self) -> str:
        text = self.text
        name = f" {self.sent_id}" if self.sent_id else ""
        return f"<Sentence{name}: {len(self)} words: {text if len(text) <= 60 else text[:57] + '...'}>"

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from treewright.draw import svg  # a drawing is asked for by few, and needs nothing of this room

        return str(svg(self))


def _restored(text: str, layout: Layout, source: str, line: int, parse: Any, confidence: Any) -> Sentence:
    sentence = Sentence(text, layout=layout, source=source, line=line)
    sentence.parse, sentence.confidence = parse, confidence
    return sentence


def _name_and_value(comment: str) -> tuple[str, str | None]:
    name, sign, value = comment[1:].partition("=")
    return name.strip(), value.strip() if sign else None


def _is_acyclic(heads: list[int]) -> bool:
    """Whether every way up comes to an end. (trees.find_cycle, faster for a single sentence.)"""
    walk = [0] * (len(heads) + 1)  # on which walk a word was first met
    for start in range(1, len(heads) + 1):
        word = start
        while word > 0 and not walk[word]:
            walk[word] = start
            word = heads[word - 1]
        if word > 0 and walk[word] == start:
            return False
    return True


def end_of_opening(text: str, position: int = 0) -> int:
    """Where the first word's line begins, or the end."""
    match = OPENING.match(text, position)
    return match.end() if match else position


def _check_cell(value: object, name: str, word: int | None = None) -> None:
    if isinstance(value, str) and value and not ("\t" in value or "\n" in value or "\r" in value):
        return
    where = name if word is None else f"{name}[{word}]"
    if not isinstance(value, str):
        raise ValueError(f"{where} is {value!r}; expected a string")
    raise ValueError(f"{where} is {shown(value)}; expected '_' or a text without tab and line break")


def _checked_heads(values: ArrayLike, words: int) -> NDArray[np.int32]:
    given = np.asarray(values)
    if given.shape != (words,):
        raise ValueError(f"heads has shape {given.shape}; expected ({words},): one entry a word, the root has none")
    if given.dtype.kind not in "iu":
        raise ValueError(f"heads is of type {given.dtype}; expected integers")
    wrong = (given < -1) | (given > words)
    if wrong.any():
        word = int(wrong.argmax())
        raise ValueError(f"heads[{word}] is {given[word]}; expected 0 (the root), 1 to {words}, or -1 for none")
    return given.astype(np.int32)


def _edited(body: str, edits: dict[int, dict[int, str]]) -> str:
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


def _by_head(edge: tuple[Id, str]) -> tuple[int, int, str]:
    """DEPS are ordered by head, then by label."""
    head, label = edge
    major, _, minor = str(head).partition(".")
    return int(major), int(minor or 0), label

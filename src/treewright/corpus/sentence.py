"""A sentence as its file has it, and as columns.

A sentence keeps the very text it was read from. Columns are cut out of it when they are asked for, and writing
compares them with the text: a cell that was changed is rewritten, everything else goes out byte for byte.

Cutting is one `replace` and one `split` for the whole sentence. Every line break is first made a cell boundary
followed by a mark, so that the cells of column c are `fields[c::width]`, and the ID column reads "1", mark "2",
mark "3", ...: if it equals that list, then the ids are right and every line has exactly `width` cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, NoReturn, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.corpus.layout import CONLLU, OLDER_NAMES, Layout
from treewright.corpus.reader import shown
from treewright.errors import FormatError, InputError
from treewright.trees import find_cycle, from_conll

Id = int | str  # a word's number, or "8.1" for an empty node

BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n)+")
# What may stand before the first word: a byte order mark, blank lines, comments.
OPENING = re.compile(r"\ufeff?(?:[ \t\r]*\n|#[^\n]*(?:\n|\Z))*")
COMMENTS = re.compile(r"(?:#[^\n]*\n)*\Z")
COMMENT_VALUE = re.compile(r"#\s*([^=]*?)\s*=\s*(.*)", re.DOTALL)

MARK = "\n"
FIRST_IDS = ["1"] + [f"{MARK}{number}" for number in range(2, 1001)]


class Numbers(dict[str, int]):
    """What a HEAD cell means: its number, or -1 for "_". Long numbers are worked out when they come."""

    def __missing__(self, cell: str) -> int:
        if cell.isascii() and cell.isdigit() and len(cell) <= 9:
            return int(cell)
        raise KeyError(cell)


NUMBERS = Numbers({"_": -1} | {str(number): number for number in range(1001)})


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
        self.name = name

    @overload
    def __get__(self, sentence: None, owner: type) -> Column: ...
    @overload
    def __get__(self, sentence: Sentence, owner: type) -> list[str]: ...
    def __get__(self, sentence: Sentence | None, owner: type) -> Column | list[str]:
        return self if sentence is None else sentence.column(self.column)

    def __set__(self, sentence: Sentence, values: Iterable[str]) -> None:
        sentence.set_column(self.column, values, name=self.name)


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
        "_columns",
        "_comments",
        "_empty_deps",
        "_end",
        "_fields",
        "_heads",
        "_numbers",
        "_rows",
        "_start",
        "_text",
        "confidence",
        "layout",
        "line",
        "parse",
        "source",
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

    def _set(self, text: str, start: int, end: int, layout: Layout, source: str, line: int) -> None:
        self._text, self._start, self._end = text, start, end
        self.layout, self.source, self.line = layout, source, line
        self.parse = self.confidence = None
        self._cut()

    def _cut(self) -> None:
        """Text to cells, checked."""
        self._columns: dict[str, list[str]] = {}
        self._comments: list[str] | None = None
        self._heads: NDArray[np.int32] | None = None
        self._empty_deps: dict[int, str] = {}
        body = self._body()
        width = self.layout.width
        self._fields = fields = body.replace("\n", "\t" + MARK).split("\t")
        ids = fields[::width]
        words = len(ids)
        plain = ids == (FIRST_IDS[:words] if words <= len(FIRST_IDS) else _first_ids(words))
        if plain and len(fields) == words * width and self.layout.columns[0] == "ID":
            self._rows: list[int] | None = None
        else:
            self._rows = self._find_rows(body)
        self._numbers = self._read_heads()

    def _body(self) -> str:
        """The lines of words, tokens and empty nodes, without what may stand between them."""
        body = self._text[self._start : self._end]
        if "\r" in body:
            body = body.replace("\r\n", "\n").removesuffix("\r")
        if "\n#" in body:
            body = "\n".join(line for line in body.split("\n") if not line.startswith("#"))
        return body

    def _find_rows(self, body: str) -> list[int]:
        """Which lines are words. The others are multiword tokens and empty nodes, and stand where they should."""
        width, fields = self.layout.width, self._fields
        lines = body.count("\n") + 1
        # Every line break is a mark; if all of them are in the first column, every line has the right width.
        if len(fields) != lines * width or "".join(fields[::width]).count(MARK) != lines - 1:
            self._report_width(body.split("\n"))
        if "ID" not in self.layout.index:
            return list(range(lines))
        ids = [cell.removeprefix(MARK) for cell in fields[self.layout.index["ID"] :: width]]
        rows: list[int] = []
        next_id, last_of_token, minor = "1", 0, 0
        for row, id_ in enumerate(ids):
            if id_ == next_id:
                rows.append(row)
                next_id = str(len(rows) + 1)
                minor = 0
                continue
            kind, first, second = _read_id(id_)
            if kind == "token" and first == len(rows) + 1 and first > last_of_token and second >= first:
                last_of_token = second
            elif kind == "empty" and first == len(rows) and second > minor:
                minor = second
            else:
                raise self._error(row, _wrong_id(id_, kind, len(rows), last_of_token))
        if not rows:
            raise self._error(0, f"no words, only {shown(ids[0])}; expected a line whose ID is 1")
        if last_of_token > len(rows):
            problem = (
                f"the last multiword token ends with {last_of_token}; the sentence ends here, with word {len(rows)}"
            )
            raise self._error(lines - 1, problem)
        return rows

    def _report_width(self, lines: list[str]) -> NoReturn:
        width = self.layout.width
        row = next(row for row, line in enumerate(lines) if line.count("\t") != width - 1)
        raise self._error(row, _wrong_width(lines[row], self.layout))

    def _read_heads(self) -> list[int]:
        cells = self._cells("HEAD")
        try:
            numbers = list(map(NUMBERS.__getitem__, cells))
            if max(numbers) <= len(numbers):
                return numbers
        except KeyError:
            pass
        words = len(cells)
        word = next(word for word, cell in enumerate(cells) if not _is_head(cell, words))
        expected = f"0 (the root), a word from 1 to {words}, or _"
        raise self._error(self._row(word), f"HEAD of word {word + 1} is {shown(cells[word])}; expected {expected}")

    def _cells(self, column: str) -> list[str]:
        """The words' cells of a column as they stand in the text."""
        width = self.layout.width
        number = self.layout.index.get(column)
        if number is None:
            return ["_"] * len(self)
        cells = self._fields[number::width]
        if number == 0:
            cells = [cell.removeprefix(MARK) for cell in cells]
        return cells if self._rows is None else [cells[row] for row in self._rows]

    def _row(self, word: int) -> int:
        return word if self._rows is None else self._rows[word]

    def _error(self, row: int, problem: str) -> FormatError:
        return FormatError(self.source, self.line_of_row(row), problem)

    def line_of_row(self, row: int) -> int:
        """The line, in the file, of the row-th line that is not a comment."""
        line = self.line + self._text.count("\n", 0, self._start)
        for text in self._text[self._start : self._end].split("\n"):
            if not text.startswith("#"):
                if row == 0:
                    break
                row -= 1
            line += 1
        return line

    def line_of(self, word: int) -> int:
        """The line, in the file, of a word (0 the first)."""
        return self.line_of_row(self._row(word))

    # -- columns

    def __len__(self) -> int:
        return len(self._fields) // self.layout.width if self._rows is None else len(self._rows)

    def __iter__(self) -> Iterator[Word]:
        columns = (self.forms, self.lemmas, self.upos, self.xpos, self.feats, self.heads.tolist(), self.deprels)
        return map(Word, range(1, len(self) + 1), *columns, self.deps, self.misc)

    def column(self, name: str) -> list[str]:
        """The column of that name, one entry a word; "_" throughout if the file has none."""
        if name not in self._columns:
            self._columns[name] = self._cells(name)
        return self._columns[name]

    def set_column(self, column: str, values: Iterable[str], *, name: str | None = None) -> None:
        """Replace a column. Writing rewrites the cells that differ."""
        values = list(values)
        if len(values) != len(self):
            raise ValueError(f"{name or column} has {len(values)} entries; the sentence has {len(self)} words")
        if column not in self.layout.index:
            raise self._no_column(column)
        for word, value in enumerate(values):
            _check_cell(value, f"{name or column}[{word}]")
        self._columns[column] = values

    def _no_column(self, column: str) -> InputError:
        return InputError(
            f"{self.place}: the file has no column {column}; "
            f"it has {' '.join(self.layout.columns)}; converted('conllu') gives the sentence one that has"
        )

    @property
    def heads(self) -> NDArray[np.int32]:
        """The head of each word: 0 the root, 1 the first word, -1 where none is given ("_")."""
        if self._heads is None:
            self._heads = np.array(self._numbers, dtype=np.int32)
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
        """Comments before a blank line belong to the file, not to this sentence."""
        match = COMMENTS.search(self._text, 0, self._start)
        return match.start() if match else self._start

    def comment(self, name: str) -> str | None:
        """The value of the comment "# name = value".

        >>> Sentence("# newdoc id = fables\\n1\\tWolves\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\n").comment("newdoc id")
        'fables'
        """
        for line in self.comments:
            match = COMMENT_VALUE.fullmatch(line)
            if match and match[1] == name:
                return match[2]
        return None

    def set_comment(self, name: str, value: str) -> None:
        """Put "# name = value" in the place of the comment of that name, or after the other comments."""
        line = f"# {name} = {value}"
        for number, old in enumerate(self.comments):
            match = COMMENT_VALUE.fullmatch(old)
            if match and match[1] == name:
                self.comments[number] = line
                return
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
        for row, id_ in self._other_rows("-"):
            first, _, last = id_.partition("-")
            found.append(Token(int(first), int(last), self._cell(row, "FORM"), self._cell(row, "MISC")))
        return found

    @property
    def empty_nodes(self) -> list[EmptyNode]:
        """The nodes of the enhanced graph that are no words, in order."""
        columns = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "DEPS", "MISC")
        found = []
        for row, id_ in self._other_rows("."):
            cells = [self._cell(row, column) for column in columns]
            cells[5] = self._empty_deps.get(row, cells[5])
            found.append(EmptyNode(id_, *cells))
        return found

    def _other_rows(self, sign: str) -> list[tuple[int, str]]:
        if self._rows is None or "ID" not in self.layout.index:
            return []
        ids = self._fields[self.layout.index["ID"] :: self.layout.width]
        return [(row, id_.removeprefix(MARK)) for row, id_ in enumerate(ids) if sign in id_]

    def _cell(self, row: int, column: str) -> str:
        number = self.layout.index.get(column)
        return "_" if number is None else self._fields[row * self.layout.width + number].removeprefix(MARK)

    @property
    def graph(self) -> list[Edge]:
        """The enhanced graph: one edge for every head:label in DEPS, in their order, empty nodes included.

        >>> sentence = Sentence.from_words(["cats", "and", "dogs"], deps=["0:root", "3:cc", "0:root|1:conj"])
        >>> [tuple(edge) for edge in sentence.graph]
        [(0, 1, 'root'), (3, 2, 'cc'), (0, 3, 'root'), (1, 3, 'conj')]
        """
        empty = [(row, id_) for row, id_ in self._other_rows(".")]
        nodes: list[tuple[int, Id, str]] = [(self._row(word), word + 1, cell) for word, cell in enumerate(self.deps)]
        nodes += [(row, node.id, node.deps) for (row, _), node in zip(empty, self.empty_nodes, strict=True)]
        known: set[Id] = {0, *range(1, len(self) + 1), *(id_ for _, id_ in empty)}
        edges = []
        for row, modifier, cell in sorted(nodes):
            if cell in ("_", ""):
                continue
            for part in cell.split("|"):
                head, colon, label = part.partition(":")
                head_id: Id = int(head) if head.isascii() and head.isdigit() else head
                if not colon or head_id not in known:
                    raise self._error(
                        row,
                        f"DEPS of {modifier} has {shown(part)}; expected head:label, the head "
                        f"0, a word up to {len(self)} or an empty node",
                    )
                edges.append(Edge(head_id, modifier, label))
        return edges

    @graph.setter
    def graph(self, edges: Iterable[tuple[Id, Id, str]]) -> None:
        rows = {id_: row for row, id_ in self._other_rows(".")}
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
        heads = self.heads
        if level != "partial" and heads.min() < 0:
            word = int(heads.argmin())
            raise self._error(self._row(word), f"word {word + 1} has no head (_); expected a complete tree")
        if cycle := find_cycle(from_conll(heads.clip(min=0))):
            circle = " <- ".join(map(str, cycle + cycle[:1]))
            raise self._error(self._row(cycle[0] - 1), f"the heads run in a circle: {circle}; expected a tree")
        roots = np.flatnonzero(heads == 0)
        if level == "single-root" and len(roots) > 1:
            words = ", ".join(str(word + 1) for word in roots)
            problem = f"{len(roots)} words hang from the root: {words}; expected one"
            raise self._error(self._row(int(roots[1])), problem)

    # -- writing

    def __str__(self) -> str:
        """The sentence's own lines as they would be written, without the blank line after it."""
        text = self.written()
        start = end_of_opening(text)
        start = COMMENTS.search(text, 0, start).start()  # type: ignore[union-attr]  # it matches the empty string
        blank = BLANK_LINES.search(text, start)
        return text[start : blank.start() + 1] if blank else text[start:]

    def written(self) -> str:
        """The text with the changed cells and comments in it, blank lines and all."""
        edits = self._edits()
        comments = self._comments
        if comments is not None and comments == self._read_comments():
            comments = None
        if not edits and comments is None:
            return self._text
        opening = self._text[: self._start]
        body = self._text[self._start : self._end]
        if comments is not None:
            opening = opening[: self._comment_start()] + self._comment_block(comments)
        return opening + (_edited(body, edits) if edits else body) + self._text[self._end :]

    def _comment_block(self, comments: list[str]) -> str:
        for number, line in enumerate(comments):
            if not line.startswith("#") or "\n" in line:
                raise ValueError(f"comments[{number}] is {shown(line)}; expected one line that begins with #")
        newline = "\r\n" if "\r\n" in self._text else "\n"
        return "".join(line + newline for line in comments)

    def _edits(self) -> dict[int, dict[int, str]]:
        """Row -> column -> what must stand there, for the cells that differ from the text."""
        edits: dict[int, dict[int, str]] = {}
        for column, values in self._columns.items():
            cells = self._cells(column)
            if values == cells:
                continue
            if len(values) != len(cells):
                raise ValueError(f"{column} has {len(values)} entries; the sentence has {len(cells)} words")
            if column not in self.layout.index:
                raise self._no_column(column)
            for word, (value, cell) in enumerate(zip(values, cells, strict=True)):
                if value != cell:
                    _check_cell(value, f"{column}[{word}]")
                    edits.setdefault(self._row(word), {})[self.layout.index[column]] = value
        if self._heads is not None and self._heads.tolist() != self._numbers:
            for word, head in enumerate(_checked_heads(self._heads, len(self)).tolist()):
                if head != self._numbers[word]:
                    value = "_" if head < 0 else str(head)
                    edits.setdefault(self._row(word), {})[self.layout.index["HEAD"]] = value
        for row, value in self._empty_deps.items():
            if value != self._cell(row, "DEPS"):
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
            _check_cell(token.form, f"token {token.first}-{token.last}")
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
        return sentence.copy()

    def copy(self) -> Sentence:
        """An independent copy, changes included."""
        copy = Sentence.__new__(Sentence)
        copy.__setstate__(self.__getstate__())
        return copy

    def converted(self, layout: Layout) -> Sentence:
        """The same sentence in other columns, those of the same name kept; itself if it has those already.

        CoNLL-X has neither comments, nor multiword tokens, nor empty nodes: they are left out.

        >>> from treewright.corpus import CONLLX
        >>> str(Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"]).converted(CONLLX)).split("\\n")[0]
        '1\\tDogs\\t_\\tNOUN\\t_\\t_\\t_\\t_\\t_\\t_'
        """
        if layout == self.layout:
            return self
        old = self.copy()
        only_words = layout.format == "conllx"
        rows = old._rows if only_words else None
        names = [OLDER_NAMES.get(name, name) for name in layout.columns]
        lines = []
        for row in range(len(old._fields) // old.layout.width) if rows is None else rows:
            cells = [old._cell(row, name) for name in names]
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

    def __getstate__(self) -> tuple[str, Layout, str, int, Any, Any]:
        return self.written(), self.layout, self.source, self.line, self.parse, self.confidence

    def __setstate__(self, state: tuple[str, Layout, str, int, Any, Any]) -> None:
        text, layout, source, line, parse, confidence = state
        self.__init__(text, layout=layout, source=source, line=line)  # type: ignore[misc]
        self.parse, self.confidence = parse, confidence

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


CHECKS = ("format", "partial", "tree", "single-root", "graph")


def end_of_opening(text: str, position: int = 0) -> int:
    """Where the first word's line begins, or the end."""
    match = OPENING.match(text, position)
    return match.end() if match else position


def _first_ids(words: int) -> list[str]:
    return FIRST_IDS + [f"{MARK}{number}" for number in range(len(FIRST_IDS) + 1, words + 1)]


def _read_id(id_: str) -> tuple[str, int, int]:
    """("word", 3, 0), ("token", 3, 4) for 3-4, ("empty", 8, 1) for 8.1, or ("", 0, 0)."""
    for kind, sign in (("token", "-"), ("empty", ".")):
        first, found, second = id_.partition(sign)
        if found and _is_number(first) and _is_number(second):
            return kind, int(first), int(second)
    return ("word", int(id_), 0) if _is_number(id_) else ("", 0, 0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9 and (text[0] != "0" or text == "0")


def _is_head(cell: str, words: int) -> bool:
    try:
        return NUMBERS[cell] <= words
    except KeyError:
        return False


def _wrong_id(id_: str, kind: str, words: int, last_of_token: int) -> str:
    found = f"ID {shown(id_)} follows word {words}" if words else f"ID {shown(id_)} comes first"
    if kind == "token":
        if words < last_of_token:
            return (
                f"{found}, inside the multiword token that ends with {last_of_token}; expected no token within a token"
            )
        return f"{found}; expected a token here to begin with {words + 1} and to end no earlier"
    if kind == "empty":
        return f"{found}; expected empty nodes here to be {words}.1, {words}.2, ... in this order"
    return f"{found}; expected {words + 1}"


def _wrong_width(line: str, layout: Layout) -> str:
    width = line.count("\t") + 1
    found = f"{width} column{'s' * (width > 1)} ({shown(line)})"
    hint = "; the columns are separated by spaces, not tabs" if width == 1 and len(line.split()) > 1 else ""
    return f"{found}; expected the {layout.width} of {layout.format}, separated by tabs{hint}"


def _check_cell(value: str, name: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; expected a string")
    if not value or "\t" in value or "\n" in value or "\r" in value:
        raise ValueError(
            f"{name} is {shown(value)}; expected a cell: not empty ('_' says nothing), no tab, no line break"
        )


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

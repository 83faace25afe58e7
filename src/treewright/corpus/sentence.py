"""A sentence as its file has it, and as columns.

A sentence keeps the text it was read from. Columns are extracted from it on first use, and writing compares them
with the text: a cell that was changed is rewritten, everything else is written byte for byte as it was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.calls import explained_methods
from treewright.corpus import block, building, convert
from treewright.corpus.arguments import cell_list, check_iterable
from treewright.corpus.block import BLANK_LINES, end_of_opening
from treewright.corpus.cells import BadRow, Cells, cut
from treewright.corpus.checks import CHECKS, check_cell, check_cells, checked_heads, problem_of_heads
from treewright.corpus.derived import CERTIFICATE, without_certificate, without_probabilities
from treewright.corpus.graph import BadEdge, cells_of_edges, edges_in
from treewright.corpus.layout import CONLLU, OLDER_NAMES, Layout
from treewright.corpus.nodes import Edge, EmptyNode, Id, Token
from treewright.corpus.offsets import Offsets, offsets_of, surface_tokens
from treewright.corpus.reader import shown
from treewright.corpus.word import Word
from treewright.errors import FormatError, InputError

if TYPE_CHECKING:
    import networkx
    import nltk
    import pandas
    import spacy

Confidence = NDArray[np.float64]  # one probability a word
Results = tuple[Any, Confidence | None, Confidence | None, Confidence | None]  # parse, and probabilities (see Sentence)


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


@explained_methods
class Sentence:
    """A sentence: columns with one entry a word, comments, multiword tokens and empty nodes.

    >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
    >>> sentence.forms, sentence.heads.tolist(), len(sentence)
    (['Dogs', 'bark'], [2, 0], 2)
    >>> sentence.deprels[0] = "nsubj"
    >>> str(sentence).splitlines()[0]
    '1\\tDogs\\t_\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_'
    """

    __slots__ = (
        *("layout", "source", "line", "parse", "head_confidence", "label_confidence", "tag_confidence", "reading"),
        *("_text", "_start", "_end", "_cells"),  # what was read: the words' lines are _text[_start:_end]
        *("_columns", "_heads", "_comments", "_empty_deps"),  # accessed or changed; None or empty before that
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
    parse: Any  # the result of the parser that set the heads: score, bound, certificate
    head_confidence: Confidence | None  # the probability of each word's head; NaN where it is not known
    label_confidence: Confidence | None  # the probability of each word's label
    tag_confidence: Confidence | None  # the probability of each word's tag
    reading: Any  # what a network says of the words (treewright.network), from tagging to parsing; not kept in results

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
        """For readers: the sentence in text whose words are the lines text[start:end], in the columns of layout.

        source and line are its place in messages.
        """
        sentence = cls.__new__(cls)
        sentence._set(text, start, end, layout, source, line)
        return sentence

    def sharing(self, seen: dict[str, str]) -> Sentence:
        """Itself, with equal cells replaced by one string in `seen`: saves memory when many sentences are kept."""
        fields = self._cells.fields
        fields[:] = map(seen.setdefault, fields, fields)
        return self

    def _set(self, text: str, start: int, end: int, layout: Layout, source: str, line: int) -> None:
        self._text, self._start, self._end = text, start, end
        self.layout, self.source, self.line = layout, source, line
        self._unchanged()
        try:
            self._cells: Cells = cut(text[start:end], layout)
        except BadRow as error:
            raise FormatError(source, self._line_of_row(error.row, "\n#" in text[start:end]), error.problem) from None

    def _unchanged(self) -> None:
        self.parse = self.head_confidence = self.label_confidence = self.tag_confidence = self.reading = None
        self._columns: dict[str, list[str]] = {}
        self._heads: NDArray[np.int32] | None = None
        self._comments: list[str] | None = None
        self._empty_deps: dict[int, str] = {}

    def _error(self, row: int, problem: str) -> FormatError:
        return FormatError(self.source, self._line_of_row(row, self._cells.has_comments), problem)

    def _line_of_row(self, row: int, has_comments: bool) -> int:
        first = self.line + self._text.count("\n", 0, self._start)
        if not has_comments:
            return first + row
        lines = self._text[self._start : self._end].split("\n")
        return first + [number for number, line in enumerate(lines) if not line.startswith("#")][row]

    def line_of(self, word: int) -> int:
        """The line, in the file, of a word, counted from 1 as its ID is."""
        return self._line_of_row(self._cells.row(word - 1), self._cells.has_comments)

    def lines(self) -> Sequence[int]:
        """The line, in the file, of each word."""
        if self._cells.has_comments:
            return [self.line_of(word) for word in range(1, len(self) + 1)]
        first = self._line_of_row(0, False)
        rows = self._cells.rows
        return range(first, first + len(self)) if rows is None else [first + row for row in rows]

    @property
    def confidence(self) -> Confidence | None:
        """Another name of `head_confidence`."""
        return self.head_confidence

    @confidence.setter
    def confidence(self, values: Confidence | None) -> None:
        self.head_confidence = values

    # -- columns

    def __len__(self) -> int:
        return self._cells.words()

    def __iter__(self) -> Iterator[Word]:
        return (Word(self, number) for number in range(1, len(self) + 1))

    @overload
    def __getitem__(self, place: SupportsIndex) -> Word: ...
    @overload
    def __getitem__(self, place: slice) -> list[Word]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Word | list[Word]:
        """The word at a place, counted from 0, or the words of a slice.

        >>> sentence = Sentence.from_words(["Dogs", "bark"])
        >>> sentence[0], sentence[-1].form, sentence[:1]
        (<Word 1: Dogs>, 'bark', [<Word 1: Dogs>])
        """
        numbers = range(1, len(self) + 1)
        if isinstance(place, slice):
            return [Word(self, number) for number in numbers[place]]
        try:
            return Word(self, numbers[place])
        except IndexError:
            raise IndexError(f"sentence[{place}]: the sentence has {len(self)} words, counted from 0") from None

    @property
    def root(self) -> Word:
        """The word whose head is the root; the first of them if there are several."""
        if roots := self.roots:
            return roots[0]
        raise InputError(f"{self.place}: no word is attached to the root")

    @property
    def roots(self) -> list[Word]:
        """The words whose head is the root, in order."""
        return [self[place] for place in np.flatnonzero(self.heads == 0).tolist()]

    def column(self, name: str) -> list[str]:
        """The column of that name, one entry a word; "_" throughout if the file has none."""
        found = self._columns.get(name)
        if found is None:
            if name in ("ID", "HEAD"):
                raise ValueError(f"column {name}: words are numbered from 1, and their heads are in `heads`")
            found = self._columns[name] = self._cells.column(name)
        return found

    def cells(self, *names: str) -> Iterator[tuple[str, ...]]:
        """The words, each as its cells of these columns.

        >>> list(Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"]).cells("UPOS", "FORM"))
        [('NOUN', 'Dogs'), ('VERB', 'bark')]
        """
        changed, read = self._columns, self._cells
        return zip(*[changed[name] if name in changed else read.column(name) for name in names], strict=True)

    def token_lines(self) -> str:
        """The lines of words and multiword tokens in the ten columns of CoNLL-U, as they would be written.

        Comments and empty nodes are left out; line breaks stand between the lines, and none after the last.
        """
        if self.layout is CONLLU and not self._cells.has_comments and not self._cells.other_rows("."):
            body = self._body()
            if "\r" not in body:
                return body
        written = _restored(*self._state()).converted(CONLLU)._cells
        empty = {row for row, _ in written.other_rows(".")}
        lines = building.text_of(written).split("\n")
        return "\n".join(line for row, line in enumerate(lines) if row not in empty)

    def set_column(self, name: str, values: Iterable[str]) -> None:
        """Replace the column of this name by values, one for each word. Writing rewrites the cells that differ."""
        values = cell_list(values, name)
        if len(values) != len(self.column(name)):
            raise ValueError(f"{name} has {len(values)} entries; the sentence has {len(self)} words")
        self.check_has_column(name)
        check_cells(values, name)
        self._columns[name] = values

    def check_has_column(self, name: str) -> None:
        """Raise an InputError if the format has no column of this name to write to."""
        if name in self.layout.index:
            return
        columns = " ".join(self.layout.columns)
        remedy = "converted(CONLLU) gives the sentence all ten of CoNLL-U"
        raise InputError(f"{self.place}: no column {name} to write to, only {columns}; {remedy}")

    @property
    def heads(self) -> NDArray[np.int32]:
        """The head of each word: 0 the root, 1 the first word, -1 where none is given ("_")."""
        if self._heads is None:
            self._heads = np.array(self._cells.heads, dtype=np.int32)
        return self._heads

    @heads.setter
    def heads(self, values: ArrayLike) -> None:
        self.check_has_column("HEAD")
        self._heads = checked_heads(values, len(self))

    def head_numbers(self) -> list[int]:
        """The heads as a list; cheaper than `heads` for a single pass over many sentences."""
        if self._heads is None:
            return self._cells.heads
        numbers: list[int] = checked_heads(self._heads, len(self)).tolist()
        return numbers

    # -- comments, multiword tokens, empty nodes

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
        start = block.comment_start(self._text, self._start)
        return [line.removesuffix("\r") for line in self._text[start : self._start].split("\n")[:-1]]

    def comment(self, name: str) -> str | None:
        """The value of the comment "# name = value".

        >>> Sentence("# newdoc id = fables\\n1\\tWolves\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\n").comment("newdoc id")
        'fables'
        """
        for line in self.comments:
            found, value = block.name_and_value(line)
            if found == name:
                return value
        return None

    def set_comment(self, name: str, value: str) -> None:
        """Put "# name = value" in the place of the comment of that name, or after the other comments."""
        block.set_comment(self.comments, name, value)

    @property
    def sent_id(self) -> str | None:
        """The comment "# sent_id"."""
        return self.comment("sent_id")

    @sent_id.setter
    def sent_id(self, value: str) -> None:
        self.set_comment("sent_id", value)

    @property
    def text(self) -> str:
        """The comment "# text"; without one, the tokens joined according to SpaceAfter."""
        text = self.comment("text")
        return self.joined() if text is None else text

    @text.setter
    def text(self, value: str) -> None:
        self.set_comment("text", value)

    def joined(self) -> str:
        """The tokens, with a space after each that does not have SpaceAfter=No.

        >>> Sentence.from_words(["Go", "!"], misc=["SpaceAfter=No", "_"]).joined()
        'Go!'
        """
        pieces: list[str] = []
        for token in surface_tokens(self.forms, self.misc, self.tokens):
            pieces += [token.form, "" if "SpaceAfter=No" in token.misc.split("|") else " "]
        return "".join(pieces[:-1])

    def offsets(self) -> list[Offsets]:
        """The offsets, in characters, of each word's begin and end in the text; `word.begin` and `word.end` are these.

        A tokeniser writes them into MISC as TokenRange=begin:end; they refer to the whole text that it was given.
        Without TokenRange they refer to `text`, and an InputError names the first word that is not found there. The
        words of a multiword token have its parts if their forms make up its form ("do" and "n't"), else all of it.

        >>> Sentence.from_words(["Go", "!"], text="Go!").offsets()
        [(0, 2), (2, 3)]
        """
        try:
            return offsets_of(list(surface_tokens(self.forms, self.misc, self.tokens)), self.forms, self.text)
        except InputError as error:
            raise InputError(f"{self.place}: {error}") from None

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
        """The nodes of the enhanced graph that are not words, in order."""
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
        edges: list[Edge] = []
        for row, modifier, cell in sorted(nodes):
            try:
                edges += edges_in(cell, modifier, known)
            except BadEdge as error:
                expected = f"head:label with 0, a word up to {len(self)} or an empty node as head"
                problem = f"DEPS of {modifier} has {shown(error.args[0])}; expected {expected}"
                raise self._error(row, problem) from None
        return edges

    @graph.setter
    def graph(self, edges: Iterable[tuple[Id, Id, str]]) -> None:
        rows = {id_: row for row, id_ in self._cells.other_rows(".")}
        edges = list(edges)
        for head, modifier, label in edges:
            for id_ in (head, modifier):
                if id_ not in rows and not (isinstance(id_, int) and 0 <= id_ <= len(self)):
                    raise ValueError(f"edge {(head, modifier, label)}: the sentence has no node {id_!r}")
        cells = cells_of_edges(edges)
        self.deps = [cells.get(word, "_") for word in range(1, len(self) + 1)]
        self._empty_deps = {row: cells.get(id_, "_") for id_, row in rows.items()}

    # -- checks

    def check(self, level: str = "tree") -> None:
        """Raise a FormatError unless the heads are what `level` requires.

        "partial": no cycle among the heads that are given. "tree": also, every word has a head. "single-root":
        also, exactly one word is attached to the root; "partial-single-root": at most one of the heads given is the
        root. "graph": DEPS can be read.

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
        if problem := problem_of_heads(self.head_numbers(), level):
            word, what = problem
            raise self._error(self._cells.row(word), what)

    # -- writing

    def __str__(self) -> str:
        """The sentence's own lines as they would be written, without the blank line after them."""
        _, lines, _ = self._pieces()
        return lines + "\n"

    def written(self) -> str:
        """The text with the changed cells and comments in it, and everything around it."""
        if not self._columns and self._heads is None and self._comments is None:
            return self._text  # no column or comment has been accessed
        return "".join(self._pieces())

    def _pieces(self) -> tuple[str, str, str]:
        """The text before the sentence's own lines (it belongs to the file), those lines, the text after them."""
        start = block.comment_start(self._text, self._start)
        comments = self._text[start : self._start]
        if self._comments is not None and self._comments != self._read_comments():
            comments = block.comment_block(self._comments, block.newline_of(self._text))
        return self._text[:start], comments + self._body(), self._text[self._end :]

    def _body(self) -> str:
        """The lines of the words as they would be written."""
        body = self._text[self._start : self._end]
        edits = self._edits()
        return block.edited(body, edits) if edits else body

    def _edits(self) -> dict[int, dict[int, str]]:
        """Row -> column -> what must stand there, for the cells that differ from the text."""
        edits: dict[int, dict[int, str]] = {}
        for name, values in self._columns.items():
            cells = self._cells.column(name)
            if values == cells:
                continue
            if len(values) != len(cells):
                raise ValueError(f"{name} has {len(values)} entries; the sentence has {len(cells)} words")
            self.check_has_column(name)
            for word, (value, cell) in enumerate(zip(values, cells, strict=True)):
                if value != cell:
                    check_cell(value, f"{name}[{word}]")
                    edits.setdefault(self._cells.row(word), {})[self.layout.index[name]] = value
        if self._heads is not None and self._heads.tolist() != self._cells.heads:
            self.check_has_column("HEAD")
            for word, head in enumerate(checked_heads(self._heads, len(self)).tolist()):
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
        source: str = "<words>",
    ) -> Sentence:
        """A sentence that comes from no file: forms, and one value a word for each column that is given.

        lemmas, upos, xpos, feats, deprels, deps and misc are strings, heads CoNLL numbers; a column that is not given
        holds "_". tokens are multiword tokens, comments whole lines; sent_id and text are written as comments.
        Messages call the sentence `source`.

        >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
        >>> sentence.forms, sentence.heads.tolist(), sentence.lemmas
        (['Dogs', 'bark'], [2, 0], ['_', '_'])
        """
        check_iterable(forms, "a list of words (text.split(), or treewright.tokeniser.Tokeniser()(text))", "forms")
        check_iterable(comments, "a list of lines", "comments")
        given = {"FORM": forms, "LEMMA": lemmas, "UPOS": upos, "XPOS": xpos, "FEATS": feats}
        given |= {"DEPREL": deprels, "DEPS": deps, "MISC": misc}
        columns = {name: cell_list(values, name) for name, values in given.items() if values is not None}
        words = len(columns["FORM"])
        if not words:
            raise ValueError("forms is empty; a sentence has at least one word")
        numbers = [-1] * words if heads is None else checked_heads(heads, words).tolist()
        lines = list(comments)
        for name, value in (("sent_id", sent_id), ("text", text)):
            if value is not None:
                block.set_comment(lines, name, value)
        try:
            cells = building.cells_of(columns, numbers, [Token(*token) for token in tokens])
        except BadRow as error:
            raise FormatError(source, len(lines) + error.row + 1, error.problem) from None
        sentence = cls.__new__(cls)
        opening, body = block.comment_block(lines), building.text_of(cells)
        sentence._text, sentence._start, sentence._end = f"{opening}{body}\n\n", len(opening), len(opening) + len(body)
        sentence._cells = cells
        sentence.layout, sentence.source, sentence.line = CONLLU, source, 1
        sentence._unchanged()
        return sentence

    def copy(self) -> Sentence:
        """An independent copy, changes included."""
        copy = Sentence.__new__(Sentence)
        copy._text, copy._start, copy._end, copy._cells = self._text, self._start, self._end, self._cells
        copy.layout, copy.source, copy.line = self.layout, self.source, self.line
        copy._set_results(self._results())
        copy.reading = self.reading
        copy._columns = {name: cells.copy() for name, cells in self._columns.items()}
        copy._heads = None if self._heads is None else self._heads.copy()
        copy._comments = None if self._comments is None else self._comments.copy()
        copy._empty_deps = self._empty_deps.copy()
        return copy

    def with_tree(
        self,
        heads: NDArray[np.int32],
        deprels: list[str],
        parse: Any,
        head_confidence: Confidence | None = None,
        label_confidence: Confidence | None = None,
    ) -> Sentence:
        """A copy with heads and deprels, the parse that they come from, head_confidence and label_confidence.

        The tree is not checked, and its arrays are not copied. What describes an earlier tree is removed (see
        `clear_derived`).
        """
        for name in ("HEAD", "DEPREL"):
            self.check_has_column(name)
        copy = self.copy()
        copy.clear_derived()
        copy._heads, copy._columns["DEPREL"] = heads, deprels
        copy.parse, copy.head_confidence, copy.label_confidence = parse, head_confidence, label_confidence
        copy.reading = None
        return copy

    def clear_derived(self) -> None:
        """Remove what describes an earlier tree: DEPS, probabilities of heads in MISC, the certificate of a parser.

        >>> sentence = Sentence.from_words(["Run"], heads=[0], deps=["0:root"], misc=["Confidence=0.98"])
        >>> sentence.clear_derived()
        >>> sentence.deps, sentence.misc
        (['_'], ['_'])
        """
        self.clear_graph()
        if "MISC" in self.layout.index and any("Confidence=" in cell for (cell,) in self.cells("MISC")):
            self._columns["MISC"] = [without_probabilities(cell) for (cell,) in self.cells("MISC")]
        if self._comments is not None or f"# {CERTIFICATE} =" in self._text[: self._start]:
            self.comments = without_certificate(self.comments)

    def clear_graph(self) -> None:
        """Empty DEPS, that of empty nodes included."""
        if "DEPS" in self.layout.index:
            if any(cell != "_" for (cell,) in self.cells("DEPS")):
                self._columns["DEPS"] = ["_"] * len(self)
            self._empty_deps = {row: "_" for row, _ in self._cells.other_rows(".")}

    def copy_graph(self, other: Sentence) -> None:
        """Set DEPS, and that of empty nodes, to those of another version of the sentence, cell by cell."""
        self.deps = other.deps.copy()
        self.copy_graph_of_empty_nodes(other)

    def copy_graph_of_empty_nodes(self, other: Sentence) -> None:
        """Set DEPS of empty nodes alone to that of another version of the sentence."""
        self._empty_deps = {
            row: node.deps for (row, _), node in zip(self._cells.other_rows("."), other.empty_nodes, strict=True)
        }

    def _results(self) -> Results:
        return self.parse, self.head_confidence, self.label_confidence, self.tag_confidence

    def _set_results(self, results: Results) -> None:
        self.parse, self.head_confidence, self.label_confidence, self.tag_confidence = results

    def _state(self) -> tuple[str, Layout, str, int, Results]:
        return self.written(), self.layout, self.source, self.line, self._results()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._state()

    def converted(self, layout: Layout) -> Sentence:
        """The same sentence in the columns of layout, those of the same name kept; itself if it has them already.

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
        newline = block.newline_of(old._text)
        new = Sentence(newline.join(comments + lines + ["", ""]), layout=layout, source=self.source, line=self.line)
        new._set_results(self._results())
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

    # -- other data structures

    def to_dict(self) -> dict[str, Any]:
        """The sentence as plain values that JSON can hold: words with their cells, places in the text, probabilities.

        Cells that are "_" are left out. `treewright parse --to json` writes the same; `from_dict` is the inverse.

        >>> Sentence.from_words(["Go", "!"], upos=["VERB", "PUNCT"], heads=[0, 1]).to_dict()["words"][1]
        {'id': 2, 'form': '!', 'upos': 'PUNCT', 'head': 1}
        """
        return convert.to_dict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Sentence:
        """The sentence of a value that `to_dict` returned, or of words alone.

        >>> Sentence.from_dict({"words": ["It", "rains"]}).forms
        ['It', 'rains']
        """
        if "words" not in value:
            raise InputError("value has no words; expected what `to_dict` returns")
        sentence = cls.from_words(**convert.from_dict(value))
        for attribute, probabilities in convert.confidence_from(value).items():
            setattr(sentence, attribute, probabilities)
        return sentence

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas DataFrame: a row for each word, a column for each column of CoNLL-U, offsets and probabilities.

        Offsets that are not known (see `offsets`) are <NA>, probabilities NaN.
        """
        return convert.to_dataframe([self], numbered=False)

    def to_networkx(self) -> networkx.DiGraph:
        """The tree as a networkx graph with an edge from each head to its modifier; node 0 is the root.

        Nodes have the attributes form, lemma, upos, xpos and feats (a dictionary), edges have deprel.
        """
        return convert.to_networkx(self)

    def to_nltk(self) -> nltk.DependencyGraph:
        """The tree as a DependencyGraph of NLTK; a FormatError if a word has no head."""
        return convert.to_nltk(self)

    def to_spacy(self, vocab: spacy.Vocab | None = None) -> spacy.tokens.Doc:
        """A Doc of spaCy with a token for each word: tags, lemmas, morphology, spaces, heads and labels.

        vocab is the Vocab of the Doc; an empty one if None.

        Heads and labels are those of a complete tree; if a word has no head, only the start of the sentence is set.
        As in spaCy's own converter, the label "root" becomes "ROOT". A UPOS that spaCy does not have is left empty.
        """
        return convert.to_spacy([self], vocab)

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
        """The picture in a notebook."""
        from treewright.draw import svg  # imported on use: few programs draw

        return str(svg(self))


def _restored(text: str, layout: Layout, source: str, line: int, results: Results) -> Sentence:
    sentence = Sentence(text, layout=layout, source=source, line=line)
    sentence._set_results(results)
    return sentence

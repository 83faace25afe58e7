"""A sentence as its file has it, and as columns.

A sentence keeps the text it was read from. Columns are extracted from it on first use, and writing compares them
with the text: a cell that was changed is rewritten, everything else is written byte for byte as it was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.corpus import convert
from treewright.corpus.block import (
    BLANK_LINES,
    Block,
    NewBlock,
    end_of_opening,
    lines_before_row,
    name_and_value,
    newline_of,
    read_block,
    set_comment,
)
from treewright.corpus.cells import BadRow
from treewright.corpus.checks import (
    CHECKS,
    check_cells,
    check_changed,
    check_iterable,
    checked_heads,
    problem_of_heads,
)
from treewright.corpus.chunks import NounChunk, noun_chunks
from treewright.corpus.confidence import clear_derived
from treewright.corpus.graph import BadEdge, Edge, EmptyNode, Id, Token, cells_of_edges, edges_in
from treewright.corpus.layout import CONLLU, OLDER_NAMES, Layout
from treewright.corpus.offsets import Offsets, join_tokens, offsets_of, surface_tokens
from treewright.corpus.reader import shown
from treewright.corpus.word import Word
from treewright.errors import FormatError, InputError

Confidence = NDArray[np.float64]  # one probability a word


class ParseResult(Protocol):
    """What a parser says of the tree that it chose; `treewright.decode.Parse` is one, and describes the attributes."""

    @property
    def heads(self) -> NDArray[np.int32]: ...
    @property
    def score(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def certified(self) -> bool: ...
    @property
    def certificate(self) -> str | None: ...
    @property
    def status(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def pruned(self) -> bool: ...
    @property
    def parts(self) -> int: ...
    @property
    def trace(self) -> Mapping[str, NDArray[Any]] | None: ...


def column_property(name: str) -> Any:
    """Return the property for a column: a list with one entry a word, to read, to assign, and to change in place."""

    def read(sentence: Sentence) -> list[str]:
        return sentence.column(name)

    def write(sentence: Sentence, values: Iterable[str]) -> None:
        sentence.set_column(name, values)

    return property(read, write, doc=f"The column {name}, one entry a word.")


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
        *("_block", "_columns", "_heads", "_comments", "_empty_deps"),
    )

    forms: list[str] = column_property("FORM")
    lemmas: list[str] = column_property("LEMMA")
    upos: list[str] = column_property("UPOS")
    xpos: list[str] = column_property("XPOS")
    feats: list[str] = column_property("FEATS")
    deprels: list[str] = column_property("DEPREL")
    deps: list[str] = column_property("DEPS")
    misc: list[str] = column_property("MISC")

    layout: Layout
    source: str  # the file it came from
    line: int  # where its text begins there
    parse: ParseResult  # of the parser that set the heads; None in other sentences, which the type leaves out
    head_confidence: Confidence | None  # the probability of each word's head; NaN where it is not known
    label_confidence: Confidence | None  # the probability of each word's label
    tag_confidence: Confidence | None  # the probability of each word's tag
    reading: object  # what a network says of the words (network.Reading), from tagging to parsing; not kept in results
    _block: Block | NewBlock  # what was read, or made
    # Accessed or changed; None or empty before that.
    _columns: dict[str, list[str]]
    _heads: NDArray[np.int32] | None
    _comments: list[str] | None
    _empty_deps: dict[int, str]  # row -> DEPS of an empty node

    def __init__(self, text: str, *, layout: Layout = CONLLU, source: str = "<text>", line: int = 1) -> None:
        """Read the one sentence that `text` holds; files are read with treewright.read."""
        start = end_of_opening(text)
        if start == len(text):
            raise FormatError(source, line, "no words here; expected the lines of one sentence")
        blank = BLANK_LINES.search(text, start)
        end = blank.start() if blank else len(text) - text.endswith("\n")
        if blank and end_of_opening(text, blank.end()) < len(text):
            further = line + text.count("\n", 0, blank.end())
            raise FormatError(source, further, "a second sentence; expected one (treewright.read streams many)")
        _fill(self, read_block(text, start, end, layout, source, line), source, line)

    # -- words and columns

    def __len__(self) -> int:
        return len(self._block.heads)

    def __iter__(self) -> Iterator[Word]:
        return (Word(self, number) for number in range(1, len(self) + 1))

    @overload
    def __getitem__(self, place: SupportsIndex) -> Word: ...
    @overload
    def __getitem__(self, place: slice) -> list[Word]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Word | list[Word]:
        """Return the word at a place, counted from 0, or the words of a slice.

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
        roots = np.flatnonzero(self.heads == 0)
        if not len(roots):
            raise InputError(f"{self.place}: no word is attached to the root")
        return Word(self, int(roots[0]) + 1)

    @property
    def noun_chunks(self) -> list[NounChunk]:
        """The nouns, proper nouns and pronouns, each with the words that describe it, in order.

        In terms of Universal Dependencies: before the noun its modifiers by det, clf, amod, nummod, compound, flat,
        fixed, goeswith and nmod:poss, each with all words below it, after the noun those of its modifiers
        that have none below them, as long as the words are next to each other. A chunk inside another one is left out.

        >>> words = ["The", "cat", "'s", "tail", "moved"]
        >>> tags, labels = ["DET", "NOUN", "PART", "NOUN", "VERB"], ["det", "nmod:poss", "case", "nsubj", "root"]
        >>> sentence = Sentence.from_words(words, upos=tags, heads=[2, 4, 2, 5, 0], deprels=labels)
        >>> sentence.noun_chunks, sentence.noun_chunks[0].root
        ([<NounChunk The cat 's tail>], <Word 4: tail>)
        """
        return noun_chunks(self)

    def column(self, name: str) -> list[str]:
        """Return the column of that name, one entry a word; "_" throughout if the file has none."""
        column = self._columns.get(name)
        if column is None:
            if name in ("ID", "HEAD"):
                raise ValueError(f"column {name}: words are numbered from 1, and their heads are in `heads`")
            column = self._columns[name] = self._block.column(name)
        return column

    def cells(self, *names: str) -> Iterator[tuple[str, ...]]:
        """Yield each word as its cells of these columns.

        >>> list(Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"]).cells("UPOS", "FORM"))
        [('NOUN', 'Dogs'), ('VERB', 'bark')]
        """
        changed, block = self._columns, self._block
        return zip(*[changed[name] if name in changed else block.column(name) for name in names], strict=True)

    def set_column(self, name: str, values: Iterable[str]) -> None:
        """Replace the column of this name by values, one for each word. Writing rewrites the cells that differ."""
        check_iterable(values, "a list of strings, one a word", name)
        values = list(values)
        if len(values) != len(self.column(name)):
            raise ValueError(f"{name} has {len(values)} entries; the sentence has {len(self)} words")
        self.layout.check_has(name, self.place)
        check_cells(values, name)
        self._columns[name] = values

    @property
    def heads(self) -> NDArray[np.int32]:
        """The head of each word: 0 the root, 1 the first word, -1 where none is given ("_")."""
        if self._heads is None:
            self._heads = np.array(self._block.heads, dtype=np.int32)
        return self._heads

    @heads.setter
    def heads(self, values: ArrayLike) -> None:
        self.layout.check_has("HEAD", self.place)
        self._heads = checked_heads(values, len(self))

    def head_numbers(self) -> list[int]:
        """Return the heads as a list; cheaper than `heads` for a single pass over many sentences."""
        if self._heads is None:
            return self._block.heads
        numbers: list[int] = checked_heads(self._heads, len(self)).tolist()
        return numbers

    # -- comments and text

    @property
    def place(self) -> str:
        """Where the sentence is: file and line."""
        return f"{self.source}:{self.line}"

    @property
    def comments(self) -> list[str]:
        """The lines before the first word that begin with "#", whole; to read, to assign, and to change in place."""
        if self._comments is None:
            self._comments = self._block.comments()
        return self._comments

    @comments.setter
    def comments(self, lines: Iterable[str]) -> None:
        check_iterable(lines, "a list of lines", "comments")
        self._comments = list(lines)

    def comment(self, name: str) -> str | None:
        """Return the value of the comment "# name = value".

        >>> Sentence("# newdoc id = fables\\n1\\tWolves\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\n").comment("newdoc id")
        'fables'
        """
        for line in self.comments:
            line_name, value = name_and_value(line)
            if line_name == name:
                return value
        return None

    def set_comment(self, name: str, value: str) -> None:
        """Put "# name = value" in the place of the comment of that name, or after the other comments."""
        set_comment(self.comments, name, value)

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
        return join_tokens(surface_tokens(self)) if text is None else text

    @text.setter
    def text(self, value: str) -> None:
        self.set_comment("text", value)

    def offsets(self) -> list[Offsets]:
        """Return the offsets, in characters, of each word's begin and end, as `word.begin` and `word.end`.

        A tokeniser writes them into MISC as TokenRange=begin:end; they refer to the whole text that it was given.
        Without TokenRange they refer to `text`, and an InputError names the first word that is not found there. The
        words of a multiword token have its parts if their forms make up its form ("do" and "n't"), else all of it.

        >>> Sentence.from_words(["Go", "!"], text="Go!").offsets()
        [(0, 2), (2, 3)]
        """
        try:
            return offsets_of(list(surface_tokens(self)), self.forms, self.text)
        except InputError as error:
            raise InputError(f"{self.place}: {error}") from None

    # -- multiword tokens, empty nodes, the graph

    @property
    def tokens(self) -> list[Token]:
        """The multiword tokens, in order."""
        block, tokens = self._block, []
        for row, id_ in block.other_rows("-"):
            first, _, last = id_.partition("-")
            tokens.append(Token(int(first), int(last), block.cell(row, "FORM"), block.cell(row, "MISC")))
        return tokens

    @property
    def empty_nodes(self) -> list[EmptyNode]:
        """The nodes of the enhanced graph that are not words, in order."""
        columns = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "DEPS", "MISC")
        nodes = []
        for row, id_ in self._block.other_rows("."):
            cells = [self._block.cell(row, column) for column in columns]
            cells[5] = self._empty_deps.get(row, cells[5])
            nodes.append(EmptyNode(id_, *cells))
        return nodes

    @empty_nodes.setter
    def empty_nodes(self, nodes: Iterable[EmptyNode]) -> None:
        """Set the DEPS of the empty nodes; their number, order and other cells stay."""
        rows = [row for row, _ in self._block.other_rows(".")]
        self._empty_deps = {row: node.deps for row, node in zip(rows, nodes, strict=True)}

    @property
    def graph(self) -> list[Edge]:
        """The enhanced graph: one edge for every head:label in DEPS, in their order, empty nodes included.

        >>> sentence = Sentence.from_words(["cats", "and", "dogs"], deps=["0:root", "3:cc", "0:root|1:conj"])
        >>> [tuple(edge) for edge in sentence.graph]
        [(0, 1, 'root'), (3, 2, 'cc'), (0, 3, 'root'), (1, 3, 'conj')]
        """
        block = self._block
        nodes: list[tuple[int, Id, str]] = [(block.row(word), word + 1, cell) for word, cell in enumerate(self.deps)]
        rows = [row for row, _ in block.other_rows(".")]
        nodes += [(row, node.id, node.deps) for row, node in zip(rows, self.empty_nodes, strict=True)]
        known = {0, *(id_ for _, id_, _ in nodes)}
        edges: list[Edge] = []
        for row, modifier, cell in sorted(nodes):
            try:
                edges += edges_in(cell, modifier, known)
            except BadEdge as error:
                expected = f"head:label with 0, a word up to {len(self)} or an empty node as head"
                problem = f"DEPS of {modifier} has {shown(error.args[0])}; expected {expected}"
                raise FormatError(self.source, _line_of_row(self, row), problem) from None
        return edges

    @graph.setter
    def graph(self, edges: Iterable[tuple[Id, Id, str]]) -> None:
        empty = [id_ for _, id_ in self._block.other_rows(".")]
        edges = list(edges)
        for head, modifier, label in edges:
            for id_ in (head, modifier):
                if id_ not in empty and not (isinstance(id_, int) and 0 <= id_ <= len(self)):
                    raise ValueError(f"edge {(head, modifier, label)}: the sentence has no node {id_!r}")
        cells = cells_of_edges(edges)
        self.deps = [cells.get(word, "_") for word in range(1, len(self) + 1)]
        self.empty_nodes = [node._replace(deps=cells.get(node.id, "_")) for node in self.empty_nodes]

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
        elif level != "format" and (problem := problem_of_heads(self.head_numbers(), level)):
            raise FormatError(self.source, line_of(self, problem.word + 1), problem.reason, problem.conflict)

    # -- writing

    def __str__(self) -> str:
        """Return the sentence's own lines as they would be written, without the blank line after them."""
        lines = _new_lines(self)
        if lines is None:
            _, lines, _ = self._block.rewrite(_changed_fields(self), self._comments)
        return lines + "\n"

    def to_conllu(self) -> str:
        """Return the sentence as CoNLL-U, with the blank line after it: what `treewright.write` writes.

        >>> Sentence.from_words(["Run"], upos=["VERB"], heads=[0], deprels=["root"]).to_conllu()
        '1\\tRun\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n'
        """
        return f"{to_layout(self, CONLLU)}\n"

    def written(self) -> str:
        """Return the text with the changed cells and comments in it, and everything around it."""
        if not self._columns and self._heads is None and self._comments is None:
            return self._block.text  # no column or comment has been accessed
        lines = _new_lines(self)
        if lines is not None:
            return f"{lines}\n\n"
        return "".join(self._block.rewrite(_changed_fields(self), self._comments))

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
        """Return the picture in a notebook."""
        from treewright.draw import svg  # imported on use: few programs draw

        return str(svg(self))

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
        """Make a sentence that comes from no file: forms, and one value a word for each column that is given.

        lemmas, upos, xpos, feats, deprels, deps and misc are strings, heads CoNLL numbers; a column that is not given
        holds "_". tokens are multiword tokens, comments whole lines; sent_id and text are written as comments.
        Messages call the sentence `source`.

        >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
        >>> sentence.forms, sentence.heads.tolist(), sentence.lemmas
        (['Dogs', 'bark'], [2, 0], ['_', '_'])
        """
        check_iterable(forms, "a list of words (text.split(), or treewright.tokeniser.Tokeniser()(text))", "forms")
        check_iterable(comments, "a list of lines", "comments")
        columns = {"FORM": list(forms)}
        others = {"LEMMA": lemmas, "UPOS": upos, "XPOS": xpos, "FEATS": feats}
        others |= {"DEPREL": deprels, "DEPS": deps, "MISC": misc}
        for name, values in others.items():
            if values is not None:
                check_iterable(values, "a list of strings, one a word", name)
                columns[name] = list(values)
        words = len(columns["FORM"])
        if not words:
            raise ValueError("forms is empty; a sentence has at least one word")
        numbers: list[int] = [-1] * words if heads is None else checked_heads(heads, words).tolist()
        lines = list(comments)
        for name, value in (("sent_id", sent_id), ("text", text)):
            if value is not None:
                set_comment(lines, name, value)
        try:
            block = NewBlock(columns, numbers, [Token(*token) for token in tokens], lines).assemble()
        except BadRow as error:
            raise FormatError(source, len(lines) + error.row + 1, error.problem) from None
        return _fill(cls.__new__(cls), block, source, 1)

    def copy(self) -> Sentence:
        """Return an independent copy, changes included."""
        copy = _fill(Sentence.__new__(Sentence), self._block, self.source, self.line)
        _set_results(copy, _results(self))
        copy.reading = self.reading
        copy._columns = {name: cells.copy() for name, cells in self._columns.items()}
        copy._heads = None if self._heads is None else self._heads.copy()
        copy._comments = None if self._comments is None else self._comments.copy()
        copy._empty_deps = self._empty_deps.copy()
        return copy

    def with_columns(self, **columns: Any) -> Sentence:
        """Return a copy with some columns replaced.

        >>> Sentence.from_words(["Run"]).with_columns(heads=[0], deprels=["root"]).deprels
        ['root']
        """
        copy = self.copy()
        for name, values in columns.items():
            if name not in ("forms", "heads", *convert.COLUMNS.values()):
                raise ValueError(f"there is no column {name!r}")
            setattr(copy, name, values)
        return copy

    def set_tree(
        self,
        heads: NDArray[np.int32],
        deprels: list[str],
        parse: ParseResult,
        head_confidence: Confidence | None = None,
        label_confidence: Confidence | None = None,
    ) -> Sentence:
        """Set heads and deprels, the parse that they come from, head_confidence and label_confidence; return `self`.

        The tree is not checked, and its arrays are not copied. What describes an earlier tree is removed (see
        `treewright.corpus.confidence.clear_derived`).
        """
        for name in ("HEAD", "DEPREL"):
            self.layout.check_has(name, self.place)
        clear_derived(self)
        self._heads, self._columns["DEPREL"] = heads, deprels
        self.parse, self.head_confidence, self.label_confidence = parse, head_confidence, label_confidence
        self.reading = None
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.written(), self.layout, self.source, self.line, _results(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold: words with their cells, places in the text, probabilities.

        Cells that are "_" are left out. `treewright parse --to json` writes the same; `from_dict` is the inverse.

        >>> Sentence.from_words(["Go", "!"], upos=["VERB", "PUNCT"], heads=[0, 1]).to_dict()["words"][1]
        {'id': 2, 'form': '!', 'upos': 'PUNCT', 'head': 1}
        """
        return convert.to_dict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Sentence:
        """Make a sentence of a value that `to_dict` returned, or of words alone.

        >>> Sentence.from_dict({"words": ["It", "rains"]}).forms
        ['It', 'rains']
        """
        if "words" not in value:
            raise InputError("value has no words; expected what `to_dict` returns")
        sentence = cls.from_words(**convert.from_dict(value))
        for attribute, probabilities in convert.confidence_from(value).items():
            setattr(sentence, attribute, probabilities)
        return sentence


Results = tuple[ParseResult, Confidence | None, Confidence | None, Confidence | None]


def _results(sentence: Sentence) -> Results:
    return sentence.parse, sentence.head_confidence, sentence.label_confidence, sentence.tag_confidence


def _set_results(sentence: Sentence, results: Results) -> None:
    sentence.parse, sentence.head_confidence, sentence.label_confidence, sentence.tag_confidence = results


def _fill(sentence: Sentence, block: Block | NewBlock, source: str, line: int) -> Sentence:
    """Make an empty object the unchanged sentence of a block."""
    sentence._block = block
    sentence.layout, sentence.source, sentence.line = block.layout, source, line
    sentence.parse = None  # type: ignore[assignment]
    sentence.head_confidence = sentence.label_confidence = sentence.tag_confidence = None
    sentence.reading = sentence._heads = sentence._comments = None
    sentence._columns = {}
    sentence._empty_deps = {}
    return sentence


def _restore(text: str, layout: Layout, source: str, line: int, results: Results) -> Sentence:
    sentence = Sentence(text, layout=layout, source=source, line=line)
    _set_results(sentence, results)
    return sentence


def read_sentence(text: str, start: int, end: int, layout: Layout, source: str, line: int) -> Sentence:
    """Read the sentence whose words are the lines text[start:end]; source and line are its place in messages."""
    return _fill(Sentence.__new__(Sentence), read_block(text, start, end, layout, source, line), source, line)


def sentence_of_cells(columns: Mapping[str, list[str]], tokens: Sequence[Token], comments: list[str]) -> Sentence:
    """Make a sentence of lists that are known to be valid, which are not copied; heads are open.

    columns: by name, one entry a word. tokens: multiword tokens. comments: whole lines.
    """
    block = NewBlock(columns, [-1] * len(columns["FORM"]), tokens, comments)
    return _fill(Sentence.__new__(Sentence), block, "<text>", 1)


def set_cells(sentence: Sentence, columns: Mapping[str, list[str]]) -> None:
    """Replace columns by lists of cells that are known to be valid, one for each word; they are not copied."""
    for name in columns:
        sentence.layout.check_has(name, sentence.place)
    sentence._columns.update(columns)


def is_open(sentence: Sentence, *names: str) -> bool:
    """Whether every cell of these columns is "_".

    >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "_"])
    >>> is_open(sentence, "XPOS", "FEATS"), is_open(sentence, "UPOS")
    (True, False)
    """
    changed, block = sentence._columns, sentence._block
    return all(set(changed[name] if name in changed else block.column(name)) == {"_"} for name in names)


def line_of(sentence: Sentence, word: int) -> int:
    """Return the line, in the file, of a word, counted from 1 as its ID is."""
    return _line_of_row(sentence, sentence._block.row(word - 1))


def share_cells(sentence: Sentence, seen: dict[str, str]) -> Sentence:
    """Replace equal cells by one string in `seen`: saves memory when many sentences are kept."""
    fields = sentence._block.fields
    fields[:] = map(seen.setdefault, fields, fields)
    return sentence


def to_layout(sentence: Sentence, layout: Layout) -> Sentence:
    """Return the sentence in the columns of layout, cells kept by column name; itself if it has them already.

    CoNLL-X has neither comments, nor multiword tokens, nor empty nodes: they are left out.
    """
    if layout == sentence.layout:
        return sentence
    block = _restore(*sentence.__reduce__()[1])._block  # cells are read from what would be written
    only_words = layout.format == "conllx"
    rows = block.rows if only_words else None
    lines = []
    for row in range(len(block.fields) // block.layout.width) if rows is None else rows:
        cells = [block.cell(row, OLDER_NAMES.get(name, name)) for name in layout.columns]
        if "ID" not in block.layout.index:
            cells[layout.index["ID"]] = str(row + 1)
        lines.append("\t".join(cells))
    comments = [] if only_words else [line for line in block.comments() if not line.startswith("# global.columns")]
    text = newline_of(block.text).join(comments + lines + ["", ""])
    return _restore(text, layout, sentence.source, sentence.line, _results(sentence))


def _line_of_row(sentence: Sentence, row: int) -> int:
    block = sentence._block
    return sentence.line + lines_before_row(block.text, block.start, block.end, row)


def _new_lines(sentence: Sentence) -> str | None:
    """Return the lines of a sentence that comes from no file in one pass; None where they must be compared with it."""
    block = sentence._block
    if not isinstance(block, NewBlock):
        return None
    heads: list[int] = block.heads
    if sentence._heads is not None:
        heads = checked_heads(sentence._heads, len(sentence)).tolist()
    return block.lines(sentence._columns, heads, sentence._comments)


def _changed_fields(sentence: Sentence) -> list[str] | None:
    """Return all cells, row after row, if some differ from the text; else None."""
    block = sentence._block
    changed = {}
    for name, values in sentence._columns.items():
        cells = block.column(name)
        if values != cells:
            if len(values) != len(cells):
                raise ValueError(f"{name} has {len(values)} entries; the sentence has {len(cells)} words")
            check_changed(values, cells, name)
            changed[name] = values
    if sentence._heads is not None and sentence._heads.tolist() != block.heads:
        heads = zip(
            checked_heads(sentence._heads, len(sentence)).tolist(), block.heads, block.column("HEAD"), strict=True
        )
        changed["HEAD"] = [cell if new == old else "_" if new < 0 else str(new) for new, old, cell in heads]  # 02 is 2
    empty_deps = {row: cell for row, cell in sentence._empty_deps.items() if cell != block.cell(row, "DEPS")}
    if not changed and not empty_deps:
        return None
    fields = block.fields.copy()
    for name, values in changed.items():
        sentence.layout.check_has(name, sentence.place)
        block.put(fields, name, block.rows, values)
    if empty_deps:
        sentence.layout.check_has("DEPS", sentence.place)
        block.put(fields, "DEPS", list(empty_deps), list(empty_deps.values()))
    return fields

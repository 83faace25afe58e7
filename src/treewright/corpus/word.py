"""A word of a sentence, and a FEATS or MISC cell as a mapping: views, whose changes are changes of the sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, overload

import numpy as np

from treewright.corpus.checks import check_cell
from treewright.corpus.graph import Token
from treewright.corpus.offsets import Offsets, offsets_in_token, token_range
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus.sentence import Sentence


FORBIDDEN = "|\t\n\r"  # characters that end an entry, a cell or a line


class Attributes(MutableMapping[str, str]):
    """The entries Name=Value of a cell, in their order. A change rewrites that entry only.

    An entry without "=" has the value "". If a name occurs twice, its first entry is the one that is read; assigning
    keeps one entry. `is_sorted`: a new entry is inserted in alphabetical order, as UD requires of FEATS.
    """

    __slots__ = ("_column", "_is_sorted", "_word")

    def __init__(self, word: Word, column: str, *, is_sorted: bool) -> None:
        self._word, self._column, self._is_sorted = word, column, is_sorted

    def __getitem__(self, name: str) -> str:
        for entry in self._entries():
            if name_of(entry) == name:
                return entry.partition("=")[2]
        raise KeyError(name)

    def __setitem__(self, name: str, value: str) -> None:
        entry = make_entry(name, value)
        entries = self._entries()
        places = [place for place, old in enumerate(entries) if name_of(old) == name]
        if len(places) == 1 and self[name] == value:
            return
        kept = [old for old in entries if name_of(old) != name]
        place = places[0] if places else self._place_of(name, kept)
        kept.insert(place, entry)
        self._word.set_cell(self._column, "|".join(kept))

    def __delitem__(self, name: str) -> None:
        entries = self._entries()
        kept = [entry for entry in entries if name_of(entry) != name]
        if len(kept) == len(entries):
            raise KeyError(name)
        self._word.set_cell(self._column, "|".join(kept) or "_")

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(map(name_of, self._entries())))

    def __len__(self) -> int:
        return len(set(map(name_of, self._entries())))

    def __eq__(self, other: object) -> bool:
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __repr__(self) -> str:
        return repr(dict(self))

    def _entries(self) -> list[str]:
        cell = self._word.cell(self._column)
        return [] if cell in ("_", "") else cell.split("|")

    def _place_of(self, name: str, entries: list[str]) -> int:
        """Return where a new entry is inserted."""
        if self._is_sorted:
            for place, entry in enumerate(entries):
                if name_of(entry).lower() > name.lower():
                    return place
        return len(entries)


def name_of(entry: str) -> str:
    return entry.partition("=")[0]


def make_entry(name: str, value: str) -> str:
    """Return the entry Name=Value, or the name alone if the value is empty."""
    for what, text in (("name", name), ("value", value)):
        if not isinstance(text, str):
            raise TypeError(f"the {what} of an attribute is {text!r}; expected a str")
        if any(character in text for character in FORBIDDEN):
            raise ValueError(f"the {what} of an attribute is {text!r}; it cannot contain '|', tab or line break")
    if not name or "=" in name:
        raise ValueError(f"the name of an attribute is {name!r}; expected a text without '='")
    entry = f"{name}={value}" if value else name
    if entry == "_":
        raise ValueError("an attribute '_' without a value would be read as an empty cell")
    return entry


def cell_of(attributes: Mapping[str, str], *, is_sorted: bool) -> str:
    """Return the cell of a mapping; "_" if it is empty."""
    names = sorted(attributes, key=str.lower) if is_sorted else attributes
    return "|".join(make_entry(name, attributes[name]) for name in names) or "_"


class Cell:
    """A cell of a word, to read and to assign."""

    def __init__(self, column: str) -> None:
        self.column = column
        self.__doc__ = f"The cell in the column {column}."

    @overload
    def __get__(self, word: None, owner: type) -> Cell: ...
    @overload
    def __get__(self, word: Word, owner: type) -> str: ...
    def __get__(self, word: Word | None, owner: type) -> Cell | str:
        return self if word is None else word.cell(self.column)

    def __set__(self, word: Word, value: str) -> None:
        word.set_cell(self.column, value)


class Word:
    """A word of a sentence. Two views are equal if they show the same word of the same Sentence object.

    >>> from treewright.corpus import Sentence
    >>> sentence = Sentence.from_words(["Dogs", "bark"], feats=["Number=Plur", "_"], heads=[2, 0])
    >>> sentence[0].head_word, sentence[1].children, sentence[0].feats["Number"]
    (<Word 2: bark>, [<Word 1: Dogs>], 'Plur')
    >>> sentence[0].feats["Case"] = "Nom"
    >>> sentence.feats
    ['Case=Nom|Number=Plur', '_']
    """

    __slots__ = ("id", "sentence")

    sentence: Sentence
    id: int  # its number in the sentence, counted from 1, as in the column ID

    form = Cell("FORM")
    lemma = Cell("LEMMA")
    upos = Cell("UPOS")
    xpos = Cell("XPOS")
    deprel = Cell("DEPREL")
    deps = Cell("DEPS")

    def __init__(self, sentence: Sentence, id: int) -> None:
        self.sentence, self.id = sentence, id

    def cell(self, column: str) -> str:
        """Return the cell of this word in a column."""
        return self.sentence.column(column)[self.id - 1]

    def set_cell(self, column: str, value: str) -> None:
        """Write value into the cell of this word in a column."""
        check_cell(value, f"{column}[{self.id - 1}]")
        self.sentence.layout.check_has(column, self.sentence.place)
        self.sentence.column(column)[self.id - 1] = value

    @property
    def feats(self) -> Attributes:
        """The features: a mapping from name to value that reads and writes the cell. New names are put in order."""
        return Attributes(self, "FEATS", is_sorted=True)

    @feats.setter
    def feats(self, values: Mapping[str, str]) -> None:
        self.set_cell("FEATS", cell_of(values, is_sorted=True))

    @property
    def misc(self) -> Attributes:
        """The entries of MISC: a mapping from name to value that reads and writes the cell. New names come last."""
        return Attributes(self, "MISC", is_sorted=False)

    @misc.setter
    def misc(self, values: Mapping[str, str]) -> None:
        self.set_cell("MISC", cell_of(values, is_sorted=False))

    # -- the tree

    @property
    def head(self) -> int:
        """The number of its head: 0 the root, -1 if none is given."""
        return self.sentence.heads.item(self.id - 1)

    @head.setter
    def head(self, value: int) -> None:
        heads = self.sentence.heads.copy()
        heads[self.id - 1] = value
        self.sentence.heads = heads  # which checks them

    @property
    def head_word(self) -> Word | None:
        """The word that is its head; None if its head is the root or is not given."""
        head = self.head
        if head > len(self.sentence):
            raise InputError(f"the head of word {self.id} is {head}; the sentence has {len(self.sentence)} words")
        return Word(self.sentence, head) if head > 0 else None

    @property
    def children(self) -> list[Word]:
        """The words whose head it is, in the order of the sentence."""
        return [Word(self.sentence, place + 1) for place in np.flatnonzero(self.sentence.heads == self.id).tolist()]

    @property
    def ancestors(self) -> list[Word]:
        """Its head, the head of its head and so on, up to a word that is attached to the root."""
        above: dict[int, Word] = {}
        word = self.head_word
        while word is not None and word.id != self.id and word.id not in above:  # heads may have cycles
            above[word.id] = word
            word = word.head_word
        return list(above.values())

    @property
    def subtree(self) -> list[Word]:
        """The word and all words below it, in the order of the sentence."""
        children: dict[int, list[int]] = {}
        for word, head in enumerate(self.sentence.heads.tolist(), start=1):
            children.setdefault(head, []).append(word)
        subtree, pending = {self.id}, [self.id]
        while pending:
            # Heads may have cycles.
            below = [child for child in children.get(pending.pop(), ()) if child not in subtree]
            subtree.update(below)
            pending += below
        return [Word(self.sentence, word) for word in sorted(subtree)]

    # -- the text

    @property
    def text(self) -> str:
        """Its form, as spaCy and Stanza call it."""
        return self.form

    @property
    def token(self) -> Token | None:
        """The multiword token that the word belongs to, if it belongs to one."""
        return next((token for token in self.sentence.tokens if token.first <= self.id <= token.last), None)

    @property
    def begin(self) -> int:
        """The offset of its first character in the text; see `Sentence.offsets`."""
        return self._offsets()[0]

    @property
    def end(self) -> int:
        """The offset after its last character in the text; see `Sentence.offsets`."""
        return self._offsets()[1]

    def _offsets(self) -> Offsets:
        token = self.token or Token(self.id, self.id, self.form, self.sentence.misc[self.id - 1])
        if (written := token_range(token.misc)) is None:
            return self.sentence.offsets()[self.id - 1]
        forms = self.sentence.forms[token.first - 1 : token.last]
        return offsets_in_token(token, forms, *written)[self.id - token.first]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Word):
            return NotImplemented
        return self.sentence is other.sentence and self.id == other.id

    def __hash__(self) -> int:
        return hash((id(self.sentence), self.id))

    def __repr__(self) -> str:
        return f"<Word {self.id}: {self.form}>"

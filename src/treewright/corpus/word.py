"""A word of a sentence, as a view: it stores no cell, and a change of it is a change of its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, overload

import numpy as np

from treewright.calls import explained_methods
from treewright.corpus.attributes import Attributes, cell_of
from treewright.corpus.checks import check_cell
from treewright.corpus.nodes import Token
from treewright.corpus.offsets import Offsets, offsets_in_token, token_range
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus.sentence import Sentence


class Cell:
    """A cell of a word, to read and to assign."""

    def __init__(self, column: str) -> None:
        self.column = column

    def __set_name__(self, owner: type, name: str) -> None:
        self.__doc__ = f"The cell in the column {self.column}."

    @overload
    def __get__(self, word: None, owner: type) -> Cell: ...
    @overload
    def __get__(self, word: Word, owner: type) -> str: ...
    def __get__(self, word: Word | None, owner: type) -> Cell | str:
        return self if word is None else word.sentence.column(self.column)[word.id - 1]

    def __set__(self, word: Word, value: str) -> None:
        word.set_cell(self.column, value)


@explained_methods
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

    def set_cell(self, column: str, value: str) -> None:
        """Write value into the cell of this word in a column."""
        check_cell(value, f"{column}[{self.id - 1}]")
        self.sentence.check_has_column(column)
        self.sentence.column(column)[self.id - 1] = value

    @property
    def feats(self) -> Attributes:
        """The features: a mapping from name to value that reads and writes the cell. New names are put in order."""
        return self._attributes("FEATS", is_sorted=True)

    @feats.setter
    def feats(self, values: Mapping[str, str]) -> None:
        self.set_cell("FEATS", cell_of(values, is_sorted=True))

    @property
    def misc(self) -> Attributes:
        """The entries of MISC: a mapping from name to value that reads and writes the cell. New names come last."""
        return self._attributes("MISC", is_sorted=False)

    @misc.setter
    def misc(self, values: Mapping[str, str]) -> None:
        self.set_cell("MISC", cell_of(values, is_sorted=False))

    def _attributes(self, column: str, is_sorted: bool) -> Attributes:
        def get() -> str:
            return self.sentence.column(column)[self.id - 1]

        return Attributes(get, lambda cell: self.set_cell(column, cell), is_sorted=is_sorted)

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

    def subtree(self) -> list[Word]:
        """The word and all words below it, in the order of the sentence."""
        children: dict[int, list[int]] = {}
        for word, head in enumerate(self.sentence.heads.tolist(), start=1):
            children.setdefault(head, []).append(word)
        found, pending = {self.id}, [self.id]
        while pending:
            below = [child for child in children.get(pending.pop(), ()) if child not in found]  # heads may have cycles
            found.update(below)
            pending += below
        return [Word(self.sentence, word) for word in sorted(found)]

    # -- the text

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

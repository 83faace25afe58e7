"""The sentences of a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex, overload

from treewright.corpus.checks import checked_items
from treewright.corpus.chunks import NounChunk
from treewright.corpus.sentence import Sentence

DISPLAYED = 20  # sentences that a notebook shows at most, so that the output stays small; not tuned


class Document(list[Sentence]):
    """A list of sentences with the text that they were found in. A notebook displays it as drawings.

    >>> document = Document([Sentence.from_words(["Go", "!"], misc=["SpaceAfter=No", "_"])])
    >>> len(document), document.text, document == [Sentence.from_words(["Go", "!"], misc=["SpaceAfter=No", "_"])]
    (1, 'Go!', True)
    """

    def __init__(self, sentences: Iterable[Sentence] = (), text: str | None = None) -> None:
        super().__init__(sentences)
        self._text = text

    @property
    def text(self) -> str:
        """The text that was parsed, to which `word.begin` and `word.end` refer; else the sentences' texts, joined.

        A slice of a document has the whole text.
        """
        return " ".join(sentence.text for sentence in self) if self._text is None else self._text

    @property
    def sents(self) -> list[Sentence]:
        """The sentences, as spaCy calls them: a list of what the document itself is a list of."""
        return list(self)

    @property
    def noun_chunks(self) -> list[NounChunk]:
        """The noun chunks of all sentences, in order; see `Sentence.noun_chunks`."""
        return [chunk for sentence in self for chunk in sentence.noun_chunks]

    def to_conllu(self) -> str:
        """Return the sentences as CoNLL-U: what `treewright.write` writes into a file."""
        return "".join(sentence.to_conllu() for sentence in self)

    def __str__(self) -> str:
        return self.to_conllu()

    @overload
    def __getitem__(self, place: SupportsIndex) -> Sentence: ...
    @overload
    def __getitem__(self, place: slice) -> Document: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Sentence | Document:
        if isinstance(place, slice):
            return Document(super().__getitem__(place), self._text)
        return super().__getitem__(place)

    def to_dict(self) -> dict[str, Any]:
        """Return the text and the sentences as plain values; see `Sentence.to_dict`."""
        return {"text": self.text, "sentences": [sentence.to_dict() for sentence in self]}

    def _repr_html_(self) -> str | None:
        """Return the drawings of at most the first 20 sentences in a notebook."""
        from treewright.draw import html  # imported on use: few programs draw

        if not self:
            return None
        left_out = len(self) - DISPLAYED
        title = f"The first {DISPLAYED} of {len(self)} sentences" if left_out > 0 else "Treewright"
        return html(self[:DISPLAYED], title=title)._repr_html_()


def checked_sentences(sentences: Iterable[Sentence], name: str = "sentences") -> Iterable[Sentence]:
    """Return the argument of a function with that name; a TypeError names what is not a sentence."""
    remedy = "a list holds one sentence or more, treewright.read(path) reads a file"
    return checked_items(sentences, Sentence, name, remedy, "Sentence.from_words makes one of words")


def checked_sentence(sentence: Sentence) -> Sentence:
    """Return the argument `sentence` of a function; a TypeError says what was given instead."""
    if isinstance(sentence, Sentence):
        return sentence
    remedy = "nlp(text) makes sentences of a text, Sentence.from_words one of words"
    raise TypeError(f"sentence is of type {type(sentence).__name__}; expected a Sentence ({remedy})")

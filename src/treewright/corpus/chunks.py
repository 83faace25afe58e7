"""Noun chunks of a tree: nouns with the words that describe them, without prepositions, clauses and conjuncts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright.corpus.graph import Token
from treewright.corpus.offsets import join_tokens, surface_tokens

if TYPE_CHECKING:
    from treewright.corpus.sentence import Sentence
    from treewright.corpus.word import Word

NOMINALS = ("NOUN", "PROPN", "PRON")
# Relations of Universal Dependencies between a noun and the words of its chunk; subtypes are included.
INNER = ("det", "clf", "amod", "nummod", "compound", "flat", "fixed", "goeswith")
POSSESSOR = "nmod:poss"


@dataclass(frozen=True)
class NounChunk:
    """A noun with the words that describe it, next to each other in the sentence."""

    root: Word  # the noun
    words: list[Word]

    @property
    def text(self) -> str:
        """The text of the chunk, with the spaces of the sentence."""
        first, last = self.words[0].id, self.words[-1].id
        tokens: list[Token] = []
        for token in surface_tokens(self.root.sentence):
            if first <= token.first and token.last <= last:
                tokens.append(token)
            elif token.first <= last and first <= token.last:  # a multiword token that is partly outside
                inside = self.words[max(token.first - first, 0) : token.last + 1 - first]
                tokens += [Token(word.id, word.id, word.form, token.misc) for word in inside]
        return join_tokens(tokens)

    @property
    def begin(self) -> int:
        """The offset of its first character; see `Word.begin`."""
        return self.words[0].begin

    @property
    def end(self) -> int:
        """The offset after its last character; see `Word.end`."""
        return self.words[-1].end

    def __repr__(self) -> str:
        return f"<NounChunk {self.text}>"


def noun_chunks(sentence: Sentence) -> list[NounChunk]:
    """Find the noun chunks of a sentence, in order; those inside another one are left out."""
    chunks: list[NounChunk] = []
    spans = [(*span_of(word), word) for word in sentence if word.upos in NOMINALS]
    for first, last, root in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not chunks or first > chunks[-1].words[-1].id:
            chunks.append(NounChunk(root, sentence[first - 1 : last]))
    return chunks


def span_of(noun: Word) -> tuple[int, int]:
    """Return the first and the last word of the chunk of a noun.

    Before the noun these are its describing modifiers with all words below them, after it only modifiers without
    words of their own ("la maison blanche"); the chunk ends at the first word that is neither.
    """
    inside = {noun.id}
    for child in noun.children:
        if is_inner(child.deprel):
            if child.id < noun.id:
                inside.update(word.id for word in child.subtree)
            elif not child.children:
                inside.add(child.id)
    first = last = noun.id
    while first - 1 in inside:
        first -= 1
    while last + 1 in inside:
        last += 1
    return first, last


def is_inner(deprel: str) -> bool:
    """Return whether a relation marks a describing modifier."""
    return deprel.partition(":")[0] in INNER or deprel == POSSESSOR

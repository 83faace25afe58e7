"""Phrase-structure trees of sentences: words and tags are those of a pipeline, phrases those of a grammar."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from treewright import streams
from treewright.corpus import Sentence
from treewright.errors import InfeasibleError, MissingComponentError

if TYPE_CHECKING:
    from treewright.grammar import LatentGrammar
    from treewright.grammar.latent import LatentParse

MAX_WORDS = 100  # of a sentence that is parsed in one piece: about 2 CPU seconds for a grammar of the product
GRAMMARS = {"en": "en_phrases"}  # language -> the grammar that comes with Treewright


def grammar_for(metadata: Mapping[str, Any]) -> str:
    """Return the name of the grammar for the language of a pipeline with this metadata."""
    if name := GRAMMARS.get(metadata.get("code", "")):
        return name
    language = metadata.get("language", "the language of this model")
    needed = "`treewright grammar train` makes one from trees in brackets: nlp.phrases(text, grammar=FILE)"
    raise MissingComponentError(f"no grammar for {language} comes with Treewright; {needed}", "latent-variable grammar")


def find_phrases(tagged: Iterable[Sentence], grammar: LatentGrammar, threads: int = 1) -> Iterator[LatentParse]:
    """Find the tree of each tagged sentence, in order."""
    known = frozenset(grammar.tags)
    return streams.map_items(
        lambda chunk: [phrases_of(sentence, grammar, known) for sentence in chunk],
        tagged,
        threads=threads,
        chunk=streams.CHUNK if threads > 1 else 1,
    )


def phrases_of(sentence: Sentence, grammar: LatentGrammar, known: Collection[str]) -> LatentParse:
    """Find the tree of a sentence with its XPOS, as far as the grammar has them; if there is none, with any tags.

    F1 of the grammar for English on the development trees of GUM is higher with the tags of a tagger
    (docs/figures.md), and the chart is smaller.
    """
    from treewright.grammar.words import penn_quotes  # few programs ask for phrases

    words = penn_quotes(sentence.forms) if grammar.metadata.get("penn_quotes") else list(sentence.forms)
    try:
        return grammar.parse(words, tags=[tag if tag in known else None for tag in sentence.xpos], max_words=MAX_WORDS)
    except InfeasibleError:
        return grammar.parse(words, partial=True, max_words=MAX_WORDS)

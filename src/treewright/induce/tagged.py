"""A corpus for induction: tag sequences without punctuation in flat arrays, which a kernel reads in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.errors import InputError

PUNCTUATION = "PUNCT"
UNKNOWN_AS = ("X", "NOUN")  # an unknown tag is replaced by the first of these that the model has; not tuned


@dataclass(frozen=True)
class TaggedCorpus:
    """Sentences without punctuation as tag numbers: `tags` is flat, sentence i ends before `ends[i]`."""

    kinds: tuple[str, ...]
    tags: NDArray[np.int32]
    ends: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def begins(self) -> NDArray[np.int32]:
        """The place in `tags` where each sentence begins."""
        return np.concatenate([np.zeros(1, np.int32), self.ends[:-1]])

    @property
    def lengths(self) -> NDArray[np.int32]:
        """The number of words of each sentence."""
        return self.ends - self.begins

    def spans(self) -> Iterator[slice]:
        """Yield the slice of `tags` of each sentence."""
        for begin, end in zip(self.begins.tolist(), self.ends.tolist(), strict=True):
            yield slice(begin, end)

    def sentence(self, span: slice) -> TaggedCorpus:
        """Return a corpus of one sentence."""
        tags = self.tags[span]
        return TaggedCorpus(self.kinds, tags, np.array([len(tags)], dtype=np.int32))


@dataclass(frozen=True)
class Words:
    """The words of one sentence without punctuation."""

    tags: list[str]
    positions: NDArray[np.int32]  # in the sentence, from 0


def upos_of(sentence: Sentence) -> Sequence[str]:
    """Return the UPOS tags of a sentence; a sentence without tags is refused."""
    if "_" in sentence.upos:
        problem = "a word without a tag ('_' in UPOS); tag the text first (treewright tag run)"
        raise InputError(f"{sentence.source}:{sentence.line}: {problem}")
    return sentence.upos


def words_of(sentence: Sentence) -> Words:
    """Return the words of a sentence that are no punctuation."""
    tags = upos_of(sentence)
    positions = np.array([i for i, tag in enumerate(tags) if tag != PUNCTUATION], dtype=np.int32)
    return Words([tags[i] for i in positions], positions)


def read_tagged(
    sentences: Iterable[Sentence],
    *,
    max_length: int | None = None,
    kinds: Sequence[str] | None = None,
    source: str = "the input",
) -> TaggedCorpus:
    """Return the tags of sentences, punctuation removed; those of more than `max_length` words are left out.

    Without `kinds` the kinds are the tags of the sentences; with it (at parse time) an unknown tag is replaced by X or
    NOUN, whichever is first among the kinds, or by the first kind.
    Messages call the sentences `source`.

    >>> import treewright as tw
    >>> corpus = read_tagged(tw.read("sample.conllu"))
    >>> corpus.kinds[:3], corpus.ends.tolist()
    (('ADJ', 'ADP', 'ADV'), [10, 18, 26])
    """
    kept: list[Words] = []
    for sentence in sentences:
        words = words_of(sentence)
        if words.tags and (max_length is None or len(words.tags) <= max_length):
            kept.append(words)
    if not kept:
        limit = "" if max_length is None else f" or longer than {max_length} words"
        raise InputError(f"{source}: no sentence to learn from (every one is empty, all punctuation{limit})")
    inventory = tuple(kinds) if kinds is not None else tuple(sorted({tag for words in kept for tag in words.tags}))
    number_of = {tag: i for i, tag in enumerate(inventory)}
    fallback = next((number_of[tag] for tag in UNKNOWN_AS if tag in number_of), 0)
    return TaggedCorpus(
        inventory,
        np.array([number_of.get(tag, fallback) for words in kept for tag in words.tags], dtype=np.int32),
        np.cumsum([len(words.tags) for words in kept]).astype(np.int32),
    )

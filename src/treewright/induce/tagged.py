"""A corpus for induction: tag sequences without punctuation in flat arrays, which a kernel reads in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.errors import InputError

PUNCTUATION = "PUNCT"
UNKNOWN_AS = ("X", "NOUN")  # an unknown tag is replaced by the first of these that the model has; not tuned


Tags = Callable[[Sentence], Sequence[str]]  # from a sentence to its tags or word classes


@dataclass(frozen=True)
class TaggedCorpus:
    """Sentences as tag numbers: `tags` is flat, sentence i ends before `ends[i]`.

    `heads` are gold heads as CoNLL numbers among the words kept (punctuation removed, its modifiers given to its
    head), or None where a sentence has none; `kept[i]` are the 0-based positions of the words that were kept.
    """

    kinds: tuple[str, ...]
    tags: NDArray[np.int32]
    ends: NDArray[np.int32]
    kept: list[NDArray[np.int32]]
    heads: NDArray[np.int32] | None = None

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
        return TaggedCorpus(self.kinds, tags, np.array([len(tags)], dtype=np.int32), [])

    def shorter_than(self, limit: int) -> TaggedCorpus:
        """Return the sentences of at most `limit` words."""
        chosen = np.flatnonzero(self.lengths <= limit)
        spans = list(self.spans())
        words = np.concatenate([np.arange(spans[i].start, spans[i].stop) for i in chosen] or [np.zeros(0, np.intp)])
        return TaggedCorpus(
            self.kinds,
            self.tags[words],
            np.cumsum(self.lengths[chosen]).astype(np.int32),
            [self.kept[i] for i in chosen],
            None if self.heads is None else self.heads[words],
        )


@dataclass(frozen=True)
class Words:
    """The words of one sentence without punctuation."""

    tags: list[str]
    positions: NDArray[np.int32]
    heads: NDArray[np.int32] | None


def upos_of(sentence: Sentence) -> Sequence[str]:
    """Return the UPOS tags of a sentence; a sentence without tags is refused."""
    if "_" in sentence.upos:
        raise InputError(
            f"{sentence.source}:{sentence.line}: a word without a tag ('_' in UPOS); tag the text first (treewright tag"
            " run), or use a model of word classes (treewright induce --clusters N)"
        )
    return sentence.upos


def words_of(sentence: Sentence, tags_of: Tags = upos_of) -> Words:
    """Leave out punctuation; its modifiers are attached to its nearest ancestor that is no punctuation."""
    tags = tags_of(sentence)
    positions = np.array([i for i, tag in enumerate(tags) if tag != PUNCTUATION], dtype=np.int32)
    return Words([tags[i] for i in positions], positions, heads_among(positions, sentence.heads))


def heads_among(positions: NDArray[np.int32], heads: NDArray[np.int32]) -> NDArray[np.int32] | None:
    """Return gold heads as CoNLL numbers among the words at `positions`; None without a complete tree."""
    if len(heads) == 0 or (heads < 0).any():
        return None
    number_of = {0: 0} | {int(position) + 1: new for new, position in enumerate(positions, start=1)}
    renumbered = []
    for position in positions:
        head = int(heads[position])
        for _ in heads:  # at most so many steps, for a cycle of punctuation has no end
            if head in number_of:
                break
            head = int(heads[head - 1])
        else:
            return None
        renumbered.append(number_of[head])
    return np.array(renumbered, dtype=np.int32)


def read_tagged(
    sentences: Iterable[Sentence],
    *,
    max_length: int | None = None,
    kinds: Sequence[str] | None = None,
    tags_of: Tags = upos_of,
    source: str = "the input",
) -> TaggedCorpus:
    """Return the tags of sentences, punctuation removed; those of more than `max_length` words are left out.

    Without `kinds` the kinds are the tags of the sentences; with it (at parse time) an unknown tag is replaced by X or
    NOUN, whichever is first among the kinds, or by the first kind. `tags_of` returns the tags of a sentence.
    Messages call the sentences `source`.

    >>> import treewright as tw
    >>> corpus = read_tagged(tw.read("sample.conllu"))
    >>> corpus.kinds[:3], corpus.ends.tolist()
    (('ADJ', 'ADP', 'ADV'), [10, 18, 26])
    """
    kept: list[Words] = []
    for sentence in sentences:
        words = words_of(sentence, tags_of)
        if words.tags and (max_length is None or len(words.tags) <= max_length):
            kept.append(words)
    if not kept:
        limit = "" if max_length is None else f" or longer than {max_length} words"
        raise InputError(f"{source}: no sentence to learn from (every one is empty, all punctuation{limit})")
    inventory = tuple(kinds) if kinds is not None else tuple(sorted({tag for words in kept for tag in words.tags}))
    number_of = {tag: i for i, tag in enumerate(inventory)}
    fallback = next((number_of[tag] for tag in UNKNOWN_AS if tag in number_of), 0)
    trees = [words.heads for words in kept if words.heads is not None]
    return TaggedCorpus(
        inventory,
        np.array([number_of.get(tag, fallback) for words in kept for tag in words.tags], dtype=np.int32),
        np.cumsum([len(words.tags) for words in kept]).astype(np.int32),
        [words.positions for words in kept],
        np.concatenate(trees) if len(trees) == len(kept) else None,
    )


def accuracy(heads: NDArray[np.int32], corpus: TaggedCorpus) -> float:
    """Return the directed accuracy: the share of the words of a corpus with the gold head, the root's included.

    >>> import treewright as tw
    >>> corpus = read_tagged(tw.read("sample.conllu"))
    >>> accuracy(corpus.heads, corpus)
    1.0
    """
    if corpus.heads is None:
        raise InputError("directed accuracy needs gold heads in every sentence")
    if np.shape(heads) != corpus.heads.shape:
        raise InputError(f"heads has shape {np.shape(heads)}; the corpus has {len(corpus.heads)} words")
    return float((np.asarray(heads) == corpus.heads).mean())

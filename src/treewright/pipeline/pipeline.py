"""A tokeniser, a tagger and a parser that work one after the other, in one model file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from treewright.corpus import Sentence
from treewright.parser import Parser
from treewright.pipeline.certificate import set_certificate
from treewright.pipeline.file import Loaded, join, load_pipeline, save_pipeline
from treewright.pipeline.reading import text_sentences
from treewright.tagger import Tagger, Tokeniser

CHUNK = 64  # sentences that a thread takes at a time
LETTERS = 1 << 12  # characters of short texts that are taken together

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Pipeline:
    """Raw text in, sentences with tags, lemmas, trees and certificates out. `tw.load("en")` is one.

    >>> import treewright as tw
    >>> tagger = tw.tagger.Tagger.train("sample.conllu")
    >>> parser = tw.Parser.train("sample.conllu", model="arc")
    >>> nlp = Pipeline(tw.tagger.Tokeniser(), tagger, parser)
    >>> [first, second] = nlp("The bridge creaked. She mended the rail.")
    >>> first.upos, first.heads.tolist(), first.deprels, first.parse.certified
    (['DET', 'NOUN', 'VERB', 'PUNCT'], [2, 3, 0, 3], ['det', 'nsubj', 'root', 'punct'], True)
    """

    tokeniser: Tokeniser
    tagger: Tagger
    parser: Parser
    metadata: Mapping[str, Any] = field(
        default_factory=dict
    )  # name, licence, figures: what the file tells about itself

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pipeline:
        """Read a model file."""
        loaded = load_pipeline(path)
        return cls._of(loaded, loaded.metadata)

    @classmethod
    def join(cls, *paths: str | os.PathLike[str], metadata: Mapping[str, Any] | None = None) -> Pipeline:
        """One of the files of a tagger, a parser and, if there is one, a tokeniser, in any order."""
        return cls._of(join(paths), metadata or {})

    @classmethod
    def _of(cls, models: Loaded, metadata: Mapping[str, Any]) -> Pipeline:
        return cls(Tokeniser(models.tokeniser), Tagger(models.tagger), Parser(models.parser), metadata)

    def save(self, path: str | os.PathLike[str], *, pack: bool = True) -> None:
        """Write a model file: safetensors with a JSON header. Packed it is smaller, otherwise it is mapped on load."""
        save_pipeline(path, self.tokeniser.model, self.tagger.model, self.parser.model, self.metadata, pack)

    def __call__(self, text: str, *, threads: int = 1, **options: Any) -> list[Sentence]:
        """The sentences of a text, tagged and parsed.

        Each has `parse` (value, bound, certificate), `confidence` (the probability of each word's head), the comments
        `# sent_id`, `# text` and `# treewright` (what the tree is worth), and where its tokens stand in the text
        (SpaceAfter, TokenRange). options are those of `Parser.parse`.
        """
        return list(self.parse(text_sentences([checked_text(text)], self.tokeniser), threads=threads, **options))

    def pipe(self, texts: Iterable[str], *, threads: int = 1, **options: Any) -> Iterator[list[Sentence]]:
        """The sentences of each text, in the order of the texts, which are read as they are needed.

        The answer is the same for any number of threads.
        """

        def answers(some: list[str]) -> list[list[Sentence]]:
            return [self(text, **options) for text in some]

        return in_order(answers, text_chunks(texts, checked_threads(threads)), threads)

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        chunk: int = CHUNK,
        comment: bool = True,
        **options: Any,
    ) -> Iterator[Sentence]:
        """Copies of sentences that are cut into words already, with heads and labels set, in order.

        Those whose UPOS is empty throughout are tagged first; tags that are there are kept. chunk: how many sentences
        are taken together, which is faster; with 1 none waits for the next. comment: write the certificate of each tree
        into the comment `# treewright`. options are those of `Parser.parse`.
        """

        def answers(some: list[Sentence]) -> list[Sentence]:
            found = list(self.parser.parse(self.tag(some), **options))
            if comment:
                for sentence in found:
                    set_certificate(sentence, sentence.parse)
            return found

        rest = iter(sentences)
        return in_order(answers, iter(lambda: list(islice(rest, chunk)), []), checked_threads(threads))

    def tag(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Copies of the sentences that have no tags, with tags; the others as they are."""
        for sentence in sentences:
            if is_bare(sentence):
                yield from self.tagger.tag([sentence], confidence=False)
            else:
                yield sentence

    def __repr__(self) -> str:
        name = self.metadata.get("name")
        parts = f"{self.tokeniser!r}, {self.tagger!r}, {self.parser!r}"
        return f"Pipeline({name!r}, {parts})" if name else f"Pipeline({parts})"


def checked_text(text: str) -> str:
    """A text, and nothing else."""
    if not isinstance(text, str):
        kind = type(text).__name__
        remedy = "decode bytes first: data.decode()" if isinstance(text, bytes) else "nlp.pipe takes several texts"
        raise TypeError(f"the text is of type {kind}; it is a str ({remedy})")
    return text


def is_bare(sentence: Sentence) -> bool:
    """Whether no word has a tag."""
    return all(tag == "_" for tag in sentence.upos)


def checked_threads(threads: int) -> int:
    """At least one."""
    if threads < 1:
        raise ValueError(f"threads is {threads}; it is at least 1")
    return threads


def text_chunks(texts: Iterable[str], threads: int) -> Iterator[list[str]]:
    """Texts in lists that are long enough to be worth a thread's while; one by one if there is no other."""
    chunk: list[str] = []
    letters = 0
    for text in texts:
        chunk.append(text)
        letters += len(text)
        if threads == 1 or letters >= LETTERS or len(chunk) >= CHUNK:
            yield chunk
            chunk, letters = [], 0
    if chunk:
        yield chunk


def in_order(work: Callable[[list[T]], list[U]], chunks: Iterator[list[T]], threads: int) -> Iterator[U]:
    """What `work` makes of the chunks, in their order; no more of them are read than are needed soon."""
    if threads == 1:
        yield from (one for chunk in chunks for one in work(chunk))
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(work, chunk) for chunk in islice(chunks, 2 * threads)]
        while waiting:
            yield from waiting.pop(0).result()
            waiting += [pool.submit(work, chunk) for chunk in islice(chunks, 1)]

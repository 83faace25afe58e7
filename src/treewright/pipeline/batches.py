"""Several texts parsed together: which, and what becomes of an error in one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from treewright import streams
from treewright.corpus import Document
from treewright.pipeline.reading import MAX_TEXT_SIZE

Numbered = tuple[int, str]  # the place of a text among all, and the text


class Failure(NamedTuple):
    """The error of a text, in the place of its document."""

    error: Exception


def text_batches(texts: Iterable[str], most: int) -> Iterator[list[Numbered]]:
    """Yield numbered texts in lists of up to `most` texts or MAX_TEXT_SIZE characters, while they come quickly."""

    def is_full(batch: list[Numbered]) -> bool:
        return sum(len(text) for _, text in batch) >= MAX_TEXT_SIZE

    pace = streams.Pace(enumerate(texts), most, is_full=is_full)
    return streams.arriving(pace, pace.is_ready)


def one_by_one(texts: Iterable[Numbered], parse: Callable[[str], Document]) -> Iterator[Document | Failure]:
    """Yield the document of each text up to the first error, which names the place of its text."""
    for number, text in texts:
        try:
            yield parse(text)
        except Exception as error:
            error.args = (f"texts[{number}]: {error}", *error.args[1:])
            yield Failure(error)
            return


def documents_of(results: Iterable[Document | Failure]) -> Iterator[Document]:
    """Yield the documents up to the first error, which is raised."""
    for result in results:
        if isinstance(result, Failure):
            raise result.error
        yield result

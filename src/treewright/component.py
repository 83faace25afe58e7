"""What the components of a model share: treebanks as arguments, and what their files say about training data."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

from treewright.corpus import Sentence, read

Corpus = str | os.PathLike[str] | Iterable[Sentence]


def sentences_of(corpus: Corpus | None, check: str = "format") -> list[Sentence]:
    """The sentences of a file, after a check of each, or the sentences given; none for None."""
    if corpus is None:
        return []
    if isinstance(corpus, (str, os.PathLike)):
        return list(read(corpus, check=check))
    return list(corpus)


def metadata_of(sentences: Sequence[Sentence]) -> dict[str, Any]:
    """What a model file says about the data that it was trained on."""
    return {"sentences": len(sentences), "words": sum(map(len, sentences)), "version": version("treewright")}


def hash_of(texts: Iterable[bytes]) -> str:
    """The SHA-256 of what a training reads, as hexadecimal digits."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text)
    return digest.hexdigest()

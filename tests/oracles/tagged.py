"""A small corpus of tags for the tests of induction."""

from __future__ import annotations

import numpy as np

from treewright.induce.tagged import TaggedCorpus

KINDS = ("ADP", "DET", "NOUN", "VERB")


def corpus_of(*sentences: str) -> TaggedCorpus:
    tags = [[KINDS.index(tag) for tag in sentence.split()] for sentence in sentences]
    flat = np.array([tag for sentence in tags for tag in sentence], dtype=np.int32)
    return TaggedCorpus(KINDS, flat, np.cumsum([len(sentence) for sentence in tags]).astype(np.int32), [])


CORPUS = corpus_of(
    "DET NOUN VERB",
    "NOUN VERB DET NOUN",
    "DET NOUN VERB ADP DET NOUN",
    "VERB DET NOUN",
    "NOUN VERB NOUN ADP NOUN",
    "ADP DET",
)

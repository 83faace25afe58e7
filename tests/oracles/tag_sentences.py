"""A small corpus of tag sequences for grammar induction; each word is its tag in lower case."""

from __future__ import annotations

import treewright as tw

SENTENCES = [
    "DET NOUN VERB DET NOUN PUNCT",
    "PRON VERB ADV PUNCT",
    "DET ADJ NOUN VERB ADP DET NOUN PUNCT",
    "PUNCT NOUN VERB NOUN PUNCT",
    "VERB DET NOUN ADP NOUN PUNCT",
    "PRON AUX VERB DET ADJ NOUN PUNCT",
] * 3


def sentence(tags: str, heads: list[int] | None = None) -> tw.Sentence:
    upos = tags.split()
    return tw.Sentence.from_words([tag.lower() for tag in upos], upos=upos, heads=heads)


CORPUS = [sentence(tags) for tags in SENTENCES]

"""Casing of whole sentences: how a sentence in capitals is seen, and the case noise that training adds.

Case says which words are names only where a text has both cases. A sentence in capitals therefore has the words that
it would have in lower case, and a share of the training sentences is in lower case, so that words are recognised
without it. The tokeniser sees text as it is written, and learns from a share of paragraphs in lower case and in
capitals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.corpus import Sentence
from treewright.tokeniser.text import PARAGRAPH

MIN_CAPITALS = 2  # of a sentence in capitals: "I" and the "A" of a list are not in capitals; not tuned


def is_in_capitals(forms: Sequence[str]) -> bool:
    """Whether a sentence has capitals, several, and no other letter with a case.

    >>> is_in_capitals(["STOP", "!"]), is_in_capitals(["I"]), is_in_capitals(["NASA", "landed"])
    (True, False, False)
    """
    text = "".join(forms)
    return text.isupper() and sum(map(str.isupper, text)) >= MIN_CAPITALS


def without_capitals(forms: Sequence[str]) -> Sequence[str]:
    """Bring the forms of a sentence into lower case if it is in capitals.

    >>> without_capitals(["STOP", "!"]), without_capitals(["Stop", "!"])
    (['stop', '!'], ['Stop', '!'])
    """
    return [form.lower() for form in forms] if is_in_capitals(forms) else forms


def with_case_noise(sentences: Sequence[Sentence], share: float, seed: int) -> list[Sentence]:
    """Bring a random share of the sentences into lower case; the same for the same seed.

    >>> [sentence.forms for sentence in with_case_noise([Sentence.from_words(["It", "rains"])], 1.0, 1)]
    [['it', 'rains']]
    """
    noisy = list(sentences)
    for number in np.random.default_rng(seed).permutation(len(sentences))[: int(share * len(sentences))].tolist():
        noisy[number] = sentences[number].with_columns(forms=[form.lower() for form in sentences[number].forms])
    return noisy


def with_noisy_paragraphs(text: str, share: float, seed: int) -> str:
    """Change the casing of a random share of the paragraphs of a canonical text: lower case and capitals by turns.

    Each character keeps its place: a letter whose other case is several letters stays as it is.

    >>> with_noisy_paragraphs("It rains.\\n\\nStay in!\\n\\n", 1.0, 1)
    'it rains.\\n\\nSTAY IN!\\n\\n'
    """
    *paragraphs, end = text.split(PARAGRAPH)
    chosen = np.random.default_rng(seed).permutation(len(paragraphs))[: int(share * len(paragraphs))]
    for place, number in enumerate(chosen.tolist()):
        change = str.upper if place % 2 else str.lower
        letters = ((letter, change(letter)) for letter in paragraphs[number])
        paragraphs[number] = "".join(new if len(new) == 1 else old for old, new in letters)
    return PARAGRAPH.join([*paragraphs, end])

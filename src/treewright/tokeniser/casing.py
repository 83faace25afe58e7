"""Casing of whole sentences: how a sentence in capitals is seen, and the case noise that training adds.

Case says which words are names only where a text has both cases. A sentence in capitals therefore has the words that
it would have in lower case, and a share of the training sentences is in lower case, so that words are recognised
without it. The tokeniser sees text as it is written, and learns from a share of paragraphs in lower case and in
capitals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from treewright.corpus import Sentence
from treewright.tokeniser.canonical import PARAGRAPH

MIN_CAPITALS = 2  # of a sentence in capitals: "I" and the "A" of a list are not in capitals; by convention


def is_in_capitals(forms: Sequence[str]) -> bool:
    """Whether a sentence has capitals, several, and no other letter with a case.

    >>> is_in_capitals(["STOP", "!"]), is_in_capitals(["I"]), is_in_capitals(["NASA", "landed"])
    (True, False, False)
    """
    text = "".join(forms)
    return text.isupper() and sum(map(str.isupper, text)) >= MIN_CAPITALS


def without_capitals(forms: Sequence[str]) -> Sequence[str]:
    """The forms of a sentence in lower case if it is in capitals, otherwise as they are.

    >>> without_capitals(["STOP", "!"]), without_capitals(["Stop", "!"])
    (['stop', '!'], ['Stop', '!'])
    """
    return [form.lower() for form in forms] if is_in_capitals(forms) else forms


def with_case_noise(sentences: Sequence[Sentence], share: float, seed: int) -> list[Sentence]:
    """The sentences, a random share of them in lower case; the same for the same seed.

    >>> [sentence.forms for sentence in with_case_noise([Sentence.from_words(["It", "rains"])], 1.0, 1)]
    [['it', 'rains']]
    """
    noisy = set(np.random.default_rng(seed).permutation(len(sentences))[: int(share * len(sentences))].tolist())
    return [in_lower_case(one) if number in noisy else one for number, one in enumerate(sentences)]


def in_lower_case(sentence: Sentence) -> Sentence:
    """A copy of a sentence with its forms in lower case."""
    return sentence.with_columns(forms=[form.lower() for form in sentence.forms])


def with_noisy_paragraphs(text: str, share: float, seed: int) -> str:
    """The text, a random share of its paragraphs in another casing: half of them in lower case, half in capitals.

    Each character keeps its place: a letter whose other case is several letters stays as it is.

    >>> with_noisy_paragraphs("It rains.\\n\\nStay in!", 1.0, 1)
    'it rains.\\n\\nSTAY IN!'
    """
    paragraphs = text.split(PARAGRAPH)
    chosen = np.random.default_rng(seed).permutation(len(paragraphs))[: int(share * len(paragraphs))]
    for place, number in enumerate(chosen.tolist()):
        change = str.upper if place % 2 else str.lower
        paragraphs[number] = "".join(map(letter_by_letter(change), paragraphs[number]))
    return PARAGRAPH.join(paragraphs)


def letter_by_letter(change: Callable[[str], str]) -> Callable[[str], str]:
    """A change of case that keeps a letter as it is where it would become several."""

    def changed(letter: str) -> str:
        found = change(letter)
        return found if len(found) == 1 else letter

    return changed

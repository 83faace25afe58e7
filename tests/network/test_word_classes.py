"""Classes of words are the same whether they are searched in the text or looked up in the table."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.network.word_classes import MAX_SEARCHES, WordClasses

WORDS = [f"w{number}" for number in range(100)] + ["é", "w"]
PATHS = ("00", "01", "1")
NUMBERS = np.arange(len(WORDS), dtype=np.int32) % 3


def make() -> WordClasses:
    return WordClasses("".join(f"{word}\n" for word in WORDS).encode(), PATHS, NUMBERS)


def test_searches_and_the_table_agree() -> None:
    expected = {word: PATHS[number] for word, number in zip(WORDS, NUMBERS.tolist(), strict=True)}
    assert {word: make()[word] for word in WORDS} == expected
    classes = make()
    assert len(WORDS) > MAX_SEARCHES
    assert [classes[word] for word in WORDS] == list(expected.values())
    assert dict(make()) == expected


@pytest.mark.parametrize("word", ["", "0", "w1\nw2", "unknown"])
def test_parts_of_words_and_several_words_have_no_class(word: str) -> None:
    assert make().get(word) is None


def test_a_damaged_text_is_refused_when_it_is_read() -> None:
    with pytest.raises(ValueError, match="2 words have 1 classes"):
        WordClasses(b"a\nb\n", PATHS, NUMBERS[:1])
    with pytest.raises(ValueError, match="does not end with a line break"):
        WordClasses(b"a\nb", PATHS, NUMBERS[:1])
    with pytest.raises(ValueError, match="a class that is not among the classes"):
        WordClasses(b"a\n", PATHS, NUMBERS[:1] + np.int32(3))
    with pytest.raises(UnicodeDecodeError):
        WordClasses(b"\xff\n", PATHS, NUMBERS[:1])

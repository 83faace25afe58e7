"""The inputs of a word: its rows of the tables of a network."""

from __future__ import annotations

from zlib import crc32

from treewright.network.model import FIRST_VECTOR_ROW, FIRST_WORD_ROW, NO_VECTOR_ROW, UNKNOWN_ROW, NetworkModel


class Inputs:
    """Maps a form to its rows: word, vector, classes, subwords."""

    def __init__(self, model: NetworkModel) -> None:
        self._words = {word: row for row, word in enumerate(model.vocabulary, FIRST_WORD_ROW)}
        self._vectors = {word: row for row, word in enumerate(model.vector_vocabulary, FIRST_VECTOR_ROW)}
        self._classes = {path: row for row, path in enumerate(model.classes)}
        self._word_classes = model.word_classes
        self._buckets = len(model.arrays["subword"])

    def of(self, form: str) -> tuple[int, int, list[int], list[int]]:
        """The row of the word, that of its vector, the rows of its classes, those of its subwords."""
        lower = form.lower()
        path = self._word_classes.get(lower, "")
        classes = [self._classes[path[:end]] for end in range(1, len(path) + 1) if path[:end] in self._classes]
        marked = f"<{form}>"
        grams = [marked[start : start + 3] for start in range(len(marked) - 2)]
        subwords = [crc32(gram.encode("utf-8", "surrogatepass")) % self._buckets for gram in grams]
        word = self._words.get(lower, UNKNOWN_ROW)
        return word, self._vectors.get(lower, NO_VECTOR_ROW), classes, subwords

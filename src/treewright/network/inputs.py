"""The inputs of a word: its rows of the tables of a network.

They depend on the form: its row among the frequent words of the training data, the row of its vector, the rows of the
prefixes of its class (a bit path), and the rows of its subwords, which are hashed: affixes, character n-grams and what
is left of them when letters are replaced by their kinds. A network that reads tags has rows for these too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from treewright._core import text_hash
from treewright.corpus import Sentence
from treewright.corpus.typography import canonical
from treewright.network.model import FIRST_VECTOR_ROW, FIRST_WORD_ROW, NO_VECTOR_ROW, UNKNOWN_ROW, NetworkModel
from treewright.tagger.words import SHAPE
from treewright.tokeniser.representatives import representative

# Not tuned: prefixes and suffixes of up to so many letters, n-grams of these lengths at the first places of a word, and
# a shape of so many characters.
MAX_PREFIX, MAX_SUFFIX, GRAMS, MAX_GRAMS, MAX_SHAPE = 4, 5, (3, 4), 30, 12
CLASS_PREFIXES = (4, 6, 10)  # lengths of the prefixes of a bit path beside the whole path, as in Turian et al. 2010

Rows = tuple[int, int, list[int], list[int]]


class Inputs:
    """Maps a form and its tags to its rows: word, vector, classes and tags, subwords."""

    def __init__(
        self,
        vocabulary: Sequence[str],
        vector_vocabulary: Sequence[str],
        classes: Sequence[str],
        word_classes: Mapping[str, str],
        buckets: int,
    ) -> None:
        self._words = {word: row for row, word in enumerate(vocabulary, FIRST_WORD_ROW)}
        self._vectors = {word: row for row, word in enumerate(vector_vocabulary, FIRST_VECTOR_ROW)}
        self._classes = {path: row for row, path in enumerate(classes)}
        self._word_classes = word_classes
        self._buckets = buckets

    @classmethod
    def of_model(cls, model: NetworkModel) -> Inputs:
        """Return the inputs of the words that a network reads."""
        strings = model.vocabulary, model.vector_vocabulary, model.classes, model.word_classes
        return cls(*strings, buckets=len(model.arrays["subword"]))

    def of(self, form: str, tags: Sequence[str] = ()) -> Rows:
        """Return the row of the word, of its vector, the rows of its classes and tags, and of its subwords.

        tags: strings of `tag_strings`.
        """
        word = represent(form)
        lower = word.lower()
        path = self._word_classes.get(word) or self._word_classes.get(lower, "")
        strings = (*path_prefixes(path), *tags)
        classes = [self._classes[string] for string in strings if string in self._classes]
        subwords = [text_hash(text) % self._buckets for text in subwords_of(word)] if self._buckets else []
        return self._words.get(lower, UNKNOWN_ROW), self._vectors.get(lower, NO_VECTOR_ROW), classes, subwords


def tag_strings(sentence: Sentence, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the strings that stand for the values of these columns, for each word.

    >>> sentence = Sentence.from_words(["It", "rains"], upos=["PRON", "VERB"], feats=["Case=Nom|Number=Sing", "_"])
    >>> tag_strings(sentence, ("upos", "feats"))
    [('upos=PRON', 'feats=Case=Nom', 'feats=Number=Sing'), ('upos=VERB',)]
    """
    cells = [[values_of(name, cell) for cell in getattr(sentence, name)] for name in columns]
    return [tuple(chain.from_iterable(column[index] for column in cells)) for index in range(len(sentence))]


def values_of(column: str, cell: str) -> list[str]:
    """Return the values of a cell, each with the name of its column."""
    return [f"{column}={value}" for value in (cell.split("|") if column == "feats" else [cell]) if value != "_"]


def represent(form: str) -> str:
    """Return the word that stands for a form: in canonical spelling, and one for all addresses, emoji and the like."""
    return representative(canonical(form))


def path_prefixes(path: str) -> list[str]:
    """Return the prefixes of the bit path of a class that have rows of their own, and the path.

    >>> path_prefixes("11010010110")
    ['1101', '110100', '1101001011', '11010010110']
    """
    return list(dict.fromkeys([*(path[:length] for length in CLASS_PREFIXES), path])) if path else []


def subwords_of(form: str) -> Iterator[str]:
    """Yield texts that describe the spelling of a form, those of a kind with a letter before them.

    >>> list(subwords_of("Ox"))
    ['sAa', 'cTrueFalseFalseFalse', 'po', 'pox', 'ex', 'eox', 'g<ox', 'gox>', 'g<ox>']
    """
    lower = form.lower()
    yield f"s{form.translate(SHAPE)[:MAX_SHAPE]}"
    yield f"c{form[:1].isupper()}{form[1:].isupper()}{any(map(str.isdigit, form))}{'-' in form}"
    yield from (f"p{lower[:length]}" for length in range(1, min(MAX_PREFIX, len(lower)) + 1))
    yield from (f"e{lower[-length:]}" for length in range(1, min(MAX_SUFFIX, len(lower)) + 1))
    marked = f"<{lower}>"
    for length in GRAMS:
        count = min(len(marked) - length + 1, MAX_GRAMS)
        yield from (f"g{marked[begin : begin + length]}" for begin in range(count))

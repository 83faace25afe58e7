"""Feature templates of the tagger and the lemmatiser, over atoms of words that the core computes (core/text)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int32]

# In the order of core/text/tag_words.hpp. `tags` is the set of universal tags of a known word and the most probable one
# of an unknown word, `suffix` the longest one that rare words of the training data have.
ATOMS = (
    *("form", "lower", "suffix1", "suffix2", "suffix3", "suffix4", "suffix5", "suffix6", "suffix7"),
    *("prefix1", "prefix2", "prefix3", "prefix4", "shape", "surface"),
    *("tags", "suffix", "stem", "stem_tags", "after_stem"),
)
TEMPLATES = (
    *("0.form", "0.lower", "0.suffix1", "0.suffix2", "0.suffix3", "0.suffix4", "0.suffix5"),
    *("0.prefix1", "0.prefix2", "0.prefix3", "0.prefix4", "0.shape", "0.surface", "0.tags"),
    *("-1.lower", "+1.lower", "-2.lower", "+2.lower", "-1.lower 0.lower", "0.lower +1.lower", "-1.lower +1.lower"),
    *("-1.tags", "+1.tags", "+1.tags +2.tags", "-1.tags +1.tags", "-1.suffix3", "+1.suffix3", "0.suffix3 +1.tags"),
    *("0.suffix6", "0.suffix7", "0.suffix", "0.suffix +1.tags", "-1.tags 0.suffix", "-1.suffix3 0.suffix"),
    *("0.stem", "0.stem_tags 0.after_stem", "0.stem_tags 0.suffix3", "0.after_stem"),
    *("-1.surface 0.surface", "0.shape +1.surface", "-1.lower 0.suffix3", "0.tags +1.tags", "-1.tags 0.tags"),
)
LEMMA_ATOMS = (
    *("suffix1", "suffix2", "suffix3", "suffix4", "suffix5", "suffix6", "prefix1", "prefix2", "prefix3"),
    *("shape", "surface", "upos", "feats", "lower"),
)
LEMMA_TEMPLATES = (
    *(f"0.suffix{length} 0.{tag}" for length in range(1, 7) for tag in ("upos", "feats")),
    *(f"0.prefix{length} 0.{tag}" for length in range(1, 4) for tag in ("upos", "feats")),
    *("0.shape 0.upos", "0.surface 0.upos", "0.surface 0.feats", "0.upos 0.feats", "0.lower"),
    "0.suffix2 0.prefix1 0.upos",
)


class _Shape(dict[int, str]):
    """A table for str.translate: A for capitals, a for other letters, 0 for digits, other characters unchanged."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isupper():
            shape = "A"
        elif character.isalpha():
            shape = "a"
        else:
            shape = "0" if character.isdigit() else character
        self[code] = shape
        return shape


SHAPE = _Shape()

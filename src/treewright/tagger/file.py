"""A tagger as a header and arrays (treewright.component)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.component import Arrays, Stored
from treewright.errors import InputError
from treewright.learn import Weights
from treewright.modelfile import Path
from treewright.tagger.lexicon import Lexicon, Listing, array_names
from treewright.tagger.model import TaggerModel
from treewright.tagger.options import TaggerOptions

WEIGHTS = ("weights", "lemma_weights")
ARRAYS = (*WEIGHTS, *array_names("tags.words", "tags.endings", "lemmas.words", "lemmas.endings", "stems"))


def to_arrays(model: TaggerModel) -> Stored:
    """The header and the arrays of a model file."""
    header = {
        "options": model.options.to_json(),
        "tags": model.tags,
        "scripts": model.scripts,
        "stem_tags": model.stem_tags,
        "scales": {name: getattr(model, name).scale for name in WEIGHTS},
        "metadata": dict(model.metadata),
    }
    arrays = {name: getattr(model, name).values for name in WEIGHTS}
    lists = {**model.lexicon.to_arrays("tags"), **model.lemmas.to_arrays("lemmas"), **model.stems.to_arrays("stems")}
    return header, arrays | lists


def from_arrays(path: Path, header: Mapping[str, Any], arrays: Arrays) -> TaggerModel:
    """The model of a header and arrays that were read from `path`."""
    try:
        options = TaggerOptions.from_json(header["options"])
        tags = tuple(tuple(tag) for tag in header["tags"])
        scripts, metadata = tuple(header["scripts"]), header["metadata"]
        lexicon, lemmas = Lexicon.from_arrays("tags", arrays), Lexicon.from_arrays("lemmas", arrays)
        weights = [Weights(arrays[name], float(header["scales"][name])) for name in WEIGHTS]
        stems, stem_tags = Listing.from_arrays("stems", arrays), tuple(header["stem_tags"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{path}: its header or lists are damaged ({error}); train the model again") from None
    for name, labels, settings in (("weights", tags, options.tags), ("lemma_weights", scripts, options.lemmas)):
        if labels and (arrays[name].dtype != np.int8 or arrays[name].shape != (1 << settings.bits,)):
            raise InputError(f"{path}: {name} is not {1 << settings.bits} numbers of eight bits; train the model again")
    for name, lists, labels in (("tags", lexicon, tags), ("lemmas", lemmas, scripts)):
        if max(table.labels.max(initial=0) for table in (lists.words, lists.suffixes)) >= max(len(labels), 1):
            raise InputError(f"{path}: {name} has a label that is not among its tags or scripts; train the model again")
    return TaggerModel(
        *(options, tags, lexicon, weights[0], scripts, lemmas, weights[1], stems, stem_tags, metadata),
    )

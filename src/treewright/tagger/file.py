"""A tagger as a header and arrays (treewright.model.component)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treewright.checks import NotNegative, Scale, read_plain
from treewright.learn import Calibration, Weights
from treewright.model.component import ArrayForm, Arrays, Stored, check_array
from treewright.tagger.lexicon import MAX_UINT16, Lexicon, Listing, array_forms
from treewright.tagger.model import TaggerModel
from treewright.tagger.options import Candidates, TaggerOptions
from treewright.tagger.scripts import check_script

WEIGHTS = ("weights", "lemma_weights")
ARRAYS: dict[str, ArrayForm] = {
    **dict.fromkeys(WEIGHTS, (np.int8, (None,))),
    **array_forms("tags.words", "tags.suffixes", "lemmas.words", "lemmas.suffixes", "stems"),
}


def to_arrays(model: TaggerModel) -> Stored:
    """Return the header and the arrays of a model file."""
    header = {
        "options": asdict(model.options),
        "tags": model.tags,
        "scripts": model.scripts,
        "stem_tags": model.stem_tags,
        "scales": {name: getattr(model, name).scale for name in WEIGHTS},
        "metadata": dict(model.metadata),
        "network_weight": model.network_weight,
    }
    optional = ("network_candidates", "calibration", "linear_calibration")
    header |= {name: asdict(value) for name in optional if (value := getattr(model, name)) is not None}
    arrays = {name: getattr(model, name).values for name in WEIGHTS}
    lists = {**model.lexicon.to_arrays("tags"), **model.lemmas.to_arrays("lemmas"), **model.stems.to_arrays("stems")}
    return header, arrays | lists


@dataclass(frozen=True)
class Scales:
    """The scales of the eight-bit weights."""

    weights: Scale
    lemma_weights: Scale


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    options: TaggerOptions
    tags: tuple[tuple[str, ...], ...]
    scripts: tuple[str, ...]
    stem_tags: tuple[str, ...]
    scales: Scales
    metadata: Mapping[str, Any]
    calibration: Calibration | None = None
    network_weight: NotNegative = 0.0
    linear_calibration: Calibration | None = None
    network_candidates: Candidates | None = None


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> TaggerModel:
    """Make the model of a header and arrays."""
    checked = read_plain(header, Header, "header")
    options = checked.options
    check_labels(checked)
    lexicon, lemmas = Lexicon.from_arrays("tags", arrays), Lexicon.from_arrays("lemmas", arrays)
    stems = Listing.from_arrays("stems", arrays)
    for name, labels, settings in (
        ("weights", checked.tags, options.tags),
        ("lemma_weights", checked.scripts, options.lemmas),
    ):
        if labels:
            check_array(name, arrays[name], np.int8, (1 << settings.bits,))
    for name, lists, labels in (("tags", lexicon, checked.tags), ("lemmas", lemmas, checked.scripts)):
        if max(table.labels.max(initial=0) for table in (lists.words, lists.suffixes)) >= max(len(labels), 1):
            raise ValueError(f"{name} has a label that is not among its tags or scripts")
    return TaggerModel(
        *(options, checked.tags, lexicon, Weights(arrays["weights"], checked.scales.weights)),
        *(checked.scripts, lemmas, Weights(arrays["lemma_weights"], checked.scales.lemma_weights)),
        *(stems, checked.stem_tags, checked.metadata),
        calibration=checked.calibration,
        network_weight=checked.network_weight,
        linear_calibration=checked.linear_calibration,
        network_candidates=checked.network_candidates,
    )


def check_labels(header: Header) -> None:
    """Refuse tags without a value for each column, and what is no script."""
    columns = header.options.tag_columns
    if any(len(tag) != len(columns) for tag in header.tags):
        raise ValueError(f"header.tags has a tag without a value for each of {', '.join(columns)}")
    for script in header.scripts:
        check_script(script)
    if max(len(header.tags), len(header.scripts)) > MAX_UINT16:
        raise ValueError(f"it has more than {MAX_UINT16} tags or scripts")

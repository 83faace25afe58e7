"""A learned tokeniser: its model, and its header and arrays in a model file (treewright.model.component)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.checks import Scale, read_plain
from treewright.learn import Learning, Weights
from treewright.model.component import ArrayForm, Arrays, Stored, check_array, with_prefix
from treewright.tokeniser.affixes import COUNTS, Affix, AffixModel, AffixTable, StemTable
from treewright.tokeniser.boundaries import WORD_COLUMNS, BoundaryModel, WordTable
from treewright.tokeniser.corrections import Abbreviations, Corrections, Signs
from treewright.tokeniser.counts import Counts
from treewright.tokeniser.multiwords import Multiwords
from treewright.tokeniser.patterns import Patterns
from treewright.tokeniser.segmenter import Segmenter, Vocabulary

ARRAYS: dict[str, ArrayForm] = {
    "weights": (np.float32, (None,)),
    "boundaries.weights": (np.int8, (None,)),
    "boundaries.keys": (np.uint32, (None,)),
    "boundaries.words": (np.uint16, (None, len(WORD_COLUMNS))),
}


@dataclass(frozen=True)
class TokeniserModel:
    """Everything that a learned tokeniser needs."""

    settings: Learning
    weights: NDArray[np.float32]  # of the character model
    parted: frozenset[int]  # kinds of neighbours that tokens end between: 64 * class + class of the next character
    multiwords: Multiwords
    corrections: Corrections
    boundaries: BoundaryModel
    affixes: AffixModel | None = None  # of a treebank whose multiword tokens are more than a list
    segmenter: Segmenter | None = None  # of text in which spaces do not separate tokens


@dataclass(frozen=True)
class WeightsHeader:
    """The header of a model with weights of eight bits."""

    settings: Learning
    scale: Scale


@dataclass(frozen=True)
class AffixHeader(WeightsHeader):
    """The header of the model of multiword tokens."""

    prefixes: tuple[Affix, ...]
    suffixes: tuple[Affix, ...]


@dataclass(frozen=True)
class SegmenterHeader(WeightsHeader):
    """The header of the segmenter."""

    joins: bool


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    settings: Learning
    parted: tuple[int, ...]
    multiwords: Multiwords
    patterns: tuple[str, ...]
    abbreviations: tuple[str, ...]
    signs: tuple[str, ...]
    boundaries: WeightsHeader
    affixes: AffixHeader | None = None
    segmenter: SegmenterHeader | None = None


def to_arrays(model: TokeniserModel) -> Stored:
    """Return the header and the arrays of a model file."""
    boundaries, corrections = model.boundaries, model.corrections
    header: dict[str, Any] = {
        "settings": asdict(model.settings),
        "parted": sorted(model.parted),
        "multiwords": asdict(model.multiwords),
        "patterns": corrections.patterns.names,
        "abbreviations": corrections.abbreviations.names,
        "signs": corrections.signs.names,
        "boundaries": weights_header(boundaries),
    }
    values = (model.weights, boundaries.weights.values, boundaries.words.keys, boundaries.words.rows)
    arrays: dict[str, NDArray[Any]] = dict(zip(ARRAYS, values, strict=True))
    if affixes := model.affixes:
        header["affixes"] = {**weights_header(affixes), **asdict(affixes.affixes)}
        arrays["affixes.weights"] = affixes.weights.values
        for name in COUNTS:
            arrays |= getattr(affixes.stems, name).to_arrays(f"affixes.{name}")
    if segmenter := model.segmenter:
        header["segmenter"] = {**weights_header(segmenter), "joins": segmenter.joins}
        arrays["segmenter.weights"] = segmenter.weights.values
        arrays |= segmenter.vocabulary.tokens.to_arrays("segmenter.tokens")
        arrays |= segmenter.vocabulary.substrings.to_arrays("segmenter.substrings")
    return header, arrays


def weights_header(model: BoundaryModel | AffixModel | Segmenter) -> dict[str, Any]:
    """Return the header of a model with weights of eight bits."""
    return {"settings": asdict(model.settings), "scale": model.weights.scale}


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> TokeniserModel:
    """Return the inverse of `to_arrays`."""
    checked = read_plain(header, Header, "header")
    character_weights, _, keys, rows = (arrays[name] for name in ARRAYS)
    check_array("weights", character_weights, np.float32, (1 << checked.settings.bits,))
    check_array("boundaries.words", rows, np.uint16, (len(keys), len(WORD_COLUMNS)))
    if (keys[1:] <= keys[:-1]).any():
        raise ValueError("the array boundaries.keys is not sorted")
    checked.multiwords.check_words()
    return TokeniserModel(
        checked.settings,
        character_weights,
        frozenset(checked.parted),
        checked.multiwords,
        Corrections(Patterns(checked.patterns), Abbreviations(checked.abbreviations), Signs(checked.signs)),
        BoundaryModel(*read_weights(checked.boundaries, arrays, "boundaries"), WordTable(keys, rows)),
        None if checked.affixes is None else read_affixes(checked.affixes, arrays),
        None if checked.segmenter is None else read_segmenter(checked.segmenter, arrays),
    )


def read_weights(header: WeightsHeader, arrays: Arrays, name: str) -> tuple[Learning, Weights]:
    """Return the settings and the weights of a part of the model."""
    key = f"{name}.weights"
    if key not in arrays:
        raise ValueError(f"the tokeniser lacks the array {key}")
    check_array(key, arrays[key], np.int8, (1 << header.settings.bits,))
    return header.settings, Weights(arrays[key], header.scale)


def read_affixes(header: AffixHeader, arrays: Arrays) -> AffixModel:
    """Return the model of multiword tokens."""
    settings, weights = read_weights(header, arrays, "affixes")
    if not all(all(affix.words) for affix in (*header.prefixes, *header.suffixes)):
        raise ValueError("header.affixes has an empty word")
    counts = [Counts.from_arrays(with_prefix(arrays, "affixes."), name) for name in COUNTS]
    return AffixModel(settings, AffixTable(header.prefixes, header.suffixes), StemTable(*counts), weights)


def read_segmenter(header: SegmenterHeader, arrays: Arrays) -> Segmenter:
    """Return the segmenter."""
    settings, weights = read_weights(header, arrays, "segmenter")
    counts = [Counts.from_arrays(with_prefix(arrays, "segmenter."), name) for name in ("tokens", "substrings")]
    return Segmenter(settings, header.joins, Vocabulary(*counts), weights)

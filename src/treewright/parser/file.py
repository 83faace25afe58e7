"""A parser as a header and arrays (treewright.model.component)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.checks import Scale, read_plain
from treewright.features import Templates
from treewright.learn import Weights
from treewright.model.component import ArrayForm, Arrays, Stored, check_array
from treewright.parser.label_rules import NO_RULES, LabelRules, LabelSets
from treewright.parser.model import Calibrations, ParserModel, label_width
from treewright.parser.options import ParserSettings

WEIGHTS = ("pruner", "scorer", "labeller")
OPTIONAL_WEIGHTS = {"factors": "third-order parts", "tensor": "tensor"}  # by the setting of what not every parser has
CALIBRATIONS = ("calibration", "linear_calibration")
SETS = tuple(f"labels.{name}" for name in LabelSets._fields)
ARRAYS: dict[str, ArrayForm] = {
    **dict.fromkeys(WEIGHTS, (np.int8, (None,))),
    "labels.key": (np.uint32, (None,)),
    "labels.begin": (np.int32, (None,)),
    "labels.label": (np.int32, (None,)),
}


def to_arrays(model: ParserModel) -> Stored:
    """Return the header and the arrays of a model file."""
    header: dict[str, Any] = {
        "options": model.options.to_json(),
        "labels": model.labels,
        "common": model.common,
        "templates": {kind: lines for kind, lines in model.templates._asdict().items() if lines},
        "scales": {name: getattr(model, name).scale for name in WEIGHTS},
        "label_rules": model.label_rules.to_json(),
        "metadata": dict(model.metadata),
    }
    for name in CALIBRATIONS:
        if (calibrations := getattr(model, name)) is not None:
            header[name] = {part: vars(calibration) for part, calibration in calibrations._asdict().items()}
    weights = {name: getattr(model, name).values for name in WEIGHTS}
    for name in OPTIONAL_WEIGHTS:
        if (optional := getattr(model, name)) is not None:
            header["scales"][name] = optional.scale
            weights[name] = optional.values
    return header, weights | dict(zip(SETS, model.label_sets, strict=True))


@dataclass(frozen=True)
class Scales:
    """The scales of the eight-bit weights."""

    pruner: Scale
    scorer: Scale
    labeller: Scale
    factors: Scale = 1.0  # of models that have them
    tensor: Scale = 1.0  # of models that have one


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    options: ParserSettings
    labels: tuple[str, ...]
    common: tuple[str, ...]
    templates: Templates
    scales: Scales
    metadata: Mapping[str, Any]
    label_rules: LabelRules = NO_RULES
    calibration: Calibrations | None = None
    linear_calibration: Calibrations | None = None


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> ParserModel:
    """Read a model from a header and arrays."""
    content = read_plain(header, Header, "header")
    options, labels = content.options, content.labels
    bits = {"pruner": options.pruning.bits, "scorer": options.scoring.bits, "labeller": options.labelling.bits}
    for name in WEIGHTS:
        check_array(name, arrays[name], np.int8, (1 << bits[name],))
    if not labels or label_width(len(labels)) > 1 << options.labelling.bits:
        raise ValueError(f"{len(labels)} labels do not fit its table")
    weights = {name: Weights(arrays[name], getattr(content.scales, name)) for name in WEIGHTS}
    sets = LabelSets(*(arrays[name] for name in SETS))
    return ParserModel(
        options,
        labels,
        sets,
        content.common,
        weights["pruner"],
        weights["scorer"],
        weights["labeller"],
        templates=content.templates,
        metadata=content.metadata,
        label_rules=content.label_rules,
        calibration=content.calibration,
        linear_calibration=content.linear_calibration,
        factors=optional_weights("factors", content, arrays),
        tensor=optional_weights("tensor", content, arrays),
    )


def optional_weights(name: str, header: Header, arrays: Arrays) -> Weights | None:
    """Read the weights of what not every parser has, if this one has it."""
    settings = getattr(header.options, name)
    if settings is None:
        return None
    if name not in arrays:
        raise ValueError(f"the weights of its {OPTIONAL_WEIGHTS[name]} are missing")
    check_array(name, arrays[name], np.int8, (1 << settings.bits,))
    return Weights(arrays[name], getattr(header.scales, name))

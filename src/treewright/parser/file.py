"""A parser as a header and arrays (treewright.component)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.component import Arrays, Stored
from treewright.errors import InputError
from treewright.features import Templates, marked_by_place
from treewright.learn import Weights
from treewright.modelfile import Path
from treewright.parser.label_rules import LabelRules
from treewright.parser.model import LabelSets, ParserModel, label_width
from treewright.parser.options import ParserSettings

WEIGHTS = ("pruner", "scorer", "labeller")
SETS = tuple(f"labels.{name}" for name in LabelSets._fields)
ARRAYS = WEIGHTS + SETS
MARKED_DISTANCE = 2  # the first format whose label templates are marked where they have the distance


def to_arrays(model: ParserModel) -> Stored:
    """The header and the arrays of a model file."""
    header = {
        "options": model.options.to_json(),
        "labels": model.labels,
        "common": model.common,
        "templates": {kind: lines for kind, lines in model.templates._asdict().items() if lines},
        "scales": {name: getattr(model, name).scale for name in WEIGHTS},
        "label_rules": model.label_rules.to_json(),
        "metadata": dict(model.metadata),
    }
    weights = {name: getattr(model, name).values for name in WEIGHTS}
    return header, weights | dict(zip(SETS, model.label_sets, strict=True))


def from_arrays(path: Path, header: Mapping[str, Any], arrays: Arrays) -> ParserModel:
    """The model of a header and arrays that were read from `path`."""
    try:
        options = ParserSettings.from_json(header["options"])
        labels, common, metadata = tuple(header["labels"]), tuple(header["common"]), header["metadata"]
        templates = templates_of(header)
        bits = {"pruner": options.pruning.bits, "scorer": options.scoring.bits, "labeller": options.labelling.bits}
        weights = {name: Weights(arrays[name], header["scales"][name]) for name in WEIGHTS}
        sets = LabelSets(*(arrays[name] for name in SETS))
        rules = LabelRules.from_json(header.get("label_rules", {}))
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: its header lacks or misnames {error}; train the model again") from None
    for name, (array, _) in weights.items():
        if array.dtype != np.int8 or array.shape != (1 << bits[name],):
            raise InputError(f"{path}: {name} is not {1 << bits[name]} numbers of eight bits; train the model again")
    if not 0 < label_width(len(labels)) <= 1 << options.labelling.bits:
        raise InputError(f"{path}: {len(labels)} labels do not fit its table; train the model again")
    return ParserModel(
        options, labels, sets, common, templates=templates, metadata=metadata, label_rules=rules, **weights
    )


def templates_of(header: Mapping[str, Any]) -> Templates:
    """The templates of a file of any format; a header that was not read from a file has the current format."""
    templates = Templates(**{name: tuple(lines) for name, lines in header["templates"].items()})
    if header.get("format", MARKED_DISTANCE) >= MARKED_DISTANCE:
        return templates
    return templates._replace(label=marked_by_place(templates.label))

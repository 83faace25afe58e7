"""The parts of a pipeline from model files: components alone, and a pipeline whose parts they replace."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.errors import InputError, MissingComponentError
from treewright.model.component import Component
from treewright.model.registry import PIPELINE_ROLES, load_component, with_article


def join_files(paths: Sequence[str | os.PathLike[str]]) -> tuple[dict[str, Component], Mapping[str, Any]]:
    """Load the parts in these files, in any order; a component alone replaces that of a pipeline.

    Return the parts by their role, and the metadata of the pipeline if there is one among the files.
    """
    alone: dict[str, Component] = {}
    base: Any = None  # a pipeline
    for path in paths:
        loaded = load_component(path, "pipeline", *PIPELINE_ROLES)
        if loaded.KIND == "pipeline":
            if base is not None:
                raise InputError(f"{path}: a second pipeline; give one, and the components that replace its own")
            base = loaded
            continue
        role = PIPELINE_ROLES[loaded.KIND]
        if role in alone:
            raise InputError(f"{path}: a second {role}; a pipeline has one of each")
        alone[role] = loaded
    graphs = alone.pop("graph parser", None)
    if base is not None:
        return with_graphs({**base.components, **alone}, graphs), base.metadata
    if not paths:
        raise InputError("paths is empty; give the files of a tagger and of a parser")
    for role in ("tagger", "parser"):
        if role not in alone:
            raise MissingComponentError(f"no {role} among {', '.join(map(str, paths))}", role)
    return with_graphs(alone, graphs), {}


def with_graphs(parts: dict[str, Component], graphs: Component | None) -> dict[str, Component]:
    """Return the parts, the parser with a graph parser if there is one."""
    if graphs is None:
        return parts
    parser: Any = parts["parser"]
    if parser.KIND != "parser":
        raise InputError(
            f"a graph parser needs a parser that was trained on a treebank; this is {with_article(parser.KIND)}"
        )
    return {**parts, "parser": parser.with_graphs(graphs)}

"""Latent-variable grammars as a header and arrays: one model, or the members of a product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.checks import read_plain
from treewright.grammar import file
from treewright.grammar.latent_model import LatentModel, lexicon_from_tables
from treewright.grammar.options import LatentOptions
from treewright.model.component import ArrayForm, Arrays, Stored, check_array, with_prefix

WORDS, CLASSES = "latent.words", "latent.classes"  # tables of counts by substate
MEMBER_ARRAYS: dict[str, ArrayForm] = {
    **file.ARRAYS,
    "states": (np.int32, (None,)),
    "joined": (np.int32, (None, None)),
    "rule_places": (np.int32, (None,)),  # of the weights that are not zero
    "rule_weights": (np.float32, (None,)),
    "chain_weights": (np.float32, (None,)),
    "top_frequencies": (np.float32, (None,)),
    "base_frequencies": (np.float32, (None,)),
    **{
        f"{table}.{name}": (dtype, (None,))
        for table in (WORDS, CLASSES)
        for name, dtype in (("names", np.uint8), ("ends", np.int32), ("tags", np.int32), ("counts", np.float32))
    },
}
MAX_RULE_WEIGHTS = 1 << 28  # far above any use; not tuned, it bounds memory
ARRAYS: dict[str, ArrayForm] = {f"0.{name}": form for name, form in MEMBER_ARRAYS.items()}


def to_arrays(models: Sequence[LatentModel]) -> Stored:
    """Return the headers of the members as a list, and their arrays with the number of the member as prefix."""
    headers: list[dict[str, Any]] = []
    arrays: dict[str, NDArray[Any]] = {}
    for number, model in enumerate(models):
        header, tables = member_arrays(model)
        headers.append(header)
        arrays |= {f"{number}.{name}": array for name, array in tables.items()}
    return {"members": headers}, arrays


def member_arrays(model: LatentModel) -> Stored:
    """Return the header and the arrays of one model."""
    header, arrays = file.to_arrays(model.plain)
    places = np.flatnonzero(model.rules).astype(np.int32)
    arrays |= {
        "states": model.states,
        "joined": model.joined,
        "rule_places": places,
        "rule_weights": model.rules[places],
        "chain_weights": model.chains,
        "top_frequencies": model.top_frequencies,
        "base_frequencies": model.base_frequencies,
        **file.table_arrays(WORDS, model.lexicon.words, np.float32),
        **file.table_arrays(CLASSES, model.lexicon.classes, np.float32),
    }
    return {"plain": header, "options": asdict(model.options), "metadata": dict(model.metadata)}, arrays


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> tuple[LatentModel, ...]:
    """Undo `to_arrays`."""
    members = header["members"]
    if not isinstance(members, list) or not members:
        raise ValueError("header.members is no list of grammars")
    return tuple(member_from(number, entry, arrays) for number, entry in enumerate(members))


def member_from(number: int, header: Mapping[str, Any], arrays: Arrays) -> LatentModel:
    """Make one member; the kernel checks the rest."""
    prefix = f"{number}."
    member = with_prefix(arrays, prefix)
    for name, form in MEMBER_ARRAYS.items():
        if name not in member:
            raise ValueError(f"the array {prefix}{name} is missing")
        check_array(f"{prefix}{name}", member[name], *form)
    plain = file.from_arrays(header["plain"], member)
    states = np.ascontiguousarray(member["states"])
    if len(states) != len(plain.symbols) or (states < 1).any() or states.sum() > len(states) * 1024:
        raise ValueError("states does not have a positive number for each symbol")
    sizes = states.astype(np.int64)[plain.rules].prod(axis=1)
    total = int(sizes.sum())
    places, weights = member["rule_places"], member["rule_weights"]
    if len(places) != len(weights) or total > MAX_RULE_WEIGHTS:
        raise ValueError("rule_places and rule_weights do not fit together")
    file.check_numbers("rule_places", places, total)
    for name in (f"{WORDS}.counts", f"{CLASSES}.counts"):
        if (member[name] <= 0).any():
            raise ValueError(f"the array {name} has a count that is not positive")
    rules = np.zeros(total, dtype=np.float32)
    rules[places] = weights
    count = int(states[plain.preterminals].sum())
    words, classes = (file.table_from(name, member, count) for name in (WORDS, CLASSES))
    model = LatentModel(
        options=read_plain(header["options"], LatentOptions, "options"),
        plain=plain,
        states=states,
        joined=np.ascontiguousarray(member["joined"]),
        rules=rules,
        chains=np.asarray(member["chain_weights"]),
        top_frequencies=np.asarray(member["top_frequencies"]),
        base_frequencies=np.asarray(member["base_frequencies"]),
        lexicon=lexicon_from_tables(words, classes, count),
        metadata=dict(header["metadata"]),
    )
    _ = model.kernel
    return model

"""A treebank grammar as a header and arrays (treewright.model.component)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.checks import read_plain
from treewright.grammar.counts import GOAL, Symbol
from treewright.grammar.lexicon import Lexicon, TagCounts
from treewright.grammar.model import TreebankModel
from treewright.grammar.options import TreebankOptions
from treewright.grammar.words import Vocabulary
from treewright.model.component import ArrayForm, Arrays, Stored

ARRAYS: dict[str, ArrayForm] = {
    "rules": (np.int32, (None, 3)),
    "rule_counts": (np.int32, (None,)),
    "chains": (np.int32, (None,)),  # the symbols of all chains, one after another
    "chain_ends": (np.int32, (None,)),
    "chain_counts": (np.int32, (None,)),
    **{
        f"{table}.{name}": (dtype, (None,))
        for table in ("words", "classes")
        for name, dtype in (("names", np.uint8), ("ends", np.int32), ("tags", np.int32), ("counts", np.int32))
    },
}


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    options: TreebankOptions
    labels: tuple[str, ...]  # of the symbols, the goal first
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]


def to_arrays(model: TreebankModel) -> Stored:
    """Return the header and the arrays of a model file."""
    order = [symbol for symbol in model.symbols if not symbol.is_tag] + [s for s in model.symbols if s.is_tag]
    number = np.array([order.index(symbol) for symbol in model.symbols], dtype=np.int32)
    header = {
        "options": asdict(model.options),
        "labels": [symbol.name for symbol in order if not symbol.is_tag],
        "tags": [symbol.name for symbol in order if symbol.is_tag],
        "metadata": dict(model.metadata),
    }
    arrays: dict[str, NDArray[Any]] = {
        "rules": number[model.rules],
        "rule_counts": model.rule_counts,
        "chains": np.array([number[symbol] for chain in model.chains for symbol in chain], dtype=np.int32),
        "chain_ends": np.cumsum([len(chain) for chain in model.chains]).astype(np.int32),
        "chain_counts": model.chain_counts,
        **table_arrays("words", model.lexicon.words),
        **table_arrays("classes", model.lexicon.classes),
    }
    return header, arrays


def table_arrays(name: str, table: TagCounts, dtype: type[np.generic] = np.int32) -> dict[str, NDArray[Any]]:
    """Return counts of tags by word as arrays: the words as lines of text, and for each its tags and counts."""
    words = sorted(table)
    entries = [sorted(table[word].items()) for word in words]
    return {
        f"{name}.names": np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        f"{name}.ends": np.cumsum([len(entry) for entry in entries]).astype(np.int32),
        f"{name}.tags": np.array([tag for entry in entries for tag, _ in entry], dtype=np.int32),
        f"{name}.counts": np.array([count for entry in entries for _, count in entry], dtype=dtype),
    }


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> TreebankModel:
    """Make the model of a header and arrays."""
    values = read_plain(header, Header, "header")
    symbols = tuple([Symbol(name, False) for name in values.labels] + [Symbol(name, True) for name in values.tags])
    if not symbols or symbols[0] != GOAL:
        raise ValueError(f"header.labels does not begin with {GOAL.name}")
    for name in ("rules", "chains"):
        check_numbers(name, arrays[name], len(symbols))
    for name in ("rule_counts", "chain_counts", "words.counts", "classes.counts"):
        if (arrays[name] < 1).any():
            raise ValueError(f"the array {name} has a count below 1")
    chains = tuple(tuple(part.tolist()) for part in parts_of("chain_ends", arrays["chain_ends"], arrays["chains"]))
    if not all(chains) or len(chains) != len(arrays["chain_counts"]):
        raise ValueError("the chains are not complete")
    if len(arrays["rules"]) != len(arrays["rule_counts"]):
        raise ValueError("rule_counts does not have one entry a rule")
    return TreebankModel(
        *(values.options, symbols, np.ascontiguousarray(arrays["rules"]), np.asarray(arrays["rule_counts"])),
        *(chains, np.asarray(arrays["chain_counts"]), lexicon_from(arrays, len(values.tags)), values.metadata),
    )


def lexicon_from(arrays: Arrays, tags: int) -> Lexicon:
    """Return the lexicon; totals are sums of its counts."""
    words, classes = table_from("words", arrays, tags), table_from("classes", arrays, tags)
    tag_counts: NDArray[np.float64] = np.zeros(tags)
    np.add.at(tag_counts, arrays["words.tags"], arrays["words.counts"])
    if (tag_counts < 1).any():
        raise ValueError("a tag has no word")
    totals = {word: sum(counts.values()) for word, counts in words.items()}
    return Lexicon(Vocabulary(totals, 1), words, classes, tag_counts)


def table_from(name: str, arrays: Arrays, tags: int) -> dict[str, dict[int, float]]:
    """Undo `table_arrays`."""
    text = arrays[f"{name}.names"].tobytes().decode()
    words = text.split("\n") if text else []
    numbers, counts = arrays[f"{name}.tags"], arrays[f"{name}.counts"]
    check_numbers(f"{name}.tags", numbers, tags)
    ends = arrays[f"{name}.ends"]
    if len(words) != len(ends) or len(set(words)) != len(words) or len(numbers) != len(counts):
        raise ValueError(f"the arrays of {name} do not fit together")
    check_ends(f"{name}.ends", ends, numbers)
    pairs, cuts = list(zip(numbers.tolist(), counts.tolist(), strict=True)), [0, *ends.tolist()]
    return {word: dict(pairs[begin:end]) for word, (begin, end) in zip(words, pairwise(cuts), strict=True)}


def parts_of(name: str, ends: NDArray[Any], array: NDArray[Any]) -> Sequence[NDArray[Any]]:
    """Divide an array into parts that end at `ends`."""
    check_ends(name, ends, array)
    return np.split(array, ends[:-1]) if len(ends) else []


def check_ends(name: str, ends: NDArray[Any], array: NDArray[Any]) -> None:
    """Refuse ends that do not divide an array into parts."""
    if (np.diff(ends, prepend=0) < 0).any() or (ends[-1] if len(ends) else 0) != len(array):
        raise ValueError(f"the array {name} does not fit")


def check_numbers(name: str, array: NDArray[Any], count: int) -> None:
    if array.size and (array.min() < 0 or array.max() >= count):
        raise ValueError(f"the array {name} has a number that is out of range")

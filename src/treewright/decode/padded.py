"""Padded batches: sentences of different length in one array [sentence, n + 1, n + 1]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.decode import arrays
from treewright.errors import InputError

_SECOND_ORDER = ("sib", "grand", "stop")


@dataclass(frozen=True, eq=False)
class Padded:
    """The scores of a batch; of item b the nodes 0..lengths[b] are read. The scores themselves are not checked here."""

    scores: NDArray[np.float64]  # [item, h, m] or [item, h, m, label]; heads and modifiers exchanged if not head_first
    lengths: NDArray[np.int32]  # words of each item
    head_first: bool
    second_order: Mapping[str, NDArray[np.float64]]  # sib, grand and stop as far as given, padded as well

    @classmethod
    def of(cls, scores: Any, lengths: ArrayLike, options: Mapping[str, Any]) -> tuple[Padded, dict[str, Any]]:
        """The batch after the checks of its shapes, and the options that belong to no array."""
        array = arrays.float_array(scores, "arc")
        if array.ndim not in (3, 4) or array.shape[1] != array.shape[2]:
            raise InputError(
                f"arc has shape {array.shape}, expected [sentence, n + 1, n + 1] where lengths are given, "
                "or [sentence, n + 1, n + 1, label]"
            )
        words = arrays.index_column(lengths, "lengths")
        if len(words) != len(array):
            raise InputError(f"there are {len(words)} lengths for {len(array)} sentences; give one a sentence")
        others = dict(options)
        given = {name: others.pop(name, None) for name in _SECOND_ORDER}
        second_order = {name: _part(part, name, array.shape[:3]) for name, part in given.items() if part is not None}
        head_first = bool(others.pop("head_first", True))
        return cls(array, words, head_first, second_order), others

    @property
    def is_plain(self) -> bool:
        """Whether only arcs have scores, without labels."""
        return not self.second_order and self.scores.ndim == 3

    def item(self, place: int) -> dict[str, Any]:
        """The scores of one sentence, as keywords of `tree`."""
        words, longest = int(self.lengths[place]), self.scores.shape[1] - 1
        if not 1 <= words <= longest:
            raise InputError(f"lengths[{place}] is {words}; the array holds sentences of 1 to {longest} words")
        nodes = slice(words + 1)
        parts = {name: part[place, nodes, nodes, nodes] for name, part in self.second_order.items() if name != "stop"}
        if "stop" in self.second_order:
            parts["stop"] = self.second_order["stop"][place, nodes, nodes]
        return {"arc": self.scores[place, nodes, nodes], **parts, "head_first": self.head_first}

    def arguments(self, place: int, options: Mapping[str, Any]) -> dict[str, Any]:
        """The scores of one sentence and the options, as keywords of `tree`."""
        return {**self.item(place), **options}

    def items(self, options: Mapping[str, Any]) -> list[tuple[int, Callable[[], dict[str, Any]]]]:
        """For each sentence its place and a function that returns its arguments."""
        return [(place, partial(self.arguments, place, options)) for place in range(len(self.lengths))]


def _part(given: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = arrays.float_array(given, name)
    expected = (*shape, 2 if name == "stop" else shape[1])
    if array.shape != expected:
        raise arrays.bad_shape(name, array.shape, expected, "padded to the size of arc")
    return array

"""The limits of a search, checked once where they enter."""

from __future__ import annotations

import math
from typing import NamedTuple

from treewright.errors import InputError
from treewright.streams import check_seconds


class Budget(NamedTuple):
    """What a search may spend; without limits by default."""

    seconds: float = math.inf  # wall clock
    nodes: int = 2**62  # of the search tree

    @classmethod
    def of(cls, max_seconds: float | None, max_nodes: int | None = None) -> Budget:
        """Check the limits of `tree`; None is no limit."""
        if max_nodes is not None and max_nodes < 1:
            raise InputError(f"max_nodes is {max_nodes}; the root of the search is one node, None is no limit")
        checked = check_seconds(max_seconds)
        seconds = UNLIMITED.seconds if checked is None else checked
        return cls(seconds, UNLIMITED.nodes if max_nodes is None else max_nodes)

    def __str__(self) -> str:
        pairs = zip(self._asdict().items(), UNLIMITED, strict=True)
        return ", ".join(f"max_{name}={limit}" for (name, limit), unlimited in pairs if limit != unlimited)


UNLIMITED = Budget()

"""Many sentences: one thread a chunk of sentences, with the results of decoding them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numpy.typing import ArrayLike

from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.result import Parse
from treewright.errors import InputError

_CHUNKS_A_THREAD = 8  # balances the load of sentences of different length; by convention


def trees(batch: Iterable[ArrayLike | Parts | Mapping[str, Any]], *, threads: int = 2, **options: Any) -> list[Parse]:
    """The best tree of every sentence, in order; the results do not depend on the number of threads.

    An item is the first argument of `tree`, scores or Parts, or a mapping of all its arguments by name. The options are
    those of `tree` and hold for every sentence; the mapping of a sentence comes first.

    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> [parse.heads.tolist() for parse in trees([scores, {"arc": scores, "require": [(2, 1)]}])]
    [[-1, 0, 1], [-1, 2, 0]]
    """
    if threads < 1:
        raise InputError(f"threads is {threads}; give at least 1")
    items = list(enumerate(batch))
    if threads == 1:
        return _decode(items, options)
    size = -(-len(items) // (threads * _CHUNKS_A_THREAD)) or 1
    chunks = [items[begin : begin + size] for begin in range(0, len(items), size)]
    with ThreadPoolExecutor(threads) as pool:
        return [parse for parses in pool.map(_decode, chunks, [options] * len(chunks)) for parse in parses]


def _decode(items: list[tuple[int, Any]], options: dict[str, Any]) -> list[Parse]:
    parses = []
    for place, item in items:
        arguments = {**options, **item} if isinstance(item, Mapping) else {**options, "arc": item}
        try:
            parses.append(tree(**arguments))
        except InputError as error:
            error.args = (f"batch[{place}]: {error}", *error.args[1:])
            raise
    return parses

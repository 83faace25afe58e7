"""Many sentences: the results of one by one, on several threads, with the errors of single sentences kept apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode import arrays, exact
from treewright.decode.methods import PLAIN, tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Scores, is_single
from treewright.decode.result import TOLERANCE, Parse, check_tolerance
from treewright.errors import InputError
from treewright.streams import check_threads, map_items

if TYPE_CHECKING:
    from treewright.decode.options import ChosenMethod, ProblemOptions

    Batch = Iterable[Scores | Mapping[str, Any]] | ArrayLike

    class BatchOptions(ChosenMethod, ProblemOptions, total=False):
        """The keywords of `tree`, and how the sentences are read and divided among threads."""

        lengths: ArrayLike | None
        threads: int


Errors = Literal["raise", "return"]
Item = ArrayLike | Parts | Mapping[str, Any] | InputError  # scores, all arguments by name, or what is wrong with them
Result = TypeVar("Result")

THREADS = 2
_CHUNKS_A_THREAD = 8  # balances the load of sentences of different length; not tuned
_DIRECT = PLAIN | {"method", "tolerance", "max_seconds", "max_nodes", "trace"}  # without effect on direct algorithms


@overload
def batched(
    function: Callable[..., Result], batch: Batch, *, errors: Literal["raise"] = ..., **arguments: Any
) -> list[Result]: ...
@overload
def batched(
    function: Callable[..., Result], batch: Batch, *, errors: Literal["return"], **arguments: Any
) -> list[Result | InputError]: ...
def batched(
    function: Callable[..., Result],
    batch: Batch,
    *,
    lengths: ArrayLike | None = None,
    threads: int = THREADS,
    errors: Errors = "raise",
    **arguments: Any,
) -> list[Result] | list[Result | InputError]:
    """Call a function of inference for every sentence, in order; results do not depend on the number of threads.

    An item is the first argument of the function (scores, Parts or a Problem) or a mapping of all its arguments by
    name. With lengths, the batch is one padded array [sentence, n + 1, n + 1], perhaps with labels, and lengths[b] is
    the number of words of sentence b; sib, grand and stop are padded too. The other arguments are those of the
    function and hold for every sentence; the mapping of a sentence comes first.

    All sentences are worked on even if some have errors. errors="raise" then raises the first error, whose message
    names the sentence; its attribute `results` has the results of the others (None where there is none) and `failed`
    the error of each failed sentence. errors="return" returns the errors in the places of the results.

    >>> from treewright import decode
    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> [len(best) for best in batched(decode.kbest, [scores, scores], k=3)]
    [2, 2]
    >>> [round(log_z, 3) for log_z in batched(decode.log_partition, [scores, scores], lengths=[2, 1])]
    [16.0, 9.0]
    """
    _check_arguments(threads, errors)
    items, others = _items(batch, lengths, arguments)
    return _results(_run(function, dict(enumerate(items)), others, threads), errors)


@overload
def trees(batch: Batch, *, errors: Literal["raise"] = ..., **options: Unpack[BatchOptions]) -> Sequence[Parse]: ...
@overload
def trees(
    batch: Batch, *, errors: Literal["return"], **options: Unpack[BatchOptions]
) -> Sequence[Parse | InputError]: ...
def trees(
    batch: Batch, *, errors: Errors = "raise", **options: Unpack[BatchOptions]
) -> Sequence[Parse] | Sequence[Parse | InputError]:
    """Find the best tree of every sentence: `batched(tree, batch, ...)`, in one call to the core where possible.

    lengths, threads and errors are those of `batched`, options those of `tree`. The result is a list, or a sequence
    that makes each Parse when it is read.

    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> [parse.heads.tolist() for parse in trees([scores, {"arc": scores, "require": [(2, 1)]}])]
    [[-1, 0, 1], [-1, 2, 0]]
    >>> [parse.heads.tolist() for parse in trees([scores, scores], lengths=[2, 1])]
    [[-1, 0, 1], [-1, 0]]
    """
    lengths, threads = options.pop("lengths", None), options.pop("threads", THREADS)
    _check_arguments(threads, errors)
    items, others = _items(batch, lengths, options)
    parses: list[Any] = [None] * len(items)
    if PLAIN.issuperset(others):
        decoded = _decode_matrices(items, others, threads)
        if -math.inf not in decoded.scores:
            return decoded
        parses = list(decoded)
    missing = {place: items[place] for place, parse in enumerate(parses) if parse is None or parse.score == -math.inf}
    parses_of_parts = _decode_parts(missing, others, threads)
    for place, parse in parses_of_parts.items():
        parses[place] = parse
        del missing[place]
    for place, result in zip(missing, _run(tree, missing, others, threads), strict=True):
        parses[place] = result
    return _results(parses, errors)


def _decode_matrices(items: list[Item], options: Mapping[str, Any], threads: int) -> exact.TreeBatch:
    """The best tree of each array of arc scores; the score is -inf for other items, and where the scores are wrong."""
    single_root = is_single(options.get("root", "single"))
    return exact.solve_matrices(items, bool(options.get("projective", False)), single_root, threads)


def _decode_parts(items: Mapping[int, Item], options: Mapping[str, Any], threads: int) -> dict[int, Parse]:
    """The best trees of Parts that need no search, by place; all with the same algorithm at once."""
    if not _DIRECT.issuperset(options) or options.get("method", "exact") != "exact":
        return {}
    projective, single_root = bool(options.get("projective", False)), is_single(options.get("root", "single"))
    tolerance = options.get("tolerance", TOLERANCE)
    check_tolerance(tolerance)
    groups: dict[exact.Direct, dict[int, _core.Parts]] = {}
    for place, item in items.items():
        if not isinstance(item, Parts) or (item.outermost and not projective):
            continue
        kinds = {"siblings": item.core.has_transitions, "grandparents": item.core.has_grand}
        chosen = exact.algorithm(projective=projective, **kinds)
        if chosen != "branch and bound" and not (chosen == "grand-eisner" and exact.is_chart_too_large(item.core)):
            groups.setdefault(chosen, {})[place] = item.core
    parses: dict[int, Parse] = {}
    for chosen, parts in groups.items():
        trees_of_group = exact.solve_parts([*parts.values()], chosen, single_root, tolerance, threads)
        parses |= {place: parse for place, parse in zip(parts, trees_of_group, strict=True) if parse.score > -math.inf}
    return parses


def _items(batch: Any, lengths: ArrayLike | None, options: Mapping[str, Any]) -> tuple[list[Item], dict[str, Any]]:
    """The scores of each sentence, and the options that belong to no array."""
    others = dict(options)
    if lengths is None:
        return list(batch), others
    scores = arrays.float_array(batch, "arc")
    if scores.ndim not in (3, 4) or scores.shape[1] != scores.shape[2]:
        raise InputError(
            f"arc has shape {scores.shape}, expected [sentence, n + 1, n + 1] where lengths are given, "
            "or [sentence, n + 1, n + 1, label]"
        )
    words = arrays.index_column(lengths, "lengths")
    if len(words) != len(scores):
        raise InputError(f"there are {len(words)} lengths for {len(scores)} sentences; give one a sentence")
    padded = {
        name: _padded_part(part, name, scores.shape[:3])
        for name in ("sib", "grand", "stop", "grandsib")
        if (part := others.pop(name, None)) is not None
    }
    return [_unpad(scores, padded, place, length) for place, length in enumerate(words.tolist())], others


def _unpad(scores: NDArray[np.float64], padded: Mapping[str, NDArray[np.float64]], place: int, words: int) -> Item:
    """The scores of one sentence without the padding."""
    longest = scores.shape[1] - 1
    if not 1 <= words <= longest:
        return InputError(f"lengths[{place}] is {words}; the array holds sentences of 1 to {longest} words")
    nodes = slice(words + 1)
    arc = scores[place, nodes, nodes]
    if not padded:
        return arc
    shapes = {name: arrays.part_shape(name, words + 1) for name in padded}
    return {"arc": arc, **{name: part[place][tuple(map(slice, shapes[name]))] for name, part in padded.items()}}


def _padded_part(given: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = arrays.float_array(given, name)
    expected = (shape[0], *arrays.part_shape(name, shape[1]))
    if array.shape != expected:
        raise arrays.bad_shape(name, array.shape, expected, "padded to the size of arc")
    return array


def _run(
    function: Callable[..., Result], items: Mapping[int, Item], options: Mapping[str, Any], threads: int
) -> list[Result | InputError]:
    """Call the function for each item, in order; errors are in the places of results, and name the item."""

    def attempt(place: int, item: Item) -> Result | InputError:
        try:
            if isinstance(item, InputError):
                raise item
            if isinstance(item, Mapping):
                return function(**{**options, **item})
            return function(item, **options)
        except InputError as error:
            error.args = (f"batch[{place}]: {error}", *error.args[1:])
            return error

    def work(chunk: list[tuple[int, Item]]) -> list[Result | InputError]:
        return [attempt(place, item) for place, item in chunk]

    size = -(-len(items) // (threads * _CHUNKS_A_THREAD))
    return list(map_items(work, items.items(), threads=threads, chunk=max(size, 1)))


def _results(results: list[Any], errors: Errors) -> list[Any]:
    """The results, or the error to raise for them: the first, with the results of the other sentences."""
    failed = {place: error for place, error in enumerate(results) if isinstance(error, InputError)}
    if not failed or errors == "return":
        return results
    first = failed[min(failed)]
    if len(failed) > 1:
        first.args = (f"{first} (and {len(failed) - 1} more: see `failed`)", *first.args[1:])
    first.failed, first.results = failed, [None if place in failed else each for place, each in enumerate(results)]
    raise first


def _check_arguments(threads: int, errors: str) -> None:
    check_threads(threads)
    if errors not in ("raise", "return"):
        raise InputError(f"errors is {errors!r}; it is 'raise' or 'return'")

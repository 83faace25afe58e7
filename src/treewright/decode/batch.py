"""Many sentences: the results of one by one, on several threads, with the errors of single sentences kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from numpy.typing import ArrayLike

from treewright.calls import explained
from treewright.decode import exact
from treewright.decode.methods import tree
from treewright.decode.options import TreeOptions
from treewright.decode.padded import Padded
from treewright.decode.parts import Parts
from treewright.decode.result import Parse
from treewright.errors import InputError
from treewright.streams import check_threads, map_items

if TYPE_CHECKING:
    from typing_extensions import Unpack

Errors = Literal["raise", "return"]
Arguments = Callable[[], Mapping[str, Any]]  # the keywords of one sentence; an InputError belongs to that sentence
Result = TypeVar("Result")

_PLAIN = {"projective", "root"}  # with no other options, one call to the core decodes all arrays
_CHUNKS_A_THREAD = 8  # balances the load of sentences of different length; by convention


@overload
def trees(
    batch: Iterable[ArrayLike | Parts | Mapping[str, Any]],
    *,
    lengths: ArrayLike | None = ...,
    threads: int = ...,
    errors: Literal["raise"] = ...,
    **options: Unpack[TreeOptions],
) -> list[Parse]: ...


@overload
def trees(
    batch: Iterable[ArrayLike | Parts | Mapping[str, Any]],
    *,
    lengths: ArrayLike | None = ...,
    threads: int = ...,
    errors: Literal["return"],
    **options: Unpack[TreeOptions],
) -> list[Parse | InputError]: ...


@explained
def trees(
    batch: Iterable[ArrayLike | Parts | Mapping[str, Any]],
    *,
    lengths: ArrayLike | None = None,
    threads: int = 2,
    errors: Errors = "raise",
    **options: Unpack[TreeOptions],
) -> list[Parse] | list[Parse | InputError]:
    """The best tree of every sentence, in order; the results do not depend on the number of threads.

    An item is the first argument of `tree`, scores or Parts, or a mapping of all its arguments by name. With lengths,
    the batch is one padded array [sentence, n + 1, n + 1], and lengths[b] is the number of words of sentence b. The
    options are those of `tree` and hold for every sentence; the mapping of a sentence comes first. In a padded batch
    sib, grand and stop are padded too.

    All sentences are decoded even if some have errors. errors="raise" then raises the first error, whose message names
    the sentence; its attribute `results` has the trees of the others (None where there is none) and `failed` the error
    of each failed sentence. errors="return" returns the errors in the places of the trees.

    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> [parse.heads.tolist() for parse in trees([scores, {"arc": scores, "require": [(2, 1)]}])]
    [[-1, 0, 1], [-1, 2, 0]]
    >>> [parse.heads.tolist() for parse in trees([scores, scores], lengths=[2, 1])]
    [[-1, 0, 1], [-1, 0]]
    """
    check_arguments(threads, errors)
    shape = options.get("projective", False), options.get("root", "single")
    if lengths is None:
        items = list(batch)
        is_plain = options.keys() <= _PLAIN
        parses, missing = exact.solve_arrays(items, *shape, threads) if is_plain else _none(len(items))
        return _completed(parses, missing, lambda place: _arguments(items[place], options), threads, errors)
    padded, others = Padded.of(batch, lengths, options)
    is_plain = padded.is_plain and others.keys() <= _PLAIN
    parses, missing = exact.solve_padded(padded, *shape, threads) if is_plain else _none(len(padded.lengths))
    return _completed(parses, missing, lambda place: padded.arguments(place, others), threads, errors)


def run(
    function: Callable[..., Result], items: Sequence[tuple[int, Arguments]], threads: int
) -> list[Result | InputError]:
    """function(**arguments()) for each pair of place and arguments, in order; errors are in the places of results."""

    def work(chunk: list[tuple[int, Arguments]]) -> list[Result | InputError]:
        return [attempt(function, place, arguments) for place, arguments in chunk]

    size = -(-len(items) // (threads * _CHUNKS_A_THREAD))
    return list(map_items(work, items, threads=threads, chunk=max(size, 1)))


def attempt(function: Callable[..., Result], place: int, arguments: Arguments) -> Result | InputError:
    """function(**arguments()), or its error, whose message then names the item."""
    try:
        return function(**arguments())
    except InputError as error:
        error.args = (f"batch[{place}]: {error}", *error.args[1:])
        return error


def gathered(found: list[Result | InputError], errors: Errors) -> list[Result] | list[Result | InputError]:
    """The results, or the error to raise for them."""
    failed = failed_items(found)
    if failed and errors == "raise":
        raise batch_error(failed, [None if place in failed else result for place, result in enumerate(found)])
    return found


def failed_items(found: Sequence[Any]) -> dict[int, InputError]:
    """The errors among the results, by place."""
    return {place: error for place, error in enumerate(found) if isinstance(error, InputError)}


def batch_error(failed: Mapping[int, InputError], results: Any) -> InputError:
    """The error to raise for a batch: that of its first failed item, with the results of the others."""
    first = failed[min(failed)]
    if len(failed) > 1:
        first.args = (f"{first} (and {len(failed) - 1} more: see `failed`)", *first.args[1:])
    first.failed, first.results = failed, results
    return first


def check_arguments(threads: int, errors: str) -> None:
    """Refuse values of the keywords of a batch that have no meaning."""
    check_threads(threads)
    if errors not in ("raise", "return"):
        raise InputError(f"errors is {errors!r}; it is 'raise' or 'return'")


def _arguments(item: Any, options: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**options, **item} if isinstance(item, Mapping) else {**options, "arc": item}


def _none(count: int) -> tuple[list[Parse | None], list[int]]:
    return [None] * count, list(range(count))


def _completed(
    parses: list[Parse | None],
    missing: list[int],
    arguments: Callable[[int], Mapping[str, Any]],
    threads: int,
    errors: Errors,
) -> list[Parse] | list[Parse | InputError]:
    """The parses, with those that are missing found one by one, or their errors."""
    found: list[Any] = parses
    answers = run(tree, [(place, partial(arguments, place)) for place in missing], threads) if missing else []
    for place, answer in zip(missing, answers, strict=True):
        found[place] = answer
    return gathered(found, errors) if missing else found

"""Checks of input arrays. Anything that NumPy can view is accepted; errors name the array, the index and the remedy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.errors import InputError

LARGEST = 1e300  # sums of scores stay finite; core/base/scores.hpp holds the same number

_MEANING = {
    "sib": "sib[h, m, s]",
    "grand": "grand[g, h, m]",
    "stop": "stop[h, s, side], sides 0 left and 1 right",
    "grandsib": "grandsib[g, h, m, s]",
}


def float_array(given: ArrayLike, name: str) -> NDArray[np.float64]:
    """As float64 in C order; the array itself where it is that already."""
    if type(given) is np.ndarray and given.dtype == np.float64 and given.flags.carray:
        return given
    if isinstance(given, np.ma.MaskedArray):
        raise InputError(f"{name} is a masked array; give {name}.filled(-np.inf) to forbid what is masked")
    try:
        is_only_dlpack = hasattr(given, "__dlpack__") and not hasattr(given, "__array__")
        array = np.from_dlpack(given) if is_only_dlpack else np.asarray(given)  # type: ignore[arg-type]
    except Exception as error:  # lists of unequal length, tensors on a GPU: any type of exception
        raise InputError(f"{name} cannot be read as an array: {error}") from error
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} has dtype {array.dtype}; give real numbers (float64 is read without a copy)")
    return np.require(array, np.float64, ["C", "A"])


def bad_shape(name: str, found: tuple[int, ...], expected: tuple[int, ...], remedy: str) -> InputError:
    """The error for an array of the wrong shape."""
    return InputError(f"{name} has shape {found}, expected {expected}: {remedy}")


def bad_score(name: str, index: tuple[int, ...], score: float) -> InputError:
    """The error for a cell that holds no score."""
    cell = f"{name}[{', '.join(map(str, index))}]"
    if math.isnan(score):
        return InputError(f"{cell} is NaN; write -inf to forbid a part, 0 to leave it unscored")
    if score == math.inf:
        return InputError(f"{cell} is +inf; a part is required by `require`, not by its score")
    return InputError(f"{cell} is {score:.4g}; scores lie within {LARGEST:g} of zero, write -inf to forbid a part")


def unexpected_labels(shape: tuple[int, ...], name: str = "arc") -> InputError:
    """The error for arc[h, m, l] where labels have no meaning."""
    return InputError(
        f"{name} has shape {shape}, expected one sentence; for a padded batch give lengths; "
        "labelled arc[h, m, l] is for tree, trees, marginals, log_partition, kbest and sample"
    )


def label_scores(array: NDArray[np.float64], head_first: bool) -> NDArray[np.float64]:
    """A checked arc[h, m, l], from arc[m, h, l] if not head_first; the diagonal and arcs into node 0 are not read."""
    if array.shape[0] != array.shape[1] or len(array) < 2 or not array.shape[2]:
        raise InputError(
            f"arc has shape {array.shape}, expected arc[h, m] or labelled arc[h, m, l] over the root and the words; "
            "for a padded batch give lengths"
        )
    scores = array if head_first else np.ascontiguousarray(array.swapaxes(0, 1))
    is_arc = ~np.eye(len(scores), dtype=np.bool_)
    is_arc[:, 0] = False
    is_bad = ~((np.abs(scores) <= LARGEST) | (scores == -np.inf)) & is_arc[:, :, None]
    if is_bad.any():
        h, m, label = np.argwhere(is_bad)[0].tolist()
        raise bad_score("arc", (h, m, label) if head_first else (m, h, label), float(scores[h, m, label]))
    return np.where(is_arc[:, :, None], scores, -np.inf)


def arc_matrix(given: ArrayLike, head_first: bool = True, name: str = "arc") -> NDArray[np.float64]:
    """A checked arc[h, m], from arc[m, h] if not head_first; messages use the name.

    The diagonal and arcs into node 0 are not read.
    """
    array = float_array(given, name)
    if array.ndim == 3:
        raise unexpected_labels(array.shape, name)
    if not head_first:
        array = np.ascontiguousarray(array.T)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"{name} has shape {array.shape}, expected a square {name}[h, m] over the root and the words")
    if len(array) < 2:
        raise InputError(f"{name} has shape {array.shape}: there is no word in it; node 0 is the root, words are 1..n")
    bad = _core.bad_arc(array)
    if bad >= 0:
        h, m = divmod(bad, len(array))
        raise bad_score(name, (h, m) if head_first else (m, h), float(array[h, m]))
    return array


def part_shape(name: str, nodes: int) -> tuple[int, ...]:
    """The shape of sib, grand, stop or grandsib over this number of nodes."""
    if name == "grandsib":
        return (nodes,) * 4
    return (nodes, nodes, 2 if name == "stop" else nodes)


def part_array(given: ArrayLike | None, name: str, nodes: int) -> NDArray[np.float64] | None:
    """A checked sib, grand, stop or grandsib; cells that belong to no part are not read."""
    if given is None:
        return None
    array = float_array(given, name)
    expected = part_shape(name, nodes)
    if array.shape != expected:
        raise bad_shape(name, array.shape, expected, f"{_MEANING[name]}, over as many nodes as arc")
    bad = _core.bad_part(name, array)
    if bad >= 0:
        index = tuple(int(i) for i in np.unravel_index(bad, array.shape))
        raise bad_score(name, index, float(array[index]))
    return array


def index_column(given: ArrayLike, name: str) -> NDArray[np.int32]:
    """As int32 in C order; numbers that are no whole numbers are refused."""
    array = np.asarray(given)
    if array.ndim != 1:
        raise InputError(f"{name} has an index column of shape {array.shape}; give one number a row")
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{name} has an index column of dtype {array.dtype}; give whole numbers")
    if array.dtype != np.int32 and array.size and max(array.max(), -array.min()) > np.iinfo(np.int32).max:
        worst = array.flat[np.abs(array.astype(np.float64)).argmax()]
        raise InputError(f"{name} has an index column with {worst}; nodes are small numbers")
    return np.require(array, np.int32, ["C", "A"])


def score_column(given: ArrayLike, name: str) -> NDArray[np.float64]:
    """As float64 in C order."""
    array = float_array(given, name)
    if array.ndim != 1:
        raise InputError(f"{name} has a score column of shape {array.shape}; give one number a row")
    return array

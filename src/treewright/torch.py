"""Dependency trees for PyTorch: log partition, marginals, a loss and decoding over scores of an encoder of your own.

A tree has the probability exp(value) / Z. The derivative of log Z with respect to the score of a part is the
probability that a tree has the part, so that `log_partition` and `loss` have exact gradients, computed together with
the values by the kernels of `treewright.decode` in CPU memory and in float64.

| scores | any tree | projective |
|---|---|---|
| arcs | exact | exact |
| sib, grand, stop as well | approximate: loopy belief propagation | exact |

All functions take a padded batch. arc[b, h, m] is the score of the arc from head h to modifier m in sentence b; node 0
is the root, and -inf forbids an arc. mask[b, node] is true for the words of sentence b, and mask[b, 0] is not read; the
number of words of each sentence, [b], will do as well, and without a mask no sentence has padding. `Options` describes
the keywords.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, NoReturn, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import trees
from treewright.decode import Parse, batched
from treewright.decode import trees as best_trees
from treewright.decode.problem import is_single
from treewright.decode.sums.marginals import padded_marginals, part_marginals
from treewright.errors import InputError, MissingExtra

try:
    import torch
    from torch import Tensor
except ImportError as error:
    raise MissingExtra("torch", "neural", "treewright.torch") from error

__all__ = ["Decoded", "Options", "decode", "log_partition", "log_probability", "loss", "marginals"]

SECOND_ORDER = ("sib", "grand", "stop")
ONE_DERIVATIVE = (
    "treewright.torch has first derivatives only: marginals cannot be differentiated, nor the gradient of "
    "log_partition; call detach() on them, or leave out create_graph"
)


class Options(TypedDict, total=False):
    """The keywords of all functions of this module."""

    sib: Tensor | None  # sib[b, h, m, s]: s is the inner neighbour of m on its side of h; s == h: m is the first
    grand: Tensor | None  # grand[b, g, h, m]: g is the head of h
    stop: Tensor | None  # stop[b, h, s, side]: s is the last modifier of h on a side (0 left, 1 right); s == h: none
    projective: bool  # no crossing arcs; False if not given
    root: Literal["single", "multi"]  # "single", the default: exactly one child of node 0
    head_first: bool  # False: arc[b, m, h], as biaffine parsers have it, and marginals too
    threads: int  # for second-order scores; 1 if not given


class Decoded(NamedTuple):
    """The best trees of a batch: heads[b, m], -1 for node 0 and in the padding, and each one's certificate."""

    heads: Tensor
    parses: list[Parse]


def log_partition(arc: Tensor, mask: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """Return the log of the sum over all trees of the exponential of their value, for each sentence: [b].

    arc, mask and options are described above. It can be differentiated once; the gradient is the probability of each
    part, also of those in sib, grand and stop. Trees that may cross and second-order scores have approximate values.

    >>> log_partition(torch.zeros(2, 4, 4), torch.tensor([3, 2])).exp().round().tolist()  # the numbers of trees
    [9.0, 2.0]
    """
    return _log_partition(_Batch.of(arc, mask, options))


def marginals(arc: Tensor, mask: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """Return the probability of each arc, [b, h, m]: each word's column sums to one; zero in the padding.

    arc, mask and options are described above. Marginals cannot be differentiated. The marginals of second-order parts
    are the gradient of `log_partition`.

    >>> marginals(torch.zeros(1, 3, 3)).tolist()
    [[[0.0, 0.5, 0.5], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]]
    """
    batch = _Batch.of(arc, mask, options)
    probabilities: Tensor = _Marginals.apply(batch.sums()[1], *batch.scores.values())[0]
    return probabilities if options.get("head_first", True) else probabilities.transpose(1, 2)


def log_probability(arc: Tensor, heads: Tensor, mask: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """Return the log of the probability of a tree for each sentence: [b].

    heads[b, m] is the head of word m; entries for node 0 and the padding are not read. arc, mask and options are
    described above. Heads that are no tree, or none of those that projective and root ask for, are refused.

    >>> log_probability(torch.zeros(1, 4, 4), torch.tensor([[0, 2, 0, 2]])).exp().mul(9).round().item()  # one of nine
    1.0
    """
    return _log_probability(_Batch.of(arc, mask, options), heads)


def loss(arc: Tensor, heads: Tensor, mask: Tensor | None = None, **options: Unpack[Options]) -> Tensor:
    """Return the negative log-likelihood of the trees of a batch, divided by its number of words: one number.

    arc, heads, mask and options have the meaning that they have in `log_probability`.

    >>> arc = torch.zeros(2, 4, 4, requires_grad=True)
    >>> loss(arc, torch.tensor([[0, 2, 0, 2], [0, 0, 1, 0]]), torch.tensor([3, 2])).backward()
    """
    batch = _Batch.of(arc, mask, options)
    return -_log_probability(batch, heads).sum() / int(batch.lengths.sum())


def decode(arc: Tensor, mask: Tensor | None = None, **options: Unpack[Options]) -> Decoded:
    """Find the best tree of each sentence, exactly, with its certificate (`Parse.certified`, `Parse.gap`).

    arc, mask and options are described above.

    >>> heads, parses = decode(torch.tensor([[[0.0, 9.0, 2.0], [0.0, 0.0, 7.0], [0.0, 3.0, 0.0]]]))
    >>> heads.tolist(), parses[0].certified
    ([[-1, 0, 1]], True)
    """
    batch = _Batch.of(arc, mask, options)
    parses = best_trees(**batch.arguments())
    heads = np.full(arc.shape[:2], -1)
    for row, parse in zip(heads, parses, strict=True):
        row[: len(parse.heads)] = parse.heads
    return Decoded(torch.from_numpy(heads).to(arc.device), list(parses))


class _Batch(NamedTuple):
    """The scores of a padded batch, head first, checked as far as their shapes go."""

    scores: dict[str, Tensor]  # arc, and those of SECOND_ORDER that are given
    lengths: NDArray[np.int32]  # the number of words of each sentence
    projective: bool
    root: Literal["single", "multi"]
    threads: int

    @classmethod
    def of(cls, arc: Tensor, mask: Tensor | None, options: Options) -> _Batch:
        """Check the arguments of a function of this module."""
        if unknown := options.keys() - Options.__annotations__.keys():
            raise TypeError(f"unexpected keyword {min(unknown)!r}; expected {', '.join(Options.__annotations__)}")
        if not isinstance(arc, Tensor) or arc.dim() != 3 or arc.shape[1] != arc.shape[2]:
            kind = tuple(arc.shape) if isinstance(arc, Tensor) else type(arc).__name__
            raise InputError(f"arc is {kind}; expected a tensor [sentence, n + 1, n + 1], arc[None] for one sentence")
        if not options.get("head_first", True):
            arc = arc.transpose(1, 2)
        root = options.get("root", "single")
        is_single(root)
        scores = {"arc": arc}
        for kind in SECOND_ORDER:
            if (given := options.get(kind)) is not None:
                scores[kind] = given
        return cls(
            scores,
            _lengths_of(arc, mask),
            bool(options.get("projective", False)),
            root,
            options.get("threads", 1),
        )

    @property
    def arc(self) -> Tensor:
        """The scores of arcs."""
        return self.scores["arc"]

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `treewright.decode.batched`, with arrays in place of tensors."""
        given = {kind: _to_array(scores) for kind, scores in self.scores.items()}
        shape: dict[str, Any] = {"projective": self.projective, "root": self.root}
        return {"batch": given.pop("arc"), "lengths": self.lengths, "threads": self.threads, **given, **shape}

    def sums(self) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return the log partition of each sentence, and the probabilities of parts in the order of the scores."""
        arc = self.arc
        if len(self.scores) == 1:
            sums = padded_marginals(_to_array(arc), self.lengths, projective=self.projective, root=self.root)
            log_z, probabilities = torch.from_numpy(sums[0]), torch.from_numpy(sums[1])
            if arc.dtype == torch.float64 and arc.device.type == "cpu":
                return log_z, (probabilities,)
            return log_z.to(arc), (probabilities.to(arc),)
        results = batched(part_marginals, **self.arguments())
        log_partitions = torch.tensor([result.log_partition for result in results], dtype=torch.float64).to(arc)
        padded = {kind: torch.zeros_like(scores) for kind, scores in self.scores.items()}
        for kind, target in padded.items():
            for sentence, result in enumerate(results):
                values = torch.from_numpy(getattr(result, kind))
                target[(sentence, *(slice(size) for size in values.shape))] = values
        return log_partitions, tuple(padded.values())

    def value(self, heads: NDArray[np.int64]) -> Tensor:
        """Return the value of a tree for each sentence; heads is padded by zeros."""
        total = torch.zeros(len(heads)).to(self.arc)
        places = _parts_of(heads, self.lengths, second_order=len(self.scores) > 1)
        for kind, scores in self.scores.items():
            cells = [torch.from_numpy(column).to(scores.device) for column in places[kind]]
            total = total.index_add(0, cells[0].to(total.device), scores[tuple(cells)].to(total))
        return total


class _LogPartition(torch.autograd.Function):
    """The log partition of each sentence; its gradient is the probability of each part."""

    @staticmethod
    def forward(ctx: Any, batch: _Batch, *scores: Tensor) -> Tensor:
        log_partitions, probabilities = batch.sums()
        ctx.save_for_backward(*scores, *probabilities)
        return log_partitions

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        saved = ctx.saved_tensors
        scores, probabilities = saved[: len(saved) // 2], saved[len(saved) // 2 :]
        if torch.is_grad_enabled():
            probabilities = _Marginals.apply(probabilities, *scores)
        factors = [gradients[0].to(values).reshape(-1, *[1] * (values.dim() - 1)) for values in probabilities]
        return None, *[values * factor for values, factor in zip(probabilities, factors, strict=True)]


class _Marginals(torch.autograd.Function):
    """Probabilities of parts as functions of the scores: a request for their derivative is answered by an error."""

    @staticmethod
    def forward(ctx: Any, probabilities: tuple[Tensor, ...], *scores: Tensor) -> tuple[Tensor, ...]:
        return probabilities

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> NoReturn:
        raise InputError(ONE_DERIVATIVE)


def _log_partition(batch: _Batch) -> Tensor:
    log_partitions: Tensor = _LogPartition.apply(batch, *batch.scores.values())
    return log_partitions


def _log_probability(batch: _Batch, heads: Tensor) -> Tensor:
    return batch.value(_check_heads(batch, heads)) - _log_partition(batch)


def _to_array(scores: Tensor) -> NDArray[np.float64]:
    """Return scores as an array for the core, without a copy if they are contiguous and in float64."""
    return np.ascontiguousarray(scores.detach().to("cpu", torch.float64).numpy())


def _lengths_of(arc: Tensor, mask: Tensor | None) -> NDArray[np.int32]:
    """Return the number of words of each sentence."""
    sentences, nodes = arc.shape[:2]
    if mask is None:
        return np.full(sentences, nodes - 1, dtype=np.int32)
    if mask.dim() == 1 and len(mask) == sentences:
        return _check_lengths(np.asarray(mask.cpu(), dtype=np.int32), nodes - 1)
    if mask.shape != arc.shape[:2] or mask.dtype != torch.bool:
        raise InputError(
            f"mask is {mask.dtype} {tuple(mask.shape)}; expected torch.bool {(sentences, nodes)}, true for words, "
            f"or the number of words of each sentence"
        )
    is_word = mask[:, 1:].cpu().numpy()
    lengths = is_word.sum(axis=1, dtype=np.int32)
    gaps = np.flatnonzero((is_word != (np.arange(nodes - 1) < lengths[:, None])).any(axis=1))
    if len(gaps):
        raise InputError(f"mask[{gaps[0]}] has padding between words; the words of a sentence are 1 to n")
    return _check_lengths(lengths, nodes - 1)


def _check_lengths(lengths: NDArray[np.int32], longest: int) -> NDArray[np.int32]:
    for sentence in np.flatnonzero((lengths < 1) | (lengths > longest)):
        raise InputError(f"sentence {sentence} has {lengths[sentence]} words; arc has room for 1 to {longest}")
    return lengths


def _check_heads(batch: _Batch, heads: Tensor) -> NDArray[np.int64]:
    """Return heads with zeros for node 0 and in the padding, if all of them are trees of the kind that is asked for."""
    if heads.shape != batch.arc.shape[:2]:
        expected = tuple(batch.arc.shape[:2])
        raise InputError(f"heads is {tuple(heads.shape)}; expected {expected}: a head for each node, the root included")
    nodes = np.arange(heads.shape[1])
    is_word = (nodes > 0) & (nodes <= batch.lengths[:, None])
    given: NDArray[np.int64] = np.where(is_word, heads.cpu().numpy(), 0)
    is_bad = ((given < 0) | (given > batch.lengths[:, None])).any(axis=1)
    if not is_bad.any():
        is_bad |= _has_cycle(given)
        if batch.root == "single":
            is_bad |= (is_word & (given == 0)).sum(axis=1) != 1
        if batch.projective:
            is_bad |= _has_crossing_arcs(given)
    for sentence in np.flatnonzero(is_bad):
        tree = given[sentence, : batch.lengths[sentence] + 1].copy()
        tree[0] = -1
        wrong = trees.what_is_wrong(tree, batch.root) or "heads has crossing arcs; give projective=False"
        raise InputError(f"sentence {sentence} of the batch: {wrong}")
    return given


def _has_cycle(heads: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether some words of each sentence do not reach node 0, by doubling the steps upwards."""
    above = heads
    for _ in range(heads.shape[1].bit_length()):
        above = np.take_along_axis(above, above, axis=1)
    return np.asarray((above > 0).any(axis=1))


def _has_crossing_arcs(heads: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether two arcs of a sentence cross; arcs from the root to the padding cross nothing."""
    words = np.arange(1, heads.shape[1])
    left, right = np.minimum(heads[:, 1:], words), np.maximum(heads[:, 1:], words)
    starts_within = (left[:, :, None] < left[:, None, :]) & (left[:, None, :] < right[:, :, None])
    return np.asarray((starts_within & (right[:, :, None] < right[:, None, :])).any(axis=(1, 2)))


def _parts_of(
    heads: NDArray[np.int64], lengths: NDArray[np.int32], *, second_order: bool
) -> dict[str, tuple[NDArray[np.int64], ...]]:
    """Return the cells of the parts of trees by their kind: the sentence, then the nodes."""
    nodes = np.arange(heads.shape[1])
    sentence, m = np.nonzero((nodes > 0) & (nodes <= lengths[:, None]))
    h = heads[sentence, m]
    arcs = (sentence, h, m)
    if not second_order:
        return {"arc": arcs}
    inner, last = np.zeros_like(heads), np.zeros((*heads.shape, 2), dtype=np.int64)
    for row, length in enumerate(lengths):
        tree = heads[row, : length + 1].astype(np.int32)
        tree[0] = -1
        inner[row, : length + 1], last[row, : length + 1] = trees.inner_and_last_modifiers(tree)
    below = h > 0
    owner, node, side = np.nonzero(np.broadcast_to((nodes <= lengths[:, None])[:, :, None], last.shape))
    has_side = (node > 0) | (side == 1)  # nothing is on the left of the root
    owner, node, side = owner[has_side], node[has_side], side[has_side]
    return {
        "arc": arcs,
        "sib": (sentence, h, m, inner[sentence, m]),
        "grand": (sentence[below], heads[sentence, h][below], h[below], m[below]),
        "stop": (owner, node, last[owner, node, side], side),
    }

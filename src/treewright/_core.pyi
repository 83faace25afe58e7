"""
Treewright's native kernels. Not a public interface: use treewright.decode and its neighbours.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Parts:
    """
    The parts of one sentence over its candidate arcs (core/trees/parts.hpp).
    """

    def __init__(self, nodes: int, head: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], modifier: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], siblings: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, grandparents: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, stops: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, outermost: bool = False, grandsiblings: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None:
        """From int32 index columns and float64 score columns, in any order."""

    @staticmethod
    def from_arrays(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sib: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)] | None = None, grand: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)] | None = None, grandsib: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)] | None = None) -> Parts:
        """
        From whole matrices that have been checked; the candidates are the arcs above -inf.
        """

    @property
    def nodes(self) -> int: ...

    @property
    def arcs(self) -> int:
        """How many candidate arcs there are."""

    @property
    def has_transitions(self) -> bool: ...

    @property
    def has_grand(self) -> bool: ...

    @property
    def has_grandsib(self) -> bool: ...

    @property
    def outermost(self) -> bool: ...

    @property
    def head(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def modifier(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def arc(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def siblings(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Columns h, m, s and score of the sibling parts that are not zero."""

    @property
    def grandparents(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Columns g, h, m and score of those that are not zero."""

    @property
    def grandsiblings(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Columns g, h, m, s and score of those that are not zero."""

    @property
    def stops(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Columns h, s, side and score of those that are not zero."""

    def to_arrays(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))] | None, Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))] | None, Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))] | None]:
        """
        Scores as arc, sib, grand and stop, zero in cells of no candidate; None for kinds that are not there.
        """

    def restricted(self, keep: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Parts:
        """The parts over the arcs with keep set."""

    def scaled(self, factor: float) -> Parts:
        """The parts with scores multiplied by a positive factor."""

    def adjusted(self, adjustment: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Parts:
        """The parts with a number added to each arc."""

    def value(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        The value of a tree by the definition of the parts; -inf when it uses an arc that is no candidate.
        """

class Conditioned:
    """
    Scores shifted, scaled and rounded so that sums are exact (core/trees/conditioning.hpp).
    """

    def __init__(self, parts: Parts, single_root: bool) -> None: ...

    def thresholds(self) -> list[float]:
        """Losses that begin a group of much higher ones, increasing."""

    def loss(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """What a tree loses against the best score of every part."""

    def below(self, threshold: float) -> Parts:
        """
        The conditioned parts, without those that lose at least the threshold; the arcs keep their order.
        """

    @property
    def scale(self) -> float:
        """The factor of the conditioned scores."""

    def bounds(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: float, bound: float) -> tuple[float, float, float, float]:
        """
        Value, bound, gap and spread of a tree in given units, from its value and a bound in the conditioned parts.
        """

def add_arc_scores(batch: Sequence[Parts], scores: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], weight: float) -> None:
    """Adds weight * scores[h, m] to the arcs of each sentence, in place."""

def bad_arc(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> int:
    """The flat index of the first cell of an arc that has no score, or -1."""

def bad_part(name: str, scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> int:
    """
    The flat index of the first cell of sib, grand, stop or grandsib that belongs to a part and has no score.
    """

class PruningRules:
    """How candidate arcs are chosen (core/decode/candidates.hpp)."""

    def __init__(self, projective: bool, single_root: bool, threshold: float, max_heads: int, min_heads: int = 1) -> None: ...

class DirectAlgorithm(enum.Enum):
    """Algorithms without search (core/decode/direct.hpp)."""

    eisner = 0

    chu_liu_edmonds = 1

    sibling_eisner = 2

    grand_eisner = 3

def candidate_arcs(arcs: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], marks: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], rules: PruningRules, gold: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], float]]:
    """
    Of each sentence head and modifier of the candidate arcs, the marginal of every arc, the value of the best tree; nothing depends on the nodes in marks[s]. gold is empty, or has the heads of each gold tree.
    """

def best_trees_of_parts(batch: Sequence[Parts], algorithm: DirectAlgorithm, single_root: bool, tolerance: float, threads: int) -> tuple[bytearray, list[int], list[float], list[float], list[float], list[float]]:
    """
    The best tree of each sentence: the heads of all trees one after the other, as int32, and of each tree where its heads end, value, bound, gap and spread; the value is -inf when there is none.
    """

def grand_eisner_bytes(parts: Parts) -> float:
    """An upper bound of the memory of the chart with grandparents."""

def kbest(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], projective: bool, single_root: bool, k: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """The k best trees, or all there are: heads, a row a tree, and values."""

class AtomBatch:
    """The atoms of several sentences (core/learning/atom_batch.hpp)."""

    def __init__(self, atoms: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], each: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Scorer:
    """Scores the parts of sentences (core/learning/scoring.hpp)."""

    def __init__(self, tables: Sequence[tuple[int, int, int, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Sequence[int]]], bits: int) -> None: ...

    def arcs(self, batch: AtomBatch, weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """Scores all arcs: arc[h, m] of each sentence."""

    def parts(self, batch: AtomBatch, candidates: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]]], siblings: bool, grandparents: bool, weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, outermost: bool = False) -> list[Parts]:
        """
        Scores the parts of each sentence over its candidate arcs, a pair (head, modifier) of columns.
        """

    def add_arcs(self, learner: Learner, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Adds gradient[h, m] of all arcs of the sentence scored last to the gradient of the weights.
        """

    def add_parts(self, learner: Learner, gradient: Parts) -> None:
        """
        Adds the gradient of the parts of the sentence scored last to the gradient of the weights.
        """

class Labeller:
    """Scores the labels of the arcs of trees (core/learning/labeller.hpp)."""

    def __init__(self, tables: Sequence[tuple[int, int, int, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Sequence[int]]], bits: int, labels: int, width: int, tag: int) -> None: ...

    def keys(self, batch: AtomBatch, heads: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        The key of each node's candidate labels, of all sentences one after the other: both tags and the direction.
        """

    def set_candidates(self, key: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Labels begin[k] .. begin[k + 1] are the candidates of key k; for other keys every label is one.
        """

    def set_exclusions(self, a: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Labels a[k] and b[k] occur together below no word, if the candidates permit it; a label may exclude itself.
        """

    def best(self, batch: AtomBatch, heads: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, added: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        The best label of each node of all sentences, -1 for a root, and its probability, where scores are multiplied by scale. added: scores of another model for each node and label, in the unit of the weights; given: the labels that are decided, -1 for the others.
        """

    def probabilities(self, batch: AtomBatch, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], m: int, weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, added: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The probability of each label of word m of one sentence; arguments as in `best`.
        """

    def learn(self, learner: Learner, batch: AtomBatch, heads: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float) -> float:
        """
        Adds the gradient of the gold labels' log probability; returns the loss.
        """

class TensorScorer:
    """Scores arcs by a low-rank tensor (core/learning/arc_tensor.hpp)."""

    def __init__(self, tables: Sequence[tuple[int, int, int, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Sequence[int]]], bits: int, rank: int, tensors: int) -> None: ...

    def add_scores(self, batch: AtomBatch, parts: Sequence[Parts], weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, tensor: int | None = None) -> None:
        """
        Adds the scores of the arcs, the mean of all tensors or those of one, to those that the parts have.
        """

    def add_gradient(self, learner: Learner, tensor: int, gradient: Parts) -> None:
        """
        Adds the gradient of the arcs' scores by one tensor, in the sentence scored last, to that of its parameters.
        """

class Learner:
    """
    Weights with AdaGrad steps and averaging (core/learning/learning.hpp); the arrays are the caller's.
    """

    def __init__(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], adagrad_epsilon: float) -> None: ...

    def step(self, number: float, rate: float) -> None:
        """Applies the gradient added so far."""

    def average(self, steps: float) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The mean of the weights over that many steps."""

    def move(self, number: float, size: float) -> None:
        """Adds `size` times the gradient."""

    def squared_length(self) -> float:
        """The squared length of the gradient added so far."""

def arc_gradient(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], projective: bool, single_root: bool) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    The expected number of wrong heads, and [h, m] the gradient of the tree's log probability; the head -1 is open.
    """

def projective_gradient(parts: Parts, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, is_outside: bool) -> tuple[float, Parts]:
    """
    The negative log probability of a tree, and parts with the gradient of its log probability as scores; of a partial tree, with the head -1 of open words, that of all trees that contain it.
    """

def nonprojective_gradient(parts: Parts, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, rounds: int) -> tuple[float, Parts]:
    """
    The expected number of wrong heads, and the gradient by loopy belief propagation over all trees.
    """

def tree_difference(parts: Parts, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Parts:
    """
    Parts with the count in the first tree minus that in the second as scores.
    """

def automata_difference(parts: Parts, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Parts]:
    """
    How many arcs of the tree no head automaton chose by itself, and the counts of the tree minus theirs.
    """

def add_margin(parts: Parts, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float) -> None:
    """Adds a margin to the score of every arc that the tree does not have."""

def best_trees(arcs: list[Any], array: object, projective: bool, single_root: bool, threads: int) -> tuple[bytearray, list[int], list[float], list[float], list[float], list[float]]:
    """
    The best tree of each matrix of a list: the heads of all trees one after the other, as int32, and of each tree where its heads end, value, bound, gap and spread. The value is -inf for an item that is not of the type `array` or no matrix of float64 scores, and where there is no tree.
    """

def best_tree(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], projective: bool, single_root: bool) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]:
    """
    The best projective tree (Eisner 1996) or spanning tree: heads and value; -inf when there is none.
    """

def tree_dual(parts: Parts, single_root: bool) -> tuple[float, list[float], list[int], list[int]]:
    """
    The dual solution that proves the best spanning tree: penalty of the root arcs; slack of each set, where its words begin, words.
    """

def reduced_costs(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], single_root: bool) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    The value of the best tree, and for each arc a bound on what every tree with it falls short of it.
    """

def dmv_expectations(tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stop: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], go: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], attach: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], length_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: int, chunk: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]]]:
    """
    Log likelihood of each sentence, and the expected counts (root, stop, go, attach) of the corpus.
    """

def dmv_decode(tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stop: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], go: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], attach: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], length_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: int, chunk: int, extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Heads of every word (as CoNLL numbers) and the log value of each sentence's best tree.
    """

def dmv_counts(tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]]:
    """Counts (root, stop, go, attach) of given trees."""

def log_partition(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], projective: bool, single_root: bool) -> float:
    """
    The log of the sum over all trees of the exponential of their value; -inf when there is none.
    """

def marginals(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], projective: bool, single_root: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], float]:
    """The probability of each arc and the log partition."""

def padded_marginals(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], projective: bool, single_root: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    The marginals [sentence, h, m] and the log partition of the sentences of a padded batch; -inf where there is no tree, or where a score is wrong.
    """

def entropy(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], projective: bool, single_root: bool) -> float:
    """
    The entropy of the distribution over trees, for scores of any size; -inf when there is no tree. Slow.
    """

def part_entropy(parts: Parts, single_root: bool) -> float:
    """
    The entropy of the distribution over projective trees, for scores of any size; -inf when there is none. Slow.
    """

def is_wide(parts: Parts) -> bool:
    """
    Whether some score is so large that sums over trees are computed with more digits than a double has.
    """

def expectations(parts: Parts, single_root: bool) -> tuple[float, Parts]:
    """
    The log partition over projective trees, and parts with each one's expectation as its score.
    """

def beliefs(parts: Parts, single_root: bool, rounds: int) -> tuple[float, Parts]:
    """
    Loopy belief propagation over all trees: the Bethe log partition (-inf when there is no tree), and parts with each one's approximate expectation as its score. Exact where only arcs have scores.
    """

def arc_confidence(parts: Sequence[Parts], heads: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], temperature: float, projective: bool, single_root: bool, rounds: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The probability of the arc into each word of trees, of all sentences one after the other, where a tree has the weight exp(value / temperature).
    """

class ClimbOptions:
    """The options of hill climbing."""

    def __init__(self, *, single_root: bool, projective: bool, by_score: bool, patience: int, max_restarts: int, seed: int) -> None: ...

def climb(parts: Parts, options: ClimbOptions, first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_seconds: float) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Randomized hill climbing (Zhang et al. 2014): heads, value, and the best value after each restart.
    """

def climb_path(parts: Parts, start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, projective: bool) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    One climb: the heads after every change, and the values the gains add up to.
    """

def rearrange(parts: Parts, start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, projective: bool, limit: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], int]:
    """The best single changes one by one: heads, and how many."""

def graph_climb(parts: Parts, start: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], fixed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, limit: int, max_seconds: float) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None,))], int]:
    """
    Further and other heads from a graph on: which arcs are on, and how many changes.
    """

def graph_scores(parts: Parts, on: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[float]:
    """The scores of a graph's parts."""

def count_optima(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cap: int) -> int:
    """
    How many trees no single change of a head improves; cap + 1 when there are more than cap.
    """

class TreeScorer:
    """Scores third-order parts and global features of trees (core/factors)."""

    def __init__(self, tables: Sequence[tuple[int, int, int, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Sequence[int]]], bits: int, tag_atoms: Sequence[int], form_atom: int, punctuation: Sequence[int], conjunction: Sequence[int], adposition: Sequence[int], marks: Sequence[tuple[int, int]], style: int) -> None: ...

    def factors(self, batch: AtomBatch, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """Kind, nodes and state of a tree's factors; of a batch of one sentence."""

    def values(self, batch: AtomBatch, trees: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The sum of the scores of the factors of each tree of a batch of one sentence.
        """

    def climb(self, batch: AtomBatch, parts: Sequence[Parts], options: ClimbOptions, first: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None, weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, max_seconds: float) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float, list[float]]]:
        """
        The best heads of each sentence, their value, and the value at the end of each climb; the first climb begins with the tree in `first`, if there is one.
        """

    def climb_path(self, batch: AtomBatch, parts: Parts, start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, projective: bool, weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        One climb: the heads after every change, and the values that the gains add up to.
        """

    def add_choices(self, learner: Learner, batch: AtomBatch, parts: Parts, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, projective: bool, margin: float) -> float:
        """
        Adds the gradient of the choices of heads in a tree, and returns the loss.
        """

    def add_difference(self, learner: Learner, batch: AtomBatch, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Adds the features of one tree minus those of another."""

class SolvedTree:
    """The tree of a search; certificate is empty when there is none."""

    @property
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def value(self) -> float: ...

    @property
    def bound(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def spread(self) -> float: ...

    @property
    def certificate(self) -> str: ...

    @property
    def iterations(self) -> int: ...

class DualResult(SolvedTree):
    """The result of dual decomposition."""

    @property
    def average(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def u(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def v(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def trace(self) -> dict[str, Any]: ...

class SearchProof:
    """The nodes of a search tree and the multipliers that bound them."""

    def nodes(self) -> list[tuple[int, int, bool, list[tuple[int, list[int], list[int]]], int]]:
        """
        Parent, arc, whether it is in, fixed arcs (point, in, out), point; -1: none.
        """

    def point(self, number: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, list[float], list[int], list[int]]:
        """
        u and v of each arc; penalty of the root arcs; slack of each set, where its words begin, words.
        """

class SearchResult(SolvedTree):
    """The result of branch and bound."""

    @property
    def nodes(self) -> int: ...

    @property
    def trace(self) -> dict[str, Any]: ...

    @property
    def proof(self) -> SearchProof: ...

def dual_decomposition(parts: Parts, *, projective: bool, single_root: bool, beta: float, polyak: bool, max_iterations: int, max_seconds: float, tolerance: float, trace: bool, tighten: bool, facts: bool, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> DualResult:
    """
    Spanning tree and head automata made to agree (Koo et al. 2010); the value is -inf when there is no tree.
    """

def branch_and_bound(parts: Parts, single_root: bool, max_seconds: float, max_nodes: int, tolerance: float, trace: bool, proof: bool) -> SearchResult:
    """
    The best non-projective tree, proved; on a budget the best found, with a bound.
    """

def sample(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], projective: bool, single_root: bool, size: int, seed: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Trees drawn by their score, a row a tree; no row when there is no tree.
    """

def sample_parts(parts: Parts, single_root: bool, size: int, seed: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Projective trees drawn by the scores of all parts, a row a tree; no row when there is no tree.
    """

def sibling_automaton(parts: Parts, side: int, forced: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    The best modifiers on a side (2 h: left, 2 h + 1: right): value, and their places.
    """

def state_automaton(start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], stop: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forced: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """The best path: value, and the state entered with each candidate or -1."""

class AddedTagScores:
    """What is added to the scores of tags (core/text/tagger.hpp)."""

    def __init__(self, readings: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], places: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: float, is_name: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], of_name: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        readings: an array [word, value] of log-probabilities a sentence, or none; places[tag, column]: the value of the tag; weight: of the readings; is_name[word]: words with the scores of_name[tag] in their place.
        """

class TagModel:
    """A model of tag sequences (core/text/tagger.hpp)."""

    def __init__(self, items: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], templates: int, tag_parts: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bits: int, max_candidates: int, word_atom: int, trigrams: bool) -> None: ...

    def decode(self, atoms: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], adjust: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, confidence: bool, temperature: float = 1.0, relations: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float, Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None]:
        """
        The best tags, the score of the sequence, and with `confidence` the probability of each tag, where a sequence has the weight exp(score / temperature). relations: hashed features of each entry of the pool.
        """

    def keep_scores(self, words: WordRows, weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Keep, for each row of TagWords, what `decode_words` with these weights, which must not change, adds up that does not depend on the words around.
        """

    def decode_words(self, words: WordRows, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, adjust: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, confidence: bool, temperature: float = 1.0, candidates: Sequence[Sequence[int]] = [], lengths: Sequence[int] | None = None, added: AddedTagScores | None = None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float, Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None]:
        """
        The same for the rows of TagWords or LemmaWords; with lengths they are several sentences, and the score is the sum of theirs. candidates[i], unless it is empty, are the tags that word i may have: those of its row among them, or all of them if there are none.
        """

    def probabilities_words(self, words: WordRows, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, adjust: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, temperature: float, candidates: Sequence[Sequence[int]], added: AddedTagScores | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """The probability of each tag of each word of a sentence, [word, tag]."""

    def learn(self, atoms: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], step: float, rate: float, epsilon: float, margin: float, relations: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> float:
        """One update on one sentence; returns the loss. The gold tag -1 is open."""

    def learn_words(self, words: WordRows, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], step: float, rate: float, epsilon: float, margin: float) -> float:
        """The same for the rows of TagWords or LemmaWords."""

def viterbi(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], trigram: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], adjust: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]:
    """The best tag sequence and its score."""

class LabelLists:
    """Labels with counts by sorted keys (core/text/lexicon.hpp)."""

    def __init__(self, keys: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class WordRows:
    """Words with atoms and candidates (core/text/word_rows.hpp)."""

    def __len__(self) -> int: ...

    def clear(self) -> None:
        """Remove all words."""

class TagWords(WordRows):
    """Words with their candidate tags (core/text/tag_words.hpp)."""

    def __init__(self, words: LabelLists, suffixes: LabelLists, stems: LabelLists, first_of: Sequence[int], min_known_count: int, max_guesses: int) -> None: ...

    def add(self, form: str, lower: str, shape: str, gold: int, excluded: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> int:
        """Add a word and return its row; gold is -1 outside training."""

class LemmaWords(WordRows):
    """
    Tagged words with their candidate edit scripts (core/text/lemma_words.hpp).
    """

    def __init__(self, words: LabelLists, suffixes: LabelLists, stems: LabelLists, scripts: Sequence[tuple[bool, int, str, int, str]]) -> None: ...

    def add(self, form: str, lower: str, shape: str, upos: int, feats: int, tag: int, gold: int, excluded: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> int:
        """
        Add a word and return its row, -1 if no script fits it; gold is -1 outside training.
        """

    def seen(self, form: str, upos: int, feats: int) -> int:
        """
        The most frequent script of a word with this tag, -1 if it was not seen with it.
        """

def template_features(atoms: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """
    A row of hashed templates for each place of atoms[atom, place] (core/text/template_hashes.hpp).
    """

def text_hash(text: str, group: int = 0) -> int:
    """A hash of 32 bits, the same on every machine."""

def suffix_key(group: int, suffix: str) -> int:
    """The key of a suffix of a group of words."""

def surface_class(shape: str) -> int:
    """Casing, digits and hyphens of a word, as a number."""

def lemma_key(form: str, upos: int, feats: int) -> int:
    """The key of a word with its tag."""

class WordClasses:
    """Word classes by exchange, and merges of them."""

    def __init__(self, units: int, classes: int, first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], class_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def value(self) -> float:
        """The log likelihood of the text."""

    def sweep(self, begin: int, end: int) -> int:
        """Move units to their best classes; how many moved."""

    def class_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The class of each unit."""

    def merges(self) -> list[tuple[int, int]]:
        """
        Pairs of classes, the second merged into the first, the cheapest first.
        """

class Forest:
    """A packed forest of the derivations of one sentence."""

    @property
    def nodes(self) -> int: ...

    @property
    def edges(self) -> int: ...

    def best(self, adjustment: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tag_adjustment: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Value, constituents (label, begin, end, head, tag) and heads of the best derivation; -inf for none.
        """

    def log_sum(self, adjustment: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> float:
        """The logarithm of the sum over all derivations."""

    def words(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """The words, from 0, and their tags that occur in derivations."""

    def arrays(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Node, first and second node below, and arc of each edge; and the scores of the edges.
        """

class CollinsModel:
    """The probabilities of Collins' model 1, from counts of events."""

    def __init__(self, tags: int, words: int, base: int, classes: Sequence[int], is_verb: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], modifiers: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], tops: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def forest(self, words: Sequence[int], tags: Sequence[Sequence[int]], adjustment: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], beam: float, max_unary: int, partial: bool, max_size: int) -> tuple[Forest, bool, bool]:
        """
        The derivations of a sentence; whether the limit of size was reached (the forest is then empty); and whether the derivations are covers by several phrases.
        """

PIECE_PENALTY: float = 10000.0

class ContextFree:
    """
    A context-free grammar over binary rules and unary chains, with charts.
    """

    def __init__(self, symbols: int, goal: int, rules: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], chains: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], chain_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], preterminals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_top: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def parse(self, lexical: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], limits: tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None] = (None, None, None)) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]:
        """
        Value and nodes (chain, first, last) of the best tree, parents first; -inf and no nodes without a tree.
        """

    def cover(self, lexical: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], limits: tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None] = (None, None, None)) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]:
        """Value and nodes of the fewest trees that cover the sentence."""

    def kbest(self, lexical: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, limits: tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None] = (None, None, None)) -> list[tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]]:
        """Value and nodes of the k best trees, or of all if there are fewer."""

    def sums(self, lexical: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], label_begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_count: int, limits: tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None] = (None, None, None)) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """
        Log partition, probabilities of brackets [label, first, last] and of preterminals [word, preterminal].
        """

class LatentTrees:
    """Trees with weights, over which the rules of a grammar are counted."""

    def __init__(self, nodes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], entry_tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def expect(self, shape: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], weights: tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], threads: int) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Log likelihood, expected counts of rules, of chains and of entries of the lexicon.
        """

    def merge_losses(self, shape: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], weights: tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], frequencies: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The loss of log likelihood by each merge, at the place of the first substate of the pair.
        """

def latent_frequencies(shape: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], rule_counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], chain_counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], smallest: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Relative frequencies of the rules and of the chains of each substate."""

class LatentSums:
    """Probabilities of rules, chains and tags over the trees of a sentence."""

    @property
    def has_tree(self) -> bool: ...

    @property
    def log_total(self) -> float: ...

    def brackets(self, label_begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_count: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]:
        """Probabilities of brackets [label, first, last]."""

    def tags(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Probabilities of preterminals [word, symbol]."""

class LatentKernel:
    """A latent-variable grammar with its charts."""

    def __init__(self, shape: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], rule_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], chain_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], preterminals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], joined: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], top_frequencies: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], base_frequencies: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def sums(self, words: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], thresholds: Sequence[float], smallest: float, limits: tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None] = (None, None, None)) -> LatentSums:
        """Probabilities over all trees, coarse to fine."""

def max_rule(rules: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], chains: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], symbols: int, members: Sequence[LatentSums], numbers: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> tuple[float, Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]:
    """
    Score and nodes (chain, first, last) of the tree with the highest product of rule probabilities.
    """

class NetworkWeights:
    """The weights of a network (core/network/weights.hpp)."""

    def __init__(self, arrays: dict[str, object], sizes: Sequence[int], columns: Sequence[int], labels: int) -> None: ...

    def labels(self, sides: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """The log-probabilities of the labels of each word, by its head."""

class NetworkReader:
    """Reads sentences with a network (core/network/reader.hpp)."""

    def __init__(self, weights: NetworkWeights, portable: bool = False) -> None:
        """portable: without the vector instructions of this processor."""

    def add(self, word: int, vector: int, classes: Sequence[int], subwords: Sequence[int]) -> int:
        """
        Add a word type by its rows of the tables; returns its number. The root has the number 0.
        """

    def clear(self) -> None:
        """Remove all word types but the root."""

    @property
    def types(self) -> int:
        """The number of word types."""

    def read(self, types: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))]]]:
        """
        For each sentence: log P(h | m), log-probabilities of tags, and what NetworkWeights.labels needs.
        """

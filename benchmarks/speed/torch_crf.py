"""Tree CRFs for PyTorch: `treewright.torch` beside torch-struct and SuPar, value and gradient of log Z on a CPU.

A batch of 32 sentences of 30 words with standard normal scores, one thread. Each call computes the log partition of
each sentence and the gradient of their sum, as training does. The values of all libraries are compared first. CPU
milliseconds, minimum of the repeats, which alternate between the libraries. The peers have no sums over second-order
trees that may cross, and none with grandparents; SuPar has siblings.

It needs treewright[neural], and `pip install --no-deps torch-struct supar nltk dill`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

SENTENCES, WORDS = 32, 30
REPEATS, SECONDS = 7, 2.0  # at least so many repeats, and so much time for each kind of trees
Sums = Callable[..., Any]  # scores -> log Z of each sentence


def libraries() -> dict[str, dict[str, Sums]]:
    """Return the sums of each library for each kind of trees."""
    torch, struct, supar = common.peer("torch"), common.peer("torch_struct"), common.peer("supar.structs")
    import treewright.torch as crf

    lengths = torch.full((SENTENCES,), WORDS)

    def of_struct(distribution: Any) -> Sums:
        """torch-struct has the scores of the root on the diagonal, and no node 0."""

        def sums(arc: Any) -> Any:
            words = arc[:, 1:, 1:] * (1 - torch.eye(WORDS, dtype=arc.dtype)) + torch.diag_embed(arc[:, 0, 1:])
            return distribution(words, lengths, multiroot=False).partition

        return sums

    def siblings(arc: Any, sib: Any) -> Any:
        """SuPar has sib[b, m, h, s] without scores of first modifiers."""
        scores = sib.permute(0, 2, 1, 3)
        return supar.Dependency2oCRF((arc.transpose(1, 2), scores), lengths).log_partition

    def own_siblings(arc: Any, sib: Any) -> Any:
        is_first = torch.eye(WORDS + 1, dtype=torch.bool)[:, None, :]
        return crf.log_partition(arc, sib=sib.masked_fill(is_first, 0.0), projective=True)

    return {
        "any tree": {
            "treewright": crf.log_partition,
            "torch-struct": of_struct(struct.NonProjectiveDependencyCRF),
            "SuPar": lambda arc: supar.MatrixTree(arc.transpose(1, 2), lengths).log_partition,
        },
        "projective": {
            "treewright": lambda arc: crf.log_partition(arc, projective=True),
            "torch-struct": of_struct(struct.DependencyCRF),
            "SuPar": lambda arc: supar.DependencyCRF(arc.transpose(1, 2), lengths).log_partition,
        },
        "projective, siblings": {"treewright": own_siblings, "SuPar": siblings},
    }


def value_and_gradient(sums: Sums, scores: Sequence[Any]) -> Any:
    """Compute log Z of each sentence, and the gradient of their sum."""
    return common.peer("torch").autograd.grad(sums(*scores).sum(), scores)


def milliseconds(calls: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the lowest CPU time of each call; the repeats of all alternate."""
    best = dict.fromkeys(calls, float("inf"))
    begin, repeats = time.process_time(), 0
    while repeats < REPEATS or time.process_time() < begin + SECONDS:
        repeats += 1
        for name, call in calls.items():
            start = time.process_time()
            call()
            best[name] = min(best[name], 1e3 * (time.process_time() - start))
    return best


def table() -> None:
    """Print the time of each library, and how many times that of treewright it is."""
    torch = common.peer("torch")
    torch.set_num_threads(1)
    torch.manual_seed(1)
    nodes = WORDS + 1
    scores = [torch.randn(SENTENCES, *[nodes] * order, dtype=torch.float64, requires_grad=True) for order in (2, 3)]
    print(f"{'trees':22} {'library':14} {'ms':>8} {'ratio':>7} {'largest difference of log Z':>28}")
    for kind, sums_of in libraries().items():
        given = scores[:2] if "siblings" in kind else scores[:1]
        values = {name: sums(*given).detach() for name, sums in sums_of.items()}
        calls = {name: partial(value_and_gradient, sums, given) for name, sums in sums_of.items()}
        times = milliseconds(calls)
        for name, value in values.items():
            difference = (value - values["treewright"]).abs().max().item()
            ratio = times[name] / times["treewright"]
            print(f"{kind:22} {name:14} {times[name]:8.2f} {ratio:6.1f}x {difference:28.1e}", flush=True)


if __name__ == "__main__":
    common.parse(common.arguments(__doc__))
    warnings.simplefilter("ignore")  # of the peers
    table()

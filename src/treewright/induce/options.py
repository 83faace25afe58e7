"""How to induce a parser: one frozen record, saved with the model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from treewright.errors import InputError
from treewright.induce import convex_mst, joint
from treewright.induce.dmv import UNLIMITED, Limits

METHODS = ("best", "joint", "dmv", "lc-dmv", "convex-mst")
TOGETHER = ("best", "joint")  # methods that train both models
RULES = {"best": "content"}  # of a method, where they are not "ud"
STARTS = {"best": "uniform"}  # of a method, where it is not "klein-manning"


@dataclass(frozen=True)
class Options:
    """Of induction; saved with the model. docs/induction.md tells how the defaults were chosen."""

    method: str = "joint"
    max_length: int = 15  # longer training sentences are left out
    clusters: int = 0  # classes of words to learn in place of tags; 0: there are tags
    rules: str | None = None  # a set by its name, or a file; None: the method's own
    start: str | None = None  # of EM; None: the method's own
    iterations: int = 20  # of EM
    features: bool = False  # of the valence model: softmax parameters fitted by L-BFGS instead of EM
    hard: bool = False  # Viterbi EM
    seed: int = 1  # of random starts
    limits: Limits = field(default_factory=Limits)
    convex: convex_mst.Options = field(default_factory=convex_mst.Options)
    joint: joint.Options = field(default_factory=joint.Options)

    def check(self) -> None:
        """Refuse what no training can do."""
        if self.method not in METHODS:
            raise InputError(f"there is no method {self.method!r}; there are {', '.join(METHODS)}")
        if self.clusters and self.method not in {"dmv", "lc-dmv"}:
            raise InputError(
                f"{self.method} needs rules, and rules need tags: with clusters the method is lc-dmv or dmv"
            )

        if self.features and self.hard:
            raise InputError("features are fitted by L-BFGS, not by Viterbi EM: leave out one of them")

    @property
    def limits_used(self) -> Limits:
        """Of the valence model by the method: none, its own, or those of joint training."""
        if self.method == "dmv":
            return UNLIMITED
        return replace(self.limits, length_bias=self.joint.length_bias) if self.method in TOGETHER else self.limits

    @property
    def rules_used(self) -> str:
        return self.rules or RULES.get(self.method, "ud")

    @property
    def start_used(self) -> str:
        return self.start or STARTS.get(self.method, "klein-manning")


def options_of(saved: dict[str, Any]) -> Options:
    """Options as `asdict` wrote them."""
    limits = Limits(**{**saved["limits"], "leaves": tuple(saved["limits"]["leaves"])})
    parts = {
        "limits": limits,
        "convex": convex_mst.Options(**saved["convex"]),
        "joint": joint.Options(**saved["joint"]),
    }
    return Options(**{**saved, **parts})

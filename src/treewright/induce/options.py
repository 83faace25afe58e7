"""The options of induction: one frozen record that is saved with the model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from treewright.errors import InputError
from treewright.induce import convex_mst
from treewright.induce.dmv import UNLIMITED, Limits
from treewright.induce.joint import JointOptions

METHODS = ("best", "joint", "dmv", "lc-dmv", "convex-mst")
JOINT_METHODS = ("best", "joint")  # methods that train both models
RULES = {"best": "content"}  # default set of rules by method; "ud" for the others (docs/induction.md)
STARTS = {"best": "uniform"}  # default start of EM by method; "klein-manning" for the others (docs/induction.md)


@dataclass(frozen=True)
class InductionOptions:
    """Options of induction; docs/induction.md says how the defaults were chosen."""

    method: str = "joint"
    max_length: int = 15  # longer training sentences are left out, as in the published protocol
    clusters: int = 0  # number of word classes to learn in place of tags; 0: use the tags
    rules: str | None = None  # name of a set, or a file; None: the method's default
    start: str | None = None  # initial parameters of EM; None: the method's default
    iterations: int = 20  # of EM
    features: bool = False  # softmax parameters of the DMV, fitted by L-BFGS instead of EM
    hard: bool = False  # Viterbi EM
    seed: int = 1  # of random starts
    limits: Limits = field(default_factory=Limits)
    convex: convex_mst.ConvexMstOptions = field(default_factory=convex_mst.ConvexMstOptions)
    joint: JointOptions = field(default_factory=JointOptions)

    def check(self) -> None:
        """Refuse combinations that no method supports."""
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
        """The limits of the DMV: none for `dmv`, a length bias of its own in joint training."""
        if self.method == "dmv":
            return UNLIMITED
        if self.method in JOINT_METHODS:
            return replace(self.limits, length_bias=self.joint.length_bias)
        return self.limits

    @property
    def rules_used(self) -> str:
        return self.rules or RULES.get(self.method, "ud")

    @property
    def start_used(self) -> str:
        return self.start or STARTS.get(self.method, "klein-manning")


def options_of(saved: dict[str, Any]) -> InductionOptions:
    """InductionOptions from the dictionary that `asdict` made of them."""
    limits = Limits(**{**saved["limits"], "leaves": tuple(saved["limits"]["leaves"])})
    parts = {
        "limits": limits,
        "convex": convex_mst.ConvexMstOptions(**saved["convex"]),
        "joint": JointOptions(**saved["joint"]),
    }
    return InductionOptions(**{**saved, **parts})

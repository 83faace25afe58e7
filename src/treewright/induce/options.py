"""How an induced parser is trained: options with open values, and the settings that they resolve to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from treewright.calls import explained, explained_methods
from treewright.checks import Count, Positive, check_fields, read_plain
from treewright.errors import InputError
from treewright.induce.convex_mst import ConvexMstOptions
from treewright.induce.dmv import UNLIMITED, Limits
from treewright.induce.joint import JointOptions

METHODS = ("best", "joint", "dmv", "lc-dmv", "convex-mst")
JOINT_METHODS = ("best", "joint")  # methods that train both models
RULES = {"best": "content"}  # default set of rules by method; "ud" for the others (docs/figures.md)
STARTS = {"best": "uniform"}  # default start of EM by method; "klein-manning" for the others (docs/figures.md)


@explained_methods
@dataclass(frozen=True)
class InductionOptions:
    """Options of induction; docs/figures.md says how the defaults were chosen."""

    method: str = "joint"
    max_length: Positive = 15  # longer training sentences are left out, as in the published protocol
    clusters: Count = 0  # number of word classes to learn in place of tags; 0: use the tags
    rules: str | None = None  # name of a set, or a file; None: the method's default
    start: str | None = None  # initial parameters of EM; None: the method's default
    iterations: Count = 20  # of EM
    features: bool = False  # softmax parameters of the DMV, fitted by L-BFGS instead of EM
    hard: bool = False  # Viterbi EM
    seed: Count = 1  # of random starts
    limits: Limits = field(default_factory=Limits)
    convex: ConvexMstOptions = field(default_factory=ConvexMstOptions)
    joint: JointOptions = field(default_factory=JointOptions)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"there is no method {self.method!r}; there are {', '.join(METHODS)}")
        if self.clusters and self.method not in {"dmv", "lc-dmv"}:
            raise InputError(
                f"{self.method} needs rules, and rules need tags: with clusters the method is lc-dmv or dmv"
            )
        if self.features and self.hard:
            raise InputError("features are fitted by L-BFGS, not by Viterbi EM: leave out one of them")
        check_fields(self)


@explained_methods
@dataclass(frozen=True)
class InductionSettings:
    """The options of a training with every value chosen; saved with the model.

    Training adds what it learns from the corpus: `limits.leaves` of word classes, and a balanced `joint.weight`.
    """

    method: str
    max_length: int
    clusters: int
    rules: str
    start: str
    iterations: int
    features: bool
    hard: bool
    seed: Count
    limits: Limits  # of the DMV: none for the method dmv; joint training has a length bias of its own
    convex: ConvexMstOptions
    joint: JointOptions

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> InductionSettings:
        """The inverse of `to_json`; values that older files leave open (null) are resolved."""
        return resolve(read_plain(values, InductionOptions, "options"))


@explained
def resolve(options: InductionOptions | InductionSettings) -> InductionSettings:
    """Every value that training depends on: those given, and the others by the method. Settings stay as they are.

    >>> settings = resolve(InductionOptions(method="best"))
    >>> settings.rules, settings.start, settings.limits.length_bias
    ('content', 'uniform', 0.1)
    """
    if isinstance(options, InductionSettings):
        return options
    values = vars(options) | {
        "rules": options.rules or RULES.get(options.method, "ud"),
        "start": options.start or STARTS.get(options.method, "klein-manning"),
        "limits": resolve_limits(options),
    }
    return InductionSettings(**values)


def resolve_limits(options: InductionOptions) -> Limits:
    """The limits of the DMV."""
    if options.method == "dmv":
        return UNLIMITED
    if options.method in JOINT_METHODS:
        return replace(options.limits, length_bias=options.joint.length_bias)
    return options.limits

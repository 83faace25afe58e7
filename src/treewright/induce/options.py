"""How an induced parser is trained."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from treewright.checks import Count, Positive, check_fields
from treewright.errors import InputError
from treewright.induce.convex_mst import ConvexMstOptions
from treewright.induce.dmv import UNLIMITED, Limits
from treewright.induce.joint import JointOptions

METHODS = ("best", "joint", "dmv", "lc-dmv", "convex-mst")
JOINT_METHODS = ("best", "joint")  # methods that train both models
RULES = {"best": "content"}  # default set of rules by method; "ud" for the others (docs/figures.md)
STARTS = {"best": "uniform"}  # default start of EM by method; "klein-manning" for the others (docs/figures.md)


@dataclass(frozen=True)
class InductionOptions:
    """Options of induction, saved with the model; docs/figures.md says how the defaults were chosen.

    Training fills in the defaults of the method (`resolve`) and a balanced `joint.weight`.
    """

    method: str = "joint"
    max_length: Positive = 15  # longer training sentences are left out, as in the published protocol
    rules: str = ""  # name of a set, or a file; "": the method's default
    start: str = ""  # initial parameters of EM; "": the method's default
    iterations: Count = 20  # of EM
    limits: Limits = field(default_factory=Limits)
    convex: ConvexMstOptions = field(default_factory=ConvexMstOptions)
    joint: JointOptions = field(default_factory=JointOptions)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"there is no method {self.method!r}; there are {', '.join(METHODS)}")
        check_fields(self)


def resolve(options: InductionOptions) -> InductionOptions:
    """Fill in the defaults of the method; options that are resolved stay as they are.

    >>> settings = resolve(InductionOptions(method="best"))
    >>> settings.rules, settings.start, settings.limits.length_bias
    ('content', 'uniform', 0.1)
    """
    limits = options.limits
    if options.method == "dmv":
        limits = UNLIMITED
    elif options.method in JOINT_METHODS:
        limits = replace(limits, length_bias=options.joint.length_bias)
    return replace(
        options,
        rules=options.rules or RULES.get(options.method, "ud"),
        start=options.start or STARTS.get(options.method, "klein-manning"),
        limits=limits,
    )

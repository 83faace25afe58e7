"""How a parser is built and trained: frozen options, saved with the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from treewright.errors import InputError

MODELS = {
    "arc": "arcs alone",
    "sib": "arcs and adjacent siblings",
    "grand": "arcs, adjacent siblings and grandparents",
}
LEARNERS = {
    "crf": "the probability of the gold tree among all trees, with a margin",
    "perceptron": "averaged perceptron; every head chooses by itself, tree or not",
    "mira": "one wrong tree a sentence, and as long a step as it takes to tell it from the gold one by its errors",
    "pa": "the tree that is both wrong and good, and passive-aggressive steps",
}
RUNS, ENOUGH_WORDS = 3, 125_000  # so many runs for a small treebank, one for a large one
FLOOR, ENOUGH_SENTENCES = 10.0, 3000  # a smaller treebank has a lower floor in proportion, down to LOWEST
LOWEST = 3.0
SIBLINGS = {"sib", "grand"}
GRANDPARENTS = {"grand"}


@dataclass(frozen=True)
class Pruning:
    """The arc-factored model that chooses candidate heads, and how many it leaves."""

    bits: int = 20
    epochs: int = 2
    rate: float = 0.05
    floor: float = 0.001
    folds: int = 2  # training sentences are pruned by models that have not seen them
    threshold: float = 0.001  # of the best head's marginal
    max_heads: int = 10


@dataclass(frozen=True)
class Scoring:
    """The model of arcs, siblings and grandparents."""

    bits: int = 24
    epochs: int | None = None  # None: as many as the number of sentences asks for
    rate: float = 0.05
    floor: float | None = None  # None: lower for few sentences
    cost: float = 1.0  # margin of the gold tree for each wrong arc
    common: int = 150  # frequent words that the atom `common` names
    runs: int | None = None  # from nothing, sharing the epochs, whose weights are averaged; None: more for few words
    most: float = 0.01  # the longest step of the learner "pa"


@dataclass(frozen=True)
class Labelling:
    """The model that labels the arcs of a tree."""

    bits: int = 22
    epochs: int = 4
    rate: float = 0.1
    floor: float = 10.0
    cost: float = 1.0


@dataclass(frozen=True)
class Options:
    """Everything that training depends on beside the data. None: decided by the data, and then saved."""

    model: str = "grand"
    projective: bool | None = None
    root: str | None = None  # "single" or "multi"
    seed: int = 1
    learner: str = "crf"  # of the scorer
    pruning: Pruning = field(default_factory=Pruning)
    scoring: Scoring = field(default_factory=Scoring)
    labelling: Labelling = field(default_factory=Labelling)

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InputError(f"there is no model {self.model!r}; there are {', '.join(MODELS)}")
        if self.learner not in LEARNERS:
            raise InputError(f"there is no learner {self.learner!r}; there are {', '.join(LEARNERS)}")
        if self.root not in (None, "single", "multi"):
            raise InputError(
                f"root is {self.root!r}; it is 'single', 'multi', or None to read it off the training data"
            )

    @property
    def siblings(self) -> bool:
        """Whether the model scores adjacent siblings."""
        return self.model in SIBLINGS

    @property
    def grandparents(self) -> bool:
        """Whether the model scores grandparents."""
        return self.model in GRANDPARENTS

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Options:
        """From what `to_json` gave."""
        parts = {"pruning": Pruning, "scoring": Scoring, "labelling": Labelling}
        known = {entry.name for entry in fields(cls)}
        return cls(
            **{
                name: parts[name](**value) if name in parts else value
                for name, value in values.items()
                if name in known
            }
        )


def epochs_of(rules: Pruning | Scoring | Labelling, sentences: int) -> int:
    """As many as asked for; otherwise five, which are enough, or up to eight for a small treebank.

    >>> [epochs_of(Scoring(), sentences) for sentences in (900, 2500, 12000)], epochs_of(Scoring(epochs=3), 900)
    ([8, 6, 5], 3)
    """
    return rules.epochs or min(8, max(5, -(-15_000 // sentences)))


def fitted(options: Options, sentences: int, words: int) -> Scoring:
    """Runs, epochs and floor of the scorer for a treebank of that size, where they are not given.

    >>> small, large = fitted(Options(), 900, 20_000), fitted(Options(), 12_000, 200_000)
    >>> (small.runs, small.epochs, small.floor), (large.runs, large.epochs, large.floor)
    ((3, 6, 3.0), (1, 5, 10.0))
    """
    scoring = options.scoring
    fitting = max(1, min(RUNS, ENOUGH_WORDS // max(1, words))) if options.learner == "crf" else 1
    runs = scoring.runs or fitting
    epochs = 2 * runs if runs > 1 else epochs_of(scoring, sentences)
    floor = max(LOWEST, FLOOR * min(1.0, sentences / ENOUGH_SENTENCES)) if scoring.floor is None else scoring.floor
    return replace(scoring, runs=runs, epochs=scoring.epochs or epochs, floor=floor)

"""How a parser is built and trained: options with open values, and the settings that they resolve to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from treewright import trees
from treewright.checks import (
    Bits,
    Checked,
    Count,
    NotNegative,
    OneOf,
    Positive,
    Rate,
    Share,
    check_fields,
)
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.features.factors import STYLES
from treewright.graphs.options import GraphOptions
from treewright.learn import Learning
from treewright.learn.engine import restart_epochs
from treewright.parser.coordination import coordination_style
from treewright.parser.network_scores import NetworkWeights

MODELS = {
    "arc": "first order: arcs",
    "sib": "second order: arcs and adjacent siblings",
    "grand": "second order: arcs, adjacent siblings and grandparents",
    "tensor": "second order: grand, with a low-rank tensor that scores arcs by features of head and modifier",
    "outer": "second order: arcs, adjacent siblings and outermost grandchildren; projective",
    "third": "third order: grand, with third-order parts; hill climbing from the tree of grand, without a certificate",
    "full": "third, with global features of trees, and with the tensor",
}
LEARNERS = {
    "crf": "log-linear (CRF) likelihood of the gold tree, with a margin for each wrong arc",
    "perceptron": "averaged perceptron; each head chooses its modifiers independently of the tree",
    "mira": "MIRA updates against the best tree (McDonald & Pereira 2006)",
    "pa": "passive-aggressive (PA-I) updates against the loss-augmented best tree",
}
SIBLINGS = {"sib", "grand", "tensor", "outer", "third", "full"}
GRANDPARENTS = {"grand", "tensor", "outer", "third", "full"}
TENSOR_MODELS = {"tensor", "full"}
FACTOR_MODELS = {"third", "full"}
OUTERMOST = {"outer"}
OPTIONAL = ("graphs", "network", "factors", "tensor")  # settings of what not every parser has
OUTERMOST_LEARNERS = ("crf", "mira", "pa")  # the perceptron decodes each head alone, which has no such scores
MIN_CROSSING_SHARE = 0.002  # a treebank with a smaller share of crossing arcs is parsed projectively; not tuned
# Of the words are in complete trees (not tuned); with fewer, a parser is projective: its sums over partial trees are
# exact, and trees that may cross are not more accurate and take a fifth more time to train (Hungarian-Szeged).
MIN_COMPLETE_SHARE = 0.5

# What the size of the treebank decides of the scorer.
RESTARTS = 3  # of a small treebank: 0.0 to 0.3 UAS better than one on 5 of 6 development sets, three seeds
# Words of the largest treebank that has several. On development sets three are better than one by 0.27 and 0.40 UAS on
# 65,000 words (English-EWT, first 4,000; two seeds), not better with 88,000 (Danish-DDT).
RESTART_WORDS = 75_000
RESTART_EPOCHS = 2  # epochs of each restart, where there are several
MIN_EPOCHS, MAX_EPOCHS = 5, 8  # without restarts; not tuned, the development set chooses among them
EPOCH_SENTENCES = 15_000  # epochs times sentences reach this number, within these limits
MAX_ADAGRAD_EPSILON, MIN_ADAGRAD_EPSILON = 10.0, 3.0
# A treebank below this size has a smaller epsilon in proportion. On six treebanks with three seeds, 3 is between 0.18
# UAS worse and 0.15 better than 10 (mean -0.02): within the range of the seeds. Kept, so that models do not change.
EPSILON_SENTENCES = 3000


@dataclass(frozen=True)
class Pruning(Checked):
    """The arc-factored model that chooses candidate heads, and how many it leaves."""

    bits: Bits = 20
    epochs: Positive = 2
    rate: Rate = 0.05
    adagrad_epsilon: NotNegative = 0.001
    folds: Count = 2  # jackknifing: training sentences are pruned by models that were trained on other folds
    threshold: Share = 0.001  # relative to the marginal of the best head
    max_heads: Positive = 10  # this limit and the threshold are not tuned: higher is slower, with higher recall


@dataclass(frozen=True)
class Scoring(Checked):
    """The model of arcs, siblings and grandparents. None: chosen by the size of the treebank."""

    bits: Bits = 24
    epochs: Positive | None = None
    rate: Rate = 0.05
    adagrad_epsilon: NotNegative | None = None
    margin: NotNegative = 1.0  # of the gold tree for each wrong arc
    common: Count = 150  # the number of frequent words that the atom `common` distinguishes
    restarts: Positive | None = None  # trainings from zero that share the epochs; their weights are averaged
    max_step: NotNegative = 0.01  # the largest step of the learner "pa"


@dataclass(frozen=True)
class ScoringSettings(Scoring):
    """`Scoring` with every value chosen."""

    epochs: Positive = 5
    adagrad_epsilon: NotNegative = 10.0
    restarts: Positive = 1


@dataclass(frozen=True)
class Labelling(Learning):
    """The model that labels the arcs of a tree."""

    bits: Bits = 22
    epochs: Positive = 4
    adagrad_epsilon: NotNegative = 10.0


@dataclass(frozen=True)
class FactorOptions(Learning):
    """The model of third-order parts and global features, which are scored beside the second-order parts.

    margin: of the gold head for each other head of a word.
    """

    bits: Bits = 22
    epochs: Positive = 3
    rate: Rate = 0.05
    adagrad_epsilon: NotNegative = 10.0
    # Of the learned scores. On the development sets of English-EWT (first 4,000), Danish-DDT, Hungarian-Szeged and
    # Turkish-IMST, 0.4, 0.5 and 0.7 differ by at most 0.14 UAS, none is best on all.
    scale: Rate = 0.5
    patience: Count = 0  # climbs from random trees without improvement after which the search ends


@dataclass(frozen=True)
class TensorOptions(Learning):
    """The low-rank tensor over features of the head, of the modifier and of their distance (Lei et al. 2014).

    `tensors` of them are trained, each for itself from other random numbers, and the scores are their mean. The
    parameters are rows of `rank` numbers for each, as many rows as fit in 2^bits numbers. margin: of the gold tree for
    each wrong arc.
    """

    bits: Bits = 23
    rank: Positive = 32
    tensors: Positive = 3  # one alone differs by up to 0.4 UAS between seeds (Hungarian-Szeged dev; docs/figures.md)
    epochs: Positive = 4
    rate: Rate = 0.03
    adagrad_epsilon: NotNegative = 30.0
    # Of the learned scores. UAS of `full` on development sets with 0.5, 0.8, 1 and 1.3: Hungarian-Szeged 84.65, 84.66,
    # 84.47, 84.27; Turkish-IMST 72.19, 72.21, 72.09, 71.92; Danish-DDT 92.12, 92.18, 92.12, 92.10.
    scale: Rate = 0.8
    initial: Rate = 0.05  # rows of features begin with random numbers of at most this size

    @property
    def factor_scale(self) -> float:
        """What each parameter is multiplied by, since a score is the product of three."""
        return float(self.scale ** (1 / 3))


@dataclass(frozen=True)
class FactorSettings(FactorOptions):
    """`FactorOptions`, with what was found in the treebank: how it attaches conjunctions and conjuncts."""

    style: Annotated[int, OneOf(tuple(range(STYLES)))] = 4


@dataclass(frozen=True)
class ParserOptions:
    """Everything that training depends on beside the data. None: chosen from the training data by `resolve`."""

    model: str = "grand"
    projective: bool | None = None
    root: str | None = None  # "single" or "multi"
    seed: Count = 1
    learner: str = "crf"  # of the scorer
    pruning: Pruning = field(default_factory=Pruning)
    scoring: Scoring = field(default_factory=Scoring)
    labelling: Labelling = field(default_factory=Labelling)
    factors: FactorOptions = field(default_factory=FactorOptions)  # of the models "third" and "full"
    tensor: TensorOptions | None = field(default_factory=TensorOptions)  # of "tensor" and "full"; None: without
    label_rules: bool = True  # read rules about labels off the training data and obey them (label_rules.py)
    graphs: GraphOptions | None = None  # train a graph parser too (treewright.graphs)
    network: NetworkWeights | None = None  # of a parser that is trained with a network; None: chosen on dev

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InputError(f"there is no model {self.model!r}; there are {', '.join(MODELS)}")
        if self.learner not in LEARNERS:
            raise InputError(f"there is no learner {self.learner!r}; there are {', '.join(LEARNERS)}")
        if self.root not in (None, "single", "multi"):
            raise InputError(
                f"root is {self.root!r}; expected 'single', 'multi', or None to choose it from the training data"
            )
        check_fields(self)
        if self.model in OUTERMOST and self.projective is False:
            raise InputError(f"model {self.model!r} is projective; leave out projective=False, or train 'grand'")
        if self.model in OUTERMOST and self.learner not in OUTERMOST_LEARNERS:
            raise InputError(f"model {self.model!r} has the learners {', '.join(OUTERMOST_LEARNERS)}")


@dataclass(frozen=True)
class ParserSettings(Checked):
    """The options of a training with every value chosen; saved with the model."""

    model: Annotated[str, OneOf(tuple(MODELS))]
    projective: bool
    root: Annotated[str, OneOf(("single", "multi"))]
    seed: Count = 1
    learner: Annotated[str, OneOf(tuple(LEARNERS))] = "crf"
    pruning: Pruning = field(default_factory=Pruning)
    scoring: ScoringSettings = field(default_factory=ScoringSettings)
    labelling: Labelling = field(default_factory=Labelling)
    label_rules: bool = False
    compare_projective: bool = False  # parse the development data both ways too, and keep what has more right heads
    graphs: GraphOptions | None = None
    network: NetworkWeights | None = None  # None: without a network
    factors: FactorSettings | None = None  # None: second order at most
    tensor: TensorOptions | None = None  # None: without a tensor

    @property
    def siblings(self) -> bool:
        """Whether the model scores adjacent siblings."""
        return self.model in SIBLINGS

    @property
    def grandparents(self) -> bool:
        """Whether the model scores grandparents."""
        return self.model in GRANDPARENTS

    @property
    def outermost(self) -> bool:
        """Whether only outermost grandchildren are scored."""
        return self.model in OUTERMOST

    def to_json(self) -> dict[str, Any]:
        """Return plain values; without those of what the parser does not have: graphs, network, factors, tensor."""
        values = asdict(self)
        return {name: value for name, value in values.items() if value is not None or name not in OPTIONAL}


def where_given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def resolve(options: ParserOptions | ParserSettings, sentences: Sequence[Sentence]) -> ParserSettings:
    """Return every value that training depends on: the options, and what they leave open chosen from the sentences.

    Settings are complete and are returned as they are.

    >>> from treewright.corpus import Treebank
    >>> settings = resolve(ParserOptions(model="sib"), Treebank.read("sample.conllu"))
    >>> settings.model, settings.root, settings.scoring.epochs > 0
    ('sib', 'single', True)
    """
    if isinstance(options, ParserSettings):
        return options
    projective = True if options.model in OUTERMOST else options.projective
    chosen = is_mostly_projective(sentences) if projective is None else projective
    factors = None
    if options.model in FACTOR_MODELS:
        factors = FactorSettings(**vars(options.factors), style=coordination_style(sentences))
    values = vars(options) | {
        "root": options.root or root_kind(sentences),
        "projective": chosen,
        "compare_projective": projective is None and not chosen,
        "scoring": resolve_scoring(options, len(sentences), sum(map(len, sentences))),
        "factors": factors,
        "tensor": options.tensor if options.model in TENSOR_MODELS else None,
    }
    return ParserSettings(**values)


def resolve_scoring(options: ParserOptions, sentences: int, words: int) -> ScoringSettings:
    """Return the settings of the scorer for a treebank of that size.

    >>> small, large = (resolve_scoring(ParserOptions(), *size) for size in ((900, 20_000), (12_000, 200_000)))
    >>> (small.restarts, small.epochs, small.adagrad_epsilon), (large.restarts, large.epochs, large.adagrad_epsilon)
    ((3, 6, 3.0), (1, 5, 10.0))
    >>> resolve_scoring(ParserOptions(learner="pa"), 900, 20_000).restarts
    1
    >>> few = resolve_scoring(ParserOptions(scoring=Scoring(epochs=3)), 900, 20_000)
    >>> few.epochs, few.restarts
    (3, 1)
    """
    scoring = options.scoring
    restarts = scoring.restarts
    if restarts is None:  # several were measured for the log-linear learner only
        restarts = RESTARTS if options.learner == "crf" and words <= RESTART_WORDS else 1
    epochs = RESTART_EPOCHS * restarts
    if restarts == 1:
        epochs = min(MAX_EPOCHS, max(MIN_EPOCHS, -(-EPOCH_SENTENCES // sentences)))
    epsilon = max(MIN_ADAGRAD_EPSILON, MAX_ADAGRAD_EPSILON * min(1.0, sentences / EPSILON_SENTENCES))
    by_size: dict[str, Any] = {"restarts": restarts, "epochs": epochs, "adagrad_epsilon": epsilon}
    settings = ScoringSettings(**by_size | where_given(vars(scoring)))
    return replace(settings, restarts=len(restart_epochs(settings.epochs, settings.restarts)))


def root_kind(sentences: Sequence[Sentence]) -> str:
    """Whether each tree has one word below the root ("single"), or some have several ("multi")."""
    is_single = all(int((sentence.heads == 0).sum()) <= 1 for sentence in sentences)
    return "single" if is_single else "multi"


def is_mostly_projective(sentences: Sequence[Sentence]) -> bool:
    """Whether the share of crossing arcs in complete trees is below MIN_CROSSING_SHARE, or most trees are partial."""
    crossing = arcs = 0
    complete = [sentence for sentence in sentences if -1 not in sentence.head_numbers()]
    for sentence in complete:
        crossing += len(trees.nonprojective_arcs(trees.from_conll(sentence.heads)))
        arcs += len(sentence)
    words = sum(map(len, sentences))
    return crossing < MIN_CROSSING_SHARE * arcs or arcs < MIN_COMPLETE_SHARE * words

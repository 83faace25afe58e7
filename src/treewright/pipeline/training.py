"""Training of a pipeline: a plan of all its parts, in which the parser is trained on predicted tags.

A parser alone, perhaps with a network beside it, is planned here too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from typing import Any, TypeVar

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.learn import Observer, Plan, StageCost
from treewright.learn.plan import CheckpointPath, prefix_observer, prefix_stages
from treewright.model.checkpoint import Kept, Steps
from treewright.model.component import Corpus, hash_of, hold_out, sentences_of
from treewright.network import Network, NetworkOptions
from treewright.network import options as network_options
from treewright.network.network import origin_of
from treewright.parser import LabelRules, Parser, ParserOptions, ParserSettings, resolve
from treewright.parser.partial import open_cell_notes
from treewright.parser.stages import check_graphs
from treewright.parser.stages import stage_costs as parser_stage_costs
from treewright.pipeline.networks import with_network
from treewright.tagger import Tagger, TaggerOptions
from treewright.tagger import options as tagger_options
from treewright.tagger.full_forms import Entry, FullForms, read_lexicon
from treewright.tagger.options import COLUMNS
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.casing import with_case_noise
from treewright.tokeniser.tokeniser import stage_costs as tokeniser_stage_costs
from treewright.words import Words

# Words of parsed sentences from which tagger and parser learn, for each word of the treebank. On the development set of
# English-EWT they raise the LAS of the linear models from 83.60 to 84.84 (docs/figures.md, "What does a network add?").
PARSED_WORDS = 1.0

K = TypeVar("K", bound=Kept)
Model = TypeVar("Model")


@dataclass(frozen=True)
class Recipe:
    """The options of every part."""

    tokeniser: TokeniserOptions | None = field(default_factory=TokeniserOptions)  # None: the tokeniser works by rules
    tagger: TaggerOptions = field(default_factory=TaggerOptions)
    parser: ParserOptions | ParserSettings = field(default_factory=ParserOptions)
    folds: int = 4  # of the training data; each is tagged by a tagger that was trained on the others
    network: NetworkOptions | None = None  # None: without a network

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"folds is {self.folds}; expected at least 2")

    def with_seed(self, seed: int) -> Recipe:
        """Return the options with this seed for every part."""
        parts = {name: part for name, part in vars(self).items() if name != "folds" and part is not None}
        return replace(self, **{name: replace(part, seed=seed) for name, part in parts.items()})


def plan_training(
    train: Corpus,
    dev: Corpus | None,
    recipe: Recipe,
    words: Words | None,
    parsed: Corpus | None,
    lexicon: FullForms | None,
    make: Callable[[Tokeniser, Tagger, Parser], Model],
) -> Plan[Sentence, Model]:
    """Check the data, choose the settings and list the stages; `make` makes the model of the trained parts."""
    sentences, held_out, others = (sentences_of(corpus, "partial") for corpus in (train, dev, parsed))
    notes = []
    if dev is None:
        sentences, held_out = hold_out(sentences)
        total = len(sentences) + len(held_out)
        notes.append(f"no development data: {len(held_out)} of {total} sentences are held out")
    if not sentences:
        raise InputError("the training data has no sentences")
    notes += open_cell_notes(sentences, held_out)
    check_graphs(sentences, recipe.parser)
    recipe, lacking = fit_to_treebank(recipe, sentences)
    settings = resolve(recipe.parser, sentences)
    training = Training(sentences, held_out, replace(recipe, parser=settings), words, others, read_lexicon(lexicon))
    shown = settings.to_json() | ({} if recipe.network is None else {"network": asdict(recipe.network)})
    stages = pipeline_stages(recipe, settings, sentences)
    return Plan(sentences, held_out, shown, stages, lambda *run: make(*training.run(*run)), [*notes, *lacking])


def fit_to_treebank(recipe: Recipe, sentences: Sequence[Sentence]) -> tuple[Recipe, list[str]]:
    """Leave out what a treebank cannot teach: empty columns, and a tokeniser if it lacks the text; with notes."""
    notes = []
    columns = filled_columns(sentences, recipe.tagger.columns)
    if not columns:
        raise InputError(
            "the training data has neither tags nor lemmas, which a pipeline needs; "
            "`treewright train --only parser` trains a parser on the forms alone"
        )
    if missing := [COLUMNS[name] for name in recipe.tagger.columns if name not in columns]:
        notes.append(f"{' and '.join(missing)} empty in the training data: the tagger will not fill them")
    tokeniser = recipe.tokeniser
    if tokeniser is not None and not has_text(sentences):
        notes.append("neither # text nor SpaceAfter in the training data: raw text will be split by Unicode rules")
        tokeniser = None
    return replace(recipe, tokeniser=tokeniser, tagger=replace(recipe.tagger, columns=columns)), notes


def filled_columns(sentences: Sequence[Sentence], columns: Sequence[str]) -> tuple[str, ...]:
    """Return those of the columns that are not empty throughout.

    >>> filled_columns([Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"])], ["upos", "xpos"])
    ('upos',)
    """
    return tuple(
        name
        for name in columns
        if any(cell != "_" for sentence in sentences for cell in sentence.column(COLUMNS[name]))
    )


def has_text(sentences: Sequence[Sentence]) -> bool:
    """Return whether a treebank says which of its tokens are separated by spaces."""
    return any(
        any(line.startswith("# text =") for line in sentence.comments)
        or any("SpaceAfter=No" in cell for cell in (*sentence.misc, *(token.misc for token in sentence.tokens)))
        for sentence in sentences
    )


def pipeline_stages(recipe: Recipe, settings: ParserSettings, sentences: Sequence[Sentence]) -> list[StageCost]:
    """Return the stages of all parts, in the order in which they are trained."""
    stages = [] if recipe.tokeniser is None else tokeniser_stage_costs(recipe.tokeniser, sentences)
    for prefix in ("", *map(fold_prefix, range(recipe.folds))):
        stages += prefix_stages(prefix, tagger_options.stage_costs(recipe.tagger))
    stages += parser_stage_costs(settings, len(sentences))
    if recipe.network is not None:
        stages += network_options.stage_costs(recipe.network, sum(map(len, sentences)))
    return stages


@dataclass(frozen=True)
class PartTrainer:
    """Trains the parts of a larger training; finished parts are kept beside its checkpoint."""

    steps: Steps
    observer: Observer

    def train(
        self, kind: type[K], name: str, data: Callable[[], tuple[Corpus, ...]], *, prefix: str = "", **settings: Any
    ) -> K:
        """Train a part, or load it if it is finished; its data are made only if they are needed.

        prefix: what stands before the names of its stages; settings: the keywords of its `train`.
        """
        trained: Any = kind
        observer = prefix_observer(prefix, self.observer)
        callbacks = {"report": observer.report, "progress": observer.progress}
        return self.steps.part(
            kind,
            name,
            lambda checkpoint, resume: trained.train(
                *data(), checkpoint=checkpoint, resume=resume, **callbacks, **settings
            ),
        )


@dataclass(frozen=True)
class Training:
    """What the parts of a pipeline are trained on, and how."""

    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    recipe: Recipe
    words: Words | None = None
    parsed: Sequence[Sentence] = ()
    lexicon: Sequence[Entry] = ()

    def run(self, observer: Observer, checkpoint: CheckpointPath, resume: bool) -> tuple[Tokeniser, Tagger, Parser]:
        """Train tokeniser and tagger, a parser on the tags of jackknifed taggers, and perhaps a network beside them."""
        train, dev, recipe = self.train, self.dev, self.recipe
        options = asdict(recipe) | ({"lexicon": hash_of(self.lexicon)} if self.lexicon else {})
        steps = Steps.at(checkpoint, resume, lambda: origin_of([*train, *self.parsed], dev, options, self.words))
        parts = PartTrainer(steps, observer)
        examples = with_parsed(train, self.parsed)
        tokeniser = Tokeniser()
        if recipe.tokeniser is not None:
            tokeniser = parts.train(Tokeniser, "tokeniser", lambda: (train, dev), options=recipe.tokeniser)
        tagger = parts.train(Tagger, "tagger", lambda: (examples, dev), options=recipe.tagger, lexicon=self.lexicon)
        parser = parts.train(
            Parser,
            "parser",
            lambda: (jackknife_tags(examples, recipe, parts, self.lexicon), list(tagger.tag(dev))),
            options=recipe.parser,
            label_rules=LabelRules.for_predicted_tags(train),
        )
        if recipe.network is None:
            return tokeniser, tagger, parser
        network = parts.train(
            Network,
            "network",
            lambda: (train, dev),
            options=recipe.network,
            words=self.words,
            parsed=self.parsed,
        )
        return tokeniser, *with_network(tagger, parser, network, dev)


def with_parsed(train: Sequence[Sentence], parsed: Sequence[Sentence]) -> list[Sentence]:
    """Join a treebank and the first of the parsed sentences, with PARSED_WORDS times as many words at most.

    Parsed sentences with a universal tag or a relation that the treebank does not have are left out.

    >>> dogs = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> other = dogs.with_columns(deprels=["SBJ", "root"])
    >>> len(with_parsed([dogs, dogs], [dogs, other, dogs, dogs, dogs])), len(with_parsed([dogs], []))
    (4, 1)
    """
    tags, labels = ({value for sentence in train for value in getattr(sentence, name)} for name in ("upos", "deprels"))
    fitting = [
        sentence for sentence in parsed if tags.issuperset(sentence.upos) and labels.issuperset(sentence.deprels)
    ]
    room = PARSED_WORDS * sum(map(len, train))
    total = accumulate(map(len, fitting))
    return [*train, *(sentence for sentence, words in zip(fitting, total, strict=True) if words <= room)]


def jackknife_tags(
    train: Sequence[Sentence], recipe: Recipe, parts: PartTrainer, lexicon: Sequence[Entry] = ()
) -> list[Sentence]:
    """Tag each sentence by a tagger that was trained on the other folds; sentence i is in fold i % folds.

    A share of them is in lower case, as in the training of the tagger: the parser learns from the tags of such text.
    """
    folds = min(recipe.folds, len(train))

    def train_without(fold: int) -> Tagger:
        others = [sentence for number, sentence in enumerate(train) if number % folds != fold]
        prefix = fold_prefix(fold)
        how = {"options": recipe.tagger, "lexicon": lexicon}
        return parts.train(Tagger, f"fold{fold + 1}", lambda: (others,), prefix=prefix, **how)

    tagged = with_case_noise(train, recipe.tagger.case_noise, recipe.tagger.seed)
    for fold in range(folds if folds > 1 else 0):
        tagged[fold::folds] = train_without(fold).tag(tagged[fold::folds], confidence=False)
    return tagged


def fold_prefix(fold: int) -> str:
    """Return what stands before the names of the stages of a jackknifed tagger."""
    return f"tagger {fold + 1} "


def plan_parser(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: ParserOptions | ParserSettings,
    *,
    network: NetworkOptions | None = None,
    words: Words | None = None,
    parsed: Sequence[Sentence] = (),
) -> Plan[Sentence, Parser]:
    """Plan the training of a parser and, if there are options for one, of a network that reads the tags too.

    words and parsed are those of `Pipeline.plan`, for the network.
    """
    settings = resolve(options, train)
    alone = Parser.plan(train, dev, options=settings)
    if network is None:
        return alone
    reading = network.reading_tags()

    def fit(observer: Observer, checkpoint: CheckpointPath, resume: bool) -> Parser:
        steps = Steps.at(
            checkpoint, resume, lambda: origin_of([*train, *parsed], dev, {"network": asdict(reading)}, words)
        )
        parts = PartTrainer(steps, observer)
        rules = LabelRules.read(train)
        parser = parts.train(
            Parser, "parser", lambda: (with_parsed(train, parsed), dev), options=settings, label_rules=rules
        )
        trained = parts.train(Network, "network", lambda: (train, dev), options=reading, words=words, parsed=parsed)
        return parser.with_network(trained, dev)

    return replace(
        alone,
        settings={**alone.settings, "network": asdict(reading)},
        stages=[*alone.stages, *network_options.stage_costs(reading, sum(map(len, train)))],
        fit=fit,
    )

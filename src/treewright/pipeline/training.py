"""Training of a whole pipeline; the parser is trained on predicted tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.learn import Progress, Report
from treewright.model.checkpoint import Origin, Steps
from treewright.model.component import hash_of
from treewright.network import NetworkOptions
from treewright.parser import LabelRules, Parser, ParserOptions, ParserSettings
from treewright.tagger import Tagger, TaggerOptions
from treewright.tagger.options import COLUMNS
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.casing import with_case_noise
from treewright.words import Words

# Words of parsed sentences from which tagger and parser learn, for each word of the treebank. On the development set of
# English-EWT they raise the LAS of the linear models from 83.60 to 84.84 (docs/figures.md, "What does a network add?").
PARSED_WORDS = 1.0
OnReport = Callable[[Report], None]
OnNote = Callable[[str], None]


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
        """Every part with this seed."""
        tokeniser = None if self.tokeniser is None else replace(self.tokeniser, seed=seed)
        return replace(
            self,
            tokeniser=tokeniser,
            tagger=replace(self.tagger, seed=seed),
            parser=replace(self.parser, seed=seed),
            network=None if self.network is None else replace(self.network, seed=seed),
        )

    def for_treebank(self, sentences: Sequence[Sentence], note: OnNote) -> Recipe:
        """Without what the treebank cannot teach: its empty columns, and a tokeniser if it does not have the text."""
        columns = filled_columns(sentences, self.tagger.columns)
        if not columns:
            raise InputError(
                "the training data has neither tags nor lemmas, which a pipeline needs; "
                "`treewright train --only parser` trains a parser on the forms alone"
            )
        if missing := [COLUMNS[name] for name in self.tagger.columns if name not in columns]:
            note(f"{' and '.join(missing)} empty in the training data: the tagger will not fill them")
        tokeniser = self.tokeniser
        if tokeniser is not None and not has_text(sentences):
            note("neither # text nor SpaceAfter in the training data: raw text will be split by Unicode rules")
            tokeniser = None
        return replace(self, tokeniser=tokeniser, tagger=replace(self.tagger, columns=columns))

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def filled_columns(sentences: Sequence[Sentence], columns: Sequence[str]) -> tuple[str, ...]:
    """Those of the columns that are not empty throughout.

    >>> filled_columns([Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"])], ["upos", "xpos"])
    ('upos',)
    """
    return tuple(
        name
        for name in columns
        if any(cell != "_" for sentence in sentences for cell in sentence.column(COLUMNS[name]))
    )


def has_text(sentences: Sequence[Sentence]) -> bool:
    """Whether a treebank says which of its tokens are separated by spaces."""
    return any(
        any(line.startswith("# text =") for line in sentence.comments)
        or any("SpaceAfter=No" in cell for cell in (*sentence.misc, *(token.misc for token in sentence.tokens)))
        for sentence in sentences
    )


@dataclass(frozen=True)
class Callbacks:
    """What is called at the end of an epoch and before an example, with the name of the step before the stage."""

    report: OnReport | None = None
    progress: Progress | None = None

    def of(self, step: str) -> dict[str, Any]:
        """The arguments `report` and `progress` of the training of a part."""
        report, progress = self.report, self.progress
        return {
            "report": report and (lambda one: report(replace(one, stage=f"{step}{one.stage}"))),
            "progress": progress and (lambda stage, *counts: progress(f"{step}{stage}", *counts)),
        }


def train_parts(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    recipe: Recipe,
    steps: Steps,
    callbacks: Callbacks,
    parsed: Sequence[Sentence] = (),
) -> tuple[Tokeniser, Tagger, Parser]:
    """A tokeniser, a tagger, and a parser that is trained on the tags of jackknifed taggers."""
    examples = with_parsed(train, parsed)

    def new_tokeniser(checkpoint: Path | None, resume: bool) -> Tokeniser:
        options = recipe.tokeniser
        return Tokeniser.train(train, dev, options=options, checkpoint=checkpoint, resume=resume, **callbacks.of(""))

    def new_tagger(checkpoint: Path | None, resume: bool) -> Tagger:
        options = recipe.tagger
        return Tagger.train(examples, dev, options=options, checkpoint=checkpoint, resume=resume, **callbacks.of(""))

    def new_parser(checkpoint: Path | None, resume: bool) -> Parser:
        tagged = jackknifed_tags(examples, recipe, steps, callbacks), list(tagger.tag(dev))
        rules = LabelRules.for_predicted_tags(train)
        return Parser.train(
            *tagged,
            options=recipe.parser,
            label_rules=rules,
            checkpoint=checkpoint,
            resume=resume,
            **callbacks.of(""),
        )

    tokeniser = Tokeniser() if recipe.tokeniser is None else steps.part(Tokeniser, "tokeniser", new_tokeniser)
    tagger = steps.part(Tagger, "tagger", new_tagger)
    return tokeniser, tagger, steps.part(Parser, "parser", new_parser)


def with_parsed(train: Sequence[Sentence], parsed: Sequence[Sentence]) -> list[Sentence]:
    """The sentences of a treebank and the first of the parsed ones, with PARSED_WORDS times as many words at most.

    Parsed sentences with a universal tag or a relation that the treebank does not have are left out.

    >>> one = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> other = one.with_columns(deprels=["SBJ", "root"])
    >>> len(with_parsed([one, one], [one, other, one, one, one])), len(with_parsed([one], []))
    (4, 1)
    """
    tags, labels = ({value for one in train for value in getattr(one, name)} for name in ("upos", "deprels"))
    fitting = [one for one in parsed if tags.issuperset(one.upos) and labels.issuperset(one.deprels)]
    room = PARSED_WORDS * sum(map(len, train))
    total = accumulate(map(len, fitting))
    return [*train, *(one for one, words in zip(fitting, total, strict=True) if words <= room)]


def jackknifed_tags(train: Sequence[Sentence], recipe: Recipe, steps: Steps, callbacks: Callbacks) -> list[Sentence]:
    """The sentences with the tags of taggers that were trained on the other folds; sentence i is in fold i % folds.

    A share of them is in lower case, as in the training of the tagger: the parser learns from the tags of such text.
    """
    found = with_case_noise(train, recipe.tagger.case_noise, recipe.tagger.seed)
    folds = min(recipe.folds, len(train))
    for fold in range(folds if folds > 1 else 0):
        others = [sentence for place, sentence in enumerate(train) if place % folds != fold]
        tagger = steps.part(
            Tagger, f"fold{fold + 1}", fold_trainer(others, recipe.tagger, callbacks.of(fold_name(fold)))
        )
        found[fold::folds] = tagger.tag(found[fold::folds], confidence=False)
    return found


def fold_trainer(
    others: Sequence[Sentence], options: TaggerOptions, callbacks: dict[str, Any]
) -> Callable[[Path | None, bool], Tagger]:
    """The training of a jackknifed tagger."""
    return lambda checkpoint, resume: Tagger.train(
        others, options=options, checkpoint=checkpoint, resume=resume, **callbacks
    )


def fold_name(fold: int) -> str:
    """The name of a jackknifed tagger before its stages."""
    return f"tagger {fold + 1} "


def origin_of(train: Sequence[Sentence], dev: Sequence[Sentence], recipe: Recipe, words: Words | None) -> Origin:
    """What the training of a pipeline depends on."""
    training, development = (hash_of(str(sentence).encode() for sentence in some) for some in (train, dev))
    of_words = None if words is None else words.fingerprint()
    return Origin.now(training, development, recipe.to_json() | {"words": of_words})

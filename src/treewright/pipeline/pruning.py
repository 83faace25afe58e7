"""Smaller model files: small weights are set to zero, the others are quantised to eight bits.

How small is chosen by hand (`prune_weights`), or on development data (`lighten`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.checks import NotNegative, check
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.learn import Observer, Plan, Report, Weights
from treewright.learn.plan import CheckpointPath
from treewright.parser import Parser
from treewright.pipeline.pipeline import Pipeline
from treewright.tagger import Tagger
from treewright.tokeniser import Tokeniser
from treewright.tokeniser.tokeniser import text_and_ends

# Shares that `lighten` tries for each table, the largest first. Weights have 127 steps: 0.01 removes those of one step.
SHARES = {"parser": (0.05, 0.04, 0.03, 0.02, 0.01), "labeller": (0.03, 0.02, 0.01), "tagger": (0.02, 0.01)}
FIGURES = ("UPOS", "UFeats", "Lemmas", "LAS")  # none of them may lose more
MAX_LOSS = 0.1  # points of F1 on development data


def lighten(pipeline: Pipeline, dev: Sequence[Sentence], observer: Observer | None = None) -> Pipeline:
    """Return a pruned copy of the pipeline, calibrated on dev, that loses at most 0.1 points of LAS and of tags there.

    F1 is measured from the raw text of the sentences of dev that have complete trees. For one table after the other,
    the largest share (`prune_weights`) is taken that keeps the figures; observer is given the LAS of each attempt.

    >>> import treewright as tw
    >>> nlp = Pipeline(Tokeniser(), Tagger.train("sample.conllu"), Parser.train("sample.conllu", model="arc"))
    >>> lighten(nlp, list(tw.read("sample.conllu")))("The bridge creaked.")[0].upos
    ['DET', 'NOUN', 'VERB', 'PUNCT']
    """
    from treewright.evaluate import evaluate  # imported on use: only this function needs it

    gold = [sentence for sentence in dev if -1 not in sentence.head_numbers()]
    if not gold:
        raise InputError("a light model is chosen by its LAS, but no development sentence has a complete tree")
    text = text_and_ends(gold)[0]
    attempts = sum(map(len, SHARES.values()))

    def judge(candidate: Pipeline, number: int) -> NDArray[np.float64]:
        scores = evaluate(gold, candidate(text, confidence=False)).scores
        figures = np.array([100 * scores[name].f1 for name in FIGURES])
        if observer is not None and observer.report is not None:
            observer.report(Report("light", number, attempts, figures={"las": float(figures[-1])}))
        return figures

    needed = judge(pipeline, 0) - MAX_LOSS
    chosen: dict[str, float] = {}
    number = 0
    for table, shares in SHARES.items():
        for share in shares:
            number += 1
            if np.all(judge(prune_weights(pipeline, **{**chosen, table: share}), number) >= needed):
                chosen[table] = share
                break
    return prune_weights(pipeline, **chosen).calibrate(gold)


def plan_light(plan: Plan[Sentence, Pipeline]) -> Plan[Sentence, Pipeline]:
    """Return the plan of a training whose model is made light at the end."""

    def fit(observer: Observer, checkpoint: CheckpointPath, resume: bool) -> Pipeline:
        return lighten(plan.fit(observer, checkpoint, resume), plan.dev, observer)

    return replace(plan, settings={**plan.settings, "light": True}, fit=fit)


def prune_weights(
    pipeline: Pipeline,
    *,
    parser: float = 0.0,
    labeller: float = 0.0,
    tagger: float = 0.0,
    tokeniser: float = 0.0,
) -> Pipeline:
    """Return a copy of the pipeline whose file is smaller.

    parser, labeller, tagger, tokeniser: in each table, weights smaller than this share of the largest become zero; the
    others are quantised to 127 steps on either side of zero, as the weights of parsers and taggers already are. parser
    is the share for the table of the scorer, the largest of a parser, labeller the one for its relations; the table of
    its pruner is kept. An induced parser is kept as it is.

    >>> import treewright as tw
    >>> prune_weights(tw.load("en"), parser=0.02, tagger=0.02)("It rains.")[0].upos
    ['PRON', 'VERB', 'PUNCT']
    """
    shares = {"parser": parser, "labeller": labeller, "tagger": tagger, "tokeniser": tokeniser}
    for name, share in shares.items():
        check(share, NotNegative, name)
    trees = pipeline.parser
    if isinstance(trees, Parser):
        trees = Parser(
            replace(
                trees.model,
                scorer=without_small_weights(trees.model.scorer, parser),
                labeller=without_small_weights(trees.model.labeller, labeller),
            )
        )
    words = pipeline.tagger.model
    tags = replace(
        words,
        weights=without_small_weights(words.weights, tagger),
        lemma_weights=without_small_weights(words.lemma_weights, tagger),
    )
    boundaries = pipeline.tokeniser.model
    if boundaries is not None:
        boundaries = replace(boundaries, weights=quantise(boundaries.weights, tokeniser))
    return Pipeline(Tokeniser(boundaries), Tagger(tags), trees, pipeline.metadata)


def without_small_weights(weights: Weights, share: float) -> Weights:
    """Set weights below a share of the largest to zero.

    >>> without_small_weights(Weights(np.array([127, -20, 3], dtype=np.int8), 0.1), 0.05).values.tolist()
    [127, -20, 0]
    """
    values = weights.values
    # In sixteen bits, because eight cannot represent -(-128).
    kept = np.where(np.abs(values.astype(np.int16)) < share * 127, 0, values).astype(np.int8)
    return Weights(kept, weights.scale)


def quantise(numbers: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """Round to multiples of a 127th of the largest number; those below a share of the largest are zero."""
    small = without_small_weights(Weights.of(numbers), share)
    return np.asarray(small.values * np.float32(small.scale), dtype=np.float32)

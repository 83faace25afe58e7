"""Smaller model files: small weights are set to zero, the others are quantised to eight bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.checks import NotNegative, check
from treewright.learn import Weights
from treewright.parser import Parser
from treewright.pipeline.pipeline import Pipeline
from treewright.tagger import Tagger
from treewright.tokeniser import Tokeniser


def prune_weights(pipeline: Pipeline, *, parser: float = 0.0, tagger: float = 0.0, tokeniser: float = 0.0) -> Pipeline:
    """Return a copy of the pipeline whose file is smaller.

    parser, tagger, tokeniser: in each table, weights smaller than this share of the largest become zero; the others are
    quantised to 127 steps on either side of zero, as the weights of parsers and taggers already are. Of a parser's
    tables only the scorer's is pruned: the tables of pruner and labeller are small. An induced parser is kept as it is.

    >>> import treewright as tw
    >>> prune_weights(tw.load("en"), parser=0.02, tagger=0.02)("It rains.")[0].upos
    ['PRON', 'VERB', 'PUNCT']
    """
    for name, share in (("parser", parser), ("tagger", tagger), ("tokeniser", tokeniser)):
        check(share, NotNegative, name)
    trees = pipeline.parser
    if isinstance(trees, Parser):
        trees = Parser(replace(trees.model, scorer=without_small_weights(trees.model.scorer, parser)))
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

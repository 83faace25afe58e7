"""Smaller models: weights that hardly count are dropped, the others are rounded to what eight bits can tell apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.learn import Weights
from treewright.parser import Parser
from treewright.pipeline.pipeline import Pipeline
from treewright.tagger import Tagger, Tokeniser


def prune_weights(pipeline: Pipeline, *, parser: float = 0.0, tagger: float = 0.0, tokeniser: float = 0.0) -> Pipeline:
    """A pipeline whose file is smaller.

    Of a table of weights those go that are smaller than this share of its largest; the rest is rounded to 127 steps
    on either side of zero, which is what a parser's weights are already. Of a parser's tables only the scorer's loses
    any: the others are small, and count more. An induced parser is kept as it is.
    """
    trees = pipeline.parser
    if isinstance(trees, Parser):
        trees = Parser(replace(trees.model, scorer=dropped(trees.model.scorer, parser)))
    words = pipeline.tagger.model
    tags = replace(words, weights=dropped(words.weights, tagger), lemma_weights=dropped(words.lemma_weights, tagger))
    cuts = pipeline.tokeniser.model
    cutter = None if cuts is None else replace(cuts, weights=rounded(cuts.weights, tokeniser))
    return Pipeline(Tokeniser(cutter), Tagger(tags), trees, pipeline.metadata)


def dropped(weights: Weights, share: float) -> Weights:
    """Without the weights below a share of the largest.

    >>> dropped(Weights(np.array([127, -20, 3], dtype=np.int8), 0.1), 0.05).values.tolist()
    [127, -20, 0]
    """
    values = weights.values
    # As sixteen bits, for there is no -(-128) in eight.
    kept = np.where(np.abs(values.astype(np.int16)) < share * 127, 0, values).astype(np.int8)
    return Weights(kept, weights.scale)


def rounded(numbers: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """Multiples of a 127th of the largest, those below a share of it zero."""
    eight = dropped(Weights.of(numbers), share)
    return np.asarray(eight.values * np.float32(eight.scale), dtype=np.float32)

"""From raw text to trees: tokeniser, tagger and parser in one model."""

from treewright.pipeline.pipeline import Pipeline
from treewright.pipeline.pruning import lighten, prune_weights
from treewright.pipeline.reading import guess_input, read_input
from treewright.pipeline.session import Session

__all__ = ["Pipeline", "Session", "guess_input", "lighten", "prune_weights", "read_input"]

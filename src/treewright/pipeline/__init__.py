"""From raw text to trees: tokeniser, tagger and parser in one model."""

from treewright.pipeline.pipeline import Pipeline
from treewright.pipeline.pruning import prune_weights
from treewright.pipeline.reading import INPUTS, guess_input, read_input
from treewright.pipeline.writing import OUTPUTS, from_json, guess_output, to_json

__all__ = [
    "INPUTS",
    "OUTPUTS",
    "Pipeline",
    "from_json",
    "guess_input",
    "guess_output",
    "prune_weights",
    "read_input",
    "to_json",
]

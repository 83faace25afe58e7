"""From raw text to trees: tokeniser, tagger and parser in one model."""

from treewright.pipeline.light import lightened
from treewright.pipeline.pipeline import Pipeline
from treewright.pipeline.reading import INPUTS, guess_input, read_input
from treewright.pipeline.writing import OUTPUTS, from_json, guess_output, to_json

__all__ = [
    "INPUTS",
    "OUTPUTS",
    "Pipeline",
    "from_json",
    "guess_input",
    "guess_output",
    "lightened",
    "read_input",
    "to_json",
]

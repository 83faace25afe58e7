"""A kept model file parses as it did when it was written.

It was trained on examples/sample.conllu with the options below; its header has its templates. What changes its parses
(hashing, atoms, distances, rounding) makes every model that users have worthless: it must come with a new format.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from treewright.corpus import read
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring
from treewright.parser.worker import Worker

TESTS = Path(__file__).parents[1]
SAMPLE = TESTS.parent / "examples" / "sample.conllu"
MODEL = TESTS / "data" / "sample.tw"
OPTIONS = ParserOptions(
    "grand",
    projective=False,
    root="single",
    pruning=Pruning(bits=8, folds=2),
    scoring=Scoring(bits=9, epochs=4, common=20),
    labelling=Labelling(bits=8, epochs=4),
)


def write_model() -> None:
    """Make the file, if the format changes."""
    Parser.train(SAMPLE, SAMPLE, options=OPTIONS).save(MODEL)


def test_a_kept_model_parses_as_it_did(golden: Callable[[str, str], None]) -> None:
    parser = Parser.load(MODEL)
    assert parser.options.model == "grand"
    found = []
    worker = Worker(parser.model)
    for sentence in parser.parse(read(SAMPLE)):
        [arcs] = worker.prune(worker.encode([sentence]), parser.model.projective)
        of_heads = arcs.marginal[sentence.heads, np.arange(1, len(sentence) + 1)]
        sentence.misc = [f"{value:.3f}" for value in of_heads.tolist()]
        found.append(str(sentence))
    golden("kept_model.conllu", "\n".join(found))


def test_a_kept_model_has_confidence_without_calibration() -> None:
    parser = Parser.load(MODEL)
    assert parser.model.calibration is None
    for sentence in parser.parse(read(SAMPLE)):
        for confidence in (sentence.head_confidence, sentence.label_confidence):
            assert confidence is not None
            assert ((confidence > 0) & (confidence <= 1)).all()


def test_it_is_small() -> None:
    assert MODEL.stat().st_size < 10_000

"""A small pipeline, trained in a second on sentences made by a grammar."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from oracles.treebank import treebank

from treewright.corpus import Sentence
from treewright.learn import Learning
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring
from treewright.pipeline import Pipeline
from treewright.tagger import Tagger, TaggerOptions
from treewright.tokeniser import Tokeniser

TINY = ParserOptions(pruning=Pruning(bits=10, folds=2), scoring=Scoring(bits=12), labelling=Labelling(bits=10))
PARSER = replace(TINY, model="sib", projective=True)
TAGGER = TaggerOptions(("upos",), tags=Learning(bits=12, epochs=3))


def written(count: int, seed: int) -> list[Sentence]:
    """Sentences that begin with a capital letter."""
    return [
        one.with_columns(
            forms=[one.forms[0].capitalize(), *one.forms[1:]], misc=["_"] * (len(one) - 2) + ["SpaceAfter=No", "_"]
        )
        for one in treebank(count, seed)
    ]


@cache
def pipeline() -> Pipeline:
    """Cuts text by rules."""
    sentences = written(80, 0)
    return Pipeline(Tokeniser(), Tagger.train(sentences, options=TAGGER), Parser.train(sentences, options=PARSER))


def pipeline_file(folder: Path) -> str:
    """Save the pipeline in a folder and return the path of its file."""
    path = folder / "tiny.tw"
    pipeline().save(path)
    return str(path)


def parser_file(folder: Path, options: ParserOptions = PARSER) -> str:
    """Train a parser on generated trees and return the path of its file."""
    path = folder / "model.tw"
    Parser.train(treebank(60), options=options).save(path)
    return str(path)


def text_of(count: int, seed: int) -> str:
    """Raw text in the language of the pipeline, a paragraph for every third sentence."""
    sentences = [sentence.text for sentence in written(count, seed)]
    return "".join(text + ("\n\n" if place % 3 == 2 else " ") for place, text in enumerate(sentences))

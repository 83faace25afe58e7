"""Treewright: from raw text to a treebank and a parser, on a laptop, with proofs.

>>> import treewright as tw
>>> tw.decode.tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]]).heads.tolist()
[-1, 0, 1]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright import (
        annotate,
        checking,
        corpus,
        decode,
        draw,
        errors,
        evaluate,
        grammar,
        graphs,
        induce,
        joint,
        learn,
        network,
        parser,
        pipeline,
        query,
        relax,
        scale,
        tagger,
        tokeniser,
        trees,
        words,
    )
    from treewright.checking import check
    from treewright.corpus import Sentence, Tree, Treebank, read, read_trees, write
    from treewright.guidelines import explain
    from treewright.integrate import from_arrow, from_pandas, to_arrow, to_pandas
    from treewright.model.registry import load
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline
    from treewright.words import Words

__version__ = "0.1.0"

# Subpackage -> the public names that it defines.
_SOURCES: dict[str, tuple[str, ...]] = {
    "checking": ("check",),
    "corpus": ("Sentence", "Tree", "Treebank", "read", "read_trees", "write"),
    "guidelines": ("explain",),
    "integrate": ("from_arrow", "from_pandas", "to_arrow", "to_pandas"),
    "model.registry": ("load",),
    "parser": ("Parser",),
    "pipeline": ("Pipeline",),
    "words": ("Words",),
}
_NAMES = {name: source for source, names in _SOURCES.items() for name in names}

__all__ = [
    "Parser", "Pipeline", "Sentence", "Tree", "Treebank", "Words", "annotate", "check", "checking", "corpus",
    "decode", "draw", "errors", "evaluate", "explain", "from_arrow", "from_pandas", "grammar", "graphs", "induce",
    "joint", "learn", "load", "network", "parser", "pipeline", "query", "read", "read_trees", "relax", "scale",
    "tagger", "to_arrow", "to_pandas", "tokeniser", "trees", "words", "write",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f"treewright.{_NAMES[name]}"), name)
    if name in __all__:  # a subpackage, imported when it is first used: `import treewright` takes as long as NumPy
        return import_module(f"treewright.{name}")
    raise AttributeError(f"module 'treewright' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

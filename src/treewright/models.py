"""Any model that parses: by its file, or by the name of a model that comes with Treewright."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast, overload

from treewright import component, modelfile
from treewright.component import EMBEDDED

if TYPE_CHECKING:
    from treewright.grammar import Collins, LatentGrammar, TreebankGrammar
    from treewright.induce import InducedParser
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline

__all__ = ["EMBEDDED", "GRAMMARS", "PARSERS", "load", "load_grammar", "load_parser"]

PARSERS = ("pipeline", "parser", "induced parser")  # the kinds of models that find dependency trees
GRAMMARS = tuple(component.GRAMMARS.values())  # the kinds of models that find phrase-structure trees


@overload
def load(path: Literal["en"]) -> Pipeline: ...


@overload
def load(path: modelfile.Path) -> Pipeline | Parser | InducedParser | TreebankGrammar | Collins | LatentGrammar: ...


def load(path: modelfile.Path) -> Pipeline | Parser | InducedParser | TreebankGrammar | Collins | LatentGrammar:
    """The model of a name ("en") or a file: a pipeline, a parser that was trained or induced, or a grammar.

    >>> load("en")("It rains.")[0].upos
    ['PRON', 'VERB', 'PUNCT']
    """
    found = component.load(path, *PARSERS, *GRAMMARS)
    return cast("Pipeline | Parser | InducedParser | TreebankGrammar | Collins | LatentGrammar", found)


def load_parser(path: modelfile.Path) -> Pipeline | Parser | InducedParser:
    """The same, for functions that need dependency trees."""
    return cast("Pipeline | Parser | InducedParser", component.load(path, *PARSERS))


def load_grammar(path: modelfile.Path) -> TreebankGrammar | Collins | LatentGrammar:
    """The same, for functions that need phrase-structure trees."""
    return cast("TreebankGrammar | Collins | LatentGrammar", component.load(path, *GRAMMARS))

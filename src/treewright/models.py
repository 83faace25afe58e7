"""Any model that parses: by its file, or by the name of a model that comes with Treewright."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast, overload

from treewright import component, modelfile
from treewright.component import EMBEDDED

if TYPE_CHECKING:
    from treewright.induce import InducedParser
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline

__all__ = ["EMBEDDED", "PARSERS", "load"]

PARSERS = ("pipeline", "parser", "induced parser")  # the kinds of models that parse


@overload
def load(path: Literal["en"]) -> Pipeline: ...


@overload
def load(path: modelfile.Path) -> Pipeline | Parser | InducedParser: ...


def load(path: modelfile.Path) -> Pipeline | Parser | InducedParser:
    """The model of a name ("en") or a file: a pipeline, or a parser that was trained or induced.

    >>> load("en")("It rains.")[0].upos
    ['PRON', 'VERB', 'PUNCT']
    """
    found = component.load(path, *PARSERS)
    return cast("Pipeline | Parser | InducedParser", found)

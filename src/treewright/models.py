"""Any model that parses: by its file, which tells what kind it is, or by the name of one that comes with Treewright."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from treewright import modelfile
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.induce import InducedParser
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline

EMBEDDED = {"en": Path(__file__).parent / "pipeline" / "models" / "en.tw"}  # name -> file


@overload
def load(path: Literal["en"]) -> Pipeline: ...


@overload
def load(path: modelfile.Path) -> Pipeline | Parser | InducedParser: ...


def load(path: modelfile.Path) -> Pipeline | Parser | InducedParser:
    """The model of a name ("en") or a file: a pipeline, or a parser that was trained or induced.

    >>> load("en")("It rains.")[0].upos
    ['PRON', 'VERB', 'PUNCT']
    """
    file = EMBEDDED.get(str(path), path)
    kind = modelfile.read_header(file).get("kind")
    if kind == "treewright pipeline":
        from treewright.pipeline import Pipeline

        return Pipeline.load(file)
    if kind == "treewright parser":
        from treewright.parser import Parser

        return Parser.load(file)
    if kind == "treewright induced parser":
        from treewright.induce import InducedParser

        return InducedParser.load(file)
    makers = "`treewright train`, `treewright induce` or `treewright pack`"
    raise InputError(f"{path}: holds a {kind}; wanted is a model that {makers} wrote")

"""Any model that parses, by its file: what kind it is, the file itself tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright import modelfile
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.induce import InducedParser
    from treewright.parser import Parser


def load(path: modelfile.Path) -> Parser | InducedParser:
    """The parser in a model file: one that `treewright train` or one that `treewright induce` wrote."""
    kind = modelfile.read_header(path).get("kind")
    if kind == "treewright parser":
        from treewright.parser import Parser

        return Parser.load(path)
    if kind == "treewright induced parser":
        from treewright.induce import InducedParser

        return InducedParser.load(path)
    raise InputError(f"{path}: holds a {kind}; wanted is a model that `treewright train` or `treewright induce` wrote")

"""Any model that parses: by its file, or by the name of a model that comes with Treewright."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast, overload

from treewright.model import component, modelfile
from treewright.model.component import EMBEDDED

if TYPE_CHECKING:
    from treewright.grammar import Collins, LatentGrammar, TreebankGrammar
    from treewright.induce import InducedParser
    from treewright.joint import GrammarWithDependencies, GrammarWithTagger
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline
    from treewright.tagger import Tagger

    Grammar: TypeAlias = TreebankGrammar | Collins | LatentGrammar
    Model: TypeAlias = Pipeline | Parser | InducedParser | Grammar | GrammarWithTagger | GrammarWithDependencies

__all__ = [
    "EMBEDDED",
    "GRAMMARS",
    "JOINT_MODELS",
    "PARSERS",
    "load",
    "load_grammar",
    "load_joint",
    "load_parser",
    "load_tagger",
]

PARSERS = ("pipeline", "parser", "induced parser")  # the kinds of models that find dependency trees
GRAMMARS = tuple(component.GRAMMARS.values())  # the kinds of models that find phrase-structure trees
JOINT_MODELS = tuple(component.JOINT_MODELS.values())  # the kinds of grammars that agree with another model


@overload
def load(path: Literal["en"]) -> Pipeline: ...


@overload
def load(path: modelfile.Path) -> Model: ...


def load(path: modelfile.Path) -> Model:
    """The model of a name ("en") or a file: a pipeline, a parser that was trained or induced, a grammar, a joint model.

    >>> load("en")("It rains.")[0].upos
    ['PRON', 'VERB', 'PUNCT']
    """
    return cast("Model", component.load(path, *PARSERS, *GRAMMARS, *JOINT_MODELS))


def load_parser(path: modelfile.Path) -> Pipeline | Parser | InducedParser:
    """The same, for functions that need dependency trees."""
    return cast("Pipeline | Parser | InducedParser", component.load(path, *PARSERS))


def load_tagger(path: modelfile.Path) -> Pipeline | Tagger:
    """A tagger, or a pipeline that has one."""
    kinds = ("pipeline",) if component.opened(path).kind == "pipeline" else ("tagger",)
    return cast("Pipeline | Tagger", component.load(path, *kinds))


def load_grammar(path: modelfile.Path) -> Grammar:
    """The same, for functions that need phrase-structure trees."""
    return cast("Grammar", component.load(path, *GRAMMARS))


def load_joint(path: modelfile.Path) -> GrammarWithTagger | GrammarWithDependencies:
    """The same, for functions that need a grammar that agrees with another model."""
    return cast("GrammarWithTagger | GrammarWithDependencies", component.load(path, *JOINT_MODELS))

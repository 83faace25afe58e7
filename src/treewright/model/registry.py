"""The registry of components: a model is loaded by its file, or by the name of an installed model."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast, overload

from treewright.errors import InputError, MissingComponentError, NameWarning
from treewright.languages.catalogue import match_treebank
from treewright.languages.installed import EMBEDDED, find_model, installed_models
from treewright.model import modelfile
from treewright.model.component import Component, restore
from treewright.model.modelfile import ModelFile

if TYPE_CHECKING:
    from treewright.grammar import Collins, LatentGrammar, TreebankGrammar
    from treewright.induce import InducedParser
    from treewright.joint import GrammarWithDependencies, GrammarWithTagger
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline
    from treewright.tagger import Tagger

    Grammar: TypeAlias = TreebankGrammar | Collins | LatentGrammar
    JointModel: TypeAlias = GrammarWithTagger | GrammarWithDependencies
    Model: TypeAlias = Pipeline | Parser | InducedParser | Grammar | JointModel

REGISTRY = {  # kind -> module and class, imported when it is needed
    "tokeniser": "treewright.tokeniser:Tokeniser",
    "words": "treewright.words:Words",
    "tagger": "treewright.tagger:Tagger",
    "parser": "treewright.parser:Parser",
    "graph parser": "treewright.graphs:GraphParser",
    "induced parser": "treewright.induce:InducedParser",
    "network": "treewright.network:Network",
    "pipeline": "treewright.pipeline:Pipeline",
    "lexicalised grammar": "treewright.grammar:Collins",
    "grammar with dependencies": "treewright.joint:GrammarWithDependencies",
    "grammar with tagger": "treewright.joint:GrammarWithTagger",
    "treebank grammar": "treewright.grammar:TreebankGrammar",
    "latent-variable grammar": "treewright.grammar:LatentGrammar",
}
PARSERS = ("pipeline", "parser", "induced parser")  # kinds that find dependency trees
GRAMMARS = ("treebank grammar", "lexicalised grammar", "latent-variable grammar")  # kinds that find phrase structure
JOINT_MODELS = ("grammar with dependencies", "grammar with tagger")  # grammars that agree with another model
PIPELINE_ROLES = {  # kinds that a pipeline may have -> what they do there
    "tokeniser": "tokeniser",
    "tagger": "tagger",
    "parser": "parser",
    "induced parser": "parser",
    "graph parser": "graph parser",
}

C = TypeVar("C", bound=Component)


@overload
def load(path: Literal["en"] = "en") -> Pipeline: ...


@overload
def load(path: modelfile.Path) -> Model: ...


def load(path: modelfile.Path = "en") -> Model:
    """Load a model by its path, a name or a file: a pipeline, a parser (trained or induced), a grammar, a joint model.

    "en", the English pipeline that comes with Treewright, is loaded if no path is given. Other names are those that
    `treewright models` lists: `treewright get de` makes "de", and packages may offer more.

    >>> load()("It rains.")[0].upos
    ['PRON', 'VERB', 'PUNCT']
    """
    return cast("Model", load_component(path, *PARSERS, *GRAMMARS, *JOINT_MODELS))


def load_parser(path: modelfile.Path, network: bool = True) -> Pipeline | Parser | InducedParser:
    """Load a model that finds dependency trees; network=False: without reading its network, if it has one."""
    if network:
        return cast("Pipeline | Parser | InducedParser", load_component(path, *PARSERS))
    file = open_named(path)
    if file.kind not in PARSERS:
        raise wrong_kind(file, *PARSERS)
    header, arrays = without_part(file.header, "network"), file.arrays(without="network")
    model: Any = restore(component_class(file.kind), file.path, header, arrays)
    return cast(
        "Pipeline | Parser | InducedParser", model if file.kind == "induced parser" else model.without_network()
    )


def load_tagger(path: modelfile.Path) -> Pipeline | Tagger:
    """Load a tagger, or a pipeline that has one."""
    kind = "pipeline" if open_named(path).kind == "pipeline" else "tagger"
    return cast("Pipeline | Tagger", load_component(path, kind))


def load_grammar(path: modelfile.Path) -> Grammar:
    """Load a model that finds phrase-structure trees."""
    return cast("Grammar", load_component(path, *GRAMMARS))


def load_phrase_parser(path: modelfile.Path) -> Grammar | JointModel:
    """Load a grammar, or a grammar that agrees with another model."""
    return cast("Grammar | JointModel", load_component(path, *GRAMMARS, *JOINT_MODELS))


def load_component(path: modelfile.Path, *kinds: str) -> Component:
    """Load the component of a file, which must be of one of these kinds if any are given."""
    file = open_named(path)
    if file.kind not in REGISTRY:
        raise InputError(f"{file.path} is a model of an unknown kind, {file.kind!r}; {modelfile.GET_AGAIN}")
    if kinds and file.kind not in kinds:
        raise wrong_kind(file, *kinds)
    return restore(component_class(file.kind), file.path, file.header, file.arrays())


def load_part(kind: type[C], path: modelfile.Path) -> C:
    """Load the component of a file of its kind, or of a model that has one as a part."""
    file = open_named(path)
    if file.kind == kind.KIND:
        return restore(kind, file.path, file.header, file.arrays())
    if part := find_part(file.header, kind.KIND):
        header, prefix = part
        return restore(kind, file.path, header, file.arrays(prefix))
    raise wrong_kind(file, kind.KIND)


def component_class(kind: str) -> type[Component]:
    """Import the class of a kind."""
    module, _, name = REGISTRY[kind].partition(":")
    imported: type[Component] = getattr(import_module(module), name)
    return imported


def open_named(path: modelfile.Path) -> ModelFile:
    """Open the model file of a name, or of a path. The string "en" is a name; "./en" and Path("en") are paths.

    Names are those of installed models: embedded, made by `treewright get`, or offered by a package.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is {path!r}; expected the path of a model file, or a name such as 'en'")
    if isinstance(path, str) and (model := find_model(path)):
        if os.path.isfile(path):
            kind = "the model that comes with Treewright" if model.origin == "embedded" else "an installed model"
            message = f"{path} is {kind}; write ./{path} for the file of this name"
            warnings.warn(message, NameWarning, stacklevel=4)
        return modelfile.open_model(model.path)
    if not os.path.exists(path):
        raise no_such_model(path)
    return modelfile.open_model(path)


def no_such_model(path: modelfile.Path) -> InputError:
    """Return the error for a path without a file; a word without extension may be meant as a name."""
    if not str(path):
        return InputError("path is empty; expected the name of a model or of a model file")
    if os.path.splitext(path)[1] or os.path.dirname(path):
        return InputError(f"{path}: there is no such file")
    names = ", ".join(model.name for model in installed_models())
    if entry := match_treebank(str(path)):
        return InputError(
            f"{entry.language} is not installed; `treewright get {path}` makes it in a few minutes, from the "
            f"treebank {entry.treebank} ({entry.licence}); installed: {names}"
        )
    return MissingComponentError(f"there is no model {path}, and no file of this name; installed: {names}", "pipeline")


def find_part(header: Mapping[str, Any], kind: str, prefix: str = "") -> tuple[Mapping[str, Any], str] | None:
    """Return the header of a part of this kind, at any depth, and the prefix of its arrays; None if there is none.

    >>> find_part({"parser": {"network": {"labels": 3}}}, "network")
    ({'labels': 3}, 'parser.network.')
    """
    for name, part in header.items():
        if name not in REGISTRY or not isinstance(part, Mapping):
            continue
        path = f"{prefix}{name}."
        if inner := (part, path) if name == kind else find_part(part, kind, path):
            return inner
    return None


def without_part(header: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return a header without the parts of this kind, at any depth.

    >>> without_part({"parser": {"labels": 3, "network": {"labels": 3}}}, "network")
    {'parser': {'labels': 3}}
    """
    return {
        name: without_part(part, kind) if name in REGISTRY and isinstance(part, Mapping) else part
        for name, part in header.items()
        if name != kind
    }


def wrong_kind(file: ModelFile, *kinds: str) -> MissingComponentError:
    """Return the error for a model of another kind than is needed, or for a pipeline that lacks a component."""
    if file.kind == "pipeline" and kinds[0] in PIPELINE_ROLES:
        return MissingComponentError(f"{file.path} is a pipeline without {with_article(kinds[0])}", *kinds)
    name = next((name for name, path in EMBEDDED.items() if path == file.path), file.path)
    needed = alternatives(with_article(kind) for kind in kinds)
    return MissingComponentError(f"{name} is {with_article(file.kind)}, but {needed} is needed", *kinds)


def alternatives(names: Iterable[str]) -> str:
    """
    >>> alternatives(["a tagger"]), alternatives(["a tokeniser", "a tagger", "a parser"])
    ('a tagger', 'a tokeniser, a tagger or a parser')
    """
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def with_article(noun: str) -> str:
    """
    >>> with_article("induced parser"), with_article("tagger"), with_article("words")
    ('an induced parser', 'a tagger', 'a file of words')
    """
    if noun == "words":
        return "a file of words"
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

"""What a component of a model is, and how components are stored in model files and found by their kind.

A component (tokeniser, tagger, parser, graph parser, induced parser, network, pipeline, grammar) is a class of the
protocol `Component`:

| member | meaning |
|---|---|
| `KIND` | its name in the registry, in model files and in messages |
| `FORMAT` | the version of its arrays and its header; raised when older versions cannot read them any more |
| `ARRAYS` | the arrays that every file of this kind has, with their type and shape (None: of any length) |
| `to_arrays` | a header of plain values and named arrays: everything that the component consists of |
| `from_arrays` | the inverse; it raises a ValueError if header and arrays do not fit together |
| `train` | a new component, by `train`, `dev`, `options`, `seed`, `report`, `checkpoint`, `resume` |
| `load`, `save` | from and to a model file; `load` also takes a name ("en"), or a pipeline that has such a part |

A model file holds the header and the arrays of one component. A pipeline is a component that consists of others: the
header of a part is an entry of its header, and the arrays of a part have the name of the part as prefix.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.calls import checked, explained_methods
from treewright.checks import read_plain
from treewright.corpus import Sentence, read
from treewright.errors import InputError, NameWarning
from treewright.learn import Report
from treewright.model import modelfile
from treewright.model.modelfile import DamagedFileError, ModelFile, NewerFormatError, OlderFormatError

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
MAKERS = {  # kind -> the command that makes one
    "tokeniser": "treewright train --only tokeniser TRAIN",
    "words": "treewright words TEXT",
    "tagger": "treewright train --only tagger TRAIN",
    "parser": "treewright train --only parser TRAIN",
    "graph parser": "treewright train --only graphs TRAIN",
    "induced parser": "treewright induce",
    "network": "treewright train --neural TRAIN",
    "pipeline": "treewright train TRAIN",
    "lexicalised grammar": "treewright grammar train --kind collins TREES",
    "grammar with dependencies": "treewright joint train --with dependencies TREES",
    "grammar with tagger": "treewright joint train --with tags TREES",
    "treebank grammar": "treewright grammar train --kind treebank TREES",
    "latent-variable grammar": "treewright grammar train --kind latent TREES",
}
GRAMMARS = {  # name on the command line -> kind
    "treebank": "treebank grammar",
    "collins": "lexicalised grammar",
    "latent": "latent-variable grammar",
}
JOINT_MODELS = {"dependencies": "grammar with dependencies", "tags": "grammar with tagger"}  # the same
PIPELINE_ROLES = {  # kinds that a pipeline may have -> what they do there
    "tokeniser": "tokeniser",
    "tagger": "tagger",
    "parser": "parser",
    "induced parser": "parser",
    "graph parser": "graph parser",
}
EMBEDDED = {"en": Path(__file__).parents[1] / "pipeline" / "models" / "en.tw"}  # name -> file
MAX_WEIGHT = 1e30  # in an array of a model, by convention: far above any use, and no sum overflows
HELD_OUT_PART = 10  # one sentence of so many is held out where there is no development data; by convention

Corpus = str | os.PathLike[str] | Iterable[Sentence]
Arrays = Mapping[str, NDArray[Any]]
ArrayForm = tuple[type[np.generic], tuple[int | None, ...]]
Stored = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # a header of plain values, and arrays by name

C = TypeVar("C", bound="Component")
T = TypeVar("T")


class Component(Protocol):
    """The protocol of a component; the table above says what the members mean."""

    KIND: ClassVar[str]
    FORMAT: ClassVar[int]
    ARRAYS: ClassVar[Mapping[str, ArrayForm]]

    @classmethod
    def train(
        cls: type[C],
        train: Any,
        dev: Any = None,
        *,
        seed: int | None = None,
        options: Any = None,
        report: Callable[[Report], None] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> C:
        """Train on a treebank: a file, or sentences (trees for a grammar); the options depend on the kind."""

    def to_arrays(self) -> Stored:
        """The header and the arrays."""

    @classmethod
    def from_arrays(cls: type[C], source: modelfile.Path, header: Mapping[str, Any], arrays: Arrays) -> C:
        """The component of a header and arrays; `source` is named in messages."""

    @classmethod
    def load(cls: type[C], path: modelfile.Path) -> C:
        """Read a model file."""

    def save(self, path: modelfile.Path) -> None:
        """Write a model file."""


@explained_methods
class Saved:
    """The members of a component that read and write model files and pickles."""

    @classmethod
    def load(cls: type[C], path: modelfile.Path) -> C:
        """The model of a file, or of a name ("en"), or the part of this kind of the model that the file has."""
        return load_as(cls, path)

    @checked
    def save(self: Component, path: modelfile.Path) -> None:
        """Write a model file: safetensors with a JSON header."""
        save(self, path)

    def __reduce__(self: Component) -> tuple[Any, ...]:
        return pickled(self)


def component_class(kind: str) -> type[Component]:
    """The class of a kind."""
    module, _, name = REGISTRY[kind].partition(":")
    found: type[Component] = getattr(import_module(module), name)
    return found


@checked
def opened(path: modelfile.Path) -> ModelFile:
    """The model file of a name, or of a path. The string "en" is a name; "./en" and Path("en") are paths."""
    if isinstance(path, str) and path in EMBEDDED:
        if os.path.isfile(path):
            message = f"{path} is the model that comes with Treewright; write ./{path} for the file of this name"
            warnings.warn(message, NameWarning, stacklevel=4)
        return modelfile.open_model(EMBEDDED[path])
    if not os.path.exists(path):
        raise no_such_model(path)
    return modelfile.open_model(path)


def no_such_model(path: modelfile.Path) -> InputError:
    """The error for a path without a file; a word without extension may be meant as a name."""
    message = f"{path}: there is no such file" if str(path) else "path is empty: there is no such file"
    if not os.path.splitext(path)[1] and not os.path.dirname(path):
        names = ", ".join(EMBEDDED)
        message += f", and no model of this name (there is {names}); `{MAKERS['pipeline']} -o {path}.tw` makes one"
    return InputError(message)


def save(component: Component, path: modelfile.Path, *, pack: bool = False) -> None:
    """Write a model file beside the path and rename it on success."""
    modelfile.save(path, component.KIND, component.FORMAT, *component.to_arrays(), pack=pack)


def load(path: modelfile.Path, *kinds: str) -> Component:
    """The component of a file, which must be of one of these kinds if any are given."""
    file = opened(path)
    if file.kind not in REGISTRY:
        raise InputError(f"{file.path} is a model of an unknown kind, {file.kind!r}; {modelfile.GET_AGAIN}")
    if kinds and file.kind not in kinds:
        raise wrong_kind(file, *kinds)
    return restored(component_class(file.kind), file.path, file.header, file.arrays())


def load_as(kind: type[C], path: modelfile.Path) -> C:
    """The component of a file of its kind, or of a component that has one as a part."""
    file = opened(path)
    if file.kind == kind.KIND:
        return restored(kind, file.path, file.header, file.arrays())
    if place := place_of_part(file.header, kind.KIND):
        header, prefix = place
        return restored(kind, file.path, header, file.arrays(prefix))
    raise wrong_kind(file, kind.KIND)


def place_of_part(header: Mapping[str, Any], kind: str, prefix: str = "") -> tuple[Mapping[str, Any], str] | None:
    """The header of a part of this kind, at any depth, and the prefix of its arrays; None if there is none.

    >>> place_of_part({"parser": {"network": {"labels": 3}}}, "network")
    ({'labels': 3}, 'parser.network.')
    """
    for name, part in header.items():
        if name not in REGISTRY or not isinstance(part, Mapping):
            continue
        place = (part, f"{prefix}{name}.") if name == kind else place_of_part(part, kind, f"{prefix}{name}.")
        if place:
            return place
    return None


def restored(
    kind: type[C],
    source: modelfile.Path,
    header: Mapping[str, Any],
    arrays: Arrays,
    remedy: str = modelfile.GET_AGAIN,
) -> C:
    """The component of a header and arrays, after a check of its format. Every error names the source."""
    try:
        format = read_plain(header.get("format", 0), int, "header.format")
        if format > kind.FORMAT:
            raise NewerFormatError(source, kind.KIND, format, kind.FORMAT)
        if missing := sorted(set(kind.ARRAYS) - set(arrays)):
            raise ValueError(f"the {kind.KIND} lacks the arrays {', '.join(missing)}")
        for name, form in kind.ARRAYS.items():
            check_array(name, arrays[name], *form)
        return kind.from_arrays(source, modelfile.with_new_keys(kind.KIND, header), arrays)
    except (NewerFormatError, OlderFormatError, DamagedFileError):
        raise  # they name the file, and that of a part of a pipeline is the same
    except modelfile.UNREADABLE as error:
        raise DamagedFileError(source, modelfile.problem_of(error), remedy) from None


def check_array(
    name: str, array: NDArray[Any], dtype: type[np.generic], shape: tuple[int | None, ...], limit: float = MAX_WEIGHT
) -> None:
    """Refuse an array of another type or shape, and one with numbers whose sums may not be finite."""
    fits = len(shape) == array.ndim and all(
        length in (None, found) for length, found in zip(shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        found = f"{array.dtype}{list(array.shape)}"
        raise ValueError(f"the array {name} is {found}; expected {np.dtype(dtype)}[{expected}]")
    # minimum and maximum of an array with a NaN are NaN
    if array.dtype.kind == "f" and not -limit <= array.min(initial=0) <= array.max(initial=0) <= limit:
        raise ValueError(f"the array {name} has numbers that are not finite, or above {limit:g}")


def join_parts(parts: Mapping[str, Component]) -> Stored:
    """The headers of several components as entries of one, and all their arrays with the kinds as prefixes."""
    headers: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for kind, part in parts.items():
        header, tables = part.to_arrays()
        headers[kind] = {"format": part.FORMAT, **header}
        arrays |= {f"{kind}.{name}": table for name, table in tables.items()}
    return headers, arrays


def part_of(kind: type[C], source: modelfile.Path, header: Mapping[str, Any], arrays: Arrays) -> C:
    """One of the components that `join_parts` joined."""
    if not isinstance(header.get(kind.KIND), Mapping):
        raise InputError(f"{source}: its header has no {kind.KIND}; pack the models again")
    prefix = f"{kind.KIND}."
    own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    return restored(kind, source, header[kind.KIND], own)


def pickled(component: Component) -> tuple[Any, ...]:
    """What `__reduce__` returns: the function and the arguments that make the component again."""
    header, arrays = component.to_arrays()
    return unpickled, (component.KIND, {"format": component.FORMAT, **header}, arrays)


def unpickled(kind: str, header: Mapping[str, Any], arrays: Arrays) -> Component:
    """The inverse of `pickled`."""
    if kind not in REGISTRY or not isinstance(header, Mapping) or not isinstance(arrays, Mapping):
        raise DamagedFileError("pickle", f"it has no {', '.join(REGISTRY)}", "pickle the model again")
    return restored(component_class(kind), "pickle", header, arrays, "pickle the model again")


def wrong_kind(file: ModelFile, *kinds: str) -> InputError:
    """The error for a model of another kind than is needed, or for a pipeline that lacks a component."""
    if file.kind == "pipeline" and kinds[0] in PIPELINE_ROLES:
        return InputError(
            f"{file.path} is a pipeline without {with_article(kinds[0])}; `{MAKERS[kinds[0]]}` makes one, and "
            f"`treewright pack {file.path} FILE -o NEW` puts it in"
        )
    name = next((name for name, path in EMBEDDED.items() if path == Path(file.path)), file.path)
    needed = alternatives(with_article(kind) for kind in kinds)
    makers = alternatives(f"`{MAKERS[kind]}`" for kind in kinds)
    return InputError(f"{name} is {with_article(file.kind)}, but {needed} is needed; {makers} makes one")


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


# -- training data


def sentences_of(corpus: Corpus | None, check: str = "format") -> list[Sentence]:
    """The sentences of a file, after a check of each, or the sentences given; none for None."""
    if corpus is None:
        return []
    if isinstance(corpus, (str, os.PathLike)):
        return list(read(corpus, check=check))
    return list(corpus)


def hold_out(sentences: Sequence[T]) -> tuple[list[T], list[T]]:
    """Training and development data of a treebank (sentences or trees) without the latter: the last tenth is held out.

    >>> some = [Sentence.from_words([str(number)]) for number in range(25)]
    >>> [[sentence.forms[0] for sentence in part][-2:] for part in hold_out(some)]
    [['21', '22'], ['23', '24']]
    """
    count = max(len(sentences) // HELD_OUT_PART, 1) if len(sentences) > 1 else 0
    cut = len(sentences) - count
    return list(sentences[:cut]), list(sentences[cut:])


def metadata_of(sentences: Sequence[Sentence]) -> dict[str, Any]:
    """What a model file says about the data that it was trained on."""
    return {"sentences": len(sentences), "words": sum(map(len, sentences)), "version": version("treewright")}


def hash_of(texts: Iterable[bytes]) -> str:
    """The SHA-256 of what a training reads, as hexadecimal digits."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text)
    return digest.hexdigest()

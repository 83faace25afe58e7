"""Components of models: the base class that reads and writes their files, and the data that they are trained on.

| member of a component | meaning |
|---|---|
| `KIND` | its name in the registry, in model files and in messages |
| `FORMAT` | the version of its header and arrays; a file of another format is refused |
| `ARRAYS` | the arrays that every file of this kind has, with their type and shape (None: of any length) |
| `train` | make a component of `train`, `dev`, `options`, and the keywords of `treewright.model.run.RunOptions` |
| `to_arrays` | return a header of plain values and named arrays: everything that the component consists of |
| `from_arrays` | make the component of these; a ValueError if header and arrays do not fit together |
| `load`, `save` | read and write a model file; `load` also takes a name ("en"), or a pipeline that has such a part |

A model file holds the header and the arrays of one component. A component may consist of others, as a pipeline does:
the header of a part is an entry of its header, and the arrays of a part have the name of the part as prefix.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright.checks import read_plain
from treewright.corpus import Sentence, read
from treewright.errors import InputError
from treewright.model import modelfile
from treewright.model.modelfile import DamagedFileError, FormatVersionError

if TYPE_CHECKING:
    from treewright.model.run import RunOptions

HELD_OUT_PART = 10  # one sentence of so many is held out where there is no development data; not tuned
MAX_WEIGHT = 1e30  # in an array of a model: far above any use, and no sum overflows

Corpus = str | os.PathLike[str] | Iterable[Sentence]
Arrays = Mapping[str, NDArray[Any]]
ArrayForm = tuple[type[np.generic], tuple[int | None, ...]]
Stored = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # a header of plain values, and arrays by name

T = TypeVar("T")


class Component(ABC):
    """The base class of a component; the table above says what the members mean."""

    KIND: ClassVar[str]
    FORMAT: ClassVar[int]
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {}

    @classmethod
    @abstractmethod
    def train(cls, train: Any, dev: Any = None, *, options: Any = None, **how: Unpack[RunOptions]) -> Self:
        """Train on a treebank: a file, or sentences (trees for a grammar); the options depend on the kind."""

    @abstractmethod
    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, source: modelfile.Path, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """Make the component of a header and arrays; messages name their source."""

    @classmethod
    def load(cls, path: modelfile.Path) -> Self:
        """Load the model of a file, or of a name ("en"), or the part of this kind of the model that the file has."""
        from treewright.model.registry import load_part  # the registry imports this module

        return load_part(cls, path)

    def save(self, path: modelfile.Path) -> None:
        """Write a model file: safetensors with a JSON header."""
        modelfile.save(path, self.KIND, self.FORMAT, *self.to_arrays())

    def __reduce__(self) -> tuple[Any, ...]:
        header, arrays = self.to_arrays()
        return unpickle, (self.KIND, {"format": self.FORMAT, **header}, arrays)


C = TypeVar("C", bound=Component)


def unpickle(kind: str, header: Mapping[str, Any], arrays: Arrays) -> Component:
    """Make the component again that `Component.__reduce__` took apart."""
    from treewright.model.registry import component_class  # the registry imports this module

    return restore(component_class(kind), "pickle", header, arrays)


def restore(kind: type[C], source: modelfile.Path, header: Mapping[str, Any], arrays: Arrays) -> C:
    """Make the component of a header and arrays, after a check of its format. Every error names the source."""
    try:
        format = read_plain(header.get("format", 0), int, "header.format")
        if format != kind.FORMAT:
            raise FormatVersionError(source, kind.KIND, format, kind.FORMAT)
        if missing := sorted(set(kind.ARRAYS) - set(arrays)):
            raise ValueError(f"the {kind.KIND} lacks the arrays {', '.join(missing)}")
        for name, form in kind.ARRAYS.items():
            check_array(name, arrays[name], *form)
        return kind.from_arrays(source, header, arrays)
    except (FormatVersionError, DamagedFileError):
        raise  # they name the file, and that of a part of a pipeline is the same
    except modelfile.UNREADABLE as error:
        raise DamagedFileError(source, modelfile.problem_of(error)) from None


def check_array(
    name: str, array: NDArray[Any], dtype: type[np.generic], shape: tuple[int | None, ...], limit: float = MAX_WEIGHT
) -> None:
    """Refuse an array of another type or shape, and one with numbers whose sums may not be finite."""
    fits = len(shape) == array.ndim and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        lengths = ", ".join("any" if length is None else str(length) for length in shape)
        form = f"{array.dtype}{list(array.shape)}"
        raise ValueError(f"the array {name} is {form}; expected {np.dtype(dtype)}[{lengths}]")
    # minimum and maximum of an array with a NaN are NaN
    if array.dtype.kind == "f" and not -limit <= array.min(initial=0) <= array.max(initial=0) <= limit:
        raise ValueError(f"the array {name} has numbers that are not finite, or above {limit:g}")


def join_parts(parts: Mapping[str, Component]) -> Stored:
    """Return the headers of several components as entries of one, and all their arrays with the kinds as prefixes."""
    headers: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for kind, part in parts.items():
        header, tables = part.to_arrays()
        headers[kind] = {"format": part.FORMAT, **header}
        arrays |= {f"{kind}.{name}": table for name, table in tables.items()}
    return headers, arrays


def part_of(kind: type[C], source: modelfile.Path, header: Mapping[str, Any], arrays: Arrays) -> C:
    """Make one of the components that `join_parts` joined."""
    if not isinstance(header.get(kind.KIND), Mapping):
        raise InputError(f"{source}: its header has no {kind.KIND}; pack the models again")
    return restore(kind, source, header[kind.KIND], with_prefix(arrays, f"{kind.KIND}."))


def with_prefix(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


# -- training data


def sentences_of(corpus: Corpus | None, check: str = "format") -> list[Sentence]:
    """Return the sentences of a file, after a check of each, or the sentences given; none for None."""
    if corpus is None:
        return []
    if isinstance(corpus, (str, os.PathLike)):
        return list(read(corpus, check=check))
    return list(corpus)


def hold_out(sentences: Sequence[T]) -> tuple[list[T], list[T]]:
    """Divide a treebank (sentences or trees) into training and development data: the last tenth is held out.

    >>> training, development = hold_out(range(25))
    >>> training[-2:], development
    ([21, 22], [23, 24])
    """
    count = max(len(sentences) // HELD_OUT_PART, 1) if len(sentences) > 1 else 0
    cut = len(sentences) - count
    return list(sentences[:cut]), list(sentences[cut:])


def metadata_of(sentences: Sequence[Sentence]) -> dict[str, Any]:
    """Return what a model file says about the data that it was trained on."""
    return {"sentences": len(sentences), "words": sum(map(len, sentences)), "version": modelfile.package_version()}


def hash_of(items: Iterable[object]) -> str:
    """Return the SHA-256 of bytes, or of the text of other items, as hexadecimal digits."""
    import hashlib  # imported on use: it loads OpenSSL

    digest = hashlib.sha256()
    for item in items:
        digest.update(item if isinstance(item, bytes) else str(item).encode())
    return digest.hexdigest()

"""A pipeline's model file: the headers and arrays of its three models under their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from treewright import modelfile
from treewright.errors import InputError
from treewright.modelfile import Path
from treewright.parser import file as parsers
from treewright.parser.model import ParserModel
from treewright.tagger import file as taggers
from treewright.tagger import tokeniser as tokenisers
from treewright.tagger.model import TaggerModel
from treewright.tagger.tokeniser import TokeniserModel

FORMAT = 2  # raised when a file can no longer be read by the versions before
KIND = "treewright pipeline"
ROOMS: dict[str, Any] = {"tokeniser": tokenisers, "tagger": taggers, "parser": parsers}
MAKERS = {"tagger": "tag train", "parser": "train"}


@dataclass(frozen=True)
class Loaded:
    """The three models of a file, and what it tells about itself. No tokeniser: rules of Unicode do it."""

    tokeniser: TokeniserModel | None
    tagger: TaggerModel
    parser: ParserModel
    metadata: Mapping[str, Any]


def save_pipeline(
    path: Path,
    tokeniser: TokeniserModel | None,
    tagger: TaggerModel,
    parser: ParserModel,
    metadata: Mapping[str, Any],
    pack: bool,
) -> None:
    """Write the models beside the path and rename the file on success."""
    models = {"tokeniser": tokeniser, "tagger": tagger, "parser": parser}
    header: dict[str, Any] = {"metadata": dict(metadata)}
    arrays: dict[str, NDArray[Any]] = {}
    for name, model in models.items():
        if model is not None:
            part, tables = ROOMS[name].to_parts(model)
            header[name] = {"format": ROOMS[name].FORMAT, **part}
            arrays |= {f"{name}.{table}": array for table, array in tables.items()}
    modelfile.save(path, KIND, FORMAT, header, arrays, pack)


def load_pipeline(path: Path) -> Loaded:
    """The models of a file that `save_pipeline` wrote."""
    header = modelfile.with_new_keys(KIND, modelfile.read_header(path, KIND, FORMAT))
    rooms = {name: room for name, room in ROOMS.items() if name != "tokeniser" or name in header}
    for name, room in rooms.items():
        if not isinstance(header.get(name), dict):
            raise InputError(f"{path}: its header has no {name}; pack the models again")
        if header[name].get("format", 0) > room.FORMAT:
            raise InputError(f"{path}: its {name} was written by a newer Treewright: pip install --upgrade treewright")
    names = [f"{name}.{table}" for name, room in rooms.items() for table in room.NAMES]
    modelfile.read_header(path, KIND, FORMAT, names)
    arrays = modelfile.load_arrays(path, names)
    found = {
        name: room.from_parts(path, header[name], {table: arrays[f"{name}.{table}"] for table in room.NAMES})
        for name, room in rooms.items()
    }
    return Loaded(found.get("tokeniser"), found["tagger"], found["parser"], header.get("metadata", {}))


def join(paths: Sequence[Path]) -> Loaded:
    """The models of three files, in any order, as one; the tokeniser may be missing."""
    names = {room.KIND: name for name, room in ROOMS.items()}
    found: dict[str, Any] = {}
    for path in paths:
        kind = modelfile.read_header(path).get("kind")
        if kind not in names:
            raise InputError(f"{path}: holds a {kind}; wanted are a tokeniser, a tagger and a parser")
        name = names[str(kind)]
        if name in found:
            raise InputError(f"{path}: a second {name}; one of each is wanted")
        found[name] = ROOMS[name].load_model(path)
    for name in ("tagger", "parser"):
        if name not in found:
            raise InputError(f"no {name} among {', '.join(map(str, paths))}; `treewright {MAKERS[name]}` makes one")
    return Loaded(found.get("tokeniser"), found["tagger"], found["parser"], {})

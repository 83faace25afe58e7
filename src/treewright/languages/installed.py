"""Models that have a name: those that come with Treewright, those that `treewright get` made, and those in packages.

A package offers models by entry points of the group `treewright.models`: the name of each is the name of a model, and
the object is the path of its file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.errors import InputError
from treewright.model import modelfile

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FOLDER = Path(__file__).parents[1] / "pipeline" / "models"
EMBEDDED = {name: FOLDER / f"{name}.tw" for name in ("en", "en_phrases")}  # name -> file: a pipeline, a grammar
GROUP = "treewright.models"  # of entry points
NAME = re.compile(r"[a-z][a-z0-9_]*")
SUFFIX = ".tw"


@dataclass(frozen=True)
class InstalledModel:
    """A model with a name, and where it comes from: Treewright itself, `treewright get`, or a package."""

    name: str
    path: Path
    origin: str

    def metadata(self) -> dict[str, Any]:
        """Read what the file says about itself: name, language, treebank, licence, figures."""
        header = modelfile.open_model(self.path).header
        return dict(header.get("metadata") or {})


def home() -> Path:
    """Return the folder of Treewright's data: TREEWRIGHT_HOME, or the user's data folder of the system."""
    if chosen := os.environ.get("TREEWRIGHT_HOME"):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_data_dir("treewright", appauthor=False))


def models_folder() -> Path:
    """Return the folder of the models that `treewright get` made."""
    return home() / "models"


def find_model(name: str) -> InstalledModel | None:
    """Return the installed model with this name: one of Treewright, one that was made, or one of a package."""
    if not NAME.fullmatch(name):
        return None
    if name in EMBEDDED:
        return InstalledModel(name, EMBEDDED[name], "embedded")
    made = models_folder() / (name + SUFFIX)
    if made.is_file():
        return InstalledModel(name, made, "get")
    return next((model for point in entry_points() if point.name == name for model in models_of(point)), None)


def entry_points() -> Iterable[EntryPoint]:
    """Return the entry points of packages that offer models."""
    from importlib import metadata  # imported on use: it takes longer than most of Treewright's modules

    return metadata.entry_points(group=GROUP)


def installed_models() -> list[InstalledModel]:
    """List all installed models by name, each name once."""
    models = {model.name: model for point in entry_points() for model in models_of(point)}
    models |= {path.stem: InstalledModel(path.stem, path, "get") for path in models_folder().glob(f"*{SUFFIX}")}
    models |= {name: InstalledModel(name, path, "embedded") for name, path in EMBEDDED.items()}
    return [models[name] for name in sorted(models)]


def models_of(point: EntryPoint) -> Iterator[InstalledModel]:
    """Yield the model of an entry point, if its file is there; a package that cannot be imported offers none."""
    try:
        path = Path(point.load())
    except (ImportError, AttributeError):
        return
    if path.is_file():
        yield InstalledModel(point.name, path, point.dist.name if point.dist else "package")


def remove_model(name: str) -> Path:
    """Delete a model that `treewright get` made, with its card; return the path of its file."""
    model = find_model(name)
    if model is None:
        made = ", ".join(path.stem for path in sorted(models_folder().glob(f"*{SUFFIX}"))) or "none"
        raise InputError(f"{name} is not installed; models made by `treewright get`: {made}")
    if model.origin == "embedded":
        raise InputError(f"{name} comes with Treewright and cannot be removed")
    if model.origin != "get":
        raise InputError(f"{name} is part of the package {model.origin}; remove it with pip uninstall {model.origin}")
    model.path.unlink()
    card_path(model.path).unlink(missing_ok=True)
    return model.path


def card_path(model: Path) -> Path:
    """Return the path of the card beside a model file."""
    return model.with_suffix(".md")

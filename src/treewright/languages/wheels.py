"""A model as an installable package: a wheel that offers it by an entry point, with its licence and card.

A wheel is a zip file (PEP 427), written here without other tools and without a network. The same model gives the same
bytes.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

from treewright.corpus import replacing
from treewright.errors import InputError
from treewright.languages.cards import card_of
from treewright.languages.installed import GROUP, NAME
from treewright.model import modelfile

TIME = (1980, 1, 1, 0, 0, 0)  # the first that zip files can have: the bytes do not depend on the clock


def write_wheel(model: Path, folder: Path, licence: str | None = None) -> Path:
    """Write the wheel of a model file into a folder and return its path.

    licence: for a model whose metadata do not say it.

    The package is called treewright-model-NAME, after the name in the metadata of the file or, without one, after the
    file. Its version begins with the format of the model, followed by the UD release of the treebank.
    """
    file = modelfile.open_model(model)
    metadata = {"licence": licence, **(file.header.get("metadata") or {})}
    name = str(metadata.get("name") or model.stem)
    if not NAME.fullmatch(name):
        raise InputError(
            f"{model}: {name!r} cannot be the name of a package; rename the file to lower-case letters, digits and _"
        )
    if not metadata.get("licence"):
        raise InputError(f"{model} does not say its licence; add --licence NAME")
    number = f"{file.header['format']}.{metadata.get('release') or 0}"
    package = f"treewright_model_{name}"
    info = f"{package}-{number}.dist-info"
    files = {
        f"{package}/__init__.py": module_text(name),
        f"{package}/{name}.tw": model.read_bytes(),
        f"{package}/MODEL_CARD.md": card_of(metadata).encode(),
        f"{info}/METADATA": metadata_text(name, number, metadata),
        f"{info}/licenses/LICENSE.txt": licence_text(metadata),
        f"{info}/entry_points.txt": f"[{GROUP}]\n{name} = {package}:MODEL\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: treewright\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    path = folder / f"{package}-{number}-py3-none-any.whl"
    content = zip_of(files | {f"{info}/RECORD": record_of(files, f"{info}/RECORD")})
    with replacing(path) as beside:
        beside.write_bytes(content)
    return path


def module_text(name: str) -> bytes:
    """Return the module of the package: it has the path of the model."""
    text = f"""\"\"\"The model {name} for Treewright: treewright.load("{name}").\"\"\"

from pathlib import Path

MODEL = Path(__file__).with_name("{name}.tw")
"""
    return text.encode()


def metadata_text(name: str, number: str, metadata: Mapping[str, Any]) -> bytes:
    """Return the file METADATA: name, version, licence, the Treewright that it needs, and the card as description."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: treewright-model-{name.replace('_', '-')}",
        f"Version: {number}",
        f"Summary: {metadata.get('language', name)} for Treewright",
        f"License: {metadata['licence']}",
        f"Requires-Dist: treewright>={version('treewright')}",
        "Description-Content-Type: text/markdown",
        "",
        card_of(metadata),
    ]
    return "\n".join(lines).encode()


def licence_text(metadata: Mapping[str, Any]) -> bytes:
    """Return the text of the licence, or its name if the model does not have the text."""
    data = metadata.get("training_data", "a treebank")
    text = metadata.get("licence_text") or f"{metadata['licence']}\n"
    return f"This model was trained on {data}, whose licence it has:\n\n{text}".encode()


def record_of(files: Mapping[str, bytes], record: str) -> bytes:
    """Return the file RECORD: the path, hash and size of every file; its own line has only the path."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{record},,\n"]).encode()


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Join files in a zip file; models are compressed already. A pipe gets the same bytes as a file."""
    zipped = BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".tw") else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return zipped.getvalue()

"""The files of a treebank: downloaded from the repository of a UD release, or from a release on disk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from treewright.errors import InputError
from treewright.languages.catalogue import TreebankEntry
from treewright.languages.download import Checksums, NotOnServer, download

RELEASES = "https://raw.githubusercontent.com/UniversalDependencies/UD_{treebank}/r{release}"
PARTS = ("train", "dev", "test")
LICENCE = "LICENSE.txt"

Progress = Callable[[str, int, int | None], None]  # file, bytes so far, bytes of the file if they are known


@dataclass(frozen=True)
class TreebankFiles:
    """The files of a treebank; without `dev` a part of `train` is held out, without `test` figures are from dev."""

    train: Path
    dev: Path | None
    test: Path | None
    licence_text: str  # empty if the treebank has none
    release: str  # of UD; empty if it is unknown


def is_url(source: str) -> bool:
    """Return whether a source is an address, not a folder."""
    return source.startswith(("http://", "https://"))


def fetch(entry: TreebankEntry, source: str, folder: Path, progress: Progress) -> TreebankFiles:
    """Return the files of a treebank from `source`: a folder, or an address whose files are downloaded into `folder`.

    An address may contain {treebank} and {release}. progress is called while a file is downloaded.
    """
    if is_url(source):
        return download_treebank(entry, source, folder, progress)
    return find_on_disk(entry, Path(source))


def cache_name(entry: TreebankEntry, source: str) -> str:
    """Return the name of the folder for the downloaded files of a treebank, another one for each address."""
    name = f"{entry.treebank}-{entry.release}"
    return name if source == RELEASES else f"{name}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"


def download_treebank(entry: TreebankEntry, source: str, folder: Path, progress: Progress) -> TreebankFiles:
    """Download the files that are not in the folder yet, and compare all with their checksums."""
    base = source.replace("{treebank}", entry.treebank).replace("{release}", entry.release).rstrip("/")
    folder.mkdir(parents=True, exist_ok=True)
    checksums = Checksums(folder)

    def get(name: str) -> Path | None:
        path = folder / name
        if checksums.match(path):
            return path
        try:
            download(f"{base}/{name}", path, lambda done, total: progress(name, done, total))
        except NotOnServer:
            if "-train" in name:
                raise
            return None
        checksums.record(path, f"{base}/{name}")
        return path

    train, dev, test = (get(f"{entry.files}-ud-{part}.conllu") for part in PARTS)
    assert train is not None
    return TreebankFiles(train, dev, test, text_of(get(LICENCE)), entry.release)


def find_on_disk(entry: TreebankEntry, folder: Path) -> TreebankFiles:
    """Find the files of a treebank in a release on disk: in UD_Language-Name, in Language-Name, or in the folder."""
    if not folder.is_dir():
        raise InputError(f"--from {folder}: there is no such folder")
    for place in (folder / f"UD_{entry.treebank}", folder / entry.treebank, folder):
        for pattern in (f"{entry.files}-ud-{{}}.conllu", "{}.conllu"):
            train, dev, test, licence = (
                path if path.is_file() else None
                for path in (*(place / pattern.format(part) for part in PARTS), place / LICENCE)
            )
            if train:
                return TreebankFiles(train, dev, test, text_of(licence), release_in(folder))
    expected = f"UD_{entry.treebank}/{entry.files}-ud-train.conllu"
    raise InputError(f"--from {folder}: no files of {entry.treebank}; expected {expected}, or train.conllu")


def release_in(folder: Path) -> str:
    """Return the release in the name of a folder of UD; empty if there is none.

    >>> release_in(Path("data/ud-treebanks-v2.16"))
    '2.16'
    """
    match = re.search(r"v(\d+\.\d+)", folder.resolve().name)
    return match[1] if match else ""


def text_of(path: Path | None) -> str:
    """Return the text of a file; empty without one."""
    return "" if path is None else path.read_text(encoding="utf-8", errors="replace")

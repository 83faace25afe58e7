"""Inputs and output folders: paths of this machine, or URLs that `pyarrow.fs` opens (s3://, gs://, hdfs://, file://).

A file of an output folder appears whole or not at all: on this machine it is written beside its place and renamed, in
an object store an upload appears when it is complete, elsewhere an upload is moved to its place.
"""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol
from uuid import uuid4

from treewright.corpus.files import lock_file, open_input
from treewright.errors import InputError, MissingExtra

JOB = "_job"  # the folder of the plan and the ledger; readers of Parquet folders skip names that begin with "_"
TEMPORARY = ".tmp"
OBJECT_STORES = ("s3", "gcs", "abfs")  # `type_name` of file systems in which a file appears when its upload is complete
STEP = 1 << 20  # bytes read at a time; not tuned


def is_remote(name: str) -> bool:
    return "://" in name


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        from pyarrow import fs
    except ImportError:
        raise MissingExtra("pyarrow", "arrow", f"{url}: a URL") from None
    try:
        system, path = fs.FileSystem.from_uri(url)
    except ValueError as error:
        raise InputError(f"{url}: {error}; expected a path, or a URL such as s3://bucket/folder") from None
    return system, path


def expand(patterns: Sequence[str]) -> list[str]:
    """Return the files that patterns match, each sorted by name; a pattern without a match is an error."""
    names: list[str] = []
    for pattern in patterns:
        matches = expand_remote(pattern) if is_remote(pattern) else expand_local(pattern)
        if not matches:
            raise InputError(f"{pattern}: there is no such file")
        names += matches
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{repeated}: given twice; give each input once")
    return names


def expand_local(pattern: str) -> list[str]:
    if os.path.isdir(pattern):
        raise InputError(f"{pattern}: a folder; give its files, as in '{os.path.join(pattern, '*.txt')}'")
    return [pattern] if os.path.exists(pattern) else sorted(filter(os.path.isfile, glob.glob(pattern, recursive=True)))


def expand_remote(pattern: str) -> list[str]:
    from pyarrow import fs

    if not glob.has_magic(pattern):
        return [pattern]
    folder = pattern[: pattern.rindex("/", 0, next(i for i, c in enumerate(pattern) if c in "*?["))]
    system, path = file_system(folder)
    infos = system.get_file_info(fs.FileSelector(path, recursive=True, allow_not_found=True))
    urls = (folder + info.path[len(path) :] for info in infos if info.type == fs.FileType.File)
    return sorted(url for url in urls if fnmatch.fnmatchcase(url, pattern))


def size_of(name: str) -> int:
    """Return the bytes of an input, as it is stored."""
    if not is_remote(name):
        return os.stat(name).st_size
    system, path = file_system(name)
    info = system.get_file_info(path)
    if info.size is None:
        raise InputError(f"{name}: there is no such file")
    return int(info.size)


def open_stored(name: str) -> IO[bytes]:
    """Open an input as it is stored, for reading at any place."""
    if not is_remote(name):
        return open(name, "rb")
    system, path = file_system(name)
    file: IO[bytes] = system.open_input_file(path)
    return file


def open_unpacked(name: str) -> io.BufferedReader:
    """Open an input for reading bytes, unpacked."""
    return open_input(name) if not is_remote(name) else open_input(name, open_stored(name))  # type: ignore[arg-type]


def digest_of(file: IO[bytes]) -> str:
    """Return the SHA-256 of an open file, read from its start."""
    file.seek(0)
    digest = hashlib.sha256()
    while data := file.read(STEP):
        digest.update(data)
    return digest.hexdigest()


class Folder(Protocol):
    """An output folder. Names are paths in it."""

    name: str

    def sizes(self, folder: str = "") -> dict[str, int]:
        """Return the sizes of the files in the folder itself, or in a folder of it, by their names."""

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none."""

    def writing(self, name: str) -> Any:
        """Open a context with a file, for writing and reading, which appears under its name when the `with` ends."""

    def create(self, name: str, data: bytes) -> bool:
        """Write a file unless there is one; return whether it was written."""

    def sweep(self, prefixes: Collection[str]) -> None:
        """Remove temporary files that processes left which were killed, if their names begin with a prefix."""


def open_folder(name: str) -> Folder:
    """Open an output folder, and make it if there is none."""
    return RemoteFolder(name) if is_remote(name) else LocalFolder(name)


class LocalFolder:
    """A folder of this machine, or of a disk that several machines share."""

    def __init__(self, name: str) -> None:
        self.name = os.path.abspath(name)
        if os.path.exists(name) and not os.path.isdir(name):
            raise InputError(f"{name}: a file; --jobs, --engine, --shards and --to parquet write into a folder")
        Path(self.name, JOB).mkdir(parents=True, exist_ok=True)

    def sizes(self, folder: str = "") -> dict[str, int]:
        with os.scandir(Path(self.name, folder)) as entries:
            return {entry.name: entry.stat().st_size for entry in entries if entry.is_file()}

    def read(self, name: str) -> bytes | None:
        try:
            return Path(self.name, name).read_bytes()
        except FileNotFoundError:
            return None

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        with self._temporary(name) as (file, path):
            yield file
            self._save(file)
            os.replace(path, Path(self.name, name))

    def create(self, name: str, data: bytes) -> bool:
        with self._temporary(name) as (file, path):
            file.write(data)
            self._save(file)
            try:
                os.link(path, Path(self.name, name))
            except FileExistsError:
                return False
            return True

    @contextmanager
    def _temporary(self, name: str) -> Iterator[tuple[IO[bytes], Path]]:
        """Open a temporary file, locked as long as its process lives."""
        path = Path(self.name, JOB, f"{Path(name).name}.{uuid4().hex}{TEMPORARY}")
        with open(path, "x+b") as file:
            lock_file(file.fileno())
            try:
                yield file, path
            finally:
                path.unlink(missing_ok=True)

    @staticmethod
    def _save(file: IO[bytes]) -> None:
        file.flush()
        os.fsync(file.fileno())

    def sweep(self, prefixes: Collection[str]) -> None:
        for path in Path(self.name, JOB).glob(f"*{TEMPORARY}"):
            if path.name.partition(".")[0] not in prefixes:
                continue
            try:
                with open(path, "r+b") as file:
                    if lock_file(file.fileno()):
                        path.unlink()
            except FileNotFoundError:  # its process has just removed it
                continue


class RemoteFolder:
    """A folder behind `pyarrow.fs`. Files are built on this machine, without a name there, and uploaded."""

    def __init__(self, name: str) -> None:
        self.name = name.rstrip("/")
        self._system, self._path = file_system(self.name)
        self._system.create_dir(f"{self._path}/{JOB}", recursive=True)

    def sizes(self, folder: str = "") -> dict[str, int]:
        from pyarrow import fs

        infos = self._system.get_file_info(fs.FileSelector(f"{self._path}/{folder}".rstrip("/"), allow_not_found=True))
        return {info.base_name: info.size for info in infos if info.type == fs.FileType.File}

    def read(self, name: str) -> bytes | None:
        try:
            with self._system.open_input_stream(f"{self._path}/{name}") as file:
                data: bytes = file.read()
                return data
        except FileNotFoundError:
            return None

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            target = f"{self._path}/{name}"
            is_atomic = self._system.type_name in OBJECT_STORES
            beside = target if is_atomic else f"{self._path}/{JOB}/{Path(name).name}.{uuid4().hex}{TEMPORARY}"
            with self._system.open_output_stream(beside) as uploaded:
                shutil.copyfileobj(file, uploaded, STEP)
            if beside != target:
                self._system.move(beside, target)

    def create(self, name: str, data: bytes) -> bool:
        """Write a file unless there is one. Two processes that do it at once must have the same data."""
        if self.read(name) is not None:
            return False
        with self.writing(name) as file:
            file.write(data)
        return True

    def sweep(self, prefixes: Collection[str]) -> None:
        for name in self.sizes(JOB):
            if name.endswith(TEMPORARY) and name.partition(".")[0] in prefixes:
                self._system.delete_file(f"{self._path}/{JOB}/{name}")

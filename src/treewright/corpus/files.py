"""Opening files: compressed input, output that appears only when it is complete.

Input is decompressed according to its first bytes, output is compressed according to the extension of its name.
An output is written to a partial file beside its place and renamed at the end, so that an error, Ctrl-C or a full
disk leaves the old file as it was. The partial file has the name of the output and `.partial`: that of a process which
was killed is replaced by the next one. Compression modules are imported on use: most files are not compressed.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from treewright.errors import FormatError, InputError, MissingExtra

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Source = str | os.PathLike[str] | IO[Any]  # a path, "-" for standard input, or an open file

MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
MAX_CLAIMS = 100  # tries to lock a partial file that other processes move away; not tuned
EXTENSIONS = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstd"}
MODULES = {"gzip": "gzip", "xz": "lzma", "bzip2": "bz2", "zstd": "compression.zstd"}


def name_of(source: Source) -> str:
    """Return the name that messages give to a source."""
    if isinstance(source, (str, os.PathLike)):
        return "<stdin>" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<file>"


def extension_of(name: str) -> str:
    """Return the extension that determines the format.

    >>> extension_of("ud/en-dev.conllu.gz")
    '.conllu'
    """
    path = Path(name)
    return (path.with_suffix("") if path.suffix in EXTENSIONS else path).suffix.lower()


def open_input(path: str | os.PathLike[str], file: io.RawIOBase | None = None) -> io.BufferedReader:
    """Open the file at path ("-" is standard input) for reading bytes, unpacked; a damaged archive is a FormatError.

    file: the open file, if the caller has opened it.

    >>> with open_input("sample.conllu") as file:
    ...     file.readline()
    b'# sent_id = bridge-1\\n'
    """
    raw: io.BufferedReader
    if file is not None:
        raw = io.BufferedReader(file)
    else:
        raw = _stdin() if path == "-" else open(path, "rb")  # noqa: SIM115
    opening = raw.peek(6)
    for magic, packing in MAGIC.items():
        if opening.startswith(magic):
            return io.BufferedReader(Unpacked(raw, packing, name_of(path)), 1 << 17)
    return raw


def _stdin() -> io.BufferedReader:
    file = sys.stdin.buffer
    return cast(io.BufferedReader, file if hasattr(file, "peek") else io.BufferedReader(cast(io.RawIOBase, file)))


class Unpacked(io.RawIOBase):
    """The unpacked bytes of a packed file."""

    def __init__(self, raw: io.BufferedReader, packing: str, name: str) -> None:
        self._raw, self._packing, self.name = raw, packing, name
        self._file = _unpack(raw, packing)

    def fileno(self) -> int:
        return self._raw.fileno()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(len(buffer))
        except _unpacking_errors() as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # an error of the disk, not of the data
            problem = f"the {self._packing} data is damaged or cut short; expected a whole file ({error})"
            raise FormatError(self.name, 0, problem) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed and self._raw is not sys.stdin.buffer:
            self._raw.close()
        super().close()


def _unpack(raw: io.BufferedReader, packing: str) -> Any:
    if packing == "zstd" and sys.version_info < (3, 14):
        return _Zstandard(raw, _zstandard())
    return import_module(MODULES[packing]).open(raw)


class _Zstandard:
    """compression.zstd for older Pythons. (The package's own reader takes a file cut short for a whole one.)"""

    def __init__(self, raw: BinaryIO, package: Any) -> None:
        self._raw = raw
        self._new = package.ZstdDecompressor().decompressobj
        self._frame = self._new()
        self._started = False
        self._data = b""

    def read(self, size: int, /) -> bytes:
        while not self._data:
            packed = self._frame.unused_data if self._frame.eof else b""
            packed = packed or self._raw.read(1 << 16)
            if not packed:
                if self._started and not self._frame.eof:
                    raise EOFError("it ends before the end of a frame")
                return b""
            if self._frame.eof:
                self._frame = self._new()
            self._started = True
            self._data = self._frame.decompress(packed)
        data, self._data = self._data[:size], self._data[size:]
        return data


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("zstandard", "zstd", "a .zst file") from None
    return zstandard


def _unpacking_errors() -> tuple[type[Exception], ...]:
    import lzma
    import zlib

    zstd = sys.modules.get("zstandard") or sys.modules.get("compression.zstd")
    return (EOFError, zlib.error, lzma.LZMAError, OSError) + ((zstd.ZstdError,) if zstd else ())


@contextmanager
def replacing(path: str | os.PathLike[str], part: str | None = None) -> Iterator[Path]:
    """Yield a path beside `path` to write to; it is moved to `path` at the end, removed if anything goes wrong.

    part: where to move it if Ctrl-C interrupts the process, so that what was written is not lost. A symbolic
    link stays, and the file that it leads to is replaced. A device or a pipe is written to itself.

    >>> from pathlib import Path
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "model.tw")) as beside:
    ...         _ = beside.write_bytes(b"weights")
    ...     [file.name for file in Path(folder).iterdir()]
    ['model.tw']
    """
    target = Path(os.path.realpath(path))
    mode = _mode_of_target(path, target)
    is_device = target.exists() and not target.is_file()
    beside = target if is_device else partial_of(target)
    try:
        if is_device:
            yield beside
            return
        with _claim(beside, path):
            yield beside
            if mode is not None:
                os.chmod(beside, mode)
            os.replace(beside, target)
    except BaseException as error:
        if part is not None and isinstance(error, KeyboardInterrupt) and beside.stat().st_size:
            os.replace(beside, part)
        elif not is_device and not isinstance(error, BusyFileError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, os.fspath(beside)):
            error.filename = os.fspath(path)  # the name that the user gave, not that of the temporary file
        raise


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name a file in errors of writing it, which name none when the disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = os.fspath(path)
        raise


class BusyFileError(InputError):
    """Another process writes the same file."""


def partial_of(target: Path) -> Path:
    """Return the file that an output is written to before it is complete."""
    return target.with_name(f"{target.name}.partial")


@contextmanager
def _claim(partial: Path, path: str | os.PathLike[str]) -> Iterator[None]:
    """Make an empty partial file that no other process writes. The claim is a lock, which ends with the process."""
    if fcntl is None:  # Windows cannot rename an open file
        partial.unlink(missing_ok=True)
        yield
        return
    for _ in range(MAX_CLAIMS):
        with open(partial, "ab") as file:
            if not lock_file(file.fileno()):
                break
            if not _is_at(file.fileno(), partial):  # another process has just moved it to its place
                continue
            os.truncate(file.fileno(), 0)
            yield
            return
    raise BusyFileError(f"{os.fspath(path)}: another process is writing it; wait for it, or end it")


def lock_file(descriptor: int) -> bool:
    """Lock a file; False if another process has locked it. On a file system without locks it counts as locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _mode_of_target(path: str | os.PathLike[str], target: Path) -> int | None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not target.exists():
        if not target.parent.is_dir():
            problem = f"there is no folder {target.parent.name}; make it first"
            raise FileNotFoundError(errno.ENOENT, problem, os.fspath(path))
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    return stat.S_IMODE(target.stat().st_mode)


@contextmanager
def open_output(path: str | os.PathLike[str], part: str | None = None) -> Iterator[BinaryIO]:
    """Open a file at path for writing bytes ("-" is standard output), compressed by its extension.

    The file appears when the `with` ends; an error leaves the old file. part: see `replacing`.

    >>> with open_output("words.txt.gz") as file:
    ...     file.write(b"It rains.")
    9
    """
    packing = EXTENSIONS.get(Path(path).suffix, "")
    if path == "-":
        with _stdout() as file:
            yield file
    else:
        with replacing(path, part) as beside, open(beside, "wb") as file, _pack(file, packing) as packed:
            yield packed


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:  # in a notebook, standard output takes text only
        file = io.BytesIO()
        yield file
        sys.stdout.write(file.getvalue().decode())


def _pack(file: BinaryIO, packing: str) -> Any:
    """Return a context that packs what is written into `file`."""
    if not packing:
        return nullcontext(file)
    if packing == "zstd" and sys.version_info < (3, 14):
        return _zstandard().ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False)
    module = import_module(MODULES[packing])
    if packing == "gzip":
        return module.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)  # no date: same input, same bytes
    if packing == "zstd":
        return module.open(file, "wb", options={module.CompressionParameter.checksum_flag: 1})
    return module.open(file, "wb")

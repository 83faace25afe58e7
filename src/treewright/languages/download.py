"""Download of files over HTTP: continued where it broke, with checksums, through the proxies of the environment.

urllib uses the proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name. A file is written to NAME.part and renamed when
all of its bytes are there; a part that is left over is continued with a Range request.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from treewright.corpus import replacing
from treewright.corpus.files import naming
from treewright.errors import InputError

Progress = Callable[[int, int | None], None]  # bytes so far, and of the whole file if the server says so

ATTEMPTS = 5  # of a file whose connection breaks, without a new byte in between; not tuned
PAUSE = 0.5  # seconds before the second attempt, twice as many before each later one; not tuned
TIMEOUT = 30.0  # seconds without an answer; not tuned
BLOCK = 1 << 16  # bytes read at a time; not tuned
BROKEN = (ConnectionError, http.client.HTTPException, TimeoutError)  # a later attempt may succeed


class NotOnServer(InputError):
    """The server has no such file."""


class NoConnection(InputError):
    """The server cannot be reached, or the connection breaks each time."""

    def __init__(self, url: str, reason: object) -> None:
        super().__init__(
            f"{url}: no connection to {urlsplit(url).hostname} ({reason}); run the command again when there is one: "
            "it continues. Behind a proxy, set HTTPS_PROXY=http://host:port; --from FOLDER uses files on disk"
        )


def download(url: str, path: Path, progress: Progress = lambda done, total: None, pause: float = PAUSE) -> None:
    """Download a file to `path`; a part of it that is there already is continued.

    progress is called with the bytes so far; pause: seconds before a second attempt.
    """
    part = path.with_name(path.name + ".part")
    failures = 0
    while True:
        size = part.stat().st_size if part.exists() else 0
        try:
            is_complete = continue_part(url, part, size, progress)
        except BROKEN as error:
            is_complete, reason = False, error
        else:
            reason = ConnectionError("the connection broke")
        if is_complete:
            os.replace(part, path)
            return
        failures = 0 if part.exists() and part.stat().st_size > size else failures + 1
        if failures == ATTEMPTS:
            raise NoConnection(url, reason)
        time.sleep(pause * 2**failures)


def continue_part(url: str, part: Path, size: int, progress: Progress) -> bool:
    """Request the bytes after the first `size` and append them to the part; return whether the file is complete."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={size}-"} if size else {})
    try:
        # A new opener, for urlopen keeps the proxies of its first call.
        answer = urllib.request.build_opener().open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        with error:  # it is an answer, whose connection is closed here
            return handle_refusal(url, part, size, error)
    except urllib.error.URLError as error:
        if isinstance(error.reason, BROKEN):
            raise error.reason from None
        raise NoConnection(url, error.reason) from None
    with answer:
        is_continued = answer.status == 206
        length = answer.headers.get("Content-Length")
        begin = size if is_continued else 0
        total = None if length is None else begin + int(length)
        with open(part, "ab" if is_continued else "wb") as file:
            done = begin
            while block := answer.read(BLOCK):
                with naming(part):
                    file.write(block)
                    file.flush()
                done += len(block)
                progress(done, total)
    return total is None or done == total


def handle_refusal(url: str, part: Path, size: int, error: urllib.error.HTTPError) -> bool:
    """Return whether the part is complete (status 416), or raise the error of the status."""
    if error.code == 416:
        if error.headers.get("Content-Range", "").endswith(f"*/{size}"):
            return True
        part.unlink()  # longer than the file: begin again
        return False
    if error.code == 404:
        raise NotOnServer(f"{url}: the server has no such file") from None
    if error.code == 407:
        raise InputError(
            f"{url}: the proxy asks for a password; set HTTPS_PROXY=http://user:password@host:port"
        ) from None
    if error.code >= 500 or error.code == 429:
        raise ConnectionError(f"status {error.code}, {error.reason}")
    raise InputError(f"{url}: the server answered {error.code}, {error.reason}") from None


class Checksums:
    """The SHA-256 of the files of a folder, in its file SHA256SUMS, as `sha256sum -c` reads it.

    A checksum is recorded when a file is downloaded first, and compared whenever it is used or downloaded again.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "SHA256SUMS"
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        self._recorded = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}

    def match(self, file: Path) -> bool:
        """Return whether a file has the checksum that was recorded for its name; a file without one does not."""
        return file.exists() and self._recorded.get(file.name) == sha256_of(file)

    def record(self, file: Path, source: str) -> None:
        """Record the checksum of a file from `source`; refuse one that differs from the file downloaded first."""
        digest = sha256_of(file)
        if self._recorded.setdefault(file.name, digest) != digest:
            file.unlink()
            raise InputError(
                f"{source}: the file is not the one that was downloaded first (SHA-256 {digest[:12]}, recorded "
                f"{self._recorded[file.name][:12]}); delete {self.path} and run the command again to accept it"
            )
        lines = [f"{digest}  {name}\n" for name, digest in sorted(self._recorded.items())]
        with replacing(self.path) as beside:
            beside.write_text("".join(lines), encoding="utf-8")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

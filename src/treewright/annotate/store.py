"""The store of a project: one SQLite file. The journal (`event`) is the truth, and nothing in it is ever changed.

`tree` and `suggestion` are derived: the first is what replaying the journal gives, with the tree that was shown, the
second what the model says of sentences that nobody has touched. A commit is on disk when it returns (WAL,
synchronous=FULL).
"""

from __future__ import annotations

import errno
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import IO, Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from treewright.annotate.answers import StoreError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FILE, LOCK = "project.sqlite", "project.lock"
SCHEMA = Path(__file__).with_name("schema.sql")
VERSION = 2  # of the tables
BUSY_SECONDS = 5.0  # a reader waits so long for a writer; not tuned


class Event(NamedTuple):
    """An entry of the journal."""

    seq: int
    at: str
    author: str
    op_id: str
    layer: str
    sentence: int
    kind: str
    payload: dict[str, Any]
    undoes: int | None


class Store:
    """The open store of a project. Methods are called by one thread at a time, the one that has `lock`.

    last_use: when `exclusive` methods were called last, by the monotonic clock.
    """

    def __init__(self, folder: Path, *, is_new: bool = False, read_only: bool = False) -> None:
        self.path = folder / FILE
        self.lock, self.last_use = RLock(), 0.0
        self._lock_file: IO[bytes] | None = None
        if not is_new and not self.path.is_file():
            raise StoreError(f"{folder}: no project here; `treewright project new {folder} FILES` makes one")
        if not read_only:
            self._lock_file = take_lock(folder / LOCK)
        try:
            with self.errors():
                self._connection = connect(self.path, read_only)
                if is_new:
                    self._connection.executescript(
                        f"BEGIN; {SCHEMA.read_text('utf-8')} PRAGMA user_version = {VERSION}; COMMIT;"
                    )
                (version,) = self.one("PRAGMA user_version")
            if version != VERSION:
                raise StoreError(f"{self.path}: version {version} of the tables; this program has version {VERSION}")
        except BaseException:
            self.release()
            raise

    def close(self) -> None:
        """Close the file and give up the lock."""
        with suppress(sqlite3.Error):
            self._connection.close()
        self.release()

    def release(self) -> None:
        """Give up the lock."""
        if self._lock_file is not None:
            self._lock_file.close()
            self._lock_file = None

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn errors of SQLite into a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {problem_of(error)}") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Store everything or nothing; it is on disk when the `with` ends."""
        with self.errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk may have ended the transaction already
                    self._connection.execute("ROLLBACK")
                raise

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement; return the number of the row that it added."""
        with self.errors():
            return self._connection.execute(statement, values).lastrowid or 0

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with self.errors():
            return self._connection.execute(statement, values).fetchall()

    def one(self, statement: str, *values: Any) -> tuple[Any, ...]:
        """Return the first row of a query, empty if there is none."""
        rows = self.rows(statement, *values)
        return rows[0] if rows else ()

    # -- settings and events

    def setting(self, name: str) -> str | None:
        """Return a setting of the project."""
        row = self.one("SELECT value FROM setting WHERE name = ?", name)
        return row[0] if row else None

    def set(self, name: str, value: str) -> None:
        """Write a setting of the project."""
        self.run("INSERT OR REPLACE INTO setting VALUES (?, ?)", name, value)

    def add_event(
        self,
        at: str,
        author: str,
        op_id: str,
        layer: str,
        sentence: int | None,
        kind: str,
        payload: dict[str, Any],
        undoes: int | None = None,
    ) -> int:
        """Append to the journal; return the number of the event."""
        return self.run(
            "INSERT INTO event (at, author, op_id, layer, sentence, kind, payload, undoes) VALUES (?,?,?,?,?,?,?,?)",
            *(at, author, op_id, layer, sentence, kind, dump(payload), undoes),
        )

    def events(self, condition: str = "1", *values: Any) -> list[Event]:
        """Return events in their order."""
        rows = self.rows(
            "SELECT seq, at, author, op_id, layer, sentence, kind, payload, undoes FROM event "
            f"WHERE {condition} ORDER BY seq",
            *values,
        )
        return [Event._make((*row[:7], json.loads(row[7]), row[8])) for row in rows]


class HasStore(Protocol):
    """An object that works on a store."""

    _store: Store


P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=HasStore)


def exclusive(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let one thread at a time call such methods of the objects that share a store."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **options: P.kwargs) -> T:
        self._store.last_use = time.monotonic()
        with self._store.lock:
            return method(self, *args, **options)

    return call


def connect(path: Path, read_only: bool) -> sqlite3.Connection:
    """Open the file, for threads that wait for each other."""
    options: dict[str, Any] = {"isolation_level": None, "check_same_thread": False, "timeout": BUSY_SECONDS}
    if not read_only:
        connection: sqlite3.Connection = sqlite3.connect(path, **options)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection
    uri = path.resolve().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, **options)
    try:
        connection.execute("SELECT 1 FROM setting").fetchone()
    except sqlite3.OperationalError:  # a folder that cannot be written to has no place for the index of the log
        connection.close()
        connection = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, **options)
    return connection


def take_lock(path: Path) -> IO[bytes] | None:
    """Lock a project for this process; the lock ends with the process."""
    try:
        file = open(path, "ab")  # noqa: SIM115 (it is kept open)
    except OSError as error:
        reason = "the folder is read-only" if error.errno in (errno.EROFS, errno.EACCES) else error.strerror
        raise StoreError(f"{path.parent}: {reason}; nothing can be stored there") from None
    if fcntl is None:
        return file
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise StoreError(f"{path.parent}: the project is open in another program; close that one first") from None
    except OSError:  # a file system without locks
        pass
    return file


def problem_of(error: sqlite3.Error) -> str:
    """Return what is wrong with the store, and the remedy."""
    text = str(error)
    code = getattr(error, "sqlite_errorname", "")
    if "FULL" in code or "full" in text:
        return "the disk is full; nothing of the last operation was stored, free some space and repeat it"
    if "READONLY" in code or "readonly" in text:
        return "the project is read-only; nothing was stored, copy it to a folder that can be written to"
    if "CORRUPT" in code or "NOTADB" in code:
        return f"the file is damaged ({text}); restore it from a copy"
    if "BUSY" in code or "LOCKED" in code:
        return "the project is in use by another program; repeat it later"
    if "CANTOPEN" in code:
        return "the file cannot be opened or made; is the folder read-only?"
    return f"{text}; nothing of the last operation was stored"


def dump(value: Any) -> str:
    """Return JSON with a fixed order of keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

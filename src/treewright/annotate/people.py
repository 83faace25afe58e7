"""The people of a project: roles, tokens, and who may see and write which layer."""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal, get_args

from treewright.annotate.answers import AccessError, Person, ProjectError, UnknownItemError
from treewright.annotate.store import Store, exclusive

Role = Literal["reader", "annotator", "adjudicator", "manager"]
ROLES: tuple[Role, ...] = get_args(Role)
GOLD = "gold"  # the layer of adjudication
MAX_NAME = 100  # characters of the name of a person or layer; not tuned


class People:
    """The people in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @exclusive
    def all(self) -> list[Person]:
        """List the people; the first is the one who made the project."""
        return [Person(*row) for row in self._store.rows("SELECT name, role FROM person ORDER BY rank")]

    @property
    def manager(self) -> str:
        """The name of the person who made the project, whose layer is exported by default."""
        return self.all()[0].name

    @exclusive
    def add(self, name: str, role: str = "annotator") -> str:
        """Add a person of this name, or change the role; return a new token, which is stored only as a hash.

        role: reader, annotator (writes the own layer and sees no other), adjudicator (sees all layers, writes gold),
        manager (everything).
        """
        if role not in ROLES:
            raise ProjectError(f"role is {role!r}; expected one of {', '.join(ROLES)}")
        check_name(name, "the name of a person")
        if name == GOLD:
            raise ProjectError(f"{GOLD} is the layer of adjudication; choose another name")
        token = secrets.token_urlsafe(16)
        with self._store.transaction():
            row = self._store.one("SELECT rank FROM person WHERE name = ?", name)
            (count,) = row or self._store.one("SELECT COUNT(*) FROM person")
            self._store.run("INSERT OR REPLACE INTO person VALUES (?, ?, ?, ?)", name, role, hash_of(token), count)
        return token

    @exclusive
    def with_token(self, token: str) -> Person | None:
        """Return the person with this token; None if nobody has it."""
        row = self._store.one("SELECT name, role FROM person WHERE token_hash = ?", hash_of(token))
        return Person(*row) if row else None

    @exclusive
    def layers(self, person: str) -> list[str]:
        """List the layers that a person may see; the own one comes first."""
        role = self.role(person)
        if role == "annotator":
            return [person]
        written = [row[0] for row in self._store.rows("SELECT DISTINCT layer FROM tree ORDER BY layer")]
        own_layers = [] if role == "reader" else [person]
        return list(dict.fromkeys([*own_layers, *(other.name for other in self.all()), *written, GOLD]))

    @exclusive
    def check_access(self, person: str, layer: str, *, write: bool = False) -> None:
        """Raise an AccessError unless a person may see a layer, or write it."""
        role = self.role(person)
        is_own = layer == person and role != "reader"
        may_write = is_own or role == "manager" or (role == "adjudicator" and layer == GOLD)
        if not (may_write or (not write and role in ("reader", "adjudicator"))):
            does = "write" if write else "see"
            raise AccessError(f"{person} is {role} and may not {does} the layer {layer}")

    @exclusive
    def role(self, person: str) -> str:
        """Return what a person is."""
        row = self._store.one("SELECT role FROM person WHERE name = ?", person)
        if not row:
            raise UnknownItemError(f"nobody is called {person!r} in this project")
        return str(row[0])


def check_name(name: str, what: str) -> None:
    """Refuse a name that is empty, too long, or has control characters."""
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise ProjectError(f"{what} is {str(name)[:40]!r}; expected 1 to {MAX_NAME} printable characters")


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

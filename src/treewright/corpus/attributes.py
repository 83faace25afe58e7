"""A FEATS or MISC cell as a mapping that reads and writes the cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping

FORBIDDEN = "|\t\n\r"  # characters that end an entry, a cell or a line


class Attributes(MutableMapping[str, str]):
    """The entries Name=Value of a cell, in their order. A change rewrites that entry only.

    An entry without "=" has the value "". If a name occurs twice, its first entry is the one that is read; assigning
    keeps one entry. `is_sorted`: a new entry is inserted in alphabetical order, as UD requires of FEATS.
    """

    __slots__ = ("_get", "_is_sorted", "_set")

    def __init__(self, get: Callable[[], str], set: Callable[[str], None], *, is_sorted: bool) -> None:
        self._get, self._set, self._is_sorted = get, set, is_sorted

    def __getitem__(self, name: str) -> str:
        for entry in self._entries():
            found, _, value = entry.partition("=")
            if found == name:
                return value
        raise KeyError(name)

    def __setitem__(self, name: str, value: str) -> None:
        entry = checked_entry(name, value)
        entries = self._entries()
        places = [place for place, old in enumerate(entries) if name_of(old) == name]
        if len(places) == 1 and self[name] == value:
            return
        kept = [old for old in entries if name_of(old) != name]
        place = places[0] if places else self._place_of(name, kept)
        kept.insert(place, entry)
        self._set("|".join(kept))

    def __delitem__(self, name: str) -> None:
        entries = self._entries()
        kept = [entry for entry in entries if name_of(entry) != name]
        if len(kept) == len(entries):
            raise KeyError(name)
        self._set("|".join(kept) or "_")

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(map(name_of, self._entries())))

    def __len__(self) -> int:
        return len(set(map(name_of, self._entries())))

    def __eq__(self, other: object) -> bool:
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __repr__(self) -> str:
        return repr(dict(self))

    def _entries(self) -> list[str]:
        cell = self._get()
        return [] if cell in ("_", "") else cell.split("|")

    def _place_of(self, name: str, entries: list[str]) -> int:
        """Where a new entry is inserted."""
        if self._is_sorted:
            for place, entry in enumerate(entries):
                if name_of(entry).lower() > name.lower():
                    return place
        return len(entries)


def name_of(entry: str) -> str:
    return entry.partition("=")[0]


def checked_entry(name: str, value: str) -> str:
    """The entry Name=Value, or the name alone if the value is empty."""
    for what, text in (("name", name), ("value", value)):
        if not isinstance(text, str):
            raise TypeError(f"the {what} of an attribute is {text!r}; expected a str")
        if any(character in text for character in FORBIDDEN):
            raise ValueError(f"the {what} of an attribute is {text!r}; it cannot contain '|', tab or line break")
    if not name or "=" in name:
        raise ValueError(f"the name of an attribute is {name!r}; expected a text without '='")
    entry = f"{name}={value}" if value else name
    if entry == "_":
        raise ValueError("an attribute '_' without a value would be read as an empty cell")
    return entry


def cell_of(attributes: Mapping[str, str], *, is_sorted: bool) -> str:
    """The cell of a mapping; "_" if it is empty."""
    names = sorted(attributes, key=str.lower) if is_sorted else attributes
    return "|".join(checked_entry(name, attributes[name]) for name in names) or "_"

"""Rules of likely pairs of head tag and modifier tag: two sets as data, and files of the user."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

ROOT = "ROOT"
Table = dict[str, tuple[str, ...]]


def table(**rules: str) -> Table:
    return {head: tuple(modifiers.split()) for head, modifiers in rules.items()}


# Head -> modifiers, after the sets for twelve tags of Naseem et al. (2010) and Noji et al. (2016). In `ud` content
# words are heads, as in UD. `content` has this for more function words, and attaches adpositions to nouns only.
UD = table(
    ROOT="VERB NOUN",
    VERB="VERB NOUN PRON PROPN ADV ADP AUX",
    NOUN="NOUN PROPN ADJ DET NUM ADP CONJ CCONJ",
    PROPN="PROPN ADP",
    ADJ="ADV",
)
CONTENT = UD | table(
    VERB="VERB NOUN PRON PROPN ADV AUX SCONJ PART CONJ CCONJ INTJ",
    PROPN="PROPN ADP DET CONJ CCONJ",
    PRON="ADP",
    ADJ="ADV CONJ CCONJ",
)
RULES: dict[str, Table] = {"ud": UD, "content": CONTENT}
UPOS = frozenset(  # of UD 1 and 2
    table(all="ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X")["all"]
)


@dataclass(frozen=True)
class Rules:
    """A set of rules and its name or file."""

    name: str
    table: Table

    def matrix(self, kinds: Sequence[str]) -> NDArray[np.float64]:
        """Return [head, modifier] over the kinds and, as the last head, the root: 1 where a rule holds."""
        heads = [*kinds, ROOT]
        rows = [[float(m in self.table.get(h, ())) for m in kinds] for h in heads]
        return np.array(rows).reshape(len(heads), len(kinds))


def load_rules(name_or_path: str, kinds: Sequence[str] = ()) -> Rules:
    """Return the rules of a name ("ud"), or of a TOML file of lines such as VERB = ["NOUN", "ADV"].

    ROOT stands for the root node. A tag that is neither in UD nor among `kinds` is refused, because its rule would
    apply to no arc.

    >>> load_rules("ud").table["ROOT"]
    ('VERB', 'NOUN')
    """
    if name_or_path in RULES:
        return Rules(name_or_path, RULES[name_or_path])
    path = Path(name_or_path)
    if not path.exists():
        raise InputError(f"no rules {name_or_path!r}: neither a file nor one of {', '.join(RULES)}")
    try:
        loaded = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f'{path}: not a TOML file of lines such as VERB = ["NOUN", "ADV"]: {error}') from error
    known = UPOS | set(kinds)
    for head, modifiers in loaded.items():
        if not isinstance(modifiers, list) or not all(isinstance(m, str) for m in modifiers):
            raise InputError(f'{path}: {head} must be a list of tags, such as {head} = ["NOUN", "ADV"]')
        for tag in [head, *modifiers]:
            if tag not in known and not (tag == head == ROOT):
                raise InputError(
                    f"{path}: unknown tag {tag!r}; known are {', '.join(sorted(known))}, and ROOT as a head"
                )
    if not loaded:
        raise InputError(f'{path}: no rule in it; write lines such as VERB = ["NOUN", "ADV"]')
    return Rules(str(path), {head: tuple(modifiers) for head, modifiers in loaded.items()})

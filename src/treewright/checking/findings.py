"""The rules of `treewright check` by name, and what they report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

LEVELS = (1, 2, 3, 4)


class Rule(NamedTuple):
    """A rule: the level that it belongs to, and what it requires."""

    level: int
    requires: str


def read_rules() -> dict[str, Rule]:
    """Read the table of rules, in order of their levels.

    1: the text of the file. 2: the cells, the tree and the enhanced graph by the rules of Universal Dependencies.
    3: what is almost always an error, whatever the treebank. 4: what a training treebank has never or hardly ever.
    """
    lines = Path(__file__).with_name("rules.tsv").read_text("utf-8").splitlines()[1:]
    return {name: Rule(int(level), requires) for level, name, requires in (line.split("\t") for line in lines)}


RULES = read_rules()


@dataclass(frozen=True)
class Problem:
    """What a rule reports of a sentence. word is an ID, or empty for the sentence itself."""

    rule: str
    line: int
    word: str
    reason: str
    count: int | None = None


@dataclass(frozen=True)
class Finding:
    """A place in a treebank that a rule reports.

    count: how often the same occurs in the other treebank, where the rule compares with one.
    """

    rule: str
    level: int
    source: str
    line: int  # 0 for the file
    sent_id: str | None
    word: str | None  # the ID of the word, token or empty node; None for the sentence
    form: str | None
    reason: str
    count: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Return one line: file and line, the rule, the word, the reason, and where it is.

        >>> str(Finding("two-subjects", 3, "a.conllu", 7, "s2", "3", "saw", "2 subjects: 1, 2; expected one"))
        'a.conllu:7: two-subjects: 3 saw: 2 subjects: 1, 2; expected one (sent_id s2)'
        """
        word = "" if self.word is None else f"{self.word} {self.form}: "
        name = f" (sent_id {self.sent_id})" if self.sent_id else ""
        place = f"{self.source}:{self.line}" if self.line else self.source
        return f"{place}: {self.rule}: {word}{self.reason}{name}"

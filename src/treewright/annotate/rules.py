"""Rules of a project: requests that find what its guidelines forbid, in the file rules.txt of its folder.

    error "an auxiliary has a dependent" pattern { A [upos=AUX]; A -[^conj|fixed|punct]-> X }

A line is a rule: `error` or `warning`, the message in double quotes, and a Grew request (docs/searching.md). The
message stands at the first word that the request names. Empty lines, and lines that begin with %, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright import query
from treewright.annotate.answers import ProjectError
from treewright.corpus import Sentence
from treewright.errors import InputError

FILE = "rules.txt"
LEVELS = {"error": 3, "warning": 4}  # as in `treewright check`: 4 is what may be right
LINE = re.compile(r'(error|warning)\s+"([^"]+)"\s+(.+)')


@dataclass(frozen=True, eq=False)
class Rule:
    """A request and what its matches mean."""

    level: int
    message: str
    request: query.Request

    def findings(self, sentence: Sentence) -> list[dict[str, Any]]:
        """Return the matches in a sentence as findings, one for each word."""
        words = dict.fromkeys(
            next((node for node in match.nodes.values() if isinstance(node, int) and node > 0), None)
            for match in self.request.search([sentence])
        )
        return [{"rule": "project", "level": self.level, "word": word, "reason": self.message} for word in words]


def read_rules(folder: Path) -> Sequence[Rule]:
    """Read the rules of the project in a folder; a ProjectError names the line that cannot be read."""
    path = folder / FILE
    if not path.is_file():
        return ()
    rules = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("%"):
            continue
        parts = LINE.fullmatch(line.strip())
        if parts is None:
            raise ProjectError(f'{path}:{number}: expected error or warning, "message" and a request')
        try:
            request = query.compile(parts[3])
        except InputError as error:
            raise ProjectError(f"{path}:{number}: {error}") from None
        rules.append(Rule(LEVELS[parts[1]], parts[2], request))
    return rules

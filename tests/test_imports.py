"""Who may import whom (docs/architecture.md), read off the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import treewright

PACKAGE = Path(treewright.__file__).parent

MODELS = {"trees", "corpus", "decode", "relax", "features", "learn", "modelfile", "checkpoint"}
USES: dict[str, set[str]] = {
    "errors": set(),
    "modelfile": {"corpus"},
    "checkpoint": {"modelfile"},
    "models": {"modelfile", "parser", "induce", "pipeline"},
    "trees": set(),
    "corpus": {"trees", "draw"},  # sentences and trees show themselves in notebooks
    "draw": {"trees"},
    "decode": {"trees", "relax", "_core"},
    "relax": {"trees"},
    "features": {"corpus", "_core"},
    "learn": {"_core"},
    "evaluate": {"trees", "corpus"},
    "tagger": MODELS | {"_core"},
    "grammar": MODELS | {"tagger", "parser", "_core"},
    "parser": MODELS | {"tagger", "evaluate"},
    "induce": MODELS | {"evaluate", "parser", "_core"},
    "pipeline": MODELS | {"tagger", "parser"},
    "reproduce": MODELS | {"tagger", "parser", "grammar", "induce", "evaluate"},
    "cli": {"*"},
    "serve": {"*"},
    "__init__": {"*"},
    "__main__": {"*"},
}


def rooms_used(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute here"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "treewright" and rest:
                yield node.lineno, rest.split(".")[0]


def test_imports_follow_the_table() -> None:
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        allowed = USES[room]
        for line, used in rooms_used(path):
            fine = used in {room, "errors"} or used in allowed or "*" in allowed
            assert fine, f"{path.relative_to(PACKAGE)}:{line}: {room} may not import {used}"


def test_import_brings_in_numpy_only_when_asked() -> None:
    code = "import sys, treewright; print(*{name.partition('.')[0] for name in sys.modules})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy", "rich", "typer"} & set(found.stdout.split())

"""The imports of the package and the includes of the core are those that docs/architecture.md allows."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from oracles.pages import DOCS, REPO, names_in, table_of
from oracles.processes import run_process

import treewright

PACKAGE = Path(treewright.__file__).parent
CORE = REPO / "core"


def rules_of(first_column: str) -> dict[str, set[str]]:
    """Name -> the names that it may use, from the table with this first column; "*" stands for every name."""
    rules = {}
    for name, _, allowed in table_of(DOCS / "architecture.md", first_column):
        used = names_in(allowed)
        if allowed.startswith("every"):
            used = {"*"}
        assert used or allowed == "none", f"docs/architecture.md: {name} may use {allowed!r}; expected names or none"
        [key] = names_in(name)
        rules[key] = used
    return rules


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, package or module of Treewright) of every import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import; expected an absolute one"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == "treewright" and rest:
                yield node.lineno, rest.split(".")[0]


def includes_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, folder of the core) of every include of a kernel."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := re.match(r'#include "([^"]+)"', line):
            folder, slash, _ = found[1].partition("/")
            assert slash, f"{path}:{number}: {found[1]}; expected folder/header.hpp"
            yield number, folder


def test_imports_follow_the_table() -> None:
    rules = rules_of("package")
    for path in PACKAGE.rglob("*.py"):
        package = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        assert package in rules, f"docs/architecture.md: the table of imports has no row for {package}"
        allowed = rules[package] | {package, "errors", "checks", "caching"}
        for line, used in imports_of(path):
            allowed_here = used in allowed or "*" in allowed
            assert allowed_here, f"{path.relative_to(PACKAGE)}:{line}: {package} may not import {used}"


def test_includes_follow_the_table() -> None:
    rules = rules_of("folder")
    for path in CORE.rglob("*.hpp"):
        folder = path.parent.name
        if folder == "tests":
            continue
        assert folder in rules, f"docs/architecture.md: the table of includes has no row for {folder}"
        for line, used in includes_of(path):
            assert used in rules[folder] | {folder}, f"{path.relative_to(CORE)}:{line}: {folder} may not include {used}"


def test_folders_of_the_core_include_only_folders_above_them() -> None:
    rules = rules_of("folder")
    order = list(rules)
    for place, folder in enumerate(order):
        assert rules[folder] <= set(order[:place]), f"docs/architecture.md: {folder} may include a folder below it"
    assert order[0] == "base"


def test_the_tables_name_only_what_exists() -> None:
    packages, folders = rules_of("package"), rules_of("folder")
    for name in packages:
        assert (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file(), f"{name} is no package"
    for name in folders:
        assert (CORE / name).is_dir(), f"core/{name} is no folder"
    assert set().union(*packages.values()) <= packages.keys() | {"*", "_core"}
    assert set().union(*folders.values()) <= folders.keys()


def test_importing_the_package_imports_no_heavy_dependency() -> None:
    code = "import sys, treewright; print(*{name.partition('.')[0] for name in sys.modules})"
    ended = run_process([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy", "rich", "typer"} & set(ended.stdout.split())


def test_parsing_with_the_embedded_model_imports_no_scipy() -> None:
    code = "import sys, treewright; treewright.load('en')('It rains.'); print('scipy' in sys.modules)"
    ended = run_process([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"


def test_the_command_parse_imports_no_pydantic_and_no_evaluation() -> None:
    code = (
        "import sys; from treewright.cli.app import main\n"
        "sys.argv = ['treewright', 'parse', '--fast', '--quiet', '--text', 'It rains.']\n"
        "try:\n    main()\nfinally:\n    print({'pydantic', 'treewright.evaluate'} & sys.modules.keys())"
    )
    ended = run_process([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("set()\n")

"""The examples of the documentation are correct: Python runs, console transcripts match what the commands print.

In README.md and docs/*.md, a ```python block is run (with >>> as a doctest, otherwise as it stands), the blocks of a
page one after the other in one namespace; a ```console block is a transcript, `$ command` lines and their output.
Both run in a copy of examples/. A block after `<!-- not run: reason -->` is skipped.
"""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from oracles.pages import PAGES, REPO
from oracles.processes import Ended, Run, run_process, runner

import treewright
from treewright.errors import MissingExtra

BLOCK = re.compile(r"(?P<mark><!-- not run: .+? -->\s*)?^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    code: str
    line: int


def blocks_of(page: Path, language: str) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["code"], text.count("\n", 0, found.start("code")))
        for found in BLOCK.finditer(text)
        if found["language"] == language and not found["mark"]
    ]


def pages_with(language: str) -> list[Path]:
    return [page for page in PAGES if blocks_of(page, language)]


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "examples"
    shutil.copytree(REPO / "examples", folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    return folder


@pytest.mark.parametrize("page", pages_with("python"), ids=lambda page: page.name)
def test_python_of_a_page_runs(page: Path, sandbox: Path) -> None:
    names: dict[str, Any] = {}
    for block in blocks_of(page, "python"):
        if ">>>" in block.code:
            test = doctest.DocTestParser().get_doctest(block.code, names, page.name, str(page), block.line)
            result = doctest.DocTestRunner(optionflags=FLAGS).run(test, clear_globs=False)
            assert result.failed == 0, f"{page.name}:{block.line}: see the captured output"
            names.update(test.globs)
        else:
            exec(compile("\n" * block.line + block.code, str(page), "exec"), names)


def commands_of(code: str) -> list[tuple[str, str]]:
    """(command, output) of a transcript."""
    pieces = re.split(r"^\$ ", code, flags=re.M)[1:]
    return [(piece.partition("\n")[0], piece.partition("\n")[2]) for piece in pieces]


def printed_by(command: str, treewright: Run) -> str:
    """What a command line prints: the parts between `;` and `|`, `treewright` in this process, others in a shell."""
    outputs, errors = [], []
    for pipeline in parts_of(command, ";"):
        output = ""
        for part in parts_of(pipeline, "|"):
            name, *arguments = shlex.split(part, comments=True)
            found: Ended | subprocess.CompletedProcess[str]
            if name == "treewright" and not re.search("[<>]", part):
                found = treewright(*arguments, stdin=output)
            else:
                found = run_process(["sh", "-c", part], input=output, capture_output=True, text=True)
            output = found.stdout
            errors.append(found.stderr)
        outputs.append(output)
    return "".join(outputs + errors)


def parts_of(command: str, separator: str) -> list[str]:
    """The text between separators that are not quoted.

    >>> parts_of("printf 'a|b' | sort", "|")
    ["printf 'a|b' ", ' sort']
    """
    return re.findall(rf"""(?:'[^']*'|"[^"]*"|[^{separator}'"])+""", command)


@pytest.mark.parametrize("page", pages_with("console"), ids=lambda page: page.name)
def test_console_of_a_page_is_true(
    page: Path, sandbox: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys)
    for block in blocks_of(page, "console"):
        commands = commands_of(block.code)
        assert commands, f"{page.name}:{block.line}: no line starts with $"
        for command, expected in commands:
            printed = "\n".join(line.rstrip() for line in printed_by(command, run).splitlines())
            shown = "\n".join(line.rstrip() for line in expected.splitlines())
            same = doctest.OutputChecker().check_output(shown + "\n", printed + "\n", doctest.ELLIPSIS)
            assert same, f"{page.name}:{block.line}: $ {command}\nprints\n{printed}"


def modules_with_examples() -> list[str]:
    """The names of the modules whose source contains a doctest."""
    package = Path(treewright.__file__).parent
    files = [file for file in sorted(package.rglob("*.py")) if ">>> " in file.read_text(encoding="utf-8")]
    names = [".".join(file.relative_to(package.parent).with_suffix("").parts) for file in files]
    return [name.removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_run(name: str, sandbox: Path) -> None:
    try:
        module = importlib.import_module(name)
    except MissingExtra as error:
        pytest.skip(str(error))
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
        pytest.skip(f"{name} needs {error.name}")
    result = doctest.testmod(module, optionflags=FLAGS)
    assert result.attempted > 0
    assert result.failed == 0

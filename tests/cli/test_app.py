"""What all commands share: help, version, errors, exit codes, pipes."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from oracles.processes import Run, run_process, runner

import treewright
from treewright import cli
from treewright.cli.app import COMMANDS
from treewright.cli.summaries import SUMMARIES

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright arguments`."""
    for name, value in {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    return runner(monkeypatch, capsys)


def test_the_installed_command_runs() -> None:
    ended = run_process([Path(sys.executable).parent / "treewright", "--version"], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, f"treewright {treewright.__version__}\n")


def test_help_teaches(run: Run) -> None:
    ended = run("--help")
    assert ended.returncode == 0
    for command in COMMANDS:
        assert command in ended.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(run: Run, command: str) -> None:
    ended = run(command, "--help")
    assert ended.returncode == 0
    assert f"treewright {command}" in ended.stdout.replace("Usage: treewright", "")


def test_bad_usage_ends_with_two(run: Run) -> None:
    assert run("nonsense").returncode == 2
    assert run("eval").returncode == 2


def test_bad_input_ends_with_one_and_a_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "treewright", "show", str(tmp_path / "missing.conllu")]
    ended = run_process(command, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "missing.conllu" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_reader_who_had_enough_is_no_error(tmp_path: Path) -> None:
    long = tmp_path / "long.conllu"
    long.write_text((EXAMPLES / "sample.conllu").read_text() * 300)
    command = f"{sys.executable} -m treewright show {long} | head -2; exit ${{PIPESTATUS[0]}}"
    ended = run_process(["bash", "-c", command], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""


def test_no_command_imports_another() -> None:
    commands = {f"treewright.cli.{command}" for command in COMMANDS}
    for path in Path(cli.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
            else:
                names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            assert not names & commands, f"{path.name}:{getattr(node, 'lineno', 0)} imports a command"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prase"], "there is no command prase; did you mean parse?"),
        (["parse", "--thread", "2"], "there is no option --thread; did you mean --threads?"),
        (["parse", "--threads", "x"], "--threads is x; expected a whole number, at least 1"),
        (["parse", "--threads", "0"], "--threads is 0; expected a whole number, at least 1"),
        (["parse", "--max-seconds", "-1"], "--max-seconds is -1; expected a number, at least 0"),
        (["train", "--case-noise", "2", "a"], "--case-noise is 2; expected a number, at least 0, at most 1"),
        (
            ["parse", "--to", "xml"],
            "--to is xml; expected one of conllu, parquet, brackets, json, text, svg, png, html, latex",
        ),
        (["parse", "--threads"], "--threads needs a value"),
        (["show"], "show needs INPUT"),
        (["reproduce", "koo2011"], "there is no command koo2011; did you mean koo2010?"),
    ],
)
def test_bad_usage_is_described_in_our_words(run: Run, arguments: list[str], message: str) -> None:
    ended = run(*arguments)
    assert (ended.returncode, ended.stderr.splitlines()[0]) == (2, f"treewright: {message}")
    assert not any(text in ended.stderr for text in ("Input should", "Value error", "Invalid value", "Error:"))


def test_an_unknown_model_is_named_with_those_that_exist(run: Run) -> None:
    message = (
        "there is no model xx, and no file of this name; installed: en, en_phrases; `treewright train TRAIN` makes one"
    )
    for arguments in (
        ["parse", "xx", "--text", "Hallo Welt"],
        ["parse", "xx"],
        ["why", "xx", "-t", "a", "--word", "1"],
    ):
        ended = run(*arguments)
        assert (ended.returncode, ended.stderr) == (1, f"treewright: {message}\n"), arguments


def test_help_lists_the_first_paragraph_of_each_command() -> None:
    assert list(SUMMARIES) == list(COMMANDS)
    for name, summary in SUMMARIES.items():
        command = typer.main.get_command(import_module(f"treewright.cli.{name}").app)
        assert summary == str(command.help).partition("\n\n")[0], name


def test_help_imports_neither_commands_nor_numpy() -> None:
    program = """
import atexit, sys
from treewright.cli import main
sys.argv = ["treewright", "--help"]
atexit.register(lambda: print(sorted(sys.modules)))
main()
"""
    ended = run_process([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = ended.stdout.splitlines()[-1]
    assert "'treewright.cli.app'" in loaded
    assert not any(name in loaded for name in ("'numpy'", "'rich'", "'treewright.corpus'", "'treewright.cli.parse'"))

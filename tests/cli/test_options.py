"""An option has one meaning in all commands; help is readable in 80 columns."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from treewright.cli.app import COMMANDS, app
from treewright.cli.options import LazyCoercion

WIDTH = 80


class Command(NamedTuple):
    path: str
    command: Any


@cache
def all_commands() -> tuple[Command, ...]:
    """Every command that runs, hidden ones too, with its path."""

    def below(path: str, command: Any) -> Iterator[Command]:
        if hasattr(command, "commands"):
            for name, one in command.commands.items():
                yield from below(f"{path} {name}", one)
        else:
            yield Command(path, command)

    roots = {name: typer.main.get_command(import_module(f"treewright.cli.{name}").app) for name in COMMANDS}
    return tuple(found for name, command in roots.items() for found in below(name, command))


def option_records() -> dict[str, list[tuple[str, Any]]]:
    """The options by name, each with the paths of the commands that have it."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for path, command in all_commands():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                found.setdefault(max(parameter.opts, key=len), []).append((path, parameter))
    return found


def meaning(parameter: Any) -> tuple[object, ...]:
    """What must agree: all spellings, whether it takes a value and several, its type, and the help up to `;` or `:`."""
    kind = "file or text" if kind_of(parameter) in ("str", "Path") else kind_of(parameter)
    core = re.split(r"[;:.]", parameter.help or "")[0]
    return sorted(parameter.opts), sorted(parameter.secondary_opts), parameter.is_flag, parameter.multiple, kind, core


def kind_of(parameter: Any) -> str:
    """The type of an option by its name; all choices count as one type: commands support different formats."""
    described = getattr(parameter, "type_descriptor", None)
    if described is None:  # older versions of Typer have the types of Click
        name: str = parameter.type.name
        names = {"text": "str", "path": "Path", "integer range": "int", "integer": "int", "float range": "float"}
        return names.get(name, name)
    if described.is_choice:
        return "choice"
    annotation = described.annotation
    types = [one.__name__ for one in getattr(annotation, "__args__", (annotation,)) if one is not type(None)]
    return "|".join(types)


def rendered(path: str) -> str:
    ended = CliRunner().invoke(app, [*path.split(), "-h"], env={"COLUMNS": str(WIDTH)}, prog_name="treewright")
    assert ended.exit_code == 0, ended.output
    return ended.output


# --model is the order of a model that is trained; here it is a model that is used
OTHER_MEANING = {("annotate", "--model"), ("project new", "--model")}

PATHS = ["", *COMMANDS, "reproduce koo2010", "reproduce jiang2017", *(found.path for found in all_commands())]


@pytest.mark.parametrize("name", sorted(option_records()))
def test_an_option_means_the_same_in_every_command(name: str) -> None:
    records = [record for record in option_records()[name] if (record[0], name) not in OTHER_MEANING]
    first, *others = records
    for path, parameter in others:
        assert meaning(parameter) == meaning(first[1]), f"{name} of {first[0]} and {path}"


def test_options_are_compared_across_commands() -> None:
    shared = {name for name, records in option_records().items() if len(records) > 1}
    assert {"--to", "--output", "--json", "--quiet", "--threads", "--skip-bad", "--seed", "--columns"} <= shared


def test_every_option_has_help_that_ends_a_sentence() -> None:
    for name, records in option_records().items():
        for path, parameter in records:
            assert (parameter.help or "").endswith("."), f"{path} {name}"


@pytest.mark.parametrize("path", dict.fromkeys(PATHS))
def test_help_is_readable_in_eighty_columns(path: str) -> None:
    text = rendered(path)
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert "…" not in text
    usage, _, rest = text.partition("\n\n")
    assert usage.startswith(f"Usage: treewright {path}".rstrip())
    assert "..." not in rest.replace("--", "")  # nothing is cut
    assert not re.search(r"[\[{<]{2}|<int range>|<str>", text), "plain names of values"
    for found in all_commands():
        if found.path == path:
            for parameter in found.command.params:
                assert all(re.search(rf"(?:^|\s){option}\b", text) for option in parameter.opts if option[:1] == "-")


@pytest.mark.parametrize("path", [found.path for found in all_commands()])
def test_both_names_of_help_work(path: str) -> None:
    environment = {"COLUMNS": str(WIDTH)}
    texts = {CliRunner().invoke(app, [*path.split(), name], env=environment).output for name in ("-h", "--help")}
    assert len(texts) == 1


@pytest.mark.parametrize("path", [found.path for found in all_commands() if not found.command.hidden])
def test_examples_of_help_are_commands_with_options_that_exist(path: str) -> None:
    examples = re.findall(r"^    (.*treewright .*)$", rendered(path), re.M)
    assert examples, "help has an example"
    commands = {found.path: found.command for found in all_commands()}
    for example in examples:
        for piece in example.split("|"):
            words = shlex.split(piece)
            if words[0] == "treewright":
                name = path_of(words[1:], list(commands))
                known = {option for one in commands[name].params for option in (*one.opts, *one.secondary_opts)}
                given = {word for word in words if re.match(r"--?[a-z]", word)}
                assert given <= known, example


def path_of(words: list[str], paths: list[str]) -> str:
    """The command that a command line runs: that of its first words, or the default of a group."""
    for path in paths:
        if words[: len(path.split())] == path.split():
            return path
    group = typer.main.get_command(import_module(f"treewright.cli.{words[0]}").app)
    return f"{words[0]} {getattr(group, 'DEFAULT')}"  # noqa: B009


@pytest.mark.skipif(
    not hasattr(typer.core.TyperOption, "get_runtime_param"), reason="this Typer checks values without Pydantic"
)
def test_values_of_all_parameters_are_checked_lazily() -> None:
    """Fails where Typer asks something else than `get_runtime_param` for the check of a value."""
    for path, command in all_commands():
        context = typer.Context(command)
        for parameter in command.get_params(context):
            if isinstance(parameter, typer.core.TyperOption | typer.core.TyperArgument):
                check = parameter.get_runtime_param()
                assert isinstance(check, LazyCoercion), (path, parameter.name)
                assert parameter in command.get_params(context)
                assert parameter.get_runtime_param() is check

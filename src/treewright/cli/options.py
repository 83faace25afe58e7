"""The options of commands: each name is defined once and has one meaning; plain help.

A command declares an option by one of these types, as in `threads: Threads = 1`. Where a command needs a longer
description, it adds to the text after the semicolon only (`skip_bad_option("; ...")`); a test compares the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from treewright.cli.summaries import SUMMARIES

F = TypeVar("F", bound=Callable[..., Any])
HELP_NAMES = {"help_option_names": ["-h", "--help"]}


def option(help: str, *names: str, **more: Any) -> Any:
    """Declare an option; without names it is named after its parameter."""
    return typer.Option(*names, help=help, **more)


def argument(metavar: str, help: str) -> Any:
    """Declare an argument, whose default is in its help."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


Learner = Literal["crf", "perceptron", "mira", "pa"]
LearnerOption = Annotated[
    Learner,
    option(
        "Updates of the scorer: crf (log-linear), perceptron, mira, pa (passive-aggressive against the "
        "loss-augmented best tree).",
        "--learner",
    ),
]
Method = Literal["exact", "dd", "climb", "rearrange", "ilp"]  # docs/decoding.md describes them
Root = Literal["single", "multi", "auto"]  # number of words attached to the root


def output_option(more: str = '"-" is standard output.', metavar: str = "FILE") -> Any:
    return typer.Option("--output", "-o", metavar=metavar, help=f"Where to write; {more}")


def json_option(more: str = "") -> Any:
    return typer.Option("--json", help=f"Print the report as JSON{more}.")


def skip_bad_option(more: str = "") -> Any:
    return typer.Option("--skip-bad", help=f"Leave out sentences that cannot be read{more}.")


def resume_option(more: str) -> Any:
    return typer.Option("--resume", help=f"Continue an interrupted run, if there is one; from {more}.")


def confidence_option(more: str) -> Any:
    return typer.Option("--confidence", help=f"Write probabilities into MISC; {more}.")


def seed_option(more: str) -> Any:
    return typer.Option("--seed", min=0, metavar="N", help=f"Random seed; {more}.")


def projective_option(default: str) -> Any:
    return typer.Option("--projective/--nonprojective", help=f"Forbid or allow crossing arcs; by default {default}.")


def seconds_option(more: str) -> Any:
    return typer.Option(
        "--max-seconds",
        min=0.0,
        metavar="SECONDS",
        help=f"Time limit of the search for one sentence; {more}.",
        show_default=False,
    )


def columns_option(more: str) -> Any:
    return typer.Option("--columns", metavar="NAMES", help=f"Columns, separated by commas; {more}.")


def head_rules_option(more: str) -> Any:
    return typer.Option("--head-rules", metavar="RULES", help=f"Head rules: english, general, or a file; {more}.")


def number_option(help: str, min: int = 1, max: int | None = None) -> Any:
    return typer.Option(min=min, max=max, metavar="N", help=help)


def max_option(more: str, min: int = 1) -> Any:
    return typer.Option("--max", min=min, metavar="N", help=f"Print the first N; {more}.")


def share_option(help: str) -> Any:
    return typer.Option(min=0.0, max=1.0, metavar="SHARE", help=help)


def file_option(help: str) -> Any:
    return typer.Option(metavar="FILE", help=help)


def to_option(more: str) -> Any:
    return typer.Option("--to", help=f"Output format; {more}.")


Output = Annotated[str, output_option()]
TrainTrees = Annotated[str, argument("TRAIN", "Trees in Penn brackets, compressed or not.")]
ModelOutput = Annotated[Path, output_option("the model file.", "MODEL")]
Json = Annotated[bool, json_option()]
JsonReport = Annotated[bool, json_option("; on standard output if -o is given, else on standard error")]
SkipBad = Annotated[bool, skip_bad_option()]
SkipBadTrees = Annotated[bool, skip_bad_option("; also trees with a unary cycle, and those of traces only")]
Quiet = Annotated[bool, option("No progress, no summary.", "--quiet", "-q")]
Resume = Annotated[bool, resume_option("its checkpoint")]
Host = Annotated[str, option("Address to listen on.", "--host", metavar="ADDRESS")]
Port = Annotated[int, number_option("Port to listen on; 0 chooses a free one.", min=0, max=65535)]
AllowHost = Annotated[
    list[str] | None,
    option(
        "Another name of this server, or of a site whose pages may call it; repeat for more.",
        "--allow-host",
        metavar="NAME",
    ),
]
ModelSeed = Annotated[int, seed_option("the same seed gives the same file")]
Neural = Annotated[
    bool, option("Train a network beside the linear models; it needs PyTorch, parsing does not.", "--neural")
]
Threads = Annotated[
    int, option("Number of threads; the result does not depend on it.", "--threads", metavar="N", min=1)
]
Decoding = Annotated[Method, option("Decoding method; see docs/decoding.md.", "--method")]
SECONDS_HELP = "30 if not given. The best tree found by then has a gap"
MaxSeconds = Annotated[float | None, seconds_option(SECONDS_HELP)]
Projective = Annotated[bool | None, projective_option("as trained")]
AllArcs = Annotated[bool, option("Prune no arcs; slower, and certificates are then about all arcs.", "--all-arcs")]
RootChildren = Annotated[
    Root, option("How many words are attached to the root; auto: as in the training data.", "--root")
]
HeadConfidence = Annotated[
    bool,
    confidence_option(
        "calibrated ones of each head, of its label given the head, and of a predicted tag: "
        "Confidence=0.98|LabelConfidence=0.99|TagConfidence=0.97"
    ),
]
Comment = Annotated[bool, option("Write the certificate of each tree into a comment.", "--comment/--no-comment")]
KeepDeps = Annotated[
    bool, option("Keep DEPS; else it is emptied where heads are set, for it may contradict them.", "--keep-deps")
]
Dev = Annotated[
    str | None,
    option("Another treebank; it chooses the best epoch. Else a part of TRAIN does.", "--dev", metavar="DEV"),
]


def new_app(help: str | None = None, default: str | None = None, cls: type[TyperGroup] | None = None) -> typer.Typer:
    """Make a Typer whose help is plain text, readable in 80 columns. With `help` it is a group of commands.

    default: the command of the group that runs if the first argument is not the name of one.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=HELP_NAMES)
    if help is not None:
        group = cls or (PlainGroup if default is None else with_default(default))
        app.info.help, app.info.cls, app.info.no_args_is_help = help, group, True
    return app


def new_command(name: str, details: str, *lines: str) -> tuple[typer.Typer, Callable[[F], F]]:
    """Make the Typer of a command, and the decorator of its function; `lines` are examples."""
    app = new_app()
    return app, subcommand(app, help_of(name, details, lines))


def new_group(name: str, details: str, *lines: str, **options: Any) -> typer.Typer:
    """Make the Typer of a group of commands; `lines` are examples."""
    return new_app(help_of(name, details, lines), **options)


def subcommand(app: typer.Typer, help: str, *lines: str, name: str | None = None) -> Callable[[F], F]:
    """Return the decorator of the function of a command in a group; `lines` are examples."""
    return app.command(name, help=help + (examples(*lines) if lines else ""), cls=PlainCommand)


def help_of(name: str, details: str, lines: Sequence[str]) -> str:
    """Return the help of a command: its summary, details and examples."""
    return SUMMARIES[name] + (f"\n\n{details}" if details else "") + examples(*lines)


def examples(*lines: str) -> str:
    """Write examples at the end of a help text, each in its own line, which is not wrapped.

    >>> print(examples("treewright show dev.conllu").replace(chr(8), "(as it is)"))
    <BLANKLINE>
    <BLANKLINE>
    (as it is)
    Examples:
      treewright show dev.conllu
    """
    return "\n\n\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class LazyCoercion:
    """Check the value of a parameter as Typer does, except where it cannot be wrong.

    Typer from 0.26 on checks values with Pydantic, whose import takes a sixth of the CPU time of `treewright parse`.
    build: makes Typer's own check.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        kind = param.type_descriptor.annotation
        is_default = type(value) is type(param.default) and value == param.default  # "a" equals a choice Kind.A = "a"
        if value is not None and (is_default or (kind is str and isinstance(value, str))):
            return value
        if not value and (value is None or kind == list[str]):
            return () if param.multiple or param.nargs == -1 else None
        return self._build().coerce(value, param=param, ctx=ctx)


def with_lazy_coercion(parameters: list[Any]) -> list[Any]:
    """Return the parameters of a command, which check their values by `LazyCoercion`."""
    for parameter in parameters:
        if "get_runtime_param" not in vars(parameter) and hasattr(parameter, "get_runtime_param"):
            check = LazyCoercion(parameter.get_runtime_param)
            parameter.get_runtime_param = lambda check=check: check
    return parameters


class PlainGroup(TyperGroup):
    """A group whose commands are listed with the first paragraph of their help."""

    SUMMARIES: ClassVar[Mapping[str, str]] = {}  # of commands that need not be imported for their help

    def get_params(self, ctx: Any) -> list[Any]:
        return with_lazy_coercion(super().get_params(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary_of(ctx, name)) for name in self.list_commands(ctx)])

    def summary_of(self, ctx: Any, name: str) -> str:
        """Return the first paragraph of the help of a command."""
        if name in self.SUMMARIES:
            return self.SUMMARIES[name]
        command = self.get_command(ctx, name)
        return str((command and command.help) or "").partition("\n\n")[0]


class LazyGroup(PlainGroup):
    """A group whose commands are modules of a package, each with a Typer called `app`, imported when it is used."""

    PACKAGE: ClassVar[str]
    NAMES: ClassVar[tuple[str, ...]]

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.NAMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.NAMES:
            return None
        command = typer.main.get_command(import_module(f"{self.PACKAGE}.{cmd_name}").app)
        command.name = cmd_name
        return command


def with_default(name: str) -> type[PlainGroup]:
    """Return a kind of group in which `name` may be left out."""

    class Group(PlainGroup):
        DEFAULT = name

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            is_default = bool(args) and args[0] not in (*self.commands, *HELP_NAMES["help_option_names"])
            return super().parse_args(ctx, [self.DEFAULT, *args] if is_default else args)

    return Group


class PlainCommand(TyperCommand):
    """A command with a usage line of plain metavars."""

    def get_params(self, ctx: Any) -> list[Any]:
        return with_lazy_coercion(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [parameter for parameter in self.get_params(ctx) if parameter.param_type_name == "argument"]
        return ["[OPTIONS]", *map(usage_of, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for kind, title in (("argument", "Arguments"), ("option", "Options")):
            parameters = [parameter for parameter in self.get_params(ctx) if parameter.param_type_name == kind]
            records = [record for parameter in parameters if (record := parameter.get_help_record(ctx))]
            if kind == "argument":
                records = [(name_of_argument(name), text) for name, text in records]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def usage_of(argument: Any) -> str:
    """Write an argument in a usage line: in brackets if it is optional."""
    name: str = argument.metavar or argument.name.upper()
    if not argument.required and not name.startswith("["):
        name = f"[{name}]"
    return name + "..." * (argument.nargs != 1 and not name.endswith("..."))


def name_of_argument(shown: str) -> str:
    """Return the name of an argument in the list, without its type.

    >>> name_of_argument("[INPUT] <str>")
    'INPUT'
    """
    return shown.partition(" <")[0].strip("[]").removesuffix("...").removesuffix("]")

"""`treewright`: the list of commands, help, version, errors and exit codes.

The module of a command is imported only when the command runs, so that `treewright eval` does not import what
`treewright train` needs.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from typing import Annotated, Any

import typer

import treewright
from treewright.cli.options import HELP_NAMES, LazyGroup
from treewright.cli.summaries import SUMMARIES
from treewright.cli.usage import UsageError, usage_message
from treewright.errors import InputError, MissingComponentError, NameWarning

COMMANDS = tuple(SUMMARIES)
MAKERS = {  # kind of component -> the command that makes one
    "tokeniser": "treewright train --only tokeniser TRAIN",
    "words": "treewright words TEXT",
    "tagger": "treewright train --only tagger TRAIN",
    "parser": "treewright train --only parser TRAIN",
    "graph parser": "treewright train --only graphs TRAIN",
    "induced parser": "treewright induce",
    "network": "treewright train --neural TRAIN",
    "pipeline": "treewright train TRAIN",
    "lexicalised grammar": "treewright grammar train --kind collins TREES",
    "grammar with dependencies": "treewright grammar train --with dependencies TREES",
    "grammar with tagger": "treewright grammar train --with tags TREES",
    "treebank grammar": "treewright grammar train --kind treebank TREES",
    "latent-variable grammar": "treewright grammar train --kind latent TREES",
}

# New objects between two searches for garbage, 700 by default. Start makes hundreds of thousands that all stay; a tenth
# of its time went into searching them.
GARBAGE_THRESHOLD = 100_000

HELP = """Find the structure of sentences: read, evaluate, draw, train, parse, with proofs.

Where a file is read, "-" is standard input; results go to standard output unless -o is given.
Exit status: 0 done, 1 bad input (named with file and line), 2 bad usage.
"""


class Commands(LazyGroup):
    """The commands; a reader that closes the pipe early is no error, and Ctrl-C ends with a sentence."""

    PACKAGE = "treewright.cli"
    NAMES = COMMANDS
    SUMMARIES = SUMMARIES

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader has closed the pipe: `treewright show file | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except KeyboardInterrupt as interrupt:  # a command may say what it leaves
            print(": ".join(["treewright: interrupted", *map(str, interrupt.args)]), file=sys.stderr)
            sys.exit(130)


app = typer.Typer(
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP_NAMES,
)


def show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"treewright {treewright.__version__}")
        raise typer.Exit


@app.callback()
def treewright_(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    gc.set_threshold(GARBAGE_THRESHOLD)
    # Typer checks values with Pydantic, which would search all installed packages for plugins of its own.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # SIGTERM raises an exception like Ctrl-C, so that no incomplete file is left behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", NameWarning)
            warnings.showwarning = show_warning  # type: ignore[assignment]
            sys.exit(app(prog_name="treewright", standalone_mode=False))
    except UsageError as error:
        print(usage_message(error), file=sys.stderr)
        sys.exit(2)
    except (InputError, OSError) as error:
        print(f"treewright: {message_of(error)}", file=sys.stderr)
        sys.exit(1)


def show_warning(message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Print a warning for the user in one line, without the place in the source that Python prints."""
    print(f"treewright: {message}", file=sys.stderr)


def message_of(error: Exception) -> str:
    """Return the message of an error, with the commands that make a component that is missing."""
    if isinstance(error, MissingComponentError):
        return f"{error}; {' or '.join(f'`{MAKERS[kind]}`' for kind in error.kinds)} makes one"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)

"""Every table of the papers in one report: `treewright reproduce all DATA -o report.md`.

The report has a section for each table: the command that prints it, and what it printed. A table whose treebanks are
not in DATA has a line that says which is missing. The quick form trains on a few sentences; it shows that all commands
run, not what the papers claim.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from treewright import __version__
from treewright.cli.options import PlainCommand, Quiet, examples, new_app, output_option
from treewright.corpus import replacing
from treewright.errors import InputError
from treewright.papers.common import Report, Steps, silence, steps

DATA = "DATA"  # stands for the data folder in the commands below


@dataclass(frozen=True)
class Table:
    """A table or figure: its command, and the options with which it is quick."""

    command: str
    quick: str = ""
    folder: str = ""  # under the data folder, if the treebanks of the command are there

    def arguments(self, data: Path, quick: bool) -> list[str]:
        """Return the arguments of `treewright reproduce`."""
        words = f"{self.command} {self.quick}" if quick else self.command
        return [str(data / self.folder) if word == DATA else word for word in words.split()]


FEW = "--max-sentences 60"
FEW_TREES = "--max-sentences 60 --test-sentences 10 --weight 2"
FEW_PARSES = "--max-sentences 60 --test-sentences 10"
SMALLEST = "ud/Hungarian-Szeged"
TABLES = (
    Table(f"danish accuracy {DATA}", "--models arc --seeds 1"),
    Table(f"koo2010 table1 {DATA}", f"{FEW} --treebanks {SMALLEST}"),
    Table("koo2010 table2", "--instances 2"),
    Table(f"koo2010 table2-trained {DATA}", f"{FEW} --treebank {SMALLEST} --instances 2 --length 10"),
    Table(f"koo2010 table3 {DATA}", f"{FEW} --treebanks {SMALLEST}"),
    Table(f"koo2010 figures {DATA}", f"{FEW} --treebank {SMALLEST}"),
    Table(f"koo2010 free {DATA}", f"{FEW} --treebanks {SMALLEST}"),
    Table(f"rush2010 table1 {DATA}", FEW_TREES),
    Table(f"rush2010 table1 {DATA} --steps halving", FEW_TREES),
    Table(f"rush2010 figure5 {DATA}", FEW_TREES),
    Table(f"rush2010 table3 {DATA}", FEW_TREES),
    Table(f"rush2010 table2 {DATA} --treebank trees/English-GUM", FEW_TREES),
    Table(f"rush2010 table3 {DATA} --treebank trees/English-GUM", FEW_TREES),
    Table(f"mcdonald2006 table1 {DATA}", f"{FEW} --treebank {SMALLEST}"),
    Table(f"mcdonald2006 table2 {DATA}", f"{FEW} --treebank {SMALLEST}"),
    Table(f"mcdonald2006 table3 {DATA}", FEW),
    Table(f"jiang2017 table1 {DATA}", folder="ud-1.4"),
    Table(f"jiang2017 table2 {DATA}", folder="ud-1.4"),
    Table(f"jiang2017 figure1 {DATA}", folder="ud-1.4"),
    *(Table(f"zhang2014 table{n} {DATA}", f"{FEW_PARSES} --treebanks {SMALLEST}") for n in range(1, 6)),
    Table(f"zhang2014 table6 {DATA}", f"{FEW_PARSES} --treebanks {SMALLEST} --climbs 10"),
    Table(f"zhang2014 figure4 {DATA}", f"{FEW_PARSES} --treebanks {SMALLEST}"),
    Table(f"zhang2014 figure5 {DATA}", f"{FEW_PARSES} --treebanks {SMALLEST} --climbs 10"),
    Table(f"zhang2014 figure6 {DATA}", f"{FEW_PARSES} --treebanks {SMALLEST}"),
    Table(
        f"huang2010 grid {DATA}",
        "--gold-trees 30 --raw-sentences 20 --dev-sentences 5 --test-sentences 5 --grammars 2 --rounds 1",
    ),
)


def sections(
    data: Path, tables: Sequence[Table] = TABLES, *, quick: bool = False, report: Report = silence
) -> Iterator[str]:
    """Run the command of each table and yield its section; `report` is called before each."""
    step = Steps(report, len(tables))
    for table in tables:
        name = " ".join(table.command.split()[:2])
        step(name)
        arguments = table.arguments(data, quick)
        try:
            body = f"```\n{printed(arguments)}\n```"
        except (InputError, OSError) as error:
            body = f"Not run: {str(error).replace(str(data), DATA)}"
        shown = shlex.join(word.replace(str(data), DATA, 1) for word in arguments)
        yield f"## {name}\n\n`treewright reproduce {shown}`\n\n{body}\n"


def printed(arguments: Sequence[str]) -> str:
    """Run a command of `treewright reproduce` and return what it prints."""
    from treewright.cli.reproduce import app

    output = StringIO()
    with redirect_stdout(output):
        typer.main.get_command(app).main([*arguments, "--quiet"], standalone_mode=False)
    return "\n".join(line.rstrip() for line in output.getvalue().strip("\n").splitlines())


# -- command

HELP = (
    "Run the tables of all papers and write one report.\n\n"
    "DATA is a folder with treebanks; a table whose treebanks are not there has a line that says so. Without --quick "
    "this takes many hours; the report is written again after each table."
) + examples("treewright reproduce all data -o report.md", "treewright reproduce all data -o report.md --quick")
app = new_app("Every table of the papers in one report.")


@app.command("all", help=HELP, cls=PlainCommand)
def all_command(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks.")],
    output: Annotated[Path, output_option("a Markdown file.")],
    quick: Annotated[bool, typer.Option("--quick", help="Train on a few sentences.")] = False,
    quiet: Quiet = False,
) -> None:
    day = datetime.now(UTC).date()
    text = f"# Tables of the papers\n\nTreewright {__version__}, {day}{', quick form' if quick else ''}.\n"
    is_device = output.exists() and not output.is_file()  # what is written to a device or a pipe stays
    with steps(quiet) as report:
        for section in sections(data, quick=quick, report=report):
            text += f"\n{section}"
            if not is_device:
                write_report(text, output)
    if is_device:
        write_report(text, output)


def write_report(text: str, output: Path) -> None:
    with replacing(output) as beside:
        beside.write_text(text, encoding="utf-8")

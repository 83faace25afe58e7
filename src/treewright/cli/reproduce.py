"""`treewright reproduce PAPER TABLE`: runs an experiment of a paper and prints the published figures beside."""

from __future__ import annotations

from treewright.cli.options import examples, new_app
from treewright.cli.reproduce_huang import huang2010
from treewright.cli.reproduce_jiang import jiang2017
from treewright.cli.reproduce_koo import koo2010
from treewright.cli.reproduce_mcdonald import mcdonald2006
from treewright.cli.reproduce_rush import rush2010
from treewright.cli.reproduce_zhang import zhang2014

HELP = ("Run an experiment of a paper and print its published figures beside.") + examples(
    "treewright reproduce koo2010 table2",
    "treewright reproduce jiang2017 table1 data/ud-1.4",
)
app = new_app(HELP)
app.add_typer(koo2010, name="koo2010")
app.add_typer(jiang2017, name="jiang2017")
app.add_typer(mcdonald2006, name="mcdonald2006")
app.add_typer(rush2010, name="rush2010")
app.add_typer(huang2010, name="huang2010")
app.add_typer(zhang2014, name="zhang2014")

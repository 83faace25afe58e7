"""`treewright reproduce PAPER TABLE`: runs an experiment of a paper and prints the published figures beside."""

from __future__ import annotations

from treewright.cli import options as opt


class Papers(opt.LazyGroup):
    PACKAGE = "treewright.papers"
    NAMES = ("all", "danish", "koo2010", "rush2010", "mcdonald2006", "jiang2017", "zhang2014", "huang2010")


app = opt.new_group(
    "reproduce",
    "",
    "treewright reproduce koo2010 table2",
    "treewright reproduce jiang2017 table1 data/ud-1.4",
    cls=Papers,
)


@app.callback()
def reproduce() -> None:
    pass

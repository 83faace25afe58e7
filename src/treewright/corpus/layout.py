"""The columns of a format: CoNLL-U, CoNLL-X, and those that a CoNLL-U Plus file declares."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.errors import InputError

# CoNLL-X has two columns under older names; the newer names find them too.
OLDER_NAMES = {"CPOSTAG": "UPOS", "POSTAG": "XPOS"}


@dataclass(frozen=True)
class Layout:
    """The columns of a file, in order, and where each is found.

    >>> CONLLX.index["UPOS"], CONLLX.columns[3]
    (3, 'CPOSTAG')
    """

    format: str
    columns: tuple[str, ...]
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {name: number for number, name in enumerate(self.columns)}
        for older, name in OLDER_NAMES.items():
            if older in index:
                index.setdefault(name, index[older])
        object.__setattr__(self, "index", index)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)

    def declaration(self) -> str:
        """Return the line with which a CoNLL-U Plus file begins."""
        return f"# global.columns = {' '.join(self.columns)}"

    def check_has(self, column: str, place: str) -> None:
        """Raise an InputError that names the place if there is no such column to write to."""
        if column not in self.index:
            columns = " ".join(self.columns)
            remedy = 'treewright.write(..., format="conllu") writes all ten of CoNLL-U'
            raise InputError(f"{place}: no column {column} to write to, only {columns}; {remedy}")


CONLLU = Layout("conllu", ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"))
CONLLX = Layout("conllx", ("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"))
LAYOUTS = {"conllu": CONLLU, "conllx": CONLLX}
CONLLX_EXTENSIONS = (".conll", ".conllx", ".conll06", ".conll07")
CONLLX_WIDTHS = (6, 8, 10)  # a test file without annotation ends with FEATS, the output of some parsers with DEPREL

"""Templates as data; sentence in, scored parts out."""

from treewright.features.atoms import ATOMS, Encoded, Encoder, atom_number, common_words
from treewright.features.scoring import Labeller, Scorer, parse_sentences
from treewright.features.templates import (
    Templates,
    arc_tables,
    beyond_tables,
    grandparent_tables,
    label_tables,
    sibling_tables,
)

__all__ = [
    "ATOMS", "Encoded", "Encoder", "Labeller", "Scorer", "Templates", "arc_tables", "atom_number",
    "beyond_tables", "common_words", "grandparent_tables", "label_tables", "parse_sentences",
    "sibling_tables",
]  # fmt: skip

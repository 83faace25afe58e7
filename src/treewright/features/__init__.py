"""Maps a sentence to scored parts: templates as data, hashed atoms, scorers."""

from treewright.features.atoms import ATOMS, REACH, Encoded, Encoder, atom_number, common_words
from treewright.features.scoring import AtomBatch, Labeller, Scorer
from treewright.features.templates import (
    Templates,
    arc_tables,
    beyond_tables,
    grandparent_tables,
    label_tables,
    marked_by_place,
    sibling_tables,
)

__all__ = [
    "ATOMS", "REACH", "AtomBatch", "Encoded", "Encoder", "Labeller", "Scorer", "Templates", "arc_tables", "atom_number",
    "beyond_tables", "common_words", "grandparent_tables", "label_tables", "marked_by_place",
    "sibling_tables",
]  # fmt: skip

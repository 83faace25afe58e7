"""Maps a sentence to scored parts: templates as data, hashed atoms, scorers."""

from treewright.features.atoms import ATOMS, REACH, Encoded, Encoder, WordVectors, atom_number, common_words
from treewright.features.factors import tree_scorer, without_groups
from treewright.features.scoring import AtomBatch, Labeller, Scorer, TensorScorer, TreeScorer
from treewright.features.templates import (
    Templates,
    arc_tables,
    beyond_tables,
    grandparent_tables,
    label_tables,
    marked_by_place,
    sibling_tables,
    tensor_tables,
)

__all__ = [
    "ATOMS", "REACH", "AtomBatch", "Encoded", "Encoder", "Labeller", "Scorer", "Templates", "TensorScorer",
    "TreeScorer", "WordVectors", "arc_tables", "atom_number", "beyond_tables", "common_words", "grandparent_tables",
    "label_tables", "marked_by_place", "sibling_tables", "tensor_tables", "tree_scorer", "without_groups",
]  # fmt: skip

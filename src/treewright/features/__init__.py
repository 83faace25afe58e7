"""Maps a sentence to scored parts: templates as data, hashed atoms, scorers."""

from treewright._core import AtomBatch, Labeller, Scorer, TensorScorer, TreeScorer
from treewright.features.atoms import ATOMS, Encoder, atom_number, common_words
from treewright.features.factors import tree_scorer
from treewright.features.templates import Templates, arc_tables, label_tables, part_tables, tensor_tables

__all__ = [
    "ATOMS", "AtomBatch", "Encoder", "Labeller", "Scorer", "Templates", "TensorScorer", "TreeScorer", "arc_tables",
    "atom_number", "common_words", "label_tables", "part_tables", "tensor_tables", "tree_scorer",
]  # fmt: skip

"""Templates as data; sentence in, scored parts out."""

from treewright.features.atoms import ATOMS, Encoded, Encoder, atom_number, common_words
from treewright.features.scoring import (
    Labeller,
    Learner,
    Scorer,
    add_cost,
    beliefs,
    crossing_gradient,
    difference,
    expectations,
    free_difference,
    gradient,
    kept_arcs,
    parse_sentences,
)
from treewright.features.templates import (
    Templates,
    arc_tables,
    beyond_tables,
    grandparent_tables,
    label_tables,
    sibling_tables,
)

__all__ = [
    "ATOMS", "Encoded", "Encoder", "Labeller", "Learner", "Scorer", "Templates", "add_cost", "arc_tables",
    "atom_number", "beliefs", "beyond_tables", "common_words", "crossing_gradient", "difference", "expectations",
    "free_difference", "gradient", "grandparent_tables", "kept_arcs", "label_tables", "parse_sentences",
    "sibling_tables",
]  # fmt: skip

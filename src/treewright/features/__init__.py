"""Maps a sentence to scored parts: templates as data, hashed atoms, scorers."""

from treewright.features.atoms import ATOMS, Encoder, atom_number
from treewright.features.templates import Templates

__all__ = ["ATOMS", "Encoder", "Templates", "atom_number"]

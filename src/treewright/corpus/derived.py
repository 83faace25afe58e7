"""What other cells and comments say about a tree. It no longer holds when the tree is replaced."""

from __future__ import annotations

CERTIFICATE = "treewright"  # the comment with the certificate of a tree
PROBABILITIES = ("Confidence", "LabelConfidence")  # the items of MISC with the probabilities of heads and relations


def without_probabilities(cell: str) -> str:
    """A MISC cell without the probabilities of an earlier tree.

    >>> without_probabilities("SpaceAfter=No|Confidence=0.93"), without_probabilities("Confidence=0.93")
    ('SpaceAfter=No', '_')
    """
    kept = [item for item in cell.split("|") if item.partition("=")[0] not in PROBABILITIES]
    return "|".join(kept) or "_"


def without_certificate(comments: list[str]) -> list[str]:
    """Comments without the certificate of an earlier tree."""
    return [line for line in comments if not line.startswith(f"# {CERTIFICATE} =")]

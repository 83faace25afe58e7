"""Proofs of optimality and their checker, which imports no decoder."""

from treewright.proofs.proof import Proof
from treewright.proofs.verify import Verified, verify

__all__ = ["Proof", "Verified", "verify"]

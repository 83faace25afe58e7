"""Proofs of optimality and the checker, which imports no decoder."""

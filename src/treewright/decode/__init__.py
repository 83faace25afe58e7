"""Scores in, best structure out; one module an algorithm."""

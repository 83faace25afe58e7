"""Parsing with no treebank."""

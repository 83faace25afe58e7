"""Trigram tagger and tokeniser."""

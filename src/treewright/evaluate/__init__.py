"""Attachment scores, brackets, graphs, breakdowns, significance."""

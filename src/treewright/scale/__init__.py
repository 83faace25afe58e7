"""Corpora larger than a machine: a plan of shards, a ledger of those that are done, workers here or on a cluster."""

from treewright.scale.job import Progress, Result, parse_corpus
from treewright.scale.plan import Settings

__all__ = ["Progress", "Result", "Settings", "parse_corpus"]

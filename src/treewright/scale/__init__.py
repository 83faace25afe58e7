"""Corpora larger than a machine: a plan of shards, a ledger of those that are done, workers here or on a cluster."""

from treewright.scale.job import Progress, Result, parse_corpus, plan_corpus, run_shard
from treewright.scale.plan import Settings
from treewright.scale.shards import Done

__all__ = ["Done", "Progress", "Result", "Settings", "parse_corpus", "plan_corpus", "run_shard"]

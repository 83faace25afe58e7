"""A small network beside the linear models: an encoder of sentences that scores arcs, labels and tags."""

from treewright.network.network import Network
from treewright.network.options import NetworkOptions
from treewright.network.worker import Reading

__all__ = ["Network", "NetworkOptions", "Reading"]

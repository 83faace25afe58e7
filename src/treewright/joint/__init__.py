"""Models that agree by dual decomposition."""

from treewright.joint.arcs import JointParse, agree_on_arcs

__all__ = ["JointParse", "agree_on_arcs"]

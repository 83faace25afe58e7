"""Models that agree by dual decomposition (Rush et al. 2010).

`GrammarWithDependencies` is Collins' model 1 and a dependency parser that agree on arcs, trained on the same trees;
`agree_on_arcs` is the combination itself, for a forest and scored dependencies of any origin. `GrammarWithTagger` is
model 1, or a treebank grammar, and a trigram tagger that agree on tags; `agree_on_tags` is the combination.
"""

from treewright.joint.agreement import JointParse, TagParse
from treewright.joint.arcs import agree_on_arcs
from treewright.joint.dependencies import GrammarWithDependencies
from treewright.joint.model import JointOptions
from treewright.joint.taggers import Trigrams
from treewright.joint.tagging import GrammarWithTagger
from treewright.joint.tags import agree_on_tags

__all__ = [
    "GrammarWithDependencies", "GrammarWithTagger", "JointOptions", "JointParse", "TagParse", "Trigrams",
    "agree_on_arcs", "agree_on_tags",
]  # fmt: skip

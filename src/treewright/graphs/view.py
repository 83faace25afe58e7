"""A sentence with its tree as plain lists: what paths, labels and features of edges are read from."""

from __future__ import annotations

from treewright.caching import cached_property
from treewright.corpus import Sentence

ROOT_RELATION = ""  # in place of the relation of node 0


class TreeView:
    """The tree of a sentence; every list has an entry for node 0, then one for each word."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.heads: list[int] = [-1, *sentence.heads.tolist()]
        self.relations: list[str] = [ROOT_RELATION, *sentence.deprels]
        self.bases = [relation.partition(":")[0] for relation in self.relations]  # without subtypes
        self.suffixes: dict[int, dict[str, str]] = {}  # of labels, by node; filled by treewright.graphs.labels

    @property
    def nodes(self) -> int:
        """The words and the root."""
        return len(self.heads)

    @cached_property
    def modifiers(self) -> list[list[int]]:
        """The modifiers of each node, from left to right."""
        modifiers: list[list[int]] = [[] for _ in self.heads]
        for modifier in range(1, len(self.heads)):
            modifiers[self.heads[modifier]].append(modifier)
        return modifiers

    @cached_property
    def lemmas(self) -> list[str]:
        """The lemmas in lower case; the form where there is none."""
        pairs = zip(self.sentence.lemmas, self.sentence.forms, strict=True)
        return ["", *((form if lemma == "_" else lemma).lower() for lemma, form in pairs)]

    @cached_property
    def forms(self) -> list[str]:
        """The forms in lower case."""
        return ["", *map(str.lower, self.sentence.forms)]

    @cached_property
    def feats(self) -> list[str]:
        """The morphological features."""
        return ["_", *self.sentence.feats]

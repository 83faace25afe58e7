"""The kinds of grammars: what all of them have, and how one is trained by the name of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from treewright.component import GRAMMARS, component_class
from treewright.corpus import Tree
from treewright.grammar.result import PhraseParse


class Grammar(Protocol):
    """A model that finds phrase-structure trees."""

    def parse(
        self, words: Sequence[str], *, tags: Sequence[str | None] | None = None, partial: bool = False
    ) -> PhraseParse:
        """The best tree of a sentence; see `TreebankGrammar.parse`."""

    def save(self, path: Any, /) -> None:
        """Write a model file."""


def train(kind: str, trees: Sequence[Tree], dev: Sequence[Tree] | None, options: Mapping[str, Any]) -> Grammar:
    """A grammar of a kind, trained on trees; options are the keywords of its `train`."""
    made: Any = component_class(GRAMMARS[kind])
    return cast(Grammar, made.train(trees, dev, **options))

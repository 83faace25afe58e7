"""Feature sets of the papers as data, beside ours: they tell the effect of a learner or a search from that of features.

Arc, sibling and grandparent templates are the published ones, with the atoms of this parser: the form in lower case for
the word, the treebank's own tag for the part of speech, the universal tag for the coarse one. Direction and distance
join every template, as in the papers. The pruner, the labels, third-order parts and the tensor are ours in every set,
so that candidate arcs are the same.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treewright.errors import InputError
from treewright.features import Templates
from treewright.features.standard import STANDARD
from treewright.features.templates import lines
from treewright.parser.options import GRANDPARENTS

# McDonald, Crammer & Pereira (2005), table 1: unigrams, bigrams, tags between, tags beside. Their prefixes of five
# letters for long words are left out.
MCDONALD_ARC = lines(
    """
    h.form h.xpos | h.form | h.xpos | m.form m.xpos | m.form | m.xpos
    h.form h.xpos m.form m.xpos
    h.xpos m.form m.xpos | h.form m.form m.xpos | h.form h.xpos m.xpos | h.form h.xpos m.form
    h.form m.form | h.xpos m.xpos
    h.xpos b.xpos m.xpos
    h.xpos h+1.xpos m-1.xpos m.xpos | h-1.xpos h.xpos m-1.xpos m.xpos | h.xpos h+1.xpos m.xpos m+1.xpos
    h-1.xpos h.xpos m.xpos m+1.xpos
    """
)
# McDonald & Pereira (2006), section 5.
MCDONALD_SIBLING = lines(
    """
    h.xpos s.xpos m.xpos
    s.xpos m.xpos | s.form m.form | s.form m.xpos | s.xpos m.form
    """
)
# Carreras (2007), second-order features of a head, its modifier and a third word: a sibling, or a modifier's modifier.
CARRERAS_SIBLING = lines(
    """
    h.upos m.upos s.upos
    h.upos s.upos | m.upos s.upos | h.form s.form | m.form s.form | h.upos s.form | m.upos s.form
    h.form s.upos | m.form s.upos
    """
)
CARRERAS_GRANDPARENT = lines(
    """
    g.upos h.upos m.upos
    g.upos m.upos | h.upos m.upos | g.form m.form | h.form m.form | g.upos m.form | h.upos m.form
    g.form m.upos | h.form m.upos
    """
)
# His arcs have the morphological features and the coarse tags of both words beside McDonald's templates.
CARRERAS_ARC = MCDONALD_ARC + lines("h.upos m.upos h.each m.each | h.upos m.upos | h.upos m.upos b.upos")


Features = Literal["standard", "carreras2007", "mcdonald2006"]
FEATURE_SETS: dict[str, Templates] = {
    "standard": STANDARD,
    "carreras2007": STANDARD._replace(
        arc=CARRERAS_ARC, sibling=CARRERAS_SIBLING, grandparent=CARRERAS_GRANDPARENT, beyond=CARRERAS_GRANDPARENT[:1]
    ),
    "mcdonald2006": STANDARD._replace(arc=MCDONALD_ARC, sibling=MCDONALD_SIBLING, grandparent=(), beyond=()),
}

FeaturesOption = Annotated[
    Features,
    typer.Option(
        "--features",
        help="Templates of arcs, siblings and grandparents: ours (standard), those of Carreras (2007), which Koo et "
        "al. (2010) follow, or those of McDonald and Pereira (2006), which have no grandparents.",
    ),
]


def templates_of(features: str, model: str) -> Templates:
    """Return the templates of a feature set, by its name, for a model that it has features for."""
    templates = FEATURE_SETS[features]
    if model in GRANDPARENTS and not templates.grandparent:
        raise InputError(
            f"the features {features} have no grandparents, which the model {model} scores; give --features "
            "carreras2007 or standard, or leave the model out"
        )
    return templates

"""Labels of edges as templates, which are filled in from the tree.

A template is a literal label ("=ref"), or a relation of the path with or without its subtype, and perhaps a suffix:
"m" is the relation of the modifier, "up" that of the highest word on the way up ("up case": with the modifier's
adpositions, as in nmod:of), "h" that of the head. The suffixes of Universal Dependencies are the lemmas or forms of
function words, or the case of the word; those of the word `upper` end with "@up".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from treewright.graphs.paths import Pair
from treewright.graphs.view import TreeView

COPY = "m"  # the template of an edge that has the label of its tree arc
CORES = ("m", "up", "h", "m.base", "up.base", "h.base")
FUNCTION_WORDS = ("case", "mark", "cc", "advmod")  # relations whose words extend a label
CONJUNCT, COORDINATOR, FIXED = "conj", "cc", "fixed"
SUFFIXES = (
    *(f"{kind}{part}{text}" for text, part, kind in product(("", ".form"), ("", ".first", ".last"), FUNCTION_WORDS)),
    *("next", "previous", "head"),  # the coordinator of another conjunct
    *("Case", "case+Case"),  # the case of the word, alone or after its adpositions
)
TEMPLATES = (
    *CORES,
    *(f"{core} {suffix}{at}" for core in CORES for at in ("", "@up") for suffix in SUFFIXES),
)


def label_of(template: str, view: TreeView, pair: Pair) -> str | None:
    """Return the label that a template gives to an edge; None if the words that it needs are not there."""
    if template[0] == "=":
        return template[1:]
    core, _, suffix = template.partition(" ")
    relation = _relation(core, view, pair)
    if not relation:
        return None
    if not suffix:
        return relation
    kind, _, at = suffix.partition("@")
    text = suffixes_of(view, pair.upper if at else pair.modifier).get(kind)
    return None if text is None else f"{relation}:{text}"


def _relation(core: str, view: TreeView, pair: Pair) -> str:
    role, _, base = core.partition(".")
    node = pair.modifier if role == "m" else pair.upper if role == "up" else pair.head
    return view.bases[node] if base else view.relations[node]


def suffixes_of(view: TreeView, node: int) -> dict[str, str]:
    """Return the suffixes that a word offers, by the name of their source."""
    suffixes = view.suffixes.get(node)
    if suffixes is None:
        suffixes = view.suffixes[node] = dict(_suffixes(view, node))
    return suffixes


def _suffixes(view: TreeView, node: int) -> Iterator[tuple[str, str]]:
    by_kind: dict[str, list[int]] = {}
    for child in view.modifiers[node]:
        if view.bases[child] in FUNCTION_WORDS:
            by_kind.setdefault(view.bases[child], []).append(child)
    for kind, words in by_kind.items():
        for texts, ending in ((view.lemmas, ""), (view.forms, ".form")):
            phrases = [_phrase(view, texts, word) for word in words]
            yield f"{kind}{ending}", "_".join(phrases)
            yield f"{kind}.first{ending}", phrases[0]
            yield f"{kind}.last{ending}", phrases[-1]
    yield from _coordinators(view, node)
    if case := _case_of(view.feats[node]):
        yield "Case", case
        if "case" in by_kind:
            phrases = [_phrase(view, view.lemmas, word) for word in by_kind["case"]]
            yield "case+Case", f"{'_'.join(phrases)}:{case}"


def _phrase(view: TreeView, texts: list[str], word: int) -> str:
    """A function word with the words of a fixed expression: because_of."""
    fixed = [texts[child] for child in view.modifiers[word] if view.bases[child] == FIXED]
    return "_".join([texts[word], *fixed])


def _coordinators(view: TreeView, node: int) -> Iterator[tuple[str, str]]:
    """The coordinators of the next and of the previous conjunct that has one, and of the first."""
    if view.bases[node] != CONJUNCT:
        return
    with_words = [
        (other, words[0])
        for other in view.modifiers[view.heads[node]]
        if view.bases[other] == CONJUNCT and other != node and (words := _coordinators_of(view, other))
    ]
    after = [word for other, word in with_words if other > node]
    before = [word for other, word in with_words if other < node]
    of_head = _coordinators_of(view, view.heads[node])
    for name, words, index in (("next", after, 0), ("previous", before, -1), ("head", of_head, -1)):
        if words:
            yield name, _phrase(view, view.lemmas, words[index])


def _coordinators_of(view: TreeView, node: int) -> list[int]:
    return [child for child in view.modifiers[node] if view.bases[child] == COORDINATOR]


def _case_of(feats: str) -> str:
    for feature in feats.split("|"):
        if feature.startswith("Case="):
            return feature[5:].lower()
    return ""


def templates_for(label: str, view: TreeView, pair: Pair) -> list[str]:
    """Return the templates that give this label to an edge, literal labels excluded.

    >>> from treewright.corpus import Sentence
    >>> columns = {"heads": [2, 3, 0], "deprels": ["case", "obl", "root"]}
    >>> view = TreeView(Sentence.from_words(["In", "spring", "go"], lemmas=["in", "spring", "go"], **columns))
    >>> templates_for("obl:in", view, Pair(0, 2, 3, 3, 2, 3))[0]
    'm case'
    """
    templates = []
    for core in CORES:
        relation = _relation(core, view, pair)
        if label == relation:
            templates.append(core)
        elif relation and label.startswith(f"{relation}:"):
            rest = label[len(relation) + 1 :]
            for node, at in ((pair.modifier, ""), (pair.upper, "@up")):
                templates += [f"{core} {kind}{at}" for kind, text in suffixes_of(view, node).items() if text == rest]
    return templates


def is_template(text: str) -> bool:
    """Return whether a text is one of the templates, or a literal label."""
    return text in _KNOWN or (len(text) > 1 and text[0] == "=")


_KNOWN = frozenset(TEMPLATES)

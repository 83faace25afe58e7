"""How far layers agree: attachment scores and Cohen's kappa for each pair, and the words about which they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from treewright.annotate.answers import Op, ProjectError
from treewright.annotate.draft import OPEN
from treewright.annotate.view import cells_of
from treewright.corpus import Sentence
from treewright.evaluate import evaluate

COMPARED = ("HEAD", "DEPREL", "UPOS", "XPOS", "LEMMA", "FEATS")


@dataclass(frozen=True)
class Pair:
    """Two layers, on the sentences that both have accepted.

    uas and las are counted as `treewright eval` does (las without subtypes); words that are divided otherwise count as
    different. The other figures are of the words of sentences that both divide alike: kappa_upos is Cohen's
    kappa of tags, kappa_relations the kappa of relations where the heads agree; None if there are no such words.
    """

    a: str
    b: str
    sentences: int
    words: int
    different_words: int
    uas: float
    las: float
    upos: float
    kappa_upos: float | None
    kappa_relations: float | None


@dataclass(frozen=True)
class Report:
    """The agreement of layers, pair by pair."""

    layers: tuple[str, ...]
    pairs: tuple[Pair, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"layers": list(self.layers), "pairs": [asdict(pair) for pair in self.pairs]}

    def __str__(self) -> str:
        counted, scored = ("sentences", "words", "differ"), ("UAS", "LAS", "UPOS κ", "rel. κ")
        lines = [f"{'layers':24}" + "".join(f"{name:>10}" for name in (*counted, *scored))]
        for pair in self.pairs:
            kappas = ["-" if kappa is None else f"{kappa:.3f}" for kappa in (pair.kappa_upos, pair.kappa_relations)]
            figures = pair.sentences, pair.words, pair.different_words, f"{100 * pair.uas:.2f}", f"{100 * pair.las:.2f}"
            lines.append(f"{f'{pair.a}, {pair.b}':24}" + "".join(f"{figure:>10}" for figure in (*figures, *kappas)))
        return "\n".join(lines)


def report(versions: Mapping[str, Mapping[int, Sentence]]) -> Report:
    """Compare layers, each given by its accepted sentences by number, where two have accepted the same ones."""
    if len(versions) < 2:
        raise ProjectError(f"{len(versions)} layer given; agreement needs two or more")
    with_common = [(a, b) for a, b in combinations(versions, 2) if versions[a].keys() & versions[b].keys()]
    if not with_common:
        raise ProjectError(f"{' and '.join(versions)} have no accepted sentence in common")
    pairs = [compare(a, b, versions[a], versions[b]) for a, b in with_common]
    return Report(tuple(versions), tuple(pairs))


def compare(a: str, b: str, of_a: Mapping[int, Sentence], of_b: Mapping[int, Sentence]) -> Pair:
    """Compare two layers on the sentences that both have."""
    common = [number for number in of_a if number in of_b]
    left, right = [of_a[number] for number in common], [of_b[number] for number in common]
    scores = evaluate(left, right)
    tags: list[tuple[str, str]] = []
    relations: list[tuple[str, str]] = []
    different = 0
    for one, other in zip(left, right, strict=True):
        if one.forms != other.forms:
            continue
        tags += zip(one.upos, other.upos, strict=True)
        heads = zip(one.heads.tolist(), other.heads.tolist(), strict=True)
        labels = zip(one.deprels, other.deprels, strict=True)
        relations += [pair for pair, (head, rival) in zip(labels, heads, strict=True) if head == rival]
        different += len(differences({a: one, b: other}))
    same_tags = sum(x == y for x, y in tags) / len(tags) if tags else 0.0
    return Pair(
        *(a, b, len(common), sum(map(len, left)), different),
        *(scores["UAS"].f1, scores["LAS"].f1, same_tags, kappa(tags), kappa(relations)),
    )


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return Cohen's kappa of pairs of labels: agreement above chance, as a share of what is possible.

    >>> kappa([("a", "a"), ("b", "b"), ("a", "b"), ("b", "b")])
    0.5
    """
    if not pairs:
        return None
    total = len(pairs)
    observed = sum(a == b for a, b in pairs) / total
    of_a, of_b = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(of_a[label] * of_b[label] for label in of_a) / total**2
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


Answers = dict[str, dict[str, str]]  # layer -> column -> value


def differences(versions: Mapping[str, Sentence]) -> list[tuple[int, str, Answers]]:
    """Return the words about which versions differ: number, form, and the cells that differ by layer.

    Head and relation are one answer. A sentence that is divided into other words is one difference, of word 0.
    """
    sentences = list(versions.values())
    if any(sentence.forms != sentences[0].forms for sentence in sentences):
        return [(0, "", {name: {"FORM": " | ".join(sentence.forms)} for name, sentence in versions.items()})]
    listed = []
    for word in range(1, len(sentences[0]) + 1):
        cells = {name: cells_of(sentence, word) for name, sentence in versions.items()}
        columns = [name for name in COMPARED if len({values[name] for values in cells.values()}) > 1]
        if "HEAD" in columns or "DEPREL" in columns:
            columns = ["HEAD", "DEPREL", *(name for name in columns if name not in ("HEAD", "DEPREL"))]
        if columns:
            answers = {name: {column: values[column] for column in columns} for name, values in cells.items()}
            listed.append((word, sentences[0].forms[word - 1], answers))
    return listed


def ops_of(word: int, answer: Mapping[str, str]) -> list[Op]:
    """Return the operations that take an answer."""
    if not word:
        return []
    ops: list[Op] = []
    if "HEAD" in answer:
        ops.append({"kind": "head", "word": word, "head": int(answer["HEAD"]), "deprel": answer["DEPREL"]})
    others = [name for name in answer if name not in ("HEAD", "DEPREL")]
    return ops + [{"kind": name.lower(), "word": word, name.lower(): answer[name]} for name in others]


def agreed_cells(versions: Mapping[str, Sentence], original: Sentence) -> dict[str, dict[str, str]] | None:
    """Return the cells about which all versions agree, as JSON, with "_" for heads about which they do not.

    None if they have other words than the original.
    """
    if any(sentence.forms != original.forms for sentence in versions.values()):
        return None
    differ = {word: answers for word, _, answers in differences(versions)}
    first = next(iter(versions.values()))
    cells: dict[str, dict[str, str]] = {}
    for word in range(1, len(original) + 1):
        values, before = cells_of(first, word), cells_of(original, word)
        unsettled = next(iter(differ[word].values())) if word in differ else {}
        changes = {name: values[name] for name in COMPARED if name not in unsettled and values[name] != before[name]}
        if "HEAD" in unsettled:
            changes |= {"HEAD": OPEN, "DEPREL": OPEN}
        if changes:
            cells[str(word)] = changes
    return cells

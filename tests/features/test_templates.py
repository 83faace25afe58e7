"""Templates and atoms: what they may say, and that what they name decides the score."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
import pytest

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.features import ATOMS, Encoder, Templates, atom_number
from treewright.features.kernels import Labeller, Scorer
from treewright.features.standard import STANDARD
from treewright.features.templates import arc_tables, label_tables, part_tables, tensor_tables

WORDS = Sentence.from_words(
    ["The", "old", "dog", "barks"],
    lemmas=["the", "old", "dog", "bark"],
    upos=["DET", "ADJ", "NOUN", "VERB"],
    feats=["Definite=Def", "_", "Number=Sing", "Number=Sing|Person=3"],
)


def scores(template: str, sentence: Sentence, seed: int = 0) -> np.ndarray:
    """arc[h, m] under random weights of one template."""
    batch = Encoder(["the/DET"]).encode([sentence])
    weights = np.random.default_rng(seed).normal(size=1 << 16).astype(np.float32)
    [arc] = Scorer(arc_tables([template]), 16).arcs(batch, weights, 1.0)
    return arc


def test_standard_templates_compile() -> None:
    parts = STANDARD.arc + STANDARD.sibling + STANDARD.grandparent + STANDARD.beyond
    for tables, templates in (
        (part_tables(STANDARD, siblings=True, grandparents=True), parts),
        (arc_tables(STANDARD.pruner), STANDARD.pruner),
        (label_tables(STANDARD.label), STANDARD.label),
        (tensor_tables(STANDARD.tensor), STANDARD.tensor),
    ):
        assert sum(table.templates for table in tables) == len(templates)
    for kind in STANDARD:
        assert len(set(kind)) == len(kind)


def test_only_what_a_template_names_matters() -> None:
    other = WORDS.with_columns(lemmas=["the", "old", "cat", "bark"])
    assert np.array_equal(scores("h.upos m.upos", WORDS), scores("h.upos m.upos", other))
    changed = scores("h.upos m.lemma", WORDS) != scores("h.upos m.lemma", other)
    assert changed[:, 3].sum() == 4
    assert changed.sum() == 4


def test_offsets_look_at_neighbours() -> None:
    other = WORDS.with_columns(upos=["DET", "ADJ", "NOUN", "AUX"])
    changed = scores("m+1.upos", WORDS) != scores("m+1.upos", other)
    assert changed.any(axis=0).tolist() == [False, False, False, True, False]


def test_beyond_is_asked_where_the_grandparent_stands_between() -> None:
    batch = Encoder([]).encode([WORDS])
    scorer = Scorer(part_tables(Templates(beyond=("g.upos h.upos m.upos",)), grandparents=True), 16)
    head, modifier = np.array([(h, m) for h in range(5) for m in range(1, 5) if h != m], dtype=np.int32).T
    weights = np.random.default_rng(0).normal(size=1 << 16).astype(np.float32)
    [parts] = scorer.parts(batch, [(head.copy(), modifier.copy())], False, True, weights, 1.0)
    g, h, m, score = parts.grandparents
    assert (score != 0).all()
    scored = set(zip(g.tolist(), h.tolist(), m.tolist(), strict=True))
    everyone = itertools.permutations(range(5), 3)
    assert scored == {(g, h, m) for g, h, m in everyone if (h < g < m or h > g > m) and h > 0 and m > 0}


def test_between_is_a_set_of_what_stands_between() -> None:
    template = "h.upos m.upos b.upos"
    same_set = Sentence.from_words(["a", "b", "c", "d", "e"], upos=["X", "A", "B", "A", "Y"])
    reordered = Sentence.from_words(["a", "b", "c", "d", "e"], upos=["X", "B", "B", "A", "Y"])
    assert scores(template, same_set)[1, 5] == pytest.approx(scores(template, reordered)[1, 5])
    fewer = Sentence.from_words(["a", "b", "c", "d", "e"], upos=["X", "A", "A", "A", "Y"])
    assert scores(template, same_set)[1, 5] != scores(template, fewer)[1, 5]
    assert scores(template, WORDS)[1, 2] == 0  # nothing between


def test_each_feature_counts_once() -> None:
    pair = scores("h.each m.each", WORDS)
    assert pair[2, 3] == 0  # the head has none
    assert pair[4, 3] != 0
    reordered = WORDS.with_columns(feats=["Definite=Def", "_", "Number=Sing", "Person=3|Number=Sing"])
    assert scores("h.each m.each", reordered)[4, 3] == pytest.approx(pair[4, 3])


def test_direction_and_distance_matter() -> None:
    alike = Sentence.from_words(["a"] * 4, upos=["X"] * 4)
    found = scores("h.upos m.upos", alike)
    assert found[2, 1] == found[3, 2] != found[1, 2] == found[2, 3]
    assert found[1, 3] != found[1, 2]


def test_empty_columns_are_replaced() -> None:
    bare = Sentence.from_words(["The", "Dog"], upos=["DET", "NOUN"])
    full = Sentence.from_words(["The", "Dog"], lemmas=["the", "dog"], upos=["DET", "NOUN"], xpos=["DET", "NOUN"])
    assert np.array_equal(Encoder([]).atoms([bare]), Encoder([]).atoms([full]))


def test_a_full_cache_does_not_change_the_atoms(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder([])
    first = encoder.atoms([WORDS])
    monkeypatch.setattr("treewright.features.atoms.MAX_CACHED", 2)
    for _ in range(3):
        assert np.array_equal(first, encoder.atoms([WORDS]))


def test_many_words_are_cached() -> None:
    encoder = Encoder([])
    sentences = [Sentence.from_words([f"w{number}", "x"]) for number in range(3000)]
    rows = [encoder.atoms([sentence]) for sentence in sentences]
    assert np.array_equal(rows[0], Encoder([]).atoms(sentences[:1]))
    assert np.array_equal(np.concatenate(rows), encoder.atoms(sentences))


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("h.tag", f"there is no atom 'tag'; there are {', '.join(ATOMS)}, each"),
        ("x.upos", "there is no role 'x'; there are h, m, b"),
        ("h-3.upos", "'h-3.upos' looks further than 2 words"),
        ("h:upos", "'h:upos' is not role.atom or role+offset.atom"),
        ("b.upos h.each", "one set a template"),
        ("", "an empty template"),
    ],
)
def test_bad_templates(template: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("+", r"\+").replace(".", r"\.")):
        arc_tables([template])


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("c.upos l.upos", "goes with h. and m. alone"),
        ("h.upos c.upos distance", "c. or s. does not go with distance"),
        ("distance h.upos", "'distance' is not role.atom"),
        ("h.upos distance distance", "'distance' is not role.atom"),
    ],
)
def test_bad_label_templates(template: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        label_tables([template])


def labels_of(templates: Sequence[str], sentence: Sentence, heads: list[int], seed: int) -> list[int]:
    """The best of eight labels of each word under random weights."""
    labeller = Labeller(label_tables(templates), 14, 8, 8, atom_number("upos"))
    labeller.set_candidates(np.zeros(0, np.uint32), np.zeros(1, np.int32), np.zeros(0, np.int32))
    weights = np.random.default_rng(seed).normal(size=1 << 14).astype(np.float32)
    tree = np.array([-1, *heads], dtype=np.int32)
    return [int(label) for label in labeller.best(Encoder([]).encode([sentence]), [tree], weights, 1.0)[0][1:]]


def test_only_marked_label_templates_see_the_distance() -> None:
    words = Sentence.from_words(["a"] * 6, upos=["X"] * 6)
    heads = [0, 1, 1, 1, 1, 1]  # words 2 to 6 differ in the distance of their head alone
    plain = [labels_of(["h.upos m.upos"], words, heads, seed)[1:] for seed in range(20)]
    assert all(len(set(labels)) == 1 for labels in plain)
    marked = [labels_of(["h.upos m.upos distance"], words, heads, seed)[1:] for seed in range(20)]
    assert any(len(set(labels)) > 1 for labels in marked)

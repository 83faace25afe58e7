"""Brackets as EVALB counts them."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from treewright.corpus import Tree
from treewright.errors import InputError
from treewright.evaluate import BracketEvaluation, Parameters, brackets

GOLD = "(S (A (P dogs)) (B (Q chase) (A (R a) (T cat))))"
SAMPLE = Parameters(
    delete_labels=("TOP", "-NONE-", ",", ":", "``", "''"), equal_labels=(("T", "TT"),), equal_words=(("Dogs", "dogs"),)
)


def score(gold: str, system: str, parameters: Parameters = SAMPLE) -> BracketEvaluation:
    return brackets([Tree.parse(gold)], [Tree.parse(system)], parameters=parameters)


@pytest.mark.parametrize(
    ("gold", "system", "matched", "in_gold", "in_system", "crossing", "words", "tags"),
    [
        (GOLD, GOLD, 4, 4, 4, 0, 4, 4),
        (GOLD, "(S (A (P dogs)) (B (Q chase) (C (R a) (T cat))))", 3, 4, 4, 0, 4, 4),
        (GOLD, "(S (A (P dogs)) (B (Q chase) (A (R a) (U cat))))", 4, 4, 4, 0, 4, 3),
        (GOLD, "(S (C (P dogs)) (B (Q chase) (A (R a) (U cat))))", 3, 4, 4, 0, 4, 3),
        (GOLD, "(S (A (P dogs)) (B (Q chase) (R a) (A (T cat))))", 3, 4, 4, 0, 4, 4),
        (GOLD, "(S (A (P dogs) (Q chase)) (A (R a) (T cat)))", 2, 4, 3, 1, 4, 4),
        (GOLD, "(S (P dogs) (Q chase) (R a) (T cat))", 1, 4, 1, 0, 4, 4),
        (GOLD, "(S (A (P dogs)) (B (Q chase) (A (A (R a) (T cat)))))", 4, 4, 5, 0, 4, 4),
        (GOLD, "(S (A (P dogs)) (B (Q chase) (A (A (A (A (A (R a) (T cat))))))))", 4, 4, 8, 0, 4, 4),
        (GOLD, "(TOP (S (A (P dogs)) (B (Q chase) (A (R a) (T cat)))))", 4, 4, 4, 0, 4, 4),
        (GOLD, "(S (A (P dogs)) (B (Q chase) (A (R a) (TT cat))))", 4, 4, 4, 0, 4, 4),
        (GOLD, "(S (A (P Dogs)) (B (Q chase) (A (R a) (T cat))))", 4, 4, 4, 0, 4, 4),
        ("(S (A-SBJ-1 (P dogs)) (B-X=2 (Q chase) (A (R a) (T cat))))", GOLD, 4, 4, 4, 0, 4, 4),
        (GOLD[:-1] + " (-NONE- *))", GOLD, 4, 4, 4, 0, 4, 4),
        (GOLD[:-1] + " (: *))", GOLD[:-1] + " (: *))", 4, 4, 4, 0, 4, 4),
    ],
)
def test_the_cases_of_the_sample_that_comes_with_evalb(
    gold: str, system: str, matched: int, in_gold: int, in_system: int, crossing: int, words: int, tags: int
) -> None:
    """Shapes and counts of EVALB's sample.gld, sample.tst, sample.rsl (Sekine and Collins), over other words."""
    found = score(gold, system).all
    assert (found.brackets.correct, found.brackets.gold, found.brackets.system) == (matched, in_gold, in_system)
    assert (found.crossing, found.words, found.tags) == (crossing, words, tags)
    assert found.complete == (matched == in_gold == in_system)


def test_figures_over_several_sentences() -> None:
    gold = [Tree.parse(GOLD)] * 4
    crossed = "(S (A (P dogs) (Q chase)) (A (R a) (T cat)))"
    many = "(S (X (X (X (P dogs) (Q chase) (R a)))) (T cat))"
    found = brackets(gold, [Tree.parse(text) for text in (GOLD, GOLD, crossed, many)], parameters=SAMPLE).all
    assert found.sentences == 4
    assert found.complete_match == 0.5
    assert found.average_crossing == 1.0
    assert found.no_crossing == 0.5
    assert found.two_or_less_crossing == 0.75
    assert found.tagging_accuracy == 1.0
    assert (found.brackets.precision, found.brackets.recall) == (11 / 15, 11 / 16)


def test_collins_rules_are_the_default() -> None:
    gold = "( (S (NP-SBJ (NNP Ann)) (VP (VBD left) (PRT (RP off))) (. .)))"
    system = "(TOP (S (NP (NNP Ann) (. .)) (VP (VBD left) (ADVP (RB off)))))"
    found = brackets([Tree.parse(gold)], [Tree.parse(system)]).all
    assert found.brackets.f1 == 1.0
    assert (found.words, found.tags) == (3, 2)


@pytest.mark.parametrize("wrapper", ["", "ROOT", "S1", "TOP"])
def test_the_wrapper_of_a_tree_is_no_bracket(wrapper: str) -> None:
    bare = "(S (NP (NNP Ann)) (VP (VBD left)))"
    wrapped = f"({wrapper} {bare})"
    for gold, system in ((wrapped, bare), (bare, wrapped), (wrapped, wrapped)):
        found = brackets([Tree.parse(gold)], [Tree.parse(system)]).all
        assert (found.brackets.correct, found.brackets.gold, found.brackets.system) == (3, 3, 3)
        assert found.complete_match == 1.0


def test_without_labels_spans_alone_count() -> None:
    system = "(X (Y (P dogs)) (Z (Q chase) (W (R a) (T cat))))"
    assert score(GOLD, system).all.brackets.correct == 0
    assert score(GOLD, system, Parameters(labelled=False)).all.brackets.f1 == 1.0


def test_short_sentences_are_told_apart() -> None:
    long = "(S (A " + " ".join(f"(P w{i})" for i in range(41)) + "))"
    gold = [Tree.parse(GOLD), Tree.parse(long)]
    evaluation = brackets(gold, gold)
    assert (evaluation.all.sentences, evaluation.short.sentences, evaluation.cutoff) == (2, 1, 40)
    trace = [Tree.parse(long.replace("(P w0)", "(-NONE- *)"))]
    assert brackets(trace, trace).short.sentences == 1


def test_labels_one_by_one() -> None:
    found = score(GOLD, "(S (A (P dogs)) (B (Q chase) (C (R a) (T cat))))").labels
    assert list(found) == ["A", "B", "S", "C"]
    assert (found["A"].correct, found["A"].gold, found["A"].system) == (1, 2, 1)
    assert (found["C"].correct, found["C"].gold, found["C"].system) == (0, 0, 1)


def random_tree(words: list[str], rng: random.Random) -> str:
    """A random bracketing; short stretches are flat."""
    parts = [f"({rng.choice('PQR')} {word})" for word in words]
    while len(parts) > 1 or rng.random() < 0.3:
        i = rng.randrange(len(parts))
        j = rng.randint(i + 1, min(len(parts), i + 3))
        parts[i:j] = [f"({rng.choice(['A', 'B', 'C-X'])} {' '.join(parts[i:j])})"]
    return parts[0]


def spans_by_definition(tree: Tree) -> list[tuple[str, int, int]]:
    return [(label.split("-")[0], first, last) for label, first, last in tree.spans()]


@pytest.mark.parametrize("seed", range(20))
def test_counts_by_definition(seed: int) -> None:
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(rng.randint(2, 12))]
    gold, system = Tree.parse(random_tree(words, rng)), Tree.parse(random_tree(words, rng))
    found = brackets([gold], [system]).all
    a, b = spans_by_definition(gold), spans_by_definition(system)
    assert found.brackets.correct == sum(min(a.count(span), b.count(span)) for span in set(a))
    crossed = [
        any(set(range(i, j)) & set(range(k, m)) and not (k <= i < j <= m or i <= k < m <= j) for _, i, j in a)
        for _, k, m in b
    ]
    assert found.crossing == sum(crossed)


def test_files_with_other_parameters(tmp_path: Path) -> None:
    (tmp_path / "gold.mrg").write_text(f"( {GOLD})\n\n( {GOLD})\n", encoding="utf-8")
    parameters = Parameters(("S",), ("P",), (("A", "C"),), (("cat", "dog"),), True, 3)
    system = io.StringIO("(S (C (P dogs)) (B (Q chase) (C (R a) (T dog))))\n" * 2)
    evaluation = brackets(tmp_path / "gold.mrg", system, parameters=parameters)
    assert (evaluation.all.brackets.correct, evaluation.all.brackets.gold) == (6, 6)
    assert evaluation.short.sentences == 2
    assert json.loads(json.dumps(evaluation.as_dict()))["all"]["brackets"]["f1"] == 1.0


def test_trees_over_other_words_are_named_or_left_out() -> None:
    gold = f"{GOLD}\n{GOLD}\n{GOLD}\n{GOLD}\n"
    system = f"{GOLD}\n{GOLD.replace('cat', 'cow')}\n(S (P dogs))\n(())\n"
    with pytest.raises(InputError, match=r"<file>:4: \(\) is empty|is empty; expected a word or a bracket in it"):
        brackets(io.StringIO(gold), io.StringIO(system))
    system = system.replace("(())", GOLD)
    message = r"<file>:2 and <file>:2: word 4, without punctuation and traces, is 'cat' and 'cow'; expected trees over"
    with pytest.raises(InputError, match=message):
        brackets(io.StringIO(gold), io.StringIO(system))
    with pytest.raises(InputError, match="<file>:2 and <file>:1: 4 and 1 words, without punctuation and traces"):
        brackets(io.StringIO(f"\n{GOLD}"), io.StringIO("(S (P dogs))"))
    system = f"(())\n{GOLD}\n{GOLD.replace('cat', 'cow')}\n(())\n"
    evaluation = brackets(io.StringIO(gold), io.StringIO(system), skip_bad=True)
    assert evaluation.all.sentences == 1
    assert evaluation.notes == ("3 trees left out of both files",)


def test_files_of_different_length_are_an_error() -> None:
    with pytest.raises(InputError, match="gold has 2 trees, <file> has 1; expected one system tree for each gold tree"):
        brackets([Tree.parse(GOLD)] * 2, io.StringIO(GOLD))


def test_what_is_no_tree_is_named() -> None:
    with pytest.raises(InputError, match=r"gold\[0\] is int; expected a treewright Tree, or a path"):
        brackets([1], [])  # type: ignore[list-item]


@pytest.mark.parametrize("gold", ["(S (NP (NN a) (: -)) (VP (VB b)))", "(S (NP (NN a) (: -)) (VP (VB b) (-NONE- *)))"])
@pytest.mark.parametrize(
    "system", ["(S (NP (NN a) (NN -)) (VP (VB b)))", "(S (NP (-NONE- *T*) (NN a) (NN -)) (VP (VB b)))"]
)
def test_where_tags_would_delete_different_words_the_gold_tags_decide(gold: str, system: str) -> None:
    scores = brackets([Tree.parse(gold)], [Tree.parse(system)]).all
    assert (scores.brackets.f1, scores.words, scores.tags) == (1.0, 2, 2)

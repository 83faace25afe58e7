"""Breakdowns: the groups add up to the whole and hold what their names say."""

from __future__ import annotations

import io

import pytest
from oracles.conllu import damage, generate, to_conllu

from treewright.corpus import Sentence, read
from treewright.evaluate import evaluate
from treewright.evaluate.breakdown import BREAKDOWNS
from treewright.trees import from_conll, nonprojective_arcs

TREEBANK = generate(30, 11)
GOLD, SYSTEM = to_conllu(TREEBANK), to_conllu(damage(TREEBANK, 12, tokens=0.05))


@pytest.mark.parametrize("by", BREAKDOWNS)
@pytest.mark.parametrize("punct", [True, False])
def test_groups_add_up(by: str, punct: bool) -> None:
    result = evaluate(io.StringIO(GOLD), io.StringIO(SYSTEM), by=by, punct=punct)
    groups = result.groups
    assert sum(group.gold for group in groups) == result["UAS"].gold
    assert sum(group.system for group in groups) == result["UAS"].system
    assert sum(group.gold_heads for group in groups) == sum(group.system_heads for group in groups)
    assert sum(group.gold_heads for group in groups) == result["UAS"].correct
    assert sum(group.gold_arcs for group in groups) == result["LAS"].correct
    assert sum(group.system_arcs for group in groups) == result["LAS"].correct


def test_groups_hold_what_their_names_say() -> None:
    sentences = list(read(io.StringIO(GOLD)))
    lengths = [abs(head - word) if head else 0 for s in sentences for word, head in enumerate(s.heads.tolist(), 1)]
    relations = [relation.split(":")[0] for s in sentences for relation in s.deprels]
    crossed = sum(len(nonprojective_arcs(from_conll(s.heads))) for s in sentences)

    def sizes(by: str) -> dict[str, int]:
        return {group.key: group.gold for group in evaluate(sentences, sentences, by=by).groups}

    assert sizes("arc-length") == {
        key: sum(low <= length <= high for length in lengths)
        for key, low, high in [
            *(("root", 0, 0), ("1", 1, 1), ("2", 2, 2), ("3-6", 3, 6)),
            *(("7-10", 7, 10), ("11-20", 11, 20), ("21+", 21, 999)),
        ]
    }
    assert sizes("sentence-length") == {
        key: sum(len(s) for s in sentences if low <= len(s) <= high)
        for key, low, high in [("1-10", 1, 10), ("11-20", 11, 20), ("21-30", 21, 30)]
    }
    found = sizes("relation")
    assert found == {relation: relations.count(relation) for relation in relations}
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert sizes("projectivity")["non-projective arcs"] == crossed


def test_figures_of_a_group() -> None:
    gold = [Sentence.from_words(["a", "b", "c"], heads=[0, 1, 1], deprels=["root", "obj", "obj"])]
    system = [Sentence.from_words(["a", "b", "c"], heads=[0, 1, 2], deprels=["root", "det", "obj"])]
    groups = {group.key: group for group in evaluate(gold, system, by="relation").groups}
    assert (groups["obj"].uas, groups["obj"].las, groups["obj"].precision, groups["obj"].f1) == (0.5, 0, 0, 0)
    assert (groups["det"].gold, groups["det"].system, groups["det"].precision) == (0, 1, 0)
    assert groups["root"].as_dict()["f1"] == 1

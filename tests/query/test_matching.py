"""Searching finds exactly the matchings that the definition has."""

from __future__ import annotations

from random import Random

import pytest
from oracles.requests import matchings, random_graph, random_request, text_of

import treewright as tw
from treewright.errors import BudgetError


@pytest.mark.parametrize("is_enhanced", [False, True], ids=["basic", "enhanced"])
@pytest.mark.parametrize("seed", range(5))
def test_matches_are_those_of_all_assignments(seed: int, is_enhanced: bool) -> None:
    random = Random(seed)
    nonempty = 0
    for _ in range(60):
        blocks = random_request(random, is_enhanced=is_enhanced)
        request = tw.query.compile(text_of(blocks))
        if is_enhanced and "E:" not in request.text and "enhanced" not in request.text:
            continue  # empty nodes are nodes only of requests that name enhanced edges
        for _ in range(3):
            graph = random_graph(random, is_enhanced=is_enhanced)
            expected = matchings(blocks, graph)
            sentence = tw.Sentence(graph.text)
            matches = list(request.search([sentence]))
            assert request.count([sentence]) == len(matches) == len(expected), request.text + graph.text
            assert request.has_match(sentence) == bool(expected)
            actual = {
                (
                    *sorted((name, str(id_)) for name, id_ in match.nodes.items()),
                    *sorted((name, (str(head), str(m), label)) for name, (head, m, label) in match.edges.items()),
                )
                for match in matches
            }
            assert actual == expected, request.text + graph.text
            nonempty += bool(expected)
    assert nonempty >= 5


SENTENCE = """\
# sent_id = s1
# text = The old dogs that bark sleep
1\tThe\tthe\tDET\t_\t_\t3\tdet\t3:det\t_
2\told\told\tADJ\t_\tDegree=Pos\t3\tamod\t3:amod\t_
3\tdogs\tdog\tNOUN\t_\tNumber=Plur\t6\tnsubj\t5:nsubj|6:nsubj\tGloss=Hunde
4\tthat\tthat\tPRON\t_\tPronType=Rel\t5\tnsubj\t3:ref\t_
5\tbark\tbark\tVERB\t_\tNumber[psor]=Sing\t3\tacl:relcl\t3:acl:relcl\tConfidence=0.4000
6\tsleep\tsleep\tVERB\t_\t_\t0\troot\t0:root\t_

"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pattern { V [upos=VERB] }", [{"V": 5}, {"V": 6}]),
        ("V [upos=VERB]; V -[nsubj]-> N", [{"V": 5, "N": 4}, {"V": 6, "N": 3}]),
        ("X -[root]-> Y", [{"X": 0, "Y": 6}]),
        ('X [form="__0__"]', [{"X": 0}]),
        ("pattern { N [Number=Plur|Sing, Gloss = Hunde] }", [{"N": 3}]),
        ("N [Number__psor=Sing]", [{"N": 5}]),
        ("N [Number[psor]=Sing]", [{"N": 5}]),
        ("X [upos=ADJ]|[upos=PRON]", [{"X": 2}, {"X": 4}]),
        ("X [lemma=/BARK/i]", [{"X": 5}]),
        ("N -[1=acl, 2=relcl]-> V", [{"N": 3, "V": 5}]),
        ("N -[1=acl, !2]-> V", []),
        ('N -[re"acl.*"]-> V', [{"N": 3, "V": 5}]),
        ("N -[acl]-> V", []),
        ("pattern { N [upos=NOUN] } without { N -[det]-> D }", []),
        ("pattern { N -[det|amod]-> M } with { N -> A; A [upos=VERB] }", [{"N": 3, "M": 1}, {"N": 3, "M": 2}]),
        ("V -[E:nsubj]-> N", [{"V": 5, "N": 3}, {"V": 6, "N": 3}]),
        ("V -[1=ref, enhanced=yes]-> N", [{"V": 3, "N": 4}]),
        ("X [upos=DET]; X < Y", [{"X": 1, "Y": 2}]),
        ("X [upos=DET]; Y [upos=VERB]; X << Y", [{"X": 1, "Y": 5}, {"X": 1, "Y": 6}]),
        ("X [upos=VERB]; X ->> Y; Y [upos=VERB]", [{"X": 6, "Y": 5}]),
        ("X.conf < 0.5", None),
        ("X []; X.conf < 0.5", [{"X": 5}]),
        ("X []; X.conf >= 0.5", []),
        ("A [upos=VERB]; B [upos=VERB]; A.__id__ < B.__id__", [{"A": 5, "B": 6}]),
        ("X [upos=VERB]; !X.Gloss; length(X, Y) = 1; Y [upos=PRON]", [{"X": 5, "Y": 4}]),
        ("e: X -> Y; e.length > 2", [{"X": 6, "Y": 3}, {"X": 0, "Y": 6}]),
        ("* -[root]-> Y", [{"Y": 6}]),
        ("X [upos=NOUN]; X -[amod]-> *", [{"X": 3}]),
        ("pattern { X [upos=ADJ] } global { is_projective; sent_id = s1 }", [{"X": 2}]),
        ("pattern { X [upos=ADJ] } global { is_not_projective }", []),
        ("pattern { X [upos=ADJ] } global { is_tree; is_not_cyclic; !newdoc; text = re\"The.*\" }", [{"X": 2}]),
        ("global { is_forest }", [{}]),
    ],
)  # fmt: skip
def test_the_language_as_documented(text: str, expected: list[dict[str, int]] | None) -> None:
    if expected is None:
        with pytest.raises(tw.errors.RequestError, match="no node or edge X"):
            tw.query.compile(text)
        return
    nodes = [match.nodes for match in tw.query.compile(text).search([tw.Sentence(SENTENCE)])]
    assert sorted(nodes, key=str) == sorted(expected, key=str)


def test_a_match_has_words_edges_values_and_marks() -> None:
    request = tw.query.compile("pattern { e: V -[nsubj]-> N; N -[det]-> D; R -[root]-> V }")
    (match,) = request.search(tw.Sentence(SENTENCE))
    assert request.names == ["V", "N", "D", "R"]
    assert request.edge_names == ["e"]
    assert {name: word.form for name, word in match.words.items()} == {"V": "sleep", "N": "dogs", "D": "The"}
    assert match.nodes["R"] == 0
    assert match.edges == {"e": (6, 3, "nsubj")}
    assert [tuple(arc) for arc in match.arcs] == [(6, 3, "nsubj"), (3, 1, "det"), (0, 6, "root")]
    values = [match.value(name) for name in ("V.lemma", "e.label", "e.length", "N.Gloss", "R.upos", "e.2")]
    assert values == ["sleep", "nsubj", "3", "Hunde", None, None]
    with pytest.raises(tw.errors.InputError, match=r"X\.form: the pattern has no X, only V, N, D, R, e"):
        match.value("X.form")
    assert match.marks == [6, 3, 1, 0, (6, 3), (3, 1), (0, 6)]


def test_a_word_can_be_an_underscore_and_other_cells_are_empty_then() -> None:
    sentence = tw.Sentence.from_words(["a", "_"])
    assert [match.nodes for match in tw.query.compile("X [form=_]").search(sentence)] == [{"X": 2}]
    assert tw.query.compile("X [lemma]").count(sentence) == 0
    assert tw.query.compile("X -> Y").count(sentence) == 0


def test_an_explosion_ends_with_an_error_that_names_the_sentence() -> None:
    sentence = tw.Sentence.from_words(["x"] * 200, source="long.conllu")
    request = tw.query.compile("A []; B []; C []; D []")
    with pytest.raises(BudgetError, match=r"long\.conllu:1: the request needs more than 5000 steps .* 200 words"):
        request.count([sentence], max_steps=5000)


def test_names_linked_by_edges_need_few_steps() -> None:
    sentence = tw.Sentence.from_words(["x"] * 300, heads=range(300), deprels=["dep"] * 300)
    assert tw.query.compile("A -> B; B -> C; C -> D").count([sentence], max_steps=2000) == 298  # the root included


def test_attributes_of_a_table_belong_to_the_pattern() -> None:
    request = tw.query.compile("pattern { e: V -> N } without { N -> M }")
    request.check_attribute("V.lemma")
    with pytest.raises(tw.errors.InputError, match=r"M\.lemma: the pattern has no M, only V, N, e"):
        request.check_attribute("M.lemma")
    with pytest.raises(tw.errors.InputError, match="expected the name of a node or edge, a dot"):
        request.check_attribute("V")

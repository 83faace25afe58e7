"""Graphs on top of trees: learned, guaranteed in shape, the best admissible ones; edges that people wrote are kept."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracles.treebank import enhanced_treebank, without_graph

import treewright as tw
from treewright.checking import check
from treewright.errors import FormatError, InputError
from treewright.graphs import GraphOptions, GraphParser
from treewright.graphs.checks import find_cycle, reached_from_root
from treewright.graphs.labels import TEMPLATES, label_of, templates_for
from treewright.graphs.model import Decision, GraphModel, PathLabels, Scored
from treewright.graphs.paths import Pair, Paths, path_between
from treewright.graphs.training import example_of, pair_on
from treewright.graphs.view import TreeView
from treewright.learn import Weights
from treewright.model.registry import load_component
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring

SMALL = ParserOptions("arc", pruning=Pruning(bits=10), scoring=Scoring(bits=12, epochs=2), labelling=Labelling(bits=10))
LABELS = ("nsubj", "conj", "obl", "acl", "case")


@pytest.fixture(scope="module")
def acyclic() -> GraphParser:
    return GraphParser.train(enhanced_treebank(40))


@pytest.fixture(scope="module")
def cyclic() -> GraphParser:
    return GraphParser.train(enhanced_treebank(60, relatives=True))


def random_sentence(seed: int, words: int) -> tw.Sentence:
    generator = np.random.default_rng(seed)
    heads = tw.decode.tree(generator.normal(size=(words + 1, words + 1))).heads[1:]
    labels = ["root" if head == 0 else str(generator.choice(LABELS)) for head in heads.tolist()]
    return tw.Sentence.from_words([f"w{seed}"] * words, heads=heads.tolist(), deprels=labels)


def all_edges(sentence: tw.Sentence) -> list[tuple[int, int]]:
    return [(int(edge.head), int(edge.modifier)) for edge in sentence.graph]


# -- paths and labels


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_those_whose_path_is_listed(seed: int) -> None:
    view = TreeView(random_sentence(seed, 7))
    arcs = {(h, m) for m, h in enumerate(view.heads) if m}
    pairs = [(h, m) for h in range(8) for m in range(1, 8) if h != m and (h, m) not in arcs]
    written = {pair: path_between(view, head=pair[0], modifier=pair[1]) for pair in pairs}
    chosen = sorted(set(written.values()))[::2]
    found = list(Paths(chosen).pairs(view))
    assert {(one.head, one.modifier) for one in found} == {pair for pair in pairs if written[pair] in chosen}
    assert len(found) == len({(one.head, one.modifier) for one in found})
    for one in found:
        assert chosen[one.path] == written[one.head, one.modifier]
        expected = pair_on(view, chosen[one.path], one.head, one.modifier)
        assert one._replace(path=-1) == expected


def test_templates_of_a_label_give_this_label() -> None:
    for sentence in enhanced_treebank(12, relatives=True):
        view, edges = example_of(sentence)
        for (head, modifier), label in edges.items():
            pair = pair_on(view, path_between(view, head=head, modifier=modifier), head, modifier)
            found = templates_for(label, view, pair)
            assert set(found) <= set(TEMPLATES)
            assert set(found) == {one for one in TEMPLATES if label_of(one, view, pair) == label}


def test_a_suffix_joins_fixed_expressions_and_names_the_case() -> None:
    words = tw.Sentence.from_words(
        ["Because", "of", "rain", "go"],
        lemmas=["because", "of", "rain", "go"],
        heads=[3, 1, 4, 0],
        deprels=["case", "fixed", "obl", "root"],
        feats=["_", "_", "Case=Gen", "_"],
    )
    view, pair = TreeView(words), Pair(0, 3, 4, 4, 3, 4)
    assert label_of("m case", view, pair) == "obl:because_of"
    assert label_of("m case+Case", view, pair) == "obl:because_of:gen"
    assert label_of("m Case", view, pair) == "obl:gen"
    assert label_of("m mark", view, pair) is None


# -- learning


def test_graphs_of_a_small_treebank_are_learned(acyclic: GraphParser, cyclic: GraphParser) -> None:
    for parser, relatives in ((acyclic, False), (cyclic, True)):
        gold = enhanced_treebank(12, seed=5, relatives=relatives)
        found = list(parser.parse(map(without_graph, gold)))
        assert [one.deps for one in found] == [one.deps for one in gold]
        assert all((one.heads == other.heads).all() for one, other in zip(found, gold, strict=True))
    assert (acyclic.options.acyclic, acyclic.options.keep_tree) == (True, True)
    assert (cyclic.options.acyclic, cyclic.options.keep_tree) == (False, False)


def test_training_twice_and_threads_give_the_same_bits(cyclic: GraphParser) -> None:
    header, arrays = GraphParser.train(enhanced_treebank(60, relatives=True)).to_arrays()
    assert header == cyclic.to_arrays()[0]
    assert arrays["weights"].tobytes() == cyclic.to_arrays()[1]["weights"].tobytes()
    trees = [without_graph(one) for one in enhanced_treebank(30, seed=2, relatives=True)]
    assert [str(one) for one in cyclic.parse(trees)] == [
        str(one) for one in cyclic.parse(trees, threads=2, batch_size=3)
    ]


def test_files_and_pickles_hold_the_same_graph_parser(cyclic: GraphParser, tmp_path: Path) -> None:
    cyclic.save(tmp_path / "one.graphs")
    trees = enhanced_treebank(6, seed=3, relatives=True)
    expected = [one.deps for one in cyclic.parse(trees)]
    for again in (GraphParser.load(tmp_path / "one.graphs"), pickle.loads(pickle.dumps(cyclic))):
        assert [one.deps for one in again.parse(trees)] == expected
        assert again.to_arrays()[0] == cyclic.to_arrays()[0]
    with pytest.raises(InputError, match=r"is a graph parser, but a parser is needed"):
        Parser.load(tmp_path / "one.graphs")
    header, arrays = cyclic.to_arrays()
    broken = {**header, "paths": [["<conj <", ["no such template"], True]]}
    with pytest.raises(ValueError, match=r"header\.paths has '<conj <'"):
        GraphParser.from_arrays("memory", broken, arrays)


def test_sentences_with_empty_nodes_are_left_out_and_kept_on_input(acyclic: GraphParser, tmp_path: Path) -> None:
    text = (
        "1\tAda\tada\tPROPN\t_\t_\t2\tnsubj\t2:nsubj\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t0:root\t_\n"
        "2.1\truns\trun\tVERB\t_\t_\t_\t_\t2:conj\t_\n3\tBen\tben\tPROPN\t_\t_\t2\tconj\t2.1:nsubj\t_\n\n"
    )
    (tmp_path / "empty.conllu").write_text(text, encoding="utf-8")
    [sentence] = tw.read(tmp_path / "empty.conllu")
    with pytest.raises(InputError, match="every graph has empty nodes"):
        GraphParser.train([sentence])
    [found] = acyclic.parse([sentence])
    assert [node.id for node in found.empty_nodes] == ["2.1"]
    assert found.empty_nodes[0].deps == "2:conj"
    assert "2.1" not in "".join(found.deps)
    parser = Parser.train(enhanced_treebank(40), options=SMALL)
    [found] = parser.parse([sentence])
    assert (found.deps, found.empty_nodes[0].deps) == (["_"] * 3, "_")
    [found] = parser.with_graphs(acyclic).parse([sentence])
    assert found.empty_nodes[0].deps == "2:conj"
    assert "2.1" not in "".join(found.deps)
    assert not [one for one in check([found]) if one.rule.startswith("deps")]
    [kept] = acyclic.parse([replace_heads(sentence)], keep=True)
    assert kept.deps[2] == "2.1:nsubj"


def replace_heads(sentence: tw.Sentence) -> tw.Sentence:
    """A copy whose words but the last have no edges."""
    copy = sentence.copy()
    copy.deps = ["_", "_", copy.deps[2]]
    return copy


# -- the best admissible graph


def decision(seed: int, *, is_acyclic: bool, keep_tree: bool) -> tuple[Decision, list[tuple[int, int]]]:
    """A random choice among edges of a random tree of four words."""
    generator = np.random.default_rng(seed)
    view = TreeView(random_sentence(seed, 4))
    tree = [(h, m) for m, h in enumerate(view.heads) if m]
    others = [(h, m) for h in range(5) for m in range(1, 5) if h != m and (h, m) not in tree]
    edges = [others[i] for i in generator.permutation(len(others))[:5]] + ([] if keep_tree else tree)
    paths = (PathLabels("<x", ("m",)),)
    options = GraphOptions(acyclic=is_acyclic, keep_tree=keep_tree, bits=8)
    model = GraphModel(options, paths, Weights.zeros(8))
    pairs = [Pair(0, m, h, h, m, h) for h, m in edges]
    scored = Scored(pairs, generator.normal(0.3, 1, len(pairs)).tolist(), [f"{h}-{m}" for h, m in edges])
    return Decision(model, view, scored, {}), edges


@pytest.mark.parametrize("is_acyclic", [True, False])
@pytest.mark.parametrize("keep_tree", [True, False])
def test_the_graph_is_the_best_of_all_admissible_ones(is_acyclic: bool, keep_tree: bool) -> None:
    for seed in range(25):
        found, edges = decision(seed, is_acyclic=is_acyclic, keep_tree=keep_tree)
        values = []
        for bits in product((False, True), repeat=len(edges)):
            chosen = [*found.required, *(edge for edge, on in zip(edges, bits, strict=True) if on)]
            reaches_all = len(reached_from_root(chosen)) == 5
            if reaches_all and not (is_acyclic and find_cycle(5, chosen)):
                values.append(sum(found.optional[edge][0] for edge in chosen if edge in found.optional))
        graph = [(h, m) for h, m, _ in found.edges()]
        assert len(graph) == len(set(graph))
        assert sum(found.optional[edge][0] for edge in graph if edge in found.optional) == pytest.approx(max(values))
        decoded = found.decode()
        assert decoded.certified
        assert decoded.score == pytest.approx(max(values))
        if keep_tree:
            assert set(found.required) <= set(graph)


@pytest.mark.parametrize("relatives", [False, True])
def test_every_graph_has_the_shape_of_the_training_data(
    acyclic: GraphParser, cyclic: GraphParser, relatives: bool
) -> None:
    parser = cyclic if relatives else acyclic
    values = np.random.default_rng(1).integers(-127, 128, 1 << 18).astype(np.int8)
    wild = GraphParser(replace(parser.model, weights=Weights(values, 0.05)))
    extra = 0
    for seed in range(40):
        [found] = wild.parse([random_sentence(seed, 9)])
        edges = all_edges(found)
        assert len(reached_from_root(edges)) == 10
        if not relatives:
            assert not find_cycle(10, edges)
            assert {(int(h), m) for m, h in enumerate(found.heads, 1)} <= set(edges)
        extra += len(edges) - 9
    assert extra > 0


def test_decode_says_what_the_graph_is_worth(acyclic: GraphParser) -> None:
    sentence = enhanced_treebank(1, seed=9)[0]
    found = acyclic.decode(without_graph(sentence))
    assert found.certified
    assert found.score > 0
    assert sorted(map(tuple, found.arcs.tolist())) == sorted(all_edges(sentence))


# -- annotation that people wrote


def test_complete_keeps_the_edges_that_people_wrote(acyclic: GraphParser) -> None:
    gold = enhanced_treebank(40)
    parser = Parser.train(gold, options=SMALL).with_graphs(acyclic)
    sentence = enhanced_treebank(1, seed=4)[0]
    given = without_graph(sentence)
    given.deps = ["_", "_", "4:own", "_"]
    heads = sentence.heads.copy()
    heads[0] = -1
    given.heads, given.deprels = heads, ["_", *sentence.deprels[1:]]
    [found] = parser.complete([given])
    assert found.sentence.deps == [sentence.deps[0], sentence.deps[1], "4:own", sentence.deps[3]]
    assert found.sentence.heads.tolist() == sentence.heads.tolist()
    given.deps = ["4:nsubj|2:nsubj", "_", "_", "_"]
    [found] = parser.complete([given])
    assert found.sentence.deps[0] == "4:nsubj|2:nsubj"


def test_given_edges_decide_between_the_heads_of_an_open_word(acyclic: GraphParser) -> None:
    parser = Parser.train(enhanced_treebank(40), options=SMALL).with_graphs(acyclic)
    given = without_graph(enhanced_treebank(1, seed=4)[0])
    given.heads, given.deprels = np.array([2, 0, -1, 2], np.int32), ["nsubj", "root", "_", "conj"]
    [found] = parser.complete([given])
    assert int(found.sentence.heads[2]) == 4
    given.deps = ["_", "_", "2:cc", "_"]
    [found] = parser.complete([given])
    assert int(found.sentence.heads[2]) == 2


BAD = {
    "a cycle where the training data has none": (
        ["2:nsubj|4:nsubj", "0:root|1:dep", "4:cc", "2:conj"],
        r"<words>:1: the edges in DEPS form a cycle: 1 -> 2 -> 1; expected a graph without cycles",
    ),
    "no edge from HEAD": (
        ["4:nsubj", "_", "_", "_"],
        r"<words>:1: HEAD is 2, but DEPS has no edge from 2; expected every arc of the tree",
    ),
    "an edge twice": (["2:nsubj|2:nsubj", "_", "_", "_"], r"<words>:1: DEPS has 2:nsubj twice, or below itself"),
    "an edge from an empty node that is not there": (
        ["2.1:nsubj", "_", "_", "_"],
        r"<words>:1: DEPS of 1 has '2\.1:nsubj'; expected head:label",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_given_edges_that_no_graph_has_are_refused(acyclic: GraphParser, name: str) -> None:
    cells, message = BAD[name]
    given = enhanced_treebank(1)[0]
    given.deps = cells
    with pytest.raises(FormatError, match=message):
        list(acyclic.parse([given], keep=True))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["2:nsubj", "0:root|2:dep", "4:cc", "2:conj"], "DEPS has 2:dep: a word is not its own head"),
        (["2:nsubj|2:nsubj", "0:root", "4:cc", "2:conj"], "DEPS has 2:nsubj twice; expected it once"),
        (["2:nsubj", "0:root", "_", "2:conj"], "DEPS is empty, but that of other words is not"),
        (["2:nsubj", "0:root", "4:cc", "3:conj"], "no path of edges in DEPS leads from the root to the word"),
        (["2:nsubj", "0:root", "4:cc", "5:conj"], "DEPS of 4 has '5:conj'; expected head:label"),
    ],
)
def test_bad_graphs_in_training_data_are_named(cells: list[str], message: str) -> None:
    bad = enhanced_treebank(1)[0]
    bad.deps = cells
    with pytest.raises(FormatError, match=message):
        GraphParser.train([*enhanced_treebank(4), bad])


def test_two_edges_between_the_same_words_are_legal() -> None:
    double = enhanced_treebank(1)[0]
    double.deps = ["2:nsubj|2:agent|4:nsubj", *double.deps[1:]]
    assert GraphParser.train([double] * 3).options.keep_tree


def test_options_that_do_not_hold_in_the_data_are_refused() -> None:
    bank = enhanced_treebank(12, relatives=True)
    with pytest.raises(FormatError, match="form a cycle: 1 -> 3 -> 1"):
        GraphParser.train(bank, options=GraphOptions(acyclic=True))
    with pytest.raises(FormatError, match="HEAD is 3, but DEPS has no edge from 3"):
        GraphParser.train(bank, options=GraphOptions(keep_tree=True))
    with pytest.raises(InputError, match="the training data has no graph to learn from: DEPS is empty"):
        GraphParser.train([without_graph(one) for one in bank])


# -- parsers and pipelines


def test_a_parser_with_graphs_is_one_model(tmp_path: Path) -> None:
    bank = enhanced_treebank(40)
    parser = Parser.train(bank, enhanced_treebank(10, seed=1), options=replace(SMALL, graphs=GraphOptions()))
    gold = enhanced_treebank(10, seed=7)
    found = list(parser.parse(map(without_graph, gold)))
    assert [one.deps for one in found] == [one.deps for one in gold]
    parser.save(tmp_path / "with.parser")
    again = Parser.load(tmp_path / "with.parser")
    assert [one.deps for one in again.parse(gold)] == [one.deps for one in gold]
    assert "graphs)" in repr(again)
    assert parser.with_graphs(None).graphs is None
    assert next(parser.with_graphs(None).parse(gold)).deps == ["_"] * 4


def test_each_of_the_best_trees_has_its_graph(acyclic: GraphParser) -> None:
    parser = Parser.train(enhanced_treebank(40), options=SMALL)
    sentence = without_graph(enhanced_treebank(1, seed=4)[0])
    [found] = parser.with_graphs(acyclic).kbest([sentence], 3)
    assert len({tuple(tree.heads.tolist()) for tree in found}) == 3
    for tree in found:
        assert tree.deps == next(acyclic.parse([tree])).deps
        assert "_" not in tree.deps
    [without] = parser.kbest([sentence], 1)
    assert without[0].deps == ["_"] * 4


def test_a_pipeline_names_bad_graphs_before_it_trains() -> None:
    bad = enhanced_treebank(1)[0]
    bad.deps = ["2:nsubj|2:nsubj", *bad.deps[1:]]
    epochs: list[object] = []
    for sentences, message in (
        ([*enhanced_treebank(4), bad], "DEPS has 2:nsubj twice"),
        ([without_graph(one) for one in enhanced_treebank(4)], "the training data has no graph to learn from"),
    ):
        with pytest.raises((FormatError, InputError), match=message):
            tw.Pipeline.train(
                sentences,
                sentences,
                options=replace(SMALL, graphs=GraphOptions()),
                report=lambda *some: epochs.append(some),
            )
    assert not epochs


def test_pack_adds_a_graph_parser_to_a_model(acyclic: GraphParser, tmp_path: Path) -> None:
    acyclic.save(tmp_path / "one.graphs")
    assert isinstance(load_component(tmp_path / "one.graphs"), GraphParser)
    nlp = tw.Pipeline.join("en", tmp_path / "one.graphs")
    [sentence] = nlp("Ada sings and runs.")
    assert sentence.deps[0] == "2:nsubj|4:nsubj"
    assert Parser.load("en").graphs is None


def test_sentences_without_the_column_are_parsed_without_graphs(acyclic: GraphParser, tmp_path: Path) -> None:
    (tmp_path / "x.conll").write_text(
        "1\tAda\t_\tPROPN\tPROPN\t_\t2\tnsubj\t_\t_\n2\tsings\t_\tVERB\tVERB\t_\t0\troot\t_\t_\n\n", encoding="utf-8"
    )
    parser = Parser.train(enhanced_treebank(40), options=SMALL).with_graphs(acyclic)
    [found] = parser.parse(tw.read(tmp_path / "x.conll"))
    assert found.heads.tolist() == [2, 0]
    with pytest.raises(InputError, match="no column DEPS to write to"):
        list(acyclic.parse(tw.read(tmp_path / "x.conll")))


def test_json_has_the_graph() -> None:
    [sentence] = enhanced_treebank(1)
    words = sentence.to_dict()["words"]
    assert words[0]["deps"] == "2:nsubj|4:nsubj"
    assert tw.Sentence.from_dict(sentence.to_dict()).graph == sentence.graph


def test_a_word_has_a_limited_number_of_possible_edges() -> None:
    labels = ["root", *("nsubj" if word % 2 else "conj" for word in range(400))]
    view = TreeView(tw.Sentence.from_words(["w"] * 401, heads=[0] + [1] * 400, deprels=labels))
    pairs = list(Paths(["<nsubj >conj"]).pairs(view))
    assert len(pairs) == 200 * 50

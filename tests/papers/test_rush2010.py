"""The tables of Rush et al. (2010) on a treebank of a toy language."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracles.programs import Program
from typer.testing import CliRunner

from treewright.cli.app import app
from treewright.corpus import Sentence, Tree
from treewright.errors import InputError
from treewright.evaluate import Score
from treewright.joint import GrammarWithDependencies, GrammarWithTagger, JointOptions
from treewright.papers.rush2010 import (
    LIMITS,
    PUBLISHED,
    PUBLISHED_TAGS,
    Counts,
    Options,
    TreebankFolder,
    accuracy_of,
    bracket_score,
    fixed_tags_parse,
    restricted_parse,
    significance,
)
from treewright.relax import HalvingStep
from treewright.words import Words

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN cat)))) (VP (VBZ sees)) (. .))",
    "(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN dog)))) (. .))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ likes)) (. .))",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "toy"
    folder.mkdir()
    for part, times in (("train", 6), ("dev", 1), ("test", 1)):
        (folder / f"{part}.mrg").write_text("\n".join(str(Tree.parse(tree)) for tree in TREES * times))
    options = JointOptions(weight=1.0)
    GrammarWithDependencies.train(folder / "train.mrg", options=options).save(folder / "dependencies.tw")
    GrammarWithTagger.train(folder / "train.mrg", options=options).save(folder / "tags.tw")
    return folder.parent


def run(command: str, data: Path, *arguments: str, model: str = "dependencies") -> object:
    loaded = ["--treebank", "toy", "--joint-model", str(data / "toy" / f"{model}.tw")]
    result = CliRunner().invoke(
        app, ["reproduce", "rush2010", command, str(data), *loaded, *arguments, "--quiet", "--json"]
    )
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_restricted_parse_has_the_arcs_of_the_dependency_parser(data: Path) -> None:
    model = GrammarWithDependencies.load(data / "toy" / "dependencies.tw")
    problem = model.problem(Tree.parse(TREES[2]).leaves())
    [parsed] = model.parser.parse([problem.sentence])
    node = [0, *(place + 1 for place in problem.forest.sentence.kept)]
    heads = restricted_parse(problem).heads
    assert [int(heads[word]) for word in node[1:]] == [node[head] for head in parsed.heads]


def test_with_fixed_tags_the_tree_has_those_of_the_tagger(data: Path) -> None:
    model = GrammarWithTagger.load(data / "toy" / "tags.tw")
    words = Tree.parse(TREES[2]).leaves()
    [tagged] = model.tagger.tag([Sentence.from_words(words)])
    assert fixed_tags_parse(model.problem(words)).tags == list(tagged.xpos)


@pytest.mark.parametrize(
    ("table", "model", "published"), [("table2", "dependencies", PUBLISHED), ("table3", "tags", PUBLISHED_TAGS)]
)
def test_tables_have_the_systems_beside_the_published_figures(
    data: Path, table: str, model: str, published: dict[str, tuple[float, ...]]
) -> None:
    rows = run(table, data, model=model)
    assert isinstance(rows, list)
    assert [row["system"] for row in rows] == list(published)
    for row in rows:
        precision, recall = row["precision"], row["recall"]
        assert row["f1"] == pytest.approx(2 * precision * recall / (precision + recall))
        assert tuple(row["published"]) == published[row["system"]]
    assert rows[0]["p_f1"] is None
    assert 0 < rows[-1]["p_f1"] <= 1
    assert 0 < rows[-1]["p_accuracy"] <= 1


@pytest.mark.parametrize("model", ["dependencies", "tags"])
def test_shares_of_table_1_sum_to_all_sentences(data: Path, model: str) -> None:
    ended = run("table1", data, "--part", "dev", "--with", model, model=model)
    assert isinstance(ended, dict)
    for row in ("ours", "without_split"):
        assert sum(ended[row].values()) == pytest.approx(100)


def test_the_curve_of_figure_5_ends_with_the_trees_of_the_highest_limit(data: Path) -> None:
    rows = run("figure5", data, "--test-sentences", "3")
    assert isinstance(rows, list)
    assert [row["limit"] for row in rows] == list(LIMITS)
    assert rows[-1]["same"] == 100
    certified = [row["certified"] for row in rows]
    assert certified == sorted(certified)


def test_figure_5_is_drawn(data: Path, tmp_path: Path) -> None:
    run("figure5", data, "--test-sentences", "3", "-o", str(tmp_path / "figure5.svg"))
    drawn = (tmp_path / "figure5.svg").read_text()
    for label in ("F1", "certified", "trees as with 50 iterations", "limit on iterations"):
        assert label in drawn


@pytest.mark.parametrize("model", ["dependencies", "tags"])
def test_trees_certified_with_published_steps_are_those_of_polyak_steps(data: Path, model: str) -> None:
    kind: type[GrammarWithDependencies | GrammarWithTagger]
    kind = GrammarWithDependencies if model == "dependencies" else GrammarWithTagger
    joint = kind.load(data / "toy" / f"{model}.tw")
    for tree in TREES:
        problem = joint.problem(Tree.parse(tree).leaves())
        polyak, halving = problem.parse(4.0), problem.parse(4.0, step=HalvingStep(), split_after=None)
        assert polyak.certified
        if halving.certified:
            assert halving.score == pytest.approx(polyak.score)
    published = run("table1", data, "--with", model, "--steps", "halving", model=model)
    assert isinstance(published, dict)
    assert sum(published["without_split"].values()) == pytest.approx(100)


def test_a_given_weight_is_used_and_none_is_tried(data: Path) -> None:
    arguments = ["reproduce", "rush2010", "table3", str(data), "--treebank", "toy", "--test-sentences", "2"]
    chosen, given = (CliRunner().invoke(app, [*arguments, *weight]) for weight in ([], ["--weight", "2"]))
    assert chosen.exit_code == given.exit_code == 0, given.output
    assert "toy: choice of the weight, 8 of 8" in chosen.stderr
    assert "choice of the weight" not in given.stderr
    assert "toy: training model 1 on 24 trees" in given.stderr
    loaded = Options(data, "toy", model=str(data / "toy" / "tags.tw"), weight=7.0, quiet=True).joint_model(
        GrammarWithTagger, TreebankFolder(data / "toy")
    )
    assert loaded.weight == 7.0
    refused = CliRunner().invoke(app, [*arguments, "--weight", "0"])
    assert "weight is 0; a model of weight 0 has no effect" in str(refused.exception)


Trigram = tuple[int, int, int]  # the tags of three words in a row


def polytope_bound(
    n: int, score: Callable[[int, Trigram], float], *, link_second_word: bool, integral: bool = False
) -> float:
    """Return the best value of trigrams of two tags over n words under the constraints of the paper's Figure 3.

    score is that of the trigram that ends at word i. As printed, no constraint equates the tag of the second word in
    the trigrams that end at words 3 and 4; link_second_word adds it.
    """
    program = Program()
    program.limits["one trigram at the third word"] = 1, 1
    for i, (x, y, z) in product(range(3, n + 1), product((0, 1), repeat=3)):
        entries: list[tuple[object, int]] = []
        if i == 3:
            entries.append(("one trigram at the third word", 1))
            if link_second_word and n > 3:
                entries.append((("two before", 2, y), 1))
        if i <= n - 1:
            entries.append((("one before", i, z), 1))
        if i <= n - 2:
            entries.append((("two before", i, z), 1))
        if i > 3:
            entries.append((("one before", i - 1, y), -1))
            if i > 4 or link_second_word:
                entries.append((("two before", i - 2, x), -1))
        program.variable(score(i, (x, y, z)), *entries)
    return program.solve(integral=integral)


def best_tagging(n: int, score: Callable[[int, Trigram], float]) -> float:
    sequences = product((0, 1), repeat=n)
    return max(sum(score(i, (t[i - 3], t[i - 2], t[i - 1])) for i in range(3, n + 1)) for t in sequences)


def test_the_polytope_of_figure_3_is_exact_for_three_words() -> None:
    table = np.random.default_rng(0).normal(size=(2, 2, 2))
    score = lambda i, tags: float(table[tags])  # noqa: E731
    assert polytope_bound(3, score, link_second_word=False) == pytest.approx(best_tagging(3, score))


def test_the_polytope_of_figure_3_is_too_weak_for_four_words() -> None:
    # Trigrams at word 3 want equal tags of words 2 and 3, those at word 4 want different ones.
    def score(i: int, tags: Trigram) -> float:
        second, third = (tags[1], tags[2]) if i == 3 else (tags[0], tags[1])
        return float((second == third) == (i == 3))

    assert best_tagging(4, score) == 1
    assert polytope_bound(4, score, link_second_word=False, integral=True) == pytest.approx(2)
    assert polytope_bound(4, score, link_second_word=True, integral=True) == pytest.approx(1)
    assert polytope_bound(4, score, link_second_word=True) == pytest.approx(2)


def test_sentences_are_chosen_at_equal_distances_and_by_length(data: Path) -> None:
    folder = TreebankFolder(data / "toy")
    every = folder.to_parse("test", None)
    assert folder.to_parse("test", 3) == [every[len(every) * number // 3] for number in range(3)]
    shortest = min(len(gold.words) for gold in every)
    short = folder.to_parse("test", None, shortest)
    assert short == [gold for gold in every if len(gold.words) == shortest]
    with pytest.raises(InputError, match=r"toy/test.mrg has no sentence of at most 1 words"):
        folder.to_parse("test", None, 1)


def test_trees_with_a_unary_cycle_are_an_error_or_left_out_and_counted(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    for part in ("train", "dev", "test"):
        (folder / f"{part}.mrg").write_text((data / "toy" / f"{part}.mrg").read_text() + "\n(S (NP (S (VB go))))\n")
    arguments = ["reproduce", "rush2010", "table3", str(tmp_path), "--treebank", "toy", "--quiet"]
    arguments += ["--joint-model", str(data / "toy" / "tags.tw")]
    refused = CliRunner().invoke(app, arguments)
    assert str(refused.exception).startswith(f"{folder / 'test.mrg'}:5: unary cycle: ROOT over S over NP over S")
    skipped = CliRunner().invoke(app, [*arguments, "--skip-bad"])
    assert skipped.exit_code == 0, skipped.output
    assert f"left out 1 bad sentence: {folder / 'test.mrg'}:5" in skipped.stderr
    assert "toy, 4 sentences" in skipped.stdout


def test_brackets_are_those_of_the_tree_as_it_is_in_the_treebank_without_roots(tmp_path: Path) -> None:
    for part in ("train", "dev", "test"):
        (tmp_path / f"{part}.mrg").write_text("( (S (NP-SBJ (NP (PRP it))) (VP (VBZ rains) (NP (-NONE- *)))))")
    [gold] = TreebankFolder(tmp_path).to_parse("test", None)
    assert str(gold.prepared) == "(ROOT (S (NP (PRP it)) (VP (VBZ rains))))"
    score = bracket_score(gold, Tree.parse("(S (NP (PRP it)) (VBZ rains))"))
    assert (score.correct, score.gold, score.system) == (2, 4, 2)


def test_models_are_trained_where_none_is_given(data: Path) -> None:
    arguments = ["table3", str(data), "--treebank", "toy", "--test-sentences", "2", "--quiet"]
    result = CliRunner().invoke(app, ["reproduce", "rush2010", *arguments])
    assert result.exit_code == 0, result.output
    assert "toy, 2 sentences" in result.stdout


def test_word_classes_are_features_of_the_dependency_parser(data: Path, tmp_path: Path) -> None:
    (tmp_path / "classes.txt").write_text("0110101\tdog\t2\n0110111\tcat\t2\n10\tsees\t2\n")
    words = Words.from_classes(tmp_path / "classes.txt")
    words.save(tmp_path / "words.tw")
    trained = Options(
        data=data, treebank="toy", words=tmp_path / "words.tw", weight=1.0, quiet=True, head_rules="english"
    ).joint_model(GrammarWithDependencies, TreebankFolder(data / "toy"))
    trained.save(tmp_path / "joint.tw")
    model = GrammarWithDependencies.load(tmp_path / "joint.tw")
    sentence = model.problem(["the", "dog", "sees", "a", "cat"]).sentence
    assert list(sentence.feats) == [
        "_",
        "Class4=0110|Class6=011010|Class=0110101",
        "Class4=10|Class6=10|Class=10",
        "_",
        "Class4=0110|Class6=011011|Class=0110111",
    ]
    assert model.parse(["the", "dog", "sees", "a", "cat"]).certified
    plain = GrammarWithDependencies.load(data / "toy" / "dependencies.tw")
    assert set(plain.problem(["the", "dog"]).sentence.feats) == {"_"}


def test_word_classes_are_refused_where_nothing_is_trained_with_them(data: Path, tmp_path: Path) -> None:
    model = str(data / "toy" / "tags.tw")
    options = Options(data=data, treebank="toy", words=tmp_path / "words.tw", model=model, quiet=True)
    with pytest.raises(InputError, match="--words is for the training of a dependency parser"):
        options.joint_model(GrammarWithTagger, TreebankFolder(data / "toy"))


def test_a_difference_in_every_sentence_is_significant_and_none_is_not() -> None:
    score = Score(1, 2, 2, None)
    low, high = [Counts(score, 1, 10)] * 30, [Counts(score, 9, 10)] * 30
    assert significance(low, high, accuracy_of) < 0.001
    assert significance(low, low, accuracy_of) == 1


def test_without_a_test_part_the_development_trees_are_divided(data: Path, tmp_path: Path) -> None:
    for part in ("train", "dev"):
        (tmp_path / f"{part}.mrg").write_text((data / "toy" / f"{part}.mrg").read_text())
    folder, whole = TreebankFolder(tmp_path), TreebankFolder(data / "toy")
    trees = [gold.words for gold in whole.trees("dev")]
    assert [gold.words for gold in folder.trees("dev")] == trees[::2]
    assert [gold.words for gold in folder.trees("test")] == trees[1::2]
    assert [gold.words for gold in folder.trees("dev", 1)] == trees[:1]


def test_a_folder_without_trees_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no train.mrg; DATA is a folder with treebanks"):
        TreebankFolder(tmp_path / "toy")

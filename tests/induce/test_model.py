"""The induced parser as a user meets it: train, parse, explain, and what it says to rubbish."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.induction import SENTENCES, sentence

import treewright as tw
from treewright.checks import read_plain
from treewright.errors import InputError
from treewright.induce import InducedParser, InductionOptions, preferences, resolve
from treewright.induce.model import MAX_WORDS
from treewright.induce.options import METHODS
from treewright.induce.rules import RULES, load_rules
from treewright.induce.tagged import read_tagged
from treewright.learn import Report
from treewright.model import modelfile


def test_one_sentence_is_no_list_of_sentences() -> None:
    parser = InducedParser.train(SENTENCES, options=InductionOptions(iterations=1))
    with pytest.raises(
        TypeError, match=r"^sentences is <Sentence.*>, of type Sentence; expected an iterable of Sentence"
    ):
        parser.parse(SENTENCES[0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 0}, "threads is 0"),
        ({"max_seconds": -3}, "max_seconds is -3; give seconds, or None for no limit"),
        ({"max_nodes": 5}, "an induced model has one decoder, which has no option 'max_nodes'"),
    ],
)
def test_options_without_a_meaning_are_refused_before_the_first_sentence(options: Any, message: str) -> None:
    parser = InducedParser.train(SENTENCES, options=InductionOptions(iterations=1))
    with pytest.raises(ValueError, match=f"^{message}"):
        parser.parse(SENTENCES, **options)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_parses_trees(method: str) -> None:
    reported: list[Report] = []
    parser = InducedParser.train(
        SENTENCES, options=InductionOptions(method=method, iterations=5), report=reported.append
    )
    assert reported
    for parsed in parser.parse(SENTENCES):
        tw.trees.check_tree(tw.trees.from_conll(parsed.heads))
        assert parsed.deprels.count("root") == 1
        assert [deprel == "punct" for deprel in parsed.deprels] == [tag == "PUNCT" for tag in parsed.upos]


def test_a_parser_is_shown_by_its_method_and_its_tags() -> None:
    parser = InducedParser.train(SENTENCES, options=InductionOptions(method="dmv", iterations=1))
    assert repr(parser) == f"InducedParser(method='dmv', {len(parser.kinds)} tags)"


def test_training_twice_gives_the_same_model() -> None:
    first, second = (InducedParser.train(SENTENCES, options=InductionOptions(iterations=5)) for _ in range(2))
    assert first.dmv is not None
    assert second.dmv is not None
    for one, other in zip(first.dmv.tables(), second.dmv.tables(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_sentences_of_any_shape_parse() -> None:
    parser = InducedParser.train(SENTENCES, options=InductionOptions(method="lc-dmv", iterations=5))
    shapes = ["NOUN", "PUNCT", "PUNCT PUNCT PUNCT", "DET DET ADP", "SYM INTJ", " ".join(["NOUN", "VERB"] * 60)]
    for parsed in parser.parse([sentence(tags) for tags in shapes]):
        tw.trees.check_tree(tw.trees.from_conll(parsed.heads))
        assert parsed.heads.tolist().count(0) == 1


def test_preferences_are_probabilities_most_likely_first() -> None:
    learned = preferences(InducedParser.train(SENTENCES, options=InductionOptions(method="lc-dmv", iterations=10)))
    shares = [row["probability"] for row in learned["roots"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, rel=1e-9)
    assert learned["roots"][0]["tag"] == "VERB"


def test_untagged_text_is_refused_with_the_remedy() -> None:
    untagged = tw.Sentence.from_words(["a", "b"])
    message = r":1: a word without a tag \('_' in UPOS\); tag the text first"
    with pytest.raises(InputError, match=message):
        InducedParser.train([untagged])
    parser = InducedParser.train(SENTENCES, options=InductionOptions(method="lc-dmv", iterations=2))
    with pytest.raises(InputError, match=message):
        next(parser.parse([untagged]))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", [["NOUN"], ["DET"], ["NOUN NOUN NOUN"], ["PUNCT X PUNCT", "PUNCT"], ["FOO BAR"]])
def test_next_to_nothing_to_learn_from_still_gives_a_parser(method: str, text: list[str]) -> None:
    parser = InducedParser.train(
        [sentence(tags) for tags in text], options=InductionOptions(method=method, iterations=3)
    )
    for parsed in parser.parse([sentence(tags) for tags in ("NOUN", "PUNCT", "FOO DET X PUNCT", "VERB NOUN")]):
        tw.trees.check_tree(tw.trees.from_conll(parsed.heads))


def test_unknown_tags_count_as_x_or_as_nouns() -> None:
    for known, stand_in in (("NOUN VERB X", "X"), ("NOUN VERB", "NOUN"), ("ADJ VERB", "ADJ")):
        kinds = read_tagged([sentence(known)]).kinds
        found = read_tagged([sentence("VERB ZZZ")], kinds=kinds)
        assert [kinds[tag] for tag in found.tags] == ["VERB", stand_in]


def test_a_corpus_without_sentences_is_refused() -> None:
    with pytest.raises(InputError, match=r"no sentence to learn from .*all punctuation or longer than 15 words"):
        InducedParser.train([sentence("PUNCT PUNCT")])
    with pytest.raises(InputError, match="no sentence to learn from"):
        InducedParser.train([])


def test_best_parses_with_both_models_and_is_certified_where_the_gap_is_zero() -> None:
    parser = InducedParser.train(SENTENCES, options=InductionOptions(method="best", iterations=5))
    assert (parser.rules.name, parser.options.start) == ("content", "uniform")
    long = sentence(" ".join(["NOUN", "VERB"] * 60))
    for parsed in parser.parse([*SENTENCES, long]):
        assert parsed.parse.score <= parsed.parse.bound + 1e-9
        assert parsed.parse.certified == (parsed.parse.gap < 1e-6 * abs(parsed.parse.score))
    mine = InducedParser.train(
        SENTENCES, options=InductionOptions(method="best", rules="ud", start="klein-manning", iterations=5)
    )
    assert (mine.rules.name, mine.options.start) == ("ud", "klein-manning")


@pytest.mark.parametrize("method", METHODS)
def test_resolved_options_stay_and_return_from_a_header(method: str) -> None:
    options = resolve(InductionOptions(method=method))
    assert options.rules
    assert options.start
    assert read_plain(json.loads(json.dumps(asdict(options))), InductionOptions, "options") == options
    assert resolve(options) == options


def test_unknown_methods_are_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match="there is no method 'magic'; there are best, joint, dmv, lc-dmv, convex-mst"):
        InducedParser.train(SENTENCES, options=InductionOptions(method="magic"))


def test_rules_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('ROOT = ["VERB"]\nVERB = ["NOUN"]\n')
    assert load_rules(str(path)).table == {"ROOT": ("VERB",), "VERB": ("NOUN",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('VERB = ["NOON"]', "unknown tag 'NOON'; known are ADJ, ADP"),
        ('VERB = "NOUN"', "VERB must be a list of tags"),
        ("VERB = [", "not a TOML file of lines such as"),
        ("", "no rule in it"),
        ('VERB = ["ROOT"]', "unknown tag 'ROOT'"),
    ],
)
def test_bad_rules_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        load_rules(str(path))
    assert str(path) in str(error.value)


def test_unknown_rules_are_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match=f"neither a file nor one of {', '.join(RULES)}"):
        load_rules("nowhere.toml")


@pytest.mark.parametrize("method", METHODS)
def test_a_saved_model_parses_as_before(tmp_path: Path, method: str) -> None:
    parser = InducedParser.train(SENTENCES, options=InductionOptions(method=method, iterations=5))
    parser.save(tmp_path / "model.tw")
    loaded = InducedParser.load(tmp_path / "model.tw")
    assert loaded.options == parser.options
    for one, other in zip(parser.parse(SENTENCES), loaded.parse(SENTENCES), strict=True):
        np.testing.assert_array_equal(one.heads, other.heads)


def test_a_kept_file_of_format_1_parses_as_it_did_when_it_was_written() -> None:
    parser = InducedParser.load(Path(__file__).parents[1] / "data" / "induced.tw")
    assert (parser.options.method, parser.rules.name) == ("best", "content")
    assert [parsed.heads.tolist() for parsed in parser.parse(SENTENCES[:6])] == [
        [2, 3, 0, 5, 3, 3],
        [3, 1, 0, 3],
        [2, 3, 4, 0, 7, 7, 4, 4],
        [3, 3, 0, 3, 3],
        [0, 3, 1, 5, 1, 1],
        [3, 1, 0, 5, 6, 3, 3],
    ]


def test_a_model_of_another_kind_is_named(tmp_path: Path) -> None:
    modelfile.save(tmp_path / "tagger.tw", "tagger", 1, {}, {"w": np.zeros(2)})
    with pytest.raises(InputError, match=r"tagger\.tw is a tagger, but an induced parser is needed"):
        InducedParser.load(tmp_path / "tagger.tw")


def test_a_sentence_that_is_too_long_is_refused_by_its_place() -> None:
    words = MAX_WORDS + 1
    bank = [tw.Sentence.from_words(["a", "b"], upos=["NOUN", "VERB"])]
    parser = InducedParser.train(bank, options=InductionOptions(method="dmv", iterations=1))
    long = tw.Sentence.from_words(["x"] * words, upos=["NOUN"] * words, source="long.conllu")
    with pytest.raises(InputError, match=f"^long.conllu:1: {words} words without punctuation; an induced parser reads"):
        list(parser.parse([long]))

"""A tokeniser learns where tokens and sentences end; every text can be rebuilt from what it makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.pipelines import written
from oracles.treebank import tagged_treebank

import treewright as tw
from treewright.corpus.offsets import join_tokens, surface_tokens
from treewright.errors import InputError
from treewright.learn import Learning
from treewright.tokeniser import Tokeniser, TokeniserOptions, rebuild_text
from treewright.tokeniser.multiwords import Multiwords
from treewright.tokeniser.tokeniser import text_and_ends

SMALL = TokeniserOptions(learning=Learning(bits=12, epochs=4))
RULES = Tokeniser()
CONTRACTED = """# text = I don't know.
1\tI\ti\tPRON\t_\t_\t_\t_\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\t_\t_\t_\t_\t_\t_
3\tn't\tnot\tPART\t_\t_\t_\t_\t_\t_
4\tknow\tknow\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture(scope="module")
def learned() -> Tokeniser:
    return Tokeniser.train(tagged_treebank(150), options=SMALL)


def test_learned_from_a_treebank(learned: Tokeniser) -> None:
    gold = tagged_treebank(30, seed=2)
    text, _ = text_and_ends(gold)
    found = learned(text)
    assert [sentence.forms for sentence in found] == [sentence.forms for sentence in gold]
    assert found[0].misc[-2].startswith("SpaceAfter=No|TokenRange=")
    assert found[0].text == gold[0].text


def test_places_are_those_of_the_text(learned: Tokeniser) -> None:
    text = "The dogs\twalked.\n\n The cat jumps !"
    for sentence in learned(text):
        for form, misc in zip(sentence.forms, sentence.misc, strict=True):
            begin, _, end = misc.rpartition("TokenRange=")[2].partition(":")
            assert text[int(begin) : int(end)] == form


@given(
    st.lists(st.text(st.sampled_from("dogA1.\n \t'’!?,-\"é\u00a0🙂…。"), max_size=30), max_size=12),
    st.booleans(),
    st.booleans(),
)
def test_texts_together_are_tokenised_as_each_alone(
    learned: Tokeniser, texts: list[str], whole: bool, by: bool
) -> None:
    tokeniser = learned if by else RULES
    alone = [tokeniser(text, whole=whole) for text in texts]
    together = tokeniser.batch(texts, whole=whole)
    assert [list(map(str, found)) for found in together] == [list(map(str, found)) for found in alone]


def test_parts_of_a_text_are_numbered_on(learned: Tokeniser) -> None:
    parts = ["The dogs walked.\n", "\n", "The cat jumps! The dog walks."]
    found = learned.batch(parts, begins=[10, 27, 28], number=7)
    assert [[sentence.sent_id for sentence in some] for some in found] == [["7"], [], ["8", "9"]]
    text = " " * 10 + "".join(parts)
    for sentence in (sentence for some in found for sentence in some):
        assert [text[word.begin : word.end] for word in sentence] == sentence.forms


def test_long_texts_together_are_tokenised_as_each_alone(learned: Tokeniser) -> None:
    sentence = "The dogs walked. The cat jumps! "
    texts = [sentence * 1500, "x" * 70_000, sentence, "", f"{sentence * 2000}\n"]
    alone = [list(map(str, learned(text))) for text in texts]
    assert [list(map(str, found)) for found in learned.batch(texts)] == alone


def test_the_end_of_a_text_is_the_end_of_a_paragraph() -> None:
    paragraphs = tagged_treebank(60, seed=4)
    for number, sentence in enumerate(paragraphs):
        sentence.comments = [f"# newpar id = {number}"]
    tokeniser = Tokeniser.train(paragraphs, options=SMALL)
    for end in ("", "\n\n"):
        [found] = tokeniser(f"The zebras walked.{end}")
        assert found.forms == ["The", "zebras", "walked", "."]


@pytest.mark.parametrize(("words", "lengths"), [(500, [500]), (501, [500, 1]), (1600, [500, 500, 500, 100])])
def test_no_sentence_is_endless(words: int, lengths: list[int]) -> None:
    text = "Short one. " + "Word " * words
    assert [len(sentence) for sentence in RULES(text)] == [3, *lengths]
    assert rebuild_text(RULES(text)) == text
    assert [len(sentence) for sentence in RULES("word " * words, whole=True)] == [words]


def test_an_endless_sentence_ends_after_punctuation() -> None:
    text = "Short one. Word " + "word " * 419 + "word, " + "word " * 30 + "word; " + "word, word " * 100
    found = RULES(text)
    assert [sentence.forms[-1] for sentence in found] == [".", ";", "word"]
    assert [len(sentence) for sentence in found] == [3, 454, 300]
    assert rebuild_text(found) == text


def test_multiword_tokens_are_learned() -> None:
    tokeniser = Tokeniser.train([tw.Sentence(CONTRACTED)] * 20, options=SMALL)
    [found] = tokeniser("I Don't know.")
    assert found.forms == ["I", "Do", "n't", "know", "."]
    assert [token[:3] for token in found.tokens] == [(2, 3, "Don't")]
    assert found.tokens[0].misc == "TokenRange=2:7"
    assert join_tokens(surface_tokens(found)) == "I Don't know."


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Dr. No isn't here, is he? Yes!", [["Dr", "."], ["No", "isn't", "here", ",", "is", "he", "?"], ["Yes", "!"]]),
        ("He paid 1,000.50 on 3/4/2020.", [["He", "paid", "1,000.50", "on", "3/4/2020", "."]]),
        ("See https://example.org/a?b=1, or a.b@example.org", None),
        ('"Stop." She left...', [['"', "Stop", ".", '"'], ["She", "left", "..."]]),
        ("你好。再见！", [["你", "好", "。"], ["再", "见", "！"]]),
        ("J. Smith met the U.S. team", [["J", ".", "Smith", "met", "the", "U.S.", "team"]]),
        ("one\n\ntwo", [["one"], ["two"]]),
    ],
)
def test_rules_of_unicode(text: str, forms: list[list[str]] | None) -> None:
    found = [sentence.forms for sentence in RULES(text)]
    expected = [["See", "https://example.org/a?b=1", ",", "or", "a.b@example.org"]] if forms is None else forms
    assert found == expected


@pytest.mark.parametrize("text", ["", " ", "\n\n\t \n", "\u00a0"])
def test_nothing_is_no_sentence(learned: Tokeniser, text: str) -> None:
    assert learned(text) == RULES(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        ')"' * 50_000,
        "\n" * 50_000 + "x",
        "🦊🦊👩‍👩‍👧 ok 👍🏽!",
        "\x00\x01\x07 bell \x7f",
        "a\u200bb\u2028c\u0085d",
        "nbsp\u00a0here\u3000wide",
        "back\\slash | pipe _ # hash = x",
        "\ufeffBOM and \ufeff again",
        "İstanbul ﬁne ß",
        " lead and trail \r\n",
    ],
)
@pytest.mark.parametrize("by_rules", [True, False])
def test_rubbish_is_cut_and_rebuilt(learned: Tokeniser, text: str, by_rules: bool) -> None:
    found = (RULES if by_rules else learned)(text)
    assert rebuild_text(found) == text
    assert all(form for sentence in found for form in sentence.forms)


@given(st.text(alphabet="aA1 .,!'\n\t-’é好🦊", max_size=60))
@pytest.mark.parametrize("by_rules", [True, False])
def test_any_text_is_rebuilt(learned: Tokeniser, by_rules: bool, text: str) -> None:
    found = (RULES if by_rules else learned)(text)
    assert rebuild_text(found) == (text if text.strip() else "")
    for sentence in found:
        tokens = {token.first: token for token in sentence.tokens}
        for word, (form, misc) in enumerate(zip(sentence.forms, sentence.misc, strict=True), start=1):
            if word not in tokens:
                begin, _, end = misc.rpartition("TokenRange=")[2].partition(":")
                assert text[int(begin) : int(end)] == form


def test_a_loaded_tokeniser_is_the_same(learned: Tokeniser, tmp_path: Path) -> None:
    learned.save(tmp_path / "a.tw")
    Tokeniser.train(tagged_treebank(150), options=SMALL).save(tmp_path / "b.tw")
    assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes()
    text, _ = text_and_ends(tagged_treebank(20, seed=5))
    assert Tokeniser.load(tmp_path / "a.tw")(text) == learned(text)
    with pytest.raises(InputError, match="is a tokeniser, but a tagger is needed"):
        tw.tagger.Tagger.load(tmp_path / "a.tw")


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the training data has no sentences"):
        Tokeniser.train([])
    with pytest.raises(ValueError, match="by rules has no weights to save"):
        RULES.save(tmp_path / "x")


@pytest.mark.parametrize(("seen", "words"), [(1, ("We've",)), (2, ("We", "'ve"))])
def test_suffixes_with_an_apostrophe_need_fewer_examples(seen: int, words: tuple[str, ...]) -> None:
    tokens = [("I've", ("I", "'ve"))] * seen + [("flubz", ("flu", "bz"))] * 2
    assert Multiwords.of(tokens).words("We've") == words
    assert Multiwords.of(tokens).words("globz") == ("globz",)


def test_the_epoch_with_the_best_score_on_dev_is_kept() -> None:
    train, dev = written(12, 0), written(30, 1)
    reports: list[tw.learn.Report] = []
    options = TokeniserOptions(learning=Learning(bits=8, epochs=4, rate=0.2, adagrad_epsilon=0.1))
    chosen = Tokeniser.train(train, dev, options=options, report=reports.append)
    tokens = [report.figures for report in reports if report.stage == "tokens"]
    scores = [(figures["tokens"] + figures["sentences"]) / 2 for figures in tokens]
    best = 1 + scores.index(max(scores))
    shorter = replace(options, learning=replace(options.learning, epochs=best), choose_epoch=False)
    expected = Tokeniser.train(train, dev, options=shorter)
    assert chosen.model is not None
    assert expected.model is not None
    assert best < 4
    assert np.array_equal(chosen.model.weights, expected.model.weights)


def test_a_batch_has_one_beginning_for_each_text() -> None:
    with pytest.raises(InputError, match="begins has 0 entries; expected one for each of the 2 texts"):
        Tokeniser().batch(["a", "b"], begins=[])

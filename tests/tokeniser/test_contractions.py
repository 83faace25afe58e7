"""Words that look like a possessive or a contraction without its mark; sentence ends that need knowledge of words."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

import treewright as tw
from treewright.corpus import Sentence
from treewright.learn import Learning
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.multiwords import Multiwords
from treewright.tokeniser.patterns import PATTERNS, Patterns
from treewright.tokeniser.tokeniser import words_of_tokens

SMALL = TokeniserOptions(
    learning=Learning(bits=14, epochs=3, rate=0.2, adagrad_epsilon=0.1, margin=1.0),
    boundaries=Learning(bits=14, epochs=2, rate=0.2, adagrad_epsilon=5.0, margin=0.0),
)


def split_token(form: str, words: list[str], typo: bool) -> Sentence:
    feats = ["_"] * (len(words) - 1) + ["Typo=Yes" if typo else "_"]
    rows = [f"1-{len(words)}\t{form}" + "\t_" * 8]
    for number, (word, cell) in enumerate(zip(words, feats, strict=True), start=1):
        rows.append(f"{number}\t{word}\t{word}\tX\t_\t{cell}\t{number - 1}\t{'root' if number == 1 else 'dep'}\t_\t_")
    [sentence] = tw.read(StringIO("\n".join(rows) + "\n\n"))
    return sentence


def learned(*tokens: Sentence) -> Multiwords:
    return Multiwords.of(words_of_tokens(tokens))


def test_a_forgotten_apostrophe_does_not_split_a_word_of_other_texts() -> None:
    rules = learned(
        split_token("gardeners", ["gardener", "s"], typo=True),
        split_token("zum", ["zu", "m"], typo=False),
    )
    assert rules.words("gardeners") == ("gardeners",)
    assert rules.words("zum") == ("zu", "m")


def test_contractions_without_apostrophe_are_split_where_those_with_one_are() -> None:
    clitics = [split_token(f"{verb}n't", [verb, "n't"], typo=False) for verb in ("does", "is", "did")]
    rules = learned(*clitics)
    assert rules.words("Mustnt") == ("Must", "nt")
    assert rules.words("couldnt") == ("could", "nt")
    assert rules.words("pennant") == ("pennant",)
    assert learned(split_token("zum", ["zu", "m"], typo=False)).words("mustnt") == ("mustnt",)


def test_raw_text_decides_about_words_that_look_like_contractions(tmp_path: Path) -> None:
    tokens = {
        "Hall's": ["Hall", "'s"],
        "dog's": ["dog", "'s"],
        "cooks": ["cook", "s"],
        "whos": ["who", "s"],
        "du": ["de", "le"],
    }
    tokeniser = Tokeniser.train([split_token(form, words, typo=False) for form, words in tokens.items()], options=SMALL)
    path = tmp_path / "raw.txt"
    path.write_text("The cooks ate the cook’s hat. Whos there? Du pain. " + "Who’s there? " * 20, encoding="utf-8")
    words_of = tokeniser.with_raw_text(path).split_tokens(["Cooks", "whos", "du", "dog's"])
    assert list(words_of.values()) == [("Cooks",), ("who", "s"), ("de", "le"), ("dog", "'s")]
    assert tokeniser.split_tokens(["Cooks"]) == {"Cooks": ("Cook", "s")}
    assert Tokeniser().with_raw_text(path).model is None


@pytest.mark.parametrize(
    "token",
    [
        *("queue.push(item)", "self.rows[index]", "table[key]", "a.b.c(x,y)", "os.environ[HOME]"),
        *("np.sum(max(a,b))", "config.items[i].name", "text.strip().lower()", "rows[first][last].copy()"),
    ],
)
def test_code_is_one_token(token: str) -> None:
    spans = [(begin, end) for _, begin, end in Patterns(PATTERNS).matches(f"use {token} here")]
    assert spans == [(4, 4 + len(token))]


@pytest.mark.parametrize("text", ["the item(s) below", "as shown[1] there", "he (or she) left", "see [a] and [b]"])
def test_brackets_of_prose_are_no_code(text: str) -> None:
    assert not list(Patterns(PATTERNS).matches(text))


@pytest.fixture(scope="module")
def tokeniser() -> Tokeniser:
    lines = [
        "We walk home .",
        "They talk about it .",
        "Nobody saw them leave .",
        "You and nobody else left before they came .",
        "Then we walk on and then they talk .",
    ]
    bank = [Sentence.from_words(line.split(), upos=["X"] * len(line.split())) for line in lines * 12]
    return Tokeniser.train(bank, options=SMALL)


def texts(tokeniser: Tokeniser, text: str) -> list[str]:
    return [sentence.text for sentence in tokeniser(text)]


def test_sentences_without_a_blank_between_them_are_parted(tokeniser: Tokeniser) -> None:
    assert texts(tokeniser, "We walk home!They talk about it .") == ["We walk home!", "They talk about it ."]


def test_a_word_that_has_its_capital_only_at_the_start_begins_a_sentence(tokeniser: Tokeniser) -> None:
    assert texts(tokeniser, "We walk to Brill Corp. They talk .") == ["We walk to Brill Corp.", "They talk ."]
    assert texts(tokeniser, "We walk to Brill Corp. on foot .") == ["We walk to Brill Corp. on foot ."]


def test_initials_end_no_sentence(tokeniser: Tokeniser) -> None:
    assert texts(tokeniser, "We talk about C. S. Lewis .") == ["We talk about C. S. Lewis ."]


def test_a_number_after_its_abbreviation_is_in_the_same_sentence(tokeniser: Tokeniser) -> None:
    assert texts(tokeniser, "They saw Fig. 12 then .") == ["They saw Fig. 12 then ."]


def test_a_headline_is_one_sentence(tokeniser: Tokeniser) -> None:
    assert texts(tokeniser, "Mayor, Council to talk about it") == ["Mayor, Council to talk about it"]
    assert texts(tokeniser, "UPDATE They walk") == ["UPDATE They walk"]


@pytest.mark.parametrize("text", ["We talk about Park v. Hill .", "We walk at 9 a.m.", "They talk, walk, etc."])
def test_the_full_stop_of_an_abbreviation_belongs_to_it(tokeniser: Tokeniser, text: str) -> None:
    [sentence] = tokeniser(text)
    assert {"v.", "a.m.", "etc."} & set(sentence.forms)
